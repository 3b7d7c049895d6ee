//! Decides which pairs of parts to check and which clashes to list. Each rule is one bit of a set per part,
//! so every name is compared only once with every pattern. `check.rs` asks before the search, `outcome.rs`
//! after it.

use crate::{
    error::Error,
    pattern::{Names, Pattern},
    rules::Rule,
    verdicts::Verdicts,
};
use impinge::clash::Verdict;
use impinge_io::assembly::Assembly;

/// Which pairs of parts are checked, and which verdicts are listed. The default is all of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pairs {
    /// Rules for pairs that are not checked, or for clashes that are not listed.
    pub ignore: Vec<Rule>,
    /// Pairs that are not checked, as indices into [`Assembly::parts`], in either order.
    pub excluded: Vec<[u32; 2]>,
    /// Check only pairs of one part from each of two groups: sub-assemblies, files or parts. With several
    /// entries, a pair must match one of them; with none, all pairs are checked.
    pub between: Vec<[Pattern; 2]>,
    /// How to treat two parts of the same sub-assembly; `None` treats them like all other pairs.
    pub same_group: Option<SameGroup>,
    /// The level of the sub-assemblies that count as groups; 1 is the top level. `None` for the innermost
    /// ones.
    pub group_level: Option<u32>,
    /// Whether to check links of a robot that a joint connects; they touch by design.
    pub adjacent: bool,
    /// The verdicts that are listed.
    pub only: Verdicts,
}

impl Default for Pairs {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            excluded: Vec::new(),
            between: Vec::new(),
            same_group: None,
            group_level: None,
            adjacent: false,
            only: Verdicts::ALL,
        }
    }
}

/// How to treat two parts of the same sub-assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameGroup {
    /// Check only pairs of different sub-assemblies.
    Skip,
    /// Check only pairs of the same sub-assembly.
    Only,
}

/// Why a pair is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// The parts are links of a robot that a joint connects, or that an SRDF file excludes.
    Adjacent,
    /// Because of the sub-assemblies that the parts are in.
    SameGroup,
    /// The pair is not between the requested groups.
    Between,
    /// A rule.
    Rule,
}

/// Why a clash is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hiding {
    /// Its verdict is not among the requested ones.
    Only,
    /// A rule for its verdict.
    Rule,
}

/// Decides about pairs of one assembly.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    assembly: &'a Assembly,
    skips_adjacent: bool,
    /// Sorted, with the smaller index first.
    excluded: Vec<[u32; 2]>,
    same_group: Option<SameGroup>,
    /// The sub-assembly of each part.
    groups: Vec<Option<u32>>,
    between: Option<PairSets>,
    ignore: PairSets,
    /// The rules that apply to every verdict, as bits.
    always: Vec<u64>,
    /// The rules that apply to each verdict, as bits.
    of_verdict: [Vec<u64>; Verdict::ALL.len()],
    only: Verdicts,
}

impl<'a> Filter<'a> {
    /// Returns the filter, and the rules that match no part.
    pub(super) fn new<'w>(
        assembly: &'a Assembly,
        wanted: &'w Pairs,
    ) -> Result<(Self, Vec<&'w Rule>), Error> {
        let names = Names::new(assembly);
        let count = assembly.parts.len();
        let mut between = PairSets::new(count, wanted.between.len());
        for (number, patterns) in wanted.between.iter().enumerate() {
            for (side, pattern) in patterns.iter().enumerate() {
                let parts = names.group(pattern);
                if parts.is_empty() {
                    return Err(Error::NoSuchGroup(pattern.clone()));
                }
                parts.into_iter().for_each(|part| between.set(side, number, part));
            }
        }
        let mut ignore = PairSets::new(count, wanted.ignore.len());
        let mut unmatched: Vec<&Rule> = Vec::new();
        let everything = Pattern::new("*");
        for (number, rule) in wanted.ignore.iter().enumerate() {
            for (side, pattern) in
                [&rule.a, rule.b.as_ref().unwrap_or(&everything)].into_iter().enumerate()
            {
                let parts = names.parts(pattern);
                if parts.is_empty()
                    && unmatched.last().is_none_or(|&last| !std::ptr::eq(last, rule))
                {
                    unmatched.push(rule);
                }
                parts.into_iter().for_each(|part| ignore.set(side, number, part));
            }
        }
        let rules_with = |fits: &dyn Fn(Verdicts) -> bool| {
            let mut bits = vec![0; ignore.words];
            let matching = wanted.ignore.iter().enumerate().filter(|(_, rule)| fits(rule.verdicts));
            matching.for_each(|(number, _)| bits[number / 64] |= 1 << (number % 64));
            bits
        };
        let always = rules_with(&|verdicts| verdicts == Verdicts::ALL);
        let of_verdict = Verdict::ALL.map(|verdict| rules_with(&|verdicts| verdicts.has(verdict)));
        let mut excluded: Vec<[u32; 2]> =
            wanted.excluded.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        excluded.sort_unstable();
        let filter = Self {
            assembly,
            excluded,
            skips_adjacent: !wanted.adjacent && !assembly.links.is_empty(),
            same_group: wanted.same_group,
            groups: groups(assembly, wanted.group_level),
            between: (!wanted.between.is_empty()).then_some(between),
            ignore,
            always,
            of_verdict,
            only: wanted.only,
        };
        Ok((filter, unmatched))
    }

    /// Returns why a pair is not checked; `None` if it is.
    pub(super) fn excludes(&self, a: usize, b: usize) -> Option<Exclusion> {
        if self.assembly.are_left_out(a, b, self.skips_adjacent) {
            return Some(Exclusion::Adjacent);
        }
        let pair = [a.min(b) as u32, a.max(b) as u32];
        if !self.excluded.is_empty() && self.excluded.binary_search(&pair).is_ok() {
            return Some(Exclusion::Rule);
        }
        if let Some(wanted) = self.same_group {
            let is_same = self.groups[a].is_some() && self.groups[a] == self.groups[b];
            if is_same != (wanted == SameGroup::Only) {
                return Some(Exclusion::SameGroup);
            }
        }
        if self.between.as_ref().is_some_and(|between| !between.any(a, b, None)) {
            return Some(Exclusion::Between);
        }
        self.ignore.any(a, b, Some(&self.always)).then_some(Exclusion::Rule)
    }

    /// Returns why a clash of two parts is not listed; `None` if it is.
    pub(super) fn hides(&self, a: usize, b: usize, verdict: Verdict) -> Option<Hiding> {
        if !self.only.has(verdict) {
            return Some(Hiding::Only);
        }
        let rules = &self.of_verdict[verdict as usize];
        self.ignore.any(a, b, Some(rules)).then_some(Hiding::Rule)
    }

    /// Returns whether clashes with a verdict are listed at all.
    pub(super) fn lists(&self, verdict: Verdict) -> bool {
        self.only.has(verdict)
    }

    /// Returns the sub-assembly that a part belongs to, at the requested level.
    pub(super) fn group(&self, part: usize) -> Option<u32> {
        self.groups[part]
    }
}

/// Returns the sub-assembly of each part: the innermost one, or the one at `level`, counted from 1 at the
/// top.
fn groups(assembly: &Assembly, level: Option<u32>) -> Vec<Option<u32>> {
    let Some(level) = level else {
        return assembly.parts.iter().map(|part| part.group).collect();
    };
    // Parents precede children. For each group: its depth, and its ancestor at `level` (itself if it is not
    // as deep).
    let mut found: Vec<(u32, u32)> = Vec::with_capacity(assembly.groups.len());
    for (number, group) in (0..).zip(&assembly.groups) {
        let above = group.parent.map(|parent| found[parent as usize]);
        let depth = above.map_or(1, |(depth, _)| depth + 1);
        let at_level = above.filter(|_| depth > level).map_or(number, |(_, at_level)| at_level);
        found.push((depth, at_level));
    }
    let of_part = |group: Option<u32>| group.map(|group| found[group as usize].1);
    assembly.parts.iter().map(|part| of_part(part.group)).collect()
}

/// For each part, the rules that it matches on their first and on their second side.
#[derive(Debug)]
struct PairSets {
    words: usize,
    sides: [Vec<u64>; 2],
}

impl PairSets {
    fn new(parts: usize, rules: usize) -> Self {
        let words = rules.div_ceil(64);
        Self { words, sides: [vec![0; parts * words], vec![0; parts * words]] }
    }

    fn set(&mut self, side: usize, rule: usize, part: u32) {
        self.sides[side][part as usize * self.words + rule / 64] |= 1 << (rule % 64);
    }

    /// Returns whether one of `rules` (or any rule, for `None`) matches two parts in either order.
    fn any(&self, a: usize, b: usize, rules: Option<&[u64]>) -> bool {
        let [first, second] = &self.sides;
        let (a, b) = (a * self.words, b * self.words);
        (0..self.words).any(|word| {
            let matching = first[a + word] & second[b + word] | first[b + word] & second[a + word];
            matching & rules.map_or(u64::MAX, |rules| rules[word]) != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Pose;
    use impinge_io::assembly::{AssemblyPart, Group};

    /// `car` has `engine` (block, piston) and `body` (door, roof); the road is at the top.
    fn assembly() -> Assembly {
        let mut assembly = Assembly::default();
        assembly.groups = vec![
            Group::new("car", None),
            Group::new("engine", Some(0)),
            Group::new("body", Some(0)),
        ];
        let parts = [
            ("block", Some(1)),
            ("piston", Some(1)),
            ("door", Some(2)),
            ("roof", Some(2)),
            ("road", None),
        ];
        for (name, group) in parts {
            let mut part = AssemblyPart::new(name, 0, Pose::IDENTITY);
            part.group = group;
            assembly.parts.push(part);
        }
        assembly
    }

    /// The pairs that the filter includes, by first letters; `f` is the roof.
    fn included(assembly: &Assembly, wanted: &Pairs) -> String {
        let (filter, _) = Filter::new(assembly, wanted).unwrap_or_else(|_| panic!("{wanted:?}"));
        let letters = ["b", "p", "d", "f", "r"];
        let mut pairs = Vec::new();
        for a in 0..5 {
            for b in a + 1..5 {
                assert_eq!(filter.excludes(a, b), filter.excludes(b, a));
                if filter.excludes(a, b).is_none() {
                    pairs.push(format!("{}{}", letters[a], letters[b]));
                }
            }
        }
        pairs.join(" ")
    }

    fn rules(texts: &[&str]) -> Vec<Rule> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn rules_exclude_pairs() {
        let assembly = assembly();
        let with = |texts: &[&str]| {
            included(&assembly, &Pairs { ignore: rules(texts), ..Pairs::default() })
        };
        assert_eq!(with(&[]), "bp bd bf br pd pf pr df dr fr");
        assert_eq!(with(&["road"]), "bp bd bf pd pf df");
        assert_eq!(with(&["road :: block"]), "bp bd bf pd pf pr df dr fr");
        assert_eq!(with(&["block :: road"]), "bp bd bf pd pf pr df dr fr");
        assert_eq!(with(&["car/engine/* :: car/body/*"]), "bp br pr df dr fr");
        assert_eq!(with(&["car/* :: car/*", "d*"]), "br pr fr");
        // Applies only once the verdict is known.
        assert_eq!(with(&["touching: road"]), "bp bd bf br pd pf pr df dr fr");
    }

    #[test]
    fn more_rules_than_fit_in_a_word() {
        let assembly = assembly();
        let mut texts = vec!["nothing"; 130];
        texts.push("road :: roof");
        let rules = rules(&texts);
        let wanted = Pairs { ignore: rules, ..Pairs::default() };
        assert_eq!(included(&assembly, &wanted), "bp bd bf br pd pf pr df dr");
        let (_, unmatched) = Filter::new(&assembly, &wanted).unwrap_or_else(|_| panic!());
        assert_eq!(unmatched.len(), 130);
    }

    #[test]
    fn rules_for_verdicts_hide_clashes() {
        let assembly = assembly();
        let rules = rules(&["touching: road", "clearance,inside: door :: roof"]);
        let only: Verdicts = "touching,clearance,penetrating".parse().unwrap();
        let wanted = Pairs { ignore: rules, only, ..Pairs::default() };
        let (filter, _) = Filter::new(&assembly, &wanted).unwrap_or_else(|_| panic!());
        assert!(filter.hides(0, 4, Verdict::Touching).is_some());
        assert_eq!(filter.hides(0, 4, Verdict::Clearance), None);
        assert!(filter.hides(2, 3, Verdict::Clearance).is_some());
        assert_eq!(filter.hides(2, 3, Verdict::Touching), None);
        assert_eq!(filter.hides(2, 3, Verdict::Penetrating), None);
        assert!(filter.hides(0, 1, Verdict::Duplicate).is_some());
    }

    #[test]
    fn between_two_groups_only() {
        let assembly = assembly();
        let with = |groups: &[[&str; 2]]| {
            let between: Vec<_> = groups.iter().map(|pair| pair.map(Pattern::new)).collect();
            included(&assembly, &Pairs { between, ..Pairs::default() })
        };
        assert_eq!(with(&[["engine", "body"]]), "bd bf pd pf");
        assert_eq!(with(&[["body", "engine"]]), "bd bf pd pf");
        assert_eq!(with(&[["engine", "engine"]]), "bp");
        assert_eq!(with(&[["road", "car"]]), "br pr dr fr");
        assert_eq!(with(&[["road", "door"], ["engine", "roof"]]), "bf pf dr");
        let between = vec![["road", "sky"].map(Pattern::new)];
        let wanted = Pairs { between, ..Pairs::default() };
        assert!(
            matches!(Filter::new(&assembly, &wanted), Err(Error::NoSuchGroup(it)) if it.to_string() == "sky")
        );
    }

    #[test]
    fn pairs_of_the_same_sub_assembly() {
        let assembly = assembly();
        let with = |same_group, group_level| {
            included(
                &assembly,
                &Pairs { same_group: Some(same_group), group_level, ..Pairs::default() },
            )
        };
        assert_eq!(with(SameGroup::Only, None), "bp df");
        assert_eq!(with(SameGroup::Skip, None), "bd bf br pd pf pr dr fr");
        assert_eq!(with(SameGroup::Only, Some(1)), "bp bd bf pd pf df");
        assert_eq!(with(SameGroup::Skip, Some(1)), "br pr dr fr");
        assert_eq!(with(SameGroup::Only, Some(9)), "bp df");
    }
}
