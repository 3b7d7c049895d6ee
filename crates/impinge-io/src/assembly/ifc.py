# Reads an IFC file from standard input with IfcOpenShell and writes its elements to standard output, in the format
# that tools/step/stream.hpp describes, in metres. `impinge` runs it with `python3 -c`.
#
# Arguments: the largest distance between triangles and curved surfaces in metres (0 for the default), and the names of
# classes that are left out, separated by commas.
#
# The Python package calls `stream` with a file that is open already.
import sys

if __name__ == "__main__":
    # The current folder may hold anything, also a file named `ifcopenshell.py`.
    sys.path = [folder for folder in sys.path if folder not in ("", ".")]

import os
import struct

# The exit code that says that IfcOpenShell is missing.
MISSING = 3
NOWHERE = 0xFFFFFFFF
# The number of names that are kept of elements that are left out.
MAX_NAMES = 3
MAX_DEPTH = 100
# Representations with these identifiers are bodies. Others are axes, footprints and boxes.
BODIES = {"Body", "Facetation", "Tessellation", None}


def fail(message, code=1):
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
    os._exit(code)


def take_output():
    """Returns a private copy of the standard output: libraries may print to the usual one."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def limit_memory(size):
    try:
        import resource

        most = (8 << 30) + 200 * size
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        pass


def text(value):
    encoded = str(value or "").encode("utf-8", "replace")
    return struct.pack("<I", len(encoded)) + encoded


def name_of(entity):
    return (getattr(entity, "Name", None) or "").strip()


def parent_of(entity):
    """Returns the element or the spatial structure that an element belongs to."""
    for relation, end in (
        ("Decomposes", "RelatingObject"),
        ("Nests", "RelatingObject"),
        ("ContainedInStructure", "RelatingStructure"),
    ):
        for found in getattr(entity, relation, None) or ():
            parent = getattr(found, end, None)
            if parent is not None:
                return parent
    return None


class Groups:
    """Sub-assemblies: the site, the building, the storey, and elements that are composed of others."""

    def __init__(self, out):
        self.out = out
        self.numbers = {}

    def of(self, entity):
        path = []
        above = parent_of(entity)
        while above is not None and not above.is_a("IfcProject") and len(path) < MAX_DEPTH:
            if any(above.id() == other.id() for other in path):
                break
            path.append(above)
            above = parent_of(above)
        group = NOWHERE
        for above in reversed(path):
            key = above.id()
            if key not in self.numbers:
                self.out.append(b"G" + struct.pack("<I", group) + text(name_of(above) or above.is_a()))
                self.numbers[key] = len(self.numbers)
            group = self.numbers[key]
        return group


def has_body(product):
    shape = getattr(product, "Representation", None)
    return shape is not None and any(
        getattr(item, "RepresentationIdentifier", None) in BODIES for item in shape.Representations
    )


def volume_and_box(numpy, positions, faces):
    """Returns the signed volume that triangles enclose, and the bounding box of their corners."""
    corners = positions[faces]
    volume = numpy.sum(corners[:, 0] * numpy.cross(corners[:, 1], corners[:, 2])) / 6
    corners = corners.reshape(-1, 3)
    return volume, numpy.concatenate([corners.min(axis=0), corners.max(axis=0)])


def stored_triangles(numpy, product, scale):
    """Returns the triangles of an element as the file stores them, or None if its body is not stored as triangles."""
    bodies = [
        item
        for item in product.Representation.Representations
        if getattr(item, "RepresentationIdentifier", None) in BODIES
    ]
    if getattr(product, "HasOpenings", None) or len(bodies) != 1:
        return None
    positions, faces, first = [], [], 0
    for item in bodies[0].Items:
        if not item.is_a("IfcTriangulatedFaceSet"):
            return None
        points = numpy.array(item.Coordinates.CoordList, dtype="<f8").reshape(-1, 3) * scale
        corners = numpy.array(item.CoordIndex, dtype="<i8").reshape(-1, 3) - 1
        numbers = getattr(item, "PnIndex", None)
        if numbers:
            corners = numpy.array(numbers, dtype="<i8")[corners] - 1
        if corners.size == 0 or corners.min() < 0 or corners.max() >= len(points):
            return None
        positions.append(points)
        faces.append(corners + first)
        first += len(points)
    return (numpy.concatenate(positions), numpy.concatenate(faces)) if faces else None


def repaired(product, scale, vertices, triangles):
    """Returns the vertices and triangles that the file stores, if these are the same body, and else None.

    IfcOpenShell leaves out triangles without area. Where these close a gap between an edge and a corner on that edge,
    a closed body becomes an open one.
    """
    try:
        import numpy
    except ImportError:
        return None
    stored = stored_triangles(numpy, product, scale)
    if stored is None:
        return None
    built = numpy.frombuffer(vertices, "<f8").reshape(-1, 3), numpy.frombuffer(triangles, "<i4").reshape(-1, 3)
    volume, box = volume_and_box(numpy, *built)
    own_volume, own_box = volume_and_box(numpy, *stored)
    size = numpy.abs(box).max()
    if numpy.abs(box - own_box).max() > 1e-9 * size or abs(volume - own_volume) > 1e-9 * size**3:
        return None
    return stored[0].astype("<f8").tobytes(), stored[1].astype("<u4").tobytes()


def read(file, geom, tolerance, excluded):
    """Returns the shapes of all elements that are not excluded, by the number of the element."""
    settings = geom.settings()
    if tolerance > 0:
        settings.set("mesher-linear-deflection", tolerance)
    else:
        tolerance = settings.get("mesher-linear-deflection")
    products = [
        product
        for product in file.by_type("IfcProduct")
        if has_body(product) and not any(product.is_a(name) for name in excluded)
    ]
    shapes = {}
    if products:
        iterator = geom.iterator(settings, file, os.cpu_count() or 1, include=products)
        if iterator.initialize():
            while True:
                shape = iterator.get()
                geometry = shape.geometry
                shapes[shape.id] = (
                    geometry.id,
                    bytes(geometry.verts_buffer),
                    bytes(geometry.faces_buffer),
                    tuple(shape.transformation.matrix),
                )
                if not iterator.next():
                    break
    return shapes, tolerance


def length_unit(file):
    """Returns the unit of length of the file in metres."""
    import ifcopenshell.util.unit

    return ifcopenshell.util.unit.calculate_unit_scale(file)


def known(file, name):
    """Returns whether the schema of the file has a class of this name."""
    try:
        file.by_type(name)
        return True
    except RuntimeError:
        return False


def stream(file, tolerance, excluded):
    """Returns the stream of parts of a file. Elements of the excluded classes are left out."""
    if sys.byteorder != "little":
        raise RuntimeError("IFC files can be read on little-endian machines only")
    import ifcopenshell.geom as geom

    excluded = [name for name in excluded if name and known(file, name)]
    shapes, tolerance = read(file, geom, tolerance, excluded)
    scale = length_unit(file)
    out = [b"IMPSTEP2"]
    groups = Groups(out)
    meshes = {}
    left_out = {}
    parents = set()
    products = sorted(file.by_type("IfcProduct"), key=lambda product: product.id())
    for product in products:
        above = parent_of(product)
        if above is not None:
            parents.add(above.id())
    for product in products:
        kind, name = product.is_a(), name_of(product)
        if any(product.is_a(other) for other in excluded):
            left_out.setdefault(kind, []).append(name or product.GlobalId)
            continue
        shape = shapes.get(product.id())
        if shape is None or not shape[2]:
            if has_body(product):
                label = kind + " #" + str(product.id()) + " " + name
                out.append(b"X" + text(label.strip()) + text("IfcOpenShell cannot build its geometry"))
            elif product.id() not in parents:
                # Elements that contain others are sub-assemblies.
                left_out.setdefault(kind + " without geometry", []).append(name or product.GlobalId)
            continue
        key, vertices, faces, matrix = shape
        if key not in meshes:
            meshes[key] = len(meshes)
            # Which faces are curved is not known here; the reader of this stream finds out. Triangles that the file
            # stores are exact.
            distance = tolerance
            stored = repaired(product, scale, vertices, faces)
            if stored is not None:
                vertices, faces = stored
                distance = 0.0
            counts = struct.pack("<II", len(vertices) // 24, len(faces) // 12)
            run = struct.pack("<IId", 1, len(faces) // 12, distance)
            out.append(b"M" + counts + vertices + faces + run)
        group = groups.of(product)
        # The matrix comes by columns.
        rows = [matrix[column * 4 + row] for row in range(3) for column in range(4)]
        out.append(b"P" + struct.pack("<II12d", group, meshes[key], *rows) + text(name or kind))
        out.append(b"I" + text(product.GlobalId) + text(kind))
    for kind, names in sorted(left_out.items()):
        shown = names[:MAX_NAMES]
        listed = b"".join(text(name) for name in shown)
        out.append(b"L" + text(kind) + struct.pack("<II", len(names), len(shown)) + listed)
    out.append(b"E")
    return b"".join(out)


def main():
    output = take_output()
    data = sys.stdin.buffer.read()
    try:
        import ifcopenshell
        import ifcopenshell.geom
    except ImportError:
        fail("IfcOpenShell is missing", MISSING)
    limit_memory(len(data))
    try:
        # IFC files are ASCII; other characters are escaped, except in files of careless programs.
        try:
            content = data.decode("utf-8")
        except UnicodeDecodeError:
            content = data.decode("latin-1")
        file = ifcopenshell.file.from_string(content)
    except Exception as error:
        fail("the file is not a valid IFC file: " + " ".join(str(error).split()))
    parts = stream(file, float(sys.argv[1]), sys.argv[2].split(","))
    try:
        output.write(parts)
        output.close()
    except OSError:
        os._exit(1)
    # Without destructors, which would take long.
    os._exit(0)


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        fail("the file needs more memory than is allowed for its size")
    except Exception as error:
        fail("IfcOpenShell: " + type(error).__name__ + ": " + " ".join(str(error).split()))
