//! How well a tree that is fitted to moved faces still fits, and whether it had better be built anew.
//!
//! The trees that can be refitted (`wide`, `tree`, `boxtree`) measure their *cost*: the sum of the surface areas of all
//! volumes, relative to the area of the root's. By the surface-area heuristic, which builders minimise, it stands for
//! the number of volumes that a query tests. A refit keeps the faces of each node together, so the cost grows if faces
//! move away from their neighbours, and hardly changes if these move with them.

/// The factor by which the cost may grow before a tree is built anew.
///
/// Measured on bodies that deform in different ways (docs/benchmarks.md): where neighbours stay together, a refitted wide
/// tree answers at most 1.13 times as slowly as a new one; where they fly apart, at most 1.44 times before it is built
/// anew. For boxtrees it is 1.22 and 1.57 times.
const REBUILD_ABOVE: f64 = 1.5;

/// The cost of a tree when it was built, to which the cost after each refit is compared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FitQuality {
    built: Option<f64>,
}

impl FitQuality {
    /// Before the first refit, takes the cost of the tree as built.
    pub(super) fn measure_once(&mut self, cost: impl FnOnce() -> f64) {
        self.built.get_or_insert_with(cost);
    }

    /// Whether a tree with this cost after a refit had better be built anew.
    pub(super) fn is_poor(&self, cost: f64) -> bool {
        self.built.is_some_and(|built| cost > REBUILD_ABOVE * built)
    }
}

/// The cost of a tree, from measures of its volumes that grow with their surface areas.
///
/// 0 if the root is a point or a line, up to rounding: then no tree is better than another. If such a tree was built, it is built
/// anew as soon as the faces spread.
pub(super) fn relative_cost(root: f64, areas: impl Iterator<Item = f64>) -> f64 {
    if root > POINT { areas.sum::<f64>() / root } else { 0.0 }
}

/// The area of a volume so small that it may be mostly slack for rounding. The coordinates of a tree reach from 0.5 to
/// 1 along some axis, unless all faces are in one point.
const POINT: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_poor_once_its_cost_has_grown_by_half() {
        let mut quality = FitQuality::default();
        assert!(!quality.is_poor(1e9), "nothing to compare with");
        quality.measure_once(|| 10.0);
        quality.measure_once(|| 1e9);
        assert!(!quality.is_poor(15.0) && quality.is_poor(15.1));
    }

    #[test]
    fn a_tree_over_a_point_is_good_as_long_as_it_is_one() {
        let mut quality = FitQuality::default();
        quality.measure_once(|| relative_cost(1e-28, [1e-28; 3].into_iter()));
        assert!(!quality.is_poor(relative_cost(0.0, [0.0; 3].into_iter())));
        assert!(quality.is_poor(relative_cost(1.0, [0.1; 3].into_iter())));
    }
}
