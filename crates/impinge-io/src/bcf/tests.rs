use super::*;
use crate::xml::{Element, Tree};
use std::io::{Cursor, Read};

/// Names with characters that need escaping.
const HOSTILE: [&str; 6] =
    ["a<b>&\"c\"'d'", "\0\u{1}\u{b}\u{fffe}", "]]>", "line\r\nend\t.", "🦀 é \u{202e}", "  "];

fn project(version: Version) -> Project<'static> {
    Project {
        version,
        name: "gear & <box>",
        author: "impinge",
        date: Date::from_unix(1_700_000_000),
        files: vec!["gear<box>.glb".to_owned(), String::new()],
    }
}

fn topic<'a>(a: &str, b: &str, label: &'a str) -> Topic<'a> {
    let component = |name: &str| Component::named(name);
    Topic {
        guid: Guid::of(&["p", a, b]),
        title: format!("{a} and {b}"),
        description: format!("They meet.\n{a}\n{b}"),
        kind: "Clash",
        status: "Open",
        priority: "High",
        assignee: if a == "wall 2O2Fr$t4X7Zf8NOew3FNr2" { "kim" } else { "" },
        comments: if a == "wall 2O2Fr$t4X7Zf8NOew3FNr2" { vec!["Move it."] } else { vec![] },
        labels: vec![label, "new"],
        views: vec![View {
            viewpoint: Viewpoint {
                position: DVec3::new(1.5, -2.0, 1e-9),
                direction: DVec3::Y,
                up: DVec3::Z,
                field_of_view: 45.0,
                aspect: 1.5,
                components: vec![(component(a), [255, 0, 10]), (component(b), [0, 128, 255])],
            },
            snapshot: Some(b"\x89PNG and so on".to_vec()),
        }],
    }
}

fn topics() -> Vec<Topic<'static>> {
    let mut topics = vec![topic("wall 2O2Fr$t4X7Zf8NOew3FNr2", "pipe", "penetrating")];
    topics.extend(HOSTILE.map(|name| topic(name, "plain", HOSTILE[0])));
    let mut resolved = topic("gone", "plain", "resolved");
    (resolved.views, resolved.status) = (vec![], "Closed");
    resolved.description = String::new();
    topics.push(resolved);
    topics
}

fn written(version: Version) -> Vec<u8> {
    let project = project(version);
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&project, &mut bytes).unwrap();
    topics().iter().for_each(|topic| writer.add(topic).unwrap());
    writer.finish().unwrap();
    bytes
}

/// Returns the entries of an archive, read by code independent of the writer.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let all = (0..archive.len()).map(|at| {
        let mut entry = archive.by_index(at).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (entry.name().unwrap().into_owned(), content)
    });
    all.collect()
}

fn entry<'a>(entries: &'a [(String, Vec<u8>)], name: &str) -> &'a [u8] {
    &entries.iter().find(|entry| entry.0 == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// Returns an element and its children as `a(b,c(d))`, to check the order that the schemas require.
fn outline(element: Element<'_, '_>) -> String {
    let children: Vec<String> = element.children().map(outline).collect();
    match children.is_empty() {
        true => element.name().to_owned(),
        false => format!("{}({})", element.name(), children.join(",")),
    }
}

fn outline_of(bytes: &[u8]) -> String {
    outline(Tree::parse(bytes).unwrap().root())
}

#[test]
fn the_archive_has_exactly_the_expected_files() {
    for version in Version::ALL {
        let entries = entries(&written(version));
        let mut expected = vec!["bcf.version".to_owned(), "project.bcfp".to_owned()];
        for topic in topics() {
            expected.push(format!("{}/markup.bcf", topic.guid));
            if !topic.views.is_empty() {
                expected.push(format!("{}/viewpoint.bcfv", topic.guid));
                expected.push(format!("{}/snapshot.png", topic.guid));
            }
        }
        if version == Version::V3_0 {
            expected.push("extensions.xml".to_owned());
        }
        let names: Vec<&str> = entries.iter().map(|entry| &*entry.0).collect();
        assert_eq!(names, expected);
        let guid = topics()[0].guid;
        assert_eq!(entry(&entries, &format!("{guid}/snapshot.png")), b"\x89PNG and so on");
        let version_file = Tree::parse(entry(&entries, "bcf.version")).unwrap();
        assert_eq!(version_file.root().attribute("VersionId"), Some(version.number()));
    }
}

#[test]
fn elements_are_in_the_order_of_the_schemas() {
    let guid = topics()[0].guid;
    let camera = "CameraViewPoint(X,Y,Z),CameraDirection(X,Y,Z),CameraUpVector(X,Y,Z),FieldOfView";
    let component = "Component(OriginatingSystem,AuthoringToolId)";
    let selection = format!("Selection({component},{component}),Visibility");

    let old = entries(&written(Version::V2_1));
    assert_eq!(
        outline_of(entry(&old, &format!("{guid}/markup.bcf"))),
        "Markup(Header(File(Filename),File(Filename)),\
         Topic(Title,Priority,Labels,Labels,CreationDate,CreationAuthor,AssignedTo,Description),\
         Comment(Date,Author,Comment),Viewpoints(Viewpoint,Snapshot))"
    );
    assert_eq!(
        outline_of(entry(&old, &format!("{guid}/viewpoint.bcfv"))),
        format!(
            "VisualizationInfo(Components({selection},Coloring(Color({component}),\
             Color({component}))),PerspectiveCamera({camera}))"
        )
    );
    assert_eq!(
        outline_of(entry(&old, "project.bcfp")),
        "ProjectExtension(Project(Name),ExtensionSchema)"
    );

    let new = entries(&written(Version::V3_0));
    assert_eq!(
        outline_of(entry(&new, &format!("{guid}/markup.bcf"))),
        "Markup(Header(Files(File(Filename),File(Filename))),\
         Topic(Title,Priority,Labels(Label,Label),CreationDate,CreationAuthor,AssignedTo,Description,\
         Comments(Comment(Date,Author,Comment)),Viewpoints(ViewPoint(Viewpoint,Snapshot))))"
    );
    assert_eq!(
        outline_of(entry(&new, &format!("{guid}/viewpoint.bcfv"))),
        format!(
            "VisualizationInfo(Components({selection},Coloring(Color(Components({component})),\
             Color(Components({component})))),PerspectiveCamera({camera},AspectRatio))"
        )
    );
    assert_eq!(outline_of(entry(&new, "project.bcfp")), "ProjectInfo(Project(Name))");
    assert_eq!(
        outline_of(entry(&new, "extensions.xml")),
        "Extensions(TopicTypes(TopicType),TopicStatuses(TopicStatus,TopicStatus),\
         Priorities(Priority,Priority,Priority),\
         TopicLabels(TopicLabel,TopicLabel,TopicLabel,TopicLabel),Users(User,User),SnippetTypes,Stages)"
    );
    let gone = topics().pop().unwrap().guid;
    assert_eq!(
        outline_of(entry(&new, &format!("{gone}/markup.bcf"))),
        "Markup(Header(Files(File(Filename),File(Filename))),\
         Topic(Title,Priority,Labels(Label,Label),CreationDate,CreationAuthor))"
    );
}

#[test]
fn topics_and_their_views_belong_together() {
    for version in Version::ALL {
        let entries = entries(&written(version));
        for topic in &topics()[..7] {
            let markup =
                Tree::parse(entry(&entries, &format!("{}/markup.bcf", topic.guid))).unwrap();
            let view =
                Tree::parse(entry(&entries, &format!("{}/viewpoint.bcfv", topic.guid))).unwrap();
            let about = markup.root().child("Topic").unwrap();
            assert_eq!(about.attribute("Guid"), Some(&*topic.guid.to_string()));
            assert_eq!(about.attribute("TopicType"), Some("Clash"));
            assert_eq!(about.attribute("TopicStatus"), Some("Open"));
            let views = match version {
                Version::V2_1 => markup.root().child("Viewpoints").unwrap(),
                Version::V3_0 => about.child("Viewpoints").unwrap().child("ViewPoint").unwrap(),
            };
            assert_eq!(views.attribute("Guid"), view.root().attribute("Guid"));
            assert_ne!(views.attribute("Guid"), about.attribute("Guid"));
            let components = view.root().child("Components").unwrap();
            let colors: Vec<_> = components.child("Coloring").unwrap().children().collect();
            assert_eq!(colors[0].attribute("Color"), Some("FF000A"));
            assert_eq!(colors[1].attribute("Color"), Some("0080FF"));
            let ids = components.child("Selection").unwrap().children();
            let ids: Vec<_> = ids.map(|part| part.attribute("IfcGuid")).collect();
            let wall = topic.title.starts_with("wall").then_some("2O2Fr$t4X7Zf8NOew3FNr2");
            assert_eq!(ids, [wall, None]);
        }
    }
}

/// The XML reader of this crate ignores text, so the expected text is searched in the bytes.
#[test]
fn names_are_kept_as_far_as_xml_can_hold_them() {
    for version in Version::ALL {
        let entries = entries(&written(version));
        let shown = [
            "a&lt;b&gt;&amp;\"c\"'d'",
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            "]]&gt;",
            "line&#13;\nend\t.",
            "🦀 é \u{202e}",
        ];
        for (topic, name) in topics()[1..].iter().zip(shown) {
            let text = |file: &str| {
                let bytes = entry(&entries, &format!("{}/{file}", topic.guid));
                String::from_utf8(bytes.to_vec()).unwrap()
            };
            let markup = text("markup.bcf");
            assert!(markup.contains(&format!("<Title>{name} and plain</Title>")), "{markup}");
            let view = text("viewpoint.bcfv");
            assert!(view.contains(&format!("<AuthoringToolId>{name}</AuthoringToolId>")), "{view}");
            assert!(view.contains("<X>1.5</X>") && view.contains("<Z>1e-9</Z>"), "{view}");
            for c in markup.chars().chain(view.chars()) {
                assert!(!c.is_control() || c == '\n' || c == '\t', "{c:?}");
            }
        }
        // A blank name counts as no name.
        let blank = entry(&entries, &format!("{}/viewpoint.bcfv", topics()[6].guid));
        assert!(
            str::from_utf8(blank).unwrap().contains("<AuthoringToolId>(no name)</AuthoringToolId>")
        );
        let markup = entry(&entries, &format!("{}/markup.bcf", topics()[0].guid));
        assert!(
            str::from_utf8(markup)
                .unwrap()
                .contains("<CreationDate>2023-11-14T22:13:20Z</CreationDate>")
        );
    }
}

#[test]
fn the_same_topics_are_the_same_bytes() {
    for version in Version::ALL {
        assert_eq!(written(version), written(version));
    }
    assert_ne!(written(Version::V2_1), written(Version::V3_0));
    assert_eq!("3.0".parse(), Ok(Version::V3_0));
    assert!("2.0".parse::<Version>().unwrap_err().contains("2.1, 3.0"));
}

#[test]
fn numbers_are_written_as_in_xml() {
    let viewpoint = |x: f64| {
        let mut it = topics()[0].views[0].viewpoint.clone();
        it.position.x = x;
        let text = viewpoint::visualization(Version::V2_1, Guid::of(&[]), &it);
        let start = text.find("<X>").unwrap() + 3;
        text[start..].split('<').next().unwrap().to_owned()
    };
    for (value, text) in [
        (0.0, "0"),
        (-0.1, "-0.1"),
        (1e100, "1e100"),
        (-2.5e-7, "-2.5e-7"),
        (123_456.789, "123456.789"),
        (f64::INFINITY, "INF"),
        (f64::NAN, "NaN"),
    ] {
        assert_eq!(viewpoint(value), text);
    }
}

/// A topic with several views has files and GUIDs of its own for each of them.
#[test]
fn a_topic_may_have_several_views() {
    for version in Version::ALL {
        let mut topic = topic("a", "b", "x");
        let mut second = topic.views[0].clone();
        second.snapshot = None;
        second.viewpoint.components[0].0.ifc_guid = Some("not an id".to_owned());
        second.viewpoint.components[1].0.ifc_guid = Some("0$_9aZbYcXdWeVfUgThSiR".to_owned());
        topic.views.push(second);
        let (project, mut bytes) = (project(version), Vec::new());
        let mut writer = Writer::new(&project, &mut bytes).unwrap();
        writer.add(&topic).unwrap();
        writer.finish().unwrap();
        let entries = entries(&bytes);
        let view = |name: &str| {
            Tree::parse(entry(&entries, &format!("{}/{name}", topic.guid)))
                .unwrap()
                .root()
                .attribute("Guid")
                .unwrap()
                .to_owned()
        };
        assert_ne!(view("viewpoint.bcfv"), view("viewpoint-2.bcfv"));
        let second = entry(&entries, &format!("{}/viewpoint-2.bcfv", topic.guid));
        let text = String::from_utf8(second.to_vec()).unwrap();
        assert!(!text.contains("not an id") && text.contains("IfcGuid=\"0$_9aZbYcXdWeVfUgThSiR\""));
        let pictures = entries.iter().filter(|(name, _)| name.ends_with(".png")).count();
        assert_eq!(pictures, 1);
    }
}

/// Each topic has two entries, so this many need an archive of zip64.
#[test]
fn a_file_may_have_more_than_20_000_topics() {
    let (project, mut bytes) = (project(Version::V2_1), Vec::new());
    let mut writer = Writer::new(&project, &mut bytes).unwrap();
    let mut topic = topic("a", "b", "x");
    topic.views[0].snapshot = None;
    for number in 0..33_000 {
        topic.guid = Guid::of(&["topic", &number.to_string()]);
        writer.add(&topic).unwrap();
    }
    writer.finish().unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    assert_eq!(archive.len(), 2 + 2 * 33_000);
    let mut text = String::new();
    let name = format!("{}/markup.bcf", topic.guid);
    archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
    assert!(text.contains(&topic.guid.to_string()));
}

/// Writes files for a check with other tools, if `IMPINGE_BCF` names a folder.
#[test]
fn write_files_for_other_tools() {
    let Some(folder) = std::env::var_os("IMPINGE_BCF") else { return };
    for version in Version::ALL {
        let path = std::path::Path::new(&folder).join(format!("hostile-{version}.bcf"));
        std::fs::write(path, written(version)).unwrap();
    }
}
