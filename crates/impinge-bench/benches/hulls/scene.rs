//! Two convex hulls, and a path of the second around the first.

use impinge::{
    Pose,
    convex::Hull,
    generate::Random,
    glam::{DMat3, DQuat, DVec3},
};

/// The number of poses on a path.
pub(crate) const STEPS: usize = 1_000;
/// The least gap between the hulls; they are about 2 in size.
const GAP: f64 = 0.05;
/// The axes about which a body turns and travels change by so many radians a step, so that the path does not repeat.
const DRIFT: f64 = 0.02;

/// Two hulls with about the same number of faces, and the poses of the second in the frame of the first.
pub(crate) struct Scene {
    pub(crate) hulls: [Hull; 2],
    pub(crate) poses: Vec<Pose>,
}

impl Scene {
    /// Makes hulls of random points on ellipsoids, and a path on which the second hull turns by `degrees` a step,
    /// and travels around the first by the same angle.
    pub(crate) fn new(faces: usize, degrees: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let hulls = [0, 1].map(|_| ellipsoid(&mut random, faces / 2 + 2));
        let poses = path(&mut random, &hulls, degrees.to_radians());
        Self { hulls, poses }
    }

    /// The faces of a hull, as triangles.
    pub(crate) fn triangles(hull: &Hull) -> Vec<[u32; 3]> {
        let fan = |facet: &[u32]| {
            let first = facet[0];
            facet[1..].windows(2).map(|edge| [first, edge[0], edge[1]]).collect::<Vec<_>>()
        };
        hull.facets().flat_map(fan).collect()
    }
}

/// Coordinates are `f32` values, so that engines in single precision have the same hull.
fn ellipsoid(random: &mut Random, points: usize) -> Hull {
    let axes = DVec3::new(1.0, random.range(0.6, 1.0), random.range(0.4, 0.8));
    let turn = random.rotation();
    let point = |_| (turn * (random.direction() * axes)).as_vec3().as_dvec3();
    let points: Vec<DVec3> = (0..points).map(point).collect();
    Hull::new(&points).expect("finite points")
}

/// The second hull stays beyond a plane that is [`GAP`] away from the first one, and at right angles to the direction in
/// which it stands.
fn path(random: &mut Random, [a, b]: &[Hull; 2], angle: f64) -> Vec<Pose> {
    let mut axes = [0, 1].map(|_| random.direction());
    let drifts = [0, 1].map(|_| DQuat::from_axis_angle(random.direction(), DRIFT));
    let mut rotation = DQuat::from_mat3(&random.rotation());
    // At right angles to the axis, so that it travels by the whole angle.
    let mut towards = axes[1].any_orthonormal_vector();
    let reach = |hull: &Hull, direction: DVec3| {
        hull.positions().iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    };
    (0..STEPS)
        .map(|_| {
            rotation = (DQuat::from_axis_angle(axes[0], angle) * rotation).normalize();
            towards = (DQuat::from_axis_angle(axes[1], angle) * towards).normalize();
            axes[0] = (drifts[0] * axes[0]).normalize();
            // The travel's axis stays at right angles to the direction.
            axes[1] = (drifts[1] * axes[1]).reject_from_normalized(towards).normalize();
            let matrix = DMat3::from_quat(rotation);
            let away = reach(a, towards) + reach(b, matrix.transpose() * -towards) + GAP;
            Pose::new(matrix, towards * away).expect("a rotation")
        })
        .collect()
}
