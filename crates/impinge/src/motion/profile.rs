//! The distance of two moving bodies over time.

use super::{Moving, approach::relative_speed, approach::rounding, moving::MovingBody};
use crate::{MeshDistance, MethodMismatch, Tolerance, query::Searcher};

/// The distance of two moving bodies at one time, and a lower bound until the next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DistanceAt {
    /// When, from 0 to 1.
    pub time: f64,
    /// The distance at that time, with the closest points and faces.
    pub closest: MeshDistance,
    /// A lower bound of the distance at all times from this one to the next of the profile.
    pub at_least: f64,
}

/// The least interval of time between two entries of a profile.
const SHORTEST: f64 = 1e-5;

/// Returns the distance of two moving bodies over time: at as many times as it takes for the lower bounds in between to
/// be within `accuracy` of the smaller distance at both ends, but no closer than 1e-5 to each other. The first entry is
/// at time 0, the last at 1. Empty if a mesh has no faces. Fails if different methods prepared the shapes.
///
/// ```
/// use impinge::{Motion, Pose, Shape, Tolerance, generate, glam::DVec3, motion::distance_profile};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// let at = |x| Pose::from_translation(DVec3::new(x, 3.0, 0.0));
/// let (rest, pass) = (Motion::still(Pose::IDENTITY), Motion::between(at(-5.0)?, at(5.0)?)?);
/// let profile = distance_profile((&ball, &rest), (&ball, &pass), Tolerance::new(0.05)?)?;
/// let least = profile.iter().map(|entry| entry.at_least).fold(f64::INFINITY, f64::min);
/// assert!((0.9..1.01).contains(&least));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_profile<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
    accuracy: Tolerance,
) -> Result<Vec<DistanceAt>, MethodMismatch> {
    let (a, b) = (a.into(), b.into());
    a.shape().check_method(b.shape())?;
    let (Some(body_a), Some(body_b)) = (MovingBody::new(a), MovingBody::new(b)) else {
        return Ok(Vec::new());
    };
    let bodies = [body_a, body_b];
    let slack = rounding(&bodies);
    Ok(Searcher::of_thread(|searcher| {
        let mut measure =
            |time: f64| distance_at(searcher, [&a, &b], time).expect("both meshes have faces");
        let mut profile = Vec::new();
        let mut start = (0.0, measure(0.0));
        // Ends of intervals that are not yet known to be short enough, the earliest last.
        let mut ends = vec![(1.0, measure(1.0))];
        while let Some(end) = ends.pop() {
            let [from, to] = [start, end].map(|(time, closest)| (time, closest.distance));
            let at_least = least_between(from, to, relative_speed(&bodies, [from.0, to.0]), slack);
            let is_short = to.0 - from.0 <= SHORTEST;
            if at_least + accuracy.get() < from.1.min(to.1) && !is_short {
                let middle = 0.5 * (from.0 + to.0);
                ends.extend([end, (middle, measure(middle))]);
                continue;
            }
            profile.push(DistanceAt { time: start.0, closest: start.1, at_least });
            start = end;
        }
        let at_least = (start.1.distance - slack).max(0.0);
        profile.push(DistanceAt { time: start.0, closest: start.1, at_least });
        profile
    }))
}

/// Returns the least distance of two moving bodies between two times, and when it occurs: `at_least` is a lower bound for
/// all of these times, at most `accuracy` below the distance, unless it takes times closer than 1e-5 to each other. `None`
/// if a mesh has no faces. Fails if different methods prepared the shapes.
///
/// ```
/// use impinge::{Motion, Pose, Shape, Tolerance, generate, glam::DVec3, motion::least_distance};
///
/// let cube = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
/// let at = |x| Pose::from_translation(DVec3::new(x, 3.0, 0.0));
/// let (rest, pass) = (Motion::still(Pose::IDENTITY), Motion::between(at(-5.0)?, at(5.0)?)?);
/// let least = least_distance((&cube, &rest), (&cube, &pass), [0.0, 1.0], Tolerance::new(0.01)?)?;
/// let least = least.ok_or("no faces")?;
/// assert!((least.closest.distance - 2.0).abs() < 1e-9 && least.at_least > 1.99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn least_distance<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
    [from, to]: [f64; 2],
    accuracy: Tolerance,
) -> Result<Option<DistanceAt>, MethodMismatch> {
    let (a, b) = (a.into(), b.into());
    a.shape().check_method(b.shape())?;
    let (Some(body_a), Some(body_b)) = (MovingBody::new(a), MovingBody::new(b)) else {
        return Ok(None);
    };
    let bodies = [body_a, body_b];
    let slack = rounding(&bodies);
    Ok(Searcher::of_thread(|searcher| {
        let mut measure = |time: f64| Some((time, distance_at(searcher, [&a, &b], time)?));
        let ends = [measure(from)?, measure(to)?];
        let mut best = if ends[0].1.distance <= ends[1].1.distance { ends[0] } else { ends[1] };
        let mut at_least = best.1.distance;
        // The interval whose ends are closer is searched first: it probably has the least distance, which rules out
        // others.
        let mut intervals = vec![ends];
        while let Some(ends) = intervals.pop() {
            let [start, end] = ends.map(|(time, closest)| (time, closest.distance));
            let bound = least_between(start, end, relative_speed(&bodies, [start.0, end.0]), slack);
            if bound + accuracy.get() >= best.1.distance || end.0 - start.0 <= SHORTEST {
                at_least = at_least.min(bound);
                continue;
            }
            let middle = measure(0.5 * (start.0 + end.0))?;
            if middle.1.distance < best.1.distance {
                best = middle;
            }
            let halves = [[ends[0], middle], [middle, ends[1]]];
            let first_is_closer = start.1 <= end.1;
            intervals.extend(if first_is_closer { [halves[1], halves[0]] } else { halves });
        }
        let (time, closest) = best;
        let at_least = at_least.min(closest.distance - slack).max(0.0);
        Some(DistanceAt { time, closest, at_least })
    }))
}

/// The distance of two bodies at a time; `None` if a mesh has no faces.
fn distance_at(
    searcher: &mut Searcher,
    [a, b]: [&Moving<'_>; 2],
    time: f64,
) -> Option<MeshDistance> {
    a.with_shape_at(time, |shape_a, pose_a| {
        b.with_shape_at(time, |shape_b, pose_b| {
            searcher.distance((shape_a, pose_a), (shape_b, pose_b))
        })
    })
}

/// A lower bound of a distance between two times, at which it is known, if it changes by at most `speed` per unit of
/// time.
fn least_between((from, first): (f64, f64), (to, last): (f64, f64), speed: f64, slack: f64) -> f64 {
    // It falls from the first value and rises to the last as fast as it can. Distances are right to a relative 1e-12.
    let least = 0.5 * (first + last - speed * (to - from)) - slack;
    (least - 1e-11 * first.max(last)).min(first.min(last)).max(0.0)
}
