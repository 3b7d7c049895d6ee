//! The output files of a run: all of them are written, or none.

use crate::failure::Failure;
use impinge_io::{Draft, commit_all, write_json};
use impinge_scene::{Cycle, Row, RowStats, RowSwept};
use std::{
    io::{self, Write},
    path::Path,
};

/// The format in which rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Json,
}

impl Format {
    /// Chooses the format by the file extension.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl" | "json") => Ok(Self::Json),
            _ => Err(Failure::input(format!(
                "{}: unknown extension; rows are written as .csv or .jsonl",
                path.display()
            ))),
        }
    }

    pub(super) fn write(self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        match self {
            Self::Csv => writeln!(out, "{}", row.csv()),
            Self::Json => {
                write_json(row, out)?;
                writeln!(out)
            }
        }
    }
}

/// The requested files of rows, contacts, poses and swept contacts, under temporary names until [`commit`](Self::commit).
/// Dropping this earlier deletes them.
pub(super) struct Files {
    rows: Option<Draft>,
    contacts: Option<Draft>,
    poses: Option<Draft>,
    swept: Option<Draft>,
    format: Format,
}

impl Files {
    /// Creates the files (rows, contacts, poses, swept contacts) and writes their headers. Rows may have further
    /// columns of statistics and of swept contacts.
    pub(super) fn create(
        [rows, contacts, poses, swept]: [Option<&Path>; 4],
        format: Option<Format>,
        [has_stats, has_swept]: [bool; 2],
    ) -> Result<Self, Failure> {
        let begin = |path: Option<&Path>, header: Option<&str>| -> Result<_, Failure> {
            let Some(path) = path else { return Ok(None) };
            let mut draft = Draft::create(path)?;
            if let Some(header) = header {
                draft.fill(|out| writeln!(out, "{header}"))?;
            }
            Ok(Some(draft))
        };
        let format = format.unwrap_or(Format::Csv);
        let stats = if has_stats { RowStats::HEADER } else { "" };
        let swept_columns = if has_swept { RowSwept::HEADER } else { "" };
        let header = format!("{}{stats}{swept_columns}", Row::HEADER);
        let header = (format == Format::Csv).then_some(header);
        Ok(Self {
            rows: begin(rows, header.as_deref())?,
            contacts: begin(contacts, Some(Cycle::CONTACTS_HEADER))?,
            poses: begin(poses, Some(Cycle::POSES_HEADER))?,
            swept: begin(swept, Some(Cycle::CONTACTS_HEADER))?,
            format,
        })
    }

    pub(super) fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), Failure> {
        if let Some(rows) = &mut self.rows {
            rows.fill(|out| self.format.write(out, cycle.row()))?;
        }
        if let Some(contacts) = &mut self.contacts {
            contacts.fill(|out| cycle.write_contacts(out))?;
        }
        if let Some(poses) = &mut self.poses {
            poses.fill(|out| cycle.write_poses(out))?;
        }
        if let Some(swept) = &mut self.swept {
            swept.fill(|out| cycle.write_swept(out))?;
        }
        Ok(())
    }

    /// Renames all files, and the plots and pages, to their final names.
    pub(super) fn commit(self, drawn: Vec<Draft>) -> Result<(), Failure> {
        let Self { rows, contacts, poses, swept, .. } = self;
        Ok(commit_all([rows, contacts, poses, swept].into_iter().flatten().chain(drawn), None)?)
    }
}
