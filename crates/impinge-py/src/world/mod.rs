//! `World`: many moving bodies, and the pairs that touch at each step.

mod bodies;
mod step;

pub(crate) use step::Step;

use crate::{
    arguments::{self, integer},
    arrays::{self, Poses},
    error::{pose_error, world_error},
    impact::impact_options,
    pool::Workers,
    shape::Shape,
};
use bodies::{Added, BodyNumber, Inner, Options};
use impinge::{Motion, Pose, world::WorldImpact};
use numpy::PyArray2;
use pyo3::{prelude::*, sync::MutexExt, types::PyType};
use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use step::StepContacts;

/// Bodies with poses, and the contacts between them.
///
/// Bodies are numbered from 0 in the order in which they are added; a number is never used again. `threads` is the number of
/// threads of `step` and `move_to`; `None` stands for all cores. `len(world)` is the number of bodies, and `body in world`
/// tells whether there is such a body.
///
/// >>> world = impinge.World()
/// >>> floor = world.add(cube, fixed=True)
/// >>> box = world.add(cube, [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0]])
/// >>> len(world.step())
/// 0
/// >>> world.set_pose(box, [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]])
/// >>> world.step().pairs
/// array([[0, 1]], dtype=uint64)
///
/// Methods that are given the number of a body raise `WorldError` if it was removed or never added. A world may be used from
/// several threads: they take turns. A pickled world keeps bodies, poses and options, but not which pairs touched at the
/// last step.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct World(Mutex<Inner>);

/// A body as it is pickled: number, shape, pose, whether it is fixed, groups, mask.
type BodyState<'py> = (u64, Py<PyAny>, Bound<'py, PyArray2<f64>>, bool, u32, u32);

/// A body as it is unpickled.
type Restored<'py> = (u64, Bound<'py, PyAny>, Bound<'py, PyAny>, bool, u32, u32);

/// An impact: time, two bodies, and the face of each.
type ImpactRow = (f64, u64, u64, u32, u32);

impl World {
    /// Waits until no other thread uses the world, without the interpreter.
    ///
    /// While the world is locked, no object of Python may be made or dropped: both may call functions of the user
    /// (finalizers and weak references), and one that uses the world would wait forever.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads one pose for each body.
fn poses_of(bodies: &[BodyNumber], poses: &Bound<'_, PyAny>) -> PyResult<Vec<Pose>> {
    let poses = Poses::read("poses", poses)?.all()?;
    match poses.len() == bodies.len() {
        true => Ok(poses),
        false => {
            Err(pose_error(format!("there are {} bodies, but {} poses", bodies.len(), poses.len())))
        }
    }
}

/// What `groups` and `mask` are.
const BITS: &str = "a set of 32 bits, from 0 to 0xFFFFFFFF";

fn groups_of(object: &Bound<'_, PyAny>) -> PyResult<u32> {
    integer("groups", BITS, object)
}

fn mask_of(object: &Bound<'_, PyAny>) -> PyResult<u32> {
    integer("mask", BITS, object)
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (*, threads=Some(1)), text_signature = "(*, threads=1)")]
    fn new(#[pyo3(from_py_with = arguments::threads)] threads: Option<usize>) -> PyResult<Self> {
        Workers::new(threads)?;
        Ok(Self(Mutex::new(Inner { threads, ..Inner::default() })))
    }

    /// Adds a body, and returns its number.
    ///
    /// `shape` is a `Shape` or a `Mesh`; many bodies can share one. `pose` is a matrix of shape (4, 4) or (3, 4), or `None` for
    /// the identity. Contacts between two `fixed` bodies are left out. `groups` and `mask` are sets of 32 bits: two bodies are
    /// tested if the groups of each have a bit in common with the mask of the other.
    ///
    /// Raises `PoseError` if the matrix is not a rigid pose, and `WorldError` if another method prepared the other shapes.
    ///
    /// >>> world = impinge.World()
    /// >>> world.add(cube), world.add(cube, groups=2, mask=~1 & 0xFFFFFFFF)
    /// (0, 1)
    #[pyo3(signature = (shape, pose=None, *, fixed=false, groups=0xFFFF_FFFF, mask=0xFFFF_FFFF))]
    fn add(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        fixed: bool,
        #[pyo3(from_py_with = groups_of)] groups: u32,
        #[pyo3(from_py_with = mask_of)] mask: u32,
    ) -> PyResult<u64> {
        let pose = arrays::pose(pose)?;
        let mut inner = self.lock(py);
        let number = inner.next;
        inner.add(number, shape, pose, Options { is_fixed: fixed, groups, mask })?;
        Ok(number)
    }

    /// Removes a body. Its number is not used again.
    fn remove(&self, py: Python<'_>, body: BodyNumber) -> PyResult<()> {
        let mut inner = self.lock(py);
        let removed = inner.remove(body.0)?;
        drop(inner);
        drop(removed);
        Ok(())
    }

    /// Moves a body to a pose: a matrix of shape (4, 4) or (3, 4). What it would hit on the way is not looked for: see `move_to`.
    fn set_pose(&self, py: Python<'_>, body: BodyNumber, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = arrays::pose(Some(pose))?;
        let mut inner = self.lock(py);
        let id = inner.id(body.0)?;
        inner.world.set_pose(id, pose).map_err(world_error)
    }

    /// Moves many bodies. `bodies` are their numbers, and `poses` an array of shape (n, 4, 4) or (n, 3, 4).
    ///
    /// Raises `PoseError` if a matrix is not a rigid pose, or the number of poses differs from that of the bodies. Then no body
    /// is moved.
    ///
    /// >>> world = impinge.World()
    /// >>> bodies = [world.add(cube) for _ in range(3)]
    /// >>> poses = np.tile(np.eye(4), (3, 1, 1))
    /// >>> poses[:, 0, 3] = [0, 5, 5.5]
    /// >>> world.set_poses(bodies, poses)
    /// >>> world.step().pairs
    /// array([[1, 2]], dtype=uint64)
    fn set_poses(
        &self,
        py: Python<'_>,
        bodies: Vec<BodyNumber>,
        poses: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let poses = poses_of(&bodies, poses)?;
        let mut inner = self.lock(py);
        let all = inner.placed(&bodies, poses)?;
        inner.world.set_poses(&all).map_err(world_error)
    }

    /// The pose of a body: a matrix of shape (4, 4).
    fn pose<'py>(&self, py: Python<'py>, body: BodyNumber) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let pose = {
            let inner = self.lock(py);
            inner.world.pose(inner.id(body.0)?).map_err(world_error)?
        };
        Ok(arrays::matrix(py, &pose))
    }

    /// The shape or mesh of a body, as it was given; after `set_vertices`, the shape that the vertices made.
    fn shape(&self, py: Python<'_>, body: BodyNumber) -> PyResult<Py<PyAny>> {
        let inner = self.lock(py);
        inner.id(body.0)?;
        Ok(inner.bodies[&body.0].shape.clone_ref(py))
    }

    /// Moves the vertices of a body that deforms, in its own frame.
    ///
    /// `vertices` is an array of shape (n, 3) with as many points as the mesh of the body has vertices; otherwise `WorldError`
    /// is raised. Other bodies with the same shape do not change.
    fn set_vertices(
        &self,
        py: Python<'_>,
        body: BodyNumber,
        vertices: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let vertices = arrays::vertices(vertices)?;
        let shape = {
            let mut inner = self.lock(py);
            let id = inner.id(body.0)?;
            inner.world.set_vertices(id, &vertices).map_err(world_error)?;
            inner.world.shape(id).map_err(world_error)?.clone()
        };
        let mesh = Arc::clone(shape.mesh());
        let mut shape = Py::new(py, Shape::of(py, shape)?)?.into_any();
        let mut guard = self.lock(py);
        let Inner { world, bodies, .. } = &mut *guard;
        // Meanwhile, another thread may have moved the vertices again, or removed the body.
        if let Some(added) = bodies.get_mut(&body.0)
            && world.shape(added.id).is_ok_and(|current| Arc::ptr_eq(current.mesh(), &mesh))
        {
            mem::swap(&mut added.shape, &mut shape);
        }
        drop(guard);
        drop(shape);
        Ok(())
    }

    /// Leaves out the contacts of two bodies from now on.
    fn ignore(&self, py: Python<'_>, a: BodyNumber, b: BodyNumber) -> PyResult<()> {
        let mut inner = self.lock(py);
        inner.ignore([a.0, b.0])
    }

    /// Reports the contacts of two bodies again.
    fn unignore(&self, py: Python<'_>, a: BodyNumber, b: BodyNumber) -> PyResult<()> {
        let mut inner = self.lock(py);
        inner.unignore([a.0, b.0])
    }

    /// The numbers of the bodies, in ascending order.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<u64> {
        self.lock(py).bodies.keys().copied().collect()
    }

    /// Finds the faces that touch with the bodies where they are now. Returns a `Step`.
    ///
    /// >>> world = impinge.World()
    /// >>> bodies = [world.add(cube) for _ in range(2)]
    /// >>> step = world.step()
    /// >>> step.pairs, step.faces.shape, step.began
    /// (array([[0, 1]], dtype=uint64), (108, 2), array([[0, 1]], dtype=uint64))
    fn step(&self, py: Python<'_>) -> PyResult<Step> {
        let mut guard = self.lock(py);
        let inner = &mut *guard;
        let workers = Workers::new(inner.threads)?;
        let world = &mut inner.world;
        py.detach(|| {
            workers.run(|threads| {
                world.set_threads(threads);
                world.step();
            });
        });
        let contacts = StepContacts::of(inner);
        drop(guard);
        Ok(Step::of(py, &contacts))
    }

    /// Moves bodies to other poses, and returns what they hit on the way, earliest first.
    ///
    /// Each impact is a tuple (time from 0 to 1, body a, body b, face of a, face of b) with a < b; of each pair of bodies the
    /// first one is listed. Bodies that are not named rest. Between the poses they move as for `first_impact`, and `margin` is
    /// the same. Afterwards the bodies stand at the given poses, whatever they have hit.
    ///
    /// Raises `PoseError` if the number of poses differs from that of the bodies, and `WorldError` if two poses of a body differ
    /// by half a turn.
    ///
    /// >>> world = impinge.World()
    /// >>> wall = world.add(cube, fixed=True)
    /// >>> ball = world.add(cube, [[1, 0, 0, 11], [0, 1, 0, 0], [0, 0, 1, 0]])
    /// >>> hits = world.move_to([ball], [[[1, 0, 0, -9], [0, 1, 0, 0], [0, 0, 1, 0]]])
    /// >>> [(round(time, 6), a, b) for time, a, b, *faces in hits]
    /// [(0.5, 0, 1)]
    #[pyo3(signature = (bodies, poses, *, margin=None))]
    fn move_to(
        &self,
        py: Python<'_>,
        bodies: Vec<BodyNumber>,
        poses: &Bound<'_, PyAny>,
        margin: Option<f64>,
    ) -> PyResult<Vec<ImpactRow>> {
        let poses = poses_of(&bodies, poses)?;
        let options = impact_options(None, margin)?;
        let mut guard = self.lock(py);
        let inner = &mut *guard;
        let workers = Workers::new(inner.threads)?;
        let moves = inner.placed(&bodies, poses)?;
        // All motions are checked before the first is set: the next call would carry it out.
        for (&(id, pose), body) in moves.iter().zip(&bodies) {
            let start = inner.world.pose(id).map_err(world_error)?;
            Motion::between(start, pose)
                .map_err(|error| world_error(format!("body {}: {error}", body.0)))?;
        }
        for (id, pose) in moves {
            inner.world.move_to(id, pose).map_err(world_error)?;
        }
        let world = &mut inner.world;
        let impacts: Vec<WorldImpact> = py.detach(|| {
            workers.run(|threads| {
                world.set_threads(threads);
                world.step_continuous(&options).impacts().to_vec()
            })
        });
        let row = |found: &WorldImpact| {
            let (a, b) = (inner.number(found.a), inner.number(found.b));
            let faces = found.impact.faces;
            match a < b {
                true => (found.impact.time, a, b, faces.a, faces.b),
                false => (found.impact.time, b, a, faces.b, faces.a),
            }
        };
        Ok(impacts.iter().map(row).collect())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).bodies.len()
    }

    fn __contains__(&self, py: Python<'_>, body: &Bound<'_, PyAny>) -> bool {
        body.extract().is_ok_and(|body: u64| self.lock(py).bodies.contains_key(&body))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("World({} bodies)", self.__len__(py))
    }

    /// Bodies, poses and options are kept; which pairs have touched before is not.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let inner = slf.get().lock(py);
        let body = |(&number, added): (&u64, &Added)| -> PyResult<_> {
            let pose = inner.world.pose(added.id).map_err(world_error)?;
            let Options { is_fixed, groups, mask } = added.options;
            let shape = added.shape.clone_ref(py);
            Ok((number, shape, pose, is_fixed, groups, mask))
        };
        let bodies = inner.bodies.iter().map(body).collect::<PyResult<Vec<_>>>()?;
        let ignored: Vec<(u64, u64)> = inner.ignored.iter().map(|&[a, b]| (a, b)).collect();
        let (threads, next) = (inner.threads, inner.next);
        drop(inner);
        let with_matrix = |(number, shape, pose, is_fixed, groups, mask)| -> BodyState<'py> {
            (number, shape, arrays::matrix(py, &pose), is_fixed, groups, mask)
        };
        let bodies: Vec<BodyState<'py>> = bodies.into_iter().map(with_matrix).collect();
        let state = (threads, next, bodies, ignored);
        Ok((slf.get_type().getattr("_restore")?, state).into_pyobject(py)?.into_any())
    }

    #[classmethod]
    fn _restore(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        threads: Option<usize>,
        next: u64,
        bodies: Vec<Restored<'_>>,
        ignored: Vec<(u64, u64)>,
    ) -> PyResult<Self> {
        let world = Self::new(threads)?;
        {
            let mut inner = world.lock(py);
            for (number, shape, pose, is_fixed, groups, mask) in bodies {
                let pose = arrays::pose(Some(&pose))?;
                inner.add(number, &shape, pose, Options { is_fixed, groups, mask })?;
            }
            inner.next = inner.next.max(next);
            for (a, b) in ignored {
                inner.ignore([a, b])?;
            }
        }
        Ok(world)
    }
}
