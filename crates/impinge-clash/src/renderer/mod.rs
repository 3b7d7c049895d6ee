//! Pictures of parts, drawn in software: no window, no graphics card, the same bytes everywhere.
//!
//! A [`Scene`] has parts that are solid or glass, and marked faces in their own colours. [`render`] draws:
//! - solid parts: the nearest surface at every sample, darker where surfaces come close;
//! - glass over them: the nearest sheet of either kind, clear from the front and denser at the rim;
//! - lines where one part ends and another begins, and along the sharp edges of each part;
//! - marked faces behind solid parts, faintly;
//! - rings at points, on top of everything.
//!
//! All numbers come from `+ − × ÷ √` and `libm`, and one thread draws each sample in the order of the scene.
//! So neither the machine nor the number of threads changes a bit.

mod camera;
mod compose;
mod focus;
mod image;
mod normal;
mod occlusion;
mod project;
mod raster;
mod shape;
mod view;

pub(crate) use camera::{Camera, Lens, corners};
pub(crate) use focus::{Contact, Focus};
pub use image::Image;
pub(crate) use shape::Shape;
pub(crate) use view::{DIRECTIONS, Visibility, direction, visibility};

use impinge::{Pose, glam::DVec3};

/// Red, green and blue (sRGB).
pub(crate) type Color = [u8; 3];

/// The contents of a picture.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// The colours of marked faces.
    pub(crate) palette: Vec<Color>,
    pub(crate) rings: Vec<Ring>,
    /// The up direction: light comes from there.
    pub(crate) up: DVec3,
    /// The region in which marked faces have their own colour; `None` for everywhere.
    pub(crate) focus: Option<Focus>,
    /// How strongly marked faces show through solid parts, from 0 to 1.
    pub(crate) through: f32,
}

/// A placed part.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) shape: &'a Shape<'a>,
    pub(crate) placement: Pose,
    pub(crate) color: Color,
    pub(crate) material: Material,
    /// Marked faces in ascending order, each with the index of its colour. Marked faces are solid.
    pub(crate) marks: Vec<(u32, u8)>,
}

/// The material of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Material {
    Solid,
    Glass,
    /// Clearer glass that fades out towards the camera.
    Faint,
}

/// A ring around a point, with a dot in the middle; the radius is in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) point: DVec3,
    pub(crate) radius: f32,
    pub(crate) color: Color,
}

/// Samples per pixel along each axis.
const SAMPLES: usize = 2;

/// Draws a scene as a camera sees it.
pub(crate) fn render(scene: &Scene<'_>, camera: &Camera, width: usize, height: usize) -> Image {
    let mut image = compose::compose(scene, camera, width, height);
    for ring in &scene.rings {
        if let Some([x, y]) = camera.project(ring.point, width, height) {
            image.ring([x, y], ring.radius, ring.color);
        }
    }
    image
}
