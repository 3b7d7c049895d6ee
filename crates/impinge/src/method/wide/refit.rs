//! Refitting: new boxes for the same tree after the vertices have moved.

use super::{
    WideTree,
    build::{Axes, normalized},
    relative_pose::BodyFrame,
};
use crate::{Mesh, volume::Frame};

impl WideTree {
    /// Fits the boxes to a mesh with the same number of faces at other positions.
    ///
    /// The faces keep their leaves. The answers of queries are exact all the same, but after large
    /// deformations a new tree is faster.
    pub(in crate::method) fn refit(&mut self, mesh: &Mesh) {
        let bounds = mesh.bounds();
        self.frame = Frame::new(&bounds);
        self.body_frame = BodyFrame::new(&bounds, self.frame.unit());
        let points = normalized(mesh, &self.frame, self.options.threads);
        self.fit(mesh, &points, Axes::Best);
    }
}
