//! A process plant of any size: lines of pipes, flanges and valves on a rack, few meshes at many places.

use super::{GenerateError, Random, surface::Surface, torus, turn::circle};
use crate::{Mesh, Pose};
use glam::{DMat3, DVec3};

/// A plant: its meshes, and where each part shows one of them. As in millimetres.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plant {
    /// The distinct meshes, each closed and looking outward.
    pub meshes: Vec<Mesh>,
    /// The parts, line by line.
    pub parts: Vec<PlantPart>,
}

/// A part of a [`Plant`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlantPart {
    /// The line, what it is, and its number: `line 0012 valve 1234`.
    pub name: String,
    /// Which line it belongs to.
    pub line: u32,
    /// Which of the meshes it shows.
    pub mesh: usize,
    /// Where it stands.
    pub pose: Pose,
}

/// How many sizes of pipe there are, each with a pipe, a flange, a valve and a handwheel.
const SIZES: usize = 50;
const KINDS: usize = 4;
/// How many parts make a line.
const LINE: usize = 100;
/// How far apart lines are, to the side and above each other.
const RACK: f64 = 640.0;
/// How wide the gap between two flanges is, for a gasket that nobody draws.
const GASKET: f64 = 2.0;
const SIDES: u32 = 20;
const PIPE: f64 = 2048.0;
const FLANGE: f64 = 64.0;
const VALVE: f64 = 512.0;

/// A plant of so many parts, over 200 meshes of about a thousand faces each.
///
/// Along every line a pipe touches the flange that is welded to it, in a plane on exactly equal
/// coordinates; flanges face each other across a gap of 2; handwheels stand clear above their valves.
/// Among a hundred parts one, on average, is a tee that goes upright through a pipe: these penetrate.
/// One in a thousand is there twice.
///
/// # Errors
/// If there is no part in it.
pub fn plant(seed: u64, parts: u32) -> Result<Plant, GenerateError> {
    if parts == 0 {
        return Err(GenerateError::Count { parameter: "parts", value: 0, allowed: "at least 1" });
    }
    let mut meshes = Vec::with_capacity(SIZES * KINDS);
    for size in 0..SIZES {
        let radius = radius_of(size);
        meshes.push(pipe(radius));
        meshes.push(flange(radius));
        meshes.push(valve(radius));
        meshes.push(torus(radius, 8.0, [40, 12])?);
    }
    let mut random = Random::new(seed);
    let count = parts as usize;
    let across = ((count as f64 / LINE as f64).sqrt().ceil() as usize).max(1);
    let mut parts = Vec::with_capacity(count);
    let mut line = 0;
    while parts.len() < count {
        let size = random.below(SIZES as u64) as usize;
        let place = DVec3::new(0.0, (line % across) as f64 * RACK, (line / across) as f64 * RACK);
        let mut run = Run { line: line as u32, size, place, parts: &mut parts };
        run.lay(&mut random, count);
        line += 1;
    }
    Ok(Plant { meshes, parts })
}

fn radius_of(size: usize) -> f64 {
    40.0 + 2.0 * size as f64
}

/// A line as it is laid, from one end to the other.
struct Run<'p> {
    line: u32,
    size: usize,
    place: DVec3,
    parts: &'p mut Vec<PlantPart>,
}

impl Run<'_> {
    /// Lays a line, unless there are parts enough before.
    fn lay(&mut self, random: &mut Random, count: usize) {
        // What was turned about z lies along x, which changes no digit; or it stays upright.
        let along = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
        let upright = DMat3::IDENTITY;
        let end = (self.parts.len() + LINE).min(count);
        while self.parts.len() < end {
            let bay =
                [("pipe", 0, PIPE), ("flange", 1, FLANGE), ("", 0, GASKET), ("valve", 2, VALVE)];
            for (name, kind, length) in bay {
                if !name.is_empty() {
                    self.add(name, kind, along, DVec3::ZERO, end);
                }
                if kind == 2 {
                    let above = DVec3::new(VALVE * 0.5, 0.0, 1.75 * radius_of(self.size) + 40.0);
                    self.add("handwheel", 3, upright, above, end);
                }
                if name == "pipe" && random.below(25) == 0 {
                    let through = DVec3::new(PIPE * random.range(0.25, 0.75), 0.0, -VALVE * 0.5);
                    self.add("tee", 2, upright, through, end);
                }
                if name == "pipe" && random.below(250) == 0 {
                    self.add(name, kind, along, DVec3::ZERO, end);
                }
                self.place.x += length;
            }
            self.place.x += GASKET;
        }
    }

    fn add(&mut self, name: &str, kind: usize, rotation: DMat3, away: DVec3, end: usize) {
        if self.parts.len() == end {
            return;
        }
        self.parts.push(PlantPart {
            name: format!("line {:04} {name} {}", self.line, self.parts.len()),
            line: self.line,
            mesh: self.size * KINDS + kind,
            pose: Pose::new(rotation, self.place + away).expect("a rotation by quarter turns"),
        });
    }
}

/// A pipe from z = 0 to its length, its wall a tenth of the radius.
fn pipe(radius: f64) -> Mesh {
    const RINGS: i32 = 12;
    let z = |i: i32| PIPE * f64::from(i) / f64::from(RINGS);
    let outside = (0..=RINGS).map(|i| (radius, z(i)));
    let inside = (0..=RINGS).rev().map(|i| (radius * 0.875, z(i)));
    revolved(outside.chain(inside))
}

/// A flange with a neck, from z = 0 to its length.
fn flange(radius: f64) -> Mesh {
    let steps = |i: i32| f64::from(i) / 8.0;
    // A neck that widens, a disc, and a raised face.
    let neck = (0..=8).map(|i| (radius * (1.0 + 0.5 * steps(i) * steps(i)), 32.0 * steps(i)));
    let disc = [(radius * 1.75, 32.0), (radius * 1.75, 60.0), (radius * 1.25, 60.0)];
    let face = [(radius * 1.25, FLANGE), (radius * 0.875, FLANGE)];
    let inside = (1..=9).map(|i| (radius * 0.875, FLANGE * (1.0 - f64::from(i) / 9.0)));
    revolved(neck.chain(disc).chain(face).chain(inside))
}

/// A valve with a belly, from z = 0 to its length.
fn valve(radius: f64) -> Mesh {
    let bulge = |i: i32| {
        let t = f64::from(i) / 16.0;
        radius * (1.25 + 2.0 * t * (1.0 - t))
    };
    let outside = (0..=16).map(|i| (bulge(i), VALVE * f64::from(i) / 16.0));
    let inside = (0..=8).rev().map(|i| (radius * 0.875, VALVE * f64::from(i) / 8.0));
    revolved(outside.chain(inside))
}

/// A closed outline of radii and heights, turned about z. Outward is to the right of the way.
fn revolved(outline: impl Iterator<Item = (f64, f64)>) -> Mesh {
    let mut surface = Surface::default();
    let rings: Vec<Vec<u32>> = outline
        .map(|(radius, z)| surface.ring(circle(SIDES).map(|at| (at * radius).extend(z))))
        .collect();
    for (i, ring) in rings.iter().enumerate() {
        surface.strip(ring, &rings[(i + 1) % rings.len()]);
    }
    surface.finish().expect("the coordinates are finite")
}

#[cfg(test)]
mod tests {
    use super::super::check::assert_closed;
    use super::*;
    use crate::clash::{self, Options, Part, Verdict};
    use std::sync::Arc;

    #[test]
    fn meshes_are_closed_look_outward_and_have_a_thousand_faces() {
        let plant = plant(1, 10_000).expect("some parts");
        assert_eq!((plant.meshes.len(), plant.parts.len()), (200, 10_000));
        for mesh in &plant.meshes {
            assert_closed(mesh);
            assert!(mesh.report().volume.is_some_and(|volume| volume > 0.0));
        }
        let faces: usize =
            plant.parts.iter().map(|part| plant.meshes[part.mesh].faces().len()).sum();
        assert!((9_500_000..10_500_000).contains(&faces), "{faces}");
        assert!(super::plant(1, 0).is_err());
    }

    #[test]
    fn clashes_are_those_that_were_put_there() {
        let plant = plant(7, 2_000).expect("some parts");
        let meshes: Vec<Arc<Mesh>> = plant.meshes.into_iter().map(Arc::new).collect();
        let parts: Vec<Part> = plant
            .parts
            .iter()
            .map(|part| Part { mesh: meshes[part.mesh].clone(), pose: part.pose })
            .collect();
        let options = Options::new().clearance(2.5).expect("a distance");
        let report = clash::find(&parts, &options);
        let kind = |part: usize| plant.parts[part].name.split(' ').nth(2).unwrap_or_default();
        for clash in &report.clashes {
            let mut kinds = [kind(clash.a), kind(clash.b)];
            kinds.sort_unstable();
            let is_put = match clash.verdict {
                Verdict::Penetrating => kinds == ["pipe", "tee"],
                Verdict::Touching => kinds == ["flange", "pipe"],
                Verdict::Clearance => kinds == ["flange", "valve"] || kinds == ["pipe", "valve"],
                Verdict::Duplicate => kinds == ["pipe", "pipe"],
                Verdict::Inside => false,
            };
            assert!(is_put, "{kinds:?} {clash:?}");
        }
        let tees = plant.parts.iter().filter(|part| part.name.contains("tee")).count();
        assert!(tees > 10 && report.count(Verdict::Penetrating) >= tees);
        assert!(report.count(Verdict::Touching) > 300 && report.count(Verdict::Clearance) > 300);
    }
}
