//! Reads the values of a PLY file one by one, from text or from binary data.

use super::header::{Scalar, shown};
use crate::error::Fault;

/// A boxed fault, so that a `Result` of a value and a fault fits into registers.
pub(super) type Boxed = Box<Fault>;

/// A source of values. Code written over this trait reads all three encodings.
pub(super) trait Source: Clone {
    /// The smallest number of bytes that a value takes.
    fn width(kind: Scalar) -> usize;
    /// Returns the number of bytes left for values.
    fn room(&self) -> usize;
    /// Advances to the next instance of an element.
    fn begin(&mut self) -> Result<(), Boxed>;
    fn number(&mut self, kind: Scalar) -> Result<f64, Boxed>;
    fn integer(&mut self, kind: Scalar) -> Result<i64, Boxed>;
    /// Reads the next list in one step if it has the usual form: three corners, all below `vertex_count`. Otherwise reads
    /// nothing; the caller then reads value by value and finds the problem.
    fn triangle(&mut self, _count: Scalar, _item: Scalar, _vertex_count: u32) -> Option<[u32; 3]> {
        None
    }
    /// Skips values that are not needed.
    fn skip(&mut self, kind: Scalar, count: usize) -> Result<(), Boxed>;
    /// Returns the line or the byte offset of the next value.
    fn place(&self) -> usize;
    fn fault(place: usize, message: String) -> Boxed;
    /// Checks that no data follows beyond the counts of the header.
    fn finish(&mut self) -> Result<(), Boxed>;
}

/// Converts to a whole number. Whole numbers may be declared as `float`.
fn whole(value: f64) -> Option<i64> {
    // Beyond 2^53 an `f64` may have been rounded, and no count is that large.
    (value.trunc() == value && value.abs() < 9e15).then_some(value as i64)
}

/// Text: one instance per line.
///
/// Values are read as `f64`, also if they are declared as `float`.
#[derive(Clone)]
pub(super) struct Ascii<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// The line of the last instance.
    used: usize,
}

impl<'a> Ascii<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, line: usize) -> Self {
        Self { bytes, at, line, used: 0 }
    }

    /// Skips blanks and line ends.
    fn skip_blank_lines(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                // CR LF is one line end.
                b'\r' if self.bytes.get(self.at + 1) == Some(&b'\n') => {}
                b'\n' | b'\r' => self.line += 1,
                byte if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    /// Returns the next word of the line.
    #[inline]
    fn word(&mut self) -> Result<&'a [u8], Boxed> {
        let rest = &self.bytes[self.at..];
        let blank = |&byte: &u8| byte == b' ' || byte == b'\t' || byte == b'\x0C';
        let start = rest.iter().position(|byte| !blank(byte)).unwrap_or(rest.len());
        let rest = &rest[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += start + length;
        if length == 0 {
            let message = "the line has fewer values than the header promises";
            return Err(Self::fault(self.line, message.into()));
        }
        Ok(&rest[..length])
    }

    fn no_number(&self, word: &[u8], what: &str) -> Boxed {
        Self::fault(self.line, format!("{} is not a {what}", shown(word)))
    }
}

fn parsed(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

impl Source for Ascii<'_> {
    /// A digit and a separator.
    fn width(_: Scalar) -> usize {
        2
    }

    fn room(&self) -> usize {
        // The last digit needs no separator.
        self.bytes.len() - self.at + 1
    }

    fn begin(&mut self) -> Result<(), Boxed> {
        self.skip_blank_lines();
        if self.at == self.bytes.len() {
            let message = "the file ends, but the header promises more";
            return Err(Self::fault(self.line, message.into()));
        }
        if self.line == self.used {
            let message = "the line has more values than the header promises";
            return Err(Self::fault(self.line, message.into()));
        }
        self.used = self.line;
        Ok(())
    }

    fn number(&mut self, _: Scalar) -> Result<f64, Boxed> {
        let word = self.word()?;
        parsed(word).ok_or_else(|| self.no_number(word, "number"))
    }

    fn integer(&mut self, _: Scalar) -> Result<i64, Boxed> {
        let word = self.word()?;
        // Nearly all indices have a few digits, for which general parsing is slow.
        if word.len() < 10 && word.iter().all(u8::is_ascii_digit) {
            return Ok(word.iter().fold(0, |value, digit| 10 * value + i64::from(digit - b'0')));
        }
        parsed(word).and_then(whole).ok_or_else(|| self.no_number(word, "whole number"))
    }

    fn skip(&mut self, _: Scalar, count: usize) -> Result<(), Boxed> {
        (0..count).try_for_each(|_| self.word().map(|_| ()))
    }

    fn place(&self) -> usize {
        self.line
    }

    #[cold]
    fn fault(place: usize, message: String) -> Boxed {
        Fault::line(place, message).into()
    }

    fn finish(&mut self) -> Result<(), Boxed> {
        self.skip_blank_lines();
        if self.at < self.bytes.len() {
            let message = "more data than the header promises".to_owned();
            return Err(Self::fault(self.line, message));
        }
        Ok(())
    }
}

/// Binary data in either byte order.
#[derive(Clone)]
pub(super) struct Binary<'a, const BIG_ENDIAN: bool> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a, const BIG_ENDIAN: bool> Binary<'a, BIG_ENDIAN> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Boxed> {
        let Some(&value) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.ended());
        };
        self.at += N;
        // The values are converted as little endian below.
        Ok(if BIG_ENDIAN { reversed(value) } else { value })
    }

    #[cold]
    fn ended(&self) -> Boxed {
        Self::fault(self.bytes.len(), "the file ends, but its header promises more".into())
    }
}

fn reversed<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    bytes.reverse();
    bytes
}

impl<const BIG_ENDIAN: bool> Source for Binary<'_, BIG_ENDIAN> {
    fn width(kind: Scalar) -> usize {
        kind.size()
    }

    fn room(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn begin(&mut self) -> Result<(), Boxed> {
        Ok(())
    }

    #[inline]
    fn number(&mut self, kind: Scalar) -> Result<f64, Boxed> {
        Ok(match kind {
            Scalar::F32 => f32::from_le_bytes(self.take()?).into(),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
            // At most 32 bits, so the conversion to `f64` is exact.
            _ => self.integer(kind)? as f64,
        })
    }

    #[inline]
    fn integer(&mut self, kind: Scalar) -> Result<i64, Boxed> {
        Ok(match kind {
            Scalar::I8 => i8::from_le_bytes(self.take()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.take()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.take()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.take()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.take()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.take()?).into(),
            Scalar::F32 | Scalar::F64 => {
                let place = self.at;
                let value = self.number(kind)?;
                whole(value)
                    .ok_or_else(|| Self::fault(place, format!("{value} is not a whole number")))?
            }
        })
    }

    #[inline]
    fn triangle(&mut self, count: Scalar, item: Scalar, vertex_count: u32) -> Option<[u32; 3]> {
        if count.size() != 1 || !matches!(item, Scalar::I32 | Scalar::U32) {
            return None;
        }
        let (&[3, ref corners @ ..], _) = self.bytes[self.at..].split_first_chunk::<13>()? else {
            return None;
        };
        let (corners, _): (&[[u8; 4]], _) = corners.as_chunks();
        let value = if BIG_ENDIAN { u32::from_be_bytes } else { u32::from_le_bytes };
        let corners = [value(corners[0]), value(corners[1]), value(corners[2])];
        // A negative index becomes a large one here.
        let most = if item == Scalar::I32 { vertex_count.min(1 << 31) } else { vertex_count };
        corners.iter().all(|&corner| corner < most).then(|| {
            self.at += 13;
            corners
        })
    }

    #[inline]
    fn skip(&mut self, kind: Scalar, count: usize) -> Result<(), Boxed> {
        match count.checked_mul(kind.size()) {
            Some(size) if size <= self.room() => self.at += size,
            _ => return Err(self.ended()),
        }
        Ok(())
    }

    fn place(&self) -> usize {
        self.at
    }

    #[cold]
    fn fault(place: usize, message: String) -> Boxed {
        Fault::byte(place, message).into()
    }

    /// A line end or padding may follow. Anything else means that the counts of the header are wrong, or that a text-mode
    /// transfer has inserted bytes and the values are wrong as well.
    fn finish(&mut self) -> Result<(), Boxed> {
        let rest = &self.bytes[self.at..];
        if rest.iter().any(|&byte| byte != 0 && !byte.is_ascii_whitespace()) {
            let message = format!("{} bytes more than the header promises", rest.len());
            return Err(Self::fault(self.at, message));
        }
        Ok(())
    }
}
