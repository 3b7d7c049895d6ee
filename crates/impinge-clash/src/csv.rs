//! Writes the outcome as CSV.

use crate::{
    findings::{Row, Status},
    outcome::Outcome,
    review::Review,
};
use impinge::{clash::Verdict, glam::DVec3};
use impinge_io::csv_field;
use std::io::{self, Write};

const HEADER: &str = "a,b,verdict,status,was,allowed,depth,distance,x,y,z,bx,by,bz,\
     length,places,faces,a_path,b_path,key,inside,band,depth_at_most,volume,fit_difference,\
     review,comment,assignee,group";

/// Writes a header, and one row for each listed clash.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    outcome.findings.rows.iter().try_for_each(|row| write_row(outcome, row, out))
}

fn write_row(outcome: &Outcome, row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let clash = &row.clash;
    let assembly = &outcome.findings.assembly;
    let [a, b] = [clash.a, clash.b].map(|part| csv_field(outcome.name(part)));
    write!(out, "{a},{b},{}", clash.verdict)?;
    write!(out, ",{}", row.status.map_or("", Status::name))?;
    write!(out, ",{},{}", row.was.map_or("", Verdict::name), outcome.is_allowed(row))?;
    write!(out, ",{}", clash.least_depth().map(|depth| depth.to_string()).unwrap_or_default())?;
    write!(out, ",{}", clash.distance)?;
    for DVec3 { x, y, z } in clash.points {
        write!(out, ",{x},{y},{z}")?;
    }
    write!(out, ",{},{},{}", clash.length, clash.places.len(), clash.faces.len())?;
    let [a, b] = [clash.a, clash.b].map(|part| assembly.full_name(part));
    write!(out, ",{},{},{}", csv_field(&a), csv_field(&b), csv_field(&row.key))?;
    let inside = outcome.findings.inside(clash).unwrap_or_default();
    write!(out, ",{},{}", csv_field(&inside), clash.band)?;
    let fit = clash.fit.map(|fit| fit.difference());
    for number in [clash.depth.and_then(|depth| depth.at_most()), clash.volume, fit] {
        write!(out, ",{}", number.map(|number| number.to_string()).unwrap_or_default())?;
    }
    match &row.review {
        None => writeln!(out, ",,,,"),
        Some(Review { status, comment, assignee, group }) => {
            let [comment, assignee, group] = [comment, assignee, group].map(|text| csv_field(text));
            writeln!(out, ",{},{comment},{assignee},{group}", status.name())
        }
    }
}
