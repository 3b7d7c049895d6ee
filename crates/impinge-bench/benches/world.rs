//! Worlds of many bodies: `cargo bench -p impinge-bench --bench world [-- BODIES… NAMES…]`
//!
//! First, broad phases on moving boxes; the arguments select numbers of bodies and names of broad phases. There
//! is one box of side 0.8 per unit of volume. All move by up to 0.05 along each axis per step, and turn back at
//! the walls. Then the same with some boxes that are much larger. A step updates all boxes and finds all pairs.
//! All broad phases take turns on every step and must find the same number of pairs; parry's tree is among them,
//! used in the three ways that it offers. CPU time is that of the calling thread, which the load of other
//! processes affects less.
//!
//! Then `directions`: worlds of up to 100,000 shuttles that move and turn, with sweeps along three axes and along the
//! directions of k-DOPs, beside the default. How many pairs are left, and how long it takes to update the intervals
//! of all bodies and to find the pairs.
//!
//! Then `meshes`: a world of 10,000 instances of a body of 500 faces, half of them near another one, all moving and
//! turning slightly.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Bounds, Pose, Shape, Threads, World,
    broad::{AllPairs, BroadPhase, DynamicTree, Packed, Proxies, Sweep},
    generate::{self, Random},
    glam::{DMat3, DVec3, Vec3},
    world::{Body, BodyId, StepStats},
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
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut counts: Vec<u32> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let names: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| a.parse::<u32>().is_err()).collect();
    let wants = |name: &str| names.is_empty() || names.iter().any(|wanted| name.contains(wanted));
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 100_000, 1_000_000];
    }
    for (sizes, title) in [(Sizes::Alike, "of one size"), (Sizes::Mixed, "of mixed sizes")] {
        println!("\n| boxes {title} | broad phase | ms a step | least | CPU ms a step | pairs |");
        println!("|---|---|---|---|---|---|");
        for &count in &counts {
            boxes(count, sizes, &wants);
        }
    }
    if wants("directions") {
        directions(&counts);
    }
    if wants("meshes") {
        meshes();
    }
}

/// Returns the CPU time of the calling thread, if the system provides it; otherwise the wall-clock time.
fn cpu_time(since: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Half the side of most boxes.
const HALF: f32 = 0.4;

/// Boxes that move inside a larger one, in `f32`, the precision of parry.
struct Boxes {
    side: f32,
    centers: Vec<Vec3>,
    ways: Vec<Vec3>,
    halves: Vec<f32>,
}

/// The distribution of box sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Alike,
    /// One box fills the whole space, and one in a thousand has 25 times the side.
    Mixed,
}

impl Boxes {
    fn new(count: u32, sizes: Sizes) -> Self {
        let mut random = Random::new(1);
        let side = f64::from(count).cbrt();
        let mut vector =
            |size: f64| Vec3::from_array([(); 3].map(|()| random.range(-size, size) as f32));
        let centers = (0..count).map(|_| vector(side / 2.0)).collect();
        let ways = (0..count).map(|_| vector(0.05)).collect();
        let half = |index: u32| match sizes {
            Sizes::Mixed if index == 0 => side as f32,
            Sizes::Mixed if index.is_multiple_of(1000) => 25.0 * HALF,
            _ => HALF,
        };
        Self { side: side as f32, centers, ways, halves: (0..count).map(half).collect() }
    }

    fn advance(&mut self) {
        for (center, way) in self.centers.iter_mut().zip(&mut self.ways) {
            *center += *way;
            let beyond = center.abs().cmpgt(Vec3::splat(self.side / 2.0));
            *way = Vec3::select(beyond, -way.abs() * center.signum(), *way);
        }
    }

    fn corners(&self, index: usize) -> [Vec3; 2] {
        let (center, half) = (self.centers[index], self.halves[index]);
        [center - half, center + half]
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

/// A broad phase, and its times.
struct Row {
    name: &'static str,
    step: Box<dyn FnMut(&Boxes) -> usize>,
    best: Duration,
    total: Duration,
    cpu: Duration,
}

impl Row {
    fn new(name: &'static str, step: impl FnMut(&Boxes) -> usize + 'static) -> Self {
        let (best, total, cpu) = (Duration::MAX, Duration::ZERO, Duration::ZERO);
        Self { name, step: Box::new(step), best, total, cpu }
    }
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
    Row::new(name, step)
}

/// How parry's tree is updated after bodies have moved.
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
    Row::new(name, step)
}

fn boxes(count: u32, sizes: Sizes, wants: &dyn Fn(&str) -> bool) {
    let mut boxes = Boxes::new(count, sizes);
    let (one, pool) = (Threads::One, Threads::Pool);
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: &str, most: u32, row: &dyn Fn() -> Row| {
        if count <= most && wants(name) {
            rows.push(row());
        }
    };
    let any = u32::MAX;
    add("packed", any, &|| ours("packed", Packed::new(), &boxes, one));
    add("packed, pool", any, &|| ours("packed, pool", Packed::new(), &boxes, pool));
    add("tree", any, &|| ours("tree", DynamicTree::new(), &boxes, one));
    add("sweep", 10_000, &|| ours("sweep", Sweep::axes(), &boxes, one));
    add("all pairs", 1_000, &|| ours("all pairs", AllPairs::boxes(), &boxes, one));
    add("parry, refit", any, &|| parry("parry, refit", Parry::Refit, &boxes));
    add("parry, refit and optimize", any, &|| {
        parry("parry, refit and optimize", Parry::Optimize, &boxes)
    });
    add("parry, rebuild", any, &|| parry("parry, rebuild", Parry::Rebuild, &boxes));
    let steps = (3_000_000 / count).clamp(10, 200);
    let mut pairs = 0;
    for round in 0..steps + 2 {
        boxes.advance();
        let mut expected = None;
        for row in &mut rows {
            let start = Instant::now();
            let cpu = cpu_time(start);
            let found = (row.step)(&boxes);
            let cpu = cpu_time(start) - cpu;
            let time = start.elapsed();
            assert_eq!(*expected.get_or_insert(found), found, "{}", row.name);
            // The first steps are not timed: they fill all structures.
            if round >= 2 {
                row.best = row.best.min(time);
                row.total += time;
                row.cpu += cpu;
            }
        }
        pairs = expected.unwrap_or_default();
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    for Row { name, best, total, cpu, .. } in rows {
        let [mean, cpu] = [total, cpu].map(|time| ms(time) / f64::from(steps));
        println!("| {count} | {name} | {mean:.3} | {:.3} | {cpu:.3} | {pairs} |", ms(best));
    }
}

/// Shuttles of 528 faces and length 1.5, one per unit of volume, which move by 0.02 and turn by 0.02 rad per step.
fn directions(counts: &[u32]) {
    println!("\n| shuttles | broad phase | update, ms | pairs, ms | both | pairs | touching |");
    println!("|---|---|---|---|---|---|---|");
    let mesh = generate::scaled_to_cube(&generate::shuttle(), 1.5).expect("a size");
    let shape = Shape::new(mesh);
    for &count in counts.iter().filter(|&&count| count <= 100_000) {
        let mut expected = None;
        for (name, mut world) in sweeps() {
            let stats = shuttles(count, &shape, &mut world);
            assert_eq!(*expected.get_or_insert(stats.contacts), stats.contacts, "{name}");
            let [update, broad] = [stats.update, stats.broad].map(|time| time.as_secs_f64() * 1e3);
            println!(
                "| {count} | {name} | {update:.2} | {broad:.2} | {:.2} | {} | {} |",
                update + broad,
                stats.near,
                stats.touching
            );
        }
    }
}

fn sweeps() -> Vec<(String, World)> {
    let with = World::with_broad_phase;
    let mut worlds = vec![
        ("packed".to_owned(), World::new()),
        ("sweep, three axes".to_owned(), with(Sweep::axes())),
    ];
    for k in [6, 8, 12, 14, 18, 20, 26] {
        let sweep = Sweep::directions(k).expect("a k-DOP");
        worlds.push((format!("directions{k}"), with(sweep)));
    }
    for k in [14, 18, 26] {
        let sweep = Sweep::hull_directions(k).expect("a k-DOP");
        worlds.push((format!("hull-directions{k}"), with(sweep)));
    }
    worlds
}

/// Runs some steps. Returns the counts of the last, and the least times.
fn shuttles(count: u32, shape: &Shape, world: &mut World) -> StepStats {
    let mut random = Random::new(1);
    let side = f64::from(count).cbrt();
    let mut movers = Vec::new();
    for _ in 0..count {
        let place = DVec3::from_array([(); 3].map(|()| random.range(0.0, side)));
        let rotation = random.rotation();
        let pose = Pose::new(rotation, place).expect("a rotation");
        let turn = DMat3::from_axis_angle(random.direction(), 0.02);
        let id = world.add(Body::new(shape).at(pose)).expect("one method");
        movers.push((id, rotation, place, turn, random.direction() * 0.02));
    }
    world.step();
    let mut best = StepStats::default();
    for step in 0..(100_000 / count).clamp(2, 10) {
        for (id, rotation, place, turn, by) in &mut movers {
            *rotation = *turn * *rotation;
            *place += *by;
            world.set_pose(*id, Pose::new(*rotation, *place).expect("a rotation")).expect("there");
        }
        let stats = world.step_timed().stats();
        let (update, broad) = (stats.update.min(best.update), stats.broad.min(best.broad));
        let is_first = step == 0;
        best = stats;
        if !is_first {
            (best.update, best.broad) = (update, broad);
        }
    }
    best
}

/// Ten thousand bodies of 500 faces. Every fourth has another one close by, so half of all bodies are near
/// another one.
fn meshes() {
    let torus = generate::deformed_torus(1, [25, 10]).expect("enough segments");
    let shape = Shape::new(torus);
    let mut random = Random::new(1);
    let mut start = Vec::new();
    for cell in 0..7_500u32 {
        let place =
            DVec3::from([cell % 20, cell / 20 % 20, cell / 400].map(|k| f64::from(k) * 8.0));
        start.push((place, random.rotation()));
        if cell % 3 == 0 {
            start.push((place + random.direction() * 1.5, random.rotation()));
        }
    }
    let turns: Vec<DMat3> = start.iter().map(|_| turn(random.direction())).collect();
    let ways: Vec<DVec3> = start.iter().map(|_| random.direction() * 0.02).collect();
    println!(
        "\n| {} bodies of {} faces | ms a step | update | broad | narrow | near | touching | contacts |",
        start.len(),
        shape.mesh().faces().len()
    );
    println!("|---|---|---|---|---|---|---|---|");
    let steps = 20;
    let mut expected = None;
    for (name, mut world, threads) in [
        ("packed", World::new(), Threads::One),
        ("packed, pool", World::new(), Threads::Pool),
        ("tree", World::with_broad_phase(DynamicTree::new()), Threads::One),
    ] {
        world.set_threads(threads);
        let bodies: Vec<BodyId> =
            start.iter().map(|_| world.add(Body::new(&shape)).expect("one method")).collect();
        let mut rotations: Vec<DMat3> = start.iter().map(|&(_, rotation)| rotation).collect();
        let (mut sum, mut total, mut found) = (StepStats::default(), Duration::ZERO, 0);
        for step in 0..steps + 2 {
            let mut poses = Vec::new();
            for (i, &body) in bodies.iter().enumerate() {
                rotations[i] = turns[i] * rotations[i];
                let place = start[i].0 + ways[i] * f64::from(step);
                poses.push((body, Pose::new(rotations[i], place).expect("a rotation")));
            }
            let begin = Instant::now();
            world.set_poses(&poses).expect("all are there");
            let stats = world.step_timed().stats();
            if step >= 2 {
                total += begin.elapsed();
                sum.update += stats.update;
                sum.broad += stats.broad;
                sum.narrow += stats.narrow;
            }
            found += stats.contacts;
            (sum.near, sum.touching, sum.contacts) = (stats.near, stats.touching, stats.contacts);
        }
        assert_eq!(*expected.get_or_insert(found), found, "{name}");
        let [total, update, broad, narrow] = [total, sum.update, sum.broad, sum.narrow]
            .map(|time| time.as_secs_f64() * 1e3 / f64::from(steps));
        println!(
            "| {name} | {total:.2} | {update:.2} | {broad:.2} | {narrow:.2} | {} | {} | {} |",
            sum.near, sum.touching, sum.contacts
        );
    }
}

/// A rotation by 0.05 rad about an axis.
fn turn(axis: DVec3) -> DMat3 {
    DMat3::from_axis_angle(axis, 0.05)
}
