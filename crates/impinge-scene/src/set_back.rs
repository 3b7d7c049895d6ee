//! Sets bodies in free flight back to where they touched nothing, and lets them bounce.
//!
//! `response.rs` calls this for a group of bodies in flight that hit each other, other bodies or walls in one
//! cycle. The group flies again from the start of the cycle, where its bodies touched nothing. Bisection finds
//! a time at which they still touch nothing, and a slightly later time at which they touch. There they get an
//! impulse at each contact region, and fly on. So bodies are only ever left where they touch nothing.
//!
//! Normals come from the moment before the hit: two faces that are about to touch have a shortest connection,
//! and its direction is the normal, whether a corner meets a face or an edge meets an edge. The velocities along
//! it decide whether the gap between the faces grows.

use crate::{
    dynamics::Dynamics,
    flight::{Rigid, State},
    impact::{self, Party, Region},
    inertia::outer,
    motion::{Flight, Mover},
};
use impinge::{
    Bounds, Pose, World, contacts,
    glam::{DMat3, DVec3},
    intersects,
    narrow::triangles_distance,
    world::BodyId,
};
use std::collections::BTreeSet;

/// Two bodies by number, the lower one first.
pub(super) type Numbers = [usize; 2];

/// Bisections of a cycle for the time of first contact. Each of them is a query of two meshes. The gap that is
/// left is at most the way of 1/1024 cycle.
const HALVINGS: u32 = 10;
/// The most hits of a group in one cycle. After that, the bodies of the group wait until the next cycle. Bodies
/// that come to rest on others hit them ever faster.
const MOST_HITS: usize = 12;
/// The same for hits that follow each other without any way in between.
const MOST_STALLS: usize = 3;
/// Contacts nearer to each other than this share of the smaller body's radius can belong to one region.
const REGION_RADIUS: f64 = 0.1;

/// The bodies of a scene, while some of them are set back.
pub(super) struct Scenery<'s> {
    pub(super) dynamics: &'s Dynamics,
    pub(super) world: &'s mut World,
    pub(super) ids: &'s [BodyId],
    pub(super) movers: &'s mut [Mover],
    /// Pairs of bodies that touched at the start of the cycle, to which none of this applies.
    pub(super) overlapping: &'s BTreeSet<Numbers>,
    /// How far bodies that do not fly move at most in the cycle. Earlier in the cycle they may be that far from where
    /// the world has them.
    pub(super) reach: f64,
}

/// What happened to the bodies of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    /// Impulses, each at one contact region.
    pub(super) impulses: usize,
    /// Times that impulses did not make bodies separate, so that their motion was reversed.
    pub(super) reversals: usize,
}

/// Bodies in flight that hit each other, at a time of the current cycle.
struct Group {
    /// The numbers of the bodies.
    members: Vec<usize>,
    /// The states of the members at `time`.
    states: Vec<State>,
    time: f64,
    /// Pairs of a member and a body that does not fly, which might touch until the end of the cycle.
    obstacles: Vec<(usize, usize)>,
    /// Pairs of members that may touch.
    pairs: Vec<(usize, usize)>,
}

impl Scenery<'_> {
    /// Lets a group fly from the start of the cycle to its end.
    pub(super) fn fly(&mut self, members: Vec<usize>) -> Hits {
        let mut hits = Hits::default();
        let Some(mut group) = self.group(members) else { return hits };
        let mut stalls = 0;
        for _ in 0..MOST_HITS {
            group.obstacles = self.obstacles(&group);
            if !self.touches(&group, 1.0) {
                group.states = self.states(&group, 1.0);
                group.time = 1.0;
                break;
            }
            let (mut free, mut hit) = (group.time, 1.0);
            for _ in 0..HALVINGS {
                let middle = (free + hit) / 2.0;
                *(if self.touches(&group, middle) { &mut hit } else { &mut free }) = middle;
            }
            stalls = if free > group.time { 0 } else { stalls + 1 };
            let contacts = self.contacts(&group, free, hit);
            group.states = self.states(&group, free);
            group.time = free;
            self.bounce(&mut group, &contacts, &mut hits);
            if stalls == MOST_STALLS {
                break;
            }
        }
        let poses = self.poses(&group, group.time);
        for ((&member, state), pose) in group.members.iter().zip(&group.states).zip(poses) {
            if let (Some(flight), Some(pose)) = (self.movers[member].flight_mut(), pose) {
                (flight.state, flight.state_pose) = (*state, pose);
            }
        }
        hits
    }

    /// Puts bodies back to the start of the cycle and reverses their motion. This is the last resort for bodies that
    /// are too crowded to fly: at the start they touched nothing.
    pub(super) fn turn_back(&mut self, members: &[usize]) {
        let restitution = self.dynamics.restitution;
        for &member in members {
            if let Some(flight) = self.movers[member].flight_mut() {
                (flight.state, flight.state_pose) = (flight.start, flight.start_pose);
                flight.state.velocity *= -restitution;
                flight.state.momentum *= -restitution;
            }
        }
    }

    fn group(&self, members: Vec<usize>) -> Option<Group> {
        let states: Option<Vec<State>> =
            members.iter().map(|&member| Some(self.movers[member].flight()?.start)).collect();
        let mut pairs = Vec::new();
        for (k, &a) in members.iter().enumerate() {
            let later = members.iter().enumerate().skip(k + 1);
            pairs.extend(later.filter(|&(_, &b)| self.may_touch(a, b)).map(|(l, _)| (k, l)));
        }
        Some(Group { members, states: states?, time: 0.0, obstacles: Vec::new(), pairs })
    }

    pub(super) fn may_touch(&self, a: usize, b: usize) -> bool {
        self.world.compares(self.ids[a], self.ids[b])
            && !self.overlapping.contains(&[a.min(b), a.max(b)])
    }

    fn flight(&self, group: &Group, member: usize) -> Option<&Flight> {
        self.movers[group.members[member]].flight()
    }

    /// Returns the states of all members at a later time of the cycle.
    fn states(&self, group: &Group, time: f64) -> Vec<State> {
        let after = |(k, state): (usize, &State)| match self.flight(group, k) {
            Some(flight) if time > group.time => {
                flight.rigid.after(state, time - group.time, &self.dynamics.forces)
            }
            _ => *state,
        };
        group.states.iter().enumerate().map(after).collect()
    }

    /// Returns the poses of all members at a later time of the cycle; `None` for a pose that is out of range.
    fn poses(&self, group: &Group, time: f64) -> Vec<Option<Pose>> {
        let states = self.states(group, time);
        let pose = |(k, state): (usize, &State)| match self.flight(group, k) {
            // The very pose that is known to touch nothing, not a rounded copy.
            Some(flight) if time == 0.0 => Some(flight.start_pose),
            flight => flight?.rigid.pose(state).ok(),
        };
        states.iter().enumerate().map(pose).collect()
    }

    /// Returns the bodies that do not fly and that members might touch until the end of the cycle.
    fn obstacles(&mut self, group: &Group) -> Vec<(usize, usize)> {
        let mut obstacles = Vec::new();
        let [from, to] = [group.time, 1.0].map(|time| self.poses(group, time));
        for (k, (from, to)) in from.iter().zip(&to).enumerate() {
            let number = group.members[k];
            let shape = &self.movers[number].shape;
            let [Some(from), Some(to)] =
                [from, to].map(|pose| pose.as_ref().map(|pose| shape.placed_bounds(pose)))
            else {
                continue;
            };
            let way = Bounds { min: from.min.min(to.min), max: from.max.max(to.max) };
            // The way is curved. A margin of a tenth of the body covers turns of up to 50 degrees, and where the
            // body is left in the end is checked against all bodies in any case.
            let margin = self.reach + 0.1 * shape.mesh().bounds().size().max_element();
            for id in self.world.bodies_near(&way.grown(margin)) {
                let other = id.index() as usize;
                if self.movers[other].flight().is_none() && self.may_touch(number, other) {
                    obstacles.push((k, other));
                }
            }
        }
        obstacles
    }

    /// Returns whether a member touches anything at a time: an obstacle, a wall or another member.
    fn touches(&self, group: &Group, time: f64) -> bool {
        let poses = self.poses(group, time);
        let Some(poses) = poses.into_iter().collect::<Option<Vec<Pose>>>() else { return true };
        let shape = |k: usize| &self.movers[group.members[k]].shape;
        group.obstacles.iter().any(|&(k, other)| {
            let mover = &self.movers[other];
            mover
                .pose_at(time)
                .is_ok_and(|pose| meets((shape(k), &poses[k]), (&mover.shape, &pose)))
        }) || group.pairs.iter().any(|&(k, l)| meets((shape(k), &poses[k]), (shape(l), &poses[l])))
            || (group.members.iter().zip(&poses))
                .any(|(&member, pose)| self.dynamics.is_beyond_walls(&self.movers[member], pose))
    }

    /// Returns the contacts of faces that touch at the time `hit`, with points and normals of the time `free`.
    fn contacts(&self, group: &Group, free: f64, hit: f64) -> Contacts {
        let mut found = Contacts { contacts: Vec::new(), obstacles: Vec::new(), radius: 0.0 };
        let [before, after] = [free, hit].map(|time| self.poses(group, time));
        let radius = |mover: &Mover| mover.shape.mesh().bounds().size().length() / 2.0;
        let mut add = |parties: [usize; 2], movers: [&Mover; 2], poses: [[&Pose; 2]; 2]| {
            let [[a, b], [a_hit, b_hit]] = poses;
            let faces = contacts((&movers[0].shape, a_hit), (&movers[1].shape, b_hit));
            for pair in faces.unwrap_or_default() {
                let place = |mover: &Mover, face: u32, pose: &Pose| {
                    mover.shape.mesh().triangle(face).map(|corner| pose.place(corner))
                };
                let closest =
                    triangles_distance(&place(movers[0], pair.a, a), &place(movers[1], pair.b, b));
                if let Some(normal) = (closest.a - closest.b).try_normalize() {
                    let point = (closest.a + closest.b) / 2.0;
                    let parties = parties.map(Some);
                    found.contacts.push(Region { parties, point, normal });
                }
            }
            let smaller = radius(movers[0]).min(radius(movers[1]));
            found.radius = f64::max(found.radius, smaller * REGION_RADIUS);
        };
        for &(k, l) in &group.pairs {
            if let (Some(a), Some(b), Some(c), Some(d)) =
                (&before[k], &before[l], &after[k], &after[l])
            {
                let movers = [k, l].map(|k| &self.movers[group.members[k]]);
                add([k, l], movers, [[a, b], [c, d]]);
            }
        }
        let mut obstacles: Vec<usize> = Vec::new();
        for &(k, other) in &group.obstacles {
            let mover = &self.movers[other];
            let [Ok(b), Ok(d)] = [free, hit].map(|time| mover.pose_at(time)) else { continue };
            if let (Some(a), Some(c)) = (&before[k], &after[k]) {
                let known = obstacles.iter().position(|&known| known == other);
                let place = known.unwrap_or(obstacles.len());
                if known.is_none() {
                    obstacles.push(other);
                }
                let movers = [&self.movers[group.members[k]], mover];
                add([k, group.members.len() + place], movers, [[a, &b], [c, &d]]);
            }
        }
        found.obstacles = obstacles;
        for k in 0..group.members.len() {
            if let (Some(flight), Some(before), Some(after)) =
                (self.flight(group, k), &before[k], &after[k])
            {
                for (corner, normal) in self.dynamics.corners_beyond_walls(flight, after) {
                    let (parties, point) = ([Some(k), None], before.place(corner));
                    found.contacts.push(Region { parties, point, normal });
                }
            }
        }
        found
    }

    /// Applies impulses until the bodies separate. If they do not, their motion is reversed.
    fn bounce(&self, group: &mut Group, contacts: &Contacts, hits: &mut Hits) {
        let mut parties: Vec<Party> = (0..group.members.len())
            .filter_map(|k| Some(party(self.flight(group, k)?, &group.states[k])))
            .collect();
        for &obstacle in &contacts.obstacles {
            let mover = &self.movers[obstacle];
            parties.push(Party {
                center: mover.center,
                velocity: mover.velocity,
                spin: mover.spin,
                inverse_mass: 0.0,
                inverse_inertia: DMat3::ZERO,
                angular_impulse: DVec3::ZERO,
            });
        }
        let regions = impact::regions(&contacts.contacts, contacts.radius);
        let mut separate = |restitution: f64| {
            let joined = impact::resolve(&mut parties, &regions, restitution)?;
            // The mean normal of a region may differ from that of a contact at which the bodies still approach.
            Some(joined + impact::resolve(&mut parties, &contacts.contacts, restitution)?)
        };
        // Bodies that are wedged in can exchange elastic impulses without end.
        let impulses = separate(self.dynamics.restitution).or_else(|| separate(0.0));
        match impulses {
            Some(impulses) if impulses > 0 => {
                hits.impulses += impulses;
                for (state, party) in group.states.iter_mut().zip(&parties) {
                    state.velocity = party.velocity;
                    state.momentum += party.angular_impulse;
                }
            }
            _ => {
                hits.reversals += 1;
                self.reverse(group, contacts);
            }
        }
    }

    /// Reverses the motion of the members that take part in contacts, slowed down as by a hit. Members that touch
    /// obstacles or walls go back the way they came. Members that touch only each other reverse their motion relative
    /// to the rigid motion that has the same momentum and angular momentum, so both of these are conserved.
    fn reverse(&self, group: &mut Group, contacts: &Contacts) {
        let count = group.members.len();
        let parties = |region: &Region| region.parties.into_iter().flatten();
        let has_obstacle = contacts.contacts.iter().any(|region| {
            parties(region).any(|party| party >= count) || region.parties[1].is_none()
        });
        let touching: BTreeSet<usize> = contacts.contacts.iter().flat_map(parties).collect();
        let is_moved = |k: usize| touching.is_empty() || touching.contains(&k);
        let members: Vec<(usize, &Rigid)> = (0..count)
            .filter(|&k| is_moved(k))
            .filter_map(|k| Some((k, &self.flight(group, k)?.rigid)))
            .collect();
        let common = match has_obstacle || members.len() < 2 {
            true => RigidMotion::default(),
            false => RigidMotion::of(members.iter().map(|&(k, rigid)| (rigid, &group.states[k]))),
        };
        for (k, rigid) in members {
            let state = group.states[k];
            let around = common.at(state.center);
            let velocity = around - (state.velocity - around) * self.dynamics.restitution;
            let spin = common.spin - (rigid.spin(&state) - common.spin) * self.dynamics.restitution;
            group.states[k] = rigid.state(state.center, state.orientation, velocity, spin);
        }
    }
}

/// The motion of a rigid body: a velocity at a point, and a spin.
#[derive(Clone, Copy, Default)]
struct RigidMotion {
    center: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

impl RigidMotion {
    /// Returns the rigid motion with the total momentum and angular momentum of some bodies.
    fn of<'b>(bodies: impl Iterator<Item = (&'b Rigid, &'b State)> + Clone) -> Self {
        let mass: f64 = bodies.clone().map(|(rigid, _)| rigid.mass).sum();
        let mean = |value: fn(&State) -> DVec3| {
            bodies.clone().map(|(rigid, state)| value(state) * rigid.mass).sum::<DVec3>() / mass
        };
        let (center, velocity) = (mean(|state| state.center), mean(|state| state.velocity));
        let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for (rigid, state) in bodies {
            let arm = state.center - center;
            momentum += state.momentum + arm.cross(state.velocity) * rigid.mass;
            inertia += rigid.inverse_inertia(state).inverse()
                + (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer(arm))
                    * rigid.mass;
        }
        Self { center, velocity, spin: inertia.inverse() * momentum }
    }

    fn at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }
}

/// Contacts of a group, and the obstacles that take part.
struct Contacts {
    /// Parties are members of the group, then obstacles.
    contacts: Vec<Region>,
    obstacles: Vec<usize>,
    /// The radius of a contact region.
    radius: f64,
}

/// Returns a body in flight as a party of a hit.
pub(super) fn party(flight: &Flight, state: &State) -> Party {
    let Flight { rigid, .. } = flight;
    Party {
        center: state.center,
        velocity: state.velocity,
        spin: rigid.spin(state),
        inverse_mass: 1.0 / rigid.mass,
        inverse_inertia: rigid.inverse_inertia(state),
        angular_impulse: DVec3::ZERO,
    }
}

/// Returns whether two shapes touch. All shapes of a world have the same method.
pub(super) fn meets(a: (&impinge::Shape, &Pose), b: (&impinge::Shape, &Pose)) -> bool {
    intersects(a, b).unwrap_or(false)
}
