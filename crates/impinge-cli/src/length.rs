//! Lengths on the command line, converted to the unit of the coordinates.

use crate::failure::Failure;
pub(crate) use impinge_io::assembly::Length;
use impinge_io::assembly::Unit;

/// Returns a length in `units`, the unit of the coordinates. If `units` is not known, a length with a unit is an error.
/// The message names `option`, which holds the length, and `unit_option`, which sets the unit.
pub(crate) fn within(
    length: Length,
    option: &str,
    units: Option<Unit>,
    unit_option: &str,
) -> Result<f64, Failure> {
    length.within(units).ok_or_else(|| {
        Failure::input(format!(
            "{option} {length}: the unit of the files is unknown, or the files differ; give a number \
             without a unit, or set the unit of the files with {unit_option}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_to_those_of_the_assembly() {
        let within = |text: &str, units| within(text.parse().unwrap(), "--touch", units, "--units");
        assert_eq!(within("0.5", None).unwrap(), 0.5);
        assert_eq!(within("0.5", Some(Unit::Metre)).unwrap(), 0.5);
        assert_eq!(within("1in", Some(Unit::Millimetre)).unwrap(), 25.4);
        assert!(
            matches!(within("1in", None), Err(Failure::Input(text)) if text.contains("--touch 1in"))
        );
    }
}
