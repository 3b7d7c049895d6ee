//! The methods by name, and which tree each of them makes.

use super::{
    Search,
    boxtree::{Boxtree, BoxtreeOptions, RefitError},
    brute::{self, Brute},
    hierarchy::{self, Room},
    tree::{self, BuildOptions, BvTree, TreeFileError},
    wide::{self, WideOptions, WideTree},
};
use crate::{
    Mesh, Threads,
    volume::{Aabb, Dop, Obb, SavedVolume, Sphere},
};
use std::{fmt, str::FromStr, sync::Arc};

/// A way to find the faces that might touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Every face pair whose boxes overlap: the reference that all others are measured by.
    Brute,
    /// A tree with eight children a node, gone through eight at a time.
    Wide,
    /// A tree of axis-aligned boxes.
    Aabb,
    /// A tree of spheres.
    Sphere,
    /// A tree of oriented boxes.
    Obb,
    /// The restricted boxtree: boxes that are kept as a plane or two each.
    Boxtree,
    /// A tree of polytopes with 6 facets along the axes.
    Dop6,
    /// … with 8 facets along the corners of a cube.
    Dop8,
    /// … with 12 facets along the edges of a cube.
    Dop12,
    /// … with 14 facets: axes and corners.
    Dop14,
    /// … with 18 facets: axes and edges.
    Dop18,
    /// … with 20 facets: corners and edges.
    Dop20,
    /// … with 26 facets: axes, corners and edges.
    Dop26,
}

const KLOSOWSKI: &str = "Klosowski 1998, Efficient collision detection for interactive 3D graphics";
const ZACHMANN: &str = "Zachmann 2002, Minimal hierarchical collision detection";
const GOTTSCHALK: &str = "Gottschalk, Lin, Manocha 1996, OBBTree";

/// What a method prepares of a mesh.
macro_rules! tree {
    ($($name:ident: $volume:ty,)*) => {
        #[derive(Clone)]
        pub(super) enum Tree {
            Brute,
            Boxtree(Arc<Boxtree>),
            Wide(Arc<WideTree>),
            $($name(Arc<BvTree<$volume>>),)*
        }

        /// Room for searches by any method; none is taken before it is needed.
        #[derive(Default)]
        #[expect(non_snake_case, reason = "named as the methods are")]
        pub(super) struct Rooms {
            brute: brute::Room,
            boxtree: Room<Boxtree>,
            wide: Room<WideTree>,
            $($name: Room<BvTree<$volume>>,)*
        }

        impl Tree {
            pub(super) fn build(method: Method, mesh: &Mesh, options: BuildOptions) -> Self {
                match method {
                    Method::Brute => Self::Brute,
                    Method::Boxtree => Self::boxtree(mesh, BoxtreeOptions::default()),
                    Method::Wide => {
                        Self::wide(mesh, WideOptions::default().threads(options.threads))
                    }
                    $(Method::$name => Self::$name(Arc::new(BvTree::build(mesh, options))),)*
                }
            }

            /// Prepares to search two meshes; nothing if different methods prepared them.
            pub(super) fn search<'m>(
                a: (&'m Mesh, &Self),
                b: (&'m Mesh, &Self),
            ) -> Option<Box<dyn Search + 'm>> {
                match (a.1, b.1) {
                    (Self::Brute, Self::Brute) => Some(Box::new(Brute::new(a.0, b.0))),
                    (Self::Boxtree(tree_a), Self::Boxtree(tree_b)) => {
                        Some(hierarchy::search((a.0, tree_a), (b.0, tree_b)))
                    }
                    (Self::Wide(tree_a), Self::Wide(tree_b)) => {
                        Some(hierarchy::search((a.0, tree_a), (b.0, tree_b)))
                    }
                    $((Self::$name(tree_a), Self::$name(tree_b)) => {
                        Some(hierarchy::search((a.0, tree_a), (b.0, tree_b)))
                    })*
                    _ => None,
                }
            }

            /// Asks something about two meshes, in a room that is kept from pair to pair; nothing if
            /// different methods prepared them.
            pub(super) fn search_in<R>(
                rooms: &mut Rooms,
                a: (&Mesh, &Self),
                b: (&Mesh, &Self),
                ask: impl FnOnce(&mut dyn Search) -> R,
            ) -> Option<R> {
                Some(match (a.1, b.1) {
                    (Self::Brute, Self::Brute) => rooms.brute.search(a.0, b.0, ask),
                    (Self::Boxtree(tree_a), Self::Boxtree(tree_b)) => {
                        rooms.boxtree.search((a.0, &**tree_a), (b.0, &**tree_b), ask)
                    }
                    (Self::Wide(tree_a), Self::Wide(tree_b)) => {
                        rooms.wide.search((a.0, &**tree_a), (b.0, &**tree_b), ask)
                    }
                    $((Self::$name(tree_a), Self::$name(tree_b)) => {
                        rooms.$name.search((a.0, &**tree_a), (b.0, &**tree_b), ask)
                    })*
                    _ => return None,
                })
            }

            pub(super) fn bytes(&self) -> usize {
                match self {
                    Self::Brute => 0,
                    Self::Boxtree(tree) => tree.bytes(),
                    Self::Wide(tree) => tree.bytes(),
                    $(Self::$name(tree) => tree.bytes(),)*
                }
            }

            pub(super) fn to_bytes(&self, mesh: &Mesh) -> Option<Vec<u8>> {
                match self {
                    Self::Brute | Self::Boxtree(_) => None,
                    Self::Wide(tree) => Some(tree.to_bytes(mesh)),
                    $(Self::$name(tree) => Some(tree.to_bytes(mesh)),)*
                }
            }

            pub(super) fn from_bytes(
                bytes: &[u8],
                mesh: &Mesh,
            ) -> Result<(Method, Self), TreeFileError> {
                let found = tree::saved_kind(bytes)?;
                if found == wide::KIND {
                    let tree = WideTree::from_bytes(bytes, mesh, Threads::One)?;
                    return Ok((Method::Wide, Self::Wide(Arc::new(tree))));
                }
                $(if found == <$volume>::KIND {
                    let tree = BvTree::<$volume>::from_bytes(bytes, mesh)?;
                    return Ok((Method::$name, Self::$name(Arc::new(tree))));
                })*
                Err(TreeFileError::UnknownKind { found })
            }

            /// How many bytes it would take for a mesh, of which a tree of the volumes has so many
            /// nodes.
            fn bytes_for(method: Method, mesh: &Mesh, nodes: usize) -> usize {
                let faces = mesh.faces().len();
                match method {
                    Method::Brute => 0,
                    // Quick to build, and then it knows.
                    Method::Boxtree => Boxtree::build(mesh, BoxtreeOptions::default()).bytes(),
                    Method::Wide => WideTree::bytes_of(mesh),
                    $(Method::$name => BvTree::<$volume>::bytes_for(nodes, faces),)*
                }
            }
        }
    };
}
impl Tree {
    /// The tree of a mesh with as many faces.
    pub(super) fn refitted(self, method: Method, mesh: &Mesh) -> Result<Self, RefitError> {
        match self {
            Self::Boxtree(mut tree) => {
                Arc::make_mut(&mut tree).refit(mesh)?;
                Ok(Self::Boxtree(tree))
            }
            Self::Wide(mut tree) => {
                Arc::make_mut(&mut tree).refit(mesh);
                Ok(Self::Wide(tree))
            }
            _ => Ok(Self::build(method, mesh, BuildOptions::default())),
        }
    }

    pub(super) fn boxtree(mesh: &Mesh, options: BoxtreeOptions) -> Self {
        Self::Boxtree(Arc::new(Boxtree::build(mesh, options)))
    }

    pub(super) fn wide(mesh: &Mesh, options: WideOptions) -> Self {
        Self::Wide(Arc::new(WideTree::build(mesh, options)))
    }
}

// The one place that says which volume the tree of a method is made of.
tree! {
    Aabb: Aabb, Sphere: Sphere, Obb: Obb,
    Dop6: Dop<3>, Dop8: Dop<4>, Dop12: Dop<6>, Dop14: Dop<7>,
    Dop18: Dop<9>, Dop20: Dop<10>, Dop26: Dop<13>,
}

impl Method {
    /// All methods, the reference first.
    pub const ALL: &[Self] = &[
        Self::Brute,
        Self::Wide,
        Self::Aabb,
        Self::Sphere,
        Self::Obb,
        Self::Boxtree,
        Self::Dop6,
        Self::Dop8,
        Self::Dop12,
        Self::Dop14,
        Self::Dop18,
        Self::Dop20,
        Self::Dop26,
    ];

    /// The name by which the command line and reports call it.
    pub fn name(self) -> &'static str {
        self.describe().0
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        self.describe().1
    }

    /// Where it was described, or nothing for the obvious.
    pub fn paper(self) -> Option<&'static str> {
        self.describe().2
    }

    fn describe(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::Brute => {
                ("brute", "every face pair whose boxes overlap; no index; the reference", None)
            }
            Self::Wide => ("wide", "tree of oriented boxes, eight at a time", Some(GOTTSCHALK)),
            Self::Aabb => ("aabb", "tree of axis-aligned boxes", None),
            Self::Sphere => ("sphere", "tree of spheres", None),
            Self::Obb => ("obb", "tree of oriented boxes", Some(GOTTSCHALK)),
            Self::Boxtree => {
                ("boxtree", "restricted boxtree: 8 bytes a node, the least memory", Some(ZACHMANN))
            }
            Self::Dop6 => ("dop6", "tree of 6-DOPs: axes", Some(KLOSOWSKI)),
            Self::Dop8 => ("dop8", "tree of 8-DOPs: corners", Some(KLOSOWSKI)),
            Self::Dop12 => ("dop12", "tree of 12-DOPs: edges", Some(KLOSOWSKI)),
            Self::Dop14 => ("dop14", "tree of 14-DOPs: axes and corners", Some(KLOSOWSKI)),
            Self::Dop18 => ("dop18", "tree of 18-DOPs: axes and edges", Some(KLOSOWSKI)),
            Self::Dop20 => ("dop20", "tree of 20-DOPs: corners and edges", Some(KLOSOWSKI)),
            Self::Dop26 => ("dop26", "tree of 26-DOPs: axes, corners and edges", Some(KLOSOWSKI)),
        }
    }

    /// What the index of each method holds for a mesh, without making them all.
    pub fn index_bytes(mesh: &Mesh) -> impl Iterator<Item = (Self, usize)> {
        let nodes = tree::node_count(mesh);
        let bytes = move |&method: &Self| (method, Tree::bytes_for(method, mesh, nodes));
        Self::ALL.iter().map(bytes)
    }
}

impl Default for Method {
    /// The method to take when there is no reason to choose.
    fn default() -> Self {
        Self::Wide
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Method`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method `{name}`; there are: {}", all_names())]
pub struct UnknownMethod {
    /// The name that was asked for.
    pub name: String,
}

fn all_names() -> String {
    Method::ALL.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let named = Self::ALL.iter().copied().find(|method| method.name() == name);
        named.ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}
