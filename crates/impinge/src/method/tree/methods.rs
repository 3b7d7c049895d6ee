//! The method for each kind of bounding volume: registration in the table of methods, and build
//! options.

use super::{BuildOptions, BvTree, Scratch, TreePair};
use crate::{
    Mesh, Method,
    method::{
        MethodInfo, Prepared, Question, Recipe, Search,
        hierarchy::{Hierarchy, HierarchySearch},
    },
    volume::{Aabb, Dop, Obb, SavedVolume, Sphere},
};
use std::sync::Arc;

const KLOSOWSKI: &str = "Klosowski 1998, Efficient collision detection for interactive 3D graphics";
const GOTTSCHALK: &str = "Gottschalk, Lin, Manocha 1996, OBBTree";

/// The method that uses trees of one kind of volume.
const fn method<V: SavedVolume>(name: &'static str, summary: &'static str) -> MethodInfo {
    MethodInfo::new(name, summary, |mesh, threads| {
        Arc::new(BvTree::<V>::build(mesh, BuildOptions::default().threads(threads)))
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
}

impl<V: SavedVolume> Hierarchy for BvTree<V> {
    type Scratch = Scratch<V>;
    type Pair<'t> = TreePair<'t, V>;
    const HAS_FRONT: bool = true;

    fn repeats_faces(&self) -> bool {
        self.repeats_faces()
    }

    fn pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> TreePair<'t, V> {
        TreePair::new(self, other, &question.relative(&self.frame, &other.frame))
    }
}

/// A method of this module with its own build options. Other methods use only the number of threads
/// from the options.
impl Recipe for (Method, BuildOptions) {
    fn method(&self) -> Method {
        self.0
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        fn tree<V: SavedVolume>(mesh: &Mesh, options: BuildOptions) -> Arc<dyn Prepared> {
            Arc::new(BvTree::<V>::build(mesh, options))
        }
        type Build = fn(&Mesh, BuildOptions) -> Arc<dyn Prepared>;
        const TREES: [(Method, Build); 10] = [
            (Method::AABB, tree::<Aabb>),
            (Method::SPHERE, tree::<Sphere>),
            (Method::OBB, tree::<Obb>),
            (Method::DOP6, tree::<Dop<3>>),
            (Method::DOP8, tree::<Dop<4>>),
            (Method::DOP12, tree::<Dop<6>>),
            (Method::DOP14, tree::<Dop<7>>),
            (Method::DOP18, tree::<Dop<9>>),
            (Method::DOP20, tree::<Dop<10>>),
            (Method::DOP26, tree::<Dop<13>>),
        ];
        let (method, options) = self;
        match TREES.iter().find(|(named, _)| *named == method) {
            Some((_, build)) => build(mesh, options),
            None => method.build(mesh, options.threads),
        }
    }
}
