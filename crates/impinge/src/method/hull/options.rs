//! Options of the method `hull`.

/// Options of the method `hull`. They affect speed, never the answers of queries.
///
/// ```
/// use impinge::{Method, Shape, generate};
/// use impinge::method::hull::{HullOptions, Separation};
///
/// let options = HullOptions::default().separation(Separation::Planes);
/// assert_eq!(Shape::build(options, generate::sphere(528)?).method(), Method::HULL);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HullOptions {
    /// How hulls are proven to be apart. The first body of a pair decides.
    pub separation: Separation,
}

impl HullOptions {
    /// Sets how hulls are proven to be apart.
    #[must_use]
    pub const fn separation(mut self, separation: Separation) -> Self {
        self.separation = separation;
        self
    }
}

/// How two hulls are proven to be apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Separation {
    /// By their closest features, followed from query to query ([`Tracker`](crate::convex::Tracker)).
    #[default]
    Features,
    /// By a plane between them, kept as long as it separates them ([`SeparatingPlane`](crate::convex::SeparatingPlane)).
    Planes,
    /// By [`Gjk`](crate::convex::Gjk), with a warm start.
    Gjk,
}
