//! Reaction forces: against integrals that share no code, against each other, and over time.

use impinge::force::{Feedback, FeedbackError, FeedbackOptions, Reaction};
use impinge::generate::{self, Random};
use impinge::glam::{DQuat, DVec3};
use impinge::mesh::NotSolid;
use impinge::{Mesh, Method, Pose, Shape};
use std::f64::consts::{PI, TAU};

fn options() -> FeedbackOptions {
    FeedbackOptions::new()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).expect("finite")
}

fn turned(axis_angle: DVec3, place: DVec3) -> Pose {
    Pose::from_quat(DQuat::from_scaled_axis(axis_angle), place).expect("a unit quaternion")
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::new(generate::cuboid(DVec3::new(x, y, z)).expect("sizes"))
}

/// A held body and one obstacle at the identity.
fn pair(held: &Shape, obstacle: &Shape, options: FeedbackOptions) -> Feedback {
    let mut feedback = Feedback::new(held, options).expect("a solid");
    feedback.add(obstacle, Pose::IDENTITY).expect("a solid");
    feedback
}

/// The force and the torque.
fn wrench(feedback: &mut Feedback, pose: &Pose) -> [DVec3; 2] {
    let Reaction { force, torque, .. } = feedback.reaction(pose);
    [force, torque]
}

#[track_caller]
fn assert_close(found: DVec3, expected: DVec3, within: f64, what: &str) {
    let off = found.distance(expected);
    assert!(off <= within, "{what}: {found} instead of {expected}, off by {off:e}");
}

/// A box of 2 × 2 stands on a larger one at a depth of d. Its bottom is at that depth, its sides at opposite ones, which
/// cancel. The part of the large one's top inside it is at the depth d, and less within d of the sides.
#[test]
fn a_box_pressed_flat_is_pushed_back_by_stiffness_times_area_times_depth() {
    let (cube, floor) = (cuboid(2.0, 2.0, 2.0), cuboid(4.0, 4.0, 2.0));
    for depth in [1e-6, 0.001, 0.01, 0.05] {
        for spacing in [0.2, 0.1, 0.05] {
            let mut feedback = pair(&cube, &floor, options().stiffness(50.0).spacing(spacing));
            let reaction = feedback.reaction(&at(0.1, -0.2, 2.0 - depth));
            // ∫ over the top of min(d, distance from the sides of the square): d (2 − 2d)² + what is nearer.
            let inner = 2.0 - 2.0 * depth;
            let rim = (4.0 - inner * inner) * depth * 0.5;
            let top = inner * inner * depth + rim;
            let expected = 50.0 * 0.5 * (4.0 * depth + top);
            let what = format!("depth {depth}, spacing {spacing}");
            // Triangles of the floor across the sides of the cube take part only in part: a strip around the square.
            let error = 50.0 * 0.5 * 8.0 * spacing * depth;
            assert_close(reaction.force, DVec3::Z * expected, error, &what);
            // Sideways, and about the center, what is left comes from the samples of the floor along the sides.
            assert_close(reaction.force.with_z(0.0), DVec3::ZERO, 1e-9, &what);
            assert_close(reaction.torque, DVec3::ZERO, error, &what);
            assert!((reaction.depth - depth).abs() < 1e-12, "{what}");
            let [region] = reaction.regions else { panic!("{what}: {:?}", reaction.regions) };
            assert_close(region.force, reaction.force, 1e-12, &what);
            assert_close(region.normal, DVec3::Z, 1e-9, &what);
            assert!((region.area - 4.0).abs() < 8.0 * spacing, "{what}: {}", region.area);
            let in_the_middle = region.point - DVec3::new(0.1, -0.2, 1.0 - 0.5 * depth);
            assert!(in_the_middle.length() < spacing, "{what}: {}", region.point);
        }
    }
}

/// The held body alone has no such error: the depth in a flat body is linear.
#[test]
fn a_wedge_in_a_flat_body_gets_its_exact_share() {
    // A tetrahedron with its tip down: at the depth d, ∫ (−∇ depth) over the volume inside is the volume.
    let corners = [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [0.0, 1.5, 1.0], [0.1, 0.2, 0.0]];
    let corners: Vec<DVec3> = corners.map(DVec3::from_array).to_vec();
    let faces = vec![[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]];
    let tip = Shape::new(Mesh::new(corners, faces).expect("valid"));
    let volume = tip.mesh().report().volume.expect("closed");
    let ground = cuboid(40.0, 40.0, 40.0);
    for depth in [0.01, 0.1, 0.5] {
        // Samples that far apart are the corners alone. None of the ground's is in the tip.
        let mut feedback = pair(&tip, &ground, options().spacing(1e3).reference(DVec3::ZERO));
        let [force, torque] = wrench(&mut feedback, &at(0.0, 0.0, 20.0 - depth));
        let inside = volume * depth * depth * depth;
        assert_close(force, DVec3::Z * 0.5 * inside, 1e-12, &format!("depth {depth}"));
        // The force acts at the centroid of the volume, three quarters of the way from the tip to the section's centroid.
        let section =
            DVec3::new(0.1, 0.2, 0.0) * (1.0 - depth) + DVec3::new(0.0, -1.0 / 6.0, 1.0) * depth;
        let centroid = DVec3::new(0.1, 0.2, 0.0) * 0.25 + section * 0.75;
        assert_close(torque, centroid.cross(force), 1e-12, &format!("depth {depth}"));
    }
}

#[test]
fn an_overhanging_box_is_turned() {
    let (cube, floor) = (cuboid(2.0, 2.0, 2.0), cuboid(4.0, 4.0, 2.0));
    let (depth, stiffness) = (0.01, 10.0);
    let mut feedback = pair(&cube, &floor, options().stiffness(stiffness).spacing(0.05));
    // Three quarters stand over the floor, from −1 to 0.5 along x: the force acts at −0.25.
    let [force, torque] = wrench(&mut feedback, &at(1.5, 0.0, 2.0 - depth));
    let expected = stiffness * depth * 2.0 * 1.5;
    // Strips as wide as the spacing take part only in part: around the contact, 7 long, and of the cube at the edge, 2 long.
    let error = stiffness * depth * 0.5 * (7.0 + 2.0) * 0.05;
    assert!(error < 0.1 * expected);
    assert_close(force, DVec3::Z * expected, error, "three quarters");
    let lever = DVec3::new(-0.25, 0.0, 0.0).cross(DVec3::Z * expected);
    assert_close(torque, lever, error, "three quarters");
    // About another point of the held body.
    let mut other =
        pair(&cube, &floor, options().stiffness(stiffness).spacing(0.05).reference(DVec3::NEG_X));
    let [same, moved] = wrench(&mut other, &at(1.5, 0.0, 2.0 - depth));
    assert_close(same, force, 1e-12, "the reference point changes the torque alone");
    assert_close(moved, torque + DVec3::X.cross(force), 1e-12, "reference point");
}

/// Two spheres of radius 1, a distance apart: the surface of each is cut into rings, and its depth in the other, perfect
/// sphere is integrated.
fn force_of_spheres(apart: f64, stiffness: f64) -> f64 {
    const RINGS: u32 = 100_000;
    let mut sum = 0.0;
    for ring in 0..RINGS {
        // cos of the polar angle from the axis towards the other one: rings of equal area.
        let cos = 1.0 - (f64::from(ring) + 0.5) / f64::from(RINGS) * 2.0;
        let depth = 1.0 - (1.0 + apart * apart - 2.0 * apart * cos).sqrt();
        sum += depth.max(0.0) * cos * 4.0 * PI / f64::from(RINGS);
    }
    stiffness * sum
}

#[test]
fn spheres_get_the_force_of_an_integral_over_perfect_spheres() {
    for (faces, error) in [(5_000, 0.08), (20_000, 0.02), (60_000, 0.008)] {
        let sphere = Shape::new(generate::sphere(faces).expect("even"));
        let mut feedback = pair(&sphere, &sphere, options().stiffness(7.0));
        let mut random = Random::new(u64::from(faces));
        for apart in [1.9, 1.8, 1.6, 1.3, 0.9] {
            let direction = random.direction();
            let pose = Pose::new(random.rotation(), direction * apart).expect("a rotation");
            let [force, torque] = wrench(&mut feedback, &pose);
            let expected = force_of_spheres(apart, 7.0);
            let what = format!("{faces} faces, {apart} apart");
            assert_close(force, direction * expected, error * expected, &what);
            assert_close(torque, DVec3::ZERO, error * expected, &what);
        }
    }
}

fn bodies() -> Vec<(&'static str, Mesh)> {
    vec![
        ("torus", generate::torus(1.0, 0.4, [60, 24]).expect("segments")),
        ("deformed torus", generate::deformed_torus(3, [60, 24]).expect("segments")),
        ("sphere", generate::sphere(960).expect("even")),
        ("shuttle", generate::scaled_to_cube(&generate::shuttle(), 2.5).expect("a size")),
        ("box", generate::cuboid(DVec3::new(1.0, 1.5, 2.0)).expect("sizes")),
    ]
}

/// A pose at which bodies of about this size are likely to overlap.
fn random_pose(random: &mut Random) -> Pose {
    let place = random.direction() * random.range(0.8, 2.0);
    Pose::new(random.rotation(), place).expect("a rotation")
}

#[test]
fn what_acts_on_one_body_acts_on_the_other_the_other_way_round() {
    let bodies = bodies();
    let mut random = Random::new(11);
    let mut touching = 0;
    for (a_name, a) in &bodies {
        for (b_name, b) in &bodies {
            let [a, b] = [a, b].map(|mesh| Shape::new(mesh.clone()));
            let mut held = Feedback::new(&a, options().spacing(0.1)).expect("a solid");
            let id = held.add(&b, Pose::IDENTITY).expect("a solid");
            let mut other = Feedback::new(&b, options().spacing(0.1)).expect("a solid");
            let other_id = other.add(&a, Pose::IDENTITY).expect("a solid");
            for case in 0..10 {
                let [p, q] = [random_pose(&mut random), random_pose(&mut random)];
                held.set_pose(id, q).expect("known");
                other.set_pose(other_id, p).expect("known");
                let [force, torque] = wrench(&mut held, &p);
                let [back, back_torque] = wrench(&mut other, &q);
                let what = format!("{a_name}, {b_name}, case {case}");
                assert_close(back, -force, 1e-12, &what);
                // Both about the same point.
                let centers =
                    [(&a, &p), (&b, &q)].map(|(s, pose)| pose.place(s.mesh().bounds().center()));
                let expected = -(torque + (centers[0] - centers[1]).cross(force));
                assert_close(back_torque, expected, 1e-11, &what);
                touching += usize::from(force != DVec3::ZERO);
            }
        }
    }
    assert!(touching > 100, "only {touching} of 250 poses touch");
}

#[test]
fn obstacles_and_regions_add_up() {
    let bodies = bodies();
    let mut random = Random::new(12);
    let held = Shape::new(bodies[1].1.clone());
    let others: Vec<Shape> = bodies.iter().map(|(_, mesh)| Shape::new(mesh.clone())).collect();
    let mut several = 0;
    for case in 0..30 {
        let mut all = Feedback::new(&held, options().spacing(0.1)).expect("a solid");
        let pose = random_pose(&mut random);
        let (mut sum, mut count) = ([DVec3::ZERO; 2], 0);
        for other in &others {
            let place = random_pose(&mut random);
            all.add(other, place).expect("a solid");
            let mut one = Feedback::new(&held, options().spacing(0.1)).expect("a solid");
            one.add(other, place).expect("a solid");
            let reaction = one.reaction(&pose);
            sum = [sum[0] + reaction.force, sum[1] + reaction.torque];
            count += reaction.regions.len();
        }
        let reaction = all.reaction(&pose);
        let what = format!("case {case}");
        assert_close(reaction.force, sum[0], 1e-12, &what);
        assert_close(reaction.torque, sum[1], 1e-12, &what);
        assert_eq!(reaction.regions.len(), count, "{what}");
        let regions: DVec3 = reaction.regions.iter().map(|region| region.force).sum();
        assert_close(regions, reaction.force, 1e-12, &what);
        let area: f64 = reaction.regions.iter().map(|region| region.area).sum();
        assert!((area - reaction.area).abs() < 1e-12 * (1.0 + area), "{what}");
        let deepest = reaction.regions.iter().map(|region| region.depth).fold(0.0, f64::max);
        assert_eq!(deepest, reaction.depth, "{what}");
        several += usize::from(count > 2);
    }
    assert!(several > 10, "only {several} of 30 poses have several regions");
}

#[test]
fn a_bar_across_a_frame_touches_in_two_regions() {
    // A U: a bar lies on both of its arms.
    let bar = cuboid(6.0, 0.5, 0.5);
    let mut feedback = Feedback::new(&bar, options().spacing(0.1)).expect("a solid");
    let post = generate::cuboid(DVec3::new(1.0, 1.0, 4.0)).expect("sizes");
    let places = [at(-2.0, 0.0, 0.0), at(2.0, 0.0, 0.0)];
    let posts =
        Shape::new(generate::merged(places.iter().map(|place| (&post, place))).expect("small"));
    feedback.add(&posts, Pose::IDENTITY).expect("a solid");
    let reaction = feedback.reaction(&at(0.0, 0.0, 2.2));
    assert_eq!(reaction.regions.len(), 2, "{:?}", reaction.regions);
    for region in reaction.regions {
        assert!((region.point.x.abs() - 2.0).abs() < 0.05, "{region:?}");
        assert_close(region.normal, DVec3::Z, 1e-6, "up");
    }
}

/// The same force, whatever the bodies are called and wherever they are.
#[test]
fn the_force_moves_with_the_bodies_and_does_not_depend_on_how_they_are_written() {
    let bodies = bodies();
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (a, b) = (&bodies[random.below(5) as usize].1, &bodies[random.below(5) as usize].1);
        let (pose, place) = (random_pose(&mut random), random_pose(&mut random));
        let wrench_of = |a: &Mesh, b: &Mesh, pose: Pose, place: Pose, spacing: f64| {
            let [a, b] = [a, b].map(|mesh| Shape::new(mesh.clone()));
            let mut feedback = Feedback::new(&a, options().spacing(spacing)).expect("a solid");
            feedback.add(&b, place).expect("a solid");
            wrench(&mut feedback, &pose)
        };
        let [force, torque] = wrench_of(a, b, pose, place, 0.1);
        let what = |how: &str| format!("seed {seed}, {how}");

        // Far away coordinates have fewer digits: 1e6 leaves 1e-10, times an area of about 10.
        let far = Pose::new(random.rotation(), random.direction() * 1e6).expect("a rotation");
        let [f, t] = wrench_of(a, b, far * pose, far * place, 0.1);
        assert_close(f, far.rotation() * force, 1e-8, &what("far away"));
        assert_close(t, far.rotation() * torque, 1e-8, &what("far away"));

        // In millimetres an area is 1e6 times as large, a force 1e9 times, a torque 1e12 times.
        let larger = |mesh: &Mesh| {
            let positions = mesh.positions().iter().map(|p| p * 1e3).collect();
            Mesh::new(positions, mesh.faces().to_vec()).expect("finite")
        };
        let longer =
            |pose: &Pose| Pose::new(pose.rotation(), pose.translation() * 1e3).expect("finite");
        let [f, t] = wrench_of(&larger(a), &larger(b), longer(&pose), longer(&place), 100.0);
        assert_close(f * 1e-9, force, 1e-11, &what("in millimetres"));
        assert_close(t * 1e-12, torque, 1e-11, &what("in millimetres"));

        // Faces in another order, starting at other corners; each with vertices of its own, as in STL files.
        let rewritten = |mesh: &Mesh, random: &mut Random| {
            let mut faces = mesh.faces().to_vec();
            random.shuffle(&mut faces);
            faces.iter_mut().for_each(|face| face.rotate_left(random.below(3) as usize));
            Mesh::new(mesh.positions().to_vec(), faces).expect("valid")
        };
        let soup = |mesh: &Mesh| {
            let count = mesh.faces().len() as u32;
            let faces = (0..count).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
            Mesh::new(mesh.triangles().flatten().collect(), faces).expect("valid")
        };
        let inside_out = |mesh: &Mesh| {
            let faces = mesh.faces().iter().map(|&[a, b, c]| [a, c, b]).collect();
            Mesh::new(mesh.positions().to_vec(), faces).expect("valid")
        };
        let ways = [
            ("shuffled", rewritten(a, &mut random), rewritten(b, &mut random)),
            ("soup", soup(a), soup(b)),
            ("inside out", inside_out(a), inside_out(b)),
        ];
        for (how, a, b) in &ways {
            let [f, t] = wrench_of(a, b, pose, place, 0.1);
            assert_close(f, force, 1e-11, &what(how));
            assert_close(t, torque, 1e-11, &what(how));
        }
    }
}

/// Shells that overlap are one solid: the walls of one inside the other take no force.
#[test]
fn overlapping_shells_push_back_once() {
    let floor = cuboid(8.0, 8.0, 2.0);
    let half = generate::cuboid(DVec3::new(1.5, 2.0, 2.0)).expect("sizes");
    let places = [at(-0.25, 0.0, 0.0), at(0.25, 0.0, 0.0)];
    let two =
        Shape::new(generate::merged(places.iter().map(|place| (&half, place))).expect("small"));
    let one = cuboid(2.0, 2.0, 2.0);
    let force = |held: &Shape| {
        let mut feedback = pair(held, &floor, options().spacing(0.04));
        wrench(&mut feedback, &at(0.0, 0.0, 1.99))[0]
    };
    let [found, expected] = [force(&two), force(&one)];
    // Where the two bottoms lie on each other, they count twice; walls inside do not count. So the force is up to 5/4 of it.
    assert_close(found.with_z(0.0), DVec3::ZERO, 1e-9, "sideways");
    assert!(found.z >= 0.9 * expected.z && found.z <= 1.3 * expected.z, "{found}, {expected}");
}

/// The force at a pose does not depend on what was asked before, to the last bit.
#[test]
fn a_warm_feedback_returns_the_same_as_a_fresh_one() {
    let bodies = bodies();
    let mut touching = 0;
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let [a, b] = [0, 1].map(|_| Shape::new(bodies[random.below(5) as usize].1.clone()));
        let mut warm = pair(&a, &b, options());
        let (mut place, mut turn) = (random.direction() * 1.3, DVec3::ZERO);
        let (mut speed, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        for step in 0..3_000 {
            let jumps = random.below(500) == 0;
            let size = [1e-5, 1e-4, 2e-3][(step / 1_000) as usize];
            speed = speed * 0.98 + random.direction() * size * 0.2 - place * size * 0.02;
            spin = spin * 0.98 + random.direction() * size * 0.2;
            (place, turn) = if jumps {
                (
                    random.direction() * random.range(0.5, 3.0),
                    random.direction() * random.range(0.0, 3.0),
                )
            } else {
                (place + speed, turn + spin)
            };
            let pose = turned(turn, place);
            let reaction = warm.reaction(&pose);
            touching += usize::from(reaction.depth > 0.0);
            if step % 250 == 249 || jumps {
                let mut fresh = pair(&a, &b, options());
                let expected = fresh.reaction(&pose);
                let what = format!("seed {seed}, step {step}");
                assert_eq!(reaction.force, expected.force, "{what}");
                assert_eq!(reaction.torque, expected.torque, "{what}");
                assert_eq!(reaction.regions, expected.regions, "{what}");
                assert_eq!(
                    (reaction.area, reaction.load),
                    (expected.area, expected.load),
                    "{what}"
                );
            }
        }
    }
    assert!(touching > 10_000, "only {touching} of 30,000 steps touch");
}

/// Every method gives the same depths.
#[test]
fn the_method_of_the_shapes_does_not_matter() {
    let bodies = bodies();
    let [a, b] = [&bodies[1].1, &bodies[3].1];
    for seed in 0..3 {
        let pose = random_pose(&mut Random::new(seed));
        let of = |method: Method| {
            let [a, b] = [a, b].map(|mesh| Shape::with_method(method, mesh.clone()));
            wrench(&mut pair(&a, &b, options().spacing(0.3)), &pose)
        };
        let expected = of(Method::BRUTE);
        for method in [Method::WIDE, Method::BOXTREE, Method::OBB] {
            assert_eq!(of(method), expected, "{method}, seed {seed}");
        }
    }
}

#[test]
fn what_cannot_be_computed_is_refused_with_the_reason() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let mut faces = cube.mesh().faces().to_vec();
    faces.pop();
    let open = Shape::new(Mesh::new(cube.mesh().positions().to_vec(), faces).expect("valid"));
    let error = Feedback::new(&open, options()).expect_err("open");
    assert!(matches!(error, FeedbackError::HeldNotSolid(NotSolid::OpenEdge { .. })), "{error}");
    assert!(
        error.to_string().starts_with("the held body has no inside: the mesh is not closed"),
        "{error}"
    );
    let mut feedback = Feedback::new(&cube, options()).expect("a solid");
    let error = feedback.add(&open, Pose::IDENTITY).expect_err("open");
    assert!(matches!(error, FeedbackError::ObstacleNotSolid(_)), "{error}");
    let error = feedback.add(&Shape::new(Mesh::default()), Pose::IDENTITY).expect_err("empty");
    assert_eq!(error, FeedbackError::ObstacleNotSolid(NotSolid::NoFaces));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for options in [options().stiffness(wrong), options().spacing(wrong)] {
            let error = Feedback::new(&cube, options).expect_err("not a positive number");
            assert!(matches!(error, FeedbackError::NotPositive { .. }), "{error}");
        }
    }
    assert!(Feedback::new(&cube, options().most_force(f64::NAN)).is_err());
    assert!(Feedback::new(&cube, options().reference(DVec3::NAN)).is_err());
    let mut other = Feedback::new(&cube, options()).expect("a solid");
    let id = other.add(&cube, Pose::IDENTITY).expect("a solid");
    let error = feedback.set_pose(id, Pose::IDENTITY).expect_err("of another feedback");
    assert_eq!(error.to_string(), "there is no obstacle 0");
}

#[test]
fn no_obstacle_and_no_contact_give_no_force() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let mut feedback = Feedback::new(&cube, options()).expect("a solid");
    assert_eq!(wrench(&mut feedback, &Pose::IDENTITY), [DVec3::ZERO; 2]);
    let id = feedback.add(&cube, at(3.0, 0.0, 0.0)).expect("a solid");
    assert_eq!(wrench(&mut feedback, &Pose::IDENTITY), [DVec3::ZERO; 2]);
    // Touching in a face is a depth of 0.
    feedback.set_pose(id, at(1.0, 0.0, 0.0)).expect("known");
    let reaction = feedback.reaction(&Pose::IDENTITY);
    assert_eq!((reaction.force, reaction.depth), (DVec3::ZERO, 0.0));
    // As far away as numbers go.
    for far in [1e30, 1e200, f64::MAX] {
        let reaction = feedback.reaction(&at(far, -far, 0.0));
        assert_eq!((reaction.force, reaction.torque), (DVec3::ZERO, DVec3::ZERO), "{far}");
    }
    let near = feedback.reaction(&at(0.05, 0.0, 0.0)).force;
    assert!(near.x < -0.02, "back from afar: {near}");
}

#[test]
fn a_force_is_limited_and_keeps_its_direction() {
    let (cube, floor) = (cuboid(2.0, 2.0, 2.0), cuboid(8.0, 8.0, 2.0));
    let pose = turned(DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.3, 0.2, 1.9));
    let [force, torque] = wrench(&mut pair(&cube, &floor, options()), &pose);
    let mut limited = pair(&cube, &floor, options().most_force(0.125 * force.length()));
    let reaction = limited.reaction(&pose);
    assert_close(reaction.force, force * 0.125, 1e-15, "force");
    assert_close(reaction.torque, torque * 0.125, 1e-15, "torque");
    let regions: DVec3 = reaction.regions.iter().map(|region| region.force).sum();
    assert_close(regions, reaction.force, 1e-14, "regions");
}

/// A body with many samples, of which there may be too many.
#[test]
fn large_faces_are_sampled_no_more_finely_than_allowed() {
    let (cube, plate) = (cuboid(1.0, 1.0, 1.0), cuboid(100.0, 100.0, 1.0));
    let mut feedback = pair(&cube, &plate, options().spacing(0.1).most_samples(5_000));
    let [held, others] = feedback.samples();
    assert!((600..5_000).contains(&held), "{held}");
    assert!((1_000..5_100).contains(&others), "{others}");
    // The plate's samples are too far apart to see the cube; the cube's see the plate.
    let force = feedback.reaction(&at(0.3, 0.2, 0.99)).force;
    assert!((force.z - 0.005).abs() < 0.0006, "{force}");
}

/// The change from call to call is at most what the motion explains; see the documentation of the module for the bound.
struct Smooth {
    feedback: Feedback,
    stiffness: f64,
    /// Of the held body, from the center of its box.
    radius: f64,
    last: Option<(Pose, [DVec3; 2], f64, f64)>,
    worst: [f64; 2],
    touching: usize,
    name: String,
}

impl Smooth {
    fn new(name: &str, held: &Shape, obstacle: &Shape) -> Self {
        let stiffness = 3.0;
        let center = held.mesh().bounds().center();
        let radius = held.mesh().positions().iter().map(|p| p.distance(center)).fold(0.0, f64::max);
        Self {
            feedback: pair(held, obstacle, options().stiffness(stiffness)),
            stiffness,
            radius,
            last: None,
            worst: [0.0; 2],
            touching: 0,
            name: name.to_owned(),
        }
    }

    fn step(&mut self, step: usize, pose: Pose) {
        let reaction = self.feedback.reaction(&pose);
        let now = (pose, [reaction.force, reaction.torque], reaction.area, reaction.load);
        self.touching += usize::from(reaction.depth > 0.0);
        if let Some((before, wrench, area, load)) = self.last {
            let angle = (pose.to_quat() * before.to_quat().inverse()).to_axis_angle().1;
            let angle = angle.min(TAU - angle);
            let shift = pose.translation().distance(before.translation());
            let way = shift + angle * self.radius;
            let (areas, load) = (area + now.2, load.max(now.3));
            let force = self.stiffness * areas * way + load * angle;
            // Contacts are within the radius of the reference point, and move by the way at most.
            let torque = self.radius * force + load * way;
            for (index, bound) in [force, torque].into_iter().enumerate() {
                let change = now.1[index].distance(wrench[index]);
                // Rounding alone, where nothing moves.
                let ratio = change / (bound + 1e-12);
                assert!(
                    ratio <= 1.0,
                    "{}, step {step}: {} changes by {change:e}, {ratio} of what the motion explains",
                    self.name,
                    ["force", "torque"][index]
                );
                self.worst[index] = self.worst[index].max(ratio);
            }
        }
        self.last = Some(now);
    }

    #[track_caller]
    fn finish(self, at_least: usize) {
        let Self { worst, touching, name, .. } = self;
        assert!(
            touching >= at_least,
            "{name}: only {touching} steps in contact, worst ratios {worst:?}"
        );
        assert!(
            worst[0] > 0.01,
            "{name}: a bound that is never approached tests nothing: {worst:?}"
        );
    }
}

#[test]
fn forces_change_no_more_than_the_motion_explains_for_simple_bodies() {
    let (cube, floor) = (cuboid(1.0, 1.0, 1.0), cuboid(4.0, 4.0, 1.0));
    // Along the edge of the floor and over it, at a depth at which the nearest side changes.
    let mut slide = Smooth::new("a cube slides over an edge", &cube, &floor);
    for step in 0..2_000 {
        let t = step as f64 / 2_000.0;
        slide.step(step, at(1.0 + 1.6 * t, 0.4 * t, 0.8));
    }
    slide.finish(1_500);
    // Through the whole floor: the direction out of it changes in the middle.
    let mut through = Smooth::new("a cube passes through a floor", &cube, &floor);
    for step in 0..2_000 {
        let t = step as f64 / 2_000.0;
        through.step(step, turned(DVec3::splat(0.2), DVec3::new(0.0, 0.0, 2.0 - 4.0 * t)));
    }
    through.finish(1_000);
    let mut tumble = Smooth::new("a cube tumbles on a floor", &cube, &floor);
    for step in 0..2_000 {
        let t = step as f64 / 2_000.0;
        let turn = DVec3::new(0.3, 1.0, 0.1).normalize() * (t * 2.0 * TAU);
        tumble.step(step, turned(turn, DVec3::new(2.0 * t - 1.0, 0.0, 1.1)));
    }
    tumble.finish(1_500);
    let (peg, plate) = peg_and_hole();
    let mut hole = Smooth::new("a peg tumbles in a hole", &peg, &plate);
    for step in 0..2_000 {
        let t = step as f64 / 2_000.0;
        let turn = DVec3::new(0.15 * (40.0 * t).sin(), 0.15 * (29.0 * t).sin(), 2.0 * t);
        let place = DVec3::new(0.1 * (31.0 * t).sin(), 0.1 * (23.0 * t).cos(), 0.5 - t);
        hole.step(step, turned(turn, place));
    }
    hole.finish(1_500);
}

/// A peg, and a ring around it with a gap.
fn peg_and_hole() -> (Shape, Shape) {
    let peg = Shape::new(generate::cylinder(0.55, 3.0, 48).expect("sides"));
    (peg, Shape::new(generate::torus(1.0, 0.4, [64, 32]).expect("segments")))
}

#[test]
fn forces_change_no_more_than_the_motion_explains_for_20000_faces() {
    let torus = Shape::new(generate::torus(1.0, 0.4, [200, 50]).expect("segments"));
    let deformed = Shape::new(generate::deformed_torus(1, [200, 50]).expect("segments"));
    let sphere = Shape::new(generate::sphere(20_000).expect("even"));
    for (name, held, obstacle) in [
        ("tori", &torus, &torus),
        ("deformed tori", &deformed, &deformed),
        ("a sphere and a deformed torus", &sphere, &deformed),
    ] {
        let mut roll = Smooth::new(&format!("{name} roll"), held, obstacle);
        let mut through = Smooth::new(&format!("{name} pass through each other"), held, obstacle);
        for step in 0..600 {
            let t = step as f64 / 3_000.0;
            let (sin, cos) = (t * TAU).sin_cos();
            let turn = DVec3::new(0.1, 0.2, 1.0).normalize() * (t * 2.0 * TAU);
            roll.step(step, turned(turn, DVec3::new(cos, sin, 0.2 * sin) * 1.9));
            let turn = DVec3::new(1.4, 0.3 * t, 0.2);
            through.step(step, turned(turn, DVec3::new(1.0 + 2.0 * t, 0.1, 1.5 - 12.0 * t)));
        }
        roll.finish(100);
        through.finish(100);
    }
}
