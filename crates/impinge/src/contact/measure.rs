//! Point, normal, depth and extent of a region; the module head of `contact` defines them.

use super::{ContactRegions, piece::Kind, unit_normal};
use crate::{Bounds, FacePair, Pose, Shape, narrow::Triangle};
use glam::DVec3;

/// What is measured of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) depth: f64,
    pub(super) area: f64,
    pub(super) radius: f64,
    pub(super) bounds: Bounds,
    pub(super) is_closed: bool,
    /// The height along the normal of the highest point of `b` and of the lowest of `a`, above the point.
    pub(super) heights: [f64; 2],
}

/// Sums over the pieces of a region. Positions are relative to its first joint, so that large coordinates cost no
/// digits.
#[derive(Default)]
struct Sums {
    /// The vector areas of the curve and of the polygons.
    curve: DVec3,
    patches: DVec3,
    length: f64,
    patch_area: f64,
    /// Means of n_b − n_a times length, and times number.
    lean_by_length: DVec3,
    lean: DVec3,
    /// The middles of segments times length, and the centres of patches times area.
    by_length: DVec3,
    by_area: DVec3,
}

impl ContactRegions {
    /// Measures a region.
    pub(super) fn measure(&self, bodies: [(&Shape, &Pose); 2], region: u32) -> Measure {
        let points = self.joints.points();
        let joints = self.by_region.joints.of(region);
        let origin = points[joints[0] as usize];
        let at = |joint: u32| points[joint as usize] - origin;
        let is_closed = joints.iter().all(|&joint| !self.is_open[joint as usize]);
        let sums = self.sums(region, origin);
        let normal = self.normal(&sums, is_closed, bodies, region, origin);

        let bounds = Bounds::enclosing(joints.iter().map(|&joint| points[joint as usize]));
        let heights = joints.iter().map(|&joint| normal.dot(at(joint)));
        let (low, high) = heights
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
                (low.min(height), high.max(height))
            });
        let (mut lowest, mut highest) = (low, high);
        for &vertex in self.by_region.inside.of(region) {
            let vertex = &self.inside.vertices[vertex as usize];
            let height = normal.dot(vertex.place(bodies) - origin);
            match vertex.body {
                0 => lowest = lowest.min(height),
                _ => highest = highest.max(height),
            }
        }
        let middle = lowest * 0.5 + highest * 0.5;
        let center = self.center(&sums, is_closed, normal, region, origin);
        let across = |v: DVec3| v - normal * normal.dot(v);
        let center = across(center);
        let radius = joints.iter().map(|&joint| across(at(joint) - center).length());
        // Heights of a few roundings are none.
        let rounding = 32.0
            * f64::EPSILON
            * (bounds.min.abs().max(bounds.max.abs()).max_element() + high - low);
        let depth = highest - lowest;
        Measure {
            point: origin + center + normal * middle,
            normal,
            depth: if depth > rounding { depth } else { 0.0 },
            area: sums.curve.dot(normal).max(sums.patches.dot(normal)).max(0.0),
            radius: radius.fold(0.0, f64::max),
            bounds,
            is_closed,
            heights: [highest - middle, lowest - middle],
        }
    }

    fn sums(&self, region: u32, origin: DVec3) -> Sums {
        let points = self.joints.points();
        let mut sums = Sums::default();
        for &number in self.by_region.segments.of(region) {
            let segment = &self.segments[number as usize];
            if let Some([from, to]) = segment.directed() {
                let [p, q] = [from, to].map(|joint| points[joint as usize] - origin);
                sums.curve += p.cross(q) / 2.0;
            }
            let [p, q] = segment.joints.map(|joint| points[joint as usize] - origin);
            let length = p.distance(q);
            sums.length += length;
            sums.by_length += (p + q) * (length / 2.0);
        }
        for &contact in self.by_region.contacts.of(region) {
            let piece = &self.pieces[contact as usize];
            sums.lean += piece.lean;
            match piece.kind {
                Kind::Point => {}
                Kind::Segment([p, q]) => sums.lean_by_length += piece.lean * p.distance(q),
                Kind::Patch(area, center) => {
                    sums.patches += piece.lean * (area / 2.0);
                    sums.patch_area += area;
                    sums.by_area += (center - origin) * area;
                }
            }
        }
        sums
    }

    fn normal(
        &self,
        sums: &Sums,
        is_closed: bool,
        bodies: [(&Shape, &Pose); 2],
        region: u32,
        origin: DVec3,
    ) -> DVec3 {
        let tolerance = self.joints.tolerance();
        // Joints are off by the tolerance at most, and areas by this.
        let noise = 8.0 * tolerance * (sums.length + tolerance);
        let unit = |v: DVec3, noise: f64| (v.length() > noise).then(|| v.normalize());
        let curve = if is_closed { sums.curve } else { DVec3::ZERO };
        if let Some(normal) = unit(curve + sums.patches, noise) {
            return normal;
        }
        let centers = || {
            let [a, b] = bodies.map(|(shape, pose)| shape.placed_sphere(pose));
            (a?.0 - b?.0).try_normalize()
        };
        let mean = unit(sums.lean_by_length, 1e-9 * sums.length)
            .or_else(|| unit(sums.lean, 1e-9))
            .or_else(centers)
            .unwrap_or(DVec3::Z);
        let contacts = &self.faces[self.by_region.contacts.range(region)];
        let faces = Faces { bodies, contacts, origin, tolerance };
        faces.separating(mean).unwrap_or(mean)
    }

    /// The centre of the enclosed area, relative to the origin.
    fn center(
        &self,
        sums: &Sums,
        is_closed: bool,
        normal: DVec3,
        region: u32,
        origin: DVec3,
    ) -> DVec3 {
        let points = self.joints.points();
        let at = |joint: u32| points[joint as usize] - origin;
        let noise = 8.0 * self.joints.tolerance() * sums.length;
        let enclosed = sums.curve.dot(normal);
        if is_closed && enclosed > noise {
            let mut moment = DVec3::ZERO;
            for &number in self.by_region.segments.of(region) {
                if let Some([from, to]) = self.segments[number as usize].directed() {
                    let (p, q) = (at(from), at(to));
                    moment += (p + q) * (p.cross(q).dot(normal) / 6.0);
                }
            }
            return moment / enclosed;
        }
        if sums.patch_area > noise && sums.patch_area > 0.0 {
            return sums.by_area / sums.patch_area;
        }
        if sums.length > 0.0 {
            return sums.by_length / sums.length;
        }
        let joints = self.by_region.joints.of(region);
        joints.iter().map(|&joint| at(joint)).sum::<DVec3>() / joints.len() as f64
    }
}

/// Faces that touch in a point or a line, and the place.
struct Faces<'f> {
    bodies: [(&'f Shape, &'f Pose); 2],
    contacts: &'f [FacePair],
    origin: DVec3,
    tolerance: f64,
}

/// Contacts whose normals and edges are tried as directions.
const MOST_TRIED: usize = 24;

impl Faces<'_> {
    /// Returns a direction that separates all faces: the given one, or else the nearest to it of the normals of faces and the
    /// cross products of edges. `None` if none of them does.
    fn separating(&self, mean: DVec3) -> Option<DVec3> {
        let directions = self.contacts.iter().take(MOST_TRIED).flat_map(|pair| {
            let [a, b] = self.triangles(pair);
            let [a_edges, b_edges] = [a, b].map(|[p, q, r]| [q - p, r - q, p - r]);
            let normals = [-unit_normal(&a), unit_normal(&b)];
            let crosses = a_edges.into_iter().flat_map(move |u| {
                b_edges.map(|v| u.normalize_or_zero().cross(v.normalize_or_zero()))
            });
            normals.into_iter().chain(crosses)
        });
        let mut best: Option<(f64, DVec3)> = None;
        for direction in [mean].into_iter().chain(directions) {
            // Edges that are nearly parallel have no certain cross product.
            let Some(direction) =
                (direction.length_squared() > 1e-12).then(|| direction.normalize())
            else {
                continue;
            };
            let direction = if direction.dot(mean) < 0.0 { -direction } else { direction };
            let nearness = direction.dot(mean);
            if best.is_none_or(|(other, _)| nearness > other) && self.are_separated(direction) {
                best = Some((nearness, direction));
            }
        }
        best.map(|(_, direction)| direction)
    }

    fn are_separated(&self, direction: DVec3) -> bool {
        let height = |corner: DVec3| direction.dot(corner - self.origin);
        self.contacts.iter().all(|pair| {
            let [a, b] = self.triangles(pair);
            a.into_iter().all(|corner| height(corner) >= -2.0 * self.tolerance)
                && b.into_iter().all(|corner| height(corner) <= 2.0 * self.tolerance)
        })
    }

    fn triangles(&self, pair: &FacePair) -> [Triangle; 2] {
        let [(a, p), (b, q)] = self.bodies;
        [p.place_triangle(a.mesh().triangle(pair.a)), q.place_triangle(b.mesh().triangle(pair.b))]
    }
}
