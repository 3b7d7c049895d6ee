//! What can be said on the command line.

use super::{length::Length, outputs::Files, table::GroupBy};
use crate::{failure::Failure, threads::MAX_THREADS};
use clap::{ValueEnum, value_parser};
use impinge_clash::{
    Allowed, Pairs, Pattern, Rule, RuleError, UnknownVerdict, Verdicts, load_rules,
};
use impinge_io::assembly::{self, Unit};
use std::{
    f64::consts::PI,
    path::{Path, PathBuf},
};

/// Which parts of an assembly collide, touch or come too close.
///
/// Every two parts that are near each other are looked at, and what is found is one of five
/// verdicts: duplicate (the same part in the same place), inside (one part within the other),
/// penetrating (one reaches into the other deeper than the touch band), clearance (closer than
/// asked for), touching (they meet, and nothing lies deeper than the touch band). Without a file,
/// an assembly of our own is checked.
///
/// Exit code 0: no clash, or only what is ignored or allowed. 1: clashes. 2: bad input or usage.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  impinge clash
  impinge clash gen:gearbox --clearance 0.3mm --sort distance
  impinge clash car.glb --ignore 'touching: *' --csv clashes.csv
  impinge clash press/ frame.stl --units mm --clearance 0.5mm --between frame.stl press
  impinge clash robot.urdf --joint elbow=90deg --only penetrating,inside
  impinge clash car.glb --json > accepted.json
  impinge clash car.glb --baseline accepted.json --allow known

Rules (--ignore, and the lines of --ignore-file): PATTERN for pairs with such a part, or
PATTERN :: PATTERN, with the spaces, for pairs of one such part and one such other. Either may
follow verdicts, as in `touching: bolt* :: *plate*`, and is about these alone then. In a pattern
* stands for any text and ? for any one character. It is compared with the names of parts and, if
it has a slash, also with the names after those of their sub-assemblies: `engine/*` is all that
is in engine.

Output: a table, or with --json one JSON object; docs/clash.md describes both, and docs/output.md
every field.")]
pub(crate) struct Arguments {
    /// Files and folders of parts: .glb, .gltf, .obj, .stl, .ply, .off, .urdf, .step; gen:gearbox if
    /// there are none
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    pub(super) asking: Asking,
    #[command(flatten)]
    pub(super) choosing: Choosing,
    #[command(flatten)]
    pub(super) showing: Shown,
    #[command(flatten)]
    pub(super) outputs: Files,
}

/// How files are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
struct Reading {
    /// What the assembly is to be in (mm, cm, m, in, ft): files that say what they are in are
    /// converted, others are taken to be in it
    #[arg(long, value_name = "UNIT")]
    units: Option<Unit>,
    /// What files are in that do not say so (OBJ, STL, PLY, OFF)
    #[arg(long, value_name = "UNIT")]
    file_units: Option<Unit>,
    /// Multiply all coordinates by this, besides the change of units
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    scale: f64,
    /// Take each primitive of a glTF mesh for a part, not all of them for one
    #[arg(long)]
    primitives: bool,
    /// Where a joint of a robot stands, in radians or metres, or with a unit: elbow=90deg,
    /// lift=20cm
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint)]
    joints: Vec<(String, f64)>,
    /// Where packages of a robot (package://NAME/…) are looked for first
    #[arg(long = "package", value_name = "FOLDER")]
    packages: Vec<PathBuf>,
    /// How far triangles may be from the round shapes that they are made for (STEP, URDF), in metres or
    /// with a unit [default: 0.1mm, for small bodies of STEP files a thousandth of their size]
    #[arg(long, value_name = "LENGTH", value_parser = tolerance, allow_negative_numbers = true)]
    tolerance: Option<Length>,
    /// Leave out parts and files that cannot be read, and say so, instead of giving up
    #[arg(long)]
    keep_going: bool,
}

/// What counts as a clash.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a clash")]
pub(super) struct Asking {
    /// How deep parts may reach into each other and still only touch, in what the assembly is in or
    /// with a unit: 0.01mm [default: a millionth of the assembly's size or of its largest
    /// coordinate]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(super) touch: Option<Length>,
    /// Ask for parts that are closer than this, too [default: 0, which asks for none; 0.1mm for
    /// gen:gearbox]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(super) clearance: Option<Length>,
}

/// Which pairs are looked at.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Which pairs")]
pub(super) struct Choosing {
    /// Ignore pairs of parts: PATTERN, 'PATTERN :: PATTERN' or 'VERDICT,…: PATTERN :: PATTERN'; may
    /// be repeated
    #[arg(long, value_name = "RULE", value_parser = rule)]
    ignore: Vec<Rule>,
    /// Ignore what this file says, a rule a line; lines that begin with # are comments
    #[arg(long, value_name = "RULES.txt")]
    ignore_file: Vec<PathBuf>,
    /// Look only at pairs of one part in each of two groups: sub-assemblies, files or parts, by
    /// name, path or pattern; may be repeated
    #[arg(long, value_names = ["GROUP", "GROUP"], num_args = 2)]
    between: Vec<String>,
    /// What to do with pairs of the same sub-assembly
    #[arg(long, value_name = "WHAT")]
    same_group: Option<SameGroup>,
    /// Take sub-assemblies of this level for one, 1 for those at the top [default: the innermost
    /// ones]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    group_level: Option<u32>,
    /// Look also at links of a robot that a joint connects, which touch by design
    #[arg(long)]
    adjacent: bool,
    /// List only these verdicts: duplicate, inside, penetrating, clearance, touching
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',')]
    only: Vec<Verdicts>,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    pub(super) threads: u16,
}

/// What to do with pairs of the same sub-assembly.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SameGroup {
    /// Look at other pairs only
    Skip,
    /// Look at these pairs only
    Only,
}

impl From<SameGroup> for impinge_clash::SameGroup {
    fn from(what: SameGroup) -> Self {
        match what {
            SameGroup::Skip => Self::Skip,
            SameGroup::Only => Self::Only,
        }
    }
}

/// In what order clashes are listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Sort {
    /// The worst verdict first, then the deepest, then the closest, then the longest crossing
    Severity,
    /// The deepest first, those of unknown depth last
    Depth,
    /// The closest first
    Distance,
    /// By the names of the parts
    Name,
}

impl From<Sort> for impinge_clash::Sort {
    fn from(by: Sort) -> Self {
        match by {
            Sort::Severity => Self::Severity,
            Sort::Depth => Self::Depth,
            Sort::Distance => Self::Distance,
            Sort::Name => Self::Name,
        }
    }
}

/// How results are shown.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Results")]
pub(super) struct Shown {
    /// Compare with an earlier run, as --json printed it: what is new, what is known, what is
    /// resolved
    #[arg(long, value_name = "OLD.json")]
    pub(super) baseline: Option<PathBuf>,
    /// List these verdicts, but do not fail because of them; `known` for what the baseline has
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',', value_parser = allowed)]
    allow: Vec<Allowed>,
    /// What comes first
    #[arg(long, value_name = "BY", default_value = "severity")]
    pub(super) sort: Sort,
    /// List at most so many clashes, the first ones; how many there are is told all the same
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// What a row of the table is
    #[arg(long, value_name = "WHAT", default_value = "pair")]
    pub(super) group_by: GroupBy,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    /// How far triangles may be from the round shapes that they are made for.
    pub(super) fn tolerance(&self, units: Unit) -> f64 {
        /// What they are cut to if nothing else is said, in metres.
        const USUAL: f64 = 1e-4;
        let metres = self.reading.tolerance.map_or(USUAL, |tolerance| tolerance.to(Unit::Metre));
        metres * Unit::Metre.to(units)
    }

    /// How files are read.
    pub(super) fn reading(&self) -> assembly::Options {
        let Reading { units, file_units, scale, joints, packages, tolerance, .. } = &self.reading;
        let mut options = assembly::Options::default()
            .scale(*scale)
            .keep_going(self.reading.keep_going)
            .primitives(self.reading.primitives);
        (options.units, options.file_units) = (*units, *file_units);
        if let Some(tolerance) = tolerance {
            options.tolerance = Some(tolerance.to(Unit::Metre));
        }
        let options =
            joints.iter().fold(options, |options, (name, value)| options.joint(name, *value));
        packages.iter().fold(options, assembly::Options::package)
    }

    /// The files that must not be written over.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files =
            self.files.iter().chain(&self.choosing.ignore_file).chain(&self.showing.baseline);
        files.map(PathBuf::as_path)
    }
}

impl Choosing {
    /// Which pairs are checked, and which verdicts are listed.
    pub(super) fn pairs(&self) -> Result<Pairs, Failure> {
        let mut pairs = Pairs::default();
        pairs.ignore = self.rules()?;
        pairs.between = self.between();
        pairs.same_group = self.same_group.map(SameGroup::into);
        pairs.group_level = self.group_level;
        pairs.adjacent = self.adjacent;
        pairs.only = self.only();
        Ok(pairs)
    }

    /// All rules, those of files too.
    fn rules(&self) -> Result<Vec<Rule>, Failure> {
        let mut all = self.ignore.clone();
        for file in &self.ignore_file {
            all.extend(load_rules(file)?);
        }
        Ok(all)
    }

    fn between(&self) -> Vec<[Pattern; 2]> {
        let pairs = self.between.chunks_exact(2);
        pairs
            .map(|pair| [&pair[0], &pair[1]].map(|name| Pattern::new(name.trim_end_matches('/'))))
            .collect()
    }

    /// The verdicts that are listed.
    fn only(&self) -> Verdicts {
        match &self.only[..] {
            [] => Verdicts::ALL,
            some => some.iter().fold(Verdicts::default(), |all, more| all.union(*more)),
        }
    }
}

impl Shown {
    pub(super) fn allowed(&self) -> Result<Allowed, Failure> {
        let allowed = self.allow.iter().fold(Allowed::default(), |all, more| Allowed {
            verdicts: all.verdicts.union(more.verdicts),
            known: all.known || more.known,
        });
        match allowed.known && self.baseline.is_none() {
            true => Err(Failure::input(
                "--allow known: known from where? Name an earlier run with --baseline",
            )),
            false => Ok(allowed),
        }
    }
}

/// A rule that messages show as the option that it comes from.
fn rule(text: &str) -> Result<Rule, RuleError> {
    let rule: Rule = text.parse()?;
    Ok(rule.from_origin(format!("--ignore `{}`", text.trim())))
}

fn allowed(text: &str) -> Result<Allowed, String> {
    match text.trim() {
        "known" => Ok(Allowed { known: true, ..Allowed::default() }),
        text => Ok(Allowed {
            verdicts: text.parse().map_err(|error: UnknownVerdict| format!("{error}, known"))?,
            known: false,
        }),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("not a positive number".into()),
    }
}

fn tolerance(text: &str) -> Result<Length, String> {
    let length: Length = text.parse()?;
    match length.to(Unit::Metre) > 0.0 {
        true => Ok(length),
        false => Err("not a positive length".into()),
    }
}

/// `NAME=VALUE` in radians, metres, degrees or a unit of length.
fn joint(text: &str) -> Result<(String, f64), String> {
    let wrong = "NAME=VALUE is expected, the value a number in radians or metres, or one with deg \
                 or a unit of length";
    let (name, value) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let with_unit = |unit: Unit| {
        Some(number(value.trim_end().strip_suffix(unit.symbol())?)? * unit.to(Unit::Metre))
    };
    let degrees = || Some(number(value.trim_end().strip_suffix("deg")?)? * (PI / 180.0));
    let found =
        number(value).or_else(degrees).or_else(|| Unit::ALL.into_iter().find_map(with_unit));
    match found.filter(|value| value.is_finite()) {
        Some(value) => Ok((name.to_owned(), value)),
        None => Err(wrong.into()),
    }
}
