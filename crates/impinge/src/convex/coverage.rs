//! Which facets of a mesh's hull are covered by faces of the mesh: red ones are, green ones are not (Lin et al. 1996).

use super::{Feature, Polytope};
use crate::{
    Mesh,
    narrow::{Triangle, is_collinear, orient3d},
};
use glam::DVec3;
use std::collections::HashMap;

/// For each facet of a hull, the faces of the mesh that lie in it, and whether they cover all of it.
///
/// Exact: a face lies in a facet if its three corners lie in the facet's plane, and a facet counts as covered only if every
/// point of it belongs to a face. A facet that is covered by faces whose edges do not match (T-junctions) may count as not
/// covered, which is always safe. So may one whose faces are flat only up to rounding: a quadrilateral with one corner a
/// last bit below the plane of the others has two facets, divided along the diagonal that bulges, and the mesh may have divided it along
/// the other.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    faces: Vec<u32>,
    face_ends: Vec<u32>,
    is_red: Vec<bool>,
}

/// A facet with more edges and more face edges than this together is not looked at.
const MOST_COMPARISONS: usize = 1 << 20;

impl Coverage {
    /// Finds the faces of a mesh that cover facets of its hull.
    ///
    /// ```
    /// use impinge::{convex::{Coverage, Polytope}, generate};
    ///
    /// let ball = generate::icosphere(3)?;
    /// let hull = Polytope::new(ball.positions())?;
    /// let coverage = Coverage::new(&hull, &ball);
    /// assert!((0..hull.hull().facets().len() as u32).all(|facet| coverage.is_red(facet)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(polytope: &Polytope, mesh: &Mesh) -> Self {
        Self::of_faces(polytope, mesh.positions(), mesh.faces())
    }

    /// The same for faces that are given as indices of positions.
    pub(super) fn of_faces(polytope: &Polytope, positions: &[DVec3], faces: &[[u32; 3]]) -> Self {
        let facets = polytope.hull().facets().len();
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (face, corners) in (0..).zip(faces) {
            let triangle = corners.map(|corner| positions[corner as usize]);
            found.extend(facet_of(polytope, &triangle).map(|facet| (facet, face)));
        }
        found.sort_unstable();
        let mut coverage = Self { is_red: vec![false; facets], ..Self::default() };
        let mut rest = &found[..];
        for facet in 0..facets as u32 {
            let count = rest.iter().take_while(|(of, _)| *of == facet).count();
            let (own, others) = rest.split_at(count);
            coverage.faces.extend(own.iter().map(|(_, face)| *face));
            coverage.face_ends.push(coverage.faces.len() as u32);
            let triangles = own
                .iter()
                .map(|(_, face)| faces[*face as usize].map(|corner| positions[corner as usize]));
            coverage.is_red[facet as usize] = is_covered(polytope, facet, triangles);
            rest = others;
        }
        coverage.faces.shrink_to_fit();
        coverage.face_ends.shrink_to_fit();
        coverage
    }

    /// Whether a facet is covered by faces of the mesh.
    pub fn is_red(&self, facet: u32) -> bool {
        self.is_red.get(facet as usize).copied().unwrap_or(false)
    }

    /// The number of facets that are covered.
    pub fn red_facets(&self) -> usize {
        self.is_red.iter().filter(|is_red| **is_red).count()
    }

    /// The faces of the mesh that lie in a facet.
    pub fn faces_in(&self, facet: u32) -> &[u32] {
        let facet = facet as usize;
        let Some(&end) = self.face_ends.get(facet) else { return &[] };
        let begin = facet.checked_sub(1).map_or(0, |before| self.face_ends[before]);
        &self.faces[begin as usize..end as usize]
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.faces) + size_of_val(&*self.face_ends) + self.is_red.len()
    }
}

/// The facet of the hull that a triangle lies in, if there is one.
fn facet_of(polytope: &Polytope, triangle: &Triangle) -> Option<u32> {
    let [p, q, r] = *triangle;
    let area = (q - p).cross(r - p);
    let largest = area.abs().max_element();
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let normal = area / largest;
    // Only a facet with nearly the same normal can contain the triangle, and then a vertex of it is furthest along it.
    [normal, -normal].into_iter().find_map(|normal| {
        let top = polytope.climb(polytope.start(normal), normal);
        let mut found = None;
        polytope.facets_at(Feature::Vertex(top), |facet| {
            let [a, b, c] = three_corners(polytope, facet);
            if found.is_none() && triangle.iter().all(|&corner| orient3d(a, b, c, corner) == 0) {
                found = Some(facet);
            }
        });
        found
    })
}

/// Three corners of a facet that are not in line, counter-clockwise.
fn three_corners(polytope: &Polytope, facet: u32) -> Triangle {
    let mut around = polytope.vertices_of(Feature::Facet(facet));
    let mut next = || around.next().unwrap_or(0);
    [next(), next(), next()].map(|vertex| polytope.hull().positions()[vertex as usize])
}

/// Whether triangles in the plane of a facet cover all of it.
///
/// All triangles are oriented alike, and edges that run both ways cancel. The number of triangles at a point changes only
/// across edges that are left. So if all of these lie on the border of the facet, the number is the same everywhere inside,
/// and not 0 if there is any triangle.
fn is_covered(polytope: &Polytope, facet: u32, triangles: impl Iterator<Item = Triangle>) -> bool {
    let Some(below) = point_below(polytope, facet) else { return false };
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    let mut points: Vec<DVec3> = Vec::new();
    let mut number_of = |point: DVec3| {
        // Adding 0 makes −0 and 0 the same.
        let key = (point + DVec3::ZERO).to_array().map(f64::to_bits);
        *numbers.entry(key).or_insert_with(|| {
            points.push(point);
            points.len() as u32 - 1
        })
    };
    let mut edges: Vec<([u32; 2], i32)> = Vec::new();
    for triangle in triangles {
        let [p, q, r] = triangle;
        let corners = triangle.map(&mut number_of);
        let [a, b, c] = match orient3d(p, q, r, below) {
            0 => continue,
            side if side < 0 => corners,
            _ => [corners[0], corners[2], corners[1]],
        };
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let edge = if from < to { ([from, to], 1) } else { ([to, from], -1) };
            edges.push(edge);
        }
    }
    if edges.is_empty() {
        return false;
    }
    edges.sort_unstable_by_key(|(ends, _)| *ends);
    let left: Vec<[u32; 2]> = edges
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter(|same| same.iter().map(|(_, way)| way).sum::<i32>() != 0)
        .map(|same| same[0].0)
        .collect();
    let rim = polytope.rim(facet);
    if left.len().saturating_mul(rim.len()) > MOST_COMPARISONS {
        return false;
    }
    let at = |vertex: u32| polytope.hull().positions()[vertex as usize];
    left.iter().all(|ends| {
        let [p, q] = ends.map(|end| points[end as usize]);
        rim.iter().any(|side| {
            let [from, to] = polytope.edge(side.edge).vertices.map(at);
            is_on_line(p, [from, to]) && is_on_line(q, [from, to])
        })
    })
}

fn is_on_line(point: DVec3, [from, to]: [DVec3; 2]) -> bool {
    point == from || point == to || is_collinear([from, to, point])
}

/// A vertex of the hull that is not in the plane of a facet.
fn point_below(polytope: &Polytope, facet: u32) -> Option<DVec3> {
    let [a, b, c] = three_corners(polytope, facet);
    // A vertex across an edge of the facet is mostly one.
    polytope.hull().positions().iter().copied().find(|&point| orient3d(a, b, c, point) != 0)
}
