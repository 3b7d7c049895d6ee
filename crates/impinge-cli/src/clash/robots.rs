//! The options of `impinge clash` about robots, and SRDF files: which pairs of links need no check.

use crate::{
    failure::Failure,
    output::{count, note},
};
use impinge_io::assembly::{Assembly, Srdf, SrdfUse};
use std::path::PathBuf;

/// What is known about robots besides their own files.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(super) struct RobotOptions {
    /// Do not check the pairs of links that this file disables; may be repeated for other robots [default: the
    /// file beside the robot that has the same name, as robot.srdf beside robot.urdf]
    #[arg(long, value_name = "FILE.srdf")]
    srdf: Vec<PathBuf>,
    /// Do not read an SRDF file that lies beside the robot
    #[arg(long, conflicts_with = "srdf")]
    no_srdf: bool,
    /// Check many configurations of the robots: a CSV file with the names of joints in its first line, such as
    /// `elbow[deg],lift[mm]`, and one row of values for each configuration
    #[arg(long = "joints", value_name = "FILE.csv")]
    #[arg(conflicts_with_all = ["baseline", "sort", "group_by", "report", "glb", "bcf", "picture", "pictures", "review", "limit"])]
    pub(super) configurations: Option<PathBuf>,
    /// Also check the robots between the rows of --joints, with joint values that change linearly from row to row: proves
    /// that parts are clear, or says where contacts begin
    #[arg(long, requires = "configurations")]
    pub(super) continuous: bool,
}

impl RobotOptions {
    /// The files that the options name.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.srdf.iter().chain(&self.configurations)
    }

    /// Reads the SRDF files and takes them over, with a note for each.
    pub(super) fn apply(&self, assembly: &mut Assembly, keep_going: bool) -> Result<(), Failure> {
        for path in &self.srdf {
            let used = assembly.apply_srdf(&Srdf::load(path)?, keep_going)?;
            tell(&path.display().to_string(), "", &used);
        }
        if self.srdf.is_empty() && !self.no_srdf {
            let files = assembly.robots.iter().map(|robot| &assembly.files[robot.file as usize]);
            let beside: Vec<_> = files.map(|file| file.with_extension("srdf")).collect();
            for path in beside.into_iter().filter(|path| path.is_file()) {
                let advice = |failure: Failure| match failure {
                    Failure::Input(text) => Failure::Input(format!(
                        "{text} (the file lies beside the robot; --no-srdf ignores it)"
                    )),
                    other => other,
                };
                let srdf = Srdf::load(&path).map_err(Failure::from).map_err(advice)?;
                // Nobody asked for this file, so links that it has too many are no reason to stop: their pairs are
                // checked.
                let used =
                    assembly.apply_srdf(&srdf, true).map_err(Failure::from).map_err(advice)?;
                tell(
                    &path.display().to_string(),
                    ", found beside the robot (--no-srdf ignores it)",
                    &used,
                );
            }
        }
        Ok(())
    }
}

/// Entries of a file that are named; the others are only counted.
const MAX_NOTES: usize = 5;

fn tell(file: &str, origin: &str, used: &SrdfUse) {
    for unknown in used.unknown.iter().take(MAX_NOTES) {
        note(&format!("skipped: {unknown}"));
    }
    if used.unknown.len() > MAX_NOTES {
        note(&format!("and {} more", used.unknown.len() - MAX_NOTES));
    }
    let pairs = count(used.disabled, "pair");
    let mut text = format!(
        "{file}{origin}: {pairs} of links {} not checked; {} of these would be checked without the file",
        if used.disabled == 1 { "is" } else { "are" },
        used.hidden
    );
    if used.revealed > 0 {
        text.push_str(&format!("; {} of adjacent links checked", count(used.revealed, "pair")));
    }
    note(&text);
}
