//! Escapes names for CSV, JSON and terminals: part and file names may hold any character.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Returns a name as a CSV field. It is quoted if it holds a comma, a quote or a line end. If a spreadsheet would read
/// it as a formula, it gets an apostrophe in front, which spreadsheets hide.
pub fn csv_field(name: &str) -> Cow<'_, str> {
    let name = match name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => Cow::Owned(format!("'{name}")),
        false => Cow::Borrowed(name),
    };
    match name.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
        false => name,
    }
}

/// Returns whether a character can make a terminal show something else than the text: control characters, line ends,
/// marks that change the writing direction, and other characters without a glyph.
fn is_misleading(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// Returns `text` as one line that is safe to print on a terminal: control characters, line ends and marks that change
/// the writing direction are escaped as in Rust source.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match is_misleading(c) {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}

/// Returns the first `limit` characters of a text from a file, for use in a message, escaped as by [`one_line`].
pub fn excerpt(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => one_line(text),
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
    }
}

/// Writes a value as JSON, without a line end. The characters that [`one_line`] escapes are escaped in the JSON way, so
/// that the output is also safe to print on a terminal.
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Escaping(CompactFormatter)))?)
}

/// Compact JSON that escapes more characters than JSON requires.
struct Escaping(CompactFormatter);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_misleading(c)) {
            self.0.write_string_fragment(out, &rest[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_string_fragment(out, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_becomes_one_csv_field() {
        for (name, field) in [
            ("bolt", "bolt"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\nb", "\"a\nb\""),
            ("=1+2", "'=1+2"),
            ("-a,b", "\"'-a,b\""),
            ("", ""),
        ] {
            assert_eq!(csv_field(name), field);
        }
    }
    #[test]
    fn misleading_characters_are_escaped() {
        assert_eq!(one_line("a\u{202E}b\u{2066}c\n"), "a\\u{202e}b\\u{2066}c\\n");
        // Letters of any script and the characters that join them are kept.
        for text in ["Größe 六角 גלגל", "e\u{301}", "می\u{200C}خواهم", "👨\u{200D}🔧"]
        {
            assert_eq!(one_line(text), text);
        }
        assert_eq!(excerpt("abcdef", 6), "abcdef");
        assert_eq!(excerpt("ab\u{202E}def", 4), "ab\\u{202e}d…");
    }

    #[test]
    fn json_is_escaped_and_means_the_same() {
        let names = ["plain", "\u{202E}a\"\\\n\u{7F}", "tag \u{E0041}", "é\u{2028}"];
        let mut json = Vec::new();
        write_json(&names, &mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert!(json.chars().all(|c| !is_misleading(c)), "{json:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), names);
        assert!(json.contains("\\u202ea") && json.contains("\\udb40\\udc41"), "{json}");
    }
}
