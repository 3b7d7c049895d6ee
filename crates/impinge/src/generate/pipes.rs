//! Interweaving pipes: long thin triangles in a crowded cube.

use super::error::{check_count, check_faces};
use super::surface::Surface;
use super::turn::circle;
use super::{GenerateError, Random};
use crate::Mesh;
use glam::{DVec3, IVec3};

/// Options of [`pipes`]. The default gives 140,032 faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipesOptions {
    /// The number of straight pipes, each of 2·`sides` faces: from 1 to 3·cells·(cells + 1)². By default
    /// 2188.
    pub count: u32,
    /// The number of grid cells along each side of the cube: from 1 to 200. By default 12.
    pub cells: u32,
    /// The number of corners of a pipe's cross-section: at least 3. By default 32.
    pub sides: u32,
}

impl Default for PipesOptions {
    fn default() -> Self {
        Self { count: 2188, cells: 12, sides: 32 }
    }
}

/// The largest number of cells between two bends of a pipe.
const LONGEST: u64 = 3;

/// The largest number of bends in a line, before the next line starts elsewhere.
const BENDS: usize = 24;

/// Lines of straight pipes with mitred bends, which follow the edges of a grid in the cube [−1, 1]³ and use
/// no edge twice: 2·count·sides faces, open at the ends of each line, normals outward. Lines cross where they
/// share a grid point.
///
/// Modelled on the pipe system of about 140,000 faces that Gottschalk, Lin and Manocha (1996), Lin et al.
/// (1996) and Klosowski (1998) fly within a larger copy of itself: long thin triangles without any grouping.
///
/// ```
/// use impinge::generate::{PipesOptions, pipes};
///
/// let small = pipes(1, PipesOptions { count: 50, cells: 4, ..Default::default() })?;
/// assert_eq!(small.faces().len(), 50 * 64);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn pipes(seed: u64, options: PipesOptions) -> Result<Mesh, GenerateError> {
    let PipesOptions { count, cells, sides } = options;
    check_count("cells", cells, (1..=200).contains(&cells), "from 1 to 200")?;
    let grid_edges = 3 * cells * (cells + 1) * (cells + 1);
    let is_allowed = (1..=grid_edges).contains(&count);
    check_count("count", count, is_allowed, "from 1 to 3·cells·(cells + 1)²")?;
    check_count("sides", sides, sides >= 3, "at least 3")?;
    let faces = check_faces([2, count, sides])?;

    let mut random = Random::new(seed);
    let lines = Grid::new(cells as i32).lines(&mut random, u64::from(count));
    let mut surface = Surface::with_faces(faces);
    let cell = 2.0 / f64::from(cells);
    for line in &lines {
        let radius = random.range(0.12, 0.22) * cell;
        let points: Vec<DVec3> =
            line.iter().map(|point| point.as_dvec3() * cell - DVec3::ONE).collect();
        tube(&mut surface, &points, radius, sides);
    }
    surface.finish()
}

/// The grid, and which of its edges are in use.
struct Grid {
    cells: i32,
    is_taken: Vec<bool>,
    free: u64,
}

impl Grid {
    fn new(cells: i32) -> Self {
        let points = (cells as usize + 1).pow(3);
        let edges = 3 * cells as u64 * (cells as u64 + 1).pow(2);
        Self { cells, is_taken: vec![false; 3 * points], free: edges }
    }

    /// The index of the edge from a grid point along a unit step; `None` if it leaves the grid.
    fn edge(&self, from: IVec3, step: IVec3) -> Option<usize> {
        let to = from + step;
        if to.min_element() < 0 || to.max_element() > self.cells {
            return None;
        }
        let axis = if step.x != 0 {
            0
        } else if step.y != 0 {
            1
        } else {
            2
        };
        let low = from.min(to).as_usizevec3();
        let side = self.cells as usize + 1;
        Some(axis + 3 * (low.x + side * (low.y + side * low.z)))
    }

    fn is_free(&self, from: IVec3, step: IVec3) -> bool {
        self.edge(from, step).is_some_and(|edge| !self.is_taken[edge])
    }

    /// Lines with `count` straight pipes in total, each line given by its ends and bends.
    fn lines(&mut self, random: &mut Random, count: u64) -> Vec<Vec<IVec3>> {
        let mut starts: Vec<(IVec3, IVec3)> = Vec::new();
        for (x, y, z) in triples(self.cells) {
            for step in [IVec3::X, IVec3::Y, IVec3::Z] {
                let from = IVec3::new(x, y, z);
                if self.edge(from, step).is_some() {
                    // Either end may be the start.
                    let is_forward = random.below(2) == 0;
                    starts.push(if is_forward { (from, step) } else { (from + step, -step) });
                }
            }
        }
        random.shuffle(&mut starts);
        let mut wanted = count;
        let mut lines = Vec::new();
        for (from, step) in starts {
            if wanted > 0 && self.is_free(from, step) {
                lines.push(self.line(random, from, step, &mut wanted));
            }
        }
        lines
    }

    /// One line from a free edge on, until it is stuck, has enough bends, or no more pipes are wanted.
    fn line(
        &mut self,
        random: &mut Random,
        from: IVec3,
        step: IVec3,
        wanted: &mut u64,
    ) -> Vec<IVec3> {
        let (mut at, mut step) = (from, step);
        let mut points = vec![at];
        while *wanted > 0 && points.len() <= BENDS {
            // Each remaining pipe needs an edge of its own, so pipes get shorter as the grid fills up.
            let longest = (1 + random.below(LONGEST)).min(self.free - *wanted + 1);
            for _ in 0..longest {
                match self.edge(at, step) {
                    Some(edge) if !self.is_taken[edge] => {
                        self.is_taken[edge] = true;
                        self.free -= 1;
                        at += step;
                    }
                    _ => break,
                }
            }
            points.push(at);
            *wanted -= 1;
            let axes = [IVec3::X, IVec3::Y, IVec3::Z];
            let across: Vec<IVec3> = axes
                .into_iter()
                .flat_map(|axis| [axis, -axis])
                .filter(|&next| next.dot(step) == 0 && self.is_free(at, next))
                .collect();
            if across.is_empty() {
                break;
            }
            step = across[random.below(across.len() as u64) as usize];
        }
        points
    }
}

/// The coordinates of all grid points.
fn triples(cells: i32) -> impl Iterator<Item = (i32, i32, i32)> {
    (0..=cells)
        .flat_map(move |x| (0..=cells).flat_map(move |y| (0..=cells).map(move |z| (x, y, z))))
}

/// An open tube along points that are joined by axis-parallel segments at right angles.
fn tube(surface: &mut Surface, points: &[DVec3], radius: f64, sides: u32) {
    // Directions are exact, because the segments are parallel to the axes.
    let directions: Vec<DVec3> =
        points.windows(2).map(|pair| (pair[1] - pair[0]).normalize().round()).collect();
    let mut along = directions[0];
    let first = DVec3::new(along.y.abs(), along.z.abs(), along.x.abs());
    let second = along.cross(first);
    let mut offsets: Vec<DVec3> =
        circle(sides).map(|at| (first * at.x + second * at.y) * radius).collect();
    let mut below = surface.ring(offsets.iter().map(|&offset| points[0] + offset));
    for (i, &point) in points.iter().enumerate().skip(1) {
        let next = directions.get(i).copied().unwrap_or(along);
        let is_bend = next != along;
        let ring = surface.ring(offsets.iter().map(|&offset| {
            // Both pipes end in the plane that bisects the bend, so they share this ring.
            let mitre = if is_bend { along * offset.dot(next) } else { DVec3::ZERO };
            point + offset - mitre
        }));
        surface.strip(&below, &ring);
        below = ring;
        if is_bend {
            for offset in &mut offsets {
                let outward = offset.dot(next);
                *offset = *offset - next * outward - along * outward;
            }
        }
        along = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{area, hash};
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_default_has_the_size_of_the_paper() {
        let mesh = pipes(1, PipesOptions::default()).unwrap();
        assert_eq!(mesh.faces().len(), 140_032);
        let bounds = mesh.bounds();
        assert!(bounds.size().max_element() < 2.1 && bounds.size().min_element() > 2.0);
    }

    #[test]
    fn every_allowed_count_is_reached_exactly() {
        for cells in 1..4 {
            for count in [1, 2, 3 * cells * (cells + 1) * (cells + 1)] {
                let options = PipesOptions { count, cells, sides: 5 };
                let mesh = pipes(u64::from(count), options).unwrap();
                assert_eq!(mesh.faces().len(), 10 * count as usize);
            }
        }
    }

    #[test]
    fn pipes_are_long_thin_and_joined_without_cracks() {
        let mesh = pipes(2, PipesOptions { count: 200, cells: 6, sides: 32 }).unwrap();
        let mut uses: HashMap<(u32, u32), u32> = HashMap::new();
        for (face, &[a, b, c]) in mesh.faces().iter().enumerate() {
            assert!(area(&mesh, face) > 0.0);
            for edge in [(a, b), (b, c), (c, a)] {
                *uses.entry(edge).or_default() += 1;
            }
        }
        assert!(uses.values().all(|&count| count == 1));
        // The open edges form whole rings: the two ends of each line.
        let open = uses.keys().filter(|&&(a, b)| !uses.contains_key(&(b, a))).count();
        let lines = open / 64;
        assert_eq!(open % 64, 0);
        assert!((9..100).contains(&lines), "{lines}");
        let mut thin = 0;
        for [a, b, c] in mesh.triangles() {
            let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
            sides.sort_by(f64::total_cmp);
            thin += usize::from(sides[2] > 10.0 * sides[0]);
        }
        assert!(thin * 10 > mesh.faces().len() * 9, "{thin}");
    }

    #[test]
    fn wrong_options_are_refused_by_name() {
        let refuse = |options| pipes(1, options).unwrap_err().to_string();
        let good = PipesOptions { count: 10, cells: 4, sides: 8 };
        assert!(refuse(PipesOptions { cells: 0, ..good }).starts_with("cells is 0"));
        assert!(refuse(PipesOptions { cells: 201, ..good }).starts_with("cells is 201"));
        assert!(refuse(PipesOptions { count: 0, ..good }).starts_with("count is 0"));
        assert!(refuse(PipesOptions { count: 301, ..good }).starts_with("count is 301"));
        assert!(refuse(PipesOptions { sides: 2, ..good }).starts_with("sides is 2"));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let options = PipesOptions { count: 60, cells: 4, sides: 12 };
        assert_eq!(hash(&pipes(1, options).unwrap()), 0x898B_5D65_C484_A12F);
        assert_eq!(hash(&pipes(1, PipesOptions::default()).unwrap()), 0xDD83_45E2_B540_36D0);
    }
}
