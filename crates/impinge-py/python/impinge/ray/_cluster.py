"""Connections to Ray clusters."""

from __future__ import annotations

import logging
import os
from typing import Any

from impinge._errors import ClusterError


def ray_module() -> Any:
    """Import Ray, or tell how to install it."""
    # An accelerator that a task does not use must not be hidden from it; Ray warns unless this is decided.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f"the package ray is not installed; `pip install impinge[ray]` ({error})") from None
    return ray


def connect(address: str | None) -> Any:
    """Connect to a cluster and return the module `ray`.

    `None` uses the connection that exists, or else starts a cluster on this machine. 'local' starts one, 'auto' finds
    the running one, and everything else is an address that `ray.init` takes. A connection that exists is used for
    'local' and 'auto', too.
    """
    ray = ray_module()
    if ray.is_initialized():
        return ray
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if address in (None, "local"):
        options |= {"address": "local", "include_dashboard": False}
    else:
        options["address"] = address
    try:
        ray.init(**options)
    except Exception as error:  # Ray raises many kinds.
        raise ClusterError(f"cannot connect to the Ray cluster '{address or 'local'}': {error}") from error
    return ray


def cpu_count(ray: Any) -> int:
    """Return the number of CPUs of the cluster, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
