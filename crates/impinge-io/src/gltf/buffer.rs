//! Loads the bytes of buffers: the binary chunk, data URIs, and files beside the document.
//!
//! Only buffers of meshes that the scene shows are loaded, each once.

use super::{budget::Budget, document::Buffer, unsupported};
use crate::{error::Fault, format::read_file, text::shown};
use std::{
    collections::HashMap,
    ops::Deref,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// The bytes of a buffer, cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Bytes<'a> {
    Chunk(&'a [u8]),
    Own(Arc<Vec<u8>>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Chunk(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

/// The buffers of a document, loaded on first use.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    declared: &'a [Buffer<'a>],
    chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    opened: HashMap<u32, Bytes<'a>>,
    /// Files by path: many buffers may refer to one file, which is read once.
    files: HashMap<PathBuf, Bytes<'a>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        declared: &'a [Buffer<'a>],
        chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        Self { declared, chunk, folder, opened: HashMap::new(), files: HashMap::new() }
    }

    /// Returns the bytes of a buffer, at least as many as it declares.
    pub(super) fn open(&mut self, index: u32, budget: &mut Budget) -> Result<Bytes<'a>, Fault> {
        if let Some(bytes) = self.opened.get(&index) {
            return Ok(bytes.clone());
        }
        let declared: &'a [Buffer<'a>] = self.declared;
        let place = || format!("buffers[{index}]");
        let fault = |message: String| Fault::json(place(), message);
        let Some(buffer) = declared.get(index as usize) else {
            return Err(fault(format!("there is none: the file has {} buffers", declared.len())));
        };
        let bytes = match &buffer.uri {
            None => self.chunk_for(index, buffer).map_err(fault)?,
            Some(uri) => match after_scheme(&uri.0, "data") {
                Some(data) => {
                    budget.charge(data.len() as u64 / 4 * 3, place)?;
                    Bytes::Own(Arc::new(data_uri(data).map_err(fault)?))
                }
                None => self.file(&uri.0, budget).map_err(fault)?,
            },
        };
        let (needed, found) = (buffer.byte_length, bytes.len() as u64);
        if found < needed {
            return Err(fault(format!("its byteLength is {needed}, but it has {found} bytes")));
        }
        self.opened.insert(index, bytes.clone());
        Ok(bytes)
    }

    fn chunk_for(&self, index: u32, buffer: &Buffer<'_>) -> Result<Bytes<'a>, String> {
        match self.chunk {
            Some(chunk) if index == 0 => Ok(Bytes::Chunk(chunk)),
            _ if buffer.extensions.ext_meshopt.0 => Err(unsupported("EXT_meshopt_compression")),
            _ if buffer.extensions.khr_meshopt.0 => Err(unsupported("KHR_meshopt_compression")),
            Some(_) => Err("it has no uri; only buffers[0] may lie in the binary chunk".into()),
            None => Err("it has no uri, and the file has no binary chunk".into()),
        }
    }

    /// Reads the file that a relative URI refers to, within the folder.
    fn file(&mut self, uri: &str, budget: &mut Budget) -> Result<Bytes<'a>, String> {
        let uri_shown = shown(uri);
        let path = relative_path(uri)?;
        let Some(folder) = self.folder else {
            return Err(format!(
                "its data is in another file, `{uri_shown}`, which cannot be opened from here; \
                 save the model as a single .glb"
            ));
        };
        let failed = |error: std::io::Error| format!("cannot open `{uri_shown}`: {error}");
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let here = here.canonicalize().map_err(failed)?;
        let path = here.join(path).canonicalize().map_err(failed)?;
        if !path.starts_with(&here) {
            return Err(format!("`{uri_shown}` leads outside the folder of the file"));
        }
        if let Some(bytes) = self.files.get(&path) {
            return Ok(bytes.clone());
        }
        let bytes = read_file(&path).map_err(|fault| format!("`{uri_shown}` {}", fault.message))?;
        budget.grow(bytes.len());
        let bytes = Bytes::Own(Arc::new(bytes));
        self.files.insert(path, bytes.clone());
        Ok(bytes)
    }
}

/// Returns the text after `scheme:`, ignoring case.
fn after_scheme<'s>(uri: &'s str, scheme: &str) -> Option<&'s str> {
    let (found, rest) = uri.split_once(':')?;
    found.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Returns the path that a URI refers to, if it stays below the folder of the document.
fn relative_path(uri: &str) -> Result<PathBuf, String> {
    let refused = |why: &str| Err(format!("its uri `{}` {why}", shown(uri)));
    if uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return refused("is not a file beside this one");
    }
    let Some(decoded) = percent_decoded(uri) else {
        return refused("is not UTF-8 text when decoded");
    };
    if decoded.is_empty() {
        return refused("is empty");
    }
    if decoded.contains(['\\', '\0']) {
        return refused("is not a path with `/` between its folders");
    }
    let path = PathBuf::from(decoded);
    let goes_down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(goes_down) {
        return refused("leads outside the folder of the file");
    }
    Ok(path)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Decodes percent escapes such as `%20`; a `%` that starts no escape is kept.
fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Decodes a data URI, given the text after `data:`.
fn data_uri(data: &str) -> Result<Vec<u8>, String> {
    // The media type is not needed. A comma within base64 is an error anyway.
    match data.split_once(',') {
        Some((kind, text)) if kind.ends_with(";base64") => base64(text),
        Some(_) => Err("its data URI is not in base64".into()),
        None => Err("its data URI has no `,` before the data".into()),
    }
}

/// Decodes base64. Padding may be missing, and the unused bits of the last digit are ignored.
fn base64(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.as_bytes();
    let padding = digits.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let digits = &digits[..digits.len() - padding];
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for (group, quad) in digits.chunks(4).enumerate() {
        let mut word = 0;
        for (at, &digit) in quad.iter().enumerate() {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => {
                    let digit = digit.escape_ascii();
                    let at = group * 4 + at;
                    return Err(format!("`{digit}` at {at} of its data URI is not base64"));
                }
            };
            word |= u32::from(value) << (26 - 6 * at);
        }
        if quad.len() == 1 {
            return Err("the base64 of its data URI is truncated".into());
        }
        bytes.extend_from_slice(&word.to_be_bytes()[..quad.len() * 3 / 4]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_or_the_place_named() {
        for (text, expected) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zg", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYmFy", "foobar"),
            ("Zm9vYg==", "foob"),
        ] {
            assert_eq!(base64(text).unwrap(), expected.as_bytes(), "{text}");
        }
        assert_eq!(base64("+/A9").unwrap(), [0xFB, 0xF0, 0x3D]);
        assert!(base64("Zm9vZ").unwrap_err().contains("truncated"));
        assert!(base64("Zm9v*m8=").unwrap_err().contains("`*` at 4"));
        assert!(base64("Z===").is_err());
        assert!(base64("Zm9é").is_err());
        assert!(data_uri("text/plain,abc").unwrap_err().contains("not in base64"));
        assert!(data_uri("abc").is_err());
        assert_eq!(data_uri("application/octet-stream;base64,Zm8=").unwrap(), b"fo");
    }

    #[test]
    fn only_paths_that_go_down_are_followed() {
        let good = [
            ("a.bin", "a.bin"),
            ("./b/a%20b.bin", "./b/a b.bin"),
            ("%C3%A9.bin", "é.bin"),
            ("100%.bin", "100%.bin"),
            ("1:2.bin", "1:2.bin"),
        ];
        for (uri, path) in good {
            let found = relative_path(uri).unwrap();
            assert!(found.components().eq(Path::new(path).components()), "{uri}: {found:?}");
        }
        for uri in [
            "",
            "/etc/passwd",
            "../a.bin",
            "b/../../a.bin",
            "%2e%2e/a.bin",
            "%2Fetc/passwd",
            "file:///etc/passwd",
            "http://example.com/a.bin",
            "C:/a.bin",
            "b\\a.bin",
            "a%00.bin",
            "%ff.bin",
        ] {
            assert!(relative_path(uri).is_err(), "{uri}");
        }
    }
}
