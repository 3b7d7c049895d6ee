//! Transforms that also scale, mirror or shear, as a rigid pose and a stretch.

use crate::{arrays, error::pose_error};
use impinge::glam::{DMat3, DVec3};
use impinge_io::assembly::split_linear;
use numpy::{PyArray2, ndarray::Array2};
use pyo3::prelude::*;

/// A pose of shape (4, 4), and a stretch of shape (3, 3), if there is one.
type SplitTransform<'py> = (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// Splits an affine transform into a rigid pose and a stretch, which is applied to the vertices first. A transform that
/// is a pose already is returned unchanged, without a stretch.
#[pyfunction]
pub(crate) fn split_transform<'py>(
    py: Python<'py>,
    transform: &Bound<'py, PyAny>,
) -> PyResult<SplitTransform<'py>> {
    let refused = match arrays::pose(Some(transform)) {
        Ok(pose) => return Ok((arrays::matrix(py, &pose), None)),
        Err(error) => error,
    };
    let numbers = arrays::numbers(transform)?;
    let numbers = numbers.as_array();
    let is_affine = match numbers.shape() {
        [3, 4] => true,
        [4, 4] => (0..4).all(|at| numbers[[3, at]] == f64::from(u8::from(at == 3))),
        _ => false,
    };
    if !is_affine || numbers.iter().any(|number| !number.is_finite()) {
        return Err(refused);
    }
    let column = |at: usize| DVec3::new(numbers[[0, at]], numbers[[1, at]], numbers[[2, at]]);
    let (rotation, stretch) = split_linear(DMat3::from_cols(column(0), column(1), column(2)));
    let pose = impinge::Pose::new(rotation, column(3)).map_err(pose_error)?;
    let stretch = stretch.map(|stretch| {
        let rows = Array2::from_shape_fn((3, 3), |(row, at)| stretch.col(at)[row]);
        PyArray2::from_owned_array(py, rows)
    });
    Ok((arrays::matrix(py, &pose), stretch))
}
