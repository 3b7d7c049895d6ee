//! Contacts between two instants: vertices, edges and triangles that move linearly, compared with an oracle that
//! shares neither code nor method.
//!
//! `IMPINGE_MOTIONS` sets how many motions each family contributes (default 250).

use impinge::glam::DVec3;
use impinge::narrow::{
    ContactTime, MovingFeatures, MovingPoint, edge_edge_contact, edge_edge_contact_until,
    moving_triangles_contact, moving_triangles_contact_until, vertex_face_contact,
    vertex_face_contact_until,
};
use impinge_oracle::cases::{MovingFamily, Rng, moving_families};
use impinge_oracle::{
    FirstContact, Moving, edge_edge_first_contact, triangles_touch, vertex_face_first_contact,
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn motions_per_family() -> u64 {
    match std::env::var("IMPINGE_MOTIONS") {
        Ok(count) => count.parse().expect("IMPINGE_MOTIONS is a number of motions"),
        Err(_) => 250,
    }
}

fn moving([start, end]: Moving) -> MovingPoint {
    MovingPoint::new(DVec3::from(start), DVec3::from(end))
}

/// The answer of the library for four points: as vertex and face, or as two edges.
fn contact(has_face: bool, points: [Moving; 4], t_max: f64) -> Option<ContactTime> {
    let [p, q, r, s] = points.map(moving);
    let (limited, whole) = if has_face {
        (vertex_face_contact_until(p, [q, r, s], t_max), vertex_face_contact(p, [q, r, s]))
    } else {
        (edge_edge_contact_until([p, q], [r, s], t_max), edge_edge_contact([p, q], [r, s]))
    };
    // The contacts up to a limit are those of the whole interval that are not later.
    assert_eq!(limited, whole.filter(|time| time.latest <= t_max), "up to {t_max:e}: {points:?}");
    limited
}

fn oracle(has_face: bool, [p, q, r, s]: [Moving; 4]) -> Option<FirstContact> {
    if has_face {
        vertex_face_first_contact(p, [q, r, s])
    } else {
        edge_edge_first_contact([p, q], [r, s])
    }
}

/// Checks that a time contains the exact one, and is as narrow as possible.
fn check_time(time: ContactTime, exact: &FirstContact, place: &str) {
    let ContactTime { earliest, latest } = time;
    assert!(exact.compare(earliest).is_ge(), "{earliest:e} is too late: {place}");
    assert!(exact.compare(latest).is_le(), "{latest:e} is too early: {place}");
    let is_narrow =
        earliest == latest || earliest.next_up() == latest && exact.compare(earliest).is_gt();
    assert!(is_narrow, "{earliest:e} to {latest:e} is wide: {place}");
}

#[test]
fn every_first_contact_equals_the_oracles() {
    let (decided, inside) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for family in moving_families() {
        for has_face in [true, false] {
            let found = AtomicUsize::new(0);
            (0..motions_per_family()).into_par_iter().for_each(|seed| {
                let points = family.points(seed);
                let place = format!("{}, face {has_face}, seed {seed}: {points:?}", family.name);
                match (oracle(has_face, points), contact(has_face, points, 1.0)) {
                    (Some(exact), Some(time)) => {
                        check_time(time, &exact, &place);
                        found.fetch_add(1, Relaxed);
                        inside.fetch_add(usize::from(time.earliest > 0.0), Relaxed);
                        // Limits just before the contact, at it and after it.
                        contact(has_face, points, time.earliest);
                        contact(has_face, points, time.latest);
                        contact(has_face, points, time.earliest.next_down());
                        contact(has_face, points, 0.5 * (time.latest + 1.0));
                    }
                    (None, None) => {
                        contact(has_face, points, 0.5);
                    }
                    (Some(_), None) => panic!("a contact is missed: {place}"),
                    (None, Some(time)) => panic!("a false contact at {time:?}: {place}"),
                }
                decided.fetch_add(1, Relaxed);
            });
            let share = found.into_inner() as f64 / motions_per_family() as f64;
            println!("{:36} face {has_face:5} {:5.1} % contacts", family.name, 100.0 * share);
            // Too few motions may be one-sided by chance.
            let is_balanced = motions_per_family() < 200 || (0.005..0.998).contains(&share);
            assert!(is_balanced, "{} is one-sided: {share}", family.name);
        }
    }
    println!("{decided:?} motions decided, {inside:?} contacts after the start, none differently");
}

fn for_each_motion(count: u64, check: impl Fn(&MovingFamily, u64, [Moving; 4]) + Sync) {
    for family in moving_families() {
        (0..count).into_par_iter().for_each(|seed| check(family, seed, family.points(seed)));
    }
}

/// The order of corners and edges does not matter, nor does a scale. In reversed time there is a contact, too, but
/// the first one is another.
#[test]
fn symmetric_questions_have_the_same_answer() {
    for_each_motion(400, |family, seed, points| {
        let [p, q, r, s] = points;
        let place = format!("{}, seed {seed}", family.name);
        let face = contact(true, points, 1.0);
        for other in [[p, r, s, q], [p, s, r, q], [p, r, q, s]] {
            assert_eq!(contact(true, other, 1.0), face, "{place}");
        }
        let edges = contact(false, points, 1.0);
        for other in [[q, p, r, s], [p, q, s, r], [r, s, p, q], [s, r, q, p]] {
            assert_eq!(contact(false, other, 1.0), edges, "{place}");
        }
        let reversed = points.map(|[start, end]| [end, start]);
        assert_eq!(contact(true, reversed, 1.0).is_some(), face.is_some(), "{place}");
        assert_eq!(contact(false, reversed, 1.0).is_some(), edges.is_some(), "{place}");
        for exponent in [-400, -150, -3, 5, 120, 330] {
            let scaled = points.map(|p| p.map(|p| p.map(|x| x * 2f64.powi(exponent))));
            let restored = scaled.map(|p| p.map(|p| p.map(|x| x / 2f64.powi(exponent))));
            if restored == points {
                assert_eq!(contact(true, scaled, 1.0), face, "{place}, 2^{exponent}");
                assert_eq!(contact(false, scaled, 1.0), edges, "{place}, 2^{exponent}");
            }
        }
    });
}

/// Coordinates whose exponents differ by hundreds, from the least denormal number up to 1e100, have polynomials of
/// thousands of bits.
#[test]
fn the_whole_range_of_coordinates_is_decided() {
    let found = AtomicUsize::new(0);
    (0..40u64).into_par_iter().for_each(|seed| {
        let mut rng = Rng::new(seed);
        let lowest = rng.int(-1074, 100);
        let mut coordinate = || {
            let exponent = lowest + rng.int(0, 230);
            let magnitude = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            f64::from(rng.int(-3, 3)) * magnitude
        };
        let mut points = [(); 4].map(|()| [(); 2].map(|()| [(); 3].map(|()| coordinate())));
        // Most such points are far apart, unless some of them coincide at one end.
        points[0][1] = points[rng.below(3) as usize + 1][rng.below(2) as usize];
        for has_face in [true, false] {
            let place = format!("face {has_face}, seed {seed}: {points:?}");
            let time = contact(has_face, points, 1.0);
            let exact = oracle(has_face, points);
            assert_eq!(time.is_some(), exact.is_some(), "{place}");
            if let (Some(time), Some(exact)) = (time, exact) {
                check_time(time, &exact, &place);
                found.fetch_add(1, Relaxed);
            }
        }
    });
    println!("{found:?} contacts");
    assert!(found.into_inner() > 10, "hardly a contact");
}

/// The first contact of two triangles is the first one of the oracle among all their features, and no two triangles
/// touch before it.
#[test]
fn triangles_meet_first_where_the_oracle_says() {
    let (started, later) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for family in moving_families() {
        (0..motions_per_family() / 4).into_par_iter().for_each(|seed| {
            // Six points: those of one seed, and two of another.
            let (first, second) = (family.points(seed), family.points(seed + 1_000_000));
            let (a, b) = ([first[0], first[1], second[0]], [first[2], first[3], second[1]]);
            let place = format!("{}, seed {seed}: {a:?} {b:?}", family.name);
            let found = moving_triangles_contact(&a.map(moving), &b.map(moving));
            let swapped = moving_triangles_contact(&b.map(moving), &a.map(moving));
            assert_eq!(found.map(|c| c.time), swapped.map(|c| c.time), "{place}");
            if triangles_touch(&a.map(|p| p[0]), &b.map(|p| p[0])) {
                let contact = found.unwrap_or_else(|| panic!("missed at the start: {place}"));
                assert_eq!(contact.features, MovingFeatures::Start, "{place}");
                assert_eq!(contact.time, ContactTime::START, "{place}");
                started.fetch_add(1, Relaxed);
                return;
            }
            let mut contacts = Vec::new();
            for i in 0..3 {
                let features = MovingFeatures::VertexFace { a: i };
                contacts.push((vertex_face_first_contact(a[i], b), features));
                let features = MovingFeatures::FaceVertex { b: i };
                contacts.push((vertex_face_first_contact(b[i], a), features));
                for j in 0..3 {
                    let edges = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
                    let features = MovingFeatures::EdgeEdge { a: i, b: j };
                    contacts.push((edge_edge_first_contact(edges.0, edges.1), features));
                }
            }
            let contacts: Vec<_> =
                contacts.into_iter().filter_map(|(time, f)| Some((time?, f))).collect();
            assert_eq!(found.is_some(), !contacts.is_empty(), "{found:?}: {place}");
            let Some(found) = found else { return };
            // No contact of features is earlier, and that of the reported ones is at the reported time.
            for (exact, features) in &contacts {
                assert!(exact.compare(found.time.earliest).is_ge(), "{features:?}: {place}");
                if *features == found.features {
                    check_time(found.time, exact, &place);
                }
            }
            assert!(contacts.iter().any(|(_, features)| *features == found.features), "{place}");
            let until = |t| moving_triangles_contact_until(&a.map(moving), &b.map(moving), t);
            assert_eq!(until(found.time.latest), Some(found), "{place}");
            assert_eq!(until(found.time.earliest.next_down()), None, "{place}");
            later.fetch_add(1, Relaxed);
        });
    }
    println!("{started:?} touch at the start, {later:?} later");
    assert!(later.into_inner() as u64 > motions_per_family(), "hardly a contact after the start");
}

/// The positions at eighths of the time are exact for coordinates on a grid, so the oracle for triangles at rest can
/// be asked about each of these instants.
#[test]
fn contacts_agree_with_triangles_at_instants() {
    let touching = AtomicUsize::new(0);
    (0..4000u64).into_par_iter().for_each(|seed| {
        let mut rng = Rng::new(seed);
        let mut point = || [(); 2].map(|()| [(); 3].map(|()| f64::from(rng.int(-8, 8))));
        let (a, b): ([Moving; 3], [Moving; 3]) =
            ([(); 3].map(|()| point()), [(); 3].map(|()| point()));
        let found = moving_triangles_contact(&a.map(moving), &b.map(moving));
        let first = found.map_or(f64::INFINITY, |contact| contact.time.earliest);
        for eighth in 0..=8 {
            let time = f64::from(eighth) / 8.0;
            let at = |[start, end]: Moving| {
                std::array::from_fn(|i| start[i] * (1.0 - time) + end[i] * time)
            };
            if triangles_touch(&a.map(at), &b.map(at)) {
                assert!(first <= time, "seed {seed}: at {time}, but {found:?}");
                touching.fetch_add(1, Relaxed);
            } else {
                assert_ne!(found.map(|contact| contact.time.latest), Some(time), "seed {seed}");
            }
        }
    });
    assert!(touching.into_inner() > 1000, "hardly a contact");
}
