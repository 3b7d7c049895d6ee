//! Reads STEP files into an assembly: each solid or surface of a product is a part.
//!
//! OpenCASCADE, a C++ library, splits the curved surfaces into triangles. It can crash, so it runs in the
//! separate program `impinge-step` (`tools/step` in the sources), which gets the file and returns a stream of
//! parts.

mod program;
mod stream;

use super::{
    LoadOptions, Unit, Up,
    build::{Builder, Frame, NewPart, SourceMesh, file_error},
    files::{IFC, Within},
};
use crate::Error;
use std::{path::Path, sync::Arc};
use stream::{Body, Parts, Placed};

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
    // The program returns millimetres, whatever the unit of the file.
    let tolerance = tolerance.map(|metres| metres * Unit::Metre.to(Unit::Millimetre));
    let answer = program::triangulate(bytes, tolerance, *time_limit).map_err(failed)?;
    let Parts { groups, bodies, parts, lost } = stream::read(&answer).map_err(failed)?;
    drop(answer);
    if parts.is_empty() && lost.is_empty() {
        return Err(failed("no product of the file has a surface".into()));
    }

    builder.begin_file(path, Frame { units: Some(Unit::Millimetre), up: Some(Up::Z) });
    let stem = super::files::stem(path);
    let named = |name: String| if name.is_empty() { stem.clone() } else { name };
    // A single part gets the name of the file; several parts form a sub-assembly, as the nodes of a glTF scene do.
    let top = match (parts.len(), groups.len()) {
        (1, 0) => within.folder,
        _ => within.file_group(builder).map_err(failed)?,
    };
    let mut numbers = Vec::with_capacity(groups.len());
    for (name, parent) in groups {
        let parent = parent.map_or(top, |parent| Some(numbers[parent]));
        numbers.push(builder.add_group(named(name), parent).map_err(failed)?);
    }
    let bodies: Vec<Result<SourceMesh, String>> = bodies
        .into_iter()
        .map(|body| match body {
            Body::Mesh(mesh, tessellation) => {
                Ok(builder.add_tessellated(Arc::new(mesh), tessellation))
            }
            Body::Broken(why) => Err(why),
        })
        .collect();
    for Placed { name, group, body, transform } in parts {
        let (name, group) = (named(name), group.map_or(top, |group| Some(numbers[group])));
        let added = bodies[body]
            .clone()
            .and_then(|mesh| builder.add_part(NewPart::new(&name, group, mesh, &transform)));
        if let Err(why) = added {
            broken(&name, &why, path, builder)?;
        }
    }
    lost.iter().try_for_each(|(name, why)| broken(name, why, path, builder))
}

fn broken(name: &str, why: &str, path: &Path, builder: &mut Builder<'_>) -> Result<(), Error> {
    let message = format!("`{}`: {why}", crate::text::shown(name));
    builder.broken(name, file_error(path, message))
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
            return Err(IFC.into());
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
        assert_eq!(refused(ifc), IFC);
        let named = b" ISO-10303-21;HEADER;FILE_NAME('IFC');FILE_SCHEMA(('AP203'));ENDSEC;\
            DATA;#1=PRODUCT('FILE_SCHEMA','IFC');ENDSEC;\nEND-ISO-10303-21;\n";
        assert_eq!(check(named), Ok(()));
    }
}
