//! The engines that run in this process: impinge's methods. Peers run in their own process (see `peer.rs`).

use crate::{
    bench::{compare::scenario::Scenario, contender::Contender},
    failure::Failure,
};
use impinge::{FacePair, Pair, Pose};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The question asked at each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Do the meshes touch?
    Detect,
    /// Which pairs of faces touch?
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

/// What is known about an engine before the first query.
#[derive(Clone, Debug)]
pub(super) struct EngineInfo {
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) is_impinge: bool,
    /// Time to prepare both meshes.
    pub(super) build_ms: Option<f64>,
    /// Index size for both meshes, in bytes.
    pub(super) bytes: Option<u64>,
}

/// The answer to a query: the number of pairs (0 or 1 in [`Mode::Detect`]), and the pairs themselves if the
/// engine reports them.
pub(super) struct Found<'f> {
    pub(super) count: u64,
    pub(super) pairs: Option<&'f [FacePair]>,
}

impl Found<'_> {
    fn count(count: usize) -> Self {
        Self { count: count as u64, pairs: None }
    }
}

/// An engine with two prepared meshes.
pub(super) trait Engine {
    fn info(&self) -> &EngineInfo;

    fn can(&self, mode: Mode) -> bool;

    /// Answers a query. `pose` places the second mesh.
    fn ask(&mut self, mode: Mode, pose: &Pose) -> Found<'_>;
}

/// Returns the names of the contenders.
pub(super) fn names(contenders: &[Contender]) -> impl Iterator<Item = String> {
    contenders.iter().map(|contender| contender.name.clone())
}

/// Prepares every contender for a scenario.
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
    info: EngineInfo,
    pair: Pair,
}

impl Impinge {
    fn new(scenario: &Scenario, contender: &Contender) -> Result<Self, Failure> {
        let start = Instant::now();
        let [a, b] = [&scenario.a, &scenario.b].map(|mesh| contender.shape(mesh));
        let build = start.elapsed();
        let pair = Pair::new(&a, &b).map_err(Failure::input)?;
        let info = EngineInfo {
            engine: contender.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            is_impinge: true,
            build_ms: Some(milliseconds(build)),
            bytes: Some((a.bytes() + b.bytes()) as u64),
        };
        Ok(Self { info, pair })
    }
}

impl Engine for Impinge {
    fn info(&self) -> &EngineInfo {
        &self.info
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
