//! The volume of the space inside two solids, without computing the common solid.
//!
//! Seen along one axis, the winding number of a point is the sum of ±1 over the faces above it. So the product of the
//! winding numbers of two solids is a sum over pairs of faces, and its integral is
//!
//! > Σ ± ∫ min(height of one face, height of the other) over the area where both are seen, one above the other.
//!
//! Each term is the integral of a linear function over convex polygons. No intersection curve is traced, so there is
//! nothing that rounding could tear: the error is a few units in the last place of each term. Measured from a base
//! plane, whose terms cancel because solids are closed.
//!
//! If no winding number is other than 0 and 1, the integral is the common volume. That is tested by the same means:
//! w² ≥ w for whole numbers, so ∫w² = ∫w exactly if w is 0 or 1 almost everywhere.

use crate::{Bounds, Mesh, Pose};
use glam::{DVec2, DVec3};

/// Pairs of faces after which no volume is computed.
const MAX_PAIRS: u64 = 20_000_000;
/// Pairs that are compared at once instead of halving the region again.
const FEW_PAIRS: usize = 512;
/// How often the region is halved at most.
const MAX_HALVINGS: u32 = 40;
/// Relative to the volume of the region above and below: how well ∫w² and ∫w have to agree.
const AGREEMENT: f64 = 1e-7;

/// A closed surface, placed.
pub(super) type Closed<'m> = (&'m Mesh, &'m Pose);

/// The volume of the space inside both solids, which lies within `region`. `None` if a surface overlaps itself there or
/// has pieces that look in opposite directions, or if there are too many faces.
pub(super) fn common_volume(a: Closed<'_>, b: Closed<'_>, region: &Bounds) -> Option<f64> {
    if region.is_empty() {
        return Some(0.0);
    }
    // Columns along the longest axis of the region: few faces are seen through a small window.
    let size = region.size();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let window = Window::new(region, axis);
    let (a, b) = (window.faces(a), window.faces(b));
    let mut budget = MAX_PAIRS;
    let signs = [is_simple(&window, &a, &mut budget)?, is_simple(&window, &b, &mut budget)?];
    let volume = window.product(&a, &b, &mut budget)? * signs[0] * signs[1];
    Some(volume.max(0.0))
}

/// Whether the winding numbers in the window's columns are all 0 or 1, or all 0 or −1: returns that sign.
fn is_simple(window: &Window, faces: &[Seen], budget: &mut u64) -> Option<f64> {
    let once: f64 = faces.iter().map(|face| window.column(face)).sum();
    let squared = window.product(faces, faces, budget)?;
    let scale: f64 = faces.iter().map(|face| window.column(face).abs()).sum();
    ((squared - once.abs()).abs() <= AGREEMENT * scale).then_some(if once < 0.0 {
        -1.0
    } else {
        1.0
    })
}

/// A face as seen along the axis.
struct Seen {
    /// Counter-clockwise.
    corners: [DVec2; 3],
    heights: [f64; 3],
    /// 1 for a face that looks up, −1 for one that looks down.
    sign: f64,
    low: DVec2,
    high: DVec2,
}

/// The region as seen along the axis; heights are measured from its lower end.
struct Window {
    origin: DVec3,
    axis: usize,
    low: DVec2,
    high: DVec2,
}

impl Window {
    fn new(region: &Bounds, axis: usize) -> Self {
        let size = region.size().to_array();
        let high = DVec2::new(size[(axis + 1) % 3], size[(axis + 2) % 3]);
        Self { origin: region.min, axis, low: DVec2::ZERO, high }
    }

    /// The faces that are seen in the window.
    fn faces(&self, (mesh, pose): Closed<'_>) -> Vec<Seen> {
        let mut faces = Vec::new();
        for triangle in mesh.triangles() {
            let corners = pose.place_triangle(triangle).map(|p| (p - self.origin).to_array());
            let heights = corners.map(|p| p[self.axis]);
            let flat = corners.map(|p| DVec2::new(p[(self.axis + 1) % 3], p[(self.axis + 2) % 3]));
            let low = flat[0].min(flat[1]).min(flat[2]);
            let high = flat[0].max(flat[1]).max(flat[2]);
            if low.cmpge(self.high).any() || high.cmple(self.low).any() {
                continue;
            }
            let area = (flat[1] - flat[0]).perp_dot(flat[2] - flat[0]);
            if area == 0.0 {
                continue;
            }
            let is_up = area > 0.0;
            let turned = |[p, q, r]: [DVec2; 3]| if is_up { [p, q, r] } else { [p, r, q] };
            let [p, q, r] = heights;
            faces.push(Seen {
                corners: turned(flat),
                heights: if is_up { [p, q, r] } else { [p, r, q] },
                sign: if is_up { 1.0 } else { -1.0 },
                low,
                high,
            });
        }
        faces
    }

    /// The signed volume of the column below a face, within the window.
    fn column(&self, face: &Seen) -> f64 {
        let mut polygon = Polygon::of(face);
        self.clip(&mut polygon, face.low, face.high);
        face.sign * polygon.integral(|corner| corner.z)
    }

    /// The integral of the product of the winding numbers over the window's columns.
    fn product(&self, a: &[Seen], b: &[Seen], budget: &mut u64) -> Option<f64> {
        let (all_a, all_b): (Vec<u32>, Vec<u32>) =
            ((0..a.len() as u32).collect(), (0..b.len() as u32).collect());
        let mut sum = 0.0;
        self.halve((self.low, self.high), (a, &all_a), (b, &all_b), 0, budget, &mut sum)?;
        Some(sum)
    }

    /// Adds the terms of all pairs of faces whose boxes first overlap in a cell of the window.
    fn halve(
        &self,
        (low, high): (DVec2, DVec2),
        (a, of_a): (&[Seen], &[u32]),
        (b, of_b): (&[Seen], &[u32]),
        depth: u32,
        budget: &mut u64,
        sum: &mut f64,
    ) -> Option<()> {
        if of_a.is_empty() || of_b.is_empty() {
            return Some(());
        }
        let size = high - low;
        if of_a.len() * of_b.len() > FEW_PAIRS && depth < MAX_HALVINGS {
            let axis = if size.x >= size.y { DVec2::X } else { DVec2::Y };
            let middle = axis.dot((low + high) * 0.5);
            let select = |faces: &[Seen], of: &[u32], is_below: bool| -> Vec<u32> {
                let is_in = |&&face: &&u32| {
                    let Seen { low, high, .. } = &faces[face as usize];
                    if is_below { axis.dot(*low) < middle } else { axis.dot(*high) >= middle }
                };
                of.iter().filter(is_in).copied().collect()
            };
            let halves = [true, false].map(|is_below| {
                let (a, b) = (select(a, of_a, is_below), select(b, of_b, is_below));
                let cell = match is_below {
                    true => (low, high + axis * (middle - axis.dot(high))),
                    false => (low + axis * (middle - axis.dot(low)), high),
                };
                (cell, a, b)
            });
            // Halving stops to pay where most faces are in both halves.
            let pairs: usize = halves.iter().map(|(_, a, b)| a.len() * b.len()).sum();
            if pairs * 10 < of_a.len() * of_b.len() * 9 {
                for (cell, sub_a, sub_b) in &halves {
                    self.halve(*cell, (a, sub_a), (b, sub_b), depth + 1, budget, sum)?;
                }
                return Some(());
            }
        }
        *budget = budget.checked_sub((of_a.len() * of_b.len()) as u64)?;
        for &f in of_a {
            let f = &a[f as usize];
            for &g in of_b {
                let g = &b[g as usize];
                let (from, to) = (f.low.max(g.low).max(self.low), f.high.min(g.high));
                // The pair belongs to the cell that has the lower corner of the overlap.
                let is_here = from.cmplt(to).all()
                    && from.cmpge(low).all()
                    && ((from.x < high.x || high.x >= self.high.x)
                        && (from.y < high.y || high.y >= self.high.y));
                if is_here {
                    *sum += f.sign * g.sign * self.term(f, g);
                }
            }
        }
        Some(())
    }

    /// The integral of the lower of two faces, over the area of the window where both are seen.
    fn term(&self, f: &Seen, g: &Seen) -> f64 {
        let mut polygon = Polygon::of(f);
        for i in 0..3 {
            let (p, q) = (g.corners[i], g.corners[(i + 1) % 3]);
            let along = q - p;
            polygon.clip(|corner| along.perp_dot(corner.truncate() - p));
            if polygon.len < 3 {
                return 0.0;
            }
        }
        self.clip(&mut polygon, f.low.max(g.low), f.high.min(g.high));
        if polygon.len < 3 {
            return 0.0;
        }
        // All of the first face, less what is above the second: right also where they coincide.
        let height = g.height();
        let whole = polygon.integral(|corner| corner.z);
        polygon.clip(|corner| corner.z - height(corner));
        whole - polygon.integral(|corner| corner.z - height(corner))
    }

    /// Clips a polygon with the given box to the window.
    fn clip(&self, polygon: &mut Polygon, low: DVec2, high: DVec2) {
        if low.x < self.low.x {
            polygon.clip(|corner| corner.x - self.low.x);
        }
        if low.y < self.low.y {
            polygon.clip(|corner| corner.y - self.low.y);
        }
        if high.x > self.high.x {
            polygon.clip(|corner| self.high.x - corner.x);
        }
        if high.y > self.high.y {
            polygon.clip(|corner| self.high.y - corner.y);
        }
    }
}

impl Seen {
    /// The height of the face above a point where it is seen; always between the heights of its corners, also where
    /// it is steep and rounding would take it beyond them.
    fn height(&self) -> impl Fn(DVec3) -> f64 + Copy {
        let [p, q, r] = self.corners;
        let [s, t, u] = self.heights;
        let area = (q - p).perp_dot(r - p);
        let (lowest, highest) = (s.min(t).min(u), s.max(t).max(u));
        move |corner: DVec3| {
            let at = corner.truncate() - p;
            let (to_q, to_r) = (at.perp_dot(r - p) / area, (q - p).perp_dot(at) / area);
            (s + (t - s) * to_q + (u - s) * to_r).clamp(lowest, highest)
        }
    }
}

/// A convex polygon, counter-clockwise; z is the height of a face.
struct Polygon {
    corners: [DVec3; 12],
    len: usize,
}

impl Polygon {
    fn of(face: &Seen) -> Self {
        let mut corners = [DVec3::ZERO; 12];
        let seen = face.corners.iter().zip(face.heights);
        for (corner, (flat, height)) in corners.iter_mut().zip(seen) {
            *corner = flat.extend(height);
        }
        Self { corners, len: 3 }
    }

    /// Keeps the side where a linear function is not negative.
    fn clip(&mut self, side: impl Fn(DVec3) -> f64) {
        let mut kept = [DVec3::ZERO; 12];
        let mut len = 0;
        let mut push = |corner: DVec3| {
            if len < kept.len() {
                kept[len] = corner;
                len += 1;
            }
        };
        for i in 0..self.len {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.len]);
            let (before, after) = (side(p), side(q));
            if before >= 0.0 {
                push(p);
            }
            if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
                push(p + (q - p) * (before / (before - after)));
            }
        }
        (self.corners, self.len) = (kept, len);
    }

    /// The integral of a linear function.
    fn integral(&self, value: impl Fn(DVec3) -> f64) -> f64 {
        let corners = &self.corners[..self.len];
        let Some((&first, others)) = corners.split_first() else { return 0.0 };
        let at_first = value(first);
        others.windows(2).fold(0.0, |sum, pair| {
            let (p, q) = (pair[0] - first, pair[1] - first);
            let area = 0.5 * p.truncate().perp_dot(q.truncate());
            sum + area * (at_first + value(pair[0]) + value(pair[1])) / 3.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};

    fn volume(a: Closed<'_>, b: Closed<'_>) -> Option<f64> {
        let bounds = |(mesh, pose): Closed<'_>| {
            Bounds::enclosing(mesh.positions().iter().map(|&p| pose.place(p)))
        };
        let (p, q) = (bounds(a), bounds(b));
        common_volume(a, b, &Bounds { min: p.min.max(q.min), max: p.max.min(q.max) })
    }

    #[test]
    fn boxes_have_the_volume_of_their_overlap() {
        let cube = generate::cuboid(DVec3::splat(2.0)).unwrap();
        for shift in [[0.5, 0.25, 1.0], [0.0, 0.0, 0.0], [1.99, 0.0, 0.0], [-0.3, 1.2, -1.9]] {
            let pose = Pose::from_translation(shift.into()).unwrap();
            let expected: f64 = shift.iter().map(|s: &f64| 2.0 - s.abs()).product();
            let found = volume((&cube, &Pose::IDENTITY), (&cube, &pose)).unwrap();
            assert!((found - expected).abs() < 1e-13, "{shift:?}: {found}, not {expected}");
        }
        let apart = Pose::from_translation(DVec3::X * 3.0).unwrap();
        assert_eq!(volume((&cube, &Pose::IDENTITY), (&cube, &apart)), Some(0.0));
    }

    /// The volume does not depend on the direction in which columns stand, nor on which solid comes first.
    #[test]
    fn turned_solids_have_the_same_common_volume() {
        let mut random = Random::new(4);
        let sphere = generate::sphere(960).unwrap();
        let torus = generate::torus(1.0, 0.4, [24, 12]).unwrap();
        for case in 0..20 {
            let (turn, at) = (random.rotation(), random.direction() * random.range(0.0, 1.2));
            let first = volume((&sphere, &Pose::IDENTITY), (&torus, &Pose::new(turn, at).unwrap()));
            let about = random.rotation();
            let second = volume(
                (&torus, &Pose::new(about * turn, about * at).unwrap()),
                (&sphere, &Pose::new(about, DVec3::ZERO).unwrap()),
            );
            let (first, second) = (first.unwrap(), second.unwrap());
            assert!((first - second).abs() < 1e-12, "case {case}: {first} and {second}");
        }
    }

    #[test]
    fn a_solid_shares_its_whole_volume_with_itself() {
        let sphere = generate::sphere(2_000).unwrap();
        let whole = sphere.report().volume.unwrap();
        let shared = volume((&sphere, &Pose::IDENTITY), (&sphere, &Pose::IDENTITY)).unwrap();
        assert!((shared - whole).abs() < 1e-12 * whole, "{shared}, not {whole}");
    }

    #[test]
    fn shells_that_overlap_have_no_common_volume_that_is_known() {
        let cube = generate::cuboid(DVec3::splat(2.0)).unwrap();
        let (positions, faces) = cube.clone().into_parts();
        let moved = positions.iter().map(|p| p + 0.5);
        let all: Vec<DVec3> = positions.iter().copied().chain(moved).collect();
        let shifted = faces.iter().map(|face| face.map(|vertex| vertex + 8));
        let faces: Vec<[u32; 3]> = faces.iter().copied().chain(shifted).collect();
        let twice = Mesh::new(all, faces).unwrap();
        assert_eq!(volume((&twice, &Pose::IDENTITY), (&cube, &Pose::IDENTITY)), None);
    }
}
