"""Ctrl-C during a call, tried in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import impinge
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {folder!r})
{preparation}
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    {call}
    print("ended before the signal, after", time.monotonic() - start, "s")
    time.sleep(60)
except KeyboardInterrupt:
    taken = time.monotonic() - start
    print("interrupted" if taken < 15 else f"interrupted after {{taken}} s only")
"""


def assert_ctrl_c_ends(call: str, preparation: str) -> None:
    """Assert that Ctrl-C, sent after a second, ends a call within a few seconds. The call must take minutes."""
    folder = str(Path(__file__).parent)
    program = PROGRAM.format(folder=folder, preparation=preparation, call=call)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert run.stdout == "interrupted\n", run.stdout + run.stderr
