"""The command `impinge`, which comes with the package."""

import sys

from impinge._impinge import run_command


def main() -> int:
    """Run the command with the arguments of this process, and return its exit code."""
    return run_command(["impinge", *sys.argv[1:]])
