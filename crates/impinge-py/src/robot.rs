//! `RobotCore`: a robot of a URDF file, its mechanism and its allowed collisions. The class `impinge.Robot` in
//! `python/impinge/robot.py` adds names, obstacles and results to it.

use crate::{
    arguments,
    arrays::{self, numbers},
    assembly::{pickled, unpickled},
    error::{file_error, io_error, value_error},
    interrupt::interruptible,
    mesh::Mesh,
    pool::Workers,
    robot_checker::RobotChecker,
};
use impinge::{Pose, Shape};
use impinge_clash::{AllowedReason, DefaultPose, MatrixOptions, allowed_collisions};
use impinge_io::assembly::{Assembly, LinkPair, LoadOptions, Srdf, load, read};
use numpy::{
    PyArray, PyArray2, PyArray4, PyReadonlyArrayDyn, PyUntypedArrayMethods,
    ndarray::{Array4, ArrayViewD},
};
use pyo3::prelude::*;
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// A joint: name, kind, limits, default value, the joint that it mimics, parent link, child link.
type JointRow = (String, &'static str, Option<(f64, f64)>, f64, Option<String>, String, String);

/// What the allowed-collision matrix says: pairs of links with the reason and whether it is proven; how many pairs need a
/// check; the joints that were not sampled.
type MatrixRows = (Vec<(u32, u32, &'static str, bool)>, usize, Vec<String>);

/// A robot of a URDF file. Immutable.
#[pyclass(frozen, module = "impinge._impinge")]
#[derive(Debug)]
pub(crate) struct RobotCore {
    assembly: Arc<Assembly>,
    /// The joints whose values a configuration holds: indices into [`Assembly::joints`].
    joints: Vec<u32>,
    /// The meshes, prepared when they are first needed.
    shapes: OnceLock<Vec<Shape>>,
}

/// Values of joints: an array of shape (n, dof).
pub(crate) struct Rows<'py> {
    array: PyReadonlyArrayDyn<'py, f64>,
}

impl<'py> Rows<'py> {
    pub(crate) fn read(object: &Bound<'py, PyAny>, dof: usize) -> PyResult<Self> {
        let array = numbers(object)?;
        match array.shape() {
            [_, width] if *width == dof => Ok(Self { array }),
            shape => {
                Err(value_error(format!("q has the shape {shape:?}, not (n, {dof}) or ({dof},)")))
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.array.shape()[0]
    }

    /// The rows for threads without the interpreter.
    pub(crate) fn view<'a>(&'a self, robot: RobotNames<'a>) -> RowsView<'a> {
        RowsView { array: self.array.as_array(), robot }
    }

    pub(crate) fn all(&self, robot: RobotNames<'_>) -> PyResult<Vec<f64>> {
        let mut values = Vec::new();
        self.view(robot).get(0..self.len(), &mut values)?;
        Ok(values)
    }
}

/// [`Rows`] for threads without the interpreter.
pub(crate) struct RowsView<'a> {
    array: ArrayViewD<'a, f64>,
    robot: RobotNames<'a>,
}

impl RowsView<'_> {
    /// Copies some rows, and refuses values that are not finite. Then the rows before the first refused one are copied.
    pub(crate) fn get(&self, range: Range<usize>, into: &mut Vec<f64>) -> PyResult<()> {
        let Self { array, robot } = self;
        let width = array.shape()[1];
        into.clear();
        match array.as_slice() {
            Some(slice) => into.extend_from_slice(&slice[range.start * width..range.end * width]),
            None => range.clone().for_each(|row| {
                into.extend((0..width).map(|column| array[[row, column]]));
            }),
        }
        let Some(at) = into.iter().position(|value| !value.is_finite()) else { return Ok(()) };
        let (row, column, value) = (at / width, at % width, into[at]);
        into.truncate(row * width);
        Err(value_error(format!(
            "q[{}]: the value of the joint `{}` is {value}, not a finite number",
            range.start + row,
            robot.joint(column)
        )))
    }
}

/// The names of the joints of a configuration, for messages.
pub(crate) struct RobotNames<'a>(pub(crate) &'a Assembly, pub(crate) &'a [u32]);

impl RobotNames<'_> {
    fn joint(&self, column: usize) -> &str {
        &self.0.joints[self.1[column] as usize].name
    }
}

impl RobotCore {
    fn of(assembly: Assembly) -> Self {
        let is_set = |joint: &u32| {
            let joint = &assembly.joints[*joint as usize];
            joint.kind.is_free() && joint.mimics.is_none()
        };
        let joints = (0..assembly.joints.len() as u32).filter(is_set).collect();
        Self { assembly: assembly.into(), joints, shapes: OnceLock::new() }
    }

    /// The parts of a link.
    fn first_part(&self, link: u32) -> Option<usize> {
        self.assembly.parts.iter().position(|part| part.link == Some(link))
    }

    /// The values of all joints for a row of a configuration.
    fn set(&self, row: &[f64], values: &mut [f64]) {
        for (&joint, &value) in self.joints.iter().zip(row) {
            values[joint as usize] = value;
        }
    }

    fn name_of(&self, link: u32) -> String {
        self.assembly.links[link as usize].name.clone()
    }
}

#[pymethods]
impl RobotCore {
    /// Reads a URDF file and its meshes.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, packages: Vec<PathBuf>) -> PyResult<Self> {
        let mut options = LoadOptions::default();
        options.packages = packages;
        let assembly = py.detach(|| load([&path], &options)).map_err(io_error)?;
        match assembly.robots.len() {
            1 => Ok(Self::of(assembly)),
            _ => Err(file_error(format!("{}: the file holds no robot (.urdf)", path.display()))),
        }
    }

    /// Reads the text of a URDF file that uses no other files.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &[u8]) -> PyResult<Self> {
        let options = LoadOptions::default();
        let assembly = py.detach(|| read(text, Path::new("robot.urdf"), &options));
        Ok(Self::of(assembly.map_err(file_error)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let state = pickled(py, &slf.get().assembly)?;
        Ok((slf.get_type().getattr("_restore")?, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        state: &[u8],
        blobs: numpy::PyReadonlyArray1<'_, u8>,
    ) -> PyResult<Self> {
        let assembly = unpickled(py, state, &blobs)?;
        match assembly.robots.len() {
            1 => Ok(Self::of(assembly)),
            _ => Err(value_error("the bytes are not those of a robot")),
        }
    }

    /// A pose as a matrix of shape (4, 4). Fails unless it is rigid.
    #[staticmethod]
    #[pyo3(signature = (pose=None))]
    fn pose<'py>(
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(arrays::matrix(py, &arrays::pose(pose)?))
    }

    /// The name of the robot.
    #[getter]
    fn name(&self) -> &str {
        &self.assembly.robots[0].name
    }

    /// The links: name, and whether the link has collision geometry.
    #[getter]
    fn links(&self) -> Vec<(String, bool)> {
        self.assembly.links.iter().map(|link| (link.name.clone(), link.has_geometry)).collect()
    }

    /// All joints.
    #[getter]
    fn joints(&self) -> Vec<JointRow> {
        let row = |joint: &impinge_io::assembly::Joint| {
            let limits = joint.limits.map(|[lower, upper]| (lower, upper));
            let [parent, child] = [joint.parent, joint.child].map(|link| self.name_of(link));
            let (name, mimics) = (joint.name.clone(), joint.mimics.clone());
            (name, joint.kind.name(), limits, joint.value, mimics, parent, child)
        };
        self.assembly.joints.iter().map(row).collect()
    }

    /// The joints whose values a configuration holds, in order: indices of all joints.
    #[getter]
    fn free_joints(&self) -> Vec<u32> {
        self.joints.clone()
    }

    /// The parts: name, and the index of the link.
    #[getter]
    fn parts(&self) -> Vec<(String, u32)> {
        let row = |part: &impinge_io::assembly::AssemblyPart| {
            (part.name.clone(), part.link.unwrap_or_default())
        };
        self.assembly.parts.iter().map(row).collect()
    }

    /// The mesh of a part, to be placed by its pose.
    fn mesh(&self, part: usize) -> PyResult<Mesh> {
        let count = self.assembly.parts.len();
        match part < count {
            true => Ok(Mesh::of(Arc::clone(self.assembly.mesh(part)))),
            false => Err(value_error(format!("there are {count} parts, not {part}"))),
        }
    }

    /// The poses of all links, or of all parts, for rows of joint values: an array of shape (n, links or parts, 4, 4).
    fn poses<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        of_parts: bool,
    ) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let rows = Rows::read(q, self.joints.len())?;
        let (count, dof) = (rows.len(), self.joints.len());
        let rows = rows.all(RobotNames(&self.assembly, &self.joints))?;
        let width = if of_parts { self.assembly.parts.len() } else { self.assembly.links.len() };
        let matrices = py.detach(|| -> PyResult<Vec<f64>> {
            let mut motion = self.assembly.motion();
            let mut values: Vec<f64> =
                self.assembly.joints.iter().map(|joint| joint.value).collect();
            let mut matrices = Vec::with_capacity(count * width * 16);
            for row in 0..count {
                self.set(&rows[row * dof..][..dof], &mut values);
                let poses = match of_parts {
                    true => motion.poses(&values).map(<[Pose]>::to_vec),
                    false => motion.link_poses(&values),
                };
                let poses = poses.map_err(|error| value_error(format!("q[{row}]: {error}")))?;
                for pose in &poses {
                    matrices.extend(pose.to_rows());
                    matrices.extend([0.0, 0.0, 0.0, 1.0]);
                }
            }
            Ok(matrices)
        })?;
        let array = Array4::from_shape_vec((count, width, 4, 4), matrices);
        Ok(PyArray::from_owned_array(py, array.map_err(value_error)?))
    }

    /// The pairs of links with geometry that are not checked, each with the reason: because they are adjacent, or because
    /// of an SRDF file, given by its contents and its name.
    #[pyo3(signature = (srdf=None))]
    fn allowed(&self, srdf: Option<(Vec<u8>, PathBuf)>) -> PyResult<Vec<(u32, u32, String)>> {
        let mut assembly = Assembly::clone(&self.assembly);
        let mut reasons = Vec::new();
        if let Some((bytes, path)) = srdf {
            let srdf = Srdf::read(&bytes, path).map_err(file_error)?;
            assembly.apply_srdf(&srdf, false).map_err(file_error)?;
            reasons = srdf.disabled;
        }
        let links = 0..assembly.links.len() as u32;
        let with_parts: Vec<(u32, usize)> =
            links.filter_map(|link| Some((link, self.first_part(link)?))).collect();
        let mut allowed = Vec::new();
        for (at, &(a, part)) in with_parts.iter().enumerate() {
            for &(b, other) in &with_parts[at + 1..] {
                if !assembly.are_left_out(part, other, true) {
                    continue;
                }
                let names = [a, b].map(|link| &*assembly.links[link as usize].name);
                let is_same = |pair: &&LinkPair| {
                    let pair = pair.links.each_ref().map(|name| &**name);
                    pair == names || pair == [names[1], names[0]]
                };
                let given = reasons.iter().find(is_same).map(|pair| pair.reason.clone());
                let given = given.filter(|reason| !reason.is_empty());
                let is_adjacent = assembly.are_adjacent(part, other);
                let other = if is_adjacent { AllowedReason::Adjacent.name() } else { "SRDF" };
                allowed.push((a, b, given.unwrap_or_else(|| other.to_owned())));
            }
        }
        Ok(allowed)
    }

    /// The text of an SRDF file with these pairs of links; with the contents of a file, everything else of it is kept.
    #[pyo3(signature = (pairs, comment, old=None))]
    fn srdf_text(
        &self,
        pairs: Vec<(String, String, String)>,
        comment: &str,
        old: Option<(Vec<u8>, PathBuf)>,
    ) -> PyResult<String> {
        let pairs: Vec<LinkPair> =
            pairs.into_iter().map(|(a, b, reason)| LinkPair::new([a, b], reason)).collect();
        match old {
            None => Ok(Srdf::new_text(self.name(), &pairs, comment)),
            Some((bytes, path)) => {
                let srdf = Srdf::read(&bytes, path).map_err(file_error)?;
                Ok(srdf.with_matrix(&pairs, comment))
            }
        }
    }

    /// Computes the allowed-collision matrix.
    fn matrix(
        &self,
        py: Python<'_>,
        samples: u64,
        seed: u64,
        default_pose: &str,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<MatrixRows> {
        let workers = Workers::new(threads)?;
        let mut options = MatrixOptions::default();
        (options.samples, options.seed) = (samples, seed);
        options.default_pose = match default_pose {
            "touching" => DefaultPose::Touching,
            "colliding" => DefaultPose::Colliding,
            "ignored" => DefaultPose::Ignored,
            other => {
                return Err(value_error(format!(
                    "default_pose is 'touching', 'colliding' or 'ignored', not {other:?}"
                )));
            }
        };
        let assembly = &*self.assembly;
        let should_end = AtomicBool::new(false);
        let matrix = interruptible(
            py,
            &should_end,
            |_| Ok(()),
            || {
                workers.run(|threads| {
                    options.threads = threads;
                    allowed_collisions(assembly, &options, &|_| !should_end.load(Ordering::Relaxed))
                })
            },
        )?;
        let matrix = matrix.map_err(value_error)?;
        let row = |&([a, b], reason): &([u32; 2], AllowedReason)| {
            let is_proven = reason == AllowedReason::Adjacent
                || reason != AllowedReason::Default && !assembly.is_movable(a, b);
            (a, b, reason.name(), is_proven)
        };
        let unlimited = matrix.unlimited.iter();
        let unlimited = unlimited.map(|&joint| assembly.joints[joint as usize].name.clone());
        Ok((matrix.allowed.iter().map(row).collect(), matrix.checked, unlimited.collect()))
    }

    /// Prepares the robot and obstacles to be checked. An obstacle has a name, a shape or mesh, and a pose. Allowed pairs
    /// are pairs of names of links or obstacles.
    fn checker(
        &self,
        py: Python<'_>,
        obstacles: Vec<(String, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        allowed: Vec<(String, String)>,
    ) -> PyResult<RobotChecker> {
        // Another thread may prepare them, and needs the interpreter afterwards: wait without it.
        let shapes = py.detach(|| {
            self.shapes.get_or_init(|| {
                let shape = |mesh: &Arc<impinge::Mesh>| Shape::new(Arc::clone(mesh));
                self.assembly.meshes.iter().map(shape).collect()
            })
        });
        RobotChecker::new(py, &self.assembly, &self.joints, shapes, obstacles, &allowed)
    }
}
