//! Reads 3MF packages into an assembly: each placed mesh of the build is a part.
//!
//! A package is a zip archive. Its main `.model` entry lists objects, which are meshes or are composed of other
//! objects, and the items to build. With the production extension, objects may be in other entries.

mod document;

use super::{
    LeftOut, Up,
    build::{Builder, Frame, NewPart, SourceMesh},
    files::{Within, stem},
    rounding::{gain, of_translation},
};
use crate::{Error, error::Fault, unzip::Archive, xml::Tree};
use document::{Content, Document, Use, within};
use glam::DAffine3;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

/// The type of the relationship that names the main model.
const MAIN: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// The main model of packages that do not name one.
const USUAL: &str = "3D/3dmodel.model";

/// The largest nesting depth of objects.
const MAX_DEPTH: usize = 100;

/// The number of placed objects: this many, and one per so many bytes of the file. A small file can place an object
/// twice in an object that is placed twice in the next, and so on.
const MAX_PLACED: usize = 1000;
const BYTES_PER_PLACED: usize = 4;

/// Adds the parts of a package.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    place: &Within<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), Error> {
    let named = |fault: Fault| fault.in_file(path);
    if bytes.is_empty() {
        return Err(named(Fault::file("the file is empty")));
    }
    let archive = Archive::open(bytes).map_err(|message| named(Fault::file(message)))?;
    let main = main_entry(&archive).map_err(named)?;
    let mut package = Package { archive, documents: HashMap::new() };
    let (items, unit) = {
        let document = package.document(&main).map_err(named)?;
        (document.items.clone(), document.unit)
    };
    if items.is_empty() {
        return Err(named(within(&main, Fault::file("the build has no items"))));
    }
    // Entries that are needed are read before the first part is added.
    package.read_all(&main).map_err(named)?;

    builder.begin_file(path, Frame { units: Some(unit), up: Some(Up::Z) });
    let is_one = items.len() == 1 && package.is_mesh(&main, &items[0]);
    let group = match is_one {
        true => place.folder,
        false => place.file_group(builder).map_err(|message| named(Fault::file(message)))?,
    };
    let mut placer = Placer {
        package: &package,
        path,
        builder,
        file_name: is_one.then(|| stem(path)),
        meshes: HashMap::new(),
        open: Vec::new(),
        used: HashSet::new(),
        left_out: BTreeMap::new(),
        placed: 0,
        most: MAX_PLACED + bytes.len() / BYTES_PER_PLACED,
    };
    let top = Placed { entry: &main, group, world: DAffine3::IDENTITY, moved: 0.0, id: None };
    for item in &items {
        placer.place(item, &top)?;
    }
    placer.count_unused();
    let left_out = placer.left_out;
    builder.assembly.left_out.extend(left_out.into_values());
    Ok(())
}

/// Returns the name of the main model.
fn main_entry(archive: &Archive<'_>) -> Result<String, Fault> {
    const RELATIONSHIPS: &str = "_rels/.rels";
    if archive.has(RELATIONSHIPS) {
        let bytes = archive.read(RELATIONSHIPS).map_err(Fault::file)?;
        let tree = Tree::parse(&bytes).map_err(|fault| within(RELATIONSHIPS, fault))?;
        let is_main = |child: &crate::xml::Element<'_, '_>| child.attribute("Type") == Some(MAIN);
        let main = tree.root().children().find(is_main);
        if let Some(target) = main.and_then(|main| main.attribute("Target")) {
            return Ok(target.to_owned());
        }
    }
    match archive.has(USUAL) {
        true => Ok(USUAL.to_owned()),
        false => Err(Fault::file("the zip archive is not a 3MF package: it names no 3D model")),
    }
}

struct Package<'a> {
    archive: Archive<'a>,
    /// By the name of the entry.
    documents: HashMap<String, Document>,
}

impl Package<'_> {
    fn document(&mut self, entry: &str) -> Result<&Document, Fault> {
        if !self.documents.contains_key(entry) {
            let bytes = self.archive.read(entry).map_err(Fault::file)?;
            let document = Document::parse(&bytes).map_err(|fault| within(entry, fault))?;
            self.documents.insert(entry.to_owned(), document);
        }
        Ok(&self.documents[entry])
    }

    /// Reads all entries to which uses refer, and checks that they have the unit of the main one.
    fn read_all(&mut self, main: &str) -> Result<(), Fault> {
        let unit = self.document(main)?.unit;
        let mut open = vec![main.to_owned()];
        while let Some(entry) = open.pop() {
            let document = self.document(&entry)?;
            if document.unit != unit {
                let message = format!("the unit is {}, that of {main} is {unit}", document.unit);
                return Err(within(&entry, Fault::file(message)));
            }
            let components = document.objects.values().flat_map(|object| match &object.content {
                Content::Components(components) => &components[..],
                _ => &[],
            });
            let uses = components.chain(&document.items);
            let paths: BTreeSet<String> = uses.filter_map(|used| used.path.clone()).collect();
            for path in paths {
                if !self.documents.contains_key(&path) {
                    self.document(&path)?;
                    open.push(path);
                }
            }
        }
        Ok(())
    }

    fn is_mesh(&self, entry: &str, used: &Use) -> bool {
        let document = self.documents.get(used.path.as_deref().unwrap_or(entry));
        let object = document.and_then(|document| document.objects.get(&used.object));
        object.is_some_and(|object| matches!(object.content, Content::Mesh(_)))
    }
}

/// Where an object is placed.
struct Placed<'p> {
    /// The entry that refers to the object.
    entry: &'p str,
    group: Option<u32>,
    world: DAffine3,
    /// How far rounding may have moved the object.
    moved: f64,
    /// The identities of the uses so far.
    id: Option<String>,
}

struct Placer<'p, 'a, 'b, 'o> {
    package: &'p Package<'a>,
    path: &'p Path,
    builder: &'b mut Builder<'o>,
    /// The name of the file, if the file has one part only.
    file_name: Option<String>,
    meshes: HashMap<(&'p str, u32), SourceMesh>,
    /// The objects that contain the current one.
    open: Vec<(&'p str, u32)>,
    used: HashSet<(&'p str, u32)>,
    left_out: BTreeMap<&'static str, LeftOut>,
    placed: usize,
    most: usize,
}

impl<'p> Placer<'p, '_, '_, '_> {
    fn place(&mut self, used: &'p Use, at: &Placed<'p>) -> Result<(), Error> {
        let entry: &'p str = used.path.as_deref().unwrap_or(at.entry);
        let fault = |message: String| within(at.entry, Fault::line(used.line, message));
        let failed = |message: String| fault(message).in_file(self.path);
        self.placed += 1;
        if self.placed > self.most {
            return Err(failed(format!(
                "more than {} objects are placed, too many for a file of this size",
                self.most
            )));
        }
        let key = (entry, used.object);
        if self.open.contains(&key) {
            return Err(failed(format!("object {} is a component of itself", used.object)));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(failed(format!("objects are nested more than {MAX_DEPTH} levels deep")));
        }
        let document = self.package.documents.get(entry);
        let Some(object) = document.and_then(|document| document.objects.get(&used.object)) else {
            let error = failed(format!("there is no object {}", used.object));
            return self.builder.broken(&format!("object {}", used.object), error);
        };
        self.used.insert(key);
        let name = match &*object.name {
            "" => match &self.file_name {
                Some(name) => name.clone(),
                None => format!("object {}", used.object),
            },
            name => name.to_owned(),
        };
        if object.is_support {
            self.leave_out("3MF support structures", name);
            return Ok(());
        }
        let world = at.world * used.transform;
        let own_moved = gain(&at.world.matrix3) * of_translation(used.transform.translation);
        let moved = at.moved + own_moved;
        let id = match (&at.id, &used.uuid) {
            (Some(above), Some(own)) => Some(format!("{above}/{own}")),
            (None, own) if self.open.is_empty() => own.clone(),
            _ => None,
        };
        let components = match &object.content {
            Content::Broken(fault) => {
                let error = within(entry, fault.clone()).in_file(self.path);
                return self.builder.broken(&name, error);
            }
            Content::Mesh(mesh) => {
                let mesh =
                    *self.meshes.entry(key).or_insert_with(|| self.builder.add_mesh(mesh.clone()));
                let part = NewPart { id, moved, ..NewPart::new(&name, at.group, mesh, &world) };
                return match self.builder.add_part(part) {
                    Ok(()) => Ok(()),
                    Err(message) => {
                        let error = fault(message).in_file(self.path);
                        self.builder.broken(&name, error)
                    }
                };
            }
            Content::Components(components) => components,
        };
        let group = self.builder.add_group(name, at.group);
        let group = Some(group.map_err(|message| fault(message).in_file(self.path))?);
        let within_object = Placed { entry, group, world, moved, id };
        self.open.push(key);
        for component in components {
            self.place(component, &within_object)?;
        }
        self.open.pop();
        Ok(())
    }

    /// Counts the meshes that no item of the build uses.
    fn count_unused(&mut self) {
        let package = self.package;
        let mut entries: Vec<&String> = package.documents.keys().collect();
        entries.sort_unstable();
        for entry in entries {
            let document = &package.documents[entry];
            for id in &document.order {
                let object = &document.objects[id];
                let is_mesh = matches!(object.content, Content::Mesh(_));
                if is_mesh && !self.used.contains(&(entry.as_str(), *id)) {
                    let name = match &*object.name {
                        "" => format!("object {id}"),
                        name => name.to_owned(),
                    };
                    self.leave_out("3MF objects that are not in the build", name);
                }
            }
        }
    }

    fn leave_out(&mut self, kind: &'static str, name: String) {
        self.left_out.entry(kind).or_insert_with(|| LeftOut::new(kind)).add(name);
    }
}
