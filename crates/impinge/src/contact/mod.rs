//! Contact regions of two bodies: where they touch, which way to push them apart, and how far.
//!
//! [`Pair::contacts`](crate::Pair::contacts) and [`World::step`](crate::World::step) return pairs of touching faces.
//! [`ContactRegions`] turns those of two bodies into a few regions, each with a point, a normal, a depth, an extent, the
//! intersection curve and a manifold of at most four points: what the response of a simulation needs.
//!
//! ```
//! use impinge::{Pair, Pose, Shape, contact::ContactRegions, generate, glam::DVec3};
//!
//! let block = Shape::new(generate::cuboid(DVec3::ONE)?);
//! let floor = Shape::new(generate::cuboid(DVec3::new(9.0, 9.0, 1.0))?);
//! let sunk = Pose::from_translation(DVec3::new(0.0, 0.0, 0.75))?; // by a quarter
//! let mut pair = Pair::new(&block, &floor)?;
//! let mut regions = ContactRegions::new();
//! let contacts = pair.contacts(&sunk, &Pose::IDENTITY);
//! regions.find((&block, &sunk), (&floor, &Pose::IDENTITY), contacts);
//! let region = regions.get(0).ok_or("no contact")?;
//! assert!((region.normal() - DVec3::Z).length() < 1e-12); // from the floor to the block
//! assert!((region.depth() - 0.25).abs() < 1e-12);
//! assert_eq!(region.manifold().len(), 4); // the lower corners of the block
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a [`World`](crate::World), for each pair of bodies that touched in the last step:
//!
//! ```
//! use impinge::{Pose, Shape, World, contact::ContactRegions, generate, glam::DVec3, world::Body};
//!
//! let ball = Shape::new(generate::icosphere(3)?);
//! let mut world = World::new();
//! world.add(Body::new(&ball))?;
//! world.add(Body::new(&ball).at(Pose::from_translation(DVec3::X * 1.8)?))?;
//! world.step();
//! let mut regions = ContactRegions::new(); // one for each pair, to keep ids
//! for touch in world.last_step().pairs() {
//!     let (pose_a, pose_b) = (world.pose(touch.a)?, world.pose(touch.b)?);
//!     let (a, b) = (world.shape(touch.a)?, world.shape(touch.b)?);
//!     for region in regions.find((a, &pose_a), (b, &pose_b), touch.faces).iter() {
//!         println!("{} deep along {}", region.depth(), region.normal());
//!         assert!((region.normal() - DVec3::NEG_X).length() < 0.02);
//!     }
//! }
//! # assert_eq!(regions.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Definitions
//!
//! Bodies are expected to be closed surfaces whose faces are oriented outward (counter-clockwise seen from outside). Their
//! sizes are from about 1e-60 to 1e60: beyond, areas and depths are not computed well.
//!
//! - **Region**: contacts that belong together. The two faces of a contact share a point, a segment or, if they are
//!   coplanar, a polygon. Contacts whose pieces have an end in common are in one region, and so are contacts on curves
//!   that bound the same overlap: the part of one surface inside the other body connects them. So a region is one
//!   connected piece of the volume, area or point that both bodies share, and the feet of a table on a floor are four
//!   regions although they touch one face. No distance, angle or number of regions is chosen: regions join and split when
//!   the overlaps do. Only end points that are equal up to rounding (1e-9 of the smaller body's size) are merged, so
//!   faces need not share vertices: triangle soups have the same regions. This is also the error of all lengths.
//! - **Normal**: the unit vector from `b` to `a` along which a translation of `a` reduces the common volume fastest. It is
//!   the vector area ½ Σ p × q of the intersection curve, whose segments are directed along n_b × n_a, plus the areas of
//!   coplanar polygons times (n_b − n_a) / 2. It moves as continuously as the curve: for two crossing edges it is their
//!   cross product, for a corner in a face the normal of the face. If it is zero, or if the curve has loose ends, it is the
//!   mean of n_b − n_a, weighted by length; if this is zero, too, the direction from the centre of `b` to that of `a`.
//!   Where bodies only touch, and this direction does not separate the faces, it is the nearest to it that does, of the
//!   normals of the faces and the cross products of their edges.
//! - **Depth**: how far `a` must be translated along the normal until a plane across the normal separates the parts of
//!   the surfaces that overlap: the height of the highest point of `b` in `a` above the lowest of `a` in `b`, where points
//!   are the vertices inside the other body and the joints of the curve. It is never less than needed to separate these
//!   parts. It is exact if the highest point is above the lowest one, as for a corner, a face or a ball in a flat side, or for two
//!   crossing edges; otherwise it is too large, at most by what the parts rise and fall across the region. It is 0 where
//!   bodies only touch.
//! - **Point**: along the normal in the middle between these two heights; across it, in the centre of the area that the
//!   curve and the polygons enclose. If they enclose none: the mean of the curve by length, or of all points.
//! - **Extent**: the [radius](ContactRegion::radius) of the curve around the axis through the point along the normal,
//!   the [bounds](ContactRegion::bounds), and the [area](ContactRegion::area) that the curve encloses, seen along the
//!   normal. None depends on a choice of tangents, which no rule makes continuous.
//! - **Manifold**: at most four points with a depth each: the deepest one, the one farthest from it across the normal, the
//!   one that makes the largest triangle with these, and the one that adds most area to it. Candidates are the vertices
//!   inside the other body, whose depth is measured from the highest or lowest point of the other part, and the joints of
//!   the curve, with depth 0. If there is no such vertex, the region's point comes first, with the region's depth.
//!
//! Results do not depend on the order of faces or vertices, except for rounding. With the bodies exchanged the normals are
//! opposite, and all else is equal. Regions are in the order of their first contact. An [id](ContactRegion::id) tells
//! which region was there in the last call.
//!
//! # Other surfaces
//!
//! - **Open surfaces** have no inside. Where a curve has loose ends, only vertices at edges that cross the other surface
//!   count as inside, if the part of the edge next to them lies behind the face that is crossed. When a curve reaches
//!   a border, normal and depth jump.
//! - **Faces that look inward** make a cavity: the normal is the opposite one, and the vertices outside count as inside. If
//!   orientations are mixed, normals are means without a meaning; turn the faces first.
//! - **A body that pierces another** has one region with two loops, whose vector areas cancel: no translation along the
//!   hole reduces the overlap at first. The normal is then the mean of normals, or goes from centre to centre.
//! - Contacts found [within a distance](crate::query::Query::within) count as touching points half way between the faces.
//!
//! # Cost
//!
//! Linear in the contacts and the vertices inside, but for sorting. Once warm, a call allocates nothing. The neighbours of
//! faces are found once for each shape.
//!
//! # Files
//!
//! | file | what it holds |
//! |---|---|
//! | `piece.rs`, `patch.rs` | the intersection of two faces, and of two coplanar ones |
//! | `joints.rs` | ends of pieces, merged and connected |
//! | `curve.rs` | the directed segments, and polylines made of them |
//! | `inside.rs` | vertices inside the other body |
//! | `measure.rs` | point, normal, depth and extent of a region |
//! | `manifold.rs` | the points of the manifold |
//! | `identity.rs` | ids of regions |
//! | `groups.rs` | items by group, in one list |

mod curve;
mod groups;
mod identity;
mod inside;
mod joints;
mod manifold;
mod measure;
mod patch;
mod piece;

pub use manifold::ManifoldPoint;

pub(crate) use joints::{Joints, same_point_tolerance};
pub(crate) use patch::{Patch, unit_normal};

use crate::{Bounds, FacePair, Pose, Shape};
use curve::{Lines, Segment};
use glam::{DVec2, DVec3};
use groups::Groups;
use identity::Identities;
use inside::Inside;
use measure::Measure;
use piece::Piece;
use std::ops::Range;

/// The contact regions of two bodies, and the memory to find them again in the next step.
///
/// Ids and memory are for one pair of bodies; use one of these for each pair.
#[derive(Clone, Debug, Default)]
pub struct ContactRegions {
    joints: Joints,
    /// One for each contact.
    pieces: Vec<Piece>,
    segments: Vec<Segment>,
    /// For each joint: segments that end there, less those that start there; then whether its curve has loose ends.
    balance: Vec<i32>,
    is_open: Vec<bool>,
    inside: Inside,
    /// The region of each joint.
    region_of: Vec<u32>,
    by_region: ByRegion,
    faces: Vec<FacePair>,
    lines: Lines,
    regions: Vec<Region>,
    manifolds: Vec<ManifoldPoint>,
    candidates: Vec<ManifoldPoint>,
    /// The candidates as seen along the normal.
    flat: Vec<DVec2>,
    identities: Identities,
}

/// What belongs to each region.
#[derive(Clone, Debug, Default)]
struct ByRegion {
    contacts: Groups,
    joints: Groups,
    segments: Groups,
    inside: Groups,
}

#[derive(Clone, Debug)]
struct Region {
    measure: Measure,
    lines: Range<usize>,
    manifold: Range<usize>,
    id: u64,
}

impl ContactRegions {
    /// No regions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the regions of two placed bodies from all pairs of their faces that touch, in any order. They replace those
    /// of the last call.
    ///
    /// # Panics
    /// If a contact has a face that its body does not have.
    pub fn find(&mut self, a: (&Shape, &Pose), b: (&Shape, &Pose), contacts: &[FacePair]) -> &Self {
        let bodies = [a, b];
        let shapes = [a.0, b.0];
        let bounds = bodies.map(|(shape, pose)| shape.placed_bounds(pose));
        self.regions.clear();
        self.manifolds.clear();
        self.pieces.clear();
        self.segments.clear();
        // Bodies that do not touch need no neighbours of faces, and may have no bounds.
        if contacts.is_empty() {
            self.inside.clear();
            self.joints.begin(0.0);
        } else {
            self.inside.begin(shapes);
            self.joints.begin(same_point_tolerance([&bounds[0], &bounds[1]]));
        }
        for (number, pair) in (0..).zip(contacts) {
            self.add_piece(bodies, number, pair);
        }
        curve::merge_equal(&mut self.segments);
        self.find_loose_ends();
        self.inside.find(shapes, &mut self.joints, &self.is_open);
        let count = self.number_regions();
        self.group(count, contacts);
        self.lines.begin(&self.segments, self.joints.points().len());
        for region in 0..count {
            let first_line = self.lines.count();
            let segments = self.by_region.segments.of(region);
            self.lines.chain(&self.segments, segments, self.joints.points());
            let measure = self.measure(bodies, region);
            let first_point = self.manifolds.len();
            self.add_manifold(bodies, region, &measure);
            self.regions.push(Region {
                measure,
                lines: first_line..self.lines.count(),
                manifold: first_point..self.manifolds.len(),
                id: 0,
            });
        }
        let numbers = (0..count)
            .flat_map(|region| self.by_region.contacts.range(region).map(move |_| region));
        let ids = self.identities.find(count, self.faces.iter().copied().zip(numbers));
        for (region, &id) in self.regions.iter_mut().zip(ids) {
            region.id = id;
        }
        self
    }

    /// Finds the joints whose curve has loose ends: not as many segments arrive at each of its joints as leave.
    fn find_loose_ends(&mut self) {
        let Self { joints, segments, balance, is_open, .. } = self;
        let count = joints.points().len();
        balance.clear();
        balance.resize(count, 0);
        for [from, to] in segments.iter().filter_map(Segment::directed) {
            balance[from as usize] -= 1;
            balance[to as usize] += 1;
        }
        is_open.clear();
        is_open.resize(count, false);
        for joint in 0..count {
            if balance[joint] != 0 {
                is_open[joints.root(joint as u32) as usize] = true;
            }
        }
        for joint in 0..count {
            is_open[joint] = is_open[joints.root(joint as u32) as usize];
        }
    }

    /// Numbers the regions in the order of their first contact. Returns how many there are.
    fn number_regions(&mut self) -> u32 {
        let Self { joints, pieces, region_of, .. } = self;
        const NONE: u32 = u32::MAX;
        let joint_count = joints.points().len();
        region_of.clear();
        region_of.resize(joint_count, NONE);
        let mut count = 0;
        for piece in pieces.iter() {
            let root = joints.root(piece.joint) as usize;
            if region_of[root] == NONE {
                region_of[root] = count;
                count += 1;
            }
        }
        for joint in 0..joint_count {
            region_of[joint] = region_of[joints.root(joint as u32) as usize];
        }
        count
    }

    fn group(&mut self, count: u32, contacts: &[FacePair]) {
        let Self { by_region, region_of, pieces, segments, inside, faces, .. } = self;
        let count = count as usize;
        let region = |joint: u32| Some(region_of[joint as usize]);
        by_region.contacts.fill(count, pieces.iter().map(|piece| region(piece.joint)));
        by_region.joints.fill(count, region_of.iter().map(|&region| Some(region)));
        by_region.segments.fill(count, segments.iter().map(|segment| region(segment.joints[0])));
        by_region.inside.fill(count, inside.vertices.iter().map(|vertex| region(vertex.joint)));
        faces.clear();
        faces.extend(by_region.contacts.all().iter().map(|&contact| contacts[contact as usize]));
    }

    /// The number of regions.
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Whether there is no region: the bodies do not touch.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The region with this number, in the order of first contacts; `None` if there are fewer.
    pub fn get(&self, number: usize) -> Option<ContactRegion<'_>> {
        self.regions.get(number).map(|region| ContactRegion { all: self, number, region })
    }

    /// The regions, in the order of their first contact.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ContactRegion<'_>> + Clone {
        let numbered = self.regions.iter().enumerate();
        numbered.map(|(number, region)| ContactRegion { all: self, number, region })
    }
}

/// A place where two bodies touch or overlap. The [module](self) defines all of its properties.
#[derive(Clone, Copy, Debug)]
pub struct ContactRegion<'r> {
    all: &'r ContactRegions,
    number: usize,
    region: &'r Region,
}

impl<'r> ContactRegion<'r> {
    /// The pairs of faces that touch in this region, in the order in which they were given.
    pub fn contacts(&self) -> &'r [FacePair] {
        &self.all.faces[self.all.by_region.contacts.range(self.number as u32)]
    }

    /// A point in the middle of the region.
    pub fn point(&self) -> DVec3 {
        self.region.measure.point
    }

    /// The unit vector from `b` to `a`.
    pub fn normal(&self) -> DVec3 {
        self.region.measure.normal
    }

    /// A translation of `a` along the normal by this separates the bodies here; 0 if they only touch.
    ///
    /// It is how far the parts inside reach beyond each other along the normal. Where they slope across the region, a shorter
    /// translation may do: for a cube pushed 0.1 into another and to the side, with a normal that leans, three times less.
    pub fn depth(&self) -> f64 {
        self.region.measure.depth
    }

    /// The area that the curve encloses, or in which coplanar faces overlap, seen along the normal.
    pub fn area(&self) -> f64 {
        self.region.measure.area
    }

    /// The largest distance of the intersection from the axis through the point along the normal.
    pub fn radius(&self) -> f64 {
        self.region.measure.radius
    }

    /// The box around the intersection curve and the coplanar polygons.
    pub fn bounds(&self) -> Bounds {
        self.region.measure.bounds
    }

    /// Whether the intersection curve has no loose ends. If it has, a body is open there, its faces are not oriented
    /// alike, or surfaces coincide in part; normal and depth are then less certain.
    pub fn is_closed(&self) -> bool {
        self.region.measure.is_closed
    }

    /// The intersection curve as polylines. Where faces cross, the curve runs along n_b × n_a: seen against the normal,
    /// counter-clockwise around the overlap. Polygons of coplanar faces are not part of it.
    pub fn curve(&self) -> impl ExactSizeIterator<Item = Polyline<'r>> + use<'r> {
        let all = self.all;
        self.region.lines.clone().map(|line| all.lines.get(line))
    }

    /// At most four points that span the region, the deepest first.
    pub fn manifold(&self) -> &'r [ManifoldPoint] {
        &self.all.manifolds[self.region.manifold.clone()]
    }

    /// A number that the region keeps from call to call, to find what a solver remembers of it.
    ///
    /// It is that of the region of the last call with which it has most pairs of faces in common. If two regions have
    /// most in common with the same one, the larger common part decides, and the other region gets a new id, as does a
    /// region that has no pair of faces in common with any. Ids start at 1 and are not used again.
    pub fn id(&self) -> u64 {
        self.region.id
    }
}

/// A connected part of an intersection curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Polyline<'r> {
    /// The corners in order. The first one is not repeated at the end of a closed polyline.
    pub points: &'r [DVec3],
    /// Whether a segment leads from the last point to the first.
    pub is_closed: bool,
}

impl Polyline<'_> {
    /// The length.
    pub fn length(&self) -> f64 {
        let open: f64 = self.points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        match (self.is_closed, self.points) {
            (true, [first, .., last]) => open + first.distance(*last),
            _ => open,
        }
    }
}
