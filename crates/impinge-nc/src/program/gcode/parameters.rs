//! Parameters: numbered and named, local and global. Those that mirror the state of the machine are in `mirror.rs`.

use std::collections::HashMap;

/// The highest number of a parameter.
pub(super) const HIGHEST: u32 = 5602;

/// The numbered parameters of a subroutine call: `#1` to `#30`.
const LOCALS: usize = 30;

/// The most named parameters of a program.
const MOST_NAMES: usize = 100_000;

/// The parameters that belong to one call of a subroutine.
#[derive(Clone, Debug, Default)]
pub(super) struct Locals {
    numbered: [Option<f64>; LOCALS],
    named: HashMap<String, f64>,
}

impl Locals {
    /// The locals of a call: the arguments are `#1`, `#2` and so on, the others 0.
    pub(super) fn of_call(arguments: &[f64]) -> Self {
        let mut numbered = [Some(0.0); LOCALS];
        for (place, &argument) in numbered.iter_mut().zip(arguments) {
            *place = Some(argument);
        }
        Self { numbered, named: HashMap::new() }
    }
}

/// All parameters that the program sets.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) locals: Locals,
    globals: HashMap<u32, f64>,
    named: HashMap<String, f64>,
}

fn is_global(name: &str) -> bool {
    name.starts_with('_')
}

impl Parameters {
    /// The value of `#index`; `None` if it was never set.
    pub(super) fn numbered(&self, index: u32) -> Option<f64> {
        match index as usize {
            local @ 1..=LOCALS => self.locals.numbered[local - 1],
            _ => self.globals.get(&index).copied(),
        }
    }

    /// The value of `#<name>`; `None` if it was never set.
    pub(super) fn named(&self, name: &str) -> Option<f64> {
        let names = if is_global(name) { &self.named } else { &self.locals.named };
        names.get(name).copied()
    }

    /// Sets `#index`.
    pub(super) fn set_numbered(&mut self, index: u32, value: f64) -> Result<(), String> {
        match index as usize {
            local @ 1..=LOCALS => self.locals.numbered[local - 1] = Some(value),
            0 => return Err("the parameter #0 cannot be set".into()),
            31..=5000 => {
                self.globals.insert(index, value);
            }
            _ if index <= HIGHEST => {
                return Err(format!(
                    "the parameter #{index} belongs to the machine and cannot be set by '='"
                ));
            }
            _ => return Err(format!("there is no parameter #{index}: the last is #{HIGHEST}")),
        }
        Ok(())
    }

    /// Sets `#<name>`.
    pub(super) fn set_named(&mut self, name: &str, value: f64) -> Result<(), String> {
        if name.is_empty() {
            return Err("a parameter without a name".into());
        }
        let names = if is_global(name) { &mut self.named } else { &mut self.locals.named };
        if names.len() >= MOST_NAMES && !names.contains_key(name) {
            return Err(format!("the program names more than {MOST_NAMES} parameters"));
        }
        names.insert(name.to_owned(), value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_belong_to_the_call_and_globals_do_not() {
        let mut parameters = Parameters::default();
        parameters.set_numbered(1, 5.0).unwrap();
        parameters.set_numbered(100, 6.0).unwrap();
        parameters.set_named("a", 7.0).unwrap();
        parameters.set_named("_b", 8.0).unwrap();
        let outer = std::mem::replace(&mut parameters.locals, Locals::of_call(&[1.5]));
        assert_eq!(parameters.numbered(1), Some(1.5));
        assert_eq!(parameters.numbered(2), Some(0.0));
        assert_eq!(parameters.numbered(100), Some(6.0));
        assert_eq!(parameters.named("a"), None);
        assert_eq!(parameters.named("_b"), Some(8.0));
        parameters.locals = outer;
        assert_eq!(parameters.numbered(1), Some(5.0));
        assert_eq!(parameters.named("a"), Some(7.0));
    }

    #[test]
    fn parameters_of_the_machine_are_not_set() {
        let mut parameters = Parameters::default();
        assert!(parameters.set_numbered(0, 1.0).is_err());
        assert!(parameters.set_numbered(5221, 1.0).is_err());
        assert!(parameters.set_numbered(9999, 1.0).is_err());
        assert!(parameters.set_named("", 1.0).is_err());
        assert_eq!(parameters.numbered(31), None);
    }
}
