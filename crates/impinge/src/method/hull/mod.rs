//! Closest features of convex hulls, then a tree (Lin, Manocha, Cohen, Gottschalk 1996): the stages of I-COLLIDE and RAPID.
//!
//! For two bodies, the closest features of their hulls are followed from query to query ([`convex`](crate::convex)). If the hulls
//! are proven to be apart, so are the bodies, and no face is looked at. If they overlap, the search looks where an edge of one
//! hull passes through a facet of the other. If faces of the meshes cover hull facets there (*red* features), they mostly touch, and the
//! exact test of these few faces tells that bodies touch. In all other cases, and for all contacts, the tree of the default
//! method is searched.
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | [`HullOptions`]: how hulls are separated |
//! | `separator.rs` | what is remembered of a pair of hulls: their closest features, or a plane between them |
//! | `facet_pairs.rs` | [`FacetPairs`]: all facets of two hulls whose boxes overlap, by sweep and prune |
//! | `search.rs` | the search of two bodies |

mod facet_pairs;
mod options;
mod search;
mod separator;

pub use facet_pairs::{FacetPair, FacetPairs};
pub use options::{HullOptions, Separation};
pub(super) use separator::Separator;

use super::{MethodInfo, PointScratch, Prepared, Recipe, Search, SolidScratch, SolidVisitor};
use crate::{
    Mesh, Method, Pose, Ray, Threads,
    convex::{Coverage, Polytope},
    solid::SweptSolid,
};
use glam::DVec3;
use search::HullSearch;
use std::sync::Arc;

/// The method `hull`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "hull",
    "closest features of convex hulls, kept from step to step, then a tree",
    |mesh, threads| HullOptions::default().prepare_on(mesh, threads),
)
.paper("Lin, Manocha, Cohen, Gottschalk 1996");

impl Recipe for HullOptions {
    fn method(&self) -> Method {
        Method::HULL
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        self.prepare_on(mesh, Threads::One)
    }

    fn prepare_on(self, mesh: &Mesh, threads: Threads) -> Arc<dyn Prepared> {
        Arc::new(HullTree::new(mesh, self, Method::WIDE.build(mesh, threads)))
    }
}

/// The hull of a mesh, and a tree over its faces.
#[derive(Debug)]
pub(super) struct HullTree {
    polytope: Polytope,
    coverage: Coverage,
    options: HullOptions,
    tree: Arc<dyn Prepared>,
}

impl HullTree {
    fn new(mesh: &Mesh, options: HullOptions, tree: Arc<dyn Prepared>) -> Self {
        // Vertices that no face uses do not count.
        let corners: Vec<DVec3>;
        let points = match mesh.uses_all_vertices() {
            true => mesh.positions(),
            false => {
                corners = mesh.triangles().flatten().collect();
                &corners
            }
        };
        let polytope = Polytope::new(points).unwrap_or_else(|error| {
            unreachable!("coordinates are finite, and a mesh has fewer than 2^32 corners: {error}")
        });
        let coverage = Coverage::new(&polytope, mesh);
        Self { polytope, coverage, options, tree }
    }
}

impl Prepared for HullTree {
    fn bytes(&self) -> usize {
        let hull = self.polytope.bytes() + self.coverage.bytes();
        size_of::<Self>() + hull + self.tree.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(HullSearch::new(self.tree.new_search()))
    }

    /// What is remembered of the hulls of a pair is part of its front.
    fn has_front(&self) -> bool {
        true
    }

    fn refitted(self: Arc<Self>, mesh: &Mesh, threads: Threads) -> Option<Arc<dyn Prepared>> {
        let (options, tree) = (self.options, Arc::clone(&self.tree));
        // The only owner of the tree need not copy it.
        drop(self);
        let tree = tree.refitted(mesh, threads)?;
        Some(Arc::new(Self::new(mesh, options, tree)))
    }

    fn has_point_search(&self) -> bool {
        self.tree.has_point_search()
    }

    fn faces_near_point(
        &self,
        body: (&Mesh, &Pose),
        point: DVec3,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.tree.faces_near_point(body, point, scratch, visit);
    }

    fn faces_along_ray(
        &self,
        body: (&Mesh, &Pose),
        ray: &Ray,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.tree.faces_along_ray(body, ray, scratch, visit);
    }

    fn faces_near_solid(
        &self,
        body: (&Mesh, &Pose),
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        self.tree.faces_near_solid(body, solid, scratch, visit);
    }

    fn solid_front(&self, body: (&Mesh, &Pose), region: &SweptSolid, scratch: &mut SolidScratch) {
        self.tree.solid_front(body, region, scratch);
    }
}
