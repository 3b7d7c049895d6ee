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

    /// The rounding that all discs have at least.
    pub(super) fn common_rounding(&self) -> f64 {
        self.discs().iter().map(|disc| disc.rounding).fold(f64::INFINITY, f64::min)
    }

    /// The same solid with its flat top rounded as the rest is, if it is as wide below: the two agree up to the returned height,
    /// and the solid with a rounded top contains this one.
    pub(super) fn with_rounded_top(&self) -> Option<(Self, f64)> {
        let top =
            (0..self.len).max_by(|&a, &b| self.discs[a].height.total_cmp(&self.discs[b].height))?;
        let RoundedDisc { height, radius, rounding: 0.0 } = self.discs[top] else { return None };
        let others = || (0..self.len).filter(|&i| i != top).map(|i| &self.discs[i]);
        let rounding = others().map(|disc| disc.rounding).fold(f64::INFINITY, f64::min);
        let widest = others().map(|disc| disc.radius + disc.rounding).fold(0.0, f64::max);
        let is_as_wide = |disc: &RoundedDisc| {
            disc.radius + disc.rounding == radius && disc.height <= height - rounding
        };
        if !(rounding > 0.0 && rounding.is_finite() && widest == radius && others().any(is_as_wide))
        {
            return None;
        }
        let mut rounded = *self;
        rounded.discs[top] = RoundedDisc { height, radius: radius - rounding, rounding };
        Some((rounded, height))
    }

    /// The hull of discs with that much less rounding.
    pub(super) fn without_rounding(mut self, common: f64) -> Self {
        for disc in &mut self.discs {
            disc.rounding = (disc.rounding - common).max(0.0);
        }
        self
    }

    /// The least and the largest height of a disc, without its rounding.
    pub(super) fn axis_heights(&self) -> [f64; 2] {
        let heights = || self.discs().iter().map(|disc| disc.height);
        [heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max)]
    }

    /// The least and the largest height of a point of the solid.
    pub fn heights(&self) -> [f64; 2] {
        let least = |low: f64, disc: &RoundedDisc| low.min(disc.height - disc.rounding);
        let most = |high: f64, disc: &RoundedDisc| high.max(disc.height + disc.rounding);
        let discs = self.discs();
        [discs.iter().fold(f64::INFINITY, least), discs.iter().fold(f64::NEG_INFINITY, most)]
    }

    /// The largest distance of a point of the solid from the axis.
    pub fn largest_radius(&self) -> f64 {
        self.discs().iter().map(|disc| disc.radius + disc.rounding).fold(0.0, f64::max)
    }

    /// The largest distance of a point of the solid from the origin of its heights.
    pub fn reach(&self) -> f64 {
        let reach = |disc: &RoundedDisc| disc.height.hypot(disc.radius) + disc.rounding;
        self.discs().iter().map(reach).fold(0.0, f64::max)
    }

    /// A smaller solid, such that every point of this one is within `distance` of it.
    ///
    /// Let q be a point of the solid: a weighted mean of points of its discs. Each of them is within the distance of a point
    /// of the reduced disc, so q is within the distance of the same mean of those, which is a point of the smaller solid.
    ///
    /// [`Shrinking::Everywhere`] returns a solid inside this one. The others may leave it where the solid becomes narrower
    /// towards an end.
    #[must_use]
    pub fn shrunk(&self, distance: f64, by: Shrinking) -> Self {
        let [low, high] = self.axis_heights();
        let mut shrunk = *self;
        for disc in &mut shrunk.discs[..self.len] {
            let from_rounding = match by {
                Shrinking::Everywhere => distance.min(disc.rounding),
                Shrinking::Heights => 0.0,
                Shrinking::Radii => (distance - disc.radius).clamp(0.0, disc.rounding),
            };
            disc.rounding -= from_rounding;
            let rest = distance - from_rounding;
            let inward = if disc.height == low {
                1.0
            } else if disc.height == high {
                -1.0
            } else {
                0.0
            };
            let along = inward * rest.min(0.5 * (high - low));
            match by {
                Shrinking::Heights => disc.height += along,
                Shrinking::Radii => disc.radius = (disc.radius - rest).max(0.0),
                // A point of the axis can only move along it.
                Shrinking::Everywhere if disc.radius == 0.0 => disc.height += along,
                Shrinking::Everywhere => {
                    // The rim moves by √2 times as much, if the moved disc stays inside.
                    let part = std::f64::consts::FRAC_1_SQRT_2;
                    let (height, radius) = (disc.height + part * along, disc.radius - part * rest);
                    if along != 0.0 && self.radius_at_least(height) >= radius {
                        (disc.height, disc.radius) = (height, radius.max(0.0));
                    } else {
                        disc.radius = (disc.radius - rest).max(0.0);
                    }
                }
            }
        }
        shrunk
    }

    /// A lower bound of the solid's radius at a height: that of the hull of flat discs as wide as the rounded ones. Negative if
    /// there is none at that height.
    pub(super) fn radius_at_least(&self, height: f64) -> f64 {
        let discs = self.discs();
        let mut radius = f64::NEG_INFINITY;
        for below in discs.iter().filter(|disc| disc.height <= height) {
            for above in discs.iter().filter(|disc| disc.height >= height) {
                let whole = above.height - below.height;
                let share = if whole > 0.0 { (height - below.height) / whole } else { 0.0 };
                let [below, above] = [below, above].map(|disc| disc.radius + disc.rounding);
                radius = radius.max(below + (above - below) * share);
            }
        }
        radius
    }
}

/// How a solid is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shrinking {
    /// Radii, heights and roundings.
    Everywhere,
    /// The heights of the lowest and the highest discs alone.
    Heights,
    /// The radii alone.
    Radii,
}
