//! Cutting long thin faces into pieces (Klosowski 1998, ch. 6). The builder and `save.rs` use it.
//!
//! A volume around a long thin face that lies diagonally is mostly empty; volumes around its pieces
//! are not. The exact test still takes the whole face.
//!
//! The pieces of a face cover it, although their corners are rounded. In exact arithmetic they do:
//! each cut goes through a corner and the middle of the opposite side. A corner of a piece is
//! `a p + b q + c r`, with p, q and r the face's corners in the frame and weights that are sums of
//! powers of two, kept exactly. It is computed directly from p, q and r, not from piece to piece,
//! so that no error adds up. The corners themselves are off by at most 2^−52 along an axis, and so
//! is any weighted mean of theirs. Three products and two sums, none above 1 and each rounded to
//! 2^−53 of its value, add (a + b + c) + (a + b) + 1 ≤ 3 times 2^−53. Together that is 5 · 2^−53.
//! Volumes have a margin of `GUARD` = 8 · 2^−53 in every coordinate they enclose, and another for
//! their own rounding. A volume is convex, so if it encloses the true corners it encloses the true
//! piece.

use crate::{Mesh, volume::Frame};
use glam::{DMat3, DVec3};
use std::{cmp::Ordering, collections::BinaryHeap};

/// A piece is worth cutting if its length is at least this many times its width.
const SKINNY: f64 = 3.0;

/// How often a piece may be halved. Weights of so few bits are exact, and even a needle is in small
/// pieces by then.
const MAX_CUTS: u32 = 24;

/// The pieces of a mesh's faces.
pub(super) struct Pieces {
    /// The corners of every piece.
    triangles: Vec<[DVec3; 3]>,
    /// The faces of the pieces after the first of each face.
    faces: Vec<u32>,
}

/// A piece that may be cut.
struct Candidate {
    length_sq: f64,
    piece: u32,
    /// The corners of the piece, as weights of the face's corners.
    weights: [DVec3; 3],
    cuts: u32,
}

impl Pieces {
    /// Cuts the longest of all long thin pieces, until there are `more` pieces than faces, or
    /// nothing is left to cut. With a smaller `more`, the cuts are the first of the same sequence.
    pub(super) fn new(mesh: &Mesh, frame: &Frame, more: usize) -> Self {
        let count = mesh.faces().len();
        let mut pieces = Self {
            triangles: mesh.triangles().map(|t| t.map(|p| frame.normalized(p))).collect(),
            faces: Vec::new(),
        };
        let whole = DMat3::IDENTITY;
        let whole = [whole.x_axis, whole.y_axis, whole.z_axis];
        let candidates = (0..count as u32).filter_map(|face| pieces.candidate(face, whole, 0));
        let mut candidates: BinaryHeap<Candidate> = candidates.collect();
        while pieces.faces.len() < more {
            let Some(Candidate { piece, weights, cuts, .. }) = candidates.pop() else { break };
            let face = pieces.face(piece);
            let corners = mesh.triangle(face).map(|corner| frame.normalized(corner));
            let corners = DMat3::from_cols_array_2d(&corners.map(Into::into));
            let other = (count + pieces.faces.len()) as u32;
            pieces.faces.push(face);
            pieces.triangles.push([DVec3::ZERO; 3]);
            let (_, side) = longest(&pieces.triangles[piece as usize]);
            for (piece, weights) in [piece, other].into_iter().zip(halves(weights, side)) {
                pieces.triangles[piece as usize] = weights.map(|weights| corners * weights);
                candidates.extend(pieces.candidate(piece, weights, cuts + 1));
            }
        }
        pieces
    }

    /// The number of pieces in addition to the faces.
    pub(super) fn len(&self) -> usize {
        self.faces.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    pub(super) fn face(&self, piece: u32) -> u32 {
        let faces = self.triangles.len() - self.faces.len();
        (piece as usize).checked_sub(faces).map_or(piece, |i| self.faces[i])
    }

    pub(super) fn triangle(&self, piece: u32) -> [DVec3; 3] {
        self.triangles[piece as usize]
    }

    /// A piece as a candidate, if it is worth cutting.
    fn candidate(&self, piece: u32, weights: [DVec3; 3], cuts: u32) -> Option<Candidate> {
        let triangle = &self.triangles[piece as usize];
        let [p, q, r] = *triangle;
        let (length_sq, _) = longest(triangle);
        // Twice the area is length times width.
        let is_skinny = length_sq > SKINNY * (q - p).cross(r - p).length();
        (is_skinny && cuts < MAX_CUTS).then_some(Candidate { length_sq, piece, weights, cuts })
    }
}

/// The longest side of a triangle: its squared length, and the index of the opposite corner.
fn longest(&[p, q, r]: &[DVec3; 3]) -> (f64, usize) {
    let sides = [(q, r), (r, p), (p, q)].map(|(from, to)| from.distance_squared(to));
    (0..3).map(|i| (sides[i], i)).fold(
        (sides[0], 0),
        |best, side| {
            if side.0 > best.0 { side } else { best }
        },
    )
}

/// A triangle cut in two from the corner `across` to the middle of the opposite side.
fn halves(corners: [DVec3; 3], across: usize) -> [[DVec3; 3]; 2] {
    let [tip, from, to] = [0, 1, 2].map(|i| corners[(across + i) % 3]);
    let middle = (from + to) * 0.5;
    [[tip, from, middle], [tip, middle, to]]
}

impl Ord for Candidate {
    /// The longest piece is greatest; of equally long ones, the first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.length_sq.total_cmp(&other.length_sq).then(other.piece.cmp(&self.piece))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};

    /// However a face is cut, its pieces cover it exactly, measured by the weights.
    #[test]
    fn pieces_cover_the_face() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut pieces = vec![[DVec3::X, DVec3::Y, DVec3::Z]];
            // The chosen pieces are halved repeatedly: a piece may be 2^-15 of the face.
            for _ in 0..20 {
                let chosen = random.below(pieces.len().min(3) as u64) as usize;
                let piece = pieces.swap_remove(chosen);
                let [one, other] = halves(piece, random.below(3) as usize);
                pieces.insert(0, one);
                pieces.push(other);
            }
            // The weights are sums of powers of two, so all of this is exact.
            let mut area = 0.0;
            for piece in &pieces {
                for weights in piece {
                    assert_eq!(weights.element_sum(), 1.0, "seed {seed}");
                    assert!(weights.min_element() >= 0.0, "seed {seed}");
                }
                let [p, q, r] = *piece;
                // Oriented like the face, so no piece is folded over.
                let share = DMat3::from_cols(p, q, r).determinant();
                assert!(share > 0.0, "seed {seed}: {share}");
                area += share;
            }
            assert_eq!(area, 1.0, "seed {seed}");
        }
    }

    /// The error of a piece's corner is at most the bound in the module's documentation.
    #[test]
    fn corners_are_off_by_three_roundings() {
        let mut worst = 0;
        for seed in 0..200_000 {
            let mut random = Random::new(seed);
            // Multiples of 2^-53 within ±1, as integers.
            let mut number = || random.below(1 << 54) as i64 - (1 << 53);
            let corners = [(); 3].map(|()| [number(), number(), number()]);
            let bits = 1 + random.below(u64::from(MAX_CUTS)) as u32;
            let a = random.below((1 << bits) + 1);
            let b = random.below((1 << bits) - a + 1);
            let weights = [a, b, (1 << bits) - a - b];

            let as_float = |n: i64| n as f64 * 2f64.powi(-53);
            let matrix = DMat3::from_cols_array_2d(&corners.map(|corner| corner.map(as_float)));
            let computed =
                matrix * DVec3::from_array(weights.map(|w| w as f64 * 2f64.powi(-(bits as i32))));
            for axis in 0..3 {
                let exact: i128 =
                    (0..3).map(|i| i128::from(corners[i][axis]) * i128::from(weights[i])).sum();
                // In units of 2^-53 / 2^bits.
                let computed = (computed[axis] * 2f64.powi(53 + bits as i32)) as i128;
                let error = ((computed - exact).abs() >> (bits - 1)) as u32;
                worst = worst.max(error);
                assert!(error <= 6, "seed {seed}: {error} halves of 2^-53");
            }
        }
        assert!(worst >= 2, "the errors are suspiciously small: {worst} halves of 2^-53");
    }

    /// Loading computes the pieces again from their number alone.
    #[test]
    fn fewer_pieces_are_the_first_cuts_of_more() {
        let mesh = generate::pipes(1, generate::PipesOptions::default()).unwrap();
        let frame = Frame::new(&mesh.bounds());
        let most = Pieces::new(&mesh, &frame, 5000);
        assert_eq!(most.len(), 5000);
        for more in [1, 2, 777, 4999] {
            let fewer = Pieces::new(&mesh, &frame, more);
            assert_eq!(fewer.faces, most.faces[..more]);
        }
        // The longest come first: no piece that is left to cut is longer than one that was cut.
        let longest_left = (0..most.triangles.len() as u32)
            .filter_map(|piece| most.candidate(piece, [DVec3::X; 3], 0))
            .map(|candidate| candidate.length_sq)
            .fold(0.0, f64::max);
        let cut = most.faces.iter().map(|&face| mesh.triangle(face).map(|p| frame.normalized(p)));
        let shortest_cut = cut.map(|face| longest(&face).0).fold(f64::INFINITY, f64::min);
        assert!(longest_left <= shortest_cut, "{longest_left} is left, {shortest_cut} is cut");
    }
}
