//! Orders of descent into two trees: `cargo bench -p impinge-bench --bench walks`
//!
//! The paper's order, its variant, and split-the-larger, on the same trees and poses; and how far a query with a
//! budget gets.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::method::tree::{BuildOptions, BvTree, Scratch, TreePair};
use impinge::volume::{BoundingVolume, Dop, Obb, Relative};
use impinge::{Budget, Method, Pair, Pose, TimedVerdict, WalkOrder};
use impinge_bench::scenes::{self, Scene};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const ORDERS: [WalkOrder; 3] = [WalkOrder::Larger, WalkOrder::First, WalkOrder::Restart];

fn main() {
    println!("\n### Which node is split: leaf pairs of all poses, faces not tested\n");
    println!(
        "| scene | order | obb: µs | volume tests | placed | dop18: µs | volume tests | placed |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for scene in scenes::all().into_iter().map(|scene| scene.thinned(4)) {
        let obb = orders::<Obb>(&scene);
        let dop = orders::<Dop<9>>(&scene);
        for ((order, obb), dop) in ORDERS.iter().zip(obb).zip(dop) {
            println!("| {} | {order:?} | {obb} | {dop} |", scene.name);
        }
    }

    println!("\n### Under a budget of tests: obb\n");
    println!("| scene | budget | clear | touching | undecided | largest overlap of these, mean |");
    println!("|---|---|---|---|---|---|");
    for scene in scenes::all() {
        for tests in [100, 1000, 10_000] {
            println!("| {} | {tests} | {} |", scene.name, budget(&scene, tests));
        }
    }
}

/// Returns the cells of a row for each order.
fn orders<V: BoundingVolume>(scene: &Scene) -> [String; 3] {
    let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::<V>::build(mesh, BuildOptions::default()));
    let mut scratch = Scratch::default();
    let mut best = [Duration::MAX; 3];
    let mut counts = [[0; 3]; 3];
    // The orders take turns, so that other load affects all alike.
    for _ in 0..3 {
        for (i, order) in ORDERS.into_iter().enumerate() {
            let (mut leaves, mut sums) = (0, [0; 2]);
            let start = Instant::now();
            for pose in &scene.poses {
                let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
                let pair = TreePair::new(&a, &b, &relative).order(order);
                let _ = pair.visit_leaf_pairs(&mut scratch, &mut |_| {
                    leaves += 1;
                    ControlFlow::<()>::Continue(())
                });
                sums[0] += scratch.counts.volume_tests;
                sums[1] += scratch.counts.placed;
            }
            best[i] = best[i].min(start.elapsed());
            counts[i] = [sums[0], sums[1], leaves];
        }
    }
    let poses = scene.poses.len() as u64;
    std::array::from_fn(|i| {
        let us = best[i].as_secs_f64() * 1e6 / poses as f64;
        let [tests, placed, _] = counts[i].map(|count| count / poses);
        format!("{us:.1} | {tests} | {placed}")
    })
}

/// Prints which answers queries find within a budget.
fn budget(scene: &Scene, tests: u64) -> String {
    let mut pair = Pair::with_method(Method::OBB, scene.a.clone(), scene.b.clone());
    let (mut clear, mut touching, mut overlaps) = (0, 0, Vec::new());
    for pose in &scene.poses {
        match pair.at(&Pose::IDENTITY, pose).timed().any(Budget::tests(tests)) {
            TimedVerdict::Clear => clear += 1,
            TimedVerdict::Touching { .. } => touching += 1,
            TimedVerdict::Undecided { overlap, .. } => overlaps.push(overlap),
        }
    }
    let count = overlaps.len();
    let mean = match count {
        0 => "–".to_owned(),
        _ => format!("{:.3}", overlaps.iter().sum::<f64>() / count as f64),
    };
    format!("{clear} | {touching} | {count} | {mean}")
}
