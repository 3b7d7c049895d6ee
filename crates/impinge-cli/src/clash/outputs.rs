//! The files that `clash` writes: all of them whole, or none of them there.

use crate::{
    failure::Failure,
    interrupt::Interrupt,
    outputs::Outputs,
    progress::{self, Progress},
};
use clap::ValueEnum;
use impinge_clash::{Outcome, bcf, csv, glb, json, page, pictures};
use impinge_io::{Draft, DraftFolder, commit_all};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Writes one kind of file. A new kind needs an option in [`Files`] and a line in [`Files::files`].
type Writer<'f> = Box<dyn Fn(&Outcome, &mut dyn Write) -> io::Result<()> + 'f>;

/// Where findings are written to, besides standard output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Files {
    /// Write the JSON object to a file, and print the table all the same
    #[arg(long, short, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// Write a row for each clash, for spreadsheets
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Write a page with the list and a 3D view, for any browser: one file that needs no network
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write the assembly with the faces that clash coloured by verdict
    #[arg(long, value_name = "OUT.glb")]
    glb: Option<PathBuf>,
    /// Write issues for other tools, each with a viewpoint and a snapshot
    #[arg(long, value_name = "OUT.bcf")]
    bcf: Option<PathBuf>,
    /// BCF version to write
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = BcfVersion::V2_1)]
    bcf_version: BcfVersion,
    /// Draw the whole assembly, with the parts that clash coloured by verdict
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,
    /// Draw each clash that is listed, as 0001-A--B.png …, into a folder that is made if need be
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// A version of BCF, as it is named on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BcfVersion {
    /// What most tools open
    #[value(name = "2.1")]
    V2_1,
    /// The latest
    #[value(name = "3.0")]
    V3_0,
}

impl From<BcfVersion> for bcf::Version {
    fn from(version: BcfVersion) -> Self {
        match version {
            BcfVersion::V2_1 => Self::V2_1,
            BcfVersion::V3_0 => Self::V3_0,
        }
    }
}

impl Files {
    /// The files that are wanted, each with its option and its writer.
    fn files(&self) -> Vec<(&'static str, &Path, Writer<'_>)> {
        let all: [(_, &Option<PathBuf>, Writer<'_>); 6] = [
            ("--output", &self.output, Box::new(json::write)),
            ("--csv", &self.csv, Box::new(csv::write)),
            (
                "--report",
                &self.report,
                Box::new(|outcome, out| page::write(&outcome.findings, out)),
            ),
            ("--glb", &self.glb, Box::new(|outcome, out| glb::write(&outcome.findings, out))),
            (
                "--bcf",
                &self.bcf,
                Box::new(|outcome, out| {
                    let version = self.bcf_version.into();
                    let options = bcf::Options { version, ..bcf::Options::now() };
                    bcf::write(&outcome.findings, &options, out, || {})
                }),
            ),
            (
                "--picture",
                &self.picture,
                Box::new(|outcome, out| {
                    pictures::overview(&outcome.findings, pictures::SIZE).write(out)
                }),
            ),
        ];
        let all = all.into_iter();
        all.filter_map(|(option, path, writer)| Some((option, path.as_deref()?, writer))).collect()
    }

    /// The same files, to be compared with those that are read.
    pub(super) fn outputs(&self) -> Outputs<'_> {
        Outputs::new(self.files().into_iter().map(|(option, path, _)| (option, Some(path))))
    }

    /// Refuses files that cannot be written, or that are read, before anything is read.
    pub(super) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        if let Some(folder) = self.pictures.as_deref().filter(|folder| folder.is_file()) {
            let named = folder.display();
            return Err(Failure::input(format!("{named}: is a file, not a folder for pictures")));
        }
        self.outputs().check(inputs)
    }

    /// Writes all files, and the pictures; they take their names together, when all have been written.
    pub(super) fn write(&self, outcome: &Outcome, interrupt: &Interrupt) -> Result<(), Failure> {
        interrupt.during(|| {
            let mut drafts = Vec::new();
            for (_, path, writer) in self.files() {
                interrupt.check()?;
                let mut draft = Draft::create(path)?;
                progress::waiting(&format!("writing {}", path.display()), || {
                    draft.fill(|out| writer(outcome, &mut interrupt.stream(out)))
                })?;
                drafts.push(draft);
            }
            let folder = self.draw(outcome, interrupt)?;
            interrupt.check()?;
            Ok(commit_all(drafts, folder)?)
        })
    }

    /// Draws a picture of each clash that is listed.
    fn draw(
        &self,
        outcome: &Outcome,
        interrupt: &Interrupt,
    ) -> Result<Option<DraftFolder>, Failure> {
        let Some(folder) = &self.pictures else { return Ok(None) };
        let findings = &outcome.findings;
        let mut progress = Progress::new("drawing", findings.rows.len() as u64);
        let mut draft = DraftFolder::create(folder)?;
        pictures::draw_all(findings, findings.rows.len(), &mut draft, || {
            progress.advance();
            if interrupt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(Some(draft))
    }
}
