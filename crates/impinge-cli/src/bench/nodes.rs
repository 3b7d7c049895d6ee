//! `impinge bench nodes`: bytes per node, and operations per pair of nodes (Zachmann 2002, table 1).

use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    progress, source,
};
use impinge::{
    Mesh, Method, Pose, Shape, generate,
    method::{
        boxtree::{Boxtree, BoxtreeOptions, Operations, OverlapTest},
        tree::BuildOptions,
    },
    volume::Relative,
};
use serde::Serialize;
use std::sync::Arc;

/// Bytes per node and operations per pair of nodes, next to the figures of the paper.
///
/// Bytes are measured on a mesh, with one face per leaf. The operations of boxtrees are counted while two
/// copies of the mesh tumble: additions, multiplications and comparisons per overlap test, without those that
/// add or multiply by 0, which are listed apart. Those of the other trees are counted in the source code: one
/// overlap test in the worst case, and placing a node in the other body's frame. Each query places each node
/// at most once.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge bench nodes
  impinge bench nodes part.stl --json")]
pub(super) struct Arguments {
    /// Mesh: a file, or gen:NAME
    #[arg(default_value = "gen:sphere,faces=20000")]
    mesh: String,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    hierarchy: String,
    bytes_per_node: f64,
    /// Operations of one overlap test.
    operations: f64,
    /// Of these: multiplications, additions and comparisons. For boxtrees only.
    multiplications: Option<f64>,
    additions: Option<f64>,
    comparisons: Option<f64>,
    /// Further multiplications and additions, with a 0. For boxtrees only.
    operations_with_zero: Option<f64>,
    /// Operations to place a node; 0 for a boxtree, whose nodes are not placed.
    operations_to_place: u32,
    paper_bytes: Option<u32>,
    paper_operations: Option<u32>,
}

/// Distance of the centres of two bodies that tumble, and the number of poses.
const TUMBLE: (f64, u32) = (1.4, 20);

/// Returns the rows of a boxtree with these options: one for each overlap test of the paper's table.
/// The figures of the paper are those of its own tree.
fn boxtree(mesh: &Mesh, name: &str, options: BoxtreeOptions) -> Result<[Row; 3], Failure> {
    let is_of_paper = options == BoxtreeOptions::of_paper();
    let body = generate::scaled_to_cube(mesh, 2.0).map_err(Failure::input)?;
    let poses = generate::tumble(TUMBLE.0, TUMBLE.1).map_err(Failure::input)?;
    let tree = Boxtree::build(&body, options.leaf(1));
    let bytes = tree.bytes() as f64 / tree.node_count() as f64;
    let tests = [
        ("axis alignment", OverlapTest::AxisAlignment, 12),
        ("SAT lite", OverlapTest::SatLite, 24),
        ("separating axes", OverlapTest::SeparatingAxes, 82),
    ];
    Ok(tests.map(|(test_name, test, paper_operations)| {
        let mut counted = Operations::default();
        for pose in &poses {
            let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), pose);
            counted += tree.count_operations(&tree, &relative, test).unwrap_or_default();
        }
        let Operations { tests, multiplications, additions, comparisons, with_zero, .. } = counted;
        let per_test = |operations: u64| to_thousandths(operations as f64 / tests.max(1) as f64);
        Row {
            hierarchy: format!("{name}, {test_name}"),
            bytes_per_node: to_thousandths(bytes),
            operations: per_test(multiplications + additions + comparisons),
            multiplications: Some(per_test(multiplications)),
            additions: Some(per_test(additions)),
            comparisons: Some(per_test(comparisons)),
            operations_with_zero: Some(per_test(with_zero)),
            operations_to_place: 0,
            paper_bytes: is_of_paper.then_some(9),
            paper_operations: is_of_paper.then_some(paper_operations),
        }
    }))
}

/// Returns the operations of a k-DOP test (k comparisons) and of placing one: for each of the k extents,
/// three products, three sums and a rounding.
const fn of_dop(k: u32) -> (u32, u32) {
    (k, 7 * k)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mesh = Arc::new(source::mesh(&arguments.mesh)?);
    let nodes = (2 * mesh.faces().len()).saturating_sub(1).max(1);
    let tree = |method: Method| {
        let options = BuildOptions::default().leaf(1);
        let building = || Shape::build((method, options), Arc::clone(&mesh));
        let shape = progress::with_spinner("building", building);
        to_thousandths(shape.bytes() as f64 / nodes as f64)
    };
    let row = |hierarchy: &str, bytes_per_node, (operations, to_place), paper: Option<_>| {
        let (paper_bytes, paper_operations) = paper.unzip();
        Row {
            hierarchy: hierarchy.to_owned(),
            bytes_per_node,
            operations: f64::from(operations),
            multiplications: None,
            additions: None,
            comparisons: None,
            operations_with_zero: None,
            operations_to_place: to_place,
            paper_bytes,
            paper_operations,
        }
    };
    let mut rows = Vec::new();
    let counting = || -> Result<(), Failure> {
        rows.extend(boxtree(&mesh, "boxtree of the paper", BoxtreeOptions::of_paper())?);
        rows.extend(boxtree(&mesh, "boxtree", BoxtreeOptions::default())?);
        Ok(())
    };
    progress::with_spinner("counting operations", counting)?;
    rows.extend([
        row("spheres", tree(Method::SPHERE), (12, 31), Some((16, 29))),
        row("boxes", tree(Method::AABB), (6, 57), Some((28, 90))),
        row("oriented boxes", tree(Method::OBB), (243, 80), Some((64, 243))),
        row("14-DOPs", tree(Method::DOP14), of_dop(14), None),
        row("18-DOPs", tree(Method::DOP18), of_dop(18), None),
        row("26-DOPs (in the paper: 24)", tree(Method::DOP26), of_dop(26), Some((100, 168))),
    ]);
    if output::wants_json(arguments.json) {
        #[derive(Serialize)]
        struct Report<'r> {
            mesh: &'r str,
            faces: usize,
            rows: &'r [Row],
        }
        let faces = mesh.faces().len();
        return output::json(&Report { mesh: &arguments.mesh, faces, rows: &rows });
    }
    let head = [
        "hierarchy",
        "bytes per node",
        "in the paper",
        "operations per test",
        "mul + add + cmp",
        "with a 0",
        "to place a node",
        "in the paper",
    ];
    let mut table = vec![head.map(String::from).to_vec()];
    let figure = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
    table.extend(rows.iter().map(|row| {
        let parts = match (row.multiplications, row.additions, row.comparisons) {
            (Some(mul), Some(add), Some(cmp)) => format!("{mul:.2} + {add:.2} + {cmp:.2}"),
            _ => String::new(),
        };
        vec![
            row.hierarchy.clone(),
            row.bytes_per_node.to_string(),
            figure(row.paper_bytes),
            format!("{:.1}", row.operations),
            parts,
            row.operations_with_zero.map_or(String::new(), |count| format!("{count:.1}")),
            row.operations_to_place.to_string(),
            figure(row.paper_operations),
        ]
    }));
    output::text(&output::table(&table))
}
