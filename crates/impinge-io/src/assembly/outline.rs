//! Outlines: assemblies whose meshes are elsewhere, on other machines or in files.
//!
//! An outline has all parts, and in place of each mesh one with a single face that has the same bounds. Near pairs of
//! parts, names, keys, clusters and reports need no more than that. The meshes travel as [`Blob`]s.

use super::Assembly;
use impinge::{
    Bounds, Mesh,
    clash::{self, Tessellation},
    glam::DVec3,
};
use std::{collections::HashMap, sync::Arc};

/// What is known of the meshes of an outline.
#[derive(Clone, Debug, Default)]
pub(super) struct Elsewhere {
    /// The number of faces of each mesh.
    pub(super) faces: Vec<u64>,
    /// The number of the blob with the distances of each part's faces from its curved surfaces, if it has one.
    pub(super) distances: Vec<Option<u32>>,
}

/// The large contents of an assembly: a mesh, or how far each of its faces may be from a curved surface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Blob {
    /// A mesh.
    Mesh(Arc<Mesh>),
    /// A distance for each face: see [`Tessellation::Faces`].
    Distances(Arc<[f32]>),
}

/// The first number of a blob: what it holds.
const MESH: u64 = 1;
const DISTANCES: u64 = 2;

impl Blob {
    /// The number of bytes that [`write`](Self::write) appends: a multiple of 8.
    pub fn len(&self) -> usize {
        match self {
            Self::Mesh(mesh) => 24 + 24 * mesh.positions().len() + padded(12 * mesh.faces().len()),
            Self::Distances(distances) => 24 + padded(4 * distances.len()),
        }
    }

    /// Whether there are no bytes. There always are.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Appends the blob to bytes: three numbers of 8 bytes (kind, vertices, faces), then the coordinates as `f64` and
    /// the corners as `u32`, or the distances as `f32`; all little-endian, and padded to a multiple of 8 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        let mut header = |numbers: [u64; 3]| {
            numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        };
        match self {
            Self::Mesh(mesh) => {
                header([MESH, mesh.positions().len() as u64, mesh.faces().len() as u64]);
                for position in mesh.positions() {
                    for value in position.to_array() {
                        out.extend_from_slice(&value.to_le_bytes());
                    }
                }
                for corner in mesh.faces().as_flattened() {
                    out.extend_from_slice(&corner.to_le_bytes());
                }
            }
            Self::Distances(distances) => {
                header([DISTANCES, 0, distances.len() as u64]);
                for distance in distances.iter() {
                    out.extend_from_slice(&distance.to_le_bytes());
                }
            }
        }
        out.resize(out.len().next_multiple_of(8), 0);
    }

    /// Reads the blob at the start of the bytes. More bytes may follow.
    ///
    /// # Errors
    /// If the bytes are not those of a blob.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let short = || format!("a blob needs more than {} bytes", bytes.len());
        let (header, rest) = bytes.split_at_checked(24).ok_or_else(short)?;
        let [kind, vertices, faces] = [0, 8, 16]
            .map(|at| header[at..at + 8].iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)));
        let size = |count: u64, each: usize| {
            usize::try_from(count).ok().and_then(|count| count.checked_mul(each)).ok_or_else(short)
        };
        match kind {
            MESH => {
                let (positions, rest) =
                    rest.split_at_checked(size(vertices, 24)?).ok_or_else(short)?;
                let corners = rest.get(..size(faces, 12)?).ok_or_else(short)?;
                let positions = positions.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b));
                let positions: Vec<f64> = positions.collect();
                let positions = positions.as_chunks::<3>().0;
                let positions = positions.iter().copied().map(DVec3::from_array).collect();
                let corners = corners.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
                let corners: Vec<u32> = corners.collect();
                let faces = corners.as_chunks::<3>().0.to_vec();
                let mesh = Mesh::new(positions, faces).map_err(|error| error.to_string())?;
                Ok(Self::Mesh(Arc::new(mesh)))
            }
            DISTANCES => {
                let distances = rest.get(..size(faces, 4)?).ok_or_else(short)?;
                let distances = distances.as_chunks::<4>().0.iter();
                Ok(Self::Distances(distances.map(|b| f32::from_le_bytes(*b)).collect()))
            }
            kind => Err(format!("{kind} is not a kind of blob")),
        }
    }
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// A mesh with one face that has these bounds; without faces if they are empty.
pub(super) fn stand_in(bounds: &Bounds) -> Arc<Mesh> {
    if bounds.is_empty() {
        return Arc::default();
    }
    // Bounds of a mesh are finite, so that this is a mesh.
    Mesh::new(vec![bounds.min, bounds.max], vec![[0, 1, 1]]).map(Arc::new).unwrap_or_default()
}

impl Assembly {
    /// Returns whether the meshes are elsewhere, and only their bounds are here.
    pub fn is_outline(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Returns the assembly without its meshes: each is replaced by one with a single face and the same bounds.
    pub fn outline(&self) -> Self {
        let mut outline = self.clone();
        if self.is_outline() {
            return outline;
        }
        let faces = self.meshes.iter().map(|mesh| mesh.faces().len() as u64).collect();
        outline.elsewhere = Some(Elsewhere { faces, distances: self.distances() });
        outline.meshes = self.meshes.iter().map(|mesh| stand_in(&mesh.bounds())).collect();
        for part in &mut outline.parts {
            part.tessellation = Tessellation::Uniform(part.tessellation.largest());
        }
        outline
    }

    /// Returns the number of faces of a mesh, also if it is elsewhere.
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn mesh_face_count(&self, mesh: usize) -> u64 {
        match &self.elsewhere {
            None => self.meshes[mesh].faces().len() as u64,
            Some(elsewhere) => elsewhere.faces[mesh],
        }
    }

    /// Returns the number of the [blob](Self::blobs) with the distances of each part's faces from its curved surfaces,
    /// for parts that have one.
    pub fn distances(&self) -> Vec<Option<u32>> {
        if let Some(elsewhere) = &self.elsewhere {
            return elsewhere.distances.clone();
        }
        let mut numbers: HashMap<*const f32, u32> = HashMap::new();
        let first = self.meshes.len() as u32;
        let number = |part: &super::AssemblyPart| match &part.tessellation {
            Tessellation::Faces(distances) => {
                let next = first + numbers.len() as u32;
                Some(*numbers.entry(distances.as_ptr()).or_insert(next))
            }
            _ => None,
        };
        self.parts.iter().map(number).collect()
    }

    /// Returns the large contents of the assembly: first the meshes, by number, then the distances of faces from
    /// curved surfaces, by the numbers of [`distances`](Self::distances).
    pub fn blobs(&self) -> Vec<Blob> {
        let mut blobs: Vec<Blob> = self.meshes.iter().cloned().map(Blob::Mesh).collect();
        for (part, number) in self.parts.iter().zip(self.distances()) {
            if let (Tessellation::Faces(distances), Some(number)) = (&part.tessellation, number)
                && number as usize == blobs.len()
            {
                blobs.push(Blob::Distances(distances.clone()));
            }
        }
        blobs
    }

    /// Returns an outline with its meshes again.
    ///
    /// # Errors
    /// If these are not the [blobs](Self::blobs) of the assembly.
    pub fn with_blobs(mut self, blobs: &[Blob]) -> Result<Self, String> {
        let Some(Elsewhere { faces, distances }) = self.elsewhere.take() else {
            return Err("the assembly has its meshes already".into());
        };
        for (number, mesh) in self.meshes.iter_mut().enumerate() {
            match blobs.get(number) {
                Some(Blob::Mesh(found)) if found.faces().len() as u64 == faces[number] => {
                    *mesh = Arc::clone(found);
                }
                _ => return Err(format!("blob {number} is not the mesh of that number")),
            }
        }
        for (part, number) in self.parts.iter_mut().zip(distances) {
            let Some(number) = number else { continue };
            match blobs.get(number as usize) {
                Some(Blob::Distances(found)) if found.len() as u64 == faces[part.mesh] => {
                    part.tessellation = Tessellation::Faces(found.clone());
                }
                _ => return Err(format!("blob {number} is not the distances of `{}`", part.name)),
            }
        }
        Ok(self)
    }

    /// Returns the outlines of the parts, as [`clash::near_pairs`] takes them.
    pub fn clash_outlines(&self) -> Vec<clash::Outline> {
        let bounds: Vec<Bounds> = self.meshes.iter().map(|mesh| mesh.bounds()).collect();
        let outline = |part: &super::AssemblyPart| {
            let deviation = part.tessellation.largest();
            let bounds = &bounds[part.mesh];
            let mesh = part.mesh as u32;
            clash::Outline::new(mesh, bounds, &part.placement, part.rounding, deviation)
        };
        self.parts.iter().map(outline).collect()
    }
}
