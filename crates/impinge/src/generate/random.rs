//! A small random number generator whose output never changes, on any platform or in any version.

use glam::{DMat3, DQuat, DVec3};

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 bits of state, all seeds equally good, not for cryptography.
///
/// A seed identifies a mesh or a path in a paper, a test or a benchmark, so the numbers must never change; a
/// dependency would not guarantee that. Only additions, multiplications, divisions and square roots are used,
/// which round the same everywhere.
///
/// ```
/// use impinge::generate::Random;
///
/// let mut random = Random::new(7);
/// assert_eq!(random.next_u64(), 0x63CB_E1E4_5932_0DD7);
/// assert!((0.0..1.0).contains(&random.unit()));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A random multiple of 2⁻⁵³ in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A random number from `lo` to `hi`; equal to `hi` only by rounding.
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// A random integer below `n`; 0 for `n` = 0.
    ///
    /// The bias is below `n`·2⁻⁶⁴.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A random unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from_array([(); 3].map(|()| self.range(-1.0, 1.0)));
            // Reject points near the center, which would lose digits when scaled up, and points
            // outside the ball, which would favour the corners of the cube.
            let length_sq = v.dot(v);
            if (1e-4..=1.0).contains(&length_sq) {
                return v / length_sq.sqrt();
            }
        }
    }

    /// A random rotation matrix, uniform over all rotations.
    pub fn rotation(&mut self) -> DMat3 {
        loop {
            let q = [(); 4].map(|()| self.range(-1.0, 1.0));
            let [x, y, z, w] = q;
            let length_sq = x * x + y * y + z * z + w * w;
            if (1e-4..=1.0).contains(&length_sq) {
                let length = length_sq.sqrt();
                return DMat3::from_quat(DQuat::from_array(q.map(|c| c / length)));
            }
        }
    }

    /// Shuffles the items; every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_match_the_published_algorithm() {
        // The first outputs for seed 1234567 from other implementations of SplitMix64.
        let mut random = Random::new(1_234_567);
        let first = [(); 3].map(|()| random.next_u64());
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn unit_and_below_are_uniform_in_their_range() {
        let mut random = Random::new(1);
        let units: Vec<f64> = (0..100_000).map(|_| random.unit()).collect();
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)));
        let mean = units.iter().sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[random.below(7) as usize] += 1);
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn directions_are_unit_vectors_and_average_out() {
        let mut random = Random::new(2);
        let mut sum = DVec3::ZERO;
        for _ in 0..10_000 {
            let direction = random.direction();
            assert!((direction.length() - 1.0).abs() < 1e-15);
            sum += direction;
        }
        assert!(sum.length() < 250.0, "{sum}");
    }

    #[test]
    fn rotations_are_poses_and_turn_an_axis_anywhere() {
        let mut random = Random::new(3);
        let mut sum = DVec3::ZERO;
        for _ in 0..10_000 {
            let rotation = random.rotation();
            assert!(crate::Pose::new(rotation, DVec3::ZERO).is_ok());
            sum += rotation.z_axis;
        }
        assert!(sum.length() < 250.0, "{sum}");
    }

    #[test]
    fn a_shuffle_keeps_the_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(4).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
