//! Gouges beside opencamlib's drop-cutter: `cargo bench -p impinge-bench --bench drop_cutter [-- PART…]`
//!
//! A drop-cutter computes the height at which a cutter that comes down along its axis touches a part. A tool whose tip is
//! u above that height must be clear if u is positive. If u is negative, it must be reported, with a lift of −u. Both are
//! compared at random positions over generated and real parts, for four cutters.
//!
//! Times are those that the program runs, without the waits of a machine with other load.
//!
//! opencamlib runs if `IMPINGE_PYTHON` names a Python that has it (`pip install opencamlib`). It gets the same triangles in
//! double precision. `IMPINGE_DATA` names the folder of the real parts. Without it, only the generated part is compared.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]
#![expect(clippy::print_stderr, reason = "progress, because the program runs for minutes")]

use impinge::{
    Mesh, Pose, Shape, Threads,
    generate::{self, Random},
    glam::{DVec2, DVec3},
    method::SolidScratch,
    solid::{Shrinking, SweptSolid},
};
use impinge_bench::ThreadClock;
use impinge_io::{GridCoordinates, GridOptions};
use impinge_nc::{
    Body, Motion, Move, MoveKind, Options, Outcome, Program, Role, Setup, Tool, check,
};
use impinge_oracle::triangles_touch;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    error::Error,
    ffi::OsStr,
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
};

/// Positions per part and cutter.
const POSITIONS: usize = 10_000;

/// The larger side of each part, in millimetres: parts are scaled to it, so that the same cutters fit all.
const SIDE: f64 = 100.0;

/// Positions at which gouges are also checked with their depths, which take longer: 0.02 mm too low, and up to 1 mm.
const SHALLOW_POSITIONS: usize = 2000;
const DEEP_POSITIONS: usize = 1000;

/// In millimetres.
const TOLERANCE: f64 = 0.01;

/// The height that opencamlib returns where a cutter meets no triangle, or less.
const NOTHING_BELOW: f64 = -1e8;

/// The cutters: our specification, and the arguments of the peer's script.
const CUTTERS: [(&str, &str); 4] = [
    ("ball:d=6", "ball,6,0"),
    ("flat:d=6", "flat,6,0"),
    ("bull:d=6,r=1", "bull,6,1"),
    ("cone:d=6,angle=30", "cone,6,30"),
];

fn main() {
    let Some(python) = std::env::var_os("IMPINGE_PYTHON") else {
        println!("Nothing is compared: `IMPINGE_PYTHON` names no Python that has opencamlib.");
        return;
    };
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let parts: Vec<(String, Mesh)> = parts()
        .into_iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word)))
        .collect();
    let mut rows = Vec::new();
    for (name, mesh) in &parts {
        rows.extend(compare(&python, name, mesh));
    }
    print_agreement(&rows);
    print_times(&rows);
    for row in &rows {
        for case in &row.unexplained {
            println!("\n{}, {}: {case}", row.part, row.cutter);
        }
    }
}

/// The parts, scaled to a common size.
fn parts() -> Vec<(String, Mesh)> {
    let hills = generate::terrain(150, 150, DVec2::ONE, generate::terrain_height(1));
    let mut parts = vec![("generated terrain".to_owned(), scaled(&hills.expect("valid")))];
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("Real parts are left out: `IMPINGE_DATA` names no folder of them.\n");
        return parts;
    };
    for file in [
        "cnc/parts/demo.stl",
        "cnc/parts/ktoolcav.stl",
        "cnc/parts/ktoolcor.stl",
        "cnc/parts/mount_rush.stl",
        "terrain/SRTMGL3_colorado_front_range.asc",
    ] {
        let path = data.join(file);
        match load(&path) {
            Ok(mesh) => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                parts.push((name, scaled(&mesh)));
            }
            Err(error) => println!("{error}\n"),
        }
    }
    parts
}

/// Reads a part. The terrain's grid is in degrees, which become metres.
fn load(path: &Path) -> Result<Mesh, Box<dyn Error>> {
    let mut grids = GridOptions::default();
    grids.coordinates = GridCoordinates::Geographic;
    Ok(impinge_io::load_with(path, &grids)?.into_mesh()?)
}

/// The mesh with the corner of its box at the origin, and the larger of its sides along x and y of length [`SIDE`].
fn scaled(mesh: &Mesh) -> Mesh {
    let bounds = mesh.bounds();
    let scale = SIDE / bounds.size().truncate().max_element();
    let positions = mesh.positions().iter().map(|p| (*p - bounds.min) * scale).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("finite positions")
}

/// What was found for a part and a cutter.
struct Row {
    part: String,
    faces: usize,
    cutter: &'static str,
    /// Positions at which the cutter can touch the part.
    positions: usize,
    checks: usize,
    /// Checks that differ because the cutter reaches less deep into the part than the tolerance, while the lift agrees.
    grazing: usize,
    /// Checks that differ because the drop-cutter's height is too low: the cutter contains a point of the part there.
    too_low: usize,
    unexplained: Vec<String>,
    /// The largest difference of a lift from the drop-cutter's, in millimetres.
    worst_lift: f64,
    /// Microseconds per position.
    times: Times,
}

struct Times {
    peer: f64,
    /// Only whether the tool touches the part.
    verdict: f64,
    /// Also how far it must be lifted: what opencamlib finds.
    lift: f64,
    /// A check of a tool 0.02 mm above the part.
    clear: f64,
    /// A check of a tool 0.02 mm too low, with depth and lift.
    shallow: f64,
    /// A check of a tool up to 1 mm above or below, with depth and lift.
    deep: f64,
}

/// A height above the place where a cutter touches, at a position.
#[derive(Clone, Copy)]
struct Probe {
    tip: DVec3,
    above: f64,
}

fn compare(python: &OsStr, name: &str, mesh: &Mesh) -> Vec<Row> {
    let size = mesh.bounds().size();
    let mut random = Random::new(1);
    let places: Vec<DVec2> = (0..POSITIONS)
        .map(|_| DVec2::new(random.range(0.0, size.x), random.range(0.0, size.y)))
        .collect();
    let (heights, peer_times) = match drop_heights(python, mesh, &places) {
        Ok(found) => found,
        Err(error) => {
            println!("{name}: opencamlib fails: {error}\n");
            return Vec::new();
        }
    };
    let body = Body::new(name, Role::Part, mesh.clone());
    let shape = Shape::new(mesh.clone());
    let setup = Setup { bodies: vec![body] };
    let rows = CUTTERS.iter().zip(heights.chunks(POSITIONS)).zip(peer_times);
    rows.map(|((&(spec, _), heights), peer)| {
        let heights: Vec<(DVec2, f64)> = places
            .iter()
            .zip(heights)
            .filter(|(_, height)| **height > NOTHING_BELOW)
            .map(|(place, height)| (*place, *height))
            .collect();
        // High enough to be endless for all parts.
        let tool = Tool::from_spec(spec, 1.0).expect("a valid tool").with_reach(4.0 * SIDE);
        let probes = |above: &mut dyn FnMut() -> f64| -> Vec<Probe> {
            let probe = |&(place, height): &(DVec2, f64)| {
                let above = above();
                Probe { tip: place.extend(height + above), above }
            };
            heights.iter().map(probe).collect()
        };
        eprintln!("{name}, {spec}");
        let mut random = Random::new(2);
        let mixed = probes(&mut || random.range(-1.0, 1.0));
        let [clear, shallow] = [0.02, -0.02].map(|above| probes(&mut || above));
        let mut row = Row {
            part: name.to_owned(),
            faces: mesh.faces().len(),
            cutter: spec,
            positions: heights.len(),
            checks: 0,
            grazing: 0,
            too_low: 0,
            unexplained: Vec::new(),
            worst_lift: 0.0,
            times: Times {
                peer: 1e6 * peer / POSITIONS as f64,
                verdict: time_verdicts(&shape, &tool, &mixed),
                lift: 0.0,
                clear: 0.0,
                shallow: 0.0,
                deep: 0.0,
            },
        };
        row.times.lift = row.judge_lifts(&mixed, &tool, &shape);
        row.judge_lifts(&clear, &tool, &shape);
        row.judge_lifts(&shallow, &tool, &shape);
        let first = |probes: &[Probe], count: usize| probes[..probes.len().min(count)].to_vec();
        row.times.clear = row.judge(&clear, &tool, &setup, &shape);
        row.times.shallow = row.judge(&first(&shallow, SHALLOW_POSITIONS), &tool, &setup, &shape);
        row.times.deep = row.judge(&first(&mixed, DEEP_POSITIONS), &tool, &setup, &shape);
        row
    })
    .collect()
}

/// The heights at which all cutters touch a part, cutter after cutter, and the seconds for each cutter, by opencamlib.
fn drop_heights(
    python: &OsStr,
    mesh: &Mesh,
    places: &[DVec2],
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let folder = std::env::temp_dir().join(format!("impinge-drop-cutter-{}", std::process::id()));
    let run = || -> io::Result<(Vec<f64>, Vec<f64>)> {
        fs::create_dir_all(&folder)?;
        let files = ["triangles", "positions", "heights"].map(|name| folder.join(name));
        write_numbers(&files[0], mesh.triangles().flatten().flat_map(|p| p.to_array()))?;
        write_numbers(&files[1], places.iter().flat_map(DVec2::to_array))?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/opencamlib_heights.py");
        let cutters = CUTTERS.map(|(_, arguments)| arguments);
        let run = Command::new(python).arg(script).args(&files).args(cutters).output()?;
        if !run.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&run.stderr).into_owned()));
        }
        let seconds = String::from_utf8_lossy(&run.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["query"].as_f64())
            .collect();
        let bytes = fs::read(&files[2])?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok((numbers.iter().map(|number| f64::from_le_bytes(*number)).collect(), seconds))
    };
    let found = run().map_err(|error| error.to_string());
    let _ = fs::remove_dir_all(&folder);
    found
}

fn write_numbers(path: &Path, numbers: impl Iterator<Item = f64>) -> io::Result<()> {
    fs::write(path, numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

fn run(probes: &[Probe], tool: &Tool, setup: &Setup) -> Outcome {
    let moves = probes.iter().enumerate().map(|(index, probe)| Move {
        line: index as u32,
        kind: MoveKind::Feed,
        tool: 0,
        motion: Motion::Straight { from: probe.tip, to: probe.tip, axis: DVec3::Z },
    });
    let program = Program { moves: moves.collect(), ..Program::default() };
    let options = Options { tolerance: TOLERANCE, threads: Threads::One, ..Options::default() };
    let tools = BTreeMap::from([(0, tool.clone())]);
    check(&program, &tools, setup, &options, &()).expect("nothing interrupts it")
}

/// The time in which it is decided whether the tool touches the part, in microseconds per position.
fn time_verdicts(shape: &Shape, tool: &Tool, probes: &[Probe]) -> f64 {
    let mut scratch = SolidScratch::default();
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = ThreadClock::start();
        let is_touching = |probe: &&Probe| {
            shape.touches_swept(&Pose::IDENTITY, &solid_at(tool, **probe), &mut scratch)
        };
        std::hint::black_box(probes.iter().filter(is_touching).count());
        best = best.min(per_position(start, probes));
    }
    best
}

/// The tool at a probe.
fn solid_at(tool: &Tool, probe: Probe) -> SweptSolid {
    SweptSolid::new(tool.parts[0].solid, probe.tip, DVec3::Z)
}

/// Microseconds per position since the clock was started.
fn per_position(start: ThreadClock, probes: &[Probe]) -> f64 {
    1e6 * start.seconds() / probes.len().max(1) as f64
}

/// How far a solid must be lifted to be free of all faces that it touches; `None` if it touches none.
fn lift(shape: &Shape, solid: &SweptSolid, scratch: &mut SolidScratch) -> Option<f64> {
    let mut lift = None;
    shape.visit_near_solid(&Pose::IDENTITY, solid, scratch, |_, triangle| {
        if lift.is_some() || solid.touches(triangle) {
            let known = lift.unwrap_or(0.0);
            lift = Some(solid.leaving_move(triangle, DVec3::Z, known, 0.1 * TOLERANCE));
        }
        ControlFlow::Continue(())
    });
    lift
}

impl Row {
    /// Compares the true solid's verdicts and lifts with the heights. Returns the microseconds per position.
    fn judge_lifts(&mut self, probes: &[Probe], tool: &Tool, shape: &Shape) -> f64 {
        let mut scratch = SolidScratch::default();
        let start = ThreadClock::start();
        let lifts: Vec<Option<f64>> =
            probes.iter().map(|probe| lift(shape, &solid_at(tool, *probe), &mut scratch)).collect();
        let time = per_position(start, probes);
        for (probe, lift) in probes.iter().zip(lifts) {
            self.checks += 1;
            match difference(*probe, lift) {
                Some(difference) => self.explain(*probe, difference, tool, shape),
                None => self.note_lift(*probe, lift),
            }
        }
        time
    }

    /// Compares verdicts and lifts of checks with the heights. Returns the microseconds per position.
    fn judge(&mut self, probes: &[Probe], tool: &Tool, setup: &Setup, shape: &Shape) -> f64 {
        let start = ThreadClock::start();
        let outcome = run(probes, tool, setup);
        let time = per_position(start, probes);
        let mut gouges = outcome.gouges.iter().peekable();
        let mut differing = Vec::new();
        for (index, probe) in probes.iter().enumerate() {
            let gouge = gouges.next_if(|gouge| gouge.move_index == index);
            self.checks += 1;
            let lift = gouge.map(|gouge| gouge.lift);
            match difference(*probe, lift) {
                Some(_) => differing.push(*probe),
                None => self.note_lift(*probe, lift),
            }
        }
        // A check uses a tool that is smaller by the tolerance. Where a tool reaches less deep than that into a wall, the check
        // reports nothing, although the lift is as large as the wall is high. There the lift of the true tool decides.
        let mut scratch = SolidScratch::default();
        for probe in differing {
            match difference(probe, lift(shape, &solid_at(tool, probe), &mut scratch)) {
                Some(difference) => self.explain(probe, difference, tool, shape),
                None => self.grazing += 1,
            }
        }
        time
    }

    /// Finds out who is right about a difference.
    fn explain(&mut self, probe: Probe, difference: String, tool: &Tool, shape: &Shape) {
        // Where the drop-cutter says that the cutter is clear.
        let tip = probe.tip + DVec3::Z * (TOLERANCE - probe.above);
        let smaller = tool.parts[0].solid.shrunk(0.1 * TOLERANCE, Shrinking::Everywhere);
        let smaller = SweptSolid::new(smaller, tip, DVec3::Z);
        let mut is_proven = false;
        let mut scratch = SolidScratch::default();
        shape.visit_near_solid(&Pose::IDENTITY, &smaller, &mut scratch, |_, face| {
            is_proven = smaller.touches(face) && contains_point(self.cutter, tip, &smaller, face);
            if is_proven { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if is_proven {
            self.too_low += 1;
        } else {
            self.unexplained.push(difference);
        }
    }

    fn note_lift(&mut self, probe: Probe, lift: Option<f64>) {
        if let Some(lift) = lift {
            self.worst_lift = self.worst_lift.max((lift + probe.above).abs());
        }
    }
}

/// Proves that a cutter contains a point of a face: a small triangle with corners in the cutter, which is convex, meets the face
/// in rational arithmetic.
fn contains_point(cutter: &str, tip: DVec3, smaller: &SweptSolid, face: &[DVec3; 3]) -> bool {
    let point = smaller.distance(face).on_triangle;
    let across = (face[1] - face[0]).cross(face[2] - face[0]).normalize_or_zero();
    let small = 0.01 * TOLERANCE;
    // The third corner lies inside the face, or beyond a corner of a smaller one.
    let inward = ((face[0] + face[1] + face[2]) / 3.0 - point).normalize_or_zero();
    let corners = [across, -across, inward].map(|to| point + to * small);
    corners.iter().all(|corner| is_in_cutter(cutter, *corner - tip))
        && triangles_touch(&corners.map(|p| p.to_array()), &face.map(|p| p.to_array()))
}

/// Whether a point is well inside an endless cutter with its tip at the origin.
fn is_in_cutter(cutter: &str, point: DVec3) -> bool {
    const ROUNDING: f64 = 1e-9;
    let (aside, height, radius) = (point.truncate().length(), point.z, 3.0);
    // Of the outline at the height of the point.
    let widest = match cutter.split(':').next() {
        Some("ball") => (radius * radius - (radius - height.min(radius)).powi(2)).max(0.0).sqrt(),
        Some("bull") => 2.0 + (1.0 - (1.0 - height.min(1.0)).powi(2)).max(0.0).sqrt(),
        Some("cone") => (height * 30.0_f64.to_radians().tan()).min(radius),
        _ => radius,
    };
    height > ROUNDING && aside < widest - ROUNDING
}

/// How a verdict and a lift differ from the drop-cutter's.
fn difference(probe: Probe, lift: Option<f64>) -> Option<String> {
    let is_expected = match lift {
        Some(lift) => (lift + probe.above).abs() <= TOLERANCE,
        None => probe.above >= -TOLERANCE,
    };
    if is_expected {
        return None;
    }
    let Probe { tip: DVec3 { x, y, z }, above } = probe;
    Some(format!("tip {x:?} {y:?} {z:?}, {above:?} above the drop-cutter's height; lift {lift:?}"))
}

fn print_agreement(rows: &[Row]) {
    println!("#### Verdicts and lifts beside opencamlib's heights\n");
    println!(
        "| part | faces | cutter | positions | checks | agree | less deep than the tolerance | drop-cutter proven too low | differ | largest difference of lifts, µm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let Row { part, faces, cutter, positions, checks, grazing, too_low, unexplained, .. } = row;
        let differ = unexplained.len();
        println!(
            "| {part} | {faces} | {cutter} | {positions} | {checks} | {} | {grazing} | {too_low} | {differ} | {:.3} |",
            checks - grazing - too_low - differ,
            1e3 * row.worst_lift
        );
    }
}

fn print_times(rows: &[Row]) {
    println!("\n#### Time of a position, one thread, µs\n");
    println!(
        "| part | faces | cutter | opencamlib | verdict | × | verdict and lift | × | check 0.02 mm above | × \
         | check 0.02 mm too low | × | check within 1 mm | × |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let Row { part, faces, cutter, times, .. } = row;
        let Times { peer, verdict, lift, clear, shallow, deep } = times;
        let ours = [verdict, lift, clear, shallow, deep];
        let cells = ours.map(|time| format!("{time:.2} | {:.1}", peer / time));
        println!("| {part} | {faces} | {cutter} | {peer:.0} | {} |", cells.join(" | "));
    }
}
