//! What a world gains if it remembers pairs of near bodies from step to step:
//! `cargo bench -p impinge-bench --bench coherence [-- WORDS]`; words select scenes by their name.
//!
//! Two scenes of the papers, and crowds of bodies at several speeds. Each scene is run with every kind of
//! coherence and several methods, all on one thread. They take turns, and the least time of all rounds counts;
//! all must find the same number of contacts.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Mesh, Method, Pose, Shape, World, generate,
    generate::Random,
    glam::{DMat3, DVec3},
    world::{Body, BodyId, Coherence},
};
use impinge_scene::{Broad, Builder, CoherenceKind, Overrides, Scene, SourceError, Sources};
use std::{ops::ControlFlow, path::Path, time::Duration};

const ROUNDS: usize = 2;
const KINDS: [(&str, CoherenceKind); 4] = [
    ("none", CoherenceKind::None),
    ("skips", CoherenceKind::Skips),
    ("fronts", CoherenceKind::Fronts),
    ("all", CoherenceKind::All),
];

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    println!(
        "\n| scene | method | remembered | near pairs a step | searched | skipped | faces, µs a step | all, µs a step \
         | gain |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for name in ["003-table-1", "004-flock"] {
        if wants(name) {
            for method in [Method::WIDE, Method::OBB, Method::DOP18] {
                table(name, method, |kind| run_scene(name, method, kind));
            }
        }
    }
    for (name, speed) in
        [("crowd, fast", 0.1), ("crowd, slow", 0.01), ("crowd, a tenth moves", 0.0)]
    {
        if wants(name) {
            for method in [Method::WIDE, Method::OBB, Method::DOP18] {
                table(name, method, |kind| run_crowd(method, speed, kind));
            }
        }
    }
}

/// Sums over all steps of a run.
#[derive(Clone, Copy, Default)]
struct Sums {
    steps: usize,
    near: usize,
    tested: usize,
    skipped: usize,
    contacts: usize,
    narrow_us: f64,
    total_us: f64,
}

fn table(name: &str, method: Method, run: impl Fn(CoherenceKind) -> Sums) {
    let mut best = [Sums { total_us: f64::INFINITY, ..Sums::default() }; KINDS.len()];
    for _ in 0..ROUNDS {
        for (best, (_, kind)) in best.iter_mut().zip(KINDS) {
            let sums = run(kind);
            if sums.total_us < best.total_us {
                *best = sums;
            }
        }
    }
    for (sums, (kind, _)) in best.iter().zip(KINDS) {
        assert_eq!(sums.contacts, best[0].contacts, "{name}, {method}, {kind}");
        let per_step = |sum: f64| sum / sums.steps as f64;
        println!(
            "| {name} | {method} | {kind} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.2} |",
            per_step(sums.near as f64),
            per_step(sums.tested as f64),
            per_step(sums.skipped as f64),
            per_step(sums.narrow_us),
            per_step(sums.total_us),
            best[0].total_us / sums.total_us
        );
    }
}

/// Runs a scene of the papers.
fn run_scene(name: &str, method: Method, kind: CoherenceKind) -> Sums {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = Scene::load(folder.join(format!("{name}.toml"))).expect("a scene");
    let mut overrides = Overrides::default();
    overrides.method = Some(method);
    overrides.coherence = Some(kind);
    overrides.broad = Some(Broad::Packed);
    overrides.threads = Some(1);
    let mut run = Builder::new(&scene, overrides, &Generated).run(0).expect("a run");
    let mut sums = Sums::default();
    while let Some(cycle) = run.next_cycle(|_| ControlFlow::Continue(())).expect("a cycle") {
        let row = cycle.row();
        sums.steps += 1;
        sums.near += row.near;
        sums.tested += row.candidates;
        sums.skipped += row.skipped;
        sums.contacts += row.contacts;
        sums.narrow_us += row.narrow_us;
        sums.total_us += row.total_us;
    }
    sums
}

/// The generated meshes of the scenes.
struct Generated;

impl Sources for Generated {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        match name {
            "gen:shuttle" => Ok(generate::shuttle()),
            "gen:sphere,faces=168" => Ok(generate::sphere(168)?),
            _ => Err(format!("{name}: unknown mesh").into()),
        }
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Err(format!("{name}: unknown poses").into())
    }
}

/// 1000 tori of 500 faces, closely packed, which drift and turn by about `speed` a step (of a radius of 1); or,
/// if it is 0, of which each tenth does so, and the others are at rest.
fn run_crowd(method: Method, speed: f64, kind: CoherenceKind) -> Sums {
    let shape = Shape::with_method(method, generate::deformed_torus(1, [25, 10]).expect("a torus"));
    let mut random = Random::new(1);
    let mut world = World::new();
    world.set_coherence(match kind {
        CoherenceKind::None => Coherence::NONE,
        CoherenceKind::Skips => Coherence::default().fronts(false),
        CoherenceKind::Fronts => Coherence::default().skips(false),
        CoherenceKind::All => Coherence::default(),
    });
    let mut movers: Vec<(BodyId, DMat3, DVec3, DMat3, DVec3)> = Vec::new();
    for i in 0..1000u32 {
        let place = DVec3::from([i % 10, i / 10 % 10, i / 100].map(|k| f64::from(k) * 2.2));
        let rotation = random.rotation();
        let moves = speed > 0.0 || i.is_multiple_of(10);
        let speed = if speed > 0.0 { speed } else { 0.01 };
        let turn = DMat3::from_axis_angle(random.direction(), speed);
        let by = random.direction() * speed;
        let pose = Pose::new(rotation, place).expect("a rotation");
        let id = world.add(Body::new(&shape).at(pose)).expect("one method");
        if moves {
            movers.push((id, rotation, place, turn, by));
        }
    }
    let mut sums = Sums::default();
    for step in 0..60 {
        let poses: Vec<(BodyId, Pose)> = movers
            .iter_mut()
            .map(|(id, rotation, place, turn, by)| {
                *rotation = *turn * *rotation;
                // To and fro, so that the crowd stays together.
                let way = f64::from((step % 20 - 10i32).abs());
                (*id, Pose::new(*rotation, *place + *by * way).expect("a rotation"))
            })
            .collect();
        world.set_poses(&poses).expect("all are there");
        let stats = world.step_timed().stats();
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        sums.steps += 1;
        sums.near += stats.near;
        sums.tested += stats.tested;
        sums.skipped += stats.skipped;
        sums.contacts += stats.contacts;
        sums.narrow_us += us(stats.narrow);
        sums.total_us += us(stats.total());
    }
    sums
}
