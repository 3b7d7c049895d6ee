//! The profile of a revolved mesh: the greatest distance from the axis at each height, bounded from above by a chain of
//! points.
//!
//! A plane at one height cuts a triangle in a segment. The distance from the axis is a convex function along the
//! segment, so it is greatest at an end, which is on an edge. The edges of the mesh therefore suffice. Along an edge that
//! is not horizontal, the distance from the axis is a convex function of the height (a branch of a hyperbola), so a chord
//! is never below it. The maximum of convex functions is convex, too.

use impinge::{
    Mesh,
    glam::{DVec2, DVec3, Vec3Swizzles},
};

/// The height and the greatest radius of a mesh, in millimetres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) height: f64,
    pub(super) radius: f64,
}

/// The size of a mesh; `None` if it has no height or no radius.
pub(super) fn size(mesh: &Mesh, factor: f64) -> Option<Size> {
    let bounds = mesh.bounds();
    let height = (bounds.max.z - bounds.min.z) * factor;
    let corners = mesh.triangles().flatten();
    let radius = corners.map(|corner| radius(corner) * factor).fold(0.0, f64::max);
    (height > 0.0 && radius > 0.0).then_some(Size { height, radius })
}

fn radius(point: DVec3) -> f64 {
    libm::hypot(point.x, point.y)
}

/// An edge of the mesh that is not horizontal.
#[derive(Clone, Copy, Debug)]
struct Edge {
    low: DVec3,
    high: DVec3,
}

impl Edge {
    /// The point at a height, which must be within the edge. Exact at the ends.
    fn at(&self, height: f64) -> DVec2 {
        let t = (height - self.low.z) / (self.high.z - self.low.z);
        if t <= 0.0 {
            self.low.xy()
        } else if t >= 1.0 {
            self.high.xy()
        } else {
            self.low.xy().lerp(self.high.xy(), t)
        }
    }

    fn radius_at(&self, height: f64) -> f64 {
        let point = self.at(height);
        libm::hypot(point.x, point.y)
    }

    fn spans(&self, [below, above]: [f64; 2]) -> bool {
        self.low.z <= below && self.high.z >= above
    }

    /// The greatest radius between two heights.
    fn greatest(&self, [below, above]: [f64; 2]) -> f64 {
        self.radius_at(below.max(self.low.z)).max(self.radius_at(above.min(self.high.z)))
    }

    /// The least radius between two heights, both within the edge.
    fn least(&self, [below, above]: [f64; 2]) -> f64 {
        let (from, to) = (self.at(below), self.at(above));
        let step = to - from;
        let t = (-from.dot(step) / step.length_squared()).clamp(0.0, 1.0);
        let nearest = if t.is_nan() { from } else { from + step * t };
        // Rounding must not make the least radius exceed the greatest.
        let ends = self.radius_at(below).min(self.radius_at(above));
        libm::hypot(nearest.x, nearest.y).min(ends)
    }
}

/// The profile as points of height (x) and radius (y), from height 0 at the lowest point of the mesh. Heights never
/// decrease; two points at one height are a step. The chain is nowhere below the profile, and every point below the
/// chain is within an eighth of the tolerance of the revolved mesh.
pub(super) fn profile(mesh: &Mesh, factor: f64, tolerance: f64) -> Vec<DVec2> {
    let base = mesh.bounds().min.z;
    let place = |point: DVec3| DVec3::new(point.x, point.y, point.z - base) * factor;
    let mut pairs: Vec<[u32; 2]> = mesh
        .faces()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut edges = Vec::new();
    let mut flat = Vec::new();
    for pair in pairs {
        let [mut low, mut high] = pair.map(|vertex| place(mesh.positions()[vertex as usize]));
        if low.z > high.z {
            std::mem::swap(&mut low, &mut high);
        }
        if low.z < high.z {
            edges.push(Edge { low, high });
        } else {
            flat.extend([low, high]);
        }
    }
    let height = place(mesh.bounds().max).z;
    let step = tolerance / 8.0;
    let chain = upper_chain(&edges, height, step);
    // In a closed mesh, the ends of horizontal edges are ends of other edges, too. In any other mesh they may stand out:
    // they are made into short vertical edges.
    let before = edges.len();
    for point in flat {
        if radius(point) > radius_of_chain(&chain, point.z) {
            let thickness = step / 64.0;
            let is_below_top = point.z + thickness <= height;
            let to = if is_below_top { point.z + thickness } else { point.z - thickness };
            let (below, above) = (point.z.min(to).max(0.0), point.z.max(to));
            edges.push(Edge { low: point.with_z(below), high: point.with_z(above) });
        }
    }
    if edges.len() == before { chain } else { upper_chain(&edges, height, step) }
}

/// The greatest radius of a chain at a height.
fn radius_of_chain(chain: &[DVec2], height: f64) -> f64 {
    let start = chain.partition_point(|point| point.x < height).saturating_sub(1);
    let pairs = chain[start..].windows(2).take_while(|pair| pair[0].x <= height);
    pairs.map(|pair| radius_of_segment(pair[0], pair[1], height)).fold(0.0, f64::max)
}

fn radius_of_segment(from: DVec2, to: DVec2, height: f64) -> f64 {
    if height <= from.x {
        if to.x <= from.x { from.y.max(to.y) } else { from.y }
    } else if height >= to.x {
        to.y
    } else {
        from.y + (to.y - from.y) * ((height - from.x) / (to.x - from.x))
    }
}

/// The upper envelope of the radii of the edges. `step` is the greatest excess, and the least height of an interval.
///
/// Intervals of height are divided until only edges that span the interval matter in it and their maximum is near its
/// chord.
fn upper_chain(edges: &[Edge], height: f64, step: f64) -> Vec<DVec2> {
    let mut chain = Chain(Vec::new());
    let mut waiting = vec![([0.0, height], edges.to_vec())];
    while let Some((interval, mut edges)) = waiting.pop() {
        let [below, above] = interval;
        // The spanning edge whose least radius is greatest. An edge that is nowhere outside of it does not matter.
        let spanning = (0..edges.len()).filter(|&index| edges[index].spans(interval));
        let outer = spanning
            .map(|index| (edges[index].least(interval), index))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((least, outer)) = outer {
            let mut index = 0..;
            edges.retain(|edge| index.next() == Some(outer) || edge.greatest(interval) > least);
        }
        let ends = edges.iter().flat_map(|edge| [edge.low.z, edge.high.z]);
        let mut inside: Vec<f64> = ends.filter(|z| *z > below && *z < above).collect();
        let is_short = above - below <= step;
        let split = if inside.is_empty() {
            let at = |z: f64| edges.iter().map(|edge| edge.radius_at(z)).fold(0.0, f64::max);
            let middle = below + (above - below) / 2.0;
            let radii = [at(below), at(above)];
            // The greatest distance between a convex function and its chord is less than twice that in the middle.
            let excess = (radii[0] + radii[1]) / 2.0 - at(middle);
            let has_room = middle > below && middle < above;
            if is_short || 2.0 * excess <= step || !has_room {
                chain.push(below, radii[0]);
                chain.push(above, radii[1]);
                continue;
            }
            middle
        } else if is_short {
            let radius = edges.iter().map(|edge| edge.greatest(interval)).fold(0.0, f64::max);
            chain.push(below, radius);
            chain.push(above, radius);
            continue;
        } else {
            let median = inside.len() / 2;
            *inside.select_nth_unstable_by(median, f64::total_cmp).1
        };
        let part = |interval: [f64; 2]| {
            let meets = |edge: &&Edge| edge.low.z < interval[1] && edge.high.z > interval[0];
            (interval, edges.iter().filter(meets).copied().collect())
        };
        // The lower part is taken first.
        let (upper, lower) = (part([split, above]), part([below, split]));
        waiting.extend([upper, lower]);
    }
    chain.0
}

struct Chain(Vec<DVec2>);

impl Chain {
    fn push(&mut self, height: f64, radius: f64) {
        let point = DVec2::new(height, radius);
        if self.0.last() != Some(&point) {
            self.0.push(point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
        Mesh::new(points.iter().map(|&p| DVec3::from_array(p)).collect(), faces.to_vec()).unwrap()
    }

    /// An edge that passes the axis sideways is nearest to it in the middle: the profile sags there, and the chain
    /// follows it from above.
    #[test]
    fn the_chain_follows_a_hyperbola_from_above() {
        let mesh = mesh(&[[1.0, -4.0, 7.0], [1.0, 4.0, 17.0], [1.0, 4.0, 17.0]], &[[0, 1, 2]]);
        for tolerance in [1.0, 0.1, 0.001] {
            let chain = profile(&mesh, 1.0, tolerance);
            for step in 0..=1000 {
                let z = f64::from(step) * 0.01;
                let truth = 1f64.hypot(-4.0 + 0.8 * z);
                let found = radius_of_chain(&chain, z);
                let range = truth - 1e-12..=truth + tolerance / 8.0 + 1e-12;
                assert!(range.contains(&found), "{tolerance} {z}: {found} for {truth}");
            }
        }
        assert_eq!(profile(&mesh, 2.0, 1.0).last().unwrap().x, 20.0);
    }

    /// A triangle at one height, below a pole: it becomes a thin disc.
    #[test]
    fn a_loose_horizontal_face_counts() {
        let points = [
            [1.0, 0.0, 0.0],
            [1.0, 0.0, 10.0],
            [1.0, 0.1, 10.0],
            [5.0, 0.0, 4.0],
            [0.0, 5.0, 4.0],
            [0.0, 0.0, 4.0],
        ];
        let mesh = mesh(&points, &[[0, 1, 2], [3, 4, 5]]);
        let chain = profile(&mesh, 1.0, 0.08);
        assert_eq!(radius_of_chain(&chain, 4.0), 5.0);
        assert!(radius_of_chain(&chain, 4.02) < 1.1 && radius_of_chain(&chain, 3.98) < 1.1);
    }
}
