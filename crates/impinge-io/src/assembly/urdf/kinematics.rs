//! Where the links of a robot stand.

use super::document::{JointFields, Robot};
use crate::{assembly::robot::JointKind, error::Fault, text::shown};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::{BTreeMap, HashMap};

impl JointKind {
    /// Whether one number says where it stands.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// A robot with its joints set.
#[derive(Debug)]
pub(super) struct Stance {
    /// The value of every joint.
    pub(super) values: Vec<f64>,
    /// Where every link stands.
    pub(super) links: Vec<DAffine3>,
    /// The link that carries each.
    pub(super) parents: Vec<Option<u32>>,
    /// All links, parents before children.
    pub(super) order: Vec<u32>,
}

impl Stance {
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
                let message = "what it carries stands beyond the range of numbers";
                return Err(Fault::line(joint.line, message));
            }
            links[link as usize] = placed;
        }
        let parents = joint_above.iter().map(|joint| joint.map(|at| robot.joints[at].parent));
        Ok(Self { values, links, parents: parents.collect(), order })
    }
}

/// The rotation about an axis of length 1; exactly the identity for the angle 0.
pub(super) fn rotation(axis: DVec3, angle: f64) -> DMat3 {
    if angle == 0.0 {
        return DMat3::IDENTITY;
    }
    // Not the platform's functions: the same file gives the same bits everywhere.
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

/// The value of every joint: as given, or at rest, those that follow another after it.
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
                return Err(fault(format!("follows `{other}`, so it cannot be set: set that one")));
            }
            (None, Some(_)) if !joint.kind.is_free() => {
                return Err(fault("cannot be set by a number".into()));
            }
            (None, Some(&value)) => {
                if let Some([lower, upper]) = joint.limits
                    && !(lower..=upper).contains(&value)
                {
                    return Err(fault(format!("goes from {lower} to {upper}, not to {value}")));
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

    // Followers may follow followers: up to one that is known, then back down.
    let mut chain = Vec::new();
    let mut passed = known.clone();
    for start in 0..robot.joints.len() {
        let mut number = start;
        while !known[number] {
            let joint = &robot.joints[number];
            let Some(mimic) = &joint.mimic else { break };
            if passed[number] {
                let message = format!("the joint `{}` follows itself", shown(&joint.name));
                return Err(Fault::line(joint.line, message));
            }
            passed[number] = true;
            chain.push(number);
            let Some(&next) = numbers.get(&*mimic.joint) else {
                let message = format!("there is no joint `{}` to follow", shown(&mimic.joint));
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
                let message = format!("the joint `{}` stands at {value}", shown(&joint.name));
                return Err(Fault::line(joint.line, message));
            }
            values[number] = value;
            known[number] = true;
        }
    }
    Ok(values)
}

/// The joint that moves each link.
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

/// All links, parents before children.
fn order(robot: &Robot, joint_above: &[Option<usize>]) -> Result<Vec<u32>, Fault> {
    let mut children = vec![Vec::new(); robot.links.len()];
    for joint in &robot.joints {
        children[joint.parent as usize].push(joint.child);
    }
    let mut roots = (0..robot.links.len()).filter(|&link| joint_above[link].is_none());
    let Some(root) = roots.next() else {
        return Err(Fault::file("every link is moved by a joint: the joints run in a circle"));
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
    // Each link has one joint above it at most, so none comes twice; those of a circle never come.
    if order.len() < robot.links.len() {
        let mut reached = vec![false; robot.links.len()];
        order.iter().for_each(|&link| reached[link as usize] = true);
        let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
        let name = shown(&robot.links[lost].name);
        let message = format!("the link `{name}` is moved by joints that run in a circle");
        return Err(Fault::line(robot.links[lost].line, message));
    }
    Ok(order)
}

/// For each link, the next one above it with geometry, and the topmost of the links without that
/// are between the two, or above all.
pub(super) fn neighbours(robot: &Robot, stance: &Stance) -> Vec<(Option<u32>, Option<u32>)> {
    let is_bare = |link: u32| robot.links[link as usize].collisions.is_empty();
    let mut found = vec![(None, None); robot.links.len()];
    for &link in &stance.order {
        found[link as usize] = match stance.parents[link as usize] {
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
