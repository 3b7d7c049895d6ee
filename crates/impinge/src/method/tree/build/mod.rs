//! Building a tree, from the top down: `split/` partitions the faces, then volumes are fitted from
//! the leaves up.

mod leaf;
mod options;
mod pieces;
mod source;
#[cfg(test)]
mod tests;

pub use leaf::leaf_by_size;
pub use options::BuildOptions;
pub(super) use source::Source;

use super::{
    BvTree, Node,
    split::{Item, Split, Splitter},
    tumbling::Outlines,
};
use crate::{
    Mesh, Threads,
    method::fit_quality::FitQuality,
    volume::{Aabb, BoundingVolume, Frame},
};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// From this number of pieces on, a part of a tree is built by a thread of its own.
const PARALLEL_PIECES: usize = 2048;

impl<V: BoundingVolume> BvTree<V> {
    /// Builds a tree over all faces of a mesh, in time n log n for any mesh.
    pub fn build(mesh: &Mesh, options: BuildOptions) -> Self {
        let frame = Frame::new(&mesh.bounds());
        let threads = options.threads;
        let source = Source::new(mesh, &frame, options.more_pieces(mesh.faces().len()));
        let (pieces, divisions) = divide::<V>(&source, &options);
        // In leaf order, so that the triangles of every node are contiguous.
        let triangles = collect(pieces.len(), threads, |i| source.triangle(pieces[i]));
        let nodes = enclose(&triangles, &divisions, threads);
        let outlines =
            Outlines::new(&nodes, &triangles, |node| divisions[node].pieces.clone(), &options);
        drop(triangles);
        let mut tree = Self {
            id: Self::next_id(),
            frame,
            nodes,
            faces: pieces,
            pieces: Vec::new(),
            outlines: outlines.map(Box::new),
            fit_quality: FitQuality::default(),
        };
        tree.name_faces(&source);
        tree
    }

    /// Turns the list of pieces into a list of faces. A leaf with several pieces of a face names it
    /// once. The repeated entries go behind the leaf's end, where only `save.rs` reads them.
    pub(super) fn name_faces(&mut self, source: &Source<'_>) {
        if !source.has_pieces() {
            return;
        }
        for leaf in self.nodes.iter_mut().filter(|node| node.is_leaf()) {
            let pieces = &mut self.faces[leaf.first as usize..(leaf.first + leaf.count) as usize];
            pieces.sort_unstable_by_key(|&piece| (source.face(piece), piece));
            let mut count = 0;
            for i in 0..pieces.len() {
                if count == 0 || source.face(pieces[count - 1]) != source.face(pieces[i]) {
                    pieces.swap(count, i);
                    count += 1;
                }
            }
            leaf.count = count as u32;
        }
        let faces = self.faces.iter().map(|&piece| source.face(piece)).collect();
        self.pieces = std::mem::replace(&mut self.faces, faces);
    }
}

impl BuildOptions {
    /// The largest number of pieces in addition to the faces.
    fn more_pieces(&self, faces: usize) -> usize {
        // NaN becomes 0 in the conversion below.
        let share = self.split_skinny.clamp(0.0, 4.0);
        // Nodes have `u32` indices, and there are nearly twice as many nodes as pieces.
        ((faces as f64 * share) as usize).min((u32::MAX as usize / 2).saturating_sub(faces))
    }
}

/// The number of nodes that the default options make for a mesh. It is the same for every volume.
pub(crate) fn node_count(mesh: &Mesh) -> usize {
    let frame = Frame::new(&mesh.bounds());
    divide::<Aabb>(&Source::new(mesh, &frame, 0), &BuildOptions::default()).1.len()
}

/// A node to be built: its pieces, the index of its first child, if it has any, and its volume, if the rule
/// by which it was split has made it.
pub(super) struct Division<V> {
    pub(super) pieces: Range<usize>,
    pub(super) children: Option<u32>,
    pub(super) volume: Option<Box<V>>,
}

impl<V> Division<V> {
    fn leaf(pieces: Range<usize>) -> Self {
        Self { pieces, children: None, volume: None }
    }
}

/// Sorts the pieces into leaf order and divides them until every leaf is small enough.
fn divide<V: BoundingVolume>(
    source: &Source<'_>,
    options: &BuildOptions,
) -> (Vec<u32>, Vec<Division<V>>) {
    let mut items = collect(source.len(), options.threads, |piece| {
        let [p, q, r] = source.triangle(piece as u32);
        let (min, max) = (p.min(q).min(r), p.max(q).max(r));
        Item { piece: piece as u32, middle: (p + q + r) / 3.0, min, max }
    });
    if items.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let leaf = options.leaf.max(1) as usize;
    let divider = Divider { splitter: Splitter::new(source, options), leaf };
    let divisions = match options.threads {
        Threads::One => divider.divide(&mut items, 0, 0),
        Threads::Pool => divider.divide_on_pool(&mut items, 0, 0),
    };
    (items.iter().map(|item| item.piece).collect(), divisions)
}

struct Divider<'s, V> {
    splitter: Splitter<'s, V>,
    /// The largest number of pieces in a leaf.
    leaf: usize,
}

impl<V: BoundingVolume> Divider<'_, V> {
    /// Divides the items of a node, whose first piece is number `start` in the list. The node
    /// itself comes first.
    fn divide(&self, items: &mut [Item], start: usize, depth: u32) -> Vec<Division<V>> {
        let mut divisions = vec![Division::leaf(0..items.len())];
        let mut open = vec![(0, depth)];
        while let Some((node, depth)) = open.pop() {
            let pieces = divisions[node].pieces.clone();
            if pieces.len() <= self.leaf {
                continue;
            }
            let split = self.splitter.split(&mut items[pieces.clone()], depth);
            let middle = pieces.start + split.first;
            let first = divisions.len();
            divisions[node].children = Some(first as u32);
            divisions[node].volume = split.volume;
            divisions.push(Division::leaf(pieces.start..middle));
            divisions.push(Division::leaf(middle..pieces.end));
            // The nodes below the first child are stored next to it, because traversals visit them
            // first.
            open.extend([(first + 1, depth + 1), (first, depth + 1)]);
        }
        for Division { pieces, .. } in &mut divisions {
            *pieces = pieces.start + start..pieces.end + start;
        }
        divisions
    }

    /// Does the same on all threads, with the nodes in the same order.
    fn divide_on_pool(&self, items: &mut [Item], start: usize, depth: u32) -> Vec<Division<V>> {
        let count = items.len();
        if count < PARALLEL_PIECES || count <= self.leaf {
            return self.divide(items, start, depth);
        }
        let Split { first: middle, volume } = self.splitter.split(items, depth);
        let (first, second) = items.split_at_mut(middle);
        let (first, second) = rayon::join(
            || self.divide_on_pool(first, start, depth + 1),
            || self.divide_on_pool(second, start + middle, depth + 1),
        );
        // The order: the node, its children, the nodes below the first, the nodes below the second.
        let below_first = 3;
        let below_second = below_first + first.len() - 1;
        let mut divisions = Vec::with_capacity(below_second + second.len() - 1);
        divisions.push(Division { pieces: start..start + count, children: Some(1), volume });
        let moved = |division: Division<V>, to: usize| {
            // The nodes below a child started at index 1.
            let children = division.children.map(|child| child + to as u32 - 1);
            Division { children, ..division }
        };
        let (mut first, mut second) = (first.into_iter(), second.into_iter());
        divisions.extend(first.next().map(|child| moved(child, below_first)));
        divisions.extend(second.next().map(|child| moved(child, below_second)));
        divisions.extend(first.map(|division| moved(division, below_first)));
        divisions.extend(second.map(|division| moved(division, below_second)));
        divisions
    }
}

/// Builds the nodes from the leaves up. Parents come before their children, so this goes backwards.
pub(super) fn enclose<V: BoundingVolume>(
    triangles: &[[DVec3; 3]],
    divisions: &[Division<V>],
    threads: Threads,
) -> Vec<Node<V>> {
    let enclosing = |division: &Division<V>| {
        let fitted = division.volume.as_deref().copied();
        fitted.unwrap_or_else(|| V::enclosing(&triangles[division.pieces.clone()]))
    };
    // On a pool, volumes that do not follow from the children's are computed in parallel first.
    let merges = V::merges();
    let made: Vec<Option<V>> = match threads {
        Threads::One => Vec::new(),
        Threads::Pool => {
            let made = divisions.par_iter().with_max_len(64).map(|division| {
                (division.children.is_none() || !merges).then(|| enclosing(division))
            });
            made.collect()
        }
    };
    let mut nodes: Vec<Node<V>> = Vec::with_capacity(divisions.len());
    // Filled from the back; `nodes` holds them in reverse until the end.
    for (i, division) in divisions.iter().enumerate().rev() {
        let made = made.get(i).copied().flatten();
        let merged = || {
            let node = |index: u32| &nodes[divisions.len() - 1 - index as usize].volume;
            division.children.and_then(|first| node(first).merged(node(first + 1)))
        };
        let volume = made.or_else(merged).unwrap_or_else(|| enclosing(division));
        let Range { start, end } = division.pieces;
        nodes.push(match division.children {
            Some(first) => Node { volume, first, count: 0 },
            None => Node { volume, first: start as u32, count: (end - start) as u32 },
        });
    }
    nodes.reverse();
    nodes
}

/// Collects `make(i)` for each index below `count`, on the caller's thread or on all threads.
pub(super) fn collect<T: Send>(
    count: usize,
    threads: Threads,
    make: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    match threads {
        Threads::One => (0..count).map(make).collect(),
        Threads::Pool => (0..count).into_par_iter().map(&make).collect(),
    }
}
