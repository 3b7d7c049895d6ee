//! The paper's tables: tools by methods.

use crate::scenes::{RADIUS, Scene, ball};
use impinge::{
    Cache, Mesh, Method, Pair, Pose, Shape,
    glam::DVec3,
    method::SolidScratch,
    solid::{RevolvedHull, RoundedDisc, Solid, SweptSolid},
};
use impinge_bench::ThreadClock;
use std::ops::ControlFlow;

const METHODS: [Method; 5] =
    [Method::DOP6, Method::DOP14, Method::DOP18, Method::DOP26, Method::WIDE];
/// Rounds are repeated for at least this long, in seconds, because the clock has steps of milliseconds.
const LEAST_TIME: f64 = 0.1;

/// The largest distance of two positions of a sampled tool, in millimetres.
const SAMPLING: f64 = 0.1;

/// How far the faces of a polyhedral tool may be from the true one, in millimetres.
const CHORD: f64 = 0.02;

/// The number of checks that start from the same nodes, as in `impinge_nc::check`.
const GROUP: usize = 64;

/// A true solid or a polyhedron, along a path.
enum Moving {
    True(RevolvedHull),
    Swept(RevolvedHull),
    Polyhedral(Mesh),
}

/// Microseconds per check, and the number of checks with a contact.
#[derive(Clone, Copy)]
struct Cell {
    time: f64,
    contacts: usize,
}

pub(crate) fn print(scene: &Scene) {
    let faces = scene.mesh.faces().len();
    println!(
        "\n#### {}: {faces} faces, {} positions, µs per check\n",
        scene.name,
        scene.path.len()
    );
    println!(
        "| tool | faces | checks | contacts | dop6 | dop14 | dop18 | dop26 | wide | dop6, coherent | dop14, coherent \
         | dop18, coherent | dop26, coherent | wide, coherent |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let shapes = METHODS.map(|method| Shape::with_method(method, scene.mesh.clone()));
    let sampled = sampled(&scene.path);
    let polyhedron = |hull| Solid::revolved(hull).to_mesh(CHORD).expect("a solid");
    for (name, path, moving) in [
        ("true ball", &scene.path, Moving::True(ball())),
        ("true ball, swept", &scene.path, Moving::Swept(ball())),
        ("true ball, sampled", &sampled, Moving::True(ball())),
        ("true bull, swept", &scene.path, Moving::Swept(bull())),
        ("true rounded cone, swept", &scene.path, Moving::Swept(cone())),
        ("polyhedral ball", &scene.path, Moving::Polyhedral(polyhedron(ball()))),
        ("polyhedral ball, sampled", &sampled, Moving::Polyhedral(polyhedron(ball()))),
        ("polyhedral bull", &scene.path, Moving::Polyhedral(polyhedron(bull()))),
        ("polyhedral bull, sampled", &sampled, Moving::Polyhedral(polyhedron(bull()))),
        ("polyhedral rounded cone", &scene.path, Moving::Polyhedral(polyhedron(cone()))),
        ("polyhedral rounded cone, sampled", &sampled, Moving::Polyhedral(polyhedron(cone()))),
    ] {
        row(name, path, &moving, &shapes);
    }
}

fn row(name: &str, path: &[DVec3], moving: &Moving, shapes: &[Shape]) {
    let checks = path.len() - usize::from(matches!(moving, Moving::Swept(_)));
    let faces = match moving {
        Moving::Polyhedral(mesh) => mesh.faces().len().to_string(),
        _ => String::new(),
    };
    let [plain, coherent] = [false, true].map(|is_coherent| -> Vec<Option<Cell>> {
        // Only the wide tree keeps nodes for true solids.
        let has_front = |shape: &Shape| {
            !is_coherent
                || matches!(moving, Moving::Polyhedral(_))
                || shape.method() == Method::WIDE
        };
        let cell =
            |shape: &Shape| has_front(shape).then(|| measure(path, moving, shape, is_coherent));
        shapes.iter().map(cell).collect()
    });
    let contacts = plain[0].map_or(0, |cell| cell.contacts);
    for cell in plain.iter().chain(&coherent).flatten() {
        assert_eq!(cell.contacts, contacts, "{name}: the methods disagree");
    }
    let cells = plain.iter().chain(&coherent);
    let cells: Vec<String> =
        cells.map(|cell| cell.map_or(String::new(), |cell| format!("{:.2}", cell.time))).collect();
    println!("| {name} | {faces} | {checks} | {contacts} | {} |", cells.join(" | "));
}

/// Checks a tool along a path.
fn measure(path: &[DVec3], moving: &Moving, shape: &Shape, is_coherent: bool) -> Cell {
    match moving {
        Moving::True(hull) => {
            check_solids(path.iter().map(|tip| placed(*hull, *tip)), shape, is_coherent)
        }
        Moving::Swept(hull) => {
            let swept = |pair: &[DVec3]| placed(*hull, pair[0]).swept(pair[1] - pair[0]);
            check_solids(path.windows(2).map(swept), shape, is_coherent)
        }
        Moving::Polyhedral(mesh) => check_polyhedra(path, mesh, shape, is_coherent),
    }
}

/// The mean time of a check in some rounds of so many checks. A round returns the number of contacts.
fn repeated(checks: usize, mut round: impl FnMut() -> usize) -> Cell {
    let contacts = round();
    let clock = ThreadClock::start();
    let mut rounds = 0;
    while rounds < 2 || clock.seconds() < LEAST_TIME {
        assert_eq!(round(), contacts, "rounds disagree");
        rounds += 1;
    }
    Cell { time: 1e6 * clock.seconds() / (rounds * checks) as f64, contacts }
}

fn placed(hull: RevolvedHull, tip: DVec3) -> SweptSolid {
    SweptSolid::new(hull, tip, DVec3::Z)
}

/// Checks a true solid.
fn check_solids(
    solids: impl Iterator<Item = SweptSolid>,
    shape: &Shape,
    is_coherent: bool,
) -> Cell {
    let solids: Vec<SweptSolid> = solids.collect();
    let mut scratch = SolidScratch::default();
    repeated(solids.len(), || {
        let mut contacts = 0;
        for group in solids.chunks(GROUP) {
            scratch.drop_front();
            if is_coherent {
                shape.start_near(&Pose::IDENTITY, &around(group), &mut scratch);
            }
            for solid in group {
                contacts += usize::from(shape.touches_swept(&Pose::IDENTITY, solid, &mut scratch));
            }
        }
        contacts
    })
}

/// A solid around all solids of a group.
fn around(group: &[SweptSolid]) -> SweptSolid {
    let (first, last) = (group[0], group[group.len() - 1]);
    let way = last.origin() + last.travel() - first.origin();
    let ends = |solid: &SweptSolid| [solid.origin(), solid.origin() + solid.travel()];
    let aside = |point: DVec3| {
        let away = point - first.origin();
        let share = if way == DVec3::ZERO { 0.0 } else { away.dot(way) / way.length_squared() };
        (away - way * share.clamp(0.0, 1.0)).length()
    };
    let margin = group.iter().flat_map(ends).map(aside).fold(0.0, f64::max);
    first.swept(way).enlarged(margin * (1.0 + 1e-9))
}

/// Checks a polyhedral tool, which is only translated.
fn check_polyhedra(path: &[DVec3], tool: &Mesh, shape: &Shape, is_coherent: bool) -> Cell {
    let tool = Shape::with_method(shape.method(), tool.clone());
    let mut pair = Pair::new(shape, &tool).expect("one method");
    let mut cache = Cache::new();
    let poses: Vec<Pose> =
        path.iter().map(|tip| Pose::from_translation(*tip).expect("finite")).collect();
    repeated(poses.len(), || {
        let is_touching = |pose: &&Pose| {
            let query = pair.at(&Pose::IDENTITY, pose).translation_only();
            match (is_coherent, shape.method() == Method::WIDE) {
                (false, _) => query.intersects(),
                (true, true) => query.cache(&mut cache).intersects(),
                // The front of the last search is used by searches that visit pairs.
                (true, false) => query.cache(&mut cache).visit(ControlFlow::Break).is_break(),
            }
        };
        poses.iter().filter(is_touching).count()
    })
}

/// The points of a path, and points between them that are at most [`SAMPLING`] apart.
fn sampled(path: &[DVec3]) -> Vec<DVec3> {
    let mut points = Vec::new();
    for pair in path.windows(2) {
        let count = (pair[0].distance(pair[1]) / SAMPLING).ceil().max(1.0) as usize;
        points.extend((0..count).map(|i| pair[0].lerp(pair[1], i as f64 / count as f64)));
    }
    points.extend(path.last());
    points
}

/// A flat tool of the ball's size with rounded corners.
fn bull() -> RevolvedHull {
    let corner = 0.25 * RADIUS;
    hull(&[[corner, RADIUS - corner, corner], [2.0 * RADIUS, RADIUS, 0.0]])
}

/// A cone of the ball's size with a rounded tip.
fn cone() -> RevolvedHull {
    let tip = 0.25 * RADIUS;
    hull(&[[tip, 0.0, tip], [2.0 * RADIUS, RADIUS, 0.0]])
}

fn hull(discs: &[[f64; 3]]) -> RevolvedHull {
    let disc = |&[height, radius, rounding]: &[f64; 3]| RoundedDisc { height, radius, rounding };
    RevolvedHull::new(&discs.iter().map(disc).collect::<Vec<_>>()).expect("valid")
}

/// The polyhedral ball, and its poses along a path.
pub(crate) fn polyhedral_ball(path: &[DVec3]) -> (Mesh, Vec<DVec3>) {
    let mesh = Solid::revolved(ball()).to_mesh(CHORD).expect("a solid");
    let round = |p: &DVec3| p.as_vec3().as_dvec3();
    let positions = mesh.positions().iter().map(round).collect();
    let mesh = Mesh::new(positions, mesh.faces().to_vec()).expect("finite positions");
    (mesh, path.iter().map(round).collect())
}
