"""Meshes and poses for tests, made with NumPy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import impinge

CUBE_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


def cube(size: float = 1.0) -> impinge.Mesh:
    """A cube with one corner at the origin."""
    corners = [[x, y, z] for x in (0, size) for y in (0, size) for z in (0, size)]
    return impinge.Mesh(corners, CUBE_FACES)


def open_cube() -> impinge.Mesh:
    """A cube without two of its faces."""
    whole = cube()
    return impinge.Mesh(whole.vertices, whole.faces[2:])


def soup(faces: int, seed: int, size: float = 0.2) -> impinge.Mesh:
    """Triangles at random, of about this size, around places within one of the origin."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-1, 1, (faces, 1, 3))
    corners = centres + random.normal(scale=size, size=(faces, 3, 3))
    return impinge.Mesh(corners.reshape(-1, 3), np.arange(3 * faces).reshape(-1, 3))


def sphere(faces: int, radius: float) -> impinge.Mesh:
    """A sphere around the origin with about this number of faces."""
    side = int((faces / 2) ** 0.5)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, side, endpoint=False), np.linspace(0, np.pi, side), indexing="ij")
    points = radius * np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    at = lambda i, j: (i % side) * side + j  # noqa: E731
    quads = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(side) for j in range(side - 1)]
    return impinge.Mesh(points, [t for a, b, c, d in quads for t in ((a, d, b), (b, d, c))])


def rotation(random: np.random.Generator) -> NDArray[np.float64]:
    """A rotation matrix at random."""
    matrix, triangle = np.linalg.qr(random.normal(size=(3, 3)))
    matrix = matrix * np.sign(np.diag(triangle))
    if np.linalg.det(matrix) < 0:
        matrix[:, 0] *= -1
    return np.asarray(matrix, dtype=np.float64)


def poses(count: int, reach: float, seed: int) -> NDArray[np.float64]:
    """Poses at random, shifted by up to `reach` along each axis."""
    random = np.random.default_rng(seed)
    result = np.tile(np.eye(4), (count, 1, 1))
    for pose in result:
        pose[:3, :3] = rotation(random)
        pose[:3, 3] = random.uniform(-reach, reach, 3)
    return result


def shift(x: float, y: float = 0.0, z: float = 0.0) -> NDArray[np.float64]:
    """A pose that only translates."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose
