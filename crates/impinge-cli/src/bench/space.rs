//! `impinge bench space`: how much of a parent's box its children leave empty (Zachmann 2002, section 3.1).

use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    progress, source,
};
use impinge::method::boxtree::EmptySpace;
use serde::Serialize;

/// Empty space between the boxes of a tree and their parents' boxes.
///
/// For each node of a binary tree of axis-aligned boxes: the share of its parent's box that is outside of its
/// own box. The side at which the construction split the faces does not count. The paper found that about half
/// of all nodes leave only about 10 % empty; this is why a boxtree stores one or two planes per node instead of
/// six.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge bench space
  impinge bench space part.stl housing.glb --json")]
pub(super) struct Arguments {
    /// Meshes: files, or gen:NAME
    #[arg(default_values = [
        "gen:sphere,faces=20000",
        "gen:torus,faces=10000",
        "gen:deformed-torus",
        "gen:pipes,count=200,cells=6,sides=16",
        "gen:terrain,columns=100,rows=100",
        "gen:shuttle",
        "gen:gear,teeth=20,width=5",
        "gen:chair",
    ])]
    meshes: Vec<String>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    mesh: String,
    faces: usize,
    /// Sides of a box that lie on sides of its parent's box, on average.
    sides_on_parent: f64,
    /// Median share of empty space.
    median: f64,
    /// Fractions of the nodes that leave at most 1, 10, 25 and 50 % empty.
    within_1: f64,
    within_10: f64,
    within_25: f64,
    within_50: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for name in &arguments.meshes {
        let mesh = source::mesh(name)?;
        let measured = progress::with_spinner(name, || EmptySpace::of(&mesh));
        let Some(space) = measured else {
            return Err(Failure::input(format!(
                "{name}: the mesh has {} faces; empty space needs two or more",
                mesh.faces().len()
            )));
        };
        let within = |share| to_thousandths(space.fraction_within(share));
        rows.push(Row {
            mesh: name.clone(),
            faces: mesh.faces().len(),
            sides_on_parent: to_thousandths(space.sides_on_parent),
            median: to_thousandths(f64::from(space.median())),
            within_1: within(0.01),
            within_10: within(0.1),
            within_25: within(0.25),
            within_50: within(0.5),
        });
    }
    if output::wants_json(arguments.json) {
        #[derive(Serialize)]
        struct Report<'r> {
            rows: &'r [Row],
        }
        return output::json(&Report { rows: &rows });
    }
    let head = [
        "mesh",
        "faces",
        "sides on the parent's",
        "median empty",
        "≤ 1 %",
        "≤ 10 %",
        "≤ 25 %",
        "≤ 50 %",
    ];
    let mut table = vec![head.map(String::from).to_vec()];
    let percent = |fraction: f64| format!("{:.0} %", 100.0 * fraction);
    table.extend(rows.iter().map(|row| {
        let mut cells = vec![
            output::plain(&row.mesh),
            row.faces.to_string(),
            format!("{:.2}", row.sides_on_parent),
        ];
        let fractions = [row.median, row.within_1, row.within_10, row.within_25, row.within_50];
        cells.extend(fractions.map(percent));
        cells
    }));
    output::text(&output::table(&table))
}
