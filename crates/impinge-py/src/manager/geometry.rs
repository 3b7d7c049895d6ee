//! A shape of a body, a placed one, and what is asked about two placed ones.

use crate::{
    mesh::Mesh,
    shape::{Shape as PyShape, shape_of},
};
use impinge::{
    Bounds, FacePair, Method, Pair, PointLocation, Pose, Shape, Tolerance,
    convex::{Penetration, Polytope, penetration},
    glam::DVec3,
    narrow::{triangles_distance, triangles_meet},
};
use pyo3::prelude::*;
use std::{
    ops::ControlFlow,
    sync::{Arc, OnceLock},
};

/// Computed distances are right to a relative 1e-12, so that pairs within this factor may be nearer.
pub(super) const SLACK: f64 = 1.0 + 1e-11;

/// A shape, and whether it is a solid: then it must be convex.
#[pyclass(frozen, module = "impinge._impinge")]
#[derive(Debug)]
pub(crate) struct Geometry {
    pub(super) inner: Arc<Prepared>,
    shape: Py<PyAny>,
}

#[derive(Debug)]
pub(crate) struct Prepared {
    pub(super) shape: Shape,
    pub(super) is_solid: bool,
    /// The convex hull of a solid; `None` if it cannot be made.
    hull: OnceLock<Option<Polytope>>,
    /// A face of each connected piece of the surface.
    pieces: OnceLock<Vec<u32>>,
}

#[pymethods]
impl Geometry {
    #[new]
    fn new(shape: &Bound<'_, PyAny>, is_solid: bool) -> PyResult<Self> {
        let prepared = shape_of("shape", shape)?;
        // Two shapes can be compared if the same method has prepared them.
        let prepared = match prepared.method() == Method::default() {
            true => prepared,
            false => shape.py().detach(|| Shape::new(Arc::clone(prepared.mesh()))),
        };
        let inner = Arc::new(Prepared {
            shape: prepared,
            is_solid,
            hull: OnceLock::new(),
            pieces: OnceLock::new(),
        });
        let known = remembered(shape).map(|known| known.get_or_init(|| Arc::clone(&inner)));
        let inner = known.filter(|known| known.is_solid == is_solid).cloned().unwrap_or(inner);
        Ok(Self { inner, shape: shape.clone().unbind() })
    }

    /// What was prepared of a shape or a mesh before; `None` if nothing was.
    #[staticmethod]
    fn known(shape: &Bound<'_, PyAny>) -> Option<Self> {
        let inner = remembered(shape)?.get()?.clone();
        Some(Self { inner, shape: shape.clone().unbind() })
    }

    /// The shape or the mesh.
    #[getter]
    fn shape(&self, py: Python<'_>) -> Py<PyAny> {
        self.shape.clone_ref(py)
    }

    /// Whether it is a solid.
    #[getter]
    fn is_solid(&self) -> bool {
        self.inner.is_solid
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        let state = (this.shape(slf.py()), this.is_solid());
        Ok((slf.get_type(), state).into_pyobject(slf.py())?.into_any())
    }
}

/// The place where a shape or a mesh keeps what managers have prepared of it. There it lives as long as the shape.
fn remembered<'o>(shape: &'o Bound<'_, PyAny>) -> Option<&'o OnceLock<Arc<Prepared>>> {
    let of_shape = shape.cast_exact::<PyShape>().map(|shape| &shape.get().prepared);
    of_shape.or_else(|_| shape.cast_exact::<Mesh>().map(|mesh| &mesh.get().prepared)).ok()
}

impl Prepared {
    fn hull(&self) -> Option<&Polytope> {
        let positions = || self.shape.mesh().positions();
        self.hull.get_or_init(|| Polytope::new(positions()).ok()).as_ref()
    }

    fn pieces(&self) -> &[u32] {
        self.pieces.get_or_init(|| {
            let mesh = self.shape.mesh();
            let mut roots: Vec<u32> = (0..mesh.positions().len() as u32).collect();
            fn root(roots: &mut [u32], mut of: u32) -> u32 {
                while roots[of as usize] != of {
                    let above = roots[roots[of as usize] as usize];
                    roots[of as usize] = above;
                    of = above;
                }
                of
            }
            for &[a, b, c] in mesh.faces() {
                for other in [b, c] {
                    let (x, y) = (root(&mut roots, a), root(&mut roots, other));
                    roots[x.max(y) as usize] = x.min(y);
                }
            }
            let mut is_seen = vec![false; roots.len()];
            let mut first = Vec::new();
            for (number, face) in (0..).zip(mesh.faces()) {
                let piece = root(&mut roots, face[0]) as usize;
                if !std::mem::replace(&mut is_seen[piece], true) {
                    first.push(number);
                }
            }
            first
        })
    }
}

/// A geometry at a pose.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) geometry: Arc<Prepared>,
    pub(super) pose: Pose,
    pub(super) bounds: Bounds,
}

impl Placed {
    pub(super) fn new(geometry: &Arc<Prepared>, pose: Pose) -> Self {
        let bounds = geometry.shape.placed_bounds(&pose);
        Self { geometry: Arc::clone(geometry), pose, bounds }
    }

    pub(super) fn placed(&self) -> (&Shape, &Pose) {
        (&self.geometry.shape, &self.pose)
    }

    /// A point of `other` that lies inside of this solid, if the surfaces do not touch.
    pub(super) fn inside(&self, other: &Self) -> Option<DVec3> {
        if !self.geometry.is_solid {
            return None;
        }
        let (shape, pose) = other.placed();
        let mesh = shape.mesh();
        other.geometry.pieces().iter().find_map(|&face| {
            let point = pose.place(mesh.positions()[mesh.faces()[face as usize][0] as usize]);
            let is_inside = self.bounds.contains(point)
                && matches!(
                    self.geometry.shape.contains_point(&self.pose, point),
                    Ok(PointLocation::Inside | PointLocation::OnSurface)
                );
            is_inside.then_some(point)
        })
    }

    pub(super) fn surfaces_touch(&self, other: &Self) -> bool {
        // The default method has prepared all shapes, so that this cannot fail.
        self.bounds.overlaps(&other.bounds)
            && impinge::intersects(self.placed(), other.placed()).unwrap_or(false)
    }

    /// Whether the surfaces touch, or one body is a solid and has a part of the other inside.
    pub(super) fn collides(&self, other: &Self) -> bool {
        self.bounds.overlaps(&other.bounds)
            && (self.surfaces_touch(other)
                || self.inside(other).is_some()
                || other.inside(self).is_some())
    }

    /// How deep two solids penetrate each other.
    pub(super) fn penetration(&self, other: &Self) -> Option<Penetration> {
        if !(self.geometry.is_solid && other.geometry.is_solid) {
            return None;
        }
        let (a, b) = (self.geometry.hull()?, other.geometry.hull()?);
        penetration((a, &self.pose), (b, &other.pose))
    }

    /// A lower bound of the distance.
    pub(super) fn gap(&self, other: &Self) -> f64 {
        let apart = (other.bounds.min - self.bounds.max).max(self.bounds.min - other.bounds.max);
        apart.max(DVec3::ZERO).length() * (1.0 - 1e-12)
    }

    /// A pair of faces that touch, and a point that they share.
    fn first_contact(&self, other: &Self) -> Option<(FacePair, DVec3)> {
        if !self.bounds.overlaps(&other.bounds) {
            return None;
        }
        let mut pair = Pair::new(&self.geometry.shape, &other.geometry.shape).ok()?;
        let found = pair.at(&self.pose, &other.pose).visit(ControlFlow::Break);
        let faces = found.break_value()?;
        Some((faces, self.common_point(other, faces)))
    }

    /// A point that two touching faces share: the mean of the corners of their intersection.
    pub(super) fn common_point(&self, other: &Self, faces: FacePair) -> DVec3 {
        let of =
            |body: &Self, face| body.pose.place_triangle(body.geometry.shape.mesh().triangle(face));
        let (a, b) = (of(self, faces.a), of(other, faces.b));
        match triangles_meet(&a, &b) {
            Some(corners) => corners.iter().sum::<DVec3>() / corners.len() as f64,
            None => {
                let closest = triangles_distance(&a, &b);
                (closest.a + closest.b) * 0.5
            }
        }
    }

    /// The distance, if it is at most `limit`: 0 for bodies that collide, and less if both are solids.
    pub(super) fn distance(&self, other: &Self, limit: f64) -> Option<Gap> {
        // To find a contact takes much less time than to find out that there is nothing nearer.
        let contact = self.first_contact(other);
        let inside = match contact {
            None if self.bounds.overlaps(&other.bounds) => {
                self.inside(other).or_else(|| other.inside(self))
            }
            _ => None,
        };
        if (contact.is_some() || inside.is_some())
            && let Some(gap) = self.penetration_gap(other)
        {
            return Some(gap);
        }
        if let Some((faces, point)) = contact {
            return Some(Gap { distance: 0.0, points: [point; 2], faces: [faces.a, faces.b] });
        }
        let limit = if inside.is_some() { f64::INFINITY } else { limit };
        let mut pair = Pair::new(&self.geometry.shape, &other.geometry.shape).ok()?;
        let query = pair.at(&self.pose, &other.pose);
        let found = match Tolerance::new(limit * SLACK) {
            Ok(tolerance) => {
                let Ok(query) = query.within(tolerance);
                query.distance()?
            }
            Err(_) => query.distance()?,
        };
        let faces = [found.faces.a, found.faces.b];
        match inside {
            None => Some(Gap { distance: found.distance, points: [found.a, found.b], faces }),
            Some(point) => Some(Gap { distance: 0.0, points: [point; 2], faces }),
        }
    }

    /// The negative distance of two solids that overlap.
    fn penetration_gap(&self, other: &Self) -> Option<Gap> {
        let Penetration { depth, normal, .. } = self.penetration(other)?;
        // Moved apart, the bodies just touch: there lie the points.
        let shift = normal * depth;
        let pose = other.pose;
        let apart = Pose::new(pose.rotation(), pose.translation() - shift).unwrap_or(pose);
        let touch = impinge::distance(self.placed(), (&other.geometry.shape, &apart)).ok()??;
        let points = [touch.a, touch.b + shift];
        // Not -0.
        Some(Gap { distance: 0.0 - depth, points, faces: [touch.faces.a, touch.faces.b] })
    }
}

/// A distance, the points where it is attained, and the faces on which they lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) distance: f64,
    pub(super) points: [DVec3; 2],
    pub(super) faces: [u32; 2],
}
