//! How `clash` and `inspect` read files: the same options for both.

use crate::length::Length;
use impinge_io::assembly::{LoadOptions, Unit};
use std::{f64::consts::PI, path::PathBuf};

/// How files are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// The unit to work in: mm, cm, m, in or ft. Files that name their unit (glTF, URDF, STEP) are
    /// converted to it, others are taken to be in it
    #[arg(long, value_name = "UNIT")]
    units: Option<Unit>,
    /// The unit of files that do not name theirs (OBJ, STL, PLY, OFF)
    #[arg(long, value_name = "UNIT")]
    file_units: Option<Unit>,
    /// Multiply all coordinates by this, besides the change of units
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    scale: f64,
    /// Make each primitive of a glTF mesh a part of its own
    #[arg(long)]
    primitives: bool,
    /// The position of a joint of a robot, in radians or metres, or with a unit: elbow=90deg,
    /// lift=20cm; may be repeated
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint)]
    joints: Vec<(String, f64)>,
    /// A folder in which packages of a robot (package://NAME/…) are looked for first; may be repeated
    #[arg(long = "package", value_name = "FOLDER")]
    packages: Vec<PathBuf>,
    /// How far triangles may be from the round shapes that they approximate (STEP, URDF), in metres or
    /// with a unit [default: 0.1mm, for small bodies of STEP files a thousandth of their size]
    #[arg(long, value_name = "LENGTH", value_parser = tolerance, allow_hyphen_values = true)]
    tolerance: Option<Length>,
    /// Leave out parts and files that cannot be read, and name them, instead of giving up
    #[arg(long)]
    keep_going: bool,
}

impl Reading {
    /// How far triangles may be from the round shapes that they approximate, in these units.
    pub(crate) fn tolerance(&self, units: Unit) -> f64 {
        /// The tolerance if none is named, in metres.
        const USUAL: f64 = 1e-4;
        let metres = self.tolerance.map_or(USUAL, |tolerance| tolerance.to(Unit::Metre));
        metres * Unit::Metre.to(units)
    }

    /// The options of the loader.
    pub(crate) fn options(&self) -> LoadOptions {
        let Self { units, file_units, scale, joints, packages, tolerance, .. } = self;
        let mut options = LoadOptions::default()
            .scale(*scale)
            .keep_going(self.keep_going)
            .primitives(self.primitives);
        (options.units, options.file_units) = (*units, *file_units);
        if let Some(tolerance) = tolerance {
            options.tolerance = Some(tolerance.to(Unit::Metre));
        }
        let options =
            joints.iter().fold(options, |options, (name, value)| options.joint(name, *value));
        packages.iter().fold(options, LoadOptions::package)
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("not a positive number".into()),
    }
}

fn tolerance(text: &str) -> Result<Length, String> {
    let length: Length = text.parse()?;
    match length.to(Unit::Metre) > 0.0 {
        true => Ok(length),
        false => Err("not a positive length".into()),
    }
}

/// `NAME=VALUE` in radians, metres, degrees or a unit of length.
fn joint(text: &str) -> Result<(String, f64), String> {
    let wrong = "NAME=VALUE is expected, the value a number in radians or metres, or one with deg \
                 or a unit of length";
    let (name, value) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let with_unit = |unit: Unit| {
        Some(number(value.trim_end().strip_suffix(unit.symbol())?)? * unit.to(Unit::Metre))
    };
    let degrees = || Some(number(value.trim_end().strip_suffix("deg")?)? * (PI / 180.0));
    let found =
        number(value).or_else(degrees).or_else(|| Unit::ALL.into_iter().find_map(with_unit));
    match found.filter(|value| value.is_finite()) {
        Some(value) => Ok((name.to_owned(), value)),
        None => Err(wrong.into()),
    }
}
