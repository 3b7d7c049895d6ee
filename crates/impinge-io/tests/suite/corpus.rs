//! Real files load with the number of triangles that an independent reader has counted.
//!
//! The environment variable `IMPINGE_DATA` names the folder of the files, with a `MANIFEST.csv` whose columns include
//! `file` and `triangles`.

use crate::common;
use impinge_io::{Format, load};
use std::{fs, path::Path};

/// Files that must be refused, and a piece of the message.
const REFUSED: [(&str, &str); 14] = [
    ("bad/empty.obj", "holds no faces"),
    ("bad/empty.ply", "holds no faces"),
    ("bad/empty.stl", "holds no faces"),
    ("bad/invalid.off", ":2: 3 vertices and 4 faces are promised, but only 45 bytes follow"),
    ("bad/invalidvertex.stl", ":89: `blah` is not a number"),
    ("bad/notenoughindices.obj", ":9: a face needs at least 3 corners, this one has 2"),
    ("bad/number_formats.obj", ":11: `3.1+e2` is not a number"),
    ("bad/obj_points.obj", "holds no faces"),
    ("bad/ply_empty_ascii.ply", "holds no faces"),
    ("bad/ply_empty_bin.ply", "holds no faces"),
    ("bad/stl_empty_ascii.stl", "holds no faces"),
    ("bad/stl_empty_bin.stl", "holds no faces"),
    ("bad/whitespace.off", ":1: `OFF8`: a space is missing after `OFF`"),
    ("bad/zero-bytes.stl", "the file is empty"),
];

/// Returns the fields of a CSV line; quoted fields may hold commas.
fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[test]
fn every_file_of_the_corpus_loads_with_the_expected_triangles() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()) else {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
        return;
    };
    let data = Path::new(&data);
    let manifest = fs::read_to_string(data.join("MANIFEST.csv")).unwrap();
    let mut lines = manifest.lines();
    let header = fields(lines.next().unwrap());
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let (file_column, triangles_column) = (column("file"), column("triangles"));

    let mut wrong = Vec::new();
    let mut loaded = 0;
    for fields in lines.map(fields) {
        let file = &fields[file_column];
        let path = data.join(file);
        let Some(format) = Format::of_path(&path) else { continue };
        let size = fs::metadata(&path).unwrap().len() as usize;
        let (result, peak) = common::memory::peak(|| load(&path));
        // Add the bytes of the file itself; the buffers of a glTF file are separate files.
        if format != Format::Gltf && peak > common::memory_limit(format, size) + size {
            wrong.push(format!("{file}: {peak} bytes of memory for a file of {size}"));
        }
        let refused = REFUSED.iter().find(|(name, _)| name == file);
        match (result, refused) {
            (Err(error), Some((_, reason))) if error.to_string().contains(reason) => {}
            (Err(error), _) => wrong.push(error.to_string()),
            (Ok(_), Some(_)) => wrong.push(format!("{file}: should be refused")),
            (Ok(model), None) => {
                loaded += 1;
                if let Err(what) = common::check_model(&model) {
                    wrong.push(format!("{file}: {what}"));
                }
                let (found, counted) = (model.face_count(), &fields[triangles_column]);
                // The triangles of elevation grids are not counted; `elevation.rs` checks them.
                if !format.is_grid() && *counted != found.to_string() {
                    wrong.push(format!("{file}: {found} triangles, the manifest says {counted}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(loaded > 0, "the manifest lists no mesh files");
    println!("{loaded} files loaded");
}
