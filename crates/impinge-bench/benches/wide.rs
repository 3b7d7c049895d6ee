//! The wide tree beside the best binary ones: `cargo bench -p impinge-bench --bench wide`
//!
//! On the papers' scenes, or those whose name contains an argument. All take turns on every pose, and
//! must find the same.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{Method, Pair, Pose};
use impinge_bench::{
    Times,
    scenes::{self, Scene},
};
use std::time::Instant;

const METHODS: [Method; 3] = [Method::Wide, Method::Obb, Method::Dop18];

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    for scene in scenes::all() {
        if wanted.is_empty() || wanted.iter().any(|name| scene.name.contains(name)) {
            table(&scene);
        }
    }
}

/// A method on a scene.
struct Row<'s> {
    method: Method,
    pair: Pair<'s>,
    build: f64,
    detect: Times,
    all: Times,
    tests: [u64; 4],
}

fn table(scene: &Scene) {
    println!("\n{}\n", scene.heading());
    println!(
        "| method | build, ms | bytes a face | detect: mean µs | 99 % | max | volume tests \
         | all: mean µs | 99 % | max | volume tests | face tests | pairs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let faces = (scene.a.faces().len() + scene.b.faces().len()) as f64;
    let poses = scene.poses.len();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for method in METHODS {
        let mut build = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            Pair::with_method(method, &scene.a, &scene.b);
            build = build.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let pair = Pair::with_method(method, &scene.a, &scene.b);
        let times = || Times::new(poses);
        rows.push(Row { method, pair, build, detect: times(), all: times(), tests: [0; 4] });
    }
    let still = &Pose::IDENTITY;
    let mut pairs = 0;
    for round in 0..5 {
        for (i, pose) in scene.poses.iter().enumerate() {
            let mut expected = None;
            for row in &mut rows {
                let start = Instant::now();
                let touches = row.pair.intersects(still, pose);
                row.detect.note(i, start);
                let detect = row.pair.counts();
                let start = Instant::now();
                let found = row.pair.contacts(still, pose);
                row.all.note(i, start);
                assert_eq!(touches, !found.is_empty(), "{} at pose {i}", row.method);
                match &expected {
                    None => {
                        pairs += if round == 0 { found.len() } else { 0 };
                        expected = Some(found.to_vec());
                    }
                    Some(expected) => assert!(found == expected, "{} at pose {i}", row.method),
                }
                if round == 0 {
                    let all = row.pair.counts();
                    let step = [detect.volume_tests, all.volume_tests, all.face_tests, all.placed];
                    row.tests = std::array::from_fn(|k| row.tests[k] + step[k]);
                }
            }
        }
    }
    for Row { method, pair, build, detect, all, tests } in &rows {
        let [detect_tests, volume_tests, face_tests, _] = tests.map(|n| n / poses as u64);
        println!(
            "| {method} | {build:.1} | {:.0} | {:.2} | {:.1} | {:.1} | {detect_tests} | {:.1} \
             | {:.1} | {:.1} | {volume_tests} | {face_tests} | {} |",
            pair.index_bytes() as f64 / faces,
            detect.mean(),
            detect.longest_but(0.01),
            detect.longest_but(0.0),
            all.mean(),
            all.longest_but(0.01),
            all.longest_but(0.0),
            pairs / poses,
        );
    }
}
