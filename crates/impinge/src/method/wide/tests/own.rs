//! Contacts of a body with itself: every instruction set against the method `naive`.

use super::*;
use crate::{Method, Shape, Threads, method::SelfQuestion};

/// Bodies with many neighbours: flat, curved, crumpled, and folded by nearly nothing or exactly.
fn bodies() -> Vec<(String, Mesh)> {
    let flat = generate::terrain(14, 10, glam::DVec2::new(3.0, 2.0), |_, _| 0.0).unwrap();
    let mut bodies = vec![
        ("ball".to_owned(), generate::sphere(200).unwrap()),
        ("torus".to_owned(), generate::deformed_torus(3, [16, 9]).unwrap()),
        ("flat".to_owned(), flat.clone()),
    ];
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let size = pick(&mut random, &[0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.0]);
        let far = vector(&mut random) * pick(&mut random, &[0.0, 1.0, 1e4]);
        let is_folded = random.below(2) == 0;
        let moved = flat.positions().iter().map(|p| {
            let x = if is_folded { p.x.abs() } else { p.x };
            DVec3::new(x, p.y, 0.0) + size * vector(&mut random) + far
        });
        let moved = flat.with_positions(moved.collect()).unwrap();
        bodies.push((format!("seed {seed}, off by {size}, at {far}, folded: {is_folded}"), moved));
    }
    bodies
}

#[test]
fn neighbours_are_cleared_only_if_they_are_in_no_contact() {
    let (mut found, mut exact) = (0, 0);
    for (label, mesh) in bodies() {
        let expected = Shape::with_method(Method::NAIVE, mesh.clone()).self_query().contacts();
        let extent = Extent::of(&mesh);
        for (number, prepared) in on_all_lanes(&mesh).into_iter().enumerate() {
            let body = PlacedShape {
                mesh: &mesh,
                prepared: &*prepared,
                extent: &extent,
                pose: &Pose::IDENTITY,
            };
            for threads in [Threads::One, Threads::Pool] {
                let question = Question::touching([body; 2]).on_threads(threads);
                let mut search = prepared.new_search();
                let mut contacts = Vec::new();
                search.collect_self(&SelfQuestion::new(question, None), &mut contacts);
                FacePair::sort(&mut contacts);
                assert!(
                    contacts == expected,
                    "{label}, instruction set {number}, {threads:?}: {} contacts, expected {}",
                    contacts.len(),
                    expected.len()
                );
            }
        }
        found += expected.len();
        exact += mesh.faces().len();
    }
    assert!(found > 10_000, "{found} contacts of {exact} faces");
}
