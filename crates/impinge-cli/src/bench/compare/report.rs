//! The result of the comparison: rows for JSON, tables for people.

use super::{
    engine::Mode,
    peer::Failed,
    race::Run,
    scenario::{Plan, Scenario},
    verdict::{Truth, Verdict},
};
use crate::{
    bench::contender::Contender,
    failure::Failure,
    output::{self, to_thousandths},
};
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    /// The method of impinge that ratios refer to.
    pub(super) method: String,
    cap_s: f64,
    pub(super) scenarios: Vec<Summary>,
    pub(super) rows: Vec<Row>,
    pub(super) ratios: Vec<Ratio>,
    means: Vec<Mean>,
    pub(super) engines: Vec<Total>,
    /// Wrong answers of impinge's methods.
    pub(super) defects: Vec<String>,
    pub(super) failed: Vec<Failed>,
}

#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) name: String,
    /// The tumbling body, and its distance from the copy; `None` for other scenarios.
    pub(super) body: Option<String>,
    pub(super) distance: Option<f64>,
    pub(super) is_flight: bool,
    pub(super) tris_a: usize,
    pub(super) tris_b: usize,
    steps: usize,
    colliding_steps: usize,
    pairs: u64,
}

/// One engine on one scenario in one mode.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) engine: String,
    version: String,
    is_impinge: bool,
    pub(super) mode: Mode,
    steps: usize,
    stride: usize,
    rounds: usize,
    build_ms: Option<f64>,
    bytes: Option<u64>,
    pub(super) mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(skip)]
    run: Run,
}

/// How many times faster the chosen method is than the fastest peer with right answers.
#[derive(Serialize)]
pub(super) struct Ratio {
    scenario: String,
    mode: Mode,
    peer: String,
    ratio: f64,
}

/// Mean of the ratios over all scenarios.
#[derive(Serialize)]
struct Mean {
    mode: Mode,
    scenarios: usize,
    geometric_mean: f64,
    worst: f64,
    worst_scenario: String,
}

/// One engine over all scenarios.
#[derive(Serialize)]
pub(super) struct Total {
    engine: String,
    version: String,
    bytes_per_triangle: Option<f64>,
    build_triangles_per_s: Option<f64>,
    /// Geometric means of the time relative to the chosen method.
    slower_detect: Option<f64>,
    slower_all: Option<f64>,
    /// Number of scenarios with wrong answers.
    wrong_detect: usize,
    wrong_all: usize,
}

impl Summary {
    pub(super) fn new(plan: &Plan, scenario: &Scenario, truth: &Truth) -> Self {
        let (body, distance) = match plan {
            Plan::Tumble { body, distance } => (Some(body.name().to_owned()), Some(*distance)),
            _ => (None, None),
        };
        Self {
            name: plan.name(),
            body,
            distance,
            is_flight: plan.is_flight(),
            tris_a: scenario.a.faces().len(),
            tris_b: scenario.b.faces().len(),
            steps: scenario.poses.len(),
            colliding_steps: truth.colliding_steps(),
            pairs: truth.pairs(),
        }
    }

    pub(super) fn triangles(&self) -> usize {
        self.tris_a + self.tris_b
    }
}

impl Row {
    pub(super) fn new(scenario: &str, verdict: Verdict, run: Run) -> Self {
        Self {
            scenario: scenario.to_owned(),
            engine: run.info.engine.clone(),
            version: run.info.version.clone(),
            is_impinge: run.info.is_impinge,
            mode: run.mode,
            steps: run.steps.len(),
            stride: run.stride,
            rounds: run.rounds,
            build_ms: run.info.build_ms.map(to_thousandths),
            bytes: run.info.bytes,
            mean_us: run.times.mean,
            p50_us: run.times.p50,
            p99_us: run.times.p99,
            max_us: run.times.max,
            verdict,
            run,
        }
    }

    /// The time as tables show it.
    fn cell(&self) -> String {
        let mut cell = number(self.mean_us);
        if !self.verdict.right {
            cell.push(if self.verdict.checked_steps == 0 { '?' } else { '!' });
        }
        if self.stride > 1 {
            cell.push_str(&format!(" ({})", self.stride));
        }
        cell
    }

    pub(super) fn bytes_per_triangle(&self, scenario: &Summary) -> Option<f64> {
        Some(self.bytes? as f64 / scenario.triangles().max(1) as f64)
    }
}

/// Formats a number with about three digits.
fn number(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| to_thousandths((sum / values.len() as f64).exp()))
}

/// A table with a title.
struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Report {
    pub(super) fn new(contenders: &[Contender], cap: Duration) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            method: contenders.first().map(|it| it.name.clone()).unwrap_or_default(),
            cap_s: cap.as_secs_f64(),
            scenarios: Vec::new(),
            rows: Vec::new(),
            ratios: Vec::new(),
            means: Vec::new(),
            engines: Vec::new(),
            defects: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(super) fn row(&self, scenario: &str, engine: &str, mode: Mode) -> Option<&Row> {
        let is_match = |row: &&Row| row.scenario == scenario && row.engine == engine;
        self.rows.iter().filter(is_match).find(|row| row.mode == mode)
    }

    /// Returns the engines in the order of their first rows.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.engine.as_str()) {
                names.push(&row.engine);
            }
        }
        names
    }

    /// Returns the time relative to the chosen method, on the same poses.
    fn slower(&self, row: &Row) -> Option<f64> {
        let chosen = self.row(&row.scenario, &self.method, row.mode)?;
        Some(row.mean_us / chosen.run.mean_over(&row.run.steps))
    }

    /// Computes ratios, means and totals from all rows.
    pub(super) fn sum_up(&mut self) {
        let scenarios = self.scenarios.iter();
        let pairs = scenarios.flat_map(|it| Mode::BOTH.map(|mode| (it.name.as_str(), mode)));
        let fastest = pairs.filter_map(|(scenario, mode)| {
            let is_match = |row: &&Row| row.scenario == scenario && row.mode == mode;
            let peers = self.rows.iter().filter(is_match);
            let peers = peers.filter(|row| !row.is_impinge && row.verdict.right);
            let slower = peers.filter_map(|row| Some((row, self.slower(row)?)));
            let (row, ratio) = slower.min_by(|p, q| p.1.total_cmp(&q.1))?;
            Some(Ratio {
                scenario: scenario.to_owned(),
                mode,
                peer: row.engine.clone(),
                ratio: to_thousandths(ratio),
            })
        });
        self.ratios = fastest.collect();
        self.means = Mode::BOTH.into_iter().filter_map(|mode| self.mean(mode)).collect();
        self.engines = self.names().into_iter().map(|name| self.total(name)).collect();
    }

    fn mean(&self, mode: Mode) -> Option<Mean> {
        let of_mode = || self.ratios.iter().filter(|it| it.mode == mode);
        let ratios: Vec<f64> = of_mode().map(|it| it.ratio).collect();
        let worst = of_mode().min_by(|p, q| p.ratio.total_cmp(&q.ratio))?;
        Some(Mean {
            mode,
            scenarios: ratios.len(),
            geometric_mean: geometric_mean(&ratios)?,
            worst: worst.ratio,
            worst_scenario: worst.scenario.clone(),
        })
    }

    fn total(&self, engine: &str) -> Total {
        let rows = || self.rows.iter().filter(|row| row.engine == engine);
        // Both modes use the same index.
        let built = self.scenarios.iter().filter_map(|scenario| {
            let row = rows().find(|row| row.scenario == scenario.name)?;
            Some((scenario.triangles() as f64, row))
        });
        let (mut held, mut bytes, mut made, mut time) = (0.0, 0.0, 0.0, 0.0);
        for (triangles, row) in built {
            if let Some(count) = row.bytes {
                (held, bytes) = (held + triangles, bytes + count as f64);
            }
            if let Some(ms) = row.build_ms {
                (made, time) = (made + triangles, time + ms);
            }
        }
        let slower = |mode: Mode| {
            let rows = rows().filter(|row| row.mode == mode);
            geometric_mean(&rows.filter_map(|row| self.slower(row)).collect::<Vec<_>>())
        };
        let wrong = |mode: Mode| {
            let rows = rows().filter(|row| row.mode == mode);
            rows.filter(|row| !row.verdict.right && row.verdict.checked_steps > 0).count()
        };
        Total {
            engine: engine.to_owned(),
            version: rows().next().map(|row| row.version.clone()).unwrap_or_default(),
            bytes_per_triangle: (held > 0.0).then(|| to_thousandths(bytes / held)),
            build_triangles_per_s: (time > 0.0).then(|| (made / time * 1e3).round()),
            slower_detect: slower(Mode::Detect),
            slower_all: slower(Mode::All),
            wrong_detect: wrong(Mode::Detect),
            wrong_all: wrong(Mode::All),
        }
    }

    /// One row for each scenario, one column for each engine.
    fn times(&self, mode: Mode) -> Table {
        let names = self.names();
        let is_asked =
            |name: &&str| self.rows.iter().any(|row| row.mode == mode && row.engine == *name);
        let names: Vec<&str> = names.into_iter().filter(is_asked).collect();
        let mut head = vec!["scenario".to_owned(), "touching".to_owned()];
        head.extend(names.iter().map(|name| (*name).to_owned()));
        let has_peers = self.has_peers();
        if has_peers {
            head.extend(["ratio", "to"].map(str::to_owned));
        }
        let mut rows = vec![head];
        for scenario in &self.scenarios {
            let touching = format!("{} of {}", scenario.colliding_steps, scenario.steps);
            let mut cells = vec![output::plain(&scenario.name), touching];
            cells.extend(names.iter().map(|name| {
                self.row(&scenario.name, name, mode).map_or_else(|| "-".to_owned(), Row::cell)
            }));
            let ratio =
                self.ratios.iter().find(|it| it.scenario == scenario.name && it.mode == mode);
            let ratio = match ratio {
                Some(ratio) => [number(ratio.ratio), ratio.peer.clone()],
                None => ["-", "no peer has right answers"].map(str::to_owned),
            };
            cells.extend(ratio.into_iter().filter(|_| has_peers));
            rows.push(cells);
        }
        let what = match mode {
            Mode::Detect => "Does anything touch? (detect)",
            Mode::All => "Which faces touch? (all)",
        };
        Table { title: format!("{what} Mean time per query, µs"), rows }
    }

    fn totals(&self) -> Table {
        let mut rows = vec![
            [
                "engine",
                "version",
                "bytes per triangle",
                "builds, million triangles/s",
                "detect, times as slow",
                "all, times as slow",
                "wrong scenarios, detect",
                "all",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        let show = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        rows.extend(self.engines.iter().map(|total| {
            vec![
                total.engine.clone(),
                output::plain(&total.version),
                show(total.bytes_per_triangle),
                show(total.build_triangles_per_s.map(|count| count / 1e6)),
                show(total.slower_detect),
                show(total.slower_all),
                total.wrong_detect.to_string(),
                total.wrong_all.to_string(),
            ]
        }));
        Table { title: format!("Engines over all scenarios, `{}` = 1", self.method), rows }
    }

    fn flights(&self) -> Option<Table> {
        let head = ["flight", "mode", "engine", "median, µs", "99 % below, µs", "ratio"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for scenario in self.scenarios.iter().filter(|scenario| scenario.is_flight) {
            let of_flight = self.rows.iter().filter(|row| row.scenario == scenario.name);
            rows.extend(of_flight.map(|row| {
                vec![
                    scenario.name.clone(),
                    row.mode.name().to_owned(),
                    row.engine.clone(),
                    number(row.p50_us),
                    number(row.p99_us),
                    number(row.p99_us / row.p50_us.max(1e-3)),
                ]
            }));
        }
        let title = "Flights: how even the times are".to_owned();
        (rows.len() > 1).then_some(Table { title, rows })
    }

    /// Engines whose answers differ from impinge's, and how often.
    fn errors(&self) -> Option<Table> {
        let head = [
            "engine",
            "mode",
            "wrong scenarios",
            "differing steps",
            "of",
            "missed",
            "invented",
            "differing symmetric steps",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for name in self.names() {
            for mode in Mode::BOTH {
                let of_engine =
                    || self.rows.iter().filter(|row| row.engine == name && row.mode == mode);
                if !of_engine().any(|row| row.verdict.differs()) {
                    continue;
                }
                let sum = |what: fn(&Verdict) -> u64| -> String {
                    of_engine().map(|row| what(&row.verdict)).sum::<u64>().to_string()
                };
                rows.push(vec![
                    name.to_owned(),
                    mode.name().to_owned(),
                    sum(|it| u64::from(!it.right && it.checked_steps > 0)),
                    sum(|it| it.wrong_steps as u64),
                    sum(|it| it.checked_steps as u64),
                    sum(|it| it.missed),
                    sum(|it| it.invented),
                    sum(|it| it.wrong_symmetric_steps as u64),
                ]);
            }
        }
        let title = "Answers that differ from those of impinge, in pairs (detect: in steps)";
        (rows.len() > 1).then_some(Table { title: title.to_owned(), rows })
    }

    /// Returns the summary, one line each.
    fn lines(&self) -> Vec<String> {
        let mean = |mean: &Mean| {
            format!(
                "{}, {}: {} times as fast as the fastest peer with right answers (geometric mean of {} \
                 scenarios), {} times in the worst ({})",
                self.method,
                mean.mode.name(),
                number(mean.geometric_mean),
                mean.scenarios,
                number(mean.worst),
                mean.worst_scenario
            )
        };
        let mut lines: Vec<String> = self.means.iter().map(mean).collect();
        if !self.has_peers() && self.failed.is_empty() {
            lines.push(
                "No other engine was compared: --peer adds one, and in impinge's repository `cargo xtask \
                 compare` adds parry3d"
                    .to_owned(),
            );
        }
        lines.extend(self.failed.iter().map(|failed| {
            let Failed { peer, scenario, message } = failed;
            format!("{peer} failed at {scenario} and was not run again: {message}")
        }));
        lines.extend(self.defects.iter().map(|defect| format!("A bug in impinge: {defect}")));
        lines
    }

    /// Whether an engine other than impinge answered.
    fn has_peers(&self) -> bool {
        self.rows.iter().any(|row| !row.is_impinge)
    }

    /// How to read the tables.
    fn legend(&self) -> String {
        let mut text =
            "n! has wrong answers, n? could not be checked, n (k) answered only every k-th pose"
                .to_owned();
        if self.has_peers() {
            text.push_str(
                "; the ratio is the time of the fastest peer with right answers over the time of the first method, on the \
                 same poses",
            );
        }
        text.push('.');
        text
    }

    fn tables(&self) -> Vec<Table> {
        let times = Mode::BOTH.map(|mode| self.times(mode));
        let more = [self.flights(), self.errors()].into_iter().flatten();
        times.into_iter().chain([self.totals()]).chain(more).collect()
    }

    pub(super) fn readable(&self) -> String {
        let mut text = String::new();
        for Table { title, rows } in self.tables() {
            text.push_str(&format!("{title}\n{}\n", output::table(&rows)));
        }
        text.push_str(&self.legend());
        text.push_str("\n\n");
        for line in self.lines() {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::new();
        for line in self.lines() {
            text.push_str(&format!("- {line}\n"));
        }
        text.push_str(&format!("\n{}\n", self.legend()));
        for Table { title, rows } in self.tables() {
            text.push_str(&format!("\n### {title}\n\n"));
            for (i, row) in rows.iter().enumerate() {
                let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
                text.push_str(&format!("| {} |\n", cells.join(" | ")));
                if i == 0 {
                    text.push_str(&format!("|{}\n", "---|".repeat(row.len())));
                }
            }
        }
        text
    }

    /// Returns an error if a method of impinge is wrong, or if a peer failed.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if let Some(defect) = self.defects.first() {
            return Err(Failure::Check(format!(
                "{defect}; this is a bug in impinge, please report it with the scenario"
            )));
        }
        match self.failed.first() {
            Some(Failed { peer, scenario, message }) => {
                Err(Failure::input(format!("peer `{peer}` failed at {scenario}: {message}")))
            }
            None => Ok(()),
        }
    }
}
