//! First impacts of rigid bodies that translate and turn, beside parry3d and FCL:
//! `cargo bench -p impinge-bench --bench impact`
//!
//! Two bodies of 20,000 faces move towards or past each other. parry3d's nonlinear shape cast is asked about the same
//! motions, in single precision; FCL too, which samples the motion or advances conservatively, if `IMPINGE_PYTHON` names a Python that has it
//! (`pip install python-fcl`). What is true is known without any of the three: bodies are sampled at 2,000 times by
//! instant queries. An engine *misses* a motion in which a sample touches and it reports nothing, is *late* if a sample
//! touches over 1e-3 before the time that it reports, and reports *falsely* if the bodies are farther apart than 1e-3 of
//! their size throughout. `--alone` leaves out the other engines.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Mesh, Motion, Pair, Pose, Shape, first_impact,
    generate::{self, Random},
    glam::{DVec3, Quat},
    motion::{ImpactOptions, distance_profile},
};
use parry3d::{
    math::Pose as ParryPose,
    query::{NonlinearRigidMotion, cast_shapes_nonlinear},
    shape::TriMesh,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

const MOTIONS: u64 = 40;
const SAMPLES: u32 = 2_000;
/// An engine is asked about eight motions, and about more of them for so many seconds.
const PATIENCE: f64 = 10.0;

fn main() {
    let is_alone = std::env::args().any(|argument| argument == "--alone");
    println!("\n### First impact of two bodies, µs a motion\n");
    println!(
        "| bodies | faces | motion | motions | impacts | engine | mean | × | missed | late | false |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let meshes = [
        ("tori", generate::torus(0.7, 0.3, [125, 80])),
        ("spheres", generate::sphere(20_000)),
        ("deformed tori", generate::deformed_torus(1, [125, 80])),
    ];
    for (name, mesh) in meshes {
        let mesh = mesh.expect("good parameters");
        let mesh = generate::scaled_to_cube(&mesh, 2.0).expect("it has an extent");
        for (kind, turn) in [("translation", 0.0), ("half a radian", 0.5), ("one turn", 6.3)] {
            compare(name, kind, &Scene::new(&mesh, turn), is_alone);
        }
    }
}

/// One mesh, and motions of two bodies of that shape.
struct Scene {
    shape: Shape,
    motions: Vec<[Motion; 2]>,
    truth: Vec<Truth>,
}

/// What instant queries tell about a motion.
struct Truth {
    /// The first sample that touches.
    first: Option<f64>,
    /// The least distance, to 1e-3.
    least: f64,
}

impl Scene {
    fn new(mesh: &Mesh, turn: f64) -> Self {
        let positions = mesh.positions().iter().map(|p| p.as_vec3().as_dvec3()).collect();
        let mesh = Mesh::new(positions, mesh.faces().to_vec()).expect("still a mesh");
        let shape = Shape::new(mesh);
        let motion = |random: &mut Random, side: f64| {
            let start = DVec3::X * (2.2 * side) + random.direction() * 0.8;
            let towards = DVec3::X * (-3.0 * side) + random.direction();
            let pose = Pose::new(random.rotation(), start).expect("a rotation");
            Motion::spinning(pose, towards, random.direction() * turn, DVec3::ZERO).expect("near")
        };
        let motions: Vec<[Motion; 2]> = (0..MOTIONS)
            .map(|seed| {
                let mut random = Random::new(seed);
                [motion(&mut random, -1.0), motion(&mut random, 1.0)]
            })
            .collect();
        let truth = motions.iter().map(|motions| Truth::of(&shape, motions)).collect();
        Self { shape, motions, truth }
    }
}

impl Truth {
    fn of(shape: &Shape, [a, b]: &[Motion; 2]) -> Self {
        let mut pair = Pair::new(shape, shape).expect("one method");
        let times = (0..=SAMPLES).map(|sample| f64::from(sample) / f64::from(SAMPLES));
        let mut times = times.filter(|&time| pair.intersects(&a.pose_at(time), &b.pose_at(time)));
        let first = times.next();
        let least = match first {
            Some(_) => 0.0,
            None => {
                let accuracy = 1e-3.try_into().expect("a distance");
                let profile =
                    distance_profile((shape, a), (shape, b), accuracy).expect("one method");
                profile.iter().map(|entry| entry.at_least).fold(f64::INFINITY, f64::min)
            }
        };
        Self { first, least }
    }
}

/// The times of impact that an engine reports, and how long it took for a motion, in µs.
struct Answers {
    engine: String,
    mean: f64,
    times: Vec<Option<f64>>,
}

fn compare(name: &str, kind: &str, scene: &Scene, is_alone: bool) {
    let mut rows = vec![ours(scene)];
    if !is_alone {
        rows.push(parry(scene));
        rows.extend(fcl(scene).into_iter().flatten());
    }
    let own = rows[0].mean;
    for Answers { engine, mean, times } in &rows {
        let asked = &scene.truth[..times.len()];
        let impacts = asked.iter().filter(|truth| truth.first.is_some()).count();
        let count = |is: &dyn Fn(&Truth, Option<f64>) -> bool| {
            scene.truth.iter().zip(times).filter(|(truth, time)| is(truth, **time)).count()
        };
        let missed = count(&|truth, time| truth.first.is_some() && time.is_none());
        let late = count(&|truth, time| {
            truth.first.zip(time).is_some_and(|(first, time)| time > first + 1e-3)
        });
        let falsely = count(&|truth, time| truth.least > 2e-3 && time.is_some());
        println!(
            "| {name} | {} | {kind} | {} | {impacts} | {engine} | {mean:.1} | {:.2} | {missed} | {late} | {falsely} |",
            scene.shape.mesh().faces().len(),
            times.len(),
            mean / own,
        );
    }
}

/// Asks about all motions, three times, and keeps the shortest time of each. An engine that takes long is asked about
/// the first motions only, once.
fn timed(engine: &str, scene: &Scene, mut ask: impl FnMut(&[Motion; 2]) -> Option<f64>) -> Answers {
    let mut times = Vec::new();
    let mut total = 0.0;
    for (asked, motions) in scene.motions.iter().enumerate() {
        if total > PATIENCE * 1e6 && asked >= 8 {
            break;
        }
        let mut best = f64::INFINITY;
        let mut answer = None;
        for _ in 0..3 {
            let start = Instant::now();
            answer = ask(motions);
            best = best.min(start.elapsed().as_secs_f64() * 1e6);
            // The slow ones need no second look.
            if best > 1e5 {
                break;
            }
        }
        times.push(answer);
        total += best;
    }
    Answers { engine: engine.to_owned(), mean: total / times.len() as f64, times }
}

fn ours(scene: &Scene) -> Answers {
    let (shape, options) = (&scene.shape, ImpactOptions::default());
    timed("impinge, wide", scene, |[a, b]| {
        let impact = first_impact((shape, a), (shape, b), &options).expect("one method");
        impact.map(|impact| impact.time)
    })
}

fn parry(scene: &Scene) -> Answers {
    let mesh = scene.shape.mesh();
    let positions = mesh.positions().iter().map(|p| p.as_vec3()).collect();
    let shape = TriMesh::new(positions, mesh.faces().to_vec()).expect("a mesh");
    let motion = |motion: &Motion| {
        let [start, speed] = [motion.start().translation(), motion.end().translation()];
        let rotation: Quat = motion.start().to_quat().as_quat();
        let pose = ParryPose::from_parts(start.as_vec3(), rotation);
        let (speed, turn) = ((speed - start).as_vec3(), motion.turn().as_vec3());
        NonlinearRigidMotion::new(pose, Default::default(), speed, turn)
    };
    timed("parry3d 0.31, nonlinear shape cast", scene, |[a, b]| {
        let hit = cast_shapes_nonlinear(&motion(a), &shape, &motion(b), &shape, 0.0, 1.0, true);
        hit.ok().flatten().map(|hit| f64::from(hit.time_of_impact))
    })
}

/// Runs FCL in Python on a file with the mesh and the motions. FCL is told the two ends of a motion, between which it
/// turns by less than half a turn, so it is not asked about others.
fn fcl(scene: &Scene) -> Option<Vec<Answers>> {
    let turns = scene.motions.iter().flatten().map(|motion| motion.turn().length());
    if turns.fold(0.0, f64::max) > 3.0 {
        return None;
    }
    let python = std::env::var_os("IMPINGE_PYTHON")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fcl_continuous.py");
    let file = std::env::temp_dir().join(format!("impinge-bench-{}.json", std::process::id()));
    let mesh = scene.shape.mesh();
    let positions: Vec<_> = mesh.positions().iter().map(DVec3::to_array).collect();
    let ends = |motion: &Motion| [motion.start(), motion.end()].map(Pose::to_rows);
    let motions: Vec<_> = scene.motions.iter().map(|[a, b]| [ends(a), ends(b)]).collect();
    let input = json!({"positions": positions, "faces": mesh.faces(), "motions": motions});
    fs::write(&file, input.to_string()).expect("room for a file of motions");
    let run = Command::new(&python).arg(script).arg(&file).stderr(Stdio::null()).output();
    let _ = fs::remove_file(&file);
    let output = run.ok()?.stdout;
    let answers = serde_json::Deserializer::from_slice(&output).into_iter::<Value>();
    let answers = answers.map(|answer| {
        let answer = answer.ok()?;
        Some(Answers {
            engine: answer["engine"].as_str()?.to_owned(),
            mean: answer["mean_us"].as_f64()?,
            times: answer["times"].as_array()?.iter().map(Value::as_f64).collect(),
        })
    });
    answers.collect()
}
