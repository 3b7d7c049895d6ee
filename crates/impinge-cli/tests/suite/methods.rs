//! Tests of `impinge methods`, `completions`, `--help` and the usage that all commands share.

use crate::common::{Folder, has_program, impinge};
use std::{collections::BTreeSet, process::Command};

const COMMANDS: [&str; 9] =
    ["clash", "query", "points", "rays", "inspect", "methods", "generate", "verify", "completions"];

#[test]
fn methods_are_listed_for_people_and_for_programs() {
    let lines = impinge(["methods", "--json"]).succeeds().json_lines();
    let table = impinge(["methods"]).succeeds().stdout;
    assert_eq!(table.lines().count(), lines.len(), "{table}");
    assert_eq!(lines.iter().filter(|line| line["default"] == true).count(), 1, "{lines:?}");
    let mut names = BTreeSet::new();
    for (line, row) in lines.iter().zip(table.lines()) {
        let [name, summary] = ["name", "summary"].map(|field| line[field].as_str().unwrap());
        assert!(!name.is_empty() && !summary.is_empty(), "{line}");
        assert!(names.insert(name), "{name} is there twice");
        assert!(line["paper"].is_string() || line["paper"].is_null(), "{line}");
        assert!(row.starts_with(name) && row.contains(summary), "{row}");
        let run = impinge(["query", "gen:chair", "gen:chair", "--method", name]);
        assert_eq!(run.succeeds().json()["method"], name);
    }
    assert!(names.contains("brute"), "{names:?}");
}

#[test]
fn completions_for_each_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = impinge(["completions", shell]).succeeds().stdout;
        for word in COMMANDS.iter().chain(&["deformed-torus", "pairs"]) {
            assert!(script.contains(word), "{shell}: no `{word}`");
        }
        folder.write(shell, script);
    }
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        // Only bash must be installed; other shells are tested if they are.
        let is_there = match shell {
            "bash" => has_program(shell),
            _ => Command::new(shell).arg("--version").output().is_ok(),
        };
        if is_there {
            let output = Command::new(shell).args([check, &folder.at(shell)]).output().unwrap();
            assert!(output.status.success(), "{shell} does not read its script: {output:?}");
        }
    }
    impinge(["completions"]).misused(&["<SHELL>"]);
    impinge(["completions", "tcsh"]).misused(&["tcsh", "bash"]);
}

#[test]
fn help_has_examples() {
    let help = impinge(["--help"]).succeeds().stdout;
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is not in\n{help}");
        for flag in ["--help", "-h"] {
            let help = impinge([command, flag]).succeeds().stdout;
            assert!(help.contains("Example"), "{command} {flag}:\n{help}");
            let example = format!("\n  impinge {command}");
            assert!(help.contains(&example), "{command} {flag}:\n{help}");
        }
    }
    assert!(help.contains("Examples:\n  impinge "), "{help}");
    assert!(impinge(["verify", "triangles", "--help"]).succeeds().stdout.contains("Example"));
    assert!(impinge(["generate", "gear", "--help"]).succeeds().stdout.contains("--teeth"));
    let version = impinge(["--version"]).succeeds().stdout;
    assert_eq!(version, format!("impinge {}\n", env!("CARGO_PKG_VERSION")));
}

/// In every help text, examples come before options.
#[test]
fn examples_come_first() {
    let commands =
        ["clash", "query", "run", "index", "inspect", "methods", "generate", "bench", "verify"];
    let single = commands.iter().map(|&command| vec![command]);
    let deeper =
        [vec![], vec!["generate", "gear"], vec!["bench", "tumble"], vec!["verify", "triangles"]];
    for mut arguments in single.chain(deeper) {
        arguments.push("--help");
        let help = impinge(&arguments).succeeds().stdout;
        let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("no {text} in\n{help}"));
        assert!(at("Usage:") < at("\nExample"), "{help}");
        assert!(at("\nExample") < at("\nOptions:"), "{help}");
    }
}

/// `--threads` has the same meaning and default everywhere.
#[test]
fn threads_are_the_same_everywhere() {
    for command in ["clash", "query", "run", "index"] {
        let help = impinge([command, "--help"]).succeeds().stdout;
        let start = help.find("--threads <N>").unwrap_or_else(|| panic!("{command}: {help}"));
        let words: Vec<&str> = help[start..].split_whitespace().take(60).collect();
        let text = words.join(" ");
        assert!(text.contains("0 for one per core"), "{command}: {text}");
        let default = if command == "run" { "a scene without one uses 0" } else { "[default: 0]" };
        assert!(text.contains(default), "{command}: {text}");
    }
    impinge(["index", "gen:chair", "--parallel", "-o", "x"]).misused(&["--parallel"]);
    impinge(["run", "x.toml", "--poses", "x.csv"]).misused(&["--poses"]);
}

/// Examples of the help can be run as they are, if they need no file.
#[test]
fn examples_of_the_help_run() {
    let folder = Folder::new();
    let mut ran = 0;
    for command in COMMANDS {
        let help = impinge([command, "--help"]).succeeds().stdout;
        let examples = help.lines().filter_map(|line| line.strip_prefix("  impinge "));
        for example in examples.map(|example| example.split('>').next().unwrap().trim()) {
            let mut words: Vec<String> = example.split(' ').map(str::to_owned).collect();
            let reads_a_file = |word: &String| {
                [".obj", ".stl", ".glb", ".csv", ".urdf"].iter().any(|kind| word.ends_with(kind))
            };
            // Output files are redirected to the test folder.
            if let Some(output) = words.iter().position(|word| word == "-o") {
                words[output + 1] = folder.at(&words[output + 1]);
                assert!(!words[..output].iter().any(reads_a_file), "{example}");
            } else if words.iter().any(reads_a_file) {
                continue;
            }
            let run = impinge(&words);
            match command {
                // The gearbox has clashes by design.
                "clash" => assert_eq!(run.code, Some(1), "{example}: {}", run.stderr),
                _ => _ = run.succeeds(),
            }
            ran += 1;
        }
    }
    assert!(ran >= 9, "only {ran} examples ran");
}

#[test]
fn usage_errors() {
    impinge([] as [&str; 0]).misused(&["Usage: impinge", "query"]);
    impinge(["qeury"]).misused(&["qeury", "query"]);
    impinge(["--verbose"]).misused(&["--verbose"]);
    impinge(["methods", "brute"]).misused(&["brute"]);
    impinge(["verify"]).misused(&["triangles"]);
    impinge(["verify", "triangles"]).misused(&["<FILE>"]);
    impinge(["verify", "squares", "a.csv"]).misused(&["squares"]);
    impinge(["generate"]).misused(&["sphere", "gearbox"]);
    impinge(["generate", "dodecahedron", "-o", "a.obj"]).misused(&["dodecahedron"]);
}
