//! How bodies respond to hits: they reverse (billiard), get an impulse (free flight), or bounce off walls.
//! `run.rs` calls this after each step of the world.
//!
//! Free flight is simple, as in Lin et al. (1996), where it served to exercise a collision library. If two
//! bodies touch and approach each other, they get one impulse along the mean normal of the touching faces,
//! without friction. A body that does not fly has infinite mass.

use crate::motion::{Forces, Motion, Mover};
use impinge::{Bounds, FacePair, glam::DVec3, world::Step};

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

impl Dynamics {
    /// Makes all bodies respond to what they hit in a step.
    pub(super) fn respond(&self, movers: &mut [Mover], step: &Step<'_>) {
        for body in step.began().iter().flatten() {
            movers[body.index() as usize].hit();
        }
        for touch in step.pairs() {
            let [a, b] = [touch.a, touch.b].map(|body| body.index() as usize);
            if let Ok([a, b]) = movers.get_disjoint_mut([a, b]) {
                self.collide(a, b, touch.faces);
            }
        }
        if let Some(room) = &self.room {
            movers.iter_mut().for_each(|mover| self.keep_in(room, mover));
        }
    }

    /// Applies an impulse to two bodies that touch, unless they already separate.
    fn collide(&self, a: &mut Mover, b: &mut Mover, faces: &[FacePair]) {
        let (a_mass, b_mass) = (InverseMass::of(a), InverseMass::of(b));
        if a_mass.mass + b_mass.mass == 0.0 {
            return;
        }
        let (point, normal) = contact(a, b, faces);
        let arms = [point - a.center, point - b.center];
        let speed = |mover: &Mover, arm: DVec3| mover.velocity + mover.spin.cross(arm);
        let approach = (speed(a, arms[0]) - speed(b, arms[1])).dot(normal);
        let resistance = a_mass.along(arms[0], normal) + b_mass.along(arms[1], normal);
        if approach < 0.0 && resistance > 0.0 {
            let impulse = normal * (-(1.0 + self.restitution) * approach / resistance);
            a_mass.push(a, arms[0], impulse);
            b_mass.push(b, arms[1], -impulse);
        }
    }

    /// Reflects a body that has passed a wall.
    fn keep_in(&self, room: &Bounds, mover: &mut Mover) {
        let share = match mover.motion {
            Motion::Billiard(_) => 1.0,
            Motion::Flight { .. } => self.restitution,
            _ => return,
        };
        let bounds = mover.bounds();
        if bounds.is_empty() {
            return;
        }
        for axis in 0..3 {
            let below = room.min[axis] - bounds.min[axis];
            let above = bounds.max[axis] - room.max[axis];
            // Moved back as well; otherwise a body that hardly bounces would sink into the floor.
            if below > 0.0 {
                mover.center[axis] += below;
                mover.velocity[axis] = bounced(mover.velocity[axis], 1.0, share);
            } else if above > 0.0 {
                mover.center[axis] -= above;
                mover.velocity[axis] = bounced(mover.velocity[axis], -1.0, share);
            }
        }
    }
}

/// Returns a velocity component after a wall that lets only one direction pass.
fn bounced(speed: f64, inward: f64, share: f64) -> f64 {
    if speed * inward < 0.0 { -speed * share } else { speed }
}

/// Inverse mass and inverse inertia; both are 0 for a body that does not fly.
#[derive(Clone, Copy)]
struct InverseMass {
    mass: f64,
    inertia: f64,
}

impl InverseMass {
    fn of(mover: &Mover) -> Self {
        match mover.motion {
            Motion::Flight { mass, inertia } => {
                let inertia = if inertia > 0.0 { 1.0 / inertia } else { 0.0 };
                Self { mass: 1.0 / mass, inertia }
            }
            _ => Self { mass: 0.0, inertia: 0.0 },
        }
    }

    /// Returns the change of velocity at the end of `arm` due to a unit impulse there.
    fn along(self, arm: DVec3, normal: DVec3) -> f64 {
        self.mass + arm.cross(normal).length_squared() * self.inertia
    }

    fn push(self, mover: &mut Mover, arm: DVec3, impulse: DVec3) {
        mover.velocity += impulse * self.mass;
        mover.spin += arm.cross(impulse) * self.inertia;
    }
}

/// Returns the approximate contact point of two bodies, and the direction from the second to the first there.
fn contact(a: &Mover, b: &Mover, faces: &[FacePair]) -> (DVec3, DVec3) {
    let (mut point, mut normal) = (DVec3::ZERO, DVec3::ZERO);
    for pair in faces {
        let [p, q] = [(a, pair.a), (b, pair.b)]
            .map(|(mover, face)| mover.shape.mesh().triangle(face).map(|v| mover.pose.place(v)));
        // The middle of the overlap of the two face boxes: the middle of a large face may be far away.
        let [(p_min, p_max), (q_min, q_max)] =
            [p, q].map(|[u, v, w]| (u.min(v).min(w), u.max(v).max(w)));
        point += (p_min.max(q_min) + p_max.min(q_max)) / 2.0;
        normal += normal_of(q) - normal_of(p);
    }
    let normal = normal.try_normalize().or_else(|| (a.center - b.center).try_normalize());
    (point / faces.len().max(1) as f64, normal.unwrap_or(DVec3::Z))
}

/// Returns the unit normal of a face; zero for a degenerate face.
fn normal_of([u, v, w]: [DVec3; 3]) -> DVec3 {
    (v - u).cross(w - u).normalize_or_zero()
}

/// Returns the kinetic energy of all bodies in free flight.
pub(super) fn energy(movers: &[Mover]) -> Option<f64> {
    let energies = movers.iter().filter_map(|mover| match mover.motion {
        Motion::Flight { mass, inertia } => Some(
            (mass * mover.velocity.length_squared() + inertia * mover.spin.length_squared()) / 2.0,
        ),
        _ => None,
    });
    energies.reduce(|sum, energy| sum + energy)
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
