//! Compares every broad phase with brute force, while boxes are added, removed and moved at random.

use impinge::{
    Bounds, Threads,
    broad::{AllPairs, BroadPhase, DynamicTree, Packed, Proxies, Sweep},
    generate::Random,
    glam::DVec3,
};
use std::ops::ControlFlow;

/// All broad phases that report exactly the pairs of overlapping boxes.
fn phases() -> Vec<(&'static str, Threads, Box<dyn BroadPhase>)> {
    vec![
        ("all pairs", Threads::One, Box::new(AllPairs::new())),
        ("sweep", Threads::One, Box::new(Sweep::axes())),
        ("sweep along the axes of a 6-DOP", Threads::One, Box::new(sweep(6))),
        ("sweep along 9 directions", Threads::One, Box::new(sweep(18))),
        ("sweep along 13 directions", Threads::One, Box::new(sweep(26))),
        ("sweep along 13 directions of hulls", Threads::One, Box::new(hull_sweep(26))),
        ("tree", Threads::One, Box::new(DynamicTree::new())),
        ("packed", Threads::One, Box::new(Packed::new())),
        ("packed on all threads", Threads::Pool, Box::new(Packed::new())),
    ]
}

fn sweep(k: usize) -> Sweep {
    Sweep::directions(k).expect("a k-DOP")
}

fn hull_sweep(k: usize) -> Sweep {
    Sweep::hull_directions(k).expect("a k-DOP")
}

#[test]
fn sweeps_need_the_directions_of_a_dop() {
    for k in 0..40 {
        let is_dop = [6, 8, 12, 14, 18, 20, 26].contains(&k);
        assert_eq!(Sweep::directions(k).is_some(), is_dop, "{k}");
        assert_eq!(Sweep::hull_directions(k).is_some(), is_dop, "{k}");
    }
}

/// A broad phase with its own table of proxies.
struct Instance {
    name: &'static str,
    threads: Threads,
    broad: Box<dyn BroadPhase>,
    proxies: Proxies,
}

impl Instance {
    fn all() -> Vec<Self> {
        let instance = |(name, threads, broad): (_, _, Box<dyn BroadPhase>)| {
            let proxies = Proxies::new(broad.wants());
            Self { name, threads, broad, proxies }
        };
        phases().into_iter().map(instance).collect()
    }

    fn pairs(&mut self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        let result = self.broad.pairs(&self.proxies, self.threads, &mut |pair| {
            assert!(pair[0] < pair[1], "{}: {pair:?}", self.name);
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        assert!(result.is_continue());
        pairs.sort_unstable();
        pairs
    }

    fn overlapping(&mut self, bounds: &Bounds) -> Vec<u32> {
        let mut found = Vec::new();
        let _ = self.broad.overlapping(&self.proxies, bounds, &mut |proxy| {
            found.push(proxy);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        found
    }
}

/// A box, and whether it moves; `None` if the entry is free.
type Entry = Option<(Bounds, bool)>;

/// The expected pairs, by brute force.
fn expected(entries: &[Entry]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in (0..).zip(entries) {
        for (j, b) in (i + 1..).zip(&entries[i as usize + 1..]) {
            let (Some((a, a_moves)), Some((b, b_moves))) = (a, b) else { continue };
            let overlap = (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k]);
            if overlap && (*a_moves || *b_moves) {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}

/// Compares sorted lists of pairs. Reports the first pair that is in only one of them.
fn check(label: &str, found: &[[u32; 2]], expected: &[[u32; 2]]) {
    let missed = expected.iter().find(|pair| found.binary_search(pair).is_err());
    let added = found.iter().find(|pair| expected.binary_search(pair).is_err());
    assert!(missed.is_none() && added.is_none(), "{label}: missed {missed:?}, added {added:?}");
    assert_eq!(found.len(), expected.len(), "{label}: some pairs were visited twice");
}

/// A kind of scene: how its boxes are made.
struct Kind {
    name: &'static str,
    make: fn(&mut Random) -> Bounds,
    /// How far boxes move in a step, relative to their coordinates.
    moves: f64,
}

fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| random.range(-size, size)))
}

fn around(center: DVec3, half: DVec3) -> Bounds {
    Bounds { min: center - half, max: center + half }
}

/// A random number between two, uniform in its logarithm.
fn power(random: &mut Random, low: f64, high: f64) -> f64 {
    (random.range(low.ln(), high.ln())).exp()
}

const KINDS: &[Kind] = &[
    Kind {
        name: "of similar size",
        make: |random| around(vector(random, 3.0), DVec3::splat(0.5)),
        moves: 0.01,
    },
    Kind {
        name: "on a lattice, so that many just touch",
        make: |random| {
            let cell = |random: &mut Random| random.below(7) as f64;
            let min = DVec3::new(cell(random), cell(random), cell(random));
            Bounds { min, max: min + 1.0 }
        },
        moves: 0.0,
    },
    Kind {
        name: "of all sizes",
        make: |random| {
            let half = power(random, 1e-9, 1e9);
            around(vector(random, 1e3), DVec3::splat(half))
        },
        moves: 0.1,
    },
    Kind {
        name: "sticks and plates",
        make: |random| {
            let half = [(); 3].map(|()| power(random, 0.01, 10.0));
            around(vector(random, 5.0), DVec3::from_array(half))
        },
        moves: 0.05,
    },
    Kind { name: "all in one place", make: |_| around(DVec3::ONE, DVec3::splat(0.5)), moves: 0.0 },
    Kind {
        name: "far away",
        make: |random| around(vector(random, 3.0) + 1e12, DVec3::splat(0.5)),
        moves: 1e-14,
    },
    Kind {
        name: "some lost far away",
        make: |random| {
            let far = if random.below(20) == 0 { power(random, 1.0, 1e300) } else { 1.0 };
            around(vector(random, 3.0) * far, DVec3::splat(0.4))
        },
        moves: 0.01,
    },
    Kind {
        name: "points, tiny and huge coordinates, nothing at all",
        make: |random| match random.below(5) {
            0 => Bounds::EMPTY,
            1 => around(DVec3::ZERO, DVec3::splat(1e100)),
            2 => around(vector(random, 1e-300), DVec3::splat(1e-300)),
            3 => around(DVec3::splat(f64::MAX), DVec3::splat(1e300)),
            _ => around(DVec3::ZERO, DVec3::ZERO),
        },
        moves: 0.0,
    },
];

#[test]
fn all_broad_phases_find_the_same_pairs_while_boxes_come_go_and_move() {
    let mut checked = [0; KINDS.len()];
    for (kind, checked) in KINDS.iter().zip(&mut checked) {
        for seed in 0..12 {
            *checked += run(kind, seed);
        }
    }
    for (kind, checked) in KINDS.iter().zip(checked) {
        assert!(checked > 1_000, "{}: only {checked} pairs", kind.name);
    }
}

/// Runs a random scene through all broad phases. Returns the number of pairs.
fn run(kind: &Kind, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut instances = Instance::all();
    let mut entries: Vec<Entry> = Vec::new();
    let mut count = 0;
    let size = [3, 40, 200][random.below(3) as usize];
    for step in 0..30 {
        let label = format!("{}, seed {seed}, step {step}", kind.name);
        for _ in 0..random.below(if step == 0 { 2 * size } else { size / 4 + 2 }) {
            let free = (0..entries.len()).find(|&i| entries[i].is_none());
            let index = free.unwrap_or(entries.len());
            let (bounds, is_moving) = ((kind.make)(&mut random), random.below(4) > 0);
            entries.resize(entries.len().max(index + 1), None);
            entries[index] = Some((bounds, is_moving));
            for instance in &mut instances {
                instance.proxies.set(index as u32, bounds, is_moving);
                instance.broad.insert(&instance.proxies, index as u32);
            }
        }
        for _ in 0..random.below(size / 4 + 2) {
            let index = random.below(entries.len() as u64 + 1) as usize;
            if entries.get(index).is_some_and(Option::is_some) {
                entries[index] = None;
                for instance in &mut instances {
                    instance.broad.remove(&instance.proxies, index as u32);
                    instance.proxies.clear(index as u32);
                }
            }
        }
        // In some steps nothing moves, in some everything does. Now and then a box jumps elsewhere.
        let share = [0, 1, 4, 4][random.below(4) as usize];
        let mut moved = Vec::new();
        for (index, entry) in (0..).zip(&mut entries) {
            let Some((bounds, is_moving)) = entry else { continue };
            if random.below(4) < share {
                if random.below(30) == 0 {
                    *bounds = (kind.make)(&mut random);
                } else if !bounds.is_empty() {
                    let way =
                        vector(&mut random, kind.moves) * bounds.center().abs().max(DVec3::ONE);
                    let way = if kind.moves == 0.0 { DVec3::ZERO } else { way };
                    *bounds = Bounds { min: bounds.min + way, max: bounds.max + way };
                }
                moved.push(index);
                for instance in &mut instances {
                    instance.proxies.set(index, *bounds, *is_moving);
                }
            }
        }
        let expected = expected(&entries);
        let asked = (kind.make)(&mut random);
        let within: Vec<u32> = (0..)
            .zip(&entries)
            .filter(|(_, entry)| entry.is_some_and(|(bounds, _)| bounds.overlaps(&asked)))
            .map(|(index, _)| index)
            .collect();
        for instance in &mut instances {
            instance.broad.update(&instance.proxies, &moved);
            check(&format!("{}: {label}", instance.name), &instance.pairs(), &expected);
            assert_eq!(instance.overlapping(&asked), within, "{}: {label}", instance.name);
        }
        count += expected.len();
    }
    count
}

/// A visitor can stop the search, even among very many pairs, which are then not stored.
#[test]
fn a_visitor_can_stop_the_search() {
    let count = 100_000;
    let bounds = around(DVec3::ZERO, DVec3::ONE);
    for threads in [Threads::One, Threads::Pool] {
        let mut broad = Packed::new();
        let mut proxies = Proxies::new(broad.wants());
        for proxy in 0..count {
            proxies.set(proxy, bounds, true);
            broad.insert(&proxies, proxy);
        }
        let mut left = 1_000_000;
        let result = broad.pairs(&proxies, threads, &mut |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(result.is_break(), "{threads:?}");
    }
}

/// A floor under many small bodies, and one body far away, do not spoil the pairs of the others.
#[test]
fn a_floor_and_a_distant_body_keep_the_pairs_right() {
    let mut random = Random::new(3);
    let mut instances = Instance::all();
    instances.retain(|instance| instance.name.starts_with("packed") || instance.name == "tree");
    let mut entries: Vec<Entry> = Vec::new();
    for index in 0..3_000 {
        let bounds = match index {
            0 => around(DVec3::ZERO, DVec3::new(1e6, 1e6, 0.5)),
            1 => around(DVec3::splat(1e15), DVec3::ONE),
            _ => around(vector(&mut random, 8.0), DVec3::splat(0.4)),
        };
        entries.push(Some((bounds, index != 0)));
    }
    let expected = expected(&entries);
    for instance in &mut instances {
        for (index, entry) in (0..).zip(&entries) {
            let (bounds, is_moving) = entry.expect("no entry is free");
            instance.proxies.set(index, bounds, is_moving);
            instance.broad.insert(&instance.proxies, index);
        }
        check(instance.name, &instance.pairs(), &expected);
    }
}
