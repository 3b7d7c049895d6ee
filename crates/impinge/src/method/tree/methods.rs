//! The method for each kind of bounding volume: registration in the table of methods, and build
//! options.

use super::{BuildOptions, BvTree, Scratch, TreePair};
use crate::{
    Mesh, Method, Pose, Threads,
    method::{
        MethodInfo, Prepared, Question, Recipe, Search, SolidScratch, SolidVisitor, TreeReport,
        hierarchy::{Hierarchy, HierarchySearch},
    },
    solid::SweptSolid,
    volume::{Aabb, Dop, Obb, SavedVolume, Sphere},
};
use std::sync::Arc;

const KLOSOWSKI: &str = "Klosowski 1998, Efficient collision detection for interactive 3D graphics";
const GOTTSCHALK: &str = "Gottschalk, Lin, Manocha 1996, OBBTree";

/// The method that uses trees of one kind of volume.
const fn method<V: SavedVolume>(name: &'static str, summary: &'static str) -> MethodInfo {
    MethodInfo::new(name, summary, |mesh, threads| {
        build::<V>(mesh, BuildOptions::default().threads(threads))
    })
    .loader(V::KIND, |bytes, mesh| Ok(Arc::new(BvTree::<V>::from_bytes(bytes, mesh)?)))
    .estimate(|mesh, binary_nodes| BvTree::<V>::bytes_for(binary_nodes, mesh.faces().len()))
}

pub(in crate::method) static AABB: MethodInfo =
    method::<Aabb>("aabb", "tree of axis-aligned boxes");
pub(in crate::method) static SPHERE: MethodInfo = method::<Sphere>("sphere", "tree of spheres");
pub(in crate::method) static OBB: MethodInfo =
    method::<Obb>("obb", "tree of oriented boxes").paper(GOTTSCHALK);
pub(in crate::method) static DOP6: MethodInfo =
    method::<Dop<3>>("dop6", "tree of 6-DOPs: axes").paper(KLOSOWSKI);
pub(in crate::method) static DOP8: MethodInfo =
    method::<Dop<4>>("dop8", "tree of 8-DOPs: corners").paper(KLOSOWSKI);
pub(in crate::method) static DOP12: MethodInfo =
    method::<Dop<6>>("dop12", "tree of 12-DOPs: edges").paper(KLOSOWSKI);
pub(in crate::method) static DOP14: MethodInfo =
    method::<Dop<7>>("dop14", "tree of 14-DOPs: axes and corners").paper(KLOSOWSKI);
pub(in crate::method) static DOP18: MethodInfo =
    method::<Dop<9>>("dop18", "tree of 18-DOPs: axes and edges").paper(KLOSOWSKI);
pub(in crate::method) static DOP20: MethodInfo =
    method::<Dop<10>>("dop20", "tree of 20-DOPs: corners and edges").paper(KLOSOWSKI);
pub(in crate::method) static DOP26: MethodInfo =
    method::<Dop<13>>("dop26", "tree of 26-DOPs: axes, corners and edges").paper(KLOSOWSKI);

/// The methods that are binary trees, and so have [`BuildOptions`].
pub const METHODS: [Method; 10] = [
    Method::AABB,
    Method::SPHERE,
    Method::OBB,
    Method::DOP6,
    Method::DOP8,
    Method::DOP12,
    Method::DOP14,
    Method::DOP18,
    Method::DOP20,
    Method::DOP26,
];

type Build = fn(&Mesh, BuildOptions) -> Arc<dyn Prepared>;

/// How each of the [`METHODS`] builds its tree.
const BUILDERS: [Build; METHODS.len()] = [
    build::<Aabb>,
    build::<Sphere>,
    build::<Obb>,
    build::<Dop<3>>,
    build::<Dop<4>>,
    build::<Dop<6>>,
    build::<Dop<7>>,
    build::<Dop<9>>,
    build::<Dop<10>>,
    build::<Dop<13>>,
];

fn build<V: SavedVolume>(mesh: &Mesh, options: BuildOptions) -> Arc<dyn Prepared> {
    Arc::new(BvTree::<V>::build(mesh, options))
}

impl<V: SavedVolume> Prepared for BvTree<V> {
    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(HierarchySearch::<Self>::new())
    }

    fn has_front(&self) -> bool {
        Self::HAS_FRONT
    }

    fn to_bytes(&self, mesh: &Mesh) -> Option<Vec<u8>> {
        Some(self.to_bytes(mesh))
    }

    fn refitted(mut self: Arc<Self>, mesh: &Mesh, threads: Threads) -> Option<Arc<dyn Prepared>> {
        let is_good = Arc::make_mut(&mut self).refit(mesh, threads);
        is_good.then_some(self as Arc<dyn Prepared>)
    }

    fn faces_near_solid(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        if self.repeats_faces() {
            // Each face is to be visited once.
            let _ = (0..mesh.faces().len() as u32).try_for_each(visit);
        } else {
            self.near_solid(pose, solid, scratch, visit);
        }
    }

    fn tree_report(&self) -> Option<TreeReport> {
        let (nodes, height) = (self.node_count(), self.height());
        Some(TreeReport { nodes, height, total_volume: self.total_volume() })
    }
}

impl<V: SavedVolume> Hierarchy for BvTree<V> {
    type Scratch = Scratch<V>;
    type Pair<'t> = TreePair<'t, V>;
    const HAS_FRONT: bool = true;

    fn repeats_faces(&self) -> bool {
        self.repeats_faces()
    }

    fn pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> TreePair<'t, V> {
        let relative = question.relative(&self.frame, &other.frame);
        TreePair::new(self, other, &relative).order(question.order)
    }
}

/// A method of this module with its own build options. Other methods use only the number of threads
/// from the options.
impl Recipe for (Method, BuildOptions) {
    fn method(&self) -> Method {
        self.0
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        let (method, options) = self;
        match METHODS.iter().position(|&tree| tree == method) {
            Some(i) => BUILDERS[i](mesh, options),
            None => method.build(mesh, options.threads),
        }
    }

    fn prepare_on(self, mesh: &Mesh, threads: Threads) -> Arc<dyn Prepared> {
        let (method, options) = self;
        let threads = if options.threads == Threads::Pool { Threads::Pool } else { threads };
        (method, options.threads(threads)).prepare(mesh)
    }
}
