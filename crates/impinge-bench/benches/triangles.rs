//! The cost of exactness: the exact triangle test, compared with a plain floating-point one and with the same
//! test on other predicates. `cargo bench -p impinge-bench --bench triangles`
#![expect(clippy::print_stdout, reason = "the table is what the program is for")]

use impinge::generate::PipesOptions;
use impinge::glam::{DMat3, DVec3, EulerRot};
use impinge::narrow::{Triangle, TriangleTest, triangles_intersect};
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
        "| pairs | touching | plain f64 | impinge | ratio | alone | ratio | `robust` | \
         `geometry-predicates` | plain is wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let turned = |x: f64| {
        let rotation = DMat3::from_euler(EulerRot::XYZ, 0.4, 0.9, 1.7);
        Pose::new(rotation, DVec3::new(x, 0.0, 0.0)).expect("a rotation")
    };
    let ball = generate::sphere(60_000).expect("an even count");
    let torus = generate::deformed_torus(1, [300, 100]).expect("enough segments");
    let pipes = generate::pipes(1, PipesOptions::default()).expect("the default");
    row("spheres, centres 1 apart", &candidates(&ball, &ball, &turned(1.0)));
    row("spheres, grazing", &candidates(&ball, &ball, &turned(1.9995)));
    row("deformed tori", &candidates(&torus, &torus, &turned(0.8)));
    row("pipes and a torus", &candidates(&pipes, &torus, &turned(0.1)));
    for family in families() {
        let pairs: Pairs = (0..20_000)
            .map(|seed| family.pair(seed))
            .map(|(a, b)| (a.map(DVec3::from_array), b.map(DVec3::from_array)))
            .collect();
        row(family.name, &pairs);
    }
}

/// Returns every face pair of two bodies whose boxes overlap: the candidates of a tree walk.
fn candidates(a: &Mesh, b: &Mesh, pose: &Pose) -> Pairs {
    let boxed = |t: Triangle| (Bounds::enclosing(t), t);
    let a: Vec<_> = a.triangles().map(boxed).collect();
    let b: Vec<_> = b.triangles().map(|t| boxed(t.map(|p| pose.place(p)))).collect();
    let pairs = a.iter().flat_map(|(p, s)| {
        b.iter().filter(move |(q, _)| p.overlaps(q)).map(move |(_, t)| (*s, *t))
    });
    pairs.collect()
}

fn row(name: &str, pairs: &Pairs) {
    let count = |test: fn(&Triangle, &Triangle) -> bool| {
        move || pairs.iter().filter(|(a, b)| black_box(test(a, b))).count()
    };
    // As the methods use it: one error bound for all triangles of both bodies.
    let bounds = Bounds::enclosing(pairs.iter().flat_map(|(a, b)| [*a, *b]).flatten());
    let test = TriangleTest::within(&bounds);
    let shared = || pairs.iter().filter(|(a, b)| black_box(test.intersects(a, b))).count();
    let outcomes = race(
        15,
        &mut [
            Contender { name: "plain", run: Box::new(count(plain::triangles_intersect)) },
            Contender { name: "impinge", run: Box::new(shared) },
            Contender { name: "impinge, alone", run: Box::new(count(triangles_intersect)) },
            Contender { name: "robust", run: Box::new(count(predicates::with_robust)) },
            Contender { name: "geometry", run: Box::new(count(predicates::with_geometry)) },
        ],
    );
    assert_eq!(outcomes[1].count, outcomes[2].count, "{name}: one test, one answer");
    let each = |i: usize| outcomes[i].best.as_secs_f64() * 1e9 / pairs.len() as f64;
    let wrong =
        pairs.iter().filter(|(a, b)| plain::triangles_intersect(a, b) != test.intersects(a, b));
    let share = |n: usize| 100.0 * n as f64 / pairs.len() as f64;
    println!(
        "| {name} ({}) | {:.0} % | {:.1} ns | {:.1} ns | {:.2} | {:.1} ns | {:.2} | {:.1} ns | {:.1} ns | {:.2} % |",
        pairs.len(),
        share(outcomes[1].count),
        each(0),
        each(1),
        each(1) / each(0),
        each(2),
        each(2) / each(0),
        each(3),
        each(4),
        share(wrong.count()),
    );
}
