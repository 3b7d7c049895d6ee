//! Ways to write the same body to a file. None of them may change a verdict.

use super::{body::Body, pairs::Pair};
use impinge::{generate::Random, glam::DVec3};
use std::collections::{HashMap, HashSet};

/// A way to write both bodies of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Plain,
    /// The second body first.
    Swapped,
    /// Vertices and faces in another order.
    Shuffled,
    /// Every face with vertices of its own.
    Soup,
    /// Every corner of every face off by up to one unit in the last place of double precision.
    Noise,
    /// The same in single precision.
    SingleNoise,
    /// Rounded to single precision.
    Single,
    /// One corner of one face off by one unit in the last place.
    Seam,
    /// Some edges are split in one of their two faces only.
    TJunctions,
    SomeFlipped,
    InsideOut,
    /// Every face once in each direction.
    FrontAndBack,
    /// Every face twice.
    Twice,
    /// A triangle that hangs on a corner, away from the other body.
    Dangling,
    Mirrored,
    Turned,
    /// 1e5 mm from the origin.
    Far,
    /// 1e8 mm from the origin.
    VeryFar,
    /// Every face cut into four.
    Finer,
}

impl Variant {
    pub(super) const ALL: [Self; 19] = [
        Self::Plain,
        Self::Swapped,
        Self::Shuffled,
        Self::Soup,
        Self::Noise,
        Self::SingleNoise,
        Self::Single,
        Self::Seam,
        Self::TJunctions,
        Self::SomeFlipped,
        Self::InsideOut,
        Self::FrontAndBack,
        Self::Twice,
        Self::Dangling,
        Self::Mirrored,
        Self::Turned,
        Self::Far,
        Self::VeryFar,
        Self::Finer,
    ];

    /// Whether coordinates are off at random.
    pub(super) fn is_noise(self) -> bool {
        matches!(self, Self::Noise | Self::SingleNoise)
    }

    /// The pair, written this way; `None` if that would make another pair of it.
    pub(super) fn of(self, pair: &Pair) -> Option<Pair> {
        self.with_seed(pair, 7)
    }

    /// The same with other random numbers.
    pub(super) fn with_seed(self, pair: &Pair, seed: u64) -> Option<Pair> {
        let mut random = Random::new(seed);
        let mut changed = match self {
            Self::Swapped => pair.swapped(),
            _ => pair.clone(),
        };
        // A part whose shells overlap, or lie in each other, is only told from its faces' directions.
        let directions_count = pair.bodies.iter().any(|body| shells(body) > 1);
        // At the wall between two shells, four faces meet at an edge, and no neighbour tells their directions.
        let has_wall = pair.bodies.iter().any(shares_positions);
        let bodies = std::mem::take(&mut changed.bodies);
        let all_closed = bodies.iter().all(Body::is_closed);
        changed.bodies = match self {
            Self::Plain | Self::Swapped => bodies,
            Self::Shuffled => bodies.map(|body| shuffled(body, &mut random)),
            Self::Soup => bodies.map(|body| shuffled(body.soup(), &mut random)),
            Self::Noise => bodies.map(|body| noisy(body.soup(), &mut random, ulp)),
            Self::SingleNoise => bodies.map(|body| {
                let single = body.soup().map(|p| p.as_vec3().as_dvec3());
                noisy(single, &mut random, single_ulp)
            }),
            Self::Single => bodies.map(|body| body.map(|p| p.as_vec3().as_dvec3())),
            Self::Seam => bodies.map(seam),
            Self::TJunctions => bodies.map(t_junctions),
            Self::SomeFlipped if !has_wall => bodies.map(some_flipped),
            Self::InsideOut => bodies.map(Body::inside_out),
            Self::FrontAndBack if !directions_count => bodies.map(|body| {
                let back = body.clone().inside_out().faces;
                Body { faces: [body.faces, back].concat(), ..body }
            }),
            Self::Twice => bodies.map(|body| Body { faces: [&body.faces[..]; 2].concat(), ..body }),
            Self::Dangling if all_closed => dangling(bodies)?,
            Self::Mirrored => bodies.map(Body::mirrored),
            Self::Turned => bodies.map(|body| body.turned(DVec3::new(2.0, 1.0, 5.0), 17.0)),
            Self::Far => bodies.map(|body| body.moved(1e5, -1e5, 1e5)),
            Self::VeryFar => bodies.map(|body| body.moved(1e8, 1e8, -1e8)),
            Self::Finer => bodies.map(finer),
            Self::SomeFlipped | Self::FrontAndBack | Self::Dangling => return None,
        };
        let error = match self {
            Self::SingleNoise | Self::Single => 2e-7,
            _ => 1e-15,
        } * changed.bodies.iter().map(Body::largest_coordinate).fold(0.0, f64::max);
        (20.0 * error < changed.margin).then_some(changed)
    }
}

/// The number of connected shells.
pub(super) fn shells(body: &Body) -> usize {
    let mut above: Vec<u32> = (0..body.positions.len() as u32).collect();
    let root = |above: &[u32], mut vertex: u32| {
        while above[vertex as usize] != vertex {
            vertex = above[vertex as usize];
        }
        vertex
    };
    for &[a, b, c] in &body.faces {
        for other in [b, c] {
            let (p, q) = (root(&above, a), root(&above, other));
            above[p.max(q) as usize] = p.min(q);
        }
    }
    let used: HashSet<u32> = body.faces.iter().map(|face| root(&above, face[0])).collect();
    used.len()
}

/// Whether several vertices have the same position.
fn shares_positions(body: &Body) -> bool {
    let bits = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let distinct: HashSet<[u64; 3]> = body.positions.iter().map(bits).collect();
    distinct.len() < body.positions.len()
}

fn shuffled(body: Body, random: &mut Random) -> Body {
    let mut order: Vec<u32> = (0..body.positions.len() as u32).collect();
    random.shuffle(&mut order);
    let mut positions = vec![DVec3::ZERO; order.len()];
    for (old, &new) in order.iter().enumerate() {
        positions[new as usize] = body.positions[old];
    }
    let mut faces = body.faces;
    random.shuffle(&mut faces);
    for face in &mut faces {
        *face = face.map(|vertex| order[vertex as usize]);
        face.rotate_left(random.below(3) as usize);
    }
    Body { positions, faces }
}

fn ulp(value: f64) -> f64 {
    value.abs().next_up() - value.abs()
}

fn single_ulp(value: f64) -> f64 {
    let value = value.abs() as f32;
    f64::from(value.next_up()) - f64::from(value)
}

fn noisy(mut body: Body, random: &mut Random, unit: fn(f64) -> f64) -> Body {
    for position in &mut body.positions {
        let moved = position.to_array().map(|x| x + unit(x) * (random.below(3) as f64 - 1.0));
        *position = DVec3::from_array(moved);
    }
    body
}

fn seam(mut body: Body) -> Body {
    let vertex = body.faces[0][0] as usize;
    let mut position = body.positions[vertex];
    position.x = position.x.next_up();
    body.faces[0][0] = body.positions.len() as u32;
    body.positions.push(position);
    body
}

fn t_junctions(mut body: Body) -> Body {
    let mut split = HashSet::new();
    for number in (0..body.faces.len()).step_by(3) {
        let [a, b, c] = body.faces[number];
        if !split.insert([a.min(b), a.max(b)]) {
            continue;
        }
        // Not in the middle, so that the new vertex is rounded off the edge.
        let middle = body.positions[a as usize].lerp(body.positions[b as usize], 0.3);
        let new = body.positions.len() as u32;
        body.positions.push(middle);
        body.faces[number] = [a, new, c];
        body.faces.push([new, b, c]);
    }
    body
}

fn some_flipped(mut body: Body) -> Body {
    body.faces.iter_mut().skip(1).step_by(5).for_each(|face| face.swap(1, 2));
    body
}

/// Hangs a small triangle on the vertex that is farthest from the other body, if that is far enough.
fn dangling(bodies: [Body; 2]) -> Option<[Body; 2]> {
    let boxes = [bodies[1].bounds(), bodies[0].bounds()];
    let mut hung = false;
    let mut changed = bodies;
    for (body, [min, max]) in changed.iter_mut().zip(boxes) {
        let away = |p: DVec3| p - p.clamp(min, max);
        let numbered = (0..).zip(&body.positions).map(|(number, p)| (away(*p), number));
        let farthest =
            numbered.max_by(|p, q| p.0.length_squared().total_cmp(&q.0.length_squared()));
        let Some((away, vertex)) = farthest.filter(|(away, _)| away.length() > 1.0) else {
            continue;
        };
        let position: DVec3 = body.positions[vertex as usize];
        let outward = away.normalize();
        let start = body.positions.len() as u32;
        body.positions.push(position + outward + outward.any_orthonormal_vector() * 0.5);
        body.positions.push(position + outward);
        body.faces.push([vertex, start, start + 1]);
        hung = true;
    }
    hung.then_some(changed)
}

fn finer(mut body: Body) -> Body {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let positions = &mut body.positions;
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            positions.push(positions[a as usize].midpoint(positions[b as usize]));
            positions.len() as u32 - 1
        })
    };
    let cut = |&[a, b, c]: &[u32; 3]| {
        let (p, q, r) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
    };
    body.faces = body.faces.iter().flat_map(cut).collect();
    body
}
