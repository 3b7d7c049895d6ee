//! What a run tells of itself: a row a cycle, a summary, a picture.

use super::{
    scene::{Against, Broad},
    stage::Stage,
};
use crate::{
    bench::plot::{Lines, Scale},
    failure::Failure,
    output::{self, quoted, to_thousandths},
};
use impinge::world::{Step, StepStats};
use serde::Serialize;
use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

/// What a cycle took and found.
#[derive(Serialize)]
pub(super) struct Row<'r> {
    kind: &'static str,
    pub(super) run: &'r str,
    pub(super) cycle: u64,
    place_us: f64,
    broad_us: f64,
    narrow_us: f64,
    report_us: f64,
    total_us: f64,
    near: usize,
    candidates: usize,
    body_pairs: usize,
    pub(super) contacts: usize,
    began: usize,
    ended: usize,
}

impl<'r> Row<'r> {
    pub(super) const HEADER: &'static str = "run,cycle,place_us,broad_us,narrow_us,report_us,\
         total_us,near,candidates,body_pairs,contacts,began,ended";

    pub(super) fn new(run: &'r str, cycle: u64, step: &Step<'_>) -> Self {
        let stats = step.stats();
        let StepStats { near, tested, touching, contacts, .. } = stats;
        Self {
            kind: "cycle",
            run,
            cycle,
            place_us: micros(stats.update),
            broad_us: micros(stats.broad),
            narrow_us: micros(stats.narrow),
            report_us: micros(stats.report),
            total_us: micros(stats.total()),
            near,
            candidates: tested,
            body_pairs: touching,
            contacts,
            began: step.began().len(),
            ended: step.ended().len(),
        }
    }

    fn csv(&self) -> String {
        let Self { cycle, place_us, broad_us, narrow_us, report_us, total_us, .. } = self;
        let Self { near, candidates, body_pairs, contacts, began, ended, .. } = self;
        let run = quoted(self.run);
        format!(
            "{run},{cycle},{place_us},{broad_us},{narrow_us},{report_us},{total_us},{near},\
             {candidates},{body_pairs},{contacts},{began},{ended}"
        )
    }
}

fn micros(time: Duration) -> f64 {
    to_thousandths(time.as_secs_f64() * 1e6)
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Json,
}

impl Format {
    /// Told by the extension.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl" | "json") => Ok(Self::Json),
            _ => Err(Failure::input(format!(
                "{}: rows are written as .csv or .jsonl; name such a file",
                path.display()
            ))),
        }
    }

    pub(super) fn write(self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        match self {
            Self::Csv => writeln!(out, "{}", row.csv()),
            Self::Json => {
                serde_json::to_writer(&mut *out, row)?;
                writeln!(out)
            }
        }
    }
}

/// A run as a whole.
#[derive(Serialize)]
pub(super) struct Summary {
    kind: &'static str,
    version: &'static str,
    scene: String,
    run: String,
    method: &'static str,
    broad: Broad,
    threads: u16,
    bodies: usize,
    faces: u64,
    cycles: u64,
    stopped: &'static str,
    build_ms: f64,
    mean_us: f64,
    max_us: f64,
    last_us: f64,
    near: u64,
    candidates: u64,
    contacts: u64,
    touching_cycles: u64,
    first_contact: Option<u64>,
    energy_before: Option<f64>,
    energy_after: Option<f64>,
    #[serde(skip)]
    pub(super) track: Track,
}

impl Summary {
    pub(super) fn new(scene: &Path, stage: &Stage, energy: Option<f64>) -> Self {
        Self {
            kind: "summary",
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.display().to_string(),
            run: stage.name.clone(),
            method: stage.method.name(),
            broad: stage.broad,
            threads: stage.threads,
            bodies: stage.bodies.len(),
            faces: stage.faces,
            cycles: 0,
            stopped: "cycles",
            build_ms: to_thousandths(stage.build.as_secs_f64() * 1e3),
            mean_us: 0.0,
            max_us: 0.0,
            last_us: 0.0,
            near: 0,
            candidates: 0,
            contacts: 0,
            touching_cycles: 0,
            first_contact: None,
            energy_before: energy,
            energy_after: None,
            track: Track::default(),
        }
    }

    /// Takes a cycle into account.
    pub(super) fn add(&mut self, row: &Row<'_>) {
        self.cycles += 1;
        // The sum until the end.
        self.mean_us += row.total_us;
        self.max_us = self.max_us.max(row.total_us);
        self.last_us = row.total_us;
        self.near += row.near as u64;
        self.candidates += row.candidates as u64;
        self.contacts += row.contacts as u64;
        if row.contacts > 0 {
            self.touching_cycles += 1;
            self.first_contact.get_or_insert(row.cycle);
        }
        self.track.add([row.place_us, row.broad_us, row.narrow_us, row.total_us]);
    }

    pub(super) fn finish(&mut self, is_stopped: bool, energy: Option<f64>) {
        self.mean_us = to_thousandths(self.mean_us / self.cycles.max(1) as f64);
        self.stopped = if is_stopped { "contact" } else { "cycles" };
        self.energy_after = energy;
    }

    pub(super) fn readable(&self) -> String {
        let first = match self.first_contact {
            None => "none".to_owned(),
            Some(cycle) => format!(
                "{} of faces in {} of them, the first at cycle {cycle}",
                self.contacts, self.touching_cycles
            ),
        };
        let broad = serde_json::to_string(&self.broad).unwrap_or_default().replace('"', "");
        let threads = match self.threads {
            0 => "all cores".to_owned(),
            1 => "one thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        let rows = [
            ("run", self.run.clone()),
            ("bodies", format!("{}, of {} faces in all", self.bodies, self.faces)),
            ("how", format!("{broad} and {}, on {threads}", self.method)),
            ("cycles", format!("{}, ended by {}", self.cycles, self.stopped)),
            ("near", format!("{} pairs of bodies, {} looked at", self.near, self.candidates)),
            ("contacts", first),
            (
                "time",
                format!(
                    "mean {} µs a cycle, longest {} µs, last {} µs",
                    self.mean_us, self.max_us, self.last_us
                ),
            ),
        ];
        output::table(&rows.map(|(name, value)| vec![name.to_owned(), value]))
    }
}

/// Times of all cycles, in so many points at most: where cycles share a point, the longest counts.
#[derive(Default)]
pub(super) struct Track {
    points: Vec<[f64; 4]>,
    /// Cycles a point, and in the last one.
    share: u64,
    filled: u64,
}

const POINTS: usize = 1000;

impl Track {
    fn add(&mut self, times: [f64; 4]) {
        self.share = self.share.max(1);
        match self.points.last_mut() {
            Some(last) if self.filled < self.share => {
                *last = longest(*last, times);
                self.filled += 1;
                return;
            }
            _ => {}
        }
        if self.points.len() == 2 * POINTS {
            self.points = self.points.chunks(2).map(|two| longest(two[0], two[1])).collect();
            self.share *= 2;
        }
        self.points.push(times);
        self.filled = 1;
    }

    fn line(&self, stage: usize) -> Vec<(f64, f64)> {
        let share = self.share as f64;
        self.points.iter().enumerate().map(|(i, times)| (i as f64 * share, times[stage])).collect()
    }
}

fn longest(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| a[i].max(b[i]))
}

/// The papers' kind of figure: time a cycle, or of the last cycle against what the runs differ in.
pub(super) fn plot(
    path: &Path,
    title: &str,
    against: Against,
    runs: &[Summary],
) -> Result<(), Failure> {
    let time = "time of a cycle, µs".to_owned();
    let lines = match (against, runs) {
        (Against::Cycles, [one]) => {
            let names = ["placing", "broad", "narrow", "all stages"];
            let series = names.iter().enumerate();
            let series = series.map(|(i, name)| ((*name).to_owned(), one.track.line(i))).collect();
            Lines {
                title: title.to_owned(),
                x: ("cycle".into(), Scale::Linear),
                y: (time, Scale::Log),
                series,
            }
        }
        (Against::Cycles, _) => Lines {
            title: title.to_owned(),
            x: ("cycle".into(), Scale::Linear),
            y: (time, Scale::Log),
            series: runs.iter().map(|run| (run.run.clone(), run.track.line(3))).collect(),
        },
        (Against::Bodies | Against::Faces, _) => {
            let scale = if against == Against::Bodies { Scale::Linear } else { Scale::Log };
            let label = if against == Against::Bodies { "bodies" } else { "faces of all bodies" };
            let value = |run: &Summary| match against {
                Against::Bodies => run.bodies as f64,
                _ => run.faces as f64,
            };
            let points = |time: fn(&Summary) -> f64| {
                runs.iter().map(|run| (value(run), time(run))).collect::<Vec<_>>()
            };
            Lines {
                title: title.to_owned(),
                x: (label.into(), scale),
                y: (time, Scale::Log),
                series: vec![
                    ("last cycle".into(), points(|run| run.last_us)),
                    ("mean of all cycles".into(), points(|run| run.mean_us)),
                ],
            }
        }
    };
    lines.draw(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_keeps_the_longest_time_and_few_points() {
        let mut track = Track::default();
        for cycle in 0..10_000_u32 {
            let time = if cycle == 4321 { 9.0 } else { 1.0 };
            track.add([time; 4]);
        }
        let line = track.line(3);
        assert!(line.len() <= 2 * POINTS && line.len() > POINTS / 2, "{}", line.len());
        let peaks: Vec<_> = line.iter().filter(|point| point.1 > 1.0).collect();
        let [&(cycle, _)] = peaks[..] else { panic!("{peaks:?}") };
        assert!((cycle - 4321.0).abs() <= track.share as f64, "{cycle}");
    }
}
