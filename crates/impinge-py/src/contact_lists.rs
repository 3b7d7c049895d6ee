//! `ContactLists`: the faces that touch at each of many poses.

use crate::{arrays, error::value_error, report};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{prelude::*, types::PySlice};

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

impl ContactLists {
    /// Makes both arrays read-only.
    pub(crate) fn of(faces: &Bound<'_, PyArray2<u32>>, offsets: &Bound<'_, PyArray1<u64>>) -> Self {
        arrays::read_only(faces);
        arrays::read_only(offsets);
        Self { faces: faces.clone().unbind(), offsets: offsets.clone().unbind() }
    }
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

    /// The pairs of a pose, or a list of those of a slice of poses.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        let (offsets, faces) = (self.offsets.bind(py).try_readonly()?, self.faces.bind(py));
        let offsets = offsets.as_array();
        report::items(index, offsets.len() - 1, "poses", |at| {
            let slice = PySlice::new(py, offsets[at] as isize, offsets[at + 1] as isize, 1);
            faces.get_item(slice).expect("offsets are checked")
        })
    }

    /// Lists are equal if they have the same pairs at the same poses.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let [offsets, others] = [self, other].map(|lists| lists.offsets.bind(py).try_readonly());
        if offsets?.as_array() != others?.as_array() {
            return Ok(false);
        }
        let [faces, others] = [self, other].map(|lists| lists.faces.bind(py).try_readonly());
        Ok(faces?.as_array() == others?.as_array())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let pairs = self.faces.bind(py).try_readonly()?.as_array().nrows();
        (self.__len__(py)?, pairs).into_pyobject(py)?.hash()
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
