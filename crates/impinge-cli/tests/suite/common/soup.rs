//! Small meshes and their touching faces, computed without the library.

use impinge_oracle::{Triangle, triangles_touch};
use std::fmt::Write;

pub(crate) type Point = [f64; 3];

/// The row-major 3×4 matrix `[R | t]`.
pub(crate) type Pose = [f64; 12];

pub(crate) const IDENTITY: Pose = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];

/// Positions and faces of any kind.
#[derive(Clone, Debug)]
pub(crate) struct Soup {
    pub(crate) positions: Vec<Point>,
    pub(crate) faces: Vec<[usize; 3]>,
}

impl Soup {
    pub(crate) fn new(positions: &[Point], faces: &[[usize; 3]]) -> Self {
        Self { positions: positions.to_vec(), faces: faces.to_vec() }
    }

    /// A cube, given by its minimum corner and its side.
    pub(crate) fn cube(corner: Point, side: f64) -> Self {
        let at = |i: usize, axis: usize| corner[axis] + if i >> axis & 1 == 1 { side } else { 0. };
        let positions = (0..8).map(|i| [at(i, 0), at(i, 1), at(i, 2)]).collect();
        let faces = vec![
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        Self { positions, faces }
    }

    /// The tetrahedron of the origin and the three unit points.
    pub(crate) fn tetrahedron() -> Self {
        Self::new(
            &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]],
            &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        )
    }

    /// Faces with random corners on a grid of `2·reach + 1` points per side; many are slivers, segments,
    /// points or repeated.
    pub(crate) fn grid(seed: u64, faces: usize, reach: u64, spacing: f64) -> Self {
        let mut random = Random(seed);
        let mut coordinate = || (random.below(2 * reach + 1) as f64 - reach as f64) * spacing;
        let positions = (0..3 * faces).map(|_| std::array::from_fn(|_| coordinate())).collect();
        let faces = (0..faces).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        Self { positions, faces }
    }

    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.positions.as_flattened_mut().iter_mut().for_each(|c| *c *= factor);
        self
    }

    /// Returns the mesh as an OBJ file, with exact coordinates.
    pub(crate) fn obj(&self) -> String {
        let mut text = String::from("# written by a test\n");
        for [x, y, z] in &self.positions {
            writeln!(text, "v {x:?} {y:?} {z:?}").unwrap();
        }
        for [a, b, c] in &self.faces {
            writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
        }
        text
    }

    fn triangles(&self, place: impl Fn(Point) -> Point) -> Vec<Triangle> {
        self.faces.iter().map(|face| face.map(|corner| place(self.positions[corner]))).collect()
    }
}

/// Places a vertex as documented: operations in this order, each rounded, none fused.
pub(crate) fn placed([x, y, z]: Point, m: &Pose) -> Point {
    let row = |r: usize| ((m[r] * x + m[r + 1] * y) + m[r + 2] * z) + m[r + 3];
    [row(0), row(4), row(8)]
}

pub(crate) fn pose_file(poses: &[Pose]) -> String {
    let line = |pose: &Pose| pose.map(|number| format!("{number:?}")).join(",") + "\n";
    poses.iter().map(line).collect()
}

/// Returns the expected pair file for two meshes, by a loop over all faces.
pub(crate) fn touching(a: &Soup, b: &Soup, poses: &[Pose]) -> String {
    let mut rows = String::from("step,face_a,face_b\n");
    let still = a.triangles(|point| point);
    for (step, pose) in poses.iter().enumerate() {
        let moved = b.triangles(|point| placed(point, pose));
        for (i, p) in still.iter().enumerate() {
            for (j, q) in moved.iter().enumerate() {
                if triangles_touch(p, q) {
                    writeln!(rows, "{step},{i},{j}").unwrap();
                }
            }
        }
    }
    rows
}

pub(crate) fn moved_by(x: f64, y: f64, z: f64) -> Pose {
    turned(&IDENTITY, [x, y, z])
}

/// Returns the rotation of a pose with another translation.
pub(crate) fn turned(pose: &Pose, [x, y, z]: Point) -> Pose {
    let mut pose = *pose;
    (pose[3], pose[7], pose[11]) = (x, y, z);
    pose
}

/// All 24 rotations of a cube: permutations of the axes with signs, of determinant 1.
pub(crate) fn quarter_turns() -> Vec<Pose> {
    let mut turns = Vec::new();
    for (order, even) in [
        ([0, 1, 2], true),
        ([1, 2, 0], true),
        ([2, 0, 1], true),
        ([1, 0, 2], false),
        ([0, 2, 1], false),
        ([2, 1, 0], false),
    ] {
        for signs in 0..8_u32 {
            if (signs.count_ones() % 2 == 0) == even {
                let mut pose = [0.; 12];
                for row in 0..3 {
                    pose[4 * row + order[row]] = if signs >> row & 1 == 1 { -1. } else { 1. };
                }
                turns.push(pose);
            }
        }
    }
    turns
}

/// The rotation of a quaternion, rounded in floating point.
pub(crate) fn rotation([w, x, y, z]: [f64; 4]) -> Pose {
    let n = (w * w + x * x + y * y + z * z).sqrt();
    let [w, x, y, z] = [w / n, x / n, y / n, z / n];
    [
        1. - 2. * (y * y + z * z),
        2. * (x * y - w * z),
        2. * (x * z + w * y),
        0.,
        2. * (x * y + w * z),
        1. - 2. * (x * x + z * z),
        2. * (y * z - w * x),
        0.,
        2. * (x * z - w * y),
        2. * (y * z + w * x),
        1. - 2. * (x * x + y * y),
        0.,
    ]
}

/// SplitMix64: sufficient for tests, and the same on all machines.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number between −1 and 1.
    pub(crate) fn signed(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64 * 2. - 1.
    }
}
