//! Saving a tree as bytes, and loading it without building it again.
//!
//! The format is that of `method/save`. The list may hold pieces of faces: n is the number of
//! faces, or more if faces are split. After the list follow, little endian,
//!
//! | content |
//! | --- |
//! | m × 2 `u32`: a leaf's first piece in that list and its number of pieces, or the first child and 0 |
//! | m × volume: 4 `f32` for a sphere, 15 for an oriented box, nothing for the others |
//!
//! Hash and checksum detect accidents. Loading checks everything else as if they were not there. So
//! bytes of any origin either make a tree whose queries are right or are refused:
//!
//! - Nodes: each but the root is the child of exactly one node before it. None is deeper than
//!   [`max_depth`], which bounds the time of the checks. The leaves hold the list of pieces from
//!   the first to the last without gap or overlap.
//! - Pieces: they follow from the mesh and their number, and are not stored. (The way long thin
//!   faces are split depends on nothing else: see `build/pieces.rs`. An unsplit face is a piece
//!   with the face's index.) Each is in the list once.
//! - Volumes of kinds that merge, and the frame, follow from the mesh and are not stored.
//! - Other volumes are valid in themselves, and each encloses every piece below it with the same
//!   margin for rounding as when it is built. A volume that is too large costs time but changes no
//!   answer.
//!
//! Nothing is allocated before the length is known to match the counts.

#[cfg(test)]
mod tests;

use super::{BvTree, Node, build::Source};
use crate::{
    Mesh,
    method::{
        fit_quality::FitQuality,
        save::{
            HEADER, NodeProblem, TreeFileError, VolumeProblem, begun, body, max_depth, permutation,
            sealed, u32_at,
        },
    },
    volume::{Frame, SavedVolume},
};
use glam::DVec3;
use std::ops::Range;

impl<V: SavedVolume> BvTree<V> {
    /// Saves the tree of a mesh as bytes, to be loaded by [`from_bytes`](Self::from_bytes).
    ///
    /// The bytes are the same on every platform. They contain a hash of the mesh, not the mesh
    /// itself, and nothing of what [`Tumbling`](super::Tumbling) adds: a loaded tree has the
    /// default.
    ///
    /// ```
    /// use impinge::{generate, method::tree::{BuildOptions, BvTree}, volume::Obb};
    ///
    /// let mesh = generate::sphere(960)?;
    /// let tree = BvTree::<Obb>::build(&mesh, BuildOptions::default());
    /// let bytes = tree.to_bytes(&mesh);
    ///
    /// let loaded = BvTree::<Obb>::from_bytes(&bytes, &mesh)?;
    /// assert_eq!(loaded.to_bytes(&mesh), bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the mesh has another number of faces than the one the tree was built from.
    pub fn to_bytes(&self, mesh: &Mesh) -> Vec<u8> {
        // Every face is in the list.
        let faces = self.faces.iter().max().map_or(0, |&face| face as usize + 1);
        assert_eq!(faces, mesh.faces().len(), "the tree belongs to another mesh");
        let pieces = if self.repeats_faces() { &self.pieces } else { &self.faces };
        let (count, nodes) = (pieces.len() as u32, self.nodes.len() as u32);
        let layout = Layout::new::<V>(count, nodes);
        let mut bytes = begun(V::KIND, mesh, [count, nodes], layout.body());
        bytes.extend(pieces.iter().flat_map(|piece| piece.to_le_bytes()));
        let ends = self.leaf_ends();
        for node in &self.nodes {
            let end = if node.is_leaf() { ends[node.first as usize] } else { node.first };
            bytes.extend(node.first.to_le_bytes());
            bytes.extend((end - node.first).to_le_bytes());
        }
        for node in &self.nodes {
            node.volume.write(&mut bytes);
        }
        sealed(bytes)
    }

    /// Loads the tree of a mesh from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// The bytes may come from anywhere: they are refused unless they are a valid tree of this
    /// mesh, with this kind of volume, that misses no contact. The checks take a fifth to a half of
    /// the time of building.
    pub fn from_bytes(bytes: &[u8], mesh: &Mesh) -> Result<Self, TreeFileError> {
        let parts = Parts::of::<V>(bytes, mesh)?;
        let frame = Frame::new(&mesh.bounds());
        let pieces = permutation(parts.pieces)?;
        let ranges = parts.ranges()?;
        let source = Source::new(mesh, &frame, pieces.len() - mesh.faces().len());
        if source.len() != pieces.len() {
            let (found, most) = (pieces.len() as u32, source.len() as u32);
            return Err(TreeFileError::PieceCount { found, most });
        }
        let nodes = if V::BYTES == 0 {
            parts.merged_nodes(&source, &pieces)
        } else {
            let triangles: Vec<_> = pieces.iter().map(|&piece| source.triangle(piece)).collect();
            parts.stored_nodes(&triangles, &ranges)?
        };
        let mut tree = Self {
            id: Self::next_id(),
            frame,
            nodes,
            faces: pieces,
            pieces: Vec::new(),
            outlines: None,
            fit_quality: FitQuality::default(),
        };
        tree.name_faces(&source);
        Ok(tree)
    }

    /// The end of the pieces of each leaf, by the position in the list at which the leaf begins. A
    /// leaf with several pieces of a face counts the face once; the other pieces follow, up to
    /// where the next leaf begins.
    fn leaf_ends(&self) -> Vec<u32> {
        let mut ends = vec![0; self.faces.len()];
        for leaf in self.nodes.iter().filter(|node| node.is_leaf()) {
            ends[leaf.first as usize] = 1;
        }
        let mut end = ends.len() as u32;
        for i in (0..ends.len()).rev() {
            if ends[i] == 1 {
                ends[i] = std::mem::replace(&mut end, i as u32);
            }
        }
        ends
    }
}

/// The positions of the parts of a file.
#[derive(Clone, Copy)]
struct Layout {
    pieces: u64,
    nodes: u64,
    volume_bytes: u64,
}

impl Layout {
    fn new<V: SavedVolume>(pieces: u32, nodes: u32) -> Self {
        Self { pieces: pieces.into(), nodes: nodes.into(), volume_bytes: V::BYTES as u64 }
    }

    fn nodes_at(&self) -> u64 {
        HEADER as u64 + 4 * self.pieces
    }

    fn volumes_at(&self) -> u64 {
        self.nodes_at() + 8 * self.nodes
    }

    /// The number of bytes between header and checksum.
    fn body(&self) -> u64 {
        4 * self.pieces + (8 + self.volume_bytes) * self.nodes
    }
}

/// The parts of a file whose header, length and checksum are right.
struct Parts<'b> {
    layout: Layout,
    pieces: &'b [[u8; 4]],
    nodes: &'b [[u8; 8]],
    volumes: &'b [u8],
}

impl<'b> Parts<'b> {
    fn of<V: SavedVolume>(bytes: &'b [u8], mesh: &Mesh) -> Result<Self, TreeFileError> {
        let layout = |pieces, nodes| Layout::new::<V>(pieces, nodes);
        let ([pieces, nodes], body) =
            body(bytes, V::KIND, mesh, |pieces, nodes| layout(pieces, nodes).body())?;
        let layout = layout(pieces, nodes);
        // A leaf has at least one piece, and a tree has one leaf more than inner nodes.
        if u64::from(nodes) >= (2 * layout.pieces).max(1) || (nodes == 0) != (pieces == 0) {
            return Err(TreeFileError::NodeCount { nodes, pieces });
        }
        // No position exceeds the length, which is a `usize`.
        let (list, rest) = body.split_at(4 * pieces as usize);
        let (nodes, volumes) = rest.split_at(8 * nodes as usize);
        Ok(Self { layout, pieces: list.as_chunks().0, nodes: nodes.as_chunks().0, volumes })
    }

    /// The range of the list below each node, if the nodes form a tree.
    fn ranges(&self) -> Result<Vec<Range<u32>>, TreeFileError> {
        let count = self.nodes.len();
        let max_depth = max_depth(self.pieces.len());
        let wrong = |node: usize, problem| {
            let at = self.layout.nodes_at() as usize + 8 * node;
            TreeFileError::Node { at, node: node as u32, problem }
        };

        // Downward: every node gets a parent before its turn comes, and only one.
        let mut ranges = Vec::with_capacity(count);
        // The depth plus one; 0 as long as no parent is known.
        let mut levels = vec![0u8; count];
        if let Some(root) = levels.first_mut() {
            *root = 1;
        }
        for (i, bytes) in self.nodes.iter().enumerate() {
            let level = levels[i];
            if level == 0 {
                return Err(wrong(i, NodeProblem::Orphan));
            }
            if level > max_depth {
                return Err(wrong(i, NodeProblem::Depth));
            }
            ranges.push(match Content::of(bytes) {
                Content::Pieces { first, count } => match first.checked_add(count) {
                    Some(end) if end as usize <= self.pieces.len() => first..end,
                    _ => return Err(wrong(i, NodeProblem::Pieces)),
                },
                Content::Children { first } => {
                    let first = first as usize;
                    if first <= i || first >= count - 1 {
                        return Err(wrong(i, NodeProblem::Children));
                    }
                    let children = &mut levels[first..first + 2];
                    if children != [0, 0] {
                        return Err(wrong(i, NodeProblem::Shared));
                    }
                    children.fill(level + 1);
                    0..0
                }
            });
        }

        // Upward: the pieces of the second child follow those of the first.
        for (i, bytes) in self.nodes.iter().enumerate().rev() {
            if let Content::Children { first } = Content::of(bytes) {
                let [left, right] = [0, 1].map(|side| ranges[first as usize + side].clone());
                if left.end != right.start {
                    return Err(wrong(i, NodeProblem::Pieces));
                }
                ranges[i] = left.start..right.end;
            }
        }
        match ranges.first() {
            Some(root) if *root != (0..self.pieces.len() as u32) => {
                Err(wrong(0, NodeProblem::Pieces))
            }
            _ => Ok(ranges),
        }
    }

    /// The nodes with recomputed volumes, for kinds that merge.
    fn merged_nodes<V: SavedVolume>(&self, source: &Source<'_>, pieces: &[u32]) -> Vec<Node<V>> {
        // The corners are scattered over the mesh. Fetching those of many nodes at once lets the
        // processor overlap its waits for memory.
        const NODES_AT_ONCE: usize = 128;
        let nothing = V::enclosing(&[]);
        let mut nodes: Vec<Node<V>> = Vec::with_capacity(self.nodes.len());
        let mut triangles = Vec::new();
        for some in self.nodes.chunks(NODES_AT_ONCE) {
            triangles.clear();
            for bytes in some {
                if let Content::Pieces { first, count } = Content::of(bytes) {
                    let listed = &pieces[first as usize..(first + count) as usize];
                    triangles.extend(listed.iter().map(|&piece| source.triangle(piece)));
                }
            }
            let mut rest = &triangles[..];
            nodes.extend(some.iter().map(|bytes| match Content::of(bytes) {
                Content::Pieces { first, count } => {
                    let own;
                    (own, rest) = rest.split_at(count as usize);
                    Node { volume: V::enclosing(own), first, count }
                }
                Content::Children { first } => Node { volume: nothing, first, count: 0 },
            }));
        }
        for i in (0..nodes.len()).rev() {
            if !nodes[i].is_leaf() {
                let [left, right] = [0, 1].map(|side| nodes[nodes[i].first as usize + side].volume);
                nodes[i].volume = left.merged(&right).expect("a kind that is not stored merges");
            }
        }
        nodes
    }

    /// The nodes with their volumes as stored, if those enclose the pieces below them.
    fn stored_nodes<V: SavedVolume>(
        &self,
        triangles: &[[DVec3; 3]],
        ranges: &[Range<u32>],
    ) -> Result<Vec<Node<V>>, TreeFileError> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let volumes = self.volumes.chunks_exact(V::BYTES);
        for (i, ((bytes, volume), range)) in self.nodes.iter().zip(volumes).zip(ranges).enumerate()
        {
            let wrong = |problem| {
                let at = self.layout.volumes_at() as usize + V::BYTES * i;
                TreeFileError::Volume { at, node: i as u32, problem }
            };
            let volume = V::read(volume).ok_or_else(|| wrong(VolumeProblem::Unsound))?;
            if !volume.encloses(&triangles[range.start as usize..range.end as usize]) {
                return Err(wrong(VolumeProblem::TooSmall));
            }
            nodes.push(match Content::of(bytes) {
                Content::Pieces { first, count } => Node { volume, first, count },
                Content::Children { first } => Node { volume, first, count: 0 },
            });
        }
        Ok(nodes)
    }
}

/// The content of a node in the file.
enum Content {
    Pieces { first: u32, count: u32 },
    Children { first: u32 },
}

impl Content {
    fn of(bytes: &[u8; 8]) -> Self {
        match (u32_at(bytes, 0), u32_at(bytes, 4)) {
            (first, 0) => Self::Children { first },
            (first, count) => Self::Pieces { first, count },
        }
    }
}
