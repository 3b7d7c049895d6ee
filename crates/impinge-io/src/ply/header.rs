//! Parses the header of a PLY file: the elements and their properties.

use crate::{error::Fault, text};

/// More entries than any real header has. The limit bounds the cost of a header and of the search for duplicate names.
const MAX_ENTRIES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    One(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    /// The count from the header; not trusted before it is compared with the size of the file.
    pub(super) count: u64,
    pub(super) properties: Vec<Property<'a>>,
    line: usize,
}

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element<'a>>,
    /// The byte offset and the line at which the data starts.
    pub(super) body: usize,
    pub(super) line: usize,
}

impl Scalar {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// The number of bytes in a binary file.
    pub(super) const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl<'a> Element<'a> {
    /// Returns the indices of the properties x, y and z.
    pub(super) fn coordinates(&self) -> Result<[usize; 3], Fault> {
        let mut found = [0; 3];
        for (axis, name) in found.iter_mut().zip([b"x", b"y", b"z"]) {
            match self.find(name) {
                Some((index, Kind::One(_))) => *axis = index,
                Some(_) => return Err(self.fault(&format!("has a list as its {}", shown(name)))),
                None => return Err(self.fault(&format!("has no property {}", shown(name)))),
            }
        }
        Ok(found)
    }

    /// Returns the index of the property that lists the corners. Two names are in wide use.
    pub(super) fn corners(&self) -> Result<usize, Fault> {
        match self.find(b"vertex_indices").or_else(|| self.find(b"vertex_index")) {
            Some((index, Kind::List { .. })) => Ok(index),
            Some(_) => Err(self.fault("has one vertex index where a list is needed")),
            None => Err(self.fault("has no property list `vertex_indices`")),
        }
    }

    fn find(&self, name: &[u8]) -> Option<(usize, Kind)> {
        let index = self.properties.iter().position(|property| property.name == name)?;
        Some((index, self.properties[index].kind))
    }

    pub(super) fn fault(&self, what: &str) -> Fault {
        Fault::line(self.line, format!("the element {} {what}", shown(self.name)))
    }
}

/// Returns a token of the file, quoted, for use in a message.
pub(super) fn shown(word: &[u8]) -> String {
    let word = String::from_utf8_lossy(&word[..word.len().min(200)]);
    format!("`{}`", text::shown(&word))
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header<'_>, Fault> {
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut lines = Lines { bytes, at: start, number: 0, lone_cr: false };
    if lines.next().is_none_or(|line| line.trim_ascii_end() != b"ply") {
        return Err(Fault::line(1, "not a PLY file: its first line is not `ply`"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element<'_>> = Vec::new();
    let mut entries = 0;
    while let Some(line) = lines.next() {
        let fault = |message: String| Fault::line(lines.number, message);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(keyword) = words.next() else { continue };
        match keyword {
            b"comment" | b"obj_info" => continue,
            b"end_header" => {
                let encoding =
                    encoding.ok_or_else(|| fault("the header has no `format`".into()))?;
                let is_bare =
                    |element: &&Element<'_>| element.count > 0 && element.properties.is_empty();
                if let Some(element) = elements.iter().find(is_bare) {
                    let count = element.count;
                    let message = format!("is promised {count} times, but has no properties");
                    return Err(element.fault(&message));
                }
                return Ok(Header { encoding, elements, body: lines.at, line: lines.number + 1 });
            }
            b"format" if encoding.is_some() => return Err(fault("a second `format`".into())),
            b"format" => encoding = Some(format(words.next(), words.next()).map_err(fault)?),
            b"element" => {
                let element = element(words.next(), words.next(), lines.number).map_err(fault)?;
                if elements.iter().any(|other| other.name == element.name) {
                    return Err(fault(format!("a second element {}", shown(element.name))));
                }
                elements.push(element);
            }
            b"property" => {
                let property = property(&mut words).map_err(fault)?;
                let Some(element) = elements.last_mut() else {
                    return Err(fault("a property before the first element".into()));
                };
                if element.properties.iter().any(|other| other.name == property.name) {
                    return Err(fault(format!("a second property {}", shown(property.name))));
                }
                element.properties.push(property);
            }
            _ => return Err(fault(format!("{} is not a header keyword", shown(keyword)))),
        }
        if let Some(word) = words.next() {
            return Err(fault(format!("unexpected word {} at the end of the line", shown(word))));
        }
        entries += 1;
        if entries > MAX_ENTRIES {
            return Err(fault(format!("the header has more than {MAX_ENTRIES} entries")));
        }
    }
    Err(Fault::line(lines.number, "the file ends before `end_header`"))
}

fn format(name: Option<&[u8]>, version: Option<&[u8]>) -> Result<Encoding, String> {
    let encoding = match name {
        Some(b"ascii") => Encoding::Ascii,
        Some(b"binary_little_endian") => Encoding::LittleEndian,
        Some(b"binary_big_endian") => Encoding::BigEndian,
        name => {
            return Err(format!(
                "the format {} is not `ascii`, `binary_little_endian` or `binary_big_endian`",
                shown(name.unwrap_or_default())
            ));
        }
    };
    match version {
        Some(b"1.0") => Ok(encoding),
        version => Err(format!("PLY version {} is not 1.0", shown(version.unwrap_or_default()))),
    }
}

fn element<'a>(
    name: Option<&'a [u8]>,
    count: Option<&[u8]>,
    line: usize,
) -> Result<Element<'a>, String> {
    let (Some(name), Some(count)) = (name, count) else {
        return Err("an element needs a name and a count".into());
    };
    let number = std::str::from_utf8(count).ok().and_then(|count| count.parse().ok());
    let count = number.ok_or_else(|| format!("{} is not a count", shown(count)))?;
    Ok(Element { name, count, properties: Vec::new(), line })
}

fn property<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Result<Property<'a>, String> {
    let kind = match words.next() {
        Some(b"list") => Kind::List { count: scalar(words.next())?, item: scalar(words.next())? },
        word => Kind::One(scalar(word)?),
    };
    let name = words.next().ok_or("a property needs a type and a name")?;
    Ok(Property { name, kind })
}

fn scalar(name: Option<&[u8]>) -> Result<Scalar, String> {
    let name = name.ok_or("a property needs a type and a name")?;
    Scalar::named(name).ok_or_else(|| {
        format!(
            "{} is not a type; use char, uchar, short, ushort, int, uint, float or double",
            shown(name)
        )
    })
}

/// The lines of the header.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
    /// Whether lines end with a single CR. The first line decides. It matters for the last line: a following LF is either
    /// part of the line end or the first byte of the data.
    lone_cr: bool,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let length = length.unwrap_or(rest.len());
        let end = match &rest[length..] {
            [b'\r', b'\n', ..] if !self.lone_cr => 2,
            [b'\r', ..] => {
                self.lone_cr |= self.number == 0;
                1
            }
            [_, ..] => 1,
            [] => 0,
        };
        self.at += length + end;
        self.number += 1;
        Some(&rest[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Location;

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment x\nobj_info\nelement vertex 8\n\
                          property float x\nproperty list uint8 int32 list\nend_header\n";

    fn fault(text: &str) -> (usize, String) {
        match parse(text.as_bytes()).unwrap_err() {
            Fault { location: Location::Line(line), message } => (line, message),
            fault => panic!("no line: {fault:?}"),
        }
    }

    #[test]
    fn headers_are_read_with_any_line_ends() {
        for end in ["\n", "\r\n", "\r", " \t\n"] {
            // The first byte of the data looks like a line end.
            let text = HEADER.replace('\n', end) + if end == "\n" { "\r" } else { "\n" };
            let header = parse(text.as_bytes()).unwrap();
            assert_eq!(header.encoding, Encoding::Ascii);
            assert_eq!((header.body, header.line), (text.len() - 1, 9), "{end:?}");
            let [element] = &header.elements[..] else { panic!() };
            assert_eq!((element.name, element.count), (b"vertex".as_slice(), 8));
            assert_eq!(element.properties[0].kind, Kind::One(Scalar::F32));
            let list = Kind::List { count: Scalar::U8, item: Scalar::I32 };
            assert_eq!(element.properties[1].kind, list);
        }
        assert!(parse(HEADER.trim_end().as_bytes()).is_ok(), "no line end at the end of the file");
        assert!(parse(format!("\u{FEFF}{HEADER}").as_bytes()).is_ok());
    }

    #[test]
    fn errors_name_the_line() {
        let with = |from: &str, to: &str| fault(&HEADER.replacen(from, to, 1));
        assert_eq!(with("ply", "plyx").0, 1);
        assert_eq!(fault("").0, 1);
        assert_eq!(with("ascii", "utf8").0, 2);
        assert_eq!(with("1.0", "2.0"), (2, "PLY version `2.0` is not 1.0".into()));
        assert_eq!(with("1.0", "1.0 x"), (2, "unexpected word `x` at the end of the line".into()));
        assert_eq!(with("format ascii 1.0", ""), (8, "the header has no `format`".into()));
        assert_eq!(with("vertex 8", "vertex -8"), (5, "`-8` is not a count".into()));
        assert_eq!(with("vertex 8", "vertex 99999999999999999999").0, 5);
        assert_eq!(with("vertex 8", "vertex").0, 5);
        assert_eq!(with("element vertex 8", "").1, "a property before the first element");
        assert!(with("float x", "half x").1.starts_with("`half` is not a type; use"));
        assert_eq!(with("float x", "float").0, 6);
        assert_eq!(with("int32 list", "x int list"), (7, with("int32 list", "x int list").1));
        assert_eq!(with("comment x", "coment x"), (3, "`coment` is not a header keyword".into()));
        assert_eq!(with("end_header\n", ""), (7, "the file ends before `end_header`".into()));
        assert_eq!(with("property float x", "property int x\nproperty int x").0, 7);
        assert_eq!(with("end_header", "element vertex 8\nend_header").0, 8);
        let many = (0..2000).fold(String::new(), |many, n| many + &format!("element e{n} 0\n"));
        assert!(with("end_header", &many).1.contains("more than 1000"));
    }
}
