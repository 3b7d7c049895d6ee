// A STEP file as OpenCASCADE understands it, and what it did not understand.
#pragma once

#include <STEPCAFControl_Reader.hxx>
#include <TDocStd_Document.hxx>
#include <TopoDS_Shape.hxx>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// The name of a body in the file, and what of it was lost.
struct Origin {
    std::string name;
    std::string lost;
};

struct Document {
    // Throws `std::runtime_error` if the file cannot be read.
    explicit Document(const std::string& file);

    // What is known of a solid or a shell.
    const Origin& origin(const TopoDS_Shape& body) const;

    Handle(TDocStd_Document) document;
    // Bodies of the file that there is nothing to show of: names, and why.
    std::vector<std::pair<std::string, std::string>> lost;

private:
    void look_for_losses();
    bool remember(const TopoDS_Shape& shape, const Origin& origin);

    // It owns what the document was made from.
    STEPCAFControl_Reader reader;
    std::unordered_map<const void*, Origin> origins;
};
