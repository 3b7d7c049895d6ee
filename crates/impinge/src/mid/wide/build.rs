//! Building a tree, from the top down: which faces make a leaf, and which leaves a node.
//!
//! Ranges of faces are split where the surface-area heuristic says, along the mesh's axes, which
//! also fills most leaves and nodes: an open leaf costs as much as a full one.

use super::{
    Eight, Leaf, Link, Node, WIDTH, WideTree,
    fit::{Chunk, chunks, fit},
    lanes::{Lanes, on},
    stance::Place,
};
use crate::{Mesh, volume::Frame};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// How many faces fill a node whose children are leaves.
const FULL: usize = WIDTH * WIDTH;
/// Up to how many faces every way to split a range is looked at.
const SMALL: usize = 4 * FULL;

impl WideTree {
    /// A tree over all faces of a mesh. Takes time n log n, also for the worst of meshes.
    pub(in crate::mid) fn build(mesh: &Mesh) -> Self {
        Self::with_lanes(mesh, Lanes::best())
    }

    pub(super) fn with_lanes(mesh: &Mesh, lanes: Lanes) -> Self {
        let bounds = mesh.bounds();
        let frame = Frame::new(&bounds);
        let mut items = items(mesh, &frame);
        let divisions = divide(&mut items);
        let faces: Vec<u32> = items.iter().map(|item| item.face).collect();
        drop(items);
        // Side by side for every node.
        let normalized = |&face: &u32| mesh.triangle(face).map(|corner| frame.normalized(corner));
        let triangles: Vec<_> = faces.iter().map(normalized).collect();
        let (mut nodes, mut leaves) = (Vec::<Node>::with_capacity(divisions.len()), Vec::new());
        let mut scratch = Vec::new();
        for division in &divisions {
            let mut node = Node::EMPTY;
            for (lane, (range, below)) in division.children().enumerate() {
                let origin = origin(&triangles[range.clone()]);
                chunks(&triangles[range.clone()], origin, &mut scratch);
                let fitted = on!(lanes, simd => fit(simd, &scratch, origin));
                for c in 0..3 {
                    node.center[c][lane] = fitted.center[c];
                    node.half[c][lane] = fitted.half[c];
                    for axis in 0..3 {
                        node.axes[axis][c][lane] = fitted.axes[axis][c];
                    }
                }
                node.links[lane] = match below {
                    Some(index) => Link::node(index),
                    None => {
                        leaves.push(Leaf::new(&scratch[0], origin, &range));
                        Link::leaf(leaves.len() - 1)
                    }
                };
            }
            nodes.push(node);
        }
        let mut place = Place::new(&bounds, frame.unit());
        let centers = nodes.iter().flat_map(|node| node.center.as_flattened());
        place.centers = f64::from(centers.fold(0.0, |m: f32, value| m.max(value.abs())));
        leaves.shrink_to_fit();
        Self { frame, place, nodes, leaves, faces, lanes }
    }

    /// What the tree of a mesh takes, without fitting any boxes.
    pub(in crate::mid) fn bytes_of(mesh: &Mesh) -> usize {
        let mut items = items(mesh, &Frame::new(&mesh.bounds()));
        let divisions = divide(&mut items);
        let leaves = divisions.iter().flat_map(Division::children);
        let leaves = leaves.filter(|(_, below)| below.is_none()).count();
        Self::bytes_for(divisions.len(), leaves, items.len())
    }
}

impl Node {
    /// Boxes that no other overlaps, and nothing in them.
    const EMPTY: Self = Self {
        center: [[0.0; WIDTH]; 3],
        half: [[-1e30; WIDTH]; 3],
        axes: [[[0.0; WIDTH]; 3]; 3],
        links: [Link::NONE; WIDTH],
    };
}

impl Leaf {
    fn new(corners: &Chunk, center: [f32; 3], faces: &Range<usize>) -> Self {
        let largest = |m: f32, eight: &Eight| eight.iter().fold(m, |m, value| m.max(value.abs()));
        let extent = [0, 1, 2].map(|c| corners.iter().map(|at| &at[c]).fold(0.0, largest));
        Self {
            corners: *corners,
            center,
            extent,
            first: faces.start as u32,
            count: faces.len() as u32,
        }
    }
}

/// The middle of some triangles' bounds, as a number that `f32` holds exactly.
fn origin(triangles: &[[DVec3; 3]]) -> [f32; 3] {
    let corners = triangles.iter().flatten();
    let (min, max) = corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), corner| {
        (min.min(*corner), max.max(*corner))
    });
    (0.5 * (min + max)).as_vec3().to_array()
}

/// What the builder knows of a face. Rounded: it only decides where ranges are split.
#[derive(Clone, Copy, Debug)]
struct Item {
    min: Vec3,
    max: Vec3,
    face: u32,
}

impl Item {
    /// Twice the middle of its box along an axis.
    #[inline]
    fn along(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

fn items(mesh: &Mesh, frame: &Frame) -> Vec<Item> {
    let item = |(face, triangle): (u32, [DVec3; 3])| {
        let [p, q, r] = triangle.map(|corner| frame.normalized(corner).as_vec3());
        Item { min: p.min(q).min(r), max: p.max(q).max(r), face }
    };
    (0..).zip(mesh.triangles()).map(item).collect()
}

/// A node of the tree to be: the faces of its children, and which of them are nodes.
#[derive(Clone, Debug)]
struct Division {
    /// Where each child's faces begin, and where the last one's end.
    bounds: [u32; WIDTH + 1],
    count: usize,
    /// The first child's node, if it is one, and so on; `u32::MAX` for leaves.
    below: [u32; WIDTH],
}

impl Division {
    fn children(&self) -> impl Iterator<Item = (Range<usize>, Option<usize>)> {
        (0..self.count).map(|k| {
            let range = self.bounds[k] as usize..self.bounds[k + 1] as usize;
            (range, (self.below[k] != u32::MAX).then_some(self.below[k] as usize))
        })
    }
}

/// Orders the faces and divides them, the first node for the root alone.
fn divide(items: &mut [Item]) -> Vec<Division> {
    if items.is_empty() {
        return Vec::new();
    }
    // Splits by surface can part off eight faces at a time. Past this depth, in nodes, they are
    // halved, to keep the work n log n.
    let patience = items.len().ilog2() + 8;
    let whole = |count: usize, below| {
        let mut bounds = [0; WIDTH + 1];
        bounds[1] = count as u32;
        Division { bounds, count: 1, below }
    };
    let mut divisions = vec![whole(items.len(), [u32::MAX; WIDTH])];
    let mut open = Vec::new();
    if items.len() > WIDTH {
        open.push((0, 0, 0..items.len(), 0));
    }
    while let Some((parent, lane, range, depth)) = open.pop() {
        let node = divisions.len();
        divisions[parent as usize].below[lane] = node as u32;
        let mut parts = [0u32; WIDTH + 1];
        (parts[0], parts[1]) = (range.start as u32, range.end as u32);
        let mut count = 1;
        while let Some(k) = next_to_split(&parts[..=count]) {
            let part = parts[k] as usize..parts[k + 1] as usize;
            let middle = part.start + split(&mut items[part], depth < patience);
            parts.copy_within(k + 1..=count, k + 2);
            parts[k + 1] = middle as u32;
            count += 1;
        }
        divisions.push(Division { bounds: parts, count, below: [u32::MAX; WIDTH] });
        for k in (0..count).rev() {
            let part = parts[k] as usize..parts[k + 1] as usize;
            if part.len() > WIDTH {
                open.push((node as u32, k, part, depth + 1));
            }
        }
    }
    divisions
}

/// Which part of a node to split further: the largest, as long as it fills a node of its own, and then
/// the smallest that can be split up into leaves altogether; none if the node is full.
fn next_to_split(bounds: &[u32]) -> Option<usize> {
    let count = bounds.len() - 1;
    let room = WIDTH - count;
    if room == 0 {
        return None;
    }
    let sizes = || bounds.windows(2).map(|ends| (ends[1] - ends[0]) as usize).enumerate();
    let (largest, size) = sizes().max_by_key(|&(_, size)| size)?;
    if size > FULL {
        return Some(largest);
    }
    let fits = |&(_, size): &(usize, usize)| size > WIDTH && size.div_ceil(WIDTH) - 1 <= room;
    sizes().filter(fits).min_by_key(|&(_, size)| size).map(|(k, _)| k)
}

/// Parts the items in two and returns how many come first; never none and never all.
fn split(items: &mut [Item], by_surface: bool) -> usize {
    let count = items.len();
    if !by_surface {
        let half = count / 2;
        let (_, size) = middles(items);
        select(items, half, size.max_position());
        return half;
    }
    if count <= SMALL { split_small(items) } else { split_large(items) }
}

fn select(items: &mut [Item], count: usize, axis: usize) {
    items.select_nth_unstable_by(count, |p, q| p.along(axis).total_cmp(&q.along(axis)));
}

/// The least of the items' middles along each axis, and how far they reach.
fn middles(items: &[Item]) -> (Vec3, Vec3) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items {
        let middle = item.min + item.max;
        (low, high) = (low.min(middle), high.max(middle));
    }
    (low, high - low)
}

/// A box that grows.
#[derive(Clone, Copy)]
struct Hull {
    min: Vec3,
    max: Vec3,
}

impl Hull {
    const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    #[inline]
    fn with(self, min: Vec3, max: Vec3) -> Self {
        Self { min: self.min.min(min), max: self.max.max(max) }
    }

    fn area(self) -> f32 {
        let size = (self.max - self.min).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// What it takes to look through so many faces: leaves, and the nodes above them. So it pays to fill
/// leaves and nodes, but not at any price.
fn work(count: usize) -> f32 {
    (count.div_ceil(WIDTH) + 2 * count.div_ceil(FULL)) as f32
}

/// A few: in order along each axis, and split where surfaces times work are least.
fn split_small(items: &mut [Item]) -> usize {
    let count = items.len();
    let (mut best, mut least) = ((0, count / 2), f32::INFINITY);
    let mut order = [(0.0, 0u16); SMALL];
    let order = &mut order[..count];
    let mut behind = [0.0; SMALL];
    for axis in 0..3 {
        for (k, item) in items.iter().enumerate() {
            order[k] = (item.along(axis), k as u16);
        }
        order.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
        let mut hull = Hull::EMPTY;
        for k in (1..count).rev() {
            let item = &items[usize::from(order[k].1)];
            hull = hull.with(item.min, item.max);
            behind[k] = hull.area();
        }
        let mut hull = Hull::EMPTY;
        for k in 1..count {
            let item = &items[usize::from(order[k - 1].1)];
            hull = hull.with(item.min, item.max);
            let cost = hull.area() * work(k) + behind[k] * work(count - k);
            if cost < least {
                (best, least) = ((axis, k), cost);
            }
        }
    }
    let (axis, count) = best;
    select(items, count, axis);
    count
}

/// Into how many bins middles are sorted along each axis.
const BINS: usize = 16;

/// More: by bins.
fn split_large(items: &mut [Item]) -> usize {
    let (low, size) = middles(items);
    let to_bin = Vec3::splat(BINS as f32 * 0.9999) / size;
    let mut bins = [[(Hull::EMPTY, 0u32); BINS]; 3];
    for item in items.iter() {
        let at = (item.min + item.max - low) * to_bin;
        for axis in 0..3 {
            // A size of 0 makes it infinite or no number, which become some bin too.
            let bin = &mut bins[axis][(at[axis] as usize).min(BINS - 1)];
            *bin = (bin.0.with(item.min, item.max), bin.1 + 1);
        }
    }
    let (mut best, mut least) = (None, f32::INFINITY);
    for (axis, bins) in bins.iter().enumerate() {
        let mut behind = [(0.0, 0); BINS];
        let mut sum = (Hull::EMPTY, 0);
        for k in (1..BINS).rev() {
            sum = (sum.0.with(bins[k].0.min, bins[k].0.max), sum.1 + bins[k].1);
            behind[k] = (sum.0.area(), sum.1);
        }
        let mut sum = (Hull::EMPTY, 0);
        for k in 1..BINS {
            sum = (sum.0.with(bins[k - 1].0.min, bins[k - 1].0.max), sum.1 + bins[k - 1].1);
            let (area, count) = behind[k];
            let cost = sum.0.area() * sum.1 as f32 + area * count as f32;
            if sum.1 > 0 && count > 0 && cost < least {
                (best, least) = (Some((axis, sum.1 as usize)), cost);
            }
        }
    }
    // All middles are the same: halved as they stand.
    let Some((axis, count)) = best else { return items.len() / 2 };
    select(items, count, axis);
    count
}
