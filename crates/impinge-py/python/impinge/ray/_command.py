"""The option `--ray` of the command. The command calls these functions by their names."""

from __future__ import annotations

from collections.abc import Callable

from impinge._impinge import Assembly, Listing, Plan
from impinge.ray import _search, _store
from impinge.ray._cluster import connect

# The meshes of the assembly that the command has loaded last. A process runs one command.
_loaded: list[_store.Store] = []


def load(address: str, listing: Listing, proceed: Callable[[], bool]) -> Assembly | None:
    """Read the files of a listing on the cluster, if that is possible. `proceed` tells whether to continue."""
    if listing.paths is None:
        return None

    def report(done: int, total: int) -> None:
        if not proceed():
            raise KeyboardInterrupt

    loaded = _store.load_files(connect(address), listing, report)
    if loaded is None:
        return None
    assembly, store = loaded
    _loaded[:] = [store]
    return assembly


class Search(_search.Search):
    """The search of the command's assembly."""

    def __init__(self, address: str, plan: Plan) -> None:
        """Divide the pairs of the plan into cells."""
        store = _loaded[0] if plan.is_outline else None
        super().__init__(connect(address), plan, store, _search.Limits())
