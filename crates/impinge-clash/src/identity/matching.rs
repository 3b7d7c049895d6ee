//! Finds the parts of an earlier run in the assembly of this run.

use super::{Identities, PartIdentity};
use impinge::glam::DVec3;
use impinge_io::assembly::Assembly;
use std::collections::HashMap;

/// The pairs of parts of an earlier run, found in the assembly of this run.
#[derive(Debug)]
pub(crate) struct EarlierPairs {
    /// The parts of this run that each earlier pair consists of; `None` for a part that is gone.
    parts: Vec<[Option<usize>; 2]>,
    /// The index of the earlier pair of two parts of this run; the smaller part comes first.
    pairs: HashMap<[usize; 2], usize>,
    /// For each earlier pair, whether one of its parts could not be recognised for lack of data.
    is_unclear: Vec<bool>,
}

impl EarlierPairs {
    /// Finds each pair of `earlier` in an assembly. If two earlier pairs are the same pair now, the later counts.
    pub(crate) fn find<'e>(
        assembly: &Assembly,
        identities: &Identities,
        earlier: impl Iterator<Item = &'e [PartIdentity; 2]>,
    ) -> Self {
        // Each part is matched once. The entries of a review file may come from several runs, so the name alone does
        // not tell parts apart.
        let mut numbers: HashMap<(&str, &str, [u64; 3]), usize> = HashMap::new();
        let mut all: Vec<&PartIdentity> = Vec::new();
        let mut pairs_of_numbers = Vec::new();
        for pair in earlier {
            pairs_of_numbers.push([0, 1].map(|side| {
                let part = &pair[side];
                let center = part.center.map(f64::to_bits);
                *numbers.entry((&part.name, &part.path, center)).or_insert_with(|| {
                    all.push(part);
                    all.len() - 1
                })
            }));
        }
        let found = Matching::of(assembly, identities, &all);
        let parts: Vec<[Option<usize>; 2]> =
            pairs_of_numbers.iter().map(|pair| pair.map(|part| found.now[part])).collect();
        let is_unclear = pairs_of_numbers
            .iter()
            .map(|pair| pair.iter().any(|&part| found.is_unclear[part]))
            .collect();
        let mut pairs = HashMap::new();
        for (index, pair) in parts.iter().enumerate() {
            if let [Some(a), Some(b)] = *pair {
                pairs.insert([a.min(b), a.max(b)], index);
            }
        }
        Self { parts, pairs, is_unclear }
    }

    /// Returns the index of the earlier pair of two parts.
    pub(crate) fn index(&self, a: usize, b: usize) -> Option<usize> {
        self.pairs.get(&[a.min(b), a.max(b)]).copied()
    }

    /// Returns the parts of an earlier pair in this run; `None` for a part that is gone.
    pub(crate) fn parts(&self, index: usize) -> [Option<usize>; 2] {
        self.parts[index]
    }

    /// Returns whether an earlier pair was replaced by a later one of the same two parts.
    pub(crate) fn is_replaced(&self, index: usize) -> bool {
        match self.parts[index] {
            [Some(a), Some(b)] => self.index(a, b) != Some(index),
            _ => false,
        }
    }

    /// Returns whether a part of an earlier pair could not be recognised, because the earlier run gives only
    /// its name, and several parts have that name.
    pub(crate) fn is_unclear(&self, index: usize) -> bool {
        self.is_unclear[index]
    }
}

/// The part of this run that each part of an earlier run is.
struct Matching {
    now: Vec<Option<usize>>,
    is_unclear: Vec<bool>,
}

impl Matching {
    fn of(assembly: &Assembly, identities: &Identities, earlier: &[&PartIdentity]) -> Self {
        let count = earlier.len();
        let mut found = Self { now: vec![None; count], is_unclear: vec![false; count] };
        found.by_name(assembly, identities, earlier);
        found.by_unique_id(assembly, identities, earlier);
        found.by_place(assembly, identities, earlier);
        found.by_unique_path(assembly, identities, earlier);
        found
    }

    /// Runs of older versions give only the name of a part. It counts if no other part has the same name, up to
    /// an appended number.
    fn by_name(&mut self, assembly: &Assembly, identities: &Identities, earlier: &[&PartIdentity]) {
        if earlier.iter().all(|part| part.copies > 0) {
            return;
        }
        let mut now: HashMap<&str, usize> = HashMap::new();
        now.extend(assembly.parts.iter().enumerate().map(|(part, named)| (&*named.name, part)));
        let before: HashMap<&str, ()> = earlier.iter().map(|part| (&*part.name, ())).collect();
        let bare = |name| super::without_number(name, |it| before.contains_key(it));
        let mut siblings: HashMap<&str, usize> = HashMap::new();
        earlier.iter().for_each(|part| *siblings.entry(bare(&part.name)).or_insert(0) += 1);
        for (index, part) in earlier.iter().enumerate().filter(|(_, part)| part.copies == 0) {
            let is_alone = siblings[bare(&part.name)] == 1 && !is_numbered(&part.name);
            match now.get(&*part.name) {
                Some(&at) if is_alone && identities.copies(at) == 1 => self.now[index] = Some(at),
                Some(_) => self.is_unclear[index] = true,
                None => self.is_unclear[index] = is_numbered(&part.name),
            }
        }
    }

    /// Parts with the same id, if no other part has it.
    fn by_unique_id(
        &mut self,
        assembly: &Assembly,
        identities: &Identities,
        earlier: &[&PartIdentity],
    ) {
        // Parts of one run have different names. The same name twice is the same part in two runs.
        let mut before: HashMap<&str, &str> = HashMap::new();
        let mut shared: HashMap<&str, ()> = HashMap::new();
        for part in earlier {
            let Some(id) = part.id.as_deref() else { continue };
            if *before.entry(id).or_insert(&part.name) != part.name {
                shared.insert(id, ());
            }
        }
        if before.is_empty() {
            return;
        }
        let now: HashMap<&str, usize> = (0..assembly.parts.len())
            .filter_map(|part| Some((identities.unique_id(assembly, part)?, part)))
            .collect();
        for (index, part) in earlier.iter().enumerate() {
            let id = part.id.as_deref().filter(|id| !shared.contains_key(id));
            self.now[index] = self.now[index].or_else(|| now.get(id?).copied());
        }
    }

    /// Parts with the same id or path in the same place; the nearest two first.
    fn by_place(
        &mut self,
        assembly: &Assembly,
        identities: &Identities,
        earlier: &[&PartIdentity],
    ) {
        let paths = identities.parts_by_path();
        let mut ids: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, part) in (0..).zip(&assembly.parts) {
            part.id.iter().for_each(|id| ids.entry(id).or_default().push(number));
        }
        // The members of each class, sorted by the x coordinate of their centres.
        let mut sorted: HashMap<(&str, bool), Vec<(f64, u32)>> = HashMap::new();
        let mut near: Vec<(f64, usize, usize)> = Vec::new();
        for (index, part) in earlier.iter().enumerate() {
            if self.now[index].is_some() || part.copies == 0 {
                continue;
            }
            let id = part.id.as_deref().and_then(|id| Some((id, true, &**ids.get(id)?)));
            let path = paths.get(&*part.path).map(|parts| (&*part.path, false, *parts));
            for (class, is_id, members) in id.into_iter().chain(path) {
                let members = sorted.entry((class, is_id)).or_insert_with(|| {
                    let x = |&part: &u32| identities.place(assembly, part as usize).0.x;
                    let mut members: Vec<_> = members.iter().map(|part| (x(part), *part)).collect();
                    members.sort_by(|a, b| a.0.total_cmp(&b.0));
                    members
                });
                let (center, size) = (DVec3::from_array(part.center), DVec3::from_array(part.size));
                let widest = reach(center, size, f64::INFINITY).x;
                let first = members.partition_point(|&(x, _)| x < center.x - widest);
                let within = members[first..].iter().take_while(|&&(x, _)| x <= center.x + widest);
                for &(_, at) in within {
                    let away = identities.place(assembly, at as usize).0 - center;
                    let thinnest = identities.thinnest(assembly, at as usize);
                    if away.abs().cmple(reach(center, size, thinnest)).all() {
                        near.push((away.length(), index, at as usize));
                    }
                }
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut taken_by: HashMap<usize, usize> = HashMap::new();
        for &(_, index, at) in &near {
            if self.now[index].is_none() && !taken_by.contains_key(&at) {
                self.now[index] = Some(at);
                taken_by.insert(at, index);
            }
        }
        // Two entries of different runs about the same place are about the same part.
        for (_, index, at) in near {
            let is_same_place = |other: &usize| {
                let [a, b] = [index, *other].map(|it| DVec3::from_array(earlier[it].center));
                a.distance(b) <= rounding(a, DVec3::from_array(earlier[index].size))
            };
            if self.now[index].is_none() && taken_by.get(&at).is_some_and(is_same_place) {
                self.now[index] = Some(at);
            }
        }
    }

    /// Parts whose path no other part has; they may have moved.
    fn by_unique_path(
        &mut self,
        assembly: &Assembly,
        identities: &Identities,
        earlier: &[&PartIdentity],
    ) {
        let paths = identities.parts_by_path();
        for (index, part) in earlier.iter().enumerate() {
            if self.now[index].is_some() || part.copies != 1 {
                continue;
            }
            let Some(&[at]) = paths.get(&*part.path).copied() else { continue };
            let at = at as usize;
            let differs = match (&part.id, &assembly.parts[at].id) {
                (Some(before), Some(now)) => before != now,
                _ => false,
            };
            if !differs {
                self.now[index] = Some(at);
            }
        }
    }
}

/// Returns how far along each axis a centre may be from its earlier place: less than half the size along the same
/// axis, and less than the part is thick. Two equal parts that do not overlap are farther apart than that, whether
/// they lie side by side, in a stack, or at an angle to the axes.
fn reach(center: DVec3, size: DVec3, thinnest: f64) -> DVec3 {
    (size * 0.45).min(DVec3::splat(0.9 * thinnest)) + rounding(center, size)
}

/// Returns how far a centre may be from its earlier place because of rounding and another triangulation.
fn rounding(center: DVec3, size: DVec3) -> f64 {
    // Never so much that a neighbour would be in the same place, also at map coordinates.
    let most = (0.25 * size.min_element()).max(size.length() / 1e4);
    (size.length() / 1e4 + 1e-7 * center.abs().max_element()).min(most)
}

/// Returns whether a name looks like one with an appended number.
fn is_numbered(name: &str) -> bool {
    super::without_number(name, |_| true) != name
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Pose, generate};
    use impinge_io::assembly::AssemblyPart;

    /// Cubes of side 1 at the given places along x. Names are made unique as readers do it.
    fn cubes(parts: &[(&str, f64)]) -> Assembly {
        let mut assembly = Assembly::default();
        assembly.meshes = vec![generate::cuboid(DVec3::ONE).unwrap().into()];
        for &(name, x) in parts {
            let count = parts[..assembly.parts.len()].iter().filter(|part| part.0 == name).count();
            let name = if count == 0 { name.into() } else { format!("{name}#{}", count + 1) };
            let pose = Pose::from_translation(DVec3::X * x).unwrap();
            assembly.parts.push(AssemblyPart::new(name, 0, pose));
        }
        assembly
    }

    /// For each part of `before`, the part of `after` that it is.
    fn found(before: &Assembly, after: &Assembly) -> Vec<Option<usize>> {
        let identities = Identities::new(before);
        let all: Vec<PartIdentity> =
            (0..before.parts.len()).map(|part| identities.of(before, part)).collect();
        let all: Vec<&PartIdentity> = all.iter().collect();
        Matching::of(after, &Identities::new(after), &all).now
    }

    #[test]
    fn equal_parts_are_recognised_by_their_places() {
        let before = cubes(&[("plate", 0.0), ("bolt", 2.0), ("bolt", 4.0), ("bolt", 6.0)]);
        let fewer = cubes(&[("plate", 0.0), ("bolt", 4.0), ("bolt", 6.0)]);
        assert_eq!(found(&before, &fewer), [Some(0), None, Some(1), Some(2)], "one deleted");
        let mixed = cubes(&[("bolt", 6.0), ("bolt", 2.0), ("plate", 0.0), ("bolt", 4.0)]);
        assert_eq!(found(&before, &mixed), [Some(2), Some(1), Some(3), Some(0)], "reordered");
        let moved = cubes(&[("plate", 0.0), ("bolt", 2.5), ("bolt", 4.3), ("bolt", 6.0)]);
        assert_eq!(found(&before, &moved), [Some(0), None, Some(2), Some(3)], "two moved, one far");
        let last = cubes(&[("plate", 0.0), ("bolt", 9.0)]);
        assert_eq!(found(&before, &last), [Some(0), None, None, None], "only a moved one is left");
    }

    #[test]
    fn parts_with_a_path_of_their_own_may_move() {
        let before = cubes(&[("plate", 0.0), ("bolt", 2.0)]);
        assert_eq!(found(&before, &cubes(&[("bolt", 7.0), ("plate", 3.0)])), [Some(1), Some(0)]);
        // A second bolt makes it unclear which one moved.
        let two = cubes(&[("plate", 0.0), ("bolt", 7.0), ("bolt", 8.0)]);
        assert_eq!(found(&before, &two), [Some(0), None]);
        let two = cubes(&[("plate", 0.0), ("bolt", 7.0), ("bolt", 2.0)]);
        assert_eq!(found(&before, &two), [Some(0), Some(2)]);
    }

    #[test]
    fn ids_survive_moves_and_new_names() {
        let mut before = cubes(&[("bolt", 0.0), ("bolt", 2.0)]);
        let mut after = cubes(&[("screw", 8.0), ("bolt", 0.0)]);
        before.parts[1].id = Some("x".into());
        after.parts[0].id = Some("x".into());
        assert_eq!(found(&before, &after), [Some(1), Some(0)]);
        // Different ids: the same place is still the same part, a different place is not.
        let mut after = cubes(&[("bolt", 2.0), ("bolt", 5.0)]);
        after.parts[0].id = Some("y".into());
        assert_eq!(found(&before, &after), [None, Some(0)]);
        let mut one = cubes(&[("lid", 0.0)]);
        one.parts[0].id = Some("x".into());
        let mut other = cubes(&[("lid", 9.0)]);
        other.parts[0].id = Some("y".into());
        assert_eq!(found(&one, &other), [None]);
        other.parts[0].id = None;
        assert_eq!(found(&one, &other), [Some(0)]);
    }

    #[test]
    fn shared_ids_are_told_apart_by_place() {
        let mut before = cubes(&[("a", 0.0), ("b", 2.0)]);
        let mut after = cubes(&[("c", 2.0), ("d", 0.0)]);
        for part in before.parts.iter_mut().chain(&mut after.parts) {
            part.id = Some("same".into());
        }
        assert_eq!(found(&before, &after), [Some(1), Some(0)]);
    }

    /// A stack of equal sheets: a sheet next to a deleted one is not taken for it.
    #[test]
    fn sheets_of_a_stack_are_not_confused() {
        let stack = |layers: &[f64]| {
            let mut assembly = cubes(&vec![("layer", 0.0); layers.len()]);
            let size = DVec3::new(1000.0, 1000.0, 1.0);
            assembly.meshes = vec![generate::cuboid(size).unwrap().into()];
            for (part, z) in assembly.parts.iter_mut().zip(layers) {
                part.placement = Pose::from_translation(DVec3::Z * *z).unwrap();
            }
            assembly
        };
        assert_eq!(found(&stack(&[0.0, 1.0, 2.0]), &stack(&[0.0, 2.0])), [Some(0), None, Some(1)]);
    }

    /// A review file has entries of several runs, in which the same part has different names, or different parts
    /// have the same name.
    #[test]
    fn entries_of_several_runs_are_about_the_same_parts() {
        let first = cubes(&[("plate", 0.0), ("bolt", 2.0), ("bolt", 4.0)]);
        let second = cubes(&[("plate", 0.5), ("bolt", 4.0), ("bolt", 6.0)]);
        let now = cubes(&[("plate", 1.0), ("bolt", 2.0), ("bolt", 4.0)]);
        let of = |assembly: &Assembly, part| Identities::new(assembly).of(assembly, part);
        let pairs = [
            [of(&first, 0), of(&first, 1)],
            [of(&first, 0), of(&first, 2)],
            [of(&second, 0), of(&second, 1)],
            [of(&second, 0), of(&second, 2)],
        ];
        let found = EarlierPairs::find(&now, &Identities::new(&now), pairs.iter());
        let parts: Vec<_> = (0..4).map(|index| found.parts(index)).collect();
        let expected = [Some(1), Some(2), Some(2), None].map(|bolt| [Some(0), bolt]);
        assert_eq!(parts, expected);
        assert!(found.is_replaced(1) && !found.is_replaced(2), "the later entry counts");
    }

    /// Runs of older versions have only names.
    #[test]
    fn names_alone_count_if_they_are_clear() {
        let after = cubes(&[("plate", 0.0), ("bolt", 2.0), ("bolt", 4.0), ("pin", 6.0)]);
        let pairs = [
            ["plate", "bolt"],
            ["plate", "bolt#2"],
            ["plate", "pin"],
            ["plate", "gone"],
            ["plate", "pin#2"],
        ];
        let pairs = pairs.map(|pair| pair.map(PartIdentity::named));
        let found = EarlierPairs::find(&after, &Identities::new(&after), pairs[..4].iter());
        let parts: Vec<_> = (0..4).map(|index| found.parts(index)[1]).collect();
        assert_eq!(parts, [None, None, Some(3), None]);
        let unclear: Vec<_> = (0..4).map(|index| found.is_unclear(index)).collect();
        assert_eq!(unclear, [true, true, false, false]);
        assert_eq!(found.index(3, 0), Some(2));
        // The earlier run had two pins: which one is left?
        let found = EarlierPairs::find(&after, &Identities::new(&after), pairs.iter());
        assert_eq!(
            (found.parts(2)[1], found.is_unclear(2), found.is_unclear(4)),
            (None, true, true)
        );
    }
}
