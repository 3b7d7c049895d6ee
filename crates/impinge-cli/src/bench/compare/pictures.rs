//! Plots of the comparison: time over distance, time over size, bytes over size.

use super::{
    engine::Mode,
    report::{Report, Row, Summary},
};
use crate::{
    failure::Failure,
    plot::{Lines, Scale},
};
use std::path::Path;

/// Draws every plot that has enough points.
pub(super) fn draw(report: &Report, folder: &Path) -> Result<(), Failure> {
    let time = || ("mean time per query, µs".to_owned(), Scale::Log);
    let mut bodies: Vec<&str> =
        report.scenarios.iter().filter_map(|it| it.body.as_deref()).collect();
    bodies.dedup();
    for mode in Mode::BOTH {
        for body in &bodies {
            let distance = |it: &Summary| it.distance.filter(|_| it.body.as_deref() == Some(body));
            let series = series(report, mode, distance, |row, _| Some(row.mean_us));
            let title = format!("{body}, tumbling ({})", mode.name());
            let x = ("distance between the centres".to_owned(), Scale::Linear);
            let lines = Lines { title, x, y: time(), series, marks: None };
            lines.draw_if_long(&folder.join(format!("distance-{body}-{}.svg", mode.name())))?;
        }
        // At the distance that most bodies share, for families of bodies that differ only in size.
        let size = |it: &Summary| is_sphere(it).then_some(it.tris_a as f64);
        let series = series(report, mode, size, |row, _| Some(row.mean_us));
        let title = format!("Spheres tumbling, 1 apart ({})", mode.name());
        let x = ("triangles of each mesh".to_owned(), Scale::Log);
        let lines = Lines { title, x, y: time(), series, marks: None };
        lines.draw_if_long(&folder.join(format!("size-{}.svg", mode.name())))?;
    }
    let size = |it: &Summary| Some(it.triangles() as f64);
    let series = series(report, Mode::Detect, size, Row::bytes_per_triangle);
    Lines {
        title: "Index size for a pair of meshes".to_owned(),
        x: ("triangles of both meshes".to_owned(), Scale::Log),
        y: ("bytes per triangle".to_owned(), Scale::Log),
        series,
        marks: None,
    }
    .draw_if_long(&folder.join("bytes.svg"))
}

/// Returns whether a scenario is a tumbling sphere at distance 1, generated or given.
fn is_sphere(scenario: &Summary) -> bool {
    let is_family = scenario.body.as_deref().is_some_and(|body| body.contains("sphere"));
    is_family && scenario.distance == Some(1.0)
}

/// Returns one line for each engine, with a point for each scenario that has a value on the x axis.
fn series(
    report: &Report,
    mode: Mode,
    x: impl Fn(&Summary) -> Option<f64>,
    y: impl Fn(&Row, &Summary) -> Option<f64>,
) -> Vec<(String, Vec<(f64, f64)>)> {
    let line = |name: &str| {
        let point = |scenario: &Summary| {
            let row = report.row(&scenario.name, name, mode)?;
            Some((x(scenario)?, y(row, scenario)?))
        };
        let mut points: Vec<(f64, f64)> = report.scenarios.iter().filter_map(point).collect();
        points.sort_by(|p, q| p.0.total_cmp(&q.0));
        points.dedup_by_key(|point| point.0);
        (name.to_owned(), points)
    };
    report.names().into_iter().map(line).filter(|(_, points)| !points.is_empty()).collect()
}

impl Lines {
    /// Draws the plot if any line has more than one point.
    fn draw_if_long(&self, path: &Path) -> Result<(), Failure> {
        match self.series.iter().any(|(_, points)| points.len() > 1) {
            true => self.draw(path),
            false => Ok(()),
        }
    }
}
