//! Contacts between two instants: `IMPINGE_DATA=FOLDER cargo bench -p impinge-bench --bench ccd`
//!
//! Decides the queries of `FOLDER/ccd-queries`, whose answers are known: a moving vertex and a moving face, or two moving
//! edges. Prints the mean time of a query on one thread, how many answers are wrong, and which step of the exact test
//! decided. ipctk is run on the same queries if `IMPINGE_PYTHON` names a Python that has it (`pip install ipctk`).
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::narrow::{DecidedBy, MovingPoint, decided_by, edge_edge_contact, vertex_face_contact};
use impinge_io::{MotionCase, load_motion_cases};
use serde_json::Value;
use std::{
    fs,
    hint::black_box,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// Queries of one kind: vertex and face, or two edges.
struct Queries {
    has_face: bool,
    cases: Vec<MotionCase>,
}

impl Queries {
    fn name(&self) -> &'static str {
        if self.has_face { "vertex–face" } else { "edge–edge" }
    }

    fn touch(&self, points: &[MovingPoint; 4]) -> bool {
        let [p, q, r, s] = *points;
        if self.has_face {
            vertex_face_contact(p, [q, r, s]).is_some()
        } else {
            edge_edge_contact([p, q], [r, s]).is_some()
        }
    }
}

const ROUNDS: usize = 20;

fn main() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("IMPINGE_DATA does not name a folder with ccd-queries.");
        return;
    };
    let queries = [true, false].map(|has_face| load(&data.join("ccd-queries"), has_face));
    println!("\n### Queries with known answers, one thread\n");
    println!("| queries | number | contacts | engine | mean | × | missed | false |");
    println!("|---|---|---|---|---|---|---|---|");
    let peers = peers(&queries);
    for queries in &queries {
        let (mean, missed, wrong) = ours(queries);
        let contacts = queries.cases.iter().filter(|case| case.touching).count();
        let row = |engine: &str, ns: f64, missed: u64, wrong: u64| {
            println!(
                "| {} | {} | {contacts} | {engine} | {} | {:.1} | {missed} | {wrong} |",
                queries.name(),
                queries.cases.len(),
                time(ns),
                ns / mean
            );
        };
        row("impinge", mean, missed, wrong);
        for peer in peers.iter().filter(|peer| peer["has_face"] == queries.has_face) {
            let count = |key: &str| peer[key].as_u64().unwrap_or(0);
            let engine = peer["engine"].as_str().unwrap_or_default();
            row(
                engine,
                peer["mean_ns"].as_f64().unwrap_or(f64::NAN),
                count("missed"),
                count("false"),
            );
        }
    }
    println!("\n### Which step decides\n");
    println!("| queries | step | queries decided | share | mean |");
    println!("|---|---|---|---|---|");
    for queries in &queries {
        steps(queries);
    }
}

fn load(folder: &Path, has_face: bool) -> Queries {
    let kind = if has_face { "vertex-face" } else { "edge-edge" };
    let children = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let files = children(folder).into_iter().flat_map(|scene| children(&scene.join(kind)));
    let cases = files.flat_map(|file| load_motion_cases(file).expect("readable queries"));
    Queries { has_face, cases: cases.collect() }
}

/// The mean time of a query in ns, in the fastest round, and the numbers of missed and false contacts.
fn ours(queries: &Queries) -> (f64, u64, u64) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for case in &queries.cases {
            black_box(queries.touch(black_box(&case.points)));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (mut missed, mut wrong) = (0, 0);
    for case in &queries.cases {
        match (case.touching, queries.touch(&case.points)) {
            (true, false) => missed += 1,
            (false, true) => wrong += 1,
            _ => {}
        }
    }
    (1e9 * best / queries.cases.len() as f64, missed, wrong)
}

fn steps(queries: &Queries) {
    for (step, what) in [
        (DecidedBy::Axis, "apart along an axis"),
        (DecidedBy::Apart, "apart, in floating point"),
        (DecidedBy::Contact, "contact, in floating point; its time in integers"),
        (DecidedBy::Exact, "integers"),
    ] {
        let cases: Vec<MotionCase> = queries
            .cases
            .iter()
            .filter(|case| decided_by(queries.has_face, &case.points) == step)
            .cloned()
            .collect();
        let part = Queries { has_face: queries.has_face, cases };
        if part.cases.is_empty() {
            continue;
        }
        println!(
            "| {} | {what} | {} | {:.1} % | {} |",
            part.name(),
            part.cases.len(),
            100.0 * part.cases.len() as f64 / queries.cases.len() as f64,
            time(ours(&part).0),
        );
    }
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e4 => format!("{ns:.0} ns"),
        ns if ns < 1e7 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{:.1} ms", ns / 1e6),
    }
}

/// Runs ipctk, which is another program, on a file of all queries.
fn peers(queries: &[Queries]) -> Vec<Value> {
    let Some(python) = std::env::var_os("IMPINGE_PYTHON") else {
        return Vec::new();
    };
    let file = std::env::temp_dir().join(format!("impinge-bench-{}.queries", std::process::id()));
    write_queries(&file, queries).expect("room for a file of queries");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/ipctk_ccd.py");
    let run = Command::new(&python).arg(script).arg(&file).stderr(Stdio::null()).output();
    let _ = fs::remove_file(&file);
    let Ok(run) = run else {
        println!("\n{} does not run.", Path::new(&python).display());
        return Vec::new();
    };
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Writes 26 `f64` for each query: whether it has a face, whether it touches, and four points at time 0 and at time 1.
fn write_queries(file: &Path, queries: &[Queries]) -> io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(file)?);
    for Queries { has_face, cases } in queries {
        for case in cases {
            let flags = [f64::from(u8::from(*has_face)), f64::from(u8::from(case.touching))];
            let (starts, ends) = (case.points.map(|p| p.start), case.points.map(|p| p.end));
            let coordinates = starts.into_iter().chain(ends).flat_map(|p| p.to_array());
            for value in flags.into_iter().chain(coordinates) {
                out.write_all(&value.to_le_bytes())?;
            }
        }
    }
    out.flush()
}
