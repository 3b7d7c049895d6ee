//! The table in `docs/clash.md`, compared with the pairs. With `IMPINGE_UPDATE_DOCS=1` in the environment, the test
//! writes the table instead.

use super::pairs::{self, Pair};
use impinge::clash::Side;
use std::{fs, path::Path};

const HEADING: &str = "\n| pair | verdict | depth in mm | volume in mm³ |\n|---|---|---|---|\n";

#[test]
fn the_documentation_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clash.md");
    let text = fs::read_to_string(&path).expect("the documentation");
    let start = text.find(HEADING).expect("the documentation has the heading") + HEADING.len();
    let length = text[start..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let end = start + length.map(str::len).sum::<usize>();
    let table: String = pairs::all().iter().map(row).collect();
    if std::env::var_os("IMPINGE_UPDATE_DOCS").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        fs::write(&path, text).expect("the documentation can be written");
        return;
    }
    assert!(text[start..end] == table, "docs/clash.md is out of date: set IMPINGE_UPDATE_DOCS=1");
}

fn row(pair: &Pair) -> String {
    let verdict = match (pair.verdict, pair.inner) {
        (None, _) => "clear".to_owned(),
        (Some(verdict), Some(Side::A)) => format!("{verdict} (first in second)"),
        (Some(verdict), Some(Side::B)) => format!("{verdict} (second in first)"),
        (Some(verdict), None) => verdict.to_string(),
    };
    let depth = match (pair.fit, pair.depth) {
        (Some((_, difference)), _) => format!("radius {difference:+.2}"),
        (None, Some(depth)) => number(depth),
        (None, None) => "-".to_owned(),
    };
    let volume = pair.volume.map_or("-".to_owned(), number);
    format!("| {} | {verdict} | {depth} | {volume} |\n", pair.name)
}

/// A number with at most 7 significant digits.
fn number(value: f64) -> String {
    let digits = (6 - value.abs().max(1e-6).log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
