//! Pairs of sets of points whose convex hulls are hard to compare, in named families.

use super::Rng;
use super::shape::{Point, combine, in_cube, on_grid, plus, power_of_two, times};

/// The points of two hulls: 1 to 16 each. Points may lie inside of a hull, and may coincide.
pub type HullPair = [Vec<[f64; 3]>; 2];

/// How the hulls of a family lie to each other, by construction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HullRelation {
    /// They may lie in any way.
    Any,
    /// They share no point.
    Apart,
    /// They share points, but no inner point.
    Touching,
    /// They are solid and share inner points.
    Overlapping,
}

/// A kind of pair; every seed gives another example.
#[derive(Debug, Clone, Copy)]
pub struct HullFamily {
    /// A short name in kebab case, for test messages.
    pub name: &'static str,
    /// How the hulls lie to each other.
    pub relation: HullRelation,
    make: fn(&mut Rng) -> HullPair,
}

impl HullFamily {
    /// Returns the pair of a seed. All coordinates are finite.
    pub fn pair(&self, seed: u64) -> HullPair {
        let mut rng = Rng::new(seed);
        let mut pair = (self.make)(&mut rng);
        // Code under test may treat the first point or the first hull specially.
        for points in &mut pair {
            for i in (1..points.len()).rev() {
                points.swap(i, rng.below(i as u64 + 1) as usize);
            }
        }
        if rng.one_in(2) {
            pair.swap(0, 1);
        }
        pair
    }
}

/// All families of hulls.
pub fn hull_families() -> &'static [HullFamily] {
    FAMILIES
}

const fn family(
    name: &'static str,
    relation: HullRelation,
    make: fn(&mut Rng) -> HullPair,
) -> HullFamily {
    HullFamily { name, relation, make }
}

const FAMILIES: &[HullFamily] = {
    use HullRelation::{Any, Apart, Overlapping, Touching};
    &[
        family("uniform", Any, |rng| [0.0, 1.2].map(|x| moved(&cloud(rng), [x, 0.0, 0.0]))),
        family("apart", Apart, |rng| [0.0, 2.5].map(|x| moved(&cloud(rng), [x, 0.0, 0.0]))),
        family("on-spheres", Any, on_spheres),
        family("grid-1", Any, |rng| grid(rng, 1)),
        family("grid-2", Any, |rng| grid(rng, 2)),
        family("grid-8", Any, |rng| grid(rng, 8)),
        family("boxes", Any, boxes),
        family("vertex-on-vertex", Touching, |rng| touching(rng, [1, 1])),
        family("vertex-on-edge", Touching, |rng| touching(rng, [1, 2])),
        family("vertex-on-face", Touching, |rng| touching(rng, [1, 4])),
        family("edge-on-edge", Touching, |rng| touching(rng, [2, 2])),
        family("edge-on-face", Touching, |rng| touching(rng, [2, 4])),
        family("face-on-face", Touching, |rng| touching(rng, [4, 4])),
        family("vertex-on-face-moved", Any, |rng| nudged(rng, [1, 4])),
        family("edge-on-edge-moved", Any, |rng| nudged(rng, [2, 2])),
        family("face-on-face-moved", Any, |rng| nudged(rng, [4, 4])),
        family("parallel-faces", Apart, |rng| facing(rng, 0.0)),
        family("nearly-parallel-faces", Apart, |rng| {
            let tilt = power_of_two(rng.int(-52, -20));
            facing(rng, tilt)
        }),
        family("needles", Any, |rng| {
            [0.0, 1e-3].map(|y| moved(&stretched(rng, [1e3, 1e-3, 1e-3]), [0.0, y, 0.0]))
        }),
        family("plates", Any, |rng| {
            [0.0, 1e-9].map(|z| moved(&stretched(rng, [1.0, 1.0, 1e-9]), [0.0, 0.0, z]))
        }),
        family("clusters", Any, |rng| [0.0, 1.5].map(|x| moved(&clusters(rng), [x, 0.0, 0.0]))),
        family("coplanar", Any, |rng| {
            [0.0, 1.2].map(|x| moved(&stretched(rng, [1.0, 1.0, 0.0]), [x, 0.0, 0.0]))
        }),
        family("collinear", Any, |rng| {
            [0.0, 1.5].map(|x| moved(&stretched(rng, [1.0, 0.0, 0.0]), [x, 0.0, 0.0]))
        }),
        family("parallel-segments", Apart, |rng| {
            [0.0, 1.0].map(|y| moved(&stretched(rng, [1.0, 0.0, 0.0]), [0.0, y, 0.0]))
        }),
        family("points", Any, |rng| [0, 1].map(|_| vec![on_grid(rng, 1); 3])),
        family("flat-and-solid", Any, |rng| {
            let [x, _, z] = in_cube(rng);
            [moved(&stretched(rng, [1.5, 1.5, 0.0]), [x, 0.0, z]), cloud(rng)]
        }),
        family("point-and-solid", Any, |rng| [vec![times(in_cube(rng), 1.5)], cloud(rng)]),
        family("duplicates", Any, duplicates),
        family("inside", Overlapping, inside),
        family("same-centre", Overlapping, |rng| [0, 1].map(|_| around_the_origin(rng))),
        family("identical", Overlapping, |rng| {
            let points = around_the_origin(rng);
            [points.clone(), points]
        }),
        family("far", Any, far),
        family("tiny", Any, |rng| scaled(rng, &[1e-100, 1e-150, 1e-300])),
        family("huge", Any, |rng| scaled(rng, &[1e100, 1e150, 1e300])),
        family("mixed-exponents", Any, |rng| {
            [0.0, power_of_two(59)].map(|x| moved(&mixed_exponents(rng), [x, 0.0, 0.0]))
        }),
    ]
};

fn moved(points: &[Point], by: Point) -> Vec<Point> {
    points.iter().map(|&point| plus(point, by)).collect()
}

fn count(rng: &mut Rng) -> usize {
    rng.int(4, 16) as usize
}

/// Points in the cube from -1 to 1.
fn cloud(rng: &mut Rng) -> Vec<Point> {
    (0..count(rng)).map(|_| in_cube(rng)).collect()
}

fn stretched(rng: &mut Rng, sizes: Point) -> Vec<Point> {
    (0..count(rng)).map(|_| combine(in_cube(rng), sizes, |c, size| c * size)).collect()
}

/// Nearly all points are corners of the hulls.
fn on_spheres(rng: &mut Rng) -> HullPair {
    let apart = 1.7 + 0.5 * rng.signed();
    [0.0, apart].map(|x| {
        let on_sphere = |_| loop {
            let p = in_cube(rng);
            let length = p.iter().map(|c| c * c).sum::<f64>().sqrt();
            if length > 0.1 {
                return plus(times(p, 1.0 / length), [x, 0.0, 0.0]);
            }
        };
        (0..16).map(on_sphere).collect()
    })
}

/// Many coplanar, collinear and equal points, and many ties.
fn grid(rng: &mut Rng, size: i32) -> HullPair {
    let shift = times(on_grid(rng, 1), f64::from(size));
    [[0.0; 3], shift].map(|by| (0..count(rng)).map(|_| plus(on_grid(rng, size), by)).collect())
}

/// Boxes along the axes, with integer coordinates.
fn boxes(rng: &mut Rng) -> HullPair {
    [0, 1].map(|_| {
        let low = on_grid(rng, 4);
        let size = [0; 3].map(|_| f64::from(rng.int(1, 5)));
        (0..8)
            .map(|corner| {
                std::array::from_fn(|axis| low[axis] + size[axis] * f64::from(corner >> axis & 1))
            })
            .collect()
    })
}

/// Two hulls on both sides of a plane, of which the given numbers of points lie in the plane: 1, 2 or 4, the corners of a
/// square. The parts in the plane have a point in common. All coordinates are integers, and then multiplied by an integer
/// matrix, so nothing is rounded.
fn touching(rng: &mut Rng, in_plane: [usize; 2]) -> HullPair {
    let size = f64::from(rng.int(2, 100));
    let mut part = |count: usize| -> Vec<[f64; 2]> {
        let [x, y] = [0; 2].map(|_| f64::from(rng.int(1, 9)));
        match count {
            1 => vec![[0.0, 0.0]],
            // Through the common point, the origin.
            2 => vec![[-x, -y], [x, y]],
            _ => vec![[-x, -y], [y, -x], [x, y], [-y, x]],
        }
    };
    let parts = in_plane.map(&mut part);
    let sides = [-1.0, 1.0].map(|side| -> Vec<Point> {
        let off = |_| {
            let [x, y, z] = on_grid(rng, 20);
            [x, y, side * (z.abs() + 1.0)]
        };
        (0..4).map(off).collect()
    });
    // Columns of a matrix that is not singular: its determinant is odd.
    let columns: [Point; 3] = std::array::from_fn(|column| {
        std::array::from_fn(|row| {
            2.0 * f64::from(rng.int(-3, 3)) + f64::from(u8::from(row == column))
        })
    });
    let place = |p: Point| {
        std::array::from_fn(|row| {
            (0..3).map(|column| columns[column][row] * p[column]).sum::<f64>() * size
        })
    };
    let [p, q] = parts;
    let [a, b] = sides;
    [(p, a), (q, b)].map(|(part, side)| {
        part.into_iter().map(|[x, y]| [x, y, 0.0]).chain(side).map(place).collect()
    })
}

/// Hulls that touched until one coordinate was moved by some ulps.
fn nudged(rng: &mut Rng, in_plane: [usize; 2]) -> HullPair {
    let mut pair = touching(rng, in_plane);
    let step = if rng.one_in(2) { f64::next_up } else { f64::next_down };
    let points = &mut pair[rng.below(2) as usize];
    let at = rng.below(points.len() as u64) as usize;
    let coordinate = &mut points[at][rng.below(3) as usize];
    for _ in 0..rng.int(1, 3) {
        *coordinate = step(*coordinate);
    }
    pair
}

/// Faces opposite each other, one of them tilted by a little.
fn facing(rng: &mut Rng, tilt: f64) -> HullPair {
    let gap = power_of_two(rng.int(-10, 0));
    [-1.0, 1.0].map(|side| {
        let face = |_| {
            let [x, y, _] = in_cube(rng);
            let height = if side > 0.0 { gap + tilt * (x + 1.0) } else { 0.0 };
            [x, y, height]
        };
        let mut points: Vec<Point> = (0..5).map(face).collect();
        points.push([0.0, 0.0, 2.0 * side]);
        points
    })
}

/// Groups of points 1e-15 apart.
fn clusters(rng: &mut Rng) -> Vec<Point> {
    let centres: Vec<Point> = (0..5).map(|_| in_cube(rng)).collect();
    let around = |centre: &Point| [0; 3].map(|_| plus(*centre, times(in_cube(rng), 1e-15)));
    centres.iter().flat_map(around).collect()
}

fn duplicates(rng: &mut Rng) -> HullPair {
    [0.0, 1.0].map(|x| {
        let points = moved(&cloud(rng), [x, 0.0, 0.0]);
        points.iter().take(8).flat_map(|&point| [point; 2]).collect()
    })
}

fn octahedron(size: f64) -> Vec<Point> {
    [size, -size]
        .into_iter()
        .flat_map(|size| {
            [0, 1, 2].map(|i| std::array::from_fn(|axis| if i == axis { size } else { 0.0 }))
        })
        .collect()
}

/// A solid that contains all points at most 1/4 from the origin.
fn around_the_origin(rng: &mut Rng) -> Vec<Point> {
    let mut points = octahedron(0.5);
    points.extend((0..rng.int(0, 10)).map(|_| in_cube(rng)));
    points
}

/// A small solid inside of a larger one.
fn inside(rng: &mut Rng) -> HullPair {
    let small = power_of_two(rng.int(-30, -4));
    let place = times(in_cube(rng), 0.1);
    let inner = around_the_origin(rng).into_iter().map(|p| plus(times(p, small), place));
    [around_the_origin(rng), inner.collect()]
}

/// Far from the origin, close to each other.
fn far(rng: &mut Rng) -> HullPair {
    let size = power_of_two(rng.int(20, 44));
    let place = [0; 3].map(|_| rng.signed() * size);
    [0.0, 1.2].map(|x| moved(&moved(&cloud(rng), [x, 0.0, 0.0]), place))
}

fn scaled(rng: &mut Rng, factors: &[f64]) -> HullPair {
    let factor = factors[rng.below(factors.len() as u64) as usize];
    let pair = if rng.one_in(2) { grid(rng, 2) } else { on_spheres(rng) };
    pair.map(|points| points.into_iter().map(|point| times(point, factor)).collect())
}

/// Coordinates of different magnitudes.
fn mixed_exponents(rng: &mut Rng) -> Vec<Point> {
    (0..count(rng)).map(|_| in_cube(rng).map(|c| c * power_of_two(rng.int(-60, 60)))).collect()
}
