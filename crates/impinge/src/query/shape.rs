//! A mesh and what a method prepared of it, to be shared by any number of pairs and bodies.

use super::renewable::Renewable;
use crate::{
    Bounds, Mesh, MeshError, Method, Pose, Threads,
    mesh::{Extent, FacesAround, NotSolid, first_vertex_at_each_position},
    method::{
        GroupSearch, NOTHING_PREPARED, PlacedShape, Prepared, Recipe, RefitError, Search,
        TreeFileError, TreeReport, tree::FaceBoxes,
    },
    volume::RootDop,
};
use glam::DVec3;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// A mesh with what a method prepared of it, made once and used by any number of pairs, worlds and
/// threads. Cheap to clone: copies share everything.
///
/// ```
/// use impinge::{Method, Shape, generate};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// assert_eq!(ball.mesh().faces().len(), 960);
/// assert_eq!(ball.method(), Method::WIDE);
///
/// // Saved, and loaded again instead of prepared anew.
/// let bytes = ball.to_bytes().ok_or("nothing to save")?;
/// let loaded = Shape::from_bytes(&bytes, generate::sphere(960)?)?;
/// assert_eq!(loaded.method(), Method::WIDE);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Shape(Arc<Inner>);

/// Prepares a mesh.
type Prepare = Arc<dyn Fn(&Mesh, Threads) -> Arc<dyn Prepared> + Send + Sync>;

#[derive(Clone)]
struct Inner {
    mesh: Arc<Mesh>,
    method: Method,
    prepared: Renewable,
    /// Prepares another mesh in the same way, with the same options.
    prepare: Prepare,
    extent: Extent,
    derived: Derived,
}

/// What follows from the positions of the mesh, each made when first asked for.
#[derive(Clone, Default)]
struct Derived {
    /// The corners of the convex hull.
    outline: OnceLock<Vec<DVec3>>,
    /// The DOP around the mesh.
    root_dop: OnceLock<RootDop>,
    /// Whether the faces enclose a solid.
    solid: OnceLock<Result<(), NotSolid>>,
    /// The first vertex at the position of each vertex.
    same_vertices: OnceLock<Vec<u32>>,
    /// The faces around each vertex.
    faces_around: OnceLock<Arc<FacesAround>>,
    /// For each face, whether it is proven to meet its neighbours in nothing but what they share.
    unfolded_faces: OnceLock<Vec<bool>>,
    /// Boxes around the faces, for searches of moving bodies.
    face_boxes: OnceLock<Arc<FaceBoxes>>,
}

/// What was done to a shape whose vertices were moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// What was prepared was fitted to the new positions.
    Refitted,
    /// The mesh was prepared anew, because the method cannot refit, or because the fit would have been so poor that
    /// queries were slow.
    Rebuilt,
}

/// Two shapes that were prepared by different methods, and so cannot be searched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one shape was prepared by {a} and the other by {b}: a query needs one method for both")]
pub struct MethodMismatch {
    /// The method of the first.
    pub a: Method,
    /// The method of the second.
    pub b: Method,
}

impl Shape {
    /// Prepares a mesh by the default method, the fastest for most meshes.
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Self {
        Self::with_method(Method::default(), mesh)
    }

    /// Prepares a mesh by a method, with the method's default options.
    pub fn with_method(method: Method, mesh: impl Into<Arc<Mesh>>) -> Self {
        Self::build(method, mesh)
    }

    /// Prepares a mesh by a method with options of one's own.
    ///
    /// ```
    /// use impinge::{Method, Shape, Threads, WideOptions, WideQuality, generate};
    /// use impinge::method::{boxtree::BoxtreeOptions, tree::BuildOptions};
    ///
    /// let ball = std::sync::Arc::new(generate::sphere(960)?);
    /// let options = WideOptions::default().quality(WideQuality::Fast).threads(Threads::Pool);
    /// let wide = Shape::build(options, ball.clone());
    /// let small = Shape::build(BoxtreeOptions::default(), ball.clone());
    /// let tree = Shape::build((Method::OBB, BuildOptions::default().leaf(4)), ball);
    /// assert!(small.bytes() < wide.bytes());
    /// assert_eq!(tree.method(), Method::OBB);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(recipe: impl Recipe, mesh: impl Into<Arc<Mesh>>) -> Self {
        let (mesh, method) = (mesh.into(), recipe.method());
        let prepared = recipe.clone().prepare(&mesh);
        let prepare: Prepare =
            Arc::new(move |mesh, threads| recipe.clone().prepare_on(mesh, threads));
        Self::of(mesh, method, prepared, prepare)
    }

    fn of(mesh: Arc<Mesh>, method: Method, prepared: Arc<dyn Prepared>, prepare: Prepare) -> Self {
        let extent = Extent::of(&mesh);
        let (derived, prepared) = (Derived::default(), Renewable::new(prepared));
        Self(Arc::new(Inner { mesh, method, prepared, prepare, extent, derived }))
    }

    /// Prepares a mesh whose faces are the same as before, at other positions: a step of a body that
    /// deforms. Fails if the number of faces differs.
    ///
    /// A tree is fitted to the new positions, which takes a fraction of the time of building it, and hardly any memory
    /// if there is no copy of this shape. It is built anew, with the options that this shape was built with, if the
    /// deformation is so large that queries of the fitted tree would be slow. See
    /// [`set_positions`](Self::set_positions) for a mesh that keeps its list of faces.
    ///
    /// ```
    /// use impinge::{Mesh, Method, Pair, Pose, Shape, generate};
    ///
    /// let ball = generate::sphere(960)?;
    /// let flat = ball.positions().iter().map(|p| p.with_z(0.5 * p.z)).collect();
    /// let flat = Mesh::new(flat, ball.faces().to_vec())?;
    ///
    /// let shape = Shape::with_method(Method::BOXTREE, ball).refitted(flat)?;
    /// assert!(Pair::new(&shape, &shape)?.intersects(&Pose::IDENTITY, &Pose::IDENTITY));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refitted(self, mesh: impl Into<Arc<Mesh>>) -> Result<Self, RefitError> {
        let mesh = mesh.into();
        let (expected, found) = (self.mesh().faces().len(), mesh.faces().len());
        if expected != found {
            return Err(RefitError { expected, found });
        }
        let Inner { method, prepared, prepare, .. } = Arc::unwrap_or_clone(self.0);
        let (prepared, _) = renewed(prepared.into_latest(), &mesh, &prepare, Threads::One);
        Ok(Self::of(mesh, method, prepared, prepare))
    }

    /// Moves all vertices of the mesh, and renews what was prepared: a step of a body that deforms. Copies of this
    /// shape keep the old positions.
    ///
    /// Trees are [refitted](Renewal::Refitted) in linear time as long as they fit well: as long as the sum of the
    /// surface areas of their volumes, relative to that of the root, is at most 1.5 times as large as after building.
    /// Otherwise the tree is [built anew](Renewal::Rebuilt), with the same options. Answers do not depend on it. No
    /// memory is copied if there is neither a copy of this shape nor of its mesh.
    ///
    /// Fails, and changes nothing, if there is not one position for each vertex, or if a coordinate is not a finite
    /// number of at most [`MAX_COORDINATE`](crate::mesh::MAX_COORDINATE).
    ///
    /// ```
    /// use impinge::{Shape, generate, glam::DVec3, query::Renewal};
    ///
    /// let mut shape = Shape::new(generate::sphere(960)?);
    /// let flat: Vec<DVec3> = shape.mesh().positions().iter().map(|p| p.with_z(0.9 * p.z)).collect();
    /// assert_eq!(shape.set_positions(&flat)?, Renewal::Refitted);
    /// assert_eq!(shape.mesh().positions(), flat);
    /// assert!(shape.set_positions(&[DVec3::NAN; 3]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<Renewal, MeshError> {
        self.set_positions_on(positions, Threads::One)
    }

    /// The same on the caller's thread or on all threads of the current [rayon] pool.
    pub fn set_positions_on(
        &mut self,
        positions: &[DVec3],
        threads: Threads,
    ) -> Result<Renewal, MeshError> {
        self.move_vertices(positions)?;
        Ok(self.renew(threads).unwrap_or(Renewal::Refitted))
    }

    /// Moves all vertices of the mesh like [`set_positions`](Self::set_positions). What was prepared is renewed by
    /// [`renew`](Self::renew), or when it is next needed.
    pub(crate) fn move_vertices(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.mesh().check_new_positions(positions)?;
        let inner = Arc::make_mut(&mut self.0);
        match Arc::get_mut(&mut inner.mesh) {
            Some(mesh) => mesh.replace_positions(positions),
            None => inner.mesh = Arc::new(inner.mesh.with_positions(positions.to_vec())?),
        }
        inner.prepared.outdate();
        inner.extent = Extent::of(&inner.mesh);
        inner.derived = Derived::default();
        Ok(())
    }

    /// Renews what was prepared, if vertices were moved since. Returns what was done.
    pub(crate) fn renew(&self, threads: Threads) -> Option<Renewal> {
        let Inner { mesh, prepared, prepare, .. } = &*self.0;
        let mut renewal = None;
        prepared.get(|outdated| {
            let (prepared, done) = renewed(outdated, mesh, prepare, threads);
            renewal = Some(done);
            prepared
        });
        renewal
    }

    /// Whether what was prepared is for the present positions.
    pub(crate) fn is_renewed(&self) -> bool {
        self.0.prepared.is_current()
    }

    /// What was prepared, for the present positions.
    fn prepared(&self) -> &Arc<dyn Prepared> {
        let Inner { mesh, prepared, prepare, .. } = &*self.0;
        prepared.get(|outdated| renewed(outdated, mesh, prepare, Threads::One).0)
    }

    /// Prepares another mesh in the same way as this shape's: by the same method, with the same options.
    #[must_use]
    pub fn with_mesh(&self, mesh: impl Into<Arc<Mesh>>, threads: Threads) -> Self {
        let (mesh, prepare) = (mesh.into(), Arc::clone(&self.0.prepare));
        let prepared = prepare(&mesh, threads);
        Self::of(mesh, self.0.method, prepared, prepare)
    }

    /// What was prepared, as bytes, to be kept and loaded by [`from_bytes`](Self::from_bytes).
    ///
    /// `None` for methods that prepare nothing (`brute`, `face-octree`), or as fast as a file could be checked
    /// (`boxtree`, `octree`, and `hull`, whose hulls would have to be made again). The mesh is not in the bytes, only a hash
    /// of it.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.prepared().to_bytes(&self.0.mesh)
    }

    /// The shape of a mesh from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// The bytes may be anything: they are refused unless they are a sound structure over this very
    /// mesh, with which queries are right.
    pub fn from_bytes(bytes: &[u8], mesh: impl Into<Arc<Mesh>>) -> Result<Self, TreeFileError> {
        let mesh = mesh.into();
        let (method, prepared) = Method::load(bytes, &mesh)?;
        Ok(Self::of(
            mesh,
            method,
            prepared,
            Arc::new(move |mesh, threads| method.build(mesh, threads)),
        ))
    }

    /// The same for bytes that a given method saved, which need not be in the table of methods.
    pub fn from_bytes_by(
        method: Method,
        bytes: &[u8],
        mesh: impl Into<Arc<Mesh>>,
    ) -> Result<Self, TreeFileError> {
        let mesh = mesh.into();
        let prepared = method.load_own(bytes, &mesh)?;
        Ok(Self::of(
            mesh,
            method,
            prepared,
            Arc::new(move |mesh, threads| method.build(mesh, threads)),
        ))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.0.mesh
    }

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.0.method
    }

    /// How many bytes were prepared. The mesh itself is not counted.
    pub fn bytes(&self) -> usize {
        self.prepared().bytes()
    }

    /// Whether queries about points and rays search what was prepared. If not, they visit every face.
    ///
    /// ```
    /// use impinge::{Method, Shape, generate};
    ///
    /// let ball = generate::sphere(48)?;
    /// assert!(Shape::with_method(Method::WIDE, ball.clone()).has_point_search());
    /// assert!(!Shape::with_method(Method::BRUTE, ball).has_point_search());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    pub fn has_point_search(&self) -> bool {
        self.prepared().has_point_search()
    }

    /// Nodes, height and total volume, for a method that is a binary tree of bounding volumes (see
    /// [`tree::METHODS`](crate::method::tree::METHODS)). Takes time in proportion to the nodes.
    ///
    /// ```
    /// use impinge::{Method, Shape, generate};
    ///
    /// let ball = Shape::with_method(Method::DOP18, generate::sphere(960)?);
    /// let report = ball.tree_report().ok_or("not a tree")?;
    /// assert!(report.nodes > 960 && report.height >= 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tree_report(&self) -> Option<TreeReport> {
        self.prepared().tree_report()
    }

    /// A box in the world that encloses every placed face; [`Bounds::EMPTY`] for no faces.
    ///
    /// Found from the box of the mesh, so it is somewhat larger than it need be where the body is
    /// turned, and takes the same time for any number of faces.
    #[inline]
    pub fn placed_bounds(&self, pose: &Pose) -> Bounds {
        self.0.extent.placed_bounds(pose)
    }

    /// A sphere in the world that encloses every placed face: centre and radius; `None` for no faces.
    pub fn placed_sphere(&self, pose: &Pose) -> Option<(DVec3, f64)> {
        self.0.extent.placed_sphere(pose)
    }

    /// Whether two shapes share what was prepared.
    pub(crate) fn shares_prepared(&self, other: &Self) -> bool {
        Arc::ptr_eq(self.prepared(), other.prepared())
    }

    /// A search of shapes that this shape's method prepared.
    pub(super) fn new_search(&self) -> Box<dyn Search> {
        self.prepared().new_search()
    }

    /// A search of many shapes at once, if this shape's method has one.
    pub(crate) fn new_group_search(&self) -> Option<Box<dyn GroupSearch>> {
        self.prepared().new_group_search()
    }

    /// Whether a search of this shape can start where the last one ended.
    pub(crate) fn has_front(&self) -> bool {
        self.prepared().has_front()
    }

    /// Fails unless one method prepared both shapes.
    pub(crate) fn check_method(&self, other: &Self) -> Result<(), MethodMismatch> {
        let (a, b) = (self.method(), other.method());
        if a == b { Ok(()) } else { Err(MethodMismatch { a, b }) }
    }

    /// The shape at a pose, as a question names it.
    #[inline]
    pub(crate) fn placed<'q>(&'q self, pose: &'q Pose) -> PlacedShape<'q> {
        let Inner { mesh, extent, .. } = &*self.0;
        PlacedShape { mesh, prepared: &**self.prepared(), extent, pose }
    }

    /// The same without what was prepared, for searches that do not need it: it is not renewed if vertices have moved.
    pub(crate) fn placed_unprepared<'q>(&'q self, pose: &'q Pose) -> PlacedShape<'q> {
        let Inner { mesh, extent, .. } = &*self.0;
        PlacedShape { mesh, prepared: NOTHING_PREPARED, extent, pose }
    }

    /// How far the placed faces reach along directions whose components are 1, 0 or −1: lower and
    /// upper bounds.
    ///
    /// Only the corners of the convex hull are placed. A vertex is a mean of them, and so is its true
    /// place of theirs; rounding moves it, them, and the sums along a direction.
    pub(crate) fn placed_extents(
        &self,
        pose: &Pose,
        directions: &[DVec3],
        extents: &mut Vec<[f64; 2]>,
    ) {
        let start = extents.len();
        extents.extend(directions.iter().map(|_| [f64::INFINITY, f64::NEG_INFINITY]));
        for &corner in self.outline() {
            let placed = pose.place(corner);
            for (direction, [low, high]) in directions.iter().zip(&mut extents[start..]) {
                let along = direction.dot(placed);
                *low = low.min(along);
                *high = high.max(along);
            }
        }
        let slack = 12.0 * self.0.extent.rounding(pose);
        for [low, high] in &mut extents[start..] {
            *low -= slack;
            *high += slack;
            // Where a number overflows, nothing is known.
            if !(low.is_finite() && high.is_finite()) {
                (*low, *high) = (f64::NEG_INFINITY, f64::INFINITY);
            }
        }
    }

    /// Bounds of the placed faces along the directions of a k-DOP, from the root k-DOP. Takes the same time for
    /// any mesh, but is not as tight as [`placed_extents`](Self::placed_extents).
    pub(crate) fn placed_dop(&self, pose: &Pose, k: usize, extents: &mut Vec<[f64; 2]>) {
        let extent = &self.0.extent;
        let dop = self.0.derived.root_dop.get_or_init(|| {
            let mesh = self.mesh();
            let corners = mesh.faces().iter().flatten().map(|&v| mesh.positions()[v as usize]);
            RootDop::new(extent.center(), extent.half_size(), corners)
        });
        dop.placed(k, pose, extent.rounding(pose), extents);
    }

    /// For each face, whether it is proven to meet the faces with which it shares vertices, by their indices, in nothing
    /// but the common vertex or edge.
    pub(super) fn unfolded_faces(&self, threads: Threads) -> &[bool] {
        self.0.derived.unfolded_faces.get_or_init(|| self.mesh().unfolded_faces(threads))
    }

    /// Boxes around the faces, in a tree that does not depend on the method.
    pub(crate) fn face_boxes(&self) -> &FaceBoxes {
        self.0.derived.face_boxes.get_or_init(|| FaceBoxes::build(self.mesh()).into())
    }

    /// The corners of the convex hull of all faces.
    fn outline(&self) -> &[DVec3] {
        self.0.derived.outline.get_or_init(|| {
            let mesh = self.mesh();
            let corners = || mesh.faces().iter().flatten().map(|&v| mesh.positions()[v as usize]);
            match crate::convex::Hull::new(&corners().collect::<Vec<_>>()) {
                Ok(hull) => hull.positions().to_vec(),
                // Without a hull all of them will do.
                Err(_) => corners().collect(),
            }
        })
    }

    /// The first vertex at the position of each vertex.
    pub(super) fn same_vertices(&self) -> &[u32] {
        let positions = self.mesh().positions();
        self.0.derived.same_vertices.get_or_init(|| first_vertex_at_each_position(positions))
    }

    /// The faces around each vertex, where vertices at equal positions count as one.
    pub(crate) fn faces_around(&self) -> &FacesAround {
        self.0.derived.faces_around.get_or_init(|| FacesAround::new(self.mesh()).into())
    }

    /// Fails unless the faces enclose a solid. Found out when first asked for.
    pub(crate) fn check_solid(&self) -> Result<(), NotSolid> {
        *self.0.derived.solid.get_or_init(|| self.mesh().check_solid())
    }
}

/// What was prepared for earlier positions, fitted to the present ones or made anew.
fn renewed(
    outdated: Option<Arc<dyn Prepared>>,
    mesh: &Mesh,
    prepare: &Prepare,
    threads: Threads,
) -> (Arc<dyn Prepared>, Renewal) {
    match outdated.and_then(|outdated| outdated.refitted(mesh, threads)) {
        Some(prepared) => (prepared, Renewal::Refitted),
        None => (prepare(mesh, threads), Renewal::Rebuilt),
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        Self::new(mesh)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("method", &self.method())
            .field("faces", &self.mesh().faces().len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
