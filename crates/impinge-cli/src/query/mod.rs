//! `impinge query`: which faces of two meshes touch, at each of many poses.

mod batch;
mod between;
mod own;
mod report;
mod workload;

use crate::{
    cells::CellArguments,
    failure::Failure,
    grids::Grids,
    length::{self, Length},
    output,
    outputs::Outputs,
    source,
    threads::{self, MAX_THREADS},
    trees::{self, LeafSize, OrderArguments, TreeArguments, TumblingArguments},
};
use clap::value_parser;
use impinge::{
    Mesh, Method, Pose,
    glam::{DMat3, DVec3},
    method::{face_octree::FaceOctreeOptions, hull::HullOptions, octree::OctreeOptions},
};
use impinge_io::assembly::Unit;
use report::Report;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use workload::{Answer, Ask, Prepare, Rows, Workload};

/// Find the faces of two meshes that touch, at each of many poses.
///
/// Each pose in turn places mesh B in the frame of mesh A; mesh A does not move. Each query stops at the
/// first pair of faces that touch; with --all it finds all of them.
///
/// With --swept and --first-impact a step is the motion from a pose to the next. B turns about an axis of constant
/// direction, by less than half a turn, while its origin moves on a straight line; so contacts between the poses are
/// found, too. --first-impact finds the first time at which faces touch, or proves that none do. --swept finds
/// all pairs of faces whose swept spaces meet, some of which may not touch.
///
/// With --self there is no mesh B: it finds the faces of A that are in contact with each other. Faces that share a
/// vertex or an edge are in contact only if they meet elsewhere, too, or are folded onto each other.
///
/// With --method all, the options of binary trees apply to the binary trees, and those of octrees to octrees; the
/// other methods use their defaults.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge query gen:torus gen:sphere,faces=3968 --poses gen:tumble,steps=200 --all
  impinge query a.obj b.stl --poses poses.csv --all --pairs contacts.csv
  impinge query a.obj b.obj --poses poses.csv --method all --json
  impinge query a.glb b.glb --poses poses.csv --all --within 0.5mm
  impinge query a.obj b.obj --poses poses.csv --write-distances gaps.csv
  impinge query a.obj b.obj --poses poses.csv --batch
  impinge query a.obj b.obj --poses slide.csv --translation-only
  impinge query a.obj b.obj --poses poses.csv --first-impact
  impinge query a.obj b.obj --poses poses.csv --swept --pairs swept.csv
  impinge query gen:torus gen:sphere --poses gen:tumble,steps=20 --method face-octree --level 6
  impinge query cloth.ply --self --all --pairs folds.csv
  impinge query part.stl --self --shared-by position",
    after_help = "\
A pose file has one line for each step: 12 numbers, the row-major 3x4 matrix [R|t] that
places B in A's frame. Without --poses there is one step, with B as it is in its file.

Output: a table on a terminal; one JSON line with --json, or if the output is not a
terminal. Its fields: engine, version, method, mode, tris_a, tris_b, steps, build_ms, bytes
(of the index for both meshes), mean_us, p50_us, p99_us, max_us (times of the queries
alone), colliding_steps, pairs (null without --all). Some options add fields: --swept adds
compared, --first-impact adds impact_step, impact_time, impact_faces, impact_points,
impact_normal, impact_distance. With --self:
engine, version, method, mode, shared_by, tris, build_ms, bytes, query_us, touching, pairs."
)]
pub(crate) struct Arguments {
    /// First mesh: a file, or gen:NAME
    #[arg(value_name = "A")]
    a: String,
    /// Second mesh: a file, or gen:NAME
    #[arg(value_name = "B", required_unless_present = "own")]
    b: Option<String>,
    /// Find the faces of A that are in contact with each other, instead of those of two meshes
    #[arg(
        long = "self",
        id = "own",
        conflicts_with_all = ["b", "poses", "translation_only", "within", "distance", "write_distances", "swept", "first_impact",
            "write_impacts", "cache", "batch", "budget", "stats", "index_a", "index_b", "leaf_a", "leaf_b", "TumblingArguments", "OrderArguments"]
    )]
    own: bool,
    /// With --self: which vertices of two faces are the same
    #[arg(long, value_name = "WHAT", conflicts_with = "b", default_value = "index")]
    shared_by: own::Shared,
    /// Poses of B in A's frame: a CSV file, or gen:NAME
    #[arg(long, value_name = "FILE")]
    poses: Option<String>,
    /// Require that B only translates: all poses have one and the same rotation. B is turned once, before its index is
    /// built, and volumes are only moved from then on. Answers are the same without it; poses without any rotation are
    /// recognised, and as fast without it
    #[arg(long, requires = "poses", conflicts_with_all = ["index_b"])]
    translation_only: bool,
    /// Find all pairs of faces that touch, not only whether there are any
    #[arg(long)]
    all: bool,
    /// Also find pairs of faces that do not touch but are at most this far apart: 0.5mm, or 0.5 in the unit
    /// of the meshes
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    within: Option<Length>,
    /// Unit of mesh files that do not state one (OBJ, STL, PLY, OFF, ESRI ASCII grid), for lengths given with a
    /// unit: mm, cm, m, in or ft
    #[arg(long, value_name = "UNIT")]
    file_units: Option<Unit>,
    /// Find the minimum distance between the meshes instead
    #[arg(long, conflicts_with_all = ["all", "within", "pairs", "cache", "batch", "budget", "order"])]
    distance: bool,
    /// Find all pairs of faces whose swept spaces meet between each pose and the next
    #[arg(long, requires = "poses", conflicts_with_all = ["all", "within", "distance", "write_distances", "first_impact",
        "write_impacts", "cache", "batch", "budget", "stats", "order"])]
    swept: bool,
    /// Find the first time between each pose and the next at which faces touch
    #[arg(long, requires = "poses", conflicts_with_all = ["all", "within", "distance", "write_distances", "pairs",
        "cache", "batch", "budget", "stats", "order"])]
    first_impact: bool,
    /// Search method (see `impinge methods`), or `all` to run every method and compare the answers. `all` leaves
    /// out `naive` if it would have to compare over 100 million pairs of faces
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Write all touching pairs of faces as CSV rows step,face_a,face_b; implies --all
    #[arg(long, value_name = "OUT.csv")]
    pairs: Option<PathBuf>,
    /// Write the minimum distance at each step, with the closest points and faces; implies --distance
    #[arg(long, value_name = "OUT.csv", conflicts_with_all = ["all", "within", "pairs", "cache", "batch", "budget", "order"])]
    write_distances: Option<PathBuf>,
    /// Write the first impact in each step that has one, with its points and its normal; implies --first-impact
    #[arg(long, value_name = "OUT.csv", requires = "poses", conflicts_with_all = ["all", "within", "distance",
        "write_distances", "pairs", "cache", "batch", "budget", "stats", "order"])]
    write_impacts: Option<PathBuf>,
    /// Threads to use; 0 for one per core. The threads share the work of each long step, or, with --batch,
    /// the steps. --distance, --swept, --first-impact, --cache and --budget use one thread: with them, N may
    /// only be 0 or 1
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    /// Start each step from the result of the previous step, which is faster if B moves little
    #[arg(long, conflicts_with = "budget")]
    cache: bool,
    /// Answer all steps as one batch, and report the number of poses per second
    #[arg(long, conflicts_with_all = ["cache", "budget", "stats"])]
    batch: bool,
    /// Stop each step after this many tests of volumes and faces, even if it is undecided. Not with --method
    /// all; the methods brute, naive, octree and face-octree ignore it
    #[arg(long, value_name = "TESTS", value_parser = value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// Report the mean number of volume tests, face tests and placed volumes per step
    #[arg(long)]
    stats: bool,
    /// Index of A: a file that `impinge index` wrote; it also sets the method. Needs --index-b
    #[arg(long, value_name = "FILE", requires = "index_b", conflicts_with_all = ["method", "TreeArguments", "TumblingArguments", "CellArguments"])]
    index_a: Option<PathBuf>,
    /// Index of B, for the same method. Needs --index-a
    #[arg(long, value_name = "FILE", requires = "index_a", conflicts_with_all = ["method", "TreeArguments", "TumblingArguments", "CellArguments"])]
    index_b: Option<PathBuf>,
    #[command(flatten)]
    tree: TreeArguments,
    /// Maximum number of faces in a leaf of A, instead of --leaf
    #[arg(long, help_heading = trees::HEADING, value_name = "N", conflicts_with = "index_a")]
    leaf_a: Option<LeafSize>,
    /// Maximum number of faces in a leaf of B, instead of --leaf
    #[arg(long, help_heading = trees::HEADING, value_name = "N", conflicts_with = "index_b")]
    leaf_b: Option<LeafSize>,
    #[command(flatten)]
    tumbling: TumblingArguments,
    #[command(flatten)]
    order: OrderArguments,
    #[command(flatten)]
    cells: CellArguments,
    #[command(flatten)]
    grids: Grids,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn ask(&self) -> Result<Ask, Failure> {
        if self.distance || self.write_distances.is_some() {
            return Ok(Ask::Distance);
        }
        if self.swept {
            return Ok(Ask::Swept);
        }
        if self.wants_impacts() {
            return Ok(Ask::FirstImpact);
        }
        let tolerance = match self.within {
            None => 0.0,
            Some(length) => length::within(length, "--within", self.units(), "--file-units")?,
        };
        let all = self.all || self.pairs.is_some();
        Ok(Ask::Touching { all, tolerance, budget: self.budget })
    }

    fn wants_impacts(&self) -> bool {
        self.first_impact || self.write_impacts.is_some()
    }

    /// The unit of both meshes, if it is known and the same for both.
    fn units(&self) -> Option<Unit> {
        let grids = self.grids.options();
        let [a, b] =
            [&self.a, self.b()].map(|mesh| source::units(mesh, &grids).or(self.file_units));
        a.filter(|_| a == b)
    }

    /// The second mesh; the arguments are checked to name it, except with --self.
    fn b(&self) -> &str {
        self.b.as_deref().unwrap_or_default()
    }

    /// The output files.
    fn outputs(&self) -> Outputs<'_> {
        Outputs::new([
            ("--pairs", self.pairs.as_deref()),
            ("--write-distances", self.write_distances.as_deref()),
            ("--write-impacts", self.write_impacts.as_deref()),
        ])
    }

    /// The input files named on the command line.
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let sources = [Some(&self.a), self.b.as_ref(), self.poses.as_ref()].into_iter().flatten();
        let indices = self.index_a.iter().chain(&self.index_b).map(PathBuf::as_path);
        sources.filter_map(|source| source::file(source)).chain(indices)
    }

    /// Returns the number of threads, 0 for one per core. Some options work on one thread only: with them, a
    /// larger number is an error.
    fn threads(&self) -> Result<u16, Failure> {
        let single = [
            ("--distance", self.distance),
            ("--write-distances", self.write_distances.is_some()),
            ("--swept", self.swept),
            ("--first-impact", self.wants_impacts()),
            ("--cache", self.cache),
            ("--budget", self.budget.is_some()),
        ];
        match (single.into_iter().find(|(_, is_given)| *is_given), self.threads) {
            (None, threads) => Ok(threads),
            (Some(_), 0 | 1) => Ok(1),
            (Some((option, _)), threads) => Err(Failure::input(format!(
                "--threads {threads}: {option} works on one thread; leave out --threads"
            ))),
        }
    }

    /// Where the prepared meshes come from: one method, every method, or index files.
    fn prepare(&self) -> Result<Vec<Prepare<'_>>, Failure> {
        if let (Some(a), Some(b)) = (&self.index_a, &self.index_b) {
            return Ok(vec![Prepare::Load { a, b }]);
        }
        let methods = match self.method.as_str() {
            "all" if self.budget.is_some() => {
                let message = "--method all compares answers, but --budget may leave steps \
                               undecided; use only one of them";
                return Err(Failure::input(message));
            }
            "all" => Method::ALL.to_vec(),
            name => vec![name.parse::<Method>().map_err(Failure::input)?],
        };
        self.order.check(&methods)?;
        let options = self.tree.options(&methods)?;
        let leaves = [("--leaf-a", self.leaf_a), ("--leaf-b", self.leaf_b)];
        for (option, _) in leaves.iter().filter(|(_, leaf)| leaf.is_some()) {
            trees::check_trees(option, &methods)?;
        }
        let [for_a, for_b] = leaves.map(|(_, leaf)| options.with_leaf(leaf));
        // Only the nodes of B are placed.
        let options = [for_a.in_place(), self.tumbling.added_to(for_b, &methods)?];
        let (face_octree, octree, separation) = self.cells.choices(&methods)?;
        let face_octree = face_octree.options(FaceOctreeOptions::default());
        let octree = octree.options(OctreeOptions::default());
        let hull = HullOptions::default().separation(separation.unwrap_or_default());
        let way = |method| {
            if method == Method::FACE_OCTREE {
                Prepare::FaceOctree(face_octree)
            } else if method == Method::OCTREE {
                Prepare::Octree(octree)
            } else if method == Method::HULL {
                Prepare::Hull(hull)
            } else {
                Prepare::Build(method, options)
            }
        };
        Ok(methods.into_iter().map(way).collect())
    }

    fn rows(&self) -> Option<Rows<'_>> {
        let pairs = self.pairs.as_deref().map(Rows::Pairs);
        let distances = self.write_distances.as_deref().map(Rows::Distances);
        pairs.or(distances).or(self.write_impacts.as_deref().map(Rows::Impacts))
    }
}

/// `--method all` leaves out the method `naive` if it would compare more pairs of faces than this, which takes
/// about a second.
const NAIVE_LIMIT: u64 = 100_000_000;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.own {
        return own::run(arguments);
    }
    let ask = arguments.ask()?;
    let mut ways = arguments.prepare()?;
    let threads = arguments.threads()?;
    let outputs = arguments.outputs();
    outputs.check(arguments.inputs())?;
    let is_between = matches!(ask, Ask::Swept | Ask::FirstImpact);
    let (a, b, poses, motions) = outputs.reading(|| {
        let grids = arguments.grids.options();
        let [a, b] = [&arguments.a, arguments.b()].map(|mesh| source::mesh_with(mesh, &grids));
        let (a, mut b) = (a?, b?);
        let meshes = Some([&a, &b]);
        let (poses, motions) = match &arguments.poses {
            Some(file) if arguments.translation_only => {
                let poses = source::translations_for(file, meshes)?;
                if is_between {
                    (Vec::new(), source::motions_for(file, meshes)?)
                } else {
                    let (turned, poses) = turned_once(&b, &poses)?;
                    b = turned;
                    (poses, Vec::new())
                }
            }
            Some(file) if is_between => (Vec::new(), source::motions_for(file, meshes)?),
            Some(file) => (source::poses_for(file, meshes)?, Vec::new()),
            None => (vec![Pose::IDENTITY], Vec::new()),
        };
        Ok((a, b, poses, motions))
    })?;
    let workload = Workload {
        meshes: [Arc::new(a), Arc::new(b)],
        poses: &poses,
        motions: &motions,
        ask,
        cache: arguments.cache,
        order: arguments.order,
        batch: arguments.batch,
        pool: threads::pool(threads)?,
    };
    let face_pairs = workload.meshes.iter().map(|mesh| mesh.faces().len() as u64).product::<u64>();
    let face_pairs = face_pairs.saturating_mul(workload.steps() as u64);
    if ways.len() > 1 && leaves_out_naive(face_pairs) {
        ways.retain(|way| !matches!(way, Prepare::Build(method, _) if *method == Method::NAIVE));
    }
    let mut reference: Option<(Method, Vec<Answer>)> = None;
    for way in ways {
        // The rows are the same for every method, so the first method writes them.
        let rows = arguments.rows().filter(|_| reference.is_none());
        let outcome = workload.run(way, rows)?;
        let report = Report::new(&workload, &outcome, arguments.stats);
        if output::wants_json(arguments.json) {
            output::json(&report)?;
        } else {
            output::text(&report.readable())?;
        }
        match &reference {
            None => reference = Some((outcome.method, outcome.answers)),
            Some((first, expected)) => {
                compare(*first, expected, outcome.method, &outcome.answers)?;
            }
        }
    }
    Ok(())
}

/// Turns a mesh by the rotation that all poses have in common. Returns it with poses that only translate.
///
/// The exact test sees the same coordinates as before. A vertex is placed at `((r0·x + r1·y) + r2·z) + t`, where each
/// operation is rounded: the mesh has the rounded term before `t`, and a pose without rotation adds `t` to it unchanged.
fn turned_once(mesh: &Mesh, poses: &[Pose]) -> Result<(Mesh, Vec<Pose>), Failure> {
    let turn = poses.first().map_or(DMat3::IDENTITY, Pose::rotation);
    let turn = Pose::new(turn, DVec3::ZERO).map_err(Failure::input)?;
    let positions = mesh.positions().iter().map(|&position| turn.place(position)).collect();
    let turned = mesh.with_positions(positions).map_err(Failure::input)?;
    let translation = |pose: &Pose| Pose::from_translation(pose.translation());
    let poses = poses.iter().map(translation).collect::<Result<_, _>>().map_err(Failure::input)?;
    Ok((turned, poses))
}

/// Returns whether `--method all` leaves out the method `naive`, and says so.
fn leaves_out_naive(face_pairs: u64) -> bool {
    let is_left_out = face_pairs > NAIVE_LIMIT;
    if is_left_out {
        output::note(&format!(
            "--method all: naive is left out, because it would compare {face_pairs} pairs of faces; \
             --method naive runs it alone"
        ));
    }
    is_left_out
}

fn compare(
    first: Method,
    expected: &[Answer],
    method: Method,
    answers: &[Answer],
) -> Result<(), Failure> {
    match expected.iter().zip(answers).position(|(e, a)| e != a) {
        None => Ok(()),
        Some(step) => Err(Failure::Check(format!(
            "{method} differs from {first} at step {step}: {} against {}; this is a bug in \
             impinge, please report it with the input",
            answers[step], expected[step]
        ))),
    }
}

/// Returns the number of faces of a mesh.
fn faces(mesh: &Mesh) -> usize {
    mesh.faces().len()
}
