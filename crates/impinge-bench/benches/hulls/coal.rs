//! Another library's distances, from a program of its own.

use super::scene::Scene;
use serde_json::Value;
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What the program prints about one way to ask.
pub(crate) struct Answer {
    pub(crate) engine: String,
    /// The mean time of a query, in nanoseconds.
    pub(crate) mean: f64,
    pub(crate) distances: Vec<f64>,
}

/// Returns the program, or a message if it is missing or does not answer for a small scene.
pub(crate) fn program() -> Result<PathBuf, String> {
    let named = std::env::var_os("IMPINGE_COAL");
    let program = named.map_or_else(|| "coal_hulls".into(), PathBuf::from);
    match answers(&program, &Scene::new(20, 1.0, 0)) {
        Ok(_) => Ok(program),
        Err(why) => Err(format!("coal is missing: {} (IMPINGE_COAL) {why}", program.display())),
    }
}

/// Runs the program on a folder with the hulls and the poses.
pub(crate) fn answers(program: &Path, scene: &Scene) -> Result<Vec<Answer>, String> {
    let folder = std::env::temp_dir().join(format!("impinge-hulls-{}", std::process::id()));
    let run = write(&folder, scene).and_then(|()| Command::new(program).arg(&folder).output());
    let _ = fs::remove_dir_all(&folder);
    let output = run.map_err(|error| format!("does not run: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("fails: {}", message.lines().last().unwrap_or_default()));
    }
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    lines
        .map(|line| line.ok().as_ref().and_then(answer).ok_or("prints no answer".to_owned()))
        .collect()
}

fn answer(line: &Value) -> Option<Answer> {
    let distances = line["distances"].as_array()?.iter().map(Value::as_f64);
    Some(Answer {
        engine: line["engine"].as_str()?.to_owned(),
        mean: line["mean_ns"].as_f64()?,
        distances: distances.collect::<Option<_>>()?,
    })
}

fn write(folder: &Path, scene: &Scene) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (hull, name) in scene.hulls.iter().zip(["a.obj", "b.obj"]) {
        let mut text = String::new();
        for p in hull.positions() {
            let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
        }
        for face in Scene::triangles(hull) {
            let [p, q, r] = face.map(|vertex| vertex + 1);
            let _ = writeln!(text, "f {p} {q} {r}");
        }
        fs::write(folder.join(name), text)?;
    }
    let row =
        |pose: &impinge::Pose| pose.to_rows().map(|number| number.to_string()).join(",") + "\n";
    fs::write(folder.join("poses.csv"), scene.poses.iter().map(row).collect::<String>())
}
