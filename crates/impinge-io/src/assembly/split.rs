//! Splits a mesh into its connected pieces, for files that hold a whole assembly as one mesh.
//!
//! Faces are connected if they share a vertex position. A cavity is a piece of its own by this rule, but belongs to
//! the solid around it: a closed shell that faces inward is added to the smallest shell around it that faces outward.

use glam::DVec3;
use impinge::{Bounds, Mesh, PointLocation, Pose, Shape};

/// The largest number of pieces. A mesh with more is not an assembly: its faces do not share positions.
pub(super) const MAX_PIECES: usize = 1 << 16;

/// Returns the faces of each piece in ascending order, and the pieces in the order of their first faces.
pub(super) fn pieces(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut found = connected(mesh);
    // Whether a shell is a cavity takes time; with so many pieces the caller refuses the mesh.
    if found.len() > 1 && found.len() <= MAX_PIECES {
        join_cavities(mesh, &mut found);
    }
    found
}

/// Returns a mesh of some faces, without the vertices that they do not use.
pub(super) fn part_of(mesh: &Mesh, faces: &[u32]) -> Mesh {
    let corners = || faces.iter().map(|&face| mesh.faces()[face as usize]);
    let mut used: Vec<u32> = corners().flatten().collect();
    used.sort_unstable();
    used.dedup();
    let number = |vertex: u32| used.partition_point(|&other| other < vertex) as u32;
    let faces = corners().map(|face| face.map(number)).collect();
    let positions = used.iter().map(|&vertex| mesh.positions()[vertex as usize]).collect();
    Mesh::new(positions, faces).expect("some faces of a valid mesh are a valid mesh")
}

fn connected(mesh: &Mesh) -> Vec<Vec<u32>> {
    let positions = mesh.positions();
    let mut above: Vec<u32> = (0..positions.len() as u32).collect();
    for &[a, b, c] in mesh.faces() {
        join(&mut above, a, b);
        join(&mut above, a, c);
    }
    // Vertices at the same position are one. 0 and −0 are the same position.
    let key = |vertex: u32| (positions[vertex as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| key(vertex));
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            join(&mut above, pair[0], pair[1]);
        }
    }
    let mut numbers = vec![u32::MAX; positions.len()];
    let mut pieces: Vec<Vec<u32>> = Vec::new();
    for (face, &[corner, ..]) in mesh.faces().iter().enumerate() {
        let number = &mut numbers[root(&mut above, corner) as usize];
        if *number == u32::MAX {
            *number = pieces.len() as u32;
            pieces.push(Vec::new());
        }
        pieces[*number as usize].push(face as u32);
    }
    pieces
}

/// Returns the vertex that stands for all vertices connected with this one.
fn root(above: &mut [u32], mut vertex: u32) -> u32 {
    while above[vertex as usize] != vertex {
        // Halving paths keeps them short.
        let next = above[above[vertex as usize] as usize];
        above[vertex as usize] = next;
        vertex = next;
    }
    vertex
}

fn join(above: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(above, a), root(above, b));
    above[a.max(b) as usize] = a.min(b);
}

/// Adds each closed piece that faces inward to the smallest closed piece around it that faces outward.
fn join_cavities(mesh: &Mesh, pieces: &mut Vec<Vec<u32>>) {
    let volumes: Vec<f64> = pieces.iter().map(|faces| volume(mesh, faces)).collect();
    let inward: Vec<usize> = (0..pieces.len()).filter(|&piece| volumes[piece] < 0.0).collect();
    if inward.is_empty() {
        return;
    }
    let bounds: Vec<Bounds> = pieces
        .iter()
        .map(|faces| Bounds::enclosing(faces.iter().flat_map(|&face| mesh.triangle(face))))
        .collect();
    let mut shapes: Vec<Option<Shape>> = vec![None; pieces.len()];
    let mut outer_of = vec![None; pieces.len()];
    for &cavity in &inward {
        if !part_of(mesh, &pieces[cavity]).report().is_closed {
            continue;
        }
        let is_around = |&outer: &usize| {
            let (inner, outer_bounds) = (&bounds[cavity], &bounds[outer]);
            volumes[outer] > -volumes[cavity]
                && outer_bounds.min.cmplt(inner.min).all()
                && outer_bounds.max.cmpgt(inner.max).all()
        };
        let mut around: Vec<usize> = (0..pieces.len()).filter(is_around).collect();
        around.sort_by(|&a, &b| volumes[a].total_cmp(&volumes[b]));
        outer_of[cavity] = around.into_iter().find(|&outer| {
            let make = || Shape::new(part_of(mesh, &pieces[outer]));
            let shape = shapes[outer].get_or_insert_with(make);
            let is_inside = |point: DVec3| {
                shape.contains_point(&Pose::IDENTITY, point) == Ok(PointLocation::Inside)
            };
            // Two shells that do not cross lie as their first points do; a few more cost little.
            let faces = pieces[cavity].iter().step_by(pieces[cavity].len() / 8 + 1);
            faces.flat_map(|&face| mesh.triangle(face)).all(is_inside)
        });
    }
    for (cavity, outer) in outer_of.into_iter().enumerate() {
        if let Some(outer) = outer {
            let faces = std::mem::take(&mut pieces[cavity]);
            pieces[outer].extend(faces);
            pieces[outer].sort_unstable();
        }
    }
    pieces.retain(|faces| !faces.is_empty());
    pieces.sort_by_key(|faces| faces[0]);
}

/// Returns the volume that faces enclose; negative if they face inward. It says nothing of an open piece.
fn volume(mesh: &Mesh, faces: &[u32]) -> f64 {
    let Some(&first) = faces.first() else { return 0.0 };
    // Relative to a point of the piece: the piece may be far from the origin.
    let [origin, ..] = mesh.triangle(first);
    let of = |&face: &u32| {
        let [a, b, c] = mesh.triangle(face).map(|corner| corner - origin);
        a.dot(b.cross(c)) / 6.0
    };
    faces.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::cuboid;

    /// Cubes as one soup of triangles: centre, size, and whether the cube faces inward.
    fn cubes(cubes: &[(DVec3, f64, bool)]) -> Mesh {
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for &(centre, size, is_inward) in cubes {
            for mut triangle in cuboid(DVec3::splat(size)).unwrap().triangles() {
                if is_inward {
                    triangle.swap(1, 2);
                }
                let first = positions.len() as u32;
                positions.extend(triangle.map(|corner| corner + centre));
                faces.push([first, first + 1, first + 2]);
            }
        }
        Mesh::new(positions, faces).unwrap()
    }

    fn sizes(mesh: &Mesh) -> Vec<usize> {
        pieces(mesh).iter().map(Vec::len).collect()
    }

    #[test]
    fn faces_that_share_a_position_are_one_piece() {
        let apart = cubes(&[(DVec3::ZERO, 1.0, false), (DVec3::X * 3.0, 1.0, false)]);
        assert_eq!(sizes(&apart), [12, 12]);
        assert_eq!(pieces(&apart)[1], (12..24).collect::<Vec<u32>>());
        let piece = part_of(&apart, &pieces(&apart)[1]);
        assert_eq!((piece.faces().len(), piece.bounds().min.x), (12, 2.5));
        // Two cubes with a common corner.
        let corner = cubes(&[(DVec3::ZERO, 1.0, false), (DVec3::ONE, 1.0, false)]);
        assert_eq!(sizes(&corner), [24]);
        // 0 and −0.
        let zeros = Mesh::new(
            vec![DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::ZERO, -DVec3::X, -DVec3::Y],
            vec![[0, 1, 2], [3, 4, 5]],
        );
        assert_eq!(sizes(&zeros.unwrap()), [2]);
    }

    #[test]
    fn cavities_belong_to_the_solid_around_them() {
        let (hollow, apart) = (DVec3::ZERO, DVec3::X * 50.0);
        // A hollow cube with a hollow cube in its cavity, a solid one, and one that faces inward by mistake.
        let mesh = cubes(&[
            (hollow, 2.0, true),
            (hollow, 10.0, false),
            (hollow, 8.0, true),
            (hollow, 4.0, false),
            (apart, 4.0, false),
            (apart * 2.0, 4.0, true),
        ]);
        assert_eq!(sizes(&mesh), [24, 24, 12, 12]);
        let found = pieces(&mesh);
        assert_eq!(found[0], (0..12).chain(36..48).collect::<Vec<u32>>());
        assert_eq!(found[1], (12..36).collect::<Vec<u32>>());
        // A solid within a solid is no cavity.
        assert_eq!(sizes(&cubes(&[(hollow, 4.0, false), (hollow, 2.0, false)])), [12, 12]);
    }
}
