//! Ways to choose the axes of an oriented box. [`Obb`](super::Obb) compares the boxes and keeps the smallest.

use super::eigen::eigenvectors;
use crate::{
    convex::{Hull, Shape},
    narrow::Triangle,
};
use glam::{DMat3, DVec2, DVec3, Vec3Swizzles};

/// A way to choose axes for an oriented box. Each is a heuristic; the resulting boxes are compared to find
/// the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fit {
    /// The principal axes of the faces, weighted by area.
    Faces,
    /// The principal axes of the surface of the convex hull (Gottschalk, Lin and Manocha 1996), so that
    /// interior faces have no influence. Takes time n log n, and much longer than the others.
    Hull,
    /// The principal axis along which the extent of the faces is least, and the smallest rectangle
    /// perpendicular to it. Of many faces only a sample is used.
    Rectangle,
}

/// The largest sample of faces for [`Fit::Rectangle`], and the limit up to which a smaller buffer is used.
/// The smaller buffer saves time because half of all nodes are leaves.
const MAX_SAMPLE: usize = 32;
const SMALL_SAMPLE: usize = 4;

/// The axes that a fit chooses. `principal` are the principal axes of the faces, if they exist.
pub(super) fn axes(fit: Fit, triangles: &[Triangle], principal: Option<DMat3>) -> Option<DMat3> {
    match fit {
        Fit::Faces => principal,
        Fit::Hull => principal_axes(hull_of(triangles)),
        Fit::Rectangle if triangles.len() <= SMALL_SAMPLE => {
            principal.map(|axes| rectangle::<SMALL_SAMPLE>(axes, triangles))
        }
        Fit::Rectangle => principal.map(|axes| rectangle::<MAX_SAMPLE>(axes, triangles)),
    }
}

/// The surface of the convex hull of triangles, as triangles.
fn hull_of(triangles: &[Triangle]) -> Vec<Triangle> {
    let corners: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let Ok(hull) = Hull::new(&corners) else { return Vec::new() };
    let at = |vertex: u32| hull.positions()[vertex as usize];
    let fan = |around: &[u32]| -> Vec<Triangle> {
        let [first, rest @ ..] = around else { return Vec::new() };
        rest.windows(2).map(|edge| [at(*first), at(edge[0]), at(edge[1])]).collect()
    };
    match hull.shape() {
        Shape::Polygon => fan(&(0..hull.positions().len() as u32).collect::<Vec<_>>()),
        _ => hull.facets().flat_map(fan).collect(),
    }
}

/// Rotates axes about the one along which the extent is least, so that the box is smallest: one side of it
/// lies along an edge of the outline. Uses a sample of at most `N` triangles.
fn rectangle<const N: usize>(axes: DMat3, triangles: &[Triangle]) -> DMat3 {
    let inverse = axes.transpose();
    let sample = triangles.iter().step_by(triangles.len().div_ceil(N).max(1));
    let mut turned = [[DVec3::ZERO; 3]; N];
    let turned = &mut turned[..sample.len()];
    for (turned, triangle) in turned.iter_mut().zip(sample) {
        *turned = triangle.map(|corner| inverse * corner);
    }
    let corners = turned.as_flattened();
    let size = crate::Bounds::enclosing(corners.iter().copied()).size();
    let thin = size.min_position();
    let (i, j) = ((thin + 1) % 3, (thin + 2) % 3);
    let mut flat = [[DVec2::ZERO; 3]; N];
    let flat = &mut flat.as_flattened_mut()[..corners.len()];
    for (point, corner) in flat.iter_mut().zip(corners) {
        *point = DVec2::new(corner[i], corner[j]);
    }
    let mut around = [[DVec2::ZERO; 6]; N];
    let outline = outline(flat, around.as_flattened_mut());
    let mut best = (f64::INFINITY, DVec2::X);
    for (n, from) in outline.iter().enumerate() {
        let side = (outline[(n + 1) % outline.len()] - *from).normalize_or_zero();
        let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for point in outline {
            let turned = DVec2::new(side.dot(*point), side.perp_dot(*point));
            (min, max) = (min.min(turned), max.max(turned));
        }
        let [width, height] = (max - min).to_array();
        let area = width * height + (width + height) * size[thin];
        if side != DVec2::ZERO && area < best.0 {
            best = (area, side);
        }
    }
    let (across, along) = (axes.col(thin), axes.col(i) * best.1.x + axes.col(j) * best.1.y);
    DMat3::from_cols(along, across.cross(along), across)
}

/// The convex hull of points in a plane, in counter-clockwise order (Andrew 1979). Rounding errors may make
/// it slightly wrong, which is harmless for a heuristic.
fn outline<'o>(points: &mut [DVec2], around: &'o mut [DVec2]) -> &'o [DVec2] {
    points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    // First the lower chain, then the upper chain back; each ends where the other begins.
    let lower = chain(points.iter(), around).saturating_sub(1);
    let upper = chain(points.iter().rev(), &mut around[lower..]).saturating_sub(1);
    &around[..lower + upper]
}

/// Collects the points, given in sorted order, at which the chain turns left. Returns their number.
fn chain<'p>(points: impl Iterator<Item = &'p DVec2>, chain: &mut [DVec2]) -> usize {
    let mut count = 0;
    for &point in points {
        while count > 1
            && (chain[count - 1] - chain[count - 2]).perp_dot(point - chain[count - 2]) <= 0.0
        {
            count -= 1;
        }
        chain[count] = point;
        count += 1;
    }
    count
}

/// The eigenvectors of the covariance of a surface, weighted by area. `None` if the area is zero or the
/// result is not orthonormal.
pub(super) fn principal_axes(triangles: impl IntoIterator<Item = Triangle>) -> Option<DMat3> {
    let mut area_sum = 0.0;
    let mut mean = DVec3::ZERO;
    // The moments xx, yy, zz and yz, zx, xy.
    let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
    let product = |p: DVec3| p.yzx() * p.zxy();
    for [p, q, r] in triangles {
        let area = (q - p).cross(r - p).length();
        let sum = p + q + r;
        area_sum += area;
        mean += sum * area;
        squares += (sum * sum + p * p + q * q + r * r) * area;
        products += (product(sum) + product(p) + product(q) + product(r)) * area;
    }
    if area_sum.is_nan() || area_sum <= 0.0 {
        return None;
    }
    mean /= 3.0 * area_sum;
    let squares = squares / (12.0 * area_sum) - mean * mean;
    let products = products / (12.0 * area_sum) - product(mean);
    // A tolerance of 1e-6: a box rotated by so little is as good.
    eigenvectors(squares, products, [(0, 1, 2), (2, 0, 1), (1, 2, 0)], 1e-6, 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        generate::Random,
        volume::{BoundingVolume, Obb},
    };

    /// A rotated box as triangles, and its rotation.
    fn turned_box(random: &mut Random, size: DVec3) -> (DMat3, Vec<Triangle>) {
        let turn = random.rotation();
        let mesh = crate::generate::cuboid(size).expect("a box");
        let triangles = mesh.triangles().map(|triangle| triangle.map(|p| turn * p * 0.2));
        (turn, triangles.collect())
    }

    #[test]
    fn every_fit_recovers_a_box() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let size = DVec3::new(1.0, 1.2 + random.unit(), 2.5 + random.unit());
            let (turn, triangles) = turned_box(&mut random, size);
            let exact = Obb::along(turn, &triangles);
            for fit in [Fit::Faces, Fit::Hull, Fit::Rectangle] {
                let ratio = Obb::fitted(&triangles, &[fit]).area() / exact.area();
                assert!(ratio < 1.0001, "seed {seed}, {fit:?}: {ratio} times too large");
            }
        }
    }

    /// Many small interior faces change the principal axes of the faces, but not those of the hull.
    #[test]
    fn the_hull_ignores_interior_faces() {
        let mut random = Random::new(1);
        let (turn, mut triangles) = turned_box(&mut random, DVec3::new(1.0, 2.0, 4.0));
        let alone = principal_axes(hull_of(&triangles)).expect("axes");
        for _ in 0..400 {
            let at = turn * DVec3::new(0.0, 0.15, 0.3) * random.unit();
            let corner = |random: &mut Random| at + random.direction() * 0.03;
            triangles.push([0; 3].map(|_| corner(&mut random)));
        }
        let hull = principal_axes(hull_of(&triangles)).expect("axes");
        let difference = (alone.transpose() * hull).abs() - DMat3::IDENTITY;
        assert!(difference.to_cols_array().iter().all(|e| e.abs() < 1e-9), "{difference}");
        let faces = principal_axes(triangles.iter().copied()).expect("axes");
        let difference = (alone.transpose() * faces).abs() - DMat3::IDENTITY;
        assert!(difference.to_cols_array().iter().any(|e| e.abs() > 1e-2), "{difference}");
    }

    /// Flat, linear, point-like and empty geometry all have a box, which is never larger than the
    /// axis-aligned one.
    #[test]
    fn degenerate_geometry_has_a_box() {
        for seed in 0..3_000 {
            let mut random = Random::new(seed);
            let count = random.below(9) as usize * random.below(9) as usize;
            let grid = random.below(3) == 0;
            let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO];
            let flat = flat[random.below(4) as usize];
            let mut corner = || {
                let p = random.direction() * flat;
                if grid { p.round() } else { p }
            };
            let triangles: Vec<Triangle> =
                (0..count).map(|_| [corner(), corner(), corner()]).collect();
            let aligned = Obb::fitted(&triangles, &[]);
            for fits in
                [&[Fit::Faces][..], &[Fit::Hull], &[Fit::Rectangle], &[Fit::Hull, Fit::Rectangle]]
            {
                let fitted = Obb::fitted(&triangles, fits);
                assert!(
                    fitted.area() <= aligned.area() || count == 0,
                    "seed {seed}, {fits:?}: {fitted:?}"
                );
            }
            let _ = Obb::enclosing(&triangles);
        }
    }
}
