//! The same tree over the same faces, after they have moved.

use super::{
    WideTree,
    build::{Axes, normalized},
    stance::Place,
};
use crate::{Mesh, volume::Frame};

impl WideTree {
    /// Fits the boxes to a mesh with as many faces at other positions.
    ///
    /// The faces stay divided as they were: a mesh that has changed beyond recognition is better
    /// served by a new tree, though the answer is always the same.
    pub(in crate::method) fn refit(&mut self, mesh: &Mesh) {
        let bounds = mesh.bounds();
        self.frame = Frame::new(&bounds);
        self.place = Place::new(&bounds, self.frame.unit());
        let points = normalized(mesh, &self.frame, self.options.threads);
        self.fit(mesh, &points, Axes::Best);
    }
}
