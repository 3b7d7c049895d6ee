//! Pose files: one pose per line, 12 numbers, the row-major 3×4 matrix `[R | t]`.

use crate::{Error, draft::write_atomically, error::Fault, format, text};
use impinge::Pose;
use std::{
    io::{self, Write},
    path::Path,
};

/// Reads poses from a file: 12 numbers per line, separated by commas, semicolons or spaces.
///
/// Empty lines and lines that start with `#` are skipped. A file without any pose is refused.
pub fn load_poses(path: impl AsRef<Path>) -> Result<Vec<Pose>, Error> {
    let path = path.as_ref();
    let poses = format::read_file(path).and_then(|bytes| read(&bytes));
    poses.map_err(|fault| fault.in_file(path))
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

fn read(bytes: &[u8]) -> Result<Vec<Pose>, Fault> {
    let rows = rows(text::decode(bytes)?).map(|(number, line)| parse(number, line, false));
    let poses: Vec<Pose> = rows.map(|row| row.map(|(_, pose)| pose)).collect::<Result<_, _>>()?;
    if poses.is_empty() { Err(Fault::file("the file holds no poses")) } else { Ok(poses) }
}

/// The lines of a pose file with their numbers, without empty lines and comments.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_row = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    (1..).zip(text.lines()).filter(move |(_, line)| is_row(line))
}

/// The fields of a line.
pub(crate) fn fields(line: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| c == ',' || c == ';' || c.is_whitespace();
    line.split(is_mark).filter(|token| !token.is_empty())
}

/// Reads a line: a pose, and a time before it if the file has times.
pub(crate) fn parse(number: usize, line: &str, has_time: bool) -> Result<(f64, Pose), Fault> {
    let mut numbers = [0.0; 13];
    let row = if has_time { &mut numbers[..] } else { &mut numbers[1..] };
    let mut count = 0;
    for token in fields(line) {
        // A scene may name any file here, so the message must not quote its text.
        let value = token.parse::<f64>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            let message = format!(
                "value {} is not a finite number; a line of {}",
                count + 1,
                match has_time {
                    true => "this file is a time and 12 numbers",
                    false => "a pose file is 12 numbers",
                }
            );
            return Err(Fault::line(number, message));
        };
        if let Some(entry) = row.get_mut(count) {
            *entry = value;
        }
        count += 1;
    }
    if count != row.len() {
        let message = match has_time {
            true => {
                format!("a row has 13 numbers (a time, a 3x4 matrix [R|t] by rows), not {count}")
            }
            false => format!("a pose has 12 numbers (a 3x4 matrix [R|t] by rows), not {count}"),
        };
        return Err(Fault::line(number, message));
    }
    let [time, rows @ ..] = numbers;
    let pose = Pose::from_rows(rows).map_err(|error| Fault::line(number, error.to_string()))?;
    Ok((time, pose))
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
        assert_eq!(poses[0].translation().to_array(), [5.0, 6.0, 7.0]);
        assert_eq!(poses[1], Pose::IDENTITY);
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
