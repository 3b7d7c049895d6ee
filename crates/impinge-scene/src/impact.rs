//! Impulses at contact regions: frictionless hits of rigid bodies, one region after another.
//!
//! Each impulse acts on two bodies at one point and along one normal, so it conserves momentum and angular
//! momentum. It conserves energy for a restitution of 1, and takes energy away for less. Whatever the number and
//! order of impulses, energy never increases.

use impinge::glam::{DMat3, DVec3};

/// A body that takes part in a hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party {
    pub(super) center: DVec3,
    pub(super) velocity: DVec3,
    pub(super) spin: DVec3,
    /// 0 for a body that no impulse can move.
    pub(super) inverse_mass: f64,
    /// In the world; zero for a body that no impulse can turn.
    pub(super) inverse_inertia: DMat3,
    /// The sum of the angular impulses.
    pub(super) angular_impulse: DVec3,
}

/// A place where two bodies touch, or a body and a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// Indices of the parties; a wall is none.
    pub(super) parties: [Option<usize>; 2],
    pub(super) point: DVec3,
    /// The direction from the second party to the first.
    pub(super) normal: DVec3,
}

/// Normals of one region differ by at most about 14 degrees.
const SAME_NORMAL: f64 = 0.97;
/// Approach slower than this share of the fastest one counts as none.
const SLOW: f64 = 1e-6;

/// Joins contacts of the same two bodies that are within `radius` of each other and have nearly the same normal.
/// A region has the mean point and the mean normal of its contacts.
pub(super) fn regions(contacts: &[Region], radius: f64) -> Vec<Region> {
    struct Cluster {
        first: Region,
        point: DVec3,
        normal: DVec3,
        count: f64,
    }
    let mut clusters: Vec<Cluster> = Vec::new();
    for contact in contacts {
        let home = clusters.iter_mut().find(|Cluster { first, .. }| {
            first.parties == contact.parties
                && first.normal.dot(contact.normal) > SAME_NORMAL
                && first.point.distance_squared(contact.point) < radius * radius
        });
        match home {
            Some(cluster) => {
                cluster.point += contact.point;
                cluster.normal += contact.normal;
                cluster.count += 1.0;
            }
            None => clusters.push(Cluster {
                first: *contact,
                point: contact.point,
                normal: contact.normal,
                count: 1.0,
            }),
        }
    }
    let region = |cluster: Cluster| Region {
        point: cluster.point / cluster.count,
        normal: cluster.normal.normalize(),
        ..cluster.first
    };
    clusters.into_iter().map(region).collect()
}

/// Applies impulses until the bodies approach each other at no region. The region with the fastest approach
/// comes first. Returns the number of impulses, or `None` if the bodies still approach.
pub(super) fn resolve(
    parties: &mut [Party],
    regions: &[Region],
    restitution: f64,
) -> Option<usize> {
    let limit = 32 + 8 * regions.len();
    let fastest = regions.iter().map(|region| region.approach(parties)).fold(0.0, f64::min);
    for impulse in 0..=limit {
        let speeds = regions.iter().map(|region| region.approach(parties));
        let worst = speeds.zip(regions).min_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((speed, region)) = worst.filter(|(speed, _)| *speed < SLOW * fastest) else {
            return Some(impulse);
        };
        if impulse < limit {
            region.push(parties, -(1.0 + restitution) * speed);
        }
    }
    None
}

impl Region {
    /// Returns the relative velocity along the normal: negative if the bodies approach each other. 0 if no impulse
    /// can change it.
    fn approach(&self, parties: &[Party]) -> f64 {
        if self.resistance(parties) <= 0.0 {
            return 0.0;
        }
        let speed = |party: Option<usize>| {
            party.map_or(0.0, |party| parties[party].velocity_at(self.point).dot(self.normal))
        };
        speed(self.parties[0]) - speed(self.parties[1])
    }

    /// Returns the change of the relative velocity due to a unit impulse.
    fn resistance(&self, parties: &[Party]) -> f64 {
        self.parties.iter().flatten().map(|&party| parties[party].mobility(self)).sum()
    }

    /// Changes the relative velocity along the normal.
    fn push(&self, parties: &mut [Party], by: f64) {
        let impulse = self.normal * (by / self.resistance(parties));
        for (party, impulse) in self.parties.into_iter().zip([impulse, -impulse]) {
            if let Some(party) = party {
                parties[party].push(self.point, impulse);
            }
        }
    }
}

impl Party {
    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }

    /// Returns the change of velocity along a region's normal due to a unit impulse there.
    fn mobility(&self, region: &Region) -> f64 {
        let turning = (region.point - self.center).cross(region.normal);
        self.inverse_mass + turning.dot(self.inverse_inertia * turning)
    }

    fn push(&mut self, point: DVec3, impulse: DVec3) {
        let angular = (point - self.center).cross(impulse);
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.inverse_inertia * angular;
        if self.inverse_inertia != DMat3::ZERO {
            self.angular_impulse += angular;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::Random;

    fn ball(center: DVec3, velocity: DVec3, mass: f64) -> Party {
        Party {
            center,
            velocity,
            spin: DVec3::ZERO,
            inverse_mass: 1.0 / mass,
            inverse_inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 5.0) / mass),
            angular_impulse: DVec3::ZERO,
        }
    }

    /// Twice the kinetic energy.
    fn energy(parties: &[Party]) -> f64 {
        let one = |party: &Party| {
            party.velocity.length_squared() / party.inverse_mass
                + party.spin.dot(party.inverse_inertia.inverse() * party.spin)
        };
        parties.iter().map(one).sum()
    }

    #[test]
    fn a_row_of_equal_balls_passes_the_velocity_on() {
        let mut balls: Vec<Party> = (0..4)
            .map(|i| ball(DVec3::X * f64::from(i), DVec3::X * f64::from(u8::from(i == 0)), 1.0))
            .collect();
        let touch = |i: usize| Region {
            parties: [Some(i), Some(i + 1)],
            point: DVec3::X * (i as f64 + 0.5),
            normal: -DVec3::X,
        };
        assert_eq!(resolve(&mut balls, &[touch(0), touch(1), touch(2)], 1.0), Some(3));
        let speeds: Vec<f64> = balls.iter().map(|ball| ball.velocity.x).collect();
        assert_eq!(speeds, [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn no_impulse_adds_energy_and_bodies_separate_at_every_region() {
        let (mut hits, mut random) = (0, Random::new(11));
        for seed in 0..400 {
            let restitution = [0.0, 0.5, 1.0][seed % 3];
            let mut parties: Vec<Party> = (0..3)
                .map(|_| ball(random.direction() * 2.0, random.direction(), random.range(0.5, 4.0)))
                .collect();
            let regions: Vec<Region> = (0..5)
                .map(|i| Region {
                    parties: [Some(i % 3), if i == 4 { None } else { Some((i + 1) % 3) }],
                    point: random.direction(),
                    normal: random.direction(),
                })
                .collect();
            let before = energy(&parties);
            let impulses = resolve(&mut parties, &regions, restitution);
            let after = energy(&parties);
            assert!(after < before * (1.0 + 1e-12), "seed {seed}: {before} became {after}");
            if restitution == 1.0 {
                assert!(after > before * (1.0 - 1e-12), "seed {seed}: {before} became {after}");
            }
            if impulses.is_some() {
                let slowest = regions.iter().map(|r| r.approach(&parties)).fold(0.0, f64::min);
                assert!(slowest > -1e-5, "seed {seed}: approach {slowest}");
                hits += 1;
            }
        }
        assert!(hits > 350, "only {hits} of 400 hits were resolved");
    }

    #[test]
    fn regions_join_near_contacts_with_one_normal() {
        let at = |x: f64, normal: DVec3| Region {
            parties: [Some(0), Some(1)],
            point: DVec3::X * x,
            normal,
        };
        let contacts = [at(0.0, DVec3::Z), at(0.1, DVec3::Z), at(0.0, DVec3::Y), at(3.0, DVec3::Z)];
        let found = regions(&contacts, 0.5);
        let points: Vec<DVec3> = found.iter().map(|region| region.point).collect();
        assert_eq!(points, [DVec3::X * 0.05, DVec3::ZERO, DVec3::X * 3.0]);
    }
}
