//! parry3d's GJK, in single and in double precision.

/// The contenders of one precision. The two crates have the same source and different types.
macro_rules! parry {
    ($module:ident, $crate_name:ident, $real:ty, $tolerance:expr, $names:expr) => {
        pub(crate) mod $module {
            use super::super::{Engine, scene::Scene};
            use impinge::convex::Hull;
            use std::cell::Cell;
            use $crate_name::{
                math::{Pose, Vector},
                query::{
                    details::closest_points_support_map_support_map_with_params as closest_points,
                    gjk::{self, CsoPoint, GJKResult, VoronoiSimplex},
                },
                shape::{ConvexPolyhedron, SupportMap},
            };

            /// The ways to ask: parry3d's hulls with a first direction and with a kept simplex, and climbing hulls.
            pub(crate) fn engines(scene: &Scene) -> Vec<Engine<'_>> {
                let (hulls, climbing, path) = (stock(scene), Climbing::pair(scene), poses(scene));
                let (again, along) = (hulls.clone(), path.clone());
                let [direction, simplex, climb] = $names;
                let engine = |name, ask| Engine { name, tolerance: $tolerance, ask };
                let along_climbing = path.clone();
                vec![
                    engine(direction, Box::new(move |out| warm_direction(&hulls, &path, out))),
                    engine(simplex, Box::new(move |out| warm_simplex(&again, &along, out))),
                    engine(
                        climb,
                        Box::new(move |out| warm_simplex(&climbing, &along_climbing, out)),
                    ),
                ]
            }

            fn points(hull: &Hull) -> Vec<Vector> {
                let point = |p: &impinge::glam::DVec3| {
                    Vector::new(p.x as $real, p.y as $real, p.z as $real)
                };
                hull.positions().iter().map(point).collect()
            }

            /// parry3d's own hulls.
            fn stock(scene: &Scene) -> [ConvexPolyhedron; 2] {
                scene.hulls.each_ref().map(|hull| {
                    ConvexPolyhedron::from_convex_mesh(points(hull), &Scene::triangles(hull))
                        .expect("a hull is a convex mesh")
                })
            }

            /// The poses of the second hull.
            fn poses(scene: &Scene) -> Vec<Pose> {
                let pose = |pose: &impinge::Pose| {
                    let (q, t) = (pose.to_quat(), pose.translation());
                    let [x, y, z, w] = q.to_array().map(|c| c as $real);
                    let t = Vector::new(t.x as $real, t.y as $real, t.z as $real);
                    Pose::from_parts(t, $crate_name::math::Rotation::from_xyzw(x, y, z, w))
                };
                scene.poses.iter().map(pose).collect()
            }

            /// Hulls that find their support point by climbing from vertex to vertex, from where the last search
            /// ended. parry3d has no such shape; its GJK takes any.
            struct Climbing {
                points: Vec<Vector>,
                neighbours: Vec<u32>,
                starts: Vec<u32>,
                at: Cell<u32>,
            }

            impl Climbing {
                fn pair(scene: &Scene) -> [Self; 2] {
                    scene.hulls.each_ref().map(|hull| {
                        let (mut neighbours, mut starts) = (Vec::new(), vec![0]);
                        for vertex in 0..hull.vertices().len() as u32 {
                            neighbours.extend_from_slice(hull.neighbours(vertex));
                            starts.push(neighbours.len() as u32);
                        }
                        Self { points: points(hull), neighbours, starts, at: Cell::new(0) }
                    })
                }
            }

            impl SupportMap for Climbing {
                fn local_support_point(&self, direction: Vector) -> Vector {
                    let mut at = self.at.get() as usize;
                    let mut height = self.points[at].dot(direction);
                    loop {
                        let from = at;
                        let range = self.starts[from] as usize..self.starts[from + 1] as usize;
                        for &next in &self.neighbours[range] {
                            let other = self.points[next as usize].dot(direction);
                            if other > height {
                                (at, height) = (next as usize, other);
                            }
                        }
                        if at == from {
                            self.at.set(at as u32);
                            return self.points[at];
                        }
                    }
                }
            }

            /// The distances along the path; each search starts in the direction in which the last one ended.
            fn warm_direction<S: SupportMap>(
                [a, b]: &[S; 2],
                poses: &[Pose],
                distances: &mut Vec<f64>,
            ) {
                let mut simplex = VoronoiSimplex::new();
                let mut direction = None;
                distances.clear();
                distances.extend(poses.iter().map(|pose| {
                    let far = <$real>::MAX;
                    match closest_points(pose, a, b, far, &mut simplex, direction) {
                        GJKResult::ClosestPoints(p, q, towards) => {
                            direction = Some(towards);
                            f64::from((p - q).length())
                        }
                        _ => 0.0,
                    }
                }));
            }

            /// The distances along the path; each search starts with the simplex with which the last one ended, its
            /// points placed anew.
            fn warm_simplex<S: SupportMap>(
                [a, b]: &[S; 2],
                poses: &[Pose],
                distances: &mut Vec<f64>,
            ) {
                let mut simplex = VoronoiSimplex::new();
                let mut last: Option<&Pose> = None;
                distances.clear();
                distances.extend(poses.iter().map(|pose| {
                    match last {
                        None => {
                            simplex.reset(CsoPoint::from_shapes(pose, a, b, -pose.translation));
                        }
                        Some(last) => {
                            let count = simplex.dimension() + 1;
                            let placed = |point: &CsoPoint| {
                                let own = last.inverse_transform_point(point.orig2);
                                CsoPoint::new(point.orig1, pose.transform_point(own))
                            };
                            let kept: [CsoPoint; 4] = std::array::from_fn(|i| {
                                if i < count { placed(simplex.point(i)) } else { CsoPoint::ZERO }
                            });
                            simplex.reset(kept[0]);
                            for &point in &kept[1..count] {
                                // Points that have become collinear or coplanar are refused.
                                simplex.add_point(point);
                            }
                        }
                    }
                    last = Some(pose);
                    match gjk::closest_points(pose, a, b, <$real>::MAX, true, &mut simplex) {
                        GJKResult::ClosestPoints(p, q, _) => f64::from((p - q).length()),
                        _ => {
                            last = None;
                            0.0
                        }
                    }
                }));
            }
        }
    };
}

// The GJK of parry3d stops as soon as its bounds differ by a share of the distance: 1.1e-3 in single precision, 4.7e-8
// in double precision. In single precision, it stops earlier if rounding hides the progress: up to 0.08 off was seen.
parry!(
    single,
    parry3d,
    f32,
    0.2,
    [
        "parry3d, f32, last direction",
        "parry3d, f32, last simplex",
        "parry3d's GJK on climbing hulls, f32",
    ]
);
parry!(
    double,
    parry3d_f64,
    f64,
    1e-7,
    [
        "parry3d, f64, last direction",
        "parry3d, f64, last simplex",
        "parry3d's GJK on climbing hulls, f64",
    ]
);
