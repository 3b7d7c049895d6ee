//! A swept solid against the bounding volumes of a tree.

use crate::{
    Bounds, Pose,
    solid::SweptSolid,
    volume::{BoundingVolume, Frame, Relative},
};
use glam::{DMat3, DVec3};

/// A swept solid as a body with a frame: its oriented box, at a pose whose axes are those of the box. So it is placed in the
/// frame of a tree as any body is.
pub(in crate::method) struct SolidBox<'s> {
    solid: &'s SweptSolid,
    /// The axes of the box in the world.
    axes: DMat3,
    /// The box, as seen from the solid's origin, along its axes.
    bounds: Bounds,
    frame: Frame,
    relative: Relative,
}

impl<'s> SolidBox<'s> {
    /// A solid as seen by a tree whose body is at a pose.
    pub(in crate::method) fn new(tree: &Frame, pose: &Pose, solid: &'s SweptSolid) -> Self {
        let (x, y) = solid.axis().any_orthonormal_pair();
        let axes = DMat3::from_cols(x, y, solid.axis());
        let reach = |sign: f64| {
            DVec3::from([x, y, solid.axis()].map(|axis| solid.extent_from_origin(axis * sign)))
        };
        let bounds = Bounds { min: -reach(-1.0), max: reach(1.0) };
        // What the extents lose to rounding.
        let bounds = bounds.grown(64.0 * f64::EPSILON * solid.reach());
        let frame = Frame::new(&bounds);
        let own_pose = Pose::interpolated(axes, solid.origin());
        let relative = Relative::new(tree, pose, &frame, &own_pose);
        Self { solid, axes, bounds, frame, relative }
    }

    /// A volume that encloses the solid, in the frame of the tree.
    pub(in crate::method) fn placed<V: BoundingVolume>(&self) -> V::Placed {
        let tight = match V::NORMALS {
            [] => None,
            normals => V::from_extents(|i| self.extent(normals[i])),
        };
        tight.unwrap_or_else(|| {
            let Bounds { min, max } = self.bounds;
            let corner = |i: usize| {
                let side = |bit: usize| i & bit != 0;
                self.frame.normalized(DVec3::select(
                    glam::BVec3::new(side(1), side(2), side(4)),
                    max,
                    min,
                ))
            };
            let sides = [[0, 3, 5], [6, 1, 2], [4, 7, 0]].map(|corners| corners.map(corner));
            V::enclosing(&sides).placed(&V::placement(&self.relative))
        })
    }

    /// How far the solid reaches along a normal, in the frame of the tree: the least and the largest product.
    ///
    /// A point y of the solid, in the solid's frame, is `M y + o` in the tree's, up to the uncertainty along each axis. Its
    /// product with the normal n is that of y with `Mᵀn`, plus `n·o`. Components of normals are at most 1, so three times the
    /// uncertainty covers the errors, those of the extents included: these are relative to the same numbers.
    pub(in crate::method) fn extent(&self, normal: DVec3) -> [f64; 2] {
        let Relative { matrix, offset, .. } = self.relative;
        let turned = matrix.transpose() * normal;
        let (unit, direction) = (self.frame.unit(), self.axes * turned);
        let center = normal.dot(offset) - turned.dot(self.frame.center()) / unit;
        let slack = 3.0 * self.relative.uncertainty(4.0);
        let reach = |direction: DVec3| self.solid.extent_from_origin(direction) / unit + slack;
        [center - reach(-direction), center + reach(direction)]
    }
}
