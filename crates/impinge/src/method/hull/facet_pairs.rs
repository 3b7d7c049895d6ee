//! All facets of two hulls whose boxes overlap, by sweep and prune.

use crate::{
    Bounds, Pose,
    convex::{Coverage, Polytope},
};
use glam::DVec3;

/// Facets of two hulls whose bounding boxes overlap, and whether faces of the meshes cover them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FacetPair {
    /// A facet of each hull.
    pub facets: [u32; 2],
    /// Whether each is covered by faces of its mesh.
    pub are_red: [bool; 2],
}

/// Finds the facets of two overlapping hulls that may cross, by sweep and prune (Lin et al. 1996, section 3): the boxes of
/// the facets are sorted along one axis, and the order is kept from query to query, so that little is to be sorted when bodies
/// move little.
///
/// The method `hull` does not use this: it follows one crossing of the two surfaces, and leaves the rest to the tree, which
/// is faster (docs/benchmarks.md).
///
/// ```
/// use impinge::{Pose, convex::{Coverage, Polytope}, generate, glam::DVec3, method::hull::FacetPairs};
///
/// let ball = generate::icosphere(3)?;
/// let hull = Polytope::new(ball.positions())?;
/// let coverage = Coverage::new(&hull, &ball);
/// let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
/// let mut pairs = FacetPairs::new();
/// let found = pairs.find((&hull, &coverage, &Pose::IDENTITY), (&hull, &coverage, &beside));
/// assert!(!found.is_empty() && found.iter().all(|pair| pair.are_red == [true, true]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct FacetPairs {
    a: Sorted,
    b: Sorted,
    pairs: Vec<FacetPair>,
}

/// The boxes of the facets of a hull, sorted by where they begin along x.
#[derive(Debug, Default)]
struct Sorted {
    corners: Vec<DVec3>,
    boxes: Vec<Bounds>,
    order: Vec<u32>,
}

/// A hull, its coverage by the mesh, and where it stands.
type PlacedCoverage<'p> = (&'p Polytope, &'p Coverage, &'p Pose);

impl FacetPairs {
    /// Nothing is sorted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all pairs of facets whose boxes overlap, sorted by facet.
    pub fn find(&mut self, a: PlacedCoverage<'_>, b: PlacedCoverage<'_>) -> &[FacetPair] {
        let Self { a: sorted_a, b: sorted_b, pairs } = self;
        sorted_a.place(a.0, a.2);
        sorted_b.place(b.0, b.2);
        pairs.clear();
        let mut add = |facets: [u32; 2]| {
            let are_red = [a.1.is_red(facets[0]), b.1.is_red(facets[1])];
            pairs.push(FacetPair { facets, are_red });
        };
        // Two intervals overlap exactly if one begins within the other.
        sorted_a.sweep(sorted_b, |x, y| x <= y, &mut |facet_a, facet_b| add([facet_a, facet_b]));
        sorted_b.sweep(sorted_a, |x, y| x < y, &mut |facet_b, facet_a| add([facet_a, facet_b]));
        pairs.sort_unstable_by_key(|pair| pair.facets);
        pairs
    }
}

impl Sorted {
    /// Places the facets, and sorts them again from the order of the last time.
    fn place(&mut self, polytope: &Polytope, pose: &Pose) {
        let hull = polytope.hull();
        self.corners.clear();
        self.corners.extend(hull.positions().iter().map(|&position| pose.place(position)));
        self.boxes.clear();
        let corners = &self.corners;
        let at = |&vertex: &u32| corners[vertex as usize];
        self.boxes.extend(hull.facets().map(|facet| Bounds::enclosing(facet.iter().map(at))));
        let boxes = &self.boxes;
        let begin = |facet: u32| boxes[facet as usize].min.x;
        if self.order.len() != boxes.len() {
            self.order.clear();
            self.order.extend(0..boxes.len() as u32);
            self.order.sort_unstable_by(|&p, &q| begin(p).total_cmp(&begin(q)));
            return;
        }
        insertion_sort(&mut self.order, begin);
    }

    /// Visits the facets of `other` that begin within each facet of this hull and whose boxes overlap its box. `precedes`
    /// says whether this one begins early enough.
    fn sweep(
        &self,
        other: &Self,
        precedes: impl Fn(f64, f64) -> bool,
        visit: &mut dyn FnMut(u32, u32),
    ) {
        let mut first = 0;
        for &facet in &self.order {
            let bounds = &self.boxes[facet as usize];
            let begin = |place: usize| other.boxes[other.order[place] as usize].min.x;
            while first < other.order.len() && !precedes(bounds.min.x, begin(first)) {
                first += 1;
            }
            for place in first..other.order.len() {
                let candidate = other.order[place];
                if begin(place) > bounds.max.x {
                    break;
                }
                if bounds.overlaps(&other.boxes[candidate as usize]) {
                    visit(facet, candidate);
                }
            }
        }
    }
}

/// Sorts what is nearly sorted. Falls back to another algorithm if it is not.
fn insertion_sort(order: &mut [u32], key: impl Fn(u32) -> f64) {
    let mut moves = 8 * order.len() + 64;
    for i in 1..order.len() {
        let mut place = i;
        while place > 0 && key(order[place - 1]) > key(order[place]) {
            order.swap(place - 1, place);
            place -= 1;
            moves -= 1;
            if moves == 0 {
                order.sort_unstable_by(|&p, &q| key(p).total_cmp(&key(q)));
                return;
            }
        }
    }
}
