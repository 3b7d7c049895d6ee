//! What a query asks about two bodies, and the decision about two of their faces.

use super::{
    Prepared, WalkOrder,
    nearest::{gap, gap_along_likely},
};
use crate::{
    Bounds, FacePair, Mesh, Pose, Threads,
    mesh::Extent,
    narrow::{Triangle, TriangleTest, triangles_within},
    volume::{Frame, Relative},
};
use std::{any::Any, cell::OnceCell, ops::ControlFlow};

/// One of the two bodies of a query: a mesh, what a method prepared of it, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct PlacedShape<'q> {
    pub(crate) mesh: &'q Mesh,
    pub(crate) prepared: &'q dyn Prepared,
    pub(crate) extent: &'q Extent,
    pub(crate) pose: &'q Pose,
}

impl<'q> PlacedShape<'q> {
    /// The mesh.
    pub fn mesh(&self) -> &'q Mesh {
        self.mesh
    }

    /// The pose of the body.
    pub fn pose(&self) -> &'q Pose {
        self.pose
    }

    /// What a method prepared of the mesh; `None` if it is of another type.
    pub(super) fn prepared_as<T: Prepared>(&self) -> Option<&'q T> {
        let prepared: &dyn Any = self.prepared;
        prepared.downcast_ref()
    }

    /// A box in the world that encloses every placed face. Takes the same time for any mesh.
    pub fn bounds(&self) -> Bounds {
        self.extent.placed_bounds(self.pose)
    }

    /// The box around all placed vertices, but for vertices far away that no face uses. Places every vertex.
    pub(super) fn tight_bounds(&self) -> Bounds {
        let placed = self.mesh.positions().iter().map(|&p| self.pose.place(p));
        Bounds::enclosing(placed).intersection(&self.bounds())
    }

    /// The corners of a face, as placed.
    #[inline]
    pub fn triangle(&self, face: u32) -> Triangle {
        self.pose.place_triangle(self.mesh.triangle(face))
    }

    /// The corners of every face, as placed, in order.
    pub fn triangles(&self) -> impl Iterator<Item = Triangle> + use<'q> {
        let pose = self.pose;
        self.mesh.triangles().map(|triangle| pose.place_triangle(triangle))
    }
}

/// What a query asks: which faces of two placed bodies touch, or are within a tolerance of each other?
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    pub(crate) bodies: [PlacedShape<'q>; 2],
    pub(crate) tolerance: f64,
    pub(crate) threads: Threads,
    pub(crate) order: WalkOrder,
    /// Whether the caller has stated that the bodies are turned alike.
    pub(crate) translation_only: bool,
}

impl<'q> Question<'q> {
    /// Which faces of two bodies touch? On the caller's thread, in the default order.
    pub(crate) fn touching(bodies: [PlacedShape<'q>; 2]) -> Self {
        Self {
            bodies,
            tolerance: 0.0,
            threads: Threads::One,
            order: WalkOrder::default(),
            translation_only: false,
        }
    }

    /// The two bodies.
    pub fn bodies(&self) -> [PlacedShape<'q>; 2] {
        self.bodies
    }

    /// How far apart faces may be, at most, to count; 0 for faces that touch.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// How many threads the search may use.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The order in which binary trees are descended.
    pub fn order(&self) -> WalkOrder {
        self.order
    }

    /// What a method prepared of both bodies.
    ///
    /// # Panics
    /// If it is of another type. Bodies of different methods are refused before a question is asked.
    #[inline]
    pub fn prepared<T: Prepared>(&self) -> [&'q T; 2] {
        self.bodies.map(|body| {
            body.prepared_as().expect("the bodies of a question are of the search's own method")
        })
    }

    /// The exact decision about any two faces of the bodies.
    pub fn decider(&self) -> FaceDecider<'_> {
        FaceDecider { question: self, test: OnceCell::new() }
    }

    /// Classifies the pair of bodies by their bounding spheres, before any tree is visited.
    ///
    /// Placed coordinates are finite for every pose, so spheres separate bodies at any distance. Trees do
    /// not: beyond 1e38 times a body's size their coordinates overflow, and no pair of nodes is pruned.
    #[inline(always)]
    pub(crate) fn proximity(&self) -> Proximity {
        let [a, b] = &self.bodies;
        let rounding = a.extent.rounding(a.pose) + b.extent.rounding(b.pose);
        let apart = a.pose.place(a.extent.center()) - b.pose.place(b.extent.center());
        // A rotation to 1e-6 lengthens no vector by more than 1.5e-6. Rounding moves a vertex and its
        // centre along three axes. The last factor covers the roundings of this sum and of the squares,
        // the smallest normal number what they lose to underflow.
        let radii = a.extent.radius() + b.extent.radius();
        let reach = radii * (1.0 + 2e-6) + 8.0 * rounding + self.growth();
        let reach = reach * (1.0 + 1e-14) + f64::MIN_POSITIVE;
        let apart_sq = apart.length_squared();
        // Squares overflow where lengths do not; then the longest component decides alone.
        let is_apart = apart_sq > reach * reach + f64::MIN_POSITIVE
            || (!apart_sq.is_finite() && apart.abs().max_element() > reach);
        if is_apart {
            return Proximity::Apart;
        }
        // A walk allows for at least seven times the sum of both roundings (see `Relative::new`), which
        // is a 36th of the larger body then. Far more pairs of leaves overlap than faces do, up to all
        // of them. Boxes of the placed faces have no slack.
        match 256.0 * rounding > a.extent.half_size().max(b.extent.half_size()) {
            true => Proximity::Blurred,
            false => Proximity::Near,
        }
    }

    /// By how much a body's bounds must grow to overlap the other's if any faces count.
    pub(super) fn growth(&self) -> f64 {
        match self.tolerance {
            0.0 => 0.0,
            tolerance => certainly(tolerance),
        }
    }

    /// The same question, to be answered on other threads.
    pub(crate) fn on_threads(&self, threads: Threads) -> Self {
        Self { threads, ..*self }
    }

    /// How the second body stands in the frame of the first, faces that count buffered.
    pub(super) fn relative(&self, a: &Frame, b: &Frame) -> Relative {
        let [pose_a, pose_b] = self.bodies.map(|body| body.pose);
        let bodies = ((a, pose_a), (b, pose_b));
        Relative::between(bodies.0, bodies.1, self.translation_only).buffered(a, self.tolerance)
    }

    /// The test that decides about two faces, both of them within some bounds.
    pub(super) fn face_test(&self, bounds: &Bounds) -> FaceTest {
        FaceTest::new(self.tolerance, bounds)
    }
}

/// How two bodies stand to each other, as far as their bounding spheres tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proximity {
    /// Proved: no faces are as close as asked.
    Apart,
    /// Rounding moves placed vertices by so much that nearly all volumes of two trees would overlap: the
    /// boxes of the placed faces are to be compared, as `brute` does.
    Blurred,
    /// A search has to tell.
    Near,
}

/// Decides about faces of two placed bodies: exactly whether they touch or, with a tolerance, whether
/// their distance as computed is within it. The last word on every candidate of every method.
#[derive(Debug)]
pub struct FaceDecider<'q> {
    question: &'q Question<'q>,
    /// Made when first needed: most queries between bodies that are apart never do.
    test: OnceCell<FaceTest>,
}

/// Memory for the placed faces of a leaf, reused from leaf to leaf.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    placed: Vec<(u32, Triangle)>,
}

impl FaceDecider<'_> {
    /// Whether a face of the first body and a face of the second are as close as asked.
    pub fn accepts(&self, pair: FacePair) -> bool {
        let [a, b] = &self.question.bodies;
        self.test().accepts(&a.triangle(pair.a), &b.triangle(pair.b))
    }

    #[inline]
    fn test(&self) -> &FaceTest {
        self.test.get_or_init(|| {
            let [mut bounds, other] = self.question.bodies.map(|body| body.bounds());
            bounds.merge(&other);
            self.question.face_test(&bounds)
        })
    }

    /// Visits all pairs of faces of two leaves, as placed, until told to stop.
    #[inline(always)] // a tenth of a dense query's time
    pub(super) fn pairs(
        &self,
        leaves: &mut Leaves,
        [faces_a, faces_b]: [&[u32]; 2],
        mut visit: impl FnMut(FacePair, &Triangle, &Triangle) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let [a, b] = &self.question.bodies;
        let placed = &mut leaves.placed;
        placed.clear();
        placed.extend(faces_b.iter().map(|&face| (face, b.triangle(face))));
        for &face in faces_a {
            let triangle = a.triangle(face);
            for (other, other_triangle) in placed.iter() {
                visit(FacePair { a: face, b: *other }, &triangle, other_triangle)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the pairs of faces of two leaves that are as close as asked, until told to stop.
    #[inline(always)]
    pub(super) fn close_pairs(
        &self,
        leaves: &mut Leaves,
        faces: [&[u32]; 2],
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let test = self.test();
        self.pairs(leaves, faces, |pair, s, t| match test.accepts(s, t) {
            true => visit(pair),
            false => ControlFlow::Continue(()),
        })
    }
}

/// What decides about two placed faces.
#[derive(Clone, Copy, Debug)]
pub(super) enum FaceTest {
    /// Whether they share a point.
    Touch(TriangleTest),
    /// Whether they are at most so far apart.
    Within(f64),
}

impl FaceTest {
    /// The test of faces within some bounds: whether they touch, or whether they are within a tolerance of each
    /// other.
    #[inline]
    pub(super) fn new(tolerance: f64, bounds: &Bounds) -> Self {
        match tolerance {
            0.0 => Self::Touch(TriangleTest::within(bounds)),
            _ => Self::Within(tolerance),
        }
    }

    #[inline]
    pub(super) fn accepts(&self, a: &Triangle, b: &Triangle) -> bool {
        match self {
            Self::Touch(test) => test.intersects(a, b),
            Self::Within(tolerance) => is_within(a, b, *tolerance),
        }
    }
}

/// An upper bound of the true distance of faces whose computed distance is at most a limit.
///
/// A computed distance may be below the true one by a relative 1e-12, and computed ones decide.
pub(super) fn certainly(limit: f64) -> f64 {
    limit * (1.0 + 1e-11) + f64::MIN_POSITIVE
}

fn is_within(a: &Triangle, b: &Triangle, tolerance: f64) -> bool {
    // Much cheaper than the distance, and enough for most.
    let limit = certainly(tolerance);
    gap(&Bounds::enclosing(*a), &Bounds::enclosing(*b)) <= limit
        && gap_along_likely(a, b) <= limit
        && triangles_within(a, b, tolerance)
}
