//! The camera of a picture: eye, direction, field of view, and projection to pixels.

use impinge::{
    Bounds, Pose,
    glam::{DMat3, DVec3},
};

/// Size of a picture relative to what it frames.
const MARGIN: f64 = 1.07;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    /// The viewing direction, a unit vector.
    pub(crate) direction: DVec3,
    /// The up direction of the picture, a unit vector at a right angle to `direction`.
    pub(crate) up: DVec3,
    /// Distance from the eye to the middle of what is framed.
    pub(crate) distance: f64,
    /// Near plane, as a share of `distance`: nearer surfaces are cut off.
    pub(crate) near: f64,
    pub(crate) lens: Lens,
}

/// The field of view of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lens {
    /// Vertical field of view, in degrees.
    pub(crate) field_of_view: f64,
    /// Width of the picture divided by its height.
    pub(crate) aspect: f64,
}

impl Lens {
    /// Returns the tangent of half the field of view.
    fn tangent(&self) -> f64 {
        libm::tan((self.field_of_view * 0.5).to_radians())
    }
}

impl Camera {
    /// Returns a camera that looks along `direction` and shows all points as large as possible. A direction
    /// parallel to `up`, or a single point, is allowed.
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

        // The four sides of the picture are planes through the eye. Each plane is moved outward until all
        // points are inside; opposite planes then form two wedges, and the eye lies on the edge that is
        // further back.
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
        // A single point has no size: use a size just above the rounding error of its coordinates.
        let least = if size == 0.0 { 1.0 } else { (size * 1e-9).max(1e-150) };
        let distance = (middle - z).max((far - near) * 0.55).max(least);
        let eye = right * x + up * y + direction * (middle - distance);
        Self { eye, direction, up, distance, near: 0.02, lens }
    }

    /// Sets the near plane, as a share of the distance.
    pub(crate) fn with_near(self, near: f64) -> Self {
        Self { near, ..self }
    }

    /// Moves the camera sideways, so that `point` is in the middle of the picture.
    pub(crate) fn centered(self, point: DVec3) -> Self {
        let distance = (point - self.eye).dot(self.direction);
        Self { eye: point - self.direction * distance, ..self }
    }

    pub(crate) fn right(&self) -> DVec3 {
        self.direction.cross(self.up)
    }

    /// Returns the rotation into the camera's frame: x to the right, y up, z away from the camera.
    pub(crate) fn rotation(&self) -> DMat3 {
        DMat3::from_cols(self.right(), self.up, self.direction).transpose()
    }

    /// Returns the linear map and the offset from a body at a pose to the camera's frame, scaled so that the
    /// middle of what is framed has distance 1.
    pub(super) fn view_of(&self, placement: &Pose) -> (DMat3, DVec3) {
        let turn = self.rotation();
        let scale = 1.0 / self.distance;
        let linear = turn * placement.rotation() * scale;
        (linear, turn * (placement.translation() - self.eye) * scale)
    }

    /// Returns the focal length in pixels: the offset from the middle of the picture per unit at distance 1.
    pub(super) fn focal(&self, height: usize) -> f64 {
        height as f64 * 0.5 / self.lens.tangent()
    }

    /// Returns the position of a point in a picture, in pixels; `None` for a point behind the near plane.
    pub(crate) fn project(&self, point: DVec3, width: usize, height: usize) -> Option<[f32; 2]> {
        let at = self.rotation() * (point - self.eye) / self.distance;
        let focal = self.focal(height) / at.z;
        let x = width as f64 * 0.5 + at.x * focal;
        let y = height as f64 * 0.5 - at.y * focal;
        (at.z > self.near && x.is_finite() && y.is_finite()).then_some([x as f32, y as f32])
    }

    /// Returns the size of a box in a picture of `height` pixels, in pixels; `None` if the box is not
    /// visible.
    pub(crate) fn size_of(&self, bounds: &Bounds, height: usize) -> Option<f64> {
        let middle = self.rotation() * (bounds.center() - self.eye) / self.distance;
        let radius = bounds.size().length() * 0.5 / self.distance;
        if bounds.is_empty() || middle.z + radius < self.near {
            return None;
        }
        // The bounding sphere is outside if it is beyond one of the four side planes.
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

/// Returns the corners of a box.
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
