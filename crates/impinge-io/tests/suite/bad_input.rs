//! Invalid files of every format: each is refused with its location and a reason, within little memory.

use crate::common::{self, samples};
use impinge_io::{Format, Location, read};

/// The expected location of the error.
#[derive(Debug)]
enum At {
    File,
    Line(usize),
    Byte,
    Json,
    /// Any location.
    Anywhere,
}

impl At {
    fn is(&self, place: &Location) -> bool {
        match (self, place) {
            (Self::File, Location::File) | (Self::Byte, Location::Byte(_)) => true,
            (Self::Line(expected), Location::Line(line)) => expected == line,
            (Self::Json, Location::Json(_)) | (Self::Anywhere, _) => true,
            _ => false,
        }
    }
}

/// A case: its name, the bytes, the expected location, and a piece of the message.
type Case = (&'static str, Vec<u8>, At, &'static str);

fn refuses(format: Format, cases: Vec<Case>) {
    samples::assert_good(format);
    let mut wrong = Vec::new();
    for (what, bytes, at, fragment) in cases {
        let name = common::file_name(format);
        let (result, peak) = common::memory::peak(|| read(&bytes, format, &name));
        match result {
            Ok(_) => wrong.push(format!("{what}: was read")),
            Err(error) if !at.is(&error.location) || !error.message.contains(fragment) => {
                wrong.push(format!("{what}: expected {at:?}, `{fragment}`; got {error}"));
            }
            Err(error) if error.path != name => wrong.push(format!("{what}: {:?}", error.path)),
            Err(error) if error.message.chars().count() > 300 || error.message.contains('\n') => {
                wrong.push(format!("{what}: not one clear line: {error}"));
            }
            Err(_) => {}
        }
        if peak > common::memory_limit(format, bytes.len()) {
            wrong.push(format!("{what}: {peak} bytes of memory for {}", bytes.len()));
        }
    }
    assert!(wrong.is_empty(), "{format}:\n{}", wrong.join("\n"));
}

/// Cases that are invalid in every format.
fn common_cases(format: Format, sample: &[u8]) -> Vec<Case> {
    let utf16 = |text: &[u8]| -> Vec<u8> { text.iter().flat_map(|&byte| [byte, 0]).collect() };
    let mut cases: Vec<Case> = vec![
        ("empty", vec![], At::File, "the file is empty"),
        ("zero bytes", vec![0; 1000], At::Anywhere, ""),
        ("ones", vec![0xFF; 100_000], At::Anywhere, ""),
        ("spaces", vec![b' '; 100_000], At::Anywhere, ""),
        ("line ends", vec![b'\n'; 100_000], At::Anywhere, ""),
        ("one long word", vec![b'a'; 1_000_000], At::Anywhere, ""),
        ("nested brackets", vec![b'['; 1_000_000], At::Anywhere, ""),
        ("nested objects", b"{\"a\":".repeat(200_000), At::Anywhere, ""),
        // For binary formats, only the first bytes matter.
        (
            "UTF-16",
            utf16(sample),
            At::Anywhere,
            match format {
                Format::Glb => "not a GLB file",
                Format::Dted => "not a DTED file",
                _ => "is in UTF-16; save it as UTF-8",
            },
        ),
        ("a zip archive", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec(), At::File, "a zip archive"),
        ("an image", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(), At::File, "a PNG image"),
    ];
    for other in Format::ALL.into_iter().filter(|&other| other != format) {
        for sample in samples::all(other) {
            cases.push(("another format", sample, At::File, "but the content looks like"));
        }
    }
    cases
}

fn edited(text: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(text.contains(from), "{from:?}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn obj() {
    let text = samples::OBJ;
    let mut cases = common_cases(Format::Obj, text.as_bytes());
    let edit = |from: &str, to: &str| edited(text, from, to);
    cases.extend([
        ("no faces", b"v 0 0 0\nv 1 0 0\n".to_vec(), At::File, "holds no faces"),
        ("index 0", edit("f 1 2 5", "f 0 2 5"), At::Line(14), "numbers vertices from 1"),
        ("out of range", edit("f 1 2 5", "f 1 2 6"), At::Line(14), "vertex 6, but the file has 5"),
        ("too far back", edit("-3//1", "-6//1"), At::Line(16), "6 vertices back"),
        ("in a continued line", edit("4/1/1", "9/1/1"), At::Line(17), "vertex 9"),
        ("after a continued line", edit("4 3 2 1", "4 3 2 x"), At::Line(20), "`x` is not a corner"),
        (
            "a truncated face",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2".to_vec(),
            At::Line(5),
            "has 2",
        ),
        ("a truncated vertex", edit("v 0 1 0\n", "v 0 1\n"), At::Line(7), "this one has 2"),
        ("NaN", edit("1e0", "NaN"), At::Line(8), "not a finite number"),
        ("infinity", edit("1e0", "-inf"), At::Line(8), "not a finite number"),
        ("overflow", edit("1e0", "1e400"), At::Line(8), "not a finite number"),
        ("too large", edit("1e0", "1e101"), At::Line(8), "beyond ±1e100"),
        ("a comma", edit("0.5 0.5 1e0", "0,5 0,5 1"), At::Line(8), "`0,5` is not a number"),
        ("Latin-1", [text.as_bytes(), b"# caf\xE9"].concat(), At::Line(24), "0xE9"),
        ("a zero byte", [text.as_bytes(), b"#\0"].concat(), At::Line(24), "zero byte"),
        ("short vertices", b"v\n".repeat(500_000), At::Line(1), "has 0"),
        ("short faces", b"f\n".repeat(500_000), At::Line(1), "has 0"),
        ("a long line", [b"f ".to_vec(), b"1 ".repeat(500_000)].concat(), At::Line(1), "vertex 1"),
        ("endless continuation", b"f \\\n".repeat(250_000), At::Line(250_000), "continues"),
    ]);
    refuses(Format::Obj, cases);
}

#[test]
fn off() {
    let text = samples::OFF;
    let mut cases = common_cases(Format::Off, text.as_bytes());
    let edit = |from: &str, to: &str| edited(text, from, to);
    cases.extend([
        ("no faces", b"OFF\n1 0 0\n0 0 0\n".to_vec(), At::File, "holds no faces"),
        ("too few vertices promised", edit("5 5 0", "4 5 0"), At::Line(7), "corners"),
        ("too many vertices promised", edit("5 5 0", "6 5 0"), At::Line(8), "vertex 255, but"),
        ("too few faces promised", edit("5 5 0", "5 4 0"), At::Line(12), "more numbers"),
        ("too many faces promised", edit("5 5 0", "5 6 0"), At::Line(12), "ends after 5 of 6"),
        ("a count no file could fill", edit("5 5 0", "4000000000 5 0"), At::Line(2), "promised"),
        ("a count beyond 64 bits", edit("5 5 0", "99999999999999999999 5 0"), At::Line(2), "count"),
        ("out of range", edit("3 2 3 4", "3 2 3 5"), At::Line(10), "vertex 5, but there are 5"),
        ("negative", edit("3 2 3 4", "3 2 3 -1"), At::Line(10), "`-1` is not a vertex number"),
        ("too many corners", edit("4 3 2 1 0", "5 3 2 1 0"), At::Line(12), "names only 4"),
        (
            "corners no line could hold",
            edit("4 3 2 1 0", "4000000000 3 2 1 0"),
            At::Line(12),
            "names only 4",
        ),
        ("two corners", edit("3 3 0 4", "2 3 0"), At::Line(11), "at least 3 corners"),
        ("NaN", edit("1e0", "nan"), At::Line(7), "not a finite number"),
        ("too large", edit("1e0", "-1e101"), At::Line(7), "beyond ±1e100"),
        ("four dimensions", edit("OFF", "4OFF"), At::Line(1), "dimensions"),
        ("truncated", text[..text.len() - 20].into(), At::Anywhere, ""),
        ("binary", b"OFF BINARY\n\0\0\0\x05\0\0\0\x05".to_vec(), At::Line(1), "binary OFF"),
        ("no header", edit("OFF", "FOO"), At::Line(1), "expected the header"),
        ("neither header nor counts", edit("OFF", "0.5"), At::Line(1), "found `0.5`"),
    ]);
    refuses(Format::Off, cases);
}

#[test]
fn stl() {
    let text = samples::STL;
    let mut cases = common_cases(Format::Stl, text.as_bytes());
    let edit = |from: &str, to: &str| edited(text, from, to);
    let binary = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = samples::binary_stl();
        edit(&mut bytes);
        bytes
    };
    cases.extend([
        ("no facets", b"solid a\nendsolid a\n".to_vec(), At::Anywhere, "no faces"),
        ("no binary facets", vec![b' '; 80].into_iter().chain([0; 4]).collect(), At::Anywhere, ""),
        ("not a number", edit("1e0", "blah"), At::Line(6), "blah"),
        ("NaN", edit("1e0", "nan"), At::Line(6), "nan"),
        ("infinity", edit("1e0", "inf"), At::Line(6), "inf"),
        ("two vertices", edit("   vertex 1 0 0\n", ""), At::Line(6), ""),
        (
            "four vertices",
            edit("   vertex 1 0 0\n", "vertex 1 0 0\nvertex 1 0 0\n"),
            At::Line(7),
            "fourth",
        ),
        ("two coordinates", edit("0 1e0 0", "0 1e0"), At::Line(7), ""),
        ("a truncated facet", text[..text.len() / 2].into(), At::Anywhere, ""),
        ("binary, truncated", binary(&|b| b.truncate(150)), At::Byte, ""),
        ("binary, a count too high", binary(&|b| b[80] = 3), At::Byte, ""),
        ("binary, a count no file could fill", binary(&|b| b[83] = 0xFF), At::Byte, ""),
        ("binary, NaN", binary(&|b| b[96..100].fill(0xFF)), At::Byte, "NaN"),
        (
            "binary, infinity",
            binary(&|b| b[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes())),
            At::Byte,
            "inf",
        ),
    ]);
    refuses(Format::Stl, cases);
}

#[test]
fn ply() {
    let text = samples::PLY;
    let mut cases = common_cases(Format::Ply, text.as_bytes());
    let edit = |from: &str, to: &str| edited(text, from, to);
    let binary = samples::binary_ply(false);
    let with_count = |count: &str| {
        let split = binary.windows(8).position(|window| window == b"vertex 4").unwrap() + 7;
        [&binary[..split], count.as_bytes(), &binary[split + 1..]].concat()
    };
    cases.extend([
        ("no end of the header", edit("end_header\n", ""), At::Anywhere, ""),
        ("a count too high", edit("vertex 4", "vertex 5"), At::Anywhere, ""),
        ("a count no file could fill", edit("vertex 4", "vertex 4000000000"), At::Anywhere, ""),
        (
            "a count beyond 64 bits",
            edit("vertex 4", "vertex 99999999999999999999"),
            At::Line(4),
            "",
        ),
        (
            "a count without properties",
            b"ply\nformat ascii 1.0\nelement vertex 4000000000\nend_header\n".to_vec(),
            At::Line(3),
            "no properties",
        ),
        ("faces no file could fill", edit("face 2", "face 4000000000"), At::Anywhere, ""),
        ("out of range", edit("3 0 1 2 0", "3 0 1 4 0"), At::Line(19), "4"),
        ("negative", edit("3 0 1 2 0", "3 0 1 -1 0"), At::Line(19), "-1"),
        ("two corners", edit("3 0 1 2 0", "2 0 1 0"), At::Line(19), ""),
        ("NaN", edit("1 1 0 255", "1 nan 0 255"), At::Line(17), "not a finite number"),
        ("no z", edit("property float z\n", ""), At::Anywhere, ""),
        ("an unknown type", edit("double", "half"), At::Line(6), "half"),
        ("an unknown format", edit("ascii 1.0", "binary 1.0"), At::Line(2), ""),
        ("binary, truncated", binary[..binary.len() - 3].to_vec(), At::Byte, ""),
        ("binary, a count too high", with_count("9"), At::Anywhere, ""),
        ("binary, a count no file could fill", with_count("4000000000"), At::Anywhere, ""),
        (
            "binary, a list no file could fill",
            {
                let mut bytes = binary.clone();
                let list = bytes.len() - 17;
                bytes[list] = 255;
                bytes
            },
            At::Byte,
            "",
        ),
    ]);
    refuses(Format::Ply, cases);
}

#[test]
fn gltf() {
    let text = samples::gltf();
    let mut cases = common_cases(Format::Gltf, text.as_bytes());
    let edit = |from: &str, to: &str| edited(&text, from, to);
    cases.extend([
        ("truncated", text[..text.len() / 2].into(), At::Anywhere, ""),
        ("version 1", edit("\"2.0\"", "\"1.0\""), At::Json, "1.0"),
        ("no such mesh", edit("\"mesh\": 0", "\"mesh\": 7"), At::Json, ""),
        ("no such accessor", edit("\"indices\": 1", "\"indices\": 9"), At::Json, ""),
        ("no such buffer", edit("\"buffer\": 0", "\"buffer\": 3"), At::Json, ""),
        (
            "a count no buffer could fill",
            edit("\"count\": 3", "\"count\": 4000000000"),
            At::Json,
            "",
        ),
        (
            "a huge view",
            edit("\"byteLength\": 36", "\"byteLength\": 9007199254740991"),
            At::Json,
            "",
        ),
        (
            "a huge buffer",
            edit("\"byteLength\": 44", "\"byteLength\": 9007199254740991"),
            At::Json,
            "",
        ),
        ("a cycle of nodes", edit("\"scale\": [-1, 1, 1]", "\"children\": [0]"), At::Json, ""),
        ("an infinite place", edit("[1, 2, 3]", "[1e999, 2, 3]"), At::Anywhere, ""),
        ("a place too far", edit("[1, 2, 3]", "[1e300, 2, 3]"), At::Anywhere, ""),
        ("another file", edit("data:application/octet-stream;base64,", "../x"), At::Json, ""),
        ("bad base64", edit("base64,", "base64,!!!!"), At::Json, ""),
    ]);
    refuses(Format::Gltf, cases);
}

#[test]
fn glb() {
    let good = samples::all(Format::Glb).remove(0);
    let mut cases = common_cases(Format::Glb, &good);
    let edit = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    cases.extend([
        ("truncated", good[..good.len() - 5].to_vec(), At::Byte, ""),
        ("only a header", good[..12].to_vec(), At::Byte, ""),
        ("wrong first bytes", edit(0, 0x12B8_34FF), At::Byte, "not a GLB file"),
        ("version 1", edit(4, 1), At::Byte, "version 1"),
        ("a length too high", edit(8, u32::MAX), At::Byte, ""),
        ("a chunk too long", edit(12, u32::MAX), At::Byte, ""),
        ("a chunk that is not JSON", edit(16, 0x004E_4942), At::Byte, "JSON"),
    ]);
    refuses(Format::Glb, cases);
}

#[test]
fn esri_grid() {
    let text = samples::ESRI;
    let mut cases = common_cases(Format::EsriGrid, text.as_bytes());
    let edit = |from: &str, to: &str| edited(text, from, to);
    cases.extend([
        (
            "a count no file could fill",
            edit("ncols 4", "ncols 4000000000"),
            At::Line(6),
            "promised",
        ),
        ("a count beyond 32 bits", edit("ncols 4", "ncols 1e18"), At::Line(1), "no valid value"),
        ("no columns", edit("ncols 4", "ncols 0"), At::Line(1), "no valid value of `ncols`"),
        ("half a row", edit("nrows 3", "nrows 2.5"), At::Line(2), "no valid value of `nrows`"),
        ("a cell without size", edit("cellsize 10", "cellsize 0"), At::Line(5), "`cellsize`"),
        ("a negative cell", edit("cellsize 10", "dx -1\ndy 1"), At::Line(5), "`dx`"),
        ("only dx", edit("cellsize 10", "dx 1"), At::Line(6), "both `dx` and `dy`"),
        ("no rows", edit("nrows 3\n", ""), At::Line(5), "the header has no `nrows`"),
        ("no cell size", edit("cellsize 10\n", ""), At::Line(5), "no `cellsize`"),
        ("twice", edit("cellsize 10", "nrows 3"), At::Line(5), "first on line 2"),
        (
            "both origins",
            edit("cellsize", "xllcenter 1\ncellsize"),
            At::Line(7),
            "both `xllcorner`",
        ),
        ("no value", edit("cellsize 10", "cellsize"), At::Line(5), "`cellsize` has no value"),
        ("two values", edit("cellsize 10", "cellsize 10 20"), At::Line(5), "`20` after the value"),
        ("a misspelt keyword", edit("cellsize", "cell_size"), At::Line(5), "`cell_size` is not a"),
        ("too few heights", edit("9 10 11 12", "9 10 11"), At::Line(11), "after 11 of 12"),
        ("too many heights", edit("9 10 11 12", "9 10 11 12 13"), At::Line(11), "more than the 12"),
        ("not a number", edit("7.5", "7,5"), At::Line(10), "`7,5` is not a number"),
        ("NaN", edit("7.5", "nan"), At::Line(10), "not a finite number"),
        ("too large", edit("7.5", "1e101"), At::Line(10), "beyond ±1e100"),
        ("far away", edit("xllcorner 100", "xllcorner 1e101"), At::Line(3), "`xllcorner`"),
        ("only holes", edit("nrows 3", "nrows 1").into_iter().take(89).collect(), At::Anywhere, ""),
    ]);
    refuses(Format::EsriGrid, cases);
}

#[test]
fn usgs_dem() {
    let good = samples::usgs_dem();
    let mut cases = common_cases(Format::UsgsDem, &good);
    let edit = |at: usize, field: &str| {
        let mut bytes = good.clone();
        bytes[at..at + field.len()].copy_from_slice(field.as_bytes());
        bytes
    };
    cases.extend([
        ("truncated", good[..2000].to_vec(), At::Byte, "the file ends before profile 2 of 3"),
        ("only a header", good[..1024].to_vec(), At::Byte, "the file ends before profile 1 of 3"),
        ("half a header", good[..500].to_vec(), At::Byte, "expected the unit of x and y"),
        ("too many profiles", edit(858, "999999"), At::Byte, "expected the number of samples"),
        ("too many samples", edit(1024 + 12, "999999"), At::Byte, "999999 samples are promised"),
        ("negative samples", edit(1024 + 12, "    -1"), At::Byte, "below 0"),
        ("a sample that is no number", edit(1024 + 144, "  1.5 "), At::Byte, "found `1.5`"),
        ("no resolution", edit(816, "            "), At::Byte, "expected the resolution"),
        ("a resolution of 0", edit(816, "       0.0D0"), At::Byte, "must be above 0"),
        ("infinite x", edit(1024 + 24, &format!("{:>24}", "inf")), At::Byte, "beyond ±1e100"),
        (
            "profiles in disorder",
            edit(2048 + 24, &format!("{:>24}", "0")),
            At::Byte,
            "west to east",
        ),
        ("far profiles", edit(2048 + 24, &format!("{:>24}", "1e60")), At::Byte, "too far"),
        ("Latin-1", edit(10, "\u{E9}"), At::Byte, "is not ASCII text"),
    ]);
    refuses(Format::UsgsDem, cases);
}

#[test]
fn dted() {
    let good = samples::dted();
    let mut cases = common_cases(Format::Dted, &good);
    let edit = |at: usize, field: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + field.len()].copy_from_slice(field);
        bytes
    };
    cases.extend([
        ("truncated", good[..good.len() - 1].to_vec(), At::Byte, "the file ends too early"),
        ("only a header", good[..3428].to_vec(), At::Byte, "the file ends too early"),
        ("half a header", good[..40].to_vec(), At::Byte, "expected a count"),
        ("too many columns", edit(47, b"9999"), At::Byte, "9999 columns of 3 heights"),
        ("too many rows", edit(51, b"9999"), At::Byte, "columns of 9999 heights"),
        ("more bytes", [&good[..], b"x"].concat(), At::Byte, "1 bytes after the last column"),
        ("a damaged height", edit(3428 + 8, b"\x01"), At::Byte, "its checksum is"),
        ("no sentinel", edit(3428, b"\0"), At::Byte, "must start with 0xAA"),
        ("a latitude of no hemisphere", edit(19, b"X"), At::Byte, "expected an angle"),
    ]);
    refuses(Format::Dted, cases);
}

/// Valid files made to be expensive: memory and time stay within limits.
#[test]
fn expensive_valid_files_stay_within_limits() {
    let vertices = "v 0 0 0\n".repeat(100_000);
    let comb: String = (0..1000).map(|i| format!("v {i} {} 0\n", 500 * (i % 2))).collect();
    let corners: String = (1..=1000).map(|i| format!(" {i}")).collect();
    let obj = |text: String| (Format::Obj, text);
    let grid = |columns: usize, rows: usize| {
        let header =
            format!("ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize 1\n");
        (Format::EsriGrid, format!("{header}{}", "0 ".repeat(columns * rows)))
    };
    let cases = [
        ("short vertices", obj(format!("{vertices}f 1 2 3\n"))),
        ("short faces", obj(format!("v 0 0 0\n{}", "f 1 1 1\n".repeat(100_000)))),
        ("one large polygon", obj(format!("v 0 0 0\nf{}", " 1".repeat(2_000_000)))),
        ("many concave polygons", obj(format!("{comb}{}", format!("f{corners}\n").repeat(300)))),
        (
            "one group again and again",
            obj(format!("v 0 0 0\n{}", "g a\nf 1 1 1\ng b\nf 1 1 1\n".repeat(50_000))),
        ),
        ("empty groups", obj(format!("v 0 0 0\nf 1 1 1\n{}", "g a\ng b\n".repeat(100_000)))),
        (
            "OFF, one large polygon",
            (Format::Off, format!("OFF\n1 1\n0 0 0\n1000000{}", " 0".repeat(1_000_000))),
        ),
        (
            "OFF, short faces",
            (Format::Off, format!("OFF\n1 100000\n0 0 0\n{}", "3 0 0 0\n".repeat(100_000))),
        ),
        ("an ESRI grid, short heights", grid(500, 500)),
        ("an ESRI grid of two columns", grid(2, 100_000)),
    ];
    for (what, (format, text)) in cases {
        let start = std::time::Instant::now();
        let name = common::file_name(format);
        let (result, peak) = common::memory::peak(|| read(text.as_bytes(), format, &name));
        common::check_model(&result.unwrap()).unwrap();
        let ratio = peak as f64 / text.len() as f64;
        println!("{what}: {ratio:.1} × {} bytes, {:?}", text.len(), start.elapsed());
        assert!(
            peak <= common::memory_limit(format, text.len()),
            "{what}: {ratio} × {}",
            text.len()
        );
        assert!(start.elapsed().as_secs() < 10, "{what}: {:?}", start.elapsed());
    }
    // A part has a name, a transform and a list of faces, so a file of nothing but parts takes more memory, but
    // still a fixed multiple of its size.
    let text: String = (0..100_000).map(|i| format!("g {i:x}\nf 1 1 1\n")).collect();
    let text = format!("v 0 0 0\n{text}");
    let name = common::file_name(Format::Obj);
    let (result, peak) = common::memory::peak(|| read(text.as_bytes(), Format::Obj, &name));
    assert_eq!(result.unwrap().parts.len(), 100_000);
    println!("nothing but parts: {:.1} × {} bytes", peak as f64 / text.len() as f64, text.len());
    assert!(peak <= 20 * text.len(), "{peak} bytes for {}", text.len());
}
