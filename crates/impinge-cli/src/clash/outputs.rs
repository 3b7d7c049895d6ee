//! The files that are written: all of them whole, or none of them there.

use super::interrupt::Interrupt;
use crate::{
    failure::Failure,
    progress::{self, Progress},
};
use clap::ValueEnum;
use impinge_clash::{Error, Outcome, bcf, csv, glb, json, page, pictures};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// How one kind of file is written. Whoever adds one, adds an option to [`Files`] and a line to
/// [`Files::outputs`].
type Writer<'f> = Box<dyn Fn(&Outcome, &mut dyn Write) -> io::Result<()> + 'f>;

/// Where findings are written to, besides standard output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Files {
    /// Write the JSON to a file, whatever is printed
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
    /// Of the BIM Collaboration Format
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = BcfVersion::V2_1)]
    bcf_version: BcfVersion,
    /// Draw the whole assembly, with what clashes coloured by verdict
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
    /// What is wanted, and how it is written.
    fn outputs(&self) -> Vec<(&Path, Writer<'_>)> {
        let all: [(&Option<PathBuf>, Writer<'_>); 6] = [
            (&self.output, Box::new(json::write)),
            (&self.csv, Box::new(csv::write)),
            (&self.report, Box::new(|outcome, out| page::write(&outcome.findings, out))),
            (&self.glb, Box::new(|outcome, out| glb::write(&outcome.findings, out))),
            (
                &self.bcf,
                Box::new(|outcome, out| {
                    let version = self.bcf_version.into();
                    let options = bcf::Options { version, ..bcf::Options::now() };
                    bcf::write(&outcome.findings, &options, out, || {})
                }),
            ),
            (
                &self.picture,
                Box::new(|outcome, out| {
                    pictures::overview(&outcome.findings, pictures::SIZE).write(out)
                }),
            ),
        ];
        all.into_iter().filter_map(|(path, writer)| Some((path.as_deref()?, writer))).collect()
    }

    /// Tells what cannot be written before hours have gone by. Two outputs in one file would leave
    /// only one of them, and one in the place of an input nothing of that.
    pub(super) fn check<'p>(
        &'p self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
        if let Some(folder) = self.pictures.as_deref().filter(|folder| folder.is_file()) {
            let named = folder.display();
            return Err(Failure::input(format!("{named}: is a file, not a folder for pictures")));
        }
        let mut seen: Vec<&Path> = inputs.into_iter().collect();
        for (path, _) in self.outputs() {
            let named = path.display();
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if path.is_dir() {
                return Err(Failure::input(format!("{named}: is a folder, not a file")));
            }
            if folder.is_some_and(|folder| !folder.is_dir()) {
                return Err(Failure::input(format!("{named}: cannot be written: no such folder")));
            }
            if seen.contains(&path) && path != Path::new("/dev/null") {
                let message =
                    format!("{named}: is named twice; give each output a file of its own");
                return Err(Failure::input(message));
            }
            seen.push(path);
        }
        Ok(())
    }

    /// Writes them all. The first takes its name when the last has been written.
    pub(super) fn write(&self, outcome: &Outcome, interrupt: &Interrupt) -> Result<(), Failure> {
        interrupt.during(|| {
            interrupt.check()?;
            write_all(&self.outputs(), outcome, interrupt, &|| self.draw(outcome, interrupt))
        })
    }

    /// Draws pictures of all that is listed.
    fn draw(&self, outcome: &Outcome, interrupt: &Interrupt) -> Result<(), Failure> {
        let Some(folder) = &self.pictures else { return Ok(()) };
        let findings = &outcome.findings;
        let mut progress = Progress::new("drawing", findings.rows.len() as u64);
        let drawn = pictures::save_all(findings, folder, findings.rows.len(), || {
            progress.advance();
            if interrupt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match drawn {
            Err(Error::Stopped) => interrupt.check(),
            drawn => Ok(drawn.map(drop)?),
        }
    }
}

fn write_all(
    outputs: &[(&Path, Writer<'_>)],
    outcome: &Outcome,
    interrupt: &Interrupt,
    last: &dyn Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(((path, writer), others)) = outputs.split_first() else { return last() };
    let mut of_others = Ok(());
    let written = impinge_io::write_atomically(path, |out| {
        let label = format!("writing {}", path.display());
        progress::waiting(&label, || writer(outcome, &mut interrupt.stream(out)))?;
        of_others = write_all(others, outcome, interrupt, last);
        match of_others {
            Ok(()) => Ok(()),
            Err(_) => Err(io::Error::other("another file could not be written")),
        }
    });
    // What went wrong first is what to say.
    of_others?;
    Ok(written?)
}
