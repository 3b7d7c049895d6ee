//! The page of a scene: one HTML file with the figures of the paper beside those of the runs, and plots over all
//! cycles. It loads nothing from elsewhere.

use super::{
    report::{Report, figures_table},
    thinned::{Join, Thinned},
};
use crate::{
    failure::Failure,
    plot::{Lines, Scale},
};
use impinge_io::Draft;
use impinge_scene::{Cycle, Scene};
use std::{fmt::Write, path::Path};

/// Numbers of all cycles.
#[derive(Default)]
pub(super) struct Course {
    /// Names of the bodies in flight that are drawn.
    names: Vec<String>,
    points: Thinned<Point, POINTS>,
}

/// Numbers of one cycle, or of several that share a point.
#[derive(Default)]
struct Point {
    contacts: f64,
    micros: f64,
    kinetic: f64,
    potential: f64,
    /// Of each body in flight that is drawn, from the centre of attraction.
    distances: Vec<f64>,
}

/// The most points of a line, and the most bodies whose distances are drawn.
const POINTS: usize = 4096;
const BODIES: usize = 6;

impl Course {
    pub(super) fn add(&mut self, cycle: &Cycle<'_>, center: impinge::glam::DVec3) {
        let (row, stats) = (cycle.row(), cycle.row().stats.unwrap_or_default());
        if self.points.is_empty() {
            self.names =
                cycle.flying().take(BODIES).map(|(body, _)| cycle.body_name(body)).collect();
        }
        let distances = cycle.flying().take(BODIES).map(|(_, place)| place.distance(center));
        self.points.push(Point {
            contacts: row.contacts as f64,
            micros: row.total_us,
            kinetic: stats.kinetic,
            potential: stats.potential,
            distances: distances.collect(),
        });
    }

    /// Returns the plots, each with a heading.
    fn plots(&self) -> Vec<(&'static str, Lines)> {
        let lines = |label: &str, scale, series| Lines {
            title: String::new(),
            x: ("cycle".into(), Scale::Linear),
            y: (label.into(), scale),
            series,
            marks: None,
        };
        let one = |name: &str, line| vec![(name.to_owned(), line)];
        let mut plots = vec![
            (
                "Contacts at each cycle",
                lines(
                    "touching face pairs",
                    Scale::Linear,
                    one("contacts", self.points.line(|point| point.contacts)),
                ),
            ),
            (
                "Time of each cycle to find contacts",
                lines("µs", Scale::Log, one("time", self.points.line(|point| point.micros))),
            ),
        ];
        if !self.names.is_empty() {
            let distances = self.names.iter().enumerate().map(|(i, name)| {
                (
                    name.clone(),
                    self.points.line(move |point| point.distances.get(i).copied().unwrap_or(0.0)),
                )
            });
            let energies = [
                ("kinetic", self.points.line(|point| point.kinetic)),
                ("potential", self.points.line(|point| point.potential)),
                ("sum", self.points.line(|point| point.kinetic + point.potential)),
            ];
            let energies =
                energies.into_iter().map(|(name, line)| (name.to_owned(), line)).collect();
            plots.push((
                "Distance of bodies in flight from the centre",
                lines("distance", Scale::Linear, distances.collect()),
            ));
            plots.push(("Energy of bodies in flight", lines("energy", Scale::Linear, energies)));
        }
        plots
    }
}

impl Join for Point {
    /// The largest number of contacts and the longest time count, and the latest state.
    fn join(&mut self, later: Self) {
        let contacts = self.contacts.max(later.contacts);
        let micros = self.micros.max(later.micros);
        *self = Self { contacts, micros, ..later };
    }
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:980px;margin:2em auto;padding:0 1em;color:#222}\
    table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:left}\
    td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}\
    h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em}h3{font-size:1em}p.note{color:#555}";

/// Writes the page to a draft file, which is renamed later.
pub(super) fn draft(path: &Path, scene: &Scene, reports: &[Report]) -> Result<Draft, Failure> {
    let text = html(scene, reports).map_err(|error| {
        Failure::input(format!("{}: cannot draw the page: {error}", path.display()))
    })?;
    let mut draft = Draft::create(path)?;
    draft.fill(|out| out.write_all(text.as_bytes()))?;
    Ok(draft)
}

fn html(scene: &Scene, reports: &[Report]) -> Result<String, Box<dyn std::error::Error>> {
    let title = escaped(&scene.title());
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if let Some(paper) = scene.paper() {
        writeln!(out, "<h2>Figures of the paper and of this run</h2>")?;
        let machine = paper.machine.iter().map(|machine| format!(", measured on {machine}"));
        let machine: String = machine.collect();
        writeln!(
            out,
            "<p class=\"note\">Paper: {}.</p>",
            escaped(&(paper.source.clone() + &machine))
        )?;
        let mut rows = figures_table(paper, reports).into_iter();
        let cells = |tag: &str, row: Vec<String>| {
            let cell = |(i, text): (usize, String)| {
                let class = if i == 0 { "" } else { " class=\"number\"" };
                format!("<{tag}{class}>{}</{tag}>", escaped(&text))
            };
            row.into_iter().enumerate().map(cell).collect::<String>()
        };
        writeln!(out, "<table>\n<tr>{}</tr>", cells("th", rows.next().unwrap_or_default()))?;
        for row in rows {
            writeln!(out, "<tr>{}</tr>", cells("td", row))?;
        }
        writeln!(out, "</table>")?;
        writeln!(
            out,
            "<p class=\"note\">Times of the runs cover finding contacts, not responding to them. A box test \
             includes the face tests that follow from it.</p>"
        )?;
    }
    for report in reports {
        writeln!(out, "<h2>Run {}</h2>\n<table>", escaped(&report.summary.run))?;
        for (name, value) in report.rows() {
            writeln!(out, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value))?;
        }
        writeln!(out, "</table>")?;
        for (heading, lines) in report.course.plots() {
            writeln!(out, "<h3>{heading}</h3>\n{}", lines.svg()?)?;
        }
    }
    writeln!(
        out,
        "<p class=\"note\">impinge {}, {}</p>",
        env!("CARGO_PKG_VERSION"),
        summary_of(reports)
    )?;
    out += "</body>\n</html>\n";
    Ok(out)
}

/// Returns the scene file of the runs.
fn summary_of(reports: &[Report]) -> String {
    reports.first().map(|report| escaped(&report.summary.scene)).unwrap_or_default()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_course_keeps_peaks_and_the_latest_state() {
        let mut course = Course { names: vec!["a".into()], ..Course::default() };
        for cycle in 0..20_000_u32 {
            let contacts = if cycle == 4321 { 9.0 } else { 1.0 };
            let distances = vec![f64::from(cycle)];
            course.points.push(Point { contacts, distances, ..Point::default() });
        }
        let (contacts, distances) = (
            course.points.line(|point| point.contacts),
            course.points.line(|point| point.distances[0]),
        );
        assert!(contacts.len() <= POINTS && contacts.len() > POINTS / 2, "{}", contacts.len());
        let peaks: Vec<_> = contacts.iter().filter(|point| point.1 > 1.0).collect();
        let [&(cycle, _)] = peaks[..] else { panic!("{peaks:?}") };
        assert!((cycle - 4321.0).abs() <= course.points.share() as f64, "{cycle}");
        assert_eq!(distances.last().map(|point| point.1), Some(19_999.0));
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
