//! Contact regions: known answers, the same answer however the bodies are written, and small changes for small motions.

use impinge::{
    FacePair, Mesh, Pair, Pose, Shape,
    clash::{self, Part},
    contact::{ContactRegion, ContactRegions},
    contacts,
    generate::{self, Random},
    glam::{DMat3, DVec3},
    narrow::{Meeting, triangles_meet},
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).expect("finite")
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::new(generate::cuboid(DVec3::new(x, y, z)).expect("positive sizes"))
}

fn regions(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> ContactRegions {
    let mut regions = ContactRegions::new();
    regions.find(a, b, &contacts(a, b).expect("one method"));
    regions
}

#[track_caller]
fn only(regions: &ContactRegions) -> ContactRegion<'_> {
    assert_eq!(regions.len(), 1, "{:?}", summary(regions));
    regions.get(0).expect("one region")
}

fn summary(regions: &ContactRegions) -> Vec<(DVec3, DVec3, f64, usize)> {
    let line = |r: ContactRegion<'_>| (r.point(), r.normal(), r.depth(), r.contacts().len());
    regions.iter().map(line).collect()
}

#[track_caller]
fn near(found: DVec3, expected: DVec3, tolerance: f64) {
    assert!(found.distance(expected) <= tolerance, "{found} instead of {expected}");
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

/// Several meshes as one.
fn joined(meshes: &[(Mesh, DVec3)]) -> Mesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for (mesh, by) in meshes {
        let first = positions.len() as u32;
        positions.extend(mesh.positions().iter().map(|p| *p + *by));
        faces.extend(mesh.faces().iter().map(|face| face.map(|v| v + first)));
    }
    Mesh::new(positions, faces).expect("valid meshes")
}

#[test]
fn a_face_in_a_face() {
    let (block, floor) = (cuboid(1.0, 2.0, 1.0), cuboid(9.0, 9.0, 1.0));
    for depth in [1e-6, 0.01, 0.3] {
        let pose = at(0.3, 0.2, 1.0 - depth);
        let found = regions((&block, &pose), (&floor, &Pose::IDENTITY));
        let region = only(&found);
        near(region.normal(), DVec3::Z, 1e-9);
        close(region.depth(), depth, 1e-12);
        near(region.point(), DVec3::new(0.3, 0.2, 0.5 - depth / 2.0), 1e-9);
        close(region.area(), 2.0, 1e-9);
        close(region.radius(), 1.25f64.sqrt(), 1e-9);
        assert!(region.is_closed());
        let curve: Vec<_> = region.curve().collect();
        assert!(curve.len() == 1 && curve[0].is_closed, "{curve:?}");
        close(curve[0].length(), 6.0, 1e-9);
        let manifold = region.manifold();
        assert_eq!(manifold.len(), 4, "{manifold:?}");
        for point in manifold {
            close(point.depth, depth, 1e-12);
            near(point.on_b, point.on_a + region.normal() * point.depth, 1e-12);
            close((point.on_a.x - 0.3).abs(), 0.5, 1e-12);
            close((point.on_a.y - 0.2).abs(), 1.0, 1e-12);
            close(point.on_a.z, 0.5 - depth, 1e-12);
        }
        // With the bodies exchanged, the normal is the opposite one.
        let found = regions((&floor, &Pose::IDENTITY), (&block, &pose));
        let swapped = only(&found);
        near(swapped.normal(), -DVec3::Z, 1e-9);
        close(swapped.depth(), depth, 1e-12);
        near(swapped.point(), DVec3::new(0.3, 0.2, 0.5 - depth / 2.0), 1e-9);
        for point in swapped.manifold() {
            close(point.on_b.z, 0.5 - depth, 1e-12);
        }
    }
}

#[test]
fn an_edge_across_an_edge() {
    let bar = cuboid(6.0, 1.0, 1.0);
    let half = 0.5f64.sqrt();
    let tilted = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
    for turn in [90.0f64, 60.0, 20.0] {
        for depth in [1e-5, 0.02, 0.2] {
            let below = Pose::new(tilted, DVec3::ZERO).expect("a rotation");
            let above = DMat3::from_rotation_z(turn.to_radians()) * tilted;
            let above = Pose::new(above, DVec3::Z * (2.0 * half - depth)).expect("a rotation");
            let found = regions((&bar, &above), (&bar, &below));
            let region = only(&found);
            near(region.normal(), DVec3::Z, 1e-7);
            close(region.depth(), depth, 1e-7);
            near(region.point(), DVec3::Z * (half - depth / 2.0), 1e-6);
            assert!(region.is_closed());
            let first = region.manifold()[0];
            close(first.depth, depth, 1e-7);
        }
    }
}

#[test]
fn a_corner_in_a_face() {
    let (cube, floor) = (cuboid(1.0, 1.0, 1.0), cuboid(9.0, 9.0, 1.0));
    // The diagonal of the cube points down.
    let diagonal = DVec3::ONE.normalize();
    let turn = impinge::glam::DQuat::from_rotation_arc(diagonal, DVec3::NEG_Z);
    for depth in [1e-6, 0.01, 0.2] {
        let center = DVec3::new(1.0, -2.0, 0.5 + 0.75f64.sqrt() - depth);
        let pose = Pose::from_quat(turn, center).expect("a rotation");
        let found = regions((&cube, &pose), (&floor, &Pose::IDENTITY));
        let region = only(&found);
        near(region.normal(), DVec3::Z, 1e-9);
        close(region.depth(), depth, 1e-12);
        near(region.point(), DVec3::new(1.0, -2.0, 0.5 - depth / 2.0), 1e-9);
        // The curve is an equilateral triangle: its corners are √2 times as far from the axis as it is deep.
        close(region.radius(), depth * 2f64.sqrt(), 1e-9);
        let manifold = region.manifold();
        assert_eq!(manifold.len(), 4);
        near(manifold[0].on_a, DVec3::new(1.0, -2.0, 0.5 - depth), 1e-12);
        close(manifold[0].depth, depth, 1e-12);
        assert!(manifold[1..].iter().all(|point| point.depth == 0.0));
    }
}

#[test]
fn a_ball_in_a_ball() {
    // A chord of the icosphere is at most this far below the sphere.
    let (mesh, error) = (generate::icosphere(5).expect("few enough"), 1e-3);
    let ball = Shape::new(mesh);
    let mut random = Random::new(7);
    for case in 0..20 {
        let (axis, overlap) = (random.direction(), random.range(0.05, 0.6));
        let [a, b] = [(); 2].map(|()| random.rotation());
        let center = random.direction();
        let a = Pose::new(a, center + axis * (2.0 - overlap)).expect("a rotation");
        let b = Pose::new(b, center).expect("a rotation");
        let found = regions((&ball, &a), (&ball, &b));
        let region = only(&found);
        let label = format!("seed 7, case {case}: overlap {overlap}");
        let radius = (1.0 - (1.0 - overlap / 2.0).powi(2)).sqrt();
        // The height of the curve is off by the error over the slope.
        assert!(region.normal().distance(axis) < 4.0 * error / radius, "{label}");
        let middle = center + axis * (1.0 - overlap / 2.0);
        assert!(region.point().distance(middle) < 4.0 * error / radius, "{label}");
        assert!((region.depth() - overlap).abs() < 4.0 * error, "{label}: {}", region.depth());
        assert!((region.radius() - radius).abs() < 4.0 * error / radius, "{label}");
        let area = std::f64::consts::PI * radius * radius;
        assert!((region.area() / area - 1.0).abs() < 8.0 * error / radius.powi(2), "{label}");
        assert_eq!(region.manifold().len(), 4, "{label}");
        assert!((region.manifold()[0].depth - overlap).abs() < 4.0 * error, "{label}");
    }
}

fn table() -> Mesh {
    let leg = generate::cuboid(DVec3::new(0.1, 0.1, 1.0)).expect("positive sizes");
    let top = generate::cuboid(DVec3::new(2.0, 1.2, 0.1)).expect("positive sizes");
    let mut parts = vec![(top, DVec3::Z)];
    for (x, y) in [(-0.9, -0.5), (-0.9, 0.5), (0.9, -0.5), (0.9, 0.5)] {
        parts.push((leg.clone(), DVec3::new(x, y, 0.5)));
    }
    joined(&parts)
}

#[test]
fn each_foot_of_a_table_is_a_region() {
    let (table, floor) = (Shape::new(table()), cuboid(9.0, 9.0, 1.0));
    for sunk in [0.0, 1e-9, 0.01, 0.2] {
        let pose = at(0.0, 0.0, 0.5 - sunk);
        let found = regions((&table, &pose), (&floor, &Pose::IDENTITY));
        assert_eq!(found.len(), 4, "sunk by {sunk}");
        for region in found.iter() {
            near(region.normal(), DVec3::Z, 1e-9);
            close(region.depth(), sunk, 1e-12);
            let foot = region.point().abs();
            near(foot, DVec3::new(0.9, 0.5, 0.5 - sunk / 2.0), 1e-9);
            close(region.area(), 0.01, 1e-9);
            assert_eq!(region.manifold().len(), 4, "sunk by {sunk}");
        }
    }
    // Tilted about the long axis, two feet touch.
    let tilt = Pose::new(DMat3::from_rotation_x(0.1), DVec3::Z * 0.552).expect("a rotation");
    let found = regions((&table, &tilt), (&floor, &Pose::IDENTITY));
    assert_eq!(found.len(), 2, "{:?}", summary(&found));
}

#[test]
fn coplanar_faces_touch_in_an_area() {
    let (a, b) = (cuboid(2.0, 1.0, 1.0), cuboid(1.0, 3.0, 1.0));
    let pose = at(0.75, 0.5, 1.0);
    let found = regions((&a, &pose), (&b, &Pose::IDENTITY));
    let region = only(&found);
    near(region.normal(), DVec3::Z, 1e-12);
    assert_eq!(region.depth(), 0.0);
    close(region.area(), 0.75, 1e-9);
    near(region.point(), DVec3::new(0.125, 0.5, 0.5), 1e-9);
    assert_eq!(region.manifold().len(), 4);
    assert!(region.manifold().iter().all(|point| point.depth == 0.0));
    // Turned, so that rounding decides which faces touch.
    let mut random = Random::new(3);
    for case in 0..50 {
        let turn = Pose::new(random.rotation(), random.direction() * 3.0).expect("a rotation");
        let poses = [turn * pose, turn];
        let found = regions((&a, &poses[0]), (&b, &poses[1]));
        for region in found.iter() {
            let normal = turn.rotation() * DVec3::Z;
            let label = format!("seed 3, case {case}");
            assert!(region.depth() < 1e-12, "{label}: {}", region.depth());
            let is_large = region.area() > 0.1;
            assert!(!is_large || region.normal().distance(normal) < 1e-6, "{label}");
        }
    }
}

#[test]
fn a_tip_touches_in_a_point() {
    let tips: Vec<DVec3> =
        [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]).collect();
    let faces = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    let tip = Shape::new(Mesh::new(tips, faces).expect("valid"));
    let floor = cuboid(9.0, 9.0, 1.0);
    let found = regions((&tip, &at(0.25, 1.0, 1.5)), (&floor, &Pose::IDENTITY));
    let region = only(&found);
    assert_eq!(region.point(), DVec3::new(0.25, 1.0, 0.5));
    near(region.normal(), DVec3::Z, 1e-12);
    assert_eq!([region.depth(), region.radius(), region.area()], [0.0; 3]);
    assert_eq!((region.manifold().len(), region.curve().len()), (1, 0));
    assert_eq!(region.contacts().len(), 4);
}

#[test]
fn bodies_apart_have_no_regions() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let found = regions((&cube, &at(3.0, 0.0, 0.0)), (&cube, &Pose::IDENTITY));
    assert!(found.is_empty() && found.get(0).is_none());
    let none = Shape::new(Mesh::default());
    assert!(regions((&none, &Pose::IDENTITY), (&cube, &Pose::IDENTITY)).is_empty());
}

/// A plate that a rod pierces has one region with two loops.
#[test]
fn a_rod_through_a_plate() {
    let (rod, plate) = (cuboid(0.2, 0.2, 4.0), cuboid(3.0, 3.0, 0.5));
    let found = regions((&rod, &at(0.3, 0.0, 0.0)), (&plate, &Pose::IDENTITY));
    let region = only(&found);
    assert_eq!(region.curve().len(), 2);
    assert!(region.curve().all(|line| line.is_closed && (line.length() - 0.8).abs() < 1e-9));
    near(region.normal(), DVec3::X, 1e-9);
}

/// Open sheets that cross have a region, although nothing is inside.
#[test]
fn sheets_cross_in_a_line() {
    let sheet = |corners: [[f64; 3]; 3]| {
        Shape::new(Mesh::new(corners.map(DVec3::from).to_vec(), vec![[0, 1, 2]]).expect("valid"))
    };
    let floor = sheet([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let blade = sheet([[0.0, 0.0, -0.5], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]);
    let found = regions((&blade, &Pose::IDENTITY), (&floor, &Pose::IDENTITY));
    let region = only(&found);
    assert!(!region.is_closed());
    close(region.curve().map(|line| line.length()).sum(), 2.0 / 3.0, 1e-9);
    assert!(region.depth() > 0.0 && region.normal().z > 0.5, "{:?}", summary(&found));
}

/// Faces within a distance of each other count as points half way between them.
#[test]
fn near_faces_have_regions_too() {
    let (cube, floor) = (cuboid(1.0, 1.0, 1.0), cuboid(9.0, 9.0, 1.0));
    let pose = at(0.0, 0.0, 1.01);
    let mut pair = Pair::new(&cube, &floor).expect("one method");
    let near_faces = pair.at(&pose, &Pose::IDENTITY).within(0.02).expect("a distance").contacts();
    let mut found = ContactRegions::new();
    found.find((&cube, &pose), (&floor, &Pose::IDENTITY), near_faces);
    assert!(!found.is_empty());
    for region in found.iter() {
        assert!(region.depth() < 1e-9 && region.normal().z > 0.5, "{:?}", summary(&found));
        close(region.point().z, 0.505, 1e-9);
    }
}

/// A ball with bumps and dents, which does not overlap itself.
fn bumpy_ball(bumps: f64, subdivisions: u32) -> Shape {
    let ball = generate::icosphere(subdivisions).expect("few enough");
    let height =
        |p: DVec3| 1.0 + 0.1 * (bumps * p.x).sin() * (bumps * p.y).cos() * (bumps * p.z).sin();
    let positions = ball.positions().iter().map(|p| *p * height(*p)).collect();
    Shape::new(Mesh::new(positions, ball.faces().to_vec()).expect("valid"))
}

/// A ring whose cross section has bumps.
fn bumpy_ring(segments: [u32; 2]) -> Shape {
    let ring = generate::torus(1.0, 0.3, segments).expect("enough segments");
    let height = |p: DVec3| 1.0 + 0.06 * (20.0 * p.x).sin() * (20.0 * p.y).cos();
    let positions = ring.positions().iter().map(|p| p.with_z(p.z * height(*p))).collect();
    Shape::new(Mesh::new(positions, ring.faces().to_vec()).expect("valid"))
}

/// Poses at which bumpy bodies touch: near the border, or deep in each other.
fn touching_poses(seed: u64, count: usize) -> Vec<[Pose; 2]> {
    let mut random = Random::new(seed);
    let mut pose =
        |far: f64| Pose::new(random.rotation(), random.direction() * far).expect("a rotation");
    let far = |k: usize| [0.04 * (k % 40) as f64, 2.1 - 0.01 * (k % 40) as f64][k % 2];
    (0..count).map(|k| [pose(0.0), pose(far(k))]).collect()
}

/// Each contact is in one region, and the curve is as long as the segments of all pairs of faces.
#[test]
fn dense_contacts_are_chained_into_loops() {
    let balls = [bumpy_ball(9.0, 5), bumpy_ball(7.0, 5)];
    let rings = [bumpy_ring([150, 40]), bumpy_ring([200, 60])];
    let (mut many, mut several) = (0, 0);
    for (case, [p, q]) in touching_poses(5, 80).into_iter().enumerate() {
        let [a, b] = if case < 40 { &balls } else { &rings };
        let (a, b) = (a.clone(), b.clone());
        let pairs = contacts((&a, &p), (&b, &q)).expect("one method");
        let mut found = ContactRegions::new();
        found.find((&a, &p), (&b, &q), &pairs);
        let (count, regions) = (pairs.len(), found.len());
        let label = format!("seed 5, case {case}, {count} contacts, {regions} regions");
        let mut all: Vec<FacePair> = found.iter().flat_map(|r| r.contacts().to_vec()).collect();
        let firsts: Vec<FacePair> = found.iter().map(|r| r.contacts()[0]).collect();
        assert!(firsts.is_sorted(), "{label}");
        all.sort();
        assert_eq!(all, pairs, "{label}");
        let placed =
            |(shape, pose): (&Shape, &Pose), face| pose.place_triangle(shape.mesh().triangle(face));
        let lengths = pairs.iter().map(|pair| {
            match triangles_meet(&placed((&a, &p), pair.a), &placed((&b, &q), pair.b)) {
                Some(Meeting::Segment([from, to])) => from.distance(to),
                _ => 0.0,
            }
        });
        let length: f64 = lengths.sum();
        let curves = || found.iter().flat_map(|region| region.curve());
        let chained: f64 = curves().map(|line| line.length()).sum();
        assert!((length - chained).abs() <= 1e-6 * length, "{label}: {length} and {chained}");
        assert!(curves().all(|line| line.is_closed), "{label}");
        many += usize::from(count > 1000);
        several += usize::from(regions > 1);
    }
    assert!(many > 3, "only {many} cases have over a thousand contacts");
    assert!(several > 3, "only {several} cases have several regions");
}

/// The regions together have the vector area by which the common volume changes when one body is moved.
#[test]
fn normals_and_areas_are_the_slope_of_the_common_volume() {
    let balls = [bumpy_ball(9.0, 3), bumpy_ball(7.0, 3)];
    let rings = [bumpy_ring([60, 20]), bumpy_ring([50, 16])];
    let mut tested = [0; 2];
    for (case, [p, q]) in touching_poses(6, 80).into_iter().enumerate() {
        let [a, b] = if case < 40 { &balls } else { &rings };
        let (a, b) = (a.clone(), b.clone());
        let found = regions((&a, &p), (&b, &q));
        if found.is_empty() {
            continue;
        }
        let label = format!("seed 6, case {case}, {} regions", found.len());
        let volume = |by: DVec3| {
            let moved = Pose::from_translation(by).expect("finite") * p;
            let parts = [Part::new(a.mesh().clone(), moved), Part::new(b.mesh().clone(), q)];
            let report = clash::find(&parts, &clash::Options::default());
            report.clashes.first().and_then(|clash| clash.volume)
        };
        let step = 1e-4;
        let slope =
            |axis: DVec3| Some((volume(axis * -step)? - volume(axis * step)?) / (2.0 * step));
        let slopes = [slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)];
        // The volume is not known of parts that touch, or that have too many faces.
        let [Some(x), Some(y), Some(z)] = slopes else { continue };
        let expected = DVec3::new(x, y, z);
        let sum: DVec3 = found.iter().map(|region| region.normal() * region.area()).sum();
        let error = sum.distance(expected);
        assert!(error < 1e-3 * (0.1 + sum.length()), "{label}: {sum}, {expected}");
        tested[usize::from(found.len() > 1)] += 1;
    }
    assert!(tested[0] > 5 && tested[1] > 2, "one region, several: {tested:?}");
}

/// A region without its id and the order of faces, for comparison after a motion and a change of scale.
#[derive(Clone, Debug)]
struct Seen {
    point: DVec3,
    normal: DVec3,
    depth: f64,
    radius: f64,
    area: f64,
    contacts: usize,
    curve: f64,
    points: usize,
}

fn seen(regions: &ContactRegions) -> Vec<Seen> {
    let mut seen: Vec<Seen> = regions
        .iter()
        .map(|r| Seen {
            point: r.point(),
            normal: r.normal(),
            depth: r.depth(),
            radius: r.radius(),
            area: r.area(),
            contacts: r.contacts().len(),
            curve: r.curve().map(|line| line.length()).sum(),
            points: r.manifold().len(),
        })
        .collect();
    seen.sort_by(|p, q| p.contacts.cmp(&q.contacts).then(p.depth.total_cmp(&q.depth)));
    seen
}

#[track_caller]
fn same(found: &[Seen], expected: &[Seen], motion: &Pose, scale: f64, tolerance: f64, label: &str) {
    assert_eq!(found.len(), expected.len(), "{label}");
    for (p, q) in found.iter().zip(expected) {
        let lengths = [
            (p.depth, q.depth),
            (p.radius, q.radius),
            (p.curve, q.curve),
            (p.area / scale, q.area),
        ];
        for (found, expected) in lengths {
            assert!((found - expected * scale).abs() < tolerance * scale, "{label}: {p:?}, {q:?}");
        }
        let point = motion.place(q.point * scale);
        assert!(p.point.distance(point) < tolerance * scale, "{label}: {p:?}, {q:?}");
        let normal = motion.rotation() * q.normal;
        assert!(p.normal.distance(normal) < tolerance, "{label}: {p:?}, {q:?}");
        assert_eq!((p.contacts, p.points), (q.contacts, q.points), "{label}");
    }
}

/// Faces and vertices in another order.
fn shuffled(mesh: &Mesh, random: &mut Random) -> Mesh {
    let mut order: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    random.shuffle(&mut order);
    let mut positions = vec![DVec3::ZERO; order.len()];
    for (&to, position) in order.iter().zip(mesh.positions()) {
        positions[to as usize] = *position;
    }
    let turn = |[i, j, k]: [u32; 3], by: u64| [[i, j, k], [j, k, i], [k, i, j]][by as usize];
    let mut faces: Vec<[u32; 3]> = mesh
        .faces()
        .iter()
        .map(|face| turn(face.map(|v| order[v as usize]), random.below(3)))
        .collect();
    random.shuffle(&mut faces);
    Mesh::new(positions, faces).expect("valid")
}

/// Each face with its own vertices, as in an STL file.
fn soup(mesh: &Mesh) -> Mesh {
    let positions: Vec<DVec3> = mesh.triangles().flatten().collect();
    let faces = (0..mesh.faces().len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(positions, faces).expect("valid")
}

fn scaled(mesh: &Mesh, scale: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * scale).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("valid")
}

#[test]
fn regions_do_not_depend_on_how_bodies_are_written() {
    let bar = generate::cuboid(DVec3::new(2.0, 0.5, 0.5)).expect("positive sizes");
    let torus = generate::deformed_torus(1, [60, 20]).expect("enough segments");
    let ball = generate::icosphere(3).expect("few enough");
    let pairs =
        [(bar.clone(), bar.clone()), (torus.clone(), torus.clone()), (ball, bar), (torus, table())];
    let mut compared = 0;
    for (number, (a, b)) in pairs.iter().enumerate() {
        let mut random = Random::new(40 + number as u64);
        let [a_shape, b_shape] = [a, b].map(|mesh| Shape::new(mesh.clone()));
        for case in 0..40 {
            let poses = [0.0, 0.8].map(|far| {
                Pose::new(random.rotation(), random.direction() * far).expect("a rotation")
            });
            let [p, q] = &poses;
            let expected = seen(&regions((&a_shape, p), (&b_shape, q)));
            compared += expected.len();
            let label =
                |what: &str| format!("{what}: pair {number}, seed {}, case {case}", 40 + number);
            let still = Pose::IDENTITY;

            let others = [a, b].map(|mesh| Shape::new(shuffled(mesh, &mut random)));
            let found = regions((&others[0], p), (&others[1], q));
            same(&seen(&found), &expected, &still, 1.0, 1e-7, &label("shuffled"));

            let others = [a, b].map(|mesh| Shape::new(soup(mesh)));
            let found = regions((&others[0], p), (&others[1], q));
            same(&seen(&found), &expected, &still, 1.0, 1e-7, &label("soup"));

            let mut swapped = seen(&regions((&b_shape, q), (&a_shape, p)));
            swapped.iter_mut().for_each(|region| region.normal = -region.normal);
            same(&swapped, &expected, &still, 1.0, 1e-7, &label("swapped"));

            let motion = Pose::new(random.rotation(), random.direction()).expect("a rotation");
            let found = regions((&a_shape, &(motion * *p)), (&b_shape, &(motion * *q)));
            same(&seen(&found), &expected, &motion, 1.0, 1e-7, &label("turned"));

            let far = Pose::from_translation(random.direction() * 1e6).expect("finite");
            let found = regions((&a_shape, &(far * *p)), (&b_shape, &(far * *q)));
            same(&seen(&found), &expected, &far, 1.0, 1e-5, &label("far"));

            for scale in [1e-6, 1e6] {
                let [a, b] = [a, b].map(|mesh| Shape::new(scaled(mesh, scale)));
                let [p, q] = poses.map(|pose| {
                    Pose::new(pose.rotation(), pose.translation() * scale).expect("a rotation")
                });
                let found = regions((&a, &p), (&b, &q));
                same(&seen(&found), &expected, &still, scale, 1e-7, &label("scaled"));
            }
        }
    }
    assert!(compared > 100, "only {compared} regions were compared");
}

/// Largest change of a region, relative to the length of the step.
#[derive(Debug, Default)]
struct Change {
    point: f64,
    normal: f64,
    depth: f64,
    steps: usize,
}

/// Moves a body in small steps, and measures how the only region changes.
fn changes(a: &Shape, b: &Shape, step: f64, poses: impl Iterator<Item = [Pose; 2]>) -> Change {
    let mut found = ContactRegions::new();
    let mut last: Option<(DVec3, DVec3, f64, u64)> = None;
    let mut change = Change::default();
    for [p, q] in poses {
        found.find((a, &p), (b, &q), &contacts((a, &p), (b, &q)).expect("one method"));
        let region = only(&found);
        let now = (region.point(), region.normal(), region.depth(), region.id());
        if let Some(last) = last {
            change.point = change.point.max(last.0.distance(now.0) / step);
            change.normal = change.normal.max(last.1.distance(now.1) / step);
            change.depth = change.depth.max((last.2 - now.2).abs() / step);
            assert_eq!(last.3, now.3, "the id changed in step {}", change.steps);
        }
        last = Some(now);
        change.steps += 1;
    }
    change
}

#[test]
fn small_motions_of_balls_change_regions_little() {
    let ball = Shape::new(generate::icosphere(4).expect("few enough"));
    let step = 1e-4;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let rotations = [(); 2].map(|()| random.rotation());
        let (from, way) = (random.direction() * 1.6, random.direction() * step);
        let poses = (0..400).map(|i| {
            let still = Pose::new(rotations[0], DVec3::ZERO).expect("a rotation");
            [Pose::new(rotations[1], from + way * f64::from(i)).expect("a rotation"), still]
        });
        let change = changes(&ball, &ball, step, poses);
        assert_eq!(change.steps, 400);
        let is_small = change.point < 2.0 && change.normal < 2.0 && change.depth < 2.0;
        assert!(is_small, "seed {seed}: {change:?}");
    }
}

#[test]
fn small_motions_of_edges_change_regions_little() {
    let bar = cuboid(4.0, 1.0, 1.0);
    let step = 1e-4;
    let mut tested = 0;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let tilted = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let turn = DMat3::from_rotation_z(random.range(0.5, 1.5)) * tilted;
        let way = random.direction();
        let spin = random.direction() * step * 0.2;
        let poses = (0..400).map(|i| {
            let time = f64::from(i);
            let axis = impinge::glam::DQuat::from_scaled_axis(spin * time);
            let place = DVec3::Z * (2f64.sqrt() - 0.15) + way * (time * step);
            let rotation = DMat3::from_quat(axis) * turn;
            let below = Pose::new(tilted, DVec3::ZERO).expect("a rotation");
            [Pose::new(rotation, place).expect("a rotation"), below]
        });
        let change = changes(&bar, &bar, step, poses);
        let is_small = change.point < 8.0 && change.normal < 4.0 && change.depth < 4.0;
        assert!(is_small, "seed {seed}: {change:?}");
        tested += change.steps;
    }
    assert_eq!(tested, 2400);
}

/// A ball that sinks into a floor: the region begins as a point, and all of it grows continuously.
#[test]
fn a_region_begins_small() {
    let ball = Shape::new(generate::icosphere(4).expect("few enough"));
    let floor = cuboid(9.0, 9.0, 1.0);
    let lowest = ball.mesh().positions().iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    for k in 0..200 {
        let sunk = 1e-12 * 1.15f64.powi(k).min(2e11);
        let pose = at(0.1, 0.2, 0.5 - lowest - sunk);
        let found = regions((&ball, &pose), (&floor, &Pose::IDENTITY));
        let region = only(&found);
        // Ends of the curve within 1e-9 of the ball's size of each other are one.
        close(region.depth(), sunk, if sunk > 1e-7 { 1e-14 } else { 4e-9 });
        near(region.normal(), DVec3::Z, 1e-6);
        // A cap of a sphere, and the facets around the lowest vertex.
        assert!(region.radius() < 2.0 * sunk.sqrt() + 30.0 * sunk, "{sunk}: {}", region.radius());
    }
}

#[test]
fn regions_keep_their_ids() {
    let (table, floor) = (Shape::new(table()), cuboid(9.0, 9.0, 1.0));
    let mut found = ContactRegions::new();
    let mut ids_at = |pose: &Pose| -> Vec<(u64, DVec3)> {
        let (a, b) = ((&table, pose), (&floor, &Pose::IDENTITY));
        found.find(a, b, &contacts(a, b).expect("one method"));
        found.iter().map(|region| (region.id(), region.point())).collect()
    };
    let start = ids_at(&at(0.0, 0.0, 0.45));
    let ids: Vec<u64> = start.iter().map(|&(id, _)| id).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    for step in 1..50 {
        let by = DVec3::new(0.01, 0.004, 0.0005) * f64::from(step);
        let now = ids_at(&at(by.x, by.y, 0.45 + by.z));
        assert_eq!(now.len(), 4, "step {step}");
        for (id, point) in now {
            let (_, before) = start.iter().find(|(old, _)| *old == id).expect("a known id");
            assert!((point - *before - by).truncate().length() < 1e-9, "step {step}");
        }
    }
    // Two feet leave and come back: the others keep their ids.
    let tilt = Pose::new(DMat3::from_rotation_x(0.1), DVec3::Z * 0.552).expect("a rotation");
    let two: Vec<u64> = ids_at(&tilt).into_iter().map(|(id, _)| id).collect();
    assert!(two.len() == 2 && two.iter().all(|id| *id <= 4), "{two:?}");
    let mut four: Vec<u64> = ids_at(&at(0.0, 0.0, 0.45)).into_iter().map(|(id, _)| id).collect();
    four.sort_unstable();
    assert_eq!(four, [two[0].min(two[1]), two[0].max(two[1]), 5, 6]);
}

/// The depth of convex bodies is at most the way until a plane across the normal separates them as a whole. After a
/// translation by the depth, parts that did not overlap before may do so, but at most half as deep.
#[test]
fn a_translation_by_the_depth_frees_convex_bodies_or_nearly() {
    let ball = Shape::new(generate::icosphere(3).expect("few enough"));
    let block = cuboid(1.0, 1.5, 0.7);
    let mut tested = 0;
    for (number, (a, b)) in
        [(&ball, &block), (&block, &block), (&ball, &ball)].into_iter().enumerate()
    {
        let mut random = Random::new(number as u64);
        for case in 0..100 {
            let p = Pose::new(random.rotation(), random.direction() * 1.1).expect("a rotation");
            let q = Pose::new(random.rotation(), DVec3::ZERO).expect("a rotation");
            let found = regions((a, &p), (b, &q));
            let Some(region) = found.get(0) else { continue };
            let label = format!("pair {number}, case {case}: depth {}", region.depth());
            // The whole bodies need the way until a plane across the normal separates them.
            let height = |(shape, pose): (&Shape, &Pose)| {
                let heights =
                    shape.mesh().positions().iter().map(|v| region.normal().dot(pose.place(*v)));
                heights.collect::<Vec<_>>()
            };
            let lowest = height((a, &p)).into_iter().fold(f64::INFINITY, f64::min);
            let highest = height((b, &q)).into_iter().fold(f64::NEG_INFINITY, f64::max);
            // The parts inside are parts of the bodies.
            assert!(region.depth() <= highest - lowest + 1e-12, "{label}");
            let away = region.normal() * (region.depth() + 1e-9);
            let moved = Pose::from_translation(away).expect("finite") * p;
            let after = regions((a, &moved), (b, &q));
            let deepest = after.iter().map(|r| r.depth()).fold(0.0, f64::max);
            assert!(deepest < 0.5 * region.depth() + 1e-9, "{label}: {deepest} is left");
            tested += 1;
        }
    }
    assert!(tested > 100, "only {tested} pairs overlap");
}
