//! The HTML pages of reports: each is one file with a 3D view, which needs no network.
//!
//! The pages are built from `page/` next to `src/` and checked in. [`Template::write`] inserts the data of a report: a header
//! as JSON, and long lists of numbers after it ([`pack`], [`write_mesh`]). The data are compressed and base64-encoded, so no
//! name in them can end the HTML element that holds them. `impinge-clash` and `impinge-nc` use this crate.
#![forbid(unsafe_code)]

mod mesh;
pub mod pack;

pub use mesh::{MeshInfo, write_mesh};

use base64::{Engine, engine::general_purpose::STANDARD, write::EncoderWriter};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde::Serialize;
use std::io::{self, Read, Write};

/// A page without data.
#[derive(Clone, Copy, Debug)]
pub struct Template(&'static str);

/// The page of a clash check.
pub const CLASH: Template = Template(include_str!("../page/dist/report.html"));

/// The page of a checked NC program.
pub const NC: Template = Template(include_str!("../page/dist/nc.html"));

/// The mark in a page that the data replace.
const MARK: &str = "@DATA@";

impl Template {
    /// Writes the page with a header and the lists of numbers that `lists` writes.
    ///
    /// # Errors
    /// If `out` cannot be written to, or the header is larger than 4 GB.
    pub fn write(
        self,
        header: &impl Serialize,
        out: &mut dyn Write,
        lists: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let (before, after) = self.parts();
        out.write_all(before.as_bytes())?;
        let letters = EncoderWriter::new(&mut *out, &STANDARD);
        let mut packed = ZlibEncoder::new(letters, Compression::default());
        let header = serde_json::to_vec(header)?;
        let length = u32::try_from(header.len()).map_err(io::Error::other)?;
        packed.write_all(&length.to_le_bytes())?;
        packed.write_all(&header)?;
        lists(&mut packed)?;
        packed.finish()?.finish()?;
        out.write_all(after.as_bytes())
    }

    /// Returns the header of a page that [`write`](Self::write) made, and the bytes of its lists; `None` if it is no such
    /// page.
    pub fn read(self, page: &str) -> Option<(serde_json::Value, Vec<u8>)> {
        let (before, after) = self.parts();
        let letters = page.strip_prefix(before)?.strip_suffix(after)?;
        let mut bytes = Vec::new();
        ZlibDecoder::new(&*STANDARD.decode(letters).ok()?).read_to_end(&mut bytes).ok()?;
        let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let header = serde_json::from_slice(bytes.get(4..4 + length)?).ok()?;
        Some((header, bytes.split_off(4 + length)))
    }

    /// The text before and after the data.
    pub fn parts(self) -> (&'static str, &'static str) {
        self.0.split_once(MARK).expect("the page has a place for data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_one_place_for_data_and_asks_no_network() {
        for page in [CLASH, NC] {
            assert_eq!(page.0.matches(MARK).count(), 1);
            assert!(page.0.contains("default-src 'none'"));
            for word in ["src=\"", "=\"http", "@import", "url("] {
                assert!(!page.0.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn data_come_back_as_they_were_written() {
        let header = serde_json::json!({ "name": "</script><script>window.harm = 1</script>" });
        let mut bytes = Vec::new();
        let lists = |out: &mut dyn Write| pack::singles(out, [1.0, 2.0]);
        NC.write(&header, &mut bytes, lists).unwrap();
        let page = String::from_utf8(bytes).unwrap();
        assert!(!page.contains("window.harm"));
        // Bytes of equal significance are side by side.
        assert_eq!(NC.read(&page), Some((header, vec![0, 0, 0, 0, 0x80, 0, 0x3f, 0x40])));
        assert_eq!(NC.read(&page[1..]), None);
    }
}
