//! Reads a path of tool tips and axes from CSV text.
//!
//! The first line is the header `x,y,z` or `x,y,z,i,j,k`. Every further line is a position of the tip and, if there are
//! six columns, the direction from the tip towards the spindle. The tool moves straight from each row to the next. The
//! command line calls this for files that [`is_csv_path`] recognises.

use super::{Move, MoveKind, Program};
use crate::{Motion, ToolPose};
use impinge::glam::DVec3;
use impinge_io::{Error, Location, excerpt};
use std::path::Path;

/// The greatest magnitude of a coordinate, in millimetres.
const GREATEST: f64 = 1e100;

/// Directions that differ by no more than this are the same: the differences are those of rounding to unit length.
const SAME: f64 = 1e-15;

/// Directions that are opposite to within this angle, in radians, do not define the plane of turning.
const OPPOSITE: f64 = 1e-9;

/// Whether a text is meant as a CSV path, and not as G-code: its first line has several fields, separated by commas,
/// semicolons or tabs, and all of them are names, or all are numbers.
///
/// No such line is G-code, which has a number behind every letter and a letter before every number. If the line is not one
/// of the two headers, [`Program::read_csv`] returns an error that states them.
pub fn is_csv_path(text: &str) -> bool {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let header = text.lines().next().unwrap_or("");
    let separators = [',', ';', '\t'];
    let fields = || header.split(separators).map(str::trim);
    let is_name =
        |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number = |field: &str| field.parse::<f64>().is_ok();
    header.contains(separators) && (fields().all(is_name) || fields().all(is_number))
}

/// The number of columns that a header announces: 3 or 6.
fn columns(header: &str) -> Option<usize> {
    let names = || header.split(',').map(str::trim);
    [&["x", "y", "z"][..], &["x", "y", "z", "i", "j", "k"]]
        .into_iter()
        .find(|expected| {
            names().count() == expected.len()
                && names()
                    .zip(*expected)
                    .all(|(name, expected)| name.eq_ignore_ascii_case(expected))
        })
        .map(<[_]>::len)
}

impl Program {
    /// Reads a path from CSV text; see the head of the file for the format. `path` is used in messages only. Coordinates
    /// are multiplied by `factor`: the number of millimetres in their unit.
    ///
    /// Every row but the first ends one move of kind [`MoveKind::Feed`], with the number of its line. A path of one row
    /// gives one move of length 0. Empty lines are skipped.
    ///
    /// ```
    /// use impinge_nc::Program;
    ///
    /// let program = Program::read_csv("x,y,z\n0,0,5\n0,0,0\n10,0,0\n", "path.csv", 1.0)?;
    /// assert_eq!(program.moves.len(), 2);
    /// assert_eq!(program.moves[1].line, 4);
    /// # Ok::<(), impinge_io::Error>(())
    /// ```
    pub fn read_csv(text: &str, path: impl AsRef<Path>, factor: f64) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let reader = Reader { path: path.as_ref(), factor };
        let mut lines = (1..).zip(text.lines());
        let header = lines.next().map_or("", |(_, header)| header);
        let columns = columns(header).ok_or_else(|| {
            let found = excerpt(header, 60);
            let message = format!(
                "the first line is `{found}`, but it must be the header x,y,z (tips of the tool) or x,y,z,i,j,k (tips, \
                 and directions of its axis), separated by commas"
            );
            reader.error(Location::Line(1), message)
        })?;
        let line_count = text.bytes().filter(|&byte| byte == b'\n').count();
        let mut program = Self::default();
        let moves = &mut program.moves;
        moves.reserve(line_count);
        let mut before: Option<(u32, ToolPose)> = None;
        for (line, row) in lines {
            if row.trim_ascii().is_empty() {
                continue;
            }
            let pose = reader.pose(line, row, columns)?;
            if let Some((_, from)) = before {
                let motion = reader.motion(line, from, pose)?;
                moves.push(Move { line, kind: MoveKind::Feed, tool: 0, motion });
            }
            before = Some((line, pose));
        }
        match before {
            None => {
                let message = "has a header but no row: add the positions of the tip".into();
                return Err(reader.error(Location::File, message));
            }
            Some((line, ToolPose { tip, axis })) if moves.is_empty() => {
                let motion = Motion::Straight { from: tip, to: tip, axis };
                moves.push(Move { line, kind: MoveKind::Feed, tool: 0, motion });
            }
            Some(_) => {}
        }
        Ok(program)
    }
}

struct Reader<'a> {
    path: &'a Path,
    factor: f64,
}

impl Reader<'_> {
    fn error(&self, location: Location, message: String) -> Error {
        Error { path: self.path.into(), location, message }
    }

    /// The pose of one row.
    fn pose(&self, line: u32, row: &str, columns: usize) -> Result<ToolPose, Error> {
        let mut numbers = [0.0; 6];
        let mut count = 0;
        for field in row.split(',') {
            if let Some(number) = numbers[..columns].get_mut(count) {
                // Lengths are scaled before the check of their magnitude; directions have no unit.
                let factor = if count < 3 { self.factor } else { 1.0 };
                *number = field.trim_ascii().parse().map_or(f64::NAN, |x: f64| x * factor);
                if !(-GREATEST..=GREATEST).contains(number) {
                    return Err(self.bad_number(line, row, field));
                }
            }
            count += 1;
        }
        if count != columns {
            let message = format!("the row has {count} columns, but the header has {columns}");
            return Err(self.error(Location::Line(line as usize), message));
        }
        let [x, y, z, i, j, k] = numbers;
        let tip = DVec3::new(x, y, z);
        if columns == 3 {
            return Ok(ToolPose { tip, axis: DVec3::Z });
        }
        let axis = DVec3::new(i, j, k);
        let greatest = axis.abs().max_element();
        // Scaled first, so that squares neither overflow nor vanish.
        let axis = (axis / greatest).normalize();
        if !axis.is_finite() {
            let message =
                "the direction i,j,k is zero: it must point from the tip towards the spindle";
            return Err(self.error(Location::Line(line as usize), message.into()));
        }
        Ok(ToolPose { tip, axis })
    }

    #[cold]
    fn bad_number(&self, line: u32, row: &str, field: &str) -> Error {
        let byte = field.as_ptr() as usize - row.as_ptr() as usize;
        let byte = byte + field.len() - field.trim_ascii_start().len();
        let column = 1 + row.get(..byte).map_or(0, |before| before.chars().count());
        let found = excerpt(field.trim_ascii(), 40);
        let message = format!("`{found}` is not a number from -1e100 to 1e100");
        self.error(Location::Character { line: line as usize, column }, message)
    }

    fn motion(&self, line: u32, from: ToolPose, to: ToolPose) -> Result<Motion, Error> {
        let difference = (from.axis - to.axis).abs().max_element();
        if difference <= SAME {
            return Ok(Motion::Straight { from: from.tip, to: to.tip, axis: from.axis });
        }
        if (from.axis + to.axis).length() <= OPPOSITE {
            let message = "the direction i,j,k is opposite to the one of the row before, so the plane \
                           of turning is not defined: add a row between them";
            return Err(self.error(Location::Line(line as usize), message.into()));
        }
        Ok(Motion::Tilting { from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Program {
        Program::read_csv(text, "path.csv", 1.0).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn message(text: &str) -> String {
        Program::read_csv(text, "path.csv", 1.0).expect_err(text).to_string()
    }

    #[test]
    fn rows_are_ends_of_straight_moves() {
        let program = read("\u{FEFF}X, Y ,z\r\n0,0,5\r\n\r\n 1 , -2e1,3\r\n7,8,9\r\n\r\n\r\n");
        let lines: Vec<_> = program.moves.iter().map(|found| found.line).collect();
        assert_eq!(lines, [4, 5]);
        assert!(program.moves.iter().all(|found| found.kind == MoveKind::Feed));
        let Motion::Straight { from, to, axis } = program.moves[0].motion else {
            panic!("{:?}", program.moves[0])
        };
        assert_eq!((from, to), (DVec3::new(0.0, 0.0, 5.0), DVec3::new(1.0, -20.0, 3.0)));
        assert_eq!(axis, DVec3::Z);
    }

    #[test]
    fn a_turning_axis_tilts() {
        let program = read("x,y,z,i,j,k\n0,0,0,0,0,2\n1,0,0,0,0,1e-200\n2,0,0,3,0,4\n");
        assert!(matches!(program.moves[0].motion, Motion::Straight { axis: DVec3::Z, .. }));
        let Motion::Tilting { from, to } = program.moves[1].motion else {
            panic!("{:?}", program.moves[1])
        };
        assert_eq!((from.axis, from.tip.x, to.tip.x), (DVec3::Z, 1.0, 2.0));
        assert!(to.axis.distance(DVec3::new(0.6, 0.0, 0.8)) < 1e-15);
    }

    #[test]
    fn one_row_is_one_move_and_inches_are_converted() {
        let program = Program::read_csv("x,y,z,i,j,k\n1,2,3,1,0,0", "path.csv", 25.4).unwrap();
        assert_eq!((program.moves.len(), program.moves[0].line), (1, 2));
        let Motion::Straight { from, to, axis } = program.moves[0].motion else { panic!() };
        assert_eq!((from, to), (to, DVec3::new(25.4, 50.8, 3.0 * 25.4)));
        assert_eq!(axis, DVec3::X);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("", "path.csv:1: the first line is ``, but it must be the header x,y,z (tips"),
            ("x,y\n", "path.csv:1: the first line is `x,y`, but it must be the header x,y,z (tips"),
            ("1,2,3\n", "path.csv:1: the first line is `1,2,3`, but it must be the header x,y,z"),
            ("x,y,z\n", "path.csv: has a header but no row"),
            ("x,y,z\n1,2\n", "path.csv:2: the row has 2 columns, but the header has 3"),
            ("x,y,z\n1,2,3,4\n", "path.csv:2: the row has 4 columns, but the header has 3"),
            ("x,y,z\n1,2,3\n1, NaN,2", "path.csv:3:4: `NaN` is not a number from -1e100 to 1e100"),
            ("x,y,z\n1,2,-2e100\n", "path.csv:2:5: `-2e100` is not a number"),
            ("x,y,z\n1,,3\n", "path.csv:2:3: `` is not a number"),
            ("x,y,z,i,j,k\n1,2,3,0,0,0\n", "path.csv:2: the direction i,j,k is zero"),
            ("x,y,z,i,j,k\n1,2,3,0,0,inf\n", "path.csv:2:11: `inf` is not a number"),
            (
                "x,y,z,i,j,k\n1,2,3,0,0,1\n1,2,3,0,0,-3\n",
                "path.csv:3: the direction i,j,k is opposite to the one of the row before",
            ),
        ] {
            let found = message(text);
            assert!(found.starts_with(expected), "{text:?}: {found}");
        }
        assert!(Program::read_csv("x,y,z\n1,2,3\n", "path.csv", f64::NAN).is_err());
    }

    #[test]
    fn the_header_is_recognised() {
        for text in ["x,y,z\n1,2", "\u{FEFF}X,Y,Z", " x , y , z , I,J,K \r\n"] {
            assert!(is_csv_path(text), "{text:?}");
            assert!(!message(text).contains("header x,y,z"), "{text:?}");
        }
        // Paths with a wrong header. As G-code, their error would be about a missing number.
        for text in ["x,y", "x,y,z,i", "x;y;z", "x,y,z,a,b,c", "1,2,3\n4,5,6", "X\tY\tZ"] {
            assert!(is_csv_path(text), "{text:?}");
            assert!(message(text).contains("must be the header x,y,z"), "{text:?}");
        }
        for text in
            ["", "G0 X0", "%\nx,y,z", "G\t21", "M2;end", "(a,b)", ";x,y,z", "X1,2", "%", "1"]
        {
            assert!(!is_csv_path(text), "{text:?}");
        }
    }
}
