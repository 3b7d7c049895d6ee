//! Samples that are near each other, of which one proof can say that they are all outside.

use crate::Bounds;
use glam::DVec3;
use std::ops::Range;

/// Samples that follow each other, and a sphere around them.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) samples: Range<u32>,
    pub(super) center: DVec3,
    pub(super) radius: f64,
}

/// Few enough that most of a cluster at the rim of a contact is needed, many enough that the clusters are soon looked through.
const MOST: usize = 16;

/// An order of points in which those of a cluster follow each other, and the clusters. It depends on the points and their
/// order alone.
pub(super) fn in_clusters(points: &[DVec3]) -> (Vec<u32>, Vec<Cluster>) {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut clusters = Vec::new();
    let mut open = Vec::from_iter((!points.is_empty()).then_some(0..points.len()));
    while let Some(range) = open.pop() {
        let part = &mut order[range.clone()];
        let bounds = Bounds::enclosing(part.iter().map(|&number| points[number as usize]));
        if part.len() <= MOST {
            let center = bounds.center();
            let distances = part.iter().map(|&number| points[number as usize].distance(center));
            let radius = distances.fold(0.0, f64::max) * (1.0 + 1e-9);
            let samples = range.start as u32..range.end as u32;
            clusters.push(Cluster { samples, center, radius });
            continue;
        }
        let axis = bounds.size().max_position();
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |&p, &q| {
            let along = |number: u32| points[number as usize][axis];
            along(p).total_cmp(&along(q)).then(p.cmp(&q))
        });
        open.push(range.start + half..range.end);
        open.push(range.start..range.start + half);
    }
    (order, clusters)
}
