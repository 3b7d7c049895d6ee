//! The options of the methods `face-octree`, `octree` and `hull`, for `impinge query` and `impinge run`.

use crate::{
    failure::Failure,
    trees::{Names, one_of},
};
use impinge::{
    Method,
    method::{
        face_octree::{CellTest, Division, SubdivisionDepth},
        hull::Separation,
        octree::{BoundingShape, OctreeOptions},
    },
};
use impinge_scene::{FaceOctreeChoice, OctreeChoice, Optimisation};

/// The heading of these options in help texts.
const HEADING: &str = "Options of octrees (face-octree, octree)";

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CellArguments {
    /// Level to which cells are divided: 2^N cells along each side, up to 12 for face-octree and 8 for octree; or `auto`,
    /// which divides a cell while that saves work [default: auto]. A given level is reached wherever faces of two bodies
    /// are, even if that saves nothing: above 6 or so it can take very long
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = level)]
    level: Option<SubdivisionDepth>,
    /// Divide a cell into eight, or into two across one axis; for face-octree [default: octree]
    #[arg(long, help_heading = HEADING, value_parser = one_of(DIVISIONS))]
    division: Option<Division>,
    /// Test a face against a cell by its bounding box, or exactly; for face-octree [default: bounds]
    #[arg(long, help_heading = HEADING, value_parser = one_of(CELL_TESTS))]
    cell_test: Option<CellTest>,
    /// Bounding shapes that tell whether and where two bodies are compared, for octree [default: boxes; spheres with
    /// --without all]
    #[arg(long, help_heading = HEADING, value_parser = one_of(BOUNDING_SHAPES))]
    bounding: Option<BoundingShape>,
    /// Optimisations to switch off, for octree: surface-only (no cubes inside solids), regions (only cubes in overlap
    /// regions are moved), progressive (octrees are refined only where bodies interfere), linked-faces (cubes hold
    /// their faces), or all of them
    #[arg(long, help_heading = HEADING, value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = one_of(Optimisation::NAMES), hide_possible_values = true)]
    without: Vec<Optimisation>,
    /// How hulls are proven to be apart, for hull: by their closest features, by a plane that is kept, or by GJK
    /// [default: features]
    #[arg(long, help_heading = "Options of hull", value_parser = one_of(SEPARATIONS))]
    separation: Option<Separation>,
}

const DIVISIONS: Names<Division> = &[("octree", Division::Octree), ("bintree", Division::Bintree)];
const BOUNDING_SHAPES: Names<BoundingShape> =
    &[("boxes", BoundingShape::Boxes), ("spheres", BoundingShape::Spheres)];
const SEPARATIONS: Names<Separation> =
    &[("features", Separation::Features), ("planes", Separation::Planes), ("gjk", Separation::Gjk)];
const CELL_TESTS: Names<CellTest> = &[("bounds", CellTest::Bounds), ("exact", CellTest::Exact)];

fn level(given: &str) -> Result<SubdivisionDepth, String> {
    match (given, given.parse()) {
        ("auto", _) => Ok(SubdivisionDepth::Auto),
        (_, Ok(level)) if level <= SubdivisionDepth::MAX_LEVEL => {
            Ok(SubdivisionDepth::Level(level))
        }
        _ => Err("must be a level from 0 to 12, or `auto`".to_owned()),
    }
}

impl CellArguments {
    /// The options that are given. Fails if some are and none of the methods has them; no methods stand for methods
    /// that are not known yet.
    pub(crate) fn choices(
        &self,
        methods: &[Method],
    ) -> Result<(FaceOctreeChoice, OctreeChoice, Option<Separation>), Failure> {
        let (faces, cubes) = (Method::FACE_OCTREE, Method::OCTREE);
        let given: [(&str, bool, &[Method]); 6] = [
            ("--level", self.level.is_some(), &[faces, cubes]),
            ("--division", self.division.is_some(), &[faces]),
            ("--cell-test", self.cell_test.is_some(), &[faces]),
            ("--bounding", self.bounding.is_some(), &[cubes]),
            ("--without", !self.without.is_empty(), &[cubes]),
            ("--separation", self.separation.is_some(), &[Method::HULL]),
        ];
        for (option, is_given, fitting) in given {
            let is_unfit = !methods.is_empty() && !fitting.iter().any(|it| methods.contains(it));
            if is_given && is_unfit {
                let names = |methods: &[Method]| {
                    methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
                };
                return Err(Failure::input(format!(
                    "{option} does not work with `{}`; choose another method with --method: {}",
                    names(methods),
                    names(fitting)
                )));
            }
        }
        if let Some(SubdivisionDepth::Level(level)) = self.level
            && level > OctreeOptions::MAX_LEVEL
            && methods.contains(&cubes)
        {
            let most = OctreeOptions::MAX_LEVEL;
            let advice = if methods.len() > 1 {
                "; choose another method with --method: face-octree"
            } else {
                ""
            };
            return Err(Failure::input(format!(
                "--level {level}: at most {most} for octree{advice}"
            )));
        }
        let mut face_octree = FaceOctreeChoice::default();
        face_octree.depth = self.level;
        face_octree.division = self.division;
        face_octree.cell_test = self.cell_test;
        let mut octree = OctreeChoice::default();
        octree.level = self.level;
        octree.bounding = self.bounding;
        octree = self.without.iter().fold(octree, |octree, &one| octree.without(one));
        Ok((face_octree, octree, self.separation))
    }
}
