//! Reads a glTF file into an assembly: each node with a mesh is a part.

use super::build::{Builder, NewPart, SourceMesh};
use crate::{
    error::{Error, Fault},
    gltf::{self, MeshNode, PlacedMesh, ShownMeshes, Sink},
    model::{Model, ModelPart},
};
use glam::DAffine3;
use std::{collections::HashMap, iter, path::Path, sync::Arc};

/// Adds every node that has a mesh, in scene order.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    folder: Option<&Path>,
    group: Option<u32>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let skipped_before = builder.assembly.skipped.len();
    let mut scene = Scene { builder, path, top: group, groups: HashMap::new(), found: Vec::new() };
    let meshes = gltf::show(bytes, folder, &mut scene).map_err(|fault| fault.in_file(path))?;
    let found = std::mem::take(&mut scene.found);
    if found.is_empty() && builder.assembly.skipped.len() == skipped_before {
        let message = "no triangles: the scene shows no mesh with triangles";
        return Err(Fault::file(message).in_file(path));
    }
    let sources = sources(meshes, builder).map_err(|fault| fault.in_file(path))?;
    builder.assembly.parts.reserve(found.len());
    for Found { node, name, group, id, mesh, world, moved } in found {
        let pieces = &sources[mesh];
        for (number, &mesh) in pieces.iter().enumerate() {
            let name = match pieces.len() {
                1 => name.clone(),
                _ => format!("{name}/{}", number + 1),
            };
            let id = id.clone().filter(|_| pieces.len() == 1);
            let part = NewPart { id, moved, ..NewPart::new(&name, group, mesh, &world) };
            if let Err(message) = builder.add_part(part) {
                let fault = Fault::json(format!("nodes[{node}]"), message);
                builder.broken(&name, fault.in_file(path))?;
            }
        }
    }
    Ok(())
}

/// Adds the meshes of a scene to the builder, each as a whole or, if requested, primitive by primitive.
fn sources(shown: ShownMeshes, builder: &mut Builder<'_>) -> Result<Vec<Vec<SourceMesh>>, Fault> {
    let ShownMeshes { meshes, primitive_ends } = shown;
    let mut sources = Vec::with_capacity(meshes.len());
    for (mesh, ends) in meshes.into_iter().zip(primitive_ends) {
        if ends.len() < 2 || !builder.options.primitives {
            sources.push(vec![builder.add_mesh(mesh)]);
            continue;
        }
        let mut pieces = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            let faces = iter::once(start..end).collect();
            let part =
                ModelPart { name: String::new(), mesh: 0, faces, transform: DAffine3::IDENTITY };
            let model = Model { meshes: vec![mesh.clone()], parts: vec![part] };
            let piece = model.part_mesh(0).map_err(|error| Fault::file(error.to_string()))?;
            pieces.push(builder.add_mesh(Arc::new(piece)));
            start = end;
        }
        sources.push(pieces);
    }
    Ok(sources)
}

/// A part whose mesh is not yet available: the reader returns the meshes at the end.
struct Found {
    node: u32,
    name: String,
    group: Option<u32>,
    id: Option<String>,
    mesh: usize,
    world: DAffine3,
    moved: f64,
}

struct Scene<'s, 'o> {
    builder: &'s mut Builder<'o>,
    path: &'s Path,
    /// The sub-assembly for the whole file.
    top: Option<u32>,
    /// The sub-assemblies for nodes with children, by node index.
    groups: HashMap<u32, u32>,
    found: Vec<Found>,
}

impl Scene<'_, '_> {
    fn group_of(&self, parent: Option<u32>) -> Option<u32> {
        parent.map_or(self.top, |parent| self.groups.get(&parent).copied())
    }

    /// Returns the node's name; a node without one is named after its parent and its number.
    fn name_of(&self, node: &MeshNode<'_>) -> String {
        if !node.name.is_empty() {
            return node.name.to_owned();
        }
        let number = node.index;
        match node.parent.and_then(|parent| self.groups.get(&parent)) {
            Some(&above) => {
                let above = &self.builder.assembly.groups[above as usize].name;
                // Limit the length: one long name may be the parent of very many unnamed nodes.
                let above: String = above.chars().take(60).collect();
                format!("{above}/node {number}")
            }
            None => format!("node {number}"),
        }
    }
}

impl Sink for Scene<'_, '_> {
    fn expect(&mut self, nodes: usize) {
        self.found.reserve_exact(nodes);
    }

    fn group(&mut self, node: u32, parent: Option<u32>, name: &str) -> Result<(), Fault> {
        let name = match name {
            "" => format!("node {node}"),
            name => name.to_owned(),
        };
        let parent = self.group_of(parent);
        let group = self.builder.add_group(name, parent);
        let group = group.map_err(|message| Fault::json(format!("nodes[{node}]"), message))?;
        self.groups.insert(node, group);
        Ok(())
    }

    fn part(&mut self, shown: PlacedMesh<'_>) -> Result<(), Fault> {
        let PlacedMesh { node, mesh, world, moved, .. } = shown;
        let (name, group) = (self.name_of(&node), self.group_of(node.parent));
        let id = node.id.map(str::to_owned);
        self.found.push(Found { node: node.index, name, group, id, mesh, world, moved });
        Ok(())
    }

    fn broken(&mut self, node: MeshNode<'_>, fault: Fault) -> Result<(), Fault> {
        let name = self.name_of(&node);
        let error = fault.clone().in_file(self.path);
        self.builder.broken(&name, error).map_err(|_| fault)
    }
}
