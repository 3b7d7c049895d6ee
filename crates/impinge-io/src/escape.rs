//! Names in text: part and file names may hold any character.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Returns a name as a field of a CSV row: in quotes if it holds a comma, a quote or a line end, and after an
/// apostrophe, which spreadsheets hide, if they would take it for a formula.
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

/// Whether a character could make a terminal show something else than the text: control characters, line
/// ends, marks that change the direction of writing, and others without a shape of their own.
fn is_misleading(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// Returns a text as one line that a terminal shows as it is: control characters, line ends and marks that
/// change the direction of writing among them, are escaped as in Rust source.
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

/// Returns the beginning of a text that comes from a file, for a message: at most so many characters of it, as
/// [`one_line`] has them.
pub fn excerpt(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => one_line(text),
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
    }
}

/// Writes a value as JSON, without a line end. Characters that [`one_line`] escapes are escaped as JSON has
/// it, so that the output is safe on a terminal, too.
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Escaping(CompactFormatter)))?)
}

/// Compact JSON, with more characters escaped than JSON requires.
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
    fn names_are_fields_whatever_they_hold() {
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
    fn terminals_show_what_is_there() {
        assert_eq!(one_line("a\u{202E}b\u{2066}c\n"), "a\\u{202e}b\\u{2066}c\\n");
        // Letters of any script, and what joins them, stay.
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
