//! Reads the JSON files of earlier runs: baselines and review files.

use impinge_io::{Error, Location, assembly::Unit, excerpt};
use serde::de::DeserializeOwned;
use std::{fmt, fs, io::BufReader, path::Path};

/// Loads a JSON file. A message about its contents ends with `hint`.
pub(crate) fn load<T: DeserializeOwned>(path: &Path, hint: &str) -> Result<T, Error> {
    let cannot = |error: &dyn fmt::Display| fault(path, format!("cannot be read: {error}"));
    let kind = fs::metadata(path).map_err(|error| cannot(&error))?;
    if !kind.is_file() {
        return Err(cannot(&"is not a regular file"));
    }
    let file = fs::File::open(path).map_err(|error| cannot(&error))?;
    serde_json::from_reader(BufReader::new(file)).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = excerpt(message.split(" at line ").next().unwrap_or_default(), 120);
        match line {
            0 => cannot(&message),
            _ => Error {
                path: path.into(),
                location: Location::Character { line, column },
                message: format!("{message}; {hint}"),
            },
        }
    })
}

/// Returns an error about a whole file.
pub(crate) fn fault(path: &Path, message: String) -> Error {
    Error { path: path.into(), location: Location::File, message }
}

/// Returns the factor that converts lengths of a file to the unit of the assembly; 1 if a unit is unknown.
pub(crate) fn factor(file: Option<Unit>, assembly: Option<Unit>) -> f64 {
    match (file, assembly) {
        (Some(file), Some(assembly)) => file.to(assembly),
        _ => 1.0,
    }
}
