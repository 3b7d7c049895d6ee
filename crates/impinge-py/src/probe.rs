//! One shape and many points or rays.

use crate::{
    arrays::{self, Points},
    error::value_error,
    interrupt::Pieces,
    pool::Workers,
    shape::shape_of,
};
use impinge::{NearestPoint, PointLocation, Pose, Ray, RayHit, Shape, Threads, glam::DVec3};
use numpy::PyArray1;
use pyo3::{IntoPyObjectExt, prelude::*};

/// Asks about some of the items at a time, so that Ctrl-C works.
fn each<T: Sync, R: Send>(
    py: Python<'_>,
    items: &[T],
    workers: &Workers,
    ask: impl Fn(&[T], Threads) -> Vec<R> + Send + Sync,
) -> PyResult<Vec<R>> {
    let mut pieces = Pieces::new(items.len());
    let mut all = Vec::with_capacity(items.len());
    while let Some(range) = pieces.next(py)? {
        let some = &items[range];
        all.append(&mut py.detach(|| workers.run(|threads| ask(some, threads))));
    }
    Ok(all)
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
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = shape_of("shape", shape)?;
    let points = Points::read("points", points)?;
    let pose = arrays::pose(pose)?;
    let points = match points {
        Points::Many(points) => points,
        Points::One(point) => {
            let found = py.detach(|| shape.nearest_point(&pose, point));
            let Some(NearestPoint { distance, point, face, .. }) = found else {
                return Ok(py.None().into_bound(py));
            };
            return (distance, arrays::point(py, point), face).into_bound_py_any(py);
        }
    };
    let ask = |some: &[DVec3], threads| shape.nearest_points(&pose, some, threads);
    let found = each(py, &points, &Workers::new(threads)?, ask)?;
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
/// Ctrl-C ends the call. Raises `ArgumentError` for a direction of length 0.
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
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = shape_of("shape", shape)?;
    let pose = arrays::pose(pose)?;
    let origins = Points::read("origins", origins)?;
    let directions = Points::read("directions", directions)?;
    if let (Points::One(origin), Points::One(direction)) = (&origins, &directions) {
        let ray = Ray::new(*origin, *direction).map_err(value_error)?;
        return match py.detach(|| shape.cast_ray(&pose, &ray)) {
            Some(RayHit { t, face }) => (t, face).into_bound_py_any(py),
            None => Ok(py.None().into_bound(py)),
        };
    }
    let rays = rays(&origins, &directions)?;
    let ask = |some: &[Ray], threads| shape.cast_rays(&pose, some, threads);
    let found = each(py, &rays, &Workers::new(threads)?, ask)?;
    let parameters = found.iter().map(|hit| hit.map_or(f64::INFINITY, |hit| hit.t));
    let faces = found.iter().map(|hit| hit.map_or(-1, |hit| i64::from(hit.face)));
    (PyArray1::from_iter(py, parameters), PyArray1::from_iter(py, faces)).into_bound_py_any(py)
}

/// Pairs origins with directions; one of either serves all of the other.
fn rays(origins: &Points, directions: &Points) -> PyResult<Vec<Ray>> {
    let [from, along] = [origins, directions].map(Points::as_slice);
    let count = match (origins.is_one(), directions.is_one()) {
        (true, _) => along.len(),
        (false, true) => from.len(),
        (false, false) if from.len() == along.len() => from.len(),
        (false, false) => {
            return Err(value_error(format!(
                "there are {} origins, but {} directions",
                from.len(),
                along.len()
            )));
        }
    };
    let at = |points: &[DVec3], number: usize| points[if points.len() == 1 { 0 } else { number }];
    let ray = |number: usize| {
        Ray::new(at(from, number), at(along, number))
            .map_err(|error| value_error(format!("ray {number}: {error}")))
    };
    (0..count).map(ray).collect()
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
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = shape_of("shape", shape)?;
    let points = Points::read("points", points)?;
    let pose = arrays::pose(pose)?;
    if let Points::One(point) = points {
        let found = py.detach(|| shape.contains_point(&pose, point)).map_err(value_error)?;
        return sign(found).into_bound_py_any(py);
    }
    // Whether the faces enclose a solid is found out by the first query, so that a list of results has one error only.
    py.detach(|| shape.contains_point(&pose, DVec3::NAN)).map_err(value_error)?;
    let ask = |some: &[DVec3], threads| locate(&shape, &pose, some, threads);
    let found = each(py, points.as_slice(), &Workers::new(threads)?, ask)?;
    Ok(PyArray1::from_iter(py, found.into_iter().map(sign)).into_any())
}

fn sign(location: PointLocation) -> i8 {
    match location {
        PointLocation::Inside => 1,
        PointLocation::OnSurface => 0,
        PointLocation::Outside => -1,
    }
}

fn locate(shape: &Shape, pose: &Pose, points: &[DVec3], threads: Threads) -> Vec<PointLocation> {
    shape.contains_points(pose, points, threads).unwrap_or_default()
}
