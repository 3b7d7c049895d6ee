//! Rasterizes a scene: finds the visible surface at every sample of a picture, or of some of its rows.

use super::{
    Camera, Item, Material, SAMPLES, Scene,
    focus::CameraFocus,
    normal,
    occlusion::Front,
    project::{Screen, Triangle},
};
use impinge::glam::{Mat3, Vec3};

/// The visible surface at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Inverse distance, so larger is nearer; 0 if there is no surface.
    pub(super) depth: f32,
    pub(super) item: u32,
    /// The packed normal in the camera's frame, pointing to the camera; the upper four bits hold the mark
    /// plus 1.
    normal: u32,
}

impl Sample {
    const EMPTY: Self = Self { depth: 0.0, item: u32::MAX, normal: 0 };

    pub(super) fn is_surface(&self) -> bool {
        self.depth > 0.0
    }

    pub(super) fn normal(&self) -> Vec3 {
        normal::unpack(self.normal)
    }

    /// Returns whether two normals differ by more than an angle: see [`normal::differ`].
    pub(super) fn is_turned(&self, other: &Self, cosine_sq: f32) -> bool {
        self.normal << 4 != other.normal << 4
            && normal::differ(self.normal, other.normal, cosine_sq)
    }

    pub(super) fn packed_normal(&self) -> u32 {
        self.normal
    }

    /// Returns the depth and the normal, for occlusion.
    pub(super) fn front(&self) -> Front {
        Front { depth: self.depth, normal: self.normal }
    }

    /// Returns the colour index of a marked face.
    pub(super) fn mark(&self) -> Option<usize> {
        (self.normal >> 28).checked_sub(1).map(|mark| mark as usize)
    }
}

/// Inverse distance at which faint parts have faded out; the middle of the picture is at 1.
pub(super) const FADED: f32 = 1.0 / 0.6;

/// A marked face of glass is drawn as a solid where it has more than this share of its colour.
const SOLID_SHARE: f32 = 0.25;

/// One layer of visible surfaces, row by row from the top.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) samples: Vec<Sample>,
    /// Whether the layer may have a surface anywhere.
    pub(super) is_used: bool,
}

impl Layer {
    /// Removes all surfaces.
    fn clear(&mut self, size: usize) {
        if self.is_used || self.samples.len() != size {
            self.samples.clear();
            self.samples.resize(size, Sample::EMPTY);
            self.is_used = false;
        }
    }
}

/// The visible surfaces in some rows of a picture.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// The first row.
    pub(super) first: usize,
    pub(super) width: usize,
    /// The number of rows.
    pub(super) height: usize,
    /// The nearest solid surface.
    pub(super) solid: Layer,
    /// The nearest sheet of glass, whatever is in front of it.
    pub(super) glass: Layer,
    /// The nearest sheet of faint glass.
    pub(super) faint: Layer,
    /// The nearest marked face, whatever is in front of it.
    pub(super) marked: Layer,
}

impl Layers {
    /// Draws a whole picture: all marked faces, and every `stride`-th face of the others.
    pub(super) fn draw(
        scene: &Scene<'_>,
        camera: &Camera,
        width: usize,
        height: usize,
        stride: usize,
    ) -> Self {
        let triangles = Screen::new(camera, [width, height], stride).triangles(scene);
        let mut layers = Self::default();
        let paint = Painter::new(scene, camera, [width, height]);
        layers.fill(&paint, width, [0, height], triangles.iter().flatten());
        layers
    }

    /// Draws the rows of a picture from the first (included) to the second (excluded).
    pub(super) fn fill<'t>(
        &mut self,
        paint: &Painter<'_, '_>,
        width: usize,
        [first, end]: [usize; 2],
        triangles: impl Iterator<Item = &'t Triangle>,
    ) {
        (self.first, self.width, self.height) = (first, width, end - first);
        let size = width * self.height;
        let layers = [&mut self.solid, &mut self.glass, &mut self.faint, &mut self.marked];
        layers.into_iter().for_each(|layer| layer.clear(size));
        let rows = Rows { first, count: self.height, width };
        for triangle in triangles.filter(|triangle| rows.has(triangle)) {
            let item = &paint.scene.items[triangle.item as usize];
            let fill = Fill::new(triangle, item, &paint.turns[triangle.item as usize]);
            let layer = match item.material {
                Material::Solid => &mut self.solid,
                Material::Glass => &mut self.glass,
                Material::Faint => &mut self.faint,
            };
            if triangle.mark == 0 {
                rows.draw(&fill, layer, |_, _, _| true);
                continue;
            }
            // A marked face of glass is solid in focus only.
            match paint.focus.as_ref().filter(|_| item.material != Material::Solid) {
                None => rows.draw(&fill, &mut self.solid, |_, _, _| true),
                Some(focus) => {
                    let is_near = |x, y, depth| focus.share(x, y, depth) > SOLID_SHARE;
                    rows.draw(&fill, layer, |x, y, depth| !is_near(x, y, depth));
                    rows.draw(&fill, &mut self.solid, is_near);
                }
            }
            rows.draw(&fill, &mut self.marked, |_, _, _| true);
        }
    }

    /// Returns whether there is no surface in the square of samples of a pixel, given its first sample.
    pub(super) fn are_empty(&self, first: usize) -> bool {
        let is_empty = |layer: &Layer| {
            !layer.is_used
                || (0..SAMPLES * SAMPLES).all(|sample| {
                    let at = first + sample / SAMPLES * self.width + sample % SAMPLES;
                    !layer.samples[at].is_surface()
                })
        };
        is_empty(&self.solid) && is_empty(&self.glass) && is_empty(&self.faint)
    }
}

/// A scene, and the rotation of each of its items into the camera's frame.
pub(super) struct Painter<'s, 'a> {
    scene: &'s Scene<'a>,
    turns: Vec<Mat3>,
    focus: Option<CameraFocus<'s>>,
}

impl<'s, 'a> Painter<'s, 'a> {
    /// Prepares a picture of a size in samples.
    pub(super) fn new(scene: &'s Scene<'a>, camera: &Camera, size: [usize; 2]) -> Self {
        let turn = camera.rotation().as_mat3();
        let turns = scene.items.iter().map(|item| turn * item.placement.rotation().as_mat3());
        let focus = scene.focus.as_ref().map(|focus| CameraFocus::new(focus, camera, size));
        Self { scene, turns: turns.collect(), focus }
    }
}

/// A triangle ready to be filled: values that are linear across the screen.
struct Fill<'a> {
    triangle: &'a Triangle,
    /// For each corner, its barycentric coordinate: slope along x, slope along y, value at the first corner.
    shares: [Vec3; 3],
    normals: [Vec3; 3],
    /// The packed normal, if it is the same at all corners.
    flat: Option<u32>,
    /// A factor on the depth that orders coincident faces: marked faces come first, then parts by number. It
    /// prevents flicker.
    nearer: f32,
    /// Maximum inverse distance; nearer surfaces are not drawn.
    nearest: f32,
}

impl<'a> Fill<'a> {
    fn new(triangle: &'a Triangle, item: &Item<'_>, turn: &Mat3) -> Self {
        let [a, b, c] = triangle.corners;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let share_b = Vec3::new((c.y - a.y) / area, (a.x - c.x) / area, 0.0);
        let share_c = Vec3::new((a.y - b.y) / area, (b.x - a.x) / area, 0.0);
        let share_a = Vec3::new(-share_b.x - share_c.x, -share_b.y - share_c.y, 1.0);
        let side = if triangle.is_back { -1.0 } else { 1.0 };
        let packed = item.shape.normals[triangle.face as usize];
        let own = packed.map(|packed| *turn * normal::unpack(packed) * side);
        let normals = match &triangle.weights {
            None => own,
            Some(weights) => weights.map(|by| own[0] * by.x + own[1] * by.y + own[2] * by.z),
        };
        let mark = if triangle.mark > 0 { 16 - u32::from(triangle.mark) } else { 0 };
        let nearer = 1.0 + 1e-5 * (4 * mark + triangle.item % 4) as f32;
        let flat = (packed == [packed[0]; 3]).then(|| normal::pack(own[0]));
        let nearest = if item.material == Material::Faint { FADED } else { f32::INFINITY };
        Self { triangle, shares: [share_a, share_b, share_c], normals, flat, nearer, nearest }
    }
}

/// A band of rows of a picture.
struct Rows {
    first: usize,
    count: usize,
    width: usize,
}

impl Rows {
    fn has(&self, triangle: &Triangle) -> bool {
        let [first, last] = triangle.rows;
        (first as usize) < self.first + self.count && last as usize >= self.first
    }

    /// Draws the samples of a triangle for which `is_drawn` returns true, given column, row and depth.
    fn draw(
        &self,
        fill: &Fill<'_>,
        layer: &mut Layer,
        is_drawn: impl Fn(usize, usize, f32) -> bool,
    ) {
        layer.is_used = true;
        let samples = &mut layer.samples;
        let triangle = fill.triangle;
        let [a, b, c] = triangle.corners;
        let [x, y, z] = fill.shares.map(|share| share.to_array());
        let depths = [a.z, b.z, c.z].map(|depth| depth * fill.nearer);
        let slope = |axis: usize| x[axis] * depths[0] + y[axis] * depths[1] + z[axis] * depths[2];
        let (depth_across, depth_down) = (slope(0), slope(1));
        let (least, most) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        let begin = (least - 0.5).ceil().max(0.0);
        let end = (most - 0.5).floor().min(self.width as f32 - 1.0);
        let inverse = fill.shares.map(|share| 1.0 / share.x);
        let first = (triangle.rows[0] as usize).max(self.first);
        let last = (triangle.rows[1] as usize).min(self.first + self.count - 1);
        for row in first..=last {
            let down = row as f32 + 0.5 - a.y;
            // Each barycentric coordinate is non-negative on one side of a column.
            let (mut begin, mut end) = (begin, end);
            for (share, inverse) in fill.shares.iter().zip(inverse) {
                let zero = a.x - (share.y * down + share.z) * inverse - 0.5;
                if share.x > 0.0 && zero > begin {
                    begin = (zero - 0.01).ceil();
                } else if share.x < 0.0 && zero < end {
                    end = (zero + 0.01).floor();
                }
            }
            if begin > end {
                continue;
            }
            let line = (row - self.first) * self.width;
            for column in begin as usize..=end as usize {
                let across = column as f32 + 0.5 - a.x;
                let depth = depths[0] + depth_across * across + depth_down * down;
                let sample = &mut samples[line + column];
                // Most surfaces are behind others, so test the depth first.
                if depth <= sample.depth || depth > fill.nearest {
                    continue;
                }
                let share = |of: &Vec3| of.x * across + of.y * down + of.z;
                let shares = Vec3::from_array([0, 1, 2].map(|corner| share(&fill.shares[corner])));
                if shares.min_element() < -1e-4 || !is_drawn(column, row, depth) {
                    continue;
                }
                let normal = fill.flat.unwrap_or_else(|| {
                    let [x, y, z] = fill.normals;
                    normal::pack(x * shares.x + y * shares.y + z * shares.z)
                });
                let normal = normal | u32::from(triangle.mark) << 28;
                *sample = Sample { depth, item: triangle.item, normal };
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Lens, Shape, corners, raster::*};
    use impinge::{Bounds, Pose, glam::DVec3};

    pub(crate) fn block(min: [f64; 3], max: [f64; 3]) -> Shape<'static> {
        Shape::block(&Bounds { min: min.into(), max: max.into() })
    }

    pub(crate) fn item<'a>(
        shape: &'a Shape<'a>,
        material: Material,
        marks: &[(u32, u8)],
    ) -> Item<'a> {
        let placement = Pose::IDENTITY;
        Item { shape, placement, color: [128; 3], material, marks: marks.to_vec() }
    }

    pub(crate) fn scene(items: Vec<Item<'_>>) -> Scene<'_> {
        Scene {
            items,
            palette: vec![[255, 0, 0]],
            rings: Vec::new(),
            up: DVec3::Z,
            focus: None,
            through: 0.3,
        }
    }

    pub(crate) fn camera() -> Camera {
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let lens = Lens { field_of_view: 45.0, aspect: 1.0 };
        Camera::framing(corners(&bounds), DVec3::Y, DVec3::Z, lens)
    }

    /// Compares every sample with the ray through it: nothing is missed, nothing is added, the nearest is in
    /// front.
    #[test]
    fn samples_are_what_rays_meet() {
        let near = block([-0.5, -0.5, -0.3], [0.1, 0.1, 0.4]);
        let far = block([-0.2, 0.3, -0.8], [0.7, 0.9, 0.2]);
        let scene =
            scene(vec![item(&far, Material::Solid, &[]), item(&near, Material::Solid, &[])]);
        let camera = camera();
        let size = 97;
        let layers = Layers::draw(&scene, &camera, size, size, 1);
        let mut seen = [0; 3];
        let focal = camera.focal(size);
        for (at, sample) in layers.solid.samples.iter().enumerate() {
            let x = ((at % size) as f64 + 0.5 - size as f64 / 2.0) / focal;
            let y = (size as f64 / 2.0 - (at / size) as f64 - 0.5) / focal;
            let ray = camera.right() * x + camera.up * y + camera.direction;
            let entry = |min: [f64; 3], max: [f64; 3], grow: f64| {
                let (mut from, mut to) = (0.0_f64, f64::INFINITY);
                for axis in 0..3 {
                    let at = |plane: f64| (plane - camera.eye[axis]) / ray[axis];
                    let (one, two) = (at(min[axis] - grow), at(max[axis] + grow));
                    (from, to) = (from.max(one.min(two)), to.min(one.max(two)));
                }
                (from <= to).then_some(from)
            };
            let blocks =
                [([-0.2, 0.3, -0.8], [0.7, 0.9, 0.2]), ([-0.5, -0.5, -0.3], [0.1, 0.1, 0.4])];
            let expected = |grow: f64| {
                let entries = blocks.iter().enumerate();
                let entries = entries.filter_map(|(number, &(min, max))| {
                    entry(min, max, grow).map(|distance| (distance, number as u32))
                });
                entries.min_by(|a, b| a.0.total_cmp(&b.0))
            };
            let (inner, outer) = (expected(-1e-3), expected(1e-3));
            if inner.map(|it| it.1) != outer.map(|it| it.1) {
                continue; // too close to an outline to tell
            }
            match inner {
                None => assert!(!sample.is_surface(), "{at}"),
                Some((distance, number)) => {
                    assert_eq!(sample.item, number, "{at}");
                    let own = f64::from(1.0 / sample.depth) * camera.distance;
                    assert!((own - distance).abs() < 5e-3, "{at}: {own} {distance}");
                    assert!(sample.normal().z < 0.1);
                }
            }
            seen[inner.map_or(2, |it| it.1 as usize)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }

    #[test]
    fn glass_and_marks_have_layers_of_their_own() {
        let (glass, inner) = (block([-1.0; 3], [1.0; 3]), block([-0.4; 3], [0.4; 3]));
        let scene = scene(vec![
            item(&glass, Material::Glass, &[]),
            item(&inner, Material::Solid, &[(6, 0), (7, 0)]),
        ]);
        let layers = Layers::draw(&scene, &camera(), 40, 40, 1);
        let middle = 20 * 40 + 20;
        assert_eq!(layers.solid.samples[middle].item, 1);
        assert_eq!(layers.glass.samples[middle].item, 0);
        assert!(layers.glass.samples[middle].depth > layers.solid.samples[middle].depth);
        // The marked side is the far one.
        assert_eq!(layers.solid.samples[middle].mark(), None);
        assert_eq!(layers.marked.samples[middle].mark(), Some(0));
        assert!(layers.marked.samples[middle].depth < layers.solid.samples[middle].depth);

        // Faint parts fade out in front of the middle, and are visible behind it.
        let behind = block([-1.0, 0.8, -1.0], [1.0, 0.9, 1.0]);
        let before = block([-1.0, -1.9, -1.0], [1.0, -1.8, 1.0]);
        let camera = camera();
        for (shape, is_seen) in [(&behind, true), (&before, false)] {
            let scene = super::tests::scene(vec![item(shape, Material::Faint, &[])]);
            let layers = Layers::draw(&scene, &camera, 40, 40, 1);
            assert_eq!(layers.faint.samples[middle].is_surface(), is_seen);
        }
    }

    #[test]
    fn faces_behind_the_camera_are_clipped() {
        let floor = block([-100.0, -100.0, -1.1], [100.0, 100.0, -1.0]);
        let camera = camera();
        let layers =
            Layers::draw(&scene(vec![item(&floor, Material::Solid, &[])]), &camera, 60, 60, 1);
        assert!(layers.solid.samples[59 * 60 + 30].is_surface());
        assert!(!layers.solid.samples[30].is_surface());
        let nearest =
            layers.solid.samples.iter().fold(0.0_f32, |most, sample| most.max(sample.depth));
        assert!(nearest <= 1.001 / camera.near as f32);
        let up = layers.solid.samples[59 * 60 + 30].normal();
        assert!(up.y > 0.99, "{up}");
    }

    #[test]
    fn threads_and_extreme_scenes_do_no_harm() {
        let huge = block([-1e99; 3], [1e99; 3]);
        let tiny = block([0.0; 3], [1e-300; 3]);
        let scene =
            scene(vec![item(&huge, Material::Solid, &[]), item(&tiny, Material::Solid, &[])]);
        let draw = || Layers::draw(&scene, &camera(), 64, 64, 1);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(draw);
        let many = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap().install(draw);
        let bits = |layers: &Layers| -> Vec<(u32, u32, u32)> {
            layers.solid.samples.iter().map(|it| (it.depth.to_bits(), it.item, it.normal)).collect()
        };
        assert_eq!(bits(&one), bits(&many));
        let empty = Layers::draw(&scene, &camera(), 0, 0, 1);
        assert!(empty.solid.samples.is_empty());
    }
}
