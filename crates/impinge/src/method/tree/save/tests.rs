use super::*;
use crate::{
    FacePair, Method, Pair, Pose,
    generate::{self, Random},
    method::{
        save::{CHECKSUM, hash},
        tree::{BuildOptions, Scratch},
    },
    narrow::triangles_intersect,
    volume::{Aabb, Dop, Obb, Relative, Sphere},
};
use std::ops::ControlFlow;

/// A small mesh with faces of many sizes. Some are degenerate, and some occur several times.
fn soup(faces: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let positions = (0..3 * faces).map(|_| random.direction() * random.unit()).collect();
    let corners = (0..faces).map(|face| match face % 5 {
        0 => [3 * face; 3],
        1 => [3 * face, 3 * face + 1, 3 * face],
        2 => [0, 1, 2],
        _ => [3 * face, 3 * face + 1, 3 * face + 2],
    });
    Mesh::new(positions, corners.collect()).unwrap()
}

fn meshes() -> Vec<Mesh> {
    let flat = (0..20).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 7.0)).collect();
    // Splitting at the mean cuts off one face at a time here.
    let steep = (0..300).map(|i| DVec3::new(0.7f64.powi(i), 0.0, 0.0)).collect();
    let same = vec![DVec3::new(1e9, -1e-9, 3.0); 3];
    let tiny: Vec<DVec3> = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v * 5e-324).into();
    vec![
        Mesh::default(),
        Mesh::new(vec![DVec3::ONE; 4], Vec::new()).unwrap(),
        Mesh::new(same.clone(), vec![[0, 1, 2]]).unwrap(),
        Mesh::new(same, vec![[0, 1, 2]; 50]).unwrap(),
        Mesh::new(tiny, vec![[0, 1, 2]; 3]).unwrap(),
        Mesh::new(flat, (0..18).map(|i| [i, i + 1, (i + 5) % 20]).collect()).unwrap(),
        Mesh::new(steep, (0..300).map(|i| [i; 3]).collect()).unwrap(),
        generate::sphere(960).unwrap(),
        soup(400, 1),
    ]
}

fn poses() -> Vec<Pose> {
    let mut random = Random::new(5);
    let mut pose = || Pose::new(random.rotation(), random.direction() * 0.3).unwrap();
    vec![Pose::IDENTITY, pose(), pose(), pose()]
}

/// The contacts of a mesh placed against itself, by two trees of it.
fn contacts<V: SavedVolume>(
    mesh: &Mesh,
    a: &BvTree<V>,
    b: &BvTree<V>,
    pose: &Pose,
) -> Vec<FacePair> {
    let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
    let mut found = Vec::new();
    let _ = a.visit_leaf_pairs(b, &relative, &mut Scratch::default(), &mut |[faces_a, faces_b]| {
        for &a in faces_a {
            for &b in faces_b {
                let placed = pose.place_triangle(mesh.triangle(b));
                if triangles_intersect(&mesh.triangle(a), &placed) {
                    found.push(FacePair { a, b });
                }
            }
        }
        ControlFlow::<()>::Continue(())
    });
    found
}

fn answers_as_brute_force<V: SavedVolume>(mesh: &Mesh, tree: &BvTree<V>, what: &str) -> usize {
    let mut brute = Pair::with_method(Method::BRUTE, mesh.clone(), mesh.clone());
    let mut count = 0;
    for pose in poses() {
        let mut found = contacts(mesh, tree, tree, &pose);
        found.sort_unstable();
        if tree.repeats_faces() {
            found.dedup();
        }
        assert_eq!(found, brute.contacts(&Pose::IDENTITY, &pose), "{what}");
        count += found.len();
    }
    count
}

fn refused<V: SavedVolume>(bytes: &[u8], mesh: &Mesh) -> TreeFileError {
    BvTree::<V>::from_bytes(bytes, mesh).expect_err("to be refused")
}

/// The same bytes with a corrected checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - CHECKSUM);
    super::sealed(bytes)
}

fn with_u32(bytes: &[u8], at: usize, value: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    sealed(bytes)
}

fn saving_and_loading_restores_the_same_tree<V: SavedVolume>() {
    let mut split = 0;
    for (i, mesh) in meshes().iter().enumerate() {
        for (leaf, share) in [(1, 0.0), (2, 0.0), (7, 0.0), (1000, 0.0), (2, 0.3), (7, 4.0)] {
            let what = format!("mesh {i}, leaf {leaf}, skinny {share}");
            let options = BuildOptions::default().leaf(leaf).split_skinny(share);
            let tree = BvTree::<V>::build(mesh, options);
            split += usize::from(tree.repeats_faces());
            let bytes = tree.to_bytes(mesh);
            let loaded = BvTree::<V>::from_bytes(&bytes, mesh)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(loaded.to_bytes(mesh), bytes, "{what}");
            let contents =
                |t: &BvTree<V>| format!("{:?} {:?} {:?} {:?}", t.frame, t.nodes, t.faces, t.pieces);
            assert_eq!(contents(&loaded), contents(&tree), "{what}");
            // Large leaves would need as many exact tests as brute force.
            for pose in poses().iter().filter(|_| leaf == 2) {
                let expected = contacts(mesh, &tree, &tree, pose);
                assert_eq!(contacts(mesh, &loaded, &loaded, pose), expected, "{what}");
            }
        }
    }
    assert!(split >= 4, "too few trees have split faces: {split}");
}

fn a_truncated_or_extended_file_is_refused<V: SavedVolume>() {
    let mesh = soup(12, 2);
    let bytes = BvTree::<V>::build(&mesh, BuildOptions::default()).to_bytes(&mesh);
    for length in 0..bytes.len() {
        let error = refused::<V>(&bytes[..length], &mesh);
        assert!(matches!(error, TreeFileError::Length { .. }), "{length}: {error}");
        if length >= HEADER + CHECKSUM {
            refused::<V>(&sealed(bytes[..length].to_vec()), &mesh);
        }
    }
    let longer = sealed([&bytes[..], &[0; 8]].concat());
    assert!(matches!(refused::<V>(&longer, &mesh), TreeFileError::Length { .. }));
}

/// Changes every byte and corrects the checksum. Loading must fail, or give a tree that misses
/// nothing.
fn a_forged_file_is_refused_or_harmless<V: SavedVolume>(options: BuildOptions) {
    let mesh = soup(24, 3);
    let bytes = BvTree::<V>::build(&mesh, options).to_bytes(&mesh);
    let (mut harmless, mut contacts) = (0, 0);
    for at in 0..bytes.len() - CHECKSUM {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let error = refused::<V>(&changed, &mesh);
            assert!(at < HEADER || matches!(error, TreeFileError::Checksum { .. }), "{error}");
            if let Ok(tree) = BvTree::<V>::from_bytes(&sealed(changed), &mesh) {
                harmless += 1;
                contacts += answers_as_brute_force(&mesh, &tree, &format!("byte {at} ^ {flip:x}"));
            }
        }
    }
    // Only stored volumes may differ without an error.
    assert_eq!(harmless > 0, V::BYTES > 0);
    assert_eq!(contacts > 1000, V::BYTES > 0, "{contacts}");
}

fn all<V: SavedVolume>() {
    saving_and_loading_restores_the_same_tree::<V>();
    a_truncated_or_extended_file_is_refused::<V>();
    a_forged_file_is_refused_or_harmless::<V>(BuildOptions::default());
    a_forged_file_is_refused_or_harmless::<V>(BuildOptions::default().split_skinny(0.4));
}

#[test]
fn saved_trees_of_boxes() {
    all::<Aabb>();
}

#[test]
fn saved_trees_of_spheres() {
    all::<Sphere>();
}

#[test]
fn saved_trees_of_oriented_boxes() {
    all::<Obb>();
}

#[test]
fn saved_trees_of_dops() {
    all::<Dop<9>>();
    saving_and_loading_restores_the_same_tree::<Dop<3>>();
    saving_and_loading_restores_the_same_tree::<Dop<4>>();
    saving_and_loading_restores_the_same_tree::<Dop<6>>();
    saving_and_loading_restores_the_same_tree::<Dop<7>>();
    saving_and_loading_restores_the_same_tree::<Dop<10>>();
    saving_and_loading_restores_the_same_tree::<Dop<13>>();
}

#[test]
fn a_wrong_header_is_refused() {
    let mesh = soup(12, 2);
    let bytes = BvTree::<Obb>::build(&mesh, BuildOptions::default()).to_bytes(&mesh);
    assert_eq!(refused::<Obb>(b"solid ascii", &mesh), TreeFileError::NotATree);
    let error = refused::<Obb>(&with_u32(&bytes, 8, 1), &mesh);
    assert_eq!(error, TreeFileError::Version { found: 1 });
    let error = refused::<Sphere>(&bytes, &mesh);
    assert_eq!(error, TreeFileError::Kind { found: 3, expected: 2 });
    assert_eq!(
        error.to_string(),
        "the tree holds volumes of kind 3 (obb; byte 12), not of kind 2 (sphere)"
    );
    let dop = BvTree::<Dop<3>>::build(&mesh, BuildOptions::default()).to_bytes(&mesh);
    let error = refused::<Aabb>(&dop, &mesh);
    assert_eq!(error, TreeFileError::Kind { found: 6, expected: 1 });
}

#[test]
fn the_tree_of_another_mesh_is_refused() {
    let mesh = soup(12, 2);
    let bytes = BvTree::<Obb>::build(&mesh, BuildOptions::default()).to_bytes(&mesh);
    let (positions, faces) = mesh.clone().into_parts();
    let mut moved = positions.clone();
    moved[7].y = moved[7].y.next_up();
    let mut turned = faces.clone();
    turned[3].rotate_left(1);
    let fewer = faces[..11].to_vec();
    for (positions, faces) in [(moved, faces), (positions.clone(), turned), (positions, fewer)] {
        let other = Mesh::new(positions, faces).unwrap();
        assert_eq!(refused::<Obb>(&bytes, &other), TreeFileError::OtherMesh);
    }
    assert_eq!(refused::<Obb>(&bytes, &Mesh::default()), TreeFileError::OtherMesh);
}

/// A forged mesh hash does no harm: the boxes of another mesh do not enclose this one.
#[test]
fn a_forged_hash_is_refused() {
    let (mesh, other) = (soup(40, 2), soup(40, 9));
    let mut bytes = BvTree::<Obb>::build(&other, BuildOptions::default()).to_bytes(&other);
    bytes[16..24].copy_from_slice(&hash::of_mesh(&mesh).to_le_bytes());
    let error = refused::<Obb>(&sealed(bytes), &mesh);
    assert!(matches!(error, TreeFileError::Volume { problem: VolumeProblem::TooSmall, .. }));
}

#[test]
fn huge_counts_allocate_nothing() {
    let mesh = soup(12, 2);
    let bytes = BvTree::<Obb>::build(&mesh, BuildOptions::default()).to_bytes(&mesh);
    for at in [24, 28] {
        for count in [u32::MAX, u32::MAX / 2, 1 << 20, 0] {
            let error = refused::<Obb>(&with_u32(&bytes, at, count), &mesh);
            assert!(matches!(error, TreeFileError::Length { .. }), "{error}");
        }
    }
    // The length of the file is right, but there are more nodes than 12 faces can have.
    let nodes = 24;
    let length = HEADER + Layout::new::<Obb>(12, nodes).body() as usize + CHECKSUM;
    let mut longer = bytes;
    longer.resize(length, 0);
    let error = refused::<Obb>(&with_u32(&longer, 28, nodes), &mesh);
    assert_eq!(error, TreeFileError::NodeCount { nodes, pieces: 12 });
}

/// A file with a tree of boxes, made from a list of faces and nodes.
fn file(mesh: &Mesh, faces: &[u32], nodes: &[[u32; 2]]) -> Vec<u8> {
    let tree = BvTree::<Aabb>::build(mesh, BuildOptions::default());
    let mut bytes = tree.to_bytes(mesh)[..HEADER].to_vec();
    bytes[28..32].copy_from_slice(&(nodes.len() as u32).to_le_bytes());
    bytes.extend(faces.iter().chain(nodes.iter().flatten()).flat_map(|word| word.to_le_bytes()));
    bytes.extend([0; CHECKSUM]);
    sealed(bytes)
}

#[test]
fn nodes_that_do_not_form_a_tree_are_refused() {
    let mesh = soup(4, 1);
    let list = [3, 1, 0, 2];
    let right = [[1, 0], [0, 1], [3, 0], [1, 2], [3, 1]];
    let tree = BvTree::<Aabb>::from_bytes(&file(&mesh, &list, &right), &mesh).unwrap();
    answers_as_brute_force(&mesh, &tree, "by hand");

    let refused = |node: usize, content: [u32; 2]| {
        let mut nodes = right;
        nodes[node] = content;
        match refused::<Aabb>(&file(&mesh, &list, &nodes), &mesh) {
            TreeFileError::Node { node, problem, .. } => (node, problem),
            other => panic!("{other}"),
        }
    };
    // Links to itself, to an ancestor, and beyond the last node.
    assert_eq!(refused(2, [2, 0]), (2, NodeProblem::Children));
    assert_eq!(refused(2, [0, 0]), (2, NodeProblem::Children));
    assert_eq!(refused(2, [4, 0]), (2, NodeProblem::Children));
    assert_eq!(refused(2, [u32::MAX, 0]), (2, NodeProblem::Children));
    // A node with two parents, and one without a parent.
    assert_eq!(refused(1, [2, 0]), (1, NodeProblem::Shared));
    assert_eq!(refused(1, [3, 0]), (2, NodeProblem::Shared));
    assert_eq!(refused(2, [1, 3]), (3, NodeProblem::Orphan));
    assert_eq!(refused(0, [2, 0]), (1, NodeProblem::Orphan));
    // Faces are missing, in two leaves, or do not exist.
    assert_eq!(refused(3, [1, 1]), (2, NodeProblem::Pieces));
    assert_eq!(refused(3, [1, 3]), (2, NodeProblem::Pieces));
    assert_eq!(refused(1, [0, 2]), (0, NodeProblem::Pieces));
    assert_eq!(refused(4, [3, 2]), (4, NodeProblem::Pieces));
    assert_eq!(refused(4, [u32::MAX, u32::MAX]), (4, NodeProblem::Pieces));
    assert_eq!(refused(0, [0, 3]), (1, NodeProblem::Orphan));

    let bytes = file(&mesh, &list, &[[0, 3]]);
    let error = BvTree::<Aabb>::from_bytes(&bytes, &mesh).unwrap_err();
    let at = HEADER + 4 * list.len();
    assert_eq!(error, TreeFileError::Node { at, node: 0, problem: NodeProblem::Pieces });
    for list in [[3, 1, 0, 1], [3, 1, 0, 4]] {
        let error = BvTree::<Aabb>::from_bytes(&file(&mesh, &list, &right), &mesh).unwrap_err();
        assert_eq!(error, TreeFileError::Piece { at: HEADER + 12, piece: list[3] });
    }
}

/// The number of pieces determines which faces are split, and how. Another number gives other
/// pieces.
#[test]
fn another_number_of_pieces_is_refused() {
    let mesh = soup(24, 3);
    let split = |share: f64| {
        BvTree::<Obb>::build(&mesh, BuildOptions::default().leaf(1).split_skinny(share))
    };
    let (whole, all) = (split(0.0), split(1.0));
    assert_eq!((whole.faces.len(), all.faces.len()), (24, 48));
    // A mesh without long thin faces cannot be split, whatever the file says.
    let ball = generate::icosphere(1).unwrap();
    let nodes: Vec<[u32; 2]> = vec![[1, 0], [0, 40], [40, 41]];
    let mut bytes = file(&ball, &(0..81).collect::<Vec<u32>>(), &nodes);
    bytes[24..28].copy_from_slice(&81u32.to_le_bytes());
    let error = refused::<Aabb>(&sealed(bytes), &ball);
    assert_eq!(error, TreeFileError::PieceCount { found: 81, most: 80 });
    // Boxes around other pieces do not enclose all of these.
    let mut bytes = all.to_bytes(&mesh);
    let nodes = u32_at(&bytes, 28);
    let layout = Layout::new::<Obb>(48, nodes);
    let list: Vec<u8> = bytes.drain(HEADER..layout.nodes_at() as usize).collect();
    // The same list backwards.
    let backwards = list.as_chunks::<4>().0.iter().rev().flatten().copied();
    bytes.splice(HEADER..HEADER, backwards);
    let error = refused::<Obb>(&sealed(bytes), &mesh);
    let too_small = VolumeProblem::TooSmall;
    assert!(
        matches!(error, TreeFileError::Volume { problem, .. } if problem == too_small),
        "{error}"
    );
}

/// A chain of nodes would make the checks quadratic.
#[test]
fn a_chain_is_refused() {
    let count = 20_000;
    let mesh = soup(count, 1);
    let list: Vec<u32> = (0..count).collect();
    let mut nodes = vec![[1, 0]];
    for face in 0..count - 2 {
        nodes.extend([[face, 1], [2 * face + 3, 0]]);
    }
    nodes.extend([[count - 2, 1], [count - 1, 1]]);
    let error = refused::<Aabb>(&file(&mesh, &list, &nodes), &mesh);
    assert!(matches!(error, TreeFileError::Node { problem: NodeProblem::Depth, .. }), "{error}");
}

/// Puts unusual numbers into stored volumes.
#[test]
fn volumes_with_unusual_numbers_are_refused_or_harmless() {
    let mesh = soup(10, 4);
    let odd = [f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, 1.0, -1.0, 3.9, 1e30, 1e-40];
    fn try_all<V: SavedVolume>(mesh: &Mesh, odd: &[f32]) {
        let bytes = BvTree::<V>::build(mesh, BuildOptions::default()).to_bytes(mesh);
        let nodes = u32_at(&bytes, 28);
        let volumes = Layout::new::<V>(10, nodes).volumes_at() as usize;
        for at in (volumes..bytes.len() - CHECKSUM).step_by(4) {
            for value in odd {
                let changed = with_u32(&bytes, at, value.to_bits());
                if let Ok(tree) = BvTree::<V>::from_bytes(&changed, mesh) {
                    answers_as_brute_force(mesh, &tree, &format!("{value} at {at}"));
                }
            }
        }
    }
    try_all::<Sphere>(&mesh, &odd);
    try_all::<Obb>(&mesh, &odd);
}
