//! Name patterns, and the lookup of the parts that match them.
//!
//! This is not a crate for globs, because names of parts are not file paths: `[`, `{`, `!` and `\` are common
//! in names that CAD programs export. Here only `*` and `?` are special.

use impinge_io::assembly::Assembly;
use std::{borrow::Cow, cell::OnceCell, fmt};

/// A name pattern: `*` stands for any text, `?` for any one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Creates a pattern; every text is valid.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the prefix that all matching names have.
    fn prefix(&self) -> &str {
        self.0.split(['*', '?']).next().unwrap_or_default()
    }

    /// Returns whether the pattern is also compared with paths of parts.
    fn is_path(&self) -> bool {
        self.0.contains('/')
    }

    /// Returns whether the pattern matches a whole name. Takes at most time proportional to the product of
    /// both lengths.
    pub fn matches(&self, name: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.as_str(), name);
        // Where to continue if the text after the last `*` does not match: one character further.
        let mut retry: Option<(&str, &str)> = None;
        loop {
            let mut characters = pattern.chars();
            let wanted = characters.next();
            let mut following = rest.chars();
            let found = following.next();
            match (wanted, found) {
                (Some('*'), _) => {
                    pattern = characters.as_str();
                    if pattern.is_empty() {
                        return true;
                    }
                    retry = Some((pattern, rest));
                    continue;
                }
                (None, None) => return true,
                (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                    (pattern, rest) = (characters.as_str(), following.as_str());
                    continue;
                }
                _ => {}
            }
            let Some((after, from)) = retry else { return false };
            let mut further = from.chars();
            if further.next().is_none() {
                return false;
            }
            retry = Some((after, further.as_str()));
            (pattern, rest) = (after, further.as_str());
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names of parts in alphabetical order, so that only names with the prefix of a pattern are compared.
#[derive(Debug)]
struct Sorted<'a>(Vec<(Cow<'a, str>, u32)>);

impl<'a> Sorted<'a> {
    fn new(names: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let mut sorted: Vec<_> = names.zip(0..).collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// Returns the matching parts, in no particular order.
    fn matching(&self, pattern: &Pattern) -> impl Iterator<Item = u32> {
        let prefix = pattern.prefix();
        let first = self.0.partition_point(|(name, _)| &**name < prefix);
        let alike = self.0[first..].iter().take_while(move |(name, _)| name.starts_with(prefix));
        alike.filter(|(name, _)| pattern.matches(name)).map(|(_, part)| *part)
    }
}

/// The names of an assembly, for lookups; sorted on first use.
#[derive(Debug)]
pub(super) struct Names<'a> {
    assembly: &'a Assembly,
    names: OnceCell<Sorted<'a>>,
    paths: OnceCell<Sorted<'a>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(assembly: &'a Assembly) -> Self {
        Self { assembly, names: OnceCell::new(), paths: OnceCell::new() }
    }

    fn sorted(&self) -> &Sorted<'a> {
        let names = self.assembly.parts.iter().map(|part| Cow::Borrowed(&*part.name));
        self.names.get_or_init(|| Sorted::new(names))
    }

    /// Returns the parts whose name matches or, for a pattern with a slash, whose path matches.
    pub(super) fn parts(&self, pattern: &Pattern) -> Vec<u32> {
        let mut parts: Vec<u32> = self.sorted().matching(pattern).collect();
        if pattern.is_path() {
            let numbers = 0..self.assembly.parts.len();
            let all = || Sorted::new(numbers.map(|part| self.assembly.full_name(part).into()));
            parts.extend(self.paths.get_or_init(all).matching(pattern));
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Returns the parts of a group: parts of a sub-assembly or file whose name or path matches, and parts
    /// that match themselves.
    pub(super) fn group(&self, pattern: &Pattern) -> Vec<u32> {
        let Assembly { parts, groups, files, .. } = self.assembly;
        let mut paths: Vec<String> = Vec::with_capacity(groups.len());
        let mut has_group: Vec<bool> = Vec::with_capacity(groups.len());
        for group in groups {
            let above = group.parent.map(|parent| parent as usize);
            let path = match above {
                None => group.name.clone(),
                Some(above) => format!("{}/{}", paths[above], group.name),
            };
            let is_within = above.is_some_and(|above| has_group[above]);
            has_group.push(is_within || pattern.matches(&group.name) || pattern.matches(&path));
            paths.push(path);
        }
        let has_file: Vec<bool> = files
            .iter()
            .map(|file| {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                pattern.matches(&name) || pattern.matches(&file.to_string_lossy())
            })
            .collect();
        let mut fits = vec![false; parts.len()];
        self.parts(pattern).into_iter().for_each(|part| fits[part as usize] = true);
        for (fits, part) in fits.iter_mut().zip(parts) {
            *fits |= part.group.is_some_and(|group| has_group[group as usize]);
            *fits |= has_file.get(part.file as usize).copied().unwrap_or(false);
        }
        (0..).zip(fits).filter_map(|(number, fits)| fits.then_some(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Pose;
    use impinge_io::assembly::{AssemblyPart, Group};

    #[test]
    fn two_characters_are_special_and_all_others_are_not() {
        let fits = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        for (pattern, name) in [
            ("", ""),
            ("*", ""),
            ("*", "bolt"),
            ("bolt", "bolt"),
            ("bolt*", "bolt#2"),
            ("*bolt", "long bolt"),
            ("b*t*", "bolt"),
            ("bo?t", "bolt"),
            ("?", "螺"),
            ("*?栓", "六角螺栓"),
            ("**a**", "xax"),
            ("a[1]{b}\\!", "a[1]{b}\\!"),
            ("*ab*abc", "abababc"),
        ] {
            assert!(fits(pattern, name), "{pattern} should fit {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("bolt", "bolt#2"),
            ("bolt", "Bolt"),
            ("?", ""),
            ("?", "ab"),
            ("a[1]", "a1"),
            ("*ab", "abc"),
            ("b*x*t", "bolt"),
        ] {
            assert!(!fits(pattern, name), "{pattern} should not fit {name}");
        }
        // Must not take exponential time.
        assert!(!fits(&"*a".repeat(50), &"a".repeat(49)));
        assert!(!fits(&format!("{}b", "*a".repeat(40)), &"a".repeat(2000)));
    }

    /// The reference: tries every way to fill in the `*`.
    fn fits_somehow(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], rest) => rest.is_empty(),
            (['*', after @ ..], rest) => {
                (0..=rest.len()).any(|taken| fits_somehow(after, &rest[taken..]))
            }
            ([wanted, after @ ..], [found, rest @ ..]) => {
                (*wanted == '?' || wanted == found) && fits_somehow(after, rest)
            }
            _ => false,
        }
    }

    #[test]
    fn the_matcher_agrees_with_one_that_tries_everything() {
        let words = |letters: &[char], longest: usize| {
            let mut all = vec![String::new()];
            let mut from = 0;
            for _ in 0..longest {
                let until = all.len();
                for at in from..until {
                    letters.iter().for_each(|letter| all.push(format!("{}{letter}", all[at])));
                }
                from = until;
            }
            all
        };
        let (mut matching, names) = (0, words(&['a', 'é'], 4));
        for pattern in words(&['a', 'é', '*', '?'], 4) {
            for name in &names {
                let [p, n]: [Vec<char>; 2] = [&pattern, name].map(|text| text.chars().collect());
                let expected = fits_somehow(&p, &n);
                assert_eq!(Pattern::new(&*pattern).matches(name), expected, "{pattern} {name}");
                matching += usize::from(expected);
            }
        }
        assert!(matching > 500, "{matching}");
    }

    fn assembly() -> Assembly {
        let mut assembly = Assembly::default();
        assembly.groups = vec![Group::new("engine", None), Group::new("fasteners", Some(0))];
        assembly.files = vec!["in/engine.glb".into(), "frame.stl".into()];
        for (name, group, file) in [
            ("block", Some(0), 0),
            ("bolt", Some(1), 0),
            ("bolt#2", Some(1), 0),
            ("frame", None, 1),
        ] {
            let mut part = AssemblyPart::new(name, 0, Pose::IDENTITY);
            (part.group, part.file) = (group, file);
            assembly.parts.push(part);
        }
        assembly
    }

    #[test]
    fn parts_by_name_and_by_path() {
        let assembly = assembly();
        let names = Names::new(&assembly);
        let parts = |pattern: &str| names.parts(&Pattern::new(pattern));
        assert_eq!(parts("bolt"), [1]);
        assert_eq!(parts("bolt*"), [1, 2]);
        assert_eq!(parts("engine/fasteners/bolt"), [1]);
        assert_eq!(parts("engine/*"), [0, 1, 2]);
        assert_eq!(parts("*/fasteners/*"), [1, 2]);
        // A pattern without a slash ignores sub-assemblies.
        assert_eq!(parts("*engine*"), [0_u32; 0]);
        assert_eq!(parts("fasteners"), [0_u32; 0]);
        assert_eq!(parts("*"), [0, 1, 2, 3]);
    }

    #[test]
    fn groups_are_sub_assemblies_files_and_parts() {
        let assembly = assembly();
        let names = Names::new(&assembly);
        let group = |pattern: &str| names.group(&Pattern::new(pattern));
        assert_eq!(group("engine"), [0, 1, 2]);
        assert_eq!(group("fasteners"), [1, 2]);
        assert_eq!(group("engine/fasteners"), [1, 2]);
        assert_eq!(group("engine.glb"), [0, 1, 2]);
        assert_eq!(group("in/engine.glb"), [0, 1, 2]);
        assert_eq!(group("frame*"), [3]);
        assert_eq!(group("block"), [0]);
        assert_eq!(group("nothing"), [0_u32; 0]);
    }
}
