//! The methods: which faces of two bodies might touch?
//!
//! Every [`Method`] proposes pairs of faces in its own way, and the exact test of
//! [`narrow`](crate::narrow) decides about each. So all methods give the same answer, and they differ
//! only in speed and memory.
//!
//! A method is a folder and a line in the table. It implements two traits: [`Prepared`], what it
//! prepares of one mesh, and [`Search`], how it finds the faces of two prepared bodies that are as
//! close as a [`Question`] asks. [`query`](crate::query) knows methods only through these two.
//!
//! | file | what it holds |
//! |---|---|
//! | `table.rs` | [`Method`] and [`MethodInfo`]: the table of methods |
//! | `prepared.rs` | [`Prepared`] and [`Recipe`]: what is prepared of a mesh, and how |
//! | `search.rs` | [`Search`]: the search of two prepared bodies |
//! | `question.rs` | [`Question`] and [`FaceDecider`]: what is asked, and the decision about two faces |
//! | `group.rs` | [`GroupSearch`]: the search of many bodies at once |
//! | `self_question.rs` | [`SelfQuestion`] and [`SelfDecider`]: the same for a body and itself |
//! | `nearest.rs` | [`NearestFaces`]: the closest pair of faces found so far |
//! | `resumable.rs` | [`Budget`], [`Meter`], [`OpenPair`]: searches that can be interrupted |
//! | `cache.rs`, `front.rs` | [`Cache`] and [`Front`]: what one query remembers for the next |
//! | `order.rs` | [`WalkOrder`]: the order of descent into two binary trees |
//! | `fit_quality.rs` | when a tree that is fitted to moved faces is built anew |
//! | `counts.rs` | [`WalkCounts`], [`SearchSteps`]: how many tests a search made, and how long its steps took |
//! | `save/` | the file format that saved trees share |
//! | `brute.rs`, `naive.rs`, `tree/`, `boxtree/`, `wide/`, `octree/`, `face_octree/`, `hull/` | the methods |
//! | `cells/` | what the octrees share: the subdivision of space into cells |
//! | `hierarchy/` | what all trees share: the search of two bodies with a tree each |

pub mod boxtree;
mod brute;
mod cache;
mod cells;
mod counts;
pub mod face_octree;
mod fit_quality;
mod front;
mod group;
mod hierarchy;
pub mod hull;
mod naive;
mod nearest;
pub mod octree;
mod order;
mod prepared;
mod question;
mod resumable;
mod save;
mod search;
mod self_question;
mod table;
pub mod tree;
mod wide;

pub(crate) use brute::NOTHING_PREPARED;
pub(crate) use cache::Witness;
pub use cache::{Cache, Hint};
pub use counts::{SearchSteps, WalkCounts};
pub use front::Front;
pub use group::{Group, GroupPair, GroupPairs, GroupSearch, GroupVisitor};
pub use hierarchy::LeafVisitor;
pub use nearest::{MeshDistance, NearestFaces};
pub use order::WalkOrder;
pub use prepared::{
    Load, PointScratch, Prepared, Recipe, RefitError, SolidScratch, SolidVisitor, TreeReport,
};
pub(crate) use question::Proximity;
pub use question::{FaceDecider, PlacedShape, Question};
pub use resumable::{Budget, Meter, OpenPair};
pub use save::{NodeProblem, TreeFileError, VolumeProblem};
pub use search::{Found, Search};
pub use self_question::{SelfDecider, SelfQuestion, SharedBy};
pub use table::{Method, MethodInfo, UnknownMethod};
pub use wide::{WideOptions, WideQuality};
