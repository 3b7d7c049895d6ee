//! Builds an assembly: takes parts with any affine transform and stores them with rigid poses. The readers of the
//! single formats call [`Builder`].

use super::{
    Assembly, AssemblyPart, Group, LoadOptions, Skipped, Unit, Up,
    left_out::OtherFiles,
    names,
    placement::{Split, StretchKey},
    rounding::{Precision, gain},
    split::{MAX_PIECES, part_of, pieces},
};
use crate::{
    Error,
    error::{Fault, Location},
};
use glam::{DAffine3, DMat3, DVec3};
use impinge::{Mesh, Pose, clash::Tessellation};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, path::Path, sync::Arc};

/// The largest number of faces and vertices together of all meshes that no file holds: scaled copies of a mesh, and
/// the spheres and cylinders of robots.
///
/// A file of a few kilobytes can place one mesh ten thousand times, each time with another scale. The first scaled
/// copy of each mesh does not count, because a conversion of units makes one of every mesh.
const MAX_MADE: u64 = 1 << 24;

/// The largest nesting depth of sub-assemblies.
const MAX_DEPTH: u32 = 1000;

/// Handle of a mesh as a file holds it, before any scaling, and of its tessellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SourceMesh {
    mesh: usize,
    tessellation: usize,
}

/// The tessellation of meshes without curved surfaces: the first of all.
const EXACT: usize = 0;

/// A mesh as a file holds it.
#[derive(Debug)]
struct Source {
    mesh: Arc<Mesh>,
    precision: Precision,
    has_stretched_copy: bool,
}

/// A part as a file describes it.
#[derive(Debug)]
pub(super) struct NewPart<'a> {
    pub(super) name: String,
    pub(super) group: Option<u32>,
    pub(super) mesh: SourceMesh,
    pub(super) transform: &'a DAffine3,
    pub(super) link: Option<u32>,
    /// See [`AssemblyPart::id`].
    pub(super) id: Option<String>,
    /// See [`AssemblyPart::class`].
    pub(super) class: Option<String>,
    /// How far rounding may have moved the part as a whole, in the coordinates of the file.
    pub(super) moved: f64,
}

impl<'a> NewPart<'a> {
    /// Returns a part that has only these properties.
    pub(super) fn new(
        name: impl Into<String>,
        group: Option<u32>,
        mesh: SourceMesh,
        transform: &'a DAffine3,
    ) -> Self {
        let name = name.into();
        Self { name, group, mesh, transform, link: None, id: None, class: None, moved: 0.0 }
    }
}

#[derive(Debug)]
pub(super) struct Builder<'a> {
    pub(super) options: &'a LoadOptions,
    pub(super) assembly: Assembly,
    /// The files of folders that are not read.
    pub(super) other_files: OtherFiles,
    /// The meshes of the files, unscaled.
    sources: Vec<Source>,
    /// The tessellations of meshes, in the coordinates of their files.
    tessellations: Vec<Tessellation>,
    /// Indices into `sources` by a hash of the mesh contents, to find duplicates: files repeat meshes that they
    /// could share.
    alike: HashMap<u64, Vec<usize>>,
    /// Index into `assembly.meshes` for a source mesh and its stretch.
    shown: HashMap<(usize, Option<StretchKey>), usize>,
    /// The connected pieces of meshes, if they are to be split.
    pieces: HashMap<SourceMesh, Vec<SourceMesh>>,
    /// Tessellations with a value for each face, scaled: parts share them.
    scaled: HashMap<(usize, Option<StretchKey>), Tessellation>,
    made: u64,
    depths: Vec<u32>,
    /// The factor for coordinates of the current file.
    factor: f64,
    /// The common unit and upward axis of the files so far; `None` before the first file.
    frame: Option<Frame>,
}

/// What identifies a mesh of an assembly among those of all files: the mesh as its file holds it, and how it was
/// stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct SourceKey {
    pub(super) mesh: [u8; 32],
    pub(super) stretch: Option<StretchKey>,
}

/// The unit of coordinates and the upward axis, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub(super) units: Option<Unit>,
    pub(super) up: Option<Up>,
}

impl Frame {
    /// The frame of robots and building models.
    pub(super) const METRES_Z: Self = Self { units: Some(Unit::Metre), up: Some(Up::Z) };
}

impl<'a> Builder<'a> {
    pub(super) fn new(options: &'a LoadOptions) -> Self {
        Self {
            options,
            assembly: Assembly::default(),
            other_files: OtherFiles::default(),
            sources: Vec::new(),
            tessellations: vec![Tessellation::default()],
            alike: HashMap::new(),
            shown: HashMap::new(),
            pieces: HashMap::new(),
            scaled: HashMap::new(),
            made: 0,
            depths: Vec::new(),
            factor: 1.0,
            frame: None,
        }
    }

    /// Starts a file. Parts added from now on belong to it. `frame` is what the file itself or its format defines.
    pub(super) fn begin_file(&mut self, path: &Path, frame: Frame) {
        let (factor, units) = self.options.conversion(frame.units);
        self.factor = factor;
        self.merge_frame(Frame { units, ..frame });
        self.assembly.files.push(path.to_owned());
    }

    /// Takes the unit and the upward axis of another file into account.
    pub(super) fn merge_frame(&mut self, own: Frame) {
        self.frame = Some(self.frame.map_or(own, |before| Frame {
            units: before.units.filter(|_| before.units == own.units),
            up: before.up.filter(|_| before.up == own.up),
        }));
    }

    /// Returns the common unit and upward axis of the files so far; `None` before the first file.
    pub(super) fn frame(&self) -> Option<(Option<Unit>, Option<Up>)> {
        self.frame.map(|frame| (frame.units, frame.up))
    }

    /// Returns for each mesh of the assembly the mesh as the file holds it, and how it was stretched.
    pub(super) fn source_keys(&self) -> Vec<(Arc<Mesh>, Option<StretchKey>)> {
        let mut keys = vec![(Arc::default(), None); self.assembly.meshes.len()];
        for ((source, stretch), &mesh) in &self.shown {
            keys[mesh] = (Arc::clone(&self.sources[*source].mesh), *stretch);
        }
        keys
    }

    /// Counts a scaled copy of a mesh that was made elsewhere towards [`MAX_MADE`], given its [size].
    pub(super) fn count_scaled(&mut self, size: u64) -> Result<(), String> {
        charge(&mut self.made, size, SCALED)
    }

    /// Sets the axis that points up in the current file.
    pub(super) fn set_up(&mut self, up: Up) {
        if let Some(frame) = &mut self.frame {
            frame.up = Some(up);
        }
    }

    /// Returns a handle for the mesh; the handle of an earlier mesh if both are bit-identical.
    pub(super) fn add_mesh(&mut self, mesh: Arc<Mesh>) -> SourceMesh {
        let alike = self.alike.entry(hash(&mesh)).or_default();
        let is_same = |other: &&usize| is_same(&self.sources[**other].mesh, &mesh);
        // Hashes can be made to collide on purpose, so only a few candidates are compared.
        if let Some(&same) = alike.iter().take(4).find(is_same) {
            return SourceMesh { mesh: same, tessellation: EXACT };
        }
        let number = self.sources.len();
        alike.push(number);
        let precision = Precision::of(&mesh);
        self.sources.push(Source { mesh, precision, has_stretched_copy: false });
        SourceMesh { mesh: number, tessellation: EXACT }
    }

    /// Returns a handle for a mesh that stands for curved surfaces. The tessellation is in the coordinates of the
    /// file.
    pub(super) fn add_tessellated(
        &mut self,
        mesh: Arc<Mesh>,
        tessellation: Tessellation,
    ) -> SourceMesh {
        let added = self.add_mesh(mesh);
        self.with_tessellation(added, tessellation)
    }

    /// Returns a handle for the same mesh with this tessellation.
    pub(super) fn with_tessellation(
        &mut self,
        mesh: SourceMesh,
        tessellation: Tessellation,
    ) -> SourceMesh {
        if tessellation == Tessellation::default() {
            return SourceMesh { tessellation: EXACT, ..mesh };
        }
        self.tessellations.push(tessellation);
        SourceMesh { tessellation: self.tessellations.len() - 1, ..mesh }
    }

    /// Returns a handle for a mesh that no file holds.
    pub(super) fn add_made(&mut self, mesh: Mesh) -> Result<SourceMesh, String> {
        charge(&mut self.made, size(&mesh), "cut into triangles")?;
        Ok(self.add_mesh(Arc::new(mesh)))
    }

    pub(super) fn add_group(&mut self, name: String, parent: Option<u32>) -> Result<u32, String> {
        let depth = parent.map_or(1, |parent| self.depths[parent as usize] + 1);
        if depth > MAX_DEPTH {
            return Err(format!("sub-assemblies are nested more than {MAX_DEPTH} levels deep"));
        }
        self.assembly.groups.push(Group::new(name, parent));
        self.depths.push(depth);
        Ok(self.assembly.groups.len() as u32 - 1)
    }

    /// Adds a part, or returns why it cannot be placed. If requested, each connected piece of its mesh is a part, in
    /// a sub-assembly with the name of the part.
    pub(super) fn add_part(&mut self, part: NewPart<'_>) -> Result<(), String> {
        if !self.options.split {
            return self.add_whole(part);
        }
        let pieces = self.pieces(part.mesh)?;
        if pieces.len() == 1 {
            return self.add_whole(part);
        }
        let group = Some(self.add_group(part.name.clone(), part.group)?);
        for (number, mesh) in pieces.into_iter().enumerate() {
            let name = format!("{} piece {}", part.name, number + 1);
            let NewPart { transform, link, moved, .. } = part;
            let class = part.class.clone();
            // The identity of the part is not that of its pieces.
            self.add_whole(NewPart { name, group, mesh, transform, link, id: None, class, moved })?;
        }
        Ok(())
    }

    /// Returns the connected pieces of a mesh.
    fn pieces(&mut self, whole: SourceMesh) -> Result<Vec<SourceMesh>, String> {
        if let Some(pieces) = self.pieces.get(&whole) {
            return Ok(pieces.clone());
        }
        let mesh = self.sources[whole.mesh].mesh.clone();
        let faces = pieces(&mesh);
        if faces.len() > MAX_PIECES {
            return Err(format!(
                "the mesh has {} connected pieces, more than {MAX_PIECES}, and cannot be split: its faces do not \
                 share the positions of their corners",
                faces.len()
            ));
        }
        let found: Vec<SourceMesh> = match &faces[..] {
            [] | [_] => vec![whole],
            _ => faces.iter().map(|faces| self.add_piece(whole, &mesh, faces)).collect(),
        };
        self.pieces.insert(whole, found.clone());
        Ok(found)
    }

    fn add_piece(&mut self, whole: SourceMesh, mesh: &Mesh, faces: &[u32]) -> SourceMesh {
        let piece = self.add_mesh(Arc::new(part_of(mesh, faces)));
        let tessellation = match &self.tessellations[whole.tessellation] {
            Tessellation::Faces(distances) => {
                let own = faces.iter().map(|&face| distances[face as usize]);
                Tessellation::Faces(own.collect())
            }
            same => same.clone(),
        };
        self.with_tessellation(piece, tessellation)
    }

    fn add_whole(&mut self, part: NewPart<'_>) -> Result<(), String> {
        let mut linear = part.transform.matrix3;
        let mut translation = part.transform.translation;
        // Multiplying by 1 would change nothing, but the split takes time.
        if self.factor != 1.0 {
            linear *= self.factor;
            translation *= self.factor;
        }
        let Split { rotation, stretch } = Split::new(linear);
        let mesh = self.show(part.mesh.mesh, stretch)?;
        let placement = Pose::new(rotation, translation).map_err(|error| error.to_string())?;
        let scale = stretch.as_ref().map_or(1.0, gain);
        let precision = &self.sources[part.mesh.mesh].precision;
        let transform = DAffine3 { matrix3: linear, translation };
        let rounding = Some(precision.after(&transform, scale, part.moved * self.factor));
        let tessellation = self.tessellation(part.mesh.tessellation, stretch.as_ref(), scale);
        let NewPart { name, group, link, id, class, .. } = part;
        let file = self.assembly.files.len().saturating_sub(1) as u32;
        let new = AssemblyPart::new(name, mesh, placement);
        self.assembly.parts.push(AssemblyPart {
            group,
            file,
            link,
            id,
            class,
            rounding,
            tessellation,
            ..new
        });
        Ok(())
    }

    /// Returns a tessellation in the coordinates of the assembly, which are those of its file times `scale`.
    fn tessellation(&mut self, number: usize, stretch: Option<&DMat3>, scale: f64) -> Tessellation {
        let own = &self.tessellations[number];
        match own {
            Tessellation::Uniform(distance) => Tessellation::Uniform(distance * scale),
            Tessellation::Faces(faces) if scale != 1.0 => {
                let key = (number, stretch.map(StretchKey::new));
                let scaled = |&distance: &f32| (f64::from(distance) * scale) as f32;
                let make = || Tessellation::Faces(faces.iter().map(scaled).collect());
                self.scaled.entry(key).or_insert_with(make).clone()
            }
            own => own.clone(),
        }
    }

    /// Records a broken part as skipped if `keep_going` is set; otherwise returns the error.
    pub(super) fn broken(&mut self, name: &str, error: Error) -> Result<(), Error> {
        if !self.options.keep_going {
            return Err(error);
        }
        self.assembly.skipped.push(Skipped { name: name.to_owned(), error: Arc::new(error) });
        Ok(())
    }

    /// Returns the index in the assembly of a mesh, scaled if necessary.
    fn show(&mut self, number: usize, stretch: Option<DMat3>) -> Result<usize, String> {
        let key = (number, stretch.as_ref().map(StretchKey::new));
        if let Some(&mesh) = self.shown.get(&key) {
            return Ok(mesh);
        }
        let source = &mut self.sources[number];
        let mesh = match &stretch {
            None => source.mesh.clone(),
            Some(stretch) => {
                if std::mem::replace(&mut source.has_stretched_copy, true) {
                    charge(&mut self.made, size(&source.mesh), SCALED)?;
                }
                Arc::new(stretched(&source.mesh, stretch)?)
            }
        };
        let number = self.assembly.meshes.len();
        self.assembly.meshes.push(mesh);
        self.shown.insert(key, number);
        Ok(number)
    }

    pub(super) fn finish(mut self) -> Result<Assembly, Error> {
        if self.assembly.parts.is_empty() {
            let skipped = self.assembly.skipped.into_iter().next();
            return Err(match skipped {
                Some(first) => Error {
                    path: first.error.path.clone(),
                    location: first.error.location.clone(),
                    message: format!("{} (and no other part is left)", first.error.message),
                },
                None => {
                    let path = self.assembly.files.first().cloned().unwrap_or_default();
                    let message = "there is no part to read".into();
                    Error { path, location: Location::File, message }
                }
            });
        }
        let others = std::mem::take(&mut self.other_files).finish();
        self.assembly.left_out.extend(others);
        names::make_unique(&mut self.assembly.parts);
        self.drop_empty_groups();
        let Frame { units, up } = self.frame.unwrap_or_default();
        (self.assembly.units, self.assembly.up) = (units, up);
        Ok(self.assembly)
    }

    /// Removes the sub-assemblies without a part in or below them.
    fn drop_empty_groups(&mut self) {
        let Assembly { groups, parts, .. } = &mut self.assembly;
        let mut used = vec![false; groups.len()];
        parts.iter().filter_map(|part| part.group).for_each(|group| used[group as usize] = true);
        for group in (0..groups.len()).rev() {
            if let Some(parent) = groups[group].parent.filter(|_| used[group]) {
                used[parent as usize] = true;
            }
        }
        let mut number = 0;
        let numbers: Vec<u32> = used
            .iter()
            .map(|&used| {
                number += u32::from(used);
                number.saturating_sub(1)
            })
            .collect();
        let renumber = |group: &mut Option<u32>| {
            *group = group.map(|group| numbers[group as usize]);
        };
        let mut at = 0;
        groups.retain_mut(|group| {
            renumber(&mut group.parent);
            at += 1;
            used[at - 1]
        });
        parts.iter_mut().for_each(|part| renumber(&mut part.group));
    }
}

/// How a part needs a scaled copy of a mesh, for messages.
const SCALED: &str = "scaled differently from all earlier parts";

/// The number of vertices and faces of a mesh.
pub(super) fn size(mesh: &Mesh) -> u64 {
    mesh.positions().len() as u64 + mesh.faces().len() as u64
}

/// Counts a mesh of this [size] towards [`MAX_MADE`], or refuses the part that needs it.
fn charge(made: &mut u64, size: u64, how: &str) -> Result<(), String> {
    *made = made.saturating_add(size);
    match *made <= MAX_MADE {
        true => Ok(()),
        false => Err(format!(
            "the part is {how}, and all such meshes together have more than {MAX_MADE} vertices and faces"
        )),
    }
}

fn bits(mesh: &Mesh) -> impl Iterator<Item = u64> + '_ {
    mesh.positions().iter().flat_map(DVec3::to_array).map(f64::to_bits)
}

fn hash(mesh: &Mesh) -> u64 {
    // Multiply and fold, so that every bit of a word changes the hash.
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9E37_79B9_7F4A_7C15;
        product as u64 ^ (product >> 64) as u64
    };
    let sizes = [mesh.positions().len() as u64, mesh.faces().len() as u64];
    let corners = mesh.faces().iter().map(|&[a, b, c]| {
        u64::from(a) ^ u64::from(b).rotate_left(21) ^ u64::from(c).rotate_left(42)
    });
    sizes.into_iter().chain(bits(mesh)).chain(corners).fold(1, mix)
}

/// Compares by bits: −0 and 0 are equal but not identical.
fn is_same(a: &Mesh, b: &Mesh) -> bool {
    a.faces() == b.faces() && a.positions().len() == b.positions().len() && bits(a).eq(bits(b))
}

fn stretched(mesh: &Mesh, stretch: &DMat3) -> Result<Mesh, String> {
    let positions = mesh.positions().iter().map(|&position| *stretch * position).collect();
    let mirrors = stretch.determinant() < 0.0;
    let faces = mesh.faces().iter().map(|&[a, b, c]| if mirrors { [a, c, b] } else { [a, b, c] });
    Mesh::new(positions, faces.collect())
        .map_err(|error| format!("the mesh, after scaling: {error}"))
}

/// Returns an error that concerns the file as a whole.
pub(super) fn file_error(path: &Path, message: impl Into<String>) -> Error {
    Fault::file(message).in_file(path)
}
