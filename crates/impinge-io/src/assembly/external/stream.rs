//! Parses a stream of parts, the output of `impinge-step`, of `ifc.py` and of the Python package. `tools/step/stream.hpp` defines the format.

use crate::assembly::{
    LeftOut,
    rounding::{gain, of_translation},
};
use glam::{DAffine3, DMat3, DVec3};
use impinge::{Mesh, clash::Tessellation};

/// The first bytes of the stream. The last byte is the version.
const MAGIC: &[u8] = b"IMPSTEP2";

/// Stands for "no sub-assembly".
const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(in crate::assembly) struct Parts {
    /// Names of sub-assemblies, each with the index of its parent, which comes earlier.
    pub(in crate::assembly) groups: Vec<(String, Option<usize>)>,
    pub(in crate::assembly) bodies: Vec<Body>,
    pub(in crate::assembly) parts: Vec<Placed>,
    /// Entities that could not be built and so have no part: name, and reason.
    pub(in crate::assembly) lost: Vec<(String, String)>,
    /// Elements that are not parts by design.
    pub(in crate::assembly) left_out: Vec<LeftOut>,
}

#[derive(Debug)]
pub(in crate::assembly) enum Body {
    Mesh(Mesh, Tessellation),
    /// Why the body has no mesh.
    Broken(String),
}

/// A body with its transform.
#[derive(Debug)]
pub(in crate::assembly) struct Placed {
    pub(in crate::assembly) name: String,
    pub(in crate::assembly) group: Option<usize>,
    pub(in crate::assembly) body: usize,
    pub(in crate::assembly) transform: DAffine3,
    pub(in crate::assembly) id: Option<String>,
    pub(in crate::assembly) class: Option<String>,
    /// How far rounding may have moved the part as a whole.
    pub(in crate::assembly) moved: f64,
}

/// Reads the output of `program`, or says how to get a program that is understood.
pub(in crate::assembly) fn read(
    bytes: &[u8],
    program: &str,
    advice: &str,
) -> Result<Parts, String> {
    let not_understood = || {
        let another = match bytes.strip_prefix(&MAGIC[..MAGIC.len() - 1]) {
            Some([version, ..]) if *version != MAGIC[MAGIC.len() - 1] => "is of another version",
            _ => "is not understood",
        };
        format!("the output of `{program}` {another}; {advice}")
    };
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(not_understood)?;
    let mut parts = Parts::default();
    let mut cursor = Cursor(rest);
    loop {
        match cursor.record(&mut parts) {
            Some(Ok(true)) => {}
            Some(Ok(false)) if cursor.0.is_empty() => return Ok(parts),
            Some(Err(message)) => return Err(message),
            Some(Ok(false)) | None => return Err(not_understood()),
        }
    }
}

/// The transform of a row-major matrix.
fn affine(rows: [[f64; 4]; 3]) -> DAffine3 {
    let linear = DMat3::from_cols_array_2d(&rows.map(|[x, y, z, _]| [x, y, z]));
    let moved = DVec3::from_array(rows.map(|[.., moved]| moved));
    DAffine3::from_mat3_translation(linear.transpose(), moved)
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Reads a record into `parts`. Returns `Ok(false)` after the last record, `Err` if a mesh is invalid, and
    /// `None` if the bytes are not a record.
    fn record(&mut self, parts: &mut Parts) -> Option<Result<bool, String>> {
        match self.take(1)? {
            b"G" => {
                let parent = self.group(parts)?;
                parts.groups.push((self.text()?, parent));
            }
            b"M" => {
                let (vertices, faces) = (self.number()?, self.number()?);
                let positions = self.list(vertices, Self::position)?;
                let faces = self.list(faces, Self::face)?;
                let tessellation = self.tessellation(faces.len())?;
                match Mesh::new(positions, faces) {
                    Ok(mesh) => parts.bodies.push(Body::Mesh(mesh, tessellation)),
                    Err(error) => return Some(Err(error.to_string())),
                }
            }
            b"B" => parts.bodies.push(Body::Broken(self.text()?)),
            b"P" => {
                let (group, body) = (self.group(parts)?, self.number()? as usize);
                let rows = [self.row()?, self.row()?, self.row()?];
                let name = self.text()?;
                parts.bodies.get(body)?;
                let (id, class) = (None, None);
                let transform = affine(rows);
                parts.parts.push(Placed { name, group, body, transform, id, class, moved: 0.0 });
            }
            b"T" => {
                let count = self.number()?;
                let steps =
                    self.list(count, |cursor| Some([cursor.row()?, cursor.row()?, cursor.row()?]))?;
                let part = parts.parts.last_mut()?;
                // As the reader of glTF files does it.
                let (mut world, mut moved) = (DAffine3::IDENTITY, 0.0);
                for own in steps.into_iter().map(affine) {
                    moved += gain(&world.matrix3) * of_translation(own.translation);
                    world *= own;
                }
                (part.transform, part.moved) = (world, moved);
            }
            b"I" => {
                let (id, class) = (self.text()?, self.text()?);
                let part = parts.parts.last_mut()?;
                let given = |text: String| Some(text).filter(|text| !text.is_empty());
                (part.id, part.class) = (given(id), given(class));
            }
            b"L" => {
                let kind = self.text()?;
                let (count, names) = (self.number()? as usize, self.number()?);
                let names = self.list(names, Self::text)?;
                parts.left_out.push(LeftOut { kind, count, names });
            }
            b"X" => parts.lost.push((self.text()?, self.text()?)),
            b"E" => return Some(Ok(false)),
            _ => return None,
        }
        Some(Ok(true))
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn real(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn row(&mut self) -> Option<[f64; 4]> {
        Some([self.real()?, self.real()?, self.real()?, self.real()?])
    }

    fn position(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.real()?, self.real()?, self.real()?))
    }

    fn face(&mut self) -> Option<[u32; 3]> {
        Some([self.number()?, self.number()?, self.number()?])
    }

    /// Allocates no more than the remaining bytes can hold.
    fn list<T>(&mut self, count: u32, item: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::with_capacity((count as usize).min(self.0.len() / 12));
        for _ in 0..count {
            list.push(item(self)?);
        }
        Some(list)
    }

    /// Reads runs of faces with the same distance from their surfaces.
    fn tessellation(&mut self, faces: usize) -> Option<Tessellation> {
        let runs = self.number()?;
        let mut runs =
            self.list(runs, |cursor| Some((cursor.number()? as usize, cursor.real()?)))?;
        let is_valid = |&(_, distance): &(usize, f64)| distance.is_finite() && distance >= 0.0;
        if runs.iter().map(|&(count, _)| count).sum::<usize>() != faces
            || !runs.iter().all(is_valid)
        {
            return None;
        }
        runs.retain(|&(count, _)| count > 0);
        let first = runs.first().map_or(0.0, |&(_, distance)| distance);
        if runs.iter().all(|&(_, distance)| distance == first) {
            return Some(Tessellation::Uniform(first));
        }
        let faces =
            runs.iter().flat_map(|&(count, distance)| std::iter::repeat_n(distance as f32, count));
        Some(Tessellation::Faces(faces.collect()))
    }

    /// Names may be in any encoding.
    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        Some(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Reads the index of an earlier sub-assembly, or "none".
    fn group(&mut self, parts: &Parts) -> Option<Option<usize>> {
        match self.number()? {
            NOWHERE => Some(None),
            group => Some(Some(group as usize)).filter(|_| (group as usize) < parts.groups.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
    }

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn reals(reals: &[f64]) -> Vec<u8> {
        reals.iter().flat_map(|real| real.to_le_bytes()).collect()
    }

    fn sample() -> Vec<Vec<u8>> {
        let place = [0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0];
        vec![
            MAGIC.to_vec(),
            [b"G".to_vec(), numbers(&[NOWHERE]), text("top")].concat(),
            [b"G".to_vec(), numbers(&[0]), text("within")].concat(),
            [
                b"M".to_vec(),
                numbers(&[3, 1]),
                reals(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
                numbers(&[0, 1, 2, 2, 1]),
                reals(&[0.5]),
                numbers(&[0]),
                reals(&[0.0]),
            ]
            .concat(),
            [
                b"M".to_vec(),
                numbers(&[3, 3]),
                reals(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
                numbers(&[0, 1, 2, 0, 1, 2, 0, 2, 1, 2, 2]),
                reals(&[0.25]),
                numbers(&[1]),
                reals(&[0.0]),
            ]
            .concat(),
            [b"B".to_vec(), text("why")].concat(),
            [b"P".to_vec(), numbers(&[1, 0]), reals(&place), text("part")].concat(),
            [b"I".to_vec(), text("2O2F"), text("IfcWall")].concat(),
            [b"X".to_vec(), text("#7"), text("gone")].concat(),
            [b"L".to_vec(), text("IfcSpace"), numbers(&[7, 1]), text("hall")].concat(),
            b"E".to_vec(),
        ]
    }

    fn read(bytes: &[u8]) -> Result<Parts, String> {
        super::read(bytes, "impinge-step", "build it")
    }

    #[test]
    fn records_are_read() {
        let parts = read(&sample().concat()).unwrap();
        assert_eq!(parts.groups, [("top".into(), None), ("within".into(), Some(0))]);
        let Body::Mesh(mesh, tessellation) = &parts.bodies[0] else { panic!() };
        assert_eq!((mesh.faces(), tessellation), (&[[0, 1, 2]][..], &Tessellation::Uniform(0.5)));
        let Body::Mesh(_, Tessellation::Faces(faces)) = &parts.bodies[1] else { panic!() };
        assert_eq!(faces[..], [0.25, 0.25, 0.0]);
        assert!(matches!(&parts.bodies[2], Body::Broken(why) if why == "why"));
        let [Placed { name, group: Some(1), body: 0, transform, id, class, moved: 0.0 }] =
            &parts.parts[..]
        else {
            panic!("{:?}", parts.parts)
        };
        assert_eq!(
            (&**name, id.as_deref(), class.as_deref()),
            ("part", Some("2O2F"), Some("IfcWall"))
        );
        let left_out = LeftOut { kind: "IfcSpace".into(), count: 7, names: vec!["hall".into()] };
        assert_eq!(parts.left_out, [left_out]);
        assert_eq!(transform.transform_point3(DVec3::X), DVec3::new(5.0, 7.0, 7.0));
        assert_eq!(parts.lost, [("#7".into(), "gone".into())]);
    }

    #[test]
    fn transforms_of_nodes_are_multiplied() {
        let mut records = sample();
        // Scaled by 2 and moved by a third in single precision; below it, moved by the same.
        let third = f64::from(1.0_f32 / 3.0);
        let outer = [2.0, 0.0, 0.0, third, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        let inner = [1.0, 0.0, 0.0, third, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let steps = [reals(&outer), reals(&inner)].concat();
        records.insert(7, [b"T".to_vec(), numbers(&[2]), steps].concat());
        // No identity, but a class.
        records[8] = [b"I".to_vec(), text(""), text("Plate")].concat();
        let parts = read(&records.concat()).unwrap();
        let part = &parts.parts[0];
        assert_eq!(
            part.transform.transform_point3(DVec3::X),
            DVec3::new(2.0 + 3.0 * third, 0.0, 0.0)
        );
        assert_eq!(part.moved, of_translation(DVec3::X * third) * 3.0);
        assert_eq!((&part.id, part.class.as_deref()), (&None, Some("Plate")));
        // There is no part yet.
        let mut early = sample();
        early.insert(1, [b"T".to_vec(), numbers(&[0])].concat());
        assert!(read(&early.concat()).is_err());
    }

    #[test]
    fn incomplete_output_is_refused() {
        let bytes = sample().concat();
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
        }
        assert!(read(&[&bytes[..], b"E"].concat()).is_err());
        // Indices of groups and bodies that do not exist.
        let mut records = sample();
        records.remove(2);
        assert!(read(&records.concat()).is_err());
        let mut records = sample();
        records.swap(3, 6);
        assert!(read(&records.concat()).is_err());
        // Too few or too many faces with a distance, and a distance that is none.
        for (count, distance) in [(0, 0.1), (2, 0.1), (1, -0.1), (1, f64::NAN), (1, f64::INFINITY)]
        {
            let mesh = [&b"M"[..], &numbers(&[3, 1]), &reals(&[0.0; 9]), &numbers(&[0, 1, 2])];
            let cut = [numbers(&[1, count]), reals(&[distance])].concat();
            let all = [MAGIC, &mesh.concat(), &cut, b"E"].concat();
            assert!(read(&all).is_err(), "{count} {distance}");
        }
        // The output of an older program.
        let old = [&b"IMPSTEP1"[..], b"E"].concat();
        assert!(read(&old).unwrap_err().contains("is of another version; build it"));
        assert!(read(b"IMPSTEP2").unwrap_err().contains("not understood"));
        // A corner index out of range, and a count of four billion.
        let far = [
            MAGIC,
            b"M",
            &numbers(&[1, 1]),
            &reals(&[0.0; 3]),
            &numbers(&[0, 1, 0, 1, 1]),
            &reals(&[0.0]),
            b"E",
        ];
        assert!(read(&far.concat()).unwrap_err().contains("vertex"));
        assert!(read(&[MAGIC, b"M", &numbers(&[u32::MAX; 2])].concat()).is_err());
    }
}
