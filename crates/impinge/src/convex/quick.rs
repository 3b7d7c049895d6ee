//! Quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact signs.
//!
//! A point is *above* a triangle if it lies strictly beyond its plane, which is decided exactly. This
//! excludes the failures that are usual with rounding:
//!
//! - The triangles that a new point is above form a disk, whose rim is a simple cycle. (Seen from the point
//!   moved inward by an infinitesimal, they are the front, and the rim is the outline.)
//! - No new triangle is degenerate: a point collinear with an edge of the rim would not be above the triangle
//!   that is removed there.
//! - A point that was above a removed triangle is above a new one, or inside. (The part of the old hull it
//!   saw was connected, so it saw both triangles at some edge of the rim, and the new triangle there lies
//!   between the two.)

use crate::narrow::orient3d;
use glam::DVec3;

/// Stands for no point, or no facet.
const NONE: u32 = u32::MAX;

/// A triangle of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// The corners, counter-clockwise as seen from outside.
    pub(super) corners: [u32; 3],
    /// The triangle across the edge from corner i to the next.
    pub(super) neighbours: [u32; 3],
    pub(super) plane: Plane,
    /// The first point of this facet's list: points above it that are on no other facet's list.
    first: u32,
    /// The highest point of the list, and its height.
    highest: u32,
    height: f64,
    /// The last point that was compared with the plane, and whether it was above.
    seen: u32,
    is_above: bool,
}

/// A plane through three points, prepared for side tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    corners: [DVec3; 3],
    normal: DVec3,
    /// A bound on the error of [`height`](Self::height).
    bound: f64,
}

impl Plane {
    /// The plane through three corners, for points that differ by at most `extent` along each axis.
    ///
    /// A height `u × v · w` is a sum of six products of three differences, and each product passes through
    /// eight roundings: 8 units of the products' magnitudes in first order, and one more for the higher
    /// orders. If the sum of the magnitudes exceeds 1e-200 and no difference exceeds 1e102, that unit covers
    /// underflow too (as derived for the filter of the triangle test). Otherwise, and for NaN, the bound is
    /// infinite.
    fn new(corners: [DVec3; 3], extent: DVec3) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (b - a, c - a);
        let (p, q) = (u.abs(), v.abs());
        let products = DVec3::new(
            p.y * q.z + p.z * q.y, //
            p.z * q.x + p.x * q.z,
            p.x * q.y + p.y * q.x,
        );
        let magnitude = products.dot(extent);
        let in_range = magnitude > 1e-200 && extent.max_element() < 1e102;
        let bound = if in_range { 4.5 * f64::EPSILON * magnitude } else { f64::INFINITY };
        Self { corners, normal: u.cross(v), bound }
    }

    /// The height of a point above the plane, times a factor, rounded.
    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.corners[0])
    }

    /// The side of the plane on which a point lies, given its rounded height: 1 above, 0 in the plane, −1
    /// below.
    #[inline]
    fn side_at(&self, height: f64, point: DVec3) -> i32 {
        if height > self.bound {
            1
        } else if height < -self.bound {
            -1
        } else {
            let [a, b, c] = self.corners;
            orient3d(a, b, c, point)
        }
    }

    /// The side of the plane on which a point lies: 1 above, 0 in the plane, −1 below.
    #[inline]
    pub(super) fn side(&self, point: DVec3) -> i32 {
        self.side_at(self.height(point), point)
    }
}

struct Builder<'p> {
    points: &'p [DVec3],
    extent: DVec3,
    facets: Vec<Facet>,
    /// Unused positions in `facets`.
    free: Vec<u32>,
    /// The next point in the list of a facet.
    next: Vec<u32>,
    /// Indexed by point: the new facet whose rim edge begins at the point.
    facet_from: Vec<u32>,
    /// A point strictly inside the hull, if one was found.
    inside: Option<DVec3>,
    /// The wedges of the new facets, if these are many.
    wedges: Vec<Wedge>,
}

/// A wedge of space between two half-planes that are bounded by a common line, which passes through the new
/// point and a point inside the hull. The wedge belongs to a facet at the new point. It reaches from the
/// half-plane through one end of the facet to the half-plane of the next facet.
struct Wedge {
    /// The plane of the first half-plane; the wedge lies above it.
    begin: Plane,
    /// Whether the wedge begins within half a turn of the first one.
    in_first_half: bool,
}

/// With more than this many new facets and points, a point is not compared with all of the facets.
const SEARCH_MIN_FACETS: usize = 24;
const SEARCH_MIN_POINTS: usize = 8;

/// The surface of the hull of points that are not coplanar, as triangles. `seed` are four points that are not
/// coplanar. Triangles may be coplanar, and corners may lie inside an edge or a facet of the hull.
pub(super) fn surface(points: &[DVec3], extent: DVec3, seed: [u32; 4]) -> Vec<Facet> {
    let mut builder = Builder {
        points,
        extent,
        facets: Vec::new(),
        free: Vec::new(),
        next: vec![NONE; points.len()],
        facet_from: vec![NONE; points.len()],
        inside: None,
        wedges: Vec::new(),
    };
    builder.start(seed);
    // Facets that have points above them, or had when they were added here.
    let mut open: Vec<u32> = vec![0, 1, 2, 3];
    let (mut visible, mut rim, mut unassigned) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(facet) = open.pop() {
        let point = builder.facets[facet as usize].highest;
        if point == NONE {
            continue;
        }
        builder.find_visible(facet, point, &mut visible, &mut rim);
        builder.remove(&visible, &mut unassigned);
        let begin = open.len();
        builder.add_facets(point, &rim, &mut open);
        builder.reassign(point, &unassigned, &mut open[begin..]);
    }
    // A free position is one whose facet was removed and not replaced.
    let mut is_free = vec![false; builder.facets.len()];
    for &free in &builder.free {
        is_free[free as usize] = true;
    }
    compacted(builder.facets, &is_free)
}

/// The facets in use, renumbered.
fn compacted(facets: Vec<Facet>, is_free: &[bool]) -> Vec<Facet> {
    let mut count = 0;
    let number = is_free.iter().map(|&is_free| {
        count += u32::from(!is_free);
        count.wrapping_sub(1)
    });
    let number: Vec<u32> = number.collect();
    let used = facets.into_iter().zip(is_free).filter(|(_, is_free)| !**is_free);
    used.map(|(mut facet, _)| {
        facet.neighbours = facet.neighbours.map(|n| number[n as usize]);
        facet
    })
    .collect()
}

impl Builder<'_> {
    fn facet(&self, corners: [u32; 3], neighbours: [u32; 3]) -> Facet {
        let plane = Plane::new(corners.map(|corner| self.points[corner as usize]), self.extent);
        Facet {
            corners,
            neighbours,
            plane,
            first: NONE,
            highest: NONE,
            height: 0.0,
            seen: NONE,
            is_above: false,
        }
    }

    /// Starts with a tetrahedron, and puts every other point on the list of a facet that it is above, if any.
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let [p, q, r, s] = [a, b, c, d].map(|point| self.points[point as usize]);
        let (b, c) = if orient3d(p, q, r, s) > 0 { (c, b) } else { (b, c) };
        // Facet i is opposite the i-th of a, b, c, d.
        self.facets = vec![
            self.facet([b, d, c], [2, 1, 3]),
            self.facet([a, c, d], [3, 0, 2]),
            self.facet([a, d, b], [1, 0, 3]),
            self.facet([a, b, c], [2, 0, 1]),
        ];
        let middle = (p * 0.25 + q * 0.25) + (r * 0.25 + s * 0.25);
        let is_inside = self.facets.iter().all(|facet| facet.plane.side(middle) < 0);
        self.inside = is_inside.then_some(middle);
        for point in 0..self.points.len() as u32 {
            if ![a, b, c, d].contains(&point) {
                self.assign(point, &[0, 1, 2, 3]);
            }
        }
    }

    /// Puts a point on the list of the first facet that it is above.
    #[inline]
    fn assign(&mut self, point: u32, facets: &[u32]) {
        let position = self.points[point as usize];
        for &index in facets {
            let facet = &mut self.facets[index as usize];
            let height = facet.plane.height(position);
            if facet.plane.side_at(height, position) > 0 {
                self.next[point as usize] = facet.first;
                facet.first = point;
                // NaN is not higher; the first point is always taken.
                if facet.highest == NONE || height > facet.height {
                    (facet.highest, facet.height) = (point, height);
                }
                return;
            }
        }
    }

    /// Collects the facets that a point is above, beginning with one of them, and the rim: the edges between
    /// these facets and facets that stay, with the facet that stays.
    fn find_visible(
        &mut self,
        facet: u32,
        point: u32,
        visible: &mut Vec<u32>,
        rim: &mut Vec<(u32, [u32; 2])>,
    ) {
        let position = self.points[point as usize];
        visible.clear();
        rim.clear();
        visible.push(facet);
        let first = &mut self.facets[facet as usize];
        (first.seen, first.is_above) = (point, true);
        let mut done = 0;
        while let Some(&index) = visible.get(done) {
            done += 1;
            let Facet { corners, neighbours, .. } = self.facets[index as usize];
            for i in 0..3 {
                let neighbour = &mut self.facets[neighbours[i] as usize];
                if neighbour.seen != point {
                    neighbour.seen = point;
                    neighbour.is_above = neighbour.plane.side(position) > 0;
                    if neighbour.is_above {
                        visible.push(neighbours[i]);
                    }
                }
                if !neighbour.is_above {
                    rim.push((neighbours[i], [corners[i], corners[(i + 1) % 3]]));
                }
            }
        }
    }

    /// Frees facets, and collects the points on their lists.
    fn remove(&mut self, facets: &[u32], unassigned: &mut Vec<u32>) {
        unassigned.clear();
        for &index in facets {
            let facet = &mut self.facets[index as usize];
            let mut point = facet.first;
            while point != NONE {
                unassigned.push(point);
                point = self.next[point as usize];
            }
            facet.highest = NONE;
            self.free.push(index);
        }
    }

    /// Joins a point to every edge of the rim, and adds the new facets to `made`.
    fn add_facets(&mut self, point: u32, rim: &[(u32, [u32; 2])], made: &mut Vec<u32>) {
        let begin = made.len();
        for &(beyond, [from, to]) in rim {
            let facet = self.facet([from, to, point], [beyond, NONE, NONE]);
            let index = match self.free.pop() {
                Some(index) => {
                    self.facets[index as usize] = facet;
                    index
                }
                None => {
                    self.facets.push(facet);
                    self.facets.len() as u32 - 1
                }
            };
            // In the facet that stays, the edge has the opposite direction.
            let other = &mut self.facets[beyond as usize];
            let edge =
                usize::from(other.corners[1] == to) + 2 * usize::from(other.corners[2] == to);
            other.neighbours[edge] = index;
            self.facet_from[from as usize] = index;
            made.push(index);
        }
        for &index in &made[begin..] {
            let to = self.facets[index as usize].corners[1];
            let next = self.facet_from[to as usize];
            self.facets[index as usize].neighbours[1] = next;
            self.facets[next as usize].neighbours[2] = index;
        }
    }

    /// Assigns the points of removed facets to the new facets around the inserted point.
    ///
    /// If the facets are few, each is tried. If they are many, as at the rim of a cylinder, that would take
    /// quadratic time. Then the wedge that contains the point is found by binary search. If the point is
    /// above any of the facets, it is above the facet of its wedge.
    fn reassign(&mut self, inserted: u32, unassigned: &[u32], facets: &mut [u32]) {
        let use_search = facets.len() > SEARCH_MIN_FACETS && unassigned.len() > SEARCH_MIN_POINTS;
        let inside = self.inside.filter(|_| use_search);
        if let Some(inside) = inside {
            self.sort_into_wedges(inside, self.points[inserted as usize], facets);
        }
        for &point in unassigned {
            if point == inserted {
                continue;
            }
            match inside.and_then(|_| self.wedge(self.points[point as usize])) {
                None => self.assign(point, facets),
                Some(wedge) => self.assign(point, &facets[wedge..=wedge]),
            }
        }
    }

    /// Sorts the facets around a point by angle, and computes their wedges around the line to a point inside.
    fn sort_into_wedges(&mut self, inside: DVec3, around: DVec3, facets: &mut [u32]) {
        for i in 1..facets.len() {
            facets[i] = self.facets[facets[i - 1] as usize].neighbours[1];
        }
        self.wedges.clear();
        for &mut facet in facets {
            let begin = self.points[self.facets[facet as usize].corners[0] as usize];
            let in_first_half = self.wedges.first().is_none_or(|w| w.begin.side(begin) >= 0);
            let begin = Plane::new([inside, around, begin], self.extent);
            self.wedges.push(Wedge { begin, in_first_half });
        }
    }

    /// The wedge that contains a point; `None` if the point is in the plane of the first half-plane.
    fn wedge(&self, point: DVec3) -> Option<usize> {
        // In the plane of the first half-plane, the angle may be 0 or half a turn. Otherwise it is clear,
        // since only one wedge begins at 0, and each is less than half a turn wide.
        let in_first_half = match self.wedges[0].begin.side(point) {
            0 => return None,
            side => side > 0,
        };
        let is_passed = |wedge: &Wedge| match (in_first_half, wedge.in_first_half) {
            (true, false) => false,
            (false, true) => true,
            _ => wedge.begin.side(point) >= 0,
        };
        // The first wedge is always passed.
        Some(self.wedges[1..].partition_point(is_passed))
    }
}
