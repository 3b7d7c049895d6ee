//! Octree files: a line with the root cube and the level, and the nodes as text.

use crate::{
    Error, Location,
    draft::write_atomically,
    error::Fault,
    format,
    text::{self, shown},
};
use glam::DVec3;
use impinge::octree::{Grid, MAX_LEVEL, Octree, OctreeError};
use std::{
    io::{self, Write},
    path::Path,
};

/// Nodes on a line of a file.
const PER_LINE: usize = 100;

/// How a file begins, for messages.
const EXAMPLE: &str = "`octree 1 level 5 min -20 -20 -20 side 40`";

/// Reads an octree file: a header line, and the nodes in preorder, `(` or `G` for gray, `B` for black, `W` for white.
///
/// A file without a header is the text alone. Then the root cube is the unit cube at the origin, and the level is that
/// of the deepest nodes.
pub fn load_octree(path: impl AsRef<Path>) -> Result<Octree, Error> {
    let path = path.as_ref();
    let octree = format::read_file(path).and_then(|bytes| read(&bytes));
    octree.map_err(|fault| fault.in_file(path))
}

/// Reads the bytes of an octree file: see [`load_octree`]. Errors name `path`.
pub fn read_octree(bytes: &[u8], path: impl AsRef<Path>) -> Result<Octree, Error> {
    read(bytes).map_err(|fault| fault.in_file(path.as_ref()))
}

/// Writes an octree in the format of [`load_octree`], completely or not at all. Reading it back gives the same octree.
pub fn save_octree(path: impl AsRef<Path>, octree: &Octree) -> Result<(), Error> {
    write_atomically(path, |out| write_octree(octree, out))
}

/// Writes an octree to a stream in the format of [`load_octree`].
pub fn write_octree(octree: &Octree, out: &mut dyn Write) -> io::Result<()> {
    let grid = octree.grid();
    let [x, y, z] = grid.min().to_array();
    writeln!(out, "octree 1 level {} min {x} {y} {z} side {}", grid.level(), grid.side())?;
    for line in octree.text().as_bytes().chunks(PER_LINE) {
        out.write_all(line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Result<Octree, Fault> {
    let text = text::decode(bytes)?;
    let start = text.len() - text.trim_start().len();
    let (grid, body) = match text[start..].starts_with("octree") {
        true => {
            let end = text[start..].find(['\n', '\r']).map_or(text.len(), |end| start + end);
            let line = line_of(text, start).0;
            (header(line, &text[start..end])?, end)
        }
        false if text[start..].starts_with(['(', 'G', 'B', 'W']) => {
            let level = Octree::depth_of_text(text).map_err(|error| fault(text, 0, &error))?;
            let grid = Grid::new(DVec3::ZERO, 1.0, level);
            (grid.map_err(|error| Fault::file(error.to_string()))?, start)
        }
        false => {
            let message = format!("not an octree: the first line is a header such as {EXAMPLE}");
            return Err(Fault::line(line_of(text, start).0, message));
        }
    };
    Octree::from_text(&text[body..], grid).map_err(|error| fault(text, body, &error))
}

/// Reads the header line.
fn header(line: usize, text: &str) -> Result<Grid, Fault> {
    // One word more than a header has is enough to refuse a line of any length.
    let words: Vec<&str> = text.split_whitespace().take(11).collect();
    let ["octree", version, "level", level, "min", x, y, z, "side", side] = words[..] else {
        return Err(Fault::line(line, format!("a header is a line such as {EXAMPLE}")));
    };
    if version != "1" {
        let message = format!("version `{}` of octree files is not known, only 1", shown(version));
        return Err(Fault::line(line, message));
    }
    let level = level.parse().ok().filter(|level| *level <= MAX_LEVEL).ok_or_else(|| {
        let message = format!("`{}` is not a level from 0 to {MAX_LEVEL}", shown(level));
        Fault::line(line, message)
    })?;
    let number = |word| text::coordinate(line, word);
    let min = DVec3::new(number(x)?, number(y)?, number(z)?);
    let grid = Grid::new(min, number(side)?, level);
    grid.map_err(|error| Fault::line(line, error.to_string()))
}

/// The fault for an error in the nodes, which start at a byte of the text.
fn fault(text: &str, body: usize, error: &OctreeError) -> Fault {
    let message = error.to_string();
    match *error {
        OctreeError::NotANode { byte, .. }
        | OctreeError::TextGoesOn { byte, .. }
        | OctreeError::TooDeep { byte, .. } => {
            let (line, column) = line_of(text, body + byte);
            Fault { location: Location::Character { line, column }, message }
        }
        _ => Fault::file(message),
    }
}

/// The line and the column of a byte, from 1.
fn line_of(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let mut lines = text::Lines::new(before);
    let last = lines.by_ref().last().map_or("", |(_, line)| line);
    match before.ends_with(['\n', '\r']) || before.is_empty() {
        true => (lines.number() + 1, 1),
        false => (lines.number(), last.chars().count() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: &str = "(B(BWBBBWWWBWBWB(B(BWBBBWBWBBBWBW";

    fn written(octree: &Octree) -> String {
        let mut bytes = Vec::new();
        write_octree(octree, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn files_survive_the_round_trip() {
        for (min, side, level) in
            [([0.0; 3], 1.0, 3), ([0.1, -2e-5, 1e90], 4e88, 3), ([-1.0 / 3.0; 3], 1.0 / 7.0, 9)]
        {
            let grid = Grid::new(DVec3::from_array(min), side, level).unwrap();
            let octree = Octree::from_text(PAPER, grid).unwrap();
            let text = written(&octree);
            assert!(text.starts_with("octree 1 level "), "{text}");
            assert_eq!(read(text.as_bytes()).unwrap(), octree, "{text}");
            assert_eq!(read(text.replace('\n', "\r\n").as_bytes()).unwrap(), octree);
        }
        let shuttle = impinge::generate::shuttle();
        let grid = Grid::enclosing(&shuttle.bounds(), 5).unwrap();
        let octree = Octree::from_faces(&shuttle, grid).unwrap();
        let text = written(&octree);
        assert!(text.lines().count() > 10 && text.lines().all(|line| line.len() <= PER_LINE));
        assert_eq!(read(text.as_bytes()).unwrap(), octree);
    }

    #[test]
    fn the_text_of_the_paper_is_a_file() {
        let octree = read(PAPER.as_bytes()).unwrap();
        assert_eq!((octree.grid().level(), octree.grid().side()), (3, 1.0));
        assert_eq!(octree.text(), PAPER);
    }

    #[test]
    fn errors_name_the_place() {
        let bad = |text: &str, location: Location, part: &str| {
            let fault = read(text.as_bytes()).unwrap_err();
            assert_eq!(fault.location, location, "{text}: {}", fault.message);
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
        };
        let head = "octree 1 level 3 min 0 0 0 side 1\n";
        bad(&format!("{head}{}", &PAPER[..20]), Location::File, "cut off");
        bad(head, Location::File, "cut off");
        bad(&format!("{head}(BB\nWxBB"), Location::Character { line: 3, column: 2 }, "not a node");
        bad(&format!("{head}B\n\nB"), Location::Character { line: 4, column: 1 }, "goes on");
        bad(
            &format!("{head}{}", "(".repeat(9)),
            Location::Character { line: 2, column: 4 },
            "level 3",
        );
        bad(&"(".repeat(99), Location::Character { line: 1, column: 17 }, "level 16");
        bad("# hello\n", Location::Line(1), "header");
        bad("", Location::Line(1), "header");
        bad("octree 1 level 3\n", Location::Line(1), "header");
        bad("octree 2 level 3 min 0 0 0 side 1\nB", Location::Line(1), "version");
        bad("\noctree 1 level 17 min 0 0 0 side 1\nB", Location::Line(2), "`17` is not a level");
        bad("octree 1 level -1 min 0 0 0 side 1\nB", Location::Line(1), "`-1` is not a level");
        bad("octree 1 level 3 min 0 nan 0 side 1\nB", Location::Line(1), "not a finite number");
        bad("octree 1 level 3 min 0 0 0 side 0\nB", Location::Line(1), "sides are positive");
        bad("octree 1 level 3 min 1e90 0 0 side 1\nB", Location::Line(1), "cannot be told apart");
    }
}
