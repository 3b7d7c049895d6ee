//! A part placed by its pose, and the data prepared once for each mesh. Used by all of the clash
//! check.

use super::{
    Tessellation,
    solid::{Location, Solid},
    surface::Surface,
};
use crate::{Bounds, Mesh, Pose, Shape, method::PointScratch, narrow::Triangle};
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// A mesh with its search structure, shared by all parts that use the mesh. [`Finder`](super::Finder)s that are made one
/// after another can share it, too: see [`Finder::from_prepared`](super::Finder::from_prepared).
#[derive(Debug)]
pub struct PreparedMesh {
    pub(super) shape: Shape,
    bounds: Bounds,
    /// The area of all faces, and its centroid. They do not depend on the triangles.
    area: f64,
    middle: DVec3,
    /// Computed on first use: a part that is near no other does not need them.
    surface: OnceLock<Surface>,
    solid: OnceLock<Solid>,
}

impl PreparedMesh {
    /// Builds the search structure.
    pub fn new(mesh: Arc<Mesh>) -> Self {
        let bounds = mesh.bounds();
        let origin = bounds.center();
        let (mut area, mut sum) = (0.0, DVec3::ZERO);
        for [p, q, r] in mesh.triangles() {
            let own = 0.5 * (q - p).cross(r - p).length();
            area += own;
            sum += ((p - origin) + (q - origin) + (r - origin)) * (own / 3.0);
        }
        let middle = if area > 0.0 { origin + sum / area } else { origin };
        let (surface, solid) = (OnceLock::new(), OnceLock::new());
        Self { shape: Shape::new(mesh), bounds, area, middle, surface, solid }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<Mesh> {
        self.shape.mesh()
    }

    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// An estimate of the memory that the mesh and all that is prepared of it take, in bytes. It grows while parts
    /// are checked, because not every check needs everything.
    pub fn bytes(&self) -> usize {
        let mesh_bytes = |mesh: &Mesh| 24 * mesh.positions().len() + 12 * mesh.faces().len();
        let own = mesh_bytes(self.mesh());
        // The faces by position, those around each vertex, and the positions in use.
        let surface = self.surface.get().map_or(0, |_| 2 * own);
        let mended = self.known_solid().and_then(Solid::mended);
        let mended = mended.map_or(0, |shape| mesh_bytes(shape.mesh()) + shape.bytes());
        own + self.shape.bytes() + surface + mended
    }

    /// The solid, if it was needed.
    pub(super) fn known_solid(&self) -> Option<&Solid> {
        self.solid.get()
    }
}

/// A part with its pose and its placed box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'h> {
    pub(super) prepared: &'h PreparedMesh,
    pub(super) pose: &'h Pose,
    /// Encloses the placed mesh.
    pub(super) bounds: &'h Bounds,
    pub(super) tessellation: &'h Tessellation,
    /// The largest deviation of a face.
    pub(super) largest_deviation: f64,
    /// The widest gap with which the part counts as closed.
    pub(super) band: f64,
}

impl<'h> Placed<'h> {
    /// The shape and the pose, as queries take them.
    pub(super) fn body(&self) -> (&'h Shape, &'h Pose) {
        (&self.prepared.shape, self.pose)
    }

    pub(super) fn mesh(&self) -> &'h Mesh {
        self.prepared.shape.mesh()
    }

    /// The length of the diagonal of the mesh's box.
    pub(super) fn size(&self) -> f64 {
        self.mesh().bounds().size().length()
    }

    pub(super) fn area(&self) -> f64 {
        self.prepared.area
    }

    /// The centroid of the placed surface.
    pub(super) fn middle(&self) -> DVec3 {
        self.pose.place(self.prepared.middle)
    }

    pub(super) fn surface(&self) -> &'h Surface {
        self.prepared.surface.get_or_init(|| Surface::new(self.mesh()))
    }

    pub(super) fn solid(&self) -> &'h Solid {
        self.prepared.solid.get_or_init(|| Solid::new(self.mesh(), self.surface()))
    }

    /// Whether the part encloses a solid, without gaps wider than its touch band.
    pub(super) fn is_closed(&self) -> bool {
        self.solid().is_closed(self.band)
    }

    /// Where a point lies with respect to the part's solid.
    pub(super) fn locate(&self, point: DVec3, scratch: &mut PointScratch) -> Location {
        if !self.bounds.contains(point) {
            return Location::Outside;
        }
        self.solid().locate(self.body(), point, self.band, scratch)
    }

    pub(super) fn is_inside(&self, point: DVec3, scratch: &mut PointScratch) -> bool {
        self.locate(point, scratch) == Location::Inside
    }

    /// The placed corners of a face.
    pub(super) fn triangle(&self, face: u32) -> Triangle {
        self.pose.place_triangle(self.mesh().triangle(face))
    }

    /// The placed position of a vertex.
    pub(super) fn vertex(&self, vertex: u32) -> DVec3 {
        self.pose.place(self.mesh().positions()[vertex as usize])
    }

    /// The placed positions of all vertices that faces use, some of them several times.
    pub(super) fn vertices(&self) -> impl Iterator<Item = DVec3> + use<'h> {
        let (mesh, pose) = (self.mesh(), self.pose);
        let faces = mesh.faces().iter().flatten();
        faces.map(move |&vertex| pose.place(mesh.positions()[vertex as usize]))
    }

    /// The least and the largest coordinate of the placed part along a direction.
    pub(super) fn interval(&self, direction: DVec3) -> [f64; 2] {
        // In the part's own frame, so that only the mesh is read.
        let own = self.pose.rotation().transpose() * direction;
        let shift = direction.dot(self.pose.translation());
        let [low, high] = self.surface().interval(own);
        [low + shift, high + shift]
    }
}
