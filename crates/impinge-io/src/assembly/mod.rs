//! Assemblies: named parts with rigid poses; many parts may share one mesh.
//!
//! A [`Model`](crate::Model) is the contents of one file. An [`Assembly`] combines several files and folders for a
//! collision check: every part has a unique name, one mesh, and a rigid [`Pose`]. [`load`] reads an assembly:
//!
//! | source | a part is | sub-assemblies are |
//! |---|---|---|
//! | glTF, GLB | a node with a mesh, or an instance of it; with [`LoadOptions::primitives`], each primitive | the parent nodes |
//! | OBJ | a group (`g`) or object (`o`); the file, if it has only one | objects of several groups |
//! | STL | the file; a solid, if a text file has several | |
//! | PLY, OFF, elevation grids | the file | |
//! | STEP | a solid or a surface of a product | assemblies, and products of several parts |
//! | IFC | an element with a body | the site, the building, the storey; elements composed of others |
//! | 3MF | a placed mesh of the build | objects composed of others |
//! | URDF | a collision element | links of several elements |
//! | a folder | the parts of its files, in the order of the file names | its subfolders |
//!
//! If several files are read, each file with groups or nodes is a sub-assembly itself. With [`LoadOptions::split`],
//! each connected piece of a mesh is a part.
//!
//! # Rigid poses
//! A [`Pose`] is rigid, but glTF nodes may scale, mirror and shear. So the transform of a part is split: the rigid
//! factor becomes the pose, and the rest is applied to a copy of the mesh.
//! - The exact identity stays exact, and so does a pure translation.
//! - A linear map `L` with every entry of `LᵀL − I` within 1e-6 counts as a rotation, because files hold single
//!   precision. It is replaced by the nearest rotation, and the mesh is shared unchanged.
//! - Any other invertible map is `R·S`, with `R` a rotation and `S` symmetric; if the map mirrors, `S` is negative
//!   definite. The mesh is copied with `S` applied. A mirrored copy has the corner order of its faces reversed, so
//!   that normals still point outward. Instances whose `S` agree to 1e-6 share one copy: a hundred bolts with the same
//!   scale are one mesh.
//! - A map without an inverse (for example a scale of 0) is applied to the mesh as a whole.

mod arc;
mod build;
mod compose;
mod configurations;
mod curved;
mod external;
mod files;
mod fragment;
mod ifc;
mod joint_value;
mod left_out;
mod length;
mod motion;
mod names;
mod obj;
mod options;
mod outline;
mod placement;
mod received;
mod robot;
pub(crate) mod rounding;
mod scene;
mod split;
mod srdf;
mod state;
mod step;
mod threemf;
mod urdf;

pub use arc::Arcs;
pub use compose::{ComposedMesh, Composer, NamedPart};
pub use configurations::Configurations;
pub use files::{load, read};
pub use fragment::{Fragment, Joined, ListedFile, Listing, join, join_loaded};
#[doc(hidden)]
pub use ifc::{IFC_SCRIPT, left_out as ifc_left_out};
pub use joint_value::{JointUnit, JointValue};
pub use length::Length;
pub use motion::{Motion, OutOfRange};
pub use options::{LoadOptions, Unit};
pub use outline::Blob;
pub use placement::split_linear;
pub use received::{Origin, read_stream};
pub use robot::{Joint, JointKind, Link, Robot};
pub use srdf::{LinkPair, Srdf, SrdfUse};
pub use state::StateError;

use crate::Error;
use impinge::{
    Mesh, Pose,
    clash::{self, Tessellation},
};
use outline::Elsewhere;
use robot::LinkRules;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, sync::Arc};

/// Parts, their meshes and the sub-assemblies they are in.
///
/// Instances of a mesh share it. So do parts whose files contain bit-identical meshes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Assembly {
    /// The distinct meshes. At least one part uses each mesh.
    pub meshes: Vec<Arc<Mesh>>,
    /// The parts, in the order of the files.
    pub parts: Vec<AssemblyPart>,
    /// The sub-assemblies, parents before children. Each has at least one part in it or below it.
    pub groups: Vec<Group>,
    /// The files that were read, without the mesh files of robots.
    pub files: Vec<PathBuf>,
    /// The unit of all coordinates: the requested unit, or the common unit of all files; `None` if unknown.
    pub units: Option<Unit>,
    /// The links of robots.
    pub links: Vec<Link>,
    /// The joints of robots, with their values.
    pub joints: Vec<Joint>,
    /// The robots.
    pub robots: Vec<Robot>,
    /// What SRDF files say about pairs of links.
    link_rules: LinkRules,
    /// The parts and files that were left out because of [`LoadOptions::keep_going`].
    pub skipped: Vec<Skipped>,
    /// What was left out by design: files in folders that hold no parts, and elements without a solid.
    pub left_out: Vec<LeftOut>,
    /// The axis that points up, if the files say so.
    pub up: Option<Up>,
    /// What is known of the meshes of an outline: see [`Assembly::outline`].
    elsewhere: Option<Elsewhere>,
}

/// A part: a mesh and its pose.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AssemblyPart {
    /// A unique name. The first part of a name keeps it; later parts of the same name get `#2`, `#3` … appended.
    pub name: String,
    /// Index into [`Assembly::groups`]; `None` if the part is at the top level.
    pub group: Option<u32>,
    /// Index into [`Assembly::meshes`].
    pub mesh: usize,
    /// The pose that places the mesh.
    pub placement: Pose,
    /// Index into [`Assembly::files`].
    pub file: u32,
    /// Index into [`Assembly::links`], if the part belongs to a robot.
    pub link: Option<u32>,
    /// The persistent identity that the file gives the part, such as an IFC GUID.
    pub id: Option<String>,
    /// The kind of the part, such as `IfcWall`.
    pub class: Option<String>,
    /// How far rounding may have moved each vertex, in the unit of the assembly; `None` if unknown.
    pub rounding: Option<f64>,
    /// How far the faces may be from the curved surfaces that they stand for, in the unit of the assembly.
    pub tessellation: Tessellation,
}

impl AssemblyPart {
    /// Returns a part at the top level, of the first file. The caller has to make sure that the name is unique
    /// and that the mesh exists.
    pub fn new(name: impl Into<String>, mesh: usize, placement: Pose) -> Self {
        Self {
            name: name.into(),
            group: None,
            mesh,
            placement,
            file: 0,
            link: None,
            id: None,
            class: None,
            rounding: None,
            tessellation: Tessellation::default(),
        }
    }
}

/// A sub-assembly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Group {
    /// The name of the node, group, file or folder; not always unique.
    pub name: String,
    /// Index of the parent sub-assembly.
    pub parent: Option<u32>,
}

impl Group {
    /// Returns a sub-assembly with the given parent, which must come earlier in the list, or at the top level.
    pub fn new(name: impl Into<String>, parent: Option<u32>) -> Self {
        Self { name: name.into(), parent }
    }
}

/// A part, or a whole file, that was left out because it could not be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Skipped {
    /// The name of the part, or the name of the file if the whole file was left out.
    pub name: String,
    /// Why the part or file could not be read.
    pub error: Arc<Error>,
}

/// Files or elements of one kind that were left out by design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The kind, such as `.dae files` or `IfcSpace`.
    pub kind: String,
    /// The number of files or elements.
    pub count: usize,
    /// The first few names.
    pub names: Vec<String>,
}

impl LeftOut {
    /// The number of names that are kept.
    const MAX_NAMES: usize = 3;

    pub(crate) fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), count: 0, names: Vec::new() }
    }

    /// Counts a file or element.
    pub(crate) fn add(&mut self, name: impl Into<String>) {
        self.count += 1;
        if self.names.len() < Self::MAX_NAMES {
            self.names.push(name.into());
        }
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Up {
    /// As in glTF files.
    Y,
    /// As in STEP, IFC and URDF files.
    Z,
}

impl Assembly {
    /// Returns the mesh of a part.
    ///
    /// # Panics
    /// If `part` is out of range.
    pub fn mesh(&self, part: usize) -> &Arc<Mesh> {
        &self.meshes[self.parts[part].mesh]
    }

    /// Returns the parts as the clash check takes them, with the precision of their files.
    pub fn clash_parts(&self) -> Vec<clash::Part> {
        let part = |part: &AssemblyPart| {
            let mut checked = clash::Part::new(self.meshes[part.mesh].clone(), part.placement);
            checked.rounding = part.rounding;
            checked.tessellation = part.tessellation.clone();
            checked
        };
        self.parts.iter().map(part).collect()
    }

    /// Returns the number of connected pieces of a part's mesh; faces that share a vertex position are connected, and
    /// a cavity belongs to the piece around it. [`LoadOptions::split`] makes each piece a part.
    ///
    /// # Panics
    /// If `part` is out of range.
    pub fn piece_count(&self, part: usize) -> usize {
        split::pieces(self.mesh(part)).len()
    }

    /// Returns the number of faces of all parts together; each instance of a mesh counts.
    pub fn face_count(&self) -> u64 {
        self.parts.iter().map(|part| self.mesh_face_count(part.mesh)).sum()
    }

    /// Returns the names of the sub-assemblies that contain a part, outermost first.
    ///
    /// # Panics
    /// If `part` is out of range.
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

    /// Returns the name of a part after the names of its sub-assemblies: `gearbox/shaft/bearing#2`.
    ///
    /// # Panics
    /// If `part` is out of range.
    pub fn full_name(&self, part: usize) -> String {
        let mut path = self.path(part);
        path.push(&self.parts[part].name);
        path.join("/")
    }

    /// Returns whether two parts belong to one link of a robot or to two links that a joint connects. Such parts
    /// touch by design, so a contact between them means nothing.
    ///
    /// Links without collision geometry pass adjacency on: a hand on a flange without geometry is adjacent to the
    /// last link of the arm.
    ///
    /// # Panics
    /// If `part` is out of range.
    pub fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.parts[a].link, self.parts[b].link) else { return false };
        robot::are_adjacent(&self.links, a, b)
    }

    /// Returns whether a check leaves out two parts because of the links of robots that they belong to. A rule of an
    /// SRDF file decides first; without one, [adjacent](Self::are_adjacent) links are left out if `without_adjacent`.
    ///
    /// # Panics
    /// If `part` is out of range.
    pub fn are_left_out(&self, a: usize, b: usize, without_adjacent: bool) -> bool {
        let (Some(a), Some(b)) = (self.parts[a].link, self.parts[b].link) else { return false };
        match self.link_rules.get(a, b) {
            Some(is_checked) => !is_checked,
            None => without_adjacent && robot::are_adjacent(&self.links, a, b),
        }
    }

    /// Returns the pairs of links with geometry whose parts are [adjacent](Self::are_adjacent), each pair in
    /// ascending order.
    pub fn adjacent_links(&self) -> Vec<[u32; 2]> {
        robot::adjacent_links(&self.links)
    }
}
