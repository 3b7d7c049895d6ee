//! `impinge points`: the nearest point of a mesh for each of many points, and whether they are inside.

use super::{Options, Questions, Subject, run as ask_all};
use crate::{
    failure::Failure,
    length::{self, Length},
    output::{self, count},
    source,
};
use impinge::{NearestPoint, PointLocation, Pose, Shape, Tolerance, glam::DVec3};
use impinge_io::assembly::Unit;
use serde::Serialize;
use std::path::PathBuf;

/// Find the nearest point of a mesh for each of many points, and which points are inside.
///
/// The distance is 0 exactly if the point lies on a face, and otherwise right to a relative 1e-12. For a closed mesh it
/// also tells whether each point is inside, outside or on the surface, exactly.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge points part.stl scan.csv --write nearest.csv
  impinge points part.stl scan.csv --within 0.5mm --file-units mm --write near.csv
  impinge points gen:torus gen:points,count=500,seed=2 --method all
  impinge points gen:torus gen:points --no-location --threads 1 --json",
    after_help = "\
A file of points has one line for each point: x,y,z. A first line with these names is skipped.

--write writes a row for each point: point,distance,x,y,z,face,location. x, y, z are those of
the nearest point. location is inside, outside or surface; empty if the mesh is not closed.
--within adds the column faces_within: the numbers of the faces, separated by spaces.

Output: a table on a terminal; one JSON line with --json, or if the output is not a terminal."
)]
pub(crate) struct Arguments {
    /// Mesh: a file, or gen:NAME
    #[arg(value_name = "A")]
    mesh: String,
    /// Points: a CSV file, or gen:points
    #[arg(value_name = "POINTS")]
    points: String,
    /// Write the answers as CSV rows
    #[arg(long, value_name = "OUT.csv")]
    write: Option<PathBuf>,
    /// Also find the faces that are at most this far from each point: 0.5mm, or 0.5 in the unit of the mesh
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    within: Option<Length>,
    /// Unit of a mesh file that does not state one (OBJ, STL, PLY, OFF, ESRI ASCII grid), for --within with a unit: mm,
    /// cm, m, in or ft
    #[arg(long, value_name = "UNIT")]
    file_units: Option<Unit>,
    /// Do not find out whether points are inside
    #[arg(long)]
    no_location: bool,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { mesh, points, write, options, .. } = arguments;
    let within = arguments.within()?;
    let (subject, points) = options.reading(write.as_deref(), [mesh, points], || {
        let subject = Subject::load(mesh, options)?;
        let points = source::points(points, Some(subject.bounds()))?;
        Ok((subject, points))
    })?;
    let locates = !arguments.no_location && is_solid(&subject);
    ask_all(options, &subject, &Points { points, within, locates, write: write.clone() })
}

impl Arguments {
    fn within(&self) -> Result<Option<Tolerance>, Failure> {
        let Some(length) = self.within else { return Ok(None) };
        let units = source::units(&self.mesh, &self.options.grids.options()).or(self.file_units);
        let distance = length::within(length, "--within", units, "--file-units")?;
        Tolerance::new(distance).map(Some).map_err(Failure::input)
    }
}

/// Whether a mesh is closed; says so if it is not.
fn is_solid(subject: &Subject) -> bool {
    let solid = subject.mesh.check_solid();
    if let Err(reason) = &solid {
        output::note(&format!("points are not told to be inside or outside: {reason}"));
    }
    solid.is_ok()
}

struct Points {
    points: Vec<DVec3>,
    within: Option<Tolerance>,
    locates: bool,
    write: Option<PathBuf>,
}

#[derive(PartialEq)]
struct Answer {
    nearest: Option<NearestPoint>,
    location: Option<PointLocation>,
    faces: Option<Vec<u32>>,
}

#[derive(Serialize)]
struct Summary {
    points: usize,
    least_distance: Option<f64>,
    least_point: Option<usize>,
    largest_distance: Option<f64>,
    inside: Option<usize>,
    on_surface: Option<usize>,
    outside: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faces_within: Option<u64>,
}

impl Questions for Points {
    type Answer = Answer;
    type Summary = Summary;
    const ABOUT: &'static str = "point";

    fn mode(&self) -> &'static str {
        "points"
    }

    fn len(&self) -> usize {
        self.points.len()
    }

    fn ask(&self, shape: &Shape, pose: &Pose, number: usize) -> Answer {
        let point = self.points[number];
        Answer {
            nearest: shape.nearest_point(pose, point),
            location: self.locates.then(|| shape.contains_point(pose, point).ok()).flatten(),
            faces: self.within.map(|within| shape.faces_within(pose, point, within)),
        }
    }

    fn shown(answer: &Answer) -> String {
        let nearest = answer.nearest.map_or("no face".to_owned(), |nearest| {
            format!("distance {} to face {}", nearest.distance, nearest.face)
        });
        let location = answer.location.map_or("", location_name);
        let faces = answer.faces.as_ref().map_or(String::new(), |faces| {
            format!(", {} within the distance", count(faces.len(), "face"))
        });
        format!("{nearest} {location}{faces}")
    }

    fn write(&self, answers: &[Answer]) -> Result<(), Failure> {
        let Some(path) = &self.write else { return Ok(()) };
        impinge_io::write_atomically(path, |out| {
            let more = if self.within.is_some() { ",faces_within" } else { "" };
            writeln!(out, "point,distance,x,y,z,face,location{more}")?;
            for (number, answer) in answers.iter().enumerate() {
                write!(out, "{number},")?;
                match answer.nearest {
                    Some(NearestPoint { distance, point: p, face, .. }) => {
                        write!(out, "{distance},{},{},{},{face},", p.x, p.y, p.z)?;
                    }
                    None => write!(out, ",,,,,")?,
                }
                write!(out, "{}", answer.location.map_or("", location_name))?;
                if let Some(faces) = &answer.faces {
                    let faces: Vec<String> = faces.iter().map(u32::to_string).collect();
                    write!(out, ",{}", faces.join(" "))?;
                }
                writeln!(out)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn summary(&self, answers: &[Answer]) -> Summary {
        let distances = || {
            let distance = |(i, answer): (_, &Answer)| Some((i, answer.nearest?.distance));
            answers.iter().enumerate().filter_map(distance)
        };
        let (least_point, least_distance) =
            distances().min_by(|(_, d), (_, e)| d.total_cmp(e)).unzip();
        let at = |place: PointLocation| {
            let is_there = |answer: &&Answer| answer.location == Some(place);
            self.locates.then(|| answers.iter().filter(is_there).count())
        };
        let faces = |answer: &Answer| answer.faces.as_ref().map_or(0, |faces| faces.len() as u64);
        Summary {
            points: self.points.len(),
            least_distance,
            least_point,
            largest_distance: distances().map(|(_, d)| d).max_by(f64::total_cmp),
            inside: at(PointLocation::Inside),
            on_surface: at(PointLocation::OnSurface),
            outside: at(PointLocation::Outside),
            faces_within: self.within.map(|_| answers.iter().map(faces).sum()),
        }
    }

    fn readable(summary: &Summary) -> String {
        let mut text = count(summary.points, "point");
        if let (Some(inside), Some(on_surface)) = (summary.inside, summary.on_surface) {
            text.push_str(&format!(", {inside} inside, {on_surface} on the surface"));
        }
        if let (Some(least), Some(point), Some(largest)) =
            (summary.least_distance, summary.least_point, summary.largest_distance)
        {
            let (least, largest) = (output::short(least, 6), output::short(largest, 6));
            text.push_str(&format!(", distances from {least} (point {point}) to {largest}"));
        }
        if let Some(faces) = summary.faces_within {
            text.push_str(&format!(", {} within the distance", count(faces as f64, "face")));
        }
        text
    }
}

fn location_name(location: PointLocation) -> &'static str {
    match location {
        PointLocation::Inside => "inside",
        PointLocation::OnSurface => "surface",
        PointLocation::Outside => "outside",
    }
}
