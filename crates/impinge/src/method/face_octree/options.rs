//! Options of the face octree.

use crate::{
    Distribution,
    method::cells::{CellTest, Division, SubdivisionDepth},
};

/// Options of the face octree. They affect speed, never the answers of queries.
///
/// ```
/// use impinge::{Method, Shape, generate};
/// use impinge::method::face_octree::{CellTest, Division, FaceOctreeOptions, SubdivisionDepth};
///
/// // As in the paper: an octree of six levels, and the exact test of a face against a cell.
/// let options = FaceOctreeOptions::default()
///     .depth(SubdivisionDepth::Level(6))
///     .division(Division::Octree)
///     .cell_test(CellTest::Exact);
/// let ball = Shape::build(options, generate::sphere(960)?);
/// assert_eq!(ball.method(), Method::FACE_OCTREE);
/// assert_eq!(ball.bytes(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FaceOctreeOptions {
    /// How deep cells are divided.
    pub depth: SubdivisionDepth,
    /// Into how many children a cell is divided.
    pub division: Division,
    /// How faces are tested against overlap regions and cells.
    pub cell_test: CellTest,
    /// How the tests of pairs of faces are distributed among the threads that a search may use. `None`, the default,
    /// tests each pair as soon as it is found, on the caller's thread.
    pub distribution: Option<Distribution>,
}

impl FaceOctreeOptions {
    /// Sets [`depth`](Self::depth).
    #[must_use]
    pub fn depth(mut self, depth: SubdivisionDepth) -> Self {
        self.depth = depth;
        self
    }

    /// Sets [`division`](Self::division).
    #[must_use]
    pub fn division(mut self, division: Division) -> Self {
        self.division = division;
        self
    }

    /// Sets [`distribution`](Self::distribution).
    #[must_use]
    pub fn distribution(mut self, distribution: impl Into<Option<Distribution>>) -> Self {
        self.distribution = distribution.into();
        self
    }

    /// Sets [`cell_test`](Self::cell_test).
    #[must_use]
    pub fn cell_test(mut self, cell_test: CellTest) -> Self {
        self.cell_test = cell_test;
        self
    }
}
