//! Rays and triangles that are hard to decide, in named families.

use super::shape::{
    Point, coarse_triangle, combine, in_cube, nudge, offset, on_edge, on_face, on_grid, plus,
    power_of_two, size, times, triangle_in_cube,
};
use super::{Rng, general};
use crate::Triangle;

/// A ray and a triangle to be tested against each other.
#[derive(Debug, Clone, Copy)]
pub struct RayCase {
    /// The origin of the ray.
    pub origin: [f64; 3],
    /// The direction: finite, not zero.
    pub direction: [f64; 3],
    /// The largest parameter; infinite for no limit.
    pub t_max: f64,
    /// The triangle.
    pub triangle: Triangle,
}

/// A kind of ray; every seed gives another example.
#[derive(Debug, Clone, Copy)]
pub struct RayFamily {
    /// A short name in kebab case, for test messages.
    pub name: &'static str,
    make: fn(&mut Rng) -> RayCase,
}

impl RayFamily {
    /// Returns the case of a seed. All numbers are finite, and the direction is not zero.
    pub fn case(&self, seed: u64) -> RayCase {
        let mut rng = Rng::new(seed);
        let mut case = (self.make)(&mut rng);
        if case.direction == [0.0; 3] {
            case.direction[0] = 1.0;
        }
        // Permute corners and axes, and mirror axes.
        let order = order(&mut rng);
        case.triangle = order.map(|i| case.triangle[i]);
        let axes = self::order(&mut rng);
        let signs = [0; 3].map(|_| if rng.one_in(2) { -1.0 } else { 1.0 });
        case.map(|p| std::array::from_fn(|axis| signs[axis] * p[axes[axis]]))
    }
}

/// All families of rays.
pub fn ray_families() -> &'static [RayFamily] {
    FAMILIES
}

const FAMILIES: &[RayFamily] = &[
    RayFamily { name: "uniform", make: uniform },
    RayFamily { name: "aimed", make: aimed },
    RayFamily { name: "aimed-far", make: aimed_far },
    RayFamily { name: "grid-1", make: |rng| grid(rng, 1) },
    RayFamily { name: "grid-2", make: |rng| grid(rng, 2) },
    RayFamily { name: "grid-8", make: |rng| grid(rng, 8) },
    RayFamily { name: "along-an-axis", make: along_an_axis },
    RayFamily { name: "through-face", make: |rng| through(rng, face) },
    RayFamily { name: "through-edge", make: |rng| through(rng, edge) },
    RayFamily { name: "through-corner", make: |rng| through(rng, corner) },
    RayFamily { name: "through-face-moved", make: |rng| moved(rng, face) },
    RayFamily { name: "through-edge-moved", make: |rng| moved(rng, edge) },
    RayFamily { name: "through-corner-moved", make: |rng| moved(rng, corner) },
    RayFamily { name: "in-plane", make: in_plane },
    RayFamily { name: "in-plane-off-by-an-ulp", make: in_plane_moved },
    RayFamily { name: "along-an-edge", make: along_an_edge },
    RayFamily { name: "segment", make: segment },
    RayFamily { name: "segment-moved", make: segment_moved },
    RayFamily { name: "point", make: point },
    RayFamily { name: "sliver", make: sliver },
    RayFamily { name: "far", make: far },
    RayFamily { name: "scaled", make: |rng| scaled(rng, [-300, 300], [-300, 300]) },
    RayFamily { name: "tiny", make: |rng| scaled(rng, [-1000, -300], [-1000, 0]) },
    RayFamily { name: "huge", make: |rng| scaled(rng, [300, 900], [0, 900]) },
    RayFamily { name: "tiny-direction", make: |rng| scaled(rng, [-20, 900], [-1000, -900]) },
    RayFamily { name: "denormal", make: denormal },
    RayFamily { name: "largest", make: largest },
    RayFamily { name: "mixed-exponents", make: |rng| mixed_exponents(rng, -1074, 1000) },
    RayFamily { name: "mixed-exponents-mild", make: |rng| mixed_exponents(rng, -60, 60) },
];

impl RayCase {
    fn map(self, f: impl Fn(Point) -> Point) -> Self {
        Self {
            origin: f(self.origin),
            direction: f(self.direction),
            t_max: self.t_max,
            triangle: self.triangle.map(&f),
        }
    }
}

fn order(rng: &mut Rng) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.swap(0, rng.below(3) as usize);
    order.swap(1, 1 + rng.below(2) as usize);
    order
}

/// A limit: none half of the time, else one of ordinary size.
fn any_limit(rng: &mut Rng) -> f64 {
    if rng.one_in(2) { f64::INFINITY } else { 2.0 * rng.unit() }
}

fn uniform(rng: &mut Rng) -> RayCase {
    let triangle = triangle_in_cube(rng);
    let (origin, direction) = (in_cube(rng), in_cube(rng));
    RayCase { origin, direction, t_max: any_limit(rng), triangle }
}

/// A ray towards a point of the triangle, or slightly beside it.
fn aimed(rng: &mut Rng) -> RayCase {
    let (triangle, target) = general::close(rng);
    let target: Point = std::array::from_fn(|i| target.iter().map(|corner| corner[i] / 3.0).sum());
    let origin = in_cube(rng);
    let direction = combine(target, origin, |p, q| p - q);
    RayCase { origin, direction, t_max: any_limit(rng), triangle }
}

/// A ray from so far away that the corners, seen from there, differ by few ulps.
fn aimed_far(rng: &mut Rng) -> RayCase {
    let case = aimed(rng);
    let distance = power_of_two(rng.int(10, 50));
    let origin = combine(case.origin, case.direction, |o, d| o - d * distance);
    RayCase { origin, t_max: case.t_max * distance, ..case }
}

/// All coordinates on a small integer grid, where degenerate cases are frequent.
fn grid(rng: &mut Rng, size: i32) -> RayCase {
    let triangle = [0; 3].map(|_| on_grid(rng, size));
    let (origin, direction) = (on_grid(rng, size), on_grid(rng, size));
    let t_max = [f64::INFINITY, 0.0, 0.5, 1.0 / 3.0, 1.0, 2.0][rng.below(6) as usize];
    RayCase { origin, direction, t_max, triangle }
}

fn along_an_axis(rng: &mut Rng) -> RayCase {
    let case = if rng.one_in(2) { grid(rng, 4) } else { aimed(rng) };
    let step = if rng.one_in(2) { 1.0 } else { rng.signed() };
    RayCase { direction: [step, 0.0, 0.0], ..case }
}

fn face(rng: &mut Rng, t: &Triangle) -> Point {
    on_face(rng, t)
}

fn edge(rng: &mut Rng, t: &Triangle) -> Point {
    on_edge(rng, t[0], t[1])
}

fn corner(_: &mut Rng, t: &Triangle) -> Point {
    t[0]
}

/// A ray that reaches a point at parameter 0 to 3: exact, for coarse points. The limit is at that parameter,
/// slightly below, slightly above, or away from it.
fn ray_through(rng: &mut Rng, target: Point, triangle: Triangle) -> RayCase {
    let direction = offset(rng, size(&triangle));
    let steps = f64::from(rng.int(0, 3));
    let origin = combine(target, direction, |p, d| p - steps * d);
    let t_max = match rng.below(8) {
        0 | 1 => steps,
        2 if steps > 0.0 => steps.next_down(),
        3 => steps.next_up(),
        4 => 2.0 * steps + 1.0,
        5 => 0.75 * steps,
        _ => f64::INFINITY,
    };
    RayCase { origin, direction, t_max, triangle }
}

fn through(rng: &mut Rng, target: fn(&mut Rng, &Triangle) -> Point) -> RayCase {
    let triangle = coarse_triangle(rng);
    let target = target(rng, &triangle);
    ray_through(rng, target, triangle)
}

/// Like the exact case, with one coordinate moved by a few ulps.
fn moved(rng: &mut Rng, target: fn(&mut Rng, &Triangle) -> Point) -> RayCase {
    let mut case = through(rng, target);
    nudge_case(rng, &mut case);
    case
}

fn nudge_case(rng: &mut Rng, case: &mut RayCase) {
    let mut parts = [case.origin, case.direction, case.origin];
    if rng.one_in(2) {
        nudge(rng, &mut case.triangle);
    } else {
        nudge(rng, &mut parts);
        (case.origin, case.direction) = (parts[0], parts[1]);
    }
}

/// Ray and triangle in one tilted plane: exact, since all points are small integer combinations of small integer
/// vectors.
fn in_plane(rng: &mut Rng) -> RayCase {
    let [u, v] = [0; 2].map(|_| on_grid(rng, 1000));
    let place = on_grid(rng, 1_000_000);
    let reach = [3, 30, 300][rng.below(3) as usize];
    let mut combination = |base: Point| -> Point {
        let [s, t] = [0; 2].map(|_| f64::from(rng.int(-reach, reach)));
        std::array::from_fn(|axis| base[axis] + s * u[axis] + t * v[axis])
    };
    let triangle = [0; 3].map(|_| combination(place));
    let (origin, direction) = (combination(place), combination([0.0; 3]));
    RayCase { origin, direction, t_max: any_limit(rng), triangle }
}

fn in_plane_moved(rng: &mut Rng) -> RayCase {
    let mut case = in_plane(rng);
    nudge_case(rng, &mut case);
    case
}

/// A ray along the line of an edge, starting before it, on it or behind it.
fn along_an_edge(rng: &mut Rng) -> RayCase {
    let triangle = coarse_triangle(rng);
    let way = combine(triangle[1], triangle[0], |p, q| p - q);
    let direction = times(way, if rng.one_in(2) { 0.5 } else { -0.25 });
    let steps = f64::from(rng.int(-4, 4)) / 4.0;
    let origin = combine(triangle[0], way, |p, d| p + steps * d);
    let t_max = [f64::INFINITY, 1.0, 2.0, 4.0, 0.0][rng.below(5) as usize];
    let mut case = RayCase { origin, direction, t_max, triangle };
    if rng.one_in(3) {
        nudge_case(rng, &mut case);
    }
    case
}

/// A ray towards a triangle that is a segment.
fn segment(rng: &mut Rng) -> RayCase {
    let [p, q, _] = coarse_triangle(rng);
    let third = match rng.below(3) {
        0 => p,
        1 => on_edge(rng, p, q),
        _ => combine(p, q, |p, q| 0.5 * (p + q)),
    };
    let triangle = [p, q, third];
    let target = match rng.below(4) {
        0 => p,
        // On the line of the segment, but beyond its end.
        1 => combine(p, q, |p, q| 1.25 * q - 0.25 * p),
        _ => on_edge(rng, p, q),
    };
    let mut case = ray_through(rng, target, triangle);
    if rng.one_in(4) {
        case.direction = combine(q, p, |q, p| q - p);
    }
    case
}

fn segment_moved(rng: &mut Rng) -> RayCase {
    let mut case = segment(rng);
    nudge_case(rng, &mut case);
    case
}

/// A ray towards a triangle that is a point, or three points a few ulps apart.
fn point(rng: &mut Rng) -> RayCase {
    let triangle = coarse_triangle(rng);
    let target = triangle[0];
    let case = ray_through(rng, target, triangle);
    let mut case = RayCase { triangle: [target; 3], ..case };
    if rng.one_in(2) {
        nudge_case(rng, &mut case);
    }
    case
}

/// A ray towards a triangle whose third corner lies between the others, up to rounding.
fn sliver(rng: &mut Rng) -> RayCase {
    let [p, q] = [0; 2].map(|_| in_cube(rng));
    let [s, t] = [rng.unit(), rng.unit()];
    let between = |weight: f64| combine(p, q, |p, q| p + weight * (q - p));
    let (triangle, target) = ([p, q, between(s)], between(t));
    let direction = match rng.below(3) {
        0 => combine(q, p, |q, p| q - p),
        _ => in_cube(rng),
    };
    let steps = 3.0 * rng.unit();
    let origin = combine(target, direction, |p, d| p - steps * d);
    RayCase { origin, direction, t_max: any_limit(rng) + steps, triangle }
}

/// Small triangles far from the origin, so that their coordinates are coarse.
fn far(rng: &mut Rng) -> RayCase {
    let case = if rng.one_in(2) { aimed(rng) } else { grid(rng, 3) };
    let size = [1e-7, 1e-6, 1e-5, 1e-3, 1.0][rng.below(5) as usize];
    let place = [0; 3].map(|_| if rng.one_in(2) { -1e8 } else { 1e8 });
    let put = |point: Point| plus(place, times(point, size));
    RayCase {
        origin: put(case.origin),
        triangle: case.triangle.map(put),
        direction: times(case.direction, size),
        ..case
    }
}

/// Any of the exact kinds above, with points and direction multiplied by powers of two.
fn scaled(rng: &mut Rng, points: [i32; 2], directions: [i32; 2]) -> RayCase {
    let case = match rng.below(6) {
        0 => moved(rng, face),
        1 => moved(rng, edge),
        2 => through(rng, corner),
        3 => in_plane(rng),
        4 => segment(rng),
        _ => aimed(rng),
    };
    let point_exponent = rng.int(points[0], points[1]);
    let way_exponent = rng.int(directions[0], directions[1]);
    let (factor, way) = (power_of_two(point_exponent), power_of_two(way_exponent));
    // The limit is scaled as far as possible; it need not be exact.
    let t_max = case.t_max * (factor / way).clamp(1e-300, 1e300);
    RayCase {
        origin: times(case.origin, factor),
        triangle: case.triangle.map(|corner| times(corner, factor)),
        direction: times(case.direction, way),
        t_max: if t_max > f64::MAX { f64::INFINITY } else { t_max },
    }
}

/// Multiples of the smallest positive number.
fn denormal(rng: &mut Rng) -> RayCase {
    let case = if rng.one_in(2) {
        let size = [2, 8, 1000, 1_000_000][rng.below(4) as usize];
        grid(rng, size)
    } else {
        let target = [face, edge, corner][rng.below(3) as usize];
        let case = through(rng, target);
        case.map(|p| times(p, 256.0))
    };
    let least = f64::from_bits(1);
    let direction = if rng.one_in(2) { case.direction } else { times(case.direction, least) };
    RayCase { direction, ..case.map(|p| times(p, least)) }
}

/// Near `f64::MAX`, where sums and differences overflow.
fn largest(rng: &mut Rng) -> RayCase {
    if rng.one_in(3) {
        let mut any = || [0; 3].map(|_| f64::MAX * rng.signed());
        let (triangle, origin, direction) = ([any(), any(), any()], any(), any());
        return RayCase { origin, direction, t_max: any_limit(rng), triangle };
    }
    let size = [2, 8, 1000][rng.below(3) as usize];
    let case = grid(rng, size);
    let centre = f64::MAX * 0.75;
    let ulp = centre.next_up() - centre;
    let place = [0; 3].map(|_| if rng.one_in(2) { centre } else { -centre });
    let put = |point: Point| plus(place, times(point, ulp));
    let direction = if rng.one_in(2) { case.direction } else { times(case.direction, ulp) };
    RayCase { origin: put(case.origin), triangle: case.triangle.map(put), direction, ..case }
}

/// Numbers of very different magnitudes.
fn mixed_exponents(rng: &mut Rng, low: i32, high: i32) -> RayCase {
    let mut any = || {
        [0; 3].map(|_| {
            let mantissa = (1.0 + rng.unit()) * if rng.one_in(2) { -1.0 } else { 1.0 };
            let exponent = rng.int(low, high);
            mantissa * power_of_two(exponent)
        })
    };
    let (triangle, origin, direction) = ([any(), any(), any()], any(), any());
    let mut case = RayCase { origin, direction, t_max: f64::INFINITY, triangle };
    match rng.below(4) {
        // From a corner, from the middle of an edge up to rounding, or through a corner as seen from the origin.
        0 => case.origin = case.triangle[0],
        1 => case.origin = combine(case.triangle[0], case.triangle[1], |p, q| 0.5 * p + 0.5 * q),
        2 => (case.origin, case.direction) = ([0.0; 3], case.triangle[0]),
        _ => {}
    }
    if rng.one_in(3) {
        case.t_max = (1.0 + rng.unit()) * power_of_two(rng.int(-3, 3));
    }
    case
}
