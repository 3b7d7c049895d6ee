//! The nodes of an octree in preorder, two bits each (the DF representation), and the writer that condenses them.
//!
//! Every algorithm that makes an octree writes its nodes through [`Writer`].

use super::OctreeError;

/// The largest number of nodes of an octree: 256 MiB at two bits each.
pub const MAX_NODES: usize = 1 << 30;

/// The colour of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The cell is outside of the object.
    White = 0,
    /// The cell is inside of the object.
    Black = 1,
    /// Some of the cell's voxels are black and some white; its eight children follow.
    Gray = 2,
}

/// Colours, packed into two bits each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Nodes {
    words: Vec<u64>,
    len: usize,
}

/// Colours in a word.
const PER_WORD: usize = 32;

impl Nodes {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes that the nodes take.
    pub(super) fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// The colour of a node.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    #[inline]
    pub(super) fn get(&self, node: usize) -> Color {
        match self.words[node / PER_WORD] >> (2 * (node % PER_WORD)) & 3 {
            0 => Color::White,
            1 => Color::Black,
            _ => Color::Gray,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, color: Color) {
        let shift = 2 * (self.len % PER_WORD);
        match shift {
            0 => self.words.push(color as u64),
            _ => self.words[self.len / PER_WORD] |= (color as u64) << shift,
        }
        self.len += 1;
    }

    /// Removes all nodes from `len` on. The bits behind the last node are 0, so that equal nodes have equal words.
    pub(super) fn truncate(&mut self, len: usize) {
        self.words.truncate(len.div_ceil(PER_WORD));
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), len % PER_WORD) {
            *last &= (1 << (2 * rest)) - 1;
        }
        self.len = len;
    }

    /// The first node after the subtree that starts at `node`.
    pub(super) fn after(&self, mut node: usize) -> usize {
        let mut needed = 1_usize;
        while needed > 0 {
            needed -= 1;
            if self.get(node) == Color::Gray {
                needed += 8;
            }
            node += 1;
        }
        node
    }
}

/// Writes nodes in preorder, and condenses them: a gray node whose eight children are all black or all white becomes
/// one of that colour. So equal objects have equal nodes.
///
/// As in section 2.4.3 of Smith and Kitamura, a condensed node is written over its own place, and the place of its
/// children is used again.
#[derive(Debug, Default)]
pub(super) struct Writer {
    nodes: Nodes,
    open: Vec<Open>,
}

/// A gray node whose children are being written.
#[derive(Debug)]
struct Open {
    node: usize,
    children: u8,
    /// The colour of all children so far; gray if they differ.
    common: Color,
}

impl Writer {
    /// Writes a gray node; its children come next.
    pub(super) fn open(&mut self) -> Result<(), OctreeError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(OctreeError::TooManyNodes);
        }
        self.open.push(Open { node: self.nodes.len(), children: 0, common: Color::Gray });
        self.nodes.push(Color::Gray);
        Ok(())
    }

    /// Writes a node without children: black or white.
    pub(super) fn leaf(&mut self, mut color: Color) -> Result<(), OctreeError> {
        debug_assert!(color != Color::Gray, "a gray node has children");
        if self.nodes.len() >= MAX_NODES {
            return Err(OctreeError::TooManyNodes);
        }
        self.nodes.push(color);
        while let Some(parent) = self.open.last_mut() {
            parent.children += 1;
            if parent.children == 1 {
                parent.common = color;
            } else if parent.common != color {
                parent.common = Color::Gray;
            }
            if parent.children < 8 {
                break;
            }
            color = parent.common;
            if color != Color::Gray {
                self.nodes.truncate(parent.node);
                self.nodes.push(color);
            }
            self.open.pop();
        }
        Ok(())
    }

    /// How many gray nodes wait for children.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// How many nodes are missing at least.
    pub(super) fn missing(&self) -> usize {
        let waiting: usize = self.open.iter().map(|open| 8 - usize::from(open.children)).sum();
        // An open node counts as written in its parent only when its last child is.
        waiting.saturating_sub(self.open.len().saturating_sub(1))
            + usize::from(self.nodes.len() == 0)
    }

    /// Whether the root and all of its descendants are written.
    pub(super) fn is_complete(&self) -> bool {
        self.open.is_empty() && self.nodes.len() > 0
    }

    pub(super) fn finish(self) -> Nodes {
        debug_assert!(self.is_complete(), "{} nodes are missing", self.missing());
        let mut nodes = self.nodes;
        nodes.words.shrink_to_fit();
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_take_two_bits() {
        let colors: Vec<Color> = (0..1000_usize)
            .map(|i| [Color::White, Color::Black, Color::Gray][(i * i + i / 7) % 3])
            .collect();
        let mut nodes = Nodes::default();
        colors.iter().for_each(|&color| nodes.push(color));
        assert_eq!((nodes.len(), nodes.bytes()), (1000, 256));
        assert!(colors.iter().enumerate().all(|(i, &color)| nodes.get(i) == color));
        nodes.truncate(33);
        let mut again = Nodes::default();
        colors[..33].iter().for_each(|&color| again.push(color));
        assert_eq!(nodes, again);
        nodes.truncate(32);
        nodes.push(colors[32]);
        assert_eq!(nodes, again);
    }

    #[test]
    fn equal_children_are_condensed_on_all_levels() {
        let mut writer = Writer::default();
        assert_eq!(writer.missing(), 1);
        writer.open().unwrap();
        assert_eq!((writer.missing(), writer.depth()), (8, 1));
        for child in 0..8 {
            writer.open().unwrap();
            assert_eq!(writer.missing(), 15 - child);
            for _ in 0..8 {
                assert!(!writer.is_complete());
                writer.leaf(Color::Black).unwrap();
            }
        }
        assert!(writer.is_complete());
        let nodes = writer.finish();
        assert_eq!((nodes.len(), nodes.get(0)), (1, Color::Black));
    }

    #[test]
    fn a_subtree_ends_after_its_last_descendant() {
        let mut writer = Writer::default();
        writer.open().unwrap();
        for child in 0..8 {
            if child == 1 {
                writer.open().unwrap();
                for grandchild in 0..8 {
                    let color = if grandchild == 3 { Color::Black } else { Color::White };
                    writer.leaf(color).unwrap();
                }
            } else {
                writer.leaf(Color::Black).unwrap();
            }
        }
        let nodes = writer.finish();
        assert_eq!([0, 1, 2, 3].map(|node| nodes.after(node)), [17, 2, 11, 4]);
    }
}
