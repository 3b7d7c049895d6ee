//! STEP files, read through `impinge-step`, which contains OpenCASCADE. `cargo xtask test` builds it and runs
//! these tests; without it they are not run and are counted as ignored.
//!
//! OpenCASCADE has written the files in `samples-step` for these tests: `machine` (AP214, millimetres) is an
//! assembly with a sub-assembly that is placed twice, `inch` (AP203, inches) is a block of 1 × 2 × 3, `bodies`
//! (AP242, metres) is one product of two blocks and an open shell.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::folder::Folder;
use impinge::{Mesh, clash::Tessellation, generate::Random, glam::DVec3};
use impinge_io::{
    Assembly, Error,
    assembly::{LoadOptions, Unit, load, read},
};
use std::{
    f64::consts::PI,
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const MACHINE: &str = include_str!("../samples-step/machine.step");
const INCH: &str = include_str!("../samples-step/inch.step");
const BODIES: &str = include_str!("../samples-step/bodies.step");

/// The time limit for a small file, valid or not, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Fails if the path of the program is not set: a test that does nothing must not pass.
fn program() -> std::ffi::OsString {
    std::env::var_os("IMPINGE_STEP").expect("IMPINGE_STEP names the program that reads STEP")
}

fn try_read(text: impl AsRef<[u8]>, options: &LoadOptions) -> Result<Assembly, Error> {
    program();
    let start = Instant::now();
    let options = options.clone().time_limit(TIME_LIMIT);
    let result = read(text.as_ref(), Path::new("sample.step"), &options);
    assert!(start.elapsed() < TIME_LIMIT, "reading took {:?}", start.elapsed());
    if let Err(error) = &result {
        assert_eq!(error.path, Path::new("sample.step"));
        assert!(!error.message.contains('\n') && !error.message.is_empty(), "{error}");
    }
    result
}

fn read_step(text: &str) -> Assembly {
    try_read(text, &LoadOptions::default()).unwrap()
}

fn refused(text: impl AsRef<[u8]>) -> String {
    try_read(text, &LoadOptions::default()).unwrap_err().message
}

fn full_names(assembly: &Assembly) -> Vec<String> {
    (0..assembly.parts.len()).map(|part| assembly.full_name(part)).collect()
}

/// Returns the kind, the exact volume and the area of every body, as the program measures them.
fn measured(file: &[u8]) -> Vec<(String, f64, f64)> {
    let mut command = Command::new(program());
    command.arg("--measure").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(file).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        (words[0].to_owned(), words[1].parse().unwrap(), words[2].parse().unwrap())
    };
    text.lines().map(line).collect()
}

/// Checks that a mesh is closed, and that its volume is as close to the exact one as the tolerance implies.
fn assert_solid(mesh: &Mesh, volume: f64, area: f64, tolerance: f64, what: &str) {
    let report = mesh.report();
    assert!(report.is_closed, "{what}: {} open edges", report.open_edges.len());
    assert!(report.misoriented_edges.is_empty(), "{what}");
    let found = report.volume.unwrap();
    let off = (found - volume).abs();
    assert!(off <= area * tolerance + 1e-9 * volume, "{what}: {found} instead of {volume}");
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn assemblies_come_with_names_and_places() {
    let assembly = read_step(MACHINE);
    assert_eq!(
        full_names(&assembly),
        [
            "machine/plate",
            "machine/stand/post",
            "machine/stand/ball",
            "machine/stand/post#2",
            "machine/stand/ball#2",
            "machine/Kegel ä",
            "machine/ring"
        ]
    );
    assert_eq!(assembly.units, Some(Unit::Millimetre));
    assert_eq!(assembly.groups.len(), 3);
    assert_eq!(assembly.meshes.len(), 5, "instances share a mesh");
    let at = |part: usize, point: DVec3| assembly.parts[part].placement.place(point);
    assert_eq!(at(1, DVec3::ZERO), DVec3::new(-40.0, 0.0, 0.0));
    assert_eq!(at(2, DVec3::ZERO), DVec3::new(-40.0, 0.0, 47.0));
    assert!(at(4, DVec3::X).distance(DVec3::new(40.0, 1.0, 47.0)) < 1e-12, "the part is rotated");
    let turned = DVec3::new(1.0_f64.cos(), 1.0_f64.sin(), 60.0);
    assert!(at(6, DVec3::X).distance(turned) < 1e-12);

    // Seams, poles and the tip of a cone: each mesh must be closed, with normals outward.
    let solids = [
        (0, 60_000.0 - PI * 360.0, 15_200.0 + 2.0 * PI * (60.0 - 36.0), 100.0),
        (1, PI * 1000.0, PI * 450.0, 41.0),
        (2, PI * 512.0 * 4.0 / 3.0, PI * 256.0, 28.0),
        (5, PI * 500.0, PI * 100.0 * (1.0 + 3.25_f64.sqrt()), 32.0),
        (6, 2.0 * PI * PI * 320.0, 4.0 * PI * PI * 80.0, 69.0),
    ];
    for (part, volume, area, size) in solids {
        let tolerance = f64::min(0.1, size / 1000.0);
        let name = &assembly.parts[part].name;
        assert_solid(assembly.mesh(part), volume, area, tolerance, name);
        let report = assembly.mesh(part).report();
        assert_eq!(report.vertices, report.distinct_positions, "{name}: faces share vertices");
    }

    let metres = try_read(MACHINE, &LoadOptions::default().units(Unit::Metre)).unwrap();
    assert_eq!(metres.units, Some(Unit::Metre));
    let volume = metres.mesh(1).report().volume.unwrap();
    assert!((volume * 1e9 - assembly.mesh(1).report().volume.unwrap()).abs() < 1e-6, "{volume}");
    assert!(metres.parts[1].placement.translation().distance(DVec3::X * -0.04) < 1e-15);
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn files_in_any_unit_are_converted_to_millimetres() {
    let assembly = read_step(INCH);
    assert_eq!(full_names(&assembly), ["brick"]);
    assert_eq!(assembly.units, Some(Unit::Millimetre));
    let bounds = assembly.mesh(0).bounds();
    assert_eq!(bounds.min, DVec3::ZERO);
    assert!(bounds.max.distance(DVec3::new(25.4, 50.8, 76.2)) < 1e-12, "{}", bounds.max);
    assert_eq!(assembly.mesh(0).faces().len(), 12);
    let inches = try_read(INCH, &LoadOptions::default().units(Unit::Inch)).unwrap();
    let bounds = inches.mesh(0).bounds();
    assert!(bounds.max.distance(DVec3::new(1.0, 2.0, 3.0)) < 1e-13, "{}", bounds.max);
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn a_product_of_several_bodies_is_a_sub_assembly() {
    let assembly = read_step(BODIES);
    assert_eq!(full_names(&assembly), ["kit/kit/1", "kit/kit/2", "kit/kit/3"]);
    let kinds: Vec<_> = measured(BODIES.as_bytes()).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["solid", "solid", "surface"]);
    assert_solid(assembly.mesh(0), 1000.0, 600.0, 0.0, "kit/1");
    assert_solid(assembly.mesh(1), 125.0, 150.0, 0.0, "kit/2");
    let shell = assembly.mesh(2).report();
    assert_eq!((shell.is_closed, shell.faces, shell.open_edges.len()), (false, 10, 4));
    // Bodies keep their own names, if they have any.
    let mut named = BODIES.to_owned();
    for name in ["block", "cube"] {
        named =
            named.replacen("MANIFOLD_SOLID_BREP('',", &format!("MANIFOLD_SOLID_BREP('{name}',"), 1);
    }
    assert_eq!(full_names(&read_step(&named)), ["kit/block", "kit/cube", "kit/kit/3"]);
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn files_and_folders() {
    program();
    let folder = Folder::new("step");
    folder.write("b/machine.STP", MACHINE);
    folder.write("a.step", INCH);
    folder.write("c.p21", INCH.replace("'brick'", "''"));
    let assembly = load([&folder.0], &LoadOptions::default()).unwrap();
    let names = full_names(&assembly);
    // A file with one part is that part; if the part has no name, it takes the name of the file.
    assert_eq!((&*names[0], &*names[1]), ("brick", "b/machine/machine/plate"));
    assert_eq!((names.len(), &*names[8]), (9, "c"));
    assert_eq!(assembly.meshes.len(), 6, "equal meshes are shared");
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn triangles_keep_to_the_tolerance() {
    // The distance of a point from the true surface; flat ends are left out.
    let post = |p: DVec3| {
        if (1e-9..40.0 - 1e-9).contains(&p.z) { p.truncate().length() - 5.0 } else { 0.0 }
    };
    let ball = |p: DVec3| p.length() - 8.0;
    let cone = |p: DVec3| match p.z < 1e-9 {
        true => 0.0,
        false => (p.truncate().length() - 10.0 + p.z / 1.5) * 1.5 / 3.25_f64.sqrt(),
    };
    let ring = |p: DVec3| DVec3::new(p.truncate().length() - 20.0, p.z, 0.0).length() - 4.0;
    let shapes: [(usize, &dyn Fn(DVec3) -> f64); 4] =
        [(1, &post), (2, &ball), (5, &cone), (6, &ring)];

    let mut before = 0;
    for tolerance in [1e-3, 3e-4, 1e-4, 3e-5, 1e-5] {
        let assembly = try_read(MACHINE, &LoadOptions::default().tolerance(tolerance)).unwrap();
        for (part, off) in shapes {
            let (mesh, name) = (assembly.mesh(part), &assembly.parts[part].name);
            let vertices = mesh.positions().iter().map(|&p| off(p).abs()).fold(0.0, f64::max);
            assert!(vertices < 1e-9, "{name}: a vertex is off by {vertices}");
            let mut furthest = 0.0;
            for [a, b, c] in mesh.triangles() {
                for (u, v) in (0..=8).flat_map(|u| (0..=8 - u).map(move |v| (u, v))) {
                    let (u, v) = (f64::from(u) / 8.0, f64::from(v) / 8.0);
                    furthest = off(a + (b - a) * u + (c - a) * v).abs().max(furthest);
                }
            }
            let share = furthest / tolerance / 1000.0;
            println!("{name} at {tolerance} m: {} faces, {share} of it", mesh.faces().len());
            assert!(share <= 1.0, "{name} at {tolerance}: {furthest} mm");
            assert!(mesh.report().is_closed, "{name} at {tolerance}");
        }
        assert!(assembly.face_count() >= before);
        before = assembly.face_count();
    }
    assert!(before > 20_000, "the finest tolerance gives too few triangles: {before}");
}

/// Only the triangles of curved surfaces are approximate, in the unit of the assembly.
#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn planes_are_exact_and_curved_surfaces_within_the_tolerance() {
    let options = LoadOptions::default().tolerance(2e-5).units(Unit::Metre).scale(10.0);
    let assembly = try_read(MACHINE, &options).unwrap();
    let part = |name: &str| {
        let number = assembly.parts.iter().position(|part| part.name == name).unwrap();
        (&assembly.parts[number].tessellation, assembly.mesh(number))
    };
    assert_eq!(part("ball").0, &Tessellation::Uniform(2e-5 * 10.0));
    assert_eq!(part("ring").0, &Tessellation::Uniform(2e-5 * 10.0));
    let (Tessellation::Faces(distances), post) = part("post") else {
        panic!("{:?}", part("post").0)
    };
    assert_eq!(distances.len(), post.faces().len());
    for (&distance, [a, b, c]) in distances.iter().zip(post.triangles()) {
        let is_flat = a.z == b.z && b.z == c.z;
        assert_eq!(distance, if is_flat { 0.0 } else { 2e-4 }, "{a} {b} {c}");
    }
    assert!(distances.contains(&0.0) && distances.contains(&2e-4));
    // A block has no curved face; a plate with a hole has a few.
    let block = try_read(INCH, &options).unwrap();
    assert_eq!(block.parts[0].tessellation, Tessellation::Uniform(0.0));
    let (Tessellation::Faces(distances), _) = part("plate") else { panic!("a plate with a hole") };
    assert!(distances.contains(&0.0) && distances.contains(&2e-4));
    // Without a tolerance: 0.1 mm, for small bodies a thousandth of their size. Files of other formats in the same
    // assembly stay exact, and so do the coordinates in millimetres.
    let small = read_step(MACHINE);
    let Tessellation::Uniform(distance) = small.parts[2].tessellation else { panic!() };
    assert!((0.025..0.03).contains(&distance), "{distance}");
}

/// A plane that is written as a free-form surface is still a plane.
#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn free_form_planes_are_planes() {
    let number = |entity: &str| entity.split(' ').next().unwrap().to_owned();
    let plane = entities(INCH, "PLANE")[0];
    let own = number(plane);
    // The block is 1 × 2 × 3 inches from the origin, and its first plane is x = 0.
    let point =
        |at: usize, y: i32, z: i32| format!("#{at} = CARTESIAN_POINT('',(0.,{y}.,{z}.));\n");
    let patch = |lift: &str| {
        let points = [point(9001, -9, -9), point(9002, -9, 9), point(9003, 9, -9)];
        format!(
            "{own} = B_SPLINE_SURFACE_WITH_KNOTS('',1,1,((#9001,#9002),(#9003,#9004)),.UNSPECIFIED.,.F.,.F.,.F.,\
             (2,2),(2,2),(0.,1.),(0.,1.),.UNSPECIFIED.);\n{}#9004 = CARTESIAN_POINT('',({lift},9.,9.));\n",
            points.concat()
        )
    };
    let flat = try_read(INCH.replace(plane, &patch("0.")), &LoadOptions::default());
    let flat = flat.unwrap();
    assert_eq!(flat.parts[0].tessellation, Tessellation::Uniform(0.0));
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn the_same_file_gives_the_same_meshes() {
    let (once, again) = (read_step(MACHINE), read_step(MACHINE));
    assert_eq!(once.parts, again.parts);
    assert!(once.meshes.iter().zip(&again.meshes).all(|(a, b)| a == b));
}

/// Returns the entities of this type, each with its number.
fn entities<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let all = text.split_inclusive(";\n").filter(|entity| entity.starts_with('#'));
    all.filter(|entity| entity.contains(&format!("= {kind}("))).collect()
}

/// OpenCASCADE continues without entities that it does not understand; this reader must not.
#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn lost_entities_are_always_reported() {
    let keep = LoadOptions::default().keep_going(true);
    let lost = |text: &str, name: &str, why: &str, parts: usize| {
        let message = refused(text);
        assert!(message.contains(why) && message.contains(name), "{message}");
        let assembly = try_read(text, &keep).unwrap();
        assert_eq!(assembly.parts.len(), parts, "{:?}", full_names(&assembly));
        let skipped = &assembly.skipped[0];
        assert!(skipped.name.contains(name) && skipped.error.message.contains(why), "{skipped:?}");
    };

    // Without the placement of a part, that part is lost and the others are kept.
    let places = entities(MACHINE, "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION");
    assert_eq!(places.len(), 7);
    for (place, (why, left)) in places.iter().zip([
        ("place", 6),
        ("place", 5),
        ("place", 5),
        ("place", 5),
        ("place", 5),
        ("place", 6),
        ("place", 6),
    ]) {
        lost(&MACHINE.replace(place, ""), "", why, left);
    }

    // A face with the boundary of another face, and a face with an invalid surface.
    let swapped =
        INCH.replace("(#120),#136,", "(#120),#148,").replace("(#142),#148,", "(#142),#136,");
    let brick = &swapped.replace("'brick'", "'slab'");
    assert!(refused(brick).contains("`slab`: 2 of its 6 faces cannot be cut into triangles"));
    let plane = entities(MACHINE, "SPHERICAL_SURFACE")[0];
    let flat = MACHINE.replace(plane, &plane.replace(",8.)", ",0.)"));
    lost(&flat, "ball", "faces cannot be", 5);

    // A solid that belongs to no product, and a solid of triangles.
    let with = |more: &str| INCH.replace("ENDSEC;\nEND-ISO", &format!("{more}ENDSEC;\nEND-ISO"));
    let solid = entities(INCH, "MANIFOLD_SOLID_BREP")[0];
    let spare = with(&format!("#9000 {}", solid.split_once(' ').unwrap().1));
    lost(&spare, "MANIFOLD_SOLID_BREP #9000", "cannot be built", 1);
    let triangles = with(
        "#9000 = TESSELLATED_SOLID('',(#9001),$);\n\
         #9001 = TRIANGULATED_FACE('',#9002,3,$,$,(1,2,3),());\n\
         #9002 = COORDINATES_LIST('',3,((0.,0.,0.),(1.,0.,0.),(0.,1.,0.)));\n",
    );
    lost(&triangles, "TESSELLATED_SOLID #9000", "tessellated", 1);
    // Triangles that only repeat the exact solid are not a loss.
    let exact = solid.split_once(' ').unwrap().0;
    assert_eq!(
        read_step(&triangles.replace("(#9001),$", &format!("(#9001),{exact}"))).parts.len(),
        1
    );
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn invalid_files_are_errors() {
    for length in (0..INCH.len()).step_by(97) {
        refused(&INCH[..length]);
    }
    // The end mark is there, but the file is truncated before it.
    let end = "ENDSEC;\nEND-ISO-10303-21;\n";
    for length in (0..INCH.len() - end.len()).step_by(397) {
        refused(format!("{}{end}", &INCH[..length]));
    }
    let mut random = Random::new(1);
    let noise: Vec<u8> = (0..50_000).map(|_| random.below(256) as u8).collect();
    refused(&noise);
    refused([b"ISO-10303-21;", &noise[..], end.as_bytes()].concat());
    // References to an entity of the wrong type, or to a missing one.
    let message = refused(INCH.replacen("PLANE('',#", "PLANE('',#1", 1));
    assert!(
        message.contains("Unresolved Reference") || message.contains("illegal type"),
        "{message}"
    );
    let face = entities(INCH, "ADVANCED_FACE")[0];
    let number = face.split(' ').next().unwrap();
    let wrong = face.rsplit_once("),#").unwrap().0;
    let message = refused(INCH.replace(face, &format!("{wrong}),#4,.T.);\n")));
    assert!(message.starts_with(&format!("{number}, ADVANCED_FACE")), "{message}");
    assert!(message.contains("illegal type"), "{message}");
    // Nested deep enough to overflow any stack.
    let deep = format!("#9000=A({}{});\n{end}", "(".repeat(1 << 20), ")".repeat(1 << 20));
    let message = refused(INCH.replace(end, &deep));
    assert!(message.contains("signal"), "{message}");
    // Parts in other files.
    let other = "#9000=DOCUMENT_FILE('other.stp','',$,#9001,'',$);\n#9001=DOCUMENT_TYPE('');\n\
        #9002=APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT('other.stp',#9003,#9004,(#9000));\n\
        #9003=IDENTIFICATION_ROLE('external document id and location',$);\n#9004=EXTERNAL_SOURCE(IDENTIFIER(''));\n\
        #9005=APPLIED_DOCUMENT_REFERENCE(#9000,'',(#5));\n";
    let message = refused(INCH.replace(end, &format!("{other}{end}")));
    assert!(message.contains("other files"), "{message}");
    let error = read(
        MACHINE.as_bytes(),
        Path::new("a.step"),
        &LoadOptions::default().time_limit(Duration::from_millis(1)),
    );
    assert!(error.unwrap_err().message.contains("not read within 0.001 s"));
}

/// A damaged file gives an error or all of its parts, within the time limit.
#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn mutants() {
    let (header, data) = MACHINE.split_once("DATA;").unwrap();
    let spans = |is_reference: bool| -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        for (start, _) in data.match_indices(['#', '(', ',']) {
            let from = if is_reference { start } else { start + 1 };
            let is_number =
                |sign: char| sign.is_ascii_digit() || (!is_reference && "-.E".contains(sign));
            let skip = usize::from(is_reference);
            let length = data[from + skip..].find(|sign| !is_number(sign)).unwrap_or(0) + skip;
            let follows = &data[from + length..];
            let is_use = follows.starts_with([',', ')']);
            if length > skip && is_use && data[from..].starts_with('#') == is_reference {
                spans.push((from, from + length));
            }
        }
        spans
    };
    let (references, numbers) = (spans(true), spans(false));
    assert!(references.len() > 500 && numbers.len() > 500);
    let (mut errors, mut open) = (0, 0);
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let spans = if seed % 2 == 0 { &references } else { &numbers };
        let mut pick = || spans[random.below(spans.len() as u64) as usize];
        let (a, b) = (pick(), pick());
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            continue;
        }
        let [first, second] = [a, b].map(|(start, end)| &data[start..end]);
        let (before, between, after) = (&data[..a.0], &data[a.1..b.0], &data[b.1..]);
        let text = format!("{header}DATA;{before}{second}{between}{first}{after}");
        match try_read(&text, &LoadOptions::default()) {
            Err(_) => errors += 1,
            Ok(assembly) => {
                let parts = assembly.parts.len();
                assert!(parts >= 7, "seed {seed}: only {parts} parts");
                let is_open = |mesh: &std::sync::Arc<Mesh>| !mesh.report().is_closed;
                open += usize::from(assembly.meshes.iter().any(is_open));
            }
        }
    }
    println!("of 100 mutants {errors} are errors, {open} have open parts");
    assert!(errors >= 20, "too few damaged files are refused: {errors}");
}

#[test]
#[ignore = "takes impinge-step: `cargo xtask step`, then `cargo checked --workspace --test suite step:: -- --ignored`"]
fn real_files() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()) else {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
        return;
    };
    let folder = Path::new(&data).join("step");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap_or_default();
        if !extension.eq_ignore_ascii_case("stp") && !extension.eq_ignore_ascii_case("step") {
            continue;
        }
        count += 1;
        let start = Instant::now();
        let assembly = load([&path], &LoadOptions::default()).unwrap();
        let (time, name) = (start.elapsed(), path.display());
        let (parts, faces) = (assembly.parts.len(), assembly.face_count());
        println!(
            "{name}: {parts} parts, {} meshes, {faces} faces, {time:?}",
            assembly.meshes.len()
        );
        assert!(assembly.parts.iter().all(|part| !part.name.is_empty()));
        let bodies = measured(&fs::read(&path).unwrap());
        assert_eq!(bodies.len(), assembly.meshes.len(), "{name}");
        for (mesh, (kind, volume, area)) in assembly.meshes.iter().zip(bodies) {
            assert_eq!(kind, "solid", "{name}");
            assert_solid(mesh, volume, area, 0.1, &name.to_string());
        }
    }
    assert!(count >= 4, "{count} files in {}", folder.display());
    let as1 = load([folder.join("as1-oc-214.stp")], &LoadOptions::default()).unwrap();
    assert_eq!((as1.parts.len(), as1.meshes.len(), as1.groups.len()), (18, 5, 10));
    let bolts = as1.parts.iter().filter(|part| part.name.starts_with("bolt")).count();
    assert_eq!((bolts, as1.full_name(0)), (6, "as1/rod-assembly/nut".into()));
    // The triangles of another program for the same file, in metres.
    let glb =
        load([folder.join("as1-oc-214.tess.glb")], &LoadOptions::default().units(Unit::Millimetre));
    let volume = |assembly: &Assembly| -> f64 {
        (0..assembly.parts.len()).map(|part| assembly.mesh(part).report().volume.unwrap()).sum()
    };
    let (ours, theirs) = (volume(&as1), volume(&glb.unwrap()));
    assert!((ours - theirs).abs() < 0.005 * ours, "{ours} and {theirs}");
}
