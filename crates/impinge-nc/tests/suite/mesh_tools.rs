//! Tools from meshes: the pieces enclose the revolved mesh, and exceed it by no more than the tolerance.

use crate::data::data;
use impinge::{
    Mesh,
    generate::Random,
    glam::{DMat3, DVec3},
};
use impinge_nc::{
    Tool, ToolPartKind,
    tool::{MeshToolError, MeshToolOptions},
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A mesh of rings: points (height, radius), `sides` around, each ring turned by `twist` against the one below.
fn lathe(profile: &[(f64, f64)], sides: u32, twist: f64) -> Mesh {
    let mut points = Vec::new();
    for (ring, &(height, radius)) in profile.iter().enumerate() {
        for side in 0..sides {
            let angle = TAU * f64::from(side) / f64::from(sides) + twist * ring as f64;
            points.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), height));
        }
    }
    let mut faces = Vec::new();
    for ring in 0..profile.len() as u32 - 1 {
        for side in 0..sides {
            let [a, b] = [ring * sides + side, ring * sides + (side + 1) % sides];
            faces.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
        }
    }
    let top = sides * (profile.len() as u32 - 1);
    for side in 1..sides - 1 {
        faces.extend([[0, side + 1, side], [top, top + side, top + side + 1]]);
    }
    Mesh::new(points, faces).expect("a mesh of rings")
}

/// A ball-end mill of radius 3 and length 20, whose vertices are on the true surface.
fn ball_end(rings: u32, sides: u32) -> Mesh {
    let mut profile: Vec<_> = (0..=rings)
        .map(|ring| {
            let (sin, cos) = (FRAC_PI_2 * f64::from(ring) / f64::from(rings)).sin_cos();
            (3.0 - 3.0 * cos, 3.0 * sin)
        })
        .collect();
    profile.push((20.0, 3.0));
    lathe(&profile, sides, 0.0)
}

/// The greatest radius of a tool at a height: over all pairs of discs of each piece, which have no rounding.
fn tool_radius(tool: &Tool, height: f64) -> f64 {
    let mut greatest = f64::NEG_INFINITY;
    for part in &tool.parts {
        for a in part.solid.discs() {
            for b in part.solid.discs() {
                assert_eq!(a.rounding, 0.0);
                if a.height <= height && height <= b.height {
                    let t = (height - a.height) / (b.height - a.height).max(f64::MIN_POSITIVE);
                    greatest = greatest
                        .max(a.radius + (b.radius - a.radius) * t)
                        .max(a.radius.min(b.radius));
                }
            }
        }
    }
    greatest
}

/// The greatest radius of the mesh at a height, from the segments in which the triangles meet the plane.
fn mesh_radius(mesh: &Mesh, height: f64) -> f64 {
    let mut greatest = f64::NEG_INFINITY;
    for corners in mesh.triangles() {
        for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|pair| pair.map(|corner| corners[corner])) {
            let (low, high) = if a.z <= b.z { (a, b) } else { (b, a) };
            if low.z <= height && height <= high.z {
                let points = if low.z == high.z {
                    [low, high]
                } else {
                    [low.lerp(high, (height - low.z) / (high.z - low.z)); 2]
                };
                greatest = points.iter().map(|p| p.x.hypot(p.y)).fold(greatest, f64::max);
            }
        }
    }
    greatest
}

/// Checks that a tool encloses random points of the mesh and exceeds the revolved mesh by at most the tolerance.
/// Returns the number of pieces.
fn check(mesh: &Mesh, tolerance: f64, what: &str) -> usize {
    let options = MeshToolOptions::default().tolerance(tolerance);
    let tool = Tool::from_mesh(mesh, what, 1.0, &options).expect(what);
    let height = tool.overall_length().expect(what);
    let base = mesh.bounds().min.z;
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let [a, b, c] = mesh.triangle(random.below(mesh.faces().len() as u64) as u32);
        let (mut s, mut t) = (random.unit(), random.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        // A third of the points are corners, another third on edges.
        match random.below(3) {
            0 => (s, t) = (0.0, 0.0),
            1 => t = 0.0,
            _ => {}
        }
        let point = a + (b - a) * s + (c - a) * t;
        let found = tool_radius(&tool, (point.z - base).clamp(0.0, height));
        let radius = point.x.hypot(point.y);
        assert!(found >= radius - 1e-11, "{what}: {point} is outside, {found} < {radius}");
    }
    let mut heights: Vec<_> = mesh.positions().iter().map(|point| point.z).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    // Every corner of the pieces, and points between them, must be near the revolved mesh.
    for part in &tool.parts {
        for pair in part.solid.discs().windows(2) {
            for step in 0..=4 {
                let t = f64::from(step) / 4.0;
                let height = pair[0].height + t * (pair[1].height - pair[0].height);
                let radius = pair[0].radius + t * (pair[1].radius - pair[0].radius);
                // Heights nearby, among them those of vertices, where the profile may have a step.
                let steps =
                    (-40..=40).map(|step| base + height + tolerance * f64::from(step) / 40.0);
                let near = steps.chain(heights.iter().copied()).map(|z| {
                    let offset = z - base - height;
                    if offset.abs() > tolerance {
                        return f64::INFINITY;
                    }
                    offset.hypot((radius - mesh_radius(mesh, z)).max(0.0))
                });
                let excess = near.fold(f64::INFINITY, f64::min);
                assert!(
                    excess <= tolerance * 1.05 + 1e-11,
                    "{what}: the excess at height {height} is {excess}, the tolerance is {tolerance}"
                );
            }
        }
    }
    tool.parts.len()
}

#[test]
fn revolved_meshes_are_enclosed_within_the_tolerance() {
    let stepped = [(0.0, 2.0), (10.0, 2.0), (10.0, 4.0), (15.0, 4.0), (18.0, 1.0), (30.0, 1.0)];
    let waist = [(0.0, 5.0), (20.0, 5.0)];
    for tolerance in [0.3, 0.03, 0.003] {
        assert_eq!(check(&lathe(&stepped, 24, 0.0), tolerance, "stepped"), 3);
        // Twisted sides revolve to hyperboloids: the profile has a waist.
        check(&lathe(&waist, 4, 0.9), tolerance, "waist");
        check(&ball_end(30, 32), tolerance, "ball");
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let turn = random.rotation();
            let offset = random.direction() * 2.0;
            let cube = lathe(&[(-2.0, 3.0), (2.0, 3.0)], 4, 0.0);
            let moved = cube.positions().iter().map(|&p| turn * p + offset).collect();
            check(&cube.with_positions(moved).unwrap(), tolerance, &format!("cube {seed}"));
            check(&soup(30, seed), tolerance, &format!("soup {seed}"));
        }
    }
}

/// Random triangles, some of them horizontal.
fn soup(count: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut points = Vec::new();
    for face in 0..count {
        let center = DVec3::from_array([(); 3].map(|()| random.range(-5.0, 5.0)));
        for _ in 0..3 {
            let scale = if face % 5 == 0 { DVec3::new(3.0, 3.0, 0.0) } else { DVec3::splat(6.0) };
            points.push(center + random.direction() * scale);
        }
    }
    let faces = (0..count).map(|face| [0, 1, 2].map(|corner| 3 * face + corner)).collect();
    Mesh::new(points, faces).expect("a mesh of loose triangles")
}

/// A fine mesh of a ball-end mill is nearly the true one, with a moderate number of pieces.
#[test]
fn a_tessellated_ball_end_mill_is_close_to_the_true_one() {
    let mesh = ball_end(100, 200);
    let tool = Tool::from_mesh(&mesh, "ball", 1.0, &MeshToolOptions::default()).unwrap();
    assert!(tool.parts.len() <= 20, "{} pieces", tool.parts.len());
    assert!((tool.diameter - 6.0).abs() < 0.002, "{}", tool.diameter);
    for step in 0..=2000 {
        let height = f64::from(step) * 0.01;
        let found = tool_radius(&tool, height);
        // The distance from the axis that a ball of radius 3 has at this height, and one that is 0.002 larger.
        let radius = |ball: f64| {
            let below = (3.0 - height).max(0.0);
            (ball * ball - below * below).max(0.0).sqrt()
        };
        // The facets of the mesh are up to 0.0004 inside of the true ball.
        assert!(found >= radius(2.9995) && found <= radius(3.002), "{height}: {found}");
    }
}

#[test]
fn the_cutter_ends_where_the_user_says() {
    let mesh = lathe(&[(5.0, 2.0), (25.0, 2.0), (25.0, 6.0), (45.0, 6.0)], 16, 0.0);
    let options = MeshToolOptions::default().cutter_length(12.0);
    let tool = Tool::from_mesh(&mesh, "stepped", 2.0, &options).unwrap();
    let cutter: Vec<_> = tool.solids(ToolPartKind::Cutter).collect();
    let shank: Vec<_> = tool.solids(ToolPartKind::Shank).collect();
    assert_eq!((cutter.len(), shank.len()), (1, 2));
    assert_eq!(cutter[0].discs().last().unwrap().height, 12.0);
    assert_eq!(shank[1].discs().last().unwrap().height, 80.0);
    assert!((tool.diameter - 8.0).abs() < 1e-9 && tool.length == Some(12.0));
    assert!((tool.greatest_radius() - 12.0).abs() < 1e-9);
}

#[test]
fn meshes_without_space_are_refused() {
    let flat = lathe(&[(0.0, 1.0), (0.0, 2.0)], 8, 0.0);
    let default = MeshToolOptions::default();
    assert_eq!(Tool::from_mesh(&flat, "", 1.0, &default), Err(MeshToolError::Flat));
    let empty = Mesh::new(vec![], vec![]).unwrap();
    assert_eq!(Tool::from_mesh(&empty, "", 1.0, &default), Err(MeshToolError::Flat));
    let solid = lathe(&[(0.0, 1.0), (1.0, 2.0)], 8, 0.0);
    let tolerance = default.tolerance(-1.0);
    assert!(matches!(
        Tool::from_mesh(&solid, "", 1.0, &tolerance),
        Err(MeshToolError::Tolerance(_))
    ));
    let length = default.cutter_length(2.0);
    assert!(matches!(
        Tool::from_mesh(&solid, "", 1.0, &length),
        Err(MeshToolError::CutterLength { .. })
    ));
    assert_eq!(Tool::from_mesh(&solid, "", f64::NAN, &default), Err(MeshToolError::Flat));
}

/// Many long edges and many heights at once: the time must stay low.
#[test]
fn a_large_mesh_is_turned_into_a_tool_quickly() {
    let mut random = Random::new(3);
    let profile: Vec<_> =
        (0..400).map(|ring| (f64::from(ring) * 0.1, random.range(2.0, 3.0))).collect();
    let mesh = lathe(&profile, 250, 0.01);
    let turn = DMat3::from_rotation_x(0.01);
    let tilted = mesh.with_positions(mesh.positions().iter().map(|&p| turn * p).collect()).unwrap();
    let start = std::time::Instant::now();
    let tool = Tool::from_mesh(&tilted, "", 1.0, &MeshToolOptions::default()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{} faces to {} pieces in {seconds:.3} s", mesh.faces().len(), tool.parts.len());
    assert!(seconds < 10.0, "{seconds} s");
}

/// Real meshes, most of them no tools: every vertex is inside.
#[test]
fn real_meshes_are_enclosed() {
    let Some(data) = data() else { return };
    for name in ["cnc/parts/demo.stl", "cnc/parts/ktoolcor.stl", "cnc/machine-vmc/head.stl"] {
        let mesh = impinge_io::load_mesh(data.join(name)).expect(name);
        let start = std::time::Instant::now();
        let options = MeshToolOptions::default().tolerance(0.05);
        let tool = Tool::from_mesh(&mesh, name, 1.0, &options).expect(name);
        let seconds = start.elapsed().as_secs_f64();
        let faces = mesh.faces().len();
        println!("{name}: {faces} faces to {} pieces in {seconds:.3} s", tool.parts.len());
        let (base, height) = (mesh.bounds().min.z, tool.overall_length().expect(name));
        for point in mesh.triangles().flatten().step_by(1 + faces / 3000) {
            let found = tool_radius(&tool, (point.z - base).min(height));
            let radius = point.x.hypot(point.y);
            assert!(found >= radius - 1e-9, "{name}: {point} is outside, {found} < {radius}");
        }
    }
}
