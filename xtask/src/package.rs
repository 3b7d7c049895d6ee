//! Whether every crate that is to be published can be packaged, with all files that it needs.
//!
//! Packages are made but not compiled: that would take as long as building everything once more. What compiling would
//! find that nothing else does, files that are included from outside the crate, is looked for in the sources.

use crate::{
    command::{cargo, output_of},
    step::Outcome,
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

/// Every package holds these.
const REQUIRED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn check(root: &Path) -> Outcome {
    match try_check(root) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

fn try_check(root: &Path) -> Result<(), String> {
    let crates = published(root)?;
    // The registry has been asked for everything by now, or nothing could have been compiled.
    let options = ["--offline", "--no-verify", "--allow-dirty"];
    let mut package = cargo(root, &["package"]);
    package.args(options);
    for name in &crates {
        package.args(["-p", name]);
        let list = ["package", "--list", "--offline", "--allow-dirty", "-p", name];
        let files = output_of(&mut cargo(root, &list))?;
        let files = files.lines().map(PathBuf::from).collect();
        let missing = missing(&root.join("crates").join(name), &files)?;
        if !missing.is_empty() {
            return Err(format!("the package {name} lacks {}", missing.join(", ")));
        }
    }
    output_of(&mut package)?;
    println!("packaged {}", crates.join(", "));
    Ok(())
}

/// The names of all crates but those that say `publish = false`; a crate has the name of its folder.
fn published(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("crates");
    let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).map_err(cannot)?;
        if !manifest.lines().any(|line| line.trim() == "publish = false") {
            names.push(entry.file_name().display().to_string());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Files that a package needs and does not have.
fn missing(folder: &Path, files: &BTreeSet<PathBuf>) -> Result<Vec<String>, String> {
    let lacks = |name: &&str| !files.contains(Path::new(*name));
    let required = REQUIRED.into_iter().filter(lacks);
    let mut missing: Vec<String> = required.map(str::to_owned).collect();
    let is_source = |file: &&PathBuf| {
        file.starts_with("src") && file.extension().is_some_and(|extension| extension == "rs")
    };
    for source in files.iter().filter(is_source) {
        let path = folder.join(source);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        for included in included(&text) {
            let is_there = joined(source, included).is_some_and(|path| files.contains(&path));
            if !is_there {
                missing.push(format!("{included}, which {} includes", source.display()));
            }
        }
    }
    Ok(missing)
}

/// The arguments of `include_str!` and `include_bytes!` in a source file.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let calls = ["include_str!(\"", "include_bytes!(\""];
    calls
        .into_iter()
        .flat_map(|call| text.split(call).skip(1).filter_map(|rest| rest.split('"').next()))
}

/// The path of an included file within the package; none if it lies outside.
fn joined(source: &Path, included: &str) -> Option<PathBuf> {
    let mut path = source.parent()?.to_owned();
    for component in Path::new(included).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_are_found_from_where_they_are_included() {
        let text = "const A: &str = include_str!(\"../a.html\");\n#[doc = include_str!(\"b.md\")]\n\
                    const C: &[u8] = include_bytes!(\"c\");";
        assert_eq!(included(text).collect::<Vec<_>>(), ["../a.html", "b.md", "c"]);
        let joined = |path| joined(Path::new("src/page/mod.rs"), path);
        assert_eq!(joined("b.md"), Some("src/page/b.md".into()));
        assert_eq!(joined("../../page/a.html"), Some("page/a.html".into()));
        assert_eq!(joined("../../../README.md"), None);
        assert_eq!(joined("/etc/passwd"), None);
    }

    #[test]
    fn the_command_is_published_and_its_benchmarks_are_not() {
        let names = published(crate::root()).unwrap();
        assert!(names.iter().any(|name| name == "impinge-cli"), "{names:?}");
        assert!(!names.iter().any(|name| name == "impinge-bench"), "{names:?}");
    }

    #[test]
    fn files_that_are_not_packaged_are_missed() {
        let folder = crate::root().join("crates/impinge");
        let all = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs"];
        let all: BTreeSet<PathBuf> = all.map(PathBuf::from).into();
        assert_eq!(missing(&folder, &all), Ok(vec![]));
        let mut fewer = all;
        fewer.remove(Path::new("README.md"));
        let missing = missing(&folder, &fewer).unwrap();
        assert_eq!(missing, ["README.md", "../README.md, which src/lib.rs includes"]);
    }
}
