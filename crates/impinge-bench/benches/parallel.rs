//! Tests of face pairs on several threads, on the experiment of the paper (Smith, Kitamura 1994, chapter 4):
//! `cargo bench -p impinge-bench --bench parallel [-- WORDS]`; words select tables: counts, steps, speed, large.
//!
//! Draws Figures 4.2 and 4.3 of the paper anew, into `docs/parallel-cycles.svg` and `docs/parallel-processors.svg`.
//!
//! The least time of all rounds counts, distributions take turns, and all must find the same pairs.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

#[path = "parallel/chart.rs"]
mod chart;

use chart::Chart;
use impinge::{
    Distribution, FacePair, Mesh, Motion, Pair, Pose, Shape, Threads, World,
    convex::Hull,
    distribution::Work,
    generate::{self, Random},
    glam::DVec3,
    method::{SearchSteps, face_octree::FaceOctreeOptions},
    motion::swept_contacts,
    world::Body,
};
use impinge_scene::{Builder, Overrides, Scene, SourceError, Sources};
use rayon::ThreadPoolBuilder;
use std::{ops::ControlFlow, path::Path, time::Duration};

const ROUNDS: usize = 15;
/// Threads that are measured. More than there are cores share them.
const THREADS: [usize; 4] = [1, 2, 4, 8];
/// Processors that are predicted.
const PROCESSORS: std::ops::RangeInclusive<u32> = 1..=16;
/// For each run of the scene: its faces, and the paper's colliding pairs, checked pairs and milliseconds.
const PAPER: [(&str, u32, u32, u32); 2] = [("960", 21, 186, 126), ("3968", 121, 1160, 434)];
/// The paper's milliseconds of the four steps for 3968 faces.
const PAPER_STEPS: [f64; 4] = [2.0, 10.0, 58.0, 364.0];

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let runs = [0, 1].map(Experiment::run);
    if wants("counts") {
        counts(&runs);
    }
    if wants("steps") {
        steps(&runs);
    }
    if wants("speed") {
        speed(&runs);
    }
    if wants("large") {
        large();
    }
}

/// A run of the paper's scene.
struct Experiment {
    shapes: [Shape; 2],
    /// Poses of both bodies before and after the last cycle.
    motions: [Motion; 2],
    /// The last cycle before the swept spaces meet, and how many pairs do, of those compared.
    cycle: u64,
    pairs: u64,
    compared: u64,
    /// Milliseconds to compare the swept spaces, at each cycle.
    cycles: Vec<f64>,
}

impl Experiment {
    fn run(number: usize) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let scene = Scene::load(folder.join("000-figure-4.2.toml")).expect("a scene");
        let mut cycles: Vec<f64> = Vec::new();
        let mut last = None;
        for _ in 0..ROUNDS {
            let mut run =
                Builder::new(&scene, Overrides::default(), &Spheres).run(number).expect("a run");
            let mut poses: [Vec<Pose>; 2] = Default::default();
            let mut shapes = Vec::new();
            let mut step = 0;
            while let Some(cycle) = run.next_cycle(|_| ControlFlow::Continue(())).expect("a cycle")
            {
                let ms = cycle.row().swept.expect("the scene is swept").swept_us / 1e3;
                match cycles.get_mut(step) {
                    Some(least) => *least = least.min(ms),
                    None => cycles.push(ms),
                }
                step += 1;
                poses = [std::mem::take(&mut poses[1]), cycle.poses().copied().collect()];
                shapes = cycle.shapes().cloned().collect();
            }
            last = Some((shapes, poses, run.summary().swept.expect("the scene is swept")));
        }
        let (shapes, [before, after], swept) = last.expect("at least one round");
        let motion = |body: usize| Motion::between(before[body], after[body]).expect("small");
        Self {
            shapes: shapes.try_into().expect("two bodies"),
            motions: [motion(0), motion(1)],
            cycle: swept.first_swept.expect("they collide"),
            pairs: swept.swept_pairs,
            compared: swept.swept_compared,
            cycles,
        }
    }

    /// The pairs of faces whose swept spaces meet in the last cycle, as the paper computes them: steps 1 to 3 propose pairs,
    /// here by a face octree at the middle of the cycle, and step 4 compares the convex hulls of six corners.
    fn swept(&self, distribution: Distribution) -> (Vec<FacePair>, Work) {
        let [a, b] = &self.motions;
        let mut pair = Pair::new(&self.shapes[0], &self.shapes[1]).expect("one method");
        let near = pair.at(&a.pose_at(0.5), &b.pose_at(0.5)).within(self.reach());
        let near = near.expect("a distance");
        let produce = |push: &mut dyn FnMut(FacePair)| {
            let _ = near.visit(|pair| {
                push(pair);
                ControlFlow::<()>::Continue(())
            });
        };
        distribution.filter_produced(Threads::Pool, produce, |pair| {
            self.hull(0, pair.a).intersects(&self.hull(1, pair.b))
        })
    }

    /// How far faces can be apart in the middle of the last cycle that touch at any time of it.
    fn reach(&self) -> f64 {
        let [a, b] = &self.motions;
        let travel = |motion: &Motion| motion.end().translation() - motion.start().translation();
        // The radius of both spheres is 1.
        let turns = a.turn().length() + b.turn().length();
        0.5 * ((travel(a) - travel(b)).length() + turns) * (1.0 + 1e-9)
    }

    fn hull(&self, body: usize, face: u32) -> Hull {
        let (motion, corners) = (&self.motions[body], self.shapes[body].mesh().triangle(face));
        let [before, after] =
            [motion.start(), motion.end()].map(|pose| pose.place_triangle(corners));
        Hull::new(&[before, after].concat()).expect("finite corners")
    }

    /// A step of a world with both bodies at the end of the last cycle: the four steps for faces that touch then.
    fn instant(&self, distribution: Distribution) -> SearchSteps {
        let options = FaceOctreeOptions::default().distribution(distribution);
        let mut world = World::new();
        for (shape, motion) in self.shapes.iter().zip(&self.motions) {
            let shape = Shape::build(options, shape.mesh().clone());
            world.add(Body::new(&shape).at(*motion.end())).expect("one method");
        }
        least((0..ROUNDS).map(|_| world.step_timed().stats().steps.expect("distributed")))
    }
}

/// The steps of the round that took the least time.
fn least(rounds: impl Iterator<Item = SearchSteps>) -> SearchSteps {
    rounds.min_by_key(SearchSteps::total).expect("at least one round")
}

/// The meshes of the scene.
struct Spheres;

impl Sources for Spheres {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        let faces = name.strip_prefix("gen:sphere,faces=").ok_or("unknown mesh")?;
        Ok(generate::sphere(faces.parse()?)?)
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Err(format!("{name}: unknown poses").into())
    }
}

fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
    pool.install(work)
}

/// Figure 4.2, and the numbers of pairs.
fn counts(runs: &[Experiment; 2]) {
    println!("\n### Two spheres, at the last cycle, on one thread\n");
    println!(
        "| faces of each | collide between cycles | paper | colliding face pairs of those compared | face pairs that share a cell | paper | ms | paper, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (run, (faces, paper_pairs, paper_compared, paper_ms)) in runs.iter().zip(PAPER) {
        let Experiment { cycle, pairs, compared, cycles, .. } = run;
        let in_cells = in_pool(1, || run.instant(Distribution::Static)).pairs.items;
        println!(
            "| {faces} | {cycle} and {} | 45 | {pairs} of {compared} | {in_cells} | {paper_pairs} of {paper_compared} | {:.3} | {paper_ms} |",
            cycle + 1,
            cycles.last().expect("cycles"),
        );
    }
    let series = runs.iter().zip(PAPER).map(|(run, (faces, ..))| {
        let points = run.cycles.iter().enumerate().map(|(cycle, ms)| (cycle as f64, *ms));
        (format!("{faces} faces"), points.collect())
    });
    let chart = Chart {
        title: "Figure 4.2: two spheres, swept faces, one thread",
        x: "cycle",
        y: "time per cycle, ms",
        series: series.collect(),
    };
    chart.write("parallel-cycles.svg");
}

/// The four steps at the last cycle.
fn steps(runs: &[Experiment; 2]) {
    println!("\n### The four steps at the last cycle, on one thread, µs\n");
    println!("| faces of each | step 4 tests | overlap regions | faces in them | cells | tests |");
    println!("|---|---|---|---|---|---|");
    let row = |times: [f64; 4]| {
        let total: f64 = times.iter().sum();
        times.map(|us| format!("{us:.0} ({:.1} %)", 100.0 * us / total)).join(" | ")
    };
    println!("| 3968, paper | swept spaces | {} |", row(PAPER_STEPS.map(|ms| ms * 1e3)));
    for (run, (faces, ..)) in runs.iter().zip(PAPER) {
        let steps = in_pool(1, || run.instant(Distribution::Static));
        let (touching, swept) = (in_us(&steps), swept_steps(run, &steps));
        println!("| {faces} | touching faces | {} |", row(touching));
        println!("| {faces} | swept spaces | {} |", row(swept));
    }
}

fn in_us(SearchSteps { regions, faces, pairs, .. }: &SearchSteps) -> [f64; 4] {
    [*regions, *faces, pairs.produce, pairs.test].map(|time| time.as_secs_f64() * 1e6)
}

/// The four steps for swept spaces, in µs. A query with a tolerance does the first three at once; the time of steps 1 and 2 is
/// taken from a step for touching faces.
fn swept_steps(run: &Experiment, touching: &SearchSteps) -> [f64; 4] {
    let [regions, faces, ..] = in_us(touching);
    let work = in_pool(1, || best(run, Distribution::Static)).1;
    let [produce, test] = [work.produce, work.test].map(|time| time.as_secs_f64() * 1e6);
    [regions, faces, (produce - regions - faces).max(0.0), test]
}

/// The least time of all rounds to find the swept pairs.
fn best(run: &Experiment, distribution: Distribution) -> (Vec<FacePair>, Work) {
    let rounds = (0..ROUNDS).map(|_| run.swept(distribution));
    rounds.min_by_key(|(_, work)| total(work)).expect("at least one round")
}

fn total(work: &Work) -> Duration {
    work.produce + work.test
}

/// Figure 4.3: time over the number of processors, measured and predicted.
fn speed(runs: &[Experiment; 2]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "\n### Swept spaces at the last cycle, µs, by the number of threads ({cores} cores)\n"
    );
    println!("In brackets: pairs of the busiest thread over the mean.\n");
    let header: Vec<String> = THREADS.map(|threads| threads.to_string()).into();
    println!("| faces of each | distribution | {} |", header.join(" | "));
    println!("|---|---|{}", "---|".repeat(THREADS.len()));
    let mut series = Vec::new();
    for (run, (faces, ..)) in runs.iter().zip(PAPER) {
        let [a, b] = [0, 1].map(|body| (&run.shapes[body], &run.motions[body]));
        let expected = swept_contacts(a, b).expect("one method").pairs;
        let alone = in_pool(1, || best(run, Distribution::Static));
        for &(name, distribution) in Distribution::NAMES {
            let mut cells = Vec::new();
            let mut points = Vec::new();
            for threads in THREADS {
                let (found, work) = in_pool(threads, || best(run, distribution));
                assert_eq!(found, alone.0, "{name}, {threads} threads");
                // The library's hulls have a slack for arcs.
                assert!(found.iter().all(|pair| expected.binary_search(pair).is_ok()), "{name}");
                let us = total(&work).as_secs_f64() * 1e6;
                cells.push(format!("{us:.0} ({:.2})", work.imbalance()));
                if threads <= cores {
                    points.push((threads as f64, us / 1e3));
                }
            }
            println!("| {faces} | {name} | {} |", cells.join(" | "));
            if matches!(distribution, Distribution::Static | Distribution::Producer) {
                series.push((format!("{faces} faces, {name}, measured"), points));
                let predicted = PROCESSORS.map(|processors| {
                    (f64::from(processors), predicted(&alone.1, distribution, processors) / 1e3)
                });
                series.push((format!("{faces} faces, {name}, predicted"), predicted.collect()));
            }
        }
    }
    predictions(runs);
    let chart = Chart {
        title: "Figure 4.3: two spheres, swept faces, last cycle",
        x: "processors",
        y: "time of the last cycle, ms",
        series,
    };
    chart.write("parallel-processors.svg");
}

/// The time in µs on other numbers of processors, from the times on one: all pairs take the same time, and nothing is lost to
/// starting and waiting.
fn predicted(alone: &Work, distribution: Distribution, processors: u32) -> f64 {
    let [produce, test] = [alone.produce, alone.test].map(|time| time.as_secs_f64() * 1e6);
    let share = alone.items.div_ceil(u64::from(processors)) as f64 / alone.items as f64;
    match distribution {
        // Others test while one produces; then all test what is left.
        Distribution::Producer => produce.max((produce + test) / f64::from(processors)),
        _ => produce + test * share,
    }
}

fn predictions(runs: &[Experiment; 2]) {
    println!("\n### Predicted speed-up, by the number of processors\n");
    let header: Vec<String> = PROCESSORS.map(|processors| processors.to_string()).collect();
    println!("| faces of each | distribution | {} |", header.join(" | "));
    println!("|---|---|{}", "---|".repeat(header.len()));
    for (run, (faces, ..)) in runs.iter().zip(PAPER) {
        let alone = in_pool(1, || best(run, Distribution::Static)).1;
        let us = total(&alone).as_secs_f64() * 1e6;
        for distribution in [Distribution::Static, Distribution::Producer] {
            let row = PROCESSORS.map(|processors| {
                format!("{:.1}", us / predicted(&alone, distribution, processors))
            });
            let row: Vec<String> = row.collect();
            println!("| {faces} | {} | {} |", distribution.name(), row.join(" | "));
        }
        let imbalance = PROCESSORS.map(|processors| {
            let busiest = alone.items.div_ceil(u64::from(processors));
            format!("{:.2}", busiest as f64 * f64::from(processors) / alone.items as f64)
        });
        let imbalance: Vec<String> = imbalance.collect();
        println!("| {faces} | static, busiest over mean | {} |", imbalance.join(" | "));
    }
}

/// Scenes with more work: touching faces of two bodies that cross, and of a crowd.
fn large() {
    println!("\n### Larger scenes, touching faces, a step in µs, by the number of threads\n");
    println!("In brackets: pairs of the busiest thread over the mean.\n");
    let header: Vec<String> = THREADS.map(|threads| threads.to_string()).into();
    println!("| scene | face pairs | distribution | {} |", header.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(THREADS.len()));
    let turned =
        |seed: u64, at: DVec3| Pose::new(Random::new(seed).rotation(), at).expect("a rotation");
    let tori = generate::deformed_torus(1, [300, 150]).expect("enough segments");
    let crowd = generate::deformed_torus(1, [25, 10]).expect("a torus");
    let places = (0..200)
        .map(|i| turned(i, DVec3::from([i % 6, i / 6 % 6, i / 36].map(|k| k as f64 * 1.7))));
    let scenes = [
        (
            "two tori of 90,000 faces, in one place",
            tori,
            vec![Pose::IDENTITY, turned(0, DVec3::ZERO)],
        ),
        ("200 tori of 500 faces, crowded", crowd, places.collect()),
    ];
    for (name, mesh, poses) in scenes {
        let ways: Vec<Option<Distribution>> = std::iter::once(None)
            .chain(Distribution::NAMES.iter().map(|(_, distribution)| Some(*distribution)))
            .collect();
        let mut found = None;
        for way in ways {
            let shape = Shape::build(FaceOctreeOptions::default().distribution(way), mesh.clone());
            let mut world = World::new();
            for &pose in &poses {
                world.add(Body::new(&shape).at(pose)).expect("one method");
            }
            world.set_threads(Threads::Pool);
            let mut pairs = 0;
            let cells = THREADS.map(|threads| {
                in_pool(threads, || {
                    let mut best = (Duration::MAX, None);
                    for _ in 0..7 {
                        let stats = world.step_timed().stats();
                        assert_eq!(*found.get_or_insert(stats.contacts), stats.contacts, "{name}");
                        pairs = stats.tests.face_tests;
                        if stats.narrow < best.0 {
                            best = (stats.narrow, stats.steps);
                        }
                    }
                    let us = best.0.as_secs_f64() * 1e6;
                    match best.1 {
                        Some(steps) => format!("{us:.0} ({:.2})", steps.pairs.imbalance()),
                        None => format!("{us:.0}"),
                    }
                })
            });
            let way = way.map_or("none", Distribution::name);
            println!("| {name} | {pairs} | {way} | {} |", cells.join(" | "));
        }
    }
}
