//! The output of a clash check: a report with one clash for each pair of parts that is not clear.

use crate::{Bounds, FacePair};
use glam::DVec3;
use std::fmt;

/// How two parts relate to each other, in order of severity, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The same part in the same place, whatever its triangles: each surface lies within 1/500 of the
    /// part's size of the other (or within the touch band, if that is more), and the solids agree.
    Duplicate,
    /// One part, or a connected piece of it, lies inside the other's solid, up to the touch band.
    /// [`Clash::inner`] says which.
    Inside,
    /// One part reaches deeper into the other than the touch band.
    Penetrating,
    /// One part lies where the gaps of the other part's surface leave open whether that is inside.
    Undecided,
    /// A round part in a round hole of the same nominal radius and axis: see [`Fit`].
    Fit,
    /// The surfaces are farther apart than the touch band, but closer than the requested clearance.
    Clearance,
    /// The surfaces meet, or are no farther apart than the touch band, and neither part reaches deeper than
    /// the touch band.
    Touching,
}

impl Verdict {
    /// All verdicts, worst first.
    pub const ALL: [Self; 7] = [
        Self::Duplicate,
        Self::Inside,
        Self::Penetrating,
        Self::Undecided,
        Self::Fit,
        Self::Clearance,
        Self::Touching,
    ];

    /// The verdict's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Inside => "inside",
            Self::Penetrating => "penetrating",
            Self::Undecided => "undecided",
            Self::Fit => "fit",
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

/// One of the two parts of a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first part.
    A,
    /// The second part.
    B,
}

/// Two parts that clash. Coordinates and lengths are those of the assembly.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clash {
    /// The index of the first part.
    pub a: usize,
    /// The index of the second part, which is larger.
    pub b: usize,
    /// How the parts relate to each other.
    pub verdict: Verdict,
    /// The touch band of this pair: see [touch band](super#touch-band).
    pub band: f64,
    /// The depth of the overlap: see [depth](super#depth). `None` if it is not known because a surface is
    /// open, and for clearances and [`Effort::Quick`](super::Effort::Quick) checks.
    pub depth: Option<Depth>,
    /// The volume of the space that lies inside both parts. `None` if it is not known because a surface is open
    /// or overlaps itself, and unless the parts overlap.
    pub volume: Option<f64>,
    /// Which part is inside the other, for [`Verdict::Inside`].
    pub inner: Option<Side>,
    /// The radii, for [`Verdict::Fit`].
    pub fit: Option<Fit>,
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

impl Clash {
    /// Returns a clash of the given parts with nothing measured: all lengths are 0, and there are no faces.
    pub fn new(a: usize, b: usize, verdict: Verdict) -> Self {
        Self {
            a,
            b,
            verdict,
            band: 0.0,
            depth: None,
            volume: None,
            inner: None,
            fit: None,
            distance: 0.0,
            points: [DVec3::ZERO; 2],
            faces: Vec::new(),
            length: 0.0,
            extent: Bounds::EMPTY,
            places: Vec::new(),
            is_closed: [true; 2],
        }
    }

    /// The lower bound of the depth, if the depth is known.
    pub fn least_depth(&self) -> Option<f64> {
        self.depth.map(|depth| depth.at_least)
    }
}

/// How far one part must at least be moved to free it from the other: a bracket of the length of the shortest
/// translation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Depth {
    /// No shorter translation frees the parts.
    pub at_least: f64,
    /// A translation of the second part that was verified to free the parts: afterwards they are clear of each
    /// other, or touch within the touch band. Its length is the upper bound.
    pub way_out: Option<DVec3>,
}

impl Depth {
    /// Returns a depth with a lower bound only.
    pub fn at_least(at_least: f64) -> Self {
        Self { at_least, way_out: None }
    }

    /// The length of the translation that was verified to free the parts.
    pub fn at_most(&self) -> Option<f64> {
        self.way_out.map(DVec3::length)
    }
}

/// A shaft in a hole: two coaxial cylinders of about the same radius.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// The part with the shaft; the other has the hole.
    pub shaft: Side,
    /// The radius of the shaft.
    pub shaft_radius: f64,
    /// The radius of the hole.
    pub hole_radius: f64,
}

impl Fit {
    /// Returns a fit of a shaft in a hole.
    pub fn new(shaft: Side, shaft_radius: f64, hole_radius: f64) -> Self {
        Self { shaft, shaft_radius, hole_radius }
    }

    /// The radius of the shaft minus that of the hole: positive for an interference fit.
    pub fn difference(&self) -> f64 {
        self.shaft_radius - self.hole_radius
    }
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
    /// The parts among those pairs whose surfaces have gaps, sorted by index.
    pub gaps: Vec<Gap>,
    /// The widest touch band of all pairs that were checked.
    pub touch: f64,
}

/// A part whose surface has gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    /// The index of the part.
    pub part: usize,
    /// The width of the widest gap.
    pub width: f64,
    /// Whether the part counts as closed all the same, because no gap is wider than the part's touch band.
    pub is_closed: bool,
}

impl Gap {
    /// Returns the gap of a part.
    pub fn new(part: usize, width: f64, is_closed: bool) -> Self {
        Self { part, width, is_closed }
    }
}

impl Report {
    /// The number of pairs with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.clashes.iter().filter(|clash| clash.verdict == verdict).count()
    }

    /// The number of open parts: those with gaps wider than the touch band.
    pub fn open_parts(&self) -> usize {
        self.gaps.iter().filter(|gap| !gap.is_closed).count()
    }
}
