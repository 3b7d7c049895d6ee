"""Queries of two shapes at many poses, on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import impinge
from impinge._errors import ArgumentError
from impinge._impinge import ContactLists, Mesh, Shape
from impinge.ray import _tasks
from impinge.ray._cluster import connect, cpu_count
from impinge.ray._window import MAX_RETRIES, TASKS_PER_CPU, Window

# Parts of a batch for each CPU, so that workers that are done early take from the others, and that little is left to do
# after Ctrl-C.
PARTS_PER_CPU = 32
LEAST_POSES = 256


def check(
    a: Shape | Mesh,
    b: Shape | Mesh,
    poses: ArrayLike,
    *,
    address: str | None = None,
    pose_a: ArrayLike | None = None,
    within: float | None = None,
    poses_per_task: int | None = None,
) -> NDArray[np.bool_]:
    """Tell at which poses of b any of its faces touches a, as `impinge.check` does, on a Ray cluster.

    The shapes go once to each node. `address` is that of `impinge.ray.clash`. Raises what `impinge.check` raises.
    """
    found = _run(_tasks.check_poses, a, b, poses, address, {"pose_a": pose_a, "within": within}, poses_per_task)
    return np.concatenate([np.zeros(0, bool), *found])


def contacts(
    a: Shape | Mesh,
    b: Shape | Mesh,
    poses: ArrayLike,
    *,
    address: str | None = None,
    pose_a: ArrayLike | None = None,
    within: float | None = None,
    poses_per_task: int | None = None,
) -> ContactLists:
    """Find the faces that touch at each of many poses of b, on a Ray cluster.

    The lists are those of `impinge.contacts` with many poses.
    """
    options = {"pose_a": pose_a, "within": within}
    found = _run(_tasks.contacts_at_poses, a, b, poses, address, options, poses_per_task)
    faces = np.concatenate([np.zeros((0, 2), np.uint32), *(lists.faces for lists in found)])
    counts = np.concatenate([np.zeros(1, np.uint64), *(lists.counts for lists in found)])
    offsets = np.cumsum(counts, dtype=np.uint64)
    faces.flags.writeable = offsets.flags.writeable = False
    return ContactLists(faces, offsets)


def _run(
    function: Callable[..., Any],
    a: Shape | Mesh,
    b: Shape | Mesh,
    poses: ArrayLike,
    address: str | None,
    options: dict[str, Any],
    poses_per_task: int | None,
) -> list[Any]:
    """Run a task for each part of the poses, and return their results in order."""
    if poses_per_task is not None and poses_per_task < 1:
        raise ArgumentError(f"poses_per_task is at least 1, not {poses_per_task}")
    shapes = _shape("a", a), _shape("b", b)
    # Without faces nothing is searched, so that this only checks the arguments, and fails as the query here would.
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.uint32))
    impinge.check(nothing, nothing, poses, **options)
    array = np.asarray(poses, np.float64)
    if options["pose_a"] is not None:
        options["pose_a"] = np.asarray(options["pose_a"], np.float64)
    ray = connect(address)
    cpus = cpu_count(ray)
    size = poses_per_task or max(LEAST_POSES, -(-len(array) // (PARTS_PER_CPU * cpus)))
    job, shared = _tasks.new_job(), ray.put(shapes)
    remote = ray.remote(function).options(max_retries=MAX_RETRIES)

    def submit(number: int) -> Any:
        return remote.remote(job, [shared], array[number * size : (number + 1) * size], options)

    return list(Window(ray, -(-len(array) // size), submit, TASKS_PER_CPU * cpus, "the batch task").run())


def _shape(name: str, given: Shape | Mesh) -> Shape:
    if isinstance(given, Shape):
        return given
    if isinstance(given, Mesh):
        return Shape(given)
    raise TypeError(f"{name} is a {type(given).__name__}, not an impinge.Shape or impinge.Mesh")
