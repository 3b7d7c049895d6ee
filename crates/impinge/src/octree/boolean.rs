//! Union, intersection, difference and complement of octrees with one grid.
//!
//! Called by users, and by parallel motion, which unites partial octrees. Both octrees are read in preorder side by
//! side, so an operation takes time in proportion to their nodes.

use super::{
    Color, Octree, OctreeError,
    nodes::{Nodes, Writer},
};

/// How two octrees are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Black where either is black.
    Union,
    /// Black where both are black.
    Intersection,
    /// Black where the first is black and the second is not.
    Difference,
}

impl Operation {
    fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Self::Union => a || b,
            Self::Intersection => a && b,
            Self::Difference => a && !b,
        }
    }
}

impl Octree {
    /// Combines two octrees. Fails if their grids differ.
    ///
    /// ```
    /// use impinge::{octree::{Grid, Octree, Operation}, glam::DVec3};
    ///
    /// let grid = Grid::new(DVec3::ZERO, 2.0, 1)?;
    /// let [a, b] = ["(BBWWWWWW", "(WBBWWWWW"].map(|text| Octree::from_text(text, grid));
    /// let (a, b) = (a?, b?);
    /// assert_eq!(a.combined(&b, Operation::Union)?.text(), "(BBBWWWWW");
    /// assert_eq!(a.combined(&b, Operation::Difference)?.text(), "(BWWWWWWW");
    /// # Ok::<(), impinge::octree::OctreeError>(())
    /// ```
    pub fn combined(&self, other: &Self, operation: Operation) -> Result<Self, OctreeError> {
        if self.grid != other.grid {
            return Err(OctreeError::DifferentGrids);
        }
        let nodes = combine(&self.nodes, &other.nodes, operation)?;
        Ok(Self { grid: self.grid, nodes })
    }

    /// The union of two octrees: black where either is black. Fails if their grids differ.
    pub fn union(&self, other: &Self) -> Result<Self, OctreeError> {
        self.combined(other, Operation::Union)
    }

    /// The octree with black and white exchanged.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut nodes = Nodes::default();
        for node in 0..self.nodes.len() {
            nodes.push(opposite(self.nodes.get(node)));
        }
        Self { grid: self.grid, nodes }
    }
}

fn opposite(color: Color) -> Color {
    match color {
        Color::White => Color::Black,
        Color::Black => Color::White,
        Color::Gray => Color::Gray,
    }
}

fn color(is_black: bool) -> Color {
    if is_black { Color::Black } else { Color::White }
}

fn combine(a: &Nodes, b: &Nodes, operation: Operation) -> Result<Nodes, OctreeError> {
    let mut writer = Writer::default();
    let (mut at_a, mut at_b) = (0, 0);
    // Whenever a cell is complete, the next nodes of both octrees are of the same cell again.
    while !writer.is_complete() {
        let (color_a, color_b) = (a.get(at_a), b.get(at_b));
        match (color_a, color_b) {
            (Color::Gray, Color::Gray) => {
                writer.open()?;
                (at_a, at_b) = (at_a + 1, at_b + 1);
            }
            (Color::Gray, _) => {
                let is_black = color_b == Color::Black;
                let result = |own| operation.apply(own, is_black);
                at_a = mapped(a, at_a, result, &mut writer)?;
                at_b += 1;
            }
            // One black or white cell of the first, and a subtree of the second or another single cell.
            (_, _) => {
                let is_black = color_a == Color::Black;
                let result = |own| operation.apply(is_black, own);
                at_b = mapped(b, at_b, result, &mut writer)?;
                at_a += 1;
            }
        }
    }
    Ok(writer.finish())
}

/// Writes a subtree with each colour replaced by a result. Returns the node after it.
fn mapped(
    nodes: &Nodes,
    first: usize,
    result: impl Fn(bool) -> bool,
    writer: &mut Writer,
) -> Result<usize, OctreeError> {
    let (of_white, of_black) = (result(false), result(true));
    let end = nodes.after(first);
    if of_white == of_black {
        writer.leaf(color(of_white))?;
        return Ok(end);
    }
    for node in first..end {
        match nodes.get(node) {
            Color::Gray => writer.open()?,
            own => writer.leaf(color(result(own == Color::Black)))?,
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, oracle::voxels};
    use super::*;
    use crate::generate::Random;
    use glam::DVec3;

    fn random_octree(seed: u64, grid: Grid) -> Octree {
        let mut random = Random::new(seed);
        let gray = 1 + random.below(4);
        let (mut text, mut levels) = (String::new(), vec![0_u8]);
        while let Some(level) = levels.pop() {
            if level < grid.level() && (level == 0 || random.below(8) < gray) {
                text.push('(');
                levels.extend([level + 1; 8]);
            } else {
                text.push(if random.below(2) == 0 { 'B' } else { 'W' });
            }
        }
        Octree::from_text(&text, grid).unwrap()
    }

    /// Against single voxels, one by one.
    #[test]
    fn operations_combine_voxel_by_voxel() {
        let grid = Grid::new(DVec3::ZERO, 1.0, 4).unwrap();
        let mut blacks = 0;
        for seed in 0..60 {
            let (a, b) = (random_octree(seed, grid), random_octree(!seed, grid));
            let (of_a, of_b) = (voxels(&a), voxels(&b));
            for operation in [Operation::Union, Operation::Intersection, Operation::Difference] {
                let combined = a.combined(&b, operation).unwrap();
                let expected: Vec<bool> =
                    of_a.iter().zip(&of_b).map(|(&a, &b)| operation.apply(a, b)).collect();
                assert_eq!(voxels(&combined), expected, "seed {seed}, {operation:?}");
                let text = combined.text();
                assert_eq!(
                    Octree::from_text(&text, grid).unwrap(),
                    combined,
                    "condensed: seed {seed}"
                );
                blacks += expected.iter().filter(|is_black| **is_black).count();
            }
            let complement: Vec<bool> = of_a.iter().map(|black| !black).collect();
            assert_eq!(voxels(&a.complement()), complement, "seed {seed}");
            assert_eq!(a.complement().complement(), a);
            assert_eq!(a.union(&a.complement()).unwrap(), Octree::empty(grid).complement());
        }
        assert!(blacks > 10_000, "hardly a black voxel: {blacks}");
    }

    #[test]
    fn grids_must_be_equal() {
        let [a, b] = [1.0, 2.0].map(|side| Octree::empty(Grid::new(DVec3::ZERO, side, 3).unwrap()));
        assert_eq!(a.union(&b), Err(OctreeError::DifferentGrids));
    }
}
