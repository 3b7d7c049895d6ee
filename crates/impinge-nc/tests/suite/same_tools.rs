//! The same tool, written in other ways: specifications, tables, tool files, CAMotics files, meshes on disk.

use crate::data::data;
use impinge::{glam::DVec3, solid::RoundedDisc};
use impinge_nc::{
    TipShape, Tool, ToolTable, Tools,
    tool::{self, load},
};
use std::{fs, path::PathBuf};

fn discs(tool: &Tool) -> Vec<Vec<RoundedDisc>> {
    tool.parts.iter().map(|part| part.solid.discs().to_vec()).collect()
}

fn spec(text: &str, factor: f64) -> Vec<Vec<RoundedDisc>> {
    discs(&Tool::from_spec(text, factor).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn table(text: &str, name: &str, factor: f64) -> Vec<Vec<RoundedDisc>> {
    let table = ToolTable::read(text, name, factor).unwrap_or_else(|error| panic!("{error}"));
    discs(&table.tools[&1])
}

/// CAMotics states other lengths, from which the same ones are computed with a rounding error.
fn assert_same(found: &[Vec<RoundedDisc>], expected: &[Vec<RoundedDisc>]) {
    let flat = |discs: &[Vec<RoundedDisc>]| -> Vec<f64> {
        discs.iter().flatten().flat_map(|disc| [disc.height, disc.radius, disc.rounding]).collect()
    };
    let (found, expected) = (flat(found), flat(expected));
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-15 * b.abs().max(10.0), "{found:?} {expected:?}");
    }
}

#[test]
fn the_same_tool_has_the_same_discs() {
    let camotics = |shape: &str, units: &str, diameter: f64, length: f64| {
        format!(
            r#"{{"1": {{"units": "{units}", "shape": "{shape}", "length": {length},
                "diameter": {diameter}, "description": ""}}}}"#
        )
    };
    let ball = spec("ball:d=6.35,length=25.4", 1.0);
    assert_eq!(spec("ball:d=0.25,length=1", 25.4), ball);
    assert_eq!(table("[tool.1]\nspec='ball:d=6.35,length=25.4'", "t.toml", 1.0), ball);
    assert_eq!(table("[tool.1]\nspec='ball:d=0.25,length=1'", "t.toml", 25.4), ball);
    assert_eq!(table("unit='inch'\n[tool.1]\nspec='ball:d=0.25,length=1'", "t.toml", 1.0), ball);
    assert_eq!(table("T1 D.25 ;ball:d=0.25,length=1", "t.tbl", 25.4), ball);
    assert_same(&table(&camotics("ballnose", "imperial", 0.25, 0.875), "t.json", 1.0), &ball);
    assert_same(&table(&camotics("ballnose", "metric", 6.35, 22.225), "t.json", 25.4), &ball);

    let flat = spec("flat:d=6.35,length=25.4", 1.0);
    assert_eq!(table(&camotics("cylindrical", "imperial", 0.25, 1.0), "t.json", 1.0), flat);
    assert_eq!(table("T1 D.25 ;flat:d=0.25,length=1", "t.tbl", 25.4), flat);

    let endless = spec("ball:d=6.35", 1.0);
    assert_eq!(table("T1 P1 D0.25 ;ball end mill", "t.tbl", 25.4), endless);
    assert_eq!(table("T1 P1 D6.35 ;6.35 ball", "t.tbl", 1.0), endless);

    // A bull-nose mill whose corner is half its diameter is a ball-end mill, and without a corner it is flat.
    assert_eq!(spec("bull:d=6.35,r=3.175,length=25.4", 1.0), ball);
    assert_eq!(spec("bull:d=6.35,r=0,length=25.4", 1.0), flat);

    // A cone of 45 degrees ends at half its diameter.
    let cone = spec("cone:d=6,angle=45,length=3", 1.0);
    let other = table(&camotics("conical", "metric", 6.0, 3.0), "t.json", 1.0);
    assert_same(&other, &cone);
}

/// A folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder for test files");
    folder
}

#[test]
fn whatever_a_user_names_is_loaded() {
    let folder = folder("nc-load");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    // A square pole of side 2 and height 10 that starts at height 5.
    let obj = "v 1 1 5\nv -1 1 5\nv -1 -1 5\nv 1 -1 5\nv 1 1 15\nv -1 1 15\nv -1 -1 15\nv 1 -1 15\n\
               f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let mesh = write("pole.obj", obj);
    let one = |text: &str, factor: f64| match load(text, factor) {
        Ok(Tools::One(tool)) => *tool,
        other => panic!("{text}: {other:?}"),
    };
    let pole = one(&mesh, 1.0);
    assert_eq!((pole.shape, pole.length), (TipShape::Mesh, Some(10.0)));
    assert!((pole.diameter - 8f64.sqrt()).abs() < 1e-9, "{}", pole.diameter);
    let held = one(&format!("{mesh}:length=4,holder=20:15"), 2.0);
    assert_eq!((held.length, held.overall_length()), (Some(8.0), Some(50.0)));
    assert_eq!(held.parts.len(), 3);
    assert_eq!(one("ball:d=6", 1.0), Tool::from_spec("ball:d=6", 1.0).unwrap());

    let file =
        write("tools.toml", "[tool.1]\nspec='pole.obj:holder=8:2'\n[tool.2]\nspec='flat:d=3'\n");
    let tools = load(&file, 1.0).unwrap();
    assert_eq!(tools.get(1).unwrap().overall_length(), Some(12.0));
    assert_eq!(tools.get(2).unwrap().diameter, 3.0);
    assert_eq!(tools.get(3), None);

    let messages = [
        ("bal:d=6".to_string(), "bal:d=6: `bal` is no shape".to_string()),
        (format!("{mesh}:length=40"), format!("{mesh}: the length of the cutter is 40 mm")),
        (format!("{mesh}:length=4,d=3"), format!("{mesh}: mesh has no key `d`")),
        (format!("{mesh}x"), format!("{mesh}x: ")),
        (write("a.txt", "hello"), folder.join("a.txt").to_str().unwrap().to_string()),
        (
            write("b.toml", "[tool.1]\nspec='no.stl'"),
            folder.join("b.toml:2:6: ").to_str().unwrap().into(),
        ),
        (
            write("c.toml", "[tool.1]\nspec='no'"),
            folder.join("c.toml:2:6: `no` is").to_str().unwrap().into(),
        ),
    ];
    for (text, expected) in messages {
        let message = load(&text, 1.0).expect_err(&text).to_string();
        assert!(message.starts_with(&expected), "{text}: {message}");
    }
}

#[test]
fn real_camotics_projects_are_read() {
    let Some(data) = data() else { return };
    let load =
        |name: &str| match tool::load(data.join("cnc/gcode").join(name).to_str().unwrap(), 1.0) {
            Ok(Tools::Table(table)) => table,
            other => panic!("{name}: {other:?}"),
        };
    let bear = load("bear.camotics");
    assert_eq!(bear.tools.len(), 1);
    assert_same(&discs(&bear.tools[&1]), &spec("ball:d=3.175,length=26.9875", 1.0));
    let stock = bear.stock.unwrap();
    assert_eq!((stock.min, stock.max), (DVec3::new(0.0, 0.0, -20.0), DVec3::new(80.0, 80.0, 0.0)));
    assert!(bear.notes.is_empty());

    let flower = load("flower_mold.camotics");
    assert_eq!(discs(&flower.tools[&1]), spec("flat:d=1,length=10", 1.0));

    let wave = load("wave.camotics");
    let shapes: Vec<_> = wave.tools.values().map(|tool| tool.shape.name()).collect();
    assert_eq!(shapes, ["cone", "flat", "ball"]);
    let TipShape::Cone { half_angle, .. } = wave.tools[&1].shape else { unreachable!() };
    assert!((half_angle - 22.5).abs() < 1e-4, "{half_angle}");
}
