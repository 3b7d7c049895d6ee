//! Worlds of many moving bodies, and the bodies that touch at each step.
//!
//! ```
//! use impinge::{Pose, Shape, generate, glam::DVec3, world::{Body, World}};
//!
//! let ball = Shape::new(generate::sphere(960)?);
//! let mut world = World::new();
//! let still = world.add(Body::new(&ball))?;
//! let moving = world.add(Body::new(&ball).at(Pose::from_translation(DVec3::new(4.0, 0.0, 0.0))?))?;
//!
//! assert_eq!(world.step().pairs().len(), 0);
//! world.set_pose(moving, Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?)?;
//! let step = world.step();
//! assert_eq!(step.began(), [[still, moving]]);
//! for contact in step.contacts() {
//!     println!("face {} of {} touches face {} of {}",
//!         contact.faces.a, contact.a, contact.faces.b, contact.b);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A step has three stages. It updates the boxes of the bodies that were moved, finds the pairs of bodies
//! whose boxes overlap (the [broad phase](crate::broad)), and searches the faces of these pairs for contacts.
//! The search of faces is exact. The cost depends on the number of bodies and of pairs near each other, not
//! on the square of the number of bodies.
//!
//! | file | what it holds |
//! |---|---|
//! | `body.rs` | [`Body`] and [`BodyId`] |
//! | `step.rs` | [`Step`]: the contacts of a step, and the pairs that began and ended |
//! | `continuous.rs` | [`ContinuousStep`]: the impacts of bodies that move during a step |
//! | `forecast.rs` | [`Forecast`]: which bodies will collide if they move on as they did |
//! | `coherence.rs` | [`Coherence`]: what is remembered of pairs of near bodies from step to step |
//! | `displacement.rs` | how far bodies have moved, relative to each other |
//! | `pairs.rs` | the search of faces for the candidate pairs, on any number of threads |
//! | `group.rs` | the search of faces of all near bodies at once, for methods that have one |
//! | `solids.rs` | the search of pairs with a true solid |
//! | `query.rs` | queries between steps: contacts of a shape, bodies in a box, the nearest body |
//! | `deformed.rs` | [`DeformedSearch`]: whether bodies that have deformed are refitted, or searched by a face octree |
//! | `deform.rs` | bodies that deform: other vertices, other meshes, contacts of a body with itself |
//! | `error.rs` | [`WorldError`] |

mod body;
mod coherence;
mod continuous;
mod deform;
mod deformed;
mod displacement;
mod error;
mod forecast;
mod group;
mod pairs;
mod query;
mod solids;
mod step;

pub use body::{Body, BodyId};
pub use coherence::Coherence;
pub use continuous::{ContinuousStats, ContinuousStep, WorldImpact};
pub use deformed::DeformedSearch;
pub use error::WorldError;
pub use forecast::{Forecast, Prediction};
pub use query::{Nearest, WorldContact};
pub use step::{BodyPair, Contact, Step, StepStats, Touch};

use crate::{
    Bounds, Method, Pose, Shape, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
    solid::Solid,
};
use body::{Bodies, Filter};
use coherence::Memory;
use continuous::Continuous;
use pairs::PairSearch;
use std::collections::HashSet;
use step::History;

/// Bodies with poses, and the contacts between them.
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    /// The method that prepared all shapes; set by the first body.
    method: Option<Method>,
    /// The number of bodies that are true solids.
    solids: usize,
    threads: Threads,
    proxies: Proxies,
    broad: Box<dyn BroadPhase>,
    /// Bodies whose pose has changed since their boxes were computed, and a flag for each body whether it is
    /// in that list.
    moved: Vec<u32>,
    is_moved: Vec<bool>,
    filters: Vec<Filter>,
    /// Whether no body has a filter, so that only ignored pairs are left out.
    allows_all: bool,
    ignored: HashSet<[BodyId; 2]>,
    /// Bodies that were put elsewhere by [`teleport`](Self::teleport) since the last step.
    teleported: HashSet<BodyId>,
    search: PairSearch,
    memory: Memory,
    /// Whether searches of the bodies' shapes can start where the last ones ended.
    has_fronts: bool,
    history: History,
    continuous: Continuous,
    /// Whether the broad phase has volumes that enclose motions, not bodies at their poses.
    has_motion_bounds: bool,
    /// The indices of bodies whose contacts with themselves are reported, sorted.
    self_colliding: Vec<u32>,
    /// The indices of bodies whose vertices were moved since the last step.
    deforming: Vec<u32>,
    /// Scratch memory for extents along directions.
    extents: Vec<[f64; 2]>,
    /// Scratch memory for the bodies that a query finds.
    found: Vec<u32>,
    /// Scratch memory for poses, which are all checked before any is set.
    poses: Vec<Pose>,
}

impl World {
    /// An empty world with the default broad phase, which is the fastest for most scenes.
    pub fn new() -> Self {
        Self::with_broad_phase(Packed::new())
    }

    /// An empty world with the given broad phase.
    pub fn with_broad_phase(broad: impl BroadPhase + 'static) -> Self {
        Self {
            bodies: Bodies::default(),
            method: None,
            solids: 0,
            threads: Threads::One,
            proxies: Proxies::new(broad.wants()),
            broad: Box::new(broad),
            moved: Vec::new(),
            is_moved: Vec::new(),
            filters: Vec::new(),
            allows_all: true,
            ignored: HashSet::new(),
            teleported: HashSet::new(),
            search: PairSearch::default(),
            memory: Memory::default(),
            has_fronts: false,
            history: History::default(),
            continuous: Continuous::default(),
            has_motion_bounds: false,
            self_colliding: Vec::new(),
            deforming: Vec::new(),
            extents: Vec::new(),
            found: Vec::new(),
            poses: Vec::new(),
        }
    }

    /// Sets the number of threads that a step may use. Answers do not depend on it.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// The threads that steps use.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Sets what is remembered of pairs of near bodies from step to step. Answers do not depend on it. Forgets
    /// what is known so far.
    pub fn set_coherence(&mut self, coherence: Coherence) {
        self.refresh();
        self.memory.set_options(coherence);
        if self.memory.is_on() {
            for (id, body) in self.bodies.iter() {
                self.memory.displacements.add(id.index, &body.shape, &body.pose);
            }
        }
    }

    /// Adds a body. Fails if its shape was prepared by another method than the shapes of the other bodies, and for a true
    /// solid if a body has a [motion](Self::set_motion).
    pub fn add(&mut self, body: Body) -> Result<BodyId, WorldError> {
        let is_solid = body.solid.is_some();
        let method = match is_solid {
            false => Some(self.check_method(&body.shape)?),
            true if self.continuous.has_motions() => return Err(WorldError::MotionWithSolids),
            true => self.method,
        };
        let (filter, is_moving) = (body.filter, !body.is_fixed);
        let is_self_colliding = body.own_contacts.is_some();
        let id = self.bodies.insert(body)?;
        self.method = method;
        self.solids += usize::from(is_solid);
        let index = id.index as usize;
        if index >= self.filters.len() {
            self.filters.resize(index + 1, Filter::ALL);
            self.is_moved.resize(index + 1, false);
        }
        self.filters[index] = filter;
        self.allows_all &= filter == Filter::ALL;
        self.note_self_collision(id.index, is_self_colliding);
        self.proxies.set(id.index, Bounds::EMPTY, is_moving);
        self.take_method(id.index);
        self.follow_motions(id.index);
        self.place(id.index);
        self.broad.insert(&self.proxies, id.index);
        Ok(id)
    }

    /// Removes a body. The pairs it was part of are reported as [ended](Step::ended) by the next step.
    pub fn remove(&mut self, body: BodyId) -> Result<(), WorldError> {
        self.bodies.checked(body)?;
        // A broad phase finds a proxy by the box that was last reported to it.
        self.refresh();
        self.broad.remove(&self.proxies, body.index);
        self.proxies.clear(body.index);
        let removed = self.bodies.remove(body);
        self.solids -= usize::from(removed.is_some_and(|removed| removed.solid.is_some()));
        self.note_self_collision(body.index, false);
        if !self.ignored.is_empty() {
            self.ignored.retain(|pair| !pair.contains(&body));
        }
        self.teleported.remove(&body);
        self.drop_motion(body.index);
        Ok(())
    }

    /// Sets the pose of a body, and drops its [motion](Self::set_motion), if it has one.
    pub fn set_pose(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.pose = pose;
        self.mark_moved(body.index);
        self.drop_motion(body.index);
        Ok(())
    }

    /// Sets the poses of many bodies. Sets none if one of the bodies does not exist.
    pub fn set_poses(&mut self, poses: &[(BodyId, Pose)]) -> Result<(), WorldError> {
        for &(body, _) in poses {
            self.bodies.checked(body)?;
        }
        poses.iter().try_for_each(|&(body, pose)| self.set_pose(body, pose))
    }

    /// Sets the pose of a body from the row-major 3×4 matrix `[R | t]`. Fails if the matrix is not a valid
    /// pose.
    pub fn set_rows(&mut self, body: BodyId, rows: [f64; 12]) -> Result<(), WorldError> {
        let pose = Pose::from_rows(rows).map_err(|source| WorldError::Pose { body, source })?;
        self.set_pose(body, pose)
    }

    /// Sets the poses of many bodies from row-major 3×4 matrices `[R | t]`. Sets none if one of the bodies
    /// does not exist or one of the matrices is not a valid pose.
    pub fn set_many_rows(&mut self, rows: &[(BodyId, [f64; 12])]) -> Result<(), WorldError> {
        let mut poses = std::mem::take(&mut self.poses);
        poses.clear();
        let checked = rows.iter().try_for_each(|&(body, rows)| {
            self.bodies.checked(body)?;
            poses.push(Pose::from_rows(rows).map_err(|source| WorldError::Pose { body, source })?);
            Ok(())
        });
        if checked.is_ok() {
            for (&(body, _), &pose) in rows.iter().zip(&poses) {
                self.set_pose(body, pose)?;
            }
        }
        self.poses = poses;
        checked
    }

    /// Sets the pose of a body that does not move there continuously. The next step reports all pairs it was
    /// part of as ended, and all pairs it is part of now as begun, even if they are the same.
    pub fn teleport(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        self.set_pose(body, pose)?;
        self.teleported.insert(body);
        Ok(())
    }

    /// Leaves out the pair of these two bodies from now on.
    pub fn ignore(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        let pair = self.checked_pair(a, b)?;
        self.ignored.insert(pair);
        Ok(())
    }

    /// Tests the pair of these two bodies again, after [`ignore`](Self::ignore).
    pub fn unignore(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        let pair = self.checked_pair(a, b)?;
        self.ignored.remove(&pair);
        Ok(())
    }

    /// Changes the groups of a body, and the groups it may touch: see [`Body::groups`].
    pub fn set_groups(&mut self, body: BodyId, groups: u32, mask: u32) -> Result<(), WorldError> {
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.filter = Filter { groups, mask };
        self.filters[body.index as usize] = found.filter;
        self.allows_all &= found.filter == Filter::ALL;
        Ok(())
    }

    /// Whether a step compares these two bodies when they are near each other: they exist, are not the same, not
    /// both fixed, and neither groups nor [`ignore`](Self::ignore) leave the pair out.
    pub fn compares(&self, a: BodyId, b: BodyId) -> bool {
        let (Some(one), Some(other)) = (self.bodies.get(a), self.bodies.get(b)) else {
            return false;
        };
        a != b
            && !(one.is_fixed && other.is_fixed)
            && one.filter.allows(other.filter)
            && !self.ignored.contains(&[a.min(b), a.max(b)])
    }

    /// Whether the body exists.
    pub fn contains(&self, body: BodyId) -> bool {
        self.bodies.get(body).is_some()
    }

    /// The pose of a body.
    pub fn pose(&self, body: BodyId) -> Result<Pose, WorldError> {
        self.bodies.checked(body).map(|body| body.pose)
    }

    /// The shape of a body. Fails for a true solid.
    pub fn shape(&self, body: BodyId) -> Result<&Shape, WorldError> {
        match self.bodies.checked(body)? {
            Body { solid: Some(_), .. } => Err(WorldError::Solid { body }),
            found => Ok(&found.shape),
        }
    }

    /// The true solid that a body is; `None` for a body with a shape.
    pub fn solid(&self, body: BodyId) -> Result<Option<&Solid>, WorldError> {
        self.bodies.checked(body).map(|body| body.solid.as_deref())
    }

    /// Whether a body is fixed.
    pub fn is_fixed(&self, body: BodyId) -> Result<bool, WorldError> {
        self.bodies.checked(body).map(|body| body.is_fixed)
    }

    /// A box that encloses a body at its pose; empty if the body has no faces.
    pub fn bounds(&self, body: BodyId) -> Result<Bounds, WorldError> {
        let body = self.bodies.checked(body)?;
        let of_shape = || body.shape.placed_bounds(&body.pose);
        Ok(body.placed_solid().map_or_else(of_shape, |solid| solid.bounds()))
    }

    /// All bodies, sorted by index.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.iter().map(|(id, _)| id)
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn check_method(&self, shape: &Shape) -> Result<Method, WorldError> {
        let found = shape.method();
        match self.method {
            Some(expected) if expected != found => Err(WorldError::Method { expected, found }),
            _ => Ok(found),
        }
    }

    fn checked_pair(&self, a: BodyId, b: BodyId) -> Result<[BodyId; 2], WorldError> {
        self.bodies.checked(a)?;
        self.bodies.checked(b)?;
        Ok([a.min(b), a.max(b)])
    }

    fn mark_moved(&mut self, index: u32) {
        if !std::mem::replace(&mut self.is_moved[index as usize], true) {
            self.moved.push(index);
        }
    }

    /// Prepares for the method of a body.
    fn take_method(&mut self, index: u32) {
        let Some(Body { shape, solid: None, .. }) = self.bodies.at(index) else { return };
        self.has_fronts = shape.has_front();
        // This method is about what it remembers.
        if shape.method() == Method::HULL && !self.memory.is_chosen() {
            self.set_coherence(Coherence::default().skips(false));
        }
        let Some(Body { shape, .. }) = self.bodies.at(index) else { return };
        self.search.take_method(shape);
    }

    /// Begins to follow the motions of a body with a new shape.
    fn follow_motions(&mut self, index: u32) {
        let Some(Body { shape, pose, .. }) = self.bodies.at(index) else { return };
        if self.memory.is_on() {
            self.memory.displacements.add(index, shape, pose);
        }
    }

    /// Computes the box of a body at its pose, and whatever else the broad phase needs, and stores it in the
    /// proxy table.
    fn place(&mut self, index: u32) {
        let Some(body) = self.bodies.at(index) else { return };
        let Body { shape, pose, .. } = body;
        let bounds = match &body.solid {
            None => shape.placed_bounds(pose),
            Some(solid) => solid.placed(pose).bounds(),
        };
        self.proxies.set_bounds(index, bounds);
        if self.memory.is_on() {
            self.memory.displacements.set_pose(index, shape, pose);
        }
        match self.proxies.detail() {
            Detail::Boxes => {}
            Detail::Spheres => {
                if let Some((center, radius)) = shape.placed_sphere(pose) {
                    self.proxies.set_sphere(index, center, radius);
                }
            }
            Detail::Extents(directions) => {
                self.extents.clear();
                shape.placed_extents(pose, directions, &mut self.extents);
                self.proxies.set_extents(index, &self.extents);
            }
            Detail::DopExtents { k } => {
                self.extents.clear();
                shape.placed_dop(pose, k, &mut self.extents);
                self.proxies.set_extents(index, &self.extents);
            }
        }
    }

    /// Updates the broad phase. Returns the number of bodies whose pose was set since the last update.
    fn refresh(&mut self) -> usize {
        let mut moved = std::mem::take(&mut self.moved);
        for &index in &moved {
            self.is_moved[index as usize] = false;
            self.place(index);
        }
        let count = moved.len();
        if std::mem::take(&mut self.has_motion_bounds) {
            moved.clear();
            moved.extend(self.proxies.iter());
            moved.iter().for_each(|&index| self.place(index));
        }
        if !moved.is_empty() {
            self.broad.update(&self.proxies, &moved);
        }
        moved.clear();
        self.moved = moved;
        count
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}
