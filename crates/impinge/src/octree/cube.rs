//! The test of a turned cube against an upright one: apart, overlapping, or the turned one completely inside.
//!
//! Called for every source cube and target cell of a moving octree. The target cell is the turned one: it is placed in
//! the frame of the source by the inverse motion, as section 2.4.2 of Smith and Kitamura does with the larger cube.
//!
//! The test goes from coarse to fine, like that of the paper, in six steps:
//! 1. place the centre of the turned cube, once for all cubes that it is compared with ([`CubeTest::place`]);
//! 2. the sides of the upright cube: apart, if one of them separates the cubes, and completely inside, if none cuts the
//!    turned one;
//! 3. the sides of the turned cube: apart, if one of them separates the cubes;
//! 4. the inscribed spheres: overlapping, if that of the turned cube reaches the upright one, or the reverse;
//! 5. the nine pairs of edges: apart, if a plane along both edges separates the cubes;
//! 6. otherwise they overlap.
//!
//! Steps 3 to 6 of the paper look for corners of one cube in the other, and for edges of one through sides of the
//! other. They give the same answers in exact arithmetic. Separating planes are used here because their rounding
//! has a simple bound, and because a test takes a few dozen operations instead of some hundred.
//!
//! # Rounding
//!
//! Apart is a proof, and so is completely inside; overlapping is what cannot be excluded. Let A be the largest
//! magnitude of a coordinate of upright cubes, B that of turned cubes, and T that of the translation. A point `p` of a
//! turned cube with the centre `c` and half side `h` is placed at `q = M p + t`, as [`Pose::place`] rounds it, off by
//! `2.5 ε (1.75 B + T)` at most along each axis. So is the placed centre. The cubes are those between planes of
//! their grids, each plane and centre off by `2 ε B` or `2 ε A` from a true grid. With `|q − c'|` at most `Σ |M_ij| h`, which takes
//! three more roundings of at most `1.75 B`, and a rounded difference to the upright centre, all errors along an axis
//! add up to less than `ε (25 B + 9 A + 7 T)`. The slack `s` is `32 ε (A + B + T)`.
//!
//! Along another direction `w` of at most unit length (up to 1e-5) an error of `s` along each axis counts at most
//! `1.74 s`. The product `w · d` and the two radii along `w` are off by `3 ε · 1.74 (A + 1.75 B + T)`, `16 ε B` and
//! `7 ε A` more, together below `1.1 s`. So `4 s` covers all directions, and [`CubeTest::overlaps`] uses it for all.
//! A cell around the turned cube is compared with at least `8 s` of slack by [`CubeTest::relation`]: moving the
//! centre within the cell changes both sides of an inequality by the same amount up to `4 s`. So whatever
//! `overlaps` says of a voxel, `relation` does not contradict for any cell around it.

use super::subdivide::Relation;
use crate::Pose;
use glam::DVec3;

/// A test for turned cubes that are placed by one pose.
#[derive(Clone, Debug)]
pub(crate) struct CubeTest {
    pose: Pose,
    /// Half the extent of a turned cube of half side 1 along each upright axis.
    extent: DVec3,
    /// Directions across the sides of the turned cube, and of the pairs of edges.
    sides: [Direction; 3],
    edges: [Direction; 9],
    slack: f64,
}

/// A direction along which two cubes may be apart.
#[derive(Clone, Copy, Debug)]
struct Direction {
    along: DVec3,
    /// Half the extents of a turned and of an upright cube of half side 1.
    turned: f64,
    upright: f64,
}

/// A cube by its centre and half its side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CenteredCube {
    pub(crate) center: DVec3,
    pub(crate) half: f64,
}

/// A turned cube by its centre and half its side, and half its extents along the upright axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCube {
    center: DVec3,
    half: f64,
    extent: DVec3,
}

impl CubeTest {
    /// A test for turned cubes with coordinates of at most `reach_turned`, placed by `pose`, and upright cubes with
    /// coordinates of at most `reach_upright`.
    pub(crate) fn new(pose: &Pose, reach_turned: f64, reach_upright: f64) -> Self {
        let m = pose.rotation();
        let columns = [m.x_axis, m.y_axis, m.z_axis];
        let direction = |along: DVec3| Direction {
            along,
            turned: columns.iter().map(|column| along.dot(*column).abs()).sum(),
            upright: along.abs().element_sum(),
        };
        let sides = [0, 1, 2].map(|i| direction(columns[(i + 1) % 3].cross(columns[(i + 2) % 3])));
        let edges = std::array::from_fn(|i| direction(DVec3::AXES[i / 3].cross(columns[i % 3])));
        let translation = pose.translation().abs().max_element();
        let slack = 32.0 * f64::EPSILON * (reach_turned + reach_upright + translation);
        Self {
            pose: *pose,
            extent: columns[0].abs() + columns[1].abs() + columns[2].abs(),
            sides,
            edges,
            slack: slack + f64::MIN_POSITIVE,
        }
    }

    /// Adds to the slack along each upright axis.
    #[must_use]
    pub(crate) fn with_more_slack(self, more: f64) -> Self {
        Self { slack: self.slack + more, ..self }
    }

    /// Places a turned cube.
    #[inline]
    pub(crate) fn place(&self, turned: CenteredCube) -> PlacedCube {
        let CenteredCube { center, half } = turned;
        PlacedCube { center: self.pose.place(center), half, extent: self.extent * half }
    }

    /// The relation of a turned cube, which was [placed](Self::place), and an upright one:
    /// [`Relation::None`] only if they are apart, [`Relation::Complete`] only if the turned one is completely inside.
    #[inline]
    pub(crate) fn relation(&self, turned: &PlacedCube, upright: &CenteredCube) -> Relation {
        let slack = 8.0 * self.slack;
        let reach = (turned.center - upright.center).abs() + turned.extent;
        if reach.max_element() <= upright.half - slack {
            return Relation::Complete;
        }
        if self.are_apart(turned, upright, slack) { Relation::None } else { Relation::Partial }
    }

    /// Whether a turned cube, which was [placed](Self::place), and an upright one may share a point. If not, they are
    /// apart.
    #[inline]
    pub(crate) fn overlaps(&self, turned: &PlacedCube, upright: &CenteredCube) -> bool {
        !self.are_apart(turned, upright, 4.0 * self.slack)
    }

    #[inline]
    fn are_apart(&self, turned: &PlacedCube, upright: &CenteredCube, slack: f64) -> bool {
        let offset = turned.center - upright.center;
        let across_upright = offset.abs() - upright.half;
        if (across_upright - turned.extent).max_element() > slack {
            return true;
        }
        let (turned, upright) = (turned.half, upright.half);
        let gaps = self.sides.map(|side| side.along.dot(offset).abs());
        let reach =
            |direction: &Direction| direction.turned * turned + direction.upright * upright + slack;
        if (0..3).any(|side| gaps[side] > reach(&self.sides[side])) {
            return true;
        }
        let across_turned = DVec3::from_array(gaps);
        // The distance from a centre to the other cube, squared.
        let beyond = |across: DVec3| across.max(DVec3::ZERO).length_squared();
        if beyond(across_upright) <= turned * turned * INSCRIBED
            || beyond(across_turned - turned) <= upright * upright * INSCRIBED
        {
            return false;
        }
        self.edges.iter().any(|edge| edge.along.dot(offset).abs() > reach(edge))
    }

    /// Whether the box around the sphere around an upright cube may meet a turned cube: the doubly approximate test of
    /// Weng and Ahuja (section 2.4.1 of Smith and Kitamura). If not, they are apart.
    ///
    /// `center` is the centre of the upright cube in the frame of the turned ones ([`Self::unplace`]).
    #[inline]
    pub(crate) fn sphere_box_overlaps(
        &self,
        turned: CenteredCube,
        center: DVec3,
        upright_half: f64,
    ) -> bool {
        let reach = CIRCUMSCRIBED * upright_half + turned.half;
        (turned.center - center).abs().max_element() <= reach + 8.0 * self.slack
    }

    /// A point of the upright frame in the frame of the turned cubes.
    ///
    /// The matrix is that of the pose inverted, which is accurate to a few roundings because its columns are nearly
    /// orthonormal. So the point is off by far less than the slack of
    /// [`sphere_box_overlaps`](Self::sphere_box_overlaps).
    pub(crate) fn unplace(&self, point: DVec3) -> DVec3 {
        self.pose.rotation().inverse() * (point - self.pose.translation())
    }
}

/// The squared radius of the sphere inscribed in a cube of half side 1, a little less because the columns of a rotation
/// are unit vectors only to 1e-6.
const INSCRIBED: f64 = 1.0 - 1e-5;

/// The radius of the sphere around a cube of half side 1, a little more for the same reason.
const CIRCUMSCRIBED: f64 = 1.732_050_807_568_877_3 * (1.0 + 1e-5);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds,
        generate::Random,
        octree::oracle::{SIDES, corners, touches_surface},
    };
    use glam::DMat3;

    fn bounds(cube: CenteredCube) -> Bounds {
        Bounds { min: cube.center - cube.half, max: cube.center + cube.half }
    }

    /// Rotations with rational entries over 15, times 15; coordinates are multiples of 15, so placing is exact.
    fn rotations() -> Vec<[[i32; 3]; 3]> {
        vec![
            [[15, 0, 0], [0, 15, 0], [0, 0, 15]],
            [[0, -15, 0], [15, 0, 0], [0, 0, 15]],
            [[9, -12, 0], [12, 9, 0], [0, 0, 15]],
            [[10, -5, 10], [10, 10, -5], [-5, 10, 10]],
            [[2, -14, 5], [10, 5, 10], [-11, 2, 10]],
            [[5, -14, 2], [10, 5, 10], [-10, -2, 11]],
        ]
    }

    /// Exact answers: of the oracle for the surfaces, and of integers for a cube inside of another. Positions are so
    /// coarse that many pairs touch at a point or an edge.
    #[test]
    fn answers_agree_with_exact_ones() {
        let mut counts = [0; 3];
        let mut touching = 0;
        for (number, rotation) in rotations().iter().enumerate() {
            let row = |i: usize| DVec3::from_array(rotation[i].map(|k| f64::from(k) / 15.0));
            let matrix = DMat3::from_cols(row(0), row(1), row(2)).transpose();
            let check = matrix * matrix.transpose();
            assert!((check - DMat3::IDENTITY).to_cols_array().iter().all(|e| e.abs() < 1e-14));
            let mut random = Random::new(number as u64);
            for case in 0..2_500 {
                let mut coordinate =
                    |most: u64| 15.0 * (random.below(2 * most + 1) as f64 - most as f64);
                let translation = DVec3::new(coordinate(3), coordinate(3), coordinate(3));
                let turned = CenteredCube {
                    center: DVec3::new(coordinate(2), coordinate(2), coordinate(2)),
                    half: 15.0 * [1.0, 2.0, 4.0][case % 3],
                };
                let upright = CenteredCube {
                    center: DVec3::new(coordinate(4), coordinate(4), coordinate(4)),
                    half: 15.0 * [1.0, 3.0, 5.0][case / 3 % 3],
                };
                let pose = Pose::new(matrix, translation).unwrap();
                let place = |p: DVec3| {
                    // Exactly: a multiple of 15 times a fraction over 15.
                    let k = (p / 15.0).to_array().map(|k| k as i32);
                    let at = |i: usize| (0..3).map(|j| rotation[i][j] * k[j]).sum::<i32>();
                    DVec3::new(f64::from(at(0)), f64::from(at(1)), f64::from(at(2))) + translation
                };
                let placed = corners(&bounds(turned)).map(place);
                let own = bounds(upright);
                let is_strictly_in = |p: &DVec3| p.cmpgt(own.min).all() && p.cmplt(own.max).all();
                let surfaces_touch = SIDES.iter().any(|side| {
                    let [a, b, c, d] = side.map(|corner| placed[corner]);
                    let own = corners(&own);
                    touches_surface(&[a, b, c], &own) || touches_surface(&[a, c, d], &own)
                });
                // The upright cube is inside the turned one if its centre is, and the surfaces do not touch.
                let back = matrix.transpose() * (upright.center - translation) - turned.center;
                let is_around = back.abs().max_element() < turned.half;
                let meets = surfaces_touch || own.contains(placed[0]) || is_around;

                let test = CubeTest::new(&pose, 100.0, 150.0);
                let case = format!("rotation {number}, case {case}: {turned:?} {upright:?}");
                let own_turned = turned;
                let turned = test.place(turned);
                let relation = test.relation(&turned, &upright);
                let is_inside = placed.iter().all(is_strictly_in);
                let expected = match (meets, is_inside) {
                    (false, _) => Relation::None,
                    (true, false) => Relation::Partial,
                    (true, true) => Relation::Complete,
                };
                // Distances are 0 or at least about 1/15, so the slack changes nothing here.
                assert_eq!(relation, expected, "{case}");
                assert_eq!(test.overlaps(&turned, &upright), meets, "{case}");
                if meets {
                    let center = test.unplace(upright.center);
                    let half = upright.half;
                    assert!(test.sphere_box_overlaps(own_turned, center, half), "{case}");
                }
                counts[expected as usize] += 1;
                touching += usize::from(surfaces_touch);
            }
        }
        assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
        assert!(touching > 2_000, "{touching}");
    }

    /// Cubes far from the origin, tiny ones, and rotations that are off by nearly 1e-6: apart must be true of all
    /// points as they are placed, and so must completely inside.
    #[test]
    fn points_of_cubes_prove_no_answer_wrong() {
        let mut counts = [0; 3];
        for seed in 0..30_000 {
            let mut random = Random::new(seed);
            let away = [0.0, 1.0, 1e3, 1e9][seed as usize % 4];
            let scale = [1.0, 1e-30, 1e60][seed as usize / 4 % 3];
            let off = DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 4e-7, 1.0 + 4e-7));
            let matrix = random.rotation() * off;
            let vector = |random: &mut Random, most: f64| {
                random.direction() * random.range(0.0, most) * scale
            };
            let pose = Pose::new(matrix, vector(&mut random, away)).unwrap();
            let turned = CenteredCube {
                center: vector(&mut random, 1.0 + away),
                half: scale * random.range(0.1, 1.0),
            };
            let center = pose.place(turned.center) + vector(&mut random, 2.5);
            let upright = CenteredCube { center, half: scale * random.range(0.1, 2.5) };
            let reach = |cube: CenteredCube| cube.center.abs().max_element() + cube.half;
            let test = CubeTest::new(&pose, reach(turned), reach(upright));
            let placed = test.place(turned);
            let relation = test.relation(&placed, &upright);
            counts[relation as usize] += 1;
            let mut points = corners(&bounds(turned)).to_vec();
            points.extend((0..40).map(|_| {
                let mut share = || random.range(-1.0, 1.0).clamp(-1.0, 1.0);
                turned.center + DVec3::new(share(), share(), share()) * turned.half
            }));
            let own = bounds(upright);
            for point in points {
                let at = pose.place(point);
                let is_in = own.contains(at);
                assert!(!(is_in && relation == Relation::None), "seed {seed}: {point} is inside");
                assert!(
                    !is_in || test.overlaps(&placed, &upright),
                    "seed {seed}: {point} is inside"
                );
                assert!(is_in || relation != Relation::Complete, "seed {seed}: {point} is outside");
            }
        }
        assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    }
}
