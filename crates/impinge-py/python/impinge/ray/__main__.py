"""`python -m impinge.ray` runs the command `impinge`; the program without Python starts it for the option `--ray`."""

import sys

from impinge._command import main

if __name__ == "__main__":
    sys.exit(main())
