//! Resolves the names of a robot's mesh files to paths.

use crate::text::shown;
use std::path::{Path, PathBuf};

/// The number of folders above the robot's file in which packages are searched.
const MAX_PARENTS: usize = 12;

/// Returns the file that the `filename` of a mesh refers to.
///
/// - `package://NAME/REST` (and `model://`): `NAME/REST` in one of the given folders, or `REST` if the folder itself is
///   called `NAME`; then the same in the folder of the robot's file and in its parent folders.
/// - `file://PATH` and a plain path: relative to the folder of the robot's file.
pub(super) fn resolve(
    filename: &str,
    folder: Option<&Path>,
    packages: &[PathBuf],
) -> Result<PathBuf, String> {
    let Some(folder) = folder else {
        let message = "is in another file, and other files cannot be opened from here";
        return Err(format!("the mesh `{}` {message}", shown(filename)));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let tried = match filename.split_once("://") {
        Some(("package" | "model", rest)) => {
            // Only an absolute path has all parent folders.
            let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            let above = absolute.ancestors().take(MAX_PARENTS);
            // Try the folder as the caller spelled it first: that gives shorter paths in messages.
            let near = std::iter::once(folder).chain(above);
            in_packages(rest, packages.iter().map(PathBuf::as_path).chain(near))
        }
        Some(("file", path)) => vec![folder.join(path)],
        Some((scheme, _)) => {
            let message = format!("`{}` is not a file on this machine", shown(scheme));
            return Err(format!("the mesh `{}`: {message}", shown(filename)));
        }
        None => vec![folder.join(filename)],
    };
    if let Some(found) = tried.iter().find(|path| path.is_file()) {
        return Ok(found.clone());
    }
    let mut places: Vec<_> = tried.iter().take(3).map(|path| path.display().to_string()).collect();
    if tried.len() > 3 {
        places.push(format!("{} more places", tried.len() - 3));
    }
    let advice = match filename.contains("://") {
        true => "; give the folder that contains the package",
        false => "",
    };
    Err(format!("the mesh `{}` is not found at {}{advice}", shown(filename), places.join(", ")))
}

fn in_packages<'a>(rest: &str, folders: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let (package, within) = rest.split_once('/').unwrap_or(("", rest));
    let mut tried = Vec::new();
    for folder in folders {
        tried.push(folder.join(rest));
        if folder.file_name().is_some_and(|name| name == package) {
            tried.push(folder.join(within));
        }
    }
    tried.dedup();
    tried
}
