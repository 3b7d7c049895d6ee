"""Assemblies from files and from the scenes of other packages."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from types import ModuleType
from typing import Any

from impinge._errors import ArgumentError
from impinge._impinge import Assembly, ifc_reader, read_stream
from impinge._units import check_tolerance, metres_of


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
    millimetres, unless their document names another unit. `file_units` replaces this unit.
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
    is_list = isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray, Mapping))
    paths: list[Any] = list(source) if is_list else [source]
    for path in paths:
        if not isinstance(path, (str, PathLike)):
            raise TypeError(
                f"cannot make an Assembly of a {type(path).__name__}: it is no path, trimesh.Scene, "
                "ifcopenshell.file or shape of OCP"
            )
    return Assembly.load(*paths, **load)


def _loaded(name: str) -> ModuleType | None:
    """Return a module if it is loaded: otherwise no object can be of its classes."""
    return sys.modules.get(name)


def _is_scene(source: Any) -> bool:
    trimesh = _loaded("trimesh")
    return trimesh is not None and isinstance(source, (trimesh.Scene, trimesh.Trimesh))


def _from_scene(source: Any, *, primitives: bool = False, name: str | None = None, **load: Any) -> Assembly:
    import trimesh

    from impinge import _trimesh_source

    is_mesh = isinstance(source, trimesh.Trimesh)
    scene = trimesh.Scene(source) if is_mesh else source
    # A given unit replaces that of the scene.
    own, factor = (None, 1.0) if load.get("file_units") else _trimesh_source.unit_of(scene)
    stream = _trimesh_source.stream_of(scene, factor, primitives, is_mesh)
    up = _trimesh_source.up_of(scene)
    return read_stream(stream, name or _trimesh_source.name_of(source), "scene", own_units=own, up=up, **load)


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
    check_tolerance(tolerance)
    # The same script that the command runs in a process of its own.
    script, left_out = ifc_reader(list(ifc_include))
    module = ModuleType("impinge._ifc")
    exec(compile(script, "ifc.py", "exec"), module.__dict__)
    try:
        stream = module.stream(source, tolerance or 0.0, left_out)
    except Exception as error:
        # As the command reports it.
        why = " ".join(str(error).split())
        raise ArgumentError(f"{name}: IfcOpenShell: {type(error).__name__}: {why}") from error
    return read_stream(stream, name, "ifc", **load)


def _is_ocp(source: Any) -> bool:
    # By name: the module of the class need not be loaded by its usual name (`OCP.TopoDS`) when a shape exists.
    classes = type(getattr(source, "wrapped", source)).__mro__
    return any(
        it.__name__ in ("TopoDS_Shape", "TDocStd_Document") and it.__module__.split(".")[0] == "OCP" for it in classes
    )


def _from_ocp(source: Any, *, tolerance: float | None = None, name: str = "shape", **load: Any) -> Assembly:
    from impinge import _ocp_source

    check_tolerance(tolerance)
    source = getattr(source, "wrapped", source)
    given = load.get("file_units")
    own, factor = _ocp_source.unit_of(source)
    if isinstance(given, str):
        # `read_stream` refuses a unit that does not exist.
        own, factor = given, 1.0
    units_per_metre = 1 / (factor if factor != 1.0 else metres_of(own) or 1.0)
    asked = None if tolerance is None else tolerance * units_per_metre
    stream = _ocp_source.stream_of(source, asked, units_per_metre / 1000, factor)
    return read_stream(stream, name, "scene", own_units=None if given else own, up="z", **load)
