//! The first impact of two moving shapes.

use crate::{
    arrays,
    error::{pose_error, value_error},
    shape::shape_of,
};
use impinge::{FacePair, Motion, glam::DVec3, motion::ImpactOptions};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// The first contact of two moving bodies: see `first_impact`. Impacts with equal attributes are equal.
#[pyclass(frozen, eq, module = "impinge")]
#[derive(Debug, PartialEq)]
pub(crate) struct Impact {
    time: f64,
    faces: FacePair,
    points: [DVec3; 2],
    normal: DVec3,
    distance: f64,
}

impl From<impinge::Impact> for Impact {
    fn from(found: impinge::Impact) -> Self {
        let impinge::Impact { time, faces, points, normal, distance, .. } = found;
        Self { time, faces, points, normal, distance }
    }
}

#[pymethods]
impl Impact {
    /// The time from 0 to 1 of the first contact. It is never later than the contact: the bodies are proven to be apart before.
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    /// The face of a and the face of b that touch first.
    #[getter]
    fn faces(&self) -> (u32, u32) {
        (self.faces.a, self.faces.b)
    }

    /// The closest points at that time, in world coordinates: an array of shape (2, 3), the point of a first.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        arrays::points(py, self.points.to_vec())
    }

    /// The direction of contact, from a to b: an array of shape (3,) of length 1.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.normal)
    }

    /// The distance of the bodies at that time: 0, or at most the tolerance and the margin.
    #[getter]
    fn distance(&self) -> f64 {
        self.distance
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Self { time, faces, points, normal, distance } = slf.get();
        let points = points.map(|point| point.to_array());
        let state = (*time, (faces.a, faces.b), points, normal.to_array(), *distance);
        Ok((slf.get_type().getattr("_restore")?, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(
        time: f64,
        faces: (u32, u32),
        points: [[f64; 3]; 2],
        normal: [f64; 3],
        distance: f64,
    ) -> Self {
        let (points, normal) = (points.map(DVec3::from_array), DVec3::from_array(normal));
        let faces = FacePair { a: faces.0, b: faces.1 };
        Self { time, faces, points, normal, distance }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.time, self.faces()).into_pyobject(py)?.hash()
    }

    fn __repr__(&self) -> String {
        let (a, b) = self.faces();
        format!("Impact(time {}, faces {a} and {b})", self.time)
    }
}

/// The options of a search for impacts.
pub(crate) fn impact_options(
    tolerance: Option<f64>,
    margin: Option<f64>,
) -> PyResult<ImpactOptions> {
    let mut options = ImpactOptions::default();
    if let Some(tolerance) = tolerance {
        let found = options.tolerance(tolerance);
        options = found.map_err(|why| value_error(format!("tolerance: {why}")))?;
    }
    if let Some(margin) = margin {
        let found = options.margin(margin);
        options = found.map_err(|why| value_error(format!("margin: {why}")))?;
    }
    Ok(options)
}

fn motion(
    name: &str,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
) -> PyResult<Motion> {
    let from = arrays::pose(start)?;
    match end {
        None => Ok(Motion::still(from)),
        end => Motion::between(from, arrays::pose(end)?)
            .map_err(|error| pose_error(format!("the motion of {name}: {error}"))),
    }
}

/// The first contact of b, on its way from one pose to another, with a; `None` is a proof that they do not touch.
///
/// b moves from the pose `start` to the pose `end` during the time from 0 to 1: its origin moves on a straight line, and it
/// turns about an axis of constant direction with constant speed. a rests at `start_a`, or moves to `end_a`. All poses are
/// matrices of shape (4, 4) or (3, 4); `None` is the identity for a start, and no motion for an end.
///
/// If no body turns, the decision is exact. Otherwise an impact may be reported while the bodies are still `tolerance` apart
/// (by default 1e-11 of the larger body). With `margin` bodies count as touching when they are this close. Surfaces only: a
/// body wholly inside another touches nothing.
///
/// Raises `PoseError` if two poses differ by half a turn, whose direction is not known, and `ArgumentError` if a distance is
/// negative.
///
/// >>> start = [[1, 0, 0, 11], [0, 1, 0, 0], [0, 0, 1, 0]]
/// >>> end = [[1, 0, 0, -9], [0, 1, 0, 0], [0, 0, 1, 0]]
/// >>> impact = impinge.first_impact(cube, cube, start, end)
/// >>> round(impact.time, 9), impact.normal
/// (0.5, array([1., 0., 0.]))
/// >>> impinge.first_impact(cube, cube, start, [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0]]) is None
/// True
#[pyfunction]
#[pyo3(signature = (a, b, start, end, *, start_a=None, end_a=None, tolerance=None, margin=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn first_impact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
    start_a: Option<&Bound<'_, PyAny>>,
    end_a: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    margin: Option<f64>,
) -> PyResult<Option<Impact>> {
    let [a, b] = [shape_of("a", a)?, shape_of("b", b)?];
    let motions = [motion("a", start_a, end_a)?, motion("b", start, end)?];
    let options = impact_options(tolerance, margin)?;
    let search = || impinge::first_impact((&a, &motions[0]), (&b, &motions[1]), &options);
    Ok(py.detach(search).map_err(value_error)?.map(Impact::from))
}
