//! The report page of a check along a path: what each clash looks like, and when it begins and ends.
//!
//! The check along the path decides verdicts only. For the page, each clash is checked again in full at the moment that
//! it names, with the parts placed as they are then.

use crate::{
    check::CheckWatch,
    error::Error,
    findings::{Findings, Row},
    hidden::Hidden,
    page::{self, Course, Interval, Moment},
    path::{Doubt, PathClash, PathPlace},
    path_files::CheckedPath,
};
use impinge::{
    Motion, MotionError,
    clash::{self, Clash, Finder, Progress, Stage, Verdict},
};
use std::{
    collections::HashMap,
    io::{self, Write},
};

/// Moments between the rows are added until the path has about as many.
const MOMENTS: usize = 240;
/// Of a path with more rows, some are left out between the moments of clashes.
const MAX_ROWS: usize = 4096;

/// The report page of a checked path. It can be written any number of times.
#[derive(Debug)]
pub struct PathPage {
    findings: Findings,
    course: Course,
}

impl PathPage {
    /// Checks each clash of a path in full at the moment that it names. `watch` hears about progress.
    ///
    /// # Errors
    /// If `watch` stops the check. A path that was checked causes no other errors.
    pub fn new(checked: &CheckedPath<'_>, watch: &impl CheckWatch) -> Result<Self, Error> {
        let motions = motions(checked)?;
        let moments = moments(checked, &motions);
        let number = |place: PathPlace| {
            let key = key(checked, place);
            let is_before = |moment: &Moment| (moment.row, moment.fraction) < key;
            moments.partition_point(is_before) as u32
        };
        let interval = |clash: &PathClash| Interval {
            from: number(clash.from),
            at: number(clash.at),
            until: number(clash.until),
            doubt: clash.doubt.map(Doubt::name),
        };
        let clashes = &checked.outcome.clashes;
        let intervals: Vec<Interval> = clashes.iter().map(interval).collect();
        let rows = rows(checked, &moments, &intervals, watch)?;
        let course = Course {
            file: checked.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            rows: checked.rows.row_count(),
            moving: checked.outcome.moving.clone(),
            moments,
            intervals,
        };
        let mut findings = Findings::new(checked.assembly.clone(), rows);
        findings.pairs_checked = checked.outcome.pairs_checked;
        findings.touch = checked.outcome.touch;
        findings.touch_given = checked.options.touch;
        findings.clearance = checked.options.clearance;
        findings.hidden = Hidden { rules: checked.outcome.hidden, ..Hidden::default() };
        Ok(Self { findings, course })
    }

    /// The findings, with what the full checks found.
    #[cfg(test)]
    pub(crate) fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Writes the page: one HTML file with the list, the assembly, and a slider along the path.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        page::write_path(&self.findings, &self.course, out)
    }
}

/// The displacement of the moving parts between each two rows.
fn motions(checked: &CheckedPath<'_>) -> Result<Vec<Motion>, Error> {
    let (rows, pivot) = (checked.rows, checked.outcome.pivot);
    let step = |(number, ends): (usize, &[impinge::Pose])| {
        let motion = Motion::between(ends[0], ends[1]).and_then(|motion| motion.about(pivot));
        motion.map_err(|error: MotionError| Error::Motion { line: rows.lines()[number + 1], error })
    };
    rows.displacements().windows(2).enumerate().map(step).collect()
}

/// A place as a row and a fraction below 1.
fn key(checked: &CheckedPath<'_>, place: PathPlace) -> (usize, f64) {
    match place.fraction < 1.0 || place.row + 1 >= checked.rows.row_count() {
        true => (place.row, place.fraction),
        false => (place.row + 1, 0.0),
    }
}

/// The moments of all clashes, and enough of the rows and between them to show the path.
fn moments(checked: &CheckedPath<'_>, motions: &[Motion]) -> Vec<Moment> {
    let steps = motions.len();
    let per_step = (MOMENTS / steps).max(1);
    let stride = steps.div_ceil(MAX_ROWS);
    let mut keys: Vec<(usize, f64)> = (0..steps)
        .step_by(stride)
        .flat_map(|row| (0..per_step).map(move |part| (row, part as f64 / per_step as f64)))
        .collect();
    keys.push((steps, 0.0));
    let clashes = checked.outcome.clashes.iter();
    keys.extend(clashes.flat_map(|it| [it.from, it.at, it.until].map(|at| key(checked, at))));
    keys.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
    keys.dedup();
    let moment = |(row, fraction): (usize, f64)| Moment {
        row,
        fraction,
        time: PathPlace { row, fraction }.time(checked.rows),
        displacement: match motions.get(row) {
            Some(motion) => motion.pose_at(fraction),
            None => checked.rows.displacements()[row],
        },
    };
    keys.into_iter().map(moment).collect()
}

/// Checks all clashes at their moments.
fn rows(
    checked: &CheckedPath<'_>,
    moments: &[Moment],
    intervals: &[Interval],
    watch: &impl CheckWatch,
) -> Result<Vec<Row>, Error> {
    let clashes = &checked.outcome.clashes;
    let mut used: Vec<usize> = clashes.iter().flat_map(|it| [it.moving, it.other]).collect();
    used.sort_unstable();
    used.dedup();
    // Ascending, so that the finder names the two parts of a pair in the order of the assembly.
    let numbers: HashMap<usize, usize> = used.iter().copied().zip(0..).collect();
    let all = checked.assembly.clash_parts();
    let parts = used.iter().map(|&part| all[part].clone()).collect();
    let mut options = clash::Options::new().clearance(checked.options.clearance)?;
    if let Some(touch) = checked.options.touch {
        options = options.touch(touch)?;
    }
    let mut finder = Finder::new(parts, &options);
    let mut rows = Vec::with_capacity(clashes.len());
    for (done, (clash, interval)) in (0..).zip(clashes.iter().zip(intervals)) {
        if !watch.proceed(Progress::new(Stage::Pairs, done, clashes.len() as u64)) {
            return Err(Error::Stopped);
        }
        let displacement = moments[interval.at as usize].displacement;
        let placement = checked.assembly.parts[clash.moving].placement;
        finder.place(numbers[&clash.moving], placement.then(displacement));
        let found = finder.check(numbers[&clash.moving], numbers[&clash.other]);
        rows.push(Row::new(shown(clash, found)));
    }
    Ok(rows)
}

/// What the page shows of a clash: what the full check found, with the verdict of the path, which is the worst of the
/// whole interval.
fn shown(clash: &PathClash, found: Option<Clash>) -> Clash {
    let verdict = clash.verdict.unwrap_or(Verdict::Undecided);
    let mut shown = found.unwrap_or_else(|| {
        let mut shown = Clash::new(0, 0, verdict);
        shown.points = [clash.point; 2];
        shown.distance = clash.distance;
        shown
    });
    (shown.a, shown.b) = (clash.moving.min(clash.other), clash.moving.max(clash.other));
    // Paths know no fits.
    shown.fit = None;
    shown.verdict = verdict;
    shown
}
