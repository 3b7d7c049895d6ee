//! A polyhedral tool at discrete positions, beside FCL.

use crate::{scenes::Scene, tables::polyhedral_ball};
use impinge::{Mesh, Method, Pair, Pose, glam::DVec3};
use impinge_io::Model;
use serde_json::Value;
use std::{
    error::Error,
    ffi::OsStr,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

const ROUNDS: usize = 3;

pub(crate) fn print(scene: &Scene) {
    let Some(program) = std::env::var_os("IMPINGE_FCL") else {
        println!("\nFCL is left out: `IMPINGE_FCL` names no peer.");
        return;
    };
    let (tool, tips) = polyhedral_ball(&scene.path);
    let pose = |tip: &DVec3| Pose::from_translation(*tip).expect("finite");
    let poses: Vec<Pose> = tips.iter().map(pose).collect();
    let answers = match run(&program, &scene.mesh, &tool, &poses) {
        Ok(answers) => answers,
        Err(error) => {
            println!("\nFCL fails: {error}");
            return;
        }
    };
    let faces = scene.mesh.faces().len();
    println!(
        "\n#### Beside FCL: {} of {faces} faces, a polyhedral ball of {} faces, {} positions\n",
        scene.name,
        tool.faces().len(),
        poses.len()
    );
    println!("| engine | positions with contact | µs per check | × |");
    println!("|---|---|---|---|");
    let [(ours, contacts), (dop18, _)] =
        [Method::WIDE, Method::DOP18].map(|method| time(method, &scene.mesh, &tool, &poses));
    println!("| impinge, wide | {contacts} | {ours:.2} | 1 |");
    println!("| impinge, dop18 | {contacts} | {dop18:.2} | {:.1} |", dop18 / ours);
    for answer in answers {
        if answer["mode"] == "detect" {
            let time = answer["mean_us"].as_f64().unwrap_or(f64::NAN);
            let engine = answer["engine"].as_str().unwrap_or_default();
            println!(
                "| {engine} | {} | {time:.2} | {:.1} |",
                answer["colliding_steps"],
                time / ours
            );
        }
    }
}

/// Microseconds per check, each the best of some rounds, and the number of positions with a contact.
fn time(method: Method, part: &Mesh, tool: &Mesh, poses: &[Pose]) -> (f64, usize) {
    let mut pair = Pair::with_method(method, part.clone(), tool.clone());
    let mut best = vec![Duration::MAX; poses.len()];
    let mut contacts = 0;
    for _ in 0..ROUNDS {
        contacts = 0;
        for (pose, best) in poses.iter().zip(&mut best) {
            let start = Instant::now();
            contacts += usize::from(pair.intersects(&Pose::IDENTITY, pose));
            *best = start.elapsed().min(*best);
        }
    }
    (1e6 * best.iter().sum::<Duration>().as_secs_f64() / poses.len() as f64, contacts)
}

/// Writes the scenario and runs the peer.
fn run(
    program: &OsStr,
    part: &Mesh,
    tool: &Mesh,
    poses: &[Pose],
) -> Result<Vec<Value>, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("impinge-bench-nc-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let found = run_in(&folder, program, part, tool, poses);
    let _ = fs::remove_dir_all(&folder);
    found
}

fn run_in(
    folder: &Path,
    program: &OsStr,
    part: &Mesh,
    tool: &Mesh,
    poses: &[Pose],
) -> Result<Vec<Value>, Box<dyn Error>> {
    for (name, mesh) in [("a.obj", part), ("b.obj", tool)] {
        impinge_io::save(folder.join(name), &Model::from_mesh(name, mesh.clone()))?;
    }
    impinge_io::save_poses(folder.join("poses.csv"), poses)?;
    let run = Command::new(program).arg(folder).args(["--cap", "60", "--only", "obb"]).output()?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned().into());
    }
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
