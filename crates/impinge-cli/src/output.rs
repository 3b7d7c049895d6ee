//! What commands print.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Names as terminals can show them.
pub(crate) use impinge_io::one_line as plain;

/// Whether a report should be a line of JSON: because it was asked for, or because no person is
/// at the other end.
pub(crate) fn wants_json(asked: bool) -> bool {
    asked || !io::stdout().is_terminal()
}

/// One line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(Failure::input)?;
    text(&format!("{line}\n"))
}

/// Text as it is.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Something to know that is no error, on standard error.
pub(crate) fn note(text: &str) {
    // A closed stderr is not an error.
    let _ = writeln!(io::stderr(), "note: {}", plain(text));
}

/// Rows in columns as wide as their widest cell, numbers to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let width = |column: usize| cells(column).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &to)| padded(cell, to)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// How many columns of a terminal a text takes: letters of some scripts take two, colours none.
pub(crate) fn width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// A cell of that width, numbers to the right, and so is a dash in place of one.
fn padded(cell: &str, to: usize) -> String {
    let space = " ".repeat(to.saturating_sub(width(cell)));
    match cell == "-" || cell.parse::<f64>().is_ok() {
        true => format!("{space}{cell}"),
        false => format!("{cell}{space}"),
    }
}

/// A number of milli- or microseconds, or of tests, to three decimals: finer is noise.
pub(crate) fn to_thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
