//! Formats that a separate program reads: STEP through `impinge-step`, IFC through IfcOpenShell. The program gets the
//! file and returns a stream of groups, meshes and parts.
//!
//! Programs are separate because their libraries can crash or hang on a bad file; then only that file fails.

mod program;
mod stream;

pub(super) use program::Program;
pub(super) use stream::{Body, Parts, read};

use super::{
    build::{Builder, Frame, NewPart, SourceMesh, file_error},
    files::{Within, stem},
};
use crate::Error;
use std::{path::Path, sync::Arc};
use stream::Placed;

/// Adds the parts of a stream to the assembly.
pub(super) fn add(
    parts: Parts,
    path: &Path,
    within: &Within<'_>,
    frame: Frame,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let failed = |message: String| file_error(path, message);
    let Parts { groups, bodies, parts, lost, left_out } = parts;
    builder.begin_file(path, frame);
    builder.assembly.left_out.extend(left_out);
    let stem = stem(path);
    // The bodies of a product without a name are `/1`, `/2` and so on.
    let named = |name: String| match name.is_empty() || name.starts_with('/') {
        true => format!("{stem}{name}"),
        false => name,
    };
    // A single part gets the name of the file; several parts form a sub-assembly, as the nodes of a glTF scene do.
    let top = match (parts.len(), groups.len()) {
        (1, 0) => within.folder,
        _ => within.file_group(builder).map_err(failed)?,
    };
    let mut numbers = Vec::with_capacity(groups.len());
    for (name, parent) in groups {
        let parent = parent.map_or(top, |parent| Some(numbers[parent]));
        numbers.push(builder.add_group(named(name), parent).map_err(failed)?);
    }
    let bodies: Vec<Result<SourceMesh, String>> = bodies
        .into_iter()
        .map(|body| match body {
            Body::Mesh(mesh, tessellation) => {
                Ok(builder.add_tessellated(Arc::new(mesh), tessellation))
            }
            Body::Broken(why) => Err(why),
        })
        .collect();
    for Placed { name, group, body, transform, id, class, moved } in parts {
        let (name, group) = (named(name), group.map_or(top, |group| Some(numbers[group])));
        let added = bodies[body].clone().and_then(|mesh| {
            let part = NewPart::new(&name, group, mesh, &transform);
            builder.add_part(NewPart { id, class, moved, ..part })
        });
        if let Err(why) = added {
            broken(&name, &why, path, builder)?;
        }
    }
    lost.iter().try_for_each(|(name, why)| broken(name, why, path, builder))
}

fn broken(name: &str, why: &str, path: &Path, builder: &mut Builder<'_>) -> Result<(), Error> {
    let message = format!("`{}`: {why}", crate::text::shown(name));
    builder.broken(name, file_error(path, message))
}
