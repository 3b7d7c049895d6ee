//! Queries of a world between steps.

use super::{BodyId, World, WorldError, solids};
use crate::{Bounds, FacePair, Mesh, MeshDistance, Pose, Shape, generate, query::Searcher};
use glam::DVec3;
use std::ops::ControlFlow;

/// A pair of touching faces: one of a given shape, one of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldContact {
    /// The body.
    pub body: BodyId,
    /// The face of the shape, then the face of the body.
    pub faces: FacePair,
}

/// The body nearest to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The body; of several at the same distance, the one with the lowest index.
    pub body: BodyId,
    /// The distance between the surfaces and the nearest points; the shape comes first, the body second.
    pub distance: MeshDistance,
}

impl Nearest {
    /// A distance beyond which no body can be nearer. Computed distances are right to a relative 1e-12.
    fn search_radius(&self) -> f64 {
        self.distance.distance * (1.0 + 1e-11) + f64::MIN_POSITIVE
    }
}

impl World {
    /// All contacts between a shape at `pose` and the bodies, sorted. Fails if the shape was prepared by
    /// another method than the bodies' shapes.
    pub fn contacts_with(
        &mut self,
        shape: &Shape,
        pose: &Pose,
    ) -> Result<Vec<WorldContact>, WorldError> {
        self.check_method(shape)?;
        self.find(&shape.placed_bounds(pose));
        let (mut contacts, mut faces) = (Vec::new(), Vec::new());
        for &index in &self.found {
            let Some(body) = self.bodies.at(index) else { continue };
            faces.clear();
            match body.placed_solid() {
                Some(solid) => solids::shape_contacts(shape, pose, &solid, &mut faces),
                None => {
                    let placed = (&body.shape, &body.pose);
                    self.search.searcher().contacts((shape, pose), placed, &mut faces);
                }
            }
            let body = self.bodies.id(index);
            contacts.extend(faces.iter().map(|&faces| WorldContact { body, faces }));
        }
        Ok(contacts)
    }

    /// All bodies whose bounding boxes overlap `bounds`, sorted by index: candidates for contacts, of which
    /// none is missing.
    pub fn bodies_near(&mut self, bounds: &Bounds) -> Vec<BodyId> {
        self.find(bounds);
        self.found.iter().map(|&index| self.bodies.id(index)).collect()
    }

    /// All bodies that overlap a box, sorted by index: some face of the body shares a point with the closed,
    /// solid box. Exact, but for true solids, which have an [error](crate::solid::Solid#errors). Fails if the box is empty or exceeds ±1e100.
    pub fn bodies_in(&mut self, bounds: &Bounds) -> Result<Vec<BodyId>, WorldError> {
        let refuse = || WorldError::Box { min: bounds.min.into(), max: bounds.max.into() };
        let mesh = if bounds.is_empty() { None } else { box_mesh(bounds) };
        let mesh = mesh.ok_or_else(refuse)?;
        let shape = Shape::with_method(self.method.unwrap_or_default(), mesh);
        self.find(bounds);
        let mut found = Vec::new();
        for &index in &self.found {
            let Some(body) = self.bodies.at(index) else { continue };
            if let Some(solid) = body.placed_solid() {
                if solids::touches_box(&solid, bounds, &shape) {
                    found.push(self.bodies.id(index));
                }
                continue;
            }
            let placed = (&body.shape, &body.pose);
            // A face that shares a point with the box, but has no corner in it, crosses the surface of the
            // box.
            let is_within = has_corner_in(&body.shape, &body.pose, bounds)
                || self.search.searcher().intersects((&shape, &Pose::IDENTITY), placed);
            if is_within {
                found.push(self.bodies.id(index));
            }
        }
        Ok(found)
    }

    /// The body whose surface is nearest to the surface of a shape at `pose`. `None` if no body has faces, or
    /// the shape has none. Fails if the shape was prepared by another method than the bodies' shapes.
    pub fn nearest(&mut self, shape: &Shape, pose: &Pose) -> Result<Option<Nearest>, WorldError> {
        self.check_method(shape)?;
        let around = shape.placed_bounds(pose);
        if around.is_empty() {
            return Ok(None);
        }
        // Search growing boxes around the shape until one contains a body. No body outside a box of the
        // distance found can be nearer.
        let mut search_radius = around.size().max_element().max(f64::MIN_POSITIVE);
        let mut best = None;
        loop {
            self.find(&around.grown(search_radius));
            self.nearest_of_found(shape, pose, &mut best);
            let is_all = !search_radius.is_finite();
            match &best {
                _ if is_all => break,
                Some(best) if best.search_radius() <= search_radius => break,
                Some(best) => search_radius = best.search_radius(),
                None => search_radius *= 8.0,
            }
        }
        Ok(best)
    }

    fn nearest_of_found(&mut self, shape: &Shape, pose: &Pose, best: &mut Option<Nearest>) {
        let around = shape.placed_bounds(pose);
        for &index in &self.found {
            let Some(body) = self.bodies.at(index) else { continue };
            let is_in_reach = |best: &Nearest| {
                around.grown(best.search_radius()).overlaps(self.proxies.bounds(index))
            };
            if !best.as_ref().is_none_or(is_in_reach) {
                continue;
            }
            let distance = match &body.solid {
                Some(solid) => solids::shape_distance(shape, pose, (solid, &body.pose)),
                None => {
                    let searcher: &mut Searcher = self.search.searcher();
                    searcher.distance((shape, pose), (&body.shape, &body.pose))
                }
            };
            let Some(distance) = distance else { continue };
            let body = self.bodies.id(index);
            let is_nearer = best
                .is_none_or(|best| (distance.distance, body) < (best.distance.distance, best.body));
            if is_nearer {
                *best = Some(Nearest { body, distance });
            }
        }
    }

    /// Finds the bodies whose boxes overlap `bounds`, sorted by index.
    fn find(&mut self, bounds: &Bounds) {
        self.refresh();
        let Self { found, proxies, broad, .. } = self;
        found.clear();
        let _ = broad.overlapping(proxies, bounds, &mut |proxy| {
            found.push(proxy);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
    }
}

/// The box as a mesh of twelve faces; `None` if it exceeds the limits of a mesh.
fn box_mesh(bounds: &Bounds) -> Option<Mesh> {
    let cube = generate::cuboid(DVec3::ONE).ok()?;
    // Uses the given corners, because scaling a unit cube would round them.
    let corner = |&p: &DVec3| DVec3::select(p.cmplt(DVec3::ZERO), bounds.min, bounds.max);
    let positions = cube.positions().iter().map(corner).collect();
    Mesh::new(positions, cube.faces().to_vec()).ok()
}

fn has_corner_in(shape: &Shape, pose: &Pose, bounds: &Bounds) -> bool {
    let mesh = shape.mesh();
    mesh.faces().iter().flatten().any(|&vertex| {
        let placed = pose.place(mesh.positions()[vertex as usize]);
        placed.cmpge(bounds.min).all() && placed.cmple(bounds.max).all()
    })
}
