//! Whether robots collide in many configurations: yes or no, as fast as possible. Planners ask this millions of times.
//!
//! [`check_configurations`](crate::check_configurations) finds the verdict of every pair. [`RobotCheck`] stops at the first
//! pair of parts that collide, and examines first the pairs that have collided most often. A pair passes three tests, the
//! cheapest first: do the bounding spheres overlap, do the surfaces meet ([`Pair`], exactly), is one part inside the other
//! (`inside.rs`)?
//!
//! # What counts as a collision
//! Two parts collide if their placed surfaces share a point, exactly as [`Pair::intersects`] decides, or if a connected
//! piece of one lies inside the solid that the other encloses. With a distance, also if the surfaces are at most that far
//! apart. There is no touch band. So of the verdicts of [`check_configurations`](crate::check_configurations),
//! `penetrating`, `inside`, `duplicate` and `fit` are always collisions. `touching` is one if the surfaces meet, and none
//! if they only come within the touch band of each other.

use crate::{
    error::Error,
    filter::{Filter, Pairs},
    inside::Body,
};
use impinge::{FacePair, Pair, Pose, Shape, Threads, Tolerance, glam::DVec3, method::PointScratch};
use impinge_io::assembly::{Assembly, Configurations, Motion};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Robots and the parts around them, prepared to be checked in many configurations.
///
/// ```
/// use impinge_clash::{Pairs, RobotCheck};
/// use impinge_io::assembly::{Configurations, LoadOptions, read};
///
/// let robot = br#"<robot name="lift">
///     <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
///     <link name="arm"><collision><geometry><box size="3 1 1"/></geometry></collision></link>
///     <link name="hand"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
///     <joint name="up" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
///     <joint name="down" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 -1"/></joint></robot>"#;
/// let robot = read(robot, "lift.urdf".as_ref(), &LoadOptions::default())?;
/// let check = RobotCheck::new(robot.into(), &Pairs::default())?;
/// let rows = Configurations::new(check.assembly(), vec![0, 1], vec![3.0, 0.5, 3.0, 2.5])?;
/// // The links that a joint connects touch by design. So only the base and the hand are checked.
/// assert_eq!(check.pairs(), [[0, 2]]);
/// assert_eq!(check.collides(&rows, Default::default(), Default::default())?, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RobotCheck {
    assembly: Arc<Assembly>,
    /// One for each distinct mesh.
    bodies: Vec<Body>,
    pairs: Vec<[u32; 2]>,
    /// The values of the joints where a configuration has none.
    values: Vec<f64>,
    /// Memory of threads that are not at work, reused from call to call.
    idle: Mutex<Vec<Memory>>,
}

/// Two parts that collide. Parts are indices into [`Assembly::parts`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartsInCollision {
    /// The two parts, the smaller index first.
    pub parts: [u32; 2],
    /// Whether a piece of one lies inside the other, and the surfaces do not meet.
    pub is_inside: bool,
    /// The faces that touch, or are within the distance; empty unless they were asked for.
    pub faces: Vec<FacePair>,
}

/// The memory of one thread.
#[derive(Debug, Default)]
struct Memory {
    /// The search of each pair, made when it is first needed.
    searches: Vec<Option<Pair>>,
    /// The pairs in the order in which they are examined.
    order: Vec<u32>,
    /// How often each pair has collided.
    hits: Vec<u32>,
    hits_since_sorted: u32,
    /// Centre and radius of a sphere around each placed part.
    spheres: Vec<(DVec3, f64)>,
    scratch: PointScratch,
}

/// Configurations that a thread checks before it takes others.
const PER_TASK: usize = 64;
/// Collisions after which the pairs are sorted again.
const HITS_PER_SORT: u32 = 64;
/// Slack for the rounding of the distance of two centres.
const ROUNDING: f64 = 1.0 + 1e-9;

impl RobotCheck {
    /// Prepares the meshes of an assembly. The pairs are those that [`check_configurations`](crate::check_configurations)
    /// would check; rules for verdicts are not used.
    ///
    /// # Errors
    /// If [`Pairs::between`] names a group that the assembly does not have.
    pub fn new(assembly: Arc<Assembly>, pairs: &Pairs) -> Result<Self, Error> {
        let shapes: Vec<Shape> =
            assembly.meshes.iter().map(|mesh| Shape::new(mesh.clone())).collect();
        Self::with_shapes(assembly, pairs, shapes)
    }

    /// The same with shapes that were prepared before, one for each of [`Assembly::meshes`].
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    ///
    /// # Panics
    /// If there is no shape for a mesh.
    pub fn with_shapes(
        assembly: Arc<Assembly>,
        pairs: &Pairs,
        shapes: Vec<Shape>,
    ) -> Result<Self, Error> {
        assert_eq!(shapes.len(), assembly.meshes.len(), "one shape for each mesh");
        let (filter, _) = Filter::new(&assembly, pairs)?;
        let mut checked = Vec::new();
        let parts = &assembly.parts;
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                let is_fixed = parts[a].link.is_none() && parts[b].link.is_none();
                if !is_fixed && filter.excludes(a, b).is_none() {
                    checked.push([a as u32, b as u32]);
                }
            }
        }
        let values = assembly.joints.iter().map(|joint| joint.value).collect();
        let bodies = shapes.into_iter().map(Body::new).collect();
        let idle = Mutex::default();
        Ok(Self { assembly, bodies, pairs: checked, values, idle })
    }

    /// The assembly.
    pub fn assembly(&self) -> &Arc<Assembly> {
        &self.assembly
    }

    /// The pairs of parts that are checked, sorted, each with the smaller index first.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Returns which configurations have a collision.
    ///
    /// # Errors
    /// If a configuration places a part beyond the range of numbers.
    pub fn collides(
        &self,
        configurations: &Configurations,
        within: Tolerance,
        threads: Threads,
    ) -> Result<Vec<bool>, Error> {
        self.collides_in(configurations.joints(), configurations.all_values(), within, threads)
    }

    /// The same for rows of values: one for each of the joints, which are indices into [`Assembly::joints`].
    ///
    /// # Errors
    /// If a configuration places a part beyond the range of numbers. Rows count as lines, from 1.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn collides_in(
        &self,
        joints: &[u32],
        rows: &[f64],
        within: Tolerance,
        threads: Threads,
    ) -> Result<Vec<bool>, Error> {
        let width = joints.len().max(1);
        let mut found = vec![false; rows.len() / width];
        let check_some = |(task, found): (usize, &mut [bool])| -> Result<(), Error> {
            let mut memory = self.memory();
            let mut motion = self.assembly.motion();
            let mut values = self.values.clone();
            for (at, found) in found.iter_mut().enumerate() {
                let row = task * PER_TASK + at;
                for (&joint, &value) in joints.iter().zip(&rows[row * width..]) {
                    values[joint as usize] = value;
                }
                let poses = motion
                    .poses(&values)
                    .map_err(|error| Error::Configuration { line: row as u32 + 1, error })?;
                *found = self.any(&mut memory, poses, within);
            }
            self.keep(memory);
            Ok(())
        };
        match threads {
            Threads::One => found.chunks_mut(PER_TASK).enumerate().try_for_each(check_some)?,
            Threads::Pool => {
                found.par_chunks_mut(PER_TASK).enumerate().try_for_each(check_some)?;
            }
        }
        Ok(found)
    }

    /// Returns all pairs of parts that collide in a configuration, given by the values of all joints, sorted. With
    /// `with_faces` also the faces that touch.
    ///
    /// # Errors
    /// If the configuration places a part beyond the range of numbers.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn collisions(
        &self,
        values: &[f64],
        within: Tolerance,
        with_faces: bool,
    ) -> Result<Vec<PartsInCollision>, Error> {
        let mut motion: Motion<'_> = self.assembly.motion();
        let poses =
            motion.poses(values).map_err(|error| Error::Configuration { line: 1, error })?;
        let mut memory = self.memory();
        memory.place(self, poses);
        let mut found = Vec::new();
        for number in 0..self.pairs.len() {
            let Some(is_inside) = self.examine(&mut memory, number, poses, within) else {
                continue;
            };
            let parts = self.pairs[number];
            let mut faces = Vec::new();
            if with_faces && !is_inside {
                let [pose_a, pose_b] = parts.map(|part| &poses[part as usize]);
                let search = memory.search(self, number);
                let Ok(query) = search.at(pose_a, pose_b).within(within);
                faces = query.contacts().to_vec();
            }
            found.push(PartsInCollision { parts, is_inside, faces });
        }
        self.keep(memory);
        Ok(found)
    }

    /// Returns the values of all joints, with those of a row for the joints that it is about.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn values(&self, joints: &[u32], row: &[f64]) -> Vec<f64> {
        let mut values = self.values.clone();
        for (&joint, &value) in joints.iter().zip(row) {
            values[joint as usize] = value;
        }
        values
    }

    fn memory(&self) -> Memory {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Memory {
            searches: self.pairs.iter().map(|_| None).collect(),
            order: (0..self.pairs.len() as u32).collect(),
            hits: vec![0; self.pairs.len()],
            ..Memory::default()
        })
    }

    fn keep(&self, memory: Memory) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    fn body(&self, part: u32) -> &Body {
        &self.bodies[self.assembly.parts[part as usize].mesh]
    }

    /// Whether any pair collides with the parts at these poses.
    fn any(&self, memory: &mut Memory, poses: &[Pose], within: Tolerance) -> bool {
        memory.place(self, poses);
        let collides = |&at: &usize| {
            let number = memory.order[at] as usize;
            self.examine(memory, number, poses, within).is_some()
        };
        let Some(at) = (0..self.pairs.len()).find(collides) else { return false };
        memory.count(at);
        true
    }

    /// Examines a pair. `None` if it does not collide; otherwise whether one part is inside the other, without a contact.
    #[inline]
    fn examine(
        &self,
        memory: &mut Memory,
        number: usize,
        poses: &[Pose],
        within: Tolerance,
    ) -> Option<bool> {
        let parts = self.pairs[number];
        let [(center, radius), (other, reach)] = parts.map(|part| memory.spheres[part as usize]);
        let limit = (radius + reach + within.get()) * ROUNDING;
        // A part without faces has a negative radius.
        if limit < 0.0 || center.distance_squared(other) > limit * limit {
            return None;
        }
        let [pose_a, pose_b] = parts.map(|part| &poses[part as usize]);
        let search = memory.search(self, number);
        let meets = match within.get() {
            0.0 => search.intersects(pose_a, pose_b),
            _ => {
                let Ok(query) = search.at(pose_a, pose_b).within(within);
                query.intersects()
            }
        };
        if meets {
            return Some(false);
        }
        let [a, b] = parts.map(|part| self.body(part));
        let is_inside = a.has_inside(pose_a, (b, pose_b), &mut memory.scratch)
            || b.has_inside(pose_b, (a, pose_a), &mut memory.scratch);
        is_inside.then_some(true)
    }
}

impl Memory {
    /// Computes the spheres around the placed parts.
    fn place(&mut self, check: &RobotCheck, poses: &[Pose]) {
        self.spheres.clear();
        self.spheres.extend((0..).zip(poses).map(|(part, pose)| {
            let nowhere = (DVec3::ZERO, f64::NEG_INFINITY);
            check.body(part).shape.placed_sphere(pose).unwrap_or(nowhere)
        }));
    }

    /// The search of a pair.
    fn search(&mut self, check: &RobotCheck, number: usize) -> &mut Pair {
        let [a, b] = check.pairs[number].map(|part| &check.body(part).shape);
        self.searches[number]
            .get_or_insert_with(|| Pair::new(a, b).expect("one method prepared all shapes"))
    }

    /// Counts a collision, and sorts the pairs now and then.
    fn count(&mut self, at: usize) {
        self.hits[self.order[at] as usize] += 1;
        self.hits_since_sorted += 1;
        if self.hits_since_sorted >= HITS_PER_SORT {
            self.hits_since_sorted = 0;
            let hits = &mut self.hits;
            self.order.sort_by_key(|&pair| std::cmp::Reverse(hits[pair as usize]));
            // Older collisions count less and less.
            hits.iter_mut().for_each(|count| *count -= *count / 4);
        }
    }
}
