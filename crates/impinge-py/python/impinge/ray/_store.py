"""Where the meshes of an assembly are: in bundles in the object store of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impinge._impinge import Assembly, Blobs, Fragment, Listing, Plan
from impinge.ray import _tasks
from impinge.ray._cluster import cpu_count
from impinge.ray._window import MAX_RETRIES, Window, take_exceptions

# Bundles of meshes that the caller has are at most as large as this, unless a single mesh is larger.
PUT_BYTES = 16 << 20
# A load task reads files of about this many bytes, unless a single file is larger.
LOAD_BYTES = 64 << 20
# The most bundles of a load task.
MAX_BUNDLES = 64

Report = Callable[[int, int], None]


@dataclass
class Store:
    """The bundle of each blob, and where it starts in the bundle."""

    places: dict[int, tuple[Any, int]]

    def of(self, blobs: Sequence[int]) -> tuple[list[Any], list[_tasks.Place]]:
        """Return the references of the bundles that hold these blobs, and the place of each blob in them."""
        bundles: dict[Any, int] = {}
        places = []
        for blob in blobs:
            bundle, start = self.places[blob]
            places.append((blob, bundles.setdefault(bundle, len(bundles)), start))
        return list(bundles), places


def put(ray: Any, plan: Plan, assembly: Assembly, bundle_bytes: int = PUT_BYTES) -> Store:
    """Put the meshes that a plan needs into the object store, once for all nodes.

    Meshes that the same cells need are in the same bundle, so that a node gets few that it does not need.
    """
    blobs = Blobs(assembly)
    sizes = blobs.sizes
    bundles: list[list[int]] = []
    size = 0
    for number in dict.fromkeys(number for cell in plan.blobs() for number in cell):
        if not bundles or size + sizes[number] > bundle_bytes:
            bundles.append([])
            size = 0
        bundles[-1].append(number)
        size += sizes[number]
    places: dict[int, tuple[Any, int]] = {}
    for numbers in bundles:
        bundle, starts = blobs.pack(numbers)
        reference = ray.put(bundle)
        places.update({number: (reference, start) for number, start in zip(numbers, starts, strict=True)})
    return Store(places)


def _load(
    ray: Any, function: Callable[..., Any], batches: list[tuple[list[Any], int]], report: Report | None
) -> tuple[list[bytes], list[list[tuple[Any, int]]]]:
    """Run load tasks, each with the number of its bundles. Returns the fragments, and where the blobs of each are.

    The bundles are results of tasks: if the node that holds one is lost, Ray repeats the task.
    """
    remote = ray.remote(function)
    bundles: dict[int, list[Any]] = {}
    try:
        folder: str | None = str(Path.cwd())
    except OSError:
        folder = None  # The working directory was removed.

    def submit(number: int) -> Any:
        batch, count = batches[number]
        task = remote.options(num_returns=1 + count, max_retries=MAX_RETRIES)
        loaded, *bundles[number] = task.remote(folder, batch, count)
        return loaded

    done = 0

    def ended(numbers: list[int]) -> None:
        nonlocal done
        done += len(numbers)
        if report is not None:
            report(done, len(batches))

    window: Window[_tasks.Loaded] = Window(ray, len(batches), submit, 2 * cpu_count(ray), "load task")
    fragments: list[bytes] = []
    places: list[list[tuple[Any, int]]] = []
    try:
        results = window.run(ended)
    except BaseException:
        # A task that has failed has an exception for each of its bundles. Those of other tasks are not waited for.
        take_exceptions(ray, [bundle for own in bundles.values() for bundle in own], timeout=0)
        raise
    for number, (states, found) in enumerate(results):
        fragments.extend(states)
        own = bundles[number]
        places.extend([(own[bundle], start) for bundle, start in blobs] for blobs in found)
    return fragments, places


def _store(blobs: list[list[int]], places: list[list[tuple[Any, int]]]) -> Store:
    return Store({number: places[fragment][blob] for number, (fragment, blob) in enumerate(blobs)})


def load_files(
    ray: Any, listing: Listing, report: Report | None, load_bytes: int = LOAD_BYTES
) -> tuple[Assembly, Store] | None:
    """Read the files of a listing on the cluster, and return the assembly without meshes.

    Returns nothing if the files have to be read here.
    """
    paths = listing.paths
    if paths is None:
        return None
    batches: list[list[tuple[bytes, bytes]]] = []
    sizes: list[int] = []
    for number, path in enumerate(paths):
        try:
            own = Path(path).stat().st_size
        except OSError:
            own = 0  # The task tells what is wrong.
        if not batches or sizes[-1] + own > load_bytes:
            batches.append([])
            sizes.append(0)
        batches[-1].append(listing.file(number))
        sizes[-1] += own
    counts = [min(max(size // _tasks.BUNDLE_BYTES, 1), MAX_BUNDLES) for size in sizes]
    fragments, places = _load(ray, _tasks.load_files, list(zip(batches, counts, strict=True)), report)
    assembly, blobs = listing.join(fragments)
    return assembly, _store(blobs, places)


def load_pieces(ray: Any, pieces: Sequence[Callable[[], Assembly]], report: Report | None) -> tuple[Assembly, Store]:
    """Make the pieces of an assembly on the cluster, and return the assembly without meshes."""
    fragments, places = _load(ray, _tasks.load_pieces, [([piece], MAX_BUNDLES) for piece in pieces], report)
    assembly, blobs = Fragment.join(fragments)
    return assembly, _store(blobs, places)
