//! Reads robots: the collision geometry of the links of a URDF file.
//!
//! [`document`] parses the XML, [`kinematics`] computes the link transforms, [`shapes`] makes meshes of boxes,
//! cylinders, spheres and capsules, and [`packages`] finds the mesh files.

mod document;
mod kinematics;
mod packages;
mod shapes;
mod tessellation;

use super::{
    Assembly, Link, LoadOptions, Unit,
    build::{Builder, NewPart, SourceMesh, file_error},
    files::unread,
    robot,
    rounding::of_translation,
};
use crate::{
    Error,
    error::{Fault, Location},
    text::shown,
};
use document::{Collision, Geometry, Robot};
use glam::{DAffine3, DMat3};
use kinematics::{Carried, neighbours};
use packages::Packages;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use kinematics::Mechanism;

/// The default for the largest distance between triangles and a round shape, in metres.
const TOLERANCE: f64 = 1e-4;

/// Adds the collision geometry of a robot, link by link.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    folder: Option<&Path>,
    group: Option<u32>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let named = |fault: Fault| fault.in_file(path);
    let robot = Robot::parse(bytes).map_err(named)?;
    let mut mechanism = Mechanism::new(&robot).map_err(named)?;
    mechanism.factor = builder.options.conversion(Some(Unit::Metre)).0;
    let values = kinematics::values(&robot, &mechanism, &builder.options.joints).map_err(named)?;
    let mut links = Vec::new();
    mechanism.place_links(&values, &mut links).map_err(|joint| {
        let message = "a link below this joint is beyond the range of numbers";
        named(Fault::line(robot.joints[joint].line, message))
    })?;
    if robot.links.iter().all(|link| link.collisions.is_empty()) {
        let message = "no link of the robot has collision geometry (visual geometry is not used)";
        return Err(Fault::file(message).in_file(path));
    }
    let first_link = builder.assembly.links.len() as u32;
    let link_moved = mechanism.rounding_of_origins();
    let packages = Packages::new(folder, &builder.options.packages);
    let mut meshes = Meshes { packages, known: HashMap::new(), shapes: HashMap::new() };
    for (number, link) in robot.links.iter().enumerate() {
        let group = match link.collisions.len() {
            0 | 1 => group,
            _ => {
                let fault = |message| named(Fault::line(link.line, message));
                Some(builder.add_group(link.name.clone(), group).map_err(fault)?)
            }
        };
        for (at, collision) in link.collisions.iter().enumerate() {
            let name = match (link.collisions.len(), &collision.name) {
                (1, _) => link.name.clone(),
                (_, Some(name)) => format!("{}/{name}", link.name),
                (_, None) => format!("{}/{}", link.name, at + 1),
            };
            let added = meshes.get(collision, builder).map_err(|error| match error {
                Problem::Here(message) => named(Fault::line(collision.line, message)),
                Problem::InFile(error) => error,
            });
            let first_part = builder.assembly.parts.len() as u32;
            let added = added.and_then(|(mesh, scale)| {
                let local = collision.origin * scale;
                let transform = &(links[number] * local);
                let link = Some(first_link + number as u32);
                let moved = link_moved[number] + of_translation(collision.origin.translation);
                let part = NewPart { link, moved, ..NewPart::new(&name, group, mesh, transform) };
                let fault = |message| named(Fault::line(collision.line, message));
                let added = builder.add_part(part).map_err(fault);
                // A mesh that is split becomes several parts.
                let parts = first_part..builder.assembly.parts.len() as u32;
                let link = number as u32;
                mechanism.carried.extend(parts.map(|part| Carried { part, link, local }));
                added
            });
            if let Err(error) = added {
                builder.broken(&name, error)?;
            }
        }
    }
    add_structure(&robot, mechanism, &values, &mut builder.assembly);
    Ok(())
}

fn add_structure(robot: &Robot, mechanism: Mechanism, values: &[f64], assembly: &mut Assembly) {
    let first_link = assembly.links.len() as u32;
    let first_joint = assembly.joints.len() as u32;
    let moved = |link: u32| first_link + link;
    for (link, (above, hub)) in robot.links.iter().zip(neighbours(robot, &mechanism)) {
        assembly.links.push(Link {
            name: link.name.clone(),
            has_geometry: !link.collisions.is_empty(),
            above: above.map(moved),
            hub: hub.map(moved),
        });
    }
    let joints = robot.joints.iter().zip(values);
    assembly.joints.extend(joints.map(|(joint, &value)| joint.to_joint(first_link, value)));
    assembly.robots.push(robot::Robot {
        name: robot.name.clone(),
        file: assembly.files.len().saturating_sub(1) as u32,
        links: first_link..assembly.links.len() as u32,
        joints: first_joint..assembly.joints.len() as u32,
        mechanism,
    });
}

/// Refuses values for joints that no robot has, and values that a joint does not accept.
pub(super) fn check_joint_values(assembly: &Assembly, options: &LoadOptions) -> Result<(), Error> {
    let first = || assembly.files.first().cloned().unwrap_or_default();
    for (name, &value) in &options.joints {
        let fault = |message| Error { path: first(), location: Location::File, message };
        let mut is_known = false;
        for robot in &assembly.robots {
            let joints = &assembly.joints[robot.joints.start as usize..robot.joints.end as usize];
            for joint in joints.iter().filter(|joint| joint.name == *name) {
                is_known = true;
                joint.accept(value).map_err(|message| Error {
                    path: assembly.files[robot.file as usize].clone(),
                    location: Location::Line(joint.line),
                    message,
                })?;
            }
        }
        if !is_known {
            return Err(fault(unknown_joint(assembly, name)));
        }
    }
    Ok(())
}

/// Says which joints there are instead of the one named.
pub(super) fn unknown_joint(assembly: &Assembly, name: &str) -> String {
    let name = shown(name);
    if assembly.robots.is_empty() {
        return format!(
            "there is no robot (.urdf) among the files, so no joint `{name}` can be set"
        );
    }
    let settable = assembly.joints.iter().filter(|joint| joint.can_be_set().is_ok());
    let known: Vec<_> = settable.take(20).map(|joint| shown(&joint.name)).collect();
    match known.is_empty() {
        true => format!("there is no joint `{name}`, and no joint of the robot can be set"),
        false => {
            format!("there is no joint `{name}`; joints that can be set: {}", known.join(", "))
        }
    }
}

/// Why the mesh of a collision element is not available.
enum Problem {
    Here(String),
    InFile(Error),
}

/// The meshes of a robot, cached: each file is read once.
struct Meshes<'a> {
    packages: Packages<'a>,
    known: HashMap<PathBuf, SourceMesh>,
    /// Robots use the same shape many times, each with thousands of faces.
    shapes: HashMap<shapes::Key, SourceMesh>,
}

impl Meshes<'_> {
    /// Returns the mesh of a collision element, and its scale.
    fn get(
        &mut self,
        collision: &Collision,
        builder: &mut Builder<'_>,
    ) -> Result<(SourceMesh, DAffine3), Problem> {
        let Geometry::Mesh { filename, scale } = &collision.geometry else {
            let key = shapes::key(&collision.geometry);
            let mesh = match self.shapes.get(&key) {
                Some(&known) => known,
                None => {
                    let tolerance = builder.options.tolerance.unwrap_or(TOLERANCE);
                    let mesh =
                        shapes::mesh(&collision.geometry, tolerance).map_err(Problem::Here)?;
                    let tessellation = tessellation::of(&collision.geometry, &mesh);
                    let mesh = builder.add_made(mesh).map_err(Problem::Here)?;
                    let mesh = builder.with_tessellation(mesh, tessellation);
                    self.shapes.insert(key, mesh);
                    mesh
                }
            };
            return Ok((mesh, DAffine3::IDENTITY));
        };
        let path = self.packages.resolve(filename).map_err(Problem::Here)?;
        let mesh = match self.known.get(&path) {
            Some(&mesh) => mesh,
            None => {
                if let Some(message) = unread(&path) {
                    return Err(Problem::InFile(file_error(&path, message)));
                }
                let mesh = crate::load_mesh(&path).map_err(Problem::InFile)?;
                let mesh = builder.add_mesh(Arc::new(mesh));
                self.known.insert(path, mesh);
                mesh
            }
        };
        let scale = DAffine3::from_mat3(DMat3::from_diagonal(*scale));
        Ok((mesh, scale))
    }
}
