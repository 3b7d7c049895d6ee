//! The polygon that two faces in one plane have in common, up to a tolerance.

use crate::narrow::Triangle;
use glam::DVec3;

/// A convex polygon, in order around the normal of the second face. It can be flat: a segment or a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    corners: [DVec3; 8],
    len: usize,
}

impl Patch {
    /// Returns the common polygon of two faces that lie in one plane up to the tolerance, measured in plain floating
    /// point; `None` if they do not. Where flat sides meet this is the common case, and deciding exactly what rounding
    /// left of it is dear.
    pub(crate) fn of(a: &Triangle, b: &Triangle, tolerance: f64) -> Option<Self> {
        let normal = unit_normal(a);
        let is_on = |p: &DVec3| normal.dot(*p - a[0]).abs() <= tolerance;
        if normal == DVec3::ZERO || !b.iter().all(is_on) {
            return None;
        }
        let mut polygon = [DVec3::ZERO; 8];
        polygon[..3].copy_from_slice(b);
        let mut len = 3;
        for i in 0..3 {
            let inward = normal.cross(a[(i + 1) % 3] - a[i]).normalize_or_zero();
            let side = |p: DVec3| match inward.dot(p - a[i]) {
                side if side.abs() <= tolerance => 0.0,
                side => side,
            };
            let mut kept = [DVec3::ZERO; 8];
            let mut count = 0;
            for k in 0..len {
                let (p, q) = (polygon[k], polygon[(k + 1) % len]);
                let (before, after) = (side(p), side(q));
                if before >= 0.0 {
                    kept[count] = p;
                    count += 1;
                }
                if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
                    kept[count] = p + (q - p) * (before / (before - after));
                    count += 1;
                }
            }
            (polygon, len) = (kept, count);
            if len == 0 {
                return None;
            }
        }
        Some(Self { corners: polygon, len })
    }

    pub(crate) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.len]
    }

    /// The area, and the centre of area; the mean of the corners if there is none.
    pub(super) fn area(&self) -> (f64, DVec3) {
        let corners = self.corners();
        let origin = corners[0];
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for edge in corners[1..].windows(2) {
            let [p, q] = [edge[0] - origin, edge[1] - origin];
            let part = p.cross(q).length() / 2.0;
            area += part;
            moment += (p + q) * (part / 3.0);
        }
        if area > 0.0 {
            return (area, origin + moment / area);
        }
        let sum = corners.iter().map(|corner| *corner - origin).sum::<DVec3>();
        (0.0, origin + sum / corners.len() as f64)
    }
}

/// The unit normal of a triangle, or zero if it is degenerate.
pub(crate) fn unit_normal([p, q, r]: &Triangle) -> DVec3 {
    (q - p).cross(r - p).normalize_or_zero()
}
