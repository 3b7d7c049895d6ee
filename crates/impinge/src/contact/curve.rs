//! The curve in which two surfaces cross: directed segments between joints, each once, chained into polylines.
//!
//! A segment is directed along `n_b × n_a`, the normals of its two faces. Where the curve runs along an edge, several
//! pairs of faces add the same segment; it counts once, and the sum of their cross products decides its direction. If
//! they cancel, the surfaces touch there but do not cross, and the segment has no direction.

use super::{Polyline, groups::Groups};
use glam::DVec3;

/// A segment between two joints, the lower one first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) joints: [u32; 2],
    /// Positive if the curve runs from the first joint to the second, negative if it runs back, 0 for no direction.
    pub(super) flow: f64,
    /// The number of the pair of faces.
    pub(super) contact: u32,
}

/// Sums of cross products smaller than this are rounding errors.
const NO_FLOW: f64 = 1e-9;

impl Segment {
    /// The joints in the direction of the curve; `None` if it has none.
    pub(super) fn directed(&self) -> Option<[u32; 2]> {
        let [i, j] = self.joints;
        match self.flow {
            flow if flow > NO_FLOW => Some([i, j]),
            flow if flow < -NO_FLOW => Some([j, i]),
            _ => None,
        }
    }
}

/// Leaves each segment once, sorted by joints, and adds up its flows.
pub(super) fn merge_equal(segments: &mut Vec<Segment>) {
    segments.sort_unstable_by_key(|segment| (segment.joints, segment.contact));
    segments.dedup_by(|next, kept| {
        let is_same = next.joints == kept.joints;
        if is_same {
            kept.flow += next.flow;
        }
        is_same
    });
}

/// Polylines of all regions, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    points: Vec<DVec3>,
    /// The end of each polyline in `points`, and whether it is closed.
    ends: Vec<(u32, bool)>,
    used: Vec<bool>,
    at_joint: Groups,
}

impl Lines {
    /// Forgets all polylines, and finds which segments meet at each joint.
    pub(super) fn begin(&mut self, segments: &[Segment], joints: usize) {
        self.points.clear();
        self.ends.clear();
        self.used.clear();
        self.used.resize(segments.len(), false);
        // Each segment is an item twice: for its first and its second joint.
        self.at_joint.fill(joints, segments.iter().flat_map(|segment| segment.joints.map(Some)));
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Chains some of the segments, sorted, into polylines.
    pub(super) fn chain(&mut self, segments: &[Segment], own: &[u32], points: &[DVec3]) {
        let is_inner = |lines: &Self, joint: u32| lines.at_joint.of(joint).len() == 2;
        // Polylines with ends first, so that what is left are loops.
        for &number in own {
            for joint in segments[number as usize].joints {
                if !is_inner(self, joint) && !self.used[number as usize] {
                    self.walk(segments, number, joint, points);
                }
            }
        }
        for &number in own {
            if !self.used[number as usize] {
                self.walk(segments, number, segments[number as usize].joints[0], points);
            }
        }
    }

    /// Adds the polyline that starts at a joint with a segment.
    fn walk(&mut self, segments: &[Segment], first: u32, start: u32, points: &[DVec3]) {
        let from = self.points.len();
        self.points.push(points[start as usize]);
        let (mut number, mut joint) = (first, start);
        let is_closed = loop {
            self.used[number as usize] = true;
            let [i, j] = segments[number as usize].joints;
            joint = if joint == i { j } else { i };
            if joint == start {
                break true;
            }
            self.points.push(points[joint as usize]);
            let around = self.at_joint.of(joint);
            let next = around.iter().map(|item| item / 2).find(|&next| !self.used[next as usize]);
            match next {
                Some(next) if around.len() == 2 => number = next,
                _ => break false,
            }
        };
        let runs_back = segments[first as usize].directed().is_some_and(|[from, _]| from != start);
        if runs_back {
            self.points[from..].reverse();
        }
        self.ends.push((self.points.len() as u32, is_closed));
    }

    /// The polyline with this number.
    pub(super) fn get(&self, number: usize) -> Polyline<'_> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0 as usize);
        let (end, is_closed) = self.ends[number];
        Polyline { points: &self.points[start..end as usize], is_closed }
    }
}
