//! Names in text: part and file names may hold any character.

use std::borrow::Cow;

/// Returns a name as a field of a CSV row, in quotes if it holds a comma, a quote or a line end.
pub fn csv_field(name: &str) -> Cow<'_, str> {
    match name.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
        false => Cow::Borrowed(name),
    }
}

/// Returns a text as one line that no terminal takes for a command: control characters, line ends
/// among them, are escaped as in Rust source.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}
