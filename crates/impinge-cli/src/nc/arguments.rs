//! The command line of `impinge nc`.

use super::outputs::Files;
use crate::{failure::Failure, grids::Grids, length::Length, source, threads::MAX_THREADS};
use clap::{ValueEnum, value_parser};
use impinge::{Bounds, Threads, glam::DVec3};
use impinge_io::assembly::Unit;
use impinge_nc::{Options, ToolChoice, program::gcode::work_offset_number};
use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

/// Check whether a tool path gouges the part, and whether shank and holder keep clear of it.
///
/// The check sweeps the whole tool along every move of the program, without gaps between positions, and reports each move
/// that reaches into the part deeper than --tolerance: the line, the part of the tool, the depth, the place and the faces.
/// Rapid moves must not touch the stock either, and nothing may touch a fixture. Without PART and PROGRAM, the check runs
/// on a built-in example.
///
/// Exit code 0: no gouge. 1: gouges. 2: bad input or usage.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge nc
  impinge nc part.stl part.nc --tool ball:d=6,length=20,shank=6:30,holder=20:15,40:25
  impinge nc part.step part.ngc --tool-table tools.tbl --report page.html
  impinge nc part.stl part.nc --tool 1=flat:d=10 --tool 2=ball:d=6 --stock-to-leave 0.2mm
  impinge nc part.stl part.nc --tool flat:d=6 --stock box:0,0,-20:80,50,1 --fixture vice.stl
  impinge nc terrain.asc path.csv --tool ball:d=3 --json > gouges.json
  impinge nc blade.stl blade.nc --tool ball:d=6 --machine xyzac",
    after_help = "\
SPEC: ball:d=6, flat:d=6, bull:d=6,r=1, cone:d=6,angle=30 (half angle, degrees),
taper:d=3,angle=5,r=0.5 or drill:d=5, each with optional length=, shank=D:L and
holder=D:L,D:L…, in the unit of the program. docs/nc-tools.md describes tools and tables.

Output: a table, or one JSON object with --json. docs/nc.md says what is checked;
docs/output.md describes every field."
)]
pub(crate) struct Arguments {
    /// The part: a mesh, an assembly or an elevation grid (.stl, .obj, .ply, .off, .3mf, .glb, .step, .asc …), or
    /// gen:NAME [default: a built-in example]
    #[arg(value_name = "PART", requires = "program")]
    pub(super) part: Option<String>,
    /// The program: G-code, or a CSV file with the header x,y,z or x,y,z,i,j,k: tips of the tool, and directions of its axis
    #[arg(value_name = "PROGRAM")]
    pub(super) program: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) check: Check,
    #[command(flatten)]
    pub(super) list: ListOptions,
    #[command(flatten)]
    pub(super) outputs: Files,
}

/// What is checked against what.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tools, bodies and program")]
pub(super) struct Reading {
    /// Tool for all moves, or N=SPEC for the tool with number N; may be repeated. A file with a tool table or a mesh
    /// counts as SPEC, too
    #[arg(long, value_name = "[N=]SPEC")]
    pub(super) tool: Vec<ToolChoice>,
    /// Tool table: LinuxCNC (.tbl), CAMotics (.json, .camotics) or TOML
    #[arg(long, value_name = "FILE")]
    pub(super) tool_table: Option<PathBuf>,
    /// Material that the part is cut from. Rapid moves, shank and holder must not touch it
    #[arg(long, value_name = "FILE|box:X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    pub(super) stock: Option<Stock>,
    /// Clamp, vice or table, which nothing may touch; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) fixture: Vec<String>,
    /// Unit of mesh files that name none [default: mm]
    #[arg(long, value_name = "UNIT")]
    pub(super) part_unit: Option<Unit>,
    /// Unit of a program that uses neither G20 nor G21, and of CSV paths
    #[arg(long, value_name = "UNIT", default_value = "mm")]
    pub(super) program_unit: ProgramUnit,
    /// Where the program's zero is in the coordinates of the part, in millimetres
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,0", value_parser = point)]
    #[arg(allow_hyphen_values = true)]
    pub(super) origin: DVec3,
    /// Where the tip of the tool is before the first move, in the coordinates of the part, in millimetres
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(super) start: Option<DVec3>,
    /// Zero of a coordinate system, seen from the machine's zero: millimetres, and degrees for A, B, C; may be repeated.
    /// --origin is then the place of the machine's zero
    #[arg(long, value_name = "G54=X,Y,Z[,A,B,C]", value_parser = offset)]
    pub(super) offset: Vec<(u8, [f64; 6])>,
    /// Position that G28 returns to, seen from the machine's zero
    #[arg(long, value_name = "X,Y,Z[,A,B,C]", value_parser = axes, allow_hyphen_values = true)]
    pub(super) home: Option<[f64; 6]>,
    /// Pass over lines that start with /
    #[arg(long)]
    pub(super) block_delete: bool,
    /// Path of rapid moves in several axes
    #[arg(long, value_name = "PATH", default_value = "straight")]
    pub(super) rapids: Rapids,
    /// Machine with rotary axes: a TOML file, or the name of a built-in machine
    #[arg(long, value_name = "FILE|NAME")]
    pub(super) machine: Option<String>,
    /// Pass over words of the program that are not known, with a note, instead of stopping
    #[arg(long)]
    pub(super) allow_unknown: bool,
    #[command(flatten)]
    pub(super) grids: Grids,
}

/// What counts as a gouge.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a gouge")]
pub(super) struct Check {
    /// Allowance that must remain on the part: the cutter has to keep this distance from it
    #[arg(long, value_name = "LENGTH", default_value = "0", allow_hyphen_values = true)]
    stock_to_leave: Length,
    /// Distance that shank and holder have to keep from everything
    #[arg(long, value_name = "LENGTH", default_value = "0", allow_hyphen_values = true)]
    clearance: Length,
    /// Depth up to which nothing is reported, and by which a reported depth may be off
    #[arg(long, value_name = "LENGTH", default_value = "0.01mm", allow_hyphen_values = true)]
    tolerance: Length,
    /// Start every search at the root of the trees, not near the last move. The result is the same
    #[arg(long)]
    no_coherence: bool,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    pub(super) threads: u16,
}

/// How results are shown.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Results")]
pub(super) struct ListOptions {
    /// Order of the table
    #[arg(long, value_name = "ORDER", default_value = "depth")]
    pub(super) sort: Sort,
    /// Rows of the table; the files and the JSON object have all gouges
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(super) limit: usize,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(super) json: bool,
}

/// The order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sort {
    /// Deepest first
    Depth,
    /// By the lines of the program
    Line,
}

/// The unit of a program.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ProgramUnit {
    /// Millimetres
    Mm,
    /// Inches
    In,
}

impl From<ProgramUnit> for Unit {
    fn from(unit: ProgramUnit) -> Self {
        match unit {
            ProgramUnit::Mm => Self::Millimetre,
            ProgramUnit::In => Self::Inch,
        }
    }
}

/// The path of a rapid move in several axes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Rapids {
    /// All axes arrive together
    Straight,
    /// All axes move at the same speed, and each stops when it arrives
    Dogleg,
    /// Both paths are checked
    Both,
}

impl From<Rapids> for impinge_nc::Rapids {
    fn from(rapids: Rapids) -> Self {
        match rapids {
            Rapids::Straight => Self::Straight,
            Rapids::Dogleg => Self::Dogleg,
            Rapids::Both => Self::Both,
        }
    }
}

/// The stock: a box, or a file.
#[derive(Clone, Debug)]
pub(super) enum Stock {
    Box(Bounds),
    File(String),
}

impl FromStr for Stock {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(corners) = text.strip_prefix("box:") else {
            return Ok(Self::File(text.to_owned()));
        };
        let expected = "expected box:X,Y,Z:X,Y,Z, two opposite corners in millimetres";
        let (low, high) = corners.split_once(':').ok_or(expected)?;
        let (low, high) = (point(low)?, point(high)?);
        let bounds = Bounds { min: low.min(high), max: low.max(high) };
        match bounds.size().min_element() > 0.0 {
            true => Ok(Self::Box(bounds)),
            false => Err(format!("the box has no volume; {expected}")),
        }
    }
}

/// Parses `X,Y,Z`.
fn point(text: &str) -> Result<DVec3, String> {
    match numbers(text).as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers in millimetres: X,Y,Z".into()),
    }
}

/// Parses `X,Y,Z` or `X,Y,Z,A,B,C`. Millimetres stay as they are, degrees become radians.
fn axes(text: &str) -> Result<[f64; 6], String> {
    match numbers(text).as_deref() {
        Some(&[x, y, z]) => Ok([x, y, z, 0.0, 0.0, 0.0]),
        Some(&[x, y, z, a, b, c]) => Ok([x, y, z, a.to_radians(), b.to_radians(), c.to_radians()]),
        _ => Err("expected X,Y,Z in millimetres, or X,Y,Z,A,B,C with A, B, C in degrees".into()),
    }
}

/// Parses `G54=X,Y,Z`.
fn offset(text: &str) -> Result<(u8, [f64; 6]), String> {
    let (name, position) = text.split_once('=').ok_or("expected G54=X,Y,Z")?;
    let number = work_offset_number(name)
        .ok_or_else(|| format!("{name} is no coordinate system; they are G54 to G59.3"))?;
    Ok((number, axes(position)?))
}

/// Parses numbers that are separated by commas; `None` if one of them is no number or very large.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let number = |part: &str| part.trim().parse().ok().filter(|value: &f64| value.abs() <= 1e9);
    text.split(',').map(number).collect()
}

impl Arguments {
    /// The files that the command reads, and that it must not overwrite.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let Reading { tool, tool_table, stock, fixture, machine, .. } = &self.reading;
        let stock = stock.iter().filter_map(|stock| match stock {
            Stock::File(file) => Some(file.as_str()),
            Stock::Box(_) => None,
        });
        let tools = tool.iter().map(|tool| tool.spec.as_str());
        let meshes = self.part.iter().map(String::as_str).chain(stock);
        let meshes = meshes.chain(fixture.iter().map(String::as_str));
        let names = meshes.chain(tools).chain(machine.as_deref());
        let paths = self.program.iter().chain(tool_table).map(PathBuf::as_path);
        names.filter_map(source::file).chain(paths)
    }
}

impl Check {
    /// The options of the check, in millimetres.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let [tolerance, stock_to_leave, clearance] =
            [self.tolerance, self.stock_to_leave, self.clearance]
                .map(|length| length.to(Unit::Millimetre));
        if tolerance < 1e-9 {
            return Err(Failure::input(format!(
                "--tolerance {}: it must be at least 1e-9 mm; depths are computed in f64",
                self.tolerance
            )));
        }
        let threads = if self.threads == 1 { Threads::One } else { Threads::Pool };
        let coherence = !self.no_coherence;
        let defaults = Options::default();
        Ok(Options { tolerance, stock_to_leave, clearance, threads, coherence, ..defaults })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_have_two_corners() {
        let stock = "box:0,50,-20:80,0,1".parse::<Stock>().unwrap();
        let Stock::Box(bounds) = stock else { panic!("{stock:?}") };
        let corners = [DVec3::new(0.0, 0.0, -20.0), DVec3::new(80.0, 50.0, 1.0)];
        assert_eq!([bounds.min, bounds.max], corners);
        for text in ["box:", "box:0,0,0", "box:0,0,0:1,1", "box:0,0,0:1,1,0", "box:0,0,0:1,1,inf"] {
            assert!(text.parse::<Stock>().is_err(), "{text}");
        }
        assert!(matches!("stock.stl".parse(), Ok(Stock::File(_))));
        assert!(
            point("1,2,3,4").is_err() && point("1,x,3").is_err() && point("1e300,0,0").is_err()
        );
    }
}
