//! The wide tree compared with the best binary ones: `cargo bench -p impinge-bench --bench wide`
//!
//! First the build times for all options; then queries on the scenes of the papers, or on those whose name
//! contains an argument. All methods take turns on every pose and must find the same contacts.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{Mesh, Method, Pair, Pose, Shape, Threads, WideOptions, WideQuality, generate};
use impinge_bench::{
    Contender, Times, race,
    scenes::{self, Scene},
};
use std::sync::Arc;
use std::time::Instant;

const METHODS: [Method; 3] = [Method::WIDE, Method::OBB, Method::DOP18];

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if wanted.is_empty() {
        making();
    }
    for scene in scenes::all() {
        if wanted.is_empty() || wanted.iter().any(|name| scene.name.contains(name)) {
            table(&scene);
        }
    }
}

/// Times building, loading and refitting a tree.
fn making() {
    let bodies = [
        ("sphere", Arc::new(generate::icosphere(7).expect("few enough"))),
        ("sphere", Arc::new(generate::icosphere(6).expect("few enough"))),
        (
            "deformed torus",
            Arc::new(generate::deformed_torus(1, [400, 100]).expect("enough segments")),
        ),
        ("pipes", scenes::pipes().a),
    ];
    println!("\n### Making a tree, ms\n");
    println!(
        "| mesh | faces | bytes a face | fast: bytes a face | quality | two threads | fast | two threads | refit \
         | load | quality, million faces/s | fast |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, mesh) in &bodies {
        made(name, mesh);
    }
}

fn made(name: &str, mesh: &Arc<Mesh>) {
    let options = |quality, threads| WideOptions::default().quality(quality).threads(threads);
    let build = |name, quality, threads| Contender {
        name,
        run: Box::new(move || {
            Shape::build(options(quality, threads), mesh.clone()).mesh().faces().len()
        }),
    };
    let shape = Shape::new(mesh.clone());
    let file = shape.to_bytes().expect("wide trees are saved");
    let mut refitted = Some(shape);
    let times = race(
        7,
        &mut [
            build("quality", WideQuality::Quality, Threads::One),
            build("quality, two", WideQuality::Quality, Threads::Pool),
            build("fast", WideQuality::Fast, Threads::One),
            build("fast, two", WideQuality::Fast, Threads::Pool),
            Contender {
                name: "refit",
                run: Box::new(|| {
                    refitted = refitted.take().and_then(|shape| shape.refitted(mesh.clone()).ok());
                    mesh.faces().len()
                }),
            },
            Contender {
                name: "load",
                run: Box::new(|| {
                    Shape::from_bytes(&file, mesh.clone())
                        .map_or(0, |shape| shape.mesh().faces().len())
                }),
            },
        ],
    );
    let faces = mesh.faces().len();
    let bytes = |quality| {
        Shape::build(options(quality, Threads::One), mesh.clone()).bytes() as f64 / faces as f64
    };
    let [full, fast] = [bytes(WideQuality::Quality), bytes(WideQuality::Fast)];
    print!("| {name} | {faces} | {full:.1} | {fast:.1} |");
    for outcome in &times {
        assert_eq!(outcome.count, faces, "{}", outcome.name);
        print!(" {:.1} |", outcome.best.as_secs_f64() * 1e3);
    }
    let rate = |k: usize| faces as f64 / times[k].best.as_secs_f64() / 1e6;
    println!(" {:.2} | {:.2} |", rate(0), rate(2));
}

/// A method on a scene.
struct Row {
    method: Method,
    pair: Pair,
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
    let mut rows: Vec<Row> = Vec::new();
    for method in METHODS {
        let mut build = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            Pair::with_method(method, scene.a.clone(), scene.b.clone());
            build = build.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let pair = Pair::with_method(method, scene.a.clone(), scene.b.clone());
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
