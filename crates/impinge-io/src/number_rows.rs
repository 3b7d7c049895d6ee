//! Rows of numbers in text files: poses, points and rays, one per line.

use crate::{Error, error::Fault, format, text};
use std::path::Path;

/// What a line of a file holds.
pub(crate) struct Layout {
    /// The thing in a line, with its article: `a pose`.
    pub(crate) thing: &'static str,
    /// The same things together: `poses`.
    pub(crate) things: &'static str,
    /// The numbers of a line, for messages: `12 numbers (a 3x4 matrix [R|t] by rows)`.
    pub(crate) numbers: &'static str,
    /// The names of the columns, if the first line may be a header with these names.
    pub(crate) header: &'static [&'static str],
    /// How many numbers a line may have at least.
    pub(crate) least: usize,
}

/// Reads a file of rows with up to `N` numbers, separated by commas, semicolons or spaces. `make` turns the numbers of
/// a row into its thing, or says what is wrong with them.
///
/// Empty lines and lines that start with `#` are skipped. A file without any row is refused.
pub(crate) fn load<const N: usize, T>(
    path: &Path,
    layout: &Layout,
    make: impl Fn(&[f64]) -> Result<T, String>,
) -> Result<Vec<T>, Error> {
    let rows = format::read_file(path).and_then(|bytes| read::<N, T>(&bytes, layout, make));
    let rows = rows.map_err(|fault| fault.in_file(path))?;
    Ok(rows.into_iter().map(|(_, thing)| thing).collect())
}

/// As [`load`], from the bytes of a file. Returns each thing with the number of its line.
pub(crate) fn read<const N: usize, T>(
    bytes: &[u8],
    layout: &Layout,
    make: impl Fn(&[f64]) -> Result<T, String>,
) -> Result<Vec<(usize, T)>, Fault> {
    let mut rows = Vec::new();
    let mut may_be_header = true;
    for (line, number) in text::decode(bytes)?.lines().zip(1..) {
        if !is_row(line) {
            continue;
        }
        if std::mem::take(&mut may_be_header) && layout.is_header(line) {
            continue;
        }
        let mut values = [0.0; N];
        let mut count = 0;
        for token in tokens(line) {
            // A scene may name any file here, so the message must not quote its text.
            let value = token.parse::<f64>().ok().filter(|value| value.is_finite());
            let Some(value) = value else {
                let message = format!(
                    "value {} is not a finite number; {} has {}",
                    count + 1,
                    layout.thing,
                    layout.numbers
                );
                return Err(Fault::line(number, message));
            };
            if let Some(entry) = values.get_mut(count) {
                *entry = value;
            }
            count += 1;
        }
        if !(layout.least..=N).contains(&count) {
            let message = format!("{} has {}, not {count}", layout.thing, layout.numbers);
            return Err(Fault::line(number, message));
        }
        let thing = make(&values[..count]).map_err(|message| Fault::line(number, message))?;
        rows.push((number, thing));
    }
    match rows.is_empty() {
        true => Err(Fault::file(format!("the file holds no {}", layout.things))),
        false => Ok(rows),
    }
}

impl Layout {
    /// Whether a line names the columns, the optional ones at the end or not.
    fn is_header(&self, line: &str) -> bool {
        let names: Vec<&str> = tokens(line).collect();
        (self.least.max(1)..=self.header.len()).contains(&names.len())
            && names.iter().zip(self.header).all(|(name, known)| name.eq_ignore_ascii_case(known))
    }
}

/// Whether a line is neither empty nor a comment.
pub(crate) fn is_row(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

pub(crate) fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| c == ',' || c == ';' || c.is_whitespace();
    line.split(is_mark).filter(|token| !token.is_empty())
}
