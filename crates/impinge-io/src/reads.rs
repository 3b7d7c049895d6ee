//! Records which files a load has opened, so that a program can refuse to overwrite them.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

thread_local! {
    /// The files opened on this thread since the recording began; `None` if nothing is being recorded.
    static READ: RefCell<Option<Vec<PathBuf>>> = const { RefCell::new(None) };
}

/// Runs `load` and returns its result and the files that this crate opened on this thread meanwhile, in order: the
/// files themselves, buffers of glTF files, meshes of robots.
///
/// The list is also returned if `load` fails.
///
/// ```
/// let (model, read) = impinge_io::recorded(|| impinge_io::load("no such file.obj"));
/// assert!(model.is_err() && read.is_empty());
/// ```
pub fn recorded<T>(load: impl FnOnce() -> T) -> (T, Vec<PathBuf>) {
    /// Restores the list of the enclosing recording, also if `load` panics.
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

/// Records a file that was opened.
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
    fn recordings_can_be_nested() {
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
