//! Checks the documented properties of the gearbox by brute force in plain floating point. That is enough,
//! because every distance that matters is either exactly zero or far above the rounding error.

use super::super::check::{Triangle, assert_closed, hash, hash_poses, triangle_distance, volume};
use super::*;
use crate::Bounds;

/// A placed part, with the bounding boxes of its faces.
struct Placed {
    name: String,
    triangles: Vec<(Triangle, Bounds)>,
}

fn placed() -> Vec<Placed> {
    gearbox()
        .into_iter()
        .map(|(name, mesh, pose)| {
            let place = |corners: Triangle| {
                let corners = corners.map(|corner| pose.place(corner));
                (corners, Bounds::enclosing(corners))
            };
            Placed { name, triangles: mesh.triangles().map(place).collect() }
        })
        .collect()
}

/// The least distance between two parts, but at most `limit`.
fn distance(a: &Placed, b: &Placed, limit: f64) -> f64 {
    let mut least = limit;
    for (s, s_bounds) in &a.triangles {
        for (t, t_bounds) in &b.triangles {
            let gap = (t_bounds.min - s_bounds.max).max(s_bounds.min - t_bounds.max);
            if gap.max_element() < least {
                least = least.min(triangle_distance(s, t));
            }
        }
    }
    least
}

#[test]
fn exactly_three_pairs_are_close() {
    let parts = placed();
    let mut close = Vec::new();
    for (i, a) in parts.iter().enumerate() {
        for b in &parts[i + 1..] {
            let least = distance(a, b, GEARBOX_GAP);
            if least < GEARBOX_GAP {
                close.push(([a.name.as_str(), b.name.as_str()], least));
            }
        }
    }
    close.sort_by_key(|(pair, _)| *pair);
    let pairs: Vec<_> = close.iter().map(|(pair, _)| *pair).collect();
    assert_eq!(pairs, [GEARBOX_TOUCH, GEARBOX_CLASH, GEARBOX_TIGHT], "{close:?}");
    assert_eq!(close[0].1, 0.0);
    assert_eq!(close[1].1, 0.0);
    let [least, most] = GEARBOX_TIGHT_CLEARANCE;
    assert!((least..most).contains(&close[2].1), "{close:?}");
}

#[test]
fn the_contact_is_in_one_plane_and_the_clash_penetrates() {
    let parts = placed();
    let part = |name: &str| parts.iter().find(|part| part.name == name).unwrap();
    let heights = |part: &Placed| {
        let bounds = part.triangles.iter().map(|(_, bounds)| *bounds);
        let mut all = Bounds::EMPTY;
        bounds.for_each(|bounds| all.merge(&bounds));
        (all.min.z, all.max.z)
    };
    assert_eq!(heights(part(GEARBOX_TOUCH[1])).1, INNER);
    let housing = part(GEARBOX_TOUCH[0]);
    assert!(housing.triangles.iter().any(|(t, _)| t.iter().all(|corner| corner.z == INNER)));
    // The head of the bolt begins inside the wall and ends outside it.
    let bolt = part(GEARBOX_CLASH[1]);
    let wide = bolt.triangles.iter().flat_map(|(t, _)| t).filter(|p| (p.x - BOLTS[1]).abs() > 3.0);
    let below = wide.fold(f64::MAX, |z, p| z.min(p.z));
    assert!(INNER < below && below < INNER + WALL && INNER + WALL < heights(bolt).1);
}

#[test]
fn parts_are_closed_and_have_unique_names() {
    let assembly = gearbox();
    assert_eq!(assembly.len(), 15);
    for (i, (name, mesh, _)) in assembly.iter().enumerate() {
        assert_closed(mesh);
        assert!(volume(mesh) > 0.0, "{name}");
        assert!(assembly[..i].iter().all(|(other, ..)| other != name));
    }
    let faces: usize = assembly.iter().map(|(_, mesh, _)| mesh.faces().len()).sum();
    assert_eq!(faces, 8692);
}

#[test]
fn output_is_the_same_on_every_platform() {
    let assembly = gearbox();
    let meshes = assembly.iter().fold(0_u64, |sum, (_, mesh, _)| sum.rotate_left(1) ^ hash(mesh));
    assert_eq!(meshes, 0xF2AF_712A_B8C6_5186);
    let poses: Vec<Pose> = assembly.iter().map(|&(_, _, pose)| pose).collect();
    assert_eq!(hash_poses(&poses), 0x23A4_43E6_872D_1ED8);
}
