//! Where a picture is taken from.

use impinge::{
    Bounds, Pose,
    glam::{DMat3, DVec3},
};

/// How much larger a picture is than what is framed.
const MARGIN: f64 = 1.07;

/// A camera with perspective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    /// Where it looks: of length 1.
    pub(crate) direction: DVec3,
    /// What is above in the picture: of length 1, at a right angle to the direction.
    pub(crate) up: DVec3,
    /// How far the middle of what is framed is away.
    pub(crate) distance: f64,
    /// What is nearer than this share of the distance is left out.
    pub(crate) near: f64,
    pub(crate) lens: Lens,
}

/// How wide a camera looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lens {
    /// The angle between the lower and the upper edge of a picture, in degrees.
    pub(crate) field_of_view: f64,
    /// Width over height of the picture.
    pub(crate) aspect: f64,
}

impl Lens {
    /// Of half the field of view.
    fn tangent(&self) -> f64 {
        libm::tan((self.field_of_view * 0.5).to_radians())
    }
}

impl Camera {
    /// A camera that looks along a direction and has all of some points in its picture, as large as
    /// they can be. A direction along `up` is no harm, nor is a single point.
    pub(crate) fn framing(
        points: impl IntoIterator<Item = DVec3>,
        direction: DVec3,
        up: DVec3,
        lens: Lens,
    ) -> Self {
        let direction = direction.normalize_or(DVec3::NEG_Z);
        let mut right = direction.cross(up);
        if right.length() < 1e-6 {
            right = direction.any_orthonormal_vector();
        }
        let right = right.normalize();
        let up = right.cross(direction);

        // The picture's four sides are planes through the eye. How far each has to be moved out to have
        // the points within gives two wedges, of which the eye is at the further edge.
        let along = lens.tangent() / MARGIN;
        let across = along * lens.aspect;
        let mut sides = [f64::NEG_INFINITY; 4];
        let (mut near, mut far) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut size: f64 = 0.0;
        for point in points {
            let [x, y, z] = [right, up, direction].map(|axis| axis.dot(point));
            let beyond = [x - across * z, -x - across * z, y - along * z, -y - along * z];
            sides = std::array::from_fn(|side| sides[side].max(beyond[side]));
            (near, far) = (near.min(z), far.max(z));
            size = size.max(point.abs().max_element());
        }
        if near > far {
            return Self::framing([DVec3::ZERO], direction, up, lens);
        }
        let back = [(sides[0] + sides[1]) / across, (sides[2] + sides[3]) / along];
        let [x, y] = [(sides[0] - sides[1]) * 0.5, (sides[2] - sides[3]) * 0.5];
        let z = -0.5 * back[0].max(back[1]);
        let middle = near * 0.5 + far * 0.5;
        // A point has no size: take it for something as large as numbers there can tell.
        let least = if size == 0.0 { 1.0 } else { (size * 1e-9).max(1e-150) };
        let distance = (middle - z).max((far - near) * 0.55).max(least);
        let eye = right * x + up * y + direction * (middle - distance);
        Self { eye, direction, up, distance, near: 0.02, lens }
    }

    /// The same camera, with what is nearer than this share of the distance left out.
    pub(crate) fn with_near(self, near: f64) -> Self {
        Self { near, ..self }
    }

    /// The same camera moved sideways, so that a point is in the middle of the picture.
    pub(crate) fn centered(self, point: DVec3) -> Self {
        let distance = (point - self.eye).dot(self.direction);
        Self { eye: point - self.direction * distance, ..self }
    }

    pub(crate) fn right(&self) -> DVec3 {
        self.direction.cross(self.up)
    }

    /// Turns into the camera's frame: to the right, up, and away from it.
    pub(crate) fn rotation(&self) -> DMat3 {
        DMat3::from_cols(self.right(), self.up, self.direction).transpose()
    }

    /// What takes a point of a body at a pose into the camera's frame, in which the middle of what is
    /// framed is at a distance of 1.
    pub(super) fn view_of(&self, placement: &Pose) -> (DMat3, DVec3) {
        let turn = self.rotation();
        let scale = 1.0 / self.distance;
        let linear = turn * placement.rotation() * scale;
        (linear, turn * (placement.translation() - self.eye) * scale)
    }

    /// Pixels from the middle of a picture for a unit across at a distance of 1.
    pub(super) fn focal(&self, height: usize) -> f64 {
        height as f64 * 0.5 / self.lens.tangent()
    }

    /// The place of a point in a picture; `None` for one behind the camera.
    pub(crate) fn project(&self, point: DVec3, width: usize, height: usize) -> Option<[f32; 2]> {
        let at = self.rotation() * (point - self.eye) / self.distance;
        let focal = self.focal(height) / at.z;
        let x = width as f64 * 0.5 + at.x * focal;
        let y = height as f64 * 0.5 - at.y * focal;
        (at.z > self.near && x.is_finite() && y.is_finite()).then_some([x as f32, y as f32])
    }

    /// How large a box is in a picture of such a height, in pixels; `None` for one that cannot be seen.
    pub(crate) fn size_of(&self, bounds: &Bounds, height: usize) -> Option<f64> {
        let middle = self.rotation() * (bounds.center() - self.eye) / self.distance;
        let radius = bounds.size().length() * 0.5 / self.distance;
        if bounds.is_empty() || middle.z + radius < self.near {
            return None;
        }
        // A ball is outside if it is beyond one of the four planes through the eye.
        let tangent = self.lens.tangent();
        let beyond = |across: f64, tangent: f64| {
            across.abs() - middle.z * tangent > radius * (1.0 + tangent * tangent).sqrt()
        };
        if beyond(middle.x, tangent * self.lens.aspect) || beyond(middle.y, tangent) {
            return None;
        }
        Some(2.0 * radius / middle.z.max(self.near) * self.focal(height))
    }
}

/// The corners of a box.
pub(crate) fn corners(bounds: &Bounds) -> [DVec3; 8] {
    std::array::from_fn(|number| {
        let pick = |axis: usize| match number >> axis & 1 {
            0 => bounds.min[axis],
            _ => bounds.max[axis],
        };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_what_is_framed_is_in_the_picture() {
        let bounds = Bounds { min: DVec3::new(-3.0, 10.0, 5.0), max: DVec3::new(40.0, 11.0, 9.0) };
        for direction in [DVec3::X, DVec3::NEG_Y, DVec3::new(1.0, -2.0, 0.3), DVec3::NEG_Z] {
            for aspect in [0.5, 1.0, 1.6] {
                let lens = Lens { field_of_view: 30.0 + 10.0 * aspect, aspect };
                let camera = Camera::framing(corners(&bounds), direction, DVec3::Z, lens);
                assert!(camera.up.dot(camera.direction).abs() < 1e-12);
                let (width, height) = ((1000.0 * aspect) as usize, 1000);
                let mut reached = [0.0_f32; 2];
                for corner in corners(&bounds) {
                    let [x, y] = camera.project(corner, width, height).unwrap();
                    let share = [x / width as f32, y / height as f32];
                    assert!(share.iter().all(|at| (0.0..=1.0).contains(at)), "{share:?}");
                    reached[0] = reached[0].max((share[0] - 0.5).abs());
                    reached[1] = reached[1].max((share[1] - 0.5).abs());
                }
                let most = reached[0].max(reached[1]);
                assert!(most > 0.45, "it could be larger: {reached:?}, {direction}, {aspect}");
                let [x, y] =
                    camera.centered(bounds.max).project(bounds.max, width, height).unwrap();
                assert!((x - width as f32 / 2.0).abs() < 0.01 && (y - 500.0).abs() < 0.01);
                assert!(camera.size_of(&bounds, height).is_some());
                let behind = Bounds::enclosing([camera.eye - direction.normalize() * 100.0]);
                assert_eq!(camera.size_of(&behind, height), None);
            }
        }
    }

    #[test]
    fn points_and_huge_boxes_can_be_framed() {
        let lens = Lens { field_of_view: 45.0, aspect: 1.5 };
        for at in [DVec3::ZERO, DVec3::splat(1e-9), DVec3::splat(1e100)] {
            let camera = Camera::framing([at], DVec3::Y, DVec3::Y, lens);
            assert!(camera.eye.is_finite() && camera.distance > 0.0, "{camera:?}");
            assert!((camera.up.length() - 1.0).abs() < 1e-9);
        }
        let all = Bounds { min: DVec3::splat(-1e100), max: DVec3::splat(1e100) };
        assert!(Camera::framing(corners(&all), DVec3::X, DVec3::Z, lens).eye.is_finite());
    }
}
