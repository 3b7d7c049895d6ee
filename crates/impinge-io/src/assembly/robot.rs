//! Links and joints of robots, and which pairs of links are not checked.

use super::urdf::Mechanism;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt, ops::Range};

/// A link of a robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Link {
    /// Name in the file.
    pub name: String,
    /// Whether the link has collision geometry.
    pub has_geometry: bool,
    /// The nearest link above this one in the kinematic tree that has geometry.
    pub(super) above: Option<u32>,
    /// The topmost of the links without geometry between this link and `above`. Links with the same hub are adjacent.
    pub(super) hub: Option<u32>,
}

/// The kind of motion of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JointKind {
    /// No motion.
    Fixed,
    /// Rotation about an axis within limits; values in radians.
    Revolute,
    /// Rotation about an axis without limits; values in radians.
    Continuous,
    /// Translation along an axis; values in metres.
    Prismatic,
    /// Motion in a plane. Not supported: the joint stays at its origin.
    Planar,
    /// Motion in all six degrees of freedom. Not supported: the joint stays at its origin.
    Floating,
}

impl JointKind {
    /// Returns whether one number defines the position of such a joint.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }

    /// Returns the name of the kind in URDF files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Planar => "planar",
            Self::Floating => "floating",
        }
    }
}

impl fmt::Display for JointKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Joint {
    /// Name in the file.
    pub name: String,
    /// The kind of motion.
    pub kind: JointKind,
    /// Index of the parent link.
    pub parent: u32,
    /// Index of the child link, which the joint moves.
    pub child: u32,
    /// The smallest and the largest value, if the joint has limits.
    pub limits: Option<[f64; 2]>,
    /// The value of the joint, in radians or metres.
    pub value: f64,
    /// The name of the joint that this joint mimics.
    pub mimics: Option<String>,
    /// The line in the robot's file.
    pub(super) line: usize,
}

/// A robot of an assembly.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Robot {
    /// Name in the file; empty if it has none.
    pub name: String,
    /// Index into [`Assembly::files`](super::Assembly::files).
    pub file: u32,
    /// Indices into [`Assembly::links`](super::Assembly::links).
    pub links: Range<u32>,
    /// Indices into [`Assembly::joints`](super::Assembly::joints).
    pub joints: Range<u32>,
    /// What moves the parts of the robot.
    pub(super) mechanism: Mechanism,
}

/// What files such as SRDF say about pairs of links.
///
/// Pairs have the smaller index first. A pair that is not listed is checked, unless its links are adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkRules {
    /// Whether each listed pair is checked.
    pub(super) is_checked: HashMap<[u32; 2], bool>,
}

impl LinkRules {
    pub(super) fn get(&self, a: u32, b: u32) -> Option<bool> {
        // Most assemblies have no such file: do not compute a hash for each pair of their parts.
        match self.is_checked.is_empty() {
            true => None,
            false => self.is_checked.get(&[a.min(b), a.max(b)]).copied(),
        }
    }
}

pub(super) fn are_adjacent(links: &[Link], a: u32, b: u32) -> bool {
    let (link_a, link_b) = (&links[a as usize], &links[b as usize]);
    a == b
        || link_a.above == Some(b)
        || link_b.above == Some(a)
        || link_a.hub.is_some() && link_a.hub == link_b.hub
}

pub(super) fn adjacent_links(links: &[Link]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let mut hubs: Vec<(u32, u32)> = Vec::new();
    for (number, link) in links.iter().enumerate().filter(|(_, link)| link.has_geometry) {
        let number = number as u32;
        pairs.extend(link.above.map(|above| [above.min(number), above.max(number)]));
        hubs.extend(link.hub.map(|hub| (hub, number)));
    }
    hubs.sort_unstable();
    for around in hubs.chunk_by(|a, b| a.0 == b.0) {
        for (at, &(_, a)) in around.iter().enumerate() {
            pairs.extend(around[at + 1..].iter().map(|&(_, b)| [a, b]));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
