//! Depths and verdicts against an oracle that samples the swept tool densely, and the same setup written in other ways.
//!
//! The oracle shares no code with the check: it walks over points of the tool, and measures each against all triangles by the
//! definition, with its own closest point of a triangle and its own solid angles.

use impinge::{
    Mesh,
    generate::Random,
    glam::{DMat3, DVec3},
};
use impinge_nc::{
    Body, Motion, Move, MoveKind, Options, Outcome, Program, Role, Setup, Tool, check,
};
use std::{collections::BTreeMap, f64::consts::PI};

/// A closed bumpy body around the origin, about 20 in radius.
fn bumpy(seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let waves: Vec<(DVec3, f64)> = (0..5)
        .map(|_| (random.rotation() * DVec3::X * random.range(2.0, 5.0), random.range(0.3, 1.0)))
        .collect();
    let ball = impinge::generate::icosphere(3).expect("valid");
    let lift = |p: &DVec3| {
        let direction = p.normalize();
        let height: f64 = waves.iter().map(|(w, a)| a * w.dot(direction).sin()).sum();
        direction * (20.0 + height)
    };
    Mesh::new(ball.positions().iter().map(lift).collect(), ball.faces().to_vec()).expect("valid")
}

fn run(mesh: Mesh, spec: &str, motions: &[Motion], tolerance: f64) -> Outcome {
    let moves = motions.iter().enumerate().map(|(i, motion)| Move {
        line: i as u32 + 1,
        kind: MoveKind::Feed,
        tool: 0,
        motion: motion.clone(),
    });
    let program = Program { moves: moves.collect(), ..Program::default() };
    let tools = BTreeMap::from([(0, Tool::from_spec(spec, 1.0).expect("a valid tool"))]);
    let setup = Setup { bodies: vec![Body::new("part", Role::Part, mesh)] };
    let options = Options { tolerance, ..Options::default() };
    check(&program, &tools, &setup, &options, &()).expect("not interrupted")
}

/// The largest distance to the surface of the sampled points of the tool that are inside; 0 if none is.
fn sampled_depth(mesh: &Mesh, profile: &[[f64; 2]], from: DVec3, to: DVec3, spacing: f64) -> f64 {
    let steps = ((to - from).length() / spacing).ceil().max(1.0) as usize;
    let mut deepest = 0.0_f64;
    for step in 0..=steps {
        let tip = from.lerp(to, step as f64 / steps as f64);
        for [radius, height] in profile {
            let around = ((2.0 * PI * radius) / spacing).ceil().max(1.0) as usize;
            for k in 0..around {
                let angle = 2.0 * PI * k as f64 / around as f64;
                let point = tip + DVec3::new(radius * angle.cos(), radius * angle.sin(), *height);
                let distance = mesh
                    .triangles()
                    .map(|triangle| distance_to_triangle(point, &triangle))
                    .fold(f64::INFINITY, f64::min);
                if distance > deepest && is_inside(mesh, point) {
                    deepest = distance;
                }
            }
        }
    }
    deepest
}

fn distance_to_triangle(p: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let to_segment = |a: DVec3, b: DVec3| {
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        p.distance(a + (b - a) * t)
    };
    let normal = (*b - *a).cross(*c - *a);
    let is_left = |a: DVec3, b: DVec3| normal.dot((b - a).cross(p - a)) >= 0.0;
    if is_left(*a, *b) && is_left(*b, *c) && is_left(*c, *a) {
        return (p - *a).dot(normal.normalize()).abs();
    }
    to_segment(*a, *b).min(to_segment(*b, *c)).min(to_segment(*c, *a))
}

fn is_inside(mesh: &Mesh, p: DVec3) -> bool {
    let angle: f64 = mesh
        .triangles()
        .map(|corners| {
            let [a, b, c] = corners.map(|corner| corner - p);
            let [la, lb, lc] = [a.length(), b.length(), c.length()];
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        })
        .sum();
    angle.abs() > 2.0 * PI
}

/// Points (radius, height) of tools, at most `spacing` apart, with those inside.
fn profile(spec: &str, spacing: f64) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    let (mut height, top) = (0.0_f64, 8.0);
    while height <= top {
        let largest = match spec {
            "ball:d=6,length=8" if height < 3.0 => (9.0 - (3.0 - height) * (3.0 - height)).sqrt(),
            "cone:d=6,angle=30,length=8" => (height * 30.0_f64.to_radians().tan()).min(3.0),
            "bull:d=6,r=1,length=8" if height < 1.0 => {
                2.0 + (1.0 - (1.0 - height) * (1.0 - height)).sqrt()
            }
            _ => 3.0,
        };
        let rings = (largest / spacing).ceil() as usize;
        points.extend((0..=rings).map(|k| [largest * k as f64 / rings.max(1) as f64, height]));
        height += spacing;
    }
    points
}

const SPECS: [&str; 4] = [
    "ball:d=6,length=8",
    "flat:d=6,length=8",
    "bull:d=6,r=1,length=8",
    "cone:d=6,angle=30,length=8",
];

fn random_move(random: &mut Random) -> (DVec3, DVec3) {
    // Above the top of the body, which is about 20 high, and often into it.
    let mut at =
        || DVec3::new(random.range(-6.0, 6.0), random.range(-6.0, 6.0), random.range(16.0, 22.5));
    (at(), at())
}

#[test]
fn depths_are_those_of_densely_sampled_tools() {
    const SPACING: f64 = 0.5;
    let (mut gouging, mut clear) = (0, 0);
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let mesh = bumpy(seed % 4);
        let spec = SPECS[seed as usize % 4];
        let (from, mut to) = random_move(&mut random);
        // Short moves: the oracle is slow.
        to = from + (to - from).clamp_length_max(1.5);
        let motion = Motion::Straight { from, to, axis: DVec3::Z };
        let found = run(mesh.clone(), spec, &[motion], 0.01);
        let sampled = sampled_depth(&mesh, &profile(spec, SPACING), from, to, SPACING);
        let depth = found.worst_depth;
        assert!(depth >= sampled - 0.011, "seed {seed}, {spec}: {depth}, sampled {sampled}");
        // No point of the tool is farther than that from a sampled one.
        let reach = SPACING * 1.2;
        assert!(depth <= sampled + reach, "seed {seed}, {spec}: {depth}, sampled {sampled}");
        gouging += usize::from(depth > 0.0);
        clear += usize::from(depth == 0.0);
    }
    assert!(gouging > 8 && clear > 2, "{gouging} gouging, {clear} clear");
}

/// The same part and the same moves written in other ways have the same gouges.
#[test]
fn the_same_setup_written_in_other_ways_has_the_same_gouges() {
    let tolerance = 0.01;
    let mesh = bumpy(1);
    let mut random = Random::new(5);
    let moves: Vec<(DVec3, DVec3)> = (0..60).map(|_| random_move(&mut random)).collect();
    let straight = |(from, to): (DVec3, DVec3)| Motion::Straight { from, to, axis: DVec3::Z };
    let motions: Vec<Motion> = moves.iter().copied().map(straight).collect();
    let spec = "bull:d=6,r=1,length=8,shank=4:20";
    let expected = run(mesh.clone(), spec, &motions, tolerance);
    assert!((10..60).contains(&expected.gouging_moves), "{}", expected.gouging_moves);

    let same = |name: &str, found: &Outcome| {
        // Verdicts may differ only for depths that are about the tolerance.
        let depths = |outcome: &Outcome| -> BTreeMap<u32, f64> {
            let mut depths = BTreeMap::new();
            for gouge in &outcome.gouges {
                let depth: &mut f64 = depths.entry(gouge.line).or_default();
                *depth = depth.max(gouge.depth);
            }
            depths
        };
        let (expected, found) = (depths(&expected), depths(found));
        for line in expected.keys().chain(found.keys()) {
            let of = |depths: &BTreeMap<u32, f64>| depths.get(line).copied().unwrap_or(0.0);
            let (a, b) = (of(&expected), of(&found));
            assert!((a - b).abs() <= 2.0 * tolerance, "{name}: line {line}: {a}, {b}");
        }
    };
    let mapped = |map: &dyn Fn(DVec3) -> DVec3, faces: Vec<[u32; 3]>| {
        Mesh::new(mesh.positions().iter().map(|p| map(*p)).collect(), faces).expect("valid")
    };
    let faces = mesh.faces().to_vec();

    let mut turned: Vec<[u32; 3]> = faces.iter().map(|[a, b, c]| [*b, *c, *a]).collect();
    turned.reverse();
    same("other order of faces", &run(mapped(&|p| p, turned), spec, &motions, tolerance));

    let flipped = faces.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    same("faces turned inward", &run(mapped(&|p| p, flipped), spec, &motions, tolerance));

    let positions: Vec<DVec3> = mesh.triangles().flatten().collect();
    let count = faces.len() as u32;
    let apart = (0..count).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    let soup = Mesh::new(positions.clone(), apart).expect("valid");
    same("a soup without common vertices", &run(soup, spec, &motions, tolerance));

    let noisy: Vec<DVec3> = positions.iter().map(|p| p.as_vec3().as_dvec3()).collect();
    let apart = (0..count).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    let single = Mesh::new(noisy, apart).expect("valid");
    same("single precision", &run(single, spec, &motions, tolerance));

    let quartered: Vec<[DVec3; 3]> = mesh
        .triangles()
        .flat_map(|[a, b, c]| {
            let (ab, bc, ca) = ((a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0);
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        })
        .collect();
    let apart = (0..quartered.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let finer = Mesh::new(quartered.into_iter().flatten().collect(), apart).expect("valid");
    same("finer faces", &run(finer, spec, &motions, tolerance));

    let away = DVec3::new(3e4, -7e4, 1e4);
    let far: Vec<Motion> = moves.iter().map(|(a, b)| straight((*a + away, *b + away))).collect();
    same("far from the origin", &run(mapped(&|p| p + away, faces.clone()), spec, &far, tolerance));

    let turn = DMat3::from_rotation_z(0.7);
    let about: Vec<Motion> = moves.iter().map(|(a, b)| straight((turn * *a, turn * *b))).collect();
    same("turned about z", &run(mapped(&|p| turn * p, faces.clone()), spec, &about, tolerance));

    let back: Vec<Motion> = moves.iter().map(|(a, b)| straight((*b, *a))).collect();
    same("backwards", &run(mesh.clone(), spec, &back, tolerance));

    // As a five-axis move whose axis does not turn, and as moves in halves.
    let tilting: Vec<Motion> = moves
        .iter()
        .map(|(a, b)| {
            let pose = |tip: DVec3| impinge_nc::ToolPose { tip, axis: DVec3::Z };
            Motion::Tilting { from: pose(*a), to: pose(*b) }
        })
        .collect();
    same("as a tilting move", &run(mesh.clone(), spec, &tilting, tolerance));
}
