//! Writes the findings as an HTML page: one file with the list, the assembly and the viewer, which needs no
//! network.
//!
//! The page itself is built from `page/` next to `src/` and checked in; this module inserts the findings.
//! They are compressed and base64-encoded, so no part name can end the HTML element that holds them.

mod course;
mod header;
mod keep;
mod pack;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use crate::findings::Findings;
use base64::{engine::general_purpose::STANDARD, write::EncoderWriter};
pub(crate) use course::{Course, Interval, Moment};
use flate2::{Compression, write::ZlibEncoder};
use header::Header;
use impinge::{Mesh, glam::DVec3};
use keep::{Budget, Kept};
use std::io::{self, Write};

/// The page without findings.
const TEMPLATE: &str = include_str!("../../page/dist/report.html");

/// The mark in the page that the findings replace.
const MARK: &str = "@FINDINGS@";

/// Writes the page.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    write_within(&Budget::default(), findings, None, out)
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
    let (before, after) = TEMPLATE.split_once(MARK).expect("the page has a place for findings");
    out.write_all(before.as_bytes())?;
    let letters = EncoderWriter::new(&mut *out, &STANDARD);
    let mut packed = ZlibEncoder::new(letters, Compression::default());
    write_data(findings, course, &Kept::within(budget, findings), &mut packed)?;
    packed.finish()?.finish()?;
    out.write_all(after.as_bytes())
}

/// Writes the header, followed by all long lists of numbers in the order in which `page/src/data.ts` reads
/// them.
fn write_data(
    findings: &Findings,
    course: Option<&Course>,
    kept: &Kept,
    out: &mut dyn Write,
) -> io::Result<()> {
    let header = serde_json::to_vec(&Header::new(findings, course, kept))?;
    let length = u32::try_from(header.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&header)?;

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

/// Writes positions scaled to -1..1 within the bounds of the mesh, so that single precision does not lose
/// digits to the offset from the origin; then faces.
fn write_mesh(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let frame = Frame::of(mesh);
    let positions = mesh.positions().iter();
    let positions = positions.flat_map(|&p| ((p - frame.center) / frame.scale).to_array());
    pack::singles(out, positions)?;
    pack::indices(out, mesh.faces().iter().flatten().copied())
}

/// The position and size of a mesh in its own coordinates.
struct Frame {
    center: DVec3,
    /// Half the size along each axis.
    half: DVec3,
    /// The divisor of positions.
    scale: f64,
}

impl Frame {
    fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, half: DVec3::ZERO, scale: 1.0 };
        }
        let half = bounds.size() * 0.5;
        let longest = half.max_element();
        Self { center: bounds.center(), half, scale: if longest > 0.0 { longest } else { 1.0 } }
    }
}
