//! Makes the meshes of a document, each when a node first uses it.

use super::{
    accessor::{Indices, Positions, Source},
    budget::Budget,
    buffer::Buffers,
    document::{Document, Primitive},
    primitive::{Kind, Mode},
    unsupported,
};
use crate::error::Fault;
use glam::{DAffine3, DVec3};
use impinge::{Mesh, MeshError, mesh::MAX_COORDINATE};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::Path,
    sync::Arc,
};

/// The meshes made so far.
#[derive(Debug)]
pub(super) struct Shapes<'a> {
    pub(super) source: Source<'a>,
    /// Meshes by their index in the file; `None` for meshes without triangles.
    known: HashMap<u32, Option<Shape>>,
    /// Meshes by their ingredients: exporters repeat a mesh to give it another material.
    alike: HashMap<Vec<Ingredients>, Option<Shape>>,
    meshes: Vec<Arc<Mesh>>,
    /// For each mesh, the face index at which each primitive with faces ends.
    ends: Vec<Vec<u32>>,
}

/// A mesh of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) mesh: usize,
    pub(super) faces: u32,
    /// The largest absolute values of the coordinates, per axis.
    reach: DVec3,
}

impl Shape {
    /// Returns whether the mesh stays within ±1e100 when placed. May refuse a mesh that is within, by a factor of at most four.
    pub(super) fn fits(&self, world: &DAffine3) -> bool {
        let DAffine3 { matrix3, translation } = world;
        let [x, y, z] = [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis].map(DVec3::abs);
        let reach = x * self.reach.x + y * self.reach.y + z * self.reach.z + translation.abs();
        reach.cmple(DVec3::splat(MAX_COORDINATE)).all()
    }
}

/// The meshes that a scene shows.
#[derive(Debug)]
pub(crate) struct ShownMeshes {
    pub(crate) meshes: Vec<Arc<Mesh>>,
    /// For each mesh, the face index at which each primitive ends; the last one is the number of faces.
    pub(crate) primitive_ends: Vec<Vec<u32>>,
}

/// The accessors and the mode that define a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ingredients {
    positions: u32,
    indices: Option<u32>,
    mode: Mode,
}

/// The positions of one accessor that a mesh uses, in one or more of its primitives.
struct Pool<'a> {
    accessor: u32,
    positions: Positions<'a>,
    faces: Vec<Range<usize>>,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(
        document: &'a Document<'a>,
        chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
        budget: Budget,
    ) -> Self {
        let buffers = Buffers::new(&document.buffers, chunk, folder);
        Self {
            source: Source { document, buffers, budget, ascending: HashSet::new() },
            known: HashMap::new(),
            alike: HashMap::new(),
            meshes: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(super) fn into_meshes(self) -> ShownMeshes {
        ShownMeshes { meshes: self.meshes, primitive_ends: self.ends }
    }

    /// Returns the mesh of a node; `None` if it has no triangles.
    pub(super) fn show(
        &mut self,
        mesh: u32,
        node: impl FnOnce() -> String,
    ) -> Result<Option<Shape>, Fault> {
        if let Some(&shape) = self.known.get(&mesh) {
            return Ok(shape);
        }
        let all = &self.source.document.meshes;
        let Some(fields) = all.get(mesh as usize) else {
            let message = format!("it shows meshes[{mesh}], but the file has {}", all.len());
            return Err(Fault::json(node(), message));
        };
        let mut ingredients = Vec::new();
        for (number, primitive) in fields.primitives.iter().enumerate() {
            let place = || primitive_place(mesh, number);
            ingredients.extend(self.ingredients(primitive, place)?);
        }
        let shape = match self.alike.get(&ingredients) {
            Some(&shape) => shape,
            None => {
                let shape = self.unpacked(mesh, &fields.primitives)?;
                self.alike.insert(ingredients, shape);
                shape
            }
        };
        self.known.insert(mesh, shape);
        Ok(shape)
    }

    /// Returns the ingredients of a primitive; `None` for points and lines.
    fn ingredients(
        &self,
        primitive: &Primitive,
        place: impl Fn() -> String,
    ) -> Result<Option<Ingredients>, Fault> {
        let fault = |message: String| Err(Fault::json(place(), message));
        let mode = match Kind::new(primitive.mode) {
            Some(Kind::Faces(mode)) => mode,
            Some(Kind::Thin) => return Ok(None),
            None => return fault(format!("there is no mode {}", primitive.mode)),
        };
        let Some(positions) = primitive.attributes.position else {
            return fault("it has no POSITION".into());
        };
        let indices = primitive.indices;
        if primitive.extensions.draco.0 {
            // Uncompressed data beside the compressed data can be read, but it is optional.
            for accessor in [Some(positions), indices].into_iter().flatten() {
                let fields = self.source.accessor(accessor)?;
                if fields.buffer_view.is_none() && fields.sparse.is_none() {
                    return fault(unsupported("KHR_draco_mesh_compression"));
                }
            }
        }
        Ok(Some(Ingredients { positions, indices, mode }))
    }

    /// Decodes the primitives of a mesh, one after the other.
    fn unpacked(&mut self, mesh: u32, primitives: &[Primitive]) -> Result<Option<Shape>, Fault> {
        let mut faces = Vec::with_capacity(self.face_count(mesh, primitives)?);
        let mut pools: Vec<Pool<'a>> = Vec::new();
        let mut ends = Vec::new();
        let mut pool_of = HashMap::new();
        for (number, primitive) in primitives.iter().enumerate() {
            let place = || primitive_place(mesh, number);
            let Some(made_of) = self.ingredients(primitive, place)? else { continue };
            let pool = match pool_of.get(&made_of.positions) {
                Some(&pool) => pool,
                None => {
                    let accessor = made_of.positions;
                    let positions = self.source.positions(accessor)?;
                    pools.push(Pool { accessor, positions, faces: Vec::new() });
                    pool_of.insert(accessor, pools.len() - 1);
                    pools.len() - 1
                }
            };
            let pool = &mut pools[pool];
            let start = faces.len();
            self.unpack_faces(made_of, pool, &mut faces, place)?;
            pool.faces.push(start..faces.len());
            if faces.len() > start {
                ends.push(faces.len() as u32);
            }
        }
        if faces.is_empty() {
            return Ok(None);
        }

        let mut positions = Vec::new();
        for pool in &pools {
            self.place_pool(pool, &mut positions, &mut faces)?;
        }
        let reach = positions.iter().fold(DVec3::ZERO, |reach: DVec3, p| reach.max(p.abs()));
        positions.shrink_to_fit();
        faces.shrink_to_fit();
        let mesh = Mesh::new(positions, faces)?;
        let shape = Shape { mesh: self.meshes.len(), faces: mesh.faces().len() as u32, reach };
        self.meshes.push(Arc::new(mesh));
        self.ends.push(ends);
        Ok(Some(shape))
    }

    /// Returns an upper bound for the number of faces of a mesh, before any is stored.
    fn face_count(&mut self, mesh: u32, primitives: &[Primitive]) -> Result<usize, Fault> {
        let mut total = 0;
        for (number, primitive) in primitives.iter().enumerate() {
            let place = || primitive_place(mesh, number);
            let Some(made_of) = self.ingredients(primitive, place)? else { continue };
            // Check the accessor as a whole, so that a count beyond the data is reported as such.
            let corners = match made_of.indices {
                Some(indices) => self.source.indices(indices)?.count(),
                None => self.source.positions(made_of.positions)?.count(),
            } as u64;
            let count = made_of
                .mode
                .face_count(corners)
                .map_err(|message| Fault::json(place(), message))?;
            let bytes = count.saturating_mul(size_of::<[u32; 3]>() as u64);
            self.source.budget.charge(bytes, place)?;
            total += count as usize;
        }
        Ok(total)
    }

    /// Appends the faces of a primitive, with the vertex numbers of the accessor.
    fn unpack_faces(
        &mut self,
        made_of: Ingredients,
        pool: &Pool<'_>,
        faces: &mut Vec<[u32; 3]>,
        place: impl Fn() -> String,
    ) -> Result<(), Fault> {
        let vertices = pool.positions.count();
        let indices = match made_of.indices {
            Some(accessor) => Some(self.source.indices(accessor)?),
            None => None,
        };
        let corners = indices.as_ref().map_or(vertices, Indices::count);
        let Some(indices) = indices else {
            return made_of.mode.unpack((0..vertices as u32).map(Ok), faces);
        };
        let (accessor, restart) = (pool.accessor, indices.restart());
        let corner = |at| match indices.get(at) {
            index if index == restart => {
                let message = format!(
                    "index {at} is {index}, which restarts primitives and is not allowed{}",
                    indices.place(at)
                );
                Err(Fault::json(place(), message))
            }
            index if index as usize >= vertices => {
                let message = format!(
                    "index {at} is {index}, but its accessors[{accessor}] has {vertices} \
                     positions{}",
                    indices.place(at)
                );
                Err(Fault::json(place(), message))
            }
            index => Ok(index),
        };
        made_of.mode.unpack((0..corners).map(corner), faces)
    }

    /// Appends the positions that the faces of one accessor use, and renumbers their corners.
    ///
    /// Many meshes may share one accessor of all vertices. If there are fewer corners than vertices, only the used vertices
    /// are read, so that the cost depends on the faces alone.
    fn place_pool(
        &mut self,
        pool: &Pool<'_>,
        positions: &mut Vec<DVec3>,
        faces: &mut [[u32; 3]],
    ) -> Result<(), Fault> {
        let all = pool.positions.count();
        let corners = 3 * pool.faces.iter().map(ExactSizeIterator::len).sum::<usize>();
        let used = (corners < all).then(|| {
            let runs = pool.faces.iter().map(|run| &faces[run.clone()]);
            let mut used = Vec::with_capacity(corners);
            used.extend(runs.flatten().flatten().copied());
            used.sort_unstable();
            used.dedup();
            used
        });

        let place = || format!("accessors[{}]", pool.accessor);
        let base = positions.len();
        let count = used.as_ref().map_or(all, Vec::len);
        if u32::try_from(base + count).is_err() {
            return Err(Fault::json(place(), "the mesh has more than 4294967295 vertices"));
        }
        self.source.budget.charge(count as u64 * size_of::<DVec3>() as u64, place)?;
        positions.reserve(count);
        for at in 0..count {
            let vertex = used.as_ref().map_or(at, |used| used[at] as usize);
            let position = pool.positions.get(vertex);
            MeshError::check_position(vertex, position).map_err(|error| {
                let good = |value: f64| value.abs() <= MAX_COORDINATE;
                let axis = position.to_array().iter().position(|&value| !good(value));
                let at = pool.positions.place(vertex, axis.unwrap_or(0));
                Fault::json(place(), format!("{error}{at}"))
            })?;
            positions.push(position);
        }

        for run in &pool.faces {
            for corner in faces[run.clone()].iter_mut().flatten() {
                let number = match &used {
                    None => *corner as usize,
                    // The search succeeds: the list was made of these corners.
                    Some(used) => used.partition_point(|vertex| vertex < corner),
                };
                *corner = (base + number) as u32;
            }
        }
        Ok(())
    }
}

fn primitive_place(mesh: u32, primitive: usize) -> String {
    format!("meshes[{mesh}].primitives[{primitive}]")
}
