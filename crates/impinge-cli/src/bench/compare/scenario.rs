//! The scenarios of the comparison: two bodies, and the poses of the second.

use crate::{failure::Failure, source};
use impinge::{
    Mesh, Method, Pair, Pose,
    generate::{self, GenerateError, PipesOptions, Random},
    glam::{DMat3, DQuat, DVec2, DVec3},
};
use std::{
    f64::consts::TAU,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

/// Two bodies and a path. The first body does not move; each pose in turn places the second.
pub(super) struct Scenario {
    pub(super) a: Arc<Mesh>,
    pub(super) b: Arc<Mesh>,
    pub(super) poses: Vec<Pose>,
}

/// A scenario that is not generated yet; some are large.
#[derive(Clone)]
pub(super) enum Plan {
    /// Two equal bodies, one of which tumbles (Zachmann 2002, section 5).
    Tumble { body: Body, distance: f64 },
    /// A sphere in a slightly larger sphere: parallel close proximity (Klosowski 1998).
    Shells { size: &'static str, subdivisions: u32, alpha: f64 },
    /// Pipes that fly through larger pipes, and turn back when they touch.
    Pipes,
    /// A flight low over hills.
    Terrain,
    /// `a.obj`, `b.obj` and `poses.csv` in a folder.
    Folder(PathBuf),
}

#[derive(Clone)]
pub(super) enum Body {
    Sphere { name: &'static str, subdivisions: u32 },
    Torus { name: &'static str, segments: [u32; 2] },
    Bumpy,
    Given { name: String, mesh: Rc<Mesh> },
}

/// Number of poses of each kind of path.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub(super) tumble: u32,
    pub(super) shells: u32,
    pub(super) pipes: u32,
    pub(super) terrain: u32,
}

impl Steps {
    pub(super) const FULL: Self = Self { tumble: 500, shells: 50, pipes: 4000, terrain: 2000 };
    pub(super) const QUICK: Self = Self { tumble: 100, shells: 10, pipes: 500, terrain: 500 };
}

const SPHERE_5K: Body = Body::Sphere { name: "sphere5k", subdivisions: 4 };
const SPHERE_20K: Body = Body::Sphere { name: "sphere20k", subdivisions: 5 };
const SPHERE_80K: Body = Body::Sphere { name: "sphere80k", subdivisions: 6 };
const TORUS_20K: Body = Body::Torus { name: "torus20k", segments: [144, 70] };
const TORUS_80K: Body = Body::Torus { name: "torus80k", segments: [288, 140] };

/// Returns the default scenarios.
pub(super) fn default_plans(is_quick: bool) -> Vec<Plan> {
    let tumbles: &[(Body, &[f64])] = match is_quick {
        false => &[
            (SPHERE_5K, &[1.0, 1.9]),
            (SPHERE_20K, &[1.0, 1.9]),
            (SPHERE_80K, &[1.0, 2.05]),
            (TORUS_20K, &[0.5, 1.5, 1.9]),
            (TORUS_80K, &[1.5, 1.9]),
            (Body::Bumpy, &[0.5, 1.0, 1.5, 1.9, 2.05]),
        ],
        true => &[
            (SPHERE_5K, &[1.0]),
            (SPHERE_20K, &[1.0]),
            (SPHERE_80K, &[1.0]),
            (Body::Bumpy, &[1.0, 1.5, 2.05]),
        ],
    };
    let tumble = |(body, distances): &(Body, &[f64])| -> Vec<Plan> {
        let at = |&distance: &f64| Plan::Tumble { body: body.clone(), distance };
        distances.iter().map(at).collect()
    };
    let mut plans: Vec<Plan> = tumbles.iter().flat_map(tumble).collect();
    let shells: &[(&str, u32)] = if is_quick { &[("5k", 4)] } else { &[("5k", 4), ("80k", 6)] };
    for &(size, subdivisions) in shells {
        plans.extend([0.1, 0.01, 0.001].map(|alpha| Plan::Shells { size, subdivisions, alpha }));
    }
    plans.extend([Plan::Pipes, Plan::Terrain]);
    plans
}

impl Body {
    /// Loads a mesh of the user, scaled like all bodies that tumble.
    pub(super) fn given(source: &str) -> Result<Self, Failure> {
        let mesh = in_cube(&source::mesh(source)?, 2.0);
        let mesh = mesh.map_err(|error| Failure::input(format!("{source}: {error}")))?;
        if mesh.faces().is_empty() {
            return Err(Failure::input(format!("{source}: the mesh has no faces")));
        }
        let path = Path::new(source);
        let stem = match source.starts_with("gen:") {
            true => source.into(),
            false => path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy(),
        };
        Ok(Self::Given { name: file_name(&stem), mesh: Rc::new(mesh) })
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Sphere { name, .. } | Self::Torus { name, .. } => name,
            Self::Bumpy => "bumpy20k",
            Self::Given { name, .. } => name,
        }
    }

    fn mesh(&self) -> Result<Mesh, GenerateError> {
        match self {
            Self::Sphere { subdivisions, .. } => in_cube(&generate::icosphere(*subdivisions)?, 2.0),
            Self::Torus { segments, .. } => in_cube(&generate::torus(0.7, 0.3, *segments)?, 2.0),
            Self::Bumpy => in_cube(&generate::deformed_torus(7, [144, 70])?, 2.0),
            Self::Given { mesh, .. } => Ok(Mesh::clone(mesh)),
        }
    }
}

impl Plan {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Tumble { body, distance } => format!("tumble-{}-d{distance}", body.name()),
            Self::Shells { size, alpha, .. } => format!("shells-{size}-a{alpha}"),
            Self::Pipes => "pipes".to_owned(),
            Self::Terrain => "flight-terrain".to_owned(),
            Self::Folder(path) => {
                file_name(&path.file_name().unwrap_or_default().to_string_lossy())
            }
        }
    }

    /// Returns whether the scenario is one continuous flight, in which query times should be even.
    pub(super) fn is_flight(&self) -> bool {
        matches!(self, Self::Pipes | Self::Terrain)
    }

    pub(super) fn make(&self, steps: Steps) -> Result<Scenario, Failure> {
        let scenario = match self {
            Self::Folder(path) => return folder(path),
            Self::Tumble { body, distance } => tumble(body, *distance, steps.tumble),
            Self::Shells { subdivisions, alpha, .. } => shells(*subdivisions, *alpha, steps.shells),
            Self::Pipes => pipes(steps.pipes),
            Self::Terrain => terrain(steps.terrain),
        };
        scenario.map_err(|error| Failure::input(format!("{}: {error}", self.name())))
    }
}

fn tumble(body: &Body, distance: f64, steps: u32) -> Result<Scenario, GenerateError> {
    let mesh = body.mesh()?;
    let mesh = Arc::new(mesh);
    Ok(Scenario { b: mesh.clone(), a: mesh, poses: generate::tumble(distance, steps)? })
}

fn shells(subdivisions: u32, alpha: f64, steps: u32) -> Result<Scenario, GenerateError> {
    let ball = generate::icosphere(subdivisions)?;
    let smaller = in_single(&ball, |p| p * (1.0 - alpha))?;
    let a = in_single(&ball, |p| p)?;
    Ok(Scenario { a: a.into(), b: smaller.into(), poses: generate::random_rotations(11, steps) })
}

/// The scale at which the flying copy just fits between the pipes.
const PIPES_COPY: f64 = 1.0 / 20.0;

fn pipes(steps: u32) -> Result<Scenario, GenerateError> {
    let mesh = generate::pipes(3, PipesOptions::default())?;
    let a = Arc::new(in_single(&mesh, |p| p)?);
    let b = Arc::new(in_single(&mesh, |p| p * PIPES_COPY)?);
    let mut pair = Pair::with_method(Method::WIDE, a.clone(), b.clone());
    let mut random = Random::new(3);
    let mut is_hit = |pose: &Pose| pair.intersects(&Pose::IDENTITY, pose);
    let pose = |(turn, place): (DQuat, DVec3)| Pose::new(DMat3::from_quat(turn), place);
    // Start at a free place, move straight and turn slowly. A step that touches is kept; the motion then
    // reverses from the step before it.
    let mut at = (DQuat::IDENTITY, DVec3::ZERO);
    for _ in 0..1000 {
        let place = DVec3::from_array([(); 3].map(|()| random.range(-0.7, 0.7)));
        at = (DQuat::from_mat3(&random.rotation()), place);
        if !is_hit(&pose(at)?) {
            break;
        }
    }
    let mut heading = random.direction();
    let mut spin = random.direction();
    let mut poses = Vec::with_capacity(steps as usize);
    for _ in 0..steps {
        let turn = (DQuat::from_axis_angle(spin, 0.02) * at.0).normalize();
        let next = (turn, at.1 + heading * 0.004);
        let here = pose(next)?;
        poses.push(here);
        if is_hit(&here) || next.1.abs().max_element() > 0.93 {
            heading = (random.direction() * 0.9 - heading).normalize();
            spin = (random.direction() * 0.25 - spin).normalize();
        } else {
            at = next;
        }
    }
    drop(pair);
    Ok(Scenario { a, b, poses })
}

fn terrain(steps: u32) -> Result<Scenario, GenerateError> {
    let unit = generate::terrain_height(5);
    let side = 20.0;
    let height = |x: f64, y: f64| side * unit(x / side, y / side);
    let ground = generate::terrain(224, 224, DVec2::splat(side), height)?;
    let poses = (0..steps).map(|step| {
        let s = TAU * f64::from(step) / f64::from(steps);
        let (x, y) = (8.2 * (3.0 * s + 0.3).sin(), 8.2 * (2.0 * s).sin());
        let (ahead_x, ahead_y) = (24.6 * (3.0 * s + 0.3).cos(), 16.4 * (2.0 * s).cos());
        let z = height(x, y) + 0.3 + 0.22 * (37.0 * s).sin();
        let yaw = DMat3::from_rotation_z(ahead_y.atan2(ahead_x));
        let pitch = DMat3::from_rotation_y(0.1 * (11.0 * s).sin());
        let roll = DMat3::from_rotation_x(0.6 * (13.0 * s).sin());
        Ok(Pose::new(yaw * pitch * roll, DVec3::new(x, y, z))?)
    });
    let poses = poses.collect::<Result<_, GenerateError>>()?;
    let (a, b) = (in_single(&ground, |p| p)?, in_cube(&generate::shuttle(), 1.0)?);
    Ok(Scenario { a: a.into(), b: b.into(), poses })
}

fn folder(path: &Path) -> Result<Scenario, Failure> {
    let mesh = |name: &str| -> Result<Mesh, Failure> {
        let file = path.join(name);
        let mesh = impinge_io::load_mesh(&file)?;
        match mesh.faces().is_empty() {
            true => Err(Failure::input(format!("{}: the mesh has no faces", file.display()))),
            false => Ok(mesh),
        }
    };
    let poses = impinge_io::load_poses(path.join("poses.csv"))?;
    Ok(Scenario { a: mesh("a.obj")?.into(), b: mesh("b.obj")?.into(), poses })
}

fn in_cube(mesh: &Mesh, side: f64) -> Result<Mesh, GenerateError> {
    in_single(&generate::scaled_to_cube(mesh, side)?, |p| p)
}

/// Returns the mesh with positions rounded to single precision, so that every engine gets the same mesh.
fn in_single(mesh: &Mesh, change: impl Fn(DVec3) -> DVec3) -> Result<Mesh, GenerateError> {
    let positions = mesh.positions().iter().map(|&p| change(p).as_vec3().as_dvec3()).collect();
    Ok(Mesh::new(positions, mesh.faces().to_vec())?)
}

/// Replaces all characters that a file name cannot have everywhere.
fn file_name(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.,=".contains(c);
    let file_name: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    if file_name.trim_matches('.').is_empty() { "given".to_owned() } else { file_name }
}

impl Scenario {
    /// Writes the scenario folder for peers.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        for (name, mesh) in [("a.obj", &self.a), ("b.obj", &self.b)] {
            let model = impinge_io::Model::from_mesh(name, Mesh::clone(mesh));
            impinge_io::save(folder.join(name), &model)?;
        }
        Ok(impinge_io::save_poses(folder.join("poses.csv"), &self.poses)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_have_the_sizes_they_are_named_for() {
        let faces = |name: &str| {
            let plan = default_plans(false).into_iter().find(|plan| plan.name() == name).unwrap();
            let Scenario { a, b, poses } = plan.make(Steps::QUICK).unwrap();
            (a.faces().len(), b.faces().len(), poses.len())
        };
        assert_eq!(faces("tumble-sphere5k-d1.9"), (5120, 5120, 100));
        assert_eq!(faces("tumble-torus20k-d0.5"), (20160, 20160, 100));
        assert_eq!(faces("shells-5k-a0.001"), (5120, 5120, 10));
        assert_eq!(faces("flight-terrain"), (100_352, 528, 500));
        assert_eq!(default_plans(false).len(), 24);
    }

    #[test]
    fn single_precision_holds_every_position() {
        for plan in default_plans(true) {
            if matches!(plan, Plan::Tumble { .. } | Plan::Shells { .. }) {
                let Scenario { a, b, .. } = plan.make(Steps::QUICK).unwrap();
                let positions = a.positions().iter().chain(b.positions());
                assert!(positions.copied().all(|p| p.as_vec3().as_dvec3() == p), "{}", plan.name());
            }
        }
    }

    /// A flight that always or never touches would be a poor test.
    #[test]
    fn flights_touch_now_and_then() {
        for (plan, share) in [(Plan::Pipes, 0.005..0.5), (Plan::Terrain, 0.1..0.9)] {
            let Scenario { a, b, poses } = plan.make(Steps::QUICK).unwrap();
            let mut pair = Pair::with_method(Method::WIDE, a.clone(), b.clone());
            let hits = poses.iter().filter(|pose| pair.intersects(&Pose::IDENTITY, pose)).count();
            let found = hits as f64 / poses.len() as f64;
            assert!(share.contains(&found), "{}: {found}", plan.name());
        }
    }

    #[test]
    fn names_are_valid_file_names() {
        assert_eq!(file_name("../../a b.obj"), "..-..-a-b.obj");
        assert_eq!(file_name(".."), "given");
    }
}
