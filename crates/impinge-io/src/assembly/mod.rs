//! Assemblies: named parts that stand somewhere, many of them copies of one mesh.
//!
//! A [`Model`](crate::Model) is what one file says; an [`Assembly`] is what several files and
//! folders come to, ready to be asked what touches what: every part has a name of its own, one
//! mesh, and a rigid [`Pose`]. Where each kind of part comes from:
//!
//! | source | a part is | sub-assemblies are |
//! |---|---|---|
//! | glTF, GLB | a node with a mesh, or an instance of it; with [`LoadOptions::primitives`], each primitive | the nodes above |
//! | OBJ | a group (`g`) or object (`o`); the file, if it has but one | objects of several groups |
//! | STL, PLY, OFF | the file | |
//! | STEP | a solid or a surface of a product | assemblies, and products of several |
//! | URDF | a collision element | links of several elements |
//! | a folder | what its files hold, in the order of their names | its folders |
//!
//! Of several files, each that holds groups or nodes is a sub-assembly itself.
//!
//! # Rigid places
//! A [`Pose`] is rigid, but nodes of glTF may scale, mirror and shear. So the transform of a part
//! is split: what is not rigid is baked into a copy of the mesh, the rest is its pose.
//! - The exact identity stays exact, and so does a transform that only moves.
//! - A linear part within 1e-6 of a rotation (every entry of `LᵀL − I`) is one up to rounding: files
//!   hold single precision. It becomes the nearest rotation, and the mesh is shared as it is.
//! - Any other is `R·S`, `R` a rotation and `S` symmetric; a mirroring one has a negative `S`. The mesh
//!   is copied with `S` applied, the faces of a mirrored copy turned round so that what was outside
//!   stays outside. Instances whose `S` are equal up to 1e-6 share one copy, so a hundred bolts
//!   scaled alike are one mesh.
//! - A transform without an inverse (a scale of 0) is baked as a whole.

mod build;
mod files;
mod names;
mod obj;
mod options;
mod placement;
mod robot;
mod scene;
mod step;
mod urdf;

pub use files::{load, read};
pub use options::{LoadOptions, Unit};
pub use robot::{Joint, JointKind, Link};

use crate::Error;
use impinge::{Mesh, Pose};
use std::{path::PathBuf, sync::Arc};

/// Parts that stand somewhere, and what they show: instances share a mesh, and so do parts whose
/// files repeat one to the last bit.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Assembly {
    /// The distinct meshes, each shown by at least one part.
    pub meshes: Vec<Arc<Mesh>>,
    /// The parts, in the order of the files.
    pub parts: Vec<AssemblyPart>,
    /// The sub-assemblies, parents before children, each with a part somewhere below it.
    pub groups: Vec<Group>,
    /// The files that were read, meshes of robots not among them.
    pub files: Vec<PathBuf>,
    /// What coordinates are in, where that is known: as asked for, or what all files are in.
    pub units: Option<Unit>,
    /// The links of robots.
    pub links: Vec<Link>,
    /// The joints of robots and where they stand.
    pub joints: Vec<Joint>,
    /// What was left out, where [`LoadOptions::keep_going`] allowed it.
    pub skipped: Vec<Skipped>,
}

/// A part: a mesh, somewhere.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AssemblyPart {
    /// A name that no other part has: the file's own for the first of that name, with `#2`, `#3` …
    /// for those that follow.
    pub name: String,
    /// Which sub-assembly it is in; `None` for those at the top.
    pub group: Option<u32>,
    /// Which of the meshes it shows.
    pub mesh: usize,
    /// Where it stands.
    pub placement: Pose,
    /// Which of the files it comes from.
    pub file: u32,
    /// The link of a robot that it belongs to.
    pub link: Option<u32>,
}

impl AssemblyPart {
    /// A part at the top, of the first file. Whoever makes an assembly has to see to it that names
    /// are not repeated and meshes are there.
    pub fn new(name: impl Into<String>, mesh: usize, placement: Pose) -> Self {
        Self { name: name.into(), group: None, mesh, placement, file: 0, link: None }
    }
}

/// A sub-assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// Its name in the file, the file's or the folder's; not always unique.
    pub name: String,
    /// The sub-assembly that it is in.
    pub parent: Option<u32>,
}

impl Group {
    /// A sub-assembly, within an earlier one or at the top.
    pub fn new(name: impl Into<String>, parent: Option<u32>) -> Self {
        Self { name: name.into(), parent }
    }
}

/// A part, or a whole file, that was left out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Skipped {
    /// The name of the part; that of the file for a whole file.
    pub name: String,
    /// Why.
    pub error: Arc<Error>,
}

impl Assembly {
    /// The mesh of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn mesh(&self, part: usize) -> &Arc<Mesh> {
        &self.meshes[self.parts[part].mesh]
    }

    /// How many faces all parts show together, instances counted each time.
    pub fn face_count(&self) -> u64 {
        let faces = |part: &AssemblyPart| self.meshes[part.mesh].faces().len() as u64;
        self.parts.iter().map(faces).sum()
    }

    /// The names of the sub-assemblies that a part is in, from the top.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn path(&self, part: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut group = self.parts[part].group;
        while let Some(number) = group {
            let above = &self.groups[number as usize];
            path.push(&*above.name);
            group = above.parent;
        }
        path.reverse();
        path
    }

    /// The name of a part after those of its sub-assemblies: `gearbox/shaft/bearing#2`.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn full_name(&self, part: usize) -> String {
        let mut path = self.path(part);
        path.push(&self.parts[part].name);
        path.join("/")
    }

    /// Whether two parts are of one link of a robot or of two that a joint connects, so that their
    /// touching says nothing.
    ///
    /// Links without collision geometry connect what is joined to them: a hand on a bare flange is
    /// next to the last link of the arm.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.parts[a].link, self.parts[b].link) else { return false };
        robot::are_adjacent(&self.links, a, b)
    }

    /// The pairs of links with geometry that [`are_adjacent`](Self::are_adjacent) leaves out, each
    /// in ascending order.
    pub fn adjacent_links(&self) -> Vec<[u32; 2]> {
        robot::adjacent_links(&self.links)
    }
}
