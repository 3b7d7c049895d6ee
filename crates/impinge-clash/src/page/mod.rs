//! Writes the findings as an HTML page: one file with the list, the assembly and the viewer, which needs no
//! network.
//!
//! The crate `impinge-page` has the page itself, and packs what this module writes.

mod course;
mod header;
mod keep;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use crate::findings::Findings;
pub(crate) use course::{Course, Interval, Moment};
use header::Header;
use impinge_io::assembly::Assembly;
use impinge_page::{pack, write_mesh};
use keep::{Budget, Kept};
use std::io::{self, Write};

/// Writes the page.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    write_within(&Budget::default(), findings, None, out)
}

/// Writes a page that shows an assembly which was not checked: the view alone, without a list.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_scene(assembly: Assembly, out: &mut dyn Write) -> io::Result<()> {
    let findings = Findings::new(assembly, Vec::new());
    let kept = Kept::within(&Budget::default(), &findings);
    let mut header = Header::new(&findings, None, &kept);
    header.is_checked = false;
    impinge_page::CLASH.write(&header, out, |out| write_lists(&findings, None, &kept, out))
}

/// Writes the page of findings along a path.
pub(crate) fn write_path(
    findings: &Findings,
    course: &Course,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_within(&Budget::default(), findings, Some(course), out)
}

fn write_within(
    budget: &Budget,
    findings: &Findings,
    course: Option<&Course>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kept = Kept::within(budget, findings);
    let header = Header::new(findings, course, &kept);
    impinge_page::CLASH.write(&header, out, |out| write_lists(findings, course, &kept, out))
}

/// Writes all long lists of numbers, in the order in which `page/src/data.ts` of `impinge-page` reads them.
fn write_lists(
    findings: &Findings,
    course: Option<&Course>,
    kept: &Kept,
    out: &mut dyn Write,
) -> io::Result<()> {
    let assembly = &findings.assembly;
    let places = kept.parts.iter().map(|&part| assembly.parts[part].placement.to_rows());
    pack::floats(out, places.flatten())?;
    let moments = course.into_iter().flat_map(|course| &course.moments);
    pack::floats(out, moments.flat_map(|moment| moment.displacement.to_rows()))?;

    let rows = || findings.rows.iter().zip(&kept.rows);
    let pairs = || rows().flat_map(|(row, kept)| &row.clash.faces[..kept.pairs]);
    pack::indices(out, pairs().map(|pair| pair.a))?;
    pack::indices(out, pairs().map(|pair| pair.b))?;
    let places = rows().flat_map(|(row, kept)| row.clash.places.iter().zip(&kept.places));
    let of_places = places.flat_map(|(place, &count)| &place.faces[..count]);
    pack::indices(out, of_places.copied())?;

    for mesh in kept.meshes.iter().filter(|mesh| mesh.has_faces) {
        write_mesh(&assembly.meshes[mesh.number], out)?;
    }
    Ok(())
}
