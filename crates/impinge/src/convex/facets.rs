//! Merges the triangles of a hull into facets: coplanar triangles are joined, and corners inside a facet or
//! inside an edge are dropped.

use super::quick::Facet;
use glam::DVec3;

/// The facets of a closed convex surface of triangles. Returns the corners of all facets in one list, each
/// facet counter-clockwise as seen from outside, and the position in that list where each facet ends.
pub(super) fn joined(points: &[DVec3], triangles: &[Facet]) -> (Vec<u32>, Vec<u32>) {
    let is_sharp = sharp_edges(points, triangles);
    // The number of sharp edges that begin at a point: 0 inside a facet, 2 inside an edge, more at a corner.
    let mut degree = vec![0u32; points.len()];
    for (triangle, is_sharp) in triangles.iter().zip(&is_sharp) {
        for i in 0..3 {
            degree[triangle.corners[i] as usize] += u32::from(is_sharp[i]);
        }
    }
    let (mut corners, mut ends) = (Vec::new(), Vec::new());
    let mut is_done = vec![[false; 3]; triangles.len()];
    for start in 0..triangles.len() {
        for first in 0..3 {
            if !is_sharp[start][first] || is_done[start][first] {
                continue;
            }
            // Walk once around the facet, along its sharp edges.
            let (mut triangle, mut edge) = (start, first);
            while !is_done[triangle][edge] {
                is_done[triangle][edge] = true;
                let corner = triangles[triangle].corners[edge];
                if degree[corner as usize] > 2 {
                    corners.push(corner);
                }
                edge = (edge + 1) % 3;
                while !is_sharp[triangle][edge] {
                    (triangle, edge) = across(triangles, triangle, edge);
                    edge = (edge + 1) % 3;
                }
            }
            ends.push(corners.len() as u32);
        }
    }
    (corners, ends)
}

/// For each edge of each triangle, whether its two triangles lie in different planes.
fn sharp_edges(points: &[DVec3], triangles: &[Facet]) -> Vec<[bool; 3]> {
    let mut is_sharp = vec![[false; 3]; triangles.len()];
    for (index, triangle) in triangles.iter().enumerate() {
        for edge in 0..3 {
            let (other, back) = across(triangles, index, edge);
            if index < other {
                let tip = triangles[other].corners[(back + 2) % 3];
                let bends = triangle.plane.side(points[tip as usize]) != 0;
                is_sharp[index][edge] = bends;
                is_sharp[other][back] = bends;
            }
        }
    }
    is_sharp
}

/// The triangle across an edge, and the index of that edge in it.
fn across(triangles: &[Facet], triangle: usize, edge: usize) -> (usize, usize) {
    let Facet { corners, neighbours, .. } = triangles[triangle];
    let (other, end) = (neighbours[edge] as usize, corners[(edge + 1) % 3]);
    let [_, second, third] = triangles[other].corners;
    (other, usize::from(second == end) + 2 * usize::from(third == end))
}
