//! Links and joints of robots, and which links are adjacent.

/// A link of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq)]
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
