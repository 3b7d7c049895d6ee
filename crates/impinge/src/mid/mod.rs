//! The mid stage: which faces of two bodies might touch?
//!
//! Every [`Method`] proposes face pairs in its own way, and the exact test of
//! [`narrow`](crate::narrow) decides each. So all methods give the same answer, and they differ
//! only in speed and memory.
//!
//! | file | what it holds |
//! |---|---|
//! | `method.rs` | [`Method`]: the methods by name |
//! | `index.rs` | [`Index`]: a mesh prepared by a method, to be shared, saved and loaded |
//! | `shape.rs`, `searcher.rs` | [`Shape`]: an index that owns its mesh, and any two of them in turn |
//! | `pair.rs` | [`Pair`] and [`Query`]: two indexed meshes, and what can be asked about them |
//! | `cache.rs` | [`Cache`]: what a caller keeps from query to query |
//! | `batch.rs` | [`Batch`]: one pair at many poses, over all cores; [`Bits`] and [`ContactLists`]: its answers |
//! | `timed.rs` | [`Timed`]: queries that can be interrupted and resumed |
//! | `distance.rs` | [`MeshDistance`]: the least distance, over any method |
//! | `question.rs` | what a query asks of two bodies and of two faces |
//! | `brute.rs`, `tree/`, `boxtree/`, `wide/` | the methods |
//! | `hierarchy.rs`, `faces.rs` | what all trees share: the queries, and the faces of two leaves |

mod batch;
pub mod boxtree;
mod brute;
mod cache;
mod distance;
mod faces;
mod hierarchy;
mod index;
mod method;
mod pair;
mod question;
mod searcher;
mod shape;
mod timed;
pub mod tree;
pub(crate) mod wide;

pub use batch::{Batch, Bits, ContactLists};
pub use cache::Cache;
pub(crate) use distance::checked as checked_tolerance;
pub use distance::{MeshDistance, ToleranceError};
pub use index::{Index, MethodMismatch};
pub use method::{Method, UnknownMethod};
pub use pair::{Pair, Query};
pub(crate) use searcher::Searcher;
pub use shape::Shape;
pub use timed::{Budget, OpenPair, Timed, Verdict};
pub(crate) use wide::{Nearest, PointStack};
pub use wide::{WideOptions, WideQuality};

use cache::Spot;
use distance::Least;
use question::Question;
use std::ops::ControlFlow;
use timed::Meter;
use tree::{Front, WalkCounts};

/// A face of one body and a face of another that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacePair {
    /// The face of the first body.
    pub a: u32,
    /// The face of the second body.
    pub b: u32,
}

/// Sorts pairs: by one number, which compares faster than two.
fn sort(pairs: &mut [FacePair]) {
    pairs.sort_unstable_by_key(|pair| (u64::from(pair.a) << 32) | u64::from(pair.b));
}

/// How many threads a query may use. The answer does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The caller's alone.
    #[default]
    One,
    /// All of the current [rayon] pool.
    Pool,
}

/// What a method has to offer to be chosen by name. One dynamic call a query, and one for each pair
/// that is found; none inside.
trait Search: Send {
    /// Some faces that are as close as asked, if there are any. Methods that can say where they found
    /// them do so, and look there first the next time.
    fn any(
        &mut self,
        question: &Question,
        threads: Threads,
        spot: &mut Option<Spot>,
    ) -> Option<FacePair>;

    /// Appends all faces that are as close as asked, each pair once, in any order.
    fn collect(&mut self, question: &Question, threads: Threads, contacts: &mut Vec<FacePair>);

    /// Visits all faces that are as close as asked, each pair once, in any order, until told to
    /// stop; from a front on if there is one.
    fn visit(
        &mut self,
        question: &Question,
        front: Option<&mut Front>,
        visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Offers all faces that could be the closest, in any order.
    fn near(&mut self, question: &Question, least: &mut Least);

    /// Begins a search that can be interrupted.
    fn begin(&mut self, question: &Question);

    /// Goes on with it until it has ended, which is returned, or the meter has run out, or, if that
    /// is all that is wanted, something is found. Appends what is found; no pair twice, but for
    /// what earlier calls have found.
    fn advance(
        &mut self,
        question: &Question,
        meter: &mut Meter,
        wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool;

    /// How many pairs of nodes such a search has left open, and the largest of their overlaps.
    fn left_open(&self) -> (usize, f64);

    /// Visits what it has left open.
    fn visit_open(&self, visit: &mut dyn FnMut(OpenPair<'_>));

    /// What the index holds for both meshes, the meshes themselves not counted.
    fn index_bytes(&self) -> usize;

    /// What the last query did; nothing for methods that do not count.
    fn counts(&self) -> WalkCounts {
        WalkCounts::default()
    }
}
