//! Writes a report as an HTML page: one file with the part, the path coloured by verdict, the worst places and the tool.
//!
//! The crate `impinge-page` has the page itself, and packs what this module writes. `header.rs` has names and single numbers;
//! this file writes the long lists, in the order in which `page/src/nc/data.ts` of `impinge-page` reads them.

mod header;

use crate::{Gouge, Report, drawn_path::DrawnPath};
use header::Header;
use impinge_page::{pack, write_mesh};
use std::io::{self, Write};

/// Limits of a page, so that browsers stay fast. What exceeds them is left out, and the page says so.
struct Budget {
    /// Points of the path. Clear moves lose points first; the places of gouges are kept.
    points: usize,
    /// Gouges, worst first.
    gouges: usize,
    /// Faces that are highlighted for one gouge, and for all together.
    faces_of_one: usize,
    faces_of_all: usize,
    /// Faces of all bodies together. A body beyond it is shown as a box.
    body_faces: usize,
    /// Bytes of a program whose text is shown line by line.
    source: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            points: 300_000,
            gouges: 5_000,
            faces_of_one: 2_000,
            faces_of_all: 500_000,
            body_faces: 2_000_000,
            source: 1_000_000,
        }
    }
}

/// Writes the page.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_within(&Budget::default(), report, out)
}

fn write_within(budget: &Budget, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let content = Content::within(budget, report);
    let header = Header::new(report, &content);
    impinge_page::NC.write(&header, out, |out| content.write_lists(report, out))
}

/// What a page shows of a report.
struct Content<'r> {
    path: DrawnPath,
    /// Whether the tool's axis is somewhere not along z.
    has_axes: bool,
    /// The gouges, worst first, each with the number of its faces that are shown.
    gouges: Vec<(&'r Gouge, usize)>,
    /// Whether the faces of each body are shown.
    has_faces: Vec<bool>,
    /// Whether all lines of the program are shown.
    has_source: bool,
}

impl<'r> Content<'r> {
    fn within(budget: &Budget, report: &Report<'r>) -> Self {
        let path = DrawnPath::new(report, budget.points);
        let mut faces = 0;
        let has_faces = report.setup.bodies.iter().map(|body| {
            let more = body.mesh().faces().len();
            let is_kept = faces + more <= budget.body_faces;
            faces += if is_kept { more } else { 0 };
            is_kept
        });
        let has_faces: Vec<bool> = has_faces.collect();
        let mut left = budget.faces_of_all;
        let gouges = report.worst_first().into_iter().take(budget.gouges).map(|gouge| {
            let kept = if has_faces[gouge.body] { gouge.faces.len() } else { 0 };
            let kept = kept.min(budget.faces_of_one).min(left);
            left -= kept;
            (gouge, kept)
        });
        Self {
            has_axes: path.points.iter().any(|point| point.pose.axis.z < 1.0),
            path,
            gouges: gouges.collect(),
            has_faces,
            has_source: report.source.len() <= budget.source,
        }
    }

    fn write_lists(&self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        let points = &self.path.points;
        let (center, scale) = header::path_frame(points);
        let tips = points.iter().flat_map(|point| ((point.pose.tip - center) / scale).to_array());
        pack::singles(out, tips)?;
        if self.has_axes {
            pack::singles(out, points.iter().flat_map(|point| point.pose.axis.to_array()))?;
        }
        pack::indices(out, points.iter().map(|point| point.line))?;
        pack::indices(out, points.iter().map(|point| point.move_index as u32))?;
        pack::indices(out, points.iter().map(|point| point.tool))?;
        // 0 for a point that no segment leads to, else the class of the segment.
        pack::indices(out, points.iter().map(|point| point.class.map_or(0, |c| 1 + c as u32)))?;
        let faces = self.gouges.iter().flat_map(|(gouge, kept)| &gouge.faces[..*kept]);
        pack::indices(out, faces.copied())?;
        let bodies = report.setup.bodies.iter().zip(&self.has_faces);
        bodies.filter(|(_, has)| **has).try_for_each(|(body, _)| write_mesh(body.mesh(), out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Role, demo, report::sample::Sample};
    use impinge::{generate, glam::DVec3};
    use serde_json::Value;
    use std::{env, fmt::Write as _, fs, path::Path};

    fn page(budget: &Budget, report: &Report<'_>) -> String {
        let mut bytes = Vec::new();
        write_within(budget, report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn header(page: &str) -> Value {
        impinge_page::NC.read(page).unwrap().0
    }

    #[test]
    fn the_data_agree_with_the_report() {
        let sample = Sample::demo();
        let report = sample.report();
        let (header, lists) = impinge_page::NC.read(&page(&Budget::default(), &report)).unwrap();
        assert_eq!(header["gouge_count"], 3);
        let gouges = header["gouges"].as_array().unwrap();
        let depths: Vec<f64> = gouges.iter().map(|g| g["depth"].as_f64().unwrap()).collect();
        assert!(depths.is_sorted_by(|a, b| a >= b), "{depths:?}");
        assert_eq!(gouges.last().unwrap()["text"], "G3 X43. Y26. R25.25");
        assert_eq!(header["source"][15], "G3 X43. Y26. R25.25");
        assert_eq!(header["path"]["deviation"], 0.0);
        let points = header["path"]["points"].as_u64().unwrap() as usize;
        let faces: u64 = gouges.iter().map(|g| g["faces_kept"].as_u64().unwrap()).sum();
        let mesh = report.setup.bodies[0].mesh();
        let numbers = 3 * points + 4 * points + faces as usize;
        let numbers = numbers + 3 * mesh.positions().len() + 3 * mesh.faces().len();
        assert_eq!(lists.len(), 4 * numbers);
        assert_eq!(header["tools"][1]["parts"][0]["kind"], "cutter");
    }

    #[test]
    fn a_tight_budget_is_stated_in_the_header() {
        let sample = Sample::demo();
        let report = sample.report();
        let budget = Budget {
            points: 60,
            gouges: 2,
            faces_of_one: 1,
            faces_of_all: 2,
            body_faces: 10,
            source: 10,
        };
        let header = header(&page(&budget, &report));
        assert_eq!(header["gouges"].as_array().unwrap().len(), 2);
        assert_eq!(header["gouge_count"], 3);
        assert!(header["path"]["deviation"].as_f64().unwrap() > 0.0);
        assert!(header["path"]["points"].as_u64().unwrap() <= 60);
        assert_eq!(header["bodies"][0]["mesh"]["has_faces"], false);
        assert!(header["source"].is_null());
    }

    /// A program of many moves, a fixture, a stock, and names that look like markup.
    fn crowded() -> Sample {
        let mut text = "(<script>window.harm = 1</script>)\nT1 M6\nG0 X0 Y0 Z20\n".to_owned();
        for i in 0..2_500_u32 {
            let (row, column) = (i / 100, i % 100);
            let x = 0.8 * f64::from(if row % 2 == 0 { column } else { 99 - column });
            let z = 5.0 + 0.1 * x.sin() - if i % 701 == 77 { 7.0 } else { 0.0 };
            writeln!(text, "G1 X{x:.3} Y{} Z{z:.4} F900", 2 * row).unwrap();
        }
        let mut sample = Sample::of(text.as_bytes(), "</script><b>part</b>");
        let block = |low: DVec3, size: DVec3| {
            let mesh = generate::cuboid(size).unwrap();
            let middle = mesh.bounds().center();
            let moved = mesh.positions().iter().map(|&p| p - middle + low + 0.5 * size).collect();
            mesh.with_positions(moved).unwrap()
        };
        let clamp = block(DVec3::new(-8.0, 20.0, -10.0), DVec3::new(6.0, 4.0, 20.0));
        let stock = block(DVec3::new(-1.0, -1.0, -20.0), DVec3::new(82.0, 52.0, 24.5));
        sample.add(Body::new("clamp", Role::Fixture, clamp));
        sample.add(Body::new("stock", Role::Stock, stock));
        sample
    }

    /// Writes pages for the browser tests, if a folder is named: see `page/test` of `impinge-page`.
    #[test]
    fn nc_pages_for_the_browser() {
        let Some(folder) = env::var_os("IMPINGE_PAGES") else { return };
        let clean: String = demo::PROGRAM
            .lines()
            .filter(|line| !["G3 X43. Y26. R25.25", "G0 Z-2."].contains(line))
            .map(|line| format!("{}\n", if line == "G0 X55." { "G0 Z30." } else { line }))
            .collect::<String>()
            .replace("G1 X17.\n", "");
        let tight = Budget { points: 500, gouges: 5, ..Budget::default() };
        for (name, sample, budget) in [
            ("nc-demo", Sample::demo(), Budget::default()),
            ("nc-clean", Sample::of(clean.as_bytes(), "part"), Budget::default()),
            ("nc-crowded", crowded(), tight),
        ] {
            let folder = Path::new(&folder).join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("nc.html"), page(&budget, &sample.report())).unwrap();
            let mut json = Vec::new();
            crate::json::write(&sample.report(), &mut json).unwrap();
            fs::write(folder.join("nc.json"), json).unwrap();
        }
    }
}
