//! A checked program with everything that its reports show. The writers of JSON, CSV, GLB and the page take it.

use crate::{Gouge, MoveKind, Options, Outcome, Program, Role, Setup, Tool};
use std::collections::BTreeMap;

/// A checked program.
#[derive(Clone, Copy, Debug)]
pub struct Report<'r> {
    /// How the part is named: mostly its file.
    pub part_name: &'r str,
    /// How the program is named: mostly its file.
    pub program_name: &'r str,
    /// The text of the program, which reports quote by line; may be empty.
    pub source: &'r str,
    /// The program.
    pub program: &'r Program,
    /// The tools by number.
    pub tools: &'r BTreeMap<u32, Tool>,
    /// The part, the stock and the fixtures.
    pub setup: &'r Setup,
    /// The options of the check.
    pub options: &'r Options,
    /// What the check has found.
    pub outcome: &'r Outcome,
    /// Remarks about the input, one sentence each.
    pub notes: &'r [String],
    /// How long the check took, in seconds.
    pub seconds: f64,
}

impl<'r> Report<'r> {
    /// The gouges, deepest first. Gouges of equal depth are in the order of the program.
    pub fn worst_first(&self) -> Vec<&'r Gouge> {
        let mut gouges: Vec<&Gouge> = self.outcome.gouges.iter().collect();
        gouges.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        gouges
    }

    /// The name of the body that a gouge is in.
    pub fn body_name(&self, gouge: &Gouge) -> &'r str {
        &self.setup.bodies[gouge.body].name
    }

    /// What the body that a gouge is in is there for.
    pub fn role(&self, gouge: &Gouge) -> Role {
        self.setup.bodies[gouge.body].role
    }
}

impl Gouge {
    /// Whether the move is a rapid move.
    pub fn is_rapid(&self) -> bool {
        self.kind == MoveKind::Rapid
    }
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Part, Self::Stock, Self::Fixture];

    /// The name in reports: `part`, `stock` or `fixture`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Part => "part",
            Self::Stock => "stock",
            Self::Fixture => "fixture",
        }
    }
}

/// A checked example for the tests of the writers.
#[cfg(test)]
pub(crate) mod sample {
    use super::*;
    use crate::{Body, GcodeOptions, check, demo};

    /// Everything that a report borrows.
    pub(crate) struct Sample {
        source: String,
        program: Program,
        tools: BTreeMap<u32, Tool>,
        setup: Setup,
        options: Options,
        outcome: Outcome,
        notes: Vec<String>,
    }

    impl Sample {
        /// The built-in example.
        pub(crate) fn demo() -> Self {
            Self::of(demo::PROGRAM.as_bytes(), demo::PART_NAME)
        }

        /// A program with the tools and the part of the example. `name` is the name of the part.
        pub(crate) fn of(program: &[u8], name: &str) -> Self {
            let source = String::from_utf8(program.to_vec()).unwrap();
            let options = GcodeOptions { start: Some(demo::START), ..GcodeOptions::default() };
            let program = Program::read_gcode(program, "program.nc", &options).unwrap();
            let tool = |(number, spec)| (number, Tool::from_spec(spec, 1.0).unwrap());
            let tools = demo::TOOLS.map(tool).into();
            let setup = Setup { bodies: vec![Body::new(name, Role::Part, demo::part())] };
            let options = Options::default();
            let outcome = check(&program, &tools, &setup, &options, &()).unwrap();
            let notes = vec!["a note".to_owned()];
            Self { source, program, tools, setup, options, outcome, notes }
        }

        /// Adds a body, and checks again.
        pub(crate) fn add(&mut self, body: Body) {
            self.setup.bodies.push(body);
            self.outcome =
                check(&self.program, &self.tools, &self.setup, &self.options, &()).unwrap();
        }

        pub(crate) fn report(&self) -> Report<'_> {
            Report {
                part_name: &self.setup.bodies[0].name,
                program_name: "program.nc",
                source: &self.source,
                program: &self.program,
                tools: &self.tools,
                setup: &self.setup,
                options: &self.options,
                outcome: &self.outcome,
                notes: &self.notes,
                seconds: 0.5,
            }
        }
    }
}
