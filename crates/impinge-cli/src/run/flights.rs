//! Tests of all scenes with bodies in free flight: these bodies bounce, and never stay in contact with another body,
//! nor inside one.

use super::FilesAndGenerators;
use impinge::{PointLocation, Pose, Shape, World, world::Body};
use impinge_io::GridOptions;
use impinge_scene::{Builder, Cycle, Overrides, Scene, Summary};
use std::{
    collections::HashMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Cycles after which a body that still touches the same body counts as staying in contact.
const STAYS: u64 = 10;
/// Cycles in which a body must have moved.
const RESTS: u64 = 100;

/// The longest contact of two bodies so far, and where bodies were some cycles ago.
#[derive(Default)]
struct Watch {
    /// For pairs that touch: the cycle in which they began to.
    since: HashMap<[u32; 2], u64>,
    places: Vec<impinge::glam::DVec3>,
    energy: Option<f64>,
}

impl Watch {
    /// Returns what is wrong with a cycle, if anything.
    fn check(&mut self, cycle: &Cycle<'_>) -> Result<(), String> {
        let number = cycle.row().cycle;
        let placed: Vec<(&Shape, &Pose)> = cycle.shapes().zip(cycle.kept_poses()).collect();
        let touching: Vec<[u32; 2]> =
            cycle.step().pairs().map(|touch| [touch.a.index(), touch.b.index()]).collect();
        self.since.retain(|pair, _| touching.contains(pair));
        for pair in touching {
            let [a, b] = pair.map(|body| placed[body as usize]);
            let names = pair.map(|body| cycle.body_name(body as usize)).join(" and ");
            if impinge::intersects(a, b).unwrap() {
                return Err(format!("cycle {number}: {names} were left in contact"));
            }
            if number - *self.since.entry(pair).or_insert(number) >= STAYS {
                return Err(format!("cycle {number}: {names} touch for {STAYS} cycles"));
            }
        }
        // Where bodies touch nothing, one may still be inside another: then all of it is.
        if number.is_multiple_of(RESTS) {
            self.check_places(cycle, &placed)?;
        }
        let stats = cycle.row().stats.ok_or("no stats")?;
        let energy = stats.kinetic + stats.potential;
        match self.energy.replace(energy) {
            Some(before) if energy > before + 1e-9 * (before.abs() + stats.kinetic) => {
                Err(format!("cycle {number}: the energy grew from {before} to {energy}"))
            }
            _ => Ok(()),
        }
    }

    fn check_places(
        &mut self,
        cycle: &Cycle<'_>,
        placed: &[(&Shape, &Pose)],
    ) -> Result<(), String> {
        let number = cycle.row().cycle;
        let mut world = World::new();
        for (shape, pose) in placed {
            world.add(Body::new(shape).at(**pose)).unwrap();
        }
        if let Some(touch) = world.step().pairs().next() {
            return Err(format!(
                "cycle {number}: {} and {} were left in contact",
                touch.a, touch.b
            ));
        }
        for (body, _) in cycle.flying() {
            let (shape, pose) = placed[body];
            let Some(corner) = shape.mesh().triangles().next().map(|face| pose.place(face[0]))
            else {
                continue;
            };
            for (other, (around, at)) in
                placed.iter().enumerate().filter(|(other, _)| *other != body)
            {
                // Only closed meshes have an inside.
                if around.contains_point(at, corner) == Ok(PointLocation::Inside) {
                    let [body, other] = [body, other].map(|body| cycle.body_name(body));
                    return Err(format!("cycle {number}: {body} is inside {other}"));
                }
            }
        }
        let now: Vec<_> = cycle.flying().map(|(_, place)| place).collect();
        for ((place, before), (body, _)) in now.iter().zip(&self.places).zip(cycle.flying()) {
            let size = cycle.shapes().nth(body).unwrap().mesh().bounds().size().length();
            if place.distance(*before) < 1e-3 * size {
                return Err(format!("cycle {number}: {} is at rest", cycle.body_name(body)));
            }
        }
        self.places = now;
        Ok(())
    }
}

/// Runs the first run of a scene, and checks every cycle.
fn checked(path: &Path, cycles: Option<u64>) -> Result<Summary, String> {
    let mut watch = Watch::default();
    checked_by(path, 0, cycles, |cycle| watch.check(cycle))
}

/// Makes a run of a scene, with a check of every cycle.
fn checked_by(
    path: &Path,
    number: usize,
    cycles: Option<u64>,
    mut check: impl FnMut(&Cycle<'_>) -> Result<(), String>,
) -> Result<Summary, String> {
    let scene = Scene::load(path).map_err(|error| error.to_string())?;
    let mut overrides = Overrides::default();
    (overrides.cycles, overrides.stats) = (cycles, true);
    let sources = FilesAndGenerators { grids: GridOptions::default() };
    let mut builder = Builder::new(&scene, overrides, &sources);
    let mut run = builder.run(number).map_err(|error| error.to_string())?;
    while let Some(cycle) =
        run.next_cycle(|_| ControlFlow::Continue(())).map_err(|error| error.to_string())?
    {
        check(&cycle)?;
    }
    Ok(run.summary())
}

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name)
}

/// Scenes whose bodies come to rest, or are moved by others. They have tests of their own.
const AT_REST: [&str; 2] = ["004-feeder.toml", "004-torpedo.toml"];

fn scenes_with_flight() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "toml")
            && fs::read_to_string(path).unwrap().contains("\nflight =")
            && !AT_REST.iter().any(|name| path.ends_with(name))
    });
    paths.sort();
    paths
}

#[test]
fn no_body_of_a_scene_stays_in_contact_or_comes_to_rest() {
    let scenes = scenes_with_flight();
    assert!(scenes.len() >= 2, "{scenes:?}");
    let mut is_checked = false;
    for path in scenes {
        let summary =
            checked(&path, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stats = summary.stats.unwrap();
        assert!(stats.impulses > 100, "{}: {stats:?}", path.display());
        assert_eq!(stats.reversals, 0, "{}", path.display());
        if path.ends_with("004-pipes.toml") {
            check_pipes(&summary);
            is_checked = true;
        }
    }
    assert!(is_checked, "there are no falling pipes");
}

/// Checks that the falling pipes are as busy as in Table 1 of Lin et al. (1996), with 6.0 contacts, 425 box tests and 18
/// face tests per step. The motion is chaotic: a change of any rounding changes these numbers, so wide ranges are
/// allowed. Other starts gave 3.7 to 7.4 contacts.
fn check_pipes(summary: &Summary) {
    let stats = summary.stats.unwrap();
    let per_cycle = |count: u64| count as f64 / summary.cycles as f64;
    assert_eq!((summary.cycles, summary.bodies, summary.faces), (4008, 2, 279_936));
    let [contacts, boxes, faces] =
        [summary.contacts, stats.box_tests, stats.face_tests].map(per_cycle);
    assert!((3.0..12.0).contains(&contacts), "{contacts} contacts per cycle");
    assert!((100.0..2000.0).contains(&boxes), "{boxes} box tests per cycle");
    assert!((contacts..2000.0).contains(&faces), "{faces} face tests per cycle");
    assert!((80..800).contains(&summary.touching_cycles), "{} cycles", summary.touching_cycles);
}

/// The torpedo lies on its rollers along its whole length, does not sink in, and slides on without friction.
#[test]
fn a_torpedo_slides_along_its_rollers() {
    // Faces of a row of 23 rollers and of its rail, and of a roller.
    let (row, roller) = (23 * 976 + 12, 976);
    let mut places = Vec::new();
    let mut contacts = Vec::new();
    for number in 0..2 {
        let (mut counts, mut kept) = (Vec::new(), Vec::new());
        let check = |cycle: &Cycle<'_>| {
            let placed: Vec<(&Shape, &Pose)> = cycle.shapes().zip(cycle.kept_poses()).collect();
            if impinge::intersects(placed[0], placed[1]).unwrap() {
                return Err(format!("cycle {}: left in contact", cycle.row().cycle));
            }
            kept.push(placed[1].1.translation());
            let faces = cycle.step().pairs().flat_map(|touch| touch.faces);
            let mut rollers: Vec<u32> =
                faces.map(|pair| pair.a / row * 23 + pair.a % row / roller).collect();
            rollers.sort_unstable();
            rollers.dedup();
            counts.push((cycle.row().contacts, rollers.len()));
            Ok(())
        };
        let summary = checked_by(&scene("004-torpedo.toml"), number, Some(50), check).unwrap();
        assert_eq!((summary.bodies, summary.faces), (2, 4780 + 44_920));
        assert_eq!(summary.stats.unwrap().reversals, 0);
        assert!(counts[..3].iter().all(|&(count, _)| count == 0), "{counts:?}");
        for (cycle, &(count, rollers)) in counts.iter().enumerate().skip(3) {
            assert!(count > 200 && rollers > 20, "cycle {cycle}: {count} at {rollers} rollers");
        }
        for (cycle, pair) in kept.windows(2).enumerate().skip(5) {
            let [before, now] = [pair[0], pair[1]];
            assert!((now.x - before.x - 0.003).abs() < 1e-5, "cycle {cycle}: {before} to {now}");
            // The rollers are 2 mm below the circle around the torpedo, and its flat sides 0.5 mm within it. At 40 degrees
            // from the vertical that is up to 3.4 mm.
            assert!((-0.0036..-0.0020).contains(&now.z), "cycle {cycle}: {now}");
        }
        places.push(kept);
        contacts.push(counts);
    }
    assert_eq!(contacts[0], contacts[1], "two methods have different contacts");
    assert_eq!(places[0], places[1], "two methods lead to different places");
}

/// Parts fall into the bowl and are thrown up by it. None of them passes through it, sinks in, or is left in another one.
#[test]
fn parts_of_a_feeder_stay_in_the_bowl() {
    let (mut contacts, mut on_floor) = (0, 0);
    let check = |cycle: &Cycle<'_>| {
        let number = cycle.row().cycle;
        let placed: Vec<(&Shape, &Pose)> = cycle.shapes().zip(cycle.kept_poses()).collect();
        let (_, bowl) = placed[placed.len() - 1];
        for (body, _) in cycle.flying() {
            let (shape, pose) = placed[body];
            // Where a part is in the bowl, whose floor is at z = 0 and whose rim has a radius of 14.
            let lowest = shape
                .mesh()
                .positions()
                .iter()
                .map(|&corner| bowl.inverse().place(pose.place(corner)));
            let lowest = lowest.reduce(|p, q| if q.z < p.z { q } else { p }).unwrap();
            if lowest.z < -1e-9 || lowest.truncate().length() > 14.0 {
                let name = cycle.body_name(body);
                return Err(format!("cycle {number}: {name} is at {lowest} in the bowl"));
            }
            on_floor += usize::from(lowest.z < 0.01);
        }
        if number.is_multiple_of(10) {
            let mut world = World::new();
            for (shape, pose) in &placed {
                world.add(Body::new(shape).at(**pose)).unwrap();
            }
            if let Some(touch) = world.step().pairs().next() {
                let names = [touch.a, touch.b].map(|body| cycle.body_name(body.index() as usize));
                return Err(format!("cycle {number}: {} are left in contact", names.join(" and ")));
            }
        }
        contacts += cycle.row().contacts;
        Ok(())
    };
    let summary = checked_by(&scene("004-feeder.toml"), 0, Some(140), check).unwrap();
    assert_eq!(summary.bodies, 301);
    assert!(contacts > 10_000, "only {contacts} contacts");
    assert!(on_floor > 300, "only {on_floor} times a part is on the floor");
}

/// The checks above find what they look for.
#[test]
fn bodies_that_rest_or_stay_are_found() {
    let folder = std::env::temp_dir().join(format!("impinge-flights-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let complaint = |name: &str, small: &str, more: &str| {
        let path = folder.join(name);
        let text = format!(
            "cycles = 301\n{more}\n[[body]]\nname = \"large\"\nmesh = \"gen:cuboid,x=4,y=4,z=4\"\nfixed = true\n\
             [[body]]\nname = \"small\"\nmesh = \"gen:cuboid\"\n{small}\n"
        );
        fs::write(&path, text).unwrap();
        checked(&path, None).unwrap_err()
    };
    let cases = [
        ("inside.toml", "flight = {}", "", "small is inside large"),
        ("through.toml", "at = [2.0, 0.0, 0.0]\nflight = {}", "", "were left in contact"),
        ("still.toml", "at = [9.0, 0.0, 0.0]\nflight = {}", "", "small is at rest"),
        (
            "sunk.toml",
            "at = [0.0, 0.0, 3.0]\nflight = { turn = [1, 2, 0] }",
            "[dynamics]\ngravity = [0, 0, -0.01]\nrestitution = 0.2",
            "touch for 10 cycles",
        ),
    ];
    for (name, small, more, expected) in cases {
        let found = complaint(name, small, more);
        assert!(found.contains(expected), "{name}: {found}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
