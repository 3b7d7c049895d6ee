//! Mutated programs: for any bytes, the reader returns a valid program or an error that names a line of the file, within
//! limits of time.
//!
//! Every iteration is seeded by its number. `IMPINGE_FUZZ_SECONDS` sets the time (default 3).

// Prints the number of inputs, for long runs.
#![allow(clippy::print_stdout)]

use super::tip;
use impinge::generate::Random;
use impinge_io::Location;
use impinge_nc::{GcodeOptions, Machine, Program, Rapids, ToolOffset};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

const SLOWEST: Duration = Duration::from_secs(5);

const PROGRAMS: [&str; 6] = [
    "%\nO1 (head)\nG21 G90 G17 G40 G49 G80\nT1 M6\nG0 X0 Y0 Z5\nG1 Z-1 F100\nG2 X10 Y0 I5 J0\nG3 X0 Y0 R-7 Z-2\nM30\n%\n",
    "G20 G91\nG0 X1 Y1 Z1\nG18 G2 X1 Z1 R2 P2\nG19 G3 Y1 Z0 K1 J.5\nG28 Z0\nG53 G0 Z0\nG92 X0\nG92.1\nG10 L2 P2 X5\nG55 G1 X1\n",
    "G21\nG0 X0 Y0 Z9\nG98 G83 X1 Y1 Z-5 R2 Q1.5 L2\nG99 G73 X2 Z-9 Q3 R1\nG81 X3 R1 Z-2\nG87 X1 Y1 Z-3 R1 I1 J1 K-1\nG80\n",
    "o100 sub\n#3=[#1*2+sin[30]]\no101 if [#3 gt 2]\nG1 X#3 Y#2\no101 elseif [#3 eq 1]\nG1 X0\no101 else\no100 return [5]\n\
     o101 endif\no100 endsub\nG21 G0 X0 Y0 Z0\n#1=0\no1 while [#1 lt 5]\no100 call [#1] [#<_value>]\n#1=[#1+1]\no1 endwhile\n\
     o2 do\n#1=[#1-1]\no3 if [#1 eq 2]\no2 continue\no3 endif\no2 while [#1 gt 0]\no4 repeat [3]\nM98 P7 L2\no4 endrepeat\nM2\n\
     O7\nG91 G1 X1\nM99\n",
    "G21\nG0 X-20 Y0 Z0\nG42 D1 G1 X0\nX10\nY10\nG3 X0 R5\nG1 Y0\nZ-1\nX20\nG40\nG1 X30\nG41.1 D3 G1 X50\nG2 X60 Y10 R10\nG40 G1 X0\n",
    "G21 M428\nG0 X1 Y2 Z3 A10 C20\nG1 X4 A15 F10\nX5\nG3 X7 R1\nM429\nG1 X6 A0\nG43 H2 T1 M6\nG1 C0\nX9\n",
];

const TOKENS: [&str; 40] = [
    "G0",
    "G1",
    "G2",
    "G3",
    "G17",
    "G18",
    "G19",
    "G41 D1",
    "G42.1 D.1",
    "G40",
    "G81",
    "G83",
    "G98",
    "G91",
    "G90.1",
    "X",
    "Y-1",
    "Z1e9",
    "R-1",
    "I0",
    "J1",
    "K2",
    "P3",
    "Q.0001",
    "L99999999",
    "[",
    "]",
    "#1",
    "#<a>=1",
    "##",
    "atan[1]/[0]",
    "(",
    ")",
    ";",
    "\0",
    "\n",
    "o100 call [1]",
    "99999999999999999999",
    "**",
    "G92 X1",
];

fn mutate(random: &mut Random) -> Vec<u8> {
    let mut below = |end: usize| random.below(end.max(1) as u64) as usize;
    let mut bytes = PROGRAMS[below(PROGRAMS.len())].as_bytes().to_vec();
    if below(3) == 0 {
        bytes.extend_from_slice(PROGRAMS[below(PROGRAMS.len())].as_bytes());
    }
    for _ in 0..=below(6) {
        let at = below(bytes.len());
        match below(6) {
            0 => bytes[at] = below(256) as u8,
            1 => bytes[at] = b"0123456789.-+ GXYZIJKRPQL#[]()\n"[below(31)],
            2 => {
                let end = (at + below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let token = TOKENS[below(TOKENS.len())].as_bytes();
                bytes.splice(at..at, token.iter().copied());
            }
            4 => {
                // A line is moved or repeated.
                let lines: Vec<Vec<u8>> =
                    bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                let line = lines[below(lines.len())].clone();
                let mut lines = lines;
                lines.insert(below(lines.len()), line);
                bytes = lines.join(&b'\n');
            }
            _ => {
                let end = (at + below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = below(bytes.len());
                bytes.splice(to..to, part);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'X');
        }
    }
    bytes
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let seconds = std::env::var("IMPINGE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(3));
    let start = Instant::now();
    let (mut seed, mut accepted) = (0, 0);
    while start.elapsed() < time {
        let mut random = Random::new(seed);
        let mut options = GcodeOptions::default();
        options.most_moves = 20_000;
        options.most_lines = 20_000;
        options.allow_unknown = random.below(2) == 0;
        options.rapids = [Rapids::Straight, Rapids::Dogleg, Rapids::Both][random.below(3) as usize];
        options.machine = Machine::built_in("xyzac").map(Arc::new);
        options.tools.insert(1, ToolOffset { length: Some(50.0), diameter: Some(6.0) });
        let bytes = mutate(&mut random);
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let began = Instant::now();
        let result =
            catch_unwind(AssertUnwindSafe(|| Program::read_gcode(&bytes, "fuzz", &options)));
        let result = result.unwrap_or_else(|_| panic!("seed {seed} panics:\n{shown}"));
        assert!(began.elapsed() < SLOWEST, "seed {seed} takes {:?}:\n{shown}", began.elapsed());
        let lines = bytes.split(|&byte| byte == b'\n' || byte == b'\r').count();
        match result {
            Ok(program) => {
                accepted += 1;
                for step in &program.moves {
                    let ends = [0.0, 0.5, 1.0].map(|t| tip(&step.motion, t));
                    assert!(
                        ends.iter().all(|end| end.is_finite()),
                        "seed {seed}: {step:?}\n{shown}"
                    );
                    assert!(
                        (1..=program.lines).contains(&step.line),
                        "seed {seed}: {step:?}\n{shown}"
                    );
                }
            }
            Err(error) => match error.location {
                Location::Line(line) | Location::Character { line, .. } => {
                    assert!((1..=lines).contains(&line), "seed {seed}: {error}\n{shown}");
                }
                _ => panic!("seed {seed}: no line in {error}\n{shown}"),
            },
        }
        seed += 1;
    }
    println!("{seed} mutated programs, {accepted} of them accepted");
    assert!(
        seed > 100 && accepted > seed / 50,
        "{accepted} of {seed} accepted: the mutations are too wild"
    );
}
