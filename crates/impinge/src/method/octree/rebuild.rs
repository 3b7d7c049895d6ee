//! The complete octrees of moved bodies, compared only after they were built: the method of Kitamura, Takemura and Kishino
//! (1994), without progressive refinement.
//!
//! The lowest level of the octrees is a grid of cells. Each body's octree is the list of the cells that its cubes meet.
//!
//! # Each pair of cubes is found, and once
//!
//! The cell of a coordinate is a monotonic function of it, as computed. Two boxes that overlap both contain the point c
//! whose coordinates are the greater of their least ones. So the cell of c is in the lists of both, and only there they
//! are compared.

use super::place::MovedCube;
use crate::{
    Bounds,
    method::cells::{CellItem, PairVisitor, Rules},
};
use glam::DVec3;
use std::ops::ControlFlow;

/// The cells of all bodies. Memory is reused from query to query.
#[derive(Default)]
pub(super) struct Rebuilt {
    /// Cells, each with a cube that meets it, by its place in the list of cubes.
    cells: Vec<(u32, u32)>,
    /// Comparisons of cubes with cells, and of two cubes.
    pub(super) tests: u64,
}

/// The most levels of a grid: 2ⁿ cells along each side.
const MAX_LEVEL: u32 = 6;

/// A grid of cells over a cube.
struct Grid {
    origin: DVec3,
    /// Cells per length.
    scale: f64,
    count: u32,
}

impl Grid {
    /// A grid over a cube whose cells are at least as large as half a box, with at most `level` levels.
    fn new(root: &Bounds, smallest: f64, level: u32) -> Self {
        let side = root.size().max_element();
        let mut count = 1;
        while count < 1 << level.min(MAX_LEVEL) && side / f64::from(count) > smallest {
            count *= 2;
        }
        let scale = f64::from(count) / side;
        // Everything is in one cell if the cube is a point, or so small or large that the scale overflows.
        let scale = if scale.is_finite() { scale } else { 0.0 };
        Self { origin: root.min, scale, count }
    }

    /// The cell of a point. Points outside belong to the nearest cell.
    fn cell(&self, point: DVec3) -> [u32; 3] {
        let along = (point - self.origin) * self.scale;
        // A conversion takes numbers below 0, and NaN, to 0.
        along.to_array().map(|along| (along as u32).min(self.count - 1))
    }

    fn number(&self, [x, y, z]: [u32; 3]) -> u32 {
        (z * self.count + y) * self.count + x
    }
}

impl Rebuilt {
    /// Visits all pairs of cubes that interfere, with at most `level` levels of cells.
    pub(super) fn run(
        &mut self,
        cubes: &[MovedCube],
        rules: &Rules<'_>,
        level: u32,
        visitor: &mut impl PairVisitor<MovedCube>,
    ) -> ControlFlow<()> {
        self.cells.clear();
        self.tests = 0;
        let smallest = cubes.iter().map(|cube| cube.bounds().size().max_element());
        let smallest = smallest.fold(f64::INFINITY, f64::min);
        let grid = Grid::new(&rules.regions.root_cube(), smallest, level);
        for (place, cube) in (0..).zip(cubes) {
            let [low, high] = [cube.bounds().min, cube.bounds().max].map(|p| grid.cell(p));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    let row = (low[0]..=high[0]).map(|x| (grid.number([x, y, z]), place));
                    self.cells.extend(row);
                }
            }
        }
        self.tests += self.cells.len() as u64;
        // Cubes are sorted by body, so the cubes of a cell are, too.
        self.cells.sort_unstable();
        let mut tests = 0;
        for cell in self.cells.chunk_by(|(a, _), (b, _)| a == b) {
            let cube = |entry: &(u32, u32)| &cubes[entry.1 as usize];
            for (i, run) in
                cell.chunk_by(|a, b| cube(a).body() == cube(b).body()).scan(0, |start, run| {
                    *start += run.len();
                    Some((*start, run))
                })
            {
                for other in cell[i..].chunk_by(|a, b| cube(a).body() == cube(b).body()) {
                    let bodies = [cube(&run[0]).body(), cube(&other[0]).body()];
                    if !rules.regions.compares(rules.pairs, bodies) {
                        continue;
                    }
                    visitor.begin(bodies);
                    tests += (run.len() * other.len()) as u64;
                    for &(_, place) in run {
                        for &(_, other_place) in other {
                            let places = [place, other_place];
                            let [a, b] = places.map(|place| &cubes[place as usize]);
                            let common = a.bounds().intersection(b.bounds());
                            let is_here = grid.number(grid.cell(common.min)) == cell[0].0;
                            if !common.is_empty() && is_here {
                                visitor.compare(places, a, b)?;
                            }
                        }
                    }
                    visitor.pause()?;
                }
            }
        }
        self.tests += tests;
        ControlFlow::Continue(())
    }
}
