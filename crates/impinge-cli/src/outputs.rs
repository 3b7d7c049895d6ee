//! Checks of output files: an output must not be an input or another output.
//!
//! Commands check the named files before they read anything ([`Outputs::check`]), and all files that were
//! read before they compute ([`Outputs::reading`]): a glTF file names buffers, and a robot file names meshes.

use crate::failure::Failure;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The output files of a command, each with the option that names it.
pub(crate) struct Outputs<'a> {
    files: Vec<(&'static str, &'a Path)>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(files: impl IntoIterator<Item = (&'static str, Option<&'a Path>)>) -> Self {
        let named = |(option, path): (_, Option<&'a Path>)| Some((option, path?));
        Self { files: files.into_iter().filter_map(named).collect() }
    }

    /// Fails if an output cannot be written, or is the same file as another output or an input.
    pub(crate) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        let mut seen: Vec<(&str, &Path, Identity)> = Vec::new();
        for &(option, path) in &self.files {
            let named = path.display();
            if path.is_dir() {
                return Err(Failure::input(format!("{option} {named}: is a folder, not a file")));
            }
            if option == "--picture" && !is_png(path) {
                return Err(Failure::input(format!(
                    "{option} {named}: pictures are PNG files; give a name that ends in .png"
                )));
            }
            if !parent(path).is_dir() {
                return Err(Failure::input(format!(
                    "{option} {named}: cannot be written: no such folder"
                )));
            }
            if path == Path::new("/dev/null") {
                continue;
            }
            let own = Identity::of(path);
            if let Some((other, file, _)) = seen.iter().find(|(.., identity)| *identity == own) {
                return Err(Failure::input(format!(
                    "{option} {named} is the same file as {other} {}: give each output its own \
                     file",
                    file.display()
                )));
            }
            seen.push((option, path, own));
        }
        self.check_inputs(inputs)
    }

    /// Fails if an output lies directly in the output folder that `option` names: files of the folder could
    /// replace it.
    pub(crate) fn check_folder(&self, option: &str, folder: &Path) -> Result<(), Failure> {
        let own = Identity::of(folder);
        // The file that is named, and the one that a link leads to.
        let is_inside = |path: &Path| {
            [path.to_owned(), resolved(path)].iter().any(|path| Identity::of(parent(path)) == own)
        };
        match self.files.iter().find(|(_, path)| is_inside(path)) {
            None => Ok(()),
            Some((file, path)) => Err(Failure::input(format!(
                "{file} {} is in the folder of {option} {}: choose a file outside of it",
                path.display(),
                folder.display()
            ))),
        }
    }

    /// Runs `load`, and fails if an output is one of the files that it read.
    pub(crate) fn reading<T>(
        &self,
        load: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (loaded, read) = impinge_io::recorded(load);
        let loaded = loaded?;
        self.check_inputs(read.iter().map(PathBuf::as_path))?;
        Ok(loaded)
    }

    fn check_inputs<'i>(&self, inputs: impl IntoIterator<Item = &'i Path>) -> Result<(), Failure> {
        if self.files.is_empty() {
            return Ok(());
        }
        let outputs: Vec<_> =
            self.files.iter().map(|&(option, path)| (option, path, Identity::of(path))).collect();
        for input in inputs {
            let own = Identity::of(input);
            if let Some((option, path, _)) = outputs.iter().find(|(.., other)| *other == own) {
                return Err(Failure::input(format!(
                    "{option} {} would overwrite the input {}: choose another file",
                    path.display(),
                    input.display()
                )));
            }
        }
        Ok(())
    }
}

/// The file that a path leads to, through symbolic and hard links.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The resolved path, for files that do not exist yet and for systems without inodes.
    Path(PathBuf),
}

impl Identity {
    fn of(path: &Path) -> Self {
        #[cfg(unix)]
        if let Ok(kind) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Self::Inode(kind.dev(), kind.ino());
        }
        Self::Path(resolved(path))
    }
}

/// Whether the name of a file says that it is a PNG picture, or nothing about what it is.
fn is_png(path: &Path) -> bool {
    path.extension().is_none_or(|kind| kind.eq_ignore_ascii_case("png"))
}

/// Returns the folder of a file.
fn parent(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns the absolute path. The last component need not exist.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(full) = fs::canonicalize(path) {
        return full;
    }
    let folder = fs::canonicalize(parent(path)).ok();
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
