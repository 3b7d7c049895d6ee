//! The reader of G-code: an interpreter of RS274/NGC that turns a program into moves.
//!
//! `docs/nc-programs.md` lists the words and how each is understood. A line is executed when it is read: its values are
//! evaluated, modes are set, and motion becomes pieces of the path, which `output.rs` turns into moves. Nothing is
//! passed over in silence: a word is executed, or noted in [`Program::notes`], or an error that names its line.
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | [`GcodeOptions`]: what the program does not say |
//! | `source.rs` | lines and their text without comments |
//! | `number.rs`, `expression.rs` | numbers and expressions |
//! | `block.rs`, `codes.rs` | the words of a line, and the codes with their modal groups |
//! | `control.rs`, `flow.rs` | O words: matching them, executing them |
//! | `parameters.rs`, `mirror.rs` | parameters of the program, and those that mirror the machine |
//! | `modal.rs` | modes, offsets, position |
//! | `interpreter.rs`, `switches.rs`, `setup.rs` | the execution of a line: modes, tools, offsets |
//! | `travel.rs`, `arc.rs`, `plane.rs`, `cycle.rs` | straight moves, arcs, cycles |
//! | `compensation.rs` | the offset path of `G41` and `G42` |
//! | `output.rs` | moves of the program, kinematics, dog-legs |
//! | `notes.rs`, `fault.rs` | remarks and errors |

mod arc;
mod block;
mod codes;
mod compensation;
mod control;
mod cycle;
mod expression;
mod fault;
mod flow;
mod interpreter;
mod mirror;
mod modal;
mod notes;
mod number;
mod options;
mod output;
mod parameters;
mod plane;
mod setup;
mod source;
mod switches;
mod travel;

pub use options::{GcodeOptions, Rapids, ToolOffset, work_offset_number};

use super::Program;
use control::Controls;
use impinge_io::Error;
use interpreter::Interpreter;
use source::Source;
use std::path::Path;

impl Program {
    /// Reads a program in G-code (RS274/NGC) from the bytes of its file. `path` names the file in errors.
    ///
    /// The moves are in millimetres and radians. A point of the program is the tip of the tool. Comments may have any
    /// encoding; outside of comments only ASCII is allowed.
    ///
    /// # Errors
    ///
    /// The error names the line, mostly the character, and the reason: a word that is not known, an impossible arc, a
    /// loop without end, a rotary axis without kinematics.
    ///
    /// ```
    /// use impinge_nc::{GcodeOptions, Program};
    ///
    /// let text = "G21 G90\nG0 X0 Y0 Z5\nG1 Z-1 F100\nG2 X10 Y0 I5 J0\nM2\n";
    /// let program = Program::read_gcode(text, "part.nc", &GcodeOptions::default())?;
    /// assert_eq!(program.moves.len(), 3);
    /// assert_eq!(program.moves[2].line, 4);
    /// # Ok::<(), impinge_io::Error>(())
    /// ```
    pub fn read_gcode(
        bytes: impl AsRef<[u8]>,
        path: impl AsRef<Path>,
        options: &GcodeOptions,
    ) -> Result<Self, Error> {
        let read = || {
            let source = Source::new(bytes.as_ref())?;
            let controls = Controls::read(&source)?;
            Interpreter::new(options, &source, &controls).run()
        };
        read().map_err(|fault: fault::Fault| fault.in_file(path.as_ref()))
    }
}
