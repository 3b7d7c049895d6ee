//! The files that `impinge nc` writes: all of them, or none if anything fails.

use crate::{failure::Failure, interrupt::Interrupt, outputs::Outputs, progress};
use impinge_io::{Draft, commit_all};
use impinge_nc::{Report, glb, json, page, table_csv};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes one kind of file. A new kind needs an option in [`Files`] and a line in [`Files::files`].
type Writer = fn(&Report<'_>, &mut dyn Write) -> io::Result<()>;

/// The output files, besides standard output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Files {
    /// Also write the JSON object to this file; the table is still printed
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
    /// The requested files, each with its option and its writer.
    fn files(&self) -> impl Iterator<Item = (&'static str, &Path, Writer)> {
        let all: [(_, &Option<PathBuf>, Writer); 4] = [
            ("--output", &self.output, json::write),
            ("--csv", &self.csv, table_csv::write),
            ("--report", &self.report, page::write),
            ("--glb", &self.glb, glb::write),
        ];
        let all = all.into_iter();
        all.filter_map(|(option, path, writer)| Some((option, path.as_deref()?, writer)))
    }

    /// The output files, to compare them with inputs.
    pub(super) fn outputs(&self) -> Outputs<'_> {
        Outputs::new(self.files().map(|(option, path, _)| (option, Some(path))))
    }

    /// Fails if an output cannot be written, or is another output or an input.
    pub(super) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
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
