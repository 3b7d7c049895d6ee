//! Converts grids in degrees to metres.

use super::{
    GridCoordinates,
    grid::{Direction, Grid, Horizontal},
};
use crate::error::Fault;

/// The semi-major axis of the WGS 84 ellipsoid, in metres.
const MAJOR: f64 = 6_378_137.0;

/// The square of the eccentricity of the WGS 84 ellipsoid.
const ECCENTRICITY_SQ: f64 = 0.006_694_379_990_141_316;

/// Converts the coordinates of a grid, if they are degrees and `wanted` asks for metres.
///
/// The centre of the grid becomes the origin. Along each axis, degrees are multiplied by the length of a degree at
/// the centre, on the WGS 84 ellipsoid: x = N·cos φ₀·(λ − λ₀) and y = M·(φ − φ₀), with the radii of curvature M along
/// the meridian and N across it. So the grid stays a grid. Lengths from west to east are exact at the latitude of the
/// centre; a degree away from it they are wrong by 1.7 % times the tangent of the latitude.
pub(super) fn convert(grid: &mut Grid, wanted: GridCoordinates) -> Result<(), Fault> {
    match (grid.horizontal, wanted) {
        (_, GridCoordinates::File)
        | (Horizontal::Length, GridCoordinates::Auto)
        | (Horizontal::Unknown, GridCoordinates::Auto) => return Ok(()),
        (Horizontal::Length, GridCoordinates::Geographic) => {
            return Err(Fault::file("the header says that x and y are lengths, not degrees"));
        }
        (Horizontal::Degrees, _) | (Horizontal::Unknown, GridCoordinates::Geographic) => {}
    }
    let mut across = Extent::EMPTY;
    let mut along = Extent::EMPTY;
    for line in grid.lines.iter().filter(|line| !line.samples.is_empty()) {
        across.add(line.across);
        along.add(line.along);
        along.add(line.along + (line.samples.len() - 1) as f64 * grid.step);
    }
    let (longitude, latitude) = match grid.direction {
        Direction::Rows => (along, across),
        Direction::Columns => (across, along),
    };
    for (extent, name, most) in [(longitude, "longitude", 540.0), (latitude, "latitude", 90.0)] {
        // Samples of the outermost cells may lie half a cell beyond the pole.
        let slack = 0.01 * (extent.max - extent.min).abs();
        if extent.min < -most - slack || extent.max > most + slack {
            return Err(Fault::file(format!(
                "the {name} is {} to {} degrees: the coordinates are not degrees",
                extent.min, extent.max
            )));
        }
    }
    let (x_scale, y_scale) = metres_per_degree(latitude.centre());
    let (across_scale, along_scale) = match grid.direction {
        Direction::Rows => (y_scale, x_scale),
        Direction::Columns => (x_scale, y_scale),
    };
    for line in &mut grid.lines {
        line.across = (line.across - across.centre()) * across_scale;
        line.along = (line.along - along.centre()) * along_scale;
    }
    grid.step *= along_scale;
    grid.horizontal = Horizontal::Length;
    Ok(())
}

/// Returns the lengths of a degree of longitude and of a degree of latitude, in metres, at a latitude in degrees.
fn metres_per_degree(latitude: f64) -> (f64, f64) {
    let angle = latitude.to_radians();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let w = 1.0 - ECCENTRICITY_SQ * sin * sin;
    let across = MAJOR / libm::sqrt(w);
    let along = MAJOR * (1.0 - ECCENTRICITY_SQ) / (w * libm::sqrt(w));
    // Not negative at the pole, where rounding may leave a cosine below zero.
    let degree = 1_f64.to_radians();
    (degree * across * cos.max(0.0), degree * along)
}

#[derive(Clone, Copy)]
struct Extent {
    min: f64,
    max: f64,
}

impl Extent {
    const EMPTY: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn add(&mut self, value: f64) {
        (self.min, self.max) = (self.min.min(value), self.max.max(value));
    }

    /// Returns the middle; 0 if nothing was added.
    fn centre(self) -> f64 {
        if self.min > self.max { 0.0 } else { (self.min + self.max) * 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::Line;
    use super::*;

    #[test]
    fn a_degree_has_its_known_length() {
        // Values for WGS 84 from published tables, in metres.
        for (latitude, longitude_degree, latitude_degree) in [
            (0.0, 111_319.49, 110_574.28),
            (30.0, 96_486.28, 110_852.43),
            (45.0, 78_846.81, 111_131.75),
            (60.0, 55_800.00, 111_412.24),
            (-60.0, 55_800.00, 111_412.24),
        ] {
            let (x, y) = metres_per_degree(latitude);
            assert!((x - longitude_degree).abs() < 1.0, "{latitude}: {x}");
            assert!((y - latitude_degree).abs() < 1.0, "{latitude}: {y}");
        }
        assert!(metres_per_degree(90.0).0 < 1e-9);
    }

    fn grid(horizontal: Horizontal, at: f64) -> Grid {
        let line = |number: i64| Line {
            number,
            first: 0,
            across: 10.0 + number as f64,
            along: at,
            samples: 3 * number as usize..3 * number as usize + 3,
        };
        Grid {
            direction: Direction::Columns,
            step: 0.5,
            lines: (0..3).map(line).collect(),
            heights: vec![0.0; 9],
            horizontal,
        }
    }

    #[test]
    fn the_centre_becomes_the_origin() {
        let mut degrees = grid(Horizontal::Degrees, 44.5);
        convert(&mut degrees, GridCoordinates::Auto).unwrap();
        let (x, y) = metres_per_degree(45.0);
        assert_eq!(degrees.lines[0].across, -x);
        assert_eq!(degrees.lines[1].across, 0.0);
        assert_eq!((degrees.lines[0].along, degrees.step), (-0.5 * y, 0.5 * y));
    }

    #[test]
    fn only_degrees_are_converted() {
        let (auto, file) = (GridCoordinates::Auto, GridCoordinates::File);
        let geographic = GridCoordinates::Geographic;
        for (horizontal, wanted, is_converted) in [
            (Horizontal::Degrees, file, false),
            (Horizontal::Degrees, geographic, true),
            (Horizontal::Length, auto, false),
            (Horizontal::Unknown, auto, false),
            (Horizontal::Unknown, geographic, true),
        ] {
            let mut grid = grid(horizontal, 44.5);
            convert(&mut grid, wanted).unwrap();
            assert_eq!(grid.step != 0.5, is_converted, "{horizontal:?} {wanted:?}");
        }
        let refused =
            |horizontal, at| convert(&mut grid(horizontal, at), geographic).unwrap_err().message;
        assert!(refused(Horizontal::Length, 44.5).contains("lengths, not degrees"));
        assert!(refused(Horizontal::Unknown, 4_380_220.0).contains("not degrees"));
    }
}
