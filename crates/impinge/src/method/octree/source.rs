//! The octree of a mesh in the mesh's own coordinates: cubes that meet faces, each with the faces it meets, and on
//! request the cubes inside a closed mesh.
//!
//! # Each point of a face lies in a cube that holds the face
//!
//! The root encloses all faces. The children of a cube cover it, in spite of rounding: each is larger than an eighth by
//! a slack that exceeds the rounding errors of its centre and of its sides. A child gets every face of its parent that
//! `may_meet` does not prove to miss it. So by induction, for each point of a face, some leaf contains the point and
//! holds the face.

use super::OctreeOptions;
use crate::{
    Bounds, Mesh,
    mesh::{ColumnLocation, Columns},
    method::cells::{SubdivisionDepth, may_meet},
    narrow::Triangle,
};
use glam::DVec3;

/// The octree of a mesh.
#[derive(Debug)]
pub(super) struct SourceOctree {
    pub(super) options: OctreeOptions,
    /// Each cube is followed by its descendants.
    nodes: Box<[Node]>,
    /// The faces of the leaves, leaf by leaf.
    faces: Box<[u32]>,
}

/// A cube of an octree that is not empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) center: DVec3,
    /// Half the side, with slack.
    pub(super) half: f64,
    /// The number of the first node that is not a descendant.
    end: u32,
    /// Where the faces begin and end; none for an inner node, and for a leaf inside the mesh.
    faces: [u32; 2],
}

impl Node {
    fn bounds(&self) -> Bounds {
        Bounds { min: self.center - self.half, max: self.center + self.half }
    }
}

/// An automatic octree does not divide cubes with at most this many faces.
const FEW_FACES: usize = 8;
/// An automatic octree does not divide a cube if its children would hold more than this many times its faces.
const MOST_COPIES: usize = 3;
/// Cubes are not divided further if leaves hold so many faces together.
const MOST_FACES: usize = 1 << 25;

impl SourceOctree {
    pub(super) fn build(mesh: &Mesh, options: OctreeOptions) -> Self {
        let (level, is_auto) = match options.level {
            SubdivisionDepth::Auto => (OctreeOptions::MAX_LEVEL, true),
            SubdivisionDepth::Level(level) => (level.min(OctreeOptions::MAX_LEVEL), false),
        };
        let bounds = mesh.bounds();
        let is_solid = !options.surface_only && mesh.check_solid().is_ok();
        let mut build = Build {
            mesh,
            is_auto,
            columns: is_solid.then(|| Columns::new(mesh)),
            reach: if bounds.is_empty() { 0.0 } else { bounds.largest_coordinate() },
            nodes: Vec::new(),
            faces: Vec::new(),
            stack: (0..mesh.faces().len() as u32).map(|face| (face, 0)).collect(),
        };
        if !bounds.is_empty() {
            let center = bounds.center();
            let half = (bounds.max - center).max(center - bounds.min).max_element();
            let half = half + build.slack(half);
            build.divide(0, center, half, level);
        }
        let Build { nodes, faces, .. } = build;
        Self { options, nodes: nodes.into(), faces: faces.into() }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.faces)
    }

    /// The faces of a leaf.
    pub(super) fn faces(&self, leaf: u32) -> &[u32] {
        let [start, end] = self.nodes[leaf as usize].faces;
        &self.faces[start as usize..end as usize]
    }

    /// Visits the leaves whose ancestors and which themselves are `wanted`, in order.
    pub(super) fn visit_leaves(
        &self,
        mut wanted: impl FnMut(&Node) -> bool,
        mut visit: impl FnMut(u32, &Node),
    ) {
        let mut number = 0;
        while let Some(node) = self.nodes.get(number as usize) {
            if !wanted(node) {
                number = node.end;
                continue;
            }
            if node.end == number + 1 {
                visit(number, node);
            }
            number += 1;
        }
    }
}

/// An octree under construction.
struct Build<'m> {
    mesh: &'m Mesh,
    is_auto: bool,
    /// Tells what is inside, if cubes inside are kept.
    columns: Option<Columns<'m>>,
    /// The largest magnitude of a coordinate.
    reach: f64,
    nodes: Vec<Node>,
    faces: Vec<u32>,
    /// The faces of the cube that is divided and of its ancestors; each with the children that get it, a bit for each.
    stack: Vec<(u32, u8)>,
}

impl Build<'_> {
    /// More than the rounding errors of a centre and of two sides of a cube.
    fn slack(&self, half: f64) -> f64 {
        16.0 * f64::EPSILON * (self.reach + half) + f64::MIN_POSITIVE
    }

    /// Adds a cube that holds the faces from `start` to the end of the stack, and divides it up to `levels` times.
    fn divide(&mut self, start: usize, center: DVec3, half: f64, levels: u8) {
        let number = self.nodes.len();
        self.nodes.push(Node { center, half, end: number as u32 + 1, faces: [0; 2] });
        let end = self.stack.len();
        let slack = self.slack(half);
        let child_half = 0.5 * half + slack;
        let is_few = self.is_auto && end - start <= FEW_FACES;
        let is_leaf = levels == 0
            || is_few
            // Where coordinates are too coarse, children are as large as their parent.
            || slack > half / 64.0
            || self.faces.len() + 8 * (end - start) > MOST_FACES;
        let children: [Node; 8] = std::array::from_fn(|child| {
            let sign = |axis: usize| if child >> axis & 1 == 0 { -0.5 } else { 0.5 };
            let center = center + half * DVec3::new(sign(0), sign(1), sign(2));
            Node { center, half: child_half, end: 0, faces: [0; 2] }
        });
        if is_leaf || !self.choose_children(start, &children.map(|child| child.bounds())) {
            let first = self.faces.len() as u32;
            self.faces.extend(self.stack[start..].iter().map(|(face, _)| face));
            self.nodes[number].faces = [first, self.faces.len() as u32];
            return;
        }
        for (bit, child) in children.iter().enumerate() {
            for i in start..end {
                let (face, mask) = self.stack[i];
                if mask >> bit & 1 != 0 {
                    self.stack.push((face, 0));
                }
            }
            if self.stack.len() > end {
                self.divide(end, child.center, child_half, levels - 1);
            } else if self.is_inside(child.center) {
                let leaf = self.nodes.len() as u32;
                self.nodes.push(Node { end: leaf + 1, ..*child });
            }
            self.stack.truncate(end);
        }
        self.nodes[number].end = self.nodes.len() as u32;
    }

    /// Whether a point that lies on no face is inside the mesh, if that matters.
    fn is_inside(&self, point: DVec3) -> bool {
        let columns = self.columns.as_ref();
        columns.is_some_and(|columns| columns.locate(point) == ColumnLocation::Inside)
    }

    /// Finds which children get each face. Returns whether the cube is to be divided.
    fn choose_children(&mut self, start: usize, children: &[Bounds; 8]) -> bool {
        let count = self.stack.len() - start;
        let mut copies = 0;
        for (face, mask) in &mut self.stack[start..] {
            let triangle: Triangle = self.mesh.triangle(*face);
            let bounds = Bounds::enclosing(triangle);
            *mask = 0;
            for (bit, cell) in children.iter().enumerate() {
                if bounds.overlaps(cell) && may_meet(&triangle, cell) {
                    *mask |= 1 << bit;
                    copies += 1;
                }
            }
        }
        !self.is_auto || copies <= MOST_COPIES * count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};

    fn leaves(octree: &SourceOctree) -> Vec<(u32, Node)> {
        let mut leaves = Vec::new();
        octree.visit_leaves(|_| true, |number, node| leaves.push((number, *node)));
        leaves
    }

    /// Points of every face lie in a leaf that holds the face.
    #[test]
    fn leaves_cover_all_faces() {
        let torus = generate::deformed_torus(1, [24, 12]).expect("enough segments");
        let point = Mesh::new(vec![DVec3::ONE], vec![[0, 0, 0]; 9]).expect("a point");
        for (name, mesh) in [("torus", &torus), ("point", &point)] {
            for scale in [1.0, 1e-300, 1e80] {
                for offset in [0.0, 1e3, 1e14] {
                    let placed = |p: &DVec3| (*p + offset) * scale;
                    let positions = mesh.positions().iter().map(placed).collect();
                    let mesh = Mesh::new(positions, mesh.faces().to_vec()).expect("finite");
                    for options in [OctreeOptions::default(), OctreeOptions::of_paper(4)] {
                        let octree = SourceOctree::build(&mesh, options);
                        let label = format!("{name}, {scale:e}, {offset:e}, {options:?}");
                        check_cover(&mesh, &octree, &label);
                    }
                }
            }
        }
    }

    fn check_cover(mesh: &Mesh, octree: &SourceOctree, label: &str) {
        let leaves = leaves(octree);
        let mut random = Random::new(1);
        for (face, [a, b, c]) in (0..).zip(mesh.triangles()) {
            for _ in 0..3 {
                let (s, t) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
                let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                let point = a + (b - a) * s + (c - a) * t;
                let holds = |(leaf, node): &(u32, Node)| {
                    // The point itself is rounded.
                    let slack = 4.0 * f64::EPSILON * point.abs().max_element();
                    node.bounds().grown(slack).contains(point)
                        && octree.faces(*leaf).contains(&face)
                };
                assert!(leaves.iter().any(holds), "{label}: face {face}");
            }
        }
    }

    /// A closed mesh has leaves without faces inside, if they are asked for; an open one has none.
    #[test]
    fn solid_octrees_fill_the_inside() {
        let ball = generate::sphere(168).expect("an even number");
        let volume = |octree: &SourceOctree| {
            let inside =
                leaves(octree).into_iter().filter(|(leaf, _)| octree.faces(*leaf).is_empty());
            inside.map(|(_, node)| (2.0 * node.half).powi(3)).sum::<f64>()
        };
        let surface = SourceOctree::build(&ball, OctreeOptions::of_paper(5).surface_only(true));
        let solid = SourceOctree::build(&ball, OctreeOptions::of_paper(5));
        assert_eq!(volume(&surface), 0.0);
        // Somewhat less than the volume of the unit sphere.
        assert!((2.5..4.2).contains(&volume(&solid)), "{}", volume(&solid));
        let open = Mesh::new(ball.positions().to_vec(), ball.faces()[1..].to_vec()).expect("faces");
        assert_eq!(volume(&SourceOctree::build(&open, OctreeOptions::of_paper(5))), 0.0);
    }
}
