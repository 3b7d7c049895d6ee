//! Coordinates for narrow numbers: where most bodies are, and about as large as they are spread.

use super::block::Narrow;
use crate::{Bounds, broad::Proxies};
use glam::DVec3;

/// An origin and a scale. The image of a coordinate is `(x − origin) · scale` as `f32`.
///
/// Any would be right; narrow numbers are finest around the origin. So it is where the middle of a
/// sample is, which a few bodies that got lost far away do not move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    origin: DVec3,
    scale: f64,
}

/// How many are looked at.
const SAMPLE: usize = 64;

impl Frame {
    /// The frame for some proxies.
    pub(super) fn around(proxies: &Proxies, order: &[u32]) -> Self {
        let mut origin = DVec3::ZERO;
        let mut spread = 0.0f64;
        for axis in 0..3 {
            let centers = order.iter().map(|&proxy| proxies.bounds(proxy).center()[axis]);
            let [low, middle, high] = quantiles(order.len(), centers);
            origin[axis] = middle;
            spread = spread.max(high - middle).max(middle - low);
        }
        // Within what has an inverse, whatever was found.
        let spread = if spread > 0.0 { spread.clamp(1e-290, 1e290) } else { 1.0 };
        Self { origin, scale: 1.0 / spread }
    }

    /// A box in narrow numbers. None of them for an empty box: it overlaps nothing.
    #[inline(always)]
    pub(super) fn narrow(&self, bounds: &Bounds) -> Narrow {
        let min = (bounds.min - self.origin) * self.scale;
        let max = (bounds.max - self.origin) * self.scale;
        let narrow = Narrow {
            min: [min.x as f32, min.y as f32, min.z as f32],
            max: [max.x as f32, max.y as f32, max.z as f32],
        };
        if bounds.min.x > bounds.max.x { Narrow::NOWHERE } else { narrow }
    }
}

/// What a tenth of some numbers are below, half of them, and all but a tenth, going by a sample; zeros
/// if none of them is finite.
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
