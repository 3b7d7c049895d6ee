//! Clash checks along a path: parts of an assembly move through the others.

use crate::{
    arguments,
    arrays::{self, Points, Poses},
    assembly::{Assembly, Pickled, pickled, unpickled},
    clash::{clash_error, options_of, watched},
    error::{pose_error, value_error},
    notebook,
    pool::{Workers, detached},
    report::{self, Reduced},
};
use impinge::{Motion, Pose, clash::Verdict};
use impinge_clash::{
    CheckOptions, CheckedPath, Doubt, PathOptions, PathOutcome, PathPage, PathPlace, Pattern,
    check_path,
};
use impinge_io::{PathRows, assembly::Unit};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// What stands for the file of the path in reports.
const FILE: &str = "poses";

/// Checks parts of an assembly that move along a path. `impinge.clash_path` documents the arguments.
#[pyfunction]
#[pyo3(signature = (assembly, moving, poses, options=None, *, times=None, pivot=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn check_assembly_path(
    py: Python<'_>,
    assembly: &Bound<'_, Assembly>,
    moving: Vec<String>,
    poses: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
    times: Option<Vec<f64>>,
    pivot: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathReport> {
    let assembly = assembly.get().get(py)?;
    let mut options = options_of(options, assembly.units)?;
    let rows = rows(poses, times)?;
    let patterns = moving.iter().map(|name| Pattern::new(name.trim_end_matches('/')));
    let mut path = PathOptions::new(patterns.collect());
    if let Some(pivot) = pivot {
        let point = Points::read("pivot", pivot)?.one().filter(|point| point.is_finite());
        let point =
            point.ok_or_else(|| value_error("pivot is one point of three finite coordinates"));
        path.pivot = Some(point?);
    }
    let workers = Workers::new(threads)?;
    let found = watched(py, &workers, progress.as_ref(), |threads, watcher| {
        options.threads = threads;
        check_path(&assembly, &rows, &path, &options, watcher)
    })?;
    let outcome = found.map_err(clash_error)?;
    Ok(PathReport(Checked { assembly, rows, options, outcome, page: OnceLock::new() }))
}

/// The rows of a path, with messages that name the poses as Python numbers them.
fn rows(poses: &Bound<'_, PyAny>, times: Option<Vec<f64>>) -> PyResult<PathRows> {
    let poses = Poses::read("poses", poses)?.all()?;
    if poses.len() < 2 {
        return Err(pose_error(format!("a path needs at least two poses, not {}", poses.len())));
    }
    for (number, ends) in poses.windows(2).enumerate() {
        if let Err(error) = Motion::between(ends[0], ends[1]) {
            let next = number + 1;
            return Err(pose_error(format!("from poses[{number}] to poses[{next}]: {error}")));
        }
    }
    PathRows::new(poses, times).map_err(value_error)
}

#[derive(Debug)]
struct Checked {
    assembly: Arc<impinge_io::Assembly>,
    rows: PathRows,
    options: CheckOptions,
    outcome: PathOutcome,
    /// Made on first use, because each clash is checked again in full for it.
    page: OnceLock<PathPage>,
}

impl Checked {
    fn files(&self) -> CheckedPath<'_> {
        CheckedPath {
            assembly: &self.assembly,
            rows: &self.rows,
            file: Path::new(FILE),
            options: &self.options,
            outcome: &self.outcome,
        }
    }

    fn page(&self, py: Python<'_>) -> PyResult<&PathPage> {
        if let Some(page) = self.page.get() {
            return Ok(page);
        }
        let workers = Workers::new(None)?;
        let made = watched(py, &workers, None, |_, watcher| PathPage::new(&self.files(), watcher))?;
        let made = made.map_err(clash_error)?;
        Ok(self.page.get_or_init(|| made))
    }

    fn name(&self, part: usize) -> &str {
        &self.assembly.parts[part].name
    }

    /// The times at which an interval starts, is worst, and ends.
    fn times(&self, clash: &impinge_clash::PathClash) -> Option<(f64, f64, f64)> {
        let time = |place: PathPlace| place.time(&self.rows);
        Some((time(clash.from)?, time(clash.at)?, time(clash.until)?))
    }
}

/// What happens to the parts that move along a path: a sequence of `PathClash`. `clash_path` makes it.
///
/// Outside of the listed intervals the moving parts are proven to be clear of all others, also between the rows. A report is
/// always true, also without intervals. `report[0]` is an interval, and `report[1:3]` a list of intervals. In a notebook a
/// report shows itself: the list, and a 3D view with a slider along the path.
#[pyclass(frozen, sequence, module = "impinge")]
#[derive(Debug)]
pub(crate) struct PathReport(Checked);

/// A pickled report: the assembly without and with its meshes, the displacement of each row as a matrix, the times, touch band
/// and clearance, and the outcome.
type State<'py> = (
    Pickled<'py>,
    Bound<'py, PyArray2<f64>>,
    Option<Vec<f64>>,
    (Option<f64>, f64),
    Bound<'py, PyBytes>,
);

#[pymethods]
impl PathReport {
    /// The unique names of the parts that move.
    #[getter]
    fn moving(&self) -> Vec<&str> {
        self.0.outcome.moving.iter().map(|&part| self.0.name(part)).collect()
    }

    /// The number of rows of the path.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows.row_count()
    }

    /// The point of the moving parts, as assembled, that moves on a straight line between two rows: an array of shape (3,).
    #[getter]
    fn pivot<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.0.outcome.pivot)
    }

    /// The number of intervals of each verdict, worst first.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report::counts(py, |verdict| self.0.outcome.count(verdict))
    }

    /// The number of intervals that are not allowed.
    #[getter]
    fn failures(&self) -> usize {
        self.0.outcome.failures()
    }

    /// The number of intervals in which something worse than the verdict cannot be ruled out, hidden ones included.
    ///
    /// If it is 0 and the report is empty, the motion is proven to be clear of all other parts.
    #[getter]
    fn uncertified(&self) -> u64 {
        self.0.outcome.doubtful
    }

    /// The number of pairs of parts whose boxes meet along the path.
    #[getter]
    fn pairs_checked(&self) -> u64 {
        self.0.outcome.pairs_checked
    }

    /// The unit of all lengths, such as 'mm'; `None` if it is not known.
    #[getter]
    fn units(&self) -> Option<&'static str> {
        self.0.assembly.units.map(Unit::symbol)
    }

    /// The report as the JSON text that `impinge clash --path --json` prints. Its rows are numbered from 1.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        report::text(py, |out| self.0.files().write_json(out))
    }

    /// The report as one HTML page: the list of intervals, and a 3D view with a slider along the path.
    ///
    /// The first call checks every interval in full at one moment, which may take longer than the check itself.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.0.page(py)?;
        report::text(py, |out| page.write(out))
    }

    /// Writes the report to a file; its extension selects the format: .json, .csv or .html.
    ///
    /// Raises `ArgumentError` for another extension, and `FileError` if the file cannot be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        type Writer<'a> = &'a (dyn Fn(&mut dyn Write) -> io::Result<()> + Sync);
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let save = |write: Writer<'_>| report::save(py, &path, write);
        match &*extension {
            "json" => save(&|out| self.0.files().write_json(out)),
            "csv" => save(&|out| self.0.files().write_csv(out)),
            "html" | "htm" => {
                let page = self.0.page(py)?;
                save(&|out| page.write(out))
            }
            _ => Err(value_error(format!(
                "{}: the report of a path is a file with the extension .json, .csv or .html",
                path.display()
            ))),
        }
    }

    /// The report page in a frame, for notebooks. Returns a table if the page is larger than 8 MB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.0.page(py)?;
        let framed = detached(py, || notebook::frame("Path report", 560, |out| page.write(out)))??;
        Ok(framed.unwrap_or_else(|| self.table()))
    }

    fn __len__(&self) -> usize {
        self.0.outcome.clashes.len()
    }

    /// A report without intervals is true as well.
    fn __bool__(&self) -> bool {
        true
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let clash = |number| PathClash { report: slf.clone().unbind(), number };
        report::items(index, slf.get().__len__(), "intervals", clash)
    }

    /// Reports are equal if they list equal intervals, and their other attributes are equal.
    fn __eq__(&self, other: &Self) -> bool {
        let (this, that) = (&self.0.outcome, &other.0.outcome);
        self.moving() == other.moving()
            && self.rows() == other.rows()
            && self.units() == other.units()
            && (this.pivot, this.pairs_checked, this.doubtful)
                == (that.pivot, that.pairs_checked, that.doubtful)
            && this.clashes.len() == that.clashes.len()
            && (this.clashes.iter().zip(&that.clashes))
                .all(|(clash, of_other)| is_same((&self.0, clash), (&other.0, of_other)))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.__len__(), self.rows(), self.pairs_checked()).into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'py>>> {
        let Checked { assembly, rows, options, outcome, .. } = &self.0;
        let (assembly, blobs) = pickled(py, assembly)?;
        let matrices: Vec<_> =
            rows.displacements().iter().map(|pose| pose.to_rows().to_vec()).collect();
        let matrices = PyArray2::from_vec2(py, &matrices).map_err(value_error)?;
        let times = rows.times().map(<[f64]>::to_vec);
        let outcome = PyBytes::new(py, &outcome.to_bytes());
        let lengths = (options.touch, options.clearance);
        report::reduced::<Self, _>(py, ((assembly, blobs), matrices, times, lengths, outcome))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        assembly: (Vec<u8>, PyReadonlyArray1<'_, u8>),
        matrices: PyReadonlyArray2<'_, f64>,
        times: Option<Vec<f64>>,
        lengths: (Option<f64>, f64),
        outcome: &[u8],
    ) -> PyResult<Self> {
        let assembly = Arc::new(unpickled(py, &assembly.0, &assembly.1)?);
        let (matrices, _) = matrices.as_slice().map_err(value_error)?.as_chunks::<12>();
        let poses = matrices.iter().map(|&matrix| Pose::from_rows(matrix));
        let poses = poses.collect::<Result<Vec<Pose>, _>>().map_err(pose_error)?;
        let rows = PathRows::new(poses, times).map_err(value_error)?;
        // Reports show no other options.
        let mut options = CheckOptions::default();
        (options.touch, options.clearance) = lengths;
        let outcome = PathOutcome::from_bytes(outcome, assembly.parts.len(), rows.row_count());
        let outcome = outcome.map_err(clash_error)?;
        Ok(Self(Checked { assembly, rows, options, outcome, page: OnceLock::new() }))
    }

    fn __repr__(&self) -> String {
        let outcome = &self.0.outcome;
        let mut all = report::found(|verdict| outcome.count(verdict));
        if outcome.doubtful > 0 {
            all.push(format!("{} not certified", outcome.doubtful));
        }
        let found = if all.is_empty() { "clear".to_owned() } else { all.join(", ") };
        format!("PathReport({} rows, {found})", self.rows())
    }
}

impl PathReport {
    /// The intervals as a table, for a page that is too large.
    fn table(&self) -> String {
        let clashes = &self.0.outcome.clashes;
        let rows = clashes.iter().take(notebook::MAX_TABLE_ROWS).map(|clash| {
            let place = |place: PathPlace| format!("{:.4}", place.row as f64 + place.fraction);
            [
                clash.verdict.map_or("not certified", Verdict::name).to_owned(),
                self.0.name(clash.moving).to_owned(),
                self.0.name(clash.other).to_owned(),
                place(clash.from),
                place(clash.until),
            ]
        });
        notebook::table(
            notebook::NO_PAGE,
            &["verdict", "moving", "other", "start", "end"],
            rows,
            clashes.len(),
        )
    }
}

/// Whether two intervals have the same attributes.
fn is_same(
    (this, clash): (&Checked, &impinge_clash::PathClash),
    (that, other): (&Checked, &impinge_clash::PathClash),
) -> bool {
    fn names<'a>(checked: &'a Checked, clash: &impinge_clash::PathClash) -> [&'a str; 2] {
        [clash.moving, clash.other].map(|part| checked.name(part))
    }
    clash == other
        && names(this, clash) == names(that, other)
        && this.times(clash) == that.times(other)
}

/// An interval of a path during which two parts are in contact, inside each other, or too close.
///
/// Intervals with equal attributes are equal, also those of different reports.
///
/// A place along the path is a tuple (row, fraction): the number of the row from 0, and the share of the way to the next row
/// from 0 to 1. Lengths are in the unit of the assembly.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct PathClash {
    report: Py<PathReport>,
    number: usize,
}

impl PathClash {
    fn checked(&self) -> &Checked {
        &self.report.get().0
    }

    fn clash(&self) -> &impinge_clash::PathClash {
        &self.checked().outcome.clashes[self.number]
    }
}

fn place(place: PathPlace) -> (usize, f64) {
    (place.row, place.fraction)
}

#[pymethods]
impl PathClash {
    /// The unique name of the part that moves.
    #[getter]
    fn moving(&self) -> &str {
        self.checked().name(self.clash().moving)
    }

    /// The unique name of the part that rests.
    #[getter]
    fn other(&self) -> &str {
        self.checked().name(self.clash().other)
    }

    /// The worst verdict of the interval. `None` if nothing was found, but something cannot be ruled out: see `doubt`.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.clash().verdict.map(Verdict::name)
    }

    /// Where the interval starts: (row, fraction). The parts are proven to be clear of each other before.
    #[getter]
    fn start(&self) -> (usize, f64) {
        place(self.clash().from)
    }

    /// Where the interval ends: (row, fraction).
    #[getter]
    fn end(&self) -> (usize, f64) {
        place(self.clash().until)
    }

    /// Where the parts first reach deeper into each other than the touch band; if they do not, where the worst verdict was
    /// first found; for 'clearance', where they are closest. A tuple (row, fraction).
    #[getter]
    fn at(&self) -> (usize, f64) {
        place(self.clash().at)
    }

    /// The times of `start`, `at` and `end`; `None` if the path has no times.
    #[getter]
    fn times(&self) -> Option<(f64, f64, f64)> {
        self.checked().times(self.clash())
    }

    /// A point of the contact at `at`, in world coordinates: an array of shape (3,).
    #[getter]
    fn point<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.clash().point)
    }

    /// The least distance of the surfaces that was found: 0 unless the verdict is 'clearance'.
    #[getter]
    fn distance(&self) -> f64 {
        self.clash().distance
    }

    /// A lower bound of the distance in the whole interval.
    #[getter]
    fn distance_at_least(&self) -> f64 {
        self.clash().distance_at_least
    }

    /// Why something worse than the verdict cannot be ruled out; `None` if it is ruled out.
    ///
    /// 'samples': the parts are in contact while they slide or turn farther than the touch band between two checks. 'gaps': a
    /// surface has holes, so a part may get inside without contact. 'near': the parts come within the widest touch band, but
    /// no check says that they touch.
    #[getter]
    fn doubt(&self) -> Option<&'static str> {
        self.clash().doubt.map(Doubt::name)
    }

    /// Whether the interval does not count as a failure.
    #[getter]
    fn allowed(&self) -> bool {
        !self.clash().fails
    }

    fn __eq__(&self, other: &Self) -> bool {
        is_same((self.checked(), self.clash()), (other.checked(), other.clash()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.moving(), self.other(), self.start(), self.end()).into_pyobject(py)?.hash()
    }

    /// The whole report goes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Py<PathReport>, usize)>> {
        report::reduced_item(py, &self.report, self.number)
    }

    fn __repr__(&self) -> String {
        let at = |place: PathPlace| place.row as f64 + place.fraction;
        let clash = self.clash();
        format!(
            "PathClash({}: '{}' and '{}', rows {:.4} to {:.4})",
            self.verdict().unwrap_or("not certified"),
            self.moving(),
            self.other(),
            at(clash.from),
            at(clash.until)
        )
    }
}
