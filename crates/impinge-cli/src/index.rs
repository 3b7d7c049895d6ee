//! `impinge index`: prepares a mesh once, for many runs of `impinge query`.

use crate::{
    failure::Failure,
    grids::Grids,
    output,
    outputs::Outputs,
    progress, source,
    threads::{self, MAX_THREADS},
};
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use impinge::{
    Method, Shape, Threads, WideOptions, WideQuality,
    method::tree::{BuildOptions, Regroup, SplitDirections, SplitPoint, SplitRule},
};
use serde::Serialize;
use std::{path::PathBuf, time::Instant};

/// The heading of the options that a wide tree does not have.
const BINARY: &str = "Options of binary trees";

/// Build the index of a mesh for a method, and write it to a file.
///
/// `impinge query --index-a FILE --index-b FILE` loads index files instead of building the indices again. An
/// index belongs to one mesh: `query` rejects it for any other mesh.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge index housing.stl -o housing.index
  impinge index housing.stl --method wide --quality fast -o housing.index
  impinge index housing.stl --method dop18 --rule surface-area -o housing.index
  impinge query housing.stl shaft.stl --index-a housing.index --index-b shaft.index")]
pub(crate) struct Arguments {
    /// Mesh: a file, or gen:NAME
    mesh: String,
    /// Method: wide or one of the binary trees (aabb, sphere, obb, dop6 … dop26)
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Build quality of a wide tree
    #[arg(long, value_parser = one_of(QUALITIES), default_value = "quality")]
    quality: WideQuality,
    /// Rule that chooses how a node is split
    #[arg(long, help_heading = BINARY, value_parser = one_of(RULES), default_value = "splatter")]
    rule: SplitRule,
    /// Where along its direction a node is split
    #[arg(long, help_heading = BINARY, value_parser = one_of(POINTS), default_value = "mean")]
    point: SplitPoint,
    /// Directions along which nodes may be split
    #[arg(long, help_heading = BINARY, value_parser = one_of(DIRECTIONS), default_value = "axes")]
    directions: SplitDirections,
    /// Whether a split may be revised in view of the splits below it (the oscillating build)
    #[arg(long, help_heading = BINARY, value_parser = one_of(REGROUPS), default_value = "never")]
    regroup: Regroup,
    /// Maximum number of faces in a leaf
    #[arg(long, help_heading = BINARY, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    leaf: u32,
    /// Cut long thin faces into pieces for tighter volumes: number of extra pieces, as a fraction of all
    /// faces
    #[arg(long, help_heading = BINARY, value_name = "SHARE", default_value_t = 0.0)]
    #[arg(allow_negative_numbers = true)]
    split_skinny: f64,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    grids: Grids,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

/// Option values by name.
type Names<T> = &'static [(&'static str, T)];

const QUALITIES: Names<WideQuality> =
    &[("fast", WideQuality::Fast), ("quality", WideQuality::Quality)];
const RULES: Names<SplitRule> = &[
    ("splatter", SplitRule::Splatter),
    ("longest-side", SplitRule::LongestSide),
    ("min-sum", SplitRule::MinSum),
    ("min-max", SplitRule::MinMax),
    ("surface-area", SplitRule::SurfaceArea),
    ("least-growth", SplitRule::LeastGrowth),
];
const POINTS: Names<SplitPoint> = &[("mean", SplitPoint::Mean), ("median", SplitPoint::Median)];
const DIRECTIONS: Names<SplitDirections> = &[
    ("axes", SplitDirections::Axes),
    ("corners", SplitDirections::Corners),
    ("edges", SplitDirections::Edges),
    ("all", SplitDirections::All),
];
const REGROUPS: Names<Regroup> = &[
    ("never", Regroup::Never),
    ("least-volume", Regroup::LeastVolume),
    ("least-volume-each", Regroup::LeastVolumeEach),
];

/// Returns a parser that accepts these names.
fn one_of<T: Copy + Send + Sync>(names: Names<T>) -> impl TypedValueParser<Value = T> {
    let parser = PossibleValuesParser::new(names.iter().map(|(name, _)| *name));
    parser.try_map(move |given| {
        names.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or("unknown")
    })
}

impl Arguments {
    fn options(&self) -> Result<BuildOptions, Failure> {
        if !(0.0..=4.0).contains(&self.split_skinny) {
            let message = format!("--split-skinny {}: must be from 0 to 4", self.split_skinny);
            return Err(Failure::input(message));
        }
        Ok(BuildOptions::default()
            .rule(self.rule)
            .point(self.point)
            .directions(self.directions)
            .regroup(self.regroup)
            .leaf(self.leaf)
            .split_skinny(self.split_skinny)
            .threads(self.threads()))
    }

    /// Rejects options that the method does not use.
    fn check(&self, method: Method, options: &BuildOptions) -> Result<(), Failure> {
        let is_wide = method == Method::WIDE;
        if is_wide && *options != BuildOptions::default().threads(self.threads()) {
            let message = "--rule, --point, --directions, --regroup, --leaf and --split-skinny work \
                           with binary trees, not with `wide`; choose such a tree, for example \
                           --method obb";
            return Err(Failure::input(message));
        }
        if !is_wide && self.quality != WideQuality::default() {
            return Err(Failure::input(format!(
                "--quality works with `wide`, not with `{method}`"
            )));
        }
        Ok(())
    }

    fn threads(&self) -> Threads {
        if self.threads == 1 { Threads::One } else { Threads::Pool }
    }
}

#[derive(Serialize)]
struct Report {
    method: &'static str,
    faces: usize,
    build_ms: f64,
    /// Size of the index in memory.
    bytes: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let method: Method = arguments.method.parse().map_err(Failure::input)?;
    let options = arguments.options()?;
    arguments.check(method, &options)?;
    let outputs = Outputs::new([("--output", Some(arguments.output.as_path()))]);
    outputs.check(source::file(&arguments.mesh))?;
    let mesh =
        outputs.reading(|| source::mesh_with(&arguments.mesh, &arguments.grids.options()))?;
    let pool = threads::pool(arguments.threads)?;
    let start = Instant::now();
    let faces = mesh.faces().len();
    let building = || {
        if method == Method::WIDE {
            let options = WideOptions::default().quality(arguments.quality);
            Shape::build(options.threads(arguments.threads()), mesh)
        } else {
            Shape::build((method, options), mesh)
        }
    };
    let shape = progress::with_spinner(&format!("{method}: building"), || match &pool {
        None => building(),
        Some(pool) => pool.install(building),
    });
    let build_ms = output::to_thousandths(start.elapsed().as_secs_f64() * 1e3);
    let saving = || impinge_io::save_index(&arguments.output, &shape);
    progress::with_spinner("saving", saving)?;
    let report = Report { method: method.name(), faces, build_ms, bytes: shape.bytes() };
    if arguments.json {
        return output::json(&report);
    }
    let (faces, bytes) = (output::count(faces, "face"), report.bytes);
    output::text(&format!("{method}: {faces}, {bytes} bytes, built in {build_ms} ms\n"))
}
