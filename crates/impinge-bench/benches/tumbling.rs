//! How the nodes of a moving body are placed: `cargo bench -p impinge-bench --bench tumbling`; words such as
//! `-- pipes dop18` select scenes and methods.
//!
//! The linear map of extents, the rotated vertices of the k-DOPs (Klosowski 1998, method II), and hill climbing on
//! the convex hulls of the first levels or of all (method I), on the scenes of the papers. The body that stays in
//! place needs no hulls or vertices. All ways must find the same contacts.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::method::tree::{BuildOptions, Tumbling};
use impinge::{FacePair, Method, Pair, Pose, Shape};
use impinge_bench::{
    Times,
    scenes::{self, Scene},
};
use std::time::Instant;

const WAYS: [(&str, Tumbling, u32); 7] = [
    ("aligned", Tumbling::Aligned, 0),
    ("aligned, root climbed", Tumbling::Aligned, 1),
    ("aligned, 4 levels climbed", Tumbling::Aligned, 4),
    ("aligned, 8 levels climbed", Tumbling::Aligned, 8),
    ("vertices", Tumbling::Vertices, 0),
    ("vertices, root climbed", Tumbling::Vertices, 1),
    ("all climbed", Tumbling::Aligned, u32::MAX),
];

const ROUNDS: usize = 3;

fn main() {
    let (scenes, methods) = scenes::selected();
    for scene in scenes {
        // Nearly all nodes of these spheres are placed at every pose, so a few poses are enough.
        let scene = if scene.name.contains("0.01") { scene.shortened(10) } else { scene };
        println!("\n{}\n", scene.heading());
        println!(
            "| volumes | placed by | moving body: build, ms | bytes a face | detect, µs | all, µs \
             | volume tests | placed |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        // The others differ from 18-DOPs alike on all scenes.
        let is_sample = scene.name.contains("1.6");
        let all = [Method::DOP18, Method::DOP14, Method::DOP26];
        let default = if is_sample { &all[..] } else { &all[..1] };
        for &method in if methods.is_empty() { default } else { &methods } {
            table(&scene, method);
        }
    }
}

/// A way to place the nodes of the moving body, and what it took.
struct Run {
    name: &'static str,
    pair: Pair,
    build: f64,
    bytes: f64,
    detect: Times,
    all: Times,
    volume_tests: u64,
    placed: u64,
}

/// Prints a row for each way, for trees of one kind of volume.
fn table(scene: &Scene, method: Method) {
    let still = Shape::with_method(method, scene.a.clone());
    let mut runs = WAYS.map(|(name, tumbling, levels)| {
        let options = BuildOptions::default().tumbling(tumbling).hill_climbing(levels);
        let start = Instant::now();
        let moving = Shape::build((method, options), scene.b.clone());
        let build = start.elapsed().as_secs_f64() * 1e3;
        Run {
            name,
            build,
            bytes: moving.bytes() as f64 / scene.b.faces().len() as f64,
            pair: Pair::new(&still, &moving).expect("one method"),
            detect: Times::new(scene.poses.len()),
            all: Times::new(scene.poses.len()),
            volume_tests: 0,
            placed: 0,
        }
    });
    let mut expected: Option<Vec<Vec<FacePair>>> = None;
    for _ in 0..ROUNDS {
        for run in &mut runs {
            let found = run.round(scene);
            let expected = expected.get_or_insert_with(|| found.clone());
            assert!(*expected == found, "{method}, {} differs on {}", run.name, scene.name);
        }
    }
    for run in &runs {
        println!("| {method} | {} |", run.row(scene.poses.len() as u64));
    }
}

impl Run {
    /// Queries all poses and returns the contacts at each.
    fn round(&mut self, scene: &Scene) -> Vec<Vec<FacePair>> {
        (self.volume_tests, self.placed) = (0, 0);
        let still = &Pose::IDENTITY;
        let poses = scene.poses.iter().enumerate();
        poses
            .map(|(i, pose)| {
                let start = Instant::now();
                self.pair.intersects(still, pose);
                self.detect.note(i, start);
                let start = Instant::now();
                let contacts = self.pair.contacts(still, pose);
                self.all.note(i, start);
                let contacts = contacts.to_vec();
                self.volume_tests += self.pair.counts().volume_tests;
                self.placed += self.pair.counts().placed;
                contacts
            })
            .collect()
    }

    fn row(&self, poses: u64) -> String {
        format!(
            "{} | {:.1} | {:.0} | {:.1} | {:.1} | {} | {}",
            self.name,
            self.build,
            self.bytes,
            self.detect.mean(),
            self.all.mean(),
            self.volume_tests / poses,
            self.placed / poses,
        )
    }
}
