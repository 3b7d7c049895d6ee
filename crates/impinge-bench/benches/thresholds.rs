//! Leaf sizes of the body in place and of the moving body (Klosowski 1998, ch. 6: the four tables of thresholds).
//! `cargo bench -p impinge-bench --bench thresholds`.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, PipesOptions};
use impinge::glam::DVec3;
use impinge::method::tree::{BuildOptions, leaf_by_size};
use impinge::volume::{BoundingVolume, Dop};
use impinge::{Bounds, Mesh, Method};
use impinge_bench::scenes::{self, Scene};
use impinge_bench::tree_query::{Measure, in_turns};

/// The number of measurements of each variant; the best counts.
const ROUNDS: usize = 2;

/// Leaf sizes of the moving body.
const LEAVES: [u32; 7] = [1, 2, 3, 4, 8, 16, 32];

fn main() {
    let scenes = scenes();
    println!(
        "\nCells: mean time of a query in µs (volume tests, face tests). The body in place has leaves of 1 face."
    );
    table::<Dop<3>>(Method::DOP6, &scenes);
    table::<Dop<7>>(Method::DOP14, &scenes);
    table::<Dop<9>>(Method::DOP18, &scenes);
    table::<Dop<13>>(Method::DOP26, &scenes);
    println!("\n### dop18: leaf sizes of both bodies, µs (volume tests, face tests)\n");
    for scene in [&scenes[1], &scenes[2], &scenes[4]] {
        both(scene);
    }
}

fn scenes() -> [Scene; 5] {
    let room = Bounds { min: DVec3::splat(-0.4), max: DVec3::splat(0.4) };
    let pipes = PipesOptions { count: 700, cells: 8, ..Default::default() };
    let pipes = generate::pipes(1, pipes).expect("valid options");
    let torus = generate::deformed_torus(1, [200, 50]).expect("enough segments");
    let flight = |name: &str, body: Mesh, size: f64| Scene {
        name: name.to_owned(),
        a: pipes.clone().into(),
        b: generate::scaled_to_cube(&body, size).expect("it has an extent").into(),
        poses: generate::billiard(1, room, 0.01, 50).expect("a room"),
    };
    let network = generate::pipes(2, PipesOptions { count: 300, cells: 5, ..Default::default() });
    [
        flight("pipes in pipes", network.expect("valid options"), 0.08),
        flight("torus in pipes", torus, 0.08),
        Scene { name: "torus and torus".to_owned(), ..scenes::tumbling(1.6).thinned(8) },
        flight("shuttle in pipes", generate::shuttle(), 0.08),
        flight("chair in pipes", generate::chair(), 0.08),
    ]
}

fn cell(measure: &Measure) -> String {
    let Measure { query, volume_tests, face_tests, .. } = measure;
    format!("{query:.0} ({volume_tests}, {face_tests})")
}

fn table<V: BoundingVolume>(method: Method, scenes: &[Scene]) {
    println!("\n### {method}: leaf size of the moving body\n");
    print!("| leaf |");
    for scene in scenes {
        print!(" {} ({}) |", scene.name, scene.b.faces().len());
    }
    println!("\n|---|{}", "---|".repeat(scenes.len()));
    let alone = BuildOptions::default().leaf(1);
    let columns: Vec<Vec<Measure>> = scenes
        .iter()
        .map(|scene| {
            in_turns(ROUNDS, &LEAVES, |&leaf| Measure::of::<V>(scene, [alone, alone.leaf(leaf)]))
        })
        .collect();
    for (i, leaf) in LEAVES.iter().enumerate() {
        print!("| {leaf} |");
        for column in &columns {
            print!(" {} |", cell(&column[i]));
        }
        println!();
    }
    print!("| by size |");
    for scene in scenes {
        print!(" {} |", leaf_by_size(method, scene.b.faces().len()));
    }
    println!();
}

fn both(scene: &Scene) {
    let leaves = [1, 2, 4, 8, 16];
    let choices: Vec<[u32; 2]> = leaves.into_iter().flat_map(|a| leaves.map(|b| [a, b])).collect();
    let options = |leaf: u32| BuildOptions::default().leaf(leaf);
    let cells =
        in_turns(ROUNDS, &choices, |&leaves| Measure::of::<Dop<9>>(scene, leaves.map(options)));
    println!("\n{}: rows are leaf sizes of the body in place.\n", scene.name);
    println!("| in place |{}", leaves.map(|leaf| format!(" moving {leaf} |")).concat());
    println!("|---|{}", "---|".repeat(leaves.len()));
    for (leaf, row) in leaves.iter().zip(cells.chunks(leaves.len())) {
        let row: String = row.iter().map(|measure| format!(" {} |", cell(measure))).collect();
        println!("| {leaf} |{row}");
    }
}
