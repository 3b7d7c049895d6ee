//! Bodies that move along a path through others, with known times: written in many ways and formats, and checked.

use super::{
    body::{Body, square},
    files::Storage,
    holds, is_written,
    pairs::Pair,
    variants::Variant,
};
use impinge::{
    Motion, Pose,
    clash::Verdict,
    glam::{DMat3, DVec3, dvec3},
};
use impinge_clash::{CheckOptions, PathClash, PathOptions, Pattern, check, check_path};
use impinge_io::{Assembly, PathRows};
use rayon::prelude::*;
use std::path::Path;

/// An interval that must be found, in rows of the path.
#[derive(Clone, Copy, Debug)]
struct Interval {
    verdict: Verdict,
    from: f64,
    until: f64,
    /// Where the bodies first overlap; for clearances, where they are closest.
    at: Option<f64>,
    distance: f64,
}

impl Interval {
    fn new(verdict: Verdict, from: f64, until: f64) -> Self {
        Self { verdict, from, until, at: None, distance: 0.0 }
    }

    fn at(mut self, at: f64) -> Self {
        self.at = Some(at);
        self
    }
}

/// A body that rests, one that moves, and what must be found.
struct Scene {
    pair: Pair,
    rows: Vec<Pose>,
    found: Vec<Interval>,
    /// Times are right to this share of a step.
    accuracy: f64,
}

fn scene(name: &str, rests: Body, moves: Body, rows: Vec<Pose>, found: Vec<Interval>) -> Scene {
    let pair = Pair::new(name, None, rests, moves).margin(0.1);
    Scene { pair, rows, found, accuracy: 2e-5 }
}

fn by(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z)).expect("finite")
}

fn scenes() -> Vec<Scene> {
    use Verdict::{Clearance, Inside, Penetrating, Touching};
    let home = Pose::IDENTITY;
    let mut all = vec![
        // The gap is 0.1 mm all around.
        scene(
            "a peg is pulled straight out of a hole",
            Body::plate(30.0, 5.0, 10.0),
            Body::cylinder(4.9, 30.0),
            vec![home, by(0.0, 0.0, 15.0), by(0.0, 0.0, 60.0)],
            vec![],
        ),
        // It moves by 0.1 mm to the side in a tenth of the way, and leaves the hole after half of it.
        scene(
            "a peg is pulled out askew",
            Body::plate(30.0, 5.0, 10.0),
            Body::cylinder(4.9, 30.0),
            vec![home, by(1.0, 0.0, 40.0)],
            vec![Interval::new(Penetrating, 0.1, 0.5).at(0.1)],
        ),
        scene(
            "a drawer slides out of a square channel",
            Body::ring(&square(20.0), &square(10.0), 30.0),
            Body::cuboid(10.0, 10.0, 30.0),
            vec![home, by(0.0, 0.0, 10.0), by(0.0, 0.0, 50.0)],
            vec![Interval::new(Touching, 0.0, 1.5)],
        ),
        // The second half of the way is lower by 0.5 mm at its end.
        scene(
            "a drawer slides, and then into the floor of its channel",
            Body::ring(&square(20.0), &square(10.0), 30.0),
            Body::cuboid(10.0, 9.0, 30.0).moved(0.0, -0.5, 0.0),
            vec![home, by(0.0, 0.0, 10.0), by(0.0, -0.5, 20.0), by(0.0, -0.5, 100.0)],
            vec![Interval::new(Penetrating, 0.0, 2.125).at(1.0)],
        ),
        scene(
            "a cube is on the other side of a thin plate in the next row",
            Body::cuboid(50.0, 50.0, 0.1),
            Body::cube(5.0).moved(0.0, 0.0, 20.0),
            vec![by(0.0, 0.0, 7.0), home, by(0.0, 0.0, -40.0)],
            vec![Interval::new(Penetrating, 1.0 + 17.45 / 40.0, 1.0 + 22.55 / 40.0)],
        ),
        scene(
            "a cube enters another and stays there",
            Body::cube(20.0),
            Body::cube(1.0).moved(0.0, 0.0, 20.0),
            vec![home, by(0.0, 0.0, -20.0), by(3.0, 0.0, -20.0)],
            vec![Interval::new(Inside, 9.5 / 20.0, 2.0)],
        ),
        scene(
            "a cube stays inside of another",
            Body::cube(20.0),
            Body::cube(1.0),
            vec![home, by(3.0, 0.0, 0.0), by(3.0, 2.0, 0.0)],
            vec![Interval::new(Inside, 0.0, 2.0)],
        ),
        scene(
            "a block slides on a floor and hits a wall",
            Body::cuboid(60.0, 20.0, 1.0)
                .moved(0.0, 0.0, -0.5)
                .with(Body::cuboid(2.0, 20.0, 20.0).moved(20.0, 0.0, 12.0)),
            Body::cube(5.0).moved(0.0, 0.0, 2.5),
            vec![home, by(5.0, 0.0, 0.0), by(25.0, 0.0, 0.0)],
            vec![Interval::new(Penetrating, 0.0, 2.0).at(1.0 + 11.5 / 20.0)],
        ),
        scene(
            "a cube touches another in passing",
            Body::cube(10.0),
            Body::cube(10.0).moved(-30.0, 10.0, 0.0),
            vec![home, by(60.0, 0.0, 0.0)],
            vec![Interval::new(Touching, 20.0 / 60.0, 40.0 / 60.0)],
        ),
    ];
    // The peg comes closer to the wall by only 1 mm in a step, so the touch band is a larger share of it.
    all[1].accuracy = 1e-4;
    // A bar of the width 2 turns about its middle. Its side is 1 mm from the axis, the edge of the pin 8 mm at 40 degrees.
    let angle = 40.0 - (1.0_f64 / 8.0).asin().to_degrees();
    let edge = DMat3::from_rotation_z(40_f64.to_radians()) * dvec3(8.0, 0.0, 0.0);
    let outward = DMat3::from_rotation_z((angle + 90.0).to_radians()) * DVec3::X;
    let middle = edge + outward * 0.5_f64.sqrt();
    let turned = |degrees: f64| {
        Pose::new(DMat3::from_rotation_z(degrees.to_radians()), DVec3::ZERO).expect("a rotation")
    };
    all.push(scene(
        "a bar turns and hits a pin",
        Body::cuboid(1.0, 1.0, 5.0).turned(DVec3::Z, angle + 45.0).moved(middle.x, middle.y, 0.0),
        Body::cuboid(20.0, 2.0, 2.0),
        vec![home, turned(5.0), turned(35.0)],
        vec![Interval::new(Penetrating, 1.0 + (angle - 5.0) / 30.0, 2.0)],
    ));
    // The distance is 2 mm. The cube is closer than the clearance as long as corners are: √(3² − 2²) mm more on each side.
    let mut pass = scene(
        "a cube passes another at a known distance",
        Body::cube(10.0),
        Body::cube(10.0).moved(-30.0, 12.0, 0.0),
        vec![home, by(60.0, 0.0, 0.0)],
        vec![Interval {
            distance: 2.0,
            ..Interval::new(Clearance, (20.0 - 5_f64.sqrt()) / 60.0, (40.0 + 5_f64.sqrt()) / 60.0)
        }],
    );
    pass.pair.clearance = 3.0;
    all.push(pass);
    let mut far = scene(
        "a cube passes another farther away than asked",
        Body::cube(10.0),
        Body::cube(10.0).moved(-30.0, 12.0, 0.0),
        vec![home, by(60.0, 0.0, 0.0)],
        vec![],
    );
    far.pair.clearance = 1.5;
    all.push(far);
    all
}

/// How a variant maps space: a linear map and a translation.
fn map_of(variant: Variant) -> (DMat3, DVec3) {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let frame = Body { positions: points.to_vec(), faces: Vec::new() };
    let placed = match variant {
        Variant::Mirrored => frame.mirrored(),
        Variant::Turned => frame.turned(dvec3(2.0, 1.0, 5.0), 17.0),
        Variant::Far => return (DMat3::IDENTITY, dvec3(1e5, -1e5, 1e5)),
        Variant::VeryFar => return (DMat3::IDENTITY, dvec3(1e8, 1e8, -1e8)),
        _ => frame,
    };
    let p = &placed.positions;
    (DMat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]), p[0])
}

/// The path as a file, for bodies written in another way.
fn rows(scene: &Scene, variant: Variant) -> PathRows {
    let (map, shift) = map_of(variant);
    let mut bytes = Vec::new();
    let moved: Vec<Pose> = scene
        .rows
        .iter()
        .map(|row| {
            let turn = map * row.rotation() * map.inverse();
            let shift = map * row.translation() + shift - turn * shift;
            Pose::new(turn, shift).expect("a rotation")
        })
        .collect();
    impinge_io::write_poses(&moved, &mut bytes).expect("memory");
    PathRows::read(&bytes, Path::new("path.csv")).expect("a path")
}

#[test]
fn paths_have_their_known_clashes_however_they_are_written() {
    let only = std::env::var("IMPINGE_TRUTH").unwrap_or_default();
    let wrong: Vec<String> = scenes()
        .par_iter()
        .filter(|scene| scene.pair.name.contains(&only))
        .flat_map_iter(|scene| {
            let mut wrong = Vec::new();
            for variant in Variant::ALL {
                let Some(written) = variant.of(&scene.pair) else { continue };
                for storage in Storage::WITHOUT_STEP {
                    if is_written(storage, variant) && holds(storage, &written) {
                        let complaints = judge(scene, &written, variant, storage);
                        wrong.extend(complaints.into_iter().map(|what| {
                            format!("{}, {variant:?}, {storage:?}: {what}", scene.pair.name)
                        }));
                    }
                }
            }
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks a scene. Returns what is wrong with the answer.
fn judge(scene: &Scene, written: &Pair, variant: Variant, storage: Storage) -> Vec<String> {
    let assembly = storage.assembly(&written.bodies);
    let moving = usize::from(variant != Variant::Swapped);
    let path = PathOptions::new(vec![Pattern::new(assembly.parts[moving].name.clone())]);
    let mut options = CheckOptions::default();
    options.clearance = written.clearance;
    let rows = rows(scene, variant);
    let outcome = check_path(&assembly, &rows, &path, &options, &()).expect("good options");
    let shown = |clash: &PathClash| {
        let [from, until, at] = [clash.from, clash.until, clash.at].map(place);
        format!("{:?} {from} to {until}, at {at} {:?}", clash.verdict, clash.doubt)
    };
    let all: Vec<String> = outcome.clashes.iter().map(shown).collect();
    let mut wrong = Vec::new();
    let found: Vec<&PathClash> =
        outcome.clashes.iter().filter(|clash| clash.verdict.is_some()).collect();
    if found.len() != scene.found.len() {
        wrong.push(format!("{} intervals instead of {}: {all:?}", found.len(), scene.found.len()));
        return wrong;
    }
    // What rounding to the precision of the file moves, in shares of a step.
    let error = scene.accuracy + 0.1 * storage.error(&written.bodies);
    // Where coordinates have few digits left, contacts are reported earlier by many times the rounding.
    let error = if variant == Variant::VeryFar { error + 2e-3 } else { error };
    for (clash, expected) in found.iter().zip(&scene.found) {
        let times = [(clash.from, expected.from), (clash.until, expected.until)];
        let is_off = |(found, right): &(_, f64)| (place(*found) - right).abs() > error;
        let at_is_off = expected.at.is_some_and(|at| (place(clash.at) - at).abs() > 10.0 * error);
        let distance_is_off = (clash.distance - expected.distance).abs() > 1e-3;
        let is_wrong = clash.verdict != Some(expected.verdict) || distance_is_off;
        // A triangle that hangs on the moving body meets the other one at times of its own.
        let times_are_off = variant != Variant::Dangling && times.iter().any(is_off);
        if is_wrong || at_is_off || times_are_off {
            let again = check_again(&assembly, &rows, clash);
            let found = format!("{} {}", shown(clash), clash.distance);
            wrong.push(format!("{found} instead of {expected:?}; there: {again}"));
        }
    }
    if outcome.doubtful > 0 && is_sound(variant) {
        wrong.push(format!("not certified: {all:?}"));
    }
    wrong
}

/// What the check of the parts at rest says about the place that a clash names.
fn check_again(assembly: &Assembly, rows: &PathRows, clash: &PathClash) -> String {
    let mut assembly = assembly.clone();
    let step = &rows.displacements()[clash.at.row..];
    let displacement = Motion::between(step[0], step[1]).expect("less than half a turn");
    let part = &mut assembly.parts[clash.moving];
    part.placement = part.placement.then(displacement.pose_at(clash.at.fraction));
    let outcome = check(assembly, &CheckOptions::default(), &()).expect("good options");
    let clash = outcome.findings.rows.first().map(|row| &row.clash);
    format!("{:?}", clash.map(|clash| (clash.verdict, clash.depth, clash.band)))
}

/// Whether the bodies are written without gaps.
fn is_sound(variant: Variant) -> bool {
    !matches!(
        variant,
        Variant::Noise
            | Variant::SingleNoise
            | Variant::Seam
            | Variant::TJunctions
            | Variant::Twice
            | Variant::FrontAndBack
            | Variant::Dangling
    )
}

fn place(place: impinge_clash::PathPlace) -> f64 {
    place.row as f64 + place.fraction
}
