//! Options of the octree.

use crate::method::cells::SubdivisionDepth;

/// Options of the octree: its level, and the four optimisations of Smith and Kitamura (1994, chapter 1), all switched on
/// by default. They affect speed and memory, never the answers of queries.
///
/// ```
/// use impinge::{Method, Shape, generate};
/// use impinge::method::octree::OctreeOptions;
///
/// // The method of Kitamura, Takemura and Kishino (1994), with octrees of five levels.
/// let ball = Shape::build(OctreeOptions::of_paper(5), generate::sphere(168)?);
/// assert_eq!(ball.method(), Method::OCTREE);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OctreeOptions {
    /// The level of the smallest cubes: 2ⁿ along each side of the mesh. At most [`MAX_LEVEL`](Self::MAX_LEVEL). By
    /// default cubes are divided until they hold few faces.
    pub level: SubdivisionDepth,
    /// The bounding shapes that tell whether two bodies are compared at all, and where.
    pub bounding: BoundingShape,
    /// Section 1.3.1: the octree has cubes that meet faces only; otherwise also those inside a closed mesh.
    pub surface_only: bool,
    /// Section 1.3.2: only cubes that meet an overlap region of two bodies' boxes are moved; otherwise all of them.
    pub regions: bool,
    /// Section 1.3.3: moved octrees are refined only where two bodies have cubes; otherwise they are rebuilt
    /// completely and then compared.
    pub progressive: bool,
    /// Section 1.3.4: cubes hold their faces; otherwise all faces of a body are tested against each place where
    /// cubes of two bodies interfere.
    pub linked_faces: bool,
}

/// The bounding shapes of bodies whose octrees are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BoundingShape {
    /// Tight axis-aligned boxes of the placed vertices. Two bodies are compared in the intersection of their boxes.
    #[default]
    Boxes,
    /// Spheres, which need no vertices to be placed. Two bodies are compared if their spheres overlap, in the
    /// intersection of the boxes around them.
    Spheres,
}

impl OctreeOptions {
    /// The deepest level of an octree.
    pub const MAX_LEVEL: u8 = 8;

    /// The method without the four optimisations, with octrees of some level and bounding spheres (Kitamura, Takemura,
    /// Kishino 1994).
    pub fn of_paper(level: u8) -> Self {
        Self {
            level: SubdivisionDepth::Level(level),
            bounding: BoundingShape::Spheres,
            surface_only: false,
            regions: false,
            progressive: false,
            linked_faces: false,
        }
    }

    /// Sets [`level`](Self::level).
    #[must_use]
    pub fn level(mut self, level: SubdivisionDepth) -> Self {
        self.level = level;
        self
    }

    /// Sets [`bounding`](Self::bounding).
    #[must_use]
    pub fn bounding(mut self, bounding: BoundingShape) -> Self {
        self.bounding = bounding;
        self
    }

    /// Sets [`surface_only`](Self::surface_only).
    #[must_use]
    pub fn surface_only(mut self, surface_only: bool) -> Self {
        self.surface_only = surface_only;
        self
    }

    /// Sets [`regions`](Self::regions).
    #[must_use]
    pub fn regions(mut self, regions: bool) -> Self {
        self.regions = regions;
        self
    }

    /// Sets [`progressive`](Self::progressive).
    #[must_use]
    pub fn progressive(mut self, progressive: bool) -> Self {
        self.progressive = progressive;
        self
    }

    /// Sets [`linked_faces`](Self::linked_faces).
    #[must_use]
    pub fn linked_faces(mut self, linked_faces: bool) -> Self {
        self.linked_faces = linked_faces;
        self
    }
}

impl Default for OctreeOptions {
    fn default() -> Self {
        Self {
            level: SubdivisionDepth::Auto,
            bounding: BoundingShape::Boxes,
            surface_only: true,
            regions: true,
            progressive: true,
            linked_faces: true,
        }
    }
}
