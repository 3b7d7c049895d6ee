//! The output files of a run: all of them are written, or none.

use crate::failure::Failure;
use impinge_io::{Draft, commit_all, write_json};
use impinge_scene::{Cycle, ImpactRow, RegionRows, Row, RowImpacts, RowStats, RowSteps, RowSwept};
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

    /// Writes the row of a cycle; as JSON, after one line for each impact on the way to the cycle.
    pub(super) fn write(self, out: &mut dyn Write, cycle: &Cycle<'_>) -> io::Result<()> {
        match self {
            Self::Csv => writeln!(out, "{}", cycle.row().csv()),
            Self::Json => {
                for impact in cycle.impacts() {
                    write_json(&impact, out)?;
                    writeln!(out)?;
                }
                write_json(cycle.row(), out)?;
                writeln!(out)
            }
        }
    }
}

/// The requested files of rows, contacts, regions, poses, swept contacts and impacts, under temporary names until
/// [`commit`](Self::commit).
/// Dropping this earlier deletes them.
pub(super) struct Files {
    rows: Option<Draft>,
    contacts: Option<Draft>,
    regions: Option<(Draft, RegionRows)>,
    poses: Option<Draft>,
    path: Option<BodyPath>,
    swept: Option<Draft>,
    impacts: Option<Draft>,
    format: Format,
}

/// The pose file of one body.
struct BodyPath {
    /// The number of the body.
    body: usize,
    draft: Draft,
    /// Whether the first run has ended, the only one whose poses are written.
    is_complete: bool,
}

/// Which columns the rows have besides those that all have.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub(super) impacts: bool,
    pub(super) stats: bool,
    pub(super) swept: bool,
    pub(super) steps: bool,
}

impl Files {
    /// Creates the files (rows, contacts, regions, poses, swept contacts, impacts) and writes their headers. `path` is a
    /// body and the file of its poses.
    pub(super) fn create(
        [rows, contacts, regions, poses, swept, impacts]: [Option<&Path>; 6],
        path: Option<(usize, &Path)>,
        format: Option<Format>,
        columns: Columns,
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
        let hits = if columns.impacts { RowImpacts::HEADER } else { "" };
        let stats = if columns.stats { RowStats::HEADER } else { "" };
        let sweeps = if columns.swept { RowSwept::HEADER } else { "" };
        let steps = if columns.steps { RowSteps::HEADER } else { "" };
        let header = format!("{}{hits}{stats}{sweeps}{steps}", Row::HEADER);
        let header = (format == Format::Csv).then_some(header);
        let path = match path {
            None => None,
            Some((body, file)) => {
                Some(BodyPath { body, draft: Draft::create(file)?, is_complete: false })
            }
        };
        Ok(Self {
            path,
            rows: begin(rows, header.as_deref())?,
            contacts: begin(contacts, Some(Cycle::CONTACTS_HEADER))?,
            regions: begin(regions, Some(RegionRows::HEADER))?
                .map(|draft| (draft, RegionRows::new())),
            poses: begin(poses, Some(Cycle::POSES_HEADER))?,
            swept: begin(swept, Some(Cycle::CONTACTS_HEADER))?,
            impacts: begin(impacts, Some(ImpactRow::HEADER))?,
            format,
        })
    }

    pub(super) fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), Failure> {
        if let Some(rows) = &mut self.rows {
            rows.fill(|out| self.format.write(out, cycle))?;
        }
        if let Some(contacts) = &mut self.contacts {
            contacts.fill(|out| cycle.write_contacts(out))?;
        }
        if let Some((draft, rows)) = &mut self.regions {
            draft.fill(|out| rows.write(cycle, out))?;
        }
        if let Some(poses) = &mut self.poses {
            poses.fill(|out| cycle.write_poses(out))?;
        }
        if let Some(path) = self.path.as_mut().filter(|path| !path.is_complete)
            && let Some(pose) = cycle.poses().nth(path.body)
        {
            path.draft.fill(|out| impinge_io::write_poses(std::slice::from_ref(pose), out))?;
        }
        if let Some(swept) = &mut self.swept {
            swept.fill(|out| cycle.write_swept(out))?;
        }
        if let Some(impacts) = &mut self.impacts {
            let mut rows = cycle.impacts();
            impacts.fill(|out| rows.try_for_each(|row| writeln!(out, "{}", row.csv())))?;
        }
        Ok(())
    }

    /// Ends the pose file of a body: later runs add nothing to it.
    pub(super) fn end_path(&mut self) {
        if let Some(path) = &mut self.path {
            path.is_complete = true;
        }
    }

    /// Renames all files, and the plots and pages, to their final names.
    pub(super) fn commit(self, drawn: Vec<Draft>) -> Result<(), Failure> {
        let Self { rows, contacts, regions, poses, path, swept, impacts, .. } = self;
        let (regions, path) = (regions.map(|(draft, _)| draft), path.map(|path| path.draft));
        let files = [rows, contacts, regions, poses, path, swept, impacts].into_iter().flatten();
        Ok(commit_all(files.chain(drawn), None)?)
    }
}
