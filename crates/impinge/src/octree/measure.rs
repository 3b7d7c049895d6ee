//! Measures of an octree: numbers of nodes and voxels, volume, and whether a point is inside.

use super::{Cell, Color, Octree};
use glam::DVec3;

/// The number of nodes of each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorCounts {
    /// The number of white nodes.
    pub white: usize,
    /// The number of black nodes.
    pub black: usize,
    /// The number of gray nodes.
    pub gray: usize,
}

impl Octree {
    /// Counts the nodes of each colour.
    pub fn color_counts(&self) -> ColorCounts {
        let mut counts = ColorCounts::default();
        for node in 0..self.nodes.len() {
            match self.nodes.get(node) {
                Color::White => counts.white += 1,
                Color::Black => counts.black += 1,
                Color::Gray => counts.gray += 1,
            }
        }
        counts
    }

    /// The number of black voxels, which is exact: a root cube has at most 2⁴⁸.
    pub fn black_voxels(&self) -> u64 {
        let black = self.nodes().filter(|(_, color)| *color == Color::Black);
        black.map(|(cell, _)| self.grid.cube(cell).volume()).sum()
    }

    /// The volume of the black voxels: their number times the volume of one, rounded. Infinite if it exceeds `f64::MAX`.
    pub fn volume(&self) -> f64 {
        let voxel = self.grid.voxel();
        self.black_voxels() as f64 * voxel * voxel * voxel
    }

    /// Whether a point is in a black cell. Cells are closed: a point on the border of a black cell is inside.
    ///
    /// Exact. Takes time in proportion to the nodes before the cell.
    pub fn contains(&self, point: DVec3) -> bool {
        let mut node = 0;
        // Cells whose nodes come next, the last one first.
        let mut cells = vec![Cell::ROOT];
        while let Some(cell) = cells.pop() {
            let is_here = self.grid.bounds(cell).contains(point);
            match self.nodes.get(node) {
                Color::Gray if is_here => {
                    cells.extend((0..8).rev().map(|octant| cell.child(octant)));
                    node += 1;
                }
                Color::Gray => node = self.nodes.after(node),
                Color::Black if is_here => return true,
                _ => node += 1,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Grid,
        oracle::{PAPER, voxels},
    };
    use super::*;
    use crate::generate::Random;

    #[test]
    fn the_volume_is_the_number_of_voxels() {
        let grid = Grid::new(DVec3::ZERO, 8.0, 3).unwrap();
        let octree = Octree::from_text(PAPER, grid).unwrap();
        assert_eq!(octree.color_counts(), ColorCounts { white: 11, black: 18, gray: 4 });
        let counted = voxels(&octree).iter().filter(|black| **black).count();
        assert_eq!(octree.black_voxels(), counted as u64);
        assert_eq!(octree.volume(), counted as f64);
        assert_eq!(octree.complement().black_voxels() + octree.black_voxels(), 512);
        let finest = Octree::empty(Grid::new(DVec3::ZERO, 1.0, 16).unwrap()).complement();
        assert_eq!((finest.black_voxels(), finest.volume()), (1 << 48, 1.0));
    }

    /// Points inside of voxels, and on their faces, edges and corners.
    #[test]
    fn points_are_inside_closed_cells() {
        let grid = Grid::new(DVec3::ZERO, 8.0, 3).unwrap();
        let octree = Octree::from_text(PAPER, grid).unwrap();
        let voxels = voxels(&octree);
        let is_black = |at: [i32; 3]| {
            at.iter().all(|i| (0..8).contains(i))
                && voxels[((at[2] * 8 + at[1]) * 8 + at[0]) as usize]
        };
        let mut random = Random::new(1);
        let mut counts = [0; 2];
        for case in 0..20_000 {
            // Half of the coordinates are on planes.
            let at = [0; 3].map(|_| random.below(19) as f64 * 0.5 - 0.5);
            let touched = |coordinate: f64| {
                let last = coordinate.floor() as i32;
                if coordinate.fract() == 0.0 { last - 1..=last } else { last..=last }
            };
            let [x, y, z] = at.map(touched);
            let expected =
                x.clone().any(|x| y.clone().any(|y| z.clone().any(|z| is_black([x, y, z]))));
            assert_eq!(octree.contains(DVec3::from_array(at)), expected, "case {case}: {at:?}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 2_000), "{counts:?}");
        assert!(!octree.contains(DVec3::new(f64::NAN, 1.0, 1.0)));
    }
}
