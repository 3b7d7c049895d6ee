//! Reads the faces of a PLY file: polygons, and strips of triangles.

use super::{
    header::{Element, Kind, Scalar},
    read::{least_width, list_length, skip_value},
    source::{Boxed, Source},
};
use crate::polygon;
use glam::DVec3;

/// The triangles so far, and the state needed to read more.
pub(super) struct Faces {
    vertex_count: u32,
    triangles: Vec<[u32; 3]>,
    corners: Vec<u32>,
}

impl Faces {
    pub(super) fn new(vertex_count: u32) -> Self {
        Self { vertex_count, triangles: Vec::new(), corners: Vec::new() }
    }

    pub(super) fn into_triangles(self) -> Vec<[u32; 3]> {
        self.triangles
    }

    /// Reads an element of polygons or of strips.
    pub(super) fn read<S: Source>(
        &mut self,
        element: &Element<'_>,
        source: &mut S,
        positions: &[DVec3],
    ) -> Result<(), Boxed> {
        if element.count == 0 {
            return Ok(());
        }
        let corners = element.corners()?;
        let strips = element.name == b"tristrips";
        let vertex_count = self.vertex_count;
        if !strips {
            // Allocate one triangle per face, but no more than the file can hold: the count alone is not trusted.
            let least = element.properties.iter().map(|property| match property.kind {
                Kind::List { count, item } if property.name == element.properties[corners].name => {
                    S::width(count) + 3 * S::width(item)
                }
                kind => least_width::<S>(kind),
            });
            let most = source.room() / least.sum::<usize>();
            self.triangles.reserve_exact(most.min(element.count as usize));
        }
        for number in 0..element.count {
            source.begin()?;
            for (index, property) in element.properties.iter().enumerate() {
                match property.kind {
                    Kind::List { count, item } if index == corners => {
                        if !strips && let Some(face) = source.triangle(count, item, vertex_count) {
                            self.triangles.push(face);
                            continue;
                        }
                        let length = list_length(count, item, source)?;
                        self.reserve(length, source.room() / S::width(item));
                        if strips {
                            self.strips(length, item, source)?;
                        } else {
                            self.polygon(number, length, item, source, positions)?;
                        }
                    }
                    kind => skip_value(kind, source)?,
                }
            }
        }
        Ok(())
    }

    /// Reserves memory for the triangles of a list, and for as many again, but never for more than the rest of the file can
    /// hold.
    fn reserve(&mut self, length: usize, most: usize) {
        if self.triangles.capacity() - self.triangles.len() < length.saturating_sub(2) {
            self.triangles.reserve_exact(self.triangles.len().max(length).min(most));
        }
    }

    #[inline]
    fn polygon<S: Source>(
        &mut self,
        number: u64,
        length: usize,
        item: Scalar,
        source: &mut S,
        positions: &[DVec3],
    ) -> Result<(), Boxed> {
        if length == 3 {
            let mut face = [0; 3];
            for corner in &mut face {
                *corner = self.corner(item, source)?;
            }
            self.triangles.push(face);
            return Ok(());
        }
        if length < 3 {
            let message = format!("face {number} needs at least 3 corners, it has {length}");
            return Err(S::fault(source.place(), message));
        }
        self.corners.clear();
        self.corners.reserve_exact(length);
        for _ in 0..length {
            let corner = self.corner(item, source)?;
            self.corners.push(corner);
        }
        polygon::triangulate(&self.corners, positions, &mut self.triangles);
        Ok(())
    }

    /// Reads strips, which are separated by -1.
    ///
    /// Each corner forms a triangle with the two before it; every other triangle has the opposite orientation. Strips turn
    /// or jump by repeating a corner. Triangles with a repeated corner are not faces: after a jump, such a sliver would lie
    /// off the surface.
    fn strips<S: Source>(
        &mut self,
        length: usize,
        item: Scalar,
        source: &mut S,
    ) -> Result<(), Boxed> {
        let mut last = [0; 2];
        let mut seen = 0_usize;
        for taken in 1..=length {
            let place = source.place();
            let index = source.integer(item)?;
            if index != -1 {
                let corner = self.checked(index, place, S::fault)?;
                let [a, b] = last;
                if seen >= 2 && a != b && b != corner && corner != a {
                    let odd = seen % 2 == 1;
                    self.triangles.push(if odd { [b, a, corner] } else { [a, b, corner] });
                }
                last = [b, corner];
                seen += 1;
            }
            if index == -1 || taken == length {
                if seen == 1 || seen == 2 {
                    let message = format!("a strip needs at least 3 corners, this one has {seen}");
                    return Err(S::fault(place, message));
                }
                seen = 0;
            }
        }
        Ok(())
    }

    #[inline]
    fn corner<S: Source>(&self, item: Scalar, source: &mut S) -> Result<u32, Boxed> {
        let place = source.place();
        let index = source.integer(item)?;
        self.checked(index, place, S::fault)
    }

    #[inline]
    fn checked(
        &self,
        index: i64,
        place: usize,
        fault: fn(usize, String) -> Boxed,
    ) -> Result<u32, Boxed> {
        match u32::try_from(index) {
            Ok(corner) if corner < self.vertex_count => Ok(corner),
            _ => {
                let count = self.vertex_count;
                Err(fault(
                    place,
                    format!("there is no vertex {index}; the file has {count}, from 0"),
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        error::{Fault, Location},
        ply::read,
    };

    /// Reads strips over five vertices.
    fn strips(list: &str) -> Result<Vec<[u32; 3]>, Fault> {
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 5\nproperty int x\nproperty int y\nproperty int z\n\
             element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
             0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n{list}\n"
        );
        read(text.as_bytes(), "x").map(|model| model.meshes[0].faces().to_vec())
    }

    #[test]
    fn strips_alternate() {
        assert_eq!(strips("5 0 1 2 3 4").unwrap(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        let with_separators = strips("10 0 1 2 3 -1 1 2 3 -1 -1").unwrap();
        assert_eq!(with_separators, [[0, 1, 2], [2, 1, 3], [1, 2, 3]]);
        assert!(strips("0").unwrap().is_empty());
    }

    /// Slivers give no faces, but count for the orientation of the following triangles.
    #[test]
    fn strips_jump_without_slivers() {
        assert_eq!(strips("8 0 1 2 2 3 3 4 0").unwrap(), [[0, 1, 2], [4, 3, 0]]);
        assert_eq!(strips("9 0 1 2 2 2 3 3 4 0").unwrap(), [[0, 1, 2], [3, 4, 0]]);
    }

    #[test]
    fn errors_in_strips_are_reported() {
        let fault = strips("6 0 1 2 -1 2 3").unwrap_err();
        assert_eq!(fault.location, Location::Line(15));
        assert_eq!(fault.message, "a strip needs at least 3 corners, this one has 2");
        let fault = strips("3 0 -2 1").unwrap_err();
        assert_eq!(fault.message, "there is no vertex -2; the file has 5, from 0");
    }
}
