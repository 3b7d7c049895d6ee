//! The mid stage: which faces of two bodies might touch?
//!
//! Every [`Method`] proposes face pairs in its own way, and the exact test of
//! [`narrow`](crate::narrow) decides each. So all methods give the same answer, and they differ
//! only in speed and memory. A [`Pair`] is two meshes prepared by one of them.

pub mod boxtree;
mod brute;
mod distance;
pub mod tree;

use crate::{
    Mesh, Pose,
    volume::{Aabb, Dop, Obb, Sphere},
};
use brute::Brute;
use distance::Goal;
pub use distance::{MeshDistance, ToleranceError};
use std::{fmt, str::FromStr};
use tree::{BvTree, TreeSearch, WalkCounts};

/// A face of one body and a face of another that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacePair {
    /// The face of the first body.
    pub a: u32,
    /// The face of the second body.
    pub b: u32,
}

/// A way to find the faces that might touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Every face pair whose boxes overlap: the reference that all others are measured by.
    Brute,
    /// A tree of axis-aligned boxes.
    Aabb,
    /// A tree of spheres.
    Sphere,
    /// A tree of oriented boxes.
    Obb,
    /// A tree of polytopes with 6 facets along the axes.
    Dop6,
    /// … with 8 facets along the corners of a cube.
    Dop8,
    /// … with 12 facets along the edges of a cube.
    Dop12,
    /// … with 14 facets: axes and corners.
    Dop14,
    /// … with 18 facets: axes and edges.
    Dop18,
    /// … with 20 facets: corners and edges.
    Dop20,
    /// … with 26 facets: axes, corners and edges.
    Dop26,
}

const KLOSOWSKI: &str = "Klosowski 1998, Efficient collision detection for interactive 3D graphics";
const GOTTSCHALK: &str = "Gottschalk, Lin, Manocha 1996, OBBTree";

/// The one place that says which volume the tree of a method is made of.
macro_rules! by_method {
    ($method:expr, brute: $brute:expr, tree $V:ident: $tree:expr) => {
        by_method!(@match $method, $brute, $V, $tree, [
            Aabb: Aabb, Sphere: Sphere, Obb: Obb,
            Dop6: Dop<3>, Dop8: Dop<4>, Dop12: Dop<6>, Dop14: Dop<7>,
            Dop18: Dop<9>, Dop20: Dop<10>, Dop26: Dop<13>,
        ])
    };
    (@match $method:expr, $brute:expr, $V:ident, $tree:expr, [$($name:ident: $volume:ty,)*]) => {
        match $method {
            Method::Brute => $brute,
            $(Method::$name => {
                type $V = $volume;
                $tree
            })*
        }
    };
}

impl Method {
    /// All methods, the reference first.
    pub const ALL: &[Self] = &[
        Self::Brute,
        Self::Aabb,
        Self::Sphere,
        Self::Obb,
        Self::Dop6,
        Self::Dop8,
        Self::Dop12,
        Self::Dop14,
        Self::Dop18,
        Self::Dop20,
        Self::Dop26,
    ];

    /// The name by which the command line and reports call it.
    pub fn name(self) -> &'static str {
        self.describe().0
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        self.describe().1
    }

    /// Where it was described, or nothing for the obvious.
    pub fn paper(self) -> Option<&'static str> {
        self.describe().2
    }

    fn describe(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::Brute => {
                ("brute", "every face pair whose boxes overlap; no index; the reference", None)
            }
            Self::Aabb => ("aabb", "tree of axis-aligned boxes", None),
            Self::Sphere => ("sphere", "tree of spheres", None),
            Self::Obb => ("obb", "tree of oriented boxes", Some(GOTTSCHALK)),
            Self::Dop6 => ("dop6", "tree of 6-DOPs: axes", Some(KLOSOWSKI)),
            Self::Dop8 => ("dop8", "tree of 8-DOPs: corners", Some(KLOSOWSKI)),
            Self::Dop12 => ("dop12", "tree of 12-DOPs: edges", Some(KLOSOWSKI)),
            Self::Dop14 => ("dop14", "tree of 14-DOPs: axes and corners", Some(KLOSOWSKI)),
            Self::Dop18 => ("dop18", "tree of 18-DOPs: axes and edges", Some(KLOSOWSKI)),
            Self::Dop20 => ("dop20", "tree of 20-DOPs: corners and edges", Some(KLOSOWSKI)),
            Self::Dop26 => ("dop26", "tree of 26-DOPs: axes, corners and edges", Some(KLOSOWSKI)),
        }
    }

    /// What the index of each method holds for a mesh, without making them all.
    pub fn index_bytes(mesh: &Mesh) -> impl Iterator<Item = (Self, usize)> {
        let nodes = tree::node_count(mesh);
        let faces = mesh.faces().len();
        Self::ALL.iter().map(move |&method| {
            (method, by_method!(method, brute: 0, tree V: BvTree::<V>::bytes_for(nodes, faces)))
        })
    }

    /// Prepares two meshes.
    fn search<'m>(self, a: &'m Mesh, b: &'m Mesh) -> Box<dyn Search + 'm> {
        by_method!(
            self,
            brute: Box::new(Brute::new(a, b)),
            tree V: Box::new(TreeSearch::<V>::new(a, b))
        )
    }
}

impl Default for Method {
    /// The method to take when there is no reason to choose.
    fn default() -> Self {
        Self::Obb
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Method`] has.
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

/// Two meshes, prepared for queries at any poses.
///
/// ```
/// use impinge::{Pair, Pose, generate, glam::DVec3};
///
/// let ball = generate::sphere(960)?;
/// let mut pair = Pair::new(&ball, &ball);
/// let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
///
/// assert!(pair.intersects(&Pose::IDENTITY, &beside));
/// for contact in pair.contacts(&Pose::IDENTITY, &beside) {
///     println!("face {} touches face {}", contact.a, contact.b);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pair<'m> {
    method: Method,
    search: Box<dyn Search + 'm>,
    contacts: Vec<FacePair>,
}

/// What a method has to offer to be chosen by name. One dynamic call a query, none inside.
trait Search: Send {
    /// Whether any faces touch.
    fn intersects(&mut self, poses: &Poses, threads: Threads) -> bool;
    /// Appends all faces that touch, in any order.
    fn collect(&mut self, poses: &Poses, threads: Threads, contacts: &mut Vec<FacePair>);
    /// Offers to a goal all faces that it cannot skip, in any order.
    fn near(&mut self, poses: &Poses, goal: &mut Goal<'_>);
    /// What the index holds for both meshes, the meshes themselves not counted.
    fn index_bytes(&self) -> usize;
    /// What the last query did; nothing for methods that do not count.
    fn counts(&self) -> WalkCounts {
        WalkCounts::default()
    }
}

/// Where the two bodies stand.
#[derive(Clone, Copy)]
struct Poses {
    a: Pose,
    b: Pose,
}

/// How many threads a query may use. The answer does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The caller's alone.
    #[default]
    One,
    /// All of the current [rayon] pool.
    Pool,
}

impl<'m> Pair<'m> {
    /// Prepares two meshes by the default method.
    pub fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        Self::with_method(Method::default(), a, b)
    }

    /// Prepares two meshes by a method of choice.
    pub fn with_method(method: Method, a: &'m Mesh, b: &'m Mesh) -> Self {
        Self { method, search: method.search(a, b), contacts: Vec::new() }
    }

    /// Returns whether any face of `a` touches any face of `b` at these poses.
    ///
    /// Exact: closed triangles, touching counts, no tolerance. Surfaces only: a body wholly inside
    /// another touches nothing. For the faces that touch see [`contacts`](Self::contacts).
    pub fn intersects(&mut self, pose_a: &Pose, pose_b: &Pose) -> bool {
        self.intersects_on(Threads::One, pose_a, pose_b)
    }

    /// [`intersects`](Self::intersects), on more than one thread.
    pub fn intersects_on(&mut self, threads: Threads, pose_a: &Pose, pose_b: &Pose) -> bool {
        self.search.intersects(&Poses { a: *pose_a, b: *pose_b }, threads)
    }

    /// Returns all faces that touch at these poses, sorted, each pair once.
    ///
    /// The list is the same for every method and any number of threads. It lives in a buffer that
    /// the next query reuses.
    pub fn contacts(&mut self, pose_a: &Pose, pose_b: &Pose) -> &[FacePair] {
        self.contacts_on(Threads::One, pose_a, pose_b)
    }

    /// [`contacts`](Self::contacts), on more than one thread.
    pub fn contacts_on(&mut self, threads: Threads, pose_a: &Pose, pose_b: &Pose) -> &[FacePair] {
        self.contacts.clear();
        self.search.collect(&Poses { a: *pose_a, b: *pose_b }, threads, &mut self.contacts);
        self.contacts.sort_unstable();
        &self.contacts
    }

    /// Returns the least distance between the two surfaces at these poses, and where it is attained;
    /// `None` if one of the meshes has no faces.
    ///
    /// It is 0 exactly if the meshes touch, and otherwise within a relative 1e-12 of the true
    /// minimum over the placed triangles. All methods return the same, down to the last bit: of
    /// several pairs of faces that are equally close, the first.
    ///
    /// ```
    /// use impinge::{Pair, Pose, generate, glam::DVec3};
    ///
    /// let ball = generate::sphere(960)?;
    /// let mut pair = Pair::new(&ball, &ball);
    /// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
    /// let gap = pair.distance(&Pose::IDENTITY, &beside).ok_or("no faces")?;
    /// assert!(gap.distance >= 1.0 && gap.distance < 1.1);
    /// assert!(!pair.is_within(0.9, &Pose::IDENTITY, &beside)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(&mut self, pose_a: &Pose, pose_b: &Pose) -> Option<MeshDistance> {
        let mut goal = Goal::Least(None);
        self.search.near(&Poses { a: *pose_a, b: *pose_b }, &mut goal);
        if let Goal::Least(least) = goal { least } else { None }
    }

    /// Returns whether any two faces are at most `tolerance` apart at these poses.
    ///
    /// With 0 this is [`intersects`](Self::intersects), exactly. Otherwise distances are as in
    /// [`distance`](Self::distance), so that faces whose true distance is within a relative 1e-12
    /// of the tolerance may count either way, but for every method the same. Fails if the tolerance
    /// is negative or not a number.
    pub fn is_within(
        &mut self,
        tolerance: f64,
        pose_a: &Pose,
        pose_b: &Pose,
    ) -> Result<bool, ToleranceError> {
        let tolerance = distance::checked(tolerance)?;
        if tolerance == 0.0 {
            return Ok(self.intersects(pose_a, pose_b));
        }
        let mut goal = Goal::Any { tolerance, is_found: false };
        self.search.near(&Poses { a: *pose_a, b: *pose_b }, &mut goal);
        Ok(matches!(goal, Goal::Any { is_found: true, .. }))
    }

    /// Returns all faces that are at most `tolerance` apart at these poses, sorted, each pair once.
    ///
    /// With 0 these are the [`contacts`](Self::contacts), exactly. Otherwise as in
    /// [`is_within`](Self::is_within). The list lives in a buffer that the next query reuses.
    pub fn faces_within(
        &mut self,
        tolerance: f64,
        pose_a: &Pose,
        pose_b: &Pose,
    ) -> Result<&[FacePair], ToleranceError> {
        let tolerance = distance::checked(tolerance)?;
        if tolerance == 0.0 {
            return Ok(self.contacts(pose_a, pose_b));
        }
        self.contacts.clear();
        let mut goal = Goal::All { tolerance, pairs: &mut self.contacts };
        self.search.near(&Poses { a: *pose_a, b: *pose_b }, &mut goal);
        self.contacts.sort_unstable();
        Ok(&self.contacts)
    }

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What the last query of [`contacts`](Self::contacts) or [`intersects`](Self::intersects) did;
    /// all zero for `brute`.
    pub fn counts(&self) -> WalkCounts {
        self.search.counts()
    }

    /// How many bytes the index holds for both meshes, the meshes themselves not counted.
    pub fn index_bytes(&self) -> usize {
        self.search.index_bytes()
    }
}

impl fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair")
            .field("method", &self.method)
            .field("index_bytes", &self.index_bytes())
            .finish_non_exhaustive()
    }
}
