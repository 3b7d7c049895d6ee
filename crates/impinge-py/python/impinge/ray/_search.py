"""The search of a clash check: its cells as tasks on a cluster."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from impinge._impinge import Plan
from impinge.ray import _tasks
from impinge.ray._cluster import cpu_count
from impinge.ray._store import Store, put
from impinge.ray._window import MAX_RETRIES, Window

# Cells for each CPU of the cluster, so that workers that are done early take from the others.
CELLS_PER_CPU = 16
# A cell should take longer than it takes to start a task, and not so long that much is lost with a worker.
LEAST_WORK, MOST_WORK = 5_000, 500_000


@dataclass(frozen=True)
class Limits:
    """How the work is divided, and how much memory a worker may use for it."""

    # The most work of a cell, about in faces; `None` follows from the size of the cluster.
    cell_work: int | None = None
    # The most faces of the meshes that a cell needs.
    cell_faces: int = 4_000_000
    # The most bytes of prepared meshes that a worker keeps for later tasks.
    cache_bytes: int = 1 << 30
    # The number of tasks in flight for each CPU.
    tasks_per_cpu: int = 3


class Search:
    """A search that goes on step by step."""

    def __init__(self, ray: Any, plan: Plan, store: Store | None, limits: Limits) -> None:
        """Divide the pairs of a plan into cells. Without a store, the meshes of the assembly are put into one."""
        cpus = cpu_count(ray)
        work = limits.cell_work
        if work is None:
            total = sum(own for own, _ in plan.divide(2**63, 2**63))
            work = min(max(total // (CELLS_PER_CPU * cpus), LEAST_WORK), MOST_WORK)
        self._pairs = [pairs for _, pairs in plan.divide(max(work, 1), max(limits.cell_faces, 1))]
        self.pair_count = plan.pair_count
        self._plan, self._limits = plan, limits
        self._store = store if store is not None else put(ray, plan, plan.assembly)
        self._job = uuid.uuid4().hex
        self._check = ray.remote(_tasks.check_cell).options(max_retries=MAX_RETRIES)
        width = max(2, limits.tasks_per_cpu * cpus)
        self._window: Window[bytes] = Window(ray, len(self._pairs), self._submit, width, "the check of cell")
        self.pairs_done = 0

    @property
    def cell_count(self) -> int:
        """The number of cells."""
        return len(self._pairs)

    def _submit(self, number: int) -> Any:
        task, blobs = self._plan.task(number)
        bundles, places = self._store.of(blobs)
        return self._check.remote(self._job, task, places, self._limits.cache_bytes, *bundles)

    def step(self) -> tuple[int, int, bool]:
        """Go on for a while. Returns the numbers of checked and of all pairs, and whether the search has ended."""
        self.pairs_done += sum(self._pairs[number] for number in self._window.step())
        return self.pairs_done, self.pair_count, self._window.done

    def cancel(self) -> None:
        """End the tasks that are in flight."""
        self._window.cancel()

    def shares(self) -> list[bytes]:
        """Return the results of all cells."""
        return list(self._window.ordered())
