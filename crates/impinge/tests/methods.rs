//! Every method against an oracle that looks at every pair, on soups made to be hard.

use impinge::generate::Random;
use impinge::glam::{DMat3, DVec3};
use impinge::{FacePair, Mesh, Method, Pair, Pose, Threads, generate};

/// All pairs that touch, by the oracle, with the placement written out once more.
fn expected(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<FacePair> {
    let placed = |mesh: &Mesh, pose: &Pose| -> Vec<[[f64; 3]; 3]> {
        let rows = pose.to_rows();
        let place = |p: DVec3| {
            [0, 4, 8].map(|r| {
                let (x, y, z) = (rows[r] * p.x, rows[r + 1] * p.y, rows[r + 2] * p.z);
                let sum = x + y;
                let sum = sum + z;
                sum + rows[r + 3]
            })
        };
        mesh.triangles().map(|t| t.map(place)).collect()
    };
    let (p, q) = (placed(a, pose_a), placed(b, pose_b));
    let mut pairs = Vec::new();
    for (i, s) in (0..).zip(&p) {
        for (j, t) in (0..).zip(&q) {
            if impinge_oracle::triangles_touch(s, t) {
                pairs.push(FacePair { a: i, b: j });
            }
        }
    }
    pairs
}

/// Compares every method with the oracle and returns how many pairs there were.
fn check(label: &str, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> usize {
    let expected = expected(a, pose_a, b, pose_b);
    for &method in Method::ALL {
        let mut pair = Pair::with_method(method, a, b);
        for threads in [Threads::One, Threads::Pool] {
            let found = pair.contacts_on(threads, pose_a, pose_b);
            assert_eq!(found, expected, "{method} on {threads:?}: {label}");
            let touches = pair.intersects_on(threads, pose_a, pose_b);
            assert_eq!(touches, !expected.is_empty(), "{method} on {threads:?}: {label}");
        }
    }
    expected.len()
}

/// Triangles of all sizes with corners from a coarse grid, so that many touch, coincide or are
/// degenerate.
fn soup(faces: usize, random: &mut Random) -> Mesh {
    let mut positions = Vec::new();
    for _ in 0..faces {
        let size = random.below(4) as f64 + 1.0;
        let corner = |random: &mut Random| random.below(3) as f64 * size;
        let at = DVec3::new(corner(random), corner(random), corner(random));
        for _ in 0..3 {
            positions.push(at + DVec3::new(corner(random), corner(random), corner(random)));
        }
    }
    let faces = (0..faces as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Mesh::new(positions, faces).expect("coordinates are small whole numbers")
}

#[test]
fn soups_at_any_pose() {
    let mut touching = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (a, b) = (soup(40, &mut random), soup(30, &mut random));
        let step = |random: &mut Random| random.below(5) as f64 - 2.0;
        let shift = DVec3::new(step(&mut random), step(&mut random), step(&mut random));
        let moved = Pose::from_translation(shift).unwrap();
        let turned = Pose::new(random.rotation(), shift).unwrap();
        touching += check(&format!("seed {seed}, moved"), &a, &Pose::IDENTITY, &b, &moved);
        touching += check(&format!("seed {seed}, turned"), &a, &turned, &b, &moved);
        touching += check(&format!("seed {seed}, both turned alike"), &a, &turned, &b, &turned);
    }
    assert!(touching > 5_000, "hardly anything touches: {touching}");
}

#[test]
fn far_from_the_origin_and_not_quite_orthogonal() {
    let mut touching = 0;
    for seed in 0..20 {
        let mut random = Random::new(1000 + seed);
        let (a, b) = (soup(30, &mut random), soup(30, &mut random));
        for distance in [1e3, 1e8, 1e15, 1e16, 1e300] {
            // Stretched within what a pose may be: lengths are off by up to 4e-7.
            let stretch = DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 3e-7, 1.0));
            let offset = DVec3::new(distance, -distance, distance * 0.5);
            let pose_a = Pose::new(random.rotation() * stretch, offset).unwrap();
            let pose_b = Pose::new(random.rotation(), offset).unwrap();
            let label = format!("seed {seed}, {distance:e} away");
            touching += check(&label, &a, &pose_a, &b, &pose_b);
        }
    }
    assert!(touching > 5_000, "hardly anything touches: {touching}");
}

#[test]
fn the_largest_and_the_least_coordinates() {
    let mut touching = 0;
    for seed in 0..10 {
        let mut random = Random::new(2000 + seed);
        let (a, b) = (soup(20, &mut random), soup(20, &mut random));
        for scale in [5e98, 1e-100, 1e-200, 5e-324] {
            let scaled = |mesh: &Mesh| {
                let positions = mesh.positions().iter().map(|p| *p * scale).collect();
                Mesh::new(positions, mesh.faces().to_vec()).unwrap()
            };
            let label = format!("seed {seed}, scale {scale:e}");
            let (a, b) = (scaled(&a), scaled(&b));
            touching += check(&label, &a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
        }
    }
    assert!(touching > 500, "hardly anything touches: {touching}");
}

#[test]
fn bodies_of_the_papers() {
    let (shuttle, chair) = (generate::shuttle(), generate::chair());
    let fit = |mesh: &Mesh| generate::scaled_to_cube(mesh, 2.0).unwrap();
    let (a, b) = (fit(&shuttle), fit(&chair));
    let mut touching = 0;
    for (step, pose) in generate::tumble(0.8, 5).unwrap().iter().enumerate() {
        touching +=
            check(&format!("shuttle and chair, step {step}"), &a, &Pose::IDENTITY, &b, pose);
    }
    assert!(touching > 100, "{touching}");
}

#[test]
fn a_body_touches_itself_in_place() {
    let ball = generate::sphere(80).unwrap();
    let pairs = check("a sphere on itself", &ball, &Pose::IDENTITY, &ball, &Pose::IDENTITY);
    assert!(pairs >= 80 * 4, "each face touches itself and its neighbours: {pairs}");
}

#[test]
fn nothing_touches_an_empty_mesh() {
    let (ball, nothing) = (generate::sphere(8).unwrap(), Mesh::default());
    let unused = Mesh::new(vec![DVec3::ZERO], vec![]).unwrap();
    for (a, b) in [(&ball, &nothing), (&nothing, &ball), (&nothing, &nothing), (&ball, &unused)] {
        assert_eq!(check("empty", a, &Pose::IDENTITY, b, &Pose::IDENTITY), 0);
    }
}

#[test]
fn names_are_found_and_others_refused() {
    for &method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    let error = "brutus".parse::<Method>().unwrap_err();
    assert!(error.to_string().contains("brute"), "{error}");
}
