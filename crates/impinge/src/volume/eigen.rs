//! The eigenvectors of a symmetric 3×3 matrix. Oriented boxes take their axes from them, those of
//! binary trees (`volume/fit.rs`) and those of wide trees (`method/wide/fit.rs`).

use glam::{DMat3, DVec3};

/// The order in which Jacobi rotations visit the off-diagonal entries: `(p, q, r)` stands for the
/// entry in row p and column q, and r is the third index. Where two diagonal entries are equal, the
/// order of p and q decides the direction of the rotation.
type Order = [(usize, usize, usize); 3];

/// The eigenvectors of a symmetric matrix, by Jacobi rotations; `None` if they are not orthonormal,
/// as for entries that are NaN. They are a product of rotations, so they are orthonormal even if
/// eigenvalues coincide.
///
/// `squares` holds the entries xx, yy, zz, and `products` holds yz, zx, xy. Off-diagonal entries
/// that are at most `tolerance` times the diagonal count as zero. At most `sweeps` passes over the
/// entries are made.
#[inline(always)]
pub(crate) fn eigenvectors(
    squares: DVec3,
    products: DVec3,
    order: Order,
    tolerance: f64,
    sweeps: u32,
) -> Option<DMat3> {
    let (mut diagonal, mut off) = (squares.to_array(), products.to_array());
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d().map(DVec3::from_array);
    for _ in 0..sweeps {
        let mut is_done = true;
        for (p, q, r) in order {
            // The entry of p and q is off[r], and so on.
            if off[r].abs() <= tolerance * (diagonal[p].abs() + diagonal[q].abs()) {
                continue;
            }
            is_done = false;
            let theta = (diagonal[q] - diagonal[p]) / (2.0 * off[r]);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            diagonal[p] -= tangent * off[r];
            diagonal[q] += tangent * off[r];
            off[r] = 0.0;
            (off[q], off[p]) = (cosine * off[q] - sine * off[p], sine * off[q] + cosine * off[p]);
            let (v, w) = (vectors[p], vectors[q]);
            (vectors[p], vectors[q]) = (v * cosine - w * sine, v * sine + w * cosine);
        }
        if is_done {
            break;
        }
    }
    let axes = DMat3::from_cols(vectors[0], vectors[1], vectors[2]);
    let skew = axes.transpose() * axes - DMat3::IDENTITY;
    skew.to_cols_array().iter().all(|entry| entry.abs() < 1e-9).then_some(axes)
}
