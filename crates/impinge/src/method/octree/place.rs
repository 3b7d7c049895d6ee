//! The cubes of source octrees, moved to where the bodies stand.
//!
//! # No contact is lost
//!
//! Let faces f of A and g of B share a point p. It is a mean of the placed corners of f, each of which is its true place
//! plus a rounding error. So p is the true place of a point of f in the mesh's coordinates, plus an error that is no
//! larger. That point lies in a leaf that holds f (`source.rs`). The box of the moved leaf encloses the true places of
//! all its points and the errors, so it contains p. The same holds for g. So the boxes of two leaves, one of which
//! holds f and one g, overlap in p; and p lies in the overlap region of the bodies.
//!
//! With a tolerance, the boxes of body 0 are grown by it, rounded outward, and the closest point of g takes the place of
//! p.

use super::{
    BoundingShape, OctreeOptions,
    source::{Node, SourceOctree},
};
use crate::{
    Bounds, Pose,
    method::{
        Group, PlacedShape, Proximity, Question,
        cells::{CellItem, Regions, grown_outward},
    },
};

/// A leaf of a source octree, moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedCube {
    /// An axis-aligned box around the moved cube; grown by the tolerance for body 0.
    bounds: Bounds,
    body: u32,
    /// The number of the leaf in its octree.
    pub(super) leaf: u32,
}

impl CellItem for MovedCube {
    fn body(&self) -> u32 {
        self.body
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn may_meet(&self, _cell: &Bounds) -> bool {
        true
    }
}

/// The cubes of a group of bodies. Memory is reused from query to query.
#[derive(Default)]
pub(super) struct MovedCubes {
    /// Sorted by body.
    pub(super) cubes: Vec<MovedCube>,
    pub(super) regions: Regions,
}

impl MovedCubes {
    /// Finds the overlap regions of the bodies, and moves the leaves of their octrees: those that meet a region, or
    /// all if the options say so.
    ///
    /// `tolerance` and `growth` are those of a question about two bodies; 0 for groups of more.
    pub(super) fn place(
        &mut self,
        group: &Group<'_>,
        options: &OctreeOptions,
        (tolerance, growth): (f64, f64),
    ) {
        let Self { cubes, regions } = self;
        cubes.clear();
        regions.bodies.clear();
        let has_spheres = options.bounding == BoundingShape::Spheres;
        let bounds = |number| {
            let Some(shape) = group.body(number) else { return Bounds::EMPTY };
            if has_spheres { sphere_bounds(&shape) } else { shape.tight_bounds() }
        };
        regions.bodies.extend((0..group.len()).map(bounds));
        regions.find(group.pairs(), growth, &|pair| {
            let spheres_overlap = || {
                let [a, b] = pair.map(|number| group.body(number));
                let (Some(a), Some(b)) = (a, b) else { return false };
                let question = Question { tolerance, ..Question::touching([a, b]) };
                question.proximity() != Proximity::Apart
            };
            !has_spheres || spheres_overlap()
        });
        let within_regions = options.regions;
        if !within_regions {
            regions.widen_to_bodies();
        }
        for (number, around, regions) in regions.of_bodies() {
            let Some(shape) = group.body(number) else { continue };
            let Some(octree) = shape.prepared_as::<SourceOctree>() else { continue };
            let growth = if number == 0 { growth } else { 0.0 };
            let rounding = shape.extent.rounding(shape.pose);
            let moved = |node: &Node| grown_outward(&moved(node, shape.pose, rounding), growth);
            let wanted = |node: &Node| {
                let bounds = moved(node);
                !within_regions
                    || (bounds.overlaps(&around)
                        && regions.clone().any(|region| bounds.overlaps(region)))
            };
            octree.visit_leaves(wanted, |leaf, node| {
                cubes.push(MovedCube { bounds: moved(node), body: number, leaf });
            });
        }
    }
}

/// A box around a moved cube that contains all placed points of faces in the cube.
fn moved(node: &Node, pose: &Pose, rounding: f64) -> Bounds {
    // As for the bounds of a whole mesh (`mesh/extent.rs`): a point is `c + d` with `|d| ≤ h`; the products and sums are
    // covered by the factor, the rounding of the point, of the centre and of the last difference by three times the
    // rounding of a placed vertex. A cube reaches beyond the mesh's coordinates by its slack and at most by the size of
    // the mesh, which a fourth to eighth rounding cover.
    let center = pose.place(node.center);
    let r = pose.rotation();
    let half = (r.x_axis.abs() + r.y_axis.abs() + r.z_axis.abs()) * node.half;
    let half = half * (1.0 + 8.0 * f64::EPSILON) + 8.0 * rounding;
    Bounds { min: center - half, max: center + half }
}

/// A box around the bounding sphere of a body, which encloses all placed faces.
fn sphere_bounds(shape: &PlacedShape<'_>) -> Bounds {
    match shape.extent.placed_sphere(shape.pose) {
        None => Bounds::EMPTY,
        Some((center, radius)) => grown_outward(&Bounds { min: center, max: center }, radius),
    }
}

/// The octree of a body of a group.
pub(super) fn octree_of<'g>(shape: &PlacedShape<'g>) -> Option<&'g SourceOctree> {
    shape.prepared_as()
}
