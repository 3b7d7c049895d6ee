//! The touch band of a pair: how far the surfaces of two parts may be from where the designer put them.

use super::Tessellation;
use crate::Bounds;

/// What single precision loses, relative to the largest coordinate, times 8: files are written, moved and written
/// again.
const SINGLE: f64 = 8.0 / (1 << 24) as f64;
/// The largest part of the smaller part's size that rounding may take, so that it hides no part in another.
const MAX_ROUNDING: f64 = 2e-3;
/// The same for curved surfaces that were cut into triangles: their deviation is known, not assumed.
const MAX_TESSELLATION: f64 = 2e-2;

/// How far rounding may have moved the surface of a part, placed. `own` is its [`Part::rounding`](super::Part::rounding).
pub(super) fn rounding(own: Option<f64>, mesh: &Bounds, placed: &Bounds) -> f64 {
    let own = own.unwrap_or_else(|| SINGLE * mesh.size().length());
    own + 8.0 * f64::EPSILON * placed.largest_coordinate()
}

impl Tessellation {
    /// How far a face may be from the surface that it stands for.
    pub(super) fn at(&self, face: u32) -> f64 {
        match self {
            Self::Uniform(distance) => *distance,
            Self::Faces(distances) => distances.get(face as usize).map_or(0.0, |&d| f64::from(d)),
        }
    }

    /// The largest distance of all faces from the surfaces that they stand for.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Uniform(distance) => *distance,
            Self::Faces(distances) => {
                distances.iter().fold(0.0f64, |all, &d| all.max(f64::from(d)))
            }
        }
    }
}

/// The touch band of two parts. It depends on the faces where they meet: planes need no allowance for triangles that
/// stand for a curved surface.
#[derive(Clone, Copy, Debug)]
pub(super) enum Band {
    /// The band that the caller chose for all pairs.
    Chosen(f64),
    Derived {
        /// What rounding allows.
        rounding: f64,
        /// The most that the deviation of faces may add.
        most: f64,
    },
}

impl Band {
    /// The band that follows from the rounding and the sizes of two parts.
    pub(super) fn derived(rounding: [f64; 2], sizes: [f64; 2]) -> Self {
        let size = sizes[0].min(sizes[1]);
        let rounding = (rounding[0] + rounding[1]).min(MAX_ROUNDING * size);
        Self::Derived { rounding, most: MAX_TESSELLATION * size }
    }

    /// The band where two faces deviate by this much together.
    pub(super) fn with(self, deviation: f64) -> f64 {
        match self {
            Self::Chosen(band) => band,
            Self::Derived { rounding, most } => rounding + deviation.min(most),
        }
    }

    /// The narrowest band of the pair, that of planes.
    pub(super) fn least(self) -> f64 {
        self.with(0.0)
    }
}
