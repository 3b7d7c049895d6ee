//! Faces whose swept spaces meet: hulls compared with an exact linear program, swept contacts with instant queries and
//! between methods, and the contacts that the papers' version misses.

use crate::impact::shapes;
use impinge::{
    Distribution, Mesh, Method, Motion, Pose, Shape, Threads,
    convex::{Hull, HullKind},
    generate,
    glam::{DMat3, DVec3},
    motion::{Deformation, swept_bounds, swept_contacts, swept_contacts_on},
    narrow::triangles_intersect,
};
use impinge_oracle::{
    cases::{self, Rng},
    hulls_touch,
};

type Six = [DVec3; 6];

fn hull(points: &Six) -> Hull {
    Hull::new(points).expect("finite")
}

/// The answer of the oracle.
fn touch(a: &Six, b: &Six) -> bool {
    hulls_touch(&a.map(|p| p.to_array()), &b.map(|p| p.to_array()))
}

/// Two sets of six points whose hulls are hard to tell apart.
fn hard_case(family: usize, seed: u64) -> (Six, Six) {
    let mut rng = Rng::new(seed);
    let lattice = |rng: &mut Rng, size: i32| [0; 3].map(|_| f64::from(rng.int(0, size))).into();
    let corners = |rng: &mut Rng, size: i32| -> Six { [0; 6].map(|_| lattice(rng, size)) };
    match family {
        // A small lattice: points coincide, and hulls touch at corners, edges and faces.
        0 => {
            let beside = DVec3::X * f64::from(rng.int(1, 3));
            (corners(&mut rng, 2), corners(&mut rng, 2).map(|p| p + beside))
        }
        1 => (corners(&mut rng, 3), corners(&mut rng, 2).map(|p| p + DVec3::new(2.0, 1.0, 0.0))),
        // Planar hulls, both in one plane or not.
        2 => {
            let plane = rng.below(2) as f64;
            let flat = |points: Six, z: f64| points.map(|p| DVec3::new(p.x, p.y, z + p.x - p.y));
            let (a, b) = (corners(&mut rng, 4), corners(&mut rng, 4));
            (flat(a, 0.0), flat(b, plane))
        }
        // Segments and points against anything.
        3 => {
            let (from, to): (DVec3, DVec3) = (lattice(&mut rng, 3), lattice(&mut rng, 3));
            let to = if rng.one_in(8) { from } else { to };
            let segment = [0; 6].map(|_| from + (to - from) * f64::from(rng.int(0, 2)));
            (segment, corners(&mut rng, 3))
        }
        // A hull inside another, or close to its surface.
        4 => {
            let large = corners(&mut rng, 64);
            let middle: DVec3 = large.iter().sum::<DVec3>() / 6.0;
            let toward = large[rng.below(6) as usize];
            let place = middle + (toward - middle) * rng.unit() * 1.6;
            (large, corners(&mut rng, 4).map(|p| place + (p - DVec3::splat(2.0)) * 0.25))
        }
        // Triangles of the families for triangle pairs, swept by a translation.
        _ => {
            let families = cases::families();
            let (a, b) = families[rng.below(families.len() as u64) as usize].pair(seed);
            let size = a.iter().chain(&b).flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
            let size = size.min(1e100);
            let mut sweep = |t: [[f64; 3]; 3]| {
                let by = DVec3::from([0; 3].map(|_| f64::from(rng.int(-1, 1)) * size / 4.0));
                let [p, q, r] = t.map(DVec3::from);
                [p, q, r, p + by, q + by, r + by]
            };
            (sweep(a), sweep(b))
        }
    }
}

/// A linear program decides whether two hulls have a common point.
#[test]
fn hulls_meet_exactly_if_the_linear_program_says_so() {
    let (mut kinds, mut counts) = ([0; 5], [[0; 2]; 6]);
    for (family, counts) in counts.iter_mut().enumerate() {
        for seed in 0..4_000 {
            let (a, b) = hard_case(family, seed);
            if a.iter().chain(&b).any(|p| !p.is_finite()) {
                continue;
            }
            let (one, other) = (hull(&a), hull(&b));
            let expected = touch(&a, &b);
            let case = format!("family {family}, seed {seed}: {a:?} {b:?}");
            assert_eq!(one.intersects(&other), expected, "{case}");
            assert_eq!(other.intersects(&one), expected, "{case}");
            let mut point = a;
            point.fill(b[0]);
            assert_eq!(one.contains(b[0]), touch(&a, &point), "{case}");
            counts[usize::from(expected)] += 1;
            kinds[one.shape() as usize] += 1;
        }
    }
    let is_mixed = counts.as_flattened().iter().all(|&n| n > 300);
    assert!(is_mixed, "apart and touching, by family: {counts:?}");
    assert!(kinds[1..].iter().all(|&n| n > 100), "points to polytopes: {kinds:?}");
}

#[test]
fn distances_of_hulls() {
    let cube = |x: f64| {
        let points =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, 1.0, 0.0)];
        hull(&points.map(|p| p + DVec3::X * x))
    };
    let (a, b) = (cube(0.0), cube(1.5));
    assert!(a.is_within(&b, 0.5) && !a.is_within(&b, 0.499) && !a.intersects(&b));
    assert!(!a.is_within(&cube(0.0), -1.0) && !a.is_within(&cube(0.0), f64::NAN));
    let empty = Hull::new(&[]).expect("no points");
    assert!(
        !a.is_within(&empty, 10.0) && !empty.intersects(&empty) && !empty.contains(DVec3::ZERO)
    );
    assert_eq!(empty.shape(), HullKind::Empty);
}

fn triangle(corners: [DVec3; 3]) -> Mesh {
    Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("three corners")
}

fn at(offset: DVec3) -> Pose {
    Pose::from_translation(offset).expect("finite")
}

/// The corners of a face before and after its motion.
fn swept(mesh: &Mesh, face: u32, motion: &Motion) -> Six {
    let [p, q, r] = motion.start().place_triangle(mesh.triangle(face));
    let [s, t, u] = motion.end().place_triangle(mesh.triangle(face));
    [p, q, r, s, t, u]
}

/// One face rests or both move, on a lattice and without rotation: the result is what the linear program says, except
/// for faces that only pass the same place at different times.
#[test]
fn swept_contacts_of_translations_are_exact() {
    let (mut counts, mut later) = ([0; 2], 0);
    for seed in 0..6_000 {
        let mut rng = Rng::new(seed);
        let mut lattice = || DVec3::from([0; 3].map(|_| f64::from(rng.int(-2, 2))));
        let meshes = [0; 2].map(|_| triangle([0; 3].map(|_| lattice())));
        let mut motion = || Motion::between(at(lattice()), at(lattice())).expect("no rotation");
        let mut motions = [motion(), motion()];
        let rests = seed % 3 != 0;
        if rests {
            motions[0] = Motion::still(*motions[0].start());
        }
        let [a, b] = [0, 1].map(|i| swept(&meshes[i], 0, &motions[i]));
        let shapes = meshes.map(Shape::new);
        let found = swept_contacts((&shapes[0], &motions[0]), (&shapes[1], &motions[1]));
        let found = found.expect("one method");
        let (is_found, expected) = (!found.pairs.is_empty(), touch(&a, &b));
        let case = format!("seed {seed}: {a:?} {b:?}");
        if rests {
            assert_eq!(is_found, expected, "{case}");
        } else {
            assert!(!is_found || expected, "{case}");
            // In the frame of the first body, the other sweeps what it can touch.
            let back = motions[0].start().translation() - motions[0].end().translation();
            let seen = [a[0], a[1], a[2], a[0], a[1], a[2]];
            let relative = [b[0], b[1], b[2], b[3] + back, b[4] + back, b[5] + back];
            assert!(is_found || !touch(&seen, &relative), "{case}");
            later += usize::from(expected && !is_found);
        }
        counts[usize::from(is_found)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 1_000), "{counts:?} clear and found");
    assert!(later > 10, "{later} hulls met although their faces were proven to stay apart");
}

fn random_motion(random: &mut generate::Random) -> Motion {
    let rotation = DMat3::from_axis_angle(random.direction(), random.range(0.0, 3.0));
    let start = Pose::new(rotation, random.direction() * random.range(0.0, 2.0)).expect("rotation");
    let turn = random.direction() * [0.0, 0.2, 1.0, 4.0][random.below(4) as usize];
    let by = random.direction() * random.range(0.0, 2.0);
    let pivot = random.direction() * [0.0, 0.5][random.below(2) as usize];
    Motion::spinning(start, by, turn, pivot).expect("in range")
}

/// Instant queries at many times find no face pair that is not among the swept contacts.
#[test]
fn faces_that_touch_at_any_time_are_found() {
    let shapes = shapes(Method::default());
    let (mut contacts, mut clear) = (0, 0);
    for seed in 0..60 {
        let mut random = generate::Random::new(seed);
        let [a, b] = [0; 2].map(|_| &shapes[random.below(3) as usize]);
        let [motion_a, motion_b] = [0; 2].map(|_| random_motion(&mut random));
        let found = swept_contacts((a, &motion_a), (b, &motion_b)).expect("one method");
        assert!(found.pairs.is_sorted() && found.pairs.len() <= found.compared);
        clear += usize::from(found.pairs.is_empty());
        let bounds = [swept_bounds(a, &motion_a), swept_bounds(b, &motion_b)];
        let is_near = bounds[0].overlaps(&bounds[1]);
        assert!(is_near || found.pairs.is_empty(), "seed {seed}: the boxes are apart");
        for sample in 0..=60 {
            let time = f64::from(sample) / 60.0;
            let poses = [motion_a.pose_at(time), motion_b.pose_at(time)];
            for (i, (shape, pose)) in [a, b].into_iter().zip(&poses).enumerate() {
                let mut corners = shape.mesh().positions().iter().map(|&p| pose.place(p));
                assert!(corners.all(|p| bounds[i].contains(p)), "seed {seed}: outside at {time}");
            }
            for pair in impinge::contacts((a, &poses[0]), (b, &poses[1])).expect("one method") {
                contacts += 1;
                assert!(
                    found.pairs.binary_search(&pair).is_ok(),
                    "seed {seed}: {pair:?} at {time}"
                );
            }
        }
    }
    assert!(contacts > 5_000 && clear > 3, "{contacts} contacts, {clear} clear");
}

#[test]
fn every_method_finds_the_same_swept_contacts() {
    let reference = shapes(Method::BRUTE);
    let others: Vec<_> = crate::methods().into_iter().map(|m| (m, shapes(m))).collect();
    let mut found = 0;
    for seed in 100..112 {
        let mut random = generate::Random::new(seed);
        let [i, j] = [0; 2].map(|_| random.below(3) as usize);
        let [motion_a, motion_b] = [0; 2].map(|_| random_motion(&mut random));
        let contacts = |shapes: &[Shape]| {
            swept_contacts((&shapes[i], &motion_a), (&shapes[j], &motion_b)).expect("one method")
        };
        let expected = contacts(&reference);
        found += expected.pairs.len();
        for (method, shapes) in &others {
            assert_eq!(contacts(shapes), expected, "{method}, seed {seed}");
        }
        for &(name, distribution) in Distribution::NAMES {
            let (a, b) = ((&reference[i], &motion_a), (&reference[j], &motion_b));
            let found = swept_contacts_on(a, b, Threads::Pool, distribution).expect("one method");
            assert_eq!(found, expected, "{name}, seed {seed}");
        }
    }
    assert!(found > 100, "only {found} pairs");
    let other = Shape::with_method(Method::AABB, generate::sphere(48).expect("even"));
    let still = Motion::still(Pose::IDENTITY);
    assert!(swept_contacts((&reference[0], &still), (&other, &still)).is_err());
}

/// The papers compare the hulls of six corners. A blade that turns by a quarter leaves the hull, and hits an obstacle that
/// the hull does not reach.
#[test]
fn the_arc_of_a_turning_blade_is_covered() {
    let blade = triangle([DVec3::X * 9.0, DVec3::X * 10.0, DVec3::new(9.5, 0.0, 1.0)]);
    let middle = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_4);
    // A thin plate in the way of the blade, at half of its turn.
    let plate = triangle(
        [[9.4, -0.1, 0.5], [9.6, -0.1, 0.5], [9.5, 0.2, 0.5]].map(|p| middle * DVec3::from(p)),
    );
    let quarter = Pose::new(DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::ZERO);
    let turning = Motion::between(Pose::IDENTITY, quarter.expect("a rotation")).expect("a quarter");
    let still = Motion::still(Pose::IDENTITY);

    let hulls = [swept(&blade, 0, &turning), swept(&plate, 0, &still)];
    assert!(!hull(&hulls[0]).intersects(&hull(&hulls[1])), "the papers' version misses it");
    let [blade, plate] = [blade, plate].map(Shape::new);
    let halfway = turning.pose_at(0.5);
    assert!(
        impinge::intersects((&blade, &halfway), (&plate, &Pose::IDENTITY)).expect("one method")
    );
    let found = swept_contacts((&blade, &turning), (&plate, &still)).expect("one method");
    assert_eq!(found.pairs.len(), 1);
}

/// The papers' criterion: some edge of one hull intersects a facet of the other.
fn edge_meets_facet(a: &Hull, b: &Hull) -> bool {
    let at = |hull: &Hull, corner: u32| hull.positions()[corner as usize];
    let facets: Vec<Vec<u32>> = match b.shape() {
        HullKind::Polytope => b.facets().map(<[u32]>::to_vec).collect(),
        _ => vec![(0..b.positions().len() as u32).collect()],
    };
    a.edges().iter().any(|edge| {
        let [from, to] = edge.vertices.map(|corner| at(a, corner));
        facets.iter().any(|facet| {
            (2..facet.len()).any(|i| {
                let corners = [facet[0], facet[i - 1], facet[i]].map(|corner| at(b, corner));
                triangles_intersect(&[from, to, to], &corners)
            })
        })
    })
}

/// A large face passes over a small one between two instants. The small one is wholly inside the hull of the large one, so
/// that no edge of a hull meets a facet of the other.
#[test]
fn a_face_inside_the_swept_space_of_another_is_found() {
    let large = triangle([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]].map(DVec3::from));
    let small = triangle([[-0.1, 0.0, 0.0], [0.1, 0.0, 0.1], [0.0, 0.1, -0.1]].map(DVec3::from));
    let passing = Motion::between(at(DVec3::Z * -2.0), at(DVec3::Z * 2.0)).expect("no rotation");
    let still = Motion::still(Pose::IDENTITY);

    let [outer, inner] = [swept(&large, 0, &passing), swept(&small, 0, &still)].map(|s| hull(&s));
    assert!(!edge_meets_facet(&outer, &inner) && !edge_meets_facet(&inner, &outer));
    assert!(outer.intersects(&inner));
    let [large, small] = [large, small].map(Shape::new);
    let found = swept_contacts((&large, &passing), (&small, &still)).expect("one method");
    assert_eq!(found.pairs.len(), 1);
    // They do touch in between.
    assert!(
        impinge::intersects((&large, &passing.pose_at(0.5)), (&small, &Pose::IDENTITY))
            .expect("one method")
    );
}

/// A ball that is inflated and moved beside a block.
#[test]
fn faces_of_deforming_bodies_are_found() {
    let shapes = shapes(Method::default());
    let (block, ball) = (&shapes[0], &shapes[2]);
    let still = Motion::still(Pose::IDENTITY);
    let mut contacts = 0;
    for seed in 0..20 {
        let mut random = generate::Random::new(seed);
        let [start, end] = [0; 2].map(|_| at(random.direction() * random.range(1.0, 3.0)));
        let stretch = DVec3::from([0; 3].map(|_| random.range(0.3, 2.0)));
        let positions: Vec<DVec3> = ball.mesh().positions().iter().map(|&p| p * stretch).collect();
        let deformation = Deformation::new(ball, start, &positions, end).expect("finite");
        let found = swept_contacts((block, &still), &deformation).expect("one method");
        for sample in 0..=40 {
            let positions = deformation.positions_at(f64::from(sample) / 40.0);
            let now = Shape::new(ball.mesh().with_positions(positions).expect("as many"));
            let identity = &Pose::IDENTITY;
            for pair in impinge::contacts((block, identity), (&now, identity)).expect("one method")
            {
                contacts += 1;
                assert!(found.pairs.binary_search(&pair).is_ok(), "seed {seed}: {pair:?}");
            }
        }
    }
    assert!(contacts > 500, "only {contacts} contacts");
}

#[test]
fn bodies_without_faces_sweep_nothing() {
    let empty = Shape::new(Mesh::new(Vec::new(), Vec::new()).expect("no faces"));
    let sphere = Shape::new(generate::sphere(48).expect("even"));
    let still = Motion::still(Pose::IDENTITY);
    let found = swept_contacts((&empty, &still), (&sphere, &still)).expect("one method");
    assert!(found.pairs.is_empty() && found.compared == 0);
}
