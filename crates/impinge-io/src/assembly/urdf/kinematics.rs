//! Forward kinematics: joint values and link transforms of a robot.

use super::document::{JointFields, Robot};
use crate::{
    assembly::{JointKind, JointValue, placement::Split, rounding::of_translation},
    error::Fault,
    text::shown,
};
use glam::{DAffine3, DMat3, DVec3};
use impinge::Pose;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The joints of a robot in the order in which they place links and parts. It is made once, and then computes poses
/// for any joint values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Mechanism {
    /// The mimic joints; a joint comes after the one that it mimics.
    followers: Vec<Follower>,
    /// The joints, from the root outward.
    steps: Vec<Step>,
    link_count: usize,
    /// The parts of the robot.
    pub(super) carried: Vec<Carried>,
    /// Conversion from metres to the unit of the assembly.
    pub(super) factor: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Follower {
    joint: usize,
    leader: usize,
    multiplier: f64,
    offset: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Step {
    joint: usize,
    parent: u32,
    child: u32,
    kind: JointKind,
    origin: DAffine3,
    axis: DVec3,
}

/// A part on a link.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Carried {
    /// Index of the part in the assembly.
    pub(super) part: u32,
    /// Index of the link in the robot.
    pub(super) link: u32,
    /// The transform of the mesh relative to the link, including its scale.
    pub(super) local: DAffine3,
}

impl Mechanism {
    pub(super) fn new(robot: &Robot) -> Result<Self, Fault> {
        let above = joints_above(robot)?;
        let step = |link: u32| {
            let number = above[link as usize]?;
            let &JointFields { kind, origin, axis, parent, child, .. } = &robot.joints[number];
            Some(Step { joint: number, parent, child, kind, origin, axis })
        };
        Ok(Self {
            followers: followers(robot)?,
            steps: order(robot, &above)?.into_iter().filter_map(step).collect(),
            link_count: robot.links.len(),
            carried: Vec::new(),
            factor: 1.0,
        })
    }

    /// Returns how far the rounding of the joints' origins may have moved each link.
    pub(super) fn rounding_of_origins(&self) -> Vec<f64> {
        let mut moved = vec![0.0; self.link_count];
        for step in &self.steps {
            moved[step.child as usize] =
                moved[step.parent as usize] + of_translation(step.origin.translation);
        }
        moved
    }

    /// Sets the values of all mimic joints from those of the joints that they mimic.
    pub(crate) fn follow(&self, values: &mut [f64]) {
        for &Follower { joint, leader, multiplier, offset } in &self.followers {
            values[joint] = multiplier * values[leader] + offset;
        }
    }

    /// Computes the transforms of all links. Returns the first joint that places a link beyond the range of numbers.
    pub(crate) fn place_links(
        &self,
        values: &[f64],
        links: &mut Vec<DAffine3>,
    ) -> Result<(), usize> {
        links.clear();
        links.resize(self.link_count, DAffine3::IDENTITY);
        for step in &self.steps {
            let origin = links[step.parent as usize] * step.origin;
            let placed = step.moved(origin, values[step.joint]);
            if !placed.is_finite() {
                return Err(step.joint);
            }
            links[step.child as usize] = placed;
        }
        Ok(())
    }

    /// Sets the poses of the robot's parts; `links` come from [`place_links`](Self::place_links). Returns the first
    /// part that cannot be placed.
    ///
    /// The poses have the same bits as if the robot were read again with these joint values.
    pub(crate) fn place_parts(&self, links: &[DAffine3], poses: &mut [Pose]) -> Result<(), u32> {
        for &Carried { part, link, local } in &self.carried {
            let transform = links[link as usize] * local;
            let (mut linear, mut translation) = (transform.matrix3, transform.translation);
            if self.factor != 1.0 {
                linear *= self.factor;
                translation *= self.factor;
            }
            // What is left of the map, its stretch, is the same for all joint values and already in the mesh.
            let pose = Pose::new(Split::new(linear).rotation, translation);
            poses[part as usize] = pose.map_err(|_| part)?;
        }
        Ok(())
    }

    /// Calls a function for each part of the robot, with its link.
    pub(crate) fn visit_parts(&self, mut visit: impl FnMut(u32, u32)) {
        self.carried.iter().for_each(|carried| visit(carried.part, carried.link));
    }

    /// Returns the conversion from metres to the unit of the assembly.
    pub(crate) fn factor(&self) -> f64 {
        self.factor
    }

    /// Returns the joints from the root to a link: number, kind, and the distance of the joint from that above it, in
    /// metres.
    pub(crate) fn chain(&self, link: u32) -> Vec<(usize, JointKind, f64)> {
        let mut chain = Vec::new();
        let mut link = link;
        // Steps go from the root outward, so one pass backward meets all joints above a link.
        for step in self.steps.iter().rev() {
            if step.child == link {
                chain.push((step.joint, step.kind, step.origin.translation.length()));
                link = step.parent;
            }
        }
        chain.reverse();
        chain
    }

    /// The parent link of every link, and all links with parents before children.
    fn parents(&self) -> (Vec<Option<u32>>, Vec<u32>) {
        let mut parents = vec![None; self.link_count];
        self.steps.iter().for_each(|step| parents[step.child as usize] = Some(step.parent));
        let root = parents.iter().position(Option::is_none).unwrap_or(0) as u32;
        let order = std::iter::once(root).chain(self.steps.iter().map(|step| step.child)).collect();
        (parents, order)
    }

    /// Returns for each link the link from which only fixed joints lead to it: links with the same such link never
    /// move relative to each other.
    pub(crate) fn rigid_bodies(&self) -> Vec<u32> {
        let mut body: Vec<u32> = (0..self.link_count as u32).collect();
        for step in self.steps.iter().filter(|step| !step.kind.is_free()) {
            body[step.child as usize] = body[step.parent as usize];
        }
        body
    }
}

impl Step {
    /// The transform of the child link, from that of the joint.
    fn moved(&self, origin: DAffine3, value: f64) -> DAffine3 {
        let DAffine3 { matrix3, translation } = origin;
        match self.kind {
            JointKind::Revolute | JointKind::Continuous => {
                DAffine3 { matrix3: matrix3 * rotation(self.axis, value), translation }
            }
            JointKind::Prismatic => {
                DAffine3 { matrix3, translation: matrix3 * (self.axis * value) + translation }
            }
            _ => origin,
        }
    }
}

/// Returns the rotation about a unit axis; exactly the identity for the angle 0.
pub(super) fn rotation(axis: DVec3, angle: f64) -> DMat3 {
    if angle == 0.0 {
        return DMat3::IDENTITY;
    }
    // `libm`, not the functions of the platform: the same file gives the same bits everywhere.
    let (sin, cos) = libm::sincos(angle);
    let across = axis * (1.0 - cos);
    let (x, y, z) = (axis.x, axis.y, axis.z);
    DMat3::from_cols(
        across * x + DVec3::new(cos, sin * z, -sin * y),
        across * y + DVec3::new(-sin * z, cos, sin * x),
        across * z + DVec3::new(sin * y, -sin * x, cos),
    )
}

/// Returns the value of every joint: the given value, the rest position, or the value that a mimic joint follows.
///
/// A given value that its joint does not accept is passed over here: it is a mistake in the options, not in the file,
/// and is reported once all files are read.
pub(super) fn values(
    robot: &Robot,
    mechanism: &Mechanism,
    given: &BTreeMap<String, JointValue>,
) -> Result<Vec<f64>, Fault> {
    let value = |joint: &JointFields| {
        let given =
            given.get(&joint.name).and_then(|&value| joint.to_joint(0, 0.0).accept(value).ok());
        let rest = || joint.limits.map_or(0.0, |[lower, upper]| 0_f64.clamp(lower, upper));
        given.unwrap_or_else(rest)
    };
    let mut values: Vec<f64> = robot.joints.iter().map(value).collect();
    mechanism.follow(&mut values);
    for (joint, value) in robot.joints.iter().zip(&values) {
        if !value.is_finite() {
            let name = shown(&joint.name);
            let message =
                format!("the value of the joint `{name}` is {value}, not a finite number");
            return Err(Fault::line(joint.line, message));
        }
    }
    Ok(values)
}

/// Returns the mimic joints; a joint comes after the one that it mimics.
fn followers(robot: &Robot) -> Result<Vec<Follower>, Fault> {
    let names = robot.joints.iter().map(|joint| &*joint.name);
    let numbers: HashMap<&str, usize> = names.zip(0..).collect();
    let mut followers = Vec::new();
    let mut known: Vec<bool> = robot.joints.iter().map(|joint| joint.mimic.is_none()).collect();
    // Mimic joints may mimic mimic joints: follow the chain to a joint whose value is known, then go back.
    let mut chain = Vec::new();
    let mut passed = known.clone();
    for start in 0..robot.joints.len() {
        let mut number = start;
        while !known[number] {
            let joint = &robot.joints[number];
            let Some(mimic) = &joint.mimic else { break };
            if passed[number] {
                let message = format!("the joint `{}` mimics itself", shown(&joint.name));
                return Err(Fault::line(joint.line, message));
            }
            passed[number] = true;
            let Some(&leader) = numbers.get(&*mimic.joint) else {
                let message = format!("there is no joint `{}` to mimic", shown(&mimic.joint));
                return Err(Fault::line(joint.line, message));
            };
            let (multiplier, offset) = (mimic.multiplier, mimic.offset);
            chain.push(Follower { joint: number, leader, multiplier, offset });
            number = leader;
        }
        while let Some(follower) = chain.pop() {
            known[follower.joint] = true;
            followers.push(follower);
        }
    }
    Ok(followers)
}

/// Returns the joint above each link.
fn joints_above(robot: &Robot) -> Result<Vec<Option<usize>>, Fault> {
    let mut above = vec![None; robot.links.len()];
    for (number, joint) in robot.joints.iter().enumerate() {
        let slot = &mut above[joint.child as usize];
        if let Some(other) = slot.replace(number) {
            let link = shown(&robot.links[joint.child as usize].name);
            let other: &JointFields = &robot.joints[other];
            let message = format!(
                "the joint `{}` moves the link `{link}`, as `{}` does",
                shown(&joint.name),
                shown(&other.name)
            );
            return Err(Fault::line(joint.line, message));
        }
    }
    Ok(above)
}

/// Returns all links, parents before children.
fn order(robot: &Robot, joint_above: &[Option<usize>]) -> Result<Vec<u32>, Fault> {
    let mut children = vec![Vec::new(); robot.links.len()];
    for joint in &robot.joints {
        children[joint.parent as usize].push(joint.child);
    }
    let mut roots = (0..robot.links.len()).filter(|&link| joint_above[link].is_none());
    let Some(root) = roots.next() else {
        return Err(Fault::file("the joints form a cycle: every link is the child of a joint"));
    };
    if let Some(second) = roots.next() {
        let message = format!(
            "no joint connects the link `{}` to `{}`",
            shown(&robot.links[second].name),
            shown(&robot.links[root].name)
        );
        return Err(Fault::line(robot.links[second].line, message));
    }
    let mut order = vec![root as u32];
    let mut at = 0;
    while let Some(&link) = order.get(at) {
        order.extend_from_slice(&children[link as usize]);
        at += 1;
    }
    // Each link has at most one joint above it, so no link is reached twice; the links of a cycle are never reached.
    if order.len() < robot.links.len() {
        let mut reached = vec![false; robot.links.len()];
        order.iter().for_each(|&link| reached[link as usize] = true);
        let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
        let name = shown(&robot.links[lost].name);
        let message = format!("the joints of the link `{name}` form a cycle");
        return Err(Fault::line(robot.links[lost].line, message));
    }
    Ok(order)
}

/// Returns for each link the nearest link above it that has geometry, and the topmost of the links without geometry
/// between the two (or up to the root, if no link above has geometry).
pub(super) fn neighbours(robot: &Robot, mechanism: &Mechanism) -> Vec<(Option<u32>, Option<u32>)> {
    let (parents, order) = mechanism.parents();
    let is_bare = |link: u32| robot.links[link as usize].collisions.is_empty();
    let mut found = vec![(None, None); robot.links.len()];
    for &link in &order {
        found[link as usize] = match parents[link as usize] {
            Some(parent) if is_bare(parent) => {
                let (above, hub) = found[parent as usize];
                (above, hub.or(Some(parent)))
            }
            Some(parent) => (Some(parent), None),
            None => (None, None),
        };
    }
    found
}
