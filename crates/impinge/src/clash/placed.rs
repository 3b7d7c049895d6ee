//! A part placed by its pose, and the data prepared once for each mesh. Used by all of the clash
//! check.

use super::surface::Surface;
use crate::{Bounds, Mesh, Pose, Shape, narrow::Triangle};
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// A mesh with its search structure, shared by all parts that use the mesh.
#[derive(Debug)]
pub(super) struct PreparedMesh {
    pub(super) shape: Shape,
    /// The mean of the corners of all faces.
    mean: DVec3,
    /// Computed on first use: a part that is near no other does not need it.
    surface: OnceLock<Surface>,
}

impl PreparedMesh {
    pub(super) fn new(mesh: Arc<Mesh>) -> Self {
        let origin = mesh.bounds().min;
        let sum: DVec3 = mesh.triangles().flatten().map(|corner| corner - origin).sum();
        let mean = origin + sum / (3 * mesh.faces().len()).max(1) as f64;
        Self { shape: Shape::new(mesh), mean, surface: OnceLock::new() }
    }

    /// Whether the surface has been computed and is open.
    pub(super) fn is_known_open(&self) -> bool {
        self.surface.get().is_some_and(|surface| !surface.is_closed)
    }

    pub(super) fn placed<'f>(&'f self, pose: &'f Pose, bounds: &'f Bounds) -> Placed<'f> {
        Placed { prepared: self, pose, bounds }
    }
}

/// A part with its pose and its placed box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'h> {
    prepared: &'h PreparedMesh,
    pub(super) pose: &'h Pose,
    /// Encloses the placed mesh.
    pub(super) bounds: &'h Bounds,
}

impl<'h> Placed<'h> {
    /// The shape and the pose, as queries take them.
    pub(super) fn body(&self) -> (&'h Shape, &'h Pose) {
        (&self.prepared.shape, self.pose)
    }

    pub(super) fn mesh(&self) -> &'h Mesh {
        self.prepared.shape.mesh()
    }

    pub(super) fn surface(&self) -> &'h Surface {
        self.prepared.surface.get_or_init(|| Surface::new(self.mesh()))
    }

    /// The mean of the corners of all faces as placed, up to rounding.
    pub(super) fn mean(&self) -> DVec3 {
        self.pose.place(self.prepared.mean)
    }

    /// The placed corners of a face.
    pub(super) fn triangle(&self, face: u32) -> Triangle {
        self.pose.place_triangle(self.mesh().triangle(face))
    }

    /// The placed position of a vertex.
    pub(super) fn vertex(&self, vertex: u32) -> DVec3 {
        self.pose.place(self.mesh().positions()[vertex as usize])
    }
}
