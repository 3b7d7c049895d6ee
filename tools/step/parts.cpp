#include "parts.hpp"
#include "mesh.hpp"

#include <BRepGProp.hxx>
#include <BRep_Builder.hxx>
#include <GProp_GProps.hxx>
#include <Standard_Failure.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDataStd_Name.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Iterator.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

#include <map>
#include <stdexcept>

namespace {

constexpr int MAX_DEPTH = 1000;

// Returns the name of a product.
std::string name_of(const TDF_Label& label) {
    Handle(TDataStd_Name) name;
    if (!label.FindAttribute(TDataStd_Name::GetID(), name)) {
        return "";
    }
    const auto& text = name->Get();
    std::string utf8(text.LengthOfCString() + 1, '\0');
    auto begin = utf8.data();
    utf8.resize(text.ToUTF8CString(begin));
    return utf8;
}

std::array<double, 12> matrix(const gp_Trsf& transform) {
    std::array<double, 12> entries;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            entries[row * 4 + column] = transform.Value(row + 1, column + 1);
        }
    }
    return entries;
}

// Collects the solids and shells of a product. Curves and points are ignored.
void collect(const TopoDS_Shape& shape, std::vector<TopoDS_Shape>& bodies, std::vector<TopoDS_Shape>& faces) {
    switch (shape.ShapeType()) {
    case TopAbs_COMPOUND:
    case TopAbs_COMPSOLID:
        for (TopoDS_Iterator at(shape); at.More(); at.Next()) {
            collect(at.Value(), bodies, faces);
        }
        break;
    case TopAbs_SOLID:
    case TopAbs_SHELL:
        bodies.push_back(shape);
        break;
    case TopAbs_FACE:
        faces.push_back(shape);
        break;
    default:
        break;
    }
}

// Returns a line with the exact volume and area of a body, to check its triangles: `solid 1000 600`, in mm³ and mm².
std::string measures(const TopoDS_Shape& body) {
    GProp_GProps volume, area;
    BRepGProp::VolumeProperties(body, volume);
    BRepGProp::SurfaceProperties(body, area);
    char line[100];
    snprintf(line, sizeof line, "%s %.17g %.17g\n", body.ShapeType() == TopAbs_SOLID ? "solid" : "surface",
             volume.Mass(), area.Mass());
    return line;
}

// Adds a product that has no sub-products.
struct Product {
    struct Body {
        uint32_t mesh;
        gp_Trsf place;
        std::string name;
    };
    std::string name;
    std::vector<Body> bodies;
};

class Writer {
public:
    Writer(const Document& document, double tolerance, size_t most, Stream& stream, std::string* measured)
        : document(document), tolerance(tolerance), most(most), stream(stream), measured(measured) {}

    void write() {
        TDF_LabelSequence roots;
        XCAFDoc_DocumentTool::ShapeTool(document.document->Main())->GetFreeShapes(roots);
        for (const TDF_Label& root : roots) {
            visit(root, gp_Trsf(), NOWHERE, 0);
        }
        for (const auto& [name, why] : document.lost) {
            stream.lost(name, why);
        }
    }

private:
    void visit(const TDF_Label& label, const gp_Trsf& place, uint32_t group, int depth) {
        if (depth > MAX_DEPTH) {
            throw std::runtime_error("assemblies are nested more than " + std::to_string(MAX_DEPTH) + " levels deep");
        }
        if (!XCAFDoc_ShapeTool::IsAssembly(label)) {
            show(product(label), place, group);
            return;
        }
        count();
        const uint32_t own = stream.group(group, name_of(label));
        TDF_LabelSequence components;
        XCAFDoc_ShapeTool::GetComponents(label, components);
        for (const TDF_Label& component : components) {
            TDF_Label referred;
            if (XCAFDoc_ShapeTool::GetReferredShape(component, referred)) {
                const auto within = XCAFDoc_ShapeTool::GetLocation(component).Transformation();
                visit(referred, place * within, own, depth + 1);
            }
        }
    }

    void show(const Product& product, const gp_Trsf& place, uint32_t group) {
        if (product.bodies.size() > 1) {
            group = stream.group(group, product.name);
        }
        for (const auto& body : product.bodies) {
            count();
            stream.part(group, body.mesh, matrix(place * body.place), body.name);
        }
    }

    void count() {
        if (++shown > most) {
            throw std::runtime_error("the file places more than " + std::to_string(most) +
                                     " parts and assemblies, too many for a file of its size");
        }
    }

    const Product& product(const TDF_Label& label) {
        const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(label);
        const auto [at, is_new] = products.try_emplace(shape.TShape().get());
        Product& product = at->second;
        if (!is_new) {
            return product;
        }
        product.name = name_of(label);
        std::vector<TopoDS_Shape> bodies, faces;
        collect(shape, bodies, faces);
        if (!faces.empty()) {
            bodies.push_back(together(faces));
        }
        for (const auto& body : bodies) {
            const auto& own = document.origin(body).name;
            std::string name = product.name;
            if (!own.empty() && (bodies.size() > 1 || name.empty())) {
                name = own;
            } else if (bodies.size() > 1) {
                name += "/" + std::to_string(product.bodies.size() + 1);
            }
            product.bodies.push_back({mesh(body), body.Location().Transformation(), name});
        }
        return product;
    }

    static TopoDS_Shape together(const std::vector<TopoDS_Shape>& faces) {
        TopoDS_Compound compound;
        BRep_Builder builder;
        builder.MakeCompound(compound);
        for (const auto& face : faces) {
            builder.Add(compound, face);
        }
        return compound;
    }

    // Returns the mesh index of a body, independent of its location.
    uint32_t mesh(const TopoDS_Shape& placed) {
        const auto body = placed.Located(TopLoc_Location());
        const auto [at, is_new] = meshes.try_emplace({body.TShape().get(), body.Orientation()}, 0);
        if (is_new) {
            at->second = made(body);
        }
        return at->second;
    }

    uint32_t made(const TopoDS_Shape& body) {
        try {
            if (const auto& lost = document.origin(body).lost; !lost.empty()) {
                return stream.broken(lost);
            }
            const auto mesh = triangles_of(body, tolerance_of(body, tolerance));
            if (measured != nullptr) {
                *measured += measures(body);
            }
            return stream.mesh(mesh);
        } catch (const std::runtime_error& error) {
            return stream.broken(error.what());
        } catch (const Standard_Failure& failure) {
            return stream.broken(std::string("cannot be cut into triangles: ") + failure.GetMessageString());
        }
    }

    const Document& document;
    const double tolerance;
    const size_t most;
    Stream& stream;
    std::string* const measured;
    size_t shown = 0;
    std::map<const void*, Product> products;
    std::map<std::pair<const void*, TopAbs_Orientation>, uint32_t> meshes;
};

} // namespace

void write_parts(const Document& document, double tolerance, size_t most, Stream& stream, std::string* measured) {
    Writer(document, tolerance, most, stream, measured).write();
}
