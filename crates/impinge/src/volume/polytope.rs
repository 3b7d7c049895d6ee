//! The volume of a polytope between pairs of parallel planes: the measure of k-DOPs.

use glam::{DVec2, DVec3};

/// The most planes of a polytope.
const MAX_PLANES: usize = 128;

/// The volume of the polytope of all points p with `low ≤ p·normal ≤ high` for each normal, every plane moved
/// outward by `pad`; 0 if that is empty or not finite. The normals need not have unit length. They and their
/// opposites must not fit into a half-space, so that the polytope is bounded.
///
/// By the divergence theorem the volume is a third of the sum, over the facets, of area times distance from
/// any one point. The facet of a plane is a large square, cut by all other planes. This takes time k² for k
/// planes: about as long as measuring a few hundred corners. The error is a few roundings of `f64`, relative to
/// the polytope's diameter times its largest facet.
pub(super) fn volume(normals: &[DVec3], low: &[f32], high: &[f32], pad: f64) -> f64 {
    let mut planes = [(DVec3::ZERO, 0.0); MAX_PLANES];
    let count = 2 * normals.len();
    debug_assert!(count <= MAX_PLANES, "too many planes");
    let extents = low.iter().zip(high).map(|(&low, &high)| [f64::from(low), f64::from(high)]);
    // A point in the middle. The sum of the squares of a symmetric set of normals is the same in all
    // directions; for other sets the point is a worse one, which costs digits and nothing else.
    let squares: f64 = normals.iter().map(|n| n.length_squared()).sum();
    let middle = |(normal, [low, high]): (&DVec3, [f64; 2])| *normal * (1.5 * (low + high));
    let center = normals.iter().zip(extents.clone()).map(middle).sum::<DVec3>() / squares;
    let mut reach = 0.0f64;
    for (pair, (normal, [low, high])) in planes.chunks_exact_mut(2).zip(normals.iter().zip(extents))
    {
        let length = normal.length();
        let (unit, at) = (*normal / length, normal.dot(center));
        let distances = [(high - at) / length + pad, (at - low) / length + pad];
        pair.copy_from_slice(&[(unit, distances[0]), (-unit, distances[1])]);
        reach = distances.iter().fold(reach, |reach, distance| reach.max(distance.abs()));
    }
    let planes = &planes[..count];
    if !reach.is_finite() || planes.iter().any(|(_, distance)| distance.is_nan()) {
        return 0.0;
    }
    let mut buffers = [[DVec2::ZERO; MAX_PLANES + 4]; 2];
    let facets =
        (0..count).map(|facet| planes[facet].1 * area(planes, facet, 4.0 * reach, &mut buffers));
    facets.sum::<f64>().max(0.0) / 3.0
}

/// The area of a facet: of the part of its plane that is behind all other planes. Planes are unit normals and
/// distances from a common point; no facet extends farther than `reach` from that point.
fn area(
    planes: &[(DVec3, f64)],
    facet: usize,
    reach: f64,
    [polygon, cut]: &mut [[DVec2; MAX_PLANES + 4]; 2],
) -> f64 {
    let (mut polygon, mut cut) = (polygon, cut);
    let (normal, distance) = planes[facet];
    let (u, v) = normal.any_orthonormal_pair();
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    for (corner, (x, y)) in polygon.iter_mut().zip(square) {
        *corner = DVec2::new(x, y) * reach;
    }
    // A cut adds at most one corner to a convex polygon.
    let mut count = 4;
    for (other, (plane, at)) in planes.iter().enumerate() {
        // The opposite plane is parallel.
        if other / 2 == facet / 2 {
            continue;
        }
        let direction = DVec2::new(plane.dot(u), plane.dot(v));
        let limit = at - distance * plane.dot(normal);
        let beyond = |corner: DVec2| direction.dot(corner) - limit;
        if polygon[..count].iter().all(|&corner| beyond(corner) <= 0.0) {
            continue;
        }
        let mut kept = 0;
        let mut from = polygon[count - 1];
        let mut from_beyond = beyond(from);
        for &to in &polygon[..count] {
            let to_beyond = beyond(to);
            // Rounding cannot add corners without end.
            if kept + 2 > cut.len() {
                break;
            }
            if (from_beyond > 0.0) != (to_beyond > 0.0) {
                cut[kept] = from.lerp(to, from_beyond / (from_beyond - to_beyond));
                kept += 1;
            }
            if to_beyond <= 0.0 {
                cut[kept] = to;
                kept += 1;
            }
            (from, from_beyond) = (to, to_beyond);
        }
        if kept < 3 {
            return 0.0;
        }
        std::mem::swap(&mut polygon, &mut cut);
        count = kept;
    }
    let polygon = &polygon[..count];
    let edges =
        polygon.windows(2).map(|edge| (edge[0] - polygon[0]).perp_dot(edge[1] - polygon[0]));
    0.5 * edges.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use crate::{
        generate::Random,
        volume::{BoundingVolume, Dop},
    };
    use glam::DVec3;

    /// A polytope's volume agrees with the share of random points within it.
    fn agrees_with_samples<const H: usize>() {
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let count = 1 + random.below(4);
            let size = DVec3::new(0.8, random.range(0.1, 0.8), random.range(0.1, 0.8));
            let triangles: Vec<_> = (0..count)
                .map(|_| [0; 3].map(|_| random.direction() * size * random.unit()))
                .collect();
            let dop = Dop::<H>::enclosing(&triangles);
            let [low, high] = dop.extents().map(|ends| ends.map(f64::from));
            let directions = Dop::<H>::directions();
            // A DOP without axes reaches beyond the box of the triangles.
            let (reach, samples) = (2.0, 400_000);
            let is_within =
                |p: DVec3| (0..H).all(|i| (low[i]..=high[i]).contains(&directions[i].dot(p)));
            let mut coordinate = || random.range(-reach, reach);
            let within = (0..samples)
                .filter(|_| is_within(DVec3::new(coordinate(), coordinate(), coordinate())))
                .count() as f64;
            let cell = (2.0 * reach).powi(3) / f64::from(samples);
            // Five standard deviations of the number of points.
            let error = 5.0 * (within + 1.0).sqrt() * cell;
            let volume = dop.volume(0.0);
            assert!(
                (volume - within * cell).abs() <= error,
                "H {H}, seed {seed}: {volume}, sampled {} ± {error}",
                within * cell
            );
        }
    }

    #[test]
    fn volumes_of_dops_agree_with_samples() {
        agrees_with_samples::<3>();
        agrees_with_samples::<4>();
        agrees_with_samples::<6>();
        agrees_with_samples::<7>();
        agrees_with_samples::<9>();
        agrees_with_samples::<10>();
        agrees_with_samples::<13>();
    }

    /// The corners of a box, as degenerate triangles.
    fn corners(min: DVec3, max: DVec3) -> Vec<[DVec3; 3]> {
        let corner = |i: usize| {
            DVec3::from_array(
                [0, 1, 2].map(|axis| if (i >> axis) & 1 == 0 { min[axis] } else { max[axis] }),
            )
        };
        (0..8).map(|i| [corner(i); 3]).collect()
    }

    #[test]
    fn volumes_of_known_solids() {
        fn check<const H: usize>(triangles: &[[DVec3; 3]], pad: f64, expected: f64) {
            let volume = Dop::<H>::enclosing(triangles).volume(pad);
            // Each plane is moved outward by up to 2^−23 when it is stored, and the least side is 2^−5.
            let error = 3.0 * 2f64.powi(-17) * expected;
            assert!((volume - expected).abs() <= error, "H {H}: {volume} for {expected}");
        }
        // A box far from the center of the frame, and one that is small.
        for (min, size) in [
            (DVec3::new(-0.5, 0.1, 0.2), DVec3::new(1.25, 0.5, 0.125)),
            (DVec3::new(0.875, 0.75, -0.9375), DVec3::new(0.0625, 0.125, 0.03125)),
        ] {
            let triangles = corners(min, min + size);
            check::<3>(&triangles, 0.0, size.element_product());
            check::<7>(&triangles, 0.0, size.element_product());
            check::<9>(&triangles, 0.0, size.element_product());
            check::<13>(&triangles, 0.0, size.element_product());
        }
        // A point is padded to a cube, an octahedron, or a rhombic dodecahedron of the given inner radius.
        let point = [[DVec3::splat(0.25); 3]];
        check::<3>(&point, 0.5, 1.0);
        check::<4>(&point, 0.5, 4.0 / 3.0 * 3f64.sqrt().powi(3) * 0.125);
        check::<6>(&point, 0.5, 4.0 * 2f64.sqrt() * 0.125);
        // Nothing has no volume.
        assert_eq!(Dop::<9>::enclosing(&[]).volume(0.1), 0.0);
    }
}
