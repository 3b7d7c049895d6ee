//! Sources of meshes, poses, points and rays: a file, or `gen:` and the name of a generator.

use crate::{
    failure::Failure,
    generators::{self, Path, Shape},
    progress,
};
use clap::{Parser, Subcommand};
use impinge::{Bounds, Mesh, Motion, Pose, Ray, glam::DVec3};
use impinge_io::{Format, GridOptions, Model, assembly::Unit};
use std::path::Path as FilePath;

const PREFIX: &str = "gen:";

/// Parses `gen:NAME,OPTION=VALUE,…`. Names and options are those of `impinge generate NAME --OPTION VALUE …`,
/// and the parser is the same.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_help_subcommand = true)]
struct Spec<G: Subcommand> {
    #[command(subcommand)]
    generator: G,
}

fn generator<G: Subcommand>(source: &str) -> Option<Result<G, Failure>> {
    let spec = source.strip_prefix(PREFIX)?;
    let words = spec.split(',').enumerate().map(|(i, word)| match i {
        0 => word.to_owned(),
        _ => format!("--{word}"),
    });
    let parsed = Spec::try_parse_from(words).map_err(|error| {
        // The parser appends a usage text that does not fit here, so keep the first line only.
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::input(format!("{source}: {first}; `impinge generate --help` lists the generators"))
    });
    Some(parsed.map(|spec: Spec<G>| spec.generator))
}

/// Returns the file that a source names; `None` for a generator.
pub(crate) fn file(source: &str) -> Option<&FilePath> {
    (!source.starts_with(PREFIX)).then(|| FilePath::new(source))
}

/// Returns the unit of a source, if its format has one: glTF files are in metres. `grids` says how an elevation grid is
/// read.
pub(crate) fn units(source: &str, grids: &GridOptions) -> Option<Unit> {
    match file(source) {
        Some(file) => grids.units(Format::of_path(file)?),
        None => generator::<Shape>(source)?.ok()?.units(),
    }
}

/// Makes or loads a model. `grids` says how an elevation grid is read.
pub(crate) fn model(source: &str, grids: &GridOptions) -> Result<Model, Failure> {
    match generator::<Shape>(source) {
        Some(shape) => {
            let shape = shape?;
            let model =
                progress::with_spinner(&format!("generating {source}"), || shape.model(&mesh));
            model.map_err(|failure| failure.about(source))
        }
        None => {
            let load = || impinge_io::load_with(source, grids);
            Ok(progress::with_spinner(&format!("loading {source}"), load)?)
        }
    }
}

/// Loads a source as one mesh; its faces keep the order of the file.
pub(crate) fn mesh(source: &str) -> Result<Mesh, Failure> {
    mesh_with(source, &GridOptions::default())
}

/// As [`mesh`]; `grids` says how an elevation grid is read.
pub(crate) fn mesh_with(source: &str, grids: &GridOptions) -> Result<Mesh, Failure> {
    let model = model(source, grids)?;
    model.into_mesh().map_err(|error| Failure::input(format!("{source}: {error}")))
}

pub(crate) fn poses(source: &str) -> Result<Vec<Pose>, Failure> {
    poses_for(source, None)
}

/// As [`poses`], for the meshes A and B: some generators of poses depend on them.
pub(crate) fn poses_for(source: &str, pair: Option<[&Mesh; 2]>) -> Result<Vec<Pose>, Failure> {
    match generator::<Path>(source) {
        Some(path) => {
            let path = path?;
            let make = || path.poses(pair, &mesh);
            let poses = progress::with_spinner(&format!("generating {source}"), make);
            poses.map_err(|failure| failure.about(source))
        }
        None => Ok(impinge_io::load_poses(source)?),
    }
}

/// As [`poses_for`], for poses that must all have the same rotation.
pub(crate) fn translations_for(
    source: &str,
    pair: Option<[&Mesh; 2]>,
) -> Result<Vec<Pose>, Failure> {
    if let Some(file) = file(source) {
        return Ok(impinge_io::load_translations(file)?);
    }
    let poses = poses_for(source, pair)?;
    match impinge_io::first_turned(&poses) {
        None => Ok(poses),
        Some(step) => Err(Failure::input(format!(
            "{source}: step {step} has another rotation than step 0, but only translations are allowed"
        ))),
    }
}

/// Makes or loads points. `room` is the bounding box of the mesh that they are for.
pub(crate) fn points(source: &str, room: Option<Bounds>) -> Result<Vec<DVec3>, Failure> {
    match generator::<generators::Points>(source) {
        Some(points) => points?.make(room, &mesh).map_err(|failure| failure.about(source)),
        None => Ok(impinge_io::load_points(source)?),
    }
}

/// Makes or loads rays. `room` is the bounding box of the mesh that they are for.
pub(crate) fn rays(source: &str, room: Option<Bounds>) -> Result<Vec<Ray>, Failure> {
    match generator::<generators::Rays>(source) {
        Some(rays) => rays?.make(room, &mesh).map_err(|failure| failure.about(source)),
        None => Ok(impinge_io::load_rays(source)?),
    }
}

/// The motions from each pose of a source to the next, by rotations of less than half a turn.
pub(crate) fn motions_for(source: &str, pair: Option<[&Mesh; 2]>) -> Result<Vec<Motion>, Failure> {
    if file(source).is_some() {
        return Ok(impinge_io::load_motions(source)?);
    }
    let poses = poses_for(source, pair)?;
    if poses.len() < 2 {
        return Err(Failure::input(format!("{source}: a motion needs at least two poses")));
    }
    let motion = |(step, ends): (usize, &[Pose])| {
        Motion::between(ends[0], ends[1])
            .map_err(|error| Failure::input(format!("{source}: step {step}: {error}")))
    };
    poses.windows(2).enumerate().map(motion).collect()
}
