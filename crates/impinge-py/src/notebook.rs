//! Pictures in notebooks: a report page in a frame, as the methods `_repr_html_` return it.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// The largest page that is put into a notebook, in bytes. The empty page has 0.7 MB.
const MAX_PAGE: usize = 8 << 20;

/// How many rows a table has that stands for a page which is too large.
pub(crate) const MAX_TABLE_ROWS: usize = 50;

/// Why a report is shown as a table.
pub(crate) const NO_PAGE: &str =
    "The 3D view is too large for a notebook: save('report.html') writes it to a file.";

/// Why the report of a cluster is shown as a table.
pub(crate) const NO_MESHES: &str = "There is no 3D view, because the cluster has read the files: the meshes of the parts are not here.";

/// A page, as far as it fits.
struct Limited {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_PAGE {
            self.is_full = true;
            return Err(io::Error::other("the page is too large for a notebook"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a page in a frame of its own, so that neither its styles nor its scripts reach the notebook; `None` if it is
/// too large.
///
/// The frame is sandboxed: the page may run its scripts and offer downloads, but cannot read the notebook.
pub(crate) fn frame(
    title: &str,
    height: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Option<String>> {
    let mut page = Limited { bytes: Vec::new(), is_full: false };
    match write(&mut page) {
        Err(_) if page.is_full => return Ok(None),
        result => result?,
    }
    let page = String::from_utf8(page.bytes).map_err(io::Error::other)?;
    Ok(Some(format!(
        "<iframe title=\"{}\" sandbox=\"allow-scripts allow-downloads\" \
         style=\"width: 100%; height: {height}px; border: 0; border-radius: 6px\" srcdoc=\"{}\"></iframe>",
        escaped(title),
        escaped(&page)
    )))
}

/// A text inside of HTML, also inside of an attribute in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A table that stands for a page which is too large, and a line that says why. `total` is the number of all rows.
pub(crate) fn table<const N: usize>(
    why: &str,
    head: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
    total: usize,
) -> String {
    let mut text = note(why);
    text.push_str("<table><thead><tr>");
    for name in head {
        let _ = write!(text, "<th>{}</th>", escaped(name));
    }
    text.push_str("</tr></thead><tbody>");
    for row in rows {
        text.push_str("<tr>");
        for cell in row {
            let _ = write!(text, "<td>{}</td>", escaped(&cell));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table>");
    if total > MAX_TABLE_ROWS {
        text.push_str(&note(&format!("{} more rows are not shown.", total - MAX_TABLE_ROWS)));
    }
    text
}

/// A line of text.
pub(crate) fn note(text: &str) -> String {
    format!("<p>{}</p>", escaped(text))
}
