//! Options of a subdivision: how deep cells are divided, into how many, and how items are tested against them.

/// How deep the cells of a subdivision are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubdivisionDepth {
    /// A cell is divided while that makes fewer pairs of faces to compare.
    #[default]
    Auto,
    /// Every cell with faces of two bodies is divided down to this level: 2ⁿ cells along each side of the root. At
    /// most [`MAX_LEVEL`](Self::MAX_LEVEL); more counts as that.
    Level(u8),
}

impl SubdivisionDepth {
    /// The deepest level that can be asked for.
    pub const MAX_LEVEL: u8 = 12;
}

/// Into how many children a cell is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Division {
    /// Eight: across all three axes at once.
    #[default]
    Octree,
    /// Two: across the longest side. Three divisions make one level.
    Bintree,
}

/// How a face is tested against an overlap region or a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CellTest {
    /// By the bounding box of the face.
    #[default]
    Bounds,
    /// By the face itself (Smith, Kitamura 1994, section 3.3.7): fewer faces in each cell, for more time per face.
    Exact,
}
