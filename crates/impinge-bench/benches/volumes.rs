//! Bounding volumes: how they are fitted and compared, on the scenes of the papers:
//! `cargo bench -p impinge-bench --bench volumes [hulls] [fits] [orders]`
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

#[path = "volumes/fits.rs"]
mod fits;
#[path = "volumes/hulls.rs"]
mod hulls;
#[path = "volumes/orders.rs"]
mod orders;

use impinge::Pose;
use impinge::method::tree::{BuildOptions, BvTree, Scratch};
use impinge::narrow::TriangleTest;
use impinge::volume::{BoundingVolume, Relative};
use impinge_bench::scenes::{self, Scene};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |table: &str| wanted.is_empty() || wanted.iter().any(|name| name == table);
    if wants("hulls") {
        hulls::table();
    }
    for scene in scenes() {
        println!("\n{}", scene.heading());
        if wants("fits") {
            fits::table(&scene);
        }
        if wants("orders") {
            orders::table(&scene);
        }
    }
}

/// The number of poses per scene; not all, because there are many variants to compare.
fn scenes() -> [Scene; 3] {
    let nested = scenes::nested(0.01).thinned(20);
    [scenes::tumbling(1.6).thinned(2), nested, scenes::pipes().thinned(2)]
}

/// A scene with its trees, and the work of its queries.
struct Run<'s, V: BoundingVolume> {
    scene: &'s Scene,
    a: BvTree<V>,
    b: BvTree<V>,
    scratch: Scratch<V>,
    /// The best build time in milliseconds.
    build: f64,
    /// The best time of each query.
    best: Vec<Duration>,
    volume_tests: u64,
    placed: u64,
    pairs: usize,
}

impl<'s, V: BoundingVolume> Run<'s, V> {
    fn new(scene: &'s Scene) -> Self {
        let mut build = Duration::MAX;
        let mut trees = None;
        let begin = Instant::now();
        // A slow build is timed only once.
        while trees.is_none() || begin.elapsed() < Duration::from_millis(500) {
            let start = Instant::now();
            let a = BvTree::<V>::build(&scene.a, BuildOptions::default());
            let b = BvTree::<V>::build(&scene.b, BuildOptions::default());
            build = build.min(start.elapsed());
            trees = Some((a, b));
        }
        let (a, b) = trees.expect("built");
        Self {
            scene,
            a,
            b,
            scratch: Scratch::default(),
            build: build.as_secs_f64() * 1e3,
            best: vec![Duration::MAX; scene.poses.len()],
            volume_tests: 0,
            placed: 0,
            pairs: 0,
        }
    }

    fn bytes(&self) -> f64 {
        let faces = self.scene.a.faces().len() + self.scene.b.faces().len();
        (self.a.bytes() + self.b.bytes()) as f64 / faces as f64
    }

    /// Returns the mean time of a query in microseconds.
    fn micros(&self) -> f64 {
        self.best.iter().sum::<Duration>().as_secs_f64() * 1e6 / self.best.len() as f64
    }

    /// Finds all pairs at all poses.
    fn round(&mut self) {
        let Self { scene, a, b, scratch, .. } = self;
        (self.volume_tests, self.placed, self.pairs) = (0, 0, 0);
        for (pose, best) in scene.poses.iter().zip(&mut self.best) {
            let start = Instant::now();
            let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
            let mut bounds = a.frame().placed_bounds(&Pose::IDENTITY);
            bounds.merge(&b.frame().placed_bounds(pose));
            let test = TriangleTest::within(&bounds);
            let _ = a.visit_leaf_pairs(b, &relative, scratch, &mut |[faces, others]| {
                for &other in others {
                    let placed = scene.b.triangle(other).map(|corner| pose.place(corner));
                    let touches = |&&face: &&u32| test.intersects(&scene.a.triangle(face), &placed);
                    self.pairs += faces.iter().filter(touches).count();
                }
                ControlFlow::<()>::Continue(())
            });
            *best = start.elapsed().min(*best);
            self.volume_tests += scratch.counts.volume_tests;
            self.placed += scratch.counts.placed;
        }
    }

    /// Returns the row of the table, after some rounds.
    fn row(&self, name: &str) -> String {
        let poses = self.scene.poses.len() as u64;
        format!(
            "| {name} | {:.1} | {:.0} | {:.1} | {} | {} |",
            self.build,
            self.bytes(),
            self.micros(),
            self.volume_tests / poses,
            self.placed / poses,
        )
    }
}

/// A variant that takes its turn and has a row in the table.
trait Contest {
    fn turn(&mut self);
    fn found(&self) -> usize;
    fn line(&self) -> String;
}

struct Named<'s, V: BoundingVolume>(&'static str, Run<'s, V>);

impl<V: BoundingVolume> Contest for Named<'_, V> {
    fn turn(&mut self) {
        self.1.round();
    }

    fn found(&self) -> usize {
        self.1.pairs
    }

    fn line(&self) -> String {
        self.1.row(self.0)
    }
}

fn named<'s, V: BoundingVolume>(name: &'static str, scene: &'s Scene) -> Box<dyn Contest + 's> {
    Box::new(Named(name, Run::<V>::new(scene)))
}

/// Runs all variants in turn and prints their rows; all must find the same pairs.
fn contest(rounds: usize, mut contenders: Vec<Box<dyn Contest + '_>>) {
    println!("\n| | build, ms | bytes a face | all, µs | volume tests | placed |");
    println!("|---|---|---|---|---|---|");
    for _ in 0..rounds {
        for contender in &mut contenders {
            contender.turn();
        }
    }
    for contender in &contenders {
        assert_eq!(contender.found(), contenders[0].found(), "one answer");
        println!("{}", contender.line());
    }
}
