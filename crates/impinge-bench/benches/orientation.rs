//! Turning a mesh before it is indexed, so that the volumes of its tree are least (Klosowski 1998, ch. 4 and 9).
//! `cargo bench -p impinge-bench --bench orientation`; `-- FILE…` adds meshes.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, Random};
use impinge::glam::{DMat3, DVec2, DVec3};
use impinge::method::tree::{BuildOptions, BvTree};
use impinge::volume::{Aabb, BoundingVolume, Dop};
use impinge::{Mesh, Pose};
use impinge_bench::scenes::Scene;
use impinge_bench::tree_query::Measure;

/// The number of random orientations that are tried.
const TRIALS: u64 = 40;

fn main() {
    println!("\n### The best of {TRIALS} orientations, relative to the mesh as it is\n");
    println!(
        "*volume*: total volume of the tree. *tests*: volume tests of all queries between two copies."
    );
    println!(
        "*turned away*: the same ratios for a copy of the mesh that was turned at random before.\n"
    );
    println!(
        "| mesh | aabb: volume | tests | turned away: volume | tests | dop18: volume | tests | turned away: volume | tests |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, mesh) in meshes() {
        let mesh = generate::scaled_to_cube(&mesh, 2.0).expect("it has an extent");
        print!("| {name} ({}) |", mesh.faces().len());
        let away = turned(&mesh, Random::new(99).rotation());
        for gains in [
            gains::<Aabb>(&mesh),
            gains::<Aabb>(&away),
            gains::<Dop<9>>(&mesh),
            gains::<Dop<9>>(&away),
        ] {
            print!(" {:.3} | {:.3} |", gains[0], gains[1]);
        }
        println!();
    }
}

fn meshes() -> Vec<(String, Mesh)> {
    let mut meshes = vec![
        ("deformed torus".to_owned(), generate::deformed_torus(1, [100, 25])),
        (
            "pipes".to_owned(),
            generate::pipes(1, generate::PipesOptions { count: 200, cells: 6, sides: 12 }),
        ),
        ("shuttle".to_owned(), Ok(generate::shuttle())),
        ("chair".to_owned(), Ok(generate::chair())),
        (
            "terrain".to_owned(),
            generate::terrain(50, 50, DVec2::splat(2.0), |x, y| 0.2 * (5.0 * x + y * y).sin()),
        ),
    ];
    let files = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    meshes.extend(files.map(|file| {
        let name = file.rsplit('/').next().unwrap_or(&file).to_owned();
        (name, Ok(impinge_io::load_mesh(&file).expect("a mesh file")))
    }));
    meshes.into_iter().map(|(name, mesh)| (name, mesh.expect("valid options"))).collect()
}

/// The orientation of least total volume, of some random ones and the given one.
fn best<V: BoundingVolume>(mesh: &Mesh) -> DMat3 {
    let volume = |turn: DMat3| {
        BvTree::<V>::build(&turned(mesh, turn), BuildOptions::default()).total_volume()
    };
    let mut best = (volume(DMat3::IDENTITY), DMat3::IDENTITY);
    let mut random = Random::new(1);
    for trial in 0..TRIALS {
        // The second half is close to the best so far.
        let turn = if trial < TRIALS / 2 {
            random.rotation()
        } else {
            DMat3::from_axis_angle(random.direction(), random.range(-0.15, 0.15)) * best.1
        };
        let volume = volume(turn);
        if volume < best.0 {
            best = (volume, turn);
        }
    }
    best.1
}

/// Total volume and volume tests with the best orientation, relative to the given one.
fn gains<V: BoundingVolume>(mesh: &Mesh) -> [f64; 2] {
    let turn = best::<V>(mesh);
    let poses = generate::tumble(1.0, 60).expect("a distance");
    let scene = |turn: DMat3| {
        let mesh = turned(mesh, turn);
        // The same bodies at the same places: both meshes and the world are turned.
        let poses = poses.iter().map(|pose| {
            let rotation = turn * pose.rotation() * turn.transpose();
            Pose::new(rotation, turn * pose.translation()).expect("a rotation")
        });
        let (a, b) = (mesh.clone().into(), mesh.into());
        Scene { name: String::new(), a, b, poses: poses.collect() }
    };
    let [given, best] = [DMat3::IDENTITY, turn]
        .map(|turn| Measure::of::<V>(&scene(turn), [BuildOptions::default(); 2]));
    [best.total_volume / given.total_volume, best.volume_tests as f64 / given.volume_tests as f64]
}

fn turned(mesh: &Mesh, turn: DMat3) -> Mesh {
    let positions: Vec<DVec3> = mesh.positions().iter().map(|p| turn * *p).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("finite")
}
