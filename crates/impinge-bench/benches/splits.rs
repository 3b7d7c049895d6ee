//! Ways to build a tree: splitting rules and leaf sizes, on the scenes of the papers.
//! `cargo bench -p impinge-bench --bench splits`; `-- Splatter` selects variants with that in the name.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::method::tree::{BuildOptions, Regroup, SplitDirections, SplitPoint, SplitRule};
use impinge::volume::{Dop, Obb};
use impinge_bench::scenes::{self, Scene};
use impinge_bench::tree_query::{Measure, in_turns};

/// The number of builds of each variant; the best counts.
const ROUNDS: usize = 2;

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
        let obb =
            in_turns(ROUNDS, &choices, |(_, options)| Measure::of::<Obb>(&scene, [*options; 2]));
        let dop =
            in_turns(ROUNDS, &choices, |(_, options)| Measure::of::<Dop<9>>(&scene, [*options; 2]));
        for ((name, _), (obb, dop)) in choices.iter().zip(obb.iter().zip(&dop)) {
            assert_eq!(obb.pairs, dop.pairs, "{name}: one answer");
            let bytes = format!("{:.0} and {:.0}", obb.bytes, dop.bytes);
            println!("| {name} | {bytes} | {} | {} |", cells(obb), cells(dop));
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
    for rule in [SplitRule::SurfaceArea, SplitRule::LeastGrowth, SplitRule::BoxAxes] {
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

fn cells(measure: &Measure) -> String {
    let Measure { build, query, volume_tests, face_tests, .. } = measure;
    format!("{build:.1} | {query:.1} | {volume_tests} | {face_tests}")
}
