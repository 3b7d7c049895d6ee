//! What can be asked of a world besides its steps.

use super::{BodyId, World, WorldError};
use crate::{Bounds, FacePair, Mesh, MeshDistance, Pose, Shape, generate, query::Searcher};
use glam::DVec3;
use std::ops::ControlFlow;

/// A face of a shape that touches a face of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldContact {
    /// The body.
    pub body: BodyId,
    /// A face of the shape that was asked for, and one of the body.
    pub faces: FacePair,
}

/// The body that is nearest to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The body; of several that are as near, the one with the lowest number.
    pub body: BodyId,
    /// How far the surfaces are apart, and where: the shape that was asked for is the first.
    pub distance: MeshDistance,
}

impl Nearest {
    /// Beyond which nothing is nearer. Distances are right to 1e-12.
    fn reach(&self) -> f64 {
        self.distance.distance * (1.0 + 1e-11) + f64::MIN_POSITIVE
    }
}

impl World {
    /// All faces of all bodies that a shape touches where it stands, sorted. Fails if another method
    /// prepared the shape.
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
            let placed = (&body.shape, &body.pose);
            self.narrow.searcher().contacts((shape, pose), placed, &mut faces);
            let body = self.bodies.id(index);
            contacts.extend(faces.iter().map(|&faces| WorldContact { body, faces }));
        }
        Ok(contacts)
    }

    /// All bodies that reach into a box, by number: a face of theirs shares a point with it, the
    /// inside included. Exact. Fails if the box is empty or reaches beyond ±1e100.
    pub fn bodies_in(&mut self, bounds: &Bounds) -> Result<Vec<BodyId>, WorldError> {
        let refuse = || WorldError::Box { min: bounds.min.into(), max: bounds.max.into() };
        let mesh = if bounds.is_empty() { None } else { box_mesh(bounds) };
        let mesh = mesh.ok_or_else(refuse)?;
        let Some(method) = self.method else { return Ok(Vec::new()) };
        let shape = Shape::with_method(method, mesh);
        self.find(bounds);
        let mut found = Vec::new();
        for &index in &self.found {
            let Some(body) = self.bodies.at(index) else { continue };
            let placed = (&body.shape, &body.pose);
            // A face that has no corner within, and a point, goes through the surface.
            let is_within = has_corner_in(&body.shape, &body.pose, bounds)
                || self.narrow.searcher().intersects((&shape, &Pose::IDENTITY), placed);
            if is_within {
                found.push(self.bodies.id(index));
            }
        }
        Ok(found)
    }

    /// The body whose surface is nearest to that of a shape where it stands; none if there is no
    /// body with faces, or the shape has none. Fails if another method prepared the shape.
    pub fn nearest(&mut self, shape: &Shape, pose: &Pose) -> Result<Option<Nearest>, WorldError> {
        self.check_method(shape)?;
        let around = shape.placed_bounds(pose);
        if around.is_empty() {
            return Ok(None);
        }
        // Boxes around it, each larger than the last, until there is something in one: the answer is
        // no farther than that.
        let mut reach = around.size().max_element().max(f64::MIN_POSITIVE);
        let mut best = None;
        loop {
            self.find(&around.grown(reach));
            self.nearest_of_found(shape, pose, &mut best);
            let is_all = !reach.is_finite();
            match &best {
                _ if is_all => break,
                Some(best) if best.reach() <= reach => break,
                Some(best) => reach = best.reach(),
                None => reach *= 8.0,
            }
        }
        Ok(best)
    }

    fn nearest_of_found(&mut self, shape: &Shape, pose: &Pose, best: &mut Option<Nearest>) {
        let around = shape.placed_bounds(pose);
        for &index in &self.found {
            let Some(body) = self.bodies.at(index) else { continue };
            let is_in_reach =
                |best: &Nearest| around.grown(best.reach()).overlaps(self.proxies.bounds(index));
            if !best.as_ref().is_none_or(is_in_reach) {
                continue;
            }
            let searcher: &mut Searcher = self.narrow.searcher();
            let Some(distance) = searcher.distance((shape, pose), (&body.shape, &body.pose)) else {
                continue;
            };
            let body = self.bodies.id(index);
            let is_nearer = best
                .is_none_or(|best| (distance.distance, body) < (best.distance.distance, best.body));
            if is_nearer {
                *best = Some(Nearest { body, distance });
            }
        }
    }

    /// Finds the bodies whose boxes overlap a box, by number.
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

/// A box as twelve faces; nothing if it is not within what meshes may hold.
fn box_mesh(bounds: &Bounds) -> Option<Mesh> {
    let cube = generate::cuboid(DVec3::ONE).ok()?;
    // Corners as they are, not as scaling would round them.
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
