//! Every method on the scenes of the papers: `cargo bench -p impinge-bench --bench trees`; words such as
//! `-- pipes obb dop18` select scenes and methods.
//!
//! Two bodies tumbling at a distance (Zachmann 2002, section 5), nested spheres in parallel close proximity, and
//! a flight through pipes (Klosowski 1998). All methods must find the same contacts.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{Cache, FacePair, Method, Pair, Pose};
use impinge_bench::{
    Times,
    scenes::{self, Scene},
};
use std::time::{Duration, Instant};

fn main() {
    let (scenes, methods) = scenes::selected();
    for scene in scenes {
        println!("\n{}\n", scene.heading());
        println!(
            "| method | build, ms | bytes a face | as in the paper | detect, mean µs | all: mean µs \
             | 99 % | max | volume tests | face tests | placed | with the front: mean µs | max \
             | volume tests |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        let mut expected = None;
        // `naive` would take minutes for each pose.
        let all = Method::ALL.iter().copied().filter(|&method| method != Method::NAIVE);
        for method in if methods.is_empty() { all.collect() } else { methods.clone() } {
            row(&scene, method, &mut expected);
        }
    }
}

/// Returns the bytes per face that the papers state for a tree with one face per leaf: two nodes of a k-DOP, two
/// pointers and an index (Klosowski 1998, ch. 5), or two nodes as in Zachmann (2002, table 1).
fn bytes_in_paper(method: Method) -> Option<usize> {
    let name = method.name();
    match name.strip_prefix("dop") {
        Some(k) => k.parse::<usize>().ok().map(|k| 2 * (4 * k + 12)),
        None => Some(match name {
            "sphere" => 32,
            "aabb" => 56,
            "obb" => 128,
            _ => return None,
        }),
    }
}

/// Runs one method on one scene, and checks that it finds the same contacts as the first method.
fn row(scene: &Scene, method: Method, expected: &mut Option<Vec<Vec<FacePair>>>) {
    let start = Instant::now();
    let mut pair = Pair::with_method(method, scene.a.clone(), scene.b.clone());
    let build = start.elapsed().as_secs_f64() * 1e3;
    let bytes = pair.index_bytes() as f64 / (scene.a.faces().len() + scene.b.faces().len()) as f64;

    let still = &Pose::IDENTITY;
    let mut found = Vec::new();
    let mut counts = [0; 4];
    let mut all = Times::new(scene.poses.len());
    let (mut detect, mut tracked) = (all.clone(), all.clone());
    let begin = Instant::now();
    for round in 0..3 {
        // A method that is slow on a scene is not run again.
        if begin.elapsed() > Duration::from_secs(5) {
            break;
        }
        let mut cache = Cache::new();
        for (i, pose) in scene.poses.iter().enumerate() {
            let start = Instant::now();
            pair.intersects(still, pose);
            detect.note(i, start);

            let start = Instant::now();
            let contacts = pair.contacts(still, pose);
            all.note(i, start);
            let contacts = contacts.to_vec();
            let step = pair.counts();

            let start = Instant::now();
            let with_front = pair.at(still, pose).cache(&mut cache).contacts();
            tracked.note(i, start);
            assert!(with_front == contacts, "{method} differs from a front on {}", scene.name);
            if round == 0 {
                let tests = pair.counts().volume_tests;
                let step = [step.volume_tests, step.face_tests, step.placed, tests];
                counts = std::array::from_fn(|i| counts[i] + step[i]);
                found.push(contacts);
            }
        }
    }
    match expected {
        None => *expected = Some(found),
        Some(expected) => assert!(*expected == found, "{method} differs on {}", scene.name),
    }
    let [volume_tests, face_tests, placed, front_tests] =
        counts.map(|n| n / scene.poses.len() as u64);
    let in_paper = bytes_in_paper(method).map_or("–".to_owned(), |bytes| bytes.to_string());
    println!(
        "| {method} | {build:.1} | {bytes:.0} | {in_paper} | {:.1} | {:.1} | {:.1} | {:.1} \
         | {volume_tests} | {face_tests} | {placed} | {:.1} | {:.1} | {front_tests} |",
        detect.mean(),
        all.mean(),
        all.longest_but(0.01),
        all.longest_but(0.0),
        tracked.mean(),
        tracked.longest_but(0.0),
    );
}
