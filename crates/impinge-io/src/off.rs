//! Reads OFF, the Object File Format of Geomview, in its text form.

use crate::{
    Model,
    error::Fault,
    polygon::triangulate,
    text::{self, shown},
};
use glam::DVec3;
use impinge::Mesh;

/// Reads `OFF` and its variants with normals (`N`), colours (`C`) and texture coordinates (`ST`).
///
/// In OFF, numbers may be spread over lines in any way; only the colour of a face ends with its line. Many files
/// break this rule: their vertices carry colours that the header does not declare. So if the file has exactly one line
/// per vertex and per face, it is first read line by line, and everything on the line of a vertex belongs to the vertex.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    refuse_binary(bytes)?;
    let text = text::decode(bytes)?;
    let mut reader = Reader { text, at: 0, line: 1, by_lines: false };
    let header = reader.header()?;
    let mesh = if reader.content_lines() == header.vertices as u64 + header.faces as u64 {
        let by_lines = Reader { by_lines: true, ..reader }.mesh(&header);
        // If both layouts fail, report the error of the more likely one.
        by_lines.or_else(|fault| reader.mesh(&header).map_err(|_| fault))?
    } else {
        reader.mesh(&header)?
    };
    Ok(Model::from_mesh(name, mesh))
}

/// Refuses binary OFF: its first line says `BINARY`, and the rest is not text.
fn refuse_binary(bytes: &[u8]) -> Result<(), Fault> {
    let end = bytes.iter().take(80).position(|&byte| byte == b'\n' || byte == b'\r');
    let line = &bytes[..end.unwrap_or(bytes.len().min(80))];
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (Some(word), Some(b"BINARY")) if word.to_ascii_uppercase().ends_with(b"OFF") => {
            Err(Fault::line(1, "binary OFF cannot be read; save the file as text"))
        }
        _ => Ok(()),
    }
}

/// The counts and the vertex layout from the header.
struct Header {
    vertices: usize,
    faces: usize,
    /// The number of values after the coordinates of a vertex.
    extras: usize,
}

/// Iterates over the words of the text, without comments.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The line of the word read last.
    line: usize,
    /// Whether every vertex and every face ends with its line.
    by_lines: bool,
}

impl<'a> Reader<'a> {
    /// Returns the next word, on this line or a later one.
    fn next(&mut self) -> Option<&'a str> {
        loop {
            let word = self.next_in_line();
            if word.is_some() || !self.end_line() {
                return word;
            }
        }
    }

    /// Returns the next word of this line; `None` at the end of the line.
    #[inline]
    fn next_in_line(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let ends = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\n' | b'\x0C'..=b'\r' | b'#');
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        (self.at > start).then(|| &self.text[start..self.at])
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\x0C') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }

    /// Returns the next word of a vertex or face.
    #[inline]
    fn next_of_item(&mut self) -> Option<&'a str> {
        match self.next_in_line() {
            None if !self.by_lines => self.next(),
            word => word,
        }
    }

    /// Skips the rest of the line. Returns `false` at the end of the file.
    fn end_line(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        // LF, CR and CR LF all end a line.
        self.at += match rest[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        };
        let more = self.at < self.text.len();
        self.line += usize::from(more);
        more
    }

    /// Returns the number of remaining lines that hold a word.
    fn content_lines(mut self) -> u64 {
        let mut lines = 0;
        loop {
            self.skip_blanks();
            let next = self.text.as_bytes().get(self.at);
            lines += u64::from(!matches!(next, None | Some(b'\n' | b'\r' | b'#')));
            if !self.end_line() {
                return lines;
            }
        }
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::line(self.line, message)
    }

    /// Reads up to the first vertex. Checks that the rest of the file is long enough for the declared counts.
    fn header(&mut self) -> Result<Header, Fault> {
        let start = *self;
        let Some(keyword) = self.next() else {
            return Err(self.fault("expected the header `OFF`, found nothing"));
        };
        let extras = match keyword.parse::<u64>() {
            // Some programs omit the keyword; then three counts must follow.
            Ok(_) => {
                let mut counts = start;
                if (0..3).any(|_| counts.next().is_none_or(|word| word.parse::<u64>().is_err())) {
                    return Err(not_a_header(self.line, keyword));
                }
                *self = start;
                0
            }
            Err(_) => declared_extras(self.line, keyword)?,
        };
        let vertices = self.count()?;
        let line = self.line;
        let faces = self.count()?;
        self.skip_edge_count(line)?;
        let line = self.line;
        // Shortest texts: `0 0 0` and a separator per vertex, `3 0 0 0` and a separator per face; the last separator is optional.
        let least = vertices.saturating_mul(6).saturating_add(faces.saturating_mul(8));
        let mut after = *self;
        let first = after.next().map_or(0, str::len);
        let rest = self.text.len() - after.at + first;
        if least > rest as u64 + 1 {
            let message = format!(
                "{vertices} vertices and {faces} faces are promised, but only {rest} bytes follow"
            );
            return Err(Fault::line(line, message));
        }
        if vertices > u64::from(u32::MAX) {
            return Err(Fault::line(line, "more than 4294967295 vertices"));
        }
        Ok(Header { vertices: vertices as usize, faces: faces as usize, extras })
    }

    fn count(&mut self) -> Result<u64, Fault> {
        let Some(word) = self.next() else {
            return Err(self.fault("the file ends before the counts of vertices, faces and edges"));
        };
        word.parse().map_err(|_| {
            let word = shown(word);
            self.fault(format!("`{word}` is not a count of vertices, faces or edges"))
        })
    }

    /// Skips the number of edges, which is not needed.
    ///
    /// Some programs omit it. That is assumed if the two other counts, which start on `line`, are alone on their line and
    /// the next line is not a single whole number.
    fn skip_edge_count(&mut self, line: usize) -> Result<(), Fault> {
        let mut next = *self;
        if line == self.line && next.next_in_line().is_none() {
            let word = next.next();
            let alone = next.next_in_line().is_none();
            if !alone || word.is_none_or(|word| word.parse::<u64>().is_err()) {
                return Ok(());
            }
        }
        self.count().map(|_| ())
    }

    fn mesh(mut self, header: &Header) -> Result<Mesh, Fault> {
        let positions = self.positions(header)?;
        let faces = self.faces(header.faces, &positions)?;
        if self.next().is_some() {
            return Err(self.fault("more numbers than the header's counts promise"));
        }
        Ok(Mesh::new(positions, faces)?)
    }

    fn positions(&mut self, header: &Header) -> Result<Vec<DVec3>, Fault> {
        let count = header.vertices;
        let mut positions = Vec::with_capacity(count);
        for vertex in 0..count {
            let mut word = self.next();
            let mut position = DVec3::ZERO;
            for axis in 0..3 {
                let Some(word) = word.take().or_else(|| self.next_of_item()) else {
                    return Err(self.fault(match self.by_lines && axis > 0 {
                        true => {
                            format!("a vertex needs 3 coordinates on its line, this one has {axis}")
                        }
                        false => format!("the file ends after {vertex} of {count} vertices"),
                    }));
                };
                position[axis] = text::coordinate(self.line, word)?;
            }
            positions.push(text::position(self.line, vertex, position)?);
            if self.by_lines {
                // A normal (3), a colour (up to 4), texture coordinates (2).
                self.skip_rest_of_line(9, "vertex")?;
                continue;
            }
            for _ in 0..header.extras {
                let Some(word) = self.next() else {
                    let message = format!("the file ends within vertex {vertex} of {count}");
                    return Err(self.fault(message));
                };
                self.check_number(word)?;
            }
        }
        Ok(positions)
    }

    fn faces(&mut self, count: usize, positions: &[DVec3]) -> Result<Vec<[u32; 3]>, Fault> {
        let (triangles, most_corners) = self.measure_faces(count);
        let mut faces = Vec::with_capacity(triangles);
        let mut corners = Vec::with_capacity(most_corners);
        for face in 0..count {
            let Some(word) = self.next() else {
                return Err(self.fault(format!("the file ends after {face} of {count} faces")));
            };
            let size: usize = word
                .parse()
                .map_err(|_| self.fault(format!("`{}` is not a number of corners", shown(word))))?;
            if size < 3 {
                let message = format!("a face needs at least 3 corners, this one has {size}");
                return Err(self.fault(message));
            }
            corners.clear();
            for found in 0..size {
                let Some(word) = self.next_of_item() else {
                    let message = format!("a face of {size} corners names only {found}");
                    return Err(self.fault(message));
                };
                corners.push(self.corner(word, positions.len())?);
            }
            self.skip_rest_of_line(4, "face")?;
            triangulate(&corners, positions, &mut faces);
        }
        Ok(faces)
    }

    fn corner(&self, word: &str, vertices: usize) -> Result<u32, Fault> {
        // Nearly all indices have a few digits, for which general parsing is slow.
        if word.len() < 10 && word.bytes().all(|byte| byte.is_ascii_digit()) {
            let vertex =
                word.bytes().fold(0, |vertex, digit| 10 * vertex + u32::from(digit - b'0'));
            if (vertex as usize) < vertices {
                return Ok(vertex);
            }
        }
        match word.parse::<u64>() {
            Ok(vertex) if vertex < vertices as u64 => Ok(vertex as u32),
            Ok(vertex) => Err(self.fault(format!(
                "a face names vertex {vertex}, but there are {vertices}, numbered from 0"
            ))),
            Err(_) => Err(self.fault(format!("`{}` is not a vertex number", shown(word)))),
        }
    }

    /// Returns upper bounds for the number of triangles of all faces and for the corners of the largest face, so that memory
    /// is allocated once. Invalid faces cannot raise the bounds above what their text could hold.
    fn measure_faces(mut self, count: usize) -> (usize, usize) {
        let (mut triangles, mut most) = (0, 0);
        for _ in 0..count {
            let Some(Ok(size)) = self.next().map(str::parse::<usize>) else { break };
            let start = self.at;
            if !self.by_lines {
                let _ = (0..size).take_while(|_| self.next().is_some()).count();
            }
            let more = self.end_line();
            // A corner takes at least a space and a digit.
            let corners = size.min((self.at - start) / 2);
            triangles += corners.saturating_sub(2);
            most = most.max(corners);
            if !more {
                break;
            }
        }
        (triangles, most)
    }

    /// Skips the optional values at the end of a vertex's or a face's line, after checking that they are at most `most` numbers.
    fn skip_rest_of_line(&mut self, most: usize, what: &str) -> Result<(), Fault> {
        let mut extras = 0;
        while let Some(word) = self.next_in_line() {
            if extras == most {
                return Err(self.fault(format!("too many numbers for one {what}")));
            }
            self.check_number(word)?;
            extras += 1;
        }
        Ok(())
    }

    fn check_number(&self, word: &str) -> Result<(), Fault> {
        match word.parse::<f64>() {
            Ok(_) => Ok(()),
            Err(_) => Err(self.fault(format!("`{}` is not a number", shown(word)))),
        }
    }
}

/// Returns the number of values after the coordinates of a vertex that the keyword declares: `STCNOFF`, any of whose
/// prefixes may be missing, in this order. Only `OFF` itself may be in lower case, because `nOFF` differs from `NOFF`.
fn declared_extras(line: usize, keyword: &str) -> Result<usize, Fault> {
    let (mut letters, end) =
        keyword.split_at_checked(keyword.len().wrapping_sub(3)).unwrap_or(("", keyword));
    if !end.eq_ignore_ascii_case("OFF") {
        return Err(not_a_header(line, keyword));
    }
    let mut extras = 0;
    for (prefix, numbers) in [("ST", 2), ("C", 4), ("N", 3)] {
        if let Some(rest) = letters.strip_prefix(prefix) {
            letters = rest;
            extras += numbers;
        }
    }
    match letters {
        "" => Ok(extras),
        "4" | "n" | "4n" => Err(Fault::line(
            line,
            format!("`{keyword}` has vertices in four or more dimensions; only three are read"),
        )),
        _ => Err(not_a_header(line, keyword)),
    }
}

fn not_a_header(line: usize, keyword: &str) -> Fault {
    let shown = shown(keyword);
    let glued = keyword
        .strip_prefix("OFF")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    Fault::line(
        line,
        match glued {
            true => format!("`{shown}`: a space is missing after `OFF`"),
            false => format!("expected the header `OFF`, found `{shown}`"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

    fn faces(text: &str) -> Vec<[u32; 3]> {
        let model = read(text.as_bytes(), "stem").unwrap();
        assert_eq!(model.parts[0].name, "stem");
        assert_eq!(model.meshes[0].positions()[2], DVec3::new(1.0, 1.0, 0.0));
        model.meshes[0].faces().to_vec()
    }

    #[test]
    fn headers_and_layouts() {
        for head in [
            "OFF\n4 1 0\n",
            "OFF\n4 1\n",
            "# a comment\n\n  OFF # and one\n\n4 1 4 # more\n",
            "OFF 4 1 0\n",
            "COFF\n4 1 0\n",
            "STCNOFF 4 1 0\n",
            "\u{FEFF}NOFF\r\n4 1 0\r\n",
            "off\n4 1 0\n",
            "COff 4 1 0\n",
            "4 1 0\n",
            "# no keyword\n4 1 0 ",
            "4\n1\n0\n",
            "OFF\n4\n1 0\n",
            "OFF\n4 1\n0 # edges\n",
        ] {
            let text = format!("{head}{SQUARE}\n4 0 1 2 3 # end");
            assert_eq!(faces(&text), [[0, 1, 2], [0, 2, 3]], "{head}");
        }
        let coloured = format!("OFF\n4 2 0\n{}", SQUARE.replace('\n', " 255 128 0 255\r"));
        assert_eq!(faces(&format!("{coloured}3 0 1 2 0.5 0.5 0.5\r3 2 3 0 7")).len(), 2);
    }

    #[test]
    fn numbers_may_be_spread_over_lines_in_any_way() {
        let square = [[0, 1, 2], [0, 2, 3]];
        for text in [
            "OFF 4 1 0 0 0 0 1 0 0 1 1 0 0 1 0 4 0 1 2 3",
            "OFF\n4 1 0\n0 0 0  1 0 0\n1 1 0  0 1 0\n4 0 1 2 3",
            "OFF 4 1 0\n0\n0\n0 1 # x\r\n0 0 1 1 0\r0 1\n\n0\n4\n0\n1 2\n3 255 0 0\n",
            // The number of lines equals the number of vertices and faces, but some have two lines and some share one.
            "OFF\n4 1 0\n0 0\n0 1 0 0\n1 1 0 0\n1 0\n4 0 1 2 3\n",
            "NOFF\n4 1 0\n0 0 0\n0 0 1\n1 0 0\n0 0 1\n1 1 0\n0 0 1\n0 1 0\n0 0 1\n4 0 1 2 3",
            "STCOFF 4 1 0 0 0 0 1 1 1 1 .5 .5 1 0 0 1 1 1 1 .5 .5\n1 1 0 1 1 1 1 .5\n.5\n\
             0 1 0 1 1 1 1 .5 .5 4 0 1 2 3",
        ] {
            assert_eq!(faces(text), square, "{text}");
        }
        // A colour ends with its line; the next line starts another face.
        let two = "OFF 4 2 0 0 0 0 1 0 0 1 1 0 0 1 0 3 0\n1 2 9 9 9 1\n3 0 2\n3";
        assert_eq!(faces(two), square);
    }

    #[test]
    fn errors_name_the_line() {
        let with_face = |face: &str| format!("OFF\n4 1 0\n{SQUARE}{face}");
        let vertex = |vertex: &str| format!("OFF\n1 0 0\n{vertex} ");
        let cases = [
            (String::new(), 1, "expected the header `OFF`, found nothing"),
            ("# only\n".into(), 1, "expected the header `OFF`, found nothing"),
            ("4 1\n".into(), 1, "expected the header `OFF`, found `4`"),
            ("4 1 0.5\n".into(), 1, "expected the header `OFF`, found `4`"),
            ("é\n1 1 0\n".into(), 1, "expected the header `OFF`, found `é`"),
            ("OFF8 6 12\n".into(), 1, "`OFF8`: a space is missing after `OFF`"),
            ("noff\n1 1 0\n".into(), 1, "`noff` has vertices in four or more dimensions"),
            ("XOFF\n1 1 0\n".into(), 1, "expected the header `OFF`, found `XOFF`"),
            ("4OFF\n".into(), 1, "`4OFF` has vertices in four or more dimensions"),
            ("CnOFF\n3\n".into(), 1, "`CnOFF` has vertices in four or more dimensions"),
            (
                "OFF BINARY\n\0\0\0\u{1}".into(),
                1,
                "binary OFF cannot be read; save the file as text",
            ),
            ("OFF\n".into(), 1, "the file ends before the counts"),
            ("OFF\n3\n4\n".into(), 3, "the file ends before the counts"),
            ("OFF\n3\n4\n0.5 1 2\n".into(), 4, "`0.5` is not a count"),
            ("OFF\n-3 4 5\n".into(), 2, "`-3` is not a count"),
            ("OFF\n1e3 4 5\n".into(), 2, "`1e3` is not a count"),
            (
                "OFF\n99999999999 1 0\n0 0 0\n".into(),
                2,
                "99999999999 vertices and 1 faces are promised, but only 6 bytes follow",
            ),
            (
                "OFF\n1 18446744073709551615 0\n0 0 0\n".into(),
                2,
                "1 vertices and 18446744073709551615 faces are promised",
            ),
            (vertex("1 2"), 3, "1 vertices and 0 faces are promised, but only 4 bytes follow"),
            (vertex("1.0 2.0"), 3, "a vertex needs 3 coordinates on its line, this one has 2"),
            (vertex("1 2 nan"), 3, "`nan` is NaN, not a finite number"),
            (vertex("1 2 -2e100"), 3, "vertex 0 has the z coordinate -2e100"),
            (vertex("1 2 3 x"), 3, "`x` is not a number"),
            (vertex("1 2 3 1 2 3 1 2 3 4 5 6 7"), 3, "too many numbers for one vertex"),
            (vertex("0 0 0\n0 0 0"), 4, "more numbers than the header's counts promise"),
            (
                "OFF\n3 0 0\n0.00 0.00 0.00\n0 0 0\n".into(),
                4,
                "the file ends after 2 of 3 vertices",
            ),
            ("OFF\n1 2 0\n0 0 0\n3 0 0 0\n# 3 0 0 0".into(), 5, "the file ends after 1 of 2 faces"),
            ("OFF 2 0 0 0 0\n0 1\n\nx 1".into(), 4, "`x` is not a number"),
            ("OFF 2 0 0 0 0\n0 1\n\n11111 ".into(), 4, "the file ends after 1 of 2 vertices"),
            ("NOFF 1 0 0 0 0 0\n1 1".into(), 2, "the file ends within vertex 0 of 1"),
            ("OFF 1 1 0 0 0 0\n3 0 0\n\n7".into(), 4, "a face names vertex 7, but there are 1"),
            ("OFF 1 1 0 0 0 0\n\n 4 0 0 \n0".into(), 4, "a face of 4 corners names only 3"),
            (with_face("2 0 1 # 5 6"), 7, "a face needs at least 3 corners, this one has 2"),
            (with_face("4 0 1 2 "), 7, "a face of 4 corners names only 3"),
            (with_face("99999999999 0 1 2"), 7, "a face of 99999999999 corners names only 3"),
            (with_face("x 0 1 2 "), 7, "`x` is not a number of corners"),
            (with_face("3 0 1 4 "), 7, "a face names vertex 4, but there are 4, numbered from 0"),
            (with_face("3 0 1 -1"), 7, "`-1` is not a vertex number"),
            (with_face("3 0 1 2 red"), 7, "`red` is not a number"),
            (with_face("3 0 1 2 1 2 3 4 5"), 7, "too many numbers for one face"),
        ];
        for (text, line, message) in cases {
            let fault = read(text.as_bytes(), "stem").unwrap_err();
            assert!(fault.message.starts_with(message), "{text:?}: {}", fault.message);
            let early = fault.message.contains("are promised");
            assert_eq!(fault.location, Location::Line(if early { 2 } else { line }), "{text:?}");
        }
    }
}
