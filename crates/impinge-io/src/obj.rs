//! Reads and writes Wavefront OBJ: vertices, faces, groups and objects.
//!
//! The `tobj` crate is not used: it accepts NaN, returns an empty mesh for a truncated face, and merges and renumbers
//! vertices. This reader keeps the order and the numbers of vertices and faces.

use crate::{
    Model, ModelPart,
    error::Fault,
    polygon::triangulate,
    text::{self, Lines, shown},
};
use glam::{DAffine3, DVec3};
use impinge::Mesh;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

/// Reads vertices (`v`) and faces (`f`), and the object (`o`) and group (`g`) of each face.
///
/// The text is read three times: to count the elements, so that memory is allocated once; for the vertices; and
/// for the faces, which may refer to later vertices.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    let (mesh, named) = read_named(bytes)?;
    let part = |named: Named<'_>| ModelPart {
        name: named.name(name),
        mesh: 0,
        faces: named.faces,
        transform: DAffine3::IDENTITY,
    };
    let parts = named.into_iter().map(part).collect();
    Ok(Model { meshes: vec![Arc::new(mesh)], parts })
}

/// Reads the whole file as one mesh, with the list of faces of each object and group.
pub(crate) fn read_named(bytes: &[u8]) -> Result<(Mesh, Vec<Named<'_>>), Fault> {
    let text = text::decode(bytes)?;
    // Old programs mark the end of a text with Ctrl-Z.
    let text = text.strip_suffix('\x1A').unwrap_or(text);
    let size = Size::measure(text)?;
    let positions = read_positions(text, &size)?;
    let (faces, groups) = read_faces(text, &size, &positions)?;
    let named = groups.into_named(faces.len() as u32);
    Ok((Mesh::new(positions, faces)?, named))
}

/// The faces of one object and group; both names are empty before the first `o` or `g`.
pub(crate) struct Named<'a> {
    pub(crate) object: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    /// Face ranges in ascending order.
    pub(crate) faces: Vec<Range<u32>>,
}

impl Named<'_> {
    fn name(&self, file: &str) -> String {
        match (self.object, self.group) {
            (Some(object), Some(group)) if object != group => format!("{object}/{group}"),
            (Some(name), _) | (None, Some(name)) => name.to_owned(),
            (None, None) => file.to_owned(),
        }
    }
}

/// A statement: one line, or several lines joined by a backslash at the line end.
struct Statement<'a> {
    line: usize,
    keyword: &'a str,
    rest: Cow<'a, str>,
}

impl Statement<'_> {
    /// Returns the words after the keyword, without a comment.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.rest.split_ascii_whitespace().take_while(|token| !token.starts_with('#'))
    }
}

/// Statements that hold names. A name may end with a backslash (`mtllib C:\parts\`), so such a line is never
/// joined to the next.
const NAMING: [&str; 8] =
    ["g", "o", "mtllib", "usemtl", "maplib", "usemap", "shadow_obj", "trace_obj"];

fn statements<'a>(text: &'a str) -> impl Iterator<Item = Result<Statement<'a>, Fault>> {
    let mut lines = Lines::new(text);
    std::iter::from_fn(move || {
        loop {
            let (line, content) = lines.next()?;
            let content = content.trim_ascii();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let end = content.bytes().position(|byte| byte.is_ascii_whitespace());
            let (keyword, rest) = content.split_at(end.unwrap_or(content.len()));
            let mut rest = Cow::Borrowed(rest.trim_ascii_start());
            if rest.ends_with('\\') && !NAMING.contains(&keyword) {
                let mut joined = rest.into_owned();
                while joined.ends_with('\\') {
                    joined.pop();
                    let Some((_, next)) = lines.next() else {
                        let message =
                            "the last line ends with `\\`, but no line follows that continues it";
                        return Some(Err(Fault::line(lines.number(), message)));
                    };
                    joined.push(' ');
                    joined.push_str(next.trim_ascii_end());
                }
                rest = Cow::Owned(joined);
            }
            return Some(Ok(Statement { line, keyword, rest }));
        }
    })
}

/// Upper bounds for the number of elements in the file.
#[derive(Default)]
struct Size {
    vertices: usize,
    triangles: usize,
    most_corners: usize,
}

impl Size {
    fn measure(text: &str) -> Result<Self, Fault> {
        let mut size = Self::default();
        for statement in statements(text) {
            let statement = statement?;
            match statement.keyword {
                // Three numbers take at least five characters; a shorter line is an error and needs no memory.
                "v" => size.vertices += usize::from(statement.rest.len() >= 5),
                "f" | "fo" => {
                    let corners = statement.arguments().count();
                    size.triangles += corners.saturating_sub(2);
                    size.most_corners = size.most_corners.max(corners);
                }
                // Some programs write counts as the first line.
                keyword if size.is_empty() && is_counts(keyword, &statement.rest) => {}
                keyword => check_keyword(statement.line, keyword)?,
            }
        }
        Ok(size)
    }

    fn is_empty(&self) -> bool {
        self.vertices == 0 && self.most_corners == 0
    }
}

fn is_counts(keyword: &str, rest: &str) -> bool {
    let bytes = || keyword.bytes().chain(rest.bytes());
    bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
}

/// Refuses keywords whose geometry would be lost silently. Other words (`vn`, `usemtl`, `surf`, extensions of single
/// programs) are ignored.
fn check_keyword(line: usize, keyword: &str) -> Result<(), Fault> {
    let is_word = keyword.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let letters = keyword.split(|c: char| c.is_ascii_digit()).next();
    let message = match keyword {
        "call" => "`call` includes another file, which is not supported; copy the content of that file here".into(),
        "V" | "F" | "O" | "G" => format!("`{keyword}`: OBJ keywords are in lower case"),
        // `curv2` is a keyword; in `v1 0 0` and `v1e5 0 0` a space is missing.
        _ if is_word && !matches!(letters, Some("" | "v" | "f" | "fo")) => return Ok(()),
        _ => format!("`{}` is not an OBJ keyword", shown(keyword)),
    };
    Err(Fault::line(line, message))
}

fn read_positions(text: &str, size: &Size) -> Result<Vec<DVec3>, Fault> {
    let mut positions = Vec::with_capacity(size.vertices);
    for statement in statements(text) {
        let statement = statement?;
        if statement.keyword == "v" {
            positions.push(position(&statement, positions.len())?);
        }
    }
    match u32::try_from(positions.len()) {
        Ok(_) => Ok(positions),
        Err(_) => Err(Fault::file("more than 4294967295 vertices")),
    }
}

/// Reads `v x y z`, optionally followed by a weight and a colour, which must be numbers but are not used.
fn position(statement: &Statement<'_>, vertex: usize) -> Result<DVec3, Fault> {
    let line = statement.line;
    let mut arguments = statement.arguments();
    let mut position = DVec3::ZERO;
    for axis in 0..3 {
        let Some(token) = arguments.next() else {
            let message = format!("a vertex needs 3 coordinates, this one has {axis}");
            return Err(Fault::line(line, message));
        };
        position[axis] = text::coordinate(line, token)?;
    }
    for (extra, token) in arguments.enumerate() {
        if extra == 4 {
            let message = "a vertex has at most 7 numbers: x y z, a weight, and a colour";
            return Err(Fault::line(line, message));
        }
        if token.parse::<f64>().is_err() {
            return Err(Fault::line(line, format!("`{}` is not a number", shown(token))));
        }
    }
    text::position(line, vertex, position)
}

fn read_faces<'a>(
    text: &'a str,
    size: &Size,
    positions: &[DVec3],
) -> Result<(Vec<[u32; 3]>, Groups<'a>), Fault> {
    let mut faces = Vec::with_capacity(size.triangles);
    let mut corners = Vec::with_capacity(size.most_corners);
    let mut groups = Groups::default();
    let mut vertices_before = 0;
    for statement in statements(text) {
        let statement = statement?;
        match (statement.keyword, &statement.rest) {
            ("v", _) => vertices_before += 1,
            ("f" | "fo", _) => {
                corners.clear();
                for token in statement.arguments() {
                    let corner = corner(token, vertices_before, positions.len());
                    corners.push(corner.map_err(|message| Fault::line(statement.line, message))?);
                }
                if corners.len() < 3 {
                    let count = corners.len();
                    let message = format!("a face needs at least 3 corners, this one has {count}");
                    return Err(Fault::line(statement.line, message));
                }
                groups.face(faces.len() as u32);
                triangulate(&corners, positions, &mut faces);
            }
            ("o", Cow::Borrowed(name)) => groups.open_object(name),
            ("g", Cow::Borrowed(name)) => {
                let name = if name.is_empty() { "default" } else { name };
                groups.open_group(name);
            }
            _ => {}
        }
    }
    Ok((faces, groups))
}

/// Returns the vertex index, from 0, of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`. The values after the slashes
/// may be missing; they must look like numbers but are not used.
fn corner(token: &str, vertices_before: usize, vertices: usize) -> Result<u32, String> {
    let Some(index) = vertex_number(token.as_bytes()) else {
        return Err(format!("`{}` is not a corner: v, v/vt, v//vn or v/vt/vn", shown(token)));
    };
    let found = match index {
        0 => return Err("a face uses vertex 0, but OBJ numbers vertices from 1".into()),
        1.. => index - 1,
        _ => match vertices_before as i64 + index {
            found @ 0.. => found,
            _ => {
                let back = index.unsigned_abs();
                return Err(format!(
                    "a face counts {back} vertices back, but only {vertices_before} come before it"
                ));
            }
        },
    };
    match u32::try_from(found) {
        Ok(found) if (found as usize) < vertices => Ok(found),
        _ => Err(format!("a face names vertex {index}, but the file has {vertices}")),
    }
}

/// Returns the number before the first slash, if the token is a valid corner. Parsed by hand, because large files
/// spend most of their reading time here.
fn vertex_number(token: &[u8]) -> Option<i64> {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let (number, mut rest) = digits.split_at(end);
    // 18 digits fit into an `i64`; no file has that many vertices.
    if number.is_empty() || number.len() > 18 {
        return None;
    }
    for _ in 0..2 {
        if let Some(field) = rest.strip_prefix(b"/") {
            let field = field.strip_prefix(b"-").unwrap_or(field);
            let end = field.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(field.len());
            rest = &field[end..];
        }
    }
    let number = number.iter().fold(0, |number, digit| 10 * number + i64::from(digit - b'0'));
    let is_negative = digits.len() < token.len();
    rest.is_empty().then_some(if is_negative { -number } else { number })
}

/// The object and group of a face; both are empty before the first `o` or `g`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Group<'a> {
    object: Option<&'a str>,
    group: Option<&'a str>,
    /// The number of earlier objects with the same name: each is an object of its own.
    earlier: u32,
}

/// The groups that have faces, in the order of their first face, and the start of each range of faces.
#[derive(Default)]
struct Groups<'a> {
    open: Group<'a>,
    numbers: HashMap<Group<'a>, u32>,
    /// How many objects of each name there were so far.
    objects: HashMap<&'a str, u32>,
    /// The first face of each range, and the index of its group.
    starts: Vec<(u32, u32)>,
    /// Whether the next face may start a new range.
    changed: bool,
}

impl<'a> Groups<'a> {
    fn open_object(&mut self, name: &'a str) {
        let count = self.objects.entry(name).or_default();
        let object = Some(name).filter(|name| !name.is_empty());
        self.open = Group { object, group: None, earlier: *count };
        *count += 1;
        self.changed = true;
    }

    fn open_group(&mut self, name: &'a str) {
        self.open.group = Some(name);
        self.changed = true;
    }

    /// Adds the face to the current group.
    fn face(&mut self, face: u32) {
        if !self.changed && !self.starts.is_empty() {
            return;
        }
        self.changed = false;
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(self.open).or_insert(next);
        if self.starts.last().is_none_or(|&(_, last)| last != number) {
            self.starts.push((face, number));
        }
    }

    fn into_named(self, face_count: u32) -> Vec<Named<'a>> {
        let mut names = vec![Group::default(); self.numbers.len()];
        for (group, number) in self.numbers {
            names[number as usize] = group;
        }
        let mut run_counts = vec![0_usize; names.len()];
        self.starts.iter().for_each(|&(_, number)| run_counts[number as usize] += 1);
        let named = |(Group { object, group, .. }, count): (Group<'a>, usize)| Named {
            object,
            group,
            faces: Vec::with_capacity(count),
        };
        let mut all: Vec<_> = names.into_iter().zip(run_counts).map(named).collect();
        let ends = self.starts.iter().skip(1).map(|&(first, _)| first).chain([face_count]);
        for (&(first, number), end) in self.starts.iter().zip(ends) {
            all[number as usize].faces.push(first..end);
        }
        all
    }
}

/// Writes every part as an object (`o`), with placed vertices. Coordinates are printed exactly: they read back
/// with the same bits. A model of one unplaced mesh also keeps its vertices and the order of its faces.
pub(crate) fn write(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let names = object_names(model);
    if let (Some(runs), [mesh]) = (model.named_runs(), &model.meshes[..]) {
        write_positions(out, mesh)?;
        for (run, part) in runs {
            writeln!(out, "o {}", names[part])?;
            write_faces(out, mesh, run, 1)?;
        }
        return Ok(());
    }
    let mut first = 1;
    for (part, name) in names.iter().enumerate() {
        let mesh = model.part_mesh(part).map_err(io::Error::other)?;
        writeln!(out, "o {name}")?;
        write_positions(out, &mesh)?;
        write_faces(out, &mesh, 0..mesh.faces().len() as u32, first)?;
        first += mesh.positions().len() as u64;
    }
    Ok(())
}

fn write_positions(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    // `Debug` prints the shortest exact form, with an exponent for very large and very small numbers, for which
    // `Display` would print hundreds of digits.
    mesh.positions().iter().try_for_each(|p| writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z))
}

fn write_faces(out: &mut dyn Write, mesh: &Mesh, run: Range<u32>, first: u64) -> io::Result<()> {
    mesh.faces()[run.start as usize..run.end as usize].iter().try_for_each(|face| {
        let [a, b, c] = face.map(|vertex| first + u64::from(vertex));
        writeln!(out, "f {a} {b} {c}")
    })
}

/// Returns a unique one-line name for each part: parts with equal names would become one part when read back.
fn object_names(model: &Model) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |(number, part): (usize, &ModelPart)| {
        let line = part.name.replace(|c: char| c.is_control(), " ");
        let mut name = line.trim().to_owned();
        if name.is_empty() {
            name = format!("part {number}");
        }
        if !taken.insert(name.clone()) {
            name = format!("{name} #{number}");
            while !taken.insert(name.clone()) {
                name.push('#');
            }
        }
        name
    };
    model.parts.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests;
