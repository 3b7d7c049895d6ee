//! Every method against an oracle that looks at every pair, on soups made to be hard.

use crate::{methods, pairs, tree_choices};
use impinge::generate::Random;
use impinge::glam::{DMat3, DVec3};
use impinge::method::WalkCounts;
use impinge::method::boxtree::{BoxtreeOptions, OverlapTest};
use impinge::method::tree::{BuildOptions, Regroup, SplitDirections, SplitPoint, SplitRule};
use impinge::query::Query;
use impinge::world::Body;
use impinge::{
    Budget, Cache, FacePair, Mesh, Method, MethodMismatch, Pair, Pose, Shape, Threads,
    TimedVerdict, WalkOrder, World, generate,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// All pairs that touch, by the oracle, with the placement written out once more.
pub(crate) fn expected(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<FacePair> {
    let placed = |mesh: &Mesh, pose: &Pose| -> Vec<[[f64; 3]; 3]> {
        let rows = pose.to_rows();
        let place = |p: DVec3| {
            [0, 4, 8].map(|r| {
                let (x, y, z) = (rows[r] * p.x, rows[r + 1] * p.y, rows[r + 2] * p.z);
                let sum = x + y;
                let sum = sum + z;
                sum + rows[r + 3]
            })
        };
        mesh.triangles().map(|t| t.map(place)).collect()
    };
    let (p, q) = (placed(a, pose_a), placed(b, pose_b));
    let mut pairs = Vec::new();
    for (i, s) in (0..).zip(&p) {
        for (j, t) in (0..).zip(&q) {
            if impinge_oracle::triangles_touch(s, t) {
                pairs.push(FacePair { a: i, b: j });
            }
        }
    }
    pairs
}

/// Compares every method and every choice for binary trees with the oracle. Returns the number of pairs.
fn check(label: &str, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> usize {
    let expected = expected(a, pose_a, b, pose_b);
    for (kind, mut pair, order) in pairs(a, b) {
        check_in_order(&format!("{kind}: {label}"), &mut pair, [pose_a, pose_b], order, &expected);
    }
    expected.len()
}

/// Compares all ways to ask for what touches.
pub(crate) fn check_pair(label: &str, pair: &mut Pair, poses: [&Pose; 2], expected: &[FacePair]) {
    check_in_order(label, pair, poses, WalkOrder::default(), expected);
}

/// The same, with binary trees descended in a given order.
fn check_in_order(
    label: &str,
    pair: &mut Pair,
    poses: [&Pose; 2],
    order: WalkOrder,
    expected: &[FacePair],
) {
    for threads in [Threads::One, Threads::Pool] {
        let found = at(pair, poses, order).threads(threads).contacts();
        assert_eq!(found, expected, "on {threads:?}: {label}");
        let touches = at(pair, poses, order).threads(threads).intersects();
        assert_eq!(touches, !expected.is_empty(), "on {threads:?}: {label}");
        let count = at(pair, poses, order).threads(threads).count();
        assert_eq!(count, expected.len(), "on {threads:?}: {label}");
    }
    let mut visited = Vec::new();
    let to_the_end = at(pair, poses, order).visit(|pair| {
        visited.push(pair);
        ControlFlow::<()>::Continue(())
    });
    visited.sort_unstable();
    assert_eq!((&visited[..], to_the_end.is_continue()), (expected, true), "{label}");
    let first = at(pair, poses, order).visit(ControlFlow::Break).break_value();
    assert_eq!(first.is_some(), !expected.is_empty(), "{label}");
    assert!(first.is_none_or(|first| expected.contains(&first)), "{label}");
    let mut cache = Cache::new();
    for query in 0..3 {
        let found = at(pair, poses, order).cache(&mut cache).contacts();
        assert_eq!(found, expected, "cache, query {query}: {label}");
        let touches = at(pair, poses, order).cache(&mut cache).intersects();
        assert_eq!(touches, !expected.is_empty(), "cache, query {query}: {label}");
    }
    let twice = [poses.map(|pose| *pose); 2];
    for found in pair.at_each(&twice).order(order).contacts().iter() {
        assert_eq!(found, expected, "batch: {label}");
    }
    let touching: Vec<bool> = pair.at_each(&twice).order(order).intersects().iter().collect();
    assert_eq!(touching, [!expected.is_empty(); 2], "batch: {label}");
    check_in_small_steps(label, pair, poses, order, expected);
}

/// Compares a query that is interrupted again and again: whatever it says in between is true.
fn check_in_small_steps(
    label: &str,
    pair: &mut Pair,
    poses: [&Pose; 2],
    order: WalkOrder,
    expected: &[FacePair],
) {
    for tests in [5, 200] {
        let mut timed = at(pair, poses, order).timed();
        let mut steps = 0;
        loop {
            steps += 1;
            let verdict = if steps % 3 == 0 {
                timed.any(Budget::tests(tests))
            } else {
                timed.all(Budget::tests(tests))
            };
            let found = match verdict {
                TimedVerdict::Clear => {
                    assert!(expected.is_empty(), "{label}: not clear");
                    break;
                }
                TimedVerdict::Touching { pairs, is_complete } => {
                    assert!(!pairs.is_empty(), "{label}");
                    if is_complete {
                        assert_eq!(pairs, expected, "{label}");
                        break;
                    }
                    pairs.to_vec()
                }
                TimedVerdict::Undecided { open, overlap } => {
                    assert!(open > 0 && overlap >= 0.0, "{label}");
                    Vec::new()
                }
            };
            // What was found is true, and all the rest is below what is open.
            let mut rest: HashSet<FacePair> = expected.iter().copied().collect();
            for pair in &found {
                assert!(rest.remove(pair), "{label}: {pair:?}");
            }
            timed.open(|open| {
                rest.retain(|pair| {
                    !open.faces_a.contains(&pair.a) || !open.faces_b.contains(&pair.b)
                });
            });
            assert!(rest.is_empty(), "{label}: {} pairs are lost", rest.len());
        }
    }
}

fn at<'p>(pair: &'p mut Pair, [pose_a, pose_b]: [&Pose; 2], order: WalkOrder) -> Query<'p> {
    pair.at(pose_a, pose_b).order(order)
}

/// Triangles of all sizes with corners from a coarse grid, so that many touch, coincide or are
/// degenerate.
pub(crate) fn soup(faces: usize, random: &mut Random) -> Mesh {
    let mut positions = Vec::new();
    for _ in 0..faces {
        let size = random.below(4) as f64 + 1.0;
        let corner = |random: &mut Random| random.below(3) as f64 * size;
        let at = DVec3::new(corner(random), corner(random), corner(random));
        for _ in 0..3 {
            positions.push(at + DVec3::new(corner(random), corner(random), corner(random)));
        }
    }
    let faces = (0..faces as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Mesh::new(positions, faces).expect("coordinates are small whole numbers")
}

#[test]
fn soups_at_any_pose() {
    let mut touching = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (a, b) = (soup(40, &mut random), soup(30, &mut random));
        let step = |random: &mut Random| random.below(5) as f64 - 2.0;
        let shift = DVec3::new(step(&mut random), step(&mut random), step(&mut random));
        let moved = Pose::from_translation(shift).unwrap();
        let turned = Pose::new(random.rotation(), shift).unwrap();
        touching += check(&format!("seed {seed}, moved"), &a, &Pose::IDENTITY, &b, &moved);
        touching += check(&format!("seed {seed}, turned"), &a, &turned, &b, &moved);
        touching += check(&format!("seed {seed}, both turned alike"), &a, &turned, &b, &turned);
    }
    assert!(touching > 5_000, "hardly anything touches: {touching}");
}

#[test]
fn far_from_the_origin_and_not_quite_orthogonal() {
    let mut touching = 0;
    for seed in 0..20 {
        let mut random = Random::new(1000 + seed);
        let (a, b) = (soup(30, &mut random), soup(30, &mut random));
        for distance in [1e3, 1e8, 1e12, 1e13, 1e15, 1e16, 1e300] {
            // Stretched within what a pose may be: lengths are off by up to 4e-7.
            let stretch = DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 3e-7, 1.0));
            let offset = DVec3::new(distance, -distance, distance * 0.5);
            let pose_a = Pose::new(random.rotation() * stretch, offset).unwrap();
            let pose_b = Pose::new(random.rotation(), offset).unwrap();
            let label = format!("seed {seed}, {distance:e} away");
            touching += check(&label, &a, &pose_a, &b, &pose_b);
        }
    }
    assert!(touching > 5_000, "hardly anything touches: {touching}");
}

#[test]
fn the_largest_and_the_least_coordinates() {
    let mut touching = 0;
    for seed in 0..10 {
        let mut random = Random::new(2000 + seed);
        let (a, b) = (soup(20, &mut random), soup(20, &mut random));
        for scale in [5e98, 1e-100, 1e-155, 1e-158, 3e-162, 1e-163, 1e-200, 1e-308, 5e-324] {
            let scaled = |mesh: &Mesh| {
                let positions = mesh.positions().iter().map(|p| *p * scale).collect();
                Mesh::new(positions, mesh.faces().to_vec()).unwrap()
            };
            let label = format!("seed {seed}, scale {scale:e}");
            let (a, b) = (scaled(&a), scaled(&b));
            touching += check(&label, &a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
        }
    }
    assert!(touching > 500, "hardly anything touches: {touching}");

    // Two segments on a line that overlap, of a size whose squares are denormal.
    let segment = |ends: [f64; 2]| {
        Mesh::new(ends.map(DVec3::splat).to_vec(), vec![[0, 1, 1]]).expect("small numbers")
    };
    let a = segment([-9.91875e-163, 9.91875e-163]);
    let b = segment([5.95125e-163, 2.5788749999999997e-162]);
    assert_eq!(check("squares are denormal", &a, &Pose::IDENTITY, &b, &Pose::IDENTITY), 1);
}

#[test]
fn bodies_of_the_papers() {
    let (shuttle, chair) = (generate::shuttle(), generate::chair());
    let fit = |mesh: &Mesh| generate::scaled_to_cube(mesh, 2.0).unwrap();
    let (a, b) = (fit(&shuttle), fit(&chair));
    let mut touching = 0;
    for (step, pose) in generate::tumble(0.8, 5).unwrap().iter().enumerate() {
        touching +=
            check(&format!("shuttle and chair, step {step}"), &a, &Pose::IDENTITY, &b, pose);
    }
    assert!(touching > 100, "{touching}");
}

/// Long thin triangles, cut into pieces for tighter volumes: a pair may be come upon several times,
/// and is reported once.
#[test]
fn needles_in_pieces() {
    let mut touching = 0;
    for seed in 0..6 {
        let mut random = Random::new(3000 + seed);
        let mut needles = |count: u32| {
            let mut positions = Vec::new();
            for _ in 0..count {
                let at = random.direction() * random.range(0.0, 2.0);
                let way = random.direction() * random.range(0.1, 3.0);
                positions.extend([at - way, at + way, at + random.direction() * 0.05]);
            }
            let faces = (0..count).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            Mesh::new(positions, faces).unwrap()
        };
        let (a, b) = (needles(60), needles(50));
        let pose = Pose::new(random.rotation(), random.direction() * 0.2).unwrap();
        let expected = expected(&a, &Pose::IDENTITY, &b, &pose);
        let mut reference = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
        touching += expected.len();
        let whole = [Method::AABB, Method::OBB, Method::DOP18, Method::SPHERE]
            .map(|method| (method, BuildOptions::default(), WalkOrder::default()));
        for (method, options, order) in whole.into_iter().chain(tree_choices()) {
            let options = options.split_skinny(1.0);
            let shapes = [&a, &b].map(|mesh| Shape::build((method, options), mesh.clone()));
            let mut pair = Pair::new(&shapes[0], &shapes[1]).unwrap();
            let label = format!("{method}, {options:?}, seed {seed}");
            check_in_order(&label, &mut pair, [&Pose::IDENTITY, &pose], order, &expected);
            let distance = pair.distance(&Pose::IDENTITY, &pose);
            assert_eq!(distance, reference.distance(&Pose::IDENTITY, &pose), "{label}");
        }
    }
    assert!(touching > 100, "hardly anything touches: {touching}");
}

/// Every rule for splitting and regrouping, for every kind of volume, with leaves of several sizes: soups in
/// place, turned, far away and tiny, with faces that are repeated and degenerate.
#[test]
fn trees_built_by_every_rule() {
    let plain = BuildOptions::default();
    let mut choices: Vec<BuildOptions> = SplitRule::ALL.map(|rule| plain.rule(rule)).to_vec();
    choices.extend(SplitRule::ALL.map(|rule| plain.rule(rule).point(SplitPoint::Median).leaf(1)));
    choices.extend(Regroup::ALL.map(|regroup| plain.regroup(regroup).leaf(3)));
    choices.extend(
        Regroup::ALL
            .map(|regroup| plain.rule(SplitRule::MinSum).regroup(regroup).regroup_levels(3)),
    );
    choices.push(plain.rule(SplitRule::MinMax).directions(SplitDirections::All).leaf(9));
    choices.push(plain.rule(SplitRule::BoxAxes).split_skinny(0.5));
    let (mut touching, mut checked) = (0, 0);
    for seed in 0..4 {
        let mut random = Random::new(5000 + seed);
        let repeated = |mesh: Mesh| {
            let faces = mesh.faces().iter().chain(&mesh.faces()[..8]).copied().collect();
            Mesh::new(mesh.positions().to_vec(), faces).unwrap()
        };
        let (a, b) = (repeated(soup(30, &mut random)), repeated(soup(20, &mut random)));
        let scale = [1.0, 1e-155, 1e-12, 1e60][seed as usize];
        let [a, b] = [a, b].map(|mesh| {
            let positions = mesh.positions().iter().map(|p| *p * scale).collect();
            Mesh::new(positions, mesh.faces().to_vec()).unwrap()
        });
        let shift = DVec3::new(2.0, -1.0, 1.0) * scale;
        let far = DVec3::new(1e6, -3e6, 2e6) * scale;
        let turn = random.rotation();
        let pose = |rotation, at| Pose::new(rotation, at).unwrap();
        let stands = [
            [Pose::IDENTITY, pose(DMat3::IDENTITY, shift)],
            [pose(turn, far), pose(turn, far + shift)],
            [Pose::IDENTITY, pose(random.rotation(), shift)],
        ];
        for (i, [pose_a, pose_b]) in stands.iter().enumerate() {
            let expected = expected(&a, pose_a, &b, pose_b);
            touching += expected.len();
            for &method in &impinge::method::tree::METHODS {
                for options in &choices {
                    let shapes =
                        [(&a, options.leaf), (&b, options.leaf + 2)].map(|(mesh, leaf)| {
                            Shape::build((method, options.leaf(leaf)), mesh.clone())
                        });
                    let mut pair = Pair::new(&shapes[0], &shapes[1]).unwrap();
                    let label = format!("{method}, seed {seed}, stand {i}, {options:?}");
                    assert_eq!(pair.contacts(pose_a, pose_b), expected, "{label}");
                    assert_eq!(pair.intersects(pose_a, pose_b), !expected.is_empty(), "{label}");
                    checked += 1;
                }
            }
        }
    }
    assert!(touching > 200 && checked > 3000, "{touching} touch in {checked} cases");
}

/// Bodies so far apart that coordinates in a tree overflow are told apart before any volume is tested.
#[test]
fn bodies_out_of_reach_take_no_tests() {
    let (ball, small) = (generate::sphere(80).unwrap(), generate::sphere(8).unwrap());
    let turn = DMat3::from_rotation_y(0.3);
    for away in [
        DVec3::X * 1e39,
        DVec3::new(0.0, 1e60, 1e60),
        DVec3::Z * -1e300,
        DVec3::new(1.7e308, -1.7e308, 0.0),
        DVec3::splat(f64::MAX),
    ] {
        let label = format!("{away:?} away");
        let (here, there) =
            (Pose::from_translation(-away).unwrap(), Pose::new(turn, away).unwrap());
        for poses in [[&Pose::IDENTITY, &there], [&there, &Pose::IDENTITY], [&here, &there]] {
            for &method in Method::ALL {
                let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
                check_pair(&format!("{method}: {label}"), &mut pair, poses, &[]);
                pair.intersects(poses[0], poses[1]);
                assert_eq!(pair.counts(), WalkCounts::default(), "{method}: {label}");
                let mut timed = pair.at(poses[0], poses[1]).timed();
                assert_eq!(timed.any(Budget::tests(0)), TimedVerdict::Clear, "{method}: {label}");
            }
        }
        // Both there: rounding has put vertices on a plane, a line or a point.
        let pairs = check(&label, &small, &there, &small, &there);
        assert!(pairs >= 8, "{label}: {pairs}");
    }
}

/// How deep a body may be in another is not understated because it is so small that squares vanish.
#[test]
fn the_depth_of_a_tiny_body() {
    let cube = generate::cuboid(DVec3::splat(2.0)).unwrap();
    for size in [1e-3, 1e-150, 1e-170, 1e-300] {
        let positions = cube.positions().iter().map(|p| *p * size).collect();
        let tiny = Mesh::new(positions, cube.faces().to_vec()).unwrap();
        let pose = Pose::new(DMat3::from_rotation_y(0.3), DVec3::splat(0.1)).unwrap();
        for &method in Method::ALL {
            for meshes in [[&cube, &tiny], [&tiny, &cube]] {
                let mut pair = Pair::with_method(method, meshes[0].clone(), meshes[1].clone());
                let mut timed = pair.at(&Pose::IDENTITY, &pose).timed();
                if let TimedVerdict::Undecided { overlap, .. } = timed.any(Budget::tests(0)) {
                    assert!(overlap >= 0.87, "{method}, size {size:e}: {overlap}");
                }
            }
        }
    }
}

/// Where vertices are far apart beside the size of bodies, volumes tell nothing, and boxes of placed
/// faces are compared instead.
#[test]
fn bodies_flattened_by_rounding_take_no_walk() {
    let ball = generate::sphere(960).unwrap();
    for away in [DVec3::splat(1e14), DVec3::splat(3e15), DVec3::Y * 1e16, DVec3::Z * 1e17] {
        let pose_a = Pose::from_translation(away).unwrap();
        let pose_b = Pose::new(DMat3::from_rotation_y(0.3), away + DVec3::X * 0.9).unwrap();
        let mut reference = Pair::with_method(Method::BRUTE, ball.clone(), ball.clone());
        let expected = reference.contacts(&pose_a, &pose_b).to_vec();
        assert!(!expected.is_empty(), "{away:?}");
        for &method in Method::ALL {
            let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
            assert_eq!(pair.contacts(&pose_a, &pose_b), expected, "{method}, {away:?}");
            let counts = pair.counts();
            if method == Method::FACE_OCTREE {
                // It has no volumes with slack that would tell nothing: its cells compare the boxes of placed faces, as
                // `brute` does, and it counts that. Cells that tell nothing are not divided in vain.
                assert!(counts.volume_tests <= 2 * 960 * 960, "{counts:?}, {away:?}");
            } else {
                assert_eq!(counts, WalkCounts::default(), "{method}, {away:?}");
            }
        }
    }
}

/// A query that ends soon does so on the caller's thread: its tests are the same.
#[test]
fn a_short_query_needs_no_other_threads() {
    let ball = generate::sphere(2000).unwrap();
    let touching = Pose::from_translation(DVec3::new(1.5, 0.1, 0.2)).unwrap();
    let close = Pose::from_translation(DVec3::new(2.01, 0.0, 0.0)).unwrap();
    for &method in Method::ALL {
        let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
        for pose in [&touching, &close] {
            let ask = |pair: &mut Pair, threads| {
                let found = pair.at(&Pose::IDENTITY, pose).threads(threads).intersects();
                (found, pair.counts())
            };
            let alone = ask(&mut pair, Threads::One);
            assert_eq!(ask(&mut pair, Threads::Pool), alone, "{method}");
        }
    }
}

/// A search that is shared among threads once it has begun finds each pair once.
#[test]
fn a_long_query_is_shared() {
    let torus = generate::deformed_torus(1, [80, 40]).unwrap();
    let mut shared = 0;
    for (step, pose) in generate::tumble(0.6, 6).unwrap().iter().enumerate() {
        let mut reference = Pair::with_method(Method::WIDE, torus.clone(), torus.clone());
        let expected = reference.contacts(&Pose::IDENTITY, pose).to_vec();
        for test in OverlapTest::ALL {
            let options = BoxtreeOptions::default().overlap(test);
            let shape = Shape::build(options, torus.clone());
            let mut pair = Pair::new(&shape, &shape).unwrap();
            let query = pair.at(&Pose::IDENTITY, pose).threads(Threads::Pool);
            assert_eq!(query.contacts(), expected, "{test:?}, step {step}");
            shared += usize::from(pair.counts().volume_tests > 4_000);
        }
        for (kind, mut pair, order) in pairs(&torus, &torus) {
            let query = pair.at(&Pose::IDENTITY, pose).order(order).threads(Threads::Pool);
            assert_eq!(query.contacts(), expected, "{kind}, step {step}");
            shared += usize::from(pair.counts().volume_tests > 4_000);
        }
    }
    assert!(shared > 60, "only {shared} queries were long");
}

#[test]
fn a_body_touches_itself_in_place() {
    let ball = generate::sphere(80).unwrap();
    let pairs = check("a sphere on itself", &ball, &Pose::IDENTITY, &ball, &Pose::IDENTITY);
    assert!(pairs >= 80 * 4, "each face touches itself and its neighbours: {pairs}");
}

/// A body that deforms, step by step: an index that is refitted finds what a new one does.
#[test]
fn bodies_that_deform() {
    let rest = generate::deformed_torus(1, [24, 10]).unwrap();
    let chair = generate::scaled_to_cube(&generate::chair(), 2.0).unwrap();
    let steps: Vec<Mesh> = (0..6)
        .map(|step| {
            let bend = 0.3 * f64::from(step);
            let bent = |p: DVec3| DVec3::new(p.x, p.y + bend * p.x * p.x, p.z * (1.0 + bend));
            let positions = rest.positions().iter().map(|&p| bent(p)).collect();
            Mesh::new(positions, rest.faces().to_vec()).unwrap()
        })
        .collect();
    let pose = Pose::from_translation(DVec3::new(0.4, 0.1, 0.2)).unwrap();
    for method in methods() {
        let other = Shape::with_method(method, chair.clone());
        let mut shape = Shape::with_method(method, rest.clone());
        let mut touching = 0;
        for (step, mesh) in steps.iter().enumerate() {
            shape = shape.refitted(mesh.clone()).unwrap();
            let mut pair = Pair::new(&shape, &other).unwrap();
            let mut anew = Pair::with_method(Method::BRUTE, mesh.clone(), chair.clone());
            let expected = anew.contacts(&Pose::IDENTITY, &pose);
            assert_eq!(pair.contacts(&Pose::IDENTITY, &pose), expected, "{method}, step {step}");
            touching += expected.len();
        }
        assert!(touching > 100, "{method}: {touching}");
        assert!(shape.refitted(chair.clone()).is_err(), "{method}: another number of faces");
    }
}

#[test]
fn nothing_touches_an_empty_mesh() {
    let (ball, nothing) = (generate::sphere(8).unwrap(), Mesh::default());
    let unused = Mesh::new(vec![DVec3::ZERO], vec![]).unwrap();
    for (a, b) in [(&ball, &nothing), (&nothing, &ball), (&nothing, &nothing), (&ball, &unused)] {
        assert_eq!(check("empty", a, &Pose::IDENTITY, b, &Pose::IDENTITY), 0);
    }
}

#[test]
fn names_are_found_and_others_refused() {
    for &method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    let error = "brutus".parse::<Method>().unwrap_err();
    assert!(error.to_string().contains("brute"), "{error}");
}

/// Bodies of different methods are refused wherever they could meet; no query answers "nothing".
#[test]
fn bodies_of_different_methods_are_refused() {
    let ball = generate::sphere(80).unwrap();
    let [obb, wide] =
        [Method::OBB, Method::WIDE].map(|method| Shape::with_method(method, ball.clone()));
    let here = Pose::IDENTITY;
    let mismatch = MethodMismatch { a: Method::OBB, b: Method::WIDE };
    assert_eq!(Pair::new(&obb, &wide).map(|_| ()), Err(mismatch));
    assert_eq!(impinge::intersects((&obb, &here), (&wide, &here)), Err(mismatch));
    assert_eq!(impinge::contacts((&obb, &here), (&wide, &here)), Err(mismatch));
    assert_eq!(impinge::distance((&obb, &here), (&wide, &here)), Err(mismatch));
    assert!(impinge::intersects((&obb, &here), (&obb, &here)).unwrap());
    let mut world = World::new();
    world.add(Body::new(&obb)).unwrap();
    assert!(world.add(Body::new(&wide)).is_err());
    assert!(world.contacts_with(&wide, &here).is_err());
}

/// After a tolerance was set, a distance is that of all faces, or none if it is beyond the tolerance.
#[test]
fn a_distance_honours_the_tolerance() {
    let ball = generate::sphere(960).unwrap();
    let beside = Pose::from_translation(DVec3::new(2.5, 0.3, 0.1)).unwrap();
    for method in methods() {
        let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
        let expected = pair.distance(&Pose::IDENTITY, &beside).expect("faces");
        let mut within = |tolerance: f64| {
            pair.at(&Pose::IDENTITY, &beside).within(tolerance).unwrap().distance()
        };
        assert_eq!(within(f64::INFINITY), Some(expected), "{method}");
        assert_eq!(within(expected.distance), Some(expected), "{method}");
        assert_eq!(within(expected.distance * 0.999), None, "{method}");
        assert_eq!(within(0.0), None, "{method}");
    }
}
