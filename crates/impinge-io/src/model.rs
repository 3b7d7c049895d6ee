//! The contents of one mesh file: meshes, and the named parts that place them.

use glam::{DAffine3, DVec3};
use impinge::{Mesh, MeshError};
use std::{ops::Range, sync::Arc};

/// The largest number of faces, and of vertices, of the mesh that [`Model::to_mesh`] makes: 2²⁷, about 5 GB.
///
/// A file of a few kilobytes can place one mesh a million times. Such a model is valid, but as one mesh it would
/// fill the memory. Use the parts of such a model one by one.
pub const MAX_MERGED: u64 = 1 << 27;

/// Meshes, and the parts that place them. Instances of a mesh share it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The distinct meshes.
    pub meshes: Vec<Arc<Mesh>>,
    /// The parts, in file order. Every face of every mesh belongs to at least one part.
    pub parts: Vec<ModelPart>,
}

/// A named part of a model: some faces of one mesh, and a transform.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPart {
    /// The name in the file, or a name made from the position in the file.
    pub name: String,
    /// Index of the mesh in [`Model::meshes`].
    pub mesh: usize,
    /// The faces of the mesh that belong to this part: ranges in ascending order that neither overlap nor adjoin.
    /// A part has several ranges if, for example, an OBJ file returns to an earlier group.
    pub faces: Vec<Range<u32>>,
    /// Maps mesh coordinates to model coordinates. Any affine map: glTF nodes may scale, mirror and shear.
    pub transform: DAffine3,
}

/// A part, or the whole model, cannot be made into one mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model has no part of this index.
    #[error("there is no part {part}: the model has {count}")]
    NoSuchPart {
        /// Index of the requested part, from 0.
        part: usize,
        /// The number of parts in the model.
        count: usize,
    },
    /// A part refers to a mesh, or to faces of a mesh, that do not exist.
    #[error("part {part} (`{name}`) shows faces that the model does not have")]
    NoSuchFaces {
        /// Index of the part, from 0.
        part: usize,
        /// Name of the part.
        name: String,
    },
    /// The transform moves a vertex to a position that no mesh may have (not finite, or beyond ±1e100).
    #[error("part {part} (`{name}`), placed by its transform: {error}")]
    Placed {
        /// Index of the part, from 0.
        part: usize,
        /// Name of the part.
        name: String,
        /// What is wrong with the placed mesh.
        error: MeshError,
    },
    /// The parts together exceed [`MAX_MERGED`].
    #[error(
        "the parts have {faces} faces together, too many for one mesh (at most {MAX_MERGED} faces \
         and as many vertices): use them part by part"
    )]
    TooLarge {
        /// The number of faces of all parts.
        faces: u64,
    },
    /// All parts as one mesh do not fit into memory.
    #[error(
        "the parts have {faces} faces together, too many for the memory: use them part by part"
    )]
    OutOfMemory {
        /// The number of faces of all parts.
        faces: u64,
    },
}

impl Model {
    /// Returns a model with one part that is the whole mesh.
    pub fn from_mesh(name: impl Into<String>, mesh: Mesh) -> Self {
        let faces = vec![0..mesh.faces().len() as u32];
        let part = ModelPart { name: name.into(), mesh: 0, faces, transform: DAffine3::IDENTITY };
        Self { meshes: vec![Arc::new(mesh)], parts: vec![part] }
    }

    /// Returns the number of faces of all parts together; each instance of a mesh counts.
    pub fn face_count(&self) -> u64 {
        self.parts.iter().map(ModelPart::face_count).fold(0, u64::saturating_add)
    }

    /// Returns one part as a mesh: its vertices placed, in the order of its source mesh, without the vertices that
    /// the part does not use.
    ///
    /// If the transform mirrors, the corner order of every face is reversed, so that normals still point outward. The
    /// identity transform changes no coordinate.
    pub fn part_mesh(&self, part: usize) -> Result<Mesh, ModelError> {
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        self.append(part, &mut positions, &mut faces)?;
        Mesh::new(positions, faces).map_err(|error| self.placed_wrongly(part, error))
    }

    /// Returns all parts as one mesh of at most [`MAX_MERGED`] faces.
    ///
    /// If the parts only name faces of one unplaced mesh, the result is that mesh, with its vertices and faces in file
    /// order. Otherwise the result is the parts one after the other, each as [`part_mesh`](Self::part_mesh) returns it.
    pub fn to_mesh(&self) -> Result<Mesh, ModelError> {
        if self.named_runs().is_some() {
            return Ok(self.meshes[0].as_ref().clone());
        }
        let face_count = self.face_count();
        if face_count > MAX_MERGED {
            return Err(ModelError::TooLarge { faces: face_count });
        }
        let no_memory = |_| ModelError::OutOfMemory { faces: face_count };
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        faces.try_reserve_exact(face_count as usize).map_err(no_memory)?;
        for part in 0..self.parts.len() {
            let start = positions.len();
            let corners = self.parts[part].face_count() as usize * 3;
            let vertices =
                self.meshes.get(self.parts[part].mesh).map_or(0, |m| m.positions().len());
            positions.try_reserve(corners.min(vertices)).map_err(no_memory)?;
            self.append(part, &mut positions, &mut faces)?;
            for (vertex, &position) in positions[start..].iter().enumerate() {
                MeshError::check_position(vertex, position)
                    .map_err(|error| self.placed_wrongly(part, error))?;
            }
            if positions.len() as u64 > MAX_MERGED {
                return Err(ModelError::TooLarge { faces: face_count });
            }
        }
        Ok(Mesh::new(positions, faces).expect("positions and indices were checked part by part"))
    }

    /// Like [`to_mesh`](Self::to_mesh), but does not copy if the model is one mesh and holds the only reference to it.
    pub fn into_mesh(mut self) -> Result<Mesh, ModelError> {
        match self.named_runs() {
            Some(_) => Ok(Arc::unwrap_or_clone(self.meshes.swap_remove(0))),
            None => self.to_mesh(),
        }
    }

    /// Returns the face ranges in ascending order, each with its part, if the model is one unplaced mesh and every
    /// face belongs to exactly one part.
    pub(crate) fn named_runs(&self) -> Option<Vec<(Range<u32>, usize)>> {
        let [mesh] = &self.meshes[..] else { return None };
        if self.parts.iter().any(|part| part.mesh != 0 || part.transform != DAffine3::IDENTITY) {
            return None;
        }
        let numbered = self.parts.iter().enumerate();
        let mut runs: Vec<_> = numbered
            .flat_map(|(number, part)| part.faces.iter().map(move |run| (run.clone(), number)))
            .filter(|(run, _)| !run.is_empty())
            .collect();
        runs.sort_unstable_by_key(|(run, _)| run.start);
        let follows = |end, (run, _): &(Range<u32>, usize)| (run.start == end).then_some(run.end);
        let end = runs.iter().try_fold(0, follows)?;
        (end as usize == mesh.faces().len()).then_some(runs)
    }

    /// Appends the placed vertices and the renumbered faces of a part.
    fn append(
        &self,
        part: usize,
        positions: &mut Vec<DVec3>,
        faces: &mut Vec<[u32; 3]>,
    ) -> Result<(), ModelError> {
        let no_part = ModelError::NoSuchPart { part, count: self.parts.len() };
        let ModelPart { name, mesh, faces: runs, transform } =
            self.parts.get(part).ok_or(no_part)?;
        let no_faces = || ModelError::NoSuchFaces { part, name: name.clone() };
        let mesh = self.meshes.get(*mesh).ok_or_else(no_faces)?;
        let runs: Vec<&[[u32; 3]]> = runs
            .iter()
            .map(|run| mesh.faces().get(run.start as usize..run.end as usize))
            .collect::<Option<_>>()
            .ok_or_else(no_faces)?;

        // A sorted list, not a table of all vertices: a file may have as many parts as faces, and
        // a table for each would make the work the product of parts and vertices.
        let mut used: Vec<u32> = runs.iter().copied().flatten().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();

        let placed = |vertex: u32| {
            let position = mesh.positions()[vertex as usize];
            match *transform == DAffine3::IDENTITY {
                true => position,
                false => transform.transform_point3(position),
            }
        };
        let first = positions.len() as u32;
        positions.extend(used.iter().map(|&vertex| placed(vertex)));
        let all_used = used.len() == mesh.positions().len();
        let renumbered = |vertex: u32| match all_used {
            true => first + vertex,
            // Every corner's vertex was collected above.
            false => first + used.partition_point(|&other| other < vertex) as u32,
        };
        let mirrors = transform.matrix3.determinant() < 0.0;
        faces.extend(runs.into_iter().flatten().map(|face| {
            let [a, b, c] = face.map(renumbered);
            if mirrors { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }

    fn placed_wrongly(&self, part: usize, error: MeshError) -> ModelError {
        ModelError::Placed { part, name: self.parts[part].name.clone(), error }
    }
}

impl ModelPart {
    /// Returns the number of faces of the part.
    pub fn face_count(&self) -> u64 {
        self.faces.iter().map(|run| u64::from(run.end.saturating_sub(run.start))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles side by side, after one vertex that no face uses.
    fn strip() -> Mesh {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let positions = vec![
            corner(9.0, 9.0),
            corner(0.0, 0.0),
            corner(1.0, 0.0),
            corner(0.0, 1.0),
            corner(1.0, 1.0),
        ];
        Mesh::new(positions, vec![[1, 2, 3], [3, 2, 4]]).unwrap()
    }

    fn part(name: &str, faces: Range<u32>, transform: DAffine3) -> ModelPart {
        ModelPart { name: name.into(), mesh: 0, faces: vec![faces], transform }
    }

    fn model(parts: Vec<ModelPart>) -> Model {
        Model { meshes: vec![Arc::new(strip())], parts }
    }

    #[test]
    fn parts_that_only_name_faces_keep_the_mesh() {
        let id = DAffine3::IDENTITY;
        let named = model(vec![part("b", 1..2, id), part("a", 0..1, id)]);
        assert_eq!(named.to_mesh().unwrap(), strip());
        assert_eq!(named.clone().into_mesh().unwrap(), strip());
        let alone = named.part_mesh(0).unwrap();
        assert_eq!(alone.positions(), &strip().positions()[2..]);
        assert_eq!(alone.faces(), [[1, 0, 2]]);
        // A face that belongs to two parts appears twice.
        let twice = model(vec![part("a", 0..2, id), part("b", 0..1, id)]).to_mesh().unwrap();
        assert_eq!(twice.faces(), [[0, 1, 2], [2, 1, 3], [4, 5, 6]]);
    }

    #[test]
    fn instances_are_placed_and_mirrored_faces_still_point_outward() {
        let moved = DAffine3::from_translation(DVec3::new(0.0, 0.0, 5.0));
        let mirrored = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        let mesh =
            model(vec![part("a", 0..1, moved), part("b", 0..1, mirrored)]).to_mesh().unwrap();
        assert_eq!(mesh.triangle(0)[1], DVec3::new(1.0, 0.0, 5.0));
        assert_eq!(mesh.faces(), [[0, 1, 2], [3, 5, 4]]);
        assert_eq!(mesh.triangle(1), [DVec3::ZERO, DVec3::Y, DVec3::NEG_X]);
    }

    #[test]
    fn a_model_that_cannot_be_a_mesh_is_refused() {
        let far = DAffine3::from_scale(DVec3::splat(1e101));
        let error = model(vec![part("far", 0..1, far)]).to_mesh().unwrap_err();
        assert_eq!(
            error.to_string(),
            "part 0 (`far`), placed by its transform: \
             vertex 1 has the x coordinate 1e101, which is beyond ±1e100"
        );
        let id = DAffine3::IDENTITY;
        assert!(matches!(
            model(vec![part("a", 1..3, id)]).part_mesh(0),
            Err(ModelError::NoSuchFaces { part: 0, .. })
        ));
        assert!(matches!(model(vec![]).part_mesh(0), Err(ModelError::NoSuchPart { .. })));
        let mut swarm = model(vec![]);
        swarm.meshes[0] =
            Arc::new(Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]; 1 << 17]).unwrap());
        swarm.parts = vec![part("many", 0..1 << 17, id); 1025];
        assert!(matches!(swarm.to_mesh(), Err(ModelError::TooLarge { faces: 134_348_800, .. })));
    }
}
