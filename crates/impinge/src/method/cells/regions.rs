//! The boxes of the bodies of a group, the overlap regions of pairs of them, and which pairs are compared.
//!
//! # No contact lies outside
//!
//! Let faces of bodies A and B share a point p. The box of A encloses all faces of A, and that of B all faces of B, so p
//! lies in both: in the overlap region of the pair. With a tolerance t, let points p of A and q of B be at most t apart.
//! The box of A is grown by t, rounded outward, so it encloses q, which takes the place of p. The root encloses all
//! regions.

use crate::{
    Bounds,
    method::{GroupPair, GroupPairs},
};

/// The boxes and overlap regions of a group of bodies. Memory is reused from query to query.
pub(in crate::method) struct Regions {
    /// A box around the placed faces of each body; set by the caller.
    pub(in crate::method) bodies: Vec<Bounds>,
    /// The overlap regions of each body, sorted by body.
    regions: Vec<(u32, Bounds)>,
    /// The pairs of bodies that have an overlap region, sorted.
    pairs: Vec<GroupPair>,
    /// Where the pairs of each body begin in `pairs`, and where the last ones end.
    pair_starts: Vec<u32>,
    /// Encloses all points where faces can touch.
    root: Bounds,
}

impl Default for Regions {
    fn default() -> Self {
        let (bodies, regions, pairs, pair_starts) = Default::default();
        Self { bodies, regions, pairs, pair_starts, root: Bounds::EMPTY }
    }
}

impl Regions {
    /// Finds the overlap regions of pairs of bodies; without a list of pairs, all of space is one region.
    ///
    /// `growth` is by how much body 0 grows for a tolerance; 0 for groups of more than two bodies. Pairs for which
    /// `is_near` does not hold have no region: their faces are known to be apart.
    pub(in crate::method) fn find(
        &mut self,
        pairs: GroupPairs<'_>,
        growth: f64,
        is_near: &dyn Fn(GroupPair) -> bool,
    ) {
        self.regions.clear();
        self.pairs.clear();
        self.pair_starts.clear();
        self.root = Bounds::EMPTY;
        match pairs {
            GroupPairs::Listed(pairs) => self.find_listed(pairs, growth, is_near),
            GroupPairs::Where(_) => {
                self.bodies.iter().for_each(|bounds| self.root.merge(bounds));
                let root = self.root;
                let with_faces = (0..).zip(&self.bodies).filter(|(_, bounds)| !bounds.is_empty());
                self.regions.extend(with_faces.map(|(body, _)| (body, root)));
            }
        }
    }

    fn find_listed(
        &mut self,
        pairs: &[GroupPair],
        growth: f64,
        is_near: &dyn Fn(GroupPair) -> bool,
    ) {
        for &[a, b] in pairs {
            let box_of_a = grown_outward(&self.bodies[a as usize], growth);
            let region = box_of_a.intersection(&self.bodies[b as usize]);
            if !region.is_empty() && is_near([a, b]) {
                self.pairs.push([a, b]);
                self.regions.extend([(a, region), (b, region)]);
                self.root.merge(&region);
            }
        }
        self.regions.sort_unstable_by_key(|(body, _)| *body);
        let mut next = 0;
        for body in 0..=self.bodies.len() as u32 {
            while self.pairs.get(next as usize).is_some_and(|[a, _]| *a < body) {
                next += 1;
            }
            self.pair_starts.push(next);
        }
    }

    /// Makes the root enclose all bodies that have regions.
    pub(in crate::method) fn widen_to_bodies(&mut self) {
        let Self { bodies, regions, root, .. } = self;
        regions.iter().for_each(|(body, _)| root.merge(&bodies[*body as usize]));
    }

    /// Each body that has regions, with a box around them, and the regions.
    pub(in crate::method) fn of_bodies(
        &self,
    ) -> impl Iterator<Item = (u32, Bounds, impl Iterator<Item = &Bounds> + Clone)> {
        self.regions.chunk_by(|(a, _), (b, _)| a == b).map(|regions| {
            let mut around = Bounds::EMPTY;
            regions.iter().for_each(|(_, region)| around.merge(region));
            (regions[0].0, around, regions.iter().map(|(_, region)| region))
        })
    }

    /// Whether two bodies are compared.
    pub(in crate::method) fn compares(&self, pairs: GroupPairs<'_>, [a, b]: GroupPair) -> bool {
        match pairs {
            GroupPairs::Listed(_) => {
                let starts = &self.pair_starts[a as usize..];
                self.pairs[starts[0] as usize..starts[1] as usize].binary_search(&[a, b]).is_ok()
            }
            GroupPairs::Where(compares) => compares([a, b]),
        }
    }

    /// A box around two bodies.
    pub(in crate::method) fn around(&self, bodies: GroupPair) -> Bounds {
        let [mut around, other] = bodies.map(|body| self.bodies[body as usize]);
        around.merge(&other);
        around
    }

    /// A cube around all regions, so that its cells are cubes; just a box if the cube would overflow.
    pub(in crate::method) fn root_cube(&self) -> Bounds {
        let root = &self.root;
        if root.is_empty() {
            return *root;
        }
        let center = root.center();
        let half = 0.5 * root.size().max_element();
        let cube = Bounds { min: root.min.min(center - half), max: root.max.max(center + half) };
        if cube.size().is_finite() { cube } else { *root }
    }
}

/// The box with every side moved outward by at least `by`; unchanged for 0.
pub(in crate::method) fn grown_outward(bounds: &Bounds, by: f64) -> Bounds {
    if by == 0.0 {
        return *bounds;
    }
    let Bounds { min, max } = bounds.grown(by);
    Bounds { min: min.map(f64::next_down), max: max.map(f64::next_up) }
}
