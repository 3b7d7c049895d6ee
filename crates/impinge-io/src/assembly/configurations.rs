//! Files of joint values: one configuration of the robots per row.

use super::{Assembly, JointUnit, JointValue, urdf::unknown_joint};
use crate::{
    Error, Location,
    error::Fault,
    format::read_file,
    text::{Lines, decode, shown},
};
use std::path::Path;

/// The rows of a CSV file of joint values.
///
/// The first line names the joints, in any order, each with or without a unit: `elbow[deg],lift[mm]`. Without a unit
/// the values are in radians or metres. The first column may be a label, called `name` or `time`. Joints without a
/// column keep the value that they have in the assembly. Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, Debug)]
pub struct Configurations {
    /// Index into [`Assembly::joints`] for each column of values.
    joints: Vec<u32>,
    /// The values of all rows, in radians or metres.
    values: Vec<f64>,
    /// The line of each row.
    lines: Vec<u32>,
    /// The heading of the labels, if there are any.
    heading: Option<&'static str>,
    /// All labels, and where each one ends.
    labels: (String, Vec<usize>),
}

impl Configurations {
    /// Reads a file of joint values for the robots of an assembly.
    ///
    /// # Errors
    /// If the file cannot be read; if a column is not a joint that can be set, or its unit does not suit the joint;
    /// if a row has too few or too many fields, or a value that is not a number or outside of the joint's limits.
    pub fn load(path: impl AsRef<Path>, assembly: &Assembly) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = read_file(path).and_then(|bytes| Self::parse(&bytes, assembly));
        read.map_err(|fault| fault.in_file(path))
    }

    /// Reads the contents of a file; `path` is used for messages only.
    pub fn read(bytes: &[u8], path: &Path, assembly: &Assembly) -> Result<Self, Error> {
        Self::parse(bytes, assembly).map_err(|fault| fault.in_file(path))
    }

    /// Returns configurations that come from no file: a row has a value for each of the joints, which are indices into
    /// [`Assembly::joints`], in radians or metres. Rows count as lines, from 1. Limits are not checked.
    ///
    /// # Errors
    /// If a joint cannot be set or is named twice, if the number of values is not a multiple of the number of joints, or
    /// if a value is not finite.
    pub fn new(assembly: &Assembly, joints: Vec<u32>, values: Vec<f64>) -> Result<Self, String> {
        for (at, &joint) in joints.iter().enumerate() {
            let Some(found) = assembly.joints.get(joint as usize) else {
                return Err(format!("there is no joint {joint}"));
            };
            if found.mimics.is_some() || !found.kind.is_free() || joints[..at].contains(&joint) {
                return Err(format!(
                    "the joint `{}` cannot be set, or is named twice",
                    shown(&found.name)
                ));
            }
        }
        let columns = joints.len().max(1);
        if !values.len().is_multiple_of(columns) {
            return Err(format!("{} values are not rows of {columns} joints", values.len()));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(format!(
                "row {}: the value of the joint `{}` is {}, not a finite number",
                at / columns,
                shown(&assembly.joints[joints[at % columns] as usize].name),
                values[at]
            ));
        }
        let rows = values.len() / columns;
        let lines = (1..=rows as u32).collect();
        Ok(Self { joints, values, lines, heading: None, labels: Default::default() })
    }

    /// Returns the number of configurations.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether there is no configuration. A file without one is refused, so this is never the case.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the joints that have a column, as indices into [`Assembly::joints`].
    pub fn joints(&self) -> &[u32] {
        &self.joints
    }

    /// Returns the values of a configuration, one for each of [`joints`](Self::joints), in radians or metres.
    ///
    /// # Panics
    /// If there is no such configuration.
    pub fn values(&self, configuration: usize) -> &[f64] {
        let columns = self.joints.len();
        &self.values[configuration * columns..(configuration + 1) * columns]
    }

    /// Returns the values of all configurations, row after row.
    pub fn all_values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the line of a configuration in the file, from 1.
    ///
    /// # Panics
    /// If there is no such configuration.
    pub fn line(&self, configuration: usize) -> u32 {
        self.lines[configuration]
    }

    /// Returns the heading of the column of labels: `name` or `time`, if the file has such a column.
    pub fn heading(&self) -> Option<&'static str> {
        self.heading
    }

    /// Returns the label of a configuration, if the file has labels.
    ///
    /// # Panics
    /// If there is no such configuration.
    pub fn label(&self, configuration: usize) -> Option<&str> {
        self.heading?;
        let (text, ends) = &self.labels;
        let start = configuration.checked_sub(1).map_or(0, |before| ends[before]);
        Some(&text[start..ends[configuration]])
    }

    fn parse(bytes: &[u8], assembly: &Assembly) -> Result<Self, Fault> {
        let text = decode(bytes)?;
        let mut lines = Lines::new(text).filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let Some((number, header)) = lines.next() else {
            return Err(Fault::file("the file is empty; its first line must name the joints"));
        };
        let (heading, columns) = columns(number, header, assembly)?;
        let mut read = Self {
            joints: columns.iter().map(|&(joint, _)| joint).collect(),
            values: Vec::new(),
            lines: Vec::new(),
            heading,
            labels: Default::default(),
        };
        let width = columns.len() + usize::from(heading.is_some());
        for (number, line) in lines {
            let fields = fields(number, line)?;
            if fields.len() != width {
                let message =
                    format!("the row has {} fields, but the first line has {width}", fields.len());
                return Err(Fault::line(number, message));
            }
            let (label, numbers) = fields.split_at(width - columns.len());
            if let [(_, label)] = label {
                read.labels.0.push_str(label);
                read.labels.1.push(read.labels.0.len());
            }
            for (&(column, ref field), &(joint, unit)) in numbers.iter().zip(&columns) {
                let joint = &assembly.joints[joint as usize];
                let value = field.parse::<f64>().ok().filter(|value| value.is_finite());
                let value = match value {
                    Some(value) => joint.accept(JointValue::new(value, unit)),
                    None => Err(format!(
                        "`{}` is not a number for the joint `{}`",
                        shown(field),
                        shown(&joint.name)
                    )),
                };
                let at = Location::Character { line: number, column };
                read.values.push(value.map_err(|message| Fault { location: at, message })?);
            }
            let number =
                u32::try_from(number).map_err(|_| Fault::file("the file has too many lines"))?;
            read.lines.push(number);
        }
        match read.is_empty() {
            true => Err(Fault::file("the file has no row of joint values")),
            false => Ok(read),
        }
    }
}

type Columns = (Option<&'static str>, Vec<(u32, Option<JointUnit>)>);

/// Reads the first line: whether it begins with a label, and the joint and the unit of each column.
fn columns(line: usize, header: &str, assembly: &Assembly) -> Result<Columns, Fault> {
    let number = |name: &str| assembly.joints.iter().position(|joint| joint.name == name);
    let mut heading = None;
    let mut columns: Vec<(u32, Option<JointUnit>)> = Vec::new();
    for (at, (column, field)) in fields(line, header)?.into_iter().enumerate() {
        let fault = |message: String| {
            let location = Location::Character { line, column };
            Fault { location, message }
        };
        let label = ["name", "time"].into_iter().find(|label| field.eq_ignore_ascii_case(label));
        if at == 0 && label.is_some() && number(&field).is_none() {
            heading = label;
            continue;
        }
        // A joint may be called `a[1]`.
        let (joint, unit) = match (number(&field), with_unit(&field)) {
            (Some(joint), _) => (joint, None),
            (None, Some((name, unit))) => {
                let joint = number(name).ok_or_else(|| fault(unknown_joint(assembly, name)))?;
                (joint, Some(unit.parse().map_err(fault)?))
            }
            (None, None) => return Err(fault(unknown_joint(assembly, &field))),
        };
        assembly.joints[joint].accepts_unit(unit).map_err(fault)?;
        if columns.iter().any(|&(other, _)| other as usize == joint) {
            let name = shown(&assembly.joints[joint].name);
            return Err(fault(format!("the joint `{name}` has a second column")));
        }
        columns.push((joint as u32, unit));
    }
    match columns.is_empty() {
        true => Err(Fault::line(line, "the first line names no joint")),
        false => Ok((heading, columns)),
    }
}

/// Splits `elbow[deg]`.
fn with_unit(field: &str) -> Option<(&str, &str)> {
    let (name, unit) = field.strip_suffix(']')?.rsplit_once('[')?;
    Some((name.trim_end(), unit.trim()))
}

/// Splits a line at commas. Returns the column of each field in the line, from 1, and its text. A field in quotes may
/// hold commas.
fn fields(line: usize, text: &str) -> Result<Vec<(usize, String)>, Fault> {
    let mut fields = Vec::new();
    let mut characters = text.chars().enumerate().peekable();
    loop {
        while characters.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let column = characters.peek().map_or(text.chars().count(), |&(at, _)| at) + 1;
        let mut field = String::new();
        if characters.next_if(|&(_, c)| c == '"').is_some() {
            loop {
                match characters.next() {
                    Some((_, '"')) if characters.next_if(|&(_, c)| c == '"').is_some() => {
                        field.push('"');
                    }
                    Some((_, '"')) => break,
                    Some((_, c)) => field.push(c),
                    None => {
                        let location = Location::Character { line, column };
                        return Err(Fault { location, message: "a quote is never closed".into() });
                    }
                }
            }
            while characters.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        } else {
            while let Some((_, c)) = characters.next_if(|&(_, c)| c != ',') {
                field.push(c);
            }
            field.truncate(field.trim_end().len());
        }
        fields.push((column, field));
        match characters.next() {
            None => return Ok(fields),
            Some((_, ',')) => {}
            Some((at, _)) => {
                let location = Location::Character { line, column: at + 1 };
                return Err(Fault { location, message: "expected a comma after the quote".into() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::{LoadOptions, read};

    const ROBOT: &str = r#"<robot name="r">
        <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
        <link name="b"/><link name="c"/><link name="d"/>
        <joint name="elbow" type="revolute"><parent link="a"/><child link="b"/><limit lower="-2" upper="2"/></joint>
        <joint name="lift" type="prismatic"><parent link="b"/><child link="c"/></joint>
        <joint name="twin[1]" type="continuous"><parent link="c"/><child link="d"/><mimic joint="elbow"/></joint>
        </robot>"#;

    fn parsed(text: &str) -> Result<Configurations, Fault> {
        let robot = read(ROBOT.as_bytes(), Path::new("r.urdf"), &LoadOptions::default());
        Configurations::parse(text.as_bytes(), &robot.unwrap())
    }

    #[test]
    fn rows_are_converted_to_radians_and_metres() {
        let read =
            parsed("# a path\n\nname, lift[mm] ,elbow[deg]\r\n\"a, b\",10,90\n\n  c , -5 ,-90 \n")
                .unwrap();
        assert_eq!((read.len(), read.heading(), read.joints()), (2, Some("name"), &[1, 0][..]));
        assert_eq!(read.values(0), [0.01, std::f64::consts::FRAC_PI_2]);
        assert_eq!(read.values(1), [-0.005, -std::f64::consts::FRAC_PI_2]);
        assert_eq!(
            [0, 1].map(|row| (read.label(row).unwrap(), read.line(row))),
            [("a, b", 4), ("c", 6)]
        );
        let plain = parsed("elbow\n1\n-2").unwrap();
        assert_eq!((plain.values(1), plain.label(1)), (&[-2.0][..], None));
        assert_eq!(parsed("Time,elbow\n0.5,1").unwrap().heading(), Some("time"));
    }

    #[test]
    fn rows_of_no_file_are_checked() {
        let robot = read(ROBOT.as_bytes(), Path::new("r.urdf"), &LoadOptions::default()).unwrap();
        let rows = Configurations::new(&robot, vec![1, 0], vec![0.5, 3.0, -0.5, 1.0]).unwrap();
        // The limits of the elbow are ±2.
        assert_eq!((rows.len(), rows.values(0), rows.line(1)), (2, &[0.5, 3.0][..], 2));
        for (joints, values, expected) in [
            (vec![2], vec![0.0], "cannot be set"),
            (vec![0, 0], vec![0.0; 2], "named twice"),
            (vec![9], vec![0.0], "no joint 9"),
            (vec![0, 1], vec![0.0; 3], "not rows"),
            (vec![0, 1], vec![0.0, 0.0, 0.0, f64::NAN], "row 1: the value of the joint `lift`"),
        ] {
            let message = Configurations::new(&robot, joints, values).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn mistakes_are_named_with_line_and_column() {
        for (text, line, column, expected) in [
            ("", 0, 0, "the file is empty"),
            ("elbow\n", 0, 0, "no row"),
            ("name\nx", 1, 0, "names no joint"),
            ("elbow,knee\n", 1, 7, "no joint `knee`; joints that can be set: elbow, lift"),
            ("elbow,name\n", 1, 7, "no joint `name`"),
            ("elbow,elbow[deg]\n", 1, 7, "second column"),
            ("lift,elbow[mm]\n", 1, 6, "`elbow` is revolute"),
            ("lift[deg]\n", 1, 1, "`lift` is prismatic"),
            ("lift[yd]\n", 1, 1, "`yd` is not a unit"),
            ("twin[1]\n", 1, 1, "mimics `elbow`"),
            ("elbow,lift\n1,2\n1\n", 3, 0, "1 fields, but the first line has 2"),
            ("elbow,lift\n1,2,\n", 2, 0, "3 fields"),
            ("elbow,lift\n1, x\n", 2, 4, "`x` is not a number for the joint `lift`"),
            ("elbow,lift\n1,\n", 2, 3, "`` is not a number"),
            ("elbow,lift\nnan,1\n", 2, 1, "not a number"),
            ("lift,elbow[deg]\n1,180\n", 2, 3, "limits -2 and 2 rad"),
            ("name,elbow\n\"x,1\n", 2, 1, "never closed"),
            ("name,elbow\n\"x\"y,1\n", 2, 4, "comma"),
        ] {
            let fault = parsed(text).unwrap_err();
            let place = match (line, column) {
                (0, _) => Location::File,
                (line, 0) => Location::Line(line),
                (line, column) => Location::Character { line, column },
            };
            assert_eq!(fault.location, place, "{text:?}: {}", fault.message);
            assert!(fault.message.contains(expected), "{text:?}: {}", fault.message);
        }
    }
}
