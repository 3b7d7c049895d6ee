//! Which surface is seen at every sample of a picture.

use super::{Camera, Item, Scene, normal};
use impinge::glam::{Mat3, Vec3};
use rayon::prelude::*;

/// What is seen at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// One over the distance, so that larger is nearer; 0 where nothing is seen.
    pub(super) depth: f32,
    pub(super) item: u32,
    /// How the surface is turned, in the camera's frame and towards it; above, the number of the mark.
    normal: u32,
}

impl Sample {
    const NOTHING: Self = Self { depth: 0.0, item: u32::MAX, normal: 0 };

    pub(super) fn is_something(&self) -> bool {
        self.depth > 0.0
    }

    pub(super) fn normal(&self) -> Vec3 {
        normal::unpack(self.normal)
    }

    /// Whether two surfaces are turned against each other by more than an angle, see [`normal::differ`].
    pub(super) fn is_turned(&self, other: &Self, cosine_sq: f32) -> bool {
        self.normal << 4 != other.normal << 4
            && normal::differ(self.normal, other.normal, cosine_sq)
    }

    /// The number of the colour of a marked face.
    pub(super) fn mark(&self) -> Option<usize> {
        (self.normal >> 28).checked_sub(1).map(|mark| mark as usize)
    }
}

/// What is seen, row by row from the top.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The nearest of what is solid.
    pub(super) solid: Vec<Sample>,
    /// The nearest sheet of glass, whatever is before it.
    pub(super) glass: Vec<Sample>,
    /// The nearest marked face, whatever is before it.
    pub(super) marked: Vec<Sample>,
}

/// Faces that are projected before they are drawn; bounds the memory that takes.
const BATCH: usize = 1 << 17;

/// Rows of samples that one thread draws.
const BAND: usize = 64;

impl Layers {
    /// Draws every `stride`-th face of a scene that is not marked, and all that are.
    pub(super) fn draw(
        scene: &Scene<'_>,
        camera: &Camera,
        width: usize,
        height: usize,
        stride: usize,
    ) -> Self {
        let layer = || vec![Sample::NOTHING; width * height];
        let [solid, glass, marked] = [layer(), layer(), layer()];
        let mut layers = Self { width, height, solid, glass, marked };
        let turn = camera.rotation().as_mat3();
        let screen = Screen { camera, width, height, stride };
        let mut done = 0;
        while done < scene.items.len() {
            let mut faces = 0;
            let ahead = scene.items[done..].iter();
            let count = ahead.take_while(|item| {
                let starts_within = faces < BATCH;
                faces += item.shape.face_count() / stride;
                starts_within
            });
            let batch = done..done + count.count();
            let project = |number: usize| screen.project(&scene.items[number], number as u32);
            let triangles: Vec<Vec<Triangle>> =
                batch.clone().into_par_iter().map(project).collect();
            layers.fill(scene, &turn, &triangles);
            done = batch.end;
        }
        layers
    }

    fn fill(&mut self, scene: &Scene<'_>, turn: &Mat3, triangles: &[Vec<Triangle>]) {
        let (width, size) = (self.width, (self.width * BAND).max(1));
        let bands = self.solid.par_chunks_mut(size);
        let bands = bands.zip(self.glass.par_chunks_mut(size));
        let bands = bands.zip(self.marked.par_chunks_mut(size)).enumerate();
        bands.for_each(|(band, ((solid, glass), marked))| {
            let rows = Rows { first: band * BAND, count: solid.len() / width, width };
            for triangle in triangles.iter().flatten() {
                if !rows.has(triangle) {
                    continue;
                }
                let item = &scene.items[triangle.item as usize];
                let fill = Fill::new(triangle, item, turn);
                if triangle.mark > 0 {
                    rows.draw(&fill, solid);
                    rows.draw(&fill, marked);
                } else {
                    rows.draw(&fill, if item.is_glass { &mut *glass } else { &mut *solid });
                }
            }
        });
    }
}

/// A triangle on the screen: places in samples, and one over the distance.
struct Triangle {
    corners: [Vec3; 3],
    /// What each corner is of the face's own corners, where some of it was cut off.
    weights: Option<Box<[Vec3; 3]>>,
    rows: [i32; 2],
    item: u32,
    face: u32,
    mark: u8,
    is_back: bool,
}

struct Screen<'a> {
    camera: &'a Camera,
    width: usize,
    height: usize,
    stride: usize,
}

impl Screen<'_> {
    fn project(&self, item: &Item<'_>, number: u32) -> Vec<Triangle> {
        let (linear, offset) = self.camera.view_of(&item.placement);
        let mesh = &item.shape.mesh;
        let seen = |at: &impinge::glam::DVec3| (linear * *at + offset).as_vec3();
        // Where few faces are wanted, so are few vertices.
        let table: Vec<Vec3> = match self.stride {
            1 => mesh.positions().iter().map(seen).collect(),
            _ => Vec::new(),
        };
        let corner = |vertex: u32| match table.get(vertex as usize) {
            Some(corner) => *corner,
            None => seen(&mesh.positions()[vertex as usize]),
        };
        let mut marks = item.marks.iter().copied().peekable();
        let mut triangles = Vec::new();
        for (face, vertices) in mesh.faces().iter().enumerate() {
            let is_marked = |&(marked, _): &(u32, u8)| marked as usize == face;
            let mark = marks.next_if(is_marked).map_or(0, |(_, color)| color + 1);
            if mark == 0 && !face.is_multiple_of(self.stride) {
                continue;
            }
            let corners = vertices.map(corner);
            let mut add = |corners: [Vec3; 3], weights| {
                let face = face as u32;
                triangles.extend(self.triangle(corners, weights, number, face, mark));
            };
            let near = self.camera.near as f32;
            if corners.iter().all(|corner| corner.z >= near) {
                add(corners, None);
            } else if corners.iter().any(|corner| corner.z >= near) {
                let cut = beyond(corners, near);
                for at in 2..cut.len() {
                    let [a, b, c] = [cut[0], cut[at - 1], cut[at]];
                    add([a.0, b.0, c.0], Some(Box::new([a.1, b.1, c.1])));
                }
            }
        }
        triangles
    }

    fn triangle(
        &self,
        corners: [Vec3; 3],
        weights: Option<Box<[Vec3; 3]>>,
        item: u32,
        face: u32,
        mark: u8,
    ) -> Option<Triangle> {
        let (width, height) = (self.width as f32, self.height as f32);
        let focal = Camera::focal(self.height) as f32;
        let corners = corners.map(|at| {
            let depth = 1.0 / at.z;
            let (x, y) = (at.x * focal * depth, at.y * focal * depth);
            Vec3::new(width * 0.5 + x, height * 0.5 - y, depth)
        });
        let [a, b, c] = corners;
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            return None;
        }
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        // Samples are at the middles, from which a row begins that is not above the triangle.
        let first = (least.y - 0.5).ceil().max(0.0);
        let last = (most.y - 0.5).floor().min(height - 1.0);
        let is_seen = first <= last
            && (least.x - 0.5).ceil() <= (most.x - 0.5).floor()
            && most.x > 0.0
            && least.x < width;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let rows = [first as i32, last as i32];
        // Seen from outside, corners go against the clock; rows count downwards.
        (is_seen && area != 0.0).then_some(Triangle {
            corners,
            weights,
            rows,
            item,
            face,
            mark,
            is_back: area > 0.0,
        })
    }
}

/// What of a triangle is beyond a distance: a polygon, with what each corner is of the triangle's own.
fn beyond(corners: [Vec3; 3], near: f32) -> Vec<(Vec3, Vec3)> {
    let own = [Vec3::X, Vec3::Y, Vec3::Z];
    let mut polygon = Vec::with_capacity(4);
    for at in 0..3 {
        let next = (at + 1) % 3;
        let (here, there) = (corners[at], corners[next]);
        if here.z >= near {
            polygon.push((here, own[at]));
        }
        if (here.z >= near) != (there.z >= near) {
            let share = (near - here.z) / (there.z - here.z);
            let mut cut = here.lerp(there, share);
            cut.z = near;
            polygon.push((cut, own[at].lerp(own[next], share)));
        }
    }
    polygon
}

/// A triangle ready to be filled: what is linear across the screen.
struct Fill<'a> {
    triangle: &'a Triangle,
    /// How each corner's share grows along x, along y, and what it is at the first corner.
    shares: [Vec3; 3],
    normals: [Vec3; 3],
    /// Of faces in the same place, the marked ones lie a little before others, and one part before
    /// another, so that they do not flicker.
    nearer: f32,
}

impl<'a> Fill<'a> {
    fn new(triangle: &'a Triangle, item: &Item<'_>, turn: &Mat3) -> Self {
        let [a, b, c] = triangle.corners;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let share_b = Vec3::new((c.y - a.y) / area, (a.x - c.x) / area, 0.0);
        let share_c = Vec3::new((a.y - b.y) / area, (b.x - a.x) / area, 0.0);
        let share_a = Vec3::new(-share_b.x - share_c.x, -share_b.y - share_c.y, 1.0);
        let turn = *turn * item.placement.rotation().as_mat3();
        let side = if triangle.is_back { -1.0 } else { 1.0 };
        let packed = item.shape.normals[triangle.face as usize];
        let own = packed.map(|packed| turn * normal::unpack(packed) * side);
        let normals = match &triangle.weights {
            None => own,
            Some(weights) => weights.map(|by| own[0] * by.x + own[1] * by.y + own[2] * by.z),
        };
        let mark = if triangle.mark > 0 { 16 - u32::from(triangle.mark) } else { 0 };
        let nearer = 1.0 + 1e-5 * (4 * mark + triangle.item % 4) as f32;
        Self { triangle, shares: [share_a, share_b, share_c], normals, nearer }
    }
}

/// Some rows of a picture.
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

    fn draw(&self, fill: &Fill<'_>, samples: &mut [Sample]) {
        let triangle = fill.triangle;
        let [a, b, c] = triangle.corners;
        let depths = Vec3::new(a.z, b.z, c.z) * fill.nearer;
        let (least, most) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        let begin = (least - 0.5).ceil().max(0.0);
        let end = (most - 0.5).floor().min(self.width as f32 - 1.0);
        let first = (triangle.rows[0] as usize).max(self.first);
        let last = (triangle.rows[1] as usize).min(self.first + self.count - 1);
        for row in first..=last {
            let down = row as f32 + 0.5 - a.y;
            // Each share is at least 0 on one side of a place in the row.
            let (mut begin, mut end) = (begin, end);
            for share in &fill.shares {
                let zero = a.x - (share.y * down + share.z) / share.x - 0.5;
                if share.x > 0.0 && zero > begin {
                    begin = (zero - 0.01).ceil();
                } else if share.x < 0.0 && zero < end {
                    end = (zero + 0.01).floor();
                }
            }
            if !(begin <= end) {
                continue;
            }
            let line = (row - self.first) * self.width;
            for column in begin as usize..=end as usize {
                let across = column as f32 + 0.5 - a.x;
                let share = |of: &Vec3| of.x * across + of.y * down + of.z;
                let shares = Vec3::from_array([0, 1, 2].map(|corner| share(&fill.shares[corner])));
                if shares.min_element() < -1e-4 {
                    continue;
                }
                let depth = shares.dot(depths);
                let sample = &mut samples[line + column];
                if depth > sample.depth {
                    let [x, y, z] = fill.normals;
                    let normal = normal::pack(x * shares.x + y * shares.y + z * shares.z);
                    let normal = normal | u32::from(triangle.mark) << 28;
                    *sample = Sample { depth, item: triangle.item, normal };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, raster::*};
    use impinge::{Bounds, Pose, glam::DVec3};

    fn block(min: [f64; 3], max: [f64; 3]) -> Shape<'static> {
        Shape::block(&Bounds { min: min.into(), max: max.into() })
    }

    fn item<'a>(shape: &'a Shape<'a>, is_glass: bool, marks: &[(u32, u8)]) -> Item<'a> {
        let placement = Pose::IDENTITY;
        Item { shape, placement, color: [128; 3], is_glass, marks: marks.to_vec() }
    }

    fn scene(items: Vec<Item<'_>>) -> Scene<'_> {
        Scene {
            items,
            palette: vec![[255, 0, 0]],
            rings: Vec::new(),
            up: DVec3::Z,
            focus: None,
            through: 0.3,
        }
    }

    fn camera() -> Camera {
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        Camera::framing(super::super::corners(&bounds), DVec3::Y, DVec3::Z, 1.0)
    }

    /// Every sample against the ray through it: nothing missed, nothing too much, the nearest in front.
    #[test]
    fn samples_are_what_rays_meet() {
        let near = block([-0.5, -0.5, -0.3], [0.1, 0.1, 0.4]);
        let far = block([-0.2, 0.3, -0.8], [0.7, 0.9, 0.2]);
        let scene = scene(vec![item(&far, false, &[]), item(&near, false, &[])]);
        let camera = camera();
        let size = 97;
        let layers = Layers::draw(&scene, &camera, size, size, 1);
        let mut seen = [0; 3];
        let focal = Camera::focal(size);
        for (at, sample) in layers.solid.iter().enumerate() {
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
                None => assert!(!sample.is_something(), "{at}"),
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
        let scene = scene(vec![item(&glass, true, &[]), item(&inner, false, &[(6, 0), (7, 0)])]);
        let layers = Layers::draw(&scene, &camera(), 40, 40, 1);
        let middle = 20 * 40 + 20;
        assert_eq!(layers.solid[middle].item, 1);
        assert_eq!(layers.glass[middle].item, 0);
        assert!(layers.glass[middle].depth > layers.solid[middle].depth);
        // The marked side is the far one.
        assert_eq!(layers.solid[middle].mark(), None);
        assert_eq!(layers.marked[middle].mark(), Some(0));
        assert!(layers.marked[middle].depth < layers.solid[middle].depth);
    }

    #[test]
    fn what_reaches_behind_the_camera_is_cut_off() {
        let floor = block([-100.0, -100.0, -1.1], [100.0, 100.0, -1.0]);
        let camera = camera();
        let layers = Layers::draw(&scene(vec![item(&floor, false, &[])]), &camera, 60, 60, 1);
        assert!(layers.solid[59 * 60 + 30].is_something());
        assert!(!layers.solid[30].is_something());
        let nearest = layers.solid.iter().fold(0.0_f32, |most, sample| most.max(sample.depth));
        assert!(nearest <= 1.001 / camera.near as f32);
        let up = layers.solid[59 * 60 + 30].normal();
        assert!(up.y > 0.99, "{up}");
    }

    #[test]
    fn threads_and_extreme_scenes_do_no_harm() {
        let huge = block([-1e99; 3], [1e99; 3]);
        let tiny = block([0.0; 3], [1e-300; 3]);
        let scene = scene(vec![item(&huge, false, &[]), item(&tiny, false, &[])]);
        let draw = || Layers::draw(&scene, &camera(), 64, 64, 1);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(draw);
        let many = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap().install(draw);
        let bits = |layers: &Layers| -> Vec<(u32, u32, u32)> {
            layers.solid.iter().map(|it| (it.depth.to_bits(), it.item, it.normal)).collect()
        };
        assert_eq!(bits(&one), bits(&many));
        let empty = Layers::draw(&scene, &camera(), 0, 0, 1);
        assert!(empty.solid.is_empty());
    }
}
