"""`python -m impinge` runs the command `impinge`."""

import sys

from impinge._command import main

if __name__ == "__main__":
    sys.exit(main())
