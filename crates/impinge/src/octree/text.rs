//! Octrees as text, as in Smith and Kitamura: a character for each node, in preorder.
//!
//! `impinge-io` reads and writes files with this text. A text is not trusted: the reader needs memory for its nodes
//! alone, and a stack with one entry per level.

use super::{Color, Grid, MAX_LEVEL, Octree, OctreeError, nodes::Writer};

impl Octree {
    /// The nodes as text: `(` for gray, `B` for black, `W` for white.
    ///
    /// ```
    /// use impinge::{octree::{Grid, Octree}, glam::DVec3};
    ///
    /// let text = "(B(BWBBBWWWBWBWB(B(BWBBBWBWBBBWBW"; // figure 2.1 of the paper
    /// let octree = Octree::from_text(text, Grid::new(DVec3::ZERO, 8.0, 3)?)?;
    /// assert_eq!(octree.node_count(), 33);
    /// assert_eq!(octree.text(), text);
    /// # Ok::<(), impinge::octree::OctreeError>(())
    /// ```
    pub fn text(&self) -> String {
        let letter = |node| match self.nodes.get(node) {
            Color::White => 'W',
            Color::Black => 'B',
            Color::Gray => '(',
        };
        (0..self.nodes.len()).map(letter).collect()
    }

    /// Reads the text of an octree. `G` stands for gray as well, and white space between nodes is skipped.
    ///
    /// Nodes that are not condensed are condensed. The error names the place of what is wrong.
    pub fn from_text(text: &str, grid: Grid) -> Result<Self, OctreeError> {
        let mut writer = Writer::default();
        let mut count = 0;
        for (byte, found) in text.char_indices() {
            if found.is_whitespace() {
                continue;
            }
            if writer.is_complete() {
                return Err(OctreeError::TextGoesOn { byte, nodes: count });
            }
            match found {
                '(' | 'G' if writer.depth() == usize::from(grid.level()) => {
                    return Err(OctreeError::TooDeep { byte, level: grid.level() });
                }
                '(' | 'G' => writer.open()?,
                'B' => writer.leaf(Color::Black)?,
                'W' => writer.leaf(Color::White)?,
                _ => return Err(OctreeError::NotANode { byte, found }),
            }
            count += 1;
        }
        if !writer.is_complete() {
            return Err(OctreeError::CutOff { nodes: count, missing: writer.missing() });
        }
        Ok(Self { grid, nodes: writer.finish() })
    }

    /// The level of the deepest nodes of a text: the least level of a grid for it. At most [`MAX_LEVEL`], beyond which
    /// the text is refused.
    pub fn depth_of_text(text: &str) -> Result<u8, OctreeError> {
        let (mut depth, mut deepest) = (Writer::default(), 0);
        for (byte, found) in text.char_indices() {
            match found {
                '(' | 'G' if depth.depth() == usize::from(MAX_LEVEL) => {
                    return Err(OctreeError::TooDeep { byte, level: MAX_LEVEL });
                }
                '(' | 'G' => {
                    depth.open()?;
                    deepest = deepest.max(depth.depth());
                }
                'B' | 'W' if depth.depth() > 0 => depth.leaf(Color::Black)?,
                _ => {}
            }
        }
        Ok(deepest as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::PAPER;
    use super::*;
    use crate::generate::Random;
    use glam::DVec3;

    fn grid(level: u8) -> Grid {
        Grid::new(DVec3::ZERO, 1.0, level).unwrap()
    }

    #[test]
    fn the_example_of_the_paper_is_read_and_written() {
        let octree = Octree::from_text(PAPER, grid(3)).unwrap();
        assert_eq!(octree.node_count(), 33);
        assert_eq!(octree.text(), PAPER);
        let spaced = PAPER.replace('(', " G\n");
        assert_eq!(Octree::from_text(&spaced, grid(3)).unwrap(), octree);
        assert_eq!(Octree::depth_of_text(PAPER), Ok(3));
        assert_eq!(Octree::depth_of_text("W"), Ok(0));
        // The second child of the root is gray, and its second child is white.
        let colors: Vec<_> = octree.nodes().map(|(cell, color)| (cell.level, color)).collect();
        assert_eq!(
            colors[..5],
            [
                (0, Color::Gray),
                (1, Color::Black),
                (1, Color::Gray),
                (2, Color::Black),
                (2, Color::White),
            ]
        );
        let levels = octree.nodes().map(|(cell, _)| cell.level).max();
        assert_eq!(levels, Some(3));
    }

    #[test]
    fn texts_that_are_no_octrees_are_refused_by_place() {
        let refused = |text: &str, level: u8| Octree::from_text(text, grid(level)).unwrap_err();
        assert_eq!(refused("", 3), OctreeError::CutOff { nodes: 0, missing: 1 });
        assert_eq!(refused(&PAPER[..32], 3), OctreeError::CutOff { nodes: 32, missing: 1 });
        assert_eq!(refused("((B", 3), OctreeError::CutOff { nodes: 3, missing: 14 });
        assert_eq!(refused(PAPER, 2), OctreeError::TooDeep { byte: 18, level: 2 });
        let more = format!("{PAPER}\nB");
        assert_eq!(refused(&more, 3), OctreeError::TextGoesOn { byte: 34, nodes: 33 });
        assert_eq!(refused("(BB\u{e9}", 3), OctreeError::NotANode { byte: 3, found: '\u{e9}' });
        let deep = "(".repeat(1_000_000);
        assert_eq!(refused(&deep, 16), OctreeError::TooDeep { byte: 16, level: 16 });
        let message = refused("(b", 3).to_string();
        assert_eq!(
            message,
            "`b` is not a node: nodes are `(` or `G` (gray), `B` (black) and `W` (white)"
        );
        assert!(Octree::depth_of_text(&deep).is_err());
    }

    #[test]
    fn what_is_not_condensed_is_condensed() {
        let octree = Octree::from_text("(WWWW(BBBBBBBBWWW", grid(2)).unwrap();
        assert_eq!(octree.text(), "(WWWWBWWW");
        assert_eq!(Octree::from_text("(WWWWWWWW", grid(1)).unwrap(), Octree::empty(grid(1)));
    }

    /// Random texts, whole and cut off, are read and written without loss, or refused.
    #[test]
    fn random_octrees_survive_the_round_trip() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let (mut text, mut levels) = (String::new(), vec![0_u8]);
            while let Some(level) = levels.pop() {
                match random.below(3) {
                    0 if level < 4 => {
                        text.push('(');
                        levels.extend([level + 1; 8]);
                    }
                    1 => text.push('B'),
                    _ => text.push('W'),
                }
            }
            let octree = Octree::from_text(&text, grid(4)).unwrap();
            let again = Octree::from_text(&octree.text(), grid(4)).unwrap();
            assert_eq!(again, octree, "seed {seed}");
            let cut = random.below(text.len() as u64) as usize;
            let error = Octree::from_text(&text[..cut], grid(4)).unwrap_err();
            assert!(
                matches!(error, OctreeError::CutOff { nodes, .. } if nodes == cut),
                "seed {seed}"
            );
        }
    }
}
