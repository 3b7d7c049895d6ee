//! The plane of arcs, cycles and cutter compensation.

use impinge::glam::{DVec2, DVec3};

/// The plane that `G17`, `G18` or `G19` selects. Its first axis, its second axis and its normal are a right-handed
/// system. `G2` is clockwise for an eye that looks against the normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// `G17`.
    Xy,
    /// `G18`: the first axis is Z, the second X.
    Zx,
    /// `G19`.
    Yz,
}

impl Plane {
    /// The indices of the first axis, the second axis and the normal among X, Y, Z.
    pub(super) fn axes(self) -> [usize; 3] {
        match self {
            Self::Xy => [0, 1, 2],
            Self::Zx => [2, 0, 1],
            Self::Yz => [1, 2, 0],
        }
    }

    /// The unit normal.
    pub(super) fn normal(self) -> DVec3 {
        DVec3::AXES[self.axes()[2]]
    }

    /// The coordinates of a position in the plane.
    pub(super) fn flat(self, position: &[f64]) -> DVec2 {
        let [u, v, _] = self.axes();
        DVec2::new(position[u], position[v])
    }

    /// The vector in the plane with the given coordinates.
    pub(super) fn raised(self, flat: DVec2) -> DVec3 {
        let [u, v, _] = self.axes();
        DVec3::AXES[u] * flat.x + DVec3::AXES[v] * flat.y
    }

    /// The name in a program.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Xy => "G17",
            Self::Zx => "G18",
            Self::Yz => "G19",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_right_handed() {
        for plane in [Plane::Xy, Plane::Zx, Plane::Yz] {
            let [first, second] = [DVec2::X, DVec2::Y].map(|flat| plane.raised(flat));
            assert_eq!(first.cross(second), plane.normal(), "{plane:?}");
            assert_eq!(
                plane.flat(&plane.raised(DVec2::new(2.0, 3.0)).to_array()),
                DVec2::new(2.0, 3.0)
            );
        }
    }
}
