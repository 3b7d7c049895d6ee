//! NC verification: does a tool path gouge the part?

use crate::{
    arrays,
    assembly::Assembly,
    error::{io_error, value_error},
    interrupt::interruptible,
    mesh::Mesh,
    notebook,
    pool::{Workers, detached},
    report::{self, Reduced},
};
use impinge::{Bounds, glam::DVec3};
use impinge_io::assembly::{LoadOptions, Unit, load};
use impinge_nc::{
    Body, GcodeOptions, Gouge, Job, JobError, JobOptions, Options, Outcome, Rapids, Report, Role,
    Setup, Watch, glb, json, page, table_csv,
};
use numpy::PyArray1;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyString},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

fn job_error(error: JobError) -> PyErr {
    match error {
        JobError::File(error) | JobError::Tool(error) | JobError::Table(error) => io_error(error),
        error => value_error(error),
    }
}

/// A length in millimetres: a number, or a text such as '0.01in'.
fn millimetres(name: &str, object: &Bound<'_, PyAny>) -> PyResult<f64> {
    let Ok(text) = object.cast::<PyString>() else { return object.extract() };
    let length: impinge_io::assembly::Length =
        text.to_cow()?.parse().map_err(|why| value_error(format!("{name}: {why}")))?;
    Ok(length.to(Unit::Millimetre))
}

/// A point: three numbers in millimetres.
fn point(object: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    Ok(DVec3::from_array(object.extract()?))
}

/// X, Y, Z in millimetres, and A, B, C in degrees if they are given.
fn axes(object: &Bound<'_, PyAny>) -> PyResult<[f64; 6]> {
    let values: Vec<f64> = object.extract()?;
    match values[..] {
        [x, y, z] => Ok([x, y, z, 0.0, 0.0, 0.0]),
        [x, y, z, a, b, c] => Ok([x, y, z, a.to_radians(), b.to_radians(), c.to_radians()]),
        _ => Err(value_error("expected X, Y, Z in millimetres, or X, Y, Z, A, B, C with degrees")),
    }
}

/// The bodies of an argument: a mesh, an assembly, or a file.
fn bodies(
    object: &Bound<'_, PyAny>,
    role: Role,
    part_unit: Option<Unit>,
) -> PyResult<(String, Vec<Body>)> {
    let py = object.py();
    if let Ok(mesh) = object.cast::<Mesh>() {
        let mesh = Arc::clone(&mesh.get().mesh);
        let factor = part_unit.unwrap_or(Unit::Millimetre).to(Unit::Millimetre);
        let mesh = match factor == 1.0 {
            true => mesh,
            false => {
                let scaled = mesh.positions().iter().map(|&vertex| vertex * factor).collect();
                mesh.with_positions(scaled).map_err(value_error)?.into()
            }
        };
        let name = match role {
            Role::Part => "part",
            Role::Stock => "stock",
            Role::Fixture => "fixture",
        };
        let body = detached(py, || Body::new(name, role, mesh))?;
        return Ok((name.to_owned(), vec![body]));
    }
    let (name, assembly) = match object.cast::<Assembly>() {
        Ok(assembly) => {
            let assembly = assembly.get().get(py)?;
            if assembly.units.is_some_and(|unit| unit != Unit::Millimetre) {
                return Err(value_error(
                    "the assembly is not in millimetres; load it with units='mm'",
                ));
            }
            let file = assembly.files.first().map(|file| file.to_string_lossy().into_owned());
            (file.unwrap_or_default(), assembly)
        }
        Err(_) => {
            let path: PathBuf = object.extract()?;
            let mut options = LoadOptions::default();
            options.units = Some(Unit::Millimetre);
            options.file_units = part_unit;
            let assembly = py.detach(|| load([&path], &options)).map_err(io_error)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, Arc::new(assembly))
        }
    };
    let bodies =
        detached(py, || Body::of_assembly(&name, role, &assembly))?.map_err(value_error)?;
    match bodies.is_empty() {
        true => Err(value_error(format!("{name}: has no faces; there is nothing to check"))),
        false => Ok((name, bodies)),
    }
}

/// Everything that a check is given.
struct Arguments {
    job: JobOptions,
    check: Options,
    part_unit: Option<Unit>,
    around: Vec<Body>,
}

impl Arguments {
    fn read(options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut job = JobOptions { gcode: GcodeOptions::default(), ..JobOptions::default() };
        let mut check = Options::default();
        let mut part_unit = None;
        let mut around = Vec::new();
        if let Some(unit) = options.get_item("part_unit")?.filter(|unit| !unit.is_none()) {
            part_unit = crate::assembly::unit(Some(&unit.extract::<String>()?))?;
        }
        for (name, value) in options {
            if value.is_none() {
                continue;
            }
            match &*name.extract::<String>()? {
                "tool" => {
                    let specs: Vec<String> = match value.cast::<PyDict>() {
                        Ok(tools) => tools
                            .iter()
                            .map(|(number, spec)| {
                                Ok(format!(
                                    "{}={}",
                                    number.extract::<u32>()?,
                                    spec.extract::<String>()?
                                ))
                            })
                            .collect::<PyResult<_>>()?,
                        Err(_) => match value.cast::<PyString>() {
                            Ok(text) => vec![text.extract()?],
                            Err(_) => value.extract()?,
                        },
                    };
                    let choice = |spec: &String| spec.parse().map_err(value_error);
                    job.tools = specs.iter().map(choice).collect::<PyResult<_>>()?;
                }
                "tool_table" => job.tool_table = Some(value.extract()?),
                "machine" => job.machine = Some(value.extract()?),
                "origin" => job.origin = point(&value)?,
                "start" => job.gcode.start = Some(point(&value)?),
                "home" => job.gcode.home = Some(axes(&value)?),
                "offsets" => {
                    for (name, place) in value.cast::<PyDict>()? {
                        let name: String = name.extract()?;
                        let number = impinge_nc::program::gcode::work_offset_number(&name);
                        let number = number.ok_or_else(|| {
                            value_error(format!(
                                "{name} is no coordinate system; they are G54 to G59.3"
                            ))
                        })?;
                        job.gcode.offsets.insert(number, axes(&place)?);
                    }
                }
                "block_delete" => job.gcode.block_delete = value.extract()?,
                "allow_unknown" => job.gcode.allow_unknown = value.extract()?,
                "rapids" => {
                    job.gcode.rapids = match &*value.extract::<String>()? {
                        "straight" => Rapids::Straight,
                        "dogleg" => Rapids::Dogleg,
                        "both" => Rapids::Both,
                        other => {
                            return Err(value_error(format!(
                                "rapids is 'straight', 'dogleg' or 'both', not '{other}'"
                            )));
                        }
                    }
                }
                "program_unit" => {
                    job.gcode.unit = match &*value.extract::<String>()? {
                        "mm" => Unit::Millimetre,
                        "in" => Unit::Inch,
                        other => {
                            return Err(value_error(format!(
                                "program_unit is 'mm' or 'in', not '{other}'"
                            )));
                        }
                    }
                }
                "part_unit" => {}
                "stock" => around.append(&mut stock(&value, part_unit)?),
                "fixtures" => {
                    for fixture in value.try_iter()? {
                        around.append(&mut bodies(&fixture?, Role::Fixture, part_unit)?.1);
                    }
                }
                "stock_to_leave" => check.stock_to_leave = millimetres("stock_to_leave", &value)?,
                "clearance" => check.clearance = millimetres("clearance", &value)?,
                "tolerance" => check.tolerance = millimetres("tolerance", &value)?,
                other => return Err(value_error(format!("nc has no option '{other}'"))),
            }
        }
        // A tolerance that is not a number passes no comparison.
        let is_usable = check.tolerance >= 1e-9 && check.tolerance.is_finite();
        let is_length = |length: f64| length >= 0.0 && length.is_finite();
        if !is_usable || !is_length(check.stock_to_leave) || !is_length(check.clearance) {
            return Err(value_error(
                "tolerance must be at least 1e-9 mm, stock_to_leave and clearance at least 0",
            ));
        }
        Ok(Self { job, check, part_unit, around })
    }
}

/// The stock: two opposite corners of a box, or what else can be a body.
fn stock(object: &Bound<'_, PyAny>, part_unit: Option<Unit>) -> PyResult<Vec<Body>> {
    if let Ok([low, high]) = object.extract::<[[f64; 3]; 2]>() {
        let [low, high] = [low, high].map(DVec3::from_array);
        let bounds = Bounds { min: low.min(high), max: low.max(high) };
        return Ok(vec![Body::cuboid("stock", Role::Stock, &bounds).map_err(value_error)?]);
    }
    Ok(bodies(object, Role::Stock, part_unit)?.1)
}

/// Counts the moves that are checked, and ends the check.
#[derive(Default)]
struct Watcher {
    should_end: AtomicBool,
    done: AtomicUsize,
}

impl Watch for Watcher {
    fn moves_checked(&self, moves: usize) -> bool {
        self.done.fetch_max(moves, Ordering::Relaxed);
        !self.should_end.load(Ordering::Relaxed)
    }
}

/// Checks a program against a part. `impinge.nc` documents the options, and calls this function.
#[pyfunction]
#[pyo3(signature = (part, program, options, *, threads=None, progress=None))]
pub(crate) fn check_program(
    py: Python<'_>,
    part: &Bound<'_, PyAny>,
    program: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<NcReport> {
    let Arguments { job, mut check, part_unit, around } = Arguments::read(options)?;
    let workers = Workers::new(threads)?;
    let job = match program.cast::<PyString>() {
        // A text with several lines is a program, not the name of its file.
        Ok(text) if text.to_cow()?.contains('\n') => {
            let text: String = text.extract()?;
            py.detach(|| Job::read(text, "program", &job))
        }
        _ => {
            let path: PathBuf = program.extract()?;
            py.detach(|| Job::load(path, &job))
        }
    };
    let job = job.map_err(job_error)?;
    let (part_name, mut all) = bodies(part, Role::Part, part_unit)?;
    all.extend(around);
    let setup = Setup { bodies: all };
    let watcher = Watcher::default();
    let total = job.program.moves.len();
    let start = Instant::now();
    let outcome = interruptible(
        py,
        &watcher.should_end,
        |py| match &progress {
            None => Ok(()),
            Some(function) => {
                let done = watcher.done.load(Ordering::Relaxed);
                function.call1(py, (done, total)).map(|_| ())
            }
        },
        || {
            workers.run(|threads| {
                check.threads = threads;
                impinge_nc::check(&job.program, &job.tools, &setup, &check, &watcher)
            })
        },
    )?;
    let outcome = outcome.map_err(value_error)?;
    let seconds = start.elapsed().as_secs_f64();
    let checked = Checked { part_name, job, setup, options: check, outcome, seconds };
    Ok(NcReport(checked))
}

#[derive(Debug)]
struct Checked {
    part_name: String,
    job: Job,
    setup: Setup,
    options: Options,
    outcome: Outcome,
    seconds: f64,
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
/// A report is always true, also without gouges. In a notebook it shows itself: the list of gouges, and a 3D view of the part
/// and the path.
#[pyclass(frozen, module = "impinge")]
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

    fn __getitem__(slf: &Bound<'_, Self>, index: isize) -> PyResult<NcGouge> {
        let number = report::position(index, slf.get().__len__(), "gouges")?;
        Ok(NcGouge { report: slf.clone().unbind(), number })
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

/// A part of a tool that reaches into a body during a move. Lengths are in millimetres.
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

    /// The whole report goes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Py<NcReport>, usize)>> {
        report::reduced_item(py, &self.report, self.number)
    }

    fn __repr__(&self) -> String {
        let Gouge { line, depth, .. } = self.gouge();
        format!("Gouge(line {line}: {} in '{}', depth {depth} mm)", self.with_(), self.body())
    }
}
