//! Forward kinematics: joint values and link transforms of a robot.

use super::document::{JointFields, Robot};
use crate::{assembly::robot::JointKind, error::Fault, text::shown};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::{BTreeMap, HashMap};

impl JointKind {
    /// Returns whether one number defines the position of such a joint.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// A robot with given joint values.
#[derive(Debug)]
pub(super) struct RobotState {
    /// The value of every joint.
    pub(super) values: Vec<f64>,
    /// The transform of every link.
    pub(super) links: Vec<DAffine3>,
    /// The parent link of every link.
    pub(super) parents: Vec<Option<u32>>,
    /// All links, parents before children.
    pub(super) order: Vec<u32>,
}

impl RobotState {
    pub(super) fn new(robot: &Robot, given: &BTreeMap<String, f64>) -> Result<Self, Fault> {
        let values = values(robot, given)?;
        let joint_above = joints_above(robot)?;
        let order = order(robot, &joint_above)?;
        let mut links = vec![DAffine3::IDENTITY; robot.links.len()];
        for &link in &order {
            let Some(number) = joint_above[link as usize] else { continue };
            let joint = &robot.joints[number];
            let placed =
                links[joint.parent as usize] * joint.origin * motion(joint, values[number]);
            if !placed.is_finite() {
                let message = "a link below this joint is beyond the range of numbers";
                return Err(Fault::line(joint.line, message));
            }
            links[link as usize] = placed;
        }
        let parents = joint_above.iter().map(|joint| joint.map(|at| robot.joints[at].parent));
        Ok(Self { values, links, parents: parents.collect(), order })
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

fn motion(joint: &JointFields, value: f64) -> DAffine3 {
    match joint.kind {
        JointKind::Revolute | JointKind::Continuous => {
            DAffine3::from_mat3(rotation(joint.axis, value))
        }
        JointKind::Prismatic => DAffine3::from_translation(joint.axis * value),
        _ => DAffine3::IDENTITY,
    }
}

/// Returns the value of every joint: the given value, the rest position, or the value that a mimic joint follows.
fn values(robot: &Robot, given: &BTreeMap<String, f64>) -> Result<Vec<f64>, Fault> {
    let mut values = vec![0.0; robot.joints.len()];
    let mut known = vec![false; robot.joints.len()];
    let named: Vec<_> = robot.joints.iter().map(|joint| &*joint.name).collect();
    let numbers: HashMap<&str, usize> =
        named.into_iter().enumerate().map(|(number, name)| (name, number)).collect();
    for (number, joint) in robot.joints.iter().enumerate() {
        let fault = |message: String| {
            Fault::line(joint.line, format!("the joint `{}` {message}", shown(&joint.name)))
        };
        let given = given.get(&joint.name);
        match (&joint.mimic, given) {
            (Some(mimic), Some(_)) => {
                let other = shown(&mimic.joint);
                return Err(fault(format!(
                    "mimics `{other}`, so it cannot be set; set `{other}` instead"
                )));
            }
            (None, Some(_)) if !joint.kind.is_free() => {
                return Err(fault("cannot be set, because it has no single value".into()));
            }
            (None, Some(&value)) => {
                if let Some([lower, upper]) = joint.limits
                    && !(lower..=upper).contains(&value)
                {
                    return Err(fault(format!(
                        "has the limits {lower} and {upper}; the value {value} is outside"
                    )));
                }
                values[number] = value;
            }
            (None, None) => {
                values[number] =
                    joint.limits.map_or(0.0, |[lower, upper]| 0_f64.clamp(lower, upper));
            }
            (Some(_), None) => continue,
        }
        known[number] = true;
    }

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
            chain.push(number);
            let Some(&next) = numbers.get(&*mimic.joint) else {
                let message = format!("there is no joint `{}` to mimic", shown(&mimic.joint));
                return Err(Fault::line(joint.line, message));
            };
            number = next;
        }
        while let Some(number) = chain.pop() {
            let joint = &robot.joints[number];
            let Some(mimic) = &joint.mimic else { continue };
            let Some(&other) = numbers.get(&*mimic.joint) else { continue };
            let value = mimic.multiplier * values[other] + mimic.offset;
            if !value.is_finite() {
                let message = format!(
                    "the value of the joint `{}` is {value}, not a finite number",
                    shown(&joint.name)
                );
                return Err(Fault::line(joint.line, message));
            }
            values[number] = value;
            known[number] = true;
        }
    }
    Ok(values)
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
pub(super) fn neighbours(robot: &Robot, state: &RobotState) -> Vec<(Option<u32>, Option<u32>)> {
    let is_bare = |link: u32| robot.links[link as usize].collisions.is_empty();
    let mut found = vec![(None, None); robot.links.len()];
    for &link in &state.order {
        found[link as usize] = match state.parents[link as usize] {
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
