"""Batches of poses on a local Ray cluster give what one machine gives, errors included."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import impinge
from conftest import needs
from meshes import cube, shift, sphere

ray = needs("ray")

import impinge.ray  # noqa: E402
from impinge.ray import _batch, _tasks  # noqa: E402


def poses_of(count: int, seed: int = 5) -> NDArray[np.float64]:
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, 3] = np.random.default_rng(seed).uniform(-2.5, 2.5, (count, 3))
    return poses


def is_same(a: Any, b: Any, poses: Any, **options: Any) -> None:
    """Ask both questions here and on the cluster, and compare values, types and whether they can be written to."""
    here, there = impinge.check(a, b, poses, **options), impinge.ray.check(a, b, poses, **options)
    assert there.dtype == here.dtype == bool and np.array_equal(there, here), f"{options}"
    lists, found = impinge.contacts(a, b, poses, **options), impinge.ray.contacts(a, b, poses, **options)
    for own, other in ((lists.faces, found.faces), (lists.offsets, found.offsets)):
        assert np.array_equal(own, other) and own.dtype == other.dtype, f"{options}"
        assert own.flags.writeable == other.flags.writeable is False, f"{options}"


def test_batches_are_those_of_one_machine(cluster: Any) -> None:
    poses = poses_of(1000)
    a, b = sphere(500, 1.0), cube()
    for options in ({}, {"within": 0.1, "pose_a": shift(0.2)}, {"within": 0.1, "pose_a": shift(0.2).tolist()}):
        assert 50 < impinge.check(a, b, poses, **options).sum() < 950
        is_same(a, b, poses, **options)
        for size in (1, 97, 1000, 10**6):
            part = poses[:50] if size == 1 else poses
            found = impinge.ray.check(a, b, part, poses_per_task=size, **options)
            assert np.array_equal(found, impinge.check(a, b, part, **options)), f"{size} poses in a task"
    is_same(impinge.Shape(a), impinge.Shape(b), poses[::-3, :3])
    is_same(a, b, poses.astype(np.float32))
    is_same(impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), b, poses)
    for shape in ((0, 4, 4), (0, 3, 4)):
        is_same(a, b, np.zeros(shape))


def test_errors_are_those_of_one_machine(cluster: Any) -> None:
    a, b, poses = cube(), cube(), poses_of(1000)
    bad, nan = poses.copy(), poses.copy()
    bad[700, 0, 0] = bad[900, 0, 0] = 7.0
    nan[999, 0, 3] = np.nan
    cases: list[tuple[Any, Any, Any, dict[str, Any]]] = [
        (a, b, bad, {}),
        (a, b, nan, {}),
        (a, b, np.eye(4), {}),
        (a, b, np.zeros((0, 3, 3)), {}),
        (a, b, poses.astype(complex), {}),
        (a, b, np.full((2, 4, 4), "x"), {}),
        (a, b, poses, {"within": -1.0}),
        (a, b, np.zeros((0, 4, 4)), {"within": np.nan}),
        (a, b, poses, {"pose_a": np.eye(3)}),
        (a, b, np.zeros((0, 4, 4)), {"pose_a": 2 * np.eye(4)}),
        (5, b, poses, {}),
        (a, None, poses, {}),
    ]
    for number, (first, second, given, options) in enumerate(cases):
        errors = []
        for check in (impinge.check, impinge.ray.check):
            with pytest.raises((impinge.Error, TypeError)) as caught:
                check(first, second, given, **options)
            errors.append((caught.type, str(caught.value)))
        assert errors[0] == errors[1], f"case {number}"
    with pytest.raises(impinge.PoseError, match=r"poses\[700\]"):
        impinge.ray.contacts(a, b, bad)
    for wrong in (0, -5):
        with pytest.raises(impinge.ArgumentError, match="poses_per_task"):
            impinge.ray.check(a, b, poses, poses_per_task=wrong)


def test_the_shapes_are_put_into_the_object_store_once(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put, objects = ray.put, []

    def counted(value: Any) -> Any:
        objects.append(value)
        return put(value)

    monkeypatch.setattr(ray, "put", counted)
    impinge.ray.check(sphere(500, 1.0), cube(), poses_of(1000), poses_per_task=10)
    assert len(objects) == 1


class Dies:
    """Kills the worker at the first attempt."""

    def __init__(self, folder: Path) -> None:
        """Remember attempts in a folder."""
        self.folder = str(folder)

    def __call__(self, job: str, shapes: Any, poses: Any, options: dict[str, Any]) -> Any:
        """Check some poses."""
        import hashlib
        from pathlib import Path

        mark = Path(self.folder, hashlib.sha256(poses.tobytes()).hexdigest())
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return _tasks.check_poses(job, shapes, poses, options)
        os._exit(1)


def test_workers_are_lost(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    dies = Dies(tmp_path)
    monkeypatch.setattr(_batch._tasks, "check_poses", lambda *arguments: dies(*arguments))
    a, b, poses = sphere(500, 1.0), cube(), poses_of(400)
    found = impinge.ray.check(a, b, poses, poses_per_task=100)
    monkeypatch.undo()
    assert np.array_equal(found, impinge.check(a, b, poses))
    assert len(list(tmp_path.iterdir())) == 4, "each task was lost once"
