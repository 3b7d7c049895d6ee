//! Parses a `.model` entry of a 3MF package: objects, and the items that are built.

use crate::{
    assembly::Unit,
    error::{Fault, Location},
    text::shown,
    xml::{Element, Tree},
};
use glam::{DAffine3, DVec3};
use impinge::{Mesh, MeshError};
use std::{collections::HashMap, sync::Arc};

/// The namespace of identities and of objects in other entries.
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/";

/// The start of most namespaces of 3MF.
const COMMON: &str = "http://schemas.microsoft.com/3dmanufacturing/";

/// Namespaces of extensions that a file may require, because they change no shape: production, materials, and sets of
/// triangles.
const HARMLESS: [&str; 3] = [
    PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/",
];

/// The objects and the build of one `.model` entry.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) unit: Unit,
    pub(super) objects: HashMap<u32, Object>,
    /// The identities of objects in the order of the file.
    pub(super) order: Vec<u32>,
    pub(super) items: Vec<Use>,
}

#[derive(Debug)]
pub(super) struct Object {
    /// The name, else the part number; may be empty.
    pub(super) name: String,
    /// Whether the object is a support for printing, and no part of the model.
    pub(super) is_support: bool,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Mesh(Arc<Mesh>),
    Components(Vec<Use>),
    /// The mesh or the components are invalid.
    Broken(Fault),
}

/// A placed object: an item of the build, or a component of another object.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) object: u32,
    /// The entry that holds the object, if it is another one.
    pub(super) path: Option<String>,
    pub(super) transform: DAffine3,
    /// The identity of this use.
    pub(super) uuid: Option<String>,
    pub(super) line: usize,
}

/// The prefixes of the namespaces in a file.
struct Prefixes {
    /// In front of the elements of the core specification: usually empty.
    core: String,
    /// In front of the attributes of the production extension: usually `p:`.
    production: Option<String>,
}

impl Prefixes {
    fn is(&self, element: &Element<'_, '_>, name: &str) -> bool {
        element.name().strip_prefix(&*self.core) == Some(name)
    }

    fn child<'t, 'a>(&self, element: &Element<'t, 'a>, name: &str) -> Option<Element<'t, 'a>> {
        element.children().find(|child| self.is(child, name))
    }

    fn production<'t>(&self, element: &Element<'t, '_>, name: &str) -> Option<&'t str> {
        let prefix = self.production.as_deref()?;
        element.attribute(&format!("{prefix}:{name}")).filter(|value| !value.is_empty())
    }
}

impl Document {
    /// Parses an entry. Locations of faults are lines of the entry.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let tree = Tree::parse(bytes)?;
        let root = tree.root();
        let (core, name) = match root.name().rsplit_once(':') {
            Some((prefix, name)) => (format!("{prefix}:"), name),
            None => (String::new(), root.name()),
        };
        if name != "model" {
            let message = format!("the root element is `{}`, not `model`", shown(root.name()));
            return Err(root.fault(message));
        }
        let namespaces: Vec<(&str, &str)> = root
            .attributes()
            .filter_map(|(name, value)| Some((name.strip_prefix("xmlns:")?, value)))
            .collect();
        check_extensions(&root, &namespaces)?;
        let production = namespaces.iter().find(|(_, uri)| uri.starts_with(PRODUCTION));
        let production = production.map(|(prefix, _)| (*prefix).to_owned());
        let prefixes = Prefixes { core, production };

        let mut document =
            Self { unit: unit(&root)?, objects: HashMap::new(), order: Vec::new(), items: vec![] };
        let resources = prefixes.child(&root, "resources");
        for element in resources.iter().flat_map(Element::children) {
            if prefixes.is(&element, "object") {
                document.add_object(&element, &prefixes)?;
            }
        }
        let build = prefixes.child(&root, "build");
        for element in build.iter().flat_map(Element::children) {
            if prefixes.is(&element, "item") {
                document.items.push(placed(&element, &prefixes)?);
            }
        }
        Ok(document)
    }

    fn add_object(&mut self, element: &Element<'_, '_>, prefixes: &Prefixes) -> Result<(), Fault> {
        let id = number(element, "id")?;
        let label = |name: &str| element.attribute(name).filter(|text| !text.is_empty());
        let name = label("name").or_else(|| label("partnumber")).unwrap_or_default().to_owned();
        let is_support = matches!(element.attribute("type"), Some("support" | "solidsupport"));
        let content = match content(element, prefixes) {
            Ok(content) => content,
            Err(fault) => Content::Broken(fault),
        };
        self.order.push(id);
        match self.objects.insert(id, Object { name, is_support, content }) {
            None => Ok(()),
            Some(_) => Err(element.fault(format!("there are two objects with the id {id}"))),
        }
    }
}

/// Refuses a file that says that it cannot be understood without an extension that is not supported.
fn check_extensions(root: &Element<'_, '_>, namespaces: &[(&str, &str)]) -> Result<(), Fault> {
    let required = root.attribute("requiredextensions").unwrap_or_default();
    for prefix in required.split_ascii_whitespace() {
        let uri = namespaces.iter().find(|(other, _)| *other == prefix).map(|(_, uri)| *uri);
        if !uri.is_some_and(|uri| HARMLESS.iter().any(|harmless| uri.starts_with(harmless))) {
            // Without the part that all extensions have in common.
            let what = uri.map_or(prefix, |uri| uri.strip_prefix(COMMON).unwrap_or(uri));
            let what = shown(what);
            let message = format!(
                "the file needs the 3MF extension {what}, which is not supported; save it without that extension"
            );
            return Err(root.fault(message));
        }
    }
    Ok(())
}

fn unit(root: &Element<'_, '_>) -> Result<Unit, Fault> {
    match root.attribute("unit") {
        Some("micron") => Ok(Unit::Micrometre),
        None | Some("millimeter") => Ok(Unit::Millimetre),
        Some("centimeter") => Ok(Unit::Centimetre),
        Some("inch") => Ok(Unit::Inch),
        Some("foot") => Ok(Unit::Foot),
        Some("meter") => Ok(Unit::Metre),
        Some(other) => {
            Err(root.fault(format!("`{}` is not a unit of length of 3MF", shown(other))))
        }
    }
}

fn content(object: &Element<'_, '_>, prefixes: &Prefixes) -> Result<Content, Fault> {
    if let Some(element) = prefixes.child(object, "mesh") {
        return mesh(&element, prefixes).map(|mesh| Content::Mesh(Arc::new(mesh)));
    }
    let Some(components) = prefixes.child(object, "components") else {
        return Err(object.fault("the object has neither a mesh nor components"));
    };
    let components = components.children().filter(|child| prefixes.is(child, "component"));
    let components: Result<_, _> =
        components.map(|component| placed(&component, prefixes)).collect();
    components.map(Content::Components)
}

fn mesh(element: &Element<'_, '_>, prefixes: &Prefixes) -> Result<Mesh, Fault> {
    let list = |name: &str| {
        let missing = || element.fault(format!("the mesh has no `{name}`"));
        prefixes.child(element, name).ok_or_else(missing)
    };
    let mut positions = Vec::new();
    for vertex in list("vertices")?.children().filter(|child| prefixes.is(child, "vertex")) {
        let coordinate = |name: &str| -> Result<f64, Fault> {
            let text = attribute(&vertex, name)?;
            crate::text::coordinate(vertex.line(), text.trim_ascii())
        };
        let position = DVec3::new(coordinate("x")?, coordinate("y")?, coordinate("z")?);
        MeshError::check_position(positions.len(), position)
            .map_err(|error| vertex.fault(error.to_string()))?;
        positions.push(position);
    }
    let mut faces = Vec::new();
    for triangle in list("triangles")?.children().filter(|child| prefixes.is(child, "triangle")) {
        let corner = |name: &str| -> Result<u32, Fault> {
            let vertex = number(&triangle, name)?;
            match (vertex as usize) < positions.len() {
                true => Ok(vertex),
                false => Err(triangle.fault(format!(
                    "a triangle uses vertex {vertex}, but the mesh has {} vertices",
                    positions.len()
                ))),
            }
        };
        faces.push([corner("v1")?, corner("v2")?, corner("v3")?]);
    }
    if faces.is_empty() {
        return Err(element.fault("the mesh has no triangles"));
    }
    Mesh::new(positions, faces).map_err(|error| element.fault(error.to_string()))
}

fn placed(element: &Element<'_, '_>, prefixes: &Prefixes) -> Result<Use, Fault> {
    Ok(Use {
        object: number(element, "objectid")?,
        path: prefixes.production(element, "path").map(str::to_owned),
        transform: transform(element)?,
        uuid: prefixes.production(element, "UUID").map(str::to_owned),
        line: element.line(),
    })
}

/// Reads a transform: 12 numbers, the rows of a matrix that is multiplied from the right.
fn transform(element: &Element<'_, '_>) -> Result<DAffine3, Fault> {
    let Some(text) = element.attribute("transform") else { return Ok(DAffine3::IDENTITY) };
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = text.split_ascii_whitespace().map(number).collect();
    match numbers.as_deref() {
        Some(rows) if rows.len() == 12 => {
            let [x, y, z, moved] = [0, 3, 6, 9].map(|at| DVec3::from_slice(&rows[at..at + 3]));
            Ok(DAffine3::from_cols(x, y, z, moved))
        }
        _ => Err(element.fault(format!("the transform `{}` is not 12 numbers", shown(text)))),
    }
}

fn attribute<'t>(element: &Element<'t, '_>, name: &str) -> Result<&'t str, Fault> {
    element.attribute(name).ok_or_else(|| {
        element.fault(format!("the attribute `{name}` of `{}` is missing", shown(element.name())))
    })
}

fn number(element: &Element<'_, '_>, name: &str) -> Result<u32, Fault> {
    let text = attribute(element, name)?;
    text.trim_ascii().parse().map_err(|_| {
        element.fault(format!("the attribute `{name}` is `{}`, not a whole number", shown(text)))
    })
}

/// Puts the name of an entry in front of the line of a fault.
pub(super) fn within(entry: &str, fault: Fault) -> Fault {
    let entry = shown(entry.trim_start_matches('/'));
    match fault.location {
        Location::Line(line) => Fault::json(format!("{entry}:{line}"), fault.message),
        _ => Fault::json(entry.to_string(), fault.message),
    }
}
