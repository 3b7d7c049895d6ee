//! A convex solid of revolution at its place, swept along a segment.

use super::RevolvedHull;
use crate::Bounds;
use glam::DVec3;

/// A convex solid of revolution at a place, together with all points that it passes when it is translated along a vector,
/// and all points within a margin of those.
///
/// Such a solid is convex, and it is described exactly by its extent along every direction. A ball along a segment is a
/// capsule; a cylinder along a segment has no name, but it is as easy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptSolid {
    hull: RevolvedHull,
    origin: DVec3,
    axis: DVec3,
    travel: DVec3,
    margin: f64,
}

impl SweptSolid {
    /// The solid with the origin of its heights at a point, and its axis along a unit vector. A vector of another length is
    /// scaled; one without a direction counts as z.
    pub fn new(hull: RevolvedHull, origin: DVec3, axis: DVec3) -> Self {
        let axis = axis.try_normalize().unwrap_or(DVec3::Z);
        Self { hull, origin, axis, travel: DVec3::ZERO, margin: 0.0 }
    }

    /// The same, swept along a vector.
    #[must_use]
    pub fn swept(self, travel: DVec3) -> Self {
        Self { travel, ..self }
    }

    /// The same, with all points within a distance of it.
    #[must_use]
    pub fn enlarged(self, margin: f64) -> Self {
        Self { margin: margin.max(0.0), ..self }
    }

    /// The same with another solid in place of this one.
    #[must_use]
    pub fn with_hull(self, hull: RevolvedHull) -> Self {
        Self { hull, ..self }
    }

    /// The same, moved by a vector.
    #[must_use]
    pub fn moved(self, by: DVec3) -> Self {
        Self { origin: self.origin + by, ..self }
    }

    /// The solid that is swept.
    pub fn hull(&self) -> &RevolvedHull {
        &self.hull
    }

    /// Where height 0 of the axis is before the sweep.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The direction of the axis; of unit length.
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// The vector along which the solid is swept.
    pub fn travel(&self) -> DVec3 {
        self.travel
    }

    /// The margin by which the swept solid is enlarged.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The largest product of a direction, of any length, with a point of the solid, as seen from the origin.
    #[inline]
    pub(crate) fn extent_from_origin(&self, direction: DVec3) -> f64 {
        let along = direction.dot(self.axis);
        let across = direction.cross(self.axis).length();
        let length = direction.length();
        let mut extent = f64::NEG_INFINITY;
        for disc in self.hull.discs() {
            let reach = disc.height * along + disc.radius * across + disc.rounding * length;
            extent = extent.max(reach);
        }
        extent + direction.dot(self.travel).max(0.0) + self.margin * length
    }

    /// The largest product of a direction, of any length, with a point of the solid.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        self.extent_from_origin(direction) + direction.dot(self.origin)
    }

    /// The point of the solid that is furthest along a direction, as seen from the origin.
    #[inline]
    pub(super) fn furthest_from_origin(&self, direction: DVec3) -> DVec3 {
        let along = direction.dot(self.axis);
        // Two products and no difference, so that the sideways part is at a right angle to the axis, also if the direction is
        // nearly that of the axis.
        let crossed = direction.cross(self.axis);
        let sideways = self.axis.cross(crossed);
        let across = crossed.length();
        let length = direction.length();
        let (mut extent, mut furthest) = (f64::NEG_INFINITY, self.hull.discs()[0]);
        for disc in self.hull.discs() {
            let reach = disc.height * along + disc.radius * across + disc.rounding * length;
            if reach > extent {
                (extent, furthest) = (reach, *disc);
            }
        }
        let mut point = self.axis * furthest.height;
        if across > 0.0 && furthest.radius > 0.0 {
            point += sideways * (furthest.radius / across);
        }
        if length > 0.0 {
            point += direction * ((furthest.rounding + self.margin) / length);
        }
        if direction.dot(self.travel) > 0.0 { point + self.travel } else { point }
    }

    /// The point of the solid that is furthest along a direction.
    pub fn furthest(&self, direction: DVec3) -> DVec3 {
        self.origin + self.furthest_from_origin(direction)
    }

    /// A box around the solid.
    pub fn bounds(&self) -> Bounds {
        let extents = |sign: f64| DVec3::from(DVec3::AXES.map(|axis| self.extent(axis * sign)));
        Bounds { min: -extents(-1.0), max: extents(1.0) }
    }

    /// The cores of the solid, of which the last describes all of it. The one before has a rounded top, and so more rounding in
    /// common, which makes searches short.
    pub(super) fn cores(&self) -> impl Iterator<Item = Core> {
        let core = |hull: RevolvedHull, agrees_below: f64| {
            let common = hull.common_rounding();
            let hull = hull.without_rounding(common);
            let solid = Self { hull, margin: 0.0, ..*self };
            Core { solid, rounding: common + self.margin, agrees_below }
        };
        // Where the solid is at the end of its travel, points have other heights.
        let least_rise = self.travel.dot(self.axis).min(0.0);
        let rounded = self.hull.with_rounded_top();
        let rounded = rounded.map(|(hull, height)| core(hull, height + least_rise));
        rounded.into_iter().chain([core(self.hull, f64::INFINITY)])
    }

    /// The largest distance of a point of the solid from the origin, or more.
    pub(crate) fn reach(&self) -> f64 {
        let reach = |disc: &super::RoundedDisc| disc.height.abs() + disc.radius + disc.rounding;
        let hull = self.hull.discs().iter().map(reach).fold(0.0, f64::max);
        hull + self.travel.length() + self.margin
    }
}

/// A swept solid without the rounding that all of its discs have in common: the solid is all points within that distance of the
/// core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    pub(super) solid: SweptSolid,
    /// The rounding, with the margin.
    pub(super) rounding: f64,
    /// Up to this height along the axis, above the origin, the core describes the solid. What it describes above contains the
    /// solid.
    agrees_below: f64,
}

impl Core {
    /// Whether a point, relative to the origin, is a point of the solid if it is one of what the core describes.
    pub(super) fn agrees_at(&self, point: DVec3) -> bool {
        point.dot(self.solid.axis) <= self.agrees_below
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{generate::Random, solid::RoundedDisc};

    pub(in crate::solid) fn random_solid(random: &mut Random) -> SweptSolid {
        let vector = |random: &mut Random| {
            DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
        };
        let mut discs: Vec<RoundedDisc> = (0..=random.below(4))
            .map(|_| RoundedDisc {
                height: random.range(-1.0, 1.0),
                radius: if random.below(3) == 0 { 0.0 } else { random.range(0.0, 1.0) },
                rounding: if random.below(2) == 0 { 0.0 } else { random.range(0.0, 0.5) },
            })
            .collect();
        if random.below(3) == 0 {
            // A cutter with a flat top, as wide as below.
            discs.truncate(3);
            let reach = |sum: fn(&RoundedDisc) -> f64| discs.iter().map(sum).fold(0.0, f64::max);
            let height = reach(|disc| disc.height + disc.rounding) + random.range(0.0, 1.0);
            let radius = reach(|disc| disc.radius + disc.rounding);
            discs.push(RoundedDisc { height, radius, rounding: 0.0 });
        }
        let hull = RevolvedHull::new(&discs).expect("valid");
        let travel = if random.below(3) == 0 { DVec3::ZERO } else { vector(random) };
        SweptSolid::new(hull, vector(random), vector(random)).swept(travel)
    }

    #[test]
    fn the_furthest_point_has_the_extent() {
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let solid = random_solid(&mut random).enlarged(random.range(0.0, 0.2));
            let direction = random.rotation() * DVec3::X * random.range(0.1, 3.0);
            let (extent, point) = (solid.extent(direction), solid.furthest(direction));
            assert!((direction.dot(point) - extent).abs() < 1e-13, "seed {seed}");
            let other = solid.furthest(random.rotation() * DVec3::X);
            assert!(direction.dot(other) <= extent + 1e-13, "seed {seed}");
        }
    }

    #[test]
    fn shrunk_solids_lie_inside_and_within_the_distance() {
        use crate::solid::Shrinking;
        let mut shrunken = 0;
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let solid = random_solid(&mut random);
            let by = [Shrinking::Everywhere, Shrinking::Heights, Shrinking::Radii]
                [random.below(3) as usize];
            let distance = random.range(0.001, 0.1);
            let smaller = solid.with_hull(solid.hull().shrunk(distance, by));
            shrunken += usize::from(smaller != solid);
            for _ in 0..20 {
                let direction = random.rotation() * DVec3::X;
                let (outer, inner) = (solid.extent(direction), smaller.extent(direction));
                let is_inside = by != Shrinking::Everywhere || inner <= outer + 1e-12;
                assert!(is_inside, "seed {seed}: {by:?} {solid:?}");
                assert!(inner >= outer - distance - 1e-12, "seed {seed}: {by:?} {solid:?}");
            }
        }
        assert!(shrunken > 3000, "{shrunken}");
    }
}
