//! Reads a tool from a specification such as `ball:d=6,length=20,shank=6:30,holder=20:15,40:25`.
//!
//! A specification is the name of a shape, a colon and a list of `key=value`, separated by commas. An item without `=`
//! continues the list of the key before it. The command line and the readers of tool tables call this.

mod error;
mod range;

pub use error::SpecError;

use super::{
    TipShape, Tool, ToolPart, ToolPartKind,
    shape::{Cutter, disc},
};
use error::SHAPES;
use impinge::solid::RevolvedHull;
use range::Range;
use std::ops::Bound::{Excluded, Included};

/// The lengths that a specification may state, in its own unit.
const LENGTH: Range = Range { least: Excluded(0.0), greatest: Included(1e6), unit: "" };

/// The point angle of a drill whose specification states none, in degrees.
const DRILL_ANGLE: f64 = 118.0;

/// Whether a text is meant as a specification of a tool, and not as the path of a file: it is the name of a shape, or it
/// starts with at least two letters and a colon. (One letter and a colon start a path on Windows. A file with the name of
/// a shape is `./ball`.)
pub fn is_spec(text: &str) -> bool {
    let text = text.trim();
    match text.split_once(':') {
        None => SHAPES.iter().any(|shape| shape.eq_ignore_ascii_case(text)),
        Some((shape, _)) => {
            shape.len() >= 2 && shape.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
    }
}

impl Tool {
    /// Reads a tool from a specification, such as `ball:d=6,length=20`. Lengths in it are multiplied by `factor`: the
    /// number of millimetres in their unit.
    ///
    /// ```
    /// use impinge_nc::Tool;
    ///
    /// let tool = Tool::from_spec("ball:d=6,length=20,shank=6:30,holder=20:15,40:25", 1.0)?;
    /// assert_eq!(tool.overall_length(), Some(90.0));
    /// assert_eq!(tool.parts.len(), 4);
    /// # Ok::<(), impinge_nc::tool::SpecError>(())
    /// ```
    pub fn from_spec(text: &str, factor: f64) -> Result<Self, SpecError> {
        let text = text.trim();
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let unknown = || SpecError::UnknownShape { found: name.to_string() };
        let shape = SHAPES
            .into_iter()
            .find(|shape| shape.eq_ignore_ascii_case(name.trim()))
            .ok_or_else(unknown)?;
        let mut items = Items::new(shape, rest)?;
        let cutter = items.cutter(factor)?;
        let extras = items.extras()?;
        items.finish()?;
        let least = cutter.least_length();
        if let Some(length) = extras.length
            && length * factor < least * (1.0 - 1e-12)
        {
            let least = (least / factor * 1e6).ceil() / 1e6;
            return Err(SpecError::Value {
                key: "length".into(),
                value: length.to_string(),
                allowed: format!("at least {least}: so high is the shape of the tip"),
            });
        }
        // A length that equals the height of the tip may be less by a rounding error.
        let length = extras.length.map(|length| (length * factor).max(least));
        let mut tool = cutter.tool(text.to_string(), length)?;
        match length {
            Some(length) => extras.stack_on(&mut tool, length, factor)?,
            None => extras.require_none()?,
        }
        Ok(tool)
    }
}

/// A section of a shank or of a holder: a cylinder or a cone. In the unit of the specification.
#[derive(Clone, Copy, Debug)]
struct Section {
    below: f64,
    above: f64,
    length: f64,
}

/// The keys that every shape has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) length: Option<f64>,
    shank: Vec<Section>,
    holder: Vec<Section>,
}

impl Extras {
    /// Reads the keys `length`, `shank` and `holder` of a mesh tool.
    pub(crate) fn of_mesh(text: &str) -> Result<Self, SpecError> {
        let mut items = Items::new("mesh", text)?;
        let extras = items.extras()?;
        items.finish()?;
        Ok(extras)
    }

    /// Adds shank and holder to the tool, from `height` (in millimetres) upwards.
    pub(crate) fn stack_on(
        &self,
        tool: &mut Tool,
        mut height: f64,
        factor: f64,
    ) -> Result<(), SpecError> {
        let shank = self.shank.iter().map(|section| (ToolPartKind::Shank, section));
        let holder = self.holder.iter().map(|section| (ToolPartKind::Holder, section));
        for (kind, section) in shank.chain(holder) {
            let top = height + section.length * factor;
            let solid = RevolvedHull::new(&[
                disc(height, section.below * factor / 2.0, 0.0),
                disc(top, section.above * factor / 2.0, 0.0),
            ])?;
            tool.parts.push(ToolPart { kind, solid });
            height = top;
        }
        Ok(())
    }

    fn require_none(&self) -> Result<(), SpecError> {
        for (key, sections) in [("shank", &self.shank), ("holder", &self.holder)] {
            if !sections.is_empty() {
                return Err(SpecError::NeedsLength { key });
            }
        }
        Ok(())
    }
}

/// The items of a specification that were not used yet.
struct Items<'a> {
    shape: &'static str,
    /// Keys, each with its list of values.
    items: Vec<(&'a str, Vec<&'a str>)>,
    /// The keys that the shape was asked for, for messages.
    known: Vec<&'static str>,
}

impl<'a> Items<'a> {
    fn new(shape: &'static str, text: &'a str) -> Result<Self, SpecError> {
        let mut items: Vec<(&str, Vec<&str>)> = Vec::new();
        let written = text.split(',').map(str::trim);
        for item in written.filter(|_| !text.trim().is_empty()) {
            match item.split_once('=') {
                Some((key, value)) => {
                    let key = key.trim();
                    if items.iter().any(|(other, _)| other.eq_ignore_ascii_case(key)) {
                        return Err(SpecError::DuplicateKey { key: key.to_string() });
                    }
                    items.push((key, vec![value.trim()]));
                }
                None => match items.last_mut() {
                    Some((_, values)) if item.contains(':') => values.push(item),
                    _ => return Err(SpecError::NoKey { item: item.to_string() }),
                },
            }
        }
        Ok(Self { shape, items, known: Vec::new() })
    }

    fn take(&mut self, key: &'static str) -> Option<Vec<&'a str>> {
        self.known.push(key);
        let at = self.items.iter().position(|(found, _)| found.eq_ignore_ascii_case(key))?;
        Some(self.items.remove(at).1)
    }

    /// The number of a key, if it is there and in the range.
    fn number(&mut self, key: &'static str, range: &Range) -> Result<Option<f64>, SpecError> {
        let Some(values) = self.take(key) else { return Ok(None) };
        range.parse(key, &values.join(",")).map(Some)
    }

    fn required(
        &mut self,
        key: &'static str,
        range: &Range,
        example: &'static str,
    ) -> Result<f64, SpecError> {
        let missing = SpecError::MissingKey { shape: self.shape, key, example };
        self.number(key, range)?.ok_or(missing)
    }

    /// Reads the keys of the shape itself.
    fn cutter(&mut self, factor: f64) -> Result<Cutter, SpecError> {
        let example = match self.shape {
            "ball" => "ball:d=6",
            "flat" => "flat:d=6",
            "bull" => "bull:d=6,r=1",
            "cone" => "cone:d=6,angle=30",
            "taper" => "taper:d=3,angle=5,r=0.5",
            _ => "drill:d=5",
        };
        let d = self.required("d", &LENGTH, example)?;
        let corner =
            Range { least: Included(0.0), greatest: Included(d / 2.0), unit: " (half of d)" };
        let half = Range { least: Excluded(0.0), greatest: Excluded(90.0), unit: " degrees" };
        let (shape, r) = match self.shape {
            "ball" => (TipShape::Ball, 0.0),
            "flat" => (TipShape::Flat, 0.0),
            "bull" => (TipShape::Bull, self.required("r", &corner, example)?),
            "cone" => {
                let half_angle = self.required("angle", &half, example)?;
                let tip = Range { least: Included(0.0), greatest: Excluded(d), unit: " (d)" };
                let tip_diameter = self.number("tip", &tip)?.unwrap_or(0.0) * factor;
                (TipShape::Cone { half_angle, tip_diameter }, 0.0)
            }
            "taper" => {
                let half_angle = self.required("angle", &half, example)?;
                (TipShape::Taper { half_angle }, self.required("r", &corner, example)?)
            }
            _ => {
                let point = Range { greatest: Excluded(180.0), ..half };
                let point_angle = self.number("angle", &point)?.unwrap_or(DRILL_ANGLE);
                (TipShape::Drill { point_angle }, 0.0)
            }
        };
        Ok(Cutter::new(shape, d * factor, r * factor))
    }

    /// Reads the keys that every shape has.
    fn extras(&mut self) -> Result<Extras, SpecError> {
        Ok(Extras {
            length: self.number("length", &LENGTH)?,
            shank: self.sections("shank")?,
            holder: self.sections("holder")?,
        })
    }

    fn sections(&mut self, key: &'static str) -> Result<Vec<Section>, SpecError> {
        let values = self.take(key).unwrap_or_default();
        values.into_iter().map(|value| section(key, value)).collect()
    }

    /// Fails if an item is left.
    fn finish(self) -> Result<(), SpecError> {
        match self.items.first() {
            None => Ok(()),
            Some((key, _)) => Err(SpecError::UnknownKey {
                shape: self.shape,
                key: (*key).to_string(),
                allowed: self.known.join(", "),
            }),
        }
    }
}

/// Reads `D:L`, a cylinder of diameter D and length L, or `D1/D2:L`, a cone with diameter D1 below and D2 above.
fn section(key: &'static str, text: &str) -> Result<Section, SpecError> {
    let wrong = || SpecError::Value {
        key: key.into(),
        value: text.into(),
        allowed: "DIAMETER:LENGTH, as in 20:15, or DIAMETER_BELOW/DIAMETER_ABOVE:LENGTH, as in \
                  20/32:15, each greater than 0 and at most 1000000"
            .into(),
    };
    let number = |text: &str| LENGTH.parse(key, text).map_err(|_| wrong());
    let (diameters, length) = text.split_once(':').ok_or_else(wrong)?;
    let (below, above) = diameters.split_once('/').unwrap_or((diameters, diameters));
    Ok(Section { below: number(below)?, above: number(above)?, length: number(length)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Tool::from_spec(text, 1.0).expect_err(text).to_string()
    }

    #[test]
    fn sections_stand_on_each_other() {
        let tool =
            Tool::from_spec("ball:d=6,length=20,shank=6/8:30,holder=20:15,40:25", 1.0).unwrap();
        let found: Vec<_> =
            tool.parts.iter().map(|part| (part.kind, part.solid.discs().to_vec())).collect();
        let expected = [
            (ToolPartKind::Cutter, vec![disc(3., 0., 3.), disc(20., 3., 0.)]),
            (ToolPartKind::Shank, vec![disc(20., 3., 0.), disc(50., 4., 0.)]),
            (ToolPartKind::Holder, vec![disc(50., 10., 0.), disc(65., 10., 0.)]),
            (ToolPartKind::Holder, vec![disc(65., 20., 0.), disc(90., 20., 0.)]),
        ];
        assert_eq!(found, expected);
        assert_eq!((tool.diameter, tool.corner_radius, tool.length), (6.0, 3.0, Some(20.0)));
        assert_eq!(tool.greatest_radius(), 20.0);
        assert_eq!(tool.solids(ToolPartKind::Holder).count(), 2);
    }

    #[test]
    fn order_case_and_spaces_do_not_matter() {
        let expected = Tool::from_spec("bull:d=6,r=1,length=20,holder=20:15,40:25", 1.0).unwrap();
        let spaced =
            Tool::from_spec(" Bull: HOLDER = 20:15 , 40:25, r=1.0, D=6 ,length=2e1", 1.0).unwrap();
        assert_eq!(spaced.parts, expected.parts);
    }

    #[test]
    fn inches_are_converted() {
        let inch = Tool::from_spec("taper:d=0.25,angle=5,r=0.0625,length=2,shank=1:1", 25.4);
        let mm = Tool::from_spec("taper:d=6.35,angle=5,r=1.5875,length=50.8,shank=25.4:25.4", 1.0);
        assert_eq!(inch.unwrap().parts, mm.unwrap().parts);
    }

    #[test]
    fn messages_name_the_key_and_what_is_allowed() {
        for (text, expected) in [
            ("bal:d=6", "`bal` is no shape of a tool: use ball, flat, bull, cone, taper, drill"),
            ("", "`` is no shape of a tool: use ball, flat, bull, cone, taper, drill"),
            ("ball", "ball needs the key `d`, for example ball:d=6"),
            ("bull:d=6", "bull needs the key `r`, for example bull:d=6,r=1"),
            ("taper:d=6,r=1", "taper needs the key `angle`, for example taper:d=3,angle=5,r=0.5"),
            ("ball:d=6,d=7", "the key `d` is there more than once"),
            ("ball:d=6,r=1", "ball has no key `r`: its keys are d, length, shank, holder"),
            ("ball:d=-6", "d=-6: the value must be a number greater than 0 and at most 1000000"),
            ("ball:d=NaN", "d=NaN: the value must be a number greater than 0 and at most 1000000"),
            ("ball:d=inf", "d=inf: the value must be a number greater than 0 and at most 1000000"),
            ("ball:d=six", "d=six: the value must be a number greater than 0 and at most 1000000"),
            ("ball:d=", "d=: the value must be a number greater than 0 and at most 1000000"),
            (
                "bull:d=6,r=3.1",
                "r=3.1: the value must be a number of at least 0 and at most 3 (half of d)",
            ),
            (
                "cone:d=6,angle=90",
                "angle=90: the value must be a number greater than 0 and less than 90 degrees",
            ),
            (
                "drill:d=6,angle=180",
                "angle=180: the value must be a number greater than 0 and less than 180 degrees",
            ),
            (
                "ball:d=6,length=5",
                "length=5: the value must be at least 6: so high is the shape of the tip",
            ),
            (
                "ball:d=6,shank=6:30",
                "`shank` needs the key `length`: it starts where the cutter ends",
            ),
            ("ball:d=6,20", "`20` is not of the form key=value"),
            ("ball:d=6,,length=20", "`` is not of the form key=value"),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
        for sections in ["6", "6:", ":6", "6:-1", "0:1", "6/:1", "6:NaN", "6:1,7", "6:1,8:0"] {
            let text = format!("ball:d=6,length=20,holder={sections}");
            let expected = if sections == "6:1,7" { "not of the form" } else { "DIAMETER:LENGTH" };
            assert!(message(&text).contains(expected), "{text}: {}", message(&text));
        }
    }

    #[test]
    fn factors_that_are_no_scale_are_refused() {
        for factor in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(Tool::from_spec("ball:d=6,length=20", factor).is_err(), "{factor}");
        }
    }

    #[test]
    fn paths_are_told_from_specifications() {
        for spec in ["ball:d=6", " flat:d=6", "bal:d=6", "ball:", "ball", " Drill "] {
            assert!(is_spec(spec), "{spec}");
        }
        for path in [
            "tool.tbl",
            "./ball",
            "balls",
            "c:\\tools\\a.tbl",
            "./ball:d=6",
            "a/b.stl",
            "a.stl:length=2",
        ] {
            assert!(!is_spec(path), "{path}");
        }
    }
}
