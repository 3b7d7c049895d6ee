//! The keys of a scene file as parsed by serde, not yet checked. `docs/scenes.md` describes every key.

use crate::choices::{
    BoundingKind, Broad, CellTestKind, CoherenceKind, DeformedKind, DistributionKind, DivisionKind,
    Optimisation, SeparationKind,
};
use serde::Deserialize;
use toml::Spanned;

/// Three numbers, with their position in the file.
pub(super) type Vector = Spanned<[f64; 3]>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) title: Option<String>,
    pub(super) cycles: Spanned<u64>,
    #[serde(default)]
    pub(super) stop_at_contact: bool,
    #[serde(default)]
    pub(super) swept: bool,
    #[serde(default)]
    pub(super) continuous: bool,
    pub(super) broad: Option<Broad>,
    pub(super) method: Option<Spanned<String>>,
    pub(super) face_octree: Option<Spanned<FaceOctree>>,
    pub(super) octree: Option<Spanned<Octree>>,
    pub(super) hull: Option<Spanned<HullTable>>,
    pub(super) threads: Option<Spanned<u16>>,
    pub(super) coherence: Option<CoherenceKind>,
    pub(super) coherence_bytes: Option<usize>,
    pub(super) deformed: Option<DeformedKind>,
    #[serde(default = "one")]
    pub(super) seed: u64,
    pub(super) contact_limit: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) against: PlotAxis,
    pub(super) room: Option<Spanned<Room>>,
    #[serde(default)]
    pub(super) dynamics: Dynamics,
    pub(super) paper: Option<Paper>,
    #[serde(default)]
    pub(super) body: Vec<Spanned<Entry>>,
    #[serde(default)]
    pub(super) run: Vec<Spanned<RunEntry>>,
}

/// Options of the method `face-octree`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaceOctree {
    pub(super) level: Option<Spanned<u64>>,
    pub(super) division: Option<DivisionKind>,
    pub(super) cell_test: Option<CellTestKind>,
    pub(super) distribution: Option<DistributionKind>,
}

/// Options of the method `octree`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Octree {
    pub(super) level: Option<Spanned<u64>>,
    pub(super) bounding: Option<BoundingKind>,
    #[serde(default)]
    pub(super) without: Vec<Optimisation>,
}

/// Options of the method `hull`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HullTable {
    pub(super) separation: Option<SeparationKind>,
}

fn one() -> u64 {
    1
}

/// The quantity on the x axis of a plot of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlotAxis {
    /// The cycles of each run.
    #[default]
    Cycles,
    /// The number of bodies of each run.
    Bodies,
    /// The number of faces of all bodies of each run.
    Faces,
}

/// A room whose walls bodies bounce off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Room {
    pub(super) min: Vector,
    pub(super) max: Vector,
}

/// Forces and bounces of bodies in free flight.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dynamics {
    pub(super) gravity: Option<Vector>,
    pub(super) toward: Option<Toward>,
    pub(super) restitution: Option<Spanned<f64>>,
}

/// Gravity towards a point, with the same strength everywhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Toward {
    pub(super) point: Vector,
    pub(super) pull: Spanned<f64>,
}

/// The figures of a published experiment that a scene repeats.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Paper {
    /// The paper and the table or figure in it.
    pub source: String,
    /// The machine on which the paper measured times.
    pub machine: Option<String>,
    /// The number of faces of all bodies.
    pub faces: Option<f64>,
    /// The number of cycles.
    pub cycles: Option<f64>,
    /// Pairs of touching faces, over all cycles.
    pub contacts: Option<f64>,
    /// Pairs of touching faces per cycle.
    pub contacts_per_cycle: Option<f64>,
    /// The last cycle before faces may collide: they do so between it and the next.
    pub swept_cycle: Option<f64>,
    /// Pairs of faces whose swept spaces meet, over all cycles.
    pub swept_pairs: Option<f64>,
    /// Pairs of bounding volumes that were compared, over all cycles.
    pub box_tests: Option<f64>,
    /// Pairs of faces that were compared, over all cycles.
    pub face_tests: Option<f64>,
    /// Seconds of all cycles together.
    pub seconds: Option<f64>,
    /// Milliseconds per cycle.
    pub cycle_ms: Option<f64>,
    /// Microseconds per box test.
    pub box_test_us: Option<f64>,
}

/// A body, or many copies of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: Option<Spanned<String>>,
    pub(super) mesh: Option<Spanned<String>>,
    pub(super) sequence: Option<Spanned<Sequence>>,
    pub(super) deform: Option<Spanned<Deform>>,
    #[serde(default, rename = "self")]
    pub(super) self_collision: bool,
    pub(super) scale: Option<Spanned<f64>>,
    pub(super) size: Option<Spanned<f64>>,
    pub(super) at: Option<Vector>,
    pub(super) turn: Option<Vector>,
    pub(super) turn_about: Option<Spanned<TurnAbout>>,
    #[serde(default)]
    pub(super) fixed: bool,
    pub(super) groups: Option<Spanned<Vec<u32>>>,
    pub(super) mask: Option<Spanned<Vec<u32>>>,
    #[serde(default)]
    pub(super) ignore: Vec<Spanned<String>>,
    pub(super) count: Option<Spanned<u64>>,
    pub(super) grid: Option<Spanned<Grid>>,
    pub(super) scatter: Option<Spanned<Scatter>>,
    pub(super) steady: Option<Steady>,
    pub(super) billiard: Option<Billiard>,
    pub(super) path: Option<Spanned<Path>>,
    pub(super) vibrate: Option<Vibrate>,
    pub(super) flight: Option<Flight>,
}

/// Meshes with the same faces, played one after another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sequence {
    pub(super) files: Spanned<String>,
    pub(super) every: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) interpolate: bool,
    #[serde(default)]
    pub(super) end: AtEnd,
}

/// A built-in deformation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deform {
    pub(super) kind: DeformKind,
    pub(super) degrees: Option<Spanned<f64>>,
    pub(super) amplitude: Option<Spanned<f64>>,
    pub(super) waves: Option<Spanned<f64>>,
    pub(super) period: Option<Spanned<f64>>,
    pub(super) along: Option<Axis>,
    pub(super) toward: Option<Axis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DeformKind {
    Bend,
    Flag,
    Twist,
}

/// An axis of a body's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

/// A rotation about an axis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnAbout {
    pub(super) axis: Vector,
    pub(super) degrees: Spanned<f64>,
}

/// Copies in a regular grid.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Grid {
    pub(super) count: [u32; 3],
    pub(super) step: Vector,
}

/// Copies at random places in a box.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scatter {
    pub(super) count: Spanned<u64>,
    pub(super) min: Vector,
    pub(super) max: Vector,
    #[serde(default)]
    pub(super) turned: bool,
    #[serde(default)]
    pub(super) apart: bool,
    pub(super) seed: Option<u64>,
}

/// The same velocity and spin at every cycle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Steady {
    pub(super) by: Option<Vector>,
    pub(super) turn: Option<Vector>,
}

/// A motion that reverses at every hit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Billiard {
    pub(super) by: Option<Vector>,
    pub(super) speed: Option<Spanned<f64>>,
    pub(super) turn: Option<Vector>,
    pub(super) wander: Option<Spanned<f64>>,
}

/// Poses read from a file, one per cycle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Path {
    pub(super) poses: Spanned<String>,
    #[serde(default)]
    pub(super) end: AtEnd,
}

/// A motion to and fro, as a sine of time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vibrate {
    pub(super) by: Option<Vector>,
    pub(super) turn: Option<Vector>,
    pub(super) period: Spanned<f64>,
    pub(super) phase: Option<Spanned<f64>>,
}

/// What happens after the last pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AtEnd {
    #[default]
    Stay,
    Again,
    Back,
}

impl AtEnd {
    /// The number of the pose or frame at a step, of `count` that are played one per step.
    pub(super) fn index(self, step: u64, count: u64) -> usize {
        let index = match self {
            Self::Stay => step.min(count - 1),
            Self::Again => step % count,
            Self::Back if count == 1 => 0,
            Self::Back => {
                let place = step % (2 * count - 2);
                place.min(2 * count - 2 - place)
            }
        };
        index as usize
    }
}

/// A body in free flight: it falls and bounces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flight {
    pub(super) by: Option<Vector>,
    pub(super) speed: Option<Spanned<f64>>,
    pub(super) turn: Option<Vector>,
    pub(super) mass: Option<Spanned<f64>>,
}

/// One run of the scene, with some values replaced.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunEntry {
    pub(super) name: Option<Spanned<String>>,
    pub(super) bodies: Option<Spanned<u64>>,
    pub(super) mesh: Option<Spanned<String>>,
    pub(super) broad: Option<Broad>,
    pub(super) method: Option<Spanned<String>>,
    pub(super) face_octree: Option<Spanned<FaceOctree>>,
    pub(super) octree: Option<Spanned<Octree>>,
    pub(super) hull: Option<Spanned<HullTable>>,
    pub(super) threads: Option<Spanned<u16>>,
    pub(super) coherence: Option<CoherenceKind>,
    pub(super) deformed: Option<DeformedKind>,
}
