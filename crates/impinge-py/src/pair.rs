//! Queries of two shapes at one pose each.

use crate::{arguments, arrays, batch, error::value_error, pool::Workers, shape::shape_of};
use impinge::{FacePair, MeshDistance, Pose, Tolerance, glam::DVec3};
use numpy::{PyArray2, PyUntypedArrayMethods};
use pyo3::{IntoPyObjectExt, prelude::*};
use std::sync::{Mutex, TryLockError};

/// Two shapes that are queried again and again at changing poses. Keeps its memory between queries, so that these allocate
/// nothing.
///
/// `a` and `b` are `Shape` or `Mesh`, prepared by the same method; otherwise `ArgumentError` is raised. Each query places b
/// by `pose` and a by `pose_a`: matrices of shape (4, 4) or (3, 4), or `None` for the identity.
///
/// >>> pair = impinge.Pair(cube, cube)
/// >>> pair.intersects([[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]])
/// True
/// >>> pair.intersects([[1, 0, 0, 1.5], [0, 1, 0, 0], [0, 0, 1, 0]])
/// False
///
/// A pair may be used from several threads, and by a signal handler during a batch: a query that comes while another one is
/// running uses memory of its own. Several pairs of the same shapes share the shapes.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Pair {
    pair: Mutex<impinge::Pair>,
    shapes: [Py<PyAny>; 2],
    prepared: [impinge::Shape; 2],
}

/// Makes a pair of two arguments.
pub(crate) fn pair_of(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<impinge::Pair> {
    impinge::Pair::new(&shape_of("a", a)?, &shape_of("b", b)?).map_err(value_error)
}

/// The shapes of two arguments, prepared by the same method.
pub(crate) fn shapes_of(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
) -> PyResult<[impinge::Shape; 2]> {
    Ok(pair_of(a, b)?.shapes().clone())
}

/// Reads a tolerance; `None` if faces have to touch.
pub(crate) fn tolerance(within: Option<f64>) -> PyResult<Tolerance> {
    arguments::distance("within", within.unwrap_or(0.0))
}

/// Whether an argument holds many poses.
fn is_many(object: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let Some(object) = object else { return Ok(false) };
    if let Ok(array) = object.cast::<numpy::PyUntypedArray>() {
        return Ok(array.ndim() == 3);
    }
    Ok(arrays::numbers(object)?.as_array().ndim() == 3)
}

fn intersects_in(
    py: Python<'_>,
    pair: &mut impinge::Pair,
    poses: [Pose; 2],
    within: Option<f64>,
) -> PyResult<bool> {
    let [a, b] = &poses;
    match within {
        None => Ok(py.detach(|| pair.intersects(a, b))),
        Some(_) => {
            let tolerance = tolerance(within)?;
            Ok(py.detach(|| {
                let Ok(query) = pair.at(a, b).within(tolerance);
                query.intersects()
            }))
        }
    }
}

fn contacts_in<'py>(
    py: Python<'py>,
    pair: &mut impinge::Pair,
    poses: [Pose; 2],
    within: Option<f64>,
    workers: &Workers,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let [a, b] = &poses;
    let tolerance = tolerance(within)?;
    let faces = py.detach(|| {
        workers.run(|threads| {
            let Ok(query) = pair.at(a, b).within(tolerance);
            query.threads(threads).contacts()
        })
    });
    Ok(arrays::face_pairs(py, faces))
}

fn distance_in(
    py: Python<'_>,
    pair: &mut impinge::Pair,
    poses: [Pose; 2],
    within: Option<f64>,
) -> PyResult<Option<Distance>> {
    let [a, b] = &poses;
    let found = match within {
        None => py.detach(|| pair.distance(a, b)),
        Some(_) => {
            let tolerance = tolerance(within)?;
            py.detach(|| {
                let Ok(query) = pair.at(a, b).within(tolerance);
                query.distance()
            })
        }
    };
    Ok(found.map(Distance::from))
}

impl Pair {
    /// Calls a function with the pair, or with a new one while the pair is in use. To wait for it could take forever: a
    /// signal handler of Python that runs during a batch has to return before the batch goes on.
    fn with<R>(&self, query: impl FnOnce(&mut impinge::Pair) -> R) -> R {
        match self.pair.try_lock() {
            Ok(mut pair) => query(&mut pair),
            Err(TryLockError::Poisoned(poisoned)) => query(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let [a, b] = &self.prepared;
                query(&mut impinge::Pair::new(a, b).expect("one method prepared both shapes"))
            }
        }
    }
}

#[pymethods]
impl Pair {
    #[new]
    fn new(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pair = pair_of(a, b)?;
        let prepared = pair.shapes().clone();
        let shapes = [a.clone().unbind(), b.clone().unbind()];
        Ok(Self { pair: Mutex::new(pair), shapes, prepared })
    }

    /// Whether any face of a touches any face of b, or comes within a distance of it: see the function `intersects`.
    #[pyo3(signature = (pose=None, *, pose_a=None, within=None))]
    fn intersects(
        &self,
        py: Python<'_>,
        pose: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
        within: Option<f64>,
    ) -> PyResult<bool> {
        let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
        self.with(|pair| intersects_in(py, pair, poses, within))
    }

    /// The faces that touch, or come within a distance of each other, at one pose: see the function `contacts`.
    ///
    /// >>> impinge.Pair(cube, cube).contacts([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])[:2]
    /// array([[2, 0],
    ///        [2, 1]], dtype=uint32)
    #[pyo3(
        signature = (pose=None, *, pose_a=None, within=None, threads=Some(1)),
        text_signature = "($self, pose=None, *, pose_a=None, within=None, threads=1)",
    )]
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
        pose_a: Option<&Bound<'py, PyAny>>,
        within: Option<f64>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
        let workers = Workers::new(threads)?;
        self.with(|pair| contacts_in(py, pair, poses, within, &workers))
    }

    /// The least distance between the surfaces: see the function `distance`.
    ///
    /// >>> impinge.Pair(cube, cube).distance([[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0]]).distance
    /// 2.0
    #[pyo3(signature = (pose=None, *, pose_a=None, within=None))]
    fn distance(
        &self,
        py: Python<'_>,
        pose: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
        within: Option<f64>,
    ) -> PyResult<Option<Distance>> {
        let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
        self.with(|pair| distance_in(py, pair, poses, within))
    }

    /// At which of many poses of b any of its faces touches a: see the function `check`.
    #[pyo3(signature = (poses, *, pose_a=None, within=None, threads=None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        poses: &Bound<'py, PyAny>,
        pose_a: Option<&Bound<'py, PyAny>>,
        within: Option<f64>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let many = batch::Many::read(poses, pose_a, within, threads)?;
        batch::check_in(py, &self.prepared, &many)
    }

    /// The two shapes or meshes, as they were given.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> (Py<PyAny>, Py<PyAny>) {
        (self.shapes[0].clone_ref(py), self.shapes[1].clone_ref(py))
    }

    fn __repr__(&self) -> String {
        let [a, b] = self.prepared.each_ref().map(|shape| shape.mesh().faces().len());
        format!("Pair({a} and {b} faces, method '{}')", self.prepared[0].method().name())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let class = slf.get_type();
        Ok((class, slf.get().shapes(py)).into_pyobject(py)?.into_any())
    }
}

/// Whether any face of a touches any face of b.
///
/// `a` and `b` are `Shape` or `Mesh`. `pose` places b, and `pose_a` places a: matrices of shape (4, 4) or (3, 4) with a
/// rotation and a translation; `None` is the identity. The decision is exact for the vertices as placed: two faces touch if
/// the closed triangles share a point. With `within`, faces also count if they are at most this distance apart.
///
/// Surfaces only: a body wholly inside another touches none of its faces.
///
/// Raises `PoseError` if a matrix is not a rigid pose, and `ArgumentError` if `within` is negative or different methods
/// prepared the shapes.
///
/// >>> beside = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
/// >>> impinge.intersects(cube, cube, beside)  # The cubes share a side.
/// True
/// >>> apart = [[1, 0, 0, np.nextafter(1, 2)], [0, 1, 0, 0], [0, 0, 1, 0]]
/// >>> impinge.intersects(cube, cube, apart)
/// False
/// >>> impinge.intersects(cube, cube, apart, within=1e-9)
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose=None, *, pose_a=None, within=None))]
pub(crate) fn intersects(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    within: Option<f64>,
) -> PyResult<bool> {
    let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
    intersects_in(a.py(), &mut pair_of(a, b)?, poses, within)
}

/// The faces of a and b that touch, at one pose of b or at many.
///
/// At one pose the result is an array of `uint32` of shape (n, 2): a face of a and a face of b in each row, sorted. It is
/// always the same array in the same order, whichever method prepared the shapes, on any number of threads.
///
/// If `pose` has the shape (n, 4, 4) or (n, 3, 4), the result is `ContactLists`: the pairs at each of the poses, found on
/// all cores or on `threads` threads. Ctrl-C ends the call.
///
/// The other arguments and the exceptions are those of `intersects`.
///
/// >>> corner = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
/// >>> impinge.contacts(cube, cube, corner).shape  # The cubes share a corner.
/// (36, 2)
/// >>> poses = np.tile(np.eye(4), (3, 1, 1))
/// >>> poses[:, :3, 3] = [[0.5, 0, 0], [1, 1, 1], [2, 0, 0]]
/// >>> impinge.contacts(cube, cube, poses).counts
/// array([52, 36,  0], dtype=uint64)
#[pyfunction]
#[pyo3(signature = (a, b, pose=None, *, pose_a=None, within=None, threads=None))]
pub(crate) fn contacts<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    pose_a: Option<&Bound<'py, PyAny>>,
    within: Option<f64>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if let (Some(poses), true) = (pose, is_many(pose)?) {
        let many = batch::Many::read(poses, pose_a, within, threads)?;
        return batch::contacts_in(py, &shapes_of(a, b)?, &many)?.into_bound_py_any(py);
    }
    let mut pair = pair_of(a, b)?;
    let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
    // Threads would make one query of ordinary size slower.
    let workers = Workers::new(threads.or(Some(1)))?;
    Ok(contacts_in(py, &mut pair, poses, within, &workers)?.into_any())
}

/// The least distance between the surfaces of a and b, and where it is attained.
///
/// Returns a `Distance`, whose `distance` is exactly 0 if the surfaces touch, and otherwise has a relative error of at most
/// 1e-9. Returns `None` if a mesh has no faces, or if the surfaces are farther apart than `within`. A small `within` makes
/// the search faster.
///
/// The other arguments and the exceptions are those of `intersects`.
///
/// >>> found = impinge.distance(cube, cube, [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0]])
/// >>> found.distance, found.points[:, 0]
/// (2.0, array([1., 3.]))
/// >>> impinge.distance(cube, cube, [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0]], within=1) is None
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose=None, *, pose_a=None, within=None))]
pub(crate) fn distance(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    within: Option<f64>,
) -> PyResult<Option<Distance>> {
    let poses = [arrays::pose(pose_a)?, arrays::pose(pose)?];
    distance_in(a.py(), &mut pair_of(a, b)?, poses, within)
}

/// The least distance between two surfaces, and where it is attained. `float(distance)` is the number.
///
/// Distances with equal attributes are equal.
#[pyclass(frozen, eq, module = "impinge")]
#[derive(Debug, PartialEq)]
pub(crate) struct Distance {
    distance: f64,
    points: [DVec3; 2],
    faces: FacePair,
}

impl From<MeshDistance> for Distance {
    fn from(found: MeshDistance) -> Self {
        let MeshDistance { distance, a, b, faces, .. } = found;
        Self { distance, points: [a, b], faces }
    }
}

#[pymethods]
impl Distance {
    /// The distance, in the unit of the coordinates; exactly 0 if the surfaces touch.
    #[getter]
    fn distance(&self) -> f64 {
        self.distance
    }

    /// The closest points, in world coordinates: an array of shape (2, 3), the point of a first.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        arrays::points(py, self.points.to_vec())
    }

    /// The face of a and the face of b on which the points lie.
    #[getter]
    fn faces(&self) -> (u32, u32) {
        (self.faces.a, self.faces.b)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Self { distance, points, faces } = slf.get();
        let state = (*distance, points.map(|point| point.to_array()), (faces.a, faces.b));
        Ok((slf.get_type().getattr("_restore")?, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(distance: f64, points: [[f64; 3]; 2], faces: (u32, u32)) -> Self {
        let faces = FacePair { a: faces.0, b: faces.1 };
        Self { distance, points: points.map(DVec3::from_array), faces }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.distance, self.faces()).into_pyobject(py)?.hash()
    }

    fn __float__(&self) -> f64 {
        self.distance
    }

    fn __repr__(&self) -> String {
        let (a, b) = self.faces();
        format!("Distance({}, faces {a} and {b})", self.distance)
    }
}
