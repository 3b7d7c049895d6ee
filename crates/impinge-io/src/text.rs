//! Decoding, line splitting and number parsing for the readers of text formats.

use crate::error::Fault;
use glam::DVec3;
use impinge::MeshError;

/// Returns the bytes of a file as text, without a byte-order mark.
///
/// UTF-16 and UTF-32 are refused by name; otherwise the error names the line of the first byte that is not UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    check_encoding(bytes)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let message =
            format!("the byte 0x{:02X} is not UTF-8 text; save the file as UTF-8", bytes[byte]);
        Fault::line(line_of(&bytes[..byte]), message)
    })?;
    match text.find('\0') {
        Some(byte) => Err(Fault::line(line_of(&bytes[..byte]), "a zero byte in a text file")),
        None => Ok(text),
    }
}

/// Refuses UTF-16 and UTF-32, which are recognised by their byte-order mark or their zero bytes.
pub(crate) fn check_encoding(bytes: &[u8]) -> Result<(), Fault> {
    let name = match *bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => "UTF-32",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "UTF-16",
        [b, 0, 0, 0, ..] | [0, 0, 0, b, ..] if b.is_ascii_graphic() => "UTF-32",
        [0, b, ..] | [b, 0, ..] if b.is_ascii_graphic() => "UTF-16",
        _ => return Ok(()),
    };
    Err(Fault::line(1, format!("the text is in {name}; save it as UTF-8")))
}

/// Returns the line number, from 1, of the byte that follows `before`, with the line ends of [`Lines`].
fn line_of(before: &[u8]) -> usize {
    let breaks = |(at, &byte): (usize, &u8)| {
        byte == b'\n' || byte == b'\r' && before.get(at + 1) != Some(&b'\n')
    };
    1 + before.iter().enumerate().filter(|&pair| breaks(pair)).count()
}

/// Iterator over the lines of a text, numbered from 1. A line ends with LF, CR LF or a single CR.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text, number: 0 }
    }

    /// Returns the number of the line read last; 0 before the first line.
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let bytes = self.rest.as_bytes();
        let end = memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
        let skip = match bytes[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + skip..];
        Some((self.number, line))
    }
}

/// Parses a coordinate: a finite decimal number.
pub(crate) fn coordinate(line: usize, token: &str) -> Result<f64, Fault> {
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => {
            Err(Fault::line(line, format!("`{}` is {value}, not a finite number", shown(token))))
        }
        Err(_) => Err(Fault::line(line, format!("`{}` is not a number", shown(token)))),
    }
}

/// Checks a vertex position as `Mesh::new` does, so that the error can name the line.
pub(crate) fn position(line: usize, vertex: usize, position: DVec3) -> Result<DVec3, Fault> {
    MeshError::check_position(vertex, position)
        .map(|()| position)
        .map_err(|error| Fault::line(line, error.to_string()))
}

/// Returns a token of a file for use in an error message: at most 40 characters, all printable.
pub(crate) fn shown(token: &str) -> String {
    let mut shown: String = token.chars().take(40).flat_map(char::escape_debug).collect();
    if token.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    #[test]
    fn lines_end_in_three_ways() {
        let lines: Vec<_> = Lines::new("a\nb\r\n\rc\n\nd").collect();
        assert_eq!(lines, [(1, "a"), (2, "b"), (3, ""), (4, "c"), (5, ""), (6, "d")]);
        assert_eq!(Lines::new("a\n").count(), 1);
        assert_eq!(Lines::new("").count(), 0);
    }

    #[test]
    fn encodings_are_refused_by_name_or_line() {
        let refused = |bytes: &[u8]| {
            let Fault { location, message } = decode(bytes).unwrap_err();
            (location, message)
        };
        let utf16 = (Location::Line(1), "the text is in UTF-16; save it as UTF-8".to_owned());
        assert_eq!(refused(b"\xFF\xFEv\0 \0"), utf16);
        assert_eq!(refused(b"v\0 \x001\0"), utf16);
        for utf32 in [b"\xFF\xFE\0\0v\0\0\0", b"v\0\0\0 \0\0\0", b"\0\0\0v\0\0\0 "] {
            assert!(refused(utf32).1.contains("UTF-32"));
        }
        let (location, message) = refused(b"# ok\r\n# caf\xE9\n");
        assert_eq!(location, Location::Line(2));
        assert!(message.starts_with("the byte 0xE9 is not UTF-8"), "{message}");
        assert_eq!(refused(b"a\rb\r\nc\0").0, Location::Line(3));
    }

    #[test]
    fn one_byte_order_mark_is_skipped() {
        assert_eq!(decode(b"\xEF\xBB\xBFv 1").unwrap(), "v 1");
        // A file of many byte-order marks must not overflow the stack.
        let marks = b"\xEF\xBB\xBF".repeat(100_000);
        assert_eq!(decode(&marks).unwrap().chars().count(), 99_999);
    }

    #[test]
    fn coordinates_are_finite_numbers() {
        for (token, value) in [("1", 1.0), ("-2.", -2.0), ("+.5e1", 5.0), ("4.9e-324", 5e-324)] {
            assert_eq!(coordinate(1, token).unwrap(), value);
        }
        for token in ["nan", "NaN", "inf", "-Infinity", "1e999", "3.1+e2", "1,5", "0x1", "", "1_0"]
        {
            assert_eq!(coordinate(7, token).unwrap_err().location, Location::Line(7), "{token}");
        }
        assert_eq!(shown(&"x\n".repeat(30)).chars().count(), 61);
    }
}
