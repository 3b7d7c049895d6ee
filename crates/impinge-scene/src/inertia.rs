//! Centre of mass and inertia tensor of a mesh, for bodies in free flight.
//!
//! A mesh that encloses a solid has the inertia of that solid, with the same density everywhere. Any other
//! mesh has the inertia of a shell: a thin sheet along its faces with the same mass per area everywhere.

use impinge::{
    Mesh,
    glam::{DMat3, DVec3},
};

/// The distribution of a mass of 1 over a mesh, in the coordinates of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inertia {
    pub(super) center: DVec3,
    /// The inertia tensor about the centre of mass.
    pub(super) tensor: DMat3,
    pub(super) inverse: DMat3,
}

/// Sums over pieces of a body: mass, first moments, and second moments `∫ x xᵀ`.
#[derive(Clone, Copy)]
struct Moments {
    mass: f64,
    first: DVec3,
    second: DMat3,
}

impl Inertia {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.is_empty() {
            return Self::ball(DVec3::ZERO, 0.0);
        }
        // Coordinates are divided by the size of the mesh and relative to the middle of its box, so that sums
        // neither overflow nor lose digits far from the origin.
        let (origin, size) = (bounds.center(), bounds.size().max_element() / 2.0);
        if size <= 0.0 {
            return Self::ball(origin, 0.0);
        }
        let local = |corner: DVec3| (corner - origin) / size;
        let triangles = || mesh.triangles().map(|triangle| triangle.map(local));
        let solid = mesh.check_solid().is_ok().then(|| Moments::of_solid(triangles()));
        let shell = || Moments::of_shell(triangles());
        let unit = solid.and_then(Moments::inertia).or_else(|| shell().inertia());
        match unit {
            Some(Self { center, tensor, inverse }) => Self {
                center: origin + center * size,
                tensor: tensor * (size * size),
                inverse: inverse * (1.0 / (size * size)),
            },
            // A segment or a point.
            None => Self::ball(origin, size),
        }
    }

    /// Returns the inertia of a solid ball; for a radius of 0 nothing turns the body.
    fn ball(center: DVec3, radius: f64) -> Self {
        let moment = 0.4 * radius * radius;
        let inverse = if moment > 0.0 { 1.0 / moment } else { 0.0 };
        Self {
            center,
            tensor: DMat3::from_diagonal(DVec3::splat(moment)),
            inverse: DMat3::from_diagonal(DVec3::splat(inverse)),
        }
    }
}

impl Moments {
    const ZERO: Self = Self { mass: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Sums tetrahedra from the origin to each face; those on the inner side count as negative.
    fn of_solid(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        triangles.fold(Self::ZERO, |sum, [u, v, w]| {
            // ∫ x xᵀ over the tetrahedron (0, u, v, w) is volume / 20 · (Σ p pᵀ + s sᵀ), with s = Σ p.
            sum.plus(u.dot(v.cross(w)) / 6.0, [u, v, w], 4.0, 20.0)
        })
    }

    /// Sums the faces, each with its area as mass.
    fn of_shell(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        triangles.fold(Self::ZERO, |sum, [u, v, w]| {
            // ∫ x xᵀ over a triangle is area / 12 · (Σ p pᵀ + s sᵀ), with s = Σ p.
            sum.plus((v - u).cross(w - u).length() / 2.0, [u, v, w], 3.0, 12.0)
        })
    }

    fn plus(self, mass: f64, corners: [DVec3; 3], corner_count: f64, divisor: f64) -> Self {
        let sum: DVec3 = corners.into_iter().sum();
        let squares = corners.iter().fold(outer(sum), |squares, &corner| squares + outer(corner));
        Self {
            mass: self.mass + mass,
            first: self.first + sum * (mass / corner_count),
            second: self.second + squares * (mass / divisor),
        }
    }

    /// Returns the inertia for a total mass of 1; `None` if no body with positive mass has these moments, or if
    /// its mass lies on a line.
    fn inertia(self) -> Option<Inertia> {
        if self.mass <= 1e-12 {
            return None;
        }
        let center = self.first / self.mass;
        let second = self.second * (1.0 / self.mass) - outer(center);
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let tensor = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        let determinant = tensor.determinant();
        // Second moments of real mass are not negative. A mesh that is inside out in places can violate this.
        let is_real = (0..3).all(|axis| second.col(axis)[axis] >= -1e-12);
        (is_real && determinant > 1e-12 * trace.powi(3)).then(|| Inertia {
            center,
            tensor,
            inverse: tensor.inverse(),
        })
    }
}

/// Returns the matrix `v vᵀ`.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn assert_near(found: DMat3, expected: DMat3) {
        let size =
            expected.to_cols_array().iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        assert!(found.abs_diff_eq(expected, 1e-9 * size), "{found} instead of {expected}");
    }

    fn moved(mesh: &Mesh, by: DVec3) -> Mesh {
        let positions = mesh.positions().iter().map(|&position| position + by).collect();
        Mesh::new(positions, mesh.faces().to_vec()).unwrap()
    }

    #[test]
    fn a_block_has_the_inertia_of_the_textbook() {
        let (size, away) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(100.0, -50.0, 7.0));
        let Inertia { center, tensor, inverse } =
            Inertia::of(&moved(&generate::cuboid(size).unwrap(), away));
        let [x, y, z] = (size * size).to_array();
        assert!((center - away).length() < 1e-9, "{center}");
        assert_near(tensor, DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y) / 12.0));
        assert_near(inverse * tensor, DMat3::IDENTITY);
    }

    /// The mean over many random points of the solid, which needs no formula for tetrahedra.
    #[test]
    fn a_tetrahedron_has_the_inertia_of_its_points() {
        let corners = [DVec3::ZERO, DVec3::X * 3.0, DVec3::Y * 2.0, DVec3::new(0.5, 0.25, 1.0)];
        let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let inertia = Inertia::of(&Mesh::new(corners.to_vec(), faces).unwrap());
        let mut random = generate::Random::new(3);
        let (mut tensor, count) = (DMat3::ZERO, 400_000);
        for _ in 0..count {
            // Sorted shares of 1 are uniform on the tetrahedron.
            let mut shares = [(); 3].map(|()| random.unit());
            shares.sort_by(f64::total_cmp);
            let weights =
                [shares[0], shares[1] - shares[0], shares[2] - shares[1], 1.0 - shares[2]];
            let point: DVec3 = corners.iter().zip(weights).map(|(&corner, w)| corner * w).sum();
            let arm = point - inertia.center;
            tensor += DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer(arm);
        }
        let mean = tensor * (1.0 / f64::from(count));
        assert!(inertia.tensor.abs_diff_eq(mean, 0.01 * mean.x_axis.x), "{mean} {inertia:?}");
    }

    #[test]
    fn an_open_mesh_is_a_shell() {
        // A cube without its top: five squares of mass 1/5 each.
        let cube = generate::cuboid(DVec3::ONE).unwrap();
        let is_top = |face: &[u32; 3]| face.iter().all(|&v| cube.positions()[v as usize].z > 0.4);
        let faces = cube.faces().iter().copied().filter(|face| !is_top(face)).collect();
        let mesh = Mesh::new(cube.positions().to_vec(), faces).unwrap();
        assert_eq!(mesh.faces().len(), 10);
        let Inertia { center, tensor, .. } = Inertia::of(&mesh);
        assert!((center - DVec3::Z * -0.1).length() < 1e-12, "{center}");
        // About the middle of the cube: a square in its own plane and at a distance of 1/2.
        let (side, z) = (1.0 / 12.0 + 0.25, 1.0 / 6.0);
        let about_z = (z + 4.0 * side) / 5.0;
        let about_x = (side + 2.0 * side + 2.0 * z) / 5.0 - 0.01;
        assert_near(tensor, DMat3::from_diagonal(DVec3::new(about_x, about_x, about_z)));
    }

    #[test]
    fn meshes_without_extent_do_not_divide_by_zero() {
        let point = Mesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
        let line = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0], vec![[0, 1, 2]]).unwrap();
        for mesh in [Mesh::new(vec![], vec![]).unwrap(), point, line] {
            let Inertia { center, tensor, inverse } = Inertia::of(&mesh);
            assert!(center.is_finite() && tensor.is_finite() && inverse.is_finite());
        }
    }
}
