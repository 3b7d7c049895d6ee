// The output format of the program: triangulated bodies and their transforms.
//
// All numbers are little-endian. A text is its length in bytes (u32) and the bytes, usually UTF-8. The output
// starts with the eight bytes "IMPSTEP2", the last of which is the version. Records follow, each a letter and its fields:
//
//   G  group u32, name          a sub-assembly; its parent is an earlier one, or 0xFFFFFFFF for the top level
//   M  vertices u32, faces u32, vertices × 3 f64, faces × 3 u32, runs u32, runs × (faces u32, distance f64)
//                               a mesh, in millimetres; each run of faces is within this distance of its surface,
//                               which is 0 if the surface is a plane
//   B  reason                   a mesh that could not be made; it has an index like other meshes
//   P  group u32, mesh u32, 12 f64, name     a part: an earlier mesh, placed by a row-major 3×4 matrix
//   I  identity, class          of the part before it; empty if it has none
//   T  steps u32, steps × 12 f64     the transforms of the nodes above the part before it and of its own node, the
//                               outermost first: their product places the part, instead of the matrix of P
//   X  name, reason             an entity of the file that was lost and is not a part
//   L  kind, count u32, names u32, names     entities of a kind that are not parts by design, and the first few names
//   E                           the end; output without it is incomplete
//
// Groups and meshes are numbered from 0 in the order of their records. This program writes no I and no L; the script
// that reads IFC files writes the same stream, in metres, and with them. The Python package writes it with T, too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

constexpr uint32_t NOWHERE = 0xFFFFFFFF;

struct Mesh {
    // Faces that follow each other, and how far they may be from their surface.
    struct Run {
        uint32_t faces;
        double distance;
    };
    std::vector<std::array<double, 3>> positions;
    std::vector<std::array<uint32_t, 3>> faces;
    std::vector<Run> runs;
};

class Stream {
public:
    uint32_t group(uint32_t parent, const std::string& name) {
        bytes += 'G';
        number(parent);
        text(name);
        return groups++;
    }

    uint32_t mesh(const Mesh& mesh) {
        bytes += 'M';
        number(uint32_t(mesh.positions.size()));
        number(uint32_t(mesh.faces.size()));
        append(mesh.positions.data(), mesh.positions.size());
        append(mesh.faces.data(), mesh.faces.size());
        number(uint32_t(mesh.runs.size()));
        for (const auto& run : mesh.runs) {
            number(run.faces);
            append(&run.distance, 1);
        }
        return meshes++;
    }

    uint32_t broken(const std::string& why) {
        bytes += 'B';
        text(why);
        return meshes++;
    }

    void part(uint32_t group, uint32_t mesh, const std::array<double, 12>& place, const std::string& name) {
        bytes += 'P';
        number(group);
        number(mesh);
        append(place.data(), place.size());
        text(name);
    }

    void lost(const std::string& name, const std::string& why) {
        bytes += 'X';
        text(name);
        text(why);
    }

    // Writes everything at once, after the last step that can fail.
    const std::string& finished() {
        bytes += 'E';
        return bytes;
    }

private:
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are");

    template <typename T> void append(const T* values, size_t count) {
        bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
    }
    void number(uint32_t value) { append(&value, 1); }
    void text(const std::string& text) {
        number(uint32_t(text.size()));
        bytes += text;
    }

    std::string bytes = "IMPSTEP2";
    uint32_t groups = 0;
    uint32_t meshes = 0;
};
