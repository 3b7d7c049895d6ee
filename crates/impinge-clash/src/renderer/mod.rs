//! Pictures of parts, drawn in software: no window, no graphics card, the same bytes everywhere.
//!
//! A [`Scene`] is parts that are solid or glass, with some faces marked in a colour of their own. What
//! is drawn ([`render`]):
//! - solid parts, the nearest surface at every place, with shades where surfaces come close;
//! - over them glass, the nearest sheet of either kind, clear from the front and denser along the rim;
//! - lines where one part ends and another begins, and along the sharp edges of each;
//! - marked faces that something solid hides, faintly through it;
//! - rings at points, on top of all.
//!
//! All numbers come from `+ − × ÷ √` and `libm`, and every place is drawn by one thread in the order of
//! the scene, so neither the machine nor the number of threads changes a bit.

mod camera;
mod compose;
mod focus;
mod horizon;
mod image;
mod normal;
mod occlusion;
mod project;
mod raster;
mod shape;
mod view;

pub(crate) use camera::{Camera, Lens, corners};
pub(crate) use focus::Focus;
pub use image::Image;
pub(crate) use shape::Shape;
pub(crate) use view::{DIRECTIONS, Visibility, direction, visibility};

use impinge::{Pose, glam::DVec3};
use raster::Layers;

/// Red, green and blue, as screens have them (sRGB).
pub(crate) type Color = [u8; 3];

/// What is to be drawn.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// The colours of marked faces.
    pub(crate) palette: Vec<Color>,
    pub(crate) rings: Vec<Ring>,
    /// Where light comes from above.
    pub(crate) up: DVec3,
    /// Where marked faces have all of their colour; `None` for everywhere.
    pub(crate) focus: Option<Focus>,
    /// How much of a marked face shows through something solid before it.
    pub(crate) through: f32,
}

/// A part, somewhere.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) shape: &'a Shape<'a>,
    pub(crate) placement: Pose,
    pub(crate) color: Color,
    pub(crate) look: Look,
    /// Faces in colours of their own, in order, with the number of the colour. They are solid.
    pub(crate) marks: Vec<(u32, u8)>,
}

/// What a part is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Solid,
    Glass,
    /// Clearer glass, which fades away the nearer it is to the camera.
    Faint,
}

/// A ring around a point, in pixels, with a dot in the middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) point: DVec3,
    pub(crate) radius: f32,
    pub(crate) color: Color,
}

/// How many samples a side every pixel has.
const SAMPLES: usize = 2;

/// Draws a scene as a camera sees it.
pub(crate) fn render(scene: &Scene<'_>, camera: &Camera, width: usize, height: usize) -> Image {
    let layers = Layers::draw(scene, camera, width * SAMPLES, height * SAMPLES, 1);
    let mut image = compose::compose(scene, camera, &layers, width, height);
    for ring in &scene.rings {
        if let Some([x, y]) = camera.project(ring.point, width, height) {
            image.ring([x, y], ring.radius, ring.color);
        }
    }
    image
}
