//! The same tree over the same faces, after they have moved.

use super::{Boxtree, BoxtreeOptions, Kind, Node, build::fitted, grid::GridBox};
use crate::{Mesh, volume::Frame};

/// Why a boxtree cannot be fitted to a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the boxtree was built over {expected} faces, and the mesh has {found}")]
pub struct RefitError {
    /// How many faces it was built over.
    pub expected: usize,
    /// How many the mesh has.
    pub found: usize,
}

impl Boxtree {
    /// How many faces it was built over.
    fn face_count(&self) -> usize {
        // Every leaf that has a run of faces is counted as one by the pairs.
        let leaves = self.pairs.len() + usize::from(self.root.is_some());
        leaves - self.starts.len().saturating_sub(1) + self.faces.len()
    }

    /// Fits the boxes to a mesh with the same faces at other positions.
    ///
    /// Linear in the number of faces, and several times faster than building anew. The tree stays as
    /// it was: a mesh that has changed beyond recognition is better served by a new one, though the
    /// answer is always the same. Fails, and changes nothing, if the number of faces differs.
    pub fn refit(&mut self, mesh: &Mesh) -> Result<(), RefitError> {
        let (expected, found) = (self.face_count(), mesh.faces().len());
        if expected != found {
            return Err(RefitError { expected, found });
        }
        let Some(root) = self.root else {
            return Ok(());
        };
        self.frame = Frame::new(&mesh.bounds());
        // From the leaves up, where the faces are: children come after their parents, so backwards.
        let mut spreads = vec![[GridBox::EMPTY; 2]; self.pairs.len()];
        let spread_of = |node: &Node, spreads: &[[GridBox; 2]]| match node.kind() {
            Kind::Inner => {
                let [first, second] = &spreads[node.link as usize];
                first.merged(second)
            }
            _ => self.faces_of(node).iter().fold(GridBox::EMPTY, |spread, &face| {
                spread.merged(&GridBox::around(mesh.triangle(face), &self.frame))
            }),
        };
        for (pair, nodes) in self.pairs.iter().enumerate().rev() {
            spreads[pair] = [0, 1].map(|which| spread_of(&nodes[which], &spreads));
        }
        self.bounds = spread_of(&root, &spreads);
        // From the root down, how much can be cut off each box; its own is kept where its faces'
        // were, which are not needed any more by then.
        let mut implied = spreads;
        if root.kind() == Kind::Inner {
            let options = self.options;
            fit(
                &mut self.pairs[root.link as usize],
                &mut implied[root.link as usize],
                &self.bounds,
                options,
            );
            for pair in 0..self.pairs.len() {
                for which in 0..2 {
                    let node = self.pairs[pair][which];
                    if node.kind() == Kind::Inner {
                        let (below, parent) = (node.link as usize, implied[pair][which]);
                        fit(&mut self.pairs[below], &mut implied[below], &parent, options);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Moves a side of each child's box to where its faces are, and leaves the box in place of them.
fn fit(
    nodes: &mut [Node; 2],
    spreads: &mut [GridBox; 2],
    parent: &GridBox,
    options: BoxtreeOptions,
) {
    for (node, spread) in nodes.iter_mut().zip(spreads) {
        let axis = node.cuts()[0].side() / 2;
        *node = fitted(parent, spread, options, axis).with_link(node.kind(), node.link);
        *spread = node.of(*parent);
    }
}
