//! Bodies that deform: `cargo bench -p impinge-bench --bench deform [-- [FACES] WORDS]`; words select tables: cloth, worlds,
//! rebuilds.
//!
//! First a cloth of about a million faces, which waves, and which crumples so that it touches itself: the shortest time to update
//! what is prepared after all vertices have moved, and to find the contacts of the cloth with itself. Beside it, in the
//! same run and on the same positions, parry3d, and the peers that are there: Embree, by the program made of
//! `peers/embree_self.cpp` (`IMPINGE_EMBREE`, else `embree_self` in the path), and ipctk, in a Python that has it
//! (`IMPINGE_PYTHON`, else `python3`; `pip install ipctk`). Those that are not are reported below the table.
//! Then worlds whose bodies all deform (`worlds.rs`), and the rule that decides when a tree is built anew, on bodies that deform in different ways.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

#[path = "deform/worlds.rs"]
mod worlds;

use impinge::{
    Mesh, Method, Pair, Pose, Shape, Threads,
    generate::{self, Random},
    glam::{DVec2, DVec3},
    narrow::triangles_intersect,
    query::Renewal,
};
use parry3d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace},
};
use serde_json::Value;
use std::{
    f64::consts::{PI, TAU},
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Positions of one mesh, one after another. The first one is for building.
struct Scene {
    name: &'static str,
    mesh: Mesh,
    frames: Vec<Vec<DVec3>>,
}

const FRAMES: u32 = 6;

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let faces = words.iter().find_map(|word| word.parse().ok());
    let tables: Vec<&String> = words.iter().filter(|word| word.parse::<f64>().is_err()).collect();
    let wants = |name: &str| tables.is_empty() || tables.iter().any(|word| name.contains(&***word));
    if wants("cloth") {
        updates(faces.unwrap_or(1_000_000.0));
    }
    if wants("worlds") {
        worlds::run();
    }
    if wants("rebuilds") {
        rebuilds();
    }
}

/// The update of large meshes and their contacts with themselves.
fn updates(faces: f64) {
    println!("\n### Update and self-collision, ms\n");
    println!(
        "| mesh | faces | engine | threads | build | update | self-collision | both | × | found |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut missing = Vec::new();
    for scene in [cloth(faces), crumpled(faces), sphere(faces)] {
        missing = compare(&scene);
    }
    for message in missing {
        println!("\n{message}");
    }
}

/// The rule that decides when a tree is built anew.
fn rebuilds() {
    println!("\n### When a tree is built anew\n");
    println!(
        "| body | faces | method | steps | refitted | refit, ms | build, ms | query of the refitted tree, ms | of a new \
         one | slowest step, × | most box tests of a step, × |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, steps) in bodies() {
        for method in [Method::WIDE, Method::BOXTREE, Method::AABB] {
            rule(name, &steps, method);
        }
    }
}

/// A cloth with waves that run along it. It does not touch itself.
fn cloth(faces: f64) -> Scene {
    let wave = |p: &DVec3, time: f64| {
        let height =
            0.08 * (TAU * (1.5 * p.x + 0.4 * p.y) - time).sin() + 0.03 * (9.0 * p.y + time).sin();
        p.with_z(height)
    };
    scene("cloth", &sheet(faces), wave)
}

/// A cloth pushed together, with folds that lean over and touch each other.
fn crumpled(faces: f64) -> Scene {
    let fold = |p: &DVec3, time: f64| {
        let phase = 6.0 * PI * p.x + 0.6 * (3.0 * p.y).sin();
        let lean = 0.11 * (1.0 + 0.3 * (2.0 * p.y + time).sin());
        DVec3::new(0.5 * p.x + lean * (2.0 * phase).sin(), p.y, 0.25 * phase.sin())
    };
    scene("crumpled cloth", &sheet(faces), fold)
}

/// A sphere with bumps that move.
fn sphere(faces: f64) -> Scene {
    let mesh = generate::sphere((faces / 2.0).round() as u32 * 2).expect("an even number");
    let bumps = |p: &DVec3, time: f64| {
        let bump = (11.0 * p.x + time).sin() + (9.0 * p.y - time).sin() * (7.0 * p.z).cos();
        *p * (1.0 + 0.04 * bump)
    };
    scene("bumpy sphere", &mesh, bumps)
}

fn sheet(faces: f64) -> Mesh {
    let cells = (faces / 2.0).sqrt().round() as u32;
    generate::terrain(cells, cells, DVec2::new(2.0, 2.0), |_, _| 0.0).expect("enough cells")
}

fn scene(name: &'static str, rest: &Mesh, place: impl Fn(&DVec3, f64) -> DVec3) -> Scene {
    let at = |frame: u32| {
        let time = 0.1 * f64::from(frame);
        rest.positions().iter().map(|p| place(p, time)).collect()
    };
    let frames: Vec<Vec<DVec3>> = (0..=FRAMES).map(at).collect();
    let mesh = rest.with_positions(frames[0].clone()).expect("finite");
    Scene { name, mesh, frames }
}

/// The shortest times over all frames but the first, in milliseconds, and what was found in the last frame.
struct Row {
    engine: String,
    threads: usize,
    build: f64,
    update: f64,
    own: f64,
    found: String,
}

/// Prints the rows of a scene. Returns a message for each peer that is missing.
fn compare(scene: &Scene) -> Vec<String> {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let pool = rayon::current_num_threads();
    for (method, threads) in [(Method::WIDE, Threads::One), (Method::WIDE, Threads::Pool)] {
        let count = if threads == Threads::One { 1 } else { pool };
        rows.push(ours(scene, method, threads, count));
    }
    rows.push(parry(scene, false));
    rows.push(parry(scene, true));
    for peer in peers(scene) {
        match peer {
            Ok(peer) => rows.extend(peer),
            Err(message) => missing.push(message),
        }
    }
    let fastest = rows[0].update + rows[0].own;
    for Row { engine, threads, build, update, own, found } in rows {
        let both = update + own;
        println!(
            "| {} | {} | {engine} | {threads} | {build:.0} | {update:.1} | {own:.1} | {both:.1} | {:.1} | {found} |",
            scene.name,
            scene.mesh.faces().len(),
            both / fastest
        );
    }
    missing
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ours(scene: &Scene, method: Method, threads: Threads, count: usize) -> Row {
    let start = Instant::now();
    let mut shape = Shape::with_method(method, scene.mesh.clone());
    let build = ms(start.elapsed());
    let (mut update, mut own, mut rebuilt) = (f64::INFINITY, f64::INFINITY, 0);
    let mut contacts = Vec::new();
    // The first query allocates.
    shape.self_query().threads(threads).contacts_into(&mut contacts);
    for frame in &scene.frames[1..] {
        let start = Instant::now();
        let renewal = shape.set_positions_on(frame, threads).expect("finite");
        update = update.min(ms(start.elapsed()));
        rebuilt += usize::from(renewal == Renewal::Rebuilt);
        let start = Instant::now();
        shape.self_query().threads(threads).contacts_into(&mut contacts);
        own = own.min(ms(start.elapsed()));
    }
    let mut found = format!("{} contacts", contacts.len());
    if rebuilt > 0 {
        found.push_str(&format!(", built anew {rebuilt} times"));
    }
    let engine = format!("impinge, {method}");
    Row { engine, threads: count, build, update, own, found }
}

/// parry's tree of boxes, one per face. Its own traversal reports pairs of faces whose boxes overlap; those with a
/// common vertex are left out. With `is_exact` the others are decided by our exact test, which finds all contacts but
/// those of neighbours.
fn parry(scene: &Scene, is_exact: bool) -> Row {
    let boxes = |frame: &[DVec3]| -> Vec<Aabb> {
        let narrow = |p: DVec3| Vector::new(p.x as f32, p.y as f32, p.z as f32);
        let faces = scene.mesh.faces().iter();
        faces
            .map(|face| {
                let [p, q, r] = face.map(|vertex| frame[vertex as usize]);
                Aabb::new(narrow(p.min(q).min(r)), narrow(p.max(q).max(r)))
            })
            .collect()
    };
    let start = Instant::now();
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes(&scene.frames[0]));
    let build = ms(start.elapsed());
    let mut workspace = BvhWorkspace::default();
    let (mut update, mut own, mut pairs) = (f64::INFINITY, f64::INFINITY, 0u64);
    for frame in &scene.frames[1..] {
        let start = Instant::now();
        for (face, bounds) in boxes(frame).into_iter().enumerate() {
            tree.insert_or_update_partially(bounds, face as u32, 0.0);
        }
        tree.refit(&mut workspace);
        update = update.min(ms(start.elapsed()));
        let start = Instant::now();
        pairs = 0;
        let faces = scene.mesh.faces();
        let triangle = |face: [u32; 3]| face.map(|vertex| frame[vertex as usize]);
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| {
            let (f, g) = (faces[a as usize], faces[b as usize]);
            let is_pair = !f.iter().any(|vertex| g.contains(vertex))
                && (!is_exact || triangles_intersect(&triangle(f), &triangle(g)));
            pairs += u64::from(is_pair);
        });
        own = own.min(ms(start.elapsed()));
    }
    let (engine, what) = match is_exact {
        false => ("parry3d, refit", "pairs of boxes"),
        true => ("parry3d, refit, and our exact test", "contacts, without neighbours"),
    };
    Row {
        engine: engine.to_owned(),
        threads: 1,
        build,
        update,
        own,
        found: format!("{pairs} {what}"),
    }
}

/// Runs the peers that are other programs, on a file with the faces and all positions. Returns the rows of each, or a
/// message if it is missing.
fn peers(scene: &Scene) -> Vec<Result<Vec<Row>, String>> {
    let file = std::env::temp_dir().join(format!("impinge-bench-{}.frames", std::process::id()));
    write_frames(&file, scene).expect("room for a file of positions");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/ipctk_self.py");
    let programs = [
        ("Embree", "IMPINGE_EMBREE", "embree_self", None),
        ("ipctk", "IMPINGE_PYTHON", "python3", Some(script)),
    ];
    let answers = programs.map(|(name, variable, default, script)| {
        let program = std::env::var_os(variable).map_or_else(|| default.into(), PathBuf::from);
        let missing = |why: String| {
            let place = program.display();
            Err(format!("{name} is missing: {place} ({variable}) {why}"))
        };
        match Command::new(&program).args(script).arg(&file).output() {
            Err(error) => missing(format!("does not run: {error}")),
            Ok(run) if !run.status.success() => {
                let message = String::from_utf8_lossy(&run.stderr);
                missing(format!("fails: {}", message.lines().last().unwrap_or_default()))
            }
            Ok(run) => Ok(String::from_utf8_lossy(&run.stdout).lines().filter_map(row).collect()),
        }
    });
    let _ = fs::remove_file(&file);
    answers.into()
}

/// The row that a line of a peer's answer stands for.
fn row(line: &str) -> Option<Row> {
    let answer: Value = serde_json::from_str(line).ok()?;
    let number = |key: &str| answer[key].as_f64().unwrap_or(f64::NAN);
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    Some(Row {
        engine: text("engine"),
        threads: number("threads") as usize,
        build: number("build_ms"),
        update: number("update_ms"),
        own: number("self_ms"),
        found: text("found"),
    })
}

/// Writes the numbers of vertices, faces and frames (`u64`), the faces (`u32`) and the positions of each frame (`f64`),
/// all with the low byte first.
fn write_frames(file: &Path, scene: &Scene) -> io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(file)?);
    let faces = scene.mesh.faces();
    for count in [scene.mesh.positions().len(), faces.len(), scene.frames.len()] {
        out.write_all(&(count as u64).to_le_bytes())?;
    }
    for vertex in faces.as_flattened() {
        out.write_all(&vertex.to_le_bytes())?;
    }
    for position in scene.frames.iter().flatten() {
        for coordinate in position.to_array() {
            out.write_all(&coordinate.to_le_bytes())?;
        }
    }
    out.flush()
}

/// Bodies that deform in different ways, step by step, the first at rest.
fn bodies() -> Vec<(&'static str, Vec<Mesh>)> {
    let steps = |rest: Mesh, count: u32, place: &dyn Fn(DVec3, f64) -> DVec3| -> Vec<Mesh> {
        let at = |step: u32| {
            let time = f64::from(step) / f64::from(count);
            let moved = rest.positions().iter().map(|&p| place(p, time)).collect();
            rest.with_positions(moved).expect("finite")
        };
        (0..=count).map(at).collect()
    };
    let torus = generate::torus(1.0, 0.35, [400, 125]).expect("enough segments");
    let bar = generate::bar(DVec3::new(4.0, 0.4, 0.2), [400, 30, 15]).expect("enough cells");
    let twist = |p: DVec3, time: f64| {
        let (sin, cos) = (PI * time * p.x).sin_cos();
        DVec3::new(p.x, cos * p.y - sin * p.z, sin * p.y + cos * p.z)
    };
    let bend = |p: DVec3, time: f64| {
        let curve = 1.5 * time + 1e-9;
        let (sin, cos) = (curve * p.x).sin_cos();
        DVec3::new((1.0 / curve - p.z) * sin, p.y, 1.0 / curve - (1.0 / curve - p.z) * cos)
    };
    let fold = |p: DVec3, time: f64| {
        let height = 0.3 * time * (5.0 * p.x + 3.0 * time).sin();
        DVec3::new(p.x * (1.0 - 0.4 * time), p.y, height)
    };
    let soup = generate::bsp_tetrahedra(5, 12_500).expect("few enough");
    let mut random = Random::new(9);
    let ways: Vec<DVec3> =
        (0..soup.positions().len() / 4).map(|_| random.direction() * random.unit()).collect();
    let explosion = (0..=12u32)
        .map(|step| {
            let time = f64::from(step) / 12.0;
            let moved = soup.positions().iter().enumerate().map(|(v, &p)| p + ways[v / 4] * time);
            soup.with_positions(moved.collect()).expect("finite")
        })
        .collect();
    vec![
        ("twisting torus", steps(torus, 12, &twist)),
        ("bending bar", steps(bar, 12, &bend)),
        ("folding cloth", steps(sheet(100_000.0), 12, &fold)),
        ("exploding tetrahedra", explosion),
    ]
}

/// Compares a shape that is updated at each step with a new one: the time of both, and of a query of each beside a ball.
fn rule(name: &str, steps: &[Mesh], method: Method) {
    let ball = Shape::with_method(method, generate::icosphere(5).expect("few enough"));
    let at = Pose::from_translation(DVec3::new(0.9, 0.1, 0.2)).expect("finite");
    let mut shape = Shape::with_method(method, steps[0].clone());
    let (mut refitted, mut refit, mut build) = (0, 0.0, 0.0);
    let (mut of_old, mut of_new, mut worst, mut most_tests) = (0.0, 0.0, 0.0f64, 0.0f64);
    for mesh in &steps[1..] {
        let start = Instant::now();
        let renewal = shape.set_positions(mesh.positions()).expect("finite");
        if renewal == Renewal::Refitted {
            refit += ms(start.elapsed());
            refitted += 1;
        }
        let start = Instant::now();
        let anew = Shape::with_method(method, mesh.clone());
        build += ms(start.elapsed());
        let query = |shape: &Shape| {
            let mut pair = Pair::new(shape, &ball).expect("one method");
            let mut best = (f64::INFINITY, 0, 0);
            for _ in 0..4 {
                let start = Instant::now();
                let contacts = pair.contacts(&Pose::IDENTITY, &at).len();
                best.0 = best.0.min(ms(start.elapsed()));
                (best.1, best.2) = (pair.counts().volume_tests, contacts);
            }
            best
        };
        let ((old, old_tests, found), (new, new_tests, expected)) = (query(&shape), query(&anew));
        assert_eq!(found, expected, "{name}, {method}");
        (of_old, of_new, worst) = (of_old + old, of_new + new, worst.max(old / new));
        most_tests = most_tests.max(old_tests as f64 / new_tests as f64);
    }
    let count = steps.len() - 1;
    println!(
        "| {name} | {} | {method} | {count} | {refitted} | {:.2} | {:.2} | {:.3} | {:.3} | {worst:.2} | {most_tests:.2} |",
        steps[0].faces().len(),
        refit / f64::from(refitted.max(1)),
        build / count as f64,
        of_old / count as f64,
        of_new / count as f64,
    );
}
