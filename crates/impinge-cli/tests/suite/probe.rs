//! Tests of `impinge points` and `impinge rays`.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Soup, csv, impinge, soup};
use serde_json::json;

/// A cube from (0, 0, 0) to (2, 2, 2).
fn cube(folder: &Folder) -> String {
    folder.write("cube.obj", Soup::cube([0.; 3], 2.).obj())
}

/// Runs a command for all methods, and returns the rows without their header.
fn rows(folder: &Folder, arguments: &[&str]) -> Vec<Vec<String>> {
    let out = folder.at("out.csv");
    impinge([arguments, &["--write", &out, "--method", "all"]].concat()).succeeds();
    csv(&folder.text("out.csv")).split_off(1)
}

fn numbers(row: &[String]) -> Vec<f64> {
    row.iter().map(|field| field.parse().unwrap_or_else(|_| panic!("{field} in {row:?}"))).collect()
}

/// Points with known answers. Sides of the cube have two faces; the lower number counts on their diagonal.
#[test]
fn points_of_a_cube() {
    let folder = Folder::new();
    let mesh = cube(&folder);
    let points = "x,y,z\n1,1,0.5\n1,1,-3\n5,1,1\n2,2,2\n3,3,3\n1,2,1.5\n-1,1.5,3\n";
    let points = folder.write("points.csv", points);
    let expected = [
        (0.5, [1., 1., 0.], 0, "inside"),
        (3., [1., 1., 0.], 0, "outside"),
        (3., [2., 1., 1.], 10, "outside"),
        (0., [2., 2., 2.], 2, "surface"),
        (3f64.sqrt(), [2., 2., 2.], 2, "outside"),
        (0., [1., 2., 1.5], 6, "surface"),
        (2f64.sqrt(), [0., 1.5, 2.], 3, "outside"),
    ];
    let rows = rows(&folder, &["points", &mesh, &points]);
    assert_eq!(rows.len(), expected.len());
    for (number, (row, (distance, point, face, location))) in rows.iter().zip(expected).enumerate()
    {
        let found = numbers(&row[..6]);
        assert_eq!(found[0], number as f64);
        assert!((found[1] - distance).abs() <= 1e-12 * distance, "{row:?}: {distance}");
        assert_eq!((&found[2..5], found[5]), (&point[..], f64::from(face)), "{row:?}");
        assert_eq!(row[6], location, "{row:?}");
    }
    let line = impinge(["points", &mesh, &points]).succeeds().json();
    for (field, value) in [
        ("mode", json!("points")),
        ("tris", json!(12)),
        ("points", json!(7)),
        ("least_distance", json!(0.0)),
        ("least_point", json!(3)),
        ("largest_distance", json!(3.0)),
        ("inside", json!(1)),
        ("on_surface", json!(2)),
        ("outside", json!(4)),
    ] {
        assert_eq!(line[field], value, "{field} of {line}");
    }
    let keys = impinge(["points", &mesh, &points]).json_keys();
    let documented = "engine version method mode tris build_ms bytes mean_us p50_us p99_us max_us threads \
        queries_per_s points least_distance least_point largest_distance inside on_surface outside";
    assert_eq!(keys.join(" "), documented);
}

#[test]
fn faces_within_a_distance_of_points() {
    let folder = Folder::new();
    let mesh = cube(&folder);
    // Above the middle of the diagonal of the lower side, and beyond a corner that six faces share.
    let points = folder.write("points.csv", "1,1,-0.5\n2,2,3\n9,9,9\n");
    let rows = rows(&folder, &["points", &mesh, &points, "--within", "1"]);
    let faces: Vec<&str> = rows.iter().map(|row| row[7].as_str()).collect();
    assert_eq!(faces, ["0 1", "2 3 6 7 10 11", ""]);
    let line = impinge(["points", &mesh, &points, "--within", "1mm", "--file-units", "cm"]);
    assert_eq!(line.succeeds().json()["faces_within"], 0);
    impinge(["points", &mesh, &points, "--within", "1mm"])
        .refuses(&["--within 1mm", "--file-units"]);
    impinge(["points", &mesh, &points, "--within", "-1"]).misused(&["--within", "not negative"]);
}

/// Distances to a sphere of many faces lie between those to the true sphere and to the one that its faces enclose.
#[test]
fn points_around_a_sphere() {
    let folder = Folder::new();
    let (sphere, points) = ("gen:sphere,faces=20000", folder.at("points.csv"));
    impinge(["generate", "points", "--mesh", sphere, "--count", "300", "-o", &points]).succeeds();
    let out = folder.at("out.csv");
    impinge(["points", sphere, &points, "--write", &out]).succeeds();
    let (points, mut inside) = (csv(&folder.text("points.csv")), 0);
    for (point, row) in points[1..].iter().zip(&csv(&folder.text("out.csv"))[1..]) {
        let radius = numbers(point).iter().map(|x| x * x).sum::<f64>().sqrt();
        let distance: f64 = row[1].parse().unwrap();
        assert!((distance - (radius - 1.0).abs()).abs() < 1e-3, "{point:?}: {row:?}");
        if (radius - 1.0).abs() > 1e-3 {
            assert_eq!(row[6], if radius < 1.0 { "inside" } else { "outside" }, "{point:?}");
        }
        inside += usize::from(radius < 1.0);
    }
    assert!(inside > 20 && inside < 280, "{inside}");
}

#[test]
fn rays_through_a_cube() {
    let folder = Folder::new();
    let mesh = cube(&folder);
    let lines = [
        "0.5,1,9,0,0,-1",     // down through two sides, off their diagonals
        "0.5,1,9,0,0,-2,3",   // ends above the cube
        "0.5,1,9,0,0,-1,6.5", // the same
        "5,5,5,1,0,0",        // away from it
        "1,0.5,1,1,0,0",      // starts inside
        "-1,-1,-1,1,1,1",     // along a diagonal, through two corners
        "0,1,2,1,0,0",        // along a side
    ];
    let rays = folder.write("rays.csv", lines.join("\n"));
    let first = rows(&folder, &["rays", &mesh, &rays]);
    let all = rows(&folder, &["rays", &mesh, &rays, "--all"]);
    let times = |rows: &[Vec<String>], ray: &str| -> Vec<f64> {
        rows.iter().filter(|row| row[0] == ray).map(|row| row[1].parse().unwrap()).collect()
    };
    let corners = [[1.; 6], [3.; 6]].concat();
    let expected: [&[f64]; 6] = [&[7., 9.], &[], &[], &[], &[1.], &corners];
    for (ray, expected) in expected.iter().enumerate() {
        assert_eq!(times(&all, &ray.to_string()), *expected, "{}", lines[ray]);
    }
    let along = times(&all, "6");
    assert!(along.len() >= 4 && along[0] == 0.0 && along.contains(&2.0), "{along:?}");
    for row in &first {
        let same: Vec<_> = all.iter().filter(|hit| hit[0] == row[0]).collect();
        assert_eq!(same[0], row, "the first of all hits is the first hit");
    }
    assert_eq!(first.len(), 4, "{first:?}");
    assert_eq!(numbers(&first[0]), [0., 7., 0.5, 1., 2., 3.]);
    let line = impinge(["rays", &mesh, &rays]).succeeds().json();
    assert_eq!((&line["mode"], &line["hits"]), (&json!("first-hit"), &json!(null)), "{line}");
    assert_eq!((&line["rays"], &line["hitting_rays"]), (&json!(7), &json!(4)), "{line}");
    let line = impinge(["rays", &mesh, &rays, "--all"]).succeeds().json();
    assert_eq!((&line["mode"], &line["hits"]), (&json!("all-hits"), &json!(all.len())), "{line}");
}

/// All methods give the same answers, on any number of threads; where it would take long, some are left out.
#[test]
fn methods_and_threads_agree() {
    let folder = Folder::new();
    let mesh = "gen:deformed-torus,around=30,tube=10";
    let methods = impinge(["methods", "--json"]).succeeds().json_lines().len();
    for command in [
        &["points", mesh, "gen:points,count=200", "--within", "0.2"][..],
        &["rays", mesh, "gen:rays,count=200", "--all"],
        &["rays", mesh, "gen:rays,count=200,from-inside"],
    ] {
        let mut results = Vec::new();
        for threads in ["1", "2", "0"] {
            let out = folder.at("out.csv");
            let more = ["--method", "all", "--threads", threads, "--write", &out];
            let lines = impinge([command, &more].concat()).succeeds().json_lines();
            assert_eq!(lines.len(), methods, "{command:?}");
            results.push(folder.text("out.csv"));
        }
        assert!(results[0].lines().count() > 50, "{command:?}");
        assert!(results.iter().all(|result| *result == results[0]), "{command:?}");
    }
    let large =
        impinge(["rays", "gen:sphere,faces=20000", "gen:rays,count=2000", "--method", "all"]);
    assert_eq!(large.code, Some(0), "{}", large.stderr);
    assert!(
        large.stderr.contains("left out") && large.stderr.contains("brute"),
        "{}",
        large.stderr
    );
    let lines = large.json_lines();
    assert!(lines.len() >= 2 && lines.len() < methods, "{lines:?}");
}

/// A mesh that is moved and points that are not, are as points that are moved the other way.
#[test]
fn the_mesh_can_be_placed() {
    let folder = Folder::new();
    let mesh = cube(&folder);
    let pose = folder.write("pose.csv", soup::pose_file(&[soup::moved_by(10., 0., 0.)]));
    let points = folder.write("points.csv", "11,1,0.5\n9,1,1\n");
    let rows = rows(&folder, &["points", &mesh, &points, "--pose", &pose]);
    assert_eq!(numbers(&rows[0][1..6]), [0.5, 11., 1., 0., 0.]);
    assert_eq!(numbers(&rows[1][1..5]), [1., 10., 1., 1.]);
    assert_eq!((&*rows[0][6], &*rows[1][6]), ("inside", "outside"));
    // Generated points are around the mesh where it is.
    let line = impinge(["points", &mesh, "gen:points", "--pose", &pose]).succeeds().json();
    assert!(line["inside"].as_u64().unwrap() > 100, "{line}");
    let two = folder.write("two.csv", soup::pose_file(&[soup::IDENTITY, soup::IDENTITY]));
    impinge(["points", &mesh, &points, "--pose", &two]).refuses(&["two.csv", "2 poses"]);
}

#[test]
fn an_index_and_open_meshes() {
    let folder = Folder::new();
    let index = folder.at("torus.index");
    impinge(["index", "gen:torus", "-o", &index]).succeeds();
    let built = impinge(["points", "gen:torus", "gen:points"]).succeeds().json();
    let loaded =
        impinge(["points", "gen:torus", "gen:points", "--index", &index]).succeeds().json();
    for field in ["method", "least_distance", "least_point", "inside"] {
        assert_eq!(loaded[field], built[field], "{field}");
    }
    impinge(["points", "gen:chair", "gen:points", "--index", &index]).refuses(&["torus.index"]);

    let out = folder.at("out.csv");
    let open = impinge(["points", "gen:terrain,columns=8,rows=8", "gen:points", "--write", &out]);
    assert_eq!(open.code, Some(0), "{}", open.stderr);
    assert!(open.stderr.contains("not closed"), "{}", open.stderr);
    assert_eq!(open.json()["inside"], json!(null));
    assert!(csv(&folder.text("out.csv"))[1..].iter().all(|row| row[6].is_empty()));
    let silent = ["points", "gen:terrain,columns=8,rows=8", "gen:points", "--no-location"];
    assert_eq!(impinge(silent).succeeds().json()["outside"], json!(null));

    let empty = folder.write("empty.obj", "v 0 0 0\n");
    let points = folder.write("points.csv", "1,2,3\n");
    let nothing = impinge(["points", &empty, &points, "--write", &out, "--no-location"]);
    if nothing.code == Some(0) {
        assert_eq!(folder.text("out.csv"), "point,distance,x,y,z,face,location\n0,,,,,,\n");
    } else {
        nothing.refuses(&["empty.obj"]);
    }
}

#[test]
fn generated_points_and_rays_are_those_of_the_file() {
    let folder = Folder::new();
    for (what, options) in [("points", "seed=7,count=50"), ("rays", "seed=7,count=50,from-inside")]
    {
        let (file, direct) = (folder.at("file.csv"), format!("gen:{what},{options}"));
        let options = options.split(',').map(|option| format!("--{option}"));
        let generate = ["generate", what, "--mesh", "gen:chair", "-o", &file].map(str::to_owned);
        impinge(generate.into_iter().chain(options)).succeeds();
        let rows = [&file, &direct].map(|source| rows(&folder, &[what, "gen:chair", source]));
        assert_eq!(rows[0], rows[1], "{what}");
        assert!(rows[0].len() > 5, "{what}: {}", rows[0].len());
        impinge(["generate", what, "-o", &file]).refuses(&["--mesh"]);
    }
    impinge(["points", "gen:chair", "gen:points,count=0"]).refuses(&["count is 0", "from 1"]);
    impinge(["points", "gen:chair", "gen:points,scale=-1"]).refuses(&["--scale -1"]);
    impinge(["points", "gen:chair", "gen:rays"]).refuses(&["gen:rays", "impinge generate --help"]);
    impinge(["rays", "gen:chair", "gen:points"]).refuses(&["gen:points"]);
}

/// Errors name the file and the line, and no output is written.
#[test]
fn bad_files_are_refused() {
    let folder = Folder::new();
    let mesh = cube(&folder);
    let out = folder.at("out.csv");
    for (command, text, pieces) in [
        ("points", "1,2,3\n1,2\n", &["bad.csv:2:", "3 numbers (x, y, z), not 2"][..]),
        ("points", "x,y,z\n1,2,three\n", &["bad.csv:2:", "value 3 is not a finite number"]),
        ("points", "z,y,x\n1,2,3\n", &["bad.csv:1:", "value 1"]),
        ("points", "1,nan,3\n", &["bad.csv:1:", "value 2"]),
        ("points", "x,y,z\n", &["bad.csv", "no points"]),
        ("rays", "0,0,0,1,0,0\n0,0,0,0,0,0\n", &["bad.csv:2:", "direction is zero"]),
        ("rays", "0,0,0,1,0,0,-1\n", &["bad.csv:1:", "at least 0"]),
        ("rays", "0,0,0,1,0\n", &["bad.csv:1:", "6 or 7 numbers"]),
        ("rays", "", &["bad.csv", "no rays"]),
    ] {
        let bad = folder.write("bad.csv", text);
        impinge([command, &mesh, &bad, "--write", &out]).refuses(pieces);
        impinge([command, &mesh, &bad, "--write", &bad])
            .refuses(&["--write", "overwrite the input"]);
        impinge([command, &mesh, &bad, "--write", &mesh]).refuses(&["--write", "cube.obj"]);
        assert_eq!(folder.names(), ["bad.csv", "cube.obj"], "{command}: {text}");
        assert_eq!(folder.text("bad.csv"), text);
    }
    for command in ["points", "rays"] {
        impinge([command, &mesh, &folder.at("none.csv")]).refuses(&["none.csv"]);
        impinge([command, &mesh, "gen:points", "--method", "best"]).refuses(&["best"]);
        impinge([command, &mesh]).misused(&[&*command.to_uppercase()]);
    }
}
