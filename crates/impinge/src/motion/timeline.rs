//! When two moving bodies are in contact: all intervals of time, and with them all impacts.

use super::{
    Impact, ImpactOptions, Moving,
    approach::rounding,
    impact::{Search, search_tolerance},
    moving::MovingBody,
};
use crate::{MethodMismatch, query::Searcher};

/// An interval of time during which two bodies are in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactInterval {
    /// How the contact begins.
    pub impact: Impact,
    /// When it ends; 1 if the bodies are still in contact at the end of the motion.
    pub until: f64,
}

/// Ends of contacts are found to this share of the motion.
const END_ACCURACY: f64 = 1e-9;

/// Returns all intervals of time during which two moving bodies are in contact, in order. Fails if different methods
/// prepared the shapes.
///
/// Outside of the intervals the bodies do not touch, which is proven as by [`first_impact`](super::first_impact); with a
/// [margin](ImpactOptions::margin), they stay farther apart than that. An
/// interval begins at an [`Impact`], so these are all impacts of the motion. It ends when the bodies are farther apart
/// than the tolerance; a separation that is shorter than `resolution`, a share of the motion such as 0.001, may be
/// passed over. A resolution below 1e-6 counts as 1e-6.
///
/// ```
/// use impinge::{Motion, Pose, Shape, generate, glam::DVec3, motion::contact_intervals};
///
/// // A bar that makes two turns hits a block four times.
/// let bar = Shape::new(generate::cuboid(DVec3::new(4.0, 0.2, 0.2))?);
/// let block = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
/// let turns = DVec3::Z * 2.0 * std::f64::consts::TAU;
/// let spin = Motion::spinning(Pose::IDENTITY, DVec3::ZERO, turns, DVec3::ZERO)?;
/// let rest = Motion::still(Pose::from_translation(DVec3::Y * 2.0)?);
/// let contacts = contact_intervals((&bar, &spin), (&block, &rest), &Default::default(), 1e-3)?;
/// assert_eq!(contacts.len(), 4);
/// assert!(contacts.iter().all(|contact| contact.impact.time < contact.until));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact_intervals<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
    options: &ImpactOptions,
    resolution: f64,
) -> Result<Vec<ContactInterval>, MethodMismatch> {
    let (a, b) = (a.into(), b.into());
    a.shape().check_method(b.shape())?;
    let (Some(body_a), Some(body_b)) = (MovingBody::new(a), MovingBody::new(b)) else {
        return Ok(Vec::new());
    };
    // A NaN passes no comparison, and counts as the least resolution.
    let resolution = if resolution > 1e-6 { resolution } else { 1e-6 };
    let tolerance = search_tolerance(&[body_a, body_b], options);
    // What the search for an impact calls touching must count here, too.
    let near = (options.kept() + tolerance + rounding(&[body_a, body_b])) * (1.0 + 1e-9);
    Ok(Searcher::of_thread(|searcher| {
        let mut search = Search::default();
        let mut intervals = Vec::new();
        let [mut from, to] = options.times();
        while let Some(impact) = search.first(a, b, &options.between(from, to)) {
            let mut is_near = |time: f64| are_within(searcher, [&a, &b], time, near);
            let until = end_of_contact(impact.time, to, resolution, &mut is_near);
            intervals.push(ContactInterval { impact, until });
            if until >= to {
                break;
            }
            from = until;
        }
        intervals
    }))
}

/// The time at which a contact ends that begins at `start`: no later than `to`.
fn end_of_contact(
    start: f64,
    to: f64,
    resolution: f64,
    is_near: &mut dyn FnMut(f64) -> bool,
) -> f64 {
    let mut near = start;
    let mut apart = loop {
        let next = (near + resolution).min(to);
        if !is_near(next) {
            break next;
        }
        if next >= to {
            return to;
        }
        near = next;
    };
    while apart - near > END_ACCURACY {
        let middle = 0.5 * (near + apart);
        match is_near(middle) {
            true => near = middle,
            false => apart = middle,
        }
    }
    apart
}

/// Whether two bodies are within a distance of each other at a time.
pub(super) fn are_within(
    searcher: &mut Searcher,
    [a, b]: [&Moving<'_>; 2],
    time: f64,
    distance: f64,
) -> bool {
    a.with_shape_at(time, |shape_a, pose_a| {
        b.with_shape_at(time, |shape_b, pose_b| {
            searcher.any_within((shape_a, pose_a), (shape_b, pose_b), distance).is_some()
        })
    })
}
