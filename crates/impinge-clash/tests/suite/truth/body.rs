//! Bodies with known volumes: boxes, prisms, rings, spheres and sheets, in millimetres.

use impinge::glam::{DMat3, DQuat, DVec2, DVec3, dvec2, dvec3};
use std::f64::consts::{PI, TAU};

/// A triangulated body before it is written to a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) positions: Vec<DVec3>,
    /// Counter-clockwise as seen from outside.
    pub(super) faces: Vec<[u32; 3]>,
}

/// Sides of everything round. A multiple of 8, so that rings can have square outlines.
pub(super) const SIDES: u32 = 64;

impl Body {
    /// A box around the origin.
    pub(super) fn cuboid(x: f64, y: f64, z: f64) -> Self {
        let (x, y) = (0.5 * x, 0.5 * y);
        Self::prism(&[dvec2(-x, -y), dvec2(x, -y), dvec2(x, y), dvec2(-x, y)], z)
    }

    pub(super) fn cube(side: f64) -> Self {
        Self::cuboid(side, side, side)
    }

    /// A cylinder around the z axis; its edges lie on the circle.
    pub(super) fn cylinder(radius: f64, height: f64) -> Self {
        Self::prism(&circle(radius, SIDES), height)
    }

    /// A prism with an outline of any shape without holes, counter-clockwise, between z = ±height / 2.
    pub(super) fn prism(outline: &[DVec2], height: f64) -> Self {
        let count = outline.len() as u32;
        let at = |z: f64| outline.iter().map(move |p| p.extend(z));
        let positions = at(-0.5 * height).chain(at(0.5 * height)).collect();
        let mut faces = Vec::new();
        for [a, b, c] in triangulated(outline) {
            faces.extend([[a, c, b], [a + count, b + count, c + count]]);
        }
        for i in 0..count {
            let j = (i + 1) % count;
            faces.extend([[i, j, j + count], [i, j + count, i + count]]);
        }
        Self { positions, faces }
    }

    /// A prism between two outlines of equally many corners, which see each other.
    pub(super) fn ring(outer: &[DVec2], inner: &[DVec2], height: f64) -> Self {
        let count = outer.len() as u32;
        let at = |outline: &[DVec2], z: f64| -> Vec<DVec3> {
            outline.iter().map(|p| p.extend(z)).collect()
        };
        let (low, high) = (-0.5 * height, 0.5 * height);
        let positions = [at(outer, low), at(outer, high), at(inner, high), at(inner, low)].concat();
        let mut faces = Vec::new();
        for i in 0..count {
            let j = (i + 1) % count;
            for [from, to] in [[0, 1], [1, 2], [2, 3], [3, 0]] {
                let [p, q, r, s] =
                    [i + from * count, j + from * count, j + to * count, i + to * count];
                faces.extend([[p, q, r], [p, r, s]]);
            }
        }
        Self { positions, faces }
    }

    /// A square block with a square blind hole in its upper side.
    pub(super) fn pocket(side: f64, hole: f64, height: f64, depth: f64) -> Self {
        let (outer, inner) = (square(side), square(hole));
        let mut body = Self::ring(&outer, &inner, height);
        // The last corners of a ring are those of the hole at the lower end.
        let floor = 0.5 * height - depth;
        body.positions[12..].iter_mut().for_each(|p| p.z = floor);
        // Instead of the ring at the lower end: the underside, and the floor of the hole.
        body.faces.retain(|face| !face.iter().all(|vertex| *vertex < 4 || *vertex >= 12));
        body.faces.extend([[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]]);
        body
    }

    /// A channel along the z axis with the profile of a U: 40 mm wide, 50 mm deep and 40 mm long, with walls of 10 mm.
    pub(super) fn channel() -> Self {
        let outline = [
            [-30., 0.],
            [30., 0.],
            [30., 60.],
            [20., 60.],
            [20., 10.],
            [-20., 10.],
            [-20., 60.],
            [-30., 60.],
        ];
        Self::prism(&outline.map(DVec2::from_array), 40.0)
    }

    /// A round tube around the z axis.
    pub(super) fn tube(outer: f64, inner: f64, height: f64) -> Self {
        Self::ring(&circle(outer, SIDES), &circle(inner, SIDES), height)
    }

    /// A square plate with a round hole in the middle.
    pub(super) fn plate(side: f64, hole: f64, height: f64) -> Self {
        let outline: Vec<DVec2> =
            circle(1.0, SIDES).iter().map(|p| *p * (0.5 * side / p.abs().max_element())).collect();
        Self::ring(&outline, &circle(hole, SIDES), height)
    }

    /// A sphere cut along circles of latitude and longitude.
    pub(super) fn globe(radius: f64) -> Self {
        let (around, down) = (48, 24);
        let mut body = Self::default();
        body.positions.push(dvec3(0.0, 0.0, radius));
        for row in 1..down {
            let (sin, cos) = (PI * f64::from(row) / f64::from(down)).sin_cos();
            body.positions
                .extend(circle(radius * sin, around).iter().map(|p| p.extend(radius * cos)));
        }
        body.positions.push(dvec3(0.0, 0.0, -radius));
        let last = body.positions.len() as u32 - 1;
        let at = |row: u32, column: u32| match row {
            0 => 0,
            _ if row == down => last,
            _ => 1 + (row - 1) * around + column % around,
        };
        for row in 0..down {
            for column in 0..around {
                let [p, q] = [at(row, column), at(row, column + 1)];
                let [r, s] = [at(row + 1, column + 1), at(row + 1, column)];
                body.faces.extend([[p, s, r], [p, r, q]]);
            }
        }
        body.faces.retain(|[a, b, c]| a != b && b != c && c != a);
        body
    }

    /// A sphere made of equal triangles.
    pub(super) fn ball(radius: f64) -> Self {
        let mesh = impinge::generate::icosphere(3).expect("a small sphere");
        let positions = mesh.positions().iter().map(|p| p.normalize() * radius).collect();
        Self { positions, faces: mesh.faces().to_vec() }
    }

    /// A square without thickness in the plane z = 0.
    pub(super) fn sheet(side: f64) -> Self {
        let h = 0.5 * side;
        let positions = [dvec2(-h, -h), dvec2(h, -h), dvec2(h, h), dvec2(-h, h)];
        Self {
            positions: positions.map(|p| p.extend(0.0)).to_vec(),
            faces: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    /// The wall of a cylinder without its ends.
    pub(super) fn pipe(radius: f64, height: f64) -> Self {
        let mut body = Self::cylinder(radius, height);
        let is_wall = |face: &[u32; 3]| {
            let z = face.map(|vertex| body.positions[vertex as usize].z);
            z[0] != z[1] || z[1] != z[2]
        };
        body.faces = body.faces.iter().copied().filter(is_wall).collect();
        body
    }

    pub(super) fn moved(self, x: f64, y: f64, z: f64) -> Self {
        self.map(|p| p + dvec3(x, y, z))
    }

    /// Turned about an axis through the origin.
    pub(super) fn turned(self, axis: DVec3, degrees: f64) -> Self {
        let turn = DMat3::from_quat(DQuat::from_axis_angle(axis.normalize(), degrees.to_radians()));
        self.map(|p| turn * p)
    }

    /// Mirrored in the plane x = 0.
    pub(super) fn mirrored(self) -> Self {
        self.map(|p| dvec3(-p.x, p.y, p.z)).inside_out()
    }

    pub(super) fn inside_out(mut self) -> Self {
        self.faces.iter_mut().for_each(|face| face.swap(1, 2));
        self
    }

    /// Both bodies as one.
    pub(super) fn with(mut self, other: Self) -> Self {
        let start = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.faces.extend(other.faces.iter().map(|face| face.map(|vertex| vertex + start)));
        self
    }

    pub(super) fn map(mut self, place: impl Fn(DVec3) -> DVec3) -> Self {
        self.positions.iter_mut().for_each(|p| *p = place(*p));
        self
    }

    /// Every face with vertices of its own.
    pub(super) fn soup(&self) -> Self {
        let corner = |&vertex: &u32| self.positions[vertex as usize];
        let positions: Vec<DVec3> = self.faces.iter().flatten().map(corner).collect();
        let faces = (0..self.faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        Self { positions, faces }
    }

    pub(super) fn area(&self) -> f64 {
        let of = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|vertex| self.positions[vertex as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        self.faces.iter().map(of).sum()
    }

    /// The corners of the box around the body.
    pub(super) fn bounds(&self) -> [DVec3; 2] {
        let all = self.positions.iter();
        [
            all.clone().fold(DVec3::INFINITY, |min, p| min.min(*p)),
            all.fold(DVec3::NEG_INFINITY, |max, p| max.max(*p)),
        ]
    }

    pub(super) fn largest_coordinate(&self) -> f64 {
        let [min, max] = self.bounds();
        min.abs().max(max.abs()).max_element()
    }

    /// Whether every edge has as many faces on either side.
    pub(super) fn is_closed(&self) -> bool {
        let mut net = std::collections::HashMap::new();
        for &[a, b, c] in &self.faces {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let sign = if from < to { 1 } else { -1 };
                *net.entry([from.min(to), from.max(to)]).or_insert(0) += sign;
            }
        }
        net.values().all(|&count| count == 0)
    }
}

/// The corners of a square around the origin.
pub(super) fn square(side: f64) -> [DVec2; 4] {
    let h = 0.5 * side;
    [dvec2(-h, -h), dvec2(h, -h), dvec2(h, h), dvec2(-h, h)]
}

/// The corners of a regular polygon, from the x axis.
pub(super) fn circle(radius: f64, sides: u32) -> Vec<DVec2> {
    let at = |i: u32| DVec2::from_angle(TAU * f64::from(i) / f64::from(sides)) * radius;
    (0..sides).map(at).collect()
}

/// The area of a regular polygon of [`SIDES`].
pub(super) fn circle_area(radius: f64) -> f64 {
    let sides = f64::from(SIDES);
    0.5 * sides * radius * radius * (TAU / sides).sin()
}

/// Cuts ears off a polygon until nothing is left.
fn triangulated(outline: &[DVec2]) -> Vec<[u32; 3]> {
    let at = |vertex: u32| outline[vertex as usize];
    let turn = |a: u32, b: u32, c: u32| (at(b) - at(a)).perp_dot(at(c) - at(a));
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let mut faces = Vec::new();
    while left.len() > 3 {
        let count = left.len();
        let ear = (0..count).find(|&i| {
            let [a, b, c] = [left[(i + count - 1) % count], left[i], left[(i + 1) % count]];
            let holds =
                |p: u32| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && left.iter().all(|&p| p == a || p == b || p == c || !holds(p))
        });
        let i = ear.expect("a polygon without crossings has an ear");
        faces.push([left[(i + count - 1) % count], left[i], left[(i + 1) % count]]);
        left.remove(i);
    }
    faces.push([left[0], left[1], left[2]]);
    faces
}
