//! Where the surfaces of two overlapping hulls cross: an edge of one that passes through a facet of the other.

use super::{
    Feature, HullKind, Polytope,
    feature_distance::point_on_facet,
    normal_cone::Location,
    placed_pair::{PlacedPair, PlacedPolytope},
};
use glam::DVec3;
use std::ops::ControlFlow;

/// The most edges followed towards the outside, and the most facets tried on the way back.
const MOST_STEPS: usize = 64;

/// Visits pairs of facets of two overlapping hulls that probably cross, near features that a search of the closest features ended
/// with, until told to stop. Visits none if one hull is inside the other.
///
/// In plain floating point: where faces are to be found that touch, an exact test decides.
pub(crate) fn visit_crossing_facets(
    a: PlacedPolytope<'_>,
    b: PlacedPolytope<'_>,
    [f, g]: [Feature; 2],
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(pair) = PlacedPair::new(a, b).filter(PlacedPair::is_rigid) else {
        return ControlFlow::Continue(());
    };
    // Points, segments and polygons have no inside.
    let is_solid = |polytope: &Polytope| polytope.hull().shape() == HullKind::Polytope;
    if !pair.a.has(f) || !pair.b.has(g) || !is_solid(pair.a) || !is_solid(pair.b) {
        return ControlFlow::Continue(());
    }
    let closest = pair.closest([f, g]);
    if closest.distance_sq <= pair.slack * pair.slack {
        // The features meet, and so do the facets at them.
        let mut result = ControlFlow::Continue(());
        pair.a.facets_at(closest.features[0], |facet_a| {
            pair.b.facets_at(closest.features[1], |facet_b| {
                if result.is_continue() {
                    result = visit([facet_a, facet_b]);
                }
            });
        });
        return result;
    }
    // A vertex of one body is inside the other: the surface is crossed on the way out.
    let [out_b, out_a] = [pair.offset, -pair.offset];
    let at = |vertex: u32| pair.to_a(pair.corner_b(vertex));
    let [_, out] = pair.directions_to_bodies(out_b);
    if let Some((facet, edge)) = crossing_edge(pair.a, pair.b, closest.features[1], out, at) {
        for other in pair.b.edge(edge).facets {
            visit([facet, other])?;
        }
    }
    let at = |vertex: u32| pair.to_b(pair.corner_a(vertex));
    let [out, _] = pair.directions_to_bodies(out_a);
    if let Some((facet, edge)) = crossing_edge(pair.b, pair.a, closest.features[0], out, at) {
        for other in pair.a.edge(edge).facets {
            visit([other, facet])?;
        }
    }
    ControlFlow::Continue(())
}

/// An edge of `mover` that passes through a facet of `target`: climbs along `out` from a vertex inside the target to a
/// neighbour outside. `at` places a vertex of `mover` in the frame of `target`.
fn crossing_edge(
    target: &Polytope,
    mover: &Polytope,
    start: Feature,
    out: DVec3,
    at: impl Fn(u32) -> DVec3,
) -> Option<(u32, u32)> {
    let near = |point: DVec3| {
        let (vertex, mut facet) = (target.start(point - target.middle()), 0);
        target.facets_at(Feature::Vertex(vertex), |at_vertex| facet = at_vertex);
        facet
    };
    let is_inside = |vertex: u32| {
        let point = at(vertex);
        matches!(target.locate(point, near(point)), Location::Inside)
    };
    // The vertex that reaches furthest into the target, if none of the known ones is inside.
    let deepest = || mover.climb(mover.start(-out), -out);
    let known = mover.vertices_of(start).chain(std::iter::once_with(deepest));
    let mut vertex = known.into_iter().find(|&vertex| is_inside(vertex))?;
    for _ in 0..MOST_STEPS {
        let rising = mover.spokes(vertex).iter().map(|spoke| (spoke.along.dot(out), spoke));
        let (rise, spoke) = rising.max_by(|p, q| p.0.total_cmp(&q.0))?;
        if rise <= 0.0 {
            return None;
        }
        if !is_inside(spoke.vertex) {
            let (inner, outer) = (at(vertex), at(spoke.vertex));
            let facet = crossed_facet(target, near(outer), [inner, outer])?;
            return Some((facet, spoke.edge));
        }
        vertex = spoke.vertex;
    }
    None
}

/// The facet through which a segment leaves the body: from the outer end, the segment is shortened to the plane of the facet that is
/// in the way, until it ends in that facet.
fn crossed_facet(target: &Polytope, near: u32, [inner, mut outer]: [DVec3; 2]) -> Option<u32> {
    let mut facet = near;
    for _ in 0..MOST_STEPS {
        facet = match target.locate(outer, facet) {
            Location::Above(facet) => facet,
            // Shortened to the surface.
            Location::Inside => return Some(facet),
            Location::Unknown => return None,
        };
        let corner = target.corner(target.vertices_of(Feature::Facet(facet)).next()?);
        let normal = target.facet(facet).normal;
        let [low, high] = [inner, outer].map(|point| (point - corner).dot(normal));
        let is_between = low < 0.0 && high > 0.0;
        if !is_between {
            return None;
        }
        outer = inner + (outer - inner) * (low / (low - high));
        if let (_, Feature::Facet(_)) = point_on_facet(target, facet, outer) {
            return Some(facet);
        }
    }
    None
}
