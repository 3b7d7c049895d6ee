//! Fitting an oriented box around the triangles of some leaves. `build.rs` calls this for every
//! child of every node.
//!
//! The choice of axes only affects speed: the best of a few candidates is taken. The extents must
//! be sound: they are measured along the axes as stored, over every corner, and padded for rounding
//! errors.

use super::{
    Leaf, OrientedBox, WIDTH,
    boxes::MARGIN,
    options::WideQuality,
    vector::{Vector, cross, dot, greatest, least, load, loads, minus, plus, splat, splats},
};
use crate::{Bounds, volume::eigenvectors};
use fearless_simd::prelude::*;
use glam::{DMat3, DVec3};

/// The largest number of leaves sampled to choose the axes.
const SAMPLE: usize = 48;

/// The number of rectangles compared around the projected corners, each rotated a little further.
const TURNS: usize = WIDTH;

/// The cosine and sine of each rectangle's angle.
fn turns() -> &'static [[f32; TURNS]; 2] {
    static TABLE: std::sync::OnceLock<[[f32; TURNS]; 2]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let angle = |k: usize| k as f64 * std::f64::consts::FRAC_PI_2 / TURNS as f64;
        let (cos, sin) = (|k| libm::cos(angle(k)) as f32, |k| libm::sin(angle(k)) as f32);
        [std::array::from_fn(cos), std::array::from_fn(sin)]
    })
}

/// Three axes; and the least and largest coordinate of the corners along each axis, relative to an
/// origin.
type Axes = [[f32; 3]; 3];
type Extents = [(f32, f32); 3];

const IDENTITY: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Some leaves and their bounds.
pub(super) type BoundedLeaves<'l> = (&'l [Leaf], Bounds);

/// Returns a box around all triangles of some leaves. It compares three boxes and takes the one
/// with the least surface area: axis-aligned, along the mean normal with the best rectangle across,
/// or along the principal axes of the surface.
#[inline(always)]
pub(super) fn fit<S: Simd>(
    simd: S,
    (leaves, whole): BoundedLeaves<'_>,
    quality: WideQuality,
) -> OrientedBox {
    let step = leaves.len().div_ceil(SAMPLE);
    let sample = Sample { leaves, step, origin: origin_of(&whole) };
    let bounds = if step == 1 { whole } else { bounds_of(leaves, step) };
    let mut best = (IDENTITY, extents_of(&bounds, sample.origin));
    let mut least = surface(&best.1);
    let Moments { normal, is_flat, second } = moments(simd, &sample);
    let is_enough = normal.is_some() && (is_flat || quality == WideQuality::Fast);
    let principal = if is_enough { None } else { second.and_then(principal_axes) };
    let mut others = [None, principal];
    if let Some(normal) = normal {
        others[0] = Some(axes_across(simd, &sample, normal));
    }
    for axes in others.into_iter().flatten() {
        let extents = extents(simd, &sample, &axes);
        let area = surface(&extents);
        if area < least {
            (best, least) = ((axes, extents), area);
        }
    }
    if step == 1 {
        return enclosing_box(&whole, best.0, best.1);
    }
    measured(simd, (leaves, whole), best.0)
}

/// Returns the box along given axes around all triangles of some leaves.
#[inline(always)]
pub(super) fn measured<S: Simd>(
    simd: S,
    (leaves, whole): BoundedLeaves<'_>,
    axes: Axes,
) -> OrientedBox {
    let all = Sample { leaves, step: 1, origin: origin_of(&whole) };
    if axes == IDENTITY {
        return enclosing_box(&whole, axes, extents_of(&whole, all.origin));
    }
    let extents = extents(simd, &all, &axes);
    enclosing_box(&whole, axes, extents)
}

/// The sum of the normals of a leaf's triangles, each as long as twice its area.
#[inline(always)]
pub(super) fn normal_of<S: Simd>(simd: S, leaf: &Leaf) -> DVec3 {
    let p = loads(simd, &leaf.corners[0]);
    let [q, r] = [loads(simd, &leaf.corners[1]), loads(simd, &leaf.corners[2])];
    total(cross(&minus(&q, &p), &minus(&r, &p)))
}

impl OrientedBox {
    /// The axes of this box, turned as little as it takes for the thinnest side to face along a normal; unchanged
    /// where that would be more than some 45 degrees, or where there is no normal.
    pub(super) fn axes_across(&self, normal: DVec3) -> Axes {
        let [x, y, z] = self.half;
        let thin = if x < y && x < z { 0 } else { 1 + usize::from(z < y) };
        let axes = self.axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
        let Some(normal) = normal.try_normalize() else { return self.axes };
        let along = axes[thin].dot(normal);
        if along.abs() < 0.7 {
            return self.axes;
        }
        let normal = normal * along.signum();
        let (next, last) = ((thin + 1) % 3, (thin + 2) % 3);
        let mut turned = axes;
        turned[thin] = normal;
        turned[next] = (axes[next] - normal * normal.dot(axes[next])).normalize();
        turned[last] = normal.cross(turned[next]);
        turned.map(|axis| axis.as_vec3().to_array())
    }
}

/// Every `step`-th leaf of some leaves, with coordinates relative to an origin.
struct Sample<'l> {
    leaves: &'l [Leaf],
    step: usize,
    origin: [f32; 3],
}

impl Sample<'_> {
    /// Visits each leaf with its centre relative to the origin.
    #[inline(always)]
    fn each(&self) -> impl Iterator<Item = (&Leaf, [f32; 3])> {
        let [x, y, z] = self.origin;
        self.leaves.iter().step_by(self.step).map(
            #[inline(always)]
            move |leaf| (leaf, [leaf.center[0] - x, leaf.center[1] - y, leaf.center[2] - z]),
        )
    }
}

/// The bounds of every `step`-th leaf.
pub(super) fn bounds_of(leaves: &[Leaf], step: usize) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for leaf in leaves.iter().step_by(step) {
        let [center, extent] =
            [leaf.center, leaf.extent].map(|v| DVec3::from_array(v.map(f64::from)));
        bounds.merge(&Bounds { min: center - extent, max: center + extent });
    }
    bounds
}

/// The middle of a box, rounded to `f32`.
fn origin_of(bounds: &Bounds) -> [f32; 3] {
    (0.5 * (bounds.min + bounds.max)).as_vec3().to_array()
}

/// The extents of a box along the coordinate axes, relative to an origin.
fn extents_of(bounds: &Bounds, origin: [f32; 3]) -> Extents {
    let origin = DVec3::from_array(origin.map(f64::from));
    let (low, high) = ((bounds.min - origin).as_vec3(), (bounds.max - origin).as_vec3());
    [(low.x, high.x), (low.y, high.y), (low.z, high.z)]
}

/// Returns the axes of the smallest rectangle around all corners projected along a normal, and the
/// normal.
#[inline(always)]
fn axes_across<S: Simd>(simd: S, sample: &Sample<'_>, normal: DVec3) -> Axes {
    let (e, f) = normal.any_orthonormal_pair();
    let flat = [e.as_vec3().to_array(), f.as_vec3().to_array()];
    let directions = [splats(simd, flat[0]), splats(simd, flat[1])];
    let [cos, sin] = turns();
    let (cos, sin) = (load(simd, cos), load(simd, sin));
    // One lane for each rectangle; corners are added one by one.
    let mut low = [splat(simd, f32::MAX); 2];
    let mut high = [splat(simd, f32::MIN); 2];
    for (leaf, from) in sample.each() {
        let offset = [dot_scalar(flat[0], from), dot_scalar(flat[1], from)];
        for corner in &leaf.corners {
            let corner = loads(simd, corner);
            let x: [f32; WIDTH] = (dot(&directions[0], &corner) + offset[0]).into();
            let y: [f32; WIDTH] = (dot(&directions[1], &corner) + offset[1]).into();
            for k in 0..WIDTH {
                let sides = [cos * x[k] + sin * y[k], cos * y[k] - sin * x[k]];
                low = [low[0].min(sides[0]), low[1].min(sides[1])];
                high = [high[0].max(sides[0]), high[1].max(sides[1])];
            }
        }
    }
    let areas: [f32; WIDTH] = ((high[0] - low[0]) * (high[1] - low[1])).into();
    let best = (0..TURNS).fold(0, |best, k| if areas[k] < areas[best] { k } else { best });
    // Narrowed to `f32` last, so that they are as orthogonal as `boxes.rs` requires of stored axes.
    let angle = best as f64 * std::f64::consts::FRAC_PI_2 / TURNS as f64;
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    [e * cos + f * sin, f * cos - e * sin, normal].map(|axis| axis.as_vec3().to_array())
}

#[inline(always)]
fn dot_scalar(axis: [f32; 3], from: [f32; 3]) -> f32 {
    axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2]
}

/// Half the surface area of a box. It also ranks flat boxes, which have no volume.
fn surface(extents: &Extents) -> f32 {
    let [x, y, z] = extents.map(|(low, high)| high - low);
    x * y + y * z + z * x
}

/// The least and largest coordinate of all corners along each axis, relative to the origin.
#[inline(always)]
fn extents<S: Simd>(simd: S, sample: &Sample<'_>, axes: &Axes) -> Extents {
    let directions = [splats(simd, axes[0]), splats(simd, axes[1]), splats(simd, axes[2])];
    let mut low = [splat(simd, f32::MAX); 3];
    let mut high = [splat(simd, f32::MIN); 3];
    for (leaf, from) in sample.each() {
        let p = loads(simd, &leaf.corners[0]);
        let q = loads(simd, &leaf.corners[1]);
        let r = loads(simd, &leaf.corners[2]);
        for k in 0..3 {
            let offset = dot_scalar(axes[k], from);
            let (p, q, r) =
                (dot(&directions[k], &p), dot(&directions[k], &q), dot(&directions[k], &r));
            low[k] = low[k].min(least(p, q, r) + offset);
            high[k] = high[k].max(greatest(p, q, r) + offset);
        }
    }
    [
        (low[0].reduce_min(), high[0].reduce_max()),
        (low[1].reduce_min(), high[1].reduce_max()),
        (low[2].reduce_min(), high[2].reduce_max()),
    ]
}

/// Returns the box with these axes, given the extents of its corners along them.
///
/// Let u be 2^−24, r the largest coordinate of a leaf's corner from the leaf's centre on and d that
/// of the centre from the origin on, so that r + d is at most the reach of the bounds. A corner was
/// narrowed, which moves it by u r in each coordinate. Its product with an axis is off by three
/// roundings more, so by 4 · √3 u r. The offset was narrowed and multiplied likewise: 4 · √3 u d.
/// Their sum is off by √3 u (r + d). The total is less than 5.2e-7 (r + d). The rest is computed in
/// `f64`.
fn enclosing_box(bounds: &Bounds, axes: Axes, extents: Extents) -> OrientedBox {
    let origin = DVec3::from_array(origin_of(bounds).map(f64::from));
    let reach = (bounds.max - origin).max(origin - bounds.min).max_element();
    let rounding = 6e-7 * reach;
    let stored = axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
    let extents = extents.map(|(low, high)| (f64::from(low), f64::from(high)));
    let middle = |k: usize| stored[k] * (0.5 * (extents[k].0 + extents[k].1));
    let center = (origin + (middle(0) + middle(1) + middle(2))).as_vec3();
    // Relative to the centre as stored.
    let from = center.as_dvec3() - origin;
    let half = [0, 1, 2].map(|k| {
        let (low, high) = extents[k];
        let at = stored[k].dot(from);
        (high - at).max(at - low) + rounding + 1e-15
    });
    // The 2e-7 cover the narrowing of the extents.
    let margin = (half[0] + half[1] + half[2]) * (MARGIN + 2e-7);
    OrientedBox { center: center.to_array(), half: half.map(|half| (half + margin) as f32), axes }
}

/// The moments of a surface.
struct Moments {
    /// The mean normal; `None` where it is nearly zero, as for closed surfaces.
    normal: Option<DVec3>,
    /// Whether nearly all of the surface faces that way.
    is_flat: bool,
    /// The covariance of the surface's points, weighted by area; `None` if the area is zero.
    second: Option<DMat3>,
}

#[inline(always)]
fn moments<S: Simd>(simd: S, sample: &Sample<'_>) -> Moments {
    let zero = splat(simd, 0.0);
    let (mut area_sum, mut mean, mut normals) = (zero, [zero; 3], [zero; 3]);
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let mut second = [zero; 6];
    for (leaf, from) in sample.each() {
        let from = splats(simd, from);
        let p = plus(&loads(simd, &leaf.corners[0]), &from);
        let q = plus(&loads(simd, &leaf.corners[1]), &from);
        let r = plus(&loads(simd, &leaf.corners[2]), &from);
        let normal = cross(&minus(&q, &p), &minus(&r, &p));
        let area = dot(&normal, &normal).sqrt();
        area_sum += area;
        let sum = plus(&plus(&p, &q), &r);
        normals = plus(&normals, &normal);
        mean = plus(&mean, &[area * sum[0], area * sum[1], area * sum[2]]);
        for (total, (i, j)) in second.iter_mut().zip(PAIRS) {
            *total += area * ((sum[i] * sum[j] + p[i] * p[j]) + (q[i] * q[j] + r[i] * r[j]));
        }
    }
    let area = f64::from(area_sum.reduce_sum());
    let normal = total(normals);
    let is_flat = normal.length() > 0.9 * area;
    // For a closed surface the normals cancel, and little but rounding is left.
    let is_sound = normal.length() > 0.05 * area;
    let normal = if is_sound { normal.try_normalize() } else { None };
    let mean = total(mean) / (3.0 * area);
    let [xx, yy, zz, xy, xz, yz] = second;
    let (squares, products) = (total([xx, yy, zz]), total([xy, xz, yz]));
    let (squares, products) = (squares / (12.0 * area), products / (12.0 * area));
    let second = DMat3::from_cols(
        DVec3::new(squares.x, products.x, products.y) - mean * mean.x,
        DVec3::new(products.x, squares.y, products.z) - mean * mean.y,
        DVec3::new(products.y, products.z, squares.z) - mean * mean.z,
    );
    Moments { normal, is_flat, second: second.is_finite().then_some(second) }
}

/// The sum of eight vectors.
#[inline(always)]
fn total<S: Simd>([x, y, z]: Vector<S>) -> DVec3 {
    let sums = [x.reduce_sum(), y.reduce_sum(), z.reduce_sum()];
    DVec3::from_array(sums.map(f64::from))
}

/// The eigenvectors of a covariance matrix, narrowed to `f32`; `None` if they are not orthonormal.
fn principal_axes(matrix: DMat3) -> Option<Axes> {
    let [[xx, xy, zx], [_, yy, yz], [_, _, zz]] = matrix.to_cols_array_2d();
    let (squares, products) = (DVec3::new(xx, yy, zz), DVec3::new(yz, zx, xy));
    let axes = eigenvectors(squares, products, [(0, 1, 2), (0, 2, 1), (1, 2, 0)], 1e-9, 5);
    axes.map(|axes| axes.as_mat3().to_cols_array_2d())
}
