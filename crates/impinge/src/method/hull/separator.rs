//! What is remembered of two hulls from query to query, and the proof that they are apart.

use super::{HullTree, Separation};
use crate::{
    Pose,
    convex::{Feature, Gjk, SeparatingPlane, Tracker},
};

/// The closest features of two hulls, or a plane between them, as the last query found them. Serves any two hulls: what
/// it remembers decides where it begins.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::method) struct Separator {
    tracker: Tracker,
    plane: SeparatingPlane,
    gjk: Gjk,
    /// The closest features of the last query, if they were computed.
    features: Option<[Feature; 2]>,
}

impl Separator {
    /// Whether two bodies are proven to be farther apart than a distance.
    pub(super) fn is_beyond(
        &mut self,
        a: (&HullTree, &Pose),
        b: (&HullTree, &Pose),
        distance: f64,
    ) -> bool {
        let separation = a.0.options.separation;
        let (a, b) = ((&a.0.polytope, a.1), (&b.0.polytope, b.1));
        let found = match separation {
            Separation::Features => self.tracker.distance(a, b),
            Separation::Gjk => self.gjk.distance(a, b),
            Separation::Planes => {
                self.features = None;
                return self.plane.is_beyond(a, b, distance);
            }
        };
        self.features = Some(found.features);
        found.lower > distance
    }

    /// The closest features of the last query, if they were computed.
    pub(super) fn features(&self) -> Option<[Feature; 2]> {
        self.features
    }
}
