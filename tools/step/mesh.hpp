// Bodies into triangles.
#pragma once

#include "stream.hpp"
#include <TopoDS_Shape.hxx>

// How far triangles may be from a surface, in millimetres: what was asked for, or if that is 0, what
// suits the size of the body.
double tolerance_of(const TopoDS_Shape& body, double asked);

// The triangles of a solid, a shell or faces. Where faces share an edge, their triangles share its vertices,
// so that what is closed in the file is closed. Throws `std::runtime_error` if a single face cannot be done.
Mesh triangles_of(const TopoDS_Shape& body, double tolerance);
