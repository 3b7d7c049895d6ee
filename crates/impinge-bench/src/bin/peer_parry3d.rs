//! parry3d as a peer of `impinge bench`; `cargo xtask compare` builds it and runs the comparison.
//!
//! It has two engines. `parry-call` is the public call `query::intersection_test`, which cannot find all pairs.
//! `parry-pieces` walks two parry trees and uses parry's own triangle test, as its mesh intersection does. Both
//! work in single precision.
#![expect(clippy::print_stderr, reason = "a program for the terminal")]

use impinge::{Mesh, Pose};
use impinge_bench::peer::{self, Engine, Engines, Mode, Scenario};
use parry3d::{
    bounding_volume::BoundingVolume,
    glamx::Mat3,
    math::{Pose as ParryPose, Rotation},
    partitioning::BvhNode,
    query::{self, details::intersection_test_support_map_support_map},
    shape::TriMesh,
};
use std::{
    env,
    process::ExitCode,
    rc::Rc,
    time::{Duration, Instant},
};

/// The largest coordinate whose square, and sums of such squares, single precision can hold.
const LARGEST: f64 = 1e18;

fn main() -> ExitCode {
    match peer::run(env::args().skip(1), engines) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("peer_parry3d: {message}");
            ExitCode::FAILURE
        }
    }
}

fn engines(scenario: &Scenario) -> Engines<'_> {
    let mut positions = scenario.a.positions().iter().chain(scenario.b.positions());
    if positions.any(|position| position.abs().max_element() >= LARGEST) {
        return Err(format!("coordinates from {LARGEST:e} on are too large for single precision"));
    }
    let parry = Parry::new(scenario)?;
    Ok(vec![Box::new(ParryPieces(parry.clone())), Box::new(ParryCall(parry))])
}

/// Both meshes in the form of parry3d: in single precision.
#[derive(Clone)]
struct Parry {
    meshes: Rc<[TriMesh; 2]>,
    build_time: Duration,
}

impl Parry {
    fn new(scenario: &Scenario) -> Result<Self, String> {
        let mesh = |mesh: &Mesh| {
            let positions = mesh.positions().iter().map(|p| p.as_vec3()).collect();
            TriMesh::new(positions, mesh.faces().to_vec())
                .map_err(|error| format!("parry3d refuses the mesh: {error}"))
        };
        let start = Instant::now();
        let meshes = Rc::new([mesh(&scenario.a)?, mesh(&scenario.b)?]);
        Ok(Self { meshes, build_time: start.elapsed() })
    }

    fn bytes(&self) -> u64 {
        self.meshes.iter().map(|mesh| mesh.bvh().heap_memory_size() as u64).sum()
    }
}

const VERSION: &str = "parry3d 0.31";

fn parry_pose(pose: &Pose) -> ParryPose {
    let rotation: Mat3 = pose.rotation().as_mat3();
    let rotation = Rotation::from_mat3(&rotation).normalize();
    ParryPose::from_parts(pose.translation().as_vec3(), rotation)
}

/// The engine that uses the public call.
struct ParryCall(Parry);

impl Engine for ParryCall {
    fn name(&self) -> &'static str {
        "parry-call"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn build_time(&self) -> Duration {
        self.0.build_time
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn can(&self, mode: Mode) -> bool {
        mode == Mode::Detect
    }

    fn ask(&mut self, _: Mode, pose: &Pose) -> u64 {
        let [a, b] = &*self.0.meshes;
        let found = query::intersection_test(&ParryPose::IDENTITY, a, &parry_pose(pose), b);
        u64::from(found.is_ok_and(|found| found.intersecting))
    }
}

/// The engine that walks two trees and tests triangle pairs, which is how parry3d can find all pairs.
struct ParryPieces(Parry);

impl Engine for ParryPieces {
    fn name(&self) -> &'static str {
        "parry-pieces"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn build_time(&self) -> Duration {
        self.0.build_time
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn can(&self, _: Mode) -> bool {
        true
    }

    fn ask(&mut self, mode: Mode, pose: &Pose) -> u64 {
        let [a, b] = &*self.0.meshes;
        let pose = parry_pose(pose);
        let overlap = |left: &BvhNode, right: &BvhNode| {
            left.aabb().intersects(&right.aabb().transform_by(&pose))
        };
        let mut touching = a.bvh().leaf_pairs(b.bvh(), overlap).filter(|&(i, j)| {
            intersection_test_support_map_support_map(&pose, &a.triangle(i), &b.triangle(j))
        });
        match mode {
            Mode::Detect => u64::from(touching.next().is_some()),
            Mode::All => touching.count() as u64,
        }
    }
}
