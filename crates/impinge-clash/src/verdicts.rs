//! Sets of verdicts.

use impinge::clash::Verdict;
use impinge_io::excerpt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::str::FromStr;

/// A set of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts(u8);

impl Verdicts {
    /// Every verdict.
    pub const ALL: Self = Self((1 << Verdict::ALL.len()) - 1);

    /// Returns the set of these verdicts.
    pub fn of(verdicts: &[Verdict]) -> Self {
        Self(verdicts.iter().fold(0, |bits, &verdict| bits | 1 << verdict as u8))
    }

    /// Returns whether a verdict is in the set.
    pub fn has(self, verdict: Verdict) -> bool {
        self.0 >> verdict as u8 & 1 == 1
    }

    /// Returns the verdicts of either set.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Returns the verdict with a name.
pub(super) fn named(name: &str) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
}

/// Serializes a verdict by its name.
pub(super) fn serialize<S: Serializer>(
    verdict: &Verdict,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.name())
}

/// Deserializes a verdict from its name.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
    let name = String::deserialize(deserializer)?;
    named(&name)
        .ok_or_else(|| D::Error::custom(format!("`{}` is not a verdict", excerpt(&name, 40))))
}

/// Serializes and deserializes a verdict that may be missing.
pub(super) mod optional {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        verdict: &Option<Verdict>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        verdict.map(Verdict::name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Verdict>, D::Error> {
        Option::<Named>::deserialize(deserializer).map(|verdict| verdict.map(|named| named.0))
    }

    #[derive(Deserialize)]
    struct Named(#[serde(deserialize_with = "super::deserialize")] Verdict);
}

/// The text is not the name of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a verdict; the verdicts are {all}", all = Verdict::ALL.map(Verdict::name).join(", "))]
pub struct UnknownVerdict(pub String);

/// Parses names separated by commas.
impl FromStr for Verdicts {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        let mut all = Self::default();
        for name in text.split(',').map(str::trim) {
            let verdict = named(name).ok_or_else(|| UnknownVerdict(name.to_owned()))?;
            all = all.union(Self::of(&[verdict]));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_make_a_set() {
        let some: Verdicts = "touching, duplicate".parse().unwrap();
        let has = |verdict: &Verdict| some.has(*verdict);
        let listed: Vec<Verdict> = Verdict::ALL.into_iter().filter(has).collect();
        assert_eq!(listed, [Verdict::Duplicate, Verdict::Touching]);
        assert!(Verdict::ALL.into_iter().all(|verdict| Verdicts::ALL.has(verdict)));
        for text in ["", "touch", "touching,", "Touching"] {
            assert!(text.parse::<Verdicts>().is_err(), "{text}");
        }
    }
}
