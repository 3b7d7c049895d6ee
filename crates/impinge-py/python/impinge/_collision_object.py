"""The bodies of the collision manager: meshes, prepared once, and transforms that may scale."""

from __future__ import annotations

import sys
import weakref
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from impinge._convex import is_convex
from impinge._errors import MeshError
from impinge._impinge import Geometry, Mesh, Shape, split_transform

Floats: TypeAlias = npt.NDArray[np.float64]
Name: TypeAlias = Any


@runtime_checkable
class MeshLike(Protocol):
    """Anything with vertices and triangular faces."""

    @property
    def vertices(self) -> Any:
        """The vertices: an array of shape (n, 3)."""

    @property
    def faces(self) -> Any:
        """The vertices of each face: an array of integers of shape (m, 3)."""


class CollisionObject:
    """A body of a manager, as `CollisionManager.add_object` returns it."""

    __slots__ = ("_body", "_geometry", "_pose", "_stretch", "_unstretched", "name")

    def __init__(self, name: Name, mesh: Geometry, transform: Floats) -> None:
        """Make a body that is in no manager yet."""
        #: The name of the body.
        self.name = name
        self._body = -1
        self._unstretched = mesh
        self._stretch: Floats | None = None
        self._geometry = mesh
        self._place(transform)

    def _place(self, transform: Floats) -> bool:
        """Set the transform. Return whether the mesh had to be stretched again."""
        self._pose, stretch = split_transform(transform)
        if _are_alike(stretch, self._stretch):
            return False
        self._geometry = self._unstretched if stretch is None else _stretched(self._unstretched, stretch)
        self._stretch = stretch
        return True

    @property
    def shape(self) -> Shape | Mesh:
        """The shape that the manager asks about, with the scale of the transform applied to it."""
        return self._geometry.shape

    @property
    def transform(self) -> Floats:
        """The transform of the body: a matrix of shape (4, 4)."""
        transform = self._pose.copy()
        if self._stretch is not None:
            transform[:3, :3] = transform[:3, :3] @ self._stretch
        return transform

    def getTranslation(self) -> Floats:
        """Return the last column of the transform, as the objects of FCL do."""
        return self.transform[:3, 3]

    def getRotation(self) -> Floats:
        """Return the rotation of the transform, as the objects of FCL do."""
        return self._pose[:3, :3].copy()

    def __repr__(self) -> str:
        """Return the name."""
        return f"CollisionObject({self.name!r})"


def _are_alike(a: Floats | None, b: Floats | None) -> bool:
    """Return whether two stretches are equal up to rounding."""
    if a is None or b is None:
        return a is b
    return bool(np.abs(a - b).max() <= 1e-13 * np.abs(b).max())


def _stretched(geometry: Geometry, stretch: Floats) -> Geometry:
    """Return a copy with all vertices moved. A mirrored copy has its faces reversed, so that they look outward."""
    shape = geometry.shape
    mesh = shape.mesh if isinstance(shape, Shape) else shape
    x, y, z = (mesh.vertices[:, axis, None] * stretch[None, :, axis] for axis in range(3))
    determinant = np.linalg.det(stretch)
    faces = mesh.faces[:, ::-1] if determinant < 0 else mesh.faces
    return Geometry(Mesh(x + y + z, faces), geometry.is_solid and bool(determinant != 0))


#: Geometries of meshes of trimesh that live, by the id of the mesh. The hash tells whether the mesh was changed.
_prepared: dict[int, tuple[weakref.ref[Any], int, Geometry]] = {}


def geometry_of(mesh: MeshLike) -> Geometry:
    """Prepare a mesh, or return what was prepared of it before."""
    if isinstance(mesh, Mesh | Shape):
        # They keep it themselves: kept here, it would keep them alive.
        return Geometry.known(mesh) or _prepare(mesh)
    version = _version(mesh)
    if version is None:
        return _prepare(mesh)
    key = id(mesh)
    found = _prepared.get(key)
    if found is not None and found[0]() is mesh and found[1] == version:
        return found[2]
    geometry = _prepare(mesh)
    _prepared[key] = (weakref.ref(mesh, lambda gone: _forget(key, gone)), version, geometry)
    return geometry


def _forget(key: int, gone: weakref.ref[Any]) -> None:
    # At the end of the process, modules are emptied before the last meshes are gone.
    found = _prepared.get(key) if _prepared is not None else None
    if found is not None and found[0] is gone:
        _prepared.pop(key, None)


def _version(mesh: MeshLike) -> int | None:
    """Return a number that changes with the contents of a mesh; None if there is no quick one."""
    trimesh = sys.modules.get("trimesh")
    return hash(mesh) if trimesh is not None and isinstance(mesh, trimesh.Trimesh) else None


def _prepare(mesh: MeshLike) -> Geometry:
    if isinstance(mesh, Shape):
        return Geometry(mesh, False)
    if isinstance(mesh, Mesh):
        own = mesh
    else:
        if not isinstance(mesh, MeshLike):
            raise MeshError(f"mesh is a {type(mesh).__name__}, which has no vertices and faces")
        own = Mesh(mesh.vertices, mesh.faces)
    is_solid = getattr(mesh, "is_convex", None)
    if is_solid is None:
        is_solid = is_convex(own.vertices, own.faces)
    return Geometry(own, bool(is_solid) and own.is_closed)
