"""Clash checks on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from impinge._clash import check_options
from impinge._impinge import Assembly, ClashReport, Listing, Plan
from impinge.ray import _store
from impinge.ray._cluster import connect
from impinge.ray._progress import Bar
from impinge.ray._search import Limits, Search
from impinge.sources import as_assembly

Progress = Callable[[str, int, int], None]


def clash(
    source: Any,
    address: str | None = None,
    *,
    progress: Progress | bool | None = None,
    cell_work: int | None = None,
    cell_faces: int = 4_000_000,
    cache_bytes: int = 1 << 30,
    **options: Any,
) -> ClashReport:
    """Find the parts of an assembly that collide, touch or come too close, on a Ray cluster.

    The report is that of `impinge.clash`, to the byte.

    `source` is what `impinge.clash` takes, or a list of functions without arguments, each of which returns an
    `Assembly`: the pieces of one that is too large for one machine. Functions and several files are called and read by
    tasks, and only the names, poses and boxes of the parts come here. So every node has to find the files at the same
    paths. The report then has no meshes, and cannot be saved as a page, a picture or a 3D file. An `Assembly`, a single
    file and robots are loaded here, and their meshes are put into the object store once.

    `address` is that of a cluster, 'auto' for the running one, or 'local' to start one on this machine, which is what
    `None` does, too, if there is no connection yet.

    `progress` is called as that of `impinge.clash`; `True` shows a bar on the terminal, and `None` does if standard
    error is one. A cell has at most `cell_work` of work, about in faces, and needs meshes of at most `cell_faces`
    faces, or of those of its largest pair and half of `cell_faces` more. Each worker keeps at most `cache_bytes` of
    prepared meshes. Further keyword arguments are those of `impinge.clash`, except for `threads`.

    Tasks whose worker or node is lost are repeated elsewhere. Raises `ClusterError` if that does not help.
    """
    options.pop("threads", None)
    limits = Limits(cell_work, cell_faces, cache_bytes)
    ray = connect(address)
    with Bar(progress) as bar:
        checked, load = check_options(options)
        assembly, store = load_source(ray, source, load, bar)
        plan = Plan(assembly, checked)
        search = Search(ray, plan, store, limits)
        return plan.finish(search.run(lambda done, total: bar.show("pairs", done, total)))


def load_source(ray: Any, source: Any, load: dict[str, Any], bar: Bar) -> tuple[Assembly, _store.Store | None]:
    """Load an assembly: on the cluster if it consists of several files or of functions, otherwise here."""

    def report(done: int, total: int) -> None:
        bar.show("files", done, total)

    if isinstance(source, (str, PathLike)):
        source = [source]
    if isinstance(source, Sequence) and source:
        if all(callable(piece) for piece in source):
            if load:
                raise TypeError(f"functions take no further arguments, but {', '.join(load)} was given")
            return _store.load_pieces(ray, source, report)
        if all(isinstance(path, (str, PathLike)) for path in source):
            loaded = _store.load_files(ray, Listing(*source, **load), report)
            if loaded is not None:
                return loaded
    return as_assembly(source, **load), None
