//! The check of some pairs of a [`Plan`](crate::Plan), as bytes that any process can read, and its result as bytes.

use crate::{
    check::search_options,
    clash_state::{ClashState, from_bytes, to_bytes},
    error::Error,
    options::CheckOptions,
};
use impinge::{
    Pose,
    clash::{Finder, KnownSolid, Part, PreparedMesh, Share, Tessellation, Watch},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Pairs of parts to check, with all that a process needs for it except meshes and distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub(crate) touch: Option<f64>,
    pub(crate) clearance: f64,
    pub(crate) is_quick: bool,
    /// By index into `parts`.
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) parts: Vec<TaskPart>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TaskPart {
    /// The number of the part in the assembly.
    pub(crate) number: u32,
    /// The number of its mesh.
    pub(crate) mesh: u32,
    pub(crate) pose: [f64; 12],
    pub(crate) rounding: Option<f64>,
    pub(crate) deviation: f64,
    /// The number of the distances of its faces from curved surfaces.
    pub(crate) distances: Option<u32>,
}

/// A blob of the assembly, as a task needs it.
#[derive(Clone, Debug)]
pub enum Content {
    /// A mesh.
    Mesh(Arc<PreparedMesh>),
    /// The distances of faces from curved surfaces.
    Distances(Arc<[f32]>),
}

/// Why a task failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum TaskError<E> {
    /// A blob could not be had.
    Content(E),
    /// The task is not one of a plan, or a blob is not what its number says.
    Wrong(String),
}

impl Task {
    /// The numbers of the blobs that the task needs, sorted.
    pub fn blobs(&self) -> Vec<u32> {
        let blobs = self.parts.iter().flat_map(|part| [Some(part.mesh), part.distances]);
        let mut blobs: Vec<u32> = blobs.flatten().collect();
        blobs.sort_unstable();
        blobs.dedup();
        blobs
    }

    /// The number of pairs.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Checks the pairs. `content` returns the blob with a number, and is called once for each. Returns no share if the
    /// watcher stopped the check.
    ///
    /// # Errors
    /// If a blob cannot be had, or the task is not one of a plan.
    pub fn run<E>(
        &self,
        mut content: impl FnMut(u32) -> Result<Content, E>,
        watch: &impl Watch,
    ) -> Result<Option<Share>, TaskError<E>> {
        let mut options = CheckOptions::default();
        (options.touch, options.clearance, options.is_quick) =
            (self.touch, self.clearance, self.is_quick);
        let options = search_options(&options).map_err(|error| wrong(&error))?;
        let blobs = self.blobs();
        let contents = blobs.iter().map(|&number| content(number)).collect::<Result<Vec<_>, _>>();
        let contents = contents.map_err(TaskError::Content)?;
        let find = |number: u32| blobs.binary_search(&number).ok().map(|at| &contents[at]);
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut meshes = Vec::with_capacity(self.parts.len());
        for own in &self.parts {
            let Some(Content::Mesh(mesh)) = find(own.mesh) else {
                return Err(TaskError::Wrong(format!("blob {} is not a mesh", own.mesh)));
            };
            let mut part = Part::new(
                Arc::clone(mesh.mesh()),
                Pose::from_rows(own.pose).map_err(|error| wrong(&error))?,
            );
            part.rounding = own.rounding;
            part.tessellation = match own.distances {
                None => Tessellation::Uniform(own.deviation),
                Some(number) => match find(number) {
                    Some(Content::Distances(distances)) => Tessellation::Faces(distances.clone()),
                    _ => return Err(TaskError::Wrong(format!("blob {number} is not distances"))),
                },
            };
            parts.push(part);
            meshes.push(Arc::clone(mesh));
        }
        let count = parts.len() as u32;
        if self.pairs.iter().flatten().any(|&part| part >= count) {
            return Err(TaskError::Wrong("a pair names a part that does not exist".into()));
        }
        let mut finder = Finder::from_prepared(parts, meshes, &options);
        // The finder numbers the meshes in its own way.
        let mut mesh_of = vec![0; finder.parts().len()];
        for (outline, part) in finder.outlines().iter().zip(&self.parts) {
            mesh_of[outline.mesh() as usize] = part.mesh;
        }
        let Some(mut share) = finder.check_pairs(&self.pairs, watch) else { return Ok(None) };
        share.renumber(|part| self.parts[part].number as usize, |mesh| mesh_of[mesh as usize]);
        Ok(Some(share))
    }

    /// The task as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not those of a task.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        from_bytes(bytes, "a task")
    }
}

fn wrong<E>(error: &impl ToString) -> TaskError<E> {
    TaskError::Wrong(error.to_string())
}

/// A share as bytes.
pub fn share_to_bytes(share: &Share) -> Vec<u8> {
    let solid = |solid: &KnownSolid| (solid.mesh, solid.is_solid, solid.gap);
    to_bytes(&ShareState {
        pairs: share.pairs,
        clashes: share.clashes.iter().map(ClashState::new).collect(),
        solids: share.solids.iter().map(solid).collect(),
    })
}

/// Reads the bytes of [`share_to_bytes`].
///
/// # Errors
/// If the bytes are not those of a share.
pub fn share_from_bytes(bytes: &[u8]) -> Result<Share, Error> {
    let state: ShareState = from_bytes(bytes, "a share")?;
    let mut share = Share::default();
    share.pairs = state.pairs;
    for clash in state.clashes {
        share.clashes.push(clash.into_clash().ok_or(Error::NotBytes("a share"))?);
    }
    let solid = |(mesh, is_solid, gap)| KnownSolid { mesh, is_solid, gap };
    share.solids = state.solids.into_iter().map(solid).collect();
    Ok(share)
}

#[derive(Serialize, Deserialize)]
struct ShareState {
    pairs: u64,
    clashes: Vec<ClashState>,
    solids: Vec<(u32, bool, f64)>,
}
