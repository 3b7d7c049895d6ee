//! Assemblies that are read file by file, on several machines: [`Listing`] lists the files, [`ListedFile::read`] reads one
//! of them anywhere, and [`join`] makes of all fragments the outline that [`load`](super::load) would have made.
//!
//! Robots are not read in this way: they refer to other files, and are small.

use super::{
    Assembly, Group, LoadOptions, Skipped, StateError, Unit, Up,
    build::{Builder, Frame, SourceKey, file_error, size},
    files::{self, Listed},
    left_out::OtherFiles,
    outline::{Blob, Elsewhere},
    state::{State, from_bytes, to_bytes},
};
use crate::Error;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The files of an assembly, before any of them is read.
#[derive(Debug)]
pub struct Listing<'o> {
    builder: Builder<'o>,
    files: Vec<Listed>,
}

impl<'o> Listing<'o> {
    /// Lists files and folders as [`load`](super::load) does.
    ///
    /// # Errors
    /// If a file or a folder does not exist or cannot be read.
    pub fn new(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
        options: &'o LoadOptions,
    ) -> Result<Self, Error> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut builder = Builder::new(options);
        let files = files::list(&paths, &mut builder)?;
        Ok(Self { builder, files })
    }

    /// The files, in the order of the assembly. `None` if they cannot be read one by one: if there is only one, if one is
    /// a robot or the options are for robots, or if a name is not UTF-8, so that it cannot be sent as bytes.
    pub fn files(&self) -> Option<Vec<ListedFile>> {
        let options = self.builder.options;
        let cannot_be_sent = |file: &Listed| file.is_robot() || file.path.to_str().is_none();
        if self.files.len() < 2
            || self.files.iter().any(cannot_be_sent)
            || !options.joints.is_empty()
            || options.to_bytes().is_err()
        {
            return None;
        }
        let refers = self.builder.other_files.has_accessories();
        let file = |file: &Listed| ListedFile {
            path: file.path.clone(),
            refers: refers && file.in_folder,
        };
        Some(self.files.iter().map(file).collect())
    }
}

/// A file of a [`Listing`], to be read anywhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedFile {
    /// The file.
    path: PathBuf,
    /// Whether it matters to which other files it refers.
    refers: bool,
}

impl ListedFile {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file. Whatever is wrong with it is reported by [`join`].
    pub fn read(&self, options: &LoadOptions) -> Fragment {
        let mut builder = Builder::new(options);
        builder.other_files = OtherFiles::listed_elsewhere();
        let error = files::read_alone(&self.path, self.refers, &mut builder).err();
        let keys = builder.source_keys();
        let key =
            |(mesh, stretch): (Arc<impinge::Mesh>, _)| SourceKey { mesh: digest(&mesh), stretch };
        Fragment {
            keys: keys.into_iter().map(key).collect(),
            sizes: sizes(&builder.assembly),
            frame: builder.frame(),
            referenced: builder.other_files.referenced(),
            error,
            blobs: builder.assembly.blobs(),
            state: State::new(&builder.assembly),
        }
    }

    /// The file as bytes.
    ///
    /// # Errors
    /// If the name of the file is not UTF-8.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not those of a file of a listing.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        from_bytes(bytes)
    }
}

impl LoadOptions {
    /// The options as bytes.
    ///
    /// # Errors
    /// If the name of a folder is not UTF-8.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not those of options.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        from_bytes(bytes)
    }
}

/// The contents of one file, or another piece of an assembly.
#[derive(Debug, Serialize, Deserialize)]
pub struct Fragment {
    state: State,
    /// What identifies each mesh among all fragments.
    keys: Vec<SourceKey>,
    /// The number of vertices and faces of each mesh.
    sizes: Vec<u64>,
    /// The unit and the upward axis of the file, if it was read so far.
    frame: Option<(Option<Unit>, Option<Up>)>,
    /// The names of files to which the file refers.
    referenced: Vec<String>,
    error: Option<Error>,
    #[serde(skip)]
    blobs: Vec<Blob>,
}

impl Fragment {
    /// A piece of an assembly that was not read from a file. `None` if it has robots or is an outline.
    pub fn of(assembly: &Assembly) -> Option<Self> {
        if assembly.is_outline() || !assembly.links.is_empty() {
            return None;
        }
        let key = |mesh: &Arc<impinge::Mesh>| SourceKey { mesh: digest(mesh), stretch: None };
        Some(Self {
            state: State::new(assembly),
            keys: assembly.meshes.iter().map(key).collect(),
            sizes: sizes(assembly),
            frame: Some((assembly.units, assembly.up)),
            referenced: Vec::new(),
            error: None,
            blobs: assembly.blobs(),
        })
    }

    /// The meshes and distances of the fragment, by number. They are not part of its bytes.
    pub fn blobs(&self) -> &[Blob] {
        &self.blobs
    }

    /// The fragment as bytes, without its blobs.
    ///
    /// # Errors
    /// If a file name is not UTF-8.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not those of a fragment.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        from_bytes(bytes)
    }
}

/// All fragments of an assembly together.
#[derive(Debug)]
#[non_exhaustive]
pub struct Joined {
    /// The [outline](Assembly::outline) of the assembly.
    pub assembly: Assembly,
    /// Where each blob of the assembly is: the number of the fragment, and the number of the blob in it.
    pub blobs: Vec<[u32; 2]>,
}

/// Joins the fragments of the files of a listing, in the order of the listing.
///
/// # Errors
/// If a file could not be read, or no part is left.
pub fn join(
    listing: Listing<'_>,
    fragments: impl IntoIterator<Item = Fragment>,
) -> Result<Joined, Error> {
    let Listing { builder, files } = listing;
    let mut joiner = Joiner::new(builder);
    for (fragment, file) in fragments.into_iter().zip(&files) {
        joiner.add(fragment, file.group, &file.path)?;
    }
    joiner.finish()
}

/// Joins fragments that are not those of a [`Listing`], one after another. Parts get unique names.
///
/// # Errors
/// If a fragment could not be read, or there is no part.
pub fn join_loaded(fragments: impl IntoIterator<Item = Fragment>) -> Result<Joined, Error> {
    let options = LoadOptions::default();
    let mut joiner = Joiner::new(Builder::new(&options));
    for fragment in fragments {
        let path = fragment.state.files.first().cloned().unwrap_or_default();
        joiner.add(fragment, None, &path)?;
    }
    joiner.finish()
}

/// Appends fragments to the assembly of a builder.
struct Joiner<'o> {
    builder: Builder<'o>,
    /// The meshes of the assembly by what identifies them.
    meshes: HashMap<SourceKey, u32>,
    /// The meshes as files hold them of which there is a scaled copy.
    scaled: HashSet<[u8; 32]>,
    faces: Vec<u64>,
    /// Where each mesh is.
    mesh_blobs: Vec<[u32; 2]>,
    /// Where the distances are, by the order in which they came.
    distance_blobs: Vec<[u32; 2]>,
    /// The distances of each part, by that order.
    distances: Vec<Option<u32>>,
    fragments: u32,
}

impl<'o> Joiner<'o> {
    fn new(builder: Builder<'o>) -> Self {
        Self {
            builder,
            meshes: HashMap::new(),
            scaled: HashSet::new(),
            faces: Vec::new(),
            mesh_blobs: Vec::new(),
            distance_blobs: Vec::new(),
            distances: Vec::new(),
            fragments: 0,
        }
    }

    fn add(&mut self, fragment: Fragment, above: Option<u32>, path: &Path) -> Result<(), Error> {
        let failed = |message: String| file_error(path, message);
        let fragment_number = self.fragments;
        self.fragments += 1;
        let Fragment { state, keys, sizes, frame, referenced, error, .. } = fragment;
        if [keys.len(), sizes.len()] != [state.meshes.len(); 2] {
            return Err(failed("the fragment has more or fewer meshes than it says".into()));
        }
        self.builder.other_files.refer_to(referenced);
        let mut groups = Vec::with_capacity(state.groups.len());
        for Group { name, parent } in state.groups {
            let parent = parent.map_or(above, |parent| groups.get(parent as usize).copied());
            groups.push(self.builder.add_group(name, parent).map_err(failed)?);
        }
        let own_meshes = state.meshes.len() as u32;
        let mut meshes = Vec::with_capacity(state.meshes.len());
        for (number, ((mesh, key), size)) in (0..).zip(state.meshes.iter().zip(keys).zip(sizes)) {
            let next = self.mesh_blobs.len() as u32;
            let at = *self.meshes.entry(key).or_insert(next);
            if at == next {
                // As if one builder had read all files: it makes each scaled copy once, and counts all but the first.
                if key.stretch.is_some() && !self.scaled.insert(key.mesh) {
                    self.builder.count_scaled(size).map_err(failed)?;
                }
                self.builder.assembly.meshes.push(mesh.stand_in());
                self.faces.push(mesh.faces);
                self.mesh_blobs.push([fragment_number, number]);
            }
            meshes.push(at);
        }
        let first_file = self.builder.assembly.files.len() as u32;
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for mut part in state.parts {
            let mesh = meshes.get(part.mesh as usize).copied();
            let mesh = mesh.ok_or_else(|| failed("a part of the fragment has no mesh".into()))?;
            part.mesh = mesh;
            part.group = part.group.map_or(above, |group| groups.get(group as usize).copied());
            part.file += first_file;
            self.distances.push(part.distances.map(|number| {
                *numbers.entry(number).or_insert_with(|| {
                    self.distance_blobs.push([fragment_number, number.max(own_meshes)]);
                    self.distance_blobs.len() as u32 - 1
                })
            }));
            let part = part.into_part().map_err(|error| failed(error.to_string()))?;
            self.builder.assembly.parts.push(part);
        }
        if let Some((units, up)) = frame {
            self.builder.merge_frame(Frame { units, up });
        }
        let assembly = &mut self.builder.assembly;
        assembly.files.extend(state.files);
        let skipped = state.skipped.into_iter();
        assembly
            .skipped
            .extend(skipped.map(|(name, error)| Skipped { name, error: Arc::new(error) }));
        assembly.left_out.extend(state.left_out);
        match error {
            None => Ok(()),
            Some(error) => self.builder.broken(&files::stem(path), error),
        }
    }

    fn finish(self) -> Result<Joined, Error> {
        let Self { builder, faces, mut mesh_blobs, distance_blobs, distances, .. } = self;
        let mut assembly = builder.finish()?;
        let first = mesh_blobs.len() as u32;
        let distances = distances.into_iter().map(|own| own.map(|own| first + own)).collect();
        assembly.elsewhere = Some(Elsewhere { faces, distances });
        mesh_blobs.extend(distance_blobs);
        Ok(Joined { assembly, blobs: mesh_blobs })
    }
}

/// The number of vertices and faces of each mesh.
fn sizes(assembly: &Assembly) -> Vec<u64> {
    assembly.meshes.iter().map(|mesh| size(mesh)).collect()
}

/// A hash of all bits of a mesh that nobody can make equal for two meshes.
fn digest(mesh: &impinge::Mesh) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut bytes = Vec::with_capacity(1 << 16);
    let sizes = [mesh.positions().len() as u64, mesh.faces().len() as u64];
    sizes.iter().for_each(|size| bytes.extend_from_slice(&size.to_le_bytes()));
    for positions in mesh.positions().chunks(2048) {
        for position in positions {
            for value in position.to_array() {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        hash.update(&bytes);
        bytes.clear();
    }
    for faces in mesh.faces().chunks(4096) {
        faces.iter().flatten().for_each(|corner| bytes.extend_from_slice(&corner.to_le_bytes()));
        hash.update(&bytes);
        bytes.clear();
    }
    hash.update(&bytes);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{AssemblyPart, placement::StretchKey},
        *,
    };
    use impinge::{Pose, generate, glam::DMat3, glam::DVec3};

    /// A file that holds a mesh and scaled copies of it.
    fn fragment(scales: &[f64], size: u64) -> Fragment {
        let mut assembly = Assembly::default();
        for &scale in scales {
            let number = assembly.meshes.len();
            assembly.meshes.push(generate::cuboid(DVec3::splat(scale)).unwrap().into());
            assembly.parts.push(AssemblyPart::new("part", number, Pose::IDENTITY));
        }
        let mut fragment = Fragment::of(&assembly).unwrap();
        let stretch = |scale: &f64| {
            (*scale != 1.0).then(|| StretchKey::new(&DMat3::from_diagonal(DVec3::splat(*scale))))
        };
        let key = |scale: &f64| SourceKey { mesh: [7; 32], stretch: stretch(scale) };
        fragment.keys = scales.iter().map(key).collect();
        fragment.sizes = vec![size; scales.len()];
        fragment
    }

    /// Scaled copies are limited as if one builder had read all files: a copy that many files hold counts once, and the
    /// first copy of a mesh does not count.
    #[test]
    fn scaled_copies_count_once_for_all_files() {
        let size = 1 << 23;
        let many = |scales: &[f64]| {
            join_loaded((0..50).map(|_| fragment(scales, size))).map(|joined| joined.blobs.len())
        };
        assert_eq!(many(&[1.0, 2.0]).unwrap(), 2);
        assert_eq!(many(&[1.0, 2.0, 3.0, 4.0]).unwrap(), 4);
        let error = many(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap_err().to_string();
        assert!(error.contains("scaled differently"), "{error}");
        let apart = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].map(|scales| fragment(&scales, size));
        assert!(join_loaded(apart).is_err(), "copies in several files count, too");
    }
}
