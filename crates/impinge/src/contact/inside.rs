//! Which vertices of one body lie inside the other, by a walk over the surface from the intersection curve.
//!
//! An edge that crosses the other surface has a vertex inside, or a stretch between two crossings. From there a flood
//! over the edges that do not cross reaches all vertices of that part of the surface. Whether an edge crosses a face is
//! exact, so the flood cannot leave a closed surface. Curves that a flood or a stretch connects bound one overlap.

use super::joints::Joints;
use crate::{Pose, Shape};
use glam::DVec3;

/// An edge of a body that passes through a face of the other.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    body: u8,
    /// The vertices of the edge, the lower one first.
    edge: [u32; 2],
    /// The distance from the first vertex.
    at: f64,
    /// Whether the edge enters the other body, seen from the first vertex.
    enters: bool,
    joint: u32,
}

/// A vertex that lies inside the other body.
#[derive(Clone, Copy, Debug)]
pub(super) struct InsideVertex {
    pub(super) body: u8,
    pub(super) vertex: u32,
    /// A joint of the curve from which it was reached.
    pub(super) joint: u32,
}

/// The mark of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// The number of the search that made the mark.
    search: u32,
    /// The joint from which the vertex was reached; [`NOT_INSIDE`] for a vertex outside or on the other surface.
    label: u32,
}

const NOT_INSIDE: u32 = u32::MAX;

/// The search for vertices inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    crossings: Vec<Crossing>,
    marks: [Vec<Mark>; 2],
    search: u32,
    seeds: Vec<InsideVertex>,
    stack: Vec<u32>,
    pub(super) vertices: Vec<InsideVertex>,
}

impl Inside {
    /// Forgets the last search.
    pub(super) fn clear(&mut self) {
        self.crossings.clear();
        self.seeds.clear();
        self.vertices.clear();
    }

    /// Begins a search in two bodies.
    pub(super) fn begin(&mut self, shapes: [&Shape; 2]) {
        self.clear();
        self.search = self.search.wrapping_add(1);
        for (marks, shape) in self.marks.iter_mut().zip(shapes) {
            // Marks of 2³² searches ago would count as new.
            if self.search == 0 {
                marks.fill(Mark { search: u32::MAX, label: NOT_INSIDE });
            }
            let count = shape.faces_around().vertex_count();
            if marks.len() < count {
                marks
                    .resize(count, Mark { search: self.search.wrapping_sub(1), label: NOT_INSIDE });
            }
        }
    }

    /// Marks a vertex that is on or outside the other surface: a flood ends there.
    pub(super) fn exclude(&mut self, body: usize, vertex: u32) {
        self.marks[body][vertex as usize] = Mark { search: self.search, label: NOT_INSIDE };
    }

    /// Adds a place where an edge passes through a face, at a distance from its first vertex.
    pub(super) fn cross(
        &mut self,
        body: usize,
        [from, to]: [u32; 2],
        [before, after]: [f64; 2],
        enters: bool,
        joint: u32,
    ) {
        let body = body as u8;
        let crossing = match from < to {
            true => Crossing { body, edge: [from, to], at: before, enters, joint },
            false => Crossing { body, edge: [to, from], at: after, enters: !enters, joint },
        };
        self.crossings.push(crossing);
    }

    /// Finds the vertices inside, and connects joints of curves that bound one overlap. `is_open` tells of a joint
    /// whether its curve has loose ends: then vertices are found only at edges that cross.
    pub(super) fn find(&mut self, shapes: [&Shape; 2], joints: &mut Joints, is_open: &[bool]) {
        self.seed(joints);
        for seed in 0..self.seeds.len() {
            let InsideVertex { body, vertex, joint } = self.seeds[seed];
            let mark = self.marks[usize::from(body)][vertex as usize];
            if mark.search == self.search {
                if mark.label != NOT_INSIDE {
                    joints.connect(mark.label, joint);
                }
                continue;
            }
            self.reach(usize::from(body), vertex, joint);
            if !is_open[joint as usize] {
                self.flood(shapes[usize::from(body)], usize::from(body), joint, joints);
            }
            self.stack.clear();
        }
    }

    /// Finds on each edge which of its ends are inside, and the stretches inside between two crossings.
    fn seed(&mut self, joints: &mut Joints) {
        let near = 4.0 * joints.tolerance();
        self.crossings.sort_unstable_by(|p, q| {
            (p.body, p.edge).cmp(&(q.body, q.edge)).then(p.at.total_cmp(&q.at))
        });
        let mut crossings = std::mem::take(&mut self.crossings);
        // Both faces at an edge add its crossings. An edge that enters and leaves in one place only touches.
        crossings.dedup_by(|next, kept| {
            let is_same = (next.body, next.edge, next.enters)
                == (kept.body, kept.edge, kept.enters)
                && next.at - kept.at <= near;
            if is_same {
                joints.connect(next.joint, kept.joint);
            }
            is_same
        });
        for edge in crossings.chunk_by(|p, q| (p.body, p.edge) == (q.body, q.edge)) {
            let is_touch = |k: usize| {
                let is_same_place = |other: &Crossing| {
                    other.enters != edge[k].enters && (other.at - edge[k].at).abs() <= near
                };
                [k.wrapping_sub(1), k + 1].iter().any(|&i| edge.get(i).is_some_and(is_same_place))
            };
            let mut last: Option<Crossing> = None;
            for (k, crossing) in edge.iter().enumerate() {
                if is_touch(k) {
                    continue;
                }
                match last {
                    None => self.end(crossing, 0, !crossing.enters),
                    Some(last) if last.enters && !crossing.enters => {
                        joints.connect(last.joint, crossing.joint);
                    }
                    Some(_) => {}
                }
                last = Some(*crossing);
            }
            if let Some(last) = last {
                self.end(&last, 1, last.enters);
            }
        }
        self.crossings = crossings;
    }

    /// Marks an end of an edge: a seed if it is inside.
    fn end(&mut self, crossing: &Crossing, end: usize, is_inside: bool) {
        let Crossing { body, edge, joint, .. } = *crossing;
        match is_inside {
            true => self.seeds.push(InsideVertex { body, vertex: edge[end], joint }),
            false => self.exclude(usize::from(body), edge[end]),
        }
    }

    fn reach(&mut self, body: usize, vertex: u32, joint: u32) {
        self.marks[body][vertex as usize] = Mark { search: self.search, label: joint };
        self.vertices.push(InsideVertex { body: body as u8, vertex, joint });
        self.stack.push(vertex);
    }

    fn flood(&mut self, shape: &Shape, body: usize, joint: u32, joints: &mut Joints) {
        let faces = shape.faces_around();
        while let Some(vertex) = self.stack.pop() {
            for &face in faces.around(vertex) {
                for next in faces.corners(face).into_iter().filter(|&next| next != vertex) {
                    let mark = self.marks[body][next as usize];
                    if mark.search != self.search {
                        self.reach(body, next, joint);
                    } else if mark.label != NOT_INSIDE && mark.label != joint {
                        joints.connect(mark.label, joint);
                    }
                }
            }
        }
    }
}

impl InsideVertex {
    /// Where the vertex is in the world.
    pub(super) fn place(&self, bodies: [(&Shape, &Pose); 2]) -> DVec3 {
        let (shape, pose) = bodies[usize::from(self.body)];
        pose.place(shape.mesh().positions()[self.vertex as usize])
    }
}
