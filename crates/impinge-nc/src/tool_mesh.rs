//! Tools and paths as triangles, for pictures.

use crate::{ToolPart, ToolPose};
use impinge::{
    Mesh,
    glam::{DVec2, DVec3},
};
use std::f64::consts::TAU;

/// The number of sides of a drawn tool.
const SIDES: u32 = 48;

/// How far a chord may be from the arc that it is drawn for, relative to the radius of the piece.
const ROUGHNESS: f64 = 3e-3;

/// The contour of a piece in the half plane of radius (x) and height (y), from the lowest to the highest point of the axis.
pub(crate) fn contour(part: &ToolPart) -> Vec<DVec2> {
    part.outline(ROUGHNESS * part.solid.largest_radius())
}

/// The mesh of a piece of a tool that stands at a place; `None` if it has no volume.
pub(crate) fn placed(part: &ToolPart, pose: ToolPose) -> Option<Mesh> {
    let contour = contour(part);
    let ring = &contour[1..contour.len().checked_sub(1)?];
    let [bottom, top] = [contour.first()?.y, contour.last()?.y];
    if ring.is_empty() || bottom >= top {
        return None;
    }
    let across = pose.axis.any_orthonormal_vector();
    let beside = pose.axis.cross(across);
    let mut positions = vec![pose.tip + pose.axis * bottom, pose.tip + pose.axis * top];
    for point in ring {
        positions.extend((0..SIDES).map(|side| {
            let (sin, cos) = libm::sincos(TAU * f64::from(side) / f64::from(SIDES));
            pose.tip + pose.axis * point.y + (across * cos + beside * sin) * point.x
        }));
    }
    let vertex = |ring: usize, side: u32| 2 + ring as u32 * SIDES + side % SIDES;
    let mut faces = Vec::new();
    for side in 0..SIDES {
        let last = ring.len() - 1;
        faces.push([0, vertex(0, side + 1), vertex(0, side)]);
        faces.push([1, vertex(last, side), vertex(last, side + 1)]);
        for low in 0..last {
            let [a, b] = [side, side + 1].map(|side| vertex(low, side));
            let [c, d] = [side, side + 1].map(|side| vertex(low + 1, side));
            faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    Mesh::new(positions, faces).ok()
}

/// A tube with three sides around each of some segments.
pub(crate) fn tubes(segments: &[[DVec3; 2]], radius: f64) -> Option<Mesh> {
    let mut positions = Vec::with_capacity(6 * segments.len());
    let mut faces = Vec::with_capacity(6 * segments.len());
    for &[from, to] in segments {
        let Some(along) = (to - from).try_normalize() else { continue };
        let across = along.any_orthonormal_vector();
        let beside = along.cross(across);
        let first = positions.len() as u32;
        for end in [from, to] {
            positions.extend([0.0, 1.0, 2.0].map(|corner| {
                let (sin, cos) = libm::sincos(TAU * corner / 3.0);
                end + (across * cos + beside * sin) * radius
            }));
        }
        for corner in 0..3 {
            let [a, b] = [first + corner, first + (corner + 1) % 3];
            faces.extend([[a, b, b + 3], [a, b + 3, a + 3]]);
        }
    }
    Mesh::new(positions, faces).ok().filter(|mesh| !mesh.faces().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;
    use std::f64::consts::PI;

    fn volume(mesh: &Mesh) -> f64 {
        mesh.triangles().map(|t| t[0].dot(t[1].cross(t[2])) / 6.0).sum()
    }

    #[test]
    fn tools_are_closed_meshes_of_about_the_right_volume() {
        let pose = ToolPose { tip: DVec3::new(1.0, 2.0, 3.0), axis: DVec3::new(0.6, 0.0, 0.8) };
        for (spec, expected) in [
            ("flat:d=6,length=10", PI * 9.0 * 10.0),
            ("ball:d=6,length=10", PI * 9.0 * 7.0 + 2.0 / 3.0 * PI * 27.0),
        ] {
            let tool = Tool::from_spec(spec, 1.0).unwrap();
            let mesh = placed(&tool.parts[0], pose).unwrap();
            assert!(mesh.check_solid().is_ok(), "{spec}");
            assert!((volume(&mesh) / expected - 1.0).abs() < 0.01, "{spec}: {}", volume(&mesh));
        }
    }
}
