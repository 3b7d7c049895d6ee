//! Small workloads whose instructions valgrind counts: `cargo xtask kernels`
//!
//! A count does not depend on what else the machine does, so a regression of a few percent is seen where
//! times are lost in noise. It is no time, though: nothing is said of caches, of branches guessed wrong,
//! or of what instructions wait for. Inputs are seeded and one thread does all.
//!
//! `impinge-kernels --list` prints the names of the kernels, `impinge-kernels --lanes` the instruction set that the
//! wide tree uses, `impinge-kernels NAME` prepares the input of one kernel and runs it. `cargo xtask kernels` runs
//! each in a process of its own and tells callgrind to count within `counted` alone.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod inputs;

use fearless_simd::Level;
use impinge::convex::{Hull, PenetrationSearch, Polytope, Tracker};
use impinge::glam::{DQuat, DVec3};
use impinge::method::boxtree::{Boxtree, BoxtreeOptions};
use impinge::narrow::triangles_intersect;
use impinge::volume::{Aabb, BoundingVolume, Dop, Obb, Sphere};
use impinge::{Mesh, Method, Pose, Threads};
use impinge::{generate, method};
use inputs::{Asked, Probes, Queries, TrianglePairs, Volumes};
use std::{env, hint::black_box, mem, process::ExitCode, sync::Arc};

/// A kernel with its input, ready to run.
type Prepared = Box<dyn FnOnce()>;
/// The name of a kernel, and the function that prepares it.
type Kernel = (&'static str, fn() -> Prepared);

/// All kernels: the function, what it is given, and how to prepare it.
const KERNELS: &[Kernel] = &[
    ("triangles.easy", || prepared(TrianglePairs::of("uniform", 2000), triangles)),
    ("triangles.coplanar", || prepared(TrianglePairs::of("coplanar-tilted", 500), triangles)),
    ("triangles.near_coplanar", || {
        prepared(TrianglePairs::of("coplanar-tilted-off-by-an-ulp", 500), triangles)
    }),
    ("triangles.huge", || prepared(TrianglePairs::of("huge", 500), triangles)),
    ("triangles.denormal", || prepared(TrianglePairs::of("denormal", 500), triangles)),
    ("volumes.sphere", || prepared(Volumes::<Sphere>::new(), volumes)),
    ("volumes.aabb", || prepared(Volumes::<Aabb>::new(), volumes)),
    ("volumes.obb", || prepared(Volumes::<Obb>::new(), volumes)),
    ("volumes.dop18", || prepared(Volumes::<Dop<9>>::new(), volumes)),
    ("detect.wide_clear", || prepared(Queries::clear(Method::WIDE), detect)),
    ("detect.wide_miss", || prepared(Queries::tumbling(Method::WIDE, 2.0, Asked::Miss), detect)),
    ("detect.wide_repeated", || {
        prepared(Queries::tumbling(Method::WIDE, 2.0, Asked::Miss).after_many(), detect)
    }),
    ("detect.wide_hit", || prepared(Queries::tumbling(Method::WIDE, 1.6, Asked::Hit), detect)),
    ("detect.wide_near", || prepared(Queries::shells(Method::WIDE), detect)),
    ("detect.obb_clear", || prepared(Queries::clear(Method::OBB), detect)),
    ("detect.obb_miss", || prepared(Queries::tumbling(Method::OBB, 2.0, Asked::Miss), detect)),
    ("detect.boxtree_miss", || {
        prepared(Queries::tumbling(Method::BOXTREE, 2.0, Asked::Miss), detect)
    }),
    ("contacts.wide_dense", || {
        prepared(Queries::tumbling(Method::WIDE, 1.0, Asked::Hit), contacts)
    }),
    ("contacts.wide_shells", || prepared(Queries::shells(Method::WIDE), contacts)),
    ("contacts.obb_dense", || prepared(Queries::tumbling(Method::OBB, 1.0, Asked::Hit), contacts)),
    ("contacts.dop18_dense", || {
        prepared(Queries::tumbling(Method::DOP18, 1.0, Asked::Hit), contacts)
    }),
    ("contacts.boxtree_dense", || {
        prepared(Queries::tumbling(Method::BOXTREE, 1.0, Asked::Hit), contacts)
    }),
    ("distance.wide", || prepared(Queries::tumbling(Method::WIDE, 2.2, Asked::Miss), distance)),
    ("distance.obb", || prepared(Queries::tumbling(Method::OBB, 2.2, Asked::Miss), distance)),
    ("tolerance.wide", || prepared(Queries::tumbling(Method::WIDE, 1.6, Asked::Hit), tolerance)),
    ("tolerance.obb", || prepared(Queries::tumbling(Method::OBB, 1.6, Asked::Hit), tolerance)),
    ("nearest.wide", || prepared(Probes::new(Method::WIDE), nearest)),
    ("nearest.boxtree", || prepared(Probes::new(Method::BOXTREE), nearest)),
    ("build.wide", || prepared((Method::WIDE, inputs::ball()), build)),
    ("build.obb", || prepared((Method::OBB, inputs::ball()), build)),
    ("build.dop18", || prepared((Method::DOP18, inputs::ball()), build)),
    ("build.boxtree", || prepared((Method::BOXTREE, inputs::ball()), build)),
    ("refit.boxtree", || {
        prepared(
            (Boxtree::build(inputs::ball(), BoxtreeOptions::default()), inputs::other_ball()),
            refit,
        )
    }),
    ("hull.ball", || prepared(inputs::ball().positions(), hull)),
    ("hull.cloud", || prepared(inputs::cloud(5000), hull)),
    ("hull.track", || prepared(track_input(), track)),
    ("hull.depth", || prepared(track_input(), depth)),
    ("place.ball", || prepared((inputs::ball(), generate::random_rotations(1, 20)), place)),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => KERNELS.iter().for_each(|(name, _)| println!("{name}")),
        ["--lanes"] => println!("{}", lanes(Level::new())),
        [wanted] => match KERNELS.iter().find(|(name, _)| *name == wanted) {
            Some((_, prepare)) => counted(prepare()),
            None => {
                eprintln!("error: there is no kernel `{wanted}`; --list prints all names");
                return ExitCode::from(2);
            }
        },
        _ => {
            eprintln!("usage: impinge-kernels --list | --lanes | NAME");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Runs a kernel. callgrind finds this function by its name and counts from its start to its end.
#[inline(never)]
fn counted(kernel: Prepared) {
    kernel();
}

/// The kernel keeps its result, and with it what it returns of its input: freeing them is not counted.
fn prepared<I: 'static, R: 'static>(input: I, kernel: fn(I) -> R) -> Prepared {
    Box::new(move || mem::forget(black_box(kernel(black_box(input)))))
}

/// The instruction set that the wide tree uses. Under valgrind it may be less than the machine has.
#[cfg(target_arch = "x86_64")]
fn lanes(level: Level) -> &'static str {
    if level.as_avx2().is_some() { "avx2" } else { "sse2" }
}

#[cfg(not(target_arch = "x86_64"))]
fn lanes(_: Level) -> &'static str {
    env::consts::ARCH
}

// The exact test. The families are the oracle's.
fn triangles(pairs: TrianglePairs) -> (usize, TrianglePairs) {
    let touching = pairs.0.iter().filter(|(a, b)| triangles_intersect(a, b)).count();
    (touching, pairs)
}

// Placing 64 volumes, and comparing each with 64 others.
fn volumes<V: BoundingVolume>(volumes: Volumes<V>) -> (usize, Volumes<V>) {
    let mut overlaps = 0;
    for b in &volumes.b {
        let placed = b.placed(&volumes.placement);
        overlaps += volumes.a.iter().filter(|a| a.overlaps(&placed)).count();
    }
    (overlaps, volumes)
}

// Whether bodies touch. `clear` is little but what every query begins with.
fn detect(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let hits = poses.iter().filter(|pose| pair.intersects(&Pose::IDENTITY, pose)).count();
    (hits, queries)
}

// All faces that touch.
fn contacts(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let contacts = poses.iter().map(|pose| pair.contacts(&Pose::IDENTITY, pose).len()).sum();
    (contacts, queries)
}

// How far apart bodies are.
fn distance(mut queries: Queries) -> (f64, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let gaps = poses.iter().filter_map(|pose| pair.distance(&Pose::IDENTITY, pose));
    (gaps.map(|gap| gap.distance).sum(), queries)
}

// The nearest point of a ball.
fn nearest(probes: Probes) -> (f64, Probes) {
    let nearest = |point: &DVec3| probes.shape.nearest_point(&Pose::IDENTITY, *point);
    (probes.points.iter().filter_map(nearest).map(|nearest| nearest.distance).sum(), probes)
}

// All faces that are within a tolerance of each other.
fn tolerance(mut queries: Queries) -> (usize, Queries) {
    let Queries { pair, poses, .. } = &mut queries;
    let mut near = 0;
    for pose in poses {
        let query = pair.at(&Pose::IDENTITY, pose).within(0.02).expect("a tolerance");
        near += query.contacts().len();
    }
    (near, queries)
}

fn build((method, mesh): (Method, &'static Mesh)) -> Arc<dyn method::Prepared> {
    method.build(mesh, Threads::One)
}

fn refit((mut tree, mesh): (Boxtree, &'static Mesh)) -> Boxtree {
    tree.refit(mesh).expect("as many faces");
    tree
}

fn hull(points: &'static [DVec3]) -> Hull {
    Hull::new(points).expect("they have an extent")
}

/// The hull of a ball, and a path around it at a small gap.
fn track_input() -> (Polytope, Vec<Pose>) {
    let ball = Polytope::new(inputs::ball().positions()).expect("finite");
    let pose = |i: u32| {
        // The tangent of half the angle, so that no sine is needed, which may differ from platform to platform.
        let t = 0.001 * f64::from(i);
        let place = DVec3::new(1.0 - t * t, 2.0 * t, 0.0) / (1.0 + t * t) * 2.1;
        Pose::from_quat(DQuat::from_xyzw(t, 0.0, 0.0, 1.0).normalize(), place).expect("a rotation")
    };
    (ball, (0..1000).map(pose).collect())
}

// The closest features of two balls, from step to step.
fn track((ball, poses): (Polytope, Vec<Pose>)) -> Tracker {
    let mut tracker = Tracker::new();
    for pose in &poses {
        black_box(tracker.distance((&ball, &Pose::IDENTITY), (&ball, pose)));
    }
    tracker
}

// How deep two balls lie in each other, at every tenth pose, half as far away.
fn depth((ball, poses): (Polytope, Vec<Pose>)) -> PenetrationSearch {
    let mut search = PenetrationSearch::new();
    for pose in poses.iter().step_by(10) {
        let near = Pose::new(pose.rotation(), pose.translation() * 0.5).expect("a rotation");
        black_box(search.find((&ball, &Pose::IDENTITY), (&ball, &near)));
    }
    search
}

// Putting a mesh's corners where a pose places them.
fn place((mesh, poses): (&'static Mesh, Vec<Pose>)) -> Vec<Pose> {
    for pose in &poses {
        for &position in mesh.positions() {
            black_box(pose.place(position));
        }
    }
    poses
}
