//! The bodies of `impinge nc`: the part, the stock and the fixtures, all in millimetres.

use super::arguments::{Reading, Stock};
use crate::{failure::Failure, input, output::plain, progress, source};
use impinge::{Mesh, Pose, generate};
use impinge_io::assembly::{self, Assembly, LoadOptions, Unit};
use impinge_nc::{Body, Role, Setup};
use std::{path::Path, sync::Arc};

/// Loads the part and the bodies around it.
pub(super) fn load(part: &str, reading: &Reading) -> Result<Setup, Failure> {
    let meshes = meshes(part, reading)?;
    setup(meshes, reading)
}

/// Returns a part with the bodies around it.
pub(super) fn with_part(name: &str, part: Mesh, reading: &Reading) -> Result<Setup, Failure> {
    setup(vec![(name.to_owned(), part.into())], reading)
}

type Named = (String, Arc<Mesh>);

fn setup(parts: Vec<Named>, reading: &Reading) -> Result<Setup, Failure> {
    let mut all: Vec<(Role, Named)> = parts.into_iter().map(|part| (Role::Part, part)).collect();
    match &reading.stock {
        None => {}
        Some(Stock::File(file)) => {
            all.extend(meshes(file, reading)?.into_iter().map(|mesh| (Role::Stock, mesh)));
        }
        Some(Stock::Box(bounds)) => {
            let cuboid = generate::cuboid(bounds.size()).map_err(Failure::input)?;
            let shift = bounds.center() - cuboid.bounds().center();
            let moved = cuboid.positions().iter().map(|&corner| corner + shift).collect();
            let mesh = cuboid.with_positions(moved).map_err(Failure::input)?;
            all.push((Role::Stock, ("stock".to_owned(), mesh.into())));
        }
    }
    for file in &reading.fixture {
        all.extend(meshes(file, reading)?.into_iter().map(|mesh| (Role::Fixture, mesh)));
    }
    let prepare = || {
        let body = |(role, (name, mesh)): (Role, Named)| Body::new(name, role, mesh);
        Setup { bodies: all.into_iter().map(body).collect() }
    };
    Ok(progress::with_spinner("preparing the bodies", prepare))
}

/// Loads the meshes of a file, each placed where its part is.
fn meshes(name: &str, reading: &Reading) -> Result<Vec<Named>, Failure> {
    let mut options = LoadOptions::default().grids(reading.grids.options());
    options.units = Some(Unit::Millimetre);
    options.file_units = reading.part_unit;
    let assembly = match source::file(name) {
        Some(file) => {
            let label = format!("reading {}", file.display());
            progress::with_spinner(&label, || assembly::load([file], &options))?
        }
        None => input::to_assembly(name, source::model(name, &options.grids)?, &options)?.0,
    };
    let count = assembly.parts.len();
    let placed = |part: usize| Ok((name_of(name, &assembly, part), placed(&assembly, part)?));
    let meshes: Vec<Named> = (0..count).map(placed).collect::<Result<_, Failure>>()?;
    match meshes.iter().all(|(_, mesh)| mesh.faces().is_empty()) {
        true => Err(Failure::input(format!("{name}: has no faces; there is nothing to check"))),
        false => Ok(meshes.into_iter().filter(|(_, mesh)| !mesh.faces().is_empty()).collect()),
    }
}

/// The name of a part; that of the file if it is the only one.
fn name_of(file: &str, assembly: &Assembly, part: usize) -> String {
    match assembly.parts.len() {
        1 => short_name(file),
        _ => assembly.full_name(part),
    }
}

/// The mesh of a part, in the coordinates of the assembly.
fn placed(assembly: &Assembly, part: usize) -> Result<Arc<Mesh>, Failure> {
    let placement = assembly.parts[part].placement;
    let mesh = &assembly.meshes[assembly.parts[part].mesh];
    if placement == Pose::IDENTITY {
        return Ok(Arc::clone(mesh));
    }
    let moved = mesh.positions().iter().map(|&position| placement.place(position)).collect();
    Ok(mesh.with_positions(moved).map_err(Failure::input)?.into())
}

/// The name of a file without its folders; a `gen:` name as it is.
pub(super) fn short_name(name: &str) -> String {
    let file = source::file(name).and_then(Path::file_name);
    file.map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
}

/// Says that a part without a unit counts as millimetres, if the program is in inches.
pub(super) fn unit_note(part: &str, unit: impinge_nc::Unit, reading: &Reading) -> Option<String> {
    let is_known = reading.part_unit.is_some();
    let is_known = is_known || source::units(part, &reading.grids.options()).is_some();
    let is_step = Path::new(part).extension().is_some_and(|kind| {
        ["step", "stp", "ifc", "3mf", "urdf"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    });
    (unit == impinge_nc::Unit::Inch && !is_known && !is_step).then(|| {
        format!(
            "the program is in inches, and {} names no unit: its coordinates count as millimetres; --part-unit in \
             makes them inches",
            plain(&short_name(part))
        )
    })
}

/// Says which bodies are open.
pub(super) fn open_notes(setup: &Setup) -> impl Iterator<Item = String> {
    setup.bodies.iter().filter(|body| !body.is_solid()).map(|body| {
        format!(
            "{} is not closed: it counts as the top of a solid below it, seen along the tool's axis",
            plain(&body.name)
        )
    })
}
