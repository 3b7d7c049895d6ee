//! A length as people write it: a number, with or without a unit.

use super::Unit;
use std::{fmt, str::FromStr};

/// A length that is not negative: `0.1mm`, or `0.1` in the unit of the mesh or assembly.
///
/// ```
/// use impinge_io::assembly::{Length, Unit};
///
/// let length: Length = "1in".parse()?;
/// assert_eq!(length.within(Some(Unit::Millimetre)), Some(25.4));
/// assert_eq!(length.within(None), None);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    value: f64,
    unit: Option<Unit>,
}

impl Length {
    /// Returns the length in `units`, the unit of the coordinates; `None` if they have no known unit, but the length
    /// has one.
    pub fn within(self, units: Option<Unit>) -> Option<f64> {
        match (self.unit, units) {
            (None, _) => Some(self.value),
            (Some(own), units) => Some(self.value * own.to(units?)),
        }
    }

    /// Returns the length in `units`. A number without a unit is already in `units`.
    pub fn to(self, units: Unit) -> f64 {
        self.unit.map_or(self.value, |own| self.value * own.to(units))
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit.map_or("", Unit::symbol))
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let with_unit = || {
            let (value, unit) = Unit::split_suffix(text)?;
            Some(Self { value: number(value)?, unit: Some(unit) })
        };
        let plain = || number(text).map(|value| Self { value, unit: None });
        match plain().or_else(with_unit) {
            Some(length) if length.value.is_finite() && length.value >= 0.0 => Ok(length),
            Some(_) => Err("a length must be finite and not negative".into()),
            None => {
                let all = Unit::ALL.map(Unit::symbol).join(", ");
                Err(format!("expected a length: a number, with or without a unit ({all})"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(text: &str) -> Result<Length, String> {
        text.parse()
    }

    #[test]
    fn numbers_with_and_without_units() {
        for (text, value, unit) in [
            ("0.1", 0.1, None),
            ("0", 0.0, None),
            ("1e-3", 1e-3, None),
            ("0.1mm", 0.1, Some(Unit::Millimetre)),
            ("2 in", 2.0, Some(Unit::Inch)),
            ("1e-3m", 1e-3, Some(Unit::Metre)),
            ("5cm", 5.0, Some(Unit::Centimetre)),
            ("5um", 5.0, Some(Unit::Micrometre)),
            ("5 \u{B5}m", 5.0, Some(Unit::Micrometre)),
            ("5\u{3BC}m", 5.0, Some(Unit::Micrometre)),
            ("1e-3ft", 1e-3, Some(Unit::Foot)),
        ] {
            assert_eq!(length(text), Ok(Length { value, unit }), "{text}");
        }
        for text in ["", "mm", "-1", "-1mm", "nan", "inf", "infm", "1 yd", "1,5"] {
            assert!(length(text).is_err(), "{text}");
        }
    }
}
