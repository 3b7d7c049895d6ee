//! Clusters of clashes: those that have a part in common, and those that are near each other. One manhole that
//! clashes with eight road layers is one cluster.

use impinge::{Bounds, clash::Clash, glam::DVec3};
use impinge_io::assembly::Assembly;
use serde::Serialize;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// The clusters of a list, in two ways: every clash is in one cluster of each. Clusters are in the order of their
/// first clash in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Clusters {
    /// Clashes that have a part in common.
    pub part: Vec<Cluster>,
    /// Clashes that are near each other.
    pub place: Vec<Cluster>,
}

/// A cluster of clashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cluster {
    /// The name of the part that all clashes have in common; `None` if there is none, or if there is only one clash.
    pub name: Option<String>,
    /// The number of clashes.
    pub count: usize,
}

/// The numbers of the clusters that a clash is in, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClusterNumbers {
    /// The index in [`Clusters::part`].
    pub part: u32,
    /// The index in [`Clusters::place`].
    pub place: u32,
}

impl Clusters {
    /// Clusters the clashes of a list. Also returns the numbers of the clusters that each clash is in.
    pub(crate) fn of(assembly: &Assembly, clashes: &[&Clash]) -> (Self, Vec<ClusterNumbers>) {
        let (part, parts) = clusters(assembly, clashes, &by_part(clashes));
        let (place, places) = clusters(assembly, clashes, &by_place(assembly, clashes));
        let numbers = parts.into_iter().zip(places);
        let numbers = numbers.map(|(part, place)| ClusterNumbers { part, place }).collect();
        (Self { part, place }, numbers)
    }
}

/// Numbers the clusters in the order of their first rows. `labels` has equal labels for rows of one cluster.
fn clusters(assembly: &Assembly, rows: &[&Clash], labels: &[usize]) -> (Vec<Cluster>, Vec<u32>) {
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut number_of = Vec::with_capacity(rows.len());
    for (row, label) in labels.iter().enumerate() {
        let number = *numbers.entry(*label).or_insert_with(|| {
            members.push(Vec::new());
            (members.len() - 1) as u32
        });
        members[number as usize].push(row);
        number_of.push(number);
    }
    let all = members.iter().map(|members| {
        let pairs = || members.iter().map(|&row| [rows[row].a, rows[row].b]);
        let candidates = pairs().next().unwrap_or_default();
        let common = candidates.into_iter().find(|part| pairs().all(|pair| pair.contains(part)));
        let name = common.filter(|_| members.len() > 1);
        Cluster { name: name.map(|part| assembly.parts[part].name.clone()), count: members.len() }
    });
    (all.collect(), number_of)
}

/// Labels each row by a part. The part with the most rows claims them first, then the part with the most of the
/// remaining rows, and so on. Of two parts with equally many rows, the one that comes first in the list claims
/// them.
fn by_part(rows: &[&Clash]) -> Vec<usize> {
    let mut rows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        rows_of.entry(row.a).or_default().push(number);
        rows_of.entry(row.b).or_default().push(number);
    }
    let mut labels: Vec<Option<usize>> = vec![None; rows.len()];
    let left = |labels: &[Option<usize>], rows: &[usize]| -> Vec<usize> {
        rows.iter().copied().filter(|&row| labels[row].is_none()).collect()
    };
    // The counts may be too large, because rows were claimed since. Such a part goes back into the queue.
    let first = |rows: &[usize]| std::cmp::Reverse(rows.first().copied());
    let mut queue: BinaryHeap<_> = rows_of
        .iter()
        .map(|(&part, rows)| (rows.len(), first(rows), std::cmp::Reverse(part)))
        .collect();
    while let Some((count, _, std::cmp::Reverse(part))) = queue.pop() {
        let free = left(&labels, &rows_of[&part]);
        if free.len() == count {
            free.into_iter().for_each(|row| labels[row] = Some(part));
        } else if !free.is_empty() {
            queue.push((free.len(), first(&free), std::cmp::Reverse(part)));
        }
    }
    labels.into_iter().map(Option::unwrap_or_default).collect()
}

/// Clashes that are nearer to each other than this fraction of the assembly's diagonal are in one place.
const NEAR: f64 = 0.01;

/// Labels each row by the row that leads its cluster. In the order of the list, each row that is not in a cluster
/// yet leads a new one, and takes all free rows near its extent. So no chain of clashes runs through the assembly.
fn by_place(assembly: &Assembly, rows: &[&Clash]) -> Vec<usize> {
    // The extent is empty in a quick check. Then no row is near another.
    let extents: Vec<Bounds> = rows.iter().map(|row| row.extent).collect();
    let near = NEAR * size(assembly, rows, &extents);
    let tree = BoxTree::new(&extents);
    let mut labels: Vec<Option<usize>> = vec![None; rows.len()];
    for leader in 0..rows.len() {
        if labels[leader].is_none() {
            labels[leader] = Some(leader);
            tree.visit(&extents[leader].grown(near), &mut |row| {
                labels[row].get_or_insert(leader);
            });
        }
    }
    labels.into_iter().map(Option::unwrap_or_default).collect()
}

/// Returns the diagonal of the box around the parts that clash.
fn size(assembly: &Assembly, rows: &[&Clash], extents: &[Bounds]) -> f64 {
    let mut all = Bounds::EMPTY;
    extents.iter().for_each(|extent| all.merge(extent));
    let mut meshes: HashMap<usize, Bounds> = HashMap::new();
    for part in rows.iter().flat_map(|row| [row.a, row.b]) {
        let part = &assembly.parts[part];
        let bounds = *meshes.entry(part.mesh).or_insert_with(|| {
            assembly.meshes.get(part.mesh).map_or(Bounds::EMPTY, |mesh| mesh.bounds())
        });
        if !bounds.is_empty() {
            // A ball around the mesh, whatever its rotation.
            let reach = DVec3::splat(bounds.size().length() / 2.0);
            let center = part.placement.place(bounds.center());
            all.merge(&Bounds { min: center - reach, max: center + reach });
        }
    }
    if all.is_empty() { 0.0 } else { all.size().length() }
}

/// A tree over boxes, to find those that overlap a box. It is stored as a sorted list: the node of a range is the
/// box around it, and its children are the two halves of the range.
struct BoxTree {
    /// The indices of the boxes, so that each half of a range is on one side.
    order: Vec<usize>,
    boxes: Vec<Bounds>,
    /// The boxes of the nodes, in depth-first order.
    nodes: Vec<Bounds>,
}

impl BoxTree {
    fn new(boxes: &[Bounds]) -> Self {
        let order = (0..boxes.len()).collect();
        let mut tree = Self { order, boxes: boxes.to_vec(), nodes: Vec::new() };
        if !boxes.is_empty() {
            tree.build(0, boxes.len());
        }
        tree
    }

    fn build(&mut self, from: usize, to: usize) {
        let mut all = Bounds::EMPTY;
        self.order[from..to].iter().for_each(|&index| all.merge(&self.boxes[index]));
        self.nodes.push(all);
        if to - from == 1 {
            return;
        }
        let size = all.size();
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        let boxes = &self.boxes;
        let center = |&index: &usize| boxes[index].center()[axis];
        self.order[from..to].sort_by(|a, b| center(a).total_cmp(&center(b)).then(a.cmp(b)));
        let middle = usize::midpoint(from, to);
        // Halving bounds the depth of the recursion by the number of bits of the length.
        self.build(from, middle);
        self.build(middle, to);
    }

    /// Calls `found` with the index of every box that overlaps `query`.
    fn visit(&self, query: &Bounds, found: &mut impl FnMut(usize)) {
        let mut stack = vec![(0, 0, self.order.len())];
        while let Some((node, from, to)) = stack.pop() {
            if from == to || !self.nodes[node].overlaps(query) {
                continue;
            }
            if to - from == 1 {
                found(self.order[from]);
                continue;
            }
            // A tree of n leaves has 2n - 1 nodes.
            let middle = usize::midpoint(from, to);
            stack.push((node + 2 * (middle - from), middle, to));
            stack.push((node + 1, from, middle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{
        Pose,
        clash::Verdict,
        generate::{self, Random},
    };
    use impinge_io::assembly::AssemblyPart;

    fn assembly(names: &[&str]) -> Assembly {
        let mut assembly = Assembly::default();
        assembly.meshes = vec![generate::cuboid(DVec3::ONE).unwrap().into()];
        let part = |name: &&str| AssemblyPart::new(*name, 0, Pose::IDENTITY);
        assembly.parts = names.iter().map(part).collect();
        assembly
    }

    fn clash(a: usize, b: usize, at: DVec3) -> Clash {
        let mut clash = Clash::new(a, b, Verdict::Penetrating);
        clash.points = [at; 2];
        clash.extent = Bounds { min: at - 0.001, max: at + 0.001 };
        clash
    }

    #[test]
    fn one_manhole_against_many_layers_is_one_cluster() {
        let assembly = assembly(&["manhole", "layer 1", "layer 2", "layer 3", "pipe", "kerb"]);
        let at = |x: f64| DVec3::X * x;
        let rows = [
            clash(4, 5, at(0.9)),
            clash(0, 1, at(0.0)),
            clash(0, 2, at(0.0)),
            clash(1, 5, at(0.5)),
            clash(0, 3, at(0.0)),
        ];
        let (clusters, numbers) = Clusters::of(&assembly, &rows.iter().collect::<Vec<_>>());
        let numbers: Vec<u32> = numbers.iter().map(|numbers| numbers.part).collect();
        assert_eq!(numbers, [0, 1, 1, 0, 1]);
        let cluster = |name: &str, count| Cluster { name: Some(name.into()), count };
        assert_eq!(clusters.part, [cluster("kerb", 2), cluster("manhole", 3)]);
    }

    #[test]
    fn a_clash_alone_is_a_cluster_without_a_name() {
        let assembly = assembly(&["a", "b", "c", "d"]);
        let rows = [clash(0, 1, DVec3::ZERO), clash(2, 3, DVec3::X)];
        let (clusters, _) = Clusters::of(&assembly, &rows.iter().collect::<Vec<_>>());
        let alone = Cluster { name: None, count: 1 };
        assert_eq!(clusters.part, [alone.clone(), alone.clone()]);
        assert_eq!(clusters.place, [alone.clone(), alone]);
        assert_eq!(Clusters::of(&assembly, &[]).0, Clusters::default());
    }

    /// The clashing parts have a diagonal of about 3, so clashes within 0.03 are near each other.
    #[test]
    fn clashes_near_each_other_are_one_place() {
        let assembly = assembly(&["a", "b", "c", "d", "e"]);
        let xs = [0.0, 0.3, 0.02, 0.04, 0.31];
        let rows: Vec<Clash> =
            xs.iter().zip(0..).map(|(&x, a)| clash(a % 4, a % 4 + 1, DVec3::X * x)).collect();
        let (clusters, numbers) = Clusters::of(&assembly, &rows.iter().collect::<Vec<_>>());
        let numbers: Vec<u32> = numbers.iter().map(|numbers| numbers.place).collect();
        // 0.04 is near 0.02, but not near 0, which leads the cluster.
        assert_eq!(numbers, [0, 1, 0, 2, 1], "{clusters:?}");
        assert_eq!(clusters.place[1], Cluster { name: Some("b".into()), count: 2 });
    }

    #[test]
    fn the_tree_finds_the_same_boxes_as_a_loop() {
        let mut random = Random::new(3);
        let mut found_any = 0;
        for count in [1, 2, 3, 10, 100] {
            let mut some = || DVec3::from_array([(); 3].map(|()| random.unit()));
            let boxes: Vec<Bounds> =
                (0..count).map(|_| Bounds::enclosing([some()]).grown(0.05)).collect();
            let tree = BoxTree::new(&boxes);
            for query in &boxes {
                let query = query.grown(0.1);
                let mut found = Vec::new();
                tree.visit(&query, &mut |index| found.push(index));
                found.sort_unstable();
                let expected: Vec<usize> =
                    (0..count).filter(|&index| boxes[index].overlaps(&query)).collect();
                assert_eq!(found, expected);
                found_any += found.len();
            }
        }
        assert!(found_any > 200, "{found_any}");
    }
}
