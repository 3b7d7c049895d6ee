//! Files of points and of rays: one per line.

use crate::{
    Error,
    number_rows::{self, Layout},
};
use glam::DVec3;
use impinge::Ray;
use std::{
    io::{self, Write},
    path::Path,
};

/// Reads points from a file: three numbers per line, separated by commas, semicolons or spaces.
///
/// The first line may be the header `x,y,z`. Empty lines and lines that start with `#` are skipped. A file without any
/// point is refused.
pub fn load_points(path: impl AsRef<Path>) -> Result<Vec<DVec3>, Error> {
    number_rows::load::<3, _>(path.as_ref(), &POINTS, point)
}

/// Reads rays from a file: the three coordinates of the origin, the three components of the direction, and optionally
/// the largest parameter that belongs to the ray.
///
/// The first line may be the header `ox,oy,oz,dx,dy,dz,t_max`, with or without its last name. Otherwise lines are as for
/// [`load_points`].
pub fn load_rays(path: impl AsRef<Path>) -> Result<Vec<Ray>, Error> {
    number_rows::load::<7, _>(path.as_ref(), &RAYS, ray)
}

/// Writes points to a stream in the format of [`load_points`]. Reading them back gives the same bits.
pub fn write_points(points: &[DVec3], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "x,y,z")?;
    points.iter().try_for_each(|point| writeln!(out, "{},{},{}", point.x, point.y, point.z))
}

/// Writes rays to a stream in the format of [`load_rays`]. Reading them back gives the same bits.
pub fn write_rays(rays: &[Ray], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "ox,oy,oz,dx,dy,dz,t_max")?;
    rays.iter().try_for_each(|ray| {
        let (from, along) = (ray.origin(), ray.direction());
        write!(out, "{},{},{},{},{},{}", from.x, from.y, from.z, along.x, along.y, along.z)?;
        match ray.t_max().is_finite() {
            true => writeln!(out, ",{}", ray.t_max()),
            false => writeln!(out),
        }
    })
}

const POINTS: Layout = Layout {
    thing: "a point",
    things: "points",
    numbers: "3 numbers (x, y, z)",
    header: &["x", "y", "z"],
    least: 3,
};

const RAYS: Layout = Layout {
    thing: "a ray",
    things: "rays",
    numbers: "6 or 7 numbers (origin, direction and, if it ends, t_max)",
    header: &["ox", "oy", "oz", "dx", "dy", "dz", "t_max"],
    least: 6,
};

fn point(numbers: &[f64]) -> Result<DVec3, String> {
    Ok(DVec3::from_slice(numbers))
}

fn ray(numbers: &[f64]) -> Result<Ray, String> {
    let (origin, direction) = (DVec3::from_slice(numbers), DVec3::from_slice(&numbers[3..]));
    let ray = Ray::new(origin, direction).and_then(|ray| match numbers.get(6) {
        Some(&t_max) => ray.up_to(t_max),
        None => Ok(ray),
    });
    ray.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, error::Fault};

    fn read_points(text: &str) -> Result<Vec<DVec3>, Fault> {
        let rows = number_rows::read::<3, _>(text.as_bytes(), &POINTS, point)?;
        Ok(rows.into_iter().map(|(_, point)| point).collect())
    }

    fn read_rays(text: &str) -> Result<Vec<Ray>, Fault> {
        let rows = number_rows::read::<7, _>(text.as_bytes(), &RAYS, ray)?;
        Ok(rows.into_iter().map(|(_, ray)| ray).collect())
    }

    #[test]
    fn a_header_is_optional() {
        let points = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 5e-3, 6.0)];
        for header in ["", "x,y,z\n", "# cloud\nX; Y; Z\n", "\u{FEFF}x y z\r\n"] {
            let text = format!("{header}1,2,3\n\n-4 5e-3;6\n");
            assert_eq!(read_points(&text).unwrap(), points, "{header:?}");
        }
        let ray = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
        for header in ["", "ox,oy,oz,dx,dy,dz\n", "ox,oy,oz,dx,dy,dz,t_max\n"] {
            let rays = read_rays(&format!("{header}0,0,0,1,0,0\n0,0,0,1,0,0,2\n")).unwrap();
            assert_eq!(rays, [ray, ray.up_to(2.0).unwrap()], "{header:?}");
        }
    }

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let points = [DVec3::new(0.1, -1e-300, 1e300), DVec3::splat(f64::from_bits(1))];
        let mut text = Vec::new();
        write_points(&points, &mut text).unwrap();
        assert_eq!(read_points(std::str::from_utf8(&text).unwrap()).unwrap(), points);
        let ray = Ray::new(points[0], points[1]).unwrap();
        let rays = [ray, ray.up_to(0.3).unwrap()];
        text.clear();
        write_rays(&rays, &mut text).unwrap();
        assert_eq!(read_rays(std::str::from_utf8(&text).unwrap()).unwrap(), rays);
    }

    #[test]
    fn errors_name_the_line() {
        fn bad<T: std::fmt::Debug>(found: Result<Vec<T>, Fault>, line: usize, part: &str) {
            let fault = found.unwrap_err();
            assert_eq!(fault.location, Location::Line(line), "{}", fault.message);
            assert!(fault.message.contains(part), "{}", fault.message);
        }
        bad(read_points("1,2,3\n1,2\n"), 2, "a point has 3 numbers (x, y, z), not 2");
        bad(read_points("1,2,3,4\n"), 1, "not 4");
        bad(read_points("y,x,z\n1,2,3\n"), 1, "value 1 is not a finite number");
        bad(read_points("1,2,3\nx,y,z\n"), 2, "value 1 is not a finite number");
        bad(read_points("x,y,z\n1,inf,3\n"), 2, "value 2 is not a finite number");
        bad(read_rays("0,0,0,0,0,0\n"), 1, "direction is zero");
        bad(read_rays("0,0,0,1,0,0\n0,0,0,1,0,0,-1\n"), 2, "at least 0");
        bad(read_rays("0,0,0,1,0\n"), 1, "6 or 7 numbers");
        assert_eq!(read_points("x,y,z\n").unwrap_err().message, "the file holds no points");
        assert_eq!(read_rays("").unwrap_err().message, "the file holds no rays");
    }
}
