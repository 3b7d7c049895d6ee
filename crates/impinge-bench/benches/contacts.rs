//! Contact regions: their time beside that of finding the contacts. `cargo bench -p impinge-bench --bench contacts`.
//!
//! Two bodies of about 20,000 faces each, at poses from a graze to deep overlap. For each row both are measured in turns,
//! and the least time of all rounds counts.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    FacePair, Mesh, Pair, Pose, Shape, contact::ContactRegions, generate, generate::Random,
    glam::DVec3,
};
use std::{hint::black_box, time::Instant};

const ROUNDS: usize = 15;

fn main() {
    println!("\n### Contact regions of two bodies of 20,000 faces, µs a pose\n");
    println!(
        "| bodies | contacts | regions | vertices of loops | contacts, µs | regions, µs | ratio | ns a contact |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let sphere = generate::icosphere(5).expect("few enough");
    let torus = generate::deformed_torus(1, [125, 80]).expect("enough segments");
    let torus = generate::scaled_to_cube(&torus, 2.0).expect("it has an extent");
    for (name, mesh, far) in [
        ("spheres, a graze", &sphere, 1.98),
        ("spheres, a tenth of the diameter", &sphere, 1.8),
        ("spheres, half the diameter", &sphere, 1.0),
        ("deformed tori, 1.6 apart", &torus, 1.6),
        ("deformed tori, 1.2 apart", &torus, 1.2),
        ("deformed tori, 0.3 apart", &torus, 0.3),
    ] {
        row(name, mesh, far);
    }
}

fn row(name: &str, mesh: &Mesh, far: f64) {
    let shape = Shape::new(mesh.clone());
    let mut random = Random::new(1);
    // Only poses at which the bodies touch.
    let mut pair = Pair::new(&shape, &shape).expect("one method");
    let mut poses: Vec<[Pose; 2]> = Vec::new();
    while poses.len() < 20 {
        let mut pose = |at: DVec3| Pose::new(random.rotation(), at).expect("a rotation");
        let still = pose(DVec3::ZERO);
        let beside = Random::new(poses.len() as u64).direction() * far;
        let poses_now = [still, pose(beside)];
        if pair.intersects(&poses_now[0], &poses_now[1]) {
            poses.push(poses_now);
        }
    }
    let contacts: Vec<Vec<FacePair>> =
        poses.iter().map(|[p, q]| pair.contacts(p, q).to_vec()).collect();
    let mut found = ContactRegions::new();
    let [mut least_contacts, mut least_regions] = [f64::INFINITY; 2];
    let (mut regions, mut vertices) = (0, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for [p, q] in &poses {
            black_box(pair.contacts(p, q).len());
        }
        least_contacts = least_contacts.min(start.elapsed().as_secs_f64());
        (regions, vertices) = (0, 0);
        let start = Instant::now();
        for ([p, q], contacts) in poses.iter().zip(&contacts) {
            regions += found.find((&shape, p), (&shape, q), contacts).len();
            vertices += found.iter().flat_map(|r| r.curve()).map(|l| l.points.len()).sum::<usize>();
        }
        least_regions = least_regions.min(start.elapsed().as_secs_f64());
    }
    let (count, each) = (contacts.iter().map(Vec::len).sum::<usize>(), poses.len() as f64);
    let micros = |seconds: f64| seconds * 1e6 / each;
    println!(
        "| {name} | {:.0} | {:.1} | {:.0} | {:.1} | {:.1} | {:.2} | {:.0} |",
        count as f64 / each,
        regions as f64 / each,
        vertices as f64 / each,
        micros(least_contacts),
        micros(least_regions),
        least_regions / least_contacts,
        least_regions * 1e9 / count as f64,
    );
}
