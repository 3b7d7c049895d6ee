//! The options of `clash` and `inspect` that say how files are read.

use crate::{failure::Failure, grids::Grids, length::Length};
use impinge_io::assembly::{JointValue, LoadOptions, Unit};
use std::path::PathBuf;

/// How files are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// Unit to work in: um, mm, cm, m, in or ft. Files whose unit is known (glTF, URDF, STEP, IFC, 3MF, USGS DEM, DTED) are
    /// converted to it; all other files are assumed to use it
    #[arg(long, value_name = "UNIT")]
    units: Option<Unit>,
    /// Unit of files that do not name one: OBJ, STL, PLY, OFF, ESRI ASCII grids, and glTF, which is in metres only by
    /// convention
    #[arg(long, value_name = "UNIT")]
    file_units: Option<Unit>,
    /// Multiply all coordinates by this factor, in addition to unit conversion
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    scale: f64,
    /// Make each primitive of a glTF mesh a separate part
    #[arg(long)]
    primitives: bool,
    /// Make each connected piece of a mesh a separate part, for files that hold an assembly as one mesh. Faces
    /// that share a corner position are connected; a cavity belongs to the piece around it
    #[arg(long)]
    split: bool,
    /// Position of a robot joint, in radians or metres, or with a unit: elbow=90deg, lift=20cm; may be
    /// repeated for other joints
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint)]
    joints: Vec<(String, JointValue)>,
    /// Folder to search first for a robot's packages (package://NAME/…); may be repeated
    #[arg(long = "package", value_name = "FOLDER")]
    packages: Vec<PathBuf>,
    /// Largest distance between a curved surface and its triangles (STEP, IFC, URDF), in metres or with a unit
    /// [default: 0.1mm; a thousandth of the size for small bodies of STEP files; 1mm for IFC]
    #[arg(long, value_name = "LENGTH", value_parser = tolerance, allow_hyphen_values = true)]
    tolerance: Option<Length>,
    /// Classes of IFC elements to check although they are no bodies: IfcSpace, IfcOpeningElement,
    /// IfcVirtualElement, IfcSpatialZone
    #[arg(long, value_name = "CLASS,…", value_delimiter = ',')]
    ifc_include: Vec<String>,
    /// Skip parts and files that cannot be read, and name them, instead of stopping
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    grids: Grids,
}

impl Reading {
    /// The options of the loader.
    pub(crate) fn options(&self) -> Result<LoadOptions, Failure> {
        let Self { units, file_units, scale, joints, packages, tolerance, .. } = self;
        let mut options = LoadOptions::default()
            .scale(*scale)
            .keep_going(self.keep_going)
            .primitives(self.primitives)
            .split(self.split)
            .grids(self.grids.options());
        (options.units, options.file_units) = (*units, *file_units);
        options.ifc_include.clone_from(&self.ifc_include);
        if let Some(tolerance) = tolerance {
            options.tolerance = Some(tolerance.to(Unit::Metre));
        }
        for (name, value) in joints {
            if let Some(before) = options.joints.insert(name.clone(), *value) {
                return Err(Failure::input(format!(
                    "--joint {name}={value}: the joint is given twice; the first value is {before}"
                )));
            }
        }
        Ok(packages.iter().fold(options, LoadOptions::package))
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("expected a number greater than 0".into()),
    }
}

fn tolerance(text: &str) -> Result<Length, String> {
    let length: Length = text.parse()?;
    match length.to(Unit::Metre) > 0.0 {
        true => Ok(length),
        false => Err("expected a length greater than 0".into()),
    }
}

/// Parses `NAME=VALUE`. Whether the unit suits the joint is known only when the robot has been read.
fn joint(text: &str) -> Result<(String, JointValue), String> {
    let parts = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = parts.ok_or("expected NAME=VALUE, as in elbow=90deg or lift=20cm")?;
    let value = value.parse().map_err(|error| format!("expected NAME=VALUE: {error}"))?;
    Ok((name.to_owned(), value))
}
