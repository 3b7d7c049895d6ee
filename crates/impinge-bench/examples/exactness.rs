//! Draws the README's picture: where a plain floating-point triangle test goes wrong.
//! `cargo run --release -p impinge-bench --example exactness -- docs/exactness.svg`

use impinge::glam::DVec3;
use impinge::narrow::{Triangle, triangles_intersect};
use std::{env, fmt::Write, fs, io, process::ExitCode};

#[path = "../benches/triangles/plain.rs"]
mod plain;

const CELLS: u64 = 128;
const PIXELS: u64 = 3;
const MARGIN: u64 = 16;

/// A triangle whose tip is `i` and `j` ulps from the plane x = y of the other triangle.
fn blade(i: u64, j: u64) -> Triangle {
    let near = |steps: u64| f64::from_bits(0.5f64.to_bits() + steps);
    [DVec3::new(near(i), near(j), 0.3), DVec3::new(9.0, 0.1, 0.2), DVec3::new(9.0, 0.1, 0.7)]
}

fn wall() -> Triangle {
    [DVec3::new(-24.0, -24.0, -17.3), DVec3::new(24.0, 24.0, -17.3), DVec3::new(11.7, 11.7, 29.1)]
}

fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        return fail(&io::Error::other("give the path of the SVG file to write"));
    };
    match fs::write(path, picture()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

#[expect(clippy::print_stderr, reason = "a program for the terminal")]
fn fail(error: &io::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

fn picture() -> String {
    let side = CELLS * PIXELS;
    let (width, height) = (2 * side + 3 * MARGIN, side + 3 * MARGIN + 8);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let right = MARGIN + side + MARGIN;
    panel(&mut svg, MARGIN, "plain floating point", plain::triangles_intersect);
    panel(&mut svg, right, "impinge", triangles_intersect);
    svg.push_str("</svg>\n");
    svg
}

/// Draws the answers of one test: dark for a touch, light for none, red where the answer is wrong.
fn panel(svg: &mut String, left: u64, title: &str, test: fn(&Triangle, &Triangle) -> bool) {
    let top = MARGIN + 16;
    let mut wrong = 0;
    let mut body = String::new();
    for j in 0..CELLS {
        let colors: Vec<&str> = (0..CELLS)
            .map(|i| {
                let (found, exact) = (test(&wall(), &blade(i, j)), truth(i, j));
                wrong += u64::from(found != exact);
                match (found == exact, found) {
                    (false, _) => "#d33",
                    (true, true) => "#345",
                    (true, false) => "#cde",
                }
            })
            .collect();
        // One rectangle per run of equal cells keeps the file small.
        let mut i = 0;
        for run in colors.chunk_by(|a, b| a == b) {
            let length = run.len() as u64;
            let (x, y) = (left + i * PIXELS, top + (CELLS - 1 - j) * PIXELS);
            let _ = writeln!(
                body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{PIXELS}\" fill=\"{}\"/>",
                length * PIXELS,
                run[0]
            );
            i += length;
        }
    }
    let label = format!("{title}: {wrong} of {} wrong", CELLS * CELLS);
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\">{label}</text>", MARGIN + 8);
    svg.push_str("<g shape-rendering=\"crispEdges\">\n");
    svg.push_str(&body);
    svg.push_str("</g>\n");
}

/// The exact answer: the wall is the plane x = y and the rest of the blade lies at x > y, so the blade reaches
/// the wall exactly if its tip has x ≤ y.
fn truth(i: u64, j: u64) -> bool {
    i <= j
}
