//! Tests that are distributed among threads: worlds of bodies against `brute` and lists against a filter on one thread,
//! for every distribution and several numbers of threads.

use impinge::{
    Distribution, Mesh, Method, Pose, Shape, Threads, World,
    broad::AllPairs,
    generate::{self, Random},
    glam::DVec3,
    method::face_octree::{CellTest, FaceOctreeOptions},
    world::{Body, Contact},
};
use rayon::ThreadPoolBuilder;
use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

const THREADS: [usize; 5] = [1, 2, 3, 5, 8];

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
    pool.install(work)
}

/// A crowd of bodies of several kinds, so that faces of many pairs of bodies touch.
fn crowd(seed: u64) -> Vec<(Arc<Mesh>, Pose)> {
    let mut random = Random::new(seed);
    let meshes = [
        generate::sphere(168).expect("an even number"),
        generate::deformed_torus(seed, [20, 10]).expect("enough segments"),
        generate::scaled_to_cube(&generate::chair(), 2.0).expect("a size"),
    ]
    .map(Arc::new);
    (0..24)
        .map(|number| {
            let place = DVec3::from([(); 3].map(|()| random.range(-2.5, 2.5)));
            let pose = Pose::new(random.rotation(), place).expect("a rotation");
            (meshes[number % 3].clone(), pose)
        })
        .collect()
}

fn world_of(
    bodies: &[(Arc<Mesh>, Pose)],
    mut world: World,
    shape: impl Fn(&Arc<Mesh>) -> Shape,
) -> World {
    for (mesh, pose) in bodies {
        world.add(Body::new(&shape(mesh)).at(*pose)).expect("one method");
    }
    world
}

fn contacts(world: &mut World) -> Vec<Contact> {
    world.step().contacts().collect()
}

#[test]
fn worlds_do_not_depend_on_distribution_or_threads() {
    let mut touching = 0;
    for seed in 0..4 {
        let bodies = crowd(seed);
        let by_brute = |mesh: &Arc<Mesh>| Shape::with_method(Method::BRUTE, mesh.clone());
        let expected = contacts(&mut world_of(&bodies, World::new(), by_brute));
        touching += expected.len();
        let mut tested = None;
        for &(name, distribution) in Distribution::NAMES {
            for threads in THREADS {
                let label = format!("seed {seed}, {name}, {threads} threads");
                let options = FaceOctreeOptions::default().distribution(distribution);
                let shape = |mesh: &Arc<Mesh>| Shape::build(options, mesh.clone());
                let mut world = world_of(&bodies, World::new(), shape);
                world.set_threads(Threads::Pool);
                let (found, steps) = on_threads(threads, || {
                    (contacts(&mut world), world.step().stats().steps.expect("distributed"))
                });
                assert!(found == expected, "{label}: {} contacts", found.len());
                let work = steps.pairs;
                assert_eq!(*tested.get_or_insert(work.items), work.items, "{label}");
                assert_eq!(work.workers as usize, threads, "{label}");
                assert!(work.busiest <= work.items && work.imbalance() >= 1.0, "{label}: {work:?}");
                if distribution == Distribution::Static {
                    assert_eq!(work.busiest, work.items.div_ceil(threads as u64), "{label}");
                }
                assert!(steps.total().is_zero(), "{label}: an untimed step reads no clock");
            }
        }
    }
    assert!(touching > 2000, "hardly anything touches: {touching}");
}

/// Without a broad phase, with the exact cell test, timed, and on the caller's thread.
#[test]
fn other_ways_to_search_a_world() {
    let bodies = crowd(77);
    let by_brute = |mesh: &Arc<Mesh>| Shape::with_method(Method::BRUTE, mesh.clone());
    let expected = contacts(&mut world_of(&bodies, World::new(), by_brute));
    for &(name, distribution) in Distribution::NAMES {
        let options = FaceOctreeOptions::default().distribution(distribution);
        let options = options.cell_test(CellTest::Exact);
        let shape = |mesh: &Arc<Mesh>| Shape::build(options, mesh.clone());
        for threads in [Threads::One, Threads::Pool] {
            let mut world =
                world_of(&bodies, World::with_broad_phase(AllPairs::unchecked()), shape);
            world.set_threads(threads);
            for _ in 0..2 {
                let step = world.step_timed();
                assert!(step.contacts().eq(expected.iter().copied()), "{name}, {threads:?}");
                let (stats, steps) = (step.stats(), step.stats().steps.expect("distributed"));
                assert!(!steps.total().is_zero() && steps.total() <= stats.narrow, "{stats:?}");
            }
        }
    }
}

/// A step that is stopped leaves the world as it was, and the next one finds everything.
#[test]
fn steps_can_be_stopped() {
    let ball = generate::sphere(3968).expect("an even number");
    for &(name, distribution) in Distribution::NAMES {
        let options = FaceOctreeOptions::default().distribution(distribution);
        let shape = Shape::build(options, ball.clone());
        let mut world = World::new();
        world.set_threads(Threads::Pool);
        for _ in 0..4 {
            world.add(Body::new(&shape)).expect("one method");
        }
        on_threads(3, || {
            let stopped = world.step_watched(|stats| match stats.contacts {
                0 => ControlFlow::Continue(()),
                contacts => ControlFlow::Break(contacts),
            });
            assert!(stopped.is_break(), "{name}: many faces touch");
            assert_eq!(world.last_step().pairs().len(), 0, "{name}");
            assert!(world.step().stats().contacts > 100_000, "{name}");
        });
    }
}

/// Lists of any length, also longer than what workers keep in memory.
#[test]
fn filters_keep_the_order() {
    let accepts = |n: &u32| n.wrapping_mul(2_654_435_761) >> 29 == 3;
    for &(name, distribution) in Distribution::NAMES {
        for threads in THREADS {
            for count in [0, 1, 2, 63, 64, 1000, 70_001, 2_300_000] {
                let found =
                    on_threads(threads, || distribution.filter(Threads::Pool, 0..count, accepts));
                let expected: Vec<u32> = (0..count).filter(accepts).collect();
                assert!(found == expected, "{name}, {threads} threads, {count} items");
            }
        }
        // The global pool, from a thread outside.
        let all = distribution.filter(Threads::Pool, 0..5000, |_| true);
        assert!(all.into_iter().eq(0..5000), "{name}, outside");
    }
}

/// A slow test: the producer's list is full before it is consumed.
#[test]
fn a_producer_tests_when_its_list_is_full() {
    let is_slow = |n: &u32| (0..40).fold(*n, |n, _| std::hint::black_box(n ^ (n << 1))) != u32::MAX;
    for threads in [2, 3] {
        let (found, work) = on_threads(threads, || {
            let produce = |push: &mut dyn FnMut(u32)| (0..3_000_000).for_each(push);
            Distribution::Producer.filter_produced(Threads::Pool, produce, is_slow)
        });
        assert_eq!(found.len(), (0..3_000_000).filter(is_slow).count(), "{threads} threads");
        assert_eq!(work.items, 3_000_000, "{threads} threads");
    }
}

#[test]
fn panics_are_passed_on_and_nobody_waits_for_ever() {
    for &(name, distribution) in Distribution::NAMES {
        for threads in [1, 2, 4] {
            on_threads(threads, || {
                let in_test = || {
                    distribution
                        .filter(Threads::Pool, 0..1000, |n: &u32| *n != 700 || panic!("test"))
                };
                assert!(
                    catch_unwind(AssertUnwindSafe(in_test)).is_err(),
                    "{name}, {threads} threads"
                );
                let items = (0..1000).map(|n| if n == 700 { panic!("producer") } else { n });
                let in_producer = || distribution.filter(Threads::Pool, items, |_: &u32| true);
                assert!(
                    catch_unwind(AssertUnwindSafe(in_producer)).is_err(),
                    "{name}, {threads} threads"
                );
                // The pool still works.
                assert_eq!(distribution.filter(Threads::Pool, 0..100, |n| n % 50 == 0), [0, 50]);
            });
        }
    }
}
