//! Splits polygons into triangles: a fan where that is correct, ear clipping otherwise.
//!
//! The `earcut` crate is not used: it drops corners of polygons that cross or repeat themselves, and its running time is
//! not bounded (9 ms for 1,000 random corners, so a file of 20 MB of such polygons would take over half a minute).

use glam::{DVec2, DVec3};
use std::{collections::VecDeque, ops::RangeInclusive};

/// Concave polygons with more corners are split as a fan, because the tables of the ear clipper would become larger than
/// the file.
const MAX_CORNERS: usize = 1 << 14;

/// The largest number of steps per corner for the ear clipper before it gives up and the fan is used. Polygons of CAD
/// models need tens; only very large polygons or deliberately tangled ones come near this limit.
const STEPS_PER_CORNER: usize = 512;

/// The largest backward-facing area of a fan triangle, relative to the polygon's area, for the fan to count as correct. It
/// allows for rounding of corners that are meant to be collinear.
const FAN_SLACK: f64 = 1e-12;

/// Splits a polygon of n ≥ 3 corners into exactly n − 2 triangles, in the polygon's orientation.
///
/// If the fan `(c0, ci, ci+1)` is a valid triangulation, as for all convex polygons, it is the result. Other polygons
/// are projected along their mean normal and split by ear clipping. If that finds no valid triangulation (the polygon
/// crosses itself, has no area, has more than 16,384 corners, or takes more than 512 steps per corner), the result is the
/// fan. The running time is linear in the number of corners.
pub(crate) fn triangulate(corners: &[u32], positions: &[DVec3], out: &mut Vec<[u32; 3]>) {
    let done = out.len();
    if corners.len() > 3
        && let Some(points) = concave(corners, positions)
    {
        if Clipper::new(points).clip(corners, out) {
            return;
        }
        out.truncate(done);
    }
    if let [first, rest @ ..] = corners {
        out.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
    }
}

/// Returns the polygon projected along its mean normal, counter-clockwise, if its fan is wrong and ear clipping may
/// succeed.
fn concave(corners: &[u32], positions: &[DVec3]) -> Option<Vec<DVec2>> {
    // The caller checks the indices; an invalid one must not panic here.
    let at = |corner: u32| positions.get(corner as usize).copied();
    let origin = at(corners[0])?;
    let mut extent = 0.0_f64;
    for &corner in &corners[1..] {
        extent = extent.max((at(corner)? - origin).abs().max_element());
    }
    // Scale by a power of two: exact, and products neither overflow nor underflow.
    let unit = f64::from_bits(extent.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    let point = |corner: u32| (positions[corner as usize] - origin) / unit;
    let fan = || corners[1..].windows(2).map(|edge| point(edge[0]).cross(point(edge[1])));

    let normal: DVec3 = fan().sum();
    let slack = FAN_SLACK * normal.length_squared();
    let is_wrong = fan().any(|cross| cross.dot(normal) < -slack);
    if !is_wrong || corners.len() > MAX_CORNERS {
        return None;
    }
    let flat: fn(DVec3) -> DVec2 = match normal.abs().max_position() {
        0 => |p| DVec2::new(p.y, p.z),
        1 => |p| DVec2::new(p.z, p.x),
        _ => |p| DVec2::new(p.x, p.y),
    };
    let turned = normal[normal.abs().max_position()] < 0.0;
    let project = |&corner: &u32| {
        let p = flat(point(corner));
        if turned { DVec2::new(p.y, p.x) } else { p }
    };
    Some(corners.iter().map(project).collect())
}

/// Returns on which side of the line a→b the point c lies: positive for left, 0 if on the line or too close to decide.
fn side(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let (left, right) = ((a.x - c.x) * (b.y - c.y), (a.y - c.y) * (b.x - c.x));
    let det = left - right;
    // Shewchuk's error bound: beyond it the sign is certain.
    if det.abs() > 3.4e-16 * (left.abs() + right.abs()) { det } else { 0.0 }
}

const NONE: u32 = u32::MAX;

/// A polygon whose corners are removed one by one.
///
/// A corner is an ear if it turns left and no other corner lies in the closed triangle that it spans with its neighbours.
/// If any corner lies in that triangle, so does one that does not turn left, so only such corners ("blockers") are kept
/// in the search grid.
struct Clipper {
    points: Vec<DVec2>,
    next: Vec<u32>,
    prev: Vec<u32>,
    grid: Grid,
    steps_left: usize,
}

impl Clipper {
    fn new(points: Vec<DVec2>) -> Self {
        let n = points.len() as u32;
        let mut clipper = Self {
            next: (0..n).map(|i| (i + 1) % n).collect(),
            prev: (0..n).map(|i| (i + n - 1) % n).collect(),
            grid: Grid::new(&points),
            steps_left: points.len() * STEPS_PER_CORNER,
            points,
        };
        for corner in (0..n).filter(|&corner| clipper.turn(corner) <= 0.0).collect::<Vec<_>>() {
            clipper.grid.insert(corner, clipper.points[corner as usize]);
        }
        clipper
    }

    /// Cuts ears until one triangle is left. Returns `false` if no ear was found or the steps are used up.
    fn clip(&mut self, corners: &[u32], out: &mut Vec<[u32; 3]>) -> bool {
        // A first-in, first-out queue: every round takes about every other corner, so triangles and searches stay local. A cut
        // can turn only its two neighbours into ears, so only they are queued again. Where the polygon touches itself, that may
        // miss an ear; therefore all corners are tried once more when the queue is empty.
        let mut waiting: VecDeque<u32> = (0..corners.len() as u32).collect();
        let mut is_waiting = vec![true; corners.len()];
        let (mut left, mut cut_since_all_were_tried) = (corners.len(), false);
        let mut last = 0;
        while left > 3 {
            let Some(tip) = waiting.pop_front() else {
                if !std::mem::take(&mut cut_since_all_were_tried) {
                    return false;
                }
                let rest = std::iter::successors(Some(last), |&i| Some(self.next[i as usize]));
                waiting.extend(rest.take(left));
                waiting.iter().for_each(|&i| is_waiting[i as usize] = true);
                continue;
            };
            is_waiting[tip as usize] = false;
            match self.is_ear(tip) {
                None => return false,
                Some(false) => continue,
                Some(true) => {}
            }
            let [a, _, c] = self.triangle(tip);
            out.push([a, tip, c].map(|i| corners[i as usize]));
            self.next[a as usize] = c;
            self.prev[c as usize] = a;
            for neighbour in [a, c] {
                if self.turn(neighbour) > 0.0 {
                    self.grid.remove(neighbour, self.points[neighbour as usize]);
                }
                if !std::mem::replace(&mut is_waiting[neighbour as usize], true) {
                    waiting.push_back(neighbour);
                }
            }
            (left, last, cut_since_all_were_tried) = (left - 1, a, true);
        }
        out.push(self.triangle(last).map(|i| corners[i as usize]));
        self.turn(last) >= 0.0
    }

    fn turn(&self, corner: u32) -> f64 {
        let [a, b, c] = self.triangle(corner).map(|i| self.points[i as usize]);
        side(a, b, c)
    }

    fn triangle(&self, tip: u32) -> [u32; 3] {
        [self.prev[tip as usize], tip, self.next[tip as usize]]
    }

    /// Returns `None` if the steps are used up.
    fn is_ear(&mut self, tip: u32) -> Option<bool> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        if self.turn(tip) <= 0.0 {
            return Some(false);
        }
        let corners = self.triangle(tip);
        let triangle = corners.map(|i| self.points[i as usize]);
        let [columns, rows] = self.grid.cells_around(triangle);
        for row in rows {
            for column in columns.clone() {
                self.steps_left = self.steps_left.checked_sub(1)?;
                let mut blocker = self.grid.first_in(column, row);
                while blocker != NONE {
                    self.steps_left = self.steps_left.checked_sub(1)?;
                    if !corners.contains(&blocker) && self.blocks(blocker, triangle) {
                        return Some(false);
                    }
                    blocker = self.grid.next[blocker as usize];
                }
            }
        }
        Some(true)
    }

    fn blocks(&self, blocker: u32, triangle: [DVec2; 3]) -> bool {
        let edge_side = |i: usize, p: DVec2| side(triangle[i], triangle[(i + 1) % 3], p);
        let point = self.points[blocker as usize];
        if (0..3).any(|i| edge_side(i, point) < 0.0) {
            return false;
        }
        // A polygon with a hole visits some corners twice. The second visit blocks only if the outline continues from there into
        // the triangle.
        let Some(corner) = triangle.iter().position(|&corner| corner == point) else { return true };
        [self.prev[blocker as usize], self.next[blocker as usize]].into_iter().any(|neighbour| {
            let neighbour = self.points[neighbour as usize];
            edge_side(corner, neighbour) > 0.0 && edge_side((corner + 2) % 3, neighbour) > 0.0
        })
    }
}

/// Square cells, about as many as corners, each with a list of the blockers in it.
///
/// The grid is aligned with the polygon's longest edge, so that the narrow fins and slots of real parts cross few cells.
struct Grid {
    axis: DVec2,
    min: DVec2,
    cells_per_unit: DVec2,
    side: u32,
    first: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
}

/// In `Grid::prev`: the corner is in no list. (`NONE` there: the corner is the first of its list.)
const ABSENT: u32 = NONE - 1;

impl Grid {
    fn new(points: &[DVec2]) -> Self {
        let mut longest = points[0] - points[points.len() - 1];
        for edge in points.windows(2) {
            let edge = edge[1] - edge[0];
            if edge.length_squared() > longest.length_squared() {
                longest = edge;
            }
        }
        let axis = longest.normalize_or(DVec2::X);
        let turned = |point: &DVec2| axis.rotate(*point * DVec2::new(1.0, -1.0));
        let min = points.iter().map(turned).fold(DVec2::INFINITY, DVec2::min);
        let max = points.iter().map(turned).fold(DVec2::NEG_INFINITY, DVec2::max);
        let side = ((points.len() as f64).sqrt() as u32).max(1);
        Self {
            axis,
            min,
            cells_per_unit: f64::from(side) / (max - min).max(DVec2::splat(1e-9)),
            side,
            first: vec![NONE; (side * side) as usize],
            next: vec![NONE; points.len()],
            prev: vec![ABSENT; points.len()],
        }
    }

    /// Transforms a point into the grid's frame, mirrored; only distances matter.
    fn turned(&self, point: DVec2) -> DVec2 {
        self.axis.rotate(point * DVec2::new(1.0, -1.0))
    }

    /// Clamps to the border, so that rounding cannot lead outside the grid.
    fn cell(&self, turned: DVec2) -> [u32; 2] {
        let cell = (turned - self.min) * self.cells_per_unit;
        [cell.x, cell.y].map(|at| (at as u32).min(self.side - 1))
    }

    fn cells_around(&self, triangle: [DVec2; 3]) -> [RangeInclusive<u32>; 2] {
        let [a, b, c] = triangle.map(|point| self.turned(point));
        // The rotation rounds, so a point of the triangle may lie slightly outside its transformed box.
        let slack = DVec2::splat(1e-12);
        let (low, high) = (a.min(b).min(c) - slack, a.max(b).max(c) + slack);
        let ([left, bottom], [right, top]) = (self.cell(low), self.cell(high));
        [left..=right, bottom..=top]
    }

    fn first_in(&self, column: u32, row: u32) -> u32 {
        self.first[(row * self.side + column) as usize]
    }

    fn head(&mut self, point: DVec2) -> &mut u32 {
        let [column, row] = self.cell(self.turned(point));
        &mut self.first[(row * self.side + column) as usize]
    }

    fn insert(&mut self, corner: u32, point: DVec2) {
        let second = std::mem::replace(self.head(point), corner);
        self.next[corner as usize] = second;
        self.prev[corner as usize] = NONE;
        if second != NONE {
            self.prev[second as usize] = corner;
        }
    }

    /// Does nothing if the corner is not in the grid.
    fn remove(&mut self, corner: u32, point: DVec2) {
        let (before, after) = (self.prev[corner as usize], self.next[corner as usize]);
        match before {
            ABSENT => return,
            NONE => *self.head(point) = after,
            _ => self.next[before as usize] = after,
        }
        if after != NONE {
            self.prev[after as usize] = before;
        }
        self.prev[corner as usize] = ABSENT;
    }
}

#[cfg(test)]
mod tests;
