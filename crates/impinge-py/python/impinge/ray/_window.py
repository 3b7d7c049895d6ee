"""Runs many small tasks on a cluster, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from impinge._errors import ClusterError, Error

Result = TypeVar("Result")

# How often Ray repeats a task whose worker or node was lost.
MAX_RETRIES = 5
# The number of tasks in flight for each CPU.
TASKS_PER_CPU = 3
# How long to wait for the exceptions of other tasks after Ctrl-C or an error, in seconds.
PATIENCE = 0.5


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
        self._results: dict[int, Result] = {}
        self._taken = 0

    @property
    def done(self) -> bool:
        """Whether all results were taken."""
        return self._taken == self._count

    def step(self, timeout: float = 0.2) -> list[int]:
        """Start tasks, wait a little for results, and return the numbers of the tasks that have ended.

        After an exception of a task, or Ctrl-C, no further task is started.
        """
        try:
            return self._step(timeout)
        except BaseException:
            self.cancel()
            raise

    def _step(self, timeout: float) -> list[int]:
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
            self._results[number] = self._get(reference, number)
            self._taken += 1
            numbers.append(number)
        return numbers

    def _get(self, reference: Any, number: int) -> Any:
        ray = self._ray
        try:
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, Error):
                raise error.cause from None
            raise ClusterError(f"{self._what} {number} failed: {_cause(error)}") from error
        except ray.exceptions.RayError as error:
            raise ClusterError(
                f"{self._what} {number} was lost and could not be repeated: {type(error).__name__}: {_last_line(error)}"
            ) from error

    def cancel(self) -> None:
        """Start no further task. Those in flight run to their end, and their results are dropped.

        `ray.cancel` is not used: if a task ends at the same moment, a check in the core of Ray fails, which ends this
        process (seen with Ray 2.60: "Tried to complete task that was not pending").
        """
        flying, self._flying = list(self._flying), {}
        self._next = self._count
        take_exceptions(self._ray, flying, PATIENCE)

    def run(self, report: Callable[[list[int]], None] | None = None) -> Iterator[Result]:
        """Run all tasks and return their `results`. After Ctrl-C no further task is started.

        `report` is called now and then with the numbers of the tasks that have ended since the last call.
        """
        try:
            while not self.done:
                ended = self.step()
                if report is not None:
                    report(ended)
        except BaseException:
            self.cancel()
            raise
        return self.results()

    def results(self) -> Iterator[Result]:
        """Return the results in the order of the tasks, which does not depend on when they ended, and forget each."""
        return (self._results.pop(number) for number in range(self._count))


def take_exceptions(ray: Any, references: list[Any], timeout: float) -> None:
    """Take the results of tasks that end within some seconds: Ray prints the exceptions of results that were not taken."""
    if not references:
        return
    try:
        ended, _ = ray.wait(references, num_returns=len(references), timeout=timeout)
    except Exception:  # The connection may be lost.
        return
    for reference in ended:
        try:
            ray.get(reference)
        except Exception:  # The task has failed as well.
            continue


def _cause(error: Any) -> str:
    """Return the type and the text of the exception that a task has raised, in one line."""
    cause = error.cause
    if not isinstance(cause, Exception):
        return _last_line(error)
    return f"{type(cause).__name__}: {' '.join(str(cause).split())}"


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
