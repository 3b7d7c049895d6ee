//! One shape and itself: which of its faces are in contact?

use super::{Shape, searcher::Searcher};
use crate::{FacePair, Threads, method::SharedBy};

impl Shape {
    /// Starts a query for contacts of the body with itself: pairs of its faces, taken in the mesh's own coordinates.
    ///
    /// Two different faces are in contact if
    ///
    /// - they have no common vertex, and share a point, as faces of two bodies do;
    /// - they have one or two common vertices, and share a point besides: a point that is not the common vertex, or not
    ///   on the common edge. Neighbours in a surface are therefore not in contact, neighbours that are folded onto each
    ///   other are, and so are faces that pass through each other from a common vertex on;
    /// - they have the same vertices.
    ///
    /// A vertex is common if it has the same index in both faces, or, with [`SharedBy::Position`], the same position.
    /// The decision is exact, without any tolerance, and the same for every method and any number of threads. A pose
    /// does not matter: the faces of a rigid body keep their places relative to each other.
    ///
    /// ```
    /// use impinge::{FacePair, Mesh, Shape, glam::DVec3};
    ///
    /// // Three faces in a fan around vertex 0. The third is folded back over the first.
    /// let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5]];
    /// let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    /// let fan = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    /// assert_eq!(Shape::new(fan).self_query().contacts(), [FacePair { a: 0, b: 1 }]);
    ///
    /// let ball = Shape::new(impinge::generate::sphere(960)?);
    /// assert!(!ball.self_query().intersects());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn self_query(&self) -> SelfQuery<'_> {
        SelfQuery { shape: self, shared_by: SharedBy::default(), threads: Threads::One }
    }
}

/// A query for contacts of a body with itself: see [`Shape::self_query`].
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is asked yet"]
pub struct SelfQuery<'s> {
    shape: &'s Shape,
    shared_by: SharedBy,
    threads: Threads,
}

impl SelfQuery<'_> {
    /// Sets which vertices of two faces are the same; those with the same index by default.
    pub fn shared_by(mut self, shared_by: SharedBy) -> Self {
        self.shared_by = shared_by;
        self
    }

    /// Sets the number of threads for all contacts. The answer does not depend on it.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Returns whether any two faces are in contact. Uses one thread.
    pub fn intersects(self) -> bool {
        Searcher::of_thread(|searcher| searcher.any_self_contact(self.shape, self.shared_by))
            .is_some()
    }

    /// Returns all pairs of faces in contact, sorted, each once and with the lower face first.
    pub fn contacts(self) -> Vec<FacePair> {
        let mut contacts = Vec::new();
        self.contacts_into(&mut contacts);
        contacts
    }

    /// The same in a list of the caller, which is cleared first. Allocates nothing once the list and the memory of the
    /// calling thread have grown.
    pub fn contacts_into(self, contacts: &mut Vec<FacePair>) {
        contacts.clear();
        let Self { shape, shared_by, threads } = self;
        Searcher::of_thread(|searcher| {
            searcher.self_contacts(shape, shared_by, threads, contacts);
        });
    }
}
