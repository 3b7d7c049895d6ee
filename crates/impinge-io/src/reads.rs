//! Which files a load has read, so that a program does not write over them.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

thread_local! {
    /// The files read on this thread since the recording began; `None` while nobody records.
    static READ: RefCell<Option<Vec<PathBuf>>> = const { RefCell::new(None) };
}

/// Runs `load` and lists the files that this crate opened meanwhile on this thread, in the order in which
/// they were opened: the files themselves, buffers of glTF files, meshes of robots.
///
/// Files are listed also where `load` fails.
///
/// ```
/// let (model, read) = impinge_io::recorded(|| impinge_io::load("no such file.obj"));
/// assert!(model.is_err() && read.is_empty());
/// ```
pub fn recorded<T>(load: impl FnOnce() -> T) -> (T, Vec<PathBuf>) {
    /// Gives the list back to the recording around this one, also if `load` panics.
    struct Outer(Option<Vec<PathBuf>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            let outer = self.0.take();
            READ.with(|read| {
                let inner = read.replace(outer).unwrap_or_default();
                if let Some(outer) = &mut *read.borrow_mut() {
                    outer.extend(inner);
                }
            });
        }
    }
    let outer = Outer(READ.with(|read| read.replace(Some(Vec::new()))));
    let result = load();
    let list = READ.with(|read| read.borrow().clone()).unwrap_or_default();
    drop(outer);
    (result, list)
}

/// Takes note of a file that was opened.
pub(crate) fn note(path: &Path) {
    READ.with(|read| {
        if let Some(list) = &mut *read.borrow_mut() {
            list.push(path.to_owned());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_within_each_other() {
        note(Path::new("before"));
        let (inner, outer) = recorded(|| {
            note(Path::new("a"));
            let ((), inner) = recorded(|| note(Path::new("b")));
            note(Path::new("c"));
            inner
        });
        assert_eq!((inner, outer), (vec!["b".into()], vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(recorded(|| ()).1, [] as [PathBuf; 0]);
    }
}
