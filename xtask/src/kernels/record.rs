//! Counts on record: a file to be read by people and in diffs, a line a kernel.

use std::{collections::BTreeMap, fmt};

/// By what share a kernel may grow.
const LIMIT: f64 = 0.03;

const HEAD: &str = "\
# Instructions that the kernels of src/main.rs take, as valgrind counts them.
# Written by `cargo xtask kernels --record`; the commit that changes a line says why.
";

/// What was counted, and with what.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// What counts depend on besides the code, by name.
    pub(super) origin: BTreeMap<String, String>,
    pub(super) counts: BTreeMap<String, u64>,
}

impl Record {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        let lines = text.lines().map(str::trim).enumerate();
        for (i, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '[']))
        {
            let bad = || format!("line {} is no `name = value`: {line}", i + 1);
            let (name, value) = line.split_once(" = ").ok_or_else(bad)?;
            match value.strip_prefix('"') {
                Some(text) => {
                    let text = text.strip_suffix('"').ok_or_else(bad)?.to_owned();
                    record.origin.insert(name.to_owned(), text);
                }
                None => {
                    let count = value.replace('_', "").parse().map_err(|_| bad())?;
                    record.counts.insert(name.to_owned(), count);
                }
            }
        }
        Ok(record)
    }

    /// What was not the same when the other was counted, in words; empty if all was.
    fn other_origin(&self, before: &Self) -> String {
        let unknown = || "unknown".to_owned();
        let differs = |(name, now): (&String, &String)| {
            let before = before.origin.get(name).cloned().unwrap_or_else(unknown);
            (before != *now).then(|| format!("{name} {now} instead of {before}"))
        };
        self.origin.iter().filter_map(differs).collect::<Vec<_>>().join(", ")
    }

    /// Whether these counts are as good as those on record.
    pub(super) fn verdict(&self, before: &Self) -> Verdict {
        let other = self.other_origin(before);
        if !other.is_empty() {
            return Verdict::Incomparable(other);
        }
        let changes = self.changes(before);
        let failures = changes.iter().filter(|change| change.fails()).count();
        match failures {
            0 => Verdict::Good,
            _ => Verdict::Bad { failures, kernels: changes.len() },
        }
    }

    /// All kernels of either.
    pub(super) fn changes(&self, before: &Self) -> Vec<Change> {
        let mut changes: BTreeMap<&String, Change> = BTreeMap::new();
        for (counts, is_now) in [(&before.counts, false), (&self.counts, true)] {
            for (name, &count) in counts {
                let new = || Change { kernel: name.clone(), before: None, now: None };
                let change = changes.entry(name).or_insert_with(new);
                *(if is_now { &mut change.now } else { &mut change.before }) = Some(count);
            }
        }
        changes.into_values().collect()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        for (name, value) in &self.origin {
            writeln!(f, "{name} = \"{value}\"")?;
        }
        writeln!(f, "\n[instructions]")?;
        for (name, &count) in &self.counts {
            writeln!(f, "{name} = {}", grouped(count))?;
        }
        Ok(())
    }
}

/// What a comparison with the counts on record comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// No kernel takes much more than on record.
    Good,
    /// So many kernels take much more, or are in one of the two alone.
    Bad { failures: usize, kernels: usize },
    /// Counted with other tools than those on record, which are named: differences prove nothing.
    Incomparable(String),
}

impl Verdict {
    pub(super) fn into_result(self) -> Result<(), String> {
        match self {
            Self::Good | Self::Incomparable(_) => Ok(()),
            Self::Bad { failures, kernels } => Err(format!(
                "{failures} of {kernels} kernels; if there is a good reason, `cargo xtask kernels --record`"
            )),
        }
    }
}

/// A kernel's count on record and now, where there is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    kernel: String,
    before: Option<u64>,
    now: Option<u64>,
}

impl Change {
    /// Whether it is to be mended, or to be recorded with a reason.
    pub(super) fn fails(&self) -> bool {
        self.share().is_none_or(|share| share > LIMIT)
    }

    pub(super) fn has_shrunk(&self) -> bool {
        self.share().is_some_and(|share| share < -LIMIT)
    }

    /// By how much it has grown, in relation to what it was.
    fn share(&self) -> Option<f64> {
        let (before, now) = (self.before? as f64, self.now? as f64);
        Some((now - before) / before)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: Option<u64>| count.map_or_else(|| "none".to_owned(), grouped);
        write!(f, "{:<24}{:>14} → {:>14}", self.kernel, count(self.before), count(self.now))?;
        match self.share() {
            Some(share) => write!(f, "  {:+.2} %", 100.0 * share),
            None if self.now.is_none() => write!(f, "  on record, but there is no such kernel"),
            None => write!(f, "  not on record"),
        }
    }
}

/// With a mark after every third digit.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(counts: &[(&str, u64)]) -> Record {
        let origin = [("rust".to_owned(), "1.95.0".to_owned())].into();
        let counts = counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        Record { origin, counts }
    }

    #[test]
    fn what_is_written_is_read() {
        let record = record(&[("build.obb", 1_234_567), ("hull.ball", 12), ("place.ball", 1000)]);
        let text = record.to_string();
        assert!(text.contains("\nbuild.obb = 1_234_567\nhull.ball = 12\nplace.ball = 1_000\n"));
        assert_eq!(Record::parse(&text), Ok(record));
        assert!(Record::parse("\na = x").unwrap_err().contains("line 2"));
        assert!(Record::parse("a = \"x").unwrap_err().contains("line 1"));
        assert!(Record::parse("a").is_err());
    }

    #[test]
    fn growth_fails_and_shrinking_does_not() {
        let before = record(&[("a", 1000), ("b", 1000), ("c", 1000), ("d", 1000), ("gone", 1)]);
        let now = record(&[("a", 1030), ("b", 1031), ("c", 969), ("d", 970), ("new", 1)]);
        let changes = now.changes(&before);
        let names = |is: fn(&Change) -> bool| -> Vec<_> {
            changes
                .iter()
                .filter(|change| is(change))
                .map(|change| change.kernel.as_str())
                .collect()
        };
        assert_eq!(names(Change::fails), ["b", "gone", "new"]);
        assert_eq!(names(Change::has_shrunk), ["c"]);
        let text = changes[1].to_string();
        assert!(
            ["b ", "1_000", "1_031", "+3.10 %"].iter().all(|part| text.contains(part)),
            "{text}"
        );
    }

    #[test]
    fn another_compiler_is_named() {
        let before = record(&[]);
        let mut now = before.clone();
        assert_eq!(now.other_origin(&before), "");
        now.origin.insert("rust".to_owned(), "1.96.0".to_owned());
        assert_eq!(now.other_origin(&before), "rust 1.96.0 instead of 1.95.0");
    }

    #[test]
    fn growth_is_an_error_with_the_tools_on_record_alone() {
        let before = record(&[("a", 1000), ("b", 1000)]);
        let same = record(&[("a", 1000), ("b", 1029)]);
        assert_eq!(same.verdict(&before), Verdict::Good);
        assert_eq!(same.verdict(&before).into_result(), Ok(()));

        let mut grown = record(&[("a", 1000), ("b", 2000)]);
        assert_eq!(grown.verdict(&before), Verdict::Bad { failures: 1, kernels: 2 });
        assert!(grown.verdict(&before).into_result().unwrap_err().contains("1 of 2 kernels"));

        for (name, value) in
            [("rust", "1.96.0"), ("valgrind", "valgrind-3.25.0"), ("lanes", "sse2")]
        {
            let mut before = before.clone();
            for name in ["rust", "valgrind", "lanes"] {
                before.origin.insert(name.to_owned(), "on record".to_owned());
            }
            grown.origin = before.origin.clone();
            assert!(grown.verdict(&before).into_result().is_err());
            grown.origin.insert(name.to_owned(), value.to_owned());
            let verdict = grown.verdict(&before);
            assert_eq!(
                verdict,
                Verdict::Incomparable(format!("{name} {value} instead of on record"))
            );
            assert_eq!(verdict.into_result(), Ok(()));
        }
    }
}
