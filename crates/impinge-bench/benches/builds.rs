//! Build times: on data that is bad for the builders, and on one thread and all.
//! `cargo bench -p impinge-bench --bench builds`; `-- threads` runs the second part alone.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, Random};
use impinge::glam::DVec3;
use impinge::method::tree::{BuildOptions, BvTree, Regroup, SplitDirections, SplitRule};
use impinge::volume::{BoundingVolume, Dop, Obb};
use impinge::{Mesh, Threads};
use std::time::Instant;

fn main() {
    let default = BuildOptions::default();
    if !std::env::args().any(|arg| arg == "threads") {
        bad_data();
    }
    let threads = rayon_threads();
    println!("\n### One thread and {threads}, a deformed torus of 240,000 faces, ms\n");
    println!("| build | obb: one | {threads} | ratio | dop18: one | {threads} | ratio |");
    println!("|---|---|---|---|---|---|---|");
    let torus = generate::deformed_torus(1, [600, 200]).expect("enough segments");
    for rule in [SplitRule::Splatter, SplitRule::SurfaceArea, SplitRule::LeastGrowth] {
        let options = default.rule(rule);
        print!("| {rule:?} |");
        compare::<Obb>(&torus, options);
        compare::<Dop<9>>(&torus, options);
        println!();
    }
}

fn bad_data() {
    let default = BuildOptions::default();
    let rules = SplitRule::ALL.map(|rule| (format!("{rule:?}"), default.rule(rule)));
    println!("\n### Bad data, dop18, one thread, ms\n");
    let more = [
        ("Splatter, All".to_owned(), default.directions(SplitDirections::All)),
        ("Splatter, LeastVolume".to_owned(), default.regroup(Regroup::LeastVolume)),
        ("Splatter, skinny 0.3".to_owned(), default.split_skinny(0.3)),
    ];
    let meshes = bad_meshes();
    print!("| build |");
    for (name, mesh) in &meshes {
        print!(" {name} ({}) |", mesh.faces().len());
    }
    println!("\n|{}", "---|".repeat(meshes.len() + 1));
    for (name, options) in rules.into_iter().chain(more) {
        print!("| {name} |");
        for (_, mesh) in &meshes {
            print!(" {:.0} |", time::<Dop<9>>(mesh, options).0);
        }
        println!();
    }
}

fn rayon_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn compare<V: BoundingVolume>(mesh: &Mesh, options: BuildOptions) {
    let (mut one, mut all) = (f64::INFINITY, f64::INFINITY);
    // Many rounds, to catch moments when both cores are free.
    for _ in 0..10 {
        let (alone, tree) = time::<V>(mesh, options);
        let (shared, same) = time::<V>(mesh, options.threads(Threads::Pool));
        assert_eq!(tree.node_count(), same.node_count(), "the same tree");
        (one, all) = (one.min(alone), all.min(shared));
    }
    print!(" {one:.0} | {all:.0} | {:.2} |", one / all);
}

fn time<V: BoundingVolume>(mesh: &Mesh, options: BuildOptions) -> (f64, BvTree<V>) {
    let start = Instant::now();
    let tree = BvTree::build(mesh, options);
    (start.elapsed().as_secs_f64() * 1e3, tree)
}

fn bad_meshes() -> Vec<(&'static str, Mesh)> {
    /// Fewer than a million, because the volumes of k-DOPs take long to compute.
    const COUNT: u32 = 200_000;
    let mesh = |positions, faces| Mesh::new(positions, faces).expect("finite");
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    // Triangles around one centre, each of another size.
    let around = (0..COUNT).flat_map(|i| {
        let size = f64::from(i + 1);
        [DVec3::new(size, -size, 0.0), DVec3::new(0.0, size, -size), DVec3::new(-size, 0.0, size)]
    });
    let rows = |count: u32| (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let steep = (0..COUNT).map(|i| DVec3::X * 2f64.powi(-((i % 1060) as i32)));
    let line = (0..COUNT).map(|i| DVec3::new(f64::from(i), f64::from(2 * i), 0.0));
    vec![
        ("identical", mesh(corners, vec![[0, 1, 2]; COUNT as usize])),
        ("one middle", mesh(around.collect(), rows(COUNT))),
        ("x = 2^−i", mesh(steep.collect(), (0..COUNT).map(|i| [i; 3]).collect())),
        ("a line", mesh(line.collect(), (0..COUNT - 1).map(|i| [i, i, i + 1]).collect())),
        ("soup, 40 % degenerate", soup(2 * COUNT)),
    ]
}

/// Small triangles at random positions, two of five of them segments or points.
fn soup(count: u32) -> Mesh {
    let mut random = Random::new(1);
    let mut positions = Vec::with_capacity(3 * count as usize);
    for _ in 0..count {
        let middle = random.direction() * random.unit();
        positions.extend([(); 3].map(|()| middle + random.direction() * 0.002));
    }
    let face = |i: u32| match i % 5 {
        0 => [3 * i; 3],
        1 => [3 * i, 3 * i + 1, 3 * i],
        _ => [3 * i, 3 * i + 1, 3 * i + 2],
    };
    Mesh::new(positions, (0..count).map(face).collect()).expect("finite")
}
