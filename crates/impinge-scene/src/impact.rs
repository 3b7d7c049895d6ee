//! Impulses at contact regions: frictionless hits of rigid bodies.
//!
//! [`collide`] mixes two results. *Inelastic* impulses act at all regions together. *Elastic* impulses act on one
//! pair of bodies after another, so that a row of balls passes a hit on, but at all regions of a pair together, so
//! that a block that falls flat does not begin to turn. Both make the bodies separate, or stay together, at every
//! region; so does any mean of the two, and the restitution is the weight of the elastic one.
//!
//! Each impulse acts on two bodies at one point and along one normal, so it conserves momentum and angular
//! momentum. Elastic impulses conserve energy, inelastic ones take it away. The energy of a mean of two motions is
//! at most that of the larger one, so energy never increases.

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
    /// The relative velocity along the normal below which the bodies count as approaching. 0, except where a gap is to
    /// be widened.
    pub(super) opening: f64,
}

impl Region {
    pub(super) fn new(parties: [Option<usize>; 2], point: DVec3, normal: DVec3) -> Self {
        Self { parties, point, normal, opening: 0.0 }
    }
}

/// Normals of one region differ by at most about 14 degrees.
const SAME_NORMAL: f64 = 0.97;
/// Approach slower than this share of the fastest one counts as none.
pub(super) const SLOW: f64 = 1e-6;
/// Approach slower than this share of the speed of the bodies at a region is a rounding error, and counts as none. No
/// impulse could remove it.
const ROUNDING: f64 = 1e-13;

/// Joins contacts of the same two bodies that are within `radius` of each other and have nearly the same normal.
/// A region has the mean point and the mean normal of its contacts.
///
/// These contacts are from the time before a hit, when bodies do not overlap yet: there is no intersection from which
/// `impinge::contact` could make regions. It is used for bodies that overlap from the start (`response.rs`).
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

/// Applies the impulses of a hit. Returns the number of regions that got one, or of elastic impulses if these are
/// more; `None` if the bodies still approach.
pub(super) fn collide(
    parties: &mut [Party],
    regions: &[Region],
    restitution: f64,
) -> Option<usize> {
    let mut bounced = parties.to_vec();
    let pushed = inelastic(parties, regions)?;
    // Bodies that are wedged in can exchange elastic impulses without end. Then only the inelastic ones count.
    let passed_on = match restitution > 0.0 {
        true => reflect(&mut bounced, regions),
        false => None,
    };
    let Some(passed_on) = passed_on else { return Some(pushed) };
    for (party, bounced) in parties.iter_mut().zip(&bounced) {
        *party = party.toward(bounced, restitution);
    }
    Some(pushed.max(passed_on))
}

/// The most sweeps over all regions in search of impulses that leave no approach. They usually end after a few dozen.
const SWEEPS: usize = 500;

/// Applies impulses at all regions together, after which the bodies neither approach each other at any region nor
/// separate at a region that got an impulse. Returns the number of regions that got one, or `None` if the bodies
/// still approach.
///
/// Each sweep corrects the impulse of every region in turn, and never lets it pull (projected Gauss–Seidel). What
/// is left after the last sweep is pushed away, one region after another.
pub(super) fn inelastic(parties: &mut [Party], regions: &[Region]) -> Option<usize> {
    let approach = |parties: &[Party]| {
        regions.iter().map(|region| region.approach(parties)).fold(0.0, f64::min)
    };
    let (fastest, noise) = (approach(parties), noise(parties, regions));
    if fastest >= -noise {
        return Some(0);
    }
    let mut pushed = vec![0.0; regions.len()];
    for _ in 0..SWEEPS {
        let mut largest = 0.0;
        for (region, pushed) in regions.iter().zip(&mut pushed) {
            let by = (-region.approach(parties)).max(-*pushed);
            if by != 0.0 {
                region.push(parties, by);
                *pushed += by;
                largest = f64::max(largest, by.abs());
            }
        }
        if largest <= SLOW * SLOW * -fastest {
            break;
        }
    }
    if approach(parties) < (SLOW * fastest).min(-noise) {
        separate(parties, regions, noise)?;
    }
    Some(pushed.iter().filter(|&&pushed| pushed > 0.0).count())
}

/// Applies impulses, which may pull, until the bodies neither approach nor separate at any region.
pub(super) fn stick(parties: &mut [Party], regions: &[Region]) {
    for _ in 0..SWEEPS {
        let mut largest = 0.0;
        for region in regions {
            let by = -region.approach(parties);
            if by != 0.0 {
                region.push(parties, by);
                largest = f64::max(largest, by.abs());
            }
        }
        if largest <= f64::EPSILON * fastest(parties) {
            break;
        }
    }
}

/// Returns the approach that rounding errors alone can cause.
fn noise(parties: &[Party], regions: &[Region]) -> f64 {
    let speed = |region: &Region| {
        let of_party = |&party: &usize| parties[party].velocity_at(region.point).length();
        region.parties.iter().flatten().map(of_party).fold(0.0, f64::max)
    };
    ROUNDING * regions.iter().map(speed).fold(0.0, f64::max)
}

/// Returns the greatest speed of a party.
pub(super) fn fastest(parties: &[Party]) -> f64 {
    parties.iter().map(|party| party.velocity.length()).fold(0.0, f64::max)
}

/// Applies elastic impulses until the bodies approach each other at no region. The pair of bodies with the fastest
/// approach comes first, with all its regions: twice the change of velocity that inelastic impulses would cause.
/// Returns the number of impulses, or `None` if the bodies still approach.
fn reflect(parties: &mut [Party], regions: &[Region]) -> Option<usize> {
    let limit = 32 + 8 * regions.len();
    let fastest = regions.iter().map(|region| region.approach(parties)).fold(0.0, f64::min);
    let slow = (SLOW * fastest).min(-noise(parties, regions));
    let mut impulses = 0;
    while impulses <= limit {
        let speeds = regions.iter().map(|region| region.approach(parties));
        let worst = speeds.zip(regions).min_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((_, worst)) = worst.filter(|(speed, _)| *speed < slow) else {
            return Some(impulses);
        };
        let of_pair: Vec<Region> =
            regions.iter().filter(|region| region.parties == worst.parties).copied().collect();
        let before = worst.parties.map(|party| party.map(|party| (party, parties[party])));
        impulses += inelastic(parties, &of_pair)?.max(1);
        for (party, before) in before.into_iter().flatten() {
            parties[party] = before.toward(&parties[party], 2.0);
        }
    }
    None
}

/// Applies inelastic impulses, one region after another, until the bodies approach each other at no region. The
/// region with the fastest approach comes first. `None` if the bodies still approach.
fn separate(parties: &mut [Party], regions: &[Region], noise: f64) -> Option<()> {
    let limit = 32 + 8 * regions.len();
    let fastest = regions.iter().map(|region| region.approach(parties)).fold(0.0, f64::min);
    let slow = (SLOW * fastest).min(-noise);
    for impulse in 0..=limit {
        let speeds = regions.iter().map(|region| region.approach(parties));
        let worst = speeds.zip(regions).min_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((speed, region)) = worst.filter(|(speed, _)| *speed < slow) else {
            return Some(());
        };
        if impulse < limit {
            region.push(parties, -speed);
        }
    }
    None
}

impl Region {
    /// Returns the relative velocity along the normal, less the opening: negative if the bodies approach each other. 0
    /// if no impulse can change it.
    pub(super) fn approach(&self, parties: &[Party]) -> f64 {
        if self.resistance(parties) <= 0.0 {
            return 0.0;
        }
        let speed = |party: Option<usize>| {
            party.map_or(0.0, |party| parties[party].velocity_at(self.point).dot(self.normal))
        };
        speed(self.parties[0]) - speed(self.parties[1]) - self.opening
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
    /// A body that no impulse can move or turn.
    pub(super) fn immovable(center: DVec3, velocity: DVec3, spin: DVec3) -> Self {
        let (inverse_inertia, angular_impulse) = (DMat3::ZERO, DVec3::ZERO);
        Self { center, velocity, spin, inverse_mass: 0.0, inverse_inertia, angular_impulse }
    }

    /// Returns the party with a share of the way from its motion to that of `other`.
    fn toward(&self, other: &Self, share: f64) -> Self {
        let mean = |p: DVec3, q: DVec3| p + (q - p) * share;
        Self {
            velocity: mean(self.velocity, other.velocity),
            spin: mean(self.spin, other.spin),
            angular_impulse: mean(self.angular_impulse, other.angular_impulse),
            ..*self
        }
    }

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
        let touch =
            |i: usize| Region::new([Some(i), Some(i + 1)], DVec3::X * (i as f64 + 0.5), -DVec3::X);
        assert_eq!(collide(&mut balls, &[touch(0), touch(1), touch(2)], 1.0), Some(3));
        let speeds: Vec<f64> = balls.iter().map(|ball| ball.velocity.x).collect();
        assert_eq!(speeds, [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn no_impulse_adds_energy_and_bodies_separate_at_every_region() {
        let (mut hits, mut kept, mut random) = (0, 0, Random::new(11));
        for seed in 0..400 {
            let restitution = [0.0, 0.5, 1.0][seed % 3];
            let mut parties: Vec<Party> = (0..3)
                .map(|_| ball(random.direction() * 2.0, random.direction(), random.range(0.5, 4.0)))
                .collect();
            let regions: Vec<Region> = (0..5)
                .map(|i| {
                    let other = if i == 4 { None } else { Some((i + 1) % 3) };
                    Region::new([Some(i % 3), other], random.direction(), random.direction())
                })
                .collect();
            let before = energy(&parties);
            let impulses = collide(&mut parties, &regions, restitution);
            let after = energy(&parties);
            assert!(after < before * (1.0 + 1e-12), "seed {seed}: {before} became {after}");
            if restitution == 1.0 {
                kept += usize::from(after > before * (1.0 - 1e-12));
            }
            if impulses.is_some() {
                let slowest = regions.iter().map(|r| r.approach(&parties)).fold(0.0, f64::min);
                assert!(slowest > -1e-5, "seed {seed}: approach {slowest}");
                hits += 1;
            }
        }
        assert!(hits > 350, "only {hits} of 400 hits were resolved");
        // The others are wedged in, and lose energy.
        assert!(kept > 110, "only {kept} of 133 elastic hits conserved energy");
    }

    /// A block that falls flat gets an impulse at each corner. It leaves as a ball would, and does not turn.
    #[test]
    fn a_block_that_falls_flat_does_not_turn() {
        let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
        let touch =
            corners.map(|[x, y]| Region::new([Some(0), None], DVec3::new(x, y, -0.5), DVec3::Z));
        for restitution in [0.0, 0.2, 0.5, 0.9, 1.0] {
            let mut block = [ball(DVec3::ZERO, DVec3::new(0.3, 0.0, -1.0), 2.0)];
            assert!(collide(&mut block, &touch, restitution).is_some_and(|count| count > 0));
            let expected = DVec3::new(0.3, 0.0, restitution);
            let [Party { velocity, spin, .. }] = block;
            assert!((velocity - expected).length() < 1e-6, "{restitution}: {velocity}");
            assert!(spin.length() < 1e-6, "{restitution}: {spin}");
        }
    }

    #[test]
    fn regions_join_near_contacts_with_one_normal() {
        let at = |x: f64, normal: DVec3| Region::new([Some(0), Some(1)], DVec3::X * x, normal);
        let contacts = [at(0.0, DVec3::Z), at(0.1, DVec3::Z), at(0.0, DVec3::Y), at(3.0, DVec3::Z)];
        let found = regions(&contacts, 0.5);
        let points: Vec<DVec3> = found.iter().map(|region| region.point).collect();
        assert_eq!(points, [DVec3::X * 0.05, DVec3::ZERO, DVec3::X * 3.0]);
    }
}
