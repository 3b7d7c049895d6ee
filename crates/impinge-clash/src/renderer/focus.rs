//! The focus of a picture: marked faces may be large, but only the region of the clash should stand out.

use super::{Camera, raster::Layers};
use impinge::{
    Bounds,
    glam::{DVec3, Mat3, Vec3},
};

/// The share of its colour that a marked face keeps far away from the focus.
const MIN_SHARE: f32 = 0.25;

/// An ellipsoid around a box, with a soft border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Focus {
    pub(crate) bounds: Bounds,
    pub(crate) softness: f64,
}

/// A focus in the camera's frame.
pub(super) struct CameraFocus {
    /// Rotation from the camera's frame to the axes of the box.
    turn: Mat3,
    center: Vec3,
    /// Inverse half axes of the ellipsoid on which a face has lost half of its colour.
    per_half: Vec3,
    focal: f32,
    middle: [f32; 2],
}

impl CameraFocus {
    pub(super) fn new(focus: &Focus, camera: &Camera, layers: &Layers) -> Self {
        let scale = 1.0 / camera.distance;
        let half = focus.bounds.size() * 0.5 + DVec3::splat(focus.softness);
        let center = camera.rotation() * (focus.bounds.center() - camera.eye) * scale;
        Self {
            turn: camera.rotation().transpose().as_mat3(),
            center: center.as_vec3(),
            per_half: (half * scale).as_vec3().max(Vec3::splat(1e-6)).recip(),
            focal: camera.focal(layers.height) as f32,
            middle: [layers.width as f32 * 0.5, layers.height as f32 * 0.5],
        }
    }

    /// Returns how much the surface at a sample is in focus: 1 inside, decreasing towards [`MIN_SHARE`] outside.
    pub(super) fn share(&self, x: usize, y: usize, depth: f32) -> f32 {
        let across = (x as f32 + 0.5 - self.middle[0]) / self.focal;
        let along = (self.middle[1] - y as f32 - 0.5) / self.focal;
        let from_center = self.turn * (Vec3::new(across, along, 1.0) / depth - self.center);
        let away = (from_center * self.per_half).length();
        let near = ((1.5 - away) * 1.25).clamp(0.0, 1.0);
        MIN_SHARE + (1.0 - MIN_SHARE) * near * near * (3.0 - 2.0 * near)
    }
}
