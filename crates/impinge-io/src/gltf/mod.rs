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
mod instances;
mod nodes;
mod primitive;
mod scene;
mod shape;
mod write;

pub(crate) use shape::ShownMeshes;
pub(crate) use write::write;
pub use write::{Color, Paint, save_painted, write_painted};

use crate::{
    error::Fault,
    model::{Model, ModelPart},
};
use budget::Budget;
use document::Document;
use glam::DAffine3;
use instances::Instances;
use nodes::Node;
use scene::{Scene, Visited};
use shape::Shapes;
use std::{collections::HashMap, iter, path::Path};

/// Reads a `.gltf` or `.glb` file, told apart by their first bytes.
///
/// Every mesh of the file that is shown becomes one mesh of the model, its primitives one after
/// the other; every node that shows it becomes a part, placed as the node is in the scene and
/// named after the node, else the mesh, else `node 7`. Meshes made of the same accessors are one.
/// A node with `EXT_mesh_gpu_instancing` becomes a part for every instance.
///
/// External buffers are looked for in `folder` and nowhere else; without one they are refused.
pub(crate) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    let mut parts = Parts(Vec::new());
    let ShownMeshes { meshes, .. } = show(bytes, folder, &mut parts)?;
    let Parts(mut parts) = parts;
    if parts.is_empty() {
        return Err(Fault::file("no triangles: the scene shows no mesh that has any"));
    }
    parts.shrink_to_fit();
    Ok(Model { meshes, parts })
}

/// What is told of a scene as it is walked, parents before children.
pub(crate) trait Sink {
    /// At most so many nodes show a mesh.
    fn expect(&mut self, nodes: usize);
    /// A node has children. Its name is empty if it has none.
    fn group(&mut self, node: u32, parent: Option<u32>, name: &str) -> Result<(), Fault>;
    /// A node shows a mesh, perhaps once of many times.
    fn part(&mut self, shown: Shown<'_>) -> Result<(), Fault>;
    /// The mesh of a node cannot be had. Given back, the fault ends the walk.
    fn broken(&mut self, shown: Unshown<'_>, fault: Fault) -> Result<(), Fault>;
}

/// A node that shows a mesh, or cannot.
pub(crate) struct Unshown<'a> {
    pub(crate) node: u32,
    pub(crate) parent: Option<u32>,
    /// Its name, or that of its mesh; empty if neither has one.
    pub(crate) name: &'a str,
}

/// A mesh, shown.
pub(crate) struct Shown<'a> {
    pub(crate) of: Unshown<'a>,
    /// Among the meshes that [`show`] returns.
    pub(crate) mesh: usize,
    pub(crate) faces: u32,
    pub(crate) world: DAffine3,
}

/// Walks the scene of a file; returns the meshes that it shows.
pub(crate) fn show(
    bytes: &[u8],
    folder: Option<&Path>,
    sink: &mut impl Sink,
) -> Result<ShownMeshes, Fault> {
    let container = glb::open(bytes)?;
    let document = document::parse(&container)?;
    let mut shapes = Shapes::new(&document, container.bin, folder, Budget::new(bytes.len()));
    let scene = Scene::new(&document)?;
    // A part takes more than the line of the file that makes it: not one too many is set aside.
    let mut node_count = 0;
    scene.walk(|visited| {
        node_count += usize::from(visited.node.mesh().is_some());
        Ok(())
    })?;
    sink.expect(node_count);
    // Any number of nodes may show a mesh that is broken: it is tried once.
    let mut broken: HashMap<u32, Fault> = HashMap::new();
    scene.walk(|visited| {
        let &Visited { node, parent, has_children, world } = visited;
        if has_children {
            sink.group(node.index, parent, document.nodes.name(node))?;
        }
        let Some(mesh) = node.mesh() else { return Ok(()) };
        let name = part_name(&document, node, mesh);
        let of = || Unshown { node: node.index, parent, name };
        if let Some(fault) = broken.get(&mesh) {
            return sink.broken(of(), fault.clone());
        }
        let shape = match shapes.show(mesh, || node_place(node.index)) {
            Ok(Some(shape)) => shape,
            Ok(None) => return Ok(()),
            Err(fault) => {
                sink.broken(of(), fault.clone())?;
                broken.insert(mesh, fault);
                return Ok(());
            }
        };
        let source = &mut shapes.source;
        let instances = document.nodes.instancing(node);
        let instances = instances.map(|all| Instances::new(source, node.index, all)).transpose();
        let instances = match instances {
            Ok(instances) => instances,
            Err(fault) => return sink.broken(of(), fault),
        };
        for at in 0..instances.as_ref().map_or(1, Instances::count) {
            let placed = match &instances {
                None => Ok(*world),
                Some(instances) => instances.get(at).map(|own| *world * own),
            };
            match placed {
                Ok(world) if shape.fits(&world) => {
                    // One long mesh name may be shown by any number of nameless nodes.
                    source.budget.charge(name.len() as u64, || node_place(node.index))?;
                    sink.part(Shown { of: of(), mesh: shape.mesh, faces: shape.faces, world })?;
                }
                Ok(_) => {
                    let message = "its mesh, as placed in the scene, reaches beyond ±1e100";
                    sink.broken(of(), Fault::json(node_place(node.index), message))?;
                }
                Err(fault) => sink.broken(of(), fault)?,
            }
        }
        Ok(())
    })?;
    Ok(shapes.into_meshes())
}

/// The parts of a model, none of which may be broken.
struct Parts(Vec<ModelPart>);

impl Sink for Parts {
    fn expect(&mut self, nodes: usize) {
        self.0.reserve_exact(nodes);
    }

    fn group(&mut self, _: u32, _: Option<u32>, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    fn part(&mut self, shown: Shown<'_>) -> Result<(), Fault> {
        let name = match shown.of.name {
            "" => format!("node {}", shown.of.node),
            name => name.to_owned(),
        };
        let faces = iter::once(0..shown.faces).collect();
        self.0.push(ModelPart { name, mesh: shown.mesh, faces, transform: shown.world });
        Ok(())
    }

    fn broken(&mut self, _: Unshown<'_>, fault: Fault) -> Result<(), Fault> {
        Err(fault)
    }
}

/// Reads what must be a `.glb` file.
pub(crate) fn read_glb(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    check_glb(bytes)?;
    read(bytes, folder)
}

/// Refuses what is not a `.glb` file.
pub(crate) fn check_glb(bytes: &[u8]) -> Result<(), Fault> {
    match bytes.starts_with(glb::MAGIC) {
        true => Ok(()),
        false => Err(Fault::byte(0, "not a GLB file: its first bytes are not `glTF`")),
    }
}

/// The name of a node, or of its mesh.
fn part_name<'a>(document: &'a Document<'_>, node: &Node, mesh: u32) -> &'a str {
    match document.nodes.name(node) {
        "" => document.meshes.get(mesh as usize).map_or("", |mesh| &mesh.name),
        own => own,
    }
}

fn node_place(node: u32) -> String {
    format!("nodes[{node}]")
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
