//! Instructions that kernels take, counted by valgrind: `cargo xtask kernels`
//!
//! A count does not depend on what else the machine does, so a regression of a few percent is seen where
//! times are lost in noise. It is no time, though: nothing is said of caches, of branches guessed wrong,
//! or of what instructions wait for. Inputs are seeded and one thread does all. Each kernel returns what
//! it was given, so that freeing it is not counted.
#![expect(missing_docs, reason = "the macros make modules that have none")]

#[path = "kernels/inputs.rs"]
mod inputs;

use gungraun::{library_benchmark, library_benchmark_group, main};
use impinge::convex::Hull;
use impinge::generate;
use impinge::glam::DVec3;
use impinge::method::boxtree::{Boxtree, BoxtreeOptions};
use impinge::narrow::triangles_intersect;
use impinge::volume::{Aabb, BoundingVolume, Dop, Obb, Sphere};
use impinge::{Index, Mesh, Method, Pose};
use inputs::{Asked, Queries, TrianglePairs, Volumes};
use std::hint::black_box;

// The exact test. The families are the oracle's.
#[library_benchmark]
#[bench::easy(TrianglePairs::of("uniform", 2000))]
#[bench::coplanar(TrianglePairs::of("coplanar-tilted", 500))]
#[bench::near_coplanar(TrianglePairs::of("coplanar-tilted-off-by-an-ulp", 500))]
#[bench::huge(TrianglePairs::of("huge", 500))]
#[bench::denormal(TrianglePairs::of("denormal", 500))]
fn triangles(pairs: TrianglePairs) -> (usize, TrianglePairs) {
    let touching = pairs.0.iter().filter(|(a, b)| triangles_intersect(a, b)).count();
    (touching, pairs)
}

// Placing 64 volumes, and comparing each with 64 others.
#[library_benchmark]
#[bench::sphere(Volumes::<Sphere>::new())]
#[bench::aabb(Volumes::<Aabb>::new())]
#[bench::obb(Volumes::<Obb>::new())]
#[bench::dop18(Volumes::<Dop<9>>::new())]
fn volumes<V: BoundingVolume>(volumes: Volumes<V>) -> (usize, Volumes<V>) {
    let mut overlaps = 0;
    for b in &volumes.b {
        let placed = b.placed(&volumes.placement);
        overlaps += volumes.a.iter().filter(|a| a.overlaps(&placed)).count();
    }
    (overlaps, volumes)
}

// Whether bodies touch. `clear` is little but what every query begins with.
#[library_benchmark]
#[bench::wide_clear(Queries::clear(Method::WIDE))]
#[bench::wide_miss(Queries::tumbling(Method::WIDE, 2.0, Asked::Miss))]
#[bench::wide_hit(Queries::tumbling(Method::WIDE, 1.6, Asked::Hit))]
#[bench::wide_near(Queries::shells(Method::WIDE))]
#[bench::obb_clear(Queries::clear(Method::OBB))]
#[bench::obb_miss(Queries::tumbling(Method::OBB, 2.0, Asked::Miss))]
#[bench::boxtree_miss(Queries::tumbling(Method::BOXTREE, 2.0, Asked::Miss))]
fn detect(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let hits = poses.iter().filter(|pose| pair.intersects(&Pose::IDENTITY, pose)).count();
    (hits, queries)
}

// All faces that touch.
#[library_benchmark]
#[bench::wide_dense(Queries::tumbling(Method::WIDE, 1.0, Asked::Hit))]
#[bench::wide_shells(Queries::shells(Method::WIDE))]
#[bench::obb_dense(Queries::tumbling(Method::OBB, 1.0, Asked::Hit))]
#[bench::dop18_dense(Queries::tumbling(Method::DOP18, 1.0, Asked::Hit))]
#[bench::boxtree_dense(Queries::tumbling(Method::BOXTREE, 1.0, Asked::Hit))]
fn contacts(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let contacts = poses.iter().map(|pose| pair.contacts(&Pose::IDENTITY, pose).len()).sum();
    (contacts, queries)
}

// How far apart bodies are.
#[library_benchmark]
#[bench::wide(Queries::tumbling(Method::WIDE, 2.2, Asked::Miss))]
#[bench::obb(Queries::tumbling(Method::OBB, 2.2, Asked::Miss))]
fn distance(mut queries: Queries) -> (f64, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let gaps = poses.iter().filter_map(|pose| pair.distance(&Pose::IDENTITY, pose));
    (gaps.map(|gap| gap.distance).sum(), queries)
}

// All faces that are within a tolerance of each other.
#[library_benchmark]
#[bench::wide(Queries::tumbling(Method::WIDE, 1.6, Asked::Hit))]
#[bench::obb(Queries::tumbling(Method::OBB, 1.6, Asked::Hit))]
fn tolerance(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let mut near = 0;
    for pose in poses {
        let query = pair.at(&Pose::IDENTITY, pose).within(0.02).expect("a tolerance");
        near += query.contacts().len();
    }
    (near, queries)
}

#[library_benchmark]
#[bench::wide(Method::WIDE, inputs::ball())]
#[bench::obb(Method::OBB, inputs::ball())]
#[bench::dop18(Method::DOP18, inputs::ball())]
#[bench::boxtree(Method::BOXTREE, inputs::ball())]
fn build(method: Method, mesh: &'static Mesh) -> Index<'static> {
    Index::build(method, mesh)
}

#[library_benchmark]
#[bench::boxtree(Boxtree::build(inputs::ball(), BoxtreeOptions::default()), inputs::other_ball())]
fn refit(mut tree: Boxtree, mesh: &'static Mesh) -> Boxtree {
    tree.refit(mesh).expect("as many faces");
    tree
}

#[library_benchmark]
#[bench::ball(inputs::ball().positions())]
#[bench::cloud(inputs::cloud(5000))]
fn hull(points: &'static [DVec3]) -> Hull {
    Hull::new(points).expect("they have an extent")
}

// Putting a mesh's corners where a pose places them.
#[library_benchmark]
#[bench::ball(inputs::ball(), generate::random_rotations(1, 20))]
fn place(mesh: &'static Mesh, poses: Vec<Pose>) -> Vec<Pose> {
    for pose in &poses {
        for &position in mesh.positions() {
            black_box(pose.place(position));
        }
    }
    poses
}

library_benchmark_group!(
    name = kernels,
    benchmarks =
        [triangles, volumes, detect, contacts, distance, tolerance, build, refit, hull, place]
);
main!(library_benchmark_groups = kernels);
