//! What is said of two parts that clash.

use crate::{Bounds, FacePair};
use glam::DVec3;
use std::fmt;

/// How two parts stand to each other. The order is that of gravity: the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The same part in the same place: as many faces, and every face of the one has a counterpart in the
    /// other with corners within the touch band of its own, or within a thousandth of the part where
    /// the band is wider.
    Duplicate,
    /// The surfaces do not meet, and one part, or a separate piece of it, lies in the solid that the
    /// other encloses.
    Inside,
    /// The surfaces meet, and one reaches deeper than the touch band into the other.
    Penetrating,
    /// The surfaces do not meet, and are closer to each other than was asked for.
    Clearance,
    /// The surfaces meet, and nothing lies deeper than the touch band.
    Touching,
}

impl Verdict {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] =
        [Self::Duplicate, Self::Inside, Self::Penetrating, Self::Clearance, Self::Touching];

    /// Its name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Inside => "inside",
            Self::Penetrating => "penetrating",
            Self::Clearance => "clearance",
            Self::Touching => "touching",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Two parts that clash, and how. Coordinates and lengths are of the world in which the parts stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Clash {
    /// The number of the one part.
    pub a: usize,
    /// The number of the other, which is larger.
    pub b: usize,
    /// How they stand to each other.
    pub verdict: Verdict,
    /// How deep one reaches into the other, at least: see [depth](super#depth). Nothing where either
    /// part is open, and for verdicts that have none: duplicates and clearances.
    pub depth: Option<f64>,
    /// The least distance between the surfaces, to within a relative 1e-9: 0 exactly where they meet.
    pub distance: f64,
    /// A point of each surface: where the surfaces meet, twice the same point, which lies on both to
    /// within rounding; else the two that are closest.
    pub points: [DVec3; 2],
    /// The faces that touch, in order; where none do, the two on which the closest points lie.
    pub faces: Vec<FacePair>,
    /// How long the curve is along which the surfaces cross, borders of patches where they lie in each
    /// other included; 0 for duplicates, which lie in each other everywhere.
    pub length: f64,
    /// All that the surfaces have in common is in here; where that is nothing, the two closest
    /// points.
    pub extent: Bounds,
    /// Where the surfaces meet, piece by piece: what is connected is one place. In the order of their
    /// first faces; none where the surfaces do not meet.
    pub places: Vec<Place>,
    /// Whether each part is closed: see [solids](super#solids).
    pub is_closed: [bool; 2],
}

/// A connected piece of what two surfaces have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// A point of it.
    pub point: DVec3,
    /// How long the curve is.
    pub length: f64,
    /// What it is in.
    pub extent: Bounds,
    /// Its pairs of faces, by their places in [`Clash::faces`], in order.
    pub faces: Vec<u32>,
}

impl Place {
    /// How large it is, for comparisons: along the curve, or across.
    pub(super) fn size(&self) -> f64 {
        self.length.max(self.extent.size().length())
    }
}

/// What was found about an assembly.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The parts that clash, by their numbers in order.
    pub clashes: Vec<Clash>,
    /// How many pairs of parts were near enough to be looked at face by face.
    pub pairs_checked: u64,
    /// How many of the parts that are near others are open, so that nothing is said to be inside them.
    pub open_parts: usize,
    /// The touch band that was used; for parts below five hundred times its size a narrower one, unless it
    /// was asked for.
    pub touch: f64,
}

impl Report {
    /// How many pairs have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.clashes.iter().filter(|clash| clash.verdict == verdict).count()
    }
}
