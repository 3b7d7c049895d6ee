//! Small mechanical parts: a bolt, a nut and a bracket.

use super::GenerateError;
use super::error::check_positive;
use super::surface::Surface;
use super::turn::{circle, turn};
use crate::Mesh;
use glam::{DVec2, DVec3};

/// Sides of a shank or a hole. A multiple of 8 and of 6, so that holes match the corners around them.
const SIDES: u32 = 24;
/// Radius of the corners of a hexagon head, and the heights of head and nut, in diameters: as metric bolts have them.
const HEAD_RADIUS: f64 = 0.924;
const HEAD_HEIGHT: f64 = 0.64;
const NUT_HEIGHT: f64 = 0.8;
/// The length of the conical tip of a bolt, in diameters.
const TIP: f64 = 0.1;

/// A hexagon bolt along z, its head below, with the middle of its whole length at the origin: 164 faces, closed, normals
/// outward. Its head has the usual proportions of metric bolts; there is no thread. Not convex.
///
/// `length` is the length of the shank, which must be longer than its conical tip of 0.1 `diameter`.
pub fn bolt(diameter: f64, length: f64) -> Result<Mesh, GenerateError> {
    check_positive("diameter", diameter)?;
    super::error::check_measure(
        "length",
        length,
        length > TIP * diameter,
        "a finite number above 0.1·diameter",
    )?;
    let mut surface = Surface::with_faces(164);
    let bottom = -(HEAD_HEIGHT * diameter + length) / 2.0;
    let seat = bottom + HEAD_HEIGHT * diameter;
    let mut ring = |count: u32, radius: f64, z: f64| {
        surface.ring(circle(count).map(|at| (at * radius).extend(z)))
    };
    let head = [bottom, seat].map(|z| ring(6, HEAD_RADIUS * diameter, z));
    let [foot, tip] =
        [seat, seat + length - TIP * diameter].map(|z| ring(SIDES, diameter / 2.0, z));
    let end = ring(SIDES, (0.5 - TIP) * diameter, seat + length);
    surface.cap_below(&head[0]);
    surface.strip(&head[0], &head[1]);
    plate(&mut surface, &head[1], &foot);
    surface.strip(&foot, &tip);
    surface.strip(&tip, &end);
    surface.cap_above(&end);
    surface.finish()
}

/// A hexagon nut about z, centered at the origin: 120 faces, closed, normals outward. It has the usual proportions of
/// metric nuts, and a smooth hole of the given diameter.
pub fn nut(diameter: f64) -> Result<Mesh, GenerateError> {
    check_positive("diameter", diameter)?;
    let mut surface = Surface::with_faces(120);
    let half = NUT_HEIGHT * diameter / 2.0;
    let mut ring = |count: u32, radius: f64, z: f64| {
        surface.ring(circle(count).map(|at| (at * radius).extend(z)))
    };
    let outer = [-half, half].map(|z| ring(6, HEAD_RADIUS * diameter, z));
    let hole = [-half, half].map(|z| ring(SIDES, diameter / 2.0, z));
    surface.strip(&outer[0], &outer[1]);
    surface.strip(&hole[1], &hole[0]);
    plate(&mut surface, &outer[1], &hole[1]);
    plate(&mut surface, &mirrored(&outer[0]), &mirrored(&hole[0]));
    surface.finish()
}

/// A bracket of two square plates at a right angle, with a round hole in each: 220 faces, closed, normals outward. The
/// plates are in the planes z = 0 and x = 0, with their common edge along y; their outer sides are `size` long, and they
/// are 0.15 `size` thick. Not convex.
pub fn bracket(size: f64) -> Result<Mesh, GenerateError> {
    check_positive("size", size)?;
    let (long, thick, half) = (size, 0.15 * size, 0.5 * size);
    let mut surface = Surface::with_faces(220);
    // The profile in x and z, counter-clockwise as seen from −y.
    let profile =
        [[0.0, 0.0], [long, 0.0], [long, thick], [thick, thick], [thick, long], [0.0, long]];
    let [near, far] =
        [-half, half].map(|y| surface.ring(profile.map(|[x, z]| DVec3::new(x, y, z))));
    for pair in [[0, 1, 2, 3], [0, 3, 4, 5]] {
        surface.quad(pair.map(|corner| near[corner]));
        surface.quad([pair[3], pair[2], pair[1], pair[0]].map(|corner| far[corner]));
    }
    for (from, to) in [(1, 2), (4, 5)] {
        surface.quad([near[from], far[from], far[to], near[to]]);
    }
    let middle = (long + thick) / 2.0;
    // Points of a hole in the order of `plate`: from the first corner of the plate on.
    let hole = |surface: &mut Surface, place: &dyn Fn(DVec2) -> DVec3| {
        let corners =
            (0..SIDES).map(|step| turn(u64::from(8 * step + 5 * SIDES), u64::from(8 * SIDES)));
        surface.ring(corners.map(|at| place(at * (0.2 * size))))
    };
    // The plate along x: from below y runs to the right and x up, from above x to the right and y up.
    let below = hole(&mut surface, &|at| DVec3::new(middle + at.y, at.x, 0.0));
    let above = hole(&mut surface, &|at| DVec3::new(middle + at.x, at.y, thick));
    plate(&mut surface, &[near[0], far[0], far[1], near[1]], &below);
    plate(&mut surface, &[near[3], near[2], far[2], far[3]], &above);
    surface.strip(&above, &mirrored(&below));
    // The plate along z: from outside z runs to the right and y up, from inside y to the right and z up.
    let outside = hole(&mut surface, &|at| DVec3::new(0.0, at.y, middle + at.x));
    let inside = hole(&mut surface, &|at| DVec3::new(thick, at.x, middle + at.y));
    plate(&mut surface, &[near[0], near[5], far[5], far[0]], &outside);
    plate(&mut surface, &[near[3], far[3], far[4], near[4]], &inside);
    surface.strip(&inside, &mirrored(&outside));
    surface.finish()
}

/// Adds a flat polygon with a hole. Both rings run counter-clockwise as seen from outside. The hole has a multiple of
/// twice as many corners; its first one is next to the first corner of the polygon.
fn plate(surface: &mut Surface, outer: &[u32], hole: &[u32]) {
    let share = hole.len() / outer.len();
    for (i, &corner) in outer.iter().enumerate() {
        let next = outer[(i + 1) % outer.len()];
        let of_hole = |step: usize| hole[(i * share + step) % hole.len()];
        surface.face([corner, next, of_hole(share / 2)]);
        // Half a share before the corner, and half a share after it.
        for step in 0..share {
            let step = hole.len() + step - share / 2;
            surface.face([corner, of_hole(step + 1), of_hole(step)]);
        }
    }
}

/// The ring as seen from the other side, from the same first corner on.
fn mirrored(ring: &[u32]) -> Vec<u32> {
    ring[..1].iter().chain(ring[1..].iter().rev()).copied().collect()
}
