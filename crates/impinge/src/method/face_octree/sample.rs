//! An estimate of the number of faces that a subdivision would sort into cells, from a sample of them.

use crate::{
    Bounds,
    method::{Group, cells::Regions},
};

/// Estimates the work of a search. Holds memory only, reused from step to step.
#[derive(Default)]
pub(crate) struct RegionSample {
    regions: Regions,
}

/// Faces of each body that are looked at.
const FACES: u64 = 16;

impl RegionSample {
    /// About how many faces of the bodies of a group meet overlap regions; those that meet several count several
    /// times. Takes time in proportion to the number of vertices.
    pub(crate) fn faces_in_regions(&mut self, group: &Group<'_>) -> u64 {
        let Self { regions } = self;
        regions.bodies.clear();
        let bounds =
            |number| group.body(number).map_or(Bounds::EMPTY, |shape| shape.tight_bounds());
        regions.bodies.extend((0..group.len()).map(bounds));
        regions.find(group.pairs(), 0.0, &|_| true);
        let mut sum = 0;
        for (number, around, regions) in regions.of_bodies() {
            let Some(shape) = group.body(number) else { continue };
            let count = shape.mesh.faces().len() as u64;
            let taken = FACES.min(count).max(1);
            // Multiples of the golden ratio, modulo 1: evenly distributed, whatever the order of the faces.
            let fraction = |i: u64| (i * 0x9E37_79B9) & 0xFFFF_FFFF;
            let sample = (0..taken).map(|i| ((fraction(i) * count) >> 32) as u32);
            let hits = sample.map(|face| {
                let bounds = Bounds::enclosing(shape.triangle(face));
                match bounds.overlaps(&around) {
                    false => 0,
                    true => regions.clone().filter(|region| bounds.overlaps(region)).count() as u64,
                }
            });
            sum += hits.sum::<u64>() * count / taken;
        }
        sum
    }
}
