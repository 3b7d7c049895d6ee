//! Scenario folders: a.obj, b.obj and poses.csv.

use super::written;
use crate::{failure::Failure, output::count, outputs::Outputs, source};
use impinge::{Mesh, Pose, generate};
use impinge_io::{DraftFolder, Format, Model, commit_all};
use std::path::Path;

/// Two meshes, and the poses of the second one in the frame of the first.
pub(super) struct Scenario {
    pub(super) a: Mesh,
    pub(super) b: Mesh,
    pub(super) poses: Vec<Pose>,
}

/// Makes a scenario and writes its folder. `sources` are the meshes and poses that it is made of; `remark` follows the
/// summary that is printed.
pub(super) fn write(
    folder: &Path,
    sources: &[&str],
    remark: &str,
    make: impl FnOnce() -> Result<Scenario, Failure>,
) -> Result<(), Failure> {
    let files = ["a.obj", "b.obj", "poses.csv"].map(|name| folder.join(name));
    let outputs = Outputs::new(files.iter().map(|file| ("--output", Some(file.as_path()))));
    // The folder is created at the end, so only existing files can be in conflict.
    let is_there = folder.is_dir();
    if is_there {
        outputs.check(sources.iter().filter_map(|source| source::file(source)))?;
    }
    let Scenario { a, b, poses } = if is_there { outputs.reading(make)? } else { make()? };
    let (faces_a, faces_b) = (a.faces().len(), b.faces().len());
    let summary = format!("{faces_a} and {faces_b} faces, {}{remark}", count(poses.len(), "pose"));
    let mut draft = DraftFolder::create(folder)?;
    for (name, mesh) in [("a", a), ("b", b)] {
        let model = Model::from_mesh(name, mesh);
        draft.file(format!("{name}.obj"), |out| impinge_io::write(&model, Format::Obj, out))?;
    }
    draft.file("poses.csv", |out| impinge_io::write_poses(&poses, out))?;
    commit_all([], Some(draft))?;
    written(folder, &summary)
}

/// Scales a mesh so that the longest side of its bounding box has the length that an option gives.
pub(super) fn sized(mesh: Mesh, option: &str, size: Option<f64>) -> Result<Mesh, Failure> {
    match size {
        None => Ok(mesh),
        Some(size) => generate::scaled_to_cube(&mesh, size)
            .map_err(|error| Failure::input(format!("{option} {size}: {error}"))),
    }
}
