//! Why wide trees have no front: how much of a traversal one could save at most.
//!
//! A front holds the pairs of boxes at which the last traversal ended. A wide tree tests eight children of a node
//! at once, and the test of one of them costs as much as that of all. So a pair of boxes must be opened again if
//! the last traversal ended at any of its children: because that child was apart, or made a pair of leaves. Only a
//! pair all of whose children were opened themselves is passed over.

use super::super::{Link, ROOT, WideOptions, WideTree, walk::WidePair};
use crate::{
    Bounds, Mesh, Pose, generate,
    generate::{PipesOptions, Random},
    mesh::Extent,
    method::{PlacedShape, Question},
};
use glam::DVec3;

/// Counts the pairs of boxes that traversals open, and those that a front would have to open again.
fn opened(a: &Mesh, b: &Mesh, poses: &[Pose]) -> [usize; 2] {
    let [tree_a, tree_b] = [a, b].map(|mesh| WideTree::build(mesh, WideOptions::default()));
    let [extent_a, extent_b] = [a, b].map(Extent::of);
    let mut counts = [0; 2];
    for pose in poses {
        let bodies = [
            PlacedShape { mesh: a, prepared: &tree_a, extent: &extent_a, pose: &Pose::IDENTITY },
            PlacedShape { mesh: b, prepared: &tree_b, extent: &extent_b, pose },
        ];
        let question = Question::touching(bodies);
        let pair = WidePair::new(&tree_a, &tree_b, &question);
        let mut stack = vec![[ROOT; 2]];
        while let Some(slots) = stack.pop() {
            let Some(job) = pair.job(slots) else { continue };
            let children = pair.opened(&job).links.iter().filter(|&&link| link != Link::NONE);
            let (all, before) = (children.count(), stack.len());
            pair.each_child(&job, |child, _| {
                if pair.job(child).is_some() {
                    stack.push(child);
                }
            });
            counts[0] += 1;
            counts[1] += usize::from(stack.len() - before < all);
        }
    }
    counts
}

#[test]
fn a_front_would_open_nearly_everything_again() {
    let torus = generate::deformed_torus(1, [200, 50]).unwrap();
    let torus = generate::scaled_to_cube(&torus, 2.0).unwrap();
    let small = |mesh: &Mesh, factor: f64| {
        let positions = mesh.positions().iter().map(|&p| p * factor).collect();
        Mesh::new(positions, mesh.faces().to_vec()).unwrap()
    };
    let tumble = |distance| generate::tumble(distance, 5000).unwrap()[..20].to_vec();
    let room = Bounds { min: DVec3::splat(-0.4), max: DVec3::splat(0.4) };
    let pipes = generate::pipes(1, PipesOptions::default()).unwrap();
    let flight = generate::billiard(1, room, 0.01, 40).unwrap();
    let shuttle = generate::scaled_to_cube(&generate::shuttle(), 1.5).unwrap();
    let mut random = Random::new(1);
    // Shuttles with overlapping boxes, as in scenes/004-flock.toml.
    let flock: Vec<Pose> =
        (0..200).map(|_| Pose::new(random.rotation(), random.direction() * 0.9).unwrap()).collect();
    for (name, a, b, poses) in [
        ("tori, 1 apart", &torus, &torus, &tumble(1.0)),
        ("tori, 1.6 apart", &torus, &torus, &tumble(1.6)),
        ("pipes", &pipes, &small(&torus, 0.02), &flight),
        ("shuttles", &shuttle, &shuttle, &flock),
    ] {
        let [all, again] = opened(a, b, poses);
        let share = again as f64 / all as f64;
        println!("{name}: {again} of {all} pairs of boxes opened again, {:.1} %", 100.0 * share);
        assert!(all > 200 && share > 0.9, "{name}: only {again} of {all}");
    }
}
