//! Counts of clashes by pairs of sub-assemblies.

use crate::{filter::Filter, findings::Row};
use impinge::clash::Verdict;
use impinge_io::assembly::Assembly;
use serde::{Serialize, Serializer};
use std::{cmp::Reverse, collections::BTreeMap};

/// The number of clashes between two sub-assemblies. `None` stands for parts outside of all sub-assemblies.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Total {
    /// The path of the first sub-assembly.
    pub a: Option<String>,
    /// The path of the second; the same as `a` for clashes within one sub-assembly.
    pub b: Option<String>,
    #[serde(rename = "summary", serialize_with = "summary")]
    /// The number of clashes of each verdict, in the order of [`Verdict::ALL`].
    pub counts: [usize; Verdict::ALL.len()],
}

impl Total {
    /// Counts the clashes between every two sub-assemblies; pairs with the worst clashes come first.
    pub(crate) fn all(assembly: &Assembly, filter: &Filter<'_>, rows: &[Row]) -> Vec<Self> {
        let mut sums: BTreeMap<[Option<u32>; 2], [usize; Verdict::ALL.len()]> = BTreeMap::new();
        for row in rows {
            let [a, b] = [row.clash.a, row.clash.b].map(|part| filter.group(part));
            sums.entry([a.min(b), a.max(b)]).or_default()[row.clash.verdict as usize] += 1;
        }
        let name = |group: Option<u32>| group.map(|group| path(assembly, group));
        let mut totals: Vec<Self> = sums
            .into_iter()
            .map(|([a, b], counts)| Self { a: name(a), b: name(b), counts })
            .collect();
        // Stable: equally bad pairs keep the order of the assembly.
        totals.sort_by_key(|total| Reverse(total.counts));
        totals
    }
}

/// Returns the path of a sub-assembly.
fn path(assembly: &Assembly, group: u32) -> String {
    let above = |&group: &u32| assembly.groups[group as usize].parent;
    let mut names: Vec<&str> = std::iter::successors(Some(group), above)
        .map(|group| &*assembly.groups[group as usize].name)
        .collect();
    names.reverse();
    names.join("/")
}

/// Serializes the counts by the names of the verdicts.
pub(crate) struct Summary<'o>(pub(crate) &'o [usize; Verdict::ALL.len()]);

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            Verdict::ALL.into_iter().map(|verdict| (verdict.name(), self.0[verdict as usize])),
        )
    }
}

fn summary<S: Serializer>(
    counts: &[usize; Verdict::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Summary(counts).serialize(serializer)
}
