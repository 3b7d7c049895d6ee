//! impinge's own ways.

use super::{Engine, scene::Scene};
use impinge::{
    Pose,
    convex::{Gjk, Polytope, SeparatingPlane, Tracker},
};

/// parry3d, the reference, stops at a relative gap of 4.7e-8 between its bounds.
const TOLERANCE: f64 = 1e-7;

/// Closest features, GJK, and a cached plane, which only tells whether there is a gap.
pub(crate) fn engines(scene: &Scene) -> Vec<Engine<'_>> {
    let pair = || {
        scene.hulls.each_ref().map(|hull| Polytope::new(hull.positions()).expect("finite points"))
    };
    let still = Pose::IDENTITY;
    let poses = &scene.poses;
    let ([a, b], mut tracker) = (pair(), Tracker::new());
    let features = move |out: &mut Vec<f64>| {
        out.clear();
        let distances =
            poses.iter().map(|pose| tracker.distance((&a, &still), (&b, pose)).distance);
        out.extend(distances);
    };
    let ([a, b], mut gjk) = (pair(), Gjk::new());
    let simplex = move |out: &mut Vec<f64>| {
        out.clear();
        out.extend(poses.iter().map(|pose| gjk.distance((&a, &still), (&b, pose)).distance));
    };
    let ([a, b], mut plane) = (pair(), SeparatingPlane::new());
    let cached = move |out: &mut Vec<f64>| {
        out.clear();
        let apart = poses.iter().map(|pose| plane.separates((&a, &still), (&b, pose)));
        out.extend(apart.map(|is_apart| f64::from(u8::from(is_apart))));
    };
    vec![
        Engine { name: "impinge, closest features", tolerance: TOLERANCE, ask: Box::new(features) },
        Engine { name: "impinge, GJK", tolerance: TOLERANCE, ask: Box::new(simplex) },
        Engine {
            name: "impinge, separating plane",
            tolerance: f64::INFINITY,
            ask: Box::new(cached),
        },
    ]
}
