//! The oracle against two other methods, on the hard families and on many small grids.

use crate::second::{clipping, integers, separation};
use impinge_oracle::{cases, meet_dimension, triangles_touch};

fn family(name: &str) -> &'static cases::Family {
    cases::families().iter().find(|family| family.name == name).expect("a known family")
}

/// Compares the answers on the given seeds. Returns the number of pairs that touch.
fn compare(family: &cases::Family, seeds: std::ops::Range<u64>) -> usize {
    let mut touching = 0;
    for seed in seeds {
        let (a, b) = family.pair(seed);
        let answer = triangles_touch(&a, &b);
        let [a, b] = integers(&a, &b);
        assert_eq!(separation::touch(&a, &b), answer, "separation: {}, {seed}", family.name);
        let clipped = clipping::meet_dimension(&a, &b);
        assert_eq!(clipped.is_some(), answer, "clipping: {}, {seed}", family.name);
        touching += usize::from(answer);
    }
    touching
}

/// 160,000 pairs, with every kind of degeneracy.
#[test]
fn three_methods_agree_on_grids() {
    for name in ["grid-1", "grid-2", "grid-8", "both-degenerate"] {
        // Other seeds than in the test below, which uses the same families.
        let touching = compare(family(name), 1_000_000..1_040_000);
        assert!((2_000..38_000).contains(&touching), "{name} is one-sided: {touching}");
    }
}

#[test]
fn three_methods_agree_on_all_families() {
    for family in cases::families() {
        let seeds = if family.name.starts_with("mixed") { 0..300 } else { 0..1_500 };
        compare(family, seeds);
    }
}

#[test]
fn meet_dimensions_agree_with_clipping() {
    let mut seen = [0; 4];
    for family in cases::families() {
        let seeds = if family.name.starts_with("mixed") { 0..100 } else { 0..500 };
        for seed in seeds {
            let (a, b) = family.pair(seed);
            let answer = meet_dimension(&a, &b);
            let [a, b] = integers(&a, &b);
            assert_eq!(answer, clipping::meet_dimension(&a, &b), "{}, {seed}", family.name);
            seen[answer.map_or(0, |dimension| dimension + 1)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 500), "some answers are too rare: {seen:?}");
}
