//! Computes the colours of pixels from the visible surfaces: light, lines, glass, background.
//!
//! A picture is drawn in bands of a few rows, so that the samples of a band stay in the cache. Occlusion needs
//! the whole picture; so each band yields colours that are linear in the share of ambient light, and that share
//! is filled in at the end.

use super::{
    Camera, Color, Image, Material, SAMPLES, Scene, focus,
    normal::are_near,
    occlusion,
    project::{Screen, Triangle},
    raster::{FADED, Layer, Layers, Painter, Sample},
};
use impinge::glam::Vec3;
use rayon::prelude::*;

/// The colours of the background, at the top and at the bottom.
const SKY: [Color; 2] = [[252, 253, 255], [216, 222, 231]];

/// The colour of lines.
const INK: Color = [32, 38, 48];

/// An edge is drawn where the normal turns by more than this between two samples (squared cosine).
const EDGE_SQ: f32 = 0.67;

/// Samples of one pixel share their light if their packed normals differ by at most so many steps.
const SAME_LIGHT: u32 = 200;

/// The rows of pixels in a band.
const BAND: usize = 8;

pub(super) fn compose(scene: &Scene<'_>, camera: &Camera, width: usize, height: usize) -> Image {
    let size = focus::in_samples([width, height]);
    let triangles = Screen::new(camera, size, 1).triangles(scene);
    let bands = in_bands(&triangles, height);
    let paint = Painter::new(scene, camera, size);
    let light = Light::new(scene, camera, size);
    let mut colors = vec![Lit::default(); width * height];
    let mut front = vec![occlusion::Front::default(); width * height];
    let length = (width * BAND).max(1);
    let chunks = colors.par_chunks_mut(length).zip(front.par_chunks_mut(length)).zip(&bands);
    chunks.enumerate().for_each_init(
        Layers::default,
        |layers, (band, ((colors, front), those))| {
            let rows = [band * BAND, (band * BAND + BAND).min(height)];
            // Lines depend on one more sample on either side.
            let [first, end] = rows.map(|row| row * SAMPLES);
            let range = [first.saturating_sub(1), (end + 1).min(size[1])];
            layers.fill(&paint, size[0], range, those.iter().copied());
            let lines = colors.chunks_mut(width).zip(front.chunks_mut(width));
            for (row, (colors, front)) in (rows[0]..rows[1]).zip(lines) {
                let sky = light.sky[0].lerp(light.sky[1], (row as f32 + 0.5) / height as f32);
                for (column, (color, front)) in colors.iter_mut().zip(front).enumerate() {
                    *color = light.pixel(layers, column, row, sky);
                    let at = (row * SAMPLES - layers.first) * layers.width + column * SAMPLES;
                    *front = layers.solid.samples[at].front();
                }
            }
        },
    );
    let open = occlusion::open(&front, camera, width, height);
    let to_screen = Gamma::new();
    let mut pixels = vec![[0; 3]; width * height];
    let lines = pixels.par_chunks_mut(length).zip(colors.par_chunks(length));
    lines.zip(open.par_chunks(length)).for_each(|((pixels, colors), open)| {
        for (pixel, (color, open)) in pixels.iter_mut().zip(colors.iter().zip(open)) {
            *pixel = to_screen.color(color.at(*open));
        }
    });
    Image { width, height, pixels }
}

/// Returns the triangles of each band, in order.
fn in_bands(triangles: &[Vec<Triangle>], height: usize) -> Vec<Vec<&Triangle>> {
    let mut bands = vec![Vec::new(); height.div_ceil(BAND)];
    for triangle in triangles.iter().flatten() {
        let [first, last] = triangle.rows;
        // One more sample on either side, for lines.
        let first = (first.max(1) as usize - 1) / (BAND * SAMPLES);
        let last = (last.max(0) as usize + 1) / (BAND * SAMPLES);
        let last = last.min(bands.len().saturating_sub(1));
        for band in bands.iter_mut().take(last + 1).skip(first) {
            band.push(triangle);
        }
    }
    bands
}

/// A colour in linear RGB that depends on the share of ambient light.
#[derive(Clone, Copy, Debug, Default)]
struct Lit {
    /// The colour without ambient light.
    own: Vec3,
    /// The ambient light that is added.
    ambient: Vec3,
}

impl Lit {
    fn plain(own: Vec3) -> Self {
        Self { own, ambient: Vec3::ZERO }
    }

    fn at(&self, open: f32) -> Vec3 {
        self.own + self.ambient * open
    }

    /// Mixes with a colour that does not depend on the ambient light.
    fn mix(self, other: Vec3, share: f32) -> Self {
        Self { own: self.own.lerp(other, share), ambient: self.ambient * (1.0 - share) }
    }
}

/// The lights of a scene, and its colours in linear RGB.
struct Light<'s> {
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
    focus: Option<focus::CameraFocus<'s>>,
    through: f32,
}

/// The solid surface of a sample, with its light.
#[derive(Clone, Copy)]
struct Surface<'l> {
    sample: &'l Sample,
    /// The share of the mark's colour.
    share: f32,
    color: Lit,
}

/// A sheet of glass, with its light.
#[derive(Clone, Copy)]
struct Sheet<'l> {
    sample: &'l Sample,
    glow: Vec3,
    /// How much of what is behind the sheet covers, and how strong its lines are.
    cover: f32,
    lines: f32,
}

/// The surfaces of the previous samples of a pixel: the solid one, glass and faint glass.
#[derive(Clone, Copy, Default)]
struct Before<'l> {
    solid: Option<Surface<'l>>,
    sheets: [Option<Sheet<'l>>; 2],
}

impl<'s> Light<'s> {
    fn new(scene: &'s Scene<'_>, camera: &Camera, size: [usize; 2]) -> Self {
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
            focus: scene.focus.as_ref().map(|focus| focus::CameraFocus::new(focus, camera, size)),
            through: scene.through,
        }
    }

    /// Returns the mean colour of the samples of a pixel.
    fn pixel(&self, layers: &Layers, column: usize, row: usize, sky: Vec3) -> Lit {
        let first = (row * SAMPLES - layers.first) * layers.width + column * SAMPLES;
        if layers.are_empty(first) {
            return Lit::plain(sky);
        }
        let mut sum = Lit::default();
        let mut before = Before::default();
        for y in row * SAMPLES..(row + 1) * SAMPLES {
            for x in column * SAMPLES..(column + 1) * SAMPLES {
                let color = self.sample(layers, x, y, sky, &mut before);
                sum.own += color.own;
                sum.ambient += color.ambient;
            }
        }
        let share = 1.0 / (SAMPLES * SAMPLES) as f32;
        Lit { own: sum.own * share, ambient: sum.ambient * share }
    }

    /// Returns the share of its mark's colour that a surface has.
    fn share(&self, sample: &Sample, x: usize, y: usize) -> f32 {
        let focus = self.focus.as_ref().filter(|_| sample.mark().is_some());
        focus.map_or(1.0, |focus| focus.share(x, y, sample.depth))
    }

    /// Returns the colour of a sample. Takes the light of the surfaces `before` if the surfaces are the same.
    fn sample<'l>(
        &self,
        layers: &'l Layers,
        x: usize,
        y: usize,
        sky: Vec3,
        before: &mut Before<'l>,
    ) -> Lit {
        let y_in = y - layers.first;
        let at = y_in * layers.width + x;
        let solid = &layers.solid.samples[at];
        let mut color = Lit::plain(sky);
        let mut solid_share = 1.0;
        if solid.is_surface() {
            let surface = match before.solid.filter(|before| before.sample.is_lit_as(solid)) {
                Some(known) => known,
                None => {
                    let share = self.share(solid, x, y);
                    let color = self.surface(solid, share);
                    *before.solid.insert(Surface { sample: solid, share, color })
                }
            };
            solid_share = surface.share;
            let line = line(layers, &layers.solid, x, y_in);
            color = surface.color.mix(self.ink, line * 0.85);
            if layers.marked.is_used {
                let marked = &layers.marked.samples[at];
                if marked.is_surface() && marked.depth < solid.depth * 0.9995 {
                    let share = self.share(marked, x, y);
                    color = color.mix(self.surface(marked, share).at(1.0), self.through * share);
                }
            }
        }
        // Marked surfaces shine through glass.
        let through = if solid.mark().is_some() { 0.7 * solid_share } else { 0.0 };
        let seen = [&layers.glass, &layers.faint].map(|layer| {
            let sample = layer.samples.get(at).filter(|_| layer.is_used)?;
            (sample.depth > solid.depth).then_some((sample, layer))
        });
        let depth = |number: usize| seen[number].map_or(0.0, |(sample, _)| sample.depth);
        let order = if depth(1) > depth(0) { [0, 1] } else { [1, 0] };
        for number in order {
            let Some((sample, layer)) = seen[number] else { continue };
            let before = &mut before.sheets[number];
            let sheet = match before.filter(|before| before.sample.is_lit_as(sample)) {
                Some(known) => known,
                None => *before.insert(self.sheet(sample)),
            };
            let line = line(layers, layer, x, y_in) * sheet.lines;
            color = color.mix(sheet.glow, sheet.cover * (1.0 - through));
            color = color.mix(self.ink, line * (1.0 - through));
        }
        color
    }

    /// Returns the light of a sheet of glass.
    fn sheet<'l>(&self, sample: &'l Sample) -> Sheet<'l> {
        let facing = sample.normal().z.abs();
        let rim = (1.0 - facing) * (1.0 - facing);
        let fade = match self.materials[sample.item as usize] {
            Material::Faint => ((1.0 / sample.depth - 1.0 / FADED) * 3.0).clamp(0.0, 1.0) * 0.85,
            _ => 1.0,
        };
        let own = self.items[sample.item as usize];
        let glow = own.lerp(self.surface(sample, 1.0).at(1.0), 0.45);
        Sheet { sample, glow, cover: (0.16 + 0.38 * rim) * fade, lines: 0.5 * fade }
    }

    /// Returns the colour of a lit surface. `share` is the share of the mark's colour.
    fn surface(&self, sample: &Sample, share: f32) -> Lit {
        let own = self.items[sample.item as usize];
        let base = sample.mark().map_or(own, |mark| own.lerp(self.palette[mark], share));
        let normal = sample.normal();
        let above = 0.5 + 0.5 * normal.dot(self.up);
        let around = Vec3::new(0.32, 0.31, 0.30).lerp(Vec3::new(0.52, 0.55, 0.60), above);
        let key = Vec3::new(0.62, 0.60, 0.57) * normal.dot(self.key).max(0.0);
        let fill = Vec3::splat(0.20) * normal.dot(self.fill).max(0.0);
        // A soft highlight: the 32nd power, by repeated squaring.
        let mut gleam = normal.dot(self.half).max(0.0);
        for _ in 0..5 {
            gleam *= gleam;
        }
        let ambient = base * (around + key * 0.55) + Vec3::splat(0.10 * gleam);
        Lit { own: base * (key * 0.45 + fill), ambient }
    }
}

impl Sample {
    /// Returns whether two samples of one pixel have the same light.
    fn is_lit_as(&self, other: &Self) -> bool {
        self.item == other.item
            && self.mark() == other.mark()
            && are_near(self.packed_normal(), other.packed_normal(), SAME_LIGHT)
    }
}

/// Returns how strongly a line covers a sample, from 0 to 1. Lines lie on the nearer of two surfaces.
fn line(layers: &Layers, layer: &Layer, x: usize, y: usize) -> f32 {
    let (width, height) = (layers.width, layers.height);
    let samples = &layer.samples;
    let here = &samples[y * width + x];
    let mut line: f32 = 0.0;
    let pairs = [(1, 0), (0, 1)];
    for (dx, dy) in pairs {
        let Some((left, top)) = x.checked_sub(dx).zip(y.checked_sub(dy)) else { continue };
        if x + dx >= width || y + dy >= height {
            continue;
        }
        let before = &samples[top * width + left];
        let after = &samples[(y + dy) * width + x + dx];
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
