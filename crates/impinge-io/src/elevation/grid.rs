//! A grid of heights, and the mesh that connects its samples.

use super::GridOptions;
use crate::error::Fault;
use glam::DVec3;
use impinge::Mesh;
use std::ops::Range;

/// The largest number of samples of a mesh: each has up to two faces, and faces have `u32` numbers.
const MAX_SAMPLES: usize = (u32::MAX / 2) as usize;

/// Heights on parallel lines of equally spaced samples, as a file stores them.
///
/// Lines need not have the same length, nor start at the same row: the profiles of a USGS DEM follow the edge of a
/// map sheet that is tilted against the grid. Only what the file holds is stored, so that a header cannot make the
/// grid larger than the file.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) direction: Direction,
    /// The distance between samples of a line.
    pub(super) step: f64,
    pub(super) lines: Vec<Line>,
    /// The heights of all lines; NaN if a sample is missing.
    pub(super) heights: Vec<f64>,
    pub(super) horizontal: Horizontal,
}

/// The direction of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// A line runs from west to east; the lines are ordered from north to south.
    Rows,
    /// A line runs from south to north; the lines are ordered from west to east.
    Columns,
}

/// The unit of x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Horizontal {
    /// A length.
    Length,
    /// Longitude and latitude in degrees.
    Degrees,
    /// The file does not say.
    Unknown,
}

/// A line of samples.
#[derive(Debug)]
pub(super) struct Line {
    /// The position of the line among all lines of the grid. Lines are neighbours if their numbers differ by 1. The
    /// numbers increase towards the north (rows) or the east (columns).
    pub(super) number: i64,
    /// The position of the first sample among the samples of all lines, from the west (rows) or the south (columns).
    pub(super) first: i64,
    /// The coordinate that all samples share: y for rows, x for columns.
    pub(super) across: f64,
    /// The other coordinate of the first sample.
    pub(super) along: f64,
    /// The samples, in `heights`.
    pub(super) samples: Range<usize>,
}

impl Grid {
    /// Makes a mesh. The known samples are its vertices, in the order of the file. Face normals point up.
    ///
    /// Four samples around a cell make two faces, which share the diagonal from south-west to north-east. If one of
    /// the four is missing, the other three make one face. With fewer, the cell is a hole.
    pub(super) fn into_mesh(mut self, options: &GridOptions) -> Result<Mesh, Fault> {
        if let Some(height) = options.missing {
            self.heights.iter_mut().filter(|z| z.is_nan()).for_each(|z| *z = height);
        }
        let every = i64::from(options.every);
        if every > 1 {
            self.lines.retain(|line| line.number.rem_euclid(every) == 0);
        }
        let positions = self.positions(every)?;
        let mut count = 0;
        self.visit_cells(every, |cell| count += triangles(cell).count());
        let mut faces = Vec::new();
        faces.try_reserve_exact(count).map_err(|_| too_large(positions.len()))?;
        self.visit_cells(every, |cell| faces.extend(triangles(cell)));
        Ok(Mesh::new(positions, faces)?)
    }

    /// Returns the places of the known samples that are read, in the order of the file.
    fn positions(&self, every: i64) -> Result<Vec<DVec3>, Fault> {
        let known = |line: &Line| {
            self.read_samples(line, every).filter(|&(_, sample)| self.is_known(sample)).count()
        };
        let count: usize = self.lines.iter().map(known).sum();
        if count > MAX_SAMPLES {
            return Err(too_large(count));
        }
        let mut positions = Vec::new();
        positions.try_reserve_exact(count).map_err(|_| too_large(count))?;
        for line in &self.lines {
            for (_, sample) in self.read_samples(line, every) {
                if self.is_known(sample) {
                    let along = line.along + (sample - line.samples.start) as f64 * self.step;
                    let (x, y) = match self.direction {
                        Direction::Rows => (along, line.across),
                        Direction::Columns => (line.across, along),
                    };
                    positions.push(DVec3::new(x, y, self.heights[sample]));
                }
            }
        }
        Ok(positions)
    }

    fn is_known(&self, sample: usize) -> bool {
        !self.heights[sample].is_nan()
    }

    /// Returns the samples of a line that are read: their positions on the line in units of `every` samples, and
    /// their indices in `heights`.
    fn read_samples(&self, line: &Line, every: i64) -> impl Iterator<Item = (i64, usize)> + use<> {
        let skip = (-line.first).rem_euclid(every);
        let start = line.samples.start
            + usize::try_from(skip).unwrap_or(usize::MAX).min(line.samples.len());
        let first = (line.first + skip) / every;
        let samples = (start..line.samples.end).step_by(every as usize);
        samples.enumerate().map(move |(at, sample)| (first + at as i64, sample))
    }

    /// Calls `visit` with the vertices at the corners of each cell: south-west, south-east, north-east, north-west.
    fn visit_cells(&self, every: i64, mut visit: impl FnMut([Option<u32>; 4])) {
        // The vertices of a line, and the position of the first one on the line.
        let mut previous: (i64, Vec<Option<u32>>) = (0, Vec::new());
        let mut previous_number = None;
        let mut next_vertex = 0;
        for line in &self.lines {
            let mut samples = self.read_samples(line, every).peekable();
            let first = samples.peek().map_or(0, |&(at, _)| at);
            let vertices: Vec<Option<u32>> = samples
                .map(|(_, sample)| {
                    self.is_known(sample).then(|| {
                        next_vertex += 1;
                        next_vertex - 1
                    })
                })
                .collect();
            let is_neighbour =
                previous_number.is_some_and(|number: i64| (line.number - number).abs() == every);
            if is_neighbour {
                let (before, old) = &previous;
                // One cell more at each end: of its four samples, one line may have two and the other line one.
                let start = first.max(*before) - 1;
                let end = (first + vertices.len() as i64).min(before + old.len() as i64);
                let vertex = |line: &[Option<u32>], first: i64, at: i64| -> Option<u32> {
                    *line.get(usize::try_from(at - first).ok()?)?
                };
                for at in start..end {
                    let old = [at, at + 1].map(|at| vertex(old, *before, at));
                    let new = [at, at + 1].map(|at| vertex(&vertices, first, at));
                    visit(match self.direction {
                        Direction::Rows => [new[0], new[1], old[1], old[0]],
                        Direction::Columns => [old[0], new[0], new[1], old[1]],
                    });
                }
            }
            previous = (first, vertices);
            previous_number = Some(line.number);
        }
    }
}

/// Returns the faces of a cell, counter-clockwise seen from above.
fn triangles([sw, se, ne, nw]: [Option<u32>; 4]) -> impl Iterator<Item = [u32; 3]> {
    let corners = match (sw, se, ne, nw) {
        (Some(sw), _, Some(ne), _) => [se.map(|se| [sw, se, ne]), nw.map(|nw| [sw, ne, nw])],
        (Some(sw), Some(se), None, Some(nw)) => [Some([sw, se, nw]), None],
        (None, Some(se), Some(ne), Some(nw)) => [Some([se, ne, nw]), None],
        _ => [None, None],
    };
    corners.into_iter().flatten()
}

fn too_large(samples: usize) -> Fault {
    Fault::file(format!(
        "the grid has {samples} samples, too many for one mesh; read fewer of them with the option `every`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: f64 = f64::NAN;

    /// A grid of rows from north to south, with spacing 1 and the south-west sample at the origin.
    fn rows(rows: &[&[f64]]) -> Grid {
        let mut grid = Grid {
            direction: Direction::Rows,
            step: 1.0,
            lines: Vec::new(),
            heights: Vec::new(),
            horizontal: Horizontal::Length,
        };
        for (number, row) in rows.iter().enumerate() {
            let start = grid.heights.len();
            grid.heights.extend(*row);
            let number = (rows.len() - 1 - number) as i64;
            let samples = start..grid.heights.len();
            grid.lines.push(Line { number, first: 0, across: number as f64, along: 0.0, samples });
        }
        grid
    }

    /// The same grid as columns from west to east.
    fn columns(grid: &Grid) -> Grid {
        let height = grid.lines.len();
        let width = grid.heights.len() / height;
        let mut turned = Grid {
            direction: Direction::Columns,
            step: grid.step,
            lines: Vec::new(),
            heights: Vec::new(),
            horizontal: grid.horizontal,
        };
        for x in 0..width {
            let start = turned.heights.len();
            turned.heights.extend((0..height).rev().map(|row| grid.heights[row * width + x]));
            let samples = start..turned.heights.len();
            let (number, across) = (x as i64, x as f64);
            turned.lines.push(Line { number, first: 0, across, along: 0.0, samples });
        }
        turned
    }

    /// The faces as sorted lists of corner positions, to compare meshes that number vertices differently.
    fn faces(mesh: &Mesh) -> Vec<Vec<[i64; 3]>> {
        let mut faces: Vec<Vec<_>> = mesh
            .triangles()
            .map(|corners| {
                let mut corners = corners.map(|p| p.to_array().map(|c| c as i64));
                corners.sort_unstable();
                corners.to_vec()
            })
            .collect();
        faces.sort_unstable();
        faces
    }

    #[test]
    fn cells_become_two_faces_that_point_up() {
        let grid = rows(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]]);
        let turned = columns(&grid).into_mesh(&GridOptions::default()).unwrap();
        let mesh = grid.into_mesh(&GridOptions::default()).unwrap();
        assert_eq!(mesh.positions()[0], DVec3::new(0.0, 1.0, 1.0));
        assert_eq!(mesh.positions()[5], DVec3::new(2.0, 0.0, 6.0));
        assert_eq!(turned.positions()[1], DVec3::new(0.0, 1.0, 1.0));
        assert_eq!(mesh.faces().len(), 4);
        // The diagonal runs from south-west to north-east, whatever the order in the file.
        assert_eq!(mesh.faces()[..2], [[3, 4, 1], [3, 1, 0]]);
        assert_eq!(faces(&mesh), faces(&turned));
        for mesh in [&mesh, &turned] {
            assert!(mesh.triangles().all(|[a, b, c]| (b - a).cross(c - a).z == 1.0));
        }
    }

    #[test]
    fn missing_samples_are_holes_or_get_a_height() {
        // Each corner of a single cell in turn.
        for corner in 0..4 {
            let mut heights = [0.0; 4];
            heights[corner] = NO;
            let grid = rows(&[&heights[..2], &heights[2..]]);
            let mesh = grid.into_mesh(&GridOptions::default()).unwrap();
            assert_eq!((mesh.positions().len(), mesh.faces().len()), (3, 1), "corner {corner}");
            assert!(mesh.triangles().all(|[a, b, c]| (b - a).cross(c - a).z == 1.0));
            heights[(corner + 1) % 4] = NO;
            let grid = rows(&[&heights[..2], &heights[2..]]);
            assert_eq!(grid.into_mesh(&GridOptions::default()).unwrap().faces().len(), 0);
        }
        // One missing sample in the middle: each of the four cells around it keeps one face.
        let middle = || rows(&[&[0.0; 3], &[0.0, NO, 0.0], &[0.0; 3]]);
        assert_eq!(middle().into_mesh(&GridOptions::default()).unwrap().faces().len(), 4);
        let filled = middle().into_mesh(&GridOptions::default().missing(-7.0)).unwrap();
        assert_eq!((filled.positions().len(), filled.faces().len()), (9, 8));
        assert_eq!(filled.positions()[4].z, -7.0);
    }

    #[test]
    fn every_nth_sample_of_every_nth_line_is_read() {
        let heights: Vec<Vec<f64>> =
            (0..8).map(|row| (0..6).map(|x| f64::from(10 * (7 - row) + x)).collect()).collect();
        let heights: Vec<&[f64]> = heights.iter().map(Vec::as_slice).collect();
        let grid = rows(&heights);
        let turned = columns(&grid).into_mesh(&GridOptions::default().every(3)).unwrap();
        let mesh = grid.into_mesh(&GridOptions::default().every(3)).unwrap();
        // Lines 0, 3 and 6 from the south, samples 0 and 3 from the west.
        assert_eq!((mesh.positions().len(), mesh.faces().len()), (6, 4));
        assert_eq!(mesh.positions()[0], DVec3::new(0.0, 6.0, 60.0));
        assert_eq!(mesh.positions()[5], DVec3::new(3.0, 0.0, 3.0));
        assert_eq!(faces(&mesh), faces(&turned));
        let far = rows(&heights).into_mesh(&GridOptions::default().every(u32::MAX)).unwrap();
        assert_eq!((far.positions().len(), far.faces().len()), (1, 0));
    }

    #[test]
    fn ragged_lines_are_connected_where_both_have_samples() {
        let line = |number: i64, first: i64, samples: Range<usize>| Line {
            number,
            first,
            across: number as f64,
            along: first as f64,
            samples,
        };
        let grid = |lines: Vec<Line>| Grid {
            direction: Direction::Columns,
            step: 1.0,
            lines,
            heights: vec![0.0; 9],
            horizontal: Horizontal::Length,
        };
        // Rows −2 to 1, 0 to 2, and, after a gap, 0 to 1.
        let lines = || vec![line(0, -2, 0..4), line(1, 0, 4..7), line(3, 0, 7..9)];
        let mesh = grid(lines()).into_mesh(&GridOptions::default()).unwrap();
        // At both ends, three samples make a face.
        assert_eq!((mesh.positions().len(), mesh.faces().len()), (9, 4));
        assert_eq!(mesh.positions()[4], DVec3::new(1.0, 0.0, 0.0));
        assert_eq!(mesh.faces(), [[1, 4, 2], [2, 4, 5], [2, 5, 3], [3, 5, 6]]);
        let coarse = grid(lines()).into_mesh(&GridOptions::default().every(2)).unwrap();
        // Only line 0 has an even number; its rows −2 and 0 are read.
        assert_eq!(coarse.positions(), [DVec3::new(0.0, -2.0, 0.0), DVec3::ZERO]);
        assert!(grid(Vec::new()).into_mesh(&GridOptions::default()).unwrap().faces().is_empty());
    }
}
