//! Which points lie inside the solid that a mesh encloses, for other crates.

use super::{
    solid::{Location, Solid},
    surface::Surface,
};
use crate::{Pose, Shape, method::PointScratch};
use glam::DVec3;

/// The solid that the faces of a shape enclose, with gaps and other faults of the file mended as for a clash check.
///
/// ```
/// use impinge::{Shape, clash::Enclosure, generate, glam::DVec3};
///
/// let block = Enclosure::new(&Shape::new(generate::cuboid(DVec3::splat(2.0))?));
/// assert!(block.is_solid());
/// assert!(block.contains(DVec3::splat(0.9)) && !block.contains(DVec3::splat(1.1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Enclosure {
    shape: Shape,
    solid: Solid,
}

impl Enclosure {
    /// Finds the solid, which takes time n log n.
    pub fn new(shape: &Shape) -> Self {
        let mesh = shape.mesh();
        Self { shape: shape.clone(), solid: Solid::new(mesh, &Surface::new(mesh)) }
    }

    /// Whether any faces enclose a solid. If not, the surface is open, and no point is inside.
    pub fn is_solid(&self) -> bool {
        self.solid.is_solid
    }

    /// The width of the widest gap that was mended; 0 if there is none.
    pub fn gap(&self) -> f64 {
        self.solid.gap
    }

    /// The area of the holes that had to be closed, and of faces that enclose nothing, relative to the area of all faces.
    pub fn open_share(&self) -> f64 {
        self.solid.open_share
    }

    /// Whether a point is inside, in the coordinates of the mesh. If holes of the surface leave that open, it counts as inside.
    pub fn contains(&self, point: DVec3) -> bool {
        self.contains_with(point, &mut PointScratch::default())
    }

    /// The same, with memory that is reused from call to call.
    pub fn contains_with(&self, point: DVec3, scratch: &mut PointScratch) -> bool {
        let placed = (&self.shape, &Pose::IDENTITY);
        self.solid.locate(placed, point, 0.0, scratch) != Location::Outside
    }
}
