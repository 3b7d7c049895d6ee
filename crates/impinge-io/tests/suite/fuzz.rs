//! Mutated files: for any bytes, a reader returns a valid model or an error, within limits of time and memory.
//!
//! Every iteration is seeded by its number, so each run does the same steps, only more or fewer of them:
//! `IMPINGE_FUZZ_SECONDS` sets the time per format (default 3). A failing input is written to the temporary
//! folder of the build and named in the message. If the process dies (stack overflow, out of memory) or hangs,
//! run it again with `IMPINGE_FUZZ_TRACE=1`: every input is then written there before it is read.

// Prints the number of inputs, for long runs.
#![allow(clippy::print_stdout)]

use crate::common::{self, samples};
use impinge_io::{
    Format,
    assembly::{self, LoadOptions},
    read, read_octree, write_octree,
};
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The time limit per input: far more than a correct reader needs, far less than a user would wait. Two other
/// processes may share a core with this test, so the limit is generous.
const SLOWEST: Duration = Duration::from_secs(5);

/// Mutations do not grow an input beyond this size.
const LARGEST: usize = 1 << 19;

struct Random(impinge::generate::Random);

impl Random {
    fn new(seed: u64) -> Self {
        Self(impinge::generate::Random::new(seed))
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        self.0.below(end as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns a range of the given length's indices, usually a short one.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let most = if self.below(4) == 0 { length - start } else { 64.min(length - start) };
        start..start + self.below(most + 1)
    }
}

const NUMBERS: [&str; 28] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e38",
    "3.5e38",
    "1e100",
    "1.1e100",
    "1e308",
    "1e-320",
    "1e999",
    "nan",
    "inf",
];

const WORDS: [(Format, &[&str]); 9] = [
    (
        Format::Obj,
        &[
            "v ",
            "f ",
            "g ",
            "o ",
            "\\\n",
            "\r",
            "#",
            "/",
            "//",
            "-",
            "\nf 1 2 3 4 5\n",
            "call x",
            "vn ",
        ],
    ),
    (
        Format::Off,
        &["OFF", "COFF", "NOFF", "STOFF", "4OFF", "off", " BINARY\n", "#", "\n", "\r", "3 0 1 2\n"],
    ),
    (
        Format::Stl,
        &[
            "solid",
            "endsolid",
            "facet",
            "normal",
            "outer loop",
            "vertex ",
            "endloop",
            "endfacet",
            "\n",
        ],
    ),
    (
        Format::Ply,
        &[
            "ply\n",
            "element ",
            "property ",
            "list ",
            "uchar ",
            "int ",
            "uint ",
            "double ",
            "float ",
            "ushort ",
            "vertex ",
            "face ",
            "vertex_indices",
            "end_header\n",
            "format ",
            "ascii",
            "binary_little_endian",
            "binary_big_endian",
            "comment ",
            "tristrips",
            "obj_info ",
            "\r\n",
        ],
    ),
    (
        Format::Gltf,
        &[
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "null",
            "true",
            "\"count\":",
            "\"byteOffset\":",
            "\"byteStride\":",
            "\"sparse\":",
            "\"mode\":",
            "\"children\":[0]",
            "\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]",
            "\"mesh\":0",
            "\"componentType\":",
            "5120",
            "5121",
            "5122",
            "5123",
            "5125",
            "5126",
            "\"normalized\":true",
            "VEC2",
            "VEC4",
            "SCALAR",
            "\"extensionsRequired\":[\"x\"]",
            "\"uri\":",
            "\"bufferView\":",
        ],
    ),
    (
        Format::Glb,
        &[
            "glTF",
            "JSON",
            "BIN\0",
            "{",
            "}",
            "[",
            "]",
            ",",
            "\"count\":",
            "\"children\":[0]",
            "\"mesh\":0",
        ],
    ),
    (
        Format::EsriGrid,
        &[
            "ncols 3\n",
            "nrows ",
            "xllcenter 0\n",
            "yllcorner ",
            "cellsize ",
            "dx 1\ndy 1\n",
            "NODATA_value nan\n",
            " nan ",
            "-9999 ",
            "\n",
        ],
    ),
    (Format::Dted, &["UHL1", "HDR1", "VOL1", "0000", "0001", "9999", "0800000E", "\0\0"]),
    (Format::UsgsDem, &["-32767", "     0", "0.1D+99", "     4", "\n", "      ", "999999"]),
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    let length = bytes.len();
    match random.below(12) {
        0 => {
            if let Some(byte) = bytes.get_mut(random.below(length)) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(random.below(length)) {
                *byte = *random.pick(&[0, 1, 3, 9, 10, 13, 32, 35, 45, 47, 92, 127, 128, 254, 255]);
            }
        }
        2 => bytes.truncate(random.below(length)),
        3 => drop(bytes.drain(random.stretch(length))),
        4 => {
            let copy = bytes[random.stretch(length)].to_vec();
            let at = random.below(length + 1);
            bytes.splice(at..at, copy);
        }
        5 => {
            // Repeat a piece many times: exposes quadratic time, and memory per item.
            let copy = bytes[random.stretch(length)].to_vec();
            let most = LARGEST.saturating_sub(length) / copy.len().max(1);
            let times = 1 + random.below(most).min(1 << random.below(18));
            let at = random.below(length + 1);
            bytes.splice(at..at, copy.repeat(times));
        }
        6 => {
            let other = random.pick(seeds);
            let piece = &other[random.stretch(other.len())];
            let at = random.stretch(length);
            bytes.splice(at, piece.iter().copied());
        }
        7 | 8 => replace_number(random, bytes),
        9 => {
            // Overwrite with a binary integer or float.
            let value = *random.pick(&[
                0_u32,
                1,
                2,
                255,
                65535,
                1 << 24,
                1 << 31,
                u32::MAX,
                0x7F80_0000,
                0x7FC0_0000,
                0x7F7F_FFFF,
            ]);
            let value =
                if random.below(3) == 0 { value.to_be_bytes() } else { value.to_le_bytes() };
            let at = random.below(length);
            if let Some(place) = bytes.get_mut(at..at + 4) {
                place.copy_from_slice(&value);
            }
        }
        10 => {
            let at = random.below(length + 1);
            bytes.splice(at..at, random.pick(words).bytes());
        }
        _ => {
            let lines: Vec<_> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            if lines.len() > 1 {
                let mut lines: Vec<_> = lines.into_iter().map(<[u8]>::to_vec).collect();
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
                *bytes = lines.concat();
            }
        }
    }
}

/// Replaces a number in the text by an extreme one.
fn replace_number(random: &mut Random, bytes: &mut Vec<u8>) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".-+".contains(byte);
    let from = random.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else {
        return;
    };
    let end =
        bytes[start..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |at| start + at);
    bytes.splice(start..end, random.pick(&NUMBERS).bytes());
}

/// Returns what is wrong with the reader's result, if anything.
fn judge(bytes: &[u8], format: Format) -> Result<bool, String> {
    let start = Instant::now();
    let work = || common::memory::peak(|| read(bytes, format, &common::file_name(format)));
    let (result, peak) = catch_unwind(AssertUnwindSafe(work)).map_err(|_| "it panicked")?;
    let time = start.elapsed();
    let good = result.is_ok();
    match result {
        Ok(model) => {
            common::check_model(&model)?;
            // A valid model is also a valid assembly, unless placing its parts fails.
            let options = LoadOptions::default().keep_going(true);
            judge_assembly(bytes, &common::file_name(format), &options)?;
            // Placing may fail if a transform leads too far, but must not panic.
            if model.face_count() < 1_000_000 {
                let mesh = catch_unwind(AssertUnwindSafe(|| model.to_mesh()));
                drop(mesh.map_err(|_| "to_mesh panicked")?);
            }
        }
        Err(error) if error.message.is_empty() => return Err("an error without a message".into()),
        Err(error) if error.message.len() > 1000 => return Err(format!("a long message: {error}")),
        Err(_) => {}
    }
    if time > SLOWEST {
        return Err(format!("it took {time:?}"));
    }
    if peak > common::memory_limit(format, bytes.len()) {
        return Err(format!("it took {peak} bytes of memory for {}", bytes.len()));
    }
    Ok(good)
}

/// Returns whether an assembly was read, or what is wrong with the result.
fn judge_assembly(bytes: &[u8], path: &Path, options: &LoadOptions) -> Result<bool, String> {
    let work = || assembly::read(bytes, path, options);
    let result = catch_unwind(AssertUnwindSafe(work)).map_err(|_| "the assembly panicked")?;
    let Ok(assembly) = result else { return Ok(false) };
    let mut names: Vec<_> = assembly.parts.iter().map(|part| &part.name).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() == assembly.parts.len() && !names.is_empty() {
        true => Ok(true),
        false => Err("names of parts repeat".into()),
    }
}

/// Like `judge_assembly`, with limits on time and on memory per byte.
fn judge_costs(bytes: &[u8], path: &str, most: usize) -> Result<bool, String> {
    let start = Instant::now();
    // A coarse tolerance: otherwise most of the time goes into making spheres.
    let options = LoadOptions::default().tolerance(0.02);
    let work = || judge_assembly(bytes, Path::new(path), &options);
    let (result, peak) = common::memory::peak(work);
    let time = start.elapsed();
    match result {
        Ok(_) if time > SLOWEST => Err(format!("it took {time:?}")),
        Ok(_) if peak > most * bytes.len() + (1 << 20) => {
            Err(format!("it took {peak} bytes of memory for {}", bytes.len()))
        }
        result => result,
    }
}

fn judge_robot(bytes: &[u8]) -> Result<bool, String> {
    // A sphere takes a few bytes in the file and some megabytes of memory.
    judge_costs(bytes, "a.urdf", 100_000)
}

/// Instances may share the data of a file, and a part takes more memory than the four bytes of the file that each
/// instance requires.
fn judge_instances(bytes: &[u8]) -> Result<bool, String> {
    judge_costs(bytes, "a.gltf", 150)
}

/// Octree text: what is read can be written, and reading it again gives the same octree.
fn judge_octree(bytes: &[u8]) -> Result<bool, String> {
    let start = Instant::now();
    let work = || common::memory::peak(|| read_octree(bytes, "a.octree"));
    let (result, peak) = catch_unwind(AssertUnwindSafe(work)).map_err(|_| "it panicked")?;
    let time = start.elapsed();
    // Two bits a node, and the deepest path; a list that grows holds twice as much for a moment.
    if peak > 2 * bytes.len() + (1 << 16) {
        return Err(format!("it took {peak} bytes of memory for {}", bytes.len()));
    }
    if time > SLOWEST {
        return Err(format!("it took {time:?}"));
    }
    match result {
        Err(error) if error.message.is_empty() => Err("an error without a message".into()),
        Err(error) if error.message.len() > 1000 => Err(format!("a long message: {error}")),
        Err(_) => Ok(false),
        Ok(octree) => {
            let mut written = Vec::new();
            write_octree(&octree, &mut written).map_err(|error| error.to_string())?;
            match read_octree(&written, "b.octree") {
                Ok(again) if again == octree => Ok(true),
                Ok(_) => Err("another octree after writing it".into()),
                Err(error) => Err(format!("what was written cannot be read: {error}")),
            }
        }
    }
}

fn saved_as(extension: &str, name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(format!("fuzz-{name}.{extension}"))
}

fn fuzz(format: Format) {
    samples::assert_good(format);
    let words = WORDS.iter().find(|(of, _)| *of == format).map_or(&[][..], |(_, words)| words);
    fuzz_with(format.extension(), &samples::all(format), words, |bytes| judge(bytes, format));
}

fn fuzz_with(
    extension: &str,
    seeds: &[Vec<u8>],
    words: &[&str],
    judge: impl Fn(&[u8]) -> Result<bool, String>,
) {
    let seconds = std::env::var("IMPINGE_FUZZ_SECONDS").ok();
    let seconds: f64 = seconds.map_or(3.0, |text| text.parse().expect("IMPINGE_FUZZ_SECONDS"));
    let trace = std::env::var_os("IMPINGE_FUZZ_TRACE").is_some();
    let start = Instant::now();
    let (mut iteration, mut good) = (0_u64, 0_u64);
    while start.elapsed().as_secs_f64() < seconds {
        let mut random = Random::new(iteration);
        let mut bytes = random.pick(seeds).clone();
        // Half of the inputs keep their structure, to get past the parser.
        let only_numbers = random.below(2) == 0;
        for _ in 0..=random.below(5) {
            match only_numbers {
                true => replace_number(&mut random, &mut bytes),
                false => mutate(&mut random, &mut bytes, seeds, words),
            }
        }
        if trace {
            fs::write(saved_as(extension, "last"), &bytes)
                .expect("the build's folder can be written");
        }
        match judge(&bytes) {
            Ok(read) => good += u64::from(read),
            Err(what) => {
                let path = saved_as(extension, &format!("failure-{iteration}"));
                fs::write(&path, &bytes).expect("the build's folder can be written");
                panic!(
                    "{extension}, iteration {iteration}: {what}; the input is {}",
                    path.display()
                );
            }
        }
        iteration += 1;
    }
    println!("{extension}: {iteration} inputs, {good} of them read");
    // If nearly all inputs were refused at once, or nearly all were valid, the test would prove little.
    assert!(iteration < 1000 || (good > 0 && good < iteration), "{good} of {iteration}");
}

#[test]
fn obj() {
    fuzz(Format::Obj);
}

#[test]
fn off() {
    fuzz(Format::Off);
}

#[test]
fn stl() {
    fuzz(Format::Stl);
}

#[test]
fn ply() {
    fuzz(Format::Ply);
}

#[test]
fn gltf() {
    fuzz(Format::Gltf);
}

#[test]
fn glb() {
    fuzz(Format::Glb);
}

#[test]
fn esri_grid() {
    fuzz(Format::EsriGrid);
}

#[test]
fn usgs_dem() {
    fuzz(Format::UsgsDem);
}

#[test]
fn dted() {
    fuzz(Format::Dted);
}

#[test]
fn octree() {
    let words = [
        "(",
        "G",
        "B",
        "W",
        "((((((((",
        "WWWWWWWW",
        "(BWBWBWBW",
        "octree 1 ",
        "level ",
        "min ",
        "side ",
        "\r",
        "\n",
        " ",
        "é",
    ];
    // Figure 2.1 of Smith and Kitamura, 1994.
    let paper = "(B(BWBBBWWWBWBWB(B(BWBBBWBWBBBWBW";
    let with_header = format!("octree 1 level 5 min -20 -20 -20 side 40\n{paper}\n");
    let deep = format!("octree 1 level 16 min 0 0 0 side 1\n{}{}", "(".repeat(16), "B".repeat(113));
    let seeds = [paper.to_owned(), paper.replace('(', "G"), with_header, deep];
    let seeds = seeds.map(String::into_bytes);
    for seed in &seeds {
        assert_eq!(judge_octree(seed), Ok(true), "a sample");
    }
    fuzz_with("octree", &seeds, &words, judge_octree);
}

#[test]
fn urdf() {
    let words = [
        "<",
        ">",
        "/>",
        "</",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "&",
        "&amp;",
        "&#65;",
        "'",
        "\"",
        "<!DOCTYPE",
        "<link name='x'>",
        "</link>",
        "<mimic joint='grip'/>",
        "type='continuous'",
        "<collision>",
        "<geometry>",
        "<sphere radius='1'/>",
        "<parent link='base'/>",
        "<child link='left'/>",
    ];
    let robot = samples::ROBOT;
    assert!(judge_robot(robot.as_bytes()).expect("a sample"), "the sample cannot be read");
    let seeds = [robot.into(), robot.replace('\n', "").into()];
    fuzz_with("urdf", &seeds, &words, judge_robot);
}

#[test]
fn instances() {
    let plain = samples::gltf();
    let instancing = r#""extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0,
        "SCALE": 0}}}, "name": "a""#;
    let sample = plain.replacen("\"name\": \"a\"", instancing, 1);
    assert!(judge_instances(sample.as_bytes()).expect("a sample"), "the sample cannot be read");
    let words = ["\"ROTATION\":0,", "\"SCALE\":1,", "VEC4", "5120", "5122", "\"normalized\":true,"];
    fuzz_with("instances.gltf", &[sample.into_bytes()], &words, judge_instances);
}
