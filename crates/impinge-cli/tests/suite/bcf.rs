//! Checks the BCF files that `impinge clash` writes against the rules of the published schemas, versions 2.1 and 3.0.
//!
//! The rules are written down here in a notation of our own, from the documentation of the format: for each element,
//! its children in order, its attributes, and what its text must look like. They cover all elements that the format
//! allows in the files we write, so that an element in a wrong place is found.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Soup, impinge};
use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{Cursor, Read},
};

/// An XML element.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

/// Parses the subset of XML that the command writes. Anything else is an error.
fn parse(text: &str) -> Result<Element, String> {
    let mut rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        .ok_or("no XML declaration")?;
    let mut open = vec![Element::default()];
    while !rest.trim_start().is_empty() || open.len() > 1 {
        let tag = rest.find('<').ok_or("text at the end")?;
        open.last_mut().unwrap().text += &unescaped(&rest[..tag])?;
        let end = tag + rest[tag..].find('>').ok_or("a tag without end")?;
        let inner = &rest[tag + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inner.strip_prefix('/') {
            let done = open.pop().unwrap();
            if done.name != name {
                return Err(format!("<{}> ends with </{name}>", done.name));
            }
            open.last_mut().ok_or("too many ends")?.children.push(done);
            continue;
        }
        let (inner, is_empty) =
            inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
        let (name, mut attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        let mut element = Element { name: name.to_owned(), ..Element::default() };
        while !attributes.trim().is_empty() {
            let (name, after) =
                attributes.trim_start().split_once("=\"").ok_or("a bad attribute")?;
            let (value, after) = after.split_once('"').ok_or("an attribute without end")?;
            element.attributes.push((name.to_owned(), unescaped(value)?));
            attributes = after;
        }
        match is_empty {
            true => open.last_mut().unwrap().children.push(element),
            false => open.push(element),
        }
    }
    let mut root = open.pop().unwrap();
    match root.children.len() {
        1 => Ok(root.children.remove(0)),
        count => Err(format!("{count} root elements")),
    }
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain += &rest[..at];
        let (entity, after) = rest[at + 1..].split_once(';').ok_or("an entity without end")?;
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#13" => '\r',
            "#10" => '\n',
            "#9" => '\t',
            other => return Err(format!("the entity &{other};")),
        });
        rest = after;
    }
    Ok(plain + rest)
}

/// The rules of one kind of element.
struct Rule {
    /// The children in order: `Name` once, `Name?` at most once, `Name*` any number, `Name+` at least once.
    children: &'static str,
    /// The attributes with their types: `Name:type` may be there, `Name!:type` must be.
    attributes: &'static str,
    /// The type of the text; empty if there must be none.
    text: &'static str,
}

/// Returns the rules of a version: path of the element, children, attributes, text. A path ends with the names given.
fn rules(version: &str) -> HashMap<&'static str, Rule> {
    const POINT: &str = "X Y Z";
    let both = [
        (
            "VisualizationInfo",
            "Components? OrthogonalCamera? PerspectiveCamera? Lines? ClippingPlanes? Bitmaps?",
            "Guid!:guid",
            "",
        ),
        ("Selection", "Component+", "", ""),
        ("Component", "OriginatingSystem? AuthoringToolId?", "IfcGuid:ifc", ""),
        ("OriginatingSystem", "", "", "string"),
        ("AuthoringToolId", "", "", "string"),
        ("Coloring", "Color+", "", ""),
        ("CameraViewPoint", POINT, "", ""),
        ("CameraDirection", POINT, "", ""),
        ("CameraUpVector", POINT, "", ""),
        ("X", "", "", "double"),
        ("Y", "", "", "double"),
        ("Z", "", "", "double"),
        ("FieldOfView", "", "", "angle"),
        ("Filename", "", "", "string"),
        ("Title", "", "", "nonblank"),
        ("Priority", "", "", "nonblank"),
        ("CreationDate", "", "", "date"),
        ("CreationAuthor", "", "", "nonblank"),
        ("AssignedTo", "", "", "nonblank"),
        ("Description", "", "", "nonblank"),
        ("Date", "", "", "date"),
        ("Author", "", "", "nonblank"),
        ("Viewpoint", "", "", "nonblank"),
        ("Snapshot", "", "", "nonblank"),
        ("Project", "Name?", "ProjectId!:nonblank", ""),
        ("Name", "", "", "nonblank"),
    ];
    let of_2_1 = [
        ("Markup", "Header? Topic Comment* Viewpoints*", "", ""),
        ("Header", "File+", "", ""),
        (
            "File",
            "Filename? Date? Reference?",
            "IfcProject:ifc IfcSpatialStructureElement:ifc isExternal:boolean",
            "",
        ),
        (
            "Topic",
            "ReferenceLink* Title Priority? Index? Labels* CreationDate CreationAuthor ModifiedDate? ModifiedAuthor? DueDate? AssignedTo? Stage? Description? BimSnippet? DocumentReference* RelatedTopic*",
            "Guid!:guid TopicType:string TopicStatus:string",
            "",
        ),
        ("Labels", "", "", "string"),
        (
            "Markup/Comment",
            "Date Author Comment Viewpoint? ModifiedDate? ModifiedAuthor?",
            "Guid!:guid",
            "",
        ),
        ("Comment/Comment", "", "", "string"),
        ("Viewpoints", "Viewpoint? Snapshot? Index?", "Guid!:guid", ""),
        ("Components", "ViewSetupHints? Selection? Visibility Coloring?", "", ""),
        ("Visibility", "Exceptions?", "DefaultVisibility:boolean", ""),
        ("Color", "Component+", "Color:color", ""),
        ("PerspectiveCamera", "CameraViewPoint CameraDirection CameraUpVector FieldOfView", "", ""),
        ("ProjectExtension", "Project? ExtensionSchema", "", ""),
        ("ExtensionSchema", "", "", "string"),
        ("Version", "DetailedVersion?", "VersionId!:2.1", ""),
        ("DetailedVersion", "", "", "string"),
    ];
    let of_3_0 = [
        ("Markup", "Header? Topic", "", ""),
        ("Header", "Files?", "", ""),
        ("Files", "File*", "", ""),
        (
            "File",
            "Filename? Date? Reference?",
            "IfcProject:ifc IfcSpatialStructureElement:ifc IsExternal:boolean",
            "",
        ),
        (
            "Topic",
            "ReferenceLinks? Title Priority? Index? Labels? CreationDate CreationAuthor ModifiedDate? ModifiedAuthor? DueDate? AssignedTo? Stage? Description? BimSnippet? DocumentReferences? RelatedTopics? Comments? Viewpoints?",
            "Guid!:guid ServerAssignedId:nonblank TopicType!:nonblank TopicStatus!:nonblank",
            "",
        ),
        ("Labels", "Label*", "", ""),
        ("Label", "", "", "nonblank"),
        ("Comments", "Comment*", "", ""),
        (
            "Comments/Comment",
            "Date Author Comment? Viewpoint? ModifiedDate? ModifiedAuthor?",
            "Guid!:guid",
            "",
        ),
        ("Comment/Comment", "", "", "nonblank"),
        ("Topic/Viewpoints", "ViewPoint*", "", ""),
        ("ViewPoint", "Viewpoint? Snapshot? Index?", "Guid!:guid", ""),
        ("VisualizationInfo/Components", "Selection? Visibility Coloring?", "", ""),
        ("Visibility", "ViewSetupHints? Exceptions?", "DefaultVisibility:boolean", ""),
        ("Color", "Components", "Color!:color", ""),
        ("Color/Components", "Component+", "", ""),
        (
            "PerspectiveCamera",
            "CameraViewPoint CameraDirection CameraUpVector FieldOfView AspectRatio",
            "",
            "",
        ),
        ("AspectRatio", "", "", "positive"),
        ("ProjectInfo", "Project", "", ""),
        ("Version", "", "VersionId!:3.0", ""),
        (
            "Extensions",
            "TopicTypes TopicStatuses Priorities TopicLabels Users SnippetTypes Stages",
            "",
            "",
        ),
        ("TopicTypes", "TopicType*", "", ""),
        ("TopicType", "", "", "nonblank"),
        ("TopicStatuses", "TopicStatus*", "", ""),
        ("TopicStatus", "", "", "nonblank"),
        ("Priorities", "Priority*", "", ""),
        ("TopicLabels", "TopicLabel*", "", ""),
        ("TopicLabel", "", "", "nonblank"),
        ("Users", "User*", "", ""),
        ("User", "", "", "nonblank"),
        ("SnippetTypes", "SnippetType*", "", ""),
        ("Stages", "Stage*", "", ""),
    ];
    let own = if version == "2.1" { of_2_1.to_vec() } else { of_3_0.to_vec() };
    let all = both.into_iter().chain(own);
    all.map(|(path, children, attributes, text)| (path, Rule { children, attributes, text }))
        .collect()
}

/// Returns whether a text is of a type.
fn is_of(kind: &str, text: &str) -> bool {
    let hex = |text: &str, count: usize, digits: &str| {
        text.len() == count && text.chars().all(|c| digits.contains(c))
    };
    let number = || text.parse::<f64>().ok().filter(|number| number.is_finite());
    match kind {
        "string" => true,
        "nonblank" => !text.trim().is_empty(),
        "boolean" => ["true", "false", "0", "1"].contains(&text),
        "double" => number().is_some(),
        "angle" => number().is_some_and(|angle| angle > 0.0 && angle < 180.0),
        "positive" => number().is_some_and(|number| number > 0.0),
        "color" => hex(text, 6, "0123456789ABCDEF") || hex(text, 8, "0123456789ABCDEF"),
        "ifc" => {
            text.len() == 22 && text.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
        }
        "guid" => {
            let groups: Vec<&str> = text.split('-').collect();
            let lengths = [8, 4, 4, 4, 12];
            groups.len() == 5
                && groups
                    .iter()
                    .zip(lengths)
                    .all(|(group, length)| hex(group, length, "0123456789abcdef"))
        }
        "date" => {
            let pattern = "dddd-dd-ddTdd:dd:ddZ";
            text.len() == pattern.len()
                && text
                    .chars()
                    .zip(pattern.chars())
                    .all(|(c, p)| if p == 'd' { c.is_ascii_digit() } else { c == p })
        }
        exact => text == exact,
    }
}

/// Checks an element and everything in it.
fn validate(rules: &HashMap<&str, Rule>, above: &str, element: &Element) -> Result<(), String> {
    let name = &*element.name;
    let path = format!("{above}/{name}");
    let rule = rules
        .get(&*path)
        .or_else(|| rules.get(name))
        .ok_or(format!("{path} is not in the schema"))?;
    let mut children = element.children.iter().map(|child| &*child.name).peekable();
    for expected in rule.children.split_whitespace() {
        let wanted = expected.trim_end_matches(['?', '*', '+']);
        let mut count = 0;
        while children.next_if_eq(&wanted).is_some() {
            count += 1;
        }
        let is_right = match expected.chars().last() {
            Some('?') => count <= 1,
            Some('*') => true,
            Some('+') => count >= 1,
            _ => count == 1,
        };
        if !is_right {
            return Err(format!("{path}: {count} of {expected}"));
        }
    }
    if let Some(more) = children.next() {
        return Err(format!("{path}: {more} is in a wrong place"));
    }
    let known: Vec<(&str, &str)> =
        rule.attributes.split_whitespace().map(|it| it.split_once(':').unwrap()).collect();
    for (attribute, value) in &element.attributes {
        let kind = known.iter().find(|(name, _)| name.trim_end_matches('!') == attribute);
        let (_, kind) = kind.ok_or(format!("{path} has an attribute {attribute}"))?;
        if !is_of(kind, value) {
            return Err(format!("{path} {attribute}: `{value}` is not a {kind}"));
        }
    }
    for (attribute, _) in known.iter().filter(|(name, _)| name.ends_with('!')) {
        let attribute = attribute.trim_end_matches('!');
        if !element.attributes.iter().any(|(name, _)| name == attribute) {
            return Err(format!("{path} has no attribute {attribute}"));
        }
    }
    match rule.text {
        "" if !element.text.trim().is_empty() => {
            return Err(format!("{path} has text: {}", element.text));
        }
        "" => {}
        kind if !is_of(kind, &element.text) => {
            return Err(format!("{path}: `{}` is not a {kind}", element.text));
        }
        _ => {}
    }
    element.children.iter().try_for_each(|child| validate(rules, name, child))
}

/// Returns the entries of a BCF file, each validated, and the rules that connect them.
fn validated(bytes: Vec<u8>, version: &str) -> HashMap<String, Option<Element>> {
    let rules = rules(version);
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = HashMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let root = match name.rsplit_once('.').unwrap().1 {
            "png" => {
                assert!(content.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
                None
            }
            kind => {
                let text = String::from_utf8(content).unwrap();
                let root = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
                let expected = match kind {
                    "version" => "Version",
                    "bcfp" if version == "2.1" => "ProjectExtension",
                    "bcfp" => "ProjectInfo",
                    "bcf" => "Markup",
                    "bcfv" => "VisualizationInfo",
                    "xml" => "Extensions",
                    other => panic!("{name}: {other}"),
                };
                assert_eq!(root.name, expected, "{name}");
                validate(&rules, "", &root)
                    .unwrap_or_else(|error| panic!("{version} {name}: {error}"));
                Some(root)
            }
        };
        assert!(files.insert(name.clone(), root).is_none(), "{name} is there twice");
    }
    for name in ["bcf.version", "project.bcfp"] {
        assert!(files.contains_key(name), "{name}");
    }
    assert_eq!(files.contains_key("extensions.xml"), version == "3.0");
    // Every topic is in the folder with its GUID, and every view that it names is there.
    for (name, root) in files.iter().filter(|(name, _)| name.ends_with("/markup.bcf")) {
        let folder = name.trim_end_matches("/markup.bcf");
        let root = root.as_ref().unwrap();
        let topic = find(root, "Topic").unwrap();
        assert_eq!(attribute(topic, "Guid"), Some(folder));
        let views =
            if version == "2.1" { root } else { find(topic, "Viewpoints").unwrap_or(topic) };
        for view in views
            .children
            .iter()
            .filter(|child| ["Viewpoints", "ViewPoint"].contains(&&*child.name))
        {
            for file in &view.children {
                assert!(files.contains_key(&format!("{folder}/{}", file.text)), "{}", file.text);
            }
            let file = &find(view, "Viewpoint").unwrap().text;
            let seen = files[&format!("{folder}/{file}")].as_ref().unwrap();
            assert_eq!(attribute(seen, "Guid"), attribute(view, "Guid"));
        }
    }
    files
}

fn find<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    element.children.iter().find(|child| child.name == name)
}

fn attribute<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
}

/// Cubes in a row, each with the next one in it; names with characters that need care.
fn cubes(names: &[&str]) -> String {
    let (mut text, mut first) = (String::new(), 1);
    for (number, name) in names.iter().enumerate() {
        let cube = Soup::cube([0.75 * number as f64, 0.0, 0.1 * number as f64], 1.0);
        writeln!(text, "g {name}").unwrap();
        cube.positions.iter().for_each(|[x, y, z]| writeln!(text, "v {x:?} {y:?} {z:?}").unwrap());
        for [a, b, c] in &cube.faces {
            writeln!(text, "f {} {} {}", a + first, b + first, c + first).unwrap();
        }
        first += cube.positions.len();
    }
    text
}

const NAMES: [&str; 5] = ["wall_2O2Fr$t4X7Zf8NOew3FNr2", "<b>&\"'", "]]>", "🦀é", "plain"];

#[test]
fn what_clash_writes_is_valid() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", cubes(&NAMES));
    let old = folder.at("old.json");
    impinge(["clash", &file, "-o", &old]);
    for version in ["2.1", "3.0"] {
        let (bcf, review) = (folder.at("out.bcf"), folder.at(&format!("review-{version}.json")));
        let run = |more: &[&str]| {
            let base = ["clash", &file, "--bcf", &bcf, "--bcf-version", version];
            let run = impinge([&base[..], more].concat());
            assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
            validated(folder.read("out.bcf"), version)
        };
        let topics = |files: &HashMap<String, Option<Element>>| {
            files.keys().filter(|name| name.ends_with("/markup.bcf")).count()
        };
        let plain = run(&[]);
        assert_eq!(topics(&plain), 4);
        assert!(plain.keys().filter(|name| name.ends_with(".png")).count() == 4);
        // With reviews: two findings of one group are one topic.
        run(&["--review", &review]);
        let text = folder.text(&format!("review-{version}.json"));
        let mut reviewed: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (number, entry) in reviewed["findings"].as_array_mut().unwrap().iter_mut().enumerate() {
            entry["comment"] = "\"<&>\"\n\u{1}".into();
            entry["assignee"] = "kim <kim@example.com>".into();
            entry["group"] = if number < 2 { "a <group>" } else { " " }.into();
            entry["status"] = ["approved", "reviewed", "active", "resolved"][number].into();
        }
        folder.write(&format!("review-{version}.json"), reviewed.to_string());
        let with = run(&["--review", &review, "--baseline", &old]);
        assert_eq!(topics(&with), 2, "two groups: one by name, one by a space");
        let comments = with.values().flatten().filter(|root| root.name == "Markup").map(|root| {
            let topic = find(root, "Topic").unwrap();
            let all = if version == "2.1" { root } else { find(topic, "Comments").unwrap() };
            all.children.iter().filter(|child| child.name == "Comment").count()
        });
        assert_eq!(comments.sum::<usize>(), 4);
        // Resolved findings are closed topics; limits and empty lists are valid, too.
        let gone = folder.write("cubes.obj", cubes(&NAMES[..1]));
        assert_eq!(gone, file);
        let closed = run(&["--review", &review, "--baseline", &old]);
        assert!(topics(&closed) >= 2, "{:?}", closed.keys());
        let status = |root: &Element| {
            attribute(find(root, "Topic").unwrap(), "TopicStatus").unwrap().to_owned()
        };
        let markups = closed.values().flatten().filter(|root| root.name == "Markup");
        assert!(markups.map(status).all(|status| status == "Closed"));
        folder.write("cubes.obj", cubes(&NAMES));
    }
}

/// The gearbox, with parts of IFC names, is valid and selects parts by their ids.
#[test]
fn ids_of_ifc_are_written() {
    let folder = Folder::new();
    let (file, bcf) = (folder.write("cubes.obj", cubes(&NAMES)), folder.at("out.bcf"));
    impinge(["clash", &file, "--bcf", &bcf]);
    let files = validated(folder.read("out.bcf"), "2.1");
    let views = files.values().flatten().filter(|root| root.name == "VisualizationInfo");
    let selections =
        views.map(|root| find(find(root, "Components").unwrap(), "Selection").unwrap());
    let ids: Vec<&str> = selections
        .flat_map(|selection| &selection.children)
        .filter_map(|component| attribute(component, "IfcGuid"))
        .collect();
    // One word of 27 characters is not an id.
    assert!(ids.is_empty(), "{ids:?}");
    let file = folder.write("cubes.obj", cubes(&["wall-2O2Fr$t4X7Zf8NOew3FNr2", "pipe"]));
    impinge(["clash", &file, "--bcf", &bcf]);
    let files = validated(folder.read("out.bcf"), "2.1");
    let text = format!("{files:?}");
    assert!(text.contains("2O2Fr$t4X7Zf8NOew3FNr2"), "{text}");
}

/// The validator finds faults.
#[test]
fn the_rules_find_faults() {
    let rules = rules("2.1");
    let fault = |text: &str| {
        let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}");
        validate(&rules, "", &parse(&text).unwrap()).unwrap_err()
    };
    let camera = "<Components><Visibility/></Components>";
    for (text, piece) in [
        ("<Other/>", "not in the schema"),
        ("<VisualizationInfo/>", "no attribute Guid"),
        ("<VisualizationInfo Guid=\"x\"/>", "not a guid"),
        ("<Version VersionId=\"3.0\"/>", "not a 2.1"),
        ("<Selection></Selection>", "0 of Component+"),
        (
            "<Component><AuthoringToolId>a</AuthoringToolId><OriginatingSystem>b</OriginatingSystem></Component>",
            "wrong place",
        ),
        ("<X>1e</X>", "not a double"),
        ("<Coloring><Color Color=\"ff0000\"><Component/></Color></Coloring>", "not a color"),
        (
            &format!(
                "<VisualizationInfo Guid=\"155da2ae-513c-5d44-8d30-71ea89455b2c\">{camera}{camera}</VisualizationInfo>"
            ),
            "2 of Components?",
        ),
    ] {
        let fault = fault(text);
        assert!(fault.contains(piece), "{text}: {fault}");
    }
    assert!(parse("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><b></a>").is_err());
}
