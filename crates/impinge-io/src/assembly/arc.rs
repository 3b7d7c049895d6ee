//! How far the vertices of a robot depart from straight lines while its joints move.
//!
//! Let the joint values go linearly from one configuration to another in unit time, with the rates ωₖ of joints that turn
//! and vₖ of joints that slide, numbered from the root. Let ρₖ bound the distance of a vertex from the origin of joint k. In
//! the second derivative of the position, a pair of joints j ≤ k that turn contributes ωⱼ ωₖ times a vector of at most the
//! length ρₖ, because the outer joint turns the velocity that the inner one causes. A joint k that slides below a joint j
//! that turns contributes ωⱼ vₖ twice, and joints below one that slides do not change its velocity. So the acceleration is
//! at most
//!
//! > Σₖ ωₖ ρₖ (ωₖ + 2 Σⱼ ωⱼ) + 2 Σₖ vₖ Σⱼ ωⱼ, with j < k.

use super::{Assembly, JointKind};

/// Bounds on the motion of the parts of robots, for any joint values.
#[derive(Clone, Debug)]
pub struct Arcs {
    /// For each part; empty for parts that belong to no robot.
    chains: Vec<Chain>,
}

#[derive(Clone, Debug, Default)]
struct Chain {
    /// The joints from the root to the part's link: index into [`Assembly::joints`], kind, and distance from the joint
    /// above.
    joints: Vec<(usize, JointKind, f64)>,
    /// Where the values of the robot's joints are converted to the unit of the assembly.
    factor: f64,
    /// The distance of the farthest vertex from the origin of the link.
    radius: f64,
}

impl Assembly {
    /// Returns bounds on the motion of the parts of robots.
    pub fn arcs(&self) -> Arcs {
        let mut chains = vec![Chain::default(); self.parts.len()];
        let mut links = Vec::new();
        for robot in &self.robots {
            let first = robot.joints.start as usize;
            let joints = &self.joints[first..robot.joints.end as usize];
            let values: Vec<f64> = joints.iter().map(|joint| joint.value).collect();
            // These values have placed the robot before.
            let is_placed = robot.mechanism.place_links(&values, &mut links).is_ok();
            let factor = robot.mechanism.factor();
            robot.mechanism.visit_parts(|part, link| {
                let chain = robot.mechanism.chain(link).into_iter();
                let joints =
                    chain.map(|(joint, kind, offset)| (first + joint, kind, offset * factor));
                let origin = links[link as usize].translation * factor;
                let number = part as usize;
                let bounds = self.mesh(number).bounds();
                let middle = self.parts[number].placement.place(bounds.center());
                let radius = (middle - origin).length() + 0.5 * bounds.size().length();
                let radius = if is_placed { radius * (1.0 + 1e-5) } else { f64::INFINITY };
                chains[number] = Chain { joints: joints.collect(), factor, radius };
            });
        }
        Arcs { chains }
    }
}

impl Arcs {
    /// Returns an upper bound on the acceleration of the vertices of a part while all joint values go linearly from one
    /// configuration to another in unit time. Both have a value for each of [`Assembly::joints`], with those of joints
    /// that mimic others, in radians or metres. The bound is 0 if the part does not move, or moves on straight lines.
    ///
    /// So a vertex departs from the straight line between its positions in both configurations by at most an eighth of it.
    ///
    /// # Panics
    /// If there is no such part, or a value is missing.
    pub fn acceleration(&self, part: usize, from: &[f64], to: &[f64]) -> f64 {
        let Chain { joints, factor, radius } = &self.chains[part];
        let rate = |joint: usize| (to[joint] - from[joint]).abs();
        // The sum of the rates of the joints above that turn.
        let mut above: f64 =
            joints.iter().filter(|(_, kind, _)| turns(*kind)).map(|&(joint, ..)| rate(joint)).sum();
        let mut reach = *radius;
        let mut acceleration = 0.0;
        for &(joint, kind, offset) in joints.iter().rev() {
            if turns(kind) {
                let own = rate(joint);
                above = (above - own).max(0.0);
                acceleration += own * reach * (own + 2.0 * above);
            } else if kind == JointKind::Prismatic {
                acceleration += 2.0 * rate(joint) * factor * above;
                reach += from[joint].abs().max(to[joint].abs()) * factor;
            }
            reach += offset;
        }
        acceleration * (1.0 + 1e-9)
    }

    /// Returns whether a part moves while joint values go from one configuration to another.
    ///
    /// # Panics
    /// If there is no such part, or a value is missing.
    pub fn moves(&self, part: usize, from: &[f64], to: &[f64]) -> bool {
        let is_free = |&(joint, kind, _): &(usize, JointKind, f64)| {
            kind.is_free() && from[joint] != to[joint]
        };
        self.chains[part].joints.iter().any(is_free)
    }
}

fn turns(kind: JointKind) -> bool {
    matches!(kind, JointKind::Revolute | JointKind::Continuous)
}
