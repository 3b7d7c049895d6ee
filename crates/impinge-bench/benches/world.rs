//! Broad phases on moving boxes: `cargo bench -p impinge-bench --bench world [-- BODIES…]`
//!
//! One box of side 0.8 for each unit of volume, all moving by up to 0.05 along each axis a step, and
//! turned back at the walls. A step is the update of all, and all pairs. All take turns on every step,
//! and must find as many pairs; beside them parry's tree, used in the three ways that it offers.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Bounds, Threads,
    broad::{AllPairs, BroadPhase, Packed, Proxies},
    generate::Random,
    glam::Vec3,
};
use parry3d::{
    bounding_volume::Aabb,
    partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace},
};
use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

fn main() {
    let numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let mut counts: Vec<u32> = numbers.collect();
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 100_000, 1_000_000];
    }
    println!("| bodies | broad phase | ms a step | pairs |");
    println!("|---|---|---|---|");
    for count in counts {
        boxes(count);
    }
}

const HALF: f32 = 0.4;

/// Boxes that move about in a larger one, in `f32`, which parry has.
struct Boxes {
    side: f32,
    centers: Vec<Vec3>,
    ways: Vec<Vec3>,
}

impl Boxes {
    fn new(count: u32) -> Self {
        let mut random = Random::new(1);
        let side = f64::from(count).cbrt();
        let mut vector =
            |size: f64| Vec3::from_array([(); 3].map(|()| random.range(-size, size) as f32));
        let centers = (0..count).map(|_| vector(side / 2.0)).collect();
        let ways = (0..count).map(|_| vector(0.05)).collect();
        Self { side: side as f32, centers, ways }
    }

    fn advance(&mut self) {
        for (center, way) in self.centers.iter_mut().zip(&mut self.ways) {
            *center += *way;
            let beyond = center.abs().cmpgt(Vec3::splat(self.side / 2.0));
            *way = Vec3::select(beyond, -way.abs() * center.signum(), *way);
        }
    }

    fn corners(&self, index: usize) -> [Vec3; 2] {
        let center = self.centers[index];
        [center - HALF, center + HALF]
    }

    fn bounds(&self, index: usize) -> Bounds {
        let [min, max] = self.corners(index).map(Vec3::as_dvec3);
        Bounds { min, max }
    }

    fn aabb(&self, index: usize) -> Aabb {
        let [min, max] = self.corners(index);
        Aabb::new(min, max)
    }
}

/// A broad phase, and how long it took.
struct Row {
    name: &'static str,
    step: Box<dyn FnMut(&Boxes) -> usize>,
    best: Duration,
    total: Duration,
}

fn ours(
    name: &'static str,
    mut broad: impl BroadPhase + 'static,
    boxes: &Boxes,
    threads: Threads,
) -> Row {
    let mut proxies = Proxies::new(broad.wants());
    let moved: Vec<u32> = (0..boxes.centers.len() as u32).collect();
    for &proxy in &moved {
        proxies.set(proxy, boxes.bounds(proxy as usize), true);
        broad.insert(&proxies, proxy);
    }
    let step = move |boxes: &Boxes| {
        for &proxy in &moved {
            proxies.set(proxy, boxes.bounds(proxy as usize), true);
        }
        broad.update(&proxies, &moved);
        let mut pairs = 0;
        let _ = broad.pairs(&proxies, threads, &mut |_| {
            pairs += 1;
            ControlFlow::Continue(())
        });
        pairs
    };
    Row { name, step: Box::new(step), best: Duration::MAX, total: Duration::ZERO }
}

/// How parry's tree takes note of bodies that have moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parry {
    Refit,
    Optimize,
    Rebuild,
}

fn parry(name: &'static str, way: Parry, boxes: &Boxes) -> Row {
    let aabbs = |boxes: &Boxes| -> Vec<Aabb> {
        (0..boxes.centers.len()).map(|index| boxes.aabb(index)).collect()
    };
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &aabbs(boxes));
    let mut workspace = BvhWorkspace::default();
    let step = move |boxes: &Boxes| {
        if way == Parry::Rebuild {
            tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &aabbs(boxes));
        } else {
            for index in 0..boxes.centers.len() {
                tree.insert_or_update_partially(boxes.aabb(index), index as u32, 0.0);
            }
            tree.refit(&mut workspace);
            if way == Parry::Optimize {
                tree.optimize_incremental(&mut workspace);
                tree.refit_without_resolve(&mut workspace);
            }
        }
        let mut pairs = 0;
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |_, _| pairs += 1);
        pairs
    };
    Row { name, step: Box::new(step), best: Duration::MAX, total: Duration::ZERO }
}

fn boxes(count: u32) {
    let mut boxes = Boxes::new(count);
    let mut rows = vec![
        ours("packed", Packed::new(), &boxes, Threads::One),
        ours("packed, all threads", Packed::new(), &boxes, Threads::Pool),
    ];
    rows.push(parry("parry, refit", Parry::Refit, &boxes));
    rows.push(parry("parry, refit and optimize", Parry::Optimize, &boxes));
    rows.push(parry("parry, rebuild", Parry::Rebuild, &boxes));
    if count <= 1_000 {
        rows.push(ours("all pairs", AllPairs::boxes(), &boxes, Threads::One));
    }
    let steps = (3_000_000 / count).clamp(10, 200);
    let mut pairs = 0;
    for round in 0..steps + 2 {
        boxes.advance();
        let mut expected = None;
        for row in &mut rows {
            let start = Instant::now();
            let found = (row.step)(&boxes);
            let time = start.elapsed();
            assert_eq!(*expected.get_or_insert(found), found, "{}", row.name);
            // The first steps put everything in place.
            if round >= 2 {
                row.best = row.best.min(time);
                row.total += time;
            }
        }
        pairs = expected.unwrap_or_default();
    }
    for Row { name, best, total, .. } in rows {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "| {count} | {name} | {:.3} (least {:.3}) | {pairs} |",
            ms(total) / f64::from(steps),
            ms(best)
        );
    }
}
