//! The points of a body at which its depth in another one is measured, and the triangles between them.
//!
//! The faces are divided at the middle of edges that are longer than the spacing, the longest first. Whether an edge is
//! divided depends on its length alone, so neighbours agree on their common edges. The corners of all these triangles are
//! the samples; corners at the same position are one sample.

use super::cluster::{Cluster, in_clusters};
use crate::{Bounds, Pose, Shape, method::PointScratch, narrow::Triangle};
use glam::DVec3;
use std::collections::HashMap;

/// A triangle between three samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// The numbers of the samples at its corners.
    pub(super) corners: [u32; 3],
    /// Its area times the unit normal that points out of the solid, in the body's own coordinates.
    pub(super) area_vector: DVec3,
    /// Its area.
    pub(super) area: f64,
}

/// The samples of one body, in its own coordinates.
#[derive(Debug)]
pub(super) struct Samples {
    /// The samples. Those of a cluster follow each other.
    pub(super) points: Vec<DVec3>,
    pub(super) clusters: Vec<Cluster>,
    pub(super) patches: Vec<Patch>,
    /// Where the patches of each sample begin in `patches_at`, and the end of the last.
    first_patch: Vec<u32>,
    patches_at: Vec<u32>,
    /// The center of the bounding box.
    pub(super) center: DVec3,
    /// The largest distance of a sample from the center.
    pub(super) radius: f64,
    /// The longest edge of a patch.
    pub(super) longest_edge: f64,
}

impl Samples {
    /// Samples the surface of a solid with edges of at most `spacing`, or a larger one if there were too many samples.
    pub(super) fn new(shape: &Shape, spacing: f64, most_samples: usize) -> Self {
        let triangles = divided(shape, spacing, most_samples);
        let outside = Outside::new(shape);
        let mut scratch = PointScratch::new();
        let (mut points, mut patches) = (Vec::new(), Vec::new());
        let mut numbers = HashMap::new();
        for triangle in triangles {
            let [a, b, c] = triangle;
            let area_vector = 0.5 * (b - a).cross(c - a);
            let area = area_vector.length();
            // A patch without an area takes no force. Nor does one that has the solid on both sides.
            if !(area > 0.0 && area.is_finite()) {
                continue;
            }
            let middle = a + ((b - a) + (c - a)) / 3.0;
            let side = outside.side(middle, area_vector / area, &mut scratch);
            if side == 0.0 {
                continue;
            }
            let corners = triangle.map(|point| {
                // Adding 0 makes −0 the same as 0.
                let key = point.to_array().map(|x| (x + 0.0).to_bits());
                *numbers.entry(key).or_insert_with(|| {
                    points.push(point);
                    points.len() as u32 - 1
                })
            });
            patches.push(Patch { corners, area_vector: area_vector * side, area });
        }
        Self::of(&points, patches)
    }

    fn of(points: &[DVec3], mut patches: Vec<Patch>) -> Self {
        let (order, clusters) = in_clusters(points);
        let mut place_of = vec![0; points.len()];
        for (place, &number) in order.iter().enumerate() {
            place_of[number as usize] = place as u32;
        }
        let points: Vec<DVec3> = order.iter().map(|&number| points[number as usize]).collect();
        for patch in &mut patches {
            patch.corners = patch.corners.map(|corner| place_of[corner as usize]);
        }
        // Patches that are near each other are so in memory.
        patches.sort_by_key(|patch| patch.corners.iter().min().copied());
        let mut first_patch = vec![0; points.len() + 1];
        for &corner in patches.iter().flat_map(|patch| &patch.corners) {
            first_patch[corner as usize + 1] += 1;
        }
        for sample in 0..points.len() {
            first_patch[sample + 1] += first_patch[sample];
        }
        let mut next = first_patch.clone();
        let mut patches_at = vec![0; 3 * patches.len()];
        for (number, patch) in patches.iter().enumerate() {
            for &corner in &patch.corners {
                patches_at[next[corner as usize] as usize] = number as u32;
                next[corner as usize] += 1;
            }
        }
        let bounds = Bounds::enclosing(points.iter().copied());
        let center = if points.is_empty() { DVec3::ZERO } else { bounds.center() };
        let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
        let edge = |p: u32, q: u32| points[p as usize].distance(points[q as usize]);
        let edges = patches.iter().map(|patch| patch.corners);
        let edges = edges.flat_map(|[a, b, c]| [edge(a, b), edge(b, c), edge(c, a)]);
        let longest_edge = edges.fold(0.0, f64::max);
        Self { points, clusters, patches, first_patch, patches_at, center, radius, longest_edge }
    }

    /// The numbers of the patches at a sample.
    pub(super) fn patches_of(&self, sample: u32) -> &[u32] {
        let sample = sample as usize;
        &self.patches_at[self.first_patch[sample] as usize..self.first_patch[sample + 1] as usize]
    }
}

/// Lengths that differ by no more than this, in proportion, count as equal.
const EQUAL: f64 = 1e-9;

/// The faces of a shape, divided until no edge is longer than the spacing. That is doubled until there are no more than
/// twice as many triangles as samples are allowed, or no triangle is divided any more.
fn divided(shape: &Shape, mut spacing: f64, most_samples: usize) -> Vec<Triangle> {
    let mesh = shape.mesh();
    let most = most_samples.saturating_mul(2).max(mesh.faces().len());
    let mut triangles = Vec::new();
    loop {
        triangles.clear();
        if mesh.triangles().all(|triangle| divide(triangle, spacing, most, &mut triangles)) {
            return triangles;
        }
        spacing *= 2.0;
    }
}

/// Divides a triangle; `false` if there are more than `most`.
fn divide(triangle: Triangle, spacing: f64, most: usize, triangles: &mut Vec<Triangle>) -> bool {
    let mut open = vec![triangle];
    while let Some([a, b, c]) = open.pop() {
        if triangles.len() + open.len() >= most {
            return false;
        }
        let (from, to, across) = longest_edge([a, b, c]);
        let middle = from * 0.5 + to * 0.5;
        // Neighbouring numbers have nothing between them.
        let can_divide = middle != from && middle != to;
        if can_divide && from.distance(to) > spacing * (1.0 + EQUAL) {
            open.push([middle, to, across]);
            open.push([from, middle, across]);
        } else {
            triangles.push([a, b, c]);
        }
    }
    true
}

/// The ends of the longest edge, in the order of the corners, and the corner across. Of edges that are equally long it is the
/// one whose middle has the least coordinates. Neither the order of the corners nor rounding decides.
fn longest_edge([a, b, c]: Triangle) -> (DVec3, DVec3, DVec3) {
    let edges = [(a, b, c), (b, c, a), (c, a, b)];
    let length = |&(from, to, _): &(DVec3, DVec3, DVec3)| from.distance(to);
    let longest = edges.iter().map(length).fold(0.0, f64::max);
    let is_longest = |edge: &&(DVec3, DVec3, DVec3)| length(edge) >= longest * (1.0 - EQUAL);
    let is_before = |p: DVec3, q: DVec3| {
        let mut differences = (p - q).to_array().into_iter();
        differences.find(|along| along.abs() > longest * EQUAL).is_some_and(|along| along < 0.0)
    };
    let earlier = |one, other| {
        let [p, q] = [one, other].map(|(from, to, _): (DVec3, DVec3, DVec3)| from * 0.5 + to * 0.5);
        if is_before(q, p) { other } else { one }
    };
    edges.iter().filter(is_longest).copied().reduce(earlier).unwrap_or(edges[0])
}

/// On which side of a face a body has no solid.
///
/// Faces look outward in most meshes. They look inward in a mesh that is inside out, and where shells overlap, some have the
/// solid on both sides. So the exact winding number is asked for on both sides of the middle of a triangle.
struct Outside<'s> {
    shape: &'s Shape,
    /// How far from the face. Far more than what rounding moves a point, far less than what matters.
    offset: f64,
}

impl<'s> Outside<'s> {
    fn new(shape: &'s Shape) -> Self {
        let bounds = shape.mesh().bounds();
        let rounding = 64.0 * f64::EPSILON * bounds.largest_coordinate();
        Self { shape, offset: (1e-8 * bounds.size().length()).max(rounding) }
    }

    /// 1 if the outside is where the normal points, −1 if it is on the other side, 0 if neither or both are outside.
    fn side(&self, middle: DVec3, normal: DVec3, scratch: &mut PointScratch) -> f64 {
        let mut is_inside = |offset: f64| {
            let winding = self.shape.winding(&Pose::IDENTITY, middle + normal * offset, scratch);
            winding.map(|winding| winding != 0)
        };
        match [is_inside(-self.offset), is_inside(self.offset)] {
            [Some(behind), Some(ahead)] => f64::from(i8::from(behind) - i8::from(ahead)),
            // Another face is so close that nothing can be told.
            _ => 1.0,
        }
    }
}
