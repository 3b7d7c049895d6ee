//! `cargo xtask compare`: `impinge bench` beside parry3d, which is a program of its own.

use crate::command::{cargo, output_of, target};
use std::{path::Path, process::Command};

/// Builds the command and the peer, and runs the comparison with these options of `impinge bench`.
pub(crate) fn run(root: &Path, options: &[&str]) -> Result<(), String> {
    for [package, program] in [["impinge-cli", "impinge"], ["impinge-bench", "peer_parry3d"]] {
        let build = ["build", "--release", "-p", package, "--bin", program];
        output_of(&mut cargo(root, &build))?;
    }
    let programs = target()?.join("release");
    let peer = format!("parry3d=\"{}\" {{dir}}", programs.join("peer_parry3d").display());
    let mut bench = Command::new(programs.join("impinge"));
    bench.args(["bench", "--peer", &peer]).args(options);
    println!("$ impinge bench --peer \"parry3d=peer_parry3d {{dir}}\" {}", options.join(" "));
    match bench.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`impinge bench` ended with {status}")),
        Err(error) => Err(format!("`impinge bench` did not start: {error}")),
    }
}
