//! Reads files and folders into an assembly: lists them, selects a reader by extension, and calls it.

use super::{
    Assembly, LoadOptions, Up,
    build::{Builder, Frame, NewPart, file_error},
    ifc, obj, scene, step, threemf, urdf,
};
use crate::{
    Error, Format, Model,
    error::Fault,
    format::{check_content, check_regular, read_file, read_from, unknown_extension},
};
use glam::DAffine3;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The largest nesting depth of folders.
const MAX_FOLDERS: usize = 64;

/// The largest number of files in one assembly.
const MAX_FILES: usize = 1_000_000;

/// The kind of a file, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mesh(Format),
    Ifc,
    Step,
    ThreeMf,
    Urdf,
    /// The file holds shapes but cannot be read; the text says what to do instead.
    Unread(&'static str),
}

/// Extensions of files with shapes that cannot be read, and the advice for each. Skipping such a file in a folder
/// would make an assembly seem free of collisions.
const UNREAD: [(&[&str], &str); 7] = [
    (
        &["stpz", "stpx"],
        "only the text form of STEP (.step) can be read; unpack or convert the file",
    ),
    (
        &[
            "iges",
            "igs",
            "brep",
            "sat",
            "sab",
            "x_t",
            "x_b",
            "sldprt",
            "sldasm",
            "catpart",
            "catproduct",
            "cgr",
            "ipt",
            "iam",
            "prt",
            "asm",
            "par",
            "psm",
            "fcstd",
            "f3d",
            "3dm",
            "skp",
            "dwg",
            "dxf",
            "rvt",
            "nwd",
            "nwc",
        ],
        "CAD files cannot be read, because their format is not open or holds curved surfaces, not triangles; save the \
         file as .step, .glb or .stl",
    ),
    (&["dae"], "Collada files cannot be read; save the file as .glb, .obj or .stl"),
    (&["3dxml"], "3DXML files cannot be read; save the file as .step, .glb or .stl"),
    (&["ifcxml"], "only the text form of IFC (.ifc) can be read; convert the file"),
    (
        &["amf", "fbx", "blend", "3ds", "x3d", "wrl", "usd", "usda", "usdc", "usdz", "jt"],
        "this file format cannot be read; save the file as .glb, .obj or .stl",
    ),
    (&["xacro"], "xacro files cannot be read; run `xacro` on the file to get a .urdf"),
];

/// Returns why a file cannot be read as the mesh of a robot, if its extension is one of the known unreadable kinds.
pub(super) fn unread(path: &Path) -> Option<&'static str> {
    match Kind::of_path(path) {
        Some(Kind::Unread(message)) => Some(message),
        Some(Kind::Step) => Some("STEP files cannot be the mesh of a robot; save the file as .stl"),
        Some(Kind::ThreeMf) => {
            Some("3MF files cannot be the mesh of a robot; save the file as .stl")
        }
        _ => None,
    }
}

/// The extensions of files that only an assembly can be read from, in the order in which messages list them.
const ASSEMBLIES: [&str; 7] = ["3mf", "step", "stp", "p21", "ifc", "ifczip", "urdf"];

impl Kind {
    fn of_path(path: &Path) -> Option<Self> {
        if let Some(format) = Format::of_path(path) {
            return Some(Self::Mesh(format));
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match &*extension {
            "urdf" => return Some(Self::Urdf),
            "3mf" => return Some(Self::ThreeMf),
            "ifc" | "ifczip" => return Some(Self::Ifc),
            "step" | "stp" | "p21" => return Some(Self::Step),
            _ => {}
        }
        let unread = UNREAD.iter().find(|(extensions, _)| extensions.contains(&&*extension));
        unread.map(|(_, message)| Self::Unread(message))
    }
}

/// A file to read, and the sub-assembly for its folder.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) path: PathBuf,
    kind: Kind,
    pub(super) group: Option<u32>,
    pub(super) in_folder: bool,
}

impl Listed {
    pub(super) fn is_robot(&self) -> bool {
        self.kind == Kind::Urdf
    }
}

/// Reads files and folders as one assembly; the [module](super) describes what becomes a part.
///
/// Folders are read recursively in the order of file names; each subfolder is a sub-assembly. Within folders, files
/// without shapes (by extension), hidden files (whose name starts with a dot) and links to folders are skipped and
/// counted in [`Assembly::left_out`]. A file with shapes that cannot be read is an error, also within a folder.
pub fn load(
    paths: impl IntoIterator<Item = impl AsRef<Path>>,
    options: &LoadOptions,
) -> Result<Assembly, Error> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let mut builder = Builder::new(options);
    let files = list(&paths, &mut builder)?;
    let is_one = files.len() == 1;
    for file in &files {
        if let Err(error) = add_file(file, is_one, &mut builder) {
            builder.broken(&stem(&file.path), error)?;
        }
    }
    finish(builder)
}

/// Lists the files of files and folders, and adds a sub-assembly for each folder.
pub(super) fn list(paths: &[PathBuf], builder: &mut Builder<'_>) -> Result<Vec<Listed>, Error> {
    let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
    builder.options.check().map_err(|message| file_error(first, message))?;
    let mut files = Vec::new();
    for path in paths {
        if fs::metadata(path).is_ok_and(|kind| kind.is_dir()) {
            let group = match paths.len() {
                1 => None,
                _ => Some(group(builder, path, None)?),
            };
            let before = files.len();
            list_folder(path, group, 0, builder, &mut files)?;
            if files.len() == before {
                let error = file_error(path, "the folder holds no file in a supported format");
                builder.broken(&stem(path), error)?;
            }
        } else {
            let listed = list_file(path)?;
            files.push(listed);
        }
    }
    Ok(files)
}

/// Reads one of several files, in a sub-assembly of its own if it needs one. `refers` says whether files beside it matter
/// to which it may refer.
pub(super) fn read_alone(
    path: &Path,
    refers: bool,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let mut file = list_file(path)?;
    file.in_folder = refers;
    add_file(&file, false, builder)
}

/// Reads an assembly from bytes. The extension of `path` selects the format. No file is opened, so buffers and
/// meshes in other files are refused.
pub fn read(bytes: &[u8], path: &Path, options: &LoadOptions) -> Result<Assembly, Error> {
    options.check().map_err(|message| file_error(path, message))?;
    let mut builder = Builder::new(options);
    let kind = list_file(path)?.kind;
    if let Err(error) = add_bytes(bytes, path, kind, None, &Within::alone(), &mut builder) {
        builder.broken(&stem(path), error)?;
    }
    finish(builder)
}

pub(super) fn finish(builder: Builder<'_>) -> Result<Assembly, Error> {
    let options = builder.options;
    let assembly = builder.finish()?;
    urdf::check_joint_values(&assembly, options)?;
    Ok(assembly)
}

/// The sub-assemblies that the parts of a file may be in.
pub(super) struct Within<'a> {
    /// The sub-assembly of the folder.
    pub(super) folder: Option<u32>,
    /// The path that names a sub-assembly for the file itself, if it needs one.
    own: Option<&'a Path>,
}

impl Within<'_> {
    pub(super) fn alone() -> Self {
        Self { folder: None, own: None }
    }

    /// Adds a sub-assembly for a file that has nodes or groups.
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
            // The extension may not be the only problem: the file may not exist.
            let fault = match check_regular(path) {
                Err(fault) => fault,
                Ok(()) => unknown_extension(path, "read", |_| true, &ASSEMBLIES),
            };
            Err(fault.in_file(path))
        }
    }
}

/// Lists the files of a folder and its subfolders, sorted by name.
fn list_folder(
    folder: &Path,
    own: Option<u32>,
    depth: usize,
    builder: &mut Builder<'_>,
    files: &mut Vec<Listed>,
) -> Result<(), Error> {
    if depth > MAX_FOLDERS {
        return Err(file_error(
            folder,
            format!("folders are nested more than {MAX_FOLDERS} levels deep"),
        ));
    }
    let cannot = |error: std::io::Error| file_error(folder, format!("cannot be read: {error}"));
    let mut entries =
        fs::read_dir(folder).map_err(cannot)?.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            builder.other_files.count("hidden files".into(), &path);
            continue;
        }
        let kind = entry.file_type().map_err(cannot)?;
        if kind.is_dir() {
            let group = group(builder, &path, own)?;
            list_folder(&path, Some(group), depth + 1, builder, files)?;
        } else if path.is_dir() {
            builder.other_files.count("links to folders".into(), &path);
        } else if let Some(kind) = Kind::of_path(&path) {
            if files.len() == MAX_FILES {
                return Err(file_error(folder, format!("more than {MAX_FILES} files")));
            }
            files.push(Listed { path, kind, group: own, in_folder: true });
        } else {
            builder.other_files.add(&path);
        }
    }
    Ok(())
}

/// Adds a sub-assembly for a folder.
fn group(builder: &mut Builder<'_>, path: &Path, parent: Option<u32>) -> Result<u32, Error> {
    let name = match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        // `.` and `..` have no file name.
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
        let message = "a robot cannot be read as part of a folder, because it places the meshes itself; give the .urdf \
                       file itself";
        return Err(file_error(path, message));
    }
    let bytes = match kind {
        // Only check that the file exists; its contents are not needed for the message.
        Kind::Unread(_) => check_regular(path).map(|()| Vec::new()),
        Kind::Mesh(_) | Kind::Ifc | Kind::Step | Kind::ThreeMf | Kind::Urdf => read_file(path),
    };
    let bytes = bytes.map_err(|fault| fault.in_file(path))?;
    if *in_folder {
        builder.other_files.refer(path, &bytes);
    }
    let within = Within { folder: *group, own: (!is_one).then_some(path) };
    add_bytes(&bytes, path, *kind, path.parent(), &within, builder)
}

/// Adds the parts of a file. On an error, none is added, except by readers that handle each part separately.
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
            builder.begin_file(path, Frame::METRES_Z);
            let group = within.file_group(builder).map_err(|message| file_error(path, message))?;
            return urdf::read(bytes, path, folder, group, builder);
        }
        Kind::Ifc => return ifc::read(bytes, path, within, builder),
        Kind::Step => return step::read(bytes, path, within, builder),
        Kind::ThreeMf => return threemf::read(bytes, path, within, builder),
        Kind::Mesh(format) => format,
    };
    check_content(bytes, format).map_err(named)?;
    let own = builder.options.unit_of(format);
    match format {
        Format::Gltf | Format::Glb => {
            if format == Format::Glb {
                crate::gltf::check_glb(bytes).map_err(named)?;
            }
            builder.begin_file(path, Frame { units: own, up: Some(Up::Y) });
            let group = within.file_group(builder).map_err(|message| file_error(path, message))?;
            scene::read(bytes, path, folder, group, builder)
        }
        Format::Obj => {
            builder.begin_file(path, Frame { units: own, up: None });
            let file_group = |builder: &mut Builder<'_>| within.file_group(builder);
            obj::read(bytes, &stem(path), file_group, within.folder, builder).map_err(named)
        }
        _ => {
            let up = format.is_grid().then_some(Up::Z);
            builder.begin_file(path, Frame { units: own, up });
            let grids = &builder.options.grids;
            let model = read_from(bytes, format, path, folder, grids).map_err(named)?;
            if model.parts.len() > 1 {
                return add_solids(&model, path, within, builder);
            }
            let mesh = model.into_mesh().map_err(|error| file_error(path, error.to_string()))?;
            let mesh = builder.add_mesh(Arc::new(mesh));
            let part = NewPart::new(stem(path), within.folder, mesh, &DAffine3::IDENTITY);
            builder.add_part(part).map_err(|message| file_error(path, message))
        }
    }
}

/// Adds the solids of a text STL file, each as a part.
fn add_solids(
    model: &Model,
    path: &Path,
    within: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let failed = |message: String| file_error(path, message);
    let group = within.file_group(builder).map_err(failed)?;
    for (number, solid) in model.parts.iter().enumerate() {
        let mesh = model.part_mesh(number).map_err(|error| failed(error.to_string()))?;
        let mesh = builder.add_mesh(Arc::new(mesh));
        let part = NewPart::new(&solid.name, group, mesh, &DAffine3::IDENTITY);
        builder.add_part(part).map_err(failed)?;
    }
    Ok(())
}
