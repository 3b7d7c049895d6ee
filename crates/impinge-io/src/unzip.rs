//! Reads zip archives, with limits: a small archive can hold gigabytes of zeros.
//!
//! Only what packages of 3D models need: entries that are stored or deflated, without encryption, in one file of
//! less than 4 GiB. The `zip` crate is a dependency of tests only; it covers much more, and has no limit for the
//! sum of all entries.

use crate::text::shown;
use flate2::read::DeflateDecoder;
use std::{cell::Cell, collections::HashMap, io::Read};

/// The total size of all inflated entries: this much, and this many times the size of the archive. Text of numbers
/// shrinks to a fifth or a tenth.
const MAX_INFLATED: u64 = 16 << 20;
const MAX_RATIO: u64 = 50;

/// The number of bytes at the end of an archive in which its directory is announced: a comment may follow.
const MAX_END: usize = 22 + 65_535;

const CANNOT: &str = "the zip archive is damaged or incomplete";

/// The entries of an archive.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    /// By name in lower case, without a leading slash: names in packages do not depend on case.
    entries: HashMap<String, Entry>,
    /// How many bytes may still be inflated.
    left: Cell<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
    header: u32,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        if !bytes.starts_with(b"PK") {
            return Err("the file is not a zip archive".into());
        }
        let end = end_of_directory(bytes).ok_or(CANNOT)?;
        let [disk, first_disk] = [4, 6].map(|at| number16(end, at));
        let (count, size, start) = (number16(end, 10), number32(end, 12), number32(end, 16));
        if count == Some(u16::MAX) || start == Some(u32::MAX) || size == Some(u32::MAX) {
            return Err("zip archives of 4 GiB or 65535 entries (ZIP64) cannot be read".into());
        }
        if disk != Some(0) || first_disk != Some(0) {
            return Err("zip archives of several files cannot be read".into());
        }
        let (count, start) = (count.ok_or(CANNOT)?, start.ok_or(CANNOT)?);
        let mut rest = bytes.get(start as usize..).ok_or(CANNOT)?;
        let mut entries = HashMap::with_capacity(count.into());
        for _ in 0..count {
            let (name, entry, length) = directory_entry(rest).ok_or(CANNOT)?;
            rest = &rest[length..];
            let key = key(&name);
            if entries.insert(key, entry).is_some() {
                return Err(format!("the zip archive holds `{}` twice", shown(&name)));
            }
        }
        let left = Cell::new(MAX_INFLATED + MAX_RATIO * bytes.len() as u64);
        Ok(Self { bytes, entries, left })
    }

    /// Returns the names of all entries, in lower case and in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns whether there is an entry of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&key(name))
    }

    /// Returns the content of an entry.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let named = |message: &str| format!("`{}` in the zip archive {message}", shown(name));
        let entry = self.entries.get(&key(name)).ok_or_else(|| named("is missing"))?;
        if entry.flags & 1 != 0 {
            return Err(named("is encrypted"));
        }
        let packed = self.packed(entry).ok_or_else(|| named("is damaged or incomplete"))?;
        let size = u64::from(entry.size);
        if size > self.left.get() {
            return Err(format!(
                "the zip archive holds more than {MAX_RATIO} times its own size; it may be made to fill the memory"
            ));
        }
        let mut content = Vec::new();
        match entry.method {
            0 => content.extend_from_slice(packed),
            8 => {
                // The declared size may be wrong, so that it is not trusted.
                let decoder = DeflateDecoder::new(packed);
                decoder
                    .take(size + 1)
                    .read_to_end(&mut content)
                    .map_err(|_| named("is damaged or incomplete"))?;
            }
            _ => return Err(named("is packed with a method that cannot be read")),
        }
        self.left.set(self.left.get() - size);
        match content.len() as u64 == size && crc32fast::hash(&content) == entry.checksum {
            true => Ok(content),
            false => Err(named("is damaged: its size or its checksum is wrong")),
        }
    }

    fn packed(&self, entry: &Entry) -> Option<&'a [u8]> {
        let header = self.bytes.get(entry.header as usize..)?;
        if !header.starts_with(b"PK\x03\x04") {
            return None;
        }
        let names = [26, 28].map(|at| number16(header, at));
        let start = 30 + usize::from(names[0]?) + usize::from(names[1]?);
        header.get(start..start + entry.packed as usize)
    }
}

fn key(name: &str) -> String {
    name.trim_start_matches('/').to_lowercase()
}

/// Returns the record that announces the directory: the last one in the file.
fn end_of_directory(bytes: &[u8]) -> Option<&[u8]> {
    let tail = &bytes[bytes.len().saturating_sub(MAX_END)..];
    let at = memchr::memmem::rfind(tail, b"PK\x05\x06")?;
    tail.get(at..).filter(|end| end.len() >= 22)
}

/// Returns the name of an entry, the entry, and the length of its record in the directory.
fn directory_entry(record: &[u8]) -> Option<(String, Entry, usize)> {
    if !record.starts_with(b"PK\x01\x02") {
        return None;
    }
    let [name, extra, comment] = [28, 30, 32].map(|at| number16(record, at).map(usize::from));
    let (name, extra, comment) = (name?, extra?, comment?);
    let entry = Entry {
        flags: number16(record, 8)?,
        method: number16(record, 10)?,
        checksum: number32(record, 16)?,
        packed: number32(record, 20)?,
        size: number32(record, 24)?,
        header: number32(record, 42)?,
    };
    let length = 46 + name + extra + comment;
    let name = String::from_utf8_lossy(record.get(46..46 + name)?).into_owned();
    (length <= record.len()).then_some((name, entry, length))
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};
    use zip::{ZipWriter, write::SimpleFileOptions};

    fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            let method = match name.ends_with(".png") {
                true => zip::CompressionMethod::Stored,
                false => zip::CompressionMethod::Deflated,
            };
            let options = SimpleFileOptions::default().compression_method(method);
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn archives_of_another_writer_are_read() {
        let long: Vec<u8> = (0..200_000_u32).map(|at| (at / 7 % 251) as u8).collect();
        let bytes = zipped(&[("3D/a.model", &long), ("a.png", b"as it is"), ("empty", b"")]);
        let archive = Archive::open(&bytes).unwrap();
        assert_eq!(archive.read("/3d/A.model").unwrap(), long);
        assert_eq!(archive.read("a.png").unwrap(), b"as it is");
        assert_eq!(archive.read("empty").unwrap(), b"");
        assert!(archive.has("/a.png") && !archive.has("b.png"));
        assert!(
            archive.read("b.png").unwrap_err().contains("`b.png` in the zip archive is missing")
        );
    }

    #[test]
    fn damaged_archives_are_refused() {
        let bytes = zipped(&[("a", &[7; 1000]), ("b.png", b"as it is")]);
        for length in 0..bytes.len() {
            assert!(Archive::open(&bytes[..length]).is_err(), "{length}");
        }
        // Any byte may change: the result is an error or the right content.
        let mut refused = 0;
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            let read = Archive::open(&bytes).and_then(|archive| archive.read("a"));
            refused += u32::from(read.is_err());
            assert!(read.is_err() || read.is_ok_and(|content| content == [7; 1000]), "{at}");
        }
        assert!(refused > 60, "{refused}");
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = vec![0; 20 << 20];
        let bytes = zipped(&[("a", &zeros)]);
        let error = Archive::open(&bytes).unwrap().read("a").unwrap_err();
        assert!(bytes.len() < 100_000 && error.contains("more than 50 times its own size"));
        // The sum counts, too.
        let bytes = zipped(&[("a", &zeros[..10 << 20]), ("b", &zeros[..10 << 20])]);
        let archive = Archive::open(&bytes).unwrap();
        assert!(archive.read("a").is_ok());
        assert!(archive.read("b").unwrap_err().contains("50 times"));
        // A size that is too small does not help.
        let mut bytes = zipped(&[("a", &zeros)]);
        let directory = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
        bytes[directory + 24..directory + 28].copy_from_slice(&100_u32.to_le_bytes());
        assert!(Archive::open(&bytes).unwrap().read("a").unwrap_err().contains("damaged"));
    }
}
