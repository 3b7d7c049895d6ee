//! `Step`: the contacts of a world at one step.

use super::bodies::Inner;
use crate::arrays;
use impinge::FacePair;
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods,
    ndarray::{Array2, Dimension},
};
use pyo3::prelude::*;

/// The contacts of a world at one step: see `World.step`. `len(step)` is the number of pairs of bodies that touch.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Step {
    /// The pairs of bodies that touch, sorted: an array of `uint64` of shape (n, 2).
    #[pyo3(get)]
    pairs: Py<PyArray2<u64>>,
    /// The pairs of faces of all pairs of bodies, one after another: an array of `uint32` of shape (m, 2).
    #[pyo3(get)]
    faces: Py<PyArray2<u32>>,
    /// Where the faces of each pair of bodies begin: those of `pairs[i]` are `faces[offsets[i]:offsets[i + 1]]`.
    #[pyo3(get)]
    offsets: Py<PyArray1<u64>>,
    /// The pairs of bodies that touch now and did not at the step before: an array of shape (k, 2).
    #[pyo3(get)]
    began: Py<PyArray2<u64>>,
    /// The pairs of bodies that touched at the step before and do not now: an array of shape (k, 2).
    #[pyo3(get)]
    ended: Py<PyArray2<u64>>,
}

/// The contacts of a step, before objects of Python are made of them.
pub(super) struct StepContacts {
    pairs: Vec<[u64; 2]>,
    faces: Vec<FacePair>,
    offsets: Vec<u64>,
    began: Vec<[u64; 2]>,
    ended: Vec<[u64; 2]>,
}

impl StepContacts {
    /// Those of the last step of a world.
    pub(super) fn of(inner: &Inner) -> Self {
        let step = inner.world.last_step();
        let mut found: Vec<([u64; 2], &[FacePair], bool)> = step
            .pairs()
            .map(|touch| {
                let [a, b] = [inner.number(touch.a), inner.number(touch.b)];
                ([a.min(b), a.max(b)], touch.faces, a > b)
            })
            .collect();
        found.sort_unstable_by_key(|&(pair, ..)| pair);
        let mut faces: Vec<FacePair> = Vec::new();
        let mut offsets = vec![0u64];
        for &(_, of_pair, is_swapped) in &found {
            let first = faces.len();
            match is_swapped {
                false => faces.extend_from_slice(of_pair),
                true => {
                    faces.extend(of_pair.iter().map(|pair| FacePair { a: pair.b, b: pair.a }));
                    faces[first..].sort_unstable();
                }
            }
            offsets.push(faces.len() as u64);
        }
        let pairs = found.iter().map(|&(pair, ..)| pair).collect();
        let (began, ended) = (inner.pairs(step.began()), inner.pairs(step.ended()));
        Self { pairs, faces, offsets, began, ended }
    }
}

impl Step {
    pub(super) fn of(py: Python<'_>, contacts: &StepContacts) -> Self {
        let StepContacts { pairs, faces, offsets, began, ended } = contacts;
        Step {
            pairs: body_pairs(py, pairs),
            faces: arrays::face_pairs(py, faces).unbind(),
            offsets: PyArray1::from_slice(py, offsets).unbind(),
            began: body_pairs(py, began),
            ended: body_pairs(py, ended),
        }
    }
}

#[pymethods]
impl Step {
    #[new]
    fn new(
        pairs: Py<PyArray2<u64>>,
        faces: Py<PyArray2<u32>>,
        offsets: Py<PyArray1<u64>>,
        began: Py<PyArray2<u64>>,
        ended: Py<PyArray2<u64>>,
    ) -> Self {
        Self { pairs, faces, offsets, began, ended }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.pairs.bind(py).len()
    }

    /// Steps are equal if all arrays are.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        fn is_same<T: Element + PartialEq, D: Dimension>(
            py: Python<'_>,
            a: &Py<PyArray<T, D>>,
            b: &Py<PyArray<T, D>>,
        ) -> PyResult<bool> {
            let [a, b] = [a.bind(py).try_readonly()?, b.bind(py).try_readonly()?];
            Ok(a.as_array() == b.as_array())
        }
        Ok(is_same(py, &self.pairs, &other.pairs)?
            && is_same(py, &self.faces, &other.faces)?
            && is_same(py, &self.offsets, &other.offsets)?
            && is_same(py, &self.began, &other.began)?
            && is_same(py, &self.ended, &other.ended)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let faces = self.faces.bind(py).len()?;
        Ok(format!("Step({} pairs of bodies, {faces} pairs of faces)", self.__len__(py)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let state = (
            this.pairs.clone_ref(py),
            this.faces.clone_ref(py),
            this.offsets.clone_ref(py),
            this.began.clone_ref(py),
            this.ended.clone_ref(py),
        );
        Ok((slf.get_type(), state).into_pyobject(py)?.into_any())
    }
}

fn body_pairs(py: Python<'_>, pairs: &[[u64; 2]]) -> Py<PyArray2<u64>> {
    let array = Array2::from_shape_vec((pairs.len(), 2), pairs.as_flattened().to_vec());
    PyArray2::from_owned_array(py, array.expect("two bodies a pair")).unbind()
}
