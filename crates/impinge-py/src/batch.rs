//! Queries of two shapes at many poses, on all cores, without the interpreter.

use crate::{
    arrays::{self, Poses},
    error::value_error,
    interrupt::{Share, in_pieces},
    pair::{shapes_of, tolerance},
    pool::Workers,
};
use impinge::{FacePair, Pose, Tolerance};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{exceptions::PyIndexError, prelude::*};

/// The arguments of a batch.
pub(crate) struct Many<'py> {
    poses: Poses<'py>,
    pose_a: Pose,
    tolerance: Tolerance,
    workers: Workers,
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
            workers: Workers::new(threads)?,
        })
    }

    /// Asks about some of the poses at a time. Returns the answers in the order of the poses.
    fn each<R: Send>(
        &self,
        py: Python<'_>,
        shapes: &[impinge::Shape; 2],
        share: Share,
        ask: impl Fn(impinge::Batch<'_, '_>) -> R + Sync,
    ) -> PyResult<Vec<R>> {
        let Self { ref poses, ref pose_a, tolerance, ref workers } = *self;
        let (count, poses, [a, b]) = (poses.len(), poses.view(), shapes);
        let begin =
            || (impinge::Pair::new(a, b).expect("one method prepared both shapes"), Vec::new());
        in_pieces(py, count, share, workers, begin, |(pair, some), range| {
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
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    check_in(a.py(), &shapes_of(a, b)?, &Many::read(poses, pose_a, within, threads)?)
}

pub(crate) fn check_in<'py>(
    py: Python<'py>,
    shapes: &[impinge::Shape; 2],
    many: &Many<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let ask = |batch: impinge::Batch<'_, '_>| batch.intersects().iter().collect::<Vec<bool>>();
    let bits = many.each(py, shapes, Share::Many, ask)?.concat();
    Ok(PyArray1::from_vec(py, bits).into_any())
}

pub(crate) fn contacts_in(
    py: Python<'_>,
    shapes: &[impinge::Shape; 2],
    many: &Many<'_>,
) -> PyResult<ContactLists> {
    let ask = |batch: impinge::Batch<'_, '_>| batch.contacts().clone();
    let pieces = many.each(py, shapes, Share::Few, ask)?;
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
    arrays::read_only(&faces);
    arrays::read_only(&offsets);
    Ok(ContactLists { faces: faces.unbind(), offsets: offsets.unbind() })
}

/// The faces that touch at each of many poses: a sequence with an array of shape (k, 2) for each pose.
///
/// All pairs are in one array, `faces`, so that millions of poses take little memory.
///
/// >>> poses = np.tile(np.eye(4), (2, 1, 1))
/// >>> poses[:, 0, 3] = [5.0, 1.0]
/// >>> lists = impinge.contacts(cube, cube, poses)
/// >>> len(lists), lists[0].shape, lists[-1].shape
/// (2, (0, 2), (62, 2))
/// >>> lists.offsets
/// array([ 0,  0, 62], dtype=uint64)
#[pyclass(frozen, sequence, module = "impinge")]
#[derive(Debug)]
pub(crate) struct ContactLists {
    /// The pairs of all poses, one after another: an array of `uint32` of shape (n, 2), which cannot be written to.
    #[pyo3(get)]
    faces: Py<PyArray2<u32>>,
    /// Where the pairs of each pose begin: those of pose i are `faces[offsets[i]:offsets[i + 1]]`. One more than there are
    /// poses.
    #[pyo3(get)]
    offsets: Py<PyArray1<u64>>,
}

#[pymethods]
impl ContactLists {
    #[new]
    fn new(py: Python<'_>, faces: Py<PyArray2<u32>>, offsets: Py<PyArray1<u64>>) -> PyResult<Self> {
        let pairs = faces.bind(py).try_readonly()?.as_array().nrows() as u64;
        let ends = offsets.bind(py).try_readonly()?.as_array().to_vec();
        if ends.first() != Some(&0) || ends.last() != Some(&pairs) || !ends.is_sorted() {
            return Err(value_error(format!(
                "offsets must ascend from 0 to the number of pairs, which is {pairs}"
            )));
        }
        Ok(Self { faces, offsets })
    }

    /// The number of pairs at each pose: an array of `uint64`.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let offsets = self.offsets.bind(py).try_readonly()?;
        let offsets = offsets.as_array();
        let counts = offsets.windows(2).into_iter().map(|ends| ends[1] - ends[0]);
        Ok(PyArray1::from_iter(py, counts.collect::<Vec<_>>()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.offsets.bind(py).try_readonly()?.as_array().len() - 1)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let offsets = self.offsets.bind(py).try_readonly()?;
        let offsets = offsets.as_array();
        let count = offsets.len() - 1;
        let at = if index < 0 { index + count as isize } else { index };
        if at < 0 || at as usize >= count {
            return Err(PyIndexError::new_err(format!("there are {count} poses, not {index}")));
        }
        let at = at as usize;
        let slice =
            pyo3::types::PySlice::new(py, offsets[at] as isize, offsets[at + 1] as isize, 1);
        self.faces.bind(py).get_item(slice)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let pairs = self.faces.bind(py).try_readonly()?.as_array().nrows();
        Ok(format!("ContactLists({} poses, {pairs} pairs)", self.__len__(py)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let state = (this.faces.clone_ref(py), this.offsets.clone_ref(py));
        Ok((slf.get_type(), state).into_pyobject(py)?.into_any())
    }
}
