"""Real scenes as lists of named, placed meshes, for tests beside trimesh."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

import impinge
from conftest import needs

Body = tuple[str, Any, np.ndarray]


def rotation(random: np.random.Generator) -> np.ndarray:
    """Return a random rotation as a matrix of shape (4, 4)."""
    w, x, y, z = (part := random.normal(size=4)) / np.linalg.norm(part)
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return matrix


def moved(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """Return a translation."""
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def euler(angles: Any) -> np.ndarray:
    """Return a rotation by angles about the fixed axes x, y and z, in this order."""
    matrix = np.eye(4)
    for axis, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(4)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        matrix = turn @ matrix
    return matrix


def load_mesh(path: Path) -> Any:
    """Return the mesh of a file, with equal vertices merged."""
    mesh = impinge.load(path)
    return needs("trimesh").Trimesh(mesh.vertices, mesh.faces)


def file_scene(path: Path) -> list[Body]:
    """Return the nodes of a scene file. Only rigid nodes: trimesh ignores scales."""
    scene = needs("trimesh").load_scene(path)
    bodies = []
    for node in scene.graph.nodes_geometry:
        matrix, geometry = scene.graph[node]
        if np.abs(matrix[:3, :3].T @ matrix[:3, :3] - np.eye(3)).max() < 1e-7:
            bodies.append((node, scene.geometry[geometry], matrix))
    return bodies


def mechanism(path: Path) -> list[Body]:
    """Return the bodies of a mechanism at rest."""
    bodies = []
    for number, body in enumerate(json.loads(path.read_text())["rigid_body_problem"]["rigid_bodies"]):
        mesh = load_mesh(path.parent / Path(body["mesh"]).name)
        mesh.apply_scale(body.get("scale", 1.0))
        matrix = euler(np.radians(body.get("rotation", [0, 0, 0])))
        matrix[:3, 3] = body.get("position", [0, 0, 0])
        bodies.append((f"{number} {Path(body['mesh']).stem}", mesh, matrix))
    return bodies


class Robot:
    """A robot of a URDF file: its collision meshes at any joint values."""

    def __init__(self, path: Path) -> None:
        root = ElementTree.parse(path).getroot()
        self.joints = list(root.iter("joint"))
        self.meshes = []
        for link in root.iter("link"):
            for number, collision in enumerate(link.iter("collision")):
                mesh = collision.find("geometry/mesh")
                if mesh is not None:
                    name = mesh.get("filename", "").removeprefix("package://")
                    found = load_mesh(path.parent / name)
                    self.meshes.append((f"{link.get('name')} {number}", link.get("name"), found, origin(collision)))

    def bodies(self, values: dict[str, float]) -> list[Body]:
        """Return the bodies with these values of the joints; others are 0."""
        places = {}
        children = {joint.find("child").get("link"): joint for joint in self.joints if joint.find("child") is not None}

        def place(link: str) -> np.ndarray:
            if link not in places:
                joint = children.get(link)
                if joint is None:
                    places[link] = np.eye(4)
                else:
                    own = joint_transform(joint, values.get(joint.get("name"), 0.0))
                    places[link] = place(joint.find("parent").get("link")) @ origin(joint) @ own
            return places[link]

        return [(name, mesh, place(link) @ own) for name, link, mesh, own in self.meshes]


def origin(element: ElementTree.Element) -> np.ndarray:
    found = element.find("origin")
    numbers = {} if found is None else found.attrib
    matrix = euler([float(angle) for angle in numbers.get("rpy", "0 0 0").split()])
    matrix[:3, 3] = [float(value) for value in numbers.get("xyz", "0 0 0").split()]
    return matrix


def joint_transform(joint: ElementTree.Element, value: float) -> np.ndarray:
    found = joint.find("axis")
    axis = np.array([float(part) for part in (found.get("xyz") if found is not None else "1 0 0").split()])
    if joint.get("type") == "prismatic":
        return moved(*(axis * value))
    if joint.get("type") not in ("revolute", "continuous"):
        return np.eye(4)
    x, y, z = axis / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] += np.sin(value) * skew + (1 - np.cos(value)) * skew @ skew
    return matrix


def panda(path: Path, seeds: range) -> list[tuple[str, list[Body]]]:
    """Return the Panda robot at random joint values within its limits."""
    robot = Robot(path)
    found = []
    for seed in seeds:
        random = np.random.default_rng(seed)
        values = {}
        for joint in robot.joints:
            limit = joint.find("limit")
            if limit is not None and joint.get("type") in ("revolute", "prismatic"):
                values[joint.get("name")] = random.uniform(float(limit.get("lower")), float(limit.get("upper")))
        found.append((f"panda, seed {seed}", robot.bodies(values)))
    return found


def tumbling(a: Path, b: Path, seeds: range) -> list[tuple[str, list[Body]]]:
    """Return two meshes, the second of which is turned and shifted at random by about its size."""
    first, second = (load_mesh(path) for path in (a, b))
    reach = (np.linalg.norm(first.extents) + np.linalg.norm(second.extents)) / 2
    found = []
    for seed in seeds:
        random = np.random.default_rng(seed)
        direction = random.normal(size=3)
        matrix = rotation(random)
        center = first.bounds.mean(axis=0) + direction / np.linalg.norm(direction) * reach * random.uniform(0.2, 1.0)
        matrix[:3, 3] = center - matrix[:3, :3] @ second.bounds.mean(axis=0)
        found.append((f"{a.stem} and {b.stem}, seed {seed}", [("a", first, np.eye(4)), ("b", second, matrix)]))
    return found
