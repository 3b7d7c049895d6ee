//! How much of a parent's box its children leave empty (Zachmann 2002, section 3.1).

use super::{Boxtree, BoxtreeOptions, Node, grid::LaneBox};
use crate::Mesh;

/// How the boxes of a binary tree of axis-aligned boxes lie in their parents' boxes, over all nodes
/// but the root.
///
/// Each box is the least box around the faces below its node. The tree is that of
/// [`BoxtreeOptions::of_paper`].
#[derive(Clone, Debug, PartialEq)]
pub struct EmptySpace {
    /// How many of the six sides of a box lie on sides of its parent's box, on average.
    pub sides_on_parent: f64,
    /// For each node, the share of its parent's box that is outside of its own, in ascending order.
    /// The side at which the faces were split is left out: the parent's box is first cut there.
    pub shares: Vec<f32>,
}

impl EmptySpace {
    /// Builds the tree and measures it. `None` for a mesh with fewer than two faces.
    pub fn of(mesh: &Mesh) -> Option<Self> {
        let tree = Boxtree::build(mesh, BoxtreeOptions::of_paper());
        let (bounds, boxes) = tree.face_bounds(mesh);
        let mut shares = Vec::with_capacity(2 * boxes.len());
        let mut sides = 0;
        let mut visit = |parent: LaneBox, node: &Node| {
            let Some(children) = tree.pairs.get(node.link as usize).filter(|_| !node.is_leaf())
            else {
                return;
            };
            let boxes = boxes[node.link as usize];
            for which in 0..2 {
                let (child, other) = (boxes[which], boxes[1 - which]);
                sides += (child.min.cmpeq(parent.min).bitmask() & 7).count_ones();
                sides += (child.max.cmpeq(parent.max).bitmask() & 7).count_ones();
                // The only cut of a node is across the axis of the split.
                let axis = children[which].cuts()[0].side() / 2;
                let middle = |bounds: LaneBox| bounds.min[axis] + bounds.max[axis];
                let mut cut = parent;
                if middle(child) < middle(other) {
                    cut.max[axis] = child.max[axis];
                } else {
                    cut.min[axis] = child.min[axis];
                }
                let ratio = child.lengths() / cut.lengths();
                // Along an axis where both are flat, nothing is left empty.
                let along = |ratio: f32| if ratio.is_nan() { 1.0 } else { ratio };
                shares.push(1.0 - along(ratio.x) * along(ratio.y) * along(ratio.z));
            }
        };
        visit(bounds, &tree.root?);
        for (nodes, boxes) in tree.pairs.iter().zip(&boxes) {
            for (node, &parent) in nodes.iter().zip(boxes) {
                visit(parent, node);
            }
        }
        if shares.is_empty() {
            return None;
        }
        shares.sort_unstable_by(f32::total_cmp);
        Some(Self { sides_on_parent: f64::from(sides) / shares.len() as f64, shares })
    }

    /// The fraction of nodes that leave at most this share of their parent's box empty.
    pub fn fraction_within(&self, share: f32) -> f64 {
        self.shares.partition_point(|&other| other <= share) as f64 / self.shares.len() as f64
    }

    /// The share that half of the nodes leave empty at most.
    pub fn median(&self) -> f32 {
        self.shares[self.shares.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use glam::DVec3;

    /// A row of equal boxes: each child has its parent's cross-section, and nothing is left empty but
    /// at the split.
    #[test]
    fn boxes_in_a_row_leave_no_space_empty() {
        let bars = (0..64).flat_map(|i| {
            let at = DVec3::X * f64::from(i);
            [at, at + DVec3::new(1.0, 1.0, 0.0), at + DVec3::new(0.5, 0.5, 1.0)]
        });
        let faces = (0..64).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let row = Mesh::new(bars.collect(), faces).expect("finite");
        let space = EmptySpace::of(&row).expect("enough faces");
        assert_eq!(space.shares.len(), 2 * 63);
        assert!(space.shares.iter().all(|&share| (0.0..1e-4).contains(&share)), "{space:?}");
        assert_eq!((space.fraction_within(0.1), space.sides_on_parent), (1.0, 5.0));
    }

    /// The paper's observation, on a surface: half of the nodes leave little empty, and children
    /// share three sides or more with their parents.
    #[test]
    fn half_of_the_nodes_leave_little_space_empty() {
        let torus = generate::deformed_torus(1, [80, 40]).expect("enough segments");
        let space = EmptySpace::of(&torus).expect("enough faces");
        assert_eq!(space.shares.len(), 2 * (torus.faces().len() - 1));
        assert!(space.median() < 0.4 && space.median() > 0.0, "{}", space.median());
        assert!((3.0..5.0).contains(&space.sides_on_parent), "{}", space.sides_on_parent);
        assert_eq!(EmptySpace::of(&Mesh::default()), None);
    }
}
