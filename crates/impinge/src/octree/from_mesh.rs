//! Octrees of meshes: of the solid that the faces enclose, or of the faces alone.
//!
//! Faces are handed down from cell to cell (`subdivide.rs`), and the test of a face and a cell is exact
//! (`face_box.rs`). A cell that no face meets is inside or outside as a whole, and one exact winding number tells which.

use super::{
    Cell, Color, Grid, Octree, OctreeError, VoxelRule,
    face_box::face_meets_box,
    subdivide::{Contents, Relation, subdivide},
};
use crate::{
    Bounds, Mesh,
    mesh::{ColumnLocation, Columns},
};

impl Octree {
    /// The octree of the faces alone: a voxel is black exactly if a face shares a point with it. Faces and voxels are
    /// closed, and there is no tolerance. Faces outside of the root cube do not count.
    ///
    /// ```
    /// use impinge::{Mesh, octree::{Grid, Octree}, glam::DVec3};
    ///
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let face = Mesh::new(corners, vec![[0, 1, 2]])?;
    /// let octree = Octree::from_faces(&face, Grid::new(DVec3::ZERO, 4.0, 2)?)?;
    /// assert_eq!(octree.text(), "((BBBWWWWWWWWWWWW"); // the corners touch three voxels
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_faces(mesh: &Mesh, grid: Grid) -> Result<Self, OctreeError> {
        let mut faces = Faces { mesh, grid, cell: Cell::ROOT, bounds: Bounds::EMPTY, solid: None };
        let nodes = subdivide(&grid, 0..mesh.faces().len() as u32, &mut faces)?;
        Ok(Self { grid, nodes })
    }

    /// The octree of the solid that the faces enclose. Fails unless they enclose one ([`Mesh::check_solid`]).
    ///
    /// A point is inside if the faces wind around it, whichever way they look. With [`VoxelRule::AnyTouch`] a voxel is
    /// black exactly if it shares a point with the closed solid; with [`VoxelRule::CenterInside`] exactly if its
    /// centre is inside or on a face. Both are exact for the centres and planes of the grid as `f64` numbers.
    pub fn from_solid(mesh: &Mesh, grid: Grid, rule: VoxelRule) -> Result<Self, OctreeError> {
        mesh.check_solid()?;
        let solid = Solid { columns: Columns::new(mesh), rule, parent: None, siblings: [None; 8] };
        let mut faces =
            Faces { mesh, grid, cell: Cell::ROOT, bounds: Bounds::EMPTY, solid: Some(solid) };
        let nodes = subdivide(&grid, 0..mesh.faces().len() as u32, &mut faces)?;
        Ok(Self { grid, nodes })
    }
}

/// The faces of a mesh as items of cells.
struct Faces<'a> {
    mesh: &'a Mesh,
    grid: Grid,
    cell: Cell,
    bounds: Bounds,
    solid: Option<Solid<'a>>,
}

/// How cells without faces are coloured in the octree of a solid.
struct Solid<'a> {
    columns: Columns<'a>,
    rule: VoxelRule,
    /// The cell whose children were coloured last.
    parent: Option<Cell>,
    /// The colours of those children of `parent` that no face meets.
    siblings: [Option<Color>; 8],
}

impl Contents for Faces<'_> {
    fn enter(&mut self, cell: Cell) {
        (self.cell, self.bounds) = (cell, self.grid.bounds(cell));
    }

    fn relation(&mut self, face: u32) -> Relation {
        if !face_meets_box(&self.mesh.triangle(face), &self.bounds) {
            return Relation::None;
        }
        let is_decided = self.solid.as_ref().is_none_or(|solid| solid.rule == VoxelRule::AnyTouch);
        // One face is enough to make a voxel black.
        match self.cell.level == self.grid.level() && is_decided {
            true => Relation::Complete,
            false => Relation::Partial,
        }
    }

    fn color_without_items(&mut self, cell: Cell) -> Color {
        let Some(solid) = &mut self.solid else { return Color::White };
        if solid.parent != Some(cell.parent()) {
            (solid.parent, solid.siblings) = (Some(cell.parent()), [None; 8]);
        }
        // Two closed cells that share a side, and that no face meets, are on the same side of all faces.
        let octant = cell.octant();
        let known = (0..3).find_map(|axis| solid.siblings[octant ^ 1 << axis]);
        let color = known.unwrap_or_else(|| solid.color_at_center(&self.grid, cell));
        solid.siblings[octant] = Some(color);
        color
    }

    fn color_of_voxel(&mut self, cell: Cell) -> Color {
        match &self.solid {
            Some(solid) => solid.color_at_center(&self.grid, cell),
            None => Color::Black,
        }
    }
}

impl Solid<'_> {
    fn color_at_center(&self, grid: &Grid, cell: Cell) -> Color {
        match self.columns.locate(grid.center(cell)) {
            ColumnLocation::Outside => Color::White,
            ColumnLocation::OnSurface | ColumnLocation::Inside => Color::Black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{cells, meets_box, voxels};
    use super::*;
    use crate::{
        PointLocation, Pose, Shape,
        generate::{self, Random},
    };
    use glam::DVec3;

    /// Calls `check` for each voxel of an octree: its bounds, its centre, and whether it is black.
    fn each_voxel(octree: &Octree, mut check: impl FnMut(Bounds, DVec3, bool)) {
        let grid = octree.grid();
        for (cell, is_black) in cells(grid).zip(voxels(octree)) {
            check(grid.bounds(cell), grid.center(cell), is_black);
        }
    }

    /// By the oracle, which works in big integers.
    fn touches(mesh: &Mesh, voxel: &Bounds) -> bool {
        mesh.triangles().any(|triangle| meets_box(&triangle, voxel))
    }

    fn soup(seed: u64, scale: f64) -> Mesh {
        let mut random = Random::new(seed);
        // Coarse coordinates: many faces touch planes, edges and corners of voxels.
        let mut number = || (random.below(17) as f64 - 8.0) * scale;
        let positions: Vec<DVec3> =
            (0..18).map(|_| DVec3::new(number(), number(), number())).collect();
        Mesh::new(positions, (0..6).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect()).unwrap()
    }

    #[test]
    fn voxels_are_black_exactly_where_faces_touch_them() {
        let (mut black, mut white) = (0, 0);
        for seed in 0..12 {
            let scale = [1.0, 0.1, 1e-200, 1e97][seed as usize % 4];
            let mesh = soup(seed, scale);
            let grid = match seed % 3 {
                0 => Grid::new(DVec3::splat(-8.0 * scale), 16.0 * scale, 3).unwrap(),
                1 => Grid::new(DVec3::splat(-3.0 * scale), 7.7 * scale, 3).unwrap(),
                _ => Grid::enclosing(&mesh.bounds(), 3).unwrap(),
            };
            let octree = Octree::from_faces(&mesh, grid).unwrap();
            each_voxel(&octree, |voxel, _, is_black| {
                assert_eq!(is_black, touches(&mesh, &voxel), "seed {seed}: {voxel:?}");
                if is_black { black += 1 } else { white += 1 }
            });
        }
        assert!(black > 500 && white > 500, "{black} black, {white} white");
    }

    /// Against the oracle for faces, and exact point queries for the inside.
    #[test]
    fn solids_are_black_inside() {
        let cavity = {
            let ball = generate::sphere(168).unwrap();
            let inner = ball.positions().iter().map(|p| p * 0.4);
            let first = ball.positions().len() as u32;
            let turned = ball.faces().iter().map(|&[a, b, c]| [a, c, b].map(|v| v + first));
            let positions = ball.positions().iter().copied().chain(inner).collect();
            Mesh::new(positions, ball.faces().iter().copied().chain(turned).collect()).unwrap()
        };
        let meshes = [
            ("sphere", generate::sphere(168).unwrap(), 4),
            ("cuboid", generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(), 3),
            ("shuttle", generate::shuttle(), 4),
            ("cavity", cavity, 4),
        ];
        for (name, mesh, level) in meshes {
            let shape = Shape::new(mesh.clone());
            for grid in [
                Grid::enclosing(&mesh.bounds(), level).unwrap(),
                // Cuts through the solid.
                Grid::new(mesh.bounds().center(), mesh.bounds().size().max_element() * 0.7, level)
                    .unwrap(),
            ] {
                let [touched, centered] = [VoxelRule::AnyTouch, VoxelRule::CenterInside]
                    .map(|rule| voxels(&Octree::from_solid(&mesh, grid, rule).unwrap()));
                let faces = Octree::from_faces(&mesh, grid).unwrap();
                let (mut at, mut inside) = (0, 0);
                each_voxel(&faces, |voxel, center, has_faces| {
                    assert_eq!(has_faces, touches(&mesh, &voxel), "{name}: {voxel:?}");
                    let location = shape.contains_point(&Pose::IDENTITY, center).unwrap();
                    let is_inside = location != PointLocation::Outside;
                    assert_eq!(centered[at], is_inside, "{name}: centre of {voxel:?}");
                    assert_eq!(touched[at], has_faces || is_inside, "{name}: {voxel:?}");
                    inside += usize::from(touched[at] && !has_faces);
                    at += 1;
                });
                assert!(
                    inside > 10 || name == "shuttle",
                    "{name}: only {inside} voxels are inside"
                );
            }
        }
    }

    #[test]
    fn open_and_empty_meshes() {
        let grid = Grid::new(DVec3::splat(-2.0), 4.0, 4).unwrap();
        let block = generate::cuboid(DVec3::splat(2.0)).unwrap();
        let open = Mesh::new(block.positions().to_vec(), block.faces()[1..].to_vec()).unwrap();
        let error = Octree::from_solid(&open, grid, VoxelRule::AnyTouch).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("not closed") && message.contains("faces alone"), "{message}");
        assert!(Octree::from_faces(&open, grid).unwrap().black_voxels() > 0);
        let none = Mesh::default();
        assert_eq!(Octree::from_faces(&none, grid).unwrap(), Octree::empty(grid));
        assert!(Octree::from_solid(&none, grid, VoxelRule::AnyTouch).is_err());
    }

    /// A solid around the whole root cube makes it black, one beside it leaves it white.
    #[test]
    fn cells_without_faces_are_inside_or_outside() {
        let block = generate::cuboid(DVec3::splat(2.0)).unwrap();
        for rule in [VoxelRule::AnyTouch, VoxelRule::CenterInside] {
            let within = Grid::new(DVec3::splat(-0.5), 1.0, 5).unwrap();
            assert_eq!(Octree::from_solid(&block, within, rule).unwrap().text(), "B");
            let beside = Grid::new(DVec3::splat(3.0), 1.0, 5).unwrap();
            assert_eq!(Octree::from_solid(&block, beside, rule).unwrap().text(), "W");
        }
    }
}
