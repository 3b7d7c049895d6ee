//! Points and one shape: the closest point of its surface, the faces within a distance, inside or outside.
//!
//! A method proposes faces that may be close, or that a ray may meet; `narrow` measures or decides each. So every
//! method gives the same answer. Clashes ask through here too, for measures that need not be as accurate.

use super::Shape;
use crate::{
    Pose, Ray, Threads, Tolerance,
    mesh::NotSolid,
    method::PointScratch,
    narrow::{Triangle, closest_to_point, distance_between, nearest_point, winding_along_x},
};
use glam::DVec3;
use rayon::prelude::*;
use std::cell::RefCell;

/// The point of a placed mesh that is closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestPoint {
    /// How far it is from the given point.
    pub distance: f64,
    /// Where it is, in world coordinates and rounded.
    pub point: DVec3,
    /// The face on which it lies.
    pub face: u32,
}

/// Where a point is with respect to a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointLocation {
    /// Neither inside nor on a face.
    Outside,
    /// On a face, or its edges and corners, even if that lies within another shell of the same mesh.
    OnSurface,
    /// Inside, and not on a face.
    Inside,
}

impl Shape {
    /// Returns the point of the surface, placed by a pose, that is closest to a point. `None` if the mesh has no
    /// faces, or a coordinate of the point is not finite.
    ///
    /// The distance is 0 exactly if the point lies on a face as placed, and otherwise within a relative 1e-12 of the
    /// truth. Of several faces at the same distance, as computed, the one with the lowest number is named.
    ///
    /// ```
    /// use impinge::{Pose, Shape, generate, glam::DVec3};
    ///
    /// let block = Shape::new(generate::cuboid(DVec3::splat(2.0))?);
    /// let nearest = block.nearest_point(&Pose::IDENTITY, DVec3::new(0.25, 0.5, 4.0)).ok_or("no faces")?;
    /// assert_eq!((nearest.distance, nearest.point), (3.0, DVec3::new(0.25, 0.5, 1.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_point(&self, pose: &Pose, point: DVec3) -> Option<NearestPoint> {
        let floor = f64::NEG_INFINITY;
        with_scratch(|scratch| self.nearest(pose, point, floor, scratch, certified_distance))
    }

    /// Returns the nearest point of the surface for each of many points, in their order, as
    /// [`nearest_point`](Self::nearest_point) does.
    pub fn nearest_points(
        &self,
        pose: &Pose,
        points: &[DVec3],
        threads: Threads,
    ) -> Vec<Option<NearestPoint>> {
        for_each(points, threads, |&point| self.nearest_point(pose, point))
    }

    /// Returns the numbers of the faces, placed by a pose, that are within a distance of a point, sorted.
    ///
    /// For a tolerance of 0 these are exactly the faces that the point lies on. Otherwise distances are compared as
    /// computed, to a relative 1e-12. No faces if a coordinate of the point is not finite.
    pub fn faces_within(&self, pose: &Pose, point: DVec3, tolerance: Tolerance) -> Vec<u32> {
        let mut faces = Vec::new();
        with_scratch(|scratch| {
            self.visit_near(pose, point, scratch, |face, triangle| {
                let tolerance = tolerance.get();
                if certified_distance(triangle, point, tolerance)
                    .is_some_and(|(d, _)| d <= tolerance)
                {
                    faces.push(face);
                }
                tolerance
            });
        });
        faces.sort_unstable();
        faces
    }

    /// Returns whether a point is inside, outside or on the surface of the solid that the faces, placed by a pose,
    /// enclose. Fails if they enclose none, because an edge has a face on one side only.
    ///
    /// Exact for the corners as placed, with no tolerance. A point is inside if the faces wind around it, whichever
    /// way they look: overlapping shells count as one solid, and a shell within another that looks the other way is a
    /// cavity. A point with a coordinate that is not finite is outside.
    ///
    /// The first call for a shape checks its edges, which takes time n log n.
    ///
    /// ```
    /// use impinge::{PointLocation, Pose, Shape, generate, glam::DVec3};
    ///
    /// let block = Shape::new(generate::cuboid(DVec3::splat(2.0))?);
    /// let locate = |x: f64| block.contains_point(&Pose::IDENTITY, DVec3::new(x, 0.0, 0.0));
    /// assert_eq!(locate(1.0_f64.next_down())?, PointLocation::Inside);
    /// assert_eq!(locate(1.0)?, PointLocation::OnSurface);
    /// assert_eq!(locate(1.0_f64.next_up())?, PointLocation::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains_point(&self, pose: &Pose, point: DVec3) -> Result<PointLocation, NotSolid> {
        self.check_solid()?;
        Ok(with_scratch(|scratch| match self.winding(pose, point, scratch) {
            None => PointLocation::OnSurface,
            Some(0) => PointLocation::Outside,
            Some(_) => PointLocation::Inside,
        }))
    }

    /// Returns where each of many points is, in their order, as [`contains_point`](Self::contains_point) does.
    pub fn contains_points(
        &self,
        pose: &Pose,
        points: &[DVec3],
        threads: Threads,
    ) -> Result<Vec<PointLocation>, NotSolid> {
        self.check_solid()?;
        for_each(points, threads, |&point| self.contains_point(pose, point)).into_iter().collect()
    }

    /// How often the placed faces wind around a point; `None` if it lies on one of them. Exact.
    ///
    /// 0 for points that are not finite. A number without a meaning if the faces enclose no solid.
    pub(crate) fn winding(
        &self,
        pose: &Pose,
        point: DVec3,
        scratch: &mut PointScratch,
    ) -> Option<i32> {
        let (mut winding, mut is_on) = (0, false);
        let Ok(ray) = Ray::new(point, DVec3::X) else { return Some(winding) };
        self.visit_along(pose, &ray, scratch, |_, triangle| {
            match winding_along_x(point, triangle) {
                Some(turns) => {
                    winding += turns;
                    f64::INFINITY
                }
                None => {
                    is_on = true;
                    f64::NEG_INFINITY
                }
            }
        });
        (!is_on).then_some(winding)
    }

    /// The point of the placed mesh that is closest to a point, unless one is within `floor` of it. Measured in plain
    /// floating point.
    pub(crate) fn nearest_beyond(
        &self,
        pose: &Pose,
        point: DVec3,
        floor: f64,
        scratch: &mut PointScratch,
    ) -> Option<NearestPoint> {
        self.nearest(pose, point, floor, scratch, |triangle, point, _| {
            let nearest = nearest_point(triangle, point);
            Some((distance_between(nearest, point), nearest))
        })
    }

    /// Visits all faces of the placed mesh that are within a distance of a point, measured in plain floating point.
    pub(crate) fn faces_roughly_within(
        &self,
        pose: &Pose,
        point: DVec3,
        distance: f64,
        scratch: &mut PointScratch,
        mut visit: impl FnMut(u32),
    ) {
        self.visit_near(pose, point, scratch, |face, triangle| {
            if distance_between(nearest_point(triangle, point), point) <= distance {
                visit(face);
            }
            distance
        });
    }

    /// Visits faces that may be close to a point, in the mesh's own coordinates, and none that is proven to be farther than
    /// `reach`: a search that starts from what was found a moment ago. After each face `visit` returns how close others must
    /// be to be of interest. None if the point is not finite.
    pub(crate) fn visit_within(
        &self,
        point: DVec3,
        reach: f64,
        scratch: &mut PointScratch,
        mut visit: impl FnMut(u32, &Triangle) -> f64,
    ) {
        if !point.is_finite() {
            return;
        }
        let body = self.placed(&Pose::IDENTITY);
        let mut visit = |face: u32| visit(face, &body.mesh.triangle(face));
        let placed = (body.mesh, body.pose);
        body.prepared.faces_near_point_within(placed, point, reach, scratch, &mut visit);
    }

    /// The closest face by a measure that returns how far a triangle is from a point, and where it is closest, or
    /// `None` if it is farther than a limit; `None` if a face is within `floor`.
    fn nearest(
        &self,
        pose: &Pose,
        point: DVec3,
        floor: f64,
        scratch: &mut PointScratch,
        measure: impl Fn(&Triangle, DVec3, f64) -> Option<(f64, DVec3)>,
    ) -> Option<NearestPoint> {
        let mut best: Option<NearestPoint> = None;
        let mut limit = f64::INFINITY;
        self.visit_near(pose, point, scratch, |face, triangle| {
            let Some((distance, nearest)) = measure(triangle, point, limit) else { return limit };
            if best.is_none_or(|best| (distance, face) < (best.distance, best.face)) {
                best = Some(NearestPoint { distance, point: nearest, face });
                // Nothing else matters once a face is that close.
                limit = if distance <= floor { f64::NEG_INFINITY } else { distance };
            }
            limit
        });
        best.filter(|best| best.distance > floor)
    }

    /// Visits placed faces that may be close to a point; see
    /// [`Prepared::faces_near_point`](crate::method::Prepared::faces_near_point). None if the point is not finite.
    fn visit_near(
        &self,
        pose: &Pose,
        point: DVec3,
        scratch: &mut PointScratch,
        mut visit: impl FnMut(u32, &Triangle) -> f64,
    ) {
        if !point.is_finite() {
            return;
        }
        let body = self.placed(pose);
        let mut visit = |face: u32| visit(face, &body.triangle(face));
        body.prepared.faces_near_point((body.mesh, pose), point, scratch, &mut visit);
    }
}

/// How far a triangle is from a point, to a relative 1e-12, and where it is closest; `None` if it is farther than a
/// limit, also as computed.
fn certified_distance(triangle: &Triangle, point: DVec3, limit: f64) -> Option<(f64, DVec3)> {
    let closest = closest_to_point(triangle, point, limit)?;
    Some((closest.distance, closest.a))
}

/// Calls a function with the calling thread's memory for queries about points and rays.
pub(super) fn with_scratch<R>(ask: impl FnOnce(&mut PointScratch) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<PointScratch> = const { RefCell::new(PointScratch::new()) };
    }
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => ask(&mut scratch),
        // A method of the caller's own has called in here again.
        Err(_) => ask(&mut PointScratch::new()),
    })
}

/// Asks about each of many items, and returns the answers in the same order.
pub(super) fn for_each<T: Sync, R: Send>(
    items: &[T],
    threads: Threads,
    ask: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    /// Enough for a thread that taking them costs nothing.
    const PART: usize = 32;
    match threads {
        Threads::One => items.iter().map(ask).collect(),
        Threads::Pool => items.par_iter().with_min_len(PART).map(ask).collect(),
    }
}
