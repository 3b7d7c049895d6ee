//! Times convex hulls of many points.

use impinge::convex::Hull;
use impinge::generate::Random;
use impinge::glam::DVec3;
use std::time::{Duration, Instant};

pub(crate) fn table() {
    println!("\n| points | number | vertices | facets | time, ms | µs a point |");
    println!("|---|---|---|---|---|---|");
    for count in [10_000, 100_000, 1_000_000] {
        let mut random = Random::new(1);
        row("on a sphere", (0..count).map(|_| random.direction()));
        let mut inside = || DVec3::new(random.unit(), random.unit(), random.unit());
        row("in a cube", (0..count).map(|_| inside()));
        let side = f64::from(count).cbrt().round() as u64;
        let mut place = || random.below(side) as f64;
        row("on a grid", (0..count).map(|_| DVec3::new(place(), place(), place())));
        let rounded = |p: DVec3| (p * 1e3).round() / 1e3;
        row("on a sphere, rounded", (0..count).map(|_| rounded(random.direction())));
        let turn = |i: i32| f64::from(i) / f64::from(count) * std::f64::consts::TAU;
        let around = |i: i32| DVec3::new(turn(i).cos(), turn(i).sin(), f64::from(i % 2));
        row("two circles", (0..count).map(around));
    }
}

fn row(name: &str, points: impl Iterator<Item = DVec3>) {
    let points: Vec<DVec3> = points.collect();
    let mut hull = Hull::new(&[]).expect("nothing that is not finite");
    let mut best = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        let start = Instant::now();
        hull = Hull::new(&points).expect("finite");
        best = best.min(start.elapsed());
    }
    let seconds = best.as_secs_f64();
    println!(
        "| {name} | {} | {} | {} | {:.1} | {:.2} |",
        points.len(),
        hull.vertices().len(),
        hull.facets().len(),
        seconds * 1e3,
        seconds * 1e6 / points.len() as f64,
    );
}
