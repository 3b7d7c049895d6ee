//! Queries of two shapes at many poses, on all cores, without the interpreter.

use crate::{
    arguments,
    arrays::{self, Poses},
    contact_lists::ContactLists,
    interrupt::in_pieces,
    pair::{shapes_of, tolerance},
    pool::thread_count,
};
use impinge::{FacePair, Pose, Tolerance};
use numpy::PyArray1;
use pyo3::prelude::*;

/// The arguments of a batch.
pub(crate) struct Many<'py> {
    poses: Poses<'py>,
    pose_a: Pose,
    tolerance: Tolerance,
    threads: usize,
}

impl<'py> Many<'py> {
    pub(crate) fn read(
        poses: &Bound<'py, PyAny>,
        pose_a: Option<&Bound<'py, PyAny>>,
        within: Option<f64>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        Ok(Self {
            poses: Poses::read("poses", poses)?,
            pose_a: arrays::pose(pose_a)?,
            tolerance: tolerance(within)?,
            threads: thread_count(threads)?,
        })
    }

    /// Asks about some of the poses at a time. Returns the answers in the order of the poses.
    fn each<R: Send>(
        &self,
        py: Python<'_>,
        shapes: &[impinge::Shape; 2],
        ask: impl Fn(impinge::Batch<'_, '_>) -> R + Sync,
    ) -> PyResult<Vec<R>> {
        let Self { ref poses, ref pose_a, tolerance, threads } = *self;
        let (count, poses, [a, b]) = (poses.len(), poses.view(), shapes);
        let begin =
            || (impinge::Pair::new(a, b).expect("one method prepared both shapes"), Vec::new());
        in_pieces(py, count, threads, begin, |(pair, some), range| {
            poses.get(range, some)?;
            let Ok(batch) = pair.at_many(pose_a, some).within(tolerance);
            Ok(ask(batch))
        })
    }
}

/// At which of many poses of b any of its faces touches a.
///
/// `poses` is an array of shape (n, 4, 4) or (n, 3, 4). The result is an array of n `bool`, one for each pose. The poses
/// are distributed among all cores, or among `threads` threads, without the interpreter. Ctrl-C ends the call.
///
/// The other arguments are those of `intersects`. Raises `PoseError` if a matrix is not a rigid pose; the message has its
/// index.
///
/// >>> poses = np.tile(np.eye(4), (3, 1, 1))
/// >>> poses[:, 0, 3] = [0.5, 1.0, 1.5]
/// >>> impinge.check(cube, cube, poses)
/// array([ True,  True, False])
#[pyfunction]
#[pyo3(signature = (a, b, poses, *, pose_a=None, within=None, threads=None))]
pub(crate) fn check<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: &Bound<'py, PyAny>,
    pose_a: Option<&Bound<'py, PyAny>>,
    within: Option<f64>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    check_in(a.py(), &shapes_of(a, b)?, &Many::read(poses, pose_a, within, threads)?)
}

pub(crate) fn check_in<'py>(
    py: Python<'py>,
    shapes: &[impinge::Shape; 2],
    many: &Many<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let ask = |batch: impinge::Batch<'_, '_>| batch.intersects().iter().collect::<Vec<bool>>();
    let bits = many.each(py, shapes, ask)?.concat();
    Ok(PyArray1::from_vec(py, bits).into_any())
}

pub(crate) fn contacts_in(
    py: Python<'_>,
    shapes: &[impinge::Shape; 2],
    many: &Many<'_>,
) -> PyResult<ContactLists> {
    let ask = |batch: impinge::Batch<'_, '_>| batch.contacts().clone();
    let pieces = many.each(py, shapes, ask)?;
    let pairs = pieces.iter().map(|lists| lists.flat().len()).sum();
    let mut faces: Vec<FacePair> = Vec::with_capacity(pairs);
    let mut offsets = Vec::with_capacity(many.poses.len() + 1);
    offsets.push(0u64);
    let mut end = 0;
    for lists in pieces {
        faces.extend_from_slice(lists.flat());
        offsets.extend(lists.iter().map(|list| {
            end += list.len() as u64;
            end
        }));
    }
    let faces = arrays::face_pairs(py, &faces);
    let offsets = PyArray1::from_vec(py, offsets);
    Ok(ContactLists::of(&faces, &offsets))
}
