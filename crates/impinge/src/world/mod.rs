//! Worlds of many moving bodies: which of them touch, step by step?
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
//! A step has three stages: the boxes of the bodies that were moved, the pairs whose boxes overlap (the
//! [broad](crate::broad) stage), and the faces of those that touch, exactly. So it costs what is near
//! each other, not the square of the number of bodies.
//!
//! | file | what it holds |
//! |---|---|
//! | `body.rs` | [`Body`] and [`BodyId`] |
//! | `step.rs` | [`Step`]: what touches, and what began and ended |
//! | `pairs.rs` | the search of pairs of bodies near each other, on any number of threads |
//! | `query.rs` | what can be asked of a world in between |
//! | `error.rs` | [`WorldError`] |

mod body;
mod error;
mod pairs;
mod query;
mod step;

pub use body::{Body, BodyId};
pub use error::WorldError;
pub use query::{Nearest, WorldContact};
pub use step::{BodyPair, Contact, Step, StepStats, Touch};

use crate::{
    Bounds, Method, Pose, Shape, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
};
use body::{Bodies, Filter};
use pairs::PairSearch;
use std::collections::HashSet;
use step::History;

/// Bodies that stand somewhere, and what touches.
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    /// The method of all shapes, known with the first.
    method: Option<Method>,
    threads: Threads,
    proxies: Proxies,
    broad: Box<dyn BroadPhase>,
    /// Bodies that have moved since their boxes were found, and whether a body is one of them.
    moved: Vec<u32>,
    is_moved: Vec<bool>,
    filters: Vec<Filter>,
    /// Whether all bodies may touch all others, as far as they are not ignored.
    allows_all: bool,
    ignored: HashSet<[BodyId; 2]>,
    /// Bodies that did not move where they are, but were put there.
    teleported: HashSet<BodyId>,
    narrow: PairSearch,
    history: History,
    /// Room for extents along directions.
    extents: Vec<[f64; 2]>,
    /// Room for what a query finds.
    found: Vec<u32>,
    /// Room for poses that are checked before any is set.
    poses: Vec<Pose>,
}

impl World {
    /// An empty world with the broad phase that is the fastest for most.
    pub fn new() -> Self {
        Self::with_broad_phase(Packed::new())
    }

    /// An empty world with a broad phase of choice.
    pub fn with_broad_phase(broad: impl BroadPhase + 'static) -> Self {
        Self {
            bodies: Bodies::default(),
            method: None,
            threads: Threads::One,
            proxies: Proxies::new(broad.wants()),
            broad: Box::new(broad),
            moved: Vec::new(),
            is_moved: Vec::new(),
            filters: Vec::new(),
            allows_all: true,
            ignored: HashSet::new(),
            teleported: HashSet::new(),
            narrow: PairSearch::default(),
            history: History::default(),
            extents: Vec::new(),
            found: Vec::new(),
            poses: Vec::new(),
        }
    }

    /// Says how many threads a step may use. The answer does not depend on it.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// Adds a body. Fails if its shape was prepared by another method than the others.
    pub fn add(&mut self, body: Body) -> Result<BodyId, WorldError> {
        let method = self.check_method(&body.shape)?;
        let (filter, is_moving) = (body.filter, !body.is_fixed);
        let id = self.bodies.insert(body)?;
        self.method = Some(method);
        let index = id.index as usize;
        if index >= self.filters.len() {
            self.filters.resize(index + 1, Filter::ALL);
            self.is_moved.resize(index + 1, false);
        }
        self.filters[index] = filter;
        self.allows_all &= filter == Filter::ALL;
        self.proxies.set(id.index, Bounds::EMPTY, is_moving);
        self.place(id.index);
        self.broad.insert(&self.proxies, id.index);
        Ok(id)
    }

    /// Removes a body. What it touched will have ended with the next step.
    pub fn remove(&mut self, body: BodyId) -> Result<(), WorldError> {
        self.bodies.checked(body)?;
        // Broad phases find a proxy by where they have been told that it is.
        self.refresh();
        self.broad.remove(&self.proxies, body.index);
        self.proxies.clear(body.index);
        self.bodies.remove(body);
        if !self.ignored.is_empty() {
            self.ignored.retain(|pair| !pair.contains(&body));
        }
        self.teleported.remove(&body);
        Ok(())
    }

    /// Puts a body somewhere else.
    pub fn set_pose(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.pose = pose;
        self.mark(body.index);
        Ok(())
    }

    /// Puts many bodies somewhere else: all of them, or, if one is not there, none.
    pub fn set_poses(&mut self, poses: &[(BodyId, Pose)]) -> Result<(), WorldError> {
        for &(body, _) in poses {
            self.bodies.checked(body)?;
        }
        poses.iter().try_for_each(|&(body, pose)| self.set_pose(body, pose))
    }

    /// Puts a body where the row-major 3×4 matrix `[R | t]` says. Fails if that is no pose.
    pub fn set_rows(&mut self, body: BodyId, rows: [f64; 12]) -> Result<(), WorldError> {
        let pose = Pose::from_rows(rows).map_err(|source| WorldError::Pose { body, source })?;
        self.set_pose(body, pose)
    }

    /// Puts many bodies where such matrices say: all of them, or, if one is not there or its matrix no
    /// pose, none.
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

    /// Puts a body somewhere it did not move to: what it touched has ended with the next step, and
    /// what it touches there begins, even if it is the same.
    pub fn teleport(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        self.set_pose(body, pose)?;
        self.teleported.insert(body);
        Ok(())
    }

    /// Never compares two bodies from now on.
    pub fn ignore(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        let pair = self.checked_pair(a, b)?;
        self.ignored.insert(pair);
        Ok(())
    }

    /// Compares two bodies again that were [ignored](Self::ignore).
    pub fn unignore(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        let pair = self.checked_pair(a, b)?;
        self.ignored.remove(&pair);
        Ok(())
    }

    /// Changes the groups of a body, and which groups it may touch: see [`Body::groups`].
    pub fn set_groups(&mut self, body: BodyId, groups: u32, mask: u32) -> Result<(), WorldError> {
        let found = self.bodies.get_mut(body).ok_or(WorldError::NoSuchBody { body })?;
        found.filter = Filter { groups, mask };
        self.filters[body.index as usize] = found.filter;
        self.allows_all &= found.filter == Filter::ALL;
        Ok(())
    }

    /// Whether a body is there.
    pub fn contains(&self, body: BodyId) -> bool {
        self.bodies.get(body).is_some()
    }

    /// Where a body stands.
    pub fn pose(&self, body: BodyId) -> Result<Pose, WorldError> {
        self.bodies.checked(body).map(|body| body.pose)
    }

    /// The shape of a body.
    pub fn shape(&self, body: BodyId) -> Result<&Shape, WorldError> {
        self.bodies.checked(body).map(|body| &body.shape)
    }

    /// Whether a body is fixed.
    pub fn is_fixed(&self, body: BodyId) -> Result<bool, WorldError> {
        self.bodies.checked(body).map(|body| body.is_fixed)
    }

    /// A box that holds a body where it stands; an empty one if it has no faces.
    pub fn bounds(&self, body: BodyId) -> Result<Bounds, WorldError> {
        self.bodies.checked(body).map(|body| body.shape.placed_bounds(&body.pose))
    }

    /// All bodies, by number.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.iter().map(|(id, _)| id)
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
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

    fn mark(&mut self, index: u32) {
        if !std::mem::replace(&mut self.is_moved[index as usize], true) {
            self.moved.push(index);
        }
    }

    /// Finds where a body is now, and tells the table of it.
    fn place(&mut self, index: u32) {
        let Some(Body { shape, pose, .. }) = self.bodies.at(index) else { return };
        self.proxies.set_bounds(index, shape.placed_bounds(pose));
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
        }
    }

    /// Brings the broad phase up to date. Returns how many bodies had moved.
    fn refresh(&mut self) -> usize {
        let mut moved = std::mem::take(&mut self.moved);
        for &index in &moved {
            self.is_moved[index as usize] = false;
            self.place(index);
        }
        if !moved.is_empty() {
            self.broad.update(&self.proxies, &moved);
        }
        let count = moved.len();
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
