//! One shape and a true solid: the faces that it touches, and how far it is from them.
//!
//! A method proposes the faces near the convex hull of the solid, and [`PlacedSolid`] decides about each. Its decisions
//! have an error, within which faces count as touching. The hull is enlarged by that error before the search, so that no
//! method leaves out such a face: all methods give the same answer.

use super::{Shape, points::with_scratch};
use crate::{
    Pose,
    method::SolidScratch,
    narrow::Triangle,
    solid::{PlacedSolid, Solid, SolidDistance},
};
use std::{cell::RefCell, ops::ControlFlow};

/// How far a mesh is from a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidGap {
    /// The distance, with proven bounds. Its first point lies on the solid, its second one on the face.
    pub distance: SolidDistance,
    /// The face that is closest; of several equally close ones, the first.
    pub face: u32,
}

impl Shape {
    /// Returns the numbers of the faces, placed by a pose, that a solid touches, sorted. A face that lies inside the solid
    /// touches it.
    ///
    /// Never misses a face. A face that is apart, but by less than [`Solid::ERROR`] of its reach, may be in the list. The
    /// list is the same for every method.
    ///
    /// ```
    /// use impinge::{Pose, Shape, generate, glam::DVec3, solid::Solid};
    ///
    /// let plate = Shape::new(generate::cuboid(DVec3::new(8.0, 8.0, 0.2))?);
    /// let ring = Solid::torus(2.0, 0.5)?;
    /// let lying = Pose::from_translation(DVec3::new(0.0, 0.0, 0.6))?;
    /// assert_eq!(plate.faces_touching(&Pose::IDENTITY, (&ring, &lying)).len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn faces_touching(&self, pose: &Pose, solid: (&Solid, &Pose)) -> Vec<u32> {
        let mut faces = Vec::new();
        self.visit_touching(pose, &solid.0.placed(solid.1), &mut |face| {
            faces.push(face);
            ControlFlow::Continue(())
        });
        faces.sort_unstable();
        faces
    }

    /// Returns whether a solid touches any face, placed by a pose: see [`faces_touching`](Self::faces_touching).
    ///
    /// Only faces count. A solid that lies inside a closed mesh and touches no face of it is not found.
    pub fn touches_solid(&self, pose: &Pose, solid: (&Solid, &Pose)) -> bool {
        let mut is_touching = false;
        self.visit_touching(pose, &solid.0.placed(solid.1), &mut |_| {
            is_touching = true;
            ControlFlow::Break(())
        });
        is_touching
    }

    /// Returns the least distance between a solid and the faces, placed by a pose; `None` if there are no faces.
    ///
    /// ```
    /// use impinge::{Pose, Shape, generate, glam::DVec3, solid::Solid};
    ///
    /// let block = Shape::new(generate::cuboid(DVec3::splat(2.0))?);
    /// let peg = Solid::cone(1.0, 0.0, 4.0)?;
    /// let above = Pose::from_translation(DVec3::new(0.2, 0.1, 3.5))?;
    /// let gap = block.distance_to_solid(&Pose::IDENTITY, (&peg, &above)).ok_or("no faces")?;
    /// assert!((gap.distance.lower - 0.5).abs() < 1e-12 && gap.distance.upper >= 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance_to_solid(&self, pose: &Pose, solid: (&Solid, &Pose)) -> Option<SolidGap> {
        let placed = solid.0.placed(solid.1);
        let body = self.placed(pose);
        let measure =
            |face: u32| SolidGap { distance: placed.distance(&body.triangle(face)), face };
        // From the solid to the closest face of a point, and back to a point of the solid, for a small upper bound.
        let mut best: Option<SolidGap> = None;
        let mut from = placed.origin();
        for _ in 0..3 {
            let floor = f64::NEG_INFINITY;
            let nearest = with_scratch(|scratch| self.nearest_beyond(pose, from, floor, scratch))?;
            let found = measure(nearest.face);
            if best.is_some_and(|best| found.distance.upper >= best.distance.upper) {
                break;
            }
            from = found.distance.on_solid;
            best = Some(found);
        }
        let mut best = best?;
        if best.distance.lower <= 0.0 {
            // Of all faces that touch, the first.
            self.visit_touching(pose, &placed, &mut |face| {
                best.face = best.face.min(face);
                ControlFlow::Continue(())
            });
            return Some(SolidGap { face: best.face, ..measure(best.face) });
        }
        let limit = best.distance.upper * (1.0 + 1e-12);
        let order = |gap: &SolidGap| (gap.distance.upper, gap.face);
        // A bound for all faces: those that are not visited are farther than the limit.
        let mut lower = best.distance.lower;
        self.visit_near_placed(pose, &placed, limit, &mut |face, _| {
            let found = measure(face);
            lower = lower.min(found.distance.lower);
            if order(&found) < order(&best) {
                best = found;
            }
            ControlFlow::Continue(())
        });
        best.distance.lower = lower;
        Some(best)
    }

    /// Visits the faces that a solid touches, in any order, until `visit` returns `Break`.
    pub(crate) fn visit_touching(
        &self,
        pose: &Pose,
        solid: &PlacedSolid,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        self.visit_near_placed(
            pose,
            solid,
            0.0,
            &mut |face, triangle| match solid.touches(triangle) {
                true => visit(face),
                false => ControlFlow::Continue(()),
            },
        );
    }

    /// Visits all faces that are within a distance of a solid, as [`PlacedSolid`] decides, and possibly others.
    fn visit_near_placed(
        &self,
        pose: &Pose,
        solid: &PlacedSolid,
        distance: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
    ) {
        let body = self.placed(pose);
        let Some((center, radius)) = self.placed_sphere(pose) else { return };
        let reach = (center - solid.origin()).length() + radius + solid.reach();
        let region = solid.hull();
        let margin = region.margin() + distance + 2.0 * Solid::ERROR * reach;
        let mut visit = |face: u32| visit(face, &body.triangle(face));
        if !margin.is_finite() {
            let _ = (0..body.mesh.faces().len() as u32).try_for_each(visit);
            return;
        }
        with_solid_scratch(|scratch| {
            let region = region.enlarged(margin);
            body.prepared.faces_near_solid((body.mesh, pose), &region, scratch, &mut visit);
        });
    }
}

/// Calls a function with the calling thread's memory for searches with solids.
fn with_solid_scratch<R>(ask: impl FnOnce(&mut SolidScratch) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<SolidScratch> = RefCell::default();
    }
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => ask(&mut scratch),
        // A method of the caller's own has called in here again.
        Err(_) => ask(&mut SolidScratch::default()),
    })
}
