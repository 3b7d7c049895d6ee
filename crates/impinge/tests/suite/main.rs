//! The integration tests of the library, in one binary: every further binary would compile and link the library
//! again.

use impinge::method::face_octree::{CellTest, Division, FaceOctreeOptions, SubdivisionDepth};
use impinge::method::octree::OctreeOptions;
use impinge::method::tree::{BuildOptions, Tumbling};
use impinge::{Mesh, Method, Pair, Shape, WalkOrder};

mod allocation;
mod batch;
mod bodies;
mod broad;
mod clash;
mod contact;
mod continuous;
mod deform;
mod distance;
mod distribution;
mod force;
mod hulls;
mod impact;
mod mesh_distance;
mod methods;
mod moving;
mod octrees;
mod point_distance;
mod points;
mod rays;
mod rotating;
mod shares;
mod solids;
mod swept;
mod toy;
mod translation;
mod triangles;
mod world;

/// The table of methods, and a line for a method that is written in a file of its own.
fn methods() -> Vec<Method> {
    [Method::ALL, &[Method::new(&toy::METHOD)]].concat()
}

/// Ways to place the nodes of binary trees and to descend into them, other than the defaults.
fn tree_choices() -> Vec<(Method, BuildOptions, WalkOrder)> {
    use Tumbling::{Aligned, Vertices};
    use WalkOrder::{First, Larger, Restart};
    const ALL: u32 = u32::MAX;
    [
        (Method::AABB, Aligned, ALL, Larger),
        (Method::SPHERE, Aligned, 0, Restart),
        (Method::OBB, Aligned, 0, First),
        (Method::DOP6, Vertices, 1, Restart),
        (Method::DOP8, Vertices, 0, Restart),
        (Method::DOP12, Vertices, 1, First),
        (Method::DOP14, Aligned, 2, Larger),
        (Method::DOP18, Vertices, 0, Larger),
        (Method::DOP18, Aligned, 1, Restart),
        (Method::DOP20, Vertices, ALL, First),
        (Method::DOP26, Vertices, 3, Larger),
        (Method::DOP26, Aligned, ALL, Restart),
    ]
    .map(|(method, tumbling, levels, order)| {
        (method, BuildOptions::default().tumbling(tumbling).hill_climbing(levels), order)
    })
    .into()
}

/// Two meshes prepared by every method, and with every choice for binary trees and some for octrees, each with
/// a label and the order in which to descend.
fn pairs(a: &Mesh, b: &Mesh) -> impl Iterator<Item = (String, Pair, WalkOrder)> {
    let by_method = methods().into_iter().map(move |method| {
        (method.to_string(), Pair::with_method(method, a.clone(), b.clone()), WalkOrder::default())
    });
    let by_choice = tree_choices().into_iter().map(move |(method, options, order)| {
        let label = format!(
            "{method}, {:?}, {} levels climbed, {order:?}",
            options.tumbling, options.hill_climbing
        );
        let [a, b] = [a, b].map(|mesh| Shape::build((method, options), mesh.clone()));
        (label, Pair::new(&a, &b).expect("one method"), order)
    });
    // One with each choice that is not the default; `octrees.rs` tests all of them.
    let cells = FaceOctreeOptions::default();
    let by_cells = [
        cells.division(Division::Bintree).cell_test(CellTest::Exact),
        cells.depth(SubdivisionDepth::Level(3)).cell_test(CellTest::Exact),
        cells.depth(SubdivisionDepth::Level(2)).division(Division::Bintree),
    ];
    let by_cells = by_cells.into_iter().map(move |options| {
        let shapes = [a, b].map(|mesh| Shape::build(options, mesh.clone()));
        (format!("{options:?}"), shapes)
    });
    let cubes = OctreeOptions::default();
    let by_cubes =
        [OctreeOptions::of_paper(3), cubes.progressive(false), cubes.linked_faces(false)];
    let by_cubes = by_cubes.into_iter().map(move |options| {
        let shapes = [a, b].map(|mesh| Shape::build(options, mesh.clone()));
        (format!("{options:?}"), shapes)
    });
    let by_octrees = by_cells.chain(by_cubes).map(|(label, [a, b])| {
        (label, Pair::new(&a, &b).expect("one method"), WalkOrder::default())
    });
    by_method.chain(by_choice).chain(by_octrees)
}
