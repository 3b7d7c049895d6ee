//! Worlds whose bodies all deform at each step: the wide tree, refitted, against the face octree, which has nothing to
//! fit.

use super::ms;
use impinge::{
    Mesh, Pose, Shape, World,
    generate::{self, Random},
    glam::DVec3,
    world::{Body, BodyId, DeformedSearch},
};
use std::time::Instant;

/// Bodies with the same mesh.
struct Scene {
    name: &'static str,
    mesh: Mesh,
    poses: Vec<Pose>,
}

/// Steps of each world; the least time of all but the first counts.
const STEPS: u32 = 5;

const WAYS: [DeformedSearch; 3] =
    [DeformedSearch::Refit, DeformedSearch::FaceOctree, DeformedSearch::Auto];

pub(super) fn run() {
    println!("\n### Worlds whose bodies all deform, ms a step\n");
    println!(
        "| bodies | faces of each | near pairs | contacts | refit | face octree | auto | auto, × the better |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for scene in scenes() {
        let frames = frames(&scene.mesh);
        let mut worlds = WAYS.map(|way| world(&scene, way));
        let mut best = [f64::INFINITY; 3];
        let mut found = (0, 0);
        for (step, frame) in frames.iter().enumerate() {
            let answers = std::array::from_fn(|way| {
                let (world, ids) = &mut worlds[way];
                let start = Instant::now();
                for &id in &*ids {
                    world.set_vertices(id, frame).expect("finite");
                }
                let stats = world.step().stats();
                // The first step allocates.
                if step > 0 {
                    best[way] = best[way].min(ms(start.elapsed()));
                }
                (stats.near, stats.contacts)
            });
            assert_eq!(answers, [answers[0]; 3], "{}", scene.name);
            found = answers[0];
        }
        let [refit, cells, auto] = best;
        println!(
            "| {} | {} | {} | {} | {refit:.3} | {cells:.3} | {auto:.3} | {:.2} |",
            scene.name,
            scene.mesh.faces().len(),
            found.0,
            found.1,
            auto / refit.min(cells)
        );
    }
}

fn world(scene: &Scene, way: DeformedSearch) -> (World, Vec<BodyId>) {
    let shape = Shape::new(scene.mesh.clone());
    let mut world = World::new();
    world.set_deformed_search(way);
    let add = |pose: &Pose| world.add(Body::new(&shape).at(*pose)).expect("one method");
    let ids = scene.poses.iter().map(add).collect();
    (world, ids)
}

/// Positions of the vertices at each step: bumps that move over the body.
fn frames(mesh: &Mesh) -> Vec<Vec<DVec3>> {
    let at = |step: u32| {
        let time = 0.2 * f64::from(step);
        let bump = |p: &DVec3| (7.0 * p.x + time).sin() + (5.0 * p.y - time).sin();
        mesh.positions().iter().map(|p| *p * (1.0 + 0.02 * bump(p))).collect()
    };
    (0..STEPS).map(at).collect()
}

fn scenes() -> Vec<Scene> {
    let turned =
        |seed: u64, at: DVec3| Pose::new(Random::new(seed).rotation(), at).expect("a pose");
    let sphere = |faces: u32| generate::sphere(faces).expect("an even number");
    let mut scenes = Vec::new();
    for faces in [168, 960, 3_968, 16_000, 64_000, 250_000] {
        for (name, distance) in [
            ("two spheres, apart", 2.6),
            ("two spheres, just touching", 1.98),
            ("two spheres, crossing", 1.0),
        ] {
            let poses = vec![Pose::IDENTITY, turned(1, DVec3::new(0.86, 0.43, 0.27) * distance)];
            scenes.push(Scene { name, mesh: sphere(faces), poses });
        }
    }
    let torus = |segments: [u32; 2]| generate::deformed_torus(1, segments).expect("segments");
    for segments in [[40, 25], [100, 100], [300, 200]] {
        let poses = (0..2).map(|seed| turned(seed, DVec3::ZERO)).collect();
        scenes.push(Scene { name: "two tori, in one place", mesh: torus(segments), poses });
    }
    let grid = |count: u64, step: f64| -> Vec<Pose> {
        let side = (count as f64).cbrt().ceil() as u64;
        let place =
            |i: u64| DVec3::from([i % side, i / side % side, i / side / side].map(|k| k as f64));
        (0..count).map(|i| turned(i, place(i) * step)).collect()
    };
    for (name, count, step) in [
        ("40 spheres, loose", 40, 2.2),
        ("40 spheres, dense", 40, 1.8),
        ("1,000 spheres, loose", 1000, 2.2),
        ("1,000 spheres, dense", 1000, 1.8),
    ] {
        scenes.push(Scene { name, mesh: sphere(528), poses: grid(count, step) });
    }
    scenes.push(Scene { name: "200 tori, crowded", mesh: torus([25, 10]), poses: grid(200, 1.7) });
    scenes.push(Scene { name: "40 tori, crowded", mesh: torus([60, 40]), poses: grid(40, 1.7) });
    scenes
}
