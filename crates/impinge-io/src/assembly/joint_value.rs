//! Values for the joints of robots: numbers with or without a unit, and the rules for what a joint accepts.

use super::{Joint, JointKind, Unit};
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::{f64::consts::PI, fmt, str::FromStr};

/// A value for a joint: a number, with or without a unit.
///
/// Without a unit the number is in radians for a joint that turns, and in metres for a joint that slides. A unit
/// must suit the joint; since only the robot's file says how a joint moves, this is checked when the file is read.
///
/// ```
/// use impinge_io::assembly::JointValue;
///
/// let turned: JointValue = "90deg".parse()?;
/// let plain = JointValue::from(0.5);
/// assert_ne!(turned, plain);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointValue {
    number: f64,
    unit: Option<JointUnit>,
}

/// A unit for the value of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JointUnit {
    /// An angle: `rad`.
    Radian,
    /// An angle: `deg`.
    Degree,
    /// A length.
    Length(Unit),
}

impl JointUnit {
    /// Returns the symbol of the unit: `rad`, `deg`, or that of a length.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Radian => "rad",
            Self::Degree => "deg",
            Self::Length(unit) => unit.symbol(),
        }
    }

    /// Splits a text that ends with a unit.
    fn split_suffix(text: &str) -> Option<(&str, Self)> {
        let text = text.trim_end();
        for unit in [Self::Degree, Self::Radian] {
            if let Some(number) = text.strip_suffix(unit.symbol()) {
                return Some((number, unit));
            }
        }
        Unit::split_suffix(text).map(|(number, unit)| (number, Self::Length(unit)))
    }
}

impl FromStr for JointUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Self::split_suffix(&text.to_lowercase()) {
            Some(("", unit)) => Ok(unit),
            _ => {
                let lengths = Unit::ALL.map(Unit::symbol).join(", ");
                Err(format!("`{}` is not a unit for joints; use deg, rad, {lengths}", shown(text)))
            }
        }
    }
}

impl JointValue {
    /// Returns a value in a unit; `None` stands for radians or metres.
    pub fn new(number: f64, unit: Option<JointUnit>) -> Self {
        Self { number, unit }
    }

    pub(super) fn is_finite(self) -> bool {
        self.number.is_finite()
    }

    /// Returns the value in radians or metres, or what such a joint needs instead.
    fn for_kind(self, kind: JointKind) -> Result<f64, String> {
        let turns = matches!(kind, JointKind::Revolute | JointKind::Continuous);
        match (self.unit, turns) {
            (None, _) => Ok(self.number),
            (Some(JointUnit::Radian), true) => Ok(self.number),
            (Some(JointUnit::Degree), true) => Ok(self.number * (PI / 180.0)),
            (Some(JointUnit::Length(unit)), false) => Ok(self.number * unit.to(Unit::Metre)),
            (Some(JointUnit::Length(_)), true) => Err(format!(
                "is {kind}: it turns, so its value is an angle, not the length {self}; expected a number in \
                 radians, or one with deg or rad"
            )),
            (Some(_), false) => Err(format!(
                "is {kind}: it slides, so its value is a length, not the angle {self}; expected a number in \
                 metres, or one with a unit ({})",
                Unit::ALL.map(Unit::symbol).join(", ")
            )),
        }
    }
}

impl From<f64> for JointValue {
    fn from(number: f64) -> Self {
        Self { number, unit: None }
    }
}

impl FromStr for JointValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let with_unit = || {
            let (value, unit) = JointUnit::split_suffix(text)?;
            Some(Self { number: number(value)?, unit: Some(unit) })
        };
        let plain = number(text).map(Self::from);
        plain.or_else(with_unit).ok_or_else(|| {
            let lengths = Unit::ALL.map(Unit::symbol).join(", ");
            format!(
                "`{}` is not a value for a joint: expected a number in radians or metres, or a number with a \
                 unit: deg, rad, {lengths}",
                shown(text)
            )
        })
    }
}

impl fmt::Display for JointValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, self.unit.map_or("", JointUnit::symbol))
    }
}

impl Joint {
    /// Returns a value for this joint in radians or metres.
    ///
    /// # Errors
    /// If the joint cannot be set, because it is fixed or follows another joint; if the unit does not suit the
    /// joint; and if the value is outside of the joint's limits.
    pub fn accept(&self, value: JointValue) -> Result<f64, String> {
        let refused = |why: String| format!("the joint `{}` {why}", shown(&self.name));
        self.can_be_set().map_err(refused)?;
        let number = value.for_kind(self.kind).map_err(refused)?;
        if !number.is_finite() {
            return Err(refused(format!("cannot be set to {number}")));
        }
        match self.limits {
            Some([lower, upper]) if !(lower..=upper).contains(&number) => {
                let unit = if self.kind == JointKind::Prismatic { "m" } else { "rad" };
                let as_given = match value.unit {
                    None | Some(JointUnit::Radian | JointUnit::Length(Unit::Metre)) => {
                        String::new()
                    }
                    Some(_) => format!(" ({value})"),
                };
                Err(refused(format!(
                    "has the limits {lower} and {upper} {unit}; the value {number}{as_given} is outside"
                )))
            }
            _ => Ok(number),
        }
    }

    /// Fails if the joint cannot be set, or not in this unit.
    pub(super) fn accepts_unit(&self, unit: Option<JointUnit>) -> Result<(), String> {
        let refused = |why: String| format!("the joint `{}` {why}", shown(&self.name));
        self.can_be_set().map_err(refused)?;
        let Some(unit) = unit else { return Ok(()) };
        let value = JointValue::new(1.0, Some(unit)).for_kind(self.kind);
        value.map(|_| ()).map_err(|_| {
            refused(format!("is {}, so its unit cannot be {}", self.kind, unit.symbol()))
        })
    }

    /// Returns why the joint cannot be set, if it cannot.
    pub(super) fn can_be_set(&self) -> Result<(), String> {
        if let Some(other) = &self.mimics {
            let other = shown(other);
            return Err(format!("mimics `{other}`, so it cannot be set; set `{other}` instead"));
        }
        match self.kind.is_free() {
            true => Ok(()),
            false => Err(format!("is {}, so it cannot be set", self.kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(kind: JointKind, limits: Option<[f64; 2]>, mimics: Option<&str>) -> Joint {
        let (parent, child, value, line) = (0, 1, 0.0, 1);
        let mimics = mimics.map(str::to_owned);
        Joint { name: "j".into(), kind, parent, child, limits, value, mimics, line }
    }

    #[test]
    fn values_have_a_unit_or_none() {
        for (text, number, unit) in [
            ("1.5", 1.5, None),
            ("-90deg", -90.0, Some(JointUnit::Degree)),
            ("2 rad", 2.0, Some(JointUnit::Radian)),
            ("10mm", 10.0, Some(JointUnit::Length(Unit::Millimetre))),
            ("1e-3m", 1e-3, Some(JointUnit::Length(Unit::Metre))),
            ("5cm", 5.0, Some(JointUnit::Length(Unit::Centimetre))),
            ("5um", 5.0, Some(JointUnit::Length(Unit::Micrometre))),
        ] {
            assert_eq!(text.parse(), Ok(JointValue { number, unit }), "{text}");
        }
        for text in ["", "deg", "1yd", "nan", "inf", "1e999", "1,5", "90 degrees", "1e999deg"] {
            let message = text.parse::<JointValue>().unwrap_err();
            assert!(message.contains("not a value for a joint"), "{text}: {message}");
        }
    }

    #[test]
    fn units_must_suit_the_joint() {
        use JointKind::{Continuous, Prismatic, Revolute};
        let accepted = |kind, text: &str| joint(kind, None, None).accept(text.parse().unwrap());
        assert_eq!(accepted(Revolute, "180deg"), Ok(PI));
        assert_eq!(accepted(Continuous, "1rad"), Ok(1.0));
        assert_eq!(accepted(Revolute, "1"), Ok(1.0));
        assert_eq!(accepted(Prismatic, "20cm"), Ok(0.2));
        assert_eq!(accepted(Prismatic, "1"), Ok(1.0));
        for (kind, text, parts) in [
            (Revolute, "10mm", ["`j` is revolute", "not the length 10mm", "radians"]),
            (Continuous, "1m", ["`j` is continuous", "not the length 1m", "deg or rad"]),
            (Prismatic, "10deg", ["`j` is prismatic", "not the angle 10deg", "metres"]),
            (Prismatic, "1rad", ["`j` is prismatic", "not the angle 1rad", "mm, cm"]),
        ] {
            let message = accepted(kind, text).unwrap_err();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }

    #[test]
    fn limits_and_joints_that_cannot_be_set() {
        let turn = joint(JointKind::Revolute, Some([-1.0, 1.0]), None);
        assert_eq!(turn.accept(1.0.into()), Ok(1.0));
        let message = turn.accept("90deg".parse().unwrap()).unwrap_err();
        assert!(
            message.contains("limits -1 and 1 rad") && message.contains("(90deg)"),
            "{message}"
        );
        let fixed = joint(JointKind::Fixed, None, None).accept(0.0.into()).unwrap_err();
        assert_eq!(fixed, "the joint `j` is fixed, so it cannot be set");
        let mimic = joint(JointKind::Revolute, None, Some("k")).accept(0.0.into()).unwrap_err();
        assert!(mimic.contains("mimics `k`") && mimic.contains("set `k` instead"), "{mimic}");
    }
}
