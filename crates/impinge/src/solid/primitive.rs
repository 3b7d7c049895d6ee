//! The solids that users make: balls, capsules, cylinders, cones, tori and others.

use super::{
    PlacedSolid, RevolvedHull, RoundedDisc, SolidError, profile,
    tessellate::{outline_of_hull, outline_of_torus, revolved},
};
use crate::{Bounds, Mesh, Pose};
use glam::DVec3;
use std::f64::consts::PI;

/// A true solid: curved surfaces are not approximated by triangles.
///
/// The axis of every solid is the z axis of its own coordinates. The origin is the middle of its axis, except for
/// [`revolved`](Self::revolved) solids. A [`Pose`] places it, as it places a mesh: the origin goes to the translation, and
/// the z axis to the third column of the rotation, scaled to unit length.
///
/// Queries take it by [`Shape::faces_touching`](crate::Shape::faces_touching) and its neighbours, and
/// [`World`](crate::World) by [`Body::solid`](crate::world::Body::solid).
///
/// # Errors
/// Answers about curved solids cannot be exact in floating point. They err on one side: bodies that touch are always found.
/// Bodies that are apart, but by less than [`Solid::ERROR`] of their reach, may count as touching. The reach is the largest
/// distance of a point of both bodies from the solid's origin. For a mesh, the two bodies are the solid and one face.
///
/// ```
/// use impinge::{Pose, Shape, generate, glam::DVec3, solid::Solid};
///
/// let block = Shape::new(generate::cuboid(DVec3::splat(2.0))?);
/// let ball = Solid::ball(0.5)?;
/// let above = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
///
/// let faces = block.faces_touching(&Pose::IDENTITY, (&ball, &above(1.5)?));
/// assert_eq!(faces.len(), 2, "the two triangles of the upper side");
/// assert!(!block.touches_solid(&Pose::IDENTITY, (&ball, &above(1.500001)?)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Revolved(RevolvedHull),
    Torus { ring: f64, tube: f64 },
}

/// A mesh of a solid has at most about a million faces.
const LEAST_TOLERANCE: f64 = 1e-5;

impl Solid {
    /// The largest gap, relative to the reach of two bodies, that may count as touching. Where it matters, it is far
    /// smaller: about 1e-13 for nearly all pairs.
    pub const ERROR: f64 = 1e-8;

    /// A ball around the origin.
    pub fn ball(radius: f64) -> Result<Self, SolidError> {
        check("radius", radius)?;
        Self::hull(&[(0.0, 0.0, radius)])
    }

    /// A capsule: all points within `radius` of a segment of length `height` on the z axis, with the origin in its middle.
    pub fn capsule(radius: f64, height: f64) -> Result<Self, SolidError> {
        check("radius", radius)?;
        check("height", height)?;
        Self::hull(&[(-0.5 * height, 0.0, radius), (0.5 * height, 0.0, radius)])
    }

    /// A cylinder about the z axis, with the origin in its middle.
    pub fn cylinder(radius: f64, height: f64) -> Result<Self, SolidError> {
        Self::cone(radius, radius, height)
    }

    /// A cone, or a truncated one: a disc with the first radius at `z = −height/2`, one with the second radius at
    /// `z = height/2`, and all between them. One of the radii may be 0.
    pub fn cone(bottom: f64, top: f64, height: f64) -> Result<Self, SolidError> {
        check("height", height)?;
        check("radius", bottom.max(top))?;
        Self::hull(&[(-0.5 * height, bottom, 0.0), (0.5 * height, top, 0.0)])
    }

    /// A torus: all points within `tube` of a circle with radius `ring` about the z axis, with the origin in its middle. The
    /// tube may be wider than the ring; then there is no hole.
    pub fn torus(ring: f64, tube: f64) -> Result<Self, SolidError> {
        check("ring radius", ring)?;
        check("tube radius", tube)?;
        Ok(Self(Kind::Torus { ring, tube }))
    }

    /// Any convex solid of revolution. Its heights are measured on the z axis from the origin.
    pub fn revolved(hull: RevolvedHull) -> Self {
        Self(Kind::Revolved(hull))
    }

    fn hull(discs: &[(f64, f64, f64)]) -> Result<Self, SolidError> {
        let disc = |&(height, radius, rounding): &_| RoundedDisc { height, radius, rounding };
        let discs: Vec<RoundedDisc> = discs.iter().map(disc).collect();
        RevolvedHull::new(&discs).map(Self::revolved)
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.0
    }

    /// The solid at a pose, for many questions about it there.
    pub fn placed(&self, pose: &Pose) -> PlacedSolid {
        PlacedSolid::new(self, pose)
    }

    /// A box around the solid in its own coordinates.
    pub fn bounds(&self) -> Bounds {
        self.placed(&Pose::IDENTITY).bounds()
    }

    /// Whether a point, in the solid's own coordinates, lies in the solid or on its surface, to within [`Solid::ERROR`].
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.placed(&Pose::IDENTITY).touches(&[point; 3])
    }

    /// The volume, rounded.
    pub fn volume(&self) -> f64 {
        match self.0 {
            Kind::Revolved(hull) => profile::volume(&hull),
            Kind::Torus { ring, tube } if tube <= ring => 2.0 * PI * PI * ring * tube * tube,
            Kind::Torus { ring, tube } => {
                // The tube's disc beyond the axis is cut off, and what is left is turned about the axis.
                let root_sq = (tube - ring) * (tube + ring);
                let root = root_sq.sqrt();
                let section = tube * tube * (0.5 * PI + (ring / tube).asin()) + ring * root;
                2.0 * PI * (ring * section + 2.0 / 3.0 * root_sq * root)
            }
        }
    }

    /// A mesh in the solid's own coordinates, for pictures. Every point of it is within a tolerance of the surface.
    ///
    /// The vertices lie on the surface, up to rounding. So the mesh of a convex solid lies inside it. The mesh is closed,
    /// and its faces look outward.
    ///
    /// Fails if the tolerance is below 1e-5 of the largest distance of a point from the origin, or if the solid is so large
    /// that its vertices would exceed the [limit of a mesh](crate::mesh::MAX_COORDINATE).
    ///
    /// ```
    /// use impinge::solid::Solid;
    ///
    /// let mesh = Solid::torus(2.0, 0.5)?.to_mesh(0.01)?;
    /// assert!(mesh.faces().len() > 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_mesh(&self, chord_tolerance: f64) -> Result<Mesh, SolidError> {
        let reach = self.reach();
        let least = LEAST_TOLERANCE * reach;
        if !(chord_tolerance >= least && chord_tolerance <= 1e100) {
            return Err(SolidError::Value {
                what: "mesh tolerance",
                value: chord_tolerance,
                least,
            });
        }
        // Half of it for each of the two directions.
        let half = 0.5 * chord_tolerance;
        let outline = match self.0 {
            Kind::Revolved(hull) => outline_of_hull(&hull, half),
            Kind::Torus { ring, tube } => outline_of_torus([ring, tube], half),
        };
        let too_large = SolidError::Value { what: "size", value: reach, least: 0.0 };
        revolved(&outline, half).map_err(|_| too_large)
    }

    /// The largest distance of a point of the solid from the origin.
    fn reach(&self) -> f64 {
        match self.0 {
            Kind::Revolved(hull) => hull.reach(),
            Kind::Torus { ring, tube } => ring + tube,
        }
    }
}

/// Fails unless a measure is positive and at most 1e100.
fn check(what: &'static str, value: f64) -> Result<(), SolidError> {
    let least = f64::MIN_POSITIVE;
    match (least..=1e100).contains(&value) {
        true => Ok(()),
        false => Err(SolidError::Value { what, value, least }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solids() -> Vec<(Solid, f64)> {
        let disc = |height, radius, rounding| RoundedDisc { height, radius, rounding };
        let bead =
            RevolvedHull::new(&[disc(0.0, 0.6, 0.3), disc(1.0, 0.0, 0.2), disc(0.5, 0.1, 0.0)]);
        let bead = Solid::revolved(bead.expect("valid"));
        vec![
            (Solid::ball(2.0).expect("valid"), 32.0 / 3.0 * PI),
            (Solid::capsule(0.5, 3.0).expect("valid"), PI / 6.0 + 0.75 * PI),
            (Solid::cylinder(2.0, 3.0).expect("valid"), 12.0 * PI),
            (Solid::cone(3.0, 0.0, 4.0).expect("valid"), 12.0 * PI),
            (Solid::cone(1.0, 2.0, 3.0).expect("valid"), 7.0 * PI),
            (Solid::torus(2.0, 0.5).expect("valid"), PI * PI),
            (Solid::torus(1.0, 1.0).expect("valid"), 2.0 * PI * PI),
            (Solid::torus(1.0, 2.0).expect("valid"), f64::NAN),
            (bead, f64::NAN),
        ]
    }

    /// Six times the volume that the faces enclose.
    fn mesh_volume(mesh: &Mesh) -> f64 {
        mesh.triangles().map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
    }

    #[test]
    fn volumes_are_those_of_formulas_and_of_meshes() {
        for (solid, known) in solids() {
            let volume = solid.volume();
            assert!(
                known.is_nan() || (volume - known).abs() < 1e-12 * known,
                "{solid:?}: {volume}"
            );
            let mesh = solid.to_mesh(3e-4).expect("valid");
            mesh.check_solid().unwrap_or_else(|error| panic!("{solid:?}: {error}"));
            let of_mesh = mesh_volume(&mesh);
            assert!((of_mesh - volume).abs() < 3e-3 * volume, "{solid:?}: {of_mesh}, {volume}");
        }
    }

    /// Vertices lie on the surface, and the middles of faces within the tolerance of it.
    #[test]
    fn meshes_are_within_the_tolerance() {
        for (solid, _) in solids() {
            for tolerance in [0.2, 0.01] {
                let mesh = solid.to_mesh(tolerance).expect("valid");
                let is_within = |point: DVec3, distance: f64| {
                    let placed = solid.placed(&Pose::IDENTITY);
                    placed.distance(&[point; 3]).lower <= distance
                };
                for &vertex in mesh.positions() {
                    assert!(is_within(vertex, 1e-9), "{solid:?}: {vertex}");
                    let beyond = vertex * (1.0 + 1e-6) + vertex.with_z(0.0) * 1e-6;
                    let is_convex = matches!(solid.kind(), Kind::Revolved(_));
                    assert!(!is_convex || !is_within(beyond, 0.0) || vertex.length() < 1e-3);
                }
                for [a, b, c] in mesh.triangles() {
                    assert!(is_within((a + b + c) / 3.0, tolerance), "{solid:?}, {tolerance}");
                }
            }
        }
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(Solid::ball(0.0).is_err() && Solid::ball(f64::NAN).is_err());
        assert!(Solid::capsule(1.0, -1.0).is_err() && Solid::cylinder(1e101, 1.0).is_err());
        assert!(Solid::cone(0.0, 0.0, 1.0).is_err() && Solid::cone(1.0, -1.0, 1.0).is_err());
        assert!(Solid::torus(0.0, 1.0).is_err() && Solid::torus(1.0, f64::INFINITY).is_err());
        let ball = Solid::ball(1.0).expect("valid");
        assert!(ball.to_mesh(1e-6).is_err() && ball.to_mesh(f64::NAN).is_err());
        let error = Solid::ball(-1.0).expect_err("negative").to_string();
        assert!(error.contains("radius of a solid is -1"), "{error}");
    }
}
