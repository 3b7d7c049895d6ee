//! A wide tree of oriented boxes: one box against eight, one triangle against eight.
//!
//! Both trees are traversed together. Of two nodes the larger is opened, and the other one's box,
//! placed in its frame, is compared with all eight children at once. Two leaves have up to eight
//! triangles each: every triangle of the one is compared with all of the other at once, in `f32`
//! with error bounds that leave no doubt, and what is left undecided goes to the exact test. So the
//! answer is exact, and nearly all of the work is done eight at a time.
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | how a tree is built |
//! | `divide.rs` | which faces make a leaf, and which leaves a node |
//! | `fit.rs` | the box around some leaves |
//! | `build.rs`, `refit.rs`, `save.rs` | a tree made, fitted to other positions, saved and loaded |
//! | `relative_pose.rs` | how two bodies stand to each other, either seen from the other |
//! | `boxes.rs` | one box against eight |
//! | `triangles.rs` | eight triangles against eight |
//! | `neighbours.rs` | faces of one mesh that share vertices, eight at a time |
//! | `support.rs` | how far a mesh reaches along a direction, to separate bodies before their trees are visited |
//! | `walk.rs` | down two trees at once |
//! | `nearest.rs`, `resumable.rs` | the same for distances, and for queries that can be interrupted |
//! | `point.rs` | down one tree, to the faces that are close to a point |
//! | `ray.rs` | down one tree, to the faces that a ray may meet |
//! | `solid.rs` | down one tree, to the faces that a swept solid may touch |

mod boxes;
mod build;
mod divide;
mod fit;
mod nearest;
mod neighbours;
mod options;
mod point;
mod ray;
mod refit;
mod relative_pose;
mod resumable;
mod save;
mod solid;
mod support;
#[cfg(test)]
mod tests;
mod triangles;
mod walk;

pub use options::{WideOptions, WideQuality};

use super::{
    MethodInfo, PointScratch, Prepared, Recipe, Search,
    fit_quality::FitQuality,
    hierarchy::{FrameRay, HierarchySearch},
    prepared::{SolidScratch, SolidVisitor, visit_all},
};
use crate::{
    Mesh, Method, Pose, Ray, Threads,
    simd::{Eight, lanes, vector},
    solid::SweptSolid,
    volume::Frame,
};
use glam::DVec3;
use lanes::Lanes;
use ray::WideSegment;
use relative_pose::BodyFrame;
use std::sync::Arc;
use support::LazySupport;

/// The method `wide`.
pub(super) static METHOD: MethodInfo =
    MethodInfo::new("wide", "tree of oriented boxes, eight at a time", |mesh, threads| {
        WideOptions::default().threads(threads).prepare(mesh)
    })
    .paper("Gottschalk, Lin, Manocha 1996, OBBTree")
    .loader(save::KIND, |bytes, mesh| {
        Ok(Arc::new(WideTree::from_bytes(bytes, mesh, Threads::One)?))
    })
    .estimate(|mesh, _binary_nodes| WideTree::bytes_of(mesh));

impl Recipe for WideOptions {
    fn method(&self) -> Method {
        Method::WIDE
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        Arc::new(WideTree::build(mesh, self))
    }

    fn prepare_on(self, mesh: &Mesh, threads: Threads) -> Arc<dyn Prepared> {
        let threads = if self.threads == Threads::Pool { Threads::Pool } else { threads };
        let mut tree = WideTree::build(mesh, self.threads(threads));
        tree.options = self;
        Arc::new(tree)
    }
}

impl Prepared for WideTree {
    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(HierarchySearch::<Self>::new())
    }

    fn to_bytes(&self, mesh: &Mesh) -> Option<Vec<u8>> {
        Some(self.to_bytes(mesh))
    }

    fn refitted(mut self: Arc<Self>, mesh: &Mesh, threads: Threads) -> Option<Arc<dyn Prepared>> {
        let threads = if self.options.threads == Threads::Pool { Threads::Pool } else { threads };
        let is_good = Arc::make_mut(&mut self).refit(mesh, threads);
        is_good.then_some(self as Arc<dyn Prepared>)
    }

    fn has_point_search(&self) -> bool {
        true
    }

    fn faces_near_point(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.near_point(pose, point, f64::INFINITY, scratch, visit);
    }

    fn faces_near_point_within(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        reach: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.near_point(pose, point, reach, scratch, visit);
    }

    fn faces_along_ray(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        ray: &Ray,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        match FrameRay::new(&self.frame, pose, ray) {
            FrameRay::Misses => {}
            FrameRay::Unknown => visit_all(mesh, visit),
            FrameRay::Within(segment) => {
                let segment = WideSegment::new(segment, self.body_frame.centers);
                self.along_segment(&segment, scratch, visit);
            }
        }
    }

    fn faces_near_solid(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        self.near_solid(pose, solid, scratch, visit);
    }

    fn solid_front(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        region: &SweptSolid,
        scratch: &mut SolidScratch,
    ) {
        self.front_of(pose, region, scratch);
    }
}

/// How many children a node has, and triangles a leaf, at most.
const WIDTH: usize = 8;

/// A wide tree over the faces of a mesh.
#[derive(Clone, Debug)]
pub(super) struct WideTree {
    frame: Frame,
    body_frame: BodyFrame,
    /// The first has the root for its only child; children after their parents. Empty for a mesh
    /// without faces.
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The faces in the order of the leaves.
    faces: Vec<u32>,
    lanes: Lanes,
    options: WideOptions,
    fit_quality: FitQuality,
    /// How often the tree was refitted, modulo 8: the children that get new axes next.
    refits: u8,
    support: LazySupport,
}

/// Eight boxes, side by side, and what is in them.
///
/// A box is all points `p` with `|(p − center)·axis| ≤ half` for each axis. The extents are larger
/// than they need be by what `boxes.rs` asks for.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Node {
    center: [Eight; 3],
    half: [Eight; 3],
    /// `axes[i][c]` is coordinate `c` of axis `i`.
    axes: [[Eight; 3]; 3],
    links: [Link; WIDTH],
}

const _: () = assert!(size_of::<Node>() == 512, "eight cache lines");

impl Node {
    /// A child's box.
    fn oriented_box(&self, lane: usize) -> OrientedBox {
        let of = |eights: &[Eight; 3]| [eights[0][lane], eights[1][lane], eights[2][lane]];
        OrientedBox {
            center: of(&self.center),
            half: of(&self.half),
            axes: [of(&self.axes[0]), of(&self.axes[1]), of(&self.axes[2])],
        }
    }
}

/// Up to eight triangles, side by side.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct Leaf {
    /// `corners[i][c]` is coordinate `c` of corner `i`, from the centre on.
    corners: [[Eight; 3]; 3],
    center: [f32; 3],
    /// The largest magnitude of a corner's coordinate along each axis.
    extent: [f32; 3],
    /// Its first face in the tree's list.
    first: u32,
    count: u32,
}

const _: () = assert!(size_of::<Leaf>() == 320, "five cache lines");

impl Leaf {
    /// A bit for each triangle.
    #[inline(always)]
    fn mask(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// The largest magnitude of a coordinate.
    #[inline(always)]
    fn reach(&self) -> f32 {
        self.extent[0].max(self.extent[1]).max(self.extent[2])
    }
}

/// Where a child is: a node or a leaf, or nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link(u32);

impl Link {
    /// There is no such child.
    const NONE: Self = Self(u32::MAX);
    const LEAF: u32 = 1 << 31;

    fn leaf(index: usize) -> Self {
        Self(index as u32 | Self::LEAF)
    }

    fn node(index: usize) -> Self {
        Self(index as u32)
    }

    #[inline(always)]
    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    #[inline(always)]
    fn index(self) -> usize {
        (self.0 & !Self::LEAF) as usize
    }
}

/// A child of a node, by the node's number times eight and its place there.
type Slot = u32;

/// The root is the first child of the first node.
const ROOT: Slot = 0;

/// A box by itself.
#[derive(Clone, Copy, Debug)]
struct OrientedBox {
    center: [f32; 3],
    half: [f32; 3],
    axes: [[f32; 3]; 3],
}

impl OrientedBox {
    /// An eighth of the surface area.
    fn area(&self) -> f32 {
        let [x, y, z] = self.half;
        x * y + y * z + z * x
    }
}

impl WideTree {
    /// What it holds, in bytes.
    pub(super) fn bytes(&self) -> usize {
        Self::bytes_for(self.nodes.len(), self.leaves.len(), self.faces.len())
            + self.support.bytes()
    }

    fn bytes_for(nodes: usize, leaves: usize, faces: usize) -> usize {
        nodes * size_of::<Node>() + leaves * size_of::<Leaf>() + faces * size_of::<u32>()
    }

    #[inline(always)]
    fn link(&self, slot: Slot) -> Link {
        self.nodes[slot as usize / WIDTH].links[slot as usize % WIDTH]
    }

    /// How large a box is, for comparisons.
    #[inline(always)]
    fn size(&self, slot: Slot) -> f32 {
        let (half, lane) = (&self.nodes[slot as usize / WIDTH].half, slot as usize % WIDTH);
        half[0][lane] + half[1][lane] + half[2][lane]
    }

    #[cfg(test)]
    fn oriented_box(&self, slot: Slot) -> OrientedBox {
        self.nodes[slot as usize / WIDTH].oriented_box(slot as usize % WIDTH)
    }

    fn faces_of(&self, leaf: &Leaf) -> &[u32] {
        &self.faces[leaf.first as usize..(leaf.first + leaf.count) as usize]
    }

    /// The faces of all leaves below a child: those of its first leaf to those of its last.
    fn faces_below(&self, slot: Slot) -> &[u32] {
        let end = |is_last: bool| {
            let mut link = self.link(slot);
            while !link.is_leaf() {
                let links = &self.nodes[link.index()].links;
                let count = links.iter().filter(|&&link| link != Link::NONE).count();
                link = links[if is_last { count - 1 } else { 0 }];
            }
            &self.leaves[link.index()]
        };
        let (first, last) = (end(false), end(true));
        &self.faces[first.first as usize..(last.first + last.count) as usize]
    }
}
