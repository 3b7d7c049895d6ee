//! OFF, the Object File Format of Geomview, as text.

use crate::{
    Model,
    error::Fault,
    polygon::triangulate,
    text::{self, Lines, shown},
};
use glam::DVec3;
use impinge::Mesh;

/// Reads `OFF` and its kin with normals (`N`), colours (`C`) and texture coordinates (`ST`).
///
/// A vertex and a face take a line each. The format's grammar would allow them to be broken
/// anywhere, but then a file that carries colours without saying so (many do) would be read wrong
/// without a word; by lines, whatever does not fit its counts is found.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    refuse_binary(bytes)?;
    let text = text::decode(bytes)?;
    let mut reader = Reader { lines: Lines::new(text) };
    let (vertices, faces) = reader.header()?;
    let positions = reader.positions(vertices)?;
    let faces = reader.faces(faces, &positions)?;
    if let Some((line, _)) = reader.next() {
        return Err(Fault::line(line, "more lines than the header's counts promise"));
    }
    Ok(Model::from_mesh(name, Mesh::new(positions, faces)?))
}

/// The binary variant says so in its first line, and the rest is no text.
fn refuse_binary(bytes: &[u8]) -> Result<(), Fault> {
    let end = bytes.iter().take(80).position(|&byte| byte == b'\n' || byte == b'\r');
    let line = &bytes[..end.unwrap_or(bytes.len().min(80))];
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (Some(word), Some(b"BINARY")) if word.ends_with(b"OFF") => {
            Err(Fault::line(1, "binary OFF is not read; save it as text"))
        }
        _ => Ok(()),
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
}

/// The lines that say something, without comments.
impl<'a> Iterator for Reader<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.lines.find_map(|(line, content)| {
            let comment = memchr::memchr(b'#', content.as_bytes()).unwrap_or(content.len());
            let content = content[..comment].trim_ascii();
            (!content.is_empty()).then_some((line, content))
        })
    }
}

impl Reader<'_> {
    /// The line to blame where the file ends too early.
    fn last_line(&self) -> usize {
        self.lines.number().max(1)
    }

    /// The numbers of vertices and faces, which the rest of the file is long enough to hold.
    fn header(&mut self) -> Result<(usize, usize), Fault> {
        let Some((line, content)) = self.next() else {
            return Err(Fault::line(self.last_line(), "expected the header `OFF`, found nothing"));
        };
        let (keyword, counts) = match content.find(|c: char| c.is_ascii_whitespace()) {
            Some(end) => (&content[..end], content[end..].trim_ascii_start()),
            None => (content, ""),
        };
        check_header(line, keyword)?;
        let (line, counts) = match counts {
            "" => self.next().ok_or_else(|| {
                Fault::line(
                    self.last_line(),
                    "the file ends before the counts of vertices and faces",
                )
            })?,
            counts => (line, counts),
        };
        let mut numbers = [0_u64; 3];
        let mut given = 0;
        for token in counts.split_ascii_whitespace() {
            let number = token.parse().map_err(|_| {
                Fault::line(
                    line,
                    format!("`{}` is not a count of vertices, faces or edges", shown(token)),
                )
            })?;
            if given == 3 {
                return Err(Fault::line(line, "more than three counts (vertices, faces, edges)"));
            }
            numbers[given] = number;
            given += 1;
        }
        if given < 2 {
            return Err(Fault::line(
                line,
                "expected the counts of vertices, faces and edges in one line",
            ));
        }
        // The edges are never needed, and some programs leave them out or write 0.
        let [vertices, faces, _] = numbers;
        // `0 0 0` and a line end for a vertex, `3 0 0 0` for a face; the last line may lack its end.
        let least = vertices.saturating_mul(6).saturating_add(faces.saturating_mul(8));
        let rest = self.lines.rest().len() as u64;
        if least > rest + 1 {
            let message = format!(
                "{vertices} vertices and {faces} faces are promised, but only {rest} bytes follow"
            );
            return Err(Fault::line(line, message));
        }
        if vertices > u64::from(u32::MAX) {
            return Err(Fault::line(line, "more than 4294967295 vertices"));
        }
        Ok((vertices as usize, faces as usize))
    }

    fn positions(&mut self, count: usize) -> Result<Vec<DVec3>, Fault> {
        let mut positions = Vec::with_capacity(count);
        for vertex in 0..count {
            let Some((line, content)) = self.next() else {
                let message = format!("the file ends after {vertex} of {count} vertices");
                return Err(Fault::line(self.last_line(), message));
            };
            let mut tokens = content.split_ascii_whitespace();
            let mut position = DVec3::ZERO;
            for axis in 0..3 {
                let Some(token) = tokens.next() else {
                    let message =
                        format!("a vertex needs 3 coordinates on its line, this one has {axis}");
                    return Err(Fault::line(line, message));
                };
                position[axis] = text::coordinate(line, token)?;
            }
            // A normal (3), a colour (up to 4), texture coordinates (2).
            check_extras(line, tokens, 9, "vertex")?;
            positions.push(text::position(line, vertex, position)?);
        }
        Ok(positions)
    }

    fn faces(&mut self, count: usize, positions: &[DVec3]) -> Result<Vec<[u32; 3]>, Fault> {
        let mut faces = Vec::with_capacity(self.count_triangles());
        let mut corners = Vec::new();
        for face in 0..count {
            let Some((line, content)) = self.next() else {
                let message = format!("the file ends after {face} of {count} faces");
                return Err(Fault::line(self.last_line(), message));
            };
            let fault = |message: String| Fault::line(line, message);
            let mut tokens = content.split_ascii_whitespace();
            let token = tokens.next().unwrap_or_default();
            let size: usize = token
                .parse()
                .map_err(|_| fault(format!("`{}` is not a number of corners", shown(token))))?;
            if size < 3 {
                return Err(fault(format!("a face needs at least 3 corners, this one has {size}")));
            }
            corners.clear();
            // Two characters a corner: what is promised beyond that is missed below.
            corners.reserve_exact(size.min(content.len() / 2));
            for token in tokens.by_ref().take(size) {
                let vertex = token
                    .parse::<u64>()
                    .map_err(|_| fault(format!("`{}` is not a vertex number", shown(token))))?;
                if vertex >= positions.len() as u64 {
                    let vertices = positions.len();
                    return Err(fault(format!(
                        "a face names vertex {vertex}, but there are {vertices}, numbered from 0"
                    )));
                }
                corners.push(vertex as u32);
            }
            if corners.len() < size {
                let found = corners.len();
                return Err(fault(format!("a face of {size} corners names only {found}")));
            }
            check_extras(line, tokens, 4, "face")?;
            triangulate(&corners, positions, &mut faces);
        }
        Ok(faces)
    }

    /// How many triangles the rest of the file holds, or more if it is wrong, but never more than
    /// its length allows. Polygons make it more than the count of faces.
    fn count_triangles(&self) -> usize {
        let rest = Reader { lines: self.lines.clone() };
        let corners = |content: &str| {
            let size: usize = content.split_ascii_whitespace().next()?.parse().ok()?;
            Some(size.min(content.len() / 2).saturating_sub(2))
        };
        rest.filter_map(|(_, content)| corners(content)).sum()
    }
}

fn check_header(line: usize, keyword: &str) -> Result<(), Fault> {
    let letters = keyword.strip_suffix("OFF").map(|letters| {
        let letters = letters.strip_prefix("ST").unwrap_or(letters);
        let letters = letters.strip_prefix('C').unwrap_or(letters);
        letters.strip_prefix('N').unwrap_or(letters)
    });
    let message = match letters {
        Some("") => return Ok(()),
        Some("4" | "n" | "4n") => {
            format!("`{keyword}` has vertices in four or more dimensions; only three are read")
        }
        _ => match keyword.strip_prefix("OFF") {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("`{}`: a space is missing after `OFF`", shown(keyword))
            }
            _ => format!("expected the header `OFF`, found `{}`", shown(keyword)),
        },
    };
    Err(Fault::line(line, message))
}

/// What may follow on a vertex's or a face's line is not used, but must be a few numbers.
fn check_extras<'a>(
    line: usize,
    tokens: impl Iterator<Item = &'a str>,
    most: usize,
    what: &str,
) -> Result<(), Fault> {
    for (extra, token) in tokens.enumerate() {
        if extra == most {
            return Err(Fault::line(line, format!("too many numbers for one {what}")));
        }
        if token.parse::<f64>().is_err() {
            return Err(Fault::line(line, format!("`{}` is not a number", shown(token))));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

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
        ] {
            let text = format!("{head}{SQUARE}\n4 0 1 2 3 # end");
            assert_eq!(faces(&text), [[0, 1, 2], [0, 2, 3]], "{head}");
        }
        let coloured = format!("OFF\n4 2 0\n{}", SQUARE.replace('\n', " 255 128 0 255\r"));
        assert_eq!(faces(&format!("{coloured}3 0 1 2 0.5 0.5 0.5\r3 2 3 0 7")).len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let with_face = |face: &str| format!("OFF\n4 1 0\n{SQUARE}{face}");
        let vertex = |vertex: &str| format!("OFF\n1 0 0\n{vertex} ");
        let cases = [
            (String::new(), 1, "expected the header `OFF`, found nothing"),
            ("# only\n".into(), 1, "expected the header `OFF`, found nothing"),
            ("4 1 0\n".into(), 1, "expected the header `OFF`, found `4`"),
            ("OFF8 6 12\n".into(), 1, "`OFF8`: a space is missing after `OFF`"),
            ("off\n1 1 0\n".into(), 1, "expected the header `OFF`, found `off`"),
            ("4OFF\n".into(), 1, "`4OFF` has vertices in four or more dimensions"),
            ("CnOFF\n3\n".into(), 1, "`CnOFF` has vertices in four or more dimensions"),
            ("OFF BINARY\n\0\0\0\u{1}".into(), 1, "binary OFF is not read; save it as text"),
            ("OFF\n".into(), 1, "the file ends before the counts"),
            (
                "OFF\n3\n4\n".into(),
                2,
                "expected the counts of vertices, faces and edges in one line",
            ),
            ("OFF\n3 4 5 6\n".into(), 2, "more than three counts"),
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
            (vertex("0 0 0\n0 0 0"), 4, "more lines than the header's counts promise"),
            (
                "OFF\n3 0 0\n0.00 0.00 0.00\n0 0 0\n".into(),
                4,
                "the file ends after 2 of 3 vertices",
            ),
            ("OFF\n1 2 0\n0 0 0\n3 0 0 0\n# 3 0 0 0".into(), 5, "the file ends after 1 of 2 faces"),
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
            assert_eq!(fault.place, Place::Line(if early { 2 } else { line }), "{text:?}");
        }
    }
}
