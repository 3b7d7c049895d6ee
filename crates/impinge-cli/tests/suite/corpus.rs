//! Tests on real files, compared with answers from other programs.
//!
//! The environment variable `IMPINGE_DATA` names the folder of the files.

use crate::common::{Folder, Run, corpus, csv, impinge};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const FORMATS: [&str; 6] = ["obj", "stl", "ply", "off", "gltf", "glb"];

/// Files for which our counts differ from the manifest, and why ours are right.
const DIFFERENCES: [(&str, &str, &str, &str); 4] = [
    // Its polygons have holes, connected by an edge in both directions. The manifest splits polygons into
    // fans; we cut ears, which makes fewer degenerate triangles.
    ("bad/wallhole.obj", "degenerate_faces", "11", "9"),
    // The manifest adds up all 18 parts; they are instances of 5 meshes, which we count once.
    ("step/as1-oc-214.tess.glb", "distinct_positions", "3748", "1486"),
    // One mesh with two primitives. The manifest counts them separately, and the 88 positions on their common
    // border twice; together they are closed.
    ("step/io1-cm-214.tess.glb", "distinct_positions", "1760", "1672"),
    ("step/io1-cm-214.tess.glb", "closed", "false", "true"),
];

/// Files without anything to inspect, although the manifest has counts for some of them.
const REFUSED: [(&str, &str); 14] = [
    ("bad/empty.obj", "no faces"),
    ("bad/empty.ply", "no faces"),
    ("bad/empty.stl", "no faces"),
    ("bad/invalid.off", ":2:"),
    ("bad/invalidvertex.stl", ":89:"),
    ("bad/notenoughindices.obj", ":9:"),
    ("bad/number_formats.obj", ":11:"),
    ("bad/obj_points.obj", "no faces"),
    ("bad/ply_empty_ascii.ply", "no faces"),
    ("bad/ply_empty_bin.ply", "no faces"),
    ("bad/stl_empty_ascii.stl", "no faces"),
    ("bad/stl_empty_bin.stl", "no faces"),
    ("bad/whitespace.off", ":1:"),
    ("bad/zero-bytes.stl", "empty"),
];

/// The manifest's rows of mesh files, by column.
fn manifest(data: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(data.join("MANIFEST.csv")).expect("the data has a manifest");
    let mut rows = csv(&text);
    let header = rows.remove(0);
    let is_mesh = |row: &BTreeMap<String, String>| {
        let extension = Path::new(&row["file"]).extension().unwrap_or_default();
        FORMATS.iter().any(|format| extension.eq_ignore_ascii_case(format))
    };
    rows.into_iter().map(|row| header.iter().cloned().zip(row).collect()).filter(is_mesh).collect()
}

/// Whether all parts are watertight: `yes`, `no`, or `n of m` parts. Nothing if the manifest does not say.
fn watertight(cell: &str) -> Option<bool> {
    match cell.split_once(" of ") {
        Some((some, all)) => Some(some == all),
        None => [("yes", true), ("no", false)].iter().find(|(c, _)| *c == cell).map(|(_, w)| *w),
    }
}

#[test]
fn every_mesh_agrees_with_the_manifest() {
    let Some(data) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut checked = 0;
    let mut differences: Vec<_> = DIFFERENCES.to_vec();
    for row in manifest(&data) {
        let file = &*row["file"];
        let path = data.join(file).into_os_string().into_string().unwrap();
        let run = impinge(["inspect", "--json", &path]);
        if let Some((_, piece)) = REFUSED.iter().find(|(name, _)| *name == file) {
            wrong
                .extend(run.refusal_fault(&[&path, piece]).map(|fault| format!("{file}: {fault}")));
            continue;
        }
        if run.code != Some(0) {
            wrong.push(format!("{file}: exit code {:?}: {}", run.code, run.stderr));
            continue;
        }
        let report = run.json();
        let mut compare = |field: &str, expected: String| {
            checked += 1;
            let found = report[field].to_string();
            let explained = differences.iter().position(|difference| {
                *difference == (file, field, expected.as_str(), found.as_str())
            });
            match explained {
                Some(known) => drop(differences.remove(known)),
                None if found == expected => {}
                None => wrong.push(format!("{file}: {field} is {found}, not {expected}")),
            }
        };
        for (field, column) in [
            ("faces", "triangles"),
            ("distinct_positions", "distinct_vertices"),
            ("degenerate_faces", "degenerate_triangles"),
            ("duplicate_faces", "duplicate_triangles"),
        ] {
            if !row[column].is_empty() {
                compare(field, row[column].clone());
            }
        }
        if let Some(watertight) = watertight(&row["watertight"]) {
            compare("closed", watertight.to_string());
        }
    }
    wrong.extend(differences.iter().map(|known| format!("{known:?} is no difference any more")));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 500, "the manifest lists hardly a mesh: {checked} values");
}

#[test]
fn bad_files_are_read_or_refused() {
    let Some(data) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(data.join("bad")).unwrap() {
        let path = entry.unwrap().path().into_os_string().into_string().unwrap();
        files += 1;
        let run = Run::in_little_memory(["inspect", &path]).finish();
        match run.code {
            Some(0) if run.stderr.is_empty() => {}
            _ => wrong.extend(run.refusal_fault(&[&path]).map(|fault| format!("{path}: {fault}"))),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(files > 30, "hardly a file: {files}");
}

/// The number of touching face pairs, counted by another program in rational arithmetic.
#[test]
fn pairs_with_known_counts() {
    let Some(data) = corpus() else { return };
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    for (a, b, pairs) in [
        ("edge-ex1-1.off", "edge-ex1-2.off", 2),
        ("vertex-ex1-1.off", "vertex-ex1-2.off", 8),
        ("env.obj", "rob.obj", 192),
    ] {
        let [first, second] = [a, b]
            .map(|name| data.join("pairs").join(name).into_os_string().into_string().unwrap());
        for arguments in [[&first, &second], [&second, &first]] {
            let arguments = ["query", arguments[0], arguments[1], "--all", "--pairs", &out];
            let line = impinge(arguments).succeeds().json();
            assert_eq!(line["pairs"], pairs, "{a} and {b}");
            assert_eq!(folder.text("pairs.csv").lines().count(), pairs + 1, "{a} and {b}");
        }
        assert_eq!(impinge(["query", &first, &second]).succeeds().json()["colliding_steps"], 1);
    }
}

#[test]
fn known_triangles_all_come_out_right() {
    let Some(data) = corpus() else { return };
    let mut files: Vec<String> = Vec::new();
    for entry in fs::read_dir(data.join("tri-tri")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            files.push(path.into_os_string().into_string().unwrap());
        }
    }
    assert!(!files.is_empty(), "no CSV files");
    let mut cases = 0;
    for file in &files {
        let tally = impinge(["verify", "triangles", file]).succeeds().json();
        let lines = fs::read_to_string(file).unwrap().lines().count() as u64 - 1;
        assert_eq!((&tally["cases"], &tally["right"]), (&lines.into(), &lines.into()), "{file}");
        cases += lines;
    }
    let arguments = ["verify", "triangles"].into_iter().chain(files.iter().map(String::as_str));
    assert_eq!(impinge(arguments).succeeds().json()["right"], cases);
}

/// No contact is missed, and none is false.
#[test]
fn known_motions_all_come_out_right() {
    let Some(data) = corpus() else { return };
    let mut files: Vec<String> = Vec::new();
    let children = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    for kind in children(&data.join("ccd-queries")).iter().flat_map(|scene| children(scene)) {
        files.extend(children(&kind).into_iter().map(|file| file.to_str().unwrap().to_owned()));
    }
    files.retain(|file| file.ends_with(".csv"));
    assert!(!files.is_empty(), "no CSV files");
    let mut cases = 0;
    for file in &files {
        let tally = impinge(["verify", "ccd", file]).succeeds().json();
        let count = fs::read_to_string(file).unwrap().lines().count() as u64 / 8;
        assert_eq!((&tally["cases"], &tally["right"]), (&count.into(), &count.into()), "{file}");
        cases += count;
    }
    let arguments = ["verify", "ccd"].into_iter().chain(files.iter().map(String::as_str));
    assert_eq!(impinge(arguments).succeeds().json()["right"], cases);
}
