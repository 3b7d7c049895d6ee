//! `ClashReport` and its items, `Clash`.

use super::clash_error;
use crate::{
    arguments::integer,
    arrays,
    assembly::{pickled, unpickled},
    error::value_error,
    notebook,
    pool::detached,
    report::{self, Reduced},
};
use impinge_clash::{Outcome, Row, bcf, csv, glb, json, page, pictures, review_file};
use impinge_io::assembly::Unit;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The clashes of an assembly, worst first: a sequence of `Clash`. `clash` makes it.
///
/// A report is always true, also without clashes: compare `failures` or `len(report)` with 0. `report[0]` is a clash, and
/// `report[1:3]` a list of clashes. In a notebook a report shows itself: the list of clashes, and a 3D view of the parts.
#[pyclass(frozen, sequence, module = "impinge")]
#[derive(Debug)]
pub(crate) struct ClashReport {
    pub(crate) outcome: Arc<Outcome>,
}

/// Why a report has no pictures.
const NO_MESHES: &str = "the meshes of the parts are not here, because the cluster has read the files; for pictures, pages \
                         and 3D files load an impinge.Assembly first, and check that";

/// A pickled report: its assembly without the meshes, the meshes, and the outcome.
type State<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<u8>>, Bound<'py, PyBytes>);

/// Reads the argument `limit` of `save_pictures`.
fn pictures_limit(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer("limit", "a number of pictures", object)
}

type TextWriter = fn(&Outcome, &mut dyn Write) -> io::Result<()>;

/// The writer of a file, by its extension, and whether it needs the meshes.
fn writer(path: &Path) -> Option<(TextWriter, bool)> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    Some(match &*extension {
        "json" => (json::write, false),
        "csv" => (csv::write, false),
        "html" | "htm" => (|outcome, out| page::write(&outcome.findings, out), true),
        "glb" => (|outcome, out| glb::write(&outcome.findings, out), true),
        "bcf" | "bcfzip" => (
            |outcome, out| bcf::write(&outcome.findings, &bcf::BcfOptions::now(), out, || {}),
            true,
        ),
        "png" => {
            (|outcome, out| pictures::overview(&outcome.findings, pictures::SIZE).write(out), true)
        }
        _ => return None,
    })
}

#[pymethods]
impl ClashReport {
    /// The number of clashes of each verdict, worst first, including those beyond the limit of the list.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report::counts(py, |verdict| self.outcome.count(verdict))
    }

    /// The number of clashes that are not allowed.
    #[getter]
    fn failures(&self) -> usize {
        self.outcome.failures
    }

    /// The number of pairs of parts whose faces were compared.
    #[getter]
    fn pairs_checked(&self) -> u64 {
        self.outcome.findings.pairs_checked
    }

    /// The unit of all lengths, such as 'mm'; `None` if it is not known.
    #[getter]
    fn units(&self) -> Option<&'static str> {
        self.outcome.findings.assembly.units.map(Unit::symbol)
    }

    /// Remarks about the inputs, such as a baseline that names parts unclearly.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.outcome.notes.clone()
    }

    /// The report as the JSON text that `impinge clash --json` prints.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        report::text(py, |out| json::write(&self.outcome, out))
    }

    /// The report as one HTML page with the list and a 3D view. The page needs no network.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.check_meshes()?;
        report::text(py, |out| page::write(&self.outcome.findings, out))
    }

    /// Writes the report to a file; its extension selects the format: .json, .csv, .html (the page), .glb (the assembly with the
    /// clashes in colour), .bcf (issues for BIM programs) or .png (a picture).
    ///
    /// Raises `ArgumentError` for another extension, and `FileError` if the file cannot be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let Some((write, needs_meshes)) = writer(&path) else {
            return Err(value_error(format!(
                "{}: a report is a file with the extension .json, .csv, .html, .glb, .bcf or .png",
                path.display()
            )));
        };
        if needs_meshes {
            self.check_meshes()?;
        }
        self.write(py, &path, write)
    }

    /// Writes what people decided about clashes to a file, for the option `review` of later checks.
    fn save_review(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write(py, &path, |outcome, out| review_file::write(&outcome.findings, out))
    }

    /// Draws each clash into a folder as a PNG picture, at most `limit` of them. Returns the number of pictures.
    #[pyo3(signature = (folder, *, limit=1000))]
    fn save_pictures(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        #[pyo3(from_py_with = pictures_limit)] limit: usize,
    ) -> PyResult<usize> {
        self.check_meshes()?;
        let findings = &self.outcome.findings;
        detached(py, || pictures::save_all(findings, &folder, limit, || ControlFlow::Continue(())))?
            .map_err(clash_error)
    }

    /// The report page in a frame, for notebooks. Returns a table if the page is larger than 8 MB, or if the meshes are
    /// elsewhere.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let findings = &self.outcome.findings;
        if findings.assembly.is_outline() {
            return Ok(self.table(NO_MESHES));
        }
        let write = |out: &mut dyn Write| page::write(findings, out);
        let framed = detached(py, || notebook::frame("Clash report", 560, write))??;
        Ok(framed.unwrap_or_else(|| self.table(notebook::NO_PAGE)))
    }

    fn __len__(&self) -> usize {
        self.outcome.findings.rows.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let clash = |row| Clash { report: slf.clone().unbind(), row };
        report::items(index, slf.get().__len__(), "clashes", clash)
    }

    /// Reports are equal if they list equal clashes, and their other attributes are equal.
    fn __eq__(&self, other: &Self) -> bool {
        let (this, that) = (&*self.outcome, &*other.outcome);
        let [rows, others] = [this, that].map(|outcome| &outcome.findings.rows);
        this.counts == that.counts
            && this.failures == that.failures
            && this.notes == that.notes
            && this.findings.pairs_checked == that.findings.pairs_checked
            && self.units() == other.units()
            && rows.len() == others.len()
            && rows.iter().zip(others).all(|(row, other)| is_same((this, row), (that, other)))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.__len__(), self.failures(), self.pairs_checked()).into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'py>>> {
        let (assembly, blobs) = pickled(py, &self.outcome.findings.assembly)?;
        let outcome = py.detach(|| self.outcome.to_bytes());
        report::reduced::<Self, _>(py, (assembly, blobs, PyBytes::new(py, &outcome)))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        assembly: &[u8],
        blobs: PyReadonlyArray1<'_, u8>,
        outcome: &[u8],
    ) -> PyResult<Self> {
        let assembly = unpickled(py, assembly, &blobs)?;
        let outcome = py.detach(|| Outcome::from_bytes(assembly, outcome)).map_err(clash_error)?;
        Ok(Self { outcome: Arc::new(outcome) })
    }

    fn __repr__(&self) -> String {
        let all = report::found(|verdict| self.outcome.count(verdict));
        let parts = self.outcome.findings.assembly.parts.len();
        match all.is_empty() {
            true => format!("ClashReport({parts} parts, no clashes)"),
            false => format!("ClashReport({parts} parts, {})", all.join(", ")),
        }
    }
}

impl ClashReport {
    /// The clashes as a table, and why there is no page.
    fn table(&self, why: &str) -> String {
        let rows = &self.outcome.findings.rows;
        let number = |value: Option<f64>| value.map(|it| format!("{it:.4}")).unwrap_or_default();
        let cells = rows.iter().take(notebook::MAX_TABLE_ROWS).map(|row| {
            [
                row.clash.verdict.name().to_owned(),
                self.outcome.name(row.clash.a).to_owned(),
                self.outcome.name(row.clash.b).to_owned(),
                number(row.clash.least_depth()),
                number(Some(row.clash.distance)),
            ]
        });
        notebook::table(why, &["verdict", "a", "b", "depth", "distance"], cells, rows.len())
    }

    /// Fails if the meshes are elsewhere.
    fn check_meshes(&self) -> PyResult<()> {
        match self.outcome.findings.assembly.is_outline() {
            false => Ok(()),
            true => Err(value_error(NO_MESHES)),
        }
    }

    fn write(&self, py: Python<'_>, path: &Path, write: TextWriter) -> PyResult<()> {
        report::save(py, path, |out| write(&self.outcome, out))
    }
}

/// Whether two rows of outcomes have the same attributes.
fn is_same((this, row): (&Outcome, &Row), (that, other): (&Outcome, &Row)) -> bool {
    fn names<'a>(outcome: &'a Outcome, row: &Row) -> [&'a str; 2] {
        [row.clash.a, row.clash.b].map(|part| outcome.name(part))
    }
    row.clash == other.clash
        && row.key == other.key
        && names(this, row) == names(that, other)
        && this.is_allowed(row) == that.is_allowed(other)
}

/// Two parts that clash. Lengths are in the unit of the assembly.
///
/// Clashes with equal attributes are equal, also those of different reports.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Clash {
    report: Py<ClashReport>,
    row: usize,
}

impl Clash {
    fn outcome(&self) -> &Outcome {
        &self.report.get().outcome
    }

    fn row(&self) -> &Row {
        &self.outcome().findings.rows[self.row]
    }
}

#[pymethods]
impl Clash {
    /// The unique name of the first part.
    #[getter]
    fn a(&self) -> &str {
        self.outcome().name(self.row().clash.a)
    }

    /// The unique name of the second part.
    #[getter]
    fn b(&self) -> &str {
        self.outcome().name(self.row().clash.b)
    }

    /// The indices of the two parts in the assembly.
    #[getter]
    fn parts(&self) -> (usize, usize) {
        (self.row().clash.a, self.row().clash.b)
    }

    /// How the parts relate to each other, worst first: 'duplicate', 'inside', 'penetrating', 'undecided', 'fit', 'clearance' or
    /// 'touching'.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.row().clash.verdict.name()
    }

    /// A lower bound of the depth: no shorter translation frees the parts. `None` if it is not known, for example because a
    /// surface is open.
    #[getter]
    fn depth(&self) -> Option<f64> {
        self.row().clash.least_depth()
    }

    /// An upper bound of the depth: the length of a translation that was verified to free the parts. `None` if it is not known.
    #[getter]
    fn depth_at_most(&self) -> Option<f64> {
        self.row().clash.depth.and_then(|depth| depth.at_most())
    }

    /// The touch band of the pair: parts that reach into each other no deeper only touch.
    #[getter]
    fn band(&self) -> f64 {
        self.row().clash.band
    }

    /// The volume of the space inside both parts; `None` if it is not known.
    #[getter]
    fn volume(&self) -> Option<f64> {
        self.row().clash.volume
    }

    /// The least distance between the surfaces; exactly 0 where they meet.
    #[getter]
    fn distance(&self) -> f64 {
        self.row().clash.distance
    }

    /// The length of the curve along which the surfaces cross.
    #[getter]
    fn length(&self) -> f64 {
        self.row().clash.length
    }

    /// One point on each surface, in the coordinates of the assembly: an array of shape (2, 3). The closest points where the
    /// surfaces do not meet.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        arrays::points(py, self.row().clash.points.to_vec())
    }

    /// The pairs of faces that touch: an array of `uint32` of shape (n, 2). If none do, the pair with the closest points.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        arrays::face_pairs(py, &self.row().clash.faces)
    }

    /// Which part is inside the other, for the verdict 'inside', as a sentence: '<name> is inside <name>'.
    #[getter]
    fn inside(&self) -> Option<String> {
        self.outcome().findings.inside(&self.row().clash)
    }

    /// An identity of the clash that is the same in later runs: a GUID made from the identities of the two parts.
    #[getter]
    fn key(&self) -> &str {
        &self.row().key
    }

    /// Whether the clash does not count as a failure.
    #[getter]
    fn allowed(&self) -> bool {
        self.outcome().is_allowed(self.row())
    }

    fn __eq__(&self, other: &Self) -> bool {
        is_same((self.outcome(), self.row()), (other.outcome(), other.row()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.key(), self.verdict(), self.distance()).into_pyobject(py)?.hash()
    }

    /// The whole report goes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Py<ClashReport>, usize)>> {
        report::reduced_item(py, &self.report, self.row)
    }

    fn __repr__(&self) -> String {
        format!("Clash({}: '{}' and '{}')", self.verdict(), self.a(), self.b())
    }
}
