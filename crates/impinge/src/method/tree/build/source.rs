//! The triangles that a tree is built over: the faces of a mesh, or pieces of them.

use super::pieces::Pieces;
use crate::{Mesh, volume::Frame};
use glam::DVec3;

/// The faces of a mesh in its frame. Some faces may be split into several pieces.
///
/// The first piece of a face has the face's index; the others come after the last face.
pub(in crate::method::tree) struct Source<'m> {
    mesh: &'m Mesh,
    frame: &'m Frame,
    pieces: Option<Pieces>,
}

impl<'m> Source<'m> {
    /// Splits long thin faces into up to `more` additional pieces.
    pub(in crate::method::tree) fn new(mesh: &'m Mesh, frame: &'m Frame, more: usize) -> Self {
        let pieces = (more > 0).then(|| Pieces::new(mesh, frame, more));
        Self { mesh, frame, pieces: pieces.filter(|pieces| !pieces.is_empty()) }
    }

    /// The number of pieces.
    pub(in crate::method::tree) fn len(&self) -> usize {
        self.mesh.faces().len() + self.pieces.as_ref().map_or(0, Pieces::len)
    }

    /// Whether any face is split into several pieces.
    pub(in crate::method::tree) fn has_pieces(&self) -> bool {
        self.pieces.is_some()
    }

    /// The face that a piece belongs to.
    pub(in crate::method::tree) fn face(&self, piece: u32) -> u32 {
        self.pieces.as_ref().map_or(piece, |pieces| pieces.face(piece))
    }

    /// The corners of a piece, in the frame.
    pub(in crate::method::tree) fn triangle(&self, piece: u32) -> [DVec3; 3] {
        match &self.pieces {
            None => self.mesh.triangle(piece).map(|corner| self.frame.normalized(corner)),
            Some(pieces) => pieces.triangle(piece),
        }
    }
}
