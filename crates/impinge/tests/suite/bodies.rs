//! Tests of the generated bodies of scenes: torpedo and rollers, parts of a feeder, convex bodies.

use impinge::{Mesh, Pose, Shape, generate, glam::DVec3, intersects};
use std::collections::HashMap;

/// Fails unless every edge has two faces that run along it in opposite directions, every vertex has a face, and the normals
/// point outward.
fn assert_solid(name: &str, mesh: &Mesh) {
    let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
    let mut used = vec![false; mesh.positions().len()];
    for &[a, b, c] in mesh.faces() {
        for edge in [[a, b], [b, c], [c, a]] {
            *uses.entry(edge).or_default() += 1;
            used[edge[0] as usize] = true;
        }
    }
    for (&[a, b], &count) in &uses {
        assert_eq!((count, uses.get(&[b, a])), (1, Some(&1)), "{name}: the edge from {a} to {b}");
    }
    assert!(used.iter().all(|&is_used| is_used), "{name}: a vertex without a face");
    let volume: f64 = mesh.triangles().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
    assert!(volume > 0.0, "{name}: the volume is {volume}");
}

/// FNV-1a hash of all positions and faces.
fn hash(mesh: &Mesh) -> u64 {
    let positions = mesh.positions().iter().flat_map(|at| at.to_array().map(f64::to_bits));
    let corners = mesh.faces().iter().flatten().map(|&corner| u64::from(corner));
    positions.chain(corners).flat_map(u64::to_le_bytes).fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[test]
fn bodies_are_closed_and_have_their_faces_and_bits() {
    let bodies = [
        ("torpedo", generate::torpedo(), 4780, 0xB575_C800_230B_FB76),
        ("roller bed", generate::roller_bed(), 44_920, 0x994A_912D_1607_2A39),
        ("bolt", generate::bolt(0.4, 1.0).unwrap(), 164, 0x0E93_28EB_9D9C_D40B),
        ("nut", generate::nut(0.5).unwrap(), 120, 0x15AA_B296_1C3D_D93D),
        ("bracket", generate::bracket(1.0).unwrap(), 220, 0xD4FD_8351_4886_0B31),
        ("bowl", generate::bowl(14.0, 5.0, 0.8, 48).unwrap(), 960, 0x1C9A_6207_1FCD_34EC),
        ("convex body", generate::convex_body(3, 50).unwrap(), 96, 0xF329_90FE_C95B_FA5D),
    ];
    let found: Vec<(&str, usize, u64)> =
        bodies.iter().map(|(name, mesh, ..)| (*name, mesh.faces().len(), hash(mesh))).collect();
    let expected: Vec<(&str, usize, u64)> =
        bodies.iter().map(|(name, _, faces, hash)| (*name, *faces, *hash)).collect();
    for (name, mesh, ..) in &bodies {
        assert_solid(name, mesh);
        let touching = Shape::new(mesh.clone()).self_query().contacts();
        assert!(touching.is_empty(), "{name} touches itself: {touching:?}");
    }
    assert_eq!(found, expected);
}

/// No corner is beyond the plane of a face, by more than the rounding of that plane.
#[test]
fn convex_bodies_are_convex() {
    for seed in 0..20 {
        let points = 4 + 9 * seed as u32;
        let mesh = generate::convex_body(seed, points).unwrap();
        assert_eq!(mesh.faces().len(), 2 * points as usize - 4, "seed {seed}");
        assert_solid("convex body", &mesh);
        for [a, b, c] in mesh.triangles() {
            let normal = (b - a).cross(c - a).normalize();
            let highest = mesh.positions().iter().map(|&at| normal.dot(at - a)).fold(0.0, f64::max);
            assert!(highest < 1e-13, "seed {seed}: a corner is {highest} beyond a face");
        }
        let longest = mesh.positions().iter().map(|at| at.length()).fold(0.0, f64::max);
        assert!((0.4..=1.0).contains(&longest), "seed {seed}: {longest}");
    }
}

/// The torpedo is 2 mm above all rollers, and if it is 3 mm lower, it touches both rows of them along its length.
#[test]
fn the_torpedo_fits_its_rollers() {
    let [torpedo, bed] = [generate::torpedo(), generate::roller_bed()].map(Shape::new);
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z)).unwrap();
    for step in 0..12 {
        let x = f64::from(step) * 0.031 - 0.6;
        let free = at(x, 0.0);
        assert!(!intersects((&torpedo, &free), (&bed, &Pose::IDENTITY)).unwrap(), "x {x}");
        let low = at(x, -0.004);
        let touching = impinge::contacts((&torpedo, &low), (&bed, &Pose::IDENTITY)).unwrap();
        let rollers: std::collections::BTreeSet<u32> = touching
            .iter()
            .map(|pair| pair.b / (23 * 976 + 12) * 23 + pair.b % 22_460 / 976)
            .collect();
        assert!(rollers.len() >= 24, "x {x}: {} rollers", rollers.len());
    }
}

#[test]
fn wrong_measures_are_refused_by_name() {
    let message = |result: Result<Mesh, generate::GenerateError>| result.unwrap_err().to_string();
    assert_eq!(message(generate::convex_body(1, 3)), "points is 3, but must be from 4 to 1000000");
    assert!(message(generate::bolt(1.0, 0.1)).starts_with("length is 0.1, but must be"));
    assert!(message(generate::bolt(-1.0, 1.0)).starts_with("diameter is -1"));
    assert!(message(generate::nut(f64::NAN)).starts_with("diameter is NaN"));
    assert!(message(generate::bracket(0.0)).starts_with("size is 0"));
    assert!(message(generate::bowl(1.0, 1.0, 0.0, 8)).starts_with("thickness is 0"));
    assert!(message(generate::bowl(1.0, 1.0, 0.1, 2)).starts_with("sides is 2"));
    assert!(generate::bowl(1.0, 1.0, 0.1, u32::MAX).is_err());
}
