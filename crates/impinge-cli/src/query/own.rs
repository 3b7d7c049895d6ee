//! `impinge query A --self`: which faces of one mesh are in contact with each other?

use super::{
    Arguments, compare, faces, leaves_out_naive,
    workload::{Answer, Rows, detected, touching},
};
use crate::{
    failure::Failure,
    output::{self, count, to_thousandths},
    progress, source, threads,
    timing::{self, ROUNDS, ROUNDS_LIMIT},
};
use impinge::{FacePair, Method, Shape, SharedBy, Threads};
use serde::Serialize;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Which vertices of two faces are the same, by name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Shared {
    /// Those with the same index in the file
    Index,
    /// Those at the same position; for STL and other files without common indices
    Position,
}

impl From<Shared> for SharedBy {
    fn from(shared: Shared) -> Self {
        match shared {
            Shared::Index => Self::Index,
            Shared::Position => Self::Position,
        }
    }
}

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    version: &'static str,
    method: &'static str,
    mode: &'static str,
    shared_by: &'static str,
    tris: usize,
    build_ms: f64,
    bytes: usize,
    query_us: f64,
    touching: bool,
    pairs: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut methods = match arguments.method.as_str() {
        "all" => Method::ALL.to_vec(),
        name => vec![name.parse::<Method>().map_err(Failure::input)?],
    };
    let options = arguments.tree.options(&methods)?;
    let outputs = arguments.outputs();
    outputs.check(arguments.inputs())?;
    let mesh = outputs.reading(|| source::mesh_with(&arguments.a, &arguments.grids.options()))?;
    let face_count = faces(&mesh) as u64;
    if methods.len() > 1 && leaves_out_naive(face_count.saturating_mul(face_count)) {
        methods.retain(|method| *method != Method::NAIVE);
    }
    let (mesh, pool) = (Arc::new(mesh), threads::pool(arguments.threads)?);
    let wants_all = arguments.all || arguments.pairs.is_some();
    let mut reference: Option<(Method, Vec<Answer>)> = None;
    for method in methods {
        let start = Instant::now();
        let build = || options.build(method, Arc::clone(&mesh), Threads::One);
        let shape = progress::with_spinner(&format!("{method}: building"), build);
        let build = start.elapsed();
        let threads = if pool.is_some() { Threads::Pool } else { Threads::One };
        let search = || rounds(&shape, arguments.shared_by.into(), threads, wants_all);
        let (time, contacts, answer) = match &pool {
            None => search(),
            Some(pool) => pool.install(search),
        };
        if let (Some(path), None) = (&arguments.pairs, &reference) {
            let rows = Rows::Pairs(path);
            impinge_io::write_atomically(path, |out| {
                writeln!(out, "{}", rows.header())?;
                rows.write(out, 0, &contacts, &answer)
            })?;
        }
        let Answer::Touching { count, .. } = answer else { continue };
        let report = Report {
            engine: "impinge",
            version: env!("CARGO_PKG_VERSION"),
            method: method.name(),
            mode: if wants_all { "self-all" } else { "self-detect" },
            shared_by: match arguments.shared_by {
                Shared::Index => "index",
                Shared::Position => "position",
            },
            tris: faces(&mesh),
            build_ms: to_thousandths(build.as_secs_f64() * 1e3),
            bytes: shape.bytes(),
            query_us: timing::us(time),
            touching: count > 0,
            pairs: wants_all.then_some(count),
        };
        match output::wants_json(arguments.json) {
            true => output::json(&report)?,
            false => output::text(&report.readable())?,
        }
        match &reference {
            None => reference = Some((method, vec![answer])),
            Some((first, expected)) => compare(*first, expected, method, &[answer])?,
        }
    }
    Ok(())
}

/// Asks a few times. Returns the shortest time, and the contacts if all are wanted.
fn rounds(
    shape: &Shape,
    shared_by: SharedBy,
    threads: Threads,
    wants_all: bool,
) -> (Duration, Vec<FacePair>, Answer) {
    let (mut best, mut contacts, mut answer) = (Duration::MAX, Vec::new(), detected(false));
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        let query = shape.self_query().shared_by(shared_by).threads(threads);
        let start = Instant::now();
        if wants_all {
            query.contacts_into(&mut contacts);
        }
        let is_touching = if wants_all { !contacts.is_empty() } else { query.intersects() };
        best = best.min(start.elapsed());
        answer = if wants_all { touching(&contacts) } else { detected(is_touching) };
        if begin.elapsed() > ROUNDS_LIMIT {
            break;
        }
    }
    (best, contacts, answer)
}

impl Report {
    fn readable(&self) -> String {
        let answer = match (self.pairs, self.touching) {
            (Some(pairs), _) => format!("{} in contact", count(pairs, "face pair")),
            (None, true) => "faces of the mesh are in contact with each other".to_owned(),
            (None, false) => "no faces of the mesh are in contact with each other".to_owned(),
        };
        output::table(&[
            vec!["method".into(), self.method.into()],
            vec![
                "mesh".into(),
                format!("{} faces, vertices shared by {}", self.tris, self.shared_by),
            ],
            vec!["answer".into(), answer],
            vec!["index".into(), format!("{} bytes, built in {} ms", self.bytes, self.build_ms)],
            vec!["query".into(), format!("{} µs", self.query_us)],
        ])
    }
}
