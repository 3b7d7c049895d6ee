//! Counts the files in folders that are not read, so that nothing is left out unnoticed.

use super::LeftOut;
use crate::format::read_file;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

/// Extensions of files that belong to a 3D model and hold no shapes: materials, pictures, and the buffers of glTF
/// files.
const ACCESSORIES: [&str; 15] = [
    "mtl", "png", "jpg", "jpeg", "webp", "bmp", "tga", "tif", "tiff", "gif", "dds", "ktx2",
    "basis", "hdr", "bin",
];

/// The files of folders that were not read.
#[derive(Debug, Default)]
pub(super) struct OtherFiles {
    by_kind: BTreeMap<String, LeftOut>,
    /// Files that are left out unless a model refers to them.
    accessories: BTreeSet<PathBuf>,
    /// The names of files to which models refer, in lower case.
    referenced: HashSet<String>,
    /// The material libraries that were read. Those of two folders may have the same name.
    libraries: HashSet<PathBuf>,
    /// Whether the folders were listed by another process.
    is_elsewhere: bool,
}

impl OtherFiles {
    /// Adds a file without shapes, by its extension.
    pub(super) fn add(&mut self, path: &Path) {
        match extension(path) {
            Some(extension) if ACCESSORIES.contains(&&*extension) => {
                self.accessories.insert(path.to_owned());
            }
            Some(extension) => self.count(format!(".{extension} files"), path),
            None => self.count("files without an extension".into(), path),
        }
    }

    /// Adds a file or folder of a kind that the extension does not say.
    pub(super) fn count(&mut self, kind: String, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.by_kind.entry(kind).or_insert_with_key(|kind| LeftOut::new(kind)).add(name);
    }

    /// Records the files to which a model refers.
    pub(super) fn refer(&mut self, model: &Path, bytes: &[u8]) {
        if self.accessories.is_empty() && !self.is_elsewhere {
            return;
        }
        match extension(model).as_deref() {
            Some("obj") => {
                for library in materials(bytes) {
                    // The pictures of a material library are referred to, too.
                    let path = model.with_file_name(&*library);
                    self.referenced.extend(name(&library));
                    if self.has(&path, &library)
                        && self.libraries.insert(path.clone())
                        && let Ok(bytes) = read_file(&path)
                    {
                        self.referenced.extend(pictures(&bytes));
                    }
                }
            }
            Some("gltf" | "glb") => self.referenced.extend(uris(bytes)),
            _ => {}
        }
    }

    /// Returns whether there are files to which models may refer.
    pub(super) fn has_accessories(&self) -> bool {
        !self.accessories.is_empty()
    }

    /// The other files of a folder that was listed elsewhere: every file below the folder of a model may be one of them.
    pub(super) fn listed_elsewhere() -> Self {
        Self { is_elsewhere: true, ..Self::default() }
    }

    /// Returns whether a file to which a model refers is one of these.
    fn has(&self, path: &Path, reference: &str) -> bool {
        let is_listed = |part: Component<'_>| match part {
            Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
            _ => false,
        };
        match self.is_elsewhere {
            false => self.accessories.contains(path),
            true => {
                let accessory = |own: String| ACCESSORIES.contains(&&*own);
                extension(path).is_some_and(accessory)
                    && Path::new(reference).components().all(is_listed)
                    && path.is_file()
            }
        }
    }

    /// Returns the names of files to which models refer, sorted.
    pub(super) fn referenced(&self) -> Vec<String> {
        let mut names: Vec<String> = self.referenced.iter().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Adds names of files to which models refer.
    pub(super) fn refer_to(&mut self, names: Vec<String>) {
        self.referenced.extend(names);
    }

    /// Returns the files that were not read, by kind.
    pub(super) fn finish(mut self) -> Vec<LeftOut> {
        for path in std::mem::take(&mut self.accessories) {
            let own = name(&path.to_string_lossy());
            if !own.is_some_and(|own| self.referenced.contains(&own)) {
                let kind = format!(".{} files", extension(&path).unwrap_or_default());
                self.count(kind, &path);
            }
        }
        self.by_kind.into_values().collect()
    }
}

fn extension(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_lowercase)
}

/// Returns the name of a file without its folders, in lower case.
fn name(path: &str) -> Option<String> {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).map(str::to_lowercase)
}

/// Returns the material libraries of an OBJ file. A line may name several; file names may hold spaces, too.
fn materials(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for start in memchr::memmem::find_iter(bytes, b"mtllib ") {
        let is_start = start == 0 || matches!(bytes[start - 1], b'\n' | b'\r' | b' ' | b'\t');
        let rest = &bytes[start + b"mtllib ".len()..];
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = String::from_utf8_lossy(&rest[..end.min(4096)]);
        if is_start {
            found.push(line.trim().to_owned());
            found.extend(line.split_whitespace().map(str::to_owned));
        }
    }
    found
}

/// Returns the names of the pictures of a material library: the last word of every line.
fn pictures(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter_map(|line| name(line.split_whitespace().last()?)).collect()
}

/// Returns the names of the files to which a glTF file refers.
fn uris(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for start in memchr::memmem::find_iter(bytes, b"\"uri\"") {
        let rest = bytes[start + b"\"uri\"".len()..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b":") else { continue };
        let Some(rest) = rest.trim_ascii_start().strip_prefix(b"\"") else { continue };
        let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        // Embedded data is long and names no file.
        if end <= 4096 {
            let uri = String::from_utf8_lossy(&rest[..end]);
            found.extend(name(&uri.replace("%20", " ")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found() {
        let obj = b"mtllib a b.mtl\n# mtl\no x\nmtllib textures/c.mtl\r\n";
        let found: Vec<_> = materials(obj).iter().filter_map(|path| name(path)).collect();
        assert_eq!(found, ["a b.mtl", "a", "b.mtl", "c.mtl", "c.mtl"]);
        assert_eq!(pictures(b"newmtl x\nmap_Kd -s 1 1 1 A/Wood.PNG\n\n"), ["x", "wood.png"]);
        let gltf =
            br#"{"buffers": [{"uri" : "a%20b.bin"}], "images": [{"uri":"T/c.png"}, {"uri"}]}"#;
        assert_eq!(uris(gltf), ["a b.bin", "c.png"]);
    }
}
