"""The search of a clash check: its cells as tasks on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from impinge._errors import ArgumentError
from impinge._impinge import Plan
from impinge.ray import _tasks
from impinge.ray._cluster import cpu_count
from impinge.ray._store import Store, put
from impinge.ray._window import MAX_RETRIES, TASKS_PER_CPU, Window

# Cells for each CPU of the cluster, so that workers that are done early take from the others.
CELLS_PER_CPU = 16
# A cell should take longer than it takes to start a task, and not so long that much is lost with a worker.
LEAST_WORK, MOST_WORK = 5_000, 500_000


@dataclass(frozen=True)
class Limits:
    """How the work is divided, and how much memory a worker may use for it."""

    # The most work of a cell, about in faces; `None` follows from the size of the cluster.
    cell_work: int | None = None
    # The most faces of the meshes that a cell needs, unless one of its pairs has more than half of them.
    cell_faces: int = 4_000_000
    # The most bytes of prepared meshes that a worker keeps for later tasks.
    cache_bytes: int = 1 << 30

    def __post_init__(self) -> None:
        """Refuse numbers that are not limits."""
        for field in fields(self):
            value, least = getattr(self, field.name), 0 if field.name == "cache_bytes" else 1
            if value is not None and not least <= value < 2**63:
                raise ArgumentError(f"{field.name} is at least {least} and less than 2^63, not {value}")


class Search:
    """A search that goes on step by step."""

    def __init__(self, ray: Any, plan: Plan, store: Store | None, limits: Limits) -> None:
        """Divide the pairs of a plan into cells. Without a store, the meshes of the assembly are put into one."""
        cpus = cpu_count(ray)
        work = limits.cell_work
        if work is None:
            total = sum(own for own, _ in plan.divide(2**63, 2**63))
            work = min(max(total // (CELLS_PER_CPU * cpus), LEAST_WORK), MOST_WORK)
        self._pairs = [pairs for _, pairs in plan.divide(work, limits.cell_faces)]
        self.pair_count = plan.pair_count
        self._plan, self._limits = plan, limits
        self._store = store if store is not None else put(ray, plan, plan.assembly)
        self._job = _tasks.new_job()
        self._check = ray.remote(_tasks.check_cell).options(max_retries=MAX_RETRIES)
        self._window: Window[bytes] = Window(
            ray, len(self._pairs), self._submit, TASKS_PER_CPU * cpus, "the check of cell"
        )
        self.pairs_done = 0

    @property
    def cell_count(self) -> int:
        """The number of cells."""
        return len(self._pairs)

    def _submit(self, number: int) -> Any:
        task, blobs = self._plan.task(number)
        bundles, places = self._store.of(blobs)
        return self._check.remote(self._job, task, places, self._limits.cache_bytes, *bundles)

    def _count(self, cells: list[int]) -> tuple[int, int]:
        """Count the pairs of cells that have ended. Returns the numbers of checked and of all pairs."""
        self.pairs_done += sum(self._pairs[number] for number in cells)
        return self.pairs_done, self.pair_count

    def step(self) -> tuple[int, int, bool]:
        """Go on for a while. Returns the numbers of checked and of all pairs, and whether the search has ended."""
        return *self._count(self._window.step()), self._window.done

    def cancel(self) -> None:
        """Start no further task."""
        self._window.cancel()

    def shares(self) -> Iterator[bytes]:
        """Return the results of all cells, and forget each."""
        return self._window.results()

    def run(self, report: Callable[[int, int], None]) -> Iterator[bytes]:
        """Check all cells and return their results. `report` is called with the numbers of checked and of all pairs."""
        return self._window.run(lambda cells: report(*self._count(cells)))
