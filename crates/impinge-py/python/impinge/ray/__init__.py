"""Clash checks of huge assemblies and batches of poses on a Ray cluster.

The results are those of `impinge.clash`, `impinge.check` and `impinge.contacts`, to the byte. Needs the package `ray`.

>>> import impinge.ray
>>> report = impinge.ray.clash(["hall.glb", "pipes.step"], address="auto")  # doctest: +SKIP
"""

from impinge._errors import ClusterError
from impinge.ray._batch import check, contacts
from impinge.ray._clash import clash

__all__ = ["ClusterError", "check", "clash", "contacts"]
