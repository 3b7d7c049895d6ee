//! What a method prepares of a mesh, and ways to prepare one.

use super::{Method, Search, save::TreeFileError};
use crate::{Mesh, Pose, Threads, narrow::nearest_point};
use glam::DVec3;
use std::{any::Any, fmt, sync::Arc};

/// What a method prepared of one mesh.
///
/// It is made once and never changed, so that any number of shapes, pairs, worlds and threads share
/// it. It knows the mesh's faces by number only and serves at any pose. A query gives it the mesh
/// again where positions are needed.
///
/// A method that prepares nothing has an empty type for this.
pub trait Prepared: Any + fmt::Debug + Send + Sync {
    /// How many bytes it holds. The mesh itself is not counted.
    fn bytes(&self) -> usize;

    /// A new search of two bodies that this method prepared.
    fn new_search(&self) -> Box<dyn Search>;

    /// This structure as bytes, from which the method's [loader](super::MethodInfo::loader) makes it
    /// again; `None` for a method that cannot be saved.
    fn to_bytes(&self, _mesh: &Mesh) -> Option<Vec<u8>> {
        None
    }

    /// This structure fitted to a mesh with the same faces at other positions; `None` for a method
    /// that has no faster way to do so than to prepare the mesh anew.
    fn refitted(self: Arc<Self>, _mesh: &Mesh) -> Option<Arc<dyn Prepared>> {
        None
    }

    /// The point of the placed mesh that is closest to a point, unless one is within `floor` of it.
    /// Of several faces that are equally close, the one with the lowest number.
    fn nearest_beyond(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        floor: f64,
        _scratch: &mut PointScratch,
    ) -> Option<NearestPoint> {
        let faces = 0..mesh.faces().len() as u32;
        let measured = faces.map(|face| NearestPoint::of_face((mesh, pose), face, point));
        let nearest = measured.min_by(|p, q| p.distance.total_cmp(&q.distance));
        nearest.filter(|nearest| nearest.distance > floor)
    }

    /// Visits the faces of the placed mesh whose distance to a point, as computed, is at most
    /// `distance`. In any order.
    fn faces_within(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        distance: f64,
        _scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32),
    ) {
        for face in 0..mesh.faces().len() as u32 {
            if NearestPoint::of_face((mesh, pose), face, point).distance <= distance {
                visit(face);
            }
        }
    }

    /// Visits all faces of the placed mesh that the segment from a point along the world's x axis
    /// meets, which is `distance` long; and possibly others. In any order.
    fn faces_along_x(
        &self,
        (mesh, _pose): (&Mesh, &Pose),
        _point: DVec3,
        _distance: f64,
        _scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32),
    ) {
        (0..mesh.faces().len() as u32).for_each(visit);
    }
}

/// The point of a mesh that is closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// How far it is from the given point.
    pub distance: f64,
    /// Where it is, in world coordinates and rounded.
    pub point: DVec3,
    /// The face on which it lies.
    pub face: u32,
}

impl NearestPoint {
    /// The point of one placed face that is closest to a point.
    pub(crate) fn of_face((mesh, pose): (&Mesh, &Pose), face: u32, point: DVec3) -> Self {
        let nearest = nearest_point(&pose.place_triangle(mesh.triangle(face)), point);
        Self { distance: nearest.distance(point), point: nearest, face }
    }
}

/// Memory for point queries, reused from query to query so that none allocates once warm: nodes yet to
/// be visited, each with a lower bound of its distance.
#[derive(Debug, Default)]
pub struct PointScratch {
    pub(crate) stack: Vec<(f64, u32)>,
}

/// A way to prepare a mesh: a [`Method`], or the options of one.
pub trait Recipe {
    /// The method.
    fn method(&self) -> Method;

    /// Prepares a mesh by the method.
    fn prepare(&self, mesh: &Mesh) -> Arc<dyn Prepared>;
}

/// A method with its default options, on one thread.
impl Recipe for Method {
    fn method(&self) -> Method {
        *self
    }

    fn prepare(&self, mesh: &Mesh) -> Arc<dyn Prepared> {
        self.build(mesh, Threads::One)
    }
}

/// Why what was prepared of one mesh cannot be fitted to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the shape was prepared from {expected} faces, but the mesh has {found}")]
pub struct RefitError {
    /// How many faces the shape was prepared from.
    pub expected: usize,
    /// How many faces the mesh has.
    pub found: usize,
}

/// How a saved structure is loaded: see [`MethodInfo::loader`](super::MethodInfo::loader).
pub type Load = fn(&[u8], &Mesh) -> Result<Arc<dyn Prepared>, TreeFileError>;
