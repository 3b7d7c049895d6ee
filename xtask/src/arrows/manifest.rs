//! Which crate depends on which, from their manifests.

use super::{Arrows, CRATES, entries};
use std::{collections::BTreeSet, fs, path::Path};

/// The crates of the workspace, and which of them need which others to be built. What only tests and
/// benches need is not looked at.
pub(super) fn arrows(root: &Path) -> Result<(BTreeSet<String>, Arrows), String> {
    let mut manifests = Vec::new();
    for folder in entries(&root.join(CRATES))?.into_iter().chain([root.join("xtask")]) {
        let path = folder.join("Cargo.toml");
        let text = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        manifests.push((name, text));
    }
    let names: BTreeSet<String> = manifests.iter().map(|(name, _)| name.clone()).collect();
    let mut arrows = Arrows::new();
    for (name, text) in &manifests {
        for (line, needed) in dependencies(text).filter(|(_, needed)| names.contains(*needed)) {
            let place = format!("{name}/Cargo.toml:{line}");
            arrows.insert((name.clone(), needed.to_owned()), place);
        }
    }
    Ok((names, arrows))
}

/// The names in the tables of dependencies, with their lines, those of tests left out.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    (1..).zip(manifest.lines()).filter_map(move |(number, line)| {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            let is_for_tests = table.contains("dev-");
            is_inside = !is_for_tests && table.ends_with("dependencies");
            let name = table.split_once("dependencies.")?.1;
            return (!is_for_tests).then_some((number, name));
        }
        let end = line.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)))?;
        (is_inside && end > 0).then(|| (number, &line[..end]))
    })
}

#[test]
fn tables_of_dependencies() {
    let text = "[package]\nname = \"a\"\n[dependencies]\n# no\nb.workspace = true\n\
        c = { path = \"c\" }\n[dev-dependencies]\nd = \"1\"\n[target.'cfg(unix)'.dependencies]\ne = \"1\"\n\
        [dependencies.f]\nversion = \"1\"\n[lints]\nworkspace = true\n";
    let names: Vec<&str> = dependencies(text).map(|(_, name)| name).collect();
    assert_eq!(names, ["b", "c", "e", "f"]);
}
