"""A progress bar on the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType


class Bar:
    """Shows the progress on standard error, or hands it to a function."""

    def __init__(self, progress: Callable[[str, int, int], None] | bool | None) -> None:
        """Take a function, or whether to show a bar; `None` shows one if standard error is a terminal."""
        self._function = progress if callable(progress) else None
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_shown = progress is True or (progress is None and is_terminal)
        self._last, self._width = 0.0, 0

    def __enter__(self) -> Bar:
        """Show nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        if self._width:
            self._write("")

    def show(self, stage: str, done: int, total: int) -> None:
        """Show how much is done."""
        if self._function is not None:
            self._function(stage, done, total)
        now = time.monotonic()
        if not self._is_shown or (now < self._last + 0.1 and done < total):
            return
        self._last = now
        share = done / total if total else 1.0
        bar = "#" * int(30 * share)
        self._write(f"{stage} [{bar:<30}] {done}/{total}")

    def _write(self, text: str) -> None:
        padded = text + " " * max(0, self._width - len(text))
        self._width = len(text)
        try:
            sys.stderr.write(f"\r{padded}" if text else f"\r{padded}\r")
            sys.stderr.flush()
        except (OSError, ValueError):
            self._is_shown = False  # A closed terminal is not an error.
