//! Axis alignment with products from tables (Zachmann 2002, section 3.2.2).
//!
//! The paper's tables have an entry for each thousandth of the range of distances. That is too
//! coarse once boxes are small. Here entries are a 32nd of their value apart, of which there are
//! about as many; and what rounding to an entry leaves of a distance is kept for the next plane
//! that moves the same side, so that no error builds up on the way down.

use super::{
    Boxtree,
    grid::STEP,
    node::Node,
    overlap::{ALIGNED, Gaps, Linear},
};
use crate::volume::Relative;

/// Distances below this many steps have an entry each, and from there on so many to a doubling.
const PER_OCTAVE: u32 = 32;
const OCTAVES: u32 = 26 - PER_OCTAVE.ilog2();
const ENTRIES: usize = (PER_OCTAVE * (OCTAVES + 1)) as usize;

/// The products of every distance with the entries of the matrix.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// By axis of the second box and distance: what that adds along each axis of the first.
    products: Vec<[[f64; 3]; ENTRIES]>,
}

/// The products, the plain test beside them, and which gaps a side widens.
pub(super) struct Lookup<'t> {
    plain: Linear<ALIGNED>,
    table: &'t Table,
    /// By side of the second box and axis of the first: whether the gap from the first box up to
    /// the second widens, and not the other.
    widens_up: [[bool; 3]; 8],
}

/// The gaps, and what the sides of the second box are yet to be moved by.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    gaps: [f64; ALIGNED],
    owed: [u32; 6],
}

/// What is added to the gaps, and what is owed from then on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    gaps: [f64; ALIGNED],
    owed: [u32; 6],
}

/// The entry for a distance, rounded down.
#[inline]
fn entry(distance: u32) -> usize {
    // As in a floating-point number: the leading bit's place, and the five bits after it.
    let octave = (distance / PER_OCTAVE).checked_ilog2().map_or(0, |place| place + 1);
    let shift = octave.saturating_sub(1);
    (octave * PER_OCTAVE + (distance >> shift) - PER_OCTAVE * u32::from(octave > 0)) as usize
}

/// The distance that an entry stands for.
#[inline]
fn distance(entry: usize) -> u32 {
    let (octave, rest) = (entry as u32 / PER_OCTAVE, entry as u32 % PER_OCTAVE);
    if octave == 0 { rest } else { (PER_OCTAVE + rest) << (octave - 1) }
}

impl Table {
    fn fill(&mut self, relative: &Relative) {
        self.products.resize(3, [[0.0; 3]; ENTRIES]);
        let columns = relative.matrix.to_cols_array_2d();
        for (products, column) in self.products.iter_mut().zip(columns) {
            let widths = column.map(|m| m.abs() * STEP);
            for (entry, product) in products.iter_mut().enumerate() {
                let distance = f64::from(distance(entry));
                *product = widths.map(|width| distance * width);
            }
        }
    }
}

impl<'t> Lookup<'t> {
    pub(super) fn new(a: &Boxtree, b: &Boxtree, relative: &Relative, table: &'t mut Table) -> Self {
        table.fill(relative);
        let plain = Linear::new(a, b, relative);
        let columns = relative.matrix.to_cols_array_2d();
        let mut widens_up = [[false; 3]; 8];
        for (side, widens_up) in widens_up.iter_mut().take(6).enumerate() {
            *widens_up = columns[side / 2].map(|m| (m > 0.0) != (side % 2 == 1));
        }
        Self { plain, table, widens_up }
    }
}

impl Gaps for Lookup<'_> {
    type State = State;
    type Change = Change;

    fn roots(&self) -> State {
        State { gaps: self.plain.roots(), owed: [0; 6] }
    }

    #[inline]
    fn descended(&self, state: &State, child: Node) -> State {
        State { gaps: self.plain.descended(&state.gaps, child), ..*state }
    }

    #[inline]
    fn change(&self, state: &State, child: Node) -> Change {
        let mut owed = state.owed;
        let side = child.side();
        let owing = child.distance() + owed[side];
        let entry = entry(owing);
        owed[side] = owing - distance(entry);
        let products = &self.table.products[side / 2][entry];
        let widens_up = &self.widens_up[side];
        let gaps =
            std::array::from_fn(
                |i| {
                    if widens_up[i % 3] == (i < 3) { products[i % 3] } else { 0.0 }
                },
            );
        Change { gaps, owed }
    }

    #[inline]
    fn changed(state: &State, change: &Change) -> State {
        let gaps = std::array::from_fn(|i| state.gaps[i] + change.gaps[i]);
        State { gaps, owed: change.owed }
    }

    #[inline]
    fn are_apart(state: &State) -> bool {
        Linear::are_apart(&state.gaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_down_by_less_than_a_32nd() {
        let spread = (0..26).flat_map(|bit| [-1, 0, 1].map(|d| (1_i32 << bit) + d));
        for owed in (0..5000).chain(spread).map(|d: i32| d.cast_unsigned()) {
            let rounded = distance(entry(owed));
            assert!(rounded <= owed && owed - rounded <= owed / 32, "{owed} became {rounded}");
        }
        assert!((0..ENTRIES).all(|i| entry(distance(i)) == i));
    }
}
