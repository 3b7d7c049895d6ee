"""impinge tells which faces of which bodies touch: exactly, in real time, for any triangle soup.

Meshes are NumPy arrays of vertices and faces, and poses are matrices of shape (4, 4) or (3, 4):

>>> import impinge
>>> import numpy as np
>>> cube = impinge.Mesh(
...     [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
...     [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
...      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]],
... )
>>> poses = np.tile(np.eye(4), (1000, 1, 1))
>>> poses[:, 0, 3] = np.linspace(0, 2, 1000)
>>> int(impinge.check(cube, cube, poses).sum())
500

- Two bodies: `intersects`, `contacts`, `distance`, `check` for many poses, `Pair` for many calls.
- One body: `nearest_point`, `cast_ray`, `contains_point`.
- Bodies that move: `first_impact`, `World`.
- Assemblies: `Assembly`, `clash`, `clash_path`.
- Tool paths: `nc`.
- Robots: `Robot`.
- Clusters: `impinge.ray`. The interface of trimesh: `impinge.collision`.

Examples in the documentation use the names `impinge`, `np` and `cube` from above.
"""

from impinge._clash import clash
from impinge._errors import (
    ArgumentError,
    ClusterError,
    Error,
    FileError,
    MeshError,
    MissingFileError,
    PoseError,
    WorldError,
)
from impinge._impinge import (
    Assembly,
    Clash,
    ClashReport,
    ContactLists,
    Distance,
    Gouge,
    Impact,
    Mesh,
    NcReport,
    Pair,
    Part,
    PathClash,
    PathReport,
    Shape,
    Step,
    World,
    __version__,
    cast_ray,
    check,
    contacts,
    contains_point,
    distance,
    first_impact,
    intersects,
    load,
    load_shape,
    methods,
    nearest_point,
)
from impinge._nc import nc
from impinge._path import clash_path
from impinge.robot import AllowedCollisions, Collision, Joint, MotionCheck, MotionContact, Robot
from impinge.sources import as_assembly

__all__ = [
    "AllowedCollisions",
    "ArgumentError",
    "Assembly",
    "Clash",
    "ClashReport",
    "ClusterError",
    "Collision",
    "ContactLists",
    "Distance",
    "Error",
    "FileError",
    "Gouge",
    "Impact",
    "Joint",
    "Mesh",
    "MeshError",
    "MissingFileError",
    "MotionCheck",
    "MotionContact",
    "NcReport",
    "Pair",
    "Part",
    "PathClash",
    "PathReport",
    "PoseError",
    "Robot",
    "Shape",
    "Step",
    "World",
    "WorldError",
    "__version__",
    "as_assembly",
    "cast_ray",
    "check",
    "clash",
    "clash_path",
    "contacts",
    "contains_point",
    "distance",
    "first_impact",
    "intersects",
    "load",
    "load_shape",
    "methods",
    "nc",
    "nearest_point",
]
