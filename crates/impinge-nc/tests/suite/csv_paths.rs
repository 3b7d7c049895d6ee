//! CSV paths: speed, and text that was changed at random.

use impinge::generate::Random;
use impinge_nc::{Motion, Program, program::is_csv_path};
use std::{fmt::Write, time::Instant};

#[test]
fn a_million_rows_are_read_quickly() {
    let mut text = String::from("x,y,z,i,j,k\n");
    let mut random = Random::new(1);
    for row in 0..1_000_000 {
        let (x, y, i) = (f64::from(row) * 0.001, random.range(-9.0, 9.0), random.range(-0.5, 0.5));
        writeln!(text, "{x:.4},{y:.4},-1.25,{i:.6},0.1,{:.6}", (1.0 - i * i).sqrt()).unwrap();
    }
    let start = Instant::now();
    let program = Program::read_csv(&text, "path.csv", 1.0).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{} moves in {seconds:.3} s", program.moves.len());
    assert_eq!(program.moves.len(), 999_999);
    assert_eq!(program.moves[999_998].line, 1_000_001);
    // About 0.5 s on one core; the bound is for a busy machine.
    assert!(seconds < 5.0, "{seconds} s");
}

/// For any text, the reader returns finite moves or an error that names the file.
#[test]
fn changed_text_gives_a_path_or_an_error() {
    let base = "x,y,z,i,j,k\r\n0,0,5,0,0,1\r\n1.5,-2e1,3,0.6,0,0.8\r\n7,8,9,1,1,1\n\n";
    let pieces = ["nan", "1e308", "-", ",", "\n", "\u{FEFF}", "é", "1e-320", " ", "0", "\"", "x"];
    let (mut read, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let mut text: Vec<char> = base.chars().collect();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len() as u64 + 1) as usize;
            let end = (at + random.below(4) as usize).min(text.len());
            let piece = pieces[random.below(pieces.len() as u64) as usize];
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match Program::read_csv(&text, "path.csv", 1.0) {
            Ok(program) => {
                assert!(is_csv_path(&text), "seed {seed}");
                let is_finite = program.moves.iter().all(|found| match found.motion {
                    Motion::Straight { from, to, axis } => {
                        from.is_finite() && to.is_finite() && axis.is_normalized()
                    }
                    Motion::Tilting { from, to } => {
                        from.axis.is_normalized() && to.axis.is_normalized()
                    }
                    _ => false,
                });
                assert!(is_finite, "seed {seed}: {text:?}");
                read += 1;
            }
            Err(error) => {
                assert!(error.to_string().starts_with("path.csv"), "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(read > 500 && refused > 1000, "{read} were read, {refused} refused");
}
