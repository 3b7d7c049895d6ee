//! Which points lie in the solid that a part encloses: exactly.
//!
//! A closed surface goes around a point a whole number of times, its winding number: 0 outside, 1
//! inside of a solid whose faces look outward, more where shells overlap, 0 again in a cavity. It
//! is found along a ray: every face that looks forward counts 1, every face that looks back −1.
//!
//! Rays go along x, and where they meet an edge or a corner, they are thought of as moved by ε along
//! y and ε² along z, with an ε that is smaller than any number: so no ray meets an edge, and every
//! face is either met or missed. The faces in question are found as all contacts are: a ray is a
//! segment, and a segment is a triangle with two equal corners.

use super::placed::Placed;
use crate::{
    FacePair, Mesh, Pose, Shape,
    mid::Searcher,
    narrow::{Projection, Triangle, orient2d, orient3d},
};
use glam::{DVec2, DVec3};

/// Finds out which of some points lie inside a closed part.
#[derive(Debug, Default)]
pub(super) struct Winding {
    hits: Vec<FacePair>,
    turns: Vec<Turns>,
}

/// How often a surface goes around a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turns {
    Times(i32),
    /// The point lies on the surface.
    On,
}

impl Winding {
    /// Calls for every point that is strictly inside a closed part, in order.
    pub(super) fn inside(
        &mut self,
        searcher: &mut Searcher,
        part: Placed<'_>,
        points: &[DVec3],
        mut found: impl FnMut(usize),
    ) {
        if points.is_empty() {
            return;
        }
        self.turns.clear();
        self.turns.resize(points.len(), Turns::Times(0));
        self.hits.clear();
        match rays(part, points) {
            Some(rays) => {
                let rays = (&rays, &Pose::IDENTITY);
                searcher.contacts(rays, part.body(), &mut self.hits);
            }
            // Coordinates beyond what a mesh may have: every face of the part, for every point.
            None => {
                let faces = 0..part.mesh().faces().len() as u32;
                let of_ray = |a| faces.clone().map(move |b| FacePair { a, b });
                self.hits.extend((0..points.len() as u32).flat_map(of_ray));
            }
        }
        for &FacePair { a: ray, b: face } in &self.hits {
            let triangle = part.triangle(face);
            let turns = &mut self.turns[ray as usize];
            if let Turns::Times(times) = *turns {
                *turns = match passes(points[ray as usize], &triangle) {
                    Some(sign) => Turns::Times(times + sign),
                    None => Turns::On,
                };
            }
        }
        for (number, turns) in self.turns.iter().enumerate() {
            if !matches!(turns, Turns::Times(0) | Turns::On) {
                found(number);
            }
        }
    }
}

/// A segment along x from each point to beyond the part.
fn rays(part: Placed<'_>, points: &[DVec3]) -> Option<Shape> {
    let end = part.bounds.max.x + part.bounds.size().x + 1.0;
    let positions = points.iter().flat_map(|&p| [p, DVec3::new(end.max(p.x), p.y, p.z)]).collect();
    let faces = (0..points.len() as u32).map(|ray| [2 * ray, 2 * ray + 1, 2 * ray + 1]).collect();
    Some(Shape::new(Mesh::new(positions, faces).ok()?))
}

/// Which way a triangle looks that the ray from a point along x passes through: 1 forward, −1 back,
/// 0 if it misses it; nothing if the point is on the triangle.
fn passes(point: DVec3, triangle: &Triangle) -> Option<i32> {
    let flat = |p: DVec3| Projection::AlongX.of(p);
    let [a, b, c] = triangle.map(flat);
    let here = flat(point);
    let facing = orient2d(a, b, c);
    let is_met = facing != 0
        && [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| side(from, to, here) == facing);
    if !is_met {
        return Some(0);
    }
    let [a, b, c] = *triangle;
    match orient3d(a, b, c, point) {
        0 => None,
        // With n the normal, the ray meets the plane at `−n·(p − a) / n.x` from the point on.
        height if height == -facing => Some(facing),
        _ => Some(0),
    }
}

/// On which side of a line a point is that is moved by ε along the first and ε² along the second axis.
fn side(from: DVec2, to: DVec2, point: DVec2) -> i32 {
    let sign = |value: f64| i32::from(value > 0.0) - i32::from(value < 0.0);
    match orient2d(from, to, point) {
        0 if to.y != from.y => -sign(to.y - from.y),
        0 => sign(to.x - from.x),
        side => side,
    }
}
