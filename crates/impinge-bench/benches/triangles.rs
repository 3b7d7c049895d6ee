//! What exactness costs: the exact triangle test beside a plain floating-point one, and beside the
//! same test on other predicates. `cargo bench -p impinge-bench --bench triangles`
#![expect(clippy::print_stdout, reason = "the table is what the program is for")]

use impinge::glam::DVec3;
use impinge::narrow::{Triangle, triangles_intersect};
use impinge::{Bounds, Mesh, Pose, generate};
use impinge_bench::{Contender, race};
use impinge_oracle::cases::families;
use std::hint::black_box;

#[path = "triangles/plain.rs"]
mod plain;
#[path = "triangles/predicates.rs"]
mod predicates;

type Pairs = Vec<(Triangle, Triangle)>;

fn main() {
    println!(
        "| pairs | touching | plain f64 | impinge | ratio | `robust` | `geometry-predicates` | plain is wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let ball = generate::sphere(3968).expect("a count of the papers");
    let turned = |x: f64| {
        let rotation =
            impinge::glam::DMat3::from_euler(impinge::glam::EulerRot::XYZ, 0.4, 0.9, 1.7);
        Pose::new(rotation, DVec3::new(x, 0.0, 0.0)).expect("a rotation")
    };
    row("spheres, centres 1 apart", &candidates(&ball, &turned(1.0)));
    row("spheres, grazing", &candidates(&ball, &turned(1.995)));
    row("spheres, near miss", &candidates(&ball, &turned(2.001)));
    for family in families() {
        let pairs: Pairs = (0..20_000)
            .map(|seed| family.pair(seed))
            .map(|(a, b)| (a.map(DVec3::from_array), b.map(DVec3::from_array)))
            .collect();
        row(family.name, &pairs);
    }
}

/// Every face pair of two equal bodies whose boxes overlap: what a mid stage would propose.
fn candidates(mesh: &Mesh, pose: &Pose) -> Pairs {
    let boxed = |t: Triangle| (Bounds::enclosing(t), t);
    let a: Vec<_> = mesh.triangles().map(boxed).collect();
    let b: Vec<_> = mesh.triangles().map(|t| boxed(t.map(|p| pose.place(p)))).collect();
    let pairs = a.iter().flat_map(|(p, s)| {
        b.iter().filter(move |(q, _)| p.overlaps(q)).map(move |(_, t)| (*s, *t))
    });
    pairs.collect()
}

fn row(name: &str, pairs: &Pairs) {
    let count = |test: fn(&Triangle, &Triangle) -> bool| {
        move || pairs.iter().filter(|(a, b)| black_box(test(a, b))).count()
    };
    let outcomes = race(
        15,
        &mut [
            Contender { name: "plain", run: Box::new(count(plain::triangles_intersect)) },
            Contender { name: "impinge", run: Box::new(count(triangles_intersect)) },
            Contender { name: "robust", run: Box::new(count(predicates::with_robust)) },
            Contender {
                name: "geometry-predicates",
                run: Box::new(count(predicates::with_geometry)),
            },
        ],
    );
    let each = |i: usize| outcomes[i].best.as_secs_f64() * 1e9 / pairs.len() as f64;
    let wrong =
        pairs.iter().filter(|(a, b)| plain::triangles_intersect(a, b) != triangles_intersect(a, b));
    let share = |n: usize| 100.0 * n as f64 / pairs.len() as f64;
    println!(
        "| {name} ({}) | {:.0} % | {:.1} ns | {:.1} ns | {:.2} | {:.1} ns | {:.1} ns | {:.2} % |",
        pairs.len(),
        share(outcomes[1].count),
        each(0),
        each(1),
        each(1) / each(0),
        each(2),
        each(3),
        share(wrong.count()),
    );
}
