//! Real elevation grids: vertices, faces and heights are those that small parsers in this file find.
//!
//! The parsers are independent of the readers: they keep a map from places of the grid to heights, and count a face for
//! each cell by looking at its four corners.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use glam::{DVec2, DVec3};
use impinge::{Bounds, Mesh};
use impinge_io::{GridCoordinates, GridOptions, assembly, load_with};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

/// A height at each known place of a grid, by column from the west and row from the south.
type Heights = HashMap<(i64, i64), f64>;

fn terrain(file: &str) -> Option<PathBuf> {
    match std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()) {
        Some(data) => Some(Path::new(&data).join("terrain").join(file)),
        None => {
            println!("IMPINGE_DATA is not set: the tests on real files were left out");
            None
        }
    }
}

fn mesh(path: &Path, options: &GridOptions) -> Mesh {
    load_with(path, options).unwrap().into_mesh().unwrap()
}

/// Two faces for a cell with four known corners, one for a cell with three.
fn count_faces(heights: &Heights) -> usize {
    let known = |column: i64, row: i64| usize::from(heights.contains_key(&(column, row)));
    let mut cells: Vec<_> = heights
        .keys()
        .flat_map(|&(c, r)| [(c, r), (c - 1, r), (c, r - 1), (c - 1, r - 1)])
        .collect();
    cells.sort_unstable();
    cells.dedup();
    let corners = cells
        .into_iter()
        .map(|(c, r)| known(c, r) + known(c + 1, r) + known(c, r + 1) + known(c + 1, r + 1));
    corners.map(|corners| corners.saturating_sub(2)).sum()
}

/// Checks that the vertices of a mesh are the known samples, each at its place. `place` returns x and y of a sample.
fn check(mesh: &Mesh, heights: &Heights, place: impl Fn(i64, i64) -> DVec2) {
    assert_eq!(mesh.positions().len(), heights.len());
    assert_eq!(mesh.faces().len(), count_faces(heights));
    let mut expected: Vec<[f64; 3]> = heights
        .iter()
        .map(|(&(column, row), &z)| place(column, row).extend(z).to_array())
        .collect();
    let mut found: Vec<[f64; 3]> = mesh.positions().iter().map(DVec3::to_array).collect();
    expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    for (found, expected) in found.iter().zip(&expected) {
        let error = (DVec3::from_array(*found) - DVec3::from_array(*expected)).length();
        assert!(error < 1e-6, "{found:?} instead of {expected:?}");
    }
    assert!(mesh.triangles().all(|[a, b, c]| (b - a).cross(c - a).z > 0.0));
}

/// Reads an ESRI ASCII grid whose header has six lines. Returns its numbers, and the heights that are not missing.
fn esri(path: &Path) -> ([f64; 6], Heights) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = [(); 6].map(|()| {
        let line = lines.next().unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    });
    let mut heights = Heights::new();
    for (row, line) in lines.enumerate() {
        for (column, word) in line.split_whitespace().enumerate() {
            let height: f64 = word.parse().unwrap();
            if height != header[5] {
                heights.insert((column as i64, header[1] as i64 - 1 - row as i64), height);
            }
        }
    }
    (header, heights)
}

#[test]
fn an_esri_grid_with_holes() {
    let Some(path) = terrain("west_bijou_gully.asc") else { return };
    let ([columns, rows, x, y, cell, _], heights) = esri(&path);
    assert_eq!((columns, rows, heights.len()), (43.0, 89.0, 43 * 89 - 2739));
    let found = mesh(&path, &GridOptions::default());
    let place = |column: i64, row: i64| {
        DVec2::new(x + (column as f64 + 0.5) * cell, y + (row as f64 + 0.5) * cell)
    };
    check(&found, &heights, place);
    let bounds = found.bounds();
    assert!((bounds.min.z - 1680.78).abs() < 0.005 && (bounds.max.z - 1725.43).abs() < 0.005);
    // The heights of missing samples are a floor at 1600 m: all cells have two faces.
    let filled = mesh(&path, &GridOptions::default().missing(1600.0));
    assert_eq!((filled.positions().len(), filled.faces().len()), (43 * 89, 2 * 42 * 88));
    assert_eq!(filled.positions().iter().filter(|p| p.z == 1600.0).count(), 2739);
    // Every fifth sample.
    let coarse: Heights = heights
        .iter()
        .filter(|((column, row), _)| column % 5 == 0 && row % 5 == 0)
        .map(|(&(column, row), &z)| ((column / 5, row / 5), z))
        .collect();
    let found = mesh(&path, &GridOptions::default().every(5));
    check(&found, &coarse, |column, row| place(5 * column, 5 * row));
}

#[test]
fn an_esri_grid_in_degrees() {
    let Some(path) = terrain("SRTMGL3_colorado_front_range.asc") else { return };
    let ([columns, rows, x, y, cell, _], heights) = esri(&path);
    assert_eq!(heights.len(), 240 * 144);
    let found = mesh(&path, &GridOptions::default());
    check(&found, &heights, |column, row| {
        DVec2::new(x + (column as f64 + 0.5) * cell, y + (row as f64 + 0.5) * cell)
    });
    // At 40.15° north, a degree of longitude is 85.21 km, a degree of latitude 111.04 km.
    let options = GridOptions::default().coordinates(GridCoordinates::Geographic);
    let Bounds { min, max } = mesh(&path, &options).bounds();
    assert!((min + max).truncate().length() < 1e-6, "{min} {max}");
    let size = DVec2::new((columns - 1.0) * cell * 85_210.0, (rows - 1.0) * cell * 111_040.0);
    assert!(((max - min).truncate() - size).abs().max_element() < 5.0, "{min} {max}, not {size}");
    assert_eq!((min.z, max.z), (1943.0, 3286.0));
}

#[test]
fn a_usgs_dem_with_ragged_profiles() {
    let Some(path) = terrain("SainteHelens.dem") else { return };
    let bytes = fs::read(&path).unwrap();
    let number = |at: usize, length: usize| -> f64 {
        let text = std::str::from_utf8(&bytes[at..at + length]).unwrap();
        text.trim().replace('D', "E").parse().unwrap()
    };
    // The profiles start where the previous ones end; the first has 146 samples in its first record.
    let mut heights = Heights::new();
    let mut at = 1024;
    for _ in 0..number(858, 6) as usize {
        let (samples, x, y) =
            (number(at + 12, 6) as usize, number(at + 24, 24), number(at + 48, 24));
        for sample in 0..samples {
            let place = match sample {
                0..146 => at + 144 + 6 * sample,
                _ => {
                    let (record, rest) = ((sample - 146) / 170, (sample - 146) % 170);
                    at + 1024 * (record + 1) + 6 * rest
                }
            };
            let row = (y / 30.0) as i64 + sample as i64;
            heights.insert(((x / 30.0) as i64, row), number(place, 6));
        }
        at += 1024 * (1 + samples.saturating_sub(146).div_ceil(170));
    }
    assert_eq!(heights.len(), 148_885);
    let found = mesh(&path, &GridOptions::default());
    check(&found, &heights, |column, row| DVec2::new(column as f64, row as f64) * 30.0);
    // The header gives the lowest and the highest height.
    let bounds = found.bounds();
    assert_eq!((bounds.min.z, bounds.max.z), (number(738, 24), number(762, 24)));
    assert_eq!((bounds.min.x, bounds.max.x), (557_820.0, 567_600.0));
    let assembly = assembly::load([&path], &assembly::LoadOptions::default()).unwrap();
    assert_eq!(assembly.units, Some(assembly::Unit::Metre));
    assert_eq!(assembly.up, Some(assembly::Up::Z));
}

#[test]
fn a_dted_tile() {
    let Some(path) = terrain("n43.dt0") else { return };
    let bytes = fs::read(&path).unwrap();
    let mut heights = Heights::new();
    for column in 0..121 {
        for row in 0..121 {
            let at = 3428 + column * 254 + 8 + 2 * row;
            let stored = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
            let sign = if stored >> 15 == 1 { -1.0 } else { 1.0 };
            let height = sign * f64::from(stored & 0x7FFF);
            if height != -32_767.0 {
                heights.insert((column as i64, row as i64), height);
            }
        }
    }
    let file = mesh(&path, &GridOptions::default().coordinates(GridCoordinates::File));
    check(&file, &heights, |column, row| {
        DVec2::new(column as f64, row as f64) / 120.0 + DVec2::new(-80.0, 43.0)
    });
    assert_eq!(file.positions()[0], DVec3::new(-80.0, 43.0, 202.0));
    // At 43.5° north, a degree of longitude is 80.87 km, a degree of latitude 111.10 km.
    let Bounds { min, max } = mesh(&path, &GridOptions::default()).bounds();
    assert!((min + max).truncate().length() < 1e-6, "{min} {max}");
    let size = (max - min).truncate() - DVec2::new(80_870.0, 111_100.0);
    assert!(size.abs().max_element() < 10.0, "{min} {max}");
}
