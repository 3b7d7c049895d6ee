//! The lines with O words: subroutines, branches and loops. They are matched before the program runs, so that every
//! jump has a known target.

use super::{
    fault::{Fault, Result},
    source::{Source, Text},
};
use std::collections::HashMap;

/// What an O word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Sub,
    EndSub,
    Call,
    Return,
    If,
    ElseIf,
    Else,
    EndIf,
    While,
    EndWhile,
    Do,
    /// The `while` that ends a `do`.
    DoWhile,
    Repeat,
    EndRepeat,
    Break,
    Continue,
    /// The number of a program or subprogram, as Fanuc controls use it: `O1000` alone on a line.
    Number,
}

/// A line with an O word. Lines are counted from 0.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub(super) line: usize,
    pub(super) keyword: Keyword,
    /// The number or name after the O; `None` if a call computes it.
    label: Option<String>,
    /// Where the arguments start in the text of the line.
    pub(super) arguments: usize,
    /// The first line of the block: that of `sub`, `while`, `do`, `repeat`.
    pub(super) start: usize,
    /// The last line of the block: that of `endsub`, `endif`, `endwhile`, `endrepeat` or the `while` of a `do`.
    pub(super) end: usize,
    /// For `if` and `elseif`: the line of the next branch or of `endif`.
    pub(super) next: usize,
}

/// All lines with O words.
#[derive(Debug, Default)]
pub(super) struct Controls {
    /// In the order of their lines.
    lines: Vec<Control>,
    subroutines: HashMap<String, usize>,
    subprograms: HashMap<String, usize>,
}

/// The most blocks inside each other.
const DEEPEST: usize = 1000;

/// A block that is not closed yet.
struct Open {
    keyword: Keyword,
    label: String,
    /// Indices in `lines` that need to know the end of the block.
    members: Vec<usize>,
    /// The index of the latest `if`, `elseif` or `else`.
    branch: usize,
}

impl Controls {
    /// Finds and matches the O words of a program.
    pub(super) fn read(source: &Source<'_>) -> Result<Self> {
        let mut controls = Self::default();
        let mut open: Vec<Open> = Vec::new();
        let mut text = Text::default();
        for line in 0..source.program_lines() {
            if !may_have_o_word(source.line(line)) {
                continue;
            }
            // Faults of the text are reported when the line is executed, unless it is never reached.
            if text.read(source.line(line)).is_err() {
                continue;
            }
            let (at, deleted) = text.after_line_number();
            if text.bytes.get(at) != Some(&b'o') {
                continue;
            }
            let number = line as u32 + 1;
            if deleted {
                return Err(
                    Fault::new("a line with an O word cannot be deleted by '/'").on_line(number)
                );
            }
            let control = parse(&text, at, line).map_err(|fault| fault.on_line(number))?;
            controls.place(control, &mut open).map_err(|fault| fault.on_line(number))?;
        }
        match open.last() {
            None => Ok(controls),
            Some(block) => {
                let start = controls.lines[block.members[0]].line as u32 + 1;
                Err(Fault::new(format!(
                    "the block 'o{} {}' is not closed",
                    block.label,
                    name(block.keyword)
                ))
                .on_line(start))
            }
        }
    }

    /// Adds a line and matches it with the blocks that are open.
    fn place(&mut self, mut control: Control, open: &mut Vec<Open>) -> Result<()> {
        let index = self.lines.len();
        let label = control.label.clone().unwrap_or_default();
        let inner = open.last().map(|block| (block.keyword, block.label == label));
        if control.keyword == Keyword::While && inner == Some((Keyword::Do, true)) {
            control.keyword = Keyword::DoWhile;
        }
        let keyword = control.keyword;
        let line = control.line;
        let opener = match keyword {
            Keyword::Sub if open.is_empty() => {
                if self.subroutines.insert(label.clone(), line).is_some() {
                    return Err(Fault::new(format!("the subroutine 'o{label}' is defined twice")));
                }
                None
            }
            Keyword::Sub => {
                return Err(Fault::new("a subroutine cannot be defined inside another block"));
            }
            Keyword::Number if open.is_empty() => {
                self.subprograms.entry(label.clone()).or_insert(line);
                None
            }
            Keyword::Number => {
                return Err(Fault::new(format!("'o{label}' needs a word such as sub, if or call")));
            }
            Keyword::Call | Keyword::If | Keyword::While | Keyword::Do | Keyword::Repeat => None,
            Keyword::EndSub => Some([Keyword::Sub; 3]),
            Keyword::ElseIf | Keyword::Else | Keyword::EndIf => Some([Keyword::If; 3]),
            Keyword::EndWhile => Some([Keyword::While; 3]),
            Keyword::DoWhile => Some([Keyword::Do; 3]),
            Keyword::EndRepeat => Some([Keyword::Repeat; 3]),
            Keyword::Return => Some([Keyword::Sub; 3]),
            Keyword::Break | Keyword::Continue => {
                Some([Keyword::While, Keyword::Do, Keyword::Repeat])
            }
        };
        if let Some(openers) = opener {
            let may_be_outer =
                matches!(keyword, Keyword::Return | Keyword::Break | Keyword::Continue);
            let found = open
                .iter()
                .rposition(|block| openers.contains(&block.keyword) && block.label == label)
                .filter(|&found| may_be_outer || found + 1 == open.len());
            let Some(found) = found else {
                let inside = open.last().map_or(String::new(), |block| {
                    let start = self.lines[block.members[0]].line + 1;
                    format!(
                        "; the block 'o{} {}' of line {start} is open",
                        block.label,
                        name(block.keyword)
                    )
                });
                return Err(Fault::new(format!(
                    "'o{label} {}' has no '{}' with the same label around it{inside}",
                    name(keyword),
                    name(openers[0]),
                )));
            };
            let block = &mut open[found];
            control.start = self.lines[block.members[0]].line;
            if matches!(keyword, Keyword::ElseIf | Keyword::Else | Keyword::EndIf) {
                if keyword != Keyword::EndIf
                    && self.lines[block.branch..]
                        .first()
                        .is_some_and(|branch| branch.keyword == Keyword::Else)
                {
                    return Err(Fault::new(format!("'o{label} {}' after its else", name(keyword))));
                }
                self.lines[block.branch].next = line;
                block.branch = index;
            }
            block.members.push(index);
            self.lines.push(control);
            if matches!(
                keyword,
                Keyword::EndSub
                    | Keyword::EndIf
                    | Keyword::EndWhile
                    | Keyword::DoWhile
                    | Keyword::EndRepeat
            ) && let Some(block) = open.pop()
            {
                for member in block.members {
                    self.lines[member].end = line;
                }
            }
            return Ok(());
        }
        self.lines.push(control);
        if !matches!(keyword, Keyword::Call | Keyword::Number) {
            if open.len() >= DEEPEST {
                return Err(Fault::new(format!("blocks are nested more than {DEEPEST} deep")));
            }
            open.push(Open { keyword, label, members: vec![index], branch: index });
        }
        Ok(())
    }

    /// The O word of a line.
    pub(super) fn at(&self, line: usize) -> Option<&Control> {
        let index = self.lines.binary_search_by_key(&line, |control| control.line).ok()?;
        self.lines.get(index)
    }

    /// The line of `sub` for a label.
    pub(super) fn subroutine(&self, label: &str) -> Option<usize> {
        self.subroutines.get(label).copied()
    }

    /// The line of `O` with a number, as `M98` calls it.
    pub(super) fn subprogram(&self, number: u64) -> Option<usize> {
        self.subprograms.get(&number.to_string()).copied()
    }
}

impl Control {
    /// The label, if the line states it as a number or name.
    pub(super) fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

/// Whether a line may start with an O word; decides quickly for nearly all lines.
fn may_have_o_word(line: &[u8]) -> bool {
    let first = line
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'/' | b'n' | b'N' | b'.' | b'0'..=b'9'));
    matches!(first, Some(b'o' | b'O' | b'('))
}

const KEYWORDS: [(&str, Keyword); 16] = [
    ("sub", Keyword::Sub),
    ("endsub", Keyword::EndSub),
    ("call", Keyword::Call),
    ("return", Keyword::Return),
    ("if", Keyword::If),
    ("elseif", Keyword::ElseIf),
    ("else", Keyword::Else),
    ("endif", Keyword::EndIf),
    ("while", Keyword::While),
    ("endwhile", Keyword::EndWhile),
    ("do", Keyword::Do),
    ("while", Keyword::DoWhile),
    ("repeat", Keyword::Repeat),
    ("endrepeat", Keyword::EndRepeat),
    ("break", Keyword::Break),
    ("continue", Keyword::Continue),
];

fn name(keyword: Keyword) -> &'static str {
    KEYWORDS.iter().find(|(_, known)| *known == keyword).map_or("", |(name, _)| name)
}

/// Reads `o100 keyword` or `o<name> keyword`.
fn parse(text: &Text, at: usize, line: usize) -> Result<Control> {
    let rest = &text.bytes[at + 1..];
    let (label, length) = match rest.first() {
        Some(b'<') => {
            let Some(end) = rest.iter().position(|&byte| byte == b'>') else {
                return Err(Fault::at(text.column(at), "the label is not closed by '>'"));
            };
            (Some(String::from_utf8_lossy(&rest[1..end]).into_owned()), end + 1)
        }
        Some(b'0'..=b'9') => {
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = String::from_utf8_lossy(&rest[..length]);
            let digits = digits.trim_start_matches('0');
            (Some(if digits.is_empty() { "0" } else { digits }.to_owned()), length)
        }
        Some(b'#' | b'[') => {
            // The label is computed when the line is executed. Only a call can use it.
            let Some(length) = rest.windows(4).rposition(|word| word == b"call") else {
                return Err(Fault::at(text.column(at), "only a call can compute its label"));
            };
            (None, length)
        }
        _ => {
            return Err(Fault::at(text.column(at), "the letter O needs a number or a name in <>"));
        }
    };
    let mut arguments = at + 1 + length;
    let word: Vec<u8> =
        text.bytes[arguments..].iter().copied().take_while(u8::is_ascii_lowercase).collect();
    let keyword = if word.is_empty() && label.is_some() && arguments == text.bytes.len() {
        Keyword::Number
    } else {
        let found = KEYWORDS.iter().find(|(name, _)| name.as_bytes() == word);
        let Some((_, keyword)) = found else {
            let word = String::from_utf8_lossy(&word);
            return Err(Fault::at(
                text.column(arguments),
                format!(
                    "'{word}' after an O word is not one of sub, call, return, if, while, do, repeat, break, continue and their ends"
                ),
            ));
        };
        *keyword
    };
    arguments += word.len();
    Ok(Control { line, keyword, label, arguments, start: line, end: line, next: line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Controls> {
        Controls::read(&Source::new(text.as_bytes())?)
    }

    fn fault(text: &str) -> String {
        read(text).unwrap_err().in_file("p".as_ref()).to_string()
    }

    #[test]
    fn branches_and_loops_know_their_ends() {
        let text = "o1 while [1]\no2 if [1]\nO1 break\no2 elseif [2]\no2 else\no1 continue\no2 endif\n\
                    o1 endwhile\nN5 o<A b> do\no<ab> while [0]";
        let controls = read(text).unwrap();
        let all: Vec<_> = (0..10)
            .map(|line| {
                let control = controls.at(line).unwrap();
                (control.keyword, control.start, control.end, control.next)
            })
            .collect();
        assert_eq!(all[0], (Keyword::While, 0, 7, 0));
        assert_eq!(all[1], (Keyword::If, 1, 6, 3));
        assert_eq!(all[2], (Keyword::Break, 0, 7, 2));
        assert_eq!(all[3], (Keyword::ElseIf, 1, 6, 4));
        assert_eq!(all[4], (Keyword::Else, 1, 6, 6));
        assert_eq!(all[5], (Keyword::Continue, 0, 7, 5));
        assert_eq!(all[7], (Keyword::EndWhile, 0, 7, 7));
        assert_eq!(all[8], (Keyword::Do, 8, 9, 8));
        assert_eq!(all[9], (Keyword::DoWhile, 8, 9, 9));
    }

    #[test]
    fn subroutines_are_found_by_label() {
        let controls =
            read("o0100 sub\no100 endsub\n(c) o<x> sub\no<x> return\no<x> endsub\nO7").unwrap();
        assert_eq!(controls.subroutine("100"), Some(0));
        assert_eq!(controls.subroutine("x"), Some(2));
        assert_eq!(controls.subprogram(7), Some(5));
        assert_eq!(controls.at(3).map(|control| control.end), Some(4));
    }

    #[test]
    fn unmatched_blocks_name_their_line() {
        assert_eq!(fault("G1\no1 if [1]"), "p:2: the block 'o1 if' is not closed");
        assert!(fault("o1 endif").starts_with("p:1: 'o1 endif' has no 'if'"));
        assert!(fault("o1 if [1]\no2 while [1]\no1 endif\no2 endwhile").contains("p:3: "));
        assert!(fault("o1 sub\no2 sub").contains("p:2: a subroutine cannot"));
        assert!(fault("o1 sub\no1 endsub\no1 sub\no1 endsub").contains("p:3: the subroutine"));
        assert!(fault("o1 if [1]\no1 else\no1 elseif [1]\no1 endif").contains("p:3: "));
        assert!(fault("o1 break").contains("p:1: "));
        assert!(fault("o1 foo").contains("'foo'"));
        assert!(fault("o").contains("number or a name"));
        assert!(fault("o#1 if [1]").contains("only a call"));
        assert!(fault("/o1 if [1]").contains("deleted"));
        let nested: String = (0..2000).map(|label| format!("o{label} do\n")).collect();
        assert!(fault(&nested).starts_with("p:1001: blocks are nested"));
    }
}
