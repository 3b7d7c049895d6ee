//! Writes zip archives as BCF needs them: sequentially, each entry complete before it is written.
//!
//! The `zip` crate is not used: it either seeks, which a stream cannot, or writes the sizes after the entries, which some
//! BCF readers do not accept. Here the sizes come first.

use super::Date;
use flate2::{Compression, write::DeflateEncoder};
use std::io::{Error, ErrorKind, Result, Write};

/// An archive that is being written.
pub(super) struct Archive<W> {
    out: W,
    /// The number of bytes written so far.
    offset: u32,
    date: [u16; 2],
    /// The central directory: one record per entry, written at the end.
    directory: Vec<u8>,
    count: u16,
}

/// How an entry is stored.
#[derive(Clone, Copy)]
enum Kept {
    AsItIs = 0,
    Deflated = 8,
}

/// The zip version needed to read an entry: 2.0, for deflate.
const NEEDED: u16 = 20;

/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

impl<W: Write> Archive<W> {
    pub(super) fn new(out: W, date: Date) -> Self {
        Self { out, offset: 0, date: date.in_archive(), directory: Vec::new(), count: 0 }
    }

    /// Adds an entry, compressed.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        self.write(name, bytes, &encoder.finish()?, Kept::Deflated)
    }

    /// Adds an entry uncompressed, for data that is already compressed.
    pub(super) fn store(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.write(name, bytes, bytes, Kept::AsItIs)
    }

    fn write(&mut self, name: &str, bytes: &[u8], packed: &[u8], kept: Kept) -> Result<()> {
        let offset = self.offset;
        let [date, time] = self.date;
        let mut entry = Vec::with_capacity(26);
        for half in [NEEDED, FLAGS, kept as u16, time, date] {
            entry.extend(half.to_le_bytes());
        }
        entry.extend(crc32fast::hash(bytes).to_le_bytes());
        entry.extend(size(packed.len())?.to_le_bytes());
        entry.extend(size(bytes.len())?.to_le_bytes());
        entry.extend(u16::try_from(name.len()).map_err(|_| too_large())?.to_le_bytes());
        entry.extend([0; 2]); // nothing else

        self.put(b"PK\x03\x04")?;
        self.put(&entry)?;
        self.put(name.as_bytes())?;
        self.put(packed)?;

        self.count = self.count.checked_add(1).ok_or_else(too_large)?;
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(NEEDED.to_le_bytes());
        self.directory.extend(entry);
        // No comment, disk 0, no content type and no permissions.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Ok(())
    }

    /// Writes the central directory.
    pub(super) fn finish(mut self) -> Result<()> {
        let (offset, directory) = (self.offset, std::mem::take(&mut self.directory));
        self.put(&directory)?;
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend([self.count.to_le_bytes(); 2].as_flattened());
        end.extend(size(directory.len())?.to_le_bytes());
        end.extend(offset.to_le_bytes());
        end.extend([0; 2]);
        self.put(&end)?;
        self.out.flush()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset = self.offset.checked_add(size(bytes.len())?).ok_or_else(too_large)?;
        self.out.write_all(bytes)
    }
}

fn size(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| too_large())
}

fn too_large() -> Error {
    let message = "a BCF file can hold at most 65535 entries (about 20000 topics) and 4 GiB; write fewer topics";
    Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read};

    #[test]
    fn another_reader_reads_the_archive() {
        let long: Vec<u8> = (0..100_000_u32).map(|at| (at / 7 % 251) as u8).collect();
        let mut bytes = Vec::new();
        let mut archive = Archive::new(&mut bytes, Date::from_unix(951_827_696));
        archive.add("a/é.xml", &long).unwrap();
        archive.store("a/b.png", b"as it is").unwrap();
        archive.add("empty", b"").unwrap();
        archive.finish().unwrap();
        assert!(bytes.len() < 10_000);
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names = ["a/é.xml", "a/b.png", "empty"];
        assert_eq!(archive.len(), 3);
        for (at, (name, content)) in names.iter().zip([&*long, b"as it is", b""]).enumerate() {
            let mut entry = archive.by_index(at).unwrap();
            assert_eq!(entry.name().unwrap(), *name);
            let date = entry.last_modified().unwrap();
            assert_eq!((date.year(), date.month(), date.day(), date.hour()), (2000, 2, 29, 12));
            let mut back = Vec::new();
            entry.read_to_end(&mut back).unwrap(); // compares the checksum
            assert_eq!(back, content);
        }
    }

    #[test]
    fn archives_that_are_too_large_are_refused() {
        let mut archive = Archive::new(std::io::sink(), Date::from_unix(0));
        for _ in 0..65_535 {
            archive.store("x", b"").unwrap();
        }
        let error = archive.store("x", b"").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let mut archive = Archive::new(std::io::sink(), Date::from_unix(0));
        archive.offset = u32::MAX - 10;
        assert!(archive.store("x", b"").is_err());
    }
}
