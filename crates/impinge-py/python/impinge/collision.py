"""A collision manager with the interface of `trimesh.collision`, built on the exact queries of impinge.

Users of trimesh change one import:

    from impinge.collision import CollisionManager     # instead of trimesh.collision

Neither trimesh nor FCL is needed: a mesh is anything with `vertices` and `faces`, such as a `trimesh.Trimesh` or an
`impinge.Mesh`. What differs from trimesh, and who is right, is in `docs/python-trimesh.md`.

What collides:

- Two bodies collide if their surfaces share a point. The decision is exact, without a tolerance.
- A convex mesh is a solid, as in trimesh: it also collides with bodies wholly inside of it. Whether a mesh is convex is
  its own attribute `is_convex`, or is computed for meshes without one. Other meshes are surfaces.
- Transforms are used in double precision as they are. A transform may also scale, mirror or shear.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from impinge._collision_data import ContactData, DistanceData, Floats, Name
from impinge._collision_object import CollisionObject, MeshLike, geometry_of
from impinge._errors import MeshError, PoseError
from impinge._impinge import Bodies, Geometry, Mesh, Shape, geometry_contacts
from impinge._numbers import numbers

__all__ = [
    "CollisionManager",
    "CollisionObject",
    "ContactData",
    "DistanceData",
    "mesh_to_BVH",
    "mesh_to_convex",
    "scene_to_collision",
]

#: The name of the mesh that is given to a query, in its contacts.
EXTERNAL = "__external"
#: The distance that is returned if there is nothing to measure: the same number as in trimesh.
NO_DISTANCE = sys.float_info.max

#: The two nearest bodies by their numbers, the distance, the nearest points, and the faces on which they lie.
Nearest: TypeAlias = tuple[int, int, float, Floats, tuple[int, int]]


class CollisionManager:
    """Named bodies, and which of them collide or are nearest.

    >>> from impinge.collision import CollisionManager
    >>> class Tetrahedron:
    ...     vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    ...     faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> manager = CollisionManager()
    >>> manager.add_object("left", Tetrahedron)
    CollisionObject('left')
    >>> manager.add_object("right", Tetrahedron, [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    CollisionObject('right')
    >>> manager.in_collision_internal(return_names=True)
    (True, {('left', 'right')})
    """

    def __init__(self) -> None:
        """Make a manager without bodies."""
        self._objs: dict[Name, CollisionObject] = {}
        self._names: dict[int, Name] = {}
        self._bodies = Bodies()

    def add_object(self, name: Hashable, mesh: MeshLike, transform: npt.ArrayLike | None = None) -> CollisionObject:
        """Add a body. A body with the same name is replaced.

        Parameters
        ----------
        name : str
          The name of the body; any hashable object.
        mesh : Trimesh, or anything with vertices and faces
          The surface. It is copied: later changes of the mesh change nothing here.
        transform : (4, 4) float
          Places the mesh. It may scale, mirror and shear.
        """
        added = CollisionObject(name, geometry_of(mesh), _matrix(transform))
        if name in self._objs:
            self.remove_object(name)
        self._insert(added)
        self._objs[name] = added
        return added

    def remove_object(self, name: Hashable) -> None:
        """Remove a body."""
        removed = self._get(name)
        del self._objs[name], self._names[removed._body]
        self._bodies.remove(removed._body)

    def set_transform(self, name: Hashable, transform: npt.ArrayLike) -> None:
        """Replace the transform of a body.

        Parameters
        ----------
        name : str
          The name of the body.
        transform : (4, 4) float
          Places the mesh that was added. A rigid transform is fast; one with another scale prepares the mesh again.
        """
        moved = self._get(name)
        if moved._place(_matrix(transform)):
            del self._names[moved._body]
            self._bodies.remove(moved._body)
            self._insert(moved)
        else:
            self._bodies.set_pose(moved._body, moved._pose)

    @overload
    def in_collision_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_names: Literal[False] = False,
        return_data: Literal[False] = False,
    ) -> bool: ...

    @overload
    def in_collision_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any: ...

    def in_collision_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Return whether a mesh collides with any body.

        Parameters
        ----------
        mesh : Trimesh, or anything with vertices and faces
          The mesh. Meshes of trimesh and impinge are prepared once and remembered as long as they live unchanged.
        transform : (4, 4) float
          Places the mesh.
        return_names : bool
          Whether to return the names of all bodies that collide with the mesh, as a set.
        return_data : bool
          Whether to return all contacts, as a list of ContactData. The mesh has the name "__external" there.

        Returns
        -------
        is_collision : bool
        names : set of str
          If asked for.
        contacts : list of ContactData
          If asked for.
        """
        external = CollisionObject(EXTERNAL, geometry_of(mesh), _matrix(transform))
        is_all = return_names or return_data
        found = self._bodies.colliding_with(external._geometry, external._pose, not is_all)
        names = [self._names[body] for body in found]
        contacts = _contacts(((self._objs[name], external) for name in names), return_data)
        return _answer(bool(found), (return_names, set(names)), (return_data, contacts))

    @overload
    def in_collision_internal(
        self, return_names: Literal[False] = False, return_data: Literal[False] = False
    ) -> bool: ...

    @overload
    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any: ...

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Return whether any two bodies collide.

        Parameters
        ----------
        return_names : bool
          Whether to return the names of all pairs that collide, as a set of tuples. The names of a pair are in
          alphabetical order.
        return_data : bool
          Whether to return all contacts, as a list of ContactData.

        Returns
        -------
        is_collision : bool
        names : set of (str, str)
          If asked for.
        contacts : list of ContactData
          If asked for.
        """
        found = self._bodies.colliding(not (return_names or return_data))
        pairs = [_sorted(self._names[a], self._names[b]) for a, b in found]
        return self._collisions(pairs, self, return_names, return_data)

    @overload
    def in_collision_other(
        self, other_manager: CollisionManager, return_names: Literal[False] = False, return_data: Literal[False] = False
    ) -> bool: ...

    @overload
    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any: ...

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return whether any body of this manager collides with any body of another manager.

        Parameters
        ----------
        other_manager : CollisionManager
          The other manager, of this class.
        return_names : bool
          Whether to return the names of all pairs that collide, as a set of tuples: first the name in this manager,
          then the name in the other.
        return_data : bool
          Whether to return all contacts, as a list of ContactData.

        Returns
        -------
        is_collision : bool
        names : set of (str, str)
          If asked for.
        contacts : list of ContactData
          If asked for.
        """
        other = _manager(other_manager)
        found = self._bodies.colliding_between(other._bodies, not (return_names or return_data))
        pairs = [(self._names[a], other._names[b]) for a, b in found]
        return self._collisions(pairs, other, return_names, return_data)

    @overload
    def min_distance_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_name: Literal[False] = False,
        return_data: Literal[False] = False,
    ) -> float: ...

    @overload
    def min_distance_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_name: bool = False,
        return_data: bool = False,
    ) -> Any: ...

    def min_distance_single(
        self,
        mesh: MeshLike,
        transform: npt.ArrayLike | None = None,
        return_name: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Return the least distance between a mesh and any body.

        The distance is 0 if the mesh collides with a body. For two convex meshes it is negative then: how far one has
        to be moved, at least, so that they do not overlap.

        Parameters
        ----------
        mesh : Trimesh, or anything with vertices and faces
          The mesh.
        transform : (4, 4) float
          Places the mesh.
        return_name : bool
          Whether to return the name of the nearest body.
        return_data : bool
          Whether to return a DistanceData, in which the mesh has the name "__external".

        Returns
        -------
        distance : float
          The largest float if there are no bodies.
        name : str
          If asked for; None if there are no bodies.
        data : DistanceData
          If asked for.
        """
        external = CollisionObject(EXTERNAL, geometry_of(mesh), _matrix(transform))
        found = self._bodies.nearest_to(external._geometry, external._pose)
        name = None if found is None else self._names[found[0]]
        data = _distance((name, EXTERNAL), found)
        return _answer(data.distance, (return_name, name), (return_data, data))

    @overload
    def min_distance_internal(
        self,
        name: Hashable | None = None,
        return_names: Literal[False] = False,
        return_data: Literal[False] = False,
    ) -> float: ...

    @overload
    def min_distance_internal(
        self, name: Hashable | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any: ...

    def min_distance_internal(
        self, name: Hashable | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return the least distance between any two bodies, or between one body and any other.

        Parameters
        ----------
        name : str or None
          The name of a body, to measure from this one only.
        return_names : bool
          Whether to return the names of the nearest two bodies, in alphabetical order.
        return_data : bool
          Whether to return a DistanceData.

        Returns
        -------
        distance : float
          As `min_distance_single`.
        names : (str, str)
          If asked for; (None, None) if there are fewer than two bodies.
        data : DistanceData
          If asked for.
        """
        found = self._bodies.nearest(None if name is None else self._get(name)._body)
        names = self._nearest_names(found, self)
        data = _distance(names, found)
        return _answer(data.distance, (return_names, _sorted(*names)), (return_data, data))

    @overload
    def min_distance_other(
        self, other_manager: CollisionManager, return_names: Literal[False] = False, return_data: Literal[False] = False
    ) -> float: ...

    @overload
    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any: ...

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return the least distance between any body of this manager and any body of another one.

        Parameters
        ----------
        other_manager : CollisionManager
          The other manager, of this class.
        return_names : bool
          Whether to return the names of the nearest two bodies: first the name in this manager, then the name in the
          other.
        return_data : bool
          Whether to return a DistanceData.

        Returns
        -------
        distance : float
          As `min_distance_single`.
        names : (str, str)
          If asked for; (None, None) if a manager has no bodies.
        data : DistanceData
          If asked for.
        """
        other = _manager(other_manager)
        found = self._bodies.nearest_between(other._bodies)
        names = self._nearest_names(found, other)
        data = _distance(names, found)
        return _answer(data.distance, (return_names, names), (return_data, data))

    def _collisions(
        self, pairs: list[tuple[Name, Name]], other: CollisionManager, return_names: bool, return_data: bool
    ) -> Any:
        """Return the answer about pairs of bodies that collide: one of this manager, and one of another or the same."""
        bodies = ((self._objs[a], other._objs[b]) for a, b in pairs)
        return _answer(bool(pairs), (return_names, set(pairs)), (return_data, _contacts(bodies, return_data)))

    def _nearest_names(self, found: Nearest | None, other: CollisionManager) -> tuple[Name, Name]:
        """Return the names of the nearest bodies of this manager and of another or the same."""
        return (None, None) if found is None else (self._names[found[0]], other._names[found[1]])

    def _insert(self, added: CollisionObject) -> None:
        added._body = self._bodies.add(added._geometry, added._pose)
        self._names[added._body] = added.name

    def _get(self, name: Hashable) -> CollisionObject:
        try:
            return self._objs[name]
        except KeyError:
            raise ValueError(f"{name} not in collision manager!") from None

    def __getstate__(self) -> list[tuple[Name, Geometry, Floats]]:
        """Return the bodies, to be pickled."""
        return [(name, it._unstretched, it.transform) for name, it in self._objs.items()]

    def __setstate__(self, state: list[tuple[Name, Geometry, Floats]]) -> None:
        """Take the bodies of a pickled manager."""
        self.__init__()  # type: ignore[misc]
        for name, geometry, transform in state:
            self._objs[name] = CollisionObject(name, geometry, transform)
            self._insert(self._objs[name])

    def __repr__(self) -> str:
        """Return the number of bodies."""
        return f"CollisionManager({len(self._objs)} bodies)"


def mesh_to_BVH(mesh: MeshLike) -> Shape:
    """Return a mesh prepared for queries, which `CollisionManager.add_object` and all functions of impinge take.

    Whether the mesh is convex is no longer known of it: a manager takes it for a surface.
    """
    shape = geometry_of(mesh).shape
    return shape if isinstance(shape, Shape) else Shape(shape)


def mesh_to_convex(mesh: MeshLike) -> Mesh:
    """Return a convex mesh, which `CollisionManager.add_object` takes for a solid and all functions of impinge take.

    Raises `MeshError` if the mesh is not convex, or not closed. trimesh makes no such test; FCL then computes with the
    corners of the mesh as if they were those of a convex one. `trimesh.Trimesh.convex_hull` is convex.
    """
    geometry = geometry_of(mesh)
    if isinstance(geometry.shape, Shape) or not geometry.is_solid:
        raise MeshError("the mesh is not a closed convex surface")
    return geometry.shape


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Name, CollisionObject]]:
    """Return a manager with all nodes of a `trimesh.Scene` that have a geometry, and its bodies by name."""
    manager = CollisionManager()
    objects = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, objects


def _manager(other: CollisionManager) -> CollisionManager:
    if not isinstance(other, CollisionManager):
        raise TypeError(f"other_manager is a {type(other).__name__}, not an impinge.collision.CollisionManager")
    return other


def _sorted(a: Name, b: Name) -> tuple[Name, Name]:
    """Return two names in alphabetical order; names that cannot be compared keep their order."""
    try:
        return (b, a) if b < a else (a, b)
    except TypeError:
        return (a, b)


def _answer(first: Any, second: tuple[bool, Any], third: tuple[bool, Any]) -> Any:
    """Return the first value alone, or a tuple of it and of the values that were asked for."""
    rest = tuple(value for is_wanted, value in (second, third) if is_wanted)
    return (first, *rest) if rest else first


def _distance(names: tuple[Name, Name], found: Nearest | None) -> DistanceData:
    if found is None:
        return DistanceData(names, (-1, -1), np.full((2, 3), np.nan), NO_DISTANCE)
    _, _, distance, points, faces = found
    return DistanceData(names, faces, points, distance)


def _contacts(pairs: Iterable[tuple[CollisionObject, CollisionObject]], is_wanted: bool) -> list[ContactData]:
    return [contact for a, b in pairs for contact in _contacts_of(a, b)] if is_wanted else []


def _contacts_of(a: CollisionObject, b: CollisionObject) -> Iterator[ContactData]:
    names = (a.name, b.name)
    faces, points, normals, depths = geometry_contacts(a._geometry, a._pose, b._geometry, b._pose)
    for (face_a, face_b), point, normal, depth in zip(faces.tolist(), points, normals, depths.tolist(), strict=True):
        yield ContactData(names, (face_a, face_b), point, normal, depth)


def _matrix(transform: npt.ArrayLike | None) -> Floats:
    if transform is None:
        return np.eye(4)
    matrix = numbers("transform", transform)
    if matrix.shape != (4, 4):
        raise PoseError(f"transform must be (4,4), but has the shape {matrix.shape}")
    return matrix
