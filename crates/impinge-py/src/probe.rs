//! One shape and many points or rays.

use crate::{
    arguments,
    arrays::{self, Points},
    error::value_error,
    interrupt::in_pieces,
    pool::thread_count,
    shape::shape_of,
};
use impinge::{NearestPoint, PointLocation, Pose, Ray, RayHit, Shape, Threads, glam::DVec3};
use numpy::PyArray1;
use pyo3::{IntoPyObjectExt, prelude::*};
use std::ops::Range;

/// A placed shape, and the number of threads that ask about it.
struct Probe {
    shape: Shape,
    pose: Pose,
    threads: usize,
}

impl Probe {
    fn read(
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (shape, pose) = (shape_of("shape", shape)?, arrays::pose(pose)?);
        Ok(Self { shape, pose, threads: thread_count(threads)? })
    }

    /// Asks about one item.
    fn one<R: Send>(&self, py: Python<'_>, ask: impl FnOnce(&Shape, &Pose) -> R + Send) -> R {
        py.detach(|| ask(&self.shape, &self.pose))
    }

    /// Asks about many items: `read` reads the items of a range.
    fn many<T: Send + Sync, R: Send>(
        &self,
        py: Python<'_>,
        count: usize,
        read: impl Fn(Range<usize>) -> PyResult<Vec<T>> + Sync,
        ask: impl Fn(&Shape, &Pose, &[T], Threads) -> Vec<R> + Sync,
    ) -> PyResult<Vec<R>> {
        let &Self { ref shape, ref pose, threads } = self;
        let ask = |(): &mut (), range| Ok(ask(shape, pose, &read(range)?, Threads::One));
        Ok(in_pieces(py, count, threads, || (), ask)?.into_iter().flatten().collect())
    }

    /// Asks about many points.
    fn points<R: Send>(
        &self,
        points: &Points<'_>,
        py: Python<'_>,
        ask: impl Fn(&Shape, &Pose, &[DVec3], Threads) -> Vec<R> + Sync,
    ) -> PyResult<Vec<R>> {
        let (count, points) = (points.len(), points.view());
        self.many(py, count, |range| Ok(points.get(range)), ask)
    }
}

/// The points of a surface that are nearest to given points.
///
/// `shape` is a `Shape` or a `Mesh`, placed by `pose`. For one point, an array of shape (3,), the result is a tuple
/// (distance, point, face), or `None` if the mesh has no faces or a coordinate is not finite. For an array of shape (n, 3)
/// the result is a tuple of three arrays: n distances, points of shape (n, 3), and n faces (`int64`). Where there is no
/// nearest point, the distance is infinite, the point is not a number, and the face is -1.
///
/// A distance is 0 exactly if the point lies on a face as placed. Many points are distributed among all cores, or among
/// `threads` threads; Ctrl-C ends the call.
///
/// >>> impinge.nearest_point(cube, [0.5, 0.25, 3])
/// (2.0, array([0.5 , 0.25, 1.  ]), 10)
/// >>> distances, points, faces = impinge.nearest_point(cube, [[0.5, 0.25, 3], [0.5, 0.5, 0.25]])
/// >>> distances
/// array([2.  , 0.25])
#[pyfunction]
#[pyo3(signature = (shape, points, *, pose=None, threads=None))]
pub(crate) fn nearest_point<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let probe = Probe::read(shape, pose, threads)?;
    let points = Points::read("points", points)?;
    if let Some(point) = points.one() {
        return match probe.one(py, |shape, pose| shape.nearest_point(pose, point)) {
            Some(NearestPoint { distance, point, face, .. }) => {
                (distance, arrays::point(py, point), face).into_bound_py_any(py)
            }
            None => Ok(py.None().into_bound(py)),
        };
    }
    let found = probe.points(&points, py, Shape::nearest_points)?;
    // No face is near a point with a coordinate that is not finite.
    let distances = found.iter().map(|it| it.map_or(f64::INFINITY, |it| it.distance));
    let faces = found.iter().map(|it| it.map_or(-1, |it| i64::from(it.face)));
    let places = found.iter().map(|it| it.map_or(DVec3::NAN, |it| it.point)).collect();
    (PyArray1::from_iter(py, distances), arrays::points(py, places), PyArray1::from_iter(py, faces))
        .into_bound_py_any(py)
}

/// Where rays first meet a surface.
///
/// `origins` and `directions` are points and vectors: arrays of shape (3,) or (n, 3); one of either serves all of the
/// other. For one ray the result is a tuple (t, face), or `None` if the ray meets nothing: it meets the face at
/// `origin + t * direction`. Directions need not have the length 1. For many rays the result is a tuple of two arrays: n
/// parameters, infinite where a ray meets nothing, and n faces (`int64`), -1 there.
///
/// Whether a ray meets a face is decided exactly. Many rays are distributed among all cores, or among `threads` threads;
/// Ctrl-C ends the call. Raises `ArgumentError` for a direction of length 0, and for coordinates that are not finite.
///
/// >>> impinge.cast_ray(cube, [0.5, 0.25, 3], [0, 0, -1])
/// (2.0, 10)
/// >>> t, faces = impinge.cast_ray(cube, [[0.5, 0.25, 3], [5, 5, 5]], [0, 0, -1])
/// >>> t, faces
/// (array([ 2., inf]), array([10, -1]))
#[pyfunction]
#[pyo3(signature = (shape, origins, directions, *, pose=None, threads=None))]
pub(crate) fn cast_ray<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    origins: &Bound<'py, PyAny>,
    directions: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let probe = Probe::read(shape, pose, threads)?;
    let origins = Points::read("origins", origins)?;
    let directions = Points::read("directions", directions)?;
    if let (Some(origin), Some(direction)) = (origins.one(), directions.one()) {
        let ray = Ray::new(origin, direction).map_err(value_error)?;
        return match probe.one(py, |shape, pose| shape.cast_ray(pose, &ray)) {
            Some(RayHit { t, face }) => (t, face).into_bound_py_any(py),
            None => Ok(py.None().into_bound(py)),
        };
    }
    let count = ray_count(&origins, &directions)?;
    let (origins, directions) = (origins.view(), directions.view());
    let ray = |number: usize| {
        Ray::new(origins.at(number), directions.at(number))
            .map_err(|error| value_error(format!("ray {number}: {error}")))
    };
    let found = probe.many(py, count, |range| range.map(ray).collect(), Shape::cast_rays)?;
    let parameters = found.iter().map(|hit| hit.map_or(f64::INFINITY, |hit| hit.t));
    let faces = found.iter().map(|hit| hit.map_or(-1, |hit| i64::from(hit.face)));
    (PyArray1::from_iter(py, parameters), PyArray1::from_iter(py, faces)).into_bound_py_any(py)
}

/// The number of rays: one origin serves all directions, and one direction all origins.
fn ray_count(origins: &Points<'_>, directions: &Points<'_>) -> PyResult<usize> {
    match (origins.one(), directions.one()) {
        (Some(_), _) => Ok(directions.len()),
        (None, Some(_)) => Ok(origins.len()),
        (None, None) if origins.len() == directions.len() => Ok(origins.len()),
        (None, None) => Err(value_error(format!(
            "there are {} origins, but {} directions",
            origins.len(),
            directions.len()
        ))),
    }
}

/// Whether points are inside of the solid that the faces enclose: 1 inside, 0 on the surface, -1 outside.
///
/// `points` is an array of shape (3,), for which the result is a number, or of shape (n, 3), for which it is an array of n
/// `int8`. The decision is exact for the vertices as placed by `pose`. Overlapping shells count as one solid, and a shell
/// within another that looks the other way is a cavity. A point with a coordinate that is not finite is outside.
///
/// Raises `ArgumentError` if the faces enclose no solid, because an edge has a face on one side only.
///
/// >>> impinge.contains_point(cube, [0.5, 0.5, 0.5])
/// 1
/// >>> impinge.contains_point(cube, [[0.5, 0.5, 0.5], [1, 0.5, 0.5], [2, 0, 0]])
/// array([ 1,  0, -1], dtype=int8)
#[pyfunction]
#[pyo3(signature = (shape, points, *, pose=None, threads=None))]
pub(crate) fn contains_point<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let probe = Probe::read(shape, pose, threads)?;
    let points = Points::read("points", points)?;
    // The first query finds out whether the faces enclose a solid, so that the batch cannot fail.
    let first = points.one().unwrap_or(DVec3::NAN);
    let found =
        probe.one(py, |shape, pose| shape.contains_point(pose, first)).map_err(value_error)?;
    if points.one().is_some() {
        return sign(found).into_bound_py_any(py);
    }
    let locate = |shape: &Shape, pose: &Pose, points: &[DVec3], threads| {
        shape.contains_points(pose, points, threads).unwrap_or_default()
    };
    let found = probe.points(&points, py, locate)?;
    Ok(PyArray1::from_iter(py, found.into_iter().map(sign)).into_any())
}

fn sign(location: PointLocation) -> i8 {
    match location {
        PointLocation::Inside => 1,
        PointLocation::OnSurface => 0,
        PointLocation::Outside => -1,
    }
}
