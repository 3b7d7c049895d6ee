//! The command line of `impinge clash`.

use super::{outputs::Files, path::PathOptions, robots::RobotOptions, table::GroupBy};
use crate::{
    cluster::Cluster, failure::Failure, length::Length, reading::Reading, threads::MAX_THREADS,
};
use clap::{ValueEnum, value_parser};
use impinge_clash::{
    Allowed, Pairs, Pattern, Rule, RuleError, UnknownVerdict, Verdicts, load_rules,
};
use std::path::{Path, PathBuf};

/// Find the parts of an assembly that collide, touch or come too close.
///
/// The check compares every two parts that are near each other and gives each pair one of seven verdicts:
/// duplicate (the same part twice in the same place), inside (one part lies within the other), penetrating
/// (one part reaches into the other deeper than the touch band), undecided (gaps in a surface leave open
/// whether a part is inside), fit (a shaft in a hole of the same nominal radius), clearance (the parts are
/// closer than --clearance), touching (the parts meet, but no deeper than the touch band). Without a FILE, the
/// check runs on an example assembly.
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
  impinge clash robot.urdf --srdf robot.srdf --joints path.csv
  impinge clash engine.glb --path out.csv --moving starter
  impinge clash car.glb --json > accepted.json
  impinge clash car.glb --baseline accepted.json --allow known
  impinge clash car.glb --review review.json --report car.html --group-by part",
    after_help = "\
Rules (--ignore, and the lines of --ignore-file): PATTERN ignores all pairs with a part
whose name matches. PATTERN :: PATTERN (with the spaces) ignores all pairs of one part that
matches the first pattern and one part that matches the second. Verdicts in front limit a
rule to clashes with these verdicts, as in `touching: bolt* :: *plate*`.
In a pattern, * stands for any text and ? for any one character. A pattern is compared with
the names of parts. A pattern with a slash is also compared with the paths of parts:
`engine/*` matches all parts of the sub-assembly engine.

Output: a table, or one JSON object with --json. docs/clash.md describes both;
docs/output.md describes every field."
)]
pub(crate) struct Arguments {
    /// Files and folders with the parts to check: .glb, .gltf, .obj, .stl, .ply, .off, .3mf, .step, .ifc, .urdf, .asc,
    /// .dem, .dt0 … .dt2; or gen:gearbox, gen:plant, gen:bsp [default: gen:gearbox]
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) check_options: CheckOptions,
    #[command(flatten)]
    pub(super) pair_options: PairOptions,
    #[command(flatten)]
    pub(super) robot_options: RobotOptions,
    #[command(flatten)]
    pub(super) path_options: PathOptions,
    #[command(flatten)]
    pub(super) list_options: ListOptions,
    #[command(flatten)]
    pub(super) outputs: Files,
    /// Check the pairs on a Ray cluster: its address, `auto` for the running one, or `local` to start one on this
    /// machine. Needs Python with the packages impinge and ray; IMPINGE_PYTHON names it [default: python3]
    #[arg(long, value_name = "ADDRESS", help_heading = "Which pairs")]
    #[arg(conflicts_with_all = ["path", "configurations"])]
    pub(super) ray: Option<String>,
}

/// What counts as a clash.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a clash")]
pub(super) struct CheckOptions {
    /// Touch band: two parts that reach into each other no deeper than this only touch. 0.01mm, or 0.01 in
    /// the unit of the assembly [default: a band for each pair, from the precision of its two parts]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) touch: Option<Length>,
    /// Also report parts that do not meet but are closer than this: 0.5mm, or 0.5 in the unit of the assembly
    /// [default: 0, which reports none; 0.1mm for gen:gearbox]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) clearance: Option<Length>,
    /// Decide verdicts only: no depths, volumes and faces. Fits count as penetrating
    #[arg(long)]
    pub(super) quick: bool,
}

/// Which pairs are checked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Which pairs")]
pub(super) struct PairOptions {
    /// Ignore pairs of parts by a rule: PATTERN, 'PATTERN :: PATTERN' or 'VERDICT,…: PATTERN :: PATTERN'; may
    /// be repeated
    #[arg(long, value_name = "RULE", value_parser = rule)]
    ignore: Vec<Rule>,
    /// Ignore pairs by the rules in this file, one rule per line; lines that begin with # are comments
    #[arg(long, value_name = "RULES.txt")]
    ignore_file: Vec<PathBuf>,
    /// Check only pairs of one part from each of two groups. A group is a sub-assembly, a file or a part,
    /// given by name, path or pattern; may be repeated
    #[arg(long, value_names = ["GROUP", "GROUP"], num_args = 2)]
    between: Vec<String>,
    /// Skip pairs of parts of the same sub-assembly, or check only such pairs
    #[arg(long, value_name = "MODE")]
    same_group: Option<SameGroup>,
    /// Level of the sub-assemblies that count as groups; 1 is the top level [default: the innermost
    /// sub-assemblies]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    group_level: Option<u32>,
    /// Also check links of a robot that a joint connects; they touch by design
    #[arg(long)]
    adjacent: bool,
    /// List only clashes with these verdicts: duplicate, inside, penetrating, undecided, fit, clearance,
    /// touching. The others are counted below the table
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
    /// Check only pairs of different sub-assemblies
    Skip,
    /// Check only pairs of the same sub-assembly
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

/// The order in which clashes are listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Sort {
    /// Worst verdict first; then the deepest, the closest, the longest crossing
    Severity,
    /// Deepest first; clashes of unknown depth last
    Depth,
    /// Closest first
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
pub(super) struct ListOptions {
    /// Compare with an earlier run: a file that --json or --output wrote. Each clash is then new, known or
    /// worse than before, and pairs that no longer clash are listed as resolved
    #[arg(long, value_name = "OLD.json")]
    pub(super) baseline: Option<PathBuf>,
    /// List clashes with these verdicts, but do not let them fail the check; `known` stands for clashes of the
    /// baseline that did not become worse, `approved` for clashes that are approved in the --review file
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',', value_parser = allowed)]
    allow: Vec<Allowed>,
    /// Order of the list
    #[arg(long, value_name = "ORDER", default_value = "severity")]
    pub(super) sort: Sort,
    /// List only the first N clashes; the summary still counts all of them
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// What each row of the table stands for
    #[arg(long, value_name = "ROW", default_value = "pair")]
    pub(super) group_by: GroupBy,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    /// Whether only Python can run the command.
    pub(crate) fn needs_python(&self, cluster: Option<&dyn Cluster>) -> bool {
        self.ray.is_some() && cluster.is_none()
    }

    /// Fails if an option needs more than the verdicts that `--quick` decides.
    pub(super) fn check_quick(&self) -> Result<(), Failure> {
        if !self.check_options.quick {
            return Ok(());
        }
        let by = match self.list_options.group_by {
            GroupBy::Piece => Some("--group-by piece"),
            GroupBy::Place => Some("--group-by place"),
            _ => None,
        };
        let allows_known = self.list_options.allow.iter().any(|some| some.known);
        let keeps = self.outputs.review_option().or(allows_known.then_some("--allow known"));
        if let Some(option) = keeps {
            return Err(Failure::input(format!(
                "--quick measures no depths, but {option} needs them to see whether a clash became worse; leave out \
                 one of the two"
            )));
        }
        match by.or(self.outputs.needs_faces()) {
            None => Ok(()),
            Some(option) => Err(Failure::input(format!(
                "--quick decides verdicts only, but {option} needs to know where parts clash; leave out one of the two"
            ))),
        }
    }

    /// The files that the command reads, and that it must not overwrite.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files = self
            .files
            .iter()
            .chain(&self.pair_options.ignore_file)
            .chain(&self.list_options.baseline)
            .chain(self.robot_options.files())
            .chain(&self.path_options.path);
        files.map(PathBuf::as_path)
    }
}

impl PairOptions {
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

    /// All rules: those of `--ignore` and those of the files.
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

impl ListOptions {
    /// The clashes that are allowed. `has_review` says whether a review file is given.
    pub(super) fn allowed(&self, has_review: bool) -> Result<Allowed, Failure> {
        let allowed = self.allow.iter().fold(Allowed::default(), |all, more| Allowed {
            verdicts: all.verdicts.union(more.verdicts),
            known: all.known || more.known,
            approved: all.approved || more.approved,
        });
        if allowed.known && self.baseline.is_none() {
            return Err(Failure::input(
                "--allow known: there is no earlier run to compare with; name one with --baseline OLD.json",
            ));
        }
        if allowed.approved && !has_review {
            return Err(Failure::input(
                "--allow approved: there is no review file; name one with --review FILE.json",
            ));
        }
        Ok(allowed)
    }
}

/// Parses a rule of `--ignore`; messages name the option.
fn rule(text: &str) -> Result<Rule, RuleError> {
    let rule: Rule = text.parse()?;
    Ok(rule.from_origin(format!("--ignore `{}`", text.trim())))
}

fn allowed(text: &str) -> Result<Allowed, String> {
    match text.trim() {
        "known" => Ok(Allowed { known: true, ..Allowed::default() }),
        "approved" => Ok(Allowed { approved: true, ..Allowed::default() }),
        text => Ok(Allowed {
            verdicts: text
                .parse()
                .map_err(|error: UnknownVerdict| format!("{error}, known, approved"))?,
            ..Allowed::default()
        }),
    }
}
