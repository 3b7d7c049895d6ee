//! Seeded pairs of triangles that are hard to decide, in named families.
//!
//! A pair depends only on the family and the seed, so a failing test has to print just these two:
//!
//! ```
//! use impinge_oracle::{cases, triangles_touch};
//!
//! for family in cases::families() {
//!     let (a, b) = family.pair(7);
//!     println!("{}, seed 7: {}", family.name, triangles_touch(&a, &b));
//! }
//! ```

mod contact;
mod flat;
mod general;
mod hulls;
mod moving;
mod range;
mod rays;
mod rng;
mod shape;

pub use hulls::{HullFamily, HullPair, HullRelation, hull_families};
pub use moving::{MovingFamily, moving_families};
pub use rays::{RayCase, RayFamily, ray_families};
pub use rng::Rng;

use crate::Triangle;

/// Two triangles to be tested against each other.
pub type Pair = (Triangle, Triangle);

/// The answers that the pairs of a family have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Some pairs touch and some do not: at least one in twenty of each.
    Both,
    /// All pairs touch, by construction.
    AllTouch,
}

/// A kind of pair; every seed gives another example.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// A short name in kebab case, for test messages.
    pub name: &'static str,
    /// The expected answers.
    pub answers: Answers,
    make: fn(&mut Rng) -> Pair,
}

impl Family {
    /// Returns the pair of a seed. All coordinates are finite.
    pub fn pair(&self, seed: u64) -> Pair {
        let mut rng = Rng::new(seed);
        let pair = (self.make)(&mut rng);
        // A construction treats some corner, axis or triangle as special. Code under test may do so too, so the
        // roles are permuted.
        shape::shuffled(&mut rng, pair)
    }
}

/// All families.
pub fn families() -> &'static [Family] {
    FAMILIES
}

const fn both(name: &'static str, make: fn(&mut Rng) -> Pair) -> Family {
    Family { name, answers: Answers::Both, make }
}

const fn touching(name: &'static str, make: fn(&mut Rng) -> Pair) -> Family {
    Family { name, answers: Answers::AllTouch, make }
}

const FAMILIES: &[Family] = &[
    both("uniform", general::uniform),
    both("close", general::close),
    both("grid-1", |rng| general::grid(rng, 1)),
    both("grid-2", |rng| general::grid(rng, 2)),
    both("grid-8", |rng| general::grid(rng, 8)),
    both("rotated-grid", general::rotated_grid),
    both("rotated-contact", general::rotated_contact),
    both("far", general::far),
    both("coplanar-axis", flat::coplanar_axis),
    both("coplanar-tilted", flat::coplanar_tilted),
    both("coplanar-tilted-off-by-an-ulp", flat::coplanar_off_by_an_ulp),
    both("parallel-axis", flat::parallel_axis),
    both("parallel-tilted", flat::parallel_tilted),
    both("sliver", flat::sliver),
    both("two-slivers", flat::two_slivers),
    both("needle", flat::needle),
    both("segment", flat::segment),
    both("point", flat::point),
    both("both-degenerate", flat::both_degenerate),
    touching("identical", contact::identical),
    touching("shared-vertex", contact::shared_vertex),
    touching("shared-edge", contact::shared_edge),
    touching("vertex-on-face", contact::vertex_on_face),
    touching("vertex-on-edge", contact::vertex_on_edge),
    touching("edges-crossing", contact::edges_crossing),
    touching("tip", contact::tip),
    both("shared-vertex-moved", |rng| contact::moved(rng, contact::shared_vertex)),
    both("shared-edge-moved", contact::shared_edge_moved),
    both("vertex-on-face-moved", |rng| contact::moved(rng, contact::vertex_on_face)),
    both("vertex-on-edge-moved", |rng| contact::moved(rng, contact::vertex_on_edge)),
    both("edges-crossing-moved", |rng| contact::moved(rng, contact::edges_crossing)),
    both("tip-moved", |rng| contact::moved(rng, contact::tip)),
    both("huge", range::huge),
    both("huge-close-together", range::huge_close_together),
    both("huge-translated", range::huge_translated),
    both("largest", range::largest),
    both("tiny", range::tiny),
    both("denormal", range::denormal),
    both("denormal-contact-moved", range::denormal_contact_moved),
    both("mixed-exponents", |rng| range::mixed_exponents(rng, -1074, 330)),
    both("mixed-exponents-mild", |rng| range::mixed_exponents(rng, -60, 60)),
];
