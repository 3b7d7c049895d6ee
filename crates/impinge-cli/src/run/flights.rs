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
    let scene = Scene::load(path).map_err(|error| error.to_string())?;
    let mut overrides = Overrides::default();
    (overrides.cycles, overrides.stats) = (cycles, true);
    let sources = FilesAndGenerators { grids: GridOptions::default() };
    let mut builder = Builder::new(&scene, overrides, &sources);
    let mut run = builder.run(0).map_err(|error| error.to_string())?;
    let mut watch = Watch::default();
    while let Some(cycle) =
        run.next_cycle(|_| ControlFlow::Continue(())).map_err(|error| error.to_string())?
    {
        watch.check(&cycle)?;
    }
    Ok(run.summary())
}

fn scenes_with_flight() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "toml")
            && fs::read_to_string(path).unwrap().contains("\nflight =")
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
