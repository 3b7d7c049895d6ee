//! Path files: how a part moves, row by row. Each row displaces it from where it stands in the assembly.

use crate::{
    Error,
    error::Fault,
    format,
    number_rows::{self, Layout},
    poses::{self, pose},
    text,
};
use impinge::Pose;
use std::{fmt, path::Path};

/// The rows of a path file.
///
/// A row is a displacement in world coordinates: the row-major 3×4 matrix `[R | t]`, as in a
/// [pose file](crate::load_poses). The identity leaves a part in place. If the first line begins with the word `time`, it
/// is a header, and each row begins with a time. Rows that follow each other differ by less than half a turn, and times
/// increase.
#[derive(Clone, Debug, PartialEq)]
pub struct PathRows {
    displacements: Vec<Pose>,
    lines: Vec<usize>,
    times: Option<Vec<f64>>,
}

impl PathRows {
    /// Makes a path of displacements, and of a time for each if there are times. Row `n` counts as line `n + 1`.
    ///
    /// # Errors
    /// If there are fewer than two rows, if two rows that follow each other differ by half a turn, or if times do not
    /// increase. The message numbers rows from 1, as lines.
    pub fn new(displacements: Vec<Pose>, times: Option<Vec<f64>>) -> Result<Self, PathRowsError> {
        if displacements.len() < 2 {
            return Err(PathRowsError("a path needs at least two rows".into()));
        }
        if let Some(times) = &times {
            if times.len() != displacements.len() {
                let (times, rows) = (times.len(), displacements.len());
                return Err(PathRowsError(format!("there are {times} times for {rows} rows")));
            }
            if let Some(bad) = times.iter().position(|time| !time.is_finite()) {
                return Err(PathRowsError(format!("the time of row {} is not finite", bad + 1)));
            }
            let is_back = |pair: &[f64]| pair[1] <= pair[0];
            if let Some(row) = times.windows(2).position(is_back) {
                let [before, time] = [times[row], times[row + 1]];
                return Err(PathRowsError(format!(
                    "the time {time} of row {} is not later than {before}, that of the row before",
                    row + 2
                )));
            }
        }
        for (row, ends) in (1..).zip(displacements.windows(2)) {
            let motion = poses::motion_to_next_row(row, [ends[0], ends[1]], row + 1);
            motion.map_err(|fault| PathRowsError(fault.message))?;
        }
        let lines = (1..=displacements.len()).collect();
        Ok(Self { displacements, lines, times })
    }

    /// Reads a path file.
    ///
    /// # Errors
    /// If the file cannot be read, has fewer than two rows, or a row that is not a rotation and a translation; if two
    /// rows differ by half a turn, or a time is not later than the one before. The error names the line.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = format::read_file(path).and_then(|bytes| parse_rows(&bytes));
        read.map_err(|fault| fault.in_file(path))
    }

    /// Reads the contents of a path file; `path` is used for messages only.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn read(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        parse_rows(bytes).map_err(|fault| fault.in_file(path))
    }

    /// Returns the number of rows, which is at least two.
    pub fn row_count(&self) -> usize {
        self.displacements.len()
    }

    /// Returns the displacement of each row.
    pub fn displacements(&self) -> &[Pose] {
        &self.displacements
    }

    /// Returns the line of each row in the file, from 1.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }

    /// Returns the time of each row, if the file has times.
    pub fn times(&self) -> Option<&[f64]> {
        self.times.as_deref()
    }
}

/// Why displacements and times are not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRowsError(String);

impl fmt::Display for PathRowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PathRowsError {}

/// A time before a pose.
const TIMED: Layout = Layout {
    thing: "a row",
    things: "rows",
    numbers: "13 numbers (a time, a 3x4 matrix [R|t] by rows)",
    header: &[],
    least: 13,
};

fn parse_rows(bytes: &[u8]) -> Result<PathRows, Fault> {
    let text = text::decode(bytes)?;
    let first = text.lines().find(|line| number_rows::is_row(line)).unwrap_or_default();
    let is_header = |name: &str| name.eq_ignore_ascii_case("time");
    let has_times = number_rows::tokens(first).next().is_some_and(is_header);
    let rows = match has_times {
        // The header becomes a comment, so that lines keep their numbers.
        true => {
            let text = text.replacen(first, "#", 1);
            let row = |numbers: &[f64]| Ok((numbers[0], pose(&numbers[1..])?));
            number_rows::read::<13, _>(text.as_bytes(), &TIMED, row)
        }
        false => number_rows::read::<12, _>(bytes, &poses::LAYOUT, |row| Ok((0.0, pose(row)?))),
    }?;
    let (mut displacements, mut lines, mut times): (Vec<Pose>, _, Vec<f64>) = Default::default();
    for (number, (time, pose)) in rows {
        if let Some(&before) = displacements.last() {
            // The row cannot be reached from the one before if that takes half a turn.
            poses::motion_to_next_row(displacements.len(), [before, pose], number)?;
        }
        if let Some(&before) = times.last().filter(|before| time <= **before) {
            let message =
                format!("the time {time} is not later than {before}, that of the row before");
            return Err(Fault::line(number, message));
        }
        displacements.push(pose);
        Vec::push(&mut lines, number);
        times.extend(has_times.then_some(time));
    }
    match displacements.len() {
        0 | 1 => Err(Fault::file("a path needs at least two rows")),
        _ => Ok(PathRows { displacements, lines, times: has_times.then_some(times) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    const IDENTITY: &str = "1,0,0,0,0,1,0,0,0,0,1,0\n";
    const UP: &str = "1,0,0,0,0,1,0,0,0,0,1,5\n";

    #[test]
    fn rows_with_and_without_times() {
        let plain = parse_rows(format!("# out\n{IDENTITY}\n{UP}").as_bytes()).unwrap();
        assert_eq!((plain.row_count(), plain.lines(), plain.times()), (2, &[2, 4][..], None));
        assert_eq!(plain.displacements()[1].translation().z, 5.0);
        let timed = format!("Time,r,r,r,t\n0,{IDENTITY}2.5,{UP}");
        let timed = parse_rows(timed.as_bytes()).unwrap();
        assert_eq!(timed.times(), Some(&[0.0, 2.5][..]));
        assert_eq!(timed.displacements(), plain.displacements());
    }

    #[test]
    fn rows_from_memory_are_those_of_a_file() {
        let text = format!("time\n0,{IDENTITY}2.5,{UP}");
        let read = parse_rows(text.as_bytes()).unwrap();
        let made = PathRows::new(read.displacements.clone(), read.times.clone()).unwrap();
        assert_eq!((made.displacements(), made.times()), (read.displacements(), read.times()));
        assert_eq!(made.lines(), [1, 2]);
        let refused = |times: &[f64]| {
            let times = Some(times.to_vec());
            PathRows::new(made.displacements.clone(), times).unwrap_err().to_string()
        };
        assert!(refused(&[0.0]).contains("1 times for 2 rows"));
        assert!(refused(&[1.0, 1.0]).contains("the time 1 of row 2 is not later than 1"));
        assert!(refused(&[1.0, f64::NAN]).contains("row 2 is not finite"));
        assert!(PathRows::new(vec![Pose::IDENTITY], None).is_err());
        let half_turn = "-1,0,0,0,0,-1,0,0,0,0,1,0".split(',').map(|it| it.parse().unwrap());
        let half_turn = pose(&half_turn.collect::<Vec<f64>>()).unwrap();
        let error = PathRows::new(vec![Pose::IDENTITY, half_turn], None).unwrap_err();
        assert!(error.to_string().contains("rows 1 and 2 differ by a rotation of 180"), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        let refused = |text: &str, line: usize, part: &str| {
            let fault = parse_rows(text.as_bytes()).unwrap_err();
            assert_eq!(fault.location, Location::Line(line), "{text}");
            assert!(fault.message.contains(part), "{}", fault.message);
        };
        let half_turn = "-1,0,0,0,0,-1,0,0,0,0,1,0\n";
        refused(&format!("{IDENTITY}{UP}#\n{half_turn}"), 4, "add a row between rows 2 and 3");
        refused(&format!("time\n0,{IDENTITY}0,{UP}"), 3, "not later than 0");
        refused(&format!("time\n0,{IDENTITY}{UP}"), 3, "13 numbers");
        refused(&format!("{IDENTITY}1,{UP}"), 2, "not 13");
        refused(&format!("{IDENTITY}2,0,0,0,0,1,0,0,0,0,1,0\n"), 2, "not a rotation");
        refused(&format!("time\n0,{IDENTITY}x,{UP}"), 3, "value 1 is not a finite number");
        assert_eq!(parse_rows(IDENTITY.as_bytes()).unwrap_err().location, Location::File);
    }
}
