// Converts the tree of products to groups, meshes and parts.
#pragma once

#include "document.hpp"
#include "stream.hpp"

// Adds all products to the stream. `tolerance` is as for `tolerance_of`. The number of parts and assemblies is
// limited: a small file can place an assembly twice in an assembly that is placed twice in the next, and so on.
// If `measured` is given, a line with the volume and area of the exact body is added for every mesh.
void write_parts(const Document& document, double tolerance, size_t most, Stream& stream, std::string* measured);
