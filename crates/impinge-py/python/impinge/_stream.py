"""Writes a stream of parts: how assemblies of other packages are handed to the library.

`tools/step/stream.hpp` describes the format. The readers of STEP and IFC files write the same stream, so that an
assembly is treated alike, whichever program has read it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from impinge._errors import ArgumentError

Floats = npt.NDArray[np.float64]

_NOWHERE = 0xFFFFFFFF
#: The number of names that are kept of entities that are left out.
_MAX_NAMES = 3


class PartStream:
    """Collects groups, meshes and parts, in this order of use."""

    def __init__(self) -> None:
        """Start a stream without parts."""
        self._records: list[bytes] = [b"IMPSTEP2"]
        self._groups: dict[object, int] = {}
        self._meshes = 0
        self._left_out: dict[str, list[str]] = {}
        #: The number of parts.
        self.parts = 0

    def group(self, path: Sequence[tuple[object, str]]) -> int:
        """Return the number of a sub-assembly, given as a path of keys and names, outermost first.

        Sub-assemblies with the same keys are the same.
        """
        group = _NOWHERE
        keys: tuple[object, ...] = ()
        for key, name in path:
            keys = (*keys, key)
            if keys not in self._groups:
                self._records.append(b"G" + struct.pack("<I", group) + _text(name))
                self._groups[keys] = len(self._groups)
            group = self._groups[keys]
        return group

    def mesh(
        self, vertices: npt.ArrayLike, faces: npt.ArrayLike, runs: Iterable[tuple[int, float]] | None = None
    ) -> int:
        """Add a mesh, and return its number. Each run of faces is within a distance of its surface: 0 for a plane."""
        points = np.ascontiguousarray(vertices, dtype="<f8").reshape(-1, 3)
        corners = np.asarray(faces)
        if corners.size and (corners.min() < 0 or corners.max() >= len(points)):
            raise ArgumentError(f"a face uses vertex {corners.max()}, but there are {len(points)} vertices")
        corners = np.ascontiguousarray(corners, dtype="<u4").reshape(-1, 3)
        listed = [(len(corners), 0.0)] if runs is None else list(runs)
        self._records += [
            b"M" + struct.pack("<II", len(points), len(corners)),
            points.tobytes(),
            corners.tobytes(),
            struct.pack("<I", len(listed)),
            *(struct.pack("<Id", count, distance) for count, distance in listed),
        ]
        self._meshes += 1
        return self._meshes - 1

    def broken(self, why: str) -> int:
        """Add a mesh that could not be made, and return its number."""
        self._records.append(b"B" + _text(why))
        self._meshes += 1
        return self._meshes - 1

    def part(
        self,
        name: str,
        mesh: int,
        steps: Sequence[npt.ArrayLike],
        group: int = _NOWHERE,
        identity: tuple[str, str] | None = None,
    ) -> None:
        """Add a part, placed by the product of matrices of shape (4, 4) or (3, 4)."""
        rows = [np.asarray(step, dtype="<f8")[:3, :4].tobytes() for step in steps]
        whole = np.eye(4, dtype="<f8")[:3].tobytes() if len(rows) != 1 else rows[0]
        self._records.append(b"P" + struct.pack("<II", group, mesh) + whole + _text(name))
        if len(rows) > 1:
            self._records.append(b"T" + struct.pack("<I", len(rows)) + b"".join(rows))
        if identity is not None:
            self._records.append(b"I" + _text(identity[0]) + _text(identity[1]))
        self.parts += 1

    def lost(self, name: str, why: str) -> None:
        """Note something that could not be read and is no part."""
        self._records.append(b"X" + _text(name) + _text(why))

    def leave_out(self, kind: str, name: str) -> None:
        """Note something that is no part by design."""
        self._left_out.setdefault(kind, []).append(name)

    def finish(self) -> bytes:
        """Return the stream."""
        for kind, names in sorted(self._left_out.items()):
            shown = names[:_MAX_NAMES]
            listed = b"".join(_text(name) for name in shown)
            self._records.append(b"L" + _text(kind) + struct.pack("<II", len(names), len(shown)) + listed)
        return b"".join([*self._records, b"E"])


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return struct.pack("<I", len(encoded)) + encoded
