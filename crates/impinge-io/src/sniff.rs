//! Detects files whose content clearly is in another format than the extension says.
//!
//! Only certain cases are reported: the message of the format's own reader is better than a wrong guess.

use crate::{Format, elevation, error::Fault};

/// Refuses bytes that are clearly in another format than `expected`.
pub(crate) fn check(bytes: &[u8], expected: Format) -> Result<(), Fault> {
    // The first 80 bytes of a binary STL file may be anything.
    if expected == Format::Stl && is_binary_stl(bytes) {
        return Ok(());
    }
    let message = match looks_like(bytes) {
        None => return Ok(()),
        Some(Kind::Format(found)) if found == expected => return Ok(()),
        Some(Kind::Format(found)) => format!(
            "the name says {expected}, but the content looks like {found}: \
             rename the file to .{} if it is",
            found.extension()
        ),
        Some(Kind::Other(found)) => {
            format!("the name says {expected}, but the content looks like {found}")
        }
    };
    Err(Fault::file(message))
}

enum Kind {
    Format(Format),
    Other(&'static str),
}

/// Leading bytes, and the kind of file that starts with them.
const MAGIC: [(&[u8], &str); 16] = [
    (b"PK\x03\x04", "a zip archive: unpack it, or rename it to .3mf if it is a 3MF package"),
    (b"\x1F\x8B", "a gzip archive: unpack it first"),
    (b"BZh", "a bzip2 archive: unpack it first"),
    (b"\xFD7zXZ\0", "an xz archive: unpack it first"),
    (b"(\xB5/\xFD", "a zstd archive: unpack it first"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive: unpack it first"),
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"\x7FELF", "a program"),
    (b"version https://git-lfs", "a Git LFS pointer: fetch the file itself"),
    (b"ISO-10303-21", "a STEP file"),
    (b"Kaydara FBX", "an FBX file"),
    (b"BLENDER", "a Blender file"),
    (b"#VRML", "a VRML file"),
];

fn looks_like(bytes: &[u8]) -> Option<Kind> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(Kind::Other(what));
    }
    if bytes.starts_with(b"glTF") {
        return Some(Kind::Format(Format::Glb));
    }
    if is_binary_stl(bytes) {
        return Some(Kind::Format(Format::Stl));
    }
    if elevation::is_dted(bytes) {
        return Some(Kind::Format(Format::Dted));
    }
    // Before the text formats: a USGS DEM starts with a free description.
    if elevation::is_dem(bytes) {
        return Some(Kind::Format(Format::UsgsDem));
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    // 4096 bytes cover the comments that programs usually write first.
    let text = &text[..text.len().min(4096)];
    match text.trim_ascii_start() {
        [b'{', ..] if text.contains(&b'"') => return Some(Kind::Format(Format::Gltf)),
        [b'<', b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] => {
            return Some(Kind::Other("XML or HTML"));
        }
        _ => {}
    }
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let mut lines = lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let line = lines.clone().find(|line| !line.starts_with(b"#"))?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next()?, words.next()) {
        (word, Some(_)) if elevation::is_header_word(word) => Some(Kind::Format(Format::EsriGrid)),
        (b"ply", None) => Some(Kind::Format(Format::Ply)),
        (word, _)
            if word.eq_ignore_ascii_case(b"solid")
                && lines
                    .any(|line| line.len() >= 5 && line[..5].eq_ignore_ascii_case(b"facet")) =>
        {
            Some(Kind::Format(Format::Stl))
        }
        (b"OFF" | b"off" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF", _) => {
            Some(Kind::Format(Format::Off))
        }
        (b"mtllib" | b"v" | b"vn" | b"vt" | b"o", Some(_)) => Some(Kind::Format(Format::Obj)),
        _ => None,
    }
}

/// Checks the layout of binary STL: 80 bytes, a count, 50 bytes per facet. In a text file the four bytes of the count
/// would stand for gigabytes.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(80..84).and_then(|count| count.try_into().ok()) else {
        return false;
    };
    let count = u64::from(u32::from_le_bytes(count));
    count > 0 && bytes.len() as u64 == 84 + 50 * count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_recognised() {
        let mut stl = b"solid header ".repeat(20)[..80].to_vec();
        stl.extend(2_u32.to_le_bytes());
        stl.extend([0; 100]);
        let mut dem = vec![b' '; 1024];
        for (at, code) in [(149, b'1'), (155, b'1'), (533, b'2'), (539, b'2'), (545, b'4')] {
            dem[at] = code;
        }
        // The description of a USGS DEM may look like another format.
        dem[..8].copy_from_slice(b"v 0 0 0 ");
        let samples: [(&[u8], Option<Format>, &str); 19] = [
            (b"NCOLS 3\nNROWS 4\n", Some(Format::EsriGrid), "ESRI ASCII grid"),
            (&dem, Some(Format::UsgsDem), "USGS DEM"),
            (b"UHL10800000W0430000N", Some(Format::Dted), "DTED"),
            (&[&b"HDR1"[..], &[b' '; 76], b"UHL1"].concat(), Some(Format::Dted), "DTED"),
            (b"glTF\x02\0\0\0", Some(Format::Glb), "GLB"),
            (b"  {\"asset\": {}}", Some(Format::Gltf), "glTF"),
            (b"ply\r\nformat ascii 1.0\r\n", Some(Format::Ply), "PLY"),
            (b"# made by\nCOFF 3 1 0\n", Some(Format::Off), "OFF"),
            (b"off\n3 1 0\n", Some(Format::Off), "OFF"),
            (b"solid a\n facet normal 0 0 1\n", Some(Format::Stl), "STL"),
            (b"SOLID\nFACET NORMAL", Some(Format::Stl), "STL"),
            (&stl, Some(Format::Stl), "STL"),
            (b"# made by\n\nmtllib a.mtl\n", Some(Format::Obj), "OBJ"),
            (b"v 0 0 0\r", Some(Format::Obj), "OBJ"),
            (b"PK\x03\x04\x14\0", None, "a zip archive"),
            (b"\x1F\x8B\x08", None, "a gzip archive"),
            (b"\x89PNG\r\n\x1A\n", None, "a PNG image"),
            (b"<?xml version=\"1.0\"?>", None, "XML or HTML"),
            (b"ISO-10303-21;\nHEADER;\n", None, "a STEP file"),
        ];
        for (bytes, own, name) in samples {
            for format in Format::ALL {
                let Err(fault) = check(bytes, format) else {
                    assert_eq!(own, Some(format), "{name} passes as {format}");
                    continue;
                };
                assert_ne!(own, Some(format), "{name}");
                let start = format!("the name says {format}, but the content looks like {name}");
                assert!(fault.message.starts_with(&start), "{}", fault.message);
            }
        }
    }

    #[test]
    fn uncertain_content_passes() {
        for bytes in
            [&b"hello"[..], b"", b"#", b"g", b"o", b"solid", b"solid waste management", b"{"]
        {
            for format in Format::ALL {
                assert!(check(bytes, format).is_ok(), "{bytes:?} as {format}");
            }
        }
        // A binary STL file may start with any bytes.
        let mut stl = b"ply".to_vec();
        stl.resize(80, b'\n');
        stl.extend(1_u32.to_le_bytes());
        stl.extend([0; 50]);
        assert!(check(&stl, Format::Stl).is_ok());
    }
}
