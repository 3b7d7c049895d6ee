//! Files that are whole or not there: written under temporary names, which are exchanged for the real ones
//! when everything has been written.

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

/// A file that is being written. Its content goes to a temporary file in the same folder, which takes the
/// name with [`commit`](Self::commit), or together with others with [`commit_all`]. A draft that is dropped
/// leaves nothing behind.
///
/// A file of that name is replaced (through a symbolic link, what it points to). A device or a pipe, such
/// as `/dev/stdout`, is written to directly.
pub struct Draft {
    /// As the caller named it.
    path: PathBuf,
    out: BufWriter<File>,
    /// The temporary file, and the file whose name it takes; none for a device.
    pending: Option<(Temporary, PathBuf)>,
}

impl Draft {
    /// Begins a file.
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

    /// Writes to the file, and names it if that fails.
    pub fn fill(
        &mut self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        content(&mut self.out).map_err(|error| cannot_write(&self.path, &error))
    }

    /// Gives the file its name.
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

/// A folder of files that is being written, under a temporary name. It takes its own name in one step; where a
/// folder of that name exists, the files are moved into it instead. Dropped before, it leaves nothing behind.
#[derive(Debug)]
pub struct DraftFolder {
    /// As the caller named it.
    path: PathBuf,
    /// Where the files are written.
    within: PathBuf,
    names: Vec<OsString>,
    temporary: Temporary,
    /// What the temporary folder becomes; none if the folder exists, and the files are moved into it.
    target: Option<PathBuf>,
}

impl DraftFolder {
    /// Begins a folder. Folders above it are made if need be.
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
                // The topmost folder that does not exist takes its name, with all that is in it.
                let is_missing = |folder: &&Path| {
                    !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err()
                };
                let target = path.ancestors().take_while(is_missing).last();
                let Some(target) = target.filter(|target| target.file_name().is_some()) else {
                    let message = "is a broken link, or names no folder";
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

    /// Where the folder is until it takes its name.
    pub fn temporary_path(&self) -> &Path {
        &self.within
    }

    /// Writes a file in the folder.
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

/// Gives all files, and the folder if there is one, their names. If one of them cannot have its name, none
/// has, and what was there before is there again.
pub fn commit_all(
    drafts: impl IntoIterator<Item = Draft>,
    folder: Option<DraftFolder>,
) -> Result<(), Error> {
    let mut drafts: Vec<Draft> = drafts.into_iter().collect();
    // A full disk shows here, while nothing has its name yet.
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
    // Nobody abandons files in between.
    let unfinished = unfinished();
    let result = take_names(&moves);
    drop(unfinished);
    result
}

/// A file or folder that is to take its name.
struct Move {
    from: PathBuf,
    to: PathBuf,
    /// The name in messages.
    named: PathBuf,
}

fn take_names(moves: &[Move]) -> Result<(), Error> {
    // A second name for what is replaced, so that it can be had back; one file by itself needs none.
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
        // Nothing more can be done if these fail, and the first error is the one to report.
        let _ = match (&failed, spare) {
            (None, None) => Ok(()),
            (None, Some(spare)) => fs::remove_file(spare),
            (Some(_), Some(spare)) => fs::rename(spare, to),
            (Some(_), None) => fs::rename(to, from),
        };
    }
    failed.map_or(Ok(()), Err)
}

/// Writes a file that is whole or not there; see [`Draft`].
pub fn write_atomically(
    path: impl AsRef<Path>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut draft = Draft::create(path)?;
    draft.fill(content)?;
    draft.commit()
}

/// Removes all files and folders of this process that have not taken their names: for a program that ends
/// at once, from a handler of signals for example, so that nothing cleans up after it.
///
/// The program has to end next: whoever begins another [`Draft`] waits for ever.
pub fn abandon_files() {
    let mut unfinished = unfinished();
    for path in unfinished.drain(..) {
        remove(&path);
    }
    mem::forget(unfinished);
}

fn remove(path: &Path) {
    // Nothing more can be done if that fails.
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

/// The temporary files and folders that exist.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name beside the target that nothing else has.
fn hidden(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
    let name = target.file_name().ok_or_else(no_name)?.to_string_lossy();
    // Names have a length limit, and the target's may be at it.
    let name: String = name.chars().take(40).collect();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(target.with_file_name(format!(".{name}.{}-{count}.tmp", process::id())))
}

/// A temporary file or folder, removed when dropped if it still has that name.
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
            // Nobody abandons files in between.
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

    /// A folder of the test's own, removed at the end.
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
    fn a_file_that_fails_half_way_is_not_there() {
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
    fn all_take_their_names_or_none_does() {
        let folder = Folder::new("all");
        let [old, new] = [folder.write("old.csv", b"before"), folder.0.join("new.csv")];
        let drafts = || {
            [&old, &new].map(|path| {
                let mut draft = Draft::create(path).unwrap();
                draft.fill(|out| out.write_all(b"after")).unwrap();
                draft
            })
        };
        // A folder in the way of a file that is moved into a folder that exists: the last to be moved fails.
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
    fn a_folder_takes_its_name_at_the_end() {
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
