//! `impinge octree inspect`: figures of octree files.

use super::results::{self, Figures};
use crate::{failure::Failure, output, outputs::Outputs, progress};
use impinge::octree::Compaction;
use impinge_io::commit_all;
use serde::Serialize;
use std::path::PathBuf;

/// Show the figures of octrees: nodes, voxels, volume.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge octree inspect part.octree
  impinge octree inspect part.octree --compact --picture part.png
  impinge octree inspect part.octree --text")]
pub(super) struct Arguments {
    /// Octree files
    #[arg(required = true)]
    octrees: Vec<PathBuf>,
    /// Count the cubes that cover the black voxels after compaction
    #[arg(long)]
    compact: bool,
    /// PNG picture to draw, of one octree
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print the nodes as text, and nothing else
    #[arg(long, conflicts_with = "json")]
    text: bool,
    /// Print a JSON line for each octree
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    file: String,
    #[serde(flatten)]
    figures: Figures,
    /// Cubes after compaction, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    compacted_cubes: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let outputs = Outputs::new([("--picture", arguments.picture.as_deref())]);
    outputs.check(arguments.octrees.iter().map(PathBuf::as_path))?;
    if arguments.picture.is_some() && arguments.octrees.len() > 1 {
        return Err(Failure::input("--picture: draws one octree, not several"));
    }
    for (number, path) in arguments.octrees.iter().enumerate() {
        let octree = results::load(path)?;
        let about = |error| Failure::input(format!("{}: {error}", path.display()));
        let compacted_cubes = match arguments.compact {
            true => {
                let compacting = || octree.compacted(&Compaction::default());
                let cubes = progress::with_spinner("compacting", compacting).map_err(about)?;
                Some(cubes.len())
            }
            false => None,
        };
        if let Some(picture) = &arguments.picture {
            commit_all([results::drawn(picture, &octree)?], None)?;
        }
        if arguments.text {
            results::print_text(&octree)?;
            continue;
        }
        let file = path.display().to_string();
        let report = Report { file, figures: Figures::new(&octree), compacted_cubes };
        if arguments.json {
            output::json(&report)?;
            continue;
        }
        let mut rows = vec![vec!["file".to_owned(), output::plain(&report.file)]];
        rows.extend(report.figures.rows());
        rows.extend(compacted_cubes.map(|cubes| vec!["compacted cubes".into(), cubes.to_string()]));
        let gap = if number > 0 { "\n" } else { "" };
        output::text(&format!("{gap}{}", output::table(&rows)))?;
    }
    Ok(())
}
