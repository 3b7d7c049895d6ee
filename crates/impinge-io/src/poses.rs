//! Pose files: one pose per line, 12 numbers, the row-major 3×4 matrix `[R | t]`.

use crate::{
    Error,
    draft::write_atomically,
    error::Fault,
    format,
    number_rows::{self, Layout},
};
use impinge::{Motion, MotionError, Pose};
use std::{
    io::{self, Write},
    path::Path,
};

/// Reads poses from a file: 12 numbers per line, separated by commas, semicolons or spaces.
///
/// Empty lines and lines that start with `#` are skipped. A file without any pose is refused.
pub fn load_poses(path: impl AsRef<Path>) -> Result<Vec<Pose>, Error> {
    number_rows::load::<12, _>(path.as_ref(), &LAYOUT, pose)
}

/// Reads poses as [`load_poses`] does, for a body that does not turn: every pose must have the rotation of the first one,
/// with equal numbers. The error about another rotation names its line.
pub fn load_translations(path: impl AsRef<Path>) -> Result<Vec<Pose>, Error> {
    let path = path.as_ref();
    let poses = format::read_file(path).and_then(|bytes| translations(&read(&bytes)?));
    poses.map_err(|fault| fault.in_file(path))
}

fn translations(rows: &[(usize, Pose)]) -> Result<Vec<Pose>, Fault> {
    let poses: Vec<Pose> = rows.iter().map(|(_, pose)| *pose).collect();
    match first_turned(&poses) {
        None => Ok(poses),
        Some(row) => Err(Fault::line(
            rows[row].0,
            format!(
                "row {} has another rotation than row 1, but only translations are allowed: give all rows the same first \
                 three columns of the matrix",
                row + 1
            ),
        )),
    }
}

/// The place of the first pose whose rotation differs from that of the first one, in any bit but the sign of zeros.
pub fn first_turned(poses: &[Pose]) -> Option<usize> {
    poses.iter().position(|pose| pose.rotation() != poses[0].rotation())
}

pub(crate) const LAYOUT: Layout = Layout {
    thing: "a pose",
    things: "poses",
    numbers: "12 numbers (a 3x4 matrix [R|t] by rows)",
    header: &[],
    least: 12,
};

pub(crate) fn pose(numbers: &[f64]) -> Result<Pose, String> {
    let rows = std::array::from_fn(|i| numbers[i]);
    Pose::from_rows(rows).map_err(|error| error.to_string())
}

/// Reads poses as [`load_poses`] does, and returns the motions from each of them to the next, by rotations of less than
/// half a turn.
///
/// Refuses a file with one pose. The error about two poses that differ by half a turn names the line of the second.
pub fn load_motions(path: impl AsRef<Path>) -> Result<Vec<Motion>, Error> {
    let path = path.as_ref();
    let motions = format::read_file(path).and_then(|bytes| motions(&read(&bytes)?));
    motions.map_err(|fault| fault.in_file(path))
}

fn motions(poses: &[(usize, Pose)]) -> Result<Vec<Motion>, Fault> {
    if poses.len() < 2 {
        return Err(Fault::file("the file holds one pose; a motion needs at least two"));
    }
    let motion = |(row, ends): (usize, &[(usize, Pose)])| {
        let [(_, start), (line, end)] = [ends[0], ends[1]];
        motion_to_next_row(row, [start, end], line)
    };
    (1..).zip(poses.windows(2)).map(motion).collect()
}

/// The motion from a row of a file, numbered from 1, to the next, which is in the given line.
pub(crate) fn motion_to_next_row(
    row: usize,
    [start, end]: [Pose; 2],
    line: usize,
) -> Result<Motion, Fault> {
    Motion::between(start, end).map_err(|error| {
        let rows = format!("rows {row} and {}", row + 1);
        let message = match error {
            MotionError::HalfTurn { degrees } => format!(
                "{rows} differ by a rotation of {degrees} degrees, and half a turn or more is ambiguous: add a row \
                 between {rows}"
            ),
            error => format!("{rows}: {error}"),
        };
        Fault::line(line, message)
    })
}

/// Writes poses in the format of [`load_poses`]. Reading them back gives the same bits.
pub fn save_poses(path: impl AsRef<Path>, poses: &[Pose]) -> Result<(), Error> {
    write_atomically(path, |out| write_poses(poses, out))
}

/// Writes poses to a stream in the format of [`load_poses`].
pub fn write_poses(poses: &[Pose], out: &mut dyn Write) -> io::Result<()> {
    poses.iter().try_for_each(|pose| {
        let numbers = pose.to_rows().map(|number| number.to_string());
        writeln!(out, "{}", numbers.join(","))
    })
}

/// Returns each pose with the number of its line.
fn read(bytes: &[u8]) -> Result<Vec<(usize, Pose)>, Fault> {
    number_rows::read::<12, _>(bytes, &LAYOUT, pose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    #[test]
    fn commas_and_spaces_comments_and_empty_lines() {
        let text = "# a\n\n1,0,0,5, 0,1,0,6, 0,0,1,7\r\n1 0 0 0 0 1 0 0 0 0 1 0\n";
        let poses = read(text.as_bytes()).unwrap();
        assert_eq!(poses.len(), 2);
        assert_eq!(poses[0].1.translation().to_array(), [5.0, 6.0, 7.0]);
        assert_eq!(poses[1], (4, Pose::IDENTITY));
    }

    #[test]
    fn motions_lead_from_pose_to_pose() {
        let good = "1,0,0,0,0,1,0,0,0,0,1,0\n";
        let turned = "-1,0,0,0,0,-1,0,0,0,0,1,0\n";
        let of = |text: &str| motions(&read(text.as_bytes()).unwrap());
        let two = of(&format!("{good}\n{}{good}", good.replacen("1,0,0,0", "1,0,0,5", 1))).unwrap();
        assert_eq!(two.len(), 2);
        assert_eq!((two[0].end().translation().x, two[1].start()), (5.0, two[0].end()));
        let fault = of(&format!("# half a turn\n{good}\n{turned}")).unwrap_err();
        assert_eq!(fault.location, Location::Line(4));
        let parts = ["180 degrees", "add a row between rows 1 and 2"];
        assert!(parts.iter().all(|part| fault.message.contains(part)), "{}", fault.message);
        assert!(of(good).unwrap_err().message.contains("one pose"));
    }

    #[test]
    fn translations_have_one_rotation() {
        let [still, moved, turned] = [
            "0,-1,0,0,1,0,0,0,0,0,1,0\n",
            "0,-1,0,5,1,0,0,6,0,-0,1,7\n",
            "-1,0,0,0,0,-1,0,0,0,0,1,0\n",
        ];
        let of = |text: &str| translations(&read(text.as_bytes()).unwrap());
        assert_eq!(of(&format!("{still}{moved}")).unwrap().len(), 2);
        let fault = of(&format!("# a turn\n{still}{moved}\n{turned}{still}")).unwrap_err();
        assert_eq!(fault.location, Location::Line(5));
        assert!(fault.message.starts_with("row 3 has another rotation"), "{}", fault.message);
        assert_eq!(of(still).unwrap().len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        let bad = |text: &str, line: usize, part: &str| {
            let fault = read(text.as_bytes()).unwrap_err();
            assert_eq!(fault.location, Location::Line(line), "{text}");
            assert!(fault.message.contains(part), "{}", fault.message);
        };
        let good = "1,0,0,0,0,1,0,0,0,0,1,0\n";
        bad(&format!("{good}1,2,3\n"), 2, "not 3");
        bad(&format!("{good}{}", good.replace("0\n", "x\n")), 2, "value 12 is not a finite number");
        bad(&good.replace("1,0,0,0,0", "2,0,0,0,0"), 1, "not a rotation");
        bad(&good.replace("0\n", "nan\n"), 1, "value 12 is not a finite number");
        bad(&good.replace('\n', ",4\n"), 1, "not 13");
        // The message must not quote the text of the file.
        let secret = read(b"user:secret:0\n").unwrap_err().message;
        assert!(!secret.contains("secret") && secret.starts_with("value 1 "), "{secret}");
        assert_eq!(read(b"# none\n").unwrap_err().message, "the file holds no poses");
    }
}
