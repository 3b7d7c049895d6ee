//! Keys of findings: GUIDs made from the identities of the two parts.

use super::Identities;
use impinge::glam::DVec3;
use impinge_io::{assembly::Assembly, bcf::Guid};
use std::collections::HashSet;

/// Assigns keys to the findings of a run. No two findings get the same key.
pub(crate) struct Keys<'a> {
    assembly: &'a Assembly,
    identities: &'a Identities,
    taken: HashSet<String>,
}

impl<'a> Keys<'a> {
    pub(crate) fn new(assembly: &'a Assembly, identities: &'a Identities) -> Self {
        Self { assembly, identities, taken: HashSet::new() }
    }

    /// Returns the key of a pair: `earlier` if it is given and not taken yet, otherwise a key made from the two
    /// parts.
    pub(crate) fn of(&mut self, a: usize, b: usize, earlier: Option<&str>) -> String {
        let free = earlier.filter(|key| !key.is_empty() && !self.taken.contains(*key));
        let key = free.map_or_else(|| self.made(a, b), str::to_owned);
        self.taken.insert(key.clone());
        key
    }

    fn made(&self, a: usize, b: usize) -> String {
        let mut parts = [a, b].map(|part| self.part(part));
        parts.sort_unstable();
        let key = Guid::of(&["finding", &parts[0], &parts[1]]);
        // Copies of a part in the same place have the same description.
        let keys = (1..).map(|copy| match copy {
            1 => key.to_string(),
            copy => key.within(&copy.to_string()).to_string(),
        });
        let mut free = keys.filter(|key| !self.taken.contains(key));
        free.next().unwrap_or_default()
    }

    /// Describes a part: by its id, by its path, or by path and place if several parts have the path.
    fn part(&self, part: usize) -> String {
        if let Some(id) = self.identities.unique_id(self.assembly, part) {
            return format!("id {id}");
        }
        let path = self.identities.path(part);
        if self.identities.copies(part) == 1 {
            return format!("path {path}");
        }
        let (center, size) = self.identities.place(self.assembly, part);
        let [x, y, z] = cell(center, size);
        format!("place {x} {y} {z} {path}")
    }
}

/// Returns the cell of a grid that a centre lies in. The grid is much finer than the part, and much coarser
/// than the rounding of its coordinates.
fn cell(center: DVec3, size: DVec3) -> [f64; 3] {
    // A power of two, so that a size that changes by rounding gives the same grid.
    let exponent = libm::log2(size.max_element()).round();
    let step = if exponent.is_finite() { libm::exp2(exponent - 6.0) } else { 1.0 };
    // Adding 0 turns -0 into 0.
    center.to_array().map(|x| (x / step).round() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Pose, generate};
    use impinge_io::assembly::AssemblyPart;

    fn cubes(parts: &[(&str, f64)]) -> Assembly {
        let mut assembly = Assembly::default();
        assembly.meshes = vec![generate::cuboid(DVec3::ONE).unwrap().into()];
        for &(name, x) in parts {
            let pose = Pose::from_translation(DVec3::X * x).unwrap();
            assembly.parts.push(AssemblyPart::new(name, 0, pose));
        }
        assembly
    }

    fn key(assembly: &Assembly, a: usize, b: usize) -> String {
        let identities = Identities::new(assembly);
        Keys::new(assembly, &identities).of(a, b, None)
    }

    #[test]
    fn keys_do_not_depend_on_numbers_or_order() {
        let all = cubes(&[("plate", 0.0), ("bolt", 1.0), ("bolt#2", 2.0), ("bolt#3", 3.0)]);
        let fewer = cubes(&[("bolt", 2.0 + 1e-9), ("bolt#2", 3.0), ("plate", 0.5)]);
        assert_eq!(
            key(&all, 0, 2),
            key(&fewer, 0, 2),
            "bolt#2 is called bolt now; the plate moved"
        );
        assert_eq!(key(&all, 0, 3), key(&fewer, 1, 2));
        assert_ne!(key(&all, 0, 1), key(&fewer, 0, 2));
        assert_eq!(key(&all, 0, 1), key(&all, 1, 0));
    }

    #[test]
    fn ids_come_first_if_they_are_unique() {
        let mut before = cubes(&[("a", 0.0), ("b", 1.0)]);
        let mut after = cubes(&[("renamed", 7.0), ("b", 1.0)]);
        assert_ne!(key(&before, 0, 1), key(&after, 0, 1));
        before.parts[0].id = Some("guid".into());
        after.parts[0].id = Some("guid".into());
        assert_eq!(key(&before, 0, 1), key(&after, 0, 1));
        after.parts[1].id = Some("guid".into());
        assert_ne!(key(&before, 0, 1), key(&after, 0, 1), "the id says nothing any more");
    }

    #[test]
    fn keys_are_unique_within_a_run() {
        let twice = cubes(&[("plate", 0.0), ("bolt", 1.0), ("bolt#2", 1.0)]);
        let identities = Identities::new(&twice);
        let mut keys = Keys::new(&twice, &identities);
        let given = [keys.of(0, 1, None), keys.of(0, 2, None), keys.of(1, 2, Some("kept"))];
        assert_eq!(given[2], "kept");
        assert_ne!(given[0], given[1]);
        assert_ne!(keys.of(0, 1, Some("kept")), "kept");
    }
}
