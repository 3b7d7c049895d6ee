//! Saving a wide tree as bytes, and loading it without building it again.
//!
//! In the format of `method/save`, as kind 5: after the header, with n faces and m
//! nodes, little endian,
//!
//! | what |
//! | --- |
//! | n × `u32`: the faces in the order of the leaves |
//! | m × 8 `u32`: for each child its node, or 2^31 plus a leaf's number of faces, or 2^32 − 1 for none |
//! | m × 8 × 9 `f32`: for each child the axes of its box |
//! | `u64` checksum of all before |
//!
//! Centres, extents and corners are not stored. Loading computes them from the mesh, with the usual
//! margins for rounding, so a file cannot make them wrong. Loading checks everything that is
//! stored. Every face is in the list exactly once. The nodes form a tree in depth-first order, no
//! deeper than `save::max_depth`, and its leaves hold the list from the first face to the last.
//! The axes are as orthonormal as `boxes.rs` requires.

use super::{
    Leaf, Link, Node, WIDTH, WideOptions, WideTree,
    build::{Axes, normalized},
    lanes::Lanes,
};
use crate::{
    Mesh, Threads,
    method::save::{self, NodeProblem, TreeFileError, VolumeProblem},
};
use glam::{DMat3, DVec3};

/// This kind of tree in a file. k-DOPs have even numbers.
pub(in crate::method) const KIND: u32 = 5;

const LINKS: usize = 4 * WIDTH;
const AXES: usize = 9 * 4;

/// The number of bytes between header and checksum.
fn body_bytes(faces: u32, nodes: u32) -> u64 {
    4 * u64::from(faces) + (LINKS + WIDTH * AXES) as u64 * u64::from(nodes)
}

impl WideTree {
    pub(in crate::method) fn to_bytes(&self, mesh: &Mesh) -> Vec<u8> {
        let (faces, nodes) = (self.faces.len() as u32, self.nodes.len() as u32);
        let mut bytes = save::begun(KIND, mesh, [faces, nodes], body_bytes(faces, nodes));
        bytes.extend(self.faces.iter().flat_map(|face| face.to_le_bytes()));
        let word = |link: &Link| match *link {
            Link::NONE => Link::NONE.0,
            link if link.is_leaf() => Link::LEAF | self.leaves[link.index()].count,
            link => link.0,
        };
        let links = self.nodes.iter().flat_map(|node| &node.links);
        bytes.extend(links.flat_map(|link| word(link).to_le_bytes()));
        for node in &self.nodes {
            for lane in 0..WIDTH {
                let axes = node.oriented_box(lane).axes;
                bytes.extend(axes.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        save::sealed(bytes)
    }

    pub(in crate::method) fn from_bytes(
        bytes: &[u8],
        mesh: &Mesh,
        threads: Threads,
    ) -> Result<Self, TreeFileError> {
        let ([count, nodes], body) = save::body(bytes, KIND, mesh, body_bytes)?;
        // Every node has a face at least, and every node but the first has two or more children.
        if count as usize != mesh.faces().len() {
            return Err(TreeFileError::OtherMesh);
        }
        if nodes > count || (nodes == 0) != (count == 0) {
            return Err(TreeFileError::NodeCount { nodes, pieces: count });
        }
        let (list, rest) = body.split_at(4 * count as usize);
        let (links, axes) = rest.split_at(LINKS * nodes as usize);
        let faces = save::permutation(list.as_chunks().0)?;
        let at = bytes.len() - save::CHECKSUM - rest.len();
        let (mut nodes, leaves) = linked(links.as_chunks().0, faces.len(), at)?;
        let at = bytes.len() - save::CHECKSUM - axes.len();
        for (i, (node, axes)) in nodes.iter_mut().zip(axes.chunks(WIDTH * AXES)).enumerate() {
            for (lane, axes) in axes.chunks(AXES).enumerate() {
                if node.links[lane] == Link::NONE {
                    continue;
                }
                let axes = sound_axes(axes).ok_or(TreeFileError::Volume {
                    at: at + AXES * (WIDTH * i + lane),
                    node: i as u32,
                    problem: VolumeProblem::Unsound,
                })?;
                let mut fitted = node.oriented_box(lane);
                fitted.axes = axes;
                node.set_box(lane, &fitted);
            }
        }
        let (lanes, options) = (Lanes::best(), WideOptions::default().threads(threads));
        let mut tree = Self::unfitted(mesh, (nodes, leaves, faces), lanes, options);
        let points = normalized(mesh, &tree.frame, threads);
        tree.fit(mesh, &points, Axes::Kept);
        Ok(tree)
    }
}

/// Reads linked nodes and leaves over `faces` faces from the words at byte `at` of the file.
fn linked(
    words: &[[u8; LINKS]],
    faces: usize,
    at: usize,
) -> Result<(Vec<Node>, Vec<Leaf>), TreeFileError> {
    let wrong = |node: usize, problem| TreeFileError::Node {
        at: at + LINKS * node,
        node: node as u32,
        problem,
    };
    let mut nodes = vec![Node::EMPTY; words.len()];
    let mut leaves = Vec::new();
    let mut first = 0;
    // The path of the traversal: node, depth, and the next child to read.
    let mut open: Vec<(usize, u8, usize)> = Vec::new();
    let mut reached = 0;
    if !nodes.is_empty() {
        (reached, open) = (1, vec![(0, 0, 0)]);
    }
    while let Some((node, depth, lane)) = open.pop() {
        let word = |lane: usize| save::u32_at(&words[node], 4 * lane);
        if lane == WIDTH || word(lane) == Link::NONE.0 {
            // Used lanes come first. The first node has the root as its only child.
            let is_right = lane > 0
                && (lane == 1 || node > 0)
                && (lane..WIDTH).all(|lane| word(lane) == Link::NONE.0);
            if !is_right {
                return Err(wrong(node, NodeProblem::Children));
            }
            continue;
        }
        open.push((node, depth, lane + 1));
        let word = Link(word(lane));
        if word.is_leaf() {
            let count = word.index();
            if !(1..=WIDTH).contains(&count) || count > faces - first {
                return Err(wrong(node, NodeProblem::Pieces));
            }
            nodes[node].links[lane] = Link::leaf(leaves.len());
            leaves.push(Leaf::unfitted(first as u32, count as u32));
            first += count;
            continue;
        }
        if word.index() != reached || reached >= nodes.len() {
            return Err(wrong(node, NodeProblem::Children));
        }
        if depth >= save::max_depth(faces) {
            return Err(wrong(node, NodeProblem::Depth));
        }
        nodes[node].links[lane] = word;
        open.push((reached, depth + 1, 0));
        reached += 1;
    }
    if reached < nodes.len() {
        return Err(wrong(reached, NodeProblem::Orphan));
    }
    if first != faces {
        return Err(wrong(0, NodeProblem::Pieces));
    }
    leaves.shrink_to_fit();
    Ok((nodes, leaves))
}

/// Reads three axes from their bytes. Returns `None` if they are less orthonormal than `boxes.rs`
/// requires.
fn sound_axes(bytes: &[u8]) -> Option<[[f32; 3]; 3]> {
    let (words, _) = bytes.as_chunks::<4>();
    let value = |k: usize| words.get(k).map(|word| f32::from_le_bytes(*word));
    let mut axes = [[0.0; 3]; 3];
    for (k, to) in axes.as_flattened_mut().iter_mut().enumerate() {
        *to = value(k)?;
    }
    let stored = axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
    let matrix = DMat3::from_cols(stored[0], stored[1], stored[2]);
    let skew = (matrix.transpose() * matrix - DMat3::IDENTITY).to_cols_array();
    skew.iter().all(|entry| entry.abs() <= 1.25e-7).then_some(axes)
}
