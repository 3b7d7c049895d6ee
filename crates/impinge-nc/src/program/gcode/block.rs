//! The words of one line.

use super::{
    codes::{Code, GROUPS, Group, g_code, g_name, m_code},
    expression::{Cursor, Parameter, Variables},
    fault::{Fault, Result},
    source::Text,
};
use std::ops::RangeInclusive;

/// The letters that can be words besides G, M and N.
const LETTERS: &[u8] = b"abcdefhijklpqrstxyz";

/// The letters of the axes X, Y, Z, A, B, C, in the order of positions.
pub(super) const AXES: [u8; 6] = *b"xyzabc";

/// The words and settings of one line.
#[derive(Debug)]
pub(super) struct Block {
    values: [f64; 26],
    columns: [u32; 26],
    /// A bit for each letter that is on the line.
    present: u32,
    /// A bit for each letter that some code of the line has used.
    used: u32,
    /// The code of each group, and where it is.
    groups: [Option<(i32, u32)>; GROUPS],
    /// Parameters to set after all values of the line were read.
    pub(super) settings: Vec<(Parameter, f64, u32)>,
    /// Words that the reader does not know, and where they are.
    pub(super) unknown: Vec<(String, u32)>,
    /// Whether the line holds no word at all.
    pub(super) is_empty: bool,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            values: [0.0; 26],
            columns: [0; 26],
            present: 0,
            used: 0,
            groups: [None; GROUPS],
            settings: Vec::new(),
            unknown: Vec::new(),
            is_empty: true,
        }
    }
}

fn bit(letter: u8) -> u32 {
    1 << (letter - b'a')
}

impl Block {
    /// Replaces the block by the words of a line, from the place `at` in its text.
    pub(super) fn read(
        &mut self,
        text: &Text,
        at: usize,
        variables: &mut dyn Variables,
    ) -> Result<()> {
        (self.present, self.used, self.groups, self.is_empty) = (0, 0, [None; GROUPS], true);
        self.settings.clear();
        self.unknown.clear();
        let mut cursor = Cursor::new(text, at);
        while let Some(letter) = cursor.peek() {
            let column = cursor.column();
            self.is_empty = false;
            match letter {
                b'#' => {
                    let parameter = cursor.parameter(variables)?;
                    if !cursor.take(b"=") {
                        return Err(Fault::at(
                            cursor.column(),
                            "a parameter at the start of a word must be set by '='",
                        ));
                    }
                    let value = cursor.value(variables)?;
                    self.settings.push((parameter, value, column));
                    continue;
                }
                b'a'..=b'z' => cursor.at += 1,
                _ => {
                    return Err(Fault::at(
                        column,
                        format!("'{}' does not start a word", letter as char),
                    ));
                }
            }
            if letter == b'o' {
                return Err(Fault::at(column, "an O word must come first on its line"));
            }
            let value = cursor.value(variables)?;
            match letter {
                b'g' => self.add_g(value, column)?,
                b'm' => self.add_m(value, column)?,
                b'n' => {}
                _ if LETTERS.contains(&letter) => {
                    let index = usize::from(letter - b'a');
                    if self.present & bit(letter) != 0 {
                        let letter = letter.to_ascii_uppercase() as char;
                        return Err(Fault::at(
                            column,
                            format!("the word {letter} is on the line twice"),
                        ));
                    }
                    self.present |= bit(letter);
                    self.values[index] = value;
                    self.columns[index] = column;
                }
                _ => {
                    let letter = letter.to_ascii_uppercase() as char;
                    self.unknown.push((format!("{letter}{value}"), column));
                }
            }
        }
        Ok(())
    }

    fn add_g(&mut self, value: f64, column: u32) -> Result<()> {
        let tenths = value * 10.0;
        let code = tenths.round();
        if !(0.0..10_000.0).contains(&code) || (tenths - code).abs() > 0.001 {
            self.unknown.push((format!("G{value}"), column));
            return Ok(());
        }
        let code = code as i32;
        self.add_code(g_code(code), code, g_name, column)
    }

    fn add_m(&mut self, value: f64, column: u32) -> Result<()> {
        let code = value.round();
        if !(0.0..10_000.0).contains(&code) || (value - code).abs() > 0.0001 {
            self.unknown.push((format!("M{value}"), column));
            return Ok(());
        }
        let code = code as i32;
        self.add_code(m_code(code), code, |code| format!("M{code}"), column)
    }

    fn add_code(
        &mut self,
        kind: Code,
        code: i32,
        name: fn(i32) -> String,
        column: u32,
    ) -> Result<()> {
        let group = match kind {
            Code::Known(group) => group,
            Code::Ignored => return Ok(()),
            Code::Refused(what) => {
                return Err(Fault::at(column, format!("{}: {what}: not supported", name(code))));
            }
            Code::Unknown => {
                self.unknown.push((name(code), column));
                return Ok(());
            }
        };
        match &mut self.groups[group as usize] {
            // Both kinds of coolant can be switched on, and signals can be set, in one line.
            Some(_) if matches!(group, Group::Coolant | Group::Signal | Group::Override) => {}
            Some((other, _)) if *other != code => {
                return Err(Fault::at(
                    column,
                    format!(
                        "{} and {} cannot be on one line: they are of one modal group",
                        name(*other),
                        name(code)
                    ),
                ));
            }
            place => *place = Some((code, column)),
        }
        Ok(())
    }

    /// The code of a group, if the line has one.
    pub(super) fn code(&self, group: Group) -> Option<i32> {
        self.groups[group as usize].map(|(code, _)| code)
    }

    /// A fault at the code of a group.
    pub(super) fn fault_at_code(&self, group: Group, message: impl Into<String>) -> Fault {
        Fault::at(self.groups[group as usize].map_or(0, |(_, column)| column), message)
    }

    /// The value of a word. Marks the word as used.
    pub(super) fn take(&mut self, letter: u8) -> Option<f64> {
        self.used |= bit(letter);
        self.has(letter).then_some(self.values[usize::from(letter - b'a')])
    }

    /// Like [`take`](Self::take), for a word that must be a whole number from 0 to 4294967295.
    pub(super) fn take_whole(&mut self, letter: u8) -> Result<Option<u32>> {
        self.take_whole_in(letter, 0..=u32::MAX, "a whole number")
    }

    /// Like [`take`](Self::take), for a word that must be a whole number of a range. `what` names it in the message.
    pub(super) fn take_whole_in(
        &mut self,
        letter: u8,
        range: RangeInclusive<u32>,
        what: &str,
    ) -> Result<Option<u32>> {
        let Some(value) = self.take(letter) else { return Ok(None) };
        let rounded = value.round();
        let [least, most] = [*range.start(), *range.end()].map(f64::from);
        if (value - rounded).abs() > 0.0001 || !(least..=most).contains(&rounded) {
            let message = format!("must be {what}, from {least} to {most}");
            return Err(self.fault_at(letter, &message));
        }
        Ok(Some(rounded as u32))
    }

    /// A fault at a word.
    pub(super) fn fault_at(&self, letter: u8, message: &str) -> Fault {
        let column = if self.has(letter) { self.columns[usize::from(letter - b'a')] } else { 0 };
        Fault::at(column, format!("{} {message}", letter.to_ascii_uppercase() as char))
    }

    /// Whether a word is on the line.
    pub(super) fn has(&self, letter: u8) -> bool {
        self.present & bit(letter) != 0
    }

    /// Whether a word is on the line that no code has used yet.
    pub(super) fn has_unused(&self, letter: u8) -> bool {
        self.present & !self.used & bit(letter) != 0
    }

    /// Whether a word of an axis is on the line that no code has used yet.
    pub(super) fn has_unused_axis(&self) -> bool {
        AXES.iter().any(|&axis| self.has_unused(axis))
    }

    /// The words that no code has used, and where they are.
    pub(super) fn unused(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        let unused = self.present & !self.used;
        (0..26_u8).filter(move |index| unused & (1 << index) != 0).map(|index| {
            let letter = (b'A' + index) as char;
            let index = usize::from(index);
            (format!("{letter}{}", self.values[index]), self.columns[index])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoVariables;

    impl Variables for NoVariables {
        fn numbered(&mut self, _: u32) -> Result<f64, String> {
            Ok(1.0)
        }
        fn named(&mut self, _: &str) -> Result<f64, String> {
            Ok(2.0)
        }
        fn has_numbered(&self, _: u32) -> bool {
            true
        }
        fn has_named(&self, _: &str) -> bool {
            true
        }
    }

    fn read(line: &str) -> Result<Block> {
        let mut text = Text::default();
        text.read(line.as_bytes())?;
        let mut block = Block::default();
        block.read(&text, 0, &mut NoVariables)?;
        Ok(block)
    }

    #[test]
    fn words_are_read_in_any_order() {
        let mut block = read("N10 X1.5 g90.1 G 0 1 M03 y-#1 #<a>=[2*3] F100").unwrap();
        assert_eq!(block.take(b'x'), Some(1.5));
        assert_eq!(block.take(b'y'), Some(-1.0));
        assert_eq!(block.take(b'z'), None);
        assert_eq!(block.code(Group::Motion), Some(10));
        assert_eq!(block.code(Group::ArcDistance), Some(901));
        assert_eq!(block.code(Group::Spindle), Some(3));
        assert_eq!(block.settings, [(Parameter::Named("a".into()), 6.0, 31)]);
        let unused: Vec<_> = block.unused().collect();
        assert_eq!(unused, [("F100".to_owned(), 42)]);
    }

    #[test]
    fn conflicts_and_repeated_words_are_refused() {
        let fault = |line: &str| read(line).unwrap_err().in_file("p".as_ref()).to_string();
        assert!(fault("G1 G2").contains("G1 and G2 cannot be on one line"));
        assert!(fault("M3 M5").contains("M3 and M5"));
        assert!(fault("X1 X2").contains("the word X is on the line twice"));
        assert!(fault("G5 X1").contains("splines"));
        assert!(fault("X1 O5").contains("must come first"));
        assert!(fault("X").contains("the line ends"));
        assert!(fault("X1 =").contains("'=' does not start a word"));
        assert!(read("M7 M8 G1 G1").is_ok());
    }

    #[test]
    fn unknown_words_are_listed() {
        let block = read("G1 U5 G999 M123 G1.55").unwrap();
        let names: Vec<_> = block.unknown.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["U5", "G999", "M123", "G1.55"]);
    }
}
