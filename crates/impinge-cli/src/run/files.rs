//! The files of a run, each of them whole or not there.

use crate::failure::Failure;
use impinge_scene::{Cycle, Row};
use std::{
    io::{self, Write},
    path::Path,
};

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Json,
}

impl Format {
    /// Told by the extension.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl" | "json") => Ok(Self::Json),
            _ => Err(Failure::input(format!(
                "{}: rows are written as .csv or .jsonl; name such a file",
                path.display()
            ))),
        }
    }

    pub(super) fn write(self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        match self {
            Self::Csv => writeln!(out, "{}", row.csv()),
            Self::Json => {
                serde_json::to_writer(&mut *out, row)?;
                writeln!(out)
            }
        }
    }
}

/// Where rows, contacts and poses go, as far as they are wanted.
pub(super) struct Files<'f> {
    rows: Option<File<'f>>,
    contacts: Option<File<'f>>,
    poses: Option<File<'f>>,
    format: Format,
}

struct File<'f> {
    path: &'f Path,
    out: &'f mut (dyn Write + 'f),
}

impl File<'_> {
    /// The same file, for as long as it is lent.
    fn lent(&mut self) -> File<'_> {
        File { path: self.path, out: &mut *self.out }
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Self { path, out } = self;
        write(*out).map_err(|error| {
            Failure::input(format!("{}: cannot be written: {error}", path.display()))
        })
    }
}

impl Files<'_> {
    /// Opens the files that are wanted (rows, contacts, poses), and closes them when the work is done.
    /// If it fails, none of them is there.
    pub(super) fn with<T>(
        paths: [Option<&Path>; 3],
        work: impl FnOnce(Files<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let [rows, contacts, poses] = paths;
        open(rows, |mut rows| {
            open(contacts, |mut contacts| {
                open(poses, |mut poses| {
                    work(Files {
                        rows: rows.as_mut().map(File::lent),
                        contacts: contacts.as_mut().map(File::lent),
                        poses: poses.as_mut().map(File::lent),
                        format: Format::Csv,
                    })
                })
            })
        })
    }

    /// Writes the headers.
    pub(super) fn begin(&mut self, format: Option<Format>) -> Result<(), Failure> {
        self.format = format.unwrap_or(Format::Csv);
        if let (Some(rows), Format::Csv) = (&mut self.rows, self.format) {
            rows.write(|out| writeln!(out, "{}", Row::HEADER))?;
        }
        if let Some(contacts) = &mut self.contacts {
            contacts.write(|out| writeln!(out, "{}", Cycle::CONTACTS_HEADER))?;
        }
        if let Some(poses) = &mut self.poses {
            poses.write(|out| writeln!(out, "{}", Cycle::POSES_HEADER))?;
        }
        Ok(())
    }

    pub(super) fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), Failure> {
        if let Some(rows) = &mut self.rows {
            rows.write(|out| self.format.write(out, cycle.row()))?;
        }
        if let Some(contacts) = &mut self.contacts {
            contacts.write(|out| cycle.write_contacts(out))?;
        }
        if let Some(poses) = &mut self.poses {
            poses.write(|out| cycle.write_poses(out))?;
        }
        Ok(())
    }
}

fn open<T>(
    path: Option<&Path>,
    work: impl FnOnce(Option<File<'_>>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Some(path) = path else { return work(None) };
    let mut result = None;
    let written = impinge_io::write_atomically(path, |out| {
        let outcome = work(Some(File { path, out }));
        let is_good = outcome.is_ok();
        result = Some(outcome);
        if is_good { Ok(()) } else { Err(io::Error::other("the work was not done")) }
    });
    match (result, written) {
        // What went wrong with the work is what to say, not that the file was left out for it.
        (Some(Err(failure)), _) => Err(failure),
        (_, Err(error)) => Err(error.into()),
        (Some(Ok(value)), Ok(())) => Ok(value),
        (None, Ok(())) => Err(Failure::input(format!("{}: was not written", path.display()))),
    }
}
