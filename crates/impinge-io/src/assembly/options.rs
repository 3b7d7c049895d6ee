//! Options for reading an assembly, and units of length.

use super::JointValue;
use crate::{Format, GridOptions};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf, str::FromStr, time::Duration};

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Unit {
    /// 0.000001 m.
    Micrometre,
    /// 0.001 m.
    Millimetre,
    /// 0.01 m.
    Centimetre,
    /// The unit of glTF and URDF files.
    Metre,
    /// 0.0254 m.
    Inch,
    /// 0.3048 m.
    Foot,
}

impl Unit {
    /// Every unit, in the order in which messages list them.
    pub const ALL: [Self; 6] =
        [Self::Micrometre, Self::Millimetre, Self::Centimetre, Self::Metre, Self::Inch, Self::Foot];

    /// Other ways to write a micrometre: without the Greek letter, and with the letter itself (U+03BC) instead of
    /// the micro sign (U+00B5).
    const MICROMETRE: [&str; 2] = ["um", "\u{3BC}m"];

    /// Returns the symbol of the unit: `µm`, `mm`, `cm`, `m`, `in` or `ft`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micrometre => "\u{B5}m",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// Returns the factor that converts a length in this unit to `other`, rounded to the nearest `f64`.
    pub fn to(self, other: Self) -> f64 {
        self.micrometres() / other.micrometres()
    }

    /// Splits a length such as `0.5 mm` into the text before the unit and the unit, in upper or lower case; `None` if
    /// the text does not end with a unit.
    ///
    /// ```
    /// use impinge_io::assembly::Unit;
    /// assert_eq!(Unit::split_suffix("0.5 um"), Some(("0.5", Unit::Micrometre)));
    /// assert_eq!(Unit::split_suffix("0.5"), None);
    /// ```
    pub fn split_suffix(text: &str) -> Option<(&str, Self)> {
        let text = text.trim_end();
        let start = text.rfind(|sign: char| !sign.is_alphabetic()).map_or(0, |at| at + 1);
        // The last sign before the unit may have several bytes.
        let start = (start..=text.len()).find(|&at| text.is_char_boundary(at))?;
        let (number, unit) = text.split_at(start);
        Some((number.trim_end(), unit.parse().ok()?))
    }

    /// Whole numbers, so that the quotient of two is rounded only once.
    fn micrometres(self) -> f64 {
        match self {
            Self::Micrometre => 1.0,
            Self::Millimetre => 1000.0,
            Self::Centimetre => 10_000.0,
            Self::Metre => 1_000_000.0,
            Self::Inch => 25_400.0,
            Self::Foot => 304_800.0,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if Self::MICROMETRE.iter().any(|other| text.eq_ignore_ascii_case(other)) {
            return Ok(Self::Micrometre);
        }
        let known = |unit: &Self| text.eq_ignore_ascii_case(unit.symbol());
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            let all = Self::ALL.map(Self::symbol).join(", ");
            format!("`{}` is not a unit of length; use one of {all}", crate::text::shown(text))
        })
    }
}

/// Options for [`load`](super::load) and [`read`](super::read).
///
/// ```
/// use impinge_io::assembly::{LoadOptions, Unit};
///
/// let options = LoadOptions::default().units(Unit::Millimetre).joint("elbow", 0.5);
/// assert_eq!(options.scale, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LoadOptions {
    /// A factor for every coordinate, applied in addition to the conversion of units.
    pub scale: f64,
    /// The unit of the resulting assembly. Files whose unit is known (glTF, URDF, STEP, IFC, 3MF, USGS DEM, DTED) are
    /// converted to it; other files are assumed to be in it already. `None` leaves all coordinates unchanged.
    pub units: Option<Unit>,
    /// The unit of files that do not name one: OBJ, STL, PLY, OFF, ESRI ASCII grids, and also glTF, which is in metres
    /// only by convention.
    pub file_units: Option<Unit>,
    /// Whether a part or file that cannot be read is left out and listed in `Assembly::skipped`. Otherwise it is
    /// an error.
    pub keep_going: bool,
    /// Whether every primitive of a glTF mesh is a separate part. The default is `false`, because the primitives of a
    /// mesh usually are one part in several materials.
    pub primitives: bool,
    /// Whether every connected piece of a mesh is a separate part, named `NAME piece 1` and so on, in a sub-assembly
    /// with the name of the part. For files that hold an assembly as one mesh. Faces that share a vertex position are
    /// connected. A cavity belongs to the piece around it.
    pub split: bool,
    /// Values of robot joints by name. A joint without an entry is at 0, or at the limit nearest to 0.
    pub joints: BTreeMap<String, JointValue>,
    /// Folders in which to look for the packages of a robot, before the parent folders of its file.
    pub packages: Vec<PathBuf>,
    /// The largest distance, in metres, between a triangle and the true surface of round shapes (URDF) and curved
    /// shapes (STEP, IFC). Vertices always lie on the surface.
    ///
    /// The default is 0.1 mm; for bodies of STEP files smaller than 10 cm it is a thousandth of their size; for IFC
    /// files it is 1 mm.
    pub tolerance: Option<f64>,
    /// How long the program that reads STEP or IFC files may take per file.
    pub time_limit: Duration,
    /// Classes of IFC elements that are parts although they usually are not: `IfcSpace`, `IfcOpeningElement`,
    /// `IfcVirtualElement`, `IfcSpatialZone`.
    pub ifc_include: Vec<String>,
    /// How elevation grids (ESRI ASCII grid, USGS DEM, DTED) become terrains.
    pub grids: GridOptions,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            scale: 1.0,
            units: None,
            file_units: None,
            keep_going: false,
            primitives: false,
            split: false,
            joints: BTreeMap::new(),
            packages: Vec::new(),
            tolerance: None,
            time_limit: Duration::from_secs(600),
            ifc_include: Vec::new(),
            grids: GridOptions::default(),
        }
    }
}

impl LoadOptions {
    /// Sets [`scale`](Self::scale).
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// Sets [`units`](Self::units).
    pub fn units(mut self, units: Unit) -> Self {
        self.units = Some(units);
        self
    }

    /// Sets [`file_units`](Self::file_units).
    pub fn file_units(mut self, units: Unit) -> Self {
        self.file_units = Some(units);
        self
    }

    /// Sets [`keep_going`](Self::keep_going).
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        self.keep_going = keep_going;
        self
    }

    /// Sets [`primitives`](Self::primitives).
    pub fn primitives(mut self, primitives: bool) -> Self {
        self.primitives = primitives;
        self
    }

    /// Sets [`split`](Self::split).
    pub fn split(mut self, split: bool) -> Self {
        self.split = split;
        self
    }

    /// Sets one of the [`joints`](Self::joints).
    pub fn joint(mut self, name: impl Into<String>, value: impl Into<JointValue>) -> Self {
        self.joints.insert(name.into(), value.into());
        self
    }

    /// Adds one of the [`packages`](Self::packages).
    pub fn package(mut self, folder: impl Into<PathBuf>) -> Self {
        self.packages.push(folder.into());
        self
    }

    /// Sets [`tolerance`](Self::tolerance).
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Sets [`time_limit`](Self::time_limit).
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Adds one of the [`ifc_include`](Self::ifc_include).
    pub fn ifc_include(mut self, class: impl Into<String>) -> Self {
        self.ifc_include.push(class.into());
        self
    }

    /// Sets [`grids`](Self::grids).
    pub fn grids(mut self, grids: GridOptions) -> Self {
        self.grids = grids;
        self
    }

    /// Returns an error if a number is out of range.
    pub(super) fn check(&self) -> Result<(), String> {
        let positive = |what: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(format!("{what} must be a positive number, not {value}")),
        };
        positive("the scale", self.scale)?;
        self.grids.check()?;
        self.tolerance.map_or(Ok(()), |tolerance| positive("the tolerance", tolerance))?;
        match self.joints.iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((name, value)) => Err(format!(
                "the value of joint `{}` must be a finite number, not {value}",
                crate::text::shown(name)
            )),
        }
    }

    /// Returns the unit of a mesh file: [`file_units`](Self::file_units), or the unit of its format. USGS DEM and DTED
    /// files name their unit, so it cannot be replaced.
    pub fn unit_of(&self, format: Format) -> Option<Unit> {
        match format {
            Format::UsgsDem | Format::Dted => self.grids.units(format),
            _ => self.file_units.or(format.units()),
        }
    }

    /// Returns the factor for the coordinates of a file, and their unit after the multiplication. `own` is the
    /// unit that the file itself names, or [`unit_of`](Self::unit_of) its format.
    pub fn conversion(&self, own: Option<Unit>) -> (f64, Option<Unit>) {
        match (own.or(self.file_units), self.units) {
            (Some(own), Some(wanted)) => (own.to(wanted) * self.scale, Some(wanted)),
            (own, wanted) => (self.scale, wanted.or(own)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_rounded_once() {
        for (from, to, factor) in [
            (Unit::Inch, Unit::Millimetre, 25.4),
            (Unit::Metre, Unit::Millimetre, 1000.0),
            (Unit::Millimetre, Unit::Metre, 0.001),
            (Unit::Foot, Unit::Inch, 12.0),
            (Unit::Centimetre, Unit::Metre, 0.01),
            (Unit::Foot, Unit::Metre, 0.3048),
        ] {
            assert_eq!(from.to(to), factor, "{from} to {to}");
        }
        for unit in Unit::ALL {
            assert_eq!((unit.to(unit), unit.symbol().parse()), (1.0, Ok(unit)));
        }
        assert!("yd".parse::<Unit>().unwrap_err().contains("µm, mm, cm, m, in, ft"));
        for text in ["um", "UM", "\u{B5}m", "\u{3BC}m"] {
            assert_eq!(text.parse(), Ok(Unit::Micrometre), "{text}");
            let length = format!("1e-3 {text}");
            assert_eq!(Unit::split_suffix(&length), Some(("1e-3", Unit::Micrometre)));
        }
        assert_eq!(Unit::split_suffix("5mm "), Some(("5", Unit::Millimetre)));
        assert_eq!(Unit::split_suffix("m"), Some(("", Unit::Metre)));
        for text in ["", "5", "5 yd", "5e3", "é", "5é"] {
            assert_eq!(Unit::split_suffix(text), None, "{text}");
        }
        assert_eq!(
            (Unit::Inch.to(Unit::Micrometre), Unit::Micrometre.to(Unit::Metre)),
            (25_400.0, 1e-6)
        );
    }

    #[test]
    fn files_are_converted_if_both_units_are_known() {
        let (metre, mm, inch) = (Some(Unit::Metre), Unit::Millimetre, Unit::Inch);
        let plain = LoadOptions::default();
        assert_eq!(plain.conversion(metre), (1.0, metre));
        assert_eq!(plain.conversion(None), (1.0, None));
        let asked = plain.clone().units(mm).scale(2.0);
        assert_eq!(asked.conversion(metre), (2000.0, Some(mm)));
        assert_eq!(asked.conversion(None), (2.0, Some(mm)));
        let both = plain.file_units(inch).units(mm);
        assert_eq!(both.conversion(None), (25.4, Some(mm)));
        assert_eq!(both.conversion(metre), (1000.0, Some(mm)));
        // glTF files are in metres only by convention.
        assert_eq!(both.unit_of(Format::Glb), Some(inch));
        assert_eq!(LoadOptions::default().unit_of(Format::Glb), metre);
        assert_eq!(LoadOptions::default().unit_of(Format::Stl), None);
        assert_eq!(both.unit_of(Format::Dted), metre);
        assert_eq!(both.unit_of(Format::EsriGrid), Some(inch));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert!(LoadOptions::default().check().is_ok());
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(LoadOptions::default().scale(scale).check().unwrap_err().contains("scale"));
            assert!(
                LoadOptions::default().tolerance(scale).check().unwrap_err().contains("tolerance")
            );
        }
        assert!(LoadOptions::default().joint("a", f64::NAN).check().unwrap_err().contains("`a`"));
    }
}
