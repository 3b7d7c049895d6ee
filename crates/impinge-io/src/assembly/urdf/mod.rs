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
    Assembly, LoadOptions,
    build::{Builder, NewPart, SourceMesh, file_error},
    files::unread,
    robot::{Joint, Link},
    rounding::of_translation,
};
use crate::{
    Error,
    error::{Fault, Location},
    text::shown,
};
use document::{Collision, Geometry, Robot};
use glam::{DAffine3, DMat3};
use kinematics::{RobotState, neighbours};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

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
    let state = RobotState::new(&robot, &builder.options.joints).map_err(named)?;
    if robot.links.iter().all(|link| link.collisions.is_empty()) {
        let message = "no link of the robot has collision geometry (visual geometry is not used)";
        return Err(Fault::file(message).in_file(path));
    }
    let first_link = builder.assembly.links.len() as u32;
    let link_moved = moved(&robot, &state);
    let mut meshes = Meshes { folder, known: HashMap::new(), shapes: HashMap::new() };
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
            let added = added.and_then(|(mesh, scale)| {
                let transform = &(state.links[number] * collision.origin * scale);
                let link = Some(first_link + number as u32);
                let moved = link_moved[number] + of_translation(collision.origin.translation);
                let part = NewPart { link, moved, ..NewPart::new(&name, group, mesh, transform) };
                let fault = |message| named(Fault::line(collision.line, message));
                builder.add_part(part).map_err(fault)
            });
            if let Err(error) = added {
                builder.broken(&name, error)?;
            }
        }
    }
    add_structure(&robot, &state, first_link, &mut builder.assembly);
    Ok(())
}

/// Returns how far the rounding of the joints' origins may have moved each link.
fn moved(robot: &Robot, state: &RobotState) -> Vec<f64> {
    let mut moved = vec![0.0; robot.links.len()];
    for joint in &robot.joints {
        moved[joint.child as usize] = of_translation(joint.origin.translation);
    }
    for &link in &state.order {
        if let Some(parent) = state.parents[link as usize] {
            moved[link as usize] += moved[parent as usize];
        }
    }
    moved
}

fn add_structure(robot: &Robot, state: &RobotState, first_link: u32, assembly: &mut Assembly) {
    let moved = |link: u32| first_link + link;
    for (link, (above, hub)) in robot.links.iter().zip(neighbours(robot, state)) {
        assembly.links.push(Link {
            name: link.name.clone(),
            has_geometry: !link.collisions.is_empty(),
            above: above.map(moved),
            hub: hub.map(moved),
        });
    }
    for (joint, &value) in robot.joints.iter().zip(&state.values) {
        assembly.joints.push(Joint {
            name: joint.name.clone(),
            kind: joint.kind,
            parent: moved(joint.parent),
            child: moved(joint.child),
            limits: joint.limits,
            value,
            mimics: joint.mimic.as_ref().map(|mimic| mimic.joint.clone()),
        });
    }
}

/// Refuses values for joints that no robot of the assembly has.
pub(super) fn check_joint_names(assembly: &Assembly, options: &LoadOptions) -> Result<(), Error> {
    let has = |name: &String| assembly.joints.iter().any(|joint| joint.name == *name);
    let Some(name) = options.joints.keys().find(|name| !has(name)) else { return Ok(()) };
    let settable = |joint: &&Joint| joint.limits.is_some() || joint.kind.is_free();
    let known: Vec<_> =
        assembly.joints.iter().filter(settable).take(20).map(|joint| shown(&joint.name)).collect();
    let message = match known.is_empty() {
        true => {
            format!("there is no joint `{}`, and no joint of the assembly can be set", shown(name))
        }
        false => {
            format!(
                "there is no joint `{}`; joints that can be set: {}",
                shown(name),
                known.join(", ")
            )
        }
    };
    let path = assembly.files.first().cloned().unwrap_or_default();
    Err(Error { path, location: Location::File, message })
}

/// Why the mesh of a collision element is not available.
enum Problem {
    Here(String),
    InFile(Error),
}

/// The meshes of a robot, cached: each file is read once.
struct Meshes<'a> {
    folder: Option<&'a Path>,
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
                Some(&mesh) => mesh,
                None => {
                    let tolerance = builder.options.tolerance.unwrap_or(TOLERANCE);
                    let mesh =
                        shapes::mesh(&collision.geometry, tolerance).map_err(Problem::Here)?;
                    let tessellation = tessellation::of(&collision.geometry, &mesh, tolerance);
                    let mesh = builder.add_made(mesh).map_err(Problem::Here)?;
                    let mesh = builder.with_tessellation(mesh, tessellation);
                    self.shapes.insert(key, mesh);
                    mesh
                }
            };
            return Ok((mesh, DAffine3::IDENTITY));
        };
        let path = packages::resolve(filename, self.folder, &builder.options.packages);
        let path = path.map_err(Problem::Here)?;
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
        Ok((mesh, DAffine3::from_mat3(DMat3::from_diagonal(*scale))))
    }
}
