//! Building a tree, from the top down.

use super::{
    BvTree, Node,
    split::{Item, SplitAxis, SplitPoint, split},
};
use crate::{
    Mesh,
    volume::{BoundingVolume, Frame},
};
use glam::DVec3;
use std::ops::Range;

/// How a tree is built. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// Along which axis nodes are split: looking at more axes costs time and may save queries some.
    pub axis: SplitAxis,
    /// Where they are split: the mean makes tighter nodes, the median shallower trees.
    pub point: SplitPoint,
    /// Up to how many faces make a leaf: fewer, and there are more nodes to store and to visit;
    /// more, and there are more triangles to test.
    pub leaf: u32,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { axis: SplitAxis::default(), point: SplitPoint::default(), leaf: 2 }
    }
}

impl BuildOptions {
    /// Sets [`axis`](Self::axis).
    #[must_use]
    pub fn axis(mut self, axis: SplitAxis) -> Self {
        self.axis = axis;
        self
    }

    /// Sets [`point`](Self::point).
    #[must_use]
    pub fn point(mut self, point: SplitPoint) -> Self {
        self.point = point;
        self
    }

    /// Sets [`leaf`](Self::leaf); 0 is taken as 1.
    #[must_use]
    pub fn leaf(mut self, leaf: u32) -> Self {
        self.leaf = leaf;
        self
    }
}

impl<V: BoundingVolume> BvTree<V> {
    /// A tree over all faces of a mesh. Takes time n log n, also for the worst of meshes.
    pub fn build(mesh: &Mesh, options: BuildOptions) -> Self {
        let frame = Frame::new(&mesh.bounds());
        let mut items = items(mesh, &frame);
        let ranges = divide(&mut items, options);
        let faces: Vec<u32> = items.iter().map(|item| item.face).collect();
        drop(items);
        // Side by side for every node.
        let triangles: Vec<_> = triangles_of(mesh, &frame, &faces).collect();
        let nodes = enclose(&triangles, &ranges);
        Self { id: Self::next_id(), frame, nodes, faces }
    }
}

/// How many nodes the default options make of a mesh; the same for every volume.
pub(crate) fn node_count(mesh: &Mesh) -> usize {
    let mut items = items(mesh, &Frame::new(&mesh.bounds()));
    divide(&mut items, BuildOptions::default()).len()
}

fn items(mesh: &Mesh, frame: &Frame) -> Vec<Item> {
    let item = |(face, triangle): (u32, [DVec3; 3])| {
        let [p, q, r] = triangle.map(|corner| frame.normalized(corner));
        let (min, max) = (p.min(q).min(r), p.max(q).max(r));
        Item { face, middle: (p + q + r) / 3.0, min, max }
    };
    (0..).zip(mesh.triangles()).map(item).collect()
}

/// A node of the tree to be: its faces, and where its children are, if it has any.
struct Division {
    faces: Range<usize>,
    children: Option<u32>,
}

/// Orders the faces and divides them until every leaf is small enough.
fn divide(items: &mut [Item], options: BuildOptions) -> Vec<Division> {
    if items.is_empty() {
        return Vec::new();
    }
    // Means can split off one face at a time. Past this depth medians keep the work n log n.
    let patience = 2 * items.len().ilog2() + 8;
    let mut divisions = vec![Division { faces: 0..items.len(), children: None }];
    let mut open = vec![(0, 0)];
    while let Some((node, depth)) = open.pop() {
        let Division { faces, .. } = &divisions[node];
        let faces = faces.clone();
        if faces.len() <= options.leaf.max(1) as usize {
            continue;
        }
        let point = if depth < patience { options.point } else { SplitPoint::Median };
        let middle = faces.start + split(&mut items[faces.clone()], options.axis, point);
        let first = divisions.len();
        divisions[node].children = Some(first as u32);
        divisions.push(Division { faces: faces.start..middle, children: None });
        divisions.push(Division { faces: middle..faces.end, children: None });
        open.extend([(first, depth + 1), (first + 1, depth + 1)]);
    }
    divisions
}

/// The corners of faces, in their frame.
pub(super) fn triangles_of(
    mesh: &Mesh,
    frame: &Frame,
    faces: &[u32],
) -> impl Iterator<Item = [DVec3; 3]> {
    faces.iter().map(|&face| mesh.triangle(face).map(|corner| frame.normalized(corner)))
}

/// Makes the nodes, from the leaves up: parents come before their children, so backwards.
fn enclose<V: BoundingVolume>(triangles: &[[DVec3; 3]], divisions: &[Division]) -> Vec<Node<V>> {
    let enclosing = |faces: &Range<usize>| V::enclosing(&triangles[faces.clone()]);
    let mut nodes: Vec<Node<V>> = Vec::with_capacity(divisions.len());
    // Filled from the back; `nodes` holds them in reverse until the end.
    for Division { faces, children } in divisions.iter().rev() {
        let volume = match children {
            None => enclosing(faces),
            Some(first) => {
                let node = |index: u32| &nodes[divisions.len() - 1 - index as usize].volume;
                let merged = node(*first).merged(node(first + 1));
                merged.unwrap_or_else(|| enclosing(faces))
            }
        };
        nodes.push(match children {
            Some(first) => Node { volume, first: *first, count: 0 },
            None => Node { volume, first: faces.start as u32, count: faces.len() as u32 },
        });
    }
    nodes.reverse();
    nodes
}
