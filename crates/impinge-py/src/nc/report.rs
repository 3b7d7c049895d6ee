//! `NcReport` and its items, `Gouge`.

use crate::{
    arrays,
    error::value_error,
    mesh::Mesh,
    notebook,
    pool::detached,
    report::{self, Reduced},
};
use impinge_nc::{
    Body, Gouge, Job, Options, Outcome, Report, Role, Setup, glb, json, page, table_csv,
};
use numpy::PyArray1;
use pyo3::{prelude::*, types::PyBytes};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A program that was checked.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) part_name: String,
    pub(super) job: Job,
    pub(super) setup: Setup,
    pub(super) options: Options,
    pub(super) outcome: Outcome,
    pub(super) seconds: f64,
}

impl Checked {
    fn report(&self) -> Report<'_> {
        let Self { part_name, job, setup, options, outcome, seconds } = self;
        Report {
            part_name,
            program_name: &job.name,
            source: &job.source,
            program: &job.program,
            tools: &job.tools,
            setup,
            options,
            outcome,
            notes: &job.notes,
            seconds: *seconds,
        }
    }
}

/// The gouges of a program: a sequence of `Gouge`. `nc` makes it.
///
/// A report is always true, also without gouges. `report[0]` is a gouge, and `report[1:3]` a list of gouges. In a notebook a
/// report shows itself: the list of gouges, and a 3D view of the part and the path.
#[pyclass(frozen, sequence, module = "impinge")]
#[derive(Debug)]
pub(crate) struct NcReport(Checked);

/// A pickled report: the name of the part with name, role and mesh of each body; the lengths of the options; the job and the
/// outcome; the seconds.
type State<'py> = (
    (String, Vec<(String, &'static str, Mesh)>),
    (f64, f64, f64),
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>),
    f64,
);

type TextWriter = fn(&Report<'_>, &mut dyn Write) -> io::Result<()>;

/// The writer of a file, by its extension.
fn writer(path: &Path) -> Option<TextWriter> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    Some(match &*extension {
        "json" => json::write,
        "csv" => table_csv::write,
        "html" | "htm" => page::write,
        "glb" => glb::write,
        _ => return None,
    })
}

impl NcReport {
    pub(super) fn of(checked: Checked) -> Self {
        Self(checked)
    }

    fn text(&self, py: Python<'_>, write: TextWriter) -> PyResult<String> {
        report::text(py, |out| write(&self.0.report(), out))
    }

    /// The gouges as a table, for a page that is too large.
    fn table(&self) -> String {
        let (report, gouges) = (self.0.report(), &self.0.outcome.gouges);
        let rows = gouges.iter().take(notebook::MAX_TABLE_ROWS).map(|gouge| {
            [
                gouge.line.to_string(),
                gouge.with.name().to_owned(),
                report.body_name(gouge).to_owned(),
                format!("{:.4}", gouge.depth),
            ]
        });
        let head = ["line", "with", "body", "depth in mm"];
        notebook::table(notebook::NO_PAGE, &head, rows, gouges.len())
    }
}

#[pymethods]
impl NcReport {
    /// The number of moves of the program.
    #[getter]
    fn moves(&self) -> usize {
        self.0.outcome.moves
    }

    /// The number of moves that gouge.
    #[getter]
    fn gouging_moves(&self) -> usize {
        self.0.outcome.gouging_moves
    }

    /// The largest depth, in millimetres; 0 if no move gouges.
    #[getter]
    fn worst_depth(&self) -> f64 {
        self.0.outcome.worst_depth
    }

    /// Remarks about the program, the tools and the part.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.job.notes.clone()
    }

    /// How long the check took, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// The report as the JSON text that `impinge nc --json` prints.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, json::write)
    }

    /// The report as one HTML page with the part, the path and the worst places.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, page::write)
    }

    /// Writes the report to a file; its extension selects the format: .json, .csv, .html or .glb.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let Some(write) = writer(&path) else {
            return Err(value_error(format!(
                "{}: a report is a file with the extension .json, .csv, .html or .glb",
                path.display()
            )));
        };
        report::save(py, &path, |out| write(&self.0.report(), out))
    }

    /// The report page in a frame, for notebooks. Returns a table if the page is larger than 8 MB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let write = |out: &mut dyn Write| page::write(&self.0.report(), out);
        let framed = detached(py, || notebook::frame("NC report", 560, write))??;
        Ok(framed.unwrap_or_else(|| self.table()))
    }

    fn __len__(&self) -> usize {
        self.0.outcome.gouges.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let gouge = |number| NcGouge { report: slf.clone().unbind(), number };
        report::items(index, slf.get().__len__(), "gouges", gouge)
    }

    /// Reports are equal if they list equal gouges, and their other attributes except for `seconds` are equal.
    fn __eq__(&self, other: &Self) -> bool {
        let (this, that) = (&self.0.outcome, &other.0.outcome);
        (this.moves, this.gouging_moves, this.worst_depth)
            == (that.moves, that.gouging_moves, that.worst_depth)
            && self.0.job.notes == other.0.job.notes
            && this.gouges.len() == that.gouges.len()
            && (this.gouges.iter().zip(&that.gouges))
                .all(|(gouge, of_other)| is_same((&self.0, gouge), (&other.0, of_other)))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.moves(), self.gouging_moves(), self.worst_depth()).into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'py>>> {
        let Checked { part_name, job, setup, options, outcome, seconds } = &self.0;
        let body = |body: &Body| {
            let mesh = Mesh::of(Arc::clone(body.mesh()));
            (body.name.clone(), body.role.name(), mesh)
        };
        let bodies = setup.bodies.iter().map(body).collect();
        let bytes = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
        let lengths = (options.tolerance, options.stock_to_leave, options.clearance);
        let names = (part_name.clone(), bodies);
        let checked = (bytes(job.to_bytes()), bytes(outcome.to_bytes()));
        report::reduced::<Self, _>(py, (names, lengths, checked, *seconds))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        names: (String, Vec<(String, String, Py<Mesh>)>),
        lengths: (f64, f64, f64),
        checked: (Vec<u8>, Vec<u8>),
        seconds: f64,
    ) -> PyResult<Self> {
        let body = |(name, role, mesh): (String, String, Py<Mesh>)| {
            let role = Role::ALL.into_iter().find(|known| known.name() == role);
            let role = role.ok_or_else(|| value_error("a body has no role"))?;
            let mesh = Arc::clone(&mesh.get().mesh);
            detached(py, || Body::new(name, role, mesh))
        };
        let ((part_name, bodies), (job, outcome)) = (names, checked);
        let setup = Setup { bodies: bodies.into_iter().map(body).collect::<PyResult<_>>()? };
        let job = Job::from_bytes(&job).map_err(value_error)?;
        let outcome = Outcome::from_bytes(&outcome, &job, &setup).map_err(value_error)?;
        // Reports show no other options.
        let mut options = Options::default();
        (options.tolerance, options.stock_to_leave, options.clearance) = lengths;
        Ok(Self(Checked { part_name, job, setup, options, outcome, seconds }))
    }

    fn __repr__(&self) -> String {
        let Outcome { moves, gouging_moves, worst_depth, .. } = &self.0.outcome;
        format!("NcReport({moves} moves, {gouging_moves} gouge, worst depth {worst_depth} mm)")
    }
}

/// Whether two gouges have the same attributes.
fn is_same((this, gouge): (&Checked, &Gouge), (that, other): (&Checked, &Gouge)) -> bool {
    let (this, that) = (this.report(), that.report());
    gouge == other
        && this.body_name(gouge) == that.body_name(other)
        && this.role(gouge) == that.role(other)
}

/// A part of a tool that reaches into a body during a move. Lengths are in millimetres.
///
/// Gouges with equal attributes are equal, also those of different reports.
#[pyclass(frozen, module = "impinge", name = "Gouge")]
#[derive(Debug)]
pub(crate) struct NcGouge {
    report: Py<NcReport>,
    number: usize,
}

impl NcGouge {
    fn checked(&self) -> &Checked {
        &self.report.get().0
    }

    fn gouge(&self) -> &Gouge {
        &self.checked().outcome.gouges[self.number]
    }
}

#[pymethods]
impl NcGouge {
    /// The line of the program, from 1.
    #[getter]
    fn line(&self) -> u32 {
        self.gouge().line
    }

    /// The number of the tool.
    #[getter]
    fn tool(&self) -> u32 {
        self.gouge().tool
    }

    /// Whether the move is a rapid move.
    #[getter]
    fn rapid(&self) -> bool {
        self.gouge().is_rapid()
    }

    /// The part of the tool that hits: 'cutter', 'shank' or 'holder'.
    #[getter]
    fn with_(&self) -> &'static str {
        self.gouge().with.name()
    }

    /// The name of the body that is hit.
    #[getter]
    fn body(&self) -> &str {
        self.checked().report().body_name(self.gouge())
    }

    /// What the body is there for: 'part', 'stock' or 'fixture'.
    #[getter]
    fn role(&self) -> &'static str {
        self.checked().report().role(self.gouge()).name()
    }

    /// How far the tool reaches into the body.
    #[getter]
    fn depth(&self) -> f64 {
        self.gouge().depth
    }

    /// A proven bound: the tool reaches no deeper.
    #[getter]
    fn depth_at_most(&self) -> f64 {
        self.gouge().depth_at_most
    }

    /// How far the tool must be lifted along its axis to be free.
    #[getter]
    fn lift(&self) -> f64 {
        self.gouge().lift
    }

    /// The deepest point, in the coordinates of the part.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.gouge().at)
    }

    /// Where the tip of the tool is at that time.
    #[getter]
    fn tip<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.gouge().tip)
    }

    /// The direction of the tool's axis at that time.
    #[getter]
    fn axis<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        arrays::point(py, self.gouge().axis)
    }

    /// The faces of the body that the tool reaches into, sorted.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.gouge().faces)
    }

    fn __eq__(&self, other: &Self) -> bool {
        is_same((self.checked(), self.gouge()), (other.checked(), other.gouge()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.line(), self.tool(), self.body(), self.depth()).into_pyobject(py)?.hash()
    }

    /// The whole report goes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Py<NcReport>, usize)>> {
        report::reduced_item(py, &self.report, self.number)
    }

    fn __repr__(&self) -> String {
        let Gouge { line, depth, .. } = self.gouge();
        format!("Gouge(line {line}: {} in '{}', depth {depth} mm)", self.with_(), self.body())
    }
}
