//! Writes zip archives as BCF needs them: sequentially, each entry complete before it is written.
//!
//! The `zip` crate is not used: it either seeks, which a stream cannot, or writes the sizes after the entries,
//! which some BCF readers do not accept. Here the sizes come first.

use super::Date;
use flate2::{Compression, write::DeflateEncoder};
use std::io::{Error, ErrorKind, Result, Write};

/// An archive that is being written.
pub(super) struct Archive<W> {
    out: W,
    /// The number of bytes written so far.
    offset: u64,
    date: [u16; 2],
    /// The central directory: one record per entry, written at the end.
    directory: Vec<u8>,
    count: u64,
}

/// How an entry is stored.
#[derive(Clone, Copy)]
enum Kept {
    AsItIs = 0,
    Deflated = 8,
}

/// The zip version needed to read an entry: 2.0, for deflate.
const NEEDED: u16 = 20;

/// The zip version needed to read a zip64 archive.
const NEEDED_64: u16 = 45;

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

        self.count += 1;
        // An entry beyond 4 GiB has its offset in an extra field of zip64.
        let short = u32::try_from(offset).ok().filter(|&short| short < u32::MAX);
        if short.is_none() {
            let last = entry.len() - 2;
            entry[..2].copy_from_slice(&NEEDED_64.to_le_bytes());
            entry[last..].copy_from_slice(&12_u16.to_le_bytes());
        }
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(NEEDED.to_le_bytes());
        self.directory.extend(entry);
        // No comment, disk 0, no content type and no permissions.
        self.directory.extend([0; 10]);
        self.directory.extend(short.unwrap_or(u32::MAX).to_le_bytes());
        self.directory.extend(name.as_bytes());
        if short.is_none() {
            self.directory.extend([1, 0, 8, 0]); // the field of zip64, 8 bytes long
            self.directory.extend(offset.to_le_bytes());
        }
        Ok(())
    }

    /// Writes the central directory.
    pub(super) fn finish(mut self) -> Result<()> {
        let (offset, directory) = (self.offset, std::mem::take(&mut self.directory));
        self.put(&directory)?;
        let length = directory.len() as u64;
        let count = u16::try_from(self.count).ok().filter(|&count| count < u16::MAX);
        let [short_length, short_offset] =
            [length, offset].map(|it| u32::try_from(it).ok().filter(|&it| it < u32::MAX));
        if count.is_none() || short_length.is_none() || short_offset.is_none() {
            self.put_end_64(length, offset)?;
        }
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend([count.unwrap_or(u16::MAX).to_le_bytes(); 2].as_flattened());
        end.extend(short_length.unwrap_or(u32::MAX).to_le_bytes());
        end.extend(short_offset.unwrap_or(u32::MAX).to_le_bytes());
        end.extend([0; 2]);
        self.put(&end)?;
        self.out.flush()
    }

    /// Writes the end record of zip64, which has room for larger numbers, and the record that locates it.
    fn put_end_64(&mut self, length: u64, offset: u64) -> Result<()> {
        let at = self.offset;
        let mut end = b"PK\x06\x06".to_vec();
        end.extend(44_u64.to_le_bytes()); // bytes that follow
        end.extend([NEEDED_64.to_le_bytes(); 2].as_flattened());
        end.extend([0; 8]); // disk 0
        for number in [self.count, self.count, length, offset] {
            end.extend(number.to_le_bytes());
        }
        end.extend(b"PK\x06\x07\0\0\0\0");
        end.extend(at.to_le_bytes());
        end.extend(1_u32.to_le_bytes()); // disks
        self.put(&end)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn size(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| too_large())
}

fn too_large() -> Error {
    let message = "an entry of a BCF file can hold at most 4 GiB, and its name 65535 bytes";
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

    /// More entries than a zip archive without extensions can count.
    #[test]
    fn archives_may_have_many_entries() {
        for count in [65_534, 65_535, 65_536, 80_000] {
            let mut bytes = Vec::new();
            let mut archive = Archive::new(&mut bytes, Date::from_unix(0));
            for number in 0..count {
                archive.store(&number.to_string(), b"x").unwrap();
            }
            archive.finish().unwrap();
            let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
            assert_eq!(archive.len(), count);
            let mut entry = archive.by_index(count - 1).unwrap();
            assert_eq!(entry.name().unwrap(), (count - 1).to_string());
            let mut back = Vec::new();
            entry.read_to_end(&mut back).unwrap();
            assert_eq!(back, b"x");
        }
    }

    /// Stands for a file of `hole` zero bytes followed by `tail`.
    #[derive(Debug)]
    struct Sparse {
        hole: u64,
        tail: Vec<u8>,
        at: u64,
    }

    impl Read for Sparse {
        fn read(&mut self, out: &mut [u8]) -> Result<usize> {
            let length = self.hole + self.tail.len() as u64;
            let count = (out.len() as u64).min(length.saturating_sub(self.at)) as usize;
            for byte in &mut out[..count] {
                let in_tail = self.at.checked_sub(self.hole);
                *byte = in_tail.map_or(0, |at| self.tail[at as usize]);
                self.at += 1;
            }
            Ok(count)
        }
    }

    impl std::io::Seek for Sparse {
        fn seek(&mut self, to: std::io::SeekFrom) -> Result<u64> {
            use std::io::SeekFrom;
            let length = self.hole + self.tail.len() as u64;
            let (from, by) = match to {
                SeekFrom::Start(at) => (at, 0),
                SeekFrom::End(by) => (length, by),
                SeekFrom::Current(by) => (self.at, by),
            };
            let at = from.checked_add_signed(by);
            self.at = at.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
            Ok(self.at)
        }
    }

    #[test]
    fn archives_may_be_larger_than_4_gib() {
        for hole in [u64::from(u32::MAX) - 3, u64::from(u32::MAX), 5 << 30] {
            let mut tail = Vec::new();
            let mut archive = Archive::new(&mut tail, Date::from_unix(0));
            archive.offset = hole;
            archive.store("far", b"away").unwrap();
            archive.store("farther", b"still").unwrap();
            archive.finish().unwrap();
            let file = std::io::BufReader::new(Sparse { hole, tail, at: 0 });
            let mut archive = zip::ZipArchive::new(file).unwrap();
            assert_eq!(archive.len(), 2);
            let mut back = String::new();
            archive.by_name("farther").unwrap().read_to_string(&mut back).unwrap();
            assert_eq!(back, "still");
        }
    }
}
