//! Clashes of assemblies: `cargo bench -p impinge-bench --bench clash [-- PARTS…]`
//!
//! Runs the `impinge` command as users do, each time in a separate process: read, index, verdicts, JSON. First
//! generated plants with the given numbers of parts, with their memory; then real assemblies, compared with
//! trimesh (FCL) and ifcclash, in turns, the best of five rounds each. Build the command first (`cargo build
//! --release`). `IMPINGE_DATA` names the folder of the assemblies. Peers run if `IMPINGE_PYTHON` names a Python
//! that has them (`pip install trimesh python-fcl networkx scipy ifcclash`).
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const ROUNDS: usize = 5;

fn main() {
    let mut counts: Vec<u32> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 30_000, 100_000];
    }
    let command = command();
    println!(
        "| plant of | file, MB | s | µs a part | peak, MB | pairs looked at | clashes | contacts |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for count in counts {
        plant(&command, count);
    }
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("\nReal assemblies are left out: `IMPINGE_DATA` names no folder of them.");
        return;
    };
    let python = std::env::var_os("IMPINGE_PYTHON").map(PathBuf::from);
    println!("\n| assembly | parts | engine | total, s | × | pairs that meet | contacts |");
    println!("|---|---|---|---|---|---|---|");
    for (name, path, options) in [
        ("car", "assemblies/car-concept/CarConcept.geometry.glb", &["--primitives"][..]),
        ("watch", "assemblies/chronograph-watch/ChronographWatch.gltf", &["--primitives"]),
        ("gears", "assemblies/gears", &[]),
    ] {
        real(
            &command,
            python.as_deref(),
            name,
            &[data.join(path)],
            options,
            "trimesh_collisions.py",
        );
    }
    let ifc = ["Architecture", "Hvac", "Structural"];
    let files = ifc.map(|name| data.join(format!("ifc/Building-{name}.obj")));
    real(&command, python.as_deref(), "building", &files, &[], "ifcclash_collisions.py");
    if python.is_none() {
        println!("\nPeers are left out: `IMPINGE_PYTHON` names no Python that has them.");
    }
}

/// Returns the path of the command, beside this program.
fn command() -> PathBuf {
    let beside =
        std::env::current_exe().ok().and_then(|own| Some(own.parent()?.parent()?.join("impinge")));
    let command = beside.filter(|command| command.exists());
    command.expect("`cargo build --release` makes the command")
}

/// Generates a plant and finds its clashes.
fn plant(command: &Path, count: u32) {
    let folder = std::env::temp_dir().join(format!("impinge-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for what is made");
    let file = folder.join("plant.glb");
    let parts = format!("--parts={count}");
    let mut make = Command::new(command);
    let made =
        make.args(["generate", "plant", &parts, "-o"]).arg(&file).stdout(Stdio::null()).status();
    assert!(made.is_ok_and(|status| status.success()), "the plant is made");
    let megabytes = fs::metadata(&file).map_or(0.0, |file| file.len() as f64 / 1e6);
    let run = ours(command, &[file], &["--clearance=2.5"], &folder.join("clashes.json"));
    fs::remove_dir_all(&folder).expect("what was made goes");
    println!(
        "| {count} | {megabytes:.1} | {:.2} | {:.0} | {:.0} | {} | {} | {} |",
        run.seconds,
        run.seconds / f64::from(count) * 1e6,
        run.peak_megabytes,
        run.pairs_checked,
        run.clashes,
        run.contacts,
    );
}

/// The results of one run of the command.
struct Run {
    seconds: f64,
    peak_megabytes: f64,
    parts: u64,
    pairs_checked: u64,
    clashes: usize,
    meeting: usize,
    contacts: usize,
}

/// Runs the command: from files to a JSON file.
fn ours(command: &Path, files: &[PathBuf], options: &[&str], out: &Path) -> Run {
    let json = fs::File::create(out).expect("a file for the answer");
    let start = Instant::now();
    let mut run = Command::new(command);
    let run = run
        .arg("clash")
        .args(files)
        .args(options)
        .arg("--json")
        .stdout(json)
        .stderr(Stdio::null())
        .spawn();
    let mut child = run.expect("the command runs");
    // The peak memory can be read only while the process runs, so it is polled.
    let mut peak_kilobytes = 0.0f64;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        peak_kilobytes = peak_kilobytes.max(peak.and_then(|peak| peak.parse().ok()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().expect("its end can be waited for") {
            break status;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(status.code(), Some(0 | 1)), "impinge clash {files:?}: {status}");
    let answer = fs::read(out).expect("it was written");
    let answer: Value = serde_json::from_slice(&answer).expect("JSON");
    let clashes = answer["clashes"].as_array().expect("a list");
    // Clearance and inside verdicts name the two closest faces, which do not meet.
    let meeting = || clashes.iter().filter(|clash| clash["distance"] == 0.0);
    let faces = |clash: &Value| clash["faces"].as_array().map_or(0, Vec::len);
    Run {
        seconds,
        peak_megabytes: peak_kilobytes / 1e3,
        parts: answer["parts"].as_u64().unwrap_or(0),
        pairs_checked: answer["pairs_checked"].as_u64().unwrap_or(0),
        clashes: clashes.len(),
        meeting: meeting().count(),
        contacts: meeting().map(faces).sum(),
    }
}

/// Runs a peer. Returns the total time in seconds, from reading the files to the list of pairs, and its JSON answer.
fn theirs(python: &Path, script: &str, files: &[PathBuf]) -> Result<(f64, Value), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
    let run = Command::new(python).arg(script).args(files).stderr(Stdio::null()).output();
    let run = run.map_err(|error| error.to_string())?;
    let answer: Value = serde_json::from_slice(&run.stdout).map_err(|error| error.to_string())?;
    let stages = ["load", "build", "detect", "list"];
    Ok((stages.iter().filter_map(|stage| answer[stage].as_f64()).sum(), answer))
}

/// Runs a real assembly with impinge and a peer in turns.
fn real(
    command: &Path,
    python: Option<&Path>,
    name: &str,
    files: &[PathBuf],
    options: &[&str],
    peer: &str,
) {
    let out = std::env::temp_dir().join(format!("impinge-bench-{}.json", std::process::id()));
    let of_peer: Vec<PathBuf> = files.iter().flat_map(|file| peer_files(file, peer)).collect();
    let (mut best, mut best_peer): (Option<Run>, Option<(f64, Value)>) = (None, None);
    let mut trouble = None;
    for _ in 0..ROUNDS {
        let run = ours(command, files, options, &out);
        if best.as_ref().is_none_or(|best| run.seconds < best.seconds) {
            best = Some(run);
        }
        match python.map(|python| theirs(python, peer, &of_peer)) {
            Some(Ok(run)) if best_peer.as_ref().is_none_or(|best| run.0 < best.0) => {
                best_peer = Some(run);
            }
            Some(Err(why)) => trouble = Some(why),
            _ => {}
        }
    }
    let _ = fs::remove_file(&out);
    let Some(run) = best else { return };
    let ratio = |seconds: f64| seconds / run.seconds;
    println!(
        "| {name} | {} | impinge | {:.3} | 1 | {} | {} |",
        run.parts, run.seconds, run.meeting, run.contacts
    );
    if let Some((seconds, answer)) = best_peer {
        println!(
            "| | {} | {} | {seconds:.3} | {:.1} | {} | {} |",
            answer["parts"],
            answer["engine"].as_str().unwrap_or_default(),
            ratio(seconds),
            answer["pairs"],
            answer["contacts"]
        );
    } else if let Some(why) = trouble {
        println!("| | | {peer} | failed: {why} | | | |");
    }
}

/// Returns the files for a peer: those of a folder one by one, and IFC files directly.
fn peer_files(file: &Path, peer: &str) -> Vec<PathBuf> {
    if peer.starts_with("ifc") {
        return vec![file.with_extension("ifc")];
    }
    let Ok(folder) = fs::read_dir(file) else { return vec![file.to_owned()] };
    let mut files: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension != "json"));
    files.sort();
    files
}
