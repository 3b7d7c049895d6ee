//! The 8 bytes of a node: how its box differs from its parent's, and what is below it.

use super::grid::{LaneBox, Side};

/// Up to two sides of the parent's box with the distances they move inward, and a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// From the top: 2 bits for the kind, and 15 for each of two cuts.
    word: u32,
    /// The index of a pair of children, of a face, or of a run of faces, by kind. Any `u32` is
    /// possible.
    pub(super) link: u32,
}

const _: () = assert!(size_of::<Node>() <= 9 && size_of::<[Node; 2]>() <= 18);

/// What a node's link refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two children.
    Inner,
    /// One face.
    Face,
    /// Several faces.
    Run,
}

/// A side of a box and the distance it moves inward, in 15 bits, so that two fit into a node.
///
/// The distance is rounded down to one of [`DISTANCES`] values, by less than a 64th. The box is
/// larger by as much, but the boxes below it are not: they are cut from where its side really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut(u32);

/// The number of bits of a distance after the leading one.
const PRECISION: u32 = 7;

/// Added to a distance before it is rounded, so that 0 and all small distances are exact.
const OFFSET: u32 = 1 << PRECISION;

/// The number of distances: up to 2²⁵ steps, from one end of the grid to the other.
pub(super) const DISTANCES: usize = ((25 - PRECISION + 1) << PRECISION) as usize;

/// The number of steps in a unit of [`Cut::distance`].
pub(super) const STEPS_PER_UNIT: f64 = OFFSET as f64;

impl Cut {
    /// Moves no side.
    pub(super) const NONE: Self = Self(0);

    /// Moves a side by at most `steps`.
    #[inline]
    pub(super) fn new(side: Side, steps: u32) -> Self {
        // As in a floating-point number: the position of the leading bit, and some bits after it.
        let octave = (steps + OFFSET).ilog2() - PRECISION;
        let code = (octave << PRECISION) + ((steps + OFFSET) >> octave) - OFFSET;
        debug_assert!(side < 6 && code < DISTANCES as u32, "side {side}, {steps} steps");
        Self(code << 3 | side as u32)
    }

    /// The side. The compiler knows that it is below 8, so tables of 8 need no bounds check.
    #[inline]
    pub(super) fn side(self) -> Side {
        (self.0 & 7) as Side
    }

    /// The index of the distance, below [`DISTANCES`].
    #[inline]
    pub(super) fn code(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// The distance in steps.
    #[inline]
    pub(super) fn steps(self) -> u32 {
        let code = self.0 >> 3;
        ((OFFSET + code % OFFSET) << (code >> PRECISION)) - OFFSET
    }

    /// The distance in units of [`STEPS_PER_UNIT`] steps; exact.
    #[inline]
    pub(super) fn distance(self) -> f32 {
        distance(self.code())
    }

    /// Applies the cut to a box.
    #[inline]
    pub(super) fn of(self, bounds: LaneBox) -> LaneBox {
        bounds.with_side_moved(self.side(), self.steps())
    }
}

/// The distance of a code, in units of [`STEPS_PER_UNIT`] steps.
#[inline]
pub(super) fn distance(code: usize) -> f32 {
    // The code is the upper part of a floating-point number from 1 on, so nothing needs computing.
    let shifted = (code as u32) << (f32::MANTISSA_DIGITS - 1 - PRECISION);
    f32::from_bits(1_f32.to_bits() + shifted) - 1.0
}

impl Node {
    /// A node whose link is not known yet.
    pub(super) fn new([first, second]: [Cut; 2]) -> Self {
        Self { word: second.0 << 15 | first.0, link: 0 }
    }

    #[must_use]
    pub(super) fn with_link(self, kind: Kind, link: u32) -> Self {
        Self { word: self.word & !(3 << 30) | (kind as u32) << 30, link }
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.word >> 30 {
            0 => Kind::Inner,
            1 => Kind::Face,
            _ => Kind::Run,
        }
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.word >> 30 != 0
    }

    /// The cuts that turn the parent's box into this one. The second may be empty.
    #[inline]
    pub(super) fn cuts(self) -> [Cut; 2] {
        [Cut(self.word & 0x7fff), Cut(self.word >> 15 & 0x7fff)]
    }

    /// The difference between the sums of sides of the parent's box and this one, in the units of
    /// [`Cut::distance`].
    #[inline]
    pub(super) fn loss(self) -> f32 {
        let [first, second] = self.cuts();
        first.distance() + second.distance()
    }

    /// Its box, given its parent's.
    #[inline]
    pub(super) fn of(self, parent: LaneBox) -> LaneBox {
        let [first, second] = self.cuts();
        second.of(first.of(parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_returns_what_was_stored() {
        let steps = [0, 1, 127, 128, 130, 384, 388, (1 << 17) - 128];
        for (i, side) in (0..6).flat_map(|side| (0..steps.len()).map(move |i| (i, side))) {
            let cuts = [Cut::new(side, steps[i]), Cut::new(5 - side, steps[steps.len() - 1 - i])];
            for kind in [Kind::Face, Kind::Run, Kind::Inner] {
                let node = Node::new(cuts).with_link(kind, u32::MAX);
                assert_eq!((node.cuts(), node.kind(), node.link), (cuts, kind, u32::MAX));
                assert_eq!(node.is_leaf(), kind != Kind::Inner);
                assert_eq!((cuts[0].side(), cuts[0].steps()), (side, steps[i]));
            }
        }
    }

    #[test]
    fn distances_are_rounded_down_by_less_than_a_64th() {
        let powers = (0..25).flat_map(|bit| [-1, 0, 1].map(|d| (1_i32 << bit) + d));
        for steps in (0..5000).chain(powers).chain([1 << 25]).map(i32::cast_unsigned) {
            let cut = Cut::new(3, steps);
            let kept = cut.steps();
            assert!(kept <= steps && steps - kept <= steps / 64, "{steps} became {kept}");
            assert_eq!(f64::from(cut.distance()) * STEPS_PER_UNIT, f64::from(kept));
        }
        for code in 0..DISTANCES {
            let steps = f64::from(distance(code)) * STEPS_PER_UNIT;
            assert_eq!(Cut::new(1, steps as u32).code(), code);
        }
    }
}
