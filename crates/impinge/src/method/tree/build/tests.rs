use super::*;
use crate::{
    FacePair, Method, Pair, Pose,
    generate::{self, Random},
    method::tree::{Regroup, Scratch, SplitDirections, SplitPoint, SplitRule},
    narrow::triangles_intersect,
    volume::{Aabb, Dop, Obb, Relative, SavedVolume, Sphere},
};
use std::ops::ControlFlow;

/// Options for every way to split, with leaves of one face.
fn choices() -> Vec<BuildOptions> {
    let mut choices = Vec::new();
    let directions = [SplitDirections::Axes, SplitDirections::All];
    for rule in SplitRule::ALL {
        for directions in directions {
            for regroup in [Regroup::Never, Regroup::LeastVolume, Regroup::LeastVolumeEach] {
                for point in [SplitPoint::Mean, SplitPoint::Median] {
                    let options = BuildOptions::default().leaf(1).rule(rule).point(point);
                    choices.push(options.directions(directions).regroup(regroup));
                }
            }
        }
    }
    for regroup in Regroup::ALL.into_iter().skip(3) {
        choices.push(BuildOptions::default().leaf(1).regroup(regroup).regroup_levels(3));
    }
    choices
}

/// Checks that every face is below the root, once if none is split. Returns the depth of the tree.
fn depth<V: BoundingVolume>(tree: &BvTree<V>, mesh: &Mesh, what: &str) -> u32 {
    let mut named = vec![0; mesh.faces().len()];
    let mut deepest = 0;
    let mut open: Vec<(u32, u32)> = tree.nodes.first().map(|_| (0, 0)).into_iter().collect();
    while let Some((node, depth)) = open.pop() {
        deepest = deepest.max(depth);
        let node = &tree.nodes[node as usize];
        if node.is_leaf() {
            for &face in tree.faces_of(node) {
                named[face as usize] += 1;
            }
        } else {
            open.extend([(node.first, depth + 1), (node.first + 1, depth + 1)]);
        }
    }
    let is_right = |&count: &i32| if tree.repeats_faces() { count >= 1 } else { count == 1 };
    assert!(named.iter().all(is_right), "{what}: a face is missing or repeated");
    // The limit that `Splitter::split` promises. Every level takes linear time, so this is n log n.
    let limit = 3 * (tree.faces.len().max(1).ilog2() + 3);
    assert!(deepest <= limit, "{what}: depth {deepest} exceeds {limit}");
    deepest
}

/// The contacts of a mesh placed against itself, each pair once.
fn contacts<V: BoundingVolume>(mesh: &Mesh, tree: &BvTree<V>, pose: &Pose) -> Vec<FacePair> {
    let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), pose);
    let mut found = Vec::new();
    let _ =
        tree.visit_leaf_pairs(tree, &relative, &mut Scratch::default(), &mut |[faces, others]| {
            for &b in others {
                let placed = pose.place_triangle(mesh.triangle(b));
                let touches = |&a: &u32| triangles_intersect(&mesh.triangle(a), &placed);
                let touching = faces.iter().copied().filter(touches);
                found.extend(touching.map(|a| FacePair { a, b }));
            }
            ControlFlow::<()>::Continue(())
        });
    found.sort_unstable();
    found.dedup();
    found
}

fn points(positions: impl IntoIterator<Item = DVec3>) -> Mesh {
    let positions: Vec<DVec3> = positions.into_iter().collect();
    let faces = (0..positions.len() as u32).map(|i| [i; 3]).collect();
    Mesh::new(positions, faces).unwrap()
}

/// Meshes that are difficult for some split rule.
fn bad_meshes(count: u32) -> Vec<(&'static str, Mesh)> {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let around = (0..count).flat_map(|i| {
        let size = f64::from(i + 1);
        [DVec3::new(size, -size, 0.0), DVec3::new(0.0, size, -size), DVec3::new(-size, 0.0, size)]
    });
    let rows = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let steep = |base: f64| (0..count as i32).map(move |i| DVec3::X * base.powi(-i));
    vec![
        ("identical", Mesh::new(corners, vec![[0, 1, 2]; count as usize]).unwrap()),
        ("one middle", Mesh::new(around.collect(), rows).unwrap()),
        ("x = 2^-i", points(steep(2.0).take(1070))),
        ("x = 1.2^-i", points(steep(1.2))),
        ("a line", points((0..count).map(|i| DVec3::new(f64::from(i), f64::from(2 * i), 0.0)))),
        (
            "a far one",
            points((0..count).map(|i| DVec3::X * if i == 0 { 1e90 } else { f64::from(i) })),
        ),
        ("two places", points((0..count).map(|i| DVec3::Z * f64::from(i % 2)))),
    ]
}

#[test]
fn difficult_meshes_do_not_make_deep_trees() {
    for (name, mesh) in bad_meshes(1500) {
        for options in choices() {
            let tree = BvTree::<Aabb>::build(&mesh, options);
            depth(&tree, &mesh, &format!("{name}, {options:?}"));
        }
        for options in
            SplitRule::ALL.map(|rule| BuildOptions::default().rule(rule).split_skinny(0.5))
        {
            let tree = BvTree::<Aabb>::build(&mesh, options);
            depth(&tree, &mesh, &format!("{name}, {options:?}"));
        }
    }
}

#[test]
fn a_million_identical_faces_are_halved_repeatedly() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let mesh = Mesh::new(corners, vec![[0, 1, 2]; 1_000_000]).unwrap();
    for rule in SplitRule::ALL {
        let tree = BvTree::<Aabb>::build(&mesh, BuildOptions::default().rule(rule));
        assert_eq!(depth(&tree, &mesh, &format!("{rule:?}")), 19, "{rule:?}");
    }
}

/// A small mesh with faces of many sizes and shapes, some of them degenerate.
fn soup(faces: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let positions = (0..3 * faces).map(|_| random.direction() * random.unit()).collect();
    let corners = (0..faces).map(|face| match face % 5 {
        0 => [3 * face; 3],
        1 => [3 * face, 3 * face + 1, 3 * face],
        _ => [3 * face, 3 * face + 1, 3 * face + 2],
    });
    Mesh::new(positions, corners.collect()).unwrap()
}

/// For any options, a query finds what brute force finds.
#[test]
fn all_trees_give_the_same_answer() {
    let mut count = 0;
    for seed in 0..4 {
        let mesh = soup(60, seed);
        let mut random = Random::new(!seed);
        let pose = Pose::new(random.rotation(), random.direction() * 0.2).unwrap();
        let mut brute = Pair::with_method(Method::BRUTE, mesh.clone(), mesh.clone());
        let expected = brute.contacts(&Pose::IDENTITY, &pose);
        count += expected.len();
        for options in choices() {
            for options in [options, options.leaf(3).split_skinny(0.7)] {
                let tree = BvTree::<Dop<9>>::build(&mesh, options);
                depth(&tree, &mesh, &format!("seed {seed}, {options:?}"));
                assert_eq!(contacts(&mesh, &tree, &pose), expected, "seed {seed}, {options:?}");
            }
        }
    }
    assert!(count > 500, "too few faces touch: {count}");
}

#[test]
fn a_tree_built_on_all_threads_is_the_same() {
    fn check<V: SavedVolume>(meshes: &[Mesh], options: BuildOptions) {
        for (i, mesh) in meshes.iter().enumerate() {
            let build = |threads| BvTree::<V>::build(mesh, options.threads(threads));
            let (one, all) = (build(Threads::One), build(Threads::Pool));
            let is_same = one.to_bytes(mesh) == all.to_bytes(mesh);
            assert!(is_same, "mesh {i}, {options:?}");
            let volumes = |tree: &BvTree<V>| format!("{:?}", tree.nodes);
            assert!(volumes(&one) == volumes(&all), "mesh {i}, {options:?}: volumes");
        }
    }
    let torus = generate::deformed_torus(1, [120, 60]).unwrap();
    let meshes = [Mesh::default(), soup(20, 1), soup(9000, 2), torus];
    for rule in SplitRule::ALL {
        let options = BuildOptions::default().rule(rule);
        check::<Dop<9>>(&meshes, options);
        check::<Obb>(&meshes[2..], options);
    }
    let options = BuildOptions::default();
    check::<Sphere>(&meshes, options.split_skinny(0.5));
    check::<Aabb>(&meshes, options.regroup(Regroup::LeastVolumeEach));
    check::<Dop<4>>(&meshes[..2], options.regroup(Regroup::MinMax).regroup_levels(3));
    check::<Aabb>(&meshes, options.directions(SplitDirections::All).leaf(5000));
}

#[test]
fn total_volume_and_height_of_known_trees() {
    // Two unit cubes that touch, in a frame whose unit is 2: the root has volume 2, its children 1 each.
    let cube = generate::cuboid(DVec3::ONE).unwrap();
    let both = [-1.5, 1.5].map(|x| cube.positions().iter().map(move |p| *p + DVec3::X * x));
    let positions = both.into_iter().flatten().collect();
    let corners = cube.positions().len() as u32;
    let moved = cube.faces().iter().map(|face| face.map(|corner| corner + corners));
    let faces = cube.faces().iter().copied().chain(moved).collect();
    let mesh = Mesh::new(positions, faces).unwrap();
    let options = BuildOptions::default().leaf(12);
    let tree = BvTree::<Aabb>::build(&mesh, options);
    assert_eq!(tree.height(), 1);
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-5 * expected;
    assert!(close(tree.total_volume(), 4.0 + 1.0 + 1.0), "{}", tree.total_volume());
    let tree = BvTree::<Dop<9>>::build(&mesh, options);
    assert!(close(tree.total_volume(), 6.0), "{}", tree.total_volume());
    let empty = BvTree::<Obb>::build(&Mesh::default(), options);
    assert_eq!((empty.height(), empty.total_volume()), (0, 0.0));
    for (name, mesh) in bad_meshes(300) {
        for rule in SplitRule::ALL {
            let tree = BvTree::<Obb>::build(&mesh, BuildOptions::default().rule(rule));
            assert_eq!(tree.height(), depth(&tree, &mesh, name), "{name}, {rule:?}");
        }
    }
}

#[test]
fn node_count_matches_the_built_tree() {
    for mesh in [Mesh::default(), soup(1, 1), soup(1000, 2), generate::sphere(960).unwrap()] {
        let tree = BvTree::<Aabb>::build(&mesh, BuildOptions::default());
        assert_eq!(node_count(&mesh), tree.node_count());
    }
}

/// Needles, points on them, and distant corners that change the frame, so that no coordinate is a
/// round number in it.
///
/// Each needle has corners on a grid, and so has each point. The point lies exactly on the needle,
/// at a cut or close to one.
fn needles(seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let unit = 2f64.powi(random.below(40) as i32 - 20);
    let mut grid = |size: u64| {
        let mut next = || random.below(2 * size + 1) as f64 - size as f64;
        DVec3::new(next(), next(), next())
    };
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    let length = 1 << 20;
    let near_cuts =
        || (1..32).flat_map(move |i| [-1, 0, 1].map(|by| f64::from(i * length / 32 + by)));
    for _ in 0..8 {
        let (from, step, width) = (grid(1 << 20), grid(8), grid(3));
        let first = positions.len() as u32;
        positions.extend([from, from + f64::from(length) * step, from + width]);
        faces.push([first, first + 1, first + 2]);
        // On a long side, and on the line from its middle to the other end.
        let on = near_cuts().map(|i| from + i * step);
        let within = near_cuts().map(|i| (from + i * step).midpoint(from + width));
        for point in on.chain(within) {
            faces.push([positions.len() as u32; 3]);
            positions.push(point);
        }
    }
    positions.extend([grid(1 << 24) * 1.1 + DVec3::splat(1.0 / 3.0), grid(1 << 24) / 0.7]);
    Mesh::new(positions.into_iter().map(|p| p * unit).collect(), faces).unwrap()
}

fn split_needles_miss_nothing<V: BoundingVolume>() {
    let mut count = 0;
    for seed in 0..12 {
        let mesh = needles(seed);
        let mut random = Random::new(seed);
        let far = random.direction() * 1e6;
        let poses = [
            Pose::IDENTITY,
            Pose::new(random.rotation(), far).unwrap(),
            Pose::from_translation(far).unwrap(),
        ];
        for (i, pose) in poses.iter().enumerate() {
            // Both bodies at the same pose, far from the origin or near it.
            let mut brute = Pair::with_method(Method::BRUTE, mesh.clone(), mesh.clone());
            let expected = brute.contacts(pose, pose);
            count += expected.len();
            for (k, share) in [0.0, 0.2, 4.0].into_iter().enumerate() {
                let options = BuildOptions::default().split_skinny(share).leaf(1 + k as u32);
                let tree = BvTree::<V>::build(&mesh, options);
                assert_eq!(tree.repeats_faces(), share > 0.0, "seed {seed}");
                let relative = Relative::new(tree.frame(), pose, tree.frame(), pose);
                let mut found = Vec::new();
                let scratch = &mut Scratch::default();
                let _ = tree.visit_leaf_pairs(&tree, &relative, scratch, &mut |[faces, others]| {
                    let all = faces.iter().flat_map(|&a| others.iter().map(move |&b| (a, b)));
                    found.extend(all.map(|(a, b)| FacePair { a, b }));
                    ControlFlow::<()>::Continue(())
                });
                found.retain(|&FacePair { a, b }| {
                    let [s, t] = [a, b].map(|face| pose.place_triangle(mesh.triangle(face)));
                    triangles_intersect(&s, &t)
                });
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, expected, "seed {seed}, pose {i}, {share}");
            }
        }
    }
    assert!(count > 20_000, "too few faces touch: {count}");
}

#[test]
fn boxes_of_split_needles_miss_nothing() {
    split_needles_miss_nothing::<Aabb>();
}

#[test]
fn spheres_of_split_needles_miss_nothing() {
    split_needles_miss_nothing::<Sphere>();
}

#[test]
fn oriented_boxes_of_split_needles_miss_nothing() {
    split_needles_miss_nothing::<Obb>();
}

#[test]
fn dops_of_split_needles_miss_nothing() {
    split_needles_miss_nothing::<Dop<9>>();
    split_needles_miss_nothing::<Dop<13>>();
}

#[test]
fn there_are_no_more_pieces_than_requested() {
    let mesh = soup(1000, 3);
    for share in [0.0, -1.0, f64::NAN, 0.01, 0.3, 1.0, 3.0, f64::INFINITY] {
        let tree = BvTree::<Aabb>::build(&mesh, BuildOptions::default().split_skinny(share));
        let more = tree.faces.len() - 1000;
        let most = (share.clamp(0.0, 4.0) * 1000.0) as usize;
        assert_eq!(more, most, "{share}");
        assert_eq!(tree.repeats_faces(), more > 0);
        for leaf in tree.nodes.iter().filter(|node| node.is_leaf()) {
            let mut faces = tree.faces_of(leaf).to_vec();
            faces.sort_unstable();
            assert!(faces.is_sorted_by(|a, b| a < b), "{share}: a leaf names a face twice");
        }
    }
    // A mesh without long thin faces is not split.
    let ball = generate::icosphere(2).unwrap();
    let tree = BvTree::<Aabb>::build(&ball, BuildOptions::default().split_skinny(1.0));
    assert!(!tree.repeats_faces());
}
