//! Disjoint tetrahedra in the cells of a random partition of the unit cube.

use super::bsp::partition;
use super::error::check_count;
use super::surface::Surface;
use super::{GenerateError, Random};
use crate::{Bounds, Mesh};
use glam::DVec3;

/// Disjoint random tetrahedra in the unit cube [0, 1]³: 4·count faces, each tetrahedron closed, normals
/// outward. `count` is from 1 to 10,000,000.
///
/// The obstacle environments of Klosowski (1998, chapter 2): a random binary space partition of the cube into
/// boxes, of which a random half is filled. To make the partition, a random leaf is split by a plane across a
/// random one of the axes along which it is longer than 2ε, at a position that leaves ε on either side, until
/// there are enough leaves. So sizes vary widely, and obstacles are dense in some places and leave others
/// empty.
pub fn bsp_tetrahedra(seed: u64, count: u32) -> Result<Mesh, GenerateError> {
    let is_allowed = (1..=10_000_000).contains(&count);
    check_count("count", count, is_allowed, "from 1 to 10000000")?;
    let mut random = Random::new(seed);
    let mut leaves = partition(&mut random, 2 * count as usize);
    random.shuffle(&mut leaves);
    let mut surface = Surface::with_faces(4 * u64::from(count));
    for leaf in &leaves[..count as usize] {
        tetrahedron(&mut surface, &mut random, leaf);
    }
    surface.finish()
}

/// Adds a tetrahedron that fills most of a box without touching its sides.
fn tetrahedron(surface: &mut Surface, random: &mut Random, cell: &Bounds) {
    let [a, b, c, d] = tetrahedron_corners(random, cell);
    let ring = surface.ring([a, b, c]);
    let apex = surface.vertex(d);
    surface.face([ring[0], ring[1], ring[2]]);
    surface.fan_below(&ring, apex);
}

/// The corners of a random tetrahedron that fills most of a box without touching its sides. Seen from outside,
/// the first three are counter-clockwise.
pub(crate) fn tetrahedron_corners(random: &mut Random, cell: &Bounds) -> [DVec3; 4] {
    // Four alternating corners of a box span a third of it; there are two ways to choose them.
    let mirror = if random.below(2) == 0 { 1.0 } else { -1.0 };
    let scale = random.range(0.6, 0.95);
    let signs = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let [a, b, c, d] = signs.map(|sign| {
        let inward = DVec3::from_array([(); 3].map(|()| random.range(0.6, 1.0)));
        let corner = DVec3::from_array(sign) * inward * (mirror * scale);
        cell.center() + corner * cell.size() * 0.5
    });
    let is_outward = (b - a).cross(c - a).dot(d - a) < 0.0;
    if is_outward { [a, b, c, d] } else { [a, c, b, d] }
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, hash, volume};
    use super::*;

    #[test]
    fn tetrahedra_are_closed_span_their_boxes_and_stay_in_the_cube() {
        for (seed, count) in [(0, 1), (1, 2), (2, 1000), (3, 25_000)] {
            let mesh = bsp_tetrahedra(seed, count).unwrap();
            assert_eq!(mesh.faces().len(), 4 * count as usize);
            assert_closed(&mesh);
            let bounds = mesh.bounds();
            assert!(bounds.min.min_element() > 0.0 && bounds.max.max_element() < 1.0);
            for corners in mesh.positions().chunks(4) {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| corners[i]);
                let size = Bounds::enclosing([a, b, c, d]).size();
                let sixfold = (b - a).cross(c - a).dot(d - a).abs();
                assert!(sixfold > 0.6 * size.element_product(), "{a} {b} {c} {d}");
            }
            assert!(volume(&mesh) > 0.0);
        }
    }

    #[test]
    fn tetrahedra_are_disjoint() {
        let mesh = bsp_tetrahedra(5, 500).unwrap();
        let boxes: Vec<Bounds> = mesh
            .positions()
            .chunks(4)
            .map(|corners| Bounds::enclosing(corners.iter().copied()))
            .collect();
        for (i, a) in boxes.iter().enumerate() {
            assert!(boxes[..i].iter().all(|b| !a.overlaps(b)), "tetrahedron {i}");
        }
    }

    #[test]
    fn leaves_fill_the_cube() {
        let leaves = partition(&mut Random::new(6), 5000);
        assert_eq!(leaves.len(), 5000);
        let total: f64 = leaves.iter().map(|leaf| leaf.size().element_product()).sum();
        assert!((total - 1.0).abs() < 1e-12);
        let epsilon = 0.1 / 5000_f64.cbrt();
        assert!(leaves.iter().all(|leaf| leaf.size().min_element() > epsilon * 0.999));
    }

    #[test]
    fn wrong_counts_are_refused() {
        let error = bsp_tetrahedra(1, 0).unwrap_err();
        assert_eq!(error.to_string(), "count is 0, but must be from 1 to 10000000");
        assert!(bsp_tetrahedra(1, 10_000_001).is_err());
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&bsp_tetrahedra(1, 200).unwrap()), 0x3231_FDE9_C325_CFBE);
    }
}
