//! The axis-aligned overlap test with products from tables (Zachmann 2002, section 3.2.2).
//!
//! The table has an entry for every distance that a node can store. Neighbouring distances differ
//! by a 128th of their value. The paper's differ by a thousandth of the largest, which is too
//! coarse for small boxes.

use super::{
    node::{Cut, DISTANCES, Node, distance},
    overlap::{ALIGNED, Gaps, Linear},
};

/// The products of every distance with the entries of the matrix.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// By side of the second box and by distance: the change of each gap when that side moves that
    /// far.
    products: Vec<[[f32; ALIGNED]; DISTANCES]>,
}

/// The overlap test with products from the table.
pub(super) struct Lookup<'t> {
    plain: Linear<f32, ALIGNED>,
    table: &'t Table,
}

impl<'t> Lookup<'t> {
    pub(super) fn new(plain: Linear<f32, ALIGNED>, table: &'t mut Table) -> Self {
        table.products.resize(6, [[0.0; ALIGNED]; DISTANCES]);
        for (products, widths) in table.products.iter_mut().zip(&plain.second) {
            for (code, product) in products.iter_mut().enumerate() {
                *product = widths.map(|width| distance(code) * width);
            }
        }
        Self { plain, table }
    }

    #[inline]
    fn product(&self, cut: Cut) -> &[f32; ALIGNED] {
        &self.table.products[cut.side()][cut.code()]
    }
}

impl Gaps for Lookup<'_> {
    type State = [f32; ALIGNED];
    const ROUNDING: f32 = Linear::<f32, ALIGNED>::ROUNDING;

    #[inline]
    fn descended(&self, state: &[f32; ALIGNED], child: Node) -> [f32; ALIGNED] {
        self.plain.descended(state, child)
    }

    #[inline]
    fn change(&self, child: Node) -> [f32; ALIGNED] {
        let [first, second] = child.cuts().map(|cut| self.product(cut));
        std::array::from_fn(|i| first[i] + second[i])
    }

    #[inline]
    fn changed(state: &[f32; ALIGNED], change: &[f32; ALIGNED]) -> [f32; ALIGNED] {
        Linear::changed(state, change)
    }

    #[inline]
    fn are_apart(state: &[f32; ALIGNED], slack: f32) -> bool {
        Linear::are_apart(state, slack)
    }
}
