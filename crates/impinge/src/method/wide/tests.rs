//! Compares every instruction set with the exact test, on inputs that are hard for `f32`.

use super::{
    Link, WIDTH, WideOptions, WideQuality, WideTree,
    lanes::Lanes,
    walk::{Scratch, WidePair},
};
use crate::{
    FacePair, Mesh, Pose, generate,
    generate::Random,
    mesh::Extent,
    method::{
        PlacedShape, Prepared, Question,
        hierarchy::{Walk, one_tree},
    },
    narrow::triangles_intersect,
};
use glam::{DMat3, DVec3, EulerRot};
use std::{collections::HashSet, f64::consts::FRAC_PI_2, sync::Arc};

mod front;
mod making;
mod own;
mod support;

const QUALITIES: [WideQuality; 2] = [WideQuality::Fast, WideQuality::Quality];

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
}

fn pick(random: &mut Random, from: &[f64]) -> f64 {
    from[random.below(from.len() as u64) as usize]
}

/// A tree for each instruction set.
fn on_all_lanes(mesh: &Mesh) -> Vec<Arc<dyn Prepared>> {
    let tree = WideTree::build(mesh, WideOptions::default());
    let with = |lanes| -> Arc<dyn Prepared> { Arc::new(WideTree { lanes, ..tree.clone() }) };
    Lanes::all().into_iter().map(with).collect()
}

#[test]
fn a_ray_misses_no_face() {
    one_tree::a_ray_misses_no_face(&on_all_lanes, 0.1);
}

#[test]
fn the_first_hit_is_never_pruned() {
    one_tree::the_first_hit_is_never_pruned(&on_all_lanes, 40);
}

#[test]
fn rays_out_of_reach_are_left_to_the_exact_test() {
    one_tree::rays_out_of_reach_are_left_to_the_exact_test(&on_all_lanes);
}

#[test]
fn the_closest_faces_are_visited_and_few_others() {
    one_tree::the_closest_faces_are_visited_and_few_others(&on_all_lanes, 0.25);
}

#[test]
fn all_faces_within_a_distance_are_visited() {
    one_tree::all_faces_within_a_distance_are_visited(&on_all_lanes);
}

#[test]
fn a_negative_limit_ends_the_search() {
    one_tree::a_negative_limit_ends_the_search(&on_all_lanes);
}

/// Checks a search against the exact test: no pair that touches is missing, and no other pair is
/// reported as touching. Returns the numbers of touching and of undecided pairs.
fn check(label: &str, trees: [&WideTree; 2], meshes: [&Mesh; 2], poses: [&Pose; 2]) -> [usize; 2] {
    let [a, b] = trees;
    let extents = meshes.map(Extent::of);
    let bodies = [0, 1].map(|k| PlacedShape {
        mesh: meshes[k],
        prepared: trees[k],
        extent: &extents[k],
        pose: poses[k],
    });
    let question = Question::touching(bodies);
    let pair = WidePair::new(a, b, &question);
    let mut scratch = Scratch::default();
    let (mut touching, mut undecided) = (HashSet::new(), HashSet::new());
    pair.begin_at_roots(&mut scratch);
    loop {
        pair.find_faces(&mut scratch, u64::MAX, true);
        if scratch.touching.is_empty() && scratch.undecided.is_empty() {
            break;
        }
        for found in scratch.touching.drain(..) {
            assert!(touching.insert(found), "{label}: {found:?} was reported twice");
        }
        for found in scratch.undecided.drain(..) {
            assert!(undecided.insert(found), "{label}: {found:?} was reported twice");
        }
    }
    let placed = |k: usize| -> Vec<_> {
        meshes[k].triangles().map(|t| poses[k].place_triangle(t)).collect()
    };
    let (placed_a, placed_b) = (placed(0), placed(1));
    let mut count = 0;
    for (a, s) in (0..).zip(&placed_a) {
        for (b, t) in (0..).zip(&placed_b) {
            let pair = FacePair { a, b };
            let expected = triangles_intersect(s, t);
            count += usize::from(expected);
            let is_reported = touching.contains(&pair);
            let is_right = undecided.contains(&pair) || is_reported == expected;
            assert!(
                is_right,
                "{label}: {pair:?} is reported as touching: {is_reported}\n{s:?}\n{t:?}"
            );
        }
    }
    [count, undecided.len()]
}

/// A random rotation, often slightly stretched and sheared, within what a pose accepts.
fn rotation(random: &mut Random) -> DMat3 {
    let exact = match random.below(4) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_euler(EulerRot::XYZ, FRAC_PI_2, 2.0 * FRAC_PI_2, 0.0),
        _ => random.rotation(),
    };
    let mut bend = DMat3::IDENTITY;
    if random.below(2) == 0 {
        for i in 0..3 {
            *bend.col_mut(i) += vector(random) * 2.4e-7;
        }
    }
    exact * bend
}

/// A few triangles at random positions. Their size may differ much from the size of the mesh.
fn soup(random: &mut Random, unit: f64) -> Mesh {
    let size = unit * pick(random, &[1.0, 1.0, 1e-3, 1e-6, 100.0]);
    let middle = vector(random) * size * pick(random, &[0.0, 1.0, 1e3, 1e9]);
    let extent = size * pick(random, &[0.0, 1e-7, 1e-3, 1e-1, 1.0]);
    let count = 1 + random.below(9) as usize;
    let mut positions = Vec::new();
    for _ in 0..count {
        let at = middle + vector(random) * (size * pick(random, &[0.0, 1e-3, 1.0]));
        let flat = random.below(4) == 0;
        for _ in 0..3 {
            let mut step = vector(random) * extent;
            if flat {
                step.z = 0.0;
            }
            positions.push(at + step);
        }
    }
    let mut faces: Vec<[u32; 3]> =
        (0..count as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    // Some triangles share corners and edges, or degenerate to points and segments.
    for face in &mut faces {
        if random.below(3) == 0 {
            face[random.below(3) as usize] = random.below(3 * count as u64) as u32;
        }
    }
    Mesh::new(positions, faces).expect("moderate numbers")
}

/// Moves the second body so that two triangles share a point, exactly or nearly.
fn meeting(random: &mut Random, meshes: [&Mesh; 2], poses: [Pose; 2]) -> [Pose; 2] {
    let mut point = |k: usize| {
        let mesh: &Mesh = meshes[k];
        let face = random.below(mesh.faces().len() as u64) as u32;
        let t = poses[k].place_triangle(mesh.triangle(face));
        match random.below(3) {
            0 => t[0],
            1 => t[0] * 0.5 + t[1] * 0.5,
            _ => t[0] * 0.25 + t[1] * 0.25 + t[2] * 0.5,
        }
    };
    let gap = point(0) - point(1);
    let nudge = vector(random) * gap.length() * pick(random, &[0.0, 0.0, 1e-16, 1e-9, 1e-7, 1e-4]);
    let moved = Pose::new(poses[1].rotation(), poses[1].translation() + gap + nudge);
    [poses[0], moved.expect("finite")]
}

/// Triangles that just meet or just miss, of every size and at any distance from the origin.
#[test]
fn triangles_that_nearly_touch_are_never_decided_wrongly() {
    let rounds = 40_000;
    let lanes = Lanes::all();
    let (mut touching, mut undecided) = (0, 0);
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let unit = pick(&mut random, &[1.0, 1.0, 1.0, 1e-3, 1e6, 1e-40, 1e40, 1e-300, 1e85]);
        let (a, b) = (soup(&mut random, unit), soup(&mut random, unit));
        let travel = unit * pick(&mut random, &[0.0, 1.0, 1e4, 1e12]);
        let poses = [(); 2].map(|()| {
            let pose = Pose::new(rotation(&mut random), vector(&mut random) * travel);
            pose.expect("nearly a rotation")
        });
        let [pose_a, pose_b] = meeting(&mut random, [&a, &b], poses);
        let lanes_count = lanes.len();
        let lanes = lanes[seed as usize % lanes_count];
        let options = WideOptions::default().quality(QUALITIES[seed as usize / lanes_count % 2]);
        let trees = [&a, &b].map(|mesh| WideTree::with_lanes(mesh, options, lanes));
        let label = format!("seed {seed}, {lanes:?}");
        let [count, open] = check(&label, [&trees[0], &trees[1]], [&a, &b], [&pose_a, &pose_b]);
        touching += count;
        undecided += open;
    }
    assert!(touching > 20_000, "too few pairs touch: {touching}");
    assert!(undecided > 1_000, "too few pairs are hard: {undecided}");
}

/// Curved bodies that graze each other, as in practice: most pairs must be decided without the
/// exact test.
#[test]
fn all_lanes_agree_and_few_pairs_are_undecided() {
    let torus = generate::deformed_torus(1, [40, 20]).unwrap();
    let ball = generate::icosphere(3).unwrap();
    let (mut touching, mut undecided) = (0, 0);
    for lanes in Lanes::all() {
        let trees =
            [&torus, &ball].map(|mesh| WideTree::with_lanes(mesh, WideOptions::default(), lanes));
        for (step, pose) in generate::tumble(0.9, 12).unwrap().iter().enumerate() {
            let label = format!("step {step}, {lanes:?}");
            let [count, open] =
                check(&label, [&trees[0], &trees[1]], [&torus, &ball], [&Pose::IDENTITY, pose]);
            touching += count;
            undecided += open;
        }
    }
    assert!(touching > 1_000, "{touching}");
    assert!(20 * undecided < touching, "{undecided} undecided of {touching} touching");
}

/// Asserts that boxes have the properties that `boxes.rs` relies on, and that every face is in one
/// leaf.
fn assert_sound(label: &str, tree: &WideTree, mesh: &Mesh) {
    let mut seen = 0;
    for (number, node) in tree.nodes.iter().enumerate() {
        for lane in 0..WIDTH {
            if node.links[lane] == Link::NONE {
                continue;
            }
            let slot = (number * WIDTH + lane) as u32;
            let b = tree.oriented_box(slot);
            let axes = b.axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
            for i in 0..3 {
                for j in 0..3 {
                    let expected = f64::from(u8::from(i == j));
                    let skew = (axes[i].dot(axes[j]) - expected).abs();
                    assert!(skew <= 1.25e-7, "{label}, slot {slot}: {skew:e}");
                }
            }
            let center = DVec3::from_array(b.center.map(f64::from));
            let sum: f64 = b.half.iter().map(|&half| f64::from(half)).sum();
            for &face in tree.faces_below(slot) {
                seen += usize::from(node.links[lane].is_leaf());
                for corner in mesh.triangle(face) {
                    let from = tree.frame.normalized(corner) - center;
                    for (axis, half) in axes.iter().zip(b.half) {
                        let reach = axis.dot(from).abs() + 1.99e-6 * sum;
                        assert!(reach <= f64::from(half), "{label}, slot {slot}, face {face}");
                    }
                }
            }
        }
    }
    let mut faces = tree.faces.clone();
    faces.sort_unstable();
    assert!(faces.iter().copied().eq(0..mesh.faces().len() as u32), "{label}");
    assert_eq!(seen, faces.len(), "{label}: every face is in one leaf");
}

/// Builds end and trees stay shallow, even if no split separates the faces or splits cut off only a
/// few.
#[test]
fn the_worst_meshes_make_sound_trees() {
    let count = 20_000;
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let alike = Mesh::new(corners.to_vec(), vec![[0, 1, 2]; count]).unwrap();
    let mut growing = Vec::new();
    for k in 0..600 {
        growing.extend(corners.map(|corner| corner * libm::exp2(f64::from(k) * 0.5)));
    }
    let faces = (0..600).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let growing = Mesh::new(growing, faces).unwrap();
    for mesh in [&alike, &growing] {
        for quality in QUALITIES {
            let tree = WideTree::build(mesh, WideOptions::default().quality(quality));
            assert_sound("worst", &tree, mesh);
            let mut deepest = 0;
            let mut open = vec![(0, 0)];
            while let Some((node, depth)) = open.pop() {
                deepest = deepest.max(depth);
                let links: &[Link] = &tree.nodes[node].links;
                let inner = links.iter().filter(|link| !link.is_leaf());
                open.extend(inner.map(|link| (link.index(), depth + 1)));
            }
            assert!(deepest < 40, "{deepest} levels");
        }
    }
}
