//! Assemblies as bytes, without their meshes, so that they can be sent to other processes.
//!
//! Every number keeps all its bits. The bytes are read by the version that wrote them, and by no other.

use super::{
    Assembly, AssemblyPart, Group, Joint, LeftOut, Link, Robot, Skipped, Unit, Up,
    outline::{Elsewhere, stand_in},
    robot::LinkRules,
};
use crate::Error;
use impinge::{Bounds, Pose, clash::Tessellation, glam::DVec3};
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, sync::Arc};

/// Bytes that are not those of an assembly, or an assembly that cannot be written as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError(String);

impl StateError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StateError {}

/// Writes a value as bytes, after the version of the crate.
pub(super) fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>, StateError> {
    let versioned = (env!("CARGO_PKG_VERSION"), value);
    postcard::to_allocvec(&versioned).map_err(|error| {
        // File names are the only values that may fail.
        StateError::new(format!("cannot be written as bytes: {error} (are all file names UTF-8?)"))
    })
}

/// Reads a value from bytes.
pub(super) fn from_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, StateError> {
    let (version, rest): (&str, _) = postcard::take_from_bytes(bytes)
        .map_err(|error| StateError::new(format!("not the bytes of an assembly: {error}")))?;
    if version != env!("CARGO_PKG_VERSION") {
        return Err(StateError::new(format!(
            "the bytes were written by version {version}, not {}",
            env!("CARGO_PKG_VERSION")
        )));
    }
    postcard::from_bytes(rest)
        .map_err(|error| StateError::new(format!("not the bytes of an assembly: {error}")))
}

/// An assembly without its meshes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) meshes: Vec<MeshState>,
    pub(super) parts: Vec<PartState>,
    pub(super) groups: Vec<Group>,
    pub(super) files: Vec<PathBuf>,
    pub(super) units: Option<Unit>,
    pub(super) up: Option<Up>,
    pub(super) links: Vec<Link>,
    joints: Vec<Joint>,
    robots: Vec<Robot>,
    link_rules: LinkRules,
    pub(super) skipped: Vec<(String, Error)>,
    pub(super) left_out: Vec<LeftOut>,
}

/// What is known of a mesh.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct MeshState {
    /// `None` if there are no faces.
    bounds: Option<[DVec3; 2]>,
    pub(super) faces: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PartState {
    pub(super) name: String,
    pub(super) group: Option<u32>,
    pub(super) mesh: u32,
    pose: [f64; 12],
    pub(super) file: u32,
    pub(super) link: Option<u32>,
    id: Option<String>,
    class: Option<String>,
    rounding: Option<f64>,
    /// The largest distance of a face from a curved surface.
    deviation: f64,
    pub(super) distances: Option<u32>,
}

impl MeshState {
    pub(super) fn stand_in(&self) -> Arc<impinge::Mesh> {
        let bounds = self.bounds.map_or(Bounds::EMPTY, |[min, max]| Bounds { min, max });
        stand_in(&bounds)
    }
}

impl PartState {
    fn new(part: &AssemblyPart, distances: Option<u32>) -> Self {
        let AssemblyPart { name, group, mesh, file, link, id, class, .. } = part.clone();
        Self {
            name,
            group,
            mesh: mesh as u32,
            pose: part.placement.to_rows(),
            file,
            link,
            id,
            class,
            rounding: part.rounding,
            deviation: part.tessellation.largest(),
            distances,
        }
    }

    pub(super) fn into_part(self) -> Result<AssemblyPart, StateError> {
        let pose = Pose::from_rows(self.pose)
            .map_err(|error| StateError::new(format!("part `{}`: {error}", self.name)))?;
        let mut part = AssemblyPart::new(self.name, self.mesh as usize, pose);
        (part.group, part.file, part.link) = (self.group, self.file, self.link);
        (part.id, part.class, part.rounding) = (self.id, self.class, self.rounding);
        part.tessellation = Tessellation::Uniform(self.deviation);
        Ok(part)
    }
}

impl State {
    pub(super) fn new(assembly: &Assembly) -> Self {
        let mesh = |(number, mesh): (usize, &Arc<impinge::Mesh>)| {
            let bounds = mesh.bounds();
            MeshState {
                bounds: (!bounds.is_empty()).then_some([bounds.min, bounds.max]),
                faces: assembly.mesh_face_count(number),
            }
        };
        let parts = assembly.parts.iter().zip(assembly.distances());
        let skipped = |skipped: &Skipped| {
            let Error { path, location, message } = &*skipped.error;
            let (path, location, message) = (path.clone(), location.clone(), message.clone());
            (skipped.name.clone(), Error { path, location, message })
        };
        Self {
            meshes: assembly.meshes.iter().enumerate().map(mesh).collect(),
            parts: parts.map(|(part, distances)| PartState::new(part, distances)).collect(),
            groups: assembly.groups.clone(),
            files: assembly.files.clone(),
            units: assembly.units,
            up: assembly.up,
            links: assembly.links.clone(),
            joints: assembly.joints.clone(),
            robots: assembly.robots.clone(),
            link_rules: assembly.link_rules.clone(),
            skipped: assembly.skipped.iter().map(skipped).collect(),
            left_out: assembly.left_out.clone(),
        }
    }

    fn into_assembly(self) -> Result<Assembly, StateError> {
        let wrong = |what: &str| Err(StateError::new(format!("not an assembly: {what}")));
        let within =
            |index: Option<u32>, count: usize| index.is_none_or(|at| (at as usize) < count);
        if self.parts.iter().any(|part| part.mesh as usize >= self.meshes.len()) {
            return wrong("a part without a mesh");
        }
        if !self.parts.iter().all(|part| within(part.group, self.groups.len())) {
            return wrong("a part of a sub-assembly that does not exist");
        }
        if !self.groups.iter().enumerate().all(|(at, group)| within(group.parent, at)) {
            return wrong("a sub-assembly before its parent");
        }
        if !self.parts.iter().all(|part| within(part.link, self.links.len())) {
            return wrong("a part of a link that does not exist");
        }
        let elsewhere = Elsewhere {
            faces: self.meshes.iter().map(|mesh| mesh.faces).collect(),
            distances: self.parts.iter().map(|part| part.distances).collect(),
        };
        let skip = |(name, error)| Skipped { name, error: Arc::new(error) };
        Ok(Assembly {
            meshes: self.meshes.iter().map(MeshState::stand_in).collect(),
            parts: self.parts.into_iter().map(PartState::into_part).collect::<Result<_, _>>()?,
            groups: self.groups,
            files: self.files,
            units: self.units,
            links: self.links,
            joints: self.joints,
            robots: self.robots,
            link_rules: self.link_rules,
            skipped: self.skipped.into_iter().map(skip).collect(),
            left_out: self.left_out,
            up: self.up,
            elsewhere: Some(elsewhere),
        })
    }
}

impl Assembly {
    /// Returns the assembly without its meshes as bytes: names, sub-assemblies, poses, precisions, units, robots.
    ///
    /// # Errors
    /// If a file name is not UTF-8.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        to_bytes(&State::new(self))
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes) as an [outline](Self::outline);
    /// [`with_blobs`](Self::with_blobs) gives it its meshes again.
    ///
    /// # Errors
    /// If the bytes are not those of an assembly, or were written by another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        from_bytes::<State>(bytes)?.into_assembly()
    }
}
