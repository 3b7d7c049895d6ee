//! The part of the example: a block with a stepped pocket, a boss, a trough and a curved crown.

use impinge::{Mesh, glam::DVec3};
use std::collections::HashMap;

/// The size of the block from above, and its lower side, in millimetres.
const SIZE: [f64; 2] = [80.0, 50.0];
const BOTTOM: f64 = -20.0;

/// The crown is a part of a cylinder along y, with this radius, whose top is at the height of the top face.
const CROWN: [f64; 2] = [59.0, 79.0];
const CROWN_RADIUS: f64 = 20.0;
const CROWN_CELLS: u32 = 40;

/// Returns the part as a closed mesh, in millimetres. Its top face is at z = 0, and its left front corner at the origin.
pub fn part() -> Mesh {
    let mut x = vec![0.0, 4.0, 22.5, 27.5, 46.0, 51.0];
    let width = CROWN[1] - CROWN[0];
    let share = |cell: u32| f64::from(cell) / f64::from(CROWN_CELLS);
    x.extend((0..=CROWN_CELLS).map(|cell| CROWN[0] + width * share(cell)));
    x.push(SIZE[0]);
    let y = [0.0, 4.0, 18.5, 23.5, 38.0, 46.0, SIZE[1]];
    let mut grid = Blocks::new(&x, &y);
    for row in 0..y.len() - 1 {
        for column in 0..x.len() - 1 {
            let ends = [x[column], x[column + 1]];
            let middle = [0.5 * (ends[0] + ends[1]), 0.5 * (y[row] + y[row + 1])];
            grid.block(column, row, ends.map(|end| height(end, middle)));
        }
    }
    grid.into_mesh()
}

/// The height of the part at `x`, seen from a cell with this middle.
fn height(x: f64, middle: [f64; 2]) -> f64 {
    let within = |[low, high]: [f64; 2], value: f64| low < value && value < high;
    let is_in = |xs: [f64; 2], ys: [f64; 2]| within(xs, middle[0]) && within(ys, middle[1]);
    match () {
        () if is_in([22.5, 27.5], [18.5, 23.5]) => 4.0,
        () if is_in([4.0, 46.0], [4.0, 38.0]) => -12.0,
        () if is_in([4.0, 46.0], [38.0, 46.0]) => -6.0,
        () if within(CROWN, middle[0]) => {
            let across = x - 0.5 * (CROWN[0] + CROWN[1]);
            (CROWN_RADIUS * CROWN_RADIUS - across * across).sqrt() - CROWN_RADIUS
        }
        () if middle[0] > 51.0 => -9.0,
        () => 0.0,
    }
}

/// Blocks side by side on a grid: each has a flat lower side, and an upper side that may rise along x.
struct Blocks<'g> {
    x: &'g [f64],
    y: &'g [f64],
    /// The heights of the upper side of each block at its two ends along x, row by row.
    heights: Vec<[f64; 2]>,
    positions: Vec<DVec3>,
    vertex_at: HashMap<[u64; 3], u32>,
    faces: Vec<[u32; 3]>,
}

impl<'g> Blocks<'g> {
    fn new(x: &'g [f64], y: &'g [f64]) -> Self {
        let heights = vec![[BOTTOM; 2]; (x.len() - 1) * (y.len() - 1)];
        Self { x, y, heights, positions: vec![], vertex_at: HashMap::new(), faces: vec![] }
    }

    fn block(&mut self, column: usize, row: usize, heights: [f64; 2]) {
        self.heights[row * (self.x.len() - 1) + column] = heights;
    }

    /// The height of the block to the side of a grid point, at this point. Outside of the grid it is that of the lower side.
    /// `right` and `above` say on which side of the point the block is.
    fn height(&self, column: usize, row: usize, [right, above]: [bool; 2]) -> f64 {
        let of = |at: usize, is_after: bool| if is_after { Some(at) } else { at.checked_sub(1) };
        let (Some(i), Some(j)) = (of(column, right), of(row, above)) else { return BOTTOM };
        let columns = self.x.len() - 1;
        match i < columns && j < self.y.len() - 1 {
            true => self.heights[j * columns + i][usize::from(!right)],
            false => BOTTOM,
        }
    }

    fn vertex(&mut self, column: usize, row: usize, z: f64) -> u32 {
        let position = DVec3::new(self.x[column], self.y[row], z);
        let next = self.positions.len() as u32;
        let key = position.to_array().map(f64::to_bits);
        let vertex = *self.vertex_at.entry(key).or_insert(next);
        if vertex == next {
            self.positions.push(position);
        }
        vertex
    }

    /// The vertices on the vertical line through a grid point, from one height to another, with those of all blocks around
    /// the point: so neighbouring walls share their edges.
    fn line(&mut self, [column, row]: [usize; 2], low: f64, high: f64) -> Vec<u32> {
        let sides = [[false, false], [true, false], [false, true], [true, true]];
        let mut heights: Vec<f64> =
            sides.iter().map(|&side| self.height(column, row, side)).collect();
        heights.retain(|&z| low < z && z < high);
        heights.extend([low, high]);
        heights.sort_by(f64::total_cmp);
        heights.dedup();
        heights.into_iter().map(|z| self.vertex(column, row, z)).collect()
    }

    /// A wall between two grid points. Seen from outside, the first point is on the left. `low` and `high` are the heights of
    /// the lower and the upper block at both points.
    fn wall(&mut self, ends: [[usize; 2]; 2], low: [f64; 2], high: [f64; 2]) {
        let [left, right] = [0, 1].map(|end| self.line(ends[end], low[end], high[end]));
        let (mut i, mut j) = (0, 0);
        while i + 1 < left.len() || j + 1 < right.len() {
            let is_left = j + 1 == right.len() || (i + 1 < left.len() && i <= j);
            if is_left {
                self.faces.push([left[i], right[j], left[i + 1]]);
                i += 1;
            } else {
                self.faces.push([left[i], right[j], right[j + 1]]);
                j += 1;
            }
        }
    }

    /// The wall between the blocks on both sides of a grid line. `from` and `to` are its ends; `a` is the side of the block on
    /// the left of the way, `b` that of the one on the right.
    fn border(&mut self, from: [usize; 2], to: [usize; 2], sides: [[[bool; 2]; 2]; 2]) {
        let [a, b] = sides.map(|[first, last]| {
            [self.height(from[0], from[1], first), self.height(to[0], to[1], last)]
        });
        if a[0] > b[0] || a[1] > b[1] {
            // The block on the left is higher: its wall is seen from the right.
            self.wall([from, to], b, a);
        } else if a != b {
            self.wall([to, from], [a[1], a[0]], [b[1], b[0]]);
        }
    }

    fn into_mesh(mut self) -> Mesh {
        let (columns, rows) = (self.x.len() - 1, self.y.len() - 1);
        for row in 0..=rows {
            for column in 0..=columns {
                if column < columns && row < rows {
                    self.lids(column, row);
                }
                if row < rows {
                    let (from, to) = ([column, row], [column, row + 1]);
                    let side = |right: bool| [[right, true], [right, false]];
                    self.border(from, to, [side(false), side(true)]);
                }
                if column < columns {
                    let (from, to) = ([column, row], [column + 1, row]);
                    let side = |above: bool| [[true, above], [false, above]];
                    self.border(from, to, [side(true), side(false)]);
                }
            }
        }
        Mesh::new(self.positions, self.faces).expect("the vertices are finite, and all exist")
    }

    /// The upper and the lower side of a block.
    fn lids(&mut self, column: usize, row: usize) {
        let ends = self.heights[row * (self.x.len() - 1) + column];
        let mut quad = |z: [f64; 2]| {
            let [x, y] = [column, row];
            [(x, y, z[0]), (x + 1, y, z[1]), (x + 1, y + 1, z[1]), (x, y + 1, z[0])]
                .map(|(x, y, z)| self.vertex(x, y, z))
        };
        let ([a, b, c, d], [p, q, r, s]) = (quad(ends), quad([BOTTOM; 2]));
        self.faces.extend([[a, b, c], [a, c, d], [p, r, q], [p, s, r]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_encloses_a_solid_of_the_right_volume() {
        let part = part();
        let triangles = || part.triangles().map(|t| [t[0], t[1], t[2]]);
        let volume: f64 = triangles().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
        // The area under the crown, as a polygon through points of the circle.
        let crown: f64 = (0..CROWN_CELLS)
            .map(|cell| {
                let z = |cell: u32| height(59.0 + f64::from(cell) * 0.5, [69.0, 1.0]);
                0.5 * 0.5 * (z(cell) + z(cell + 1) + 40.0)
            })
            .sum();
        let boss = 5.0 * 5.0 * 16.0;
        let pocket = 42.0 * 34.0 * 12.0 + 42.0 * 8.0 * 6.0;
        let expected = 51.0 * 50.0 * 20.0 - pocket + boss + 50.0 * (9.0 * 11.0 + crown);
        assert!((volume - expected).abs() < 1e-6, "{volume} {expected}");
        assert!(part.check_solid().is_ok(), "{:?}", part.check_solid());
        assert_eq!(part.bounds().min, DVec3::new(0.0, 0.0, BOTTOM));
        assert_eq!(part.bounds().max, DVec3::new(80.0, 50.0, 4.0));
    }
}
