//! The gain of a cache and of a second thread: `cargo bench -p impinge-bench --bench batch`
//!
//! Poses along a path, where each is close to the one before, and the same poses shuffled. All kinds of queries
//! take turns and must give the same answers.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{Cache, Mesh, Method, Pair, Pose, Threads, generate};
use impinge_bench::{Contender, Outcome, race, scenes::Scene};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::sync::Arc;

const ROUNDS: usize = 40;
/// The number of poses of a scene.
const STEPS: u32 = 512;

fn main() {
    println!("\n### A cache: is anything touching? µs a pose\n");
    println!("| scene | poses | method | touching | without | with | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for scene in scenes() {
        for (label, poses) in [("path", &scene.poses), ("shuffled", &shuffled(&scene.poses))] {
            for method in [Method::WIDE, Method::OBB, Method::DOP18] {
                let [without, with] = caches(&scene, method, poses);
                let [t, u] = [without, with].map(|outcome| us(outcome, poses.len()));
                println!(
                    "| {} | {label} | {method} | {} | {t:.2} | {u:.2} | {:.2} |",
                    scene.name,
                    without.count,
                    t / u
                );
            }
        }
    }

    println!("\n### A batch of {STEPS} poses: `wide`, µs a pose\n");
    println!(
        "| scene | poses | question | one by one | batch, one thread | two threads | gain of the second |"
    );
    println!("|---|---|---|---|---|---|---|");
    let pools = [1, 2]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("two threads"));
    for scene in scenes() {
        for (label, poses) in [("path", &scene.poses), ("shuffled", &shuffled(&scene.poses))] {
            for all in [false, true] {
                let times = batches(&scene, poses, all, &pools).map(|it| us(it, poses.len()));
                let question = if all { "all" } else { "detect" };
                let [each, one, two] = times;
                println!(
                    "| {} | {label} | {question} | {each:.2} | {one:.2} | {two:.2} | {:.2} |",
                    scene.name,
                    one / two
                );
            }
        }
    }
}

/// Two equal bodies in a cube of side 2, one of which tumbles.
fn scenes() -> Vec<Scene> {
    let torus = generate::torus(2.0, 1.0, [144, 70]).expect("a torus");
    let deformed = generate::deformed_torus(1, [144, 70]).expect("enough segments");
    let scene = |name: &str, mesh: &Mesh, distance| {
        let body = generate::scaled_to_cube(mesh, 2.0).expect("it has an extent");
        let poses = generate::tumble(distance, STEPS).expect("a distance");
        let body = Arc::new(body);
        Scene { name: format!("{name}, {distance} apart"), a: body.clone(), b: body, poses }
    };
    vec![
        scene("tori", &torus, 1.5),
        scene("deformed tori", &deformed, 1.0),
        scene("deformed tori", &deformed, 1.9),
    ]
}

fn shuffled(poses: &[Pose]) -> Vec<Pose> {
    let mut poses = poses.to_vec();
    generate::Random::new(1).shuffle(&mut poses);
    poses
}

fn us(outcome: Outcome, poses: usize) -> f64 {
    outcome.best.as_secs_f64() * 1e6 / poses as f64
}

/// Pose by pose, without a cache and with one.
fn caches(scene: &Scene, method: Method, poses: &[Pose]) -> [Outcome; 2] {
    let pair = RefCell::new(Pair::with_method(method, scene.a.clone(), scene.b.clone()));
    let still = &Pose::IDENTITY;
    let contenders = &mut [
        Contender {
            name: "without",
            run: Box::new(|| {
                let pair = &mut *pair.borrow_mut();
                poses.iter().filter(|pose| pair.intersects(still, pose)).count()
            }),
        },
        Contender {
            name: "with",
            run: Box::new(|| {
                let pair = &mut *pair.borrow_mut();
                let mut cache = Cache::new();
                let hits = |pose: &&Pose| pair.at(still, pose).cache(&mut cache).intersects();
                poses.iter().filter(hits).count()
            }),
        },
    ];
    agreed(race(ROUNDS, contenders))
}

/// Pose by pose, and as a batch on one thread and on two.
fn batches(scene: &Scene, poses: &[Pose], all: bool, pools: &[ThreadPool; 2]) -> [Outcome; 3] {
    let pair = RefCell::new(Pair::with_method(Method::WIDE, scene.a.clone(), scene.b.clone()));
    let still = &Pose::IDENTITY;
    let batch = |threads: usize| {
        let pair = &mut *pair.borrow_mut();
        let batch = pair.at_many(still, poses).threads(Threads::Pool);
        pools[threads - 1].install(|| match all {
            false => batch.intersects().count(),
            true => batch.contacts().flat().len(),
        })
    };
    let contenders = &mut [
        Contender {
            name: "one by one",
            run: Box::new(|| {
                let pair = &mut *pair.borrow_mut();
                let count = |pose| match all {
                    false => usize::from(pair.intersects(still, pose)),
                    true => pair.contacts(still, pose).len(),
                };
                poses.iter().map(count).sum()
            }),
        },
        Contender { name: "one thread", run: Box::new(|| batch(1)) },
        Contender { name: "two threads", run: Box::new(|| batch(2)) },
    ];
    agreed(race(ROUNDS, contenders))
}

/// Checks that all have counted the same.
fn agreed<const N: usize>(outcomes: Vec<Outcome>) -> [Outcome; N] {
    let expected = outcomes[0].count;
    for Outcome { name, count, .. } in &outcomes {
        assert_eq!(*count, expected, "{name}");
    }
    outcomes.try_into().expect("one of each")
}
