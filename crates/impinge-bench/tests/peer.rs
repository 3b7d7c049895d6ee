//! The parry3d peer implements the protocol of `impinge bench --peer`, and agrees with impinge on clear cases.

use impinge::{Pair, Pose, generate};
use impinge_io::Model;
use serde_json::Value;
use std::{env, fs, process};

#[test]
fn parry3d_speaks_the_protocol_and_agrees() {
    let folder = env::temp_dir().join(format!("impinge-peer-{}", process::id()));
    let counts = folder.join("counts");
    fs::create_dir_all(&counts).unwrap();
    let (a, b) = (generate::sphere(320).unwrap(), generate::torus(1.0, 0.4, [20, 8]).unwrap());
    // Clear contacts and clear misses, which single precision can distinguish.
    let poses = [generate::tumble(1.3, 12).unwrap(), generate::tumble(4.0, 4).unwrap()].concat();
    let expected: Vec<usize> = {
        let mut pair = Pair::with_method(impinge::Method::WIDE, a.clone(), b.clone());
        poses.iter().map(|pose| pair.contacts(&Pose::IDENTITY, pose).len()).collect()
    };
    let hits = expected.iter().filter(|count| **count > 0).count();
    assert!((8..=12).contains(&hits), "too few or too many poses touch: {expected:?}");
    impinge_io::save(folder.join("a.obj"), &Model::from_mesh("a", a)).unwrap();
    impinge_io::save(folder.join("b.obj"), &Model::from_mesh("b", b)).unwrap();
    impinge_io::save_poses(folder.join("poses.csv"), &poses).unwrap();

    let output = process::Command::new(env!("CARGO_BIN_EXE_peer_parry3d"))
        .arg(&folder)
        .args(["--cap", "5", "--counts"])
        .arg(&counts)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let modes: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| (line["engine"].as_str().unwrap(), line["mode"].as_str().unwrap()))
        .collect();
    assert_eq!(
        modes,
        [("parry-pieces", "detect"), ("parry-pieces", "all"), ("parry-call", "detect")]
    );
    for (line, (engine, mode)) in lines.iter().zip(modes) {
        assert_eq!((&line["tris_a"], &line["steps"]), (&320.into(), &16.into()), "{line}");
        assert_eq!(line["colliding_steps"], hits, "{line}");
        let [mean, median, max] =
            ["mean_us", "p50_us", "max_us"].map(|name| line[name].as_f64().unwrap());
        assert!(mean > 0.0 && median <= max && line["bytes"].as_u64() > Some(0), "{line}");
        let text = fs::read_to_string(counts.join(format!("{engine}-{mode}.csv"))).unwrap();
        for ((step, line), expected) in text.lines().enumerate().zip(&expected) {
            let (at, count) = line.split_once(',').unwrap();
            let count: usize = count.parse().unwrap();
            assert_eq!(at, step.to_string());
            assert_eq!(count > 0, *expected > 0, "{engine}, {mode}, step {step}");
            // Single precision may find a pair more or less.
            let is_close = mode == "detect" || count.abs_diff(*expected) * 50 <= *expected;
            assert!(is_close, "{engine}, step {step}: found {count} pairs, expected {expected}");
        }
        assert_eq!(text.lines().count(), 16);
    }
    fs::remove_dir_all(&folder).unwrap();

    let output = process::Command::new(env!("CARGO_BIN_EXE_peer_parry3d")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("usage"), "{output:?}");
}
