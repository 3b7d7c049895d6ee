//! Options for reading an assembly, and units of length.

use super::JointValue;
use std::{collections::BTreeMap, fmt, path::PathBuf, str::FromStr, time::Duration};

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
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
    pub const ALL: [Self; 5] =
        [Self::Millimetre, Self::Centimetre, Self::Metre, Self::Inch, Self::Foot];

    /// Returns the symbol of the unit: `mm`, `cm`, `m`, `in` or `ft`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// Returns the factor that converts a length in this unit to `other`, rounded to the nearest `f64`.
    pub fn to(self, other: Self) -> f64 {
        self.tenths_of_millimetres() / other.tenths_of_millimetres()
    }

    /// Whole numbers, so that the quotient of two is rounded only once.
    fn tenths_of_millimetres(self) -> f64 {
        match self {
            Self::Millimetre => 10.0,
            Self::Centimetre => 100.0,
            Self::Metre => 10_000.0,
            Self::Inch => 254.0,
            Self::Foot => 3048.0,
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
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// A factor for every coordinate, applied in addition to the conversion of units.
    pub scale: f64,
    /// The unit of the resulting assembly. Files whose unit is known (glTF, URDF, STEP) are converted to it;
    /// other files are assumed to be in it already. `None` leaves all coordinates unchanged.
    pub units: Option<Unit>,
    /// The unit of files that do not define one (OBJ, STL, PLY, OFF).
    pub file_units: Option<Unit>,
    /// Whether a part or file that cannot be read is left out and listed in `Assembly::skipped`. Otherwise it is
    /// an error.
    pub keep_going: bool,
    /// Whether every primitive of a glTF mesh is a separate part. The default is `false`, because the primitives of a
    /// mesh usually are one part in several materials.
    pub primitives: bool,
    /// Values of robot joints by name. A joint without an entry is at 0, or at the limit nearest to 0.
    pub joints: BTreeMap<String, JointValue>,
    /// Folders in which to look for the packages of a robot, before the parent folders of its file.
    pub packages: Vec<PathBuf>,
    /// The largest distance, in metres, between a triangle and the true surface of round shapes (URDF) and curved
    /// shapes (STEP). Vertices always lie on the surface.
    ///
    /// The default is 0.1 mm; for bodies of STEP files smaller than 10 cm it is a thousandth of their size.
    pub tolerance: Option<f64>,
    /// How long `impinge-step`, the program that reads STEP files, may take per file.
    pub time_limit: Duration,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            scale: 1.0,
            units: None,
            file_units: None,
            keep_going: false,
            primitives: false,
            joints: BTreeMap::new(),
            packages: Vec::new(),
            tolerance: None,
            time_limit: Duration::from_secs(600),
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

    /// Returns an error if a number is out of range.
    pub(super) fn check(&self) -> Result<(), String> {
        let positive = |what: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(format!("{what} must be a positive number, not {value}")),
        };
        positive("the scale", self.scale)?;
        self.tolerance.map_or(Ok(()), |tolerance| positive("the tolerance", tolerance))?;
        match self.joints.iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((name, value)) => Err(format!(
                "the value of joint `{}` must be a finite number, not {value}",
                crate::text::shown(name)
            )),
        }
    }

    /// Returns the factor for the coordinates of a file, and their unit after the multiplication. `own` is the
    /// unit that the file itself defines.
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
        assert!("yd".parse::<Unit>().unwrap_err().contains("mm, cm, m, in, ft"));
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
