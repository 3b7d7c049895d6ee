//! A mesh prepared by a method: to be shared among pairs, saved and loaded.

use super::{
    Method, Search,
    boxtree::{BoxtreeOptions, RefitError},
    method::Tree,
    tree::{BuildOptions, TreeFileError},
    wide::WideOptions,
};
use crate::Mesh;
use std::fmt;

/// A mesh prepared by a method. Cheap to clone: copies share what was prepared.
///
/// [`Pair::new`](super::Pair::new) makes two of these. With an index of one's own, a mesh need be
/// prepared only once for any number of pairs, or be loaded instead.
///
/// ```
/// use impinge::{Index, Method, Pair, Pose, generate};
///
/// let ball = generate::sphere(960)?;
/// let index = Index::build(Method::Dop18, &ball);
/// let bytes = index.to_bytes().ok_or("nothing to save")?;
///
/// let loaded = Index::from_bytes(&bytes, &ball)?;
/// assert_eq!(loaded.method(), Method::Dop18);
/// let mut pair = Pair::from_indices(&loaded, &loaded)?;
/// assert!(pair.intersects(&Pose::IDENTITY, &Pose::IDENTITY));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Index<'m> {
    mesh: &'m Mesh,
    method: Method,
    tree: Tree,
}

/// Two indices that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one mesh was prepared by {a} and the other by {b}: a pair needs one method for both")]
pub struct MethodMismatch {
    /// The method of the first.
    pub a: Method,
    /// The method of the second.
    pub b: Method,
}

impl<'m> Index<'m> {
    /// Prepares a mesh.
    pub fn build(method: Method, mesh: &'m Mesh) -> Self {
        Self::with_options(method, mesh, BuildOptions::default())
    }

    /// Prepares a mesh, in a way of one's own. For trees of volumes; others take from it the number
    /// of threads at most, and the [wide tree](Self::wide) and the [boxtree](Self::boxtree) have
    /// options of their own.
    pub fn with_options(method: Method, mesh: &'m Mesh, options: BuildOptions) -> Self {
        Self { mesh, method, tree: Tree::build(method, mesh, options) }
    }

    /// Prepares a mesh as a restricted boxtree, in a way of one's own.
    pub fn boxtree(mesh: &'m Mesh, options: BoxtreeOptions) -> Self {
        Self { mesh, method: Method::Boxtree, tree: Tree::boxtree(mesh, options) }
    }

    /// Prepares a mesh as a wide tree, in a way of one's own.
    ///
    /// ```
    /// use impinge::{Index, Threads, WideOptions, WideQuality, generate};
    ///
    /// let ball = generate::sphere(960)?;
    /// let options = WideOptions::default().quality(WideQuality::Fast).threads(Threads::Pool);
    /// let index = Index::wide(&ball, options);
    /// assert!(index.bytes() < 80 * 960);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wide(mesh: &'m Mesh, options: WideOptions) -> Self {
        Self { mesh, method: Method::Wide, tree: Tree::wide(mesh, options) }
    }

    /// Prepares a mesh whose faces are the same as before, at other positions: a step of a body that
    /// deforms. Fails if the number of faces differs.
    ///
    /// A boxtree or a wide tree is fitted to the new positions, which takes half the time of building
    /// it or less, and hardly any memory if there is no copy of this index. Others are built anew.
    ///
    /// ```
    /// use impinge::{Index, Mesh, Method, Pair, Pose, generate};
    ///
    /// let ball = generate::sphere(960)?;
    /// let flat = ball.positions().iter().map(|p| p.with_z(0.5 * p.z)).collect();
    /// let flat = Mesh::new(flat, ball.faces().to_vec())?;
    ///
    /// let index = Index::build(Method::Boxtree, &ball);
    /// let index = index.refitted(&flat)?;
    /// assert!(Pair::from_indices(&index, &index)?.intersects(&Pose::IDENTITY, &Pose::IDENTITY));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refitted<'n>(self, mesh: &'n Mesh) -> Result<Index<'n>, RefitError> {
        let (expected, found) = (self.mesh.faces().len(), mesh.faces().len());
        if expected != found {
            return Err(RefitError { expected, found });
        }
        let tree = self.tree.refitted(self.method, mesh)?;
        Ok(Index { mesh, method: self.method, tree })
    }

    /// What was prepared, as bytes, to be kept and loaded by [`from_bytes`](Self::from_bytes);
    /// nothing for methods that prepare nothing (`brute`), or as fast as a file could be checked
    /// (`boxtree`). The mesh is not in it, only a hash of it.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.tree.to_bytes(self.mesh)
    }

    /// The index of a mesh from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// The bytes may be anything: they are refused unless they are a sound index of this very mesh,
    /// with which queries are right.
    pub fn from_bytes(bytes: &[u8], mesh: &'m Mesh) -> Result<Self, TreeFileError> {
        let (method, tree) = Tree::from_bytes(bytes, mesh)?;
        Ok(Self { mesh, method, tree })
    }

    /// The mesh.
    pub fn mesh(&self) -> &'m Mesh {
        self.mesh
    }

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.method
    }

    /// How many bytes it holds, the mesh itself not counted.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Prepares to search this mesh and another.
    pub(super) fn search(&self, other: &Self) -> Result<Box<dyn Search + 'm>, MethodMismatch> {
        let search = Tree::search((self.mesh, &self.tree), (other.mesh, &other.tree));
        search.ok_or(MethodMismatch { a: self.method, b: other.method })
    }
}

impl fmt::Debug for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("method", &self.method)
            .field("faces", &self.mesh.faces().len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
