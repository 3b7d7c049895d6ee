//! Batches and caches give the same answers as single queries without a cache.

use impinge::generate::{self, Random};
use impinge::glam::DVec3;
use impinge::{Cache, FacePair, Mesh, Method, Pair, Pose, Threads};
use rayon::ThreadPoolBuilder;

/// Bodies of different sizes, one of them without faces.
fn bodies() -> Vec<Mesh> {
    vec![
        generate::deformed_torus(3, [24, 10]).expect("enough segments"),
        generate::scaled_to_cube(&generate::chair(), 2.0).expect("it has an extent"),
        generate::sphere(120).expect("an even number"),
        Mesh::new(Vec::new(), Vec::new()).expect("an empty mesh is valid"),
    ]
}

/// A random pose: mostly near the last one, sometimes anywhere.
fn wander(random: &mut Random, last: &Pose) -> Pose {
    if random.below(4) == 0 {
        let away = random.direction() * random.range(0.0, 2.5);
        Pose::new(random.rotation(), away).expect("a rotation")
    } else {
        let here = last.translation() + random.direction() * 0.02;
        Pose::new(last.rotation(), here).expect("a rotation")
    }
}

fn path(random: &mut Random, count: usize) -> Vec<Pose> {
    let step = |last: &mut Pose, _| {
        *last = wander(random, last);
        Some(*last)
    };
    (0..count).scan(Pose::IDENTITY, step).collect()
}

#[test]
fn a_batch_answers_like_single_queries_on_any_number_of_threads() {
    let bodies = bodies();
    let pools = [1, 2, 3, 7]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let (mut checked, mut touching) = (0, 0);
    for (seed, method) in (0..).zip(crate::methods()) {
        let mut random = Random::new(seed);
        for (a, b) in [(0, 1), (2, 2), (1, 0), (0, 3), (3, 3)] {
            let (a, b) = (&bodies[a], &bodies[b]);
            let mut pair = Pair::with_method(method, a.clone(), b.clone());
            // Batches grow and shrink, with sizes near those of the chunks given to threads.
            for count in [70, 0, 1, 15, 16, 17, 4, 5, 33] {
                let label = format!("{method}, seed {seed}, {count} poses");
                let pose_a = wander(&mut random, &Pose::IDENTITY);
                let poses = path(&mut random, count);
                let tolerance = [0.0, 0.05][random.below(2) as usize];
                let single: Vec<Vec<FacePair>> = poses
                    .iter()
                    .map(|pose| {
                        let query = pair.at(&pose_a, pose).within(tolerance).expect("a distance");
                        query.contacts().to_vec()
                    })
                    .collect();
                let hits: Vec<bool> = single.iter().map(|pairs| !pairs.is_empty()).collect();
                checked += count;
                touching += hits.iter().filter(|hit| **hit).count();

                let both: Vec<[Pose; 2]> = poses.iter().map(|pose| [pose_a, *pose]).collect();
                let mut check = |threads| {
                    let batch = |pair: &mut Pair| {
                        let batch = pair.at_many(&pose_a, &poses).threads(threads);
                        let found = batch.within(tolerance).expect("a distance").contacts();
                        assert_eq!(found.len(), count, "{label}");
                        assert!(found.iter().eq(&single), "{label}");
                        assert_eq!(
                            found.flat().len(),
                            single.iter().map(Vec::len).sum(),
                            "{label}"
                        );
                    };
                    batch(&mut pair);
                    let batch = pair.at_each(&both).threads(threads);
                    let found = batch.within(tolerance).expect("a distance").intersects();
                    assert!(found.iter().eq(hits.iter().copied()), "{label}: {found:?}, {hits:?}");
                    assert_eq!(found.count(), found.ones().count(), "{label}");
                };
                check(Threads::One);
                for pool in &pools {
                    pool.install(|| check(Threads::Pool));
                }
                if tolerance == 0.0 {
                    let found = pair.check_many(&pose_a, &poses);
                    assert!(found.iter().eq(hits.iter().copied()), "{label}");
                }
            }
        }
    }
    assert!(touching > 300 && checked - touching > 300, "{touching} of {checked} touch");
}

/// Uses one cache for different poses, meshes, methods and tolerances.
#[test]
fn a_cache_never_changes_an_answer() {
    let bodies = bodies();
    let all_pairs: Vec<[&Mesh; 2]> =
        bodies.iter().flat_map(|a| bodies.iter().map(move |b| [a, b])).collect();
    let mut pairs: Vec<(Pair, Pair)> = Vec::new();
    for method in crate::methods() {
        for [a, b] in &all_pairs {
            let pair = |method| Pair::with_method(method, (*a).clone(), (*b).clone());
            pairs.push((pair(method), pair(Method::BRUTE)));
        }
    }
    let (mut queries, mut touching) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut cache = Cache::new();
        let mut pose = Pose::IDENTITY;
        let mut current = 0;
        for query in 0..120 {
            // Some queries of one pair, then of another pair.
            if random.below(6) == 0 {
                current = random.below(pairs.len() as u64) as usize;
            }
            let (pair, brute) = &mut pairs[current];
            let still = Pose::IDENTITY;
            pose = wander(&mut random, &pose);
            let tolerance = [0.0, 0.0, 0.1][random.below(3) as usize];
            let plain = brute.at(&still, &pose).within(tolerance).expect("a distance");
            let expected = plain.contacts();
            let label = format!("{}, seed {seed}, query {query}", pair.method());
            let threads = if random.below(8) == 0 { Threads::Pool } else { Threads::One };
            let asked = pair.at(&still, &pose).within(tolerance).expect("a distance");
            let asked = asked.cache(&mut cache).threads(threads);
            match random.below(4) {
                0 => assert_eq!(asked.contacts(), expected, "{label}"),
                1 => assert_eq!(asked.count(), expected.len(), "{label}"),
                _ => assert_eq!(asked.intersects(), !expected.is_empty(), "{label}"),
            }
            queries += 1;
            touching += usize::from(!expected.is_empty());
        }
    }
    assert!(touching > 500 && queries - touching > 500, "{touching} of {queries} touch");
}

/// The faces found last are tested first, so no search is needed.
#[test]
fn a_cache_saves_the_search_while_the_same_faces_touch() {
    let ball = generate::sphere(960).expect("an even number");
    for &method in Method::ALL.iter().filter(|m| ![Method::BRUTE, Method::NAIVE].contains(m)) {
        let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
        let beside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).expect("finite");
        let mut cache = Cache::new();
        assert!(pair.at(&Pose::IDENTITY, &beside).cache(&mut cache).intersects());
        let first = pair.counts();
        assert!(first.volume_tests > 0, "{method}");
        // A query that asks the method overwrites its counts.
        assert!(!pair.intersects(&Pose::IDENTITY, &far()));
        let other = pair.counts();
        assert!(other.volume_tests != first.volume_tests, "{method}");
        assert!(pair.at(&Pose::IDENTITY, &beside).cache(&mut cache).intersects());
        // A wide tree compares the cached leaves itself.
        let expected = if method == Method::WIDE { 0 } else { other.volume_tests };
        assert_eq!(pair.counts().volume_tests, expected, "{method} searched again");
    }
}

fn far() -> Pose {
    Pose::from_translation(DVec3::splat(100.0)).expect("finite")
}
