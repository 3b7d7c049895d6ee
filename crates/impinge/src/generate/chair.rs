//! A chair of 146 faces.

use super::surface::Surface;
use crate::Mesh;
use glam::DVec3;

/// A chair of exactly 146 faces, 0.9 high, standing on z = 0 and facing +y: a cushioned seat, four tapered
/// legs, two posts, two slats and a curved top rail, each closed, normals outward.
///
/// Replaces the chair of 146 faces of Smith and Kitamura (1994) and of Kitamura, Takemura and Kishino (1994),
/// which was never published. As in a typical model of a chair, the parts overlap where they are joined.
pub fn chair() -> Mesh {
    let mut surface = Surface::with_faces(146);
    seat(&mut surface);
    for (x, y) in [(-0.155, -0.16), (0.155, -0.16), (0.16, 0.165), (-0.16, 0.165)] {
        // The feet of the legs are a little wider apart than their upper ends.
        let foot = DVec3::new(x * 1.2, y * 1.2, 0.0);
        surface
            .block(rectangle(foot, 0.015, 0.015), rectangle(DVec3::new(x, y, 0.42), 0.022, 0.022));
    }
    for x in [-0.145, 0.145] {
        let foot = DVec3::new(x, -0.185, 0.43);
        let head = DVec3::new(x * 1.05, -0.265, 0.84);
        surface.block(rectangle(foot, 0.018, 0.014), rectangle(head, 0.014, 0.008));
    }
    for z in [0.55, 0.66] {
        // The back leans: the center of a post moves 0.08 in y over 0.41 in z.
        let y = |z: f64| -0.185 - (z - 0.43) * (0.08 / 0.41);
        let at = |z: f64| rectangle(DVec3::new(0.0, y(z), z), 0.148, 0.006);
        surface.block(at(z), at(z + 0.05));
    }
    rail(&mut surface);
    surface.finish().expect("the coordinates are constants")
}

/// A rectangle around a point at constant height, counter-clockwise as seen from above. `x` and `y` are half
/// its sides.
fn rectangle(center: DVec3, x: f64, y: f64) -> [DVec3; 4] {
    [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| center + DVec3::new(x, y, 0.0))
}

/// The seat: a slab with cut corners and a cushion that rises to its middle: 30 faces.
fn seat(surface: &mut Surface) {
    let outline = [
        (-0.14, -0.22),
        (0.14, -0.22),
        (0.2, -0.17),
        (0.22, 0.16),
        (0.16, 0.23),
        (-0.16, 0.23),
        (-0.22, 0.16),
        (-0.2, -0.17),
    ];
    let lower = surface.ring(outline.map(|(x, y)| DVec3::new(x, y, 0.4)));
    let upper = surface.ring(outline.map(|(x, y)| DVec3::new(x, y, 0.44)));
    let cushion = surface.vertex(DVec3::new(0.0, 0.01, 0.465));
    surface.cap_below(&lower);
    surface.strip(&lower, &upper);
    surface.fan_above(&upper, cushion);
}

/// The top rail, bent back in its middle: 20 faces.
fn rail(surface: &mut Surface) {
    // Sections from left to right, so that the strips go along +x.
    let sections = [(-0.19, -0.243), (0.0, -0.274), (0.19, -0.243)].map(|(x, y)| {
        let corners = [(0.012, 0.76), (0.012, 0.9), (-0.012, 0.9), (-0.012, 0.76)];
        // The upper edge leans back with the posts.
        surface.ring(corners.map(|(dy, z)| DVec3::new(x, y + dy - (z - 0.76) * (0.08 / 0.41), z)))
    });
    surface.cap_below(&sections[0]);
    surface.strip(&sections[0], &sections[1]);
    surface.strip(&sections[1], &sections[2]);
    surface.cap_above(&sections[2]);
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, hash, volume};
    use super::*;

    #[test]
    fn a_chair_has_146_faces_and_closed_parts() {
        let mesh = chair();
        assert_eq!(mesh.faces().len(), 146);
        assert_closed(&mesh);
        assert!(volume(&mesh) > 0.005);
        let bounds = mesh.bounds();
        assert_eq!((bounds.min.z, bounds.max.z), (0.0, 0.9));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&chair()), 0x1C5D_45D2_026B_FC6D);
    }
}
