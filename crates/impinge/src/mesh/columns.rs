//! Whether points are inside of a closed mesh: its faces, sorted into columns along x.
//!
//! Called for cells that no face meets, when octrees are made of solids. It relies on `narrow`, which tells exactly
//! what a face adds to the winding number of a point. A ray along x stays in one column, so only the faces of that
//! column are looked at.

use crate::{Bounds, Mesh, narrow::winding_along_x};
use glam::DVec3;

/// The faces of a mesh by columns: the cells of a square grid over y and z.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    mesh: &'a Mesh,
    bounds: Bounds,
    per_side: usize,
    /// The first of each column's faces in `faces`, and the end of the last.
    first: Vec<u32>,
    faces: Vec<u32>,
}

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnLocation {
    Outside,
    OnSurface,
    Inside,
}

/// The most columns along a side.
const MOST: usize = 1024;

impl<'a> Columns<'a> {
    pub(crate) fn new(mesh: &'a Mesh) -> Self {
        let bounds = mesh.bounds();
        let mut columns = Self { mesh, bounds, per_side: 1, first: Vec::new(), faces: Vec::new() };
        if bounds.is_empty() {
            return columns;
        }
        // The finest grid in which a face is in eight columns on average, so that memory stays in proportion to the
        // faces.
        let most = (mesh.faces().len() * 8).min(u32::MAX as usize);
        while columns.per_side < MOST {
            columns.per_side *= 2;
            let entries = mesh.triangles().try_fold(0_usize, |sum, triangle| {
                let [y, z] = columns.spans(&triangle);
                Some(sum + y.count() * z.count()).filter(|sum| *sum <= most)
            });
            if entries.is_none() {
                columns.per_side /= 2;
                break;
            }
        }
        columns.fill();
        columns
    }

    fn fill(&mut self) {
        let mut first = vec![0_u32; self.per_side * self.per_side + 1];
        self.each_entry(|column, _| first[column + 1] += 1);
        for column in 1..first.len() {
            first[column] += first[column - 1];
        }
        let mut faces = vec![0; first[first.len() - 1] as usize];
        let mut next = first.clone();
        self.each_entry(|column, face| {
            faces[next[column] as usize] = face;
            next[column] += 1;
        });
        (self.first, self.faces) = (first, faces);
    }

    fn each_entry(&self, mut visit: impl FnMut(usize, u32)) {
        for (face, triangle) in (0..).zip(self.mesh.triangles()) {
            let [ys, zs] = self.spans(&triangle);
            for z in zs {
                for y in ys.clone() {
                    visit(z * self.per_side + y, face);
                }
            }
        }
    }

    /// The columns that a triangle reaches, along y and z.
    fn spans(&self, triangle: &[DVec3; 3]) -> [std::ops::RangeInclusive<usize>; 2] {
        let bounds = Bounds::enclosing(*triangle);
        [1, 2].map(|axis| self.number(axis, bounds.min[axis])..=self.number(axis, bounds.max[axis]))
    }

    /// The column of a coordinate. Never decreases as the coordinate grows, so a coordinate between two others is in
    /// a column between theirs, however it is rounded.
    fn number(&self, axis: usize, coordinate: f64) -> usize {
        let (min, max) = (self.bounds.min[axis], self.bounds.max[axis]);
        // Halved, so that no difference overflows. NaN if the mesh is flat.
        let share = (coordinate * 0.5 - min * 0.5) / (max * 0.5 - min * 0.5);
        ((share * self.per_side as f64) as usize).min(self.per_side - 1)
    }

    /// Where a point is with respect to the mesh, which must enclose a solid. Exact.
    pub(crate) fn locate(&self, point: DVec3) -> ColumnLocation {
        if !self.bounds.contains(point) {
            return ColumnLocation::Outside;
        }
        let column = self.number(2, point.z) * self.per_side + self.number(1, point.y);
        let range = self.first[column] as usize..self.first[column + 1] as usize;
        let mut winding = 0;
        for &face in &self.faces[range] {
            match winding_along_x(point, &self.mesh.triangle(face)) {
                Some(turns) => winding += turns,
                None => return ColumnLocation::OnSurface,
            }
        }
        if winding == 0 { ColumnLocation::Outside } else { ColumnLocation::Inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        PointLocation, Pose, Shape,
        generate::{self, Random},
    };

    /// Against queries of a shape, which find the faces of a ray with a tree.
    #[test]
    fn points_are_located_as_by_queries() {
        let far = generate::shuttle();
        let far = Mesh::new(
            far.positions().iter().map(|p| p * 1e-3 + 1e3).collect(),
            far.faces().to_vec(),
        );
        let meshes = [
            generate::shuttle(),
            generate::sphere(960).unwrap(),
            generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(),
            generate::deformed_torus(3, [30, 12]).unwrap(),
            far.unwrap(),
        ];
        let mut seen = [0; 3];
        for (number, mesh) in meshes.iter().enumerate() {
            let columns = Columns::new(mesh);
            let shape = Shape::new(mesh.clone());
            let bounds = mesh.bounds();
            let mut random = Random::new(number as u64);
            for case in 0..3_000 {
                let mut share = || (random.range(-0.1, 1.1) * 32.0).round() / 32.0;
                let share = DVec3::new(share(), share(), share());
                let point = match case % 10 {
                    0 => mesh.positions()[case % mesh.positions().len()],
                    _ => bounds.min + share * bounds.size(),
                };
                let expected = match shape.contains_point(&Pose::IDENTITY, point).unwrap() {
                    PointLocation::Outside => ColumnLocation::Outside,
                    PointLocation::OnSurface => ColumnLocation::OnSurface,
                    PointLocation::Inside => ColumnLocation::Inside,
                };
                assert_eq!(columns.locate(point), expected, "mesh {number}, case {case}");
                seen[expected as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }
}
