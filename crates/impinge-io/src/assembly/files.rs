//! Files and folders, one after the other.

use super::{
    Assembly, LoadOptions, Unit,
    build::{Builder, NewPart, file_error},
    obj, scene, step, urdf,
};
use crate::{
    Error, Format,
    error::Fault,
    format::{check_content, check_regular, read_file, read_from},
};
use glam::DAffine3;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// How deep folders may be nested.
const MAX_FOLDERS: usize = 64;

/// The most files of one assembly.
const MAX_FILES: usize = 1_000_000;

/// What a file is, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mesh(Format),
    Step,
    Urdf,
    /// It holds shapes, but is not read; what to do instead.
    Unread(&'static str),
}

/// Extensions of files with shapes that are not read, and what to say of them. Where a folder holds
/// one, leaving it out would make an assembly look clear that is not.
const UNREAD: [(&[&str], &str); 6] = [
    (&["stpz", "stpx"], "STEP is read as text only (.step); unpack or convert it"),
    (
        &["iges", "igs", "brep", "sat", "x_t", "x_b", "sldprt", "sldasm", "catpart", "catproduct"],
        "CAD files are not read: their surfaces have to be cut into triangles first; save it as .glb \
         or .stl",
    ),
    (&["dae"], "Collada is not read; save it as .glb, .obj or .stl"),
    (&["ifc", "ifczip", "ifcxml"], IFC),
    (
        &["3mf", "amf", "fbx", "blend", "3ds", "x3d", "wrl", "usd", "usda", "usdc", "usdz", "jt"],
        "files of this kind are not read; save it as .glb, .obj or .stl",
    ),
    (&["xacro"], "xacro is not read: run `xacro` on it to get a .urdf"),
];

/// Buildings: written like STEP, but of shapes that OpenCASCADE does not know.
pub(super) const IFC: &str =
    "IFC is not read; save it as .glb, or make one with IfcOpenShell (docs/formats.md shows how)";

/// Extensions of STEP files.
const STEP: [&str; 3] = ["step", "stp", "p21"];

/// Why a file of shapes is not read as the mesh of a robot, if its extension is of a kind that is known not to be.
pub(super) fn unread(path: &Path) -> Option<&'static str> {
    match Kind::of_path(path) {
        Some(Kind::Unread(message)) => Some(message),
        Some(Kind::Step) => Some("STEP is not read as the mesh of a robot; save it as .stl"),
        _ => None,
    }
}

impl Kind {
    fn of_path(path: &Path) -> Option<Self> {
        if let Some(format) = Format::of_path(path) {
            return Some(Self::Mesh(format));
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension == "urdf" {
            return Some(Self::Urdf);
        }
        if STEP.contains(&&*extension) {
            return Some(Self::Step);
        }
        let unread = UNREAD.iter().find(|(extensions, _)| extensions.contains(&&*extension));
        unread.map(|(_, message)| Self::Unread(message))
    }
}

/// A file to be read, and the sub-assembly that its folder is.
struct Listed {
    path: PathBuf,
    kind: Kind,
    group: Option<u32>,
    in_folder: bool,
}

/// Reads files and folders as one assembly; see the [module](super) for what becomes a part.
///
/// Folders are gone through in the order of names, folders in them as sub-assemblies. Files whose
/// extension says that they hold no shapes are passed over there, and so are those whose name
/// begins with a dot, and links to folders. A file of shapes that cannot be read is an error, also
/// in a folder.
pub fn load(
    paths: impl IntoIterator<Item = impl AsRef<Path>>,
    options: &LoadOptions,
) -> Result<Assembly, Error> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
    options.check().map_err(|message| file_error(first, message))?;
    let mut builder = Builder::new(options);
    let mut files = Vec::new();
    for path in &paths {
        if fs::metadata(path).is_ok_and(|kind| kind.is_dir()) {
            let group = match paths.len() {
                1 => None,
                _ => Some(group(&mut builder, path, None)?),
            };
            let before = files.len();
            list_folder(path, group, 0, &mut builder, &mut files)?;
            if files.len() == before {
                let error = file_error(path, "the folder holds no file of a kind that is read");
                builder.broken(&stem(path), error)?;
            }
        } else {
            let listed = list_file(path)?;
            files.push(listed);
        }
    }
    let is_one = files.len() == 1;
    for file in &files {
        if let Err(error) = add_file(file, is_one, &mut builder) {
            builder.broken(&stem(&file.path), error)?;
        }
    }
    finish(builder)
}

/// Reads an assembly from bytes, in the format that the path's extension names. No file is touched,
/// so buffers and meshes in other files are refused.
pub fn read(bytes: &[u8], path: &Path, options: &LoadOptions) -> Result<Assembly, Error> {
    options.check().map_err(|message| file_error(path, message))?;
    let mut builder = Builder::new(options);
    let kind = list_file(path)?.kind;
    if let Err(error) = add_bytes(bytes, path, kind, None, &Within::alone(), &mut builder) {
        builder.broken(&stem(path), error)?;
    }
    finish(builder)
}

fn finish(builder: Builder<'_>) -> Result<Assembly, Error> {
    let options = builder.options;
    let assembly = builder.finish()?;
    urdf::check_joint_names(&assembly, options)?;
    Ok(assembly)
}

/// The sub-assemblies that a file's parts may be in.
pub(super) struct Within<'a> {
    /// That of its folder.
    pub(super) folder: Option<u32>,
    /// What to call a sub-assembly of the file's own, if it needs one.
    own: Option<&'a Path>,
}

impl Within<'_> {
    fn alone() -> Self {
        Self { folder: None, own: None }
    }

    /// The sub-assembly of a file that has nodes or groups.
    pub(super) fn file_group(&self, builder: &mut Builder<'_>) -> Result<Option<u32>, String> {
        match self.own {
            None => Ok(self.folder),
            Some(path) => builder.add_group(stem(path), self.folder).map(Some),
        }
    }
}

fn list_file(path: &Path) -> Result<Listed, Error> {
    match Kind::of_path(path) {
        Some(kind) => Ok(Listed { path: path.to_owned(), kind, group: None, in_folder: false }),
        None => {
            // What is wrong may be more than the extension: there may be no such file.
            let known = || crate::format::known_format(path).map(|_| ());
            let fault = check_regular(path).and_then(|()| known()).err();
            let fault = fault.unwrap_or_else(|| Fault::file("files of this kind are not read"));
            Err(fault.in_file(path))
        }
    }
}

/// Lists the files of a folder and of those in it, by name.
fn list_folder(
    folder: &Path,
    own: Option<u32>,
    depth: usize,
    builder: &mut Builder<'_>,
    files: &mut Vec<Listed>,
) -> Result<(), Error> {
    if depth > MAX_FOLDERS {
        return Err(file_error(folder, format!("folders are nested more than {MAX_FOLDERS} deep")));
    }
    let cannot = |error: std::io::Error| file_error(folder, format!("cannot be read: {error}"));
    let mut entries =
        fs::read_dir(folder).map_err(cannot)?.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(cannot)?;
        if kind.is_dir() {
            let group = group(builder, &path, own)?;
            list_folder(&path, Some(group), depth + 1, builder, files)?;
        } else if let Some(kind) = Kind::of_path(&path).filter(|_| !path.is_dir()) {
            if files.len() == MAX_FILES {
                return Err(file_error(folder, format!("more than {MAX_FILES} files")));
            }
            files.push(Listed { path, kind, group: own, in_folder: true });
        }
    }
    Ok(())
}

/// A folder as a sub-assembly.
fn group(builder: &mut Builder<'_>, path: &Path, parent: Option<u32>) -> Result<u32, Error> {
    let name = match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        // `.` and `..` have no name of their own.
        None => path.to_string_lossy().into_owned(),
    };
    builder.add_group(name, parent).map_err(|message| file_error(path, message))
}

pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn add_file(file: &Listed, is_one: bool, builder: &mut Builder<'_>) -> Result<(), Error> {
    let Listed { path, kind, group, in_folder } = file;
    if *kind == Kind::Urdf && *in_folder {
        let message = "a robot in a folder of parts: its meshes are placed by it, so give the .urdf \
                       file itself";
        return Err(file_error(path, message));
    }
    let bytes = match kind {
        // What it holds does not matter, only that it is there.
        Kind::Unread(_) => check_regular(path).map(|()| Vec::new()),
        Kind::Mesh(_) | Kind::Step | Kind::Urdf => read_file(path),
    };
    let bytes = bytes.map_err(|fault| fault.in_file(path))?;
    let within = Within { folder: *group, own: (!is_one).then_some(path) };
    add_bytes(&bytes, path, *kind, path.parent(), &within, builder)
}

/// Adds the parts of a file, all or, unless the parts are read one by one, none.
fn add_bytes(
    bytes: &[u8],
    path: &Path,
    kind: Kind,
    folder: Option<&Path>,
    within: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let named = |fault: Fault| fault.in_file(path);
    let format = match kind {
        Kind::Unread(message) => return Err(file_error(path, message)),
        Kind::Urdf => {
            builder.begin_file(path, Some(Unit::Metre));
            let group = within.file_group(builder).map_err(|message| file_error(path, message))?;
            return urdf::read(bytes, path, folder, group, builder);
        }
        Kind::Step => return step::read(bytes, path, within, builder),
        Kind::Mesh(format) => format,
    };
    check_content(bytes, format).map_err(named)?;
    match format {
        Format::Gltf | Format::Glb => {
            if format == Format::Glb {
                crate::gltf::check_glb(bytes).map_err(named)?;
            }
            builder.begin_file(path, Some(Unit::Metre));
            let group = within.file_group(builder).map_err(|message| file_error(path, message))?;
            scene::read(bytes, path, folder, group, builder)
        }
        Format::Obj => {
            builder.begin_file(path, None);
            let file_group = |builder: &mut Builder<'_>| within.file_group(builder);
            obj::read(bytes, &stem(path), file_group, within.folder, builder).map_err(named)
        }
        _ => {
            builder.begin_file(path, None);
            let model = read_from(bytes, format, path, folder).map_err(named)?;
            let mesh = model.into_mesh().map_err(|error| file_error(path, error.to_string()))?;
            let mesh = builder.add_mesh(Arc::new(mesh));
            let (name, group) = (stem(path), within.folder);
            let transform = &DAffine3::IDENTITY;
            let part = NewPart { name, group, mesh, transform, link: None };
            builder.add_part(part).map_err(|message| file_error(path, message))
        }
    }
}
