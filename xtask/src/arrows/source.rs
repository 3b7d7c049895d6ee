//! Which module uses which, from the paths in their sources that begin with `crate` or `super`.

mod tokens;

use super::{Arrows, entries};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};
use tokens::Source;

/// Files that are the module of their folder.
const ROOTS: [&str; 3] = ["lib", "main", "mod"];

/// The modules of a folder of sources, and which of them use which others.
pub(super) fn arrows(folder: &Path) -> Result<(BTreeSet<String>, Arrows), String> {
    let modules = Modules::of(folder)?;
    let names = modules.files.keys().cloned().collect();
    Ok((names, modules.arrows()?))
}

/// Which folders of a module use which others.
pub(super) fn arrows_between_folders(folder: &Path, module: &str) -> Result<Arrows, String> {
    let folder = folder.join(module);
    let mut arrows = Modules::of(&folder)?.arrows()?;
    arrows.retain(|(from, to), _| [from, to].iter().all(|name| folder.join(name).is_dir()));
    Ok(arrows)
}

/// The modules of a folder.
struct Modules {
    /// The path of the folder's own module within the crate.
    path: Vec<String>,
    /// The files of each module, but for tests.
    files: BTreeMap<String, Vec<File>>,
    /// Where what the folder's own module names comes from: one of the modules, or `None` for
    /// another crate or the folder's own file.
    exports: BTreeMap<String, Option<String>>,
}

struct File {
    path: PathBuf,
    module: Vec<String>,
    source: Source,
}

impl Modules {
    fn of(folder: &Path) -> Result<Self, String> {
        let path = module_of(&folder.join("mod.rs"));
        let roots = ROOTS.map(|root| folder.join(format!("{root}.rs")));
        let root = roots.iter().find(|file| file.is_file());
        let root = root.ok_or_else(|| format!("{}: no module", folder.display()))?;
        let root = File::read(root.clone())?;
        let mut files = BTreeMap::new();
        for entry in entries(folder)? {
            let Some(name) = module_name(&entry) else { continue };
            if !root.source.tests.contains(&name) {
                File::read_all(entry, files.entry(name).or_insert_with(Vec::new))?;
            }
        }
        let mut exports = BTreeMap::new();
        for used in &root.source.uses {
            let own = ["crate", "self"].contains(&used.path[0].as_str());
            let rest = &used.path[usize::from(own)..];
            let from = rest.first().filter(|name| files.contains_key(*name));
            if let Some(name) = used.path.last() {
                exports.insert(used.alias.clone().unwrap_or(name.clone()), from.cloned());
            }
        }
        exports.extend(root.source.items.iter().map(|item| (item.clone(), None)));
        Ok(Self { path, files, exports })
    }

    fn arrows(&self) -> Result<Arrows, String> {
        let mut arrows = Arrows::new();
        let files =
            self.files.iter().flat_map(|(name, files)| files.iter().map(move |it| (name, it)));
        for (name, file) in files {
            for used in &file.source.uses {
                let place = format!("{}:{}", file.path.display(), used.line);
                let Some(path) = used.within(&file.module) else { continue };
                let Some(first) = path.strip_prefix(&self.path[..]).and_then(<[String]>::first)
                else {
                    continue;
                };
                let to = match self.exports.get(first) {
                    _ if self.files.contains_key(first) => Some(first),
                    Some(module) => module.as_ref(),
                    None => return Err(format!("{place}: what is `{}`?", path.join("::"))),
                };
                if let Some(to) = to.filter(|to| *to != name) {
                    arrows.entry((name.clone(), to.clone())).or_insert(place);
                }
            }
        }
        Ok(arrows)
    }
}

impl File {
    fn read(path: PathBuf) -> Result<Self, String> {
        let text = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let module = module_of(&path);
        Ok(Self { module, source: Source::new(&text), path })
    }

    /// Reads a file, or all files of a folder; modules that are tests are left out.
    fn read_all(path: PathBuf, files: &mut Vec<Self>) -> Result<(), String> {
        if path.is_file() {
            files.push(Self::read(path)?);
            return Ok(());
        }
        // The module itself says which others are tests.
        let beside = path.with_extension("rs");
        let own = [path.join("mod.rs"), beside].into_iter().find(|file| file.is_file());
        let tests = match own {
            Some(own) => Self::read(own)?.source.tests,
            None => BTreeSet::new(),
        };
        for entry in entries(&path)? {
            let is_source = entry.is_dir() || entry.extension() == Some(OsStr::new("rs"));
            let is_test = module_name(&entry).is_some_and(|name| tests.contains(&name));
            if is_source && !is_test {
                Self::read_all(entry, files)?;
            }
        }
        Ok(())
    }
}

/// The name of the module that a file or folder is; none for what is no module, or the folder's own.
fn module_name(path: &Path) -> Option<String> {
    let is_module = path.is_dir() || path.extension() == Some(OsStr::new("rs"));
    let name = path.file_stem()?.to_str()?;
    (is_module && !ROOTS.contains(&name)).then(|| name.to_owned())
}

/// The path of a file's module within its crate.
fn module_of(file: &Path) -> Vec<String> {
    let names: Vec<&str> = file.iter().filter_map(OsStr::to_str).collect();
    let start = names.iter().rposition(|name| *name == "src").map_or(0, |at| at + 1);
    let names = names[start..].iter().map(|name| name.trim_end_matches(".rs"));
    names.filter(|name| !ROOTS.contains(name)).map(str::to_owned).collect()
}

#[test]
fn modules_of_files() {
    let of = |path: &str| module_of(Path::new(path)).join("::");
    assert_eq!(of("/w/src/crates/impinge/src/lib.rs"), "");
    assert_eq!(of("crates/impinge/src/mid/mod.rs"), "mid");
    assert_eq!(of("crates/impinge/src/mid/tree/walk.rs"), "mid::tree::walk");
}
