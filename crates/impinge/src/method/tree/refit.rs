//! Refitting: new volumes for the same tree after the vertices have moved.

use super::{
    BvTree,
    build::{Division, collect, enclose},
};
use crate::{
    Mesh, Threads,
    method::fit_quality::relative_cost,
    volume::{BoundingVolume, Frame},
};

impl<V: BoundingVolume> BvTree<V> {
    /// Fits the volumes to a mesh with the same number of faces at other positions. Returns whether the tree still fits
    /// well, or had better be built anew.
    ///
    /// The faces keep their leaves, and the nodes their children, so a [`Front`](crate::method::Front) of the tree stays
    /// valid. The volumes are made from the faces as for a new tree, so queries are exact whatever the positions.
    ///
    /// Does nothing and returns `false` for a tree over pieces of faces, which depend on the positions, or with hulls
    /// and vertices to place nodes by.
    pub(in crate::method) fn refit(&mut self, mesh: &Mesh, threads: Threads) -> bool {
        if self.repeats_faces() || self.outlines.is_some() || mesh.faces().len() != self.faces.len()
        {
            return false;
        }
        let mut fit_quality = self.fit_quality;
        fit_quality.measure_once(|| self.cost());
        self.fit_quality = fit_quality;
        self.frame = Frame::new(&mesh.bounds());
        let frame = &self.frame;
        let triangles = collect(self.faces.len(), threads, |i| {
            mesh.triangle(self.faces[i]).map(|corner| frame.normalized(corner))
        });
        self.nodes = enclose(&triangles, &self.divisions(), threads);
        !self.fit_quality.is_poor(self.cost())
    }

    /// The faces and children of each node, as when the tree was built.
    fn divisions(&self) -> Vec<Division<V>> {
        let mut divisions: Vec<Division<V>> = Vec::with_capacity(self.nodes.len());
        // Children come after their parents, so this goes backwards; the list is reversed at the end.
        for node in self.nodes.iter().rev() {
            let (first, count) = (node.first as usize, node.count as usize);
            divisions.push(if node.is_leaf() {
                Division { pieces: first..first + count, children: None, volume: None }
            } else {
                let child = |k: usize| &divisions[self.nodes.len() - 1 - (first + k)].pieces;
                let pieces = child(0).start..child(1).end;
                Division { pieces, children: Some(node.first), volume: None }
            });
        }
        divisions.reverse();
        divisions
    }

    /// The sum of the squared sizes of all volumes, relative to that of the root.
    fn cost(&self) -> f64 {
        let mut squares = self.nodes.iter().map(|node| f64::from(node.volume.size()).powi(2));
        let root = squares.next().unwrap_or(0.0);
        relative_cost(root, squares)
    }
}
