//! The faces that take part in a subdivision: those that meet an overlap region of two bodies (Smith, Kitamura 1994,
//! sections 3.3.3 and 3.3.4).
//!
//! # No pair of faces is lost
//!
//! Faces that share a point share one in the overlap region of their bodies (`cells/regions.rs`). Both meet the
//! region, so both are gathered. Boxes of faces are those of the placed vertices and have no rounding errors. With a
//! tolerance, the boxes of the faces of body 0 are grown by it, rounded outward, and they are tested by their boxes
//! only.

use crate::{
    Bounds,
    method::{
        Group, GroupPairs,
        cells::{CellItem, CellTest, Regions, grown_outward, may_meet},
    },
    narrow::Triangle,
};
use glam::DVec3;

/// A placed face, and its bounding box.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedFace {
    /// Grown by the tolerance for body 0.
    bounds: Bounds,
    pub(super) triangle: Triangle,
    /// The number of the body in its group.
    pub(super) body: u32,
    pub(super) face: u32,
    /// Whether the box has grown, so that the triangle does not stand for it.
    is_grown: bool,
}

impl PlacedFace {
    /// A face of a body, with its corners as placed.
    fn new(body: u32, face: u32, triangle: Triangle, growth: f64) -> Self {
        let bounds = grown_outward(&Bounds::enclosing(triangle), growth);
        Self { bounds, triangle, body, face, is_grown: growth > 0.0 }
    }
}

impl CellItem for PlacedFace {
    fn body(&self) -> u32 {
        self.body
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn may_meet(&self, cell: &Bounds) -> bool {
        self.is_grown || may_meet(&self.triangle, cell)
    }
}

/// The faces of a group of bodies that take part in a subdivision. Memory is reused from query to query.
#[derive(Default)]
pub(super) struct Gathered {
    /// Sorted by body.
    pub(super) faces: Vec<PlacedFace>,
    pub(super) regions: Regions,
    /// The placed vertices of all bodies, and where those of each body begin.
    positions: Vec<DVec3>,
    starts: Vec<usize>,
    /// For each vertex of a body, the sides of the box around its regions beyond which it lies.
    sides: Vec<u8>,
}

impl Gathered {
    /// Places the bodies and finds the overlap regions of their boxes.
    ///
    /// `growth` is by how much body 0 grows for a tolerance; 0 for groups of more than two bodies.
    pub(super) fn find_regions(&mut self, group: &Group<'_>, growth: f64) {
        self.place(group);
        self.regions.find(group.pairs(), growth, &|_| true);
    }

    /// Gathers the faces that meet overlap regions, which [`find_regions`](Self::find_regions) has found with the same
    /// growth.
    pub(super) fn gather(&mut self, group: &Group<'_>, growth: f64, test: CellTest) {
        let Self { faces, regions, positions, starts, sides } = self;
        faces.clear();
        let wants_all = matches!(group.pairs(), GroupPairs::Where(_));
        for (number, around, regions) in regions.of_bodies() {
            let Some(shape) = group.body(number) else { continue };
            let start = starts[number as usize];
            let positions = &positions[start..start + shape.mesh.positions().len()];
            let growth = if number == 0 { growth } else { 0.0 };
            let placed = |(face, corners): (u32, &[u32; 3])| {
                PlacedFace::new(number, face, corners.map(|v| positions[v as usize]), growth)
            };
            let all = (0..).zip(shape.mesh.faces());
            if wants_all {
                faces.extend(all.map(placed));
                continue;
            }
            // Most faces are beyond one side of the box around all regions. A byte for each vertex tells.
            let around = grown_outward(&around, growth);
            sides.clear();
            sides.extend(positions.iter().map(|&position| sides_beyond(&around, position)));
            let reaches =
                |corners: &[u32; 3]| corners.iter().fold(!0, |s, &v| s & sides[v as usize]) == 0;
            let meets = |face: &PlacedFace, region: &Bounds| {
                face.bounds.overlaps(region) && (test == CellTest::Bounds || face.may_meet(region))
            };
            let near = all.filter(|(_, corners)| reaches(corners)).map(placed);
            faces.extend(near.filter(|face| regions.clone().any(|region| meets(face, region))));
        }
    }

    /// Places all vertices, and finds a box around the faces of each body.
    fn place(&mut self, group: &Group<'_>) {
        let Self { regions, positions, starts, .. } = self;
        regions.bodies.clear();
        positions.clear();
        starts.clear();
        for number in 0..group.len() {
            let start = positions.len();
            starts.push(start);
            let bounds = match group.body(number) {
                None => Bounds::EMPTY,
                Some(shape) => {
                    let (mesh, pose) = (shape.mesh, shape.pose);
                    positions.extend(mesh.positions().iter().map(|&p| pose.place(p)));
                    // The first box is tight, but encloses vertices that no face uses, too.
                    let placed = Bounds::enclosing(positions[start..].iter().copied());
                    placed.intersection(&shape.bounds())
                }
            };
            regions.bodies.push(bounds);
        }
    }
}

/// The sides of a box beyond which a point lies, a bit for each. All corners of a face lie beyond one side if and only
/// if the box of the face does.
fn sides_beyond(bounds: &Bounds, point: DVec3) -> u8 {
    let (below, above) = (point.cmplt(bounds.min), point.cmpgt(bounds.max));
    (below.bitmask() | above.bitmask() << 3) as u8
}
