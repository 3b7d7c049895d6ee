//! Tests of the page: write it, and read it back.

use super::{keep::Budget, samples, write, write_scene, write_within};
use crate::findings::Findings;
use serde_json::Value;
use std::{env, fs, path::Path, time::Instant};

fn page(findings: &Findings) -> String {
    let mut page = Vec::new();
    write(findings, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn page_within(budget: &Budget, findings: &Findings) -> String {
    let mut page = Vec::new();
    write_within(budget, findings, None, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// Limits for seven parts of the gearbox and the two meshes that penetrate.
fn tight(findings: &Findings) -> Budget {
    let count = |name: &str| {
        let part = findings.assembly.parts.iter().position(|part| part.name == name).unwrap();
        findings.assembly.mesh(part).faces().len()
    };
    Budget {
        parts: 7,
        faces: count("housing") + count("bolt front right"),
        pairs: 20,
        pairs_of_one: 12,
        places: 1,
    }
}

/// Returns the data inserted into the page: the header, and the numbers after it.
fn unpacked(page: &str) -> (Value, Vec<u8>) {
    impinge_page::CLASH.read(page).unwrap()
}

#[test]
fn the_page_data_agrees_with_the_findings() {
    let findings = samples::of_gearbox();
    let (header, numbers) = unpacked(&page(&findings));
    let rows = header["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for (row, found) in rows.iter().zip(&findings.rows) {
        let clash = &found.clash;
        assert_eq!(row["a"], clash.a);
        assert_eq!(row["b"], clash.b);
        assert_eq!(row["verdict"], clash.verdict.name());
        assert_eq!(row["depth"].as_f64(), clash.least_depth());
        assert_eq!(row["distance"], clash.distance);
        assert_eq!(row["points"][1][2], clash.points[1].z);
        assert_eq!(row["pairs"], clash.faces.len());
        assert_eq!(row["places"].as_array().unwrap().len(), clash.places.len());
    }
    let assembly = &findings.assembly;
    assert_eq!(header["parts"]["name"].as_array().unwrap().len(), assembly.parts.len());
    let of_meshes: usize = assembly
        .meshes
        .iter()
        .map(|mesh| 12 * mesh.positions().len() + 12 * mesh.faces().len())
        .sum();
    let of_rows: usize = findings
        .rows
        .iter()
        .map(|row| {
            let places = row.clash.places.iter().map(|place| place.faces.len());
            8 * row.clash.faces.len() + 4 * places.sum::<usize>()
        })
        .sum();
    assert_eq!(numbers.len(), 96 * assembly.parts.len() + of_rows + of_meshes);
}

#[test]
fn a_scene_has_all_parts_and_says_that_it_was_not_checked() {
    let findings = samples::of_gearbox();
    let assembly = findings.assembly.clone();
    let mut text = Vec::new();
    write_scene(assembly.clone(), &mut text).unwrap();
    let (header, numbers) = unpacked(&String::from_utf8(text).unwrap());
    assert_eq!(header["is_checked"], false);
    assert_eq!(header["rows"], serde_json::json!([]));
    let names: Vec<&str> = assembly.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(header["parts"]["name"], serde_json::json!(names));
    let size = |mesh: &impinge::Mesh| 12 * mesh.positions().len() + 12 * mesh.faces().len();
    let of_meshes: usize = assembly.meshes.iter().map(|mesh| size(mesh)).sum();
    assert_eq!(numbers.len(), 96 * assembly.parts.len() + of_meshes);
    assert_eq!(unpacked(&page(&findings)).0["is_checked"], true);
}

/// The fields that `page/src/review.ts` needs to write a review file.
#[test]
fn the_page_has_reviews_clusters_and_identities() {
    let findings = samples::hostile();
    let (header, _) = unpacked(&page(&findings));
    let identities = header["identities"].as_array().unwrap();
    assert_eq!(identities.len(), findings.assembly.parts.len());
    for identity in identities {
        let part = identity[0].as_u64().unwrap() as usize;
        assert_eq!(identity[1]["name"], findings.assembly.parts[part].name);
        assert_eq!(identity[1]["center"].as_array().unwrap().len(), 3);
    }
    for (row, found) in header["rows"].as_array().unwrap().iter().zip(&findings.rows) {
        assert_eq!(row["key"], found.key);
        let number = row["cluster"]["part"].as_u64().unwrap() as usize;
        assert_eq!(number, found.cluster.part as usize);
        assert!(header["clusters"]["part"][number]["count"].as_u64().unwrap() > 0);
        assert_eq!(row["review"].is_null(), found.review.is_none());
    }
    assert_eq!(header["rows"][1]["inside"], "b");
    assert_eq!(header["rows"][2]["review"]["status"], "reviewed");
    assert_eq!(header["rows"][4]["fit"]["shaft"], "a");
    assert_eq!(header["gaps"][0]["width"], 1.5);
    assert_eq!(header["hidden"]["pairs_ignored"], 1234);
    for verdict in impinge::clash::Verdict::ALL {
        assert!(header["colors"][verdict.name()].as_str().unwrap().starts_with('#'));
    }
}

#[test]
fn names_cannot_end_the_data() {
    let findings = samples::hostile();
    let page = page(&findings);
    let (header, _) = unpacked(&page);
    assert_eq!(header["parts"]["name"][0], findings.assembly.parts[0].name);
    assert!(!page.contains("window.harm"));
    let (before, after) = impinge_page::CLASH.parts();
    let scripts = before.matches("<script").count() + after.matches("<script").count();
    assert_eq!(page.matches("<script").count(), scripts);
}

#[test]
fn clashing_parts_are_kept_first() {
    let findings = samples::of_gearbox();
    let (header, _) = unpacked(&page_within(&tight(&findings), &findings));
    let names: Vec<&str> = header["parts"]["name"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    // Five clashing parts, and the first two of the others, in the order of the assembly.
    let expected = [
        "housing",
        "shaft input",
        "shaft output",
        "pinion",
        "wheel",
        "bearing input front",
        "bolt front right",
    ];
    assert_eq!(names, expected);
    assert_eq!(header["part_count"], 15);
    let meshes = header["meshes"].as_array().unwrap();
    let kept = meshes.iter().filter(|mesh| mesh["has_faces"] == true);
    assert_eq!(kept.count(), 2);
    let sum: u64 = header["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["pairs_kept"].as_u64().unwrap())
        .sum();
    assert!((1..=20).contains(&sum), "{sum}");
    assert_eq!(header["rows"][0]["places"].as_array().unwrap().len(), 1);
    assert_eq!(header["rows"][0]["b"], 6);
}

/// The block's front is at −5, its back at −6, and the wall from −0.25 to 0.25; the first step is 10 long and takes 4.
#[test]
fn a_path_has_the_moments_at_which_findings_begin_and_end() {
    let mut page = Vec::new();
    samples::of_path().write(&mut page).unwrap();
    let (header, numbers) = unpacked(&String::from_utf8(page).unwrap());
    let path = &header["path"];
    assert_eq!(path["moving"], serde_json::json!([1]));
    assert_eq!(
        [&path["rows"], &header["rows"][0]["pairs"]],
        [&3.into(), &header["rows"][0]["pairs_kept"]]
    );
    let column = |name: &str| -> Vec<f64> {
        path["moments"][name].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
    };
    let [rows, fractions, times] = ["row", "fraction", "time"].map(column);
    let places: Vec<f64> = rows.iter().zip(&fractions).map(|(row, share)| row + share).collect();
    assert!(places.is_sorted_by(|p, q| p < q) && places.len() > 200, "{places:?}");
    assert_eq!((places[0], places[places.len() - 1]), (1.0, 3.0));
    // After the two poses of the parts, byte by byte.
    let count = places.len();
    let float = |number: usize, of: usize, start: usize| {
        f64::from_le_bytes(std::array::from_fn(|byte| numbers[start + byte * of + number]))
    };
    let displacement = |moment: usize, entry: usize| float(12 * moment + entry, 12 * count, 24 * 8);
    let interval = &header["rows"][0]["interval"];
    for (name, share) in [("from", 0.475), ("at", 0.475), ("until", 0.625)] {
        let moment = interval[name].as_u64().unwrap() as usize;
        assert!((fractions[moment] - share).abs() < 1e-4, "{name}: {}", fractions[moment]);
        assert!((times[moment] - 4.0 * share).abs() < 1e-3, "{name}: {}", times[moment]);
        assert!((displacement(moment, 3) - 10.0 * share).abs() < 1e-3, "{name}");
    }
    let last = [0, 1, 3, 7].map(|entry| displacement(count - 1, entry));
    assert_eq!(last, [0.0, -1.0, 6.0, 7.0]);
    assert!(interval["doubt"].is_null());
    // What is shown of the clash is checked where the block is then.
    let x = header["rows"][0]["points"][0][0].as_f64().unwrap();
    assert!((x + 0.25).abs() < 1e-3, "{x}");
}

/// Writes pages for the browser tests, if a folder is named: see `page/test`.
#[test]
fn pages_for_the_browser() {
    let Some(folder) = env::var_os("IMPINGE_PAGES") else { return };
    let gearbox = samples::of_gearbox();
    let hostile = samples::hostile();
    let huge = samples::huge();
    let empty = samples::empty();
    let path = samples::of_path();
    let mut of_path = Vec::new();
    path.write(&mut of_path).unwrap();
    let plant = samples::plant(100_000, 100_000);
    let start = Instant::now();
    let of_plant = page(&plant);
    println!("100,000 parts: {} bytes in {:?}", of_plant.len(), start.elapsed());
    let samples = [
        ("gearbox", page(&gearbox), &gearbox),
        ("cut", page_within(&tight(&gearbox), &gearbox), &gearbox),
        ("hostile", page(&hostile), &hostile),
        ("huge", page(&huge), &huge),
        ("empty", page(&empty), &empty),
        ("path", String::from_utf8(of_path).unwrap(), path.findings()),
        ("plant", of_plant, &plant),
    ];
    fs::create_dir_all(&folder).unwrap();
    let mut scene = fs::File::create(Path::new(&folder).join("scene.html")).unwrap();
    write_scene(gearbox.assembly.clone(), &mut scene).unwrap();
    for (name, page, findings) in samples {
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("report.html"), page).unwrap();
        fs::write(folder.join("report.json"), samples::json(findings).to_string()).unwrap();
    }
}
