//! The printed result of `impinge query`: a line of JSON, or a table.

use super::{
    faces,
    workload::{Answer, Ask, Outcome, Times, Workload},
};
use crate::{
    output::{self, count, to_thousandths},
    timing,
};
use rayon::ThreadPool;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Report {
    engine: &'static str,
    version: &'static str,
    method: &'static str,
    mode: &'static str,
    tris_a: usize,
    tris_b: usize,
    steps: usize,
    build_ms: f64,
    bytes: usize,
    mean_us: f64,
    p50_us: Option<f64>,
    p99_us: Option<f64>,
    max_us: Option<f64>,
    colliding_steps: usize,
    pairs: Option<u64>,
    #[serde(flatten)]
    stats: Option<Stats>,
    #[serde(flatten)]
    distance: Option<Least>,
    #[serde(flatten)]
    swept: Option<Swept>,
    #[serde(flatten)]
    impact: Option<FirstImpact>,
    #[serde(flatten)]
    budget: Option<Undecided>,
    #[serde(flatten)]
    batch: Option<Throughput>,
}

/// Fields added by `--stats`: means per step.
#[derive(Serialize)]
struct Stats {
    volume_tests: f64,
    face_tests: f64,
    placed: f64,
}

/// Fields added by `--distance`.
#[derive(Serialize)]
struct Least {
    least_distance: Option<f64>,
    least_step: Option<usize>,
}

/// Fields added by `--swept`.
#[derive(Serialize)]
struct Swept {
    compared: u64,
}

/// Fields added by `--first-impact`; null if there is no impact.
#[derive(Serialize)]
pub(super) struct FirstImpact {
    pub(super) impact_step: Option<usize>,
    pub(super) impact_time: Option<f64>,
    pub(super) impact_faces: Option<[u32; 2]>,
    pub(super) impact_points: Option<[[f64; 3]; 2]>,
    pub(super) impact_normal: Option<[f64; 3]>,
    pub(super) impact_distance: Option<f64>,
}

/// Fields added by `--budget`.
#[derive(Serialize)]
struct Undecided {
    undecided_steps: usize,
    largest_overlap: f64,
}

/// Fields added by `--batch`.
#[derive(Serialize)]
struct Throughput {
    threads: usize,
    poses_per_s: f64,
}

impl Report {
    pub(super) fn new(workload: &Workload<'_>, outcome: &Outcome, with_stats: bool) -> Self {
        let Outcome { answers, .. } = outcome;
        let steps = workload.steps();
        let (total, ranks) = match &outcome.times {
            Times::Batch(total) => (*total, [None; 3]),
            Times::Steps(times) => (times.iter().sum(), timing::ranks_us(times).map(Some)),
        };
        let [p50_us, p99_us, max_us] = ranks;
        let count = |answer: &Answer| match answer {
            Answer::Touching { count, .. } | Answer::Swept { count, .. } => *count,
            Answer::Impact(impact) => usize::from(impact.is_some()),
            Answer::Undecided { .. } => 0,
            Answer::Distance(least) => usize::from(least.is_some_and(|it| it.distance == 0.0)),
        };
        let all = || answers.iter().map(|it| count(it) as u64).sum();
        let (mode, pairs) = match workload.ask {
            Ask::Touching { all: false, .. } => ("detect", None),
            Ask::Touching { .. } => ("all", Some(all())),
            Ask::Distance => ("distance", None),
            Ask::Swept => ("swept", Some(all())),
            Ask::FirstImpact => ("first-impact", None),
        };
        Self {
            engine: "impinge",
            version: env!("CARGO_PKG_VERSION"),
            method: outcome.method.name(),
            mode,
            tris_a: faces(&workload.meshes[0]),
            tris_b: faces(&workload.meshes[1]),
            steps,
            build_ms: to_thousandths(outcome.build.as_secs_f64() * 1e3),
            bytes: outcome.bytes,
            mean_us: timing::mean_us(total, steps),
            p50_us,
            p99_us,
            max_us,
            colliding_steps: answers.iter().filter(|answer| count(answer) > 0).count(),
            pairs,
            stats: with_stats.then(|| Stats::new(outcome, steps)),
            distance: matches!(workload.ask, Ask::Distance).then(|| Least::new(answers)),
            swept: matches!(workload.ask, Ask::Swept).then(|| Swept::new(answers)),
            impact: matches!(workload.ask, Ask::FirstImpact).then(|| FirstImpact::new(answers)),
            budget: matches!(workload.ask, Ask::Touching { budget: Some(_), .. })
                .then(|| Undecided::new(answers)),
            batch: workload.batch.then(|| Throughput {
                threads: workload.pool.as_ref().map_or(1, ThreadPool::current_num_threads),
                poses_per_s: to_thousandths(steps as f64 / total.as_secs_f64().max(1e-9)),
            }),
        }
    }

    pub(super) fn readable(&self) -> String {
        let verb = match (&self.swept, &self.impact) {
            (Some(_), _) => "may touch in between",
            (_, Some(_)) => "touch in between",
            _ => "touch",
        };
        let touching = format!("{} of {} steps {verb}", self.colliding_steps, self.steps);
        let mut answer = match self.pairs {
            Some(pairs) => format!("{touching}, {} in total", count(pairs, "face pair")),
            None => touching,
        };
        if let Some(Least { least_distance: Some(distance), least_step: Some(step) }) =
            &self.distance
        {
            answer.push_str(&format!(", minimum distance {distance} at step {step}"));
        }
        if let Some(Swept { compared }) = &self.swept {
            answer.push_str(&format!(", of {compared} compared"));
        }
        if let Some(impact) = self.impact.as_ref().and_then(FirstImpact::readable) {
            answer.push_str(&format!(", {impact}"));
        }
        if let Some(Undecided { undecided_steps, largest_overlap }) = &self.budget
            && *undecided_steps > 0
        {
            answer.push_str(&format!(
                ", {} with an overlap of at most {largest_overlap}",
                count(*undecided_steps, "undecided step")
            ));
        }
        let mut rows = vec![
            vec!["method".into(), self.method.into()],
            vec!["meshes".into(), format!("{} and {} faces", self.tris_a, self.tris_b)],
            vec!["answer".into(), answer],
            vec!["index".into(), format!("{} bytes, built in {} ms", self.bytes, self.build_ms)],
            vec!["query".into(), self.times()],
        ];
        if let Some(Stats { volume_tests, face_tests, placed }) = &self.stats {
            let tests = format!(
                "{volume_tests} volume tests, {face_tests} face tests, {placed} placed volumes"
            );
            rows.push(vec!["tests".into(), format!("{tests}; mean per step")]);
        }
        output::table(&rows)
    }

    fn times(&self) -> String {
        let mut times = format!("mean {} µs", self.mean_us);
        if let (Some(p50), Some(p99), Some(max)) = (self.p50_us, self.p99_us, self.max_us) {
            times.push_str(&format!(", median {p50} µs, 99 % below {p99} µs, longest {max} µs"));
        }
        if let Some(Throughput { threads, poses_per_s }) = &self.batch {
            let threads = count(*threads, "thread");
            times.push_str(&format!(", {poses_per_s} poses per second on {threads}"));
        }
        times
    }
}

impl Stats {
    fn new(outcome: &Outcome, steps: usize) -> Self {
        let [volume_tests, face_tests, placed] =
            outcome.tests.map(|tests| to_thousandths(tests as f64 / steps.max(1) as f64));
        Self { volume_tests, face_tests, placed }
    }
}

impl Least {
    fn new(answers: &[Answer]) -> Self {
        let distances = answers.iter().enumerate().filter_map(|(step, answer)| match answer {
            Answer::Distance(Some(least)) => Some((step, least.distance)),
            _ => None,
        });
        let least = distances.min_by(|(_, d), (_, e)| d.total_cmp(e));
        let (least_step, least_distance) = least.unzip();
        Self { least_distance, least_step }
    }
}

impl Swept {
    fn new(answers: &[Answer]) -> Self {
        let compared = answers.iter().map(|answer| match answer {
            Answer::Swept { compared, .. } => *compared as u64,
            _ => 0,
        });
        Self { compared: compared.sum() }
    }
}

impl Undecided {
    fn new(answers: &[Answer]) -> Self {
        let overlaps: Vec<f64> = answers
            .iter()
            .filter_map(|answer| match answer {
                Answer::Undecided { overlap } => Some(*overlap),
                _ => None,
            })
            .collect();
        let largest_overlap = overlaps.iter().copied().fold(0.0, f64::max);
        Self { undecided_steps: overlaps.len(), largest_overlap }
    }
}
