//! The command line of `impinge clash`.

use super::{outputs::Files, table::GroupBy};
use crate::{failure::Failure, length::Length, reading::Reading, threads::MAX_THREADS};
use clap::{ValueEnum, value_parser};
use impinge_clash::{
    Allowed, Pairs, Pattern, Rule, RuleError, UnknownVerdict, Verdicts, load_rules,
};
use std::path::{Path, PathBuf};

/// Find the parts of an assembly that collide, touch or come too close.
///
/// Every two parts that are near each other are compared. The result is one of five
/// verdicts: duplicate (the same part in the same place), inside (one part within the other),
/// penetrating (one reaches into the other deeper than the touch band), clearance (closer than
/// asked for), touching (they meet, and nothing lies deeper than the touch band). Without a file,
/// an example assembly is checked.
///
/// Exit code 0: no clash, or only ignored or allowed ones. 1: clashes. 2: bad input or usage.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge clash
  impinge clash gen:gearbox --clearance 0.3mm --sort distance
  impinge clash car.glb --ignore 'touching: *' --csv clashes.csv
  impinge clash press/ frame.stl --units mm --clearance 0.5mm --between frame.stl press
  impinge clash robot.urdf --joint elbow=90deg --only penetrating,inside
  impinge clash car.glb --json > accepted.json
  impinge clash car.glb --baseline accepted.json --allow known",
    after_help = "\
Rules (--ignore, and the lines of --ignore-file): PATTERN ignores all pairs with a part of such a name,
PATTERN :: PATTERN (with the spaces) all pairs of a part of the one and a part of the other name.
Verdicts in front limit a rule to these verdicts, as in `touching: bolt* :: *plate*`. In a pattern *
stands for any text and ? for any one character. A pattern is compared with the names of parts. If it has
a slash, it is also compared with their paths: `engine/*` fits all parts of the sub-assembly engine.

Output: a table, or with --json one JSON object; docs/clash.md describes both, and docs/output.md
every field."
)]
pub(crate) struct Arguments {
    /// Files and folders of parts: .glb, .gltf, .obj, .stl, .ply, .off, .urdf, .step; or gen:gearbox,
    /// gen:plant [default: gen:gearbox]
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) asking: Asking,
    #[command(flatten)]
    pub(super) choosing: Choosing,
    #[command(flatten)]
    pub(super) showing: Shown,
    #[command(flatten)]
    pub(super) outputs: Files,
}

/// What counts as a clash.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a clash")]
pub(super) struct Asking {
    /// How deep parts may reach into each other and still only touch: 0.01mm, or 0.01 in the unit of the
    /// assembly [default: a millionth of the assembly's size or of its largest coordinate]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) touch: Option<Length>,
    /// Report parts that are closer than this, too: 0.5mm, or 0.5 in the unit of the assembly [default: 0,
    /// which reports none; 0.1mm for gen:gearbox]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
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
    /// Ignore pairs by the rules in this file, one in each line; lines that begin with # are comments
    #[arg(long, value_name = "RULES.txt")]
    ignore_file: Vec<PathBuf>,
    /// Compare only pairs of one part in each of two groups: sub-assemblies, files or parts, by
    /// name, path or pattern; may be repeated
    #[arg(long, value_names = ["GROUP", "GROUP"], num_args = 2)]
    between: Vec<String>,
    /// Skip pairs of the same sub-assembly, or compare only these
    #[arg(long, value_name = "WHAT")]
    same_group: Option<SameGroup>,
    /// The level of the sub-assemblies that count as groups, 1 for those at the top [default: the innermost
    /// ones]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    group_level: Option<u32>,
    /// Compare also links of a robot that a joint connects, which touch by design
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
    /// Compare other pairs only
    Skip,
    /// Compare these pairs only
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
    /// Compare with an earlier run, a file that --json or --output made: clashes are new or known, and
    /// pairs that clash no longer are listed
    #[arg(long, value_name = "OLD.json")]
    pub(super) baseline: Option<PathBuf>,
    /// List clashes of these verdicts, but do not fail because of them; `known` for those of the baseline
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',', value_parser = allowed)]
    allow: Vec<Allowed>,
    /// The order of the list
    #[arg(long, value_name = "BY", default_value = "severity")]
    pub(super) sort: Sort,
    /// List only the first N clashes; the number of all is printed all the same
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
