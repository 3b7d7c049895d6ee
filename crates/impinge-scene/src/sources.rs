//! Loads the meshes and poses that a scene names.

use impinge::{Mesh, Pose};
use impinge_io::Format;
use std::{cmp::Ordering, error::Error, fs, path::Path};

/// The error of a source; the builder adds the position of the name in the scene file.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Loads the meshes and poses that a scene names, and shows progress.
///
/// A name is a path relative to the folder of the scene. A name that begins with `gen:` is passed on
/// unchanged, for callers that can generate meshes.
pub trait Sources {
    /// Returns the mesh with this name.
    ///
    /// # Errors
    /// If the mesh cannot be read or generated.
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError>;

    /// Returns the poses with this name, at least one.
    ///
    /// # Errors
    /// If the poses cannot be read or generated.
    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError>;

    /// Returns the names of the meshes of a sequence in the order in which they are played, at least one. `name` is a
    /// folder, or a path whose last part has one `*`.
    ///
    /// # Errors
    /// If there is no such mesh.
    fn frames(&self, name: &str) -> Result<Vec<String>, SourceError> {
        frame_files(name)
    }

    /// Calls `work` once. The work may take long; `label` describes it, for example `preparing wheel.stl`.
    fn during(&self, label: &str, work: &mut dyn FnMut()) {
        let _ = label;
        work();
    }
}

/// Loads meshes and poses from files, and shows no progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Sources for Files {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        Ok(impinge_io::load_mesh(name)?)
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Ok(impinge_io::load_poses(name)?)
    }
}

/// Lists the mesh files of a folder, or those that match a path with one `*` in its last part. Numbers in the names
/// count as numbers: `frame_9.ply` comes before `frame_10.ply`.
fn frame_files(name: &str) -> Result<Vec<String>, SourceError> {
    let path = Path::new(name);
    let last = path.file_name().map(|last| last.to_string_lossy().into_owned()).unwrap_or_default();
    let (folder, pattern) = match last.split_once('*') {
        Some(pattern) => (path.parent().unwrap_or(Path::new("")), Some(pattern)),
        None => (path, None),
    };
    let is_unclear = |(_, end): (&str, &str)| end.contains('*');
    if folder.to_string_lossy().contains('*') || pattern.is_some_and(is_unclear) {
        return Err(
            format!("{name}: only one `*` is understood, in the last part of the path").into()
        );
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("the folder {} cannot be read: {error}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let is_frame = match pattern {
            Some((start, end)) => {
                file.len() >= start.len() + end.len()
                    && file.starts_with(start)
                    && file.ends_with(end)
            }
            None => Format::of_path(Path::new(&file)).is_some(),
        };
        if is_frame {
            names.push(file);
        }
    }
    if names.is_empty() {
        return Err(match pattern {
            Some(_) => format!(
                "no file of the folder {} matches {last} (`*` stands for any text)",
                folder.display()
            ),
            None => format!("there is no mesh file in the folder {name}"),
        }
        .into());
    }
    names.sort_by(|a, b| by_number(a, b));
    Ok(names.iter().map(|file| folder.join(file).to_string_lossy().into_owned()).collect())
}

/// Compares names, in which runs of digits count as numbers.
fn by_number(a: &str, b: &str) -> Ordering {
    // Pieces that are all digits or have none.
    let parts = |name: &str| -> Vec<(String, u128)> {
        let is_digit = |c: char| c.is_ascii_digit();
        let pieces = name.as_bytes().chunk_by(|&p, &q| is_digit(p.into()) == is_digit(q.into()));
        pieces
            .map(|piece| {
                let piece = String::from_utf8_lossy(piece).into_owned();
                match piece.parse::<u128>() {
                    Ok(number) => (String::new(), number),
                    Err(_) => (piece, 0),
                }
            })
            .collect()
    };
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["f10.ply", "f9.ply", "f1.ply", "g0.ply", "f007.ply"];
        names.sort_by(|a, b| by_number(a, b));
        assert_eq!(names, ["f1.ply", "f007.ply", "f9.ply", "f10.ply", "g0.ply"]);
    }
}
