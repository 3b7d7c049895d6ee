//! Checks of values of a scene file: finite vectors, positive numbers, names, boxes. The builder calls them.

use crate::{document::Vector, error::Error, text::Text};
use impinge::{Bounds, glam::DVec3};
use std::ops::Range;
use toml::Spanned;

impl Text {
    pub(super) fn name(&self, name: &Spanned<String>) -> Result<String, Error> {
        let is_bad = |c: char| c == ',' || c == '"' || c.is_control();
        match name.get_ref() {
            name if !name.is_empty() && !name.contains(is_bad) => Ok(name.clone()),
            _ => Err(self.fault(
                &name.span(),
                "`name`: must not be empty or have commas, quotes or control characters",
            )),
        }
    }

    pub(super) fn vector(&self, key: &str, value: &Vector) -> Result<DVec3, Error> {
        let vector = DVec3::from_array(*value.get_ref());
        match vector.is_finite() {
            true => Ok(vector),
            false => {
                Err(self.fault(&value.span(), format!("`{key}`: must be three finite numbers")))
            }
        }
    }

    pub(super) fn vector_or_zero(&self, key: &str, value: Option<&Vector>) -> Result<DVec3, Error> {
        value.map_or(Ok(DVec3::ZERO), |value| self.vector(key, value))
    }

    /// Returns a finite number that is at least 0, or greater than 0 if `is_positive`.
    pub(super) fn number(
        &self,
        key: &str,
        value: &Spanned<f64>,
        is_positive: bool,
    ) -> Result<f64, Error> {
        let number = *value.get_ref();
        if number.is_finite() && number >= 0.0 && (number > 0.0 || !is_positive) {
            return Ok(number);
        }
        let wanted = if is_positive { "greater than 0" } else { "0 or greater" };
        Err(self
            .fault(&value.span(), format!("`{key}`: {number}; must be a finite number {wanted}")))
    }

    pub(super) fn bounds(
        &self,
        at: &Range<usize>,
        key: &str,
        min: &Vector,
        max: &Vector,
    ) -> Result<Bounds, Error> {
        let (min, max) = (self.vector("min", min)?, self.vector("max", max)?);
        match min.cmple(max).all() && (max - min).is_finite() {
            true => Ok(Bounds { min, max }),
            false => Err(self.fault(at, format!("`{key}`: `min` must not be greater than `max`"))),
        }
    }
}
