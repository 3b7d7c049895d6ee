//! Computes the colours of pixels from the visible surfaces: light, lines, glass, background.

use super::{
    Camera, Color, Image, Material, SAMPLES, Scene, focus, occlusion,
    raster::{FADED, Layers, Sample},
};
use impinge::glam::Vec3;
use rayon::prelude::*;

/// The colours of the background, at the top and at the bottom.
const SKY: [Color; 2] = [[252, 253, 255], [216, 222, 231]];

/// The colour of lines.
const INK: Color = [32, 38, 48];

/// An edge is drawn where the normal turns by more than this between two samples (squared cosine).
const EDGE_SQ: f32 = 0.67;

pub(super) fn compose(
    scene: &Scene<'_>,
    camera: &Camera,
    layers: &Layers,
    width: usize,
    height: usize,
) -> Image {
    let open = occlusion::open(layers, camera, width, height);
    let light = Light::new(scene, camera, layers);
    let to_screen = Gamma::new();
    let mut pixels = vec![[0; 3]; width * height];
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, line)| {
        let down = (row as f32 + 0.5) / height as f32;
        let sky = light.sky[0].lerp(light.sky[1], down);
        for (column, pixel) in line.iter_mut().enumerate() {
            let open = open[row * width + column];
            let mut sum = Vec3::ZERO;
            for y in row * SAMPLES..(row + 1) * SAMPLES {
                for x in column * SAMPLES..(column + 1) * SAMPLES {
                    sum += light.sample(layers, x, y, sky, open);
                }
            }
            *pixel = to_screen.color(sum / (SAMPLES * SAMPLES) as f32);
        }
    });
    Image { width, height, pixels }
}

/// The lights of a scene, and its colours in linear RGB.
struct Light {
    sky: [Vec3; 2],
    ink: Vec3,
    items: Vec<Vec3>,
    materials: Vec<Material>,
    palette: Vec<Vec3>,
    /// Directions towards the sky, the main light and the fill light, in the camera's frame.
    up: Vec3,
    key: Vec3,
    fill: Vec3,
    /// The normal of surfaces that reflect the main light to the camera.
    half: Vec3,
    focus: Option<focus::CameraFocus>,
    through: f32,
}

impl Light {
    fn new(scene: &Scene<'_>, camera: &Camera, layers: &Layers) -> Self {
        let linear = |color: &Color| linear(*color);
        let key = Vec3::new(-0.5, 0.75, -0.65).normalize();
        Self {
            sky: SKY.map(|color| linear(&color)),
            ink: linear(&INK),
            items: scene.items.iter().map(|item| linear(&item.color)).collect(),
            materials: scene.items.iter().map(|item| item.material).collect(),
            palette: scene.palette.iter().map(linear).collect(),
            up: (camera.rotation() * scene.up).as_vec3(),
            key,
            half: (key + Vec3::NEG_Z).normalize(),
            fill: Vec3::new(0.35, 0.0, -0.9).normalize(),
            focus: scene.focus.as_ref().map(|focus| focus::CameraFocus::new(focus, camera, layers)),
            through: scene.through,
        }
    }

    /// Returns the colour of a sample.
    fn sample(&self, layers: &Layers, x: usize, y: usize, sky: Vec3, open: f32) -> Vec3 {
        let at = y * layers.width + x;
        let (solid, marked) = (&layers.solid[at], &layers.marked[at]);
        let mut color = sky;
        let share = |sample: &Sample| {
            let focus = self.focus.as_ref().filter(|_| sample.mark().is_some());
            focus.map_or(1.0, |focus| focus.share(x, y, sample.depth))
        };
        if solid.is_surface() {
            color = self.surface(solid, open, share(solid));
            let line = line(layers, &layers.solid, x, y);
            color = color.lerp(self.ink, line * 0.85);
            if marked.is_surface() && marked.depth < solid.depth * 0.9995 {
                let share = share(marked);
                color = color.lerp(self.surface(marked, 1.0, share), self.through * share);
            }
        }
        let (glass, faint) =
            ((&layers.glass[at], &layers.glass), (&layers.faint[at], &layers.faint));
        let sheets = if faint.0.depth > glass.0.depth { [glass, faint] } else { [faint, glass] };
        for (sheet, layer) in sheets {
            if sheet.is_surface() && sheet.depth > solid.depth {
                // Marked surfaces shine through glass.
                let through = if solid.mark().is_some() { 0.7 * share(solid) } else { 0.0 };
                let line = line(layers, layer, x, y);
                color = self.through_glass(color, sheet, line, 1.0 - through);
            }
        }
        color
    }

    /// Returns the colour behind a sheet of glass, as seen through it.
    fn through_glass(&self, behind: Vec3, sheet: &Sample, line: f32, strength: f32) -> Vec3 {
        let facing = sheet.normal().z.abs();
        let rim = (1.0 - facing) * (1.0 - facing);
        let fade = match self.materials[sheet.item as usize] {
            Material::Faint => ((1.0 / sheet.depth - 1.0 / FADED) * 3.0).clamp(0.0, 1.0) * 0.85,
            _ => 1.0,
        };
        let strength = strength * fade;
        let own = self.items[sheet.item as usize];
        let glow = own.lerp(self.surface(sheet, 1.0, 1.0), 0.45);
        let color = behind.lerp(glow, (0.16 + 0.38 * rim) * strength);
        color.lerp(self.ink, line * 0.5 * strength)
    }

    /// Returns the colour of a lit surface. `share` is the share of the mark's colour.
    fn surface(&self, sample: &Sample, open: f32, share: f32) -> Vec3 {
        let own = self.items[sample.item as usize];
        let base = sample.mark().map_or(own, |mark| own.lerp(self.palette[mark], share));
        let normal = sample.normal();
        let above = 0.5 + 0.5 * normal.dot(self.up);
        let around = Vec3::new(0.32, 0.31, 0.30).lerp(Vec3::new(0.52, 0.55, 0.60), above) * open;
        let key = normal.dot(self.key).max(0.0) * (0.45 + 0.55 * open);
        let fill = normal.dot(self.fill).max(0.0);
        let lit = base * (around + Vec3::new(0.62, 0.60, 0.57) * key + Vec3::splat(0.20) * fill);
        // A soft highlight: the 32nd power, by repeated squaring.
        let mut gleam = normal.dot(self.half).max(0.0);
        for _ in 0..5 {
            gleam *= gleam;
        }
        lit + Vec3::splat(0.10 * gleam * open)
    }
}

/// Returns how strongly a line covers a sample, from 0 to 1. Lines lie on the nearer of two surfaces.
fn line(layers: &Layers, layer: &[Sample], x: usize, y: usize) -> f32 {
    let (width, height) = (layers.width, layers.height);
    let here = &layer[y * width + x];
    let mut line: f32 = 0.0;
    let pairs = [(1, 0), (0, 1)];
    for (dx, dy) in pairs {
        let Some((left, top)) = x.checked_sub(dx).zip(y.checked_sub(dy)) else { continue };
        if x + dx >= width || y + dy >= height {
            continue;
        }
        let before = &layer[top * width + left];
        let after = &layer[(y + dy) * width + x + dx];
        for other in [before, after] {
            if other.depth > here.depth * 1.0005 {
                continue;
            }
            if other.item != here.item {
                line = 1.0;
            } else if here.is_turned(other, EDGE_SQ) {
                line = line.max(0.8);
            }
        }
        // The inverse distance is linear across a flat face, so a sharp bend is a silhouette.
        let bend = before.depth - here.depth + (after.depth - here.depth);
        if bend < -0.012 * here.depth && before.item == here.item && after.item == here.item {
            line = line.max(0.9);
        }
    }
    line
}

/// Converts a colour from sRGB to linear RGB.
fn linear(color: Color) -> Vec3 {
    let one = |value: u8| match f64::from(value) / 255.0 {
        dark if dark <= 0.04045 => dark / 12.92,
        value => libm::pow((value + 0.055) / 1.055, 2.4),
    };
    Vec3::from_array(color.map(|value| one(value) as f32))
}

/// A lookup table from linear RGB to sRGB.
struct Gamma(Vec<u8>);

impl Gamma {
    const STEPS: f32 = 8191.0;

    fn new() -> Self {
        let shown = |step: u32| {
            let value = f64::from(step) / f64::from(Self::STEPS);
            let value = match value {
                dark if dark <= 0.003_130_8 => dark * 12.92,
                value => 1.055 * libm::pow(value, 1.0 / 2.4) - 0.055,
            };
            (value * 255.0 + 0.5) as u8
        };
        Self((0..=Self::STEPS as u32).map(shown).collect())
    }

    fn color(&self, light: Vec3) -> Color {
        let one = |value: f32| self.0[(value.clamp(0.0, 1.0) * Self::STEPS + 0.5) as usize];
        light.to_array().map(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_to_light_and_back() {
        let gamma = Gamma::new();
        for value in 0..=255 {
            let back = gamma.color(linear([value, 255 - value, 128]));
            assert!(back[0].abs_diff(value) <= 1, "{value}: {back:?}");
            assert!(back[1].abs_diff(255 - value) <= 1 && back[2].abs_diff(128) <= 1);
        }
        assert_eq!(gamma.color(Vec3::new(9.0, -1.0, f32::NAN))[..2], [255, 0]);
    }
}
