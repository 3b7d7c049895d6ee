//! What clash checks on a cluster need: plans and their tasks, assemblies that are read file by file, and bundles of
//! meshes as arrays of bytes, which Ray shares between the processes of a node without copies. `impinge.ray` uses it.

use crate::{
    assembly::{Assembly, load_options},
    clash::{ClashReport, clash_error, options_of, watched},
    error::{io_error, value_error},
    interrupt::interruptible,
    pool::Workers,
    prepared,
};
use impinge::clash::{Progress, Share, Watch};
use impinge_clash::{Cell, CellLimits, Task, TaskError, share_from_bytes, share_to_bytes};
use impinge_io::assembly::{Blob, Joined, ListedFile, LoadOptions, StateError, join, join_loaded};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{
    prelude::*,
    pybacked::PyBackedBytes,
    sync::MutexExt,
    types::{PyBytes, PyDict},
};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

fn state_error(error: StateError) -> PyErr {
    value_error(error)
}

/// Blobs, one after another, and where each of them starts.
pub(crate) type Packed<'py> = (Bound<'py, PyArray1<u8>>, Vec<usize>);

pub(crate) fn pack<'py>(
    py: Python<'py>,
    blobs: &[Blob],
    numbers: &[usize],
) -> PyResult<Packed<'py>> {
    if let Some(number) = numbers.iter().find(|&&number| number >= blobs.len()) {
        return Err(value_error(format!("there is no blob {number}")));
    }
    let mut offsets = Vec::with_capacity(numbers.len());
    let bytes = py.detach(|| {
        let mut bytes = Vec::with_capacity(numbers.iter().map(|&at| blobs[at].len()).sum());
        for &number in numbers {
            offsets.push(bytes.len());
            blobs[number].write(&mut bytes);
        }
        bytes
    });
    Ok((PyArray1::from_vec(py, bytes), offsets))
}

/// The meshes and distances of an assembly.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Blobs(Vec<Blob>);

#[pymethods]
impl Blobs {
    #[new]
    fn new(py: Python<'_>, assembly: &Bound<'_, Assembly>) -> PyResult<Self> {
        Ok(Self(assembly.get().get(py)?.blobs()))
    }

    /// The number of bytes of each blob.
    #[getter]
    fn sizes(&self) -> Vec<usize> {
        self.0.iter().map(Blob::len).collect()
    }

    /// Copies some blobs into one array of bytes. Returns it, and where each blob starts.
    fn pack<'py>(&self, py: Python<'py>, numbers: Vec<usize>) -> PyResult<Packed<'py>> {
        pack(py, &self.0, &numbers)
    }
}

/// A check before its pairs are checked, divided into cells of space.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Plan(Mutex<Planned>);

struct Planned {
    /// `None` after the check has ended.
    plan: Option<impinge_clash::Plan>,
    cells: Vec<Cell>,
}

impl Plan {
    pub(crate) fn of(plan: impinge_clash::Plan) -> Self {
        Self(Mutex::new(Planned { plan: Some(plan), cells: Vec::new() }))
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Planned> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn get<R>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&impinge_clash::Plan, &mut Vec<Cell>) -> PyResult<R>,
    ) -> PyResult<R> {
        let mut planned = self.lock(py);
        let Planned { plan, cells } = &mut *planned;
        act(plan.as_ref().ok_or_else(ended)?, cells)
    }

    /// Takes the plan and merges the shares of its tasks. They are read one by one, so that an iterator may forget each.
    pub(crate) fn merge(
        &self,
        shares: &Bound<'_, PyAny>,
    ) -> PyResult<Result<impinge_clash::Outcome, impinge_clash::Error>> {
        let py = shares.py();
        let mut read: Vec<Share> = Vec::new();
        for bytes in shares.try_iter()? {
            let bytes: PyBackedBytes = bytes?.extract()?;
            match py.detach(|| share_from_bytes(&bytes)) {
                Ok(share) => read.push(share),
                Err(error) => return Ok(Err(error)),
            }
        }
        let plan = self.lock(py).plan.take().ok_or_else(ended)?;
        Ok(py.detach(|| plan.finish(read)))
    }
}

fn ended() -> PyErr {
    value_error("the check has ended")
}

#[pymethods]
impl Plan {
    /// Finds the pairs of parts to check. The options are those of `check_assembly`.
    #[new]
    #[pyo3(signature = (assembly, options=None))]
    fn new(
        py: Python<'_>,
        assembly: &Bound<'_, Assembly>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let assembly = assembly.get().get(py)?;
        let options = options_of(options, assembly.units)?;
        let plan = watched(py, &Workers::new(None)?, None, |_, watcher| {
            impinge_clash::Plan::new(impinge_io::Assembly::clone(&assembly), options, watcher)
        })?;
        Ok(Self::of(plan.map_err(clash_error)?))
    }

    /// Whether the meshes are elsewhere.
    #[getter]
    fn is_outline(&self, py: Python<'_>) -> PyResult<bool> {
        self.get(py, |plan, _| Ok(plan.assembly().is_outline()))
    }

    /// The number of pairs.
    #[getter]
    fn pair_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.get(py, |plan, _| Ok(plan.pairs().len()))
    }

    /// The assembly whose parts are checked.
    #[getter]
    fn assembly(&self, py: Python<'_>) -> PyResult<Assembly> {
        self.get(py, |plan, _| Ok(Assembly::of(plan.assembly().clone())))
    }

    /// Divides the pairs into cells with at most so much work and so many faces. Returns for each cell its work and the
    /// number of its pairs.
    fn divide(&self, py: Python<'_>, work: u64, faces: u64) -> PyResult<Vec<(u64, usize)>> {
        self.get(py, |plan, cells| {
            *cells = py.detach(|| plan.cells(CellLimits::new(work, faces)));
            Ok(cells.iter().map(|cell| (cell.work, cell.pairs.len())).collect())
        })
    }

    /// The task of a cell as bytes, and the numbers of the blobs that it needs.
    fn task<'py>(&self, py: Python<'py>, cell: usize) -> PyResult<(Bound<'py, PyBytes>, Vec<u32>)> {
        self.get(py, |plan, cells| {
            let cell = cells.get(cell).ok_or_else(|| value_error(format!("no cell {cell}")))?;
            let task = plan.task(cell);
            Ok((PyBytes::new(py, &task.to_bytes()), task.blobs()))
        })
    }

    /// The numbers of the blobs that each cell needs.
    fn blobs(&self, py: Python<'_>) -> PyResult<Vec<Vec<u32>>> {
        self.get(py, |plan, cells| {
            Ok(py.detach(|| cells.iter().map(|cell| plan.task(cell).blobs()).collect()))
        })
    }

    /// The report of the results of all tasks, in any order.
    fn finish(&self, shares: &Bound<'_, PyAny>) -> PyResult<ClashReport> {
        let outcome = self.merge(shares)?.map_err(clash_error)?;
        Ok(ClashReport { outcome: Arc::new(outcome) })
    }
}

/// Lets Python end a check.
struct Ending<'f>(&'f AtomicBool);

impl Watch for Ending<'_> {
    fn proceed(&self, _: Progress) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// Does a task: checks its pairs, and returns the result as bytes.
///
/// `places` has the number of each blob, the bundle that it is in, and where it starts. Meshes are prepared once for a
/// job, and kept for its later tasks within a budget of bytes.
#[pyfunction]
pub(crate) fn check_task<'py>(
    py: Python<'py>,
    job: &str,
    task: &[u8],
    bundles: Vec<PyReadonlyArray1<'py, u8>>,
    places: Vec<(u32, usize, usize)>,
    budget: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let task = Task::from_bytes(task).map_err(value_error)?;
    let slices = bundles.iter().map(|bundle| bundle.as_slice().map_err(value_error));
    let slices = slices.collect::<PyResult<Vec<&[u8]>>>()?;
    let bytes_of = |number: u32| {
        let at = places.iter().find(|place| place.0 == number);
        let at = at.and_then(|&(_, bundle, offset)| slices.get(bundle)?.get(offset..));
        at.ok_or_else(|| format!("blob {number} is missing"))
    };
    let should_end = AtomicBool::new(false);
    let found = interruptible(
        py,
        &should_end,
        |_| Ok(()),
        || {
            let share = task.run(
                |number| prepared::content(job, number, || bytes_of(number)),
                &Ending(&should_end),
            );
            prepared::trim(budget);
            share
        },
    )?;
    match found {
        Ok(Some(share)) => Ok(PyBytes::new(py, &share_to_bytes(&share))),
        Ok(None) => Err(value_error("interrupted")),
        Err(TaskError::Content(why) | TaskError::Wrong(why)) => Err(value_error(why)),
        Err(_) => Err(value_error("the task failed")),
    }
}

/// The files of an assembly, before any of them is read.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Listing {
    paths: Vec<PathBuf>,
    options: LoadOptions,
    files: Option<Vec<ListedFile>>,
}

impl Listing {
    pub(crate) fn of(paths: Vec<PathBuf>, options: LoadOptions) -> Result<Self, impinge_io::Error> {
        let files = impinge_io::assembly::Listing::new(&paths, &options)?.files();
        Ok(Self { paths, options, files })
    }
}

#[pymethods]
impl Listing {
    /// Lists files and folders. The keyword arguments are those of `Assembly.load`.
    #[new]
    #[pyo3(signature = (*files, **load))]
    fn new(
        py: Python<'_>,
        files: Vec<PathBuf>,
        load: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = load_options(load)?;
        py.detach(|| Self::of(files, options)).map_err(io_error)
    }

    /// The paths of the files; `None` if they cannot be read one by one.
    #[getter]
    fn paths(&self) -> Option<Vec<PathBuf>> {
        let files = self.files.as_ref()?;
        Some(files.iter().map(|file| file.path().to_owned()).collect())
    }

    /// A file and the options of reading as bytes.
    fn file<'py>(
        &self,
        py: Python<'py>,
        number: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let file = self.files.as_ref().and_then(|files| files.get(number));
        let file = file.ok_or_else(|| value_error(format!("there is no file {number}")))?;
        let file = file.to_bytes().map_err(state_error)?;
        let options = self.options.to_bytes().map_err(state_error)?;
        Ok((PyBytes::new(py, &file), PyBytes::new(py, &options)))
    }

    /// Joins the fragments of all files, in order. Returns the assembly without meshes, and the fragment and the number
    /// in it of each blob.
    fn join(&self, py: Python<'_>, fragments: Vec<Vec<u8>>) -> PyResult<(Assembly, Vec<[u32; 2]>)> {
        let joined = py.detach(|| {
            let fragments = read_fragments(&fragments)?;
            let listing = impinge_io::assembly::Listing::new(&self.paths, &self.options);
            let listing = listing.map_err(io_error)?;
            let paths = |files: Option<Vec<ListedFile>>| -> Option<Vec<PathBuf>> {
                Some(files?.iter().map(|file| file.path().to_owned()).collect())
            };
            if paths(listing.files()) != self.paths() {
                return Err(value_error("files were added or removed while they were read"));
            }
            join(listing, fragments).map_err(io_error)
        })?;
        let Joined { assembly, blobs, .. } = joined;
        Ok((Assembly::of(assembly), blobs))
    }
}

fn read_fragments(bytes: &[Vec<u8>]) -> PyResult<Vec<impinge_io::assembly::Fragment>> {
    let read = |bytes: &Vec<u8>| impinge_io::assembly::Fragment::from_bytes(bytes);
    bytes.iter().map(read).collect::<Result<_, _>>().map_err(state_error)
}

/// A piece of an assembly, with its meshes.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Fragment(impinge_io::assembly::Fragment);

#[pymethods]
impl Fragment {
    #[new]
    fn new(py: Python<'_>, assembly: &Bound<'_, Assembly>) -> PyResult<Self> {
        let assembly = assembly.get().get(py)?;
        let fragment = py.detach(|| impinge_io::assembly::Fragment::of(&assembly));
        fragment.map(Self).ok_or_else(|| {
            value_error("an assembly with robots cannot be a piece of another assembly")
        })
    }

    /// Reads a file of a listing.
    #[staticmethod]
    fn read(py: Python<'_>, file: &[u8], options: &[u8]) -> PyResult<Self> {
        let file = ListedFile::from_bytes(file).map_err(state_error)?;
        let options = LoadOptions::from_bytes(options).map_err(state_error)?;
        Ok(Self(py.detach(|| file.read(&options))))
    }

    /// Joins fragments that are not files of a listing, in order.
    #[staticmethod]
    fn join(py: Python<'_>, fragments: Vec<Vec<u8>>) -> PyResult<(Assembly, Vec<[u32; 2]>)> {
        let joined = py.detach(|| join_loaded(read_fragments(&fragments)?).map_err(io_error))?;
        let Joined { assembly, blobs, .. } = joined;
        Ok((Assembly::of(assembly), blobs))
    }

    /// Everything but the meshes as bytes.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(state_error)?))
    }

    /// The meshes and distances.
    #[getter]
    fn blobs(&self) -> Blobs {
        Blobs(self.0.blobs().to_vec())
    }
}
