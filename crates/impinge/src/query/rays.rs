//! Rays and one shape: the first hit, and all hits.
//!
//! A method proposes faces that a ray may meet, and [`ray_hit`](crate::narrow::ray_hit) decides each. So every method
//! gives the same answer.

use super::{
    Shape,
    points::{for_each, with_scratch},
};
use crate::{
    Pose, Ray, Threads,
    method::PointScratch,
    narrow::{Triangle, ray_hit},
};

/// Where a ray meets a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The parameter of the first point on the face, which is [`Ray::at`] this.
    pub t: f64,
    /// The face.
    pub face: u32,
}

impl RayHit {
    /// Whether it comes before another: by parameter, and by face number where that is the same.
    fn is_before(&self, other: &Self) -> bool {
        (self.t, self.face) < (other.t, other.face)
    }
}

impl Shape {
    /// Returns where a ray first meets the surface placed by a pose; `None` if it meets no face.
    ///
    /// Exact for the corners as placed: an edge or a corner counts as any other point of a face, so no ray slips
    /// through a closed mesh, and a face seen edge-on is hit too. The parameter is within a relative 1e-12 of the true
    /// one, and 0 exactly if the ray starts on a face. Of several faces with the same parameter, as computed, the one
    /// with the lowest number is named. For the other faces see [`cast_ray_all`](Self::cast_ray_all).
    ///
    /// ```
    /// use impinge::{Pose, Ray, Shape, generate, glam::DVec3};
    ///
    /// let ball = Shape::new(generate::sphere(960)?);
    /// let ray = Ray::new(DVec3::new(0.0, 0.0, 5.0), DVec3::NEG_Z)?;
    /// let hit = ball.cast_ray(&Pose::IDENTITY, &ray).ok_or("a miss")?;
    /// assert_eq!(hit.t, 4.0); // at the pole, a corner of many faces
    /// assert!(ball.cast_ray(&Pose::IDENTITY, &ray.up_to(3.0)?).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(&self, pose: &Pose, ray: &Ray) -> Option<RayHit> {
        let mut first: Option<RayHit> = None;
        with_scratch(|scratch| {
            self.visit_along(pose, ray, scratch, |face, triangle| {
                if let Some(t) = ray_hit(ray, triangle) {
                    let hit = RayHit { t, face };
                    if first.is_none_or(|first| hit.is_before(&first)) {
                        first = Some(hit);
                    }
                }
                first.map_or(f64::INFINITY, |first| first.t)
            });
        });
        first
    }

    /// Returns where each of many rays first meets the surface, in their order, as [`cast_ray`](Self::cast_ray) does.
    pub fn cast_rays(&self, pose: &Pose, rays: &[Ray], threads: Threads) -> Vec<Option<RayHit>> {
        for_each(rays, threads, |ray| self.cast_ray(pose, ray))
    }

    /// Returns where a ray meets each face of the surface placed by a pose: one hit for each face that it meets, sorted
    /// by parameter, and by face number where that is the same.
    ///
    /// A ray through an edge or a corner that faces share hits all of them. Parameters are as for
    /// [`cast_ray`](Self::cast_ray), which returns the first of these hits.
    pub fn cast_ray_all(&self, pose: &Pose, ray: &Ray) -> Vec<RayHit> {
        let mut hits = Vec::new();
        with_scratch(|scratch| {
            self.visit_along(pose, ray, scratch, |face, triangle| {
                hits.extend(ray_hit(ray, triangle).map(|t| RayHit { t, face }));
                f64::INFINITY
            });
        });
        hits.sort_unstable_by(|p, q| p.t.total_cmp(&q.t).then(p.face.cmp(&q.face)));
        hits
    }

    /// Visits placed faces that a ray may meet; see
    /// [`Prepared::faces_along_ray`](crate::method::Prepared::faces_along_ray).
    pub(super) fn visit_along(
        &self,
        pose: &Pose,
        ray: &Ray,
        scratch: &mut PointScratch,
        mut visit: impl FnMut(u32, &Triangle) -> f64,
    ) {
        let body = self.placed(pose);
        let mut visit = |face: u32| visit(face, &body.triangle(face));
        body.prepared.faces_along_ray((body.mesh, pose), ray, scratch, &mut visit);
    }
}
