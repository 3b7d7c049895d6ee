"""What several test files share."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def needs(name: str) -> ModuleType:
    """Import an optional package. Without it the tests are skipped, but not in CI, where it has to be there."""
    if os.environ.get("CI") == "true":
        return importlib.import_module(name)
    module: ModuleType = pytest.importorskip(name)
    return module


def data(*path: str) -> Path:
    """A real file. Without the folder of real files, which IMPINGE_DATA names, the test is skipped."""
    folder = os.environ.get("IMPINGE_DATA")
    if not folder:
        pytest.skip("IMPINGE_DATA names no folder of real files")
    return Path(folder, *path)


@pytest.fixture
def step_reader(monkeypatch: pytest.MonkeyPatch) -> str:
    """The program that reads STEP files for the command. Without it the test is skipped, but not in CI."""
    built = Path(__file__).parents[3] / "target" / "tools" / "impinge-step"
    program = os.environ.get("IMPINGE_STEP") or shutil.which("impinge-step") or (str(built) if built.is_file() else "")
    if not program:
        message = "impinge-step is missing: `cargo xtask step` builds it, IMPINGE_STEP names it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    monkeypatch.setenv("IMPINGE_STEP", program)
    return program


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt`, also in a shell that starts its jobs with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Ray cluster of three nodes with a CPU each. The first is that of the driver."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 150 << 20, "include_dashboard": False},
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=150 << 20)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()
