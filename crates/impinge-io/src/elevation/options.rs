//! Options for reading elevation grids.

use crate::{Format, assembly::Unit};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How an elevation grid becomes a mesh. Other mesh files ignore these options.
///
/// ```
/// use impinge_io::GridOptions;
///
/// // Missing samples are at sea level; every fourth sample of every fourth line is read.
/// let options = GridOptions::default().missing(0.0).every(4);
/// assert_eq!(options.every, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GridOptions {
    /// The height of samples that the file marks as missing, in the unit of the mesh. `None`: the terrain has a hole
    /// there.
    pub missing: Option<f64>,
    /// Reads every n-th sample along each axis, at least 1. The mesh then has about n² times fewer faces.
    pub every: u32,
    /// The meaning of x and y.
    pub coordinates: GridCoordinates,
}

/// The meaning of the coordinates x and y of a terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GridCoordinates {
    /// Metres around the centre of the grid for files that say that their grid is in degrees or arc seconds (DTED,
    /// some USGS DEM files). The coordinates of the file for all others.
    #[default]
    Auto,
    /// The coordinates of the file. For a grid in degrees, x is the longitude and y the latitude, in degrees.
    File,
    /// As `Auto`, and the coordinates of an ESRI ASCII grid are degrees, too. The file itself does not say so.
    Geographic,
}

impl GridCoordinates {
    /// Every choice, in the order in which messages list them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::File, Self::Geographic];

    /// Returns the name of the choice in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::File => "file",
            Self::Geographic => "geographic",
        }
    }
}

impl fmt::Display for GridCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GridCoordinates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|choice| choice.name() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::name).join(", ");
            format!("`{}` is not one of {all}", crate::text::shown(text))
        })
    }
}

impl Default for GridOptions {
    fn default() -> Self {
        Self { missing: None, every: 1, coordinates: GridCoordinates::Auto }
    }
}

impl GridOptions {
    /// Returns the unit of length of a file that is read with these options; `None` if its format does not define one.
    /// The coordinates of a DTED file are degrees, which are no unit of length. They become metres, unless
    /// [`coordinates`](Self::coordinates) asks for those of the file.
    pub fn units(&self, format: Format) -> Option<Unit> {
        match format {
            Format::Dted if self.coordinates == GridCoordinates::File => None,
            _ => format.units(),
        }
    }

    /// Sets [`missing`](Self::missing).
    pub fn missing(mut self, height: f64) -> Self {
        self.missing = Some(height);
        self
    }

    /// Sets [`every`](Self::every).
    pub fn every(mut self, every: u32) -> Self {
        self.every = every;
        self
    }

    /// Sets [`coordinates`](Self::coordinates).
    pub fn coordinates(mut self, coordinates: GridCoordinates) -> Self {
        self.coordinates = coordinates;
        self
    }

    /// Returns an error if a number is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.missing {
            Some(height) if height.is_nan() || height.abs() > 1e100 => {
                Err(format!("the height of missing samples is {height}, but must be within ±1e100"))
            }
            _ if self.every == 0 => {
                Err("every 0th sample cannot be read; the option must be at least 1".into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_range_are_refused() {
        assert!(GridOptions::default().check().is_ok());
        assert!(GridOptions::default().missing(-12.5).every(7).check().is_ok());
        assert!(GridOptions::default().every(0).check().unwrap_err().contains("at least 1"));
        for height in [f64::NAN, f64::INFINITY, -1.1e100] {
            assert!(GridOptions::default().missing(height).check().is_err(), "{height}");
        }
    }

    #[test]
    fn coordinates_are_named() {
        for choice in GridCoordinates::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        let error = "utm".parse::<GridCoordinates>().unwrap_err();
        assert_eq!(error, "`utm` is not one of auto, file, geographic");
    }
}
