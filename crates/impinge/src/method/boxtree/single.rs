//! Down one boxtree, the most promising boxes first, to the faces that are close to a point
//! (`point.rs`) or that a ray may meet (`ray.rs`).

use super::{Boxtree, Node, grid::LaneBox};

/// A node yet to be visited.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct OpenNode {
    /// A lower bound for all faces below it: of their distance, or of the ray's parameter.
    bound: f64,
    bounds: LaneBox,
    node: Node,
}

impl Boxtree {
    /// Visits the faces of all leaves whose bound is not above the limit.
    ///
    /// `bound_of` returns a lower bound for all faces inside a box, given the current limit;
    /// infinity if no face inside it is of interest. `visit` returns the new limit for these bounds.
    /// A limit of negative infinity ends the search.
    #[inline]
    pub(super) fn visit_by_bound(
        &self,
        stack: &mut Vec<OpenNode>,
        bound_of: impl Fn(LaneBox, f64) -> f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        let Some(root) = self.root else { return };
        stack.clear();
        let bounds = self.bounds.into();
        // Below infinity, so that an infinite bound is always above it.
        let mut limit = f64::MAX;
        stack.push(OpenNode { bound: bound_of(bounds, limit), bounds, node: root });
        while let Some(OpenNode { bound, bounds, node }) = stack.pop() {
            if bound > limit {
                continue;
            }
            if node.is_leaf() {
                for &face in self.faces_of(&node) {
                    limit = visit(face).min(f64::MAX);
                    if limit == f64::NEG_INFINITY {
                        return;
                    }
                }
                continue;
            }
            let [first, second] = self.pairs[node.link as usize].map(|child| {
                let bounds = child.of(bounds);
                OpenNode { bound: bound_of(bounds, limit), bounds, node: child }
            });
            // The more promising child is visited first: it is likely to make the other superfluous.
            let (near, far) =
                if first.bound <= second.bound { (first, second) } else { (second, first) };
            if far.bound <= limit {
                stack.push(far);
            }
            if near.bound <= limit {
                stack.push(near);
            }
        }
    }
}
