//! Every method on the papers' scenes: `cargo bench -p impinge-bench --bench trees`
//!
//! Two bodies tumbling at a distance (Zachmann 2002, section 5), nested spheres in parallel close
//! proximity, and a flight through pipes (Klosowski 1998). All methods must find the same.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, PipesOptions};
use impinge::glam::DVec3;
use impinge::{Bounds, FacePair, Mesh, Method, Pair, Pose};
use std::time::{Duration, Instant};

struct Scene {
    name: String,
    a: Mesh,
    b: Mesh,
    poses: Vec<Pose>,
}

fn main() {
    for scene in scenes() {
        println!(
            "\n### {} ({} and {} faces, {} poses)\n",
            scene.name,
            scene.a.faces().len(),
            scene.b.faces().len(),
            scene.poses.len()
        );
        println!(
            "| method | build, ms | bytes a face | detect, mean µs | all: mean µs | 99 % | max | \
             volume tests | face tests | placed |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        let mut expected = None;
        for &method in Method::ALL {
            row(&scene, method, &mut expected);
        }
    }
}

fn scenes() -> Vec<Scene> {
    let fit = |mesh: &Mesh| generate::scaled_to_cube(mesh, 2.0).expect("it has an extent");
    let scaled = |mesh: &Mesh, factor: f64| {
        let positions = mesh.positions().iter().map(|p| *p * factor).collect();
        Mesh::new(positions, mesh.faces().to_vec()).expect("smaller than before")
    };
    let torus = fit(&generate::deformed_torus(1, [200, 50]).expect("enough segments"));
    let ball = generate::icosphere(5).expect("few enough");
    let mut scenes: Vec<Scene> = [1.0, 1.6, 2.0]
        .into_iter()
        .map(|distance| Scene {
            name: format!("Deformed tori tumbling, {distance} apart"),
            a: torus.clone(),
            b: torus.clone(),
            poses: generate::tumble(distance, 100).expect("a distance"),
        })
        .collect();
    scenes.extend([0.1, 0.01].map(|alpha| Scene {
        name: format!("Nested spheres, radii 1 and 1 − {alpha}"),
        a: ball.clone(),
        b: scaled(&ball, 1.0 - alpha),
        poses: generate::random_rotations(1, 20),
    }));
    let room = Bounds { min: DVec3::splat(-0.4), max: DVec3::splat(0.4) };
    scenes.push(Scene {
        name: "A flight through pipes".to_owned(),
        a: generate::pipes(1, PipesOptions::default()).expect("the default"),
        b: scaled(&torus, 0.02),
        poses: generate::billiard(1, room, 0.05, 60).expect("a room"),
    });
    scenes
}

/// Runs one method on one scene; checks that it finds what the first one found.
fn row(scene: &Scene, method: Method, expected: &mut Option<Vec<Vec<FacePair>>>) {
    let start = Instant::now();
    let mut pair = Pair::with_method(method, &scene.a, &scene.b);
    let build = start.elapsed();
    let bytes = pair.index_bytes() as f64 / (scene.a.faces().len() + scene.b.faces().len()) as f64;

    let mut found = Vec::new();
    let mut counts = [0; 3];
    let mut times = vec![Duration::MAX; scene.poses.len()];
    let mut detect = times.clone();
    let begin = Instant::now();
    for round in 0..3 {
        // A method that is slow on a scene is as slow when asked again.
        if begin.elapsed() > Duration::from_secs(5) {
            break;
        }
        for (i, pose) in scene.poses.iter().enumerate() {
            let start = Instant::now();
            let contacts = pair.contacts(&Pose::IDENTITY, pose);
            times[i] = times[i].min(start.elapsed());
            if round == 0 {
                found.push(contacts.to_vec());
                let step = pair.counts();
                counts[0] += step.volume_tests;
                counts[1] += step.face_tests;
                counts[2] += step.placed;
            }
            let start = Instant::now();
            pair.intersects(&Pose::IDENTITY, pose);
            detect[i] = detect[i].min(start.elapsed());
        }
    }
    match expected {
        None => *expected = Some(found),
        Some(expected) => assert!(*expected == found, "{method} differs on {}", scene.name),
    }
    times.sort_unstable();
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let mean = |times: &[Duration]| us(times.iter().sum::<Duration>()) / times.len() as f64;
    let [volume_tests, face_tests, placed] = counts.map(|n| n / scene.poses.len() as u64);
    println!(
        "| {method} | {:.1} | {bytes:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {volume_tests} | {face_tests} | {placed} |",
        build.as_secs_f64() * 1e3,
        mean(&detect),
        mean(&times),
        us(times[(times.len() * 99).div_ceil(100) - 1]),
        us(times[times.len() - 1]),
    );
}
