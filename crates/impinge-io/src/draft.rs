//! Atomic file output: content goes to temporary files, which are renamed to their final names once everything has
//! been written. All commands that write files use it, directly or through [`save`](crate::save).

use crate::{Error, error::Fault};
use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::{self, File},
    io::{self, BufWriter, Write},
    mem,
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// A file that is being written.
///
/// The content goes to a temporary file in the same folder. [`commit`](Self::commit) renames it to its final name;
/// [`commit_all`] does so for several files together. A draft that is dropped without a commit is removed.
///
/// An existing file of that name is replaced; if it is a symbolic link, its target is replaced. A device or a pipe,
/// such as `/dev/stdout`, is written to directly.
pub struct Draft {
    /// The path as the caller spelled it.
    path: PathBuf,
    out: BufWriter<File>,
    /// The temporary file, and the path it is renamed to; `None` for a device or a pipe.
    pending: Option<(Temporary, PathBuf)>,
}

impl Draft {
    /// Creates the temporary file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let cannot = |error: io::Error| cannot_write(path, &error);
        let target = match fs::metadata(path) {
            Ok(kind) if kind.is_dir() => {
                return Err(Fault::file("is a folder, not a file").in_file(path));
            }
            Ok(kind) if !kind.is_file() => {
                let device = File::options().write(true).open(path).map_err(cannot)?;
                return Ok(Self { path: path.to_owned(), out: buffered(device), pending: None });
            }
            Ok(_) => fs::canonicalize(path).map_err(cannot)?,
            Err(_) => path.to_owned(),
        };
        let (file, temporary) = Temporary::file(&target).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), out: buffered(file), pending: Some((temporary, target)) })
    }

    /// Writes the content by calling `content`. The error of a failed write names this file.
    pub fn fill(
        &mut self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        content(&mut self.out).map_err(|error| cannot_write(&self.path, &error))
    }

    /// Renames the temporary file to its final name.
    pub fn commit(self) -> Result<(), Error> {
        commit_all([self], None)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A folder of files that is being written under a temporary name.
///
/// [`commit_all`] renames the folder in one step. If a folder of that name already exists, the files are moved into
/// it instead. A draft that is dropped without a commit is removed.
#[derive(Debug)]
pub struct DraftFolder {
    /// The path as the caller spelled it.
    path: PathBuf,
    /// The folder that the files are written to.
    within: PathBuf,
    names: Vec<OsString>,
    temporary: Temporary,
    /// The final path of the temporary folder; `None` if that folder exists and receives the files.
    target: Option<PathBuf>,
}

impl DraftFolder {
    /// Creates the temporary folder. Missing parent folders are created on commit.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let cannot = |error: io::Error| cannot_write(path, &error);
        let own = path.to_owned();
        match fs::metadata(path) {
            Ok(kind) if kind.is_dir() => {
                let temporary = Temporary::folder(&path.join("files")).map_err(cannot)?;
                let within = temporary.path().to_owned();
                Ok(Self { path: own, within, names: Vec::new(), temporary, target: None })
            }
            Ok(_) => Err(Fault::file("is a file, not a folder").in_file(path)),
            Err(_) => {
                // Rename the topmost missing folder, together with everything in it.
                let is_missing = |folder: &&Path| {
                    !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err()
                };
                let target = path.ancestors().take_while(is_missing).last();
                let Some(target) = target.filter(|target| target.file_name().is_some()) else {
                    let message = "is a broken link or not the name of a folder";
                    return Err(Fault::file(message).in_file(path));
                };
                let temporary = Temporary::folder(target).map_err(cannot)?;
                let below = path.strip_prefix(target).unwrap_or(Path::new(""));
                let within = temporary.path().join(below);
                fs::create_dir_all(&within).map_err(cannot)?;
                let target = Some(target.to_owned());
                Ok(Self { path: own, within, names: Vec::new(), temporary, target })
            }
        }
    }

    /// Returns the path of the folder before the commit.
    pub fn temporary_path(&self) -> &Path {
        &self.within
    }

    /// Writes a file into the folder.
    pub fn file(
        &mut self,
        name: impl AsRef<OsStr>,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let name = name.as_ref();
        let written = File::create(self.within.join(name)).and_then(|file| {
            let mut out = buffered(file);
            content(&mut out)?;
            out.flush()
        });
        written.map_err(|error| cannot_write(&self.path.join(name), &error))?;
        self.names.push(name.to_owned());
        Ok(())
    }
}

/// Renames all files, and the folder if given, to their final names. If one rename fails, all are undone: files that
/// existed before are restored.
pub fn commit_all(
    drafts: impl IntoIterator<Item = Draft>,
    folder: Option<DraftFolder>,
) -> Result<(), Error> {
    let mut drafts: Vec<Draft> = drafts.into_iter().collect();
    // A full disk is reported here, before any file is renamed.
    for Draft { path, out, .. } in &mut drafts {
        out.flush().map_err(|error| cannot_write(path, &error))?;
    }
    let mut moves = Vec::new();
    let mut temporaries = Vec::new();
    for Draft { path, out, pending } in drafts {
        drop(out);
        if let Some((temporary, target)) = pending {
            moves.push(Move { from: temporary.path().to_owned(), to: target, named: path });
            temporaries.push(temporary);
        }
    }
    if let Some(DraftFolder { path, within, names, temporary, target }) = folder {
        match target {
            Some(to) => moves.push(Move { from: temporary.path().to_owned(), to, named: path }),
            None => moves.extend(names.into_iter().map(|name| {
                let to = path.join(&name);
                Move { from: within.join(name), named: to.clone(), to }
            })),
        }
        temporaries.push(temporary);
    }
    // Holding the lock keeps `abandon_files` from removing files during the renames.
    let unfinished = unfinished();
    let result = rename_all(&moves);
    drop(unfinished);
    result
}

/// A rename of a file or folder.
struct Move {
    from: PathBuf,
    to: PathBuf,
    /// The path to show in messages.
    named: PathBuf,
}

fn rename_all(moves: &[Move]) -> Result<(), Error> {
    // A hard link keeps each replaced file, so that it can be restored. A single rename needs none.
    let mut before: Vec<Option<PathBuf>> = Vec::new();
    let mut failed = None;
    for Move { from, to, named } in moves {
        let spare = (moves.len() > 1).then(|| hidden(to).ok()).flatten();
        let spare = spare.filter(|spare| fs::hard_link(to, spare).is_ok());
        if let Err(error) = fs::rename(from, to) {
            spare.iter().for_each(|spare| _ = fs::remove_file(spare));
            failed = Some(cannot_write(named, &error));
            break;
        }
        before.push(spare);
    }
    for (Move { from, to, .. }, spare) in moves.iter().zip(&before).rev() {
        // Errors here cannot be handled; the first error is reported.
        let _ = match (&failed, spare) {
            (None, None) => Ok(()),
            (None, Some(spare)) => fs::remove_file(spare),
            (Some(_), Some(spare)) => fs::rename(spare, to),
            (Some(_), None) => fs::rename(to, from),
        };
    }
    failed.map_or(Ok(()), Err)
}

/// Writes a file completely or not at all; see [`Draft`].
pub fn write_atomically(
    path: impl AsRef<Path>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut draft = Draft::create(path)?;
    draft.fill(content)?;
    draft.commit()
}

/// Removes all temporary files and folders of this process. Call it before the process exits without running
/// destructors, for example in a signal handler.
///
/// The process has to exit next: creating another [`Draft`] blocks for ever.
pub fn abandon_files() {
    let mut unfinished = unfinished();
    for path in unfinished.drain(..) {
        remove(&path);
    }
    mem::forget(unfinished);
}

fn remove(path: &Path) {
    // An error here cannot be handled.
    let _ = match fs::symlink_metadata(path) {
        Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Fault::file(format!("cannot be written: {error}")).in_file(path)
}

fn buffered(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 16, file)
}

/// The temporary files and folders that exist now.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an unused hidden file name beside `target`.
fn hidden(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name");
    let name = target.file_name().ok_or_else(no_name)?.to_string_lossy();
    // File names have a length limit, which the target's name may already reach.
    let name: String = name.chars().take(40).collect();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(target.with_file_name(format!(".{name}.{}-{count}.tmp", process::id())))
}

/// A temporary file or folder, removed when dropped unless it has been renamed.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    fn file(target: &Path) -> io::Result<(File, Self)> {
        Self::make(target, |path| File::options().write(true).create_new(true).open(path))
    }

    fn folder(target: &Path) -> io::Result<Self> {
        Self::make(target, |path| fs::create_dir(path)).map(|((), folder)| folder)
    }

    fn make<T>(target: &Path, make: impl Fn(&PathBuf) -> io::Result<T>) -> io::Result<(T, Self)> {
        loop {
            let path = hidden(target)?;
            // Holding the lock keeps `abandon_files` from running between creation and registration.
            let mut unfinished = unfinished();
            match make(&path) {
                Ok(made) => {
                    unfinished.push(path.clone());
                    return Ok((made, Self(path)));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.0);
        unfinished().retain(|other| *other != self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    /// A temporary folder for one test, removed when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("impinge-io-{test}-{}", process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn write(&self, name: &str, content: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, content).unwrap();
            path
        }

        fn names(&self) -> Vec<String> {
            names(&self.0)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_no_file() {
        let folder = Folder::new("half");
        let path = folder.write("kept.csv", b"before");
        let error = write_atomically(&path, |out| {
            out.write_all(&[b'x'; 1 << 18])?;
            Err(io::Error::other("the disk is on fire"))
        })
        .unwrap_err();
        assert_eq!(error.message, "cannot be written: the disk is on fire");
        assert_eq!(error.location, Location::File);
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(folder.names(), ["kept.csv"]);
        assert!(write_atomically(folder.0.join("no/such/folder.csv"), |_| Ok(())).is_err());
        assert!(write_atomically(&folder.0, |_| Ok(())).is_err());
        #[cfg(unix)]
        {
            let link = folder.0.join("link.csv");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            write_atomically(&link, |out| out.write_all(b"after")).unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read(&path).unwrap(), b"after");
            write_atomically("/dev/null", |out| out.write_all(b"gone")).unwrap();
        }
    }
    #[test]
    fn all_files_are_renamed_or_none() {
        let folder = Folder::new("all");
        let [old, new] = [folder.write("old.csv", b"before"), folder.0.join("new.csv")];
        let drafts = || {
            [&old, &new].map(|path| {
                let mut draft = Draft::create(path).unwrap();
                draft.fill(|out| out.write_all(b"after")).unwrap();
                draft
            })
        };
        // The last rename fails, because a folder already has the name of that file.
        let pictures = folder.0.join("pictures");
        fs::create_dir_all(pictures.join("b.png")).unwrap();
        let mut draft = DraftFolder::create(&pictures).unwrap();
        for name in ["a.png", "b.png"] {
            draft.file(name, |out| out.write_all(b"after")).unwrap();
        }
        let error = commit_all(drafts(), Some(draft)).unwrap_err();
        assert_eq!(error.path, pictures.join("b.png"));
        assert_eq!(folder.names(), ["old.csv", "pictures"]);
        assert_eq!(
            (fs::read(&old).unwrap(), names(&pictures)),
            (b"before".into(), vec!["b.png".into()])
        );

        fs::remove_dir(pictures.join("b.png")).unwrap();
        fs::write(pictures.join("b.png"), b"before").unwrap();
        let mut draft = DraftFolder::create(&pictures).unwrap();
        for name in ["a.png", "b.png"] {
            draft.file(name, |out| out.write_all(b"after")).unwrap();
        }
        commit_all(drafts(), Some(draft)).unwrap();
        assert_eq!(folder.names(), ["new.csv", "old.csv", "pictures"]);
        assert_eq!(names(&pictures), ["a.png", "b.png"]);
        for path in [old, new, pictures.join("a.png"), pictures.join("b.png")] {
            assert_eq!(fs::read(&path).unwrap(), b"after", "{}", path.display());
        }
    }

    #[test]
    fn a_folder_is_renamed_on_commit() {
        let folder = Folder::new("folder");
        let deep = folder.0.join("a/b");
        let begun = || {
            let mut draft = DraftFolder::create(&deep).unwrap();
            draft.file("c.png", |out| out.write_all(b"picture")).unwrap();
            assert!(!folder.0.join("a").exists());
            draft
        };
        drop(begun());
        assert_eq!(folder.names(), [] as [&str; 0]);
        commit_all([], Some(begun())).unwrap();
        assert_eq!((folder.names(), names(&deep)), (vec!["a".into()], vec!["c.png".into()]));
        let file = folder.write("file", b"");
        assert!(DraftFolder::create(file).unwrap_err().message.contains("not a folder"));
    }
}
