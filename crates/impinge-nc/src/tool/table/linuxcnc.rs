//! Tool tables of LinuxCNC.
//!
//! Each line is one tool: words of a letter and a number, then a comment after `;`. T is the number, D the diameter, Z
//! the length offset. The words P, X, Y, A, B, C, U, V, W, I, J and Q are checked and not used.
//!
//! The file has no word for the shape of a tool. [`shape_from_comment`] takes it from the comment.

use super::{ToolTable, table_error};
use crate::tool::{TipShape, Tool, is_spec, shape::Cutter};
use impinge_io::{Error, Location, excerpt};
use std::path::Path;

pub(super) fn read(text: &str, path: &Path, factor: f64) -> Result<ToolTable, Error> {
    let mut table = ToolTable::default();
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |message: &str| table_error(path, Location::Line(number), message);
        let (words, comment) = line.split_once(';').unwrap_or((line, ""));
        if words.trim().is_empty() {
            continue;
        }
        let words = Words::read(words).map_err(|message| fail(&message))?;
        let tool = words.tool_number().map_err(|message| fail(&message))?;
        if table.tools.contains_key(&tool) {
            return Err(fail(&format!("the tool T{tool} is there more than once")));
        }
        let diameter = words.get('D').map(|diameter| diameter.abs() * factor);
        let spec = comment.split_whitespace().find(|word| is_spec(word) && word.contains('='));
        let mut made = match (spec, diameter.filter(|&diameter| diameter > 0.0)) {
            (Some(spec), diameter) => {
                let made = Tool::from_spec(spec, factor).map_err(|error| {
                    fail(&format!("the specification in the comment of T{tool}: {error}"))
                })?;
                if let Some(diameter) = diameter
                    && (made.diameter - diameter).abs() > 1e-6 * diameter
                {
                    table.notes.push(format!(
                        "T{tool}: the diameter is {} mm in the comment and {diameter} mm in the \
                         word D; the comment is used",
                        made.diameter
                    ));
                }
                made
            }
            (None, Some(diameter)) => {
                let found = shape_from_comment(comment, diameter, factor);
                if let Some(note) = found.note {
                    table.notes.push(format!("T{tool}: {note}"));
                }
                let cutter = Cutter::new(found.shape, diameter, found.corner_radius);
                cutter.tool(String::new(), None).map_err(|error| fail(&error.to_string()))?
            }
            (None, None) => {
                table.notes.push(format!("T{tool} has no diameter and is left out"));
                continue;
            }
        };
        let comment = comment.trim();
        made.name = if comment.is_empty() { format!("T{tool}") } else { excerpt(comment, 100) };
        made.number = Some(tool);
        made.length_offset = words.get('Z').map(|length| length * factor);
        table.tools.insert(tool, made);
    }
    Ok(table)
}

/// The words of a line.
struct Words(Vec<(char, f64)>);

impl Words {
    fn read(text: &str) -> Result<Self, String> {
        let mut words: Vec<(char, f64)> = Vec::new();
        let mut rest = text.trim_start();
        while let Some(letter) = rest.chars().next() {
            let upper = letter.to_ascii_uppercase();
            if !"TPXYZABCUVWDIJQ".contains(upper) {
                let shown = excerpt(rest, 20);
                return Err(format!(
                    "`{shown}`: a word starts with one of T P X Y Z A B C U V W D I J Q; a comment \
                     starts with `;`"
                ));
            }
            rest = rest[letter.len_utf8()..].trim_start();
            let is_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.');
            let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            let number: f64 =
                rest[..end].parse().ok().filter(|number: &f64| number.abs() <= 1e6).ok_or_else(
                    || {
                        let shown = excerpt(&rest[..end], 20);
                        format!("`{upper}{shown}`: {upper} needs a number from -1000000 to 1000000")
                    },
                )?;
            if words.iter().any(|(other, _)| *other == upper) {
                return Err(format!("the word {upper} is there more than once"));
            }
            words.push((upper, number));
            rest = rest[end..].trim_start();
        }
        Ok(Self(words))
    }

    fn get(&self, letter: char) -> Option<f64> {
        self.0.iter().find(|(found, _)| *found == letter).map(|(_, number)| *number)
    }

    fn tool_number(&self) -> Result<u32, String> {
        let number = self.get('T').ok_or("the line has no word T with the number of the tool")?;
        if number < 0.0 || number.fract() != 0.0 {
            return Err(format!("T{number}: the number of a tool is a whole number, 0 or greater"));
        }
        Ok(number as u32)
    }
}

/// The shape of a tool according to its comment.
struct Found {
    shape: TipShape,
    /// In millimetres.
    corner_radius: f64,
    /// The assumption that the user should check.
    note: Option<String>,
}

/// The shape of a tool from the words of its comment, in this order:
///
/// 1. `ball…`: a ball-end mill.
/// 2. `bull…`: a bull-nose mill. It needs the corner radius as `r=1` or `r1`, in the unit of
///    the table.
/// 3. `drill…`: a drill. A point angle such as `angle=140` or `140deg` is used, otherwise 118 degrees.
/// 4. `cone…`, `v-bit`, `vbit`, `engrav…`, `chamfer…`: a pointed cone. It needs the half angle as `angle=30`, or the full
///    angle as `60deg` or `60°`.
/// 5. Anything else is a flat end mill, which encloses all other shapes of its diameter.
fn shape_from_comment(comment: &str, diameter: f64, factor: f64) -> Found {
    let lower = comment.to_lowercase();
    let words = || {
        lower
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '/'))
            .filter(|word| !word.is_empty())
    };
    let starts =
        |stems: &[&str]| words().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let key = |name: &str| {
        words()
            .find_map(|word| word.strip_prefix(name)?.trim_start_matches('=').parse::<f64>().ok())
    };
    let full_angle = words()
        .find_map(|word| {
            let number = ["degrees", "degree", "deg", "°"]
                .iter()
                .find_map(|unit| word.strip_suffix(unit))?;
            number.parse::<f64>().ok()
        })
        .filter(|angle| *angle > 0.0 && *angle < 180.0);
    let sharp = |shape| Found { shape, corner_radius: 0.0, note: None };
    let flat = |note: &str| Found { note: Some(note.into()), ..sharp(TipShape::Flat) };
    if starts(&["ball"]) {
        sharp(TipShape::Ball)
    } else if starts(&["bull"]) {
        match key("r").map(|radius| radius * factor) {
            Some(corner_radius) if (0.0..=diameter / 2.0).contains(&corner_radius) => {
                Found { shape: TipShape::Bull, corner_radius, note: None }
            }
            _ => flat(
                "the comment says bull, but states no corner radius up to half the diameter, such \
                 as r=1; a flat end mill is used, which encloses it",
            ),
        }
    } else if starts(&["drill"]) {
        let stated = key("angle").filter(|angle| *angle > 0.0 && *angle < 180.0).or(full_angle);
        let note =
            stated.is_none().then(|| "a drill; its point angle is taken as 118 degrees".into());
        let shape = TipShape::Drill { point_angle: stated.unwrap_or(118.0) };
        Found { note, ..sharp(shape) }
    } else if starts(&["cone", "conical", "v-bit", "vbit", "engrav", "chamfer"]) {
        let half = key("angle").filter(|angle| *angle > 0.0 && *angle < 90.0);
        match half.or(full_angle.map(|angle| angle / 2.0)) {
            Some(half_angle) => sharp(TipShape::Cone { half_angle, tip_diameter: 0.0 }),
            None => flat(
                "the comment names a cone, but states no angle, such as angle=30 (half angle) or \
                 60deg (full angle); a flat end mill is used, which encloses it",
            ),
        }
    } else if starts(&["flat", "square", "endmill", "end-mill"]) || lower.contains("end mill") {
        sharp(TipShape::Flat)
    } else {
        flat("the comment names no shape; a flat end mill is used")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ToolTable {
        read(text, Path::new("a.tbl"), 1.0).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// A specification in the comment is the same tool as the specification by itself.
    fn same_as_spec(line: &str, spec: &str) {
        let table = table(line);
        let tool = table.tools.values().next().expect(line);
        let expected = Tool::from_spec(spec, 1.0).unwrap();
        assert_eq!(tool.parts, expected.parts, "{line} is not {spec}");
        assert_eq!((tool.shape, tool.diameter), (expected.shape, expected.diameter), "{line}");
    }

    #[test]
    fn the_comment_states_the_shape() {
        for (line, spec) in [
            ("T1 P1 D6.0 ;6mm Ball-nose", "ball:d=6"),
            ("t1p1d6 ;bull nose r=1", "bull:d=6,r=1"),
            ("T1 D6 ;bullnose R1", "bull:d=6,r=1"),
            ("T1 P1 D5 ;drill", "drill:d=5,angle=118"),
            ("T1 P1 D5 ;drill 140deg", "drill:d=5,angle=140"),
            ("T1 P1 D5 ;drill (angle=90)", "drill:d=5,angle=90"),
            ("T1 D6 ;V-bit 60°", "cone:d=6,angle=30"),
            ("T1 D6 ;cone, angle=30", "cone:d=6,angle=30"),
            ("T1 D6 ;flat", "flat:d=6"),
            ("T1 D-6", "flat:d=6"),
            ("T1 D6 ;v-bit", "flat:d=6"),
            ("T1 D6 ;bull", "flat:d=6"),
            ("T1 ;my tool ball:d=6,length=20,shank=6:30", "ball:d=6,length=20,shank=6:30"),
        ] {
            same_as_spec(line, spec);
        }
    }

    #[test]
    fn numbers_offsets_and_names_are_kept() {
        let text =
            "; my table\n\nT1 P1 Z+51.2 D0.250000 ;1/4 end mill\r\nT99999 P2 Z.5 D.5;\nT3 P3\n";
        let table = read(text, Path::new("a.tbl"), 25.4).unwrap();
        assert_eq!(table.tools.keys().collect::<Vec<_>>(), [&1, &99999]);
        let tool = &table.tools[&1];
        assert_eq!((tool.number, tool.name.as_str()), (Some(1), "1/4 end mill"));
        assert_eq!(
            (tool.diameter, tool.length, tool.length_offset),
            (6.35, None, Some(51.2 * 25.4))
        );
        assert_eq!(
            table.notes,
            [
                "T99999: the comment names no shape; a flat end mill is used",
                "T3 has no diameter and is left out",
            ]
        );
    }

    #[test]
    fn notes_say_what_was_assumed() {
        assert!(table("T1 D6 ;flat").notes.is_empty());
        assert!(table("T1 D6 ;drill").notes[0].contains("118 degrees"));
        assert!(table("T1 D7 ;ball:d=6").notes[0].contains("the comment is used"));
        assert!(table("T1 D6 ;ball:d=6").notes.is_empty());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            ("T1 D6\nT1 D5", "a.tbl:2: the tool T1 is there more than once"),
            ("P1 D5", "a.tbl:1: the line has no word T with the number of the tool"),
            ("T1.5 D5", "a.tbl:1: T1.5: the number of a tool is a whole number, 0 or greater"),
            ("T-1 D5", "a.tbl:1: T-1: the number of a tool is a whole number, 0 or greater"),
            ("T1 D", "a.tbl:1: `D`: D needs a number from -1000000 to 1000000"),
            ("T1 D1-2", "a.tbl:1: `D1-2`: D needs a number from -1000000 to 1000000"),
            ("T1 D1 D2", "a.tbl:1: the word D is there more than once"),
            ("T1 D1 K2", "a.tbl:1: `K2`: a word starts with one of T P X Y Z A B C U V W D I J Q"),
            ("T1 ;ball:d=x", "a.tbl:1: the specification in the comment of T1: d=x: the value"),
        ] {
            let message = read(text, Path::new("a.tbl"), 1.0).expect_err(text).to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        }
    }
}
