"""The functions that Ray runs in its worker processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impinge import _impinge
from impinge._impinge import Assembly, ContactLists, Fragment, Shape

Bytes = NDArray[np.uint8]
Poses = NDArray[np.float64]
Place = tuple[int, int, int]
# The fragments of a load task without meshes, and for each fragment the bundle and the start of each blob.
Loaded = tuple[list[bytes], list[list[tuple[int, int]]]]


def _packed(fragments: list[Fragment], count: int) -> tuple[Loaded | Bytes, ...]:
    """Pack the meshes of fragments into so many bundles of about the same size.

    The meshes are in the order of the files, in which neighbours are often near each other in space, too.
    """
    all_blobs = [fragment.blobs for fragment in fragments]
    total = sum(sum(blobs.sizes) for blobs in all_blobs)
    places: list[list[tuple[int, int]]] = []
    pieces: list[list[Bytes]] = [[] for _ in range(count)]
    lengths = [0] * count
    before = 0
    for blobs in all_blobs:
        chosen: dict[int, list[int]] = {}
        for number, size in enumerate(blobs.sizes):
            chosen.setdefault(before * count // max(total, 1), []).append(number)
            before += size
        own: dict[int, tuple[int, int]] = {}
        for bundle, numbers in chosen.items():
            piece, starts = blobs.pack(numbers)
            own |= {number: (bundle, lengths[bundle] + start) for number, start in zip(numbers, starts, strict=True)}
            lengths[bundle] += len(piece)
            pieces[bundle].append(piece)
        places.append([own[number] for number in range(len(own))])
    bundles = [some[0] if len(some) == 1 else np.concatenate([*some, np.zeros(0, np.uint8)]) for some in pieces]
    return ([fragment.state for fragment in fragments], places), *bundles


def load_files(files: list[tuple[bytes, bytes]], count: int) -> tuple[Loaded | Bytes, ...]:
    """Read some files of a listing into so many bundles."""
    return _packed([Fragment.read(file, options) for file, options in files], count)


def load_pieces(pieces: list[Callable[[], Assembly]], count: int) -> tuple[Loaded | Bytes, ...]:
    """Make some pieces of an assembly, in so many bundles."""
    return _packed([Fragment(piece()) for piece in pieces], count)


def check_cell(job: str, task: bytes, places: list[Place], budget: int, *bundles: Bytes) -> bytes:
    """Check the pairs of a cell."""
    return _impinge.check_task(job, task, list(bundles), places, budget)


_shapes: OrderedDict[str, tuple[Shape, Shape]] = OrderedDict()


def _prepared(job: str, shapes: list[Any]) -> tuple[Shape, Shape]:
    """Return the shapes of a job, which are kept for its next tasks. The list holds their reference."""
    known = _shapes.get(job)
    if known is None:
        import ray

        known = _shapes[job] = ray.get(shapes[0])
        while len(_shapes) > 2:
            _shapes.popitem(last=False)
    return known


def check_poses(job: str, shapes: list[Any], poses: Poses, options: dict[str, Any]) -> NDArray[np.bool_]:
    """Tell at which poses any face touches."""
    found: NDArray[np.bool_] = _impinge.check(*_prepared(job, shapes), poses, threads=1, **options)
    return found


def contacts_at_poses(job: str, shapes: list[Any], poses: Poses, options: dict[str, Any]) -> ContactLists:
    """Find the faces that touch at each pose."""
    found: ContactLists = _impinge.contacts(*_prepared(job, shapes), poses, threads=1, **options)
    return found
