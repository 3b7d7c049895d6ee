//! File formats, and the functions that read and write a [`Model`] in any of them.

use crate::{
    Error, Model,
    assembly::Unit,
    draft::write_atomically,
    elevation::{self, GridOptions},
    error::Fault,
    gltf, obj, off, ply, reads, sniff, stl,
};
use impinge::Mesh;
use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

/// A mesh file format. The file extension selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, binary or ASCII.
    Stl,
    /// PLY, ASCII or binary of either byte order.
    Ply,
    /// Object File Format, ASCII. Read only.
    Off,
    /// glTF 2.0 as JSON, its buffers beside it or embedded. Read only.
    Gltf,
    /// glTF 2.0 in one binary file.
    Glb,
    /// ESRI ASCII grid: heights of a terrain. Read only.
    EsriGrid,
    /// USGS DEM: heights of a terrain, as text in records of 1024 bytes. Read only.
    UsgsDem,
    /// DTED, level 0, 1 or 2: heights of a terrain, binary. Read only.
    Dted,
}

impl Format {
    /// Every format, in the order in which messages list them.
    pub const ALL: [Self; 9] = [
        Self::Obj,
        Self::Stl,
        Self::Ply,
        Self::Off,
        Self::Gltf,
        Self::Glb,
        Self::EsriGrid,
        Self::UsgsDem,
        Self::Dted,
    ];

    /// Returns the usual file extension in lower case, without the dot.
    pub fn extension(self) -> &'static str {
        self.extensions()[0]
    }

    /// Returns the file extensions in lower case, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Obj => &["obj"],
            Self::Stl => &["stl"],
            Self::Ply => &["ply"],
            Self::Off => &["off"],
            Self::Gltf => &["gltf"],
            Self::Glb => &["glb"],
            Self::EsriGrid => &["asc"],
            Self::UsgsDem => &["dem"],
            Self::Dted => &["dt0", "dt1", "dt2"],
        }
    }

    /// Returns the format that the extension of `path` names, ignoring case.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        let is_named = |format: &Self| {
            format.extensions().iter().any(|known| extension.eq_ignore_ascii_case(known))
        };
        Self::ALL.into_iter().find(is_named)
    }

    /// Returns the unit of length that the format prescribes; `None` if the format does not define one.
    pub fn units(self) -> Option<Unit> {
        matches!(self, Self::Gltf | Self::Glb | Self::UsgsDem | Self::Dted).then_some(Unit::Metre)
    }

    /// Returns whether the format is an elevation grid, which is read as a terrain ([`GridOptions`]).
    pub fn is_grid(self) -> bool {
        matches!(self, Self::EsriGrid | Self::UsgsDem | Self::Dted)
    }

    /// Returns whether [`save`] can write this format.
    pub fn is_writable(self) -> bool {
        !self.is_grid() && !matches!(self, Self::Off | Self::Gltf)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
            Self::EsriGrid => "ESRI ASCII grid",
            Self::UsgsDem => "USGS DEM",
            Self::Dted => "DTED",
        })
    }
}

/// Reads a model from a file. The file extension selects the format.
///
/// Besides the checks of each format's reader, this function refuses: a folder, device or pipe, an unknown
/// extension, an empty file, a file whose content is clearly in another format, and a file without any face,
/// because every query on it would answer "no contact".
pub fn load(path: impl AsRef<Path>) -> Result<Model, Error> {
    load_with(path, &GridOptions::default())
}

/// As [`load`], with options for elevation grids. All other formats ignore the options.
pub fn load_with(path: impl AsRef<Path>, grids: &GridOptions) -> Result<Model, Error> {
    let path = path.as_ref();
    let named = |fault: Fault| fault.in_file(path);
    // Check for a folder first: the message "is a folder" helps more than "has no extension".
    check_regular(path).map_err(named)?;
    let format = known_format(path).map_err(named)?;
    let bytes = read_file(path).map_err(named)?;
    read_from(&bytes, format, path, path.parent(), grids).map_err(named)
}

/// Reads a file as one mesh: [`load`], then [`Model::to_mesh`].
pub fn load_mesh(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    let model = load(path)?;
    model.into_mesh().map_err(|error| Fault::file(error.to_string()).in_file(path))
}

/// Reads a model from bytes. `path` is used in messages only. No file is opened, so a glTF document whose buffers
/// are separate files is refused.
pub fn read(bytes: &[u8], format: Format, path: &Path) -> Result<Model, Error> {
    read_with(bytes, format, path, &GridOptions::default())
}

/// As [`read`], with options for elevation grids. All other formats ignore the options.
pub fn read_with(
    bytes: &[u8],
    format: Format,
    path: &Path,
    grids: &GridOptions,
) -> Result<Model, Error> {
    read_from(bytes, format, path, None, grids).map_err(|fault| fault.in_file(path))
}

pub(crate) fn read_from(
    bytes: &[u8],
    format: Format,
    path: &Path,
    folder: Option<&Path>,
    grids: &GridOptions,
) -> Result<Model, Fault> {
    check_content(bytes, format)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let model = match format {
        Format::Obj => obj::read(bytes, &name),
        Format::Stl => stl::read(bytes, &name),
        Format::Ply => ply::read(bytes, &name),
        Format::Off => off::read(bytes, &name),
        Format::Gltf => gltf::read(bytes, folder),
        Format::Glb => gltf::read_glb(bytes, folder),
        Format::EsriGrid | Format::UsgsDem | Format::Dted => {
            elevation::read(bytes, format, &name, grids)
        }
    }?;
    match model.face_count() {
        0 => Err(Fault::file("the file holds no faces")),
        _ => Ok(model),
    }
}

/// Refuses bytes that are clearly in another format.
pub(crate) fn check_content(bytes: &[u8], format: Format) -> Result<(), Fault> {
    match bytes.is_empty() {
        true => Err(Fault::file("the file is empty")),
        false => sniff::check(bytes, format),
    }
}

pub(crate) fn known_format(path: &Path) -> Result<Format, Fault> {
    Format::of_path(path).ok_or_else(|| unknown_extension(path, "read", |_| true, &[]))
}

/// The error for a file whose extension is not that of a known format. It lists the extensions of the known formats, and
/// `others`.
pub(crate) fn unknown_extension(
    path: &Path,
    verb: &str,
    known: impl Fn(Format) -> bool,
    others: &'static [&'static str],
) -> Fault {
    let known: Vec<_> = Format::ALL
        .into_iter()
        .filter(|&format| known(format))
        .flat_map(Format::extensions)
        .chain(others)
        .map(|extension| format!(".{extension}"))
        .collect();
    let known = known.join(", ");
    Fault::file(match path.extension() {
        Some(extension) => {
            let extension = extension.to_string_lossy();
            format!("`.{extension}` files cannot be {verb}; supported extensions: {known}")
        }
        None => format!("the file name has no extension; supported extensions: {known}"),
    })
}

fn cannot_read(error: &io::Error) -> Fault {
    Fault::file(format!("cannot be read: {error}"))
}

/// Refuses everything but a regular file.
pub(crate) fn check_regular(path: &Path) -> Result<(), Fault> {
    match fs::metadata(path).map_err(|error| cannot_read(&error))? {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(Fault::file("is a folder, not a file")),
        _ => Err(Fault::file("is a device or a pipe, not a regular file")),
    }
}

/// Reads a regular file, up to the size that it had when it was opened.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Fault> {
    // Check before opening: opening a pipe without a writer would block for ever.
    check_regular(path)?;
    let file = File::open(path).map_err(|error| cannot_read(&error))?;
    reads::note(path);
    let size = file.metadata().map_err(|error| cannot_read(&error))?.len();
    let mut bytes = Vec::new();
    let room = usize::try_from(size).ok().and_then(|size| bytes.try_reserve_exact(size).ok());
    if room.is_none() {
        return Err(Fault::file(format!("is too large for the memory: {size} bytes")));
    }
    file.take(size).read_to_end(&mut bytes).map_err(|error| cannot_read(&error))?;
    Ok(bytes)
}

/// Writes a model. The file extension selects the format. On an error the target file is left as it was.
///
/// Parts are written at their placed positions. STL and PLY have no parts, so all parts become one mesh there.
pub fn save(path: impl AsRef<Path>, model: &Model) -> Result<(), Error> {
    let path = path.as_ref();
    let Some(format) = Format::of_path(path).filter(|format| format.is_writable()) else {
        return Err(unknown_extension(path, "written", Format::is_writable, &[]).in_file(path));
    };
    write_atomically(path, |out| write(model, format, out))
}

/// Writes a model to a stream. The format must be [writable](Format::is_writable).
pub fn write(model: &Model, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Obj => obj::write(model, out),
        Format::Stl => stl::write(model, out),
        Format::Ply => ply::write(model, out),
        Format::Glb => gltf::write(model, out),
        _ => {
            let message = format!("{format} files cannot be written");
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::PathBuf, process};

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
            let entries = fs::read_dir(&self.0).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

    fn refused(path: &Path) -> String {
        let error = load(path).unwrap_err();
        assert_eq!(error.path, path);
        error.message
    }

    #[test]
    fn extensions_name_formats_in_any_case() {
        assert_eq!(Format::of_path(Path::new("a/b.OBJ")), Some(Format::Obj));
        assert_eq!(Format::of_path(Path::new("a.b.gLtF")), Some(Format::Gltf));
        assert_eq!(Format::of_path(Path::new("a.obj/b")), None);
        for format in Format::ALL {
            for extension in format.extensions() {
                let path = Path::new("x").with_extension(extension);
                assert_eq!(Format::of_path(&path), Some(format));
            }
        }
    }

    #[test]
    fn other_kinds_of_files_are_refused_with_the_reason() {
        let folder = Folder::new("refused");
        assert_eq!(refused(&folder.0), "is a folder, not a file");
        assert!(refused(&folder.0.join("none.obj")).starts_with("cannot be read: "));
        let known = ".obj, .stl, .ply, .off, .gltf, .glb, .asc, .dem, .dt0, .dt1, .dt2";
        assert_eq!(
            refused(&folder.write("a.step", b"x")),
            format!("`.step` files cannot be read; supported extensions: {known}")
        );
        assert_eq!(
            refused(&folder.write("name", b"x")),
            format!("the file name has no extension; supported extensions: {known}")
        );
        assert_eq!(refused(&folder.write("a.obj", b"")), "the file is empty");
        assert_eq!(refused(&folder.write("v.obj", b"v 0 0 0\n")), "the file holds no faces");
        assert!(refused(&folder.write("w.off", TRIANGLE)).contains("looks like OBJ"));
        #[cfg(unix)]
        {
            let link = folder.0.join("zero.obj");
            std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
            assert_eq!(refused(&link), "is a device or a pipe, not a regular file");
        }
    }

    #[test]
    fn written_files_are_read_back() {
        let folder = Folder::new("saved");
        let path = folder.write("Tri.Obj", TRIANGLE);
        let model = load(&path).unwrap();
        assert_eq!(model.parts[0].name, "Tri");
        let copy = folder.0.join("copy.obj");
        save(&copy, &model).unwrap();
        save(&copy, &model).unwrap();
        assert_eq!(load_mesh(&copy).unwrap(), load_mesh(&path).unwrap());
        let error = save(folder.0.join("copy.off"), &model).unwrap_err();
        assert_eq!(
            error.message,
            "`.off` files cannot be written; supported extensions: .obj, .stl, .ply, .glb"
        );
        assert_eq!(folder.names().len(), 2, "no temporary file is left: {:?}", folder.names());
    }
}
