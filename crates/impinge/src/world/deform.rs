//! Bodies that deform: other positions of their vertices, other meshes, and contacts of a body with itself.
//!
//! A change of a body's shape must reach everything that depends on it: the body's box in the broad phase, with spheres
//! and extents along directions (`World::place`), what is remembered of pairs (`Displacements::add`, which makes all earlier
//! moments invalid), and the body's contacts with itself ([`OwnContacts`](super::body::OwnContacts)).
//! [`World::shape_changed`] does so for all functions here. What was prepared of the body is renewed when it is needed
//! (`query/renewable.rs`).

use super::{BodyId, DeformedSearch, World, WorldError};
use crate::{Mesh, Shape, Threads};
use glam::DVec3;
use std::sync::Arc;

impl World {
    /// Moves all vertices of a body's mesh: one position for each vertex, in the body's own coordinates. The faces stay
    /// as they are. Other bodies with the same shape keep theirs.
    ///
    /// The next step finds the contacts of the new positions. If the body is near another one, or if its contacts with
    /// itself are wanted, the step refits or rebuilds what was prepared of it, as [`Shape::set_positions`] describes, on
    /// all threads of the world; or it searches the body by a face octree, whichever is faster: see
    /// [`set_deformed_search`](Self::set_deformed_search). Queries between steps refit or rebuild it.
    ///
    /// Fails, and changes nothing, if there is not one position for each vertex, or if a coordinate is not a finite
    /// number of at most [`MAX_COORDINATE`](crate::mesh::MAX_COORDINATE).
    ///
    /// ```
    /// use impinge::{Shape, World, generate, glam::DVec3, world::Body};
    ///
    /// let ball = generate::sphere(960)?;
    /// let mut world = World::new();
    /// let body = world.add(Body::new(&Shape::new(ball.clone())).self_collision(true))?;
    /// for cycle in 0..10 {
    ///     let height = 1.0 - 0.1 * f64::from(cycle);
    ///     let moved: Vec<DVec3> = ball.positions().iter().map(|p| p.with_z(height * p.z)).collect();
    ///     world.set_vertices(body, &moved)?;
    ///     assert_eq!(world.step().pairs().len(), 0);
    /// }
    /// // Pressed flat, the two halves of the ball touch each other.
    /// let flat: Vec<DVec3> = ball.positions().iter().map(|p| p.with_z(0.0)).collect();
    /// world.set_vertices(body, &flat)?;
    /// assert_eq!(world.step().began(), [[body, body]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_vertices(&mut self, body: BodyId, positions: &[DVec3]) -> Result<(), WorldError> {
        self.shape(body)?;
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        let moved = found.shape.move_vertices(positions);
        moved.map_err(|source| WorldError::Mesh { body, source })?;
        found.shape_changed();
        if !std::mem::replace(&mut found.is_deforming, true) {
            self.deforming.push(body.index);
        }
        self.search.deformed.is_needed = true;
        self.shape_changed(body);
        Ok(())
    }

    /// Sets how steps search bodies that have deformed. Contacts do not depend on it.
    pub fn set_deformed_search(&mut self, search: DeformedSearch) {
        self.search.deformed.choice = search;
    }

    /// Gives a body another mesh, with any number of faces. It is prepared by the same method with the same options as
    /// the body's shape so far. Other bodies with the same shape keep theirs.
    ///
    /// [`set_vertices`](Self::set_vertices) is faster if the faces stay the same.
    pub fn set_mesh(&mut self, body: BodyId, mesh: impl Into<Arc<Mesh>>) -> Result<(), WorldError> {
        self.shape(body)?;
        let threads: Threads = self.threads;
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        let shape = found.shape.with_mesh(mesh, threads);
        found.set_shape(shape);
        self.renewed(body);
        Ok(())
    }

    /// Gives a body another shape. Fails if the shape was prepared by another method than the shapes of the other
    /// bodies.
    ///
    /// For bodies that deform, [`set_vertices`](Self::set_vertices) is simpler, and copies nothing.
    pub fn set_shape(&mut self, body: BodyId, shape: &Shape) -> Result<(), WorldError> {
        self.shape(body)?;
        self.check_method(shape)?;
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.set_shape(shape.clone());
        self.renewed(body);
        Ok(())
    }

    /// Sets whether steps also report contacts of the body with itself: see
    /// [`Body::self_collision`](super::Body::self_collision).
    pub fn set_self_collision(&mut self, body: BodyId, is_on: bool) -> Result<(), WorldError> {
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.set_self_collision(is_on);
        let is_on = found.own_contacts.is_some();
        self.note_self_collision(body.index, is_on);
        Ok(())
    }

    /// Keeps the list of bodies with self-collision, sorted by index.
    pub(super) fn note_self_collision(&mut self, index: u32, is_on: bool) {
        match (self.self_colliding.binary_search(&index), is_on) {
            (Err(place), true) => self.self_colliding.insert(place, index),
            (Ok(place), false) => {
                self.self_colliding.remove(place);
            }
            _ => {}
        }
    }

    /// Passes on that a body has another shape.
    fn renewed(&mut self, body: BodyId) {
        self.take_method(body.index);
        self.shape_changed(body);
    }

    /// Passes on that the shape of a body has changed.
    fn shape_changed(&mut self, body: BodyId) {
        self.drop_deformation(body.index);
        self.follow_motions(body.index);
        self.mark_moved(body.index);
    }
}
