//! The output of a clash check: a report with one clash for each pair of parts that is not clear.

use crate::{Bounds, FacePair};
use glam::DVec3;
use std::fmt;

/// How two parts relate to each other, in order of severity, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The same part in the same place: equally many faces, and every face of either part has a
    /// counterpart in the other. Counterparts have corners within the touch band of each other, or
    /// within a thousandth of the part's size where the band is wider than that.
    Duplicate,
    /// The surfaces do not meet, and one part, or a connected piece of it, lies inside the other's
    /// solid.
    Inside,
    /// The surfaces meet, and one part reaches deeper into the other than the touch band.
    Penetrating,
    /// The surfaces do not meet, but are closer to each other than the requested clearance.
    Clearance,
    /// The surfaces meet, and neither part reaches deeper than the touch band.
    Touching,
}

impl Verdict {
    /// All verdicts, worst first.
    pub const ALL: [Self; 5] =
        [Self::Duplicate, Self::Inside, Self::Penetrating, Self::Clearance, Self::Touching];

    /// The verdict's name, in lower case.
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

/// Two parts that clash. Coordinates and lengths are those of the assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Clash {
    /// The index of the first part.
    pub a: usize,
    /// The index of the second part, which is larger.
    pub b: usize,
    /// How the parts relate to each other.
    pub verdict: Verdict,
    /// A lower bound of the penetration depth: see [depth](super#depth). `None` if either part is
    /// open, and for duplicates and clearances.
    pub depth: Option<f64>,
    /// The least distance between the surfaces, with a relative error of at most 1e-9; exactly 0
    /// where they meet.
    pub distance: f64,
    /// One point on each surface. Where the surfaces meet, both are the same point, which lies on
    /// both surfaces up to rounding. Otherwise they are the closest points.
    pub points: [DVec3; 2],
    /// The pairs of faces that touch, sorted. If none do, the one pair that holds the closest
    /// points.
    pub faces: Vec<FacePair>,
    /// The length of the curve along which the surfaces cross, including the borders of patches
    /// where they coincide; 0 for duplicates, which coincide everywhere.
    pub length: f64,
    /// The box around the intersection of the surfaces; around the two closest points if they do
    /// not meet.
    pub extent: Bounds,
    /// The connected components of the intersection, in the order of their first pair of faces.
    /// Empty if the surfaces do not meet.
    pub places: Vec<Place>,
    /// Whether each part is closed: see [solids](super#solids).
    pub is_closed: [bool; 2],
}

/// One connected component of the intersection of two surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// A point of the component.
    pub point: DVec3,
    /// The length of its curve.
    pub length: f64,
    /// The box around it.
    pub extent: Bounds,
    /// Its pairs of faces, as sorted indices into [`Clash::faces`].
    pub faces: Vec<u32>,
}

impl Place {
    /// The component's size, for comparisons: the length of its curve or the diagonal of its box.
    pub(super) fn size(&self) -> f64 {
        self.length.max(self.extent.size().length())
    }
}

/// The result of a clash check.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The clashes, sorted by the indices of their parts.
    pub clashes: Vec<Clash>,
    /// The number of pairs of parts that were near enough to be compared face by face.
    pub pairs_checked: u64,
    /// The number of open parts among those pairs. No part can be inside an open one.
    pub open_parts: usize,
    /// The touch band, as a length. Unless the caller chose it, parts smaller than 500 times this
    /// band use a narrower one.
    pub touch: f64,
}

impl Report {
    /// The number of pairs with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.clashes.iter().filter(|clash| clash.verdict == verdict).count()
    }
}
