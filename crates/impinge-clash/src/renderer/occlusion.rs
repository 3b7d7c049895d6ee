//! How much of the light from all around reaches a place: less in corners and beside walls.
//!
//! After McGuire et al., The Alchemy Screen-Space Ambient Obscurance Algorithm, 2011: what is seen
//! around a place, in the picture, stands for what is around it.

use super::{Camera, SAMPLES, raster::Layers};
use impinge::glam::Vec3;
use rayon::prelude::*;

/// Places that are looked at around each.
const LOOKS: usize = 12;

/// How far light is taken away, as a share of the distance to the middle of the picture.
const REACH: f32 = 0.09;

/// The share of light at every pixel.
pub(super) fn open(layers: &Layers, camera: &Camera, width: usize, height: usize) -> Vec<f32> {
    let places = Places::new(layers, camera, width, height);
    let mut raw = vec![1.0_f32; width * height];
    let spiral = spiral();
    raw.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, line)| {
        for (column, share) in line.iter_mut().enumerate() {
            let sample = &layers.solid[row * SAMPLES * layers.width + column * SAMPLES];
            if sample.is_something() {
                *share =
                    places.open(column, row, sample.normal(), &spiral[row % 4 * 4 + column % 4]);
            }
        }
    });
    // Neighbours look into other directions: the mean of four by four has seen them all.
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
            // Itself is among them.
            *share = sum / count;
        }
    });
    mean
}

/// Sixteen spirals, each turned against the others.
fn spiral() -> Vec<[(f32, f32); LOOKS]> {
    let turned = |pattern: usize| {
        std::array::from_fn(|at| {
            let radius = (at as f64 + 0.5) / LOOKS as f64;
            // The golden angle spreads them evenly.
            let angle =
                at as f64 * 2.399_963_229_728_653 + pattern as f64 * std::f64::consts::TAU / 16.0;
            ((radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32)
        })
    };
    // Neighbours in a square of four by four are far from each other in turn.
    [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map(turned).to_vec()
}

/// What is seen at each pixel, close together: looks go far.
struct Places {
    /// One over the distance, as in the layers.
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

    /// Where the surface is that is seen at a pixel.
    fn place(&self, x: usize, y: usize) -> Option<Vec3> {
        let depth = self.depths[y * self.width + x];
        let across = x as f32 - self.width as f32 * 0.5;
        let along = self.height as f32 * 0.5 - y as f32;
        (depth > 0.0).then(|| Vec3::new(across, along, self.focal) / (depth * self.focal))
    }

    fn open(&self, x: usize, y: usize, normal: Vec3, looks: &[(f32, f32); LOOKS]) -> f32 {
        let Some(here) = self.place(x, y) else { return 1.0 };
        let reach = REACH * self.focal / here.z;
        let mut taken = 0.0;
        for (dx, dy) in looks {
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
        (1.0 - 1.9 * taken / LOOKS as f32).max(0.15)
    }
}
