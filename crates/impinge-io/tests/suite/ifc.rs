//! Building models (IFC), read with IfcOpenShell. The tests run on real files, if IMPINGE_DATA names them and Python
//! has the module `ifcopenshell`; otherwise they say so. The tests of the command use a program in its place.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use impinge::{clash::Tessellation, glam::DVec3};
use impinge_io::{
    Assembly,
    assembly::{LoadOptions, Unit, Up, load},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// Returns the folder of the data, if the tests can run.
fn data() -> Option<PathBuf> {
    let python = std::env::var_os("IMPINGE_PYTHON").unwrap_or_else(|| "python3".into());
    let imports = Command::new(python).args(["-c", "import ifcopenshell.geom"]).output();
    if !imports.is_ok_and(|output| output.status.success()) {
        println!("IfcOpenShell cannot be imported: the tests on building models were left out");
        return None;
    }
    let data = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty());
    if data.is_none() {
        println!("IMPINGE_DATA is not set: the tests on building models were left out");
    }
    Some(Path::new(&data?).join("ifc"))
}

fn left_out(assembly: &Assembly) -> Vec<(&str, usize)> {
    assembly.left_out.iter().map(|of| (&*of.kind, of.count)).collect()
}

#[test]
fn elements_are_parts_with_names_classes_and_storeys() {
    let Some(data) = data() else { return };
    let file = data.join("Building-Architecture.ifc");
    let assembly = load([&file], &LoadOptions::default()).unwrap();
    assert_eq!((assembly.units, assembly.up), (Some(Unit::Metre), Some(Up::Z)));
    assert!(assembly.parts.iter().all(|part| part.id.as_ref().is_some_and(|id| id.len() == 22)));
    let floor = assembly.parts.iter().position(|part| part.name == "floor").unwrap();
    let part = &assembly.parts[floor];
    assert_eq!(
        (part.id.as_deref(), part.class.as_deref()),
        (Some("3zR0BOEcLADRKln4HYporH"), Some("IfcSlab"))
    );
    assert_eq!(
        assembly.full_name(floor),
        "environment - site/house - site/Single-family house/00 groundfloor/floor"
    );
    assert_eq!(part.tessellation, Tessellation::Uniform(0.0), "a slab is flat");
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for part in &assembly.parts {
        *classes.entry(part.class.as_deref().unwrap()).or_default() += 1;
    }
    assert_eq!((classes.get("IfcWall"), classes.get("IfcSpace")), (Some(&4), None));
    let spaces = left_out(&assembly).into_iter().find(|(kind, _)| *kind == "IfcSpace");
    assert_eq!(spaces, Some(("IfcSpace", 2)), "{:?}", left_out(&assembly));
    // Spaces are parts if requested, and all other parts stay.
    let with = load([&file], &LoadOptions::default().ifc_include("ifcspace")).unwrap();
    assert_eq!(with.parts.len(), assembly.parts.len() + 2);
    assert!(!left_out(&with).iter().any(|(kind, _)| *kind == "IfcSpace"));
    // In millimetres, with the same bits each time.
    let mm = LoadOptions::default().units(Unit::Millimetre);
    let [once, again] = [load([&file], &mm).unwrap(), load([&file], &mm).unwrap()];
    assert_eq!(once.parts, again.parts);
    let size = |assembly: &Assembly| assembly.mesh(floor).bounds().size();
    assert!(size(&once).distance(size(&assembly) * 1000.0) < 1e-6);
}

/// The same buildings as triangles of another program, in one OBJ file each.
#[test]
fn elements_are_where_another_program_puts_them() {
    let Some(data) = data() else { return };
    for name in ["Building-Architecture", "Building-Hvac", "Building-Structural"] {
        let ifc = LoadOptions::default().ifc_include("IfcSpace").ifc_include("IfcSpatialZone");
        let ifc = load([data.join(name).with_extension("ifc")], &ifc).unwrap();
        let obj = load([data.join(name).with_extension("obj")], &LoadOptions::default()).unwrap();
        let bounds = |assembly: &Assembly| {
            let (mut min, mut max) = (DVec3::MAX, DVec3::MIN);
            for (number, part) in assembly.parts.iter().enumerate() {
                for corner in assembly.mesh(number).triangles().flatten() {
                    let corner = part.placement.place(corner);
                    (min, max) = (min.min(corner), max.max(corner));
                }
            }
            (min, max)
        };
        let (ours, theirs) = (bounds(&ifc), bounds(&obj));
        println!(
            "{name}: {} parts, {ours:?}; OBJ: {} parts, {theirs:?}",
            ifc.parts.len(),
            obj.parts.len()
        );
        assert!(ours.0.distance(theirs.0) < 2e-3 && ours.1.distance(theirs.1) < 2e-3, "{name}");
        // The other program has left out triangles without area, which close bodies.
        for (number, part) in ifc.parts.iter().enumerate() {
            let report = ifc.mesh(number).report();
            let open = report.open_edges.len();
            assert_eq!(open, 0, "{name}: {} has {open} open edges", part.name);
        }
    }
}
