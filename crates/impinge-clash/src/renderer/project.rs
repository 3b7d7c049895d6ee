//! Projects parts and their faces to the screen, and clips faces at the near plane.

use super::{Camera, Item, Scene, corners};
use impinge::{
    Bounds,
    glam::{DVec3, Vec3},
};
use rayon::prelude::*;

/// A projected triangle: x and y in samples, z the inverse distance.
pub(super) struct Triangle {
    pub(super) corners: [Vec3; 3],
    /// Barycentric coordinates of the corners with respect to the face, if it was clipped.
    pub(super) weights: Option<Box<[Vec3; 3]>>,
    pub(super) rows: [i32; 2],
    pub(super) item: u32,
    pub(super) face: u32,
    pub(super) mark: u8,
    pub(super) is_back: bool,
}

/// A picture to be drawn; its size is in samples.
pub(super) struct Screen<'a> {
    camera: &'a Camera,
    width: usize,
    height: usize,
    /// Of the faces without a mark, only every so many are drawn.
    stride: usize,
    focal: f64,
}

impl<'a> Screen<'a> {
    pub(super) fn new(camera: &'a Camera, [width, height]: [usize; 2], stride: usize) -> Self {
        Self { camera, width, height, stride, focal: camera.focal(height) }
    }

    /// Returns the triangles of all visible items. The nearest items come first, because drawing is faster if
    /// most surfaces are behind those that were drawn before.
    pub(super) fn triangles(&self, scene: &Scene<'_>) -> Vec<Vec<Triangle>> {
        let items = scene.items.par_iter().enumerate();
        let mut seen: Vec<(f32, usize)> =
            items.filter_map(|(number, item)| Some((self.nearness(item)?, number))).collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        seen.par_iter().map(|&(_, item)| self.project(&scene.items[item], item as u32)).collect()
    }

    /// Returns an upper bound on the inverse distance of an item; `None` if the item is not visible.
    fn nearness(&self, item: &Item<'_>) -> Option<f32> {
        if item.shape.bounds.is_empty() || self.width == 0 || self.height == 0 {
            return None;
        }
        let (linear, offset) = self.camera.view_of(&item.placement);
        let corners = corners(&item.shape.bounds).map(|corner| linear * corner + offset);
        if corners.iter().all(|corner| corner.z < self.camera.near) {
            return None;
        }
        // An item that is partly behind the near plane, or whose projection overflows, may be anywhere on the
        // screen.
        if !corners.iter().all(|corner| corner.z >= self.camera.near && corner.is_finite()) {
            return Some(f32::INFINITY);
        }
        let focal = self.focal;
        let (width, height) = (self.width as f64, self.height as f64);
        let bounds = Bounds::enclosing(corners.map(|at| {
            let (x, y) = (at.x * focal / at.z, at.y * focal / at.z);
            DVec3::new(width * 0.5 + x, height * 0.5 - y, 1.0 / at.z)
        }));
        let is_beside = bounds.max.x < 0.0 || bounds.min.x > width;
        let is_seen = !is_beside && bounds.max.y >= 0.0 && bounds.min.y <= height;
        is_seen.then_some(bounds.max.z as f32)
    }

    fn project(&self, item: &Item<'_>, number: u32) -> Vec<Triangle> {
        let (linear, offset) = self.camera.view_of(&item.placement);
        let mesh = &item.shape.mesh;
        let seen = |at: &DVec3| (linear * *at + offset).as_vec3();
        // If only some faces are drawn, only some vertices are needed.
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
        let focal = self.focal as f32;
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
        // Samples are at the middles of their cells.
        let first = (least.y - 0.5).ceil().max(0.0);
        let last = (most.y - 0.5).floor().min(height - 1.0);
        let is_seen = first <= last
            && (least.x - 0.5).ceil() <= (most.x - 0.5).floor()
            && most.x > 0.0
            && least.x < width;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let rows = [first as i32, last as i32];
        // Seen from outside, corners are counter-clockwise; rows count downwards.
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

/// Clips a triangle at the near plane. Returns a polygon, and the barycentric coordinates of its corners.
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
