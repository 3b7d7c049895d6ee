//! Reads text STL: `solid … facet … endsolid`, once or several times.
//!
//! The words may be spread over lines in any way. Only names end with their line. Because some programs write no line ends
//! at all, a name also ends where a facet or the end of the solid follows.

use super::is_space;
use crate::{
    error::Fault,
    model::{Model, ModelPart},
    text,
};
use glam::{DAffine3, DVec3};
use impinge::Mesh;
use std::{iter, ops::Range, sync::Arc};

/// Reads a text file: one part per solid that has facets.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    let text = text::decode(bytes)?;
    let mut words = Words { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut positions = Vec::new();
    let mut solids = Vec::new();
    while let Some(word) = words.next() {
        if !is(word, "solid") {
            return Err(words.unexpected(word, "`solid` or the end of the file"));
        }
        let title = words.title();
        let first = positions.len();
        solid(&mut words, &mut positions)?;
        if positions.len() > first {
            solids.push((title, first..positions.len()));
        }
    }
    if u32::try_from(positions.len()).is_err() {
        return Err(Fault::file("more vertices than can be numbered in 32 bits"));
    }
    let faces =
        (0..positions.len() as u32 / 3).map(|face| [0, 1, 2].map(|corner| 3 * face + corner));
    let faces = faces.collect();
    Ok(Model { meshes: vec![Arc::new(Mesh::new(positions, faces)?)], parts: parts(&solids, name) })
}

fn parts(solids: &[(&[u8], Range<usize>)], name: &str) -> Vec<ModelPart> {
    let named = |(number, (title, vertices)): (usize, &(&[u8], Range<usize>))| ModelPart {
        name: match title.is_empty() {
            false => String::from_utf8_lossy(title).into_owned(),
            true if solids.len() == 1 => name.to_owned(),
            true => format!("{name} {}", number + 1),
        },
        mesh: 0,
        faces: iter::once(vertices.start as u32 / 3..vertices.end as u32 / 3).collect(),
        transform: DAffine3::IDENTITY,
    };
    solids.iter().enumerate().map(named).collect()
}

/// Reads the facets of a solid, up to and including `endsolid` and the name after it.
fn solid(words: &mut Words<'_>, positions: &mut Vec<DVec3>) -> Result<(), Fault> {
    loop {
        match words.next() {
            Some(word) if is(word, "facet") => facet(words, positions)?,
            Some(word) if is(word, "endsolid") => {
                words.skip_closing_name();
                return Ok(());
            }
            Some(word) => return Err(words.unexpected(word, "`facet` or `endsolid`")),
            None => return Err(words.ended("`endsolid`")),
        }
    }
}

fn facet(words: &mut Words<'_>, positions: &mut Vec<DVec3>) -> Result<(), Fault> {
    words.expect("normal")?;
    for _ in 0..3 {
        // The normal is not used. Some programs write `-nan(ind)` or `1.#QNAN`, so anything like a number is accepted.
        let word = words.next().ok_or_else(|| words.ended("a facet's normal"))?;
        if !matches!(word[0], b'0'..=b'9' | b'+' | b'-' | b'.' | b'n' | b'N' | b'i' | b'I') {
            return Err(words.unexpected(word, "a number of the facet's normal"));
        }
    }
    words.expect("outer")?;
    words.expect("loop")?;
    for _ in 0..3 {
        words.expect("vertex")?;
        let position = DVec3::new(words.coordinate()?, words.coordinate()?, words.coordinate()?);
        positions.push(text::position(words.line, positions.len(), position)?);
    }
    words.expect("endloop")?;
    words.expect("endfacet")
}

fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

/// Iterates over the words of a file, with the line of the last one.
#[derive(Clone, Copy)]
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let word = self.next_in_line();
            if word.is_some() || self.at == self.bytes.len() {
                return word;
            }
            // LF, CR and CR LF all end a line.
            self.at += if self.bytes[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
            self.line += 1;
        }
    }

    /// Returns the next word of this line; `None` at the end of the line.
    fn next_in_line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let blank = |&byte: &u8| is_space(byte) && byte != b'\n' && byte != b'\r';
        let start = rest.iter().position(|byte| !blank(byte)).unwrap_or(rest.len());
        let rest = &rest[start..];
        let length = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        self.at += start + length;
        (length > 0).then(|| &rest[..length])
    }

    /// Reads the name of a solid: the rest of the line, or the part of it before the contents of the solid.
    fn title(&mut self) -> &'a [u8] {
        let start = self.at;
        let mut end = *self;
        while let Some(word) = self.next_in_line() {
            if self.opens_or_closes(word) {
                break;
            }
            end = *self;
        }
        *self = end;
        self.bytes[start..end.at].trim_ascii()
    }

    /// Skips the name after `endsolid`: the rest of the line, unless the line holds another solid.
    fn skip_closing_name(&mut self) {
        let mut next_solid = None;
        let mut before = *self;
        while let Some(word) = self.next_in_line() {
            if is(word, "solid") {
                next_solid.get_or_insert(before);
            } else if self.opens_or_closes(word) {
                *self = next_solid.unwrap_or(before);
                return;
            }
            before = *self;
        }
    }

    /// Returns whether the word just read does not belong to a name. `facet` alone may belong to one.
    fn opens_or_closes(self, word: &[u8]) -> bool {
        let mut after = self;
        is(word, "endsolid")
            || is(word, "facet") && after.next().is_some_and(|word| is(word, "normal"))
    }

    fn expect(&mut self, keyword: &str) -> Result<(), Fault> {
        match self.next() {
            Some(word) if is(word, keyword) => Ok(()),
            Some(word) if keyword == "endloop" && is(word, "vertex") => {
                Err(Fault::line(self.line, "a facet has three vertices, this one has a fourth"))
            }
            Some(word) => Err(self.unexpected(word, &format!("`{keyword}`"))),
            None => Err(self.ended(&format!("`{keyword}`"))),
        }
    }

    fn coordinate(&mut self) -> Result<f64, Fault> {
        let word = self.next().ok_or_else(|| self.ended("a coordinate"))?;
        match std::str::from_utf8(word) {
            Ok(word) => text::coordinate(self.line, word),
            Err(_) => Err(self.unexpected(word, "a coordinate")),
        }
    }

    #[cold]
    fn unexpected(&self, word: &[u8], expected: &str) -> Fault {
        // A file without blanks is one word: do not copy all of it.
        let word = String::from_utf8_lossy(&word[..word.len().min(200)]);
        Fault::line(self.line, format!("expected {expected}, found `{}`", text::shown(&word)))
    }

    #[cold]
    fn ended(&self, expected: &str) -> Fault {
        Fault::line(self.line, format!("the file ends where {expected} was expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Location;

    const FACET: &str = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  \
                         vertex 0 1e0 0\n endloop\nendfacet\n";

    /// Returns the names of the parts with their faces, after a check that every facet is FACET.
    fn names(text: &str) -> Vec<(String, Range<u32>)> {
        let model =
            read(text.as_bytes(), "file").unwrap_or_else(|fault| panic!("{fault:?}: {text}"));
        for triangle in model.meshes[0].triangles() {
            assert_eq!(triangle, [DVec3::ZERO, DVec3::X, DVec3::Y]);
        }
        model.parts.iter().map(|part| (part.name.clone(), part.faces[0].clone())).collect()
    }

    fn fault(text: &str) -> (usize, String) {
        match read(text.as_bytes(), "file").unwrap_err() {
            Fault { location: Location::Line(line), message } => (line, message),
            fault => panic!("no line: {fault:?}"),
        }
    }

    #[test]
    fn layout_does_not_matter() {
        let plain = format!("solid my part \n{FACET}{FACET}endsolid my part\n");
        let expected = [("my part".to_owned(), 0..2)];
        assert_eq!(names(&plain), expected);
        assert_eq!(names(&plain.replace('\n', "\r\n")), expected);
        assert_eq!(names(&plain.replace('\n', "\r")), expected);
        assert_eq!(names(&plain.replace('\n', " ")), expected);
        assert_eq!(names(&plain.replace(' ', "\t\t").replace("my\t\tpart", "my part")), expected);
        assert_eq!(
            names(&plain.trim_end().replace("facet", "FaceT").replace("solid", "SOLID")),
            expected
        );
        assert_eq!(names(&format!("\u{FEFF}\n\n{plain}\n\n")), expected);
    }

    #[test]
    fn every_solid_is_a_part() {
        let text = format!(
            "solid a\n{FACET}endsolid\nsolid none\nendsolid none\nsolid b\n{FACET}{FACET}endsolid a solid b\n"
        );
        assert_eq!(names(&text), [("a".to_owned(), 0..1), ("b".to_owned(), 1..3)]);
        let text = format!("solid a {FACET} endsolid a solid b {FACET} endsolid b solid endsolid")
            .replace('\n', " ");
        assert_eq!(names(&text), [("a".to_owned(), 0..1), ("b".to_owned(), 1..2)]);
        let text = format!("solid\n{FACET}endsolid\nsolid\n{FACET}endsolid\n");
        assert_eq!(names(&text), [("file 1".to_owned(), 0..1), ("file 2".to_owned(), 1..2)]);
        assert_eq!(names(&format!("solid\n{FACET}endsolid")), [("file".to_owned(), 0..1)]);
        assert!(names("solid Empty\nendsolid Empty").is_empty());
    }

    #[test]
    fn names_may_hold_keywords_and_other_alphabets() {
        let text = format!("solid a facet of solid vertex 3\n{FACET}endsolid a facet of solid\n");
        assert_eq!(names(&text), [("a facet of solid vertex 3".to_owned(), 0..1)]);
        let text = format!("solid Gehäuse\n{FACET}endsolid Gehäuse\n");
        assert_eq!(names(&text), [("Gehäuse".to_owned(), 0..1)]);
        // Latin-1 text is refused, as by the readers of all text formats, because the name would be lost.
        let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let fault = read(&latin1, "x").unwrap_err();
        assert_eq!(fault.location, crate::Location::Line(1));
        assert!(fault.message.contains("save the file as UTF-8"), "{}", fault.message);
    }

    #[test]
    fn normals_may_be_anything_like_a_number() {
        for normal in ["nan nan nan", "-nan(ind) -1.#IND 1.#QNAN", "1e999 -inf NaN"] {
            assert_eq!(names(&format!("solid\n{FACET}endsolid").replace("0 0 1", normal)).len(), 1);
        }
        let text = format!("solid\n{FACET}endsolid").replace("0 0 1", "0 0");
        assert_eq!(
            fault(&text),
            (3, "expected a number of the facet's normal, found `outer`".into())
        );
    }

    #[test]
    fn errors_name_the_line() {
        let text = format!("solid a\n{FACET}endsolid a\n");
        let with = |from: &str, to: &str| fault(&text.replacen(from, to, 1));
        assert_eq!(with("vertex 1 0 0", "vertex 1 blah 0"), (5, "`blah` is not a number".into()));
        assert_eq!(with("vertex 1 0 0", "vertex 1 NaN 0").0, 5);
        assert_eq!(with("vertex 1 0 0", "vertex 1e101 0 0").0, 5);
        assert_eq!(with("vertex 1 0 0", "vertex 1 0").0, 6);
        assert_eq!(with("  vertex 1 0 0\n", ""), (6, "expected `vertex`, found `endloop`".into()));
        assert!(with(" endloop", "vertex 0 0 0").1.contains("a fourth"));
        assert_eq!(
            with("endsolid a", ""),
            (10, "the file ends where `endsolid` was expected".into())
        );
        assert_eq!(with("endsolid a", "endsolid a\nrubbish").0, 10);
        assert_eq!(with("endsolid a", "endsolid a facet normal 0 0 1").0, 9);
        assert_eq!(with("facet normal", "facet"), (2, "expected `normal`, found `0`".into()));
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let text = format!("solid a\n{FACET}{FACET}endsolid");
        for end in 5..text.len() {
            let (line, _) = fault(&text[..end]);
            assert_eq!(line, 1 + text[..end].matches('\n').count(), "cut at {end}");
        }
    }
}
