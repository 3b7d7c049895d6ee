//! Reads an OBJ file into an assembly: each group or object is a part.

use super::build::{Builder, NewPart};
use crate::{
    Model,
    error::Fault,
    model::ModelPart,
    obj::{self, Named},
};
use glam::DAffine3;
use std::{collections::HashMap, sync::Arc};

/// Adds every group that has faces, in the order of the first face of each. A file with one group becomes one
/// part, named after the file, with all vertices of the file. Otherwise each part has only the vertices that it
/// uses.
///
/// If an object has several groups, the object becomes a sub-assembly.
pub(super) fn read(
    bytes: &[u8],
    stem: &str,
    file_group: impl FnOnce(&mut Builder<'_>) -> Result<Option<u32>, String>,
    folder_group: Option<u32>,
    builder: &mut Builder<'_>,
) -> Result<(), Fault> {
    let (mesh, named) = obj::read_named(bytes)?;
    if mesh.faces().is_empty() {
        return Err(Fault::file("the file holds no faces"));
    }
    let transform = &DAffine3::IDENTITY;
    if named.len() == 1 {
        let mesh = builder.add_mesh(Arc::new(mesh));
        let part = NewPart::new(stem, folder_group, mesh, transform);
        return builder.add_part(part).map_err(Fault::file);
    }

    let top = file_group(builder).map_err(Fault::file)?;
    let mut groups_of: HashMap<&str, u32> = HashMap::new();
    for named in &named {
        if let Some(object) = named.object {
            *groups_of.entry(object).or_default() += 1;
        }
    }
    let mut model = Model { meshes: vec![Arc::new(mesh)], parts: Vec::new() };
    let mut objects: HashMap<&str, u32> = HashMap::new();
    for Named { object, group, faces } in named {
        let part = ModelPart { name: String::new(), mesh: 0, faces, transform: *transform };
        model.parts = vec![part];
        let mesh = model.part_mesh(0).map_err(|error| Fault::file(error.to_string()))?;
        let (name, group) = match (object, group) {
            (None, None) => (stem, top),
            (None, Some(name)) => (name, top),
            (Some(object), group) if groups_of[object] > 1 => {
                let within = match objects.get(object) {
                    Some(&within) => within,
                    None => {
                        let within = builder.add_group(object.to_owned(), top);
                        let within = within.map_err(Fault::file)?;
                        objects.insert(object, within);
                        within
                    }
                };
                (group.unwrap_or(object), Some(within))
            }
            (Some(object), _) => (object, top),
        };
        let mesh = builder.add_mesh(Arc::new(mesh));
        let part = NewPart::new(name, group, mesh, transform);
        builder.add_part(part).map_err(Fault::file)?;
    }
    Ok(())
}
