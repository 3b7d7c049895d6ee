// Splits bodies into triangles.
#pragma once

#include "stream.hpp"
#include <TopoDS_Shape.hxx>

// Returns the largest allowed distance between triangles and surface, in millimetres: the requested value, or, if
// that is 0, a value that follows from the size of the body.
double tolerance_of(const TopoDS_Shape& body, double asked);

// Returns the triangles of a solid, a shell or faces. Faces that share an edge share its vertices, so a body that is
// closed in the file is closed here. Throws `std::runtime_error` if any face cannot be triangulated.
Mesh triangles_of(const TopoDS_Shape& body, double tolerance);
