//! The broad phase: finds the pairs of bodies that might touch. [`World`](crate::World) and
//! [`clash`](crate::clash) call it.
//!
//! Each body is represented by a proxy: a number, and a box in world coordinates that encloses the body
//! ([`Proxies`]). A [`BroadPhase`] reports the candidate pairs: pairs of proxies whose closed boxes overlap
//! and of which at least one may move. All broad phases report exactly these pairs, in any order, with these
//! exceptions: [`AllPairs::new`] also compares spheres where they are smaller, [`AllPairs::spheres`] compares only
//! spheres, [`AllPairs::unchecked`] compares nothing, and [`Sweep::directions`] and [`Sweep::hull_directions`] compare extents along other directions. All
//! of them drop only pairs that are proven not to touch. Contacts are decided exactly later, so the answers of a
//! world do not depend on its broad phase.
//!
//! | file | what it holds |
//! |---|---|
//! | `proxies.rs` | [`Proxies`]: boxes of the bodies, and spheres or extents on request |
//! | `all_pairs.rs` | [`AllPairs`]: compares every pair; the reference |
//! | `sweep.rs` | [`Sweep`]: sweep and prune, along the axes or more directions |
//! | `tree.rs` | [`DynamicTree`]: a binary tree of boxes with a margin |
//! | `packed/` | [`Packed`]: an eight-way tree of boxes in Hilbert order; the default |

mod all_pairs;
mod packed;
mod proxies;
mod sweep;
mod tree;

pub use all_pairs::AllPairs;
pub use packed::Packed;
pub use proxies::{Detail, Proxies};
pub use sweep::Sweep;
pub use tree::DynamicTree;

use crate::{Bounds, Threads};
use std::{fmt::Debug, ops::ControlFlow};

/// Two proxies, the lower number first.
pub type ProxyPair = [u32; 2];

/// A way to find the bodies that might touch.
///
/// The owner of the bodies, usually a [`World`](crate::World), reports each proxy that it adds, moves or
/// removes. Every call also receives the table of all proxies, which says where each proxy is and whether it
/// exists.
pub trait BroadPhase: Debug + Send + Sync {
    /// The data this broad phase needs for each proxy besides its box.
    fn wants(&self) -> Detail {
        Detail::Boxes
    }

    /// Called after a proxy was added to the table.
    fn insert(&mut self, proxies: &Proxies, proxy: u32);

    /// Called before a proxy is removed from the table.
    fn remove(&mut self, proxies: &Proxies, proxy: u32);

    /// Called after the boxes of proxies have changed.
    fn update(&mut self, proxies: &Proxies, moved: &[u32]);

    /// Visits each candidate pair once, in any order, until `visit` returns `Break`. A candidate pair is two
    /// proxies whose boxes overlap, at least one of which may move.
    fn pairs(
        &mut self,
        proxies: &Proxies,
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Whether this broad phase compares nothing: it reports every pair of bodies that have faces. A world then does
    /// not ask for pairs at all if the method of its bodies searches all of them at once.
    fn reports_all_pairs(&self) -> bool {
        false
    }

    /// Visits each proxy whose box overlaps `bounds` once, in any order, until `visit` returns `Break`.
    fn overlapping(
        &mut self,
        proxies: &Proxies,
        bounds: &Bounds,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        proxies.iter().filter(|&proxy| proxies.bounds(proxy).overlaps(bounds)).try_for_each(visit)
    }
}

/// The two proxies as a pair, the lower number first.
#[inline]
fn ordered(a: u32, b: u32) -> ProxyPair {
    if a < b { [a, b] } else { [b, a] }
}
