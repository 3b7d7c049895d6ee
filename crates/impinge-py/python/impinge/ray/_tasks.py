"""The functions that Ray runs in its worker processes."""

from __future__ import annotations

import contextlib
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impinge import _impinge
from impinge._errors import ClusterError
from impinge._impinge import Assembly, ContactLists, Fragment, Shape, __version__

Bytes = NDArray[np.uint8]
Poses = NDArray[np.float64]
Place = tuple[int, int, int]
# The fragments of a load task without meshes, and for each fragment the bundle and the start of each blob.
Loaded = tuple[list[bytes], list[list[tuple[int, int]]]]

# Bundles have about this size, or more if there would be too many of them: a cell that needs some of the meshes of a
# large file should not get all of them.
BUNDLE_BYTES = 256 << 10
# A bundle is at least as large as this. Ray keeps results of up to 100 KiB in the memory of the caller, which would then
# have all meshes of an assembly of many small pieces. Larger results stay in the object stores.
LEAST_BUNDLE_BYTES = 128 << 10


def new_job() -> str:
    """Return a name for the tasks of one call, with the version that has to do them."""
    return f"{uuid.uuid4().hex} {__version__}"


def _check_version(job: str) -> None:
    """Refuse a task of another version, which may have other results."""
    version = job.partition(" ")[2]
    if version != __version__:
        raise ClusterError(f"the caller has version {version} of the package impinge, but a node has {__version__}")


@contextlib.contextmanager
def _within(folder: str | None) -> Iterator[None]:
    """Give relative paths the meaning that they have for the caller. Without the folder, only absolute paths work."""
    if folder is None or not Path(folder).is_dir():
        yield
        return
    with contextlib.chdir(folder):
        yield


def _packed(fragments: list[Fragment], count: int) -> tuple[Loaded | Bytes, ...]:
    """Pack the meshes of fragments into bundles of about the same size: so many, of which some may be empty.

    The meshes are in the order of the files, in which neighbours are often near each other in space, too.
    """
    all_blobs = [fragment.blobs for fragment in fragments]
    total = sum(sum(blobs.sizes) for blobs in all_blobs)
    used = min(max(total // BUNDLE_BYTES, 1), count)
    places: list[list[tuple[int, int]]] = []
    pieces: list[list[Bytes]] = [[] for _ in range(count)]
    lengths = [0] * count
    before = 0
    for blobs in all_blobs:
        chosen: dict[int, list[int]] = {}
        for number, size in enumerate(blobs.sizes):
            chosen.setdefault(before * used // max(total, 1), []).append(number)
            before += size
        own: dict[int, tuple[int, int]] = {}
        for bundle, numbers in chosen.items():
            piece, starts = blobs.pack(numbers)
            own |= {number: (bundle, lengths[bundle] + start) for number, start in zip(numbers, starts, strict=True)}
            lengths[bundle] += len(piece)
            pieces[bundle].append(piece)
        places.append([own[number] for number in range(len(own))])
    bundles = [_bundle(some) for some in pieces]
    return ([fragment.state for fragment in fragments], places), *bundles


def _bundle(pieces: list[Bytes]) -> Bytes:
    """Join pieces, and append zeros if they are few bytes."""
    length = sum(len(piece) for piece in pieces)
    if len(pieces) == 1 and length >= LEAST_BUNDLE_BYTES:
        return pieces[0]
    missing = max(0, LEAST_BUNDLE_BYTES - length) if length else 0
    return np.concatenate([*pieces, np.zeros(missing, np.uint8)])


def load_files(folder: str | None, files: list[tuple[bytes, bytes]], count: int) -> tuple[Loaded | Bytes, ...]:
    """Read some files of a listing into at most so many bundles. `folder` is the working directory of the caller."""
    with _within(folder):
        return _packed([Fragment.read(file, options) for file, options in files], count)


def load_pieces(folder: str | None, pieces: list[Callable[[], Assembly]], count: int) -> tuple[Loaded | Bytes, ...]:
    """Make some pieces of an assembly, in at most so many bundles. `folder` is the working directory of the caller."""
    with _within(folder):
        return _packed([Fragment(piece()) for piece in pieces], count)


def check_cell(job: str, task: bytes, places: list[Place], budget: int, *bundles: Bytes) -> bytes:
    """Check the pairs of a cell."""
    _check_version(job)
    return _impinge.check_task(job, task, list(bundles), places, budget)


_shapes: OrderedDict[str, tuple[Shape, Shape]] = OrderedDict()


def _prepared(job: str, shapes: list[Any]) -> tuple[Shape, Shape]:
    """Return the shapes of a job, which are kept for its next tasks. The list holds their reference."""
    _check_version(job)
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
