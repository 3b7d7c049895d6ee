//! Resolves the names of a robot's mesh files to paths.

use crate::text::shown;
use std::{
    cell::RefCell,
    collections::HashMap,
    env,
    ffi::OsStr,
    fs,
    io::Read,
    path::{Path, PathBuf},
    rc::Rc,
};

/// The number of folders above the robot's file in which packages are searched.
const MAX_PARENTS: usize = 12;

/// The number of those folders in whose other subfolders packages are searched, too: the robot's own package, the
/// repository that holds it, and the folder of the workspace that holds the repository.
const MAX_SEARCHED: usize = 3;

/// How deep below a folder packages are searched.
const MAX_DEPTH: usize = 2;

/// The largest number of folders that are opened to find the packages of a robot. A workspace has hundreds; a robot
/// in a home folder must not start a search of the whole disk.
const MAX_FOLDERS: usize = 4096;

/// The largest size of a `package.xml`, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;

/// Packages by the names in their manifests.
type Named = Vec<(String, PathBuf)>;

/// The files of a robot's packages.
pub(super) struct Packages<'a> {
    /// The folder of the robot's file; `None` if other files cannot be opened.
    folder: Option<&'a Path>,
    /// The folders that the caller names.
    given: &'a [PathBuf],
    /// The folders of packages that were searched, by name.
    found: RefCell<HashMap<String, Rc<Vec<PathBuf>>>>,
    /// The packages in and below a folder, by their names in `package.xml`.
    listed: RefCell<HashMap<PathBuf, Rc<Named>>>,
    /// The number of folders that were opened.
    opened: RefCell<usize>,
}

impl<'a> Packages<'a> {
    pub(super) fn new(folder: Option<&'a Path>, given: &'a [PathBuf]) -> Self {
        let folder = folder.map(|folder| match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        });
        let (found, listed, opened) = Default::default();
        Self { folder, given, found, listed, opened }
    }

    /// Returns the file that the `filename` of a mesh refers to.
    ///
    /// - `package://NAME/REST` (and `model://`): `REST` in the first of these packages that has such a file: the
    ///   folder `NAME` in one of the given folders, in the folder of the robot's file or in a folder above it; a
    ///   folder with a `package.xml` that says `NAME`, in the same places and beside the robot's package; and the
    ///   packages of an installed ROS.
    /// - `file://PATH` and a plain path: relative to the folder of the robot's file.
    pub(super) fn resolve(&self, filename: &str) -> Result<PathBuf, String> {
        let Some(folder) = self.folder else {
            let message = "is in another file, and other files cannot be opened from here";
            return Err(format!("the mesh `{}` {message}", shown(filename)));
        };
        let path = match filename.split_once("://") {
            Some(("package" | "model", rest)) => return self.in_package(folder, filename, rest),
            Some(("file", path)) => folder.join(path),
            Some((scheme, _)) => {
                let message = format!("`{}` is not a file on this machine", shown(scheme));
                return Err(format!("the mesh `{}`: {message}", shown(filename)));
            }
            None => folder.join(filename),
        };
        match path.is_file() {
            true => Ok(path),
            false => {
                Err(format!("the mesh `{}` is not found at {}", shown(filename), path.display()))
            }
        }
    }

    fn in_package(&self, folder: &Path, filename: &str, rest: &str) -> Result<PathBuf, String> {
        let (package, within) = rest.split_once('/').unwrap_or(("", rest));
        // Folders of that name first: this needs no search.
        let near = |folder: &Path| {
            let named = (!package.is_empty() && folder.file_name() == Some(OsStr::new(package)))
                .then(|| folder.join(within));
            [Some(folder.join(rest)), named]
        };
        let above = above(folder);
        let places = self.given.iter().map(PathBuf::as_path).chain([folder]);
        let mut candidates =
            places.chain(above.iter().map(PathBuf::as_path)).flat_map(near).flatten();
        if let Some(found) = candidates.find(|path| path.is_file()) {
            return Ok(found);
        }
        let roots = self.roots(folder, &above, package);
        if let Some(found) = roots.iter().map(|root| root.join(within)).find(|path| path.is_file())
        {
            return Ok(found);
        }
        let (mesh, package) = (shown(filename), shown(package));
        Err(match &roots[..] {
            [] => format!(
                "the mesh `{mesh}` is not found: there is no package `{package}`: {}; give the folder that \
                 contains the package",
                self.places(folder)
            ),
            roots => {
                let roots: Vec<_> =
                    roots.iter().take(3).map(|root| root.display().to_string()).collect();
                format!(
                    "the mesh `{mesh}` is not found: the package `{package}` is {}, but has no file `{}`",
                    roots.join(" and "),
                    shown(within)
                )
            }
        })
    }

    /// Returns the folders of a package, the nearest first.
    fn roots(&self, folder: &Path, above: &[PathBuf], package: &str) -> Rc<Vec<PathBuf>> {
        if let Some(known) = self.found.borrow().get(package) {
            return Rc::clone(known);
        }
        let mut roots: Vec<PathBuf> = Vec::new();
        if is_package_name(package) {
            let is_named =
                |root: &&PathBuf| manifest_name(root).is_some_and(|name| name == package);
            roots.extend(above.iter().filter(is_named).cloned());
            let own = [folder.to_owned()];
            let by_name =
                self.given.iter().chain(&own).chain(above).map(|place| place.join(package));
            let installed =
                search_path("AMENT_PREFIX_PATH").map(|prefix| prefix.join("share").join(package));
            let of_ros = search_path("ROS_PACKAGE_PATH").map(|place| place.join(package));
            roots.extend(by_name.chain(installed).chain(of_ros).filter(|place| place.is_dir()));
            // The search of folders is the slowest, so it comes last. The root of a disk is never searched.
            let beside =
                above.iter().skip(1).take(MAX_SEARCHED).filter(|place| place.parent().is_some());
            let searched = self.given.iter().cloned().chain(search_path("ROS_PACKAGE_PATH"));
            for place in searched.chain(beside.cloned()) {
                let listed = self.list(&place);
                roots.extend(
                    listed.iter().filter(|(name, _)| name == package).map(|(_, root)| root.clone()),
                );
            }
            let mut seen = Vec::new();
            roots.retain(|root| {
                let full = root.canonicalize().unwrap_or_else(|_| root.clone());
                let is_new = !seen.contains(&full);
                seen.push(full);
                is_new
            });
        }
        let roots = Rc::new(roots);
        self.found.borrow_mut().insert(package.to_owned(), Rc::clone(&roots));
        roots
    }

    /// Returns the packages in a folder and in the folders below it.
    fn list(&self, place: &Path) -> Rc<Named> {
        if let Some(known) = self.listed.borrow().get(place) {
            return Rc::clone(known);
        }
        let mut packages = Vec::new();
        let mut opened = self.opened.borrow_mut();
        let mut open = vec![(place.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            if let Some(name) = manifest_name(&folder) {
                // Packages do not contain packages.
                packages.push((name, folder));
                continue;
            }
            if depth == MAX_DEPTH || *opened == MAX_FOLDERS {
                continue;
            }
            *opened += 1;
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            // Links are not followed: they may lead anywhere. Hidden folders hold no packages.
            let is_hidden =
                |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
            let mut folders: Vec<PathBuf> = entries
                .take(MAX_FOLDERS)
                .filter_map(Result::ok)
                .filter(|entry| {
                    !is_hidden(entry) && entry.file_type().is_ok_and(|kind| kind.is_dir())
                })
                .map(|entry| entry.path())
                .collect();
            // The order of a folder's entries differs from disk to disk.
            folders.sort_unstable();
            open.extend(folders.into_iter().rev().map(|folder| (folder, depth + 1)));
        }
        let packages = Rc::new(packages);
        self.listed.borrow_mut().insert(place.to_owned(), Rc::clone(&packages));
        packages
    }

    /// Says where packages were searched.
    fn places(&self, folder: &Path) -> String {
        let mut places: Vec<String> =
            self.given.iter().take(3).map(|place| format!("in {}", place.display())).collect();
        places.push(format!("in {} and the folders above it", folder.display()));
        places.push(format!(
            "by package.xml up to {MAX_DEPTH} levels below the nearest {MAX_SEARCHED} of them"
        ));
        for variable in ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"] {
            places.push(match search_path(variable).next() {
                Some(_) => format!("in {variable}"),
                None => format!("{variable} is not set"),
            });
        }
        let limit = match *self.opened.borrow() == MAX_FOLDERS {
            true => format!(" (the search ended after {MAX_FOLDERS} folders)"),
            false => String::new(),
        };
        format!("looked {}{limit}", places.join(", "))
    }
}

/// Returns a folder and those above it. Only an absolute path has all of them.
fn above(folder: &Path) -> Vec<PathBuf> {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.ancestors().take(MAX_PARENTS).map(Path::to_owned).collect()
}

fn search_path(variable: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let folders = env::var_os(variable).unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    folders.into_iter().filter(|folder| !folder.as_os_str().is_empty())
}

/// Returns whether a name can be that of a package: `..` must not lead out of a folder of packages.
fn is_package_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\'])
}

/// Returns the name that the `package.xml` of a folder gives it.
fn manifest_name(folder: &Path) -> Option<String> {
    let path = folder.join("package.xml");
    // A pipe would block.
    let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
    let mut text = String::new();
    fs::File::open(&path).ok()?.take(size.min(MAX_MANIFEST)).read_to_string(&mut text).ok()?;
    named(&text).map(str::to_owned)
}

/// Returns the text of the first `<name>` of a `package.xml`, outside of comments.
fn named(mut text: &str) -> Option<&str> {
    while let Some(start) = text.find('<') {
        text = &text[start..];
        if let Some(comment) = text.strip_prefix("<!--") {
            text = comment.split_once("-->")?.1;
        } else if let Some(name) = text.strip_prefix("<name>") {
            return name
                .split_once('<')
                .map(|(name, _)| name.trim())
                .filter(|name| !name.is_empty());
        } else {
            text = &text[1..];
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_by_their_manifest() {
        for (text, name) in [
            (
                "<?xml version='1.0'?>\n<package format='3'>\n <name> arm </name></package>",
                Some("arm"),
            ),
            ("<package><!-- <name>old</name> --><name>new</name></package>", Some("new")),
            ("<package><names>x</names></package>", None),
            ("<package><name></name></package>", None),
            ("<package><name>cut", None),
            ("<!-- <name>x</name>", None),
            ("", None),
        ] {
            assert_eq!(named(text), name, "{text}");
        }
        assert!(is_package_name("ur_description"));
        assert!(["", "..", ".", "a\\b"].iter().all(|name| !is_package_name(name)));
    }
}
