//! Total volume and height of trees by the way they are built (Klosowski 1998, ch. 4 and 6).
//! `cargo bench -p impinge-bench --bench heights`.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::method::tree::{
    BuildOptions, BvTree, Regroup, SplitDirections, SplitPoint, SplitRule,
};
use impinge::volume::{BoundingVolume, Dop, Obb};
use impinge::{Mesh, generate};
use impinge_bench::scenes::{self, Scene};
use impinge_bench::tree_query::{Measure, in_turns};

fn main() {
    println!("\n### 18-DOPs: total volume and height of the body in place\n");
    by_choice::<Dop<9>>(&choices());
    println!("\n### Oriented boxes: total volume and height of the body in place\n");
    by_choice::<Obb>(&choices()[..9]);
    println!("\n### Total volume by number of split directions\n");
    by_directions();
}

/// The rules with both split points, then the regrouping objectives with two and three levels.
fn choices() -> Vec<(String, BuildOptions)> {
    let default = BuildOptions::default();
    let mut choices = Vec::new();
    for rule in [SplitRule::LongestSide, SplitRule::MinSum, SplitRule::MinMax, SplitRule::Splatter]
    {
        for point in [SplitPoint::Mean, SplitPoint::Median] {
            choices.push((format!("{rule:?}, {point:?}"), default.rule(rule).point(point)));
        }
    }
    for rule in [SplitRule::BoxAxes, SplitRule::SurfaceArea, SplitRule::LeastGrowth] {
        choices.push((format!("{rule:?}"), default.rule(rule)));
    }
    for regroup in Regroup::ALL.into_iter().filter(|&regroup| regroup != Regroup::Never) {
        let measures_volumes = [Regroup::LeastVolume, Regroup::LeastVolumeEach, Regroup::MinMax];
        let levels: &[u32] = if measures_volumes.contains(&regroup) { &[2, 3] } else { &[2] };
        for &levels in levels {
            let options = default.regroup(regroup).regroup_levels(levels);
            choices.push((format!("Splatter, regrouped by {regroup:?}, {levels} levels"), options));
        }
    }
    choices
}

/// Smaller bodies than in other tables, because three levels of trial splits take long.
fn scenes() -> [Scene; 3] {
    let torus = generate::deformed_torus(1, [80, 20]).expect("enough segments");
    let torus = generate::scaled_to_cube(&torus, 2.0).expect("it has an extent");
    let mut tumbling = scenes::tumbling(1.6).thinned(4);
    (tumbling.a, tumbling.b) = (torus.clone().into(), torus.into());
    let mut pipes = scenes::pipes().thinned(4);
    let options = generate::PipesOptions { count: 200, cells: 6, sides: 12 };
    pipes.a = generate::pipes(1, options).expect("valid options").into();
    let mut nested = scenes::nested(0.05).thinned(40);
    nested.a = generate::icosphere(4).expect("few enough").into();
    [tumbling, nested, pipes]
}

fn by_choice<V: BoundingVolume>(choices: &[(String, BuildOptions)]) {
    let scenes = scenes();
    let names: Vec<String> =
        scenes.iter().map(|scene| scene.heading().replace("### ", "")).collect();
    println!(
        "Columns per scene: total volume, as a multiple of the volume of the mesh's box; height; volume"
    );
    println!("tests; build, ms. Scenes: {}.\n", names.join("; "));
    println!("| build |{}", " volume | height | tests | ms |".repeat(scenes.len()));
    println!("|---|{}", "---|---|---|---|".repeat(scenes.len()));
    let columns = scenes.each_ref().map(|scene| {
        in_turns(1, choices, |(_, options)| {
            Measure::of::<V>(scene, [*options, BuildOptions::default()])
        })
    });
    for (i, (name, _)) in choices.iter().enumerate() {
        print!("| {name} |");
        for (scene, column) in scenes.iter().zip(&columns) {
            let Measure { total_volume, height, volume_tests, build, .. } = column[i];
            let volume = total_volume / box_volume(&scene.a);
            print!(" {volume:.3} | {height} | {volume_tests} | {build:.0} |");
        }
        println!();
    }
}

fn box_volume(mesh: &Mesh) -> f64 {
    mesh.bounds().size().element_product()
}

fn by_directions() {
    let scenes = scenes();
    println!("| volumes | directions | tori | spheres | pipes |");
    println!("|---|---|---|---|---|");
    fn row<V: BoundingVolume>(name: &str, scenes: &[Scene], more: SplitDirections, count: u32) {
        for (directions, count) in [(SplitDirections::Axes, 3), (more, count)] {
            print!("| {name} | {count} |");
            for scene in scenes {
                let options = BuildOptions::default().directions(directions);
                let tree = BvTree::<V>::build(&scene.a, options);
                print!(" {:.4} |", tree.total_volume() / box_volume(&scene.a));
            }
            println!();
        }
    }
    row::<Dop<7>>("dop14", &scenes, SplitDirections::Corners, 7);
    row::<Dop<9>>("dop18", &scenes, SplitDirections::Edges, 9);
    row::<Dop<13>>("dop26", &scenes, SplitDirections::All, 13);
}
