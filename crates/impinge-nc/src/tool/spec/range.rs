//! The numbers that a key of a specification may have, and the words for them in messages.

use super::SpecError;
use std::{
    fmt,
    ops::{
        Bound::{self, Excluded, Included},
        RangeBounds,
    },
};

/// The numbers that a key may have.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) least: Bound<f64>,
    pub(super) greatest: Bound<f64>,
    /// Written after the greatest number in messages.
    pub(super) unit: &'static str,
}

impl Range {
    pub(super) fn parse(&self, key: &str, text: &str) -> Result<f64, SpecError> {
        let number = text.trim().parse().ok();
        number.filter(|number| (self.least, self.greatest).contains(number)).ok_or_else(|| {
            SpecError::Value { key: key.into(), value: text.into(), allowed: self.to_string() }
        })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.least {
            Included(least) => write!(f, "a number of at least {least} and ")?,
            Excluded(least) => write!(f, "a number greater than {least} and ")?,
            Bound::Unbounded => {}
        }
        match self.greatest {
            Included(greatest) => write!(f, "at most {greatest}{}", self.unit),
            Excluded(greatest) => write!(f, "less than {greatest}{}", self.unit),
            Bound::Unbounded => write!(f, "finite"),
        }
    }
}
