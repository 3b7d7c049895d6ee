//! The files that `impinge clash` writes: all of them, or none if anything fails.

use crate::{
    failure::Failure,
    interrupt::Interrupt,
    outputs::Outputs,
    progress::{self, Progress},
};
use clap::ValueEnum;
use impinge_clash::{Outcome, ReviewFile, bcf, csv, glb, json, page, pictures, review_file};
use impinge_io::{Draft, DraftFolder, commit_all};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Writes one kind of file. A new kind needs an option in [`Files`] and a line in [`Files::files`].
type Writer<'f> = Box<dyn Fn(&Outcome, &mut dyn Write) -> io::Result<()> + 'f>;

/// Writes one text.
pub(super) type TextWriter<'w> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'w;

/// The output files, besides standard output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Files {
    /// Also write the JSON object to this file; the table is still printed
    #[arg(long, short, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// Write a CSV file with one row for each clash
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Write an HTML page with the list and a 3D view: one file that works offline
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write the assembly as GLB, with the clashing faces coloured by verdict
    #[arg(long, value_name = "OUT.glb")]
    glb: Option<PathBuf>,
    /// Write a BCF file: one issue for each clash, with a viewpoint and a snapshot
    #[arg(long, value_name = "OUT.bcf")]
    bcf: Option<PathBuf>,
    /// BCF version to write
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = BcfVersion::V2_1)]
    bcf_version: BcfVersion,
    /// Keep status, comment, assignee and group of each clash in this file: it is read if it exists, brought up
    /// to date, and written again
    #[arg(long, value_name = "FILE.json")]
    review: Option<PathBuf>,
    /// Draw the whole assembly, with the clashing parts coloured by verdict
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,
    /// Draw each listed clash into this folder, as 0001-A--B.png and so on; the folder is created if needed
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// A version of BCF, as it is named on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BcfVersion {
    /// The version that most tools open
    #[value(name = "2.1")]
    V2_1,
    /// The latest version
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
    /// The requested files, each with its option and its writer.
    fn files(&self) -> Vec<(&'static str, &Path, Writer<'_>)> {
        let all: [(_, &Option<PathBuf>, Writer<'_>); 7] = [
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
                    let options = bcf::BcfOptions { version, ..bcf::BcfOptions::now() };
                    bcf::write(&outcome.findings, &options, out, || {})
                }),
            ),
            (
                "--review",
                &self.review,
                Box::new(|outcome, out| review_file::write(&outcome.findings, out)),
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

    /// Loads the review file, if one is given. A file that does not exist yet has no entries.
    pub(super) fn load_review(&self) -> Result<Option<ReviewFile>, Failure> {
        match &self.review {
            Some(path) if path.exists() => Ok(Some(ReviewFile::load(path)?)),
            Some(_) => Ok(Some(ReviewFile::default())),
            None => Ok(None),
        }
    }

    /// Whether a review file is given.
    pub(super) fn has_review(&self) -> bool {
        self.review.is_some()
    }

    /// Whether anything is written besides standard output.
    pub(super) fn has_any(&self) -> bool {
        self.pictures.is_some() || !self.files().is_empty()
    }

    /// The first option whose output shows faces that clash.
    pub(super) fn needs_faces(&self) -> Option<&'static str> {
        let all = [
            ("--report", &self.report),
            ("--glb", &self.glb),
            ("--bcf", &self.bcf),
            ("--picture", &self.picture),
            ("--pictures", &self.pictures),
        ];
        all.into_iter().find(|(_, path)| path.is_some()).map(|(option, _)| option)
    }

    /// The option that keeps what was measured from run to run, if it is given.
    pub(super) fn review_option(&self) -> Option<&'static str> {
        self.review.is_some().then_some("--review")
    }

    /// The requested files, to compare with the files that are read.
    pub(super) fn outputs(&self) -> Outputs<'_> {
        Outputs::new(self.files().into_iter().map(|(option, path, _)| (option, Some(path))))
    }

    /// Checks, before anything is read, that all files can be written and that none of them is an input.
    pub(super) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        if let Some(folder) = self.pictures.as_deref().filter(|folder| folder.is_file()) {
            let named = folder.display();
            return Err(Failure::input(format!("{named}: is a file; --pictures needs a folder")));
        }
        if let Some(folder) = &self.pictures {
            self.outputs().check_folder("--pictures", folder)?;
        }
        self.outputs().check(inputs)
    }

    /// Writes all files and pictures under temporary names, and renames them when all are complete.
    pub(super) fn write(&self, outcome: &Outcome, interrupt: &Interrupt) -> Result<(), Failure> {
        interrupt.during(|| {
            let mut drafts = Vec::new();
            for (_, path, writer) in self.files() {
                interrupt.check()?;
                let mut draft = Draft::create(path)?;
                progress::with_spinner(&format!("writing {}", path.display()), || {
                    draft.fill(|out| writer(outcome, &mut interrupt.stream(out)))
                })?;
                drafts.push(draft);
            }
            let folder = self.draw(outcome, interrupt)?;
            interrupt.check()?;
            Ok(commit_all(drafts, folder)?)
        })
    }

    /// Whether a report page is written.
    pub(super) fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Writes an outcome that has no faces: JSON and CSV of many configurations or of a path, and the page of a path.
    pub(super) fn write_texts(
        &self,
        json: &TextWriter<'_>,
        csv: &TextWriter<'_>,
        report: Option<&TextWriter<'_>>,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        interrupt.during(|| {
            let mut drafts = Vec::new();
            let all = [(&self.output, Some(json)), (&self.csv, Some(csv)), (&self.report, report)];
            for (path, writer) in all {
                let (Some(path), Some(writer)) = (path, writer) else { continue };
                let mut draft = Draft::create(path)?;
                progress::with_spinner(&format!("writing {}", path.display()), || {
                    draft.fill(|out| writer(&mut interrupt.stream(out)))
                })?;
                drafts.push(draft);
            }
            interrupt.check()?;
            Ok(commit_all(drafts, None)?)
        })
    }

    /// Draws a picture of each listed clash.
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
            if interrupt.is_requested() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(Some(draft))
    }
}
