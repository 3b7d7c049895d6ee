//! Terrains: grids of heights.

use super::error::{check_count, check_faces, check_positive};
use super::surface::Surface;
use super::{GenerateError, Random};
use crate::Mesh;
use glam::{DVec2, DVec3};

/// The surface z = height(x, y) over a rectangle of the given size, centered at the origin, on a grid of
/// `columns` by `rows` cells: 2·columns·rows faces, normals upward.
///
/// The plain triangulation of an elevation grid that Klosowski (1998) flies over and mills.
/// [`terrain_height`] is a ready-made height function.
///
/// ```
/// use impinge::{generate::{terrain, terrain_height}, glam::DVec2};
///
/// let mesh = terrain(100, 80, DVec2::ONE, terrain_height(1))?;
/// assert_eq!(mesh.faces().len(), 2 * 100 * 80);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn terrain(
    columns: u32,
    rows: u32,
    size: DVec2,
    height: impl Fn(f64, f64) -> f64,
) -> Result<Mesh, GenerateError> {
    check_count("columns", columns, columns >= 1, "at least 1")?;
    check_count("rows", rows, rows >= 1, "at least 1")?;
    check_positive("size.x", size.x)?;
    check_positive("size.y", size.y)?;
    let faces = check_faces([2, columns, rows])?;

    let mut surface = Surface::with_faces(faces);
    let mut below: Vec<u32> = Vec::new();
    for row in 0..=rows {
        let y = (f64::from(row) / f64::from(rows) - 0.5) * size.y;
        let line = surface.ring((0..=columns).map(|column| {
            let x = (f64::from(column) / f64::from(columns) - 0.5) * size.x;
            DVec3::new(x, y, height(x, y))
        }));
        for (low, high) in below.windows(2).zip(line.windows(2)) {
            surface.quad([low[0], low[1], high[1], high[0]]);
        }
        below = line;
    }
    surface.finish()
}

/// Hills and valleys of all sizes down to 1/128, for a terrain of unit size. Returns a function with values
/// from 0 to 0.2.
///
/// The sum of six octaves of value noise: random heights on a grid of spacing ¼, interpolated smoothly, and
/// again on grids of half the spacing with half the height.
pub fn terrain_height(seed: u64) -> impl Fn(f64, f64) -> f64 + Clone {
    move |x, y| {
        let mut frequency = 4.0;
        let mut amplitude = 0.1;
        let mut height = 0.0;
        for octave in 0..6 {
            height += amplitude * noise(seed.wrapping_add(octave), x * frequency, y * frequency);
            frequency *= 2.0;
            amplitude *= 0.5;
        }
        height
    }
}

/// Random values in [0, 1) at integer coordinates, interpolated with continuous second derivatives.
fn noise(seed: u64, x: f64, y: f64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let blend = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (blend(x - column), blend(y - row));
    let (column, row) = (column as i64, row as i64);
    let at = |i: i64, j: i64| {
        let key = (column.wrapping_add(i) as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93)
            ^ (row.wrapping_add(j) as u64).wrapping_mul(0xA076_1D64_78BD_642F);
        // The mixing inside the generator makes neighbouring grid points independent.
        Random::new(seed.wrapping_mul(0xE703_7ED1_A0B4_28DB) ^ key).unit()
    };
    let low = at(0, 0) * (1.0 - u) + at(1, 0) * u;
    let high = at(0, 1) * (1.0 - u) + at(1, 1) * u;
    low * (1.0 - v) + high * v
}

#[cfg(test)]
mod tests {
    use super::super::check::hash;
    use super::*;

    #[test]
    fn a_terrain_covers_its_rectangle_and_faces_up() {
        let mesh = terrain(7, 5, DVec2::new(2.0, 3.0), |x, y| x * y).unwrap();
        assert_eq!(mesh.faces().len(), 70);
        assert_eq!(mesh.positions().len(), 48);
        let bounds = mesh.bounds();
        assert_eq!(bounds.min.truncate(), DVec2::new(-1.0, -1.5));
        assert_eq!(bounds.max.truncate(), DVec2::new(1.0, 1.5));
        assert!(mesh.triangles().all(|[a, b, c]| (b - a).cross(c - a).z > 0.0));
        assert!(mesh.positions().iter().all(|p| p.z == p.x * p.y));
    }

    #[test]
    fn heights_are_continuous_varied_and_bounded() {
        let height = terrain_height(3);
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for i in 0..20_000 {
            let (x, y) = (f64::from(i % 199) / 99.0 - 1.0, f64::from(i / 199) / 50.0 - 1.0);
            let h = height(x, y);
            assert!((0.0..0.2).contains(&h));
            let step = (height(x + 1e-9, y - 1e-9) - h).abs();
            assert!(step < 1e-8, "{x} {y}: {step}");
            (least, most) = (least.min(h), most.max(h));
        }
        assert!(most - least > 0.08, "{least} to {most}");
        assert_ne!(terrain_height(4)(0.1, 0.2), height(0.1, 0.2));
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let flat = |_: f64, _: f64| 0.0;
        let error = terrain(0, 1, DVec2::ONE, flat).unwrap_err();
        assert_eq!(error.to_string(), "columns is 0, but must be at least 1");
        assert!(terrain(1, 0, DVec2::ONE, flat).is_err());
        assert!(terrain(1, 1, DVec2::new(1.0, f64::INFINITY), flat).is_err());
        assert!(terrain(u32::MAX, u32::MAX, DVec2::ONE, flat).is_err());
        let not_a_number = terrain(1, 1, DVec2::ONE, |_, _| f64::NAN);
        assert!(matches!(not_a_number, Err(GenerateError::Mesh(_))));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let mesh = terrain(30, 20, DVec2::new(1.0, 0.7), terrain_height(1)).unwrap();
        assert_eq!(hash(&mesh), 0x36BC_DC0C_E250_CFA8);
    }
}
