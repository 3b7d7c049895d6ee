//! Compares boxtrees with brute force, on meshes chosen to be hard.

use super::*;
use crate::{
    Bounds, FacePair, Mesh, Pose,
    generate::{self, Random},
    method::{
        NearestFaces, RefitError,
        boxtree::walk::BoxtreePair,
        hierarchy::{NearestWalk, one_tree},
    },
    narrow::{triangles_distance, triangles_intersect},
    volume::Relative,
};
use glam::{DMat3, DVec3};
use std::ops::ControlFlow;

/// All pairs of faces that touch, by brute force.
fn expected(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<FacePair> {
    let placed = |mesh: &Mesh, pose: &Pose| -> Vec<[DVec3; 3]> {
        mesh.triangles().map(|t| t.map(|corner| pose.place(corner))).collect()
    };
    let (placed_a, placed_b) = (placed(a, pose_a), placed(b, pose_b));
    let mut pairs = Vec::new();
    for (a, s) in (0..).zip(&placed_a) {
        for (b, t) in (0..).zip(&placed_b) {
            // The bounds check only skips pairs that cannot touch.
            let overlap = Bounds::enclosing(*s).overlaps(&Bounds::enclosing(*t));
            if overlap && triangles_intersect(s, t) {
                pairs.push(FacePair { a, b });
            }
        }
    }
    pairs
}

/// All pairs of faces that touch, by a traversal.
fn found(
    (a, tree_a, pose_a): (&Mesh, &Boxtree, &Pose),
    (b, tree_b, pose_b): (&Mesh, &Boxtree, &Pose),
    scratch: &mut BoxtreeScratch,
) -> Vec<FacePair> {
    let relative = Relative::new(tree_a.frame(), pose_a, tree_b.frame(), pose_b);
    let mut pairs = Vec::new();
    let mut tests = 0;
    let walk = tree_a.visit_leaf_pairs(tree_b, &relative, scratch, &mut |[faces_a, faces_b]| {
        for &face_a in faces_a {
            let s = pose_a.place_triangle(a.triangle(face_a));
            for &face_b in faces_b {
                let t = pose_b.place_triangle(b.triangle(face_b));
                tests += 1;
                if triangles_intersect(&s, &t) {
                    pairs.push(FacePair { a: face_a, b: face_b });
                }
            }
        }
        ControlFlow::Continue(())
    });
    assert!(walk.is_continue());
    assert_eq!(scratch.counts.face_tests, tests);
    pairs.sort_unstable();
    pairs
}

/// Options for every way to build a tree.
fn options() -> Vec<BoxtreeOptions> {
    let mut all = Vec::new();
    for axes in [SeedAxis::All, SeedAxis::Longest] {
        let default = BoxtreeOptions::default().axes(axes);
        for planes in [PlaneChoice::Two, PlaneChoice::One, PlaneChoice::Parallel] {
            for leaf in [0, 2, 5] {
                all.push(default.planes(planes).leaf(leaf));
            }
        }
        all.push(default.planes(PlaneChoice::Parallel).measure(Measure::Volume));
    }
    all
}

/// Checks that a tree holds every face once, within its box, is not too deep and takes little
/// memory.
fn check_tree(label: &str, mesh: &Mesh, tree: &Boxtree) {
    let count = mesh.faces().len();
    assert!(tree.bytes() <= Boxtree::bytes_for(count).max(18 * count), "{label}");
    assert!(tree.bytes() <= 18 * count, "{label}: {} bytes", tree.bytes());
    if tree.options.leaf <= 1 {
        assert_eq!(tree.bytes(), Boxtree::bytes_for(count), "{label}");
        assert_eq!(tree.node_count(), (2 * count).saturating_sub(1), "{label}");
    }
    let mut seen = vec![false; count];
    let mut open: Vec<_> = tree.root.iter().map(|&root| (root, tree.bounds, 0)).collect();
    while let Some((node, bounds, depth)) = open.pop() {
        assert!(depth <= 3 * count.ilog2() + 10, "{label}: depth {depth} is too large");
        for &face in tree.faces_of(&node) {
            assert!(
                !std::mem::replace(&mut seen[face as usize], true),
                "{label}: face {face} is in two leaves"
            );
            let [min, max] = bounds.corners();
            for corner in mesh.triangle(face) {
                let at = tree.frame.normalized(corner);
                let guard = DVec3::splat(f64::EPSILON);
                let is_within = min.cmple(at + guard).all() && max.cmpge(at - guard).all();
                assert!(is_within, "{label}: face {face} is not within its box");
            }
        }
        if node.kind() == Kind::Inner {
            for child in tree.pairs[node.link as usize] {
                open.push((child, child.of(bounds.into()).into(), depth + 1));
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen), "{label}: a face is missing");
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)))
}

fn soup_of(triangles: impl IntoIterator<Item = [DVec3; 3]>) -> Mesh {
    let positions: Vec<DVec3> = triangles.into_iter().flatten().collect();
    let faces = (0..positions.len() as u32 / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Mesh::new(positions, faces).expect("finite")
}

/// Triangles with corners on a coarse grid: many touch, coincide or are degenerate.
fn coarse_soup(faces: usize, random: &mut Random) -> Mesh {
    let corner = |random: &mut Random| DVec3::from_array([(); 3].map(|()| random.below(4) as f64));
    soup_of((0..faces).map(|_| {
        let at = corner(random);
        [(); 3].map(|()| at + corner(random))
    }))
}

fn needles(faces: usize, random: &mut Random) -> Mesh {
    soup_of((0..faces).map(|_| {
        let (at, along) = (vector(random), vector(random));
        [at - along, at + along, at + along + vector(random) * 1e-5]
    }))
}

/// Meshes of all kinds, small enough for brute force.
fn meshes(seed: u64) -> Vec<(&'static str, Mesh)> {
    let random = &mut Random::new(seed);
    let point = vector(random);
    let small = |mesh: Mesh| generate::scaled_to_cube(&mesh, 2.0).expect("it has an extent");
    vec![
        ("nothing", Mesh::default()),
        ("one face", soup_of([[(); 3].map(|()| vector(random))])),
        ("one point", soup_of([[point; 3]])),
        ("equal faces", soup_of([[point, point + DVec3::X, point + DVec3::Y]; 37])),
        ("a soup", small(coarse_soup(60, random))),
        ("needles", needles(40, random)),
        ("a sphere", generate::sphere(200).expect("enough")),
        ("a torus", small(generate::deformed_torus(seed, [16, 8]).expect("enough"))),
        ("flat", soup_of((0..50).map(|_| [(); 3].map(|()| vector(random).with_z(0.25))))),
    ]
}

#[test]
fn trees_are_complete_and_small() {
    for seed in 0..5 {
        for (name, mesh) in meshes(seed) {
            for options in options() {
                let tree = Boxtree::build(&mesh, options);
                check_tree(&format!("seed {seed}, {name}, {options:?}"), &mesh, &tree);
            }
        }
    }
}

/// For any mesh, overlap test and build options, a traversal finds what brute force finds.
#[test]
fn traversals_find_what_brute_force_finds() {
    let mut touching = 0;
    let mut scratches = OverlapTest::ALL.map(BoxtreeScratch::new);
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let meshes = meshes(seed);
        let all_options = options();
        for (name_a, a) in &meshes {
            for (name_b, b) in &meshes {
                let rotation = random.rotation();
                let pose_a = Pose::new(random.rotation(), vector(&mut random) * 3.0).unwrap();
                let beside = pose_a.translation() + vector(&mut random);
                let pose_b = Pose::new(rotation, beside).unwrap();
                // At random poses, and both at the identity, where many faces just touch.
                for (pose_a, pose_b) in [(pose_a, pose_b), (Pose::IDENTITY, Pose::IDENTITY)] {
                    let expected = expected(a, &pose_a, b, &pose_b);
                    touching += expected.len();
                    for &options in &all_options {
                        let tree_a = Boxtree::build(a, options);
                        let tree_b = Boxtree::build(b, options);
                        for scratch in &mut scratches {
                            let body_a = (a, &tree_a, &pose_a);
                            let found = found(body_a, (b, &tree_b, &pose_b), scratch);
                            let test = scratch.test;
                            assert!(
                                found == expected,
                                "seed {seed}, {name_a} and {name_b}, {options:?}, {test:?}: \
                                 found {} of {}",
                                found.len(),
                                expected.len()
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(touching > 10_000, "too few faces touch: {touching}");
}

/// A random rotation, often slightly stretched and sheared, within what a pose accepts.
fn rotation(random: &mut Random) -> DMat3 {
    let exact = if random.below(4) == 0 { DMat3::IDENTITY } else { random.rotation() };
    let mut bend = DMat3::IDENTITY;
    for i in 0..3 {
        *bend.col_mut(i) += vector(random) * 2.4e-7;
    }
    if random.below(2) == 0 { exact * bend } else { exact }
}

fn pick(random: &mut Random, from: &[f64]) -> f64 {
    from[random.below(from.len() as u64) as usize]
}

/// A mesh of any magnitude with a few parts of very different sizes, near the origin or far away.
fn parts(unit: f64, random: &mut Random) -> Mesh {
    let size = unit * pick(random, &[1.0, 1.0, 1e-3, 100.0]);
    let middle = vector(random) * size * pick(random, &[0.0, 1.0, 1e3, 1e9]);
    let count = 1 + random.below(12) as usize;
    soup_of((0..count).map(|_| {
        let extent = size * pick(random, &[0.0, 1e-7, 1e-3, 0.1, 1.0]);
        let at = middle + vector(random) * size;
        [(); 3].map(|()| at + vector(random) * extent)
    }))
}

/// Two bodies of which one face each just touch, or nearly so. The traversal must visit that pair
/// at any
/// position and size, even though the rotations are not exactly orthogonal.
#[test]
fn traversals_miss_no_pair_that_just_touches() {
    let mut touching = 0;
    let mut scratches = OverlapTest::ALL.map(BoxtreeScratch::new);
    let options = options();
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let random = &mut random;
        let unit = pick(random, &[1.0, 1.0, 1e-3, 1e6, 1e-40, 1e40, 1e-300, 1e-318, 1e85]);
        let meshes = [0; 2].map(|_| parts(unit, random));
        let poses = [0; 2].map(|_| {
            let travel = unit * pick(random, &[0.0, 1.0, 1e4, 1e12]);
            Pose::new(rotation(random), vector(random) * travel).expect("nearly a rotation")
        });
        let faces = [0, 1].map(|i| random.below(meshes[i].faces().len() as u64) as u32);
        let mut placed = [0, 1].map(|i| poses[i].place_triangle(meshes[i].triangle(faces[i])));
        let meet = |t: [DVec3; 3], random: &mut Random| match random.below(2) {
            0 => t[0],
            _ => t[0] * 0.25 + t[1] * 0.25 + t[2] * 0.5,
        };
        let gap = meet(placed[0], random) - meet(placed[1], random);
        let moved = Pose::new(poses[1].rotation(), poses[1].translation() + gap).expect("finite");
        placed[1] = moved.place_triangle(meshes[1].triangle(faces[1]));
        if !triangles_intersect(&placed[0], &placed[1]) {
            continue;
        }
        touching += 1;
        let options = options[random.below(options.len() as u64) as usize];
        let trees = [0, 1].map(|i| Boxtree::build(&meshes[i], options));
        let relative = Relative::new(trees[0].frame(), &poses[0], trees[1].frame(), &moved);
        for scratch in &mut scratches {
            let walk =
                trees[0].visit_leaf_pairs(&trees[1], &relative, scratch, &mut |[a, b]| match a
                    .contains(&faces[0])
                    && b.contains(&faces[1])
                {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                });
            assert!(walk.is_break(), "seed {seed}: missed by {:?}, {options:?}", scratch.test);
        }
    }
    assert!(touching > 8_000, "too few faces touch: {touching}");
}

/// Traversals prune well: two spheres side by side have few leaves near each other.
#[test]
fn traversals_prune_boxes_that_are_apart() {
    let ball = generate::sphere(2_000).expect("enough");
    let tree = Boxtree::build(&ball, BoxtreeOptions::default());
    for test in OverlapTest::ALL {
        let mut scratch = BoxtreeScratch::new(test);
        let pose = Pose::new(Random::new(1).rotation(), DVec3::new(1.99, 0.0, 0.0)).unwrap();
        let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &pose);
        let walk = tree
            .visit_leaf_pairs(&tree, &relative, &mut scratch, &mut |_| ControlFlow::Continue(()));
        assert!(walk.is_continue());
        let counts = scratch.counts;
        assert!(counts.face_tests < 4_000 && counts.volume_tests < 40_000, "{test:?}: {counts:?}");
    }
}

/// After the vertices have moved, a refitted tree gives the same answers as brute force.
#[test]
fn a_refitted_tree_finds_what_brute_force_finds() {
    let mut touching = 0;
    for seed in 0..3 {
        for (name, mesh) in meshes(seed) {
            let random = &mut Random::new(seed);
            let stretch = random.rotation() * DMat3::from_diagonal(DVec3::new(3.0, 0.5, 1.0));
            let moved =
                |p: &DVec3| stretch * *p + DVec3::splat(7.0) + 0.1 * p.length_squared() * DVec3::Y;
            let positions = mesh.positions().iter().map(moved).collect();
            let moved = Mesh::new(positions, mesh.faces().to_vec()).expect("finite");
            let pose = Pose::new(random.rotation(), vector(random) * 0.1).unwrap();
            // Rotated about its own centre, so that the two bodies overlap.
            let middle =
                if mesh.faces().is_empty() { DVec3::ZERO } else { moved.bounds().center() };
            let beside = middle - pose.rotation() * middle + pose.translation();
            let pose = Pose::new(pose.rotation(), beside).unwrap();
            let expected = expected(&moved, &Pose::IDENTITY, &moved, &pose);
            touching += expected.len();
            for options in options() {
                let label = format!("seed {seed}, {name}, {options:?}");
                let mut tree = Boxtree::build(&mesh, options);
                let before = (tree.bytes(), tree.node_count());
                tree.refit(&moved).expect("as many faces");
                assert_eq!(before, (tree.bytes(), tree.node_count()), "{label}");
                check_tree(&label, &moved, &tree);
                let mut scratch = BoxtreeScratch::default();
                let bodies = [Pose::IDENTITY, pose];
                let body = |i: usize| (&moved, &tree, &bodies[i]);
                assert!(found(body(0), body(1), &mut scratch) == expected, "{label}");
            }
        }
    }
    assert!(touching > 1_000, "too few faces touch: {touching}");
}

#[test]
fn a_tree_is_not_refitted_to_another_number_of_faces() {
    let [ball, other] = [200, 960].map(|faces| generate::sphere(faces).expect("enough"));
    let mut tree = Boxtree::build(&ball, BoxtreeOptions::default());
    let error = tree.refit(&other).unwrap_err();
    let (expected, found) = (ball.faces().len(), other.faces().len());
    assert_eq!(error, RefitError { expected, found });
    check_tree("unchanged", &ball, &tree);
    let mut empty = Boxtree::build(&Mesh::default(), BoxtreeOptions::default());
    assert!(empty.refit(&ball).is_err() && empty.refit(&Mesh::default()).is_ok());
}

/// Meshes for which splitting by seeds works badly. Trees stay shallow, and building stays fast.
#[test]
fn difficult_meshes_do_not_make_deep_trees() {
    let count = 40_000;
    let random = &mut Random::new(1);
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    // Each half as far out as the last, until rounding makes them equal; then again from the start.
    let exponential = |i: usize| {
        let scale = 0.5_f64.powi(i as i32 % 60);
        triangle.map(|corner| (corner + DVec3::ONE) * scale)
    };
    let bad: Vec<(&str, Mesh)> = vec![
        ("equal", soup_of((0..count).map(|_| triangle))),
        ("exponential", soup_of((0..count).map(exponential))),
        (
            "one by one",
            soup_of((0..count).map(|i| {
                // Every face reaches from its own position to the far end.
                let at = DVec3::X * (i as f64 / count as f64).powi(8);
                [at, at + DVec3::Y * 1e-3, DVec3::X * (1.0 + i as f64 * 1e-6)]
            })),
        ),
        (
            "degenerate",
            soup_of((0..count).map(|i| {
                let at = vector(random);
                let other = if i % 5 < 2 { at } else { at + vector(random) * 1e-2 };
                [at, at, other]
            })),
        ),
        ("on a line", soup_of((0..count).map(|i| [DVec3::X * i as f64; 3]))),
        (
            "a point and a crowd",
            soup_of((0..count).map(|i| {
                if i == 0 { [DVec3::ONE; 3] } else { [(); 3].map(|()| vector(random) * 1e-9) }
            })),
        ),
    ];
    for (name, mesh) in &bad {
        for options in [
            BoxtreeOptions::default(),
            BoxtreeOptions::default().axes(SeedAxis::Longest).leaf(1),
            BoxtreeOptions::default().planes(PlaneChoice::Parallel).measure(Measure::Volume),
        ] {
            let tree = Boxtree::build(mesh, options);
            check_tree(&format!("{name}, {options:?}"), mesh, &tree);
        }
    }
}

/// Large meshes are sorted into cells first; the trees have the same properties.
#[test]
fn large_trees_are_complete_and_small() {
    let torus = generate::deformed_torus(1, [200, 100]).expect("enough segments");
    let tree = Boxtree::build(&torus, BoxtreeOptions::default());
    check_tree("a torus", &torus, &tree);
    let brick = generate::cuboid(DVec3::splat(0.3)).expect("a size");
    let small = Boxtree::build(&brick, BoxtreeOptions::default());
    let mut touching = 0;
    for seed in 0..5 {
        let random = &mut Random::new(seed);
        let pose = Pose::new(random.rotation(), random.direction()).unwrap();
        let expected = expected(&torus, &Pose::IDENTITY, &brick, &pose);
        for test in OverlapTest::ALL {
            let scratch = &mut BoxtreeScratch::new(test);
            let still = (&torus, &tree, &Pose::IDENTITY);
            assert!(found(still, (&brick, &small, &pose), scratch) == expected, "seed {seed}");
        }
        touching += expected.len();
    }
    assert!(touching > 100, "too few faces touch: {touching}");
}

/// The parts of a traversal together visit what the whole visits, and nothing twice.
#[test]
fn parts_of_a_traversal_make_up_the_whole() {
    let torus = generate::deformed_torus(1, [60, 30]).expect("enough segments");
    let tree = Boxtree::build(&torus, BoxtreeOptions::default());
    let pose = Pose::from_translation(DVec3::new(0.3, 0.2, 0.1)).unwrap();
    let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &pose);
    let pairs_of = |part| {
        let (mut pairs, scratch) = (Vec::new(), &mut BoxtreeScratch::default());
        let walk = tree.visit_part_of_leaf_pairs(part, &tree, &relative, scratch, &mut |[a, b]| {
            pairs.push((a.to_vec(), b.to_vec()));
            ControlFlow::Continue(())
        });
        assert!(walk.is_continue());
        pairs
    };
    let mut whole = pairs_of([0, 1]);
    let parts: Vec<_> = (0..4).map(|part| pairs_of([part, 4])).collect();
    let largest = parts.iter().map(Vec::len).max();
    assert!(largest < Some(whole.len() / 2), "{largest:?} of {}", whole.len());
    let mut all = parts.concat();
    whole.sort_unstable();
    all.sort_unstable();
    assert!(whole == all && !whole.is_empty());
}

/// A lower bound never exceeds the distance of the faces below it, and many queries skip most
/// pairs of faces.
#[test]
fn distance_bounds_never_exceed_the_distance() {
    let mut skipped = 0;
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let unit = pick(random, &[1.0, 1e-3, 1e6, 1e-40, 1e40]);
        let meshes = [0; 2].map(|_| parts(unit, random));
        let poses = [0; 2].map(|_| {
            let travel = unit * pick(random, &[0.0, 1.0, 1e4]);
            Pose::new(rotation(random), vector(random) * travel).expect("nearly a rotation")
        });
        let trees = [0, 1].map(|i| Boxtree::build(&meshes[i], BoxtreeOptions::default()));
        let relative = Relative::new(trees[0].frame(), &poses[0], trees[1].frame(), &poses[1]);
        let placed = |i: usize, face: u32| poses[i].place_triangle(meshes[i].triangle(face));
        let all = |i: usize| 0..meshes[i].faces().len() as u32;
        let expected = all(0)
            .flat_map(|a| all(1).map(move |b| (a, b)))
            .map(|(a, b)| triangles_distance(&placed(0, a), &placed(1, b)).distance)
            .fold(f64::INFINITY, f64::min);
        let (mut nearest, mut visited) = (NearestFaces::default(), 0);
        let pair = BoxtreePair { a: &trees[0], b: &trees[1], relative };
        let scratch = &mut BoxtreeScratch::default();
        pair.walk_nearest(scratch, &mut nearest, &mut |nearest, [faces_a, faces_b]| {
            for &a in faces_a {
                for &b in faces_b {
                    nearest.offer(FacePair { a, b }, &placed(0, a), &placed(1, b));
                    visited += 1;
                }
            }
        });
        let pairs = all(0).len() * all(1).len();
        let found = nearest.best().map(|best| best.distance);
        assert!(found == Some(expected), "seed {seed}: {found:?} instead of {expected}");
        skipped += usize::from(visited * 2 < pairs);
    }
    assert!(skipped > 500, "too few queries skip most pairs: {skipped}");
}

/// Small parts of large meshes are pruned about as well as they would be alone.
#[test]
fn small_parts_of_large_meshes_are_pruned_well() {
    let size = 1e-5;
    let ball = generate::sphere(5_000).expect("enough");
    let count = ball.faces().len() as u32;
    let positions = ball.positions().iter().map(|p| *p * size).collect();
    let alone = Mesh::new(positions, ball.faces().to_vec()).expect("finite");
    // Bricks beside it, each half as far and as large as the last, make the path down to it long.
    let bricks: Vec<(Mesh, Pose)> = (0..16)
        .map(|k| 0.5_f64.powi(k))
        .map(|far| {
            let brick = generate::cuboid(DVec3::splat(0.4 * far)).expect("a size");
            (brick, Pose::from_translation(DVec3::splat(far)).expect("finite"))
        })
        .collect();
    let parts = bricks.iter().map(|(mesh, pose)| (mesh, pose));
    let part = generate::merged([(&alone, &Pose::IDENTITY)].into_iter().chain(parts));
    let part = part.expect("finite");
    let pose = Pose::new(Random::new(1).rotation(), DVec3::new(1.9 * size, 0.0, 0.0)).unwrap();
    let tests = |mesh: &Mesh| {
        let mut tree = Boxtree::build(mesh, BoxtreeOptions::default());
        [false, true].map(|refit| {
            if refit {
                tree.refit(mesh).expect("the same faces");
            }
            let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &pose);
            let mut tests = 0;
            let mut visit = |[faces_a, faces_b]: [&[u32]; 2]| {
                let of_ball = |faces: &[u32]| faces.iter().filter(|&&face| face < count).count();
                tests += of_ball(faces_a) * of_ball(faces_b);
                ControlFlow::Continue(())
            };
            let scratch = &mut BoxtreeScratch::default();
            assert!(tree.visit_leaf_pairs(&tree, &relative, scratch, &mut visit).is_continue());
            tests
        })
    };
    let (expected, found) = (tests(&alone), tests(&part));
    for (expected, found) in expected.into_iter().zip(found) {
        assert!(found < 3 * expected, "{found} face tests, but {expected} for the part alone");
        assert!(expected > 100, "too few face tests: {expected}");
    }
}

/// Trees with different options, and one that was refitted.
fn variants(mesh: &Mesh) -> Vec<Arc<dyn Prepared>> {
    let bent = mesh.positions().iter().map(|p| *p * (1.0 + 0.1 * p.x.sin())).collect();
    let bent = Mesh::new(bent, mesh.faces().to_vec()).expect("finite");
    let mut refitted = Boxtree::build(&bent, BoxtreeOptions::default());
    refitted.refit(mesh).expect("as many faces");
    let options = [
        BoxtreeOptions::default(),
        BoxtreeOptions::of_paper(),
        BoxtreeOptions::default().leaf(5).axes(SeedAxis::Longest),
    ];
    let trees = options.map(|options| Boxtree::build(mesh, options));
    trees
        .into_iter()
        .chain([refitted])
        .map(|tree| -> Arc<dyn Prepared> { Arc::new(tree) })
        .collect()
}

#[test]
fn a_ray_misses_no_face() {
    one_tree::a_ray_misses_no_face(&variants, 0.2);
}

#[test]
fn the_first_hit_is_never_pruned() {
    one_tree::the_first_hit_is_never_pruned(&variants, 80);
}

#[test]
fn rays_out_of_reach_are_left_to_the_exact_test() {
    one_tree::rays_out_of_reach_are_left_to_the_exact_test(&variants);
}

#[test]
fn the_closest_faces_are_visited_and_few_others() {
    one_tree::the_closest_faces_are_visited_and_few_others(&variants, 0.3);
}

#[test]
fn all_faces_within_a_distance_are_visited() {
    one_tree::all_faces_within_a_distance_are_visited(&variants);
}

#[test]
fn a_negative_limit_ends_the_search() {
    one_tree::a_negative_limit_ends_the_search(&variants);
}
