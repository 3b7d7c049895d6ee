//! Exact linear programming over the common points of two triangles.
//!
//! A common point is `Σ λᵢ aᵢ = Σ μⱼ bⱼ` with weights `λ, μ ≥ 0` that each add up to 1. Written
//! from the first corners, with `λ₀ = 1 - λ₁ - λ₂` and `μ₀ = 1 - μ₁ - μ₂`, it is a solution of
//!
//! ```text
//! λ₀ + λ₁ + λ₂ = 1
//! μ₀ + μ₁ + μ₂ = 1
//! λ₁ (a₁ - a₀) + λ₂ (a₂ - a₀) - μ₁ (b₁ - b₀) - μ₂ (b₂ - b₀) = b₀ - a₀     (x, y and z)
//! ```
//!
//! in six variables that must not be negative. Nothing here asks whether the triangles are
//! coplanar, parallel or degenerate: the simplex method copes with any matrix. The same equations,
//! with more weights, decide whether the convex hulls of more points than three meet.
//!
//! The method is the textbook's: each of the last three equations gets an *artificial* variable,
//! which makes a first solution obvious, and phase 1 drives the sum of the artificial variables
//! down to its minimum. There are common points if and only if the minimum is zero. Bland's rule
//! (R. G. Bland, *New finite pivoting rules for the simplex method*, 1977) guarantees an end.
//!
//! All numbers are integers over one common denominator, the last pivot; the division in
//! [`Tableau::pivot`] then leaves no remainder (J. Edmonds, 1967; E. H. Bareiss, 1968), because
//! every entry is a minor of the first matrix.

use crate::integer::Integer;
use std::cmp::Ordering;

/// Corners of both triangles, first those of `a`, then those of `b`.
pub(crate) type Corners<N> = [[N; 3]; 6];

/// Names of the variables; their order is the one that Bland's rule goes by.
type Variable = usize;
const ARTIFICIAL: [Variable; 3] = [0, 1, 2];
const LAMBDA: [Variable; 3] = [3, 4, 5];
const MU: [Variable; 3] = [6, 7, 8];
/// The objective, which phase 2 maximises. It may have either sign, so it never leaves the basis.
const OBJECTIVE: Variable = usize::MAX;

/// One equation, solved for its basic variable:
/// `denominator * variable + Σ cells[c] * free[c] = value`.
#[derive(Clone)]
struct Row<N> {
    variable: Variable,
    value: N,
    cells: Vec<N>,
}

impl<N> Row<N> {
    fn is_artificial(&self) -> bool {
        ARTIFICIAL.contains(&self.variable)
    }
}

/// The equations, solved for the basic variables; the free ones are zero in the current solution.
///
/// The denominator is positive and so is, or is zero, the value of every row but the objective's.
#[derive(Clone)]
pub(crate) struct Tableau<N> {
    rows: Vec<Row<N>>,
    free: Vec<Variable>,
    denominator: N,
}

impl<N: Integer> Tableau<N> {
    /// The equations above, with `λ₀`, `μ₀` and the artificial variables as the basis.
    pub(crate) fn new(corners: &Corners<N>) -> Option<Self> {
        Self::of_hulls(&corners[..3], &corners[3..])
    }

    /// The same for the convex hulls of any number of points, at least one each. Phase 1 decides whether they meet.
    /// [`weights`](Self::weights) is for triangles only.
    pub(crate) fn of_hulls(a: &[[N; 3]], b: &[[N; 3]]) -> Option<Self> {
        let (zero, one) = (N::small(0)?, N::small(1)?);
        let (of_a, of_b) = (a.len() - 1, b.len() - 1);
        let sum = |variable, ones: std::ops::Range<usize>| Row {
            variable,
            value: one.clone(),
            cells: (0..of_a + of_b)
                .map(|cell| if ones.contains(&cell) { &one } else { &zero }.clone())
                .collect(),
        };
        let first_mu = LAMBDA[0] + a.len();
        let mut rows = vec![sum(LAMBDA[0], 0..of_a), sum(first_mu, of_a..of_a + of_b)];
        for axis in 0..3 {
            let (a0, b0) = (&a[0][axis], &b[0][axis]);
            let mut value = b0.minus(a0)?;
            let of_a = a[1..].iter().map(|corner| corner[axis].minus(a0));
            let of_b = b[1..].iter().map(|corner| b0.minus(&corner[axis]));
            let mut cells = of_a.chain(of_b).collect::<Option<Vec<N>>>()?;
            // The first solution gives the artificial variable this value: make it positive.
            if value.sign() == Ordering::Less {
                value = zero.minus(&value)?;
                for cell in &mut cells {
                    *cell = zero.minus(cell)?;
                }
            }
            rows.push(Row { variable: ARTIFICIAL[axis], value, cells });
        }
        let lambdas = LAMBDA[0] + 1..first_mu;
        let free = lambdas.chain(first_mu + 1..first_mu + b.len()).collect();
        Some(Self { rows, free, denominator: one })
    }

    /// Adds the equation `objective = direction · (x - a₀)`, where `x = Σ λᵢ aᵢ`.
    ///
    /// To be called on a new tableau, since it takes all `λᵢ` but the first for its first free variables.
    pub(crate) fn add_objective(&mut self, a: &[[N; 3]], direction: &[N; 3]) -> Option<()> {
        let zero = N::small(0)?;
        let mut cells = vec![zero.clone(); self.free.len()];
        for (cell, corner) in cells.iter_mut().zip(&a[1..]) {
            for axis in 0..3 {
                let edge = corner[axis].minus(&a[0][axis])?;
                *cell = cell.minus(&direction[axis].times(&edge)?)?;
            }
        }
        self.rows.push(Row { variable: OBJECTIVE, value: zero, cells });
        Some(())
    }

    /// Phase 1: finds a solution without artificial variables. Returns whether there is one.
    pub(crate) fn find_solution(&mut self) -> Option<bool> {
        while self.rows.iter().any(|row| row.is_artificial() && !row.value.is_zero()) {
            let Some(column) = self.column_lowering_the_artificial_sum()? else {
                return Some(false);
            };
            self.enter(column)?;
        }
        Some(true)
    }

    /// Phase 2, after a successful phase 1: finds a solution with the largest objective.
    pub(crate) fn maximise(&mut self) -> Option<()> {
        self.expel_artificial_variables()?;
        while let Some(column) = self.column_raising_the_objective() {
            self.enter(column)?;
        }
        Some(())
    }

    /// Returns the value of the objective in the current solution, over the returned denominator.
    pub(crate) fn objective(&self) -> Option<(N, N)> {
        let row = self.rows.iter().find(|row| row.variable == OBJECTIVE)?;
        Some((row.value.clone(), self.denominator.clone()))
    }

    /// Returns the six weights `λ₀ … μ₂` of the current solution, over the returned denominator.
    pub(crate) fn weights(&self) -> Option<([N; 6], N)> {
        let zero = N::small(0)?;
        let mut weights: [N; 6] = std::array::from_fn(|_| zero.clone());
        for row in &self.rows {
            if (LAMBDA[0]..=MU[2]).contains(&row.variable) {
                weights[row.variable - LAMBDA[0]] = row.value.clone();
            }
        }
        Some((weights, self.denominator.clone()))
    }

    /// Returns the first of the free variables whose growth lowers the sum of the artificial ones.
    ///
    /// Artificial variables that left the basis are gone for good, so their sum is the sum of the
    /// rows that are still artificial, and a variable lowers it if its cells there add up to more
    /// than zero.
    fn column_lowering_the_artificial_sum(&self) -> Option<Option<usize>> {
        let mut best: Option<usize> = None;
        for column in 0..self.free.len() {
            let mut slope = N::small(0)?;
            for row in self.rows.iter().filter(|row| row.is_artificial()) {
                slope = slope.plus(&row.cells[column])?;
            }
            let is_first = best.is_none_or(|best| self.free[column] < self.free[best]);
            if slope.sign() == Ordering::Greater && is_first {
                best = Some(column);
            }
        }
        Some(best)
    }

    /// Returns the first of the free variables whose growth raises the objective.
    fn column_raising_the_objective(&self) -> Option<usize> {
        let objective = self.rows.iter().find(|row| row.variable == OBJECTIVE)?;
        (0..self.free.len())
            .filter(|&column| objective.cells[column].sign() == Ordering::Less)
            .min_by_key(|&column| self.free[column])
    }

    /// Takes the column's variable into the basis, in place of the one that reaches zero first.
    fn enter(&mut self, column: usize) -> Option<()> {
        let mut leaving: Option<usize> = None;
        for (index, row) in self.rows.iter().enumerate() {
            if row.variable == OBJECTIVE || row.cells[column].sign() != Ordering::Greater {
                continue;
            }
            // The entering variable can grow to value / cell. Both cells compared are positive,
            // so the quotients compare like the cross products. Ties go to the first variable.
            let is_tighter = match leaving.map(|best| &self.rows[best]) {
                None => true,
                Some(best) => {
                    let here = row.value.times(&best.cells[column])?;
                    let there = best.value.times(&row.cells[column])?;
                    here.cmp(&there).then(row.variable.cmp(&best.variable)).is_lt()
                }
            };
            if is_tighter {
                leaving = Some(index);
            }
        }
        let leaving = leaving.expect("weights lie between 0 and 1, so something stops the growth");
        self.pivot(leaving, column)
    }

    /// Swaps a basic variable with a free one: solves the row for the column's variable, and
    /// eliminates that variable from all other rows.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let mut pivot_row = self.rows.swap_remove(row);
        let pivot = pivot_row.cells[column].clone();
        debug_assert!(pivot.sign() == Ordering::Greater);
        for row in &mut self.rows {
            // (row * pivot - pivot row * factor) / denominator has a zero in the pivot column.
            let factor = row.cells[column].clone();
            let eliminate = |cell: &N, pivot_cell: &N| {
                let product = cell.times(&pivot)?.minus(&factor.times(pivot_cell)?)?;
                product.over(&self.denominator)
            };
            row.value = eliminate(&row.value, &pivot_row.value)?;
            for (c, cell) in row.cells.iter_mut().enumerate() {
                if c != column {
                    *cell = eliminate(cell, &pivot_row.cells[c])?;
                }
            }
            // The column now stands for the leaving variable, whose cell was zero in this row and
            // the denominator in the pivot row: (0 * pivot - denominator * factor) / denominator.
            row.cells[column] = N::small(0)?.minus(&factor)?;
        }
        pivot_row.cells[column] = std::mem::replace(&mut self.denominator, pivot);
        let left_an_artificial = pivot_row.is_artificial();
        std::mem::swap(&mut pivot_row.variable, &mut self.free[column]);
        self.rows.push(pivot_row);
        // An artificial variable is no longer needed once it is free, that is zero: without its column it stays zero.
        if left_an_artificial {
            self.free.swap_remove(column);
            for row in &mut self.rows {
                row.cells.swap_remove(column);
            }
        }
        Some(())
    }

    /// Makes sure that no artificial variable, now zero, can grow again in phase 2.
    ///
    /// A row that is artificial still reads `0 = Σ cells[c] * free[c]`, so it may be negated, and
    /// any cell that is not zero may be the pivot. If there is none, the row says `0 = 0`, takes
    /// part in no pivot, and can stay.
    fn expel_artificial_variables(&mut self) -> Option<()> {
        let pending = |tableau: &Self| {
            tableau.rows.iter().enumerate().filter(|(_, row)| row.is_artificial()).find_map(
                |(index, row)| Some((index, row.cells.iter().position(|cell| !cell.is_zero())?)),
            )
        };
        while let Some((index, column)) = pending(self) {
            let row = &mut self.rows[index];
            debug_assert!(row.value.is_zero());
            if row.cells[column].sign() == Ordering::Less {
                for cell in &mut row.cells {
                    *cell = N::small(0)?.minus(cell)?;
                }
            }
            self.pivot(index, column)?;
        }
        Some(())
    }
}
