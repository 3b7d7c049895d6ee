//! The housing: a trough of two walls and a floor, with holes for shafts and bolts.

use super::super::surface::Surface;
use super::super::turn::circle;
use super::{BOLTS, DISTANCE, INNER, WALL};
use crate::Mesh;
use glam::{DVec2, DVec3};

/// The x coordinates of the lines between the cells of a wall: bolt, input shaft, output shaft, bolt.
const COLUMNS: [f64; 5] = [-40.0, -24.0, 22.0, 84.0, 100.0];

/// The y coordinates of the lines between the cells of a wall: the floor and the part above it.
const ROWS: [f64; 3] = [-44.0, -36.0, 18.0];

/// The number of corners of a hole: a multiple of four, so that each corner of a cell is joined to a quarter
/// of the hole.
const HOLE_SIDES: u32 = 24;

/// The x coordinate of the center, and the radius, of the hole in each upper cell.
const HOLES: [(f64, f64); 4] = [(BOLTS[0], 2.5), (0.0, 7.0), (DISTANCE, 7.0), (BOLTS[1], 2.5)];

/// The two walls, perpendicular to z, and the floor between them: one closed surface with eight holes.
pub(super) fn housing() -> Mesh {
    let mut surface = Surface::default();
    let [back_out, back_in, front_in, front_out] =
        [-INNER - WALL, -INNER, INNER, INNER + WALL].map(|z| Sheet::new(&mut surface, z));
    for (sheet, is_front, rows) in [
        (&back_out, false, 0..2),
        (&back_in, true, 1..2),
        (&front_in, false, 1..2),
        (&front_out, true, 0..2),
    ] {
        for row in rows {
            sheet.fill(&mut surface, row, is_front);
        }
    }
    for (lower, upper) in [(&back_out, &back_in), (&front_in, &front_out)] {
        surface.strip(&lower.outline(2), &upper.outline(2));
        for (below, above) in lower.holes.iter().zip(&upper.holes) {
            surface.strip(above, below);
        }
    }
    // The floor joins the lower cells of both walls, which have no faces on the inside.
    surface.strip(&back_in.outline(1), &front_in.outline(1));
    surface.finish().expect("the coordinates are constants")
}

/// One side of a wall: the vertices of its cells and holes.
struct Sheet {
    corners: [Vec<u32>; 3],
    holes: [Vec<u32>; 4],
}

impl Sheet {
    fn new(surface: &mut Surface, z: f64) -> Self {
        let corners = ROWS.map(|y| surface.ring(COLUMNS.map(|x| DVec3::new(x, y, z))));
        let holes = HOLES.map(|(x, radius)| {
            surface.ring(circle(HOLE_SIDES).map(|at| (DVec2::new(x, 0.0) + at * radius).extend(z)))
        });
        Self { corners, holes }
    }

    /// The outline of the lowest `rows` rows, counter-clockwise as seen from +z.
    fn outline(&self, rows: usize) -> Vec<u32> {
        let bottom = self.corners[0].iter().copied();
        let right = (1..rows).map(|row| self.corners[row][4]);
        let top = self.corners[rows].iter().rev().copied();
        let left = (1..rows).rev().map(|row| self.corners[row][0]);
        bottom.chain(right).chain(top).chain(left).collect()
    }

    /// Adds the faces of a row of cells, with normals along +z or −z.
    fn fill(&self, surface: &mut Surface, row: usize, is_front: bool) {
        let mut face = |[a, b, c]: [u32; 3]| {
            surface.face(if is_front { [a, b, c] } else { [c, b, a] });
        };
        for column in 0..4 {
            let (low, high) = (&self.corners[row], &self.corners[row + 1]);
            // Counter-clockwise from the upper right, in the order of the quarters of the hole.
            let cell = [high[column + 1], high[column], low[column], low[column + 1]];
            if row == 0 {
                face([cell[2], cell[3], cell[0]]);
                face([cell[2], cell[0], cell[1]]);
                continue;
            }
            let hole = &self.holes[column];
            let quarter = hole.len() / 4;
            for (q, &corner) in cell.iter().enumerate() {
                for i in q * quarter..(q + 1) * quarter {
                    face([hole[i], corner, hole[(i + 1) % hole.len()]]);
                }
                let end = hole[(q + 1) * quarter % hole.len()];
                face([end, corner, cell[(q + 1) % 4]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{assert_closed, assert_simple, genus, volume};
    use super::*;

    #[test]
    fn a_housing_is_closed_with_eight_holes() {
        let mesh = housing();
        assert_closed(&mesh);
        assert_eq!(genus(&mesh), 8);
        assert_simple(&mesh, 1e-3);
        let solid = 2.0 * 140.0 * 62.0 * WALL + 140.0 * 8.0 * 2.0 * INNER;
        let ratio = volume(&mesh) / solid;
        assert!((0.9..1.0).contains(&ratio), "{ratio}");
    }
}
