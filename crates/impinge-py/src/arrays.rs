//! NumPy arrays in and out: points, faces, poses.
//!
//! Arrays of `float64` are read where they are, with any strides. Everything else that NumPy can make such an array of
//! is converted.

use crate::error::{mesh_error, pose_error, value_error};
use impinge::{FacePair, Pose, glam::DVec3};
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
    ndarray::{Array2, ArrayView2, ArrayViewD, Axis, Dimension},
};
use pyo3::{prelude::*, sync::PyOnceLock};
use std::ops::Range;

/// The array of an object, as numbers.
pub(crate) fn numbers<'py>(object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    if let Ok(array) = object.cast::<PyArrayDyn<f64>>() {
        return Ok(regular(array)?.try_readonly()?);
    }
    let py = object.py();
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let asarray = ASARRAY.import(py, "numpy", "asarray")?;
    let array = asarray.call1((object,)).map_err(|error| value_error(error.value(py)))?;
    let array = array.cast_into::<numpy::PyUntypedArray>()?;
    let kind: char = array.dtype().getattr("kind")?.extract()?;
    // Booleans, integers, real numbers, and objects that can be converted to numbers.
    if !matches!(kind, 'b' | 'i' | 'u' | 'f' | 'O') {
        return Err(value_error(format!("an array has the type {}, not numbers", array.dtype())));
    }
    let array = asarray.call1((array, numpy::dtype::<f64>(py)));
    let array = array.map_err(|error| value_error(error.value(py)))?;
    Ok(regular(array.cast::<PyArrayDyn<f64>>()?)?.try_readonly()?)
}

/// The array, or a copy if its items are not at multiples of their size: fields of packed structures, bytes of a file.
fn regular<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let size = size_of::<T>();
    let is_regular = array.data().addr().is_multiple_of(align_of::<T>())
        && array.strides().iter().all(|stride| stride.unsigned_abs().is_multiple_of(size));
    match is_regular {
        true => Ok(array.clone()),
        false => Ok(array.call_method0("copy")?.cast_into()?),
    }
}

/// The shape of an array, for messages.
fn shape(array: &ArrayViewD<'_, f64>) -> String {
    let sizes: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
    format!("({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" })
}

/// Points or directions, one or many: an array of shape (3,) or (n, 3).
pub(crate) struct Points<'py> {
    array: PyReadonlyArrayDyn<'py, f64>,
}

impl<'py> Points<'py> {
    pub(crate) fn read(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = numbers(object)?;
        match array.as_array().shape() {
            [3] | [_, 3] => Ok(Self { array }),
            _ => Err(value_error(format!(
                "{name} has the shape {}, not (3,) or (n, 3)",
                shape(&array.as_array())
            ))),
        }
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        if self.array.ndim() == 1 { 1 } else { self.array.shape()[0] }
    }

    /// The point of an array of shape (3,).
    pub(crate) fn one(&self) -> Option<DVec3> {
        (self.array.ndim() == 1).then(|| self.view().at(0))
    }

    /// The points for threads without the interpreter.
    pub(crate) fn view(&self) -> PointsView<'_> {
        PointsView { array: self.array.as_array() }
    }
}

/// [`Points`] for threads without the interpreter.
pub(crate) struct PointsView<'a> {
    array: ArrayViewD<'a, f64>,
}

impl PointsView<'_> {
    /// One of the points. An array of shape (3,) has the same point for all numbers.
    pub(crate) fn at(&self, number: usize) -> DVec3 {
        let array = &self.array;
        match array.ndim() {
            1 => DVec3::new(array[[0]], array[[1]], array[[2]]),
            _ => DVec3::new(array[[number, 0]], array[[number, 1]], array[[number, 2]]),
        }
    }

    /// Some of the points.
    pub(crate) fn get(&self, range: Range<usize>) -> Vec<DVec3> {
        rows(&self.array.slice_axis(Axis(0), range.into()))
    }
}

fn rows(array: &ArrayViewD<'_, f64>) -> Vec<DVec3> {
    if let Some(slice) = array.as_slice() {
        return slice.as_chunks().0.iter().copied().map(DVec3::from_array).collect();
    }
    array.axis_iter(Axis(0)).map(|row| DVec3::new(row[0], row[1], row[2])).collect()
}

/// Reads vertices: an array of shape (n, 3).
pub(crate) fn vertices(object: &Bound<'_, PyAny>) -> PyResult<Vec<DVec3>> {
    let array = numbers(object)?;
    let array = array.as_array();
    match array.shape() {
        [_, 3] => Ok(rows(&array)),
        [0] => Ok(Vec::new()),
        _ => Err(mesh_error(format!("vertices has the shape {}, not (n, 3)", shape(&array)))),
    }
}

/// Reads faces: an array of integers of shape (n, 3).
pub(crate) fn faces(object: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let py = object.py();
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = ASARRAY.import(py, "numpy", "asarray")?.call1((object,))?;
    let untyped = array.cast::<numpy::PyUntypedArray>()?;
    if untyped.is_empty() {
        return Ok(Vec::new());
    }
    let kind: char = untyped.dtype().getattr("kind")?.extract()?;
    if !matches!(kind, 'i' | 'u') {
        return Err(mesh_error(format!("faces has the type {}, not integers", untyped.dtype())));
    }
    let &[_, 3] = untyped.shape() else {
        let sizes: Vec<String> = untyped.shape().iter().map(ToString::to_string).collect();
        return Err(mesh_error(format!(
            "faces has the shape ({}), not (n, 3): polygons must be triangulated first",
            sizes.join(", ")
        )));
    };
    if let Ok(array) = array.cast::<PyArray2<u32>>() {
        return Ok(triples(regular(array)?.try_readonly()?.as_array(), |index| index));
    }
    // 64-bit integers hold every index; whether it is one is checked here, before it is cut to 32 bits.
    let array = match array.cast::<PyArray2<i64>>() {
        Ok(array) => array.clone(),
        Err(_) => {
            static ASTYPE: &str = "astype";
            array.call_method1(ASTYPE, (numpy::dtype::<i64>(py),))?.cast_into()?
        }
    };
    let array = regular(&array)?.try_readonly()?;
    let array = array.as_array();
    let bad = array.indexed_iter().find(|(_, index)| u32::try_from(**index).is_err());
    if let Some(((face, _), index)) = bad {
        // Cast to 64 bits with a sign, the largest integers become negative.
        let index = if kind == 'u' { (*index as u64).to_string() } else { index.to_string() };
        return Err(mesh_error(format!("face {face} uses vertex {index}, which cannot exist")));
    }
    Ok(triples(array, |index| index as u32))
}

fn triples<T: Copy>(array: ArrayView2<'_, T>, index: impl Fn(T) -> u32) -> Vec<[u32; 3]> {
    if let Some(slice) = array.as_slice() {
        return slice.as_chunks::<3>().0.iter().map(|face| face.map(&index)).collect();
    }
    let corner = |row: &numpy::ndarray::ArrayView1<'_, T>, at: usize| index(row[at]);
    array.outer_iter().map(|row| [0, 1, 2].map(|at| corner(&row, at))).collect()
}

/// Reads a pose: a matrix of shape (4, 4) or (3, 4). `None` is the identity.
pub(crate) fn pose(object: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    let Some(object) = object else { return Ok(Pose::IDENTITY) };
    Pose::from_rows(matrix_rows(object)?).map_err(pose_error)
}

/// Reads the first three rows of a matrix of shape (4, 4) or (3, 4), row by row.
pub(crate) fn matrix_rows(object: &Bound<'_, PyAny>) -> PyResult<[f64; 12]> {
    let array = numbers(object)?;
    let array = array.as_array();
    match array.shape() {
        [4, 4] | [3, 4] => {
            let mut matrix = [0.0; 16];
            let count = array.len();
            copy(&mut matrix[..count], &array);
            upper_rows(&matrix[..count]).map_err(pose_error)
        }
        _ => {
            Err(pose_error(format!("a pose has the shape {}, not (4, 4) or (3, 4)", shape(&array))))
        }
    }
}

/// Many poses: an array of shape (n, 4, 4) or (n, 3, 4).
pub(crate) struct Poses<'py> {
    array: PyReadonlyArrayDyn<'py, f64>,
    name: &'static str,
}

impl<'py> Poses<'py> {
    pub(crate) fn read(name: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = numbers(object)?;
        match array.as_array().shape() {
            [_, 4, 4] | [_, 3, 4] => {}
            [0] => {}
            _ => {
                return Err(pose_error(format!(
                    "{name} has the shape {}, not (n, 4, 4) or (n, 3, 4)",
                    shape(&array.as_array())
                )));
            }
        }
        Ok(Self { array, name })
    }

    pub(crate) fn len(&self) -> usize {
        self.array.as_array().shape()[0]
    }

    /// The poses for threads without the interpreter.
    pub(crate) fn view(&self) -> PosesView<'_> {
        PosesView { array: self.array.as_array(), name: self.name }
    }

    pub(crate) fn all(&self) -> PyResult<Vec<Pose>> {
        let mut poses = Vec::with_capacity(self.len());
        self.view().get(0..self.len(), &mut poses)?;
        Ok(poses)
    }
}

/// [`Poses`] for threads without the interpreter.
pub(crate) struct PosesView<'a> {
    array: ArrayViewD<'a, f64>,
    name: &'static str,
}

impl PosesView<'_> {
    /// Reads some of the poses.
    pub(crate) fn get(&self, range: Range<usize>, into: &mut Vec<Pose>) -> PyResult<()> {
        let Self { array, name } = self;
        into.clear();
        if array.ndim() < 3 {
            return Ok(());
        }
        let numbers = array.shape()[1] * 4;
        let slice = array.as_slice();
        let mut matrix = [0.0; 16];
        for number in range {
            let matrix = match slice {
                Some(slice) => &slice[number * numbers..][..numbers],
                None => {
                    copy(&mut matrix[..numbers], &array.index_axis(Axis(0), number));
                    &matrix[..numbers]
                }
            };
            let pose =
                pose_of(matrix).map_err(|why| pose_error(format!("{name}[{number}]: {why}")));
            into.push(pose?);
        }
        Ok(())
    }
}

/// Copies an array in the order of its rows.
fn copy<D: Dimension>(into: &mut [f64], array: &numpy::ndarray::ArrayView<'_, f64, D>) {
    for (into, &from) in into.iter_mut().zip(array.iter()) {
        *into = from;
    }
}

/// How far the last row of a matrix of shape (4, 4) may be from (0, 0, 0, 1), as for rotations.
const LAST_ROW_TOLERANCE: f64 = 1e-6;

/// The pose of a matrix with three or four rows.
fn pose_of(matrix: &[f64]) -> Result<Pose, String> {
    Pose::from_rows(upper_rows(matrix)?).map_err(|error| error.to_string())
}

/// The first three of three or four rows.
fn upper_rows(matrix: &[f64]) -> Result<[f64; 12], String> {
    let (rows, last) = matrix.split_first_chunk::<12>().expect("at least three rows");
    let is_near = |(&value, expected): (&f64, f64)| (value - expected).abs() <= LAST_ROW_TOLERANCE;
    if !last.iter().zip([0.0, 0.0, 0.0, 1.0]).all(is_near) {
        return Err(format!("the last row of the matrix is {last:?}, not [0, 0, 0, 1]"));
    }
    Ok(*rows)
}

/// A pose as a matrix of shape (4, 4).
pub(crate) fn matrix<'py>(py: Python<'py>, pose: &Pose) -> Bound<'py, PyArray2<f64>> {
    let mut matrix = Array2::zeros((4, 4));
    for (into, from) in matrix.iter_mut().zip(pose.to_rows()) {
        *into = from;
    }
    matrix[[3, 3]] = 1.0;
    PyArray::from_owned_array(py, matrix)
}

/// A point as an array of shape (3,).
pub(crate) fn point(py: Python<'_>, point: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray::from_slice(py, &point.to_array())
}

/// Points as an array of shape (n, 3).
pub(crate) fn points(py: Python<'_>, points: Vec<DVec3>) -> Bound<'_, PyArray2<f64>> {
    let count = points.len();
    let numbers: Vec<f64> = bytemuck::cast_slice(&points).to_vec();
    let array = Array2::from_shape_vec((count, 3), numbers).expect("three numbers a point");
    PyArray::from_owned_array(py, array)
}

/// Pairs of faces as an array of shape (n, 2).
pub(crate) fn face_pairs<'py>(py: Python<'py>, pairs: &[FacePair]) -> Bound<'py, PyArray2<u32>> {
    let numbers: Vec<u32> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    let array = Array2::from_shape_vec((pairs.len(), 2), numbers).expect("two numbers a pair");
    PyArray::from_owned_array(py, array)
}

/// Makes an array that cannot be written to.
pub(crate) fn read_only<T: numpy::Element, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) {
    if let Ok(array) = array.try_readwrite() {
        let _ = array.make_nonwriteable();
    }
}
