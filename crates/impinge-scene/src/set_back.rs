//! Sets bodies in free flight back to where they touched nothing, and lets them bounce.
//!
//! `response.rs` calls this for a group of bodies in flight that hit each other, other bodies or walls in one
//! cycle. The group flies again from the start of the cycle, where its bodies touched nothing. Bisection finds
//! a time at which they still touch nothing, and a slightly later time at which they touch. There they get an
//! impulse at each contact region, and fly on. So bodies are only ever left where they touch nothing.
//!
//! A body that comes to rest on another one hits it ever faster. After a few hits at the same time its contacts
//! are *supports* until it hits something else: forces there take up the part of gravity that would press it
//! against them, and it slides, rolls or tips on. If it is stopped again and again, it waits until the next cycle.
//! Only the bodies at such contacts are concerned; the others of the group fly on, and hit them.
//!
//! Normals come from the moment before the hit: two faces that are about to touch have a shortest connection,
//! and its direction is the normal, whether a corner meets a face or an edge meets an edge. The velocities along
//! it decide whether the gap between the faces grows.

use crate::{
    contact_normal::{Gap, contact_normal},
    dynamics::Dynamics,
    flight::{Drive, Rigid, State},
    impact::{self, Party, Region},
    inertia::outer,
    motion::{Flight, Mover},
};
use impinge::{
    Bounds, Pose, World,
    glam::{DMat3, DQuat, DVec3},
    intersects,
    world::BodyId,
};
use std::collections::BTreeSet;

/// Two bodies by number, the lower one first.
pub(super) type Numbers = [usize; 2];

/// How exactly the time of a first contact is found, in cycles. Each bisection is a query of two meshes. The gap that
/// is left is at most the way in this time. Finer, the gaps below bodies at rest would shrink to rounding errors.
const RESOLUTION: f64 = 1.0 / 1024.0;
/// The most hits of a group in one cycle, for each of its bodies. After that, each hit counts as the last one of a
/// stall.
const MOST_HITS: usize = 12;
/// Hits that follow each other without any way in between, after which bodies rest on each other.
const MOST_STALLS: usize = 3;
/// How often a body may come to rest in a cycle.
const MOST_RESTS: usize = 12;
/// The least gap below a body at rest, as a share of the radius of a contact region.
const LEAST_GAP: f64 = 1e-8;
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

impl Hits {
    pub(super) fn plus(self, other: Self) -> Self {
        let Self { impulses, reversals } = other;
        Self { impulses: self.impulses + impulses, reversals: self.reversals + reversals }
    }
}

/// How a body moves until its next hit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Freedom {
    /// It flies and falls.
    Free,
    /// It rests on something. Gravity and the forces of its supports together drive it.
    Supported(Drive),
    /// It stays where it is until the end of the cycle; with the number of a body that does not fly, where it is on that
    /// body, which carries it.
    Waiting(Option<usize>),
}

/// Bodies in flight that hit each other, at a time of the current cycle.
struct Group {
    /// The numbers of the bodies.
    members: Vec<usize>,
    /// The states of the members at `time`.
    states: Vec<State>,
    freedoms: Vec<Freedom>,
    /// How often each member came to rest in this cycle.
    rests: Vec<usize>,
    time: f64,
    /// Pairs of a member and a body that does not fly, which might touch until the end of the cycle.
    obstacles: Vec<(usize, usize)>,
    /// Pairs of members that might touch until the end of the cycle.
    pairs: Vec<(usize, usize)>,
    /// Bodies that do not fly and that members have touched in this cycle: parties of hits, after the members.
    touched: Vec<usize>,
    /// The contacts that have become supports in this cycle.
    supports: Vec<Region>,
}

impl Scenery<'_> {
    /// Lets a group fly from the start of the cycle to its end.
    pub(super) fn fly(&mut self, members: Vec<usize>) -> Hits {
        let mut hits = Hits::default();
        let Some(mut group) = self.group(members) else { return hits };
        let most_hits = MOST_HITS * group.members.len();
        let (mut count, mut stalls) = (0, 0);
        loop {
            self.find_near(&mut group);
            if !self.touches(&group, 1.0) {
                group.states = self.states(&group, 1.0);
                group.time = 1.0;
                break;
            }
            let (mut free, mut hit) = (group.time, 1.0);
            while hit - free > RESOLUTION {
                let middle = (free + hit) / 2.0;
                *(if self.touches(&group, middle) { &mut hit } else { &mut free }) = middle;
            }
            count += 1;
            stalls += 1;
            if free > group.time {
                stalls = 0;
                if count <= most_hits {
                    group.rests.fill(0);
                }
            }
            let contacts = self.contacts(&mut group, free, hit);
            group.states = self.states(&group, free);
            group.time = free;
            let is_resting = stalls >= MOST_STALLS || count > most_hits;
            if is_resting || !self.bounce(&mut group, &contacts, &mut hits) {
                stalls = 0;
                if !self.rest(&mut group, &contacts, &mut hits) {
                    self.stay(&mut group);
                    break;
                }
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

    /// Ends the cycle for a group whose members cannot go on: all of them stay where they are, on a body that does not fly
    /// and moves, if there is one. At this time they touched neither each other nor that body, so they do not at its end.
    fn stay(&self, group: &mut Group) {
        if let Some(carrier) = self.any_carrier(group) {
            group.freedoms.fill(Freedom::Waiting(Some(carrier)));
            group.states = self.states(group, 1.0);
            group.time = 1.0;
        }
    }

    /// Returns a body that moves without flying, and is near a member of a group.
    fn any_carrier(&self, group: &Group) -> Option<usize> {
        group.obstacles.iter().map(|&(_, other)| other).find(|&other| self.is_carrier(other))
    }

    /// Puts bodies back to the start of the cycle and reverses their motion. This is the last resort for bodies that
    /// are too crowded to fly: at the start they touched nothing. If they were near a body that does not fly and moves,
    /// it carries them, so that they do not touch it at the end of the cycle either.
    pub(super) fn turn_back(&mut self, members: &[usize]) {
        let restitution = self.dynamics.restitution;
        let carriers: Vec<Option<usize>> = members.iter().map(|&k| self.carrier_near(k)).collect();
        let shared = carriers.iter().flatten().next().copied();
        for (&member, carrier) in members.iter().zip(carriers) {
            let Some(Flight { rigid, start, start_pose, .. }) = self.movers[member].flight() else {
                continue;
            };
            let (mut state, mut pose, mut around) = (*start, *start_pose, RigidMotion::default());
            if let Some(carrier) = carrier.or(shared) {
                let carried = self.carried(start, carrier, [0.0, 1.0]);
                if let Ok(at) = rigid.pose(&carried) {
                    (state, pose) = (carried, at);
                }
                around = RigidMotion::of_carrier(&self.movers[carrier]);
            }
            state = around.reversed(rigid, &state, restitution);
            if let Some(flight) = self.movers[member].flight_mut() {
                (flight.state, flight.state_pose) = (state, pose);
            }
        }
    }

    /// Returns a body that moves without flying, and is near a body in flight at the start of the cycle.
    fn carrier_near(&mut self, body: usize) -> Option<usize> {
        let mover = &self.movers[body];
        let at_start = mover.shape.placed_bounds(&mover.flight()?.start_pose);
        let near = at_start.grown(self.reach + 0.1 * at_start.size().max_element());
        let found = self.world.bodies_near(&near).into_iter().map(|id| id.index() as usize);
        found.into_iter().find(|&other| self.is_carrier(other) && self.may_touch(body, other))
    }

    /// Returns whether a body moves without flying.
    fn is_carrier(&self, body: usize) -> bool {
        self.movers[body].is_moving() && self.movers[body].flight().is_none()
    }

    fn group(&self, members: Vec<usize>) -> Option<Group> {
        let states: Option<Vec<State>> =
            members.iter().map(|&member| Some(self.movers[member].flight()?.start)).collect();
        let (freedoms, rests) = (vec![Freedom::Free; members.len()], vec![0; members.len()]);
        let states = states?;
        let (obstacles, pairs, touched, supports) = Default::default();
        let time = 0.0;
        Some(Group { members, states, freedoms, rests, time, obstacles, pairs, touched, supports })
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
        let after = |(k, state): (usize, &State)| {
            let Some(flight) = self.flight(group, k).filter(|_| time > group.time) else {
                return *state;
            };
            let (rigid, time) = (&flight.rigid, time - group.time);
            match &group.freedoms[k] {
                Freedom::Free => rigid.after(state, time, &self.dynamics.forces),
                Freedom::Supported(drive) => rigid.driven(state, time, drive),
                Freedom::Waiting(None) => *state,
                Freedom::Waiting(Some(carrier)) => {
                    self.carried(state, *carrier, [group.time, group.time + time])
                }
            }
        };
        group.states.iter().enumerate().map(after).collect()
    }

    /// Returns the state of a body that stays where it is on a body that does not fly, between two times of the cycle.
    /// Velocity and angular momentum are those of the body in flight: it hits its carrier again in the next cycle.
    fn carried(&self, state: &State, carrier: usize, times: [f64; 2]) -> State {
        let carrier = &self.movers[carrier];
        let [Ok(from), Ok(to)] = times.map(|time| carrier.pose_at(time)) else { return *state };
        if from == to {
            return *state;
        }
        let by = from.inverse().then(to);
        let turn = DQuat::from_mat3(&by.rotation());
        let orientation = (turn * state.orientation).normalize();
        State { center: by.place(state.center), orientation, ..*state }
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

    /// Finds the pairs of members, and of members and bodies that do not fly, that might touch until the end of the
    /// cycle.
    fn find_near(&mut self, group: &mut Group) {
        (group.obstacles, group.pairs) = (Vec::new(), Vec::new());
        let [from, to] = [group.time, 1.0].map(|time| self.poses(group, time));
        let mut ways: Vec<(usize, Bounds)> = Vec::new();
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
            let way = way.grown(0.1 * shape.mesh().bounds().size().max_element());
            for id in self.world.bodies_near(&way.grown(self.reach)) {
                let other = id.index() as usize;
                if self.movers[other].flight().is_none() && self.may_touch(number, other) {
                    group.obstacles.push((k, other));
                }
            }
            ways.push((k, way));
        }
        ways.sort_by(|(_, p), (_, q)| p.min.x.total_cmp(&q.min.x));
        for (place, (k, way)) in ways.iter().enumerate() {
            let later = ways[place + 1..].iter().take_while(|(_, other)| other.min.x <= way.max.x);
            for (l, _) in later.filter(|(_, other)| way.overlaps(other)) {
                if self.may_touch(group.members[*k], group.members[*l]) {
                    group.pairs.push((*k.min(l), *k.max(l)));
                }
            }
        }
        group.pairs.sort_unstable();
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
    fn contacts(&self, group: &mut Group, free: f64, hit: f64) -> Contacts {
        let mut found = Contacts { contacts: Vec::new(), gaps: Vec::new(), radius: 0.0 };
        let [before, after] = [free, hit].map(|time| self.poses(group, time));
        let radius = |mover: &Mover| mover.shape.mesh().bounds().size().length() / 2.0;
        let mut add = |parties: [usize; 2], movers: [&Mover; 2], poses: [[&Pose; 2]; 2]| {
            let [[a, b], [a_hit, b_hit]] = poses;
            let faces = impinge::contacts((&movers[0].shape, a_hit), (&movers[1].shape, b_hit));
            let meshes = movers.map(|mover| &**mover.shape.mesh());
            let gaps: Vec<Gap> = faces
                .unwrap_or_default()
                .into_iter()
                .map(|faces| Gap::new(faces, meshes, [a, b]))
                .collect();
            for gap in gaps.iter().filter(|gap| !gap.is_beside(&gaps, meshes)) {
                let Gap { placed: [p, q], closest, .. } = gap;
                if let Some(normal) = contact_normal(p, q, closest) {
                    let point = (closest.a + closest.b) / 2.0;
                    found.contacts.push(Region::new(parties.map(Some), point, normal));
                    found.gaps.push(closest.distance);
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
        for &(k, other) in &group.obstacles {
            let mover = &self.movers[other];
            let [Ok(b), Ok(d)] = [free, hit].map(|time| mover.pose_at(time)) else { continue };
            if let (Some(a), Some(c)) = (&before[k], &after[k]) {
                let known = group.touched.iter().position(|&known| known == other);
                let place = known.unwrap_or(group.touched.len());
                if known.is_none() {
                    group.touched.push(other);
                }
                let movers = [&self.movers[group.members[k]], mover];
                add([k, group.members.len() + place], movers, [[a, &b], [c, &d]]);
            }
        }
        for k in 0..group.members.len() {
            if let (Some(flight), Some(before), Some(after)) =
                (self.flight(group, k), &before[k], &after[k])
            {
                for (corner, normal) in self.dynamics.corners_beyond_walls(flight, after) {
                    let point = before.place(corner);
                    found.contacts.push(Region::new([Some(k), None], point, normal));
                    found.gaps.push(f64::INFINITY);
                }
            }
        }
        found
    }

    /// Applies the impulses of a hit, after which its bodies fly freely. If impulses cannot separate them, their motion
    /// is reversed. Returns `false` if no bodies approach at any contact.
    fn bounce(&self, group: &mut Group, contacts: &Contacts, hits: &mut Hits) -> bool {
        let mut parties = self.parties(group);
        // A body that rests on a floor passes a hit on to the floor.
        let with_supports = |contacts: &[Region]| [contacts, &group.supports].concat();
        let regions = with_supports(&impact::regions(&contacts.contacts, contacts.radius));
        let all = with_supports(&contacts.contacts);
        let restitution = self.dynamics.restitution;
        let mut collide = |regions: &[Region]| impact::collide(&mut parties, regions, restitution);
        // The mean normal of a region may differ from that of a contact at which the bodies still approach.
        let impulses = collide(&regions)
            .and_then(|impulses| Some(impulses + collide(&all)?))
            .filter(|_| !contacts.contacts.is_empty());
        match impulses {
            Some(0) => return false,
            Some(impulses) => {
                hits.impulses += impulses;
                take_impulses(group, &parties);
            }
            None => {
                hits.reversals += 1;
                self.reverse(group, contacts);
            }
        }
        // Bodies that leave a support, or have none, fly freely.
        let parties = self.parties(group);
        let slow = impact::SLOW * impact::fastest(&parties);
        group.supports.retain(|support| support.approach(&parties) <= slow);
        let supported = members_of(&group.supports, group.members.len());
        for (k, freedom) in group.freedoms.iter_mut().enumerate() {
            if matches!(freedom, Freedom::Supported(_)) && !supported.contains(&k) {
                *freedom = Freedom::Free;
            }
        }
        true
    }

    /// Makes contacts supports of the members that touch. Members that have come to rest too often reverse their
    /// motion, unless they are slow, and then wait. Returns whether any member changed.
    fn rest(&self, group: &mut Group, contacts: &Contacts, hits: &mut Hits) -> bool {
        let count = group.members.len();
        let mut touching = contacts.members(count);
        touching.retain(|&k| !matches!(group.freedoms[k], Freedom::Waiting(_)));
        for &k in &touching {
            group.rests[k] += 1;
        }
        let rests = touching.iter().map(|&k| group.rests[k]).max().unwrap_or(0);
        if rests <= MOST_RESTS && !contacts.contacts.is_empty() {
            self.support(group, contacts);
        } else if rests <= MOST_RESTS + 1 && !touching.iter().all(|&k| self.is_slow(group, k)) {
            hits.reversals += 1;
            self.reverse(group, contacts);
        } else {
            let carrier = self.carrier(group, contacts);
            for &k in &touching {
                group.freedoms[k] = Freedom::Waiting(carrier);
            }
        }
        !touching.is_empty()
    }

    /// Returns the body that does not fly and carries those of some contacts: one that touches them or their supports,
    /// or carries a member that does, or is near.
    fn carrier(&self, group: &Group, contacts: &Contacts) -> Option<usize> {
        let regions = contacts.contacts.iter().chain(&group.supports);
        let mut parties = regions.flat_map(|region| region.parties.into_iter().flatten());
        let count = group.members.len();
        let touching = parties.find_map(|party| match party.checked_sub(count) {
            Some(place) => Some(group.touched[place]).filter(|&other| self.is_carrier(other)),
            None => match group.freedoms[party] {
                Freedom::Waiting(carrier) => carrier,
                _ => None,
            },
        });
        touching.or_else(|| self.any_carrier(group))
    }

    /// Returns whether a member is slower than a cycle of free fall would make it.
    fn is_slow(&self, group: &Group, member: usize) -> bool {
        let state = &group.states[member];
        self.flight(group, member).is_some_and(|flight| {
            let end = flight.rigid.after(state, 1.0, &self.dynamics.forces);
            let reach = flight.rigid.spin(state).length() * self.radius(group, member);
            state.velocity.length().max(reach) <= (end.velocity - state.velocity).length()
        })
    }

    fn radius(&self, group: &Group, member: usize) -> f64 {
        self.movers[group.members[member]].shape.mesh().bounds().size().length() / 2.0
    }

    /// Stops the approach at contacts, and makes those that stay closed supports.
    ///
    /// The forces of the supports are those that leave no approach at the end of the cycle, and pull nowhere. At the
    /// beginning there is none either, and accelerations are constant, so there is none in between. Supports neither
    /// open nor close, so their forces do no work.
    fn support(&self, group: &mut Group, contacts: &Contacts) {
        let count = group.members.len();
        let mut parties = self.parties(group);
        // Earlier supports too: a body that rests on a body that rests on a floor needs both.
        let gaps = contacts.gaps.iter().chain(std::iter::repeat(&f64::INFINITY));
        let all: Vec<Region> = contacts.contacts.iter().chain(&group.supports).copied().collect();
        if impact::inelastic(&mut parties, &all).is_none() {
            return;
        }
        let mut touching = members_of(&all, count);
        touching.retain(|&k| !matches!(group.freedoms[k], Freedom::Waiting(_)));
        let time = 1.0 - group.time;
        let gained = |k: usize, velocity: DVec3| {
            let state = State { velocity, ..group.states[k] };
            let end = self.flight(group, k)?.rigid.after(&state, time, &self.dynamics.forces);
            Some(end.velocity - velocity)
        };
        let gains = touching.iter().filter_map(|&k| gained(k, parties[k].velocity));
        // A contact that opens more slowly than this closes again before that would be noticed.
        let slow = gains.map(DVec3::length).fold(0.0, f64::max) / time * 2.0 * RESOLUTION
            + impact::SLOW * impact::fastest(&parties);
        let is_closed = |contact: &Region| contact.approach(&parties) <= slow;
        // A gap that is too narrow for rounding errors is widened.
        let opening = |gap: &f64| (LEAST_GAP * contacts.radius - gap).max(0.0);
        let (closed, supports): (Vec<Region>, Vec<Region>) = (all.iter())
            .zip(gaps)
            .filter(|(contact, _)| is_closed(contact))
            .map(|(contact, gap)| (*contact, Region { opening: opening(gap), ..*contact }))
            .unzip();
        impact::stick(&mut parties, &closed);
        let rest = parties.clone();
        for &k in &touching {
            parties[k].velocity += gained(k, rest[k].velocity).unwrap_or_default();
        }
        let is_stable = impact::inelastic(&mut parties, &supports).is_some();
        take_impulses(group, &rest);
        group.supports = closed;
        for &k in touching.iter().filter(|_| is_stable) {
            let acceleration = (parties[k].velocity - rest[k].velocity) / time;
            let torque = (parties[k].angular_impulse - rest[k].angular_impulse) / time;
            group.freedoms[k] = Freedom::Supported(Drive { acceleration, torque });
        }
    }

    /// Returns the members of a group as parties of a hit, then the bodies that do not fly.
    fn parties(&self, group: &Group) -> Vec<Party> {
        let members = (0..group.members.len())
            .filter_map(|k| Some(party(self.flight(group, k)?, &group.states[k])));
        let obstacles = group.touched.iter().map(|&obstacle| {
            let Mover { center, velocity, spin, .. } = &self.movers[obstacle];
            Party::immovable(*center, *velocity, *spin)
        });
        members.chain(obstacles).collect()
    }

    /// Reverses the motion of the members that take part in contacts, slowed down as by a hit. Members that touch
    /// obstacles or walls go back the way they came, relative to an obstacle that moves. Members that touch only each other reverse their motion relative
    /// to the rigid motion that has the same momentum and angular momentum, so both of these are conserved.
    fn reverse(&self, group: &mut Group, contacts: &Contacts) {
        let count = group.members.len();
        let parties = |region: &Region| region.parties.into_iter().flatten();
        let has_obstacle = contacts.contacts.iter().any(|region| {
            parties(region).any(|party| party >= count) || region.parties[1].is_none()
        });
        let members: Vec<(usize, &Rigid)> = contacts
            .members(count)
            .into_iter()
            .filter_map(|k| Some((k, &self.flight(group, k)?.rigid)))
            .collect();
        let common = match has_obstacle || members.len() < 2 {
            true => self
                .carrier(group, contacts)
                .map_or(RigidMotion::default(), |body| RigidMotion::of_carrier(&self.movers[body])),
            false => RigidMotion::of(members.iter().map(|&(k, rigid)| (rigid, &group.states[k]))),
        };
        for (k, rigid) in members {
            group.states[k] = common.reversed(rigid, &group.states[k], self.dynamics.restitution);
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

    /// Returns the mean motion in a cycle of a body that does not fly.
    fn of_carrier(mover: &Mover) -> Self {
        let Mover { center, velocity, spin, .. } = mover;
        Self { center: *center, velocity: *velocity, spin: *spin }
    }

    /// Returns the state of a body whose motion relative to this one is reversed, and slowed down by the restitution.
    fn reversed(&self, rigid: &Rigid, state: &State, restitution: f64) -> State {
        let around = self.at(state.center);
        let velocity = around - (state.velocity - around) * restitution;
        let spin = self.spin - (rigid.spin(state) - self.spin) * restitution;
        rigid.state(state.center, state.orientation, velocity, spin)
    }

    fn at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }
}

/// Gives the members of a group the velocities that the parties of a hit have after it.
fn take_impulses(group: &mut Group, parties: &[Party]) {
    for (state, party) in group.states.iter_mut().zip(parties) {
        state.velocity = party.velocity;
        state.momentum += party.angular_impulse;
    }
}

/// Contacts of a group.
struct Contacts {
    /// Parties are members of the group, then bodies that do not fly.
    contacts: Vec<Region>,
    /// The width of the gap before each contact; infinite at walls, which bodies may touch.
    gaps: Vec<f64>,
    /// The radius of a contact region.
    radius: f64,
}

impl Contacts {
    /// Returns the members, of a group of `count`, that take part in contacts; all if no contact has a normal.
    fn members(&self, count: usize) -> BTreeSet<usize> {
        match self.contacts.is_empty() {
            true => (0..count).collect(),
            false => members_of(&self.contacts, count),
        }
    }
}

/// Returns the members, of a group of `count`, that are parties of regions.
fn members_of(regions: &[Region], count: usize) -> BTreeSet<usize> {
    let parties = regions.iter().flat_map(|region| region.parties.into_iter().flatten());
    parties.filter(|&party| party < count).collect()
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
