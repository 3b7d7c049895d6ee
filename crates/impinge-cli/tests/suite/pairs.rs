//! Tests of `impinge query --pairs`: every row against an independent decision for every pair of faces.

use crate::common::{
    Folder, Pose, Soup, impinge,
    soup::{self, Random, moved_by, quarter_turns, rotation, turned},
};

struct Scene {
    name: &'static str,
    a: Soup,
    b: Soup,
    poses: Vec<Pose>,
}

/// Runs the scenes and compares the rows, their number, and the number of touching steps. Returns the number
/// of rows.
fn compare(scenes: &[Scene]) -> usize {
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    let mut total = 0;
    for Scene { name, a, b, poses } in scenes {
        let expected = soup::touching(a, b, poses);
        let files = [
            folder.write("a.obj", a.obj()),
            folder.write("b.obj", b.obj()),
            folder.write("poses.csv", soup::pose_file(poses)),
        ];
        let query = ["query", &files[0], &files[1], "--poses", &files[2]];
        let line = impinge(query.into_iter().chain(["--pairs", &out])).succeeds().json();
        let found = folder.text("pairs.csv");
        if found != expected {
            let differing = found.lines().zip(expected.lines()).find(|(f, e)| f != e);
            let (f, e) = (found.lines().count(), expected.lines().count());
            panic!("{name}: {f} lines, {e} expected; first found and expected: {differing:?}");
        }
        let rows = expected.lines().count() - 1;
        let mut steps: Vec<_> = expected.lines().skip(1).map(|row| row.split(',').next()).collect();
        steps.dedup();
        assert_eq!(line["pairs"], rows, "{name}");
        assert_eq!(line["colliding_steps"], steps.len(), "{name}");
        assert_eq!(line["steps"], poses.len(), "{name}");
        let detect = impinge(query).succeeds().json();
        assert_eq!(detect["colliding_steps"], steps.len(), "{name}, detect");
        total += rows;
    }
    total
}

fn scene(name: &'static str, a: &Soup, b: &Soup, poses: Vec<Pose>) -> Scene {
    Scene { name, a: a.clone(), b: b.clone(), poses }
}

#[test]
fn cubes_that_touch_or_barely_miss() {
    let cube = Soup::cube([0., 0., 0.], 1.);
    let above_one = 1_f64.next_up();
    let poses = vec![
        moved_by(0., 0., 0.),
        moved_by(1., 0., 0.),
        moved_by(1., 1., 0.),
        moved_by(1., 1., 1.),
        moved_by(1., 0.5, 0.25),
        moved_by(-1., 0., 0.),
        moved_by(above_one, 0., 0.),
        moved_by(1., above_one, 0.),
        moved_by(1_f64.next_down(), 0., 0.),
        moved_by(0.25, 0.25, 0.25),
        moved_by(5e-324, 0., 0.),
        moved_by(3., 3., 3.),
    ];
    let rows = compare(&[
        scene("equal cubes", &cube, &cube, poses.clone()),
        scene("a cube inside", &cube, &Soup::cube([0.25; 3], 0.5), poses.clone()),
        scene("a cube that touches from inside", &cube, &Soup::cube([0., 0.25, 0.25], 0.5), poses),
    ]);
    assert!(rows > 300, "hardly a contact: {rows}");
}

#[test]
fn shared_vertices_and_edges() {
    let tetrahedron = Soup::tetrahedron();
    let mirrored = Soup::new(
        &[[0., 0., 0.], [-1., 0., 0.], [0., -1., 0.], [0., 0., -1.]],
        &[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    );
    let across = Soup::new(
        &[[0., 0., 0.], [1., 0., 0.], [0., -1., 0.], [0., 0., -1.]],
        &[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    );
    let fan = Soup::new(
        &[[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0.5, 0.5, 1.]],
        &[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]],
    );
    let poses = vec![
        soup::IDENTITY,
        moved_by(1., 0., 0.),
        moved_by(0., 0., 1.),
        moved_by(0.5, 0.5, 0.),
        moved_by(0., 0., 5e-324),
        moved_by(-0., -0., -0.),
    ];
    let rows = compare(&[
        scene("one corner in common", &tetrahedron, &mirrored, poses.clone()),
        scene("one edge in common", &tetrahedron, &across, poses.clone()),
        scene("the same tetrahedron", &tetrahedron, &tetrahedron, poses.clone()),
        scene("a fan on a tetrahedron", &fan, &tetrahedron, poses.clone()),
        scene("a fan on a fan", &fan, &fan, poses),
    ]);
    assert!(rows > 150, "hardly a contact: {rows}");
}

#[test]
fn far_from_the_origin() {
    let mut scenes = Vec::new();
    // Near these coordinates, neighbouring floats differ by the last number.
    for (far, ulp) in [(1e6, 1e6_f64.next_up() - 1e6), (1e15, 0.125), (2_f64.powi(52), 1.)] {
        let cube = Soup::cube([far, -far, far], 1.);
        let at_home = Soup::cube([0., 0., 0.], 1.);
        let poses = |x: f64, y: f64| {
            let offsets = [-1. - ulp, -1., -ulp, 0., ulp, 1., 1. + ulp];
            offsets.map(|offset| moved_by(x + offset, y, x)).to_vec()
        };
        scenes.push(scene("both meshes far out", &cube, &cube, poses(0., 0.)));
        scenes.push(scene("a mesh moved far out", &cube, &at_home, poses(far, -far)));
        // Rotated about the origin, so that rounding moves the corners by many units in the last place.
        let quarter = rotation([0.9, 0.1, -0.3, 0.2]);
        let spun = [-0.5, 0., 0.5].map(|x| turned(&quarter, [x, 0., 0.])).to_vec();
        scenes.push(scene("turned about a far origin", &cube, &cube, spun));
    }
    let huge = Soup::cube([-1e99; 3], 2e99);
    let poses = vec![soup::IDENTITY, moved_by(1e99, 0., 0.), moved_by(2e99, 0., 0.)];
    scenes.push(scene("as large as can be", &huge, &huge, poses));
    let rows = compare(&scenes);
    assert!(rows > 500, "hardly a contact: {rows}");
}

#[test]
fn exact_quarter_turns() {
    let turns = quarter_turns();
    assert_eq!(turns.len(), 24);
    let hook = Soup::new(
        &[[0., 0., 0.], [2., 0., 0.], [2., 1., 0.], [0., 1., 0.], [0., 0., 3.], [0., 1., 3.]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4], [1, 2, 5]],
    );
    let moved = |by: soup::Point| turns.iter().map(|turn| turned(turn, by)).collect::<Vec<_>>();
    let rows = compare(&[
        scene("a hook turned in place", &hook, &hook, turns.clone()),
        scene("a hook turned beside", &hook, &hook, moved([1., 1., 1.])),
        scene("a hook on a cube", &Soup::cube([-1.; 3], 2.), &hook, moved([1., 0., -1.])),
        scene(
            "grid faces",
            &Soup::grid(1, 16, 2, 1.),
            &Soup::grid(2, 16, 2, 1.),
            moved([1., 0., 0.]),
        ),
    ]);
    assert!(rows > 2000, "hardly a contact: {rows}");
}

/// All degenerate triangles: points, segments, repeated corners, slivers.
#[test]
fn degenerate_faces() {
    let positions =
        [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [0., 1., 0.], [0.5, 0., 0.], [0.25, 0.25, 0.]];
    let scraps = Soup::new(
        &positions,
        &[
            [0, 0, 0],
            [1, 1, 1],
            [0, 1, 2],
            [0, 2, 1],
            [0, 0, 2],
            [4, 4, 2],
            [0, 1, 3],
            [0, 1, 3],
            [3, 1, 0],
            [5, 5, 5],
            [5, 3, 5],
        ],
    );
    let standing = Soup::new(
        &[[0.25, 0.25, -1.], [0.25, 0.25, 1.], [0.25, 0.25, 0.], [1., 0., 0.], [0.5, 0.5, 0.]],
        &[[0, 1, 2], [0, 1, 0], [2, 2, 2], [3, 3, 4], [0, 1, 3]],
    );
    let poses = vec![
        soup::IDENTITY,
        moved_by(1., 0., 0.),
        moved_by(0.5, 0., 0.),
        moved_by(0., 0., 1e-300),
        moved_by(0., 0., 1.),
        rotation([1., 0., 0., 1.]),
    ];
    let mut scenes = vec![
        scene("scraps on scraps", &scraps, &scraps, poses.clone()),
        scene("needles through scraps", &scraps, &standing, poses.clone()),
        scene("a cube among scraps", &Soup::cube([0.; 3], 1.), &scraps, poses.clone()),
    ];
    for seed in 0..4 {
        let (a, b) = (Soup::grid(seed, 25, 1, 1.), Soup::grid(!seed, 25, 1, 1.));
        scenes.push(scene("faces on a 3 by 3 by 3 grid", &a, &b, poses.clone()));
    }
    let rows = compare(&scenes);
    assert!(rows > 3000, "hardly a contact: {rows}");
}

/// A pose matrix may deviate from a rotation by 1e-6; vertices are placed by the matrix as it is.
#[test]
fn matrices_that_are_not_quite_rotations() {
    let stretch = 1. + 2e-7;
    let shear = 4e-7;
    let stretched = soup::IDENTITY.map(|entry| entry * stretch);
    let mut sheared = soup::IDENTITY;
    (sheared[1], sheared[6]) = (shear, -shear);
    let skewed = rotation([0.8, -0.1, 0.5, 0.3]).map(|entry| entry * stretch);
    let cube = Soup::cube([-1., -1., -1.], 2.);
    let at_x = |pose: &Pose, x: f64| turned(pose, [x, 0., 0.]);
    let mut poses = Vec::new();
    for pose in [stretched, sheared, skewed, soup::IDENTITY.map(|entry| entry / stretch)] {
        // Where the sides meet for a true rotation, for this matrix, and just beyond.
        for x in [0., 2., 2. + 2e-7, 2. + 4e-7, 1. + stretch, (1. + stretch).next_up(), -2., 2.8] {
            poses.push(at_x(&pose, x));
        }
    }
    let far = Soup::cube([1e5, 0., 0.], 1.);
    let rows = compare(&[
        scene("cubes", &cube, &cube, poses.clone()),
        // Here the matrix moves the side by 0.02, far more than any rounding.
        scene("far cubes", &far, &far, poses.iter().map(|pose| turned(pose, [0.; 3])).collect()),
        scene("grid faces", &Soup::grid(5, 15, 3, 0.5), &Soup::grid(6, 15, 3, 0.5), poses),
    ]);
    assert!(rows > 1000, "hardly a contact: {rows}");
}

#[test]
fn arbitrary_rotations() {
    let mut random = Random(7);
    let poses: Vec<Pose> = (0..20)
        .map(|_| {
            let pose = rotation(std::array::from_fn(|_| random.signed()));
            turned(&pose, std::array::from_fn(|_| random.signed() * 0.5))
        })
        .collect();
    let mut scattered = Soup::grid(8, 30, 0, 1.);
    scattered.positions.as_flattened_mut().iter_mut().for_each(|c| *c = random.signed());
    // Rotated in place: corners on the axis stay, up to rounding, on the corners of the other mesh.
    let about_diagonal: Vec<Pose> =
        (0..20).map(|i| rotation([1., f64::from(i), f64::from(i), f64::from(i)])).collect();
    let rows = compare(&[
        scene("scattered faces", &scattered, &scattered, poses.clone()),
        scene("cubes", &Soup::cube([-0.5; 3], 1.), &Soup::cube([-0.5; 3], 1.), poses),
        scene(
            "cubes on a diagonal",
            &Soup::cube([0.; 3], 1.),
            &Soup::cube([0.; 3], 1.),
            about_diagonal,
        ),
    ]);
    assert!(rows > 2000, "hardly a contact: {rows}");
}

/// Points exactly at the placed corners: with another order of operations, or with fused multiply-add, a
/// corner would miss its point by one unit in the last place.
#[test]
fn points_where_the_corners_land() {
    let mut random = Random(11);
    let mut poses: Vec<Pose> = (0..12)
        .map(|_| {
            let pose = rotation(std::array::from_fn(|_| random.signed()));
            turned(&pose, std::array::from_fn(|_| random.signed()))
        })
        .collect();
    poses.extend(poses.clone().iter().map(|pose| {
        let [x, y, z] = [pose[3], pose[7], pose[11]].map(|t| t * 1e9);
        turned(&pose.map(|entry| entry * (1. + 2e-7)), [x, y, z])
    }));
    let mut body = Soup::cube([0.; 3], 1.);
    body.positions.as_flattened_mut().iter_mut().for_each(|c| *c += random.signed());
    let landings: Vec<_> = poses
        .iter()
        .flat_map(|pose| body.positions.iter().map(|&corner| soup::placed(corner, pose)))
        .collect();
    let faces: Vec<_> = (0..landings.len()).map(|point| [point; 3]).collect();
    let points = Soup::new(&landings, &faces);
    let rows = compare(&[scene("points", &points, &body, poses.clone())]);
    // Every face of the cube has three corners, at each pose.
    assert!(rows >= 36 * poses.len(), "corners miss their points: {rows} rows");
}

/// Products of these coordinates underflow to zero in floating point; the answer is still exact.
#[test]
fn the_smallest_numbers() {
    let least = f64::from_bits(1);
    let mut scenes = Vec::new();
    for unit in [least, 1e-310, 1e-160, 1e-120] {
        let poses = vec![
            soup::IDENTITY,
            moved_by(unit, 0., 0.),
            moved_by(unit, unit, unit),
            moved_by(2. * unit, 0., 0.),
            quarter_turns()[5],
        ];
        let (a, b) =
            (Soup::grid(9, 12, 2, 1.).scaled(unit), Soup::grid(10, 12, 2, 1.).scaled(unit));
        scenes.push(scene("tiny grid faces", &a, &b, poses.clone()));
        scenes.push(scene(
            "tiny cubes",
            &Soup::cube([0.; 3], unit),
            &Soup::cube([0.; 3], unit),
            poses.clone(),
        ));
        scenes.push(scene(
            "a tiny and a large cube",
            &Soup::cube([0.; 3], unit),
            &Soup::cube([-1.; 3], 1.),
            poses,
        ));
    }
    let rows = compare(&scenes);
    assert!(rows > 1000, "hardly a contact: {rows}");
}
