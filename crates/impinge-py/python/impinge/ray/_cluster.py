"""Connections to Ray clusters."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from impinge._errors import ClusterError


def ray_module() -> Any:
    """Import Ray, or tell how to install it."""
    # An accelerator that a task does not use must not be hidden from it; Ray warns unless this is decided.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f"the package ray is not installed; `pip install ray` ({error})") from None
    return ray


def connect(address: str | None) -> Any:
    """Connect to a cluster and return the module `ray`.

    `None` uses the connection that exists, or else starts a cluster on this machine. 'local' starts one, 'auto' finds
    the running one, and everything else is an address that `ray.init` takes. A connection that exists is used for
    'local' and 'auto', too; it is an error if the address is that of another cluster.
    """
    ray = ray_module()
    if ray.is_initialized():
        own = ray.get_runtime_context().gcs_address
        if _port(address) not in (None, _port(own)):
            raise ClusterError(f"already connected to the Ray cluster {own}, not to '{address}'; call ray.shutdown()")
        return ray
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if address in (None, "local"):
        options |= {"address": "local", "include_dashboard": False}
    else:
        options["address"] = address
    try:
        _reach(address)
        ray.init(**options)
    except Exception as error:  # Ray raises many kinds.
        raise ClusterError(f"cannot connect to the Ray cluster '{address or 'local'}': {error}") from error
    return ray


def _reach(address: str | None) -> None:
    """Fail if nothing answers at an address such as 'host:6379' or 'ray://host:10001', for which Ray waits for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _port(address: str | None) -> str | None:
    """Return the port of an address such as 'host:6379', whose host may have several names; `None` for all others."""
    if address is None or "://" in address or ":" not in address:
        return None
    return address.rpartition(":")[2]


def cpu_count(ray: Any) -> int:
    """Return the number of CPUs of the cluster, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
