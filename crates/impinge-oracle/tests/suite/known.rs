//! Pairs with known answers: made by hand, and published.

use impinge_oracle::{Triangle, meet_dimension, triangles_touch};

const NOTHING: Option<usize> = None;
const POINT: Option<usize> = Some(0);
const SEGMENT: Option<usize> = Some(1);
const POLYGON: Option<usize> = Some(2);

/// Half of a unit square in the plane z = 0; most cases are relative to it.
const FLOOR: Triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// The smallest positive number.
const TINY: f64 = f64::from_bits(1);
/// An ulp below and above 1.
const BELOW: f64 = 1.0_f64.next_down();
const ABOVE: f64 = 1.0_f64.next_up();

fn check(what: &str, a: Triangle, b: Triangle, expected: Option<usize>) {
    for (a, b) in [(a, b), (b, a), ([a[2], a[0], a[1]], [b[1], b[0], b[2]])] {
        assert_eq!(triangles_touch(&a, &b), expected.is_some(), "{what}: {a:?} {b:?}");
        assert_eq!(meet_dimension(&a, &b), expected, "{what}: {a:?} {b:?}");
    }
}

#[test]
fn across_the_plane() {
    let pierce = |x: f64, y: f64| [[x, y, -1.0], [x, y, 1.0], [x + 3.0, y + 3.0, 1.0]];
    check("through the face", FLOOR, pierce(0.25, 0.25), SEGMENT);
    check("through the long edge only", FLOOR, pierce(0.5, 0.5), POINT);
    check("past the long edge by an ulp", FLOOR, pierce(0.5, 0.5_f64.next_up()), NOTHING);
    check("through the corner only", FLOOR, pierce(1.0, 0.0), POINT);
    check("past the corner by an ulp", FLOOR, pierce(ABOVE, 0.0), NOTHING);
    check("past the corner by a denormal, outwards", FLOOR, pierce(1.0, -TINY), NOTHING);
    check("far away", FLOOR, pierce(10.0, 0.0), NOTHING);
}

#[test]
fn standing_on_the_plane() {
    let stand = |x: f64, y: f64, z: f64| [[x, y, z], [x, y + 0.1, 1.0], [x + 0.1, y, 1.0]];
    check("corner on the face", FLOOR, stand(0.25, 0.25, 0.0), POINT);
    check("corner above the face by a denormal", FLOOR, stand(0.25, 0.25, TINY), NOTHING);
    check("corner below the face by a denormal", FLOOR, stand(0.25, 0.25, -TINY), SEGMENT);
    check("corner on the corner", FLOOR, stand(0.0, 0.0, 0.0), POINT);
    check("corner on the edge", FLOOR, stand(0.5, 0.0, 0.0), POINT);
    check("corner on the plane, beside the edge", FLOOR, stand(0.5, -TINY, 0.0), NOTHING);
    let wall = |x0: f64, x1: f64, y: f64| [[x0, y, 0.0], [x1, y, 0.0], [x0, y, 1.0]];
    check("edge on the face", FLOOR, wall(0.1, 0.2, 0.25), SEGMENT);
    check("edge across the face", FLOOR, wall(-5.0, 5.0, 0.25), SEGMENT);
    check("edge along the edge", FLOOR, wall(0.25, 7.0, 0.0), SEGMENT);
    check("edge along the edge's line, end to end", FLOOR, wall(1.0, 2.0, 0.0), POINT);
    check("edge along the edge's line, an ulp apart", FLOOR, wall(ABOVE, 2.0, 0.0), NOTHING);
    check("edge in the plane through the far corner", FLOOR, wall(-1.0, 1.0, 1.0), POINT);
    check("edge in the plane past the far corner", FLOOR, wall(-1.0, 1.0, ABOVE), NOTHING);
}

#[test]
fn in_one_plane() {
    let moved = |x: f64, y: f64| FLOOR.map(|[px, py, pz]| [px + x, py + y, pz]);
    let turned = |x: f64, y: f64| FLOOR.map(|[px, py, pz]| [x - px, y - py, pz]);
    check("the same", FLOOR, FLOOR, POLYGON);
    check("overlapping", FLOOR, moved(0.25, 0.25), POLYGON);
    check("corner to corner", FLOOR, moved(1.0, 0.0), POINT);
    check("corners an ulp apart", FLOOR, moved(ABOVE, 0.0), NOTHING);
    check("the other half of the square", FLOOR, turned(1.0, 1.0), SEGMENT);
    check("the other half, an ulp off", FLOOR, turned(1.0, ABOVE), NOTHING);
    check("the other half, an ulp in", FLOOR, turned(1.0, BELOW), POLYGON);
    check("corner on the long edge", FLOOR, moved(0.5, 0.5), POINT);
    check("apart, boxes overlapping", FLOOR, moved(0.75, 0.75), NOTHING);
    check("apart", FLOOR, moved(3.0, 0.0), NOTHING);
    let inner = FLOOR.map(|p| p.map(|c| 0.25 * c)).map(|[x, y, z]| [x + 0.125, y + 0.125, z]);
    check("one inside the other", FLOOR, inner, POLYGON);
    let star = [[-1.0, 0.25, 0.0], [1.0, 0.25, 0.0], [0.25, -1.0, 0.0]];
    check("edges crossing, no corner inside", FLOOR, star, POLYGON);
    check("parallel, above", FLOOR, FLOOR.map(|[x, y, _]| [x, y, TINY]), NOTHING);
}

#[test]
fn in_space() {
    let upright = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    check("hinged at an edge", FLOOR, upright, SEGMENT);
    let other = [[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]];
    check("sharing a corner", FLOOR, other, POINT);
    let chopsticks = |z: f64| [[0.5, -1.0, z], [0.5, 1.0, z], [0.5, 0.0, z - 1.0]];
    check("an edge lying across, from below", FLOOR, chopsticks(0.0), SEGMENT);
    check("the same, lower by a denormal", FLOOR, chopsticks(-TINY), NOTHING);
    let a = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let b = |z: f64| [[0.0, -1.0, z], [0.0, 1.0, z], [0.0, 0.0, z + 1.0]];
    check("two edges crossing", a, b(0.0), POINT);
    check("two edges passing", a, b(TINY), NOTHING);
    check("two edges passed", a, b(-TINY), SEGMENT);
    let each_through_the_other = [[0.25, 0.25, -1.0], [0.25, 0.25, 1.0], [2.0, 0.25, 0.0]];
    check("each edge through the other's face", FLOOR, each_through_the_other, SEGMENT);
}

#[test]
fn degenerate() {
    let segment = |p: [f64; 3], q: [f64; 3]| [p, q, p];
    let point = |p: [f64; 3]| [p; 3];
    check("point in the face", FLOOR, point([0.25, 0.25, 0.0]), POINT);
    check("point above the face", FLOOR, point([0.25, 0.25, TINY]), NOTHING);
    check("point on the long edge", FLOOR, point([0.5, 0.5, 0.0]), POINT);
    check("point past the long edge", FLOOR, point([0.5, 0.5_f64.next_up(), 0.0]), NOTHING);
    check("the same point", point([0.1, 0.2, 0.3]), point([0.1, 0.2, 0.3]), POINT);
    check("two points", point([0.1, 0.2, 0.3]), point([0.1, 0.2, 0.3_f64.next_up()]), NOTHING);
    let through = segment([0.25, 0.25, -1.0], [0.25, 0.25, 1.0]);
    check("segment through the face", FLOOR, through, POINT);
    check("segment in the face", FLOOR, segment([0.1, 0.1, 0.0], [0.2, 0.3, 0.0]), SEGMENT);
    check("segment along the edge", FLOOR, segment([-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]), SEGMENT);
    check("segment in the plane", FLOOR, segment([2.0, 0.0, 0.0], [0.0, 2.0, 0.0]), NOTHING);
    let diagonal = segment([0.0; 3], [4.0, 4.0, 4.0]);
    check("segments crossing", diagonal, segment([0.0, 4.0, 2.0], [4.0, 0.0, 2.0]), POINT);
    check("segments skew", diagonal, segment([0.0, 4.0, 2.0], [4.0, 0.0, 2.5]), NOTHING);
    let ahead = |from: f64| segment([from; 3], [9.0; 3]);
    check("segments on one line, overlapping", diagonal, ahead(3.0), SEGMENT);
    check("segments on one line, end to end", diagonal, ahead(4.0), POINT);
    check("segments on one line, apart", diagonal, ahead(4.0_f64.next_up()), NOTHING);
    let corners_in_line = [[0.0; 3], [3.0; 3], [1.0; 3]];
    check("three corners on a line and a point of it", corners_in_line, point([2.0; 3]), POINT);
    check("segment and a point beside it", diagonal, point([1.0, 1.0, ABOVE]), NOTHING);
}

#[test]
fn extremes_of_the_range() {
    let max = f64::MAX;
    let giant = [[-max, -max, 0.0], [max, -max, 0.0], [0.0, max, 0.0]];
    let above = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, max], [0.0, 1.0, max]];
    check("the largest triangle, touched", giant, above(0.0), POINT);
    check("the largest triangle, missed by the least", giant, above(TINY), NOTHING);
    check("the largest triangle, pierced by the least", giant, above(-TINY), SEGMENT);
    let dwarf = FLOOR.map(|p| p.map(|c| c * TINY));
    check("the smallest triangle and itself", dwarf, dwarf, POLYGON);
    check("the smallest in the largest", giant, dwarf, POLYGON);
    let next = dwarf.map(|[x, y, z]| [x + TINY, y, z]);
    check("the smallest and its neighbour", dwarf, next, POINT);
    let third = dwarf.map(|[x, y, z]| [x + TINY, y + TINY, z]);
    check("the smallest and the next but one", dwarf, third, NOTHING);
}

#[test]
#[should_panic(expected = "finite coordinates only")]
fn infinity_is_refused() {
    triangles_touch(&FLOOR, &FLOOR.map(|[x, y, _]| [x, y, f64::INFINITY]));
}

/// The cases in `$IMPINGE_DATA/tri-tri`, whose exact answers were found independently.
#[test]
fn published_cases() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()) else {
        println!("left out: IMPINGE_DATA is not set, so the published cases were not checked");
        return;
    };
    let folder = std::path::Path::new(&data).join("tri-tri");
    let mut checked = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder tri-tri in IMPINGE_DATA") {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "csv") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let column = |name: &str| header.iter().position(|&h| h == name).expect(name);
        let (first, answer) = (column("a0x"), column("exact_intersects"));
        assert_eq!(column("b2z"), first + 17, "the coordinates stand side by side");
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |i: usize| fields[first + i].parse::<f64>().unwrap();
            let triangle = |start: usize| -> Triangle {
                std::array::from_fn(|c| std::array::from_fn(|axis| number(start + 3 * c + axis)))
            };
            let expected = fields[answer] == "1";
            assert_eq!(triangles_touch(&triangle(0), &triangle(9)), expected, "{line}");
            checked += 1;
        }
    }
    assert!(checked > 1_000, "{checked} cases in {}", folder.display());
}
