//! Clash checks of assemblies.

use crate::{
    arrays,
    assembly::{Assembly, pickled, unpickled},
    error::{io_error, value_error},
    interrupt::interruptible,
    notebook,
    pool::{Workers, detached},
    report::{self, Reduced},
};
use impinge::clash::{Progress, Stage, Verdict};
use impinge_clash::{
    Baseline, CheckOptions, CheckWatch, Error, Outcome, Pattern, ReviewFile, Row, Rule, SameGroup,
    Sort, Verdicts, bcf, check, csv, glb, json, page, pictures, review_file,
};
use impinge_io::assembly::{Length, Unit};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyString},
};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Reads a length: a number in the unit of the assembly, or a text such as '0.5mm'.
fn length(name: &str, object: &Bound<'_, PyAny>, units: Option<Unit>) -> PyResult<f64> {
    let Ok(text) = object.cast::<PyString>() else { return object.extract() };
    let text = text.to_cow()?;
    let length: Length = text.parse().map_err(|why| value_error(format!("{name}: {why}")))?;
    length.within(units).ok_or_else(|| {
        value_error(format!(
            "{name}: the length has a unit, but that of the assembly is not known; give a number, or the unit of the \
             assembly"
        ))
    })
}

fn verdicts(text: &str) -> PyResult<Verdicts> {
    text.parse().map_err(value_error)
}

pub(crate) fn clash_error(error: Error) -> PyErr {
    match error {
        Error::File(error) => io_error(error),
        error => value_error(error),
    }
}

/// The options of a check, from keyword arguments.
pub(crate) fn options_of(
    options: Option<&Bound<'_, PyDict>>,
    units: Option<Unit>,
) -> PyResult<CheckOptions> {
    let mut check = CheckOptions::default();
    let Some(options) = options else { return Ok(check) };
    for (name, value) in options {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        match &*name {
            "touch" => check.touch = Some(length("touch", &value, units)?),
            "clearance" => check.clearance = length("clearance", &value, units)?,
            "quick" => check.is_quick = value.extract()?,
            "ignore" => {
                let rules: Vec<String> = texts(&value)?;
                let rule = |text: &String| {
                    text.parse::<Rule>()
                        .map_err(|error| value_error(format!("ignore: `{text}`: {error}")))
                };
                check.pairs.ignore = rules.iter().map(rule).collect::<PyResult<_>>()?;
            }
            "only" => check.pairs.only = verdicts(&texts(&value)?.join(","))?,
            "between" => {
                let groups: Vec<[String; 2]> = match value.extract::<[String; 2]>() {
                    Ok(pair) => vec![pair],
                    Err(_) => value.extract()?,
                };
                let pair = |[a, b]: [String; 2]| [Pattern::new(a), Pattern::new(b)];
                check.pairs.between = groups.into_iter().map(pair).collect();
            }
            "same_group" => {
                check.pairs.same_group = match &*value.extract::<String>()? {
                    "skip" => Some(SameGroup::Skip),
                    "only" => Some(SameGroup::Only),
                    other => {
                        return Err(value_error(format!(
                            "same_group is 'skip' or 'only', not '{other}'"
                        )));
                    }
                }
            }
            "group_level" => check.pairs.group_level = Some(value.extract()?),
            "adjacent" => check.pairs.adjacent = value.extract()?,
            "allow" => {
                let mut rest = Vec::new();
                for text in texts(&value)? {
                    match &*text {
                        "known" => check.listing.allowed.known = true,
                        "approved" => check.listing.allowed.approved = true,
                        _ => rest.push(text),
                    }
                }
                if !rest.is_empty() {
                    check.listing.allowed.verdicts = verdicts(&rest.join(","))?;
                }
            }
            "baseline" => {
                let path: PathBuf = value.extract()?;
                check.listing.baseline = Some(Baseline::load(path).map_err(io_error)?);
            }
            "review" => {
                let path: PathBuf = value.extract()?;
                check.listing.review = Some(match path.exists() {
                    true => ReviewFile::load(path).map_err(io_error)?,
                    false => ReviewFile::default(),
                });
            }
            "sort" => {
                check.listing.sort = match &*value.extract::<String>()? {
                    "severity" => Sort::Severity,
                    "depth" => Sort::Depth,
                    "distance" => Sort::Distance,
                    "name" => Sort::Name,
                    other => {
                        return Err(value_error(format!(
                            "sort is 'severity', 'depth', 'distance' or 'name', not '{other}'"
                        )));
                    }
                }
            }
            "limit" => check.listing.limit = Some(value.extract()?),
            "totals" => check.listing.with_totals = value.extract()?,
            other => return Err(value_error(format!("clash has no option '{other}'"))),
        }
    }
    Ok(check)
}

/// One text, or several.
fn texts(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(vec![text.extract()?]),
        Err(_) => value.extract(),
    }
}

/// Hands the progress of a check on to Python.
#[derive(Default)]
pub(crate) struct Watcher {
    should_end: AtomicBool,
    latest: Mutex<Option<Progress>>,
    idle_rules: Mutex<Vec<String>>,
}

impl CheckWatch for Watcher {
    fn idle_rules(&self, rules: &[&Rule]) {
        let mut idle = self.idle_rules.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(rules.iter().map(ToString::to_string));
    }

    fn proceed(&self, progress: Progress) -> bool {
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some(progress);
        }
        !self.should_end.load(Ordering::Relaxed)
    }
}

impl Watcher {
    pub(crate) fn should_end(&self) -> &AtomicBool {
        &self.should_end
    }

    /// Calls the function of the user with the stage, the number of items that are done, and that of all items.
    pub(crate) fn tell(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let Some(function) = progress else { return Ok(()) };
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(latest) = latest else { return Ok(()) };
        let stage = match latest.stage {
            Stage::Meshes => "meshes",
            Stage::Pairs => "pairs",
        };
        function.call1(py, (stage, latest.done, latest.total)).map(|_| ())
    }

    /// Warns about rules that match no part.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let idle = self.idle_rules.lock().unwrap_or_else(PoisonError::into_inner);
        for rule in &*idle {
            let text = format!("the rule {rule} matches no part");
            py.import("warnings")?.call_method1("warn", (text,))?;
        }
        Ok(())
    }
}

/// Checks an assembly. `impinge.clash` documents the options, and calls this function.
#[pyfunction]
#[pyo3(signature = (assembly, options=None, *, threads=None, progress=None))]
pub(crate) fn check_assembly(
    py: Python<'_>,
    assembly: &Bound<'_, Assembly>,
    options: Option<&Bound<'_, PyDict>>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<ClashReport> {
    let assembly = assembly.get().get(py)?;
    let mut options = options_of(options, assembly.units)?;
    let workers = Workers::new(threads)?;
    let watcher = Watcher::default();
    let found = interruptible(
        py,
        watcher.should_end(),
        |py| watcher.tell(py, progress.as_ref()),
        || {
            workers.run(|threads| {
                options.threads = threads;
                check(impinge_io::Assembly::clone(&assembly), &options, &watcher)
            })
        },
    )?;
    watcher.warn(py)?;
    Ok(ClashReport { outcome: Arc::new(found.map_err(clash_error)?) })
}

/// The clashes of an assembly, worst first: a sequence of `Clash`. `clash` makes it.
///
/// A report is always true, also without clashes: compare `failures` or `len(report)` with 0. In a notebook a report shows
/// itself: the list of clashes, and a 3D view of the parts.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct ClashReport {
    pub(crate) outcome: Arc<Outcome>,
}

/// A pickled report: its assembly without the meshes, the meshes, and the outcome.
type State<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<u8>>, Bound<'py, PyBytes>);

type TextWriter = fn(&Outcome, &mut dyn Write) -> io::Result<()>;

/// The writer of a file, by its extension.
fn writer(path: &Path) -> Option<TextWriter> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    Some(match &*extension {
        "json" => json::write,
        "csv" => csv::write,
        "html" | "htm" => |outcome, out| page::write(&outcome.findings, out),
        "glb" => |outcome, out| glb::write(&outcome.findings, out),
        "bcf" | "bcfzip" => {
            |outcome, out| bcf::write(&outcome.findings, &bcf::BcfOptions::now(), out, || {})
        }
        "png" => |outcome, out| pictures::overview(&outcome.findings, pictures::SIZE).write(out),
        _ => return None,
    })
}

#[pymethods]
impl ClashReport {
    /// The number of clashes of each verdict, worst first, including those beyond the limit of the list.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for verdict in Verdict::ALL {
            counts.set_item(verdict.name(), self.outcome.count(verdict))?;
        }
        Ok(counts)
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
        if !path.extension().is_some_and(|kind| kind == "json" || kind == "csv") {
            self.check_meshes()?;
        }
        let Some(write) = writer(&path) else {
            return Err(value_error(format!(
                "{}: a report is a file with the extension .json, .csv, .html, .glb, .bcf or .png",
                path.display()
            )));
        };
        self.write(py, &path, write)
    }

    /// Writes what people decided about clashes to a file, for the option `review` of later checks.
    fn save_review(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write(py, &path, |outcome, out| review_file::write(&outcome.findings, out))
    }

    /// Draws each clash into a folder as a PNG picture, at most `limit` of them. Returns the number of pictures.
    #[pyo3(signature = (folder, *, limit=1000))]
    fn save_pictures(&self, py: Python<'_>, folder: PathBuf, limit: usize) -> PyResult<usize> {
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
            return Ok(self.table(notebook::NO_MESHES));
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

    fn __getitem__(slf: &Bound<'_, Self>, index: isize) -> PyResult<Clash> {
        let row = report::position(index, slf.get().__len__(), "clashes")?;
        Ok(Clash { report: slf.clone().unbind(), row })
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
        let some = Verdict::ALL.into_iter().filter(|&verdict| self.outcome.count(verdict) > 0);
        let all: Vec<String> =
            some.map(|verdict| format!("{} {verdict}", self.outcome.count(verdict))).collect();
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
        let head = ["verdict", "a", "b", "depth", "distance"];
        notebook::table(why, &head, cells, rows.len())
    }

    /// Fails if the meshes are elsewhere.
    fn check_meshes(&self) -> PyResult<()> {
        match self.outcome.findings.assembly.is_outline() {
            false => Ok(()),
            true => Err(value_error(
                "the meshes of the parts are not here, because the cluster has read the files; for pictures, pages and \
                 3D files load an impinge.Assembly first, and check that",
            )),
        }
    }

    fn write(&self, py: Python<'_>, path: &Path, write: TextWriter) -> PyResult<()> {
        report::save(py, path, |out| write(&self.outcome, out))
    }
}

/// Two parts that clash. Lengths are in the unit of the assembly.
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

    /// The whole report goes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Py<ClashReport>, usize)>> {
        report::reduced_item(py, &self.report, self.row)
    }

    fn __repr__(&self) -> String {
        format!("Clash({}: '{}' and '{}')", self.verdict(), self.a(), self.b())
    }
}
