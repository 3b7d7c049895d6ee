//! Rules that exclude pairs of parts, and their text form.
//!
//! A rule is `PATTERN` or `PATTERN :: PATTERN`. Either may follow verdicts, as in `touching, clearance:
//! PATTERN :: PATTERN`.

use crate::{pattern::Pattern, verdicts::Verdicts};
use impinge_io::{Error, Location, excerpt};
use std::{fmt, fs, path::Path, str::FromStr};

/// Separates the two patterns of a rule. With its spaces, it is unlikely to be part of a name.
const SEPARATOR: &str = " :: ";

/// Messages show this many characters of a line.
const SHOWN: usize = 60;

/// A larger file is certainly not a list of rules.
const MAX_BYTES: u64 = 64 << 20;

/// A rule that excludes pairs of parts, or clashes of such pairs with some verdicts.
///
/// `PATTERN` matches pairs with a matching part; `PATTERN :: PATTERN` matches pairs of one part that matches
/// the first pattern and one that matches the second. Verdicts in front limit the rule to clashes with these
/// verdicts, as in `touching, clearance: bolt* :: *plate*`. `Display` shows where the rule comes from: see
/// [`from_origin`](Self::from_origin).
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The verdicts that the rule applies to.
    pub(super) verdicts: Verdicts,
    /// Matches one part of a pair.
    pub(super) a: Pattern,
    /// Matches the other part; `None` matches any part.
    pub(super) b: Option<Pattern>,
    /// Where the rule comes from, for messages.
    pub(super) origin: String,
}

impl Rule {
    /// Sets where the rule comes from: an option, or a line of a file. Messages show it.
    pub fn from_origin(self, origin: impl Into<String>) -> Self {
        Self { origin: origin.into(), ..self }
    }
}

/// Why a text is not a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// A pattern is missing, or one side of `::` is empty.
    #[error("a name is missing; a rule is PATTERN or PATTERN :: PATTERN")]
    MissingName,
    /// There are more than two patterns.
    #[error("more than two names; a rule is PATTERN or PATTERN :: PATTERN")]
    TooManyNames,
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (verdicts, names) = match text.split_once(':') {
            // A double colon does not end a list of verdicts.
            Some((before, after)) if !after.starts_with(':') => match before.parse() {
                Ok(verdicts) => (verdicts, after),
                Err(_) => (Verdicts::ALL, text),
            },
            _ => (Verdicts::ALL, text),
        };
        // Spaces around the text, so that a separator at either end is found.
        let names = format!(" {} ", names.trim());
        let mut patterns = names.split(SEPARATOR).map(str::trim);
        let (a, b) = (patterns.next().unwrap_or_default(), patterns.next());
        if a.is_empty() || b == Some("") {
            return Err(RuleError::MissingName);
        }
        if patterns.next().is_some() {
            return Err(RuleError::TooManyNames);
        }
        Ok(Self {
            verdicts,
            a: Pattern::new(a),
            b: b.map(Pattern::new),
            origin: format!("`{}`", text.trim()),
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

/// Loads the rules of a file: one rule per line. Empty lines and lines that begin with `#` are ignored.
///
/// # Errors
/// If the file cannot be read, or a line is not a rule.
pub fn load_rules(path: impl AsRef<Path>) -> Result<Vec<Rule>, Error> {
    let path = path.as_ref();
    let named = path.display();
    let fault =
        |location: Location, message: String| Error { path: path.into(), location, message };
    let cannot =
        |error: &dyn fmt::Display| fault(Location::File, format!("cannot be read: {error}"));
    let kind = fs::metadata(path).map_err(|error| cannot(&error))?;
    if !kind.is_file() {
        return Err(cannot(&"is not a regular file"));
    }
    if kind.len() > MAX_BYTES {
        return Err(cannot(&"the file is larger than 64 MB, which no list of rules is"));
    }
    let bytes = fs::read(path).map_err(|error| cannot(&error))?;
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut rules = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let fault = |message: &str| fault(Location::Line(line), message.to_owned());
        let text = std::str::from_utf8(text).map_err(|_| fault("not UTF-8 text"))?.trim();
        if text.contains('\0') {
            return Err(fault("the line has a zero byte; rules are lines of UTF-8 text"));
        }
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let rule: Rule = text.parse().map_err(|error: RuleError| fault(&error.to_string()))?;
        rules.push(rule.from_origin(format!("{named}:{line}: `{}`", excerpt(text, SHOWN))));
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::clash::Verdict;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn parts(text: &str) -> (Verdicts, String, Option<String>) {
        let Rule { verdicts, a, b, .. } = rule(text);
        (verdicts, a.to_string(), b.map(|b| b.to_string()))
    }

    #[test]
    fn a_rule_is_one_name_or_two_with_or_without_verdicts() {
        let touching = Verdicts::of(&[Verdict::Touching]);
        let both = Verdicts::of(&[Verdict::Touching, Verdict::Clearance]);
        for (text, verdicts, a, b) in [
            ("bolt*", Verdicts::ALL, "bolt*", None),
            ("bolt* :: housing", Verdicts::ALL, "bolt*", Some("housing")),
            ("touching: bolt*", touching, "bolt*", None),
            ("touching:bolt* :: housing", touching, "bolt*", Some("housing")),
            ("clearance, touching : a :: b", both, "a", Some("b")),
            // Not verdicts, so part of a name.
            ("std::bolt", Verdicts::ALL, "std::bolt", None),
            ("left: bolt", Verdicts::ALL, "left: bolt", None),
            ("touching::bolt", Verdicts::ALL, "touching::bolt", None),
        ] {
            assert_eq!(parts(text), (verdicts, a.into(), b.map(Into::into)), "{text}");
        }
        for text in
            ["", "  ", "touching:", "a :: ", " :: b", "::", "a ::", "inside: :: b", "a :: b :: c"]
        {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
    }
}
