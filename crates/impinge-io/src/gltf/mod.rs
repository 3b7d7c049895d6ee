//! Reads and writes glTF 2.0, as JSON (`.gltf`) and as a single binary file (`.glb`).
//!
//! Only geometry is read: the nodes of the default scene with their transforms, and the triangles of their
//! meshes. Materials, textures, cameras and animations are ignored, images are never opened, and skinned or
//! morphed meshes are read in their rest pose.
//!
//! The steps: [`glb`] finds the JSON and the binary chunk, [`document`] parses the JSON, [`scene`] walks the
//! nodes, and [`shape`] makes a mesh of the primitives of each node. [`accessor`] decodes numbers from the bytes
//! that [`buffer`] loads.
//!
//! The `gltf` crate is not used: its iterators panic on invalid accessors, and its types hold transforms in single
//! precision and take hundreds of bytes for every `{}` of a file.

mod accessor;
mod budget;
mod buffer;
mod document;
mod extras;
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
    assembly::rounding::{gain, of_translation},
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

/// Reads a `.gltf` or `.glb` file; the first bytes tell which.
///
/// Every mesh that the scene shows becomes one mesh of the model, its primitives one after the other. Every node
/// with a mesh becomes a part, placed as in the scene and named after the node, else the mesh, else `node 7`.
/// Meshes made of the same accessors are shared. A node with `EXT_mesh_gpu_instancing` becomes one part per
/// instance.
///
/// External buffers are read from `folder` only; without a folder they are refused.
pub(crate) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    let mut parts = Parts(Vec::new());
    let ShownMeshes { meshes, .. } = show(bytes, folder, &mut parts)?;
    let Parts(mut parts) = parts;
    if parts.is_empty() {
        return Err(Fault::file("no triangles: the scene shows no mesh with triangles"));
    }
    parts.shrink_to_fit();
    Ok(Model { meshes, parts })
}

/// Receives the nodes of a scene during the walk, parents before children.
pub(crate) trait Sink {
    /// Called first, with an upper bound for the number of nodes with a mesh.
    fn expect(&mut self, nodes: usize);
    /// Called for a node with children. The name is empty if the node has none.
    fn group(&mut self, node: u32, parent: Option<u32>, name: &str) -> Result<(), Fault>;
    /// Called for a node with a mesh, once per instance.
    fn part(&mut self, shown: PlacedMesh<'_>) -> Result<(), Fault>;
    /// Called for a node whose mesh is invalid. If this returns the fault, the walk ends.
    fn broken(&mut self, node: MeshNode<'_>, fault: Fault) -> Result<(), Fault>;
}

/// A node with a mesh, valid or not.
pub(crate) struct MeshNode<'a> {
    pub(crate) index: u32,
    pub(crate) parent: Option<u32>,
    /// The name of the node, else of its mesh; empty if neither has one.
    pub(crate) name: &'a str,
    /// The identity of the node; none if it stands for several instances.
    pub(crate) id: Option<&'a str>,
}

/// A placed mesh.
pub(crate) struct PlacedMesh<'a> {
    pub(crate) node: MeshNode<'a>,
    /// Index into the meshes that [`show`] returns.
    pub(crate) mesh: usize,
    pub(crate) faces: u32,
    pub(crate) world: DAffine3,
    /// How far rounding may have moved the mesh as a whole, in the coordinates of the scene.
    pub(crate) moved: f64,
}

/// Walks the scene of a file. Returns the meshes that it shows.
pub(crate) fn show(
    bytes: &[u8],
    folder: Option<&Path>,
    sink: &mut impl Sink,
) -> Result<ShownMeshes, Fault> {
    let container = glb::open(bytes)?;
    let document = document::parse(&container)?;
    let mut shapes = Shapes::new(&document, container.bin, folder, Budget::new(bytes.len()));
    let scene = Scene::new(&document)?;
    // A part takes more memory than its node in the file, so exactly the needed number is allocated.
    let mut node_count = 0;
    scene.walk(|visited| {
        node_count += usize::from(visited.node.mesh().is_some());
        Ok(())
    })?;
    sink.expect(node_count);
    // Very many nodes may use one invalid mesh, so it is tried only once.
    let mut broken: HashMap<u32, Fault> = HashMap::new();
    scene.walk(|visited| {
        let &Visited { node, parent, has_children, world, moved } = visited;
        if has_children {
            sink.group(node.index, parent, document.nodes.name(node))?;
        }
        let Some(mesh) = node.mesh() else { return Ok(()) };
        let name = part_name(&document, node, mesh);
        let id = match document.nodes.instancing(node) {
            None => document.nodes.id(node),
            Some(_) => None,
        };
        let mesh_node = || MeshNode { index: node.index, parent, name, id };
        if let Some(fault) = broken.get(&mesh) {
            return sink.broken(mesh_node(), fault.clone());
        }
        let shape = match shapes.show(mesh, || node_place(node.index)) {
            Ok(Some(shape)) => shape,
            Ok(None) => return Ok(()),
            Err(fault) => {
                sink.broken(mesh_node(), fault.clone())?;
                broken.insert(mesh, fault);
                return Ok(());
            }
        };
        let source = &mut shapes.source;
        let instances = document.nodes.instancing(node);
        let instances = instances.map(|all| Instances::new(source, node.index, all)).transpose();
        let instances = match instances {
            Ok(instances) => instances,
            Err(fault) => return sink.broken(mesh_node(), fault),
        };
        for at in 0..instances.as_ref().map_or(1, Instances::count) {
            let placed = match &instances {
                None => Ok((*world, moved)),
                Some(instances) => instances.get(at).map(|own| {
                    let own_moved = gain(&world.matrix3) * of_translation(own.translation);
                    (*world * own, moved + own_moved)
                }),
            };
            match placed {
                Ok((world, moved)) if shape.fits(&world) => {
                    // Very many unnamed nodes may use a mesh with a long name.
                    let text = name.len() + id.map_or(0, str::len);
                    source.budget.charge(text as u64, || node_place(node.index))?;
                    sink.part(PlacedMesh {
                        node: mesh_node(),
                        mesh: shape.mesh,
                        faces: shape.faces,
                        world,
                        moved,
                    })?;
                }
                Ok(_) => {
                    let message = "its mesh, as placed in the scene, reaches beyond ±1e100";
                    sink.broken(mesh_node(), Fault::json(node_place(node.index), message))?;
                }
                Err(fault) => sink.broken(mesh_node(), fault)?,
            }
        }
        Ok(())
    })?;
    Ok(shapes.into_meshes())
}

/// Collects the parts of a model; an invalid part is an error.
struct Parts(Vec<ModelPart>);

impl Sink for Parts {
    fn expect(&mut self, nodes: usize) {
        self.0.reserve_exact(nodes);
    }

    fn group(&mut self, _: u32, _: Option<u32>, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    fn part(&mut self, shown: PlacedMesh<'_>) -> Result<(), Fault> {
        let name = match shown.node.name {
            "" => format!("node {}", shown.node.index),
            name => name.to_owned(),
        };
        let faces = iter::once(0..shown.faces).collect();
        self.0.push(ModelPart { name, mesh: shown.mesh, faces, transform: shown.world });
        Ok(())
    }

    fn broken(&mut self, _: MeshNode<'_>, fault: Fault) -> Result<(), Fault> {
        Err(fault)
    }
}

/// Reads a file that must be a `.glb` file.
pub(crate) fn read_glb(bytes: &[u8], folder: Option<&Path>) -> Result<Model, Fault> {
    check_glb(bytes)?;
    read(bytes, folder)
}

/// Refuses a file that is not a `.glb` file.
pub(crate) fn check_glb(bytes: &[u8]) -> Result<(), Fault> {
    match bytes.starts_with(glb::MAGIC) {
        true => Ok(()),
        false => Err(Fault::byte(0, "not a GLB file: its first bytes are not `glTF`")),
    }
}

/// Returns the name of a node, or of its mesh.
fn part_name<'a>(document: &'a Document<'_>, node: &Node, mesh: u32) -> &'a str {
    match document.nodes.name(node) {
        "" => document.meshes.get(mesh as usize).map_or("", |mesh| &mesh.name),
        own => own,
    }
}

fn node_place(node: u32) -> String {
    format!("nodes[{node}]")
}

/// Returns the message for an unsupported extension that changes geometry.
fn unsupported(extension: &str) -> String {
    let extension = crate::text::shown(extension);
    let remedy = if extension.contains("draco") || extension.contains("meshopt") {
        "save the file without mesh compression"
    } else {
        "save the file without that extension"
    };
    format!("the file needs {extension}, which is not supported; {remedy}")
}

#[cfg(test)]
mod tests;
