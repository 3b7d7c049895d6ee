//! Compares every pair of bodies: by boxes, by bounding spheres (Kitamura, Takemura, Kishino 1994), or by boxes
//! and by spheres where a sphere is smaller (Zachmann 1995).
//!
//! Takes quadratic time, so it suits few bodies. Tests use it as the reference for the other broad phases.

use super::{BroadPhase, Detail, Proxies, ProxyPair, ordered};
use crate::{Bounds, Threads};
use glam::DVec3;
use std::{f64::consts::PI, ops::ControlFlow};

/// Compares every body with every other.
///
/// [`AllPairs::new`] compares boxes first. If the sphere around a body has less volume than its box, the sphere
/// is compared with the other body's sphere or box too, and a pair whose spheres do not overlap is dropped.
#[derive(Clone, Debug)]
pub struct AllPairs {
    compared: Compared,
    present: Vec<u32>,
}

/// The volumes that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Nothing,
    Boxes,
    Spheres,
    /// Boxes, and spheres where they are smaller.
    Both,
}

impl AllPairs {
    /// Compares boxes, and spheres where they are smaller.
    pub fn new() -> Self {
        Self { compared: Compared::Both, present: Vec::new() }
    }

    /// Compares boxes only. The result is the set of pairs that every other broad phase has to find.
    pub fn boxes() -> Self {
        Self { compared: Compared::Boxes, present: Vec::new() }
    }

    /// Compares nothing: reports every pair of bodies that have faces, however far apart. For comparisons with
    /// methods that work without a broad phase.
    pub fn unchecked() -> Self {
        Self { compared: Compared::Nothing, present: Vec::new() }
    }

    /// Compares bounding spheres only. May report pairs whose boxes are apart, and drops pairs whose spheres are.
    pub fn spheres() -> Self {
        Self { compared: Compared::Spheres, present: Vec::new() }
    }
}

impl Default for AllPairs {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for AllPairs {
    fn wants(&self) -> Detail {
        match self.compared {
            Compared::Nothing | Compared::Boxes => Detail::Boxes,
            Compared::Spheres | Compared::Both => Detail::Spheres,
        }
    }

    fn reports_all_pairs(&self) -> bool {
        self.compared == Compared::Nothing
    }

    fn insert(&mut self, _proxies: &Proxies, proxy: u32) {
        self.present.push(proxy);
    }

    fn remove(&mut self, _proxies: &Proxies, proxy: u32) {
        if let Some(place) = self.present.iter().position(|&p| p == proxy) {
            self.present.swap_remove(place);
        }
    }

    fn update(&mut self, _proxies: &Proxies, _moved: &[u32]) {}

    fn pairs(
        &mut self,
        proxies: &Proxies,
        _threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let overlap = match self.compared {
            Compared::Nothing => are_candidates,
            Compared::Boxes => |proxies: &Proxies, a, b| proxies.overlap(a, b),
            Compared::Spheres => spheres_overlap,
            Compared::Both => {
                |proxies: &Proxies, a, b| proxies.overlap(a, b) && !are_apart(proxies, a, b)
            }
        };
        for (i, &a) in self.present.iter().enumerate() {
            for &b in &self.present[i + 1..] {
                if overlap(proxies, a, b) {
                    visit(ordered(a, b))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether both bodies have faces, and at least one may move.
fn are_candidates(proxies: &Proxies, a: u32, b: u32) -> bool {
    (proxies.is_moving(a) || proxies.is_moving(b))
        && ![a, b].iter().any(|&proxy| proxies.bounds(proxy).is_empty())
}

/// Whether two bodies are candidates, and their bounding spheres may overlap.
fn spheres_overlap(proxies: &Proxies, a: u32, b: u32) -> bool {
    let (Some((a_center, a_radius)), Some((b_center, b_radius))) =
        (proxies.sphere(a), proxies.sphere(b))
    else {
        return false;
    };
    !is_beyond(a_center - b_center, a_radius + b_radius) && are_candidates(proxies, a, b)
}

/// Whether the bounding spheres prove that two bodies are apart. Uses the sphere of a body only if it fits
/// better than its box.
fn are_apart(proxies: &Proxies, a: u32, b: u32) -> bool {
    let (Some(a_sphere), Some(b_sphere)) = (proxies.sphere(a), proxies.sphere(b)) else {
        return false;
    };
    let (a, b) = (proxies.bounds(a), proxies.bounds(b));
    match (fits_better(a_sphere, a), fits_better(b_sphere, b)) {
        (false, false) => false,
        (true, false) => is_beyond(a_sphere.0 - a_sphere.0.clamp(b.min, b.max), a_sphere.1),
        (false, true) => is_beyond(b_sphere.0 - b_sphere.0.clamp(a.min, a.max), b_sphere.1),
        (true, true) => is_beyond(a_sphere.0 - b_sphere.0, a_sphere.1 + b_sphere.1),
    }
}

/// Whether the sphere has less volume than the box. `false` if a volume overflows.
fn fits_better((_, radius): (DVec3, f64), bounds: &Bounds) -> bool {
    let volume = bounds.size().element_product();
    4.0 / 3.0 * PI * (radius * radius * radius) < volume && volume.is_finite()
}

/// Whether a vector is certainly longer than `radius`. The factor covers the roundings of the differences and
/// squares; an overflow makes the result `false`.
fn is_beyond(offset: DVec3, radius: f64) -> bool {
    offset.length_squared() > radius * radius * (1.0 + 32.0 * f64::EPSILON) + f64::MIN_POSITIVE
}
