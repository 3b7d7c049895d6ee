//! End points of pieces of an intersection, merged where they are equal up to rounding, and which of them are connected.
//!
//! Contact regions and clash checks use this: each pair of faces adds a point, a segment or a polygon, and pieces that
//! have an end in common are connected.

use crate::Bounds;
use glam::DVec3;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Largest distance between ends that count as equal, relative to the size of the smaller body.
const SAME: f64 = 1e-9;

/// Returns the largest distance between end points that count as equal, for two bodies with these bounds.
pub(crate) fn same_point_tolerance(bounds: [&Bounds; 2]) -> f64 {
    let [a, b] = bounds;
    let rounding = 16.0 * f64::EPSILON * a.largest_coordinate().max(b.largest_coordinate());
    (SAME * a.size().length().min(b.size().length())).max(rounding)
}

/// Merges points that are equal up to rounding, and tracks which ones are connected (union-find).
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints {
    tolerance: f64,
    points: Vec<DVec3>,
    /// A hash grid: the newest joint in each cell, and for each joint the one added before it in
    /// the same cell.
    cells: HashMap<[i64; 3], u32, BuildHasherDefault<CellHasher>>,
    previous: Vec<u32>,
    /// The union-find parent of each joint; a root is its own parent.
    parent: Vec<u32>,
}

/// Hashes the numbers of grid cells. They come from geometry, so no attacker gains from collisions, and the hasher
/// of the standard library is slow.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(word));
        });
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }
}

/// Width of a grid cell in tolerances. Few points are so close to a cell border that two cells must
/// be searched.
const CELL: f64 = 64.0;
const NONE: u32 = u32::MAX;

impl Joints {
    /// Forgets all joints. Points within `tolerance` of each other along each axis will be merged.
    pub(crate) fn begin(&mut self, tolerance: f64) {
        // Positive, so that the division by the cell width is defined.
        self.tolerance = tolerance.max(f64::MIN_POSITIVE);
        self.points.clear();
        self.cells.clear();
        self.previous.clear();
        self.parent.clear();
    }

    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The positions of all joints: of each, the first point that was merged into it.
    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Returns the joint at `point`, adding it if there is none within the tolerance.
    pub(crate) fn joint(&mut self, point: DVec3) -> u32 {
        let cell = |p: DVec3| (p / (CELL * self.tolerance)).floor().to_array().map(|c| c as i64);
        let (low, high) = (cell(point - self.tolerance), cell(point + self.tolerance));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut joint = self.cells.get(&[x, y, z]).copied().unwrap_or(NONE);
                    while joint != NONE {
                        let away = (self.points[joint as usize] - point).abs().max_element();
                        if away <= self.tolerance {
                            return joint;
                        }
                        joint = self.previous[joint as usize];
                    }
                }
            }
        }
        let joint = self.points.len() as u32;
        let last = self.cells.insert(cell(point), joint);
        self.points.push(point);
        self.previous.push(last.unwrap_or(NONE));
        self.parent.push(joint);
        joint
    }

    /// Returns the lowest joint that is connected with this one.
    pub(crate) fn root(&mut self, mut joint: u32) -> u32 {
        while self.parent[joint as usize] != joint {
            let parent = self.parent[joint as usize];
            self.parent[joint as usize] = self.parent[parent as usize];
            joint = parent;
        }
        joint
    }

    /// Makes two joints, and all that are connected with them, one component.
    pub(crate) fn connect(&mut self, i: u32, j: u32) {
        let (i, j) = (self.root(i), self.root(j));
        self.parent[i.max(j) as usize] = i.min(j);
    }
}
