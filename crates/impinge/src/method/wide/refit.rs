//! Refitting: new boxes for the same tree after the vertices have moved.
//!
//! Most boxes keep their axes, turned with the surface in them, and are only measured again, which takes a fraction of the
//! time to choose new ones. A box gets new axes if it has grown along the old ones, and every box does once in eight
//! refits, so that slow growth does not add up.

use super::{
    Link, Node, WIDTH, WideTree, build::Axes, relative_pose::BodyFrame, support::LazySupport,
};
use crate::{Mesh, Threads, method::fit_quality::relative_cost, volume::Frame};

impl WideTree {
    /// Fits the boxes to a mesh with the same number of faces at other positions. Returns whether the tree still fits
    /// well, or had better be built anew.
    ///
    /// The faces keep their leaves. The answers of queries are exact all the same, whatever the positions: leaves are
    /// filled and boxes are measured as in a new tree.
    pub(in crate::method) fn refit(&mut self, mesh: &Mesh, threads: Threads) -> bool {
        let mut quality = self.fit_quality;
        quality.measure_once(|| self.cost());
        self.fit_quality = quality;
        self.support = LazySupport::default();
        let (bounds, old_unit) = (mesh.bounds(), self.frame.unit());
        self.frame = Frame::new(&bounds);
        self.body_frame = BodyFrame::new(&bounds, self.frame.unit());
        let frame = self.frame;
        self.fill_leaves(mesh, threads, |vertex| frame.normalized(mesh.positions()[vertex]));
        let shrink = (old_unit / frame.unit()) as f32;
        self.fit_boxes(Axes::Followed { area_factor: shrink * shrink, turn: self.refits }, threads);
        self.refits = (self.refits + 1) % WIDTH as u8;
        !self.fit_quality.is_poor(self.cost())
    }

    /// The sum of the areas of all boxes, relative to the area of the root.
    fn cost(&self) -> f64 {
        let area = |node: &Node, lane: usize| f64::from(node.oriented_box(lane).area());
        let root = self.nodes.first().map_or(0.0, |node| area(node, 0));
        let boxes = self.nodes.iter().flat_map(|node| {
            let used = node.links.iter().take_while(|link| **link != Link::NONE).count();
            (0..used).map(move |lane| area(node, lane))
        });
        relative_cost(root, boxes)
    }
}
