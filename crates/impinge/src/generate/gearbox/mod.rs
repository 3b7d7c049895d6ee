//! A small assembly with exactly one clash, one contact and one tight clearance.

mod housing;
mod parts;

use super::gear::gear;
use super::turn::{about_x, about_z, turn};
use crate::{Mesh, Pose};
use glam::{DMat3, DVec3};
use housing::housing;
use parts::{bolt, bushing, shaft};

/// The two parts of [`gearbox`] that penetrate each other: this bolt is one unit too deep.
pub const GEARBOX_CLASH: [&str; 2] = ["housing", "bolt front right"];

/// The two parts of [`gearbox`] that touch without penetrating: the outer face of this bearing lies in the
/// plane of the housing's inner wall, with exactly equal coordinates.
pub const GEARBOX_TOUCH: [&str; 2] = ["housing", "bearing input front"];

/// The two parts of [`gearbox`] that come close without touching: the meshing gears.
pub const GEARBOX_TIGHT: [&str; 2] = ["pinion", "wheel"];

/// The clearance of the gears lies between these two distances.
pub const GEARBOX_TIGHT_CLEARANCE: [f64; 2] = [0.03, 0.05];

/// All other pairs of parts are at least this far apart.
pub const GEARBOX_GAP: f64 = 0.25;

/// Half the inner length of the housing along the shafts, which are parallel to z.
const INNER: f64 = 20.0;

/// The thickness of the housing's walls.
const WALL: f64 = 5.0;

/// The module of the gears. With 20 and 30 teeth the shafts are exactly 50 apart.
const MODULE: f64 = 2.0;
const PINION_TEETH: u32 = 20;
const WHEEL_TEETH: u32 = 30;
const DISTANCE: f64 = MODULE * (PINION_TEETH + WHEEL_TEETH) as f64 / 2.0;

/// The x coordinates of the bolts on the left and on the right. The input shaft is at x = 0.
const BOLTS: [f64; 2] = [-32.0, 92.0];

/// A gearbox as a list of (name, mesh, pose): 15 parts with 8,692 faces in total, lengths meant as
/// millimetres. Housing, two shafts, two meshing gears, four bearings, two sleeves and four bolts, each
/// closed, normals outward. Equal parts have the same mesh at different poses.
///
/// The gearbox is made for clash checks. A check should find exactly three pairs of parts: [`GEARBOX_CLASH`]
/// penetrate, [`GEARBOX_TOUCH`] touch in a plane, and [`GEARBOX_TIGHT`] are within
/// [`GEARBOX_TIGHT_CLEARANCE`]. All others are more than [`GEARBOX_GAP`] apart.
pub fn gearbox() -> Vec<(String, Mesh, Pose)> {
    let mut assembly = Vec::new();
    let mut add = |name: &str, mesh: &Mesh, rotation: DMat3, x: f64, z: f64| {
        let pose = Pose::new(rotation, DVec3::new(x, 0.0, z)).expect("rotations are exact enough");
        assembly.push((name.to_owned(), mesh.clone(), pose));
    };
    // Half a turn about x, exact in every coordinate.
    let (forward, backward) = (DMat3::IDENTITY, about_x(turn(1, 2)));

    add("housing", &housing(), forward, 0.0, 0.0);
    let shaft = shaft();
    add("shaft input", &shaft, forward, 0.0, 0.0);
    add("shaft output", &shaft, backward, DISTANCE, 0.0);

    let gear = |teeth| gear(teeth, MODULE, 16.0, 5.5).expect("the parameters are in range");
    add("pinion", &gear(PINION_TEETH), forward, 0.0, 0.0);
    // Half a tooth further, so that a gap faces the pinion's tooth.
    let half_tooth = about_z(turn(1, 2 * u64::from(WHEEL_TEETH)));
    add("wheel", &gear(WHEEL_TEETH), half_tooth, DISTANCE, 0.0);

    // Bearings are 5 long. This one ends at z = 20, the plane of the wall; the others end at ±19.5.
    let bearing = bushing(5.5, 11.0, 5.0);
    add("bearing input front", &bearing, forward, 0.0, INNER - 2.5);
    add("bearing input back", &bearing, forward, 0.0, 3.0 - INNER);
    add("bearing output front", &bearing, forward, DISTANCE, INNER - 3.0);
    add("bearing output back", &bearing, forward, DISTANCE, 3.0 - INNER);
    let sleeve = bushing(5.5, 8.0, 5.5);
    add("sleeve input", &sleeve, forward, 0.0, 11.25);
    add("sleeve output", &sleeve, forward, DISTANCE, -11.25);

    // Bolts are inserted from outside. Their heads are half a unit off the wall, except for one.
    let bolt = bolt();
    let seat = INNER + WALL + 0.5;
    add("bolt front left", &bolt, forward, BOLTS[0], seat);
    add("bolt front right", &bolt, forward, BOLTS[1], seat - 1.5);
    add("bolt back left", &bolt, backward, BOLTS[0], -seat);
    add("bolt back right", &bolt, backward, BOLTS[1], -seat);
    assembly
}

#[cfg(test)]
mod tests;
