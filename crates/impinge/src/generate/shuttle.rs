//! A space shuttle of 528 faces.

use super::surface::Surface;
use crate::Mesh;
use glam::DVec3;

/// A space shuttle of exactly 528 faces: one closed surface, normals outward, with its nose towards +x, wings
/// along y and a fin along +z. About 37 long, meant as metres.
///
/// Replaces the shuttle of 528 triangular patches of Smith and Kitamura (1994) and of Kitamura, Takemura and
/// Kishino (1994), which was never published: a concave body of moderate complexity. It has 11 cross-sections
/// of 24 points between a nose point and a tail point.
pub fn shuttle() -> Mesh {
    let mut surface = Surface::with_faces(528);
    let tail = surface.vertex(DVec3::new(-16.6, 0.0, 0.4));
    let mut behind: Vec<u32> = Vec::new();
    for station in &STATIONS {
        let half = station.half_section();
        // Up the left side, over the fin and down the right side.
        let right = half[1..12].iter().rev().map(|&p| DVec3::new(p.x, -p.y, p.z));
        let ring = surface.ring(half.into_iter().chain(right));
        if behind.is_empty() {
            surface.fan_below(&ring, tail);
        } else {
            surface.strip(&behind, &ring);
        }
        behind = ring;
    }
    let nose = surface.vertex(DVec3::new(18.6, 0.0, -0.9));
    surface.fan_above(&behind, nose);
    surface.finish().expect("the coordinates are constants")
}

/// A cross-section at a position along the fuselage.
struct Station {
    x: f64,
    /// Half the width of the fuselage, and the heights of its belly and back.
    width: f64,
    bottom: f64,
    top: f64,
    /// The distance of the wing tip from the middle; there is no wing if it is within the fuselage.
    span: f64,
    /// The height of the fin above the back, and the distance of its upper edge behind `x`.
    fin: f64,
    sweep: f64,
    /// The extra width of the shoulders for the engine pods.
    pods: f64,
}

/// The stations from tail to nose. The second station has the trailing edges of wings and fin.
#[rustfmt::skip]
const STATIONS: [Station; 11] = [
    Station { x: -16.0, width: 2.5, bottom: -2.0, top: 2.9, span: 0.0, fin: 0.0, sweep: 0.0, pods: 0.5 },
    Station { x: -14.8, width: 2.7, bottom: -2.3, top: 3.0, span: 11.9, fin: 7.6, sweep: 3.6, pods: 0.8 },
    Station { x: -12.4, width: 2.7, bottom: -2.4, top: 3.0, span: 11.9, fin: 7.4, sweep: 3.2, pods: 0.7 },
    Station { x: -9.6, width: 2.7, bottom: -2.5, top: 3.0, span: 10.6, fin: 0.4, sweep: 0.4, pods: 0.1 },
    Station { x: -6.6, width: 2.7, bottom: -2.5, top: 3.0, span: 7.6, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: -3.2, width: 2.7, bottom: -2.5, top: 3.0, span: 4.9, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: 2.5, width: 2.7, bottom: -2.5, top: 3.0, span: 3.8, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: 8.5, width: 2.7, bottom: -2.5, top: 3.0, span: 0.0, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: 12.3, width: 2.6, bottom: -2.45, top: 2.9, span: 0.0, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: 15.2, width: 2.0, bottom: -2.2, top: 0.9, span: 0.0, fin: 0.0, sweep: 0.0, pods: 0.0 },
    Station { x: 17.7, width: 1.1, bottom: -1.7, top: -0.1, span: 0.0, fin: 0.0, sweep: 0.0, pods: 0.0 },
];

impl Station {
    /// The points from the middle of the belly up the left side to the middle of the back: two of the belly,
    /// six around the wing, two of the side, three of the fin.
    fn half_section(&self) -> [DVec3; 13] {
        let height = self.top - self.bottom;
        let at = |y: f64, z: f64| DVec3::new(self.x, y * self.width, self.bottom + z * height);
        let mut half = [
            at(0.0, 0.0),
            at(0.55, 0.0),
            at(0.88, 0.03),
            at(0.95, 0.06),
            at(0.985, 0.1),
            at(1.0, 0.15),
            at(1.0, 0.2),
            at(1.0, 0.27),
            at(0.97, 0.6),
            at(0.74, 0.87),
            at(0.22, 0.99),
            at(0.1, 1.0),
            at(0.0, 1.0),
        ];
        half[8].y += self.pods * 0.3;
        half[9] += DVec3::new(0.0, 0.4, 0.5) * self.pods;
        if self.span > self.width {
            // Thick at the root, thin at the tip, and slightly rising towards it.
            let reach = self.span - self.width;
            let wing = |share: f64, z: f64| {
                DVec3::new(self.x, self.width + share * reach, self.bottom + 0.25 + z + 0.4 * share)
            };
            half[3] = wing(0.5, 0.0);
            half[4] = wing(0.97, 0.0);
            half[5] = wing(1.0, 0.12);
            half[6] = wing(0.5, 0.45);
        }
        if self.fin > 0.0 {
            let edge = DVec3::new(self.x - self.sweep, 0.0, self.top + self.fin);
            half[10] = DVec3::new(self.x, 0.4, self.top - 0.02);
            half[11] = edge + DVec3::new(0.0, 0.13, -0.1);
            half[12] = edge;
        }
        half
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, assert_simple, genus, hash, volume};
    use super::*;

    #[test]
    fn a_shuttle_is_one_closed_body_of_528_faces() {
        let mesh = shuttle();
        assert_eq!(mesh.faces().len(), 528);
        assert_closed(&mesh);
        assert_eq!(genus(&mesh), 0);
        assert_simple(&mesh, 1e-3);
        let size = mesh.bounds().size();
        assert!(volume(&mesh) > 0.05 * size.element_product(), "{}", volume(&mesh));
        assert!(size.x > size.y && size.y > size.z);
    }

    #[test]
    fn both_sides_are_exact_mirror_images() {
        let mesh = shuttle();
        let is_there = |p: DVec3| mesh.positions().contains(&DVec3::new(p.x, -p.y, p.z));
        assert!(mesh.positions().iter().all(|&p| is_there(p)));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&shuttle()), 0x19A4_5F0D_CC60_AD22);
    }
}
