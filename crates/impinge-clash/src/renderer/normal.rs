//! Packs unit vectors into 28 bits; the upper four bits are free for marks.

use impinge::glam::Vec3;

const STEPS: f32 = 16_383.0;

/// Directions that differ by at most so many steps along both sides of the square have an angle whose squared
/// cosine is larger than [`NEAR_COSINE_SQ`]. With d = 2 · 1024 / 16383, the unfolded vectors differ by at most
/// (d, d, 2d) and are at least 1/√3 long, so the sine of the angle is at most √3 · √6 · d < 0.54.
const NEAR: u32 = 1024;
const NEAR_COSINE_SQ: f32 = 0.7;

/// Packs a direction by its octahedral projection, unfolded to a square of 2¹⁴ × 2¹⁴.
pub(super) fn pack(normal: Vec3) -> u32 {
    let sum = normal.x.abs() + normal.y.abs() + normal.z.abs();
    if sum.is_nan() || sum <= 0.0 {
        return pack(Vec3::Z);
    }
    let (mut x, mut y) = (normal.x / sum, normal.y / sum);
    if normal.z < 0.0 {
        (x, y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
    }
    let step = |at: f32| ((at * 0.5 + 0.5) * STEPS + 0.5) as u32;
    step(x) << 14 | step(y)
}

/// Unpacks a direction to a unit vector; ignores the upper four bits.
pub(super) fn unpack(packed: u32) -> Vec3 {
    unfold(packed).normalize()
}

/// Returns whether two directions differ by more than an angle, given by its squared cosine. The angle must
/// be less than 90 degrees.
pub(super) fn differ(a: u32, b: u32, cosine_sq: f32) -> bool {
    if are_near(a, b, NEAR) && cosine_sq <= NEAR_COSINE_SQ {
        return false;
    }
    let (a, b) = (unfold(a), unfold(b));
    let dot = a.dot(b);
    dot < 0.0 || dot * dot < cosine_sq * a.length_squared() * b.length_squared()
}

/// Returns whether two packed directions differ by at most `steps` along both sides of the square; ignores the
/// upper four bits.
pub(super) fn are_near(a: u32, b: u32, steps: u32) -> bool {
    let side = |packed: u32| packed & 0x3fff;
    side(a >> 14).abs_diff(side(b >> 14)) <= steps && side(a).abs_diff(side(b)) <= steps
}

/// Returns the direction with a length between ½ and 1.
fn unfold(packed: u32) -> Vec3 {
    let at = |steps: u32| (steps & 0x3fff) as f32 / STEPS * 2.0 - 1.0;
    let (x, y) = (at(packed >> 14), at(packed));
    let z = 1.0 - x.abs() - y.abs();
    let fold = (-z).max(0.0);
    Vec3::new(x - fold.copysign(x), y - fold.copysign(y), z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_survive() {
        for i in 0..2000 {
            let (a, b) = (i as f32 * 0.37, i as f32 * 0.11);
            let was = Vec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos());
            let now = unpack(pack(was) | 0xf000_0000);
            assert!(was.distance(now) < 3e-4, "{was} {now}");
        }
        assert_eq!(unpack(pack(Vec3::NAN)), unpack(pack(Vec3::Z)));
        assert_eq!(unpack(pack(Vec3::ZERO)), unpack(pack(Vec3::Z)));
    }
}
