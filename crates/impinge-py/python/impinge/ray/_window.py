"""Runs many small tasks on a cluster, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from impinge._errors import ClusterError, Error

Result = TypeVar("Result")

# How often Ray repeats a task whose worker or node was lost.
MAX_RETRIES = 5


class Window(Generic[Result]):
    """Tasks, of which a bounded number is in flight.

    `submit` starts a task and returns its reference. Ray moves tasks to idle workers, and repeats those whose worker
    was lost. Each result is taken once, under the number of its task.
    """

    def __init__(self, ray: Any, count: int, submit: Callable[[int], Any], width: int, what: str) -> None:
        """Prepare `count` tasks, of which at most `width` are in flight; `what` names them in messages."""
        self._ray, self._submit, self._width, self._what = ray, submit, width, what
        self._count, self._next = count, 0
        self._flying: dict[Any, int] = {}
        self.results: dict[int, Result] = {}

    @property
    def done(self) -> bool:
        """Whether all results are there."""
        return len(self.results) == self._count

    def step(self, timeout: float = 0.2) -> list[int]:
        """Start tasks, wait a little for results, and return the numbers of the tasks that have ended."""
        while self._next < self._count and len(self._flying) < self._width:
            self._flying[self._submit(self._next)] = self._next
            self._next += 1
        if not self._flying:
            return []
        ended, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=timeout)
        if ended:
            # All that are ready, without waiting again.
            ended, _ = self._ray.wait(list(self._flying), num_returns=len(self._flying), timeout=0)
        numbers = []
        for reference in ended:
            number = self._flying.pop(reference)
            self.results[number] = self._get(reference, number)
            numbers.append(number)
        return numbers

    def _get(self, reference: Any, number: int) -> Any:
        ray = self._ray
        try:
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            self.cancel()
            if isinstance(error.cause, Error):
                raise error.cause from None
            raise ClusterError(f"{self._what} {number} failed: {_last_line(error)}") from error
        except ray.exceptions.RayError as error:
            self.cancel()
            raise ClusterError(
                f"{self._what} {number} was lost and could not be repeated: {type(error).__name__}: {_last_line(error)}"
            ) from error

    def cancel(self) -> None:
        """End all tasks that are in flight."""
        for reference in self._flying:
            try:
                self._ray.cancel(reference, force=False, recursive=True)
            except Exception:  # The task may have ended, or the connection may be lost.
                continue
        self._flying.clear()

    def run(self, report: Callable[[int, int], None] | None = None) -> list[Result]:
        """Run all tasks and return their results in order. Ctrl-C ends them."""
        try:
            while not self.done:
                self.step()
                if report is not None:
                    report(len(self.results), self._count)
        except BaseException:
            self.cancel()
            raise
        return list(self.ordered())

    def ordered(self) -> Iterator[Result]:
        """Return the results in the order of the tasks, which does not depend on when they ended."""
        return (self.results[number] for number in range(self._count))


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
