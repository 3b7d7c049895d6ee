//! Reads ESRI ASCII grids (`.asc`): a short header, then the heights row by row from north to south.

use super::grid::{Direction, Grid, Horizontal, Line};
use crate::{
    error::Fault,
    text::{self, Lines, shown},
};

/// The keywords of the header, in lower case. `dx` and `dy` are an extension for cells that are not square.
const KEYWORDS: [&str; 10] = [
    "ncols",
    "nrows",
    "xllcorner",
    "yllcorner",
    "xllcenter",
    "yllcenter",
    "cellsize",
    "nodata_value",
    "dx",
    "dy",
];

/// Returns whether a file that starts with this word is an ESRI ASCII grid.
pub(crate) fn is_header_word(word: &[u8]) -> bool {
    [&b"ncols"[..], b"nrows"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Reads an ESRI ASCII grid.
///
/// A height is a sample at the centre of its cell.
pub(super) fn read(bytes: &[u8]) -> Result<Grid, Fault> {
    let text = text::decode(bytes)?;
    let mut header = Header::default();
    let mut lines = Lines::new(text);
    let mut values = lines.clone();
    let mut last = 1;
    for (number, line) in lines.by_ref() {
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else {
            values = values_after(&values);
            continue;
        };
        let known = KEYWORDS.iter().position(|known| keyword.eq_ignore_ascii_case(known));
        let Some(known) = known else {
            // Not even a number: more likely a misspelt keyword than a height.
            if keyword.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_nan(keyword) {
                let message = format!("`{}` is not a keyword of the header", shown(keyword));
                return Err(Fault::line(number, message));
            }
            break;
        };
        header.set(number, KEYWORDS[known], words.next(), words.next())?;
        values = values_after(&values);
        last = number;
    }
    let header = header.complete(last)?;
    let (columns, rows) = (header.columns, header.rows);
    // A height and the space after it take at least two bytes.
    let most = text.len() as u64 / 2 + 1;
    if columns.saturating_mul(rows) > most {
        return Err(Fault::line(
            last,
            format!("{columns} × {rows} heights are promised, but the file is too short for them"),
        ));
    }
    let (columns, rows) = (columns as usize, rows as usize);
    let heights = read_heights(values, columns * rows, header.missing)?;
    let lines = (0..rows).map(|row| {
        let number = (rows - 1 - row) as i64;
        let across = header.y + number as f64 * header.cell[1];
        Line {
            number,
            first: 0,
            across,
            along: header.x,
            samples: row * columns..(row + 1) * columns,
        }
    });
    Ok(Grid {
        direction: Direction::Rows,
        step: header.cell[0],
        lines: lines.collect(),
        heights,
        horizontal: Horizontal::Unknown,
    })
}

/// Returns the lines after the next one.
fn values_after<'a>(lines: &Lines<'a>) -> Lines<'a> {
    let mut after = lines.clone();
    after.next();
    after
}

fn is_nan(word: &str) -> bool {
    word.eq_ignore_ascii_case("nan")
}

/// Returns whether a value stands for a missing height: it equals `NODATA_value` in single precision, or to five
/// digits if that is larger than any height. Programs print it with different numbers of digits in the header and in
/// the rows, above all the largest number of single precision.
fn is_missing(height: f64, missing: f64) -> bool {
    height.is_nan() && missing.is_nan()
        || height as f32 == missing as f32
        || missing.abs() > 1e30 && (height / missing - 1.0).abs() < 1e-5
}

fn read_heights(lines: Lines<'_>, count: usize, missing: f64) -> Result<Vec<f64>, Fault> {
    let mut heights = Vec::with_capacity(count);
    let mut last = lines.number();
    for (number, line) in lines {
        for word in line.split_ascii_whitespace() {
            if heights.len() == count {
                let message = format!("more than the {count} heights that the header promises");
                return Err(Fault::line(number, message));
            }
            // The value of missing heights may be beyond the range of `f64`, or NaN.
            if word.parse::<f64>().is_ok_and(|height| is_missing(height, missing)) {
                heights.push(f64::NAN);
                continue;
            }
            let height = text::coordinate(number, word)?;
            if height.abs() > 1e100 {
                return Err(Fault::line(number, format!("the height {height} is beyond ±1e100")));
            }
            heights.push(height);
        }
        last = number;
    }
    match heights.len() == count {
        true => Ok(heights),
        false => Err(Fault::line(
            last.max(1),
            format!("the file ends after {} of {count} heights", heights.len()),
        )),
    }
}

/// The lines of the header that were found, in the order of [`KEYWORDS`].
#[derive(Default)]
struct Header {
    found: [Option<(usize, f64)>; KEYWORDS.len()],
}

/// The contents of a complete header.
struct Layout {
    columns: u64,
    rows: u64,
    /// The centre of the south-west cell.
    x: f64,
    y: f64,
    /// The size of a cell along x and y.
    cell: [f64; 2],
    /// The value of missing heights; may be NaN or infinite.
    missing: f64,
}

impl Header {
    fn set(
        &mut self,
        line: usize,
        keyword: &str,
        value: Option<&str>,
        more: Option<&str>,
    ) -> Result<(), Fault> {
        let fault = |message: String| Err(Fault::line(line, message));
        let Some(value) = value else { return fault(format!("`{keyword}` has no value")) };
        if let Some(more) = more {
            return fault(format!("`{}` after the value of `{keyword}`", shown(more)));
        }
        let number = match value.parse::<f64>() {
            Ok(number) if keyword == "nodata_value" => number,
            _ => text::coordinate(line, value)?,
        };
        let is_allowed = match keyword {
            "ncols" | "nrows" => number.fract() == 0.0 && (1.0..=4_294_967_295.0).contains(&number),
            "cellsize" | "dx" | "dy" => number > 0.0 && number <= 1e100,
            "nodata_value" => true,
            _ => number.abs() <= 1e100,
        };
        if !is_allowed {
            return fault(format!("`{}` is no valid value of `{keyword}`", shown(value)));
        }
        let place = KEYWORDS.iter().position(|known| *known == keyword).unwrap_or_default();
        match self.found[place].replace((line, number)) {
            None => Ok(()),
            Some((first, _)) => fault(format!("`{keyword}` is given twice, first on line {first}")),
        }
    }

    fn get(&self, keyword: &str) -> Option<f64> {
        let place = KEYWORDS.iter().position(|known| *known == keyword)?;
        self.found[place].map(|(_, value)| value)
    }

    /// Checks that nothing is missing. `last` is the last line of the header.
    fn complete(self, last: usize) -> Result<Layout, Fault> {
        let required = |keyword: &str| {
            let fault = || Fault::line(last, format!("the header has no `{keyword}`"));
            self.get(keyword).ok_or_else(fault)
        };
        let cell = match (self.get("cellsize"), self.get("dx"), self.get("dy")) {
            (Some(size), None, None) => [size; 2],
            (None, Some(dx), Some(dy)) => [dx, dy],
            (None, None, None) => {
                required("cellsize")?;
                [0.0; 2]
            }
            _ => {
                let message = "the header must have either `cellsize` or both `dx` and `dy`";
                return Err(Fault::line(last, message));
            }
        };
        let origin =
            |corner: &str, centre: &str, cell: f64| match (self.get(corner), self.get(centre)) {
                (Some(at), None) => Ok(at + 0.5 * cell),
                (None, Some(at)) => Ok(at),
                (None, None) => required(corner),
                (Some(_), Some(_)) => {
                    let message = format!("the header has both `{corner}` and `{centre}`");
                    Err(Fault::line(last, message))
                }
            };
        Ok(Layout {
            columns: required("ncols")? as u64,
            rows: required("nrows")? as u64,
            x: origin("xllcorner", "xllcenter", cell[0])?,
            y: origin("yllcorner", "yllcenter", cell[1])?,
            cell,
            missing: self.get("nodata_value").unwrap_or(-9999.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::GridOptions;
    use super::*;
    use glam::DVec3;
    use impinge::Mesh;

    fn mesh(text: &str) -> Mesh {
        read(text.as_bytes()).unwrap().into_mesh(&GridOptions::default()).unwrap()
    }

    #[test]
    fn corners_and_centres_place_the_cells() {
        let corner = "NCOLS 2\nnrows 3\nxllcorner 10\nYLLCORNER 20\ncellsize 4\n1 2\n3 4\n5 6\n";
        let centre = "ncols 2\nnrows 3\nxllcenter 12\nyllcenter 22\ndx 4\ndy 4\n1 2 3 4\n5\n6";
        assert_eq!(mesh(corner), mesh(centre));
        let mesh = mesh(corner);
        assert_eq!(mesh.positions()[0], DVec3::new(12.0, 30.0, 1.0));
        assert_eq!(mesh.positions()[5], DVec3::new(16.0, 22.0, 6.0));
        assert_eq!(mesh.faces().len(), 4);
    }

    #[test]
    fn missing_values_are_recognised() {
        let start = "ncols 2\r\nnrows 2\r\nxllcorner 0\r\nyllcorner 0\r\ncellsize 1\r\n\r\n";
        for (line, missing) in [
            ("", "-9999"),
            ("NODATA_value 0\r\n", "0.000"),
            ("nodata_value -3.40282e+38\r\n", "-3.4028234663852886e+38"),
            ("nodata_value -1.7976931348623157e308\r\n", "-1.79769313486232e+308"),
            ("nodata_value -1.79769313486232e+308\r\n", "-1.79769313486232e+308"),
            ("nodata_value NaN\r\n", "nan"),
        ] {
            let grid = read(format!("{start}{line}1 2\r\n3 {missing}").as_bytes()).unwrap();
            assert!(grid.heights[3].is_nan(), "{line}");
            assert_eq!(grid.heights[..3], [1.0, 2.0, 3.0], "{line}");
        }
        // Without `nodata_value nan`, NaN is an error; and −9999 is a height if another value is missing.
        assert!(read(format!("{start}1 2 3 nan").as_bytes()).is_err());
        let grid = read(format!("{start}nodata_value 7\n1 2 3 -9999").as_bytes()).unwrap();
        assert_eq!(grid.heights[3], -9999.0);
    }
}
