//! Wavefront OBJ: vertices, faces, groups and objects.
//!
//! Own reader, not the `tobj` crate: that one lets NaN pass, answers a truncated face with an empty
//! mesh, and welds and renumbers. Here vertices and faces keep the file's order and numbers.

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

/// Reads vertices (`v`), faces (`f`), and which object (`o`) and group (`g`) the faces are in.
///
/// The text is gone through three times: to learn how much there is, so that nothing is allocated
/// twice; for the vertices; and for the faces, which may name vertices that come later.
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

/// Reads all of a file as one mesh, and which faces are in which object and group.
pub(crate) fn read_named(bytes: &[u8]) -> Result<(Mesh, Vec<Named<'_>>), Fault> {
    let text = text::decode(bytes)?;
    // Programs of old mark the end of a text so.
    let text = text.strip_suffix('\x1A').unwrap_or(text);
    let size = Size::measure(text)?;
    let positions = read_positions(text, &size)?;
    let (faces, groups) = read_faces(text, &size, &positions)?;
    let named = groups.into_named(faces.len() as u32);
    Ok((Mesh::new(positions, faces)?, named))
}

/// The faces of one object and group; both are empty before the first `o` or `g`.
pub(crate) struct Named<'a> {
    pub(crate) object: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    /// Runs in ascending order.
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

/// A statement: a line, or several joined by a backslash at the end.
struct Statement<'a> {
    line: usize,
    keyword: &'a str,
    rest: Cow<'a, str>,
}

impl Statement<'_> {
    /// What follows the keyword, up to a comment.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.rest.split_ascii_whitespace().take_while(|token| !token.starts_with('#'))
    }
}

/// Names may end in a backslash of their own (`mtllib C:\parts\`): joining the next line to them
/// would lose it.
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
                        let message = "the file ends in a line that a `\\` continues";
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

/// How much the file holds at most. What is found wrong with it later makes it less.
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
                // Three numbers take five characters; less is an error, and no reason for room.
                "v" => size.vertices += usize::from(statement.rest.len() >= 5),
                "f" | "fo" => {
                    let corners = statement.arguments().count();
                    size.triangles += corners.saturating_sub(2);
                    size.most_corners = size.most_corners.max(corners);
                }
                // A few programs put counts in front of everything.
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

/// Refuses what would silently lose geometry; other words (`vn`, `usemtl`, `surf`, what programs
/// add of their own) are passed over.
fn check_keyword(line: usize, keyword: &str) -> Result<(), Fault> {
    let is_word = keyword.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let letters = keyword.split(|c: char| c.is_ascii_digit()).next();
    let message = match keyword {
        "call" => "`call` includes another file, which is not read: put its content here".into(),
        "V" | "F" | "O" | "G" => format!("`{keyword}`: OBJ keywords are in lower case"),
        // `curv2` is a keyword; `v1 0 0` and `v1e5 0 0` lack a space.
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

/// `v x y z`, then perhaps a weight and a colour, which must be numbers but are not used.
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
            ("o", Cow::Borrowed(name)) => groups.open(Some(name), None),
            ("g", Cow::Borrowed(name)) => {
                let name = if name.is_empty() { "default" } else { name };
                groups.open(groups.open.object, Some(name));
            }
            _ => {}
        }
    }
    Ok((faces, groups))
}

/// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`, from 0. What follows a slash may be
/// left out, and is not used, but must look like a number.
fn corner(token: &str, vertices_before: usize, vertices: usize) -> Result<u32, String> {
    let Some(index) = vertex_number(token.as_bytes()) else {
        return Err(format!("`{}` is not a corner: v, v/vt, v//vn or v/vt/vn", shown(token)));
    };
    let found = match index {
        0 => return Err("a face names vertex 0; they are numbered from 1".into()),
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

/// The number in front of the slashes, if the token is a corner. By hand, since this is what a
/// reader of large files does most.
fn vertex_number(token: &[u8]) -> Option<i64> {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let (number, mut rest) = digits.split_at(end);
    // 18 digits fit; more are no vertex of any file.
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

/// Where a face belongs; both empty before the first `o` or `g`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Group<'a> {
    object: Option<&'a str>,
    group: Option<&'a str>,
}

/// The groups that have faces, in the order of their first, and where each run of faces starts.
#[derive(Default)]
struct Groups<'a> {
    open: Group<'a>,
    numbers: HashMap<Group<'a>, u32>,
    /// The first face of each run, and the number of its group.
    starts: Vec<(u32, u32)>,
    /// Whether the next face may be the first of a run.
    changed: bool,
}

impl<'a> Groups<'a> {
    fn open(&mut self, object: Option<&'a str>, group: Option<&'a str>) {
        self.open = Group { object: object.filter(|name| !name.is_empty()), group };
        self.changed = true;
    }

    /// Puts the face into the open group.
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
        let named = |(Group { object, group }, count): (Group<'a>, usize)| Named {
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

/// Writes every part as an object (`o`), placed. Coordinates are printed so that they read back
/// the same; a model of one unplaced mesh also keeps its vertices and the order of its faces.
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
    // `Debug` is as short as it can be and still exact, and uses exponents for very large and very
    // small numbers, which `Display` would write out in hundreds of digits.
    mesh.positions().iter().try_for_each(|p| writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z))
}

fn write_faces(out: &mut dyn Write, mesh: &Mesh, run: Range<u32>, first: u64) -> io::Result<()> {
    mesh.faces()[run.start as usize..run.end as usize].iter().try_for_each(|face| {
        let [a, b, c] = face.map(|vertex| first + u64::from(vertex));
        writeln!(out, "f {a} {b} {c}")
    })
}

/// A name for each part that fits on a line and no other part has: read back, equal names would
/// become one part.
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
