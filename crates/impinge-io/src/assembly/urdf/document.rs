//! Parses the links and joints of a URDF file.

use crate::{
    assembly::{Joint, JointKind},
    error::Fault,
    text::shown,
    xml::{Element, Tree},
};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::HashMap;

#[derive(Debug)]
pub(super) struct Robot {
    pub(super) name: String,
    pub(super) links: Vec<LinkFields>,
    pub(super) joints: Vec<JointFields>,
}

#[derive(Debug)]
pub(super) struct LinkFields {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) collisions: Vec<Collision>,
}

#[derive(Debug)]
pub(super) struct Collision {
    pub(super) name: Option<String>,
    pub(super) line: usize,
    pub(super) origin: DAffine3,
    pub(super) geometry: Geometry,
}

#[derive(Debug, PartialEq)]
pub(super) enum Geometry {
    Box {
        size: DVec3,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Sphere {
        radius: f64,
    },
    /// Not in the standard, but several simulators support it.
    Capsule {
        radius: f64,
        length: f64,
    },
    Mesh {
        filename: String,
        scale: DVec3,
    },
}

#[derive(Debug)]
pub(super) struct JointFields {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) kind: JointKind,
    pub(super) origin: DAffine3,
    /// A unit vector.
    pub(super) axis: DVec3,
    pub(super) parent: u32,
    pub(super) child: u32,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) mimic: Option<Mimic>,
}

impl JointFields {
    /// Returns the joint as part of an assembly whose links before this robot's number `first_link`.
    pub(super) fn to_joint(&self, first_link: u32, value: f64) -> Joint {
        Joint {
            name: self.name.clone(),
            kind: self.kind,
            parent: first_link + self.parent,
            child: first_link + self.child,
            limits: self.limits,
            value,
            mimics: self.mimic.as_ref().map(|mimic| mimic.joint.clone()),
            line: self.line,
        }
    }
}

/// The value of the joint is `multiplier · other + offset`.
#[derive(Debug)]
pub(super) struct Mimic {
    pub(super) joint: String,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

impl Robot {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let tree = Tree::parse(bytes)?;
        let root = tree.root();
        if root.name() != "robot" {
            let message = format!("the outermost element is `{}`, not `robot`", shown(root.name()));
            return Err(root.fault(message));
        }
        let mut numbers = HashMap::new();
        let mut links = Vec::new();
        for element in root.children().filter(|child| child.name() == "link") {
            let link = link(element)?;
            if numbers.insert(link.name.clone(), links.len() as u32).is_some() {
                let message = format!("the robot has a second link `{}`", shown(&link.name));
                return Err(element.fault(message));
            }
            links.push(link);
        }
        if links.is_empty() {
            return Err(root.fault("the robot has no link"));
        }
        let mut names = HashMap::new();
        let mut joints = Vec::new();
        for element in root.children().filter(|child| child.name() == "joint") {
            let joint = joint(element, &numbers)?;
            if names.insert(joint.name.clone(), ()).is_some() {
                let message = format!("the robot has a second joint `{}`", shown(&joint.name));
                return Err(element.fault(message));
            }
            joints.push(joint);
        }
        let name = root.attribute("name").unwrap_or_default().to_owned();
        Ok(Self { name, links, joints })
    }
}

fn link(element: Element<'_, '_>) -> Result<LinkFields, Fault> {
    let collisions = element.children().filter(|child| child.name() == "collision");
    Ok(LinkFields {
        name: required(element, "name")?.to_owned(),
        line: element.line(),
        collisions: collisions.map(collision).collect::<Result<_, _>>()?,
    })
}

fn collision(element: Element<'_, '_>) -> Result<Collision, Fault> {
    let Some(geometry_element) = element.child("geometry") else {
        return Err(element.fault("the collision element has no geometry"));
    };
    let name = element.attribute("name").filter(|name| !name.is_empty());
    Ok(Collision {
        name: name.map(str::to_owned),
        line: element.line(),
        origin: origin(element)?,
        geometry: geometry(geometry_element)?,
    })
}

fn geometry(element: Element<'_, '_>) -> Result<Geometry, Fault> {
    let mut shapes = element.children();
    let Some(shape) = shapes.next() else {
        return Err(element.fault("the geometry is empty"));
    };
    if let Some(second) = shapes.next() {
        let message = format!("the geometry has a second shape, `{}`", shown(second.name()));
        return Err(second.fault(message));
    }
    let length = |name: &str| {
        let [value] = numbers(shape, name, required(shape, name)?)?;
        match value >= 0.0 {
            true => Ok(value),
            false => Err(shape.fault(format!("the {name} is {value}, less than 0"))),
        }
    };
    Ok(match shape.name() {
        "box" => {
            let size = DVec3::from_array(numbers(shape, "size", required(shape, "size")?)?);
            if size.cmplt(DVec3::ZERO).any() {
                return Err(shape.fault("the size is less than 0"));
            }
            Geometry::Box { size }
        }
        "cylinder" => Geometry::Cylinder { radius: length("radius")?, length: length("length")? },
        "sphere" => Geometry::Sphere { radius: length("radius")? },
        "capsule" => Geometry::Capsule { radius: length("radius")?, length: length("length")? },
        "mesh" => Geometry::Mesh {
            filename: required(shape, "filename")?.to_owned(),
            scale: match shape.attribute("scale") {
                None => DVec3::ONE,
                Some(text) => DVec3::from_array(numbers(shape, "scale", text)?),
            },
        },
        other => {
            let message = format!(
                "the shape `{}` is not known; use box, cylinder, sphere, capsule or mesh",
                shown(other)
            );
            return Err(shape.fault(message));
        }
    })
}

fn joint(element: Element<'_, '_>, links: &HashMap<String, u32>) -> Result<JointFields, Fault> {
    let name = required(element, "name")?.to_owned();
    let kind = match required(element, "type")? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        other => {
            let message = format!("`{}` is not a joint type", shown(other));
            return Err(element.fault(message));
        }
    };
    let link = |end: &str| {
        let Some(child) = element.child(end) else {
            return Err(element.fault(format!("the joint `{}` has no {end}", shown(&name))));
        };
        let link = required(child, "link")?;
        links
            .get(link)
            .copied()
            .ok_or_else(|| child.fault(format!("there is no link `{}`", shown(link))))
    };
    let (parent, child) = (link("parent")?, link("child")?);
    let axis = match element.child("axis") {
        None => DVec3::X,
        Some(axis) => {
            let vector = DVec3::from_array(numbers(axis, "xyz", required(axis, "xyz")?)?);
            match vector.try_normalize() {
                // An axis along a coordinate axis stays exact.
                Some(unit) if unit.is_finite() => unit,
                _ if kind.is_free() => return Err(axis.fault("the axis has no direction")),
                _ => DVec3::X,
            }
        }
    };
    let is_limited = matches!(kind, JointKind::Revolute | JointKind::Prismatic);
    let limits = match element.child("limit").filter(|_| is_limited) {
        None => None,
        Some(limit) => {
            let bound = |name: &str| match limit.attribute(name) {
                None => Ok(0.0),
                Some(text) => numbers(limit, name, text).map(|[value]: [f64; 1]| value),
            };
            let (lower, upper) = (bound("lower")?, bound("upper")?);
            if lower > upper {
                let message = format!("the lower limit {lower} is above the upper one, {upper}");
                return Err(limit.fault(message));
            }
            Some([lower, upper])
        }
    };
    let mimic = match element.child("mimic") {
        None => None,
        Some(mimic) => {
            let number = |name: &str, default: f64| match mimic.attribute(name) {
                None => Ok(default),
                Some(text) => numbers(mimic, name, text).map(|[value]: [f64; 1]| value),
            };
            Some(Mimic {
                joint: required(mimic, "joint")?.to_owned(),
                multiplier: number("multiplier", 1.0)?,
                offset: number("offset", 0.0)?,
            })
        }
    };
    let (line, origin) = (element.line(), origin(element)?);
    Ok(JointFields { name, line, kind, origin, axis, parent, child, limits, mimic })
}

/// Returns the transform of an element relative to its parent; the identity if there is no `origin`.
fn origin(element: Element<'_, '_>) -> Result<DAffine3, Fault> {
    let Some(origin) = element.child("origin") else { return Ok(DAffine3::IDENTITY) };
    let triple = |name: &str| match origin.attribute(name) {
        None => Ok([0.0; 3]),
        Some(text) => numbers(origin, name, text),
    };
    let translation = DVec3::from_array(triple("xyz")?);
    let [roll, pitch, yaw] = triple("rpy")?;
    let turn = super::kinematics::rotation;
    // Rotations about the fixed axes x, then y, then z.
    let matrix3: DMat3 = turn(DVec3::Z, yaw) * turn(DVec3::Y, pitch) * turn(DVec3::X, roll);
    Ok(DAffine3 { matrix3, translation })
}

fn required<'t>(element: Element<'t, '_>, name: &str) -> Result<&'t str, Fault> {
    match element.attribute(name) {
        Some(value) if !value.is_empty() => Ok(value),
        _ => Err(element.fault(format!("`<{}>` without `{name}`", shown(element.name())))),
    }
}

/// Parses exactly N numbers, separated by spaces.
fn numbers<const N: usize>(
    element: Element<'_, '_>,
    name: &str,
    text: &str,
) -> Result<[f64; N], Fault> {
    let mut values = [0.0; N];
    let mut words = text.split_ascii_whitespace();
    for (at, value) in values.iter_mut().enumerate() {
        let Some(word) = words.next() else {
            let message = format!("`{name}` has {at} numbers, not {N}: `{}`", shown(text));
            return Err(element.fault(message));
        };
        *value = crate::text::coordinate(element.line(), word)?;
    }
    match words.next() {
        None => Ok(values),
        Some(_) => {
            let message = format!("`{name}` has more than {N} numbers: `{}`", shown(text));
            Err(element.fault(message))
        }
    }
}
