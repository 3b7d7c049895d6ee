#!/usr/bin/env python3
"""Compares the common volumes of `impinge clash` with those of Manifold.

    pip install manifold3d numpy trimesh
    tools/compare_volumes.py IMPINGE MESH...

Takes the closed meshes in the files, places each with the next one at seeded poses such that they overlap, and prints a
line for every pair. Meshes are scaled to a diagonal of 100. `impinge generate gearbox -o gearbox.glb` writes
the built-in example as a file with several meshes.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import manifold3d
import numpy as np
import trimesh

POSES = 3


def solid(mesh):
    """The mesh as Manifold takes it, in double precision; `None` if it does not enclose a solid."""
    made = manifold3d.Manifold(
        manifold3d.Mesh64(
            vert_properties=np.asarray(mesh.vertices, dtype=np.float64),
            tri_verts=np.asarray(mesh.faces, dtype=np.uint64),
        )
    )
    return made if made.status() == manifold3d.Error.NoError and made.volume() > 0 else None


def loaded(path):
    """The names and meshes in a file."""
    found = trimesh.load(path, skip_materials=True)
    meshes = found.geometry if isinstance(found, trimesh.Scene) else {"": found}
    for name, mesh in sorted(meshes.items()):
        mesh = trimesh.Trimesh(mesh.vertices, mesh.faces)
        mesh.merge_vertices()
        yield f"{Path(path).stem} {name}".strip(), mesh


def scaled(mesh):
    """The mesh around the origin; `None` if it is open."""
    if len(mesh.faces) == 0 or not mesh.is_watertight:
        return None
    mesh.vertices = (mesh.vertices - mesh.bounds.mean(axis=0)) * (100 / np.linalg.norm(mesh.extents))
    if mesh.volume < 0:
        mesh.invert()
    return mesh


def write(path, mesh):
    with open(path, "w") as out:
        out.writelines("v %r %r %r\n" % tuple(map(float, p)) for p in mesh.vertices)
        out.writelines("f %d %d %d\n" % tuple(f + 1) for f in mesh.faces)


def check(impinge, a, b):
    """The verdict and the volume of a pair."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a.obj", "b.obj")]
        write(paths[0], a)
        write(paths[1], b)
        run = subprocess.run([impinge, "clash", *paths, "--json"], capture_output=True, text=True)
    if run.returncode > 1:
        sys.exit(run.stderr)
    clashes = json.loads(run.stdout)["clashes"]
    return (clashes[0]["verdict"], clashes[0].get("volume")) if clashes else ("clear", None)


def main():
    impinge, paths = sys.argv[1], sorted(sys.argv[2:])
    random = np.random.default_rng(1)
    meshes = []
    for path in paths:
        for name, mesh in loaded(path):
            mesh = scaled(mesh)
            if mesh is not None and solid(mesh):
                meshes.append((name, mesh))
            else:
                print(f"{name}: left out, " + ("not closed" if mesh is None else "not a manifold"))
    worst, compared, none = 0.0, 0, 0
    for number, (name, mesh) in enumerate(meshes):
        other_name, other = meshes[(number + 1) % len(meshes)]
        for _ in range(POSES):
            placed = other.copy()
            placed.apply_transform(trimesh.transformations.random_rotation_matrix(random.random(3)))
            placed.apply_translation(random.normal(size=3) * 15)
            a, b = solid(mesh), solid(placed)
            truth = (a ^ b).volume()
            verdict, volume = check(impinge, mesh, placed)
            share = truth / min(a.volume(), b.volume())
            line = f"{name} {other_name}: {verdict}, volume {volume}, Manifold {truth}"
            if volume is None:
                if truth > 1e-9 * min(a.volume(), b.volume()):
                    none += 1
                    print(line + "   no volume")
                continue
            compared += 1
            off = abs(volume - truth) / max(truth, 1e-12)
            worst = max(worst, off)
            print(f"{line}   {off:.1e} (share {share:.2g})")
    print(f"{compared} pairs of {len(meshes)} meshes; largest relative difference {worst:.1e}; no volume: {none}")


if __name__ == "__main__":
    main()
