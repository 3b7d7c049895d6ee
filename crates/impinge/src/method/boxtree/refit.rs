//! Refitting: new boxes for the same tree after the vertices have moved.

use super::{
    Boxtree, Kind, Node,
    build::fitted,
    grid::{GridBox, LaneBox, typical_size},
};
use crate::{
    Mesh,
    method::{RefitError, fit_quality::relative_cost},
    volume::Frame,
};

impl Boxtree {
    /// The number of faces that the tree was built over.
    fn face_count(&self) -> usize {
        // A leaf with a run of faces counts as one leaf.
        let leaves = self.pairs.len() + usize::from(self.root.is_some());
        leaves - self.starts.len().saturating_sub(1) + self.faces.len()
    }

    /// Fits the boxes to a mesh with the same faces at other positions.
    ///
    /// Takes linear time, and is several times faster than building a new tree. The faces keep
    /// their leaves. The answers of queries are exact all the same, but after large deformations a
    /// new tree is faster. Fails, and changes nothing, if the number of faces differs.
    pub fn refit(&mut self, mesh: &Mesh) -> Result<(), RefitError> {
        let (expected, found) = (self.face_count(), mesh.faces().len());
        if expected != found {
            return Err(RefitError { expected, found });
        }
        let Some(root) = self.root else {
            return Ok(());
        };
        let mut fit_quality = self.fit_quality;
        fit_quality.measure_once(|| self.cost());
        self.fit_quality = fit_quality;
        self.frame = Frame::new(&mesh.bounds());
        let (bounds, spreads) = self.face_bounds(mesh);
        let leaves = self.pairs.iter().flatten().zip(spreads.iter().flatten());
        let sizes = leaves.filter(|(node, _)| node.is_leaf()).map(|(_, bounds)| bounds.size());
        self.leaf_size = typical_size(sizes);
        self.bounds = bounds.into();
        // From the root down: the planes. Each box replaces the bounds of its faces, which are not
        // needed any more by then.
        let mut implied = spreads;
        self.fit(root, bounds, &mut implied);
        for pair in 0..self.pairs.len() {
            for which in 0..2 {
                self.fit(self.pairs[pair][which], implied[pair][which], &mut implied);
            }
        }
        Ok(())
    }

    /// The sum of the squared sizes of all boxes, relative to that of the root.
    pub(super) fn cost(&self) -> f64 {
        // In units of the frame, in which a step is 2^−24.
        let square = |bounds: LaneBox| (f64::from(bounds.size()) / 2f64.powi(24)).powi(2);
        let bounds: LaneBox = self.bounds.into();
        let Some(root) = self.root else { return 0.0 };
        // The box of each child, from which those of its own children follow.
        let mut boxes = vec![[LaneBox::EMPTY; 2]; self.pairs.len()];
        let mut sum = 0.0;
        let mut add = |node: Node, of: LaneBox, boxes: &mut [[LaneBox; 2]]| {
            if node.kind() == Kind::Inner {
                let pair = node.link as usize;
                boxes[pair] = self.pairs[pair].map(|child| child.of(of));
                sum += square(boxes[pair][0]) + square(boxes[pair][1]);
            }
        };
        add(root, bounds, &mut boxes);
        for (pair, nodes) in self.pairs.iter().enumerate() {
            let of = boxes[pair];
            add(nodes[0], of[0], &mut boxes);
            add(nodes[1], of[1], &mut boxes);
        }
        relative_cost(square(bounds), std::iter::once(sum))
    }

    /// The bounds of all faces, and of those below each child, for a tree with faces.
    pub(super) fn face_bounds(&self, mesh: &Mesh) -> (LaneBox, Vec<[LaneBox; 2]>) {
        // From the leaves up: the bounds of the faces. Children come after their parents, so this
        // goes backwards.
        let mut spreads = vec![[LaneBox::EMPTY; 2]; self.pairs.len()];
        let spread_of = |node: &Node, spreads: &[[LaneBox; 2]]| match node.kind() {
            Kind::Inner => {
                let [first, second] = spreads[node.link as usize];
                first.merged(second)
            }
            _ => self.faces_of(node).iter().fold(LaneBox::EMPTY, |spread, &face| {
                spread.merged(GridBox::around(mesh.triangle(face), &self.frame).into())
            }),
        };
        for (pair, nodes) in self.pairs.iter().enumerate().rev() {
            spreads[pair] = [0, 1].map(|which| spread_of(&nodes[which], &spreads));
        }
        let bounds = self.root.map_or(LaneBox::EMPTY, |root| spread_of(&root, &spreads));
        (bounds, spreads)
    }

    /// Fits the children of a node, if it has any, given its box. Stores their boxes in `boxes`.
    fn fit(&mut self, node: Node, parent: LaneBox, boxes: &mut [[LaneBox; 2]]) {
        if node.kind() != Kind::Inner {
            return;
        }
        let pair = node.link as usize;
        for (child, faces) in self.pairs[pair].iter_mut().zip(&mut boxes[pair]) {
            let axis = child.cuts()[0].side() / 2;
            let fitted = fitted(parent, *faces, self.options, axis);
            *child = fitted.with_link(child.kind(), child.link);
            *faces = child.of(parent);
        }
    }
}
