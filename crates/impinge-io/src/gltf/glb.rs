//! The GLB container: a header, a JSON chunk, and at most one chunk of binary data.

use crate::{error::Fault, text};

pub(super) const MAGIC: &[u8] = b"glTF";
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// The contents of a file: the JSON, and the binary chunk of a GLB file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub(super) json: &'a str,
    /// The byte offset of the JSON in a GLB file; `None` if the whole file is JSON.
    pub(super) json_at: Option<usize>,
    pub(super) bin: Option<&'a [u8]>,
}

/// Splits a GLB file into its chunks. A file that does not start like GLB is taken as JSON.
pub(super) fn open(bytes: &[u8]) -> Result<Container<'_>, Fault> {
    if !bytes.starts_with(MAGIC) {
        let json = text::decode(bytes)?;
        return Ok(Container { json, json_at: None, bin: None });
    }
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        let message = format!("the file ends within the {HEADER} bytes of the GLB header");
        return Err(Fault::byte(bytes.len(), message));
    };
    if version != 2 {
        return Err(Fault::byte(4, format!("GLB version {version}; only version 2 can be read")));
    }
    // Bytes after the declared length do not belong to the GLB.
    let Some(bytes) = bytes.get(..length as usize) else {
        let message = format!("the header says {length} bytes, but the file has {}", bytes.len());
        return Err(Fault::byte(8, message));
    };

    let (kind, json, mut at) = chunk(bytes, HEADER)?;
    if kind != JSON {
        return Err(Fault::byte(HEADER + 4, "the first chunk of a GLB must be its JSON"));
    }
    let json_at = HEADER + CHUNK_HEADER;
    // Chunks are padded with spaces, but some exporters pad with zeros.
    let padding = json.iter().rev().take_while(|&&byte| byte == 0).count();
    let json = std::str::from_utf8(&json[..json.len() - padding]).map_err(|error| {
        Fault::byte(json_at + error.valid_up_to(), "the JSON of the file is not UTF-8 text here")
    })?;

    let mut bin = None;
    while at < bytes.len() {
        let (kind, data, end) = chunk(bytes, at)?;
        if kind == BIN && bin.is_none() {
            bin = Some(data);
        }
        at = end;
    }
    Ok(Container { json, json_at: Some(json_at), bin })
}

/// Returns the type and the data of the chunk that starts at a byte offset, and the offset of its end.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), Fault> {
    let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
        let message = "the file ends where a chunk of 8 or more bytes should begin";
        return Err(Fault::byte(at, message));
    };
    let rest = &bytes[at + CHUNK_HEADER..];
    let Some(data) = rest.get(..length as usize) else {
        let message =
            format!("the chunk says {length} bytes, but {} are left in the file", rest.len());
        return Err(Fault::byte(at, message));
    };
    Ok((kind, data, at + CHUNK_HEADER + data.len()))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Location;

    fn container(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, data) in chunks {
            bytes.extend((data.len() as u32).to_le_bytes());
            bytes.extend(*kind);
            bytes.extend(*data);
        }
        let length = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    fn fails_at(bytes: &[u8]) -> u64 {
        match open(bytes).unwrap_err().location {
            Location::Byte(byte) => byte,
            location => panic!("{location:?}"),
        }
    }

    #[test]
    fn the_chunks_are_found_and_unknown_ones_passed_over() {
        let bytes = container(&[(b"JSON", b"{}\0\0"), (b"what", b"12"), (b"BIN\0", b"abcd")]);
        let opened = open(&bytes).unwrap();
        assert_eq!((opened.json, opened.json_at), ("{}", Some(20)));
        assert_eq!(opened.bin, Some(&b"abcd"[..]));

        let opened = open(b"\xEF\xBB\xBF {}").unwrap();
        assert_eq!((opened.json, opened.json_at, opened.bin), (" {}", None, None));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = container(&[(b"JSON", b"{}  "), (b"BIN\0", b"abcd")]);
        for length in 4..bytes.len() {
            fails_at(&bytes[..length]);
            let mut shorter = bytes[..length].to_vec();
            if length >= 12 {
                shorter[8..12].copy_from_slice(&(length as u32).to_le_bytes());
                // With a corrected length field, a file that ends after the JSON is valid.
                assert_eq!(open(&shorter).is_ok(), length == 24, "{length} bytes");
            }
        }
    }

    #[test]
    fn wrong_lengths_and_kinds_are_named_by_their_byte() {
        let good = container(&[(b"JSON", b"{}  "), (b"BIN\0", b"abcd")]);
        let with = |at: usize, value: u32| {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            fails_at(&bytes)
        };
        assert_eq!(with(4, 1), 4);
        assert_eq!(with(8, u32::MAX), 8);
        assert_eq!(with(12, u32::MAX), 12);
        assert_eq!(with(16, BIN), 16);
        assert_eq!(with(24, 5), 24);
        assert_eq!(with(24, 3), 35);
        assert_eq!(with(20, 0xFFFF_FFFF), 20);
    }
}
