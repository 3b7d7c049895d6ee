//! The printed summary of a run, and its plots.

use super::{
    page::Course,
    thinned::{Join, Thinned},
};
use crate::{
    failure::Failure,
    output::{self, count},
    plot::{Lines, Scale},
};
use impinge_io::Draft;
use impinge_scene::{Cycle, Paper, PlotAxis, RowSteps, Summary, SummarySteps};
use std::{collections::HashSet, path::Path};

/// A run's summary, and the times of its cycles.
pub(super) struct Report {
    pub(super) summary: Summary,
    pub(super) track: CycleTimes,
    /// Empty unless a page is written.
    pub(super) course: Course,
}

impl Report {
    /// Returns the summary as a table, with the figures of the paper beside those of the run.
    pub(super) fn readable(&self, paper: Option<&Paper>) -> String {
        let rows: Vec<_> =
            self.rows().into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        let mut text = output::table(&rows);
        if let Some(paper) = paper {
            text += &format!("\n{}\n", output::plain(&paper.source));
            text += &output::table(&figures_table(paper, std::slice::from_ref(self)));
        }
        text
    }

    /// Returns the lines of the summary: a name and a value.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let summary = &self.summary;
        let first = match summary.first_contact {
            None => "none".to_owned(),
            Some(cycle) => format!(
                "{} in {}, first at cycle {cycle}",
                count(summary.contacts, "face pair"),
                count(summary.touching_cycles, "cycle")
            ),
        };
        let broad = summary.broad.name();
        let threads = match summary.threads {
            0 => "all cores".to_owned(),
            1 => "one thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        let mut rows = vec![
            ("run", output::plain(&summary.run)),
            (
                "bodies",
                format!("{}, with {} in total", summary.bodies, count(summary.faces, "face")),
            ),
            ("methods", format!("{broad} and {}, on {threads}", summary.method)),
            ("cycles", format!("{}, ended by {}", summary.cycles, summary.stopped.name())),
            (
                "near",
                format!(
                    "{}, {} checked, {} skipped because they were still apart",
                    count(summary.near, "body pair"),
                    summary.candidates,
                    summary.skipped
                ),
            ),
            ("contacts", first),
            (
                "time",
                format!(
                    "mean {} µs per cycle, maximum {} µs, last {} µs",
                    summary.mean_us, summary.max_us, summary.last_us
                ),
            ),
        ];
        if let Some(swept) = &summary.swept {
            let pairs = count(swept.swept_pairs, "face pair");
            let first = match swept.first_swept {
                None => String::new(),
                Some(cycle) => format!(", first between the cycles {cycle} and {}", cycle + 1),
            };
            rows.push(("swept", format!("{pairs} of {} compared{first}", swept.swept_compared)));
        }
        if let Some(SummarySteps { distribution, last_steps, .. }) = &summary.steps {
            rows.push(("steps", steps_text(distribution, last_steps)));
        }
        if let Some(impacts) = &summary.impacts {
            let text = match impacts.first_impact {
                None => "none".to_owned(),
                Some(time) => format!(
                    "{} on the way to {}, first at {time}",
                    count(impacts.impacts, "impact"),
                    count(impacts.impact_cycles, "cycle")
                ),
            };
            rows.push(("impacts", text));
        }
        if let Some(stats) = &summary.stats {
            let tests = match stats.box_tests {
                0 => format!("{} does not count them", summary.method),
                tests => format!(
                    "{}, {}, {} ns per box test",
                    count(tests, "box test"),
                    count(stats.face_tests, "face test"),
                    stats.box_test_ns
                ),
            };
            let reversals = count(stats.reversals, "reversal");
            let respond = stats.respond_ms;
            rows.push(("tests", tests));
            rows.push((
                "response",
                format!("{}, {reversals}, {respond} ms", count(stats.impulses, "impulse")),
            ));
        }
        rows
    }
}

/// Returns the times of the four steps of the last cycle, and how evenly its tests were distributed.
fn steps_text(distribution: &str, steps: &RowSteps) -> String {
    let RowSteps { regions_us, faces_us, cells_us, tests_us, tested, busiest, workers, .. } = steps;
    let total = regions_us + faces_us + cells_us + tests_us;
    let step = |name: &str, us: f64| {
        let share = if total > 0.0 { 100.0 * us / total } else { 0.0 };
        format!("{name} {us} µs ({share:.0} %)")
    };
    format!(
        "last cycle: {}, {}, {}, {}; {} by {distribution}, of which the busiest of {} tested {busiest}",
        step("overlap regions", *regions_us),
        step("faces in them", *faces_us),
        step("cells", *cells_us),
        step("tests", *tests_us),
        count(*tested, "face pair"),
        count(u64::from(*workers), "worker"),
    )
}

/// Returns a table with a header: each figure of the paper, and the same figure of each run.
pub(super) fn figures_table(paper: &Paper, reports: &[Report]) -> Vec<Vec<String>> {
    let runs = reports.iter().map(|report| output::plain(&report.summary.run));
    let header = [String::new(), "paper".to_owned()].into_iter().chain(runs).collect();
    let columns: Vec<_> = reports.iter().map(|report| paper.figures(&report.summary)).collect();
    let mut rows: Vec<Vec<String>> = vec![header];
    for (i, figure) in columns.first().into_iter().flatten().enumerate() {
        let values = columns.iter().map(|column| match column[i].run {
            Some(value) => readable_number(value),
            None => "not counted".to_owned(),
        });
        let paper = [figure.name.to_owned(), readable_number(figure.paper)];
        rows.push(paper.into_iter().chain(values).collect());
    }
    rows
}

/// Returns a number as text: whole numbers in full, others with three significant digits.
fn readable_number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { output::short(value, 3) }
}

/// Times of all cycles: placing, broad phase, faces, impacts between cycles, and all stages. If several cycles share a
/// point, the longest time counts.
#[derive(Default)]
pub(super) struct CycleTimes {
    times: Thinned<[f64; STAGES.len()], POINTS>,
    /// The first impacts, in cycles.
    impacts: Vec<f64>,
}

const STAGES: [&str; 5] = ["placing", "broad", "narrow", "impacts", "all stages"];
const POINTS: usize = 2000;
/// The most impacts that a plot marks.
const MARKS: usize = 500;

impl CycleTimes {
    /// Adds the times of a cycle.
    pub(super) fn add(&mut self, cycle: &Cycle<'_>) {
        let row = cycle.row();
        let impact_us = row.impacts.map_or(0.0, |impacts| impacts.impact_us);
        self.times.push([row.place_us, row.broad_us, row.narrow_us, impact_us, row.total_us]);
        let places = cycle.impacts().map(|hit| (hit.cycle - 1) as f64 + hit.time);
        self.impacts.extend(places.take(MARKS - self.impacts.len()));
    }

    fn line(&self, stage: usize) -> Vec<(f64, f64)> {
        self.times.line(|times| times[stage])
    }

    /// The vertical lines of a plot.
    fn marks(&self) -> Option<(String, Vec<f64>)> {
        (!self.impacts.is_empty()).then(|| ("first contacts".to_owned(), self.impacts.clone()))
    }
}

impl Join for [f64; STAGES.len()] {
    fn join(&mut self, later: Self) {
        *self = std::array::from_fn(|i| self[i].max(later[i]));
    }
}

/// A plot in the style of the papers: time per cycle, or time of the last cycle against a property of the
/// runs.
pub(super) fn plot(
    path: &Path,
    title: &str,
    against: PlotAxis,
    runs: &[Report],
) -> Result<Draft, Failure> {
    let time = "time per cycle, µs".to_owned();
    let lines = match (against, runs) {
        (PlotAxis::Cycles, [one]) => {
            let is_used = |name: &str| name != "impacts" || one.summary.impacts.is_some();
            let series = STAGES.iter().enumerate().filter(|(_, name)| is_used(name));
            let series = series.map(|(i, name)| ((*name).to_owned(), one.track.line(i))).collect();
            Lines {
                title: title.to_owned(),
                x: ("cycle".into(), Scale::Linear),
                y: (time, Scale::Log),
                series,
                marks: one.track.marks(),
            }
        }
        (PlotAxis::Cycles, _) => Lines {
            title: title.to_owned(),
            x: ("cycle".into(), Scale::Linear),
            y: (time, Scale::Log),
            series: runs
                .iter()
                .map(|run| (run.summary.run.clone(), run.track.line(STAGES.len() - 1)))
                .collect(),
            marks: None,
        },
        (PlotAxis::Bodies | PlotAxis::Faces, _) => {
            let scale = if against == PlotAxis::Bodies { Scale::Linear } else { Scale::Log };
            let label = if against == PlotAxis::Bodies { "bodies" } else { "faces of all bodies" };
            let value = |run: &Report| match against {
                PlotAxis::Bodies => run.summary.bodies as f64,
                _ => run.summary.faces as f64,
            };
            let mut methods: Vec<&str> = runs.iter().map(|run| run.summary.method).collect();
            let mut known = HashSet::new();
            methods.retain(|method| known.insert(*method));
            let line = |method: &str, what: &str, time: fn(&Summary) -> f64| {
                let runs = runs.iter().filter(|run| run.summary.method == method);
                let name = match &methods[..] {
                    [_] => what.to_owned(),
                    _ => format!("{method}, {what}"),
                };
                (name, runs.map(|run| (value(run), time(&run.summary))).collect::<Vec<_>>())
            };
            let lines = methods.iter().flat_map(|method| {
                [
                    line(method, "last cycle", |run| run.last_us),
                    line(method, "mean of all cycles", |run| run.mean_us),
                ]
            });
            Lines {
                title: title.to_owned(),
                x: (label.into(), scale),
                y: (time, Scale::Log),
                series: lines.collect(),
                marks: None,
            }
        }
    };
    lines.draft(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_keeps_the_longest_time_and_few_points() {
        let mut track = CycleTimes::default();
        for cycle in 0..10_000_u32 {
            let time = if cycle == 4321 { 9.0 } else { 1.0 };
            track.times.push([time; STAGES.len()]);
        }
        let line = track.line(STAGES.len() - 1);
        assert!(line.len() <= POINTS && line.len() > POINTS / 4, "{}", line.len());
        let peaks: Vec<_> = line.iter().filter(|point| point.1 > 1.0).collect();
        let [&(cycle, _)] = peaks[..] else { panic!("{peaks:?}") };
        assert!((cycle - 4321.0).abs() <= track.times.share() as f64, "{cycle}");
    }
}
