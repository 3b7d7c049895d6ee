//! The surface around a point, seen along a direction: how far it reaches without a hole, and how far it bends away.

use impinge::{Mesh, glam::DVec3};

/// The face beyond an edge of another.
#[derive(Clone, Copy, Debug)]
struct Across {
    face: u32,
    /// Whether both faces run along the edge in the same direction, so that one of them is inside out.
    is_flipped: bool,
}

/// For each face and each of its edges, the face beyond the edge, if there is exactly one.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// Edge `i` is the one from corner `i` to the next.
    across: Vec<[Option<Across>; 3]>,
}

/// The surface within a distance of a point, seen along a direction. Heights are along the direction, above the point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Every line along the direction within this distance of the point meets the surface between the two heights.
    pub(crate) room: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

/// Most faces of a patch.
const MOST_FACES: usize = 24;

/// The least share of a face's area that is seen along the direction. Steeper faces bend away too far to be of use.
const STEEPEST: f64 = 0.1;

impl Neighbours {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        // Faces of a soup have no vertices in common, so edges are known by the positions of their ends.
        let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits);
        let mut edges = Vec::with_capacity(3 * mesh.faces().len());
        for (face, corners) in mesh.triangles().enumerate() {
            let keys = corners.map(key);
            for edge in 0..3 {
                let (from, to) = (keys[edge], keys[(edge + 1) % 3]);
                edges.push((from.min(to), from.max(to), from < to, face as u32, edge));
            }
        }
        edges.sort_unstable();
        let mut across = vec![[None; 3]; mesh.faces().len()];
        for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [first, second] = *same else { continue };
            let is_flipped = first.2 == second.2;
            across[first.3 as usize][first.4] = Some(Across { face: second.3, is_flipped });
            across[second.3 as usize][second.4] = Some(Across { face: first.3, is_flipped });
        }
        Self { across }
    }

    /// The surface around a point of a face, as far as a radius or less, seen along a unit vector.
    ///
    /// All faces of a patch are seen from the same side. So their projections cover every place as often as each other, up to
    /// the edges at which the patch ends: at least once, since the face itself covers some.
    pub(crate) fn patch(
        &self,
        mesh: &Mesh,
        face: u32,
        point: DVec3,
        along: DVec3,
        radius: f64,
    ) -> Patch {
        let mut patch = Patch { room: f64::INFINITY, lowest: 0.0, highest: 0.0 };
        let mut faces = [(face, false); MOST_FACES];
        let (mut next, mut len) = (0, 1);
        let mut side = 0.0;
        while next < len {
            let (face, is_flipped) = faces[next];
            let corners = mesh.triangle(face).map(|corner| corner - point);
            if next == 0 {
                side = seen(&corners, along).signum();
                if seen(&corners, along).abs() < STEEPEST {
                    return Patch { room: 0.0, ..patch };
                }
            }
            next += 1;
            patch.include(&corners, along, radius);
            for (edge, across) in self.across[face as usize].iter().enumerate() {
                let ends = [corners[edge], corners[(edge + 1) % 3]];
                let distance = distance_to_segment(ends.map(|end| end - along * end.dot(along)));
                if distance >= patch.room {
                    continue;
                }
                if distance < radius
                    && let Some(across) = across
                {
                    let is_flipped = is_flipped != across.is_flipped;
                    let known = faces[..len].iter().find(|(face, _)| *face == across.face);
                    if let Some((_, is_known_flipped)) = known {
                        if is_flipped == *is_known_flipped {
                            continue;
                        }
                    } else if len < MOST_FACES {
                        let other = mesh.triangle(across.face);
                        let sign = if is_flipped { -side } else { side };
                        if sign * seen(&other, along) > STEEPEST {
                            faces[len] = (across.face, is_flipped);
                            len += 1;
                            continue;
                        }
                    }
                }
                patch.room = distance;
            }
        }
        patch
    }
}

impl Patch {
    /// Includes the heights of a face, with corners relative to the point, within the radius.
    fn include(&mut self, corners: &[DVec3; 3], along: DVec3, radius: f64) {
        let heights = corners.map(|corner| corner.dot(along));
        let [lowest, highest] = [
            heights.into_iter().fold(f64::INFINITY, f64::min),
            heights.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ];
        // The height of the face's plane at the point, and by how much it changes within the radius.
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let part = normal.dot(along);
        let at_point = normal.dot(corners[0]) / part;
        let change = normal.cross(along).length() / part.abs() * radius;
        self.lowest = self.lowest.min(lowest.max(at_point - change));
        self.highest = self.highest.max(highest.min(at_point + change));
    }
}

/// The share of a face's area that is seen along a direction; negative from behind.
fn seen([a, b, c]: &[DVec3; 3], along: DVec3) -> f64 {
    (b - a).cross(c - a).try_normalize().map_or(0.0, |normal| normal.dot(along))
}

/// The distance of the origin from a segment.
fn distance_to_segment([from, to]: [DVec3; 2]) -> f64 {
    let edge = to - from;
    let whole = edge.length_squared();
    let share = if whole > 0.0 { (-from.dot(edge) / whole).clamp(0.0, 1.0) } else { 0.0 };
    (from + edge * share).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{
        Pose, Ray, Shape,
        generate::{self, Random},
    };

    #[test]
    fn the_side_of_a_box_is_one_patch() {
        let half = DVec3::new(1.0, 2.0, 3.0);
        let mesh = generate::cuboid(2.0 * half).expect("valid");
        let neighbours = Neighbours::new(&mesh);
        for face in 0..12 {
            let [a, b, c] = mesh.triangle(face);
            let point = (a + b + c) / 3.0;
            let normal = (b - a).cross(c - a).normalize();
            // The distance from the nearest edge of the box, by its coordinates.
            let mut gaps = (half - point.abs()).to_array();
            gaps.sort_by(f64::total_cmp);
            let patch = neighbours.patch(&mesh, face, point, normal, 10.0);
            assert!((patch.room - gaps[1]).abs() < 1e-12, "face {face}: {patch:?} {gaps:?}");
            assert!(patch.lowest.abs() < 1e-12 && patch.highest.abs() < 1e-12, "{patch:?}");
        }
    }

    /// Every line through a patch meets the surface where the patch says, also if faces are flipped or missing.
    #[test]
    fn lines_through_a_patch_meet_the_surface() {
        let torus = generate::torus(3.0, 1.0, [40, 24]).expect("valid");
        let (mut wide, mut cut_off) = (0, 0);
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut faces = torus.faces().to_vec();
            if seed % 2 == 0 {
                for face in &mut faces {
                    if random.below(3) == 0 {
                        face.swap(0, 1);
                    }
                }
            }
            if seed % 3 == 0 {
                faces.retain(|_| random.below(20) > 0);
            }
            let mesh = Mesh::new(torus.positions().to_vec(), faces).expect("valid");
            let neighbours = Neighbours::new(&mesh);
            let shape = Shape::new(mesh.clone());
            let face = random.below(mesh.faces().len() as u64) as u32;
            let [a, b, c] = mesh.triangle(face);
            let [u, v] = [random.range(0.0, 0.5), random.range(0.0, 0.5)];
            let point = a + (b - a) * u + (c - a) * v;
            let tilt = random.rotation() * DVec3::X * random.range(0.0, 0.3);
            let along = ((b - a).cross(c - a).normalize() + tilt).normalize();
            let radius = random.range(0.05, 1.0);
            let patch = neighbours.patch(&mesh, face, point, along, radius);
            wide += usize::from(patch.room >= radius);
            cut_off += usize::from(patch.room < radius && patch.room > 0.0);
            for _ in 0..50 {
                let sideways = along.cross(random.rotation() * DVec3::X).normalize();
                let reach = patch.room.min(radius) * random.range(0.0, 0.999_999);
                let from = point + sideways * reach + along * (patch.lowest - 1e-9);
                let hit = shape.cast_ray(&Pose::IDENTITY, &Ray::new(from, along).expect("valid"));
                let length = patch.highest - patch.lowest + 2e-9;
                let is_met = hit.is_some_and(|hit| hit.t <= length);
                assert!(is_met || reach < 1e-9, "seed {seed}: {patch:?} {reach} {hit:?}");
            }
        }
        assert!(wide > 40 && cut_off > 40, "{wide} {cut_off}");
    }
}
