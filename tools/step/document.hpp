// Reads a STEP file with OpenCASCADE, and finds the entities that OpenCASCADE has left out.
#pragma once

#include <STEPCAFControl_Reader.hxx>
#include <TDocStd_Document.hxx>
#include <TopoDS_Shape.hxx>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// The name of a body in the file, and what is missing from it.
struct Origin {
    std::string name;
    std::string lost;
};

struct Document {
    // Throws `std::runtime_error` if the file cannot be read.
    explicit Document(const std::string& file);

    // Returns the name of a solid or a shell, and what is missing from it.
    const Origin& origin(const TopoDS_Shape& body) const;

    Handle(TDocStd_Document) document;
    // The bodies that OpenCASCADE did not build: name, and reason.
    std::vector<std::pair<std::string, std::string>> lost;

private:
    void look_for_losses();
    bool remember(const TopoDS_Shape& shape, const Origin& origin);

    // Owns the data that the document was made from.
    STEPCAFControl_Reader reader;
    std::unordered_map<const void*, Origin> origins;
};
