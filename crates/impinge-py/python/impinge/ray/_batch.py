"""Queries of two shapes at many poses, on a cluster."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge._errors import PoseError
from impinge._impinge import ContactLists, Mesh, Shape
from impinge.ray import _tasks
from impinge.ray._cluster import connect, cpu_count
from impinge.ray._window import MAX_RETRIES, Window

# Tasks for each CPU, so that workers that are done early take from the others.
TASKS_PER_CPU = 8
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

    The shapes go once to each node. `address` is that of `impinge.ray.clash`.
    """
    found = _run(_tasks.check_poses, a, b, poses, address, {"pose_a": pose_a, "within": within}, poses_per_task)
    return np.concatenate(found) if found else np.zeros(0, bool)


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
    faces = [np.zeros((0, 2), np.uint32), *(lists.faces for lists in found)]
    offsets = [np.zeros(1, np.uint64)]
    for lists in found:
        offsets.append(lists.offsets[1:] + offsets[-1][-1])
    return ContactLists(np.concatenate(faces), np.concatenate(offsets))


def _run(
    function: Callable[..., Any],
    a: Shape | Mesh,
    b: Shape | Mesh,
    poses: ArrayLike,
    address: str | None,
    options: dict[str, Any],
    poses_per_task: int | None,
) -> list[Any]:
    array = np.asarray(poses, np.float64)
    if array.shape != (0,) and (array.ndim != 3 or array.shape[1:] not in ((4, 4), (3, 4))):
        raise PoseError(f"poses has the shape {array.shape}, not (n, 4, 4) or (n, 3, 4)")
    shapes = tuple(shape if isinstance(shape, Shape) else Shape(shape) for shape in (a, b))
    if options["pose_a"] is not None:
        options["pose_a"] = np.asarray(options["pose_a"], np.float64)
    ray = connect(address)
    cpus = cpu_count(ray)
    size = poses_per_task or max(LEAST_POSES, -(-len(array) // (TASKS_PER_CPU * cpus)))
    count = -(-len(array) // size)
    job, shared = uuid.uuid4().hex, ray.put(shapes)
    remote = ray.remote(function).options(max_retries=MAX_RETRIES)

    def submit(number: int) -> Any:
        return remote.remote(job, [shared], array[number * size : (number + 1) * size], options)

    return Window(ray, count, submit, 3 * cpus, "the batch task").run()
