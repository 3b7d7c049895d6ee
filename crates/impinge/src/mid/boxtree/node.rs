//! What is stored of a box: how it differs from its parent's.

use super::grid::Side;

/// A side of the parent's box, by how far it moves inward, and what is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// From the top: 26 bits of distance in steps of the grid, 2 of the kind, 1 unused, 3 of side.
    word: u32,
    /// A pair of children, a face, or a run of faces, by kind.
    pub(super) link: u32,
}

const _: () = assert!(size_of::<[Node; 2]>() == 16, "at most 18 bytes a triangle");

/// What a node's link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two children.
    Inner,
    /// One face.
    Face,
    /// Several faces.
    Run,
}

/// Two opposite corners of the grid are so many steps apart along an axis.
const MAX_DISTANCE: u32 = 1 << 25;

impl Node {
    /// A node whose link is not known yet.
    pub(super) fn new(side: Side, distance: u32) -> Self {
        debug_assert!(side < 6 && distance <= MAX_DISTANCE, "side {side}, distance {distance}");
        Self { word: distance << 6 | side as u32, link: 0 }
    }

    #[must_use]
    pub(super) fn with_link(self, kind: Kind, link: u32) -> Self {
        Self { word: self.word & !0x30 | (kind as u32) << 4, link }
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.word >> 4 & 3 {
            0 => Kind::Inner,
            1 => Kind::Face,
            _ => Kind::Run,
        }
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.word & 0x30 != 0
    }

    /// Which side moves; below 8 as far as the compiler can tell, so tables of 8 need no check.
    #[inline]
    pub(super) fn side(self) -> Side {
        (self.word & 7) as Side
    }

    /// By how many steps the side moves inward.
    #[inline]
    pub(super) fn distance(self) -> u32 {
        self.word >> 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_gives_back_what_was_put_in() {
        for side in 0..6 {
            for distance in [0, 1, 12345, MAX_DISTANCE - 1, MAX_DISTANCE] {
                let node = Node::new(side, distance);
                for kind in [Kind::Face, Kind::Run, Kind::Inner] {
                    let node = node.with_link(kind, u32::MAX);
                    assert_eq!((node.side(), node.distance()), (side, distance));
                    assert_eq!((node.kind(), node.link), (kind, u32::MAX));
                    assert_eq!(node.is_leaf(), kind != Kind::Inner);
                }
            }
        }
    }
}
