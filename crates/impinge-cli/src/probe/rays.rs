//! `impinge rays`: where each of many rays meets a mesh.

use super::{Options, Questions, Subject, run as ask_all};
use crate::{failure::Failure, output::count, source};
use impinge::{Pose, Ray, RayHit, Shape};
use serde::Serialize;
use std::path::PathBuf;

/// Find where each of many rays first meets a mesh, or all faces that it meets.
///
/// Hits are exact: an edge or a corner counts as any other point of a face, so no ray slips through a closed mesh.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge rays part.stl rays.csv --write hits.csv
  impinge rays part.stl rays.csv --all --write hits.csv
  impinge rays gen:torus gen:rays,count=500,seed=2 --method all
  impinge rays gen:terrain gen:rays,from-inside --threads 1 --json",
    after_help = "\
A file of rays has one line for each ray: ox,oy,oz,dx,dy,dz[,t_max], which are the points
origin + t * direction with t from 0 to t_max, or without end. A first line with these names
is skipped.

--write writes a row for each hit: ray,t,x,y,z,face. Rays that miss have no row. With --all
the hits of a ray are sorted by t, then by face.

Output: a table on a terminal; one JSON line with --json, or if the output is not a terminal."
)]
pub(crate) struct Arguments {
    /// Mesh: a file, or gen:NAME
    #[arg(value_name = "A")]
    mesh: String,
    /// Rays: a CSV file, or gen:rays
    #[arg(value_name = "RAYS")]
    rays: String,
    /// Find all faces that each ray meets, not only the first
    #[arg(long)]
    all: bool,
    /// Write the hits as CSV rows
    #[arg(long, value_name = "OUT.csv")]
    write: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { mesh, rays, all, write, options } = arguments;
    let (subject, rays) = options.reading(write.as_deref(), [mesh, rays], || {
        let subject = Subject::load(mesh, options)?;
        let rays = source::rays(rays, Some(subject.bounds()))?;
        Ok((subject, rays))
    })?;
    ask_all(options, &subject, &Rays { rays, all: *all, write: write.clone() })
}

struct Rays {
    rays: Vec<Ray>,
    all: bool,
    write: Option<PathBuf>,
}

#[derive(Serialize)]
struct Summary {
    rays: usize,
    hitting_rays: usize,
    hits: Option<u64>,
}

impl Questions for Rays {
    /// The hits; at most one unless all are wanted.
    type Answer = Vec<RayHit>;
    type Summary = Summary;
    const ABOUT: &'static str = "ray";

    fn mode(&self) -> &'static str {
        if self.all { "all-hits" } else { "first-hit" }
    }

    fn len(&self) -> usize {
        self.rays.len()
    }

    fn ask(&self, shape: &Shape, pose: &Pose, number: usize) -> Vec<RayHit> {
        let ray = &self.rays[number];
        match self.all {
            true => shape.cast_ray_all(pose, ray),
            false => shape.cast_ray(pose, ray).into_iter().collect(),
        }
    }

    fn shown(answer: &Vec<RayHit>) -> String {
        let first = answer.first().map_or(String::new(), |hit| {
            format!(", the first of face {} at t = {}", hit.face, hit.t)
        });
        format!("{}{first}", count(answer.len(), "hit"))
    }

    fn write(&self, answers: &[Vec<RayHit>]) -> Result<(), Failure> {
        let Some(path) = &self.write else { return Ok(()) };
        impinge_io::write_atomically(path, |out| {
            writeln!(out, "ray,t,x,y,z,face")?;
            for (number, (ray, hits)) in self.rays.iter().zip(answers).enumerate() {
                for RayHit { t, face } in hits {
                    let p = ray.at(*t);
                    writeln!(out, "{number},{t},{},{},{},{face}", p.x, p.y, p.z)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn summary(&self, answers: &[Vec<RayHit>]) -> Summary {
        Summary {
            rays: self.rays.len(),
            hitting_rays: answers.iter().filter(|hits| !hits.is_empty()).count(),
            hits: self.all.then(|| answers.iter().map(|hits| hits.len() as u64).sum()),
        }
    }

    fn readable(summary: &Summary) -> String {
        let Summary { rays, hitting_rays, hits, .. } = summary;
        let hits = hits.map_or(String::new(), |hits| format!(", {hits} faces in total"));
        format!("{hitting_rays} of {} hit the mesh{hits}", count(*rays, "ray"))
    }
}
