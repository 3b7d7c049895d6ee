//! The options of binary trees: how they are built, for `impinge index` and `impinge query`, and how they are
//! placed and descended, for `impinge query`.

use crate::failure::Failure;
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use impinge::{
    Mesh, Method, Shape, Threads, WalkOrder,
    method::tree::{self, BuildOptions, Regroup, SplitDirections, SplitPoint, SplitRule, Tumbling},
};
use std::{str::FromStr, sync::Arc};

/// The heading of these options in help texts.
pub(crate) const HEADING: &str = "Options of binary trees (aabb, sphere, obb, dop6 … dop26)";

/// Options that are not given have no value here, so that an option that a method ignores is reported even
/// if it has its default value.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TreeArguments {
    /// Rule that chooses how a node is split [default: splatter]
    #[arg(long, help_heading = HEADING, value_parser = one_of(RULES))]
    rule: Option<SplitRule>,
    /// Where along its direction a node is split [default: mean]
    #[arg(long, help_heading = HEADING, value_parser = one_of(POINTS))]
    point: Option<SplitPoint>,
    /// Directions along which nodes may be split [default: axes]
    #[arg(long, help_heading = HEADING, value_parser = one_of(DIRECTIONS))]
    directions: Option<SplitDirections>,
    /// Revise each split in view of the splits below it (the oscillating build), by this measure [default:
    /// never]
    #[arg(long, help_heading = HEADING, value_parser = one_of(REGROUPS))]
    regroup: Option<Regroup>,
    /// Number of levels that --regroup looks at [default: 2]
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = value_parser!(u32).range(2..=3))]
    #[arg(requires = "regroup")]
    regroup_levels: Option<u32>,
    /// Maximum number of faces in a leaf [default: 2]. With `auto`, mesh A of a query has leaves of 1 face, and
    /// the number for B, or for the mesh of an index, follows from its faces and the method
    #[arg(long, help_heading = HEADING, value_name = "N")]
    leaf: Option<LeafSize>,
    /// Cut long thin faces into pieces for tighter volumes: number of extra pieces, as a fraction of all
    /// faces, from 0 to 4 [default: 0]
    #[arg(long, help_heading = HEADING, value_name = "SHARE", allow_negative_numbers = true)]
    split_skinny: Option<f64>,
}

/// How the nodes of B are placed. Index files do not store what these options add to a tree.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TumblingArguments {
    /// How the k-DOPs of B are placed in A's frame: by a linear map of their extents (aligned), or by their
    /// rotated vertices, which is tighter, slower, and takes more memory [default: aligned]
    #[arg(long, help_heading = HEADING, value_parser = one_of(TUMBLINGS))]
    tumbling: Option<Tumbling>,
    /// Place the nodes in the first levels of B's tree by hill climbing on the convex hulls of their faces: a
    /// number of levels, 1 for the root only, or `all`. For aabb and dop6 … dop26 [default: none]
    #[arg(long, help_heading = HEADING, value_name = "LEVELS", value_parser = levels)]
    hill_climbing: Option<u32>,
}

/// The order of descent.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OrderArguments {
    /// Which of two overlapping nodes is split: the larger one; the one of A until it is a leaf (first); or the
    /// same, and at a leaf of A the children of B's node start again at the root of A (restart)
    /// [default: larger]
    #[arg(long, help_heading = HEADING, value_parser = one_of(ORDERS))]
    order: Option<WalkOrder>,
}

/// Option values by name.
pub(crate) type Names<T> = &'static [(&'static str, T)];

const RULES: Names<SplitRule> = &[
    ("splatter", SplitRule::Splatter),
    ("longest-side", SplitRule::LongestSide),
    ("min-sum", SplitRule::MinSum),
    ("min-max", SplitRule::MinMax),
    ("surface-area", SplitRule::SurfaceArea),
    ("least-growth", SplitRule::LeastGrowth),
    ("box-axes", SplitRule::BoxAxes),
];
const POINTS: Names<SplitPoint> = &[("mean", SplitPoint::Mean), ("median", SplitPoint::Median)];
const DIRECTIONS: Names<SplitDirections> = &[
    ("axes", SplitDirections::Axes),
    ("corners", SplitDirections::Corners),
    ("edges", SplitDirections::Edges),
    ("all", SplitDirections::All),
];
const REGROUPS: Names<Regroup> = &[
    ("never", Regroup::Never),
    ("least-volume", Regroup::LeastVolume),
    ("least-volume-each", Regroup::LeastVolumeEach),
    ("min-max", Regroup::MinMax),
    ("longest-side", Regroup::LongestSide),
    ("splatter", Regroup::Splatter),
    ("surface-area", Regroup::SurfaceArea),
];

const TUMBLINGS: Names<Tumbling> =
    &[("aligned", Tumbling::Aligned), ("vertices", Tumbling::Vertices)];
const ORDERS: Names<WalkOrder> =
    &[("larger", WalkOrder::Larger), ("first", WalkOrder::First), ("restart", WalkOrder::Restart)];

/// Parses a number of levels; `all` is the largest.
fn levels(given: &str) -> Result<u32, String> {
    match (given, given.parse()) {
        ("all", _) => Ok(u32::MAX),
        (_, Ok(levels)) if levels > 0 => Ok(levels),
        _ => Err("must be a number of levels from 1 on, or `all`".to_owned()),
    }
}

/// Returns a parser that accepts these names.
pub(crate) fn one_of<T: Copy + Send + Sync>(names: Names<T>) -> impl TypedValueParser<Value = T> {
    let parser = PossibleValuesParser::new(names.iter().map(|(name, _)| *name));
    parser.try_map(move |given| {
        names.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or("unknown")
    })
}

impl TreeArguments {
    /// The build options for the binary trees among some methods. Rejects options that none of the methods
    /// has, and values out of range.
    pub(crate) fn options(&self, methods: &[Method]) -> Result<TreeOptions, Failure> {
        if let Some(option) = self.given() {
            check_trees(option, methods)?;
        }
        if let Some(share) = self.split_skinny
            && !(0.0..=4.0).contains(&share)
        {
            return Err(Failure::input(format!("--split-skinny {share}: must be from 0 to 4")));
        }
        let default = BuildOptions::default();
        let options = default
            .rule(self.rule.unwrap_or(default.rule))
            .point(self.point.unwrap_or(default.point))
            .directions(self.directions.unwrap_or(default.directions))
            .regroup(self.regroup.unwrap_or(default.regroup))
            .regroup_levels(self.regroup_levels.unwrap_or(default.regroup_levels))
            .split_skinny(self.split_skinny.unwrap_or(default.split_skinny));
        Ok(TreeOptions { options, leaf: self.leaf })
    }

    /// The first of the options that is given.
    fn given(&self) -> Option<&'static str> {
        let all = [
            ("--rule", self.rule.is_some()),
            ("--point", self.point.is_some()),
            ("--directions", self.directions.is_some()),
            ("--regroup", self.regroup.is_some()),
            ("--regroup-levels", self.regroup_levels.is_some()),
            ("--leaf", self.leaf.is_some()),
            ("--split-skinny", self.split_skinny.is_some()),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// Rejects an option of binary trees that none of the methods has.
pub(crate) fn check_trees(option: &str, methods: &[Method]) -> Result<(), Failure> {
    if methods.iter().any(|method| tree::METHODS.contains(method)) {
        return Ok(());
    }
    Err(unfit(option, "binary trees", &tree::METHODS, methods))
}

/// The maximum number of faces in a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LeafSize {
    AtMost(u32),
    /// 1 for a mesh that stays in place; by the number of faces and the method for one that moves.
    Auto,
}

impl FromStr for LeafSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(0)) | (_, Err(_)) => Err("must be a whole number of at least 1, or auto"),
            (_, Ok(faces)) => Ok(Self::AtMost(faces)),
        }
    }
}

/// The options of a binary tree whose mesh is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeOptions {
    options: BuildOptions,
    leaf: Option<LeafSize>,
}

impl TreeOptions {
    /// These options with another leaf size, if one is given.
    pub(crate) fn with_leaf(self, leaf: Option<LeafSize>) -> Self {
        Self { leaf: leaf.or(self.leaf), ..self }
    }

    /// These options for a mesh that stays in place.
    pub(crate) fn in_place(self) -> Self {
        match self.leaf {
            Some(LeafSize::Auto) => self.with_leaf(Some(LeafSize::AtMost(1))),
            _ => self,
        }
    }

    /// Prepares a mesh by a method. The options apply to binary trees.
    pub(crate) fn build(
        self,
        method: Method,
        mesh: impl Into<Arc<Mesh>>,
        threads: Threads,
    ) -> Shape {
        let mesh = mesh.into();
        let options = self.options.threads(threads);
        let options = match self.leaf {
            None => options,
            Some(LeafSize::AtMost(faces)) => options.leaf(faces),
            Some(LeafSize::Auto) => options.leaf(tree::leaf_by_size(method, mesh.faces().len())),
        };
        Shape::build((method, options), mesh)
    }
}

impl TumblingArguments {
    /// Adds these options to the build options for some methods. Rejects options that none of the methods has.
    pub(crate) fn added_to(
        &self,
        options: TreeOptions,
        methods: &[Method],
    ) -> Result<TreeOptions, Failure> {
        let given = [
            ("--tumbling", self.tumbling.is_some()),
            ("--hill-climbing", self.hill_climbing.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given)
            && !methods.iter().any(|method| has_fixed_normals(*method))
        {
            let fitting: Vec<_> =
                tree::METHODS.into_iter().filter(|&method| has_fixed_normals(method)).collect();
            return Err(unfit(option, "trees of boxes and k-DOPs", &fitting, methods));
        }
        let build = options.options;
        let build = build
            .tumbling(self.tumbling.unwrap_or(build.tumbling))
            .hill_climbing(self.hill_climbing.unwrap_or(build.hill_climbing));
        Ok(TreeOptions { options: build, ..options })
    }
}

impl OrderArguments {
    /// The order; the default if none is given.
    pub(crate) fn order(&self) -> WalkOrder {
        self.order.unwrap_or_default()
    }

    /// Rejects an order if none of the methods has a choice.
    pub(crate) fn check(&self, methods: &[Method]) -> Result<(), Failure> {
        match self.order {
            Some(_) => check_trees("--order", methods),
            None => Ok(()),
        }
    }
}

/// Whether the volumes of a method have planes that do not turn with the body.
fn has_fixed_normals(method: Method) -> bool {
    tree::METHODS.contains(&method) && ![Method::SPHERE, Method::OBB].contains(&method)
}

/// The error for an option that none of the methods has.
fn unfit(option: &str, kind: &str, fitting: &[Method], methods: &[Method]) -> Failure {
    let names = |methods: &[Method]| {
        methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
    };
    Failure::input(format!(
        "{option} works with {kind}, not with `{}`; choose one with --method: {}",
        names(methods),
        names(fitting)
    ))
}
