//! A process plant of any size: lines of pipes, flanges and valves on a rack, made of few meshes at many
//! poses.

use super::{GenerateError, Random, surface::Surface, torus, turn::circle};
use crate::{Mesh, Pose};
use glam::{DMat3, DVec3};

/// A plant: its distinct meshes, and the parts that use them. Lengths are meant as millimetres.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plant {
    /// The distinct meshes, each closed, normals outward.
    pub meshes: Vec<Mesh>,
    /// The parts, line by line.
    pub parts: Vec<PlantPart>,
}

/// A part of a [`Plant`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlantPart {
    /// Line, kind and number of the part: `line 0012 valve 1234`.
    pub name: String,
    /// The line the part belongs to.
    pub line: u32,
    /// The index of its mesh in [`Plant::meshes`].
    pub mesh: usize,
    /// The pose of the part.
    pub pose: Pose,
}

/// The number of pipe sizes, each with a pipe, a flange, a valve and a handwheel.
const SIZES: usize = 50;
const KINDS: usize = 4;
/// The number of parts per line.
const LINE: usize = 100;
/// The distance between neighbouring lines, horizontally and vertically.
const RACK: f64 = 640.0;
/// The gap between two flanges, for a gasket that is not modelled.
const GASKET: f64 = 2.0;
const SIDES: u32 = 20;
const PIPE: f64 = 2048.0;
const FLANGE: f64 = 64.0;
const VALVE: f64 = 512.0;

/// A plant with the given number of parts, made of 200 meshes of about a thousand faces each.
///
/// In every line a pipe touches the flange welded to it in a plane, with exactly equal coordinates. Flanges
/// face each other across a gap of 2; handwheels are clear above their valves. About one in a hundred parts
/// is a tee that passes upright through a pipe: these penetrate. About one in a thousand parts exists twice.
///
/// # Errors
///
/// Fails if `parts` is 0.
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
        let position =
            DVec3::new(0.0, (line % across) as f64 * RACK, (line / across) as f64 * RACK);
        let mut builder = LineBuilder { line: line as u32, size, position, parts: &mut parts };
        builder.lay(&mut random, count);
        line += 1;
    }
    Ok(Plant { meshes, parts })
}

fn radius_of(size: usize) -> f64 {
    40.0 + 2.0 * size as f64
}

/// A line under construction, from one end to the other.
struct LineBuilder<'p> {
    line: u32,
    size: usize,
    position: DVec3,
    parts: &'p mut Vec<PlantPart>,
}

impl LineBuilder<'_> {
    /// Lays a line, or as much of it as the total number of parts allows.
    fn lay(&mut self, random: &mut Random, count: usize) {
        // `along` turns a body about the z axis into one along x, by permuting coordinates without rounding.
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
                self.position.x += length;
            }
            self.position.x += GASKET;
        }
    }

    fn add(&mut self, name: &str, kind: usize, rotation: DMat3, offset: DVec3, end: usize) {
        if self.parts.len() == end {
            return;
        }
        self.parts.push(PlantPart {
            name: format!("line {:04} {name} {}", self.line, self.parts.len()),
            line: self.line,
            mesh: self.size * KINDS + kind,
            pose: Pose::new(rotation, self.position + offset).expect("a rotation by quarter turns"),
        });
    }
}

/// A pipe from z = 0 to its length; the wall is an eighth of the radius.
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

/// A valve with a bulging body, from z = 0 to its length.
fn valve(radius: f64) -> Mesh {
    let bulge = |i: i32| {
        let t = f64::from(i) / 16.0;
        radius * (1.25 + 2.0 * t * (1.0 - t))
    };
    let outside = (0..=16).map(|i| (bulge(i), VALVE * f64::from(i) / 16.0));
    let inside = (0..=8).rev().map(|i| (radius * 0.875, VALVE * f64::from(i) / 8.0));
    revolved(outside.chain(inside))
}

/// The surface of revolution about z of a closed outline of radii and heights. The outside is to the right of
/// the direction of travel.
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
    fn meshes_are_closed_face_outward_and_have_a_thousand_faces() {
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
    fn only_the_intended_clashes_are_found() {
        let plant = plant(7, 2_000).expect("some parts");
        let meshes: Vec<Arc<Mesh>> = plant.meshes.into_iter().map(Arc::new).collect();
        let parts: Vec<Part> = plant
            .parts
            .iter()
            .map(|part| Part::new(meshes[part.mesh].clone(), part.pose))
            .collect();
        let options = Options::new().clearance(2.5).expect("a distance");
        let report = clash::find(&parts, &options);
        let kind = |part: usize| plant.parts[part].name.split(' ').nth(2).unwrap_or_default();
        for clash in &report.clashes {
            let mut kinds = [kind(clash.a), kind(clash.b)];
            kinds.sort_unstable();
            let is_intended = match clash.verdict {
                Verdict::Penetrating => kinds == ["pipe", "tee"],
                Verdict::Touching => kinds == ["flange", "pipe"],
                Verdict::Clearance => kinds == ["flange", "valve"] || kinds == ["pipe", "valve"],
                Verdict::Duplicate => kinds == ["pipe", "pipe"],
                Verdict::Inside | Verdict::Undecided | Verdict::Fit => false,
            };
            assert!(is_intended, "{kinds:?} {clash:?}");
        }
        let tees = plant.parts.iter().filter(|part| part.name.contains("tee")).count();
        assert!(tees > 10 && report.count(Verdict::Penetrating) >= tees);
        assert!(report.count(Verdict::Touching) > 300 && report.count(Verdict::Clearance) > 300);
    }
}
