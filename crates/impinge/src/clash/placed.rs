//! A part where it stands, and what is known of its mesh.

use super::surface::Surface;
use crate::{Bounds, Mesh, Pose, Shape, narrow::Triangle};
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// A mesh with all that is prepared of it, shared by the parts that show it.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) shape: Shape,
    /// The mean of all corners of faces.
    mean: DVec3,
    /// Made when first asked for: parts that are near no other do not need it.
    surface: OnceLock<Surface>,
}

impl Form {
    pub(super) fn new(mesh: Arc<Mesh>) -> Self {
        let origin = mesh.bounds().min;
        let sum: DVec3 = mesh.triangles().flatten().map(|corner| corner - origin).sum();
        let mean = origin + sum / (3 * mesh.faces().len()).max(1) as f64;
        Self { shape: Shape::new(mesh), mean, surface: OnceLock::new() }
    }

    /// Whether it is known to be open: only what was looked at is.
    pub(super) fn is_known_open(&self) -> bool {
        self.surface.get().is_some_and(|surface| !surface.is_closed)
    }

    pub(super) fn placed<'f>(&'f self, pose: &'f Pose, bounds: &'f Bounds) -> Placed<'f> {
        Placed { form: self, pose, bounds }
    }
}

/// A part where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'h> {
    form: &'h Form,
    pub(super) pose: &'h Pose,
    /// All of it is in here.
    pub(super) bounds: &'h Bounds,
}

impl<'h> Placed<'h> {
    /// As queries take it.
    pub(super) fn body(&self) -> (&'h Shape, &'h Pose) {
        (&self.form.shape, self.pose)
    }

    pub(super) fn mesh(&self) -> &'h Mesh {
        self.form.shape.mesh()
    }

    pub(super) fn surface(&self) -> &'h Surface {
        self.form.surface.get_or_init(|| Surface::new(self.mesh()))
    }

    /// The mean of all corners of faces, to within rounding.
    pub(super) fn mean(&self) -> DVec3 {
        self.pose.place(self.form.mean)
    }

    /// Where a face is.
    pub(super) fn triangle(&self, face: u32) -> Triangle {
        self.mesh().triangle(face).map(|corner| self.pose.place(corner))
    }

    /// Where a vertex is.
    pub(super) fn vertex(&self, vertex: u32) -> DVec3 {
        self.pose.place(self.mesh().positions()[vertex as usize])
    }
}
