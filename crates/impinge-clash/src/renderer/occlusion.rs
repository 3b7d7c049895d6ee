//! Ambient occlusion: how much of the ambient light reaches a point. Corners and places near walls are
//! darker.
//!
//! After McGuire et al., The Alchemy Screen-Space Ambient Obscurance Algorithm, 2011: the surfaces visible
//! around a pixel stand for the surfaces around the point.

use super::{Camera, SAMPLES, raster::Layers};
use impinge::glam::Vec3;
use rayon::prelude::*;

/// Number of samples around each pixel.
const OFFSET_COUNT: usize = 12;

/// Range of occlusion, as a share of the distance to the middle of the picture.
const REACH: f32 = 0.09;

/// Returns the share of ambient light at every pixel.
pub(super) fn open(layers: &Layers, camera: &Camera, width: usize, height: usize) -> Vec<f32> {
    let places = Places::new(layers, camera, width, height);
    let mut raw = vec![1.0_f32; width * height];
    let spiral = spiral();
    raw.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, line)| {
        for (column, share) in line.iter_mut().enumerate() {
            let sample = &layers.solid[row * SAMPLES * layers.width + column * SAMPLES];
            if sample.is_surface() {
                *share =
                    places.open(column, row, sample.normal(), &spiral[row % 4 * 4 + column % 4]);
            }
        }
    });
    // Neighbouring pixels sample different directions; the mean over 4 × 4 pixels covers all of them.
    let mut mean = vec![1.0_f32; width * height];
    mean.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, line)| {
        for (column, share) in line.iter_mut().enumerate() {
            let here = places.depths[row * width + column];
            if here == 0.0 {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for y in row.saturating_sub(2)..(row + 2).min(height) {
                for x in column.saturating_sub(2)..(column + 2).min(width) {
                    if (places.depths[y * width + x] - here).abs() < 0.02 * here {
                        sum += raw[y * width + x];
                        count += 1.0;
                    }
                }
            }
            // The pixel itself counts, so `count` is not zero.
            *share = sum / count;
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

/// The depth at each pixel, stored densely because samples are far apart.
struct Places {
    /// Inverse distance, as in the layers.
    depths: Vec<f32>,
    width: usize,
    height: usize,
    focal: f32,
}

impl Places {
    fn new(layers: &Layers, camera: &Camera, width: usize, height: usize) -> Self {
        let row = |row: usize| {
            let first = row * SAMPLES * layers.width;
            (0..width).map(move |column| layers.solid[first + column * SAMPLES].depth)
        };
        let depths = (0..height).flat_map(row).collect();
        Self { depths, width, height, focal: camera.focal(height) as f32 }
    }

    /// Returns the point of the surface that is visible at a pixel.
    fn place(&self, x: usize, y: usize) -> Option<Vec3> {
        let depth = self.depths[y * self.width + x];
        let across = x as f32 - self.width as f32 * 0.5;
        let along = self.height as f32 * 0.5 - y as f32;
        (depth > 0.0).then(|| Vec3::new(across, along, self.focal) / (depth * self.focal))
    }

    fn open(&self, x: usize, y: usize, normal: Vec3, offsets: &[(f32, f32); OFFSET_COUNT]) -> f32 {
        let Some(here) = self.place(x, y) else { return 1.0 };
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
