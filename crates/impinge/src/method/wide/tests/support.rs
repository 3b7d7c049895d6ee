//! Support maps: bounds that hold, and bodies that are separated only if they are apart.

use super::*;
use crate::{
    Method, Pair, Shape,
    method::{
        Proximity,
        wide::support::{Separation, SupportMap, separation},
    },
};

/// Directions at random, along axes, edges and corners of the cube, and close to them.
fn directions(random: &mut Random) -> Vec<DVec3> {
    let mut directions: Vec<DVec3> = (0..200).map(|_| vector(random)).collect();
    for code in 0..27 {
        let along = |power: u32| f64::from(code / 3u32.pow(power) % 3) - 1.0;
        let exact = DVec3::new(along(0), along(1), along(2));
        directions.extend([exact, exact * 1e-80, exact + 1e-9 * vector(random)]);
    }
    directions.retain(|direction| *direction != DVec3::ZERO);
    directions
}

#[test]
fn no_vertex_reaches_farther_than_the_bound() {
    let mut random = Random::new(5);
    let mut ball_excess = 0.0_f64;
    for (name, mesh) in making::bodies().into_iter().filter(|(_, mesh)| !mesh.faces().is_empty()) {
        for lanes in Lanes::all() {
            let tree = WideTree::with_lanes(&mesh, WideOptions::default(), lanes);
            let map = SupportMap::new(&tree);
            for direction in directions(&mut random) {
                let products = mesh.triangles().flatten().map(|corner| {
                    let corner = (corner - tree.body_frame.center) / tree.body_frame.scale;
                    corner.dot(direction)
                });
                let exact = products.fold(f64::NEG_INFINITY, f64::max);
                let bound = map.reach(direction);
                assert!(
                    bound >= exact,
                    "{name}, {lanes:?}, {direction}: {bound} is less than {exact}"
                );
                if name == "ball" {
                    ball_excess = ball_excess.max(bound / exact - 1.0);
                }
            }
        }
    }
    // For a true ball the bound is too large by at most 1.51 %, in the middle of the cells around an axis. Corners of this
    // one are up to 18 degrees apart, so its support is up to 1 − cos 9°, 1.23 %, below that of a true ball.
    assert!(
        ball_excess < 0.0278,
        "the bound of a ball is too large by a factor of 1 + {ball_excess}"
    );
    let tree = WideTree::build(&generate::icosphere(1).unwrap(), WideOptions::default());
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::new(f64::INFINITY, 1.0, 0.0)] {
        let bound = SupportMap::new(&tree).reach(direction);
        assert!(!bound.is_finite(), "{direction}: {bound}");
    }
}

/// A rotation, off by nearly as much as poses may be.
fn skewed(random: &mut Random) -> DMat3 {
    let angles = vector(random) * 3.0;
    let rotation = DMat3::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z);
    let off = pick(random, &[0.0, 1e-12, 3e-7]);
    rotation + DMat3::from_cols(vector(random), vector(random), vector(random)) * off
}

#[test]
fn bodies_are_separated_only_if_they_are_apart() {
    let shapes: Vec<Shape> = [
        generate::deformed_torus(1, [30, 12]).unwrap(),
        generate::icosphere(2).unwrap(),
        generate::chair(),
        generate::gear(9, 0.2, 1.0, 0.5).unwrap(),
    ]
    .into_iter()
    .map(|mesh| Shape::with_method(Method::WIDE, mesh))
    .collect();
    let [mut proven, mut likely, mut unlikely, mut apart] = [0; 4];
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let scale = pick(&mut random, &[1.0, 1.0, 1e-3, 1e40, 1e-139, 1e-150]);
        let [a, b] = [(); 2].map(|()| &shapes[random.below(shapes.len() as u64) as usize]);
        let scaled = |shape: &Shape| {
            let positions = shape.mesh().positions().iter().map(|p| *p * scale).collect();
            shape.mesh().with_positions(positions).unwrap()
        };
        let (a, b) = (scaled(a), scaled(b));
        let far = vector(&mut random) * pick(&mut random, &[0.0, 1.0, 1e6]) * scale;
        let size =
            (a.bounds().max - a.bounds().min).length() + (b.bounds().max - b.bounds().min).length();
        let way = vector(&mut random).normalize() * size * random.range(0.1, 0.55);
        let poses = [far, far + way].map(|at| Pose::new(skewed(&mut random), at).unwrap());
        let tolerance = pick(&mut random, &[0.0, 0.0, 0.1]) * size;

        let trees = [&a, &b].map(|mesh| WideTree::build(mesh, WideOptions::default()));
        let extents = [&a, &b].map(Extent::of);
        let body = |k: usize, mesh| PlacedShape {
            mesh,
            prepared: &trees[k],
            extent: &extents[k],
            pose: &poses[k],
        };
        let question = Question { tolerance, ..Question::touching([body(0, &a), body(1, &b)]) };
        // The maps are made after some queries.
        let verdicts = [(); 3].map(|()| separation(trees.each_ref(), &question));
        // Searches ask only if the bounding spheres overlap.
        if question.proximity() != Proximity::Near {
            continue;
        }
        let verdict = verdicts[2];
        let shapes = [&a, &b].map(|mesh| Shape::new(mesh.clone()));
        let nearest = Pair::new(&shapes[0], &shapes[1]).unwrap().distance(&poses[0], &poses[1]);
        let distance = nearest.expect("both bodies have faces").distance;
        let is_apart = distance > tolerance;
        apart += usize::from(is_apart);
        match verdict {
            Separation::Proven => {
                proven += 1;
                assert!(
                    is_apart,
                    "seed {seed}: at a distance of {distance}, tolerance {tolerance}"
                );
            }
            Separation::Likely => likely += 1,
            Separation::Unlikely => unlikely += 1,
        }
    }
    let counts =
        format!("{proven} proven, {likely} likely, {unlikely} unlikely; {apart} are apart");
    assert!(proven > 300 && likely > 50 && unlikely > 1_000 && 4 * proven > apart, "{counts}");
}

/// What a search finds does not depend on whether the maps have been made.
#[test]
fn answers_are_the_same_before_and_after_the_map_is_made() {
    let [a, b] = [3, 4].map(|seed| generate::deformed_torus(seed, [24, 10]).unwrap());
    let brute = [&a, &b].map(|mesh| Shape::with_method(Method::BRUTE, mesh.clone()));
    let mut exact = Pair::new(&brute[0], &brute[1]).unwrap();
    let [mut touching, mut clear] = [0; 2];
    for start in 0..8 {
        let shapes = [&a, &b].map(|mesh| Shape::new(mesh.clone()));
        let bytes = shapes[0].bytes();
        let mut pair = Pair::new(&shapes[0], &shapes[1]).unwrap();
        for step in 0..200 {
            let mut random = Random::new(1000 * start + step);
            let way = vector(&mut random).normalize() * random.range(1.0, 3.2);
            let pose = Pose::new(skewed(&mut random), way).unwrap();
            let found = pair.contacts(&Pose::IDENTITY, &pose).to_vec();
            let expected = exact.contacts(&Pose::IDENTITY, &pose);
            assert_eq!(found, expected, "start {start}, step {step}");
            let any = pair.intersects(&Pose::IDENTITY, &pose);
            assert_eq!(any, !expected.is_empty(), "start {start}, step {step}");
            *(if any { &mut touching } else { &mut clear }) += 1;
        }
        assert!(shapes[0].bytes() > bytes, "the map was not made");
    }
    assert!(touching > 200 && clear > 200, "{touching} touch, {clear} do not");
}
