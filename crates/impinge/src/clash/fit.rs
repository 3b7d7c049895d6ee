//! Fits: a round part in a round hole of about the same radius and the same axis.
//!
//! Designers model a press fit, or a bolt with its thread in a tapped bore, as two cylinders that overlap by little.
//! That is one statement, not dozens of places where facets cross. A cylinder is looked for among the faces of each part
//! that touch the other or lie inside it: two neighbouring facets give the direction of its axis, a circle through the vertices its
//! centre and radius. A thread is no cylinder; there the other part gives the axis, and the vertices the radius.

use super::{Fit, Side, common::unit_normal, depth::Reach, placed::Placed};
use crate::{FacePair, method::PointScratch, narrow::Triangle};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Faces from which axes are guessed, and faces that are compared with each guess.
const MAX_GUESSES: usize = 24;
const MAX_FACES: usize = 4096;
/// How far a face of a cylinder may be from parallel to the axis, and its vertices from the circle, relative.
const STRAIGHT: f64 = 0.02;
const ROUND: f64 = 0.02;
/// The largest difference of radii of a fit, relative: the thread of a small bolt is a fifth of its radius deep.
const SAME_NOMINAL: f64 = 0.25;
/// The largest distance between the axes, in radii.
const COAXIAL: f64 = 0.05;
/// How far from a wall a point is beside it, in radii.
const BESIDE: f64 = 1e-3;

/// Part of a cylinder: faces of a part around an axis.
#[derive(Clone, Copy, Debug)]
struct Cylinder {
    axis: DVec3,
    center: DVec3,
    radius: f64,
    /// How far facets are from the circle, on the side of the axis.
    sagitta: f64,
    /// Whether the faces look away from the axis.
    is_shaft: bool,
    area: f64,
}

/// Recognises a fit of two parts that reach into each other as deep as given; `band` is their touch band.
pub(super) fn recognise(
    (a, b): (Placed<'_>, Placed<'_>),
    faces: &[FacePair],
    reach: &Reach,
    band: f64,
) -> Option<Fit> {
    if !a.solid().is_solid || !b.solid().is_solid {
        return None;
    }
    let mut scratch = PointScratch::default();
    let mut faces_of = |part: Placed<'_>, other: Placed<'_>, face: fn(&FacePair) -> u32| {
        let mut all: Vec<u32> = faces.iter().map(face).collect();
        // The wall of a hole may lie inside the shaft as a whole.
        let count = part.mesh().faces().len() as u32;
        let step = (count as usize).div_ceil(MAX_FACES).max(1);
        all.extend((0..count).step_by(step).filter(|&face| {
            let middle = part.triangle(face).iter().sum::<DVec3>() / 3.0;
            other.is_inside(middle, &mut scratch)
        }));
        all.sort_unstable();
        all.dedup();
        let step = all.len().div_ceil(MAX_FACES).max(1);
        all.into_iter().step_by(step).collect::<Vec<u32>>()
    };
    let (of_a, of_b) = (faces_of(a, b, |pair| pair.a), faces_of(b, a, |pair| pair.b));
    let cylinders = [Cylinder::find(a, &of_a), Cylinder::find(b, &of_b)];
    // The larger cylinder is the guide.
    let area = |cylinder: &Option<Cylinder>| cylinder.map_or(0.0, |found| found.area);
    let is_a_guide = area(&cylinders[0]) >= area(&cylinders[1]);
    let (guide, other, others, part) = match is_a_guide {
        true => (cylinders[0]?, cylinders[1], &of_b, b),
        false => (cylinders[1]?, cylinders[0], &of_a, a),
    };
    let mut slack = band + guide.sagitta;
    let radius = match other.filter(|other| other.is_coaxial(&guide)) {
        Some(other) if other.is_shaft == guide.is_shaft => return None,
        Some(other) => {
            slack += other.sagitta + guide.offset(other.center);
            other.radius
        }
        None => match guide.circle_of(part, others) {
            // A part of a cylinder: it does not go around, because its axis is beside the other.
            Some((center, radius)) => {
                let offset = guide.offset(center);
                if offset > COAXIAL * guide.radius {
                    return None;
                }
                slack += offset;
                radius
            }
            None => guide.radius_of_thread(part, others)?,
        },
    };
    let difference = (guide.radius - radius).abs();
    let most = guide.radius.max(radius);
    // A deeper overlap has another reason than the fit.
    if difference > SAME_NOMINAL * most || reach.depth > 1.1 * difference + slack {
        return None;
    }
    let shaft_is_a = guide.is_shaft == is_a_guide;
    let (shaft_radius, hole_radius) =
        if guide.is_shaft { (guide.radius, radius) } else { (radius, guide.radius) };
    Some(Fit::new(if shaft_is_a { Side::A } else { Side::B }, shaft_radius, hole_radius))
}

impl Cylinder {
    /// The cylinder of the largest area among some faces of a part.
    fn find(part: Placed<'_>, faces: &[u32]) -> Option<Self> {
        let triangles: Vec<Triangle> = faces.iter().map(|&face| part.triangle(face)).collect();
        let normals: Vec<DVec3> = triangles.iter().map(unit_normal).collect();
        let step = faces.len().div_ceil(MAX_GUESSES).max(1);
        let mut best: Option<Self> = None;
        let mut tried: Vec<DVec3> = Vec::new();
        let surface = part.surface();
        let numbered = (0..faces.len()).step_by(step);
        let corners = numbered
            .flat_map(|number| surface.corners(faces[number]).map(|corner| (number, corner)));
        for (number, corner) in corners {
            // Any two neighbours: next to the rim of a hole are also faces that are none of its wall. Where seams
            // leave a face without neighbours, the next faces of the list are often beside it.
            let beside = surface.around(corner).iter().map(|&face| part.triangle(face));
            let next = triangles[number..].iter().copied();
            let around: Vec<DVec3> =
                beside.take(8).chain(next.take(5)).map(|triangle| unit_normal(&triangle)).collect();
            let pairs = (1..around.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            for across in pairs.map(|(i, j)| around[i].cross(around[j])) {
                // From half a degree to sixty.
                if !(0.008..0.87).contains(&across.length()) {
                    continue;
                }
                let axis = across.normalize();
                if tried.iter().any(|known| known.cross(axis).length() < 0.5 * STRAIGHT) {
                    continue;
                }
                tried.push(axis);
                if tried.len() > 4 * MAX_GUESSES {
                    return best;
                }
                let found = Self::around(axis, part, &triangles, &normals);
                let area = |it: &Option<Self>| it.map_or(0.0, |found| found.area);
                if area(&found) > area(&best) {
                    best = found;
                }
            }
        }
        best
    }

    /// The cylinder with an axis of the given direction among some faces.
    fn around(
        axis: DVec3,
        part: Placed<'_>,
        triangles: &[Triangle],
        normals: &[DVec3],
    ) -> Option<Self> {
        let (x, y) = axis.any_orthonormal_pair();
        let flat = |p: DVec3| DVec2::new(x.dot(p), y.dot(p));
        let mut straight: Vec<usize> =
            (0..triangles.len()).filter(|&i| normals[i].dot(axis).abs() < STRAIGHT).collect();
        // Faces of something else spoil the first circle; those that fit it give the second.
        let mut circle = None;
        for round in 0..3 {
            if straight.len() < 6 {
                return None;
            }
            let points: Vec<DVec2> =
                straight.iter().flat_map(|&i| triangles[i].map(flat)).collect();
            let (center, radius) = fit_circle(&points)?;
            circle = Some((center, radius));
            let round_enough = [0.3, 0.1, ROUND][round] * radius;
            let is_on = |p: DVec3| (flat(p).distance(center) - radius).abs() <= round_enough;
            straight.retain(|&i| triangles[i].iter().all(|&p| is_on(p)));
        }
        let (center, radius) = circle.filter(|_| straight.len() >= 6)?;
        let (mut area, mut facing) = (0.0, 0.0);
        let (mut sagitta, mut angles) = (0.0f64, Vec::with_capacity(straight.len()));
        for &i in &straight {
            let [p, q, r] = triangles[i];
            let own = 0.5 * (q - p).cross(r - p).length();
            let normal = flat(normals[i]);
            let from_axis = flat((p + q + r) / 3.0) - center;
            let away = normal.dot(from_axis);
            angles.push(from_axis.to_angle());
            area += own;
            facing += own * away;
            sagitta = sagitta.max(radius - away.abs());
        }
        // A fillet or a bulge is no shaft.
        if !go_around(angles) {
            return None;
        }
        let is_shaft = match part.solid().is_mended() {
            true => {
                let middles = straight.iter().map(|&i| triangles[i].iter().sum::<DVec3>() / 3.0);
                let mut scratch = PointScratch::default();
                let step = straight.len().div_ceil(MAX_GUESSES).max(1);
                // The directions of the faces mean nothing there; the side on which the solid lies does.
                let votes = middles.step_by(step).map(|middle| {
                    let away = flat(middle) - center;
                    let step = (x * away.x + y * away.y).normalize_or_zero() * (BESIDE * radius);
                    let [within, beyond] = [middle - step, middle + step]
                        .map(|point| i32::from(part.is_inside(point, &mut scratch)));
                    within - beyond
                });
                votes.sum::<i32>() > 0
            }
            false => (facing > 0.0) == (part.solid().volume > 0.0),
        };
        let radius = straight
            .iter()
            .flat_map(|&i| triangles[i].map(|p| flat(p).distance(center)))
            .fold(0.0, f64::max)
            .max(radius);
        Some(Self { axis, center: x * center.x + y * center.y, radius, sagitta, is_shaft, area })
    }

    fn is_coaxial(&self, other: &Self) -> bool {
        self.axis.cross(other.axis).length() < STRAIGHT
            && self.offset(other.center) <= COAXIAL * self.radius
    }

    /// The distance of a point from the axis.
    fn offset(&self, point: DVec3) -> f64 {
        (point - self.center).reject_from_normalized(self.axis).length()
    }

    /// The circle of the faces that are parallel to the axis, if these are most of the faces and lie on a circle.
    fn circle_of(&self, part: Placed<'_>, faces: &[u32]) -> Option<(DVec3, f64)> {
        let (x, y) = self.axis.any_orthonormal_pair();
        let (mut all, mut straight, mut points) = (0.0, 0.0, Vec::new());
        for triangle in faces.iter().map(|&face| part.triangle(face)) {
            let across = unit_normal(&triangle).dot(self.axis).abs();
            if across > 0.95 {
                continue;
            }
            let [p, q, r] = triangle;
            let area = 0.5 * (q - p).cross(r - p).length();
            all += area;
            if across < STRAIGHT {
                straight += area;
                points.extend(triangle.map(|p| DVec2::new(x.dot(p), y.dot(p))));
            }
        }
        if straight < 0.8 * all || points.len() < 18 {
            return None;
        }
        let (center, radius) = fit_circle(&points)?;
        let is_on = |p: &DVec2| (p.distance(center) - radius).abs() <= ROUND * radius;
        points.iter().all(is_on).then_some((x * center.x + y * center.y, radius))
    }

    /// The radius of what touches this cylinder all around without being one itself, such as a thread.
    fn radius_of_thread(&self, part: Placed<'_>, faces: &[u32]) -> Option<f64> {
        let range =
            (1.0 - 1.2 * SAME_NOMINAL) * self.radius..=(1.0 + 1.2 * SAME_NOMINAL) * self.radius;
        let (mut near, mut all, mut angles) = (0.0, 0.0, Vec::new());
        let (x, y) = self.axis.any_orthonormal_pair();
        let mut extreme = if self.is_shaft { f64::INFINITY } else { 0.0 };
        for &face in faces {
            let triangle @ [p, q, r] = part.triangle(face);
            // The end of a bolt or the underside of its head is no part of a thread.
            if unit_normal(&triangle).dot(self.axis).abs() > 0.95 {
                continue;
            }
            let area = 0.5 * (q - p).cross(r - p).length();
            all += area;
            let offsets = triangle.map(|p| self.offset(p));
            if !offsets.iter().all(|offset| range.contains(offset)) {
                continue;
            }
            near += area;
            let from_axis = (p + q + r) / 3.0 - self.center;
            angles.push(DVec2::new(x.dot(from_axis), y.dot(from_axis)).to_angle());
            for offset in offsets {
                extreme = if self.is_shaft {
                    f64::min(extreme, offset)
                } else {
                    f64::max(extreme, offset)
                };
            }
        }
        (near >= 0.8 * all && near > 0.0 && go_around(angles)).then_some(extreme)
    }
}

/// Whether faces go around an axis, from the directions in which they lie: no third of a turn is without a face.
fn go_around(mut angles: Vec<f64>) -> bool {
    angles.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return false };
    let across = first + TAU - last;
    let widest = angles.windows(2).map(|pair| pair[1] - pair[0]).fold(across, f64::max);
    widest < TAU / 3.0
}

/// The circle closest to some points (Kåsa's least squares).
fn fit_circle(points: &[DVec2]) -> Option<(DVec2, f64)> {
    let count = points.len() as f64;
    let mean = points.iter().sum::<DVec2>() / count;
    let (mut xx, mut xy, mut yy, mut xz, mut yz) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let p = *p - mean;
        let z = p.length_squared();
        xx += p.x * p.x;
        xy += p.x * p.y;
        yy += p.y * p.y;
        xz += p.x * z;
        yz += p.y * z;
    }
    let determinant = xx * yy - xy * xy;
    // Also false if a coordinate is not a number.
    let is_round = determinant > 1e-12 * (xx + yy) * (xx + yy);
    if !is_round {
        return None;
    }
    let center = DVec2::new(xz * yy - yz * xy, yz * xx - xz * xy) / (2.0 * determinant);
    let radius = (center.length_squared() + (xx + yy) / count).sqrt();
    Some((center + mean, radius))
}
