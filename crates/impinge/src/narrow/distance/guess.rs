//! A guess at the closest features, in plain floating point. Correctness does not depend on it: a good guess
//! only saves trying the other pairs.

use super::features::Feature;
use crate::narrow::Triangle;
use glam::DVec3;

/// The pair of features that seems to be the closest.
pub(super) fn closest_pair(a: &Triangle, b: &Triangle) -> (Feature, Feature) {
    let mut best = (f64::INFINITY, (Feature::Corner(0), Feature::Corner(0)));
    let mut offer = |distance_sq: f64, pair: (Feature, Feature)| {
        if distance_sq < best.0 {
            best = (distance_sq, pair);
        }
    };
    let (u, v) = (Edges::new(a), Edges::new(b));
    for (i, &from) in a.iter().enumerate() {
        for (j, &to) in b.iter().enumerate() {
            let apart = to - from;
            let (s, t) = closest_on_edges(&u, i, &v, j, apart);
            let offset = apart + v.along[j] * t - u.along[i] * s;
            offer(offset.length_squared(), (feature(i, s), feature(j, t)));
        }
    }
    for i in 0..3u8 {
        if let Some(height_sq) = height_sq(a[usize::from(i)], b, &v) {
            offer(height_sq, (Feature::Corner(i), Feature::Face));
        }
        if let Some(height_sq) = height_sq(b[usize::from(i)], a, &u) {
            offer(height_sq, (Feature::Face, Feature::Corner(i)));
        }
    }
    best.1
}

/// The feature of a triangle that looks closest to a point (Ericson 2005, section 5.1.5).
pub(super) fn closest_feature(&[a, b, c]: &Triangle, point: DVec3) -> Feature {
    let (u, v) = (b - a, c - a);
    // How far along both edges from the first corner the point is, seen from each corner.
    let [from_a, from_b, from_c] = [a, b, c].map(|corner| {
        let away = point - corner;
        [u.dot(away), v.dot(away)]
    });
    let [u_a, v_a] = from_a;
    let [u_b, v_b] = from_b;
    let [u_c, v_c] = from_c;
    if u_a <= 0.0 && v_a <= 0.0 {
        Feature::Corner(0)
    } else if u_b >= 0.0 && v_b <= u_b {
        Feature::Corner(1)
    } else if v_c >= 0.0 && u_c <= v_c {
        Feature::Corner(2)
    } else if u_a >= 0.0 && u_b <= 0.0 && u_a * v_b <= u_b * v_a {
        Feature::Edge(0)
    } else if v_a >= 0.0 && v_c <= 0.0 && u_c * v_a <= u_a * v_c {
        Feature::Edge(2)
    } else if v_b >= u_b && u_c >= v_c && u_b * v_c <= u_c * v_b {
        Feature::Edge(1)
    } else {
        Feature::Face
    }
}

struct Edges {
    along: [DVec3; 3],
    length_sq: [f64; 3],
    normal: DVec3,
}

impl Edges {
    fn new(t: &Triangle) -> Self {
        let along = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let normal = along[0].cross(along[1]);
        Self { along, length_sq: along.map(DVec3::length_squared), normal }
    }
}

/// The fractions along edge i and edge j at which the two are closest (Ericson 2005, section 5.1.9).
fn closest_on_edges(u: &Edges, i: usize, v: &Edges, j: usize, apart: DVec3) -> (f64, f64) {
    let (uu, vv) = (u.length_sq[i], v.length_sq[j]);
    let (uw, vw) = (u.along[i].dot(apart), v.along[j].dot(apart));
    let uv = u.along[i].dot(v.along[j]);
    let parallel = uu * vv - uv * uv;
    let s = if parallel > 0.0 { fraction(uw * vv - vw * uv, parallel) } else { 0.0 };
    let t = s * uv - vw;
    if t < 0.0 {
        (fraction(uw, uu), 0.0)
    } else if t > vv {
        (fraction(uw + uv, uu), 1.0)
    } else {
        (s, fraction(t, vv))
    }
}

fn fraction(part: f64, whole: f64) -> f64 {
    // 0 / 0 if the edge is a point: either end is right.
    let fraction = part / whole;
    if fraction > 0.0 { fraction.min(1.0) } else { 0.0 }
}

fn feature(edge: usize, fraction: f64) -> Feature {
    if fraction <= 0.0 {
        Feature::Corner(edge as u8)
    } else if fraction >= 1.0 {
        Feature::Corner((edge as u8 + 1) % 3)
    } else {
        Feature::Edge(edge as u8)
    }
}

/// The squared height of a point above a face; `None` if the point does not project into the face.
fn height_sq(point: DVec3, face: &Triangle, edges: &Edges) -> Option<f64> {
    let normal = edges.normal;
    let is_inside = (0..3).all(|i| normal.cross(edges.along[i]).dot(point - face[i]) > 0.0);
    is_inside.then(|| {
        let height = normal.dot(point - face[0]);
        height * height / normal.length_squared()
    })
}
