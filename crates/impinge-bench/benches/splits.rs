//! Ways to build a tree: splitting rules and leaf sizes, on the scenes of the papers.
//! `cargo bench -p impinge-bench --bench splits`; `-- Splatter` selects variants with that in the name.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::Pose;
use impinge::method::tree::{
    BuildOptions, BvTree, Regroup, Scratch, SplitDirections, SplitPoint, SplitRule,
};
use impinge::narrow::TriangleTest;
use impinge::volume::{BoundingVolume, Dop, Obb, Relative};
use impinge_bench::scenes::{self, Scene};
use std::ops::ControlFlow;
use std::time::Instant;

/// The number of builds of each variant; the best counts.
const ROUNDS: usize = 3;

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let choices: Vec<_> =
        choices().into_iter().filter(|(name, _)| name.contains(&wanted)).collect();
    for scene in scenes() {
        println!("\n{}\n", scene.heading());
        println!(
            "| build | bytes a face | obb: build, ms | all, µs | volume tests | face tests \
             | dop18: build, ms | all, µs | volume tests | face tests |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        let mut rows: Vec<Option<[Measure; 2]>> = choices.iter().map(|_| None).collect();
        // The variants take turns, so that other load affects all alike.
        for _ in 0..ROUNDS {
            for ((_, options), row) in choices.iter().zip(&mut rows) {
                let now = [measure::<Obb>(&scene, *options), measure::<Dop<9>>(&scene, *options)];
                *row = Some(match row.take() {
                    None => now,
                    Some([obb, dop]) => [obb.best(&now[0]), dop.best(&now[1])],
                });
            }
        }
        let mut pairs = None;
        for ((name, _), [obb, dop]) in choices.iter().zip(rows.into_iter().flatten()) {
            assert_eq!(obb.pairs, dop.pairs, "one answer");
            assert_eq!(*pairs.get_or_insert(obb.pairs), obb.pairs, "{name}: one answer");
            println!("| {name} | {:.0} and {:.0} | {obb} | {dop} |", obb.bytes, dop.bytes);
        }
    }
}

/// All rules with the default leaf size, then the default with one option changed at a time.
fn choices() -> Vec<(String, BuildOptions)> {
    let default = BuildOptions::default();
    let mut choices = Vec::new();
    for rule in [SplitRule::LongestSide, SplitRule::Splatter, SplitRule::MinSum, SplitRule::MinMax]
    {
        for point in [SplitPoint::Mean, SplitPoint::Median] {
            choices.push((format!("{rule:?}, {point:?}"), default.rule(rule).point(point)));
        }
    }
    for rule in [SplitRule::SurfaceArea, SplitRule::LeastGrowth] {
        choices.push((format!("{rule:?}"), default.rule(rule)));
    }
    for rule in [SplitRule::Splatter, SplitRule::SurfaceArea] {
        let all = [SplitDirections::Corners, SplitDirections::Edges, SplitDirections::All];
        let all = if rule == SplitRule::Splatter { &all[..] } else { &all[2..] };
        for &directions in all {
            let options = default.rule(rule).directions(directions);
            choices.push((format!("{rule:?}, {directions:?}"), options));
        }
    }
    for rule in [SplitRule::Splatter, SplitRule::SurfaceArea] {
        for regroup in [Regroup::LeastVolume, Regroup::LeastVolumeEach] {
            let options = default.rule(rule).regroup(regroup);
            choices.push((format!("{rule:?}, {regroup:?}"), options));
        }
    }
    for rule in [SplitRule::Splatter, SplitRule::SurfaceArea] {
        for share in [0.1, 0.3, 1.0] {
            let options = default.rule(rule).split_skinny(share);
            choices.push((format!("{rule:?}, skinny {share}"), options));
        }
    }
    for rule in [SplitRule::Splatter, SplitRule::SurfaceArea] {
        for leaf in [1, 4, 8] {
            choices.push((format!("{rule:?}, leaf {leaf}"), default.rule(rule).leaf(leaf)));
        }
    }
    choices
}

/// The number of poses per scene; not all, because there are many variants to compare.
fn scenes() -> [Scene; 3] {
    let nested = scenes::nested(0.01).thinned(20);
    [scenes::tumbling(1.6).thinned(2), nested, scenes::pipes().thinned(2)]
}

struct Measure {
    bytes: f64,
    build: f64,
    query: f64,
    volume_tests: u64,
    face_tests: u64,
    pairs: usize,
}

impl Measure {
    fn best(self, other: &Self) -> Self {
        let (build, query) = (self.build.min(other.build), self.query.min(other.query));
        Self { build, query, ..self }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { build, query, volume_tests, face_tests, .. } = self;
        write!(f, "{build:.1} | {query:.1} | {volume_tests} | {face_tests}")
    }
}

fn measure<V: BoundingVolume>(scene: &Scene, options: BuildOptions) -> Measure {
    let start = Instant::now();
    let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::<V>::build(mesh, options));
    let build = start.elapsed();
    let mut scratch = Scratch::default();
    let mut pairs = Vec::new();
    let (mut count, mut volume_tests, mut face_tests) = (0, 0, 0);
    let start = Instant::now();
    for pose in &scene.poses {
        let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
        let mut bounds = a.frame().placed_bounds(&Pose::IDENTITY);
        bounds.merge(&b.frame().placed_bounds(pose));
        let test = TriangleTest::within(&bounds);
        pairs.clear();
        let _ = a.visit_leaf_pairs(&b, &relative, &mut scratch, &mut |[faces, others]| {
            for &other in others {
                let placed = scene.b.triangle(other).map(|corner| pose.place(corner));
                let touches = |&&face: &&u32| test.intersects(&scene.a.triangle(face), &placed);
                pairs.extend(faces.iter().filter(touches).map(|&face| (face, other)));
            }
            ControlFlow::<()>::Continue(())
        });
        if a.repeats_faces() || b.repeats_faces() {
            pairs.sort_unstable();
            pairs.dedup();
        }
        count += pairs.len();
        volume_tests += scratch.counts.volume_tests;
        face_tests += scratch.counts.face_tests;
    }
    let query = start.elapsed();
    let poses = scene.poses.len();
    Measure {
        bytes: (a.bytes() + b.bytes()) as f64
            / (scene.a.faces().len() + scene.b.faces().len()) as f64,
        build: build.as_secs_f64() * 1e3,
        query: query.as_secs_f64() * 1e6 / poses as f64,
        volume_tests: volume_tests / poses as u64,
        face_tests: face_tests / poses as u64,
        pairs: count,
    }
}
