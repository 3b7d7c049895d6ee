//! A bowl with a flat floor, as of a vibratory feeder.

use super::GenerateError;
use super::error::{check_count, check_faces, check_measure, check_positive};
use super::surface::Surface;
use super::turn::circle;
use crate::Mesh;

/// Rings of the floor, and of the wall above it.
const FLOOR_RINGS: u32 = 4;
const WALL_RINGS: u32 = 4;
/// The radius of the floor, as a share of that of the rim.
const FLOOR: f64 = 0.8;

/// A round bowl about the z axis, open towards +z: 20·sides faces, closed, normals outward.
///
/// The floor inside is flat, at z = 0, with a radius of 0.8 `radius`. The wall rises evenly from there to the rim inside,
/// which is `height` above the floor and has the given radius. Wall and floor are `thickness` thick.
///
/// ```
/// let bowl = impinge::generate::bowl(10.0, 3.0, 0.5, 48)?;
/// assert_eq!(bowl.faces().len(), 20 * 48);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn bowl(radius: f64, height: f64, thickness: f64, sides: u32) -> Result<Mesh, GenerateError> {
    check_positive("radius", radius)?;
    check_positive("height", height)?;
    check_measure("thickness", thickness, thickness > 0.0, "a finite number above 0")?;
    check_count("sides", sides, sides >= 3, "at least 3")?;
    let mut surface = Surface::with_faces(check_faces([20, sides])?);
    let floor = FLOOR * radius;
    // From the middle below, along the outside up to the rim, and inside down to the middle of the floor.
    let outside = [(floor + thickness, -thickness), (radius + thickness, height)];
    let wall = (0..WALL_RINGS).map(|ring| {
        let share = f64::from(ring) / f64::from(WALL_RINGS);
        (radius + (floor - radius) * share, height * (1.0 - share))
    });
    let ground = (0..FLOOR_RINGS)
        .map(|ring| (floor * (1.0 - f64::from(ring) / f64::from(FLOOR_RINGS)), 0.0));
    let rings: Vec<Vec<u32>> = outside
        .into_iter()
        .chain(wall)
        .chain(ground)
        .map(|(radius, z)| surface.ring(circle(sides).map(|at| (at * radius).extend(z))))
        .collect();
    let bottom = surface.vertex(glam::DVec3::new(0.0, 0.0, -thickness));
    let middle = surface.vertex(glam::DVec3::ZERO);
    surface.fan_below(&rings[0], bottom);
    rings.windows(2).for_each(|pair| surface.strip(&pair[0], &pair[1]));
    surface.fan_above(&rings[rings.len() - 1], middle);
    surface.finish()
}
