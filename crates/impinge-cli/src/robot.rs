//! `impinge robot acm`: computes which pairs of a robot's links need no collision check, and writes them as SRDF.

use crate::{
    failure::Failure,
    input,
    interrupt::Interrupt,
    output::{self, count, note, plain},
    outputs::Outputs,
    progress::Progress,
    reading::Reading,
    threads::{self, MAX_THREADS},
};
use clap::{Subcommand, ValueEnum, value_parser};
use impinge::Threads;
use impinge_clash::{AllowedReason, Matrix, MatrixOptions, allowed_collisions};
use impinge_io::{
    assembly::{Assembly, LinkPair, Srdf},
    write_atomically,
};
use serde::Serialize;
use std::{fmt::Write as _, path::PathBuf, sync::Mutex};

/// Work on robots.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Example:
  impinge robot acm robot.urdf -o robot.srdf")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Compute which pairs of links need no collision check, and write them as SRDF
    ///
    /// This is the allowed-collision matrix of robot planners. A pair of links needs no check if a joint connects
    /// the two (reason Adjacent), if they collide in every configuration (Always), if they touch in the default
    /// pose (Default), or if they collide in no configuration (Never). Always and Never are proven for links that
    /// no joint moves relative to each other. For all others, random configurations are examined.
    #[command(
        before_help = "\
Examples:
  impinge robot acm robot.urdf
  impinge robot acm robot.urdf -o robot.srdf --samples 100000
  impinge robot acm robot.urdf --srdf old.srdf -o new.srdf
  impinge robot acm robot.urdf --samples 0 --default-pose ignored",
        after_help = "\
Never is a statement of probability: a pair that was never seen to collide in N samples
collides, with 95 % confidence, in less than 3/N of all configurations.
The default pose is the one that --joint sets; all other joints stand at 0, or at the limit
nearest to 0."
    )]
    Acm(Box<Acm>),
}

#[derive(Debug, clap::Args)]
struct Acm {
    /// The robot: a .urdf file
    #[arg(value_name = "ROBOT.urdf")]
    file: PathBuf,
    /// SRDF file to write
    #[arg(long, short, value_name = "OUT.srdf")]
    output: Option<PathBuf>,
    /// SRDF file whose other contents are kept: groups, states, and pairs with a reason of their own
    #[arg(long, value_name = "IN.srdf")]
    srdf: Option<PathBuf>,
    /// Number of random configurations; 0 examines only what the geometry proves, and the default pose
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    samples: u64,
    /// The same seed gives the same configurations
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Which pairs are allowed to collide because of the default pose
    #[arg(long, value_name = "PAIRS", default_value = "touching")]
    default_pose: DefaultPose,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    /// Print one JSON object instead of the text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Which pairs are allowed to collide because of the default pose.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DefaultPose {
    /// Pairs that touch: they are probably meant to
    Touching,
    /// Pairs that touch or penetrate each other, as in MoveIt
    Colliding,
    /// None
    Ignored,
}

impl From<DefaultPose> for impinge_clash::DefaultPose {
    fn from(pairs: DefaultPose) -> Self {
        match pairs {
            DefaultPose::Touching => Self::Touching,
            DefaultPose::Colliding => Self::Colliding,
            DefaultPose::Ignored => Self::Ignored,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let What::Acm(arguments) = &arguments.what;
    arguments.run(interrupt)
}

impl Acm {
    fn run(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        let load_options = self.reading.options()?;
        if !input::is_robot(&self.file) {
            return Err(Failure::input(format!(
                "{}: expected a robot (.urdf)",
                self.file.display()
            )));
        }
        // The file may be replaced by itself with a new matrix: it is read completely before it is written.
        let outputs = Outputs::new([("--output", self.output.as_deref())]);
        outputs.check([self.file.as_path()])?;
        let files = std::slice::from_ref(&self.file);
        let assembly = outputs.reading(|| input::load(files, &load_options))?.assembly;
        for skipped in &assembly.skipped {
            note(&format!("skipped: {}: {}", skipped.name, skipped.error));
        }
        let base = self.srdf.as_deref().map(Srdf::load).transpose()?;
        if let Some(base) = &base {
            // Only to find links that the robot does not have.
            assembly.clone().apply_srdf(base, load_options.keep_going)?;
        }

        let matrix = interrupt.during(|| self.matrix(&assembly, interrupt))?;
        for &joint in &matrix.unlimited {
            note(&format!(
                "the joint `{}` slides without limits, so it stayed at its default position",
                assembly.joints[joint as usize].name
            ));
        }
        let pairs: Vec<LinkPair> = matrix
            .allowed
            .iter()
            .map(|&(links, reason)| {
                let name = |link: u32| assembly.links[link as usize].name.clone();
                LinkPair::new(links.map(name), reason.name())
            })
            .collect();
        if let Some(path) = &self.output {
            let comment = match self.samples {
                0 => "impinge robot acm: from the geometry alone".to_owned(),
                samples => format!("impinge robot acm: {samples} samples, seed {}", self.seed),
            };
            let name = assembly.robots.first().map_or("", |robot| &*robot.name);
            let text = match &base {
                Some(base) => base.with_matrix(&pairs, &comment),
                None => Srdf::new_text(name, &pairs, &comment),
            };
            write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        }
        if self.json {
            return output::json(&Report::new(&matrix, &pairs, self));
        }
        output::text(&self.readable(&assembly, &matrix, &pairs))
    }

    fn matrix(&self, assembly: &Assembly, interrupt: &Interrupt) -> Result<Matrix, Failure> {
        let pool = threads::pool(self.threads)?;
        let mut options = MatrixOptions::default();
        (options.samples, options.seed) = (self.samples, self.seed);
        options.default_pose = self.default_pose.into();
        options.threads = if pool.is_some() { Threads::Pool } else { Threads::One };
        let progress = Mutex::new(Progress::new("configurations", self.samples));
        let proceed = |done: u64| {
            // If another thread is updating the bar, skip this update.
            if let Ok(progress) = progress.try_lock() {
                progress.at(done, self.samples);
            }
            !interrupt.is_requested()
        };
        let compute = || allowed_collisions(assembly, &options, &proceed);
        Ok(match &pool {
            None => compute(),
            Some(pool) => pool.install(compute),
        }?)
    }

    fn readable(&self, assembly: &Assembly, matrix: &Matrix, pairs: &[LinkPair]) -> String {
        let links = assembly.links.iter().filter(|link| link.has_geometry).count();
        let mut text = format!(
            "{}: {} with geometry; {} examined\n\n",
            plain(&self.file.to_string_lossy()),
            count(links, "link"),
            count(self.samples, "random configuration")
        );
        let mut rows = vec![["reason", "link", "link"].map(str::to_owned).to_vec()];
        rows.extend(pairs.iter().map(|pair| {
            let [a, b] = [0, 1].map(|side| plain(&pair.links[side]));
            vec![pair.reason.clone(), a, b]
        }));
        // By reason, as the summary counts them; within a reason in the order of the links.
        rows[1..].sort_by(|a, b| a[0].cmp(&b[0]));
        text.push_str(&output::table(&rows));
        let counted: Vec<String> = AllowedReason::ALL
            .into_iter()
            .filter(|&reason| matrix.count(reason) > 0)
            .map(|reason| format!("{} {}", matrix.count(reason), reason.name()))
            .collect();
        let _ = writeln!(
            text,
            "\n{} need no check: {}; {} to be checked",
            count(pairs.len(), "pair"),
            counted.join(", "),
            match matrix.checked {
                1 => "1 pair remains".to_owned(),
                pairs => format!("{pairs} pairs remain"),
            }
        );
        if self.samples > 0 && matrix.count(AllowedReason::Never) > 0 {
            let _ = writeln!(
                text,
                "Never is statistical: with 95 % confidence, each such pair collides in less than {} % of \
                 all configurations",
                output::short(100.0 * bound(self.samples), 2)
            );
        }
        if let Some(path) = &self.output {
            let _ = writeln!(text, "wrote {}", plain(&path.to_string_lossy()));
        }
        text
    }
}

/// The share of configurations below which an event lies, with 95 % confidence, that was never seen in some samples.
fn bound(samples: u64) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / samples as f64)
}

#[derive(Serialize)]
struct Report<'r> {
    version: &'static str,
    samples: u64,
    seed: u64,
    never_below: Option<f64>,
    checked: usize,
    pairs: Vec<Pair<'r>>,
}

#[derive(Serialize)]
struct Pair<'r> {
    a: &'r str,
    b: &'r str,
    reason: &'r str,
}

impl<'r> Report<'r> {
    fn new(matrix: &Matrix, pairs: &'r [LinkPair], arguments: &Acm) -> Self {
        let pair = |pair: &'r LinkPair| {
            let [a, b] = &pair.links;
            Pair { a, b, reason: &pair.reason }
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            samples: arguments.samples,
            seed: arguments.seed,
            never_below: (arguments.samples > 0).then(|| bound(arguments.samples)),
            checked: matrix.checked,
            pairs: pairs.iter().map(pair).collect(),
        }
    }
}
