//! Tool files, machine files and specifications that were changed at random: a reader returns a valid value or an error
//! that names the file, and never panics.

use impinge::generate::Random;
use impinge_nc::{Machine, Tool, ToolTable};
use std::panic::catch_unwind;

const PIECES: [&str; 26] = [
    "",
    "0",
    "2",
    "7.5",
    "-1",
    "1e308",
    "nan",
    "inf",
    ":",
    ",",
    "=",
    "/",
    ";",
    "\n",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "\u{0}",
    "é",
    "T1",
    "holder=",
    "angle=",
    "99999999999",
];

/// Changes a text in 1 to 3 places, by seed.
fn changed(base: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text: Vec<char> = base.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len() as u64 + 1) as usize;
        let end = (at + random.below(4) as usize).min(text.len());
        let piece = PIECES[random.below(PIECES.len() as u64) as usize];
        text.splice(at..end, piece.chars());
    }
    text.into_iter().collect()
}

/// Reads changed texts. `read` returns whether the text was accepted.
fn fuzz(what: &str, bases: &[&str], read: impl Fn(&str) -> bool + std::panic::RefUnwindSafe) {
    let mut accepted = 0;
    let count = 20_000;
    for seed in 0..count {
        let text = changed(bases[seed as usize % bases.len()], seed);
        match catch_unwind(|| read(&text)) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(_) => panic!("{what}, seed {seed}: {text:?}"),
        }
    }
    assert!(accepted > count / 200 && accepted < count, "{what}: {accepted} of {count}");
}

fn is_sound(tool: &Tool) -> bool {
    let discs = tool.parts.iter().flat_map(|part| part.solid.discs());
    let is_finite = discs.map(|disc| disc.height + disc.radius + disc.rounding).all(f64::is_finite);
    let outline = tool.outline(tool.diameter / 10.0);
    let rises = outline.windows(2).all(|pair| pair[1].y >= pair[0].y - 1e-9 * pair[1].y.abs());
    is_finite
        && rises
        && tool.diameter > 0.0
        && tool.with_reach(1e3).parts.len() == tool.parts.len()
}

#[test]
fn specifications() {
    let bases = [
        "ball:d=6,length=20,shank=6:30,holder=20:15,40/50:25",
        "taper:d=3,angle=5,r=0.5,length=30",
        "drill:d=5,angle=118,length=50,holder=8:3",
        "cone:d=6,angle=30,tip=1",
        "bull:d=6,r=1",
    ];
    fuzz("specifications", &bases, |text| {
        Tool::from_spec(text, 1.0).is_ok_and(|tool| {
            assert!(is_sound(&tool), "{text:?}: {tool:?}");
            true
        })
    });
}

#[test]
fn tables() {
    let linuxcnc = "T1 P1 Z+51.2 D6.000 ;ball end mill\nT2 P2 D5 I0 J0 Q3 ;drill 118deg\n\
                    T3 D6;bull r=1\nT4 D12 ;v-bit angle=30\n;end\nT5 ;flat:d=6,length=20\n";
    let camotics = r#"{"units": "metric", "tools": {"1": {"units": "imperial", "shape": "ballnose",
        "length": 1, "diameter": 0.125, "description": ""}, "2": {"shape": "spheroid", "length": 5,
        "diameter": 3}}, "workpiece": {"bounds": {"min": [0, 0, -20], "max": [80, 80, 0]}}}"#;
    let toml = "unit = \"mm\"\n[tool.1]\nspec = \"ball:d=6,length=20,shank=6:30\"\nname = \"a\"\n\
                length_offset = 3\n[stock]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n";
    for (name, base) in [("a.tbl", linuxcnc), ("a.camotics", camotics), ("a.toml", toml)] {
        fuzz(name, &[base], |text| match ToolTable::read(text, name, 1.0) {
            Ok(table) => {
                assert!(table.tools.values().all(is_sound), "{text:?}");
                true
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.starts_with(name) && !message.contains('\n'),
                    "{text:?}: {message}"
                );
                false
            }
        });
    }
}

#[test]
fn machines() {
    let base = "name = \"xyzac\"\ntool_length = 50\ntip_programmed = false\n\
                [[rotary]]\naxis = \"A\"\nside = \"table\"\ndirection = [1, 0, 0]\npoint = [0, 0, 0]\n\
                [[rotary]]\naxis = \"C\"\nside = \"head\"\n";
    fuzz("m.toml", &[base], |text| match Machine::read(text, "m.toml") {
        Ok(machine) => {
            let pose = machine.tool_pose([1.0, 2.0, 3.0, 0.4, 0.5, 0.6]);
            assert!(pose.tip.is_finite() && pose.axis.is_normalized(), "{text:?}: {pose:?}");
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.starts_with("m.toml") && !message.contains('\n'),
                "{text:?}: {message}"
            );
            false
        }
    });
}
