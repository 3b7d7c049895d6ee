//! Compares every pair of bodies, by boxes and by bounding spheres where a sphere is smaller (Zachmann 1995).
//!
//! Takes quadratic time, so it suits few bodies. Tests use it as the reference for the other broad phases.

use super::{BroadPhase, Detail, Proxies, ProxyPair, ordered};
use crate::{Bounds, Threads};
use glam::DVec3;
use std::{f64::consts::PI, ops::ControlFlow};

/// Compares every body with every other.
///
/// Boxes are compared first. If the sphere around a body has less volume than its box, the sphere is compared
/// with the other body's sphere or box too, and a pair whose spheres do not overlap is dropped.
#[derive(Clone, Debug)]
pub struct AllPairs {
    detail: Detail,
    present: Vec<u32>,
}

impl AllPairs {
    /// Compares boxes, and spheres where they are smaller.
    pub fn new() -> Self {
        Self { detail: Detail::Spheres, present: Vec::new() }
    }

    /// Compares boxes only. The result is the set of pairs that every other broad phase has to find.
    pub fn boxes() -> Self {
        Self { detail: Detail::Boxes, present: Vec::new() }
    }
}

impl Default for AllPairs {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for AllPairs {
    fn wants(&self) -> Detail {
        self.detail
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
        for (i, &a) in self.present.iter().enumerate() {
            for &b in &self.present[i + 1..] {
                if proxies.overlap(a, b) && !are_apart(proxies, a, b) {
                    visit(ordered(a, b))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
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
