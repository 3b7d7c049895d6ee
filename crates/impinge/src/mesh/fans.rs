//! The faces around each vertex in order, and the proof that they are spread out around it.
//!
//! In a search of a body and itself nearly all candidates are faces with a common vertex. If the faces around a vertex
//! o lie side by side, like those of a smooth surface, no two of them share more than the vertex or the edge between
//! them. One look at the faces around a vertex replaces the tests of all pairs of them.
//!
//! # The proof
//!
//! The faces around o form a *fan*: each face has an edge from o in common with the next, and the last one with the first
//! if the fan is closed. Let e₀, e₁, … be the edges from o in order, and w some vector. Seen along w,
//!
//! - each face turns to the left: `w·(eᵢ × eᵢ₊₁) > 0`. So it covers an angle of less than half a turn, and no two of its
//!   points are seen in one place;
//! - the angles together are at most a full turn. Let d be a direction strictly inside of the first face's angle. The
//!   edges after e₁ start on its left and end on its right, if the fan is closed, and cross over once, behind d. If they
//!   crossed over a second time, they would pass d itself. An open fan may end anywhere before it comes around to e₀.
//!
//! So the angles of different faces have no point in common but o, or, for neighbours, the edge between them. Faces
//! share only points that are seen in one place, hence only o or the edge.
//!
//! w and d may be any vectors for which the signs are certain: the sum of the normals, and the sum of the first two edges.
//!
//! # Rounding
//!
//! Let u be 2⁻⁵³, L the largest coordinate of an edge, and |w| the sum of the coordinates of w without their signs. An edge is
//! off by u relative to itself, a component of a cross product of two edges by 8 u L², and its product with w by less
//! than 16 u |w| L². The components of d are at most 2 L, so the products with d are off by less than 64 u |w| L². All
//! are compared with 256 u |w| L². Fans with edges that are so long or short that products could overflow or
//! underflow prove nothing.

use crate::Threads;
use glam::DVec3;
use rayon::prelude::*;

/// The fan of each vertex.
#[derive(Clone, Debug)]
pub(super) struct Fans {
    /// Where the fan of each vertex starts in `rings`, and where the last one ends.
    starts: Vec<u32>,
    /// The other ends of the edges from each vertex, in order; the first one again at the end of a closed fan. Nothing for a
    /// vertex whose faces do not form one fan.
    rings: Vec<u32>,
}

/// Larger fans are left to the tests of pairs.
const MOST_FACES: usize = 24;

/// Vertices that are looked at by one thread at a time.
const VERTICES_AT_ONCE: usize = 4096;

impl Fans {
    pub(super) fn new(faces: &[[u32; 3]], vertices: usize) -> Self {
        // The edge opposite to each vertex of each face, by vertex.
        let mut places = vec![0u32; vertices + 1];
        for &vertex in faces.iter().flatten() {
            places[vertex as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            places[vertex + 1] += places[vertex];
        }
        let mut opposite = vec![[0u32; 2]; 3 * faces.len()];
        let mut next = places.clone();
        for &[p, q, r] in faces {
            for (vertex, edge) in [(p, [q, r]), (q, [r, p]), (r, [p, q])] {
                let place = &mut next[vertex as usize];
                opposite[*place as usize] = edge;
                *place += 1;
            }
        }
        drop(next);
        let mut fans = Self { starts: vec![0], rings: Vec::with_capacity(7 * vertices) };
        for vertex in 0..vertices {
            let edges = &mut opposite[places[vertex] as usize..places[vertex + 1] as usize];
            fans.add(vertex as u32, edges);
            fans.starts.push(fans.rings.len() as u32);
        }
        fans
    }

    /// Adds the ring of a vertex, if its faces form one fan, in which all edges are different.
    fn add(&mut self, vertex: u32, edges: &mut [[u32; 2]]) {
        if edges.is_empty() || edges.len() > MOST_FACES {
            return;
        }
        // An open fan starts with the edge that no face ends with.
        let first = (0..edges.len())
            .find(|&i| edges.iter().all(|edge| edge[1] != edges[i][0]))
            .unwrap_or_default();
        edges.swap(0, first);
        let start = self.rings.len();
        self.rings.push(edges[0][0]);
        for done in 0..edges.len() {
            let end = edges[done][1];
            self.rings.push(end);
            if done + 1 < edges.len() {
                let Some(next) = (done + 1..edges.len()).find(|&i| edges[i][0] == end) else {
                    return self.rings.truncate(start);
                };
                edges.swap(done + 1, next);
            }
        }
        // A closed fan has its first edge at its end, too; all others occur once.
        let ring = &self.rings[start..];
        let is_simple = (1..ring.len())
            .all(|i| ring[i] != vertex && (i + 1..ring.len()).all(|j| ring[j] != ring[i]));
        let is_closed_too_early = ring[1..ring.len() - 1].contains(&ring[0]);
        if !is_simple || is_closed_too_early || ring[0] == vertex {
            self.rings.truncate(start);
        }
    }

    /// For each face, whether the fans of all of its vertices are proven to be spread out, so that it meets its
    /// neighbours in nothing but their common vertex or edge.
    pub(super) fn unfolded(
        &self,
        faces: &[[u32; 3]],
        positions: &[DVec3],
        threads: Threads,
    ) -> Vec<bool> {
        const NO_EDGES: Edges = [DVec3::ZERO; MOST_FACES + 1];
        let check = |vertex: usize, edges: &mut Edges| {
            let ring = &self.rings[self.starts[vertex] as usize..self.starts[vertex + 1] as usize];
            is_spread_out(positions, positions[vertex], ring, edges)
        };
        let mut is_spread_out = vec![false; positions.len()];
        let mut unfolded = vec![false; faces.len()];
        match threads {
            Threads::One => {
                let (mut edges, vertices) = (NO_EDGES, is_spread_out.iter_mut().enumerate());
                vertices.for_each(|(vertex, is)| *is = check(vertex, &mut edges));
                let all = |face: &[u32; 3]| face.iter().all(|&v| is_spread_out[v as usize]);
                unfolded.iter_mut().zip(faces).for_each(|(is, face)| *is = all(face));
            }
            Threads::Pool => {
                let vertices = is_spread_out.par_iter_mut().with_min_len(VERTICES_AT_ONCE);
                vertices
                    .enumerate()
                    .for_each_init(|| NO_EDGES, |edges, (vertex, is)| *is = check(vertex, edges));
                let all = |face: &[u32; 3]| face.iter().all(|&v| is_spread_out[v as usize]);
                let unfolded = unfolded.par_iter_mut().with_min_len(VERTICES_AT_ONCE);
                unfolded.zip(faces).for_each(|(is, face)| *is = all(face));
            }
        }
        unfolded
    }
}

/// The edges of a fan: memory for one look after the other.
type Edges = [DVec3; MOST_FACES + 1];

/// Whether the faces of a fan are proven to share nothing but the vertex and the edges between them.
fn is_spread_out(positions: &[DVec3], vertex: DVec3, ring: &[u32], edges: &mut Edges) -> bool {
    let Some(edges) = edges.get_mut(..ring.len()) else { return false };
    if edges.len() < 2 {
        return false;
    }
    // Comparisons and not `max`, which would look for NaN: there is none.
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut longest = 0.0;
    for (edge, &end) in edges.iter_mut().zip(ring) {
        *edge = positions[end as usize] - vertex;
        longest = larger(longest, larger(larger(edge.x.abs(), edge.y.abs()), edge.z.abs()));
    }
    let w: DVec3 = edges.windows(2).map(|pair| pair[0].cross(pair[1])).sum();
    if !(1e-60..1e60).contains(&longest) {
        return false;
    }
    // 256 roundings of 2⁻⁵³.
    let bound = 128.0 * f64::EPSILON * w.abs().element_sum() * (longest * longest);
    if !edges.windows(2).all(|pair| w.dot(pair[0].cross(pair[1])) > bound) {
        return false;
    }
    // Positive for what lies to the left of d.
    let left = w.cross(edges[0] + edges[1]);
    if left.dot(edges[0]) >= -bound || left.dot(edges[1]) <= bound {
        return false;
    }
    let mut is_right = false;
    for edge in &edges[1..] {
        let side = left.dot(*edge);
        // Not certain, or back on the left.
        if side.abs() <= bound || (is_right && side > 0.0) {
            return false;
        }
        is_right = side < 0.0;
    }
    let is_closed = ring.first() == ring.last();
    // An open fan that has come around to the right must end before its first edge.
    let is_before_first = || w.dot(edges[ring.len() - 1].cross(edges[0])) > bound;
    if is_closed { is_right } else { !is_right || is_before_first() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh, Method, Shape,
        generate::{self, Random},
    };

    /// Random fans, spread out or not, and folded surfaces: a face that counts as unfolded is in no contact with a face that
    /// shares a vertex with it. The contacts are those of a method that does not ask for fans.
    #[test]
    fn unfolded_faces_are_in_no_contact_with_their_neighbours() {
        let (mut unfolded, mut contacts) = (0, 0);
        for seed in 0..3000 {
            let mesh = random_mesh(seed);
            let is_unfolded = Fans::new(mesh.faces(), mesh.positions().len()).unfolded(
                mesh.faces(),
                mesh.positions(),
                if seed.is_multiple_of(2) { Threads::One } else { Threads::Pool },
            );
            unfolded += is_unfolded.iter().filter(|&&is| is).count();
            let faces = mesh.faces().to_vec();
            for pair in Shape::with_method(Method::NAIVE, mesh).self_query().contacts() {
                let [a, b] = [pair.a as usize, pair.b as usize];
                let are_neighbours = faces[a].iter().any(|vertex| faces[b].contains(vertex));
                contacts += usize::from(are_neighbours);
                assert!(
                    !are_neighbours || !is_unfolded[a] && !is_unfolded[b],
                    "seed {seed}: {pair:?} of {faces:?}"
                );
            }
        }
        assert!(unfolded > 1000 && contacts > 1000, "{unfolded} unfolded, {contacts} contacts");
    }

    /// A fan of random directions and lengths around a vertex, open or closed, once or twice around; or a sphere with
    /// moved vertices.
    fn random_mesh(seed: u64) -> Mesh {
        let mut random = Random::new(seed);
        if seed.is_multiple_of(10) {
            let ball = generate::sphere(48).expect("even");
            let size = [0.0, 0.1, 0.5, 1.0][random.below(4) as usize];
            let moved = ball.positions().iter().map(|p| *p + random.direction() * size).collect();
            return ball.with_positions(moved).expect("finite");
        }
        let count = 3 + random.below(7) as usize;
        let turns = [0.3, 0.8, 1.0, 1.0, 1.2, 2.0][random.below(6) as usize];
        let is_closed = random.below(2) == 0;
        let (rise, jitter) = (random.range(0.0, 1.0), [0.0, 0.1, 0.5][random.below(3) as usize]);
        let mut positions = vec![DVec3::ZERO];
        let ends = if is_closed { count } else { count + 1 };
        for end in 0..ends {
            let angle = turns * std::f64::consts::TAU * end as f64 / count as f64;
            let length = random.range(0.5, 1.5);
            let way = DVec3::new(libm::cos(angle), libm::sin(angle), rise) * length;
            positions.push(way + random.direction() * jitter);
        }
        let end = |i: usize| 1 + (i % ends) as u32;
        let faces = (0..count).map(|i| {
            let face = [0, end(i), end(i + 1)];
            // Sometimes one face is turned around.
            if random.below(30) == 0 { [face[0], face[2], face[1]] } else { face }
        });
        let faces = faces.collect();
        Mesh::new(positions, faces).expect("finite")
    }
}
