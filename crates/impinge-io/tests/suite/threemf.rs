//! 3MF packages, which these tests write themselves: valid ones, and ones that are broken in every way.

#![allow(clippy::unwrap_used)]

use impinge::{generate::Random, glam::DVec3};
use impinge_io::{
    Assembly, Error,
    assembly::{LoadOptions, Unit, Up, read},
};
use std::{
    io::{Cursor, Write},
    path::Path,
};
use zip::{ZipWriter, write::SimpleFileOptions};

const RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/Metadata/thumbnail.png" Id="rel-2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
 <Relationship Target="/3D/main.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;

/// A tetrahedron with three corners at distance 1 from the origin.
const MESH: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3" pid="1"/></triangles></mesh>"#;

/// Returns a model with these resources and this build. `MESH` stands for the mesh.
fn model(unit: &str, resources: &str, build: &str) -> String {
    let text = format!(
        r#"<?xml version="1.0"?><model unit="{unit}" xml:lang="en-US" requiredextensions="p"
xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">
<metadata name="Title">Text</metadata><resources><basematerials id="99"/>
{resources}
</resources>
<build>{build}</build></model>"#
    );
    text.replace("MESH", MESH)
}

fn package(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn packed(model: &str) -> Vec<u8> {
    package(&[
        ("[Content_Types].xml", ""),
        ("_rels/.rels", RELATIONSHIPS),
        ("3D/main.model", model),
    ])
}

fn try_read(bytes: &[u8], options: &LoadOptions) -> Result<Assembly, Error> {
    read(bytes, Path::new("plate.3mf"), options)
}

fn read_model(text: &str) -> Assembly {
    try_read(&packed(text), &LoadOptions::default()).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    try_read(bytes, &LoadOptions::default()).unwrap_err().to_string()
}

fn full_names(assembly: &Assembly) -> Vec<String> {
    (0..assembly.parts.len()).map(|part| assembly.full_name(part)).collect()
}

const RESOURCES: &str = r#"<object id="1" name="pin" type="model">MESH</object>
<object id="2" partnumber="K-7"><components>
 <component objectid="1" p:UUID="c1"/>
 <component objectid="1" p:UUID="c2" transform="0 1 0 -1 0 0 0 0 1 10 20 30"/></components></object>
<object id="3">MESH</object>
<object id="4" name="strut" type="support">MESH</object>
<object id="5" name="spare">MESH</object>"#;

const BUILD: &str = r#"<item objectid="2" p:UUID="u1"/><item objectid="2" transform="1 0 0 0 1 0 0 0 1 100 0 0" p:UUID="u2"/>
<item objectid="1" p:UUID="u3" transform="-2 0 0 0 2 0 0 0 2 0 0 0"/><item objectid="3"/><item objectid="4"/>"#;

#[test]
fn items_and_components_are_parts() {
    let assembly = read_model(&model("millimeter", RESOURCES, BUILD));
    assert_eq!(
        full_names(&assembly),
        ["K-7/pin", "K-7/pin#2", "K-7/pin#3", "K-7/pin#4", "pin#5", "object 3"]
    );
    let ids: Vec<_> = assembly.parts.iter().map(|part| part.id.as_deref()).collect();
    assert_eq!(ids, [Some("u1/c1"), Some("u1/c2"), Some("u2/c1"), Some("u2/c2"), Some("u3"), None]);
    assert_eq!((assembly.units, assembly.up), (Some(Unit::Millimetre), Some(Up::Z)));
    // The meshes of both objects are equal; the mirrored part has its own.
    assert_eq!((assembly.groups.len(), assembly.meshes.len()), (2, 2));
    let at = |part: usize, point: DVec3| assembly.parts[part].placement.place(point);
    assert_eq!(at(0, DVec3::X), DVec3::X);
    assert_eq!(at(1, DVec3::X), DVec3::new(10.0, 21.0, 30.0), "rows, multiplied from the right");
    assert_eq!(at(3, DVec3::Y), DVec3::new(109.0, 20.0, 30.0));
    let mirrored = assembly.mesh(4).report();
    assert!(mirrored.is_closed && (mirrored.volume.unwrap() - 8.0 / 6.0).abs() < 1e-12);
    let placed = assembly.mesh(4).positions().iter().map(|&position| at(4, position));
    assert_eq!(placed.fold(f64::MAX, |least, position| least.min(position.x)), -2.0);
    let left_out: Vec<_> =
        assembly.left_out.iter().map(|of| (&*of.kind, of.count, &*of.names[0])).collect();
    assert_eq!(
        left_out,
        [
            ("3MF objects that are not in the build", 1, "spare"),
            ("3MF support structures", 1, "strut")
        ]
    );
}

#[test]
fn units_are_those_of_the_file() {
    for (unit, expected) in [
        ("micron", Unit::Micrometre),
        ("centimeter", Unit::Centimetre),
        ("inch", Unit::Inch),
        ("foot", Unit::Foot),
        ("meter", Unit::Metre),
    ] {
        let text = model(unit, r#"<object id="1">MESH</object>"#, r#"<item objectid="1"/>"#);
        let assembly = read_model(&text);
        assert_eq!((assembly.units, full_names(&assembly)), (Some(expected), vec!["plate".into()]));
        // The option for files without a unit does not apply.
        let options = LoadOptions::default().units(Unit::Millimetre).file_units(Unit::Inch);
        let converted = try_read(&packed(&text), &options).unwrap();
        let size = converted.mesh(0).bounds().max.x;
        assert_eq!(size, expected.to(Unit::Millimetre), "{unit}");
    }
    let text = model("yard", r#"<object id="1">MESH</object>"#, r#"<item objectid="1"/>"#);
    assert!(refused(&packed(&text)).contains("3D/main.model:1: `yard` is not a unit"));
}

#[test]
fn objects_may_be_in_other_entries_of_the_package() {
    let main = model(
        "millimeter",
        r#"<object id="1" name="kit"><components><component p:path="/3D/parts/A.model" objectid="7"/></components></object>"#,
        r#"<item objectid="1"/><item objectid="7" p:path="/3D/parts/A.model" p:UUID="u"/>"#,
    );
    let other = model("millimeter", r#"<object id="7" name="pin">MESH</object>"#, "");
    let entries = |other: &str| -> Vec<u8> {
        package(&[
            ("_rels/.rels", RELATIONSHIPS),
            ("3D/main.model", &main),
            ("3D/parts/a.model", other),
        ])
    };
    let assembly = try_read(&entries(&other), &LoadOptions::default()).unwrap();
    assert_eq!(full_names(&assembly), ["kit/pin", "pin#2"]);
    assert_eq!(assembly.parts[1].id.as_deref(), Some("u"));
    assert!(refused(&packed(&main)).contains("`/3D/parts/A.model` in the zip archive is missing"));
    let inches = refused(&entries(&other.replace("millimeter", "inch")));
    assert!(inches.contains("3D/parts/A.model: the unit is in"), "{inches}");
    let broken = refused(&entries(&other.replace("v1=\"1\"", "v1=\"9\"")));
    assert!(broken.contains("3D/parts/A.model:") && broken.contains("uses vertex 9"), "{broken}");
}

#[test]
fn packages_without_relationships_have_the_usual_model() {
    let text = model("millimeter", r#"<object id="1">MESH</object>"#, r#"<item objectid="1"/>"#);
    let bytes = package(&[("3D/3dmodel.model", &text)]);
    assert_eq!(try_read(&bytes, &LoadOptions::default()).unwrap().parts.len(), 1);
    assert!(refused(&package(&[("word/document.xml", "<a/>")])).contains("not a 3MF package"));
    // A prefix for the elements of the core, and another one for the extension.
    let prefixed =
        text.replace("xmlns=", "xmlns:c=").replace("xmlns:p", "xmlns:q").replace("\"p\"", "\"q\"");
    let mut prefixed = prefixed.replace("</", "</c:").replace("<?xml", "<#xml").replace('<', "<c:");
    prefixed = prefixed.replace("<c:#xml", "<?xml").replace("<c:/c:", "</c:");
    let bytes = package(&[("3D/3dmodel.model", &prefixed)]);
    assert_eq!(try_read(&bytes, &LoadOptions::default()).unwrap().parts.len(), 1);
}

#[test]
fn errors_name_the_place() {
    let one = |object: &str, build: &str| packed(&model("millimeter", object, build));
    let item = r#"<item objectid="1"/>"#;
    let mesh = r#"<object id="1">MESH</object>"#;
    for (bytes, expected) in [
        (one(mesh, ""), "plate.3mf: 3D/main.model: the build has no items"),
        (one(mesh, "<item/>"), "`objectid` of `item` is missing"),
        (one(mesh, r#"<item objectid="2"/>"#), "there is no object 2"),
        (one(mesh, r#"<item objectid="x"/>"#), "is `x`, not a whole number"),
        (one(mesh, r#"<item objectid="1" transform="1 2 3"/>"#), "`1 2 3` is not 12 numbers"),
        (
            one(&format!("{mesh}\n{mesh}"), item),
            "main.model:8: there are two objects with the id 1",
        ),
        (one(r#"<object id="1"/>"#, item), "main.model:5: the object has neither a mesh"),
        (
            one(&mesh.replace("MESH", &MESH.replace("v1=\"0\"", "v1=\"4\"")), item),
            "main.model:6: a triangle uses vertex 4",
        ),
        (one(&mesh.replace("MESH", &MESH.replace("x=\"1\"", "x=\"nan\"")), item), "main.model:5: "),
        (
            one(&mesh.replace("MESH", &MESH.replace(" x=\"1\"", "")), item),
            "`x` of `vertex` is missing",
        ),
        (one(&mesh.replace("MESH", "<mesh><vertices/><triangles/></mesh>"), item), "no triangles"),
        (
            one(
                r#"<object id="1"><components><component objectid="1"/></components></object>"#,
                item,
            ),
            "object 1 is a component of itself",
        ),
        (packed("<model>"), "main.model:1: `<model>` is never closed"),
        (packed("<other/>"), "the root element is `other`"),
        (package(&[("_rels/.rels", "<a")]), "_rels/.rels:1: "),
        (
            package(&[("_rels/.rels", RELATIONSHIPS)]),
            "`/3D/main.model` in the zip archive is missing",
        ),
        (b"PK".to_vec(), "damaged or incomplete"),
        (b"hello".to_vec(), "not a zip archive"),
        (Vec::new(), "empty"),
    ] {
        let message = refused(&bytes);
        assert!(message.contains(expected), "{message}, expected: {expected}");
        assert!(!message.contains('\n'), "{message}");
    }
    let needs = model("millimeter", mesh, item).replace("=\"p\"", "=\"p b\"").replace(
        "xmlns:p",
        "xmlns:b=\"http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02\" xmlns:p",
    );
    assert!(refused(&packed(&needs)).contains("beamlattice"), "{}", refused(&packed(&needs)));
    // With `keep_going`, only the broken object is left out.
    let broken = format!(r#"{mesh}<object id="2" name="bad"><mesh/></object>"#);
    let bytes = one(&broken, r#"<item objectid="2"/><item objectid="1"/>"#);
    assert!(refused(&bytes).contains("has no `vertices`"));
    let kept = try_read(&bytes, &LoadOptions::default().keep_going(true)).unwrap();
    assert_eq!((kept.parts.len(), &*kept.skipped[0].name), (1, "bad"));
}

/// Objects of ten components each, ten levels deep, would be ten billion parts.
#[test]
fn small_files_cannot_place_very_many_parts() {
    let mut resources = String::from(r#"<object id="1">MESH</object>"#);
    for id in 2..12 {
        let component = format!(r#"<component objectid="{}"/>"#, id - 1);
        let components = component.repeat(10);
        resources +=
            &format!(r#"<object id="{id}"><components>{components}</components></object>"#);
    }
    let bytes = packed(&model("millimeter", &resources, r#"<item objectid="11"/>"#));
    assert!(refused(&bytes).contains("too many for a file of this size"));
    // A chain of components, each within the next.
    let mut resources = String::from(r#"<object id="1">MESH</object>"#);
    for id in 2..1000 {
        let component = format!(r#"<components><component objectid="{}"/></components>"#, id - 1);
        resources += &format!(r#"<object id="{id}">{component}</object>"#);
    }
    let bytes = packed(&model("millimeter", &resources, r#"<item objectid="999"/>"#));
    assert!(refused(&bytes).contains("nested more than 100 levels deep"));
}

#[test]
fn damaged_packages_are_errors_or_packages() {
    let bytes = packed(&model("millimeter", RESOURCES, BUILD));
    for length in 0..bytes.len() {
        assert!(try_read(&bytes[..length], &LoadOptions::default()).is_err(), "{length}");
    }
    let text = model("millimeter", RESOURCES, BUILD);
    let mut errors = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mut text = text.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len() as u64) as usize;
            text[at] = b" <>\"'/=09-.&ax"[random.below(14) as usize];
        }
        let text = String::from_utf8_lossy(&text);
        errors += u32::from(try_read(&packed(&text), &LoadOptions::default()).is_err());
    }
    assert!((500..2000).contains(&errors), "{errors}");
}
