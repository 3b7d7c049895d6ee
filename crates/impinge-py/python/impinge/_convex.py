"""Whether a mesh is convex."""

import numpy as np
import numpy.typing as npt

#: How far a corner may rise above the plane of the face beside it, in sizes of the mesh: as in trimesh.
PLANAR = 1e-5


def is_convex(vertices: npt.NDArray[np.float64], faces: npt.NDArray[np.integer]) -> bool:
    """Return whether faces enclose one solid without dents, as `trimesh.Trimesh.is_convex` decides it.

    Faces beside each other must share vertices. Dents of 1e-5 of the size of the mesh are not seen.
    """
    if len(faces) < 4:
        return False
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    opposite = faces[:, [2, 0, 1]].reshape(-1).astype(np.int64)
    face = np.repeat(np.arange(len(faces)), 3)
    # The two sides of an edge become neighbours in the order of its vertices.
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low))
    low, high, first = low[order], high[order], edges[order, 0]
    if len(order) % 2 or (low[::2] != low[1::2]).any() or (high[::2] != high[1::2]).any():
        return False
    is_again = (low[2::2] == low[1:-1:2]) & (high[2::2] == high[1:-1:2])
    # Each edge has two faces, which run along it in opposite directions.
    if is_again.any() or (first[::2] == first[1::2]).any():
        return False
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    has_area = length > 0
    normals[has_area] /= length[has_area, None]
    this, other = face[order[::2]], face[order[1::2]]
    height = np.einsum("ij,ij->i", vertices[opposite[order[1::2]]] - a[this], normals[this])
    both = has_area[this] & has_area[other]
    size = float(np.linalg.norm(np.ptp(vertices[np.unique(faces)], axis=0)))
    if not both.any() or bool(height[both].max() >= PLANAR * size):
        return False
    return _is_connected(faces, len(vertices))


def _is_connected(faces: npt.NDArray[np.integer], count: int) -> bool:
    """Return whether all faces hang together by their vertices."""
    lowest = np.arange(count)
    while True:
        # Each face spreads the lowest number at its vertices; numbers then skip along themselves.
        before = lowest.copy()
        least = lowest[faces].min(axis=1)
        for corner in range(3):
            np.minimum.at(lowest, faces[:, corner], least)
        lowest = lowest[lowest]
        if (lowest == before).all():
            return len(np.unique(lowest[faces])) == 1
