//! Compares viewing directions by how much they show of the marked faces.

use super::{
    Camera, Scene, focus,
    raster::{Layers, Sample},
};
use impinge::glam::DVec3;

/// Size of trial pictures.
const TRIAL: [usize; 2] = [120, 80];

/// Approximate number of faces drawn in a trial; larger scenes are thinned out.
const TRIAL_FACES: usize = 60_000;

/// How much of the marked faces is visible, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visibility {
    /// Samples at which a marked face is in front.
    pub(crate) open: usize,
    /// Samples at which there is a marked face, hidden or not.
    pub(crate) all: usize,
}

/// Viewing directions as (turn, rise, worth): the rotation and elevation in degrees, and the weight of the
/// direction. People prefer to look from above at an angle; exactly along an axis, faces become lines.
pub(crate) const DIRECTIONS: [(f64, f64, f64); 26] = [
    // All around. The front right comes first: it wins ties.
    (30.0, 28.0, 1.0),
    (-30.0, 28.0, 1.0),
    (60.0, 28.0, 1.0),
    (-60.0, 28.0, 1.0),
    (120.0, 28.0, 1.0),
    (-120.0, 28.0, 1.0),
    (150.0, 28.0, 1.0),
    (-150.0, 28.0, 1.0),
    // From higher above.
    (40.0, 55.0, 0.95),
    (-40.0, 55.0, 0.95),
    (140.0, 55.0, 0.95),
    (-140.0, 55.0, 0.95),
    // Nearly along an axis: into holes and between teeth.
    (8.0, 10.0, 0.75),
    (-8.0, 10.0, 0.75),
    (82.0, 10.0, 0.75),
    (98.0, 10.0, 0.75),
    (172.0, 10.0, 0.75),
    (-172.0, 10.0, 0.75),
    (-82.0, 10.0, 0.75),
    (-98.0, 10.0, 0.75),
    (15.0, 80.0, 0.7),
    // From below.
    (40.0, -28.0, 0.5),
    (-40.0, -28.0, 0.5),
    (140.0, -28.0, 0.5),
    (-140.0, -28.0, 0.5),
    (15.0, -80.0, 0.4),
];

/// Returns the viewing direction of a camera that stands turned and raised by these angles from the front.
pub(crate) fn direction((turn, rise, _): (f64, f64, f64), up: DVec3) -> DVec3 {
    // The front is −y if z is up, and z if y is up.
    let front = if up == DVec3::Y { DVec3::Z } else { DVec3::NEG_Y };
    let side = up.cross(front);
    let (turn, rise) = (turn.to_radians(), rise.to_radians());
    let level = front * libm::cos(turn) + side * libm::sin(turn);
    -(level * libm::cos(rise) + up * libm::sin(rise))
}

/// Returns how much of the marked faces a camera sees.
pub(crate) fn visibility(scene: &Scene<'_>, camera: &Camera) -> Visibility {
    let faces: usize = scene.items.iter().map(|item| item.shape.face_count()).sum();
    let stride = faces.div_ceil(TRIAL_FACES).max(1);
    let [width, height] = TRIAL;
    let layers = Layers::draw(scene, camera, width, height, stride);
    let focus = scene.focus.as_ref().map(|focus| focus::CameraFocus::new(focus, camera, TRIAL));
    let counts = |(at, sample): &(usize, &Sample)| {
        let share =
            |focus: &focus::CameraFocus<'_>| focus.share(at % width, at / width, sample.depth);
        sample.mark().is_some() && focus.as_ref().is_none_or(|focus| share(focus) > 0.5)
    };
    let open = layers.solid.samples.iter().enumerate().filter(counts).count();
    let all = layers.marked.samples.iter().enumerate().filter(counts).count();
    Visibility { open, all }
}
