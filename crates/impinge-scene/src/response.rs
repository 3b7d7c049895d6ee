//! How bodies respond to hits: they reverse (billiard), or bounce off each other and off walls (free flight).
//! `run.rs` calls this after each step of the world.
//!
//! Bodies in flight touch nothing at the end of each cycle, except for pairs that touched from the start. If
//! bodies touch where a cycle takes them, `set_back.rs` lets them fly the cycle again with hits. This module
//! finds the groups of bodies that have to be set back together, and checks where they are left.

use crate::{
    flight::Forces,
    impact::{self, Party, Region},
    motion::{Flight, Motion, Mover},
    set_back::{Hits, Numbers, Scenery, meets, party},
};
use impinge::{
    Bounds, FacePair, Pose, World, contacts,
    glam::{DMat3, DVec3},
    world::BodyId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Forces, walls and restitution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamics {
    pub(super) forces: Forces,
    /// The share of the normal velocity that is left after a hit, from 0 to 1.
    pub(super) restitution: f64,
    pub(super) room: Option<Bounds>,
}

impl Default for Dynamics {
    fn default() -> Self {
        Self { forces: Forces::default(), restitution: 1.0, room: None }
    }
}

/// Groups are set back at most this often in a cycle. After that, they turn back.
const ROUNDS: usize = 8;

/// The pairs of bodies that touch from the start, and the hits of all cycles.
#[derive(Debug, Default)]
pub(super) struct Response {
    overlapping: BTreeSet<Numbers>,
}

impl Response {
    /// Makes all bodies respond to what they touch after the last step of the world.
    pub(super) fn respond(
        &mut self,
        dynamics: &Dynamics,
        world: &mut World,
        ids: &[BodyId],
        movers: &mut [Mover],
        is_first_cycle: bool,
    ) -> Hits {
        let step = world.last_step();
        let began: Vec<usize> =
            step.began().iter().flatten().map(|body| body.index() as usize).collect();
        let pairs = step.pairs().map(|touch| [touch.a, touch.b].map(|body| body.index() as usize));
        let is_flight = |body: &usize| movers[*body].flight().is_some();
        let touching: Vec<Numbers> = pairs.filter(|pair| pair.iter().any(is_flight)).collect();
        if is_first_cycle {
            self.overlapping = touching.iter().copied().collect();
        }
        let mut hits = self.set_back(dynamics, world, ids, movers, &touching);
        hits.impulses += self.push_apart(dynamics, movers);
        for body in began {
            movers[body].hit();
        }
        if let Some(room) = &dynamics.room {
            movers.iter_mut().for_each(|mover| keep_in(room, mover));
        }
        hits
    }

    /// Sets back the bodies in flight that touch something, in groups of bodies that hit each other.
    fn set_back(
        &mut self,
        dynamics: &Dynamics,
        world: &mut World,
        ids: &[BodyId],
        movers: &mut [Mover],
        touching: &[Numbers],
    ) -> Hits {
        let mut groups = Groups::default();
        for pair in touching.iter().filter(|pair| !self.overlapping.contains(*pair)) {
            let mut flying = pair.iter().copied().filter(|&body| movers[body].flight().is_some());
            match (flying.next(), flying.next()) {
                (Some(a), Some(b)) => groups.join(a, b),
                (Some(a), None) => groups.join(a, a),
                _ => {}
            }
        }
        for (body, mover) in movers.iter().enumerate() {
            if mover.flight().is_some_and(|flight| dynamics.is_beyond_walls(flight, &mover.pose)) {
                groups.join(body, body);
            }
        }
        let mut hits = Hits::default();
        let mut waiting = groups.all();
        for round in 0.. {
            if waiting.is_empty() {
                break;
            }
            let overlapping = &self.overlapping;
            let mut scenery = Scenery { dynamics, world, ids, movers, overlapping };
            for members in &waiting {
                if round < ROUNDS {
                    let Hits { impulses, reversals } = scenery.fly(members.clone());
                    hits.impulses += impulses;
                    hits.reversals += reversals;
                } else {
                    scenery.turn_back(members);
                    hits.reversals += 1;
                }
            }
            let moved: Vec<usize> = waiting.iter().flatten().copied().collect();
            for &body in &moved {
                // The body exists, so this cannot fail.
                let _ = world.set_pose(ids[body], *movers[body].kept_pose());
            }
            let meetings = self.meetings(world, ids, movers, &moved);
            let mut changed = BTreeSet::new();
            for [a, b] in meetings {
                if movers[b].flight().is_none() {
                    // A body that does not fly has moved into one that could not give way.
                    self.overlapping.insert([a.min(b), a.max(b)]);
                } else if groups.root(a) != groups.root(b) {
                    groups.join(a, b);
                    changed.insert(a);
                }
            }
            let roots: BTreeSet<usize> = changed.iter().map(|&body| groups.root(body)).collect();
            waiting = groups.all();
            waiting.retain(|members| roots.contains(&groups.root(members[0])));
        }
        hits
    }

    /// Returns the pairs of a body that was set back and another body that touch where they are left.
    fn meetings(
        &self,
        world: &mut World,
        ids: &[BodyId],
        movers: &[Mover],
        moved: &[usize],
    ) -> Vec<Numbers> {
        let mut meetings = Vec::new();
        for &a in moved {
            let (shape, pose) = (&movers[a].shape, movers[a].kept_pose());
            for id in world.bodies_near(&shape.placed_bounds(pose)) {
                let b = id.index() as usize;
                let is_known = self.overlapping.contains(&[a.min(b), a.max(b)]);
                let (other, other_pose) = (&movers[b].shape, movers[b].kept_pose());
                if !is_known
                    && world.compares(ids[a], id)
                    && meets((shape, pose), (other, other_pose))
                {
                    meetings.push([a, b]);
                }
            }
        }
        meetings
    }

    /// Applies impulses to pairs of bodies that touch from the start, along the mean normal of their faces, until
    /// they have separated. Returns the number of impulses.
    fn push_apart(&mut self, dynamics: &Dynamics, movers: &mut [Mover]) -> usize {
        let mut impulses = 0;
        self.overlapping.retain(|&[a, b]| {
            let placed = [a, b].map(|body| (&movers[body].shape, movers[body].kept_pose()));
            let faces = contacts(placed[0], placed[1]).unwrap_or_default();
            if faces.is_empty() {
                return false;
            }
            let (point, normal) = mean_contact(&movers[a], &movers[b], &faces);
            let mut parties = [a, b].map(|body| party_of(&movers[body]));
            let region = Region { parties: [Some(0), Some(1)], point, normal };
            if impact::resolve(&mut parties, &[region], dynamics.restitution) == Some(1) {
                impulses += 1;
                for (body, party) in [a, b].into_iter().zip(parties) {
                    if let Some(flight) = movers[body].flight_mut() {
                        flight.state.velocity = party.velocity;
                        flight.state.momentum += party.angular_impulse;
                    }
                }
            }
            true
        });
        impulses
    }
}

/// Groups of bodies: a number of a body in the same group for each body, down to a root.
#[derive(Default)]
struct Groups(BTreeMap<usize, usize>);

impl Groups {
    fn root(&self, body: usize) -> usize {
        let mut root = body;
        while let Some(&next) = self.0.get(&root).filter(|&&next| next != root) {
            root = next;
        }
        root
    }

    /// Puts two bodies in one group; a body alone makes a group of its own.
    fn join(&mut self, a: usize, b: usize) {
        let (a_root, b_root) = (self.root(a), self.root(b));
        self.0.entry(a).or_insert(a_root);
        self.0.entry(b).or_insert(b_root);
        let (low, high) = (a_root.min(b_root), a_root.max(b_root));
        self.0.insert(low, low);
        self.0.insert(high, low);
    }

    /// Returns the bodies of each group, all sorted.
    fn all(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &body in self.0.keys() {
            groups.entry(self.root(body)).or_default().push(body);
        }
        groups.into_values().collect()
    }
}

impl Dynamics {
    /// Returns whether a body in flight is beyond a wall at a pose.
    pub(super) fn is_beyond_walls(&self, flight: &Flight, pose: &Pose) -> bool {
        let Some(room) = &self.room else { return false };
        let is_within = |corner: DVec3| corner.cmpge(room.min).all() && corner.cmple(room.max).all();
        !flight.outline.iter().all(|&corner| is_within(pose.place(corner)))
    }

    /// Returns the corner that is farthest beyond each wall, and the direction into the room.
    pub(super) fn corners_beyond_walls(&self, flight: &Flight, pose: &Pose) -> Vec<(DVec3, DVec3)> {
        let Some(room) = &self.room else { return Vec::new() };
        let mut found = Vec::new();
        for inward in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
            let wall = if inward.max_element() > 0.0 { room.min } else { room.max };
            let inside = |corner: DVec3| (pose.place(corner) - wall).dot(inward);
            let depths = flight.outline.iter().map(|&corner| (inside(corner), corner));
            let deepest = depths.min_by(|(a, _), (b, _)| a.total_cmp(b));
            found.extend(
                deepest.filter(|(inside, _)| *inside < 0.0).map(|(_, corner)| (corner, inward)),
            );
        }
        found
    }
}

/// Reflects a billiard body that has passed a wall.
fn keep_in(room: &Bounds, mover: &mut Mover) {
    if !matches!(mover.motion, Motion::Billiard(_)) {
        return;
    }
    let bounds = mover.bounds();
    if bounds.is_empty() {
        return;
    }
    for axis in 0..3 {
        let below = room.min[axis] - bounds.min[axis];
        let above = bounds.max[axis] - room.max[axis];
        if below > 0.0 {
            mover.center[axis] += below;
            mover.velocity[axis] = mover.velocity[axis].abs();
        } else if above > 0.0 {
            mover.center[axis] -= above;
            mover.velocity[axis] = -mover.velocity[axis].abs();
        }
    }
}

/// Returns a body as a party of a hit at the pose where it is left.
fn party_of(mover: &Mover) -> Party {
    match mover.flight() {
        Some(flight) => party(flight, &flight.state),
        None => Party {
            center: mover.center,
            velocity: mover.velocity,
            spin: mover.spin,
            inverse_mass: 0.0,
            inverse_inertia: DMat3::ZERO,
            angular_impulse: DVec3::ZERO,
        },
    }
}

/// Returns the approximate contact point of two bodies, and the direction from the second to the first there.
/// Faces are assumed to be oriented outward.
fn mean_contact(a: &Mover, b: &Mover, faces: &[FacePair]) -> (DVec3, DVec3) {
    let (mut point, mut normal) = (DVec3::ZERO, DVec3::ZERO);
    for pair in faces {
        let [p, q] = [(a, pair.a), (b, pair.b)].map(|(mover, face)| {
            mover.shape.mesh().triangle(face).map(|v| mover.kept_pose().place(v))
        });
        // The middle of the overlap of the two face boxes: the middle of a large face may be far away.
        let [(p_min, p_max), (q_min, q_max)] =
            [p, q].map(|[u, v, w]| (u.min(v).min(w), u.max(v).max(w)));
        point += (p_min.max(q_min) + p_max.min(q_max)) / 2.0;
        normal += normal_of(q) - normal_of(p);
    }
    let [from, to] = [b, a].map(|mover| party_of(mover).center);
    let normal = normal.try_normalize().or_else(|| (to - from).try_normalize());
    (point / faces.len().max(1) as f64, normal.unwrap_or(DVec3::Z))
}

/// Returns the unit normal of a face; zero for a degenerate face.
fn normal_of([u, v, w]: [DVec3; 3]) -> DVec3 {
    (v - u).cross(w - u).normalize_or_zero()
}

/// Kinetic and potential energy of all bodies in free flight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Energy {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
}

/// Returns the energy of all bodies in free flight, if there are any.
pub(super) fn energy(movers: &[Mover], forces: &Forces) -> Option<Energy> {
    let energies = movers.iter().filter_map(Mover::flight).map(|flight| Energy {
        kinetic: flight.rigid.kinetic(&flight.state),
        potential: flight.rigid.potential(&flight.state, forces),
    });
    energies.reduce(|sum, one| Energy {
        kinetic: sum.kinetic + one.kinetic,
        potential: sum.potential + one.potential,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Pose, Shape, World, generate, generate::Random, world::Body};

    /// Shuttles of different mass that fly towards each other.
    fn flock(seed: u64) -> (World, Vec<Mover>) {
        let shape = Shape::new(generate::scaled_to_cube(&generate::shuttle(), 2.0).unwrap());
        let (mut world, mut random) = (World::new(), Random::new(seed));
        let movers = (0..30).map(|i| {
            let place = random.direction() * random.range(1.0, 6.0);
            let pose = Pose::new(random.rotation(), place).unwrap();
            world.add(Body::new(&shape).at(pose)).unwrap();
            let velocity = (random.direction() - place / 6.0) * 0.05;
            let mover = Mover::new(shape.clone(), pose);
            mover.flying(velocity, random.direction() * 0.02, 1.0 + f64::from(i % 3))
        });
        let movers = movers.collect();
        (world, movers)
    }

    /// Total momentum and angular momentum.
    fn momenta(movers: &[Mover]) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for mover in movers {
            let Motion::Flight { mass, inertia } = mover.motion else { continue };
            sum[0] += mover.velocity * mass;
            sum[1] += mover.center.cross(mover.velocity * mass) + mover.spin * inertia;
        }
        sum
    }

    fn fly(dynamics: &Dynamics, seed: u64) -> (Vec<Mover>, usize) {
        let (mut world, mut movers) = flock(seed);
        let ids: Vec<_> = world.bodies().collect();
        let mut hits = 0;
        for cycle in 0..200 {
            for (mover, &id) in movers.iter_mut().zip(&ids).filter(|_| cycle > 0) {
                mover.advance(cycle, &dynamics.forces).unwrap();
                world.set_pose(id, mover.pose).unwrap();
            }
            let step = world.step();
            let before: Vec<DVec3> = movers.iter().map(|mover| mover.velocity).collect();
            dynamics.respond(&mut movers, &step);
            hits += movers.iter().zip(before).filter(|(mover, v)| mover.velocity != *v).count();
        }
        (movers, hits)
    }

    #[test]
    fn elastic_flight_conserves_energy_and_momenta() {
        for seed in 0..4 {
            let (before, (movers, hits)) = (flock(seed).1, fly(&Dynamics::default(), seed));
            assert!(hits > 50, "seed {seed}: {hits} hits prove little");
            let [e, f] = [&before, &movers].map(|movers| energy(movers).unwrap());
            assert!((e - f).abs() < 1e-9 * e, "seed {seed}: energy {e} became {f}");
            for (p, q) in momenta(&before).iter().zip(momenta(&movers)) {
                assert!((*p - q).length() < 1e-9, "seed {seed}: momentum {p} became {q}");
            }
        }
    }

    #[test]
    fn without_restitution_energy_is_lost_and_momentum_is_not() {
        let dynamics = Dynamics { restitution: 0.2, ..Dynamics::default() };
        let (before, (movers, _)) = (flock(5).1, fly(&dynamics, 5));
        let [e, f] = [&before, &movers].map(|movers| energy(movers).unwrap());
        assert!(f < 0.9 * e, "energy {e} became {f}");
        for (p, q) in momenta(&before).iter().zip(momenta(&movers)) {
            assert!((*p - q).length() < 1e-9, "momentum {p} became {q}");
        }
    }

    #[test]
    fn walls_send_back_with_the_restitution() {
        let room = Bounds { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
        let dynamics = Dynamics { restitution: 0.5, room: Some(room), ..Dynamics::default() };
        let shape = Shape::new(generate::sphere(48).unwrap());
        let mut mover = Mover::new(shape, Pose::IDENTITY).flying(DVec3::X * 0.3, DVec3::ZERO, 1.0);
        for cycle in 1..=4 {
            mover.advance(cycle, &dynamics.forces).unwrap();
            dynamics.keep_in(&room, &mut mover);
        }
        assert_eq!(mover.velocity, DVec3::X * -0.15);
        assert!(mover.center.x <= 1.0 + 1e-9, "{}", mover.center);
    }
}
