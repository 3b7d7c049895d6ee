//! Normal cones: whether a feature is the one that faces a direction, where to go if it is not, and a proof if it is.
//!
//! A point outside a convex body lies in the Voronoi region of a feature exactly if the direction to it, from its closest point on
//! the feature, lies in the feature's normal cone: the directions along which no point of the body is further than the
//! feature. For a vertex the cone is bounded by planes across its edges, for an edge by planes across its two facets, and
//! for a facet it is its normal alone.

use super::{
    Feature, Polytope,
    polytope::{HEIGHT_ERROR, NONE},
};
use glam::DVec3;

/// Whether a direction lies in the normal cone of a feature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cone {
    /// It does. The body nearest to leaving it, the largest rise along the direction from a vertex to a neighbour; not
    /// known, and 0, for edges and facets.
    Inside { rise: f64 },
    /// The body reaches further along the direction on a feature that contains this one.
    Beyond(Feature),
    /// The direction leads into the body, away from this facet.
    Behind(u32),
}

/// Where a point behind a facet is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    /// In the body.
    Inside,
    /// Above this facet, which is nearest to it as seen from the middle of the body.
    Above(u32),
    /// Not found.
    Unknown,
}

/// The most facets that are passed on the way to a point.
const MOST_FACETS: usize = 256;

impl Polytope {
    /// Whether a direction lies in the normal cone of a feature.
    #[inline]
    pub(super) fn cone(&self, feature: Feature, direction: DVec3) -> Cone {
        match feature {
            Feature::Vertex(vertex) => {
                let (mut rise, mut edge) = (f64::NEG_INFINITY, 0);
                for spoke in self.spokes(vertex) {
                    let other = spoke.along.dot(direction);
                    if other > rise {
                        (rise, edge) = (other, spoke.edge);
                    }
                }
                if rise > 0.0 { Cone::Beyond(Feature::Edge(edge)) } else { Cone::Inside { rise } }
            }
            Feature::Edge(index) => {
                let edge = self.edge(index);
                for (facet, inward) in edge.facets.into_iter().zip(edge.inward) {
                    if facet != NONE && inward.dot(direction) > 0.0 {
                        return Cone::Beyond(Feature::Facet(facet));
                    }
                }
                Cone::Inside { rise: 0.0 }
            }
            Feature::Facet(facet) => {
                let is_behind = self.facet(facet).normal.dot(direction) < 0.0;
                if is_behind && !self.is_flat() {
                    Cone::Behind(facet)
                } else {
                    Cone::Inside { rise: 0.0 }
                }
            }
        }
    }

    /// An upper bound on `direction · corner` over all corners, nearly tight if the direction lies in the normal cone of
    /// the feature. `length` is that of the direction, at least, and `rise` what [`cone`](Self::cone) found.
    ///
    /// - A vertex from which no neighbour rises is the highest of all. If a neighbour is so near to rising that rounding could
    ///   hide it, an exact climb decides.
    /// - A direction in the cone of an edge is a sum `α·m + β·n` of the normals of its facets, with α and β not negative. No
    ///   corner is higher along m and n than the tops of the facets, so none is higher than `α·top + β·top` along the sum. What
    ///   rounding leaves of the direction adds its length times the radius. So the bound holds for all α and β that are not
    ///   negative, however they were computed.
    #[inline]
    pub(super) fn height_bound(
        &self,
        feature: Feature,
        direction: DVec3,
        length: f64,
        rise: f64,
    ) -> f64 {
        match feature {
            Feature::Vertex(vertex) if rise < -HEIGHT_ERROR * self.radius() * length => {
                self.corner(vertex).dot(direction)
            }
            Feature::Edge(edge) if !self.is_flat() && self.edge(edge).facets[0] != NONE => {
                let edge = self.edge(edge);
                let [m, n] = edge.facets.map(|facet| self.facet(facet));
                // Along the inward vector of m's facet only n counts, and it leads down there.
                let slope = n.normal.dot(edge.inward[0]);
                let beta = if slope < 0.0 {
                    (direction.dot(edge.inward[0]) / slope).max(0.0)
                } else {
                    0.0
                };
                let alpha = (direction - n.normal * beta).dot(m.normal).max(0.0);
                let rest = direction - m.normal * alpha - n.normal * beta;
                alpha * m.top + beta * n.top + length_bound(rest) * self.radius()
            }
            Feature::Facet(facet) => {
                let facet = match self.is_flat() {
                    true => usize::from(self.facet(0).normal.dot(direction) < 0.0) as u32,
                    false => facet,
                };
                let facet = self.facet(facet);
                let alpha = facet.normal.dot(direction).max(0.0);
                alpha * facet.top + length_bound(direction - facet.normal * alpha) * self.radius()
            }
            _ => {
                let start = self.vertices_of(feature).next().unwrap_or(0);
                self.exact_height(start, direction)
            }
        }
    }

    /// The largest `direction · corner` over all corners, to a few roundings.
    pub(super) fn exact_height(&self, start: u32, direction: DVec3) -> f64 {
        self.corner(self.furthest(start, direction)).dot(direction)
    }

    /// Finds out where a point is that is behind a facet.
    ///
    /// Pseudo-internal regions (Ponamgi, Manocha and Lin 1995): each facet and the middle of the body span a pyramid, and the
    /// pyramids fill the body. From pyramid to pyramid, the search crosses sides that the point is beyond, until it comes to
    /// the pyramid, continued beyond its facet, that contains the point.
    pub(super) fn locate(&self, point: DVec3, mut facet: u32) -> Location {
        let middle = self.middle();
        'search: for _ in 0..MOST_FACETS {
            for rim in self.rim(facet) {
                let edge = self.edge(rim.edge);
                let side = rim.side as usize;
                let [from, to] = [edge.vertices[side], edge.vertices[1 - side]];
                let from = self.corner(from);
                let across = (self.corner(to) - from).cross(middle - from);
                if across.dot(point - from) < 0.0 {
                    facet = edge.facets[1 - side];
                    continue 'search;
                }
            }
            let Facet { normal, corner } = self.plane(facet);
            let is_above = (point - corner).dot(normal) > 0.0;
            return if is_above { Location::Above(facet) } else { Location::Inside };
        }
        Location::Unknown
    }

    /// The normal and a corner of a facet.
    fn plane(&self, facet: u32) -> Facet {
        let corner = self.vertices_of(Feature::Facet(facet)).next().unwrap_or(0);
        Facet { normal: self.facet(facet).normal, corner: self.corner(corner) }
    }
}

/// An upper bound on the length of a vector, without a square root.
#[inline(always)]
fn length_bound(vector: DVec3) -> f64 {
    vector.abs().element_sum()
}

struct Facet {
    normal: DVec3,
    corner: DVec3,
}
