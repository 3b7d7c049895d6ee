//! Bounds of the support function of a mesh: how far it reaches along any direction, in constant time.
//!
//! `walk.rs` asks for it before it prepares a traversal of two trees. Most pairs of bodies that are close and do not touch are
//! separated by a plane across the line between their centres. Two look-ups prove that, where a traversal would visit
//! dozens of nodes.
//!
//! # Why the bounds hold
//!
//! The support function of a set of points is `h(d) = max d·p`. It is sublinear: `h(λd + μe) ≤ λ h(d) + μ h(e)` for
//! λ, μ ≥ 0. Directions are points of the surface of the cube `[−1, 1]³`, divided into a grid, with `h` known at the
//! corners of the cells. A direction in a cell is the bilinear combination of the cell's corners, whose weights are not
//! negative, so the same combination of the values there is at least `h`.
//!
//! Values at the corners are computed in `f32`, in the frame of the mesh, where coordinates are at most 1. Storing a
//! vertex relative to its leaf costs two roundings of 2^−24 a coordinate. The components of a direction are at most 1,
//! so three products and three sums are off by less than 15 roundings of 2^−24. The bound of a box, by which a leaf may
//! be skipped, is off by less than 20, and boxes are stored with a margin. [`MARGIN`] is more than all of these together,
//! and more than what `f64` loses in a look-up.

use super::{
    Leaf, Link, ROOT, Slot, WIDTH, WideTree,
    vector::{dot, greatest, load, loads, splats},
};
use crate::{method::Question, simd::on};
use fearless_simd::prelude::*;
use glam::DVec3;
use std::sync::{
    OnceLock,
    atomic::{AtomicU32, Ordering},
};

/// Cells along an edge of the cube. With 8, three out of four pairs of bumpy balls that are close and do not touch are
/// separated; more cells add one in thirty.
const CELLS: usize = 8;
/// Corners along an edge.
const CORNERS: usize = CELLS + 1;
/// What is added to each value: see the head of the file.
const MARGIN: f32 = 1e-5;
/// Queries of a tree before its map is made. Making it takes as long as about a hundred queries, so a tree that is seldom
/// queried is not slowed down, and others at most for a moment. Checked builds make it earlier, so that tests use it.
const QUERIES_BEFORE: u32 = if cfg!(debug_assertions) { 1 } else { 128 };

/// Upper bounds of the support function of a mesh, in the frame of its tree.
#[derive(Clone, Debug)]
pub(super) struct SupportMap {
    /// For each side of the cube, the values at the corners of its grid: by the larger of the other two axes, then by the
    /// smaller. The sides are x = −1, x = 1, y = −1, y = 1, z = −1, z = 1.
    sides: [[[f32; CORNERS]; CORNERS]; 6],
}

impl SupportMap {
    pub(super) fn new(tree: &WideTree) -> Self {
        let mut map = Self { sides: [[[0.0; CORNERS]; CORNERS]; 6] };
        let mut search = SupportSearch { tree, stack: Vec::new(), last: None };
        let at = |corner: usize| corner as f32 * (2.0 / CELLS as f32) - 1.0;
        for (side, values) in map.sides.iter_mut().enumerate() {
            let axis = side / 2;
            let [first, second] = others(axis);
            for (i, row) in values.iter_mut().enumerate() {
                for (j, value) in row.iter_mut().enumerate() {
                    let mut direction = [0.0; 3];
                    direction[axis] = if side % 2 == 0 { -1.0 } else { 1.0 };
                    (direction[first], direction[second]) = (at(j), at(i));
                    *value = search.support(direction) + MARGIN;
                }
            }
        }
        map
    }

    /// An upper bound of the support function. Not finite if the direction is zero or not finite.
    #[inline(always)]
    pub(super) fn reach(&self, direction: DVec3) -> f64 {
        let size = direction.abs();
        let length = size.max_element();
        let axis = if size.x == length {
            0
        } else if size.y == length {
            1
        } else {
            2
        };
        let direction = direction.to_array();
        let [first, second] = others(axis);
        // From −1 … 1 to 0 … CELLS.
        let cell = |component: usize| {
            let at = (direction[component] / length + 1.0) * (0.5 * CELLS as f64);
            // A cast of NaN is 0, and the fraction stays NaN.
            let corner = (at as usize).min(CELLS - 1);
            (corner, at - corner as f64)
        };
        let ((j, x), (i, y)) = (cell(first), cell(second));
        let side = &self.sides[2 * axis + usize::from(direction[axis] > 0.0)];
        let along = |row: &[f32; CORNERS]| {
            let (low, high) = (f64::from(row[j]), f64::from(row[j + 1]));
            low + (high - low) * x
        };
        let (low, high) = (along(&side[i]), along(&side[i + 1]));
        length * (low + (high - low) * y)
    }
}

/// The two axes besides one, in order.
#[inline(always)]
fn others(axis: usize) -> [usize; 2] {
    [usize::from(axis == 0), if axis == 2 { 1 } else { 2 }]
}

/// Whether a plane across the line between the centres of two bodies separates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separation {
    /// It does, by more than the distance within which points count as meeting.
    Proven,
    /// It nearly does: most bodies that stand like this are apart.
    Likely,
    /// It does not: most bodies that stand like this touch.
    Unlikely,
}

/// By how much the extents may overlap for bodies to be likely apart, relative to the distance of the centres. Of the bumpy
/// balls that overlap by less, one in six touches; of the others, nine in ten.
const LIKELY: f64 = 0.025;

/// Tells whether a plane across the line between the centres of two bodies separates them.
///
/// Let w be the vector from the placed centre of `a` to that of `b`. A placed vertex of `a` is `Ra (x − ca) + e` from the
/// placed centre, where e is at most twice the rounding error of a placed vertex along each axis. So it reaches along w by
/// `sa ha(Raᵀw) + |w|₁ e` at most, with sa the unit of the frame. The same holds for `b` along −w. Rounding errors of the
/// rest are relative to these terms, whose margin is far larger.
#[inline(always)]
pub(super) fn separation(trees: [&WideTree; 2], question: &Question<'_>) -> Separation {
    let [tree_a, tree_b] = trees;
    let (Some(map_a), Some(map_b)) = (tree_a.support.get(tree_a), tree_b.support.get(tree_b))
    else {
        return Separation::Unlikely;
    };
    let [pose_a, pose_b] = question.bodies.map(|body| body.pose);
    let (a, b) = (&tree_a.body_frame, &tree_b.body_frame);
    let way = pose_b.place(b.center) - pose_a.place(a.center);
    let reach_a = a.scale * map_a.reach(pose_a.rotation().transpose() * way);
    let reach_b = b.scale * map_b.reach(pose_b.rotation().transpose() * -way);
    let rounding = pose_a.rounding(a.reach) + pose_b.rounding(b.reach);
    let size = way.abs();
    // The length of w is at most the sum of its components.
    let slack = (size.x + size.y + size.z) * (2.0 * rounding + question.growth());
    let (reach, distance) = ((reach_a + reach_b) + slack, way.length_squared());
    // Below this, squares lose digits to underflow.
    if distance < 1e-280 {
        return Separation::Unlikely;
    }
    match () {
        () if distance > reach => Separation::Proven,
        () if distance > (1.0 - LIKELY) * reach => Separation::Likely,
        () => Separation::Unlikely,
    }
}

/// The largest product of a direction and a vertex of a tree, for one direction after another.
struct SupportSearch<'t> {
    tree: &'t WideTree,
    /// Boxes to visit, each with the farthest that it may reach.
    stack: Vec<(f32, Slot)>,
    /// The leaf that reached farthest along the last direction: it is likely to reach far along the next one.
    last: Option<usize>,
}

impl SupportSearch<'_> {
    fn support(&mut self, direction: [f32; 3]) -> f32 {
        on!(self.tree.lanes, simd => self.support_on(simd, direction))
    }

    #[inline(always)]
    fn support_on<S: Simd>(&mut self, simd: S, direction: [f32; 3]) -> f32 {
        let Self { tree, stack, last } = self;
        let mut best = last
            .map_or(f32::NEG_INFINITY, |leaf| support_of_leaf(simd, &tree.leaves[leaf], direction));
        let along = splats(simd, direction);
        stack.clear();
        stack.push((f32::INFINITY, ROOT));
        while let Some((bound, slot)) = stack.pop() {
            // A box that was visited meanwhile may reach farther.
            if bound <= best {
                continue;
            }
            let link = tree.link(slot);
            if link.is_leaf() {
                let found = support_of_leaf(simd, &tree.leaves[link.index()], direction);
                if found > best {
                    (best, *last) = (found, Some(link.index()));
                }
                continue;
            }
            let node = &tree.nodes[link.index()];
            let mut bounds = dot(&loads(simd, &node.center), &along);
            for (axis, half) in node.axes.iter().zip(&node.half) {
                bounds = dot(&loads(simd, axis), &along).abs().mul_add(load(simd, half), bounds);
            }
            let bounds = bounds.to_array();
            for (lane, below) in node.links.iter().enumerate() {
                if *below != Link::NONE && bounds[lane] > best {
                    stack.push((bounds[lane], (link.index() * WIDTH + lane) as Slot));
                }
            }
        }
        best
    }
}

/// The largest product of a direction and a corner of a leaf.
#[inline(always)]
fn support_of_leaf<S: Simd>(simd: S, leaf: &Leaf, direction: [f32; 3]) -> f32 {
    let along = splats(simd, direction);
    let corner = |k: usize| dot(&loads(simd, &leaf.corners[k]), &along);
    let products = greatest(corner(0), corner(1), corner(2)).to_array();
    let most = products[..leaf.count as usize].iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let [x, y, z] = leaf.center;
    most + (x * direction[0] + y * direction[1] + z * direction[2])
}

/// The support map of a tree, made after some queries.
#[derive(Debug, Default)]
pub(super) struct LazySupport {
    queries: AtomicU32,
    map: OnceLock<Box<SupportMap>>,
}

impl LazySupport {
    /// The map, if there have been enough queries to make it.
    #[inline(always)]
    pub(super) fn get(&self, tree: &WideTree) -> Option<&SupportMap> {
        match self.map.get() {
            Some(map) => Some(map),
            None => self.make(tree),
        }
    }

    #[cold]
    fn make(&self, tree: &WideTree) -> Option<&SupportMap> {
        // One thread makes the map, and the others go on without it. None waits: a process that is forked meanwhile would
        // wait forever.
        let is_mine = self.queries.fetch_add(1, Ordering::Relaxed) == QUERIES_BEFORE;
        if is_mine && !tree.nodes.is_empty() {
            let _ = self.map.set(Box::new(SupportMap::new(tree)));
        }
        self.map.get().map(|map| &**map)
    }

    /// The map's size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.map.get().map_or(0, |_| size_of::<SupportMap>())
    }
}

/// A copy of a tree may be changed, so its map is made anew.
impl Clone for LazySupport {
    fn clone(&self) -> Self {
        Self::default()
    }
}
