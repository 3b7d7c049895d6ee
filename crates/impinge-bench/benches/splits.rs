//! How to build a tree: splitting rules and leaf sizes, on the papers' kinds of scenes.
//! `cargo bench -p impinge-bench --bench splits`
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, PipesOptions};
use impinge::glam::DVec3;
use impinge::mid::tree::{BuildOptions, BvTree, Scratch, SplitAxis, SplitPoint};
use impinge::narrow::TriangleTest;
use impinge::volume::{BoundingVolume, Dop, Obb, Relative};
use impinge::{Bounds, Mesh, Pose};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

struct Scene {
    name: &'static str,
    a: Mesh,
    b: Mesh,
    poses: Vec<Pose>,
}

fn main() {
    for scene in scenes() {
        let (a, b) = (scene.a.faces().len(), scene.b.faces().len());
        println!("\n### {} ({a} and {b} faces, {} poses)\n", scene.name, scene.poses.len());
        println!(
            "| axis, point, leaf | bytes a face | obb: build, ms | all, µs | volume tests \
             | dop18: build, ms | all, µs | volume tests |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for options in choices() {
            let obb = measure::<Obb>(&scene, options);
            let dop = measure::<Dop<9>>(&scene, options);
            assert_eq!(obb.pairs, dop.pairs, "one answer");
            println!(
                "| {:?}, {:?}, {} | {:.0} and {:.0} | {:.1} | {:.1} | {} | {:.1} | {:.1} | {} |",
                options.axis,
                options.point,
                options.leaf,
                obb.bytes,
                dop.bytes,
                obb.build,
                obb.query,
                obb.volume_tests,
                dop.build,
                dop.query,
                dop.volume_tests,
            );
        }
    }
}

/// All rules with the default leaf, and all leaves with the default rule.
fn choices() -> Vec<BuildOptions> {
    let axes = [SplitAxis::LongestSide, SplitAxis::Splatter, SplitAxis::MinSum, SplitAxis::MinMax];
    let rules = axes.into_iter().flat_map(|axis| {
        [SplitPoint::Mean, SplitPoint::Median]
            .map(|point| BuildOptions::default().axis(axis).point(point))
    });
    rules.chain([1, 4, 8].map(|leaf| BuildOptions::default().leaf(leaf))).collect()
}

fn scenes() -> [Scene; 3] {
    let scaled = |mesh: &Mesh, factor: f64| {
        let positions = mesh.positions().iter().map(|p| *p * factor).collect();
        Mesh::new(positions, mesh.faces().to_vec()).expect("smaller than before")
    };
    let torus = generate::deformed_torus(1, [200, 50]).expect("enough segments");
    let torus = generate::scaled_to_cube(&torus, 2.0).expect("it has an extent");
    let ball = generate::icosphere(5).expect("few enough");
    let room = Bounds { min: DVec3::splat(-0.4), max: DVec3::splat(0.4) };
    [
        Scene {
            name: "Deformed tori tumbling, 1.6 apart",
            a: torus.clone(),
            b: torus.clone(),
            poses: generate::tumble(1.6, 60).expect("a distance"),
        },
        Scene {
            name: "Nested spheres, radii 1 and 0.99",
            a: ball.clone(),
            b: scaled(&ball, 0.99),
            poses: generate::random_rotations(1, 6),
        },
        Scene {
            name: "A flight through pipes",
            a: generate::pipes(1, PipesOptions::default()).expect("the default"),
            b: scaled(&torus, 0.02),
            poses: generate::billiard(1, room, 0.05, 40).expect("a room"),
        },
    ]
}

struct Measure {
    bytes: f64,
    build: f64,
    query: f64,
    volume_tests: u64,
    pairs: usize,
}

fn measure<V: BoundingVolume>(scene: &Scene, options: BuildOptions) -> Measure {
    let start = Instant::now();
    let a = BvTree::<V>::build(&scene.a, options);
    let b = BvTree::<V>::build(&scene.b, options);
    let build = start.elapsed();
    let mut scratch = Scratch::default();
    let (mut best, mut pairs, mut volume_tests) = (Duration::MAX, 0, 0);
    for _ in 0..3 {
        (pairs, volume_tests) = (0, 0);
        let start = Instant::now();
        for pose in &scene.poses {
            let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
            let mut bounds = a.frame().placed_bounds(&Pose::IDENTITY);
            bounds.merge(&b.frame().placed_bounds(pose));
            let test = TriangleTest::within(&bounds);
            let _ = a.visit_leaf_pairs(&b, &relative, &mut scratch, |faces, others| {
                for &other in others {
                    let placed = scene.b.triangle(other).map(|corner| pose.place(corner));
                    let touches = |&&face: &&u32| test.intersects(&scene.a.triangle(face), &placed);
                    pairs += faces.iter().filter(touches).count();
                }
                ControlFlow::<()>::Continue(())
            });
            volume_tests += scratch.counts.volume_tests;
        }
        best = best.min(start.elapsed());
    }
    let poses = scene.poses.len();
    Measure {
        bytes: (a.bytes() + b.bytes()) as f64
            / (scene.a.faces().len() + scene.b.faces().len()) as f64,
        build: build.as_secs_f64() * 1e3,
        query: best.as_secs_f64() * 1e6 / poses as f64,
        volume_tests: volume_tests / poses as u64,
        pairs,
    }
}
