//! The files that are written: all of them whole, or none of them there.

use super::{csv, interrupt::Interrupt, json, outcome::Outcome};
use crate::{failure::Failure, progress};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// How one kind of file is written. Whoever adds one, adds an option to [`Files`] and a line to
/// [`Files::outputs`].
type Writer = fn(&Outcome, &mut dyn Write) -> io::Result<()>;

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
}

impl Files {
    /// What is wanted, and how it is written.
    fn outputs(&self) -> Vec<(&Path, Writer)> {
        let all: [(&Option<PathBuf>, Writer); 2] =
            [(&self.output, json::write), (&self.csv, csv::write)];
        all.into_iter().filter_map(|(path, writer)| Some((path.as_deref()?, writer))).collect()
    }

    /// Tells what cannot be written before hours have gone by. Two outputs in one file would leave
    /// only one of them, and one in the place of an input nothing of that.
    pub(super) fn check<'p>(
        &'p self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
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
            write_all(&self.outputs(), outcome, interrupt)
        })
    }
}

fn write_all(
    outputs: &[(&Path, Writer)],
    outcome: &Outcome,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let Some(((path, writer), others)) = outputs.split_first() else { return Ok(()) };
    let mut of_others = Ok(());
    let written = impinge_io::write_atomically(path, |out| {
        let label = format!("writing {}", path.display());
        progress::waiting(&label, || writer(outcome, &mut interrupt.stream(out)))?;
        of_others = write_all(others, outcome, interrupt);
        match of_others {
            Ok(()) => Ok(()),
            Err(_) => Err(io::Error::other("another file could not be written")),
        }
    });
    // What went wrong first is what to say.
    of_others?;
    Ok(written?)
}
