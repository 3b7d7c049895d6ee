//! The table of methods, and the handle by which one is chosen.

use super::{
    Load, Prepared, boxtree, brute, face_octree, hull, naive, octree,
    save::{self, TreeFileError},
    tree::{self, methods},
    wide,
};
use crate::{Mesh, Threads};
use std::{
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
    sync::Arc,
};

/// A method: its name, summary, paper, and the functions that build and load its search structure. A row of
/// the table of methods.
///
/// A method of one's own is a static of this type:
///
/// ```
/// use impinge::method::{Method, MethodInfo};
///
/// static MINE: MethodInfo = MethodInfo::new("mine", "as brute", |mesh, threads| {
///     Method::BRUTE.build(mesh, threads)
/// });
/// let method = Method::new(&MINE);
/// assert_eq!(method.name(), "mine");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    name: &'static str,
    summary: &'static str,
    paper: Option<&'static str>,
    build: Build,
    load: Option<(u32, Load)>,
    estimate: Option<Estimate>,
}

/// Prepares a mesh, on so many threads.
type Build = fn(&Mesh, Threads) -> Arc<dyn Prepared>;
/// How many bytes would be prepared of a mesh, given how many nodes a binary tree over it has.
type Estimate = fn(&Mesh, usize) -> usize;

impl MethodInfo {
    /// A method with its name, what it does in a line, and how it prepares a mesh.
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, paper: None, build, load: None, estimate: None }
    }

    /// Sets the paper that describes the method.
    #[must_use]
    pub const fn paper(mut self, paper: &'static str) -> Self {
        self.paper = Some(paper);
        self
    }

    /// Sets the function that loads bytes saved under this kind.
    #[must_use]
    pub const fn loader(mut self, kind: u32, load: Load) -> Self {
        self.load = Some((kind, load));
        self
    }

    /// Sets the function that estimates the size of the search structure without building it.
    #[must_use]
    pub(super) const fn estimate(mut self, estimate: Estimate) -> Self {
        self.estimate = Some(estimate);
        self
    }
}

/// A way to find the faces that might touch: a row of the table of methods. All methods give the same
/// answer; they differ in speed and memory.
///
/// ```
/// use impinge::Method;
///
/// assert_eq!("obb".parse(), Ok(Method::OBB));
/// for method in Method::ALL {
///     println!("{method}: {}", method.summary());
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Method(&'static MethodInfo);

/// The table: a line for each method, which gives it its constant and its row.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $info:path;)*) => {
        impl Method {
            $($(#[$doc])* pub const $name: Self = Self(&$info);)*

            /// All methods, the reference first.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

methods! {
    /// Every face pair whose boxes overlap: the reference that all others are compared with.
    BRUTE = brute::METHOD;
    /// Every face pair, without any bounding volume. Very slow: for comparisons only.
    NAIVE = naive::METHOD;
    /// A tree of oriented boxes with eight children a node, tested eight at a time. The default.
    WIDE = wide::METHOD;
    /// The closest features of the bodies' convex hulls, kept from query to query, before the tree of the default method.
    HULL = hull::METHOD;
    /// A binary tree of axis-aligned boxes.
    AABB = methods::AABB;
    /// A binary tree of spheres.
    SPHERE = methods::SPHERE;
    /// A binary tree of oriented boxes.
    OBB = methods::OBB;
    /// The restricted boxtree: boxes that are stored as one or two planes each. The least memory.
    BOXTREE = boxtree::METHOD;
    /// An octree of cubes that hold faces, moved with the body and compared in cells of space.
    OCTREE = octree::METHOD;
    /// A subdivision of space into cells with faces of two bodies. No index, for bodies that deform, and for all bodies
    /// of a world at once.
    FACE_OCTREE = face_octree::METHOD;
    /// A binary tree of polytopes with 6 facets along the axes.
    DOP6 = methods::DOP6;
    /// A binary tree of polytopes with 8 facets along the corners of a cube.
    DOP8 = methods::DOP8;
    /// A binary tree of polytopes with 12 facets along the edges of a cube.
    DOP12 = methods::DOP12;
    /// A binary tree of polytopes with 14 facets: axes and corners.
    DOP14 = methods::DOP14;
    /// A binary tree of polytopes with 18 facets: axes and edges.
    DOP18 = methods::DOP18;
    /// A binary tree of polytopes with 20 facets: corners and edges.
    DOP20 = methods::DOP20;
    /// A binary tree of polytopes with 26 facets: axes, corners and edges.
    DOP26 = methods::DOP26;
}

impl Method {
    /// A method that is not in the table.
    pub const fn new(info: &'static MethodInfo) -> Self {
        Self(info)
    }

    /// The name by which the command line and reports call it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// The paper that describes it, if there is one.
    pub fn paper(self) -> Option<&'static str> {
        self.0.paper
    }

    /// Prepares a mesh with the method's default options. [`Shape::new`](crate::Shape::new) does this
    /// for callers.
    pub fn build(self, mesh: &Mesh, threads: Threads) -> Arc<dyn Prepared> {
        (self.0.build)(mesh, threads)
    }

    /// Loads what a method of the table saved of a mesh.
    pub(crate) fn load(
        bytes: &[u8],
        mesh: &Mesh,
    ) -> Result<(Self, Arc<dyn Prepared>), TreeFileError> {
        let found = save::saved_kind(bytes)?;
        for &method in Self::ALL {
            if let Some((kind, load)) = method.0.load
                && kind == found
            {
                return Ok((method, load(bytes, mesh)?));
            }
        }
        Err(TreeFileError::UnknownKind { found })
    }

    /// Loads the structure that this method saved of a mesh.
    pub(crate) fn load_own(
        self,
        bytes: &[u8],
        mesh: &Mesh,
    ) -> Result<Arc<dyn Prepared>, TreeFileError> {
        match self.0.load {
            Some((_, load)) => load(bytes, mesh),
            None => Err(TreeFileError::UnknownKind { found: save::saved_kind(bytes)? }),
        }
    }

    /// How many bytes each method of the table would prepare of a mesh, without preparing them all.
    pub fn index_bytes(mesh: &Mesh) -> impl Iterator<Item = (Self, usize)> {
        let binary_nodes = tree::node_count(mesh);
        Self::ALL.iter().map(move |&method| {
            let bytes = match method.0.estimate {
                Some(estimate) => estimate(mesh, binary_nodes),
                None => method.build(mesh, Threads::One).bytes(),
            };
            (method, bytes)
        })
    }
}

impl Default for Method {
    /// The method to take when there is no reason to choose another: [`Method::WIDE`].
    fn default() -> Self {
        Self::WIDE
    }
}

/// Two handles are equal if they name the same row.
impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Method {}

impl Hash for Method {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.name())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no method of the table has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method `{name}`; there are: {}", all_names())]
pub struct UnknownMethod {
    /// The name that was asked for.
    pub name: String,
}

fn all_names() -> String {
    Method::ALL.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let named = Self::ALL.iter().copied().find(|method| method.name() == name);
        named.ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}
