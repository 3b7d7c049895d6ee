"""Code that type checkers have to refuse: each line with `wrong` has exactly one error. It is never run."""

from __future__ import annotations

import numpy as np

import impinge


def wrong(mesh: impinge.Mesh) -> None:
    impinge.Shape(mesh, "fastest")  # wrong: there is no such method
    impinge.intersects(mesh, [[0, 0, 0]])  # wrong: points are not a mesh
    impinge.check(mesh, mesh)  # wrong: the poses are missing
    impinge.contacts(mesh, mesh, np.eye(4), np.eye(4))  # wrong: pose_a is given by name
    impinge.clash("a.glb", sort="size")  # wrong: there is no such order
    mesh.vertices = mesh.vertices  # wrong: meshes are immutable
