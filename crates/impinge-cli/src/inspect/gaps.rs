//! Measures the gaps between edges of an open surface that nearly match.
//!
//! A surface is open for one of two reasons. Either it has a border, as a sheet has; or its faces were not
//! joined, and there are narrow gaps between edges that should be one edge. Joining vertices closer than the
//! gap width repairs the second case.

use impinge::{Bounds, Mesh, glam::DVec3, mesh::Edge};

/// Returns the widest gap of a mesh: the largest distance, over all end points of open edges, to the nearest
/// open edge that does not end at the same vertex.
///
/// An end point counts only if that distance is less than half its shortest open edge; otherwise it lies on a
/// border. Returns `None` if no end point counts.
pub(super) fn widest(mesh: &Mesh, open_edges: &[Edge]) -> Option<f64> {
    let position = |vertex: u32| mesh.positions()[vertex as usize];
    let mut segments: Vec<Segment> = open_edges
        .iter()
        .map(|edge| Segment { vertices: edge.vertices, ends: edge.vertices.map(position) })
        .collect();
    // Each end point with the length of its shortest open edge.
    let mut ends: Vec<(u32, f64)> = segments
        .iter()
        .flat_map(|it| it.vertices.map(|vertex| (vertex, it.ends[0].distance(it.ends[1]))))
        .collect();
    ends.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    ends.dedup_by_key(|end| end.0);
    let tree = Tree::new(&mut segments);
    let gap = |&(vertex, length): &(u32, f64)| tree.nearest(vertex, position(vertex), length / 2.0);
    ends.iter().filter_map(gap).max_by(f64::total_cmp)
}

struct Segment {
    vertices: [u32; 2],
    ends: [DVec3; 2],
}

impl Segment {
    fn distance(&self, point: DVec3) -> f64 {
        let [a, b] = self.ends;
        let along = b - a;
        let share = (point - a).dot(along) / along.length_squared();
        // If the length is lost in rounding, either end will do.
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        point.distance(a + along * share)
    }
}

/// A tree of boxes around segments, in the order of the leaves.
struct Tree<'s> {
    segments: &'s [Segment],
    /// The box of each node; the root is 1, the children of node n are 2n and 2n + 1.
    bounds: Vec<Bounds>,
}

/// Maximum number of segments in a leaf.
const LEAF: usize = 8;

impl<'s> Tree<'s> {
    fn new(segments: &'s mut [Segment]) -> Self {
        let leaves = segments.len().div_ceil(LEAF).next_power_of_two();
        let mut bounds = vec![Bounds::EMPTY; 2 * leaves];
        fill(segments, 1, &mut bounds);
        Self { segments, bounds }
    }

    /// Returns the distance to the nearest segment that does not end at `vertex`, if it is below `limit`.
    fn nearest(&self, vertex: u32, point: DVec3, limit: f64) -> Option<f64> {
        let mut best = limit;
        let mut found = None;
        let mut stack = vec![(1, 0, self.segments.len())];
        while let Some((node, from, to)) = stack.pop() {
            let bounds = &self.bounds[node];
            if bounds.is_empty() || point.distance(point.clamp(bounds.min, bounds.max)) >= best {
                continue;
            }
            if 2 * node < self.bounds.len() {
                let middle = from + (to - from) / 2;
                stack.extend([(2 * node, from, middle), (2 * node + 1, middle, to)]);
                continue;
            }
            for segment in
                self.segments[from..to].iter().filter(|it| !it.vertices.contains(&vertex))
            {
                let distance = segment.distance(point);
                if distance < best {
                    best = distance;
                    found = Some(distance);
                }
            }
        }
        found
    }
}

/// Sorts segments into two spatially separate halves, recursively, and fills in the boxes.
fn fill(segments: &mut [Segment], node: usize, bounds: &mut [Bounds]) {
    let own = Bounds::enclosing(segments.iter().flat_map(|it| it.ends));
    bounds[node] = own;
    if 2 * node >= bounds.len() {
        return;
    }
    let middle = segments.len() / 2;
    if middle > 0 {
        let axis = (0..3).max_by(|&a, &b| own.size()[a].total_cmp(&own.size()[b])).unwrap_or(0);
        let key = |it: &Segment| it.ends[0][axis] + it.ends[1][axis];
        segments.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
    }
    let (left, right) = segments.split_at_mut(middle);
    fill(left, 2 * node, bounds);
    fill(right, 2 * node + 1, bounds);
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn gap(mesh: &Mesh) -> Option<f64> {
        widest(mesh, &mesh.report().open_edges)
    }

    /// Every face of a mesh, moved along its normal.
    fn exploded(mesh: &Mesh, by: f64) -> Mesh {
        let mut positions = Vec::new();
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle;
            let normal = (b - a).cross(c - a).normalize();
            positions.extend(triangle.map(|corner| corner + normal * by));
        }
        let faces =
            (0..mesh.faces().len() as u32).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]);
        Mesh::new(positions, faces.collect()).unwrap()
    }

    #[test]
    fn a_crack_is_as_wide_as_it_is() {
        // Two halves of a sheet of 20 by 2 squares, 0.01 apart.
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for half in 0..2_u32 {
            let first = positions.len() as u32;
            for x in 0..=20 {
                let x = f64::from(x);
                let y = f64::from(half) * 1.01;
                positions.extend([DVec3::new(x, y, 0.0), DVec3::new(x, y + 1.0, 0.0)]);
            }
            for x in 0..20 {
                let at = first + 2 * x;
                faces.extend([[at, at + 2, at + 1], [at + 1, at + 2, at + 3]]);
            }
        }
        let mesh = Mesh::new(positions, faces).unwrap();
        assert!((gap(&mesh).unwrap() - 0.01).abs() < 1e-12);
    }

    #[test]
    fn a_border_is_no_gap_and_a_closed_surface_has_none() {
        assert_eq!(gap(&generate::sphere(960).unwrap()), None);
        let sheet = generate::terrain(8, 8, impinge::glam::DVec2::ONE, |_, _| 0.0).unwrap();
        assert_eq!(gap(&sheet), None);
    }

    /// The tree must find the same gap as a loop over all segments.
    #[test]
    fn the_tree_leaves_nothing_out() {
        let mesh = exploded(&generate::sphere(360).unwrap(), 0.003);
        let edges = mesh.report().open_edges;
        // Faces of one plane stay together.
        assert!(edges.len() > 800, "{}", edges.len());
        let position = |vertex: u32| mesh.positions()[vertex as usize];
        let segments: Vec<Segment> = edges
            .iter()
            .map(|edge| Segment { vertices: edge.vertices, ends: edge.vertices.map(position) })
            .collect();
        let mut widest_by_loop: Option<f64> = None;
        for &vertex in edges.iter().flat_map(|edge| &edge.vertices) {
            let own = segments.iter().filter(|it| it.vertices.contains(&vertex));
            let length = own.map(|it| it.ends[0].distance(it.ends[1])).fold(f64::MAX, f64::min);
            let others = segments.iter().filter(|it| !it.vertices.contains(&vertex));
            let near = others.map(|it| it.distance(position(vertex))).fold(f64::MAX, f64::min);
            if near < length / 2.0 {
                widest_by_loop = Some(widest_by_loop.unwrap_or(0.0).max(near));
            }
        }
        let found = gap(&mesh);
        assert_eq!(found, widest_by_loop);
        assert!(found.unwrap() < 0.01, "{found:?}");
    }
}
