//! Turned parts: shafts, bushings and bolts, all about the z axis.

use super::super::surface::Surface;
use super::super::turn::circle;
use crate::Mesh;
use glam::{DVec2, DVec3};

/// The number of corners of a cross-section: a multiple of six, so that a bolt's head can be a hexagon.
const SIDES: u32 = 48;

/// A shaft with a thinner end towards +z.
pub(super) fn shaft() -> Mesh {
    let profile = [(4.5, -28.0), (5.0, -27.5), (5.0, 29.0), (4.0, 29.0), (4.0, 43.5), (3.5, 44.0)];
    turned(&profile.map(|(radius, z)| (round(radius), z)))
}

/// A ring between two radii, centered at the origin: a bearing or a sleeve.
pub(super) fn bushing(inner: f64, outer: f64, length: f64) -> Mesh {
    let mut surface = Surface::default();
    let z = length * 0.5;
    let rings = [(inner, -z), (outer, -z), (outer, z), (inner, z)]
        .map(|(radius, z)| surface.ring(round(radius).into_iter().map(|at| at.extend(z))));
    for i in 0..4 {
        surface.strip(&rings[i], &rings[(i + 1) % 4]);
    }
    surface.finish().expect("the coordinates are constants")
}

/// A bolt with a hexagonal head above z = 0 and its shank below.
pub(super) fn bolt() -> Mesh {
    let profile = [
        (round(1.6), -11.0),
        (round(2.0), -10.5),
        (round(2.0), 0.0),
        (hexagon(4.0), 0.0),
        (hexagon(4.0), 3.0),
    ];
    turned(&profile)
}

/// A closed body of cross-sections at ascending heights.
fn turned(profile: &[(Vec<DVec2>, f64)]) -> Mesh {
    let mut surface = Surface::default();
    let rings: Vec<Vec<u32>> = profile
        .iter()
        .map(|(section, z)| surface.ring(section.iter().map(|at| at.extend(*z))))
        .collect();
    let bottom = surface.vertex(DVec3::new(0.0, 0.0, profile[0].1));
    surface.fan_below(&rings[0], bottom);
    for pair in rings.windows(2) {
        surface.strip(&pair[0], &pair[1]);
    }
    let top = surface.vertex(DVec3::new(0.0, 0.0, profile[profile.len() - 1].1));
    surface.fan_above(&rings[rings.len() - 1], top);
    surface.finish().expect("the coordinates are constants")
}

fn round(radius: f64) -> Vec<DVec2> {
    circle(SIDES).map(|at| at * radius).collect()
}

/// `SIDES` points on a hexagon whose corners are at the given radius.
fn hexagon(radius: f64) -> Vec<DVec2> {
    let corners: Vec<DVec2> = circle(6).map(|at| at * radius).collect();
    let share = SIDES as usize / 6;
    (0..SIDES as usize)
        .map(|i| {
            let (edge, step) = (i / share, i % share);
            corners[edge].lerp(corners[(edge + 1) % 6], step as f64 / share as f64)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{assert_closed, genus, volume};
    use super::*;

    #[test]
    fn parts_are_closed() {
        for (mesh, handles) in [(shaft(), 0), (bolt(), 0), (bushing(1.0, 2.0, 3.0), 1)] {
            assert_closed(&mesh);
            assert_eq!(genus(&mesh), handles);
            assert!(volume(&mesh) > 1.0);
        }
        let ring = volume(&bushing(1.0, 2.0, 3.0)) / (9.0 * std::f64::consts::PI);
        assert!((0.99..1.0).contains(&ring), "{ring}");
    }
}
