//! A convex hull with what searches on its surface need: planes, neighbours, and where to start.

use super::{Hull, HullEdge, HullError, HullKind};
use crate::{Bounds, Pose, narrow::compare_along};
use glam::DVec3;

/// A vertex, an edge or a facet of a hull, by its number in [`Hull`].
///
/// A hull whose points all lie in a plane has two facets here, one for each side: 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A vertex: an index into [`Hull::vertices`].
    Vertex(u32),
    /// An edge: an index into [`Hull::edges`].
    Edge(u32),
    /// A facet: its position in [`Hull::facets`].
    Facet(u32),
}

/// A convex hull that is prepared for distances, separating planes and penetration depths.
///
/// Takes memory and time in proportion to the hull, besides the hull itself. It knows no pose: queries name one for each
/// of the two bodies.
///
/// ```
/// use impinge::{Pose, convex::{Polytope, Tracker}, generate, glam::DVec3};
///
/// let ball = Polytope::new(generate::sphere(960)?.positions())?;
/// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
/// let found = Tracker::new().distance((&ball, &Pose::IDENTITY), (&ball, &beside));
/// assert!(found.distance >= 1.0 && found.distance < 1.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polytope {
    hull: Hull,
    /// The center of the bounding box, and the power of two that brings half its longest side to 0.5 to 1.
    center: DVec3,
    scale: f64,
    inverse_scale: f64,
    /// The largest magnitude of a coordinate, in the unit of the points.
    coordinate: f64,
    /// An upper bound on the length of every corner.
    radius: f64,
    /// The vertices of the hull from the center on, divided by the scale. Here and below, lengths have this unit.
    corners: Vec<DVec3>,
    /// The mean of the corners: strictly inside, if the hull has an inside.
    middle: DVec3,
    /// The neighbours of all vertices in one list, and where each vertex's neighbours end.
    spokes: Vec<Spoke>,
    spoke_ends: Vec<u32>,
    edges: Vec<Edge>,
    facets: Vec<Facet>,
    /// The edges of all facets in one list, in order around each. [`Facet::rim_end`] says where a facet ends.
    rims: Vec<Rim>,
    /// For each cell of a cube map of directions, a vertex that is far along them.
    starts: Vec<u32>,
    /// The number of cells along an edge of the cube.
    cells: u32,
    is_flat: bool,
}

/// A neighbour of a vertex, and the edge that leads there.
///
/// The vector is stored, although it follows from the corners: the neighbours of a vertex are then read from one place in
/// memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoke {
    /// From the vertex to the neighbour.
    pub(super) along: DVec3,
    pub(super) vertex: u32,
    pub(super) edge: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) vertices: [u32; 2],
    /// As in [`HullEdge`]; [`NONE`] for a hull that is a segment.
    pub(super) facets: [u32; 2],
    /// For each of the two facets, the unit vector in its plane that points into it, at right angles to the edge.
    pub(super) inward: [DVec3; 2],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// The outward normal, of unit length, rounded.
    pub(super) normal: DVec3,
    /// An upper bound on `corner · normal` over all corners of the hull, to a few roundings.
    pub(super) top: f64,
    rim_end: u32,
}

/// An edge of a facet, and which of the edge's two facets it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    pub(super) edge: u32,
    pub(super) side: u32,
}

/// Stands for no facet.
pub(super) const NONE: u32 = u32::MAX;

/// A bound on the error of a scalar product of a corner, or of the difference of two corners, with a direction: relative
/// to the radius and the length of the direction.
///
/// A corner is rounded once, relative to itself, and divided by a power of two. A difference adds a rounding, and the three
/// products and two sums three more: 5 units of half an epsilon of at most 2 radii, times √3.
pub(super) const HEIGHT_ERROR: f64 = 10.0 * f64::EPSILON;

impl Polytope {
    /// The hull of points, prepared. Fails for coordinates that are not finite.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        Hull::new(points).map(Self::from)
    }

    /// The hull.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// How many bytes it holds, with the hull.
    pub fn bytes(&self) -> usize {
        self.hull.bytes()
            + size_of_val(&*self.corners)
            + size_of_val(&*self.spokes)
            + size_of_val(&*self.spoke_ends)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.facets)
            + size_of_val(&*self.rims)
            + size_of_val(&*self.starts)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Whether a feature of another hull would be one of this hull, too: whether its number is in range.
    pub(super) fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Vertex(vertex) => (vertex as usize) < self.corners.len(),
            Feature::Edge(edge) => (edge as usize) < self.edges.len(),
            Feature::Facet(facet) => (facet as usize) < self.facets.len(),
        }
    }

    /// Whether all points lie in a plane: facet 0 is the front, and facet 1 the back.
    #[inline]
    pub(super) fn is_flat(&self) -> bool {
        self.is_flat
    }

    pub(super) fn center(&self) -> DVec3 {
        self.center
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// The inverse of the scale, which is a power of two.
    pub(super) fn inverse_scale(&self) -> f64 {
        self.inverse_scale
    }

    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    pub(super) fn middle(&self) -> DVec3 {
        self.middle
    }

    /// A bound on the distance between a placed point of the hull and the place where it would be without rounding.
    pub(super) fn rounding(&self, pose: &Pose) -> f64 {
        1.75 * pose.rounding(self.coordinate)
    }

    #[inline(always)]
    pub(super) fn corner(&self, vertex: u32) -> DVec3 {
        self.corners[vertex as usize]
    }

    #[inline(always)]
    pub(super) fn spokes(&self, vertex: u32) -> &[Spoke] {
        let vertex = vertex as usize;
        let begin = vertex.checked_sub(1).map_or(0, |before| self.spoke_ends[before]);
        &self.spokes[begin as usize..self.spoke_ends[vertex] as usize]
    }

    #[inline(always)]
    pub(super) fn edge(&self, edge: u32) -> &Edge {
        &self.edges[edge as usize]
    }

    /// Both ends of an edge.
    #[inline(always)]
    pub(super) fn segment(&self, edge: u32) -> [DVec3; 2] {
        let [v, w] = self.edge(edge).vertices;
        [self.corner(v), self.corner(w)]
    }

    #[inline(always)]
    pub(super) fn facet(&self, facet: u32) -> &Facet {
        &self.facets[facet as usize]
    }

    /// The edges of a facet, in order around it.
    #[inline(always)]
    pub(super) fn rim(&self, facet: u32) -> &[Rim] {
        let facet = facet as usize;
        let begin = facet.checked_sub(1).map_or(0, |before| self.facets[before].rim_end);
        &self.rims[begin as usize..self.facets[facet].rim_end as usize]
    }

    /// The vertices of a feature.
    pub(super) fn vertices_of(&self, feature: Feature) -> impl Iterator<Item = u32> {
        let (vertex, edge, facet) = match feature {
            Feature::Vertex(vertex) => (Some(vertex), None, None),
            Feature::Edge(edge) => (None, Some(edge), None),
            Feature::Facet(facet) => (None, None, Some(facet)),
        };
        let ends = edge.into_iter().flat_map(|edge| self.edge(edge).vertices);
        let around = facet.into_iter().flat_map(|facet| self.rim(facet));
        let around = around.map(|rim| self.edge(rim.edge).vertices[rim.side as usize]);
        vertex.into_iter().chain(ends).chain(around)
    }

    /// The facets that contain a feature.
    pub(crate) fn facets_at(&self, feature: Feature, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(facet) => visit(facet),
            Feature::Edge(edge) => {
                self.edge(edge).facets.into_iter().filter(|&facet| facet != NONE).for_each(visit);
            }
            // Each facet at a vertex begins with the vertex along one of its edges.
            Feature::Vertex(vertex) => {
                for spoke in self.spokes(vertex) {
                    let edge = self.edge(spoke.edge);
                    let side = usize::from(edge.vertices[0] != vertex);
                    if edge.facets[side] != NONE {
                        visit(edge.facets[side]);
                    }
                }
            }
        }
    }

    /// A vertex that is far along a direction: where a climb along it starts.
    #[inline]
    pub(super) fn start(&self, direction: DVec3) -> u32 {
        self.starts[cell(direction, self.cells) as usize]
    }

    /// Climbs from a vertex to one that is furthest along a direction, as far as floating point tells.
    #[inline]
    pub(super) fn climb(&self, start: u32, direction: DVec3) -> u32 {
        let mut best = start;
        let mut height = self.corner(start).dot(direction);
        loop {
            let (mut next, mut rise) = (best, 0.0);
            for spoke in self.spokes(best) {
                let other = spoke.along.dot(direction);
                if other > rise {
                    (next, rise) = (spoke.vertex, other);
                }
            }
            if next == best {
                return best;
            }
            // Rounding could lead in a circle of tiny rises; heights cannot.
            let next_height = self.corner(next).dot(direction);
            let is_higher = next_height > height;
            if !is_higher {
                return best;
            }
            (best, height) = (next, next_height);
        }
    }

    /// Climbs from a vertex to one that is furthest along a direction. Exact: no other vertex lies further.
    ///
    /// A vertex that lies as far as all its neighbours is the furthest of all, because the hull is convex. That holds only
    /// if the comparisons are exact, so those that floating point cannot decide are made in integers.
    pub(super) fn furthest(&self, start: u32, direction: DVec3) -> u32 {
        let mut best = self.climb(start, direction);
        let margin = HEIGHT_ERROR * self.radius * direction.length();
        // Range errors leave every comparison to the exact test.
        let margin = if margin > 1e-250 && margin < 1e250 { margin } else { f64::INFINITY };
        let at = |vertex: u32| self.hull.positions()[vertex as usize];
        loop {
            let is_further = |spoke: &&Spoke| {
                let is_lower = spoke.along.dot(direction) < -margin;
                !is_lower && compare_along(direction, at(best), at(spoke.vertex)) > 0
            };
            match self.spokes(best).iter().find(is_further) {
                Some(spoke) => best = spoke.vertex,
                None => return best,
            }
        }
    }

    /// Computes the tops of the facets, which begin as those of their own corners.
    fn raise_tops(&mut self) {
        for facet in 0..self.facets.len() as u32 {
            let normal = self.facet(facet).normal;
            let Some(rim) = self.rim(facet).first() else { continue };
            let start = self.edge(rim.edge).vertices[rim.side as usize];
            let top = self.corner(self.furthest(start, normal)).dot(normal);
            self.facets[facet as usize].top = top + HEIGHT_ERROR * self.radius;
        }
    }

    /// Fills the cube map. Neighbouring cells have neighbouring vertices, so each climb is short.
    fn find_starts(&mut self) {
        self.cells = ((self.corners.len() as f64 / 24.0).sqrt().ceil() as u32).max(1);
        if self.corners.is_empty() {
            return;
        }
        let (cells, mut last) = (self.cells, 0);
        self.starts = Vec::with_capacity(6 * (cells * cells) as usize);
        for index in 0..6 * cells * cells {
            last = self.climb(last, cell_direction(index, cells));
            self.starts.push(last);
        }
    }
}

/// The hull of no points.
impl Default for Polytope {
    fn default() -> Self {
        Self::from(Hull::default())
    }
}

impl From<Hull> for Polytope {
    fn from(hull: Hull) -> Self {
        let bounds = Bounds::enclosing(hull.positions().iter().copied());
        let is_empty = bounds.is_empty();
        let center = if is_empty { DVec3::ZERO } else { bounds.center() };
        let half = if is_empty {
            0.0
        } else {
            (bounds.max - center).max(center - bounds.min).max_element()
        };
        let scale = power_of_two_above(half);
        let corners: Vec<DVec3> = hull.positions().iter().map(|&p| (p - center) / scale).collect();
        let longest = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let middle = corners.iter().copied().sum::<DVec3>() / corners.len().max(1) as f64;
        let (spokes, spoke_ends) = spokes_of(&hull, &corners);
        let mut polytope = Self {
            coordinate: if is_empty { 0.0 } else { bounds.largest_coordinate() },
            center,
            scale,
            inverse_scale: scale.recip(),
            radius: longest * (1.0 + 8.0 * f64::EPSILON),
            middle,
            spokes,
            spoke_ends,
            edges: Vec::new(),
            facets: Vec::new(),
            rims: Vec::new(),
            starts: Vec::new(),
            cells: 1,
            is_flat: hull.shape() == HullKind::Polygon,
            corners,
            hull,
        };
        polytope.make_facets();
        polytope.raise_tops();
        polytope.find_starts();
        polytope
    }
}

impl Polytope {
    /// Makes the facets and edges, with normals. A polygon gets a facet for each of its sides.
    fn make_facets(&mut self) {
        let around: Vec<u32> = (0..self.corners.len() as u32).collect();
        let back: Vec<u32> = around.iter().rev().copied().collect();
        let (flat, hull) = ([&around[..], &back[..]], self.hull.clone());
        let facets: Vec<&[u32]> =
            if self.is_flat { flat.to_vec() } else { hull.facets().collect() };
        let edge_facets = |edge: &HullEdge| match hull.shape() {
            HullKind::Polytope => edge.facets,
            // The vertices of a polygon are in order around it; only the last edge runs from the first to the last.
            HullKind::Polygon if edge.vertices[0] + 1 == edge.vertices[1] => [0, 1],
            HullKind::Polygon => [1, 0],
            _ => [NONE; 2],
        };
        self.edges = hull
            .edges()
            .iter()
            .map(|edge| Edge {
                vertices: edge.vertices,
                facets: edge_facets(edge),
                inward: [DVec3::ZERO; 2],
            })
            .collect();
        for (facet, around) in (0..).zip(facets) {
            let normal = normal_of(around, |vertex| self.corner(vertex));
            for (i, &from) in around.iter().enumerate() {
                let to = around[(i + 1) % around.len()];
                let spoke = self.spokes(from).iter().find(|spoke| spoke.vertex == to);
                let Some(edge) = spoke.map(|spoke| spoke.edge) else { continue };
                let along = self.corner(to) - self.corner(from);
                let side = usize::from(self.edge(edge).vertices[0] != from);
                debug_assert_eq!(self.edge(edge).facets[side], facet, "the facet runs this way");
                self.edges[edge as usize].inward[side] = normal.cross(along).normalize_or_zero();
                self.rims.push(Rim { edge, side: side as u32 });
            }
            let rim_end = self.rims.len() as u32;
            self.facets.push(Facet { normal, top: 0.0, rim_end });
        }
        self.rims.shrink_to_fit();
        self.facets.shrink_to_fit();
    }
}

/// The neighbours of each vertex with the edges that lead there, in one list, and where each vertex's neighbours end.
fn spokes_of(hull: &Hull, corners: &[DVec3]) -> (Vec<Spoke>, Vec<u32>) {
    let mut all: Vec<(u32, Spoke)> = Vec::with_capacity(2 * hull.edges().len());
    for (edge, HullEdge { vertices: [p, q], .. }) in (0..).zip(hull.edges()) {
        let along = corners[*q as usize] - corners[*p as usize];
        all.push((*p, Spoke { along, vertex: *q, edge }));
        all.push((*q, Spoke { along: -along, vertex: *p, edge }));
    }
    all.sort_by_key(|(from, _)| *from);
    let mut ends = vec![0; corners.len()];
    for (from, _) in &all {
        ends[*from as usize] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    let mut spokes: Vec<Spoke> = all.into_iter().map(|(_, spoke)| spoke).collect();
    spokes.shrink_to_fit();
    (spokes, ends)
}

/// The unit normal of a convex polygon, counter-clockwise as seen from where it points (Newell's sum, from a corner).
fn normal_of(around: &[u32], at: impl Fn(u32) -> DVec3) -> DVec3 {
    let Some(&first) = around.first() else { return DVec3::ZERO };
    let origin = at(first);
    let pairs = around.windows(2).map(|pair| (at(pair[0]) - origin).cross(at(pair[1]) - origin));
    let sum: DVec3 = pairs.sum();
    // Thin facets have tiny areas: scaled first, so that their squares do not underflow.
    let largest = sum.abs().max_element();
    if largest > 0.0 { (sum / largest).normalize() } else { DVec3::ZERO }
}

/// The least power of two above a length; 1 for 0.
fn power_of_two_above(length: f64) -> f64 {
    if length == 0.0 {
        return 1.0;
    }
    let (_, exponent) = libm::frexp(length);
    libm::ldexp(1.0, exponent.clamp(-1000, 1000))
}

/// The cell of a cube map with `cells` by `cells` cells on each side that contains a direction.
#[inline]
fn cell(direction: DVec3, cells: u32) -> u32 {
    let size = direction.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let main = direction[axis];
    let (u, v) = (direction[(axis + 1) % 3], direction[(axis + 2) % 3]);
    let half = 0.5 * f64::from(cells);
    // Not a number, for a zero direction, becomes cell 0.
    let place = |x: f64| ((x / main.abs() + 1.0) * half).min(f64::from(cells - 1)) as u32;
    let side = 2 * axis as u32 + u32::from(main < 0.0);
    (side * cells + place(u).min(cells - 1)) * cells + place(v).min(cells - 1)
}

/// The direction in the middle of a cell.
fn cell_direction(index: u32, cells: u32) -> DVec3 {
    let (side, u, v) = (index / (cells * cells), index / cells % cells, index % cells);
    let place = |i: u32| (f64::from(i) + 0.5) / f64::from(cells) * 2.0 - 1.0;
    let (axis, mut direction) = (side as usize / 2, DVec3::ZERO);
    direction[axis] = if side % 2 == 0 { 1.0 } else { -1.0 };
    direction[(axis + 1) % 3] = place(u);
    direction[(axis + 2) % 3] = place(v);
    direction
}
