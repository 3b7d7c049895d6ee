//! Parts, and the paths of a ball over them.

use impinge::{
    Mesh, Pose, Ray, Shape,
    generate::{self, Random},
    glam::{DVec2, DVec3},
    method::SolidScratch,
    solid::{RevolvedHull, RoundedDisc, SweptSolid},
};
use impinge_io::{GridCoordinates, GridOptions};
use std::{
    error::Error,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// The radius of the ball, in millimetres.
pub(crate) const RADIUS: f64 = 1.0;

/// The larger side of each part, in millimetres.
pub(crate) const SIDE: f64 = 100.0;

/// How far a path over a terrain stays above the row of heights that it follows, in millimetres, so that a ball that merely
/// touches its own row has no contact.
const GAP: f64 = 0.02;

/// A part and the tips of a tool along a path.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) mesh: Mesh,
    /// The points of the tip, row after row.
    pub(crate) path: Vec<DVec3>,
}

/// All scenes with wanted names; the real ones only if their files are there.
pub(crate) fn all(is_wanted: impl Fn(&str) -> bool) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for (name, make) in [("hills", hills as fn() -> Scene), ("lake", lake)] {
        if is_wanted(name) {
            scenes.push(make());
        }
    }
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("Real parts are left out: `IMPINGE_DATA` names no folder of them.");
        return scenes;
    };
    for (name, file, is_mould) in [
        ("Colorado", "terrain/SRTMGL3_colorado_front_range.asc", false),
        ("Saint Helens", "terrain/SainteHelens.dem", false),
        ("ktoolcav", "cnc/parts/ktoolcav.stl", true),
        ("ktoolcor", "cnc/parts/ktoolcor.stl", true),
    ] {
        if !is_wanted(name) {
            continue;
        }
        match load(&data.join(file)) {
            Ok(mesh) if is_mould => scenes.push(mould(name, &mesh)),
            Ok(mesh) => scenes.push(terrain(name, &mesh)),
            Err(error) => println!("{error}"),
        }
    }
    scenes
}

/// Reads a part. ESRI grids are in degrees, which become metres.
fn load(path: &Path) -> Result<Mesh, Box<dyn Error>> {
    let mut grids = GridOptions::default();
    if path.extension().is_some_and(|extension| extension == "asc") {
        grids.coordinates = GridCoordinates::Geographic;
    }
    Ok(impinge_io::load_with(path, &grids)?.into_mesh()?)
}

/// A rugged terrain.
pub(crate) fn hills() -> Scene {
    let mesh = generate::terrain(250, 250, DVec2::ONE, generate::terrain_height(1));
    terrain("hills", &mesh.expect("valid"))
}

/// The same, half of it under water: a large plane.
fn lake() -> Scene {
    let height = generate::terrain_height(1);
    let mesh = generate::terrain(250, 250, DVec2::ONE, move |x, y| height(x, y).max(0.1));
    terrain("lake", &mesh.expect("valid"))
}

/// A terrain with the paper's path: each tenth row of heights is offset by the ball in its own vertical plane, so that the
/// ball collides where neighbouring rows are higher.
fn terrain(name: &'static str, mesh: &Mesh) -> Scene {
    let mesh = scaled(mesh);
    let (size, shape) = (mesh.bounds().size(), Shape::new(mesh.clone()));
    let cells = (0.5 * mesh.faces().len() as f64 * size.x / size.y).sqrt().round() as u32;
    let step = size.x / f64::from(cells);
    let rows = (size.y / (10.0 * step)) as u32;
    let mut path = Vec::new();
    for row in 1..rows {
        let y = 10.0 * step * f64::from(row);
        let at = |column: u32| DVec2::new((f64::from(column) * step).clamp(1e-6, size.x - 1e-6), y);
        let line = (0..=cells).filter_map(|column| height_at(&shape, at(column)));
        let line: Vec<DVec3> = line.collect();
        let mut tips = offset(&line);
        if row % 2 == 0 {
            tips.reverse();
        }
        path.extend(tips);
    }
    Scene { name, mesh, path }
}

/// A mould with a path on which the ball touches it, distorted by up to 0.02 mm in height.
fn mould(name: &'static str, mesh: &Mesh) -> Scene {
    let mesh = scaled(mesh);
    let (size, shape) = (mesh.bounds().size(), Shape::new(mesh.clone()));
    let mut drop = DropCutter::new(&shape);
    let mut random = Random::new(1);
    let mut path = Vec::new();
    for row in 1..40 {
        let line = (1..250).filter_map(|column| {
            let place =
                size.truncate() * DVec2::new(f64::from(column) / 250.0, f64::from(row) / 40.0);
            let height = drop.height(place)?;
            Some(place.extend(height + random.range(-0.01, 0.02)))
        });
        let mut tips: Vec<DVec3> = line.collect();
        if row % 2 == 0 {
            tips.reverse();
        }
        path.extend(tips);
    }
    Scene { name, mesh, path }
}

/// The mesh with the corner of its box at the origin, and the larger of its sides along x and y of length [`SIDE`]. Positions
/// are rounded to single precision, so that all engines get the same.
pub(crate) fn scaled(mesh: &Mesh) -> Mesh {
    let bounds = mesh.bounds();
    let scale = SIDE / bounds.size().truncate().max_element();
    let place = |p: &DVec3| ((*p - bounds.min) * scale).as_vec3().as_dvec3();
    let positions = mesh.positions().iter().map(place).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("finite positions")
}

/// The point of the surface above or below a place.
fn height_at(shape: &Shape, place: DVec2) -> Option<DVec3> {
    let high = place.extend(10.0 * SIDE);
    let hit = shape.cast_ray(&Pose::IDENTITY, &Ray::new(high, -DVec3::Z).ok()?)?;
    Some(high - DVec3::Z * hit.t)
}

/// The tips of a ball that touches a polyline of a vertical plane along x, above each of its points.
fn offset(line: &[DVec3]) -> Vec<DVec3> {
    let tip = |at: &DVec3| {
        let near = |point: &DVec3| (point.x - at.x).abs() <= RADIUS;
        let over_corner = |point: &DVec3| {
            let aside = point.x - at.x;
            point.z + (RADIUS * RADIUS - aside * aside).max(0.0).sqrt() - RADIUS
        };
        let over_edge = |[p, q]: [DVec3; 2]| {
            let along = (q - p).normalize();
            // The ball touches the edge below its centre, along the edge's normal.
            let contact_x = at.x + RADIUS * along.z;
            let is_on_edge = p.x <= contact_x && contact_x <= q.x;
            let on_edge = p.z + (contact_x - p.x) * along.z / along.x;
            is_on_edge.then_some(on_edge + RADIUS * along.x - RADIUS)
        };
        let corners = line.iter().filter(|point| near(point)).map(over_corner);
        let edges = line.windows(2).filter_map(|edge| over_edge([edge[0], edge[1]]));
        at.with_z(corners.chain(edges).fold(f64::NEG_INFINITY, f64::max) + GAP)
    };
    line.iter().map(tip).collect()
}

/// The ball, with heights measured from its lowest point.
pub(crate) fn ball() -> RevolvedHull {
    RevolvedHull::new(&[RoundedDisc { height: RADIUS, radius: 0.0, rounding: RADIUS }])
        .expect("valid")
}

/// Finds the height at which a ball that comes down along z touches a part.
pub(crate) struct DropCutter<'s> {
    shape: &'s Shape,
    scratch: SolidScratch,
    last: f64,
}

impl<'s> DropCutter<'s> {
    pub(crate) fn new(shape: &'s Shape) -> Self {
        let last = shape.mesh().bounds().min.z;
        Self { shape, scratch: SolidScratch::default(), last }
    }

    /// The height of the tip at a place; `None` if there is nothing below.
    pub(crate) fn height(&mut self, place: DVec2) -> Option<f64> {
        let bounds = self.shape.mesh().bounds();
        // The search starts a little below the last height, and lower if the ball is clear there. A ball below the surface
        // stands on a column, because faces above it count as well.
        for below in [0.3, 2.0, f64::INFINITY] {
            let low = (self.last - below).max(bounds.min.z - RADIUS);
            let column = DVec3::Z * (bounds.max.z - low + 1.0);
            let solid = SweptSolid::new(ball(), place.extend(low), DVec3::Z);
            let mut lift = 0.0;
            let Self { shape, scratch, .. } = self;
            shape.visit_near_solid(&Pose::IDENTITY, &solid.swept(column), scratch, |_, face| {
                // A face that the ball does not touch from the known lift upward cannot raise it.
                if solid.moved(DVec3::Z * lift).swept(column).touches(face) {
                    lift = solid.clearing_move(face, DVec3::Z, lift, 1e-4);
                }
                ControlFlow::Continue(())
            });
            if lift > 0.0 {
                self.last = low + lift;
                return Some(self.last);
            }
        }
        None
    }
}
