//! The mid stage: which faces of two bodies might touch?
//!
//! Every [`Method`] proposes face pairs in its own way, and the exact test of
//! [`narrow`](crate::narrow) decides each. So all methods give the same answer, and they differ
//! only in speed and memory. A [`Pair`] is two meshes prepared by one of them.

mod brute;

use crate::{Mesh, Pose};
use std::{fmt, str::FromStr};

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
}

impl Method {
    /// All methods, the reference first.
    pub const ALL: &[Self] = &[Self::Brute];

    /// The name by which the command line and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brute => "brute",
        }
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Brute => "every face pair whose boxes overlap; no index; the reference",
        }
    }

    /// Where it was described, or nothing for the obvious.
    pub fn paper(self) -> Option<&'static str> {
        match self {
            Self::Brute => None,
        }
    }
}

impl Default for Method {
    /// The method to take when there is no reason to choose.
    fn default() -> Self {
        Self::Brute
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
    /// What the index holds for both meshes, the meshes themselves not counted.
    fn index_bytes(&self) -> usize;
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
        let search = match method {
            Method::Brute => Box::new(brute::Brute::new(a, b)),
        };
        Self { method, search, contacts: Vec::new() }
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

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.method
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
