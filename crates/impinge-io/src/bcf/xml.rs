//! Writes XML that is valid for any names in it.

use std::fmt::Write;

/// A document that is being written.
pub(super) struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub(super) fn new() -> Self {
        Self { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }

    /// Writes an element with child elements.
    pub(super) fn within(
        &mut self,
        name: &'static str,
        attributes: &[(&str, &str)],
        content: impl FnOnce(&mut Self),
    ) {
        self.tag(name, attributes, ">\n");
        self.open.push(name);
        content(self);
        self.open.pop();
        self.indent();
        let _ = writeln!(self.text, "</{name}>");
    }

    /// Writes an empty element.
    pub(super) fn empty(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    /// Writes an element with any text. Blank text is replaced where the schema does not allow it.
    pub(super) fn text(&mut self, name: &'static str, text: &str) {
        self.tag(name, &[], ">");
        escape(&mut self.text, text, false);
        let _ = writeln!(self.text, "</{name}>");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.indent();
        let _ = write!(self.text, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.text, " {attribute}=\"");
            escape(&mut self.text, value, true);
            self.text.push('"');
        }
        self.text.push_str(end);
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n('\t', self.open.len()));
    }
}

/// Returns a replacement for blank text, which version 3.0 does not allow.
pub(super) fn named(text: &str) -> &str {
    // Text of control characters only is not blank: they are replaced by visible characters.
    if text.chars().all(char::is_whitespace) { "(no name)" } else { text }
}

/// Appends text, with special characters escaped. Characters that XML does not allow (control characters and two
/// noncharacters) are replaced.
fn escape(out: &mut String, text: &str, is_attribute: bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            // Readers would change these to spaces and line ends.
            '\r' => out.push_str("&#13;"),
            '\n' if is_attribute => out.push_str("&#10;"),
            '\t' if is_attribute => out.push_str("&#9;"),
            '\n' | '\t' => out.push(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_be_written() {
        let mut xml = Xml::new();
        xml.within("a", &[("b", "\"<&>'\r\n\t\0é")], |xml| {
            xml.text("c", "\"]]><&\u{1}\u{fffe}\u{ffff}\r\n\t🦀");
            xml.empty("d", &[]);
        });
        assert_eq!(
            xml.finish(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <a b=\"&quot;&lt;&amp;&gt;'&#13;&#10;&#9;\u{fffd}é\">\n\
             \t<c>\"]]&gt;&lt;&amp;\u{fffd}\u{fffd}\u{fffd}&#13;\n\t🦀</c>\n\
             \t<d/>\n\
             </a>\n"
        );
        assert_eq!(named(" \n\u{a0}"), "(no name)");
        assert_eq!(named("\0"), "\0");
    }
}
