//! The bodies of `impinge nc`: the part, the stock and the fixtures, all in millimetres.

use super::arguments::{Reading, Stock};
use crate::{failure::Failure, input, output::plain, progress, source};
use impinge::Mesh;
use impinge_io::assembly::{self, LoadOptions, Unit};
use impinge_nc::{Body, Role, Setup};
use std::path::Path;

/// Loads the part and the bodies around it.
pub(super) fn load(part: &str, reading: &Reading) -> Result<Setup, Failure> {
    setup(bodies(part, Role::Part, reading)?, reading)
}

/// Returns a part with the bodies around it.
pub(super) fn with_part(name: &str, part: Mesh, reading: &Reading) -> Result<Setup, Failure> {
    setup(vec![Body::new(name, Role::Part, part)], reading)
}

fn setup(mut all: Vec<Body>, reading: &Reading) -> Result<Setup, Failure> {
    match &reading.stock {
        None => {}
        Some(Stock::File(file)) => all.append(&mut bodies(file, Role::Stock, reading)?),
        Some(Stock::Box(bounds)) => {
            all.push(Body::cuboid("stock", Role::Stock, bounds).map_err(Failure::input)?);
        }
    }
    for file in &reading.fixture {
        all.append(&mut bodies(file, Role::Fixture, reading)?);
    }
    Ok(Setup { bodies: all })
}

/// Loads the bodies of a file, each placed where its part is.
fn bodies(name: &str, role: Role, reading: &Reading) -> Result<Vec<Body>, Failure> {
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
    let prepare = || Body::of_assembly(&short_name(name), role, &assembly);
    let bodies = progress::with_spinner("preparing the bodies", prepare).map_err(Failure::input)?;
    match bodies.is_empty() {
        true => Err(Failure::input(format!("{name}: has no faces; there is nothing to check"))),
        false => Ok(bodies),
    }
}

/// The name of a file without its folders; a `gen:` name as it is.
pub(super) fn short_name(name: &str) -> String {
    let file = source::file(name).and_then(Path::file_name);
    file.map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
}

/// Says that a part without a unit counts as millimetres, if the program is in inches.
pub(super) fn unit_note(part: &str, unit: Unit, reading: &Reading) -> Option<String> {
    let is_known = reading.part_unit.is_some();
    let is_known = is_known || source::units(part, &reading.grids.options()).is_some();
    let is_step = Path::new(part).extension().is_some_and(|kind| {
        ["step", "stp", "ifc", "3mf", "urdf"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    });
    (unit == Unit::Inch && !is_known && !is_step).then(|| {
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
