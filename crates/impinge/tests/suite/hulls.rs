//! Distances, separating planes and penetration depths of convex hulls, and the method that begins with hulls.

use crate::methods::check_pair;
use impinge::convex::{
    Coverage, Feature, Gjk, Hull, HullDistance, Pieces, PiecesTracker, Polytope, SeparatingPlane,
    Tracker, convex_patches, penetration,
};
use impinge::generate::{self, Random};
use impinge::glam::{DMat3, DVec3};
use impinge::method::hull::{FacetPairs, HullOptions, Separation};
use impinge::narrow::triangles_distance;
use impinge::world::{Body, Coherence};
use impinge::{Cache, Mesh, Method, Pair, Pose, Shape, World};

/// Points on an ellipsoid.
fn ellipsoid(points: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random::new(seed);
    (0..points).map(|_| random.direction() * DVec3::new(1.0, 0.7, 0.5)).collect()
}

/// Triangles that cover a placed hull, or its surface.
fn surface(polytope: &Polytope, pose: &Pose) -> Vec<[DVec3; 3]> {
    let hull = polytope.hull();
    let at = |vertex: u32| pose.place(hull.positions()[vertex as usize]);
    let count = hull.positions().len() as u32;
    let whole: Vec<u32> = (0..count).collect();
    let around: Vec<&[u32]> = match hull.facets().len() {
        0 => vec![&whole],
        _ => hull.facets().collect(),
    };
    let last = |corners: &[u32], i: usize| at(corners[i.min(corners.len() - 1)]);
    let fan = |corners: &&[u32]| -> Vec<[DVec3; 3]> {
        let triangles = corners.len().saturating_sub(2).max(1);
        (1..=triangles).map(|i| [0, i, i + 1].map(|i| last(corners, i))).collect()
    };
    around.iter().flat_map(fan).collect()
}

/// The distance by all pairs of triangles; 0 if one hull contains a corner of the other.
fn by_triangles(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> f64 {
    let placed = |(polytope, pose): (&Polytope, &Pose)| -> Vec<DVec3> {
        polytope.hull().positions().iter().map(|&position| pose.place(position)).collect()
    };
    let (points_a, points_b) = (placed(a), placed(b));
    let contains = |points: &[DVec3], point| Hull::new(points).expect("finite").contains(point);
    if contains(&points_a, points_b[0]) || contains(&points_b, points_a[0]) {
        return 0.0;
    }
    let (surface_a, surface_b) = (surface(a.0, a.1), surface(b.0, b.1));
    let mut least = f64::INFINITY;
    for s in &surface_a {
        for t in &surface_b {
            least = least.min(triangles_distance(s, t).distance);
        }
    }
    least
}

/// Checks a distance, and that its points are where it says.
fn check_distance(found: &HullDistance, truth: f64, error: f64, label: &str) {
    assert!(found.lower <= truth, "{label}: lower bound {} above {truth}", found.lower);
    assert!((found.distance - truth).abs() <= error, "{label}: {found:?} instead of {truth}");
    let apart = found.points[0].distance(found.points[1]);
    assert!((apart - found.distance).abs() <= error, "{label}: points {apart} apart: {found:?}");
}

/// Point sets that are hard: flat, thin, with clusters, aligned, far from the origin.
fn hard_points(family: u64, random: &mut Random) -> Vec<DVec3> {
    let count = 3 + random.below(14);
    let directions = |random: &mut Random, size: DVec3| -> Vec<DVec3> {
        (0..count).map(|_| random.direction() * size).collect()
    };
    match family {
        0 => directions(random, DVec3::ONE),
        1 => {
            let coordinate = |random: &mut Random| random.below(4) as f64;
            let point = |random: &mut Random| {
                DVec3::new(coordinate(random), coordinate(random), coordinate(random))
            };
            (0..count).map(|_| point(random)).collect()
        }
        2 => (0..8u32).map(|i| DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1)))).collect(),
        3 => directions(random, DVec3::new(1.0, 1.0, 0.0)),
        4 => {
            let mut points = directions(random, DVec3::ONE);
            let cluster = points[0];
            points.extend((0..8).map(|_| cluster + random.direction() * 3e-15));
            points
        }
        5 => vec![random.direction()],
        6 => vec![random.direction(), random.direction()],
        7 => {
            let sides = 3 + random.below(20);
            let corner = |i: u64| {
                let angle = (i / 2) as f64 / sides as f64 * std::f64::consts::TAU;
                DVec3::new(angle.cos(), angle.sin(), (i % 2) as f64 * 0.3)
            };
            (0..2 * sides).map(corner).collect()
        }
        8 => {
            let far = DVec3::new(1e6, -3e5, 2e6);
            directions(random, DVec3::ONE).into_iter().map(|point| point + far).collect()
        }
        9 => directions(random, DVec3::new(1.0, 1e-7, 1e-9)),
        _ => directions(random, DVec3::new(1.0, 1.0, 1e-12)),
    }
}

/// Needles and plates, whose distances are less precise.
const THIN: u64 = 9;

/// A rotation: any, or one that maps axes to axes; orthonormal only to 1e-6 if asked.
fn turn(random: &mut Random, is_sloppy: bool) -> DMat3 {
    let quarter = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
    let turn = match random.below(6) {
        0 => DMat3::IDENTITY,
        1 => quarter,
        _ => random.rotation(),
    };
    match is_sloppy {
        true => {
            let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis];
            DMat3::from_cols(x * (1.0 + 2e-7), y + x * 3e-7, z)
        }
        false => turn,
    }
}

#[test]
fn distances_of_hard_hulls_agree_with_all_triangles() {
    let (mut overlaps, mut apart) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed ^ 0x5151);
        let families = [random.below(11), random.below(11)];
        let scale = [1.0, 1.0, 1e-9, 1e9, 1e40][random.below(5) as usize];
        let ratio = [1.0, 1.0, 0.01, 30.0][random.below(4) as usize];
        let scaled = |points: Vec<DVec3>, by: f64| -> Vec<DVec3> {
            points.into_iter().map(|point| point * by).collect()
        };
        let points_a = scaled(hard_points(families[0], &mut random), scale);
        let points_b = scaled(hard_points(families[1], &mut random), scale * ratio);
        let [a, b] = [&points_a, &points_b].map(|points| Polytope::new(points).expect("finite"));
        let size = scale * (2.0 + 4.0 * ratio);
        let is_sloppy = random.below(4) == 0;
        let is_thin = families.iter().any(|&family| family >= THIN);
        let (mut tracker, mut gjk, mut plane) =
            (Tracker::new(), Gjk::new(), SeparatingPlane::new());
        for step in 0..4 {
            let [turn_a, turn_b] = [(); 2].map(|()| turn(&mut random, is_sloppy));
            let far = match random.below(5) {
                0 => DVec3::new(1e5, 2e5, -1e5) * size,
                _ => DVec3::ZERO,
            };
            let offset = match random.below(3) {
                0 => random.direction() * random.range(0.0, 1.5) * size,
                1 => DVec3::new(random.below(4) as f64, 0.0, random.below(3) as f64) * scale,
                _ => random.direction() * random.range(0.0, 0.3) * size,
            };
            let pose_a = Pose::new(turn_a, far).expect("a rotation");
            let place = far + turn_a * points_a[0] - turn_b * points_b[0] + offset;
            let pose_b = Pose::new(turn_b, place).expect("a rotation");
            let (placed_a, placed_b) = ((&a, &pose_a), (&b, &pose_b));
            let truth = by_triangles(placed_a, placed_b);
            let coordinate = if families.contains(&8) { 3e6 * scale * ratio.max(1.0) } else { 0.0 };
            let rounding = 1e-15 * (far.length() + coordinate + size + offset.length());
            let error = rounding * 400.0 + if is_thin || is_sloppy { 1e-8 * size } else { 0.0 };
            let label = format!("seed {seed}, step {step}, families {families:?}");
            let tracked = tracker.distance(placed_a, placed_b);
            check_distance(&tracked, truth, error, &format!("{label}, tracker"));
            let found = gjk.distance(placed_a, placed_b);
            check_distance(&found, truth, error, &format!("{label}, gjk"));
            if !is_thin && !is_sloppy && truth > 1e-3 * size {
                let gap = tracked.distance - tracked.lower;
                assert!(gap <= error, "{label}: the lower bound is {gap} too low");
            }
            if plane.separates(placed_a, placed_b) {
                assert!(truth > 0.0, "{label}: a plane between bodies that overlap");
            } else {
                assert!(truth <= error, "{label}: no plane between bodies {truth} apart");
            }
            match penetration(placed_a, placed_b) {
                None => assert!(truth > 0.0, "{label}: no depth of bodies that overlap"),
                Some(found) => {
                    assert!(truth <= error, "{label}: a depth at a distance of {truth}");
                    assert!(
                        found.at_least <= found.depth && found.depth >= 0.0,
                        "{label}: {found:?}"
                    );
                }
            }
            overlaps += usize::from(truth == 0.0);
            apart += usize::from(truth > 0.0);
        }
    }
    assert!(overlaps > 500 && apart > 5000, "{overlaps} overlap, {apart} are apart");
}

/// Both searches, and the depth, against exact fractions: bounds are never on the wrong side.
#[test]
fn distances_and_depths_agree_with_exact_fractions() {
    let (mut apart, mut overlaps) = (0, 0);
    for family in impinge_oracle::cases::hull_families() {
        for seed in 0..40 {
            let pair = family
                .pair(seed)
                .map(|points| points.into_iter().map(DVec3::from).collect::<Vec<_>>());
            let [a, b] = pair.each_ref().map(|points| Polytope::new(points).expect("finite"));
            let label = format!("{}, seed {seed}", family.name);
            let truth = impinge_oracle::hull_distance(&pair[0], &pair[1]).distance;
            let largest =
                pair.iter().flatten().map(|point| point.abs().max_element()).fold(0.0, f64::max);
            let placed = ((&a, &Pose::IDENTITY), (&b, &Pose::IDENTITY));
            for (name, found) in [
                ("tracker", Tracker::new().distance(placed.0, placed.1)),
                ("gjk", Gjk::new().distance(placed.0, placed.1)),
            ] {
                // Thin bodies of the families lose digits; nothing is ever on the wrong side.
                let error = 1e-9 * largest;
                assert!(found.lower <= truth, "{label}, {name}: {} above {truth}", found.lower);
                let is_close =
                    (found.distance - truth).abs() <= error || truth > 1e60 * largest.min(1.0);
                assert!(is_close, "{label}, {name}: {found:?} instead of {truth}");
            }
            let exact =
                impinge_oracle::hull_penetration(&pair[0], &pair[1]).map(|exact| exact.depth);
            let found = penetration(placed.0, placed.1);
            match (exact, found) {
                (Some(exact), Some(found)) => {
                    let error = 1e-9 * largest;
                    assert!(
                        found.at_least <= exact + 1e-15 * largest,
                        "{label}: {found:?}, truly {exact}"
                    );
                    assert!(found.depth >= exact - error, "{label}: {found:?}, truly {exact}");
                    assert!(found.depth <= exact + error, "{label}: {found:?}, truly {exact}");
                    overlaps += 1;
                }
                (None, Some(found)) => {
                    assert!(truth <= 1e-9 * largest, "{label}: {found:?} at {truth}");
                }
                (Some(exact), None) => panic!("{label}: no depth, truly {exact}"),
                (None, None) => apart += 1,
            }
        }
    }
    assert!(apart > 300 && overlaps > 300, "{apart} apart, {overlaps} overlap");
}

/// The depth over all candidate normals: of facets, and across two edges.
fn depth_by_normals(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> f64 {
    let placed = |(polytope, pose): (&Polytope, &Pose)| -> Vec<DVec3> {
        polytope.hull().positions().iter().map(|&position| pose.place(position)).collect()
    };
    let (points_a, points_b) = (placed(a), placed(b));
    let mut normals = Vec::new();
    for (polytope, points) in [(a.0, &points_a), (b.0, &points_b)] {
        for facet in polytope.hull().facets() {
            let [p, q, r] = [facet[0], facet[1], facet[2]].map(|vertex| points[vertex as usize]);
            normals.push((q - p).cross(r - p).normalize());
        }
    }
    let directions = |polytope: &Polytope, points: &[DVec3]| -> Vec<DVec3> {
        let edges = polytope.hull().edges().iter();
        edges
            .map(|edge| points[edge.vertices[1] as usize] - points[edge.vertices[0] as usize])
            .collect()
    };
    for d in directions(a.0, &points_a) {
        for e in directions(b.0, &points_b) {
            normals.extend(d.cross(e).try_normalize().filter(|_| d.cross(e).length() > 1e-9));
        }
    }
    let reach = |normal: DVec3| {
        let high = points_a.iter().map(|point| point.dot(normal)).fold(f64::MIN, f64::max);
        high - points_b.iter().map(|point| point.dot(normal)).fold(f64::MAX, f64::min)
    };
    normals.iter().flat_map(|&normal| [reach(normal), reach(-normal)]).fold(f64::MAX, f64::min)
}

#[test]
fn depths_agree_with_all_candidate_normals() {
    let mut deep = 0;
    for seed in 0..400u64 {
        let mut random = Random::new(seed);
        let count = [4, 6, 9, 14][(seed % 4) as usize];
        let [a, b] = [(count, seed), (count + 1, !seed)]
            .map(|(count, seed)| Polytope::new(&ellipsoid(count, seed)).expect("finite"));
        for _ in 0..3 {
            let pose_a = Pose::new(random.rotation(), random.direction() * 0.3).expect("valid");
            let place = random.direction() * random.range(0.0, 1.2);
            let pose_b = Pose::new(random.rotation(), place).expect("valid");
            let truth = depth_by_normals((&a, &pose_a), (&b, &pose_b));
            let Some(found) = penetration((&a, &pose_a), (&b, &pose_b)) else {
                assert!(truth < 1e-13, "seed {seed}: no depth instead of {truth}");
                continue;
            };
            deep += 1;
            assert!((found.depth - truth).abs() < 1e-12, "seed {seed}: {found:?}, truly {truth}");
            let is_tight = found.at_least <= truth && truth - found.at_least < 1e-11;
            assert!(is_tight, "seed {seed}: {found:?}, truly {truth}");
            // Moved by a little more, the bodies are apart; the two points have met then.
            let moved = |by: f64| {
                Pose::new(pose_a.rotation(), pose_a.translation() + found.normal * by)
                    .expect("valid")
            };
            let away = moved(found.depth + 1e-9);
            assert!(Gjk::new().distance((&a, &away), (&b, &pose_b)).is_apart(), "seed {seed}");
            let near = moved(found.depth - 1e-9);
            assert!(!Gjk::new().distance((&a, &near), (&b, &pose_b)).is_apart(), "seed {seed}");
            let along = (found.points[0] - found.points[1]).dot(found.normal);
            assert!((along + found.depth).abs() < 1e-12, "seed {seed}: points of {found:?}");
        }
    }
    assert!(deep > 500, "only {deep} pairs overlap");
}

/// The steps under coherence do not depend on the number of faces.
#[test]
fn small_motions_take_few_steps_at_every_size() {
    for points in [12, 162, 2562, 10_002] {
        let [a, b] = [1, 2].map(|seed| Polytope::new(&ellipsoid(points, seed)).expect("finite"));
        let mut tracker = Tracker::new();
        let (mut steps, mut gjk) = (0, 0);
        for i in 0..2000 {
            let angle = 1e-3 * f64::from(i);
            let axis = DVec3::new(0.3, 0.5, 0.8).normalize();
            let place = DVec3::new(2.1 * angle.cos(), 2.1 * angle.sin(), 0.0);
            let pose =
                Pose::new(DMat3::from_axis_angle(axis, 0.002 * f64::from(i)), place).unwrap();
            let found = tracker.distance((&a, &Pose::IDENTITY), (&b, &pose));
            assert!(found.is_apart(), "{points} points, step {i}");
            steps += tracker.steps();
            gjk += tracker.gjk_steps();
        }
        assert!(steps < 2 * 2000 && gjk < 100, "{points} points: {steps} steps, {gjk} of GJK");
    }
}

/// Several meshes as one.
fn merged<'m>(parts: impl IntoIterator<Item = &'m Mesh>) -> Mesh {
    generate::merged(parts.into_iter().map(|mesh| (mesh, &Pose::IDENTITY))).expect("few enough")
}

fn coverage_of(mesh: &Mesh) -> (usize, usize) {
    let polytope = Polytope::new(mesh.positions()).expect("finite");
    let coverage = Coverage::new(&polytope, mesh);
    (coverage.red_facets(), polytope.hull().facets().len())
}

/// A rectangle in the plane at `z`, as two triangles of its own corners.
fn rectangle([x0, y0]: [f64; 2], [x1, y1]: [f64; 2], z: f64) -> Mesh {
    let corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    let corners = corners.map(|[x, y]| DVec3::new(x, y, z)).to_vec();
    Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("valid")
}

#[test]
fn only_facets_that_are_covered_are_red() {
    let cuboid = generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(coverage_of(&cuboid), (6, 6));
    assert_eq!(coverage_of(&generate::bar(DVec3::new(4.0, 1.0, 1.0), [8, 2, 2]).unwrap()), (6, 6));
    let ball = generate::icosphere(3).unwrap();
    let (red, all) = coverage_of(&ball);
    assert_eq!(red, all, "a ball covers its hull");
    let cylinder = generate::cylinder(1.0, 2.0, 24).unwrap();
    assert_eq!(coverage_of(&cylinder), (26, 26));
    // The four feet of a table cover the lowest facet only in part, and nothing else but the top.
    let top = generate::cuboid(DVec3::new(4.0, 4.0, 0.2)).unwrap();
    let foot = generate::cuboid(DVec3::new(0.4, 0.4, 2.0)).unwrap();
    let at = |mesh: &Mesh, by: DVec3| {
        mesh.with_positions(mesh.positions().iter().map(|&p| p + by).collect()).unwrap()
    };
    let feet: Vec<Mesh> = [[1.8, 1.8], [-1.8, 1.8], [1.8, -1.8], [-1.8, -1.8]]
        .map(|[x, y]| at(&foot, DVec3::new(x, y, -1.1)))
        .into();
    let table = merged(feet.iter().chain([&top]));
    assert_eq!(coverage_of(&table), (1, 6));
    // A ring in the upper facet: a square with a square hole.
    let lower = generate::cuboid(DVec3::new(2.0, 2.0, 1.0)).unwrap();
    let lower = lower
        .with_positions(lower.positions().iter().map(|&p| p - DVec3::Z * 0.5).collect())
        .unwrap();
    let open: Vec<[u32; 3]> = lower
        .faces()
        .iter()
        .copied()
        .filter(|face| face.iter().any(|&v| lower.positions()[v as usize].z < -0.1))
        .collect();
    let open = Mesh::new(lower.positions().to_vec(), open).unwrap();
    let strips = [
        rectangle([-1.0, -1.0], [1.0, -0.5], 0.0),
        rectangle([-1.0, 0.5], [1.0, 1.0], 0.0),
        rectangle([-1.0, -0.5], [-0.5, 0.5], 0.0),
        rectangle([0.5, -0.5], [1.0, 0.5], 0.0),
    ];
    let ring = merged(strips.iter().chain([&open]));
    assert_eq!(coverage_of(&ring), (5, 6));
    // Faces twice, flipped and shuffled still cover.
    let mut faces: Vec<[u32; 3]> =
        cuboid.faces().iter().flat_map(|&[a, b, c]| [[a, b, c], [c, b, a]]).collect();
    Random::new(7).shuffle(&mut faces);
    assert_eq!(coverage_of(&Mesh::new(cuboid.positions().to_vec(), faces).unwrap()), (6, 6));
    // One face missing.
    let missing = Mesh::new(cuboid.positions().to_vec(), cuboid.faces()[1..].to_vec()).unwrap();
    assert_eq!(coverage_of(&missing), (5, 6));
}

/// A bowl: the lower half of a sphere's shell, with the given radius.
fn bowl(radius: f64) -> Mesh {
    let ball = generate::icosphere(3).expect("valid");
    let faces: Vec<[u32; 3]> = ball
        .faces()
        .iter()
        .copied()
        .filter(|face| face.iter().all(|&v| ball.positions()[v as usize].z < 0.05))
        .collect();
    Mesh::new(ball.positions().iter().map(|&p| p * radius).collect(), faces).expect("valid")
}

/// The five fingers of a hand, or, a little larger, those of a glove.
fn hand(grown: f64) -> Mesh {
    let part = |size: DVec3, by: DVec3| {
        let part = generate::bar(size + DVec3::splat(grown), [3, 2, 6]).expect("valid");
        let center = part.bounds().center();
        part.with_positions(part.positions().iter().map(|&p| p - center + by).collect())
            .expect("valid")
    };
    let finger = |i: i32| part(DVec3::new(0.3, 0.3, 1.5), DVec3::X * (0.5 * f64::from(i)));
    merged(&[-2, -1, 0, 1, 2].map(finger))
}

/// Hulls that overlap while the bodies do not touch, or touch here and there: equal to `brute`.
#[test]
fn bodies_in_the_hulls_of_others_are_found_as_by_brute() {
    let torus = generate::torus(1.0, 0.25, [40, 14]).unwrap();
    let link = Pose::new(DMat3::from_rotation_x(1.5), DVec3::new(1.0, 0.0, 0.0)).unwrap();
    let scenes = [
        ("linked tori", torus.clone(), torus.clone(), link),
        ("nested bowls", bowl(1.0), bowl(0.9), Pose::IDENTITY),
        ("hand in glove", hand(0.18), hand(0.0), Pose::IDENTITY),
        (
            "ball in bowl",
            bowl(1.0),
            generate::scaled_to_cube(&bowl(1.0), 0.5).unwrap(),
            Pose::IDENTITY,
        ),
    ];
    for (name, a, b, start) in scenes {
        let mut brute = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
        let mut pairs: Vec<Pair> = [Separation::Features, Separation::Planes, Separation::Gjk]
            .into_iter()
            .map(|separation| {
                let options = HullOptions::default().separation(separation);
                let [a, b] = [&a, &b].map(|mesh| Shape::build(options, mesh.clone()));
                Pair::new(&a, &b).unwrap()
            })
            .collect();
        let (mut touching, mut clear) = (0, 0);
        let mut random = Random::new(3);
        let direction = DVec3::new(0.4, 0.2, -0.9).normalize();
        let mut cache = Cache::new();
        for step in 0..60 {
            let by = direction * (0.02 * f64::from(step));
            let turn = DMat3::from_axis_angle(random.direction(), 0.02);
            let pose = Pose::new(turn * start.rotation(), start.translation() + by).unwrap();
            let expected = brute.contacts(&Pose::IDENTITY, &pose).to_vec();
            for pair in &mut pairs {
                let label = format!("{name}, step {step}");
                check_pair(&label, pair, [&Pose::IDENTITY, &pose], &expected);
                let cached = pair.at(&Pose::IDENTITY, &pose).cache(&mut cache).contacts();
                assert_eq!(cached, expected, "{label}, with a cache");
                let any = pair.at(&Pose::IDENTITY, &pose).cache(&mut cache).intersects();
                assert_eq!(any, !expected.is_empty(), "{label}, with a cache");
            }
            touching += usize::from(!expected.is_empty());
            clear += usize::from(expected.is_empty());
        }
        assert!(touching > 3 && clear > 3, "{name}: {touching} steps touch, {clear} do not");
    }
}

/// Meshes whose faces all lie in a line or a point, which have no inside, through and beside a ball.
#[test]
fn bodies_that_are_segments_or_points_are_found_as_by_brute() {
    let ball = generate::sphere(168).unwrap();
    let line = vec![DVec3::splat(-2.0), DVec3::ZERO, DVec3::splat(2.0)];
    let segment = Mesh::new(line, vec![[0, 1, 2], [2, 1, 0]]).unwrap();
    let point = Mesh::new(vec![DVec3::X; 3], vec![[0, 1, 2]]).unwrap();
    let (mut random, mut touching) = (Random::new(21), 0);
    for (name, body) in [("segment", segment), ("point", point)] {
        let mut brute = Pair::with_method(Method::BRUTE, ball.clone(), body.clone());
        let mut hull = Pair::with_method(Method::HULL, ball.clone(), body);
        for step in 0..300 {
            let place = match name {
                // On a vertex of the ball.
                "point" if step % 3 == 0 => {
                    ball.positions()[step % ball.positions().len()] - DVec3::X
                }
                _ => random.direction() * random.range(0.0, 1.5),
            };
            let turn = if name == "point" { DMat3::IDENTITY } else { random.rotation() };
            let pose = Pose::new(turn, place).unwrap();
            let expected = brute.contacts(&Pose::IDENTITY, &pose).to_vec();
            check_pair(
                &format!("{name}, step {step}"),
                &mut hull,
                [&Pose::IDENTITY, &pose],
                &expected,
            );
            touching += usize::from(!expected.is_empty());
        }
    }
    assert!(touching > 200, "only {touching} steps touch");
}

/// Thin bodies along a diagonal, whose first supports along the axes are all in a line.
#[test]
fn depths_of_spindles_agree_with_all_candidate_normals() {
    let axis = DVec3::ONE.normalize();
    let (u, v) = axis.any_orthonormal_pair();
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let radius = [0.2, 0.05, 0.01][(seed % 3) as usize];
        let ring = (0..6).map(|i| {
            let angle = f64::from(i) * std::f64::consts::FRAC_PI_3;
            (u * angle.cos() + v * angle.sin()) * radius
        });
        let points: Vec<DVec3> = ring.chain([DVec3::ONE, -DVec3::ONE]).collect();
        let spindle = Polytope::new(&points).unwrap();
        let by = axis * random.range(-0.5, 0.5) + random.direction() * radius * 0.3;
        let pose = Pose::from_translation(if seed == 0 { DVec3::ZERO } else { by }).unwrap();
        let truth = depth_by_normals((&spindle, &Pose::IDENTITY), (&spindle, &pose));
        let found = penetration((&spindle, &Pose::IDENTITY), (&spindle, &pose));
        match found {
            None => assert!(truth < 1e-13, "seed {seed}: none instead of {truth}"),
            Some(found) => {
                assert!(
                    (found.depth - truth).abs() < 1e-12,
                    "seed {seed}: {found:?}, truly {truth}"
                );
                assert!(truth - found.at_least < 1e-11, "seed {seed}: {found:?}, truly {truth}");
            }
        }
    }
}

/// Convex bodies that overlap are found to touch by a few exact tests, without a tree.
#[test]
fn red_features_that_cross_answer_at_once() {
    let ball = Shape::with_method(Method::HULL, generate::icosphere(4).unwrap());
    let mut pair = Pair::new(&ball, &ball).unwrap();
    let (mut at_once, mut random) = (0, Random::new(5));
    for step in 0..200 {
        let place = random.direction() * random.range(0.3, 1.95);
        let pose = Pose::new(random.rotation(), place).unwrap();
        assert!(pair.intersects(&Pose::IDENTITY, &pose), "step {step}");
        at_once += usize::from(pair.counts().volume_tests == 0);
    }
    assert!(at_once > 150, "only {at_once} of 200 were found by red features");
}

/// A world keeps the closest features of near pairs, and finds what other methods find.
#[test]
fn worlds_of_hulls_find_what_others_find() {
    let bodies: Vec<Mesh> = (0..40)
        .map(|seed| {
            let polytope = Polytope::new(&ellipsoid(8 + seed as usize, seed)).unwrap();
            let facets = polytope.hull().facets();
            let faces: Vec<[u32; 3]> =
                facets.flat_map(|f| (1..f.len() - 1).map(|i| [f[0], f[i], f[i + 1]])).collect();
            Mesh::new(polytope.hull().positions().to_vec(), faces).unwrap()
        })
        .chain([generate::torus(1.0, 0.3, [24, 10]).unwrap()])
        .collect();
    let mut worlds: Vec<(World, Vec<_>)> = [Method::HULL, Method::WIDE, Method::HULL]
        .into_iter()
        .enumerate()
        .map(|(i, method)| {
            let mut world = World::new();
            if i == 2 {
                world.set_coherence(Coherence::NONE);
            }
            let add = |mesh: &Mesh| {
                world.add(Body::new(&Shape::with_method(method, mesh.clone()))).unwrap()
            };
            let ids = bodies.iter().map(add).collect();
            (world, ids)
        })
        .collect();
    let mut contacts = 0;
    for step in 0..40 {
        let mut found = Vec::new();
        for (world, ids) in &mut worlds {
            let mut random = Random::new(11);
            for &id in &*ids {
                let (at, by) =
                    (random.direction() * random.range(0.0, 4.0), random.direction() * 0.05);
                let turn = DMat3::from_axis_angle(random.direction(), 0.03 * f64::from(step));
                world.set_pose(id, Pose::new(turn, at + by * f64::from(step)).unwrap()).unwrap();
            }
            let step = world.step();
            found.push(
                step.contacts().map(|c| (c.a.index(), c.b.index(), c.faces)).collect::<Vec<_>>(),
            );
        }
        assert_eq!(found[0], found[1], "step {step}");
        assert_eq!(found[2], found[1], "step {step}, nothing remembered");
        contacts += found[0].len();
    }
    assert!(contacts > 1000, "only {contacts} contacts");
}

#[test]
fn patches_are_convex_and_cover_every_face_once() {
    let meshes = [
        ("torus", generate::torus(1.0, 0.4, [30, 12]).unwrap()),
        ("shuttle", generate::shuttle()),
        ("chair", generate::chair()),
        ("gear", generate::gear(12, 0.1, 0.3, 0.2).unwrap()),
        ("ball", generate::icosphere(3).unwrap()),
    ];
    for (name, mesh) in meshes {
        let patches = convex_patches(&mesh);
        let mut all: Vec<u32> = patches.iter().flatten().copied().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..mesh.faces().len() as u32), "{name}: each face once");
        for patch in &patches {
            let corners: Vec<DVec3> = patch.iter().flat_map(|&face| mesh.triangle(face)).collect();
            let hull = Hull::new(&corners).unwrap();
            for &face in patch {
                // On the boundary: a point moved outward, or inward for faces the other way round, has left the hull.
                let [p, q, r] = mesh.triangle(face);
                let normal = (q - p).cross(r - p).normalize_or_zero();
                let middle = (p + q + r) / 3.0;
                let is_on_boundary =
                    [1e-6, -1e-6].iter().any(|by| !hull.contains(middle + normal * *by));
                assert!(is_on_boundary || normal == DVec3::ZERO, "{name}: face {face} is inside");
            }
        }
        match name {
            "ball" => assert_eq!(patches.len(), 1),
            _ => assert!(
                patches.len() > 1 && patches.len() < mesh.faces().len() / 2,
                "{name}: {} patches",
                patches.len()
            ),
        }
    }
}

#[test]
fn faces_without_an_area_are_patches_of_their_own() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::X * 0.5];
    // Two real faces that share an edge, and three degenerate ones.
    let faces = vec![[0, 1, 2], [0, 0, 1], [0, 0, 3], [0, 1, 3], [0, 4, 1]];
    let mesh = Mesh::new(corners.to_vec(), faces).unwrap();
    let mut patches = convex_patches(&mesh);
    patches.sort();
    assert_eq!(patches, [vec![0, 3], vec![1], vec![2], vec![4]]);
}

#[test]
fn distances_of_unions_are_those_of_the_closest_pieces() {
    let mut random = Random::new(9);
    let body = |random: &mut Random| {
        Pieces::new((0..6).map(|i| {
            let by = random.direction() * 1.5;
            let points: Vec<DVec3> =
                ellipsoid(9, i + random.below(100)).iter().map(|&p| p * 0.4 + by).collect();
            Polytope::new(&points).unwrap()
        }))
    };
    let (a, b) = (body(&mut random), body(&mut random));
    let mut tracker = PiecesTracker::new();
    let (mut apart, mut measured) = (0, 0);
    for step in 0..300 {
        let place = DVec3::new(4.0 - 0.012 * f64::from(step), 0.3, 0.1);
        let pose = Pose::new(DMat3::from_rotation_z(0.01 * f64::from(step)), place).unwrap();
        let found = tracker.distance((&a, &Pose::IDENTITY), (&b, &pose));
        let mut least = f64::INFINITY;
        for p in a.pieces() {
            for q in b.pieces() {
                least = least.min(by_triangles((p, &Pose::IDENTITY), (q, &pose)));
            }
        }
        check_distance(&found.hulls, least, 1e-12, &format!("step {step}"));
        apart += usize::from(least > 0.0);
        measured += tracker.measured();
    }
    assert!(apart > 50 && apart < 300, "{apart} of 300 are apart");
    assert!(measured < 300 * 36 / 2, "spheres hardly save anything: {measured}");
}

#[test]
fn sweep_and_prune_finds_all_facets_whose_boxes_overlap() {
    let ball = generate::icosphere(2).unwrap();
    let hull = Polytope::new(ball.positions()).unwrap();
    let coverage = Coverage::new(&hull, &ball);
    let mut pairs = FacetPairs::new();
    let mut found_any = 0;
    for step in 0..40 {
        let pose = Pose::new(
            DMat3::from_rotation_z(0.1 * f64::from(step)),
            DVec3::X * (1.0 + 0.03 * f64::from(step)),
        )
        .unwrap();
        let found = pairs.find((&hull, &coverage, &Pose::IDENTITY), (&hull, &coverage, &pose));
        let bounds = |pose: &Pose| -> Vec<impinge::Bounds> {
            let at = |&vertex: &u32| pose.place(hull.hull().positions()[vertex as usize]);
            hull.hull()
                .facets()
                .map(|facet| impinge::Bounds::enclosing(facet.iter().map(at)))
                .collect()
        };
        let (boxes_a, boxes_b) = (bounds(&Pose::IDENTITY), bounds(&pose));
        let mut expected = Vec::new();
        for (i, p) in (0..).zip(&boxes_a) {
            for (j, q) in (0..).zip(&boxes_b) {
                if p.overlaps(q) {
                    expected.push([i, j]);
                }
            }
        }
        let found: Vec<[u32; 2]> = found.iter().map(|pair| pair.facets).collect();
        assert_eq!(found, expected, "step {step}");
        found_any += found.len();
    }
    assert!(found_any > 1000, "{found_any}");
}

#[test]
fn hulls_out_of_range_and_empty_hulls_have_bounds() {
    let unit = Polytope::new(&ellipsoid(20, 1)).unwrap();
    let scaled = |by: f64| {
        Polytope::new(&ellipsoid(20, 2).iter().map(|&p| p * by).collect::<Vec<_>>()).unwrap()
    };
    let empty = Polytope::default();
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
    let found = Tracker::new().distance((&unit, &Pose::IDENTITY), (&empty, &Pose::IDENTITY));
    assert_eq!(found.distance, f64::INFINITY);
    for (other, x, least) in
        [(1e-80, 3.0, 1.9), (1e80, 3e80, 1e80), (1.0, 1e90, 0.9e90), (1e-300, 5.0, 3.9)]
    {
        for found in [
            Tracker::new().distance((&unit, &Pose::IDENTITY), (&scaled(other), &at(x))),
            Gjk::new().distance((&unit, &Pose::IDENTITY), (&scaled(other), &at(x))),
        ] {
            assert!(found.lower >= least && found.lower <= x, "{other}: {found:?}");
            assert!(
                found.distance >= found.lower && found.distance <= 2.0 * x,
                "{other}: {found:?}"
            );
            assert_eq!(
                found.features.map(|f| matches!(f, Feature::Vertex(_))),
                [true; 2],
                "{other}"
            );
        }
    }
}
