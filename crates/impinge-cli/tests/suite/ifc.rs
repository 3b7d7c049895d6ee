//! Building models (IFC) through a program in the place of Python with IfcOpenShell.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Run, Soup, run::Finished};

const IFC: &str =
    "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n";

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn reals(reals: &[f64]) -> Vec<u8> {
    reals.iter().flat_map(|real| real.to_le_bytes()).collect()
}

/// Returns what IfcOpenShell would answer: two walls that reach into each other, on one storey, and a room.
fn building() -> Vec<u8> {
    let cube = Soup::cube([0.0; 3], 1.0);
    let faces: Vec<u32> = cube.faces.iter().flatten().map(|&corner| corner as u32).collect();
    let wall = |x: f64, name: &str, id: &str| {
        let place = [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.125, 0.0, 0.0, 1.0, 0.125 * x];
        [
            b"P".to_vec(),
            numbers(&[1, 0]),
            reals(&place),
            text(name),
            b"I".to_vec(),
            text(id),
            text("IfcWall"),
        ]
        .concat()
    };
    [
        b"IMPSTEP2".to_vec(),
        [b"G".to_vec(), numbers(&[u32::MAX]), text("house")].concat(),
        [b"G".to_vec(), numbers(&[0]), text("storey")].concat(),
        [b"M".to_vec(), numbers(&[cube.positions.len() as u32, cube.faces.len() as u32])].concat(),
        reals(cube.positions.as_flattened()),
        numbers(&faces),
        [numbers(&[1, cube.faces.len() as u32]), reals(&[0.001])].concat(),
        wall(0.0, "north", "2O2Fr$t4X7Zf8NOew3FLOH"),
        wall(0.5, "east", "2O2Fr$t4X7Zf8NOew3FLOI"),
        [b"L".to_vec(), text("IfcSpace"), numbers(&[1, 1]), text("hall")].concat(),
        b"E".to_vec(),
    ]
    .concat()
}

/// Runs `impinge clash` on a building with this script as Python.
fn clash(folder: &Folder, script: &str, arguments: &[&str]) -> Finished {
    // The shell writes the script: a file that this process has open for writing could not be run by another.
    let (python, body) = (folder.at("python"), folder.write("body", script));
    let write = format!("{{ echo '#!/bin/sh'; cat '{body}'; }} > '{python}'; chmod 755 '{python}'");
    let model = folder.write("house.ifc", IFC);
    let all = ["clash", &model].into_iter().chain(arguments.iter().copied());
    Run::after(&format!("{write}; export IMPINGE_PYTHON='{python}'"), all).finish()
}

#[test]
fn elements_are_checked() {
    let folder = Folder::new();
    folder.write("answer", building());
    let (answer, told) = (folder.at("answer"), folder.at("told"));
    // The script gets the file through its standard input.
    let script = format!("echo \"$3 $4\" > '{told}'; cat >> '{told}'; cat '{answer}'");
    let run =
        clash(&folder, &script, &["--json", "--tolerance", "2mm", "--ifc-include", "IfcSpace"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report = run.json();
    let clash = &report["clashes"][0];
    assert_eq!((&clash["a"], &clash["b"]), (&"north".into(), &"east".into()));
    assert_eq!((&clash["verdict"], &report["units"]), (&"penetrating".into(), &"m".into()));
    let left_out = "IfcOpeningElement,IfcVirtualElement,IfcSpatialZone";
    assert_eq!(folder.text("told"), format!("0.002 {left_out}\n{IFC}"));
}

#[test]
fn failures_are_one_line() {
    let folder = Folder::new();
    clash(&folder, "exit 3", &[]).refuses(&["house.ifc", "pip install ifcopenshell"]);
    clash(&folder, "echo 'no wall' >&2; exit 1", &[]).refuses(&["house.ifc", "no wall"]);
    clash(&folder, "echo hello", &[]).refuses(&["house.ifc", "is not understood"]);
    clash(&folder, "exit 3", &["--ifc-include", "IfcWall"]).refuses(&["`IfcWall` is not a class"]);
    let model = folder.write("house.ifc", IFC);
    let missing = "export IMPINGE_PYTHON=/no/such/python";
    Run::after(missing, ["clash", &model]).finish().refuses(&["/no/such/python", "pip install"]);
}
