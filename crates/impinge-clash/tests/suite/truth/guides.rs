//! Parts that guide each other: a drawer in its channel, a plug in its socket, a rail in its groove. They touch on
//! several sides however far one is pulled out, and overlap as soon as it is pushed aside.
//!
//! Rounding moves vertices of such parts into the other part or out of it nearly everywhere, also close to the edges,
//! where a mesh that was not written perfectly has gaps.

use super::{
    body::{Body, circle, square},
    files::Storage,
    holds, judge,
    pairs::Pair,
    variants::Variant,
};
use impinge::{
    clash::Verdict,
    glam::{DVec2, DVec3, dvec3},
};
use impinge_clash::{CheckOptions, check};
use rayon::prelude::*;

/// Seeds of the noise. Other ways to write a body use none but for the order of faces.
const SEEDS: std::ops::Range<u64> = 0..6;
const SCALES: [f64; 3] = [1.0, 1e-3, 1e3];
/// Overlaps that must be found, in touch bands.
const OVERLAP: f64 = 10.0;

/// A part that rests, one that slides along it, and how.
struct Guide {
    name: &'static str,
    rests: Body,
    slides: Body,
    along: DVec3,
    /// How far it is pulled out, at most by less than what would free it.
    by: &'static [f64],
    /// A direction in which it is pressed against a plane.
    into: DVec3,
}

impl Guide {
    /// The parts after the slide, and after the part that slides was pressed into the other; all scaled.
    fn pair(&self, by: f64, pressed: f64, scale: f64) -> Pair {
        let shift = self.along * by + self.into * (pressed / scale);
        let slid = self.slides.clone().moved(shift.x, shift.y, shift.z);
        let [rests, slides] =
            [self.rests.clone(), slid].map(|body| body.map(|position| position * scale));
        let name = format!("{}, {by} out, times {scale}", self.name);
        match pressed > 0.0 {
            true => {
                let name = format!("{name}, pressed by {pressed}");
                Pair::new(name, Some(Verdict::Penetrating), rests, slides).depth(pressed)
            }
            false => Pair::new(name, Some(Verdict::Touching), rests, slides),
        }
    }
}

fn guides() -> Vec<Guide> {
    let prism = |outline: &[[f64; 2]], height: f64| {
        let outline: Vec<DVec2> = outline.iter().copied().map(DVec2::from_array).collect();
        Body::prism(&outline, height)
    };
    let groove = [
        [-30., 0.],
        [30., 0.],
        [30., 30.],
        [10., 30.],
        [15., 15.],
        [-15., 15.],
        [-10., 30.],
        [-30., 30.],
    ];
    let slot = [
        [-40., 0.],
        [40., 0.],
        [40., 50.],
        [10., 50.],
        [10., 30.],
        [25., 30.],
        [25., 10.],
        [-25., 10.],
        [-25., 30.],
        [-10., 30.],
        [-10., 50.],
        [-40., 50.],
    ];
    let tee = [
        [-25., 10.],
        [25., 10.],
        [25., 30.],
        [10., 30.],
        [10., 60.],
        [-10., 60.],
        [-10., 30.],
        [-25., 30.],
    ];
    // Flat, so that nobody takes it for a cylinder.
    let hexagon = |radius: f64| -> Vec<DVec2> {
        circle(radius, 6).into_iter().map(|p| p * DVec2::new(1.0, 0.6)).collect()
    };
    vec![
        Guide {
            name: "drawer in a square channel",
            rests: Body::ring(&square(20.0), &square(10.0), 30.0),
            slides: Body::cuboid(10.0, 10.0, 30.0),
            along: DVec3::Z,
            by: &[0.0, 2.5, 7.3, 15.0, 22.5, 29.0],
            into: DVec3::X,
        },
        Guide {
            name: "plug in a blind hole",
            rests: Body::pocket(20.0, 10.0, 30.0, 20.0),
            slides: Body::cuboid(10.0, 10.0, 30.0).moved(0.0, 0.0, 10.0),
            along: DVec3::Z,
            by: &[0.0, 1.0 / 3.0, 6.25, 19.0],
            into: DVec3::NEG_Y,
        },
        Guide {
            name: "block in a U, along it",
            rests: Body::channel(),
            slides: Body::cuboid(40.0, 50.0, 40.0).moved(0.0, 35.0, 0.0),
            along: DVec3::NEG_Z,
            by: &[0.0, 12.5, 38.7],
            into: DVec3::X,
        },
        Guide {
            name: "block in a U, out of it",
            rests: Body::channel(),
            slides: Body::cuboid(40.0, 50.0, 40.0).moved(0.0, 35.0, 0.0),
            along: DVec3::Y,
            by: &[4.2, 25.0, 47.5],
            into: DVec3::NEG_X,
        },
        Guide {
            name: "dovetail",
            rests: prism(&groove, 50.0),
            slides: prism(&[[-15., 15.], [15., 15.], [10., 30.], [-10., 30.]], 50.0),
            along: DVec3::Z,
            by: &[0.0, 9.1, 25.0, 41.5],
            into: DVec3::NEG_Y,
        },
        Guide {
            name: "T in a slot",
            rests: prism(&slot, 60.0),
            slides: prism(&tee, 60.0),
            along: dvec3(0.0, 0.0, -1.0),
            by: &[0.0, 20.0, 52.5],
            into: DVec3::Y,
        },
        Guide {
            name: "flat hexagonal bar in its hole",
            rests: Body::ring(&hexagon(20.0), &hexagon(10.0), 30.0),
            slides: Body::prism(&hexagon(10.0), 30.0),
            along: DVec3::Z,
            by: &[0.0, 5.5, 22.5],
            into: DVec3::Y,
        },
    ]
}

/// Calls a check for all guides, slides, scales, ways to write them and formats. Returns the complaints.
fn complaints(
    scales: &[f64],
    check: impl Fn(&Guide, f64, f64, Variant, u64, Storage) -> Vec<String> + Sync,
) -> Vec<String> {
    let only = std::env::var("IMPINGE_TRUTH").unwrap_or_default();
    let guides = guides();
    let mut cases = Vec::new();
    for guide in guides.iter().filter(|guide| guide.name.contains(&only)) {
        for (&by, &scale) in guide.by.iter().flat_map(|by| scales.iter().map(move |s| (by, s))) {
            for variant in Variant::ALL {
                let seeds = if variant.is_noise() { SEEDS } else { 0..1 };
                cases.extend(seeds.map(|seed| (guide, by, scale, variant, seed)));
            }
        }
    }
    let of_case = |&(guide, by, scale, variant, seed): &(&Guide, f64, f64, Variant, u64)| {
        let storages = Storage::WITHOUT_STEP
            .into_iter()
            .filter(move |&storage| super::is_written(storage, variant));
        storages
            .flat_map(|storage| {
                check(guide, by, scale, variant, seed, storage).into_iter().map(move |what| {
                    let name = &guide.name;
                    format!(
                        "{name}, {by} out, times {scale}, {variant:?} {seed}, {storage:?}: {what}"
                    )
                })
            })
            .collect::<Vec<String>>()
    };
    cases.par_iter().flat_map_iter(of_case).collect()
}

#[test]
fn parts_that_guide_each_other_touch_however_far_one_is_out() {
    let wrong = complaints(&SCALES, |guide, by, scale, variant, seed, storage| {
        match variant.with_seed(&guide.pair(by, 0.0, scale), seed) {
            Some(pair) if holds(storage, &pair) => judge(&pair, storage, variant),
            _ => Vec::new(),
        }
    });
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The overlap is ten times the touch band that the check itself names, so it is small, and no rounding.
#[test]
fn parts_that_guide_each_other_penetrate_if_one_is_pressed_aside() {
    let wrong = complaints(&SCALES, |guide, by, scale, variant, seed, storage| {
        let touching = variant.with_seed(&guide.pair(by, 0.0, scale), seed);
        let Some(touching) = touching.filter(|pair| holds(storage, pair)) else {
            return Vec::new();
        };
        let outcome = check(storage.assembly(&touching.bodies), &CheckOptions::default(), &());
        let findings = outcome.expect("good options").findings;
        let Some(row) = findings.rows.first() else { return vec!["clear".to_owned()] };
        let pressed = guide.pair(by, OVERLAP * row.clash.band, scale);
        match variant.with_seed(&pressed, seed) {
            Some(pair) if holds(storage, &pair) => judge(&pair, storage, variant),
            _ => Vec::new(),
        }
    });
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
