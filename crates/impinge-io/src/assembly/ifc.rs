//! Reads building models (IFC) into an assembly: each element with a body is a part.
//!
//! IfcOpenShell, a C++ library with a Python module, makes triangles of the elements. The script `ifc.py` runs in a
//! Python process, gets the file, and returns a stream of parts.

use super::{
    LoadOptions,
    build::{Builder, Frame, file_error},
    curved,
    external::{self, Body, Parts, Program},
    files::Within,
};
use crate::{Error, text::shown, unzip::Archive};
use impinge::clash::Tessellation;
use std::{borrow::Cow, env, path::Path};

/// The Python script that makes a stream of parts from an IFC file.
#[doc(hidden)]
pub const IFC_SCRIPT: &str = include_str!("ifc.py");

/// The environment variable that holds the path of a Python with the module `ifcopenshell`.
const VARIABLE: &str = "IMPINGE_PYTHON";

/// Classes whose elements are no bodies: they describe rooms, and holes that are already cut out.
const LEFT_OUT: [&str; 4] =
    ["IfcSpace", "IfcOpeningElement", "IfcVirtualElement", "IfcSpatialZone"];

/// Adds the parts of a file.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    within: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let failed = |message: String| file_error(path, message);
    let bytes = &*unpacked(bytes).map_err(failed)?;
    check(bytes).map_err(failed)?;
    let program = program(builder.options).map_err(failed)?;
    let answer = program.run(bytes, builder.options.time_limit);
    let answer = answer.map_err(failed)?;
    let name = program.path.display().to_string();
    let parts =
        external::read(&answer, &name, "it may be another program than Python").map_err(failed)?;
    drop(answer);
    add(parts, path, within, builder)
}

/// Adds the parts of a stream that the script has written.
pub(super) fn add(
    mut parts: Parts,
    path: &Path,
    within: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let failed = |message: String| file_error(path, message);
    if parts.parts.is_empty() && parts.lost.is_empty() {
        return Err(failed("no element of the file has a body".into()));
    }
    for body in &mut parts.bodies {
        if let Body::Mesh(mesh, tessellation) = body
            && let Tessellation::Uniform(distance) = *tessellation
        {
            *tessellation = curved::tessellation(mesh, distance);
        }
    }
    external::add(parts, path, within, Frame::METRES_Z, builder)
}

fn program(options: &LoadOptions) -> Result<Program, String> {
    let named = env::var_os(VARIABLE).filter(|named| !named.is_empty());
    let usual = if cfg!(windows) { "python" } else { "python3" };
    let tolerance = options.tolerance.unwrap_or(0.0).to_string();
    let left_out = left_out(&options.ifc_include)?.join(",");
    Ok(Program {
        path: named.map_or_else(|| usual.into(), Into::into),
        arguments: ["-c", IFC_SCRIPT, &tolerance, &left_out].map(Into::into).into(),
        format: "IFC",
        library: "IfcOpenShell",
        advice: "`pip install ifcopenshell` installs it (the environment variable IMPINGE_PYTHON names the Python), or \
                 save the model as .glb",
    })
}

/// Returns the classes that are left out, unless they are included by name.
///
/// # Errors
/// If a name is not one of these classes.
#[doc(hidden)]
pub fn left_out(include: &[String]) -> Result<Vec<&'static str>, String> {
    let is = |class: &&str, name: &String| name.trim().eq_ignore_ascii_case(class);
    if let Some(unknown) = include.iter().find(|name| !LEFT_OUT.iter().any(|class| is(class, name)))
    {
        return Err(format!(
            "`{}` is not a class that is left out; these are: {}",
            shown(unknown),
            LEFT_OUT.join(", ")
        ));
    }
    Ok(LEFT_OUT.into_iter().filter(|class| !include.iter().any(|name| is(class, name))).collect())
}

/// Returns the text of a file, which may be packed as a zip archive (`.ifczip`).
fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return Ok(bytes.into());
    }
    let archive = Archive::open(bytes)?;
    let mut models = archive.names().filter(|name| name.ends_with(".ifc"));
    match (models.next(), models.next()) {
        (Some(name), None) => archive.read(name).map(Cow::Owned),
        (None, _) => Err("the zip archive holds no .ifc file".into()),
        (Some(_), Some(_)) => Err("the zip archive holds several .ifc files; unpack it".into()),
    }
}

/// Refuses a file that is not IFC or is truncated.
fn check(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if !text.starts_with(b"ISO-10303-21") {
        return Err("the file is not an IFC file, which starts with `ISO-10303-21;`".into());
    }
    match memchr::memmem::rfind(text, b"END-ISO-10303-21") {
        Some(_) => Ok(()),
        None => Err("the file ends early: `END-ISO-10303-21;` is missing".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_can_be_included() {
        assert_eq!(left_out(&[]).unwrap(), LEFT_OUT);
        let included = ["ifcspace".to_owned(), " IfcVirtualElement".to_owned()];
        assert_eq!(left_out(&included).unwrap(), ["IfcOpeningElement", "IfcSpatialZone"]);
        assert!(
            left_out(&["IfcWall".to_owned()]).unwrap_err().contains("`IfcWall` is not a class")
        );
    }

    #[test]
    fn packed_files_are_unpacked() {
        let zipped = |names: &[&str]| {
            let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            for name in names {
                let options = zip::write::SimpleFileOptions::default();
                writer.start_file(*name, options).unwrap();
                std::io::Write::write_all(&mut writer, b"ISO-10303-21;").unwrap();
            }
            writer.finish().unwrap().into_inner()
        };
        let text = b"ISO-10303-21;";
        assert_eq!(*unpacked(text).unwrap(), text[..]);
        assert_eq!(*unpacked(&zipped(&["a.png", "House.IFC"])).unwrap(), text[..]);
        assert!(unpacked(&zipped(&["a.png"])).unwrap_err().contains("no .ifc"));
        assert!(unpacked(&zipped(&["a.ifc", "b.ifc"])).unwrap_err().contains("several"));
        assert!(unpacked(&zipped(&["a.ifc"])[..50]).unwrap_err().contains("damaged"));
    }

    #[test]
    fn incomplete_files_are_refused() {
        assert!(check(b"").unwrap_err().contains("empty"));
        assert!(check(b"hello").unwrap_err().contains("not an IFC file"));
        assert!(check(b"ISO-10303-21;\nDATA;").unwrap_err().contains("ends early"));
        assert!(check(b" ISO-10303-21;\nEND-ISO-10303-21;\n").is_ok());
    }
}
