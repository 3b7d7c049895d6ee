//! Four linearly moving points whose contacts are hard to decide, in named families.
//!
//! The same points serve as a vertex and a face, and as two edges.

use super::{
    Rng, range,
    shape::{Point, in_cube, on_grid, plus, power_of_two, times},
};
use crate::Moving;

/// A kind of motion; every seed gives another example.
#[derive(Debug, Clone, Copy)]
pub struct MovingFamily {
    /// A short name in kebab case, for test messages.
    pub name: &'static str,
    make: fn(&mut Rng) -> [Moving; 4],
}

impl MovingFamily {
    /// Returns the points of a seed. All coordinates are finite.
    pub fn points(&self, seed: u64) -> [Moving; 4] {
        let mut rng = Rng::new(seed);
        let points = (self.make)(&mut rng);
        // Permute points, axes and the direction of time.
        let turn = if rng.one_in(2) { 0 } else { rng.below(4) };
        let (axes, is_reversed) = (rng.below(3), rng.one_in(2));
        std::array::from_fn(|i| {
            let mut point = points[(i + turn as usize) % 4];
            if is_reversed {
                point.reverse();
            }
            point.map(|p| std::array::from_fn(|axis| p[(axis + axes as usize) % 3]))
        })
    }
}

/// All families of moving points.
pub fn moving_families() -> &'static [MovingFamily] {
    FAMILIES
}

const fn family(name: &'static str, make: fn(&mut Rng) -> [Moving; 4]) -> MovingFamily {
    MovingFamily { name, make }
}

const FAMILIES: &[MovingFamily] = &[
    family("uniform", uniform),
    family("grid-1", |rng| grid(rng, 1)),
    family("grid-2", |rng| grid(rng, 2)),
    family("grid-8", |rng| grid(rng, 8)),
    family("grid-2-nudged", |rng| nudged(rng, |rng| grid(rng, 2))),
    family("static", resting),
    family("partly-static", partly_resting),
    family("in-a-plane", in_a_plane),
    family("in-a-moving-plane", in_a_moving_plane),
    family("in-a-moving-plane-nudged", |rng| nudged(rng, in_a_moving_plane)),
    family("on-a-line", on_a_line),
    family("coincident-points", coincident_points),
    family("contact", contact),
    family("contact-nudged", |rng| nudged(rng, contact)),
    family("contact-rounded", contact_rounded),
    family("contact-at-an-end", contact_at_an_end),
    family("degenerate-at-contact", degenerate_at_contact),
    family("degenerate-at-contact-nudged", |rng| nudged(rng, degenerate_at_contact)),
    family("tangent", tangent),
    family("tangent-nudged", |rng| nudged(rng, tangent)),
    family("two-roots-between-adjacent-floats", close_roots),
    family("three-roots-between-adjacent-floats", closest_roots),
    family("huge", |rng| scaled(rng, 300, 332)),
    family("tiny", |rng| scaled(rng, -900, -400)),
    family("denormal", |rng| scaled(rng, -1074, -1070)),
    family("mixed-exponents", |rng| mixed_exponents(rng, -70, 70)),
];

fn uniform(rng: &mut Rng) -> [Moving; 4] {
    [(); 4].map(|()| [in_cube(rng), in_cube(rng)])
}

fn grid(rng: &mut Rng, size: i32) -> [Moving; 4] {
    [(); 4].map(|()| [on_grid(rng, size), on_grid(rng, size)])
}

/// Moves a few coordinates by an ulp or two.
fn nudged(rng: &mut Rng, make: fn(&mut Rng) -> [Moving; 4]) -> [Moving; 4] {
    let mut points = make(rng);
    for _ in 0..=rng.below(2) {
        let position = &mut points[rng.below(4) as usize][rng.below(2) as usize];
        let coordinate = &mut position[rng.below(3) as usize];
        let ulp = f64::from(rng.int(-2, 2)) * f64::EPSILON;
        *coordinate += ulp * if *coordinate == 0.0 { 1.0 } else { coordinate.abs() };
    }
    points
}

fn resting(rng: &mut Rng) -> [Moving; 4] {
    [(); 4].map(|()| [on_grid(rng, 1); 2])
}

fn partly_resting(rng: &mut Rng) -> [Moving; 4] {
    grid(rng, 2).map(|[start, end]| if rng.one_in(2) { [start; 2] } else { [start, end] })
}

/// All points stay in one plane, which may be oblique.
fn in_a_plane(rng: &mut Rng) -> [Moving; 4] {
    let (u, v) = (on_grid(rng, 1), on_grid(rng, 2));
    grid(rng, 2).map(|point| point.map(|[x, y, _]| plus(times(u, x), times(v, y))))
}

/// All points stay in one plane, which moves.
fn in_a_moving_plane(rng: &mut Rng) -> [Moving; 4] {
    let [(u, v), (w, x)] = [(); 2].map(|()| (on_grid(rng, 1), on_grid(rng, 1)));
    let origin = [on_grid(rng, 1), on_grid(rng, 1)];
    grid(rng, 2).map(|[start, _]| {
        // The coordinates within the plane are constant, so that the points are coplanar at all times.
        let at = |u, v, origin| plus(origin, plus(times(u, start[0]), times(v, start[1])));
        [at(u, v, origin[0]), at(w, x, origin[1])]
    })
}

/// All points stay on one line.
fn on_a_line(rng: &mut Rng) -> [Moving; 4] {
    let direction = on_grid(rng, 2);
    [(); 4].map(|()| {
        let start = rng.int(-4, 4);
        let end = start + rng.int(-1, 1);
        [start, end].map(|position| times(direction, f64::from(position)))
    })
}

/// Some points are at the same position at the start, at the end or always.
fn coincident_points(rng: &mut Rng) -> [Moving; 4] {
    let mut points = grid(rng, 1);
    for _ in 0..=rng.below(2) {
        let (to, from) = (rng.below(4) as usize, rng.below(4) as usize);
        match rng.below(3) {
            0 => points[to][0] = points[from][0],
            1 => points[to][1] = points[from][1],
            _ => points[to] = points[from],
        }
    }
    points
}

/// Points with given positions at a fraction of the time, and velocities that keep all coordinates integers.
fn through(
    rng: &mut Rng,
    positions: [Point; 4],
    (numerator, denominator): (i32, i32),
) -> [Moving; 4] {
    let (before, after) = (f64::from(numerator), f64::from(denominator - numerator));
    positions.map(|position| {
        let velocity = on_grid(rng, 2);
        [plus(position, times(velocity, -before)), plus(position, times(velocity, after))]
    })
}

fn fraction(rng: &mut Rng) -> (i32, i32) {
    let denominator = [2, 3, 4, 5, 7, 8][rng.below(6) as usize];
    (rng.int(1, denominator - 1), denominator)
}

/// Positions of a vertex on a face, or of edges that cross, on a grid.
fn touching(rng: &mut Rng) -> [Point; 4] {
    let [a, b, c] = [(); 3].map(|()| times(on_grid(rng, 1), 4.0));
    let (x, y) = (f64::from(rng.int(0, 4)), f64::from(rng.int(0, 4)));
    let mix = |p: Point, q: Point, x: f64| plus(times(p, 1.0 - x / 4.0), times(q, x / 4.0));
    if rng.one_in(2) {
        let point = mix(a, mix(b, c, y), x);
        return [point, a, b, c];
    }
    let point = mix(a, b, x);
    let other = plus(point, plus(point, times(c, -1.0)));
    [a, b, c, other]
}

fn contact(rng: &mut Rng) -> [Moving; 4] {
    let (positions, fraction) = (touching(rng), fraction(rng));
    through(rng, positions, fraction)
}

/// As [`contact`], with coordinates that have all bits, so that the contact is missed or met by rounding errors.
fn contact_rounded(rng: &mut Rng) -> [Moving; 4] {
    let time = rng.unit();
    let [u, v, w] = [(); 3].map(|()| in_cube(rng));
    let turn = |p: Point| plus(plus(times(u, p[0]), times(v, p[1])), times(w, p[2]));
    touching(rng).map(|position| {
        let (position, velocity) = (turn(position), times(in_cube(rng), 4.0));
        [plus(position, times(velocity, -time)), plus(position, times(velocity, 1.0 - time))]
    })
}

fn contact_at_an_end(rng: &mut Rng) -> [Moving; 4] {
    touching(rng).map(|position| [position, on_grid(rng, 4)])
}

/// Faces that are segments or points, or parallel edges, at the time of contact.
fn degenerate_at_contact(rng: &mut Rng) -> [Moving; 4] {
    let (direction, origin) = (on_grid(rng, 1), on_grid(rng, 1));
    let positions = [(); 4].map(|()| plus(origin, times(direction, f64::from(rng.int(-2, 2)))));
    let fraction = fraction(rng);
    through(rng, positions, fraction)
}

/// An edge at rest, and one that touches its line and goes back to the same side: the determinant has a double root.
fn tangent(rng: &mut Rng) -> [Moving; 4] {
    let (before, denominator) = fraction(rng);
    let (start, end) = (f64::from(-before), f64::from(denominator - before));
    let [x, along, slope] = [(); 3].map(|()| f64::from(rng.int(-2, 2)));
    let at = |t: f64| ([x, 0.0, t], [x + along, t, t + slope]);
    let ((c, d), (e, f)) = (at(start), at(end));
    [[[-2.0, 0.0, 0.0]; 2], [[2.0, 0.0, 0.0]; 2], [c, e], [d, f]]
}

/// Almost [`tangent`]: two roots of the determinant are so close that no `f64` is between them.
fn close_roots(rng: &mut Rng) -> [Moving; 4] {
    let (before, denominator) = fraction(rng);
    let (start, end) = (f64::from(-before), f64::from(denominator - before));
    let tiny = power_of_two(rng.int(-70, -20));
    let tilt = if rng.one_in(2) { -1.0 } else { 1.0 } * power_of_two(rng.int(-70, -20));
    let along = f64::from(rng.int(-2, 2));
    let x = f64::from(rng.int(-1, 1));
    let at = |t: f64| ([x, 0.0, t], [x + along, t, t]);
    let ((c, d), (e, f)) = (at(start), at(end));
    [[[0.0, -tiny, 0.0]; 2], [[4.0, -tiny, tilt]; 2], [c, e], [d, f]]
}

/// A face that shrinks to nearly a point, with a vertex close to it: the determinant is L (L² − xy) for a linear L and
/// tiny x and y.
fn closest_roots(rng: &mut Rng) -> [Moving; 4] {
    let (before, denominator) = fraction(rng);
    let times = [f64::from(-before), f64::from(denominator - before)];
    let [x, y] = [(); 2].map(|()| power_of_two(rng.int(-66, -56)));
    let z = if rng.one_in(2) { 0.0 } else { power_of_two(rng.int(-130, -56)) };
    let sign = if rng.one_in(2) { -1.0 } else { 1.0 };
    [
        times.map(|t| [z, y, t]),
        [[0.0; 3]; 2],
        times.map(|t| [sign * t, 0.0, 0.0]),
        times.map(|t| [0.0, t, x]),
    ]
}

fn scaled(rng: &mut Rng, low: i32, high: i32) -> [Moving; 4] {
    let points = match rng.below(3) {
        0 => contact(rng),
        1 => nudged(rng, contact),
        _ => grid(rng, 2),
    };
    let scale = power_of_two(rng.int(low, high));
    points.map(|point| point.map(|p| times(p, scale)))
}

/// Coordinates of different magnitudes.
fn mixed_exponents(rng: &mut Rng, low: i32, high: i32) -> [Moving; 4] {
    let [(a, b), (c, d)] = [(); 2].map(|()| range::mixed_exponents(rng, low, high));
    let mut points = [[a[0], c[0]], [a[1], c[1]], [a[2], c[2]], [b[0], d[0]]];
    if rng.one_in(2) {
        points[0] = points[1];
        points[0].swap(0, 1);
    }
    points
}
