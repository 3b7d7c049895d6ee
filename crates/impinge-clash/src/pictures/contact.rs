//! Where the surfaces of two clashing parts meet, for the colours of a picture. `pictures.rs` calls it.

use crate::renderer::Contact;
use impinge::{Bounds, FacePair, clash::Clash, glam::DVec3};
use impinge_io::assembly::Assembly;

/// Maximum number of face pairs that are considered; of more pairs, an even selection.
const MAX_PAIRS: usize = 30_000;

type Triangle = [DVec3; 3];

/// Returns where the surfaces of a clash meet; between the closest points if they do not meet.
pub(super) fn contacts(assembly: &Assembly, clash: &Clash) -> Vec<Contact> {
    if clash.distance > 0.0 || clash.faces.is_empty() {
        return vec![Contact::Segment(clash.points[0], clash.points[1])];
    }
    let placed = |part: usize, face: u32| -> Triangle {
        let placement = &assembly.parts[part].placement;
        assembly.mesh(part).triangle(face).map(|corner| placement.place(corner))
    };
    let stride = clash.faces.len().div_ceil(MAX_PAIRS);
    let pairs = clash.faces.iter().step_by(stride);
    pairs.map(|FacePair { a, b }| contact(&placed(clash.a, *a), &placed(clash.b, *b))).collect()
}

/// Returns where two triangles meet: a segment if they cross. If they are parallel, the box in which they
/// overlap.
fn contact(a: &Triangle, b: &Triangle) -> Contact {
    crossing(a, b).unwrap_or_else(|| {
        let [one, other] = [Bounds::enclosing(*a), Bounds::enclosing(*b)];
        let (min, max) = (one.min.max(other.min), one.max.min(other.max));
        Contact::Box(Bounds { min: min.min(max), max: max.max(min) })
    })
}

/// Returns the segment along which two triangles cross; `None` if they are nearly parallel or do not cross.
fn crossing(a: &Triangle, b: &Triangle) -> Option<Contact> {
    let normal = |[a, b, c]: &Triangle| (b - a).cross(c - a).normalize_or_zero();
    let [normal_a, normal_b] = [normal(a), normal(b)];
    let along = normal_a.cross(normal_b);
    if along.length() < 1e-3 {
        return None;
    }
    let [[start_a, end_a], [start_b, end_b]] =
        [in_order(cut(a, b[0], normal_b)?, along), in_order(cut(b, a[0], normal_a)?, along)];
    let start = if start_a.dot(along) > start_b.dot(along) { start_a } else { start_b };
    let end = if end_a.dot(along) < end_b.dot(along) { end_a } else { end_b };
    (start.dot(along) <= end.dot(along)).then_some(Contact::Segment(start, end))
}

fn in_order([from, to]: [DVec3; 2], along: DVec3) -> [DVec3; 2] {
    if from.dot(along) <= to.dot(along) { [from, to] } else { [to, from] }
}

/// Returns where a plane cuts a triangle.
fn cut(triangle: &Triangle, point: DVec3, normal: DVec3) -> Option<[DVec3; 2]> {
    let sides = triangle.map(|corner| normal.dot(corner - point));
    let mut ends = Vec::with_capacity(3);
    for at in 0..3 {
        let (side, next) = (sides[at], sides[(at + 1) % 3]);
        if side == 0.0 {
            ends.push(triangle[at]);
        } else if side * next < 0.0 {
            ends.push(triangle[at].lerp(triangle[(at + 1) % 3], side / (side - next)));
        }
    }
    match ends[..] {
        [from, to] => Some([from, to]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_cross_in_a_segment_and_overlap_in_a_box() {
        let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let at = |x: f64, z: f64| DVec3::new(x, 1.0, z);
        let wall = [at(1.0, -1.0), at(1.0, 1.0), at(2.0, 0.0)];
        let Contact::Segment(from, to) = contact(&floor, &wall) else { panic!("they cross") };
        assert!(from.min(to).distance(at(1.0, 0.0)) < 1e-12);
        assert!(from.max(to).distance(at(2.0, 0.0)) < 1e-12);
        let shifted = floor.map(|corner| corner + DVec3::ONE.with_z(0.0));
        let Contact::Box(bounds) = contact(&floor, &shifted) else { panic!("they are parallel") };
        assert_eq!((bounds.min, bounds.max), (DVec3::ONE.with_z(0.0), DVec3::new(4.0, 4.0, 0.0)));
        assert!(matches!(contact(&wall, &floor.map(|it| it - DVec3::Z * 5.0)), Contact::Box(_)));
    }
}
