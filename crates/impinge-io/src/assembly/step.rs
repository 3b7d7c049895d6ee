//! Reads STEP files into an assembly: each solid or surface of a product is a part.
//!
//! OpenCASCADE, a C++ library, splits the curved surfaces into triangles. It can crash, so it runs in the
//! separate program `impinge-step` (`tools/step` in the sources), which gets the file and returns a stream of
//! parts.

use super::{
    LoadOptions, Unit, Up,
    build::{Builder, Frame, file_error},
    external::{self, Program},
    files::Within,
};
use crate::Error;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The program's name, beside our own executable or in the search path of the system.
const NAME: &str = "impinge-step";

/// The environment variable that holds the path of the program.
const VARIABLE: &str = "IMPINGE_STEP";

/// Adds the parts of a file.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    within: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let failed = |message: String| file_error(path, message);
    check(bytes).map_err(failed)?;
    let LoadOptions { tolerance, time_limit, .. } = builder.options;
    let answer = program(*tolerance).run(bytes, *time_limit);
    let answer = answer.map_err(failed)?;
    let advice = "`cargo xtask step` builds the version that belongs to this version";
    let parts = external::read(&answer, NAME, advice).map_err(failed)?;
    drop(answer);
    if parts.parts.is_empty() && parts.lost.is_empty() {
        return Err(failed("no product of the file has a surface".into()));
    }
    // The program returns millimetres, whatever the unit of the file.
    let frame = Frame { units: Some(Unit::Millimetre), up: Some(Up::Z) };
    external::add(parts, path, within, frame, builder)
}

fn program(tolerance: Option<f64>) -> Program {
    let mut arguments = Vec::new();
    if let Some(metres) = tolerance {
        let millimetres = metres * Unit::Metre.to(Unit::Millimetre);
        arguments.extend([OsString::from("--tolerance"), millimetres.to_string().into()]);
    }
    Program {
        path: find(),
        arguments,
        format: "STEP",
        library: "OpenCASCADE",
        advice: "build it with `cargo xtask step`, or save the file as .glb or .stl",
    }
}

/// Returns the path from the environment variable, or the program beside our executable, or its bare name.
fn find() -> PathBuf {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return named.into();
    }
    let name = format!("{NAME}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|ours| ours.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// Refuses a file that is not STEP or is truncated: OpenCASCADE would read as much of it as it can.
fn check(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if !text.starts_with(b"ISO-10303-21") {
        return Err("the file is not a STEP file, which starts with `ISO-10303-21;`".into());
    }
    let header = &text[..memchr::memmem::find(text, b"DATA;").unwrap_or(text.len())];
    if let Some(schema) = memchr::memmem::find(header, b"FILE_SCHEMA") {
        let mut names = header[schema..].split(|&byte| byte == b'\'').skip(1).step_by(2);
        if names.any(|name| name.trim_ascii_start().to_ascii_uppercase().starts_with(b"IFC")) {
            return Err("the file is a building model (IFC); rename it to .ifc".into());
        }
    }
    if memchr::memmem::rfind(text, b"END-ISO-10303-21").is_none() {
        return Err("the file ends early: `END-ISO-10303-21;` is missing".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_step_files_are_refused() {
        let refused = |text: &[u8]| check(text).unwrap_err();
        assert_eq!(refused(b""), "the file is empty");
        assert!(refused(b"solid a\nendsolid").contains("not a STEP file"));
        assert!(refused(b"ISO-10303-21;\nHEADER;").contains("ends early"));
        let ifc = b"ISO-10303-21;HEADER;FILE_SCHEMA (( 'IFC4X3' ));ENDSEC;DATA;END-ISO-10303-21;";
        assert!(refused(ifc).contains("rename it to .ifc"));
        let named = b" ISO-10303-21;HEADER;FILE_NAME('IFC');FILE_SCHEMA(('AP203'));ENDSEC;\
            DATA;#1=PRODUCT('FILE_SCHEMA','IFC');ENDSEC;\nEND-ISO-10303-21;\n";
        assert_eq!(check(named), Ok(()));
    }
}
