//! The lines of a program's file, and their text without blanks and comments.

use super::fault::{Fault, Result};

/// Longer lines are refused. RS274 allows 256 characters; the limit is for files that are no programs.
const LONGEST_LINE: usize = 1 << 16;

/// The lines of a file.
#[derive(Debug)]
pub(super) struct Source<'a> {
    lines: Vec<&'a [u8]>,
    /// The lines that belong to the program: all, or those before the second `%`.
    end: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // Files of old systems end lines by a carriage return alone.
        let line_end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == line_end).collect();
        if lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        if u32::try_from(lines.len()).is_err() {
            return Err(Fault::new("the file has more than 4,294,967,295 lines"));
        }
        for line in &mut lines {
            while let [rest @ .., b'\r'] = line {
                *line = rest;
            }
        }
        let is_percent = |line: &[u8]| line.trim_ascii() == b"%";
        let is_empty = |line: &[u8]| matches!(line.trim_ascii().first(), None | Some(b'(' | b';'));
        let first = lines.iter().position(|line| !is_empty(line)).unwrap_or(lines.len());
        let start = first + usize::from(lines.get(first).is_some_and(|line| is_percent(line)));
        let end = lines[start..].iter().position(|line| is_percent(line));
        let end = end.map_or(lines.len(), |end| start + end);
        Ok(Self { lines, end })
    }

    /// How many lines the file has.
    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// How many lines belong to the program.
    pub(super) fn program_lines(&self) -> usize {
        self.end
    }

    /// The bytes of a line, counted from 0.
    pub(super) fn line(&self, index: usize) -> &'a [u8] {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// The first line at or after `index` that holds more than blanks and comments.
    pub(super) fn next_command(&self, index: usize) -> Option<usize> {
        let mut text = Text::default();
        (index..self.lines.len())
            .find(|&index| text.read(self.lines[index]).is_err() || !text.bytes.is_empty())
    }
}

/// The characters of a line in lower case, without blanks and comments. RS274 allows blanks even inside numbers.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    /// For each character, its place in the line, from 1.
    columns: Vec<u32>,
}

impl Text {
    /// Replaces the text by that of a line.
    pub(super) fn read(&mut self, line: &[u8]) -> Result<()> {
        self.bytes.clear();
        self.columns.clear();
        if line.len() > LONGEST_LINE {
            return Err(Fault::new(format!(
                "the line has {} characters; lines of more than {LONGEST_LINE} are refused",
                line.len()
            )));
        }
        let mut comment = None;
        for (index, &byte) in line.iter().enumerate() {
            let column = index as u32 + 1;
            match byte {
                0 => return Err(Fault::at(column, "a NUL byte: the file is not a text file")),
                b'(' if comment.is_some() => {
                    return Err(Fault::at(column, "a comment starts inside a comment"));
                }
                b'(' => comment = Some(column),
                b')' if comment.is_some() => comment = None,
                _ if comment.is_some() => {}
                b')' => return Err(Fault::at(column, "a comment ends that has not started")),
                b';' => {
                    // The rest is a comment. A NUL byte in it tells that the file is no text.
                    if line[index..].contains(&0) {
                        return Err(Fault::at(column, "a NUL byte: the file is not a text file"));
                    }
                    return Ok(());
                }
                b' ' | b'\t' => {}
                0x21..=0x7e => {
                    self.bytes.push(byte.to_ascii_lowercase());
                    self.columns.push(column);
                }
                b'\r' => {
                    return Err(Fault::at(column, "a carriage return inside the line"));
                }
                _ => {
                    return Err(Fault::at(
                        column,
                        format!("the byte 0x{byte:02x} is not allowed outside a comment"),
                    ));
                }
            }
        }
        match comment {
            None => Ok(()),
            Some(column) => Err(Fault::at(column, "the comment is not closed by ')'")),
        }
    }

    /// Where a character is in its line, from 1. Past the last character: the place after it.
    pub(super) fn column(&self, at: usize) -> u32 {
        match self.columns.get(at) {
            Some(&column) => column,
            None => self.columns.last().map_or(1, |&last| last + 1),
        }
    }

    /// The place after a number `N` of the line and a `/` for block deletion, and whether there is a `/`.
    pub(super) fn after_line_number(&self) -> (usize, bool) {
        let digits = |from: usize| {
            from + self.bytes[from..]
                .iter()
                .take_while(|&&byte| byte.is_ascii_digit() || byte == b'.')
                .count()
        };
        let mut at = 0;
        let deleted = self.bytes.first() == Some(&b'/');
        if deleted {
            at = digits(1);
        }
        if self.bytes.get(at) == Some(&b'n') {
            let end = digits(at + 1);
            if end > at + 1 {
                at = end;
            }
        }
        (at, deleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Result<String> {
        let mut text = Text::default();
        text.read(line.as_bytes())?;
        Ok(String::from_utf8_lossy(&text.bytes).into_owned())
    }

    #[test]
    fn blanks_comments_and_case_do_not_matter() {
        assert_eq!(text("g0x +0. 12 34y\t7").as_deref(), Ok("g0x+0.1234y7"));
        assert_eq!(text("G1 (feed; here) X1 ; (not closed").as_deref(), Ok("g1x1"));
        assert_eq!(text("").as_deref(), Ok(""));
    }

    #[test]
    fn faults_name_the_character() {
        let fault = |line: &str| text(line).unwrap_err();
        assert_eq!(fault("G1 (open"), Fault::at(4, "the comment is not closed by ')'"));
        assert_eq!(fault("G1 (a (b) c)"), Fault::at(7, "a comment starts inside a comment"));
        assert_eq!(fault("G1)"), Fault::at(3, "a comment ends that has not started"));
        assert_eq!(fault("G1\0"), Fault::at(3, "a NUL byte: the file is not a text file"));
        assert_eq!(fault("G1 é").to_string(), "the byte 0xc3 is not allowed outside a comment");
        assert!(text("(Größe)").is_ok());
        assert!(fault(&"X".repeat(70_000)).to_string().contains("70000 characters"));
    }

    #[test]
    fn percent_signs_enclose_the_program() {
        let ends = |text: &str| Source::new(text.as_bytes()).unwrap().program_lines();
        assert_eq!(ends("%\nG1\n%\nrest"), 2);
        assert_eq!(ends("(head)\n\n%\nG1\n%\nrest"), 4);
        assert_eq!(ends("G1\n%\nrest"), 1);
        assert_eq!(ends("G1\nG2"), 2);
        assert_eq!(ends("G1\rG2\r"), 2);
        assert_eq!(ends("G1\r\nG2\r\r\n"), 2);
        assert_eq!(ends(""), 0);
    }

    #[test]
    fn columns_count_blanks_and_comments() {
        let mut text = Text::default();
        text.read(b"N5 (c) G 1").unwrap();
        assert_eq!((text.column(2), text.column(3), text.column(4)), (8, 10, 11));
        assert_eq!(text.after_line_number(), (2, false));
    }
}
