//! The engines that run in this process: impinge's methods. Others are peers, programs of their own.

use crate::{
    bench::{compare::scenario::Scenario, contender::Contender},
    failure::Failure,
};
use impinge::{FacePair, Pair, Pose};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What is asked of each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Whether anything touches.
    Detect,
    /// All pairs of faces that touch.
    All,
}

impl Mode {
    pub(super) const BOTH: [Self; 2] = [Self::Detect, Self::All];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::All => "all",
        }
    }
}

/// What is known of an engine before it is asked anything.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) is_impinge: bool,
    /// Time to prepare both meshes.
    pub(super) build_ms: Option<f64>,
    /// What the engine holds for both meshes.
    pub(super) bytes: Option<u64>,
}

/// An answer: how many pairs, or 1 for any in [`Mode::Detect`]; and which, if the engine says so.
pub(super) struct Found<'f> {
    pub(super) count: u64,
    pub(super) pairs: Option<&'f [FacePair]>,
}

impl Found<'_> {
    fn count(count: usize) -> Self {
        Self { count: count as u64, pairs: None }
    }
}

/// Two meshes, prepared.
pub(super) trait Engine {
    fn facts(&self) -> &Facts;

    fn can(&self, mode: Mode) -> bool;

    /// The second mesh is placed by the pose.
    fn ask(&mut self, mode: Mode, pose: &Pose) -> Found<'_>;
}

/// What they are called.
pub(super) fn names(contenders: &[Contender]) -> impl Iterator<Item = String> {
    contenders.iter().map(|contender| contender.name.clone())
}

/// All that are to be compared, prepared for a scenario.
pub(super) fn all<'s>(
    scenario: &'s Scenario,
    contenders: &[Contender],
) -> Result<Vec<Box<dyn Engine + 's>>, Failure> {
    let engine = |contender: &Contender| -> Result<Box<dyn Engine + 's>, Failure> {
        Ok(Box::new(Impinge::new(scenario, contender)?))
    };
    contenders.iter().map(engine).collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

struct Impinge {
    facts: Facts,
    pair: Pair,
}

impl Impinge {
    fn new(scenario: &Scenario, contender: &Contender) -> Result<Self, Failure> {
        let start = Instant::now();
        let [a, b] = [&scenario.a, &scenario.b].map(|mesh| contender.shape(mesh));
        let build = start.elapsed();
        let pair = Pair::new(&a, &b).map_err(Failure::input)?;
        let facts = Facts {
            engine: contender.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            is_impinge: true,
            build_ms: Some(milliseconds(build)),
            bytes: Some((a.bytes() + b.bytes()) as u64),
        };
        Ok(Self { facts, pair })
    }
}

impl Engine for Impinge {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn can(&self, _: Mode) -> bool {
        true
    }

    fn ask(&mut self, mode: Mode, pose: &Pose) -> Found<'_> {
        match mode {
            Mode::Detect => Found::count(usize::from(self.pair.intersects(&Pose::IDENTITY, pose))),
            Mode::All => {
                let pairs = self.pair.contacts(&Pose::IDENTITY, pose);
                Found { count: pairs.len() as u64, pairs: Some(pairs) }
            }
        }
    }
}
