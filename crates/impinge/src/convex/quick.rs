//! Quickhull (Barber, Dobkin and Huhdanpaa 1996) over exact signs.
//!
//! A point is *above* a triangle if it lies strictly beyond its plane, which is decided exactly. Then
//! nothing can go wrong that usually does: the triangles that a new point is above make up a disk,
//! whose rim is a simple cycle (seen from a point moved inward by ever so little, they are the
//! front, and the rim is the outline); none of the new triangles is flat, since a point in line with
//! an edge of the rim would not be above the triangle to go; and a point that was above a triangle
//! that went is above a new one, or inside (its view of the old hull was connected, so it held both
//! triangles at some edge of the rim, and the new triangle there lies between the two).

use crate::narrow::orient3d;
use glam::DVec3;

/// No point, or no facet.
const NONE: u32 = u32::MAX;

/// A triangle of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// Counter-clockwise from outside.
    pub(super) corners: [u32; 3],
    /// Which triangle lies across the edge from corner i to the next.
    pub(super) neighbours: [u32; 3],
    pub(super) plane: Plane,
    /// The first point of those above it that are not above a triangle looked at earlier.
    first: u32,
    /// The highest of them.
    highest: u32,
    height: f64,
    /// The last point that was compared with the plane, and whether it was above.
    seen: u32,
    is_above: bool,
}

/// A plane through three points, prepared to tell sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    corners: [DVec3; 3],
    normal: DVec3,
    /// What [`height`](Self::height) may be off by.
    bound: f64,
}

impl Plane {
    /// For points that differ by at most `extent` along each axis.
    ///
    /// A height `u × v · w` is a sum of six products of three differences, each with eight roundings
    /// on its way: 8 units of the products' magnitudes in first order, and one more for the higher
    /// orders. Where the sum of the magnitudes exceeds 1e-200 and no difference 1e102, that unit
    /// covers underflow, too (as worked out for the filter of the triangle test). Otherwise, and for
    /// what is not a number, nothing is certain.
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

    /// How high a point lies above the plane, times some factor; a little off.
    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.corners[0])
    }

    /// On which side of the plane a point lies, given its height: 1 above, 0 in the plane, −1 below.
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

    /// On which side of the plane a point lies: 1 above, 0 in the plane, −1 below.
    #[inline]
    pub(super) fn side(&self, point: DVec3) -> i32 {
        self.side_at(self.height(point), point)
    }
}

struct Builder<'p> {
    points: &'p [DVec3],
    extent: DVec3,
    facets: Vec<Facet>,
    /// Places in `facets` that are free again.
    free: Vec<u32>,
    /// The point after a point, in the list of a facet.
    next: Vec<u32>,
    /// The new facet at the edge that begins at a point.
    begins: Vec<u32>,
    /// A point strictly inside, if one was found.
    inside: Option<DVec3>,
    /// Those of the new facets, where they are many.
    wedges: Vec<Wedge>,
}

/// One of the parts that half-planes from a line through a point of the hull part space into: it
/// belongs to a facet at the point, and goes from the half-plane through one end of the facet to that
/// of the next.
struct Wedge {
    /// Through the line and where it begins; it lies above.
    begin: Plane,
    /// Whether it begins within half a turn of where the first one does.
    in_first_half: bool,
}

/// From how many new facets on, and for how many points, it is not all of the facets that a point is
/// compared with.
const MANY_FACETS: usize = 24;
const MANY_POINTS: usize = 8;

/// The surface of the hull of points that are not all in one plane, as triangles. `seed` are four
/// that are not in a plane. Triangles may lie in one plane, and corners in line or inside a face.
pub(super) fn surface(points: &[DVec3], extent: DVec3, seed: [u32; 4]) -> Vec<Facet> {
    let mut builder = Builder {
        points,
        extent,
        facets: Vec::new(),
        free: Vec::new(),
        next: vec![NONE; points.len()],
        begins: vec![NONE; points.len()],
        inside: None,
        wedges: Vec::new(),
    };
    builder.start(seed);
    // Facets that have points above them, or had when they were put here.
    let mut open: Vec<u32> = vec![0, 1, 2, 3];
    let (mut visible, mut rim, mut orphans) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(facet) = open.pop() {
        let point = builder.facets[facet as usize].highest;
        if point == NONE {
            continue;
        }
        builder.look(facet, point, &mut visible, &mut rim);
        builder.remove(&visible, &mut orphans);
        let begin = open.len();
        builder.cover(point, &rim, &mut open);
        builder.adopt(point, &orphans, &mut open[begin..]);
    }
    // A free place is one whose facet went and none took over.
    let mut is_free = vec![false; builder.facets.len()];
    for &free in &builder.free {
        is_free[free as usize] = true;
    }
    compacted(builder.facets, &is_free)
}

/// The facets that are in use, renumbered.
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

    /// A tetrahedron, with every other point on the list of a facet that it is above, if any.
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let [p, q, r, s] = [a, b, c, d].map(|point| self.points[point as usize]);
        let (b, c) = if orient3d(p, q, r, s) > 0 { (c, b) } else { (b, c) };
        // Facet i is the one across from the i-th of a, b, c, d.
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
                self.file(point, &[0, 1, 2, 3]);
            }
        }
    }

    /// Puts a point on the list of the first facet that it is above.
    #[inline]
    fn file(&mut self, point: u32, facets: &[u32]) {
        let position = self.points[point as usize];
        for &index in facets {
            let facet = &mut self.facets[index as usize];
            let height = facet.plane.height(position);
            if facet.plane.side_at(height, position) > 0 {
                self.next[point as usize] = facet.first;
                facet.first = point;
                // What is not a number is not higher; the first one counts in any case.
                if facet.highest == NONE || height > facet.height {
                    (facet.highest, facet.height) = (point, height);
                }
                return;
            }
        }
    }

    /// Collects the facets that a point is above, beginning with one of them, and the rim: the edges
    /// of these facets, with the facet beyond each, where that stays.
    fn look(
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

    /// Frees facets and collects the points on their lists.
    fn remove(&mut self, facets: &[u32], orphans: &mut Vec<u32>) {
        orphans.clear();
        for &index in facets {
            let facet = &mut self.facets[index as usize];
            let mut point = facet.first;
            while point != NONE {
                orphans.push(point);
                point = self.next[point as usize];
            }
            facet.highest = NONE;
            self.free.push(index);
        }
    }

    /// Joins a point to every edge of the rim, and adds the new facets to `made`.
    fn cover(&mut self, point: u32, rim: &[(u32, [u32; 2])], made: &mut Vec<u32>) {
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
            // The facet beyond sees the edge the other way round.
            let other = &mut self.facets[beyond as usize];
            let edge =
                usize::from(other.corners[1] == to) + 2 * usize::from(other.corners[2] == to);
            other.neighbours[edge] = index;
            self.begins[from as usize] = index;
            made.push(index);
        }
        for &index in &made[begin..] {
            let to = self.facets[index as usize].corners[1];
            let next = self.begins[to as usize];
            self.facets[index as usize].neighbours[1] = next;
            self.facets[next as usize].neighbours[2] = index;
        }
    }

    /// Finds new facets, of those around a new point, for the points of facets that went.
    ///
    /// Of few facets each is tried. Where they are many, as at the rim of a cylinder, that would be
    /// quadratic: there the wedge is searched in which a point lies. If it is above any of the
    /// facets, it is above that of its wedge.
    fn adopt(&mut self, inserted: u32, orphans: &[u32], facets: &mut [u32]) {
        let are_many = facets.len() > MANY_FACETS && orphans.len() > MANY_POINTS;
        let inside = self.inside.filter(|_| are_many);
        if let Some(inside) = inside {
            self.sort_into_wedges(inside, self.points[inserted as usize], facets);
        }
        for &point in orphans {
            if point == inserted {
                continue;
            }
            match inside.and_then(|_| self.wedge(self.points[point as usize])) {
                None => self.file(point, facets),
                Some(wedge) => self.file(point, &facets[wedge..=wedge]),
            }
        }
    }

    /// Brings the facets around a point into the order in which they lie around it, and prepares
    /// their wedges, about the line to a point inside.
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

    /// In which wedge a point lies; nothing if it is in line with where the first one begins.
    fn wedge(&self, point: DVec3) -> Option<usize> {
        // In the plane of the first may mean no turn or half a turn. From here on it is clear which,
        // since only one wedge begins at 0, and they go less than half a turn each.
        let in_first_half = match self.wedges[0].begin.side(point) {
            0 => return None,
            side => side > 0,
        };
        let is_passed = |wedge: &Wedge| match (in_first_half, wedge.in_first_half) {
            (true, false) => false,
            (false, true) => true,
            _ => wedge.begin.side(point) >= 0,
        };
        // The first is passed in any case.
        Some(self.wedges[1..].partition_point(is_passed))
    }
}
