//! Queries do not allocate once warm.

use impinge::{
    Budget, Cache, Mesh, Method, Pair, Pose, Ray, Shape, Threads, TimedVerdict, WalkOrder, World,
    broad::{AllPairs, DynamicTree, Sweep},
    contact::ContactRegions,
    force::{Feedback, FeedbackOptions},
    generate::{self, Random},
    solid::Solid,
    world::{Body, BodyId, Coherence},
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// The system's allocator, counting what the current thread asks for.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes that the thread holds, if it gives back no more than it took.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

fn hold(bytes: isize) {
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

fn count() {
    // A thread that is ending has no counter any more, and nothing to count.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        hold(layout.size() as isize);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        hold(size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

/// A mesh that is small enough for a method to compare all faces of two of them.
fn torus_for(method: Method) -> Mesh {
    let segments = if method == Method::NAIVE { [12, 8] } else { [60, 20] };
    generate::deformed_torus(1, segments).expect("enough segments")
}

#[test]
fn warm_queries_do_not_allocate() {
    let poses = generate::tumble(1.1, 20).expect("a distance");
    let still = Pose::IDENTITY;
    let before = allocations();
    let torus = torus_for(Method::WIDE);
    let naive =
        Pair::with_method(Method::NAIVE, torus_for(Method::NAIVE), torus_for(Method::NAIVE));
    // The method written for these tests makes its cells anew for each query.
    let pairs = crate::pairs(&torus, &torus).filter(|(kind, ..)| kind != "toy" && kind != "naive");
    let pairs = pairs.chain([("naive".to_owned(), naive, WalkOrder::default())]);
    for (kind, mut pair, order) in pairs {
        assert!(allocations() > before, "the counter counts");
        let mut round = || {
            let mut found = 0;
            for pose in &poses {
                found += pair.at(&still, pose).order(order).contacts().len();
                found += usize::from(pair.at(&still, pose).order(order).intersects());
                found += pair.at(&still, pose).count();
                let near = pair.at(&still, pose).within(0.01).expect("a distance");
                found += near.contacts().len();
                let mut timed = pair.at(&still, pose).order(order).timed();
                let verdict = timed.any(Budget::tests(20));
                found += usize::from(matches!(verdict, TimedVerdict::Touching { .. }));
                let verdict = timed.all(Budget::UNLIMITED);
                found += usize::from(matches!(verdict, TimedVerdict::Touching { .. }));
                found += usize::from(pair.distance(&still, pose).is_some());
            }
            found
        };
        let expected = round();
        let warm = allocations();
        assert_eq!(round(), expected, "{kind}");
        assert_eq!(allocations() - warm, 0, "{kind} allocates when warm");
    }
}

#[test]
fn warm_self_queries_do_not_allocate() {
    for &method in Method::ALL {
        let mesh = torus_for(method);
        let crossed = mesh.positions().iter().map(|p| p.with_z(0.3 * p.z * p.x)).collect();
        let shape = Shape::with_method(method, mesh.with_positions(crossed).expect("finite"));
        let mut contacts = Vec::new();
        let mut round = || {
            shape.self_query().contacts_into(&mut contacts);
            contacts.len() + usize::from(shape.self_query().intersects())
        };
        let expected = round();
        assert!(expected > 1, "{method}: the torus touches itself");
        let warm = allocations();
        assert_eq!(round(), expected, "{method}");
        assert_eq!(allocations() - warm, 0, "{method} allocates when warm");
    }
}

#[test]
fn warm_points_and_rays_do_not_allocate() {
    let torus = Arc::new(generate::deformed_torus(1, [60, 20]).expect("enough segments"));
    let poses = generate::tumble(1.1, 20).expect("a distance");
    for &method in Method::ALL {
        let shape = Shape::with_method(method, torus.clone());
        let round = || {
            let mut random = Random::new(8);
            let mut found = 0;
            for pose in &poses {
                let (point, direction) = (random.direction() * 2.0, random.direction());
                let ray = Ray::new(point, direction).expect("a direction");
                found += usize::from(shape.cast_ray(pose, &ray).is_some());
                found += usize::from(shape.nearest_point(pose, point).is_some());
                let inside = shape.contains_point(pose, pose.place(direction)).expect("closed");
                found += inside as usize;
            }
            found
        };
        let expected = round();
        let warm = allocations();
        assert_eq!(round(), expected, "{method}");
        assert_eq!(allocations() - warm, 0, "{method} allocates when warm");
    }
}

#[test]
fn warm_contact_regions_do_not_allocate() {
    let shape = Shape::new(torus_for(Method::WIDE));
    let poses = generate::tumble(1.1, 20).expect("a distance");
    let contacts: Vec<_> = poses
        .iter()
        .map(|pose| {
            impinge::contacts((&shape, &Pose::IDENTITY), (&shape, pose)).expect("one method")
        })
        .collect();
    let mut regions = ContactRegions::new();
    let mut round = || {
        let mut found = 0;
        for (pose, contacts) in poses.iter().zip(&contacts) {
            regions.find((&shape, &Pose::IDENTITY), (&shape, pose), contacts);
            let points =
                regions.iter().map(|region| region.manifold().len() + region.curve().len());
            found += points.sum::<usize>();
        }
        found
    };
    let expected = round();
    assert!(expected > 40, "only {expected} points and curves");
    let warm = allocations();
    assert_eq!(round(), expected);
    assert_eq!(allocations() - warm, 0, "regions allocate when warm");
}

/// What an index says it holds is what it took, but for a few fixed bytes.
#[test]
fn an_index_holds_what_it_says() {
    for faces in [2_000, 20_000, 24_000] {
        let ball = Arc::new(generate::sphere(faces).expect("an even number"));
        for &method in Method::ALL {
            let before = HELD.with(Cell::get);
            let shape = Shape::with_method(method, Arc::clone(&ball));
            let held = (HELD.with(Cell::get) - before) as usize;
            let said = shape.bytes();
            assert!(
                said <= held && held <= said + 1024,
                "{method}, {faces} faces: {held}, not {said}"
            );
        }
        for (method, options, _) in crate::tree_choices().into_iter().filter(|_| faces == 2_000) {
            // The first of a kind makes a table that all share.
            drop(Shape::build((method, options), generate::sphere(8).expect("an even number")));
            let before = HELD.with(Cell::get);
            let shape = Shape::build((method, options), Arc::clone(&ball));
            let held = (HELD.with(Cell::get) - before) as usize;
            let said = shape.bytes();
            assert!(
                said <= held && held <= said + 1024,
                "{method}, {options:?}: {held}, not {said}"
            );
        }
    }
}

/// A cache starts each round where the last one ended, so that rounds differ a little at first.
#[test]
fn a_cache_allocates_no_more_after_some_rounds() {
    let poses = generate::tumble(1.1, 100).expect("a distance");
    for &method in Method::ALL {
        let torus = torus_for(method);
        let mut pair = Pair::with_method(method, torus.clone(), torus.clone());
        let mut cache = Cache::new();
        let mut round = || {
            let before = allocations();
            for pose in &poses {
                pair.at(&Pose::IDENTITY, pose).cache(&mut cache).contacts();
                pair.at(&Pose::IDENTITY, pose).cache(&mut cache).intersects();
            }
            allocations() - before
        };
        let rounds: Vec<usize> = (0..12).map(|_| round()).collect();
        assert_eq!(rounds[11], 0, "{method}: {rounds:?}");
    }
}

/// Of the caller and all threads of a pool.
fn allocations_with(pool: &ThreadPool) -> usize {
    allocations() + pool.broadcast(|_| allocations()).into_iter().sum::<usize>()
}

/// Which thread gets which poses differs from batch to batch, so lists may still grow now and then; but
/// not with every pose.
#[test]
fn a_warm_batch_does_not_allocate_for_a_pose() {
    let torus = generate::deformed_torus(1, [60, 20]).expect("enough segments");
    let poses = generate::tumble(1.1, 200).expect("a distance");
    for method in [Method::WIDE, Method::OBB, Method::DOP18, Method::BOXTREE] {
        for threads in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut pair = Pair::with_method(method, torus.clone(), torus.clone());
            let mut batch = |count: usize| {
                let before = allocations_with(&pool);
                pool.install(|| {
                    let poses = &poses[..count];
                    let found =
                        pair.at_many(&Pose::IDENTITY, poses).threads(Threads::Pool).contacts();
                    assert!(found.flat().len() > count, "{method}");
                    pair.check_many(&Pose::IDENTITY, poses);
                });
                allocations_with(&pool) - before
            };
            batch(200);
            let few = batch(16);
            // Until each thread has had as much as it can get.
            let many: Vec<usize> = (0..4).map(|_| batch(200)).collect();
            let least = many.iter().min().expect("four of them");
            assert!(*least <= few + 20, "{method}, {threads} threads: {few} and {many:?}");
        }
        let mut pair = Pair::with_method(method, torus.clone(), torus.clone());
        let mut batch = || {
            let before = allocations();
            pair.at_many(&Pose::IDENTITY, &poses).contacts();
            pair.at_many(&Pose::IDENTITY, &poses).intersects();
            allocations() - before
        };
        assert!(batch() > 0, "the counter counts");
        assert_eq!(batch(), 0, "{method} on the caller's thread");
    }
}

/// A world that has had as much to do before does its steps in the room that it has.
#[test]
fn warm_steps_do_not_allocate() {
    let torus = generate::deformed_torus(1, [20, 8]).expect("enough segments");
    let mut random = Random::new(5);
    type MakeWorld = Box<dyn Fn() -> World>;
    let phases: [MakeWorld; 6] = [
        Box::new(World::new),
        Box::new(|| World::with_broad_phase(AllPairs::new())),
        Box::new(|| World::with_broad_phase(Sweep::directions(18).expect("a k-DOP"))),
        Box::new(|| World::with_broad_phase(Sweep::hull_directions(26).expect("a k-DOP"))),
        Box::new(|| World::with_broad_phase(DynamicTree::new())),
        Box::new(|| World::with_broad_phase(AllPairs::unchecked())),
    ];
    let ways = [
        (Method::WIDE, Coherence::NONE),
        (Method::WIDE, Coherence::default()),
        (Method::OBB, Coherence::default()),
        (Method::FACE_OCTREE, Coherence::NONE),
        (Method::OCTREE, Coherence::NONE),
    ];
    for ((number, world), (method, coherence)) in
        phases.iter().enumerate().flat_map(|phase| ways.map(|way| (phase, way)))
    {
        if method == Method::OBB && number > 0 {
            continue;
        }
        // The last one is for methods that need no broad phase.
        if method == Method::WIDE && number == 5 {
            continue;
        }
        let label = format!("broad phase {number}, {method}, {coherence:?}");
        let shape = Shape::with_method(method, torus.clone());
        let mut world = world();
        world.set_coherence(coherence);
        let bodies: Vec<BodyId> =
            (0..80).map(|_| world.add(Body::new(&shape)).expect("one method")).collect();
        let mut poses = Vec::new();
        // A front that goes from one pair to another may grow once more, so with fronts the same pairs stay near.
        for jump in 0..if method == Method::OBB { 1 } else { 4 } {
            let place = |random: &mut Random| [(); 3].map(|()| random.range(-4.0, 4.0));
            let pose = |random: &mut Random| {
                Pose::new(random.rotation(), place(random).into()).expect("a rotation")
            };
            let start: Vec<_> = bodies.iter().map(|&body| (body, pose(&mut random))).collect();
            // Some steps forward and back, so that each round is the same.
            for step in [0.0, 1.0, 2.0, 1.0 + f64::from(jump)] {
                let by = Pose::from_translation([0.01 * step, 0.0, 0.0].into()).expect("finite");
                poses.push(start.iter().map(|&(body, pose)| (body, by * pose)).collect::<Vec<_>>());
            }
        }
        let mut round = || {
            let (mut found, mut skipped) = (0, 0);
            for poses in &poses {
                world.set_poses(poses).expect("all are there");
                let step = world.step();
                found += step.contacts().count();
                skipped += step.stats().skipped;
            }
            (found, skipped)
        };
        // Sets of pairs keep what was taken out of them for a while.
        let (expected, _) = round();
        let mut skipped = 0;
        let mut rounds = Vec::new();
        while rounds.len() < 20 && (rounds.len() < 4 || rounds.last() != Some(&0)) {
            let before = allocations();
            let (found, skips) = round();
            skipped = skips;
            rounds.push(allocations() - before);
            assert_eq!(found, expected, "{label}");
        }
        assert_eq!(rounds.last(), Some(&0), "{label}: allocates when warm: {rounds:?}");
        assert!(expected > 1_000, "{label}: only {expected} contacts");
        assert_eq!(skipped > 20, coherence != Coherence::NONE, "{label}: {skipped} skipped");
    }
}

#[test]
fn warm_reaction_forces_do_not_allocate() {
    let torus = Shape::new(torus_for(Method::WIDE));
    let ball = Shape::new(generate::sphere(960).expect("an even number"));
    let mut feedback = Feedback::new(&torus, FeedbackOptions::new()).expect("a solid");
    feedback.add(&torus, Pose::IDENTITY).expect("a solid");
    feedback.add(&ball, Pose::IDENTITY).expect("a solid");
    let poses = generate::tumble(1.1, 40).expect("a distance");
    let (first, second) = poses.split_at(20);
    let mut most_regions = 0;
    for pose in &poses {
        most_regions = most_regions.max(feedback.reaction(pose).regions.len());
    }
    assert!(most_regions > 1, "the poses are in contact");
    // The same calls in another order, whose memory is another one.
    let before = allocations();
    for pose in second.iter().chain(first) {
        let _ = feedback.reaction(pose);
    }
    assert_eq!(allocations(), before);
}

/// Steps with true solids of all kinds, and meshes, need no new memory either.
#[test]
fn warm_steps_with_solids_do_not_allocate() {
    let torus = generate::deformed_torus(1, [20, 8]).expect("enough segments");
    for method in [Method::WIDE, Method::DOP18, Method::BOXTREE] {
        let mut random = Random::new(7);
        let mut world = World::new();
        let shape = Shape::with_method(method, torus.clone());
        let solids = [
            Solid::ball(0.5),
            Solid::capsule(0.2, 0.8),
            Solid::cone(0.5, 0.2, 0.7),
            Solid::torus(0.6, 0.2),
        ];
        let mut bodies = Vec::new();
        for solid in solids {
            let solid = Body::solid(&solid.expect("positive")).expect("of moderate size");
            for body in [solid.clone(), solid, Body::new(&shape)] {
                bodies.push(world.add(body).expect("one method"));
            }
        }
        let poses: Vec<Vec<(BodyId, Pose)>> = (0..20)
            .map(|_| {
                let mut pose = || {
                    Pose::new(random.rotation(), random.direction() * random.range(0.0, 2.0))
                        .expect("a rotation")
                };
                bodies.iter().map(|&body| (body, pose())).collect()
            })
            .collect();
        let mut round = || {
            let before = allocations();
            for poses in &poses {
                world.set_poses(poses).expect("all are there");
                assert!(world.step().pairs().len() > 0, "{method}");
            }
            allocations() - before
        };
        assert!(round() > 0, "the counter counts");
        assert_eq!(round(), 0, "{method}");
    }
}
