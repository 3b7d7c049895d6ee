//! Building a wide tree: `divide.rs` assigns faces to leaves and nodes, then `fit.rs` fits boxes
//! around them.
//!
//! Called for new trees, and by `refit.rs` and `save.rs`, which fit the boxes of an existing tree
//! again.

use super::{
    Leaf, Link, Node, OrientedBox, WIDTH, WideTree,
    divide::{Division, divide},
    fit::{bounds_of, fit, measured, normal_of},
    lanes::{Lanes, on},
    options::WideOptions,
    relative_pose::BodyFrame,
    support::LazySupport,
};
use crate::{Bounds, Mesh, Threads, method::fit_quality::FitQuality, volume::Frame};
use glam::DVec3;
use rayon::prelude::*;

impl WideTree {
    /// Builds a tree over all faces of a mesh, in time n log n for any mesh.
    pub(in crate::method) fn build(mesh: &Mesh, options: WideOptions) -> Self {
        Self::with_lanes(mesh, options, Lanes::best())
    }

    pub(super) fn with_lanes(mesh: &Mesh, options: WideOptions, lanes: Lanes) -> Self {
        let frame = Frame::new(&mesh.bounds());
        let points = normalized(mesh, &frame, options.threads);
        let (faces, divisions) = divide(mesh, &points, options.quality, options.threads);
        let (nodes, leaves) = unfitted(faces.len(), &divisions);
        drop(divisions);
        let mut tree = Self::unfitted(mesh, (nodes, leaves, faces), lanes, options);
        tree.fit(mesh, &points, Axes::Best);
        tree
    }

    /// A tree of linked nodes and leaves over the faces of a mesh, whose boxes and leaves are still to be filled.
    pub(super) fn unfitted(
        mesh: &Mesh,
        (nodes, leaves, faces): (Vec<Node>, Vec<Leaf>, Vec<u32>),
        lanes: Lanes,
        options: WideOptions,
    ) -> Self {
        let frame = Frame::new(&mesh.bounds());
        Self {
            body_frame: BodyFrame::new(&mesh.bounds(), frame.unit()),
            frame,
            nodes,
            leaves,
            faces,
            lanes,
            options,
            fit_quality: FitQuality::default(),
            refits: 0,
            support: LazySupport::default(),
        }
    }

    /// The number of bytes that a mesh's tree would take. Fits no boxes.
    pub(in crate::method) fn bytes_of(mesh: &Mesh) -> usize {
        let points = normalized(mesh, &Frame::new(&mesh.bounds()), Threads::One);
        let options = WideOptions::default();
        let (faces, divisions) = divide(mesh, &points, options.quality, options.threads);
        let leaves = divisions.iter().flat_map(Division::children);
        let leaves = leaves.filter(|(_, below)| below.is_none()).count();
        Self::bytes_for(divisions.len(), leaves, faces.len())
    }

    /// Fills the leaves and fits all boxes, given the vertices in the mesh's frame.
    pub(super) fn fit(&mut self, mesh: &Mesh, points: &[DVec3], axes: Axes) {
        self.fill_leaves(mesh, self.options.threads, |vertex| points[vertex]);
        self.fit_boxes(axes, self.options.threads);
    }

    /// Fills the leaves, given the position of each vertex in the mesh's frame.
    pub(super) fn fill_leaves(
        &mut self,
        mesh: &Mesh,
        threads: Threads,
        point: impl Fn(usize) -> DVec3 + Sync,
    ) {
        let Self { faces, leaves, .. } = self;
        let fill = |leaf: &mut Leaf| {
            let range = leaf.first as usize..(leaf.first + leaf.count) as usize;
            let corners = |&face: &u32| {
                // Not `map`, which the compiler calls as a function.
                let [p, q, r] = mesh.faces()[face as usize];
                [point(p as usize), point(q as usize), point(r as usize)]
            };
            leaf.fill(faces[range].iter().map(corners));
        };
        match threads {
            Threads::One => leaves.iter_mut().for_each(fill),
            Threads::Pool => leaves.par_iter_mut().with_min_len(64).for_each(fill),
        }
    }

    /// Fits all boxes to the leaves.
    pub(super) fn fit_boxes(&mut self, axes: Axes, threads: Threads) {
        let (lanes, quality) = (self.lanes, self.options.quality);
        let mut nodes = std::mem::take(&mut self.nodes);
        let follows = matches!(axes, Axes::Followed { .. });
        let below: Vec<[Below; WIDTH]> = leaves_below(&nodes, &self.leaves, |leaf| {
            if follows { on!(lanes, simd => normal_of(simd, leaf)) } else { DVec3::ZERO }
        });
        let fit_node = |(node, below): (&mut Node, &[Below; WIDTH])| {
            for (lane, Below { first, end, bounds, normal }) in below.iter().enumerate() {
                if node.links[lane] == Link::NONE {
                    continue;
                }
                let leaves = (&self.leaves[*first as usize..*end as usize], *bounds);
                let kept = node.oriented_box(lane);
                let fitted = match axes {
                    Axes::Best => on!(lanes, simd => fit(simd, leaves, quality)),
                    Axes::Kept => on!(lanes, simd => measured(simd, leaves, kept.axes)),
                    Axes::Followed { area_factor, turn } => on!(lanes, simd => {
                        let along = measured(simd, leaves, kept.axes_across(*normal));
                        let limit = GROWTH * area_factor * kept.area();
                        let is_kept = lane != usize::from(turn) && along.area() <= limit;
                        if is_kept { along } else { fit(simd, leaves, quality) }
                    }),
                };
                node.set_box(lane, &fitted);
            }
        };
        match threads {
            Threads::One => nodes.iter_mut().zip(&below).for_each(fit_node),
            Threads::Pool => nodes.par_iter_mut().zip(&below).with_min_len(16).for_each(fit_node),
        }
        self.nodes = nodes;
        let centers = self.nodes.iter().flat_map(|node| node.center.as_flattened());
        self.body_frame.centers = f64::from(centers.fold(0.0, |m: f32, value| m.max(value.abs())));
    }
}

/// The factor by which the area of a box may grow in one refit before it gets new axes.
const GROWTH: f32 = 1.05;

/// Along which axes boxes are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axes {
    /// The axes with the least surface area.
    Best,
    /// The axes that the boxes already have.
    Kept,
    /// The axes that the boxes already have, turned with the surface in them, as long as they do. `area_factor` is the square of the old unit of
    /// length in new units. The child with the number `turn` in each node gets the best axes in any case.
    Followed { area_factor: f32, turn: u8 },
}

/// The vertices of a mesh in its frame.
pub(super) fn normalized(mesh: &Mesh, frame: &Frame, threads: Threads) -> Vec<DVec3> {
    let normalized = |&point: &DVec3| frame.normalized(point);
    match threads {
        Threads::One => mesh.positions().iter().map(normalized).collect(),
        Threads::Pool => mesh.positions().par_iter().map(normalized).collect(),
    }
}

/// Linked nodes and leaves, still without boxes and corners. Leaves are in the order of their
/// faces.
fn unfitted(faces: usize, divisions: &[Division]) -> (Vec<Node>, Vec<Leaf>) {
    // The index of the leaf that begins at each face.
    let mut numbers = vec![u32::MAX; faces];
    let mut leaves = Vec::new();
    let children = || divisions.iter().flat_map(Division::children);
    for (range, _) in children().filter(|(_, below)| below.is_none()) {
        numbers[range.start] = range.len() as u32;
    }
    for (first, number) in numbers.iter_mut().enumerate().filter(|(_, n)| **n != u32::MAX) {
        let count = std::mem::replace(number, leaves.len() as u32);
        leaves.push(Leaf::unfitted(first as u32, count));
    }
    leaves.shrink_to_fit();
    let nodes = divisions.iter().map(|division| {
        let mut node = Node::EMPTY;
        for (link, (range, below)) in node.links.iter_mut().zip(division.children()) {
            *link = below.map_or_else(|| Link::leaf(numbers[range.start] as usize), Link::node);
        }
        node
    });
    (nodes.collect(), leaves)
}

/// The leaves below a child.
#[derive(Clone, Copy)]
struct Below {
    first: u32,
    end: u32,
    bounds: Bounds,
    /// The sum of the normals of their triangles.
    normal: DVec3,
}

/// The leaves below each child. Children come after their parents, so this goes backwards.
fn leaves_below(
    nodes: &[Node],
    leaves: &[Leaf],
    normal: impl Fn(&Leaf) -> DVec3,
) -> Vec<[Below; WIDTH]> {
    let nothing = Below { first: 0, end: 0, bounds: Bounds::EMPTY, normal: DVec3::ZERO };
    let mut below = vec![[nothing; WIDTH]; nodes.len()];
    for (k, node) in nodes.iter().enumerate().rev() {
        for (lane, link) in node.links.iter().enumerate().filter(|(_, link)| **link != Link::NONE) {
            let index = link.index();
            below[k][lane] = if link.is_leaf() {
                let bounds = bounds_of(&leaves[index..=index], 1);
                let (first, normal) = (index as u32, normal(&leaves[index]));
                Below { first, end: first + 1, bounds, normal }
            } else {
                let children = &below[index];
                let mut all = children[0];
                for child in &children[1..] {
                    all.end = all.end.max(child.end);
                    all.bounds.merge(&child.bounds);
                    all.normal += child.normal;
                }
                all
            };
        }
    }
    below
}

impl Node {
    /// A node without children. Its boxes overlap no others.
    pub(super) const EMPTY: Self = Self {
        center: [[0.0; WIDTH]; 3],
        half: [[-1e30; WIDTH]; 3],
        axes: [[[0.0; WIDTH]; 3]; 3],
        links: [Link::NONE; WIDTH],
    };

    pub(super) fn set_box(&mut self, lane: usize, fitted: &OrientedBox) {
        for c in 0..3 {
            self.center[c][lane] = fitted.center[c];
            self.half[c][lane] = fitted.half[c];
            for axis in 0..3 {
                self.axes[axis][c][lane] = fitted.axes[axis][c];
            }
        }
    }
}

impl Leaf {
    pub(super) fn unfitted(first: u32, count: u32) -> Self {
        let corners = [[[0.0; WIDTH]; 3]; 3];
        Self { corners, center: [0.0; 3], extent: [0.0; 3], first, count }
    }

    /// Stores up to eight triangles. Unused lanes hold a corner of the first triangle as a point,
    /// which changes neither extents nor areas.
    fn fill(&mut self, triangles: impl Iterator<Item = [DVec3; 3]>) {
        let mut eight = [[DVec3::ZERO; 3]; WIDTH];
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut count = 0;
        for (to, triangle) in eight.iter_mut().zip(triangles) {
            *to = triangle;
            let [p, q, r] = triangle;
            (min, max) = (min.min(p).min(q.min(r)), max.max(p).max(q.max(r)));
            count += 1;
        }
        let point = [eight[0][0]; 3];
        eight[count..].fill(point);
        // Rounded to `f32` first, so that the stored centre is exact.
        let center = (0.5 * (min + max)).as_vec3();
        self.center = center.to_array();
        let center = center.as_dvec3();
        for i in 0..3 {
            for (lane, triangle) in eight.iter().enumerate() {
                let corner = (triangle[i] - center).as_vec3();
                self.corners[i][0][lane] = corner.x;
                self.corners[i][1][lane] = corner.y;
                self.corners[i][2][lane] = corner.z;
            }
        }
        for c in 0..3 {
            // Comparisons and not `max`, which would look for NaN: there is none.
            let larger = |m: f32, value: f32| if value > m { value } else { m };
            let mut most = [0.0f32; WIDTH];
            for corner in &self.corners {
                for (most, value) in most.iter_mut().zip(&corner[c]) {
                    *most = larger(*most, value.abs());
                }
            }
            self.extent[c] = most.into_iter().fold(0.0, larger);
        }
    }
}
