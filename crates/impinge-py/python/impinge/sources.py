"""Assemblies from files and from the scenes of other packages."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from os import PathLike
from types import ModuleType
from typing import Any

from impinge._impinge import Assembly, ifc_reader, read_stream

#: Metres in a unit.
_METRES = {"µm": 1e-6, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "ft": 0.3048}


def as_assembly(source: Any, **load: Any) -> Assembly:
    """Make an `Assembly` of a path, of several paths, of a scene of another package, or of an `Assembly`.

    | source | a part is | further keyword arguments |
    |---|---|---|
    | path, or a list of paths | see `Assembly.load` | those of `Assembly.load` |
    | `trimesh.Scene`, `trimesh.Trimesh` | a node with a mesh | file_units, primitives |
    | `ifcopenshell.file` | an element with a body | tolerance, ifc_include |
    | shape or XCAF document of OCP | a solid or a surface of a product | file_units, tolerance |

    All but an `Assembly` take units, scale, split and keep_going, as `Assembly.load` does. All but paths take `name`,
    which stands for the file in reports. The unit of a scene is its attribute `units`; shapes of OCP are in
    millimetres. `file_units` replaces this unit.
    """
    if isinstance(source, Assembly):
        if load:
            raise TypeError(f"an Assembly takes no further arguments, but {', '.join(load)} was given")
        return source
    if isinstance(source, (str, PathLike)):
        return Assembly.load(source, **load)
    for is_of, read in ((_is_scene, _from_scene), (_is_ifc, _from_ifc), (_is_ocp, _from_ocp)):
        if is_of(source):
            return read(source, **load)
    if isinstance(source, Iterable):
        return Assembly.load(*source, **load)
    raise TypeError(
        f"cannot make an Assembly of a {type(source).__name__}: it is no path, trimesh.Scene, ifcopenshell.file or "
        "shape of OCP"
    )


def _loaded(name: str) -> ModuleType | None:
    """Return a module if it is loaded: otherwise no object can be of its classes."""
    return sys.modules.get(name)


def _is_scene(source: Any) -> bool:
    trimesh = _loaded("trimesh")
    return trimesh is not None and isinstance(source, (trimesh.Scene, trimesh.Trimesh))


def _from_scene(source: Any, *, primitives: bool = False, name: str | None = None, **load: Any) -> Assembly:
    import trimesh

    from impinge import _trimesh_source

    scene = trimesh.Scene(source) if isinstance(source, trimesh.Trimesh) else source
    own, factor = _trimesh_source.unit_of(scene)
    stream = _trimesh_source.stream_of(scene, factor, primitives)
    return read_stream(stream, name or _trimesh_source.name_of(source), "scene", own_units=own, **load)


def _is_ifc(source: Any) -> bool:
    ifcopenshell = _loaded("ifcopenshell")
    return ifcopenshell is not None and isinstance(source, ifcopenshell.file)


def _from_ifc(
    source: Any,
    *,
    tolerance: float | None = None,
    ifc_include: Iterable[str] = (),
    name: str = "model.ifc",
    **load: Any,
) -> Assembly:
    # The same script that the command runs in a process of its own.
    script, left_out = ifc_reader(list(ifc_include))
    module = ModuleType("impinge._ifc")
    exec(compile(script, "ifc.py", "exec"), module.__dict__)
    return read_stream(module.stream(source, tolerance or 0.0, left_out), name, "ifc", **load)


def _is_ocp(source: Any) -> bool:
    source = getattr(source, "wrapped", source)
    shapes, documents = _loaded("OCP.TopoDS"), _loaded("OCP.TDocStd")
    return (shapes is not None and isinstance(source, shapes.TopoDS_Shape)) or (
        documents is not None and isinstance(source, documents.TDocStd_Document)
    )


def _from_ocp(source: Any, *, tolerance: float | None = None, name: str = "shape", **load: Any) -> Assembly:
    from impinge import _ocp_source

    unit = load.get("file_units") or "mm"
    metre = 1 / _METRES.get(unit.lower(), 1e-3)
    asked = None if tolerance is None else tolerance * metre
    stream = _ocp_source.stream_of(getattr(source, "wrapped", source), asked, metre / 1000, name)
    return read_stream(stream, name, "scene", own_units="mm", up="z", **load)
