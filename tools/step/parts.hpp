// The tree of products as groups, meshes and parts.
#pragma once

#include "document.hpp"
#include "stream.hpp"

// Adds everything to the stream; `tolerance` as for `tolerance_of`. There may be so many parts and assemblies at most:
// a small file can hold an assembly twice in an assembly that is twice in the next, and so on. For every mesh a
// line is added to `measured`, if there is one, with what the body measures that it was made from.
void write_parts(const Document& document, double tolerance, size_t most, Stream& stream, std::string* measured);
