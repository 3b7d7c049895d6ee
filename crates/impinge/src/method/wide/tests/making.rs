//! Tests of building, refitting, saving and loading a wide tree.

use super::*;
use crate::{
    Method, Pair, Shape, Threads,
    method::save::{self, NodeProblem, TreeFileError, VolumeProblem},
};

/// Triangles of many sizes. Some are degenerate and some occur several times.
fn shards(count: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    for _ in 0..count {
        let at = vector(&mut random);
        let size = pick(&mut random, &[1e-6, 1e-3, 0.1, 0.4]);
        positions.extend([(); 3].map(|()| at + vector(&mut random) * size));
    }
    let faces = (0..count).map(|face| match face % 7 {
        0 => [3 * face; 3],
        1 => [3 * face, 3 * face + 1, 3 * face],
        2 => [0, 1, 2],
        _ => [3 * face, 3 * face + 1, 3 * face + 2],
    });
    Mesh::new(positions, faces.collect()).unwrap()
}

pub(super) fn bodies() -> Vec<(String, Mesh)> {
    let mut bodies = vec![
        ("nothing".to_owned(), Mesh::default()),
        ("torus".to_owned(), generate::deformed_torus(1, [90, 40]).unwrap()),
        ("chair".to_owned(), generate::chair()),
        ("ball".to_owned(), generate::icosphere(2).unwrap()),
    ];
    for seed in 1..40 {
        let count = 1 + (seed * seed * 7 % 900) as u32;
        bodies.push((format!("seed {seed}, {count} shards"), shards(count, seed)));
        let unit = pick(&mut Random::new(seed), &[1.0, 1e-40, 1e85]);
        bodies.push((format!("seed {seed}, soup of {unit}"), soup(&mut Random::new(seed), unit)));
    }
    bodies
}

fn options() -> impl Iterator<Item = WideOptions> {
    QUALITIES.into_iter().map(|quality| WideOptions::default().quality(quality))
}

#[test]
fn boxes_enclose_and_axes_are_orthonormal() {
    for (name, mesh) in bodies() {
        for options in options() {
            for lanes in Lanes::all() {
                let tree = WideTree::with_lanes(&mesh, options, lanes);
                assert_sound(&format!("{name}, {options:?}, {lanes:?}"), &tree, &mesh);
            }
        }
        let bytes = WideTree::build(&mesh, WideOptions::default()).bytes();
        assert_eq!(bytes, WideTree::bytes_of(&mesh), "{name}");
    }
}

/// The contents of a tree as text, without the number of threads that built it.
fn contents(tree: &WideTree) -> String {
    let WideTree { frame, body_frame, nodes, leaves, faces, .. } = tree;
    format!("{frame:?} {body_frame:?} {nodes:?} {leaves:?} {faces:?}")
}

#[test]
fn threads_make_the_same_tree() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let meshes = [
        generate::deformed_torus(1, [150, 80]).unwrap(),
        shards(9000, 3),
        Mesh::new(corners, vec![[0, 1, 2]; 10_000]).unwrap(),
        shards(5, 1),
        Mesh::default(),
    ];
    for mesh in &meshes {
        for options in options() {
            let one = WideTree::build(mesh, options);
            let pool = WideTree::build(mesh, options.threads(Threads::Pool));
            assert!(contents(&one) == contents(&pool), "{options:?}, {} faces", mesh.faces().len());
        }
    }
}

/// Few bytes per face means that nearly all leaves are full.
#[test]
fn trees_take_few_bytes() {
    let ball = generate::icosphere(5).unwrap();
    for options in options() {
        let bytes = WideTree::build(&ball, options).bytes() as f64 / ball.faces().len() as f64;
        assert!(bytes < 58.0, "{options:?}: {bytes} bytes a face");
    }
}

/// The same faces, with the vertices moved by a bend.
fn bent(mesh: &Mesh, by: f64) -> Mesh {
    let bend = |p: &DVec3| DVec3::new(p.x + by * libm::sin(3.0 * p.y), p.y, 2.0 * p.z - by * p.x);
    Mesh::new(mesh.positions().iter().map(bend).collect(), mesh.faces().to_vec()).unwrap()
}

#[test]
fn a_refitted_tree_is_sound_and_answers_as_brute_force() {
    let mut contacts = 0;
    for (name, mesh) in bodies() {
        if mesh.positions().iter().any(|p| p.abs().max_element() > 1e6) {
            continue;
        }
        let moved = bent(&mesh, 0.4);
        for options in options() {
            let mut tree = WideTree::build(&mesh, options);
            tree.refit(&moved, Threads::One);
            assert_sound(&format!("{name}, {options:?}"), &tree, &moved);
            let is_good = tree.refit(&mesh, Threads::Pool);
            assert_sound(&format!("{name}, {options:?}, back"), &tree, &mesh);
            assert!(is_good, "{name}, {options:?}: the tree fits where it was built");
            // The number of threads does not matter.
            let mut other = WideTree::build(&mesh, options);
            other.refit(&moved, Threads::Pool);
            other.refit(&mesh, Threads::One);
            assert!(contents(&tree) == contents(&other), "{name}, {options:?}");
        }
        if moved.faces().len() > 1000 {
            continue;
        }
        let shape = Shape::new(mesh.clone());
        let shared = shape.clone();
        let shape = shape.refitted(moved.clone()).unwrap();
        let mut pair = Pair::new(&shape, &shape).unwrap();
        let mut brute = Pair::with_method(Method::BRUTE, moved.clone(), moved.clone());
        for pose in generate::tumble(0.3, 3).unwrap() {
            let expected = brute.contacts(&Pose::IDENTITY, &pose).to_vec();
            assert_eq!(pair.contacts(&Pose::IDENTITY, &pose), expected, "{name}");
            contacts += expected.len();
        }
        // A clone made before the refit is unchanged.
        let bytes = Shape::new(mesh).to_bytes();
        assert!(shared.to_bytes() == bytes, "{name}");
    }
    assert!(contacts > 5_000, "{contacts}");
    let ball = generate::icosphere(1).unwrap();
    assert!(Shape::new(ball).refitted(Mesh::default()).is_err());
}

fn loaded(bytes: &[u8], mesh: &Mesh) -> Result<WideTree, TreeFileError> {
    WideTree::from_bytes(bytes, mesh, Threads::One)
}

#[test]
fn saving_and_loading_restores_the_same_tree() {
    for (name, mesh) in bodies() {
        for options in options() {
            let tree = WideTree::build(&mesh, options);
            let bytes = tree.to_bytes(&mesh);
            let back = loaded(&bytes, &mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(contents(&back) == contents(&tree), "{name}");
            assert_eq!(back.to_bytes(&mesh), bytes, "{name}");
        }
    }
}

/// The same bytes with a corrected checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - save::CHECKSUM);
    save::sealed(bytes)
}

/// Changes every byte and corrects the checksum. Loading must fail, or give a tree that misses
/// nothing.
#[test]
fn a_forged_file_is_refused_or_harmless() {
    let mesh = shards(70, 2);
    let poses: Vec<Pose> = generate::tumble(0.2, 2).unwrap();
    let bytes = WideTree::build(&mesh, WideOptions::default()).to_bytes(&mesh);
    let (mut harmless, mut touching) = (0, 0);
    for at in 0..bytes.len() - save::CHECKSUM {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(loaded(&changed, &mesh).is_err(), "byte {at} ^ {flip:x}");
            let Ok(tree) = loaded(&sealed(changed), &mesh) else { continue };
            let label = format!("byte {at} ^ {flip:x}");
            assert_sound(&label, &tree, &mesh);
            harmless += 1;
            if harmless % 10 == 0 {
                for pose in &poses {
                    let still = &Pose::IDENTITY;
                    touching += check(&label, [&tree; 2], [&mesh; 2], [still, pose])[0];
                }
            }
        }
    }
    assert!(harmless > 100 && touching > 100, "{harmless} harmless, {touching} touching");
    for length in 0..bytes.len() {
        assert!(loaded(&bytes[..length], &mesh).is_err(), "{length} bytes");
        if length > 40 {
            assert!(loaded(&sealed(bytes[..length].to_vec()), &mesh).is_err(), "{length} bytes");
        }
    }
}

/// A file for a mesh, made from a list of faces, links and axes.
fn file(mesh: &Mesh, faces: &[u32], links: &[[u32; WIDTH]], axes: [f32; 9]) -> Vec<u8> {
    let counts = [faces.len() as u32, links.len() as u32];
    let mut bytes = save::begun(super::super::save::KIND, mesh, counts, 0);
    let words = faces.iter().chain(links.iter().flatten());
    bytes.extend(words.flat_map(|word| word.to_le_bytes()));
    for _ in 0..links.len() * WIDTH {
        bytes.extend(axes.iter().flat_map(|value| value.to_le_bytes()));
    }
    save::sealed(bytes)
}

const IDENTITY_AXES: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
const NONE: u32 = u32::MAX;
const LEAF: u32 = 1 << 31;

fn links<const N: usize>(some: [u32; N]) -> [u32; WIDTH] {
    std::array::from_fn(|k| some.get(k).copied().unwrap_or(NONE))
}

#[test]
fn links_that_do_not_form_a_tree_are_refused() {
    let mesh = shards(20, 1);
    let list: Vec<u32> = (0..20).rev().collect();
    let right = [links([1]), links([LEAF + 3, 2, LEAF + 1]), links([LEAF + 8, LEAF + 8])];
    let tree = loaded(&file(&mesh, &list, &right, IDENTITY_AXES), &mesh).unwrap();
    assert_sound("by hand", &tree, &mesh);
    check("by hand", [&tree; 2], [&mesh; 2], [&Pose::IDENTITY; 2]);

    let refused = |node: usize, content: [u32; WIDTH]| {
        let mut nodes = right;
        nodes[node] = content;
        match loaded(&file(&mesh, &list, &nodes, IDENTITY_AXES), &mesh).expect_err("to be refused")
        {
            TreeFileError::Node { node, problem, .. } => (node, problem),
            other => panic!("{other}"),
        }
    };
    // No child, a gap before a child, then links to an ancestor, to itself and beyond the last
    // node.
    assert_eq!(refused(0, links([])), (0, NodeProblem::Children));
    assert_eq!(refused(2, links([])), (2, NodeProblem::Children));
    assert_eq!(refused(2, links([LEAF + 8, NONE, LEAF + 8])), (2, NodeProblem::Children));
    // The first node may have only one child, the root, which holds all faces.
    assert_eq!(refused(0, links([1, LEAF + 1])), (0, NodeProblem::Pieces));
    for wrong in [0, 1, 2, 3, LEAF - 1] {
        assert_eq!(refused(2, links([LEAF + 8, wrong])), (2, NodeProblem::Children));
    }
    assert_eq!(refused(0, links([2])), (0, NodeProblem::Children));
    // A node without a parent, and one with two parents.
    assert_eq!(refused(1, links([LEAF + 3, LEAF + 8])), (2, NodeProblem::Orphan));
    assert_eq!(refused(1, links([LEAF + 1, 2, 2])), (1, NodeProblem::Children));
    // Faces are missing or do not exist, or a leaf has none or too many.
    assert_eq!(refused(1, links([LEAF + 3, 2])), (0, NodeProblem::Pieces));
    assert_eq!(refused(1, links([LEAF + 4, 2, LEAF + 1])), (1, NodeProblem::Pieces));
    for count in [0, 9, LEAF - 2] {
        assert_eq!(refused(1, links([LEAF + count, 2])), (1, NodeProblem::Pieces));
    }
    // The list repeats a face, or names one that does not exist.
    for wrong in [3, 20, u32::MAX] {
        let mut list = list.clone();
        list[19] = wrong;
        let error = loaded(&file(&mesh, &list, &right, IDENTITY_AXES), &mesh).expect_err("a list");
        assert_eq!(error, TreeFileError::Piece { at: 32 + 4 * 19, piece: wrong });
    }
    // The length of the file is right, but there are more nodes than faces.
    let many = vec![links([1]); 21];
    let error = loaded(&file(&mesh, &list, &many, IDENTITY_AXES), &mesh).expect_err("a chain");
    assert_eq!(error, TreeFileError::NodeCount { nodes: 21, pieces: 20 });
    // A chain of nodes would make fitting quadratic.
    let mesh = shards(2000, 1);
    let list: Vec<u32> = (0..2000).collect();
    let mut chain: Vec<_> = (1..2000).map(|k| links([k, LEAF + 1])).collect();
    chain[0] = links([1]);
    chain.push(links([LEAF + 2]));
    let error = loaded(&file(&mesh, &list, &chain, IDENTITY_AXES), &mesh).expect_err("a chain");
    let is_depth = matches!(error, TreeFileError::Node { problem: NodeProblem::Depth, .. });
    assert!(is_depth, "{error}");
}

#[test]
fn axes_that_are_not_orthonormal_are_refused() {
    let mesh = shards(20, 1);
    let list: Vec<u32> = (0..20).collect();
    let nodes = [links([1]), links([LEAF + 8, LEAF + 4, LEAF + 8])];
    let mut rotated = IDENTITY_AXES;
    rotated[..6].copy_from_slice(&[0.6, 0.8, 0.0, -0.8, 0.6, 0.0]);
    let tree = loaded(&file(&mesh, &list, &nodes, rotated), &mesh).unwrap();
    assert_sound("rotated", &tree, &mesh);
    for entry in 0..9 {
        for value in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, 0.5, 1.000_001, 1e-6] {
            let mut axes = rotated;
            axes[entry] = value;
            let error = loaded(&file(&mesh, &list, &nodes, axes), &mesh).expect_err("no axes");
            let problem = VolumeProblem::Unsound;
            // The axes of the first box follow the list and the links.
            assert_eq!(error, TreeFileError::Volume { at: 32 + 80 + 64, node: 0, problem });
        }
    }
}

#[test]
fn the_tree_of_another_mesh_is_refused() {
    let (mesh, other) = (shards(40, 2), shards(40, 9));
    let bytes = WideTree::build(&other, WideOptions::default()).to_bytes(&other);
    assert_eq!(loaded(&bytes, &mesh).expect_err("another"), TreeFileError::OtherMesh);
    let obb = Shape::with_method(Method::OBB, mesh.clone()).to_bytes().unwrap();
    let error = loaded(&obb, &mesh).expect_err("another kind");
    assert_eq!(error, TreeFileError::Kind { found: 3, expected: 5 });
    assert!(error.to_string().contains("wide"), "{error}");
    // A forged mesh hash does no harm: the boxes are computed from the given mesh.
    let mut forged = bytes;
    let own = WideTree::build(&mesh, WideOptions::default()).to_bytes(&mesh);
    forged[16..24].copy_from_slice(&own[16..24]);
    let tree = loaded(&sealed(forged), &mesh).unwrap();
    assert_sound("forged", &tree, &mesh);
    check("forged", [&tree; 2], [&mesh; 2], [&Pose::IDENTITY; 2]);
}
