//! What a tool can hit: the part, the stock and the fixtures.

use crate::patch::Neighbours;
use impinge::{
    Bounds, Mesh, MeshError, Pose, Shape, Threads, WideOptions,
    clash::Enclosure,
    generate,
    glam::DVec3,
    method::{PointScratch, Recipe},
};
use impinge_io::Assembly;
use std::sync::{Arc, OnceLock};

/// A surface whose holes and loose faces have a larger share of its area than this is open.
const MOST_OPEN: f64 = 0.02;

/// What a body is there for, which decides what a tool may do to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The shape that should remain. Nothing may cut it.
    Part,
    /// The material that the part is cut from. The cutter may cut it in feed moves. Shank and holder may not touch it.
    Stock,
    /// A clamp, a vice, a table. Nothing may touch it.
    Fixture,
}

/// A body that stands still in the coordinates of the part, in millimetres.
#[derive(Clone, Debug)]
pub struct Body {
    /// How the body is named in reports.
    pub name: String,
    /// What the body is there for.
    pub role: Role,
    pub(crate) shape: Shape,
    pub(crate) enclosure: Enclosure,
    /// Made when a depth is first measured.
    neighbours: OnceLock<Arc<Neighbours>>,
}

impl Body {
    /// Prepares a body for a check.
    pub fn new(name: impl Into<String>, role: Role, mesh: impl Into<Arc<Mesh>>) -> Self {
        let recipe = WideOptions::default().threads(Threads::Pool);
        Self::with_method(name, role, mesh, recipe)
    }

    /// Prepares a body for a check by a method or its options. Results do not depend on it.
    pub fn with_method(
        name: impl Into<String>,
        role: Role,
        mesh: impl Into<Arc<Mesh>>,
        recipe: impl Recipe,
    ) -> Self {
        let shape = Shape::build(recipe, mesh);
        let enclosure = Enclosure::new(&shape);
        Self { name: name.into(), role, shape, enclosure, neighbours: OnceLock::new() }
    }

    /// Prepares a box as a body.
    ///
    /// # Errors
    /// If the box is empty, or too large for a mesh.
    pub fn cuboid(name: impl Into<String>, role: Role, bounds: &Bounds) -> Result<Self, String> {
        let cuboid = generate::cuboid(bounds.size()).map_err(|error| error.to_string())?;
        let shift = bounds.center() - cuboid.bounds().center();
        let moved = cuboid.positions().iter().map(|&corner| corner + shift).collect();
        let mesh = cuboid.with_positions(moved).map_err(|error| error.to_string())?;
        Ok(Self::new(name, role, mesh))
    }

    /// Prepares the parts of an assembly, in millimetres, as bodies. The only part of an assembly is named `name`. Parts
    /// without faces are left out.
    ///
    /// # Errors
    /// If a part is placed where it would be too large.
    pub fn of_assembly(
        name: &str,
        role: Role,
        assembly: &Assembly,
    ) -> Result<Vec<Self>, MeshError> {
        let mut bodies = Vec::new();
        for part in 0..assembly.parts.len() {
            if assembly.mesh(part).faces().is_empty() {
                continue;
            }
            let name = match assembly.parts.len() {
                1 => name.to_owned(),
                _ => assembly.full_name(part),
            };
            bodies.push(Self::new(name, role, placed(assembly, part)?));
        }
        Ok(bodies)
    }

    /// Which faces are beyond the edges of others.
    pub(crate) fn neighbours(&self) -> &Neighbours {
        self.neighbours.get_or_init(|| Arc::new(Neighbours::new(self.mesh())))
    }

    /// Whether a point is inside the solid. No point is inside an open surface.
    pub(crate) fn contains(&self, point: DVec3, scratch: &mut PointScratch) -> bool {
        self.is_solid() && self.enclosure.contains_with(point, scratch)
    }

    /// The mesh, whose faces results refer to.
    pub fn mesh(&self) -> &Arc<Mesh> {
        self.shape.mesh()
    }

    /// Whether the faces enclose a solid, but for small holes. An open surface counts as the top of a solid below it, along the
    /// tool's axis.
    pub fn is_solid(&self) -> bool {
        self.enclosure.is_solid() && self.enclosure.open_share() <= MOST_OPEN
    }
}

/// The mesh of a part, in the coordinates of the assembly.
fn placed(assembly: &Assembly, part: usize) -> Result<Arc<Mesh>, MeshError> {
    let placement = assembly.parts[part].placement;
    let mesh = assembly.mesh(part);
    if placement == Pose::IDENTITY {
        return Ok(Arc::clone(mesh));
    }
    let moved = mesh.positions().iter().map(|&position| placement.place(position)).collect();
    Ok(mesh.with_positions(moved)?.into())
}

/// The bodies around a tool.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The bodies, in the order in which results refer to them.
    pub bodies: Vec<Body>,
}

impl Setup {
    /// A box around all bodies.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for body in &self.bodies {
            bounds.merge(&body.mesh().bounds());
        }
        bounds
    }
}
