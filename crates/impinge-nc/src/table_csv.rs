//! Writes the gouges of a report as a CSV table.

use crate::Report;
use impinge::glam::DVec3;
use impinge_io::csv_field;
use std::io::{self, Write};

const HEADER: &str = "line,move,rapid,tool,with,body,role,depth,lift,x,y,z,tip_x,tip_y,tip_z,axis_x,axis_y,axis_z,faces";

/// Writes a header, and one row for each gouge, in the order of the program. Lengths are in millimetres.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    for gouge in &report.outcome.gouges {
        write!(out, "{},{},{}", gouge.line, gouge.move_index, gouge.is_rapid())?;
        write!(out, ",{},{}", gouge.tool, gouge.with.name())?;
        write!(out, ",{},{}", csv_field(report.body_name(gouge)), report.role(gouge).name())?;
        write!(out, ",{},{}", gouge.depth, gouge.lift)?;
        for DVec3 { x, y, z } in [gouge.at, gouge.tip, gouge.axis] {
            write!(out, ",{x},{y},{z}")?;
        }
        writeln!(out, ",{}", gouge.face_count)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{demo, report::sample::Sample};

    #[test]
    fn each_gouge_is_a_row_and_names_cannot_break_it() {
        let sample = Sample::of(demo::PROGRAM.as_bytes(), "=1+1,\"x\"");
        let mut text = Vec::new();
        write(&sample.report(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[3].starts_with("39,"), "{}", rows[3]);
        assert!(rows[1].contains(",cutter,\"'=1+1,\"\"x\"\"\",part,0.5"), "{}", rows[1]);
        let columns = HEADER.split(',').count();
        // The name has one comma of its own.
        assert!(rows[1..].iter().all(|row| row.split(',').count() == columns + 1));
    }
}
