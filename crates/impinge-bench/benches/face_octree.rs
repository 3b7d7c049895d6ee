//! The methods `face-octree` and `octree` on the experiments of their paper (Smith, Kitamura 1994), and their options:
//! `cargo bench -p impinge-bench --bench face_octree [-- WORDS]`; words select tables: scenes, faces, options,
//! optimisations, bodies.
//!
//! All on one thread. Contenders take turns, the least time of all rounds counts, and all must find the same
//! contacts. A slow row has fewer rounds, so that the program ends within minutes.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Mesh, Method, Pose, Shape, World,
    broad::{AllPairs, Packed},
    generate::{self, Random},
    glam::{DMat3, DVec3},
    method::face_octree::{CellTest, Division, FaceOctreeOptions, SubdivisionDepth},
    world::{Body, BodyId},
};
use impinge_scene::{Builder, OctreeChoice, Optimisation, Overrides, Scene, SourceError, Sources};
use std::{
    ops::ControlFlow,
    path::Path,
    time::{Duration, Instant},
};

const ROUNDS: usize = 7;
/// No round begins after this time for one row.
const ENOUGH: Duration = Duration::from_secs(2);

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    if wants("scenes") {
        scenes();
    }
    if wants("faces") {
        faces();
    }
    if wants("options") {
        options();
    }
    if wants("optimisations") {
        optimisations();
    }
    if wants("bodies") {
        bodies();
    }
}

/// The last cycle of each scene of the paper, at which two bodies touch.
fn scenes() {
    println!("\n### Last cycle of the paper's scenes, µs\n");
    println!("| scene | run | contacts | paper, ms | face-octree | octree | wide | brute |");
    println!("|---|---|---|---|---|---|---|---|");
    let paper = [
        ("000-figure-3.6", vec!["11", "16", "24", "70"]),
        ("000-figure-3.8", vec!["31", "16"]),
        ("000-figure-3.9", vec!["16", "21", "22", "41"]),
        ("000-figure-3.10", vec!["11 (octree: 161)"]),
    ];
    for (name, times) in paper {
        for (run, time) in times.iter().enumerate() {
            let mut best = [f64::INFINITY; 4];
            let mut found = None;
            for _ in 0..ROUNDS {
                let methods = [Method::FACE_OCTREE, Method::OCTREE, Method::WIDE, Method::BRUTE];
                for (best, method) in best.iter_mut().zip(methods) {
                    let (us, contacts) = last_cycle(name, run, method, OctreeChoice::default());
                    assert_eq!(*found.get_or_insert(contacts), contacts, "{name}, {method}");
                    *best = best.min(us);
                }
            }
            let us: Vec<String> = best.iter().map(|us| format!("{us:.0}")).collect();
            let (number, found) = (run + 1, found.unwrap_or(0));
            println!("| {name} | {number} | {found} | {time} | {} |", us.join(" | "));
        }
    }
}

/// Runs a scene until bodies touch. Returns the time of that cycle in µs, and its contacts.
fn last_cycle(name: &str, number: usize, method: Method, choice: OctreeChoice) -> (f64, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = Scene::load(folder.join(format!("{name}.toml"))).expect("a scene");
    let mut overrides = Overrides::default();
    overrides.method = Some(method);
    overrides.threads = Some(1);
    overrides.octree = choice;
    let mut run = Builder::new(&scene, overrides, &Generated).run(number).expect("a run");
    let mut last = (0.0, 0);
    while let Some(cycle) = run.next_cycle(|_| ControlFlow::Continue(())).expect("a cycle") {
        last = (cycle.row().total_us, cycle.row().contacts);
    }
    last
}

/// The generated meshes of the scenes.
struct Generated;

impl Sources for Generated {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        match name {
            "gen:shuttle" => Ok(generate::shuttle()),
            "gen:chair" => Ok(generate::chair()),
            "gen:deformed-torus,seed=5,around=151,tube=6" => {
                Ok(generate::deformed_torus(5, [151, 6])?)
            }
            _ => match name.strip_prefix("gen:sphere,faces=") {
                Some(faces) => Ok(generate::sphere(faces.parse()?)?),
                None => Err(format!("{name}: unknown mesh").into()),
            },
        }
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Err(format!("{name}: unknown poses").into())
    }
}

/// Bodies in a world, all at once: the time of one step in µs, and its contacts.
fn step(world: &mut World) -> (f64, usize) {
    let start = Instant::now();
    let contacts = world.step().stats().contacts;
    (start.elapsed().as_secs_f64() * 1e6, contacts)
}

/// Makes each of some worlds do a step in turns. Returns the least times in µs, and the contacts, which must be the
/// same.
fn compare<'w>(worlds: impl IntoIterator<Item = &'w mut World>, label: &str) -> (Vec<f64>, usize) {
    let mut worlds: Vec<&mut World> = worlds.into_iter().collect();
    let mut best = vec![f64::INFINITY; worlds.len()];
    let mut found = None;
    let start = Instant::now();
    for _ in (0..ROUNDS).take_while(|&round| round == 0 || start.elapsed() < ENOUGH) {
        for (best, world) in best.iter_mut().zip(&mut worlds) {
            let (us, contacts) = step(world);
            assert_eq!(*found.get_or_insert(contacts), contacts, "{label}");
            *best = best.min(us);
        }
    }
    (best, found.unwrap_or(0))
}

/// Milliseconds of a step at ten cycles a second.
const TENTH: f64 = 100.0;

/// Two spheres that just touch, as in Figure 3.7, with ever more faces: how many can be searched ten times a second?
/// A method that takes longer than that is not measured with more faces.
fn faces() {
    println!("\n### Two touching spheres, a step, ms\n");
    println!("| faces of each | contacts | face-octree | octree | wide | brute |");
    println!("|---|---|---|---|---|---|");
    let methods = [Method::FACE_OCTREE, Method::OCTREE, Method::WIDE, Method::BRUTE];
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    // With 8 million faces, cells of the deepest level of `octree` have so many faces that a step takes minutes.
    for faces in [3_968, 16_000, 64_000, 250_000, 1_000_000, 2_000_000, 4_000_000] {
        let mesh = std::sync::Arc::new(generate::sphere(faces).expect("an even number"));
        let is_measured = |curve: &Vec<(f64, f64)>| curve.last().is_none_or(|last| last.1 < TENTH);
        let measured: Vec<usize> = (0..4).filter(|&i| is_measured(&curves[i])).collect();
        // `wide` is not the subject, and takes long to build.
        if measured.iter().all(|&i| methods[i] == Method::WIDE) {
            break;
        }
        let mut worlds: Vec<World> = measured
            .iter()
            .map(|&i| {
                let shape = Shape::with_method(methods[i], mesh.clone());
                let turned = DMat3::from_axis_angle(DVec3::new(0.48, 0.6, 0.64), 1.0);
                let at = DVec3::new(1.78, 0.89, 0.05);
                world_of(&shape, &[Pose::IDENTITY, Pose::new(turned, at).expect("a rotation")])
            })
            .collect();
        let (best, contacts) = compare(&mut worlds, "faces");
        let mut row = [(); 4].map(|()| String::new());
        for (&i, us) in measured.iter().zip(best) {
            row[i] = format!("{:.2}", us / 1e3);
            curves[i].push((f64::from(faces), us / 1e3));
        }
        println!("| {faces} | {contacts} | {} |", row.join(" | "));
    }
    println!("\nFaces of each sphere at ten cycles a second (the paper: 5936), interpolated:\n");
    println!("| face-octree | octree | wide | brute |");
    println!("|---|---|---|---|");
    let row: Vec<String> = curves.iter().map(|curve| at_a_tenth(curve)).collect();
    println!("| {} |", row.join(" | "));
}

/// How many faces take a tenth of a second, from the times for some numbers of faces.
fn at_a_tenth(curve: &[(f64, f64)]) -> String {
    let crossing = curve.windows(2).find(|pair| pair[0].1 <= TENTH && pair[1].1 > TENTH);
    match (crossing, curve.last()) {
        (Some(&[(few, short), (many, long)]), _) => {
            let share = (TENTH - short) / (long - short);
            format!("{:.0}", few + share * (many - few))
        }
        (_, Some((most, _))) => format!("more than {most}"),
        _ => String::new(),
    }
}

/// The depths, divisions and cell tests.
fn options() {
    let plain = FaceOctreeOptions::default();
    let depths = [
        SubdivisionDepth::Auto,
        SubdivisionDepth::Level(4),
        SubdivisionDepth::Level(5),
        SubdivisionDepth::Level(6),
        SubdivisionDepth::Level(7),
        SubdivisionDepth::Level(8),
    ];
    let tori = generate::deformed_torus(1, [100, 100]).expect("enough segments");
    let turned =
        |seed: u64, at: DVec3| Pose::new(Random::new(seed).rotation(), at).expect("a rotation");
    let sphere = generate::sphere(3968).expect("an even number");
    let apart = vec![Pose::IDENTITY, turned(1, DVec3::new(1.78, 0.89, 0.05))];
    let shuttle = generate::scaled_to_cube(&generate::shuttle(), 4.0).expect("a size");
    let formation = (0..15)
        .map(|i| {
            turned(9 + i, DVec3::new(i as f64 % 5.0 * 1.4, (i / 5) as f64 * 1.4, 0.1 * i as f64))
        })
        .collect();
    let crowd = (0..200)
        .map(|i| turned(i, DVec3::from([i % 6, i / 6 % 6, i / 36].map(|k| k as f64 * 1.7))))
        .collect();
    let scenes: [(&str, Mesh, Vec<Pose>); 5] = [
        ("two spheres of 3,968 faces, touching", sphere, apart),
        (
            "two tori of 20,000 faces, crossing",
            tori.clone(),
            vec![Pose::IDENTITY, turned(2, DVec3::new(0.8, 0.3, 0.1))],
        ),
        (
            "two tori of 20,000 faces, in one place",
            tori,
            vec![Pose::IDENTITY, turned(0, DVec3::ZERO)],
        ),
        ("15 shuttles of 528 faces, crossing", shuttle, formation),
        (
            "200 tori of 500 faces, crowded",
            generate::deformed_torus(1, [25, 10]).expect("a torus"),
            crowd,
        ),
    ];
    println!("\n### Options, µs a step\n");
    let names: Vec<&str> = scenes.iter().map(|(name, ..)| *name).collect();
    println!("| depth | division | cell test | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(names.len()));
    let mut ways = Vec::new();
    for depth in depths {
        for division in [Division::Octree, Division::Bintree] {
            for test in [CellTest::Bounds, CellTest::Exact] {
                ways.push(plain.depth(depth).division(division).cell_test(test));
            }
        }
    }
    let mut columns = Vec::new();
    for (name, mesh, poses) in &scenes {
        let mut worlds: Vec<World> = ways
            .iter()
            .map(|&options| world_of(&Shape::build(options, mesh.clone()), poses))
            .collect();
        let (best, contacts) = compare(&mut worlds, name);
        columns.push((best, contacts));
    }
    for (i, way) in ways.iter().enumerate() {
        let times: Vec<String> =
            columns.iter().map(|(best, _)| format!("{:.0}", best[i])).collect();
        println!(
            "| {:?} | {:?} | {:?} | {} |",
            way.depth,
            way.division,
            way.cell_test,
            times.join(" | ")
        );
    }
    let contacts: Vec<String> = columns.iter().map(|(_, contacts)| contacts.to_string()).collect();
    println!("| contacts | | | {} |", contacts.join(" | "));
}

fn world_of(shape: &Shape, poses: &[Pose]) -> World {
    let mut world = World::new();
    for &pose in poses {
        world.add(Body::new(shape).at(pose)).expect("one method");
    }
    world
}

/// The octree with each of its four optimisations switched off, and with all of them.
fn optimisations() {
    println!("\n### Last cycle of octree, µs\n");
    let scenes = ["003-table-1", "003-figure-13", "000-figure-3.10"];
    println!("| level | without | {} |", scenes.join(" | "));
    println!("|---|---|---|---|---|");
    for level in [None, Some(5), Some(6)] {
        let mut plain = OctreeChoice::default();
        plain.level = level.map(SubdivisionDepth::Level);
        let ways = Optimisation::NAMES.iter().map(|&(name, one)| (name, plain.without(one)));
        for (name, choice) in std::iter::once(("nothing", plain)).chain(ways) {
            let times = scenes.map(|scene| {
                let start = Instant::now();
                let least = (0..ROUNDS)
                    .take_while(|&round| round == 0 || start.elapsed() < ENOUGH)
                    .map(|_| last_cycle(scene, 0, Method::OCTREE, choice).0)
                    .fold(f64::INFINITY, f64::min);
                format!("{least:.0}")
            });
            let level = level.map_or("auto".to_owned(), |level| level.to_string());
            println!("| {level} | {name} | {} |", times.join(" | "));
        }
    }
}

/// With and without the broad phase, over the number of bodies, at the same density.
fn bodies() {
    println!("\n### Spheres of 168 faces, µs a step\n");
    println!(
        "| bodies | contacts | face-octree, packed boxes | face-octree, all pairs of boxes | face-octree, no \
         bounding boxes | wide, packed boxes |"
    );
    println!("|---|---|---|---|---|---|");
    let mesh = generate::sphere(168).expect("an even number");
    for count in [10u32, 30, 100, 300, 1_000, 3_000, 10_000] {
        let side = f64::from(count).cbrt().ceil() as u32;
        let make = |method: Method, mut world: World| {
            let shape = Shape::with_method(method, mesh.clone());
            let mut random = Random::new(3);
            let mut ids: Vec<(BodyId, Pose)> = Vec::new();
            for i in 0..count {
                let place =
                    DVec3::from([i % side, i / side % side, i / side / side].map(f64::from));
                let at = place * 2.3 + random.direction() * 0.25;
                let pose = Pose::new(random.rotation(), at).expect("a rotation");
                ids.push((world.add(Body::new(&shape).at(pose)).expect("one method"), pose));
            }
            (world, ids)
        };
        let (cells, wide) = (Method::FACE_OCTREE, Method::WIDE);
        let mut worlds = [
            make(cells, World::with_broad_phase(Packed::new())),
            make(cells, World::with_broad_phase(AllPairs::boxes())),
            make(cells, World::with_broad_phase(AllPairs::unchecked())),
            make(wide, World::with_broad_phase(Packed::new())),
        ];
        let mut best = [f64::INFINITY; 4];
        let mut found = None;
        let start = Instant::now();
        for _ in (0..ROUNDS).take_while(|&round| round == 0 || start.elapsed() < ENOUGH) {
            for (best, (world, ids)) in best.iter_mut().zip(&mut worlds) {
                // As if all bodies had moved.
                world.set_poses(ids).expect("all are there");
                let (us, contacts) = step(world);
                assert_eq!(*found.get_or_insert(contacts), contacts, "{count} bodies");
                *best = best.min(us);
            }
        }
        let us: Vec<String> = best.iter().map(|us| format!("{us:.0}")).collect();
        println!("| {count} | {} | {} |", found.unwrap_or(0), us.join(" | "));
    }
}
