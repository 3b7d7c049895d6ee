//! Executes O words, `M98` and `M99`: jumps, calls and returns.

use super::{
    block::Block,
    codes::Group,
    control::{Control, Keyword},
    expression::Cursor,
    fault::{Fault, Result},
    interpreter::{Flow, Interpreter},
    parameters::Locals,
    source::Text,
};
use std::collections::HashMap;

/// The most calls inside each other.
const DEEPEST_CALL: usize = 100;

/// The most repetitions of a loop that `repeat` accepts; the limit of lines ends longer loops earlier.
const MOST_REPEATS: f64 = 1e12;

/// An active call.
#[derive(Debug)]
pub(super) struct Frame {
    /// The line after the call, from 0.
    return_to: usize,
    /// The repetitions of the caller's loops.
    repeats: HashMap<usize, u64>,
    kind: FrameKind,
}

#[derive(Debug)]
enum FrameKind {
    /// `o call`: the parameters of the caller.
    Subroutine(Box<Locals>),
    /// `M98`: the first line of the subprogram, and how often it is still to be repeated.
    Subprogram { start: usize, left: u32 },
}

impl Interpreter<'_> {
    /// Executes a line with an O word.
    pub(super) fn control(&mut self, line: usize, text: &Text) -> Result<Flow> {
        let controls = self.controls;
        let Some(control) = controls.at(line) else {
            return Err(Fault::new("the O word cannot be read"));
        };
        let mut cursor = Cursor::new(text, control.arguments);
        let flow = match control.keyword {
            // A subroutine is executed when it is called, and passed over otherwise.
            Keyword::Sub => Flow::Jump(control.end + 1),
            Keyword::EndSub | Keyword::Return => {
                let value = match cursor.peek() {
                    Some(b'[') => Some(cursor.bracketed(self)?),
                    _ => None,
                };
                self.set_value(value)?;
                self.leave()?
            }
            Keyword::Call => self.call(control, text, &mut cursor)?,
            Keyword::If => return self.branch(control, text),
            Keyword::ElseIf | Keyword::Else => {
                // The branch before has been executed.
                return Ok(Flow::Jump(control.end + 1));
            }
            Keyword::EndIf | Keyword::Do => Flow::Next,
            Keyword::While => match cursor.bracketed(self)? {
                0.0 => Flow::Jump(control.end + 1),
                _ => Flow::Next,
            },
            Keyword::EndWhile => Flow::Jump(control.start),
            Keyword::DoWhile => match cursor.bracketed(self)? {
                0.0 => Flow::Next,
                _ => Flow::Jump(control.start + 1),
            },
            Keyword::Repeat => {
                let count = cursor.bracketed(self)?.round().min(MOST_REPEATS);
                if count < 1.0 {
                    Flow::Jump(control.end + 1)
                } else {
                    self.repeats.insert(line, count as u64);
                    Flow::Next
                }
            }
            Keyword::EndRepeat => self.end_repeat(control),
            Keyword::Break => Flow::Jump(control.end + 1),
            Keyword::Continue => {
                let at_end = controls.at(control.end).map(|end| end.keyword);
                Flow::Jump(if at_end == Some(Keyword::EndWhile) {
                    control.start
                } else {
                    control.end
                })
            }
            Keyword::Number => self.program_number(line)?,
        };
        match cursor.peek() {
            None => Ok(flow),
            Some(_) => Err(Fault::at(cursor.column(), "cannot follow the O word")),
        }
    }

    /// Finds the branch whose condition holds.
    fn branch(&mut self, first: &Control, text: &Text) -> Result<Flow> {
        let controls = self.controls;
        let mut other = Text::default();
        let mut control = first;
        loop {
            self.count_line()?;
            let text = if control.line == first.line {
                text
            } else {
                other.read(self.source.line(control.line))?;
                &other
            };
            let taken = match control.keyword {
                Keyword::If | Keyword::ElseIf => {
                    let mut cursor = Cursor::new(text, control.arguments);
                    let line = control.line as u32 + 1;
                    let value = cursor.bracketed(self).map_err(|fault| fault.on_line(line))?;
                    if cursor.peek().is_some() {
                        return Err(
                            Fault::at(cursor.column(), "cannot follow the O word").on_line(line)
                        );
                    }
                    value != 0.0
                }
                _ => true,
            };
            match controls.at(control.next) {
                Some(next) if !taken && next.line > control.line => control = next,
                _ => return Ok(Flow::Jump(control.line + 1)),
            }
        }
    }

    fn end_repeat(&mut self, control: &Control) -> Flow {
        match self.repeats.get_mut(&control.start) {
            Some(left) if *left > 1 => {
                *left -= 1;
                Flow::Jump(control.start + 1)
            }
            _ => Flow::Next,
        }
    }

    fn call(&mut self, control: &Control, text: &Text, cursor: &mut Cursor<'_>) -> Result<Flow> {
        let label = match control.label() {
            Some(label) => label.to_owned(),
            None => {
                let (at, _) = text.after_line_number();
                Cursor::new(text, at + 1).value(self)?.round().to_string()
            }
        };
        let mut arguments = Vec::new();
        while cursor.peek() == Some(b'[') {
            arguments.push(cursor.bracketed(self)?);
            if arguments.len() > 30 {
                return Err(Fault::new("a call has at most 30 arguments"));
            }
        }
        let Some(start) = self.controls.subroutine(&label) else {
            return Err(Fault::new(format!(
                "the subroutine 'o{label}' is not in the file; subroutines in other files are not read"
            )));
        };
        let caller = std::mem::replace(&mut self.parameters.locals, Locals::of_call(&arguments));
        self.enter(control.line, FrameKind::Subroutine(Box::new(caller)))?;
        Ok(Flow::Jump(start + 1))
    }

    fn enter(&mut self, line: usize, kind: FrameKind) -> Result<()> {
        if self.frames.len() >= DEEPEST_CALL {
            return Err(Fault::new(format!("calls are nested more than {DEEPEST_CALL} deep")));
        }
        let repeats = std::mem::take(&mut self.repeats);
        self.frames.push(Frame { return_to: line + 1, repeats, kind });
        Ok(())
    }

    /// Returns from a subroutine.
    fn leave(&mut self) -> Result<Flow> {
        match self.frames.pop() {
            Some(Frame { return_to, repeats, kind: FrameKind::Subroutine(locals) }) => {
                self.parameters.locals = *locals;
                self.repeats = repeats;
                Ok(Flow::Jump(return_to))
            }
            _ => Err(Fault::new("a return outside a call")),
        }
    }

    fn set_value(&mut self, value: Option<f64>) -> Result<()> {
        let returned = f64::from(u8::from(value.is_some()));
        self.parameters.set_named("_value", value.unwrap_or(0.0)).map_err(Fault::new)?;
        self.parameters.set_named("_value_returned", returned).map_err(Fault::new)
    }

    /// The number of a program is its name. The number of a subprogram must not be reached without a call.
    fn program_number(&mut self, line: usize) -> Result<Flow> {
        if self.source.next_command(0).is_some_and(|first| {
            let is_percent = self.source.line(first).trim_ascii() == b"%";
            let first = if is_percent { self.source.next_command(first + 1) } else { Some(first) };
            first == Some(line)
        }) {
            return Ok(Flow::Next);
        }
        Err(Fault::new("the program runs into a subprogram: M30 or M99 is missing before it"))
    }

    /// Executes `M98 P1000 L3`.
    pub(super) fn call_subprogram(&mut self, block: &mut Block) -> Result<Flow> {
        let Some(number) = block.take_whole(b'p')? else {
            return Err(
                block.fault_at_code(Group::Stop, "M98 needs the number of the subprogram as P")
            );
        };
        let mut count = block.take_whole(b'l')?.unwrap_or(1);
        let mut start = self.controls.subprogram(number.into());
        if start.is_none() && number > 9999 {
            // Older controls write the repetitions before the last four digits: P31000 is three times O1000.
            start = self.controls.subprogram((number % 10_000).into());
            count = number / 10_000;
        }
        let Some(start) = start else {
            return Err(block.fault_at(
                b'p',
                &format!("{number}: there is no subprogram O{number} in the file"),
            ));
        };
        if count == 0 {
            return Ok(Flow::Next);
        }
        let kind = FrameKind::Subprogram { start: start + 1, left: count - 1 };
        self.enter(self.line as usize - 1, kind)?;
        Ok(Flow::Jump(start + 1))
    }

    /// Executes `M99`: the next repetition, or the return.
    pub(super) fn return_from_subprogram(&mut self, block: &mut Block) -> Result<Flow> {
        if block.has(b'p') {
            return Err(block.fault_at(b'p', "with M99 is a jump to a line number: not supported"));
        }
        match self.frames.last_mut().map(|frame| &mut frame.kind) {
            Some(FrameKind::Subprogram { start, left }) if *left > 0 => {
                *left -= 1;
                return Ok(Flow::Jump(*start));
            }
            Some(FrameKind::Subprogram { .. }) => {}
            Some(FrameKind::Subroutine(_)) => {
                return Err(block.fault_at_code(Group::Stop, "M99 inside an O subroutine"));
            }
            None => {
                self.notes.add(self.line, "M99 starts the main program again: it is read once");
                return Ok(Flow::End);
            }
        }
        let Some(frame) = self.frames.pop() else { return Ok(Flow::End) };
        self.repeats = frame.repeats;
        Ok(Flow::Jump(frame.return_to))
    }
}
