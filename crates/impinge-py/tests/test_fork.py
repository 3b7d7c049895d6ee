"""Every call that uses threads works in a forked process, also if the parent process has called it before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys, time
import numpy as np
import impinge
from impinge.collision import CollisionManager
sys.path.insert(0, {folder!r})
from meshes import cube, poses, shift, soup, sphere
box = impinge.Mesh(cube().vertices * [50, 50, -20], cube().faces[:, ::-1])
many = poses(4000, 1.5, 3)
assembly = impinge.Assembly(units="mm")
assembly.add("a", cube())
assembly.add("b", cube(), shift(0.5))
way = np.stack([shift(3.0), shift(0.5)])
out = {out!r}

def nc(threads=None):
    return impinge.nc(box, "x,y,z\\n-10,25,5\\n25,25,-1.5\\n60,25,5\\n", tool="ball:d=6,length=30", threads=threads)

def call():
    {call}

call()
child = os.fork()
if child == 0:
    call()
    os._exit(0)
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        print("ended with", status)
        break
    time.sleep(0.01)
else:
    os.kill(child, 9)
    print("hangs")
"""


@pytest.mark.parametrize(
    "call",
    [
        "impinge.check(cube(), cube(), many)",
        "impinge.contacts(cube(), cube(), many)",
        "impinge.contacts(sphere(2000, 1.0), sphere(2000, 1.0), threads=2)",
        "impinge.nearest_point(cube(), many[:, :3, 3])",
        "[impinge.Shape(soup(3000, 1), method).nbytes for method, _ in impinge.methods()]",
        "impinge.Shape(sphere(20_000, 1.0)).refitted(sphere(20_000, 2.0).vertices)",
        "sphere(20_000, 1.0).is_closed",
        "world = impinge.World(threads=None); world.add(cube()); world.add(cube()); world.step()",
        "CollisionManager().in_collision_single(sphere(2000, 1.0))",
        "impinge.clash(assembly)",
        "impinge.clash(assembly).save(out + '.html')",
        "impinge.clash(assembly).save(out + '.glb')",
        "impinge.clash(assembly).save(out + '.bcf')",
        "impinge.clash(assembly).save(out + '.png')",
        "impinge.clash(assembly).save_pictures(out)",
        "impinge.clash(assembly)._repr_html_()",
        "assembly._repr_html_()",
        "impinge.clash_path(assembly, 'b', way).html()",
        "nc()",
        "nc(threads=1)",
        "nc().html()",
        "nc()._repr_html_()",
    ],
)
def test_calls_work_after_a_fork(call: str, tmp_path: Path) -> None:
    program = PROGRAM.format(folder=str(Path(__file__).parent), out=str(tmp_path / "out"), call=call)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.stdout == "ended with 0\n", run.stdout + run.stderr
