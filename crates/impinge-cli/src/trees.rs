//! The build options of binary trees, for `impinge index` and `impinge query`.

use crate::failure::Failure;
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use impinge::{
    Method,
    method::tree::{self, BuildOptions, Regroup, SplitDirections, SplitPoint, SplitRule},
};

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
    /// Whether a split may be revised in view of the splits below it (the oscillating build) [default: never]
    #[arg(long, help_heading = HEADING, value_parser = one_of(REGROUPS))]
    regroup: Option<Regroup>,
    /// Maximum number of faces in a leaf [default: 2]
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    leaf: Option<u32>,
    /// Cut long thin faces into pieces for tighter volumes: number of extra pieces, as a fraction of all
    /// faces, from 0 to 4 [default: 0]
    #[arg(long, help_heading = HEADING, value_name = "SHARE", allow_negative_numbers = true)]
    split_skinny: Option<f64>,
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
];

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
    pub(crate) fn options(&self, methods: &[Method]) -> Result<BuildOptions, Failure> {
        if let Some(option) = self.given()
            && !methods.iter().any(|method| tree::METHODS.contains(method))
        {
            return Err(not_a_tree(option, methods));
        }
        if let Some(share) = self.split_skinny
            && !(0.0..=4.0).contains(&share)
        {
            return Err(Failure::input(format!("--split-skinny {share}: must be from 0 to 4")));
        }
        let default = BuildOptions::default();
        Ok(default
            .rule(self.rule.unwrap_or(default.rule))
            .point(self.point.unwrap_or(default.point))
            .directions(self.directions.unwrap_or(default.directions))
            .regroup(self.regroup.unwrap_or(default.regroup))
            .leaf(self.leaf.unwrap_or(default.leaf))
            .split_skinny(self.split_skinny.unwrap_or(default.split_skinny)))
    }

    /// The first of the options that is given.
    fn given(&self) -> Option<&'static str> {
        let all = [
            ("--rule", self.rule.is_some()),
            ("--point", self.point.is_some()),
            ("--directions", self.directions.is_some()),
            ("--regroup", self.regroup.is_some()),
            ("--leaf", self.leaf.is_some()),
            ("--split-skinny", self.split_skinny.is_some()),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// The error for an option of binary trees that none of the methods has.
pub(crate) fn not_a_tree(option: &str, methods: &[Method]) -> Failure {
    let names = |methods: &[Method]| {
        methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
    };
    Failure::input(format!(
        "{option} works with binary trees, not with `{}`; choose one with --method: {}",
        names(methods),
        names(&tree::METHODS)
    ))
}
