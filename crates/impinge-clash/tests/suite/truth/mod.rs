//! The table of truth: pairs of bodies with known answers, written in many ways and formats, and checked.
//!
//! | file | what it holds |
//! |---|---|
//! | `body.rs` | boxes, prisms, rings, spheres and sheets |
//! | `pairs.rs` | the pairs, and what is true about them |
//! | `guides.rs` | parts that touch on several sides, and the same pressed into each other |
//! | `paths.rs` | bodies that move along paths, and what is true about them |
//! | `variants.rs` | ways to write a body that must not change the answer |
//! | `files.rs`, `step.rs` | formats |
//! | `table.rs` | the table in `docs/clash.md` |

mod body;
mod files;
mod guides;
mod pairs;
mod paths;
mod step;
mod table;
mod variants;

use body::Body;
use files::Storage;
use impinge::{
    clash::{Clash, Verdict},
    glam::DVec3,
};
use impinge_clash::{CheckOptions, check};
use pairs::Pair;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use variants::Variant;

/// Variants that are written in every format. The others are written as OBJ only.
const EVERYWHERE: [Variant; 5] =
    [Variant::Plain, Variant::Swapped, Variant::SomeFlipped, Variant::Turned, Variant::Far];

/// Bodies with more faces are not written as STEP.
const MAX_STEP_FACES: usize = 1000;

#[test]
fn every_pair_has_its_known_answer_however_it_is_written() {
    run(&Storage::WITHOUT_STEP, is_written);
}

fn is_written(storage: Storage, variant: Variant) -> bool {
    storage == Storage::Obj || EVERYWHERE.contains(&variant)
}

/// Files that `impinge-step` reads, which contains OpenCASCADE.
mod with_step {
    use super::{Storage, Variant, run};

    #[test]
    #[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
    fn every_pair_has_its_known_answer_as_step() {
        std::env::var_os("IMPINGE_STEP").expect("IMPINGE_STEP names the program that reads STEP");
        run(&[Storage::Step], |_, variant| matches!(variant, Variant::Plain | Variant::Turned));
    }
}

/// Checks all pairs, or those whose names contain what `IMPINGE_TRUTH` in the environment says.
fn run(storages: &[Storage], is_written: impl Fn(Storage, Variant) -> bool + Sync) {
    let (checks, pairs) = (AtomicUsize::new(0), pairs::all());
    let only = std::env::var("IMPINGE_TRUTH").unwrap_or_default();
    let mut wrong: Vec<String> =
        pairs
            .par_iter()
            .filter(|pair| pair.name.contains(&only))
            .flat_map_iter(|pair| {
                let mut wrong = Vec::new();
                for variant in Variant::ALL {
                    let Some(written) = variant.of(pair) else { continue };
                    for &storage in storages {
                        if !is_written(storage, variant) || !holds(storage, &written) {
                            continue;
                        }
                        checks.fetch_add(1, Relaxed);
                        let answers = judge(&written, storage, variant);
                        wrong.extend(answers.into_iter().map(|what| {
                            format!("{}, {variant:?}, {storage:?}: {what}", pair.name)
                        }));
                    }
                }
                wrong
            })
            .collect();
    wrong.sort();
    let checks = checks.into_inner();
    assert!(wrong.is_empty(), "{} of {checks}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checks > pairs.len() || !only.is_empty(), "only {checks} checks");
}

/// Checks a pair. Returns what is wrong with the answer.
fn judge(pair: &Pair, storage: Storage, variant: Variant) -> Vec<String> {
    let assembly = storage.assembly(&pair.bodies);
    assert_eq!(assembly.parts.len(), 2, "{}, {variant:?}, {storage:?}", pair.name);
    let mut options = CheckOptions::default();
    options.clearance = pair.clearance;
    let mut wrong = Vec::new();
    options.is_quick = true;
    let quick = check(assembly.clone(), &options, &()).expect("good options");
    let quick = quick.findings.rows.first().map(|row| row.clash.verdict);
    let fit_as_penetration = |verdict: Verdict| match verdict {
        Verdict::Fit => Verdict::Penetrating,
        other => other,
    };
    if quick != pair.verdict.map(fit_as_penetration) {
        wrong.push(format!("the quick check says {quick:?} instead of {:?}", pair.verdict));
    }
    options.is_quick = false;
    let outcome = check(assembly, &options, &()).expect("good options");
    let found = outcome.findings.rows.first().map(|row| &row.clash);
    if found.map(|clash| clash.verdict) != pair.verdict {
        let depth = found.map(|clash| (clash.depth, clash.volume, clash.band));
        let found = found.map(|clash| clash.verdict);
        wrong.push(format!("{found:?} instead of {:?} {depth:?}", pair.verdict));
        return wrong;
    }
    if let Some(clash) = found {
        wrong.extend(numbers(pair, clash, storage, variant));
        let way_out = clash.depth.and_then(|depth| depth.way_out);
        if let Some(by) = way_out.filter(|_| variant == Variant::Plain) {
            wrong.extend(is_free_after(by, clash.band, pair, storage));
        }
    }
    wrong
}

/// Complains if the bodies still overlap after the second was moved.
fn is_free_after(by: DVec3, band: f64, pair: &Pair, storage: Storage) -> Option<String> {
    let mut bodies = pair.bodies.clone();
    bodies[1] = std::mem::take(&mut bodies[1]).map(|p| p + by);
    // The move may leave an overlap as deep as the band, and writing the moved body adds its own rounding.
    let mut options = CheckOptions::default();
    options.touch = Some(band + 2.0 * storage.error(&bodies));
    let outcome = check(storage.assembly(&bodies), &options, &());
    let verdict = outcome.expect("good options").findings.rows.first()?.clash.verdict;
    (verdict != Verdict::Touching).then(|| format!("still {verdict} after a move by {by}"))
}

/// What is wrong with the numbers of a clash whose verdict is right.
fn numbers(pair: &Pair, clash: &Clash, storage: Storage, variant: Variant) -> Vec<String> {
    let mut wrong = Vec::new();
    let size = pair.bodies.iter().map(extent).fold(0.0, f64::max);
    let mut error = storage.error(&pair.bodies) + 1e-9 * size;
    if matches!(variant, Variant::SingleNoise | Variant::Single) {
        error += 3e-7 * pair.bodies.iter().map(Body::largest_coordinate).fold(0.0, f64::max);
    }
    if clash.inner != pair.inner {
        wrong.push(format!("inside is {:?} instead of {:?}", clash.inner, pair.inner));
    }
    match (clash.fit, pair.fit) {
        (Some(found), Some((shaft, difference))) => {
            if found.shaft != shaft || (found.difference() - difference).abs() > 1e-4 + error {
                wrong.push(format!("{found:?} instead of {shaft:?} {difference}"));
            }
        }
        (None, None) => {}
        (found, truth) => wrong.push(format!("{found:?} instead of {truth:?}")),
    }
    if let Some(distance) = pair.distance
        && (clash.distance - distance).abs() > 2.0 * error
    {
        wrong.push(format!("distance {} instead of {distance}", clash.distance));
    }
    if let Some(truth) = pair.depth {
        let slack = 2.0 * error + pair.facets;
        match clash.depth {
            None => wrong.push(format!("no depth instead of {truth}")),
            Some(depth) => {
                let at_most = depth.at_most().unwrap_or(f64::INFINITY);
                if depth.at_least > truth + slack || at_most < truth - slack - 2.0 * clash.band {
                    wrong.push(format!("depth {}–{at_most} instead of {truth}", depth.at_least));
                }
            }
        }
    }
    if let Some(truth) = pair.volume {
        let slack = 1e-9 * truth + error * pair.bodies.iter().map(Body::area).sum::<f64>();
        match clash.volume {
            // A part with a triangle that hangs on it is not closed.
            None if variant == Variant::Dangling => {}
            None => wrong.push(format!("no volume instead of {truth}")),
            Some(volume) if (volume - truth).abs() > slack => {
                wrong.push(format!("volume {volume} instead of {truth}"));
            }
            Some(_) => {}
        }
    }
    wrong
}

/// Whether a format can hold a pair, and its precision suffices for the answer.
fn holds(storage: Storage, pair: &Pair) -> bool {
    // In STEP, every shell would be a part of its own. Bodies with many faces take OpenCASCADE seconds.
    let is_solid = |body: &Body| {
        body.is_closed() && variants::shells(body) == 1 && body.faces.len() < MAX_STEP_FACES
    };
    (storage != Storage::Step || pair.bodies.iter().all(is_solid))
        && 20.0 * storage.error(&pair.bodies) < pair.margin
}

fn extent(body: &Body) -> f64 {
    let [min, max] = body.bounds();
    (max - min).length()
}
