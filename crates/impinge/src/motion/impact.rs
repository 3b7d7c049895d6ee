//! The first time at which two moving bodies touch.

use super::{
    Moving,
    advance::{MovingFaces, Reached, direction},
    approach::rounding,
    descent::{Descent, DescentMemory},
    moving::{MovingBody, MovingFace},
};
use crate::{
    FacePair, MethodMismatch, Pose, Tolerance, ToleranceError,
    narrow::{Closest, Triangle, moving_triangles_contact_until, triangles_distance},
};
use glam::DVec3;

/// The first contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Impact {
    /// When, from 0 to 1: no faces touch before this time, and at it they are at most the tolerance apart.
    pub time: f64,
    /// The faces that touch.
    pub faces: FacePair,
    /// The closest points of the two faces at this time, in world coordinates and rounded: on a, and on b.
    pub points: [DVec3; 2],
    /// A unit vector from body a to body b at the contact.
    pub normal: DVec3,
    /// The distance of the two faces at this time.
    pub distance: f64,
}

/// What is asked of [`first_impact`].
///
/// ```
/// use impinge::motion::ImpactOptions;
///
/// let options = ImpactOptions::default().tolerance(0.01)?.between(0.25, 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImpactOptions {
    /// The distance at which bodies count as touching.
    tolerance: Option<Tolerance>,
    /// The distance that is proven to be kept.
    margin: f64,
    /// The part of the motion that is searched.
    times: [f64; 2],
}

impl Default for ImpactOptions {
    /// A tolerance of 1e-11 of the larger body's size, and the whole motion.
    fn default() -> Self {
        Self { tolerance: None, margin: 0.0, times: [0.0, 1.0] }
    }
}

impl ImpactOptions {
    /// Bodies count as touching at this distance: an impact may be reported so much too early, and bodies that come so
    /// close may be reported although they do not touch. Raised to a few roundings of the coordinates where it is
    /// smaller.
    pub fn tolerance<T: TryInto<Tolerance>>(mut self, tolerance: T) -> Result<Self, T::Error>
    where
        T::Error: From<ToleranceError>,
    {
        self.tolerance = Some(tolerance.try_into()?);
        Ok(self)
    }

    /// Bodies count as touching when they are this close: `None` then proves that they stay farther apart, and an impact
    /// is reported when they are at most the margin and the tolerance apart. The default is 0.
    ///
    /// ```
    /// use impinge::{Motion, Pose, Shape, first_impact, generate, glam::DVec3, motion::ImpactOptions};
    ///
    /// let cube = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
    /// let at = |x| Pose::from_translation(DVec3::new(x, 1.5, 0.0));
    /// let (rest, pass) = (Motion::still(Pose::IDENTITY), Motion::between(at(-5.0)?, at(5.0)?)?);
    /// let within = |margin| {
    ///     let options = ImpactOptions::default().margin(margin)?;
    ///     Ok::<_, Box<dyn std::error::Error>>(first_impact((&cube, &rest), (&cube, &pass), &options)?)
    /// };
    /// assert!(within(0.0)?.is_none() && within(0.499)?.is_none());
    /// assert!((within(0.5)?.ok_or("clear")?.time - 0.4).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn margin<T: TryInto<Tolerance>>(mut self, margin: T) -> Result<Self, T::Error>
    where
        T::Error: From<ToleranceError>,
    {
        self.margin = margin.try_into()?.get();
        Ok(self)
    }

    /// Searches a part of the motion only. Times are limited to those from 0 to 1; NaN means the start or the end.
    pub fn between(mut self, from: f64, to: f64) -> Self {
        let limited = |time: f64, otherwise: f64| match time.is_nan() {
            true => otherwise,
            false => time.clamp(0.0, 1.0),
        };
        self.times = [limited(from, 0.0), limited(to, 1.0)];
        self
    }

    /// The distance that is proven to be kept.
    pub(super) fn kept(&self) -> f64 {
        self.margin
    }

    /// The part of the motion that is searched.
    pub(crate) fn times(&self) -> [f64; 2] {
        self.times
    }
}

/// Returns the first time at which two moving bodies touch, and where. `None` is a proof that they do not touch at any
/// time of the motion. Fails if different methods prepared the shapes.
///
/// Exact in this sense: [`Motion`](super::Motion) defines where each vertex is at each time. No contact occurs before the reported time,
/// and at that time the bodies are at most the tolerance apart. So a contact is never missed, and bodies that stay
/// farther apart than the tolerance are never reported. The result is the same for every method.
///
/// Surfaces only: a body wholly inside another touches nothing.
///
/// ```
/// use impinge::{Motion, Pose, Shape, first_impact, generate, glam::DVec3};
///
/// let plate = Shape::new(generate::cuboid(DVec3::new(10.0, 10.0, 0.1))?);
/// let bullet = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
/// let at = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
/// let rest = Motion::still(Pose::IDENTITY);
/// let flight = Motion::between(at(50.0)?, at(-50.0)?)?;
///
/// let impact = first_impact((&plate, &rest), (&bullet, &flight), &Default::default())?.ok_or("clear")?;
/// assert!((impact.time - 0.4945).abs() < 1e-9);
/// assert!((impact.normal - DVec3::Z).length() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn first_impact<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
    options: &ImpactOptions,
) -> Result<Option<Impact>, MethodMismatch> {
    let (a, b) = (a.into(), b.into());
    a.shape().check_method(b.shape())?;
    Ok(Search::default().first(a, b, options))
}

/// A motion by a larger angle, in radians, is searched in parts, so that the memory does not grow with the number of turns.
const MOST_TURN: f64 = 64.0;

/// The memory of a search, reused from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Search {
    descent: DescentMemory,
    /// Faces that come within the tolerance, and of which the exact test has yet to tell whether and when they touch.
    undecided: Vec<(FacePair, f64)>,
}

impl Search {
    /// The first impact of two bodies.
    pub(crate) fn first(
        &mut self,
        a: Moving<'_>,
        b: Moving<'_>,
        options: &ImpactOptions,
    ) -> Option<Impact> {
        let bodies = [MovingBody::new(a)?, MovingBody::new(b)?];
        let [from, to] = options.times;
        let turns =
            bodies.iter().filter_map(MovingBody::rigid).map(|motion| motion.turn().length());
        let parts = (turns.fold(0.0, f64::max) * (to - from) / MOST_TURN).ceil().max(1.0);
        let time = |part: f64| if part < parts { from + (to - from) * (part / parts) } else { to };
        (0..parts as u32)
            .map(f64::from)
            .find_map(|part| self.first_in(&bodies, options, [time(part), time(part + 1.0)]))
    }

    /// The first impact between two times.
    fn first_in(
        &mut self,
        bodies: &[MovingBody<'_>; 2],
        options: &ImpactOptions,
        times: [f64; 2],
    ) -> Option<Impact> {
        let (margin, tolerance) = (options.margin, search_tolerance(bodies, options));
        let rounding = rounding(bodies);
        let is_linear = bodies.iter().all(MovingBody::is_linear) && margin == 0.0;
        let moving = |pair: FacePair| {
            MovingFaces::new([bodies[0].face(pair.a), bodies[1].face(pair.b)], rounding)
        };

        let mut descent = Descent::new(&mut self.descent, bodies, times, margin + tolerance);
        self.undecided.clear();
        let mut first: Option<(FacePair, Reached)> = None;
        loop {
            let known = first.as_ref().map_or(f64::INFINITY, |(_, first)| first.time);
            // The exact test takes long, so it comes last, and only for faces that may be the first.
            let bound = known.min(descent.bound());
            let next = (0..self.undecided.len())
                .min_by(|&i, &j| self.undecided[i].1.total_cmp(&self.undecided[j].1));
            if let Some(next) = next.filter(|&next| self.undecided[next].1 <= bound) {
                let (pair, near) = self.undecided.swap_remove(next);
                let reached = exactly_reached(&moving(pair), near, [times[0], times[1].min(known)]);
                if let Some(reached) = reached.filter(|reached| reached.time < known) {
                    first = Some((pair, reached));
                }
                continue;
            }
            let Some((pair, times)) = descent.next(known) else {
                // The last boxes may have led to no faces, while pairs are left that come close later than these boxes.
                match self.undecided.iter().any(|&(_, near)| near <= known) {
                    true => continue,
                    false => break,
                }
            };
            // Proves most pairs apart, at a fraction of the cost of the exact test.
            let Some(near) = moving(pair).first_within(times, margin, tolerance) else { continue };
            if is_linear {
                self.undecided.push((pair, near.time));
            } else if near.time < known {
                first = Some((pair, near));
            }
        }
        first.map(|(pair, reached)| impact(bodies, pair, &reached))
    }
}

/// When two faces touch whose corners move on straight lines, exactly. They are known to be apart from the first of two
/// times until `near`.
fn exactly_reached(faces: &MovingFaces<'_>, near: f64, [from, to]: [f64; 2]) -> Option<Reached> {
    let [a, b] = faces.linear()?;
    let contact = moving_triangles_contact_until(&a, &b, to)?;
    // A contact before the part of the motion that is searched says nothing about later ones.
    let time = if contact.time.latest < from { near } else { contact.time.earliest.max(near) };
    let [face_a, face_b] = faces.at(time);
    Some(Reached { time, closest: triangles_distance(&face_a, &face_b) })
}

fn impact(bodies: &[MovingBody<'_>; 2], faces: FacePair, reached: &Reached) -> Impact {
    let Reached { time, closest } = *reached;
    let moving = [bodies[0].face(faces.a), bodies[1].face(faces.b)];
    let points = [closest.a, closest.b];
    let normal = normal(&moving, time, &closest);
    Impact { time, faces, points, normal, distance: closest.distance }
}

/// How long before a contact the direction between two faces is taken, if they touch at the contact itself.
const SHORTLY: f64 = 1e-6;

/// A unit vector from one face to the other when they come into contact.
fn normal(faces: &[MovingFace<'_>; 2], time: f64, closest: &Closest) -> DVec3 {
    let at = |time: f64| faces.map(|face| face.at(time));
    let between = |faces: &[Triangle; 2], closest: &Closest| match closest.distance > 0.0 {
        true => direction(faces, closest),
        false => DVec3::ZERO,
    };
    // Faces that touch have no direction between them. Shortly before they had.
    let [now, before] = [at(time), at(time - SHORTLY)];
    let way = between(&now, closest);
    if way != DVec3::ZERO {
        return way;
    }
    let way = between(&before, &triangles_distance(&before[0], &before[1]));
    if way == DVec3::ZERO { normal_of_touching(&now[0], &now[1]) } else { way }
}

/// A unit vector from one of two touching faces to the other: along the normal of the face that the other pierces less.
fn normal_of_touching(a: &Triangle, b: &Triangle) -> DVec3 {
    let middle = |t: &Triangle| (t[0] + t[1] + t[2]) / 3.0;
    let way = middle(b) - middle(a);
    let normals = [a, b].map(|t| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero());
    // How far the other face reaches through the plane of each.
    let through = |face: &Triangle, normal: DVec3, other: &Triangle| {
        let heights = other.map(|corner| normal.dot(corner - face[0]));
        let highest = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let lowest = heights.into_iter().fold(f64::INFINITY, f64::min);
        highest.min(-lowest)
    };
    let depths = [through(a, normals[0], b), through(b, normals[1], a)];
    let normal = if depths[0] <= depths[1] { normals[0] } else { normals[1] };
    let normal = if normal == DVec3::ZERO { way.normalize_or(DVec3::Z) } else { normal };
    if normal.dot(way) < 0.0 { -normal } else { normal }
}

/// The distance at which bodies count as touching: that of the options, or 1e-11 of the larger body's size; but no less
/// than a few roundings, below which distances of positions mean nothing.
pub(super) fn search_tolerance(bodies: &[MovingBody<'_>; 2], options: &ImpactOptions) -> f64 {
    let default = || default_tolerance(&bodies[0]).max(default_tolerance(&bodies[1]));
    options.tolerance.map_or_else(default, Tolerance::get).max(8.0 * rounding(bodies))
}

/// A body's share of the tolerance and of the margin: two bodies that stay farther apart than the sum of their shares have
/// no impact.
///
/// Each term of [`search_tolerance`] is at most the sum of two parts, one for each body. The last summand allows for the
/// errors of distances as computed.
pub(super) fn tolerance_share(body: &MovingBody<'_>, options: &ImpactOptions) -> f64 {
    let half = |tolerance: Tolerance| 0.5 * tolerance.get();
    let asked = options.tolerance.map_or_else(|| default_tolerance(body), half);
    let share = asked.max(16.0 * body.rounding) + 0.5 * options.margin;
    share * (1.0 + 1e-11) + 8.0 * body.rounding
}

/// 1e-11 of the body's size.
fn default_tolerance(body: &MovingBody<'_>) -> f64 {
    2e-11 * body.moving().shape().placed(&Pose::IDENTITY).extent.half_size()
}
