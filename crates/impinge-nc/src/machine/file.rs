//! Machines by name, and the reader of kinematics files.

use super::{Machine, RotaryAxis, Side};
use crate::toml_file::TomlFile;
use impinge::glam::DVec3;
use impinge_io::{Error, Location};
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;

/// The most rotary axes of a machine.
const MOST_AXES: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    name: Option<String>,
    /// In millimetres.
    tool_length: Option<Spanned<f64>>,
    #[serde(default)]
    tip_programmed: bool,
    #[serde(default)]
    rotary: Vec<Spanned<RotaryEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RotaryEntry {
    axis: Spanned<String>,
    side: Spanned<String>,
    direction: Option<Spanned<[f64; 3]>>,
    point: Option<Spanned<[f64; 3]>>,
}

impl Machine {
    /// The names that [`built_in`](Self::built_in) knows.
    pub const BUILT_IN: &[&str] = &[
        "xyza",
        "xyzb",
        "xyzc",
        "xyzac",
        "xyzbc",
        "xyzab",
        "xyzab-head",
        "xyzca-head",
        "xyzcb-head",
        "xyzac-head-table",
        "xyzbc-head-table",
    ];

    /// A machine by its name. All axes of rotation pass through the origin: of the part for table axes, and the
    /// spindle's gauge point for head axes.
    ///
    /// | name | axes |
    /// |---|---|
    /// | `xyza`, `xyzb`, `xyzc` | one table axis |
    /// | `xyzac`, `xyzbc`, `xyzab` | two table axes; the first carries the second |
    /// | `xyzab-head`, `xyzca-head`, `xyzcb-head` | two head axes; the first carries the second |
    /// | `xyzac-head-table`, `xyzbc-head-table` | the first turns the tool, the second the part |
    pub fn built_in(name: &str) -> Option<Self> {
        let name = *Self::BUILT_IN.iter().find(|known| known.eq_ignore_ascii_case(name))?;
        let letters = name.strip_prefix("xyz")?;
        let (letters, sides) = match letters.split_once('-') {
            None => (letters, [Side::Table; 2]),
            Some((letters, "head")) => (letters, [Side::Head; 2]),
            Some((letters, _)) => (letters, [Side::Head, Side::Table]),
        };
        let rotary = letters.chars().zip(sides).map(|(letter, side)| {
            let letter = letter.to_ascii_uppercase();
            RotaryAxis { letter, side, direction: usual_direction(letter), point: DVec3::ZERO }
        });
        Some(Self {
            name: name.into(),
            rotary: rotary.collect(),
            tool_length: 0.0,
            tip_programmed: false,
        })
    }

    /// Reads a kinematics file. `path` is used in messages only. The error names the file, the line and what to do.
    ///
    /// ```
    /// use impinge_nc::Machine;
    ///
    /// let text = r#"
    ///     name = "my trunnion"
    ///     [[rotary]]
    ///     axis = "A"
    ///     side = "table"
    ///     direction = [1, 0, 0]
    ///     point = [0, 0, 50]
    /// "#;
    /// let machine = Machine::read(text, "machine.toml")?;
    /// assert!(machine.has_axis('A') && !machine.has_axis('C'));
    /// # Ok::<(), impinge_io::Error>(())
    /// ```
    pub fn read(text: &str, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = TomlFile::new(path, text);
        let read: MachineFile = file.parse("machine files")?;
        if read.rotary.is_empty() {
            return Err(file.whole("has no rotary axis: add a table [[rotary]] for each"));
        }
        if let Some(entry) = read.rotary.get(MOST_AXES) {
            let message = format!("a machine has at most {MOST_AXES} rotary axes");
            return Err(file.at(&entry.span(), &message));
        }
        let mut rotary: Vec<RotaryAxis> = Vec::new();
        for entry in &read.rotary {
            let axis = rotary_axis(&file, entry.get_ref())?;
            if rotary.iter().any(|other| other.letter == axis.letter) {
                let message = format!("the axis {} is there more than once", axis.letter);
                return Err(file.at(&entry.get_ref().axis.span(), &message));
            }
            rotary.push(axis);
        }
        let tool_length = match read.tool_length {
            Some(length) if !(0.0..=1e6).contains(length.get_ref()) => {
                let message = "`tool_length` must be a number from 0 to 1e6, in millimetres";
                return Err(file.at(&length.span(), message));
            }
            length => length.map_or(0.0, Spanned::into_inner),
        };
        let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = read.name.or_else(stem).unwrap_or_default();
        Ok(Self { name, rotary, tool_length, tip_programmed: read.tip_programmed })
    }

    /// The machine of this name, or else of the kinematics file at this path.
    pub fn load(name_or_path: &str) -> Result<Self, Error> {
        if let Some(machine) = Self::built_in(name_or_path) {
            return Ok(machine);
        }
        let path = Path::new(name_or_path);
        let text = std::fs::read_to_string(path).map_err(|error| Error {
            path: path.into(),
            location: Location::File,
            message: format!(
                "{error}; the machines known by name are {}",
                Self::BUILT_IN.join(", ")
            ),
        })?;
        Self::read(&text, path)
    }
}

fn usual_direction(letter: char) -> DVec3 {
    match letter {
        'A' => DVec3::X,
        'B' => DVec3::Y,
        _ => DVec3::Z,
    }
}

fn rotary_axis(file: &TomlFile<'_>, entry: &RotaryEntry) -> Result<RotaryAxis, Error> {
    let letter = match entry.axis.get_ref().to_ascii_uppercase().as_str() {
        "A" => 'A',
        "B" => 'B',
        "C" => 'C',
        _ => return Err(file.at(&entry.axis.span(), "`axis` must be \"A\", \"B\" or \"C\"")),
    };
    let side = match entry.side.get_ref().to_ascii_lowercase().as_str() {
        "table" => Side::Table,
        "head" => Side::Head,
        _ => {
            let message = "`side` must be \"table\" (turns the part) or \"head\" (turns the tool)";
            return Err(file.at(&entry.side.span(), message));
        }
    };
    let vector = |value: &Spanned<[f64; 3]>, name: &str| {
        if value.get_ref().iter().all(|x| x.abs() <= 1e6) {
            return Ok(DVec3::from_array(*value.get_ref()));
        }
        let message = format!("`{name}` must have three numbers from -1e6 to 1e6");
        Err(file.at(&value.span(), &message))
    };
    let direction = match &entry.direction {
        None => usual_direction(letter),
        Some(value) => {
            let direction = vector(value, "direction")?;
            let scaled = direction / direction.abs().max_element();
            if !scaled.is_finite() {
                let message = "`direction` must not be zero: use for example [1, 0, 0]";
                return Err(file.at(&value.span(), message));
            }
            scaled.normalize()
        }
    };
    let point = entry.point.as_ref().map_or(Ok(DVec3::ZERO), |value| vector(value, "point"))?;
    Ok(RotaryAxis { letter, side, direction, point })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUNNION: &str = "name = \"xyzac-trt\"\n\
        [[rotary]]\naxis = \"A\"\nside = \"table\"\ndirection = [2, 0, 0]\npoint = [0, 0, 0]\n\
        [[rotary]]\naxis = \"c\"\nside = \"table\"\n";

    #[test]
    fn a_file_describes_the_built_in_machine() {
        let machine = Machine::read(TRUNNION, "trunnion.toml").unwrap();
        assert_eq!(machine.name(), "xyzac-trt");
        assert_eq!(machine.rotary_axes(), Machine::built_in("XYZAC").unwrap().rotary_axes());
        assert!(!machine.is_tip_programmed());
    }

    #[test]
    fn every_built_in_name_gives_its_machine() {
        for name in Machine::BUILT_IN {
            let machine = Machine::built_in(name).unwrap();
            assert_eq!(machine.name(), *name);
            assert!((1..=2).contains(&machine.rotary_axes().len()));
        }
        assert_eq!(Machine::built_in("xyz"), None);
        let mixed = Machine::built_in("xyzac-head-table").unwrap();
        assert_eq!(mixed.rotary_axes()[0].side, Side::Head);
        assert_eq!(mixed.rotary_axes()[1].side, Side::Table);
    }

    #[test]
    fn errors_name_the_line_and_what_to_do() {
        let third = "[[rotary]]\naxis='B'\nside='head'\n";
        for (text, expected) in [
            ("", "m.toml: has no rotary axis: add a table [[rotary]] for each".to_string()),
            ("[[rotary]]\naxis='A'\n", "m.toml:1:1: missing field `side`".into()),
            ("[[rotary]]\naxis='D'\nside='table'", "m.toml:2:6: `axis` must be \"A\"".into()),
            ("[[rotary]]\naxis='A'\nside='top'", "m.toml:3:6: `side` must be \"table\"".into()),
            (
                "[[rotary]]\naxis='A'\nside='head'\ndirection=[0,0,0]",
                "m.toml:4:11: `direction` must not be zero".into(),
            ),
            (
                "[[rotary]]\naxis='A'\nside='head'\ndirection=[nan,0,0]",
                "m.toml:4:11: `direction` must have three numbers".into(),
            ),
            (
                "[[rotary]]\naxis='A'\nside='head'\npoint=[0,1e300,0]",
                "m.toml:4:7: `point` must have three numbers".into(),
            ),
            ("tool_length=-1\n[[rotary]]\naxis='A'\nside='head'", "m.toml:1:13: `tool_le".into()),
            ("[[rotary]]\naxis='A'\nside='head'\nspeed=3", "m.toml:4:1: unknown field".into()),
            (
                &TRUNNION.replace("\"c\"", "\"A\""),
                "m.toml:8:8: the axis A is there more than once".into(),
            ),
            (
                &format!("{TRUNNION}{third}{third}"),
                "m.toml:13:1: a machine has at most 3 rotary axes".into(),
            ),
        ] {
            let message = Machine::read(text, "m.toml").expect_err(text).to_string();
            assert!(message.starts_with(&expected), "{text}\n{message}\n{expected}");
        }
    }

    #[test]
    fn a_missing_file_lists_the_machines() {
        let message = Machine::load("no/such/machine").unwrap_err().to_string();
        assert!(message.contains("xyzac-head-table"), "{message}");
    }
}
