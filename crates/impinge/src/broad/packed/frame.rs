//! The frame of the `f32` coordinates: its origin is at the median of the bodies, its scale is about their
//! spread.

use super::block::Box32;
use crate::{Bounds, broad::Proxies};
use glam::DVec3;

/// An origin and a scale. The image of a coordinate is `(x − origin) · scale`, rounded to `f32`.
///
/// Any frame gives right answers, but `f32` numbers are finest near the origin. So the origin is the median
/// of a sample, which a few bodies far away do not move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    origin: DVec3,
    scale: f64,
}

/// The largest number of bodies in a sample.
const SAMPLE: usize = 64;

impl Frame {
    /// The frame for the proxies in `order`.
    pub(super) fn around(proxies: &Proxies, order: &[u32]) -> Self {
        let mut origin = DVec3::ZERO;
        let mut spread = 0.0f64;
        for axis in 0..3 {
            let centers = order.iter().map(|&proxy| proxies.bounds(proxy).center()[axis]);
            let [low, middle, high] = quantiles(order.len(), centers);
            origin[axis] = middle;
            spread = spread.max(high - middle).max(middle - low);
        }
        // Clamped, so that the inverse is finite and not zero.
        let spread = if spread > 0.0 { spread.clamp(1e-290, 1e290) } else { 1.0 };
        Self { origin, scale: 1.0 / spread }
    }

    /// A box in `f32` coordinates; [`Box32::EMPTY`] for an empty box.
    #[inline(always)]
    pub(super) fn narrowed(&self, bounds: &Bounds) -> Box32 {
        let min = (bounds.min - self.origin) * self.scale;
        let max = (bounds.max - self.origin) * self.scale;
        let bounds32 = Box32 {
            min: [min.x as f32, min.y as f32, min.z as f32],
            max: [max.x as f32, max.y as f32, max.z as f32],
        };
        if bounds.min.x > bounds.max.x { Box32::EMPTY } else { bounds32 }
    }
}

/// The 10 %, 50 % and 90 % quantiles of a sample of `numbers`, of which there are `count`; zeros if no number
/// in the sample is finite.
pub(super) fn quantiles(count: usize, numbers: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut sample = [0.0; SAMPLE];
    let mut found = 0;
    let stride = count.div_ceil(SAMPLE).max(1);
    for number in numbers.step_by(stride).filter(|number| number.is_finite()).take(SAMPLE) {
        sample[found] = number;
        found += 1;
    }
    let sample = &mut sample[..found];
    sample.sort_unstable_by(f64::total_cmp);
    match found {
        0 => [0.0; 3],
        _ => [sample[found / 10], sample[found / 2], sample[found - 1 - found / 10]],
    }
}
