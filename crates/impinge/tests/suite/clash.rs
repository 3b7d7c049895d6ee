//! Clash verdicts for pairs with known answers, and depths compared with independent computations.

use impinge::{
    Mesh, Method, Pair, Pose, Threads,
    clash::{
        self, Clash, Effort, Options, Part, Progress, Side, Stage, Tessellation, Verdict, Watch,
    },
    generate::{self, Random},
    glam::{DMat3, DVec3, dvec3},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

fn cuboid(x: f64, y: f64, z: f64) -> Mesh {
    generate::cuboid(dvec3(x, y, z)).expect("a size")
}

fn at(mesh: impl Into<Arc<Mesh>>, x: f64, y: f64, z: f64) -> Part {
    let pose = Pose::from_translation(dvec3(x, y, z)).expect("finite");
    Part::new(mesh.into(), pose)
}

/// The clash between two parts, if there is one.
fn clash_of(a: Part, b: Part, options: &Options) -> Option<Clash> {
    let report = clash::find(&[a, b], options);
    assert!(report.clashes.len() <= 1);
    report.clashes.into_iter().next()
}

fn verdict_of(a: Part, b: Part) -> Option<(Verdict, Option<f64>)> {
    clash_of(a, b, &Options::new()).map(|clash| (clash.verdict, clash.least_depth()))
}

fn is_near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[test]
fn boxes_that_share_a_side_touch() {
    let clash = clash_of(
        at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0),
        at(cuboid(1.0, 1.0, 1.0), 1.0, 0.25, 0.0),
        &Options::new(),
    )
    .expect("they meet");
    assert_eq!(clash.verdict, Verdict::Touching);
    assert_eq!(clash.least_depth(), Some(0.0));
    assert_eq!(clash.distance, 0.0);
    assert_eq!(clash.places.len(), 1);
    assert_eq!(clash.length, 2.0 * (0.75 + 1.0), "the border of the patch");
    assert_eq!(clash.extent.min, dvec3(0.5, -0.25, -0.5));
    assert_eq!(clash.extent.max, dvec3(0.5, 0.5, 0.5));
}

#[test]
fn boxes_that_share_a_corner_or_an_edge_touch() {
    for away in [dvec3(1.0, 1.0, 1.0), dvec3(1.0, 1.0, 0.0), dvec3(1.0, -1.0, 0.3)] {
        let found = verdict_of(
            at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0),
            at(cuboid(1.0, 1.0, 1.0), away.x, away.y, away.z),
        );
        assert_eq!(found, Some((Verdict::Touching, Some(0.0))), "{away}");
    }
}

#[test]
fn a_corner_inside_a_box_has_its_true_depth() {
    // The corner (0.3, 0.4, 0.2) of the second box is 0.1 below the side y = 0.5 of the first.
    let found = verdict_of(
        at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0),
        at(cuboid(1.0, 1.0, 1.0), 0.8, 0.9, 0.7),
    );
    let Some((Verdict::Penetrating, depth)) = found else { panic!("{found:?}") };
    assert!(is_near(depth, 0.1), "{depth:?}");
}

#[test]
fn equal_boxes_moved_along_an_axis_penetrate() {
    // No vertex of either box is strictly inside the other: all sides but two are coplanar.
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let away = axis * 0.9;
        let found = verdict_of(
            at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0),
            at(cuboid(1.0, 1.0, 1.0), away.x, away.y, away.z),
        );
        let Some((Verdict::Penetrating, depth)) = found else { panic!("{found:?}") };
        assert!(is_near(depth, 0.1), "{axis}: {depth:?}");
    }
}

#[test]
fn bars_that_cross_penetrate() {
    // No vertex of either is inside the other.
    let clash = clash_of(
        at(cuboid(10.0, 1.0, 1.0), 0.0, 0.0, 0.0),
        at(cuboid(0.4, 10.0, 0.4), 0.3, 0.0, 0.1),
        &Options::new(),
    )
    .expect("they cross");
    assert_eq!(clash.verdict, Verdict::Penetrating);
    // The thin bar comes out of the thick one, which is 1 wide, at z = 0.5: it reaches down to z = -0.1.
    let depth = clash.depth.expect("closed parts");
    assert!((depth.at_least - 0.6).abs() < 1e-9, "{depth:?}");
    assert!(depth.at_most().is_some_and(|most| (most - 0.6).abs() < 1e-9), "{depth:?}");
    assert!(clash.volume.is_some_and(|volume| (volume - 0.4 * 0.4).abs() < 1e-12), "{clash:?}");
    assert_eq!(clash.places.len(), 2, "in at one side, out at the other");
    let around = 4.0 * 0.4;
    assert!((clash.length - 2.0 * around).abs() < 1e-9, "{}", clash.length);
    assert!((clash.extent.size() - dvec3(0.4, 1.0, 0.4)).abs().max_element() < 1e-12);
}

#[test]
fn a_touch_band_turns_shallow_penetration_into_touching() {
    let parts =
        || (at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0), at(cuboid(1.0, 1.0, 1.0), 0.99, 0.2, 0.1));
    let (a, b) = parts();
    let wide = clash_of(a, b, &Options::new().touch(0.02).unwrap()).expect("they meet");
    assert_eq!(wide.verdict, Verdict::Touching);
    let depth = wide.depth.expect("closed parts");
    assert!(depth.at_least <= 0.01 + 1e-12 && is_near(depth.at_most(), 0.01), "{depth:?}");
    let (a, b) = parts();
    let narrow = clash_of(a, b, &Options::new().touch(0.005).unwrap()).expect("they meet");
    assert_eq!(narrow.verdict, Verdict::Penetrating);
}

#[test]
fn a_part_in_a_solid_is_inside_but_a_part_in_its_cavity_is_not() {
    let outer = cuboid(4.0, 4.0, 4.0);
    let small = Arc::new(cuboid(1.0, 1.0, 1.0));
    let clash = clash_of(
        at(outer.clone(), 0.0, 0.0, 0.0),
        at(small.clone(), 1.0, 0.0, 0.0),
        &Options::new(),
    )
    .expect("it is inside");
    assert_eq!(clash.verdict, Verdict::Inside);
    assert!((clash.distance - 0.5).abs() < 1e-12);
    assert!(
        clash.least_depth().is_some_and(|depth| (1.5..=1.500_001).contains(&depth)),
        "{:?}",
        clash.least_depth()
    );

    // Swapping the parts changes nothing.
    let turned = clash_of(
        at(small.clone(), 1.0, 0.0, 0.0),
        at(outer.clone(), 0.0, 0.0, 0.0),
        &Options::new(),
    )
    .expect("it is inside");
    assert_eq!((turned.verdict, turned.least_depth()), (clash.verdict, clash.least_depth()));

    // A cavity is a shell that faces inward.
    let cavity = cuboid(2.0, 2.0, 2.0);
    let inward: Vec<[u32; 3]> = cavity.faces().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let cavity = Mesh::new(cavity.positions().to_vec(), inward).expect("as before");
    let here = Pose::IDENTITY;
    let hollow = generate::merged([(&outer, &here), (&cavity, &here)]).expect("few faces");
    assert_eq!(
        verdict_of(at(hollow.clone(), 0.0, 0.0, 0.0), at(small.clone(), 0.0, 0.0, 0.0)),
        None
    );
    let in_the_wall = at(cuboid(0.2, 0.2, 0.2), 1.5, 0.0, 0.0);
    let found = verdict_of(at(hollow.clone(), 0.0, 0.0, 0.0), in_the_wall);
    assert_eq!(found.map(|found| found.0), Some(Verdict::Inside));

    // A box without one of its triangles: the others still cover most of what is seen from inside.
    let open =
        Mesh::new(outer.positions().to_vec(), outer.faces()[1..].to_vec()).expect("as before");
    let found = verdict_of(at(open, 0.0, 0.0, 0.0), at(small.clone(), 0.0, 0.0, 0.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Inside));
    // A box without two opposite sides is a tube, and encloses nothing.
    let is_side = |face: &&[u32; 3]| {
        let [p, q, r] = face.map(|vertex| outer.positions()[vertex as usize].x);
        !(p == q && q == r)
    };
    let sides: Vec<[u32; 3]> = outer.faces().iter().filter(is_side).copied().collect();
    let tube = Mesh::new(outer.positions().to_vec(), sides).expect("as before");
    assert_eq!(verdict_of(at(tube, 0.0, 0.0, 0.0), at(small, 0.0, 0.0, 0.0)), None);
}

#[test]
fn overlapping_shells_of_one_part_are_one_solid() {
    // Where the shells overlap, the winding number is 2. That counts as inside, too.
    let shell = cuboid(2.0, 2.0, 2.0);
    let there = Pose::from_translation(dvec3(1.0, 0.0, 0.0)).expect("finite");
    let part = generate::merged([(&shell, &Pose::IDENTITY), (&shell, &there)]).expect("few faces");
    let found = verdict_of(at(part, 0.0, 0.0, 0.0), at(cuboid(0.1, 0.1, 0.1), 0.5, 0.0, 0.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Inside));
}

#[test]
fn one_connected_piece_inside_is_enough() {
    let small = cuboid(1.0, 1.0, 1.0);
    let there = Pose::from_translation(dvec3(10.0, 0.0, 0.0)).expect("finite");
    let pieces =
        generate::merged([(&small, &there), (&small, &Pose::IDENTITY)]).expect("few faces");
    let found =
        verdict_of(at(pieces.clone(), 0.0, 0.0, 0.0), at(cuboid(4.0, 4.0, 4.0), 0.0, 0.0, 0.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Inside));

    // One piece touches from outside and another one is inside: the verdict is penetrating.
    let found = verdict_of(at(pieces, 0.0, 0.0, 0.0), at(cuboid(19.0, 4.0, 4.0), 0.0, 0.0, 0.0));
    let Some((Verdict::Penetrating, depth)) = found else { panic!("{found:?}") };
    assert!(depth.is_some_and(|depth| depth >= 1.5), "{depth:?}");
}

#[test]
fn clearance_reports_distance_and_closest_points() {
    let options = Options::new().clearance(0.5).unwrap();
    let parts = |gap: f64| {
        (at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0), at(cuboid(1.0, 1.0, 1.0), 1.0 + gap, 0.0, 0.0))
    };
    let (a, b) = parts(0.25);
    let clash = clash_of(a, b, &options).expect("too close");
    assert_eq!(
        (clash.verdict, clash.distance, clash.least_depth()),
        (Verdict::Clearance, 0.25, None)
    );
    assert_eq!((clash.points[0].x, clash.points[1].x), (0.5, 0.75));
    assert_eq!(clash.faces.len(), 1);
    let (a, b) = parts(0.5);
    assert_eq!(clash_of(a, b, &options), None, "a gap equal to the clearance is allowed");
    let (a, b) = parts(0.25);
    assert_eq!(clash_of(a, b, &Options::new()), None, "no clearance was requested");
}

#[test]
fn the_same_part_in_the_same_place_is_a_duplicate() {
    let part = Arc::new(generate::gear(12, 2.0, 8.0, 3.0).expect("a gear"));
    let found = verdict_of(at(part.clone(), 1.0, 2.0, 3.0), at(part.clone(), 1.0, 2.0, 3.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Duplicate));

    // Vertices, faces and corners in another order.
    let mut random = Random::new(3);
    let mut faces: Vec<[usize; 3]> = part.faces().iter().map(|f| f.map(|v| v as usize)).collect();
    random.shuffle(&mut faces);
    let mut order: Vec<usize> = (0..part.positions().len()).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new as u32;
    }
    let positions = order.iter().map(|&old| part.positions()[old]).collect();
    let faces = faces.iter().map(|&[a, b, c]| [place[b], place[c], place[a]]).collect();
    let shuffled = Mesh::new(positions, faces).expect("as before");
    let found = verdict_of(at(part.clone(), 1.0, 2.0, 3.0), at(shuffled, 1.0, 2.0, 3.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Duplicate));

    // A gear turned by one tooth coincides with itself.
    let turn = DMat3::from_rotation_z(std::f64::consts::TAU / 12.0);
    let turned = Part::new(part.clone(), Pose::new(turn, dvec3(1.0, 2.0, 3.0)).unwrap());
    let found = verdict_of(at(part.clone(), 1.0, 2.0, 3.0), turned);
    assert_eq!(found.map(|found| found.0), Some(Verdict::Duplicate));

    // A wide touch band does not turn neighbours into duplicates.
    let clash = clash_of(
        at(part.clone(), 1.0, 2.0, 3.0),
        at(part, 1.0, 2.5, 3.0),
        &Options::new().touch(100.0).unwrap(),
    );
    assert_eq!(clash.map(|clash| clash.verdict), Some(Verdict::Touching));
}

/// A square sheet in the plane z = 0, of four by four squares.
fn sheet() -> Mesh {
    let points =
        (0..25).map(|i| dvec3(f64::from(i % 5) - 2.0, f64::from(i / 5) - 2.0, 0.0)).collect();
    let squares = (0..4u32).flat_map(|y| (0..4u32).map(move |x| 5 * y + x));
    let faces = squares.flat_map(|i| [[i, i + 1, i + 6], [i, i + 6, i + 5]]).collect();
    Mesh::new(points, faces).expect("a sheet")
}

#[test]
fn open_sheets_cross_or_touch() {
    let flat = Arc::new(sheet());
    let upright = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2);
    // Entries of exactly 0 and ±1.
    let upright =
        DMat3::from_cols(upright.x_axis.round(), upright.y_axis.round(), upright.z_axis.round());
    let stand = |x: f64, y: f64, z: f64| {
        Part::new(flat.clone(), Pose::new(upright, dvec3(x, y, z)).expect("a rotation"))
    };
    let lie = || at(flat.clone(), 0.0, 0.0, 0.0);
    let verdict = |part: Part| {
        let clash = clash_of(lie(), part, &Options::new());
        clash.map(|clash| (clash.verdict, clash.least_depth(), clash.is_closed))
    };
    let expected = |verdict| Some((verdict, None, [false; 2]));
    assert_eq!(verdict(stand(0.3, 0.4, 0.5)), expected(Verdict::Penetrating), "through faces");
    assert_eq!(
        verdict(stand(0.0, 0.0, 0.0)),
        expected(Verdict::Penetrating),
        "along edges of both"
    );
    assert_eq!(verdict(stand(0.0, 1.0, 0.3)), expected(Verdict::Penetrating), "along edges of one");
    assert_eq!(verdict(stand(0.3, 0.4, 2.0)), expected(Verdict::Touching), "stands on it");
    assert_eq!(verdict(stand(0.0, 2.0, 0.3)), expected(Verdict::Touching), "at its border");
    assert_eq!(
        verdict(at(flat.clone(), 1.5, 0.5, 0.0)),
        expected(Verdict::Touching),
        "in its plane"
    );
    assert_eq!(verdict(stand(0.3, 0.4, 2.5)), None, "above");

    // A sheet through a solid penetrates it, up to the solid's closest side.
    let clash = clash_of(lie(), at(cuboid(1.0, 1.0, 1.0), 0.2, 0.1, 0.3), &Options::new()).unwrap();
    assert_eq!(clash.verdict, Verdict::Penetrating);
    assert!(is_near(clash.least_depth(), 0.2), "{clash:?}");
    assert_eq!(clash.is_closed, [false, true]);
    let clash = clash_of(lie(), at(cuboid(1.0, 1.0, 1.0), 0.2, 0.1, 0.5), &Options::new()).unwrap();
    assert_eq!(clash.verdict, Verdict::Touching, "the solid stands on the sheet");
}

#[test]
fn parts_without_faces_clash_with_nothing() {
    let nothing = at(Mesh::default(), 0.0, 0.0, 0.0);
    let report = clash::find(
        &[nothing.clone(), at(cuboid(1.0, 1.0, 1.0), 0.0, 0.0, 0.0), nothing],
        &Options::new().clearance(1.0).unwrap(),
    );
    assert_eq!(report.clashes, []);
    assert_eq!(clash::find(&[], &Options::new()).clashes, []);
}

#[test]
fn bands_and_clearances_are_checked() {
    for bad in [-1.0, f64::NAN] {
        assert!(Options::new().touch(bad).is_err());
        assert!(Options::new().clearance(bad).is_err());
    }
}

/// A heap of closed and open parts at seeded random poses.
fn heap(seed: u64, count: usize) -> Vec<Part> {
    let mut random = Random::new(seed);
    let ball = generate::sphere(240).expect("an even number");
    let half = Mesh::new(ball.positions().to_vec(), ball.faces()[..120].to_vec()).expect("faces");
    let meshes: Vec<Arc<Mesh>> = [
        ball,
        half,
        cuboid(1.0, 2.0, 0.5),
        cuboid(6.0, 0.2, 0.3),
        generate::torus(1.5, 0.3, [24, 10]).expect("a torus"),
        cuboid(5.0, 5.0, 5.0),
    ]
    .map(Arc::new)
    .into();
    (0..count)
        .map(|_| {
            let mesh = meshes[random.below(meshes.len() as u64) as usize].clone();
            let place =
                dvec3(random.range(-6.0, 6.0), random.range(-6.0, 6.0), random.range(-6.0, 6.0));
            Part::new(mesh, Pose::new(random.rotation(), place).expect("a rotation"))
        })
        .collect()
}

/// The winding number of a closed surface around a point, by solid angles: uses neither rays nor
/// signs.
fn winding(part: &Part, point: DVec3) -> f64 {
    let angles = part.mesh.triangles().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| part.pose.place(corner) - point);
        let (l, m, n) = (a.length(), b.length(), c.length());
        let below = l * m * n + a.dot(b) * n + b.dot(c) * l + c.dot(a) * m;
        2.0 * a.dot(b.cross(c)).atan2(below)
    });
    angles.sum::<f64>() / (2.0 * std::f64::consts::TAU)
}

fn is_closed(part: &Part) -> bool {
    part.mesh.report().is_closed
}

/// The distance from a point to a part's surface, by brute force over all faces.
fn distance_to(part: &Part, point: DVec3) -> f64 {
    let distances = part.mesh.triangles().map(|triangle| {
        let triangle = part.pose.place_triangle(triangle);
        impinge::narrow::triangles_distance(&triangle, &[point; 3]).distance
    });
    distances.fold(f64::INFINITY, f64::min)
}

/// The largest depth of sampled points of `inner` in the solid `outer`: corners, and a grid on each
/// face.
fn sampled_depth(inner: &Part, outer: &Part, fineness: i32) -> f64 {
    let mut depth = 0.0f64;
    for triangle in inner.mesh.triangles() {
        let [a, b, c] = inner.pose.place_triangle(triangle);
        for i in 0..=fineness {
            for j in 0..=fineness - i {
                let (s, t) =
                    (f64::from(i) / f64::from(fineness), f64::from(j) / f64::from(fineness));
                let point = a + (b - a) * s + (c - a) * t;
                if winding(outer, point).abs() > 0.5 {
                    depth = depth.max(distance_to(outer, point));
                }
            }
        }
    }
    depth
}

#[test]
fn verdicts_on_random_heaps_agree_with_independent_computations() {
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..6 {
        let parts = heap(seed, 40);
        let options = Options::new().clearance(0.3).unwrap();
        let report = clash::find(&parts, &options);
        let mut clashes = report.clashes.iter().peekable();
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                let place = format!("seed {seed}, parts {a} and {b}");
                let clash = clashes.next_if(|clash| (clash.a, clash.b) == (a, b));
                check(&parts[a], &parts[b], clash, &place);
                *counts.entry(clash.map(|clash| clash.verdict)).or_insert(0) += 1;
            }
        }
        assert!(clashes.next().is_none(), "seed {seed}: clashes are unsorted or too many");
    }
    for verdict in [Verdict::Penetrating, Verdict::Inside, Verdict::Clearance] {
        assert!(counts.get(&Some(verdict)).is_some_and(|&count| count > 5), "{counts:?}");
    }
}

/// Compares the clash reported for two parts with independent computations.
fn check(a: &Part, b: &Part, clash: Option<&Clash>, place: &str) {
    let mut pair = Pair::with_method(Method::WIDE, a.mesh.clone(), b.mesh.clone());
    let contacts = pair.contacts(&a.pose, &b.pose).to_vec();
    let is_inside = |inner: &Part, outer: &Part| {
        is_closed(outer) && winding(outer, inner.pose.place(inner.mesh.positions()[0])).abs() > 0.5
    };
    let distance = pair.distance(&a.pose, &b.pose).expect("faces").distance;
    let Some(clash) = clash else {
        assert!(contacts.is_empty(), "{place}: a contact was not reported");
        assert!(!is_inside(a, b) && !is_inside(b, a), "{place}: a part inside was not reported");
        assert!(distance >= 0.3, "{place}: a clearance was not reported");
        return;
    };
    assert_eq!(clash.is_closed, [is_closed(a), is_closed(b)], "{place}");
    if contacts.is_empty() {
        let expected =
            if is_inside(a, b) || is_inside(b, a) { Verdict::Inside } else { Verdict::Clearance };
        assert_eq!(clash.verdict, expected, "{place}");
        assert!((clash.distance / distance - 1.0).abs() < 1e-9, "{place}");
        assert!((clash.points[0].distance(clash.points[1]) - distance).abs() < 1e-9, "{place}");
        assert!(distance_to(a, clash.points[0]) < 1e-9, "{place}");
        assert!(distance_to(b, clash.points[1]) < 1e-9, "{place}");
    } else {
        assert_eq!(clash.faces, contacts, "{place}");
        assert_eq!(clash.verdict, Verdict::Penetrating, "{place}: random parts do not just touch");
        let of_places: usize = clash.places.iter().map(|place| place.faces.len()).sum();
        assert_eq!(of_places, contacts.len(), "{place}: each pair of faces is at one place");
        for point in clash.places.iter().map(|place| place.point).chain(clash.points) {
            let off = distance_to(a, point).max(distance_to(b, point));
            assert!(off < 1e-9, "{place}: {point} is {off} off");
            assert!(clash.extent.contains(point), "{place}");
        }
    }
    let has_depth = clash.is_closed != [false; 2] && clash.verdict != Verdict::Clearance;
    assert_eq!(clash.least_depth().is_some(), has_depth, "{place}");
    if let Some(depth) = clash.least_depth() {
        // The depth of every corner is guaranteed to be covered.
        let sampled = |inner: &Part, outer: &Part| match is_closed(outer) {
            true => sampled_depth(inner, outer, 1),
            false => 0.0,
        };
        let corners = sampled(a, b).max(sampled(b, a));
        assert!(depth >= corners - 1e-9, "{place}: {depth}, but a corner is {corners} deep");
        let radius = a.mesh.bounds().size().length().min(b.mesh.bounds().size().length());
        assert!(depth <= radius, "{place}: {depth} deep");
    }
}

#[test]
fn depth_is_close_to_the_depth_on_a_fine_grid() {
    // It may exceed the grid's depth by at most one cell, and falls short of it by little on
    // average.
    let (mut pairs, mut short) = (0, 0.0f64);
    for seed in 10..13 {
        let parts = heap(seed, 16);
        let report = clash::find(&parts, &Options::new());
        for clash in report.clashes.iter().filter(|clash| clash.least_depth().is_some()) {
            let (a, b) = (&parts[clash.a], &parts[clash.b]);
            let grid = sampled_depth(a, b, 12).max(sampled_depth(b, a, 12));
            let depth = clash.least_depth().expect("of closed parts");
            let widest = |part: &Part| {
                part.mesh
                    .triangles()
                    .map(|[p, q, r]| p.distance(q).max(q.distance(r)).max(r.distance(p)))
                    .fold(0.0, f64::max)
            };
            let cell = widest(a).max(widest(b)) / 12.0;
            let place = format!("seed {seed}, parts {} and {}", clash.a, clash.b);
            assert!(
                depth <= grid + cell,
                "{place}: depth {depth} exceeds the grid's {grid} by more than a cell, {cell}"
            );
            pairs += 1;
            short += (1.0 - depth / grid).max(0.0);
        }
    }
    assert!(pairs > 10, "{pairs} pairs");
    assert!(
        short / f64::from(pairs) < 0.1,
        "the depth falls short by a fraction of {} on average",
        short / f64::from(pairs)
    );
}

#[test]
fn threads_change_nothing_and_the_order_of_parts_keeps_verdicts() {
    let parts = heap(77, 120);
    let options = Options::new().clearance(0.2).unwrap();
    let one = clash::find(&parts, &options);
    let all = clash::find(&parts, &options.threads(Threads::Pool));
    assert_eq!(one, all);
    assert!(one.clashes.is_sorted_by_key(|clash| (clash.a, clash.b)));
    assert!(one.clashes.iter().all(|clash| clash.a < clash.b));

    let last = parts.len() - 1;
    let backward: Vec<Part> = parts.iter().rev().cloned().collect();
    let turned = clash::find(&backward, &options);
    let mut pairs: Vec<_> = turned
        .clashes
        .iter()
        .map(|clash| (last - clash.b, last - clash.a, clash.verdict))
        .collect();
    pairs.sort_unstable();
    let expected: Vec<_> =
        one.clashes.iter().map(|clash| (clash.a, clash.b, clash.verdict)).collect();
    assert_eq!(pairs, expected);
}

struct Watcher {
    reports: AtomicU64,
    stop_at: Option<Stage>,
}

impl Watch for Watcher {
    fn includes(&self, a: usize, b: usize) -> bool {
        assert!(a < b);
        a.is_multiple_of(2)
    }

    fn proceed(&self, progress: Progress) -> bool {
        assert!(progress.done <= progress.total);
        self.reports.fetch_add(1, Ordering::Relaxed);
        self.stop_at != Some(progress.stage)
    }
}

#[test]
fn a_watcher_can_exclude_pairs_and_stop_the_search() {
    let parts = heap(5, 100);
    let watcher = |stop_at| Watcher { reports: AtomicU64::new(0), stop_at };
    for threads in [Threads::One, Threads::Pool] {
        let options = Options::new().threads(threads);
        let whole = watcher(None);
        let report =
            clash::find_watched(&parts, &options, &whole).expect("the watcher does not stop");
        assert!(
            !report.clashes.is_empty()
                && report.clashes.iter().all(|clash| clash.a.is_multiple_of(2))
        );
        assert!(whole.reports.load(Ordering::Relaxed) > 0);
        for stage in [Stage::Meshes, Stage::Pairs] {
            assert_eq!(clash::find_watched(&parts, &options, &watcher(Some(stage))), None);
        }
    }
}

/// The same surface with the diagonal of every square flipped.
fn recut(mesh: &Mesh) -> Mesh {
    let faces = mesh.faces().chunks(2).flat_map(|pair| {
        let [p, q] = [pair[0], pair[1]];
        // `i` and `j` are the corners that the two triangles do not share.
        let lone =
            |f: [u32; 3], g: [u32; 3]| (0..3).find(|&i| !g.contains(&f[i])).expect("squares");
        let (i, j) = (lone(p, q), lone(q, p));
        let (tip, left, right, other) = (p[i], p[(i + 1) % 3], p[(i + 2) % 3], q[j]);
        [[tip, left, other], [tip, other, right]]
    });
    Mesh::new(mesh.positions().to_vec(), faces.collect()).expect("as before")
}

#[test]
fn solids_whose_surfaces_coincide_penetrate() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let copy = recut(&cube);
    assert!(copy.report().is_closed, "{:?}", copy.report());
    let found = verdict_of(at(cube.clone(), 5.0, 0.0, 0.0), at(copy, 5.0, 0.0, 0.0));
    let Some((Verdict::Duplicate, depth)) = found else { panic!("{found:?}") };
    assert!(is_near(depth, 1.0), "{depth:?}");

    // Two parts that share one of their connected pieces.
    let there = |x| Pose::from_translation(dvec3(x, 0.0, 0.0)).expect("finite");
    let small = cuboid(0.5, 0.5, 0.5);
    let merged =
        |x| generate::merged([(&cube, &Pose::IDENTITY), (&small, &there(x))]).expect("few");
    let found = verdict_of(at(merged(3.0), 0.0, 0.0, 0.0), at(merged(-3.0), 0.0, 0.0, 0.0));
    assert_eq!(found.map(|found| found.0), Some(Verdict::Penetrating));
}

#[test]
fn open_sheets_cross_wherever_their_edges_are() {
    // Both sheets have edges along the line in which they cross, up to rounding.
    let flat = Arc::new(sheet());
    let mut random = Random::new(11);
    for case in 0..200 {
        let turn = random.rotation();
        let place = random.direction() * [0.0, 1.0, 1e4][case % 3];
        let upright = DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y);
        let part = |rotation, away: DVec3| {
            let pose = Pose::new(turn * rotation, place + turn * away).expect("a rotation");
            Part::new(flat.clone(), pose)
        };
        let through = part(upright, DVec3::ZERO);
        let standing = part(upright, dvec3(0.3, 0.0, 2.0));
        let lying = || part(DMat3::IDENTITY, DVec3::ZERO);
        let verdict = |part| verdict_of(lying(), part).map(|found| found.0);
        assert_eq!(verdict(through), Some(Verdict::Penetrating), "case {case}");
        assert_ne!(verdict(standing), Some(Verdict::Penetrating), "case {case}");
    }
}

#[test]
fn open_sheets_cross_at_edges_that_do_not_match() {
    // Left of x = 0 is one large face, right of it two small ones. Their edges overlap but do not
    // match.
    let points = [[0.0, -1.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.0], [1.0, -1.0], [1.0, 1.0]];
    let points = points.map(|[x, y]| dvec3(x, y, 0.0)).to_vec();
    let faces = vec![[0, 1, 2], [0, 4, 3], [3, 4, 5], [3, 5, 1]];
    let jointed = Mesh::new(points, faces).expect("a sheet");
    let turn = DMat3::from_cols(DVec3::Z, DVec3::Y, -DVec3::X);
    let wall = Part::new(Arc::new(sheet()), Pose::new(turn, DVec3::ZERO).expect("a rotation"));
    let found = verdict_of(at(jointed, 0.0, 0.0, 0.0), wall);
    assert_eq!(found, Some((Verdict::Penetrating, None)));
}

#[test]
fn a_nearly_flush_part_has_its_true_depth() {
    // A block in a bar, flush on four sides except for the last bits.
    let hair = 2f64.powi(-30);
    let block = cuboid(1.0, 1.0 - hair, 1.0 - hair);
    let clash = clash_of(
        at(cuboid(3.0, 1.0, 1.0), 0.0, 0.0, 0.0),
        at(block, 0.0, 0.0, 0.0),
        &Options::new(),
    )
    .expect("it is inside");
    assert_eq!(clash.verdict, Verdict::Inside);
    // It leaves through the closest side of the bar: by its own width.
    assert!(clash.least_depth().is_some_and(|d| d > 0.999 && d <= 1.0), "{:?}", clash.depth);
    assert_eq!(clash.inner, Some(Side::B));
}

#[test]
fn the_default_touch_band_follows_the_size_of_the_assembly_not_its_position() {
    let far = 5e6;
    let parts =
        [at(cuboid(1.0, 1.0, 1.0), far, far, 0.0), at(cuboid(1.0, 1.0, 1.0), far + 0.9, far, 0.1)];
    let report = clash::find(&parts, &Options::new());
    assert!(report.touch < 1e-4, "{}", report.touch);
    assert_eq!(report.count(Verdict::Penetrating), 1);

    // A part elsewhere changes nothing.
    let mut parts = parts.to_vec();
    parts.push(at(cuboid(1.0, 1.0, 1.0), -1e6, 0.0, 0.0));
    let with_distant = clash::find(&parts, &Options::new());
    assert_eq!(with_distant, report);

    // Curved faces that overlap by less than their deviations count as touching, planes do not.
    let overlapping = |tessellation: Tessellation| {
        let mut parts = [0.0, 0.9985].map(|x| at(cuboid(1.0, 1.0, 1.0), x, 0.0, 0.1 * x));
        parts.iter_mut().for_each(|part| part.tessellation = tessellation.clone());
        clash::find(&parts, &Options::new())
    };
    let curved = overlapping(Tessellation::Uniform(1e-3));
    assert_eq!((curved.count(Verdict::Touching), curved.clashes.len()), (1, 1));
    for planes in [Tessellation::default(), Tessellation::Faces([0.0; 12].into())] {
        let report = overlapping(planes);
        assert_eq!((report.count(Verdict::Penetrating), report.clashes.len()), (1, 1));
    }
}

#[test]
fn curves_far_from_the_origin_are_as_long_as_at_it() {
    let small = generate::sphere(960).expect("an even number");
    let positions = small.positions().iter().map(|&p| p * 0.01).collect();
    let small = Arc::new(Mesh::new(positions, small.faces().to_vec()).expect("as before"));
    let lengths = [0.0, 1e6].map(|far| {
        let clash = clash_of(
            at(small.clone(), far, 0.0, 0.0),
            at(small.clone(), far + 0.011, 0.002, 0.001),
            &Options::new(),
        );
        let clash = clash.expect("they cross");
        assert_eq!(clash.places.len(), 1, "at {far}");
        clash.length
    });
    assert!((lengths[1] / lengths[0] - 1.0).abs() < 1e-4, "{lengths:?}");
}

/// The same mesh with other positions.
fn moved(mesh: &Mesh, place: impl Fn(usize, DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions().iter().enumerate().map(|(i, &p)| place(i, p)).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("as before")
}

/// The same mesh with other faces.
fn with_faces(mesh: &Mesh, faces: impl IntoIterator<Item = [u32; 3]>) -> Mesh {
    Mesh::new(mesh.positions().to_vec(), faces.into_iter().collect()).expect("as before")
}

/// Every face with vertices of its own.
fn soup(mesh: &Mesh) -> Mesh {
    let positions: Vec<DVec3> = mesh.triangles().flatten().collect();
    let faces = (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(positions, faces).expect("as before")
}

/// A block that is not symmetric, written in many ways that mean the same solid.
fn ways_to_write(mesh: &Mesh) -> Vec<(&'static str, Mesh)> {
    let faces = mesh.faces();
    let turned = |[a, b, c]: [u32; 3]| [a, c, b];
    let (p, q) = (mesh.positions()[faces[0][0] as usize], mesh.positions()[faces[0][1] as usize]);
    // The first edge is split in one of its two faces only.
    let split = {
        let mut positions = mesh.positions().to_vec();
        positions.push(p.lerp(q, 0.3));
        let [a, b, c] = faces[0];
        let new = positions.len() as u32 - 1;
        let faces = [[a, new, c], [new, b, c]].into_iter().chain(faces[1..].iter().copied());
        Mesh::new(positions, faces.collect()).expect("as before")
    };
    // A triangle on an edge that stands away from the solid.
    let dangling = {
        let mut positions = mesh.positions().to_vec();
        positions.push((p + q) * 0.55);
        let new = positions.len() as u32 - 1;
        let faces = faces.iter().copied().chain([[faces[0][0], faces[0][1], new]]);
        Mesh::new(positions, faces.collect()).expect("as before")
    };
    vec![
        ("as it is", mesh.clone()),
        ("a soup", soup(mesh)),
        (
            "one vertex off",
            moved(&soup(mesh), |i, p| if i == 5 { p + DVec3::Y * 4e-13 } else { p }),
        ),
        ("every vertex off", moved(&soup(mesh), |i, p| p * (1.0 + f64::EPSILON * (i % 5) as f64))),
        ("rounded", moved(&soup(mesh), |_, p| p.as_vec3().as_dvec3())),
        (
            "two faces turned",
            with_faces(
                mesh,
                faces.iter().enumerate().map(|(i, &f)| if i % 7 == 3 { turned(f) } else { f }),
            ),
        ),
        ("inside out", with_faces(mesh, faces.iter().copied().map(turned))),
        (
            "both sides",
            with_faces(mesh, faces.iter().copied().chain(faces.iter().copied().map(turned))),
        ),
        ("twice", with_faces(mesh, faces.iter().chain(faces).copied())),
        ("an edge split", split),
        ("a dangling triangle", dangling),
    ]
}

#[test]
fn the_way_a_solid_is_written_changes_no_verdict() {
    let block = generate::cuboid(dvec3(100.1, 73.3, 51.7)).expect("a size");
    let small = cuboid(10.0, 11.0, 12.0);
    // Far inside, reaching out through one side, flush inside, touching from outside, clear.
    let places = [
        (dvec3(3.0, 2.0, 1.0), Some(Verdict::Inside)),
        (dvec3(48.0, 2.0, 1.0), Some(Verdict::Penetrating)),
        (dvec3(50.05 - 5.0, 2.0, 1.0), Some(Verdict::Inside)),
        (dvec3(50.05 + 5.0, 2.0, 1.0), Some(Verdict::Touching)),
        (dvec3(56.0, 2.0, 1.0), None),
    ];
    for (way, mesh) in ways_to_write(&block) {
        let mesh = Arc::new(mesh);
        for (place, expected) in places {
            let other = at(small.clone(), place.x, place.y, place.z);
            let clash = clash_of(at(mesh.clone(), 0.0, 0.0, 0.0), other.clone(), &Options::new());
            let found = clash.as_ref().map(|clash| clash.verdict);
            assert_eq!(found, expected, "{way}, at {place}: {clash:?}");
            let quick = Options::new().effort(Effort::Quick);
            let swapped = clash_of(other, at(mesh.clone(), 0.0, 0.0, 0.0), &quick);
            let found = swapped.as_ref().map(|clash| clash.verdict);
            assert_eq!(found, expected, "{way}, quick, at {place}: {swapped:?}");
            if expected == Some(Verdict::Inside) {
                assert_eq!(clash.and_then(|clash| clash.inner), Some(Side::B), "{way}");
                assert_eq!(swapped.and_then(|clash| clash.inner), Some(Side::A), "{way}");
            } else if expected == Some(Verdict::Penetrating) {
                let depth = clash.and_then(|clash| clash.depth).expect("a depth");
                assert!((depth.at_least - 7.05).abs() < 1e-4, "{way}: {depth:?}");
            }
        }
    }
}

#[test]
fn gaps_are_measured() {
    let block = soup(&cuboid(100.0, 80.0, 60.0));
    let small = || at(cuboid(10.0, 11.0, 12.0), 0.0, 0.0, 0.0);
    let gap_of = |mesh: Mesh| {
        let report = clash::find(&[at(mesh, 0.0, 0.0, 0.0), small()], &Options::new());
        assert_eq!(report.count(Verdict::Inside), 1, "{report:?}");
        assert!(report.gaps.len() <= 1, "{:?}", report.gaps);
        report.gaps.first().map(|gap| (gap.width, gap.is_closed))
    };
    assert_eq!(gap_of(block.clone()), None);
    let off = |by: f64| moved(&block, move |i, p| if i == 5 { p + DVec3::Y * by } else { p });
    let (width, is_closed) = gap_of(off(4e-13)).expect("a gap");
    assert!((width - 4e-13).abs() < 2e-14 && is_closed, "{width}");
    let (width, is_closed) = gap_of(off(0.05)).expect("a gap");
    assert!((width - 0.05).abs() < 1e-9 && !is_closed, "{width}");
}

#[test]
fn depth_follows_the_motion() {
    // A cube and its copy, moved along all three axes: the way out is along one of them.
    let cube = Arc::new(cuboid(100.0, 100.0, 100.0));
    let mut last = f64::INFINITY;
    for shift in [0.0, 1e-6, 0.12, 0.19, 0.3, 1.0, 20.0, 50.0, 80.0, 99.0, 99.9] {
        let b = at(cube.clone(), shift, shift, shift);
        let clash = clash_of(at(cube.clone(), 0.0, 0.0, 0.0), b, &Options::new());
        let clash = clash.expect("they overlap");
        assert!(matches!(clash.verdict, Verdict::Penetrating | Verdict::Duplicate), "{shift}");
        let depth = clash.depth.expect("closed");
        let most = depth.at_most().expect("a way out");
        assert!((depth.at_least - (100.0 - shift)).abs() < 1e-9, "{shift}: {depth:?}");
        assert!(depth.at_least <= most && most < 100.0 - shift + 1e-9, "{shift}: {depth:?}");
        assert!(depth.at_least <= last, "{shift}");
        last = depth.at_least;
        let volume = clash.volume.expect("closed");
        let expected = (100.0 - shift).powi(3);
        assert!((volume - expected).abs() <= 1e-9 * expected, "{shift}: {volume}");
    }
}

#[test]
fn ways_out_free_the_parts() {
    let options = Options::new();
    let mut ways = 0;
    for seed in 20..23 {
        let parts = heap(seed, 40);
        for clash in clash::find(&parts, &options).clashes {
            let Some(depth) = clash.depth else { continue };
            let Some(way_out) = depth.way_out else { continue };
            assert!(depth.at_least <= way_out.length() * (1.0 + 1e-9), "{clash:?}");
            let (a, mut b) = (parts[clash.a].clone(), parts[clash.b].clone());
            let away = b.pose.translation() + way_out;
            b.pose = Pose::new(b.pose.rotation(), away).expect("a rotation");
            let after = clash_of(a, b, &options).map(|clash| clash.verdict);
            assert!(matches!(after, None | Some(Verdict::Touching)), "seed {seed}: {after:?}");
            ways += 1;
        }
    }
    assert!(ways > 50, "{ways}");
}

#[test]
fn a_wider_band_never_makes_a_clash_worse() {
    let sheet = Arc::new(sheet());
    let turn = DMat3::from_rotation_x(1.2) * DMat3::from_rotation_y(0.4);
    let mut pairs = vec![(
        at(sheet.clone(), 0.0, 0.0, 0.0),
        Part::new(sheet, Pose::new(turn, dvec3(0.1, 0.2, 0.3)).expect("a rotation")),
    )];
    let parts = heap(31, 40);
    let found = clash::find(&parts, &Options::new()).clashes;
    pairs.extend(found.iter().map(|clash| (parts[clash.a].clone(), parts[clash.b].clone())));
    assert!(pairs.len() > 20);
    for (number, (a, b)) in pairs.iter().enumerate() {
        let mut is_touching = false;
        for band in [1e-9, 1e-3, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 4.0] {
            let options = Options::new().touch(band).expect("a length");
            let clash = clash_of(a.clone(), b.clone(), &options);
            let is_now = clash.as_ref().is_some_and(|clash| clash.verdict == Verdict::Touching);
            assert!(is_now || !is_touching, "pair {number}, {band}: {clash:?}");
            is_touching = is_now;
        }
    }
}

/// A tube around the z axis.
fn tube(inner: f64, outer: f64, height: f64, sides: u32, turn: f64) -> Mesh {
    let corners = [(inner, 0.0), (outer, 0.0), (outer, height), (inner, height)];
    let positions = (0..sides).flat_map(|i| {
        let (sine, cosine) =
            ((f64::from(i) + turn) * std::f64::consts::TAU / f64::from(sides)).sin_cos();
        corners.map(|(r, z)| dvec3(r * cosine, r * sine, z))
    });
    let faces = (0..sides).flat_map(|i| {
        let j = (i + 1) % sides;
        (0..4).flat_map(move |k| {
            let l = (k + 1) % 4;
            let [a, b, c, d] = [4 * i + k, 4 * i + l, 4 * j + l, 4 * j + k];
            [[a, c, d], [a, b, c]]
        })
    });
    Mesh::new(positions.collect(), faces.collect()).expect("a tube")
}

#[test]
fn shafts_in_holes_of_one_nominal_radius_are_fits() {
    let shaft = generate::cylinder(10.0, 60.0, 47).expect("a cylinder");
    let in_hole = |radius: f64, aside: f64| {
        let ring = at(tube(radius, 30.0, 40.0, 36, 0.3), 0.0, 0.0, -20.0);
        clash_of(ring, at(shaft.clone(), aside, 0.0, 0.0), &Options::new())
    };
    for radius in [10.0, 9.95, 9.5, 8.6] {
        let clash = in_hole(radius, 0.0).expect("they overlap");
        assert_eq!(clash.verdict, Verdict::Fit, "{radius}: {clash:?}");
        let fit = clash.fit.expect("a fit");
        assert_eq!(fit.shaft, Side::B);
        assert!((fit.difference() - (10.0 - radius)).abs() < 1e-9, "{radius}: {fit:?}");
    }
    // The shaft stands beside the axis and touches one side of the hole only; the radii are the same as before.
    let beside = in_hole(9.8, 0.35).expect("they overlap");
    let difference = beside.fit.expect("a fit").difference();
    assert!((difference - 0.2).abs() < 0.02, "{difference}");
    assert_eq!(in_hole(7.0, 0.0).map(|clash| clash.verdict), Some(Verdict::Penetrating));
    assert_eq!(in_hole(10.0, 3.0).map(|clash| clash.verdict), Some(Verdict::Penetrating));
    assert_eq!(in_hole(10.2, 0.0), None);
}

#[test]
fn quick_checks_find_the_same_pairs_and_classes() {
    for seed in 40..44 {
        let parts = heap(seed, 60);
        let options = Options::new().clearance(0.3).expect("a length");
        let full = clash::find(&parts, &options);
        let quick = clash::find(&parts, &options.effort(Effort::Quick));
        // Fits are penetrations to a quick check.
        let class = |verdict| if verdict == Verdict::Fit { Verdict::Penetrating } else { verdict };
        let of = |report: &clash::Report| -> Vec<(usize, usize, Verdict)> {
            report.clashes.iter().map(|clash| (clash.a, clash.b, class(clash.verdict))).collect()
        };
        assert_eq!(of(&full), of(&quick), "seed {seed}");
    }
}

#[test]
fn fans_that_touch_in_their_hubs_are_checked_quickly() {
    // Every face of one fan touches every face of the other: 16 million pairs.
    let fan = |count: u32, up: f64| {
        let rim = (0..=count).map(|i| {
            let (sine, cosine) = (f64::from(i) / f64::from(count)).sin_cos();
            dvec3(cosine, sine, up)
        });
        let positions = [DVec3::ZERO].into_iter().chain(rim).collect();
        let faces = (1..=count).map(|i| [0, i, i + 1]).collect();
        Mesh::new(positions, faces).expect("a fan")
    };
    let (a, b) = (at(fan(4000, 1.0), 0.0, 0.0, 0.0), at(fan(4000, -1.0), 0.0, 0.0, 0.0));
    let options = Options::new().effort(Effort::Quick);
    let clash = clash_of(a, b, &options).expect("they touch");
    assert_eq!(clash.verdict, Verdict::Touching);
    assert!(clash.faces.len() <= 1);
}

#[test]
fn a_long_bar_of_overlapping_shells_is_no_duplicate_of_its_neighbour() {
    // Two bars that overlap make one part of 10 m, of which no volume is known; the other part stands beside it.
    let bar = cuboid(6000.0, 10.0, 10.0);
    let there = Pose::from_translation(dvec3(4000.0, 0.0, 0.0)).expect("finite");
    let long = generate::merged([(&bar, &Pose::IDENTITY), (&bar, &there)]).expect("few faces");
    for (shift, expected) in [(0.0, Verdict::Duplicate), (5.0, Verdict::Penetrating)] {
        let beside = at(long.clone(), 0.0, shift, 0.0);
        let found = verdict_of(at(long.clone(), 0.0, 0.0, 0.0), beside);
        assert_eq!(found.map(|found| found.0), Some(expected), "{shift}");
    }
}
