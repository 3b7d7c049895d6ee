//! The engines that run in this process: impinge's methods, and parry3d.

use crate::{
    bench::{compare::scenario::Scenario, contender::Contender},
    failure::Failure,
};
use impinge::{FacePair, Mesh, Pair, Pose};
use parry3d::{
    bounding_volume::BoundingVolume,
    glamx::Mat3,
    math::{Pose as ParryPose, Rotation},
    partitioning::BvhNode,
    query::{self, details::intersection_test_support_map_support_map},
    shape::TriMesh,
};
use serde::{Deserialize, Serialize};
use std::{
    rc::Rc,
    time::{Duration, Instant},
};

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

const PARRY_PIECES: &str = "parry-pieces";
const PARRY_CALL: &str = "parry-call";

/// What they are called.
pub(super) fn names(contenders: &[Contender]) -> impl Iterator<Item = String> {
    let parry = [PARRY_PIECES, PARRY_CALL].map(str::to_owned);
    contenders.iter().map(|contender| contender.name.clone()).chain(parry)
}

/// All that are to be compared, prepared for a scenario.
pub(super) fn all<'s>(
    scenario: &'s Scenario,
    contenders: &[Contender],
) -> Result<Vec<Box<dyn Engine + 's>>, Failure> {
    let mut engines: Vec<Box<dyn Engine + 's>> = Vec::new();
    for contender in contenders {
        engines.push(Box::new(Impinge::new(scenario, contender)?));
    }
    let mut positions = scenario.a.positions().iter().chain(scenario.b.positions());
    if positions.all(|p| p.abs().max_element() < LARGEST_SINGLE) {
        let parry = Parry::new(scenario)?;
        engines.push(Box::new(ParryPieces(parry.named(PARRY_PIECES))));
        engines.push(Box::new(ParryCall(parry.named(PARRY_CALL))));
    }
    Ok(engines)
}

/// What single precision can still square: beyond it parry3d is left out.
const LARGEST_SINGLE: f64 = 1e18;

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

impl Engine for Impinge<'_> {
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

/// Both meshes as parry3d has them: in single precision.
#[derive(Clone)]
struct Parry {
    facts: Facts,
    meshes: Rc<[TriMesh; 2]>,
}

impl Parry {
    fn new(scenario: &Scenario) -> Result<Self, Failure> {
        let mesh = |mesh: &Mesh| {
            let positions = mesh.positions().iter().map(|p| p.as_vec3()).collect();
            TriMesh::new(positions, mesh.faces().to_vec())
                .map_err(|error| Failure::input(format!("parry3d refuses the mesh: {error}")))
        };
        let start = Instant::now();
        let meshes = [mesh(&scenario.a)?, mesh(&scenario.b)?];
        let facts = Facts {
            engine: String::new(),
            version: "parry3d 0.31".to_owned(),
            is_impinge: false,
            build_ms: Some(milliseconds(start.elapsed())),
            bytes: Some(meshes.iter().map(|it| it.bvh().heap_memory_size() as u64).sum()),
        };
        Ok(Self { facts, meshes: Rc::new(meshes) })
    }

    fn named(&self, name: &str) -> Self {
        let facts = Facts { engine: name.to_owned(), ..self.facts.clone() };
        Self { facts, meshes: Rc::clone(&self.meshes) }
    }
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let rotation: Mat3 = pose.rotation().as_mat3();
    let rotation = Rotation::from_mat3(&rotation).normalize();
    ParryPose::from_parts(pose.translation().as_vec3(), rotation)
}

/// The public call.
struct ParryCall(Parry);

impl Engine for ParryCall {
    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn can(&self, mode: Mode) -> bool {
        mode == Mode::Detect
    }

    fn ask(&mut self, _: Mode, pose: &Pose) -> Found<'_> {
        let [a, b] = &*self.0.meshes;
        let found = query::intersection_test(&ParryPose::IDENTITY, a, &parry_pose(pose), b);
        Found::count(usize::from(found.is_ok_and(|found| found.intersecting)))
    }
}

/// Its tree against its tree, and its test of two triangles: what it offers to find all pairs by.
struct ParryPieces(Parry);

impl Engine for ParryPieces {
    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn can(&self, _: Mode) -> bool {
        true
    }

    fn ask(&mut self, mode: Mode, pose: &Pose) -> Found<'_> {
        let [a, b] = &*self.0.meshes;
        let pose = parry_pose(pose);
        let overlap = |left: &BvhNode, right: &BvhNode| {
            left.aabb().intersects(&right.aabb().transform_by(&pose))
        };
        let mut touching = a.bvh().leaf_pairs(b.bvh(), overlap).filter(|&(i, j)| {
            intersection_test_support_map_support_map(&pose, &a.triangle(i), &b.triangle(j))
        });
        match mode {
            Mode::Detect => Found::count(usize::from(touching.next().is_some())),
            Mode::All => Found::count(touching.count()),
        }
    }
}
