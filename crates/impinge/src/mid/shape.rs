//! A mesh and its index in one, to be shared among any number of bodies.

use super::{Method, Nearest, PointStack, method::Tree, tree::BuildOptions};
use crate::{
    Bounds, Mesh, Pose,
    narrow::{nearest_point, point_distance},
};
use glam::DVec3;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// A mesh with all that was prepared of it, made once and shared by any number of bodies. Cheap to
/// clone: copies share everything.
///
/// ```
/// use impinge::{Method, Shape, generate};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// assert_eq!(ball.mesh().faces().len(), 960);
/// assert_eq!(ball.method(), Method::Wide);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Shape(Arc<Inner>);

struct Inner {
    mesh: Arc<Mesh>,
    method: Method,
    tree: Tree,
    reach: Reach,
    /// Corners beyond which no face reaches; made when first asked for.
    outline: OnceLock<Vec<DVec3>>,
}

/// How far a mesh reaches from its middle.
#[derive(Clone, Copy, Debug)]
struct Reach {
    center: DVec3,
    /// At least how far the box reaches from the centre along each axis; below zero for no faces.
    half: DVec3,
    /// At least how far the farthest corner is from the centre.
    radius: f64,
    /// The largest magnitude of a coordinate.
    coordinate: f64,
}

impl Shape {
    /// Prepares a mesh by the method that is the fastest for most.
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Self {
        Self::with_method(Method::Wide, mesh)
    }

    /// Prepares a mesh by a method of choice.
    pub fn with_method(method: Method, mesh: impl Into<Arc<Mesh>>) -> Self {
        let mesh = mesh.into();
        let tree = Tree::build(method, &mesh, BuildOptions::default());
        let reach = Reach::of(&mesh);
        Self(Arc::new(Inner { mesh, method, tree, reach, outline: OnceLock::new() }))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.0.mesh
    }

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.0.method
    }

    /// How many bytes were prepared, the mesh itself not counted.
    pub fn bytes(&self) -> usize {
        self.0.tree.bytes()
    }

    /// A box in the world that holds every face as placed; the empty one for no faces.
    ///
    /// Found from the box of the mesh, so it is somewhat larger than it need be where the body is
    /// turned, and takes the same time for any number of faces.
    #[inline]
    pub fn placed_bounds(&self, pose: &Pose) -> Bounds {
        let Reach { center, half, .. } = self.0.reach;
        if half.x < 0.0 {
            return Bounds::EMPTY;
        }
        // A vertex v is `c + d` with `|d| ≤ h` along each axis, and where rounding puts it,
        // `R v + t + e`, is `R d + e − e'` away from where it puts the centre; both of e and e' are
        // at most what `rounding` says. Once more stands for the last difference, the few units for
        // the sum of products.
        let center = pose.place(center);
        let r = pose.rotation();
        let half = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        let half = half * (1.0 + 8.0 * f64::EPSILON) + 3.0 * pose.rounding(self.0.reach.coordinate);
        Bounds { min: center - half, max: center + half }
    }

    /// A sphere in the world that holds every face as placed: centre and radius; none for no faces.
    pub fn placed_sphere(&self, pose: &Pose) -> Option<(DVec3, f64)> {
        let Reach { center, half, radius, .. } = self.0.reach;
        // A rotation to 1e-6 lengthens no vector by more than 1.5e-6. Rounding moves along three axes.
        let radius = radius * (1.0 + 2e-6) + 6.0 * pose.rounding(self.0.reach.coordinate);
        (half.x >= 0.0).then(|| (pose.place(center), radius))
    }

    /// How far the faces as placed reach along some directions, whose components are 1, 0 or −1: from
    /// where and to where, for certain.
    ///
    /// Only the corners of the convex hull are placed. A vertex is a mean of them, and so is its true
    /// place of theirs; rounding moves it, them, and the sums along a direction.
    pub(crate) fn placed_extents(
        &self,
        pose: &Pose,
        directions: &[DVec3],
        extents: &mut Vec<[f64; 2]>,
    ) {
        let start = extents.len();
        extents.extend(directions.iter().map(|_| [f64::INFINITY, f64::NEG_INFINITY]));
        for &corner in self.outline() {
            let placed = pose.place(corner);
            for (direction, [low, high]) in directions.iter().zip(&mut extents[start..]) {
                let along = direction.dot(placed);
                *low = low.min(along);
                *high = high.max(along);
            }
        }
        let slack = 12.0 * pose.rounding(self.0.reach.coordinate);
        for [low, high] in &mut extents[start..] {
            *low -= slack;
            *high += slack;
        }
    }

    /// Corners beyond which no face reaches.
    fn outline(&self) -> &[DVec3] {
        self.0.outline.get_or_init(|| {
            let mesh = self.mesh();
            let corners = || mesh.faces().iter().flatten().map(|&v| mesh.positions()[v as usize]);
            match crate::convex::Hull::new(&corners().collect::<Vec<_>>()) {
                Ok(hull) => hull.positions().to_vec(),
                // Without a hull all of them will do.
                Err(_) => corners().collect(),
            }
        })
    }

    /// The point of the placed mesh that is closest to a point, unless it is within `floor` of it.
    /// Of several that are as close, that of the first face, to within rounding.
    pub(crate) fn nearest_beyond(
        &self,
        pose: &Pose,
        point: DVec3,
        floor: f64,
        stack: &mut PointStack,
    ) -> Option<Nearest> {
        let Tree::Wide(tree) = &self.0.tree else {
            let faces = 0..self.mesh().faces().len() as u32;
            let measured = faces.map(|face| {
                let triangle = self.mesh().triangle(face).map(|corner| pose.place(corner));
                let nearest = nearest_point(&triangle, point);
                Nearest { distance: point_distance(nearest, point), point: nearest, face }
            });
            let nearest = measured.min_by(|p, q| p.distance.total_cmp(&q.distance));
            return nearest.filter(|nearest| nearest.distance > floor);
        };
        tree.nearest_beyond(self.mesh(), pose, point, floor, stack)
    }

    /// Visits all faces of the placed mesh that are within a distance of a point, to within rounding.
    pub(crate) fn faces_within(
        &self,
        pose: &Pose,
        point: DVec3,
        distance: f64,
        stack: &mut PointStack,
        mut visit: impl FnMut(u32),
    ) {
        if let Tree::Wide(tree) = &self.0.tree {
            return tree.within(self.mesh(), pose, point, distance, stack, visit);
        }
        for face in 0..self.mesh().faces().len() as u32 {
            let triangle = self.mesh().triangle(face).map(|corner| pose.place(corner));
            if point_distance(nearest_point(&triangle, point), point) <= distance {
                visit(face);
            }
        }
    }

    /// Visits all faces of the placed mesh that a point sees in the direction of the x axis, within a
    /// distance; and some more.
    pub(crate) fn along_x(
        &self,
        pose: &Pose,
        point: DVec3,
        distance: f64,
        stack: &mut PointStack,
        visit: impl FnMut(u32),
    ) {
        match &self.0.tree {
            Tree::Wide(tree) => tree.along_x(pose, point, distance, stack, visit),
            _ => (0..self.mesh().faces().len() as u32).for_each(visit),
        }
    }

    /// The mesh and its tree.
    pub(super) fn parts(&self) -> (&Mesh, &Tree) {
        (&self.0.mesh, &self.0.tree)
    }
}

impl Reach {
    fn of(mesh: &Mesh) -> Self {
        let corners = || mesh.faces().iter().flatten().map(|&v| mesh.positions()[v as usize]);
        let bounds = Bounds::enclosing(corners());
        if bounds.is_empty() {
            let (center, half) = (DVec3::ZERO, DVec3::splat(-1.0));
            return Self { center, half, radius: 0.0, coordinate: 0.0 };
        }
        let center = bounds.center();
        let coordinate = bounds.min.abs().max(bounds.max.abs()).max_element();
        // Differences of coordinates are rounded once, relative to themselves.
        let half = (bounds.max - center).max(center - bounds.min) * (1.0 + 2.0 * f64::EPSILON);
        let farthest = corners().map(|p| (p - center).abs()).fold(0.0f64, |far, d| {
            // The largest component taken out, so that no square overflows or vanishes.
            let scale = d.max_element();
            if scale > 0.0 { far.max(scale * (d / scale).length()) } else { far }
        });
        Self { center, half, radius: farthest * (1.0 + 16.0 * f64::EPSILON), coordinate }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("method", &self.method())
            .field("faces", &self.mesh().faces().len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
