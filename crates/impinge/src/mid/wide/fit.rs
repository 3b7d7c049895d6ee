//! The box around some triangles: the best of a few, and how large it has to be.
//!
//! Which axes are taken is a matter of speed. The extents are a matter of soundness: they are
//! measured along the axes as stored, over every corner, with what rounding may hide added.

use super::{
    Eight, OrientedBox, WIDTH,
    boxes::ROOM,
    vector::{Vector, cross, dot, load, loads, minus, plus, splat, splats},
};
use fearless_simd::prelude::*;
use glam::{DMat3, DVec3};

/// Eight triangles, side by side, from a common origin on: `[i][c]` is coordinate `c` of corner `i`.
pub(super) type Chunk = [[Eight; 3]; 3];

/// Puts triangles side by side as seen from an origin. Where there are no eight, the first stands in
/// as a point, which changes neither extents nor areas.
pub(super) fn chunks(triangles: &[[DVec3; 3]], origin: [f32; 3], chunks: &mut Vec<Chunk>) {
    let origin = DVec3::from_array(origin.map(f64::from));
    chunks.clear();
    chunks.extend(triangles.chunks(WIDTH).map(|eight| {
        let mut chunk = [[[0.0; WIDTH]; 3]; 3];
        for lane in 0..WIDTH {
            let corners = eight.get(lane).copied().unwrap_or([eight[0][0]; 3]);
            for (to, corner) in chunk.iter_mut().zip(corners) {
                let corner = corner - origin;
                to[0][lane] = corner.x as f32;
                to[1][lane] = corner.y as f32;
                to[2][lane] = corner.z as f32;
            }
        }
        chunk
    }));
}

/// Of more chunks than this, only some are looked at to choose the axes.
const SAMPLE: usize = 48;

/// In how many directions of a half turn widths are measured to lay a rectangle around.
const TURNS: usize = 16;

/// Cosine and sine of each.
fn turns() -> &'static [(f64, f64); TURNS] {
    static TABLE: std::sync::OnceLock<[(f64, f64); TURNS]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        std::array::from_fn(|k| {
            let angle = k as f64 * std::f64::consts::PI / TURNS as f64;
            (libm::cos(angle), libm::sin(angle))
        })
    })
}

/// A box around all triangles in the chunks: axis-aligned, along the principal axes of the surface,
/// or along its mean normal with the best rectangle across, whichever has the least surface.
#[inline(always)]
pub(super) fn fit<S: Simd>(simd: S, chunks: &[Chunk], origin: [f32; 3]) -> OrientedBox {
    let step = chunks.len().div_ceil(SAMPLE);
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (mut best, mut least) = (identity, surface(simd, chunks, step, &identity));
    let Moments { normal, second } = moments(simd, chunks, step);
    let mut others = [None, second.and_then(principal_axes)];
    if let Some(normal) = normal {
        others[0] = Some(across(simd, chunks, step, normal));
    }
    for axes in others.into_iter().flatten() {
        let area = surface(simd, chunks, step, &axes);
        if area < least {
            (best, least) = (axes, area);
        }
    }
    measured(simd, chunks, origin, best)
}

/// The axes of the least rectangle around all corners as seen along a normal.
#[inline(always)]
fn across<S: Simd>(simd: S, chunks: &[Chunk], step: usize, normal: DVec3) -> [[f32; 3]; 3] {
    // Narrowed last, so that they are as orthogonal as stored axes are said to be.
    let (e, f) = normal.any_orthonormal_pair();
    let way = |(cos, sin): (f64, f64)| (e * cos + f * sin).as_vec3().to_array();
    let ways = turns().map(way);
    let mut widths = [0.0; TURNS];
    for (width, way) in widths.iter_mut().zip(ways) {
        let (low, high) = extent(simd, chunks, step, way);
        *width = high - low;
    }
    let area = |k: usize| widths[k] * widths[k + TURNS / 2];
    let best = (0..TURNS / 2).fold(0, |best, k| if area(k) < area(best) { k } else { best });
    [ways[best], ways[best + TURNS / 2], normal.as_vec3().to_array()]
}

/// A measure of the surface of a box along given axes, which also tells flat boxes apart.
#[inline(always)]
fn surface<S: Simd>(simd: S, chunks: &[Chunk], step: usize, axes: &[[f32; 3]; 3]) -> f32 {
    let mut size = [0.0; 3];
    for (size, axis) in size.iter_mut().zip(axes) {
        let (low, high) = extent(simd, chunks, step, *axis);
        *size = high - low;
    }
    let [x, y, z] = size;
    x * y + y * z + z * x
}

/// The least and the largest product of a direction and a corner.
#[inline(always)]
fn extent<S: Simd>(simd: S, chunks: &[Chunk], step: usize, way: [f32; 3]) -> (f32, f32) {
    let way = splats(simd, way);
    let (mut low, mut high) = (splat(simd, f32::MAX), splat(simd, f32::MIN));
    for chunk in chunks.iter().step_by(step) {
        for corner in chunk {
            let along = dot(&way, &loads(simd, corner));
            (low, high) = (low.min(along), high.max(along));
        }
    }
    (low.reduce_min(), high.reduce_max())
}

/// The box along given axes.
///
/// A corner was narrowed, by 2^−24 of each coordinate; a product with an axis is off by three
/// roundings more. With r the largest coordinate that is less than 4 · √3 r 2^−24, and so less than
/// 5e-7 r. All of the rest is `f64`.
#[inline(always)]
fn measured<S: Simd>(
    simd: S,
    chunks: &[Chunk],
    origin: [f32; 3],
    axes: [[f32; 3]; 3],
) -> OrientedBox {
    let extents = [
        extent(simd, chunks, 1, axes[0]),
        extent(simd, chunks, 1, axes[1]),
        extent(simd, chunks, 1, axes[2]),
    ];
    let mut reach = splat(simd, 0.0);
    for chunk in chunks {
        for [x, y, z] in chunk {
            let largest = load(simd, x).abs().max(load(simd, y).abs());
            reach = reach.max(largest.max(load(simd, z).abs()));
        }
    }
    let hidden = 5e-7 * f64::from(reach.reduce_max());
    let (origin, stored) = (
        DVec3::from_array(origin.map(f64::from)),
        axes.map(|axis| DVec3::from_array(axis.map(f64::from))),
    );
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
    /// The covariance, every part of it weighted by its area, unless there is no area to weigh by.
    second: Option<DMat3>,
}

#[inline(always)]
fn moments<S: Simd>(simd: S, chunks: &[Chunk], step: usize) -> Moments {
    let zero = splat(simd, 0.0);
    let (mut area_sum, mut mean, mut normals) = (zero, [zero; 3], [zero; 3]);
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let mut second = [zero; 6];
    for [p, q, r] in chunks.iter().step_by(step) {
        let (p, q, r) = (loads(simd, p), loads(simd, q), loads(simd, r));
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
    Moments { normal, second: second.is_finite().then_some(second) }
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
