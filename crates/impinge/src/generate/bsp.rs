//! Random binary space partitions of the unit cube, and scenes of scaled meshes in their cells.

use super::error::{MAX_FACES, check_count};
use super::{GenerateError, Random};
use crate::{Bounds, Mesh};
use glam::{DMat3, DVec3};

/// Options of [`bsp_copies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BspOptions {
    /// The number of copies: from 1 to 10,000,000. By default 100.
    pub count: u32,
    /// Whether each copy gets a random rotation. By default it does not, so that trees stay upright.
    pub turned: bool,
}

impl Default for BspOptions {
    fn default() -> Self {
        Self { count: 100, turned: false }
    }
}

impl BspOptions {
    /// Sets [`count`](Self::count).
    pub fn count(mut self, count: u32) -> Self {
        self.count = count;
        self
    }

    /// Sets [`turned`](Self::turned).
    pub fn turned(mut self, turned: bool) -> Self {
        self.turned = turned;
        self
    }
}

/// A scaled copy of a mesh in a cell of a partition.
#[derive(Clone, Debug, PartialEq)]
pub struct BspCopy {
    /// The copy, at its place.
    pub mesh: Mesh,
    /// The index of the mesh that was copied.
    pub source: usize,
    /// The cell. The copy lies within it and does not touch its sides.
    pub cell: Bounds,
}

/// A scene of disjoint obstacles: scaled copies of the given meshes in the unit cube [0, 1]³.
///
/// The scenes of Klosowski (1998, chapter 2). A random binary space partition by planes across the axes divides
/// the cube into 2·count boxes. A random half of them is filled, each with a copy of a random one of the meshes,
/// which is scaled uniformly to 60 to 95 % of the largest size that fits. Copies lie strictly within their boxes,
/// so they do not touch each other. [`merged`](super::merged) makes one mesh of them.
///
/// ```
/// use impinge::{Pose, generate::{BspOptions, bsp_copies, chair, merged, shuttle}};
///
/// let copies = bsp_copies(1, &[chair(), shuttle()], BspOptions::default().count(50))?;
/// let environment = merged(copies.iter().map(|copy| (&copy.mesh, &Pose::IDENTITY)))?;
/// assert_eq!(copies.len(), 50);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn bsp_copies(
    seed: u64,
    meshes: &[Mesh],
    options: BspOptions,
) -> Result<Vec<BspCopy>, GenerateError> {
    let BspOptions { count, turned } = options;
    check_count("count", count, (1..=10_000_000).contains(&count), "from 1 to 10000000")?;
    if meshes.is_empty() || meshes.iter().any(|mesh| mesh.faces().is_empty()) {
        return Err(GenerateError::NoFaces { parameter: "meshes" });
    }
    let mut random = Random::new(seed);
    let mut cells = partition(&mut random, 2 * count as usize);
    random.shuffle(&mut cells);
    cells.truncate(count as usize);
    let sources: Vec<usize> =
        cells.iter().map(|_| random.below(meshes.len() as u64) as usize).collect();
    let faces = sources.iter().map(|&source| meshes[source].faces().len() as u64).sum();
    if faces > MAX_FACES {
        return Err(GenerateError::TooManyFaces { faces });
    }
    let copy = |(cell, source): (Bounds, usize)| {
        let rotation = if turned { random.rotation() } else { DMat3::IDENTITY };
        let fill = random.range(0.6, 0.95);
        let mesh = scaled_into(&meshes[source], rotation, &cell, fill)?;
        Ok(BspCopy { mesh, source, cell })
    };
    cells.into_iter().zip(sources).map(copy).collect()
}

/// Turns a mesh and scales it uniformly to `fill` times the largest size that fits into a box.
fn scaled_into(
    mesh: &Mesh,
    rotation: DMat3,
    cell: &Bounds,
    fill: f64,
) -> Result<Mesh, GenerateError> {
    let own = mesh.bounds();
    let (center, longest) = (own.center(), own.size().max_element());
    // Divide before turning, so that no product of tiny or huge sizes overflows.
    let turned = |position: DVec3| {
        let offset = position - center;
        rotation * if longest > 0.0 { offset / longest } else { offset }
    };
    let bounds = Bounds::enclosing(mesh.triangles().flatten().map(turned));
    let (middle, size) = (bounds.center(), bounds.size());
    let room = cell.size();
    // An axis along which the mesh is flat does not limit the scale.
    let scale = (0..3)
        .filter(|&axis| size[axis] > 0.0)
        .map(|axis| fill * room[axis] / size[axis])
        .fold(f64::INFINITY, f64::min);
    let scale = if scale.is_finite() { scale } else { 0.0 };
    // The corners of faces are within 0.475 of the box size. Only vertices without a face can be further away.
    let reach = room * 0.49;
    let place = |&position: &DVec3| {
        let offset = (turned(position) - middle) * scale;
        cell.center() + offset.clamp(-reach, reach)
    };
    Ok(Mesh::new(mesh.positions().iter().map(place).collect(), mesh.faces().to_vec())?)
}

/// The leaves of a random binary space partition of the unit cube.
pub(super) fn partition(random: &mut Random, count: usize) -> Vec<Bounds> {
    // A leaf that cannot be split has at most the volume (2ε)³ = 0.008/count, so there is always another leaf
    // that can be split.
    let epsilon = 0.1 / libm::cbrt(count as f64);
    let mut active = vec![Bounds { min: DVec3::ZERO, max: DVec3::ONE }];
    let mut finished: Vec<Bounds> = Vec::new();
    while active.len() + finished.len() < count {
        let chosen = random.below(active.len() as u64) as usize;
        let leaf = active.swap_remove(chosen);
        let size = leaf.size();
        let axes: Vec<usize> = (0..3).filter(|&axis| size[axis] > 2.0 * epsilon).collect();
        if axes.is_empty() {
            finished.push(leaf);
            continue;
        }
        let axis = axes[random.below(axes.len() as u64) as usize];
        let at = random.range(leaf.min[axis] + epsilon, leaf.max[axis] - epsilon);
        let (mut low, mut high) = (leaf, leaf);
        low.max[axis] = at;
        high.min[axis] = at;
        active.extend([low, high]);
    }
    active.extend(finished);
    active
}

#[cfg(test)]
mod tests {
    use super::super::check::hash;
    use super::super::{chair, merged, shuttle, torus};
    use super::*;
    use crate::Pose;

    fn meshes() -> Vec<Mesh> {
        vec![chair(), shuttle(), torus(1.0, 0.4, [12, 8]).unwrap()]
    }

    #[test]
    fn copies_lie_strictly_within_their_cells() {
        for (seed, turned) in [(1, false), (2, true), (3, true)] {
            let options = BspOptions::default().count(300).turned(turned);
            let copies = bsp_copies(seed, &meshes(), options).unwrap();
            assert_eq!(copies.len(), 300);
            for (number, copy) in copies.iter().enumerate() {
                let (own, cell) = (copy.mesh.bounds(), copy.cell);
                let is_within = own.min.cmpgt(cell.min).all() && own.max.cmplt(cell.max).all();
                assert!(is_within, "seed {seed}, copy {number}: {own:?} in {cell:?}");
                let share = own.size() / cell.size();
                assert!((0.59..0.96).contains(&share.max_element()), "seed {seed}: {share}");
                assert_eq!(copy.mesh.faces(), meshes()[copy.source].faces());
            }
            // Cells share sides at most, so copies are apart.
            let mut near = 0;
            for (i, a) in copies.iter().enumerate() {
                for b in &copies[..i] {
                    near += usize::from(a.cell.overlaps(&b.cell));
                    assert!(!a.mesh.bounds().overlaps(&b.mesh.bounds()), "seed {seed}");
                    let common = a.cell.max.min(b.cell.max) - a.cell.min.max(b.cell.min);
                    assert!(common.min_element() <= 0.0, "seed {seed}: cells overlap by {common}");
                }
            }
            assert!(near > 300, "seed {seed}: only {near} cells are neighbours");
            let used = |source: usize| copies.iter().filter(|copy| copy.source == source).count();
            assert!((0..3).all(|source| used(source) > 50), "seed {seed}");
        }
    }

    #[test]
    fn copies_keep_their_shape() {
        let copies =
            bsp_copies(5, &[shuttle()], BspOptions::default().count(20).turned(true)).unwrap();
        let edge = |mesh: &Mesh, face: u32| {
            let [a, b, _] = mesh.triangle(face);
            (b - a).length()
        };
        let own = shuttle();
        for copy in &copies {
            let scale = edge(&copy.mesh, 0) / edge(&own, 0);
            for face in 0..528 {
                let error = edge(&copy.mesh, face) / edge(&own, face) / scale - 1.0;
                assert!(error.abs() < 1e-9, "face {face}: {error}");
            }
        }
    }

    #[test]
    fn flat_and_scattered_meshes_are_placed_too() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(1e99)];
        let flat = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let dot = Mesh::new(vec![DVec3::splat(7.0)], vec![[0, 0, 0]]).unwrap();
        for mesh in [flat, dot] {
            for copy in bsp_copies(1, &[mesh], BspOptions::default().count(9)).unwrap() {
                let inside =
                    |p: &DVec3| p.cmpgt(copy.cell.min).all() && p.cmplt(copy.cell.max).all();
                assert!(copy.mesh.positions().iter().all(inside));
            }
        }
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let error = bsp_copies(1, &meshes(), BspOptions::default().count(0)).unwrap_err();
        assert_eq!(error.to_string(), "count is 0, but must be from 1 to 10000000");
        let error = bsp_copies(1, &[], BspOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "meshes: there is no mesh, or one without faces");
        assert!(bsp_copies(1, &[Mesh::default()], BspOptions::default()).is_err());
        let large = bsp_copies(1, &[shuttle()], BspOptions::default().count(1_000_000));
        assert!(matches!(large, Err(GenerateError::TooManyFaces { faces: 528_000_000 })));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let options = BspOptions::default().count(40).turned(true);
        let copies = bsp_copies(1, &meshes(), options).unwrap();
        let whole = merged(copies.iter().map(|copy| (&copy.mesh, &Pose::IDENTITY))).unwrap();
        assert_eq!(hash(&whole), 0x106D_D2BF_A235_333B);
    }
}
