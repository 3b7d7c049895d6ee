//! The box around some leaves: the best of a few, and how large it has to be.
//!
//! Which axes are taken is a matter of speed. The extents are a matter of soundness: they are
//! measured along the axes as stored, over every corner, with what rounding may hide added.

use super::{
    Leaf, OrientedBox, WIDTH,
    boxes::ROOM,
    options::WideQuality,
    vector::{Vector, cross, dot, greatest, least, load, loads, minus, plus, splat, splats},
};
use fearless_simd::prelude::*;
use glam::{DMat3, DVec3};

/// Of more leaves than this, only some are looked at to choose the axes.
const SAMPLE: usize = 48;

/// How many rectangles are laid around corners, each turned a little further.
const TURNS: usize = WIDTH;

/// Cosine and sine of each.
fn turns() -> &'static [[f32; TURNS]; 2] {
    static TABLE: std::sync::OnceLock<[[f32; TURNS]; 2]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let angle = |k: usize| k as f64 * std::f64::consts::FRAC_PI_2 / TURNS as f64;
        let (cos, sin) = (|k| libm::cos(angle(k)) as f32, |k| libm::sin(angle(k)) as f32);
        [std::array::from_fn(cos), std::array::from_fn(sin)]
    })
}

/// Three axes, and how far some corners reach along each, from an origin on.
type Axes = [[f32; 3]; 3];
type Extents = [(f32, f32); 3];

const IDENTITY: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A box around all triangles of some leaves: axis-aligned, or along its mean normal with the best
/// rectangle across, or along the principal axes of the surface, whichever has the least surface.
#[inline(always)]
pub(super) fn fit<S: Simd>(simd: S, leaves: &[Leaf], quality: WideQuality) -> OrientedBox {
    let whole = Hull::of(leaves, 1);
    let some = Seen { leaves, step: leaves.len().div_ceil(SAMPLE), origin: whole.origin() };
    let hull = if some.step == 1 { whole } else { Hull::of(leaves, some.step) };
    let mut best = (IDENTITY, hull.extents(some.origin));
    let mut least = surface(&best.1);
    let Moments { normal, is_flat, second } = moments(simd, &some);
    let is_enough = normal.is_some() && (is_flat || quality == WideQuality::Fast);
    let principal = if is_enough { None } else { second.and_then(principal_axes) };
    let mut others = [None, principal];
    if let Some(normal) = normal {
        others[0] = Some(across(simd, &some, normal));
    }
    for axes in others.into_iter().flatten() {
        let extents = extents(simd, &some, &axes);
        let area = surface(&extents);
        if area < least {
            (best, least) = ((axes, extents), area);
        }
    }
    if some.step == 1 {
        return boxed(&whole, best.0, best.1);
    }
    measured(simd, leaves, best.0)
}

/// The box along given axes around all triangles of some leaves.
#[inline(always)]
pub(super) fn measured<S: Simd>(simd: S, leaves: &[Leaf], axes: Axes) -> OrientedBox {
    let whole = Hull::of(leaves, 1);
    let all = Seen { leaves, step: 1, origin: whole.origin() };
    if axes == IDENTITY {
        return boxed(&whole, axes, whole.extents(all.origin));
    }
    let extents = extents(simd, &all, &axes);
    boxed(&whole, axes, extents)
}

/// Leaves, all or every so many, as seen from an origin.
struct Seen<'l> {
    leaves: &'l [Leaf],
    step: usize,
    origin: [f32; 3],
}

impl Seen<'_> {
    /// Each leaf, and its centre from the origin on.
    #[inline(always)]
    fn each(&self) -> impl Iterator<Item = (&Leaf, [f32; 3])> {
        let [x, y, z] = self.origin;
        self.leaves.iter().step_by(self.step).map(
            #[inline(always)]
            move |leaf| (leaf, [leaf.center[0] - x, leaf.center[1] - y, leaf.center[2] - z]),
        )
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy)]
struct Hull {
    min: DVec3,
    max: DVec3,
}

impl Hull {
    /// Of every so many leaves.
    fn of(leaves: &[Leaf], step: usize) -> Self {
        let nothing = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        leaves.iter().step_by(step).fold(nothing, |hull, leaf| {
            let [center, extent] =
                [leaf.center, leaf.extent].map(|v| DVec3::from_array(v.map(f64::from)));
            Self { min: hull.min.min(center - extent), max: hull.max.max(center + extent) }
        })
    }

    /// Its middle, as a number that `f32` holds exactly.
    fn origin(&self) -> [f32; 3] {
        (0.5 * (self.min + self.max)).as_vec3().to_array()
    }

    fn extents(&self, origin: [f32; 3]) -> Extents {
        let origin = DVec3::from_array(origin.map(f64::from));
        let (low, high) = ((self.min - origin).as_vec3(), (self.max - origin).as_vec3());
        [(low.x, high.x), (low.y, high.y), (low.z, high.z)]
    }
}

/// The axes of the least rectangle around all corners as seen along a normal.
#[inline(always)]
fn across<S: Simd>(simd: S, seen: &Seen<'_>, normal: DVec3) -> Axes {
    let (e, f) = normal.any_orthonormal_pair();
    let flat = [e.as_vec3().to_array(), f.as_vec3().to_array()];
    let ways = [splats(simd, flat[0]), splats(simd, flat[1])];
    let [cos, sin] = turns();
    let (cos, sin) = (load(simd, cos), load(simd, sin));
    // A lane for each rectangle, which is as many corners as there are, one by one.
    let mut low = [splat(simd, f32::MAX); 2];
    let mut high = [splat(simd, f32::MIN); 2];
    for (leaf, from) in seen.each() {
        let offset = [along(flat[0], from), along(flat[1], from)];
        for corner in &leaf.corners {
            let corner = loads(simd, corner);
            let x: [f32; WIDTH] = (dot(&ways[0], &corner) + offset[0]).into();
            let y: [f32; WIDTH] = (dot(&ways[1], &corner) + offset[1]).into();
            for k in 0..WIDTH {
                let sides = [cos * x[k] + sin * y[k], cos * y[k] - sin * x[k]];
                low = [low[0].min(sides[0]), low[1].min(sides[1])];
                high = [high[0].max(sides[0]), high[1].max(sides[1])];
            }
        }
    }
    let areas: [f32; WIDTH] = ((high[0] - low[0]) * (high[1] - low[1])).into();
    let best = (0..TURNS).fold(0, |best, k| if areas[k] < areas[best] { k } else { best });
    // Narrowed last, so that they are as orthogonal as stored axes are said to be.
    let angle = best as f64 * std::f64::consts::FRAC_PI_2 / TURNS as f64;
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    [e * cos + f * sin, f * cos - e * sin, normal].map(|axis| axis.as_vec3().to_array())
}

#[inline(always)]
fn along(axis: [f32; 3], from: [f32; 3]) -> f32 {
    axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2]
}

/// A measure of the surface of a box, which also tells flat boxes apart.
fn surface(extents: &Extents) -> f32 {
    let [x, y, z] = extents.map(|(low, high)| high - low);
    x * y + y * z + z * x
}

/// The least and the largest product of each axis and a corner, from the origin on.
#[inline(always)]
fn extents<S: Simd>(simd: S, seen: &Seen<'_>, axes: &Axes) -> Extents {
    let ways = [splats(simd, axes[0]), splats(simd, axes[1]), splats(simd, axes[2])];
    let mut low = [splat(simd, f32::MAX); 3];
    let mut high = [splat(simd, f32::MIN); 3];
    for (leaf, from) in seen.each() {
        let p = loads(simd, &leaf.corners[0]);
        let q = loads(simd, &leaf.corners[1]);
        let r = loads(simd, &leaf.corners[2]);
        for k in 0..3 {
            let offset = along(axes[k], from);
            let (p, q, r) = (dot(&ways[k], &p), dot(&ways[k], &q), dot(&ways[k], &r));
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

/// The box along axes along which corners reach so far.
///
/// Let u be 2^−24, r the largest coordinate of a leaf's corner from the leaf's centre on and d that
/// of the centre from the origin on, so that r + d is at most how far the hull reaches. A corner was
/// narrowed, by u r in each coordinate; its product with an axis is off by three roundings more, so
/// by 4 · √3 u r; the offset was narrowed and multiplied likewise, by 4 · √3 u d; and their sum is
/// off by √3 u (r + d). That is less than 5.2e-7 (r + d). All of the rest is `f64`.
fn boxed(hull: &Hull, axes: Axes, extents: Extents) -> OrientedBox {
    let origin = DVec3::from_array(hull.origin().map(f64::from));
    let reach = (hull.max - origin).max(origin - hull.min).max_element();
    let hidden = 6e-7 * reach;
    let stored = axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
    let extents = extents.map(|(low, high)| (f64::from(low), f64::from(high)));
    let middle = |k: usize| stored[k] * (0.5 * (extents[k].0 + extents[k].1));
    let center = (origin + (middle(0) + middle(1) + middle(2))).as_vec3();
    // From the centre as it is stored.
    let from = center.as_dvec3() - origin;
    let half = [0, 1, 2].map(|k| {
        let (low, high) = extents[k];
        let at = stored[k].dot(from);
        (high - at).max(at - low) + hidden + 1e-15
    });
    // The last also covers the narrowing of the extents.
    let room = (half[0] + half[1] + half[2]) * (ROOM + 2e-7);
    OrientedBox { center: center.to_array(), half: half.map(|half| (half + room) as f32), axes }
}

/// Of a surface.
struct Moments {
    /// Its mean normal, unless it has none.
    normal: Option<DVec3>,
    /// Whether all of it looks nearly that way.
    is_flat: bool,
    /// The covariance, every part of it weighted by its area, unless there is no area to weigh by.
    second: Option<DMat3>,
}

#[inline(always)]
fn moments<S: Simd>(simd: S, seen: &Seen<'_>) -> Moments {
    let zero = splat(simd, 0.0);
    let (mut area_sum, mut mean, mut normals) = (zero, [zero; 3], [zero; 3]);
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let mut second = [zero; 6];
    for (leaf, from) in seen.each() {
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
    // Of a closed surface little is left but rounding.
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

/// The eigenvectors of a symmetric matrix, by Jacobi rotations; nothing if they are no sound frame.
fn principal_axes(matrix: DMat3) -> Option<[[f32; 3]; 3]> {
    let mut m = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..5 {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let off = m[p][q];
            if off.abs() <= 1e-9 * (m[p][p].abs() + m[q][q].abs()) {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            m[p][p] -= t * off;
            m[q][q] += t * off;
            (m[p][q], m[q][p]) = (0.0, 0.0);
            let (rp, rq) = (m[r][p], m[r][q]);
            (m[r][p], m[r][q]) = (c * rp - s * rq, s * rp + c * rq);
            (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
            let (vp, vq) = (v[p], v[q]);
            v[p] = [0, 1, 2].map(|k| c * vp[k] - s * vq[k]);
            v[q] = [0, 1, 2].map(|k| s * vp[k] + c * vq[k]);
        }
    }
    let axes = DMat3::from_cols_array_2d(&v);
    let skew = axes.transpose() * axes - DMat3::IDENTITY;
    let is_frame = skew.to_cols_array().iter().all(|entry| entry.abs() < 1e-9);
    is_frame.then(|| axes.as_mat3().to_cols_array_2d())
}
