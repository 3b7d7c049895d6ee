//! glTF 2.0, as JSON (`.gltf`) and as a single binary file (`.glb`).
//!
//! What is read is the shape alone: the nodes of the default scene with their transforms, and the
//! triangles of their meshes. Materials, textures, cameras and animations are passed over, images
//! are never opened, and skinned or morphing meshes are taken as they stand, in their rest shape.
//!
//! The way through the folder: [`glb`] finds the JSON and the binary chunk, [`document`] keeps
//! what matters of the JSON, [`scene`] walks its nodes, [`shape`] makes a mesh of the primitives
//! of each that is shown, reading them through [`accessor`] from the bytes that [`buffer`] finds.
//!
//! It is written on plain JSON: the iterators of the `gltf` crate panic where accessors are not
//! sound, and its types alone hold transforms in single precision, and hundreds of bytes for every
//! `{}` of a file.

mod accessor;
mod budget;
mod buffer;
mod document;
mod glb;
mod nodes;
mod primitive;
mod scene;
mod shape;
mod write;

pub(crate) use write::write;

use crate::{
    error::Fault,
    model::{Model, Part},
};
use budget::Budget;
use document::Document;
use nodes::Node;
use scene::Scene;
use shape::Shapes;
use std::{iter, path::Path};

/// Reads a `.gltf` or `.glb` file, told apart by their first bytes.
///
/// Every mesh of the file that is shown becomes one mesh of the model, its primitives one after
/// the other; every node that shows it becomes a part, placed as the node is in the scene and
/// named after the node, else the mesh, else `node 7`. Meshes made of the same accessors are one.
///
/// External buffers are looked for in `folder` and nowhere else; without one they are refused.
pub(crate) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    let container = glb::open(bytes)?;
    let document = document::parse(&container)?;
    let mut shapes = Shapes::new(&document, container.bin, folder, Budget::new(bytes.len()));
    let scene = Scene::new(&document)?;
    // A part takes more than the line of the file that makes it: not one too many is set aside.
    let mut part_count = 0;
    scene.walk(|node, _| {
        part_count += usize::from(node.mesh().is_some());
        Ok(())
    })?;
    let mut parts = Vec::with_capacity(part_count);
    scene.walk(|node, world| {
        let Some(mesh) = node.mesh() else { return Ok(()) };
        let place = || format!("nodes[{}]", node.index);
        if node.instanced {
            return Err(Fault::json(place(), unsupported("EXT_mesh_gpu_instancing")));
        }
        let Some(shape) = shapes.show(mesh, place)? else { return Ok(()) };
        if !shape.fits(world) {
            let message = "its mesh, as placed in the scene, reaches beyond ±1e100";
            return Err(Fault::json(place(), message));
        }
        let name = part_name(&document, node, mesh);
        // One long mesh name may be shown by any number of nameless nodes.
        shapes.source.budget.charge(name.len() as u64, place)?;
        let faces = iter::once(0..shape.faces).collect();
        parts.push(Part { name, mesh: shape.mesh, faces, transform: *world });
        Ok(())
    })?;
    if parts.is_empty() {
        return Err(Fault::file("no triangles: the scene shows no mesh that has any"));
    }
    parts.shrink_to_fit();
    Ok(Model { meshes: shapes.into_meshes(), parts })
}

/// Reads what must be a `.glb` file.
pub(crate) fn read_glb(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    match bytes.starts_with(glb::MAGIC) {
        true => read(bytes, folder),
        false => Err(Fault::byte(0, "not a GLB file: its first bytes are not `glTF`")),
    }
}

fn part_name(document: &Document<'_>, node: &Node, mesh: u32) -> String {
    let own = document.nodes.name(node);
    if !own.is_empty() {
        return own.to_owned();
    }
    match document.meshes.get(mesh as usize) {
        Some(mesh) if !mesh.name.is_empty() => mesh.name.clone().into_owned(),
        _ => format!("node {}", node.index),
    }
}

/// What is said of an extension that changes the shape in a way that is not understood.
fn unsupported(extension: &str) -> String {
    let extension = crate::text::shown(extension);
    let remedy = if extension.contains("draco") || extension.contains("meshopt") {
        "save it without mesh compression"
    } else {
        "save it without that extension"
    };
    format!("the file needs {extension}, which is not supported; {remedy}")
}

#[cfg(test)]
mod tests;
