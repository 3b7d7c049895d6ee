//! A torpedo, and a bed of rollers that it lies on.

use super::surface::Surface;
use super::turn::{circle, turn};
use crate::Mesh;
use glam::{DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;

/// The radius of the torpedo.
const RADIUS: f64 = 0.265;
/// Sides of the torpedo, and its cross-sections: those of the tail, of the cylinder and of the nose.
const SIDES: u32 = 50;
const SECTIONS: [u32; 3] = [10, 27, 10];
/// Positions along the torpedo: the tip of the tail, the ends of the cylinder, the tip of the nose.
const STATIONS: [f64; 4] = [-3.0, -1.9, 2.6, 3.0];
/// The first and the last cross-section of a fin.
const FIN: [usize; 2] = [2, 6];
/// The sides that bear a fin, and how far fins reach: they do not stand out beyond the cylinder.
const FIN_SIDES: [usize; 4] = [6, 18, 31, 43];
const FIN_REACH: f64 = 0.255;

/// A torpedo of exactly 4,780 faces: one closed surface, normals outward, with its axis along x, its nose towards +x and
/// four fins at the tail. 6 long and 0.53 thick, meant as metres.
///
/// Replaces the torpedo of 4,780 triangles of Lin, Manocha, Cohen and Gottschalk (1996), which was never published.
pub fn torpedo() -> Mesh {
    let mut surface = Surface::with_faces(4780);
    let tail = surface.vertex(DVec3::X * STATIONS[0]);
    let section = |surface: &mut Surface, (x, radius): (f64, f64)| {
        surface.ring(circle(SIDES).map(|at| (at * radius).extend(0.0)).map(|at| turned(at, x)))
    };
    let rings: Vec<Vec<u32>> = profile().map(|place| section(&mut surface, place)).collect();
    surface.fan_below(&rings[0], tail);
    let nose = surface.vertex(DVec3::X * STATIONS[3]);
    for (number, pair) in rings.windows(2).enumerate() {
        let (lower, upper) = (&pair[0], &pair[1]);
        let has_fin = (FIN[0]..FIN[1]).contains(&number);
        for side in 0..SIDES as usize {
            if !(has_fin && FIN_SIDES.contains(&side)) {
                let next = (side + 1) % SIDES as usize;
                surface.quad([lower[side], lower[next], upper[next], upper[side]]);
            }
        }
    }
    FIN_SIDES.iter().for_each(|&side| add_fin(&mut surface, &rings, side));
    surface.fan_above(&rings[rings.len() - 1], nose);
    surface.finish().expect("the coordinates are constants")
}

/// A point of a cross-section at `x`, given in the plane of the section.
fn turned(at: DVec3, x: f64) -> DVec3 {
    DVec3::new(x, at.x, at.y)
}

/// Position and radius of each cross-section, from tail to nose.
fn profile() -> impl Iterator<Item = (f64, f64)> {
    let [tail, middle, nose] = SECTIONS;
    let [tip, rear, front, end] = STATIONS;
    // The tail is a slender curve, the nose half an ellipse.
    let tail = (0..tail).map(move |i| {
        let share = f64::from(i + 1) / f64::from(tail + 1);
        (tip + (rear - tip) * share, RADIUS * libm::sin(share * FRAC_PI_2))
    });
    let middle = (0..middle).map(move |i| {
        let share = f64::from(i) / f64::from(middle - 1);
        (rear + (front - rear) * share, RADIUS)
    });
    let nose = (0..nose).map(move |i| {
        let (sin, cos) = libm::sincos(f64::from(i + 1) / f64::from(nose + 1) * FRAC_PI_2);
        (front + (end - front) * sin, RADIUS * cos)
    });
    tail.chain(middle).chain(nose)
}

/// Adds a fin in place of one side between two cross-sections: a box that stands on the surface.
fn add_fin(surface: &mut Surface, rings: &[Vec<u32>], side: usize) {
    let middle = turn(2 * side as u64 + 1, 2 * u64::from(SIDES));
    let outward = DVec3::new(0.0, middle.x, middle.y);
    // The two feet and the two outer corners of a cross-section.
    let mut corners = |ring: &Vec<u32>| {
        let feet = [ring[side], ring[side + 1]];
        let outer = feet.map(|foot| {
            let foot = surface.position(foot);
            surface.vertex(foot + outward * (FIN_REACH - foot.dot(outward)))
        });
        (feet, outer)
    };
    let sections: Vec<_> = rings[FIN[0]..=FIN[1]].iter().map(&mut corners).collect();
    for pair in sections.windows(2) {
        let [([l, r], [ol, or]), ([l2, r2], [ol2, or2])] = [pair[0], pair[1]];
        surface.quad([ol, or, or2, ol2]);
        surface.quad([l2, l, ol, ol2]);
        surface.quad([r, r2, or2, or]);
    }
    let (([l, r], [ol, or]), ([l2, r2], [ol2, or2])) = (sections[0], sections[FIN[1] - FIN[0]]);
    surface.quad([l, r, or, ol]);
    surface.quad([r2, l2, ol2, or2]);
}

/// Pairs of rollers, and the distance from pair to pair.
const PAIRS: u32 = 23;
const PAIR_STEP: f64 = 0.34;
/// The direction from the axis of the torpedo to a roller, as (sine, cosine) of 40° from straight down.
const ROLLER_ANGLE: f64 = std::f64::consts::PI / 4.5;
/// The gap between a roller and the cylinder of the torpedo if the torpedo is at the origin.
const ROLLER_GAP: f64 = 0.002;
const ROLLER_SIDES: u32 = 61;
/// Half the profile of a roller: position along its axis and radius. Axle, rim and crown.
const ROLLER: [(f64, f64); 4] = [(0.15, 0.015), (0.12, 0.015), (0.12, 0.049), (0.1, 0.05)];
/// The rails beside the rollers: half their section, and the gap between an axle and its rail.
const RAIL: [f64; 2] = [0.02, 0.04];
const RAIL_GAP: f64 = 0.005;

/// A bed of 46 rollers between two rails, on which [`torpedo`] lies: exactly 44,920 faces, 48 closed surfaces that do not
/// touch each other, normals outward. If both meshes are at the origin, the rollers are 0.002 below the torpedo.
///
/// The rollers are in pairs that form a V, 23 pairs along x. Replaces the pivot structure of 44,921 triangles of Lin,
/// Manocha, Cohen and Gottschalk (1996), which was never published. Closed surfaces have an even number of triangles,
/// so there is one less.
pub fn roller_bed() -> Mesh {
    let mut surface = Surface::with_faces(44_920);
    let (sin, cos) = libm::sincos(ROLLER_ANGLE);
    let crown = ROLLER[3].1;
    for side in [-1.0, 1.0] {
        // Towards the roller, and along its axis away from the other row.
        let away = DVec3::new(0.0, side * sin, -cos);
        let axis = DVec3::new(0.0, side * cos, sin);
        let middle = away * (RADIUS + ROLLER_GAP + crown);
        for pair in 0..PAIRS {
            let x = (f64::from(pair) - f64::from(PAIRS - 1) / 2.0) * PAIR_STEP;
            add_roller(&mut surface, middle + DVec3::X * x, axis, away);
        }
        let half = f64::from(PAIRS) / 2.0 * PAIR_STEP;
        let center = middle + axis * (ROLLER[0].0 + RAIL_GAP + RAIL[0]);
        let section = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        // Counter-clockwise as seen from +x on both sides.
        let ends = [-half, half].map(|x| {
            section.map(|[u, v]| {
                center + DVec3::X * x + axis * (u * RAIL[0]) - away * (side * v * RAIL[1])
            })
        });
        surface.block(ends[0], ends[1]);
    }
    surface.finish().expect("the coordinates are constants")
}

/// Adds a roller. A corner of its polygon points to the torpedo, opposite to `away`.
fn add_roller(surface: &mut Surface, center: DVec3, axis: DVec3, away: DVec3) {
    let up = -away;
    let across = axis.cross(up);
    let profile = ROLLER.map(|(along, radius)| (-along, radius)).into_iter();
    let profile = profile.chain(ROLLER.into_iter().rev());
    let rings: Vec<Vec<u32>> = profile
        .map(|(along, radius)| {
            surface.ring(circle(ROLLER_SIDES).map(|DVec2 { x, y }| {
                center + axis * along + up * (x * radius) + across * (y * radius)
            }))
        })
        .collect();
    let [bottom, top] = [-1.0, 1.0].map(|end| surface.vertex(center + axis * (end * ROLLER[0].0)));
    surface.fan_below(&rings[0], bottom);
    rings.windows(2).for_each(|pair| surface.strip(&pair[0], &pair[1]));
    surface.fan_above(&rings[rings.len() - 1], top);
}
