#include "mesh.hpp"

#include <BRepAdaptor_Surface.hxx>
#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <ElSLib.hxx>
#include <GeomLib_IsPlanarSurface.hxx>
#include <IMeshTools_Parameters.hxx>
#include <Poly_PolygonOnTriangulation.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Vertex.hxx>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

// The largest angle between neighbouring triangles on a curved surface, in radians: a circle has at least 18 sides.
constexpr double MAX_TURN = 0.35;

// How often a body is triangulated again because triangles are too far from its surface, and the factor for the
// tolerance.
constexpr int MAX_ROUNDS = 4;
constexpr double FINER = 0.6;

// The share of the tolerance that sample points may use: points between the samples may be slightly further off.
constexpr double SHOWN = 0.9;

// The mesh vertices that faces share: those on the vertices and edges of the body.
class Seams {
public:
    explicit Seams(const TopoDS_Shape& body) {
        TopExp::MapShapes(body, TopAbs_VERTEX, vertices);
        TopExp::MapShapes(body, TopAbs_EDGE, edges);
        at_vertex.assign(vertices.Extent() + 1, NOWHERE);
        along_edge.resize(edges.Extent() + 1);
    }

    // Returns the slot for the index of a point on an edge, the same for every face that shares the edge. The end
    // points are the vertices of the edge. On an edge without length, as at the tip of a cone, every point is
    // such a vertex.
    uint32_t& at(const TopoDS_Edge& edge, int point, int count) {
        TopoDS_Vertex end;
        if (point == 0 || BRep_Tool::Degenerated(edge)) {
            end = TopExp::FirstVertex(edge);
        } else if (point == count - 1) {
            end = TopExp::LastVertex(edge);
        }
        if (!end.IsNull()) {
            return at_vertex[vertices.FindIndex(end)];
        }
        auto& numbers = along_edge[edges.FindIndex(edge)];
        if (numbers.empty()) {
            numbers.assign(count, NOWHERE);
        }
        if (int(numbers.size()) != count) {
            throw std::runtime_error("two of its faces divide the edge between them differently");
        }
        return numbers[point];
    }

private:
    TopTools_IndexedMapOfShape vertices, edges;
    std::vector<uint32_t> at_vertex;
    std::vector<std::vector<uint32_t>> along_edge;
};

uint32_t add_point(Mesh& mesh, const gp_Pnt& point) {
    if (!(std::abs(point.X()) <= 1e100 && std::abs(point.Y()) <= 1e100 && std::abs(point.Z()) <= 1e100)) {
        throw std::runtime_error("its surface goes to infinity");
    }
    mesh.positions.push_back({point.X(), point.Y(), point.Z()});
    return uint32_t(mesh.positions.size() - 1);
}

void add_face(const TopoDS_Face& face, Seams& seams, Mesh& mesh) {
    TopLoc_Location place;
    const Handle(Poly_Triangulation) triangulation = BRep_Tool::Triangulation(face, place);
    const gp_Trsf transform = place.Transformation();
    const auto point = [&](int node) { return triangulation->Node(node).Transformed(transform); };

    std::vector<uint32_t> numbers(triangulation->NbNodes() + 1, NOWHERE);
    for (TopExp_Explorer at(face, TopAbs_EDGE); at.More(); at.Next()) {
        const TopoDS_Edge& edge = TopoDS::Edge(at.Current());
        // A seam, where both sides of a face meet, occurs twice, each time with the nodes of one side.
        const auto polygon = BRep_Tool::PolygonOnTriangulation(edge, triangulation, place);
        if (polygon.IsNull()) {
            continue;
        }
        const int count = polygon->NbNodes();
        for (int k = 0; k < count; k++) {
            const int node = polygon->Node(k + 1);
            uint32_t& shared = seams.at(edge, k, count);
            if (shared == NOWHERE) {
                shared = add_point(mesh, point(node));
            }
            numbers[node] = shared;
        }
    }

    const bool turned = (face.Orientation() == TopAbs_REVERSED) != transform.IsNegative();
    for (int k = 1; k <= triangulation->NbTriangles(); k++) {
        std::array<int, 3> nodes;
        triangulation->Triangle(k).Get(nodes[0], nodes[1], nodes[2]);
        std::array<uint32_t, 3> corners;
        for (int c = 0; c < 3; c++) {
            uint32_t& number = numbers[nodes[c]];
            if (number == NOWHERE) {
                number = add_point(mesh, point(nodes[c]));
            }
            corners[c] = number;
        }
        if (turned) {
            std::swap(corners[1], corners[2]);
        }
        // At tips and poles two corners may be one vertex; the result is an edge, not a triangle, and is left out.
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) {
            mesh.faces.push_back(corners);
        }
    }
}

// Projects a point to the surface and updates its parameters, if the surface is an elementary one; otherwise the
// parameters are unchanged.
void go_nearest(const BRepAdaptor_Surface& surface, const gp_Pnt& point, double& u, double& v) {
    switch (surface.GetType()) {
    case GeomAbs_Cylinder:
        return ElSLib::Parameters(surface.Cylinder(), point, u, v);
    case GeomAbs_Cone:
        return ElSLib::Parameters(surface.Cone(), point, u, v);
    case GeomAbs_Sphere:
        return ElSLib::Parameters(surface.Sphere(), point, u, v);
    case GeomAbs_Torus:
        return ElSLib::Parameters(surface.Torus(), point, u, v);
    default:
        return;
    }
}

// Returns the largest distance between triangles and surface, sampled at the centres of triangles and of their
// sides. On free-form surfaces each sample is compared with the surface point of the same parameters, which is
// never nearer than the nearest point.
double distance_to_surface(const TopoDS_Face& face) {
    TopLoc_Location place;
    const Handle(Poly_Triangulation) triangulation = BRep_Tool::Triangulation(face, place);
    // In the frame of the triangulation, before the location of the face is applied.
    const BRepAdaptor_Surface surface(TopoDS::Face(face.Located(TopLoc_Location())), false);
    if (surface.GetType() == GeomAbs_Plane || !triangulation->HasUVNodes()) {
        return 0;
    }
    double largest = 0;
    for (int k = 1; k <= triangulation->NbTriangles(); k++) {
        int nodes[3];
        triangulation->Triangle(k).Get(nodes[0], nodes[1], nodes[2]);
        for (int left_out = -1; left_out < 3; left_out++) {
            gp_XYZ point(0, 0, 0);
            gp_XY parameters(0, 0);
            const double share = left_out < 0 ? 1.0 / 3 : 0.5;
            for (int c = 0; c < 3; c++) {
                if (c != left_out) {
                    point += triangulation->Node(nodes[c]).XYZ() * share;
                    parameters += triangulation->UVNode(nodes[c]).XY() * share;
                }
            }
            double u = parameters.X(), v = parameters.Y();
            go_nearest(surface, point, u, v);
            largest = std::max(largest, surface.Value(u, v).Distance(point));
        }
    }
    return largest;
}

// Returns whether the surface of a face is a plane. Some programs write planes as free-form surfaces.
bool is_plane(const TopoDS_Face& face) {
    if (BRepAdaptor_Surface(face, false).GetType() == GeomAbs_Plane) {
        return true;
    }
    const Handle(Geom_Surface) surface = BRep_Tool::Surface(face);
    // In millimetres: below anything that counts here.
    constexpr double FLAT = 1e-7;
    return !surface.IsNull() && GeomLib_IsPlanarSurface(surface, FLAT).IsPlanar();
}

// Triangulates all faces of a body. Throws if one of them fails.
void cut(const TopoDS_Shape& body, double tolerance) {
    IMeshTools_Parameters parameters;
    parameters.Deflection = tolerance;
    parameters.Angle = MAX_TURN;
    // An existing triangulation is too coarse, or belongs to another body that shares the face.
    BRepTools::Clean(body);
    BRepMesh_IncrementalMesh mesher(body, parameters);

    int faces = 0, failed = 0;
    for (TopExp_Explorer at(body, TopAbs_FACE); at.More(); at.Next()) {
        TopLoc_Location place;
        const auto triangulation = BRep_Tool::Triangulation(TopoDS::Face(at.Current()), place);
        faces++;
        failed += triangulation.IsNull() || triangulation->NbTriangles() == 0;
    }
    if (failed > 0) {
        throw std::runtime_error(std::to_string(failed) + " of its " + std::to_string(faces) +
                                 " faces cannot be cut into triangles");
    }
}

} // namespace

double tolerance_of(const TopoDS_Shape& body, double asked) {
    if (asked > 0) {
        return asked;
    }
    Bnd_Box box;
    BRepBndLib::Add(body, box, false);
    if (box.IsVoid() || box.IsOpen()) {
        throw std::runtime_error("its surface goes to infinity");
    }
    const double size = std::sqrt(box.SquareExtent());
    return std::min(0.1, std::max(size / 1000, 1e-6));
}

Mesh triangles_of(const TopoDS_Shape& body, double tolerance) {
    // On spheres the mesher exceeds the requested tolerance by a fifth.
    double asked = tolerance;
    for (int round = 0; round < MAX_ROUNDS; round++, asked *= FINER) {
        cut(body, asked);
        double distance = 0;
        for (TopExp_Explorer at(body, TopAbs_FACE); at.More(); at.Next()) {
            distance = std::max(distance, distance_to_surface(TopoDS::Face(at.Current())));
        }
        if (distance <= tolerance * SHOWN) {
            break;
        }
    }
    Mesh mesh;
    Seams seams(body);
    for (TopExp_Explorer at(body, TopAbs_FACE); at.More(); at.Next()) {
        const TopoDS_Face& face = TopoDS::Face(at.Current());
        const size_t before = mesh.faces.size();
        add_face(face, seams, mesh);
        // The last round may still have missed the tolerance.
        const double distance = is_plane(face) ? 0 : std::max(tolerance, distance_to_surface(face) / SHOWN);
        mesh.runs.push_back({uint32_t(mesh.faces.size() - before), distance});
    }
    BRepTools::Clean(body);
    return mesh;
}
