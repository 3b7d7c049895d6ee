//! Builds an assembly from parts that a program holds, exactly as the readers of files do: meshes are shared, any affine
//! transform is split into a rigid pose and a scaled copy of the mesh, and the rounding of each part is derived from its
//! coordinates.

use super::{
    Assembly, LoadOptions, Unit, Up,
    build::{Builder, Frame, NewPart, SourceMesh},
    rounding,
};
use crate::{Error, error::Fault};
use glam::DAffine3;
use impinge::{Mesh, clash::Tessellation};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Builds an assembly from meshes in memory.
///
/// ```
/// use impinge::{clash::Tessellation, generate, glam::{DAffine3, DVec3}};
/// use impinge_io::assembly::{Composer, LoadOptions, NamedPart, Unit};
///
/// let options = LoadOptions::default();
/// let mut composer = Composer::new("press", Some(Unit::Millimetre), &options);
/// let cube = composer.mesh(generate::cuboid(DVec3::ONE)?.into(), Tessellation::default());
/// let frame = composer.group(&["press", "frame"])?;
/// for x in 0..3 {
///     let place = DAffine3::from_translation(DVec3::X * f64::from(x));
///     composer.part(NamedPart { group: frame, ..NamedPart::new("cube", cube) }, &place)?;
/// }
/// let assembly = composer.finish()?;
/// assert_eq!(assembly.meshes.len(), 1);
/// assert_eq!(assembly.full_name(1), "press/frame/cube#2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Composer<'a> {
    builder: Builder<'a>,
    /// What stands for the file in messages.
    name: PathBuf,
    /// Sub-assemblies by their parent and name.
    groups: HashMap<(Option<u32>, String), u32>,
}

/// A mesh of a [`Composer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComposedMesh(SourceMesh);

/// A part of a [`Composer`], before it is placed.
#[derive(Clone, Debug)]
pub struct NamedPart {
    /// The name, which need not be unique.
    pub name: String,
    /// The mesh.
    pub mesh: ComposedMesh,
    /// The sub-assembly, from [`Composer::group`].
    pub group: Option<u32>,
    /// See [`AssemblyPart::id`](super::AssemblyPart::id).
    pub id: Option<String>,
    /// See [`AssemblyPart::class`](super::AssemblyPart::class).
    pub class: Option<String>,
}

impl NamedPart {
    /// Returns a part at the top level that has only a name and a mesh.
    pub fn new(name: impl Into<String>, mesh: ComposedMesh) -> Self {
        Self { name: name.into(), mesh, group: None, id: None, class: None }
    }
}

impl<'a> Composer<'a> {
    /// Starts an assembly. `name` stands for the file in reports and messages. `units` is the unit of the coordinates, if
    /// it is known; [`LoadOptions::units`] converts them.
    pub fn new(name: impl AsRef<Path>, units: Option<Unit>, options: &'a LoadOptions) -> Self {
        let mut builder = Builder::new(options);
        let units = units.or(options.file_units);
        builder.begin_file(name.as_ref(), Frame { units, up: None });
        Self { builder, name: name.as_ref().to_owned(), groups: HashMap::new() }
    }

    /// Sets the axis that points up.
    pub fn up(mut self, up: Up) -> Self {
        self.builder.set_up(up);
        self
    }

    /// Adds a mesh. Parts that share it should be added with the same handle; bit-identical meshes share theirs. The
    /// tessellation is in the coordinates of the mesh.
    pub fn mesh(&mut self, mesh: Arc<Mesh>, tessellation: Tessellation) -> ComposedMesh {
        ComposedMesh(self.builder.add_tessellated(mesh, tessellation))
    }

    /// Returns the sub-assembly with this path, outermost name first; `None` for the top level.
    ///
    /// # Errors
    /// If sub-assemblies are nested too deeply.
    pub fn group<S: AsRef<str>>(&mut self, path: &[S]) -> Result<Option<u32>, Error> {
        let mut parent = None;
        for name in path {
            let key = (parent, name.as_ref().to_owned());
            parent = Some(match self.groups.get(&key) {
                Some(&group) => group,
                None => {
                    let group = self.builder.add_group(key.1.clone(), parent);
                    let group = group.map_err(|why| Fault::file(why).in_file(&self.name))?;
                    self.groups.insert(key, group);
                    group
                }
            });
        }
        Ok(parent)
    }

    /// Adds a part, placed by any affine transform.
    ///
    /// # Errors
    /// If the transform is not finite or too large, unless [`LoadOptions::keep_going`] is set.
    pub fn part(&mut self, part: NamedPart, transform: &DAffine3) -> Result<(), Error> {
        let NamedPart { name, mesh, group, id, class } = part;
        let moved = rounding::of_translation(transform.translation);
        let new = NewPart { id, class, moved, ..NewPart::new(&*name, group, mesh.0, transform) };
        match self.builder.add_part(new) {
            Ok(()) => Ok(()),
            Err(why) => {
                let fault = Fault::file(format!("part `{name}`: {why}"));
                self.builder.broken(&name, fault.in_file(&self.name))
            }
        }
    }

    /// Returns the assembly.
    ///
    /// # Errors
    /// If it has no parts.
    pub fn finish(self) -> Result<Assembly, Error> {
        self.builder.finish()
    }
}
