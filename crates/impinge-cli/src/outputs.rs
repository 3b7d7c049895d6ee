//! The files that a command writes: none of them may be a file that it reads, or another output.
//!
//! Commands check what they were told before they read ([`Outputs::check`]), and what they have read before
//! they compute ([`Outputs::reading`]): a glTF file names its buffers, a robot its meshes.

use crate::failure::Failure;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that are to be written, each with the option that names it.
pub(crate) struct Outputs<'a> {
    files: Vec<(&'static str, &'a Path)>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(files: impl IntoIterator<Item = (&'static str, Option<&'a Path>)>) -> Self {
        let named = |(option, path): (_, Option<&'a Path>)| Some((option, path?));
        Self { files: files.into_iter().filter_map(named).collect() }
    }

    /// Refuses outputs that cannot be written, that are one file, or that are one of the inputs.
    pub(crate) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        let mut seen: Vec<(&str, &Path, Identity)> = Vec::new();
        for &(option, path) in &self.files {
            let named = path.display();
            if path.is_dir() {
                return Err(Failure::input(format!("{named}: is a folder, not a file")));
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if folder.is_some_and(|folder| !folder.is_dir()) {
                return Err(Failure::input(format!("{named}: cannot be written: no such folder")));
            }
            if path == Path::new("/dev/null") {
                continue;
            }
            let own = Identity::of(path);
            if let Some((other, file, _)) = seen.iter().find(|(.., identity)| *identity == own) {
                return Err(Failure::input(format!(
                    "{option} {named} is the same file as {other} {}: give each output a file of \
                     its own",
                    file.display()
                )));
            }
            seen.push((option, path, own));
        }
        self.check_inputs(inputs)
    }

    /// Runs what reads files, and refuses outputs that are any of them.
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
                    "{option} {} would overwrite the input {}: name another file",
                    path.display(),
                    input.display()
                )));
            }
        }
        Ok(())
    }
}

/// Which file a path leads to, through links of either kind.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The resolved path: of a file that does not exist yet, and where there are no inodes.
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

/// The full path, of which the last name need not exist.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(full) = fs::canonicalize(path) {
        return full;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok();
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
