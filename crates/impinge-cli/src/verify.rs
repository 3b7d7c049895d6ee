//! `impinge verify`: compares the exact tests with known answers.

use crate::{failure::Failure, output, progress};
use clap::Subcommand;
use impinge::narrow::{edge_edge_contact, triangles_intersect, vertex_face_contact};
use impinge_io::MotionCase;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Compare the results of the exact tests with known answers.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Example:
  impinge verify triangles cases.csv
  impinge verify ccd queries/vertex-face/*.csv",
    after_help = "\
Prints one JSON line: {\"cases\", \"right\", \"missed\", \"false\"}. Wrong cases are named
on standard error, and the exit code is 1; for `ccd` only if a contact was missed."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Pairs of triangles: do they touch?
    #[command(
        before_help = "\
Example:
  impinge verify triangles cases.csv more.csv",
        after_help = "\
The first line of a file names the columns: a0x, a0y, a0z, … b2z hold the corners, and
exact_intersects (or else expected_by_source) the known answer, 1 or 0. The column `case`
names the pair. Other columns are ignored."
    )]
    Triangles {
        /// CSV files of triangle pairs
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Vertices and faces, or edges, that move linearly: do they touch between two instants?
    #[command(
        before_help = "\
Example:
  impinge verify ccd --kind edge-edge queries.csv",
        after_help = "\
A case has eight rows: four points at time 0, then the same points at time 1. Vertex and
face: the vertex, then the corners. Edges: the ends of one, then those of the other. A row
has seven integers: numerator and denominator of x, y and z, and the known answer, 1 or 0.
Each coordinate must be exactly a double. The file has no header.
Without --kind, the folders or the name of a file must contain vertex-face or edge-edge."
    )]
    Ccd {
        /// CSV files of moving points
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Features that the points of all files are
        #[arg(long, value_enum)]
        kind: Option<Kind>,
    },
}

/// The features that four moving points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// A vertex, and the three corners of a face
    VertexFace,
    /// The ends of two edges
    EdgeEdge,
}

impl Kind {
    /// The kind that the path of a file names, last folder first.
    fn of(file: &Path) -> Result<Self, Failure> {
        for part in file.iter().rev() {
            let part = part.to_string_lossy();
            match (part.contains("vertex-face"), part.contains("edge-edge")) {
                (true, false) => return Ok(Self::VertexFace),
                (false, true) => return Ok(Self::EdgeEdge),
                (true, true) => break,
                (false, false) => {}
            }
        }
        Err(Failure::input(format!(
            "{}: the path does not tell whether the points are a vertex and a face or two edges; \
             add --kind vertex-face or --kind edge-edge",
            file.display()
        )))
    }

    /// Whether the features touch between time 0 and 1.
    fn touch(self, case: &MotionCase) -> bool {
        let [p, q, r, s] = case.points;
        match self {
            Self::VertexFace => vertex_face_contact(p, [q, r, s]).is_some(),
            Self::EdgeEdge => edge_edge_contact([p, q], [r, s]).is_some(),
        }
    }
}

/// At most this many wrong cases are named.
const MAX_NAMED: usize = 20;

#[derive(Default, Serialize)]
struct Tally {
    cases: usize,
    right: usize,
    missed: usize,
    #[serde(rename = "false")]
    false_alarms: usize,
}

/// The counts, and the names of wrong cases.
#[derive(Default)]
struct Comparison {
    tally: Tally,
    wrong: Vec<String>,
}

impl Comparison {
    fn add(&mut self, file: &Path, name: &str, expected: bool, found: bool) {
        self.tally.cases += 1;
        let fault = match (expected, found) {
            (true, false) => {
                self.tally.missed += 1;
                "missed"
            }
            (false, true) => {
                self.tally.false_alarms += 1;
                "false alarm"
            }
            _ => {
                self.tally.right += 1;
                return;
            }
        };
        self.wrong.push(format!("{}: {name}: {fault}", file.display()));
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut comparison = Comparison::default();
    let may_be_false = match &arguments.what {
        What::Triangles { files } => {
            for file in files {
                let load = || impinge_io::load_triangle_cases(file);
                for case in progress::with_spinner("loading", load)? {
                    let found = triangles_intersect(&case.a, &case.b);
                    comparison.add(file, &case.name, case.touching, found);
                }
            }
            false
        }
        What::Ccd { files, kind } => {
            for file in files {
                let kind = kind.map_or_else(|| Kind::of(file), Ok)?;
                let load = || impinge_io::load_motion_cases(file);
                for case in progress::with_spinner("loading", load)? {
                    let name = format!("line {}", case.line);
                    comparison.add(file, &name, case.touching, kind.touch(&case));
                }
            }
            true
        }
    };
    let Comparison { tally, wrong } = comparison;
    output::json(&tally)?;
    if wrong.is_empty() {
        return Ok(());
    }
    let named = wrong.len().min(MAX_NAMED);
    let more = match wrong.len() - named {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let message = format!("{}{more}", wrong[..named].join("; "));
    if may_be_false && tally.missed == 0 {
        output::note(&message);
        return Ok(());
    }
    Err(Failure::Check(message))
}
