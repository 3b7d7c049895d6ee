//! The restricted boxtree beside other trees: `cargo bench -p impinge-bench --bench boxtree`
//!
//! The experiments of Zachmann (2002, section 5): the four overlap tests on two bodies that tumble
//! at several distances (Figure 7), other trees on the same (Figure 8), and the time to build
//! (Figure 5). Numbers after `--` are the steps of a tumble, and the most faces to build over:
//! `… --bench boxtree -- 5000 1000000`. All trees must find the same faces.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::glam::DVec3;
use impinge::method::boxtree::{
    Boxtree, BoxtreeOptions, BoxtreeScratch, Measure, OverlapTest, PlaneChoice, SeedAxis,
};
use impinge::method::tree::{BuildOptions, BvTree, Scratch};
use impinge::method::{LeafVisitor, WalkCounts};
use impinge::narrow::{Triangle, TriangleTest};
use impinge::volume::{Aabb, BoundingVolume, Dop, Frame, Obb, Relative};
use impinge::{Mesh, Pose, generate};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<u32>().ok());
    let steps = numbers.next().unwrap_or(100);
    let most = numbers.next().unwrap_or(10_000_000);
    for (name, [a, b], poses) in scenes(steps) {
        tumble(&name, [&a, &b], &poses);
    }
    options(steps);
    build(most);
}

type Scene = (String, [Mesh; 2], Vec<Pose>);

fn fit(mesh: &Mesh) -> Mesh {
    generate::scaled_to_cube(mesh, 2.0).expect("it has an extent")
}

fn torus(segments: [u32; 2]) -> Mesh {
    fit(&generate::deformed_torus(1, segments).expect("enough segments"))
}

fn scenes(steps: u32) -> Vec<Scene> {
    let mut scenes = Vec::new();
    let ball = fit(&generate::sphere(20_000).expect("enough faces"));
    let torus = torus([200, 50]);
    for (name, mesh) in [("Tori", &torus), ("Spheres", &ball)] {
        for distance in [1.0, 1.4, 1.8, 2.0, 2.2] {
            let name = format!("{name} tumbling, {distance} apart");
            let poses = generate::tumble(distance, steps).expect("a distance");
            scenes.push((name, [mesh.clone(), mesh.clone()], poses));
        }
    }
    for alpha in [0.1, 0.01] {
        let inner = ball.positions().iter().map(|p| *p * (1.0 - alpha)).collect();
        let inner = Mesh::new(inner, ball.faces().to_vec()).expect("smaller than before");
        let poses = generate::random_rotations(1, steps.min(20));
        scenes.push((
            format!("Nested spheres, radii 1 and 1 − {alpha}"),
            [ball.clone(), inner],
            poses,
        ));
    }
    scenes
}

/// The operations that the trees share, for this table.
trait Index: Sized {
    type Scratch;
    fn frame(&self) -> &Frame;
    fn bytes(&self) -> usize;
    fn visit(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut Self::Scratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()>;
    fn counts(scratch: &Self::Scratch) -> WalkCounts;
}

impl Index for Boxtree {
    type Scratch = BoxtreeScratch;

    fn frame(&self) -> &Frame {
        self.frame()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn visit(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.visit_leaf_pairs(other, relative, scratch, visit)
    }

    fn counts(scratch: &BoxtreeScratch) -> WalkCounts {
        scratch.counts
    }
}

impl<V: BoundingVolume> Index for BvTree<V> {
    type Scratch = Scratch<V>;

    fn frame(&self) -> &Frame {
        self.frame()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn visit(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut Scratch<V>,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.visit_leaf_pairs(other, relative, scratch, visit)
    }

    fn counts(scratch: &Scratch<V>) -> WalkCounts {
        scratch.counts
    }
}

/// Two bodies with a tree each.
struct Bodies<'m, I: Index> {
    meshes: [&'m Mesh; 2],
    trees: [I; 2],
    scratch: I::Scratch,
    placed: Vec<Triangle>,
}

impl<I: Index> Bodies<'_, I> {
    /// Returns the number of face pairs that touch; with `first`, stops at the first.
    fn query(&mut self, pose: &Pose, first: bool) -> usize {
        let Self { meshes, trees, scratch, placed } = self;
        let still = Pose::IDENTITY;
        let (frame_a, frame_b) = (trees[0].frame(), trees[1].frame());
        let relative = Relative::new(frame_a, &still, frame_b, pose);
        let mut bounds = frame_a.placed_bounds(&still);
        bounds.merge(&frame_b.placed_bounds(pose));
        let test = TriangleTest::within(&bounds);
        let mut count = 0;
        let _ = trees[0].visit(&trees[1], &relative, scratch, &mut |[faces_a, faces_b]| {
            placed.clear();
            placed.extend(faces_b.iter().map(|&f| meshes[1].triangle(f).map(|p| pose.place(p))));
            for &face in faces_a {
                let s = meshes[0].triangle(face).map(|p| still.place(p));
                for t in placed.iter() {
                    if test.intersects(&s, t) {
                        count += 1;
                        if first {
                            return ControlFlow::Break(());
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        });
        count
    }
}

/// Counts the pairs that touch at a pose, or stops at the first.
type Query<'q> = Box<dyn FnMut(&Pose, bool) -> (usize, WalkCounts) + 'q>;

/// A row of a table, and its measurements.
struct Row<'r> {
    name: String,
    bytes: f64,
    query: Query<'r>,
    all: Vec<Duration>,
    detect: Vec<Duration>,
    counts: [u64; 2],
    found: usize,
}

fn row<'r, I: Index + 'r>(
    name: impl Into<String>,
    meshes: [&'r Mesh; 2],
    build: impl Fn(&Mesh) -> I,
    scratch: I::Scratch,
    steps: usize,
) -> Row<'r>
where
    I::Scratch: 'r,
{
    let trees = meshes.map(build);
    let faces = meshes[0].faces().len() + meshes[1].faces().len();
    let bytes = (trees[0].bytes() + trees[1].bytes()) as f64 / faces as f64;
    let mut bodies = Bodies { meshes, trees, scratch, placed: Vec::new() };
    let query = move |pose: &Pose, first: bool| {
        let count = bodies.query(pose, first);
        (count, I::counts(&bodies.scratch))
    };
    let all = vec![Duration::MAX; steps];
    let detect = all.clone();
    Row { name: name.into(), bytes, query: Box::new(query), all, detect, counts: [0; 2], found: 0 }
}

/// Runs all rows in turn at every pose, five times, and prints the table.
fn race(title: &str, poses: &[Pose], rows: &mut [Row<'_>]) {
    for round in 0..5 {
        for (step, pose) in poses.iter().enumerate() {
            for row in rows.iter_mut() {
                let start = Instant::now();
                let (found, counts) = (row.query)(pose, false);
                row.all[step] = row.all[step].min(start.elapsed());
                if round == 0 {
                    row.found += found;
                    row.counts[0] += counts.volume_tests;
                    row.counts[1] += counts.face_tests;
                }
                let start = Instant::now();
                (row.query)(pose, true);
                row.detect[step] = row.detect[step].min(start.elapsed());
            }
        }
    }
    println!("\n### {title} ({} poses, {} contacts)\n", poses.len(), rows[0].found);
    println!(
        "| tree | bytes a face | all: mean µs | max | detect: mean µs | max | box tests | face tests |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let mean = |times: &[Duration]| us(times.iter().sum::<Duration>()) / times.len() as f64;
    let max = |times: &[Duration]| us(times.iter().copied().max().unwrap_or_default());
    for row in rows.iter() {
        assert_eq!(row.found, rows[0].found, "{} differs on {title}", row.name);
        let [boxes, faces] = row.counts.map(|n| n / poses.len() as u64);
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {boxes} | {faces} |",
            row.name,
            row.bytes,
            mean(&row.all),
            max(&row.all),
            mean(&row.detect),
            max(&row.detect),
        );
    }
}

fn bv_tree<V: BoundingVolume>(mesh: &Mesh) -> BvTree<V> {
    BvTree::build(mesh, BuildOptions::default())
}

/// Figures 7 and 8.
fn tumble(title: &str, meshes: [&Mesh; 2], poses: &[Pose]) {
    let build = |mesh: &Mesh| Boxtree::build(mesh, BoxtreeOptions::default());
    let boxtree = |name: &str, test| {
        row(format!("boxtree, {name}"), meshes, build, BoxtreeScratch::new(test), poses.len())
    };
    let papers = |mesh: &Mesh| Boxtree::build(mesh, paper());
    let lite = BoxtreeScratch::default();
    let mut rows = vec![
        boxtree("axis alignment", OverlapTest::AxisAlignment),
        boxtree("lookup tables", OverlapTest::LookupTables),
        boxtree("separating axes", OverlapTest::SeparatingAxes),
        boxtree("SAT lite", OverlapTest::SatLite),
        row("the paper's boxtree, SAT lite", meshes, papers, lite, poses.len()),
        row("aabb", meshes, bv_tree::<Aabb>, Scratch::default(), poses.len()),
        row("dop18", meshes, bv_tree::<Dop<9>>, Scratch::default(), poses.len()),
        row("obb", meshes, bv_tree::<Obb>, Scratch::default(), poses.len()),
    ];
    race(title, poses, &mut rows);
}

/// The paper's tree: one plane per node, parallel to its sibling's, chosen by volume; one face per leaf.
fn paper() -> BoxtreeOptions {
    BoxtreeOptions::of_paper()
}

/// Times queries with different build options.
fn options(steps: u32) {
    let torus = torus([200, 50]);
    let ball = fit(&generate::sphere(20_000).expect("enough faces"));
    for (name, mesh) in [("tori", torus), ("spheres", ball)] {
        options_on(&format!("Options: {name} tumbling, 1.4 apart"), &mesh, steps);
    }
}

fn options_on(title: &str, mesh: &Mesh, steps: u32) {
    let poses = generate::tumble(1.4, steps).expect("a distance");
    let default = BoxtreeOptions::default();
    let one = default.planes(PlaneChoice::One);
    let all = [
        ("the default", default),
        ("seeds along the longest axis", default.axes(SeedAxis::Longest)),
        ("least volume", default.measure(Measure::Volume)),
        ("one plane a node", one),
        ("… of two parallel ones", default.planes(PlaneChoice::Parallel)),
        ("the paper's tree", paper()),
        ("… along the longest axis", paper().axes(SeedAxis::Longest)),
        ("one face a leaf", default.leaf(1)),
        ("up to 4", default.leaf(4)),
        ("up to 8", default.leaf(8)),
    ];
    let mut rows: Vec<_> = all
        .into_iter()
        .map(|(name, options)| {
            let build = move |mesh: &Mesh| Boxtree::build(mesh, options);
            row(name, [mesh, mesh], build, BoxtreeScratch::default(), poses.len())
        })
        .collect();
    race(title, &poses, &mut rows);
}

/// The number of faces of all meshes of one size together, so that small meshes are many.
const FACES_OF_A_SIZE: u32 = 200_000;

/// Figure 5: nanoseconds per face.
///
/// Different meshes of a size are built in turn. A processor that builds the same small mesh again and
/// again learns the outcome of its branches, which saves two fifths of the time at 1,000 faces. No program
/// builds one mesh twice.
fn build(most: u32) {
    println!("\n### Building, ns a face\n");
    println!(
        "| faces | meshes | boxtree | longest axis | the paper's | refit | aabb | dop18 | obb |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut size = 1_000;
    while size <= most {
        let across = (f64::from(size) / 8.0).sqrt().round() as u32;
        let count = (FACES_OF_A_SIZE / size).clamp(1, 200);
        let meshes: Vec<Mesh> = (1..=count)
            .map(|seed| generate::deformed_torus(u64::from(seed), [4 * across, across]))
            .map(|mesh| fit(&mesh.expect("enough segments")))
            .collect();
        let faces = meshes[0].faces().len();
        let rounds = (3_000_000 / (size * count)).clamp(3, 15);
        let best = |mut run: Box<dyn FnMut(usize) -> usize + '_>| {
            let times = (0..rounds).map(|_| {
                let start = Instant::now();
                (0..meshes.len()).for_each(|mesh| assert!(run(mesh) > 0));
                start.elapsed()
            });
            let time = times.min().unwrap_or_default().as_secs_f64();
            time * 1e9 / (faces * meshes.len()) as f64
        };
        let boxtree = |mesh: usize, options| Boxtree::build(&meshes[mesh], options);
        let default = BoxtreeOptions::default();
        let longest = default.axes(SeedAxis::Longest);
        let [all, longest, papers] = [default, longest, paper()]
            .map(|options| best(Box::new(move |mesh| boxtree(mesh, options).node_count())));
        let bulged = |mesh: &Mesh| {
            let moved = mesh.positions().iter().map(|p| *p * (1.0 + 0.1 * p.x) + DVec3::X);
            Mesh::new(moved.collect(), mesh.faces().to_vec()).expect("finite")
        };
        let bulged: Vec<Mesh> = meshes.iter().map(bulged).collect();
        let mut trees: Vec<Boxtree> = (0..meshes.len()).map(|i| boxtree(i, default)).collect();
        let refit = best(Box::new(|mesh| {
            trees[mesh].refit(&bulged[mesh]).expect("as many faces");
            trees[mesh].node_count()
        }));
        // The other trees allocate many times as much, so they are skipped for large meshes.
        let others = if size > 1_000_000 {
            ["–"; 3].map(str::to_owned)
        } else {
            [
                best(Box::new(|mesh| bv_tree::<Aabb>(&meshes[mesh]).node_count())),
                best(Box::new(|mesh| bv_tree::<Dop<9>>(&meshes[mesh]).node_count())),
                best(Box::new(|mesh| bv_tree::<Obb>(&meshes[mesh]).node_count())),
            ]
            .map(|time| format!("{time:.0}"))
        };
        let others = others.join(" | ");
        println!(
            "| {faces} | {count} | {all:.0} | {longest:.0} | {papers:.0} | {refit:.0} | {others} |"
        );
        size *= 10;
    }
}
