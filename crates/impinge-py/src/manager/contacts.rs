//! Points, normals and depths of the contacts of two geometries.

use super::geometry::{Geometry, Placed};
use crate::arrays;
use impinge::{FacePair, contact::ContactRegions, convex::Penetration, glam::DVec3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// Faces, points, normals and depths of contacts.
type ContactArrays<'py> = (
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// The contacts of two geometries that collide, sorted by faces: pairs of faces, a point of each, the direction from a
/// to b, and the depth.
#[pyfunction]
pub(crate) fn geometry_contacts<'py>(
    py: Python<'py>,
    a: &Geometry,
    pose_a: &Bound<'py, PyAny>,
    b: &Geometry,
    pose_b: &Bound<'py, PyAny>,
) -> PyResult<ContactArrays<'py>> {
    let a = Placed::new(&a.inner, arrays::pose(Some(pose_a))?);
    let b = Placed::new(&b.inner, arrays::pose(Some(pose_b))?);
    let rows = py.detach(|| contact_rows(&a, &b));
    let faces: Vec<FacePair> = rows.iter().map(|row| row.faces).collect();
    Ok((
        arrays::face_pairs(py, &faces),
        arrays::points(py, rows.iter().map(|row| row.point).collect()),
        arrays::points(py, rows.iter().map(|row| row.normal).collect()),
        PyArray1::from_iter(py, rows.iter().map(|row| row.depth)),
    ))
}

struct Row {
    faces: FacePair,
    point: DVec3,
    /// From a to b.
    normal: DVec3,
    depth: f64,
}

fn contact_rows(a: &Placed, b: &Placed) -> Vec<Row> {
    let contacts = match a.bounds.overlaps(&b.bounds) {
        true => impinge::contacts(a.placed(), b.placed()).unwrap_or_default(),
        false => Vec::new(),
    };
    let solid = a.penetration(b);
    if contacts.is_empty() {
        return inside_row(a, b, solid).into_iter().collect();
    }
    let mut rows = Vec::with_capacity(contacts.len());
    let mut add = |faces: &[FacePair], normal: DVec3, depth: f64| {
        let row = |&faces: &FacePair| Row { faces, point: a.common_point(b, faces), normal, depth };
        rows.extend(faces.iter().map(row));
    };
    match solid {
        Some(found) => add(&contacts, -found.normal, found.depth),
        None => {
            let mut regions = ContactRegions::new();
            for region in regions.find(a.placed(), b.placed(), &contacts).iter() {
                add(region.contacts(), -region.normal(), region.depth());
            }
        }
    }
    rows.sort_unstable_by_key(|row| row.faces);
    rows
}

/// The contact of a body inside of a solid, where no faces touch.
fn inside_row(a: &Placed, b: &Placed, solid: Option<Penetration>) -> Option<Row> {
    if !a.collides(b) {
        return None;
    }
    let nearest = impinge::distance(a.placed(), b.placed()).ok()??;
    let is_b_inside = a.inside(b).is_some();
    let point = if is_b_inside { nearest.b } else { nearest.a };
    let (normal, depth) = match solid {
        Some(found) => (-found.normal, found.depth),
        // The body inside leaves the solid at the nearest face.
        None => ((nearest.a - nearest.b).normalize_or_zero(), nearest.distance),
    };
    Some(Row { faces: nearest.faces, point, normal, depth })
}
