//! Tests of octree motion: all algorithms against each other, and against voxels that are decided one by one.

use super::{
    super::{
        Compaction, Grid, Octree, OctreeError, VoxelRule,
        oracle::{PAPER, SIDES, cells, corners, voxels},
    },
    MotionAlgorithm, MotionOptions, MovingOctree,
};
use crate::{
    Bounds, Pose, Threads,
    generate::{self, Random},
};
use glam::{DMat3, DVec3};

const ARBITRARY: [MotionAlgorithm; 3] =
    [MotionAlgorithm::WengAhuja, MotionAlgorithm::WengAhujaExact, MotionAlgorithm::Efficient];

fn sources() -> Vec<(&'static str, Octree)> {
    let grid = |mesh: &crate::Mesh, level| Grid::enclosing(&mesh.bounds(), level).unwrap();
    let shuttle = generate::shuttle();
    let torus = generate::deformed_torus(5, [24, 10]).unwrap();
    let odd = Grid::new(DVec3::new(-0.3, 0.1, 0.7), 1.1, 3).unwrap();
    vec![
        ("shuttle", Octree::from_solid(&shuttle, grid(&shuttle, 4), VoxelRule::AnyTouch).unwrap()),
        ("faces", Octree::from_faces(&torus, grid(&torus, 4)).unwrap()),
        ("paper", Octree::from_text(PAPER, odd).unwrap()),
    ]
}

/// A target that an octree moves in, with another level and side.
fn target(source: &Octree, level: u8) -> Grid {
    let grid = source.grid();
    Grid::new(grid.min() - 0.3 * grid.side(), 1.55 * grid.side(), level).unwrap()
}

/// Poses that keep the object at least partly in the target: turns about its centre, and shifts.
fn poses(source: &Octree, count: u64) -> Vec<(String, Pose)> {
    let size = source.grid().side();
    let center = source.grid().min() + 0.5 * size;
    let about = |rotation: DMat3, shift: DVec3| {
        Pose::new(rotation, center + shift - rotation * center).unwrap()
    };
    let mut poses = vec![
        ("identity".to_owned(), Pose::IDENTITY),
        ("quarter turn".to_owned(), {
            let quarter = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
            about(quarter, DVec3::ZERO)
        }),
        ("shift by two voxels".to_owned(), {
            Pose::from_translation(DVec3::X * (2.0 * source.grid().voxel())).unwrap()
        }),
        ("out of the target".to_owned(), Pose::from_translation(DVec3::X * (90.0 * size)).unwrap()),
    ];
    for seed in 0..count {
        let mut random = Random::new(seed);
        let mut rotation = random.rotation();
        if seed % 3 == 1 {
            // A rotation that is off by nearly as much as a pose accepts.
            rotation *= DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 4e-7, 1.0));
        }
        let shift = random.direction() * random.range(0.0, 0.5 * size);
        poses.push((format!("seed {seed}"), about(rotation, shift)));
    }
    poses
}

#[test]
fn centres_inside_are_black_in_all_algorithms() {
    let mut blacks = 0;
    for (name, source) in sources() {
        let cells_of = MovingOctree::new(&source);
        let compacted = MovingOctree::compacted(&source, &Compaction::default()).unwrap();
        let (fewer, all) = (compacted.cubes().len(), cells_of.cubes().len());
        assert!(fewer < all || name == "paper" && fewer == all, "{name}: {fewer} of {all}");
        for (case, pose) in poses(&source, 6) {
            for level in [0, 3, 4] {
                let target = target(&source, level);
                let back = pose.inverse();
                let expected: Vec<bool> = cells(&target)
                    .map(|cell| source.contains(back.place(target.center(cell))))
                    .collect();
                blacks += expected.iter().filter(|black| **black).count();
                for moving in [&cells_of, &compacted] {
                    for algorithm in ARBITRARY {
                        for threads in [Threads::One, Threads::Pool] {
                            let options = MotionOptions::default()
                                .algorithm(algorithm)
                                .rule(VoxelRule::CenterInside)
                                .threads(threads);
                            let moved = moving.at(&pose, &target, &options).unwrap().octree;
                            let case = format!("{name}, {case}, level {level}, {options:?}");
                            assert!(voxels(&moved) == expected, "{case}");
                            let text = moved.text();
                            assert_eq!(Octree::from_text(&text, target).unwrap(), moved, "{case}");
                        }
                    }
                }
            }
        }
    }
    assert!(blacks > 5_000, "hardly a black voxel: {blacks}");
}

/// Whether a parallelepiped and a box share a point, in plain floating point: a side of the former, cut by all planes
/// of the latter, has a rest, or the centre of one is in the other.
fn meets(corners: &[DVec3; 8], cube: &Bounds) -> bool {
    let inside = |p: DVec3| cube.contains(p);
    let middle = corners.iter().sum::<DVec3>() / 8.0;
    if corners.iter().any(|p| inside(*p)) || inside(middle) {
        return true;
    }
    let axes =
        DMat3::from_cols(corners[1] - corners[0], corners[2] - corners[0], corners[4] - corners[0]);
    let own = axes.inverse() * (cube.center() - corners[0]);
    if own.cmpge(DVec3::ZERO).all() && own.cmple(DVec3::ONE).all() {
        return true;
    }
    SIDES.iter().any(|side| {
        let mut polygon: Vec<DVec3> = side.iter().map(|&corner| corners[corner]).collect();
        for axis in 0..3 {
            for (plane, sign) in [(cube.min[axis], 1.0), (cube.max[axis], -1.0)] {
                let height = |p: DVec3| (p[axis] - plane) * sign;
                let mut rest = Vec::new();
                for (i, &p) in polygon.iter().enumerate() {
                    let q = polygon[(i + 1) % polygon.len()];
                    if height(p) >= 0.0 {
                        rest.push(p);
                    }
                    if (height(p) >= 0.0) != (height(q) >= 0.0) {
                        rest.push(p.lerp(q, height(p) / (height(p) - height(q))));
                    }
                }
                polygon = rest;
            }
        }
        !polygon.is_empty()
    })
}

#[test]
fn touched_voxels_are_black_in_all_algorithms() {
    let (mut blacks, mut near) = (0, 0);
    for (name, source) in sources() {
        let cells_of = MovingOctree::new(&source);
        let compacted = MovingOctree::compacted(&source, &Compaction::default()).unwrap();
        for (case, pose) in poses(&source, 4) {
            let target = target(&source, 4);
            let options = MotionOptions::default().rule(VoxelRule::AnyTouch);
            let first = cells_of.at(&pose, &target, &options).unwrap().octree;
            for moving in [&cells_of, &compacted] {
                for algorithm in ARBITRARY {
                    for threads in [Threads::One, Threads::Pool] {
                        let options = options.algorithm(algorithm).threads(threads);
                        let moved = moving.at(&pose, &target, &options).unwrap().octree;
                        assert!(moved == first, "{name}, {case}, {options:?}");
                    }
                }
            }
            // With margins on both sides: a voxel that reaches into a cube must be black, one that stays away white.
            let margin = 1e-9 * source.grid().side();
            let grown = |by: f64| -> Vec<Bounds> {
                let cubes = compacted.cubes().iter();
                cubes.map(|cube| source.grid().cube_bounds(*cube).grown(by)).collect()
            };
            let (larger, smaller) = (grown(margin), grown(-margin));
            let back = pose.rotation().inverse();
            let black = voxels(&first);
            for (cell, is_black) in cells(&target).zip(black) {
                let voxel = target.bounds(cell);
                let corners = corners(&voxel).map(|corner| back * (corner - pose.translation()));
                let around = Bounds::enclosing(corners);
                let meets_any = |cubes: &[Bounds]| {
                    cubes.iter().any(|cube| cube.overlaps(&around) && meets(&corners, cube))
                };
                let at = format!("{name}, {case}: {voxel:?}");
                if is_black {
                    assert!(meets_any(&larger), "black, but apart: {at}");
                    blacks += 1;
                } else {
                    assert!(!meets_any(&smaller), "white, but reached: {at}");
                    near += usize::from(meets_any(&grown(0.2 * target.voxel())));
                }
            }
        }
    }
    assert!(blacks > 5_000 && near > 500, "{blacks} black, {near} white and near");
}

#[test]
fn translations_agree_with_voxels_one_by_one() {
    let mut blacks = 0;
    for (name, source) in sources() {
        let cells_of = MovingOctree::new(&source);
        let compacted = MovingOctree::compacted(&source, &Compaction::default()).unwrap();
        let voxel = source.grid().voxel();
        let mut random = Random::new(11);
        for case in 0..12 {
            // Whole voxels, halves, and anything.
            let mut shift = || random.range(-6.0, 6.0);
            let shift = DVec3::new(shift(), shift(), shift());
            let shift = match case % 3 {
                0 => shift.round(),
                1 => (shift * 2.0).round() / 2.0,
                _ => shift,
            };
            let pose = Pose::from_translation(shift * voxel).unwrap();
            for grid in [*source.grid(), target(&source, 4), target(&source, 1)] {
                for rule in [VoxelRule::AnyTouch, VoxelRule::CenterInside] {
                    let expected: Vec<bool> = cells(&grid)
                        .map(|cell| match rule {
                            VoxelRule::CenterInside => {
                                source.contains(pose.inverse().place(grid.center(cell)))
                            }
                            VoxelRule::AnyTouch => {
                                let own = grid.bounds(cell);
                                cells_of.cubes().iter().any(|cube| {
                                    let cube = source.grid().cube_bounds(*cube);
                                    let (min, max) = (pose.place(cube.min), pose.place(cube.max));
                                    Bounds { min, max }.overlaps(&own)
                                })
                            }
                        })
                        .collect();
                    blacks += expected.iter().filter(|black| **black).count();
                    for moving in [&cells_of, &compacted] {
                        for algorithm in [
                            MotionAlgorithm::TranslationByCells,
                            MotionAlgorithm::TranslationByAxes,
                        ] {
                            let options = MotionOptions::default().algorithm(algorithm).rule(rule);
                            let moved = moving.at(&pose, &grid, &options).unwrap().octree;
                            let case = format!("{name}, case {case}, {options:?}");
                            assert!(voxels(&moved) == expected, "{case}");
                        }
                        // The general algorithm keeps a slack, so it may find more, and never less.
                        let options = MotionOptions::default().rule(rule);
                        let general = voxels(&moving.at(&pose, &grid, &options).unwrap().octree);
                        let mut pairs = general.iter().zip(&expected);
                        match rule {
                            VoxelRule::CenterInside => {
                                assert!(general == expected, "{name}, case {case}");
                            }
                            VoxelRule::AnyTouch => {
                                assert!(pairs.all(|(g, e)| *g || !e), "{name}, case {case}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(blacks > 10_000, "hardly a black voxel: {blacks}");
}

#[test]
fn a_thousand_cycles_do_not_drift() {
    let shuttle = generate::shuttle();
    let grid = Grid::enclosing(&shuttle.bounds(), 4).unwrap();
    let source = Octree::from_solid(&shuttle, grid, VoxelRule::CenterInside).unwrap();
    let moving = MovingOctree::compacted(&source, &Compaction::default()).unwrap();
    let options = MotionOptions::default().rule(VoxelRule::CenterInside);
    let turn =
        Pose::new(DMat3::from_rotation_z(std::f64::consts::TAU / 10.0), DVec3::ZERO).unwrap();
    let mut pose = Pose::IDENTITY;
    // What the same steps do to an octree that is moved from its last state each time.
    let mut carried = source.clone();
    for cycle in 1..=1000 {
        pose = turn * pose;
        let moved = moving.at(&pose, &grid, &options).unwrap().octree;
        if cycle <= 100 {
            carried = MovingOctree::new(&carried).at(&turn, &grid, &options).unwrap().octree;
        }
        if cycle % 10 == 0 {
            assert!(moved == source, "cycle {cycle}: a whole turn later it is another octree");
        }
    }
    assert!(carried != source, "carried on from cycle to cycle, errors would add up");
}

#[test]
fn the_exact_test_saves_tests() {
    let shuttle = generate::shuttle();
    let grid = Grid::enclosing(&shuttle.bounds(), 5).unwrap();
    let source = Octree::from_solid(&shuttle, grid, VoxelRule::CenterInside).unwrap();
    let [cells, compacted] = [
        MovingOctree::new(&source),
        MovingOctree::compacted(&source, &Compaction::default()).unwrap(),
    ];
    let pose =
        Pose::new(DMat3::from_rotation_z(0.5) * DMat3::from_rotation_x(0.3), DVec3::X).unwrap();
    let tests = |moving: &MovingOctree, algorithm| {
        let options = MotionOptions::default().algorithm(algorithm).rule(VoxelRule::CenterInside);
        let counts = moving.at(&pose, &grid, &options).unwrap().counts;
        counts.cell_tests + counts.voxel_tests
    };
    let approximate = tests(&cells, MotionAlgorithm::WengAhuja);
    let exact = tests(&cells, MotionAlgorithm::WengAhujaExact);
    let fewer_cubes = tests(&compacted, MotionAlgorithm::Efficient);
    assert!(10 * exact < 9 * approximate, "{exact} of {approximate}");
    assert!(fewer_cubes < exact, "{fewer_cubes} of {exact}");
}

#[test]
fn turns_are_refused_by_translations() {
    let (_, source) = sources().swap_remove(2);
    let moving = MovingOctree::new(&source);
    let turn = Pose::new(DMat3::from_rotation_z(0.1), DVec3::ZERO).unwrap();
    for algorithm in [MotionAlgorithm::TranslationByCells, MotionAlgorithm::TranslationByAxes] {
        let options = MotionOptions::default().algorithm(algorithm);
        let error = moving.at(&turn, source.grid(), &options).unwrap_err();
        assert_eq!(error, OctreeError::NotATranslation);
    }
}

/// Sizes from 1e-60 to 1e60, far from the origin, and an empty source.
#[test]
fn extreme_sizes_and_places() {
    let (_, model) = sources().swap_remove(2);
    for (scale, away) in [(1e-60, 0.0), (1e60, 0.0), (1.0, 1e9), (1e-3, 1e6), (1e90, 10.0)] {
        let grid = Grid::new(DVec3::splat(away * scale), scale, 3).unwrap();
        let source = Octree::from_text(&model.text(), grid).unwrap();
        let center = grid.min() + 0.5 * scale;
        let rotation = DMat3::from_rotation_y(0.7);
        let pose = Pose::new(rotation, center - rotation * center).unwrap();
        let moving = MovingOctree::new(&source);
        let back = pose.inverse();
        let expected: Vec<bool> =
            cells(&grid).map(|cell| source.contains(back.place(grid.center(cell)))).collect();
        assert!(expected.iter().filter(|black| **black).count() > 50, "{scale:e}, {away:e}");
        for algorithm in ARBITRARY {
            let options = MotionOptions::default().algorithm(algorithm);
            let centered = options.rule(VoxelRule::CenterInside);
            let moved = moving.at(&pose, &grid, &centered).unwrap().octree;
            assert!(voxels(&moved) == expected, "{scale:e}, {away:e}, {algorithm:?}");
            let touched = voxels(&moving.at(&pose, &grid, &options).unwrap().octree);
            assert!(touched.iter().zip(&expected).all(|(t, c)| *t || !c), "{scale:e}, {away:e}");
        }
    }
    let empty = MovingOctree::new(&Octree::empty(*model.grid()));
    for algorithm in MotionAlgorithm::ALL {
        for threads in [Threads::One, Threads::Pool] {
            let options = MotionOptions::default().algorithm(algorithm).threads(threads);
            let moved = empty.at(&Pose::IDENTITY, model.grid(), &options).unwrap().octree;
            assert_eq!(moved, Octree::empty(*model.grid()));
        }
    }
}

/// The inverse of a rotation that is off by nearly 1e-6 is repaired, and then it is not quite the inverse.
#[test]
fn a_repaired_inverse_misses_nothing() {
    let grid = Grid::new(DVec3::new(1000.0, 0.0, 0.0), 8.0, 3).unwrap();
    let source = Octree::empty(grid).complement();
    let shrunk = DMat3::from_diagonal(DVec3::new(1.0 - 4.999_998_75e-7, 1.0, 1.0));
    let pose = Pose::new(shrunk, DVec3::ZERO).unwrap();
    let round_trip = pose.inverse().rotation() * shrunk - DMat3::IDENTITY;
    assert!(round_trip.x_axis.x.abs() > 4e-7, "not repaired");
    // The object starts at 999.9995, and the last layer of voxels ends just behind.
    let start = pose.place(grid.min()).x;
    let target = Grid::new(DVec3::new(start + 1e-5 - 8.0, 0.0, 0.0), 8.0, 3).unwrap();
    for algorithm in ARBITRARY {
        let options = MotionOptions::default().algorithm(algorithm);
        let moved = MovingOctree::new(&source).at(&pose, &target, &options).unwrap().octree;
        assert_eq!(moved.black_voxels(), 64, "{algorithm:?}");
    }
}
