//! One question about two shapes in one call.

use super::{MethodMismatch, Shape, searcher::Searcher};
use crate::{FacePair, MeshDistance, Pose};

/// Returns whether any face of `a` touches any face of `b`, each at its pose.
///
/// Exact: closed triangles, touching counts, no tolerance. Surfaces only: a body wholly inside another
/// touches nothing. Fails if different methods prepared the shapes. For more than a yes or no, and for
/// caches, tolerances and threads, see [`Pair`](crate::Pair).
///
/// ```
/// use impinge::{Pose, Shape, generate, glam::DVec3};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
/// assert!(impinge::intersects((&ball, &Pose::IDENTITY), (&ball, &beside))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersects(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Result<bool, MethodMismatch> {
    a.0.check_method(b.0)?;
    Ok(Searcher::of_thread(|searcher| searcher.intersects(a, b)))
}

/// Returns all pairs of a face of `a` and a face of `b` that touch, sorted, each once.
///
/// The same as [`Pair::contacts`](crate::Pair::contacts), in a list of its own. Fails if different
/// methods prepared the shapes.
pub fn contacts(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Result<Vec<FacePair>, MethodMismatch> {
    a.0.check_method(b.0)?;
    let mut contacts = Vec::new();
    Searcher::of_thread(|searcher| searcher.contacts(a, b, &mut contacts));
    Ok(contacts)
}

/// Returns the least distance between the surfaces of two shapes and where it is attained; `None` if
/// one of them has no faces.
///
/// The same as [`Pair::distance`](crate::Pair::distance). Fails if different methods prepared the
/// shapes.
///
/// ```
/// use impinge::{Pose, Shape, generate, glam::DVec3};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// let away = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
/// let gap = impinge::distance((&ball, &Pose::IDENTITY), (&ball, &away))?.ok_or("no faces")?;
/// assert!(gap.distance >= 1.0 && gap.distance < 1.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
) -> Result<Option<MeshDistance>, MethodMismatch> {
    a.0.check_method(b.0)?;
    Ok(Searcher::of_thread(|searcher| searcher.distance(a, b)))
}
