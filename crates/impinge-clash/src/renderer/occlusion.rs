//! Ambient occlusion: how much of the ambient light reaches a point. Corners and places near walls are
//! darker.
//!
//! After McGuire et al., The Alchemy Screen-Space Ambient Obscurance Algorithm, 2011: the surfaces visible
//! around a pixel stand for the surfaces around the point.

use super::{Camera, normal};
use impinge::glam::Vec3;
use rayon::prelude::*;

/// Number of samples around each point.
const OFFSET_COUNT: usize = 12;

/// Range of occlusion, as a share of the distance to the middle of the picture.
const REACH: f32 = 0.09;

/// Occlusion is computed for one pixel in so many along each axis: it changes slowly.
const EVERY: usize = 2;

/// The nearest solid surface at a pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    /// Inverse distance; 0 if there is no surface.
    pub(super) depth: f32,
    /// The packed normal.
    pub(super) normal: u32,
}

/// Returns the share of ambient light at every pixel.
pub(super) fn open(front: &[Front], camera: &Camera, width: usize, height: usize) -> Vec<f32> {
    let places = Places { front, width, height, focal: camera.focal(height) as f32 };
    let [columns, rows] = [width, height].map(|length| length.div_ceil(EVERY));
    let mut raw = vec![1.0_f32; columns * rows];
    let spiral = spiral();
    raw.par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, line)| {
        for (column, share) in line.iter_mut().enumerate() {
            let offsets = &spiral[row % 4 * 4 + column % 4];
            *share = places.open(column * EVERY, row * EVERY, offsets);
        }
    });
    // Neighbours sample different directions; the mean over 4 × 4 covers all of them.
    let mut mean = vec![1.0_f32; width * height];
    mean.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, line)| {
        let near = |at: usize, end: usize| {
            let at = at.div_ceil(EVERY);
            at.saturating_sub(2)..(at + 2).min(end)
        };
        for (column, share) in line.iter_mut().enumerate() {
            let here = front[row * width + column].depth;
            if here == 0.0 {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for y in near(row, rows) {
                for x in near(column, columns) {
                    let there = front[y * EVERY * width + x * EVERY].depth;
                    if (there - here).abs() < 0.02 * here {
                        sum += raw[y * columns + x];
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                *share = sum / count;
            }
        }
    });
    mean
}

/// Returns sixteen spirals of sample offsets, each rotated differently.
fn spiral() -> Vec<[(f32, f32); OFFSET_COUNT]> {
    let turned = |pattern: usize| {
        std::array::from_fn(|at| {
            let radius = (at as f64 + 0.5) / OFFSET_COUNT as f64;
            // The golden angle spreads the samples evenly.
            let angle =
                at as f64 * 2.399_963_229_728_653 + pattern as f64 * std::f64::consts::TAU / 16.0;
            ((radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32)
        })
    };
    // Neighbours in a 4 × 4 square have very different rotations.
    [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map(turned).to_vec()
}

/// The surfaces of a picture.
struct Places<'f> {
    front: &'f [Front],
    width: usize,
    height: usize,
    focal: f32,
}

impl Places<'_> {
    /// Returns the point of the surface that is visible at a pixel.
    fn place(&self, x: usize, y: usize) -> Option<Vec3> {
        let depth = self.front[y * self.width + x].depth;
        let across = x as f32 - self.width as f32 * 0.5;
        let along = self.height as f32 * 0.5 - y as f32;
        (depth > 0.0).then(|| Vec3::new(across, along, self.focal) / (depth * self.focal))
    }

    fn open(&self, x: usize, y: usize, offsets: &[(f32, f32); OFFSET_COUNT]) -> f32 {
        let Some(here) = self.place(x, y) else { return 1.0 };
        let normal = normal::unpack(self.front[y * self.width + x].normal);
        let reach = REACH * self.focal / here.z;
        let mut taken = 0.0;
        for (dx, dy) in offsets {
            let (x, y) = (x as f32 + dx * reach, y as f32 + dy * reach);
            if x < 0.0 || y < 0.0 {
                continue;
            }
            let (x, y) = (x as usize, y as usize);
            if x >= self.width || y >= self.height {
                continue;
            }
            let Some(there) = self.place(x, y) else { continue };
            let way = there - here;
            let above = way.dot(normal) - 0.002 * here.z;
            let distance_sq = way.length_squared();
            if above > 0.0 && distance_sq < REACH * REACH {
                let fade = 1.0 - distance_sq / (REACH * REACH);
                taken += above * fade / (distance_sq + 4e-5).sqrt();
            }
        }
        (1.0 - 1.9 * taken / OFFSET_COUNT as f32).max(0.15)
    }
}
