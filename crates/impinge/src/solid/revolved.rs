//! Convex solids of revolution.

/// A disc at a right angle to the axis and centred on it, together with all points within `rounding` of the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedDisc {
    /// Where the disc is on the axis.
    pub height: f64,
    /// The radius of the disc; 0 for a point.
    pub radius: f64,
    /// The radius of the ball that is added to every point of the disc; 0 for a sharp disc.
    pub rounding: f64,
}

/// A convex solid of revolution: the convex hull of up to four rounded discs with a common axis.
///
/// | solid | discs as (height, radius, rounding) |
/// |---|---|
/// | ball | (0, 0, r) |
/// | capsule | (0, 0, r), (h, 0, r) |
/// | cylinder | (0, r, 0), (h, r, 0) |
/// | cone | (0, r, 0), (h, 0, 0) |
/// | ball-end mill | (r, 0, r), (length, r, 0) |
/// | bull-nose mill | (corner, r − corner, corner), (length, r, 0) |
///
/// The solid has no place of its own: its axis is a ray from an origin, and heights are measured from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RevolvedHull {
    discs: [RoundedDisc; Self::MOST_DISCS],
    len: usize,
}

/// Why some discs make no solid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidError {
    /// There are no discs, or too many.
    #[error("a solid of revolution has 1 to {most} discs, not {found}", most = RevolvedHull::MOST_DISCS)]
    Discs {
        /// How many discs were given.
        found: usize,
    },
    /// A number is not finite, too large or negative.
    #[error("the {what} of a solid is {value}: it must be a number from {least} to 1e100")]
    Value {
        /// The measure.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The least value.
        least: f64,
    },
}

impl RevolvedHull {
    /// The most discs that a solid has.
    pub const MOST_DISCS: usize = 4;

    /// The convex hull of 1 to 4 rounded discs.
    pub fn new(discs: &[RoundedDisc]) -> Result<Self, SolidError> {
        if discs.is_empty() || discs.len() > Self::MOST_DISCS {
            return Err(SolidError::Discs { found: discs.len() });
        }
        for disc in discs {
            let RoundedDisc { height, radius, rounding } = *disc;
            for (what, value, least) in
                [("height", height, -1e100), ("radius", radius, 0.0), ("rounding", rounding, 0.0)]
            {
                if !(least..=1e100).contains(&value) {
                    return Err(SolidError::Value { what, value, least });
                }
            }
        }
        let mut all = [discs[0]; Self::MOST_DISCS];
        all[..discs.len()].copy_from_slice(discs);
        Ok(Self { discs: all, len: discs.len() })
    }

    /// The discs whose hull the solid is.
    pub fn discs(&self) -> &[RoundedDisc] {
        &self.discs[..self.len]
    }
}
