//! Choices that a scene names: the broad phase, options of the octree methods, and what is remembered from
//! cycle to cycle.

use impinge::{
    Distribution, World,
    broad::{AllPairs, DynamicTree, Packed, Sweep},
    method::{
        face_octree::{CellTest, Division, FaceOctreeOptions, SubdivisionDepth},
        hull::Separation,
        octree::{BoundingShape, OctreeOptions},
    },
    world::{Coherence, DeformedSearch},
};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A broad phase by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Broad {
    /// Every pair, by spheres or boxes, whichever fit better.
    AllPairs,
    /// Every pair, without any comparison: no broad phase.
    None,
    /// Every pair, by boxes only.
    Boxes,
    /// Every pair, by spheres only.
    Spheres,
    /// Sweep and prune along the three axes.
    Sweep,
    /// Sweep and prune along the k/2 directions of a k-DOP, by the k-DOP around each body. The number is k: 6, 8,
    /// 12, 14, 18, 20 or 26.
    Directions(u8),
    /// The same, by the convex hull of each body.
    HullDirections(u8),
    /// A dynamic tree of boxes.
    Tree,
    /// Boxes packed in groups of eight; the default.
    #[default]
    Packed,
}

/// A name that no broad phase has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown broad phase `{name}`, expected one of packed, tree, sweep, directionsK, hull-directionsK (with K = 6, \
     8, 12, 14, 18, 20 or 26), all-pairs, boxes, spheres, none"
)]
pub struct UnknownBroad {
    name: String,
}

impl Broad {
    /// All broad phases with their names in scene files and reports.
    pub const NAMES: &[(&str, Self)] = &[
        ("packed", Self::Packed),
        ("tree", Self::Tree),
        ("sweep", Self::Sweep),
        ("directions6", Self::Directions(6)),
        ("directions8", Self::Directions(8)),
        ("directions12", Self::Directions(12)),
        ("directions14", Self::Directions(14)),
        ("directions18", Self::Directions(18)),
        ("directions20", Self::Directions(20)),
        ("directions26", Self::Directions(26)),
        ("hull-directions6", Self::HullDirections(6)),
        ("hull-directions8", Self::HullDirections(8)),
        ("hull-directions12", Self::HullDirections(12)),
        ("hull-directions14", Self::HullDirections(14)),
        ("hull-directions18", Self::HullDirections(18)),
        ("hull-directions20", Self::HullDirections(20)),
        ("hull-directions26", Self::HullDirections(26)),
        ("all-pairs", Self::AllPairs),
        ("boxes", Self::Boxes),
        ("spheres", Self::Spheres),
        ("none", Self::None),
    ];

    pub(super) fn world(self) -> World {
        let sweep =
            |sweep: Option<Sweep>| World::with_broad_phase(sweep.unwrap_or_else(Sweep::axes));
        match self {
            Self::AllPairs => World::with_broad_phase(AllPairs::new()),
            Self::None => World::with_broad_phase(AllPairs::unchecked()),
            Self::Boxes => World::with_broad_phase(AllPairs::boxes()),
            Self::Spheres => World::with_broad_phase(AllPairs::spheres()),
            Self::Sweep => World::with_broad_phase(Sweep::axes()),
            Self::Directions(k) => sweep(Sweep::directions(k.into())),
            Self::HullDirections(k) => sweep(Sweep::hull_directions(k.into())),
            Self::Tree => World::with_broad_phase(DynamicTree::new()),
            Self::Packed => World::with_broad_phase(Packed::new()),
        }
    }

    /// The name in scene files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, broad)| *broad == self).map_or("sweep", |(name, _)| name)
    }

    /// Returns whether this broad phase compares every body with every other.
    pub fn is_quadratic(self) -> bool {
        matches!(self, Self::AllPairs | Self::Boxes | Self::Spheres | Self::None)
    }

    /// Returns whether this broad phase keeps all near pairs in memory.
    pub(super) fn keeps_pairs(self) -> bool {
        matches!(self, Self::Sweep | Self::Directions(_) | Self::HullDirections(_))
    }
}

impl FromStr for Broad {
    type Err = UnknownBroad;

    fn from_str(name: &str) -> Result<Self, UnknownBroad> {
        // Without a number: the most directions.
        let full = if name.ends_with("directions") { &format!("{name}26") } else { name };
        let named = Self::NAMES.iter().find(|(known, _)| *known == full);
        named.map(|(_, broad)| *broad).ok_or_else(|| UnknownBroad { name: name.to_owned() })
    }
}

impl TryFrom<String> for Broad {
    type Error = UnknownBroad;

    fn try_from(name: String) -> Result<Self, UnknownBroad> {
        name.parse()
    }
}

impl From<Broad> for &'static str {
    fn from(broad: Broad) -> Self {
        broad.name()
    }
}

/// What is remembered of near bodies from one cycle to the next, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoherenceKind {
    /// Nothing; the default.
    #[default]
    None,
    /// Which pairs of bodies are apart, and how far at least: they are skipped until they could touch.
    Skips,
    /// Where the search of a pair ended, if its method can start from there.
    Fronts,
    /// Both.
    All,
}

impl CoherenceKind {
    pub(super) fn options(self, bytes: Option<usize>) -> Coherence {
        let all = Coherence::default();
        let all = bytes.map_or(all, |bytes| all.bytes(bytes));
        match self {
            Self::None => Coherence::NONE,
            Self::Skips => all.fronts(false),
            Self::Fronts => all.skips(false),
            Self::All => all,
        }
    }
}

/// How bodies that have deformed are searched, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeformedKind {
    /// Refitted, or searched by a face octree, whichever takes less time by an estimate; the default.
    #[default]
    Auto,
    /// Refitted or built anew.
    Refit,
    /// Searched by a face octree.
    FaceOctree,
}

impl DeformedKind {
    pub(super) fn search(self) -> DeformedSearch {
        match self {
            Self::Auto => DeformedSearch::Auto,
            Self::Refit => DeformedSearch::Refit,
            Self::FaceOctree => DeformedSearch::FaceOctree,
        }
    }
}

/// How the method `hull` proves hulls apart, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SeparationKind {
    Features,
    Planes,
    Gjk,
}

impl From<SeparationKind> for Separation {
    fn from(kind: SeparationKind) -> Self {
        match kind {
            SeparationKind::Features => Self::Features,
            SeparationKind::Planes => Self::Planes,
            SeparationKind::Gjk => Self::Gjk,
        }
    }
}

/// The bounding shapes of octrees, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BoundingKind {
    Boxes,
    Spheres,
}

impl From<BoundingKind> for BoundingShape {
    fn from(kind: BoundingKind) -> Self {
        match kind {
            BoundingKind::Boxes => Self::Boxes,
            BoundingKind::Spheres => Self::Spheres,
        }
    }
}

/// Options of the method `face-octree` that replace others.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct FaceOctreeChoice {
    /// How deep cells are divided.
    pub depth: Option<SubdivisionDepth>,
    /// Into how many children a cell is divided.
    pub division: Option<Division>,
    /// How faces are tested against cells.
    pub cell_test: Option<CellTest>,
    /// How tests of pairs of faces are distributed among threads.
    pub distribution: Option<Distribution>,
}

impl FaceOctreeChoice {
    /// The given options, with those of this choice in their place.
    #[must_use]
    pub fn options(self, options: FaceOctreeOptions) -> FaceOctreeOptions {
        options
            .depth(self.depth.unwrap_or(options.depth))
            .division(self.division.unwrap_or(options.division))
            .cell_test(self.cell_test.unwrap_or(options.cell_test))
            .distribution(self.distribution.or(options.distribution))
    }
}

/// How tests of pairs of faces are distributed among threads, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DistributionKind {
    Static,
    Grab,
    Producer,
    Steal,
}

impl From<DistributionKind> for Distribution {
    fn from(kind: DistributionKind) -> Self {
        match kind {
            DistributionKind::Static => Self::Static,
            DistributionKind::Grab => Self::Grab,
            DistributionKind::Producer => Self::Producer,
            DistributionKind::Steal => Self::Steal,
        }
    }
}

/// Into how many children a cell is divided, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DivisionKind {
    Octree,
    Bintree,
}

impl From<DivisionKind> for Division {
    fn from(kind: DivisionKind) -> Self {
        match kind {
            DivisionKind::Octree => Self::Octree,
            DivisionKind::Bintree => Self::Bintree,
        }
    }
}

/// How faces are tested against cells, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CellTestKind {
    Bounds,
    Exact,
}

impl From<CellTestKind> for CellTest {
    fn from(kind: CellTestKind) -> Self {
        match kind {
            CellTestKind::Bounds => Self::Bounds,
            CellTestKind::Exact => Self::Exact,
        }
    }
}

/// Options of the method `octree` that replace others.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OctreeChoice {
    /// The level of the smallest cubes.
    pub level: Option<SubdivisionDepth>,
    /// The bounding shapes that tell where bodies are compared.
    pub bounding: Option<BoundingShape>,
    /// The optimisations to switch off, in the order of [`Optimisation::NAMES`].
    without: [bool; 4],
}

/// One of the four optimisations of the octree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimisation {
    /// Cubes that meet faces only, none inside.
    SurfaceOnly,
    /// Cubes that meet an overlap region only.
    Regions,
    /// Octrees are refined only where two bodies interfere.
    Progressive,
    /// Cubes hold their faces.
    LinkedFaces,
    /// All four.
    All,
}

impl Optimisation {
    /// The optimisations with their names.
    pub const NAMES: &[(&str, Self)] = &[
        ("surface-only", Self::SurfaceOnly),
        ("regions", Self::Regions),
        ("progressive", Self::Progressive),
        ("linked-faces", Self::LinkedFaces),
        ("all", Self::All),
    ];
}

impl OctreeChoice {
    /// Switches an optimisation off. Without all four, the bounding shapes are spheres unless they are chosen, which is
    /// [the method of the paper](OctreeOptions::of_paper).
    #[must_use]
    pub fn without(mut self, optimisation: Optimisation) -> Self {
        match optimisation {
            Optimisation::All => self.without = [true; 4],
            one => self.without[one as usize] = true,
        }
        self
    }

    /// The given options, with those of this choice in their place.
    #[must_use]
    pub fn options(self, options: OctreeOptions) -> OctreeOptions {
        let [surface_only, regions, progressive, linked_faces] = self.without;
        let is_paper = self.without == [true; 4];
        let default = if is_paper { BoundingShape::Spheres } else { options.bounding };
        options
            .level(self.level.unwrap_or(options.level))
            .bounding(self.bounding.unwrap_or(default))
            .surface_only(options.surface_only && !surface_only)
            .regions(options.regions && !regions)
            .progressive(options.progressive && !progressive)
            .linked_faces(options.linked_faces && !linked_faces)
    }
}
