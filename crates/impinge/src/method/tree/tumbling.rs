//! How the volumes of one tree are placed in the frame of another, whose planes have other directions.
//!
//! A k-DOP turns with its body, and its planes then have other normals. To compare it with the other body's
//! k-DOPs it is enclosed in a new one with their normals. Klosowski (1998, ch. 4) calls this *tumbling*, and
//! encloses either the convex hull of the faces below a node, by hill climbing, or the vertices of its k-DOP.
//! Without either, [`BoundingVolume::placed`] maps the extents of the k-DOP to extents that are at least as
//! large.
//!
//! Every way encloses all faces below the node: the hull and the k-DOP do, and their placed extents contain
//! the slack of [`Relative`]. So the ways may be mixed freely, and answers do not depend on them.

use super::{BuildOptions, Node};
use crate::{
    Threads,
    convex::{ClimbEnds, Climber},
    volume::{BoundingVolume, Relative, TurnedNormal, VertexPool},
};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// How a tree places its volumes in the frame of another body, where the body is the second of a query.
///
/// Only k-DOPs have a choice. Axis-aligned boxes are as tight one way as the other; spheres and oriented
/// boxes turn with the body.
///
/// ```
/// use impinge::method::tree::{BuildOptions, Tumbling};
/// use impinge::{Method, Pair, Pose, Shape, WalkOrder, generate};
///
/// let still = Shape::with_method(Method::DOP18, generate::sphere(960)?);
/// let options = BuildOptions::default().tumbling(Tumbling::Vertices).hill_climbing(1);
/// let moving = Shape::build((Method::DOP18, options), generate::sphere(960)?);
///
/// let mut pair = Pair::new(&still, &moving)?;
/// for pose in generate::tumble(1.5, 10)? {
///     assert!(pair.at(&Pose::IDENTITY, &pose).order(WalkOrder::First).intersects());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tumbling {
    /// By a linear map of the extents of the k-DOP, which is the same for all nodes in a query. The fastest.
    #[default]
    Aligned,
    /// By rotating the vertices of the k-DOP: the tightest k-DOP around the rotated one (Klosowski's
    /// method II). The vertices add about three times the memory of the tree, and take most of the time of
    /// building.
    Vertices,
}

/// What a tree stores of its nodes to place them, in addition to their volumes.
#[derive(Clone, Debug)]
pub(super) struct Outlines {
    /// The convex hulls of the faces below the first levels of nodes.
    hulls: Vec<Climber>,
    /// The index of each node's hull, [`NO_HULL`] for nodes without; empty if there are no hulls.
    hull_of: Vec<u32>,
    /// The vertices of the volumes of all nodes, if these are placed by their vertices.
    vertices: Option<VertexPool>,
}

const NO_HULL: u32 = u32::MAX;

/// Scratch memory for placing nodes by their outlines, reused from query to query.
#[derive(Debug, Default)]
pub(super) struct TumblingScratch {
    /// For each hull and each normal the vertices at which the last search ended. They may come from another
    /// tree: that costs time only.
    ends: Vec<ClimbEnds>,
    /// The normals of placed volumes in the frame of the tree.
    normals: Vec<TurnedNormal>,
}

impl Outlines {
    /// What the options demand for the nodes of a tree over triangles in the order of the leaves, in their
    /// frame; `None` for nothing. `range` returns the triangles below a node.
    pub(super) fn new<V: BoundingVolume>(
        nodes: &[Node<V>],
        triangles: &[[DVec3; 3]],
        range: impl Fn(usize) -> Range<usize>,
        options: &BuildOptions,
    ) -> Option<Self> {
        if V::NORMALS.is_empty() || nodes.is_empty() {
            return None;
        }
        let (hulls, hull_of) = hulls(nodes, triangles, range, options.hill_climbing);
        let vertices = match options.tumbling {
            Tumbling::Aligned => None,
            Tumbling::Vertices => vertices(nodes, options.threads),
        };
        (!hulls.is_empty() || vertices.is_some()).then_some(Self { hulls, hull_of, vertices })
    }

    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.hulls)
            + size_of_val(&*self.hull_of)
            + self.hulls.iter().map(Climber::bytes).sum::<usize>()
            + self.vertices.as_ref().map_or(0, VertexPool::bytes)
    }

    /// The volume of a node in the frame of another tree; `None` for nodes that have no outline.
    pub(super) fn placed<V: BoundingVolume>(
        &self,
        node: u32,
        scratch: &mut TumblingScratch,
    ) -> Option<V::Placed> {
        let hull = self.hull_of.get(node as usize).copied().filter(|&hull| hull != NO_HULL);
        if let Some(hull) = hull {
            let climber = &self.hulls[hull as usize];
            let ends = &mut scratch.ends[hull as usize * V::NORMALS.len()..];
            let normals = &scratch.normals;
            return V::from_extents(|i| normals[i].extent_of_hull(climber, &mut ends[i]));
        }
        let vertices = self.vertices.as_ref()?;
        V::from_extents(|i| vertices.extent(node as usize, &scratch.normals[i]))
    }
}

impl TumblingScratch {
    /// Prepares for a query about a tree with these outlines.
    pub(super) fn reset<V: BoundingVolume>(&mut self, outlines: &Outlines, relative: &Relative) {
        let count = outlines.hulls.len() * V::NORMALS.len();
        if self.ends.len() < count {
            self.ends.resize(count, ClimbEnds::default());
        }
        let turned = |normal: &DVec3| TurnedNormal::new(relative, *normal);
        self.normals.clear();
        self.normals.extend(V::NORMALS.iter().map(turned));
    }
}

/// The hulls of the nodes of the first levels, and the index of each node's hull.
fn hulls<V>(
    nodes: &[Node<V>],
    triangles: &[[DVec3; 3]],
    range: impl Fn(usize) -> Range<usize>,
    levels: u32,
) -> (Vec<Climber>, Vec<u32>) {
    if levels == 0 {
        return (Vec::new(), Vec::new());
    }
    // Parents come before their children.
    let mut level_of = vec![0; nodes.len()];
    for (i, node) in nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
        let (first, level) = (node.first as usize, level_of[i] + 1);
        level_of[first..first + 2].fill(level);
    }
    let mut hulls: Vec<Climber> = Vec::new();
    let mut hull_of = vec![NO_HULL; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev().filter(|(i, _)| level_of[*i] < levels) {
        let first = node.first as usize;
        let climber = if node.is_leaf() || hull_of[first] == NO_HULL {
            Climber::new(triangles[range(i)].iter().flatten().copied())
        } else {
            // The hull of both children's hulls. Rounding their vertices again changes nothing.
            let children = [0, 1].map(|side| &hulls[hull_of[first + side] as usize]);
            Climber::new(children.into_iter().flat_map(Climber::vertices))
        };
        hull_of[i] = hulls.len() as u32;
        hulls.push(climber);
    }
    hulls.shrink_to_fit();
    (hulls, hull_of)
}

/// The vertices of all nodes; `None` for types of volumes that are not placed by vertices.
fn vertices<V: BoundingVolume>(nodes: &[Node<V>], threads: Threads) -> Option<VertexPool> {
    /// Nodes whose vertices are found at a time, to limit the memory for those of all.
    const AT_ONCE: usize = 4096;
    nodes.first()?.volume.vertices()?;
    let mut pool = VertexPool::default();
    for some in nodes.chunks(AT_ONCE) {
        let of = |node: &Node<V>| node.volume.vertices();
        let found: Vec<_> = match threads {
            Threads::One => some.iter().filter_map(of).collect(),
            Threads::Pool => some.par_iter().filter_map(of).collect(),
        };
        found.iter().for_each(|vertices| pool.push(vertices));
    }
    pool.shrink_to_fit();
    Some(pool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh, Pose, generate,
        method::tree::{BvTree, Scratch},
        volume::{Dop, Sphere},
    };
    use std::ops::ControlFlow;

    const ALL: u32 = u32::MAX;

    fn tree<V: BoundingVolume>(mesh: &Mesh, tumbling: Tumbling, levels: u32) -> BvTree<V> {
        let options = BuildOptions::default().tumbling(tumbling).hill_climbing(levels);
        BvTree::build(mesh, options)
    }

    #[test]
    fn the_first_levels_have_hulls() {
        let torus = generate::deformed_torus(1, [40, 20]).unwrap();
        let hulls = |levels: u32| {
            let tree = tree::<Dop<9>>(&torus, Tumbling::Aligned, levels);
            let outlines = tree.outlines.as_ref().map_or(0, |outlines| outlines.hulls.len());
            (outlines, tree.node_count())
        };
        assert_eq!([0, 1, 2, 4].map(|levels| hulls(levels).0), [0, 1, 3, 15]);
        let (all, nodes) = hulls(ALL);
        assert_eq!(all, nodes);
        let nothing = tree::<Dop<9>>(&Mesh::default(), Tumbling::Vertices, ALL);
        assert!(nothing.outlines.is_none(), "an empty tree has no nodes to place");
        let spheres = tree::<Sphere>(&torus, Tumbling::Vertices, ALL);
        assert!(spheres.outlines.is_none(), "spheres have no normals");
    }

    /// Hulls are tighter than the vertices of k-DOPs, and these are tighter than the linear map.
    #[test]
    fn tighter_ways_take_fewer_tests() {
        let torus = generate::deformed_torus(1, [60, 20]).unwrap();
        let still = tree::<Dop<7>>(&torus, Tumbling::Aligned, 0);
        let ways = [(Tumbling::Aligned, 0), (Tumbling::Vertices, 0), (Tumbling::Aligned, ALL)];
        let tests = ways.map(|(tumbling, levels)| {
            let moving = tree::<Dop<7>>(&torus, tumbling, levels);
            let mut scratch = Scratch::default();
            let poses = generate::tumble(1.1, 40).unwrap();
            let tests = poses.iter().map(|pose| {
                let relative = Relative::new(still.frame(), &Pose::IDENTITY, moving.frame(), pose);
                let _ = still.visit_leaf_pairs(&moving, &relative, &mut scratch, &mut |_| {
                    ControlFlow::Continue(())
                });
                scratch.counts.volume_tests
            });
            tests.sum::<u64>()
        });
        let [aligned, vertices, climbed] = tests;
        assert!(vertices < aligned && climbed * 20 < vertices * 19, "tests: {tests:?}");
    }
}
