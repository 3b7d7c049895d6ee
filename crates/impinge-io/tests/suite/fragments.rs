//! Assemblies that are read file by file are the same as those that are read at once.

#![allow(clippy::unwrap_used)]

use crate::common::{
    folder::Folder,
    samples::{self, ROBOT},
};
use impinge::{Mesh, Pose, clash::Tessellation, generate, glam::DVec3};
use impinge_io::{
    Assembly,
    assembly::{
        AssemblyPart, Blob, Fragment, ListedFile, Listing, LoadOptions, Unit, join, join_loaded,
        load,
    },
};
use std::{path::PathBuf, sync::Arc};

/// All that an assembly holds.
fn contents(assembly: &Assembly) -> String {
    // What is computed on first use is computed.
    assembly.meshes.iter().for_each(|mesh| _ = mesh.bounds());
    format!("{assembly:?}")
}

/// The bytes of a blob, and the blob that is read from them.
fn sent(blob: &Blob) -> Blob {
    let mut bytes = vec![7; 8];
    blob.write(&mut bytes);
    assert_eq!(bytes.len(), 8 + blob.len());
    Blob::read(&bytes[8..]).unwrap()
}

/// Reads the files of a listing one by one, sends everything as bytes, and joins it.
fn load_apart(paths: &[PathBuf], options: &LoadOptions) -> Result<Assembly, impinge_io::Error> {
    let listing = Listing::new(paths, options)?;
    let files = listing.files().expect("several files, and no robot");
    let options = LoadOptions::from_bytes(&options.to_bytes().unwrap()).unwrap();
    let mut blobs = Vec::new();
    let mut fragments = Vec::new();
    for file in files.iter().rev() {
        let file = ListedFile::from_bytes(&file.to_bytes().unwrap()).unwrap();
        let fragment = file.read(&options);
        blobs.push(fragment.blobs().iter().map(sent).collect::<Vec<_>>());
        fragments.push(Fragment::from_bytes(&fragment.to_bytes().unwrap()).unwrap());
    }
    blobs.reverse();
    fragments.reverse();
    let joined = join(listing, fragments)?;
    assert!(joined.assembly.is_outline());
    let all = joined.blobs.iter();
    let all = all.map(|&[fragment, blob]| blobs[fragment as usize][blob as usize].clone());
    let all: Vec<Blob> = all.collect();
    Ok(joined.assembly.with_blobs(&all).unwrap())
}

#[test]
fn files_that_are_read_apart_make_the_same_assembly() {
    let folder = Folder::new("apart");
    let obj =
        "mtllib m.mtl\no one\nv 0 0 0\nv 1 0 0\nv 0 1 0.1234567891\nf 1 2 3\no two\nf 3 2 1\n";
    let paths = [
        folder.write("all/a.obj", obj),
        folder.write("all/b/a.obj", obj),
        folder.write("all/c.gltf", samples::gltf()),
        folder.write("all/b/d.gltf", samples::gltf()),
        folder.write("all/b/m.mtl", "newmtl x\nmap_Kd wood.png\n"),
        folder.write("all/b/wood.png", "no picture"),
        folder.write("all/b/other.png", "no picture"),
        folder.write("all/notes.txt", "text"),
    ];
    let all = folder.0.join("all");
    let broken = folder.write("broken.obj", "v 0 0 0\nf 1 2 3\n");
    let keep_going = LoadOptions::default().keep_going(true);
    for (paths, options) in [
        (vec![all.clone()], LoadOptions::default()),
        (vec![all.clone()], LoadOptions::default().units(Unit::Millimetre)),
        (vec![all.clone()], LoadOptions::default().split(true)),
        (vec![all.clone(), paths[0].clone()], LoadOptions::default().file_units(Unit::Inch)),
        (vec![paths[0].clone(), paths[1].clone()], LoadOptions::default().scale(3.0)),
        (vec![paths[2].clone(), broken.clone(), all.clone()], keep_going),
    ] {
        let whole = load(&paths, &options).unwrap();
        let apart = load_apart(&paths, &options).unwrap();
        assert_eq!(contents(&apart), contents(&whole), "{paths:?} {options:?}");
        // Meshes are shared as before.
        let distinct = whole.meshes.len();
        assert!(distinct < whole.parts.len(), "{distinct} {}", whole.parts.len());
    }
    let paths = [paths[0].clone(), broken];
    let options = LoadOptions::default();
    let errors = [load(&paths, &options), load_apart(&paths, &options)];
    let [whole, apart] = errors.map(|result| result.unwrap_err().to_string());
    assert_eq!(whole, apart);
    assert!(whole.contains("broken.obj"));
}

#[test]
fn robots_and_single_files_are_not_read_apart() {
    let folder = Folder::new("robots apart");
    let robot = folder.write("robot.urdf", ROBOT);
    let obj = folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let options = LoadOptions::default();
    let is_apart = |paths: &[PathBuf]| Listing::new(paths, &options).unwrap().files().is_some();
    assert!(is_apart(&[obj.clone(), obj.clone()]));
    assert!(!is_apart(&[obj.clone(), robot]));
    assert!(!is_apart(&[obj]));
}

fn assembly() -> Assembly {
    let mut assembly = Assembly::default();
    let open = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::new(0.1, -0.0, 1e50)], vec![[0, 1, 2]]);
    assembly.meshes =
        vec![generate::cuboid(DVec3::ONE).unwrap().into(), open.unwrap().into(), Arc::default()];
    assembly.files = vec!["made".into()];
    assembly.units = Some(Unit::Foot);
    let distances: Arc<[f32]> = (0..12).map(|face| 0.1 * face as f32).collect();
    for number in 0..9 {
        let pose = Pose::from_translation(DVec3::new(0.1 * f64::from(number), 1e-300, -0.0));
        let name = format!("part {number}");
        let mut part = AssemblyPart::new(name, number as usize % 3, pose.unwrap());
        part.rounding = [None, Some(0.1)][number as usize % 2];
        (part.id, part.class) = (Some(format!("id {number}")), None);
        if number % 3 == 0 {
            part.tessellation = Tessellation::Faces(distances.clone());
        }
        if number == 4 {
            part.tessellation = Tessellation::Uniform(0.7);
        }
        assembly.parts.push(part);
    }
    assembly
}

#[test]
fn an_assembly_survives_as_bytes_and_blobs() {
    let folder = Folder::new("bytes");
    let robot = load([folder.write("robot.urdf", ROBOT)], &LoadOptions::default()).unwrap();
    assert!(!robot.robots.is_empty());
    for whole in [assembly(), robot] {
        let outline = Assembly::from_bytes(&whole.to_bytes().unwrap()).unwrap();
        assert_eq!(contents(&outline), contents(&whole.outline()));
        assert_eq!(outline.face_count(), whole.face_count());
        assert_eq!(outline.clash_outlines(), whole.clash_outlines());
        let blobs: Vec<Blob> = whole.blobs().iter().map(sent).collect();
        assert!(outline.clone().with_blobs(&[]).is_err());
        let back = outline.with_blobs(&blobs).unwrap();
        assert_eq!(contents(&back), contents(&whole));
        assert_eq!(back.distances(), whole.distances());
    }
}

#[test]
fn assemblies_are_joined() {
    let whole = assembly();
    let fragments = [Fragment::of(&whole).unwrap(), Fragment::of(&whole).unwrap()];
    let joined = join_loaded(fragments).unwrap();
    assert_eq!(joined.assembly.parts.len(), 18);
    assert_eq!((joined.assembly.meshes.len(), joined.blobs.len()), (3, 5));
    assert_eq!(joined.assembly.parts[9].name, "part 0#2");
    assert_eq!(joined.assembly.units, Some(Unit::Foot));
    let blobs = joined.blobs.iter().map(|&[_, blob]| whole.blobs()[blob as usize].clone());
    let blobs: Vec<Blob> = blobs.collect();
    let full = joined.assembly.with_blobs(&blobs).unwrap();
    assert_eq!(full.parts[12].tessellation, whole.parts[3].tessellation);
    assert_eq!(full.meshes, whole.meshes);
}

#[test]
fn bytes_that_are_no_assembly_are_refused() {
    let bytes = assembly().to_bytes().unwrap();
    for end in 0..bytes.len() {
        assert!(Assembly::from_bytes(&bytes[..end]).is_err(), "{end} bytes");
    }
    let mut blob = Vec::new();
    assembly().blobs()[0].write(&mut blob);
    for end in 0..blob.len() {
        assert!(Blob::read(&blob[..end]).is_err(), "{end} bytes");
    }
    for at in 0..24 {
        let mut wrong = blob.clone();
        wrong[at] ^= 0x55;
        assert!(Blob::read(&wrong).is_err(), "byte {at}");
    }
}
