//! `RobotChecker`: a robot and obstacles with the pairs that are checked, prepared once and asked about many
//! configurations. `impinge.Robot` makes a new one when obstacles or allowed pairs change.

use crate::{
    arguments, arrays,
    error::value_error,
    interrupt::{in_pieces, interruptible},
    pair::tolerance,
    pool::{Workers, thread_count},
    robot::{RobotNames, Rows},
    shape::shape_of,
};
use impinge::{
    Method, Shape, Threads,
    clash::{Finder, Verdict},
};
use impinge_clash::{
    CheckOptions, Doubt, Error, Pairs, RobotCheck, check_between_with, check_configurations_with,
    robot_finder,
};
use impinge_io::assembly::{Assembly, AssemblyPart, Configurations};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Two parts that collide: the names of the links or obstacles, the names of the parts, whether one is inside the other, and
/// the faces that touch.
type CollisionRow<'py> = ((String, String), (String, String), bool, Bound<'py, PyArray2<u32>>);
/// Two parts that clash at a row of a path: row, names of the links or obstacles, verdict.
type AtRow = (usize, (String, String), &'static str);
/// Two parts that come into contact after a row of a path: row, fraction, names of the links or obstacles, verdict, doubt.
type AfterRow = (usize, f64, (String, String), Option<&'static str>, Option<&'static str>);

/// A robot and obstacles, prepared to be checked. Immutable.
#[pyclass(frozen, module = "impinge._impinge")]
#[derive(Debug)]
pub(crate) struct RobotChecker {
    check: RobotCheck,
    joints: Vec<u32>,
    /// The name of the link or obstacle of each part.
    names: Vec<String>,
    excluded: Vec<[u32; 2]>,
    /// What checks of paths have prepared, for the clearance of the last one.
    finder: Mutex<Option<(f64, Arc<Finder>)>>,
}

impl RobotChecker {
    pub(crate) fn new(
        py: Python<'_>,
        robot: &Assembly,
        joints: &[u32],
        shapes: &[Shape],
        obstacles: Vec<(String, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        allowed: &[(String, String)],
    ) -> PyResult<Self> {
        let mut assembly = robot.clone();
        let mut shapes = shapes.to_vec();
        let link_name = |part: &AssemblyPart| match part.link {
            Some(link) => robot.links[link as usize].name.clone(),
            None => part.name.clone(),
        };
        let mut names: Vec<String> = robot.parts.iter().map(link_name).collect();
        for (name, shape, pose) in obstacles {
            let shape = shape_of("shape", &shape)?;
            let pose = arrays::pose(Some(&pose))?;
            assembly.parts.push(AssemblyPart::new(name.clone(), assembly.meshes.len(), pose));
            assembly.meshes.push(Arc::clone(shape.mesh()));
            // All shapes of a check are prepared by the default method.
            let is_default = shape.method() == Method::default();
            let mesh = Arc::clone(shape.mesh());
            shapes.push(if is_default { shape } else { py.detach(|| Shape::new(mesh)) });
            names.push(name);
        }
        let mut parts: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, name) in (0..).zip(&names) {
            parts.entry(name).or_default().push(number);
        }
        let none = Vec::new();
        let parts_of = |name: &str| parts.get(name).unwrap_or(&none).clone();
        let mut excluded = Vec::new();
        for (a, b) in allowed {
            for first in parts_of(a) {
                excluded.extend(parts_of(b).into_iter().map(|second| [first, second]));
            }
        }
        // The parts of one link do not move relative to each other.
        for own in parts.values() {
            for (at, &first) in own.iter().enumerate() {
                excluded.extend(own[at + 1..].iter().map(|&second| [first, second]));
            }
        }
        let mut pairs = Pairs::default();
        (pairs.adjacent, pairs.excluded) = (true, excluded.clone());
        let check = py.detach(|| RobotCheck::with_shapes(assembly.into(), &pairs, shapes));
        let check = check.map_err(value_error)?;
        Ok(Self { check, joints: joints.to_vec(), names, excluded, finder: Mutex::new(None) })
    }

    fn robot_names(&self) -> RobotNames<'_> {
        RobotNames(self.check.assembly(), &self.joints)
    }

    fn pair_names(&self, [a, b]: [u32; 2]) -> (String, String) {
        (self.names[a as usize].clone(), self.names[b as usize].clone())
    }

    fn options(&self, clearance: f64) -> CheckOptions {
        let mut options = CheckOptions::default();
        options.clearance = clearance;
        (options.pairs.adjacent, options.pairs.excluded) = (true, self.excluded.clone());
        options
    }

    /// What checks of paths need, prepared now or before.
    fn finder(&self, options: &CheckOptions) -> Result<Arc<Finder>, Error> {
        let mut known = self.finder.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((clearance, finder)) if *clearance == options.clearance => Ok(Arc::clone(finder)),
            _ => {
                let finder = Arc::new(robot_finder(self.check.assembly(), options)?);
                *known = Some((options.clearance, Arc::clone(&finder)));
                Ok(finder)
            }
        }
    }
}

/// An error about a row, counted from a first one.
fn row_error(error: Error, first: usize) -> PyErr {
    match error {
        Error::Configuration { line, error } => {
            value_error(format!("q[{}]: {error}", first + line as usize - 1))
        }
        error => value_error(error),
    }
}

#[pymethods]
impl RobotChecker {
    /// The pairs of links or obstacles that are checked, each once.
    #[getter]
    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs: Vec<_> =
            self.check.pairs().iter().map(|&pair| self.pair_names(pair)).collect();
        pairs.dedup();
        pairs
    }

    /// Which of many configurations, an array of shape (n, dof), have a collision.
    fn check<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        within: Option<f64>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let rows = Rows::read(q, self.joints.len())?;
        let (within, threads) = (tolerance(within)?, thread_count(threads)?);
        if self.joints.is_empty() {
            // Nothing moves: one configuration stands for all.
            let values = self.check.values(&[], &[]);
            let collisions = py.detach(|| self.check.collisions(&values, within, false));
            let collides = !collisions.map_err(|error| row_error(error, 0))?.is_empty();
            return Ok(PyArray1::from_vec(py, vec![collides; rows.len()]));
        }
        let (count, rows) = (rows.len(), rows.view(self.robot_names()));
        let found = in_pieces(py, count, threads, Vec::new, |values, range| {
            let first = range.start;
            let read = rows.get(range, values);
            // A row before one that cannot be read may fail, too: the first error counts.
            let found = self.check.collides_in(&self.joints, values, within, Threads::One);
            let found = found.map_err(|error| row_error(error, first))?;
            read.map(|()| found)
        })?;
        Ok(PyArray1::from_vec(py, found.concat()))
    }

    /// All pairs of parts that collide in one configuration, an array of shape (1, dof).
    fn collisions<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        within: Option<f64>,
        with_faces: bool,
    ) -> PyResult<Vec<CollisionRow<'py>>> {
        let rows = Rows::read(q, self.joints.len())?;
        let within = tolerance(within)?;
        let values = self.check.values(&self.joints, &rows.all(self.robot_names())?);
        let found = py.detach(|| self.check.collisions(&values, within, with_faces));
        let parts = &self.check.assembly().parts;
        let row = |found: impinge_clash::PartsInCollision| {
            let [a, b] = found.parts.map(|part| parts[part as usize].name.clone());
            let faces = arrays::face_pairs(py, &found.faces);
            (self.pair_names(found.parts), (a, b), found.is_inside, faces)
        };
        Ok(found.map_err(|error| row_error(error, 0))?.into_iter().map(row).collect())
    }

    /// What a path, an array of shape (n, dof), hits: at its rows; between them; and the links and obstacles whose surfaces
    /// have holes.
    fn check_path(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        clearance: f64,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<(Vec<AtRow>, Vec<AfterRow>, Vec<String>)> {
        let rows = Rows::read(q, self.joints.len())?;
        let values = rows.all(self.robot_names())?;
        let assembly = &**self.check.assembly();
        let rows = Configurations::new(assembly, self.joints.clone(), values);
        let rows = rows.map_err(value_error)?;
        let workers = Workers::new(threads)?;
        let should_end = AtomicBool::new(false);
        let found = interruptible(
            py,
            &should_end,
            |_| Ok(()),
            || -> Result<_, Error> {
                let proceed = |_: u64| !should_end.load(Ordering::Relaxed);
                let mut options = self.options(clearance);
                let finder = self.finder(&options)?;
                workers.run(|threads| {
                    options.threads = threads;
                    let at =
                        check_configurations_with(&finder, assembly, &rows, &options, &proceed)?;
                    let after = check_between_with(&finder, assembly, &rows, &options, &proceed)?;
                    Ok((at, after))
                })
            },
        )?;
        let (at, after) = found.map_err(|error| row_error(error, 0))?;
        let at_rows = at.iter().flat_map(|row| {
            let collision = |hit: &impinge_clash::Collision| {
                (row.number, self.pair_names([hit.a, hit.b]), hit.verdict.name())
            };
            row.collisions.iter().map(collision).collect::<Vec<_>>()
        });
        let after_rows = after.steps.iter().flat_map(|step| {
            let contact = |hit: &impinge_clash::Approach| {
                let (verdict, doubt) = (hit.verdict.map(Verdict::name), hit.doubt.map(Doubt::name));
                (step.number, hit.fraction, self.pair_names([hit.a, hit.b]), verdict, doubt)
            };
            step.approaches.iter().map(contact).collect::<Vec<_>>()
        });
        let (at_rows, after_rows) = (at_rows.collect(), after_rows.collect());
        let mut open: Vec<String> =
            after.open_parts.iter().map(|&part| self.names[part].clone()).collect();
        open.dedup();
        Ok((at_rows, after_rows, open))
    }
}
