//! Reads USGS DEM files (`.dem`) in their classic form: text in records of 1024 bytes.
//!
//! The first record (type A) describes the grid. Then follow the profiles (type B), one for each column from west to
//! east, each with its own number of samples and its own southernmost sample. A last record (type C) describes the
//! accuracy and is not read.

use super::grid::{Direction, Grid, Horizontal, Line};
use crate::error::Fault;
use crate::text::{check_encoding, shown};

/// The length of a record, without a line end.
const RECORD: usize = 1024;

/// The number of samples in the first record of a profile, and in each further one.
const SAMPLES: [usize; 2] = [146, 170];

/// The value of missing samples.
const MISSING: i64 = -32_767;

/// Feet, and seconds of arc, in the units of a [`Grid`].
const FOOT: f64 = 0.3048;
const ARC_SECOND: f64 = 1.0 / 3600.0;

/// Returns whether bytes begin with a record of type A: its codes are whole numbers in the ranges of the standard.
pub(crate) fn is_dem(bytes: &[u8]) -> bool {
    let code = |at: usize| integer(bytes.get(at..at + 6)?);
    bytes.len() >= RECORD
        && bytes[..RECORD].is_ascii()
        && code(144).is_some_and(|level| (0..=4).contains(&level))
        && code(150).is_some_and(|pattern| (1..=2).contains(&pattern))
        && code(528).is_some_and(|unit| (0..=3).contains(&unit))
        && code(534).is_some_and(|unit| (1..=2).contains(&unit))
        && code(540) == Some(4)
}

/// Reads a USGS DEM. Lengths are in metres: files in feet are converted.
pub(super) fn read(bytes: &[u8]) -> Result<Grid, Fault> {
    check_encoding(bytes)?;
    let mut records = Records::new(bytes);
    let header = Header::read(records.next("the header")?)?;
    let mut grid = Grid {
        direction: Direction::Columns,
        step: header.step[1] * header.horizontal_unit,
        lines: Vec::new(),
        heights: Vec::new(),
        horizontal: header.horizontal,
    };
    // The south-west sample of the first profile is the origin of the numbers of lines and samples.
    let mut origin = None;
    for profile in 1..=header.profiles {
        let record = records.next(&format!("profile {profile} of {}", header.profiles))?;
        let count = record.count(12, "the number of samples")?;
        let [x, y, datum] =
            [(24, "x"), (48, "y"), (72, "the datum")].map(|(at, what)| record.number(at, 24, what));
        let (x, y, datum) = (x?, y?, datum?);
        let [x0, y0] = *origin.get_or_insert([x, y]);
        let number = record.index(24, (x - x0) / header.step[0])?;
        let first = record.index(48, (y - y0) / header.step[1])?;
        if grid.lines.last().is_some_and(|line: &Line| line.number >= number) {
            return Err(record.fault(24, "the profiles are not ordered from west to east"));
        }
        let start = grid.heights.len();
        let height = |value: i64| match value == MISSING {
            true => f64::NAN,
            false => (datum + value as f64 * header.step[2]) * header.vertical_unit,
        };
        records.samples(record, count, |value| grid.heights.push(height(value)))?;
        let unit = header.horizontal_unit;
        let samples = start..grid.heights.len();
        grid.lines.push(Line { number, first, across: x * unit, along: y * unit, samples });
    }
    Ok(grid)
}

/// The contents of the record of type A.
struct Header {
    horizontal: Horizontal,
    /// The factor for x and y: to metres or degrees.
    horizontal_unit: f64,
    /// The factor for heights: to metres.
    vertical_unit: f64,
    /// The distances of samples along x and y, and the factor for stored heights, in the units of the file.
    step: [f64; 3],
    profiles: u64,
}

impl Header {
    fn read(record: Record<'_>) -> Result<Self, Fault> {
        if record.count(150, "the pattern code")? != 1 {
            return Err(record.fault(150, "only regular grids (pattern code 1) can be read"));
        }
        let (horizontal, horizontal_unit) = match record.count(528, "the unit of x and y")? {
            0 => (Horizontal::Degrees, 1_f64.to_degrees()),
            1 => (Horizontal::Length, FOOT),
            2 => (Horizontal::Length, 1.0),
            3 => (Horizontal::Degrees, ARC_SECOND),
            code => {
                let message = format!(
                    "the unit of x and y is {code}, but must be 0 (radians), 1 (feet), 2 (metres) or 3 (arc seconds)"
                );
                return Err(record.fault(528, message));
            }
        };
        let vertical_unit = match record.count(534, "the unit of heights")? {
            1 => FOOT,
            2 => 1.0,
            code => {
                let message =
                    format!("the unit of heights is {code}, but must be 1 (feet) or 2 (metres)");
                return Err(record.fault(534, message));
            }
        };
        // Blank in many files.
        if !record.is_blank(786, 24) && record.number(786, 24, "the angle")? != 0.0 {
            return Err(record.fault(786, "a grid that is turned against its axes cannot be read"));
        }
        let mut step = [0.0; 3];
        for (axis, step) in step.iter_mut().enumerate() {
            let at = 816 + 12 * axis;
            *step = record.number(at, 12, "the resolution")?;
            if !(*step > 0.0 && *step <= 1e50) {
                return Err(
                    record.fault(at, format!("the resolution is {step}, but must be above 0"))
                );
            }
        }
        let profiles = record.count(858, "the number of profiles")?;
        Ok(Self { horizontal, horizontal_unit, vertical_unit, step, profiles })
    }
}

/// Iterates over the records of a file.
struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The length of the line end after each record; usually there is none.
    line_end: usize,
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let line_end = match bytes.get(RECORD..) {
            Some([b'\n', ..]) => 1,
            Some([b'\r', b'\n', ..]) => 2,
            _ => 0,
        };
        Self { bytes, at: 0, line_end }
    }

    /// Returns the next record, the start of `what`. The last one may lack the blanks at its end.
    fn next(&mut self, what: &str) -> Result<Record<'a>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Err(Fault::byte(self.bytes.len(), format!("the file ends before {what}")));
        }
        let record = Record { bytes: &rest[..rest.len().min(RECORD)], start: self.at };
        if let Some(at) = record.bytes.iter().position(|byte| !byte.is_ascii() || *byte == 0) {
            let message =
                format!("the byte 0x{:02X} in {what} is not ASCII text", record.bytes[at]);
            return Err(record.fault(at, message));
        }
        self.at += RECORD + self.line_end;
        Ok(record)
    }

    /// Calls `take` with the samples of a profile, whose first record is `record`.
    fn samples(
        &mut self,
        mut record: Record<'a>,
        mut count: u64,
        mut take: impl FnMut(i64),
    ) -> Result<(), Fault> {
        let rest = (self.bytes.len() - record.start) as u64;
        if count > rest / 6 {
            let message = format!("{count} samples are promised, but only {rest} bytes follow");
            return Err(record.fault(12, message));
        }
        let [mut here, further] = SAMPLES;
        let mut at = 144;
        loop {
            for _ in 0..(here as u64).min(count) {
                take(record.integer(at, "a sample")?);
                at += 6;
            }
            count -= (here as u64).min(count);
            if count == 0 {
                return Ok(());
            }
            record = self.next("the end of a profile")?;
            (here, at) = (further, 0);
        }
    }
}

/// A record of at most 1024 bytes.
#[derive(Clone, Copy)]
struct Record<'a> {
    bytes: &'a [u8],
    /// The position of the record in the file.
    start: usize,
}

impl Record<'_> {
    fn fault(&self, at: usize, message: impl Into<String>) -> Fault {
        Fault::byte(self.start + at, message)
    }

    fn field(&self, at: usize, length: usize) -> &str {
        let field = self.bytes.get(at..(at + length).min(self.bytes.len())).unwrap_or_default();
        // The bytes were checked to be ASCII.
        std::str::from_utf8(field).unwrap_or_default().trim()
    }

    fn is_blank(&self, at: usize, length: usize) -> bool {
        self.field(at, length).is_empty()
    }

    fn expected(&self, at: usize, length: usize, kind: &str, what: &str) -> Fault {
        let field = shown(self.field(at, length));
        self.fault(at, format!("expected {what}, {kind} in {length} characters, found `{field}`"))
    }

    /// Reads a whole number of six characters.
    fn integer(&self, at: usize, what: &str) -> Result<i64, Fault> {
        let field = self.bytes.get(at..(at + 6).min(self.bytes.len())).unwrap_or_default();
        integer(field).ok_or_else(|| self.expected(at, 6, "a whole number", what))
    }

    fn count(&self, at: usize, what: &str) -> Result<u64, Fault> {
        let count = self.integer(at, what)?;
        count.try_into().map_err(|_| self.fault(at, format!("{what} is {count}, below 0")))
    }

    /// Reads a number in Fortran's form, whose exponent may be written with a D.
    fn number(&self, at: usize, length: usize, what: &str) -> Result<f64, Fault> {
        let field = self.field(at, length).replace(['D', 'd'], "E");
        match field.parse::<f64>() {
            Ok(value) if value.is_finite() && value.abs() <= 1e100 => Ok(value),
            Ok(_) => Err(self.fault(at, format!("{what} is `{}`, beyond ±1e100", shown(&field)))),
            Err(_) => Err(self.expected(at, length, "a number", what)),
        }
    }

    /// Rounds a position to the nearest line or sample.
    fn index(&self, at: usize, position: f64) -> Result<i64, Fault> {
        let rounded = position.round();
        // A profile holds less than 2⁵⁰ samples, so sums with their number cannot overflow.
        match rounded.abs() < (1_u64 << 50) as f64 {
            true => Ok(rounded as i64),
            false => Err(self.fault(at, "the profile is too far from the first one")),
        }
    }
}

/// Parses a whole number of up to six characters.
fn integer(field: &[u8]) -> Option<i64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{GridCoordinates, GridOptions, geographic};
    use super::*;
    use glam::DVec3;
    use impinge::Mesh;

    /// Writes a file with these profiles: x, y, datum and samples.
    fn file(units: [u8; 2], step: [&str; 3], profiles: &[(&str, &str, &str, Vec<i64>)]) -> Vec<u8> {
        let padded = |text: &str, length: usize| format!("{text:<length$}").into_bytes();
        let [horizontal, vertical] = units;
        let codes = format!("{:6}{:6}{:6}{:6}", 1, 1, 1, 10);
        let start = format!("{:<144}{codes}{:<360}{horizontal:6}{vertical:6}{:6}", "name", "", 4);
        let [x, y, z] = step;
        let numbers = format!("{:<240}{:24}{:6}{x:>12}{y:>12}{z:>12}", "", "0.0D0", 1);
        let mut bytes = padded(&format!("{start}{numbers}{:6}{:6}", 1, profiles.len()), RECORD);
        for (number, (x, y, datum, samples)) in profiles.iter().enumerate() {
            let head = format!("{:6}{:6}{:6}{:6}", 1, number + 1, samples.len(), 1);
            let head = format!("{head}{x:>24}{y:>24}{datum:>24}{:>24}{:>24}", "0.0D0", "0.0D0");
            let (here, rest) = samples.split_at(samples.len().min(SAMPLES[0]));
            let line =
                |samples: &[i64]| samples.iter().map(|z| format!("{z:6}")).collect::<String>();
            bytes.extend(padded(&format!("{head}{}", line(here)), RECORD));
            rest.chunks(SAMPLES[1]).for_each(|rest| bytes.extend(padded(&line(rest), RECORD)));
        }
        bytes
    }

    fn mesh(bytes: &[u8]) -> Mesh {
        let mut grid = read(bytes).unwrap();
        geographic::convert(&mut grid, GridCoordinates::File).unwrap();
        grid.into_mesh(&GridOptions::default()).unwrap()
    }

    #[test]
    fn profiles_have_their_own_start_length_and_datum() {
        let long: Vec<i64> = (0..400).collect();
        let bytes = file(
            [2, 2],
            ["0.300000E+02", "10.0", "0.5"],
            &[
                ("0.5D+03", "0.1D+04", "0.0", vec![10, -32_767, 12]),
                ("530", "980", "0.2D+02", long),
            ],
        );
        assert!(is_dem(&bytes));
        let read = mesh(&bytes);
        assert_eq!(read.positions().len(), 402);
        assert_eq!(read.positions()[0], DVec3::new(500.0, 1000.0, 5.0));
        assert_eq!(read.positions()[1], DVec3::new(500.0, 1020.0, 6.0));
        assert_eq!(read.positions()[401], DVec3::new(530.0, 980.0 + 3990.0, 20.0 + 199.5));
        // The second profile starts two samples further south. The first one has the samples 0, none and 1; so each
        // of its cells has three samples, and so have the cells before its first and after its last sample.
        assert_eq!(read.faces(), [[3, 4, 0], [0, 4, 5], [5, 6, 1], [1, 6, 7]]);
        // The last record need not be padded, and records may be lines.
        let short = bytes.trim_ascii_end();
        assert_eq!(mesh(short), read);
        let lines: Vec<u8> = bytes.chunks(RECORD).flat_map(|r| [r, b"\r\n"].concat()).collect();
        assert_eq!(mesh(&lines), read);
    }

    #[test]
    fn units_are_converted() {
        let profiles = [("100", "200", "0.0", vec![1000, 2000]), ("110", "200", "0.0", vec![0, 0])];
        let feet = mesh(&file([1, 1], ["10", "10", "1"], &profiles));
        let expected = DVec3::new(100.0, 210.0, 2000.0) * FOOT;
        assert!((feet.positions()[1] - expected).length() < 1e-12);
        let seconds =
            [("-432000", "154800", "0.0", vec![0, 0]), ("-431997", "154800", "0.0", vec![0, 0])];
        let seconds = mesh(&file([3, 2], ["3", "3", "1"], &seconds));
        assert_eq!(seconds.positions()[0], DVec3::new(-120.0, 43.0, 0.0));
    }

    #[test]
    fn a_grid_that_is_not_regular_is_refused() {
        let profiles = |x: &'static str| [("0", "0", "0", vec![0]), (x, "0", "0", vec![0])];
        let good = file([2, 2], ["10", "10", "1"], &profiles("10"));
        read(&good).unwrap();
        let refused = |at: usize, field: &str| {
            let mut bytes = good.clone();
            bytes[at..at + field.len()].copy_from_slice(field.as_bytes());
            read(&bytes).unwrap_err().message
        };
        assert!(refused(150, "     2").contains("regular grids"));
        assert!(refused(786, "                   0.1D0").contains("turned"));
        assert!(refused(528, "     4").contains("unit of x and y is 4"));
        assert!(refused(816, "        -1.0").contains("resolution is -1"));
        assert!(read(&file([2, 2], ["10", "10", "1"], &profiles("-10"))).is_err());
        assert!(read(&file([2, 2], ["10", "10", "1"], &profiles("1e80"))).is_err());
    }
}
