//! CSV files of triangle pairs with known answers, for `impinge verify triangles`.

use crate::{Error, error::Fault, format, text};
use glam::DVec3;
use std::path::Path;

/// Two triangles, and the known answer whether they touch.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleCase {
    /// The name of the case; `line N` if the file has no names.
    pub name: String,
    /// The first triangle.
    pub a: [DVec3; 3],
    /// The second triangle.
    pub b: [DVec3; 3],
    /// The known answer.
    pub touching: bool,
}

/// Reads triangle pairs with known answers from a CSV file.
///
/// The first line names the columns: the coordinates `a0x`, `a0y`, `a0z`, … `b2z`, and the answer (0 or 1) in
/// `exact_intersects` or, if that is missing, in `expected_by_source`. The optional column `case` names the pair. Other
/// columns are ignored.
pub fn load_triangle_cases(path: impl AsRef<Path>) -> Result<Vec<TriangleCase>, Error> {
    let path = path.as_ref();
    let cases = format::read_file(path).and_then(|bytes| read(&bytes));
    cases.map_err(|fault| fault.in_file(path))
}

/// The column index of every value.
struct Columns {
    count: usize,
    corners: [usize; 18],
    answer: usize,
    name: Option<usize>,
}

impl Columns {
    fn new(header: &str) -> Result<Self, Fault> {
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let find = |name: &str| names.iter().position(|&known| known == name);
        let mut corners = [0; 18];
        let coordinates = ["a", "b"].into_iter().flat_map(|t| {
            (0..3).flat_map(move |corner| ["x", "y", "z"].map(|axis| format!("{t}{corner}{axis}")))
        });
        for (column, name) in corners.iter_mut().zip(coordinates) {
            *column = find(&name)
                .ok_or_else(|| Fault::line(1, format!("there is no column `{name}`")))?;
        }
        let answer = find("exact_intersects").or_else(|| find("expected_by_source"));
        let answer = answer.ok_or_else(|| {
            Fault::line(1, "there is no column `exact_intersects` or `expected_by_source`")
        })?;
        Ok(Self { count: names.len(), corners, answer, name: find("case") })
    }
}

fn read(bytes: &[u8]) -> Result<Vec<TriangleCase>, Fault> {
    let mut lines = text::decode(bytes)?.lines().zip(1..);
    let (header, _) = lines.next().ok_or_else(|| Fault::file("the file is empty"))?;
    let columns = Columns::new(header)?;
    let mut cases = Vec::new();
    for (row, line) in lines.filter(|(row, _)| !row.trim().is_empty()) {
        // A quoted field may hold a comma, which the split below would cut.
        if row.contains('"') {
            return Err(Fault::line(line, "quoted fields are not supported"));
        }
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        if fields.len() != columns.count {
            let message = format!("{} fields, but {} columns", fields.len(), columns.count);
            return Err(Fault::line(line, message));
        }
        let mut numbers = [0.0; 18];
        for (number, &column) in numbers.iter_mut().zip(&columns.corners) {
            *number = text::coordinate(line, fields[column])?;
        }
        let point = |i: usize| DVec3::from_slice(&numbers[3 * i..]);
        let touching = match fields[columns.answer] {
            "1" => true,
            "0" => false,
            other => {
                let message = format!("the answer is `{}`, not 0 or 1", text::shown(other));
                return Err(Fault::line(line, message));
            }
        };
        let name = columns.name.map_or_else(|| format!("line {line}"), |c| fields[c].to_owned());
        let (a, b) = ([point(0), point(1), point(2)], [point(3), point(4), point(5)]);
        cases.push(TriangleCase { name, a, b, touching });
    }
    if cases.is_empty() { Err(Fault::line(1, "the file holds no cases")) } else { Ok(cases) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    const HEADER: &str = "case,a0x,a0y,a0z,a1x,a1y,a1z,a2x,a2y,a2z,\
                          b0x,b0y,b0z,b1x,b1y,b1z,b2x,b2y,b2z,note,exact_intersects";
    const ROW: &str = "tip,0,0,0,1,0,0,0,1,0,0,0,0,0,0,1,1,1,1,x,1";

    #[test]
    fn columns_are_found_by_name() {
        let cases = read(format!("{HEADER}\n{ROW}\n").as_bytes()).unwrap();
        assert_eq!(cases[0].name, "tip");
        assert_eq!(cases[0].a[1], DVec3::X);
        assert_eq!(cases[0].b[2], DVec3::ONE);
        assert!(cases[0].touching);
    }

    #[test]
    fn errors_name_the_line() {
        let bad = |text: String, line: usize, part: &str| {
            let fault = read(text.as_bytes()).unwrap_err();
            assert_eq!(fault.location, Location::Line(line), "{text}");
            assert!(fault.message.contains(part), "{}", fault.message);
        };
        bad(HEADER.replace("b1y", "b1q"), 1, "`b1y`");
        bad(HEADER.replace("exact_intersects", "answer"), 1, "exact_intersects");
        bad(format!("{HEADER}\n{ROW},9"), 2, "22 fields, but 21 columns");
        bad(format!("{HEADER}\n{}", ROW.replace("x,1", "x,yes")), 2, "`yes`");
        bad(format!("{HEADER}\n{}", ROW.replace("tip,0", "tip,inf")), 2, "finite");
        bad(HEADER.to_owned(), 1, "no cases");
    }
}
