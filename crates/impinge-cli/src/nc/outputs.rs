//! The files that `impinge nc` writes: all of them, or none if anything fails. One of them may be `-`, standard output.

use crate::{failure::Failure, interrupt::Interrupt, outputs::Outputs, progress};
use impinge_io::{Draft, commit_all};
use impinge_nc::{Report, glb, json, page, table_csv};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes one kind of file. A new kind needs an option in [`Files`] and a line in [`Files::all`].
pub(super) type Writer = fn(&Report<'_>, &mut dyn Write) -> io::Result<()>;

/// Whether the name of a file stands for standard output. A file of this name is `./-`.
fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The output files, besides standard output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Files {
    /// Also write the JSON object to this file; the table is still printed. - stands for standard output, here and for the
    /// other files: it then replaces the table
    #[arg(long, short, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// Write a CSV file with one row for each gouge
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Write an HTML page with the part, the path, the worst places and the tool in 3D: one file that works offline
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write part, path and tool as GLB, with the path coloured by verdict
    #[arg(long, value_name = "OUT.glb")]
    glb: Option<PathBuf>,
}

impl Files {
    /// The requested outputs, each with its option and its writer.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Path, Writer)> {
        let all: [(_, &Option<PathBuf>, Writer); 4] = [
            ("--output", &self.output, json::write),
            ("--csv", &self.csv, table_csv::write),
            ("--report", &self.report, page::write),
            ("--glb", &self.glb, glb::write),
        ];
        let all = all.into_iter();
        all.filter_map(|(option, path, writer)| Some((option, path.as_deref()?, writer)))
    }

    /// The requested files.
    fn files(&self) -> impl Iterator<Item = (&'static str, &Path, Writer)> {
        self.all().filter(|(_, path, _)| !is_standard_output(path))
    }

    /// The output that is written to standard output, if there is one.
    pub(super) fn to_standard_output(&self) -> Option<Writer> {
        self.all().find(|(_, path, _)| is_standard_output(path)).map(|(.., writer)| writer)
    }

    /// The output files, to compare them with inputs.
    pub(super) fn outputs(&self) -> Outputs<'_> {
        Outputs::new(self.files().map(|(option, path, _)| (option, Some(path))))
    }

    /// Fails if an output cannot be written, or is another output or an input. `json` tells that standard output is taken by
    /// `--json`.
    pub(super) fn check<'i>(
        &self,
        json: bool,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        let named = self.all().filter(|(_, path, _)| is_standard_output(path));
        let named = named.map(|(option, ..)| format!("{option} -"));
        let printed: Vec<String> =
            json.then(|| "--json".to_owned()).into_iter().chain(named).collect();
        if let [first, second, ..] = &printed[..] {
            return Err(Failure::input(format!(
                "{first} and {second} both write to standard output: give one of them a file"
            )));
        }
        self.outputs().check(inputs)
    }

    /// Writes all files. If one of them fails, none is left behind.
    pub(super) fn write(&self, report: &Report<'_>, interrupt: &Interrupt) -> Result<(), Failure> {
        interrupt.during(|| {
            let mut drafts = Vec::new();
            for (_, path, writer) in self.files() {
                let mut draft = Draft::create(path)?;
                progress::with_spinner(&format!("writing {}", path.display()), || {
                    draft.fill(|out| writer(report, &mut interrupt.stream(out)))
                })?;
                drafts.push(draft);
            }
            interrupt.check()?;
            Ok(commit_all(drafts, None)?)
        })
    }
}
