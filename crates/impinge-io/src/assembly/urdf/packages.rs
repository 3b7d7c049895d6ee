//! Where the mesh files of a robot are.

use crate::text::shown;
use std::path::{Path, PathBuf};

/// How many folders above the robot's file are looked into.
const MOST_ABOVE: usize = 12;

/// The file that a mesh's `filename` names.
///
/// - `package://NAME/REST` (and `model://`): `NAME/REST` in one of the given folders, or `REST` if
///   the folder itself is called `NAME`; then likewise in the folder of the robot's file and in
///   those above it.
/// - `file://PATH`, and a path by itself: from the folder of the robot's file.
pub(super) fn resolve(
    filename: &str,
    folder: Option<&Path>,
    packages: &[PathBuf],
) -> Result<PathBuf, String> {
    let Some(folder) = folder else {
        let message = "is in another file, which cannot be opened from here";
        return Err(format!("the mesh `{}` {message}", shown(filename)));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let tried = match filename.split_once("://") {
        Some(("package" | "model", rest)) => {
            // Folders above are only known of the full path.
            let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            let above = absolute.ancestors().take(MOST_ABOVE);
            // As it was named, where the file is found beside it: shorter to read in messages.
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
        true => "; name the folder that the package is in",
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
