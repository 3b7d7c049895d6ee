//! How bodies respond to hits: they reverse (billiard), or bounce off each other and off walls (free flight).
//! `run.rs` calls this after each step of the world.
//!
//! Bodies in flight touch nothing at the end of each cycle, except for pairs that touched from the start. If
//! bodies touch where a cycle takes them, `set_back.rs` lets them fly the cycle again with hits. This module
//! finds the groups of bodies that have to be set back together, and checks where they are left.

use crate::{
    dynamics::{Dynamics, keep_in},
    flight::Forces,
    impact::{self, Party, Region},
    motion::Mover,
    set_back::{Hits, Numbers, Scenery, meets, party},
};
use impinge::{World, contact::ContactRegions, contacts, world::BodyId};
use std::collections::{BTreeMap, BTreeSet};

/// Groups are set back at most this often in a cycle. After that, they turn back.
const ROUNDS: usize = 8;

/// Responds to contacts, cycle after cycle.
#[derive(Debug, Default)]
pub(super) struct Response {
    /// The pairs of bodies that touch from the start, or because a body that does not fly moved into another one.
    overlapping: BTreeSet<Numbers>,
    /// Finds where these bodies touch. Their ids are not used, so one serves all pairs.
    regions: ContactRegions,
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
        // A body does not respond to contacts with itself.
        let began = step.began().iter().filter(|[a, b]| a != b).flatten();
        let began: Vec<usize> = began.map(|body| body.index() as usize).collect();
        let pairs = step.pairs().filter(|touch| touch.a != touch.b);
        let pairs = pairs.map(|touch| [touch.a, touch.b].map(|body| body.index() as usize));
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
            if dynamics.is_beyond_walls(mover, &mover.pose) {
                groups.join(body, body);
            }
        }
        let mut waiting = groups.all();
        if waiting.is_empty() {
            return Hits::default();
        }
        // The hits of each group, by its first member. A group that flies again replaces those of its members.
        let mut hits: BTreeMap<usize, Hits> = BTreeMap::new();
        let driven = movers.iter().filter(|mover| mover.flight().is_none() && mover.is_moving());
        let reach = driven.map(Mover::way).fold(0.0, f64::max);
        for round in 0.. {
            if waiting.is_empty() {
                break;
            }
            let overlapping = &self.overlapping;
            let mut scenery = Scenery { dynamics, world, ids, movers, overlapping, reach };
            for members in &waiting {
                hits.retain(|first, _| !members.contains(first));
                let found = if round < ROUNDS {
                    scenery.fly(members.clone())
                } else {
                    scenery.turn_back(members);
                    Hits { impulses: 0, reversals: 1 }
                };
                hits.insert(members[0], found);
            }
            let moved: Vec<usize> = waiting.iter().flatten().copied().collect();
            for &body in &moved {
                // The body exists, so this cannot fail.
                let _ = world.set_pose(ids[body], *movers[body].kept_pose());
            }
            let meetings = self.meetings(world, ids, movers, &moved);
            let mut changed = BTreeSet::new();
            for [a, b] in meetings {
                if movers[b].flight().is_some() {
                    if groups.root(a) != groups.root(b) {
                        groups.join(a, b);
                        changed.insert(a);
                    }
                } else if movers[b].is_moving() {
                    // A body that does not fly has moved into one that could not give way.
                    self.overlapping.insert([a.min(b), a.max(b)]);
                } else {
                    // The body turned so far that the obstacle was not found. The last round turns it back.
                    changed.insert(a);
                }
            }
            let roots: BTreeSet<usize> = changed.iter().map(|&body| groups.root(body)).collect();
            waiting = groups.all();
            waiting.retain(|members| roots.contains(&groups.root(members[0])));
        }
        hits.into_values().fold(Hits::default(), Hits::plus)
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

    /// Applies impulses to pairs of bodies that touch from the start, at each contact region along its normal, until
    /// they have separated. Returns the number of impulses.
    fn push_apart(&mut self, dynamics: &Dynamics, movers: &mut [Mover]) -> usize {
        let Self { overlapping, regions } = self;
        let mut impulses = 0;
        overlapping.retain(|&[a, b]| {
            let placed = [a, b].map(|body| (&movers[body].shape, movers[body].kept_pose()));
            let faces = contacts(placed[0], placed[1]).unwrap_or_default();
            if faces.is_empty() {
                return false;
            }
            let mut parties = [a, b].map(|body| party_of(&movers[body]));
            regions.find(placed[0], placed[1], &faces);
            let places: Vec<Region> = regions
                .iter()
                .map(|region| Region::new([Some(0), Some(1)], region.point(), region.normal()))
                .collect();
            let pushed = impact::collide(&mut parties, &places, dynamics.restitution);
            if let Some(pushed) = pushed.filter(|&pushed| pushed > 0) {
                impulses += pushed;
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

/// Returns a body as a party of a hit at the pose where it is left.
fn party_of(mover: &Mover) -> Party {
    match mover.flight() {
        Some(flight) => party(flight, &flight.state),
        None => Party::immovable(mover.center, mover.velocity, mover.spin),
    }
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
    use crate::{flight::Rigid, inertia::Inertia};
    use impinge::{
        Bounds, Mesh, Pose, Shape, generate,
        generate::Random,
        glam::{DMat3, DVec3},
        world::Body,
    };

    fn flying(
        mesh: &Mesh,
        shape: &Shape,
        pose: Pose,
        [velocity, spin]: [DVec3; 2],
        mass: f64,
    ) -> Mover {
        let rigid = Rigid { mass, inertia: Inertia::of(mesh) };
        Mover::new(shape.clone(), pose).flying(velocity, spin, rigid, mesh.positions().into())
    }

    struct Flock {
        world: World,
        ids: Vec<BodyId>,
        movers: Vec<Mover>,
        response: Response,
        hits: Hits,
    }

    impl Flock {
        /// Shuttles of different mass that fly towards each other. Some of them touch from the start.
        fn new(seed: u64) -> Self {
            let mesh = generate::scaled_to_cube(&generate::shuttle(), 2.0).unwrap();
            let shape = Shape::new(mesh.clone());
            let mut random = Random::new(seed);
            let movers = (0..30).map(|i| {
                let place = random.direction() * random.range(1.0, 6.0);
                let pose = Pose::new(random.rotation(), place).unwrap();
                let velocity = (random.direction() - place / 6.0) * 0.05;
                let motion = [velocity, random.direction() * 0.02];
                flying(&mesh, &shape, pose, motion, 1.0 + f64::from(i % 3))
            });
            Self::of(movers.collect())
        }

        fn of(movers: Vec<Mover>) -> Self {
            let mut world = World::new();
            let add = |mover: &Mover| world.add(Body::new(&mover.shape).at(mover.pose)).unwrap();
            let ids = movers.iter().map(add).collect();
            Self { world, ids, movers, response: Response::default(), hits: Hits::default() }
        }

        /// Runs cycles, and checks that bodies touch nothing where they are left.
        fn fly(&mut self, dynamics: &Dynamics, cycles: u64) {
            for cycle in 0..cycles {
                let Self { world, ids, movers, response, hits } = self;
                for (mover, &id) in movers.iter_mut().zip(ids.iter()).filter(|_| cycle > 0) {
                    mover.advance(cycle, &dynamics.forces).unwrap();
                    world.set_pose(id, mover.pose).unwrap();
                }
                world.step();
                let found = response.respond(dynamics, world, ids, movers, cycle == 0);
                hits.impulses += found.impulses;
                hits.reversals += found.reversals;
                for pair in touching(movers) {
                    let is_known = response.overlapping.contains(&pair);
                    assert!(is_known, "cycle {cycle}: bodies {pair:?} were left in contact");
                }
            }
        }

        /// Total momentum and angular momentum.
        fn momenta(&self) -> [DVec3; 2] {
            let mut sum = [DVec3::ZERO; 2];
            for flight in self.movers.iter().filter_map(Mover::flight) {
                let momentum = flight.state.velocity * flight.rigid.mass;
                sum[0] += momentum;
                sum[1] += flight.state.center.cross(momentum) + flight.state.momentum;
            }
            sum
        }

        fn energy(&self, dynamics: &Dynamics) -> f64 {
            let Energy { kinetic, potential } = energy(&self.movers, &dynamics.forces).unwrap();
            kinetic + potential
        }
    }

    /// The pairs that touch where the bodies are left, by a loop over all pairs.
    fn touching(movers: &[Mover]) -> Vec<Numbers> {
        let placed: Vec<_> = movers.iter().map(|mover| (&mover.shape, mover.kept_pose())).collect();
        let pairs = (0..placed.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
        pairs.filter(|&[a, b]| meets(placed[a], placed[b])).collect()
    }

    #[test]
    fn elastic_flight_conserves_energy_and_momenta() {
        let dynamics = Dynamics::default();
        for seed in 0..4 {
            let mut flock = Flock::new(seed);
            let (energy, momenta) = (flock.energy(&dynamics), flock.momenta());
            flock.fly(&dynamics, 200);
            assert!(flock.hits.impulses > 30, "seed {seed}: {:?} prove little", flock.hits);
            assert_eq!(flock.hits.reversals, 0, "seed {seed}");
            let after = flock.energy(&dynamics);
            assert!((energy - after).abs() < 1e-9 * energy, "seed {seed}: {energy} became {after}");
            for (p, q) in momenta.iter().zip(flock.momenta()) {
                assert!((*p - q).length() < 1e-9, "seed {seed}: momentum {p} became {q}");
            }
        }
    }

    #[test]
    fn without_restitution_energy_is_lost_and_momentum_is_not() {
        let dynamics = Dynamics { restitution: 0.2, ..Dynamics::default() };
        let mut flock = Flock::new(5);
        let (energy, momenta) = (flock.energy(&dynamics), flock.momenta());
        flock.fly(&dynamics, 200);
        let after = flock.energy(&dynamics);
        assert!(after < 0.9 * energy, "energy {energy} became {after}");
        for (p, q) in momenta.iter().zip(flock.momenta()) {
            assert!((*p - q).length() < 1e-9, "momentum {p} became {q}");
        }
    }

    /// A block in a room, with nothing but walls to hit, and a corner first.
    #[test]
    fn walls_turn_bodies_and_keep_their_energy() {
        let room = Bounds { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
        let gravity = DVec3::new(0.0, 0.0, -0.003);
        let forces = Forces { gravity, toward: None };
        let dynamics = Dynamics { forces, room: Some(room), ..Dynamics::default() };
        let mesh = generate::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap();
        let motion = [DVec3::new(0.1, 0.03, 0.0), DVec3::new(0.0, 0.02, 0.01)];
        let block = flying(&mesh, &Shape::new(mesh.clone()), Pose::IDENTITY, motion, 1.0);
        let mut flock = Flock::of(vec![block]);
        let energy = flock.energy(&dynamics);
        let spin = |flock: &Flock| flock.movers[0].flight().unwrap().state.momentum;
        let before = spin(&flock);
        flock.fly(&dynamics, 1000);
        let after = flock.energy(&dynamics);
        assert!((energy - after).abs() < 1e-9 * energy.abs(), "{energy} became {after}");
        assert!(flock.hits.impulses > 40 && spin(&flock) != before, "{:?}", flock.hits);
        let block = &flock.movers[0];
        assert!(!dynamics.is_beyond_walls(block, block.kept_pose()));
    }

    /// A ball that falls on a floor, with a thousandth of its size per cycle at most.
    #[test]
    fn a_ball_comes_to_rest_on_a_floor_and_not_in_it() {
        let forces = Forces { gravity: DVec3::Z * -0.001, toward: None };
        let dynamics = Dynamics { forces, restitution: 0.5, ..Dynamics::default() };
        let floor = Shape::new(generate::cuboid(DVec3::new(9.0, 9.0, 1.0)).unwrap());
        let floor = Mover::new(floor, Pose::from_translation(DVec3::Z * -0.5).unwrap());
        let mesh = generate::sphere(168).unwrap();
        let at = Pose::from_translation(DVec3::new(0.1, 0.2, 1.3)).unwrap();
        let ball = flying(&mesh, &Shape::new(mesh.clone()), at, [DVec3::ZERO; 2], 1.0);
        let mut flock = Flock::of(vec![floor, ball]);
        let mut energy = flock.energy(&dynamics);
        for _ in 0..10 {
            flock.fly(&dynamics, 50);
            let now = flock.energy(&dynamics);
            assert!(now < energy + 1e-12, "{energy} became {now}");
            energy = now;
        }
        let height = flock.movers[1].flight().unwrap().state.center.z;
        assert!((0.9..1.05).contains(&height), "the centre of the ball is at {height}");
    }

    fn floor() -> Mover {
        let floor = Shape::new(generate::cuboid(DVec3::new(40.0, 9.0, 1.0)).unwrap());
        Mover::new(floor, Pose::from_translation(DVec3::Z * -0.5).unwrap())
    }

    fn block(at: DVec3, velocity: DVec3) -> Mover {
        let mesh = generate::cuboid(DVec3::ONE).unwrap();
        let pose = Pose::from_translation(at).unwrap();
        flying(&mesh, &Shape::new(mesh.clone()), pose, [velocity, DVec3::ZERO], 1.0)
    }

    /// There is no friction: a block that slides over a floor keeps its velocity along it.
    #[test]
    fn a_block_slides_over_a_floor() {
        let forces = Forces { gravity: DVec3::Z * -0.002, toward: None };
        for restitution in [0.0, 0.5, 0.9] {
            let dynamics = Dynamics { forces, restitution, ..Dynamics::default() };
            let start = DVec3::new(0.0, 0.0, 0.52);
            let mut flock = Flock::of(vec![floor(), block(start, DVec3::X * 0.02)]);
            flock.fly(&dynamics, 200);
            let state = flock.movers[1].flight().unwrap().state;
            let message = format!("restitution {restitution}: {state:?}, {:?}", flock.hits);
            assert_eq!(flock.hits.reversals, 0, "{message}");
            assert!((state.velocity.x - 0.02).abs() < 1e-4, "{message}");
            assert!((state.center.x - 199.0 * 0.02).abs() < 0.04, "{message}");
            assert!((0.5..0.53).contains(&state.center.z), "{message}");
        }
    }

    /// The edges between the faces of a flat floor do not stop a block that slides over them. Only for these
    /// orientations: at others (0.7 with a restitution of 0.5) an edge can still stop it.
    #[test]
    fn a_block_slides_over_a_floor_of_many_faces() {
        let forces = Forces { gravity: DVec3::Z * -0.002, toward: None };
        let mesh = generate::bar(DVec3::new(40.0, 9.0, 1.0), [157, 31, 2]).unwrap();
        for (restitution, turn) in [(0.0, 0.0), (0.1, 0.3)] {
            let dynamics = Dynamics { forces, restitution, ..Dynamics::default() };
            let floor = Pose::from_translation(DVec3::Z * -0.5).unwrap();
            let floor = Mover::new(Shape::new(mesh.clone()), floor);
            let solid = generate::bar(DVec3::ONE, [5, 3, 2]).unwrap();
            let at = Pose::new(DMat3::from_rotation_z(turn), DVec3::new(-4.0, 0.0, 0.52)).unwrap();
            let motion = [DVec3::new(0.02, 0.003, 0.0), DVec3::ZERO];
            let block = flying(&solid, &Shape::new(solid.clone()), at, motion, 1.0);
            let mut flock = Flock::of(vec![floor, block]);
            flock.fly(&dynamics, 300);
            let state = flock.movers[1].flight().unwrap().state;
            let message = format!("restitution {restitution}: {state:?}, {:?}", flock.hits);
            assert_eq!(flock.hits.reversals, 0, "{message}");
            assert!((state.velocity.x - 0.02).abs() < 1e-4, "{message}");
            assert!((state.velocity.y - 0.003).abs() < 1e-4, "{message}");
            assert!((0.5..0.53).contains(&state.center.z), "{message}");
        }
    }

    /// A floor that moves up and down throws bodies up and catches them, and they never stay in it.
    #[test]
    fn blocks_dance_on_a_floor_that_vibrates() {
        let gravity = 0.001;
        let forces = Forces { gravity: DVec3::Z * -gravity, toward: None };
        for restitution in [0.0, 0.4] {
            let dynamics = Dynamics { forces, restitution, ..Dynamics::default() };
            let floor = floor().vibrating([DVec3::Z * 0.05, DVec3::X * 0.002], 20.0, 0.0).unwrap();
            let blocks = (0..8).map(|i| {
                let at = DVec3::new(f64::from(i % 3) * 0.8, 0.0, 1.0 + f64::from(i) * 1.2);
                block(at, DVec3::X * 0.001)
            });
            let mut flock = Flock::of([floor].into_iter().chain(blocks).collect());
            let (mut highest, mut on_floor) = (0.0, 0);
            for round in 0..6 {
                flock.fly(&dynamics, 50);
                let known = &flock.response.overlapping;
                let message = format!("restitution {restitution}, round {round}");
                assert!(known.is_empty(), "{message}: the floor is in {known:?}");
                let centers = flock.movers.iter().filter_map(Mover::flight).map(|f| f.state.center);
                for DVec3 { x, y, z } in centers {
                    // Blocks may slide off the floor. It reaches 0.05 down, and as far as its tilt takes it.
                    if x.abs() < 20.0 && y.abs() < 4.5 {
                        assert!(z > 0.5 - 0.05 - 0.002 * 4.5, "{message}: a block at {z}");
                        highest = f64::max(highest, z);
                        on_floor += 1;
                    }
                }
            }
            assert!(on_floor > 30, "restitution {restitution}: {on_floor} places");
            assert!(highest > 1.0, "restitution {restitution}: no block is thrown up: {highest}");
        }
    }

    /// A block that rests on a floor does not stop another one that falls on it.
    #[test]
    fn a_block_falls_on_another_that_rests() {
        let forces = Forces { gravity: DVec3::Z * -0.002, toward: None };
        for restitution in [0.0, 0.3, 0.9] {
            let dynamics = Dynamics { forces, restitution, ..Dynamics::default() };
            let [low, high] =
                [(0.501, 0.0), (9.0, -0.3)].map(|(z, speed)| block(DVec3::Z * z, DVec3::Z * speed));
            let mut flock = Flock::of(vec![floor(), low, high]);
            let mut energy = flock.energy(&dynamics);
            let mut lowest = f64::INFINITY;
            for _ in 0..10 {
                flock.fly(&dynamics, 30);
                let now = flock.energy(&dynamics);
                assert!(now < energy + 1e-9, "restitution {restitution}: {energy} became {now}");
                energy = now;
                lowest = flock.movers[2].flight().unwrap().state.center.z.min(lowest);
            }
            assert!(lowest < 1.6 || restitution > 0.5, "restitution {restitution}: {lowest}");
            assert!(lowest < 4.0, "restitution {restitution}: {lowest}");
        }
    }

    /// A body that is moved by the scene pushes one in flight, and does not pass through it.
    #[test]
    fn a_steady_body_pushes_a_flying_one() {
        let mesh = generate::sphere(168).unwrap();
        let shape = Shape::new(mesh.clone());
        let pusher = Mover::new(shape.clone(), Pose::from_translation(DVec3::X * -3.0).unwrap());
        let pusher = pusher.steady(DVec3::X * 0.05, DVec3::ZERO);
        let ball = flying(&mesh, &shape, Pose::IDENTITY, [DVec3::ZERO; 2], 1.0);
        let mut flock = Flock::of(vec![pusher, ball]);
        flock.fly(&Dynamics::default(), 60);
        let state = flock.movers[1].flight().unwrap().state;
        assert!(flock.hits.impulses > 0 && flock.hits.reversals == 0, "{:?}", flock.hits);
        // Twice the velocity of the pusher, less what goes into other directions.
        assert!(state.velocity.x > 0.08 && state.velocity.x <= 0.1 + 1e-9, "{}", state.velocity);
    }

    /// The same cuboid with four times as many faces.
    fn subdivided(mesh: &Mesh) -> Mesh {
        let halves = |[p, q, r]: [DVec3; 3]| {
            let [s, t, u] = [(p + q) / 2.0, (q + r) / 2.0, (r + p) / 2.0];
            [[p, s, u], [s, q, t], [u, t, r], [s, t, u]]
        };
        let positions: Vec<DVec3> = mesh.triangles().flat_map(halves).flatten().collect();
        let faces = (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
        Mesh::new(positions, faces.collect()).unwrap()
    }

    /// A bench whose feet are in the floor, and sink. One foot has 16 times as many faces as the other, which must not
    /// make it count more: the bench would turn.
    #[test]
    fn bodies_are_pushed_apart_at_each_region() {
        let leg = generate::cuboid(DVec3::new(0.2, 0.5, 1.0)).unwrap();
        let top = generate::cuboid(DVec3::new(2.0, 0.5, 0.2)).unwrap();
        let parts = [
            (top, DVec3::Z * 0.6),
            (leg.clone(), DVec3::X * -0.9),
            (subdivided(&subdivided(&leg)), DVec3::X * 0.9),
        ];
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for (mesh, by) in parts {
            let first = positions.len() as u32;
            positions.extend(mesh.positions().iter().map(|p| *p + by));
            faces.extend(mesh.faces().iter().map(|face| face.map(|v| v + first)));
        }
        let mesh = Mesh::new(positions, faces).unwrap();
        let pose = Pose::from_translation(DVec3::new(0.3, 0.1, 0.45)).unwrap();
        let motion = [DVec3::Z * -0.01, DVec3::ZERO];
        let bench = flying(&mesh, &Shape::new(mesh.clone()), pose, motion, 1.0);
        let mut flock = Flock::of(vec![floor(), bench]);
        flock.fly(&Dynamics::default(), 1);
        assert_eq!(flock.hits.impulses, 2, "one for each foot");
        let state = flock.movers[1].flight().unwrap().state;
        assert!((state.velocity - DVec3::Z * 0.01).length() < 1e-9, "{}", state.velocity);
        assert!(state.momentum.length() < 1e-9, "angular momentum {}", state.momentum);
        flock.fly(&Dynamics::default(), 12);
        assert!(flock.response.overlapping.is_empty(), "the bench has left the floor");
    }

    #[test]
    fn groups_join_and_list_their_bodies() {
        let mut groups = Groups::default();
        for (a, b) in [(7, 3), (1, 1), (5, 7), (2, 4)] {
            groups.join(a, b);
        }
        assert_eq!(groups.all(), [vec![1], vec![2, 4], vec![3, 5, 7]]);
        groups.join(4, 5);
        assert_eq!(groups.all(), [vec![1], vec![2, 3, 4, 5, 7]]);
    }
}
