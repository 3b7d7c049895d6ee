//! Reads and writes STL: triangles only, as text or binary.
//!
//! Every facet keeps its own three vertices, in file order; vertices are not merged. Normals and attribute bytes are not
//! used, so they may hold anything.

mod ascii;
mod binary;

pub(crate) use binary::write;

use crate::{error::Fault, model::Model, text};

/// Reads either form; `name` is for parts that have no name in the file.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    check_encoding(bytes)?;
    if is_text(bytes) { ascii::read(bytes, name) } else { binary::read(bytes, name) }
}

/// Refuses UTF-16 and UTF-32 text, which would pass for a binary file. A binary header may look like such an encoding, so
/// the decoded text must also start like STL.
fn check_encoding(bytes: &[u8]) -> Result<(), Fault> {
    let start = bytes.iter().take(200).filter(|&&byte| !matches!(byte, 0 | 0xFE | 0xFF));
    let start: Vec<u8> = start.copied().skip_while(|&byte| is_space(byte)).take(5).collect();
    match start.eq_ignore_ascii_case(b"solid") && !binary::has_exact_length(bytes) {
        true => text::check_encoding(bytes),
        false => Ok(()),
    }
}

/// Returns whether a file is text, by its structure: many binary files start with `solid`, too.
///
/// A binary file has its facet count at byte 80. Four bytes of text, read as a count, are at least 0x09090909, which would
/// mean a file of 7.5 GB. So no text is taken for a binary file. A binary file could be taken for text only beyond that
/// size, and then its exact length decides.
fn is_text(bytes: &[u8]) -> bool {
    let count_is_text = bytes.get(80..84).is_none_or(|count| {
        count.iter().all(|&byte| is_space(byte) || (byte >= b' ' && byte != 0x7F))
    });
    let start = without_mark(bytes).trim_ascii_start();
    let begins = start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && start.get(5).is_none_or(|&byte| is_space(byte));
    begins && count_is_text && !binary::has_exact_length(bytes)
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binary file with one facet and the given header.
    pub(super) fn one_facet(header: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(
            [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.5, 0.0]
                .map(f32::to_le_bytes)
                .concat(),
        );
        bytes.extend([7, 7]);
        bytes
    }

    #[test]
    fn a_binary_file_that_says_solid_is_binary() {
        for header in [b"solid".as_slice(), b"solid cube\n", b"SOLID facet normal 0 0 1\n", b""] {
            let mut bytes = one_facet(header);
            assert!(!is_text(&bytes));
            assert_eq!(read(&bytes, "x").unwrap().face_count(), 1);
            bytes.extend(b"signature");
            assert!(!is_text(&bytes), "binary also with bytes after the facets");
            bytes.truncate(100);
            assert!(!is_text(&bytes), "binary also if truncated");
        }
    }

    #[test]
    fn utf16_and_utf32_text_is_refused_by_name() {
        let text = format!("\u{FEFF}solid a\n{}", "facet normal 0 0 1\n".repeat(9));
        let wide = |width: usize, big: bool, text: &str| -> Vec<u8> {
            let bytes = |c: char| match big {
                true => (c as u32).to_be_bytes()[4 - width..].to_vec(),
                false => (c as u32).to_le_bytes()[..width].to_vec(),
            };
            text.chars().flat_map(bytes).collect()
        };
        for (width, name) in [(2, "UTF-16"), (4, "UTF-32")] {
            for text in [&text, text.trim_start_matches('\u{FEFF}')] {
                for big in [false, true] {
                    let fault = read(&wide(width, big, text), "x").unwrap_err();
                    let message = format!("the text is in {name}; save it as UTF-8");
                    assert_eq!(
                        (fault.location, fault.message),
                        (crate::Location::Line(1), message)
                    );
                }
            }
        }
        // Binary files whose headers look like such an encoding.
        let headers = [wide(2, false, "solid"), b"x".to_vec(), b"\xFF\xFEx".to_vec()];
        for (at, header) in headers.into_iter().enumerate() {
            let mut bytes = one_facet(&[&header[..], &[0; 80]].concat()[..80]);
            assert_eq!(read(&bytes, "x").unwrap().face_count(), 1);
            bytes.push(0);
            assert_eq!(read(&bytes, "x").is_ok(), at > 0, "with a byte more");
        }
    }

    #[test]
    fn text_of_any_length_is_text() {
        let long = format!("solid {}\nendsolid\n", "name ".repeat(40));
        for text in ["solid", "solid a\nendsolid a\n", " \r\n\tSoLiD\n", "\u{FEFF}solid x", &long] {
            assert!(is_text(text.as_bytes()), "{text}");
        }
        for text in ["", "solidus", "ply\n", "o cube"] {
            assert!(!is_text(text.as_bytes()), "{text}");
        }
    }
}
