//! Octrees of moving objects (chapter 2 of Smith and Kitamura, TR-C-0103).
//!
//! A [`MovingOctree`] holds the black cubes of a source octree. Its [`at`](MovingOctree::at) makes the octree of the object
//! at a pose, from these cubes and the whole pose: nothing is carried on from one pose to the next, so digitisation
//! errors do not add up. With the rule for centres all algorithms give the same octree; they
//! differ in time. With the rule for touch, those for translation may leave out voxels that the object misses by rounding
//! errors.
//!
//! # Which voxels are black
//!
//! The object is the union of the closed source cubes, with the planes of the source grid. A voxel of the target is
//! placed in the frame of the source by the inverse pose, as [`Pose::inverse`] and [`Pose::place`] round it.
//! - [`VoxelRule::CenterInside`]: a voxel is black exactly if its centre, placed so, is in a source cube. The cubes may be
//!   the cells of the octree or compacted: their union is the same, so the octree is, too.
//! - [`VoxelRule::AnyTouch`]: a voxel is black unless it is certain that it shares no point with any source cube
//!   (`cube.rs`). So it is black whenever it touches the object, also as the pose itself places it, and possibly if it
//!   misses the object by a few roundings (`200 ε` times the sum of the largest coordinates of both grids and the
//!   translation; 1e-5 times if the inverse had to be repaired, see [`Pose::inverse`]). Compaction can change the
//!   colour of such voxels, and of no others.
//!   As touching counts, an object that is not moved at all grows by one voxel on each side.
//!
//! The translation algorithms place the source cubes instead, by `Pose::place`, for `AnyTouch`: then a voxel is black
//! exactly if it touches a placed cube. For `CenterInside` they place centres, like the others.
//!
//! | file | content |
//! |---|---|
//! | `cubes.rs` | the source cubes and the target cells, placed for one pose, and the rule for voxels |
//! | `pointers.rs` | an octree with pointers, into which cube after cube is entered |
//! | `weng_ahuja.rs` | the baseline for arbitrary motion, with pointers |
//! | `efficient.rs` | all cubes at once, straight into the nodes in preorder; and its parallel version |
//! | `translation.rs` | for poses that do not turn |

mod cubes;
mod efficient;
mod pointers;
#[cfg(test)]
mod tests;
mod translation;
mod weng_ahuja;

use super::{Compaction, Grid, Octree, OctreeError, VoxelCube, VoxelRule};
use crate::{Pose, Threads};
use cubes::PlacedCubes;
use glam::DMat3;

/// How the octree of a moved object is made. The octree does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MotionAlgorithm {
    /// Weng and Ahuja (1987): each source cube is entered into an octree with pointers. Cells are compared with the box
    /// around the sphere around the source cube.
    WengAhuja,
    /// The same with the exact test of two cubes.
    WengAhujaExact,
    /// Section 2.4.3 of the paper: the cells of the target are visited once, with all source cubes that meet them.
    #[default]
    Efficient,
    /// The conventional algorithm for translations (section 2.5 of the paper): each source cube is entered into an octree
    /// with pointers, and compared with the six planes of each cell.
    TranslationByCells,
    /// The efficient algorithm for translations (section 2.5 of the paper): each source cube is compared with the planes
    /// of each axis once, by binary subdivision. Cells are visited once, as by `Efficient`.
    TranslationByAxes,
}

impl MotionAlgorithm {
    /// All algorithms.
    pub const ALL: [Self; 5] = [
        Self::WengAhuja,
        Self::WengAhujaExact,
        Self::Efficient,
        Self::TranslationByCells,
        Self::TranslationByAxes,
    ];

    /// The name of the algorithm on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::WengAhuja => "weng-ahuja",
            Self::WengAhujaExact => "weng-ahuja-exact",
            Self::Efficient => "efficient",
            Self::TranslationByCells => "translation-by-cells",
            Self::TranslationByAxes => "translation-by-axes",
        }
    }
}

/// How an object is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MotionOptions {
    /// The algorithm.
    pub algorithm: MotionAlgorithm,
    /// Which voxels are black.
    pub rule: VoxelRule,
    /// With [`Threads::Pool`], [`MotionAlgorithm::Efficient`] deals out the source cubes to the threads, and unites their
    /// octrees. The other algorithms use one thread.
    pub threads: Threads,
}

impl MotionOptions {
    /// Sets the algorithm.
    #[must_use]
    pub fn algorithm(self, algorithm: MotionAlgorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Sets the rule for voxels.
    #[must_use]
    pub fn rule(self, rule: VoxelRule) -> Self {
        Self { rule, ..self }
    }

    /// Sets how many threads may be used.
    #[must_use]
    pub fn threads(self, threads: Threads) -> Self {
        Self { threads, ..self }
    }
}

/// How many tests a motion took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MotionCounts {
    /// Tests of a source cube against a cell that is not a voxel.
    pub cell_tests: u64,
    /// Tests of a source cube against a voxel.
    pub voxel_tests: u64,
}

impl MotionCounts {
    #[inline]
    fn count(&mut self, is_voxel: bool) {
        match is_voxel {
            true => self.voxel_tests += 1,
            false => self.cell_tests += 1,
        }
    }
}

/// The octree of a moved object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Motion {
    /// The octree.
    pub octree: Octree,
    /// How many tests it took.
    pub counts: MotionCounts,
}

/// An object to be moved: the black cubes of a source octree.
///
/// ```
/// use impinge::{Pose, generate, octree::{Compaction, Grid, MotionOptions, MovingOctree, Octree, VoxelRule}};
///
/// let shuttle = generate::shuttle();
/// let grid = Grid::enclosing(&shuttle.bounds(), 5)?;
/// let source = Octree::from_solid(&shuttle, grid, VoxelRule::CenterInside)?;
/// let moving = MovingOctree::compacted(&source, &Compaction::default())?;
///
/// let options = MotionOptions::default().rule(VoxelRule::CenterInside);
/// let unmoved = moving.at(&Pose::IDENTITY, &grid, &options)?;
/// assert_eq!(unmoved.octree, source);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MovingOctree {
    grid: Grid,
    cubes: Vec<VoxelCube>,
}

impl MovingOctree {
    /// Prepares the black cells of an octree for motion.
    pub fn new(source: &Octree) -> Self {
        Self { grid: *source.grid(), cubes: source.black_cubes() }
    }

    /// Prepares an octree for motion, with fewer cubes that cover the same voxels. Takes longer to prepare, and less
    /// time for each pose.
    pub fn compacted(source: &Octree, options: &Compaction) -> Result<Self, OctreeError> {
        Ok(Self { grid: *source.grid(), cubes: source.compacted(options)? })
    }

    /// The source cubes.
    pub fn cubes(&self) -> &[VoxelCube] {
        &self.cubes
    }

    /// The octree of the object, placed by a pose, in the grid `target`. What is outside of the target's root cube is
    /// cut off. `target` may be any grid.
    ///
    /// Fails if the algorithm only translates and the pose turns, or if the octree has too many nodes.
    pub fn at(
        &self,
        pose: &Pose,
        target: &Grid,
        options: &MotionOptions,
    ) -> Result<Motion, OctreeError> {
        let rule = options.rule;
        let placed = || PlacedCubes::new(&self.grid, &self.cubes, pose, target, rule);
        let mut counts = MotionCounts::default();
        let nodes = match options.algorithm {
            MotionAlgorithm::WengAhuja => weng_ahuja::moved(&placed(), false, &mut counts),
            MotionAlgorithm::WengAhujaExact => weng_ahuja::moved(&placed(), true, &mut counts),
            MotionAlgorithm::Efficient => efficient::moved(&placed(), options.threads, &mut counts),
            translation => {
                if pose.rotation() != DMat3::IDENTITY {
                    return Err(OctreeError::NotATranslation);
                }
                let by_axes = translation == MotionAlgorithm::TranslationByAxes;
                let source = (&self.grid, &self.cubes[..]);
                translation::moved(source, pose, target, rule, by_axes, &mut counts)
            }
        };
        Ok(Motion { octree: Octree { grid: *target, nodes: nodes? }, counts })
    }
}
