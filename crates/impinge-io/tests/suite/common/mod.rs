//! Shared by the integration tests: a counting allocator, a check of models, and small sample files.

pub(crate) mod folder;
pub(crate) mod memory;
pub(crate) mod samples;

use impinge_io::{Format, Model};
use std::path::PathBuf;

/// Checks the documented promises of a model; the meshes have been checked on construction.
pub(crate) fn check_model(model: &Model) -> Result<(), String> {
    let mut shown: Vec<Vec<bool>> =
        model.meshes.iter().map(|mesh| vec![false; mesh.faces().len()]).collect();
    for (number, part) in model.parts.iter().enumerate() {
        let Some(shown) = shown.get_mut(part.mesh) else {
            return Err(format!("part {number} shows mesh {}", part.mesh));
        };
        let mut end = None;
        for run in &part.faces {
            if run.is_empty() || end.is_some_and(|end| end >= run.start) {
                return Err(format!("part {number} has the runs {:?}", part.faces));
            }
            end = Some(run.end);
            match shown.get_mut(run.start as usize..run.end as usize) {
                Some(shown) => shown.fill(true),
                None => return Err(format!("part {number} has the run {run:?}")),
            }
        }
    }
    match shown.iter().flatten().all(|&shown| shown) {
        true if model.face_count() > 0 => Ok(()),
        true => Err("the model has no faces".into()),
        false => Err("a face belongs to no part".into()),
    }
}

/// Returns the peak number of bytes that a reader may allocate for a file of this size.
///
/// A height takes two bytes in a file, and a vertex and two faces in a mesh, which are 48 bytes.
pub(crate) fn memory_limit(format: Format, bytes: usize) -> usize {
    let most = if format.is_grid() { 50 } else { 8 };
    most * bytes + (1 << 20)
}

/// Returns the file name under which a sample is read.
pub(crate) fn file_name(format: Format) -> PathBuf {
    PathBuf::from("sample").with_extension(format.extension())
}
