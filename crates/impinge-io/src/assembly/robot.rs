//! The links and joints of robots.

/// A link of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Its name in the file.
    pub name: String,
    /// Whether it has collision geometry.
    pub has_geometry: bool,
    /// The next link above it that has geometry.
    pub(super) above: Option<u32>,
    /// The topmost of the links without geometry that connect it to the one above. Links of one
    /// such hub are next to each other.
    pub(super) hub: Option<u32>,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// About an axis, within limits, in radians.
    Revolute,
    /// About an axis, without limits, in radians.
    Continuous,
    /// Along an axis, in metres.
    Prismatic,
    /// In a plane; always at rest here.
    Planar,
    /// Freely; always at rest here.
    Floating,
}

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// Its name in the file.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link that carries it.
    pub parent: u32,
    /// The link that it moves.
    pub child: u32,
    /// The least and the largest value.
    pub limits: Option<[f64; 2]>,
    /// Where it stands, in radians or metres.
    pub value: f64,
    /// The joint that it follows.
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
