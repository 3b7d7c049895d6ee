//! What the kernels are given: small bodies, so that valgrind is done soon.

use impinge::generate::{self, Random};
use impinge::glam::DVec3;
use impinge::narrow::Triangle;
use impinge::volume::{BoundingVolume, Frame, Relative};
use impinge::{Mesh, Method, Pair, Pose, Shape};
use impinge_oracle::cases::families;
use std::hint::black_box;

/// Pairs of triangles of one kind.
pub(crate) struct TrianglePairs(pub(crate) Vec<(Triangle, Triangle)>);

impl TrianglePairs {
    pub(crate) fn of(family: &str, count: u64) -> Self {
        let family = families().iter().find(|it| it.name == family).expect("the oracle knows it");
        let corners = |triangle: [[f64; 3]; 3]| triangle.map(DVec3::from_array);
        let pairs = (0..count).map(|seed| family.pair(seed));
        Self(pairs.map(|(a, b)| (corners(a), corners(b))).collect())
    }
}

/// Volumes of parts of two balls that reach into each other.
pub(crate) struct Volumes<V: BoundingVolume> {
    pub(crate) a: Vec<V>,
    pub(crate) b: Vec<V>,
    pub(crate) placement: V::Placement,
}

impl<V: BoundingVolume> Volumes<V> {
    pub(crate) fn new() -> Self {
        let ball = ball();
        let frame = Frame::new(&ball.bounds());
        let normalized = |triangle: Triangle| triangle.map(|p| frame.normalized(p));
        let triangles: Vec<Triangle> = ball.triangles().map(normalized).collect();
        let volumes = || triangles.chunks(triangles.len() / 64).map(V::enclosing).collect();
        let mut pose = generate::tumble(1.0, 3).expect("a distance");
        let relative = Relative::new(&frame, &Pose::IDENTITY, &frame, &pose.remove(1));
        Self { a: volumes(), b: volumes(), placement: V::placement(&relative) }
    }
}

/// A ball, and points around and in it.
pub(crate) struct Probes {
    pub(crate) shape: Shape,
    pub(crate) points: Vec<DVec3>,
}

impl Probes {
    pub(crate) fn new(method: Method) -> Self {
        let shape = Shape::with_method(method, ball().clone());
        let room = ball().bounds().grown(0.5);
        let points = generate::random_points(1, room, 200).expect("a box");
        // The first question allocates.
        black_box(shape.nearest_point(&Pose::IDENTITY, points[0]));
        Self { shape, points }
    }
}

/// Two bodies, and poses at which something is asked of them.
pub(crate) struct Queries {
    pub(crate) pair: Pair,
    pub(crate) poses: Vec<Pose>,
}

/// Which poses of a path are asked about.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    Hit,
    Miss,
}

impl Queries {
    /// Far from each other.
    pub(crate) fn clear(method: Method) -> Self {
        let poses = generate::tumble(10.0, 200).expect("a distance");
        Self::warm(Pair::with_method(method, torus().clone(), torus().clone()), poses)
    }

    /// Two deformed tori, one of which tumbles (Zachmann 2002): those poses at which they touch, or
    /// those at which they do not.
    pub(crate) fn tumbling(method: Method, distance: f64, asked: Asked) -> Self {
        let mut pair = Pair::with_method(method, torus().clone(), torus().clone());
        let mut poses = generate::tumble(distance, 40).expect("a distance");
        poses.retain(|pose| pair.intersects(&Pose::IDENTITY, pose) == (asked == Asked::Hit));
        poses.truncate(10);
        Self::warm(pair, poses)
    }

    /// The same queries, after the trees have been asked so often that they have made their support maps.
    pub(crate) fn after_many(mut self) -> Self {
        for pose in self.poses.iter().cycle().take(300) {
            self.pair.intersects(&Pose::IDENTITY, pose);
        }
        self
    }

    /// A ball within another that is hardly larger (Klosowski 1998): near, and clear.
    pub(crate) fn shells(method: Method) -> Self {
        let ball = generate::icosphere(4).expect("few enough");
        let smaller = ball.positions().iter().map(|p| *p * 0.99).collect();
        let inner = Mesh::new(smaller, ball.faces().to_vec()).expect("smaller than before");
        let pair = Pair::with_method(method, ball, inner);
        Self::warm(pair, generate::random_rotations(1, 3))
    }

    /// Asks everything once, so that buffers are as large as they need be.
    fn warm(mut pair: Pair, poses: Vec<Pose>) -> Self {
        assert!(poses.len() >= 3, "too few poses to tell");
        for pose in &poses {
            pair.contacts(&Pose::IDENTITY, pose);
        }
        Self { pair, poses }
    }
}

pub(crate) fn ball() -> &'static Mesh {
    leaked(generate::sphere(5000).expect("enough faces"))
}

/// The same ball after its corners have moved.
pub(crate) fn other_ball() -> &'static Mesh {
    let mut random = Random::new(1);
    let moved = ball().positions().iter().map(|p| *p + 0.01 * random.direction()).collect();
    leaked(Mesh::new(moved, ball().faces().to_vec()).expect("as before"))
}

/// Points of which few are on the hull.
pub(crate) fn cloud(count: usize) -> &'static [DVec3] {
    let mut random = Random::new(1);
    Vec::leak((0..count).map(|_| random.unit() * random.direction()).collect())
}

fn torus() -> &'static Mesh {
    let torus = generate::deformed_torus(1, [100, 25]).expect("enough segments");
    leaked(generate::scaled_to_cube(&torus, 2.0).expect("it has an extent"))
}

/// A process measures one kernel and ends, so nothing is lost.
fn leaked(mesh: Mesh) -> &'static Mesh {
    Box::leak(Box::new(mesh))
}
