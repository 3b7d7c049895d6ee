//! `PathReport` and its items, `PathClash`.

use crate::{
    arrays,
    assembly::{Pickled, pickled, unpickled},
    clash::{clash_error, watched},
    error::{pose_error, value_error},
    notebook,
    pool::{Workers, detached},
    report::{self, Reduced},
};
use impinge::{Pose, clash::Verdict};
use impinge_clash::{CheckOptions, CheckedPath, Doubt, PathOutcome, PathPage, PathPlace};
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

/// A path that was checked.
#[derive(Debug)]
pub(super) struct Checked {
    assembly: Arc<impinge_io::Assembly>,
    rows: PathRows,
    options: CheckOptions,
    outcome: PathOutcome,
    /// Made on first use, because each clash is checked again in full for it.
    page: OnceLock<PathPage>,
}

impl Checked {
    pub(super) fn new(
        assembly: Arc<impinge_io::Assembly>,
        rows: PathRows,
        options: CheckOptions,
        outcome: PathOutcome,
    ) -> Self {
        Self { assembly, rows, options, outcome, page: OnceLock::new() }
    }

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
        Ok(Self(Checked::new(assembly, rows, options, outcome)))
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
    pub(super) fn of(checked: Checked) -> Self {
        Self(checked)
    }

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
