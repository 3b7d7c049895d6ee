//! The path that parts of a page take: the moments that the page can show, and when each finding begins and ends.

use super::keep::Kept;
use impinge::Pose;
use serde::Serialize;

/// A path, for a page whose findings are about moments of it.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    /// The file of the path.
    pub(crate) file: String,
    /// The number of rows of the file.
    pub(crate) rows: usize,
    /// The parts that move, as indices into the parts of the assembly.
    pub(crate) moving: Vec<usize>,
    /// The moments that the page can show, in order.
    pub(crate) moments: Vec<Moment>,
    /// For each finding, when.
    pub(crate) intervals: Vec<Interval>,
}

/// A moment of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The number of the row, from 0.
    pub(crate) row: usize,
    /// The share of the way to the next row.
    pub(crate) fraction: f64,
    pub(crate) time: Option<f64>,
    /// How the parts are displaced from where they are assembled.
    pub(crate) displacement: Pose,
}

/// When a finding begins, is shown and ends, as indices into the moments.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Interval {
    pub(crate) from: u32,
    pub(crate) at: u32,
    pub(crate) until: u32,
    /// Why something worse cannot be ruled out.
    pub(crate) doubt: Option<&'static str>,
}

/// The path in the header of the page's data.
#[derive(Serialize)]
pub(super) struct HeaderPath<'c> {
    file: &'c str,
    rows: usize,
    moving: Vec<u32>,
    moments: Columns,
}

/// One list per column.
#[derive(Serialize)]
struct Columns {
    /// From 1.
    row: Vec<usize>,
    fraction: Vec<f64>,
    time: Option<Vec<f64>>,
}

impl<'c> HeaderPath<'c> {
    pub(super) fn new(course: &'c Course, kept: &Kept) -> Self {
        let moments = || course.moments.iter();
        Self {
            file: &course.file,
            rows: course.rows,
            moving: course.moving.iter().filter_map(|&part| kept.number[part]).collect(),
            moments: Columns {
                row: moments().map(|moment| moment.row + 1).collect(),
                fraction: moments().map(|moment| moment.fraction).collect(),
                time: moments().map(|moment| moment.time).collect(),
            },
        }
    }
}
