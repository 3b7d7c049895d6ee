//! The broad stage: which bodies of a world might touch?
//!
//! Every body is a proxy: a number, and a box in the world that holds the body ([`Proxies`]). A
//! [`BroadPhase`] finds the pairs of proxies whose boxes overlap, closed as boxes are, unless both of
//! them are fixed. All of them find these very pairs, at every step and in any order, with two
//! exceptions, both of which leave out only pairs of which it is certain that they do not touch:
//! [`AllPairs`] looks at spheres too where these fit better, and [`Sweep::directions`] at more
//! directions than the axes. What a world answers does not depend on it: contacts are decided exactly.
//!
//! | file | what it holds |
//! |---|---|
//! | `proxies.rs` | [`Proxies`]: what broad phases know of bodies |
//! | `all_pairs.rs` | [`AllPairs`]: every pair, by spheres or boxes |
//! | `sweep.rs` | [`Sweep`]: sorted lists along the axes, or more directions, and the pairs so far |
//! | `tree.rs` | [`DynamicTree`]: a tree of boxes with room for bodies to move in |
//! | `packed/` | [`Packed`]: boxes by eight along a curve that fills space; the default |

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
/// A world calls it whenever a proxy is added, moved or taken away; where it is, and whether it is
/// there at all, is in the table that comes with every call.
pub trait BroadPhase: Debug + Send + Sync {
    /// What it wants to know of bodies besides their boxes.
    fn wants(&self) -> Detail {
        Detail::Boxes
    }

    /// Takes note of a proxy that is in the table from now on.
    fn insert(&mut self, proxies: &Proxies, proxy: u32);

    /// Takes note of a proxy that is about to leave the table.
    fn remove(&mut self, proxies: &Proxies, proxy: u32);

    /// Takes note of proxies that have moved.
    fn update(&mut self, proxies: &Proxies, moved: &[u32]);

    /// Visits the pairs of proxies whose boxes overlap, but for those of which both are fixed, each
    /// pair once, in any order, until told to stop.
    fn pairs(
        &mut self,
        proxies: &Proxies,
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the proxies whose boxes overlap a box, each once, in any order, until told to stop.
    fn overlapping(
        &mut self,
        proxies: &Proxies,
        bounds: &Bounds,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        proxies.iter().filter(|&proxy| proxies.bounds(proxy).overlaps(bounds)).try_for_each(visit)
    }
}

/// Two proxies in order.
#[inline]
fn ordered(a: u32, b: u32) -> ProxyPair {
    if a < b { [a, b] } else { [b, a] }
}
