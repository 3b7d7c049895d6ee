//! Groups the pairs of a check into cells of space, each of which is the work of one task on a cluster.
//!
//! Two parts that are near each other may both reach into many cells. A pair belongs to the cell that contains its
//! reference point: the lowest corner of the intersection of the two boxes whose meeting makes the pair near. Cells are
//! half-open and fill space, so every pair is in exactly one.

use impinge::{Bounds, glam::DVec3};
use std::collections::HashSet;

/// How large a cell may be. A cell with a single pair may be larger.
///
/// A pair with many faces may have others beside it, so that a large part, such as a terrain, is not prepared once for
/// every part near it: if a pair has more than half of [`faces`](Self::faces), the limit of its cell is the faces of the
/// pair and that half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CellLimits {
    /// The most [work](Cell::work) of a cell.
    pub work: u64,
    /// The most faces of all meshes that a cell needs, unless one of its pairs has more than half of them. It bounds the
    /// memory of a task.
    pub faces: u64,
}

impl CellLimits {
    /// Limits for cells.
    pub fn new(work: u64, faces: u64) -> Self {
        Self { work, faces }
    }
}

/// Some of the pairs of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// Indices of pairs, sorted.
    pub pairs: Vec<u32>,
    /// An estimate of the work: the faces in the region that is common to the boxes of both parts, and a constant for each
    /// pair.
    pub work: u64,
}

/// The work of a pair besides its faces.
const WORK_OF_PAIR: u64 = 200;

/// A pair as cells see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSite {
    reference: DVec3,
    work: u64,
    meshes: [u32; 2],
}

impl PairSite {
    /// A pair of two parts, each with the box within which others are near, its mesh and the number of its faces.
    pub(crate) fn new(boxes: [Bounds; 2], meshes: [u32; 2], faces: [u64; 2]) -> Self {
        let common =
            Bounds { min: boxes[0].min.max(boxes[1].min), max: boxes[0].max.min(boxes[1].max) };
        let share = |side: usize| {
            let (whole, common) = (boxes[side].size(), common.size());
            let along = |axis: usize| match whole[axis] > 0.0 {
                true => (common[axis] / whole[axis]).clamp(0.0, 1.0),
                false => 1.0,
            };
            (faces[side] as f64 * along(0) * along(1) * along(2)) as u64
        };
        let work = WORK_OF_PAIR.saturating_add(share(0)).saturating_add(share(1));
        Self { reference: common.min, work, meshes }
    }
}

/// Groups pairs into cells: splits space at the median of the work until each cell is small enough. `faces` is the number
/// of faces of each mesh. The cells come in the order of the splits, so that neighbours are often next to each other.
pub(crate) fn cells(sites: &[PairSite], faces: &[u64], limits: CellLimits) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut open = vec![(0..sites.len() as u32).collect::<Vec<u32>>()];
    while let Some(mut pairs) = open.pop() {
        if pairs.is_empty() {
            continue;
        }
        let work =
            pairs.iter().fold(0u64, |sum, &pair| sum.saturating_add(sites[pair as usize].work));
        let is_small = work <= limits.work
            && face_count(sites, &pairs, faces) <= most_faces(sites, &pairs, faces, limits);
        if pairs.len() == 1 || is_small {
            pairs.sort_unstable();
            cells.push(Cell { pairs, work });
            continue;
        }
        let right = split(sites, &mut pairs, work);
        open.push(right);
        open.push(pairs);
    }
    cells
}

/// The most faces that a cell with these pairs may need.
fn most_faces(sites: &[PairSite], pairs: &[u32], faces: &[u64], limits: CellLimits) -> u64 {
    let largest = pairs.iter().map(|pair| face_count(sites, std::slice::from_ref(pair), faces));
    limits.faces.max(largest.max().unwrap_or(0).saturating_add(limits.faces / 2))
}

/// The number of faces of the distinct meshes of some pairs.
fn face_count(sites: &[PairSite], pairs: &[u32], faces: &[u64]) -> u64 {
    if let [pair] = pairs {
        let [a, b] = sites[*pair as usize].meshes;
        let second = if a == b { 0 } else { faces[b as usize] };
        return faces[a as usize].saturating_add(second);
    }
    let meshes = pairs.iter().flat_map(|&pair| sites[pair as usize].meshes);
    let distinct: HashSet<u32> = meshes.collect();
    distinct.into_iter().fold(0u64, |sum, mesh| sum.saturating_add(faces[mesh as usize]))
}

/// Moves the pairs on the upper side of a plane to a list of their own. Both lists have at least one pair.
fn split(sites: &[PairSite], pairs: &mut Vec<u32>, work: u64) -> Vec<u32> {
    let at = |pair: u32| sites[pair as usize].reference;
    let mut bounds = Bounds::EMPTY;
    pairs.iter().for_each(|&pair| bounds.merge(&Bounds { min: at(pair), max: at(pair) }));
    let size = bounds.size();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    if size[axis] <= 0.0 {
        // All reference points are the same: no plane separates them.
        return pairs.split_off(pairs.len() / 2);
    }
    pairs.sort_unstable_by(|&a, &b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b)));
    let mut below = 0u64;
    let median = pairs.iter().position(|&pair| {
        below = below.saturating_add(sites[pair as usize].work);
        below >= work / 2
    });
    let median = median.unwrap_or(0).clamp(1, pairs.len() - 1);
    // The plane goes through a reference point. Points on the plane belong to the upper side.
    let is_plane = |index: &usize| at(pairs[index - 1])[axis] < at(pairs[*index])[axis];
    let plane = (median..pairs.len()).find(is_plane);
    let plane = plane.or_else(|| (1..median).rev().find(is_plane)).unwrap_or(median);
    pairs.split_off(plane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::Random;

    fn number(random: &mut Random) -> f64 {
        // Few values, so that many reference points lie on the same planes.
        random.below(12) as f64 - 6.0
    }

    fn sites(random: &mut Random, count: u64) -> Vec<PairSite> {
        let site = |_| {
            let mut cube = || {
                let min = DVec3::new(number(random), number(random), number(random));
                Bounds { min, max: min + DVec3::splat(random.below(9) as f64) }
            };
            let boxes = [cube(), cube()];
            let meshes = [random.below(20) as u32, random.below(20) as u32];
            PairSite::new(boxes, meshes, meshes.map(|mesh| u64::from(mesh) * 100))
        };
        (0..count).map(site).collect()
    }

    #[test]
    fn every_pair_is_in_exactly_one_cell() {
        let faces: Vec<u64> = (0..20).map(|mesh| mesh * 100).collect();
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let count = random.below(300);
            let sites = sites(&mut random, count);
            let limits = CellLimits::new(1 << random.below(16), 1 << random.below(16));
            let cells = cells(&sites, &faces, limits);
            let mut all: Vec<u32> = cells.iter().flat_map(|cell| cell.pairs.clone()).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count as u32), "seed {seed}");
            for cell in &cells {
                let work: u64 = cell.pairs.iter().map(|&pair| sites[pair as usize].work).sum();
                assert_eq!(cell.work, work, "seed {seed}");
                let own = face_count(&sites, &cell.pairs, &faces);
                let pair_faces = |pair: &u32| {
                    let meshes: HashSet<u32> = sites[*pair as usize].meshes.into();
                    meshes.into_iter().map(|mesh| faces[mesh as usize]).sum::<u64>()
                };
                let largest = cell.pairs.iter().map(pair_faces).max().unwrap();
                let has_few_faces = own <= limits.faces || own <= largest + limits.faces / 2;
                let is_small = work <= limits.work && has_few_faces;
                assert!(is_small || cell.pairs.len() == 1, "seed {seed}: {cell:?}");
            }
        }
    }

    #[test]
    fn pairs_with_the_same_reference_point_are_split_too() {
        let cube = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
        let sites = vec![PairSite::new([cube, cube], [0, 1], [10, 10]); 100];
        let cells = cells(&sites, &[10, 10], CellLimits::new(1000, u64::MAX));
        assert!(cells.len() >= 23 && cells.iter().all(|cell| cell.work <= 1000));
        assert_eq!(cells.iter().map(|cell| cell.pairs.len()).sum::<usize>(), 100);
    }

    /// A terrain with more faces than a cell may have, and small parts on it.
    #[test]
    fn a_large_part_is_in_few_cells() {
        let (terrain, small, parts) = (5_000_000, 1000, 10_000);
        let mut faces = vec![small; parts + 1];
        faces[0] = terrain;
        let side = 100.0;
        let floor = Bounds { min: DVec3::ZERO, max: DVec3::new(side, side, 1.0) };
        let site = |part: usize| {
            let min = DVec3::new((part % 100) as f64, (part / 100) as f64, 0.5);
            let own = Bounds { min, max: min + DVec3::ONE };
            PairSite::new([floor, own], [0, part as u32 + 1], [terrain, small])
        };
        let sites: Vec<PairSite> = (0..parts).map(site).collect();
        let limit = 4_000_000;
        let cells = cells(&sites, &faces, CellLimits::new(u64::MAX, limit));
        // Each cell has at most 2000 of the small parts beside the terrain.
        assert!((5..=8).contains(&cells.len()), "{} cells", cells.len());
        let most = cells.iter().map(|cell| face_count(&sites, &cell.pairs, &faces)).max();
        assert!(most.unwrap() <= terrain + small + limit / 2, "{most:?} faces");
    }
}
