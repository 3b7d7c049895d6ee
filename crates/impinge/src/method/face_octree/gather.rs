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
        Group, GroupPairs, PlacedShape,
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
    body: u32,
    pub(super) face: u32,
    /// Whether the box has grown, so that the triangle does not stand for it.
    is_grown: bool,
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
}

impl Gathered {
    /// Places the bodies and gathers their faces.
    ///
    /// `growth` is by how much body 0 grows for a tolerance; 0 for groups of more than two bodies.
    pub(super) fn gather(&mut self, group: &Group<'_>, growth: f64, test: CellTest) {
        self.place(group);
        self.regions.find(group.pairs(), growth);
        let Self { faces, regions, positions, starts } = self;
        faces.clear();
        let wants_all = matches!(group.pairs(), GroupPairs::Where(_));
        for (number, around, regions) in regions.of_bodies() {
            let Some(shape) = group.body(number) else { continue };
            let positions = &positions[starts[number as usize]..];
            let growth = if number == 0 { growth } else { 0.0 };
            let placed = placed_faces(&shape, number, positions, growth);
            if wants_all {
                faces.extend(placed);
                continue;
            }
            faces.extend(placed.filter(|face| {
                let meets = |region: &Bounds| {
                    face.bounds.overlaps(region)
                        && (test == CellTest::Bounds || face.may_meet(region))
                };
                face.bounds.overlaps(&around) && regions.clone().any(meets)
            }));
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

/// All faces of a body whose vertices stand at these positions.
fn placed_faces<'p>(
    shape: &PlacedShape<'p>,
    body: u32,
    positions: &'p [DVec3],
    growth: f64,
) -> impl Iterator<Item = PlacedFace> + use<'p> {
    (0..).zip(shape.mesh.faces()).map(move |(face, corners)| {
        let triangle = corners.map(|vertex| positions[vertex as usize]);
        let bounds = grown_outward(&Bounds::enclosing(triangle), growth);
        PlacedFace { bounds, triangle, body, face, is_grown: growth > 0.0 }
    })
}
