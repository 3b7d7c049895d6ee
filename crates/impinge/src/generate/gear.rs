//! Spur gears with involute teeth.

use super::GenerateError;
use super::error::{check_count, check_faces, check_measure, check_positive};
use super::surface::Surface;
use super::turn::turn;
use crate::Mesh;
use glam::DVec2;

/// The pressure angle of the teeth: 20°, the standard value.
const PRESSURE_ANGLE: f64 = std::f64::consts::PI / 9.0;

/// Backlash: the difference between half the pitch and the thickness of a tooth, in modules. Two gears at
/// their nominal distance have half of the sum as clearance on either side of each tooth.
const BACKLASH: f64 = 0.02;

/// Points on each flank of a tooth, from root to tip.
const FLANK: usize = 5;

/// A spur gear about the z axis, centered at the origin, with a bore: 48·teeth faces, closed, normals
/// outward. A tooth points along +x.
///
/// `module` is the pitch diameter divided by the number of teeth (the usual measure of tooth size), `width`
/// the length along the axis, and `bore` the radius of the hole. The teeth are involutes at 20° with a little
/// backlash. So two gears of one module run at the distance module·(teeth + teeth)/2 without touching: the
/// corners of the polygons lie on the convex flanks, hence their edges lie inside the true teeth.
///
/// The number of teeth must be from 8 to 1000, and the bore less than 0.95 of the root radius module·(teeth −
/// 2.5)/2.
///
/// ```
/// let gear = impinge::generate::gear(20, 2.0, 16.0, 5.5)?;
/// assert_eq!(gear.faces().len(), 960);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn gear(teeth: u32, module: f64, width: f64, bore: f64) -> Result<Mesh, GenerateError> {
    check_count("teeth", teeth, (8..=1000).contains(&teeth), "from 8 to 1000")?;
    check_positive("module", module)?;
    check_positive("width", width)?;
    let root = module * (f64::from(teeth) - 2.5) / 2.0;
    let is_allowed = bore > 0.0 && bore < 0.95 * root;
    check_measure("bore", bore, is_allowed, "above 0 and below 0.95·module·(teeth − 2.5)/2")?;
    let faces = check_faces([48, teeth])?;

    let outline = outline(teeth, module);
    // The bore has a corner below each foot of a tooth.
    let hole: Vec<DVec2> =
        feet(&outline).into_iter().map(|foot| foot * (bore / foot.length())).collect();

    let mut surface = Surface::with_faces(faces);
    let mut sheet = |z: f64| {
        let rim = surface.ring(outline.iter().map(|&at| at.extend(z)));
        let hole = surface.ring(hole.iter().map(|&at| at.extend(z)));
        (rim, hole)
    };
    let (lower_rim, lower_hole) = sheet(-width * 0.5);
    let (upper_rim, upper_hole) = sheet(width * 0.5);
    surface.strip(&lower_rim, &upper_rim);
    surface.strip(&upper_hole, &lower_hole);
    side(&upper_rim, &upper_hole).for_each(|cell| surface.quad(cell));
    side(&lower_rim, &lower_hole).for_each(|[a, b, c, d]| surface.quad([d, c, b, a]));
    surface.finish()
}

/// The corners of the outline in counter-clockwise order: up one flank of each tooth and down the other.
fn outline(teeth: u32, module: f64) -> Vec<DVec2> {
    let pitch = module * f64::from(teeth) / 2.0;
    let (tip, root) = (pitch + module, pitch - 1.25 * module);
    let base = pitch * libm::cos(PRESSURE_ANGLE);
    // A flank is the involute of the base circle; below that circle it is radial.
    let involute = |radius: f64| {
        let tangent = ((radius * radius - base * base).max(0.0)).sqrt() / base;
        tangent - libm::atan(tangent)
    };
    let thickness = std::f64::consts::FRAC_PI_2 - BACKLASH;
    let at_pitch = thickness / f64::from(teeth) + involute(pitch);
    let flank: Vec<DVec2> = (0..FLANK)
        .map(|i| {
            // A root below the base circle is a separate point; the other points lie on the involute.
            let (from, share) = if root < base && i > 0 {
                (base, (i - 1) as f64 / (FLANK - 2) as f64)
            } else {
                (root, i as f64 / (FLANK - 1) as f64)
            };
            let radius = from + (tip - from) * share;
            let angle = at_pitch - involute(radius);
            DVec2::new(libm::cos(angle), libm::sin(angle)) * radius
        })
        .collect();
    let tooth: Vec<DVec2> =
        flank.iter().map(|at| DVec2::new(at.x, -at.y)).chain(flank.iter().rev().copied()).collect();
    (0..teeth)
        .flat_map(|i| {
            let turned = turn(u64::from(i), u64::from(teeth));
            tooth.iter().map(move |&at| turned.rotate(at))
        })
        .collect()
}

/// The first and the last corner of each tooth.
fn feet<T: Copy>(outline: &[T]) -> Vec<T> {
    outline.chunks(2 * FLANK).flat_map(|tooth| [tooth[0], tooth[2 * FLANK - 1]]).collect()
}

/// The quads of an end face seen from above: across each tooth, and from the feet in to the bore.
fn side(rim: &[u32], hole: &[u32]) -> impl Iterator<Item = [u32; 4]> {
    let across = rim.chunks(2 * FLANK).flat_map(|tooth| {
        (0..FLANK - 1).map(|i| {
            let j = 2 * FLANK - 1 - i;
            [tooth[i], tooth[i + 1], tooth[j - 1], tooth[j]]
        })
    });
    let feet = feet(rim);
    let inward = (0..feet.len()).map(move |i| {
        let j = (i + 1) % feet.len();
        [hole[i], feet[i], feet[j], hole[j]]
    });
    across.chain(inward)
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, assert_simple, genus, hash, volume};
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn gears_are_closed_rings_with_teeth_of_some_width() {
        for teeth in (8..60).chain([104, 200, 1000]) {
            let mesh = gear(teeth, 2.0, 10.0, 4.0).unwrap();
            assert_eq!(mesh.faces().len(), 48 * teeth as usize);
            assert_closed(&mesh);
            assert_eq!(genus(&mesh), 1);
            let pitch = f64::from(teeth);
            let expected = PI * (pitch * pitch - 16.0) * 10.0;
            let ratio = volume(&mesh) / expected;
            assert!((0.8..1.05).contains(&ratio), "{teeth}: {ratio}");
            // No tooth is pointed, and there is a gap between neighbouring teeth.
            let outline = outline(teeth, 1.0);
            let land = outline[FLANK].y - outline[FLANK - 1].y;
            assert!(land > 0.1, "{teeth}: {land}");
            assert!(outline[2 * FLANK].distance(outline[2 * FLANK - 1]) > 0.3, "{teeth}");
        }
    }

    #[test]
    fn gears_do_not_intersect_themselves() {
        for teeth in [8, 20, 45] {
            assert_simple(&gear(teeth, 2.0, 10.0, 4.0).unwrap(), 1e-3);
        }
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let error = gear(7, 1.0, 1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "teeth is 7, but must be from 8 to 1000");
        assert!(gear(1001, 1.0, 1.0, 1.0).is_err());
        assert!(gear(20, 0.0, 1.0, 1.0).is_err());
        assert!(gear(20, 1.0, f64::NAN, 1.0).is_err());
        assert!(gear(20, 1.0, 1.0, 8.5).is_err());
        assert!(gear(20, 1.0, 1.0, 0.0).is_err());
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&gear(20, 2.0, 16.0, 5.5).unwrap()), 0x3A28_2689_4677_D9FA);
    }
}
