//! Counts and times of queries with two binary trees, each built with options of its own.

use crate::scenes::Scene;
use impinge::Pose;
use impinge::method::tree::{BuildOptions, BvTree, Scratch};
use impinge::narrow::TriangleTest;
use impinge::volume::{BoundingVolume, Relative};
use std::ops::ControlFlow;
use std::time::Instant;

/// What all queries of a scene cost. Tests and times of queries are means over the poses.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Memory of both trees per face.
    pub bytes: f64,
    /// Time to build both trees, in milliseconds.
    pub build: f64,
    /// Time of a query for all contacts, in microseconds.
    pub query: f64,
    /// Pairs of volumes tested.
    pub volume_tests: u64,
    /// Pairs of faces tested.
    pub face_tests: u64,
    /// Pairs of faces that touch, over all poses.
    pub pairs: usize,
    /// The sum of the volumes of all nodes of the tree that stays in place.
    pub total_volume: f64,
    /// The height of the tree that stays in place.
    pub height: u32,
}

impl Measure {
    /// Builds the trees of a scene, and runs all of its queries.
    pub fn of<V: BoundingVolume>(scene: &Scene, [for_a, for_b]: [BuildOptions; 2]) -> Self {
        let start = Instant::now();
        let a = BvTree::<V>::build(&scene.a, for_a);
        let b = BvTree::<V>::build(&scene.b, for_b);
        let build = start.elapsed();
        let mut scratch = Scratch::default();
        let mut pairs = Vec::new();
        let (mut count, mut volume_tests, mut face_tests) = (0, 0, 0);
        let start = Instant::now();
        for pose in &scene.poses {
            let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
            let mut bounds = a.frame().placed_bounds(&Pose::IDENTITY);
            bounds.merge(&b.frame().placed_bounds(pose));
            let test = TriangleTest::within(&bounds);
            pairs.clear();
            let _ = a.visit_leaf_pairs(&b, &relative, &mut scratch, &mut |[faces, others]| {
                for &other in others {
                    let placed = scene.b.triangle(other).map(|corner| pose.place(corner));
                    let touches = |&&face: &&u32| test.intersects(&scene.a.triangle(face), &placed);
                    pairs.extend(faces.iter().filter(touches).map(|&face| (face, other)));
                }
                ControlFlow::<()>::Continue(())
            });
            if a.repeats_faces() || b.repeats_faces() {
                pairs.sort_unstable();
                pairs.dedup();
            }
            count += pairs.len();
            volume_tests += scratch.counts.volume_tests;
            face_tests += scratch.counts.face_tests;
        }
        let query = start.elapsed();
        let poses = scene.poses.len();
        Self {
            bytes: (a.bytes() + b.bytes()) as f64
                / (scene.a.faces().len() + scene.b.faces().len()) as f64,
            build: build.as_secs_f64() * 1e3,
            query: query.as_secs_f64() * 1e6 / poses as f64,
            volume_tests: volume_tests / poses as u64,
            face_tests: face_tests / poses as u64,
            pairs: count,
            total_volume: a.total_volume(),
            height: a.height(),
        }
    }

    /// Returns these counts with the shorter times of two measurements.
    #[must_use]
    pub fn best(self, other: &Self) -> Self {
        let (build, query) = (self.build.min(other.build), self.query.min(other.query));
        Self { build, query, ..self }
    }
}

/// Measures variants in turns, so that other load affects all alike, and keeps the shortest times of each.
///
/// # Panics
/// If two variants find a different number of contacts.
pub fn in_turns<T>(
    rounds: usize,
    variants: &[T],
    mut measure: impl FnMut(&T) -> Measure,
) -> Vec<Measure> {
    let mut rows: Vec<Measure> = variants.iter().map(&mut measure).collect();
    for _ in 1..rounds {
        for (variant, row) in variants.iter().zip(&mut rows) {
            *row = row.best(&measure(variant));
        }
    }
    assert!(rows.iter().all(|row| row.pairs == rows[0].pairs), "one answer");
    rows
}
