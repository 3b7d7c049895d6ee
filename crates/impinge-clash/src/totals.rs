//! Sums by pairs of sub-assemblies.

use crate::{filter::Filter, findings::Row};
use impinge::clash::Verdict;
use impinge_io::assembly::Assembly;
use serde::{Serialize, Serializer};
use std::{cmp::Reverse, collections::BTreeMap};

/// Two sub-assemblies, and how many of their parts clash. What is in none is `None`.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Total {
    /// A sub-assembly: its name after those that it is in.
    pub a: Option<String>,
    /// The other; the same for clashes within one.
    pub b: Option<String>,
    #[serde(rename = "summary", serialize_with = "summary")]
    /// How many clashes there are of each verdict, in the order of [`Verdict::ALL`].
    pub counts: [usize; Verdict::ALL.len()],
}

impl Total {
    /// How many clashes of each verdict there are between any two sub-assemblies, those with the
    /// worst first.
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
        // Stable: what is equally bad stays in the order of the assembly.
        totals.sort_by_key(|total| Reverse(total.counts));
        totals
    }
}

/// The name of a sub-assembly after those that it is in.
fn path(assembly: &Assembly, group: u32) -> String {
    let above = |&group: &u32| assembly.groups[group as usize].parent;
    let mut names: Vec<&str> = std::iter::successors(Some(group), above)
        .map(|group| &*assembly.groups[group as usize].name)
        .collect();
    names.reverse();
    names.join("/")
}

/// How many there are of each verdict, all of them named.
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
