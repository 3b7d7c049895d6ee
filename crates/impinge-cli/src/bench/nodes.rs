//! `impinge bench nodes`: bytes per node, and operations per pair of nodes (Zachmann 2002, table 1).

use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    progress, source,
};
use impinge::{
    Method, Shape,
    method::{
        boxtree::{Boxtree, BoxtreeOptions},
        tree::BuildOptions,
    },
};
use serde::Serialize;
use std::sync::Arc;

/// Bytes per node and operations per pair of nodes, next to the figures of the paper.
///
/// Bytes are measured on a mesh, with one face per leaf. Operations are counted in the source code: the
/// additions, multiplications and comparisons of one overlap test in the worst case, and those of placing a
/// node in the other body's frame. Each query places each node at most once.
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
    hierarchy: &'static str,
    bytes_per_node: f64,
    /// Operations of one overlap test.
    operations: u32,
    /// Operations to place a node; 0 for a boxtree, whose nodes are not placed.
    operations_to_place: u32,
    paper_bytes: Option<u32>,
    paper_operations: Option<u32>,
}

/// Returns the operations of a boxtree overlap test that keeps `gaps` gaps: 5½ per gap. Each node has two
/// planes, and each plane takes a multiplication and an addition per gap. For the children of both nodes of a
/// pair, four tests share two descents of the first node (8 per gap) and two updates by the second (6); each
/// test adds and compares (2 each).
const fn of_gaps(gaps: u32) -> u32 {
    gaps * 11 / 2
}

/// Returns the operations of a k-DOP test (k comparisons) and of placing one: for each of the k extents,
/// three products, three sums and a rounding.
const fn of_dop(k: u32) -> (u32, u32) {
    (k, 7 * k)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mesh = Arc::new(source::mesh(&arguments.mesh)?);
    let nodes = 2 * mesh.faces().len() - 1;
    let tree = |method: Method| {
        let options = BuildOptions::default().leaf(1);
        let building = || Shape::build((method, options), Arc::clone(&mesh));
        let shape = progress::with_spinner("building", building);
        to_thousandths(shape.bytes() as f64 / nodes as f64)
    };
    let boxtree = Boxtree::build(&mesh, BoxtreeOptions::default().leaf(1));
    let boxtree = to_thousandths(boxtree.bytes() as f64 / boxtree.node_count() as f64);
    let row = |hierarchy, bytes_per_node, (operations, operations_to_place), paper: Option<_>| {
        let (paper_bytes, paper_operations) = paper.unzip();
        Row {
            hierarchy,
            bytes_per_node,
            operations,
            operations_to_place,
            paper_bytes,
            paper_operations,
        }
    };
    let rows = [
        row("boxtree, axis alignment", boxtree, (of_gaps(6), 0), Some((9, 12))),
        row("boxtree, SAT lite", boxtree, (of_gaps(12), 0), Some((9, 24))),
        row("boxtree, separating axes", boxtree, (of_gaps(30), 0), Some((9, 82))),
        row("spheres", tree(Method::SPHERE), (12, 31), Some((16, 29))),
        row("boxes", tree(Method::AABB), (6, 57), Some((28, 90))),
        row("oriented boxes", tree(Method::OBB), (243, 80), Some((64, 243))),
        row("14-DOPs", tree(Method::DOP14), of_dop(14), None),
        row("18-DOPs", tree(Method::DOP18), of_dop(18), None),
        row("26-DOPs (in the paper: 24)", tree(Method::DOP26), of_dop(26), Some((100, 168))),
    ];
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
        "to place a node",
        "in the paper",
    ];
    let mut table = vec![head.map(String::from).to_vec()];
    let figure = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
    table.extend(rows.iter().map(|row| {
        vec![
            row.hierarchy.to_owned(),
            row.bytes_per_node.to_string(),
            figure(row.paper_bytes),
            row.operations.to_string(),
            row.operations_to_place.to_string(),
            figure(row.paper_operations),
        ]
    }));
    output::text(&output::table(&table))
}
