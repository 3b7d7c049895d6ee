#include "document.hpp"

#include <Interface_Check.hxx>
#include <Interface_EntityIterator.hxx>
#include <Interface_Graph.hxx>
#include <Interface_Static.hxx>
#include <Interface_UndefinedContent.hxx>
#include <STEPConstruct_ExternRefs.hxx>
#include <StepBasic_ProductDefinition.hxx>
#include <StepData_StepModel.hxx>
#include <StepData_UndefinedEntity.hxx>
#include <StepRepr_ItemDefinedTransformation.hxx>
#include <StepRepr_MappedItem.hxx>
#include <StepRepr_NextAssemblyUsageOccurrence.hxx>
#include <StepRepr_RepresentationMap.hxx>
#include <StepRepr_RepresentationRelationship.hxx>
#include <StepShape_ConnectedFaceSet.hxx>
#include <StepShape_ContextDependentShapeRepresentation.hxx>
#include <StepShape_Face.hxx>
#include <StepShape_FaceBasedSurfaceModel.hxx>
#include <StepShape_ShellBasedSurfaceModel.hxx>
#include <StepShape_SolidModel.hxx>
#include <TopExp_Explorer.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

#include <sstream>
#include <stdexcept>

namespace {

// Returns the number of an entity in the file: "#123".
std::string label(const Handle(Interface_InterfaceModel)& model, const Handle(Standard_Transient)& entity) {
    return model->StringLabel(entity)->ToCString();
}

bool begins(const std::string& text, const std::string& with) {
    return text.compare(0, with.size(), with) == 0;
}

// Returns whether an error in an entity may change shapes or their positions. Errors in dates, approvals,
// colours, dimensions and annotations are ignored. So are errors in the list of bodies of a product: bodies that
// are in no list are found missing later.
bool is_about_shapes(const Handle(Standard_Transient)& entity) {
    const std::string type = entity->DynamicType()->Name();
    if (begins(type, "StepGeom_") || begins(type, "StepShape_")) {
        return entity->IsKind(STANDARD_TYPE(StepRepr_RepresentationItem)) ||
               entity->IsKind(STANDARD_TYPE(StepShape_ContextDependentShapeRepresentation));
    }
    return entity->IsKind(STANDARD_TYPE(StepBasic_ProductDefinitionRelationship)) ||
           entity->IsKind(STANDARD_TYPE(StepRepr_RepresentationRelationship)) ||
           entity->IsKind(STANDARD_TYPE(StepRepr_ItemDefinedTransformation)) ||
           entity->IsKind(STANDARD_TYPE(StepRepr_RepresentationMap)) ||
           entity->IsKind(STANDARD_TYPE(StepRepr_MappedItem)) || type.find("Unit") != std::string::npos;
}

// Refuses a file with errors in its shapes: OpenCASCADE itself would continue without them.
void check_entities(const Handle(Interface_InterfaceModel)& model) {
    const auto& whole = model->GlobalCheck();
    if (whole->HasFailed()) {
        throw std::runtime_error(whole->CFail(1));
    }
    for (int number = 1; number <= model->NbEntities(); number++) {
        const auto& entity = model->Value(number);
        const auto& check = model->Check(number, true);
        if (check->HasFailed() && is_about_shapes(entity)) {
            throw std::runtime_error(label(model, entity) + ", " + model->TypeName(entity, false) + ": " +
                                     check->CFail(1));
        }
    }
}

// Returns whether an entity is a body with surfaces that a product can have.
bool is_body(const Handle(Standard_Transient)& entity) {
    return entity->IsKind(STANDARD_TYPE(StepShape_SolidModel)) ||
           entity->IsKind(STANDARD_TYPE(StepShape_ShellBasedSurfaceModel)) ||
           entity->IsKind(STANDARD_TYPE(StepShape_FaceBasedSurfaceModel));
}

// Returns whether a body is tessellated, which this version of OpenCASCADE does not support, and does not only
// repeat an exact body.
bool is_unknown_body(const Handle(Standard_Transient)& entity, const std::string& type) {
    const auto unknown = Handle(StepData_UndefinedEntity)::DownCast(entity);
    if (unknown.IsNull() || (type != "TESSELLATED_SOLID" && type != "TESSELLATED_SHELL")) {
        return false;
    }
    const auto content = unknown->UndefinedContent();
    for (int at = 1; at <= content->NbParams(); at++) {
        if (content->IsParamEntity(at) && is_body(content->ParamEntity(at))) {
            return false;
        }
    }
    return true;
}

std::string text(const Handle(TCollection_HAsciiString)& text) {
    return text.IsNull() ? "" : text->ToCString();
}

// Refuses references to other files: their parts would be missing silently, or be read from any path that a
// hostile file names.
void check_references(const Handle(XSControl_WorkSession)& session) {
    STEPConstruct_ExternRefs references(session);
    if (references.LoadExternRefs() && references.NbExternRefs() > 0) {
        const std::string name = references.FileName(1);
        throw std::runtime_error("parts of the assembly are in other files, such as `" + name +
                                 "`, which are not read; save the assembly as one file");
    }
}

} // namespace

Document::Document(const std::string& file) {
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");
    // Parts without a name are named by the caller.
    XCAFDoc_ShapeTool::SetAutoNaming(false);
    reader.SetColorMode(false);
    reader.SetLayerMode(false);
    reader.SetPropsMode(false);
    reader.SetGDTMode(false);
    reader.SetMatMode(false);
    reader.SetViewMode(false);
    std::istringstream stream(file);
    if (reader.ChangeReader().ReadStream("stdin", stream) != IFSelect_RetDone) {
        throw std::runtime_error("the file is not a well-formed STEP file");
    }
    const auto session = reader.Reader().WS();
    check_entities(session->Model());
    check_references(session);
    document = new TDocStd_Document("impinge");
    if (!reader.Transfer(document)) {
        throw std::runtime_error("no shape of the file can be built");
    }
    look_for_losses();
}

const Origin& Document::origin(const TopoDS_Shape& body) const {
    static const Origin unknown;
    const auto found = origins.find(body.TShape().get());
    return found == origins.end() ? unknown : found->second;
}

// OpenCASCADE leaves out bodies that it cannot build, and reports this only on request.
void Document::look_for_losses() {
    const auto session = reader.Reader().WS();
    const auto model = session->Model();
    const auto& graph = session->Graph();
    const auto process = session->TransferReader()->TransientProcess();
    const auto built = [&](const Handle(Standard_Transient)& entity) {
        return TransferBRep::ShapeResult(process, entity);
    };
    for (int number = 1; number <= model->NbEntities(); number++) {
        const auto& entity = model->Value(number);
        const std::string type = model->TypeName(entity, false);
        const std::string what = type + " " + label(model, entity);
        if (is_unknown_body(entity, type)) {
            lost.emplace_back(what, "tessellated shapes cannot be read; save the file with exact shapes");
            continue;
        }
        if (const auto use = Handle(StepRepr_NextAssemblyUsageOccurrence)::DownCast(entity); !use.IsNull()) {
            const auto product = use->RelatedProductDefinition();
            if (built(use).IsNull() && !product.IsNull() && !built(product).IsNull()) {
                lost.emplace_back(what, "the placement of this part is missing or invalid");
            }
            continue;
        }
        if (!is_body(entity)) {
            continue;
        }
        const TopoDS_Shape shape = built(entity);
        Origin origin{text(Handle(StepRepr_RepresentationItem)::DownCast(entity)->Name()), ""};
        int faces = 0, missing = 0;
        for (auto parts = graph.Shareds(entity); parts.More(); parts.Next()) {
            const auto shell = Handle(StepShape_ConnectedFaceSet)::DownCast(parts.Value());
            for (int face = 1; !shell.IsNull() && face <= shell->NbCfsFaces(); face++) {
                faces++;
                missing += built(shell->CfsFacesValue(face)).IsNull();
            }
        }
        if (shape.IsNull()) {
            origin.lost = "it belongs to no placed part, or cannot be built from the data in the file";
        } else if (missing > 0) {
            origin.lost = std::to_string(missing) + " of its " + std::to_string(faces) +
                          " faces cannot be built from the data in the file";
        }
        if (!remember(shape, origin) && !origin.lost.empty()) {
            lost.emplace_back(what, origin.lost);
        }
    }
}

// Records the origin of the solids of a shape, or else of its shells. Returns whether there are any.
bool Document::remember(const TopoDS_Shape& shape, const Origin& origin) {
    bool is_found = false;
    for (const auto kind : {TopAbs_SOLID, TopAbs_SHELL}) {
        if (!shape.IsNull() && !is_found) {
            for (TopExp_Explorer at(shape, kind); at.More(); at.Next()) {
                origins.emplace(at.Current().TShape().get(), origin);
                is_found = true;
            }
        }
    }
    return is_found;
}
