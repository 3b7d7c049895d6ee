//! Bodies that are unions of convex pieces.

use super::{
    HullDistance, HullError, Polytope, Tracker, patches::convex_patches, placed_pair::by_spheres,
};
use crate::{Mesh, Pose};

/// A body that is a union of convex pieces, as in I-COLLIDE: given piece by piece, or made from a surface.
///
/// ```
/// use impinge::{Pose, convex::{Pieces, PiecesTracker, Polytope}, generate, glam::DVec3};
///
/// // A dumbbell: two balls.
/// let ball = generate::sphere(168)?;
/// let other: Vec<DVec3> = ball.positions().iter().map(|&p| p + DVec3::new(4.0, 0.0, 0.0)).collect();
/// let dumbbell = Pieces::new([Polytope::new(ball.positions())?, Polytope::new(&other)?]);
/// let between = Pose::from_translation(DVec3::new(2.0, 3.0, 0.0))?;
/// let found = PiecesTracker::new().distance((&dumbbell, &Pose::IDENTITY), (&dumbbell, &between));
/// assert!(found.hulls.distance > 1.5 && found.hulls.is_apart());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pieces: Vec<Polytope>,
}

impl Pieces {
    /// A body of these pieces. Pieces may overlap.
    pub fn new(pieces: impl IntoIterator<Item = Polytope>) -> Self {
        Self { pieces: pieces.into_iter().filter(|piece| !piece.is_empty()).collect() }
    }

    /// The hulls of the [convex patches](convex_patches) of a mesh. They cover the surface, and reach beyond it where a patch
    /// is not closed: hulls that are apart prove surfaces apart, and hulls that overlap prove nothing.
    pub fn of_surface(mesh: &Mesh) -> Result<Self, HullError> {
        let corners = |face: u32| mesh.triangle(face);
        let hull = |patch: Vec<u32>| {
            Polytope::new(&patch.into_iter().flat_map(corners).collect::<Vec<_>>())
        };
        let pieces: Result<Vec<Polytope>, HullError> =
            convex_patches(mesh).into_iter().map(hull).collect();
        pieces.map(Self::new)
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Polytope] {
        &self.pieces
    }
}

/// The distance of two bodies that are unions of convex pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiecesDistance {
    /// The distance of the closest pieces. Its lower bound holds for all pieces.
    pub hulls: HullDistance,
    /// The closest pieces. If several are equally close, any of them.
    pub pieces: [u32; 2],
}

/// Follows the closest pieces of two bodies, and their closest features, from query to query.
#[derive(Clone, Debug, Default)]
pub struct PiecesTracker {
    /// For each piece of the first body, one tracker for each of the second.
    trackers: Vec<Tracker>,
    closest: [u32; 2],
    measured: usize,
}

/// For more pairs of pieces than this, closest features are not remembered.
const MOST_TRACKERS: usize = 1 << 20;

impl PiecesTracker {
    /// A tracker that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance of two bodies; infinite if one has no pieces. Pieces whose bounding spheres are farther apart than the
    /// closest pieces are not measured, which makes the time that of the near pieces, besides a comparison of all spheres.
    pub fn distance(
        &mut self,
        (a, pose_a): (&Pieces, &Pose),
        (b, pose_b): (&Pieces, &Pose),
    ) -> PiecesDistance {
        let (a, b) = (a.pieces(), b.pieces());
        let count = a.len() * b.len();
        if self.trackers.len() != count.min(MOST_TRACKERS) {
            self.trackers.clear();
            self.trackers.resize(count.min(MOST_TRACKERS), Tracker::new());
        }
        self.measured = 0;
        let nothing = Polytope::default();
        let none = by_spheres((&nothing, pose_a), (&nothing, pose_b));
        let mut best = PiecesDistance { hulls: none, pieces: [0, 0] };
        let mut lower = f64::INFINITY;
        // The closest pieces of the last query are likely to be close.
        let [i, j] = self.closest.map(|piece| piece as usize);
        let first = (i < a.len() && j < b.len()).then_some([i, j]);
        let others = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| [i, j]));
        for [i, j] in first.into_iter().chain(others.filter(|&pair| Some(pair) != first)) {
            let (piece_a, piece_b) = ((&a[i], pose_a), (&b[j], pose_b));
            let apart = by_spheres(piece_a, piece_b).lower;
            if apart > best.hulls.distance {
                lower = lower.min(apart);
                continue;
            }
            let mut fresh = Tracker::new();
            let tracker = self.trackers.get_mut(i * b.len() + j).unwrap_or(&mut fresh);
            let found = tracker.distance(piece_a, piece_b);
            self.measured += 1;
            lower = lower.min(found.lower);
            if found.distance < best.hulls.distance {
                best = PiecesDistance { hulls: found, pieces: [i as u32, j as u32] };
            }
            if best.hulls.distance == 0.0 {
                break;
            }
        }
        self.closest = best.pieces;
        best.hulls.lower = lower;
        best
    }

    /// How many pairs of pieces the last query measured.
    pub fn measured(&self) -> usize {
        self.measured
    }
}
