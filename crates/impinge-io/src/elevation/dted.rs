//! Reads DTED files (`.dt0`, `.dt1`, `.dt2`): a tile of heights in metres over longitude and latitude.
//!
//! Three text headers (UHL, DSI, ACC) come first, then a binary record for each column from west to east.

use super::grid::{Direction, Grid, Horizontal, Line};
use crate::{error::Fault, text::shown};

/// The lengths of the headers UHL, DSI and ACC.
const HEADERS: [usize; 3] = [80, 648, 2700];

/// The first byte of each data record.
const SENTINEL: u8 = 0xAA;

/// The bytes of a data record before its heights, and the checksum after them.
const BEFORE: usize = 8;
const CHECKSUM: usize = 4;

/// The stored value of missing heights.
const MISSING: i32 = -32_767;

/// Heights below this are refused: the deepest place on earth is 11 km below the sea.
const LOWEST: i32 = -16_000;

/// Returns whether bytes begin as a DTED file, possibly with labels of a tape before the header.
pub(crate) fn is_dted(bytes: &[u8]) -> bool {
    bytes[header_start(bytes)..].starts_with(b"UHL1")
}

/// Returns where the header UHL starts: after the tape labels VOL and HDR, of 80 bytes each.
fn header_start(bytes: &[u8]) -> usize {
    let is_label = |at: usize| {
        let label = bytes.get(at..at + 80);
        label.is_some_and(|label| label.starts_with(b"VOL") || label.starts_with(b"HDR"))
    };
    [80, 160].into_iter().take_while(|end| is_label(end - 80)).last().unwrap_or(0)
}

/// Reads a DTED file.
pub(super) fn read(bytes: &[u8]) -> Result<Grid, Fault> {
    let start = header_start(bytes);
    let header = Header { bytes, start };
    if !bytes[start..].starts_with(b"UHL") {
        return Err(Fault::byte(start, "not a DTED file: it does not start with the header UHL"));
    }
    let longitude = header.angle(4)?;
    let latitude = header.angle(12)?;
    let steps = [header.step(20)?, header.step(24)?];
    let (columns, rows) = (header.count(47)?, header.count(51)?);
    let data = start + HEADERS.iter().sum::<usize>();
    let length = BEFORE + 2 * rows + CHECKSUM;
    let needed = data + columns * length;
    if bytes.len() < needed {
        return Err(Fault::byte(
            bytes.len(),
            format!(
                "the file ends too early: {columns} columns of {rows} heights end at byte {needed}"
            ),
        ));
    }
    if bytes.len() > needed {
        let message = format!("{} bytes after the last column", bytes.len() - needed);
        return Err(Fault::byte(needed, message));
    }
    let mut heights = Vec::with_capacity(columns * rows);
    let mut lines = Vec::with_capacity(columns);
    for (column, record) in bytes[data..].chunks_exact(length).enumerate() {
        let at = data + column * length;
        check_record(record, column).map_err(|(byte, message)| Fault::byte(at + byte, message))?;
        for (row, stored) in record[BEFORE..length - CHECKSUM].chunks_exact(2).enumerate() {
            heights.push(
                height([stored[0], stored[1]]).ok_or_else(|| too_low(at + BEFORE + 2 * row))?,
            );
        }
        let samples = column * rows..(column + 1) * rows;
        let across = longitude + column as f64 * steps[0];
        lines.push(Line { number: column as i64, first: 0, across, along: latitude, samples });
    }
    Ok(Grid {
        direction: Direction::Columns,
        step: steps[1],
        lines,
        heights,
        horizontal: Horizontal::Degrees,
    })
}

/// Checks the frame of a data record. An error is the offset of a byte and a message.
fn check_record(record: &[u8], column: usize) -> Result<(), (usize, String)> {
    if record[0] != SENTINEL {
        let message =
            format!("column {column} starts with 0x{:02X}, but must start with 0xAA", record[0]);
        return Err((0, message));
    }
    let number = usize::from(u16::from_be_bytes([record[4], record[5]]));
    if number != column {
        return Err((4, format!("this is column {column}, but its record says {number}")));
    }
    let (content, checksum) = record.split_at(record.len() - CHECKSUM);
    let stored = checksum.iter().fold(0_u32, |sum, &byte| sum << 8 | u32::from(byte));
    let computed: u32 = content.iter().map(|&byte| u32::from(byte)).sum();
    if stored != computed {
        let message = format!(
            "column {column} is damaged: its checksum is {computed}, but {stored} is stored"
        );
        return Err((content.len(), message));
    }
    Ok(())
}

/// Returns a height from its sign bit and magnitude; NaN if it is missing, `None` if it is below [`LOWEST`].
fn height(stored: [u8; 2]) -> Option<f64> {
    let stored = u16::from_be_bytes(stored);
    let magnitude = i32::from(stored & 0x7FFF);
    let value = if stored & 0x8000 == 0 { magnitude } else { -magnitude };
    match value {
        MISSING => Some(f64::NAN),
        ..LOWEST => None,
        _ => Some(f64::from(value)),
    }
}

fn too_low(byte: usize) -> Fault {
    Fault::byte(
        byte,
        "the height is below -16000 m; heights must be stored as sign and magnitude, not as two's complement",
    )
}

/// The header UHL.
struct Header<'a> {
    bytes: &'a [u8],
    start: usize,
}

impl Header<'_> {
    fn field(&self, at: usize, length: usize) -> &[u8] {
        let end = (self.start + at + length).min(self.bytes.len());
        self.bytes.get(self.start + at..end).unwrap_or_default()
    }

    fn expected(&self, at: usize, length: usize, what: &str) -> Fault {
        let field = String::from_utf8_lossy(self.field(at, length));
        Fault::byte(self.start + at, format!("expected {what}, found `{}`", shown(&field)))
    }

    /// Reads digits.
    fn digits(&self, at: usize, length: usize) -> Option<u32> {
        let field = self.field(at, length);
        let digits = field.len() == length && field.iter().all(u8::is_ascii_digit);
        digits.then(|| field.iter().fold(0, |value, digit| 10 * value + u32::from(digit - b'0')))
    }

    /// Reads an angle of the form DDDMMSSH as degrees; H is N, S, E or W.
    fn angle(&self, at: usize) -> Result<f64, Fault> {
        let fault = || self.expected(at, 8, "an angle as DDDMMSSH, such as 0430000N");
        let [degrees, minutes, seconds] =
            [(0, 3), (3, 2), (5, 2)].map(|(start, length)| self.digits(at + start, length));
        let (Some(degrees), Some(minutes), Some(seconds)) = (degrees, minutes, seconds) else {
            return Err(fault());
        };
        let angle = f64::from(degrees * 3600 + minutes * 60 + seconds) / 3600.0;
        match self.field(at + 7, 1) {
            b"N" | b"E" => Ok(angle),
            b"S" | b"W" => Ok(-angle),
            _ => Err(fault()),
        }
    }

    /// Reads the distance of samples in tenths of arc seconds as degrees.
    fn step(&self, at: usize) -> Result<f64, Fault> {
        let tenths = self.digits(at, 4).filter(|&tenths| tenths > 0);
        let fault = || self.expected(at, 4, "a distance in tenths of arc seconds");
        tenths.map(|tenths| f64::from(tenths) / 36_000.0).ok_or_else(fault)
    }

    fn count(&self, at: usize) -> Result<usize, Fault> {
        let count = self.digits(at, 4).filter(|&count| count > 0);
        count.map(|count| count as usize).ok_or_else(|| self.expected(at, 4, "a count"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::GridOptions;
    use super::*;
    use glam::DVec3;

    /// A file of 2 columns and 3 rows at 10° W, 20° S; heights as sign and magnitude.
    fn file(heights: [u16; 6]) -> Vec<u8> {
        let mut bytes = b"UHL10100000W0200000S030006000000U              000200030".to_vec();
        bytes.resize(HEADERS.iter().sum(), b' ');
        for (column, heights) in heights.chunks(3).enumerate() {
            let mut record = vec![SENTINEL, 0, 0, column as u8, 0, column as u8, 0, 0];
            record.extend(heights.iter().flat_map(|height| height.to_be_bytes()));
            let sum: u32 = record.iter().map(|&byte| u32::from(byte)).sum();
            record.extend(sum.to_be_bytes());
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn heights_have_a_sign_bit() {
        let bytes = file([5, 0x8005, 0x7FFF, 0, 0x8000, 0xFFFF]);
        assert!(is_dted(&bytes));
        let grid = read(&bytes).unwrap();
        assert_eq!(grid.heights[..5], [5.0, -5.0, 32_767.0, 0.0, 0.0]);
        assert!(grid.heights[5].is_nan());
        let mesh = grid.into_mesh(&GridOptions::default()).unwrap();
        assert_eq!(mesh.positions()[1], DVec3::new(-10.0, -20.0 + 600.0 / 36_000.0, -5.0));
        assert_eq!(mesh.faces().len(), 3);
        let tape = [
            &[b"VOL1", &[b' '; 76][..]].concat(),
            &[b"HDR1", &[b' '; 76][..]].concat(),
            &bytes[..],
        ];
        assert_eq!(read(&tape.concat()).unwrap().heights.len(), 6);
        let error = read(&file([0, 0xFFFE, 0, 0, 0, 0])).unwrap_err();
        assert!(error.message.contains("two's complement"), "{}", error.message);
    }

    #[test]
    fn damaged_records_are_refused() {
        let good = file([1, 2, 3, 4, 5, 6]);
        let data = HEADERS.iter().sum::<usize>();
        let refused = |edit: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            edit(&mut bytes);
            let error = read(&bytes).unwrap_err();
            (error.location, error.message)
        };
        let at = |byte: usize| crate::Location::Byte(byte as u64);
        let (place, message) = refused(&|bytes| bytes[data + 9] = 7);
        assert_eq!(place, at(data + 14));
        assert_eq!(message, "column 0 is damaged: its checksum is 182, but 176 is stored");
        assert_eq!(refused(&|bytes| bytes[data] = 0).0, at(data));
        assert_eq!(refused(&|bytes| bytes[data + 18 + 5] = 9).0, at(data + 18 + 4));
        assert_eq!(refused(&|bytes| bytes.truncate(data + 20)).0, at(data + 20));
        assert_eq!(refused(&|bytes| bytes.push(0)).0, at(good.len()));
        assert!(refused(&|bytes| bytes[11] = b'X').1.contains("expected an angle"));
        assert!(refused(&|bytes| bytes[20..24].fill(b'0')).1.contains("tenths of arc seconds"));
        assert!(refused(&|bytes| bytes[51] = b'-').1.contains("expected a count"));
        assert!(refused(&|bytes| bytes.truncate(30)).1.contains("expected a count"));
    }
}
